// Another HSA tool: makes its own intercept queues and counts dispatch packets, as profilers do.
#define AMD_INTERNAL_BUILD
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef hsa_status_t (*create_fn)(hsa_agent_t, uint32_t, hsa_queue_type32_t, void (*)(hsa_status_t, hsa_queue_t *, void *), void *,
                                  uint32_t, uint32_t, hsa_queue_t **);
typedef void (*writer_fn)(const void *, uint64_t);
typedef hsa_status_t (*register_fn)(hsa_queue_t *, void (*)(const void *, uint64_t, uint64_t, void *, writer_fn), void *);

// Offsets in the tables of ROCr 5.2.3.
enum { CORE = 16, AMD = 24, QUEUE_CREATE = 72, INTERCEPT_CREATE = 296, INTERCEPT_REGISTER = 304 };

static create_fn intercept_create;
static register_fn intercept_register;
static long dispatches;

static void seen(const void *packets, uint64_t count, uint64_t index, void *data, writer_fn writer) {
  for (uint64_t i = 0; i < count; i++)
    if (*((const uint8_t *)packets + 64 * i) == HSA_PACKET_TYPE_KERNEL_DISPATCH)
      __atomic_fetch_add(&dispatches, 1, __ATOMIC_RELAXED);
  writer(packets, count);
}

static hsa_status_t create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type, void (*callback)(hsa_status_t, hsa_queue_t *, void *),
                           void *data, uint32_t private_size, uint32_t group_size, hsa_queue_t **queue) {
  hsa_status_t status = intercept_create(agent, size, type, callback, data, private_size, group_size, queue);
  if (status == HSA_STATUS_SUCCESS)
    status = intercept_register(*queue, seen, NULL);
  return status;
}

static void report(void) { fprintf(stderr, "counter: %ld dispatches\n", dispatches); }

#define ENTRY(table, offset) (*(void **)((char *)(table) + (offset)))

int OnLoad(void *tables, uint64_t version, uint64_t failed, const char *const *names) {
  void *core = ENTRY(tables, CORE), *amd = ENTRY(tables, AMD);
  intercept_create = (create_fn)ENTRY(amd, INTERCEPT_CREATE);
  intercept_register = (register_fn)ENTRY(amd, INTERCEPT_REGISTER);
  ENTRY(core, QUEUE_CREATE) = (void *)create;
  atexit(report);
  return 1;
}
