// Luthier tools with host code in C++: hooks and callbacks in one HIP file.
//
//   hipcc -I"$(luthier tool include)" --offload-arch=gfx90a -fPIC -shared -Xclang -fembed-bitcode=all counter.hip -o counter.so
//                                             any HIP compiler, with HIP's own headers
//   luthier run -t ./counter.so -- ./app
//
//   luthier tool build counter.hip            needs clang 22 and no ROCm; makes counter.tool (hooks) and counter.so (host code),
//   luthier run -t ./counter.tool -- ./app    which belong together
//
// A tool says MARK_LUTHIER_DEVICE_MODULE once, names its hooks with LUTHIER_EXPORT_FUNC, and defines callbacks. It may leave out
// any of them:
//
//   luthier_at_init, luthier_at_term     the tool begins; the process ends
//   luthier_at_kernel                    the first launch of a kernel that `luthier run` chose
//   luthier_at_hsa_event                 every launch of such a kernel, before it goes to the device; subscribed calls of HSA
//   luthier_at_packets                   every packet that the application writes to a queue
//   luthier_at_records                   records of a stream
//   luthier_at_launch_end                a launch has ended
//   luthier_at_copy                      the runtime has copied memory
//   atHipEvt                             subscribed calls of HIP
//
// A callback for a launch may look at the kernel's instructions, insert hooks, and decide what the launch runs.
// luthier_override_with_instrumented and luthier_override_with_original hold for this launch and later ones, until one of them is
// called again. A kernel may have several instrumented variants, which have different names. luthier_device.h describes what hooks
// may do.
//
// Hooks and host code share __managed__ variables at any time. Copy __device__ variables with hipMemcpyToSymbol,
// hipMemcpyFromSymbol or, without HIP, luthier_copy_to_variable and luthier_copy_from_variable. In a tool, these functions and
// hipMalloc, hipFree, hipMemcpy, hipMemset, hipHostMalloc, hipMallocManaged and hipGetSymbolAddress are Luthier's and not HIP's.
// Callbacks may call them. HIP's own functions may wait for the launch that the callback is about.
#pragma once
// This header causes no warnings, whatever language standard the tool is compiled with.
#pragma clang system_header

// `luthier tool build` compiles without HIP's headers.
#if !defined(LUTHIER_WITHOUT_HIP) && __has_include(<hip/hip_runtime.h>)
#include <hip/hip_runtime.h>
#define LUTHIER_WITH_HIP
#elif !defined(LUTHIER_WITHOUT_HIP)
#define LUTHIER_WITHOUT_HIP
#endif
#include <dlfcn.h>
#include <elf.h>
#include <hsa/hsa.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <deque>
#include <exception>
#include <mutex>
#include <set>
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
// The compiler needs this declaration for every kernel.
struct luthier_dim3 {
  unsigned x, y, z;
};
extern "C" int hipLaunchKernel(const void *, luthier_dim3, luthier_dim3, void **, size_t, void *);
#endif

// --- What passes between Luthier and the tool's library -----------------------------------------------------------------
// Structures grow at their end; struct_size says how far one reaches. The number rises when something else changes.
// Written by `cargo xtask tool-abi` from crates/instrument/tool-abi: interface.
#define LUTHIER_API_VERSION 2
#define LUTHIER_NO_DEVICE 0xffffffffu
#define LUTHIER_OWN_MODULE 0xffffffffffffffffull

