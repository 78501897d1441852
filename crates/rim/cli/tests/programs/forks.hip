// Forks after it has used the GPU. The child uses it ("use"), or just exits ("exit"); the parent goes on.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

__global__ void add(int *values, int amount) { values[threadIdx.x] += amount; }

int main(int, char **argv) {
  int *values, first = 0;
  if (hipMalloc(&values, 256) != hipSuccess)
    return 90;
  (void)hipMemset(values, 0, 256);
  add<<<1, 64>>>(values, 2);
  (void)hipDeviceSynchronize();
  pid_t child = fork();
  if (child == 0) {
    if (!strcmp(argv[1], "exit"))
      exit(0);
    add<<<1, 64>>>(values, 5);
    exit(hipDeviceSynchronize() == hipSuccess ? 0 : 7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("child: status %d signal %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  add<<<1, 64>>>(values, 3);
  (void)hipMemcpy(&first, values, 4, hipMemcpyDeviceToHost);
  printf("parent: %d\n", first);
  return first == 5 ? 0 : 1;
}
