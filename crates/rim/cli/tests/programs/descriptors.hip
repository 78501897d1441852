// Plays with descriptors as daemons and careless programs do, while kernels run. Exits with 1 if a file of its own was written by another
// process or library.
#include <hip/hip_runtime.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

__global__ void add(int *values, int amount) { values[blockIdx.x * blockDim.x + threadIdx.x] += amount; }
__global__ void multiply(int *values, int factor) { values[blockIdx.x * blockDim.x + threadIdx.x] *= factor; }

static void die(const char *what) {
  printf("%s\n", what);
  fflush(stdout);
  _exit(1);
}

static int *values;

static void launch(int rounds) {
  for (int round = 0; round < rounds; round++) {
    add<<<4, 64>>>(values, 1);
    multiply<<<4, 64>>>(values, 3);
  }
  if (hipDeviceSynchronize() != hipSuccess)
    die("a launch failed");
}

// Opens the program's own files behind every low number that is free.
static std::vector<std::string> names;
static void open_many(const char *folder) {
  for (int number = 0; number < 64; number++) {
    std::string name = std::string(folder) + "/own-" + std::to_string(number);
    names.push_back(name);
    if (open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600) < 0)
      die("open");
  }
}

static void check() {
  for (const std::string &name : names) {
    struct stat about;
    if (stat(name.c_str(), &about) != 0 || about.st_size != 0)
      die(("somebody wrote to " + name).c_str());
  }
}

int main(int argc, char **argv) {
  std::string mode = argv[1];
  const char *folder = argv[2];
  if (hipMalloc(&values, 1024) != hipSuccess)
    die("no device");
  (void)hipMemset(values, 0, 1024);
  launch(2);
  if (mode == "closefrom" || mode == "signal" || mode == "abort") {
    for (int number = 3; number < 1024; number++)
      close(number);
    open_many(folder);
  } else if (mode == "daemon") {
    umask(0);
    // Standard error as well; the first file gets its number.
    for (int number = 2; number < 1024; number++)
      close(number);
    open_many(folder);
  } else if (mode == "redirected") {
    // Its own log in place of standard error.
    names.push_back(std::string(folder) + "/own-log");
    if (!freopen(names[0].c_str(), "w", stderr))
      die("freopen");
  }
  std::atomic<bool> done{false};
  std::thread other([&] {
    while (mode == "race" && !done) {
      for (int number = 3; number < 64; number++)
        close(number);
      std::vector<int> own;
      for (int index = 0; index < 32; index++) {
        char name[] = "/tmp/luthier-own-XXXXXX";
        own.push_back(mkstemp(name));
        unlink(name);
      }
      for (int file : own) {
        struct stat about;
        if (fstat(file, &about) == 0 && about.st_size != 0)
          die("somebody wrote to a file of the other thread");
      }
    }
  });
  // A check notes who has asked for memory.
  int *late;
  if (hipMalloc(&late, 256) != hipSuccess)
    die("no memory");
  launch(20);
  done = true;
  other.join();
  check();
  printf("clean\n");
  fflush(stdout);
  if (mode == "signal")
    raise(atoi(argv[3]));
  if (mode == "abort")
    abort();
  return 0;
}
