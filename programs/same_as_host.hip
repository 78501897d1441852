// flags: -std=c++17 -ffp-contract=off -fno-fast-math
// Ninety pieces of C++ with the same result, bit for bit, on the device and on the host.
#include "check.h"
#include <algorithm>
#include <array>
#include <type_traits>

#define BOTH __host__ __device__

template <typename F, typename R> __global__ void evaluate(F f, R *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = f(i);
}

static bool nan_of(float v) { return std::isnan(v); }
static bool nan_of(double v) { return std::isnan(v); }
template <typename T> static bool nan_of(T) { return false; }

template <typename F> static void same(const char *name, F f, unsigned n = 3001) {
    using R = std::decay_t<decltype(f(0u))>;
    Array<R> out(n);
    evaluate<<<(n + 191) / 192, 192>>>(f, out.data, n);
    FINISH();
    auto got = out.get();
    for (unsigned i = 0; i < n; i++) {
        R want = f(i);
        bool equal = !memcmp(&want, &got[i], sizeof(R)) || (nan_of(want) && nan_of(got[i]));
        unsigned long long a = 0, b = 0;
        memcpy(&a, &got[i], std::min(sizeof(R), sizeof a));
        memcpy(&b, &want, std::min(sizeof(R), sizeof b));
        EXPECT(equal, "%s(%u): %llx instead of %llx", name, i, a, b);
        if (!equal)
            break;
    }
}
#define SAME(...) same(#__VA_ARGS__, [=] BOTH(unsigned i) { return __VA_ARGS__; })

// Well mixed bits of every number, and floats of every kind from them.
BOTH inline uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}
BOTH inline float any_float(unsigned i) {
    const uint32_t special[] = {0,          0x80000000, 1,          0x807fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x3f800000,
                                0xbf800000, 0x7f7fffff, 0x00800000, 0x34000000, 0x4b000000, 0xcf000000, 0x4f800000, 0x3effffff};
    uint32_t bits = i % 3 ? uint32_t(mix(i)) : special[mix(i) % 16];
    float f;
    memcpy(&f, &bits, 4);
    return f;
}
BOTH inline float some_float(unsigned i) { return float(int32_t(mix(i))) / 65536.0f; }
BOTH inline double any_double(unsigned i) {
    uint64_t bits = mix(i * 7 + 1);
    if (i % 5 == 0)
        bits &= 0x800fffffffffffff;
    double d;
    memcpy(&d, &bits, 8);
    return d;
}
BOTH inline double some_double(unsigned i) { return double(int64_t(mix(i))) / 4294967296.0; }