extern "C" {
// The classes of an instruction, one bit each.
enum luthier_class : luthier_u32 {
  LUTHIER_CLASS_LOAD = 1u << 0,
  LUTHIER_CLASS_STORE = 1u << 1,
  LUTHIER_CLASS_ATOMIC = 1u << 2,
  LUTHIER_CLASS_ATOMIC_RETURN = 1u << 3, // An atomic that returns the value before the operation.
  LUTHIER_CLASS_BRANCH = 1u << 4,
  LUTHIER_CLASS_CONDITIONAL = 1u << 5,
  LUTHIER_CLASS_INDIRECT = 1u << 6,
  LUTHIER_CLASS_CALL = 1u << 7,
  LUTHIER_CLASS_RETURN = 1u << 8, // Jumps back to the caller.
  LUTHIER_CLASS_END = 1u << 9,
  LUTHIER_CLASS_BARRIER = 1u << 10,
  LUTHIER_CLASS_WAIT = 1u << 11,
  LUTHIER_CLASS_TRAP = 1u << 12,
  LUTHIER_CLASS_MESSAGE = 1u << 13, // s_sendmsg: to the host or to other hardware.
  LUTHIER_CLASS_SALU = 1u << 14,
  LUTHIER_CLASS_VALU = 1u << 15,
  LUTHIER_CLASS_MATRIX = 1u << 16,
  LUTHIER_CLASS_TRANSCENDENTAL = 1u << 17,
  LUTHIER_CLASS_SMEM = 1u << 18,
  LUTHIER_CLASS_VMEM = 1u << 19,
  LUTHIER_CLASS_LDS = 1u << 20,
  // By an encoding of its own, or through the descriptor of private memory that the kernel was given. FLAT may access scratch, too.
  LUTHIER_CLASS_SCRATCH = 1u << 21,
  LUTHIER_CLASS_FLAT = 1u << 22, // Global memory, LDS or scratch, by address.
  // The counters of s_waitcnt that it raises. gfx12 calls them loadcnt; dscnt or kmcnt; expcnt; storecnt.
  LUTHIER_CLASS_COUNTS_VM = 1u << 23,
  LUTHIER_CLASS_COUNTS_LGKM = 1u << 24,
  LUTHIER_CLASS_COUNTS_EXP = 1u << 25,
  LUTHIER_CLASS_COUNTS_VS = 1u << 26,
  LUTHIER_CLASS_PARTIAL_WRITE = 1u << 27, // The destination keeps some of its bits.
  LUTHIER_CLASS_IGNORES_EXEC = 1u << 28, // A vector instruction that acts whatever EXEC is.
  LUTHIER_CLASS_SDWA = 1u << 29, // The control word that follows it.
  LUTHIER_CLASS_DPP16 = 1u << 30,
  LUTHIER_CLASS_DPP8 = 1u << 31,
};

enum luthier_operand_kind {
  LUTHIER_OPERAND_DEF = 0, // A register that is written.
  LUTHIER_OPERAND_USE = 1, // A register that is read.
  LUTHIER_OPERAND_NUMBER = 2,
  LUTHIER_OPERAND_DISTANCE = 3, // Distance of a branch's target from the branch's end, in bytes.
};

enum luthier_register_kind {
  LUTHIER_REGISTER_SGPR = 0,
  LUTHIER_REGISTER_VGPR = 1,
  LUTHIER_REGISTER_AGPR = 2,
  LUTHIER_REGISTER_VCC = 3,
  LUTHIER_REGISTER_EXEC = 4,
  LUTHIER_REGISTER_SCC = 5,
  LUTHIER_REGISTER_M0 = 6,
  LUTHIER_REGISTER_MODE = 7,
  LUTHIER_REGISTER_OTHER = 8,
};

// A hook inserted with LUTHIER_IPOINT_AFTER runs whenever the instruction has run, wherever control goes on in its function: to the
// next instruction, on the way of a taken branch, back from a call. It does not run behind the end of the program, a return, or a
// jump to another function or to a computed address; the summary says at how many places.
typedef enum {
  LUTHIER_IPOINT_BEFORE = 0,
  LUTHIER_IPOINT_AFTER = 1,
  LUTHIER_IPOINT_EDGE = 2,
  LUTHIER_IPOINT_BLOCK = 3,
} luthier_ipoint_t;

// Kinds of a hook's arguments: a constant, a variable of the tool, a register, or a value of the place.
enum luthier_arg_kind {
  LUTHIER_ARG_CONSTANT = 0,
  // value: the number of the first register; the parameter's dwords take consecutive registers. If the kernel has no such register,
  // the hook is left out and the summary says why.
  LUTHIER_ARG_SGPR = 1,
  LUTHIER_ARG_VGPR = 2, // the same; a value for each lane
  LUTHIER_ARG_EXEC = 3, // The lanes that are active at the place. luthier::exec() has those at this point of the hook.
  LUTHIER_ARG_PC = 4, // Offset of the instruction in its code object.
  LUTHIER_ARG_SITE = 5, // Number of the insertion in the kernel, counted from 0.
  // value: the host's address of a variable of the tool, not of a __managed__ one; the hook gets the device's address
  LUTHIER_ARG_VARIABLE = 6,
  LUTHIER_ARG_ADDRESS = 7, // The address that each lane accesses, in bytes; for LDS and scratch, an offset.
  LUTHIER_ARG_ACCESS_SIZE = 8, // Bytes that the instruction accesses in each lane; 0 for image instructions, see image_address.
  LUTHIER_ARG_ACCESS_KIND = 9, // The access that the instruction makes, and to which memory: bits of luthier::access.
  LUTHIER_ARG_DISPATCH_ID = 10, // Number of the launch, counted from 0 over all kernels.
  LUTHIER_ARG_WORKGROUP_ID = 11, // Number of the workgroup in the grid, in dimension 0, 1 or 2.
  LUTHIER_ARG_WORKITEM_ID = 12, // Number of each lane in its workgroup, in dimension 0, 1 or 2; threadIdx where HIP is included.
  LUTHIER_ARG_AGPR = 13, // as LUTHIER_ARG_VGPR
  LUTHIER_ARG_VCC = 14, // The vector condition code, one bit per lane. It is undefined where the kernel no longer needs it.
  LUTHIER_ARG_SCC = 15, // The scalar condition code. It is undefined where the kernel no longer needs it.
  LUTHIER_ARG_M0 = 16, // The kernel's M0.
  LUTHIER_ARG_KERNARG = 17, // Address of the kernel's arguments.
  LUTHIER_ARG_PACKET = 18, // Address of the dispatch packet.
  LUTHIER_ARG_MODE = 19, // The kernel's MODE bits: rounding, denormals, exceptions. Hooks themselves round to nearest and keep denormals.
};

enum luthier_change_kind {
  LUTHIER_CHANGE_REMOVE = 0,
  LUTHIER_CHANGE_REPLACE = 1,
  LUTHIER_CHANGE_ADD_BEFORE = 2,
  LUTHIER_CHANGE_ADD_AFTER = 3,
};

// Kinds of objects that a HIP compiler's start-up code registers.
enum luthier_registered_kind {
  LUTHIER_REGISTERED_FUNCTION = 0,
  LUTHIER_REGISTERED_VARIABLE = 1,
  LUTHIER_REGISTERED_MANAGED = 2,
  LUTHIER_REGISTERED_BINARY = 3, // host: the device code of the functions and variables that follow
};

enum luthier_tool_wants {
  LUTHIER_WANTS_RECORDS = 1,
  LUTHIER_WANTS_ENDS = 2, // Adds a signal and a barrier packet to every launch.
  LUTHIER_WANTS_PACKETS = 4,
  LUTHIER_WANTS_COPIES = 8, // Adds the same as LUTHIER_WANTS_ENDS.
  LUTHIER_WANTS_MEMORY = 16, // Luthier stands between the program and the functions of HIP and HSA that allocate and free.
};

// Kinds of memory that a program asks for.
enum luthier_memory_kind {
  LUTHIER_MEMORY_HSA = 0, // The program called HSA itself.
  LUTHIER_MEMORY_DEVICE = 1,
  LUTHIER_MEMORY_PINNED = 2, // Memory of the host, for devices to reach.
  LUTHIER_MEMORY_MANAGED = 3,
  LUTHIER_MEMORY_REGISTERED = 4, // Memory of the program's own, which devices were allowed to reach.
  LUTHIER_MEMORY_STREAM = 5, // In the order of a stream, as of hipMallocAsync.
  LUTHIER_MEMORY_PITCHED = 6, // Rows with padding between them.
  LUTHIER_MEMORY_ARRAY = 7,
  LUTHIER_MEMORY_MAPPED = 8, // Physical memory at addresses that the program has reserved.
  LUTHIER_MEMORY_IMPORTED = 9, // Memory of another process.
  LUTHIER_MEMORY_NODE = 10, // A node of a graph allocates it.
  LUTHIER_MEMORY_VARIABLE = 11, // A variable of a module.
};

// Position of an address with respect to an allocation.
enum luthier_memory_position {
  LUTHIER_POSITION_INSIDE = 0, // The distance counts from the allocation's first byte.
  LUTHIER_POSITION_BEHIND = 1, // The distance counts from the byte that follows the allocation's last byte.
  LUTHIER_POSITION_BEFORE = 2, // The distance is that of the address to the allocation's first byte.
};

typedef enum {
  LUTHIER_API_PHASE_ENTER = 0,
  LUTHIER_API_PHASE_EXIT = 1,
} luthier_api_phase_t;

// A packet of a queue, 64 bytes.
struct luthier_packet;

typedef struct {
  size_t struct_size;
  luthier_u64 pc; // Offset in the code object.
  luthier_u32 size; // Bytes.
  luthier_u32 index;
  const char *mnemonic; // Without encoding suffix.
  const char *text; // As the assembler accepts it.
  luthier_u32 classes; // luthier_class
  luthier_u32 line; // 0: unknown
  const char *file;
  size_t block;
  size_t operands;
  size_t frames; // Number of inlined functions.
  size_t chosen; // 1 if the user's --site chooses it, else 0.
  size_t implied; // Number of registers that the text does not name. get_operand has them after the operands.
} luthier_raw_instr;

// Registers have a file, a number and dwords; everything else has a value.
typedef struct {
  luthier_u32 kind; // luthier_operand_kind
  luthier_u32 file; // luthier_register_kind
  luthier_u32 first;
  luthier_u32 dwords;
  luthier_u64 value;
} luthier_raw_operand;

typedef struct {
  size_t struct_size;
  const char *target; // gfx90a
  luthier_u32 wave_size;
  luthier_u32 reserved;
  size_t functions;
  size_t blocks;
  size_t instructions;
  size_t parameters;
} luthier_raw_kernel;

typedef struct {
  size_t struct_size;
  luthier_u64 number; // Counted from 0 over all kernels and devices; hooks read the same number as their dispatch id.
  luthier_u64 queue;
  luthier_u32 device;
  luthier_u32 reserved;
  // When the launch was enqueued, in nanoseconds of the clock of luthier_at_launch_end. Only tools that hear of ends or copies get
  // the time and the host thread; otherwise, and where they are unknown, these are 0.
  luthier_u64 enqueued;
  luthier_u32 thread; // The thread's number in the system (gettid).
  luthier_u32 reserved2;
  const char *thread_name; // Null, or a name that is valid during the callback.
} luthier_raw_launch;

// A copy of memory by the runtime.
typedef struct {
  size_t struct_size;
  luthier_u64 number; // Counted from 0 over all copies.
  luthier_u64 bytes;
  luthier_u32 from; // Number of the source's device; LUTHIER_NO_DEVICE is the host.
  luthier_u32 to;
  luthier_u64 enqueued; // When the copy was asked for, and by which thread, as in luthier_raw_launch.
  luthier_u32 thread;
  luthier_u32 reserved;
  const char *thread_name;
  luthier_u64 start; // When the copy ran, in the same clock; start and end are 0 if unknown.
  luthier_u64 end;
} luthier_raw_copy;

// Memory that the program has asked for.
typedef struct {
  size_t struct_size;
  luthier_u64 number; // Another one for each allocation.
  luthier_u64 address;
  luthier_u64 size; // Bytes.
  luthier_u32 kind; // luthier_memory_kind
  luthier_u32 freed; // 1: the program has freed it.
  const char *with; // The function of HIP or HSA that the program has called; "module" for variables.
  const char *name; // A variable's name, or null.
  const size_t *allocated_by; // Addresses of the host's code to which the calls return, innermost first.
  size_t allocated_by_count;
  const size_t *freed_by;
  size_t freed_by_count;
  luthier_u64 row_bytes; // Bytes of a row, and from one row to the next; 0 if there are no rows.
  luthier_u64 pitch;
  luthier_u32 position; // luthier_memory_position of the address that was looked up, and how many bytes.
  luthier_u32 reserved;
  luthier_u64 distance;
} luthier_raw_allocation;

typedef struct {
  size_t struct_size;
  const char *name;
  const char *demangled;
  luthier_u64 entry; // In the code object.
  size_t first_block;
  size_t blocks;
  const size_t *callees;
  size_t callee_count;
} luthier_raw_function;

typedef struct {
  size_t struct_size;
  size_t function;
  size_t first; // Instruction.
  size_t instructions;
  const size_t *successors;
  size_t successor_count;
  size_t chosen; // Instructions that the user's --site chooses.
} luthier_raw_block;

typedef struct {
  size_t struct_size;
  const char *function;
  const char *file;
  luthier_u32 line;
  luthier_u32 column;
} luthier_raw_frame;

typedef struct {
  size_t struct_size;
  const char *name; // The parameter's number if the compiler left no name.
  const char *type_name; // Empty if unknown.
  luthier_u32 offset; // Bytes after kernarg_address.
  luthier_u32 size;
  luthier_u32 is_pointer;
  luthier_u32 reserved;
} luthier_raw_parameter;

typedef struct {
  luthier_u32 kind; // luthier_arg_kind
  luthier_u32 reserved;
  luthier_u64 value;
} luthier_arg;

typedef struct {
  size_t struct_size;
  luthier_u32 point; // luthier_ipoint_t
  luthier_u32 once; // 1: the hook runs in lane 0 alone, whatever EXEC is.
  size_t place; // The instruction; the block that begins; for an edge, the block that it leaves.
  size_t to; // For an edge: the block that it leads to.
  const void *hook;
  const luthier_arg *arguments;
  size_t count;
} luthier_raw_insertion;

typedef struct {
  size_t struct_size;
  luthier_u32 point; // luthier_ipoint_t
  luthier_u32 amount;
  size_t place; // The place, as in luthier_raw_insertion.
  size_t to;
  size_t counter; // Number of the kernel's counter, from 0.
} luthier_raw_count;

// The counters of a kernel.
typedef struct {
  size_t struct_size;
  const char *kernel;
  const char *demangled;
  luthier_u64 launches; // Instrumented launches only.
  const luthier_u64 *counters;
  size_t count;
} luthier_raw_counted;

typedef struct {
  size_t struct_size;
  luthier_u32 kind; // luthier_change_kind
  luthier_u32 reserved;
  size_t place; // Instruction.
  const char *text; // Instructions in the assembler's language.
} luthier_raw_change;

// An object that a HIP compiler's start-up code registers.
typedef struct {
  luthier_u32 kind; // luthier_registered_kind
  luthier_u32 reserved;
  const void *host; // Shadow of the kernel or variable; for a managed variable, the pointer that host code uses.
  const char *name; // Name in the device code.
  const void *initial; // Initial value of a managed variable.
  luthier_u64 size; // Bytes.
} luthier_registered;

// Functions return 0, or 1 with a reason in last_error. A function with a kernel object may be called only during
// luthier_at_kernel and luthier_at_hsa_event for that kernel. Other functions may be called anywhere.
typedef struct {
  size_t struct_size;
  void *tool; // The first argument of functions that take a tool.
  int (*count_instructions)(luthier_u64 kernel_object, size_t *count);
  int (*get_instruction)(luthier_u64 kernel_object, size_t index, luthier_raw_instr *into);
  int (*insert_call)(luthier_u64 kernel_object, size_t index, const void *hook, int point, const luthier_arg *arguments, size_t count);
  int (*is_instrumented)(luthier_u64 kernel_object, const char *variant, int *answer);
  int (*override_with_instrumented)(luthier_u64 kernel_object, const char *variant);
  int (*override_with_original)(luthier_u64 kernel_object);
  const char *(*last_error)(void);
  // Write a variable's bytes at an offset on all devices; read them from the first device.
  int (*copy_to_variable)(void *tool, const void *variable, const void *from, size_t size, size_t offset);
  int (*copy_from_variable)(void *tool, void *into, const void *variable, size_t size, size_t offset);
  int (*variable)(void *tool, const void *variable, void **address, size_t *size);
  // Allocate memory of the first device (shared = 0), or memory that host and devices share (1).
  int (*allocate)(void *tool, void **address, size_t size, int shared);
  int (*release)(void *tool, void *address);
  int (*copy)(void *tool, void *to, const void *from, size_t size);
  // The place where HSA keeps the address of one of its functions.
  int (*hsa_entry)(void *tool, const char *function, void ***entry);
  // The code of the kernel and of every function that it may call, by numbers.
  int (*get_kernel)(luthier_u64 kernel_object, luthier_raw_kernel *into);
  int (*get_function)(luthier_u64 kernel_object, size_t index, luthier_raw_function *into);
  int (*get_block)(luthier_u64 kernel_object, size_t index, luthier_raw_block *into);
  int (*get_operand)(luthier_u64 kernel_object, size_t instruction, size_t number, luthier_raw_operand *into);
  int (*get_frame)(luthier_u64 kernel_object, size_t instruction, size_t number, luthier_raw_frame *into);
  int (*get_parameter)(luthier_u64 kernel_object, size_t index, luthier_raw_parameter *into);
  int (*is_live)(luthier_u64 kernel_object, size_t instruction, luthier_u32 kind, luthier_u32 number, int *answer);
  int (*insert)(luthier_u64 kernel_object, const luthier_raw_insertion *insertion);
  int (*change)(luthier_u64 kernel_object, const luthier_raw_change *change);
  // Add a line to the tool's part of the summary.
  int (*report)(void *tool, const char *text);
  // The user's value for a parameter of the tool, or its default.
  int (*option)(void *tool, const char *name, const char **value);
  // The number of devices that have a variable; its bytes on one of them.
  int (*device_count)(void *tool, const void *variable, size_t *count);
  int (*copy_from_device)(void *tool, size_t device, void *into, const void *variable, size_t size, size_t offset);
  int (*get_launch)(luthier_u64 kernel_object, luthier_raw_launch *into);
  int (*count)(luthier_u64 kernel_object, const luthier_raw_count *count);
  // Counters by kernel, at the end. Pointers in the result are valid until luthier_at_term returns.
  int (*count_kernels)(size_t *count);
  int (*get_counted)(size_t index, luthier_raw_counted *into);
  int (*all_or_nothing)(luthier_u64 kernel_object);
  // The tool's results as JSON, for NAME.PID.json; the last call counts.
  int (*report_json)(void *tool, const char *text);
  // load_module loads hooks and variables from another file and gives its number. module_symbol gives the handle of a hook or variable,
  // by kind (luthier_registered_kind) and name, and the size of a variable. The handle of a managed variable is the address of its
  // memory. LUTHIER_OWN_MODULE means the tool's own hooks and variables, if its library has registered nothing.
  int (*load_module)(void *tool, const char *path, luthier_u64 *module);
  int (*module_symbol)(void *tool, luthier_u64 module, luthier_u32 kind, const char *name, const void **handle, size_t *size);
  // The program's memory that an address lies in, or else the nearest within 1 MiB; *found is 0 if there is none. Only in a process
  // with a tool that wants LUTHIER_WANTS_MEMORY. Pointers in the result are valid until the next call on the thread.
  int (*find_allocation)(luthier_u64 address, luthier_raw_allocation *into, int *found);
} luthier_api;

// A tool's library exports this structure as luthier_tool.
typedef struct {
  size_t struct_size;
  luthier_u32 version; // LUTHIER_API_VERSION
  luthier_u32 wants; // luthier_tool_wants
  const luthier_registered *(*registered)(size_t *count);
  // These return null, or a reason that stays valid until the next call on the thread.
  const char *(*begin)(const luthier_api *api);
  const char *(*launch)(hsa_kernel_dispatch_packet_t *packet, const char *kernel);
  const char *(*end)(void);
  // Takes records of a stream, by its ring's name. 1: the tool keeps them; 0: Luthier writes them to the stream's file.
  int (*records)(const char *stream, const void *records, size_t bytes);
  const char *(*ended)(luthier_u64 launch, luthier_u64 start, luthier_u64 end);
  // Called on the program's first thread before the program's own code and before `begin`; only for tools that wrap functions.
  void (*wrap)(void);
  // Packets that the application has written to a queue. The tool may change them.
  const char *(*packets)(struct luthier_packet *packets, size_t count, luthier_u64 queue, luthier_u32 device);
  // A copy has ended.
  const char *(*copied)(const luthier_raw_copy *copy);
  // The program has allocated or freed memory.
  const char *(*memory)(const luthier_raw_allocation *allocation);
} luthier_tool_entries;

}
// End of what `cargo xtask tool-abi` writes: interface.

