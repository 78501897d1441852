// not: gfx942 gfx950
// Arrays, textures and surfaces: copies, formats, addressing modes and linear filters against the host's own.
#include "check.h"

enum { WIDTH = 37, HEIGHT = 21, DEPTH = 5 };

template <typename T> __global__ void read_1d(hipTextureObject_t texture, T *out, const float *x) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = tex1D<T>(texture, x[t]);
}
template <typename T> __global__ void read_2d(hipTextureObject_t texture, T *out, const float *x, const float *y) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = tex2D<T>(texture, x[t], y[t]);
}
__global__ void read_3d(hipTextureObject_t texture, float *out, const float *x, const float *y, const float *z) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = tex3D<float>(texture, x[t], y[t], z[t]);
}
__global__ void read_layer(hipTextureObject_t texture, float *out, const float *x, const float *y) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = tex2DLayered<float>(texture, x[t], y[t], t % DEPTH);
}
__global__ void fetch(hipTextureObject_t texture, short2 *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = tex1Dfetch<short2>(texture, t);
}
// Every odd row changes places with its mirror image. (HIP 5.2 converts what surfaces hold from and to singles.)
__global__ void turn(hipSurfaceObject_t surface) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = 2 * blockIdx.y + 1;
    if (x >= WIDTH || y >= HEIGHT - 1 - y)
        return;
    float upper, lower;
    surf2Dread(&upper, surface, x * int(sizeof(float)), y);
    surf2Dread(&lower, surface, x * int(sizeof(float)), HEIGHT - 1 - y);
    surf2Dwrite(lower, surface, x * int(sizeof(float)), y);
    surf2Dwrite(upper, surface, x * int(sizeof(float)), HEIGHT - 1 - y);
}

// An array of T for textures. HIP 5.2 frees the array with its texture object, so none is destroyed.
template <typename T> struct Texture {
    hipArray_t array;
    Texture(hipExtent extent, unsigned flags, const std::vector<T> &texels) {
        hipChannelFormatDesc format = hipCreateChannelDesc<T>();
        HIP(hipMalloc3DArray(&array, &format, extent, flags));
        size_t rows = extent.height ? extent.height : 1;
        hipMemcpy3DParms copy = {};
        copy.srcPtr = make_hipPitchedPtr(const_cast<T *>(texels.data()), extent.width * sizeof(T), extent.width, rows);
        copy.dstArray = array;
        copy.extent = make_hipExtent(extent.width, rows, extent.depth ? extent.depth : 1);
        copy.kind = hipMemcpyHostToDevice;
        HIP(hipMemcpy3D(&copy));
    }
    ~Texture() { (void)hipFreeArray(array); }
    hipTextureObject_t sampled(hipTextureAddressMode address, hipTextureFilterMode filter, bool normalized,
                               hipTextureReadMode read = hipReadModeElementType) {
        hipResourceDesc resource = {};
        resource.resType = hipResourceTypeArray;
        resource.res.array.array = array;
        hipTextureDesc texture = {};
        texture.addressMode[0] = texture.addressMode[1] = texture.addressMode[2] = address;
        texture.filterMode = filter;
        texture.readMode = read;
        texture.normalizedCoords = normalized;
        hipTextureObject_t object;
        HIP(hipCreateTextureObject(&object, &resource, &texture, nullptr));
        return object;
    }
};

// The texel that an index stands for; -1 is beyond the border.
static int wrapped(int index, int size, hipTextureAddressMode address) {
    switch (address) {
    case hipAddressModeWrap: return ((index % size) + size) % size;
    case hipAddressModeMirror: index = ((index % (2 * size)) + 2 * size) % (2 * size); return index < size ? index : 2 * size - 1 - index;
    case hipAddressModeBorder: return index < 0 || index >= size ? -1 : index;
    default: return index < 0 ? 0 : index >= size ? size - 1 : index;
    }
}

static const char *const MODES[] = {"wrap", "clamp", "mirror", "border"};

