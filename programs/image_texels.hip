// devices: gfx900 gfx906 gfx908 gfx90a gfx1030
// also: gfx1010 gfx1012
// Image descriptors of all kinds that name texels by integers: dimensions, texels of 2 to 16 bytes, views of arrays, levels,
// coordinates in halves; and images of which only the beginning is known.
//
// Memory holds its own index, so that a loaded value tells where it came from; a store leaves its lane's number. Prints the
// address that each lane reached, for whoever traces the program.
#include "check.h"

typedef int word8 __attribute__((ext_vector_type(8)));
typedef int word4 __attribute__((ext_vector_type(4)));
typedef unsigned unsigned2 __attribute__((ext_vector_type(2)));
typedef unsigned unsigned3 __attribute__((ext_vector_type(3)));
typedef unsigned unsigned4 __attribute__((ext_vector_type(4)));

// Vectors of eight words are none that hosts pass.
struct Descriptor {
    word4 low, high;
    __device__ word8 words() const { return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7); }
};

enum Shape { ROW, FLAT, VOLUME, ROWS, FLATS, SHAPES };
enum Form { PLAIN, LEVEL, HALVES, FORMS };

// gfx9 has the dimensions in the descriptor, but for whether they may be those of an array; gfx10 in the instruction.
#if defined(__gfx1030__) || defined(__gfx1010__) || defined(__gfx1012__)
#define DIMENSIONS(name, halves, array) "dim:SQ_RSRC_IMG_" name " " halves
#else
#define DIMENSIONS(name, halves, array) "unorm " halves " " array
#endif

#define ACCESS(suffix, modifiers)                                                                 \
    asm volatile("s_nop 4\n\timage_load" suffix " %0, %1, %2 dmask:0x1 " modifiers "\n\t"         \
                 "image_store" suffix " %3, %1, %4 dmask:0x1 " modifiers "\n\ts_waitcnt vmcnt(0)" \
                 : "=&v"(value)                                                                   \
                 : "v"(at), "s"(in.words()), "v"(mark), "s"(out.words())                          \
                 : "memory")

#define FORMS_OF(name, array, plain, level, halves)  \
    if (FORM == PLAIN) {                             \
        auto at = plain;                             \
        ACCESS("", DIMENSIONS(name, "", array));     \
    } else if (FORM == LEVEL) {                      \
        auto at = level;                             \
        ACCESS("_mip", DIMENSIONS(name, "", array)); \
    } else {                                         \
        auto at = halves;                            \
        ACCESS("", DIMENSIONS(name, "a16", array));  \
    }

template <int SHAPE, int FORM>
__global__ void access(Descriptor in, Descriptor out, const unsigned *xs, const unsigned *ys, const unsigned *zs, unsigned *results) {
    unsigned lane = threadIdx.x, value = 0, mark = lane + 1, level = lane % 7 == 6;
    unsigned x = xs[lane], y = ys[lane], z = zs[lane];
    if (SHAPE == ROW) {
        FORMS_OF("1D", "", x, (unsigned2{x, level}), x)
    } else if (SHAPE == FLAT) {
        FORMS_OF("2D", "", (unsigned2{x, y}), (unsigned3{x, y, level}), (x | y << 16))
    } else if (SHAPE == VOLUME) {
        FORMS_OF("3D", "", (unsigned3{x, y, z}), (unsigned4{x, y, z, level}), (unsigned2{x | y << 16, z}))
    } else if (SHAPE == ROWS) {
        FORMS_OF("1D_ARRAY", "da", (unsigned2{x, z}), (unsigned3{x, z, level}), (x | z << 16))
    } else {
        FORMS_OF("2D_ARRAY", "da", (unsigned3{x, y, z}), (unsigned4{x, y, z, level}), (unsigned2{x | y << 16, z}))
    }
    results[lane] = value;
}

// The first texel through a sampler.
__global__ void access_sampled(Descriptor in, Descriptor out, word4 sampler, unsigned *results) {
    unsigned value = 0;
#ifndef __gfx90a__
    unsigned2 at = {0, 0};
    unsigned mark = threadIdx.x + 1;
    asm volatile("s_nop 4\n\timage_sample_lz %0, %1, %2, %5 dmask:0x1 " DIMENSIONS(
                     "2D", "", "") "\n\t"
                                   "image_store %3, %1, %4 dmask:0x1 " DIMENSIONS("2D", "", "") "\n\ts_waitcnt vmcnt(0)"
                 : "=&v"(value)
                 : "v"(at), "s"(in.words()), "v"(mark), "s"(out.words()), "s"(sampler)
                 : "memory");
#endif
    results[threadIdx.x] = value;
}

