// HSA that is started and shut down several times in one process: `sessions OBJECT LAUNCHES...` launches `bump` of the code object so
// often in one session after the other; behind `exec` the program starts itself anew, in the same process.
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(call)                                                          \
  do {                                                                       \
    hsa_status_t status_ = call;                                             \
    if (status_ != HSA_STATUS_SUCCESS && status_ != HSA_STATUS_INFO_BREAK) { \
      printf("%s: status %x\n", #call, status_);                             \
      exit(99);                                                              \
    }                                                                        \
  } while (0)

enum { LANES = 64, ARGUMENTS = 256 };

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

static void session(const char *object, int launches) {
  CHECK(hsa_init());
  CHECK(hsa_iterate_agents(agent, NULL));
  CHECK(hsa_amd_agent_iterate_memory_pools(cpu, memory, NULL));
  FILE *file = fopen(object, "rb");
  hsa_code_object_reader_t reader;
  CHECK(hsa_code_object_reader_create_from_file(fileno(file), &reader));
  hsa_executable_t executable;
  CHECK(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL, &executable));
  CHECK(hsa_executable_load_agent_code_object(executable, gpu, reader, NULL, NULL));
  CHECK(hsa_executable_freeze(executable, NULL));
  hsa_executable_symbol_t symbol;
  CHECK(hsa_executable_get_symbol_by_name(executable, "bump.kd", &gpu, &symbol));
  uint64_t kernel;
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &kernel));
  hsa_queue_t *queue;
  CHECK(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_SINGLE, NULL, NULL, 0, 0, &queue));
  uint32_t *counts = allocate(LANES * sizeof *counts);
  uint8_t *arguments = allocate(ARGUMENTS);
  memcpy(arguments, &counts, 8);
  hsa_signal_t done;
  CHECK(hsa_signal_create(1, 0, NULL, &done));
  for (int number = 0; number < launches; number++) {
    hsa_signal_store_screlease(done, 1);
    uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
    hsa_kernel_dispatch_packet_t *packet = (hsa_kernel_dispatch_packet_t *)queue->base_address + index % queue->size;
    memset((char *)packet + 4, 0, sizeof *packet - 4);
    packet->workgroup_size_x = packet->grid_size_x = LANES;
    packet->workgroup_size_y = packet->workgroup_size_z = 1;
    packet->grid_size_y = packet->grid_size_z = 1;
    packet->kernel_object = kernel;
    packet->kernarg_address = arguments;
    packet->completion_signal = done;
    uint32_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH | 1 << HSA_PACKET_HEADER_BARRIER |
                      HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                      HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
    __atomic_store_n((uint32_t *)packet, header | 1 << 16, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(queue->doorbell_signal, index);
    hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
  }
  int right = 0;
  for (int lane = 0; lane < LANES; lane++)
    right += counts[lane] == (uint32_t)launches;
  printf("%d launches, %d of %d lanes right\n", launches, right, LANES);
  fflush(stdout);
  CHECK(hsa_signal_destroy(done));
  CHECK(hsa_queue_destroy(queue));
  CHECK(hsa_executable_destroy(executable));
  CHECK(hsa_code_object_reader_destroy(reader));
  fclose(file);
  CHECK(hsa_shut_down());
}

int main(int count, char **words) {
  for (int word = 2; word < count; word++) {
    if (strcmp(words[word], "exec")) {
      session(words[1], atoi(words[word]));
      continue;
    }
    words[word] = words[1];
    words[word - 1] = words[0];
    return execv("/proc/self/exe", words + word - 1);
  }
  return 0;
}
