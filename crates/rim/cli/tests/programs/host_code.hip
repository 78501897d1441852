// Prints a checksum of what a kernel computes, and how many pieces of memory without a file the process can execute.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

__global__ void mix(unsigned *numbers, float *singles) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = i, b = i ^ 0x9e3779b9u;
  float x = i * 0.5f, y = 3.0f;
  for (int round = 0; round < 64; round++) {
    a = (a + b) ^ (a << 3);
    b = (b - a) & 0x7fffffffu;
    x = x * 0.75f + y;
    y = y * 1.25f - x;
    a = a < b ? a + 7 : b;
  }
  numbers[i] = a ^ b;
  singles[i] = x + y;
}

static int executable() {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[4096];
  int count = 0;
  while (maps && fgets(line, sizeof line, maps))
    count += strstr(line, " r-xp 00000000 00:00 0") && !strchr(line, '[');
  if (maps)
    fclose(maps);
  return count;
}

int main() {
  constexpr int COUNT = 4096;
  unsigned *numbers;
  float *singles;
  (void)hipHostMalloc((void **)&numbers, COUNT * sizeof *numbers, 0);
  (void)hipHostMalloc((void **)&singles, COUNT * sizeof *singles, 0);
  mix<<<COUNT / 256, 256>>>(numbers, singles);
  if (hipDeviceSynchronize() != hipSuccess)
    return 1;
  unsigned long sum = 0;
  for (int i = 0; i < COUNT; i++) {
    unsigned bits;
    memcpy(&bits, singles + i, sizeof bits);
    sum = sum * 31 + numbers[i] + bits;
  }
  printf("sum %lx\nexecutable %d\n", sum, executable());
}
