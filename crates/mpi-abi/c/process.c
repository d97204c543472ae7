/* Ranks from their start to their end: calls of MPI, callbacks, exit and its relatives, threads. */
#undef _FORTIFY_SOURCE
#define _GNU_SOURCE
#include "process.h"
#include "shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

__thread struct mc_rank *mc_current __attribute__((tls_model("initial-exec")));
const struct mc_machine *mc_machine;

/* Is called once, before any rank starts. */
void mc_set_entry(const struct mc_machine *machine)
{
    mc_machine = machine;
}

void *mc_libc(const char *name)
{
    static void *libc;
    void *handle = __atomic_load_n(&libc, __ATOMIC_RELAXED);
    if (!handle) {
        handle = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
        __atomic_store_n(&libc, handle, __ATOMIC_RELAXED);
    }
    void *function = handle ? dlsym(handle, name) : NULL;
    if (!function) {
        /* stderr may be unset still. */
        dprintf(2, "multicomputer: this C library has no function %s\n", name);
        __builtin_trap();
    }
    return function;
}

/* Calls of MPI. Any thread of a rank may call, one at a time. */

int mc_begin(struct mc_rank *rank)
{
    pthread_t self = pthread_self(), none = 0;
    /* Only this thread can have stored itself. */
    if (__atomic_load_n(&rank->holder, __ATOMIC_RELAXED) == self) {
        rank->depth++;
        return 1;
    }
    if (!__atomic_compare_exchange_n(&rank->holder, &none, self, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        return 0;
    }
    rank->depth = 1;
    int may_call = rank->process && (rank->caller == self || mc_machine->move_here(rank->process, mc_is_own(rank)) > 0);
    if (!may_call) {
        mc_end(rank);
        return 0;
    }
    rank->caller = self;
    return 1;
}

void mc_end(struct mc_rank *rank)
{
    if (--rank->depth == 0) {
        __atomic_store_n(&rank->holder, 0, __ATOMIC_RELEASE);
    }
}

/*
 * The end of a rank that another thread than its own has found out. Its own thread may wait for this one, as in pthread_join: it is
 * interrupted where it waits in the kernel and continues at its end. A thread that computes is not: it may hold a lock of the C library. Nor is
 * one in a system call that does not wait, such as malloc's mmap.
 */
#define INTERRUPT (SIGRTMAX - 1)

/* Whether the signal has interrupted a wait: the system call is to be restarted, so the next instruction is its own; or it returns EINTR. */
static int is_waiting(const ucontext_t *context)
{
#if defined(__x86_64__)
    const unsigned char *at = (const unsigned char *)context->uc_mcontext.gregs[REG_RIP];
    return (at[0] == 0x0f && at[1] == 0x05) ||
           (context->uc_mcontext.gregs[REG_RAX] == -EINTR && at[-2] == 0x0f && at[-1] == 0x05);
#elif defined(__aarch64__)
    const uint32_t *at = (const uint32_t *)context->uc_mcontext.pc;
    return at[0] == 0xd4000001 || ((int64_t)context->uc_mcontext.regs[0] == -EINTR && at[-1] == 0xd4000001);
#endif
}

static void interrupted(int signal, siginfo_t *information, void *context)
{
    struct mc_rank *rank = mc_current;
    (void)signal, (void)information;
    int is_in_program = rank && mc_is_own(rank) && rank->holder != rank->thread && !rank->is_writing;
    if (is_in_program && rank->is_leaving && is_waiting(context)) {
        siglongjmp(*rank->start, 1);
    }
}

/* Stops this thread for ever, after the rank's own thread has ended. */
static void __attribute__((noreturn)) stop(struct mc_rank *rank)
{
    const struct sigaction action = {.sa_sigaction = interrupted, .sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER};
    const struct timespec short_time = {0, 1000000};
    MC_REAL(nanosleep);
    sigaction(INTERRUPT, &action, NULL);
    for (;;) {
        pthread_mutex_lock(&rank->ending);
        if (rank->process) {
            pthread_kill(rank->thread, INTERRUPT);
        }
        pthread_mutex_unlock(&rank->ending);
        real(&short_time, NULL);
    }
}

static int outside(int function)
{
    const char *path = program_invocation_name ? program_invocation_name : "./program";
    const char *folder = strchr(path, '/') ? "" : "./";
    MC_REAL(exit);
    fflush(NULL);
    fprintf(stderr,
            "%s: %s was called, but this program was started by itself. It runs on a virtual machine:\n"
            "    multicomputer run -n 4 %s%s\n",
            path, mc_function_names[function], folder, path);
    real(1);
    __builtin_unreachable();
}

int mc_call(int function, const uintptr_t *arguments, void *return_address)
{
    struct mc_rank *rank = mc_current;
    if (!rank) {
        return outside(function);
    }
    if (rank->is_leaving && !mc_is_own(rank)) {
        stop(rank);
    }
    if (!mc_begin(rank)) {
        mc_complain("MPI or NX was called on a second thread of this rank. MPI_Init_thread provides MPI_THREAD_SERIALIZED if the program asks for "
                    "it: any thread may call, one at a time.\n");
        return MPI_ERR_OTHER;
    }
    int code = mc_machine->call(rank->process, function, arguments, return_address);
    mc_end(rank);
    if (rank->is_leaving) {
        mc_leave(rank, rank->how, rank->status);
    }
    if (code < 0) {
        mc_leave(rank, MC_LEFT, 1);
    }
    return code;
}

int mc_call_named(int *number, const char *name, const uintptr_t *arguments, void *return_address)
{
    while (*number < mc_function_count && strcmp(mc_function_names[*number], name)) {
        ++*number;
    }
    if (*number == mc_function_count) {
        fprintf(stderr, "%s is not in this version of multicomputer: link the program again\n", name);
        abort();
    }
    return mc_call(*number, arguments, return_address);
}

void mc_leave(struct mc_rank *rank, enum mc_how how, int status)
{
    if (!rank->is_leaving) {
        rank->is_leaving = 1;
        rank->how = how;
        rank->status = status;
    }
    if (rank->jump && rank->holder == pthread_self()) {
        siglongjmp(*rank->jump, 1);
    }
    if (!mc_is_own(rank)) {
        stop(rank);
    }
    siglongjmp(*rank->start, 1);
}

/*
 * Stops the search for handlers of C++ exceptions at the function that begins with it: a Rust frame above must not be searched. An exception
 * that the program does not catch then ends in std::terminate, which calls abort.
 */
#if defined(__x86_64__)
#define OUTERMOST __asm__ volatile(".cfi_undefined rip")
#elif defined(__aarch64__)
#define OUTERMOST __asm__ volatile(".cfi_undefined x30")
#endif

typedef uintptr_t callback(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                           uintptr_t, uintptr_t, uintptr_t, uintptr_t);

static __attribute__((noinline)) uintptr_t call_back(callback *function, const uintptr_t *a)
{
    OUTERMOST;
    uintptr_t result = function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11]);
    /* Not a tail call, which would have no frame. */
    __asm__ volatile("" ::: "memory");
    return result;
}

