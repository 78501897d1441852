// Leaves out the application's hipMemcpy calls of one size, which it takes for done.
//
//   hipcc -I"$(luthier tool include)" --offload-arch=gfx90a -fPIC -shared -Xclang -fembed-bitcode=all memcpy_skipper.hip -o memcpy_skipper.so
//   luthier run -t ./memcpy_skipper.so:size=1024 -- ./app
#include <luthier.h>

MARK_LUTHIER_DEVICE_MODULE
LUTHIER_TOOL(R"(
about = "leaves out hipMemcpy of one size"
parameter = [{ name = "size", type = "u64", default = 0, help = "bytes of the copies that are left out" }]
)")

static size_t size_left_out;
static unsigned long left_out, all;

LUTHIER_WRAP_HIP(hipError_t, hipMemcpy, void *to, const void *from, size_t size, hipMemcpyKind kind) {
  ++all;
  if (size != size_left_out)
    return original(to, from, size, kind);
  ++left_out;
  return hipSuccess;
}

void luthier_at_init() { size_left_out = luthier_option_number("size"); }

void luthier_at_term() { luthier_report("left out " + std::to_string(left_out) + " of " + std::to_string(all) + " copies"); }
