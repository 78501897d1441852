/* How often threads sleep that give up their turn, as HIP does while it waits. With LIBRARY it is the library that waits; the program
   loads each library that its arguments name, twice: before and after it opened the driver. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#ifdef LIBRARY
static long milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static long slept(void) {
    struct rusage used;
    getrusage(RUSAGE_THREAD, &used);
    return used.ru_nvcsw;
}

/* Until the thread has slept three times; -1 if it has not after so many milliseconds. */
int wait_for(long most) {
    long begin = milliseconds(), before = slept();
    while (milliseconds() - begin < most) {
        for (int turn = 0; turn < 100; turn++)
            if (sched_yield() != 0)
                return -2;
        if (slept() - before >= 3)
            return 0;
    }
    return -1;
}
#else
int main(int count, char **libraries) {
    for (int opened = 0; opened < 2; opened++) {
        if (opened && open("/dev/kfd", O_RDWR | O_CLOEXEC) < 0)
            return 1;
        for (int i = 1; i < count; i++) {
            void *library = dlopen(libraries[i], RTLD_NOW);
            int (*wait_for)(long) = library ? (int (*)(long))dlsym(library, "wait_for") : 0;
            if (!wait_for)
                return puts(dlerror()), 2;
            int is_hip = opened && i == 1;
            errno = EDOM;
            int result = wait_for(is_hip ? 60000 : 50);
            printf("%s %s\n", result == 0 ? "slept" : result == -1 ? "awake" : "failed", errno == EDOM ? "" : "errno");
        }
    }
    return 0;
}
#endif
