/* outlives ROUNDS: a child works on when its parent has ended. */
#include <stdlib.h>
#include <unistd.h>
static volatile long sink;
int main(int count, char **words) {
  long n = count > 1 ? atol(words[1]) : 1000;
  if (fork() == 0)
    for (long i = 0; i < n; i++)
      sink++;
  return 0;
}
