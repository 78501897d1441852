// devices: gfx906 gfx1030
// also: gfx1010 gfx1012
// Images with levels, layers and faces, which this HIP cannot make: their descriptors are written here, and texels put where
// AMD's addrlib lays them out for linear surfaces.
#include "check.h"

// What the device library loads into scalar registers.
using Words8 = int __attribute__((ext_vector_type(8)));
using Floats4 = float __attribute__((ext_vector_type(4)));
extern "C" {
__device__ int image_atomic_add(int data, int x, int y, Words8 image, int, int) __asm("llvm.amdgcn.image.atomic.add.2d.i32.i32");
__device__ int image_atomic_cmpswap(int data, int expected, int x, int y, Words8 image, int,
                                    int) __asm("llvm.amdgcn.image.atomic.cmpswap.2d.i32.i32");
__device__ Floats4 image_size(int components, int level, Words8 image, int, int) __asm("llvm.amdgcn.image.getresinfo.2d.v4f32.i32");
}

// Types of images in descriptors.
enum Kind { LINE = 8, PLANE, VOLUME, CUBE, LINES, PLANES };

static bool is_gfx9() {
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, 0));
    return !std::strncmp(properties.gcnArchName, "gfx9", 4);
}

// Singles (or, as `whole`, integers) in levels: room for a level is rounded up, its size is rounded down.
struct Image {
    Kind kind;
    int width, height, depth, levels;
    bool gfx9 = is_gfx9(), whole;
    std::vector<int> first, pitch; // in texels, by level
    int slice = 0;
    Array<float> *texels;
    unsigned *object; // image descriptor, HIP's own words, sampler descriptor

    Image(Kind kind, int width, int height, int depth, int levels, bool whole = false)
        : kind(kind), width(width), height(height), depth(depth), levels(levels), whole(whole), first(levels), pitch(levels) {
        auto room = [](int size, int level) { return (size + (1 << level) - 1) >> level; };
        auto lay = [&](int level, int width) {
            pitch[level] = (width + 63) / 64 * 64;
            first[level] = slice;
            slice += pitch[level] * room(height, level);
        };
        if (gfx9)
            for (int level = 0; level < levels; level++)
                lay(level, width);
        else
            for (int level = levels; level-- > 0;)
                lay(level, room(width, level));
        texels = new Array<float>(size_t(slice) * depth);
        HIP(hipMalloc(&object, 16 * sizeof(unsigned)));
        set_sampler(0);
    }
    ~Image() {
        delete texels;
        (void)hipFree(object);
    }
    static int smaller(int size, int level) { return size >> level ? size >> level : 1; }
    int wide(int level) const { return smaller(width, level); }
    int high(int level) const { return smaller(height, level); }
    int deep(int level) const { return kind == VOLUME ? smaller(depth, level) : depth; }
    size_t place(int level, int x, int y, int z) const { return size_t(z) * slice + first[level] + size_t(y) * pitch[level] + x; }
    // `filters` is word 2 of the sampler descriptor.
    void set_sampler(unsigned filters) {
        auto base = reinterpret_cast<uint64_t>(texels->data);
        unsigned w = width - 1, h = height - 1, high = unsigned(base >> 40);
        unsigned w3 = 4 | 5 << 3 | 6 << 6 | 7 << 9 | unsigned(levels - 1) << 16 | unsigned(kind) << 28;
        unsigned words[16] = {unsigned(base >> 8), 0, 0, w3};
        if (gfx9) {
            // 32 bits, integers or singles. The pitch is the height of all levels.
            words[1] = high | 4 << 20 | (whole ? 4 : 7) << 26;
            words[2] = w | h << 14;
            words[4] = unsigned(depth - 1) | unsigned(levels > 1 ? slice / pitch[0] - 1 : pitch[0] - 1) << 13;
            words[5] = unsigned(levels - 1) << 28;
        } else {
            words[1] = high | (whole ? 20u : 22u) << 20 | (w & 3) << 30;
            words[2] = w >> 2 | h << 14 | 1u << 31;
            words[4] = depth - 1;
            words[5] = unsigned(levels - 1) << 4;
        }
        // Clamped to edges, any level, no border.
        words[12] = 2 | 2 << 3 | 2 << 6;
        words[13] = 0xfff << 12;
        words[14] = filters;
        HIP(hipMemcpy(object, words, sizeof words, hipMemcpyHostToDevice));
    }
    hipTextureObject_t texture() const { return reinterpret_cast<hipTextureObject_t>(object); }
    // A number that no other texel has.
    static float value(int level, int x, int y, int z) { return float(((level * 64 + z) * 64 + y) * 64 + x); }
    void fill() {
        std::vector<float> all(texels->count, -1);
        each([&](int level, int x, int y, int z) { all[place(level, x, y, z)] = value(level, x, y, z); });
        texels->set(all);
    }
    template <typename Visit> void each(Visit visit) const {
        for (int level = 0; level < levels; level++)
            for (int z = 0; z < deep(level); z++)
                for (int y = 0; y < high(level); y++)
                    for (int x = 0; x < wide(level); x++)
                        visit(level, x, y, z);
    }
};

