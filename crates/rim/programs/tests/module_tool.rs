//! Modules that a tool loads while the application runs.

use std::path::Path;

use crate::stock::Scene;

/// Variables of its own, one of which has the name of one of the tool's.
const MODULE: &str = r#"
#include <luthier.h>
__device__ unsigned long waves = 100;
__managed__ unsigned seen = 3;
__constant__ unsigned weights[2] = {10, 20};
extern "C" __device__ void per_wave(unsigned long *of_tool, unsigned long *counter, unsigned number) {
  if (luthier::elected()) {
    luthier::add(of_tool, 1);
    luthier::add(counter, 1);
    luthier::add(&waves, 1);
    if (atomicAdd(&seen, weights[number & 1]) == 3)
      printf("the module's first wave\n");
  }
}
LUTHIER_EXPORT_FUNC(per_wave)
"#;

/// Loads it at the second launch, and again at the third.
const LOADS: &str = r#"
#include <luthier.h>
MARK_LUTHIER_DEVICE_MODULE
LUTHIER_TOOL(R"(
about = "loads a module"
[[parameter]]
name = "module"
type = "text"
)")
__device__ unsigned long waves = 0;
extern "C" __device__ void own() { if (luthier::elected()) luthier::add(&waves, 0); }
LUTHIER_EXPORT_FUNC(own)
static unsigned launches = 0;
static luthier_module *loaded = nullptr;
void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t id) {
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  if (id != HSA_EVT_ID_KERNEL_LAUNCH || launches++ == 0)
    return;
  luthier_module module = luthier_load_module(luthier_option("module").c_str());
  if (loaded) {
    printf("module %d again\n", (int)(module.number == loaded->number));
    return;
  }
  loaded = new luthier_module(module);
  module.write<unsigned long>("waves", 1000);
  auto first = luthier_disassemble_kernel_object(packet->kernel_object)[0];
  luthier_insert_call(first, LUTHIER_GET_HOOK_HANDLE(own), LUTHIER_IPOINT_BEFORE);
  luthier_insert_call(first, module.hook("per_wave"), LUTHIER_IPOINT_BEFORE,
                      {{LUTHIER_ARG_VARIABLE, 0, (luthier_u64)&waves},
                       {LUTHIER_ARG_VARIABLE, 0, (luthier_u64)module.variable("waves")},
                       {LUTHIER_ARG_CONSTANT, 0, 1}});
  luthier_override_with_instrumented(packet);
}
void luthier_at_term() {
  if (!loaded)
    return;
  printf("tool %lu, module %lu, managed %u\n", luthier_copy_from_variable(waves), loaded->read<unsigned long>("waves"),
         loaded->managed<unsigned>("seen"));
  for (const char *name : {"waves", "nothing"})
    try {
      loaded->hook(name);
    } catch (const luthier_error &error) {
      printf("%s\n", error.what());
    }
  try {
    loaded->read<unsigned>("waves");
  } catch (const luthier_error &error) {
    printf("%s\n", error.what());
  }
}
"#;

fn load(scene: &Scene, tool: &Path, module: &Path) -> (String, String) {
    let tool = format!("{}:module={}", tool.display(), module.display());
    scene.run(&["-t", &tool], &[])
}

#[test]
fn hooks_of_a_module_run_with_variables_of_its_own() {
    let Some(scene) = Scene::new() else { return };
    let (tool, module) = (scene.tool("loads", LOADS), scene.tool("hooks", MODULE));
    // Kernels of the second run come from the cache. 4 of 20 waves run in the first launch.
    for cached in [0, 1] {
        let (stdout, stderr) = load(&scene, &tool, &module);
        for part in [
            "module 1 again\n",
            "tool 16, module 1032, managed 323\n",
            "the module's first wave\n",
            "waves of module loads+hooks#",
            " is a __device__ variable, no hook (LUTHIER_EXPORT_FUNC)\n",
            " has no hook (LUTHIER_EXPORT_FUNC) nothing\n",
            "waves of the module has 8 bytes, not 4\n",
        ] {
            assert!(stdout.contains(part), "{part}: {stdout}{stderr}");
        }
        let from_cache = format!(", {cached} from cache");
        assert!(stderr.contains(&from_cache), "{stderr}");
    }
    // Another content is another module.
    let module = scene.tool("hooks", &MODULE.replace("{10, 20}", "{10, 30}"));
    let (stdout, stderr) = load(&scene, &tool, &module);
    assert!(
        stdout.contains("tool 16, module 1032, managed 483\n"),
        "{stdout}{stderr}"
    );
}

#[test]
fn what_is_no_module_is_refused_with_its_path() {
    let Some(scene) = Scene::new() else { return };
    let tool = scene.tool("loads", LOADS);
    let text = scene.path("text.so");
    std::fs::write(&text, "no library").unwrap();
    let hookless = "#include <luthier.h>\n__global__ void kernel(int *to) { *to = 1; }\n";
    let hookless = scene.tool("hookless", hookless);
    let nothing = scene.path("nothing.so");
    for (module, reason) in [
        (nothing.as_path(), "No such file"),
        (&text, "text.so"),
        (&hookless, "a module names them with LUTHIER_EXPORT_FUNC"),
    ] {
        let (stdout, stderr) = load(&scene, &tool, module);
        // The program's own results are as ever.
        assert!(stderr.contains("0 instrumented, 1 refused"), "{stderr}");
        let path = module.display().to_string();
        assert!(
            stderr.contains(&path) && stderr.contains(reason),
            "{reason}: {stdout}{stderr}"
        );
    }
}
