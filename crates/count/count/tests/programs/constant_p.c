// The compiler's knowledge depends on its level and on inlining. The count must not.
#include <stdio.h>
#include <string.h>
static inline int power(int x, int n) {
  if (__builtin_constant_p(n) && n == 2)
    return x * x;
  int result = 1;
  for (int i = 0; i < n; i++)
    result *= x;
  return result;
}
static inline int room(char *p, int n) {
  if (__builtin_object_size(p, 0) == (size_t)-1)
    return n;
  int left = 0;
  for (int i = 0; i < n; i++)
    left += (int)__builtin_object_size(p, 0) - i;
  return left;
}
static inline long room_at_run_time(char *p) { return __builtin_dynamic_object_size(p, 0) > 16 ? p[0] * 3 + p[1] : 1; }
int main(void) {
  char text[20] = "abc";
  long sum = 0;
  for (int i = 0; i < 1000; i++)
    sum += power(i & 7, 2) + power(i & 3, i & 3) + room(text, 5) + room_at_run_time(text);
  // Sources may ask for the level.
#ifdef __OPTIMIZE__
  sum += 1;
#endif
#ifdef __OPTIMIZE_SIZE__
  for (int i = 0; i < 10; i++)
    sum += i;
#endif
  return sum == 0 || __builtin_constant_p(text[1]);
}
