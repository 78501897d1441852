// Device side of a Luthier tool: what a hook may ask for.
//
// A hook is a device function marked LUTHIER_HOOK in a HIP file. It is spliced into compiled kernels before or after chosen
// instructions; it runs with the EXEC mask of that place and must not disturb the kernel, which the engine guarantees: what
// it cannot guarantee (barriers, traps, calls that do not inline) is refused when the tool is built.
//
// Variables may live in memory. A private array lies behind the kernel's own scratch; its contents last for one call of the
// hook. A __shared__ variable lies behind the kernel's own LDS; all hooks of the tool that name it see the same one, which
// starts undefined, as in any kernel. Both cost registers at the kernel's entry and memory only where such a hook goes in.
//
// Arguments are bound by the host side of the tool, per insertion: constants, registers of the kernel (a reference
// parameter may be assigned to, which changes the register), or nothing at all. Everything below can be called without an
// argument. Each costs registers and instructions only when it is used.
//
// Works with and without <hip/hip_runtime.h>; `luthier tool build` compiles without.
#pragma once

#ifndef __HIP_INCLUDE_HIP_HIP_RUNTIME_H
#ifndef __device__
#define __device__ __attribute__((device))
#endif
#ifndef __shared__
#define __shared__ __attribute__((shared))
#endif
#ifndef __host__
#define __host__ __attribute__((host))
#endif
#endif

typedef __UINT8_TYPE__ luthier_u8;
typedef __UINT16_TYPE__ luthier_u16;
typedef __UINT32_TYPE__ luthier_u32;
typedef __UINT64_TYPE__ luthier_u64;

#define LUTHIER_HOOK extern "C" __device__ __attribute__((used, always_inline))

// A variable of the tool, one per device; the host side reads and writes it by name.
#define LUTHIER_GLOBAL __device__ __attribute__((used))

// What the tool is and, for a tool without host code, where its hooks go and what it prints: TOML, see docs/tools.md.
#define LUTHIER_TOOL(text) extern "C" LUTHIER_GLOBAL constexpr char __luthier_description[] = text;

// Supplied by the engine at each place; the name says file and width. Not to be called directly.
extern "C" {
__device__ luthier_u64 __luthier_vector64_effective_address(void);
__device__ luthier_u32 __luthier_scalar32_access_size(void);
__device__ luthier_u32 __luthier_scalar32_access_kind(void);
__device__ luthier_u32 __luthier_scalar32_site(void);
__device__ luthier_u64 __luthier_scalar64_pc(void);
__device__ luthier_u64 __luthier_scalar64_dispatch_id(void);
__device__ luthier_u64 __luthier_scalar64_kernarg_ptr(void);
__device__ luthier_u64 __luthier_scalar64_dispatch_ptr(void);
__device__ luthier_u64 __luthier_scalar64_implicitarg_ptr(void);
__device__ luthier_u32 __luthier_scalar32_workgroup_id_x(void);
__device__ luthier_u32 __luthier_scalar32_workgroup_id_y(void);
__device__ luthier_u32 __luthier_scalar32_workgroup_id_z(void);
__device__ luthier_u32 __luthier_read_sgpr(luthier_u32 index);
__device__ luthier_u32 __luthier_read_vgpr(luthier_u32 index);
__device__ luthier_u32 __luthier_read_agpr(luthier_u32 index);
__device__ void __luthier_write_sgpr(luthier_u32 index, luthier_u32 value);
__device__ void __luthier_write_vgpr(luthier_u32 index, luthier_u32 value);
__device__ void __luthier_write_exec(luthier_u64 mask);
__device__ luthier_u64 __luthier_scalar64_vcc(void);
__device__ luthier_u32 __luthier_scalar32_scc(void);
__device__ void __luthier_write_vcc(luthier_u64 mask);
__device__ void __luthier_write_scc(luthier_u32 value);
}

