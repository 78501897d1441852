/* waiting HOW THREADS WORK: threads that have done a little and wait hold no part of the budget that others need.
   chain: each begins the next and waits for it; barrier: all wait for the first, which works. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static pthread_barrier_t all;
static volatile long sink, left;
static void *wait_for(void *p) {
  sink++;
  pthread_barrier_wait(&all);
  return p;
}
static void *chain(void *p) {
  pthread_t next;
  if (--left > 0 && pthread_create(&next, 0, chain, p) == 0)
    pthread_join(next, 0);
  return p;
}
int main(int count, char **words) {
  int threads = atoi(words[2]);
  if (count < 4 || strcmp(words[1], "chain") == 0) {
    left = threads;
    chain(0);
    return 0;
  }
  pthread_t *t = malloc(threads * sizeof *t);
  pthread_barrier_init(&all, 0, threads + 1);
  for (int i = 0; i < threads; i++)
    if (pthread_create(&t[i], 0, wait_for, 0))
      return 9;
  for (long i = 0; i < atol(words[3]); i++)
    sink++;
  pthread_barrier_wait(&all);
  for (int i = 0; i < threads; i++)
    pthread_join(t[i], 0);
  return 0;
}
