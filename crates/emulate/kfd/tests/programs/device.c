// Queues, memory and errors of the device as the driver gives them, without a runtime: device CODE-OBJECT SCENE.
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kfd_ioctl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHECK(condition)                                                     \
    do {                                                                     \
        if (!(condition)) {                                                  \
            printf("line %d: %s (errno %d)\n", __LINE__, #condition, errno); \
            exit(1);                                                         \
        }                                                                    \
    } while (0)
#define FAILS(call, code) CHECK((call) == -1 && errno == (code))
#define LOAD(address) __atomic_load_n(address, __ATOMIC_ACQUIRE)
#define STORE(address, value) __atomic_store_n(address, value, __ATOMIC_RELEASE)
// Comes true within ten seconds; or stays untrue for a twentieth of one.
#define SOON(condition)                                     \
    do {                                                    \
        for (int i_ = 0; i_ < 100000 && !(condition); i_++) \
            usleep(100);                                    \
        CHECK(condition);                                   \
    } while (0)
#define NOT_YET(condition)   \
    do {                     \
        usleep(50000);       \
        CHECK(!(condition)); \
    } while (0)

// Headers before 1.12 lack these.
struct runtime_enable {
    uint64_t debug;
    uint32_t mode, capabilities;
};
#define RUNTIME_ENABLE _IOWR('K', 0x25, struct runtime_enable)

enum { PAGE = 4096 };
static int kfd, render;
static uint32_t gpu_ids[4], gpu_count;
static unsigned version;

static void *reserve(size_t size) {
    void *base = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(base != MAP_FAILED);
    return base;
}

struct buffer {
    char *address;
    uint64_t handle;
    size_t size;
};

static void map(struct buffer buffer, uint32_t id, unsigned long command) {
    struct kfd_ioctl_map_memory_to_gpu_args map = {.handle = buffer.handle, .device_ids_array_ptr = (uintptr_t)&id, .n_devices = 1};
    CHECK(ioctl(kfd, command, &map) == 0 && map.n_success == 1);
}

static struct buffer allocate(size_t size, uint32_t flags) {
    struct buffer buffer = {reserve(size), 0, size};
    struct kfd_ioctl_alloc_memory_of_gpu_args args = {
        .va_addr = (uintptr_t)buffer.address, .size = size, .gpu_id = gpu_ids[0], .flags = flags | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE};
    CHECK(ioctl(kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args) == 0);
    CHECK(mmap(buffer.address, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, render, args.mmap_offset) == buffer.address);
    buffer.handle = args.handle;
    return buffer;
}

static char *pages(size_t size) {
    struct buffer buffer = allocate(size, KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_COHERENT);
    map(buffer, gpu_ids[0], AMDKFD_IOC_MAP_MEMORY_TO_GPU);
    return buffer.address;
}

struct signal {
    int64_t kind, value;
    uint64_t mailbox;
    uint32_t event, pad;
    uint64_t times[2], queue, rest;
};
struct dispatch {
    uint16_t header, setup, size[3], pad;
    uint32_t grid[3], private_size, group_size;
    uint64_t code, arguments, reserved, signal;
};

// Offsets of fields of an `amd_queue_t`.
#define FIELD32(queue, offset) (*(volatile uint32_t *)((queue).control + (offset)))
#define FIELD64(queue, offset) ((uint64_t *)((queue).control + (offset)))
enum {
    WRITE_INDEX = 56,
    READ_INDEX = 128,
    TMPRING = 140,
    SCRATCH = 160,
    SCRATCH_BYTES = 168,
    REASON = 1024,
    SIGNAL = 2048,
    ARGUMENTS = 3072
};

struct queue {
    struct kfd_ioctl_create_queue_args args;
    char *ring, *control, *area;
    uint64_t next;
};

static struct queue make_queue(void) {
    struct queue queue = {.ring = pages(PAGE), .control = pages(PAGE), .area = pages(4 * PAGE)};
    for (int i = 0; i < PAGE; i += 64)
        queue.ring[i] = 1;
    // The head of the area for saved waves says where errors are told.
    *(uint64_t *)(queue.area + 24) = (uintptr_t)queue.control + REASON;
    queue.args = (struct kfd_ioctl_create_queue_args){.ring_base_address = (uintptr_t)queue.ring,
                                                      .ring_size = PAGE,
                                                      .gpu_id = gpu_ids[0],
                                                      .queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL,
                                                      .queue_percentage = 100,
                                                      .queue_priority = 7,
                                                      .read_pointer_address = (uintptr_t)queue.control + READ_INDEX,
                                                      .write_pointer_address = (uintptr_t)queue.control + WRITE_INDEX,
                                                      .ctx_save_restore_address = (uintptr_t)queue.area,
                                                      .ctx_save_restore_size = 4 * PAGE};
    CHECK(ioctl(kfd, AMDKFD_IOC_CREATE_QUEUE, &queue.args) == 0);
    return queue;
}

static int update(struct kfd_ioctl_create_queue_args *args, uint32_t percentage, bool ring) {
    struct kfd_ioctl_update_queue_args update = {.queue_id = args->queue_id,
                                                 .ring_base_address = ring ? args->ring_base_address : 0,
                                                 .ring_size = ring ? args->ring_size : 0,
                                                 .queue_percentage = percentage,
                                                 .queue_priority = 7};
    return ioctl(kfd, AMDKFD_IOC_UPDATE_QUEUE, &update);
}

static struct signal *signal_of(struct queue *queue) { return (struct signal *)(queue->control + SIGNAL); }

static void launch(struct queue *queue, uint64_t code, const void *arguments, uint32_t groups, uint32_t items, uint32_t private_size) {
    struct signal *signal = signal_of(queue);
    signal->kind = 1;
    STORE(&signal->value, 1);
    char *place = queue->control + ARGUMENTS;
    memcpy(place, arguments, 64);
    struct dispatch packet = {.header = 2,
                              .setup = 1,
                              .size = {items, 1, 1},
                              .grid = {groups * items, 1, 1},
                              .private_size = private_size,
                              .code = code,
                              .arguments = (uintptr_t)place,
                              .signal = (uintptr_t)signal};
    char *slot = queue->ring + queue->next % (PAGE / 64) * 64;
    memcpy(slot + 4, (char *)&packet + 4, 60);
    STORE((uint32_t *)slot, *(uint32_t *)&packet);
    STORE(FIELD64(*queue, WRITE_INDEX), ++queue->next);
}

static void finish(struct queue *queue) { SOON(LOAD(&signal_of(queue)->value) == 0); }

static char *code;
static const Elf64_Sym *symbols;
static const char *names;
static size_t symbol_count;

static void load(const char *path) {
    int file = open(path, O_RDONLY);
    CHECK(file >= 0);
    const char *image = mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE, file, 0);
    const Elf64_Ehdr *head = (const void *)image;
    const Elf64_Phdr *segments = (const void *)(image + head->e_phoff);
    const Elf64_Shdr *sections = (const void *)(image + head->e_shoff);
    code = pages(1 << 20);
    for (int i = 0; i < head->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD)
            memcpy(code + segments[i].p_vaddr, image + segments[i].p_offset, segments[i].p_filesz);
    for (int i = 0; i < head->e_shnum; i++)
        if (sections[i].sh_type == SHT_DYNSYM) {
            symbols = (const void *)(image + sections[i].sh_offset);
            symbol_count = sections[i].sh_size / sizeof *symbols;
            names = image + sections[sections[i].sh_link].sh_offset;
        }
}

