// Device memory and events that another process opens: small parts of a block, whole buffers, both ways, after reopening.
#include "check.h"
#include <sys/wait.h>
#include <unistd.h>

constexpr int WORDS[] = {64, 1024, 3 << 20};

struct Shared {
    hipIpcMemHandle_t memory[3];
    hipIpcEventHandle_t event;
};

__global__ void add(int *words, int count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        words[i] += n + i;
}

static void add_to(int *words, int count, int n) {
    add<<<(count + 255) / 256, 256>>>(words, count, n);
    FINISH();
}

static void expect_all(const char *who, const int *words, int count, int n, int times) {
    std::vector<int> seen(count);
    HIP(hipMemcpy(seen.data(), words, count * sizeof(int), hipMemcpyDeviceToHost));
    for (int i = 0; i < count; i++)
        EXPECT(seen[i] == n + times * i, "%s: word %d of %d is %d", who, i, count, seen[i]);
}

static void pass(int descriptor) { EXPECT(write(descriptor, "x", 1) == 1, "the other process is there"); }
static void await(int descriptor) {
    char byte;
    EXPECT(read(descriptor, &byte, 1) == 1, "the other process is there");
}

// Adds 5 to what the other process has left in its memory, twice.
static int other_process(int from, int to) {
    Shared shared;
    if (read(from, &shared, sizeof shared) != sizeof shared)
        return 1;
    for (int round = 0; round < 2; round++) {
        for (int k = 0; k < 3; k++) {
            int *words;
            HIP(hipIpcOpenMemHandle((void **)&words, shared.memory[k], hipIpcMemLazyEnablePeerAccess));
            expect_all("there", words, WORDS[k], 10 + 5 * round, 1 + round);
            add_to(words, WORDS[k], 5);
            HIP(hipIpcCloseMemHandle(words));
        }
    }
    hipEvent_t event;
    HIP(hipIpcOpenEventHandle(&event, shared.event));
    HIP(hipEventSynchronize(event));
    pass(to);
    await(from);
#if HIP_VERSION_MAJOR < 7
    // Whoever has freed its memory shares it no more. (ROCr 7.2 asks the other process for it by a socket, and when that closes it
    // without an answer, reads on for ever.)
    int *gone;
    EXPECT(hipIpcOpenMemHandle((void **)&gone, shared.memory[2], hipIpcMemLazyEnablePeerAccess) != hipSuccess, "opened");
#endif
    return verdict();
}

int main() {
    int there[2], back[2];
    if (pipe(there) || pipe(back))
        return 2;
    pid_t child = fork();
    // Each end of a pipe is open in one process only: whoever waits for the other hears when it ends.
    if (child == 0) {
        close(there[1]);
        close(back[0]);
        std::exit(other_process(there[0], back[1]));
    }
    close(there[0]);
    close(back[1]);
    Shared shared;
    int *words[3];
    for (int k = 0; k < 3; k++) {
        HIP(hipMalloc(&words[k], WORDS[k] * sizeof(int)));
        HIP(hipMemset(words[k], 0, WORDS[k] * sizeof(int)));
        add_to(words[k], WORDS[k], 10);
        HIP(hipIpcGetMemHandle(&shared.memory[k], words[k]));
    }
    hipEvent_t event;
    HIP(hipEventCreateWithFlags(&event, hipEventDisableTiming | hipEventInterprocess));
    HIP(hipIpcGetEventHandle(&shared.event, event));
    HIP(hipEventRecord(event));
    EXPECT(write(there[1], &shared, sizeof shared) == sizeof shared, "the other process is there");
    await(back[0]);
    for (int k = 0; k < 3; k++) {
        expect_all("here", words[k], WORDS[k], 20, 3);
        HIP(hipFree(words[k]));
    }
    pass(there[1]);
    int status;
    waitpid(child, &status, 0);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the other process ended with %#x", status);
    return verdict();
}