namespace luthier {

#define LUTHIER_INLINE __device__ static inline __attribute__((always_inline))

// --- The place ---------------------------------------------------------------------------------------------------------

// Lanes that are active here.
LUTHIER_INLINE luthier_u64 exec() { return __builtin_amdgcn_read_exec(); }
// Makes these lanes the active ones behind the hook.
LUTHIER_INLINE void write_exec(luthier_u64 mask) { __luthier_write_exec(mask); }
// The vector condition code, a bit per lane, and the scalar one. Where the kernel no longer needs them, they may be anything.
LUTHIER_INLINE luthier_u64 vcc() { return __luthier_scalar64_vcc(); }
LUTHIER_INLINE void write_vcc(luthier_u64 mask) { __luthier_write_vcc(mask); }
LUTHIER_INLINE bool scc() { return __luthier_scalar32_scc() != 0; }
LUTHIER_INLINE void write_scc(bool value) { __luthier_write_scc(value); }
// This lane's number in its wave.
LUTHIER_INLINE luthier_u32 lane() {
  luthier_u32 low = __builtin_amdgcn_mbcnt_lo(~0u, 0u);
  return __builtin_amdgcn_wavefrontsize() == 64 ? __builtin_amdgcn_mbcnt_hi(~0u, low) : low;
}
LUTHIER_INLINE luthier_u32 active_lanes() { return __builtin_popcountll(exec()); }
// True in exactly one of the active lanes.
LUTHIER_INLINE bool elected() {
  luthier_u64 mask = exec();
  luthier_u32 before = __builtin_amdgcn_mbcnt_lo((luthier_u32)mask, 0u);
  if (__builtin_amdgcn_wavefrontsize() == 64)
    before = __builtin_amdgcn_mbcnt_hi((luthier_u32)(mask >> 32), before);
  return before == 0;
}
// Number of the insertion, counted from 0 in the kernel.
LUTHIER_INLINE luthier_u32 site() { return __luthier_scalar32_site(); }
// Offset of the instruction in its code object.
LUTHIER_INLINE luthier_u64 pc() { return __luthier_scalar64_pc(); }

// --- Memory instructions -----------------------------------------------------------------------------------------------

enum access : luthier_u32 { load = 1, store = 2, atomic = 4, global = 16, flat = 32, lds = 64, scratch = 128, scalar = 256 };

// Address this lane accesses; an offset for LDS and scratch.
LUTHIER_INLINE luthier_u64 effective_address() { return __luthier_vector64_effective_address(); }
// Bytes per lane.
LUTHIER_INLINE luthier_u32 access_size() { return __luthier_scalar32_access_size(); }
// Bits of `access`.
LUTHIER_INLINE luthier_u32 access_kind() { return __luthier_scalar32_access_kind(); }

// Works out what a buffer instruction (MUBUF, MTBUF of gfx9 and gfx10) accesses in this lane; false if nothing, because the
// lane is out of the descriptor's bounds. The arguments are what `Instruction::buffer_arguments` gives: the descriptor, the
// scalar offset, the lane's index and offset, the constant offset, and flags (1: has an index, 2: gfx10). Of elements that
// swizzling scatters it is the first.
LUTHIER_INLINE bool buffer_address(luthier_u64 *address, luthier_u32 word0, luthier_u32 word1, luthier_u32 word2,
                                   luthier_u32 word3, luthier_u32 scalar_offset, luthier_u32 index, luthier_u32 offset,
                                   luthier_u32 constant, luthier_u32 flags) {
  bool indexed = flags & 1, since_gfx10 = flags & 2;
  bool swizzled = word1 >> 31, by_lane = word3 >> 23 & 1;
  luthier_u64 stride = word1 >> 16 & 0x3fff;
  if (by_lane && !since_gfx10)
    stride |= (word3 >> 15 & 15) << 14;
  luthier_u64 record = (luthier_u64)index + (by_lane ? __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)) : 0);
  // Compilers address scratch with negative registers and positive constants.
  luthier_u64 within = swizzled ? (luthier_u64)(offset + constant) : (luthier_u64)offset + constant;
  luthier_u64 records = word2, size = __luthier_scalar32_access_size();
  // 0: by record and stride, 1: by record, 2: unless empty, 3: by byte.
  luthier_u32 check = since_gfx10 ? word3 >> 28 & 3 : stride == 0 || (!indexed && !swizzled) ? 3 : 1;
  bool inside = check == 3   ? within + size <= records
                : check == 2 ? records != 0
                : check == 1 ? record < records
                             : record < records && within + size <= stride;
  luthier_u64 place = within + record * stride;
  if (swizzled) {
    luthier_u32 shift = 3 + (word3 >> 21 & 3);
    luthier_u64 interleaved = (record & ((1u << shift) - 1)) * 4 + (within & 3);
    place = ((within & ~3ull) << shift) + interleaved + ((record >> shift) * stride << shift);
  }
  *address = ((luthier_u64)(word1 & 0xffff) << 32 | word0) + scalar_offset + place;
  return inside;
}

// --- Registers of the kernel -------------------------------------------------------------------------------------------
// The index is a constant after inlining.

LUTHIER_INLINE luthier_u32 sgpr(luthier_u32 index) { return __luthier_read_sgpr(index); }
LUTHIER_INLINE luthier_u32 vgpr(luthier_u32 index) { return __luthier_read_vgpr(index); }
LUTHIER_INLINE luthier_u32 agpr(luthier_u32 index) { return __luthier_read_agpr(index); }
LUTHIER_INLINE void write_sgpr(luthier_u32 index, luthier_u32 value) { __luthier_write_sgpr(index, value); }
LUTHIER_INLINE void write_vgpr(luthier_u32 index, luthier_u32 value) { __luthier_write_vgpr(index, value); }

// --- The dispatch ------------------------------------------------------------------------------------------------------

