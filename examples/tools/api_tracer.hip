// How often the application and its runtime called which function of HSA and of HIP, and how long the calls took.
//
//   hipcc -I"$(luthier tool include)" --offload-arch=gfx90a -fPIC -shared -Xclang -fembed-bitcode=all api_tracer.hip -o api_tracer.so
//   luthier run -t ./api_tracer.so -- ./app
#include <luthier.h>
#include <hip/amd_detail/hip_prof_str.h>

#include <chrono>
#include <map>
#include <mutex>

MARK_LUTHIER_DEVICE_MODULE

using Clock = std::chrono::steady_clock;
struct calls {
  unsigned long number = 0;
  Clock::duration time{};
};
static std::mutex mutex;
static std::map<std::string, calls> functions;
// HIP calls HSA meanwhile.
static thread_local std::vector<Clock::time_point> began;

static void hear(luthier_api_phase_t phase, const char *name) {
  if (phase == LUTHIER_API_PHASE_ENTER)
    return began.push_back(Clock::now());
  if (began.empty())
    return;
  std::lock_guard<std::mutex> lock(mutex);
  ++functions[name].number;
  functions[name].time += Clock::now() - began.back();
  began.pop_back();
}

void luthier_at_init() {
  unsigned of_hip = 0, of_hsa = luthier_subscribe_all_hsa();
  for (int id = HIP_API_ID_FIRST; id <= HIP_API_ID_LAST; ++id)
    of_hip += luthier_subscribe_hip(id);
  fprintf(stderr, "api_tracer: listening to %u functions of HSA and %u of HIP\n", of_hsa, of_hip);
}

void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t phase, hsa_api_id_t id) {
  if (id != HSA_EVT_ID_KERNEL_LAUNCH)
    hear(phase, luthier_hsa_name(id));
}

void atHipEvt(void *args, luthier_api_phase_t phase, int id) { hear(phase, luthier_hip_name(id)); }

void luthier_at_term() {
  for (const auto &function : functions)
    fprintf(stderr, "api_tracer: %8lu calls %10.3f ms  %s\n", function.second.number,
            std::chrono::duration<double, std::milli>(function.second.time).count(), function.first.c_str());
}
