// luthier::buffer_address on the host: reads its arguments, the access's size and the lane, line by line.
#include <cstdio>

static unsigned lane_number, access_bytes;
extern "C" {
unsigned __builtin_amdgcn_mbcnt_lo(unsigned, unsigned) { return lane_number < 32 ? lane_number : 32; }
unsigned __builtin_amdgcn_mbcnt_hi(unsigned, unsigned low) { return low + (lane_number < 32 ? 0 : lane_number - 32); }
// Not called.
unsigned long __builtin_amdgcn_read_exec();
unsigned long __builtin_amdgcn_ballot_w64(bool);
unsigned __builtin_amdgcn_wavefrontsize();
unsigned __builtin_amdgcn_atomic_inc32(unsigned *, unsigned, unsigned, const char *);
unsigned __builtin_amdgcn_readlane(unsigned, unsigned);
unsigned __builtin_amdgcn_readfirstlane(unsigned);
void __builtin_amdgcn_s_sleep(int);
unsigned __builtin_amdgcn_s_getreg(int);
}
#define LUTHIER_SAID __device__ inline
#include <luthier_device.h>
luthier_u32 __luthier_scalar32_access_size() { return access_bytes; }

int main() {
  unsigned word[4], scalar_offset, index, offset, constant, flags;
  while (std::scanf("%u %u %u %u %u %u %u %u %u %u %u", &word[0], &word[1], &word[2], &word[3], &scalar_offset, &index, &offset, &constant,
                    &flags, &access_bytes, &lane_number) == 11) {
    luthier_u64 address;
    luthier_u32 size;
    bool inside =
        luthier::buffer_address(&address, &size, word[0], word[1], word[2], word[3], scalar_offset, index, offset, constant, flags);
    std::printf("%d %llu %u\n", inside, (unsigned long long)address, size);
  }
}