/*
 * Calls a function of the program for the Rust side, with at most 12 integers and addresses. If the program ends in it, the call returns 0,
 * and the program continues to end when the Rust side has returned from the call of MPI.
 */
uintptr_t mc_call_program(uintptr_t function, const uintptr_t *arguments, size_t count)
{
    struct mc_rank *rank = mc_current;
    uintptr_t words[12] = {0};
    if (rank->is_leaving || count > 12) {
        return 0;
    }
    memcpy(words, arguments, count * sizeof *words);
    sigjmp_buf here, *outer = rank->jump;
    volatile uintptr_t result = 0;
    rank->jump = &here;
    if (!sigsetjmp(here, 0)) {
        result = call_back((callback *)function, words);
    }
    rank->jump = outer;
    return result;
}

/* Start and end of a rank. */

/* Copies strings so that the program can change them. */
static char **copied(const char *const *strings, size_t count)
{
    char **copies = calloc(count + 1, sizeof *copies);
    for (size_t at = 0; at < count; at++) {
        copies[at] = strdup(strings[at]);
    }
    return copies;
}

static void run_at_exit(struct mc_rank *rank)
{
    while (rank->at_exit) {
        struct mc_at_exit *last = rank->at_exit;
        rank->at_exit = last->next;
        if (last->with_status) {
            last->with_status(rank->status, last->argument);
        } else {
            last->function(last->argument);
        }
        free(last);
    }
}

