/* Functions of libc that keep a value between calls or return it in a place of their own: strtok, localtime and so on, hsearch. */
#undef _FORTIFY_SOURCE
#define _GNU_SOURCE
#include "process.h"

#include <errno.h>
#include <search.h>
#include <string.h>

char *strtok(char *restrict text, const char *restrict delimiters)
{
    if (!mc_current) {
        MC_REAL(strtok);
        return real(text, delimiters);
    }
    return strtok_r(text, delimiters, &mc_current->text.token);
}

struct tm *localtime(const time_t *seconds)
{
    if (!mc_current) {
        MC_REAL(localtime);
        return real(seconds);
    }
    return localtime_r(seconds, &mc_current->text.time);
}

struct tm *gmtime(const time_t *seconds)
{
    if (!mc_current) {
        MC_REAL(gmtime);
        return real(seconds);
    }
    return gmtime_r(seconds, &mc_current->text.time);
}

char *asctime(const struct tm *time)
{
    if (!mc_current) {
        MC_REAL(asctime);
        return real(time);
    }
    return asctime_r(time, mc_current->text.date);
}

char *ctime(const time_t *seconds)
{
    if (!mc_current) {
        MC_REAL(ctime);
        return real(seconds);
    }
    return ctime_r(seconds, mc_current->text.date);
}

int hcreate(size_t count)
{
    if (!mc_current) {
        MC_REAL(hcreate);
        return real(count);
    }
    struct mc_text *text = &mc_current->text;
    text->table = text->table ? text->table : calloc(1, sizeof *text->table);
    return text->table ? hcreate_r(count, text->table) : 0;
}

void hdestroy(void)
{
    if (!mc_current) {
        MC_REAL(hdestroy);
        real();
        return;
    }
    if (mc_current->text.table) {
        hdestroy_r(mc_current->text.table);
    }
}

ENTRY *hsearch(ENTRY item, ACTION action)
{
    if (!mc_current) {
        MC_REAL(hsearch);
        return real(item, action);
    }
    ENTRY *found = NULL;
    if (mc_current->text.table) {
        hsearch_r(item, action, &found, mc_current->text.table);
    } else {
        errno = EINVAL;
    }
    return found;
}
