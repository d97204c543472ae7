/* What the last call of MPI was. */
#include "shim.h"

extern const char *recorded_name;
extern uintptr_t recorded_words[16];
extern void *recorded_caller;
extern int answer;

/* The next call has this number of words. */
void expect(int count);
