// Each C++ ABI has ways of its own for static variables in functions, and for pointers to member functions.
#include <cstdio>

struct Base {
  int base = 3;
  virtual int first(int x) { return x + base; }
  virtual int second(int x) { return x * base; }
  int plain(int x) { return x - base; }
  virtual ~Base() {}
};
struct Other {
  int other = 5;
  virtual int third(int x) { return x ^ other; }
  virtual ~Other() {}
};
struct Derived : Base, Other {
  int first(int x) override { return x + 100; }
  int own(int x) { return x + other; }
};
typedef int (Base::*Member)(int);
typedef int (Derived::*MemberOfDerived)(int);

static int source = 7;
struct Made {
  int value;
  Made() : value(source++) {}
  ~Made() { source--; }
};

static int once(int x) {
  static Made made;
  static int number = source * 2;
  thread_local static int mine = source * 3;
  return made.value + number + mine + x;
}
inline int shared(int x) {
  static Made made;
  thread_local static int mine = source * 5;
  return made.value + mine + x;
}
template <class T> struct Holder {
  static T value;
};
template <class T> T Holder<T>::value = source + sizeof(T);

static Member members[] = {&Base::first, &Base::second, &Base::plain, nullptr};

int main() {
  int sum = Holder<int>::value + Holder<long>::value;
  for (int i = 0; i < 20; i++)
    sum += once(i) + shared(i);
  Derived derived;
  Base base;
  for (int i = 0; i < 40; i++) {
    Member member = members[i % 4];
    if (member)
      sum += ((i % 3 ? &derived : &base)->*member)(i);
    sum += (member == members[(i + 1) % 4]) + (member != members[i % 2]) + !member;
    sum += (member == &Base::first) * 2 + (member != &Base::second) + (member == nullptr);
    sum += (&Base::second == member) * 4 + (&Base::plain != member);
    MemberOfDerived further = i % 5 ? static_cast<MemberOfDerived>(member) : i % 2 ? &Derived::own : &Derived::third;
    if (further)
      sum += (derived.*further)(i);
    bool any = further && i != 7;
    sum += any;
  }
  std::printf("%d\n", sum);
}
