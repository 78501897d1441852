// Luthier tools with host code in C++: hooks and callbacks in one HIP file.
//
//   hipcc -fPIC -shared -Xclang -fembed-bitcode=all counter.hip -o counter.so     any HIP compiler, with HIP's own headers
//   luthier run -t ./counter.so -- ./app
//
//   luthier tool build counter.hip            needs clang 22 and no ROCm; makes counter.tool (hooks) and counter.so (host code),
//   luthier run -t ./counter.tool -- ./app    which belong together
//
// A tool says MARK_LUTHIER_DEVICE_MODULE once, names its hooks with LUTHIER_EXPORT_FUNC, and defines callbacks, each of which
// it may leave out: luthier_at_init, luthier_at_term and luthier_at_hsa_event. The last one gets every launch of a kernel
// that `luthier run` chose, before it goes to the device. It may look at the kernel's instructions, insert hooks, and ask for
// what the launch is to run: luthier_override_with_instrumented and luthier_override_with_original hold for this launch and
// later ones, until one of them is called again. A kernel may have several instrumented variants, told apart by name. What
// hooks may do is in luthier_device.h.
//
// __managed__ variables are shared by hooks and host code at any time. __device__ variables are copied with hipMemcpyToSymbol,
// hipMemcpyFromSymbol or, without HIP, luthier_copy_to_variable and luthier_copy_from_variable. In a tool these, hipMalloc,
// hipFree, hipMemcpy, hipMemset and hipGetSymbolAddress are Luthier's and not HIP's: they may be called in callbacks, where
// HIP itself waits for the launch that the callback is about.
#pragma once

// `luthier tool build` compiles without HIP's headers.
#if !defined(LUTHIER_WITHOUT_HIP) && __has_include(<hip/hip_runtime.h>)
#include <hip/hip_runtime.h>
#define LUTHIER_WITH_HIP
#endif
#include <dlfcn.h>
#include <hsa/hsa.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <exception>
#include <string>
#include <vector>

#include "luthier_device.h"

#ifndef LUTHIER_WITH_HIP
#ifndef __noinline__
#define __noinline__ __attribute__((noinline))
#endif
#ifndef __managed__
#define __managed__ __attribute__((managed))
#endif
#ifndef __global__
#define __global__ __attribute__((global))
#endif
#ifndef __constant__
#define __constant__ __attribute__((constant))
#endif
// Kernels cannot be defined without.
struct luthier_dim3 {
  unsigned x, y, z;
};
extern "C" int hipLaunchKernel(const void *, luthier_dim3, luthier_dim3, void **, size_t, void *);
#endif

// --- What passes between Luthier and the tool's library -----------------------------------------------------------------
// Structures grow at their end; struct_size says how far one reaches. The number rises when something else changes.
#define LUTHIER_API_VERSION 2