// --- For the tool -------------------------------------------------------------------------------------------------------

#include "luthier_hsa_events.h"

__attribute__((weak)) void luthier_at_init();
__attribute__((weak)) void luthier_at_term();
// Called before the first launch of a kernel that the options choose. This launch and all later ones run the insertions of this
// call. Tools that treat launches differently decide in luthier_at_hsa_event instead. It may also change the launch's packet before
// the queue gets it.
__attribute__((weak)) void luthier_at_kernel(luthier_u64 kernel_object);
__attribute__((weak)) void atHipEvt(void *args, luthier_api_phase_t phase, int hip_api_id);
__attribute__((weak)) void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t phase, hsa_api_id_t api_id);

// An operand of an instruction: a register or a number.
typedef luthier_raw_operand luthier_operand;

// A line of the source. In lists of inlined functions, the innermost one comes first.
struct luthier_frame {
  std::string function, file;
  luthier_u32 line, column;
};

// Takes records of a stream that LUTHIER_TOOL describes, by the name of its ring, while kernels run, on a thread of Luthier's. If it
// returns false, Luthier writes the records to the stream's file.
__attribute__((weak)) bool luthier_at_records(const char *stream, const void *records, size_t bytes);
// A launch has ended. `launch` is its number (luthier_launch_of); times are nanoseconds of a clock that all devices share. With this
// callback, launches of one queue do not overlap. It is called when the queue gets its next packets, or at the end.
__attribute__((weak)) void luthier_at_launch_end(luthier_u64 launch, luthier_u64 start, luthier_u64 end);
// Memory that the program has asked HIP or HSA for.
struct luthier_allocation {
  luthier_u64 number, address, size; // another number for each
  luthier_u32 kind;                  // luthier_memory_kind
  bool freed;
  std::string with, name;                     // the function that the program has called; the name of a variable
  std::vector<size_t> allocated_by, freed_by; // addresses of the host's code, innermost first
  luthier_u64 row_bytes, pitch;               // of pitched memory, else 0
  luthier_u32 position;                       // luthier_memory_position of the address that was looked up
  luthier_u64 distance;                       // bytes
};
// The program has allocated or freed memory. Called before the next launch that the options choose, or at the end, in the order in
// which it happened. A tool with this callback may call luthier_find_allocation anywhere.
__attribute__((weak)) void luthier_at_memory(const luthier_allocation &allocation);
// The runtime has copied memory, for hipMemcpy and similar functions. Called at the next launch, or at the end.
__attribute__((weak)) void luthier_at_copy(const luthier_raw_copy &copy);

// A packet that the application has written to a queue. The accessors give HSA's structure, or null for a packet of another kind.
struct alignas(64) luthier_packet {
  luthier_u16 header;
  luthier_u8 rest[62];

  // hsa_packet_type_t; 0 means a vendor-specific packet.
  unsigned kind() const { return header & 0xff; }
  hsa_kernel_dispatch_packet_t *dispatch() {
    return kind() == HSA_PACKET_TYPE_KERNEL_DISPATCH ? (hsa_kernel_dispatch_packet_t *)this : nullptr;
  }
  // A barrier packet. It waits for all of its signals, or for one of them (HSA_PACKET_TYPE_BARRIER_OR, with the same layout).
  hsa_barrier_and_packet_t *barrier() {
    bool is = kind() == HSA_PACKET_TYPE_BARRIER_AND || kind() == HSA_PACKET_TYPE_BARRIER_OR;
    return is ? (hsa_barrier_and_packet_t *)this : nullptr;
  }
};
// Packets of one queue in their order, before the queue gets them and before luthier_at_hsa_event hears of the launches among them.
// The callback may change them. The thread that writes packets waits for the callback.
struct luthier_shown {
  luthier_packet *packets;
  size_t count;
  luthier_u64 queue;
  luthier_u32 device;
};
__attribute__((weak)) void luthier_at_packets(luthier_packet *packets, size_t count, luthier_u64 queue, luthier_u32 device);

