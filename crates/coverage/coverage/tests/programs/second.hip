// The second module of the oracle.
#include "oracle.h"

#include "shared.inc"

#include "second.inc"

void run_second() {
    int *out = fresh();
    RUN(second_early, 2, 64, out, 90);
    print("second_early", out);
    RUN(second_loops, 3, 48, out, 120);
    print("second_loops", out);
}
