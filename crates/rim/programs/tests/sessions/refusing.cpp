// An HSA tool that makes any ROCr like 7.2: from the last hsa_shut_down on, nothing is copied. With REFUSE_READS nothing is ever copied to
// memory that HSA does not know.
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// Debian's hsa_api_trace.h includes headers that Debian does not ship. The tables only grow at their ends.
struct Core {
  uint32_t version[4];
  decltype(hsa_init) *init;
  decltype(hsa_shut_down) *shut_down;
  void *others[33];
  decltype(hsa_memory_copy) *copy;
};
static_assert(offsetof(Core, copy) == 296, "the entry of hsa_memory_copy");

struct Tables {
  uint32_t version[4];
  Core *core;
};

static Core before;
static bool ends;

static hsa_status_t on_shut_down() {
  ends = true;
  return before.shut_down();
}

static bool is_read(void *to) {
  hsa_amd_pointer_info_t info = {};
  info.size = sizeof info;
  hsa_amd_pointer_info(to, &info, nullptr, nullptr, nullptr);
  return info.type == HSA_EXT_POINTER_TYPE_UNKNOWN;
}

static hsa_status_t on_copy(void *to, const void *from, size_t size) {
  if (ends || (getenv("REFUSE_READS") && is_read(to)))
    return HSA_STATUS_ERROR_NOT_INITIALIZED;
  return before.copy(to, from, size);
}

extern "C" bool OnLoad(Tables *tables, uint64_t, uint64_t, const char *const *) {
  ends = false;
  before = *tables->core;
  tables->core->shut_down = on_shut_down;
  tables->core->copy = on_copy;
  return true;
}

extern "C" void OnUnload() {}
