// An HSA program without HIP: many dependent dispatches through a queue of 64 packets, of a kernel in the code object that
// is named on the command line.
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                          \
  do {                                                                       \
    hsa_status_t status_ = call;                                             \
    if (status_ != HSA_STATUS_SUCCESS && status_ != HSA_STATUS_INFO_BREAK) { \
      printf("%s: status %x\n", #call, status_);                             \
      exit(99);                                                              \
    }                                                                        \
  } while (0)

enum { LAUNCHES = 2000, ARGUMENTS = 128 };

static hsa_agent_t gpu, cpu;
static hsa_amd_memory_pool_t pool;

static hsa_status_t agent(hsa_agent_t found, void *data) {
  hsa_device_type_t type;
  CHECK(hsa_agent_get_info(found, HSA_AGENT_INFO_DEVICE, &type));
  *(type == HSA_DEVICE_TYPE_GPU ? &gpu : &cpu) = found;
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t memory(hsa_amd_memory_pool_t found, void *data) {
  uint32_t flags;
  CHECK(hsa_amd_memory_pool_get_info(found, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
  if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT) {
    pool = found;
    return HSA_STATUS_INFO_BREAK;
  }
  return HSA_STATUS_SUCCESS;
}

static void *allocate(size_t size) {
  void *address;
  CHECK(hsa_amd_memory_pool_allocate(pool, size, 0, &address));
  CHECK(hsa_amd_agents_allow_access(1, &gpu, NULL, address));
  return memset(address, 0, size);
}

int main(int count, char **words) {
  CHECK(hsa_init());
  CHECK(hsa_iterate_agents(agent, NULL));
  CHECK(hsa_amd_agent_iterate_memory_pools(cpu, memory, NULL));
  FILE *file = fopen(words[1], "rb");
  hsa_code_object_reader_t reader;
  CHECK(hsa_code_object_reader_create_from_file(fileno(file), &reader));
  hsa_executable_t executable;
  CHECK(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL, &executable));
  CHECK(hsa_executable_load_agent_code_object(executable, gpu, reader, NULL, NULL));
  CHECK(hsa_executable_freeze(executable, NULL));
  hsa_executable_symbol_t symbol;
  CHECK(hsa_executable_get_symbol_by_name(executable, "ordered.kd", &gpu, &symbol));
  uint64_t kernel;
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &kernel));

  hsa_queue_t *queue;
  CHECK(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_SINGLE, NULL, NULL, 0, 0, &queue));
  uint32_t *state = allocate(4096);
  uint8_t *arguments = allocate(LAUNCHES * ARGUMENTS);
  hsa_signal_t done;
  CHECK(hsa_signal_create(1, 0, NULL, &done));
  for (uint32_t number = 0; number < LAUNCHES; number++) {
    uint8_t *kernarg = arguments + number * ARGUMENTS;
    memcpy(kernarg, &state, 8);
    memcpy(kernarg + 8, &number, 4);
    uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
    while (index - hsa_queue_load_read_index_scacquire(queue) >= queue->size)
      ;
    hsa_kernel_dispatch_packet_t *packet = (hsa_kernel_dispatch_packet_t *)queue->base_address + index % queue->size;
    memset((char *)packet + 4, 0, sizeof *packet - 4);
    packet->workgroup_size_x = packet->workgroup_size_y = packet->workgroup_size_z = 1;
    packet->grid_size_x = packet->grid_size_y = packet->grid_size_z = 1;
    packet->kernel_object = kernel;
    packet->kernarg_address = kernarg;
    if (number == LAUNCHES - 1)
      packet->completion_signal = done;
    uint32_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH | 1 << HSA_PACKET_HEADER_BARRIER |
                      HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                      HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
    __atomic_store_n((uint32_t *)packet, header | 1 << 16, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(queue->doorbell_signal, index);
  }
  hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
  printf("%u launches, %u out of order\n", state[0], state[1]);
  CHECK(hsa_queue_destroy(queue));
  CHECK(hsa_executable_destroy(executable));
  CHECK(hsa_code_object_reader_destroy(reader));
  CHECK(hsa_shut_down());
  return 0;
}
