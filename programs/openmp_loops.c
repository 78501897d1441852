// flags: -fopenmp
// devices: gfx900
// also: gfx90a gfx942 gfx1030 gfx1100
// tools: instr-count,opcode-histogram; GCC's runtime library has 3,500 blocks, which all tools together take minutes for
// OpenMP offload by GCC: loops dealt out to teams, and a sum over them.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int n = 5000;
    double *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
    for (int i = 0; i < n; i++) {
        x[i] = i;
        y[i] = 2 * i;
    }
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
    for (int i = 0; i < n; i++)
        y[i] = y[i] * 3 + x[i];
    double sum = 0;
#pragma omp target teams distribute parallel for map(to : y[0 : n]) map(tofrom : sum) reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += y[i];
    // Whole numbers, so that the order of additions does not matter.
    double expected = 7.0 * n * (n - 1) / 2;
    if (sum != expected)
        printf("the sum is %.17g, not %.17g\n", sum, expected);
    return sum != expected;
}
