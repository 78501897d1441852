// flags: -fopenmp
// devices: gfx906
// also: gfx90a gfx942 gfx1030 gfx1100
// tools: instr-count,opcode-histogram; GCC's runtime library has 3,500 blocks, which all tools together take minutes for
// varies: waves in libgomp's barrier go round once more if others have not come
// OpenMP offload by GCC: barriers, atomics, and what one thread does for all.
#include <cstdio>

int main() {
    int count = 0;
#pragma omp target map(tofrom : count)
#pragma omp parallel num_threads(4)
    {
#pragma omp atomic
        count++;
#pragma omp barrier
#pragma omp single
        count += 100;
    }
    if (count != 104)
        printf("count is %d\n", count);
    return count != 104;
}
