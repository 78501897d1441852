// Barriers that count, and that ask whether any or all threads agree.
#include "check.h"

__global__ void vote(const int *votes, int *counts, int *any, int *all) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    counts[i] = __syncthreads_count(votes[i]);
    any[i] = __syncthreads_or(votes[i]);
    all[i] = __syncthreads_and(votes[i]);
}

int main() {
    for (int block : {1, 31, 64, 100, 256, 1000}) {
        const int blocks = 9;
        Random random;
        std::vector<int> votes(blocks * block);
        // The first block has none in favour, the second all, the third all but one, the others some.
        for (int i = 0; i < blocks * block; i++)
            votes[i] = i / block == 0 ? 0 : i / block == 1 ? i + 1 : i / block == 2 ? i % block != block / 2 : int(random.next() % 3) - 1;
        Array<int> from(votes), counts(votes.size()), any(votes.size()), all(votes.size());
        vote<<<blocks, block>>>(from, counts, any, all);
        FINISH();
        auto counted = counts.get(), some = any.get(), every = all.get();
        for (int i = 0; i < blocks * block; i++) {
            int want = 0;
            for (int j = i / block * block; j < (i / block + 1) * block; j++)
                want += votes[j] != 0;
            EXPECT(counted[i] == want, "thread %d of blocks of %d: %d instead of %d", i, block, counted[i], want);
            EXPECT((some[i] != 0) == (want > 0), "thread %d of blocks of %d: any is %d of %d", i, block, some[i], want);
            EXPECT((every[i] != 0) == (want == block), "thread %d of blocks of %d: all is %d of %d", i, block, every[i], want);
        }
    }
    return verdict();
}
