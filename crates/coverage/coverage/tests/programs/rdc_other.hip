// The other source of rdc_main.hip, with a static function of the same name.
#include <hip/hip_runtime.h>

static __device__ int own(int x) {
    if (x > 100)
        return x - 100;
    return x;
}

__device__ int other(int x) {
    if (x > 20)
        return own(x) * 2;
    return x + 1;
}
