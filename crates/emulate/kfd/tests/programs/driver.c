// Talks to the driver as the thunk inside ROCr does, command by command.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/kfd_ioctl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                     \
    do {                                                                     \
        if (!(condition)) {                                                  \
            printf("line %d: %s (errno %d)\n", __LINE__, #condition, errno); \
            exit(1);                                                         \
        }                                                                    \
    } while (0)
#define FAILS(call, code) CHECK((call) == -1 && errno == (code))

// Headers before 1.12 lack these.
struct export_dmabuf {
    uint64_t handle;
    uint32_t flags, descriptor;
};
#define EXPORT_DMABUF _IOWR('K', 0x24, struct export_dmabuf)
struct runtime_enable {
    uint64_t debug;
    uint32_t mode, capabilities;
};
#define RUNTIME_ENABLE _IOWR('K', 0x25, struct runtime_enable)
struct ipc_export {
    uint64_t handle;
    uint32_t share[4], gpu_id, flags;
};
#define IPC_EXPORT _IOWR('K', 0x81, struct ipc_export)
struct ipc_import {
    uint64_t handle, address, offset;
    uint32_t share[4], gpu_id, flags;
};
#define IPC_IMPORT _IOWR('K', 0x80, struct ipc_import)

enum { PAGE = 4096, TOPOLOGY_NODES = 2 };
static const char *TOPOLOGY = "/sys/devices/virtual/kfd/kfd/topology";
static int kfd, render;
static uint32_t gpu_id;

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

static struct buffer allocate(size_t size, uint32_t flags) {
    struct buffer buffer = {reserve(size), 0, size};
    struct kfd_ioctl_alloc_memory_of_gpu_args args = {.va_addr = (uintptr_t)buffer.address,
                                                      .size = size,
                                                      .gpu_id = gpu_id,
                                                      .flags =
                                                          flags | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE | KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE};
    CHECK(ioctl(kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args) == 0 && args.handle);
    void *mapped = mmap(buffer.address, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, render, args.mmap_offset);
    CHECK(mapped == buffer.address);
    uint32_t ids[] = {gpu_id};
    struct kfd_ioctl_map_memory_to_gpu_args map = {.handle = args.handle, .device_ids_array_ptr = (uintptr_t)ids, .n_devices = 1};
    CHECK(ioctl(kfd, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &map) == 0 && map.n_success == 1);
    buffer.handle = args.handle;
    return buffer;
}

static void release(struct buffer buffer) {
    struct kfd_ioctl_free_memory_of_gpu_args args = {buffer.handle};
    CHECK(ioctl(kfd, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &args) == 0);
    FAILS(ioctl(kfd, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &args), EINVAL);
    CHECK(munmap(buffer.address, buffer.size) == 0);
}

static unsigned long long property(const char *file, const char *name) {
    char path[200], key[64];
    unsigned long long value, found = ~0ULL;
    snprintf(path, sizeof path, "%s/%s", TOPOLOGY, file);
    FILE *stream = fopen(path, "r");
    CHECK(stream);
    while (fscanf(stream, "%63s %llu", key, &value) == 2)
        if (!strcmp(key, name))
            found = value;
    fclose(stream);
    return found;
}

static void files(void) {
    struct stat status;
    CHECK(access("/dev/kfd", R_OK | W_OK) == 0 && stat("/dev/kfd", &status) == 0 && S_ISCHR(status.st_mode));
    CHECK(stat(TOPOLOGY, &status) == 0 && S_ISDIR(status.st_mode));
    CHECK(stat("/sys/class/kfd/kfd/topology/generation_id", &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 2);
    FAILS(access("/sys/class/kfd/kfd/topology/nothing", R_OK), ENOENT);
    FAILS(access("/sys/class/kfd/kfd/topology/generation_id", W_OK), EACCES);
    FAILS(open("/sys/class/kfd/kfd/topology/generation_id", O_RDWR), EACCES);
    CHECK(!opendir("/sys/class/kfd/kfd/topology/generation_id") && errno == ENOTDIR);
    char path[100], text[16] = "";
    snprintf(path, sizeof path, "%s/nodes", TOPOLOGY);
    DIR *folder = opendir(path);
    CHECK(folder);
    unsigned names = 0;
    for (struct dirent *entry; (entry = readdir(folder));)
        names += entry->d_name[0] != '.' && entry->d_type == DT_DIR;
    CHECK(names == TOPOLOGY_NODES);
    closedir(folder);
    folder = opendir("/");
    CHECK(folder && readdir(folder) && closedir(folder) == 0);
    int state = open("/sys/module/amdgpu/initstate", O_RDONLY);
    CHECK(state >= 0 && read(state, text, sizeof text) == 5 && !strcmp(text, "live\n") && close(state) == 0);
    CHECK(property("nodes/0/properties", "simd_count") == 0);
    CHECK(property("nodes/1/properties", "gfx_target_version") == 90010);
    CHECK(property("nodes/1/mem_banks/0/properties", "size_in_bytes") == 16ULL << 30);
    CHECK(property("nodes/1/caches/1/properties", "level") == 2 && property("nodes/1/io_links/0/properties", "node_to") == 0);
    snprintf(path, sizeof path, "%s/nodes/1/gpu_id", TOPOLOGY);
    FILE *stream = fopen(path, "r");
    CHECK(stream && fscanf(stream, "%u", &gpu_id) == 1 && gpu_id);
    fclose(stream);
}

static unsigned listed(DIR *folder) {
    unsigned names = 0;
    CHECK(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        names += entry->d_name[0] != '.';
    return names;
}

// A folder as a descriptor, under each of its names.
static void folders(const char *path) {
    struct stat status, inside, same;
    char text[PATH_MAX] = "", file[200];
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CHECK(folder >= 0 && fcntl(folder, F_GETFD) == FD_CLOEXEC);
    CHECK(stat(path, &status) == 0 && S_ISDIR(status.st_mode));
    CHECK(fstat(folder, &same) == 0 && S_ISDIR(same.st_mode) && same.st_ino == status.st_ino);
    CHECK(fstatat(folder, "", &same, AT_EMPTY_PATH) == 0 && same.st_ino == status.st_ino);
    FAILS(open(path, O_RDWR), EISDIR);
    // Files in it, seen from it.
    int generation = openat(folder, "../topology/generation_id", O_RDONLY);
    CHECK(generation >= 0 && read(generation, text, sizeof text) == 2 && text[0] == '1' && fstat(generation, &inside) == 0);
    CHECK(S_ISREG(inside.st_mode) && fstatat(folder, "generation_id", &same, 0) == 0 && same.st_size == inside.st_size);
    CHECK(faccessat(folder, "./nodes//1/gpu_id", R_OK, 0) == 0);
    close(generation);
    FAILS(openat(folder, "nothing", O_RDONLY), ENOENT);
    FAILS(openat(folder, "generation_id", O_RDONLY | O_DIRECTORY), ENOTDIR);
    FAILS(openat(folder, "", O_RDONLY), ENOENT);
    int nodes = openat(dup(folder), "nodes", O_RDONLY | O_DIRECTORY);
    CHECK(nodes >= 0);
    // In small pieces, as the system call gives them.
    char entries[64];
    unsigned names = 0;
    for (ssize_t length; (length = getdents64(nodes, entries, sizeof entries));) {
        CHECK(length > 0);
        for (struct dirent64 *entry = (void *)entries; (char *)entry < entries + length; entry = (void *)((char *)entry + entry->d_reclen))
            names += entry->d_name[0] != '.' && entry->d_type == DT_DIR;
    }
    CHECK(names == TOPOLOGY_NODES);
    FAILS(getdents64(folder, entries, 4), EINVAL);
    DIR *stream = fdopendir(nodes);
    CHECK(listed(stream) == TOPOLOGY_NODES && dirfd(stream) == nodes);
    seekdir(stream, 0);
    CHECK(telldir(stream) == 0 && listed(stream) == TOPOLOGY_NODES && closedir(stream) == 0 && fcntl(nodes, F_GETFD) == -1);
    stream = opendir(path);
    CHECK(listed(stream) == 3 && fstatat(dirfd(stream), "nodes/0/gpu_id", &same, 0) == 0 && closedir(stream) == 0);
    // Both names are one folder.
    CHECK(realpath(path, text) == text && !strcmp(text, TOPOLOGY));
    snprintf(file, sizeof file, "/sys/class/../class//kfd/./kfd");
    CHECK(lstat(file, &same) == 0 && S_ISLNK(same.st_mode) && stat(file, &same) == 0 && S_ISDIR(same.st_mode));
    ssize_t length = readlink(file, text, sizeof text);
    CHECK(length == 29 && !strncmp(text, "../../devices/virtual/kfd/kfd", length));
    CHECK(readlinkat(folder, "nodes", text, sizeof text) == -1 && errno == EINVAL);
    FAILS(readlink("/sys/class/kfd/nothing", text, sizeof text), ENOENT);
    close(folder);
    FAILS(openat(folder, "nodes", O_RDONLY), EBADF);
    // Other paths and folders are the system's.
    char *real = realpath("/dev/../dev/null", NULL);
    CHECK(real && !strcmp(real, "/dev/null") && realpath("/dev/..", text) == text && !strcmp(text, "/"));
    free(real);
    CHECK(!realpath("/nowhere", NULL) && errno == ENOENT);
    folder = open("/", O_RDONLY | O_DIRECTORY);
    CHECK(folder >= 0 && fstatat(folder, "dev/null", &same, 0) == 0 && listed(fdopendir(folder)) > 0);
    CHECK(fstat(kfd, &same) == 0 && S_ISCHR(same.st_mode) && stat("/dev/kfd", &status) == 0 && same.st_rdev == status.st_rdev);
}

static void descriptors(void) {
    struct kfd_ioctl_get_version_args version = {0};
    CHECK(ioctl(kfd, AMDKFD_IOC_GET_VERSION, &version) == 0 && version.major_version == 1 && version.minor_version >= 15);
    int copies[] = {dup(kfd), fcntl(kfd, F_DUPFD_CLOEXEC, 100), dup2(kfd, 200), dup3(kfd, 201, O_CLOEXEC), open("/dev/kfd", O_RDWR)};
    for (unsigned i = 0; i < sizeof copies / sizeof *copies; i++) {
        CHECK(copies[i] >= 0 && ioctl(copies[i], AMDKFD_IOC_GET_VERSION, &version) == 0);
        CHECK(close(copies[i]) == 0);
        FAILS(ioctl(copies[i], AMDKFD_IOC_GET_VERSION, &version), EBADF);
    }
    // A number that is reused belongs to another file.
    int other = open("/dev/null", O_RDWR);
    CHECK(other == copies[0]);
    FAILS(ioctl(other, AMDKFD_IOC_GET_VERSION, &version), ENOTTY);
    close(other);
    struct pollfd waiting = {.fd = kfd, .events = POLLIN};
    CHECK(poll(&waiting, 1, 0) >= 0);
    FAILS(ioctl(kfd, AMDKFD_IOC_GET_VERSION, NULL), EFAULT);
    FAILS(ioctl(kfd, _IOWR('K', 0x7f, struct kfd_ioctl_get_version_args), &version), EINVAL);
    FAILS(ioctl(kfd, _IOWR('x', 1, struct kfd_ioctl_get_version_args), &version), ENOTTY);
    struct runtime_enable enable = {.mode = 0};
    CHECK(ioctl(kfd, RUNTIME_ENABLE, &enable) == 0);
    // Twice each, which is said once.
    for (int i = 0; i < 2; i++) {
        FAILS(ioctl(kfd, _IOWR('K', 0x85, uint64_t), &enable), EOPNOTSUPP);
    }
    struct kfd_ioctl_set_xnack_mode_args xnack = {-1};
    CHECK(ioctl(kfd, AMDKFD_IOC_SET_XNACK_MODE, &xnack) == 0 && xnack.xnack_enabled == 0);
    struct kfd_process_device_apertures aperture = {0};
    struct kfd_ioctl_get_process_apertures_new_args apertures = {0};
    CHECK(ioctl(kfd, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &apertures) == 0 && apertures.num_of_nodes == 1);
    apertures.kfd_process_device_apertures_ptr = (uintptr_t)&aperture;
    CHECK(ioctl(kfd, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &apertures) == 0);
    CHECK(aperture.gpu_id == gpu_id && aperture.lds_base == 1ULL << 48 && aperture.gpuvm_limit == (1ULL << 47) - 1);
    struct kfd_ioctl_acquire_vm_args acquire = {.drm_fd = render, .gpu_id = 4711};
    FAILS(ioctl(kfd, AMDKFD_IOC_ACQUIRE_VM, &acquire), EINVAL);
    acquire.gpu_id = gpu_id;
    CHECK(ioctl(kfd, AMDKFD_IOC_ACQUIRE_VM, &acquire) == 0);
}

static void memory(void) {
    struct kfd_ioctl_get_available_memory_args before = {.gpu_id = gpu_id}, during = before;
    CHECK(ioctl(kfd, AMDKFD_IOC_AVAILABLE_MEMORY, &before) == 0);
    struct buffer buffer = allocate(3 * PAGE, KFD_IOC_ALLOC_MEM_FLAGS_VRAM);
    CHECK(ioctl(kfd, AMDKFD_IOC_AVAILABLE_MEMORY, &during) == 0 && before.available - during.available == 3 * PAGE);
    memset(buffer.address, 7, buffer.size);
    // Another view of the same memory.
    struct export_dmabuf exported = {buffer.handle, O_CLOEXEC, 0};
    CHECK(ioctl(kfd, EXPORT_DMABUF, &exported) == 0);
    char *view = mmap(NULL, buffer.size, PROT_READ | PROT_WRITE, MAP_SHARED, exported.descriptor, 0);
    CHECK(view != MAP_FAILED && view[2 * PAGE] == 7);
    view[PAGE] = 9;
    CHECK(buffer.address[PAGE] == 9);
    struct kfd_ioctl_get_dmabuf_info_args info = {.dmabuf_fd = exported.descriptor};
    CHECK(ioctl(kfd, AMDKFD_IOC_GET_DMABUF_INFO, &info) == 0 && info.size == 3 * PAGE && info.gpu_id == gpu_id);
    char *place = reserve(buffer.size);
    struct kfd_ioctl_import_dmabuf_args import = {.va_addr = (uintptr_t)place, .gpu_id = gpu_id, .dmabuf_fd = exported.descriptor};
    CHECK(ioctl(kfd, AMDKFD_IOC_IMPORT_DMABUF, &import) == 0 && place[PAGE] == 9);
    release((struct buffer){place, import.handle, buffer.size});
    close(exported.descriptor);
    munmap(view, buffer.size);
    release(buffer);
    CHECK(ioctl(kfd, AMDKFD_IOC_AVAILABLE_MEMORY, &during) == 0 && before.available == during.available);
    // More than the device has, far from the end of the address space, where a range of this size is none at all.
    struct kfd_ioctl_alloc_memory_of_gpu_args args = {.va_addr = 1ULL << 40, .size = 1ULL << 36, .gpu_id = gpu_id, .flags = 1};
    FAILS(ioctl(kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args), ENOMEM);
    // The driver's attributes of the program's own memory.
    struct {
        struct kfd_ioctl_svm_args head;
        struct kfd_ioctl_svm_attribute rows[2];
    } shared = {{(uintptr_t)&args & ~4095ULL, PAGE, KFD_IOCTL_SVM_OP_SET_ATTR, 2},
                {{KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, gpu_id}, {KFD_IOCTL_SVM_ATTR_ACCESS, gpu_id}}};
    unsigned long request = _IOC(_IOC_READ | _IOC_WRITE, 'K', 0x20, sizeof shared);
    CHECK(ioctl(kfd, request, &shared) == 0);
    shared.head.op = KFD_IOCTL_SVM_OP_GET_ATTR;
    shared.rows[0].value = 0;
    CHECK(ioctl(kfd, request, &shared) == 0 && shared.rows[0].value == gpu_id && shared.rows[1].type == KFD_IOCTL_SVM_ATTR_ACCESS);
    shared.head.nattr = 3;
    FAILS(ioctl(kfd, request, &shared), EINVAL);
}

static int xnack_mode(int mode) {
    struct kfd_ioctl_set_xnack_mode_args xnack = {mode};
    return ioctl(kfd, AMDKFD_IOC_SET_XNACK_MODE, &xnack) == 0 ? xnack.xnack_enabled : -errno;
}

// Devices that can retry accesses do so for processes that ask for it. They then have access to memory that was never
// registered.
static void xnack(void) {
    static char page[2 * PAGE];
    struct {
        struct kfd_ioctl_svm_args head;
        struct kfd_ioctl_svm_attribute rows[1];
    } asked = {{(uintptr_t)(page + PAGE - 1) & ~4095ULL, PAGE, KFD_IOCTL_SVM_OP_GET_ATTR, 1}, {{KFD_IOCTL_SVM_ATTR_ACCESS, gpu_id}}};
    unsigned long request = _IOC(_IOC_READ | _IOC_WRITE, 'K', 0x20, sizeof asked);
    CHECK(xnack_mode(1) == 1 && xnack_mode(-1) == 1);
    CHECK(ioctl(kfd, request, &asked) == 0 && asked.rows[0].type == KFD_IOCTL_SVM_ATTR_ACCESS);
    CHECK(xnack_mode(0) == 0 && xnack_mode(-7) == 0);
    asked.rows[0].type = KFD_IOCTL_SVM_ATTR_ACCESS;
    CHECK(ioctl(kfd, request, &asked) == 0 && asked.rows[0].type == KFD_IOCTL_SVM_ATTR_NO_ACCESS);
}

// True if a page has the attribute that `mark` gave it.
static bool is_marked(char *page, bool mark) {
    enum { FLAG = KFD_IOCTL_SVM_FLAG_GPU_EXEC };
    struct {
        struct kfd_ioctl_svm_args head;
        struct kfd_ioctl_svm_attribute rows[1];
    } args = {{(uintptr_t)page, PAGE, mark ? KFD_IOCTL_SVM_OP_SET_ATTR : KFD_IOCTL_SVM_OP_GET_ATTR, 1},
              {{KFD_IOCTL_SVM_ATTR_SET_FLAGS, FLAG}}};
    CHECK(ioctl(kfd, _IOC(_IOC_READ | _IOC_WRITE, 'K', 0x20, sizeof args), &args) == 0);
    return args.rows[0].value & FLAG;
}

// Attributes of shared memory end with the mapping. A new one at the same addresses has none.
static void unmapped_memory(void) {
    enum { PRIVATE = MAP_PRIVATE | MAP_ANONYMOUS, WRITE = PROT_READ | PROT_WRITE, PAGES = 8 };
    int (*their_munmap)(void *, size_t) = (int (*)(void *, size_t))dlsym(dlopen("libc.so.6", RTLD_LAZY), "munmap");
    char *page = mmap(NULL, PAGES * PAGE, WRITE, PRIVATE, -1, 0), *elsewhere = reserve(PAGES * PAGE);
    CHECK(page != MAP_FAILED && their_munmap);
    for (int way = 0; way < 9; way++) {
        for (int n = 0; n < PAGES; n++)
            is_marked(page + n * PAGE, true);
        bool all = way < 6 && way != 1;
        switch (way) {
        case 0: CHECK(munmap(page, PAGES * PAGE) == 0); break;
        case 1: CHECK(mmap(page, PAGES * PAGE, WRITE, PRIVATE | MAP_FIXED, -1, 0) == page); break;
        case 2: CHECK(syscall(SYS_munmap, page, PAGES * PAGE) == 0); break;
        case 3: CHECK(their_munmap(page, PAGES * PAGE) == 0); break;
        case 4: CHECK(mremap(page, PAGES * PAGE, PAGES * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, elsewhere) == elsewhere); break;
        case 5:
            CHECK((char *)syscall(SYS_mremap, page, PAGES * PAGE, PAGES * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, elsewhere) == elsewhere);
            break;
        case 6: CHECK(munmap(page + 2 * PAGE, 3 * PAGE) == 0); break;
        case 7: CHECK(mremap(page, PAGES * PAGE, 2 * PAGE, 0) == page); break;
        // Nothing is unmapped: neither by a call that fails nor by other rights or other contents.
        case 8:
            FAILS(munmap(page + 1, PAGE), EINVAL);
            madvise(page, PAGE, MADV_DONTNEED);
            mprotect(page, PAGE, PROT_READ);
            break;
        }
        if (all)
            CHECK(mmap(page, PAGES * PAGE, WRITE, PRIVATE | MAP_FIXED_NOREPLACE, -1, 0) == page);
        for (int n = 0; n < PAGES; n++) {
            bool kept = way == 8 || (way == 6 && (n < 2 || n > 4)) || (way == 7 && n < 2);
            if (way == 6 || way == 7)
                CHECK(kept || mmap(page + n * PAGE, PAGE, WRITE, PRIVATE | MAP_FIXED_NOREPLACE, -1, 0) == page + n * PAGE);
            if (is_marked(page + n * PAGE, false) != kept) {
                printf("way %d page %d: attributes are %s\n", way, n, kept ? "lost" : "kept");
                exit(1);
            }
        }
    }
    munmap(page, PAGES * PAGE);
}

static int listener(uint64_t mask) {
    struct kfd_ioctl_smi_events_args args = {.gpuid = gpu_id};
    CHECK(ioctl(kfd, AMDKFD_IOC_SMI_EVENTS, &args) == 0);
    CHECK(write(args.anon_fd, &mask, sizeof mask) == sizeof mask);
    return args.anon_fd;
}

// Moves a page, and says of what kind the lines are that a listener then gets.
static uint64_t heard(int descriptor, char *page, uint32_t from, uint32_t to) {
    struct {
        struct kfd_ioctl_svm_args head;
        struct kfd_ioctl_svm_attribute rows[1];
    } args = {{(uintptr_t)page, PAGE, KFD_IOCTL_SVM_OP_SET_ATTR, 1}, {{KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, to}}};
    CHECK(ioctl(kfd, _IOC(_IOC_READ | _IOC_WRITE, 'K', 0x20, sizeof args), &args) == 0);
    struct pollfd ready = {descriptor, POLLIN};
    if (poll(&ready, 1, 0) == 0) {
        FAILS(read(descriptor, &ready, 1), EAGAIN);
        return 0;
    }
    char lines[512] = "";
    CHECK(read(descriptor, lines, sizeof lines - 1) > 0);
    uint64_t kinds = 0, time, at, size;
    for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n")) {
        unsigned kind, origin, goal, prefetched, preferred;
        int process, trigger, error, read = 0;
        CHECK(sscanf(line, "%x %lu -%d @%lx(%lx) %x->%x%n", &kind, &time, &process, &at, &size, &origin, &goal, &read) == 7);
        CHECK(time && process == getpid() && at == (uintptr_t)page / PAGE && size == 1 && origin == from && goal == to);
        if (kind == KFD_SMI_EVENT_MIGRATE_START)
            CHECK(sscanf(line + read, " %x:%x %d", &prefetched, &preferred, &trigger) == 3 && prefetched == to && preferred == -1U &&
                  trigger == 0);
        else
            CHECK(kind == 6 && sscanf(line + read, " %d %d", &trigger, &error) == 2 && trigger == 0 && error == 0);
        kinds |= 1ULL << (kind - 1);
    }
    return kinds;
}

// Lines of text about what happens on the device, of the kinds that the reader has asked for.
static void system_events(void) {
    enum { START = 1 << 4, END = 1 << 5 };
    struct kfd_ioctl_smi_events_args args = {.gpuid = 4711};
    FAILS(ioctl(kfd, AMDKFD_IOC_SMI_EVENTS, &args), EINVAL);
    char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int all = listener(START | END), some = listener(START), none = listener(0);
    CHECK(page != MAP_FAILED && heard(all, page, 0, gpu_id) == (START | END) && heard(some, page, 0, gpu_id) == START);
    // It is there already.
    CHECK(heard(all, page, gpu_id, gpu_id) == 0);
    CHECK(heard(all, page, gpu_id, 0) == (START | END) && heard(some, page, gpu_id, 0) == START);
    uint64_t mask = END;
    CHECK(write(all, &mask, sizeof mask) == sizeof mask && heard(all, page, 0, gpu_id) == END);
    CHECK(heard(none, page, gpu_id, 0) == 0);
    // A client that does not read disturbs no other one, and the driver forgets a client that has left.
    for (int i = 0; i < 5000; i++)
        heard(none, page, 0, i & 1 ? 0 : gpu_id);
    CHECK(close(some) == 0 && heard(none, page, 0, gpu_id) == 0);
    CHECK(close(all) == 0 && close(none) == 0 && munmap(page, PAGE) == 0);
}

static uint32_t event(void) {
    struct kfd_ioctl_create_event_args args = {.event_type = KFD_IOC_EVENT_SIGNAL, .auto_reset = 1};
    CHECK(ioctl(kfd, AMDKFD_IOC_CREATE_EVENT, &args) == 0 && args.event_id && args.event_page_offset);
    CHECK(args.event_slot_index < KFD_SIGNAL_EVENT_LIMIT);
    return args.event_id;
}

// Waits at most so many ms; returns the result and, in `age`, how old the event is.
static uint32_t wait_event(uint32_t id, uint64_t *age, uint32_t ms) {
    struct kfd_event_data data = {.event_id = id};
    memcpy(&data, age, 8);
    struct kfd_ioctl_wait_events_args args = {(uintptr_t)&data, 1, 0, ms, 9};
    CHECK(ioctl(kfd, AMDKFD_IOC_WAIT_EVENTS, &args) == 0);
    memcpy(age, &data, 8);
    return args.wait_result;
}

// The driver's answers where there is no event, or one that the host may not set, or one that goes away.
static void *destroy_soon(void *id) {
    struct kfd_ioctl_destroy_event_args gone = {*(uint32_t *)id};
    usleep(50000);
    return (void *)(intptr_t)ioctl(kfd, AMDKFD_IOC_DESTROY_EVENT, &gone);
}

static void absent_events(void) {
    struct kfd_event_data data = {.event_id = 4000};
    struct kfd_ioctl_wait_events_args wait = {(uintptr_t)&data, 1, 0, 0, 9};
    FAILS(ioctl(kfd, AMDKFD_IOC_WAIT_EVENTS, &wait), EINVAL);
    CHECK(wait.wait_result == KFD_IOC_WAIT_RESULT_FAIL);
    struct kfd_ioctl_set_event_args set = {4000};
    struct kfd_ioctl_reset_event_args reset = {4000};
    struct kfd_ioctl_destroy_event_args destroy = {4000};
    FAILS(ioctl(kfd, AMDKFD_IOC_SET_EVENT, &set), EINVAL);
    FAILS(ioctl(kfd, AMDKFD_IOC_RESET_EVENT, &reset), EINVAL);
    FAILS(ioctl(kfd, AMDKFD_IOC_DESTROY_EVENT, &destroy), EINVAL);
    struct kfd_ioctl_create_event_args faults = {.event_type = KFD_IOC_EVENT_MEMORY, .node_id = 1};
    CHECK(ioctl(kfd, AMDKFD_IOC_CREATE_EVENT, &faults) == 0);
    set.event_id = reset.event_id = destroy.event_id = faults.event_id;
    FAILS(ioctl(kfd, AMDKFD_IOC_SET_EVENT, &set), EINVAL);
    FAILS(ioctl(kfd, AMDKFD_IOC_RESET_EVENT, &reset), EINVAL);
    CHECK(ioctl(kfd, AMDKFD_IOC_DESTROY_EVENT, &destroy) == 0);
    // None at all are all there.
    struct kfd_ioctl_wait_events_args none = {(uintptr_t)&data, 0, 1, 0, 9};
    CHECK(ioctl(kfd, AMDKFD_IOC_WAIT_EVENTS, &none) == 0 && none.wait_result == KFD_IOC_WAIT_RESULT_COMPLETE);
    none.wait_for_all = 0;
    CHECK(ioctl(kfd, AMDKFD_IOC_WAIT_EVENTS, &none) == 0 && none.wait_result == KFD_IOC_WAIT_RESULT_COMPLETE);
    pthread_t thread;
    void *destroyed;
    data.event_id = event(), wait.timeout = 20000;
    CHECK(pthread_create(&thread, NULL, destroy_soon, &data.event_id) == 0);
    FAILS(ioctl(kfd, AMDKFD_IOC_WAIT_EVENTS, &wait), EIO);
    CHECK(wait.wait_result == KFD_IOC_WAIT_RESULT_FAIL);
    CHECK(pthread_join(thread, &destroyed) == 0 && !destroyed);
}

// The driver's answers to queues that cannot be.
static void absent_queues(void) {
    struct kfd_ioctl_create_queue_args args = {.gpu_id = gpu_id, .queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL, .ring_size = PAGE};
    // Nothing is mapped at address 0; no program has the other one.
    FAILS(ioctl(kfd, AMDKFD_IOC_CREATE_QUEUE, &args), EINVAL);
    args.ring_base_address = 1ULL << 63;
    FAILS(ioctl(kfd, AMDKFD_IOC_CREATE_QUEUE, &args), EFAULT);
    args.ring_base_address = 0, args.write_pointer_address = 1ULL << 63;
    FAILS(ioctl(kfd, AMDKFD_IOC_CREATE_QUEUE, &args), EFAULT);
    args.write_pointer_address = 0, args.queue_priority = 16;
    FAILS(ioctl(kfd, AMDKFD_IOC_CREATE_QUEUE, &args), EINVAL);
    args.queue_priority = 0, args.queue_percentage = 101;
    FAILS(ioctl(kfd, AMDKFD_IOC_CREATE_QUEUE, &args), EINVAL);
    args.queue_percentage = 100, args.queue_type = 99;
    // ENOTSUPP, for which the C library has no name.
    FAILS(ioctl(kfd, AMDKFD_IOC_CREATE_QUEUE, &args), 524);
    struct kfd_ioctl_update_queue_args update = {.queue_id = 4711};
    FAILS(ioctl(kfd, AMDKFD_IOC_UPDATE_QUEUE, &update), EFAULT);
    struct kfd_ioctl_destroy_queue_args destroy = {4711};
    FAILS(ioctl(kfd, AMDKFD_IOC_DESTROY_QUEUE, &destroy), EINVAL);
}

static void events(void) {
    uint32_t id = event();
    struct kfd_ioctl_set_event_args set = {.event_id = id};
    uint64_t age = 1;
    CHECK(wait_event(id, &age, 1) == KFD_IOC_WAIT_RESULT_TIMEOUT && age == 1);
    CHECK(ioctl(kfd, AMDKFD_IOC_SET_EVENT, &set) == 0);
    CHECK(wait_event(id, &age, 1000) == KFD_IOC_WAIT_RESULT_COMPLETE && age == 2);
    CHECK(wait_event(id, &age, 1) == KFD_IOC_WAIT_RESULT_TIMEOUT);
    // Another thread was told; who saw less is told, too.
    age = 1;
    CHECK(wait_event(id, &age, 1000) == KFD_IOC_WAIT_RESULT_COMPLETE && age == 2);
    CHECK(ioctl(kfd, AMDKFD_IOC_DESTROY_EVENT, &set) == 0);
    FAILS(ioctl(kfd, AMDKFD_IOC_SET_EVENT, &set), EINVAL);
}

// A copy engine alone finds memory protected. (The engines of kernels have not been started yet.)
static void protected_memory(void) {
    enum { GTT = KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_COHERENT };
    struct buffer ring = allocate(PAGE, GTT), control = allocate(PAGE, GTT);
    memset(control.address, 0, PAGE);
    char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct {
        struct kfd_ioctl_svm_args head;
        struct kfd_ioctl_svm_attribute rows[1];
    } shared = {{(uintptr_t)page, PAGE, KFD_IOCTL_SVM_OP_SET_ATTR, 1}, {{KFD_IOCTL_SVM_ATTR_ACCESS, gpu_id}}};
    unsigned long request = _IOC(_IOC_READ | _IOC_WRITE, 'K', 0x20, sizeof shared);
    CHECK(page != MAP_FAILED && ioctl(kfd, request, &shared) == 0 && mprotect(page, PAGE, PROT_READ) == 0);
    struct kfd_ioctl_create_event_args fault = {.event_type = KFD_IOC_EVENT_MEMORY, .node_id = gpu_id};
    CHECK(ioctl(kfd, AMDKFD_IOC_CREATE_EVENT, &fault) == 0);
    struct kfd_ioctl_create_queue_args args = {.ring_base_address = (uintptr_t)ring.address,
                                               .ring_size = PAGE,
                                               .gpu_id = gpu_id,
                                               .write_pointer_address = (uintptr_t)control.address,
                                               .read_pointer_address = (uintptr_t)(control.address + 8),
                                               .queue_type = KFD_IOC_QUEUE_TYPE_SDMA,
                                               .queue_percentage = 100,
                                               .queue_priority = 7};
    int faults = listener(1 << (KFD_SMI_EVENT_VMFAULT - 1));
    // A fence stores a word.
    uint32_t words[] = {5, (uintptr_t)page, (uintptr_t)page >> 32, 1};
    memcpy(ring.address, words, sizeof words);
    CHECK(ioctl(kfd, AMDKFD_IOC_CREATE_QUEUE, &args) == 0);
    __atomic_store_n((uint64_t *)control.address, sizeof words, __ATOMIC_RELEASE);
    struct kfd_event_data data = {.event_id = fault.event_id};
    struct kfd_ioctl_wait_events_args wait = {.events_ptr = (uintptr_t)&data, .num_events = 1, .timeout = 20000};
    CHECK(ioctl(kfd, AMDKFD_IOC_WAIT_EVENTS, &wait) == 0 && wait.wait_result == KFD_IOC_WAIT_RESULT_COMPLETE);
    CHECK(data.memory_exception_data.va == (uintptr_t)page && page[0] == 0);
    char said[64] = "", expected[64];
    snprintf(expected, sizeof expected, "1 %x:%s\n", getpid(), program_invocation_short_name);
    CHECK(read(faults, said, sizeof said - 1) > 0 && !strcmp(said, expected) && close(faults) == 0);
    struct kfd_ioctl_destroy_queue_args destroy = {args.queue_id};
    CHECK(ioctl(kfd, AMDKFD_IOC_DESTROY_QUEUE, &destroy) == 0);
    struct kfd_ioctl_destroy_event_args gone = {fault.event_id};
    CHECK(ioctl(kfd, AMDKFD_IOC_DESTROY_EVENT, &gone) == 0 && munmap(page, PAGE) == 0);
    release(ring);
    release(control);
}

static void queues(void) {
    enum { GTT = KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_COHERENT };
    struct buffer ring = allocate(PAGE, GTT), control = allocate(2 * PAGE, GTT), data = allocate(2 * PAGE, GTT);
    memset(ring.address, 0, PAGE);
    for (int i = 0; i < 64; i++)
        ring.address[i * 64] = 1;
    // `amd_queue_t` with write position at 56 and read position at 128; behind it a signal.
    char *queue = control.address;
    int64_t *signal = (int64_t *)(control.address + PAGE);
    uint32_t id = event();
    signal[0] = 1;
    signal[1] = 1;
    signal[2] = (uintptr_t)(control.address + PAGE + 512);
    ((uint32_t *)signal)[6] = id;
    struct kfd_ioctl_create_queue_args args = {.ring_base_address = (uintptr_t)ring.address,
                                               .ring_size = PAGE,
                                               .gpu_id = gpu_id,
                                               .write_pointer_address = (uintptr_t)(queue + 56),
                                               .read_pointer_address = (uintptr_t)(queue + 128),
                                               .queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL,
                                               .queue_percentage = 100,
                                               .queue_priority = 7};
    CHECK(ioctl(kfd, AMDKFD_IOC_CREATE_QUEUE, &args) == 0);
    // The mode is for all queues of a process.
    CHECK(xnack_mode(1) == -EBUSY && xnack_mode(0) == -EBUSY && xnack_mode(-1) == 0);
    void *doorbells = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, kfd, args.doorbell_offset & ~8191ULL);
    CHECK(doorbells != MAP_FAILED);
    // A barrier packet without dependencies.
    *(uint64_t *)(ring.address + 56) = (uintptr_t)signal;
    __atomic_store_n((uint64_t *)(queue + 56), 1, __ATOMIC_RELEASE);
    __atomic_store_n((uint16_t *)ring.address, 3, __ATOMIC_RELEASE);
    ((volatile uint64_t *)doorbells)[(args.doorbell_offset & 8191) / 8] = 0;
    uint64_t age = 1;
    CHECK(wait_event(id, &age, 10000) == KFD_IOC_WAIT_RESULT_COMPLETE && signal[1] == 0);
    CHECK(*(uint64_t *)(queue + 128) == 1);
    uint32_t mask[] = {1};
    struct kfd_ioctl_set_cu_mask_args compute_units = {args.queue_id, 32, (uintptr_t)mask};
    CHECK(ioctl(kfd, AMDKFD_IOC_SET_CU_MASK, &compute_units) == 0);
    struct kfd_ioctl_update_queue_args update = {
        .ring_base_address = args.ring_base_address, .queue_id = args.queue_id, .ring_size = PAGE, .queue_percentage = 0};
    CHECK(ioctl(kfd, AMDKFD_IOC_UPDATE_QUEUE, &update) == 0);
    struct kfd_ioctl_destroy_queue_args destroy = {args.queue_id};
    CHECK(ioctl(kfd, AMDKFD_IOC_DESTROY_QUEUE, &destroy) == 0);
    FAILS(ioctl(kfd, AMDKFD_IOC_DESTROY_QUEUE, &destroy), EINVAL);

    // A copy engine's queue, whose positions the caller keeps: one linear copy of 64 bytes.
    memset(ring.address, 0, PAGE);
    memset(queue, 0, PAGE);
    strcpy(data.address, "copied by an engine");
    uint64_t source = (uintptr_t)data.address, destination = source + PAGE;
    uint32_t words[] = {1, 63, 0, source, source >> 32, destination, destination >> 32};
    memcpy(ring.address, words, sizeof words);
    args.queue_type = 4;
    CHECK(ioctl(kfd, AMDKFD_IOC_CREATE_QUEUE, &args) == 0);
    __atomic_store_n((uint64_t *)(queue + 56), sizeof words, __ATOMIC_RELEASE);
    for (int i = 0; i < 10000 && __atomic_load_n((uint64_t *)(queue + 128), __ATOMIC_ACQUIRE) != sizeof words; i++)
        usleep(1000);
    CHECK(!strcmp(data.address + PAGE, "copied by an engine"));
    destroy.queue_id = args.queue_id;
    CHECK(ioctl(kfd, AMDKFD_IOC_DESTROY_QUEUE, &destroy) == 0);
    args.queue_type = 9;
    FAILS(ioctl(kfd, AMDKFD_IOC_CREATE_QUEUE, &args), 524);
    args.queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
    args.ring_base_address = 4096;
    FAILS(ioctl(kfd, AMDKFD_IOC_CREATE_QUEUE, &args), EINVAL);
    release(ring);
    release(control);
    release(data);
}

struct imported {
    void *object;
    uint64_t size;
};

// Memory without an address is put at one, and at another by libdrm's functions. Metadata that one user of a buffer
// object sets is read by another user of the same memory; the structures are libdrm's.
static void metadata(void) {
    struct metadata {
        uint64_t flags, tiling;
        uint32_t size, words[64];
    } said = {.flags = 3, .tiling = 5, .size = 8, .words = {7, 9}};
    struct {
        uint64_t size, alignment;
        uint32_t heap;
        uint64_t flags;
        struct metadata metadata;
    } info;
    int (*initialize)(int, uint32_t *, uint32_t *, void **) = dlsym(RTLD_DEFAULT, "amdgpu_device_initialize");
    int (*deinitialize)(void *) = dlsym(RTLD_DEFAULT, "amdgpu_device_deinitialize");
    int (*import)(void *, int, uint32_t, struct imported *) = dlsym(RTLD_DEFAULT, "amdgpu_bo_import");
    int (*free_object)(void *) = dlsym(RTLD_DEFAULT, "amdgpu_bo_free");
    int (*say)(void *, struct metadata *) = dlsym(RTLD_DEFAULT, "amdgpu_bo_set_metadata");
    int (*ask)(void *, void *) = dlsym(RTLD_DEFAULT, "amdgpu_bo_query_info");
    uint32_t major, minor;
    void *device;
    CHECK(initialize(render, &major, &minor, &device) == 0);
    struct buffer buffer = allocate(2 * PAGE, KFD_IOC_ALLOC_MEM_FLAGS_VRAM);
    memset(buffer.address, 4, buffer.size);
    struct export_dmabuf first = {buffer.handle, O_CLOEXEC, 0}, second = first;
    struct imported one, other;
    CHECK(ioctl(kfd, EXPORT_DMABUF, &first) == 0 && import(device, 2, first.descriptor, &one) == 0);
    memset(&info, 1, sizeof info);
    CHECK(ask(one.object, &info) == 0 && info.size == 2 * PAGE && info.metadata.size == 0 && info.metadata.words[0] == 0);
    CHECK(say(one.object, &said) == 0);
    // For other users the memory is no longer than it was, and unchanged.
    CHECK(ioctl(kfd, EXPORT_DMABUF, &second) == 0 && import(device, 2, second.descriptor, &other) == 0 && other.size == 2 * PAGE);
    CHECK(ask(other.object, &info) == 0 && info.size == 2 * PAGE && info.alignment == PAGE && info.heap == 4);
    CHECK(memcmp(&info.metadata, &said, 8 + 8 + 4 + sizeof said.words) == 0 && buffer.address[2 * PAGE - 1] == 4);
    said = (struct metadata){0};
    CHECK(say(other.object, &said) == 0 && ask(one.object, &info) == 0 && info.metadata.size == 0);
    said.size = sizeof said.words + 1;
    CHECK(say(one.object, &said) != 0);
    CHECK(free_object(one.object) == 0 && ask(one.object, &info) != 0 && free_object(other.object) == 0);
    close(first.descriptor);
    close(second.descriptor);
    release(buffer);
    CHECK(deinitialize(device) == 0);
}

// Memory that libdrm's functions allocate, with what is said of it, becomes the driver's.
static void graphics_memory(void) {
    struct metadata {
        uint64_t flags, tiling;
        uint32_t size, words[64];
    } said = {.size = 9};
    struct {
        uint64_t size, alignment;
        uint32_t heap;
        uint64_t flags;
    } wanted = {PAGE + 1, PAGE, 4, 0};
    int (*initialize)(int, uint32_t *, uint32_t *, void **) = dlsym(RTLD_DEFAULT, "amdgpu_device_initialize");
    int (*alloc)(void *, void *, void **) = dlsym(RTLD_DEFAULT, "amdgpu_bo_alloc");
    int (*map)(void *, void **) = dlsym(RTLD_DEFAULT, "amdgpu_bo_cpu_map");
    int (*unmap)(void *) = dlsym(RTLD_DEFAULT, "amdgpu_bo_cpu_unmap");
    int (*say)(void *, struct metadata *) = dlsym(RTLD_DEFAULT, "amdgpu_bo_set_metadata");
    int (*export)(void *, int, uint32_t *) = dlsym(RTLD_DEFAULT, "amdgpu_bo_export");
    int (*free_object)(void *) = dlsym(RTLD_DEFAULT, "amdgpu_bo_free");
    uint32_t major, minor, descriptor;
    void *device, *object, *one, *other;
    CHECK(initialize(render, &major, &minor, &device) == 0);
    struct kfd_ioctl_get_available_memory_args before = {.gpu_id = gpu_id}, after = before;
    CHECK(ioctl(kfd, AMDKFD_IOC_AVAILABLE_MEMORY, &before) == 0);
    CHECK(alloc(device, &wanted, &object) == 0);
    CHECK(ioctl(kfd, AMDKFD_IOC_AVAILABLE_MEMORY, &after) == 0 && before.available - after.available == 2 * PAGE);
    CHECK(unmap(object) == -EINVAL && map(object, &one) == 0 && map(object, &other) == 0 && one == other);
    strcpy(one, "drawn");
    CHECK(unmap(object) == 0 && !strcmp(other, "drawn") && unmap(object) == 0 && unmap(object) == -EINVAL);
    memcpy(said.words, "meta data", 9);
    CHECK(say(object, &said) == 0 && export(object, 2, &descriptor) == 0);
    char heard[16] = "";
    struct kfd_ioctl_get_dmabuf_info_args info = {.dmabuf_fd = descriptor};
    CHECK(ioctl(kfd, AMDKFD_IOC_GET_DMABUF_INFO, &info) == 0 && info.size == 2 * PAGE && info.metadata_size == 9);
    info.metadata_ptr = (uintptr_t)heard;
    info.metadata_size = 8;
    FAILS(ioctl(kfd, AMDKFD_IOC_GET_DMABUF_INFO, &info), EINVAL);
    info.metadata_size = sizeof heard;
    CHECK(ioctl(kfd, AMDKFD_IOC_GET_DMABUF_INFO, &info) == 0 && !strcmp(heard, "meta data"));
    char *place = reserve(2 * PAGE);
    struct kfd_ioctl_import_dmabuf_args imported = {.va_addr = (uintptr_t)place, .gpu_id = gpu_id, .dmabuf_fd = descriptor};
    CHECK(ioctl(kfd, AMDKFD_IOC_IMPORT_DMABUF, &imported) == 0 && free_object(object) == 0 && !strcmp(place, "drawn"));
    CHECK(ioctl(kfd, AMDKFD_IOC_AVAILABLE_MEMORY, &after) == 0 && before.available == after.available);
    struct kfd_ioctl_free_memory_of_gpu_args release = {imported.handle};
    CHECK(ioctl(kfd, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &release) == 0);
    close(descriptor);
    wanted.size = 0;
    CHECK(alloc(device, &wanted, &object) == -EINVAL);
    wanted.size = 1ull << 40;
    CHECK(alloc(device, &wanted, &object) == -ENOMEM);
}

// Functions of libdrm that are not emulated say so, and crash nothing.
static void missing_functions(void) {
    int (*initialize)(int, uint32_t *, uint32_t *, void **) = dlsym(RTLD_DEFAULT, "amdgpu_device_initialize");
    uint32_t major, minor;
    void *device;
    CHECK(initialize(render, &major, &minor, &device) == 0);
    const char *const names[] = {"amdgpu_query_heap_info", "amdgpu_cs_create_syncobj", "amdgpu_query_info", "amdgpu_va_range_query"};
    uint64_t nothing[8] = {0};
    for (int i = 0; i < 8; i++) {
        int (*function)(void *, void *, void *, void *, void *, void *, void *, void *) = dlsym(RTLD_DEFAULT, names[i % 4]);
        CHECK(function && function(device, nothing, nothing, nothing, nothing, nothing, nothing, nothing) == -EOPNOTSUPP);
    }
}

static void virtual_memory(void) {
    int (*initialize)(int, uint32_t *, uint32_t *, void **) = dlsym(RTLD_DEFAULT, "amdgpu_device_initialize");
    int (*deinitialize)(void *) = dlsym(RTLD_DEFAULT, "amdgpu_device_deinitialize");
    int (*get_descriptor)(void *) = dlsym(RTLD_DEFAULT, "amdgpu_device_get_fd");
    const char *(*name)(void *) = dlsym(RTLD_DEFAULT, "amdgpu_get_marketing_name");
    int (*import)(void *, int, uint32_t, struct imported *) = dlsym(RTLD_DEFAULT, "amdgpu_bo_import");
    int (*export)(void *, int, uint32_t *) = dlsym(RTLD_DEFAULT, "amdgpu_bo_export");
    int (*free_object)(void *) = dlsym(RTLD_DEFAULT, "amdgpu_bo_free");
    int (*put)(void *, uint64_t, uint64_t, uint64_t, uint64_t, uint32_t) = dlsym(RTLD_DEFAULT, "amdgpu_bo_va_op");
    int (*command)(int, unsigned long, void *, unsigned long) = dlsym(RTLD_DEFAULT, "drmCommandWriteRead");
    uint32_t major, minor, number;
    void *device;
    CHECK(initialize(render, &major, &minor, &device) == 0 && major == 3);
    CHECK(strstr(name(device), "Emulated") && get_descriptor(device) != render);
    struct kfd_ioctl_alloc_memory_of_gpu_args args = {.size = 2 * PAGE, .gpu_id = gpu_id, .flags = 1 | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE};
    CHECK(ioctl(kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args) == 0);
    struct export_dmabuf exported = {args.handle, O_CLOEXEC, 0};
    CHECK(ioctl(kfd, EXPORT_DMABUF, &exported) == 0);
    struct imported object;
    CHECK(import(device, 2, exported.descriptor, &object) == 0 && object.size == 2 * PAGE);
    close(exported.descriptor);
    char *places = reserve(6 * PAGE);
    uint64_t first = (uintptr_t)places, second = first + 4 * PAGE;
    CHECK(put(object.object, 0, 2 * PAGE, first, 0, 1) == 0 && put(object.object, PAGE, PAGE, second, 0, 1) == 0);
    places[PAGE] = 5;
    CHECK(places[4 * PAGE] == 5);
    union {
        struct {
            uint32_t handle, pad;
        } in;
        uint64_t offset;
    } where = {{0, 0}};
    CHECK(export(object.object, 1, &number) == 0);
    where.in.handle = number;
    CHECK(command(get_descriptor(device), 1, &where, sizeof where) == 0);
    // The host's own view, at the same address and at another.
    CHECK(mmap(places, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, get_descriptor(device), where.offset) == places);
    char *elsewhere = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, get_descriptor(device), where.offset);
    CHECK(elsewhere != MAP_FAILED && elsewhere[PAGE] == 5 && places[PAGE] == 5);
    CHECK(put(object.object, 0, 2 * PAGE, first, 0, 2) == 0 && put(object.object, PAGE, PAGE, second, 0, 2) == 0);
    CHECK(put(object.object, PAGE, PAGE, second, 0, 2) != 0);
    CHECK(free_object(object.object) == 0 && free_object(object.object) != 0);
    struct kfd_ioctl_free_memory_of_gpu_args release = {args.handle};
    CHECK(ioctl(kfd, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &release) == 0 && deinitialize(device) == 0);
}