// An instruction of a kernel. Its functions may be called only during the callback that got it.
struct Instr {
  luthier_u64 kernel_object;
  size_t index;
  luthier_u64 pc;
  luthier_u32 size;
  std::string mnemonic;
  std::string text;
  luthier_u32 classes; // luthier_class
  std::string file;    // Empty without debug information.
  luthier_u32 line;
  size_t block;
  bool chosen; // The user's --site chooses it. Hooks at other instructions are left out.

  // True if the instruction belongs to any of these classes.
  bool is(luthier_u32 any) const { return (classes & any) != 0; }
  bool reads_or_writes_memory() const { return is(LUTHIER_CLASS_LOAD | LUTHIER_CLASS_STORE | LUTHIER_CLASS_ATOMIC); }
  // In the order of the text, definitions first: `v_cmp_lt_f32_e32 vcc, v1, v2` has VCC, v1, v2. Numbers behind the registers are
  // fields that the text may leave out (offsets, cache policies).
  std::vector<luthier_operand> operands() const;
  // Registers that the instruction writes or reads without naming them in its text, definitions first: SCC, EXEC, M0, MODE, and a
  // destination that is also a source (v_fmac_f32).
  std::vector<luthier_operand> implied() const;
  std::vector<luthier_frame> frames() const;
  // Whether the kernel may still read a register when the instruction is about to run.
  bool is_live(luthier_register_kind kind, luthier_u32 number) const;
};

// A basic block. `index`, `function`, `first` and `successors` are numbers of blocks, functions, instructions and blocks.
struct luthier_block {
  luthier_u64 kernel_object;
  size_t index, function, first, size;
  std::vector<size_t> successors;
  size_t chosen; // Instructions that the user's --site chooses. A counting tool adds this number for the block.
};
struct luthier_function {
  std::string name, demangled;
  luthier_u64 entry;
  size_t first_block, blocks;
  std::vector<size_t> callees;
};
// A parameter of a kernel.
struct luthier_parameter {
  std::string name, type;
  luthier_u32 offset, size;
  bool is_pointer;
};

inline const luthier_api *luthier_api_table = nullptr;

// Keeps a copy of a text until the process ends. Equal texts have one address. Hooks take the address as a constant and hand it back in
// records. Any thread may call it.
inline const char *luthier_kept_text(const std::string &text) {
  static std::mutex lock;
  static std::set<std::string> texts;
  std::lock_guard<std::mutex> guard(lock);
  return texts.insert(text).first->c_str();
}

// Thrown when Luthier cannot do what was asked. If a callback lets it pass, the kernel runs unmodified and the summary gives the reason.
struct luthier_error : std::exception {
  std::string reason;
  explicit luthier_error(const char *text) : reason(text) {}
  const char *what() const noexcept override { return reason.c_str(); }
};
inline void luthier_check(int status) {
  if (status != 0)
    throw luthier_error(luthier_api_table->last_error());
}

// A callback's name, whether it is called again when it has let an exception pass, and whether it has.
struct luthier_callback {
  const char *name;
  bool again;
  bool failed;
};
inline luthier_callback luthier_of_hsa_events = {"luthier_at_hsa_event", false, false}, luthier_of_hip_events = {"atHipEvt", false, false},
                        luthier_of_packets = {"luthier_at_packets", false, false}, luthier_of_records = {"luthier_at_records", false, false},
                        luthier_of_launch_ends = {"luthier_at_launch_end", false, false}, luthier_of_copies = {"luthier_at_copy", false, false},
                        luthier_of_memory = {"luthier_at_memory", false, false};
inline bool luthier_has_failed(const luthier_callback &callback) { return __atomic_load_n(&callback.failed, __ATOMIC_RELAXED); }
// A text in one line that says nothing to a terminal: control characters are written as escapes.
inline std::string luthier_in_one_line(const char *text) {
  std::string line;
  for (const unsigned char *at = (const unsigned char *)text; *at; ++at) {
    bool is_control = *at < 0x20 || *at == 0x7f, is_second = *at == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0;
    char escape[8] = {(char)*at};
    if (*at == '\n' || *at == '\t')
      strcpy(escape, *at == '\n' ? "\\n" : "\\t");
    else if (is_control || is_second)
      snprintf(escape, sizeof escape, "\\u{%x}", is_second ? *++at : *at);
    line += escape;
  }
  return line;
}
// The exception that is being caught, as a reason: `callback` let it pass.
inline std::string luthier_thrown(const char *callback) {
  std::string reason = callback + std::string(": ");
  try {
    throw;
  } catch (const luthier_error &error) {
    return reason + luthier_in_one_line(error.what());
  } catch (const std::exception &error) {
    return reason + "the tool threw an exception: " + luthier_in_one_line(error.what());
  } catch (...) {
    return reason + "the tool threw an exception";
  }
}
inline std::string luthier_failed(luthier_callback &callback) {
  if (callback.again)
    return luthier_thrown(callback.name);
  __atomic_store_n(&callback.failed, true, __ATOMIC_RELAXED);
  return luthier_thrown(callback.name) + "; it is not called again";
}
// Says in the summary, or on standard error when that has been made, that a callback has failed which gives no reason to its caller.
inline bool luthier_has_ended = false;
inline void luthier_complain(luthier_callback &callback) {
  // Several threads may be in it when it fails; the first one says so.
  if (!callback.again && __atomic_exchange_n(&callback.failed, true, __ATOMIC_RELAXED))
    return;
  std::string reason = luthier_failed(callback);
  if (__atomic_load_n(&luthier_has_ended, __ATOMIC_RELAXED) ||
      luthier_api_table->report(luthier_api_table->tool, reason.c_str()) != 0)
    fprintf(stderr, "luthier: %s\n", reason.c_str());
}

// The instructions of a kernel and of every function that it may call.
inline std::vector<Instr> luthier_disassemble_kernel_object(luthier_u64 kernel_object) {
  std::vector<Instr> instructions;
  size_t count = 0;
  luthier_check(luthier_api_table->count_instructions(kernel_object, &count));
  for (size_t index = 0; index < count; ++index) {
    luthier_raw_instr raw = {};
    raw.struct_size = sizeof raw;
    luthier_check(luthier_api_table->get_instruction(kernel_object, index, &raw));
    instructions.push_back({kernel_object, index, raw.pc, raw.size, raw.mnemonic, raw.text, raw.classes, raw.file, raw.line,
                            raw.block, raw.chosen != 0});
  }
  return instructions;
}

// Operands of an instruction by their numbers.
inline std::vector<luthier_operand> luthier_operands_of(luthier_u64 kernel_object, size_t index, size_t first, size_t count) {
  std::vector<luthier_operand> all(count);
  for (size_t number = 0; number < count; ++number)
    luthier_check(luthier_api_table->get_operand(kernel_object, index, first + number, &all[number]));
  return all;
}
inline std::vector<luthier_operand> Instr::operands() const {
  luthier_raw_instr raw = {};
  raw.struct_size = sizeof raw;
  luthier_check(luthier_api_table->get_instruction(kernel_object, index, &raw));
  return luthier_operands_of(kernel_object, index, 0, raw.operands);
}
inline std::vector<luthier_operand> Instr::implied() const {
  luthier_raw_instr raw = {};
  raw.struct_size = sizeof raw;
  luthier_check(luthier_api_table->get_instruction(kernel_object, index, &raw));
  return luthier_operands_of(kernel_object, index, raw.operands, raw.implied);
}
inline std::vector<luthier_frame> Instr::frames() const {
  luthier_raw_instr raw = {};
  raw.struct_size = sizeof raw;
  luthier_check(luthier_api_table->get_instruction(kernel_object, index, &raw));
  std::vector<luthier_frame> all;
  for (size_t number = 0; number < raw.frames; ++number) {
    luthier_raw_frame frame = {};
    frame.struct_size = sizeof frame;
    luthier_check(luthier_api_table->get_frame(kernel_object, index, number, &frame));
    all.push_back({frame.function, frame.file, frame.line, frame.column});
  }
  return all;
}
inline bool Instr::is_live(luthier_register_kind kind, luthier_u32 number) const {
  int answer = 0;
  luthier_check(luthier_api_table->is_live(kernel_object, index, kind, number, &answer));
  return answer != 0;
}

