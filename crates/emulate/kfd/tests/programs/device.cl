// Kernels of device.c. Without device libraries.
typedef unsigned int uint;
typedef unsigned long ulong;
#define LOAD(address) __opencl_atomic_load((global volatile atomic_uint *)(address), memory_order_acquire, memory_scope_all_svm_devices)
#define STORE(address, value) __opencl_atomic_store((global volatile atomic_uint *)(address), value, memory_order_release, memory_scope_all_svm_devices)

kernel void fill(global uint *to, uint value, uint count) {
    for (uint i = 0; i < count; i++)
        to[i] = value + i;
}

// Says that it runs, and ends when it is told so.
kernel void wait_for(global uint *word, global uint *begun, global uint *ended, uint value) {
    STORE(begun, value);
    while (LOAD(word) != value)
        __builtin_amdgcn_s_sleep(1);
    STORE(ended, value);
}

// Sums over private memory that no register can hold, since it is indexed by what is not known.
kernel void privately(global uint *sums, uint start) {
    uint id = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
    volatile uint numbers[32];
    for (uint i = 0; i < 32; i++)
        numbers[i] = start + id * i;
    uint sum = 0;
    for (uint i = 0; i < 32; i++)
        sum += numbers[(start + i * 7 + id) % 32];
    sums[id] = sum;
}

// The 64-bit store that rings a doorbell.
kernel void ring(global ulong *doorbell, ulong value) {
    __opencl_atomic_store((global volatile atomic_ulong *)doorbell, value, memory_order_release, memory_scope_all_svm_devices);
}

// Shader engine and compute unit of each workgroup, as the hardware register says: HW_ID, and HW_ID1 since gfx10.
kernel void places(global uint *to) {
#ifdef __GFX9__
    uint id = __builtin_amdgcn_s_getreg(4 | 31 << 11);
    uint unit = id >> 8 & 15, engine = id >> 13 & 3;
#else
    uint id = __builtin_amdgcn_s_getreg(23 | 31 << 11);
    uint unit = id >> 10 & 15, engine = id >> 18 & 3;
#endif
    to[__builtin_amdgcn_workgroup_id_x()] = engine << 4 | unit;
}

kernel void give_up(void) { __builtin_trap(); }
