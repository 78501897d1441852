// Starts and shuts down HSA twice, without any kernel.
#include <hsa/hsa.h>
#include <stdio.h>

int main(void) {
  for (int round = 0; round < 2; round++) {
    if (hsa_init() != HSA_STATUS_SUCCESS || hsa_shut_down() != HSA_STATUS_SUCCESS)
      return 1;
    printf("round %d\n", round);
  }
  return 0;
}