constexpr unsigned LANES = 64, WORDS = 16384;
constexpr unsigned WIDTH = 13, HEIGHT = 5, SLICES = 3, FIRST_SLICE = 1, PITCH = 128, ALIGNMENT = 256;

struct Format {
    unsigned bytes, data, number, unified; // gfx9 has a data format and how to read it, gfx10 one number for both
};
static const Format FORMATS[] = {
    {2, 2, 4, 11}, {4, 4, 4, 20}, {8, 11, 4, 62}, {12, 13, 4, 72}, {16, 14, 4, 75},
};

static bool is_array(int shape) { return shape == ROWS || shape == FLATS; }
static bool has_pitch(int shape, bool gfx10) { return !gfx10 || shape == ROW || shape == FLAT; }

static Descriptor described(int shape, const Format &format, const void *memory, unsigned tiling, bool gfx10) {
    static const unsigned types[] = {8, 9, 10, 12, 13};
    auto base = reinterpret_cast<uintptr_t>(memory);
    unsigned width = WIDTH - 1, height = HEIGHT - 1, first = is_array(shape) ? FIRST_SLICE : 0;
    unsigned last = is_array(shape) ? FIRST_SLICE + SLICES - 1 : shape == VOLUME ? SLICES - 1 : 0;
    unsigned w1 = base >> 40 & 0xff, w2 = height << 14, w4, w5 = 0;
    if (gfx10) {
        w1 |= format.unified << 20 | width << 30;
        w2 |= width >> 2 | 1u << 31;
        w4 = has_pitch(shape, gfx10) ? PITCH - 1 : last | first << 16;
    } else {
        w1 |= format.data << 20 | format.number << 26;
        w2 |= width;
        w4 = last | (PITCH - 1) << 13;
        w5 = first;
    }
    unsigned w3 = (4 | 5 << 3 | 6 << 6 | 7 << 9) | tiling << 20 | types[shape] << 28;
    return {{int(base >> 8), int(w1), int(w2), int(w3)}, {int(w4), int(w5), 0, 0}};
}

// What the manuals say. Bytes from the base, or -1 for coordinates of no texel.
static long expected(int shape, const Format &format, unsigned x, unsigned y, unsigned z, unsigned level, bool gfx10) {
    bool flat = shape != ROW && shape != ROWS, deep = shape == VOLUME || is_array(shape);
    if (x >= WIDTH || (flat && y >= HEIGHT) || (deep && z >= SLICES) || level != 0)
        return -1;
    unsigned row = (WIDTH + ALIGNMENT / format.bytes - 1) / (ALIGNMENT / format.bytes) * (ALIGNMENT / format.bytes);
    unsigned pitch = has_pitch(shape, gfx10) ? PITCH : row;
    unsigned slice = (deep ? z : 0) + (is_array(shape) ? FIRST_SLICE : 0);
    return ((slice * (flat ? HEIGHT : 1) + (flat ? y : 0)) * long(pitch) + x) * format.bytes;
}

typedef void (*Kernel)(Descriptor, Descriptor, const unsigned *, const unsigned *, const unsigned *, unsigned *);
template <int SHAPE> static Kernel of_form(int form) {
    return form == PLAIN ? access<SHAPE, PLAIN> : form == LEVEL ? access<SHAPE, LEVEL> : access<SHAPE, HALVES>;
}
static Kernel kernel(int shape, int form) {
    return shape == ROW      ? of_form<ROW>(form)
           : shape == FLAT   ? of_form<FLAT>(form)
           : shape == VOLUME ? of_form<VOLUME>(form)
           : shape == ROWS   ? of_form<ROWS>(form)
                             : of_form<FLATS>(form);
}

