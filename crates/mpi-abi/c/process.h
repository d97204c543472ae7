/*
 * Ranks: what the files of the library share about the rank of a thread.
 *
 * Every rank of a program is a thread of one process, and has a copy of the program of its own. Functions of the C library whose effect or
 * state belongs to a process are defined in this library once more. The copies are loaded with RTLD_DEEPBIND, and name this library before
 * libc, so their calls, and those of the libraries that they load, arrive here; calls of the Rust side do not. On a thread that belongs to no
 * rank, and in a program that was started without `multicomputer run`, each of these functions calls libc's.
 */
#ifndef MC_PROCESS_H
#define MC_PROCESS_H

#include <pthread.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* What the Rust side does for ranks. A negative result says that the run is over for this rank. Same layout as `Machine` in src/entry.rs. */
struct mc_machine {
    /* Calls a function of MPI; returns an error code of MPI. */
    int (*call)(void *process, int function, const uintptr_t *arguments, void *return_address);
    /* Makes this thread the one that calls; 0 if the thread level does not allow it. */
    int (*move_here)(void *process, int is_main);
    /* Stores the modeled time in picoseconds. */
    int (*now)(void *process, uint64_t *picoseconds);
    /* Lets modeled time pass. */
    int (*sleep)(void *process, uint64_t picoseconds);
    /* Takes output. `process` is NULL on other threads than the rank's. */
    void (*write)(void *output, void *process, int rank, int descriptor, const char *bytes, size_t length);
    /* Waits until the output of the rank has been written, before it reads. `process` is NULL on other threads than the rank's. */
    void (*ask)(void *output, void *process, int rank);
    /* Reads from the input of a run; -1 if the run reads standard input itself. */
    ssize_t (*read)(void *output, char *into, size_t length);
    /* Writes all output that has been taken. */
    void (*flush)(void *output);
    /* Notes a load or a store of the program, by the kinds of accesses.c. */
    void (*touch)(void *process, uintptr_t address, size_t length, int kind, void *return_address);
};

typedef int mc_main_function(int, char **, char **);

/* What a copy of a program tells: the symbol `mc_program` of c/program/program.c. Same layout as `Described` in src/loader.rs. */
struct mc_program {
    uintptr_t version;
    mc_main_function *main;
    FILE **standard_input, **standard_output, **standard_error;
    char ***environment;
    uint64_t *blocks;
};

/* The constructors and destructors of one loaded file. Same layout as `Initializers` in src/loader.rs. */
struct mc_object {
    void (*init)(int, char **, char **);
    void (**init_array)(int, char **, char **);
    size_t init_count;
    void (**fini_array)(void);
    size_t fini_count;
    void (*fini)(void);
};

/* What a rank starts with. Same layout as `Start` in src/rank.rs. */
struct mc_start {
    void *process;
    void *output;
    void *watched;
    int rank;
    int argument_count;
    const char *const *arguments;
    const char *const *environment;
    const struct mc_program *program;
    const struct mc_object *objects;
    size_t object_count;
};

/* How a rank has ended. The numbers are those of `How` in src/rank.rs. */
enum mc_how {
    MC_EXITED = 0,  /* `main` has returned, or the program has called exit or _exit */
    MC_LEFT = 1,    /* the run is over */
    MC_ABORTED = 2, /* abort, or a failed assertion */
};

/* The functions of libc that one rank registers for its end, the last first. */
struct mc_at_exit {
    struct mc_at_exit *next;
    void (*function)(void *);
    void (*with_status)(int, void *);
    void *argument;
};

/* The values of strtok, localtime and so on, see text.c. */
struct mc_text {
    char *token;
    struct tm time;
    char date[64];
    struct hsearch_data *table;
};

/* The generators of random numbers, see random.c. */
struct mc_random {
    struct random_data random;
    char state[128];
    struct drand48_data drand48;
};

/* Ranges from the first to the last address, in order, none of which overlap. */
struct mc_ranges {
    size_t room, count;
    struct mc_range {
        uintptr_t first, last;
    } list[];
};

/* Addresses whose loads and stores are reported, see accesses.c: those of all ranges, and the ranges, or NULL. */
struct mc_watch {
    uintptr_t first, last;
    struct mc_ranges *ranges;
    /* Whether any file of the program was compiled for that. */
    int is_instrumented;
};

/* A rank. It stays allocated for threads of the program that outlive it. */
struct mc_rank {
    void *process;
    void *output;
    void *watched;
    int rank;
    pthread_t thread;
    const struct mc_program *program;
    const struct mc_object *objects;
    size_t object_count;
    /* The thread that is in a call of the Rust side, or 0; how deep its calls are nested; the thread that was in the last one. */
    pthread_t holder, caller;
    int depth;
    /* Where the rank continues when it ends: in mc_run, and in the innermost mc_call_program or NULL. */
    sigjmp_buf *start, *jump;
    /* Is held while mc_run ends, and while the rank's thread is interrupted. */
    pthread_mutex_t ending;
    /* OpenMP's critical sections without a name. */
    pthread_mutex_t critical;
    enum mc_how how;
    int status;
    int is_leaving, is_exiting, has_threads;
    /* Whether the rank's own thread passes output to the Rust side, which needs no call: it may happen during a call of another thread. */
    volatile int is_writing;
    struct mc_at_exit *at_exit;
    /* The modeled time when it was last asked for, for the program's other threads. */
    uint64_t last_time;
    FILE *input, *output_file, *error_file;
    struct mc_random random;
    struct mc_text text;
    int has_directory;
    struct mc_watch watch;
};

/* The rank of this thread, or NULL. */
extern __thread struct mc_rank *mc_current __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* The functions of the Rust side, or NULL if the program was started without it. */
extern const struct mc_machine *mc_machine __attribute__((visibility("hidden")));

#define MC_HIDDEN __attribute__((visibility("hidden")))

/* Whether this thread is the one that runs the rank, and not one that the program has started. */
static inline int mc_is_own(const struct mc_rank *rank)
{
    return pthread_equal(rank->thread, pthread_self());
}

/* Begins calls of the Rust side for the rank on this thread. Returns 0 if another thread is in one, or if this thread may not call. */
MC_HIDDEN int mc_begin(struct mc_rank *rank);
MC_HIDDEN void mc_end(struct mc_rank *rank);

/* Ends the program of this rank. */
MC_HIDDEN void mc_leave(struct mc_rank *rank, enum mc_how how, int status) __attribute__((noreturn));

/* libc's function with this name. */
MC_HIDDEN void *mc_libc(const char *name);

/* Declares `real`, libc's function with the name and the type of `function`. */
#define MC_REAL(function)                                                                                              \
    static __typeof__(&function) found;                                                                                \
    __typeof__(&function) real = __atomic_load_n(&found, __ATOMIC_RELAXED);                                            \
    if (!real) {                                                                                                       \
        real = (__typeof__(&function))mc_libc(#function);                                                              \
        __atomic_store_n(&found, real, __ATOMIC_RELAXED);                                                              \
    }

/* Opens and flushes the standard files of a rank, see output.c. */
MC_HIDDEN void mc_open_files(struct mc_rank *rank);
MC_HIDDEN void mc_flush_files(struct mc_rank *rank);
/* Writes to the standard error of this thread's rank. */
MC_HIDDEN void mc_complain(const char *text);

/* Seeds the generators of a rank, see random.c. */
MC_HIDDEN void mc_seed(struct mc_rank *rank);

#endif
