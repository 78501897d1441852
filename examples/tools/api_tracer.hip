// How often the application and its runtime called which function of HSA, and how long the calls took.
//
//   hipcc -fPIC -shared -Xclang -fembed-bitcode=all api_tracer.hip -o api_tracer.so
//   luthier run -t ./api_tracer.so -- ./app
#include <luthier.h>

#include <atomic>
#include <chrono>

MARK_LUTHIER_DEVICE_MODULE

using Clock = std::chrono::steady_clock;
static std::atomic<unsigned long> calls[HSA_API_ID_END], nanoseconds[HSA_API_ID_END];
static thread_local Clock::time_point began;

void luthier_at_init() { fprintf(stderr, "api_tracer: listening to %u functions\n", luthier_subscribe_all_hsa()); }

void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t phase, hsa_api_id_t id) {
  if (phase == LUTHIER_API_PHASE_ENTER) {
    began = Clock::now();
    return;
  }
  ++calls[id];
  nanoseconds[id] += std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - began).count();
}

void luthier_at_term() {
  for (int id = HSA_EVT_ID_KERNEL_LAUNCH + 1; id < HSA_API_ID_END; ++id)
    if (calls[id] != 0)
      fprintf(stderr, "api_tracer: %8lu calls %10.3f ms  %s\n", calls[id].load(), nanoseconds[id] * 1e-6,
              luthier_hsa_name((hsa_api_id_t)id));
}