extern "C" {
typedef struct {
  size_t struct_size;
  luthier_u64 pc; // In the code object.
  luthier_u32 size; // Bytes.
  luthier_u32 index;
  const char *mnemonic; // Without encoding suffix.
  const char *text;     // As an assembler reads it.
} luthier_raw_instr;

typedef struct {
  luthier_u32 kind; // luthier_arg_kind
  luthier_u32 reserved;
  luthier_u64 value;
} luthier_arg;

enum luthier_arg_kind {
  LUTHIER_ARG_CONSTANT = 0,
  LUTHIER_ARG_SGPR = 1, // value: the number of the first register; as many as the parameter has dwords
  LUTHIER_ARG_VGPR = 2, // the same; a value for each lane
  LUTHIER_ARG_EXEC = 3,
  LUTHIER_ARG_PC = 4,
  LUTHIER_ARG_SITE = 5,
  LUTHIER_ARG_VARIABLE = 6, // value: the host's address of a variable of the tool; the hook gets the device's
  LUTHIER_ARG_ADDRESS = 7,  // of what the instruction accesses, for each lane
  LUTHIER_ARG_ACCESS_SIZE = 8,
  LUTHIER_ARG_ACCESS_KIND = 9,
  LUTHIER_ARG_DISPATCH_ID = 10,
  LUTHIER_ARG_WORKGROUP_ID = 11, // value: dimension, 0 to 2
  LUTHIER_ARG_WORKITEM_ID = 12,  // the same; of each lane in its workgroup
};

// What a HIP compiler's start-up code registers.
enum luthier_registered_kind {
  LUTHIER_REGISTERED_FUNCTION = 0,
  LUTHIER_REGISTERED_VARIABLE = 1,
  LUTHIER_REGISTERED_MANAGED = 2,
  LUTHIER_REGISTERED_BINARY = 3, // host: the device code of the functions and variables that follow
};
typedef struct {
  luthier_u32 kind; // luthier_registered_kind
  luthier_u32 reserved;
  const void *host;    // Shadow of the kernel or variable; of a managed one the pointer that host code goes through.
  const char *name;    // In the device code.
  const void *initial; // Of a managed variable.
  luthier_u64 size;    // Bytes.
} luthier_registered;

// Functions return 0, or 1 with a reason in last_error. Those with a kernel object may be called inside of
// luthier_at_hsa_event only, the others anywhere.
typedef struct {
  size_t struct_size;
  void *tool; // For the functions that want it.
  int (*count_instructions)(luthier_u64 kernel_object, size_t *count);
  int (*get_instruction)(luthier_u64 kernel_object, size_t index, luthier_raw_instr *into);
  int (*insert_call)(luthier_u64 kernel_object, size_t index, const void *hook, int point, const luthier_arg *arguments,
                     size_t count);
  int (*is_instrumented)(luthier_u64 kernel_object, const char *variant, int *answer);
  int (*override_with_instrumented)(luthier_u64 kernel_object, const char *variant);
  int (*override_with_original)(luthier_u64 kernel_object);
  const char *(*last_error)(void);
  // Bytes of a variable at an offset, on all devices or of the first one.
  int (*copy_to_variable)(void *tool, const void *variable, const void *from, size_t size, size_t offset);
  int (*copy_from_variable)(void *tool, void *into, const void *variable, size_t size, size_t offset);
  int (*variable)(void *tool, const void *variable, void **address, size_t *size);
  // Memory of the first device, or that host and devices share.
  int (*allocate)(void *tool, void **address, size_t size, int shared);
  int (*release)(void *tool, void *address);
  int (*copy)(void *tool, void *to, const void *from, size_t size);
  // Where HSA keeps the address of one of its functions.
  int (*hsa_entry)(void *tool, const char *function, void ***entry);
} luthier_api;

// What a tool's library exports as luthier_tool.
typedef struct {
  size_t struct_size;
  luthier_u32 version; // LUTHIER_API_VERSION
  luthier_u32 reserved;
  const luthier_registered *(*registered)(size_t *count);
  // Return null or a reason, which is valid until the next call on the thread.
  const char *(*begin)(const luthier_api *api);
  const char *(*launch)(hsa_kernel_dispatch_packet_t *packet, const char *kernel);
  const char *(*end)(void);
} luthier_tool_entries;
}

// --- For the tool -------------------------------------------------------------------------------------------------------

typedef enum { LUTHIER_API_PHASE_ENTER = 0, LUTHIER_API_PHASE_EXIT = 1 } luthier_api_phase_t;
#include "luthier_hsa_events.h"

typedef enum { LUTHIER_IPOINT_BEFORE = 0, LUTHIER_IPOINT_AFTER = 1 } luthier_ipoint_t;

__attribute__((weak)) void luthier_at_init();
__attribute__((weak)) void luthier_at_term();
__attribute__((weak)) void atHipEvt(void *args, luthier_api_phase_t phase, int hip_api_id);
__attribute__((weak)) void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t phase, hsa_api_id_t api_id);

// An instruction of a kernel.
struct Instr {
  luthier_u64 kernel_object;
  size_t index;
  luthier_u64 pc;
  luthier_u32 size;
  std::string mnemonic;
  std::string text;
};

inline const luthier_api *luthier_api_table = nullptr;

// What Luthier could not do; it stands in the summary as the reason why the kernel runs as it is.
struct luthier_error : std::exception {
  std::string reason;
  explicit luthier_error(const char *text) : reason(text) {}
  const char *what() const noexcept override { return reason.c_str(); }
};
inline void luthier_check(int status) {
  if (status != 0)
    throw luthier_error(luthier_api_table->last_error());
}

// Instructions of a kernel and of everything it may call.
inline std::vector<Instr> luthier_disassemble_kernel_object(luthier_u64 kernel_object) {
  std::vector<Instr> instructions;
  size_t count = 0;
  luthier_check(luthier_api_table->count_instructions(kernel_object, &count));
  for (size_t index = 0; index < count; ++index) {
    luthier_raw_instr raw = {sizeof raw, 0, 0, 0, nullptr, nullptr};
    luthier_check(luthier_api_table->get_instruction(kernel_object, index, &raw));
    instructions.push_back({kernel_object, index, raw.pc, raw.size, raw.mnemonic, raw.text});
  }
  return instructions;
}

