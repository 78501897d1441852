// A generator that is resumed, abandoned, and that throws.
#include <coroutine>
#include <cstdio>
#include <exception>
#include <stdexcept>
struct Generator {
  struct promise_type {
    int value = 0;
    std::exception_ptr error;
    Generator get_return_object() { return Generator{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int v) {
      value = v;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { error = std::current_exception(); }
  };
  explicit Generator(std::coroutine_handle<promise_type> handle) : handle(handle) {}
  Generator(const Generator &) = delete;
  ~Generator() { handle.destroy(); }
  bool next() {
    handle.resume();
    if (handle.promise().error)
      std::rethrow_exception(handle.promise().error);
    return !handle.done();
  }
  std::coroutine_handle<promise_type> handle;
};
static Generator count(int from, int to) {
  for (int i = from; i < to; i++) {
    if (i == 37)
      throw std::runtime_error("37");
    int weight = 0;
    for (int j = 0; j < i % 4; j++)
      weight += j;
    co_yield i + weight;
  }
}
int main() {
  int sum = 0;
  for (int start : {0, 10, 30, 50}) {
    auto numbers = count(start, start + 20);
    try {
      for (int taken = 0; numbers.next() && taken < 15; taken++)
        sum += numbers.handle.promise().value;
    } catch (const std::runtime_error &error) {
      sum += error.what()[0];
    }
  }
  std::printf("%d\n", sum);
}
