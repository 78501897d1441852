// Device side of a Luthier tool: the functions that a hook may call.
//
// A hook is a device function marked LUTHIER_HOOK in a HIP file. Luthier splices it into compiled kernels before or after chosen
// instructions. It runs with the EXEC mask of that place. The engine keeps the kernel undisturbed, and refuses hooks for which it
// cannot (barriers, traps, calls that are not inlined) when the tool is built.
//
// Variables may live in memory. A private array lies after the kernel's own scratch; its contents last for one call of the hook.
// A __shared__ variable lies after the kernel's own LDS. All hooks of the tool that name it share it, and it starts undefined, as in
// any kernel. Both take memory, and registers at the kernel's entry, only where such a hook goes in.
//
// The host side of the tool binds arguments, per insertion: constants or registers of the kernel. An assignment to a reference
// parameter changes the register. The functions below need no argument from the host. Each costs registers and instructions only
// where a hook calls it.
//
// This header works with and without <hip/hip_runtime.h>; `luthier tool build` compiles without it.
#pragma once
// This header causes no warnings, whatever language standard the tool is compiled with.
#pragma clang system_header

#ifndef HIP_INCLUDE_HIP_HIP_RUNTIME_H
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

#ifndef LUTHIER_SAID // For the engine: a compilation for the host lacks the functions that these call.
#define LUTHIER_SAID __device__ __attribute__((used)) inline
#endif

// A variable of the tool, one per device; the host side reads and writes it by name.
#define LUTHIER_GLOBAL __device__ __attribute__((used))

// The tool's description in TOML: what the tool is and, for a tool without host code, where its hooks go and what it prints. See
// docs/tools/reference.md.
#define LUTHIER_TOOL(text) extern "C" LUTHIER_GLOBAL constexpr char __luthier_description[] = text;

// Compilers before clang 18 have HIP's own names for atomics in a scope.
#if !__has_builtin(__scoped_atomic_fetch_add)
#define __scoped_atomic_fetch_add(address, value, order, scope) __hip_atomic_fetch_add(address, value, order, scope)
#define __scoped_atomic_fetch_sub(address, value, order, scope) __hip_atomic_fetch_add(address, -(value), order, scope)
#define __scoped_atomic_load_n(address, order, scope) __hip_atomic_load(address, order, scope)
#define __scoped_atomic_store_n(address, value, order, scope) __hip_atomic_store(address, value, order, scope)
#define __MEMORY_SCOPE_DEVICE __HIP_MEMORY_SCOPE_AGENT
#define __MEMORY_SCOPE_SYSTEM __HIP_MEMORY_SCOPE_SYSTEM
#endif

// The engine supplies these at each place; the name says register file and width. Tools must not call them directly.
// They are weak, so that compilers that link device code do not look for definitions.
#define LUTHIER_SUPPLIED __device__ __attribute__((weak))
extern "C" {
// Written by `cargo xtask tool-abi` from crates/instrument/tool-abi: declarations.
LUTHIER_SUPPLIED luthier_u32 __luthier_scalar32_site(void);
LUTHIER_SUPPLIED luthier_u64 __luthier_scalar64_pc(void);
LUTHIER_SUPPLIED luthier_u32 __luthier_scalar32_scc(void);
LUTHIER_SUPPLIED luthier_u64 __luthier_scalar64_vcc(void);
LUTHIER_SUPPLIED luthier_u32 __luthier_scalar32_m0(void);
LUTHIER_SUPPLIED luthier_u32 __luthier_scalar32_mode(void);
LUTHIER_SUPPLIED luthier_u64 __luthier_vector64_effective_address(void);
LUTHIER_SUPPLIED luthier_u32 __luthier_scalar32_access_size(void);
LUTHIER_SUPPLIED luthier_u32 __luthier_scalar32_access_kind(void);
LUTHIER_SUPPLIED luthier_u64 __luthier_scalar64_kernarg_ptr(void);
LUTHIER_SUPPLIED luthier_u64 __luthier_scalar64_dispatch_ptr(void);
LUTHIER_SUPPLIED luthier_u64 __luthier_scalar64_implicitarg_ptr(void);
LUTHIER_SUPPLIED luthier_u64 __luthier_scalar64_dispatch_id(void);
LUTHIER_SUPPLIED luthier_u32 __luthier_scalar32_workgroup_id_x(void);
LUTHIER_SUPPLIED luthier_u32 __luthier_scalar32_workgroup_id_y(void);
LUTHIER_SUPPLIED luthier_u32 __luthier_scalar32_workgroup_id_z(void);
LUTHIER_SUPPLIED luthier_u32 __luthier_vector32_workitem_id_x(void);
LUTHIER_SUPPLIED luthier_u32 __luthier_vector32_workitem_id_y(void);
LUTHIER_SUPPLIED luthier_u32 __luthier_vector32_workitem_id_z(void);
LUTHIER_SUPPLIED void __luthier_write_exec(luthier_u64 mask);
LUTHIER_SUPPLIED void __luthier_write_scc(luthier_u32 value);
LUTHIER_SUPPLIED void __luthier_write_vcc(luthier_u64 mask);
LUTHIER_SUPPLIED void __luthier_write_m0(luthier_u32 value);
LUTHIER_SUPPLIED void __luthier_write_mode(luthier_u32 value);
// End of what `cargo xtask tool-abi` writes: declarations.
LUTHIER_SUPPLIED luthier_u32 __luthier_read_sgpr(luthier_u32 index);
LUTHIER_SUPPLIED luthier_u32 __luthier_read_vgpr(luthier_u32 index);
LUTHIER_SUPPLIED luthier_u32 __luthier_read_agpr(luthier_u32 index);
LUTHIER_SUPPLIED void __luthier_write_sgpr(luthier_u32 index, luthier_u32 value);
LUTHIER_SUPPLIED void __luthier_write_vgpr(luthier_u32 index, luthier_u32 value);
LUTHIER_SUPPLIED void __luthier_write_agpr(luthier_u32 index, luthier_u32 value);
// LLVM's intrinsics by their names: not every compiler has builtins for them.
__device__ luthier_u64 __luthier_ballot(bool) __asm__("llvm.amdgcn.ballot.i64");
__device__ luthier_u64 __luthier_compare(luthier_u32, luthier_u32, luthier_u32) __asm__("llvm.amdgcn.icmp.i64.i32");
__device__ luthier_u32 __luthier_wavefrontsize(void) __asm__("llvm.amdgcn.wavefrontsize");
}

