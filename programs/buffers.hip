// devices: gfx900 gfx906 gfx908 gfx90a gfx1030
// also: gfx942 gfx950 gfx1010 gfx1012
// Buffer descriptors of all kinds: raw, structured, swizzled, by lane, with bounds, and every form of address.
//
// Memory holds its own index, so that a loaded value tells where it came from; a store leaves its lane's number. Prints the
// address that each lane reached, for whoever traces the program.
#include "check.h"

typedef int word4 __attribute__((ext_vector_type(4)));
typedef unsigned index_and_offset __attribute__((ext_vector_type(2)));

enum Form { OFF, OFFEN, IDXEN, BOTHEN, FORMS };

#define ACCESS(modifiers, address)                                                                          \
    asm volatile("s_nop 4\n\tbuffer_load_dword %0, " address ", %2, %3 " modifiers " offset:20\n\t"         \
                 "buffer_store_dword %4, " address ", %5, %3 " modifiers " offset:20\n\ts_waitcnt vmcnt(0)" \
                 : "=&v"(value)                                                                             \
                 : "v"(at), "s"(in), "s"(scalar_offset), "v"(mark), "s"(out)                                \
                 : "memory")

template <int FORM>
__global__ void access(word4 in, word4 out, unsigned scalar_offset, const unsigned *index, const unsigned *offset, int *results) {
    unsigned lane = threadIdx.x, value = 0, mark = lane + 1;
    if (FORM == OFF) {
        unsigned at = 0;
        ACCESS("", "off");
    } else if (FORM == OFFEN) {
        unsigned at = offset[lane];
        ACCESS("offen", "%1");
    } else if (FORM == IDXEN) {
        unsigned at = index[lane];
        ACCESS("idxen", "%1");
    } else {
        index_and_offset at = {index[lane], offset[lane]};
        ACCESS("idxen offen", "%1");
    }
    results[lane] = value;
}

constexpr unsigned LANES = 64, WORDS = 16384, CONSTANT = 20;

struct Descriptor {
    unsigned stride, records, index_stride; // index_stride: 8 << it records are interleaved
    bool swizzled, by_lane;
    unsigned check; // gfx10: 0 index and offset, 1 index, 2 not empty, 3 bytes
};

static word4 words(const Descriptor &d, void *memory, bool gfx10) {
    auto base = reinterpret_cast<uintptr_t>(memory);
    word4 w;
    w.x = int(base);
    w.y = int((base >> 32 & 0xffff) | (d.stride & 0x3fff) << 16 | unsigned(d.swizzled) << 31);
    w.z = int(d.records);
    w.w = int(d.index_stride << 21 | unsigned(d.by_lane) << 23);
    if (gfx10)
        w.w |= int(d.check << 28 | 1u << 24);
    else if (d.by_lane)
        w.w |= int((d.stride >> 14 & 15) << 15);
    else
        w.w |= 4 << 15; // a data format of 32 bits; with by_lane the bits belong to the stride
    return w;
}

// What the manuals say. Bytes from the base, or -1 out of bounds.
static long expected(const Descriptor &d, int form, unsigned lane, unsigned wave_size, unsigned index, unsigned offset, unsigned scalar,
                     bool gfx10) {
    bool indexed = form == IDXEN || form == BOTHEN;
    uint64_t record = (indexed ? index : 0) + (d.by_lane ? lane % wave_size : 0);
    uint64_t within = CONSTANT + (form == OFFEN || form == BOTHEN ? offset : 0);
    bool inside;
    if (gfx10)
        inside = d.check == 0   ? record < d.records && within + 4 <= d.stride
                 : d.check == 1 ? record < d.records
                 : d.check == 2 ? d.records != 0
                                : within + 4 <= d.records;
    else if (d.stride == 0 || (!indexed && !d.swizzled))
        inside = within + 4 + (d.swizzled ? 0 : scalar) <= d.records;
    else
        inside = record < d.records;
    if (!inside)
        return -1;
    uint64_t place = within + record * d.stride;
    if (d.swizzled) {
        uint64_t group = 8u << d.index_stride;
        place = (record / group * d.stride + within / 4 * 4) * group + record % group * 4 + within % 4;
    }
    return long(place + scalar);
}

int main() {
    hipDeviceProp_t device;
    HIP(hipGetDeviceProperties(&device, 0));
    bool gfx10 = std::strncmp(device.gcnArchName, "gfx10", 5) == 0;
    unsigned wave_size = device.warpSize;

    std::vector<unsigned> index(LANES), offset(LANES), numbers(WORDS);
    for (unsigned lane = 0; lane < LANES; ++lane) {
        index[lane] = (lane * 5 + 3) % 71;
        offset[lane] = (lane * 12) % 256;
    }
    for (unsigned word = 0; word < WORDS; ++word)
        numbers[word] = word + 1;
    Array<unsigned> memory(numbers), indices(index), offsets(offset), target(WORDS);
    Array<int> results(LANES);
    std::printf("memory %p\ntarget %p\n", (void *)(unsigned *)memory, (void *)(unsigned *)target);
    const Descriptor descriptors[] = {
        {0, WORDS * 4, 0, false, false, 3}, // raw
        {0, 150, 0, false, false, 3},       // raw, some lanes out of bounds
        {64, 50, 0, false, false, 1},       // records of 64 bytes, some lanes out of bounds
        {64, 50, 0, false, false, 0},       // and by offset, on gfx10
        {64, 71, 0, true, false, 1},        // eight records interleaved
        {256, 71, 3, true, false, 2},       // 64 records
        {16, 200, 0, false, true, 1},       // by lane
        {0, 4096, 3, true, true, 2},        // as for private memory
        {0, 0, 0, false, false, 2},         // empty
    };
    int checked = 0;
    for (const Descriptor &d : descriptors)
        for (int form = 0; form < FORMS; ++form)
            for (unsigned scalar : {0u, 4096u}) {
                target.zero();
                auto kernel = form == OFF ? access<OFF> : form == OFFEN ? access<OFFEN> : form == IDXEN ? access<IDXEN> : access<BOTHEN>;
                kernel<<<1, LANES>>>(words(d, memory, gfx10), words(d, target, gfx10), scalar, indices, offsets, results);
                std::vector<int> loaded = results.get();
                std::vector<unsigned> stored = target.get();
                // Of lanes that store to one place any may win.
                std::vector<bool> wanted(WORDS);
                for (unsigned lane = 0; lane < LANES; ++lane) {
                    long place = expected(d, form, lane, wave_size, index[lane], offset[lane], scalar, gfx10);
                    long found = loaded[lane] ? (loaded[lane] - 1) * 4L : -1;
                    EXPECT(found == place, "descriptor %ld form %d lane %u: %ld, expected %ld", &d - descriptors, form, lane, found, place);
                    if (place < 0)
                        continue;
                    wanted[place / 4] = true;
                    std::printf("%d load %u %p 4\n", checked, lane % wave_size, (void *)((char *)(unsigned *)memory + found));
                }
                for (unsigned word = 0; word < WORDS; ++word) {
                    EXPECT((stored[word] != 0) == wanted[word], "descriptor %ld form %d word %u: %u", &d - descriptors, form, word,
                           stored[word]);
                    if (stored[word])
                        std::printf("%d store %u %p 4\n", checked, (stored[word] - 1) % wave_size, (void *)((unsigned *)target + word));
                }
                ++checked;
            }
    std::printf("launches %d\n", checked);
    return verdict();
}
