// Luthier tools with host code in C++: hooks and callbacks in one HIP file.
//
//   luthier tool build counter.hip            makes counter.tool (hooks) and counter.so (host code), which belong together
//   luthier run -t ./counter.tool -- ./app
//
// A tool says MARK_LUTHIER_DEVICE_MODULE once, names its hooks with LUTHIER_EXPORT_FUNC, and defines the callbacks
// luthier_at_init, luthier_at_term and luthier_at_hsa_event. The last one gets every launch of a kernel; for a kernel that is
// not instrumented yet it may look at the instructions, insert hooks, and ask for the result with
// luthier_override_with_instrumented, which holds for this launch and later ones. What hooks may do is in luthier_device.h.
//
// Variables marked __managed__ are the hooks' while the application runs, one copy on each device. Before luthier_at_term
// their sums (of integers up to 64 bits; else the first device's copy) are in the host's variables.
#pragma once

#include <hsa/hsa.h>
#include <stddef.h>
#include <stdio.h>

#include <string>
#include <vector>

#include "luthier_device.h"

#ifndef __noinline__
#define __noinline__ __attribute__((noinline))
#endif
#undef __managed__
#ifdef __HIP_DEVICE_COMPILE__
#define __managed__ __device__ __attribute__((used))
#else
#define __managed__ __attribute__((used, visibility("default")))
#endif

// --- What passes between Luthier and the tool's library -----------------------------------------------------------------
// Tables grow at their end; struct_size says how far one reaches.

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
  LUTHIER_ARG_SGPR = 1, // value: its number
  LUTHIER_ARG_VGPR = 2,
  LUTHIER_ARG_EXEC = 3,
  LUTHIER_ARG_PC = 4,
  LUTHIER_ARG_SITE = 5,
};

// Functions return 0, or 1 with a reason in last_error. They may be called inside of luthier_at_hsa_event only.
typedef struct {
  size_t struct_size;
  size_t (*count_instructions)(luthier_u64 kernel_object);
  int (*get_instruction)(luthier_u64 kernel_object, size_t index, luthier_raw_instr *into);
  int (*insert_call)(luthier_u64 kernel_object, size_t index, const char *hook, int point, const luthier_arg *arguments,
                     size_t count);
  int (*is_instrumented)(luthier_u64 kernel_object);
  int (*override_with_instrumented)(luthier_u64 kernel_object);
  const char *(*last_error)(void);
} luthier_api;
}

// --- For the tool -------------------------------------------------------------------------------------------------------

typedef enum { LUTHIER_API_PHASE_ENTER = 0, LUTHIER_API_PHASE_EXIT = 1 } luthier_api_phase_t;
typedef enum { HSA_EVT_ID_KERNEL_LAUNCH = 0 } hsa_api_id_t;
typedef struct {
  struct {
    // A copy: what is known of the launch is its kernel object, grid and workgroup.
    hsa_kernel_dispatch_packet_t *dispatch_packet;
    const char *kernel_name;
  } hsa_evt_kernel_launch;
} hsa_api_args_t;

typedef enum { LUTHIER_IPOINT_BEFORE = 0, LUTHIER_IPOINT_AFTER = 1 } luthier_ipoint_t;

void luthier_at_init();
void luthier_at_term();
void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t phase, hsa_api_id_t api_id);

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
struct luthier_error {
  std::string reason;
};
inline void luthier_check(int status) {
  if (status != 0)
    throw luthier_error{luthier_api_table->last_error()};
}

// Instructions of a kernel and of everything it may call.
inline std::vector<Instr> luthier_disassemble_kernel_object(luthier_u64 kernel_object) {
  std::vector<Instr> instructions;
  size_t count = luthier_api_table->count_instructions(kernel_object);
  for (size_t index = 0; index < count; ++index) {
    luthier_raw_instr raw = {sizeof raw, 0, 0, 0, nullptr, nullptr};
    luthier_check(luthier_api_table->get_instruction(kernel_object, index, &raw));
    instructions.push_back({kernel_object, index, raw.pc, raw.size, raw.mnemonic, raw.text});
  }
  return instructions;
}

