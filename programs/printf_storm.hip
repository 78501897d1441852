// flags: -std=c++17
// printf of every kind of conversion from thousands of lanes at once: each line must come out whole, and exactly once.
// varies: waits for the host
#include "check.h"
#include <algorithm>
#include <string>
#include <unistd.h>

__device__ const char *name_of(int i) {
    const char *const names[] = {"north", "east", "a rather longer name for the south of it all, with words", ""};
    return names[i & 3];
}
__global__ void storm() {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 3 == 0)
        printf("[A %d %s %.3f %lld]\n", i, name_of(i), i * 0.125, (long long)i * 10000000019ll);
    else if (i % 3 == 1)
        printf("[B %05d|%-8u|%x|%c|%e|%5.1f%%]\n", i, i * 7u, i, 'a' + i % 26, i * 1e-5, double(i % 100));
    else if (i % 2)
        printf("[C %hhd %hd %ld %llu %g %s %s]\n", (signed char)i, short(i * 3), -(long)i, ~0ull - i, i / 8.0, name_of(i), name_of(i + 1));
}

int main() {
    FILE *file = std::tmpfile();
    std::fflush(stdout);
    int saved = dup(1);
    dup2(fileno(file), 1);
    storm<<<30, 100>>>();
    HIP(hipDeviceSynchronize());
    std::fflush(stdout);
    dup2(saved, 1);
    std::string text;
    std::rewind(file);
    char buffer[65536];
    for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;)
        text.append(buffer, n);
    std::vector<std::string> lines, want;
    for (size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
        lines.push_back(text.substr(at, end - at));
    const char *names[] = {"north", "east", "a rather longer name for the south of it all, with words", ""};
    for (int i = 0; i < 3000; i++) {
        if (i % 3 == 0)
            std::snprintf(buffer, sizeof buffer, "[A %d %s %.3f %lld]", i, names[i & 3], i * 0.125, (long long)i * 10000000019ll);
        else if (i % 3 == 1)
            std::snprintf(buffer, sizeof buffer, "[B %05d|%-8u|%x|%c|%e|%5.1f%%]", i, i * 7u, i, 'a' + i % 26, i * 1e-5, double(i % 100));
        else if (i % 2)
            std::snprintf(buffer, sizeof buffer, "[C %hhd %hd %ld %llu %g %s %s]", (signed char)i, short(i * 3), -(long)i, ~0ull - i,
                          i / 8.0, names[i & 3], names[(i + 1) & 3]);
        else
            continue;
        want.push_back(buffer);
    }
    std::sort(lines.begin(), lines.end());
    std::sort(want.begin(), want.end());
    EXPECT(lines.size() == want.size(), "%zu lines instead of %zu", lines.size(), want.size());
    for (size_t i = 0; i < std::min(lines.size(), want.size()); i++)
        EXPECT(lines[i] == want[i], "%s instead of %s", lines[i].c_str(), want[i].c_str());
    return verdict();
}
