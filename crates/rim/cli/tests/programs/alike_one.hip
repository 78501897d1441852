// Two code objects have a kernel of one name; `alike_two.hip` is the other's source. MODE is "one" or "two", the kernel that writes behind its
// memory, or one of these with "-ok", in which none does.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

__global__ static void touch(int *to, int at) { to[at] = 7; }

void touch_as_the_other(int *to, int at);

int main(int count, char **arguments) {
  const char *mode = count > 1 ? arguments[1] : "";
  bool right = strstr(mode, "-ok");
  int *numbers = nullptr;
  if (hipInit(0) != hipSuccess || hipMalloc(&numbers, 1000) != hipSuccess)
    return 1;
  // Both run, so that a report has to tell them apart.
  touch_as_the_other(numbers, 1);
  touch<<<1, 1>>>(numbers, 1);
  if (hipDeviceSynchronize() != hipSuccess)
    return 1;
  int at = right ? 249 : 250;
  if (!strncmp(mode, "one", 3))
    touch<<<1, 1>>>(numbers, at);
  else
    touch_as_the_other(numbers, at);
  hipError_t error = hipDeviceSynchronize();
  puts(error == hipSuccess ? "done" : hipGetErrorString(error));
  return error != hipSuccess;
}
