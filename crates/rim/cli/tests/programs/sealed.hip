// Forbids itself to open files, as sandboxes do, and launches once more.
#include <hip/hip_runtime.h>

#include <cstddef>
#include <cstdio>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

__global__ void add(int *values, int amount) { values[threadIdx.x] += amount; }

static void seal() {
  sock_filter steps[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                         BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
                         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  sock_fprog program = {4, steps};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main() {
  int *values, first = 0;
  if (hipMalloc(&values, 256) != hipSuccess)
    return 90;
  (void)hipMemset(values, 0, 256);
  add<<<1, 64>>>(values, 1);
  (void)hipDeviceSynchronize();
  seal();
  add<<<1, 64>>>(values, 1);
  (void)hipMemcpy(&first, values, 4, hipMemcpyDeviceToHost);
  printf("%d\n", first);
  fflush(stdout);
  return first == 2 ? 0 : 4;
}
