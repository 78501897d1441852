/* Device half of Luthier's coverage: force-include it (`-include luthier_profile.h`) when compiling HIP.
 *
 * It gives each device image
 *   - `__llvm_profile_sections`, a table of where the profile sections are, for drains that look for it, and
 *     `__luthier_profile_notes`, the same for what Luthier's compiler plugin adds;
 *   - what code of LLVM 23 calls: `__llvm_profile_instrument_gpu` and `__llvm_profile_sampling_gpu`;
 *   - stubs for value profiling, so that `-fprofile-generate` code with memcpy(n) or indirect calls links;
 *   - what code of compilers before LLVM 20 calls, as hipRTC of older ROCm releases makes it.
 *
 * Everything is weak: several translation units, `-fgpu-rdc` and a compiler's own runtime may all define it too.
 * Nothing here depends on the GPU architecture or the code object version, which is why this is a header and not a
 * library. The host half of a compilation sees nothing of it.
 *
 * For today's compilers it does not define `__llvm_profile_raw_version`: they would rename their own definition, and
 * with it lose the mark that tells IR-level from source-level profiles. The table's last word therefore stays null here
 * and drains look the symbol up.
 */
#ifndef LUTHIER_PROFILE_H
#define LUTHIER_PROFILE_H

/* HIP headers before 6.0 were written for the clang of their time: they read a macro that clang 22 no longer defines,
 * and call three functions that it no longer provides. Newer HIP headers use none of them. */
#if defined(__HIP__) && __clang_major__ >= 20
#if !defined(__AMDGCN_WAVEFRONT_SIZE)
#if !defined(__AMDGCN__) || defined(__GFX7__) || defined(__GFX8__) || defined(__GFX9__)
#define __AMDGCN_WAVEFRONT_SIZE 64
#else
#define __AMDGCN_WAVEFRONT_SIZE 32
#endif
#endif
typedef _Float16 luthier_profile_half2 __attribute__((ext_vector_type(2)));
static inline __attribute__((device, no_profile_instrument_function)) _Float16 __llvm_amdgcn_rcp_f16(_Float16 x) {
  return __builtin_amdgcn_rcph(x);
}
static inline __attribute__((device, no_profile_instrument_function)) luthier_profile_half2
__llvm_amdgcn_rcp_2f16(luthier_profile_half2 x) {
  luthier_profile_half2 result = {__llvm_amdgcn_rcp_f16(x[0]), __llvm_amdgcn_rcp_f16(x[1])};
  return result;
}
#if defined(__cplusplus) && defined(__AMDGCN__)
/* Named by its symbol, because the HIP headers declare the same function with types of their own. */
inline __attribute__((device, no_profile_instrument_function)) void
luthier_profile_fence(unsigned flags, unsigned order, unsigned scope) __asm__("__atomic_work_item_fence");
inline __attribute__((device, no_profile_instrument_function)) void luthier_profile_fence(unsigned flags, unsigned order, unsigned scope) {
#define LUTHIER_PROFILE_FENCE(name)                                             \
  (order == __ATOMIC_RELEASE   ? __builtin_amdgcn_fence(__ATOMIC_RELEASE, name) \
   : order == __ATOMIC_ACQUIRE ? __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, name) \
   : order == __ATOMIC_RELAXED ? (void)flags                                    \
                               : __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, name))
    /* OpenCL's scopes: work item, work group, device, all devices, wavefront. */
  switch (scope) {
  case 1: return LUTHIER_PROFILE_FENCE("workgroup");
  case 2: return LUTHIER_PROFILE_FENCE("agent");
  case 3: return LUTHIER_PROFILE_FENCE("");
  case 4: return LUTHIER_PROFILE_FENCE("wavefront");
  }
#undef LUTHIER_PROFILE_FENCE
}
#endif
#endif

/* With LUTHIER_PROFILE_USE, code is compiled with a profile, not for one. */
#if defined(__AMDGCN__) && !defined(LUTHIER_PROFILE_USE)

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__HIP__) || defined(__CUDA__)
#define LUTHIER_PROFILE_DEVICE __attribute__((device))
#else
#define LUTHIER_PROFILE_DEVICE
#endif

/* Which table and hooks the instrumented code expects: 22 (seven words) or 23 (nine words, uniform counters). */
#ifndef LUTHIER_PROFILE_ABI
#if __clang_major__ >= 23
#define LUTHIER_PROFILE_ABI 23
#else
#define LUTHIER_PROFILE_ABI 22
#endif
#endif

/* Bounds of an output section, from the linker; null when the image has no such section. */
#define LUTHIER_PROFILE_BOUNDS(section)                                                               \
  extern LUTHIER_PROFILE_DEVICE char __start_##section[] __attribute__((weak, visibility("hidden"))); \
  extern LUTHIER_PROFILE_DEVICE char __stop_##section[] __attribute__((weak, visibility("hidden")))

LUTHIER_PROFILE_BOUNDS(__llvm_prf_names);
LUTHIER_PROFILE_BOUNDS(__llvm_prf_cnts);
LUTHIER_PROFILE_BOUNDS(__llvm_prf_data);
LUTHIER_PROFILE_BOUNDS(luthier_prf_notes);
#if LUTHIER_PROFILE_ABI >= 23
LUTHIER_PROFILE_BOUNDS(__llvm_prf_ucnts);
#endif

/* The host half of a HIP compilation has the device's macros, too, and would register these variables with HIP, which refuses a variable
 * that several sources of one program register. */