// The launch that the callback is about.
inline luthier_raw_launch luthier_launch_of(const hsa_kernel_dispatch_packet_t *packet) {
  luthier_raw_launch launch = {};
  launch.struct_size = sizeof launch;
  luthier_check(luthier_api_table->get_launch(packet->kernel_object, &launch));
  return launch;
}
inline luthier_raw_kernel luthier_kernel(luthier_u64 kernel_object) {
  luthier_raw_kernel kernel = {};
  kernel.struct_size = sizeof kernel;
  luthier_check(luthier_api_table->get_kernel(kernel_object, &kernel));
  return kernel;
}
// The kernel, then every function that it may call.
inline std::vector<luthier_function> luthier_functions(luthier_u64 kernel_object) {
  std::vector<luthier_function> all;
  for (size_t index = 0, count = luthier_kernel(kernel_object).functions; index < count; ++index) {
    luthier_raw_function raw = {};
    raw.struct_size = sizeof raw;
    luthier_check(luthier_api_table->get_function(kernel_object, index, &raw));
    all.push_back({raw.name, raw.demangled, raw.entry, raw.first_block, raw.blocks,
                   std::vector<size_t>(raw.callees, raw.callees + raw.callee_count)});
  }
  return all;
}
inline std::vector<luthier_block> luthier_blocks(luthier_u64 kernel_object) {
  std::vector<luthier_block> all;
  for (size_t index = 0, count = luthier_kernel(kernel_object).blocks; index < count; ++index) {
    luthier_raw_block raw = {};
    raw.struct_size = sizeof raw;
    luthier_check(luthier_api_table->get_block(kernel_object, index, &raw));
    all.push_back({kernel_object, index, raw.function, raw.first, raw.instructions,
                   std::vector<size_t>(raw.successors, raw.successors + raw.successor_count), raw.chosen});
  }
  return all;
}
inline std::vector<luthier_parameter> luthier_parameters(luthier_u64 kernel_object) {
  std::vector<luthier_parameter> all;
  for (size_t index = 0, count = luthier_kernel(kernel_object).parameters; index < count; ++index) {
    luthier_raw_parameter raw = {};
    raw.struct_size = sizeof raw;
    luthier_check(luthier_api_table->get_parameter(kernel_object, index, &raw));
    all.push_back({raw.name, raw.type_name, raw.offset, raw.size, raw.is_pointer != 0});
  }
  return all;
}
// An argument of the launch, in the memory from which the kernel will read it. The tool may change it.
template <typename T> inline T &luthier_argument(hsa_kernel_dispatch_packet_t *packet, const luthier_parameter &parameter) {
  if (parameter.size != sizeof(T))
    throw luthier_error("the kernel's parameter has another size");
  return *(T *)((char *)packet->kernarg_address + parameter.offset);
}
template <typename T> inline T &luthier_argument(hsa_kernel_dispatch_packet_t *packet, const char *name) {
  for (const auto &parameter : luthier_parameters(packet->kernel_object))
    if (parameter.name == name)
      return luthier_argument<T>(packet, parameter);
  throw luthier_error(("the kernel has no parameter " + std::string(name) + " (without -g parameters are called 0, 1, ...)").c_str());
}

inline void luthier_insert(luthier_u64 kernel_object, luthier_u32 point, size_t place, size_t to, const void *hook,
                           const std::vector<luthier_arg> &arguments, bool once) {
  luthier_raw_insertion insertion = {sizeof insertion, point, once, place, to, hook, arguments.data(), arguments.size()};
  luthier_check(luthier_api_table->insert(kernel_object, &insertion));
}
// Inserts a hook that runs once per wave: in lane 0 alone, whatever EXEC is.
inline void luthier_insert_once(const Instr &instruction, const void *hook, luthier_ipoint_t point,
                                const std::vector<luthier_arg> &arguments = {}) {
  luthier_insert(instruction.kernel_object, point, instruction.index, 0, hook, arguments, true);
}
// Inserts a hook that runs when control goes from one block to another.
inline void luthier_insert_call_on_edge(const luthier_block &from, size_t to, const void *hook,
                                        const std::vector<luthier_arg> &arguments = {}, bool once = false) {
  luthier_insert(from.kernel_object, LUTHIER_IPOINT_EDGE, from.index, to, hook, arguments, once);
}
// Inserts a hook that runs when a block begins. `--site` chooses the block if it chooses any of its instructions.
inline void luthier_insert_call_at_block(const luthier_block &block, const void *hook,
                                         const std::vector<luthier_arg> &arguments = {}, bool once = false) {
  luthier_insert(block.kernel_object, LUTHIER_IPOINT_BLOCK, block.index, 0, hook, arguments, once);
}

// Declares that this callback's insertions are useful only together. If a place cannot take a hook, the kernel runs unmodified;
// without this call, only that place is left out.
inline void luthier_all_or_nothing(luthier_u64 kernel_object) {
  luthier_check(luthier_api_table->all_or_nothing(kernel_object));
}
// Changed code is checked as the kernel's own is: its branches go to labels of the same text, it calls nothing, and the kernel still
// ends. It may name registers that the kernel does not have: the kernel gets them, if its largest workgroup still fits the device.
// If a change cannot be made, the kernel stays as it is, and the summary says why.
inline void luthier_change(const Instr &instruction, luthier_change_kind kind, const char *text) {
  luthier_raw_change change = {sizeof change, (luthier_u32)kind, 0, instruction.index, text};
  luthier_check(luthier_api_table->change(instruction.kernel_object, &change));
}
inline void luthier_remove(const Instr &instruction) { luthier_change(instruction, LUTHIER_CHANGE_REMOVE, ""); }
// Replaces the instruction with others, in the assembler's language.
inline void luthier_replace(const Instr &instruction, const char *text) {
  luthier_change(instruction, LUTHIER_CHANGE_REPLACE, text);
}
// Adds instructions before or after. Luthier saves no registers around them.
inline void luthier_insert_assembly(const Instr &instruction, luthier_ipoint_t point, const char *text) {
  luthier_change(instruction, point == LUTHIER_IPOINT_AFTER ? LUTHIER_CHANGE_ADD_AFTER : LUTHIER_CHANGE_ADD_BEFORE, text);
}

// Counters of 64 bits. A wave adds once at each place, even if no lane is active. Counts gather in registers if the kernel has free
// ones, so counters cost far less than hooks. Each kernel has its own counters, numbered from 0; its variants share them.
inline void luthier_count_at(luthier_u64 kernel_object, luthier_u32 point, size_t place, size_t to, size_t counter,
                             luthier_u32 amount) {
  luthier_raw_count count = {sizeof count, point, amount, place, to, counter};
  luthier_check(luthier_api_table->count(kernel_object, &count));
}
inline void luthier_count(const Instr &instruction, size_t counter, luthier_u32 amount = 1) {
  luthier_count_at(instruction.kernel_object, LUTHIER_IPOINT_BEFORE, instruction.index, 0, counter, amount);
}
inline void luthier_count_block(const luthier_block &block, size_t counter, luthier_u32 amount = 1) {
  luthier_count_at(block.kernel_object, LUTHIER_IPOINT_BLOCK, block.index, 0, counter, amount);
}
inline void luthier_count_edge(const luthier_block &from, size_t to, size_t counter, luthier_u32 amount = 1) {
  luthier_count_at(from.kernel_object, LUTHIER_IPOINT_EDGE, from.index, to, counter, amount);
}
// The counters of a kernel, for luthier_at_term.
struct luthier_counted {
  std::string kernel, demangled;
  luthier_u64 launches;
  std::vector<luthier_u64> counters;
};
inline std::vector<luthier_counted> luthier_all_counted() {
  std::vector<luthier_counted> all;
  size_t count = 0;
  luthier_check(luthier_api_table->count_kernels(&count));
  for (size_t index = 0; index < count; ++index) {
    luthier_raw_counted raw = {};
    raw.struct_size = sizeof raw;
    luthier_check(luthier_api_table->get_counted(index, &raw));
    all.push_back({raw.kernel, raw.demangled, raw.launches, std::vector<luthier_u64>(raw.counters, raw.counters + raw.count)});
  }
  return all;
}

inline luthier_allocation luthier_allocation_of(const luthier_raw_allocation &raw) {
  return {raw.number,
          raw.address,
          raw.size,
          raw.kind,
          raw.freed != 0,
          raw.with,
          raw.name ? raw.name : "",
          std::vector<size_t>(raw.allocated_by, raw.allocated_by + raw.allocated_by_count),
          std::vector<size_t>(raw.freed_by, raw.freed_by + raw.freed_by_count),
          raw.row_bytes,
          raw.pitch,
          raw.position,
          raw.distance};
}
// The program's memory that an address lies in, or else the nearest within 1 MiB. Returns false if there is none.
inline bool luthier_find_allocation(luthier_u64 address, luthier_allocation &into) {
  luthier_raw_allocation raw = {};
  raw.struct_size = sizeof raw;
  int found = 0;
  luthier_check(luthier_api_table->find_allocation(address, &raw, &found));
  if (found)
    into = luthier_allocation_of(raw);
  return found;
}

// Gives the tool's results as JSON; `--output` writes them to NAME.PID.json. The last call counts.
inline void luthier_report_json(const std::string &text) {
  luthier_check(luthier_api_table->report_json(luthier_api_table->tool, text.c_str()));
}
// Adds lines to the tool's part of the summary. Call it in luthier_at_term or before.
inline void luthier_report(const std::string &text) {
  luthier_check(luthier_api_table->report(luthier_api_table->tool, text.c_str()));
}
// The user's value from -t TOOL:NAME=VALUE, or the default that LUTHIER_TOOL declares for the parameter.
inline std::string luthier_option(const char *name) {
  const char *value = nullptr;
  luthier_check(luthier_api_table->option(luthier_api_table->tool, name, &value));
  return value;
}
inline unsigned long long luthier_option_number(const char *name) { return strtoull(luthier_option(name).c_str(), nullptr, 0); }

inline void luthier_insert_call(const Instr &instruction, const void *hook, luthier_ipoint_t point,
                                const std::vector<luthier_arg> &arguments = {}) {
  luthier_check(luthier_api_table->insert_call(instruction.kernel_object, instruction.index, hook, point, arguments.data(),
                                               arguments.size()));
}

