// Calls what ROCr 6.1 imports from the thunk and 5.2.3 does not, by name, as its loader would. Structures: hsakmttypes.h.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <hsakmt.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REQUIRE(condition)                                                  \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "line %d: not so: %s\n", __LINE__, #condition); \
            exit(1);                                                        \
        }                                                                   \
    } while (0)

typedef HSAKMT_STATUS (*Call)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

static Call find(const char *name) {
    Call call = (Call)dlsym(RTLD_DEFAULT, name);
    if (!call) {
        fprintf(stderr, "%s is not exported\n", name);
        exit(1);
    }
    return call;
}
static HSAKMT_STATUS call(const char *name, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e) {
    return find(name)(a, b, c, d, e, 0);
}
#define AT(pointer) ((uint64_t)(uintptr_t)(pointer))

static HsaEvent *make_event(void) {
    HsaEventDescriptor descriptor;
    memset(&descriptor, 0, sizeof descriptor);
    descriptor.EventType = HSA_EVENTTYPE_SIGNAL;
    HsaEvent *event = NULL;
    REQUIRE(call("hsaKmtCreateEvent", AT(&descriptor), 0, 0, AT(&event), 0) == HSAKMT_STATUS_SUCCESS);
    return event;
}
static void *set_soon(void *event) {
    usleep(20000);
    REQUIRE(call("hsaKmtSetEvent", AT(event), 0, 0, 0, 0) == HSAKMT_STATUS_SUCCESS);
    return NULL;
}

int main(void) {
    // Before the device is open, everything fails and nothing crashes.
    uint64_t age = 1, bytes = 0;
    REQUIRE(call("hsaKmtAvailableMemory", 1, AT(&bytes), 0, 0, 0) != HSAKMT_STATUS_SUCCESS);
    REQUIRE(call("hsaKmtOpenKFD", 0, 0, 0, 0, 0) == HSAKMT_STATUS_SUCCESS);

    // The device handle goes to libdrm's query, which tells the clock in kHz at byte 72.
    uint64_t handle = 0;
    REQUIRE(call("hsaKmtGetAMDGPUDeviceHandle", 1, AT(&handle), 0, 0, 0) == HSAKMT_STATUS_SUCCESS);
    REQUIRE(handle != 0);
    uint32_t info[256] = {0};
    REQUIRE(call("amdgpu_query_gpu_info", handle, AT(info), 0, 0, 0) == 0);
    HsaClockCounters clocks;
    REQUIRE(call("hsaKmtGetClockCounters", 1, AT(&clocks), 0, 0, 0) == HSAKMT_STATUS_SUCCESS);
    REQUIRE(info[72 / 4] == 100000);
    REQUIRE(call("hsaKmtGetAMDGPUDeviceHandle", 99, AT(&handle), 0, 0, 0) != HSAKMT_STATUS_SUCCESS);

    // Available memory shrinks by what is allocated and comes back.
    uint64_t before = 0, during = 0, after = 0;
    void *memory = NULL;
    HsaMemFlags flags;
    memset(&flags, 0, sizeof flags);
    flags.ui32.HostAccess = 1;
    flags.ui32.NonPaged = 1;
    REQUIRE(call("hsaKmtAvailableMemory", 1, AT(&before), 0, 0, 0) == HSAKMT_STATUS_SUCCESS);
    REQUIRE(before > (1u << 30));
    REQUIRE(find("hsaKmtAllocMemory")(1, 64 << 20, flags.Value, AT(&memory), 0, 0) == HSAKMT_STATUS_SUCCESS);
    REQUIRE(call("hsaKmtAvailableMemory", 1, AT(&during), 0, 0, 0) == HSAKMT_STATUS_SUCCESS);
    REQUIRE(before - during >= 64 << 20 && before - during < 80 << 20);
    REQUIRE(call("hsaKmtFreeMemory", AT(memory), 64 << 20, 0, 0, 0) == HSAKMT_STATUS_SUCCESS);
    REQUIRE(call("hsaKmtAvailableMemory", 1, AT(&after), 0, 0, 0) == HSAKMT_STATUS_SUCCESS);
    REQUIRE(after == before);
    REQUIRE(call("hsaKmtAvailableMemory", 99, AT(&bytes), 0, 0, 0) != HSAKMT_STATUS_SUCCESS);

    uint32_t capabilities = 0xffffffff;
    REQUIRE(call("hsaKmtGetRuntimeCapabilities", AT(&capabilities), 0, 0, 0, 0) == HSAKMT_STATUS_SUCCESS);
    REQUIRE(capabilities == 0);

    // Waits with an age: a timeout without the event, success after it, also from another thread.
    HsaEvent *events[2] = {make_event(), make_event()};
    REQUIRE(call("hsaKmtWaitOnEvent_Ext", AT(events[0]), 1, AT(&age), 0, 0) == HSAKMT_STATUS_WAIT_TIMEOUT);
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, set_soon, events[0]) == 0);
    REQUIRE(call("hsaKmtWaitOnEvent_Ext", AT(events[0]), 10000, AT(&age), 0, 0) == HSAKMT_STATUS_SUCCESS);
    pthread_join(thread, NULL);
    uint64_t ages[2] = {1, 1};
    REQUIRE(call("hsaKmtWaitOnMultipleEvents_Ext", AT(events), 2, 0, 1, AT(ages)) == HSAKMT_STATUS_WAIT_TIMEOUT);
    REQUIRE(pthread_create(&thread, NULL, set_soon, events[1]) == 0);
    REQUIRE(call("hsaKmtWaitOnMultipleEvents_Ext", AT(events), 2, 0, 10000, AT(ages)) == HSAKMT_STATUS_SUCCESS);
    pthread_join(thread, NULL);
    for (int i = 0; i < 2; i++)
        REQUIRE(call("hsaKmtDestroyEvent", AT(events[i]), 0, 0, 0, 0) == HSAKMT_STATUS_SUCCESS);

    // Functions that an emulated device does not offer are refused, not ignored.
    const char *const refused[] = {
        "hsaKmtDbgEnable",          "hsaKmtDbgDisable", "hsaKmtDbgGetDeviceData",      "hsaKmtDbgGetQueueData",
        "hsaKmtExportDMABufHandle", "hsaKmtOpenSMI",    "hsaKmtReplaceAsanHeaderPage", "hsaKmtReturnAsanHeaderPage",
        "hsaKmtSPMAcquire",         "hsaKmtSPMRelease", "hsaKmtSPMSetDestBuffer"};
    uint64_t room[8] = {0};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        HSAKMT_STATUS status = call(refused[i], AT(room), AT(room + 1), AT(room + 2), AT(room + 3), AT(room + 4));
        if (status != HSAKMT_STATUS_NOT_SUPPORTED) {
            fprintf(stderr, "%s: status %d\n", refused[i], status);
            exit(1);
        }
    }
    // Null pointers are an error too.
    REQUIRE(call("hsaKmtAvailableMemory", 1, 0, 0, 0, 0) == HSAKMT_STATUS_INVALID_PARAMETER);
    REQUIRE(call("hsaKmtGetAMDGPUDeviceHandle", 1, 0, 0, 0, 0) == HSAKMT_STATUS_INVALID_PARAMETER);
    printf("all called\n");
    return 0;
}
