// A tiled matrix product through LDS, in float and double, with edges that are no multiple of the tile.
#include "check.h"

template <typename T> __global__ void multiply(const T *a, const T *b, T *c, int m, int n, int k) {
    __shared__ T tile_a[16][17], tile_b[16][17];
    int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    T sum = 0;
    for (int at = 0; at < k; at += 16) {
        tile_a[threadIdx.y][threadIdx.x] = row < m && at + threadIdx.x < k ? a[row * k + at + threadIdx.x] : T(0);
        tile_b[threadIdx.y][threadIdx.x] = at + threadIdx.y < k && column < n ? b[(at + threadIdx.y) * n + column] : T(0);
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}

template <typename T> void check(int m, int n, int k) {
    std::vector<T> a(m * k), b(k * n);
    for (size_t i = 0; i < a.size(); i++)
        a[i] = T(int(i * 7 % 19) - 9);
    for (size_t i = 0; i < b.size(); i++)
        b[i] = T(int(i * 5 % 17) - 8);
    Array<T> device_a(a), device_b(b), c(m * n);
    multiply<T><<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(device_a, device_b, c, m, n, k);
    FINISH();
    auto got = c.get();
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            T sum = 0;
            for (int x = 0; x < k; x++)
                sum += a[i * k + x] * b[x * n + j];
            EXPECT(got[i * n + j] == sum, "%dx%dx%d [%d][%d]: %g instead of %g", m, n, k, i, j, double(got[i * n + j]), double(sum));
        }
}

int main() {
    check<float>(64, 64, 64);
    check<float>(50, 70, 33);
    check<double>(31, 65, 100);
    check<int>(17, 16, 129);
    return verdict();
}