static char *kernel(const char *name) {
    for (size_t i = 0; i < symbol_count; i++)
        if (!strcmp(names + symbols[i].st_name, name))
            return code + symbols[i].st_value;
    CHECK(!"no such kernel");
    return NULL;
}

#define LAUNCH(queue, name, groups, items, ...) \
    launch(queue, (uintptr_t)kernel(name ".kd"), (uint64_t[8]){__VA_ARGS__}, groups, items, ((uint32_t *)kernel(name ".kd"))[1])
#define PAIR(low, high) ((uint32_t)(low) | (uint64_t)(high) << 32)

// A copy engine's queue.
struct engine {
    struct kfd_ioctl_create_queue_args args;
    uint32_t *ring;
    uint64_t *written, *read;
};

static struct engine make_engine(void) {
    char *ring = pages(PAGE), *positions = pages(PAGE);
    struct engine engine = {.ring = (uint32_t *)ring, .written = (uint64_t *)positions, .read = (uint64_t *)(positions + 128)};
    engine.args = (struct kfd_ioctl_create_queue_args){.ring_base_address = (uintptr_t)ring,
                                                       .ring_size = PAGE,
                                                       .gpu_id = gpu_ids[0],
                                                       .queue_type = KFD_IOC_QUEUE_TYPE_SDMA,
                                                       .queue_percentage = 100,
                                                       .queue_priority = 7,
                                                       .write_pointer_address = (uintptr_t)engine.written,
                                                       .read_pointer_address = (uintptr_t)engine.read};
    CHECK(ioctl(kfd, AMDKFD_IOC_CREATE_QUEUE, &engine.args) == 0);
    return engine;
}

static void submit(struct engine *engine, const uint32_t *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        engine->ring[(*engine->written / 4 + i) % (PAGE / 4)] = words[i];
    STORE(engine->written, *engine->written + count * 4);
}

#define SUBMIT(engine, ...) submit(engine, (uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4)
#define ADDRESS(pointer) (uint32_t)(uintptr_t)(pointer), (uint32_t)((uintptr_t)(pointer) >> 32)
#define DONE(engine) SOON(LOAD((engine)->read) == *(engine)->written)

