// For each rule of `luthier report --format text` a kernel that breaks it and a twin that does the same without.
#include <hip/hip_runtime.h>
#include <cstdio>

constexpr int WAVES = 8, LANES = 64, ALL = WAVES * LANES, MOST = 64;

// Nothing the compiler may reason about.
#define OPAQUE(value) asm volatile("" : "+v"(value))

__global__ void uncoalesced_access_found(int *data) { data[(blockIdx.x * LANES + threadIdx.x) * 32] = threadIdx.x; }
__global__ void uncoalesced_access_twin(int *data) { data[blockIdx.x * LANES + threadIdx.x] = threadIdx.x; }

template <int STEP> __device__ void through_lds(int *data) {
  __shared__ int shared[LANES * 32];
  int lane = threadIdx.x;
  for (int turn = 0; turn < 8; turn++) {
    shared[lane * STEP] = lane + turn;
    __syncthreads();
    int other = shared[(lane ^ 1) * STEP];
    OPAQUE(other);
    data[lane] += other;
    __syncthreads();
  }
}
__global__ void lds_bank_conflicts_found(int *data) { through_lds<32>(data); }
__global__ void lds_bank_conflicts_twin(int *data) { through_lds<1>(data); }

__global__ void repeated_load_found(volatile int *data) {
  int first = data[threadIdx.x];
  int second = data[threadIdx.x];
  data[ALL + threadIdx.x] = first + second;
}
__global__ void repeated_load_twin(volatile int *data) {
  int first = data[threadIdx.x];
  data[ALL + threadIdx.x] = first + first;
}

__device__ int work(int value, int turns) {
  for (int turn = 0; turn < turns; turn++) {
    OPAQUE(value);
    value = value * 3 + turn;
  }
  return value;
}
__device__ void both_ways(int *data, bool way) {
  int value = threadIdx.x;
  if (way) {
    value = work(value, 9);
    data[threadIdx.x + ALL] = value;
  } else {
    value = work(value, 5);
    data[threadIdx.x] = value;
  }
}
__global__ void divergent_branch_found(int *data) { both_ways(data, threadIdx.x % 2); }
__global__ void divergent_branch_twin(int *data) { both_ways(data, threadIdx.x / LANES % 2); }

__global__ void idle_lanes_found(int *data) {
  if (threadIdx.x % LANES < 8)
    data[threadIdx.x] = work(threadIdx.x, 50);
}
__global__ void idle_lanes_twin(int *data) { data[threadIdx.x] = work(threadIdx.x, 50); }

template <int WORK> __device__ void between_barriers(int *data) {
  int value = threadIdx.x;
#pragma unroll 1
  for (int turn = 0; turn < 16; turn++) {
    value = work(value, WORK);
    __syncthreads();
  }
  data[threadIdx.x] = value;
}
__global__ void barrier_without_work_found(int *data) { between_barriers<1>(data); }
__global__ void barrier_without_work_twin(int *data) { between_barriers<32>(data); }

template <int COUNT> __device__ void hold(volatile int *data) {
  int values[COUNT];
#pragma unroll
  for (int at = 0; at < COUNT; at++)
    values[at] = data[at * LANES + threadIdx.x % LANES];
#pragma unroll
  for (int at = 0; at < COUNT; at++)
    data[at * LANES + threadIdx.x % LANES] = values[at] + values[COUNT - 1 - at];
}
__global__ __launch_bounds__(1024) void spilled_registers_found(int *data) { hold<160>(data); }
__global__ __launch_bounds__(1024) void spilled_registers_twin(int *data) { hold<32>(data); }
__global__ __launch_bounds__(64) void occupancy_found(int *data) { hold<160>(data); }
__global__ __launch_bounds__(64) void occupancy_twin(int *data) { hold<32>(data); }

__global__ void promoted_to_double_found(float *data) {
  float value = data[threadIdx.x];
  data[threadIdx.x] = value * value * 1.1 + 0.3;
}
__global__ void promoted_to_double_twin(float *data) {
  float value = data[threadIdx.x];
  data[threadIdx.x] = value * value * 1.1f + 0.3f;
}

__global__ void wait_behind_load_found(int *data) {
  int sum = 0;
#pragma unroll 1
  for (int at = 0; at < MOST; at++)
    sum += data[at * LANES + threadIdx.x];
  data[threadIdx.x] = sum;
}
__global__ void wait_behind_load_twin(int *data) {
  int sum = 0;
#pragma unroll 1
  for (int at = 0; at < MOST; at += 8) {
    int values[8];
#pragma unroll
    for (int next = 0; next < 8; next++)
      values[next] = data[(at + next) * LANES + threadIdx.x];
#pragma unroll
    for (int next = 0; next < 8; next++)
      sum += values[next];
  }
  data[threadIdx.x] = sum;
}
// Each load needs the one before: nothing could be under way together.
__global__ void chased(int *data) {
  int at = threadIdx.x;
#pragma unroll 1
  for (int step = 0; step < MOST; step++)
    at = data[at];
  data[threadIdx.x] = at;
}

#define BOTH(name, groups, lanes, memory)  \
  name##_found<<<groups, lanes>>>(memory); \
  name##_twin<<<groups, lanes>>>(memory)

int main() {
  int *data;
  if (hipMalloc(&data, 1 << 20) != hipSuccess)
    return 1;
  (void)hipMemset(data, 0, 1 << 20);
  BOTH(uncoalesced_access, WAVES, LANES, data);
  BOTH(lds_bank_conflicts, 1, LANES, data);
  BOTH(repeated_load, 1, LANES, data);
  BOTH(divergent_branch, 1, 4 * LANES, data);
  BOTH(idle_lanes, 1, 4 * LANES, data);
  BOTH(barrier_without_work, 1, 4 * LANES, data);
  BOTH(spilled_registers, 1, LANES, data);
  BOTH(occupancy, 1, LANES, data);
  BOTH(promoted_to_double, 1, LANES, reinterpret_cast<float *>(data));
  BOTH(wait_behind_load, 1, LANES, data);
  (void)hipMemset(data, 0, 1 << 20);
  chased<<<1, LANES>>>(data);
  hipError_t error = hipDeviceSynchronize();
  puts(hipGetErrorString(error));
  return error != hipSuccess;
}
