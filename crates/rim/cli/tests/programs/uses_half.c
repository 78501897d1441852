// Is linked with a library that has a kernel, and does not need it.
#include <stdio.h>
void half(int *value);
int main(int count, char **words) {
  if (count > 1)
    half(NULL);
  puts("done");
  return 0;
}
