/*
 * Standard input, output and error of a rank.
 *
 * Each copy of a program has variables `stdin`, `stdout` and `stderr` of its own (c/program/program.c); they are set to files that pass what is
 * written to the Rust side, which puts whole lines in the order of modeled time. Functions of libc that name no file, such as printf, are
 * defined here with the rank's file. Fortran and others write to descriptors 1 and 2: `write` and `writev` pass that on as well. Standard
 * input is rank 0's; it is empty for the others.
 */
#undef _FORTIFY_SOURCE
#define _GNU_SOURCE
#include "process.h"

#include <err.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* Begins to pass output, or a question for input. Returns whether it has the time of the rank. */
static int begin(struct mc_rank *rank)
{
    int is_own = mc_is_own(rank);
    rank->is_writing += is_own;
    return is_own && mc_begin(rank);
}

static void end(struct mc_rank *rank, int is_timed)
{
    if (is_timed) {
        mc_end(rank);
    }
    rank->is_writing -= mc_is_own(rank);
}

static void put(struct mc_rank *rank, int descriptor, const char *bytes, size_t length)
{
    int is_timed = begin(rank);
    mc_machine->write(rank->output, is_timed ? rank->process : NULL, rank->rank, descriptor, bytes, length);
    end(rank, is_timed);
}

static ssize_t real_read(int descriptor, void *into, size_t length)
{
    MC_REAL(read);
    return real(descriptor, into, length);
}

static ssize_t read_input(void *cookie, char *into, size_t length)
{
    struct mc_rank *rank = cookie;
    if (rank->rank != 0) {
        return 0;
    }
    /* A question is seen before its answer is read. */
    mc_flush_files(rank);
    int is_timed = begin(rank);
    mc_machine->ask(rank->output, is_timed ? rank->process : NULL, rank->rank);
    end(rank, is_timed);
    rank->is_writing += mc_is_own(rank);
    ssize_t read = mc_machine->read(rank->output, into, length);
    rank->is_writing -= mc_is_own(rank);
    return read < 0 ? real_read(0, into, length) : read;
}

static ssize_t write_output(void *cookie, const char *bytes, size_t length)
{
    put(cookie, 1, bytes, length);
    return length;
}

static ssize_t write_error(void *cookie, const char *bytes, size_t length)
{
    put(cookie, 2, bytes, length);
    return length;
}

void mc_open_files(struct mc_rank *rank)
{
    const struct mc_program *program = rank->program;
    rank->input = fopencookie(rank, "r", (cookie_io_functions_t){.read = read_input});
    rank->output_file = fopencookie(rank, "w", (cookie_io_functions_t){.write = write_output});
    rank->error_file = fopencookie(rank, "w", (cookie_io_functions_t){.write = write_error});
    setvbuf(rank->output_file, NULL, _IOLBF, 0);
    setvbuf(rank->error_file, NULL, _IONBF, 0);
    *program->standard_input = rank->input;
    *program->standard_output = rank->output_file;
    *program->standard_error = rank->error_file;
}

void mc_flush_files(struct mc_rank *rank)
{
    /* The program may have closed its files, or put others in their places. */
    if (*rank->program->standard_output == rank->output_file) {
        fflush(rank->output_file);
    }
}

static FILE *input(void)
{
    return mc_current ? *mc_current->program->standard_input : stdin;
}

static FILE *output(void)
{
    return mc_current ? *mc_current->program->standard_output : stdout;
}

static FILE *error_output(void)
{
    return mc_current ? *mc_current->program->standard_error : stderr;
}

void mc_complain(const char *text)
{
    fputs(text, error_output());
}

/* The standard files for a program that was started by itself. */
FILE *mc_standard_file(int number)
{
    /* The names stand for the program's variables here, which are to be set. */
    static const char *const names[] = {"stdin", "stdout", "stderr"};
    return *(FILE **)mc_libc(names[number]);
}

/* Descriptors. */

ssize_t write(int descriptor, const void *bytes, size_t length)
{
    struct mc_rank *rank = mc_current;
    if (rank && (descriptor == 1 || descriptor == 2)) {
        put(rank, descriptor, bytes, length);
        return length;
    }
    MC_REAL(write);
    return real(descriptor, bytes, length);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count)
{
    struct mc_rank *rank = mc_current;
    if (rank && (descriptor == 1 || descriptor == 2)) {
        ssize_t length = 0;
        for (int part = 0; part < count; part++) {
            put(rank, descriptor, parts[part].iov_base, parts[part].iov_len);
            length += parts[part].iov_len;
        }
        return length;
    }
    MC_REAL(writev);
    return real(descriptor, parts, count);
}

ssize_t read(int descriptor, void *into, size_t length)
{
    if (mc_current && descriptor == 0) {
        return read_input(mc_current, into, length);
    }
    return real_read(descriptor, into, length);
}

