// Goes on when the program that started it has ended: ./outliving FOLDER [hidden]. Makes the file `first` there when a kernel has raced,
// waits for the file `go`, lets another kernel race, frees nothing, and makes the file `last`. With `hidden` it overwrites its environment.
#include <cstdio>
#include <cstring>
#include <hip/hip_runtime.h>
#include <string>
#include <unistd.h>

__global__ void before(int *out) {
  __shared__ int tile[128];
  tile[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = tile[127 - threadIdx.x];
}

__global__ void after(int *out) {
  __shared__ int tile[128];
  tile[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = tile[127 - threadIdx.x];
}

static bool run(void (*kernel)(int *), int *out) {
  kernel<<<1, 128>>>(out);
  return hipDeviceSynchronize() == hipSuccess;
}

int main(int count, char **words) {
  std::string folder = words[1];
  auto make = [&](const char *name) { std::fclose(std::fopen((folder + "/" + name).c_str(), "w")); };
  auto is_there = [&](const char *name) { return access((folder + "/" + name).c_str(), F_OK) == 0; };
  int *out;
  if (hipMalloc(&out, 512) != hipSuccess || !run(before, out))
    return 2;
  if (count > 2)
    for (char **entry = environ; *entry; entry++)
      std::memset(*entry, 0, std::strlen(*entry));
  make("first");
  while (is_there("first") && !is_there("go"))
    usleep(5000);
  if (!run(after, out))
    return 3;
  make("last");
}