// Packets of the copy engines as the kernel driver's headers define them.
static void engines(void) {
    struct engine engine = make_engine();
    uint32_t *from = (uint32_t *)pages(PAGE), *to = (uint32_t *)pages(2 * PAGE), *last = to + 2 * PAGE / 4;
    for (int i = 0; i < PAGE / 4; i++)
        from[i] = i * 3;
    SUBMIT(&engine, 1 | 1 << 27, 63, 0, ADDRESS(from), ADDRESS(to), ADDRESS(to + 32));
    DONE(&engine);
    CHECK(!memcmp(from, to, 64) && !memcmp(from, to + 32, 64) && !to[16] && !to[48]);
    SUBMIT(&engine, 2, ADDRESS(to + 64), 2, 7, 8, 9);
    DONE(&engine);
    CHECK(to[64] == 7 && to[65] == 8 && to[66] == 9 && !to[67]);
    // Elements of 4, 2 and 1 bytes up to the last byte that there is.
    SUBMIT(&engine, 11 | 2u << 30, ADDRESS(last - 4), 0x01020304, 15);
    DONE(&engine);
    CHECK(last[-4] == 0x01020304 && last[-1] == 0x01020304 && !last[-5]);
    SUBMIT(&engine, 11 | 1u << 30, ADDRESS((char *)last - 6), 0xaabb, 5, 11, ADDRESS((char *)last - 1), 0x77, 0);
    DONE(&engine);
    CHECK(last[-1] == 0x77bbaabb && last[-2] == 0xaabb0304);
    // Runtimes pass counts that are a multiple of 4, less 4.
    SUBMIT(&engine, 11 | 2u << 30, ADDRESS(to + 128), 5, 4);
    DONE(&engine);
    CHECK(to[128] == 5 && to[129] == 5 && !to[130]);
    // Addition, signed minimum, exchange on comparison; 64 bits.
    to[200] = 40, to[201] = 5, to[202] = 6;
    SUBMIT(&engine, 10 | 15u << 25, ADDRESS(to + 200), 2, 0, 0, 0, 0, 10 | 17u << 25, ADDRESS(to + 201), -3, 0, 0, 0, 0);
    SUBMIT(&engine, 10 | 8u << 25, ADDRESS(to + 202), 60, 0, 7, 0, 0, 10 | 40u << 25, ADDRESS(to + 200), 9, 8, 42, -3, 0);
    DONE(&engine);
    CHECK(to[200] == 9 && to[201] == 8 && to[202] == 6);
    // Packets under a condition that does not hold are skipped.
    SUBMIT(&engine, 9, ADDRESS(to + 202), 5, 4, 5, ADDRESS(to + 203), 1, 9, ADDRESS(to + 202), 6, 4, 5, ADDRESS(to + 204), 1);
    DONE(&engine);
    CHECK(to[203] == 0 && to[204] == 1);
    // Without a ring, and without a share of time, nothing is done.
    for (int ring = 0; ring < 2; ring++) {
        CHECK(update(&engine.args, ring ? 0 : 100, ring) == 0);
        SUBMIT(&engine, 5, ADDRESS(to + 205 + ring), 1);
        NOT_YET(to[205 + ring]);
        CHECK(update(&engine.args, 100, true) == 0);
        DONE(&engine);
        CHECK(to[205 + ring] == 1);
    }
    FAILS(update(&engine.args, 101, true), EINVAL);
    engine.args.queue_priority = 16;
    FAILS(ioctl(kfd, AMDKFD_IOC_CREATE_QUEUE, &engine.args), EINVAL);
    engine.args.queue_priority = 7, engine.args.ring_size = 3000;
    FAILS(ioctl(kfd, AMDKFD_IOC_CREATE_QUEUE, &engine.args), EINVAL);
}

// A queue stops at a packet that is not emulated, and says which.
static void unknown(void) {
    struct engine engine = make_engine();
    SUBMIT(&engine, 14, 0, 0);
    NOT_YET(LOAD(engine.read));
}

static void suspension(void) {
    struct queue queue = make_queue(), other = make_queue();
    uint32_t *words = (uint32_t *)pages(PAGE);
    for (uint32_t round = 1; round <= 4; round++) {
        LAUNCH(&queue, "wait_for", 2, 64, (uintptr_t)words, (uintptr_t)(words + 16), (uintptr_t)(words + 32), round);
        SOON(LOAD(words + 16) == round);
        CHECK(update(&queue.args, round % 2 ? 0 : 100, round % 2) == 0);
        STORE(words, round);
        // Another queue goes on meanwhile.
        LAUNCH(&other, "fill", 1, 1, (uintptr_t)(words + 64), PAIR(round, 1));
        finish(&other);
        CHECK(words[64] == round);
        NOT_YET(LOAD(words + 32) == round || LOAD(&signal_of(&queue)->value) == 0);
        CHECK(update(&queue.args, 100, true) == 0);
        finish(&queue);
        CHECK(LOAD(words + 32) == round);
    }
    // A queue can be destroyed with a kernel that stands still.
    LAUNCH(&queue, "wait_for", 1, 64, (uintptr_t)words, (uintptr_t)(words + 16), (uintptr_t)(words + 32), 99);
    SOON(LOAD(words + 16) == 99);
    CHECK(update(&queue.args, 0, true) == 0);
    struct kfd_ioctl_destroy_queue_args destroy = {queue.args.queue_id};
    CHECK(ioctl(kfd, AMDKFD_IOC_DESTROY_QUEUE, &destroy) == 0);
}

static void scratch(void) {
    enum { WAVES = 32, GROUPS = 16, ITEMS = 64, START = 3 };
    struct queue queue = make_queue();
    uint32_t unit = version >= 110000 ? 256 : 1024, lane = ((uint32_t *)kernel("privately.kd"))[1];
    uint32_t wave_bytes = (lane * 64 + unit - 1) / unit * unit, bytes = WAVES * wave_bytes;
    char *memory = pages((bytes + 2 * PAGE) & ~(PAGE - 1));
    uint32_t *sums = (uint32_t *)pages(2 * PAGE);
    memset(memory, 0xa5, bytes + PAGE);
    FIELD32(queue, TMPRING) = WAVES | wave_bytes / unit << 12;
    *FIELD64(queue, SCRATCH) = (uintptr_t)memory;
    *FIELD64(queue, SCRATCH_BYTES) = bytes;
    LAUNCH(&queue, "privately", GROUPS, ITEMS, (uintptr_t)sums, START);
    finish(&queue);
    for (uint32_t id = 0; id < GROUPS * ITEMS; id++) {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < 32; i++)
            sum += START + id * ((START + i * 7 + id) % 32);
        CHECK(sums[id] == sum);
    }
    size_t used = 0;
    for (uint32_t i = 0; i < bytes; i++)
        used += memory[i] != (char)0xa5;
    CHECK(used > 0 && memory[bytes] == (char)0xa5);
}

