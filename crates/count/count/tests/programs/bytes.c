// A loop over bytes that is longer than a few instructions: a switch in every round, and one way on.
#include <stdio.h>

struct position {
  unsigned long line, column;
};

__attribute__((noinline)) static void walk(const unsigned char *classes, const unsigned char *at, const unsigned char *end,
                                           struct position *position) {
  while (at < end) {
    switch (classes[*at]) {
    case 5: at += 2; break;
    case 6: at += 3; break;
    case 7: at += 4; break;
    case 9:
      position->line++;
      at++;
      if (at != end && classes[*at] == 10)
        at++;
      position->column = (unsigned long)-1;
      break;
    case 10:
      position->column = (unsigned long)-1;
      position->line++;
      at++;
      break;
    default: at++;
    }
    position->column++;
  }
}

int main(void) {
  static unsigned char classes[256], text[20004];
  struct position position = {1, 0};
  for (unsigned i = 0; i < 256; i++)
    classes[i] = i * 7 % 12;
  for (unsigned i = 0; i < 20000; i++)
    text[i] = (unsigned char)(i * 2654435761u >> 13);
  for (int round = 0; round < 5; round++)
    walk(classes, text + round, text + 20000, &position);
  printf("%lu %lu\n", position.line, position.column);
}