int vdprintf(int descriptor, const char *format, va_list arguments)
{
    if (mc_current && (descriptor == 1 || descriptor == 2)) {
        char *text = NULL;
        int length = vasprintf(&text, format, arguments);
        if (length >= 0) {
            put(mc_current, descriptor, text, length);
            free(text);
        }
        return length;
    }
    MC_REAL(vdprintf);
    return real(descriptor, format, arguments);
}

int dprintf(int descriptor, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vdprintf(descriptor, format, arguments);
    va_end(arguments);
    return length;
}

/* Functions that name no file. Those whose names begin with __ are called by programs that were compiled with _FORTIFY_SOURCE. */

#define WITH_ARGUMENTS(result, call)                                                                                   \
    va_list arguments;                                                                                                 \
    va_start(arguments, format);                                                                                       \
    result = call;                                                                                                     \
    va_end(arguments)

int vprintf(const char *format, va_list arguments)
{
    return vfprintf(output(), format, arguments);
}

int printf(const char *format, ...)
{
    WITH_ARGUMENTS(int length, vfprintf(output(), format, arguments));
    return length;
}

int __vfprintf_chk(FILE *file, int flag, const char *format, va_list arguments);
int __vprintf_chk(int flag, const char *format, va_list arguments);
int __printf_chk(int flag, const char *format, ...);

int __vprintf_chk(int flag, const char *format, va_list arguments)
{
    return __vfprintf_chk(output(), flag, format, arguments);
}

int __printf_chk(int flag, const char *format, ...)
{
    WITH_ARGUMENTS(int length, __vfprintf_chk(output(), flag, format, arguments));
    return length;
}

int puts(const char *text)
{
    FILE *file = output();
    flockfile(file);
    int result = fputs(text, file) < 0 || putc('\n', file) == EOF ? EOF : 1;
    funlockfile(file);
    return result;
}

#undef putchar
#undef putchar_unlocked
#undef getchar
#undef getchar_unlocked

int putchar(int character)
{
    return putc(character, output());
}

int putchar_unlocked(int character)
{
    return putc_unlocked(character, output());
}

int getchar(void)
{
    return getc(input());
}

int getchar_unlocked(void)
{
    return getc_unlocked(input());
}

/* The headers replace scanf by a function of the standard's edition; all of them are the same here. */
#define SCANF(number, scanf_name, vscanf_name)                                                                         \
    int mc_vscanf##number(const char *format, va_list arguments) __asm__(vscanf_name);                                 \
    int mc_vscanf##number(const char *format, va_list arguments)                                                       \
    {                                                                                                                  \
        return vfscanf(input(), format, arguments);                                                                    \
    }                                                                                                                  \
    int mc_scanf##number(const char *format, ...) __asm__(scanf_name);                                                 \
    int mc_scanf##number(const char *format, ...)                                                                      \
    {                                                                                                                  \
        WITH_ARGUMENTS(int count, vfscanf(input(), format, arguments));                                                \
        return count;                                                                                                  \
    }

SCANF(89, "scanf", "vscanf")
SCANF(99, "__isoc99_scanf", "__isoc99_vscanf")
SCANF(23, "__isoc23_scanf", "__isoc23_vscanf")

void perror(const char *prefix)
{
    int error = errno;
    int has_prefix = prefix && *prefix;
    fprintf(error_output(), "%s%s%s\n", has_prefix ? prefix : "", has_prefix ? ": " : "", strerror(error));
}

/* err.h and error.h: libc's write to the process's standard error, and call its exit. */

void vwarnx(const char *format, va_list arguments)
{
    FILE *file = error_output();
    flockfile(file);
    fprintf(file, "%s: ", program_invocation_short_name);
    if (format) {
        vfprintf(file, format, arguments);
    }
    putc('\n', file);
    funlockfile(file);
}

void vwarn(const char *format, va_list arguments)
{
    int error = errno;
    FILE *file = error_output();
    flockfile(file);
    fprintf(file, "%s: ", program_invocation_short_name);
    if (format) {
        vfprintf(file, format, arguments);
        fputs(": ", file);
    }
    fprintf(file, "%s\n", strerror(error));
    funlockfile(file);
}

void warnx(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vwarnx(format, arguments);
    va_end(arguments);
}

void warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vwarn(format, arguments);
    va_end(arguments);
}

void verrx(int status, const char *format, va_list arguments)
{
    vwarnx(format, arguments);
    exit(status);
}

void verr(int status, const char *format, va_list arguments)
{
    vwarn(format, arguments);
    exit(status);
}

void errx(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    verrx(status, format, arguments);
}

void err(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    verr(status, format, arguments);
}

void error(int status, int number, const char *format, ...);

void error(int status, int number, const char *format, ...)
{
    FILE *file = error_output();
    va_list arguments;
    va_start(arguments, format);
    fflush(output());
    flockfile(file);
    fprintf(file, "%s: ", program_invocation_name);
    vfprintf(file, format, arguments);
    if (number) {
        fprintf(file, ": %s", strerror(number));
    }
    putc('\n', file);
    funlockfile(file);
    va_end(arguments);
    if (status) {
        exit(status);
    }
}
