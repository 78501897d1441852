// raised SIGNAL HOW MILLISECONDS: a kernel runs until the process gets a signal, which comes while it runs. HOW: 0 no handler; 1 a handler
// that restores the default and raises the signal again; 2 the same with sigaction and SA_RESETHAND; 3 a handler that sends it to the process.
#include <csignal>
#include <cstdlib>
#include <hip/hip_runtime.h>
#include <pthread.h>
#include <thread>
#include <unistd.h>

__global__ void spin(volatile int *flags) {
  flags[1] = 1;
  while (!flags[0])
    ;
}

static int how;

static void handler(int number) {
  if (how == 1)
    signal(number, SIG_DFL);
  if (how == 3) {
    signal(number, SIG_DFL);
    kill(getpid(), number);
    return;
  }
  raise(number);
}

int main(int, char **arguments) {
  int number = atoi(arguments[1]);
  how = atoi(arguments[2]);
  int milliseconds = atoi(arguments[3]);
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = how == 2 ? SA_RESETHAND : 0;
  if (how != 0)
    sigaction(number, &action, nullptr);
  int *flags;
  (void)hipHostMalloc(&flags, 8);
  flags[0] = flags[1] = 0;
  spin<<<1, 64>>>(flags);
  while (!((volatile int *)flags)[1])
    usleep(1000);
  std::thread([=] {
    usleep(milliseconds * 1000);
    kill(getpid(), number);
  }).detach();
  (void)hipDeviceSynchronize();
}
