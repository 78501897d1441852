// Uses the queue for cooperative launches twice, with two users each time, and leaves without shutting HSA down.
#include <hsa/hsa.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static hsa_status_t pick(hsa_agent_t agent, void *data) {
  hsa_device_type_t type;
  if (hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type) == HSA_STATUS_SUCCESS && type == HSA_DEVICE_TYPE_GPU)
    *(hsa_agent_t *)data = agent;
  return HSA_STATUS_SUCCESS;
}

int main(void) {
  hsa_agent_t gpu = {0};
  if (hsa_init() != HSA_STATUS_SUCCESS || hsa_iterate_agents(pick, &gpu) != HSA_STATUS_SUCCESS)
    return 1;
  for (int round = 0; round < 2; round++) {
    hsa_queue_t *queues[2];
    for (int user = 0; user < 2; user++)
      if (hsa_queue_create(gpu, 256, HSA_QUEUE_TYPE_COOPERATIVE, NULL, NULL, UINT32_MAX, UINT32_MAX, &queues[user]) != HSA_STATUS_SUCCESS)
        return 2;
    if (queues[0] != queues[1])
      return 3;
    fprintf(stderr, "one destroys it\n");
    if (hsa_queue_destroy(queues[0]) != HSA_STATUS_SUCCESS)
      return 4;
    fprintf(stderr, "the other destroys it\n");
    if (hsa_queue_destroy(queues[1]) != HSA_STATUS_SUCCESS)
      return 5;
  }
  fprintf(stderr, "done\n");
  _exit(0);
}