enum : unsigned { NEAREST_LEVEL = 1 << 26, BLEND_LEVELS = 2 << 26, LINEAR = 1 << 20 | 1 << 22 };

struct Place {
    float level, x, y, z;
};

__device__ unsigned ADDRESS_SPACE_CONSTANT *words_of(hipTextureObject_t object) { return (unsigned ADDRESS_SPACE_CONSTANT *)object; }

__global__ void sample(Kind kind, hipTextureObject_t texture, const Place *places, float *out, size_t count) {
    size_t t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= count)
        return;
    Place at = places[t];
    switch (kind) {
    case LINE: out[t] = tex1DLod<float>(texture, at.x, at.level); break;
    case PLANE: out[t] = tex2DLod<float>(texture, at.x, at.y, at.level); break;
    case VOLUME: out[t] = tex3DLod<float>(texture, at.x, at.y, at.z, at.level); break;
    case LINES:
        out[t] = __ockl_image_sample_lod_1Da(words_of(texture), words_of(texture) + 12, float2::Native_vec_{at.x, at.z}, at.level).x;
        break;
    case PLANES:
        out[t] =
            __ockl_image_sample_lod_2Da(words_of(texture), words_of(texture) + 12, float4::Native_vec_{at.x, at.y, at.z, 0}, at.level).x;
        break;
    default: break;
    }
}
__global__ void load(Kind kind, hipTextureObject_t texture, const Place *places, float *out, size_t count) {
    size_t t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= count)
        return;
    int level = int(places[t].level), x = int(places[t].x), y = int(places[t].y), z = int(places[t].z);
    auto image = words_of(texture);
    switch (kind) {
    case LINE: out[t] = __ockl_image_load_lod_1D(image, x, level).x; break;
    case PLANE: out[t] = __ockl_image_load_lod_2D(image, int2::Native_vec_{x, y}, level).x; break;
    case VOLUME: out[t] = __ockl_image_load_lod_3D(image, int4::Native_vec_{x, y, z, 0}, level).x; break;
    case LINES: out[t] = __ockl_image_load_lod_1Da(image, int2::Native_vec_{x, z}, level).x; break;
    case PLANES: out[t] = __ockl_image_load_lod_2Da(image, int4::Native_vec_{x, y, z, 0}, level).x; break;
    case CUBE: out[t] = __ockl_image_load_lod_CMa(image, int4::Native_vec_{x, y, z / 6, 0}, z % 6, level).x; break;
    }
}
__global__ void store(Kind kind, hipTextureObject_t texture, const Place *places, size_t count) {
    size_t t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= count)
        return;
    int level = int(places[t].level), x = int(places[t].x), y = int(places[t].y), z = int(places[t].z);
    auto image = words_of(texture);
    auto colour = float4::Native_vec_{float(t), 0, 0, 0};
    switch (kind) {
    case LINE: __ockl_image_store_lod_1D(image, x, level, colour); break;
    case PLANE: __ockl_image_store_lod_2D(image, int2::Native_vec_{x, y}, level, colour); break;
    case VOLUME: __ockl_image_store_lod_3D(image, int4::Native_vec_{x, y, z, 0}, level, colour); break;
    case LINES: __ockl_image_store_lod_1Da(image, int2::Native_vec_{x, z}, level, colour); break;
    case PLANES: __ockl_image_store_lod_2Da(image, int4::Native_vec_{x, y, z, 0}, level, colour); break;
    case CUBE: __ockl_image_store_lod_CMa(image, int4::Native_vec_{x, y, z / 6, 0}, z % 6, level, colour); break;
    }
}
__global__ void slopes(hipTextureObject_t texture, float *out) {
    // From a quarter of a texel of the largest level to 16, along one axis or the other.
    float length = exp2f(float(threadIdx.x % 7) - 2) / 32;
    bool upwards = threadIdx.x & 8;
    out[threadIdx.x] = tex2DGrad<float>(texture, 0.5f, 0.5f, make_float2(upwards ? 0 : length, 0), make_float2(0, upwards ? length : 0));
}
__global__ void count(const Words8 *image, int *old, int *sizes) {
    old[blockIdx.x * blockDim.x + threadIdx.x] = image_atomic_add(1, threadIdx.x % 5, threadIdx.x % 3, *image, 0, 0);
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        // Raises one texel to 1000 while it holds what was read from it.
        int expected = image_atomic_add(0, 6, 1, *image, 0, 0);
        sizes[3] = image_atomic_cmpswap(1000, expected, 6, 1, *image, 0, 0);
        Floats4 size = image_size(15, 0, *image, 0, 0);
        sizes[0] = __float_as_int(size.x);
        sizes[1] = __float_as_int(size.y);
        sizes[2] = __float_as_int(size.w);
    }
}

