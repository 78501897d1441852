// One program, several scenes chosen by the first argument. Exit status 0: the scene checked itself.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#define CHECK(call)                                                                           \
    do {                                                                                      \
        hipError_t error_ = (call);                                                           \
        if (error_ != hipSuccess) {                                                           \
            fprintf(stderr, "line %d: %s: %s\n", __LINE__, #call, hipGetErrorString(error_)); \
            exit(1);                                                                          \
        }                                                                                     \
    } while (0)
#define REQUIRE(condition)                                                  \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "line %d: not so: %s\n", __LINE__, #condition); \
            exit(1);                                                        \
        }                                                                   \
    } while (0)

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

__global__ void store(int *to, int value) { *to = value; }

__global__ void wait_for(volatile int *flag, int *done) {
    while (*flag == 0)
        __builtin_amdgcn_s_sleep(1);
    *done = 1;
}

static void vector_add(int n) {
    std::vector<float> a(n), b(n), c(n, -1);
    for (int i = 0; i < n; i++) {
        a[i] = (float)i;
        b[i] = 2.0f * (float)i;
    }
    float *device[3];
    for (float *&pointer : device)
        CHECK(hipMalloc(&pointer, n * sizeof(float)));
    CHECK(hipMemcpy(device[0], a.data(), n * sizeof(float), hipMemcpyHostToDevice));
    CHECK(hipMemcpy(device[1], b.data(), n * sizeof(float), hipMemcpyHostToDevice));
    add<<<(n + 127) / 128, 128>>>(device[0], device[1], device[2], n);
    CHECK(hipGetLastError());
    CHECK(hipMemcpy(c.data(), device[2], n * sizeof(float), hipMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        REQUIRE(c[i] == 3.0f * (float)i);
    for (float *pointer : device)
        CHECK(hipFree(pointer));
}

// Rows of one pitch to rows of another, and boxes inside volumes: SDMA's rectangle packets.
static void rectangles() {
    enum { W = 100, H = 37 };
    unsigned char from[H * 160], back[H * 200];
    for (int i = 0; i < H * 160; i++)
        from[i] = (unsigned char)(i * 13 + (i >> 7));
    memset(back, 0xcc, sizeof back);
    unsigned char *device;
    size_t pitch;
    CHECK(hipMallocPitch((void **)&device, &pitch, W, H));
    CHECK(hipMemcpy2D(device, pitch, from, 160, W, H, hipMemcpyHostToDevice));
    CHECK(hipMemcpy2D(back, 200, device, pitch, W, H, hipMemcpyDeviceToHost));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < 200; x++)
            REQUIRE(back[y * 200 + x] == (x < W ? from[y * 160 + x] : 0xcc) || y == H - 1);
    CHECK(hipFree(device));
}

static void large_copies() {
    const size_t size = (64 << 20) + 12345;
    unsigned *host = (unsigned *)malloc(size), *device, *pinned;
    for (size_t i = 0; i < size / 4; i++)
        host[i] = (unsigned)(i * 2654435761u);
    CHECK(hipMalloc((void **)&device, size));
    CHECK(hipHostMalloc((void **)&pinned, size, 0));
    CHECK(hipMemcpy(device, host, size, hipMemcpyHostToDevice));
    hipStream_t stream;
    CHECK(hipStreamCreate(&stream));
    CHECK(hipMemcpyAsync(pinned, device, size, hipMemcpyDeviceToHost, stream));
    CHECK(hipStreamSynchronize(stream));
    REQUIRE(memcmp(host, pinned, size / 4 * 4) == 0);
    CHECK(hipStreamDestroy(stream));
    CHECK(hipFree(device));
    CHECK(hipHostFree(pinned));
    free(host);
}

// A kernel that waits for the host, and one on another stream that must not wait for it.
static void spinning() {
    int *shared;
    CHECK(hipHostMalloc((void **)&shared, 4096, 0));
    memset(shared, 0, 4096);
    hipStream_t streams[2];
    for (hipStream_t &stream : streams)
        CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    wait_for<<<1, 64, 0, streams[0]>>>(shared, shared + 16);
    store<<<1, 1, 0, streams[1]>>>(shared + 32, 7);
    CHECK(hipStreamSynchronize(streams[1]));
    REQUIRE(shared[32] == 7 && shared[16] == 0);
    *(volatile int *)shared = 1;
    CHECK(hipStreamSynchronize(streams[0]));
    REQUIRE(shared[16] == 1);
}

static void events() {
    hipEvent_t start, stop;
    CHECK(hipEventCreate(&start));
    CHECK(hipEventCreate(&stop));
    int *device;
    CHECK(hipMalloc((void **)&device, 4));
    CHECK(hipEventRecord(start));
    for (int i = 0; i < 200; i++)
        store<<<1, 1>>>(device, i);
    CHECK(hipEventRecord(stop));
    CHECK(hipEventSynchronize(stop));
    float milliseconds;
    CHECK(hipEventElapsedTime(&milliseconds, start, stop));
    REQUIRE(milliseconds > 0 && milliseconds < 20000);
    int value;
    CHECK(hipMemcpy(&value, device, 4, hipMemcpyDeviceToHost));
    REQUIRE(value == 199);
}

static void memory_limits() {
    size_t available, total;
    CHECK(hipMemGetInfo(&available, &total));
    void *pointer;
    REQUIRE(hipMalloc(&pointer, total * 2) == hipErrorOutOfMemory);
    CHECK(hipMalloc(&pointer, total / 2));
    CHECK(hipFree(pointer));
    int *managed;
    CHECK(hipMallocManaged((void **)&managed, 4096));
    store<<<1, 1>>>(managed + 5, 42);
    CHECK(hipDeviceSynchronize());
    REQUIRE(managed[5] == 42);
    CHECK(hipFree(managed));
    int *registered = (int *)malloc(10000);
    CHECK(hipHostRegister(registered, 10000, 0));
    int *mapped;
    CHECK(hipHostGetDevicePointer((void **)&mapped, registered, 0));
    store<<<1, 1>>>(mapped + 3, 43);
    CHECK(hipDeviceSynchronize());
    REQUIRE(registered[3] == 43);
    // hipHostUnregister is left out: HIP 5.2.3 aborts in it unless the device's address differs from the host's.
}

// Children that use the device before and after their parent does.
static void forks(bool parent_first) {
    if (parent_first)
        vector_add(1000);
    pid_t child = fork();
    if (child == 0) {
        if (parent_first)
            _exit(0);
        vector_add(1000);
        exit(0);
    }
    int status;
    REQUIRE(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    vector_add(1000);
}

int main(int argc, char **argv) {
    const char *scene = argc > 1 ? argv[1] : "";
    int *device;
    if (!strcmp(scene, "add")) {
        vector_add(1000);
        vector_add(100000);
    } else if (!strcmp(scene, "copies")) {
        rectangles();
        large_copies();
    } else if (!strcmp(scene, "spin")) {
        spinning();
    } else if (!strcmp(scene, "events")) {
        events();
    } else if (!strcmp(scene, "memory")) {
        memory_limits();
    } else if (!strcmp(scene, "fork-before")) {
        forks(false);
    } else if (!strcmp(scene, "fork-after")) {
        forks(true);
    } else if (!strcmp(scene, "status")) {
        vector_add(1000);
        exit(7);
    } else if (!strcmp(scene, "abort")) {
        vector_add(1000);
        abort();
    } else if (!strcmp(scene, "bad-write")) {
        store<<<1, 1>>>((int *)0x10000, 1);
        printf("%s\n", hipGetErrorString(hipDeviceSynchronize()));
    } else if (!strcmp(scene, "bad-lds")) {
        store<<<1, 1, 70000>>>(nullptr, 1);
        printf("%s\n", hipGetErrorString(hipGetLastError()));
    } else if (!strcmp(scene, "launches")) {
        CHECK(hipMalloc((void **)&device, 4));
        for (int i = 0; i < 20000; i++) {
            store<<<1, 1>>>(device, i);
            if (i % 100 == 0)
                CHECK(hipDeviceSynchronize());
        }
        CHECK(hipDeviceSynchronize());
    } else {
        fprintf(stderr, "no scene %s\n", scene);
        return 2;
    }
    return 0;
}
