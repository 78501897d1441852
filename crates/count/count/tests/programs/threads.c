// Four threads with work of their own; destructors of thread-specific data count, too.
#include <pthread.h>
#include <stdio.h>
#include <threads.h>
static pthread_key_t key;
static int work(int n) {
  unsigned x = (unsigned)n;
  for (int i = 0; i < 20000 * n; i++)
    x = x * 1664525u + (i & 1 ? 1013904223u : 5u);
  return (int)(x >> 8);
}
static void at_end(void *value) { *(int *)value += work(1); }
static void *run(void *argument) {
  int *n = argument;
  pthread_setspecific(key, n);
  *n = work(*n);
  return NULL;
}
static int run_c11(void *argument) {
  int *n = argument;
  return *n = work(*n);
}
int main(void) {
  int values[4] = {1, 2, 3, 4};
  pthread_t threads[3];
  thrd_t last;
  pthread_key_create(&key, at_end);
  for (int i = 0; i < 3; i++)
    pthread_create(&threads[i], NULL, run, &values[i]);
  thrd_create(&last, run_c11, &values[3]);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  thrd_join(last, NULL);
  printf("%d %d %d %d\n", values[0], values[1], values[2], values[3]);
}
