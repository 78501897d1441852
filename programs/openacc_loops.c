// flags: -fopenacc
// devices: gfx900
// also: gfx90a gfx942 gfx1030 gfx1100
// OpenACC by GCC: gangs, a maximum over them, and a region whose parallelism the compiler chooses.
#include <stdio.h>

enum { N = 4096 };
static float a[N], b[N], c[N];

int main(void) {
    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = i * 2;
    }
    float most = 0;
#pragma acc parallel loop gang vector copyin(a, b) copyout(c)
    for (int i = 0; i < N; i++)
        c[i] = a[i] * b[i] + 1;
#pragma acc parallel loop copyin(c) reduction(max : most)
    for (int i = 0; i < N; i++)
        most = c[i] > most ? c[i] : most;
    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += c[i] != (float)i * (i * 2.f) + 1;
#pragma acc kernels copy(a)
    for (int i = 0; i < N; i++)
        a[i] = a[i] + 1;
    for (int i = 0; i < N; i++)
        wrong += a[i] != i + 1;
    wrong += most != (float)(N - 1) * (2.f * (N - 1)) + 1;
    if (wrong)
        printf("%d values are wrong; the maximum is %g\n", wrong, most);
    return wrong != 0;
}
