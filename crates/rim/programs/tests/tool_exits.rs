//! Host code of tools that ends the process: the summary says so, at once, and nothing else is blamed.

use crate::stock::Scene;
use programs::Bounded;

/// Calls `exit` or `_exit` in the callback that its parameter names.
const TOOL: &str = r##"
#include <luthier.h>
#include <cstdlib>
MARK_LUTHIER_DEVICE_MODULE
LUTHIER_TOOL(R"(parameter = [{ name = "place", type = "u32", default = 0 }]
hooks = { seen = [] })")
__managed__ luthier_u64 calls;
extern "C" __device__ void seen() { luthier::add(&calls, 1); }
LUTHIER_EXPORT_FUNC(seen)
// Its destructor runs when the process ends.
static struct lasting { volatile bool there = true; ~lasting() { there = false; } } lasting;
static void in(unsigned place) { if (luthier_option_number("place") == place) exit(3); }
void luthier_at_init() { in(1); }
void luthier_at_kernel(luthier_u64 kernel) {
  in(2);
  for (const auto &i : luthier_disassemble_kernel_object(kernel))
    if (i.is(LUTHIER_CLASS_STORE)) luthier_insert_call(i, LUTHIER_GET_HOOK_HANDLE(seen), LUTHIER_IPOINT_BEFORE, {});
}
void luthier_at_hsa_event(hsa_api_args_t *, luthier_api_phase_t, hsa_api_id_t) { in(3); }
void luthier_at_term() {
  in(4);
  luthier_report("calls " + std::to_string(calls) + (lasting.there ? ", variables are there" : ", variables are gone"));
}
"##;

/// It goes on for longer than the process needs to end. An application that comes to its own end meanwhile has its own status. It is not in HIP
/// meanwhile, whose destructors take away what its functions use.
const APPLICATION: &str = r##"
#include <hip/hip_runtime.h>
#include <unistd.h>
__global__ void add_one(int *numbers) { numbers[threadIdx.x] += 1; }
int main() {
  int *numbers;
  if (hipMalloc(&numbers, 256) != hipSuccess || hipMemset(numbers, 0, 256) != hipSuccess)
    return 90;
  add_one<<<1, 64>>>(numbers);
  sleep(4);
  return hipDeviceSynchronize() == hipSuccess ? 0 : 91;
}
"##;

#[test]
fn exit_in_a_callback_is_told() {
    let Some(scene) = Scene::with_source(APPLICATION) else {
        return;
    };
    let tool = scene.built("leaves", TOOL);
    for (place, status, told) in [
        (0, 0, ", variables are there"),
        (
            1,
            3,
            "the host code of a tool called exit before the application launched",
        ),
        (
            2,
            3,
            "the host code of tool leaves called exit in luthier_at_kernel",
        ),
        (
            3,
            3,
            "the host code of tool leaves called exit in luthier_at",
        ),
        // The application has ended already, with a status of its own.
        (
            4,
            0,
            "the host code of tool leaves called exit in luthier_at_term",
        ),
    ] {
        let option = format!("{}:place={place}", tool.to_str().unwrap());
        let output = scene
            .emulator
            .command()
            .args(["run", "--device", "gfx90a", "-k", "^add_one", "-t", &option])
            .arg("--")
            .arg(&scene.application)
            .env("LUTHIER_CACHE", scene.path("cache"))
            .bounded_output()
            .unwrap();
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(said.contains(told), "{place}: {said}");
        assert!(!said.contains("did not come back"), "{place}: {said}");
        assert!(!said.contains("_exit"), "{place}: {said}");
        assert_eq!(output.status.code(), Some(status), "{place}: {said}");
    }
}
