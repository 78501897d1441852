// A process that calls the kernel driver itself while HIP uses the device, through whichever door its runtime takes: both see one
// machine.
#include "check.h"
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

// The driver's interface, of which headers are not everywhere.
struct Version {
    uint32_t major, minor;
};
struct Aperture {
    uint64_t bounds[6];
    uint32_t gpu, reserved;
};
struct Apertures {
    uint64_t list;
    uint32_t count, reserved;
};
struct Acquire {
    uint32_t render, gpu;
};
struct Allocate {
    uint64_t address, size, handle, offset;
    uint32_t gpu, flags;
};
struct Map {
    uint64_t handle, devices;
    uint32_t count, done;
};
struct Free {
    uint64_t handle;
};
enum : uint32_t { VRAM = 1, PUBLIC = 1 << 29, WRITABLE = 1u << 31 };
#define DRIVER(descriptor, kind, number, argument) \
    EXPECT(ioctl(descriptor, kind('K', number, decltype(argument)), &argument) == 0, "command " #number)

__global__ void add(int *words, int n) { words[threadIdx.x] += n; }

// What the kernel leaves in 64 words that held `before`.
static void expect_sum(const char *where, int *words, int before, int n) {
    add<<<1, 64>>>(words, n);
    FINISH();
    int seen[64];
    HIP(hipMemcpy(seen, words, sizeof seen, hipMemcpyDefault));
    for (int word : seen)
        EXPECT(word == before + n, "%s: %d", where, word);
}

int main() {
    Array<int> words(64);
    words.zero();
    expect_sum("before", words.data, 0, 3);
    int driver = open("/dev/kfd", O_RDWR | O_CLOEXEC), render = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    EXPECT(driver >= 0 && render >= 0, "descriptors %d and %d", driver, render);
    Version version{};
    DRIVER(driver, _IOR, 1, version);
    EXPECT(version.major == 1, "version %u", version.major);
    Aperture apertures[16] = {};
    Apertures all{(uintptr_t)apertures, 16, 0};
    DRIVER(driver, _IOWR, 0x14, all);
    EXPECT(all.count >= 1 && apertures[0].gpu, "%u devices", all.count);
    Acquire acquire{(uint32_t)render, apertures[0].gpu};
    DRIVER(driver, _IOW, 0x15, acquire);
    constexpr size_t SIZE = 1 << 20;
    for (int round = 0; round < 10; round++) {
        void *place = mmap(nullptr, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        EXPECT(place != MAP_FAILED, "addresses");
        Allocate memory{(uintptr_t)place, SIZE, 0, 0, apertures[0].gpu, VRAM | PUBLIC | WRITABLE};
        DRIVER(driver, _IOWR, 0x16, memory);
        Map map{memory.handle, (uintptr_t)&apertures[0].gpu, 1, 0}, unmap = map;
        DRIVER(driver, _IOWR, 0x18, map);
        std::memset(place, 0, SIZE);
        ((int *)place)[SIZE / 4 - 64] = round;
        // Kernels that HIP starts reach what the driver gave out, and the other way round.
        expect_sum("the driver's memory", (int *)place, 0, 5);
        EXPECT(((int *)place)[SIZE / 4 - 64] == round, "the rest of round %d", round);
        expect_sum("HIP's memory", words.data, 3 + round, 1);
        DRIVER(driver, _IOWR, 0x19, unmap);
        Free free{memory.handle};
        DRIVER(driver, _IOW, 0x17, free);
        munmap(place, SIZE);
    }
    close(render);
    close(driver);
    expect_sum("after", words.data, 13, 1);
    return verdict();
}