static size_t blocks(size_t count) { return (count + 63) / 64; }

static void every_texel(const char *name, Kind kind, int width, int height, int depth, int levels) {
    Image image(kind, width, height, depth, levels);
    image.fill();
    std::vector<Place> centres, numbers;
    std::vector<float> want;
    image.each([&](int level, int x, int y, int z) {
        float slice = kind == VOLUME ? (z + 0.5f) / image.deep(level) : float(z);
        centres.push_back({float(level), (x + 0.5f) / image.wide(level), (y + 0.5f) / image.high(level), slice});
        numbers.push_back({float(level), float(x), float(y), float(z)});
        want.push_back(Image::value(level, x, y, z));
    });
    size_t count = want.size();
    Array<Place> at(centres), whole(numbers);
    Array<float> sampled(count), loaded(count);
    image.set_sampler(NEAREST_LEVEL);
    if (kind != CUBE)
        sample<<<blocks(count), 64>>>(kind, image.texture(), at, sampled, count);
    load<<<blocks(count), 64>>>(kind, image.texture(), whole, loaded, count);
    FINISH();
    auto got = loaded.get(), samples = sampled.get();
    for (size_t i = 0; i < count; i++) {
        const Place &p = numbers[i];
        EXPECT(got[i] == want[i], "%s level %g (%g, %g, %g): %g, not %g", name, p.level, p.x, p.y, p.z, got[i], want[i]);
        EXPECT(kind == CUBE || samples[i] == want[i], "sample of %s level %g (%g, %g, %g): %g, not %g", name, p.level, p.x, p.y, p.z,
               samples[i], want[i]);
    }
    store<<<blocks(count), 64>>>(kind, image.texture(), whole, count);
    FINISH();
    auto memory = image.texels->get();
    size_t number = 0;
    image.each([&](int level, int x, int y, int z) {
        float &texel = memory[image.place(level, x, y, z)];
        EXPECT(texel == float(number), "%s level %d (%d, %d, %d) holds %g, not %zu", name, level, x, y, z, texel, number);
        texel = -1;
        number++;
    });
    // Nothing else was touched.
    for (float texel : memory)
        EXPECT(texel == -1, "%s: %g beside the texels", name, texel);
}