/* What exit does: the functions of atexit, destructors, buffered output. A second call during the first continues behind its function. */
static void finish(struct mc_rank *rank)
{
    rank->is_exiting = 1;
    run_at_exit(rank);
    while (rank->object_count) {
        const struct mc_object *object = &rank->objects[--rank->object_count];
        for (size_t at = object->fini_count; at--;) {
            object->fini_array[at]();
        }
        if (object->fini) {
            object->fini();
        }
    }
    run_at_exit(rank);
    mc_flush_files(rank);
}

static __attribute__((noinline)) void begin(struct mc_rank *rank, int count, char **arguments)
{
    OUTERMOST;
    for (size_t number = 0; number < rank->object_count; number++) {
        const struct mc_object *object = &rank->objects[number];
        char **environment = *rank->program->environment;
        if (object->init) {
            object->init(count, arguments, environment);
        }
        for (size_t at = 0; at < object->init_count; at++) {
            object->init_array[at](count, arguments, environment);
        }
    }
    rank->status = rank->program->main(count, arguments, *rank->program->environment);
    finish(rank);
    __asm__ volatile("" ::: "memory");
}

/*
 * Forgets the values of this thread that have destructors. One may wait for threads that have stopped inside of the program: that of OpenMP
 * waits for the team of a parallel region.
 */
static void forget_values(void)
{
    for (pthread_key_t key = 0; key < PTHREAD_KEYS_MAX; key++) {
        if (pthread_getspecific(key)) {
            pthread_setspecific(key, NULL);
        }
    }
}

/* Runs the program of a rank on this thread, and returns how it has ended. */
int mc_run(const struct mc_start *start, int *status, int *has_threads)
{
    struct mc_rank *rank = calloc(1, sizeof *rank);
    rank->process = start->process;
    rank->output = start->output;
    rank->watched = start->watched;
    rank->rank = start->rank;
    rank->thread = pthread_self();
    rank->program = start->program;
    rank->objects = start->objects;
    rank->object_count = start->object_count;
    mc_seed(rank);
    mc_open_files(rank);
    size_t variables = 0;
    while (start->environment[variables]) {
        variables++;
    }
    *rank->program->environment = copied(start->environment, variables);
    char **arguments = copied(start->arguments, start->argument_count);

    sigjmp_buf here;
    rank->start = &here;
    rank->caller = rank->thread;
    pthread_mutex_init(&rank->ending, NULL);
    pthread_mutex_init(&rank->critical, NULL);
    mc_current = rank;
    if (!sigsetjmp(here, 0)) {
        begin(rank, start->argument_count, arguments);
    } else {
        forget_values();
    }
    if (rank->how != MC_EXITED) {
        mc_flush_files(rank);
    }
    mc_current = NULL;
    /* Another thread may be in a call still. */
    while (!mc_begin(rank)) {
        const struct timespec short_time = {0, 1000000};
        nanosleep(&short_time, NULL);
    }
    pthread_mutex_lock(&rank->ending);
    rank->process = NULL;
    pthread_mutex_unlock(&rank->ending);
    mc_end(rank);
    if (!rank->has_threads) {
        free(rank->watch.ranges);
        rank->watch.ranges = NULL;
    }
    *status = rank->status;
    *has_threads = rank->has_threads;
    return rank->how;
}

/* What the rank of this thread was started with to be watched by, or NULL. Handlers of signals call it. */
void *mc_watched(void)
{
    return mc_current ? mc_current->watched : NULL;
}

/* exit and its relatives. */

/* Ends the program. On a thread that the program has started, the rank cannot be stopped: the process ends. */
static void __attribute__((noreturn)) end(struct mc_rank *rank, enum mc_how how, int status)
{
    if (!mc_is_own(rank)) {
        fflush(NULL);
        mc_machine->flush(rank->output);
        MC_REAL(_exit);
        real(how == MC_ABORTED ? 134 : status);
        __builtin_unreachable();
    }
    mc_leave(rank, how, status);
}

void exit(int status)
{
    struct mc_rank *rank = mc_current;
    if (!rank) {
        MC_REAL(exit);
        real(status);
        __builtin_unreachable();
    }
    if (mc_is_own(rank)) {
        rank->status = status;
        finish(rank);
    }
    end(rank, MC_EXITED, status);
}

