/* Answers every number with itself, after so many rounds of work. `twice`: asks for two lines a turn. `threads`: another thread works.
 * `sleeps`: answers the second number only after ten seconds. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile unsigned long sum;

static void *work(void *rounds) {
  for (unsigned long round = 0; round < *(unsigned long *)rounds; ++round)
    sum += round;
  return NULL;
}

int main(int count, char **arguments) {
  const char *how = count > 1 ? arguments[1] : "";
  char line[100], second[100];
  int turn = 0;
  while (fgets(line, sizeof line, stdin)) {
    unsigned long rounds = strtoul(line, NULL, 10);
    if (!strcmp(how, "twice") && fgets(second, sizeof second, stdin))
      rounds += strtoul(second, NULL, 10);
    if (!strcmp(how, "sleeps") && turn++ == 1)
      sleep(10);
    if (!strcmp(how, "threads")) {
      pthread_t thread;
      pthread_create(&thread, NULL, work, &rounds);
      pthread_join(thread, NULL);
    } else {
      work(&rounds);
    }
    printf("%lu\n", rounds);
    fflush(stdout);
  }
  return 0;
}