// Tells whether this variant exists already.
inline bool luthier_is_instrumented(luthier_u64 kernel_object, const char *variant = "") {
  int answer = 0;
  luthier_check(luthier_api_table->is_instrumented(kernel_object, variant, &answer));
  return answer != 0;
}

// This launch and later ones of the kernel run this variant. If the variant is new, it consists of the insertions of this callback.
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
template <typename T, size_t N> inline std::array<T, N> luthier_copy_from_variable(const T (&variable)[N]) {
  std::array<T, N> value;
  luthier_check(luthier_api_table->copy_from_variable(luthier_api_table->tool, value.data(), &variable, sizeof variable, 0));
  return value;
}

// The number of devices that have the variable; its value on one of them.
template <typename T> inline size_t luthier_device_count(const T &variable) {
  size_t count = 0;
  luthier_check(luthier_api_table->device_count(luthier_api_table->tool, &variable, &count));
  return count;
}
template <typename T> inline T luthier_copy_from_variable(const T &variable, size_t device) {
  T value;
  luthier_check(luthier_api_table->copy_from_device(luthier_api_table->tool, device, &value, &variable, sizeof(T), 0));
  return value;
}
template <typename T, size_t N> inline std::array<T, N> luthier_copy_from_variable(const T (&variable)[N], size_t device) {
  std::array<T, N> value;
  luthier_check(
      luthier_api_table->copy_from_device(luthier_api_table->tool, device, value.data(), &variable, sizeof variable, 0));
  return value;
}

// --- Modules --------------------------------------------------------------------------------------------------------------
// A module is a file with hooks and variables that the tool loads at any time: the output of a HIP compiler with
// `-Xclang -fembed-bitcode=all` (a library, a program, a code object), or of `luthier tool build`. The file names hooks with
// LUTHIER_EXPORT_FUNC. Its host code is not loaded. A file with the same content gives the same module.
struct luthier_module {
  luthier_u64 number;

  // The handle of a hook, as LUTHIER_GET_HOOK_HANDLE gives it for the tool's own hooks.
  const void *hook(const char *name) const { return symbol(LUTHIER_REGISTERED_FUNCTION, name, 0); }
  // A __device__ variable, for LUTHIER_ARG_VARIABLE.
  const void *variable(const char *name) const { return symbol(LUTHIER_REGISTERED_VARIABLE, name, 0); }
  // Write the variable on all devices; read it from the first device.
  template <typename T> void write(const char *name, const T &value) const {
    const void *variable = symbol(LUTHIER_REGISTERED_VARIABLE, name, sizeof(T));
    luthier_check(luthier_api_table->copy_to_variable(luthier_api_table->tool, variable, &value, sizeof(T), 0));
  }
  template <typename T> T read(const char *name) const {
    T value;
    const void *variable = symbol(LUTHIER_REGISTERED_VARIABLE, name, sizeof(T));
    luthier_check(luthier_api_table->copy_from_variable(luthier_api_table->tool, &value, variable, sizeof(T), 0));
    return value;
  }
  // A __managed__ variable, which host code and hooks share.
  template <typename T> T &managed(const char *name) const {
    return *(T *)symbol(LUTHIER_REGISTERED_MANAGED, name, sizeof(T));
  }

private:
  // `size` is the size that the variable must have; 0 accepts any.
  const void *symbol(luthier_u32 kind, const char *name, size_t size) const {
    const void *handle = nullptr;
    size_t there = 0;
    luthier_check(luthier_api_table->module_symbol(luthier_api_table->tool, number, kind, name, &handle, &there));
    if (size != 0 && size != there)
      throw luthier_error((std::string(name) + " of the module has " + std::to_string(there) + " bytes, not " +
                           std::to_string(size)).c_str());
    return handle;
  }
  friend luthier_module luthier_load_module(const char *path);
  explicit luthier_module(luthier_u64 number) : number(number) {}
};
inline luthier_module luthier_load_module(const char *path) {
  luthier_u64 number = 0;
  luthier_check(luthier_api_table->load_module(luthier_api_table->tool, path, &number));
  return luthier_module(number);
}

