// Which host thread launched kernels and copied memory, and how much and how long the runtime copied.
//
//   hipcc -I"$(luthier tool include)" --offload-arch=gfx90a -fPIC -shared -Xclang -fembed-bitcode=all who_copies.hip -o who_copies.so
//   luthier run -t ./who_copies.so -- ./app
#include <luthier.h>

#include <map>

MARK_LUTHIER_DEVICE_MODULE

struct work {
  unsigned long launches = 0, copies = 0, bytes = 0, nanoseconds = 0;
};
static std::mutex mutex;
static std::map<std::string, work> threads;

static work &of(luthier_u32 thread, const char *name) {
  return threads[thread ? name + (" (" + std::to_string(thread)) + ")" : "a thread that nobody knows"];
}

void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t id) {
  if (id != HSA_EVT_ID_KERNEL_LAUNCH)
    return;
  luthier_raw_launch launch = luthier_launch_of(args->hsa_evt_kernel_launch.dispatch_packet);
  std::lock_guard<std::mutex> lock(mutex);
  ++of(launch.thread, launch.thread_name).launches;
}

void luthier_at_copy(const luthier_raw_copy &copy) {
  std::lock_guard<std::mutex> lock(mutex);
  work &sum = of(copy.thread, copy.thread_name);
  ++sum.copies;
  sum.bytes += copy.bytes;
  sum.nanoseconds += copy.end - copy.start;
}

void luthier_at_term() {
  for (const auto &thread : threads) {
    const work &sum = thread.second;
    luthier_report(thread.first + ": " + std::to_string(sum.launches) + " launches, " + std::to_string(sum.copies) + " copies of " +
                   std::to_string(sum.bytes) + " bytes in " + std::to_string(sum.nanoseconds) + " ns");
  }
}
