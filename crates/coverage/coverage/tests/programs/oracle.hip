// The first module of the oracle: most kernels, and the driver.
#include "oracle.h"

#include "shared.inc"

#include "kernels.inc"

#ifndef __HIP__
int thread;
#endif

void run_second();

int main() {
    int *out = fresh();
    RUN(early_exit, 4, 64, out, 190);
    print("early_exit", out);
    RUN(loops, 2, 96, out, 150);
    print("loops", out);
    RUN(templates, 3, 64, out, 170);
    print("templates", out);
    RUN(decisions, 1, 100, out, 100);
    RUN(decisions, 1, 3, out, 2);
    print("decisions", out);
    RUN(uneven, 5, 32, out, 140);
    print("uneven", out);
    run_second();
    return 0;
}
