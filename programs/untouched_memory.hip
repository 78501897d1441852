// Device memory that nobody touches costs the host nothing: 8 GiB raise the resident set by less than 8 MiB.
#include "check.h"
#include <cstdlib>
#include <cstring>

static long resident_kilobytes() {
    FILE *status = std::fopen("/proc/self/status", "r");
    char line[256];
    long kilobytes = -1;
    while (status && std::fgets(line, sizeof line, status))
        std::sscanf(line, "VmRSS: %ld", &kilobytes);
    if (status)
        std::fclose(status);
    return kilobytes;
}
__global__ void touch(char *p, size_t at) { p[at] = 42; }

int main() {
    // The first of everything: queue, code, pools.
    Array<char> small(1 << 20);
    touch<<<1, 1>>>(small, 5);
    HIP(hipMemset(small, 1, 100));
    FINISH();
    long before = resident_kilobytes();
    const size_t size = size_t(1) << 30;
    char *blocks[8];
    for (auto &block : blocks)
        HIP(hipMalloc(&block, size));
    for (auto block : blocks)
        touch<<<1, 1>>>(block, size - 1);
    FINISH();
    long after = resident_kilobytes();
    // Memory that `--fill` has given other contents than zero is touched memory.
    const char *fill = std::getenv("LUTHIER_FILL");
    if (!fill || !*fill || !std::strcmp(fill, "zero")) {
        EXPECT(before > 0 && after - before < 8192, "%ld KiB before, %ld after", before, after);
    }
    char last = 0;
    HIP(hipMemcpy(&last, blocks[7] + size - 1, 1, hipMemcpyDeviceToHost));
    EXPECT(last == 42, "%d", last);
    for (auto block : blocks)
        HIP(hipFree(block));
    return verdict();
}