// Loops, switches and irregular flow.
BOTH inline unsigned collatz(unsigned n) {
    unsigned steps = 0;
    for (n = n + 1; n != 1 && steps < 500; steps++)
        n = n & 1 ? 3 * n + 1 : n / 2;
    return steps;
}
BOTH inline int dispatch(unsigned i) {
    int x = int(i);
    switch (mix(i) % 11) {
    case 0: x += 3; [[fallthrough]];
    case 1: x *= 5; break;
    case 2: return -x;
    case 3:
        for (int k = 0; k < int(i % 7); k++)
            x ^= k << k;
        break;
    case 4: x = x > 100 ? x - 100 : x + 100; [[fallthrough]];
    case 5: x <<= 2; break;
    case 6: x = ~x; break;
    case 7:
        if (i & 8)
            break;
        x /= 3;
        break;
    case 8:
        do
            x -= 7;
        while (x > 50);
        break;
    default: x %= 17;
    }
    return x;
}
BOTH inline unsigned tangled(unsigned i) {
    unsigned a = i, rounds = 0;
top:
    if (++rounds > 40)
        return a;
    if (a % 3 == 0)
        goto left;
    a = a * 5 + 1;
    if (a & 4)
        goto right;
    goto top;
left:
    a = a / 3 + rounds;
    if (a & 1)
        goto top;
right:
    a ^= rounds++ << 3;
    if (a % 7 == 2 || rounds > 40)
        return a ^ 0xffff;
    goto left;
}
BOTH inline uint32_t gcd(uint32_t a, uint32_t b) { return b ? gcd(b, a % b) : a; }
BOTH __attribute__((noinline)) uint64_t power(uint64_t base, unsigned exponent, uint64_t modulus) {
    uint64_t result = 1;
    for (base %= modulus; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = result * base % modulus;
        base = base * base % modulus;
    }
    return result;
}
BOTH inline uint32_t crc(unsigned i) {
    uint32_t value = ~0u;
    for (unsigned k = 0; k < 12; k++) {
        value ^= uint8_t(mix(i) >> (k % 8 * 8));
        for (int bit = 0; bit < 8; bit++)
            value = value >> 1 ^ (value & 1 ? 0xedb88320 : 0);
    }
    return ~value;
}
BOTH inline unsigned sorted(unsigned i) {
    unsigned char values[23];
    for (int k = 0; k < 23; k++)
        values[k] = mix(i * 23 + k);
    for (int a = 1; a < 23; a++)
        for (int b = a; b && values[b - 1] > values[b]; b--) {
            unsigned char t = values[b];
            values[b] = values[b - 1];
            values[b - 1] = t;
        }
    unsigned hash = 0;
    for (int k = 0; k < 23; k++)
        hash = hash * 31 + values[(k * 7 + i) % 23];
    return hash;
}
BOTH inline int edit_distance(unsigned i) {
    char a[13], b[17];
    for (int k = 0; k < 13; k++)
        a[k] = mix(i + k) % 4;
    for (int k = 0; k < 17; k++)
        b[k] = mix(i * 3 + k) % 4;
    int row[18];
    for (int k = 0; k <= 17; k++)
        row[k] = k;
    for (int x = 0; x < 13; x++) {
        int corner = row[0]++;
        for (int y = 0; y < 17; y++) {
            int up = row[y + 1], best = corner + (a[x] != b[y]);
            best = best < up + 1 ? best : up + 1;
            best = best < row[y] + 1 ? best : row[y] + 1;
            corner = up;
            row[y + 1] = best;
        }
    }
    return row[17];
}
BOTH inline int queens(unsigned seed) {
    int n = 6, count = 0, rows[8], column = 0;
    rows[0] = seed % 2 - 1;
    while (column >= 0) {
        bool placed = false;
        while (++rows[column] < n) {
            bool free = true;
            for (int k = 0; k < column; k++)
                free &= rows[k] != rows[column] && abs(rows[k] - rows[column]) != column - k;
            if (free) {
                placed = true;
                break;
            }
        }
        if (!placed)
            column--;
        else if (column == n - 1)
            count++;
        else
            rows[++column] = -1;
    }
    return count;
}

struct Bits {
    unsigned a : 3;
    int b : 7;
    unsigned long long c : 41;
    unsigned d : 1;
};
BOTH inline uint64_t bit_fields(unsigned i) {
    Bits bits{};
    bits.a = i;
    bits.b = int(i) - 40;
    bits.c = mix(i);
    bits.d = bits.b < 0;
    bits.c += bits.a;
    bits.b -= 3;
    return bits.a + 8 * uint64_t(int64_t(bits.b)) + (uint64_t(bits.c) << 10) + bits.d;
}

struct Shape {
    float scale;
    BOTH Shape(float s) : scale(s) {}
    BOTH virtual float area(float x) const { return scale * x; }
};
struct Square : Shape {
    BOTH Square(float s) : Shape(s) {}
    BOTH float area(float x) const override { return scale * x * x; }
};
struct Cross : Square {
    float arm;
    BOTH Cross(float s, float a) : Square(s), arm(a) {}
    BOTH float area(float x) const override { return Square::area(x) - arm * 4; }
};
BOTH inline float virtual_call(unsigned i) {
    Shape shape(2);
    Square square(3);
    Cross cross(4, 0.5f);
    const Shape *all[] = {&shape, &square, &cross};
    return all[mix(i) % 3]->area(float(i % 100)) + all[i % 3]->area(2);
}

