// Coroutines whose frames a compiler may put on the stack of their callers.
#include <coroutine>
#include <cstdio>
#include <cstdlib>
static int allocated;
struct Task {
  struct promise_type {
    int value = 0;
    Task get_return_object() { return Task{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_value(int v) { value = v; }
    void unhandled_exception() { std::abort(); }
    static void *operator new(std::size_t size) {
      allocated++;
      return std::malloc(size);
    }
    static void operator delete(void *memory) { std::free(memory); }
  };
  explicit Task(std::coroutine_handle<promise_type> handle) : handle(handle) {}
  Task(const Task &) = delete;
  ~Task() { handle.destroy(); }
  int get() {
    handle.resume();
    return handle.promise().value;
  }
  std::coroutine_handle<promise_type> handle;
};
static Task square(int n) { co_return n *n; }
static int use(int n) {
  Task task = square(n);
  return task.get();
}
int main() {
  int sum = 0;
  for (int i = 0; i < 1000; i++)
    sum += use(i & 15);
  std::printf("%d %d\n", sum, allocated);
}