static void doorbells(void) {
    struct queue queue = make_queue();
    size_t size = 2 * PAGE;
    char *place = reserve(size);
    struct kfd_ioctl_alloc_memory_of_gpu_args args = {.va_addr = (uintptr_t)place,
                                                      .size = size,
                                                      .gpu_id = gpu_ids[0],
                                                      .flags = KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE};
    CHECK(ioctl(kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args) == 0);
    CHECK(mmap(place, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, kfd, queue.args.doorbell_offset & ~(size - 1)) == place);
    map((struct buffer){place, args.handle, size}, gpu_ids[0], AMDKFD_IOC_MAP_MEMORY_TO_GPU);
    LAUNCH(&queue, "ring", 1, 1, (uintptr_t)place + queue.args.doorbell_offset % size, 7);
    finish(&queue);
    struct kfd_ioctl_free_memory_of_gpu_args free = {args.handle};
    CHECK(ioctl(kfd, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &free) == 0);
}

static uint32_t fault_event(void) {
    struct kfd_ioctl_create_event_args event = {.event_type = KFD_IOC_EVENT_MEMORY, .node_id = 1};
    CHECK(ioctl(kfd, AMDKFD_IOC_CREATE_EVENT, &event) == 0);
    return event.event_id;
}

// A fault at this address comes within ten seconds.
static void faults_at(uint32_t event, const void *address) {
    struct kfd_event_data data = {.event_id = event};
    struct kfd_ioctl_wait_events_args wait = {.events_ptr = (uintptr_t)&data, .num_events = 1, .timeout = 10000};
    CHECK(ioctl(kfd, AMDKFD_IOC_WAIT_EVENTS, &wait) == 0 && wait.wait_result == 0);
    CHECK(data.memory_exception_data.va == (uintptr_t)address && data.memory_exception_data.failure.NotPresent);
}

// Registers and unregisters a program's own memory as the thunk does. If the devices have shared memory, the thunk sets attributes and
// leaves them at the end, so that kernels still reach the memory until the program unmaps it. Otherwise it makes a mapping, which ends.
static void registered(bool by_mapping) {
    enum { USER = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE | KFD_IOC_ALLOC_MEM_FLAGS_COHERENT };
    uint32_t *memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    struct {
        struct kfd_ioctl_svm_args head;
        struct kfd_ioctl_svm_attribute row;
    } args = {{(uintptr_t)memory, PAGE, KFD_IOCTL_SVM_OP_SET_ATTR, 1}, {KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE, gpu_ids[0]}};
    struct kfd_ioctl_alloc_memory_of_gpu_args user = {
        .va_addr = (uintptr_t)memory, .size = PAGE, .gpu_id = gpu_ids[0], .flags = USER, .mmap_offset = (uintptr_t)memory};
    struct buffer buffer = {(char *)memory, 0, PAGE};
    if (by_mapping) {
        CHECK(ioctl(kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &user) == 0);
        buffer.handle = user.handle;
        map(buffer, gpu_ids[0], AMDKFD_IOC_MAP_MEMORY_TO_GPU);
    } else {
        CHECK(ioctl(kfd, _IOC(_IOC_READ | _IOC_WRITE, 'K', 0x20, sizeof args), &args) == 0);
    }
    uint32_t event = fault_event();
    struct queue queue = make_queue();
    LAUNCH(&queue, "fill", 1, 1, (uintptr_t)memory, PAIR(1, 2));
    finish(&queue);
    CHECK(memory[0] == 1 && memory[1] == 2);
    if (by_mapping) {
        map(buffer, gpu_ids[0], AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU);
        struct kfd_ioctl_free_memory_of_gpu_args free = {user.handle};
        CHECK(ioctl(kfd, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &free) == 0);
    } else {
        LAUNCH(&queue, "fill", 1, 1, (uintptr_t)memory, PAIR(7, 2));
        finish(&queue);
        CHECK(memory[0] == 7 && memory[1] == 8 && munmap(memory, PAGE) == 0);
    }
    LAUNCH(&queue, "fill", 1, 1, (uintptr_t)memory, PAIR(9, 2));
    faults_at(event, memory);
    CHECK(!by_mapping || memory[0] == 1);
}

// Memory that is not mapped to the device, which stops its queue: by a copy, or by a kernel.
static void unmapped(bool by_kernel, bool of_peer) {
    struct buffer buffer = allocate(PAGE, KFD_IOC_ALLOC_MEM_FLAGS_VRAM);
    uint32_t *words = (uint32_t *)pages(PAGE);
    if (of_peer) {
        CHECK(gpu_count == 2);
        map(buffer, gpu_ids[1], AMDKFD_IOC_MAP_MEMORY_TO_GPU);
    } else {
        map(buffer, gpu_ids[0], AMDKFD_IOC_MAP_MEMORY_TO_GPU);
        map(buffer, gpu_ids[0], AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU);
    }
    uint32_t event = fault_event();
    struct queue queue = make_queue();
    struct engine engine = make_engine();
    if (by_kernel)
        LAUNCH(&queue, "fill", 1, 1, (uintptr_t)buffer.address, PAIR(1, 1));
    else
        SUBMIT(&engine, 1, 63, 0, ADDRESS(words), ADDRESS(buffer.address));
    faults_at(event, buffer.address);
    CHECK(!*(volatile uint32_t *)buffer.address);
}