struct Big {
    int values[20];
    double tail;
};
BOTH __attribute__((noinline)) Big transform(Big big, int by) {
    for (int k = 0; k < 20; k++)
        big.values[k] = big.values[(k + by) % 20] + k;
    big.tail += by;
    return big;
}
BOTH inline int by_value(unsigned i) {
    Big big{};
    for (int k = 0; k < 20; k++)
        big.values[k] = int(mix(i + k));
    big = transform(transform(big, i % 20), 3);
    int sum = int(big.tail);
    for (int k = 0; k < 20; k++)
        sum = sum * 3 + big.values[k];
    return sum;
}

template <typename... T> BOTH auto sum_of(T... values) { return (values + ...); }
BOTH inline int ack(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }

typedef int (*Operation)(int, int);
BOTH int op_add(int a, int b) { return a + b; }
BOTH int op_mul(int a, int b) { return a * b; }
BOTH int op_min(int a, int b) { return a < b ? a : b; }
BOTH inline int through_pointer(unsigned i) {
    Operation table[] = {op_add, op_mul, op_min};
    int value = 1;
    for (unsigned k = 0; k < 5; k++)
        value = table[mix(i + k) % 3](value, int(i % 9) + int(k));
    return value;
}

BOTH inline float matrix_determinant(unsigned i) {
    float m[4][4];
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            m[r][c] = float(int(mix(i * 16 + r * 4 + c) % 19) - 9);
    float d = 1;
    for (int p = 0; p < 4; p++) {
        int best = p;
        for (int r = p + 1; r < 4; r++)
            if (fabsf(m[r][p]) > fabsf(m[best][p]))
                best = r;
        if (m[best][p] == 0)
            return 0;
        if (best != p) {
            d = -d;
            for (int c = 0; c < 4; c++) {
                float t = m[p][c];
                m[p][c] = m[best][c];
                m[best][c] = t;
            }
        }
        d *= m[p][p];
        for (int r = p + 1; r < 4; r++) {
            float f = m[r][p] / m[p][p];
            for (int c = p; c < 4; c++)
                m[r][c] -= f * m[p][c];
        }
    }
    return d;
}
BOTH inline int mandelbrot(unsigned i) {
    float cr = float(i % 60) / 20 - 2, ci = float(i / 60) / 25 - 1, r = 0, m = 0;
    for (int k = 0; k < 200; k++) {
        float t = r * r - m * m + cr;
        m = 2 * r * m + ci;
        r = t;
        if (r * r + m * m > 4)
            return k;
    }
    return 200;
}