void _exit(int status)
{
    struct mc_rank *rank = mc_current;
    if (!rank) {
        MC_REAL(_exit);
        real(status);
        __builtin_unreachable();
    }
    end(rank, MC_EXITED, status);
}

void _Exit(int status)
{
    _exit(status);
}

void quick_exit(int status)
{
    if (!mc_current) {
        MC_REAL(quick_exit);
        real(status);
        __builtin_unreachable();
    }
    _exit(status);
}

void abort(void)
{
    struct mc_rank *rank = mc_current;
    if (!rank) {
        MC_REAL(abort);
        real();
        __builtin_unreachable();
    }
    end(rank, MC_ABORTED, 134);
}

void __assert_fail(const char *assertion, const char *file, unsigned int line, const char *function)
{
    char text[1024];
    snprintf(text, sizeof text, "%s:%u: %s%sAssertion `%s' failed.\n", file, line, function ? function : "",
             function ? ": " : "", assertion);
    mc_complain(text);
    abort();
}

void __assert_perror_fail(int error, const char *file, unsigned int line, const char *function)
{
    char text[1024];
    snprintf(text, sizeof text, "%s:%u: %s%sUnexpected error: %s.\n", file, line, function ? function : "",
             function ? ": " : "", strerror(error));
    mc_complain(text);
    abort();
}

static int at_exit(struct mc_at_exit entry)
{
    struct mc_at_exit *kept = malloc(sizeof *kept);
    if (!kept) {
        return -1;
    }
    *kept = entry;
    kept->next = mc_current->at_exit;
    mc_current->at_exit = kept;
    return 0;
}

int __cxa_atexit(void (*function)(void *), void *argument, void *object);

/* Also destructors of C++'s static objects, and atexit. */
int __cxa_atexit(void (*function)(void *), void *argument, void *object)
{
    if (!mc_current) {
        MC_REAL(__cxa_atexit);
        return real(function, argument, object);
    }
    return at_exit((struct mc_at_exit){.function = function, .argument = argument});
}

int on_exit(void (*function)(int, void *), void *argument)
{
    if (!mc_current) {
        MC_REAL(on_exit);
        return real(function, argument);
    }
    return at_exit((struct mc_at_exit){.with_status = function, .argument = argument});
}

void __cxa_finalize(void *object);

/* Destructors of a copy call it, when `finish` has called the functions already. */
void __cxa_finalize(void *object)
{
    if (!mc_current) {
        MC_REAL(__cxa_finalize);
        real(object);
    }
}

/* Threads of the program belong to the rank. */

struct thread {
    struct mc_rank *rank;
    void *(*function)(void *);
    void *argument;
};

static void *thread_main(void *given)
{
    struct thread thread = *(struct thread *)given;
    free(given);
    mc_current = thread.rank;
    return thread.function(thread.argument);
}

int pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*function)(void *), void *argument)
{
    MC_REAL(pthread_create);
    struct thread *thread = mc_current ? malloc(sizeof *thread) : NULL;
    if (!thread) {
        return real(id, attributes, function, argument);
    }
    *thread = (struct thread){mc_current, function, argument};
    mc_current->has_threads = 1;
    int error = real(id, attributes, thread_main, thread);
    if (error) {
        free(thread);
    }
    return error;
}

void pthread_exit(void *result)
{
    struct mc_rank *rank = mc_current;
    if (rank && mc_is_own(rank)) {
        exit(0);
    }
    MC_REAL(pthread_exit);
    real(result);
    __builtin_unreachable();
}

/*
 * OpenMP's critical sections without a name are those of one rank: libgomp, of which there is one for all ranks, has one lock for them, and
 * a rank that waits for a message in such a section would keep the others out. Sections with a name have a lock in the program's copy.
 */

void GOMP_critical_start(void);
void GOMP_critical_end(void);

static void call_next(const char *name)
{
    void (*real)(void) = (void (*)(void))dlsym(RTLD_NEXT, name);
    if (real) {
        real();
    }
}

void GOMP_critical_start(void)
{
    if (mc_current) {
        pthread_mutex_lock(&mc_current->critical);
    } else {
        call_next("GOMP_critical_start");
    }
}

void GOMP_critical_end(void)
{
    if (mc_current) {
        pthread_mutex_unlock(&mc_current->critical);
    } else {
        call_next("GOMP_critical_end");
    }
}