// Memory and what launches leave in another piece of it.
struct Pieces {
    Array<unsigned> words, halves, target{2 * WORDS}, results{LANES};
    unsigned wave_size;
    int launch = 0;
    static std::vector<unsigned> numbers(unsigned each) {
        std::vector<unsigned> all(2 * WORDS);
        for (unsigned word = 0; word < 2 * WORDS; ++word)
            all[word] = each == 1 ? word + 1 : (2 * word + 1) | (2 * word + 2) << 16;
        return all;
    }
    explicit Pieces(unsigned wave_size) : words(numbers(1)), halves(numbers(2)), wave_size(wave_size) {
        std::printf("memory %p\nhalves %p\ntarget %p\n", pointer(words), pointer(halves), pointer(target));
    }
    static void *pointer(Array<unsigned> &array) { return (unsigned *)array; }
    Array<unsigned> &memory(unsigned bytes) { return bytes == 2 ? halves : words; }
    // The lane's access, as a trace has it: size 0 where only the image is known.
    void told(const char *kind, unsigned lane, char *address, unsigned size) {
        std::printf("%d %s %u %p %u\n", launch, kind, lane % wave_size, (void *)address, size);
    }
    // What lanes left in the target, by byte; all of them had reached something that the lane names.
    void stored(unsigned size, unsigned texel, const std::vector<long> &places) {
        std::vector<unsigned> all = target.get();
        std::vector<bool> wanted(2 * WORDS * 2);
        for (long place : places)
            if (place >= 0)
                wanted[place / 2] = true;
        for (unsigned half = 0; half < wanted.size(); half += texel == 2 ? 1 : 2) {
            unsigned mark = texel == 2 ? all[half / 2] >> (half % 2 * 16) & 0xffff : all[half / 2];
            EXPECT((mark != 0) == wanted[half], "launch %d, byte %u: %u", launch, half * 2, mark);
            if (mark)
                told("store", mark - 1, (char *)pointer(target) + half * 2, size);
        }
    }
};

int main() {
    hipDeviceProp_t device;
    HIP(hipGetDeviceProperties(&device, 0));
    bool gfx10 = std::strncmp(device.gcnArchName, "gfx10", 5) == 0, samples = std::strncmp(device.gcnArchName, "gfx90a", 6) != 0;
    Pieces pieces(device.warpSize);

    std::vector<unsigned> x(LANES), y(LANES), z(LANES), none(LANES);
    for (unsigned lane = 0; lane < LANES; ++lane) {
        x[lane] = lane * 5 % 14;
        y[lane] = lane * 3 / 4 % 6;
        z[lane] = lane / 3 % 4;
    }
    Array<unsigned> xs(x), ys(y), zs(z), zeros(none);
    for (int shape = 0; shape < SHAPES; ++shape)
        for (int form = 0; form < FORMS; ++form)
            for (const Format &format : FORMATS) {
                // How far rows of three words are apart without a pitch no manual says.
                if (format.bytes == 12 && !has_pitch(shape, gfx10))
                    continue;
                Array<unsigned> &memory = pieces.memory(format.bytes);
                pieces.target.zero();
                Descriptor in = described(shape, format, memory, 0, gfx10), out = described(shape, format, pieces.target, 0, gfx10);
                kernel(shape, form)<<<1, LANES>>>(in, out, xs, ys, zs, pieces.results);
                std::vector<unsigned> loaded = pieces.results.get();
                std::vector<long> places(LANES);
                for (unsigned lane = 0; lane < LANES; ++lane) {
                    unsigned level = form == LEVEL && lane % 7 == 6;
                    long place = places[lane] = expected(shape, format, x[lane], y[lane], z[lane], level, gfx10);
                    long found = loaded[lane] ? (loaded[lane] - 1) * (format.bytes == 2 ? 2L : 4L) : -1;
                    EXPECT(found == place, "shape %d form %d, %u bytes, lane %u: %ld, expected %ld", shape, form, format.bytes, lane, found,
                           place);
                    if (place >= 0)
                        pieces.told("load", lane, (char *)Pieces::pointer(memory) + found, format.bytes);
                }
                pieces.stored(format.bytes, format.bytes, places);
                ++pieces.launch;
            }

    // Where texels of tiled images lie, tools do not know, nor which ones samplers take: but the first is where the image begins.
    const Format &format = FORMATS[1];
    Descriptor in = described(FLAT, format, pieces.words, 4, gfx10), out = described(FLAT, format, pieces.target, 4, gfx10);
    for (int sampled = 0; sampled < (samples ? 2 : 1); ++sampled) {
        pieces.target.zero();
        if (sampled)
            access_sampled<<<1, LANES>>>(described(FLAT, format, pieces.words, 0, gfx10), out, word4{1 << 15, 0, 0, 0}, pieces.results);
        else
            kernel(FLAT, PLAIN)<<<1, LANES>>>(in, out, zeros, zeros, zeros, pieces.results);
        std::vector<unsigned> loaded = pieces.results.get();
        for (unsigned lane = 0; lane < LANES; ++lane) {
            EXPECT(loaded[lane] == 1, "lane %u loaded %u, not the first texel", lane, loaded[lane]);
            pieces.told("load", lane, (char *)Pieces::pointer(pieces.words), 0);
        }
        pieces.stored(0, format.bytes, {0});
        ++pieces.launch;
    }
    std::printf("launches %d\n", pieces.launch);
    return verdict();
}