static void processes(void) {
    struct buffer buffer = allocate(PAGE, KFD_IOC_ALLOC_MEM_FLAGS_VRAM);
    strcpy(buffer.address, "parent");
    struct ipc_export exported = {.handle = buffer.handle, .gpu_id = gpu_id, .flags = 0xa5000041};
    CHECK(ioctl(kfd, IPC_EXPORT, &exported) == 0);
    // The thunk asks that children get none of its memory. They keep the emulated device's memory, or HIP would crash
    // at its first access instead of reporting what is wrong. Other memory of the program is removed.
    struct buffer kept = allocate(PAGE, KFD_IOC_ALLOC_MEM_FLAGS_VRAM);
    strcpy(kept.address, "kept");
    CHECK(madvise(kept.address, PAGE, MADV_DONTFORK) == 0);
    // System memory is the thunk's before the driver is told.
    char *system = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(system != MAP_FAILED && madvise(system, PAGE, MADV_DONTFORK) == 0);
    struct kfd_ioctl_alloc_memory_of_gpu_args userptr = {.va_addr = (uintptr_t)system,
                                                         .size = PAGE,
                                                         .mmap_offset = (uintptr_t)system,
                                                         .gpu_id = gpu_id,
                                                         .flags = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE};
    CHECK(ioctl(kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &userptr) == 0);
    strcpy(system, "system");
    char *gone = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(gone != MAP_FAILED && madvise(gone, PAGE, MADV_DONTFORK) == 0);
    fflush(stdout);
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child) {
        CHECK(!strcmp(kept.address, "kept") && !strcmp(system, "system"));
        FAILS(msync(gone, PAGE, MS_ASYNC), ENOMEM);
        struct kfd_ioctl_get_version_args version;
        FAILS(ioctl(kfd, AMDKFD_IOC_GET_VERSION, &version), EBADF);
        kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
        CHECK(kfd >= 0 && ioctl(kfd, AMDKFD_IOC_GET_VERSION, &version) == 0);
        struct ipc_import import = {.address = (uintptr_t)reserve(PAGE), .gpu_id = gpu_id};
        memcpy(import.share, exported.share, sizeof import.share);
        CHECK(ioctl(kfd, IPC_IMPORT, &import) == 0 && import.offset && import.flags == exported.flags);
        CHECK(!strcmp((char *)import.address, "parent"));
        strcpy((char *)import.address, "child");
        import.share[2] ^= 1;
        FAILS(ioctl(kfd, IPC_IMPORT, &import), EINVAL);
        events();
        _exit(0);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0 && !strcmp(buffer.address, "child"));
    munmap(gone, PAGE);
    release(kept);
    release(buffer);
}

