// Exercises ROCr through its C interface and checks every result itself; needs no kernel of its own, only the copy and fill
// shaders that ROCr carries. Exit status 0: all well.
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                       \
    do {                                                                  \
        hsa_status_t status_ = (call);                                    \
        if (status_ != HSA_STATUS_SUCCESS) {                              \
            const char *text_ = "?";                                      \
            hsa_status_string(status_, &text_);                           \
            fprintf(stderr, "line %d: %s: %s\n", __LINE__, #call, text_); \
            exit(1);                                                      \
        }                                                                 \
    } while (0)
#define REQUIRE(condition)                                                  \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "line %d: not so: %s\n", __LINE__, #condition); \
            exit(1);                                                        \
        }                                                                   \
    } while (0)

static hsa_agent_t cpu, gpus[8];
static int gpu_count;
static hsa_amd_memory_pool_t host_pool, device_pool;

static hsa_status_t on_agent(hsa_agent_t agent, void *data) {
    (void)data;
    hsa_device_type_t type;
    char name[64], marketing[64];
    CHECK(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
    CHECK(hsa_agent_get_info(agent, HSA_AGENT_INFO_NAME, name));
    CHECK(hsa_agent_get_info(agent, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_PRODUCT_NAME, marketing));
    if (type == HSA_DEVICE_TYPE_GPU) {
        printf("gpu %s (%s)\n", name, marketing);
        gpus[gpu_count++] = agent;
    } else {
        cpu = agent;
    }
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t on_pool(hsa_amd_memory_pool_t pool, void *data) {
    hsa_amd_segment_t segment;
    uint32_t flags;
    CHECK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
    if (segment != HSA_AMD_SEGMENT_GLOBAL)
        return HSA_STATUS_SUCCESS;
    CHECK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
    if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED)
        *(hsa_amd_memory_pool_t *)data = pool;
    return HSA_STATUS_SUCCESS;
}

static void *allocate(hsa_amd_memory_pool_t pool, size_t size) {
    void *memory;
    CHECK(hsa_amd_memory_pool_allocate(pool, size, 0, &memory));
    CHECK(hsa_amd_agents_allow_access((uint32_t)gpu_count, gpus, NULL, memory));
    return memory;
}

// Copies `size` bytes at odd or even offsets between device buffers and compares all bytes around.
static void copy(uint8_t *to, uint8_t *from, size_t to_offset, size_t from_offset, size_t size, int asynchronous) {
    enum { SPAN = 1 << 20 };
    for (size_t i = 0; i < SPAN; i++) {
        from[i] = (uint8_t)(i * 7 + (i >> 8));
        to[i] = 0xee;
    }
    if (asynchronous) {
        hsa_signal_t done;
        CHECK(hsa_signal_create(1, 0, NULL, &done));
        CHECK(hsa_amd_memory_async_copy(to + to_offset, gpus[0], from + from_offset, gpus[0], size, 0, NULL, done));
        REQUIRE(hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED) == 0);
        hsa_amd_profiling_async_copy_time_t time;
        if (hsa_amd_profiling_get_async_copy_time(done, &time) == HSA_STATUS_SUCCESS)
            REQUIRE(time.end >= time.start);
        CHECK(hsa_signal_destroy(done));
    } else {
        CHECK(hsa_memory_copy(to + to_offset, from + from_offset, size));
    }
    for (size_t i = 0; i < SPAN; i++) {
        int inside = i >= to_offset && i < to_offset + size;
        uint8_t expected = inside ? (uint8_t)((i - to_offset + from_offset) * 7 + ((i - to_offset + from_offset) >> 8)) : 0xee;
        if (to[i] != expected) {
            fprintf(stderr, "copy(%zu, %zu, %zu): byte %zu is %02x, not %02x\n", to_offset, from_offset, size, i, to[i], expected);
            exit(1);
        }
    }
}

int main(void) {
    CHECK(hsa_init());
    CHECK(hsa_iterate_agents(on_agent, NULL));
    REQUIRE(gpu_count > 0);
    CHECK(hsa_amd_agent_iterate_memory_pools(cpu, on_pool, &host_pool));
    CHECK(hsa_amd_agent_iterate_memory_pools(gpus[0], on_pool, &device_pool));
    CHECK(hsa_amd_profiling_async_copy_enable(true));

    uint8_t *a = allocate(device_pool, 1 << 20), *b = allocate(device_pool, 1 << 20), *h = allocate(host_pool, 1 << 20);
    static const size_t sizes[] = {1, 3, 4, 15, 16, 64, 100, 255, 4096, 65537, 1000000};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int asynchronous = 0; asynchronous < 2; asynchronous++) {
            copy(a, b, 0, 0, sizes[i], asynchronous);
            copy(a, b, 4, 8, sizes[i], asynchronous);
            copy(a, b, 5, 2, sizes[i], asynchronous);
            copy(a, b, 7, 7, sizes[i], asynchronous);
            copy(h, b, 3, 0, sizes[i], asynchronous);
        }
    }

    for (size_t count = 1; count < 20000; count = count * 3 + 1) {
        memset(a, 0, 1 << 20);
        CHECK(hsa_amd_memory_fill(a + 16, 0xdeadbeef, count));
        uint32_t *words = (uint32_t *)a;
        for (size_t i = 0; i < 1 << 18; i++)
            REQUIRE(words[i] == (i >= 4 && i < 4 + count ? 0xdeadbeef : 0));
    }

    // A barrier waits for another queue's signal without holding that queue up.
    hsa_queue_t *queue[2];
    hsa_signal_t gate, done;
    CHECK(hsa_signal_create(1, 0, NULL, &gate));
    CHECK(hsa_signal_create(2, 0, NULL, &done));
    for (int i = 0; i < 2; i++) {
        CHECK(hsa_queue_create(gpus[0], 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX, UINT32_MAX, &queue[i]));
        hsa_barrier_and_packet_t packet;
        memset(&packet, 0, sizeof packet);
        if (i == 0)
            packet.dep_signal[0] = gate;
        packet.completion_signal = done;
        uint64_t index = hsa_queue_add_write_index_scacq_screl(queue[i], 1);
        hsa_barrier_and_packet_t *slot = (hsa_barrier_and_packet_t *)queue[i]->base_address + index % 64;
        *slot = packet;
        __atomic_store_n(&slot->header, HSA_PACKET_TYPE_BARRIER_AND, __ATOMIC_RELEASE);
        hsa_signal_store_screlease(queue[i]->doorbell_signal, (hsa_signal_value_t)index);
    }
    REQUIRE(hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 2, UINT64_MAX, HSA_WAIT_STATE_BLOCKED) == 1);
    hsa_signal_store_screlease(gate, 0);
    REQUIRE(hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(hsa_queue_destroy(queue[i]));

    hsa_amd_pointer_info_t info;
    info.size = sizeof info;
    CHECK(hsa_amd_pointer_info(a + 100, &info, NULL, NULL, NULL));
    REQUIRE(info.type == HSA_EXT_POINTER_TYPE_HSA && (uint8_t *)info.agentBaseAddress <= a);

    CHECK(hsa_amd_memory_pool_free(a));
    CHECK(hsa_amd_memory_pool_free(b));
    CHECK(hsa_amd_memory_pool_free(h));
    CHECK(hsa_shut_down());
    puts("all well");
    return 0;
}
