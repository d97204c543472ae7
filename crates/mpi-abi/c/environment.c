/* What a rank sees of its host: variables of the environment, its process number, the name of its computer, its working directory. */
#undef _FORTIFY_SOURCE
#define _GNU_SOURCE
#include "process.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Returns the place of a variable; with NULL behind the last. */
static char **place(const char *name, size_t length)
{
    char **at = *mc_current->program->environment;
    while (at && *at && (strncmp(*at, name, length) || (*at)[length] != '=')) {
        at++;
    }
    return at;
}

char *getenv(const char *name)
{
    if (!mc_current) {
        MC_REAL(getenv);
        return real(name);
    }
    size_t length = strlen(name);
    char **at = place(name, length);
    return at && *at ? *at + length + 1 : NULL;
}

char *secure_getenv(const char *name)
{
    return getenv(name);
}

/* Stores `text`, NAME=VALUE, in the environment. Former texts stay allocated, since the program may have their addresses. */
static int store(char *text, size_t length)
{
    char ***environment = mc_current->program->environment;
    char **at = place(text, length);
    if (at && *at) {
        *at = text;
        return 0;
    }
    size_t count = at ? at - *environment : 0;
    char **grown = malloc((count + 2) * sizeof *grown);
    if (!grown) {
        return -1;
    }
    if (count) {
        memcpy(grown, *environment, count * sizeof *grown);
    }
    grown[count] = text;
    grown[count + 1] = NULL;
    *environment = grown;
    return 0;
}

int setenv(const char *name, const char *value, int replace)
{
    if (!mc_current) {
        MC_REAL(setenv);
        return real(name, value, replace);
    }
    if (!*name || strchr(name, '=')) {
        errno = EINVAL;
        return -1;
    }
    if (!replace && getenv(name)) {
        return 0;
    }
    char *text = NULL;
    return asprintf(&text, "%s=%s", name, value) < 0 ? -1 : store(text, strlen(name));
}

int unsetenv(const char *name)
{
    if (!mc_current) {
        MC_REAL(unsetenv);
        return real(name);
    }
    if (!*name || strchr(name, '=')) {
        errno = EINVAL;
        return -1;
    }
    char **at = place(name, strlen(name));
    for (; at && *at; at++) {
        at[0] = at[1];
    }
    return 0;
}

int putenv(char *text)
{
    if (!mc_current) {
        MC_REAL(putenv);
        return real(text);
    }
    char *equals = strchr(text, '=');
    return equals ? store(text, equals - text) : unsetenv(text);
}

int clearenv(void)
{
    if (!mc_current) {
        MC_REAL(clearenv);
        return real();
    }
    *mc_current->program->environment = NULL;
    return 0;
}

/* Distinct in a run, and most probably among runs, for the names of temporary files. */
pid_t getpid(void)
{
    MC_REAL(getpid);
    return real() + (mc_current ? mc_current->rank : 0);
}

int gethostname(char *into, size_t room)
{
    if (!mc_current) {
        MC_REAL(gethostname);
        return real(into, room);
    }
    int length = snprintf(into, room, "node%d", mc_current->rank);
    if ((size_t)length < room) {
        return 0;
    }
    errno = ENAMETOOLONG;
    return -1;
}

int uname(struct utsname *into)
{
    MC_REAL(uname);
    int result = real(into);
    if (mc_current && !result) {
        snprintf(into->nodename, sizeof into->nodename, "node%d", mc_current->rank);
    }
    return result;
}

/* Gives the thread, and the threads that it will start, a working directory of their own. */
static void own_directory(void)
{
    struct mc_rank *rank = mc_current;
    if (rank && mc_is_own(rank) && !rank->has_directory) {
        rank->has_directory = !unshare(CLONE_FS);
    }
}

int chdir(const char *path)
{
    own_directory();
    MC_REAL(chdir);
    return real(path);
}

int fchdir(int descriptor)
{
    own_directory();
    MC_REAL(fchdir);
    return real(descriptor);
}