// A flat texture of singles under every addressing mode and filter.
static void flat() {
    Random random;
    std::vector<float> texels(WIDTH * HEIGHT);
    for (auto &texel : texels)
        texel = float(random.between(0, 100));
    Texture<float> texture(make_hipExtent(WIDTH, HEIGHT, 0), hipArrayDefault, texels);
    auto texel = [&](int x, int y, hipTextureAddressMode address) {
        x = wrapped(x, WIDTH, address), y = wrapped(y, HEIGHT, address);
        return x < 0 || y < 0 ? 0.0 : double(texels[y * WIDTH + x]);
    };
    const size_t count = 4096;
    // In texels, and in eighths that are not near an edge: neither rounding nor eight bits of weight matter.
    std::vector<float> x(count), y(count);
    for (size_t i = 0; i < count; i++) {
        x[i] = float(int(random.next() % (3 * WIDTH * 8)) - WIDTH * 8 + 0.5f) / 8;
        y[i] = float(int(random.next() % (3 * HEIGHT * 8)) - HEIGHT * 8 + 0.5f) / 8;
    }
    Array<float> out(count), at_x(count), at_y(count);
    for (int address = 0; address < 4; address++)
        for (int linear = 0; linear < 2; linear++)
            for (int normalized = address % 2 ? 0 : 1; normalized < 2; normalized++) {
                auto mode = hipTextureAddressMode(address);
                auto object = texture.sampled(mode, linear ? hipFilterModeLinear : hipFilterModePoint, normalized);
                std::vector<float> scaled_x = x, scaled_y = y;
                if (normalized)
                    for (size_t i = 0; i < count; i++)
                        scaled_x[i] /= WIDTH, scaled_y[i] /= HEIGHT;
                at_x.set(scaled_x), at_y.set(scaled_y);
                read_2d<float><<<count / 256, 256>>>(object, out, at_x, at_y);
                FINISH();
                auto got = out.get();
                for (size_t i = 0; i < count; i++) {
                    double want;
                    if (linear) {
                        double left = std::floor(x[i] - 0.5), above = std::floor(y[i] - 0.5);
                        double right_part = x[i] - 0.5 - left, lower_part = y[i] - 0.5 - above;
                        int column = int(left), row = int(above);
                        want =
                            (texel(column, row, mode) * (1 - right_part) + texel(column + 1, row, mode) * right_part) * (1 - lower_part) +
                            (texel(column, row + 1, mode) * (1 - right_part) + texel(column + 1, row + 1, mode) * right_part) * lower_part;
                    } else {
                        want = texel(int(std::floor(x[i])), int(std::floor(y[i])), mode);
                    }
                    // Weights have eight bits, and normalized coordinates may round to the next one.
                    double slack = !linear ? 0 : normalized ? 1.0 : 1e-4;
                    EXPECT(std::fabs(got[i] - want) <= slack, "%s%s%s (%g, %g): %g, not %g", MODES[address], linear ? " linear" : "",
                           normalized ? " normalized" : "", x[i], y[i], got[i], want);
                }
            }
}

