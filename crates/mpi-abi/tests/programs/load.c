/* Loads files as programs, each with symbols of its own, and calls main of each. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void mc_fortran_bind(void *handle);
    for (int i = 1; i < argc; ++i) {
        void *program = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
        if (program == NULL) {
            printf("%s\n", dlerror());
            return 1;
        }
        int (*start)(int, char **) = (int (*)(int, char **))dlsym(program, "main");
        mc_fortran_bind(program);
        int status = start(1, argv);
        if (status != 0)
            return status;
    }
    return 0;
}
