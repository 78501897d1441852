// devices: gfx900 gfx906 gfx908 gfx90a gfx1030
// also: *
// Private arrays with dynamic indices, spills under launch bounds, and private memory through generic pointers.
#include "check.h"

__global__ void shuffle_private(const int *in, int *out, int rounds) {
    int values[128];
    int lane = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < 128; i++)
        values[i] = in[(lane + i) % 512];
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < 128; i++) {
            int j = (values[i] ^ r) & 127;
            int t = values[j];
            values[j] = values[i] + 1;
            values[i] = t;
        }
    int sum = 0;
    for (int i = 0; i < 128; i++)
        sum = sum * 31 + values[i];
    out[lane] = sum;
}

__global__ void __launch_bounds__(1024) many_live(const float *in, float *out) {
    float v[96];
#pragma unroll
    for (int i = 0; i < 96; i++)
        v[i] = in[(threadIdx.x * 7 + i * 13) & 1023];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 3; k++)
#pragma unroll
        for (int i = 0; i < 96; i++)
            v[i] = v[i] * 0.5f + v[(i * 5 + 7 + k) % 96];
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 96; i++)
        sum += v[i] * float(i & 3);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__device__ __attribute__((noinline)) void store_through(volatile unsigned char *p, int i, int v) { p[i] = v; }
__global__ void generic_private(int *out) {
    volatile unsigned char bytes[40];
    volatile double numbers[6];
    __shared__ unsigned char shared[40 * 64];
    for (int i = 0; i < 40; i++)
        store_through(threadIdx.x & 1 ? bytes : shared + 40 * threadIdx.x, i, i * threadIdx.x);
    for (int i = 0; i < 6; i++)
        numbers[i] = i + threadIdx.x;
    int sum = 0;
    for (int i = 0; i < 40; i++)
        sum += threadIdx.x & 1 ? bytes[i] : shared[40 * threadIdx.x + i];
    for (int i = 0; i < 6; i++)
        sum += int(numbers[(i * 5) % 6]);
    out[threadIdx.x] = sum;
}

int main() {
    const int lanes = 640;
    Random random;
    std::vector<int> in(512);
    for (auto &v : in)
        v = random.next() & 0xffff;
    Array<int> device_in(in), out(lanes);
    shuffle_private<<<lanes / 64, 64>>>(device_in, out, 5);
    FINISH();
    auto got = out.get();
    for (int lane = 0; lane < lanes; lane++) {
        unsigned values[128], sum = 0;
        for (int i = 0; i < 128; i++)
            values[i] = in[(lane + i) % 512];
        for (int r = 0; r < 5; r++)
            for (int i = 0; i < 128; i++) {
                int j = (values[i] ^ r) & 127;
                unsigned t = values[j];
                values[j] = values[i] + 1;
                values[i] = t;
            }
        for (int i = 0; i < 128; i++)
            sum = sum * 31 + values[i];
        EXPECT(unsigned(got[lane]) == sum, "lane %d: %x instead of %x", lane, got[lane], sum);
    }

    std::vector<float> floats(1024);
    for (auto &v : floats)
        v = float(random.next() & 255);
    Array<float> device_floats(floats), sums(2048);
    many_live<<<2, 1024>>>(device_floats, sums);
    FINISH();
    auto got_sums = sums.get();
    for (int t = 0; t < 1024; t++) {
        float v[96], sum = 0;
        for (int i = 0; i < 96; i++)
            v[i] = floats[(t * 7 + i * 13) & 1023];
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 96; i++)
                v[i] = std::fmaf(v[i], 0.5f, v[(i * 5 + 7 + k) % 96]);
        for (int i = 0; i < 96; i++)
            sum = std::fmaf(v[i], float(i & 3), sum);
        EXPECT(std::fabs(got_sums[t] - sum) <= 1e-5f * std::fabs(sum) && got_sums[1024 + t] == got_sums[t],
               "thread %d: %.9g instead of %.9g", t, got_sums[t], sum);
    }

    Array<int> bytes(64);
    generic_private<<<1, 64>>>(bytes);
    FINISH();
    auto got_bytes = bytes.get();
    for (int t = 0; t < 64; t++) {
        int sum = 15 + 6 * t;
        for (int i = 0; i < 40; i++)
            sum += (i * t) & 255;
        EXPECT(got_bytes[t] == sum, "thread %d: %d instead of %d", t, got_bytes[t], sum);
    }
    return verdict();
}