// Memory comes back with what was in it; two mappings are two.
static void mapping(void) {
    struct buffer buffer = allocate(PAGE, KFD_IOC_ALLOC_MEM_FLAGS_VRAM);
    struct engine engine = make_engine();
    uint32_t *words = (uint32_t *)buffer.address;
    for (int i = 0; i < 3; i++) {
        map(buffer, gpu_ids[0], AMDKFD_IOC_MAP_MEMORY_TO_GPU);
        SUBMIT(&engine, 5, ADDRESS(words + i), 4 + i);
        DONE(&engine);
        CHECK(words[i] == 4u + i);
        map(buffer, gpu_ids[0], AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU);
    }
    uint32_t bad = 4711;
    struct kfd_ioctl_map_memory_to_gpu_args args = {.handle = buffer.handle, .device_ids_array_ptr = (uintptr_t)&bad, .n_devices = 1};
    FAILS(ioctl(kfd, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &args), EINVAL);
    struct kfd_ioctl_alloc_memory_of_gpu_args large = {.va_addr = 1ULL << 40, .size = 1ULL << 50, .gpu_id = gpu_ids[0], .flags = 1};
    FAILS(ioctl(kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &large), ENOMEM);
    large.size = 0;
    FAILS(ioctl(kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &large), EINVAL);
}

static void shared(void) {
    struct {
        struct kfd_ioctl_svm_args head;
        struct kfd_ioctl_svm_attribute row;
    } args = {{0x10000, PAGE, KFD_IOCTL_SVM_OP_SET_ATTR, 1}, {KFD_IOCTL_SVM_ATTR_ACCESS, gpu_ids[0]}};
    unsigned long request = _IOC(_IOC_READ | _IOC_WRITE, 'K', 0x20, sizeof args);
    FAILS(ioctl(kfd, request, &args), EFAULT);
    char *memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED && munmap(memory + PAGE, PAGE) == 0);
    args.head.start_addr = (uintptr_t)memory, args.head.size = 2 * PAGE;
    FAILS(ioctl(kfd, request, &args), EFAULT);
    args.head.op = KFD_IOCTL_SVM_OP_GET_ATTR;
    FAILS(ioctl(kfd, request, &args), EFAULT);
    args.head.op = KFD_IOCTL_SVM_OP_SET_ATTR, args.head.size = PAGE;
    CHECK(ioctl(kfd, request, &args) == 0);
    struct engine engine = make_engine();
    SUBMIT(&engine, 5, ADDRESS(memory), 6);
    DONE(&engine);
    CHECK(*(uint32_t *)memory == 6);
    args.row.value = 4711;
    FAILS(ioctl(kfd, request, &args), EINVAL);
    args.head.start_addr++;
    FAILS(ioctl(kfd, request, &args), EINVAL);
}

// Workgroups run on the units whose bits are set, which the driver deals to the shader engines in turn.
static void units(void) {
    struct queue queue = make_queue();
    uint32_t *to = (uint32_t *)pages(PAGE), words[1];
    struct kfd_ioctl_set_cu_mask_args mask = {.queue_id = queue.args.queue_id, .num_cu_mask = 32, .cu_mask_ptr = (uintptr_t)words};
    // Bits, unit and engine: there are four engines. Since gfx10 two bits are a work-group processor.
    static const uint32_t old[3][2] = {{1 << 1, 1 << 4}, {1 << 4, 1}, {1 << 7, 3 << 4 | 1}};
    static const uint32_t recent[3][2] = {{3, 0}, {3 << 2, 1 << 4}, {3 << 6, 3 << 4}};
    for (int i = 0; i < 3; i++) {
        const uint32_t *row = version >= 100000 ? recent[i] : old[i];
        words[0] = row[0];
        CHECK(ioctl(kfd, AMDKFD_IOC_SET_CU_MASK, &mask) == 0);
        memset(to, 0xff, PAGE);
        LAUNCH(&queue, "places", 256, 64, (uintptr_t)to);
        finish(&queue);
        for (int group = 0; group < 256; group++)
            CHECK(to[group] == row[1]);
    }
    // Short workgroups come to all units of a mask in turn, however few run at a time.
    for (int bits = 2; bits <= 8; bits *= 2) {
        int processors = version >= 100000 ? bits / 2 : bits, used = 0;
        bool seen[64] = {false};
        words[0] = (1U << bits) - 1;
        CHECK(ioctl(kfd, AMDKFD_IOC_SET_CU_MASK, &mask) == 0);
        memset(to, 0xff, PAGE);
        LAUNCH(&queue, "places", 256, 64, (uintptr_t)to);
        finish(&queue);
        for (int group = 0; group < 256; group++) {
            CHECK(to[group] < 64);
            used += !seen[to[group]];
            seen[to[group]] = true;
        }
        CHECK(used == processors);
    }
    words[0] = 2;
    if (version >= 100000)
        FAILS(ioctl(kfd, AMDKFD_IOC_SET_CU_MASK, &mask), EINVAL);
    mask.queue_id = 4711;
    FAILS(ioctl(kfd, AMDKFD_IOC_SET_CU_MASK, &mask), EFAULT);
    mask.num_cu_mask = 31;
    FAILS(ioctl(kfd, AMDKFD_IOC_SET_CU_MASK, &mask), EINVAL);
}

