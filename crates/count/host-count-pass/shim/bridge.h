// The interface between the C++ side (LLVM) and the Rust side (decisions). The Rust half is src/bridge.rs.
//
// C++ describes the module instruction by instruction; Rust prices it, places the increments and answers with sites.
// Ownership: a session belongs to C++ from lc_open to lc_close; pointers handed out live as long as the session.
#ifndef LUTHIER_COUNT_BRIDGE_H
#define LUTHIER_COUNT_BRIDGE_H

#include <cstddef>
#include <cstdint>

// Mirrors host_count::Kind; src/bridge.rs tests that the numbers agree.
enum class Kind : uint8_t {
  Marker,
  Work,
  Terminator,
  StackSlot,
  Cast,
  Address,
  Phi,
  Freeze,
  Aggregate,
  LocalAccess,
  CopyFixed,
  CopySized,
  FillFixed,
  FillSized,
  Call,
  CounterCall,
  CatchSwitch,
  OneAbi,
};

enum class End : uint8_t { Jump, Invoke, Return, Resume, Unreachable };
enum class Tail : uint8_t { No, May, Must };
enum class Granularity : uint8_t { Thread, Function, Line };
enum class Placement : uint8_t { Article, Segment, Tree, Least };
enum class SiteKind : uint8_t { Call, End, Edge, Start };

struct Settings {
  bool countLast;       // at the end of the optimiser instead of the start
  Placement placement;
  Granularity granularity;
  bool budget;
  bool unwind;
  bool replaceLate;
  bool localExec;
  bool unoptimised; // compiled as at -O0, whatever the front end was told
};

struct Increment {
  SiteKind kind;
  uint32_t block;
  uint32_t index; // call or successor
  uint32_t slot;
  int64_t amount; // for a check: what is owed there
};

// A stretch of a function that has been optimised, or a jump in it (host_count::flow::Arc).
struct PlacedArc {
  uint32_t from, to; // vertices; 0: where the counter must be exact
  int64_t cost;
  double frequency;
  bool holdsCode, needsSplit;
  int64_t amount; // what is to be added there: the answer
};

struct Session;
using TextSink = void (*)(void *context, const char *text, size_t length);

constexpr uint32_t NoFunction = UINT32_MAX;
constexpr uint8_t NoShift = UINT8_MAX;

extern "C" {
Session *lc_open(const char *options, size_t length, TextSink error, void *context);
void lc_close(Session *);
void lc_settings(const Session *, Settings *out);
void lc_contract(const Session *, TextSink out, void *context);

uint32_t lc_location(Session *, const char *file, size_t length, uint32_t line);
void lc_function(Session *, const char *name, size_t length, bool onlyCalledHere, bool isLocal);
void lc_exempt(Session *, const char *reason, size_t length);
void lc_block(Session *, double frequency, bool holdsCode);
// The price per bytes as a shift, or NoShift.
uint8_t lc_instruction(Session *, Kind kind, uint64_t bytes, uint32_t location);
void lc_call(Session *, uint32_t function, const char *name, size_t length, bool promised, Tail tail, bool returnsAgain);
void lc_end(Session *, End end);
void lc_successor(Session *, uint32_t block, double frequency, bool holdsCode);

// False if there is no plan; the reason went to the sink.
bool lc_plan(Session *, TextSink error, void *context);
size_t lc_increments(const Session *, uint32_t function, const Increment **out);
size_t lc_checks(const Session *, uint32_t function, const Increment **out);
// Returns true if a call certainly returns, without code reading the counter meanwhile.
bool lc_comes_back(const Session *, uint32_t function, uint32_t block, uint32_t call);
bool lc_charged_by_callers(const Session *, uint32_t function);
// The slot of a function's `index`-th operation priced at run time; only if there are slots.
uint32_t lc_priced_slot(const Session *, uint32_t function, size_t index);
size_t lc_slots(const Session *);
uint64_t lc_slot_unit(const Session *, size_t slot);
void lc_slot_table(const Session *, TextSink out, void *context);
// Places costs on the arcs of a graph with so many vertices. Code on a jump that needs a block of its own costs `split` times what it costs elsewhere.
void lc_place(PlacedArc *arcs, size_t count, size_t vertices, double split);
// Something `luthier count lint` may want to judge.
void lc_fact(Session *, const char *kind, size_t kindLength, const char *function, size_t functionLength, const char *what,
             size_t whatLength, uint32_t location);
// Costs of every block and the facts, as lines of text (src/explain.rs).
void lc_explain(const Session *, TextSink out, void *context);
}

#endif
