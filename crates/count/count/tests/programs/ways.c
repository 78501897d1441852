// Ways that do something each, and end in different amounts.
void first(void), second(void), third(void), last(void);

void ways(unsigned kind) {
  first();
  if (kind > 6) {
    second();
    kind = kind * 3 + 1;
  } else if (kind > 3) {
    third();
  }
  last();
}
