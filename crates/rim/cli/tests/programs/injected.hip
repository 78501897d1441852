// Kernels in which it is known what a changed value does: ./injected NAME [FILE] prints what they store, also to FILE.
// Each has an instruction that nothing else uses: v_bfrev_b32 or s_brev_b32.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <hip/hip_runtime.h>
#include <string>
#include <unistd.h>

// Masks have as many bits as waves have lanes.
#if defined(__HIP_DEVICE_COMPILE__) && __AMDGCN_WAVEFRONT_SIZE == 32
#define VCC "vcc_lo"
#define ALL_ON "s_mov_b32 exec_lo, -1"
#else
#define VCC "vcc"
#define ALL_ON "s_mov_b64 exec, -1"
#endif

__device__ uint32_t reversed(uint32_t x) {
  uint32_t result;
  asm volatile("v_bfrev_b32 %0, %1" : "=v"(result) : "v"(x));
  return result;
}

__device__ uint32_t scalar_reversed(uint32_t x) {
  uint32_t result;
  asm volatile("s_brev_b32 %0, %1" : "=s"(result) : "s"(x));
  return result;
}

// Nothing reads the result.
__global__ void dead(uint32_t *out, uint32_t) {
  reversed(threadIdx.x);
  out[threadIdx.x] = threadIdx.x;
}

__global__ void scalar_dead(uint32_t *out, uint32_t x) {
  scalar_reversed(x);
  out[threadIdx.x] = threadIdx.x;
}

// All of the result is stored.
__global__ void stored(uint32_t *out, uint32_t) { out[threadIdx.x] = reversed(threadIdx.x + 1); }

__global__ void scalar_stored(uint32_t *out, uint32_t x) { out[threadIdx.x] = scalar_reversed(x | 1); }

// No bit of the result reaches the sum.
__global__ void multiplied_by_zero(uint32_t *out, uint32_t) {
  uint32_t none;
  asm volatile("v_and_b32 %0, 0, %1" : "=v"(none) : "v"(reversed(threadIdx.x)));
  out[threadIdx.x] = none;
}

// The other source is larger whatever the result is.
__global__ void limited(uint32_t *out, uint32_t) {
  uint32_t largest;
  asm volatile("v_max_u32 %0, -1, %1" : "=v"(largest) : "v"(reversed(threadIdx.x)));
  out[threadIdx.x] = largest;
}

// The result is the upper half of an address.
__global__ void address(uint32_t *out, uint32_t) {
  uint64_t at = (uint64_t)(out + threadIdx.x);
  uint32_t high = reversed(__brev((uint32_t)(at >> 32)));
  *(uint32_t *)((uint64_t)high << 32 | (uint32_t)at) = threadIdx.x + 1;
}

// The loop ends if the result is 5, and changes nothing.
__global__ void loop(uint32_t *out, uint32_t) {
  uint32_t token = scalar_reversed(0xa0000000u);
  asm volatile("1: s_cmp_lg_u32 %0, 5\n s_cbranch_scc1 1b" : : "s"(token) : "scc");
  out[threadIdx.x] = token;
}

// The loop takes six times as long if the result is zero, and changes nothing.
__global__ void longer(uint32_t *out, uint32_t) {
  uint32_t token = scalar_reversed(0x80000000u);
  asm volatile("s_cmp_eq_u32 %0, 0\n s_cselect_b32 %0, 6, 1\n s_mul_i32 %0, %0, 10000\n 1: s_sub_u32 %0, %0, 1\n s_cmp_lg_u32 %0, 0\n "
               "s_cbranch_scc1 1b"
               : "+s"(token)
               :
               : "scc");
  out[threadIdx.x] = threadIdx.x;
}

// Each lane of the result selects a value that is stored.
__global__ void selected(uint32_t *out, uint32_t) {
  uint32_t result;
  asm volatile("v_cmp_lt_u32 " VCC ", %1, %2\n v_cndmask_b32 %0, %1, 33, " VCC : "=v"(result) : "v"(threadIdx.x + 100), "v"(132) : "vcc");
  out[threadIdx.x] = result;
}

// Lanes that are off store nothing.
__global__ void lanes_on(uint32_t *out, uint32_t) {
  asm volatile(ALL_ON : : : "exec");
  out[threadIdx.x] = threadIdx.x + 1;
}

// SCC selects the value that is stored.
__global__ void condition(uint32_t *out, uint32_t x) {
  uint32_t result;
  asm volatile("s_cmp_eq_u32 %1, 0x12345\n s_cselect_b32 %0, 3, 4" : "=s"(result) : "s"(x) : "scc");
  out[threadIdx.x] = result;
}