inline void luthier_insert_call(const Instr &instruction, const void *hook, luthier_ipoint_t point,
                                const std::vector<luthier_arg> &arguments = {}) {
  luthier_check(luthier_api_table->insert_call(instruction.kernel_object, instruction.index, hook, point, arguments.data(),
                                               arguments.size()));
}

// Whether hooks were inserted for this variant before.
inline bool luthier_is_instrumented(luthier_u64 kernel_object, const char *variant = "") {
  int answer = 0;
  luthier_check(luthier_api_table->is_instrumented(kernel_object, variant, &answer));
  return answer != 0;
}

// This launch and later ones of the kernel run this variant. What was inserted in this callback becomes the variant, if it
// is a new one.
inline void luthier_override_with_instrumented(hsa_kernel_dispatch_packet_t *packet, const char *variant = "") {
  luthier_check(luthier_api_table->override_with_instrumented(packet->kernel_object, variant));
}
// This launch and later ones run the application's own code.
inline void luthier_override_with_original(hsa_kernel_dispatch_packet_t *packet) {
  luthier_check(luthier_api_table->override_with_original(packet->kernel_object));
}

template <typename T> inline void luthier_copy_to_variable(const T &variable, const T &value) {
  luthier_check(luthier_api_table->copy_to_variable(luthier_api_table->tool, &variable, &value, sizeof(T), 0));
}
template <typename T> inline T luthier_copy_from_variable(const T &variable) {
  T value;
  luthier_check(luthier_api_table->copy_from_variable(luthier_api_table->tool, &value, &variable, sizeof(T), 0));
  return value;
}

// --- Events of HSA ------------------------------------------------------------------------------------------------------
// luthier_at_hsa_event hears of a function's calls from now on, on the thread that calls: when one begins, with arguments that
// it may change, and when it ends, with the result. What nobody subscribed to is not in the way of calls. What the tool itself
// calls meanwhile is no event. For luthier_at_init.
inline thread_local bool luthier_telling = false;
inline bool luthier_is_telling() { return luthier_telling || !luthier_at_hsa_event; }
inline void luthier_tell(hsa_api_args_t *args, luthier_api_phase_t phase, hsa_api_id_t id) {
  luthier_telling = true;
  try {
    luthier_at_hsa_event(args, phase, id);
  } catch (const std::exception &error) {
    fprintf(stderr, "luthier: a tool threw an exception in an event: %s\n", error.what());
  } catch (...) {
    fprintf(stderr, "luthier: a tool threw an exception in an event\n");
  }
  luthier_telling = false;
}
inline void luthier_subscribe_hsa(hsa_api_id_t id) {
  luthier_hsa_entry function = luthier_hsa_entry_of(id);
  if (!function.name)
    throw luthier_error("that is no function of HSA");
  if (*function.original)
    return;
  void **entry = nullptr;
  luthier_check(luthier_api_table->hsa_entry(luthier_api_table->tool, function.name, &entry));
  if (!*entry)
    throw luthier_error("this HSA runtime does not have the function");
  *function.original = *entry;
  __atomic_store_n(entry, function.ours, __ATOMIC_RELEASE);
}
// All that this runtime has; the number of functions.
inline unsigned luthier_subscribe_all_hsa() {
  unsigned count = 0;
  for (int id = HSA_EVT_ID_KERNEL_LAUNCH + 1; id < HSA_API_ID_END; ++id)
    try {
      luthier_subscribe_hsa((hsa_api_id_t)id);
      ++count;
    } catch (const luthier_error &) {
    }
  return count;
}

// --- Events of HIP ------------------------------------------------------------------------------------------------------
// atHipEvt hears of calls of HIP's runtime from now on, on the thread that calls. HIP says what they are about: `args` is its
// hip_api_data_t (hip/amd_detail/hip_prof_str.h), the number one of its HIP_API_ID_..., and nothing can be changed. False where
// this HIP does not say it.
inline void luthier_tell_hip(uint32_t, uint32_t id, const void *data, void *) {
  if (luthier_telling)
    return;
  luthier_telling = true;
  // A correlation number of 64 bits, then the phase.
  luthier_u32 phase = ((const luthier_u32 *)data)[2];
  atHipEvt((void *)data, phase == 0 ? LUTHIER_API_PHASE_ENTER : LUTHIER_API_PHASE_EXIT, (int)id);
  luthier_telling = false;
}
inline bool luthier_subscribe_hip(int id) {
  typedef int (*subscribe)(uint32_t, void *, void *);
  subscribe with_hip = (subscribe)dlsym(RTLD_DEFAULT, "hipRegisterApiCallback");
  return atHipEvt && with_hip && with_hip((uint32_t)id, (void *)luthier_tell_hip, nullptr) == 0;
}
inline const char *luthier_hip_name(int id) {
  typedef const char *(*name)(uint32_t);
  name of = (name)dlsym(RTLD_DEFAULT, "hipApiName");
  return of ? of((uint32_t)id) : "";
}
inline const char *luthier_hsa_name(hsa_api_id_t id) { return luthier_hsa_entry_of(id).name; }

