/* The program interpreter: with it, a file that was linked as a shared object can also be started. */

#if defined(__x86_64__)
#define INTERPRETER "/lib64/ld-linux-x86-64.so.2"
#elif defined(__aarch64__)
#define INTERPRETER "/lib/ld-linux-aarch64.so.1"
#endif

const char mc_interpreter[] __attribute__((section(".interp"), visibility("hidden"), used)) = INTERPRETER;
