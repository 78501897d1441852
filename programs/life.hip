// The game of life with 64 cells in a word: rows by waves with ballots, tiles in LDS with an edge, and rows in managed memory.
// devices: gfx90a gfx1030
// also: *
#include "check.h"

__host__ __device__ static bool lives(bool self, int around) { return around == 3 || (self && around == 2); }

__global__ void by_tiles(const unsigned char *from, unsigned char *to, int width, int height) {
    __shared__ unsigned char tile[10][34];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    for (int ty = threadIdx.y; ty < 10; ty += 8)
        for (int tx = threadIdx.x; tx < 34; tx += 32) {
            int sx = (blockIdx.x * 32 + tx - 1 + width) % width, sy = (blockIdx.y * 8 + ty - 1 + height) % height;
            tile[ty][tx] = from[sy * width + sx];
        }
    __syncthreads();
    int around = 0;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++)
            around += (dx != 1 || dy != 1) && tile[threadIdx.y + dy][threadIdx.x + dx];
    to[y * width + x] = lives(tile[threadIdx.y + 1][threadIdx.x + 1], around);
}

// 32 cells of a row in each word, whatever a wave has.
__global__ void by_ballots(const unsigned *from, unsigned *to, int words, int height) {
    int lane = threadIdx.x % 32, word = blockIdx.x, y = (blockIdx.y * blockDim.x + threadIdx.x) / 32;
    bool inside = y < height;
    int around = 0;
    bool self = false;
    if (inside)
        for (int dy = -1; dy <= 1; dy++) {
            const unsigned *row = from + (y + dy + height) % height * words;
            unsigned here = row[word], left = row[(word + words - 1) % words], right = row[(word + 1) % words];
            bool before = lane ? here >> (lane - 1) & 1 : left >> 31, after = lane < 31 ? here >> (lane + 1) & 1 : right & 1;
            bool middle = here >> lane & 1;
            around += before + after + (dy ? middle : 0);
            if (!dy)
                self = middle;
        }
    unsigned long long votes = __ballot(inside && lives(self, around));
    if (inside && lane == 0)
        to[y * words + word] = votes >> (__lane_id() & 32);
}

int main() {
    const int width = 128, height = 64, steps = 12;
    std::vector<unsigned char> cells(width * height), next(cells.size());
    unsigned state = 11;
    for (auto &cell : cells)
        state = state * 1103515245u + 12345u, cell = state >> 16 & 1;
    unsigned *words, *more;
    HIP(hipMallocManaged(&words, width * height / 8));
    HIP(hipMallocManaged(&more, width * height / 8));
    memset(words, 0, width * height / 8);
    for (int i = 0; i < width * height; i++)
        words[i / 32] |= (unsigned)cells[i] << i % 32;
    Array<unsigned char> one(cells), two(cells.size());
    unsigned char *from = one.data, *to = two.data;
    for (int step = 0; step < steps; step++) {
        by_tiles<<<dim3(width / 32, height / 8), dim3(32, 8)>>>(from, to, width, height);
        by_ballots<<<dim3(width / 32, 11), 192>>>(words, more, width / 32, height);
        std::swap(from, to);
        std::swap(words, more);
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                int around = 0;
                for (int dy = -1; dy <= 1; dy++)
                    for (int dx = -1; dx <= 1; dx++)
                        around += (dx || dy) && cells[(y + dy + height) % height * width + (x + dx + width) % width];
                next[y * width + x] = lives(cells[y * width + x], around);
            }
        cells.swap(next);
    }
    HIP(hipDeviceSynchronize());
    std::vector<unsigned char> got(cells.size());
    HIP(hipMemcpy(got.data(), from, got.size(), hipMemcpyDeviceToHost));
    for (int i = 0; i < width * height; i++) {
        EXPECT(got[i] == cells[i], "tiles: cell %d", i);
        EXPECT((words[i / 32] >> i % 32 & 1) == cells[i], "ballots: cell %d", i);
    }
    HIP(hipFree(words));
    HIP(hipFree(more));
    return verdict();
}
