// The program's own `operator delete`, called by the C++ library and by what its headers show of it.
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
static int plain, sized;
void *operator new(std::size_t size) {
  if (void *memory = std::malloc(size))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept {
  for (int i = 0; i < 10; i++)
    plain += i;
  std::free(memory);
}
void operator delete(void *memory, std::size_t size) noexcept {
  sized += size > 1000;
  std::free(memory);
}
int main() {
  std::string all;
  for (int i = 0; i < 60; i++) {
    std::string part(i, 'x');
    all += part;
  }
  std::wstring wide(50, L'y');
  wide.append(100, L'z');
  std::printf("%zu %zu %d %d\n", all.size(), wide.size(), plain, sized);
}
