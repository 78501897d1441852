// Copies without HIP: signals that are used again, that count two copies, that go at once; twice, with HSA started anew.
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdio.h>
#include <string.h>

#define SIZE 65536
#define CHECK(call)                                \
  do {                                             \
    hsa_status_t status = (call);                  \
    if (status != HSA_STATUS_SUCCESS)              \
      return printf("%s: %x\n", #call, status), 1; \
  } while (0)

static hsa_agent_t host, device;
static hsa_amd_memory_pool_t host_pool, device_pool;

static hsa_status_t first_pool(hsa_amd_memory_pool_t pool, void *data) {
  hsa_amd_segment_t segment;
  bool allocates;
  hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
  hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &allocates);
  if (segment != HSA_AMD_SEGMENT_GLOBAL || !allocates)
    return HSA_STATUS_SUCCESS;
  *(hsa_amd_memory_pool_t *)data = pool;
  return HSA_STATUS_INFO_BREAK;
}

static hsa_status_t sort(hsa_agent_t agent, void *data) {
  hsa_device_type_t type;
  hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
  *(type == HSA_DEVICE_TYPE_GPU ? &device : &host) = agent;
  return HSA_STATUS_SUCCESS;
}

static void await(hsa_signal_t signal) {
  hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
}

static int round_trip(void) {
  char *there, *back, *on_device;
  hsa_signal_t signal;
  hsa_amd_profiling_async_copy_time_t times;
  CHECK(hsa_iterate_agents(sort, NULL));
  hsa_amd_agent_iterate_memory_pools(host, first_pool, &host_pool);
  hsa_amd_agent_iterate_memory_pools(device, first_pool, &device_pool);
  CHECK(hsa_amd_memory_pool_allocate(host_pool, SIZE, 0, (void **)&there));
  CHECK(hsa_amd_memory_pool_allocate(host_pool, SIZE, 0, (void **)&back));
  CHECK(hsa_amd_memory_pool_allocate(device_pool, SIZE, 0, (void **)&on_device));
  CHECK(hsa_amd_agents_allow_access(1, &device, NULL, there));
  CHECK(hsa_amd_agents_allow_access(1, &device, NULL, back));
  memset(there, 7, SIZE);
  memset(back, 0, SIZE);

  // A signal that is gone as soon as its copy has ended.
  CHECK(hsa_signal_create(1, 0, NULL, &signal));
  CHECK(hsa_amd_memory_async_copy(on_device, device, there, host, SIZE, 0, NULL, signal));
  await(signal);
  CHECK(hsa_signal_destroy(signal));

  // Times that the application wants to know, too; then the same signal once more, without.
  CHECK(hsa_amd_profiling_async_copy_enable(true));
  CHECK(hsa_signal_create(1, 0, NULL, &signal));
  CHECK(hsa_amd_memory_async_copy(back, host, on_device, device, SIZE / 4, 0, NULL, signal));
  await(signal);
  CHECK(hsa_amd_profiling_get_async_copy_time(signal, &times));
  CHECK(hsa_amd_profiling_async_copy_enable(false));
  hsa_signal_store_screlease(signal, 1);
  CHECK(hsa_amd_memory_async_copy(back, host, on_device, device, SIZE / 8, 0, NULL, signal));
  await(signal);

  // One that counts two. Both copies wait for the gate, so the first cannot end before the second is enqueued.
  hsa_signal_t gate;
  CHECK(hsa_signal_create(1, 0, NULL, &gate));
  hsa_signal_store_screlease(signal, 2);
  CHECK(hsa_amd_memory_async_copy(on_device, device, there, host, SIZE / 16, 1, &gate, signal));
  CHECK(hsa_amd_memory_async_copy(on_device, device, there, host, SIZE / 16, 1, &gate, signal));
  hsa_signal_store_screlease(gate, 0);
  await(signal);
  CHECK(hsa_signal_destroy(gate));

  // One that is refused: its signal stays.
  hsa_agent_t nobody = {0};
  hsa_signal_store_screlease(signal, 1);
  int refused = hsa_amd_memory_async_copy(on_device, nobody, there, nobody, SIZE, 0, NULL, signal) != HSA_STATUS_SUCCESS;
  long value = hsa_signal_load_scacquire(signal);
  CHECK(hsa_signal_destroy(signal));

  CHECK(hsa_memory_copy(on_device, there, SIZE / 32));
  int right = memcmp(there, back, SIZE / 4) == 0 && back[SIZE / 4] == 0;
  printf("%s %d %ld %lu %lu\n", right ? "right" : "wrong", refused, value, times.start, times.end);
  return 0;
}

int main(void) {
  for (int round = 0; round < 2; round++) {
    CHECK(hsa_init());
    if (round_trip())
      return 1;
    CHECK(hsa_shut_down());
  }
  return 0;
}