namespace luthier {

#define LUTHIER_INLINE __device__ static inline __attribute__((always_inline))

// --- Values of the place -----------------------------------------------------------------------------------------------

// Written by `cargo xtask tool-abi` from crates/instrument/tool-abi: values.
// Number of the insertion in the kernel, counted from 0.
LUTHIER_INLINE luthier_u32 site() { return __luthier_scalar32_site(); }
// Offset of the instruction in its code object.
LUTHIER_INLINE luthier_u64 pc() { return __luthier_scalar64_pc(); }
// Makes these lanes the active ones after the hook.
LUTHIER_INLINE void write_exec(luthier_u64 mask) { __luthier_write_exec(mask); }
// The scalar condition code. It is undefined where the kernel no longer needs it.
LUTHIER_INLINE bool scc() { return __luthier_scalar32_scc() != 0; }
LUTHIER_INLINE void write_scc(bool value) { __luthier_write_scc(value); }
// The vector condition code, one bit per lane. It is undefined where the kernel no longer needs it.
LUTHIER_INLINE luthier_u64 vcc() { return __luthier_scalar64_vcc(); }
LUTHIER_INLINE void write_vcc(luthier_u64 mask) { __luthier_write_vcc(mask); }
// The kernel's M0.
LUTHIER_INLINE luthier_u32 m0() { return __luthier_scalar32_m0(); }
LUTHIER_INLINE void write_m0(luthier_u32 value) { __luthier_write_m0(value); }
// The kernel's MODE bits: rounding, denormals, exceptions. Hooks themselves round to nearest and keep denormals.
LUTHIER_INLINE luthier_u32 mode() { return __luthier_scalar32_mode(); }
// Sets MODE for the kernel's code after the hook: bits 0 to 9 (rounding, denormals, clamping and IEEE mode); since gfx12 bits 0 to 7,
// because the next two have another meaning there. The other bits keep their values.
LUTHIER_INLINE void write_mode(luthier_u32 value) { __luthier_write_mode(value); }
// The address that each lane accesses, in bytes; for LDS and scratch, an offset.
LUTHIER_INLINE luthier_u64 effective_address() { return __luthier_vector64_effective_address(); }
// Bytes that the instruction accesses in each lane; 0 for image instructions, see image_address.
LUTHIER_INLINE luthier_u32 access_size() { return __luthier_scalar32_access_size(); }
// The access that the instruction makes, and to which memory: bits of luthier::access.
LUTHIER_INLINE luthier_u32 access_kind() { return __luthier_scalar32_access_kind(); }
// Number of the launch, counted from 0 over all kernels.
LUTHIER_INLINE luthier_u64 dispatch_id() { return __luthier_scalar64_dispatch_id(); }
// Number of the workgroup in the grid, in dimension 0, 1 or 2.
LUTHIER_INLINE luthier_u32 workgroup_id_x() { return __luthier_scalar32_workgroup_id_x(); }
LUTHIER_INLINE luthier_u32 workgroup_id_y() { return __luthier_scalar32_workgroup_id_y(); }
LUTHIER_INLINE luthier_u32 workgroup_id_z() { return __luthier_scalar32_workgroup_id_z(); }
// Number of each lane in its workgroup, in dimension 0, 1 or 2; threadIdx where HIP is included.
LUTHIER_INLINE luthier_u32 workitem_id_x() { return __luthier_vector32_workitem_id_x(); }
LUTHIER_INLINE luthier_u32 workitem_id_y() { return __luthier_vector32_workitem_id_y(); }
LUTHIER_INLINE luthier_u32 workitem_id_z() { return __luthier_vector32_workitem_id_z(); }
// End of what `cargo xtask tool-abi` writes: values.

// --- The place ---------------------------------------------------------------------------------------------------------

// The lanes active in the hook at this point: inside of an `if`, those of the branch. The argument `exec` (LUTHIER_ARG_EXEC) has those
// at the place.
LUTHIER_INLINE luthier_u64 exec() { return __builtin_amdgcn_read_exec(); }
// This lane's number in its wave.
LUTHIER_INLINE luthier_u32 lane() {
  luthier_u32 low = __builtin_amdgcn_mbcnt_lo(~0u, 0u);
  return __luthier_wavefrontsize() == 64 ? __builtin_amdgcn_mbcnt_hi(~0u, low) : low;
}
LUTHIER_INLINE luthier_u32 active_lanes() { return __builtin_popcountll(exec()); }
// The active lanes in which the condition holds. Compilers before clang 19 cannot compile a ballot of 64 bits for waves of 32 lanes
// unless all lanes agree, so they get a comparison instead; 33 means "not equal".
LUTHIER_INLINE luthier_u64 lanes_where(bool is) {
#if __clang_major__ < 19
  return __luthier_compare(is, 0, 33);
#else
  return __luthier_ballot(is);
#endif
}
// True in exactly one of the active lanes.
LUTHIER_INLINE bool elected() {
  luthier_u64 mask = exec();
  luthier_u32 before = __builtin_amdgcn_mbcnt_lo((luthier_u32)mask, 0u);
  if (__luthier_wavefrontsize() == 64)
    before = __builtin_amdgcn_mbcnt_hi((luthier_u32)(mask >> 32), before);
  return before == 0;
}

// --- Memory instructions -----------------------------------------------------------------------------------------------

// Bits of an access's kind. An image instruction that uses a sampler has `load | image | sample`.
enum access : luthier_u32 {
  load = 1, store = 2, atomic = 4, global = 16, flat = 32, lds = 64, scratch = 128, scalar = 256, image = 512, sample = 1024
};

// Bytes of an element, from its format's number. `end1` to `end16` are the last numbers of formats with 1, 2, 4, 8, 12 and 16 bytes.
// 0: there is no such format.
LUTHIER_INLINE luthier_u32 format_bytes(luthier_u32 format, luthier_u32 end1, luthier_u32 end2, luthier_u32 end4,
                                        luthier_u32 end8, luthier_u32 end12, luthier_u32 end16) {
  return format == 0       ? 0
         : format <= end1  ? 1
         : format <= end2  ? 2
         : format <= end4  ? 4
         : format <= end8  ? 8
         : format <= end12 ? 12
         : format <= end16 ? 16
                           : 0;
}
// gfx9 has two numbers for a format; `format` is that of the data. gfx10 and gfx11 have one number for each pair, gfx11 for fewer.
LUTHIER_INLINE luthier_u32 format_bytes(luthier_u32 format, bool since_gfx10, bool since_gfx11) {
  return since_gfx11   ? format_bytes(format, 6, 19, 47, 57, 60, 63)
         : since_gfx10 ? format_bytes(format, 6, 19, 61, 71, 74, 77)
                       : format_bytes(format, 1, 3, 10, 12, 13, 14);
}

// Computes the address and size that a buffer instruction (MUBUF, MTBUF, but not those of gfx1250) accesses in this lane. Returns
// false if the lane is out of the descriptor's bounds and accesses nothing. `Instruction::buffer_arguments` gives the arguments: the
// descriptor, the scalar offset, the lane's index and offset, the constant offset, and flags. Flags are 1: has an index, 2: gfx10,
// 4: gfx11, 8: gfx12, 16: memory has a format, 32: an access is in bounds as a whole or not at all; bits 8 and up hold the format, if
// the instruction names it.
//
// If swizzling scatters the elements, the result is the first one. If the access has several dwords, some may be out of bounds. If the
// descriptor has reserved values, or the manuals do not define the bounds, the address is the buffer's beginning and the size is 0.
LUTHIER_INLINE bool buffer_address(luthier_u64 *address, luthier_u32 *size, luthier_u32 word0, luthier_u32 word1,
                                   luthier_u32 word2, luthier_u32 word3, luthier_u32 scalar_offset, luthier_u32 index,
                                   luthier_u32 offset, luthier_u32 constant, luthier_u32 flags) {
  bool indexed = flags & 1, since_gfx10 = flags & 2, since_gfx11 = flags & 4, since_gfx12 = flags & 8, by_format = flags & 16;
  bool by_lane = word3 >> 23 & 1;
  luthier_u64 base = (luthier_u64)(word1 & 0xffff) << 32 | word0, records = word2;
  *address = base;
  *size = __luthier_scalar32_access_size();
  if (by_format) {
    luthier_u32 format = flags >> 8, of_descriptor = since_gfx10 ? word3 >> 12 & (since_gfx11 ? 0x3f : 0x7f) : word3 >> 15 & 15;
    *size = format_bytes(format ? format : of_descriptor, since_gfx10, since_gfx11);
  }

  luthier_u64 stride = word1 >> 16 & 0x3fff;
  if (by_lane && !since_gfx10)
    stride |= (word3 >> 15 & 15) << 14;
  // The scale of the stride is 1, 4, 8 or 32.
  if (since_gfx12)
    stride <<= 0x5320 >> (word3 >> 16 & 12) & 15;

  // The lane's number is added to an index. gfx11 takes it where there is none, and swizzles nothing where there is neither,
  // whatever its manual says.
  luthier_u32 lane_number = by_lane ? __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)) : 0;
  luthier_u64 record = since_gfx11 && indexed ? index : (luthier_u64)index + lane_number;
  luthier_u32 swizzle = since_gfx11 ? word1 >> 30 : word1 >> 31;
  bool swizzled = swizzle != 0 && (!since_gfx11 || indexed || by_lane);

  // Compilers address scratch with negative registers and positive constants.
  luthier_u64 within = swizzled || since_gfx11 ? (luthier_u64)(offset + constant) : (luthier_u64)offset + constant;
  // 0: by record and stride, 1: by record, 2: unless empty, 3: by byte.
  luthier_u32 check = since_gfx10 ? word3 >> 28 & 3 : stride == 0 || (!indexed && !swizzled) ? 3 : 1;
  bool by_byte = check == 3;
  if (since_gfx11 && by_byte && swizzled && stride != 0)
    check = 0;
  // Each dword may be in bounds or not.
  luthier_u64 end = within + (*size > 4 && !by_format && !(flags & 32) ? 4 : *size);
  // The scalar offset counts against the size of a buffer without swizzling on gfx9, and of every one since gfx11.
  bool with_scalar = since_gfx11 || (!since_gfx10 && !swizzled);
  bool inside = check == 3   ? end + (with_scalar ? scalar_offset : 0) <= records
                : check == 2 ? records != 0
                : check == 1 ? record < records
                             : record < records && end <= stride;
  if (since_gfx11 && (swizzle == 2 || (by_byte && swizzle != 0 && !swizzled && stride != 0)))
    *size = 0;
  if (*size == 0)
    return true;

  luthier_u64 place = within + record * stride;
  if (swizzled) {
    luthier_u32 shift = 3 + (word3 >> 21 & 3), element = since_gfx11 && swizzle == 3 ? 4 : 2;
    luthier_u64 of_element = (1u << element) - 1, interleaved = record & ((1u << shift) - 1);
    place = ((within & ~of_element) << shift) + (interleaved << element) + (within & of_element) +
            ((record >> shift) * stride << shift);
  }
  *address = base + scalar_offset + place;
  return inside;
}