// An instruction between a store to LDS and the load; all of LDS is loaded.
__global__ void lds_used(uint32_t *out, uint32_t x) {
  __shared__ uint32_t words[64];
  words[threadIdx.x] = threadIdx.x + 1;
  __syncthreads();
  scalar_reversed(x);
  __syncthreads();
  out[threadIdx.x] = words[63 - threadIdx.x];
}

// The same before the store: what is changed is overwritten.
__global__ void lds_overwritten(uint32_t *out, uint32_t x) {
  __shared__ uint32_t words[64];
  scalar_reversed(x);
  __syncthreads();
  words[threadIdx.x] = threadIdx.x + 1;
  __syncthreads();
  out[threadIdx.x] = words[63 - threadIdx.x];
}

// Bytes and halves of registers are stored, each of a register of its own; all of them are printed.
__global__ void narrow(uint32_t *out, uint32_t x) {
  uint64_t at = (uint64_t)(out + threadIdx.x);
  asm volatile("global_store_byte %0, %1, off" : : "v"(at), "v"(x + 1) : "memory");
  asm volatile("global_store_byte_d16_hi %0, %1, off offset:1" : : "v"(at), "v"(x + 2) : "memory");
  asm volatile("global_store_short_d16_hi %0, %1, off offset:2" : : "v"(at), "v"(x + 3) : "memory");
}

__global__ void narrow_lds(uint32_t *out, uint32_t x) {
  __shared__ uint32_t words[64];
  words[threadIdx.x] = 0;
  uint32_t at = (uint32_t)(uint64_t)(words + threadIdx.x);
  asm volatile("ds_write_b8 %0, %1" : : "v"(at), "v"(x + 1) : "memory");
  asm volatile("ds_write_b8_d16_hi %0, %1 offset:1" : : "v"(at), "v"(x + 2) : "memory");
  asm volatile("ds_write_b16 %0, %1 offset:2\n s_waitcnt lgkmcnt(0)" : : "v"(at), "v"(x + 3) : "memory");
  __syncthreads();
  out[threadIdx.x] = words[63 - threadIdx.x];
}

// The same in private memory, as the compiler addresses it.
__global__ void narrow_private(uint32_t *out, uint32_t x) {
  uint8_t byte;
  uint16_t half;
  auto *byte_at = (__attribute__((address_space(5))) volatile uint8_t *)&byte;
  auto *half_at = (__attribute__((address_space(5))) volatile uint16_t *)&half;
  *byte_at = x + threadIdx.x;
  *half_at = x - threadIdx.x;
  out[threadIdx.x] = *byte_at + 256u * *half_at;
}

int main(int count, char **arguments) {
  std::string name = count > 1 ? arguments[1] : "";
  struct {
    const char *name;
    void (*kernel)(uint32_t *, uint32_t);
  } kernels[] = {
#define KERNEL(name) {#name, name}
      KERNEL(dead),       KERNEL(scalar_dead),    KERNEL(stored),   KERNEL(scalar_stored),   KERNEL(multiplied_by_zero),
      KERNEL(limited),    KERNEL(address),        KERNEL(loop),     KERNEL(longer),          KERNEL(selected),
      KERNEL(lanes_on),   KERNEL(condition),      KERNEL(lds_used), KERNEL(lds_overwritten), KERNEL(narrow),
      KERNEL(narrow_lds), KERNEL(narrow_private),
  };
  uint32_t *out, host[64];
  if (hipMalloc(&out, sizeof host) != hipSuccess || hipMemset(out, 0xee, sizeof host) != hipSuccess)
    return 2;
  bool is_checked = name == "checked", changes = name == "changes", prints = name == "prints";
  for (auto &one : kernels)
    if (name == one.name || (is_checked && one.kernel == stored) || ((changes || prints) && one.kernel == stored))
      one.kernel<<<1, 64>>>(out, 0x12345);
  if (hipDeviceSynchronize() != hipSuccess || hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost) != hipSuccess)
    return 2;
  // The program looks itself.
  for (uint32_t lane = 0; is_checked && lane < 64; lane++)
    if (host[lane] != __builtin_bitreverse32(lane + 1))
      return 3;
  // The program never stops to complain, on standard output or in its file.
  for (uint32_t lane = 0; prints && lane < 64; lane++)
    if (FILE *file = count > 2 ? fopen(arguments[2], "w") : stdout; host[lane] != __builtin_bitreverse32(lane + 1))
      while (true)
        fputs("a value is wrong\n", file);
  FILE *file = count > 2 ? fopen(arguments[2], "w") : stdout;
  for (uint32_t word : host)
    fprintf(file, "%08x\n", word);
  if (changes)
    printf("%p %d\n", (void *)&name, (int)getpid());
  if (name == "fails") {
    fputs("one\ntwo\n", stderr);
    return 4;
  }
  return 0;
}