// --- Events of HSA ------------------------------------------------------------------------------------------------------
// After luthier_subscribe_hsa, luthier_at_hsa_event hears of each call of the function, on the calling thread: at its beginning, with
// arguments that the tool may change, and at its end, with the result. Functions without a subscriber cost nothing. Calls that the
// tool makes during an event are no events. Subscribe in luthier_at_init.
inline thread_local bool luthier_telling = false;
inline bool luthier_is_telling() {
  return luthier_telling || !luthier_at_hsa_event || luthier_has_failed(luthier_of_hsa_events);
}
inline void luthier_tell(hsa_api_args_t *args, luthier_api_phase_t phase, hsa_api_id_t id) {
  // (At a call's end, the callback may have failed at its beginning.)
  if (luthier_has_failed(luthier_of_hsa_events))
    return;
  luthier_telling = true;
  try {
    luthier_at_hsa_event(args, phase, id);
  } catch (...) {
    luthier_complain(luthier_of_hsa_events);
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
// Subscribes to every function that this runtime has, and returns their number.
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
// After luthier_subscribe_hip, atHipEvt hears of calls of HIP's runtime, on the calling thread. `args` is HIP's own hip_api_data_t (the
// tool includes hip/amd_detail/hip_prof_str.h), and the number is one of its HIP_API_ID_... The tool cannot change anything.
// luthier_subscribe_hip returns false if this HIP does not report the call.
inline void luthier_tell_hip(uint32_t, uint32_t id, const void *data, void *) {
  if (luthier_telling || luthier_has_failed(luthier_of_hip_events))
    return;
  luthier_telling = true;
  // A correlation number of 64 bits, then the phase.
  luthier_u32 phase = ((const luthier_u32 *)data)[2];
  try {
    atHipEvt((void *)data, phase == 0 ? LUTHIER_API_PHASE_ENTER : LUTHIER_API_PHASE_EXIT, (int)id);
  } catch (...) {
    luthier_complain(luthier_of_hip_events);
  }
  luthier_telling = false;
}
// HIP since 5.3 asks one function about every call. If the answer is 0, HIP calls the two functions that were left after the arguments.
inline bool luthier_hip_wanted[2048] = {};
template <typename Data> struct luthier_hip_call {
  Data data;
  luthier_u64 began, own;
  void (*enter)(uint32_t, luthier_hip_call *);
  void (*exit)(uint32_t, luthier_hip_call *);

  static int asked(uint32_t domain, uint32_t id, void *place) {
    const uint32_t functions = 3; // Other domains are work on devices.
    bool wanted = domain == functions && place && id < sizeof luthier_hip_wanted &&
                  __atomic_load_n(&luthier_hip_wanted[id], __ATOMIC_RELAXED);
    if (!wanted || luthier_telling)
      return 1;
    auto *call = (luthier_hip_call *)place;
    call->data.correlation_id = 0;
    call->enter = [](uint32_t id, luthier_hip_call *call) {
      call->data.phase = 0;
      luthier_tell_hip(functions, id, &call->data, nullptr);
    };
    call->exit = [](uint32_t id, luthier_hip_call *call) {
      call->data.phase = 1;
      luthier_tell_hip(functions, id, &call->data, nullptr);
    };
    return 0;
  }
};
// Tells whether the library with this function is of the release whose headers the tool was compiled with. The fields after the
// arguments have other offsets in other releases.
inline bool luthier_is_hip_of_headers(const void *function) {
#ifdef HIP_VERSION_MINOR
  Dl_info library = {};
  char file[4096], release[64];
  if (!dladdr(function, &library) || !realpath(library.dli_fname, file))
    return false;
  snprintf(release, sizeof release, "/libamdhip64.so.%d.%d.", HIP_VERSION_MAJOR, HIP_VERSION_MINOR);
  return strstr(file, release) != nullptr;
#else
  return false;
#endif
}
// HIP before 5.3 reports a call only if a listener provides memory for the report. It asks at the call's beginning and at its end.
inline void *luthier_room_for_hip(uint32_t id, void *, const void *, void *) {
  struct room {
    uint32_t id;
    alignas(16) luthier_u32 data[512];
  };
  static thread_local std::deque<room> open;
  bool ends = !open.empty() && open.back().id == id && open.back().data[2] != 0;
  if (ends) {
    open.pop_back();
    return nullptr;
  }
  open.push_back({id, {}});
  return open.back().data;
}
struct hip_api_data_s;
template <typename Data = hip_api_data_s> inline bool luthier_subscribe_hip(int id) {
  typedef int (*subscribe)(uint32_t, void *, void *);
  typedef void (*ask)(int (*)(uint32_t, uint32_t, void *));
  ask asks = (ask)dlsym(RTLD_DEFAULT, "hipRegisterTracerCallback");
  if (asks) {
    if (!atHipEvt || id < 0 || (size_t)id >= sizeof luthier_hip_wanted || !luthier_is_hip_of_headers((const void *)asks))
      return false;
    __atomic_store_n(&luthier_hip_wanted[id], true, __ATOMIC_RELAXED);
    asks(luthier_hip_call<Data>::asked);
    return true;
  }
  subscribe calls = (subscribe)dlsym(RTLD_DEFAULT, "hipRegisterApiCallback");
  subscribe rooms = (subscribe)dlsym(RTLD_DEFAULT, "hipRegisterActivityCallback");
  return atHipEvt && calls && rooms && rooms((uint32_t)id, (void *)luthier_room_for_hip, nullptr) == 0 &&
         calls((uint32_t)id, (void *)luthier_tell_hip, nullptr) == 0;
}
inline const char *luthier_hip_name(int id) {
  typedef const char *(*name)(uint32_t);
  name of = (name)dlsym(RTLD_DEFAULT, "hipApiName");
  return of ? of((uint32_t)id) : "";
}
inline const char *luthier_hsa_name(hsa_api_id_t id) { return luthier_hsa_entry_of(id).name; }

// --- Functions of HIP in other hands ------------------------------------------------------------------------------------
// LUTHIER_WRAP_HIP(RESULT, FUNCTION, PARAMETERS...) { ... } replaces a function of HIP for the application: for the program, for its
// libraries (including those that are loaded later), and for addresses that they get from dlsym. The wrapper may call `original`, with
// any arguments, or not, and returns the result to the application. `luthier run` installs wrappers before `main` if the program is
// linked with HIP. Otherwise, and without `luthier run`, they are installed when HSA starts, after the first call that needs a device.
// The tool's own calls are not wrapped.
struct luthier_wrapped {
  const char *function;
  void *ours;
  void **original;
};
inline std::vector<luthier_wrapped> &luthier_wraps() {
  static std::vector<luthier_wrapped> all;
  return all;
}
struct luthier_wrapping {
  luthier_wrapping(const char *function, void *ours, void **original) {
    luthier_wraps().push_back({function, ours, original});
  }
};
// Writes the wrappers' addresses into an object's tables of called functions.
inline int luthier_wrap_in(struct dl_phdr_info *object, size_t, void *own_base) {
  const ElfW(Dyn) *dynamic = nullptr;
  luthier_u64 relro = 0, relro_end = 0;
  for (int index = 0; index < object->dlpi_phnum; ++index) {
    const ElfW(Phdr) &part = object->dlpi_phdr[index];
    if (part.p_type == PT_DYNAMIC)
      dynamic = (const ElfW(Dyn) *)(object->dlpi_addr + part.p_vaddr);
    if (part.p_type == PT_GNU_RELRO) {
      relro = object->dlpi_addr + part.p_vaddr;
      relro_end = relro + part.p_memsz;
    }
  }
  bool is_runtime = strstr(object->dlpi_name, "libamdhip64") || strstr(object->dlpi_name, "luthier") ||
                    strstr(object->dlpi_name, "vdso") || strstr(object->dlpi_name, "ld-linux");
  if (!dynamic || is_runtime || object->dlpi_addr == (luthier_u64)own_base)
    return 0;
  const ElfW(Sym) *symbols = nullptr;
  const char *names = nullptr;
  const ElfW(Rela) *lists[2] = {};
  size_t sizes[2] = {};
  for (const ElfW(Dyn) *entry = dynamic; entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {
    case DT_SYMTAB: symbols = (const ElfW(Sym) *)entry->d_un.d_ptr; break;
    case DT_STRTAB: names = (const char *)entry->d_un.d_ptr; break;
    case DT_JMPREL: lists[0] = (const ElfW(Rela) *)entry->d_un.d_ptr; break;
    case DT_PLTRELSZ: sizes[0] = entry->d_un.d_val / sizeof(ElfW(Rela)); break;
    case DT_RELA: lists[1] = (const ElfW(Rela) *)entry->d_un.d_ptr; break;
    case DT_RELASZ: sizes[1] = entry->d_un.d_val / sizeof(ElfW(Rela)); break;
    }
  }
  luthier_u64 page = sysconf(_SC_PAGESIZE);
  for (int list = 0; list < 2 && symbols && names; ++list)
    for (size_t index = 0; index < sizes[list]; ++index) {
      const ElfW(Rela) &place = lists[list][index];
      luthier_u32 kind = ELF64_R_TYPE(place.r_info), symbol = ELF64_R_SYM(place.r_info);
#ifdef __aarch64__
      bool is_function = kind == R_AARCH64_JUMP_SLOT || kind == R_AARCH64_GLOB_DAT;
#else
      bool is_function = kind == R_X86_64_JUMP_SLOT || kind == R_X86_64_GLOB_DAT;
#endif
      if (!is_function || symbol == 0)
        continue;
      for (const luthier_wrapped &wrapped : luthier_wraps()) {
        if (!wrapped.original || strcmp(names + symbols[symbol].st_name, wrapped.function) != 0)
          continue;
        void **slot = (void **)(object->dlpi_addr + place.r_offset);
        luthier_u64 start = (luthier_u64)slot & ~(page - 1);
        bool guarded = (luthier_u64)slot >= relro && (luthier_u64)slot < relro_end;
        if (*slot == wrapped.ours || (guarded && mprotect((void *)start, page, PROT_READ | PROT_WRITE) != 0))
          continue;
        __atomic_store_n(slot, wrapped.ours, __ATOMIC_RELEASE);
        if (guarded)
          mprotect((void *)start, page, PROT_READ);
      }
    }
  return 0;
}
inline void luthier_wrap_everywhere() {
  Dl_info own = {};
  dladdr((const void *)&luthier_wrap_everywhere, &own);
  dl_iterate_phdr(luthier_wrap_in, own.dli_fbase);
}
// Libraries that are loaded later call the wrappers too.
inline void *(*luthier_dlopen)(const char *, int) = nullptr;
inline void *luthier_load(const char *file, int flags) {
  void *library = luthier_dlopen(file, flags);
  if (library)
    luthier_wrap_everywhere();
  return library;
}
// dlsym gives the wrapper for the name of a wrapped function. All other look-ups depend on the caller, and so does RTLD_NEXT; this
// function passes them on by a tail call, so that dlsym sees the original caller.
inline void *(*luthier_dlsym)(void *, const char *) = nullptr;
inline void *luthier_find(void *library, const char *name) {
  if (library != RTLD_NEXT && name)
    for (const luthier_wrapped &wrapped : luthier_wraps())
      if (strcmp(wrapped.function, name) == 0) {
        void *found = luthier_dlsym(library, name);
        return found == *wrapped.original ? wrapped.ours : found;
      }
  [[clang::musttail]] return luthier_dlsym(library, name);
}
// Returns the name of a function that is not loaded yet, or null if all are wrapped.
inline const char *luthier_begin_wraps() {
  static bool begun = false;
  if (begun || luthier_wraps().empty())
    return nullptr;
  for (luthier_wrapped &wrapped : luthier_wraps()) {
    *wrapped.original = dlsym(RTLD_DEFAULT, wrapped.function);
    if (!*wrapped.original)
      return wrapped.function;
  }
  begun = true;
  luthier_dlopen = dlopen;
  luthier_dlsym = dlsym;
  luthier_wraps().push_back({"dlopen", (void *)luthier_load, (void **)&luthier_dlopen});
  luthier_wraps().push_back({"dlsym", (void *)luthier_find, (void **)&luthier_dlsym});
  luthier_wrap_everywhere();
  return nullptr;
}
inline void luthier_must_wrap() {
  if (const char *missing = luthier_begin_wraps())
    throw luthier_error((std::string("nothing that is loaded has the function ") + missing).c_str());
}
// Says to Luthier, in the library's symbols, that the tool wraps something.
#ifdef __HIP_DEVICE_COMPILE__
#define LUTHIER_WRAPS(function)
#else
#define LUTHIER_WRAPS(function) \
  extern "C" __attribute__((weak, used, visibility("default"))) char luthier_wraps_##function = 0;
#endif
#define LUTHIER_WRAP_HIP(result, function, ...)                                                                       \
  LUTHIER_WRAPS(function)                                                                                             \
  struct luthier_wrap_##function {                                                                                    \
    static result (*original)(__VA_ARGS__);                                                                           \
    static result ours(__VA_ARGS__);                                                                                  \
    static void has_these_parameters() {                                                                              \
      result (*declared)(__VA_ARGS__) = &::function;                                                                  \
      (void)declared;                                                                                                 \
    }                                                                                                                 \
  };                                                                                                                  \
  result (*luthier_wrap_##function::original)(__VA_ARGS__) = nullptr;                                                 \
  static luthier_wrapping luthier_wrapping_##function(#function, (void *)&luthier_wrap_##function::ours,              \
                                                      (void **)&luthier_wrap_##function::original);                   \
  result luthier_wrap_##function::ours(__VA_ARGS__)

// LD_PRELOAD=./tool.so ./app: with `luthier` in PATH, HSA is told to load Luthier with this tool.
struct luthier_preloading {
  luthier_preloading() {
    const char *preloaded = getenv("LD_PRELOAD"), *path = getenv("PATH");
    Dl_info own = {};
    if (!preloaded || !path || getenv("LUTHIER_TOOL") || getenv("HSA_TOOLS_LIB") ||
        !dladdr((const void *)&luthier_wrap_everywhere, &own) || !own.dli_fname)
      return;
    char tool[4096];
    const char *name = strrchr(own.dli_fname, '/');
    if (!strstr(preloaded, name ? name + 1 : own.dli_fname) || !realpath(own.dli_fname, tool))
      return;
    std::string folders = path;
    for (size_t start = 0; start <= folders.size();) {
      size_t end = folders.find(':', start);
      end = end == std::string::npos ? folders.size() : end;
      char command[4096];
      if (realpath((folders.substr(start, end - start) + "/luthier").c_str(), command)) {
        std::string home = std::string(command).substr(0, std::string(command).rfind('/'));
        for (const char *place : {"/", "/../lib/luthier/"}) {
          std::string library = home + place + "libluthier_intercept.so";
          if (access(library.c_str(), R_OK) != 0)
            continue;
          setenv("HSA_TOOLS_LIB", library.c_str(), 1);
          setenv("LUTHIER_TOOL", tool, 1);
          return;
        }
      }
      start = end + 1;
    }
    fprintf(stderr, "luthier: %s is preloaded, and there is no luthier in PATH; the tool does nothing\n", tool);
  }
};

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

// True if the tool has anything that could be called.
inline bool luthier_hears() {
  return luthier_at_init || luthier_at_term || luthier_at_kernel || luthier_at_hsa_event || luthier_at_packets ||
         luthier_at_copy || luthier_at_memory || !luthier_wraps().empty();
}
// A launch, and the callback that is being called for it.
struct luthier_launching {
  hsa_api_args_t args;
  luthier_callback callback;
};
inline void luthier_launched(luthier_launching &launching) {
  hsa_api_args_t *args = &launching.args;
  hsa_kernel_dispatch_packet_t *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  if (luthier_at_kernel && !luthier_is_instrumented(packet->kernel_object)) {
    luthier_at_kernel(packet->kernel_object);
    luthier_override_with_instrumented(packet);
  }
  launching.callback.name = luthier_of_hsa_events.name;
  if (luthier_at_hsa_event && !luthier_has_failed(luthier_of_hsa_events))
    luthier_at_hsa_event(args, LUTHIER_API_PHASE_ENTER, HSA_EVT_ID_KERNEL_LAUNCH);
}

// --- What Luthier calls, and what compilers' start-up code calls in a tool instead of HIP ---------------------------------
#ifdef __HIP_DEVICE_COMPILE__
#define MARK_LUTHIER_DEVICE_MODULE                                                                                    \
  extern "C" LUTHIER_GLOBAL constexpr char __luthier_module[] = {'0' + LUTHIER_API_VERSION, 0};                       \
  extern "C" __global__ void __luthier_mark() {}
#else
#define LUTHIER_INSTEAD_OF(symbol) __asm__(symbol) __attribute__((used, visibility("hidden")))
// (Compilers keep no device code that the host registers nothing of.)
#define MARK_LUTHIER_DEVICE_MODULE                                                                                    \
  extern "C" __global__ void __luthier_mark() {}                                                                      \
  static luthier_preloading luthier_when_preloaded;                                                                   \
  static luthier_registered *luthier_list = nullptr;                                                                  \
  static size_t luthier_listed = 0;                                                                                   \
  static void luthier_register(luthier_u32 kind, const void *host, const char *name, const void *initial, size_t size) {  \
    luthier_list = (luthier_registered *)realloc(luthier_list, (luthier_listed + 1) * sizeof(luthier_registered));    \
    luthier_list[luthier_listed++] = {kind, 0, host, name, initial, size};                                            \
  }                                                                                                                   \
  static int luthier_status(int failed) { return failed ? 999 : 0; }                                                  \
  extern "C" {                                                                                                        \
  /* Events come until the very end, when the tool's objects must still be there, static ones and those of threads. */ \
  int luthier_at_exit(void (*)(void *), void *, void *) LUTHIER_INSTEAD_OF("__cxa_atexit");                           \
  int luthier_at_exit(void (*)(void *), void *, void *) { return 0; }                                                 \
  int luthier_at_thread_exit(void (*)(void *), void *, void *) LUTHIER_INSTEAD_OF("__cxa_thread_atexit");             \
  int luthier_at_thread_exit(void (*)(void *), void *, void *) { return 0; }                                          \
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
  static const char *luthier_guarded(luthier_callback *callback, void (*act)(void *), void *data) {                   \
    static thread_local std::string reason;                                                                           \
    if (luthier_has_failed(*callback))                                                                                \
      return nullptr;                                                                                                 \
    try {                                                                                                             \
      act(data);                                                                                                      \
      return nullptr;                                                                                                 \
    } catch (...) {                                                                                                   \
      reason = luthier_failed(*callback);                                                                             \
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
    if (!luthier_hears())                                                                                             \
      return "the tool defines none of luthier_at_init, luthier_at_term, luthier_at_kernel and luthier_at_hsa_event"; \
    luthier_callback callback = {"luthier_at_init", true, false};                                                     \
    return luthier_guarded(&callback, [](void *) { luthier_must_wrap(); if (luthier_at_init) luthier_at_init(); }, nullptr); \
  }                                                                                                                   \
  static const char *luthier_launch(hsa_kernel_dispatch_packet_t *packet, const char *name) {                         \
    luthier_launching launching = {{}, {"luthier_at_kernel", true, false}};                                           \
    launching.args.skip = false;                                                                                      \
    launching.args.hsa_evt_kernel_launch = {packet, name};                                                            \
    return luthier_guarded(                                                                                           \
        &launching.callback, [](void *data) { luthier_launched(*(luthier_launching *)data); }, &launching);           \
  }                                                                                                                   \
  static const char *luthier_end() {                                                                                  \
    luthier_callback callback = {"luthier_at_term", true, false};                                                     \
    const char *reason =                                                                                              \
        luthier_guarded(&callback, [](void *) { if (luthier_at_term) luthier_at_term(); fflush(stdout); }, nullptr);  \
    __atomic_store_n(&luthier_has_ended, true, __ATOMIC_RELAXED);                                                     \
    return reason;                                                                                                    \
  }                                                                                                                   \
  static int luthier_records(const char *stream, const void *records, size_t bytes) {                                 \
    if (!luthier_at_records || luthier_has_failed(luthier_of_records))                                                \
      return 0;                                                                                                       \
    try {                                                                                                             \
      return luthier_at_records(stream, records, bytes);                                                              \
    } catch (...) {                                                                                                   \
      /* It may have used these records already. */                                                                   \
      luthier_complain(luthier_of_records);                                                                           \
      return 1;                                                                                                       \
    }                                                                                                                 \
  }                                                                                                                   \
  static const char *luthier_ended(luthier_u64 launch, luthier_u64 start, luthier_u64 end) {                          \
    luthier_u64 told[3] = {launch, start, end};                                                                       \
    return luthier_guarded(                                                                                           \
        &luthier_of_launch_ends,                                                                                      \
        [](void *data) {                                                                                              \
          const luthier_u64 *told = (const luthier_u64 *)data;                                                        \
          if (luthier_at_launch_end)                                                                                  \
            luthier_at_launch_end(told[0], told[1], told[2]);                                                         \
        },                                                                                                            \
        told);                                                                                                        \
  }                                                                                                                   \
  static void luthier_wrap() { luthier_begin_wraps(); }                                                               \
  static const char *luthier_packets(luthier_packet *packets, size_t count, luthier_u64 queue, luthier_u32 device) {  \
    luthier_shown told = {packets, count, queue, device};                                                             \
    return luthier_guarded(                                                                                           \
        &luthier_of_packets,                                                                                          \
        [](void *data) {                                                                                              \
          const luthier_shown *told = (const luthier_shown *)data;                                                    \
          if (luthier_at_packets)                                                                                     \
            luthier_at_packets(told->packets, told->count, told->queue, told->device);                                \
        },                                                                                                            \
        &told);                                                                                                       \
  }                                                                                                                   \
  static const char *luthier_copied(const luthier_raw_copy *copy) {                                                   \
    return luthier_guarded(                                                                                           \
        &luthier_of_copies,                                                                                           \
        [](void *data) {                                                                                              \
          if (luthier_at_copy)                                                                                        \
            luthier_at_copy(*(const luthier_raw_copy *)data);                                                         \
        },                                                                                                            \
        (void *)copy);                                                                                                \
  }                                                                                                                   \
  static const char *luthier_memory(const luthier_raw_allocation *allocation) {                                       \
    return luthier_guarded(                                                                                           \
        &luthier_of_memory,                                                                                           \
        [](void *data) {                                                                                              \
          if (luthier_at_memory)                                                                                      \
            luthier_at_memory(luthier_allocation_of(*(const luthier_raw_allocation *)data));                          \
        },                                                                                                            \
        (void *)allocation);                                                                                          \
  }                                                                                                                   \
  extern "C" __attribute__((used, visibility("default"))) const luthier_tool_entries luthier_tool = {                 \
      sizeof(luthier_tool_entries),                                                                                   \
      LUTHIER_API_VERSION,                                                                                            \
      (luthier_u32)((luthier_at_records ? LUTHIER_WANTS_RECORDS : 0) | (luthier_at_launch_end ? LUTHIER_WANTS_ENDS : 0) | \
                    (luthier_at_packets ? LUTHIER_WANTS_PACKETS : 0) | (luthier_at_copy ? LUTHIER_WANTS_COPIES : 0) |  \
                    (luthier_at_memory ? LUTHIER_WANTS_MEMORY : 0)),                                                  \
      luthier_registered_list,                                                                                        \
      luthier_begin,                                                                                                  \
      luthier_launch,                                                                                                 \
      luthier_end,                                                                                                    \
      luthier_records,                                                                                                \
      luthier_ended,                                                                                                  \
      luthier_wrap,                                                                                                   \
      luthier_packets,                                                                                                \
      luthier_copied,                                                                                                 \
      luthier_memory};
// Symbols that compilers leave undefined. HIP defines them, but it is not linked.
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