// Errors of queues come as bits of a word as soon as a runtime has asked for that, and it can ask again after it has left.
static void exceptions(void) {
    struct runtime_enable enable = {.mode = 1};
    for (int i = 0; i < 3; i++) {
        CHECK(ioctl(kfd, RUNTIME_ENABLE, &enable) == 0 && enable.capabilities >> 31 == 1);
        FAILS(ioctl(kfd, RUNTIME_ENABLE, &enable), EBUSY);
        enable.mode = 0;
        CHECK(ioctl(kfd, RUNTIME_ENABLE, &enable) == 0 && ioctl(kfd, RUNTIME_ENABLE, &enable) == 0);
        enable.mode = 1;
    }
    struct queue early = make_queue();
    FAILS(ioctl(kfd, RUNTIME_ENABLE, &enable), EEXIST);
    struct kfd_ioctl_destroy_queue_args destroy = {early.args.queue_id};
    CHECK(ioctl(kfd, AMDKFD_IOC_DESTROY_QUEUE, &destroy) == 0);
    CHECK(ioctl(kfd, RUNTIME_ENABLE, &enable) == 0);
    struct queue queue = make_queue();
    struct kfd_ioctl_create_event_args event = {.event_type = KFD_IOC_EVENT_SIGNAL, .auto_reset = 1};
    CHECK(ioctl(kfd, AMDKFD_IOC_CREATE_EVENT, &event) == 0);
    *(uint32_t *)(queue.area + 32) = event.event_id;
    LAUNCH(&queue, "give_up", 1, 1, 0);
    struct kfd_event_data data = {.event_id = event.event_id};
    struct kfd_ioctl_wait_events_args wait = {.events_ptr = (uintptr_t)&data, .num_events = 1, .timeout = 10000};
    CHECK(ioctl(kfd, AMDKFD_IOC_WAIT_EVENTS, &wait) == 0 && wait.wait_result == 0);
    // EC_QUEUE_WAVE_TRAP is the second bit.
    CHECK(LOAD(FIELD64(queue, REASON)) == 2);
    // A dispatch without dimensions: EC_QUEUE_PACKET_DISPATCH_DIM_INVALID, 16.
    struct queue other = make_queue();
    LAUNCH(&other, "fill", 0, 1, 0);
    SOON(LOAD(FIELD64(other, REASON)) == 1 << 15);
}

// A queue of PM4 commands; layouts are those of the kernel driver's headers.
struct commands {
    struct kfd_ioctl_create_queue_args args;
    uint32_t *ring;
    uint64_t *written;
    uint32_t *read;
};

static struct commands make_commands(void) {
    char *ring = pages(PAGE), *positions = pages(PAGE);
    struct commands queue = {.ring = (uint32_t *)ring, .written = (uint64_t *)positions, .read = (uint32_t *)(positions + 128)};
    queue.args = (struct kfd_ioctl_create_queue_args){.ring_base_address = (uintptr_t)ring,
                                                      .ring_size = PAGE,
                                                      .gpu_id = gpu_ids[0],
                                                      .queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE,
                                                      .queue_percentage = 100,
                                                      .queue_priority = 7,
                                                      .write_pointer_address = (uintptr_t)queue.written,
                                                      .read_pointer_address = (uintptr_t)queue.read};
    CHECK(ioctl(kfd, AMDKFD_IOC_CREATE_QUEUE, &queue.args) == 0);
    return queue;
}

static void command(struct commands *queue, uint32_t opcode, const uint32_t *body, size_t count) {
    uint64_t at = *queue->written;
    queue->ring[at++ % (PAGE / 4)] = 0xc0000000 | (count - 1) << 16 | opcode << 8;
    for (size_t i = 0; i < count; i++)
        queue->ring[at++ % (PAGE / 4)] = body[i];
    STORE(queue->written, at);
}

#define COMMAND(queue, opcode, ...) command(queue, opcode, (uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4)
#define PASSED(queue) SOON(LOAD((queue)->read) == *(queue)->written % (PAGE / 4))
enum {
    WRITE_DATA = 0x37,
    COPY_DATA = 0x40,
    ATOMIC_MEM = 0x1e,
    RELEASE_MEM = 0x49,
    SET_SH_REG = 0x76,
    WAIT_REG_MEM = 0x3c,
    COND_EXEC = 0x22
};

// Sets the registers for a kernel as its descriptor says, which the packet processor does for AQL.
static void set_kernel(struct commands *queue, const char *name, uint64_t arguments, uint32_t items, uint64_t scratch, uint32_t tmpring) {
    char *descriptor = kernel(name);
    const uint32_t *words = (uint32_t *)descriptor;
    uint64_t entry = (uintptr_t)descriptor + *(int64_t *)(descriptor + 16);
    uint32_t properties = words[14], user[16] = {0}, used = properties & 1 ? 4 : 0;
    used += (properties & 2 ? 2 : 0) + (properties & 4 ? 2 : 0);
    if (properties & 8)
        user[used] = arguments, user[used + 1] = arguments >> 32;
    COMMAND(queue, SET_SH_REG, 0x204, 0, 0, 0, items, 1, 1, 0, 0);
    COMMAND(queue, SET_SH_REG, 0x20c, entry >> 8, entry >> 40);
    COMMAND(queue, SET_SH_REG, 0x210, scratch >> 8, scratch >> 40, words[12], words[13]);
    COMMAND(queue, SET_SH_REG, version >= 100000 ? 0x228 : 0x22d, words[11]);
    COMMAND(queue, SET_SH_REG, 0x215, 0);
    COMMAND(queue, SET_SH_REG, 0x218, tmpring);
    uint32_t data[17] = {0x240};
    memcpy(data + 1, user, sizeof user);
    command(queue, SET_SH_REG, data, 17);
}

static uint32_t initiator(const char *name, bool counts_threads) {
    bool wave32 = ((uint32_t *)kernel(name))[14] >> 10 & 1;
    return 1 | 1 << 2 | counts_threads << 5 | (uint32_t)wave32 << 15;
}