// Adds once for each active lane. HIP's own function if the tool includes that.
#ifndef LUTHIER_WITH_HIP
template <typename T> __device__ inline T atomicAdd(T *address, T value) {
  typedef T __attribute__((address_space(1))) * global;
  return __scoped_atomic_fetch_add((global)address, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
#endif

template <typename... Parameters> constexpr char luthier_parameters(void (*)(Parameters...)) {
  static_assert(sizeof...(Parameters) < 10, "a hook has up to nine parameters");
  return '0' + sizeof...(Parameters);
}

// A hook of this tool: an extern "C" device function. The kernel is never launched; its shadow on the host is the hook's
// handle, and it keeps compilers from dropping the function.
#ifdef __HIP_DEVICE_COMPILE__
#define LUTHIER_EXPORT_FUNC(hook)                                                                                     \
  extern "C" LUTHIER_GLOBAL constexpr char __luthier_export_##hook[] = {luthier_parameters(decltype(&hook)(nullptr)), 0}; \
  extern "C" __global__ void __luthier_wrap__##hook() {                                                               \
    void (*volatile keep)() = (void (*)())&hook;                                                                      \
    (void)keep;                                                                                                       \
  }
#else
#define LUTHIER_EXPORT_FUNC(hook)                                                                                     \
  extern "C" __global__ void __luthier_wrap__##hook() {}
#endif
#define LUTHIER_GET_HOOK_HANDLE(hook) ((const void *)&__luthier_wrap__##hook)

// --- What Luthier calls, and what compilers' start-up code calls in a tool instead of HIP ---------------------------------
#ifdef __HIP_DEVICE_COMPILE__
#define MARK_LUTHIER_DEVICE_MODULE extern "C" LUTHIER_GLOBAL constexpr char __luthier_module[] = {'0' + LUTHIER_API_VERSION, 0};
#else
#define LUTHIER_INSTEAD_OF(symbol) __asm__(symbol) __attribute__((used, visibility("hidden")))
#define MARK_LUTHIER_DEVICE_MODULE                                                                                    \
  static luthier_registered *luthier_list = nullptr;                                                                  \
  static size_t luthier_listed = 0;                                                                                   \
  static void luthier_register(luthier_u32 kind, const void *host, const char *name, const void *initial, size_t size) {  \
    luthier_list = (luthier_registered *)realloc(luthier_list, (luthier_listed + 1) * sizeof(luthier_registered));    \
    luthier_list[luthier_listed++] = {kind, 0, host, name, initial, size};                                            \
  }                                                                                                                   \
  static int luthier_status(int failed) { return failed ? 999 : 0; }                                                  \
  extern "C" {                                                                                                        \
  void **luthier_fat_binary(const void *) LUTHIER_INSTEAD_OF("__hipRegisterFatBinary");                               \
  void **luthier_fat_binary(const void *binary) {                                                                     \
    static void *module = nullptr;                                                                                    \
    luthier_register(LUTHIER_REGISTERED_BINARY, binary, "", nullptr, 0);                                              \
    return &module;                                                                                                   \
  }                                                                                                                   \
  void luthier_no_fat_binary(void **) LUTHIER_INSTEAD_OF("__hipUnregisterFatBinary");                                 \
  void luthier_no_fat_binary(void **) {}                                                                              \
  void luthier_function(void **, const void *host, char *, const char *name, unsigned, void *, void *, void *, void *, int *) \
      LUTHIER_INSTEAD_OF("__hipRegisterFunction");                                                                    \
  void luthier_function(void **, const void *host, char *, const char *name, unsigned, void *, void *, void *, void *, int *) { \
    luthier_register(LUTHIER_REGISTERED_FUNCTION, host, name, nullptr, 0);                                            \
  }                                                                                                                   \
  void luthier_variable(void **, void *host, char *, const char *name, int, size_t size, int, int)                    \
      LUTHIER_INSTEAD_OF("__hipRegisterVar");                                                                         \
  void luthier_variable(void **, void *host, char *, const char *name, int, size_t size, int, int) {                  \
    luthier_register(LUTHIER_REGISTERED_VARIABLE, host, name, nullptr, size);                                         \
  }                                                                                                                   \
  void luthier_managed(void **, void **host, void *initial, const char *name, size_t size, unsigned)                  \
      LUTHIER_INSTEAD_OF("__hipRegisterManagedVar");                                                                  \
  void luthier_managed(void **, void **host, void *initial, const char *name, size_t size, unsigned) {                \
    *host = initial;                                                                                                  \
    luthier_register(LUTHIER_REGISTERED_MANAGED, host, name, initial, size);                                          \
  }                                                                                                                   \
  void luthier_surface(void **, void *, char *, const char *, int, int) LUTHIER_INSTEAD_OF("__hipRegisterSurface");   \
  void luthier_surface(void **, void *, char *, const char *, int, int) {}                                            \
  void luthier_texture(void **, void *, char *, const char *, int, int, int) LUTHIER_INSTEAD_OF("__hipRegisterTexture");  \
  void luthier_texture(void **, void *, char *, const char *, int, int, int) {}                                       \
  int luthier_malloc(void **to, size_t size) LUTHIER_INSTEAD_OF("hipMalloc");                                         \
  int luthier_malloc(void **to, size_t size) {                                                                        \
    return luthier_status(!luthier_api_table || luthier_api_table->allocate(luthier_api_table->tool, to, size, 0));                            \
  }                                                                                                                   \
  int luthier_malloc_managed(void **to, size_t size, unsigned) LUTHIER_INSTEAD_OF("hipMallocManaged");                \
  int luthier_malloc_managed(void **to, size_t size, unsigned) {                                                      \
    return luthier_status(!luthier_api_table || luthier_api_table->allocate(luthier_api_table->tool, to, size, 1));                            \
  }                                                                                                                   \
  int luthier_host_malloc(void **to, size_t size, unsigned) LUTHIER_INSTEAD_OF("hipHostMalloc");                      \
  int luthier_host_malloc(void **to, size_t size, unsigned) {                                                         \
    return luthier_status(!luthier_api_table || luthier_api_table->allocate(luthier_api_table->tool, to, size, 1));                            \
  }                                                                                                                   \
  int luthier_free(void *address) LUTHIER_INSTEAD_OF("hipFree");                                                      \
  int luthier_free(void *address) {                                                                                   \
    return luthier_status(address && (!luthier_api_table || luthier_api_table->release(luthier_api_table->tool, address)));                    \
  }                                                                                                                   \
  int luthier_host_free(void *address) LUTHIER_INSTEAD_OF("hipHostFree");                                             \
  int luthier_host_free(void *address) { return luthier_free(address); }                                              \
  int luthier_memcpy(void *to, const void *from, size_t size, int) LUTHIER_INSTEAD_OF("hipMemcpy");                   \
  int luthier_memcpy(void *to, const void *from, size_t size, int) {                                                  \
    return luthier_status(!luthier_api_table || luthier_api_table->copy(luthier_api_table->tool, to, from, size));                             \
  }                                                                                                                   \
  int luthier_memset(void *to, int value, size_t size) LUTHIER_INSTEAD_OF("hipMemset");                               \
  int luthier_memset(void *to, int value, size_t size) {                                                              \
    std::vector<char> bytes(size, (char)value);                                                                       \
    return luthier_memcpy(to, bytes.data(), size, 0);                                                                 \
  }                                                                                                                   \
  int luthier_to_symbol(const void *symbol, const void *from, size_t size, size_t offset, int)                        \
      LUTHIER_INSTEAD_OF("hipMemcpyToSymbol");                                                                        \
  int luthier_to_symbol(const void *symbol, const void *from, size_t size, size_t offset, int) {                      \
    return luthier_status(!luthier_api_table || luthier_api_table->copy_to_variable(luthier_api_table->tool, symbol, from, size, offset));     \
  }                                                                                                                   \
  int luthier_from_symbol(void *to, const void *symbol, size_t size, size_t offset, int)                              \
      LUTHIER_INSTEAD_OF("hipMemcpyFromSymbol");                                                                      \
  int luthier_from_symbol(void *to, const void *symbol, size_t size, size_t offset, int) {                            \
    return luthier_status(!luthier_api_table || luthier_api_table->copy_from_variable(luthier_api_table->tool, to, symbol, size, offset));     \
  }                                                                                                                   \
  int luthier_symbol_address(void **to, const void *symbol) LUTHIER_INSTEAD_OF("hipGetSymbolAddress");                \
  int luthier_symbol_address(void **to, const void *symbol) {                                                         \
    size_t size = 0;                                                                                                  \
    return luthier_status(!luthier_api_table || luthier_api_table->variable(luthier_api_table->tool, symbol, to, &size));                      \
  }                                                                                                                   \
  int luthier_symbol_size(size_t *to, const void *symbol) LUTHIER_INSTEAD_OF("hipGetSymbolSize");                     \
  int luthier_symbol_size(size_t *to, const void *symbol) {                                                           \
    void *address = nullptr;                                                                                          \
    return luthier_status(!luthier_api_table || luthier_api_table->variable(luthier_api_table->tool, symbol, &address, to));                   \
  }                                                                                                                   \
  LUTHIER_WITHOUT_HIP_ENTRIES                                                                                         \
  }                                                                                                                   \
  static const char *luthier_guarded(void (*act)(void *), void *data) {                                               \
    static thread_local std::string reason;                                                                           \
    try {                                                                                                             \
      act(data);                                                                                                      \
      return nullptr;                                                                                                 \
    } catch (const luthier_error &error) {                                                                            \
      reason = error.reason;                                                                                          \
    } catch (const std::exception &error) {                                                                           \
      reason = std::string("the tool threw an exception: ") + error.what();                                           \
    } catch (...) {                                                                                                   \
      reason = "the tool threw an exception";                                                                         \
    }                                                                                                                 \
    return reason.c_str();                                                                                            \
  }                                                                                                                   \
  static const luthier_registered *luthier_registered_list(size_t *count) {                                           \
    *count = luthier_listed;                                                                                          \
    return luthier_list;                                                                                              \
  }                                                                                                                   \
  static const char *luthier_begin(const luthier_api *api) {                                                          \
    if (api->struct_size < sizeof(luthier_api))                                                                       \
      return "the tool was built for a newer Luthier";                                                                \
    luthier_api_table = api;                                                                                          \
    if (!luthier_at_init && !luthier_at_term && !luthier_at_hsa_event)                                                \
      return "the tool defines none of luthier_at_init, luthier_at_term and luthier_at_hsa_event";                    \
    return luthier_guarded([](void *) { if (luthier_at_init) luthier_at_init(); }, nullptr);                          \
  }                                                                                                                   \
  static const char *luthier_launch(hsa_kernel_dispatch_packet_t *packet, const char *name) {                         \
    hsa_api_args_t args;                                                                                              \
    args.skip = false;                                                                                                \
    args.hsa_evt_kernel_launch = {packet, name};                                                                      \
    return luthier_guarded(                                                                                           \
        [](void *data) {                                                                                              \
          if (luthier_at_hsa_event)                                                                                   \
            luthier_at_hsa_event((hsa_api_args_t *)data, LUTHIER_API_PHASE_ENTER, HSA_EVT_ID_KERNEL_LAUNCH);          \
        },                                                                                                            \
        &args);                                                                                                       \
  }                                                                                                                   \
  static const char *luthier_end() {                                                                                  \
    return luthier_guarded([](void *) { if (luthier_at_term) luthier_at_term(); fflush(stdout); }, nullptr);          \
  }                                                                                                                   \
  extern "C" __attribute__((used, visibility("default"))) const luthier_tool_entries luthier_tool = {                 \
      sizeof(luthier_tool_entries), LUTHIER_API_VERSION, 0, luthier_registered_list, luthier_begin, luthier_launch, luthier_end};
// What compilers leave undefined where HIP is not linked.
#ifdef LUTHIER_WITH_HIP
#define LUTHIER_WITHOUT_HIP_ENTRIES
#else
#define LUTHIER_WITHOUT_HIP_ENTRIES                                                                                   \
  int luthier_launch_kernel(const void *, luthier_dim3, luthier_dim3, void **, size_t, void *) LUTHIER_INSTEAD_OF("hipLaunchKernel"); \
  int luthier_launch_kernel(const void *, luthier_dim3, luthier_dim3, void **, size_t, void *) { return 999; }        \
  int luthier_pop_call(void *, void *, size_t *, void *) LUTHIER_INSTEAD_OF("__hipPopCallConfiguration");             \
  int luthier_pop_call(void *, void *, size_t *, void *) { return 999; }
#endif
#endif