// Bytes of a texel, from word 1 of its image's descriptor. 0: blocks of texels are compressed, or the format is reserved.
LUTHIER_INLINE luthier_u32 texel_bytes(luthier_u32 word1, bool since_gfx10) {
  luthier_u32 format = word1 >> 20 & (since_gfx10 ? 0x1ff : 0x3f);
  // Formats above 127 (gfx10) and above 15 (gfx9) are for images alone.
  luthier_u32 srgb = since_gfx10 ? format - 128 : ~0u, small = format - (since_gfx10 ? 133 : 16);
  return srgb < 3 ? 1u << srgb : small < 4 ? 2 : format_bytes(format, since_gfx10, false);
}

// Computes the address and size that an image instruction accesses in this lane. Returns false if the coordinates name no texel.
// `Instruction::image_arguments` gives the arguments: the first seven words of the descriptor, four registers with coordinates, and
// flags. Flags are 1: the coordinates are integers, 2: gfx10, 4: the image may be an array, 8: coordinates are halves, 16: a level
// follows them; bits 8 and up hold the type that the instruction takes the image for.
//
// For loads and stores of linear images with one level, the result is the texel and its bytes. For everything else (samples, atomics,
// tiled and compressed images, several levels or samples, cubes), it is the image's beginning and the size 0.
LUTHIER_INLINE bool image_address(luthier_u64 *address, luthier_u32 *size, luthier_u32 word0, luthier_u32 word1,
                                  luthier_u32 word2, luthier_u32 word3, luthier_u32 word4, luthier_u32 word5, luthier_u32 word6,
                                  luthier_u32 at0, luthier_u32 at1, luthier_u32 at2, luthier_u32 at3, luthier_u32 flags) {
  luthier_u64 base = ((luthier_u64)(word1 & 0xff) << 32 | word0) << 8;
  *address = base;
  *size = 0;
  bool texels = flags & 1, since_gfx10 = flags & 2;
  if (!texels)
    return true;

  // Types: 8 1-D, 9 2-D, 10 3-D, 12 and 13 arrays of the first two.
  const luthier_u32 types = 1 << 8 | 1 << 9 | 1 << 10 | 1 << 12 | 1 << 13;
  luthier_u32 type = word3 >> 28;
  luthier_u32 taken_for = since_gfx10 ? flags >> 8 & 15 : flags & 4 ? type : type & ~4u;
  bool linear = (word3 >> 20 & 31) == 0, one_level = (since_gfx10 ? word5 >> 4 & 15 : word5 >> 28) == 0;
  bool compressed = word6 >> (since_gfx10 ? 20 : 21) & 1;
  luthier_u32 bytes = texel_bytes(word1, since_gfx10);
  bool array = type >= 12, volume = type == 10;
  luthier_u32 last = word4 & 0x1fff;
  luthier_u32 first = !array ? 0 : (since_gfx10 ? word4 >> 16 : word5) & 0x1fff;
  luthier_u32 width = (since_gfx10 ? word1 >> 30 | (word2 & 0xfff) << 2 : word2 & 0x3fff) + 1;
  luthier_u32 height = type & 3 ? (word2 >> 14 & 0x3fff) + 1 : 1;
  luthier_u32 depth = array || volume ? last - first + 1 : 1;
  luthier_u32 pitch = !since_gfx10 ? (word4 >> 13 & 0xffff) + 1 : array || volume ? 0 : (word4 & 0x3fff) + 1;
  bool known = (types >> type & types >> taken_for & 1) && linear && one_level && !compressed && bytes != 0;
  if (pitch < width) {
    // Rows start at multiples of 256 bytes.
    luthier_u32 row = 256u >> __builtin_ctz(bytes | 256);
    pitch = (width + row - 1) & ~(row - 1);
    known = known && bytes != 12;
  }
  if (!known)
    return true;

  if (flags & 8) {
    at3 = at1 >> 16;
    at2 = at1 & 0xffff;
    at1 = at0 >> 16;
    at0 &= 0xffff;
  }
  luthier_u32 further = taken_for & 3; // Axes behind the first.
  bool slices = taken_for >= 12;
  luthier_u32 y = further ? at1 : 0;
  luthier_u32 z = slices ? (further ? at2 : at1) : further == 2 ? at2 : 0;
  luthier_u32 before = further + slices;
  luthier_u32 level = flags & 16 ? (before == 0 ? at1 : before == 1 ? at2 : at3) : 0;
  *address = base + (((luthier_u64)(first + z) * height + y) * pitch + at0) * bytes;
  *size = bytes;
  return at0 < width && y < height && z < depth && level == 0;
}

