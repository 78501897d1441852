// A loop whose later turns load from LDS beyond what the workgroup has, in one lane of one wave of the first workgroup: others run beside it.
#include <hip/hip_runtime.h>

#include <cstdio>

constexpr int ROOM = 512, TURNS = 400;

__global__ void walks(unsigned *out, unsigned step, unsigned lane) {
  __shared__ unsigned room[ROOM];
  unsigned id = threadIdx.x;
  room[id] = id;
  room[id + 256] = id * 3;
  __syncthreads();
  unsigned sum = id, at = id & 63;
  float x = id * 0.5f, y = 3.0f;
  for (int turn = 0; turn < TURNS; turn++) {
    sum = ((sum + room[at]) ^ (sum << 3)) + turn;
    x = x * 0.75f + y;
    y = y * 1.25f - x;
    sum = (sum & 0x7fffffffu) | (sum >> 5);
    at += blockIdx.x == 0 && id == lane ? step : 0;
  }
  out[blockIdx.x * blockDim.x + id] = sum + (unsigned)(x + y);
}

int main(int count, char **) {
  unsigned *out;
  (void)hipHostMalloc((void **)&out, 4 * 256 * sizeof *out, 0);
  // Turn 225 is the first one beyond. Without an argument all of them stay inside.
  walks<<<4, 256>>>(out, count > 1 ? 2 : 0, 125);
  if (hipDeviceSynchronize() != hipSuccess)
    return 1;
  unsigned long sum = 0;
  for (int i = 0; i < 4 * 256; i++)
    sum = sum * 31 + out[i];
  printf("sum %lx\n", sum);
}
