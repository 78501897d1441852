// Control flow that differs by lane: nested loops, switches, early returns, breaks, and votes inside.
#include "check.h"

__host__ __device__ inline unsigned collatz(unsigned n) {
    unsigned steps = 0;
    while (n != 1 && steps < 500) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        steps++;
    }
    return steps;
}
__host__ __device__ inline unsigned maze(unsigned lane) {
    unsigned total = 0;
    for (unsigned i = 0; i < lane % 13 + 1; i++) {
        for (unsigned j = i;; j++) {
            if ((j * 7 + lane) % 11 == 0)
                break;
            if ((j + lane) % 5 == 0)
                continue;
            switch ((i ^ j ^ lane) % 6) {
            case 0: total += 1; break;
            case 1: total += j; // falls through
            case 2: total ^= i << 3; break;
            case 3:
                if (lane % 3 == 0)
                    return total * 31 + 7;
                total += 100;
                break;
            case 4: {
                unsigned k = 0;
                do {
                    total += k;
                    k += 1 + (lane & 3);
                } while (k < j % 17);
                break;
            }
            default: total -= 3;
            }
            if (total > 5000)
                goto out;
        }
    }
out:
    return total;
}
__global__ void run(unsigned *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[i] = collatz(i + 1);
    out[n + i] = maze(i);
}

// Every value in a wave is served once by the lane group that holds it.
__global__ void unique(const int *in, int *rounds, int *served) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, mine = in[i], count = 0;
    bool done = false;
    while (!done) {
        int leader = __builtin_amdgcn_readfirstlane(mine);
        if (mine == leader) {
            unsigned long long same = __ballot(1);
            served[i] = __popcll(same);
            done = true;
        }
        count++;
    }
    rounds[i] = count;
}

int main() {
    const unsigned n = 5000;
    Array<unsigned> out(2 * n);
    run<<<(n + 191) / 192, 192>>>(out, n);
    FINISH();
    auto got = out.get();
    for (unsigned i = 0; i < n; i++) {
        EXPECT(got[i] == collatz(i + 1), "collatz of %u: %u instead of %u", i + 1, got[i], collatz(i + 1));
        EXPECT(got[n + i] == maze(i), "maze of %u: %u instead of %u", i, got[n + i], maze(i));
    }
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, 0));
    int wave = properties.warpSize;
    std::vector<int> in(256);
    for (int i = 0; i < 256; i++)
        in[i] = i * i % 7;
    Array<int> device_in(in), rounds(256), served(256);
    unique<<<1, 256>>>(device_in, rounds, served);
    FINISH();
    auto count = rounds.get(), group = served.get();
    for (int i = 0; i < 256; i++) {
        int base = i / wave * wave, same = 0, before = 0;
        std::vector<int> seen;
        for (int l = base; l < base + wave; l++) {
            same += in[l] == in[i];
            bool is_new = true;
            for (int s : seen)
                is_new &= s != in[l];
            if (is_new)
                seen.push_back(in[l]);
        }
        for (size_t s = 0; s < seen.size(); s++)
            if (seen[s] == in[i])
                before = int(s) + 1;
        EXPECT(group[i] == same && count[i] == before, "lane %d: %d in %d rounds instead of %d in %d", i, group[i], count[i], same, before);
    }
    return verdict();
}