// --- Registers of the kernel -------------------------------------------------------------------------------------------
// The index is a constant after inlining.

LUTHIER_INLINE luthier_u32 sgpr(luthier_u32 index) { return __luthier_read_sgpr(index); }
LUTHIER_INLINE luthier_u32 vgpr(luthier_u32 index) { return __luthier_read_vgpr(index); }
LUTHIER_INLINE luthier_u32 agpr(luthier_u32 index) { return __luthier_read_agpr(index); }
LUTHIER_INLINE void write_sgpr(luthier_u32 index, luthier_u32 value) { __luthier_write_sgpr(index, value); }
LUTHIER_INLINE void write_vgpr(luthier_u32 index, luthier_u32 value) { __luthier_write_vgpr(index, value); }
LUTHIER_INLINE void write_agpr(luthier_u32 index, luthier_u32 value) { __luthier_write_agpr(index, value); }

// --- The dispatch ------------------------------------------------------------------------------------------------------

// Work-items of a workgroup and of the whole grid in dimension 0 to 2, from the dispatch packet.
LUTHIER_INLINE luthier_u32 workgroup_size(luthier_u32 dimension) {
  typedef const luthier_u16 __attribute__((address_space(4))) * pointer;
  return ((pointer)(__luthier_scalar64_dispatch_ptr() + 4))[dimension];
}
LUTHIER_INLINE luthier_u32 grid_size(luthier_u32 dimension) {
  typedef const luthier_u32 __attribute__((address_space(4))) * pointer;
  return ((pointer)(__luthier_scalar64_dispatch_ptr() + 12))[dimension];
}
// Number of the wave in its workgroup.
LUTHIER_INLINE luthier_u32 wave_in_workgroup() {
  // At the grid's end workgroups may be smaller.
  luthier_u32 x = workgroup_size(0), y = workgroup_size(1);
  luthier_u32 rest_x = grid_size(0) - workgroup_id_x() * x, rest_y = grid_size(1) - workgroup_id_y() * y;
  x = rest_x < x ? rest_x : x;
  y = rest_y < y ? rest_y : y;
  luthier_u32 item = workitem_id_x() + x * (workitem_id_y() + y * workitem_id_z());
  return __builtin_amdgcn_readfirstlane(item / __luthier_wavefrontsize());
}
// A value that a wave keeps from hook to hook: declare `__shared__ luthier::per_wave<luthier_u64> began;` in the tool. A hook at the
// kernel's entry assigns `began.own() = ...`; other hooks read and write `began.own()`. The value is undefined before that.
template <typename T> struct per_wave {
  T waves[32]; // A workgroup has at most 32 waves.
  __device__ __attribute__((always_inline)) T &own() { return waves[wave_in_workgroup()]; }
};

