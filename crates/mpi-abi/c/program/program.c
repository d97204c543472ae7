/*
 * What `multicomputer cc` links to every program: variables of libc of which each copy of the program needs one of its own, and a symbol by
 * which the loader finds them.
 */
#define _GNU_SOURCE
#include "../process.h"

extern int main(int, char **, char **);

FILE *stdin, *stdout, *stderr;
char **environ;
extern char **__environ __attribute__((alias("environ")));
extern char **_environ __attribute__((alias("environ")));

/* Blocks of code that were executed, of a program compiled with `multicomputer cc --count`. */
static uint64_t blocks;

void __sanitizer_cov_trace_pc(void);

__attribute__((visibility("hidden"))) void __sanitizer_cov_trace_pc(void)
{
    blocks++;
}

__attribute__((visibility("default"))) const struct mc_program mc_program = {
    1, main, &stdin, &stdout, &stderr, &environ, &blocks,
};

FILE *mc_standard_file(int number);

/* For a program that is started by itself, before its own constructors; `multicomputer run` sets the variables before it calls them. */
static __attribute__((constructor(101))) void begin(int count, char **arguments, char **environment)
{
    (void)count, (void)arguments;
    if (!stdout) {
        stdin = mc_standard_file(0);
        stdout = mc_standard_file(1);
        stderr = mc_standard_file(2);
        environ = environment;
    }
}
