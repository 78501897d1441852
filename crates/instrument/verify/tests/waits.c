// Kernels that wait: for the host, for each other, and not for ever.
#define KERNEL __attribute__((amdgpu_kernel))
#define GLOBAL __attribute__((address_space(1)))
typedef unsigned u32;

static u32 me(void) { return __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x(); }
static u32 look(GLOBAL const u32 *at) { return __scoped_atomic_load_n(at, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM); }

// No kernel writes there.
KERNEL void answer(GLOBAL u32 *out, GLOBAL const u32 *in, u32 n) {
  out[me()] = n;
  while (look(&in[3]) != 77)
    ; // outside
  out[me()] = 2 * n;
}

// The same in a function, with a pause.
static __attribute__((noinline)) u32 asked(GLOBAL const u32 *in) {
  u32 seen;
  while ((seen = look(&in[5])) == 0)
    __builtin_amdgcn_s_sleep(1);
  return seen;
}
KERNEL void question(GLOBAL u32 *out, GLOBAL const u32 *in, u32 n) {
  out[me()] = n;
  out[me()] = asked(in);
}

// The last workgroup goes first.
KERNEL void turns(GLOBAL u32 *out, GLOBAL const u32 *in, u32 n) {
  GLOBAL u32 *turn = &out[n - 1];
  u32 last = n / 64 - 1;
  if (__builtin_amdgcn_workitem_id_x() == 0) {
    while (look(turn) != last - __builtin_amdgcn_workgroup_id_x())
      ;
    __scoped_atomic_fetch_add(turn, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
  } else if (me() != n - 1)
    out[me()] = in[me()];
}

// As the other one, but every wave waits at a barrier as well, and no wave writes in between.
KERNEL void barriers(GLOBAL u32 *out, GLOBAL const u32 *in, u32 n) {
  GLOBAL u32 *turn = &out[n - 1];
  u32 last = n / 64 - 1, group = __builtin_amdgcn_workgroup_id_x();
  while (look(turn) < last - group)
    __builtin_amdgcn_s_barrier();
  if (__builtin_amdgcn_workitem_id_x() == 0)
    __scoped_atomic_fetch_add(turn, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
}

// Gives up.
KERNEL void patience(GLOBAL u32 *out, GLOBAL const u32 *in, u32 n) {
  u32 looks = 0;
  while (look(&in[3]) != 77 && looks < 100 * n)
    looks++;
  out[me()] = looks;
}