#if !defined(__HIP__) || defined(__HIP_DEVICE_COMPILE__)
#ifdef LUTHIER_PROFILE_IMMEDIATE
/* The compiler plugin looks for this variable, and leaves counters in memory if it is there. */
LUTHIER_PROFILE_DEVICE __attribute__((weak, used, visibility("protected"))) char luthier_profile_immediate = 1;
#endif
/* Declared first: a C++ constant would be internal otherwise. */
extern LUTHIER_PROFILE_DEVICE const void *const __llvm_profile_sections[];
LUTHIER_PROFILE_DEVICE __attribute__((weak, used, retain, visibility("protected"))) const void *const __llvm_profile_sections[] = {
    __start___llvm_prf_names,
    __stop___llvm_prf_names,
    __start___llvm_prf_cnts,
    __stop___llvm_prf_cnts,
    __start___llvm_prf_data,
    __stop___llvm_prf_data,
#if LUTHIER_PROFILE_ABI >= 23
    __start___llvm_prf_ucnts,
    __stop___llvm_prf_ucnts,
#endif
    0,
};
/* Where the compiler plugin's notes are, for drains that cannot read the image. */
extern LUTHIER_PROFILE_DEVICE const void *const __luthier_profile_notes[];
LUTHIER_PROFILE_DEVICE __attribute__((weak, used, retain, visibility("protected")))
const void *const __luthier_profile_notes[] = {__start_luthier_prf_notes, __stop_luthier_prf_notes};
#endif

#if __clang_major__ < 20

/* hipRTC of older ROCm releases. Code of these compilers registers its sections from a constructor, which hipRTC's
 * modules do run, with functions that are not needed here. The compiler declares them itself under their plain names
 * and would rename its declarations if there were definitions of the same name, hence the mark of a literal name; they
 * must stay external, or the backend of LLVM 15 calls a wrong address. The version is that of LLVM 14 to 17. */
#define LUTHIER_PROFILE_REGISTRATION \
  LUTHIER_PROFILE_DEVICE             \
  __attribute__((used, retain, noinline, visibility("hidden"), no_profile_instrument_function))
LUTHIER_PROFILE_DEVICE __attribute__((weak, used, visibility("hidden"))) int __llvm_profile_runtime = 0;
extern LUTHIER_PROFILE_DEVICE const unsigned long long __llvm_profile_raw_version;
LUTHIER_PROFILE_DEVICE __attribute__((weak, used, retain, visibility("protected"))) const unsigned long long __llvm_profile_raw_version = 8;
LUTHIER_PROFILE_REGISTRATION void luthier_profile_register_function(void *data) __asm__("\01__llvm_profile_register_function");
LUTHIER_PROFILE_REGISTRATION void luthier_profile_register_function(void *data) { (void)data; }
LUTHIER_PROFILE_REGISTRATION void
luthier_profile_register_names(void *names, unsigned long long size) __asm__("\01__llvm_profile_register_names_function");
LUTHIER_PROFILE_REGISTRATION void luthier_profile_register_names(void *names, unsigned long long size) { (void)names, (void)size; }
#undef LUTHIER_PROFILE_REGISTRATION

#endif /* __clang_major__ < 20 */

#define LUTHIER_PROFILE_FUNCTION LUTHIER_PROFILE_DEVICE __attribute__((weak, used, visibility("hidden"), no_profile_instrument_function))

#if LUTHIER_PROFILE_ABI >= 23

/* Called with the same counter by all active lanes of a wave: the first one adds for all of them. `uniform` counts
 * the executions in which no lane of the wave was masked off. Counters are globals, and saying so spares the checks
 * for other memories that a flat atomic brings. */
LUTHIER_PROFILE_FUNCTION
void __llvm_profile_instrument_gpu(unsigned long long *counter, unsigned long long *uniform, unsigned long long step) {
  typedef __attribute__((address_space(1))) unsigned long long global_count;
  unsigned long long active = __builtin_amdgcn_read_exec();
  unsigned lane = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
  if (lane != (unsigned)__builtin_ctzll(active))
    return;
  unsigned lanes = (unsigned)__builtin_popcountll(active);
  __scoped_atomic_fetch_add((global_count *)counter, step * lanes, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  if (uniform && lanes == __builtin_amdgcn_wavefrontsize())
    __scoped_atomic_fetch_add((global_count *)uniform, step * lanes, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

/* LLVM 23 asks before every increment whether this workgroup is sampled, one in eight by default. A sample misses code
 * that few workgroups reach, so coverage counts them all; define LUTHIER_PROFILE_SAMPLE for cheap, inexact PGO. */
LUTHIER_PROFILE_FUNCTION
int __llvm_profile_sampling_gpu(int log2_period) {
#ifdef LUTHIER_PROFILE_SAMPLE
  return (__builtin_amdgcn_workgroup_id_x() & ((1u << log2_period) - 1)) == 0;
#else
  (void)log2_period;
  return 1;
#endif
}

#endif /* LUTHIER_PROFILE_ABI >= 23 */

/* Values (call targets, operand sizes) are not recorded on devices. */
LUTHIER_PROFILE_FUNCTION
void __llvm_profile_instrument_target(unsigned long long value, void *data, unsigned site) { (void)value, (void)data, (void)site; }

LUTHIER_PROFILE_FUNCTION
void __llvm_profile_instrument_memop(unsigned long long value, void *data, unsigned site) { (void)value, (void)data, (void)site; }

#undef LUTHIER_PROFILE_FUNCTION
#undef LUTHIER_PROFILE_BOUNDS

#ifdef __cplusplus
}
#endif

#endif /* __AMDGCN__ */
#endif /* LUTHIER_PROFILE_H */