// Rows, volumes and layers.
static void other_shapes() {
    Random random;
    std::vector<float> texels(WIDTH * HEIGHT * DEPTH);
    for (auto &texel : texels)
        texel = float(random.next() % 100000);
    const size_t count = WIDTH * HEIGHT * DEPTH / 64 * 64;
    std::vector<float> x(count), y(count), z(count);
    for (size_t i = 0; i < count; i++)
        x[i] = i % WIDTH + 0.5f, y[i] = i / WIDTH % HEIGHT + 0.5f, z[i] = i / WIDTH / HEIGHT + 0.5f;
    Array<float> out(count), at_x(x), at_y(y), at_z(z);
    {
        Texture<float> volume(make_hipExtent(WIDTH, HEIGHT, DEPTH), hipArrayDefault, texels);
        read_3d<<<count / 64, 64>>>(volume.sampled(hipAddressModeClamp, hipFilterModePoint, false), out, at_x, at_y, at_z);
        FINISH();
        auto got = out.get();
        for (size_t i = 0; i < count; i++)
            EXPECT(got[i] == texels[i], "texel %zu of the volume: %g, not %g", i, got[i], texels[i]);
        // A box out of the middle, back to the host.
        std::vector<float> box(7 * 6 * 2);
        hipMemcpy3DParms copy = {};
        copy.srcArray = volume.array;
        copy.srcPos = make_hipPos(20, 9, 2);
        copy.dstPtr = make_hipPitchedPtr(box.data(), 7 * sizeof(float), 7, 6);
        copy.extent = make_hipExtent(7, 6, 2);
        copy.kind = hipMemcpyDeviceToHost;
        HIP(hipMemcpy3D(&copy));
        for (int i = 0; i < 7 * 6 * 2; i++) {
            float want = texels[((2 + i / 42) * HEIGHT + 9 + i / 7 % 6) * WIDTH + 20 + i % 7];
            EXPECT(box[i] == want, "texel %d of the box: %g, not %g", i, box[i], want);
        }
    }
    {
        Texture<float> layers(make_hipExtent(WIDTH, HEIGHT, DEPTH), hipArrayLayered, texels);
        read_layer<<<count / 64, 64>>>(layers.sampled(hipAddressModeClamp, hipFilterModePoint, false), out, at_x, at_y);
        FINISH();
        auto got = out.get();
        for (size_t i = 0; i < count; i++) {
            float want = texels[i % DEPTH * WIDTH * HEIGHT + i % (WIDTH * HEIGHT)];
            EXPECT(got[i] == want, "texel %zu of layer %zu: %g, not %g", i, i % DEPTH, got[i], want);
        }
    }
    {
        std::vector<float> row(texels.begin(), texels.begin() + WIDTH);
        Texture<float> line(make_hipExtent(WIDTH, 0, 0), hipArrayDefault, row);
        read_1d<float><<<count / 64, 64>>>(line.sampled(hipAddressModeClamp, hipFilterModePoint, false), out, at_x);
        FINISH();
        auto got = out.get();
        for (size_t i = 0; i < count; i++)
            EXPECT(got[i] == row[i % WIDTH], "texel %zu of the row: %g, not %g", i, got[i], row[i % WIDTH]);
    }
}

static int units(unsigned char value) { return value; }
static int units(unsigned short value) { return value; }

// Integers as they are and as parts of one.
template <typename T> static void normalized(const char *name, double highest) {
    std::vector<T> texels(WIDTH * HEIGHT);
    Random random;
    for (auto &texel : texels)
        texel = T(random.next());
    Texture<T> texture(make_hipExtent(WIDTH, HEIGHT, 0), hipArrayDefault, texels);
    const size_t count = WIDTH * HEIGHT / 64 * 64;
    std::vector<float> x(count), y(count);
    for (size_t i = 0; i < count; i++)
        x[i] = i % WIDTH + 0.5f, y[i] = i / WIDTH + 0.5f;
    Array<float> at_x(x), at_y(y), parts(count);
    Array<T> whole(count);
    read_2d<T><<<count / 64, 64>>>(texture.sampled(hipAddressModeClamp, hipFilterModePoint, false), whole, at_x, at_y);
    read_2d<float><<<count / 64, 64>>>(texture.sampled(hipAddressModeClamp, hipFilterModePoint, false, hipReadModeNormalizedFloat), parts,
                                       at_x, at_y);
    FINISH();
    auto got = whole.get();
    auto got_parts = parts.get();
    for (size_t i = 0; i < count; i++) {
        EXPECT(got[i] == texels[i], "%s %zu: %d, not %d", name, i, units(got[i]), units(texels[i]));
        EXPECT(got_parts[i] == float(units(texels[i]) / highest), "%s %zu: %g of %d", name, i, got_parts[i], units(texels[i]));
    }
}