int main() {
    // Integers of every width.
    SAME(int8_t(mix(i)) * int8_t(mix(i) >> 8) + int8_t(i));
    SAME(uint16_t(mix(i)) / uint16_t((mix(i) >> 20) | 1));
    SAME(int16_t(mix(i)) % int16_t((mix(i) >> 33) | 1));
    SAME(int32_t(mix(i)) / int32_t((mix(i) >> 40) | 1));
    SAME(uint32_t(mix(i)) % uint32_t((mix(i) >> 45) | 1));
    SAME(int64_t(mix(i)) / int64_t((mix(i + 9) >> (i % 63)) | 1));
    SAME(uint64_t(mix(i)) % uint64_t((mix(i + 9) >> (i % 64)) | 1));
    SAME((uint64_t)(((unsigned __int128)mix(i) * mix(i + 1)) >> 64));
    SAME((int64_t)(((__int128)int64_t(mix(i)) * int64_t(mix(i + 1))) >> 60));
    SAME((uint64_t)((((unsigned __int128)mix(i) << 64 | mix(i + 1)) + ((unsigned __int128)mix(i + 2) << (i % 64))) >> (i % 100)));
    SAME(uint32_t(mix(i)) << (i % 32) ^ uint32_t(mix(i)) >> (i % 29));
    SAME(int64_t(mix(i)) >> (i % 64));
    SAME(mix(i) << (i % 64));
    SAME(__builtin_popcountll(mix(i)) * 1000 + __builtin_clzll(mix(i) >> (i % 60) | 1) * 10 + __builtin_ctz(uint32_t(mix(i)) | 0x80000000));
    SAME(__builtin_bitreverse32(uint32_t(mix(i))) + __builtin_bswap32(i));
    SAME(__builtin_bitreverse64(mix(i)) ^ __builtin_bswap64(mix(i)));
    SAME(__builtin_rotateleft32(uint32_t(mix(i)), i) ^ uint32_t(__builtin_rotateright64(mix(i), i)));
    SAME(uint32_t((mix(i) >> 32 << 32 | uint32_t(mix(i + 1))) >> (i % 32)));
    SAME([] BOTH(unsigned i) {
        int r;
        bool o = __builtin_add_overflow(int(mix(i)), int(mix(i) >> 32), &r);
        return r ^ int(o) << 7;
    }(i));
    SAME([] BOTH(unsigned i) {
        int r;
        bool o = __builtin_mul_overflow(int(mix(i)) >> (i % 20), int(mix(i) >> 32) >> (i % 13), &r);
        return r ^ int(o);
    }(i));
    SAME([] BOTH(unsigned i) {
        int64_t r;
        bool o = __builtin_sub_overflow(int64_t(mix(i)), int64_t(mix(i + 3)), &r);
        return r ^ int64_t(o);
    }(i));
    SAME([] BOTH(unsigned i) {
        uint64_t r;
        bool o = __builtin_mul_overflow(mix(i) >> (i % 64), mix(i + 3) >> 20, &r);
        return r ^ uint64_t(o);
    }(i));
    SAME(int32_t(mix(i)) > int32_t(i) ? max(int(i), 7) : min(int(mix(i)), -3));
    SAME(abs(int(mix(i))) + (int(mix(i)) < 0) * 2 + (int64_t(mix(i)) < int64_t(mix(i + 1))) * 4 + (mix(i) < mix(i + 1)) * 8);
    SAME(uint8_t(mix(i)) | uint8_t(mix(i) >> 8) << 8 | uint8_t(mix(i) >> 40) << 16);
    SAME(uint32_t(uint16_t(int16_t(mix(i)) >> 3)) + uint32_t(int16_t(uint16_t(mix(i)) >> 3)));
    SAME((mix(i) & 0x00ff00ff00ff00ff) + ((mix(i) >> 8) & 0x00ff00ff00ff00ff));
    SAME((uint32_t(mix(i)) & 0xff00) >> 8 | (uint32_t(mix(i)) & ~mix(i + 2)) | (i ^ ~uint32_t(mix(i))));

    // Floats, of every kind of value.
    SAME(any_float(i) + any_float(i + 1));
    SAME(any_float(i) * any_float(i + 1));
    SAME(any_float(i) - any_float(i + 7));
    SAME(any_float(i) / any_float(i + 1));
    SAME(sqrtf(any_float(i)));
    SAME(fmaf(any_float(i), any_float(i + 1), any_float(i + 2)));
    SAME(fmaf(some_float(i), some_float(i + 1), -some_float(i) * some_float(i + 1)));
    SAME(any_double(i) + any_double(i + 1));
    SAME(any_double(i) * any_double(i + 1));
    SAME(any_double(i) / any_double(i + 1));
    SAME(some_double(i) / some_double(i + 1));
    SAME(sqrt(any_double(i)));
    SAME(fma(some_double(i), some_double(i + 1), -some_double(i) * some_double(i + 1)));
    SAME(fminf(some_float(i), some_float(i + 1)) + fmaxf(some_float(i), 3));
    SAME(fmin(some_double(i), some_double(i + 1)) + fmax(some_double(i), 3.0));
    SAME(floorf(any_float(i)));
    SAME(ceilf(any_float(i)));
    SAME(truncf(any_float(i)));
    SAME(rintf(any_float(i)));
    SAME(roundf(any_float(i)) + 0.0f);
    SAME(floor(any_double(i)) + ceil(some_double(i)));
    SAME(trunc(some_double(i)) + rint(some_double(i + 1)) + round(some_double(i + 2)));
    SAME(int(some_float(i)) + int(int64_t(some_double(i))) + int(uint32_t(fabsf(some_float(i)))));
    SAME(int64_t(some_double(i) * 100000.0) + int64_t(some_float(i) * 1e6f));
    SAME(uint64_t(fabs(some_double(i)) * 4e9) + uint64_t(fabsf(some_float(i)) * 1e12f));
    SAME(float(int32_t(mix(i))) + float(uint32_t(mix(i) >> 32)));
    SAME(float(int64_t(mix(i))));
    SAME(float(mix(i)));
    SAME(double(int64_t(mix(i))));
    SAME(double(mix(i)) + double(int(mix(i))));
    SAME(float(any_double(i)));
    SAME(double(any_float(i)));
    SAME(copysignf(any_float(i), any_float(i + 1)));
    SAME(ldexpf(some_float(i), int(mix(i) % 300) - 200));
    SAME(ldexp(some_double(i), int(mix(i) % 2200) - 1100));
    SAME([] BOTH(unsigned i) {
        int e;
        float m = frexpf(some_float(i) * 1e-20f, &e);
        return m * 100 + float(e);
    }(i));
    SAME([] BOTH(unsigned i) {
        int e;
        double m = frexp(some_double(i) * 1e-200, &e);
        return m * 100 + double(e);
    }(i));
    SAME(fmodf(some_float(i), some_float(i + 1)));
    SAME(fmod(some_double(i), some_double(i + 1)));
    SAME(remainderf(some_float(i), some_float(i + 1)));
    SAME(nextafterf(some_float(i), 0.0f) + float(ilogbf(some_float(i) + 0.1f)));
    SAME((any_float(i) < any_float(i + 1)) + 2 * (any_float(i) >= any_float(i + 2)) + 4 * (any_float(i) != any_float(i)) +
         8 * (fabsf(any_float(i)) > 3.4e38f) + 16 * (any_float(i) < -1e30f));
    SAME((any_double(i) < any_double(i + 1)) + 2 * (any_double(i) >= any_double(i + 2)) + 4 * !(any_double(i) > 0) +
         8 * (any_double(i) == any_double(i)));
    SAME(fabsf(any_float(i)) * -1.0f + (any_float(i) > 0 ? 0.5f : -2.0f));
    SAME(_Float16(some_float(i)) == _Float16(1) ? 1.0f : float(_Float16(some_float(i))));

    // Control flow, private arrays, calls.
    SAME(collatz(i));
    SAME(dispatch(i));
    SAME(tangled(i));
    SAME(gcd(uint32_t(mix(i)), uint32_t(mix(i) >> 32)));
    SAME(power(mix(i) % 1000003, unsigned(mix(i) >> 40), 1000000007));
    SAME(crc(i));
    SAME(sorted(i));
    SAME(edit_distance(i));
    SAME(queens(i));
    SAME(bit_fields(i));
    SAME(virtual_call(i));
    SAME(by_value(i));
    SAME(sum_of(i, 2.5, short(i), 'c', 3ll));
    SAME(ack(i % 3, i % 5));
    SAME(through_pointer(i));
    SAME(matrix_determinant(i));
    SAME(mandelbrot(i));
    SAME(std::array<int, 4>{int(i), 2, 3, int(mix(i))}[mix(i) % 4]);
    return verdict();
}
