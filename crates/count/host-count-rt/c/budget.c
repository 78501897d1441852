/* Budgets, limits, tasks. */

#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <ucontext.h>
#endif
#ifdef __x86_64__
#include <cpuid.h>
#endif

#ifndef _WIN32 /* It has no contexts to switch to. */
struct luthier_count_task {
  ucontext_t host, own;
  void (*run)(void *);
  void *argument;
  enum luthier_count_task_state state;
};
#endif

static uint64_t saturating_add(uint64_t a, uint64_t b) { return a + b < a ? UINT64_MAX : a + b; }

static uint64_t end_of(const struct budget *budget) {
  uint64_t end = saturating_add(budget->begin, budget->units);
  return end > (uint64_t)NO_LIMIT ? (uint64_t)NO_LIMIT : end;
}

/* Parts `left` between the lanes as they have used their parts: the one that adds more gets more, and neither gets all. The second is
 * never more than 0 afterwards, so that the first has reached 0 if nothing is left. */
static void part(int64_t left) {
  struct thread *self = &luthier_self;
  int64_t first = self->parts[0] + __luthier_count[FIRST_LANE], second = self->parts[1] + __luthier_count[SECOND_LANE];
  first = first < 0 ? 0 : first / 2;
  second = second < 0 ? 0 : second / 2;
  if (first + second >= PARTS) {
    int64_t share = first / ((first + second) / PARTS);
    self->share = share < 1 ? 1 : share > PARTS - 1 ? PARTS - 1 : (int)share;
  }
  self->parts[0] = left < 0 ? left : left / PARTS * self->share + left % PARTS * self->share / PARTS;
  self->parts[1] = left - self->parts[0];
  __luthier_count[FIRST_LANE] = -self->parts[0];
  __luthier_count[TAKEN_BACK_LANE] = 0;
  __luthier_count[SECOND_LANE] = -self->parts[1];
}

/* How far the lanes are from the limit. */
static int64_t left_in_lanes(void) {
  int64_t left = 0;
  for (int lane = 0; lane < CHECKED_LANES; ++lane)
    left -= __luthier_count[lane];
  return left;
}

/* Called from an addition that found the second lane at or past 0. Nothing is stopped here, which is no check: if nothing is left,
 * the first lane says so to the next one. */
void luthier_part_anew(void) {
  ++luthier_self.settling;
  part(left_in_lanes());
  --luthier_self.settling;
}

PUBLIC __attribute__((preserve_most)) void __luthier_count_part(void) { luthier_part_anew(); }

/* Makes the counter reach 0 at the nearest end of a budget. */
void luthier_set_limit(void) {
  struct thread *self = &luthier_self;
  uint64_t nearest = (uint64_t)NO_LIMIT;
  if (!self->asking && self->lease.end < nearest)
    nearest = self->lease.end;
  for (int index = 0; index < self->depth && !self->asking; ++index) {
    uint64_t end = end_of(&self->budgets[index]);
    nearest = end < nearest ? end : nearest;
  }
  ++self->settling;
  /* Lanes and limit together are what this thread has counted; only where it is split moves. */
  int64_t limit = (int64_t)nearest - self->signals, left = limit - self->limit + left_in_lanes();
  self->limit = limit;
  part(left);
  --self->settling;
}

void luthier_bind_handler(void) {
  if (luthier_self.settling == 0)
    luthier_set_limit();
}

int luthier_count_push_budget(uint64_t units, const struct luthier_count_action *action) {
  struct thread *self = &luthier_self;
  bool bad = action &&
             (action->struct_size != sizeof *action || (unsigned)action->kind > LUTHIER_COUNT_YIELD ||
              (action->kind == LUTHIER_COUNT_CALLBACK && !action->callback) || (action->kind == LUTHIER_COUNT_LONGJMP && !action->jump) ||
              (action->kind == LUTHIER_COUNT_RAISE && !action->raise) || (action->kind == LUTHIER_COUNT_YIELD && !action->context));
  if (bad || self->task || self->depth == LUTHIER_COUNT_MOST_BUDGETS)
    return -1;
  uint64_t now = luthier_checked_now();
  struct budget *budget = &self->budgets[self->depth++];
  budget->begin = now;
  budget->units = units;
  memset(&budget->action, 0, sizeof budget->action);
  if (action)
    budget->action = *action;
  luthier_set_limit();
  return 0;
}

void luthier_push_own_budget(uint64_t units) {
  if (luthier_count_push_budget(units, NULL) == 0)
    luthier_self.floor = luthier_self.depth;
}