// The kernel's argument at a byte offset.
template <typename T> LUTHIER_INLINE T kernel_argument(luthier_u32 offset) {
  typedef const T __attribute__((address_space(4))) * pointer;
  return *(pointer)(__luthier_scalar64_kernarg_ptr() + offset);
}

// --- Counting and streaming --------------------------------------------------------------------------------------------

typedef luthier_u64 __attribute__((address_space(1))) *global_u64;
typedef luthier_u32 __attribute__((address_space(1))) *global_u32;

// Adds `amount` once for the wave, in the first active lane. Where EXEC is 0 there is none, and nothing is added: insert a hook that has
// to count every wave with `once` (luthier_insert_once), and let it call `add`; or use the engine's counters (luthier_count).
LUTHIER_INLINE void count_wave(luthier_u64 *counter, luthier_u64 amount) {
  // Says to the engine that the hook does so, and is no instruction: the summary names places where EXEC may be 0.
  __asm__ volatile(".set __luthier_counts_waves_%=, 1" ::);
  if (elected())
    __scoped_atomic_fetch_add((global_u64)counter, amount, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
// Adds `amount`; for hooks that run in one lane (`once`). In other hooks every active lane adds.
LUTHIER_INLINE void add(luthier_u64 *counter, luthier_u64 amount) {
  __scoped_atomic_fetch_add((global_u64)counter, amount, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
// Adds `amount` for every active lane, with one memory operation for the wave; nothing where EXEC is 0.
LUTHIER_INLINE void count_lanes(luthier_u64 *counter, luthier_u64 amount) {
  luthier_u64 all = amount * active_lanes();
  if (elected())
    __scoped_atomic_fetch_add((global_u64)counter, all, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

// --- Some executions of many -------------------------------------------------------------------------------------------
// For a hook's first line: `if (!luthier::among_first(&executions, 100)) return;`. The answer is the same for all lanes of a wave.

// True in the workgroup with this number.
LUTHIER_INLINE bool in_workgroup(luthier_u32 x, luthier_u32 y = 0, luthier_u32 z = 0) {
  return workgroup_id_x() == x && workgroup_id_y() == y && workgroup_id_z() == z;
}
// The number of this execution by a wave, from 0, over all waves. The counter is a variable of the tool.
LUTHIER_INLINE luthier_u64 execution_number(luthier_u64 *executions) {
  luthier_u64 number = 0;
  if (elected())
    number = __scoped_atomic_fetch_add((global_u64)executions, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  luthier_u32 low = __builtin_amdgcn_readfirstlane((luthier_u32)number);
  luthier_u32 high = __builtin_amdgcn_readfirstlane((luthier_u32)(number >> 32));
  return (luthier_u64)high << 32 | low;
}
// True for the first `most` executions. Later executions cost a load and no atomic operation.
LUTHIER_INLINE bool among_first(luthier_u64 *executions, luthier_u64 most) {
  if (__scoped_atomic_load_n((global_u64)executions, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE) >= most)
    return false;
  return execution_number(executions) < most;
}
// True for the first execution and then for every `period`-th. Once in 2^32 executions the distance differs.
LUTHIER_INLINE bool sampled(luthier_u64 *executions, luthier_u32 period) {
  return (luthier_u32)execution_number(executions) % period == 0;
}

} // namespace luthier

// Every tool has these hooks. If the user chooses executions, one of them runs before every hook of every tool.
#define LUTHIER_OF_ALL extern "C" LUTHIER_SAID __attribute__((always_inline))
// True in the workgroup with this number; all ones match any.
LUTHIER_OF_ALL void __luthier_of_workgroup(luthier_u32 &chosen, luthier_u32 x, luthier_u32 y, luthier_u32 z) {
  chosen = (x == ~0u || luthier::workgroup_id_x() == x) && (y == ~0u || luthier::workgroup_id_y() == y) &&
           (z == ~0u || luthier::workgroup_id_z() == z);
}
// Takes one of `period` executions of a place by waves with active lanes, and only the first `most` of these (all ones: every one).
// The place has two counts: executions since the last one taken, and executions taken.
LUTHIER_OF_ALL void __luthier_of_executions(luthier_u32 &chosen, luthier_u32 *counts, luthier_u32 period, luthier_u32 most) {
  luthier::global_u32 passed = (luthier::global_u32)counts, taken = passed + 1;
  bool take = false;
  if (luthier::elected()) {
    take = most == ~0u || __scoped_atomic_load_n(taken, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE) < most;
    if (take && period != 1)
      take = __builtin_amdgcn_atomic_inc32((luthier_u32 *)passed, period - 1, __ATOMIC_RELAXED, "agent") == 0;
    if (take && most != ~0u)
      take = __scoped_atomic_fetch_add(taken, 1u, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE) < most;
  }
  chosen = luthier::lanes_where(take) != 0;
}

namespace luthier {

// A bounded stream of records to the host. The engine makes it, and empties it while kernels run.
//
// A record first takes room and then an index, so that indices have no gaps; the host consumes them in order. A slot consists of
// 32-bit words: the low half of the record's index + 1, stored when the record is complete, and the record. A wave that finds no room
// waits for the host. If the host takes nothing for half a second, the wave drops its record, and later ones do not wait again.
struct ring {
  luthier_u64 taken;    // Records that found room, and for a moment also some that did not.
  luthier_u64 reserved; // Records that got an index.
  luthier_u64 dropped;  // Records that found no room.
  luthier_u64 capacity; // Slots; a power of two.
  luthier_u64 slots;    // Address of the first slot.
  luthier_u64 consumed; // Address of the number of records that the host has copied.
  luthier_u64 in_vain;  // That number + 1 at the time when a wave gave up waiting.
};

// Cycles that a wave waits for room; the number of cycles after which gfx11's counter wraps. Other counters have more bits.
constexpr luthier_u32 ring_patience = 1u << 30, cycles_counted = 1u << 20;

// Takes room for `count` records; one lane calls it. Returns the index of the first, or all ones if there is no room.
LUTHIER_INLINE luthier_u64 reserve(ring *stream, luthier_u64 capacity, luthier_u32 count) {
  global_u64 taken = (global_u64)&stream->taken, in_vain = (global_u64)&stream->in_vain;
  luthier_u32 last = 0, waited = 0;
  luthier_u64 seen = 0;
  for (;;) {
    luthier_u64 consumed =
        __scoped_atomic_load_n((global_u64) * (global_u64)&stream->consumed, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
    // Others may take the room that the host makes: only time without any room counts.
    if (consumed != seen)
      waited = 0;
    seen = consumed;
    // It looks before it takes: room that waiting waves take and give back would keep others waiting.
    if (__scoped_atomic_load_n(taken, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE) + count - consumed <= capacity) {
      luthier_u64 before = __scoped_atomic_fetch_add(taken, (luthier_u64)count, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
      if (before + count - consumed <= capacity)
        return __scoped_atomic_fetch_add((global_u64)&stream->reserved, (luthier_u64)count, __ATOMIC_RELAXED,
                                         __MEMORY_SCOPE_DEVICE);
      __scoped_atomic_fetch_sub(taken, (luthier_u64)count, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
    }
    // Odd, so that the value is never 0, which means none.
    luthier_u32 now = (luthier_u32)__builtin_readcyclecounter() | 1;
    luthier_u32 since = last == 0 ? 0 : now - last;
    if (now < cycles_counted)
      since %= cycles_counted;
    waited += since < ring_patience ? since : ring_patience;
    last = now;
    if (waited >= ring_patience)
      __scoped_atomic_store_n(in_vain, consumed + 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
    if (__scoped_atomic_load_n(in_vain, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE) == consumed + 1) {
      __scoped_atomic_fetch_add((global_u64)&stream->dropped, (luthier_u64)count, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
      return ~0ull;
    }
    __builtin_amdgcn_s_sleep(127);
  }
}

// Appends one record for every active lane. Returns false if there was no room; the records are then counted as dropped.
template <typename T> LUTHIER_INLINE bool emit(ring *stream, const T &record) {
  static_assert(sizeof(T) % 4 == 0, "records consist of 32-bit words");
  luthier_u64 capacity = *(global_u64)&stream->capacity;
  // Code that was instrumented on disk may run without `luthier run`, and then there is no ring.
  if (capacity == 0)
    return false;
  // The lanes active here, which may be fewer than the instruction's.
  luthier_u64 lanes = __luthier_ballot(true), index = 0;
  luthier_u32 first = __builtin_ctzll(lanes);
  luthier_u32 rank = __builtin_amdgcn_mbcnt_hi((luthier_u32)(lanes >> 32), __builtin_amdgcn_mbcnt_lo((luthier_u32)lanes, 0u));
  if (rank == 0)
    index = reserve(stream, capacity, __builtin_popcountll(lanes));
  luthier_u32 low = __builtin_amdgcn_readlane((luthier_u32)index, first);
  luthier_u32 high = __builtin_amdgcn_readlane((luthier_u32)(index >> 32), first);
  if ((low & high) == ~0u)
    return false;
  luthier_u32 own = low + rank;
  luthier_u64 offset = (luthier_u64)(own & (luthier_u32)(capacity - 1)) * (4 + sizeof(T));
  global_u32 slot = (global_u32)(*(global_u64)&stream->slots + offset);
  __builtin_memcpy(slot + 1, &record, sizeof(T));
  __scoped_atomic_store_n(slot, own + 1, __ATOMIC_RELEASE, __MEMORY_SCOPE_SYSTEM);
  return true;
}

// A record of a wave: a part for the whole wave, the active lanes, and a value for each lane; values of other lanes are undefined.
template <typename T, typename Value> struct of_wave {
  T wave;
  luthier_u64 lanes;
  Value values[64];
};

// Appends one record `of_wave<T, Value>` for the wave. Returns false if there was no room; the record is then counted as dropped.
template <typename T, typename Value> LUTHIER_INLINE bool emit_wave(ring *stream, const T &wave, const Value &value) {
  typedef of_wave<T, Value> whole;
  static_assert(sizeof(T) % 8 == 0 && sizeof(Value) % 4 == 0, "records consist of 32-bit words, and the lanes of 64");
  luthier_u64 capacity = *(global_u64)&stream->capacity;
  if (capacity == 0)
    return false;
  luthier_u64 lanes = __luthier_ballot(true), index = 0;
  luthier_u32 first = __builtin_ctzll(lanes);
  bool leads = lane() == first;
  if (leads)
    index = reserve(stream, capacity, 1);
  luthier_u32 low = __builtin_amdgcn_readlane((luthier_u32)index, first);
  luthier_u32 high = __builtin_amdgcn_readlane((luthier_u32)(index >> 32), first);
  if ((low & high) == ~0u)
    return false;
  luthier_u64 offset = (luthier_u64)(low & (luthier_u32)(capacity - 1)) * (4 + sizeof(whole));
  global_u32 slot = (global_u32)(*(global_u64)&stream->slots + offset);
  __builtin_memcpy(slot + 1 + (sizeof(T) + 8 + lane() * sizeof(Value)) / 4, &value, sizeof(Value));
  if (leads) {
    struct {
      T wave;
      luthier_u64 lanes;
    } head = {wave, lanes};
    __builtin_memcpy(slot + 1, &head, sizeof(head));
    // The stores of all lanes are complete before this one, since a wave waits for them together.
    __scoped_atomic_store_n(slot, low + 1, __ATOMIC_RELEASE, __MEMORY_SCOPE_SYSTEM);
  }
  return true;
}

// --- printf and assert -------------------------------------------------------------------------------------------------
// The compiler's calls for printf come here instead of to HIP's runtime. A message consists of pieces with one number. The host joins
// them and prints the message when the last piece has come.

// Kinds of pieces.
constexpr luthier_u32 said_words = 1, said_text = 2, said_end = 1u << 31, said_bytes = 56;

struct said {
  luthier_u64 message; // The message's number. If the highest bit is set, it goes to standard error.
  luthier_u32 kind;
  luthier_u32 count; // Words, or bytes.
  luthier_u64 words[7];
};

} // namespace luthier

extern "C" {
extern __device__ __attribute__((weak)) luthier::ring __luthier_printf;

LUTHIER_SAID luthier_u64 __luthier_printf_begin(luthier_u64) {
  luthier::global_u64 next = (luthier::global_u64)&__luthier_printf + 7;
  return __scoped_atomic_fetch_add(next, (luthier_u64)1, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
LUTHIER_SAID luthier_u64 __luthier_stderr_begin(void) { return __luthier_printf_begin(0) | 1ull << 63; }
LUTHIER_SAID luthier_u64 __luthier_printf_args(luthier_u64 message, luthier_u32 count, luthier_u64 word0, luthier_u64 word1,
                                               luthier_u64 word2, luthier_u64 word3, luthier_u64 word4, luthier_u64 word5,
                                               luthier_u64 word6, luthier_u32 last) {
  luthier::said piece = {message, luthier::said_words | (last ? luthier::said_end : 0), count,
                         {word0, word1, word2, word3, word4, word5, word6}};
  luthier::emit(&__luthier_printf, piece);
  return message;
}
// `length` counts the zero at the end, if the text is not null.
LUTHIER_SAID luthier_u64 __luthier_printf_text(luthier_u64 message, const char *text, luthier_u64 length, luthier_u32 last) {
  typedef const luthier_u8 __attribute__((address_space(1))) * bytes;
  bytes from = (bytes)text;
  luthier_u64 rest = length == 0 ? 0 : length - 1;
  for (;;) {
    luthier_u32 count = rest < luthier::said_bytes ? (luthier_u32)rest : luthier::said_bytes;
    rest -= count;
    luthier::said piece = {message, luthier::said_text | (last && rest == 0 ? luthier::said_end : 0),
                           count | (rest == 0 ? 0 : 1u << 31), {}};
    for (luthier_u32 word = 0; word < 7; ++word)
      for (luthier_u32 byte = 0; byte < 8; ++byte)
        if (word * 8 + byte < count)
          piece.words[word] |= (luthier_u64)from[word * 8 + byte] << byte * 8;
    luthier::emit(&__luthier_printf, piece);
    if (rest == 0)
      return message;
    from += count;
  }
}
LUTHIER_SAID luthier_u64 __luthier_printf_string(luthier_u64 message, const char *text, luthier_u32 last) {
  luthier_u64 length = 0;
  while (text && text[length++])
    ;
  return __luthier_printf_text(message, text, length, last);
}
// The device function that asserts returns after this call.
LUTHIER_SAID void __luthier_assert_fail(const char *assertion, const char *file, luthier_u32 line, const char *function) {
  luthier_u64 message = __luthier_stderr_begin();
  __luthier_printf_string(message, "%s:%u: %s: Device-side assertion `%s' failed.\n", 0);
  __luthier_printf_string(message, file, 0);
  __luthier_printf_args(message, 1, line, 0, 0, 0, 0, 0, 0, 0);
  __luthier_printf_string(message, function, 0);
  __luthier_printf_string(message, assertion, 1);
}
#ifndef HIP_INCLUDE_HIP_HIP_RUNTIME_H
__device__ int printf(const char *format, ...);
__device__ __attribute__((weak)) void __assert_fail(const char *, const char *, unsigned, const char *) {}
#endif
}

namespace luthier {

// The number of different values in the lanes of a mask, which must have at least one lane.
LUTHIER_INLINE luthier_u32 distinct(luthier_u32 value, luthier_u64 lanes) {
  luthier_u32 found = 0;
  do {
    luthier_u32 leading = __builtin_amdgcn_readlane(value, __builtin_ctzll(lanes));
    lanes &= lanes_where(value != leading);
    ++found;
  } while (lanes != 0);
  return found;
}

// The number of different blocks of `size` bytes that the addresses of the active lanes fall into. `size` is a power of two below 2^25.
LUTHIER_INLINE luthier_u32 distinct_blocks(luthier_u64 address, luthier_u32 size) {
  luthier_u32 low = (luthier_u32)address, high = (luthier_u32)(address >> 32), found = 0;
  // Usually all high halves are equal.
  for (luthier_u64 rest = exec(); rest != 0;) {
    luthier_u32 first = __builtin_ctzll(rest);
    luthier_u64 alike = lanes_where(high == (luthier_u32)__builtin_amdgcn_readlane(high, first));
    rest &= ~alike;
    // All lanes have equal distances of more than a block, so no two share one.
    luthier_u32 start = __builtin_amdgcn_readlane(low, first);
    luthier_u32 next = first + ((luthier_u32)(alike >> first >> 1) & 1); // a lane that is off has no address
    luthier_u32 stride = __builtin_amdgcn_readlane(low, next) - start;
    luthier_u32 distance = (int)stride < 0 ? -stride : stride;
    bool regular = distance >= size && distance < 1u << 25 &&
                   (lanes_where(low != start + (lane() - first) * stride) & alike) == 0;
    found += regular ? __builtin_popcountll(alike) : distinct(low / size, alike);
  }
  return found;
}

} // namespace luthier

#ifdef LUTHIER_WITHOUT_HIP
#include "luthier_hip_names.h"
#endif

// Every tool has these hooks, for the counters that host code asks for.
LUTHIER_HOOK inline void __luthier_add(luthier_u32 amount, luthier_u64 *counter) { luthier::add(counter, amount); }
LUTHIER_HOOK inline void __luthier_flush(luthier_u32 low, luthier_u32 high, luthier_u64 *counter) {
  luthier::add(counter, (luthier_u64)high << 32 | low);
}