// The driver by `syscall`, and by functions that are looked up in the C library itself.
static void other_ways(void) {
    int descriptor = syscall(SYS_openat, AT_FDCWD, "/dev/kfd", O_RDWR | O_CLOEXEC);
    CHECK(descriptor >= 0);
    struct kfd_ioctl_get_version_args version = {0};
    CHECK(syscall(SYS_ioctl, descriptor, AMDKFD_IOC_GET_VERSION, &version) == 0 && version.major_version == 1);
    FAILS(syscall(SYS_ioctl, descriptor, _IOW('K', 0x7e, int), &version), EINVAL);
    FAILS(syscall(SYS_openat, AT_FDCWD, "/sys/class/kfd/kfd/topology/nodes/9/name", O_RDONLY), ENOENT);
    CHECK(syscall(SYS_close, descriptor) == 0);
    // System calls that are not for the driver reach the kernel, with all six arguments and their errors.
    FILE *file = tmpfile();
    char text[2 * PAGE];
    memset(text, 'a', PAGE);
    memset(text + PAGE, 'b', PAGE);
    CHECK(fwrite(text, 1, sizeof text, file) == sizeof text && fflush(file) == 0);
    char *mapped = (char *)syscall(SYS_mmap, NULL, PAGE, PROT_READ, MAP_PRIVATE, fileno(file), (long)PAGE);
    CHECK(mapped != MAP_FAILED && mapped[7] == 'b');
    FAILS(syscall(SYS_mmap, NULL, 0, PROT_READ, MAP_PRIVATE, fileno(file), 0l), EINVAL);
    FAILS(syscall(SYS_ioctl, fileno(file), AMDKFD_IOC_GET_VERSION, &version), ENOTTY);
    FAILS(syscall(SYS_close, -1), EBADF);
    CHECK(syscall(SYS_getpid) == getpid());
    pid_t child = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0)
        _exit(7);
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);

    void *library = dlopen("libc.so.6", RTLD_LAZY);
    CHECK(library);
    int (*open_there)(const char *, int, ...) = dlsym(library, "open");
    int (*ioctl_there)(int, unsigned long, ...) = dlsym(library, "ioctl");
    void *(*mmap_there)(void *, size_t, int, int, int, off_t) = dlsym(library, "mmap");
    CHECK(open_there && ioctl_there && mmap_there);
    descriptor = open_there("/dev/kfd", O_RDWR | O_CLOEXEC);
    CHECK(descriptor >= 0 && ioctl_there(descriptor, AMDKFD_IOC_GET_VERSION, &version) == 0);
    struct buffer buffer = allocate(PAGE, KFD_IOC_ALLOC_MEM_FLAGS_GTT);
    strcpy(buffer.address, "mapped");
    struct kfd_ioctl_alloc_memory_of_gpu_args args = {.va_addr = (uintptr_t)reserve(PAGE),
                                                      .size = PAGE,
                                                      .gpu_id = gpu_id,
                                                      .flags = KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE};
    CHECK(ioctl_there(descriptor, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args) == 0 && args.handle);
    void *wanted = (void *)(uintptr_t)args.va_addr;
    CHECK(mmap_there(wanted, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, render, args.mmap_offset) == wanted);
    memset(wanted, 1, PAGE);
    mapped = mmap_there(NULL, PAGE, PROT_READ, MAP_PRIVATE, fileno(file), PAGE);
    CHECK(mapped != MAP_FAILED && mapped[9] == 'b');
    FAILS(open_there("/nowhere/at/all", O_RDONLY), ENOENT);
    CHECK(close(descriptor) == 0);
    // Every other question is the linker's, which looks at who asks.
    CHECK(dlsym(library, "getpid") == dlsym(RTLD_DEFAULT, "getpid"));
    CHECK(dlsym(library, "no_such_function") == NULL && dlerror());
    CHECK(dlsym(RTLD_NEXT, "open") == dlsym(RTLD_DEFAULT, "open") && dlsym(RTLD_NEXT, "open") != (void *)open_there);
    fclose(file);
}