static void commands(void) {
    struct commands queue = make_commands();
    uint32_t *to = (uint32_t *)pages(2 * PAGE), *buffer = (uint32_t *)pages(PAGE);
    COMMAND(&queue, WRITE_DATA, 5 << 8 | 1 << 20, ADDRESS(to), 7, 8, 9);
    COMMAND(&queue, WRITE_DATA, 5 << 8 | 1 << 16, ADDRESS(to + 4), 1, 2);
    PASSED(&queue);
    CHECK(to[0] == 7 && to[1] == 8 && to[2] == 9 && !to[3] && to[4] == 2 && !to[5]);
    COMMAND(&queue, COPY_DATA, 1 | 5 << 8 | 1 << 16, ADDRESS(to), ADDRESS(to + 6));
    COMMAND(&queue, COPY_DATA, 5 | 5 << 8, 77, 0, ADDRESS(to + 8));
    COMMAND(&queue, COPY_DATA, 9 | 5 << 8 | 1 << 16, 0, 0, ADDRESS(to + 10));
    COMMAND(&queue, ATOMIC_MEM, 15, ADDRESS(to), 30, 0, 0, 0, 0);
    PASSED(&queue);
    CHECK(to[6] == 7 && to[7] == 8 && to[8] == 77 && !to[9] && (to[10] || to[11]) && to[0] == 37);
    // Commands that change nothing here: NOP, EVENT_WRITE, ACQUIRE_MEM, HDP_FLUSH, and a filler of one dword.
    COMMAND(&queue, 0x10, 1, 2, 3);
    COMMAND(&queue, 0x46, 0x407);
    if (version >= 100000)
        COMMAND(&queue, 0x58, 0, ~0u, 0xff, 0, 0, 10, 0x3fff);
    else
        COMMAND(&queue, 0x58, 0, ~0u, 0xff, 0, 0, 10);
    COMMAND(&queue, 0x95, 0);
    queue.ring[*queue.written % (PAGE / 4)] = 0x80000000;
    STORE(queue.written, *queue.written + 1);
    // A wait, behind which an interrupt comes with a value.
    struct kfd_ioctl_create_event_args event = {.event_type = KFD_IOC_EVENT_SIGNAL, .auto_reset = 1};
    CHECK(ioctl(kfd, AMDKFD_IOC_CREATE_EVENT, &event) == 0);
    COMMAND(&queue, WAIT_REG_MEM, 3 | 1 << 4, ADDRESS(to + 16), 5, ~0u, 4);
    COMMAND(&queue, RELEASE_MEM, 0x14 | 5 << 8, 1u << 29 | 2 << 24, ADDRESS(to + 17), event.event_trigger_data, 0,
            event.event_trigger_data);
    NOT_YET(LOAD(to + 17));
    STORE(to + 16, 5);
    struct kfd_event_data data = {.event_id = event.event_id};
    struct kfd_ioctl_wait_events_args wait = {.events_ptr = (uintptr_t)&data, .num_events = 1, .timeout = 10000};
    CHECK(ioctl(kfd, AMDKFD_IOC_WAIT_EVENTS, &wait) == 0 && wait.wait_result == 0 && LOAD(to + 17) == event.event_trigger_data);
    // Dispatches, their size in workgroups and in threads, from the command and from memory.
    uint64_t *arguments = (uint64_t *)(buffer + 512);
    arguments[0] = (uintptr_t)(to + 64), arguments[1] = PAIR(40, 3);
    set_kernel(&queue, "fill.kd", (uintptr_t)arguments, 1, 0, 0);
    COMMAND(&queue, 0x15, 1, 1, 1, initiator("fill.kd", false));
    COMMAND(&queue, WRITE_DATA, 5 << 8, ADDRESS(to + 18), 6);
    PASSED(&queue);
    CHECK(to[64] == 40 && to[66] == 42 && !to[67] && to[18] == 6);
    arguments[0] = (uintptr_t)(to + 256);
    uint32_t *size = buffer + 600;
    size[0] = 200, size[1] = size[2] = 1;
    set_kernel(&queue, "places.kd", (uintptr_t)arguments, 64, 0, 0);
    memset(to + 256, 0xff, PAGE);
    COMMAND(&queue, 0x16, ADDRESS(size), initiator("places.kd", true));
    PASSED(&queue);
    CHECK(to[259] != ~0u && to[260] == ~0u);
    // Commands in a buffer of their own, some of which are passed over.
    uint32_t inside[] = {0xc0031000 | WRITE_DATA << 8, 5 << 8, ADDRESS(to + 20), 3};
    inside[0] = 0xc0000000 | 3 << 16 | WRITE_DATA << 8;
    memcpy(buffer, inside, sizeof inside);
    COMMAND(&queue, 0x3f, ADDRESS(buffer), 5 | 1 << 23);
    COMMAND(&queue, COND_EXEC, ADDRESS(to + 30), 0, 5);
    COMMAND(&queue, WRITE_DATA, 5 << 8, ADDRESS(to + 21), 4);
    COMMAND(&queue, WRITE_DATA, 5 << 8, ADDRESS(to + 22), 5);
    PASSED(&queue);
    CHECK(to[20] == 3 && !to[21] && to[22] == 5);
    // As long as a buffer waits, the ring is not done.
    uint32_t waiting[] = {0xc0000000 | 5 << 16 | WAIT_REG_MEM << 8, 5 | 1 << 4, ADDRESS(to + 26), 2, ~0u, 4};
    memcpy(buffer, waiting, sizeof waiting);
    uint32_t before = *queue.written % (PAGE / 4);
    COMMAND(&queue, 0x3f, ADDRESS(buffer), 7);
    NOT_YET(LOAD(queue.read) != before);
    STORE(to + 26, 3);
    PASSED(&queue);
    // Units as in other queues.
    uint32_t bits = version >= 100000 ? 0xc : 2;
    struct kfd_ioctl_set_cu_mask_args mask = {.queue_id = queue.args.queue_id, .num_cu_mask = 32, .cu_mask_ptr = (uintptr_t)&bits};
    CHECK(ioctl(kfd, AMDKFD_IOC_SET_CU_MASK, &mask) == 0);
    // The ring begins again behind its end, in the middle of a command, too.
    for (uint32_t i = 0; i < 500; i++) {
        COMMAND(&queue, WRITE_DATA, 5 << 8, ADDRESS(to + 24), i, i + 1);
        PASSED(&queue);
        CHECK(to[24] == i && to[25] == i + 1);
    }
    // Scratch memory that hardware finds by a register.
    if (version == 90402 || version >= 110000) {
        uint32_t unit = version >= 110000 ? 256 : 1024, lane = ((uint32_t *)kernel("privately.kd"))[1];
        uint32_t units = (lane * 64 + unit - 1) / unit;
        char *scratch = pages(64 << 10);
        arguments[0] = (uintptr_t)to, arguments[1] = 3;
        set_kernel(&queue, "privately.kd", (uintptr_t)arguments, 64, (uintptr_t)scratch, 8 | units << 12);
        COMMAND(&queue, 0x15, 4, 1, 1, initiator("privately.kd", false));
        PASSED(&queue);
        for (uint32_t id = 0; id < 256; id++) {
            uint32_t sum = 0;
            for (uint32_t i = 0; i < 32; i++)
                sum += 3 + id * ((3 + i * 7 + id) % 32);
            CHECK(to[id] == sum);
        }
        bool used = false;
        for (int i = 0; i < 4096; i++)
            used |= scratch[i] != 0;
        CHECK(used);
    }
    // A kernel stands still, as in other queues, and goes with its queue.
    memset(to, 0, 256);
    arguments[0] = (uintptr_t)to, arguments[1] = (uintptr_t)(to + 16), arguments[2] = (uintptr_t)(to + 32), arguments[3] = 9;
    set_kernel(&queue, "wait_for.kd", (uintptr_t)arguments, 64, 0, 0);
    COMMAND(&queue, 0x15, 1, 1, 1, initiator("wait_for.kd", false));
    SOON(LOAD(to + 16) == 9);
    CHECK(update(&queue.args, 0, true) == 0);
    STORE(to, 9);
    NOT_YET(LOAD(to + 32));
    CHECK(update(&queue.args, 100, true) == 0);
    PASSED(&queue);
    CHECK(to[32] == 9);
    struct kfd_ioctl_destroy_queue_args destroy = {queue.args.queue_id};
    CHECK(ioctl(kfd, AMDKFD_IOC_DESTROY_QUEUE, &destroy) == 0);
}

