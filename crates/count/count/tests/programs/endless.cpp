// Callbacks of C++ that code which is not counted calls for ever: inline functions, virtual ones, members of templates, function objects.
#include <cstdlib>
#include <search.h>
struct Base {
  virtual int step() { return 1; }
  virtual ~Base() = default;
};
struct Derived : Base {
  int step() override { return value ? 2 : 1; }
  int value = 0;
};
inline int compare(const void *, const void *) { return 1; }
template <typename T> int generic(const void *a, const void *) { return *(const T *)a ? 1 : 2; }
extern int called(int n);
int called(int n) { return n > 3 ? compare(&n, &n) : generic<int>(&n, &n); }
int main(int, char **words) {
  int which = atoi(words[1]), key = called(which);
  size_t many = (size_t)-1;
  switch (which) {
  case 0: lfind(&key, &key, &many, 0, compare); break;
  case 1: lfind(&key, &key, &many, 0, generic<int>); break;
  case 2: lfind(&key, &key, &many, 0, [](const void *, const void *) { return 1; }); break;
  case 3: {
    static Base *object = which ? new Derived : new Base;
    lfind(&key, &key, &many, 0, [](const void *, const void *) { return object->step(); });
    break;
  }
  }
}
