// Device and host memory that was allocated from HSA's pools and not given back, and the most at any time.
//
//   hipcc -I"$(luthier tool include)" --offload-arch=gfx90a -fPIC -shared -Xclang -fembed-bitcode=all allocation_tracker.hip -o allocation_tracker.so
//   luthier run -t ./allocation_tracker.so -- ./app
#include <luthier.h>

#include <map>
#include <mutex>

MARK_LUTHIER_DEVICE_MODULE

static std::mutex mutex;
static std::map<void *, size_t> sizes;
static size_t now = 0, most = 0, all = 0;

void luthier_at_init() {
  luthier_subscribe_hsa(HSA_API_ID_hsa_amd_memory_pool_allocate);
  luthier_subscribe_hsa(HSA_API_ID_hsa_amd_memory_pool_free);
}

void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t phase, hsa_api_id_t id) {
  std::lock_guard<std::mutex> lock(mutex);
  if (id == HSA_API_ID_hsa_amd_memory_pool_allocate && phase == LUTHIER_API_PHASE_EXIT) {
    auto &call = args->hsa_amd_memory_pool_allocate;
    if (call.returned != HSA_STATUS_SUCCESS)
      return;
    sizes[*call.ptr] = call.size;
    now += call.size;
    most = now > most ? now : most;
    ++all;
  } else if (id == HSA_API_ID_hsa_amd_memory_pool_free && phase == LUTHIER_API_PHASE_ENTER) {
    auto known = sizes.find(args->hsa_amd_memory_pool_free.ptr);
    if (known == sizes.end())
      return;
    now -= known->second;
    sizes.erase(known);
  }
}

void luthier_at_term() {
  fprintf(stderr, "allocation_tracker: %zu allocations, %zu bytes at most, %zu bytes in %zu not freed\n", all, most, now, sizes.size());
}
