// C interface to LLVM 22's AMDGPU code generator: hook bitcode in, relocatable object out.
//
// Handles are opaque and owned by the caller. Nothing here throws, exits or writes to stderr: failures are reported through
// the diagnostic callback. A handle is used by one thread at a time; different handles are independent.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LUTHIER_CODEGEN_API __attribute__((visibility("default")))

typedef struct luthier_codegen_module luthier_codegen_module;
typedef struct luthier_codegen_job luthier_codegen_job;

// `file` and `line` are 0/empty when unknown.
typedef void (*luthier_codegen_diagnostic)(void *user, uint32_t severity, const char *file, size_t file_length, uint32_t line,
                                           const char *text, size_t text_length);
typedef void (*luthier_codegen_text)(void *user, const char *text, size_t length);

enum { LUTHIER_CODEGEN_ERROR = 0, LUTHIER_CODEGEN_WARNING = 1, LUTHIER_CODEGEN_NOTE = 2 };

// Register files.
enum { LUTHIER_CODEGEN_SCALAR = 0, LUTHIER_CODEGEN_VECTOR = 1, LUTHIER_CODEGEN_ACCUMULATION = 2 };

// The source of a hook parameter's value.
enum {
  LUTHIER_CODEGEN_CONSTANT = 0,   // `value`, its low bits.
  LUTHIER_CODEGEN_INPUT = 1,      // By value, from registers of `file`.
  LUTHIER_CODEGEN_REFERENCE = 2,  // The hook takes a pointer to `dwords` registers of `file`, which it may change.
  LUTHIER_CODEGEN_LITERAL = 3,    // 64 bits that are one number in all executions of a place; code has them as literals.
};

typedef struct {
  const char *name; // "parameter:0", "vgpr:5", "effective_address"; owned by the job.
  size_t name_length;
  uint32_t file;
  uint32_t dwords;
  uint32_t first;  // Register index.
  uint32_t read;   // Nonzero when the application's value is wanted.
  uint32_t written;
} luthier_codegen_binding;

typedef struct {
  const char *name;
  size_t name_length;
  uint64_t size;
  uint64_t alignment;
  const uint8_t *initial; // Null when all zero.
  uint32_t defined;       // 0 for a declaration.
  uint32_t reserved;
} luthier_codegen_global;

// An LDS variable of the hook; its address is the binding "lds:NAME".
typedef struct {
  const char *name;
  size_t name_length;
  uint64_t size;
  uint64_t alignment;
} luthier_codegen_shared;

// Parses one LLVM bitcode or assembly file. Returns null after a diagnostic.
LUTHIER_CODEGEN_API luthier_codegen_module *luthier_codegen_load(const uint8_t *bytes, size_t length, luthier_codegen_diagnostic sink,
                                                                 void *user);
LUTHIER_CODEGEN_API void luthier_codegen_module_destroy(luthier_codegen_module *module);
// Links so many bitcode files of one tool and calls `out` once with the bytes of the whole. Returns 0 after a diagnostic.
LUTHIER_CODEGEN_API int luthier_codegen_link(const uint8_t *const *units, const size_t *lengths, size_t count, luthier_codegen_text out,
                                             void *out_user, luthier_codegen_diagnostic sink, void *user);
// Calls `sink` with the name of every function that is defined and no kernel.
LUTHIER_CODEGEN_API void luthier_codegen_functions(const luthier_codegen_module *module, luthier_codegen_text sink, void *user);
// Calls `sink` with "RING BYTES" for every call of luthier::emit or luthier::emit_wave whose ring is a variable: how long its records are.
LUTHIER_CODEGEN_API void luthier_codegen_records(const luthier_codegen_module *module, luthier_codegen_text sink, void *user);
LUTHIER_CODEGEN_API uint32_t luthier_codegen_global_count(const luthier_codegen_module *module);
LUTHIER_CODEGEN_API int luthier_codegen_global_at(const luthier_codegen_module *module, uint32_t index, luthier_codegen_global *out);

LUTHIER_CODEGEN_API luthier_codegen_job *luthier_codegen_job_create(const char *cpu, size_t cpu_length, const char *features,
                                                                    size_t features_length);
LUTHIER_CODEGEN_API void luthier_codegen_job_destroy(luthier_codegen_job *job);
LUTHIER_CODEGEN_API void luthier_codegen_job_parameter(luthier_codegen_job *job, uint32_t kind, uint32_t file, uint32_t dwords,
                                                       uint64_t value);
// Further attributes of the compiled function (denormal modes, register limits).
LUTHIER_CODEGEN_API void luthier_codegen_job_attribute(luthier_codegen_job *job, const char *key, size_t key_length, const char *value,
                                                       size_t value_length);
// A register whose value must survive.
LUTHIER_CODEGEN_API void luthier_codegen_job_pin(luthier_codegen_job *job, uint32_t file, uint32_t index);
// The registers of a binding, by its name; without this call bindings get the lowest free registers.
LUTHIER_CODEGEN_API void luthier_codegen_job_place(luthier_codegen_job *job, const char *name, size_t name_length, uint32_t first);
// `copy`: hold pinned registers in virtual ones, so that they may be moved and spilled.
// `move_inputs`: inputs of one or two dwords are moved to other registers first, which no tuple can have in common with them.
// `spill`: vector values that are kept for long wait in the memory of the hook's variables.
// `padding`: reserve registers after the bindings up to a multiple of this (a power of two).
LUTHIER_CODEGEN_API void luthier_codegen_job_options(luthier_codegen_job *job, int pin_scc, int pin_vcc, int copy, uint32_t padding,
                                                     int assume_tracked_sgprs, int move_inputs, int spill);

// Compiles `hook` (a symbol, or the unique function of that name when demangled). Returns 0 after a diagnostic.
LUTHIER_CODEGEN_API int luthier_codegen_compile(luthier_codegen_module *module, luthier_codegen_job *job, const char *hook,
                                                size_t hook_length, luthier_codegen_diagnostic sink, void *user);
// Results of the last successful compilation; valid until the next one.
LUTHIER_CODEGEN_API const uint8_t *luthier_codegen_object(const luthier_codegen_job *job, size_t *length);
LUTHIER_CODEGEN_API uint32_t luthier_codegen_binding_count(const luthier_codegen_job *job);
LUTHIER_CODEGEN_API int luthier_codegen_binding_at(const luthier_codegen_job *job, uint32_t index, luthier_codegen_binding *out);
// Bytes per lane of the frame at the address in the binding "stack", lane after lane; 0: there is none.
LUTHIER_CODEGEN_API uint64_t luthier_codegen_stack(const luthier_codegen_job *job);
// The source file in which the hook begins, and the line; 0 without debug information. Known as soon as there is such a hook.
LUTHIER_CODEGEN_API const char *luthier_codegen_source(const luthier_codegen_job *job, size_t *length, uint32_t *line);
LUTHIER_CODEGEN_API uint32_t luthier_codegen_shared_count(const luthier_codegen_job *job);
LUTHIER_CODEGEN_API int luthier_codegen_shared_at(const luthier_codegen_job *job, uint32_t index, luthier_codegen_shared *out);

// Constant tables of the hook, which are variables of the tool.
LUTHIER_CODEGEN_API uint32_t luthier_codegen_constant_count(const luthier_codegen_job *job);
LUTHIER_CODEGEN_API int luthier_codegen_constant_at(const luthier_codegen_job *job, uint32_t index, luthier_codegen_global *out);

#ifdef __cplusplus
}
#endif