static int open_render(void) {
    char path[40];
    snprintf(path, sizeof path, "/dev/dri/renderD%llu", property("nodes/1/properties", "drm_render_minor"));
    return open(path, O_RDWR | O_CLOEXEC);
}

// Commands that no driver has, each several times and by several descriptors.
static void unknown_commands(void) {
    uint64_t nothing[2] = {0};
    unsigned long driver = _IOWR('K', 0x7d, uint64_t), of_another_size = _IOWR('K', 0x7d, nothing);
    unsigned long node = _IOWR('K', 0x7c, uint64_t), common = _IOWR('d', 0x3e, uint64_t), amdgpu = _IOWR('d', 0x5f, uint64_t);
    for (int i = 0; i < 3; i++) {
        kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
        render = open_render();
        CHECK(kfd >= 0 && render >= 0);
        FAILS(ioctl(kfd, driver, nothing), EINVAL);
        FAILS(ioctl(kfd, of_another_size, nothing), EINVAL);
        FAILS(ioctl(render, node, nothing), ENOTTY);
        FAILS(ioctl(render, common, nothing), EINVAL);
        FAILS(ioctl(render, amdgpu, nothing), EINVAL);
        CHECK(close(kfd) == 0 && close(render) == 0);
    }
}

int main(int count, char **arguments) {
    if (count > 1 && !strcmp(arguments[1], "unknown")) {
        unknown_commands();
        puts("all refused");
        return 0;
    }
    if (count > 1) {
        kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
        bool has = !strcmp(arguments[1], "with-xnack");
        int mode = has ? 1 : -EPERM;
        CHECK(xnack_mode(-1) == 0 && xnack_mode(1) == mode && xnack_mode(1) == mode);
        CHECK(xnack_mode(-1) == has && xnack_mode(0) == 0 && xnack_mode(-1) == 0);
        puts(arguments[1]);
        return 0;
    }
    files();
    kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
    render = open_render();
    CHECK(kfd >= 0 && render >= 0);
    folders(TOPOLOGY);
    folders("/sys/class/kfd/kfd/topology");
    descriptors();
    memory();
    xnack();
    unmapped_memory();
    system_events();
    events();
    absent_events();
    absent_queues();
    protected_memory();
    queues();
    virtual_memory();
    graphics_memory();
    missing_functions();
    other_ways();
    metadata();
    processes();
    puts("all answered");
}
