// HIP's names in hooks that are compiled without HIP, as `luthier tool build` does: what a lane knows of itself, atomic functions,
// a clock. Tools that HIP compilers make have HIP's own.
#pragma once
#pragma clang system_header

#define LUTHIER_LANE(name, of_x, of_y, of_z)                                             \
  struct luthier_##name {                                                                \
    __declspec(property(get = get_x)) luthier_u32 x;                                     \
    __declspec(property(get = get_y)) luthier_u32 y;                                     \
    __declspec(property(get = get_z)) luthier_u32 z;                                     \
    __device__ __attribute__((always_inline)) luthier_u32 get_x() const { return of_x; } \
    __device__ __attribute__((always_inline)) luthier_u32 get_y() const { return of_y; } \
    __device__ __attribute__((always_inline)) luthier_u32 get_z() const { return of_z; } \
  };                                                                                     \
  extern const __device__ __attribute__((weak)) luthier_##name name;

namespace luthier {
// Workgroups of the grid, whose last one may be smaller.
LUTHIER_INLINE luthier_u32 workgroups(luthier_u32 dimension) {
  luthier_u32 size = workgroup_size(dimension);
  return (grid_size(dimension) + size - 1) / size;
}
template <typename T> struct plain {
  typedef T type;
};
} // namespace luthier

LUTHIER_LANE(threadIdx, luthier::workitem_id_x(), luthier::workitem_id_y(), luthier::workitem_id_z())
LUTHIER_LANE(blockIdx, luthier::workgroup_id_x(), luthier::workgroup_id_y(), luthier::workgroup_id_z())
LUTHIER_LANE(blockDim, luthier::workgroup_size(0), luthier::workgroup_size(1), luthier::workgroup_size(2))
LUTHIER_LANE(gridDim, luthier::workgroups(0), luthier::workgroups(1), luthier::workgroups(2))

struct luthier_warp_size {
  __device__ __attribute__((always_inline)) operator int() const { return (int)__luthier_wavefrontsize(); }
};
extern const __device__ __attribute__((weak)) luthier_warp_size warpSize;
LUTHIER_INLINE unsigned __lane_id() { return luthier::lane(); }

LUTHIER_INLINE long long clock64() { return (long long)__builtin_readcyclecounter(); }

#define LUTHIER_ATOMIC(name, operation)                                                             \
  template <typename T> LUTHIER_INLINE T name(T *address, typename luthier::plain<T>::type value) { \
    return operation(address, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);                      \
  }
LUTHIER_ATOMIC(atomicAdd, __scoped_atomic_fetch_add)
LUTHIER_ATOMIC(atomicSub, __scoped_atomic_fetch_sub)
LUTHIER_ATOMIC(atomicMin, __scoped_atomic_fetch_min)
LUTHIER_ATOMIC(atomicMax, __scoped_atomic_fetch_max)
LUTHIER_ATOMIC(atomicAnd, __scoped_atomic_fetch_and)
LUTHIER_ATOMIC(atomicOr, __scoped_atomic_fetch_or)
LUTHIER_ATOMIC(atomicXor, __scoped_atomic_fetch_xor)
LUTHIER_ATOMIC(atomicExch, __scoped_atomic_exchange_n)
template <typename T>
LUTHIER_INLINE T atomicCAS(T *address, typename luthier::plain<T>::type expected, typename luthier::plain<T>::type desired) {
  __scoped_atomic_compare_exchange_n(address, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  return expected;
}
