// Functions that the runtime stands in front of, as a program sees them. Each way prints the same without it.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Small ones, as programs give their copies. */
static char stack[8 * 1024] __attribute__((aligned(16)));
static int ends[2];

static int status_of(pid_t child) {
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0)
    return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void *nothing(void *unused) { return unused; }
static void ignore(int number) { (void)number; }

/* 1 if nobody writes. */
static int wait_for_word(void *unused) {
  (void)unused;
  struct pollfd pipe = {.fd = ends[0], .events = POLLIN};
  return poll(&pipe, 1, 20000) == 1 ? 0 : 1;
}

static void *copy_waits(void *unused) {
  (void)unused;
  pid_t child = clone(wait_for_word, stack + sizeof stack, CLONE_VFORK | SIGCHLD, NULL);
  return (void *)(long)status_of(child);
}

/* While the child runs, its parent's other threads begin and end. */
static void others_go_on(void) {
  pthread_t parent, other;
  void *result = NULL;
  pthread_create(&parent, NULL, copy_waits, NULL);
  usleep(200000);
  for (int i = 0; i < 3; i++) {
    pthread_create(&other, NULL, nothing, NULL);
    pthread_join(other, NULL);
  }
  (void)!write(ends[1], "x", 1);
  pthread_join(parent, &result);
  printf("%ld\n", (long)result);
}

static void *outlive(void *unused) {
  (void)unused;
  usleep(200000);
  (void)!write(ends[1], "x", 1);
  _exit(7);
}
static int leave_thread(void *unused) {
  (void)unused;
  pthread_t thread;
  return pthread_create(&thread, NULL, outlive, NULL);
}

static int tasks(void *unused) {
  (void)unused;
  int count = 0;
  DIR *all = opendir("/proc/self/task");
  while (all && readdir(all))
    count++;
  return count - 2;
}

static void errors_of_libraries(void) {
  const char *first = dlerror();
  pthread_t thread;
  dlopen("/nowhere/library.so", RTLD_NOW);
  pthread_create(&thread, NULL, nothing, NULL);
  pthread_join(thread, NULL);
  signal(SIGUSR1, ignore);
  int status = system("true");
  const char *then = dlerror();
  printf("%s %d %s\n", first ? first : "none", status, then ? then : "none");
}

/* `chdir` fails, and /dev/null may be a file. */
static void daemon_without(int null, int stays, int keeps_files) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_chdir, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  int ready = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) + prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
  if (null) {
    char what[] = "/tmp/luthier-copies-XXXXXX";
    close(mkstemp(what));
    ready = unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0;
    ready += mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) + mount(what, "/dev/null", NULL, MS_BIND, NULL);
    unlink(what);
  }
  int out = dup(1);
  errno = 0;
  int result = daemon(stays, keeps_files);
  dprintf(out, "%d %d %s\n", ready, result, result ? strerrorname_np(errno) : "");
}

int main(int count, char **words) {
  const char *how = count > 1 ? words[1] : "";
  setbuf(stdout, NULL);
  if (pipe(ends) != 0)
    return 1;
  if (strcmp(how, "waits") == 0)
    others_go_on();
  else if (strcmp(how, "outlives") == 0)
    printf("%d %d\n", status_of(clone(leave_thread, stack + sizeof stack, SIGCHLD, NULL)), wait_for_word(NULL));
  else if (strcmp(how, "tasks") == 0)
    printf("%d\n", status_of(clone(tasks, stack + sizeof stack, SIGCHLD, NULL)));
  else if (strcmp(how, "dlerror") == 0)
    errors_of_libraries();
  else if (strcmp(how, "chdir") == 0)
    daemon_without(0, 0, 1);
  else if (strcmp(how, "null") == 0)
    daemon_without(1, 1, 0);
}
