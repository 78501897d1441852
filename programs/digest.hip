// SHA-256 and CRC-32 of many messages at once, against published digests and the host.
#include "check.h"

__constant__ unsigned round_constants[64];
static const unsigned host_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

__host__ __device__ inline unsigned rotate(unsigned v, int n) { return v >> n | v << (32 - n); }

// One block of a message shorter than 56 bytes.
__host__ __device__ inline void sha256(const unsigned char *message, unsigned length, const unsigned *constants, unsigned *digest) {
    unsigned w[64], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}, h[8];
    for (int i = 0; i < 16; i++) {
        w[i] = 0;
        for (unsigned b = 0; b < 4; b++) {
            unsigned at = 4 * i + b, byte = at < length ? message[at] : at == length ? 0x80 : 0;
            w[i] = w[i] << 8 | byte;
        }
    }
    w[15] = length * 8;
    for (int i = 16; i < 64; i++) {
        unsigned a = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3,
                 b = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    for (int i = 0; i < 8; i++)
        h[i] = s[i];
    for (int i = 0; i < 64; i++) {
        unsigned e = h[4], a = h[0];
        unsigned t1 = h[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & h[5]) ^ (~e & h[6])) + constants[i] + w[i];
        unsigned t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & h[1]) ^ (a & h[2]) ^ (h[1] & h[2]));
        for (int k = 7; k > 0; k--)
            h[k] = h[k - 1];
        h[4] += t1;
        h[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        digest[i] = s[i] + h[i];
}
__host__ __device__ inline unsigned crc32(const unsigned char *message, unsigned length) {
    unsigned crc = ~0u;
    for (unsigned i = 0; i < length; i++) {
        crc ^= message[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}
__host__ __device__ inline unsigned message_of(unsigned i, unsigned char *message) {
    unsigned length = i % 56;
    for (unsigned k = 0; k < length; k++)
        message[k] = (i * 131 + k * 17) & 255;
    return length;
}
__global__ void digests(unsigned *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned char message[56];
    unsigned length = message_of(i, message);
    unsigned digest[8];
    sha256(message, length, round_constants, digest);
    for (int k = 0; k < 8; k++)
        out[i * 9 + k] = digest[k];
    out[i * 9 + 8] = crc32(message, length);
}
__global__ void known(const unsigned char *message, unsigned length, unsigned *out) {
    sha256(message, length, round_constants, out);
    out[8] = crc32(message, length);
}

int main() {
    HIP(hipMemcpyToSymbol(HIP_SYMBOL(round_constants), host_constants, sizeof host_constants));
    std::vector<unsigned char> abc{'a', 'b', 'c'};
    Array<unsigned char> message(abc);
    Array<unsigned> one(9);
    known<<<1, 1>>>(message, 3, one);
    FINISH();
    // FIPS 180-4, and the usual CRC-32 of "abc".
    const unsigned expected[9] = {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223, 0xb00361a3,
                                  0x96177a9c, 0xb410ff61, 0xf20015ad, 0x352441c2};
    for (int k = 0; k < 9; k++)
        EXPECT(one.get()[k] == expected[k], "word %d of abc: %08x", k, one.get()[k]);
    const unsigned n = 1000;
    Array<unsigned> out(9 * n);
    digests<<<(n + 127) / 128, 128>>>(out, n);
    FINISH();
    auto got = out.get();
    for (unsigned i = 0; i < n; i++) {
        unsigned char bytes[56];
        unsigned length = message_of(i, bytes), digest[9];
        sha256(bytes, length, host_constants, digest);
        digest[8] = crc32(bytes, length);
        for (int k = 0; k < 9; k++)
            EXPECT(got[i * 9 + k] == digest[k], "message %u word %d: %08x instead of %08x", i, k, got[i * 9 + k], digest[k]);
    }
    return verdict();
}