// Textures over ordinary memory.
static void memory() {
    const int count = 1024;
    std::vector<short2> numbers(count);
    for (int i = 0; i < count; i++)
        numbers[i] = make_short2(short(i * 3), short(-i));
    Array<short2> linear(numbers), out(count);
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeLinear;
    resource.res.linear.devPtr = linear.data;
    resource.res.linear.desc = hipCreateChannelDesc<short2>();
    resource.res.linear.sizeInBytes = count * sizeof(short2);
    hipTextureDesc texture = {};
    texture.readMode = hipReadModeElementType;
    hipTextureObject_t object;
    HIP(hipCreateTextureObject(&object, &resource, &texture, nullptr));
    fetch<<<count / 256, 256>>>(object, out);
    FINISH();
    auto got = out.get();
    for (int i = 0; i < count; i++)
        EXPECT(got[i].x == numbers[i].x && got[i].y == numbers[i].y, "number %d: (%d, %d)", i, got[i].x, got[i].y);
    HIP(hipDestroyTextureObject(object));

    float *image;
    size_t pitch;
    HIP(hipMallocPitch(reinterpret_cast<void **>(&image), &pitch, WIDTH * sizeof(float), HEIGHT));
    std::vector<float> texels(WIDTH * HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        texels[i] = i * 0.25f;
    HIP(hipMemcpy2D(image, pitch, texels.data(), WIDTH * sizeof(float), WIDTH * sizeof(float), HEIGHT, hipMemcpyHostToDevice));
    resource = {};
    resource.resType = hipResourceTypePitch2D;
    resource.res.pitch2D.devPtr = image;
    resource.res.pitch2D.desc = hipCreateChannelDesc<float>();
    resource.res.pitch2D.width = WIDTH;
    resource.res.pitch2D.height = HEIGHT;
    resource.res.pitch2D.pitchInBytes = pitch;
    texture.addressMode[0] = texture.addressMode[1] = hipAddressModeClamp;
    HIP(hipCreateTextureObject(&object, &resource, &texture, nullptr));
    const size_t samples = WIDTH * HEIGHT / 64 * 64;
    std::vector<float> x(samples), y(samples);
    for (size_t i = 0; i < samples; i++)
        x[i] = i % WIDTH + 0.5f, y[i] = i / WIDTH + 0.5f;
    Array<float> at_x(x), at_y(y), read(samples);
    read_2d<float><<<samples / 64, 64>>>(object, read, at_x, at_y);
    FINISH();
    auto got_texels = read.get();
    for (size_t i = 0; i < samples; i++)
        EXPECT(got_texels[i] == texels[i], "pitched texel %zu: %g, not %g", i, got_texels[i], texels[i]);
    HIP(hipDestroyTextureObject(object));
    HIP(hipFree(image));
}

static void surface() {
    std::vector<float> texels(WIDTH * HEIGHT), back(WIDTH * HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        texels[i] = i * 0.5f;
    hipArray_t array;
    hipChannelFormatDesc format = hipCreateChannelDesc<float>();
    HIP(hipMallocArray(&array, &format, WIDTH, HEIGHT));
    const size_t row = WIDTH * sizeof(float);
    HIP(hipMemcpy2DToArray(array, 0, 0, texels.data(), row, row, HEIGHT, hipMemcpyHostToDevice));
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = array;
    hipSurfaceObject_t object;
    HIP(hipCreateSurfaceObject(&object, &resource));
    turn<<<dim3(1, HEIGHT), 64>>>(object);
    FINISH();
    HIP(hipMemcpy2DFromArray(back.data(), row, array, 0, 0, row, HEIGHT, hipMemcpyDeviceToHost));
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        int x = i % WIDTH, y = i / WIDTH;
        // HEIGHT - 1 is even: mirror images of odd rows are odd.
        float want = y % 2 ? texels[(HEIGHT - 1 - y) * WIDTH + x] : texels[i];
        EXPECT(back[i] == want, "texel (%d, %d) is %g, not %g", x, y, back[i], want);
    }
    HIP(hipDestroySurfaceObject(object));
    HIP(hipFreeArray(array));
}

int main() {
    flat();
    other_shapes();
    normalized<unsigned char>("byte", 255);
    normalized<unsigned short>("short", 65535);
    memory();
    surface();
    return verdict();
}