// Linear filters inside levels and between them, in eighths and quarters so that eight bits are enough.
static void blended() {
    Image image(PLANE, 32, 16, 1, 4);
    std::vector<float> all(image.texels->count, -1);
    image.each([&](int level, int x, int y, int z) { all[image.place(level, x, y, z)] = float((level * 37 + y * 11 + x * 5) % 97); });
    image.texels->set(all);
    image.set_sampler(LINEAR | BLEND_LEVELS);
    Random random;
    const size_t count = 4096;
    std::vector<Place> places(count);
    for (auto &place : places)
        place = {float(random.next() % 17) / 4 - 0.5f, float(random.next() % 257) / 256, float(random.next() % 129) / 128, 0};
    Array<Place> at(places);
    Array<float> out(count);
    sample<<<count / 64, 64>>>(PLANE, image.texture(), at, out, count);
    FINISH();
    auto got = out.get();
    auto in_level = [&](int level, float x, float y) {
        auto edge = [](int at, int size) { return at < 0 ? 0 : at >= size ? size - 1 : at; };
        double u = double(x) * image.wide(level) - 0.5, v = double(y) * image.high(level) - 0.5;
        int left = int(std::floor(u)), above = int(std::floor(v));
        double sum = 0;
        for (int corner = 0; corner < 4; corner++) {
            int dx = corner & 1, dy = corner >> 1;
            double weight = (dx ? u - left : 1 - (u - left)) * (dy ? v - above : 1 - (v - above));
            sum += weight * all[image.place(level, edge(left + dx, image.wide(level)), edge(above + dy, image.high(level)), 0)];
        }
        return sum;
    };
    for (size_t i = 0; i < count; i++) {
        double level = std::fmin(std::fmax(places[i].level, 0), 3);
        int first = int(level) < 2 ? int(level) : 2;
        double part = level - first;
        double want = in_level(first, places[i].x, places[i].y) * (1 - part) + in_level(first + 1, places[i].x, places[i].y) * part;
        EXPECT(std::fabs(got[i] - want) < 1e-4, "blend at level %g (%g, %g): %g, not %g", places[i].level, places[i].x, places[i].y, got[i],
               want);
    }
}

static void by_slope() {
    Image image(PLANE, 32, 32, 1, 4);
    std::vector<float> all(image.texels->count, -1);
    image.each([&](int level, int x, int y, int z) { all[image.place(level, x, y, z)] = float(level); });
    image.texels->set(all);
    image.set_sampler(BLEND_LEVELS);
    Array<float> out(64);
    slopes<<<1, 64>>>(image.texture(), out);
    FINISH();
    auto got = out.get();
    for (int i = 0; i < 64; i++) {
        int level = i % 7 - 2;
        float want = float(level < 0 ? 0 : level > 3 ? 3 : level);
        EXPECT(got[i] == want, "slope of 2^%d texels: level %g", level, got[i]);
    }
}

static void atomics() {
    Image image(PLANE, 7, 3, 1, 1, true);
    image.texels->zero();
    const int groups = 20, threads = 60;
    Array<int> old(groups * threads), sizes(4);
    count<<<groups, threads>>>(reinterpret_cast<const Words8 *>(image.object), old, sizes);
    FINISH();
    auto memory = image.texels->get();
    auto texel = [&](int x, int y) {
        int bits;
        std::memcpy(&bits, &memory[image.place(0, x, y, 0)], sizeof bits);
        return bits;
    };
    // Threads that are alike modulo 15 share a texel and must have seen each of its values once.
    for (int x = 0; x < 5; x++)
        for (int y = 0; y < 3; y++)
            EXPECT(texel(x, y) == groups * threads / 15, "texel (%d, %d) counts %d", x, y, texel(x, y));
    std::vector<int> seen(15 * groups * threads / 15);
    auto before = old.get();
    for (int i = 0; i < groups * threads; i++)
        if (before[i] >= 0 && before[i] < groups * threads / 15)
            seen[i % threads % 15 * (groups * threads / 15) + before[i]]++;
    for (int times : seen)
        EXPECT(times == 1, "a value was seen %d times", times);
    EXPECT(texel(6, 1) == 1000, "the exchanged texel is %d", texel(6, 1));
    auto answers = sizes.get();
    EXPECT(answers[0] == 7 && answers[1] == 3 && answers[2] == 1 && answers[3] == 0, "%d x %d, %d levels; exchanged %d", answers[0],
           answers[1], answers[2], answers[3]);
}

int main() {
    every_texel("line", LINE, 37, 1, 1, 5);
    every_texel("plane", PLANE, 37, 21, 1, 6);
    every_texel("volume", VOLUME, 20, 11, 5, 4);
    every_texel("lines", LINES, 37, 1, 4, 4);
    every_texel("planes", PLANES, 19, 24, 3, 5);
    every_texel("cubes", CUBE, 16, 16, 12, 5);
    blended();
    by_slope();
    atomics();
    return verdict();
}