static void unknown_command(void) {
    struct commands queue = make_commands();
    COMMAND(&queue, 0x7f, 0);
    NOT_YET(LOAD(queue.read));
}

static unsigned long long property(int node, const char *name) {
    char path[100], key[64];
    unsigned long long value, found = ~0ULL;
    snprintf(path, sizeof path, "/sys/class/kfd/kfd/topology/nodes/%d/properties", node);
    FILE *stream = fopen(path, "r");
    while (stream && fscanf(stream, "%63s %llu", key, &value) == 2)
        if (!strcmp(key, name))
            found = value;
    if (stream)
        fclose(stream);
    return found;
}

int main(int count, char **arguments) {
    CHECK(count == 3);
    kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
    char path[100];
    snprintf(path, sizeof path, "/dev/dri/renderD%llu", property(1, "drm_render_minor"));
    render = open(path, O_RDWR | O_CLOEXEC);
    CHECK(kfd >= 0 && render >= 0);
    for (int node = 1;; node++) {
        snprintf(path, sizeof path, "/sys/class/kfd/kfd/topology/nodes/%d/gpu_id", node);
        FILE *stream = fopen(path, "r");
        if (!stream)
            break;
        CHECK(fscanf(stream, "%u", &gpu_ids[gpu_count++]) == 1);
        fclose(stream);
    }
    version = property(1, "gfx_target_version");
    // The firmware supports debuggers (bit 29), as far as its version goes.
    CHECK(property(1, "capability") >> 29 & 1 && property(1, "fw_version") > 50 && property(1, "sdma_fw_version") > 0);
    load(arguments[1]);
    const char *scene = arguments[2];
    bool peer = strstr(scene, "peer");
    if (!strncmp(scene, "unmapped", 8))
        unmapped(strstr(scene, "kernel"), peer);
#define SCENE(name)            \
    if (!strcmp(scene, #name)) \
    name()
    SCENE(engines);
    SCENE(unknown);
    SCENE(suspension);
    SCENE(scratch);
    SCENE(doorbells);
    SCENE(mapping);
    SCENE(shared);
    if (!strncmp(scene, "registered", 10))
        registered(strstr(scene, "mapping"));
    SCENE(units);
    SCENE(exceptions);
    SCENE(commands);
    SCENE(unknown_command);
    printf("%s done\n", scene);
    fflush(stdout);
    _exit(0);
}
