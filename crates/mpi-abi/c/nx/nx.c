/* What of libnx.a is not made from nx.txt. Each program has a copy. */

#include "shim.h"

#include <errno.h>
#include <stdio.h>

long msginfo[8] = {-1, -1, -1, -1, -1, -1, -1, -1};

#define INFO(name, at)                                                                                                 \
    long name(void) __attribute__((weak));                                                                             \
    long _##name(void) __attribute__((weak));                                                                          \
    int name##_(void) __attribute__((weak));                                                                           \
    long name(void)                                                                                                    \
    {                                                                                                                  \
        return msginfo[at];                                                                                            \
    }                                                                                                                  \
    long _##name(void)                                                                                                 \
    {                                                                                                                  \
        return msginfo[at];                                                                                            \
    }                                                                                                                  \
    int name##_(void)                                                                                                  \
    {                                                                                                                  \
        return msginfo[at];                                                                                            \
    }

INFO(infotype, 0)
INFO(infocount, 1)
INFO(infonode, 2)
INFO(infoptype, 3)
INFO(infopid, 3)

long _mynode(void);

/* Prints the last error that a function has returned. */
void nx_perror(const char *text)
{
    static int number;
    char error[512];
    const uintptr_t words[] = {(uintptr_t)error, sizeof error};
    mc_call_named(&number, "nx_perror", words, MC_CALLER);
    fprintf(stderr, "(node %ld) %s: %s\n", _mynode(), text, error);
}
