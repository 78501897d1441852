/* How the runtime puts itself in front of functions of the C library.
 *
 * In dynamically linked programs a definition in the executable comes first and finds the library's by RTLD_NEXT. In
 * static programs the linker's --wrap does the same (built with LUTHIER_COUNT_WRAP). */
#ifndef LUTHIER_COUNT_INTERPOSE_H
#define LUTHIER_COUNT_INTERPOSE_H

#include "internal.h"

#include <dlfcn.h>

#ifdef LUTHIER_COUNT_WRAP
#define ENTRY(name) __wrap_##name
#define REAL(name, type) (__real_##name)
#else
#define ENTRY(name) name
#define REAL(name, type) ((type)luthier_next(#name))
HIDDEN void *luthier_next(const char *name);
#endif

#endif
