// Commands that are submitted through libdrm, by its own header: submit SCENE.
#define _GNU_SOURCE
#include <amdgpu.h>
#include <amdgpu_drm.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHECK(condition)                                   \
    do {                                                   \
        if (!(condition)) {                                \
            printf("line %d: %s\n", __LINE__, #condition); \
            exit(1);                                       \
        }                                                  \
    } while (0)
#define LOAD(address) __atomic_load_n(address, __ATOMIC_ACQUIRE)
#define STORE(address, value) __atomic_store_n(address, value, __ATOMIC_RELEASE)
#define ADDRESS(value) (uint32_t)(value), (uint32_t)((uint64_t)(value) >> 32)

enum { PAGE = 4096, SECOND = 1000000000 };
static amdgpu_device_handle device;
static amdgpu_context_handle context;

struct memory {
    amdgpu_bo_handle object;
    amdgpu_va_handle range;
    uint64_t address;
    uint32_t *words;
};

static struct memory allocate(void) {
    struct memory it;
    struct amdgpu_bo_alloc_request wanted = {.alloc_size = PAGE, .phys_alignment = PAGE, .preferred_heap = AMDGPU_GEM_DOMAIN_GTT};
    CHECK(amdgpu_bo_alloc(device, &wanted, &it.object) == 0);
    CHECK(amdgpu_va_range_alloc(device, amdgpu_gpu_va_range_general, PAGE, PAGE, 0, &it.address, &it.range, 0) == 0);
    CHECK(amdgpu_bo_va_op(it.object, 0, PAGE, it.address, 0, AMDGPU_VA_OP_MAP) == 0);
    CHECK(amdgpu_bo_cpu_map(it.object, (void **)&it.words) == 0);
    return it;
}

static void give_up(struct memory it) {
    CHECK(amdgpu_bo_cpu_unmap(it.object) == 0);
    CHECK(amdgpu_bo_va_op(it.object, 0, PAGE, it.address, 0, AMDGPU_VA_OP_UNMAP) == 0);
    CHECK(amdgpu_va_range_free(it.range) == 0);
    CHECK(amdgpu_bo_free(it.object) == 0);
}

struct submission {
    struct amdgpu_cs_ib_info buffer;
    struct amdgpu_cs_request request;
};

// A buffer with these commands, which are written into the memory's second half.
static struct submission make(unsigned kind, struct memory *memory, const uint32_t *commands, size_t count) {
    struct submission it = {.request = {.ip_type = kind, .number_of_ibs = 1}};
    memcpy(memory->words + PAGE / 8, commands, count * 4);
    it.buffer = (struct amdgpu_cs_ib_info){.ib_mc_address = memory->address + PAGE / 2, .size = count};
    return it;
}

#define MAKE(kind, memory, ...) make(kind, memory, (uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4)

static int submit(struct submission *it) {
    it->request.ibs = &it->buffer;
    return amdgpu_cs_submit(context, 0, &it->request, 1);
}

static struct amdgpu_cs_fence fence(struct submission *it) {
    return (struct amdgpu_cs_fence){
        .context = context, .ip_type = it->request.ip_type, .ring = it->request.ring, .fence = it->request.seq_no};
}

static int done(struct submission *it, uint64_t timeout, uint32_t *expired) {
    struct amdgpu_cs_fence found = fence(it);
    return amdgpu_cs_query_fence_status(&found, timeout, 0, expired);
}

static void finish(struct submission *it) {
    uint32_t expired = 0;
    CHECK(done(it, 10ull * SECOND, &expired) == 0 && expired);
}

// Packets of copies: a store, and a fill; commands of compute: a write, and a wait for a word that is at least so much.
#define COPY_STORE(address, value) 5, ADDRESS(address), value
#define COPY_FILL(address, value, bytes) 11 | 2u << 30, ADDRESS(address), value, (bytes) - 1
#define WRITE(address, value) 0xc0033700, 5 << 8, ADDRESS(address), value
#define WAIT(address, value) 0xc0053c00, 5 | 1 << 4, ADDRESS(address), value, ~0u, 4

// More submissions than the ring holds, on two rings; each is done when the driver says so.
static void order(void) {
    struct memory memory = allocate(), other = allocate();
    amdgpu_bo_handle objects[] = {memory.object, other.object};
    amdgpu_bo_list_handle list;
    CHECK(amdgpu_bo_list_create(device, 2, objects, NULL, &list) == 0);
    CHECK(amdgpu_bo_list_update(list, 1, objects, NULL) == 0);
    for (uint32_t i = 1; i <= 300; i++) {
        struct submission copy = MAKE(AMDGPU_HW_IP_DMA, &memory, COPY_FILL(memory.address, i, 64), COPY_STORE(memory.address + 64, ~i));
        copy.request.resources = list;
        CHECK(submit(&copy) == 0 && copy.request.seq_no == i);
        struct submission write = MAKE(AMDGPU_HW_IP_COMPUTE, &other, WRITE(other.address, i));
        CHECK(submit(&write) == 0 && write.request.seq_no == i);
        finish(&copy), finish(&write);
        CHECK(memory.words[0] == i && memory.words[15] == i && memory.words[16] == ~i && other.words[0] == i);
    }
    // The same buffer again and again, without waiting between.
    struct submission copy = MAKE(AMDGPU_HW_IP_DMA, &memory, COPY_STORE(memory.address, 7));
    for (int i = 0; i < 1000; i++)
        CHECK(submit(&copy) == 0);
    finish(&copy);
    CHECK(copy.request.seq_no == 1300 && memory.words[0] == 7);
    CHECK(amdgpu_bo_list_destroy(list) == 0);
    give_up(memory), give_up(other);
}

// A submission that waits is not done; one that depends on it waits, too; a third, on another ring, does not.
static void dependencies(void) {
    struct memory gate = allocate(), later = allocate(), free_one = allocate();
    struct submission first = MAKE(AMDGPU_HW_IP_COMPUTE, &gate, WAIT(gate.address, 3), WRITE(gate.address + 4, 1));
    CHECK(submit(&first) == 0);
    struct amdgpu_cs_fence before = fence(&first);
    struct submission second = MAKE(AMDGPU_HW_IP_DMA, &later, COPY_STORE(later.address, 2));
    second.request.number_of_dependencies = 1, second.request.dependencies = &before;
    CHECK(submit(&second) == 0);
    struct submission third = MAKE(AMDGPU_HW_IP_COMPUTE, &free_one, WRITE(free_one.address, 3));
    third.request.ring = 1;
    CHECK(submit(&third) == 0);
    finish(&third);
    struct amdgpu_cs_fence all[] = {fence(&first), fence(&second), fence(&third)};
    uint32_t status = 7, index = 7, expired = 7;
    CHECK(amdgpu_cs_wait_fences(all, 3, false, 0, &status, &index) == 0 && status == 1 && index == 2);
    CHECK(amdgpu_cs_wait_fences(all, 3, true, SECOND / 50, &status, NULL) == 0 && status == 0);
    CHECK(done(&first, 0, &expired) == 0 && !expired);
    CHECK(done(&second, SECOND / 50, &expired) == 0 && !expired && !later.words[0] && free_one.words[0] == 3);
    STORE(gate.words, 3);
    CHECK(amdgpu_cs_wait_fences(all, 3, true, 10ull * SECOND, &status, &index) == 0 && status == 1);
    CHECK(gate.words[1] == 1 && later.words[0] == 2);
    give_up(gate), give_up(later), give_up(free_one);
}

// Submissions that the driver refuses.
static void refusals(void) {
    struct memory memory = allocate();
    struct submission it = MAKE(AMDGPU_HW_IP_DMA, &memory, COPY_STORE(memory.address, 7));
    it.request.ring = 2;
    CHECK(submit(&it) == -EINVAL);
    it.request.ring = 0, it.request.ip_instance = 1;
    CHECK(submit(&it) == -EINVAL);
    it.request.ip_instance = 0, it.request.number_of_ibs = 0;
    CHECK(submit(&it) == -EINVAL);
    it.request.number_of_ibs = 1, it.request.ip_type = AMDGPU_HW_IP_GFX;
    CHECK(submit(&it) == -EINVAL);
    it.request.ip_type = AMDGPU_HW_IP_DMA;
    it.request.fence_info.handle = memory.object;
    CHECK(submit(&it) == -EINVAL);
    it.request.fence_info.handle = NULL;
    CHECK(submit(&it) == 0 && it.request.seq_no == 1);
    finish(&it);
    uint32_t expired = 7, state = 7, hangs = 7, number;
    uint64_t flags = 7, result;
    it.request.seq_no = 2;
    CHECK(done(&it, 0, &expired) == -EINVAL && !expired);
    CHECK(amdgpu_cs_query_reset_state(context, &state, &hangs) == 0 && !state && !hangs);
    CHECK(amdgpu_cs_query_reset_state2(context, &flags) == 0 && !flags);
    struct drm_amdgpu_bo_list_entry entry = {4711, 0};
    CHECK(amdgpu_bo_list_create_raw(device, 1, &entry, &number) == -ENOENT);
    CHECK(amdgpu_bo_list_create_raw(device, 0, &entry, &number) == 0);
    struct drm_amdgpu_cs_chunk_ib ib = {.va_start = it.buffer.ib_mc_address, .ib_bytes = 16, .ip_type = AMDGPU_HW_IP_DMA};
    struct drm_amdgpu_cs_chunk chunk = {AMDGPU_CHUNK_ID_IB, sizeof ib / 4, (uintptr_t)&ib};
    CHECK(amdgpu_cs_submit_raw2(device, context, number, 1, &chunk, &result) == 0 && result == 2);
    CHECK(amdgpu_cs_submit_raw2(device, context, number, 0, &chunk, &result) == -EINVAL);
    CHECK(amdgpu_bo_list_destroy_raw(device, number) == 0);
    CHECK(amdgpu_cs_submit_raw2(device, context, number, 1, &chunk, &result) == -ENOENT);
    finish(&it);
    amdgpu_context_handle old = context;
    CHECK(amdgpu_cs_ctx_free(old) == 0 && amdgpu_cs_ctx_free(old) == -EINVAL && submit(&it) == -EINVAL);
    CHECK(amdgpu_cs_ctx_create2(device, AMDGPU_CTX_PRIORITY_HIGH, &context) == 0);
    give_up(memory);
}

// A command that leads nowhere ends its ring; the program hears of it.
static void fault(void) {
    struct memory memory = allocate();
    struct submission it = MAKE(AMDGPU_HW_IP_DMA, &memory, COPY_STORE(0x1000, 7));
    CHECK(submit(&it) == 0);
    uint32_t expired = 7;
    CHECK(done(&it, AMDGPU_TIMEOUT_INFINITE, &expired) == -ECANCELED && !expired);
    give_up(memory);
}

static void addresses(void) {
    uint64_t address, again;
    amdgpu_va_handle range, second;
    const uint64_t large = 1 << 21;
    CHECK(amdgpu_va_range_alloc(device, amdgpu_gpu_va_range_general, 3 * PAGE, large, 0, &address, &range, 0) == 0);
    CHECK(address % large == 0);
    CHECK(amdgpu_va_range_alloc(device, amdgpu_gpu_va_range_general, PAGE, 0, address + PAGE, &again, &second, 0) == -ENOMEM);
    CHECK(amdgpu_va_range_free(range) == 0 && amdgpu_va_range_free(range) == -EINVAL);
    CHECK(amdgpu_va_range_alloc(device, amdgpu_gpu_va_range_general, PAGE, 0, address, &again, &second, 0) == 0 && again == address);
    CHECK(amdgpu_va_range_free(second) == 0);
    CHECK(amdgpu_va_range_alloc(device, amdgpu_gpu_va_range_general, PAGE, 0, 0, &address, &range, AMDGPU_VA_RANGE_32_BIT) == 0);
    CHECK(address + PAGE <= 1ull << 32 && amdgpu_va_range_free(range) == 0);
    CHECK(amdgpu_va_range_alloc(device, amdgpu_gpu_va_range_general, 0, 0, 0, &address, &range, 0) == -EINVAL);
}

int main(int count, char **arguments) {
    CHECK(count == 2);
    int kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC), render = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    CHECK(kfd >= 0 && render >= 0);
    uint32_t major, minor;
    CHECK(amdgpu_device_initialize(render, &major, &minor, &device) == 0);
    CHECK(amdgpu_cs_ctx_create(device, &context) == 0);
    const char *scene = arguments[1];
#define SCENE(name)            \
    if (!strcmp(scene, #name)) \
    name()
    SCENE(order);
    SCENE(dependencies);
    SCENE(refusals);
    SCENE(fault);
    SCENE(addresses);
    CHECK(amdgpu_cs_ctx_free(context) == 0);
    CHECK(amdgpu_device_deinitialize(device) == 0);
    printf("%s done\n", scene);
    fflush(stdout);
    _exit(0);
}
