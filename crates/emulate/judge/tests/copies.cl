// Kernels of one wave for launches that run beside copies.
#define ITEM __builtin_amdgcn_workitem_id_x()
#define NOTHING_MOVES __asm__ volatile("" ::: "memory")
typedef global int *Data;
typedef volatile global int *Flag;

static void await(Flag go) {
  while (!*go)
    __builtin_amdgcn_s_sleep(1);
}

kernel void waits(Data data, Data out, Flag begun, Flag go) { await(go); }

kernel void reads(Data data, Data out, Flag begun, Flag go) {
  out[ITEM] = data[ITEM];
}

kernel void writes(Data data, Data out, Flag begun, Flag go) { data[ITEM] = 7; }

kernel void counts(Data data, Data out, Flag begun, Flag go) {
  __opencl_atomic_fetch_add((global atomic_int *)data, 1, memory_order_relaxed,
                            memory_scope_device);
}

kernel void reads_and_lasts(Data data, Data out, Flag begun, Flag go) {
  *begun = 1;
  NOTHING_MOVES;
  out[ITEM] = data[ITEM];
  NOTHING_MOVES;
  await(go);
}

kernel void writes_and_lasts(Data data, Data out, Flag begun, Flag go) {
  *begun = 1;
  NOTHING_MOVES;
  data[ITEM] = ITEM + 1;
  NOTHING_MOVES;
  await(go);
}

kernel void writes_and_tells(Data data, Data out, Flag begun, Flag go) {
  data[ITEM] = ITEM + 1;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "");
  *begun = 1;
  await(go);
}

kernel void hears_and_reads(Data data, Data out, Flag begun, Flag go) {
  *begun = 1;
  await(go);
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "");
  out[ITEM] = data[ITEM];
}
