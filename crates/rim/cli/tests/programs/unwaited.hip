// For gfx90a and gfx1030, without a device library. Loads whose results are used before, or behind, a wait for them, in as many workgroups as the
// second argument says. Status 3: a result was not the memory's.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#if defined(__gfx90a__)
#define LOAD "global_load_dword %0, %1, off\n"
#define READ "ds_read_b32 %0, %1\n"
#define ADD "v_add_u32_e32 %0, 1, %0\n"
#define WAIT "s_waitcnt vmcnt(0)\n"
#define WAIT_LDS "s_waitcnt lgkmcnt(0)\n"
#else
#define LOAD "global_load_dword %0, %1, off\n"
#define READ "ds_read_b32 %0, %1\n"
#define ADD "v_add_nc_u32_e32 %0, 1, %0\n"
#define WAIT "s_waitcnt vmcnt(0)\n"
#define WAIT_LDS "s_waitcnt lgkmcnt(0)\n"
#endif
#define LANE __builtin_amdgcn_workitem_id_x()
#define NOTHING "s_nop 0\n"

#define KERNELS(name, wait, wait_lds)                                                                     \
  __global__ void load_##name(const int *in, int *out) {                                                  \
    int value = 0;                                                                                        \
    asm volatile(LOAD wait ADD : "+&v"(value) : "v"(in + LANE) : "memory");                               \
    asm volatile(WAIT : "+v"(value));                                                                     \
    out[LANE] = value;                                                                                    \
  }                                                                                                       \
  __global__ void shared_##name(const int *in, int *out) {                                                \
    __shared__ int room[64];                                                                              \
    room[LANE] = in[LANE];                                                                                \
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");                                                \
    __builtin_amdgcn_s_barrier();                                                                         \
    int value = 0;                                                                                        \
    unsigned at = (unsigned)(unsigned long long)(__attribute__((address_space(3))) int *)room + 4 * LANE; \
    asm volatile(READ wait_lds ADD : "+&v"(value) : "v"(at) : "memory");                                  \
    asm volatile(WAIT_LDS : "+v"(value));                                                                 \
    out[LANE] = value;                                                                                    \
  }
KERNELS(waited, WAIT, WAIT_LDS)
KERNELS(unwaited, NOTHING, NOTHING)

int main(int, char **arguments) {
  int numbers[64], results[64], *in, *out;
  int groups = arguments[2] ? atoi(arguments[2]) : 1;
  for (int i = 0; i < 64; i++)
    numbers[i] = 100 + i;
  (void)hipMalloc(&in, sizeof numbers);
  (void)hipMalloc(&out, sizeof numbers);
  (void)hipMemcpy(in, numbers, sizeof numbers, hipMemcpyHostToDevice);
  auto is = [&](const char *name) { return !strcmp(arguments[1], name); };
  if (is("load-waited"))
    load_waited<<<groups, 64>>>(in, out);
  if (is("load-unwaited"))
    load_unwaited<<<groups, 64>>>(in, out);
  if (is("shared-waited"))
    shared_waited<<<groups, 64>>>(in, out);
  if (is("shared-unwaited"))
    shared_unwaited<<<groups, 64>>>(in, out);
  (void)hipMemcpy(results, out, sizeof numbers, hipMemcpyDeviceToHost);
  for (int i = 0; i < 64; i++) {
    if (results[i] != 101 + i) {
      printf("%d is %d\n", i, results[i]);
      return 3;
    }
  }
  puts("right");
  return 0;
}
