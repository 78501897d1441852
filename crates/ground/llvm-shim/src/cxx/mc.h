// C interface between Rust and LLVM's machine-code layer.
//
// Rules: one prefix, opaque handles, plain structs owned by the caller, text and bytes delivered through callbacks, own
// enumerator values (never LLVM's). Every function is reentrant; one handle must not be used by two threads at once.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct luthier_mc luthier_mc;

// Receives `length` bytes; they are only valid during the call.
typedef void (*luthier_mc_sink)(void *user, const char *bytes, size_t length);

// One diagnostic of the assembler. `line` and `column` count from 1; 0 means unknown.
typedef void (*luthier_mc_diagnostic)(void *user, uint32_t severity, uint32_t line, uint32_t column, const char *message, size_t length);

enum { LUTHIER_MC_SEVERITY_ERROR = 0, LUTHIER_MC_SEVERITY_WARNING = 1, LUTHIER_MC_SEVERITY_NOTE = 2 };

enum {
  LUTHIER_MC_OPERAND_REGISTER = 0,
  LUTHIER_MC_OPERAND_IMMEDIATE = 1,
  // An expression whose value is in `value` (LLVM wraps some literals so that they keep their size).
  LUTHIER_MC_OPERAND_LITERAL = 2,
  // Anything else; `value` is meaningless.
  LUTHIER_MC_OPERAND_OPAQUE = 3,
};

enum { LUTHIER_MC_MAX_OPERANDS = 48 };

// Decoding looks at so many bytes: the longest instruction (20) and room for a literal that should not be there (8).
// Callers pad shorter input; LLVM 22 crashes when a literal is announced and cut off.
enum { LUTHIER_MC_WINDOW = 28 };

typedef struct {
  int64_t value; // Immediate, or LLVM register number.
  uint32_t kind;
  uint32_t reserved;
} luthier_mc_operand;

typedef struct {
  uint32_t opcode;
  uint32_t size; // Bytes consumed.
  uint32_t operand_count;
  uint32_t reserved;
  luthier_mc_operand operands[LUTHIER_MC_MAX_OPERANDS];
} luthier_mc_inst;

// Bits of luthier_mc_opcode_info.flags.
// clang-format off
#define LUTHIER_MC_FLAGS(X)                                                                                            \
  X(SALU, 0) X(VALU, 1) X(SOP1, 2) X(SOP2, 3) X(SOPC, 4) X(SOPK, 5) X(SOPP, 6) X(VOP1, 7) X(VOP2, 8) X(VOPC, 9)        \
  X(VOP3, 10) X(VOP3P, 11) X(SDWA, 12) X(DPP, 13) X(TRANS, 14) X(MUBUF, 15) X(MTBUF, 16) X(SMRD, 17) X(MIMG, 18)       \
  X(VIMAGE, 19) X(VSAMPLE, 20) X(EXP, 21) X(FLAT, 22) X(DS, 23) X(COUNTS_VM, 24) X(COUNTS_EXP, 25)                     \
  X(COUNTS_LGKM, 26) X(FLAT_GLOBAL, 27) X(MAI, 28) X(DOT, 29) X(FLAT_SCRATCH, 30) X(ATOMIC_NORET, 31)                  \
  X(ATOMIC_RET, 32) X(WMMA, 33) X(TIED_NOT_READ, 34) X(GWS, 35) X(MAY_LOAD, 40) X(MAY_STORE, 41) X(BRANCH, 42)         \
  X(INDIRECT_BRANCH, 43) X(CALL, 44) X(RETURN, 45) X(BARRIER, 46) X(TERMINATOR, 47) X(CONVERGENT, 48)
// clang-format on

typedef struct {
  const char *name; // LLVM's opcode name; static storage.
  size_t name_length;
  uint64_t flags;
  uint32_t definitions;
  uint32_t operands;
  uint32_t implicit_definitions;
  uint32_t implicit_uses;
  uint32_t encoding_size; // Bytes by the instruction description, 0 if variable.
  uint32_t reserved;
} luthier_mc_opcode_info;

typedef struct {
  const char *name; // Static storage.
  size_t name_length;
  uint32_t encoding; // Operand encoding without file and half bits.
  uint32_t units;    // Register units: two per 32 bits, one for a 16-bit half.
} luthier_mc_register_info;

// Makes a machine-code context for `cpu`; null on failure, after reporting one message to `error`.
luthier_mc *luthier_mc_create(const char *cpu, size_t cpu_length, const char *features, size_t features_length, luthier_mc_sink error,
                              void *user);
void luthier_mc_destroy(luthier_mc *mc);

/* How often LLVM's objects for a processor were made. Those without an owner are kept for the next one. */
uint64_t luthier_mc_made(void);
uint32_t luthier_mc_opcode_count(const luthier_mc *mc);
uint32_t luthier_mc_register_count(const luthier_mc *mc);
// These return 0 when the number is out of range.
int luthier_mc_opcode(const luthier_mc *mc, uint32_t opcode, luthier_mc_opcode_info *out);
int luthier_mc_register(const luthier_mc *mc, uint32_t reg, luthier_mc_register_info *out);
// LLVM number of the `index`-th implicit definition or use; 0 when out of range.
uint32_t luthier_mc_implicit(const luthier_mc *mc, uint32_t opcode, int definitions, uint32_t index);
// Returns 1 if the description marks operand `index` as a PC-relative displacement in dwords.
int luthier_mc_operand_is_pc_relative(const luthier_mc *mc, uint32_t opcode, uint32_t index);
// Returns 1 if operand `index` holds the modifiers (negation, absolute value, ...) of the source that follows it.
int luthier_mc_operand_is_modifier(const luthier_mc *mc, uint32_t opcode, uint32_t index);
// Index of the operand that must equal operand `index`, or -1.
int luthier_mc_operand_tied_to(const luthier_mc *mc, uint32_t opcode, uint32_t index);

// Decodes one instruction; returns 0 when the bytes are none.
int luthier_mc_decode(luthier_mc *mc, const uint8_t *bytes, size_t length, uint64_t pc, luthier_mc_inst *out);
// Decodes and prints one instruction; returns 0 when the bytes are none.
int luthier_mc_print(luthier_mc *mc, const uint8_t *bytes, size_t length, uint64_t pc, luthier_mc_sink text, void *user);
// Decodes one instruction and encodes it again; returns 0 when it cannot. Some forms crash LLVM: see the callers' list.
int luthier_mc_reencode(luthier_mc *mc, const uint8_t *bytes, size_t length, uint64_t pc, luthier_mc_sink encoding, void *user);
// Assembles `text` to an ELF relocatable object; returns 0 after reporting at least one error.
int luthier_mc_assemble(const char *cpu, size_t cpu_length, const char *features, size_t features_length, const char *text,
                        size_t text_length, luthier_mc_sink object, luthier_mc_diagnostic diagnostic, void *user);

#ifdef __cplusplus
}
#endif
