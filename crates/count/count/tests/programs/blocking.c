// Waits in a call that does not count.
#include <luthier/count.h>
#include <unistd.h>
int main(void) {
  luthier_count_watchdog(5000);
  luthier_count_watchdog(100);
  for (;;)
    pause();
}