LUTHIER_INLINE luthier_u64 dispatch_id() { return __luthier_scalar64_dispatch_id(); }
LUTHIER_INLINE luthier_u32 workgroup_id_x() { return __luthier_scalar32_workgroup_id_x(); }
LUTHIER_INLINE luthier_u32 workgroup_id_y() { return __luthier_scalar32_workgroup_id_y(); }
LUTHIER_INLINE luthier_u32 workgroup_id_z() { return __luthier_scalar32_workgroup_id_z(); }
// The kernel's argument at a byte offset.
template <typename T> LUTHIER_INLINE T kernel_argument(luthier_u32 offset) {
  typedef const T __attribute__((address_space(4))) * pointer;
  return *(pointer)(__luthier_scalar64_kernarg_ptr() + offset);
}

// --- Counting and streaming --------------------------------------------------------------------------------------------

typedef luthier_u64 __attribute__((address_space(1))) *global_u64;
typedef luthier_u32 __attribute__((address_space(1))) *global_u32;

// Adds `amount` once for the wave.
LUTHIER_INLINE void count_wave(luthier_u64 *counter, luthier_u64 amount) {
  if (elected())
    __scoped_atomic_fetch_add((global_u64)counter, amount, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
// Adds `amount`; for hooks that run in one lane.
LUTHIER_INLINE void add(luthier_u64 *counter, luthier_u64 amount) {
  __scoped_atomic_fetch_add((global_u64)counter, amount, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
// Adds `amount` for every active lane, with one memory operation for the wave.
LUTHIER_INLINE void count_lanes(luthier_u64 *counter, luthier_u64 amount) {
  count_wave(counter, amount * active_lanes());
}

// A bounded stream of records to the host, which the engine makes and empties while kernels run.
//
// A record first takes room, then an index: indices have no gaps, and the host consumes them in order. Slots are 32-bit
// words: the low half of the record's index + 1, stored when the record is complete, and the record.
struct ring {
  luthier_u64 taken;    // Records that found room, and for a moment some that did not.
  luthier_u64 reserved; // Records that got an index.
  luthier_u64 dropped;  // Records that found no room.
  luthier_u64 capacity; // Slots; a power of two.
  luthier_u64 slots;    // Address of the first slot.
  luthier_u64 consumed; // Address of the number of records that the host has copied.
};

// Appends one record of every active lane; false in lanes whose record found no room, which is counted. The compiler makes
// one memory operation per wave of each addition.
template <typename T> LUTHIER_INLINE bool emit(ring *stream, const T &record) {
  static_assert(sizeof(T) % 4 == 0, "records consist of 32-bit words");
  luthier_u64 capacity = *(global_u64)&stream->capacity;
  // Code that was instrumented on disk may run where nobody has made the ring.
  if (capacity == 0)
    return false;
  luthier_u64 consumed =
      __scoped_atomic_load_n((global_u64) * (global_u64)&stream->consumed, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
  luthier_u64 before =
      __scoped_atomic_fetch_add((global_u64)&stream->taken, 1ull, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  if (before - consumed >= capacity) {
    __scoped_atomic_fetch_sub((global_u64)&stream->taken, 1ull, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
    __scoped_atomic_fetch_add((global_u64)&stream->dropped, 1ull, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
    return false;
  }
  luthier_u64 index =
      __scoped_atomic_fetch_add((global_u64)&stream->reserved, 1ull, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  luthier_u64 offset = (luthier_u64)((luthier_u32)index & (luthier_u32)(capacity - 1)) * (4 + sizeof(T));
  global_u32 slot = (global_u32)(*(global_u64)&stream->slots + offset);
  __builtin_memcpy(slot + 1, &record, sizeof(T));
  __scoped_atomic_store_n(slot, (luthier_u32)index + 1, __ATOMIC_RELEASE, __MEMORY_SCOPE_SYSTEM);
  return true;
}

// Different values that the active lanes hold, at least 1.
LUTHIER_INLINE luthier_u32 distinct(luthier_u64 value) {
  luthier_u32 found = 0;
  for (luthier_u64 rest = exec(); rest != 0; ++found) {
    luthier_u32 leader = __builtin_ctzll(rest);
    luthier_u64 same = ((luthier_u64)__builtin_amdgcn_readlane((luthier_u32)(value >> 32), leader) << 32) |
                       (luthier_u32)__builtin_amdgcn_readlane((luthier_u32)value, leader);
    rest &= ~__builtin_amdgcn_ballot_w64(value == same);
  }
  return found;
}

} // namespace luthier

// Hooks that every tool has, for the counters that host code asks for.
LUTHIER_HOOK inline void __luthier_add(luthier_u32 amount, luthier_u64 *counter) { luthier::add(counter, amount); }
LUTHIER_HOOK inline void __luthier_flush(luthier_u32 low, luthier_u32 high, luthier_u64 *counter) {
  luthier::add(counter, (luthier_u64)high << 32 | low);
}