uint64_t luthier_count_pop_budget(void) {
  struct thread *self = &luthier_self;
  if (self->depth <= self->floor)
    return 0;
  uint64_t now = luthier_checked_now();
  uint64_t used = now - self->budgets[--self->depth].begin;
  luthier_set_limit();
  return used;
}

int luthier_count_refill(uint64_t units) {
  struct thread *self = &luthier_self;
  if (self->depth <= self->floor)
    return -1;
  struct budget *budget = &self->budgets[self->depth - 1];
  budget->units = saturating_add(budget->units, units);
  luthier_set_limit();
  return 0;
}

uint64_t luthier_count_left(void) {
  struct thread *self = &luthier_self;
  if (self->depth == 0)
    return luthier_pool_left(luthier_checked_now());
  uint64_t now = luthier_checked_now(), end = end_of(&self->budgets[self->depth - 1]);
  return now < end ? end - now : 0;
}

struct luthier_count_stop luthier_count_last_stop(void) { return luthier_self.last_stop; }

static void stop_here(const struct luthier_count_stop *stop) {
  char text[160];
  snprintf(text, sizeof text, "budget of %llu units reached after %llu", (unsigned long long)stop->budget, (unsigned long long)stop->used);
  luthier_stop(text);
}

/* What happens at a limit, the counter being exact. */
static void meet_limit(void) {
  struct thread *self = &luthier_self;
  uint64_t now = luthier_checked_now();
  if (!self->asking && now >= self->lease.end && !luthier_pool_take(now))
    luthier_stop(NULL);
  int index = 0;
  while (index < self->depth && end_of(&self->budgets[index]) > now)
    ++index;
  if (index == self->depth)
    return luthier_set_limit();
  /* The outermost budget that is used up decides; budgets inside it end with it. */
  struct budget *budget = &self->budgets[index];
  struct luthier_count_stop stop = {budget->units, now - budget->begin};
  struct luthier_count_action action = budget->action;
  self->last_stop = stop;
  switch (action.kind) {
  case LUTHIER_COUNT_CALLBACK: {
    /* What is asked may count itself; it must not meet the limit again. */
    self->asking = true;
    luthier_set_limit();
    uint64_t grant = action.callback(&stop, action.context);
    self->asking = false;
    if (grant == 0)
      stop_here(&stop);
    /* What was overrun is part of the grant, or the next check would stop at once. */
    budget->units = saturating_add(stop.used, grant);
    return luthier_set_limit();
  }
  case LUTHIER_COUNT_LONGJMP: self->depth = index; luthier_set_limit();
#ifdef _WIN32
    longjmp(*action.jump, 1);
#else
    siglongjmp(*action.jump, 1);
#endif
  case LUTHIER_COUNT_RAISE:
    self->depth = index;
    luthier_set_limit();
    action.raise(&stop, action.context);
    luthier_stop("the function that should have thrown at the limit came back");
#ifndef _WIN32
  case LUTHIER_COUNT_YIELD: {
    struct luthier_count_task *task = action.context;
    task->state = LUTHIER_COUNT_TASK_YIELDED;
    swapcontext(&task->own, &task->host);
    return;
  }
#endif
  default: stop_here(&stop);
  }
}

/* Called from a check that found the first lane at or past 0, short of what is `owed` there. The limit need not have been reached: the
 * second lane may have something left, the counter may have been paid ahead (a negative debt), or part of it taken back. Then a later
 * check comes here again. */
PUBLIC __attribute__((preserve_most)) void __luthier_count_limit(int64_t owed) {
  __luthier_count[FIRST_LANE] += owed;
  meet_limit();
  if (owed)
    part(left_in_lanes() + owed);
}

#if defined(__x86_64__) && !defined(__ILP32__) && !defined(_WIN32)
/* What checks on x86-64 call, and additions to the second lane (shim/check.cpp). Both say to the compiler that it changes no register and needs no stack, so that
 * functions with checks are compiled as without; therefore everything is saved here. On the stack: where to go back to,
 * what is owed (or that it is no check), 128 bytes below the stack pointer of the check, which may be in use. */
enum { LEGACY_STATE_BYTES = 512, NO_CHECK = 1 };
HIDDEN int luthier_state_bytes; /* 0: not known yet */

/* (Such checks have a debt of 0 or less.) */
__attribute__((used)) HIDDEN void luthier_called_here(int64_t owed) {
  if (owed == NO_CHECK)
    luthier_part_anew();
  else
    __luthier_count_limit(owed);
}

__attribute__((used, target("general-regs-only"))) HIDDEN void luthier_find_state_bytes(void) {
  unsigned a, b, c, d;
  int bytes = LEGACY_STATE_BYTES;
  if (__get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE) && __get_cpuid_count(13, 0, &a, &b, &c, &d))
    bytes = (int)b;
  luthier_state_bytes = bytes;
}

