// C++ over luthier/count.h: scopes, budgets that end with their block, and a limit that throws.
#ifndef LUTHIER_COUNT_HPP
#define LUTHIER_COUNT_HPP

#include "count.h"

#include <exception>
#include <stdexcept>
#include <string>

namespace luthier {

// Thrown where a budget of Budget::throwing was used up. Code that throws it must be built with `--throw`.
class BudgetExceeded : public std::exception {
public:
  explicit BudgetExceeded(luthier_count_stop stop) : stop(stop) {}
  const char *what() const noexcept override { return "luthier count: budget exceeded"; }
  luthier_count_stop stop;
};

// Units between construction and now.
class CountScope {
public:
  CountScope() : begin(luthier_count_now()) {}
  uint64_t units() const { return luthier_count_now() - begin; }

private:
  uint64_t begin;
};

// A budget for a block.
class Budget {
public:
  // Ends the process at the limit.
  explicit Budget(uint64_t units) { push(units, LUTHIER_COUNT_ABORT, nullptr); }

  // Throws BudgetExceeded at the limit.
  static Budget throwing(uint64_t units) { return Budget(units, LUTHIER_COUNT_RAISE); }

  ~Budget() {
    // At the limit the budget was popped before the throw.
    if (depth_is_ours())
      luthier_count_pop_budget();
  }
  Budget(const Budget &) = delete;
  Budget &operator=(const Budget &) = delete;

private:
  Budget(uint64_t units, luthier_count_limit kind) { push(units, kind, &exceeded); }

  void push(uint64_t units, luthier_count_limit kind, void *context) {
    luthier_count_action action = {};
    action.struct_size = sizeof action;
    action.kind = kind;
    action.raise = &Budget::raise;
    action.context = context;
    if (luthier_count_push_budget(units, &action) != 0)
      throw std::runtime_error("luthier count: too many nested budgets, or a budget inside a task");
  }

  static void raise(const luthier_count_stop *stop, void *context) {
    *static_cast<bool *>(context) = true;
    throw BudgetExceeded(*stop);
  }

  bool depth_is_ours() const { return !exceeded; }

  bool exceeded = false;
};

} // namespace luthier

#endif
