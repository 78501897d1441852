// flags: -fopenmp
// devices: gfx906
// also: gfx90a gfx942 gfx1030 gfx1100
// tools: instr-count,opcode-histogram; GCC's runtime library has 3,500 blocks, which all tools together take minutes for
// OpenMP offload by GCC: functions that call themselves, data of the device, classes.
#include <cstdio>
#include <vector>

struct Point {
    double x, y;
    Point operator+(const Point &other) const { return {x + other.x, y + other.y}; }
};

#pragma omp declare target
static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
double squares[64];
#pragma omp end declare target

int main() {
    int wrong = 0, values[20];
#pragma omp target map(from : values[0 : 20])
#pragma omp parallel for
    for (int i = 0; i < 20; i++)
        values[i] = fibonacci(i % 12);
    for (int i = 0; i < 20; i++) {
        int a = 0, b = 1;
        for (int k = 0; k < i % 12; k++) {
            int next = a + b;
            a = b;
            b = next;
        }
        wrong += values[i] != a;
    }

    const int n = 1000;
    std::vector<Point> points(n);
    Point *point = points.data();
    for (int i = 0; i < n; i++)
        point[i] = {i * 0.5, 1.0 / (i + 1)};
#pragma omp target teams distribute parallel for simd map(tofrom : point[0 : n])
    for (int i = 0; i < n; i++)
        point[i] = point[i] + Point{1, 2};
    for (int i = 0; i < n; i++)
        wrong += point[i].x != i * 0.5 + 1 || point[i].y != 1.0 / (i + 1) + 2;

#pragma omp target
    for (int i = 0; i < 64; i++)
        squares[i] = i * i;
#pragma omp target update from(squares)
    for (int i = 0; i < 64; i++)
        wrong += squares[i] != i * i;
    if (wrong)
        printf("%d values are wrong\n", wrong);
    return wrong != 0;
}