__asm__(".text\n"
        ".p2align 4\n"
        ".globl __luthier_count_limit_here\n"
        ".type __luthier_count_limit_here,@function\n"
        "__luthier_count_limit_here:\n"
        ".cfi_startproc\n"
        ".cfi_def_cfa_offset 144\n"
        ".cfi_offset %rip, -144\n"
        "pushq %rbp\n"
        ".cfi_adjust_cfa_offset 8\n"
        ".cfi_offset %rbp, -152\n"
        "movq %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "pushq %rax\n pushq %rcx\n pushq %rdx\n pushq %rsi\n pushq %rdi\n"
        "pushq %r8\n pushq %r9\n pushq %r10\n pushq %r11\n pushq %rbx\n"
        "andq $-64, %rsp\n"
        "cmpl $0, luthier_state_bytes(%rip)\n"
        "jne 1f\n"
        "callq luthier_find_state_bytes\n"
        "1: movl luthier_state_bytes(%rip), %ebx\n"
        "subq %rbx, %rsp\n"
        "andq $-64, %rsp\n"
        "cmpl $512, %ebx\n"
        "je 2f\n"
        "xorl %eax, %eax\n" /* the header of the saved state */
        "movq %rax, 512(%rsp)\n movq %rax, 520(%rsp)\n movq %rax, 528(%rsp)\n movq %rax, 536(%rsp)\n"
        "movq %rax, 544(%rsp)\n movq %rax, 552(%rsp)\n movq %rax, 560(%rsp)\n movq %rax, 568(%rsp)\n"
        "movl $-1, %eax\n movl $-1, %edx\n"
        "xsave64 (%rsp)\n"
        "jmp 3f\n"
        "2: fxsave64 (%rsp)\n"
        "3: fninit\n"
        "cld\n"
        "movq 16(%rbp), %rdi\n"
        "callq luthier_called_here\n"
        "cmpl $512, %ebx\n"
        "je 4f\n"
        "movl $-1, %eax\n movl $-1, %edx\n"
        "xrstor64 (%rsp)\n"
        "jmp 5f\n"
        "4: fxrstor64 (%rsp)\n"
        "5: leaq -80(%rbp), %rsp\n"
        "popq %rbx\n popq %r11\n popq %r10\n popq %r9\n popq %r8\n"
        "popq %rdi\n popq %rsi\n popq %rdx\n popq %rcx\n popq %rax\n"
        "popq %rbp\n"
        ".cfi_def_cfa %rsp, 144\n"
        "retq $136\n"
        ".cfi_endproc\n"
        ".size __luthier_count_limit_here, .-__luthier_count_limit_here\n");
#endif

#ifndef _WIN32
static void task_main(unsigned low, unsigned high) {
  struct luthier_count_task *task = (struct luthier_count_task *)(uintptr_t)((uint64_t)high << 32 | low);
  task->run(task->argument);
  task->state = LUTHIER_COUNT_TASK_DONE;
}

struct luthier_count_task *luthier_count_task_new(void (*run)(void *), void *argument, size_t stack_bytes) {
  struct luthier_count_task *task = calloc(1, sizeof *task);
  void *stack = malloc(stack_bytes);
  if (!task || !stack || !run || getcontext(&task->own) != 0) {
    free(task);
    free(stack);
    return NULL;
  }
  task->run = run;
  task->argument = argument;
  task->state = LUTHIER_COUNT_TASK_YIELDED;
  task->own.uc_stack.ss_sp = stack;
  task->own.uc_stack.ss_size = stack_bytes;
  task->own.uc_link = &task->host;
  makecontext(&task->own, (void (*)(void))task_main, 2, (unsigned)(uintptr_t)task, (unsigned)((uint64_t)(uintptr_t)task >> 32));
  return task;
}

enum luthier_count_task_state luthier_count_task_resume(struct luthier_count_task *task, uint64_t units) {
  if (task->state == LUTHIER_COUNT_TASK_DONE)
    return LUTHIER_COUNT_TASK_DONE;
  struct luthier_count_action action = {.struct_size = sizeof action, .kind = LUTHIER_COUNT_YIELD, .context = task};
  if (luthier_count_push_budget(units, &action) != 0)
    luthier_stop("a task cannot be resumed inside a task, nor under too many budgets");
  luthier_self.task = task;
  swapcontext(&task->host, &task->own);
  luthier_self.task = NULL;
  luthier_count_pop_budget();
  return task->state;
}

void luthier_count_task_free(struct luthier_count_task *task) {
  if (!task)
    return;
  free(task->own.uc_stack.ss_sp);
  free(task);
}
#endif
