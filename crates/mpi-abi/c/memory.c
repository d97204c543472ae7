/* Memory of a program begins with zeros, as most of it does in a process of its own. Ranks allocate from the arenas of one process, where memory
 * that another rank has freed would come with its old bytes. Programs that read what they have not written would then differ from run to run. */
#include <stdlib.h>
#include <string.h>

/* The functions of glibc under names that nothing replaces. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);

/* The largest memory of glibc's cache of a thread, which calloc does not take from. */
enum { CACHED = 1032 };

void *malloc(size_t size)
{
    if (size > CACHED) {
        /* It leaves out what is fresh from the system, which has no pages yet. */
        return __libc_calloc(1, size);
    }
    void *memory = __libc_malloc(size);
    return memory ? memset(memory, 0, size) : NULL;
}
