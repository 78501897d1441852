// A counted operator new: an allocation that the optimiser takes away would take its count along.
#include <cstdio>
#include <cstdlib>
#include <new>
static int allocations;
void *operator new(std::size_t size) {
  allocations++;
  for (std::size_t i = 0; i < size; i += 8)
    allocations += i > 64;
  if (void *memory = std::malloc(size))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }
int main() {
  int sum = 0;
  for (int i = 0; i < 100; i++) {
    int *value = new int(i);
    sum += *value;
    delete value;
    delete new long(i);
  }
  std::printf("%d\n", sum);
}