inline void luthier_insert_call(const Instr &instruction, const char *hook, luthier_ipoint_t point,
                                const std::vector<luthier_arg> &arguments = {}) {
  luthier_check(luthier_api_table->insert_call(instruction.kernel_object, instruction.index, hook, point, arguments.data(),
                                               arguments.size()));
}

inline bool luthier_is_instrumented(luthier_u64 kernel_object) {
  return luthier_api_table->is_instrumented(kernel_object) != 0;
}

inline void luthier_override_with_instrumented(hsa_kernel_dispatch_packet_t *packet) {
  luthier_check(luthier_api_table->override_with_instrumented(packet->kernel_object));
}

// Adds once for each active lane. HIP's own function if the tool includes that.
#ifndef __HIP_INCLUDE_HIP_HIP_RUNTIME_H
template <typename T> __device__ inline T atomicAdd(T *address, T value) {
  typedef T __attribute__((address_space(1))) * global;
  return __scoped_atomic_fetch_add((global)address, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
#endif

template <typename... Parameters> constexpr char luthier_parameters(void (*)(Parameters...)) {
  static_assert(sizeof...(Parameters) < 10, "a hook has up to nine parameters");
  return '0' + sizeof...(Parameters);
}

// A hook of this tool: an extern "C" device function.
#ifdef __HIP_DEVICE_COMPILE__
#define LUTHIER_EXPORT_FUNC(hook)                                                                                     \
  extern "C" LUTHIER_GLOBAL constexpr char __luthier_export_##hook[] = {luthier_parameters(decltype(&hook)(nullptr)), 0};
#else
#define LUTHIER_EXPORT_FUNC(hook)
#endif
#define LUTHIER_GET_HOOK_HANDLE(hook) #hook

// What Luthier calls. Exceptions end here.
#ifdef __HIP_DEVICE_COMPILE__
#define MARK_LUTHIER_DEVICE_MODULE
#else
#define LUTHIER_ENTRY extern "C" __attribute__((used, visibility("default"))) const char *
#define MARK_LUTHIER_DEVICE_MODULE                                                                                    \
  static const char *luthier_guarded(void (*act)(void *), void *data) {                                               \
    static thread_local std::string reason;                                                                           \
    try {                                                                                                             \
      act(data);                                                                                                      \
      return nullptr;                                                                                                 \
    } catch (const luthier_error &error) {                                                                            \
      reason = error.reason;                                                                                          \
    } catch (...) {                                                                                                   \
      reason = "the tool threw an exception";                                                                         \
    }                                                                                                                 \
    return reason.c_str();                                                                                            \
  }                                                                                                                   \
  LUTHIER_ENTRY luthier_tool_begin(const luthier_api *api) {                                                          \
    if (api->struct_size < sizeof(luthier_api))                                                                       \
      return "the tool was built for a newer Luthier";                                                                \
    luthier_api_table = api;                                                                                          \
    return luthier_guarded([](void *) { luthier_at_init(); }, nullptr);                                               \
  }                                                                                                                   \
  LUTHIER_ENTRY luthier_tool_launch(hsa_kernel_dispatch_packet_t *packet, const char *name) {                         \
    hsa_api_args_t args = {{packet, name}};                                                                           \
    return luthier_guarded(                                                                                           \
        [](void *data) {                                                                                              \
          luthier_at_hsa_event((hsa_api_args_t *)data, LUTHIER_API_PHASE_ENTER, HSA_EVT_ID_KERNEL_LAUNCH);            \
        },                                                                                                            \
        &args);                                                                                                       \
  }                                                                                                                   \
  LUTHIER_ENTRY luthier_tool_end() { return luthier_guarded([](void *) { luthier_at_term(); fflush(stdout); }, nullptr); }
#endif
