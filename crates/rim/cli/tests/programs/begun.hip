// A program that ends as its first argument says, 100 ms after its only kernel began. The kernel never ends.
#include <hip/hip_runtime.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

__global__ void begun(volatile unsigned *flags, int barriers) {
  flags[0] = 1;
  while (flags[1] == 0)
    if (barriers)
      __syncthreads();
}

static void again(int signal_number) {
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

int main(int, char **arguments) {
  unsigned *flags;
  if (hipHostMalloc(&flags, 8, hipHostMallocCoherent) != hipSuccess)
    return 90;
  flags[0] = flags[1] = 0;
  unsigned *seen;
  if (hipHostGetDevicePointer((void **)&seen, flags, 0) != hipSuccess)
    return 91;
  begun<<<!strcmp(arguments[2], "many") ? 1000 : 1, 64>>>(seen, !strcmp(arguments[2], "barriers"));
  while (*(volatile unsigned *)flags == 0)
    usleep(100);
  usleep(100000);
  if (!strcmp(arguments[1], "handler")) {
    signal(SIGTERM, again);
    raise(SIGTERM);
  }
  if (!strcmp(arguments[1], "kill"))
    raise(SIGKILL);
  if (!strcmp(arguments[1], "exits"))
    exit(7);
  if (!strcmp(arguments[1], "exits-quickly"))
    quick_exit(7);
  _exit(7);
}
