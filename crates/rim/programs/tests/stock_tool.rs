//! Tools with host code in C++ that HIP compilers made: the distribution's hipcc and clang 22, with HIP's own headers.

use compiled::Compiler;
use std::path::PathBuf;

use crate::stock::{DEVICE, Scene, compilers, said};
use programs::Bounded;

#[test]
fn the_first_example_counts_what_the_emulated_gpu_counts() {
    let Some(scene) = Scene::new() else { return };
    let expected = format!(
        "Number of instructions executed: {}\n",
        scene.lane_instructions()
    );
    let source = programs::root().join("examples/tools/instruction_counter.hip");
    for (name, compiler) in compilers() {
        let library = scene.compile(compiler, &source, name);
        // The second time from the cache.
        for cached in [0, 1] {
            let (stdout, stderr) = scene.with(&library);
            assert!(stdout.contains(&expected), "{name}: {stdout}{stderr}");
            assert_eq!(
                stdout.matches("<Intercepted").count(),
                4,
                "{name}: {stdout}"
            );
            assert!(stdout.contains("Tool is launching."), "{name}: {stdout}");
            let from_cache = format!(", {cached} from cache");
            assert!(stderr.contains(&from_cache), "{name}: {stderr}");
        }
        // Started by hand, another process of Luthier compiles the hooks.
        let mut command = scene.emulator.command();
        let ours = PathBuf::from(command.get_program()).with_file_name("libluthier_intercept.so");
        let output = command
            .args(["run", "--device", DEVICE, "--"])
            .arg(&scene.application)
            .env("HSA_TOOLS_LIB", ours)
            .env("LUTHIER_TOOL", &library)
            .env("LUTHIER_KERNEL", "^add_one")
            .env("LUTHIER_CACHE", "off")
            .bounded_output()
            .unwrap();
        let (stdout, stderr) = said(&output);
        assert!(stdout.contains(&expected), "{name}: {stdout}{stderr}");
    }
}

/// Managed, device and dynamic memory, and arguments of all kinds: 20 waves of 64 lanes run.
const LIVE: &str = r#"
#include <luthier.h>
MARK_LUTHIER_DEVICE_MODULE
__managed__ unsigned shared = 7;
__device__ unsigned long waves = 100, lanes;
static __constant__ unsigned weights[4] = {1, 2, 3, 4};
static unsigned long *buffer;

extern "C" __device__ void per_wave(unsigned long *extra, unsigned number, unsigned long *counter) {
  if (luthier::elected()) {
    atomicAdd(&shared, 1u);
    luthier::add(counter, 1);
    luthier::add(extra, number);
  }
}
LUTHIER_EXPORT_FUNC(per_wave)
extern "C" __device__ void per_lane(unsigned value) { atomicAdd((unsigned long long *)&lanes, (unsigned long long)(value & 1023)); }
LUTHIER_EXPORT_FUNC(per_lane)
extern "C" __device__ void weigh(unsigned which) { atomicAdd(&shared, weights[which & 3] * 1000); }
LUTHIER_EXPORT_FUNC(weigh)

void luthier_at_init() {
  if (hipMalloc((void **)&buffer, 64) != hipSuccess || hipMemset(buffer, 0, 64) != hipSuccess)
    printf("no memory\n");
}
void luthier_at_term() {
  unsigned long counted = 0, of_lanes = 0, extra = 0;
  size_t size = 0;
  if (hipMemcpyFromSymbol(&counted, HIP_SYMBOL(waves), 8) || hipMemcpyFromSymbol(&of_lanes, HIP_SYMBOL(lanes), 8) ||
      hipMemcpy(&extra, buffer, 8, hipMemcpyDeviceToHost) || hipGetSymbolSize(&size, HIP_SYMBOL(waves)))
    printf("not read\n");
  printf("shared %u waves %lu lanes %lu extra %lu size %zu\n", shared, counted, of_lanes, extra, size);
}
void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t) {
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  if (luthier_is_instrumented(packet->kernel_object))
    return;
  unsigned long start = 1000;
  if (hipMemcpyToSymbol(HIP_SYMBOL(waves), &start, 8) != hipSuccess)
    printf("not written\n");
  auto first = luthier_disassemble_kernel_object(packet->kernel_object)[0];
  luthier_insert_call(first, LUTHIER_GET_HOOK_HANDLE(per_wave), LUTHIER_IPOINT_BEFORE,
                      {{LUTHIER_ARG_CONSTANT, 0, (luthier_u64)buffer}, {LUTHIER_ARG_CONSTANT, 0, 5}, {LUTHIER_ARG_VARIABLE, 0, (luthier_u64)&waves}});
  luthier_insert_call(first, LUTHIER_GET_HOOK_HANDLE(per_lane), LUTHIER_IPOINT_BEFORE, {{LUTHIER_ARG_VGPR, 0, 0}});
  luthier_override_with_instrumented(packet);
}
"#;

#[test]
fn variables_are_live_and_lanes_have_their_own_values() {
    let Some(scene) = Scene::new() else { return };
    let tool = scene.tool("live", LIVE);
    let (stdout, stderr) = scene.with(&tool);
    // v0 is the lane's number in its workgroup: 0 to 63 in each of 20.
    let expected = "shared 27 waves 1020 lanes 40320 extra 100 size 8\n";
    assert!(stdout.contains(expected), "{stdout}{stderr}");
}

/// Declines the first launch, then runs a variant by the grid, and the original in between.
const DECIDES: &str = r#"
#include <luthier.h>
MARK_LUTHIER_DEVICE_MODULE
__managed__ unsigned small_waves = 0, large_waves = 0;
extern "C" __device__ void small() { if (luthier::elected()) atomicAdd(&small_waves, 1u); }
LUTHIER_EXPORT_FUNC(small)
extern "C" __device__ void large() { if (luthier::elected()) atomicAdd(&large_waves, 1u); }
LUTHIER_EXPORT_FUNC(large)
static unsigned number = 0;
void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t) {
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  printf("launch %u: %u by %u, %zu instructions\n", number, packet->grid_size_x, packet->workgroup_size_x,
         luthier_disassemble_kernel_object(packet->kernel_object).size() / 1000);
  auto first = luthier_disassemble_kernel_object(packet->kernel_object)[0];
  switch (number++) {
  case 1:
    luthier_insert_call(first, LUTHIER_GET_HOOK_HANDLE(small), LUTHIER_IPOINT_BEFORE);
    luthier_override_with_instrumented(packet, "small");
    break;
  case 2:
    luthier_override_with_original(packet);
    break;
  case 3:
    luthier_insert_call(first, LUTHIER_GET_HOOK_HANDLE(large), LUTHIER_IPOINT_BEFORE);
    luthier_override_with_instrumented(packet, "large");
  }
}
void luthier_at_term() { printf("small %u large %u\n", small_waves, large_waves); }
"#;

#[test]
fn tools_decide_about_every_launch() {
    let Some(scene) = Scene::new() else { return };
    let tool = scene.tool("decides", DECIDES);
    let (stdout, stderr) = scene.with(&tool);
    assert!(stdout.contains("small 4 large 8\n"), "{stdout}{stderr}");
    assert!(stdout.contains("launch 0: 256 by 64, 0 "), "{stdout}");
    assert!(stdout.contains("launch 3: 512 by 64, 0 "), "{stdout}");
    assert!(stderr.contains("; 2 of "), "{stderr}");
}

/// A constant that the environment says.
const AMOUNT: &str = r#"
#include <luthier.h>
MARK_LUTHIER_DEVICE_MODULE
__managed__ unsigned sum = 0;
extern "C" __device__ void add(unsigned amount) { if (luthier::elected()) atomicAdd(&sum, amount); }
LUTHIER_EXPORT_FUNC(add)
void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t) {
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  if (luthier_is_instrumented(packet->kernel_object))
    return;
  luthier_insert_call(luthier_disassemble_kernel_object(packet->kernel_object)[0], LUTHIER_GET_HOOK_HANDLE(add),
                      LUTHIER_IPOINT_BEFORE, {{LUTHIER_ARG_CONSTANT, 0, (luthier_u64)atoi(getenv("AMOUNT"))}});
  luthier_override_with_instrumented(packet);
}
void luthier_at_term() { printf("sum %u\n", sum); }
"#;

#[test]
fn cached_kernels_are_those_that_host_code_asks_for() {
    let Some(scene) = Scene::new() else { return };
    let tool = scene.tool("amount", AMOUNT);
    let options = ["-t", tool.to_str().unwrap()];
    for (amount, sum, cached) in [("1", 20, 0), ("3", 60, 0), ("1", 20, 1)] {
        let (stdout, stderr) = scene.run(&options, &[("AMOUNT", amount)]);
        assert!(stdout.contains(&format!("sum {sum}\n")), "{stdout}{stderr}");
        assert!(
            stderr.contains(&format!(", {cached} from cache")),
            "{stderr}"
        );
    }
    // The same file name with another content.
    let tool = scene.tool(
        "amount",
        &AMOUNT.replace("&sum, amount", "&sum, 2 * amount"),
    );
    let (stdout, _) = scene.run(&["-t", tool.to_str().unwrap()], &[("AMOUNT", "1")]);
    assert!(stdout.contains("sum 40\n"), "{stdout}");
}

/// Waves of 32 lanes, with what compilers make of all that the header has.
#[test]
fn tools_for_waves_of_32_lanes_compile_and_count() {
    let Some(scene) = Scene::new() else { return };
    let source = scene.path("narrow.hip");
    let text = AMOUNT.replace(
        "if (luthier::elected()) atomicAdd(&sum, amount);",
        "unsigned different = luthier::distinct(luthier::lane() / 4, luthier::exec());\n\
         if (luthier::elected()) atomicAdd(&sum, amount + different);",
    );
    std::fs::write(&source, text).unwrap();
    let mut compiler = Compiler::new("hipcc");
    compiler.arg("--offload-arch=gfx1030");
    let tool = scene.compile(compiler, &source, "narrow");
    let output = scene
        .emulator
        .command()
        .args(["run", "--device", "gfx1030", "-k", "^add_one", "-t"])
        .arg(&tool)
        .arg("--")
        .arg(&scene.application)
        .env("LUTHIER_CACHE", scene.path("cache"))
        .env("AMOUNT", "2")
        .bounded_output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    // 40 waves, each with 8 different values.
    assert!(said.contains("sum 400\n"), "{output:?}");
}

#[test]
fn a_library_without_bitcode_says_what_is_missing() {
    let Some(scene) = Scene::new() else { return };
    let source = scene.path("bare.hip");
    std::fs::write(&source, AMOUNT).unwrap();
    let library = scene.path("bare.so");
    let compiled = Compiler::new("hipcc")
        .args(["-w", "--offload-arch=gfx90a", "-fPIC", "-shared", "-I"])
        .arg(programs::root().join("include"))
        .arg(&source)
        .arg("-o")
        .arg(&library)
        .output()
        .unwrap();
    assert!(compiled.status.success());
    let output = scene
        .emulator
        .command()
        .args(["tool", "compile-hooks"])
        .arg(&library)
        .bounded_output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && said.contains("-Xclang -fembed-bitcode=all"),
        "{said}"
    );
}

#[test]
fn libraries_go_by_their_names_and_are_named_as_users_know_them() {
    let Some(scene) = Scene::new() else { return };
    let tool = "#include <luthier.h>\nMARK_LUTHIER_DEVICE_MODULE\n";
    let named = scene.tool("libnamed", &format!("{tool}void luthier_at_init() {{}}\n"));
    let (_, stderr) = scene.with(&named);
    assert!(stderr.contains("luthier named: "), "{stderr}");

    // A copy is the same tool, which would count twice.
    let copy = scene.path("copies/libnamed.so");
    std::fs::create_dir(copy.parent().unwrap()).unwrap();
    std::fs::copy(&named, &copy).unwrap();
    let (named, copy) = (named.to_str().unwrap(), copy.to_str().unwrap());
    let (_, stderr) = scene.run(&["-t", named, "-t", copy], &[]);
    let message = format!("{copy} is a copy of {named}; it runs once\n");
    assert!(stderr.contains(&message), "{stderr}");

    let calls = "extern \"C\" void nowhere();\nvoid luthier_at_init() { nowhere(); }\n";
    let broken = scene.tool("libbroken", &format!("{tool}{calls}"));
    let (_, stderr) = scene.with(&broken);
    let message = format!("{}: undefined symbol: nowhere", broken.display());
    assert!(stderr.contains(&message), "{stderr}");
}

/// Every sample, in a run of all of them.
#[test]
fn samples_say_what_the_program_did() {
    let Some(scene) = Scene::new() else { return };
    let mut options = Vec::new();
    for name in [
        "api_tracer",
        "allocation_tracker",
        "nan_tracer",
        "opcode_histogram",
    ] {
        let source = programs::root().join(format!("examples/tools/{name}.hip"));
        let library = scene.compile(Compiler::new("hipcc"), &source, name);
        options.extend(["-t".to_owned(), library.to_str().unwrap().to_owned()]);
    }
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let (_, said) = scene.run(&options, &[]);
    for text in [
        // Once in every wave.
        "opcode_histogram:         20  s_endpgm\n",
        "  hsa_executable_freeze\n",
        "api_tracer: listening to ",
        "allocation_tracker: ",
    ] {
        assert!(said.contains(text), "{text}: {said}");
    }
    // The program's own four.
    let launches = |line: &&str| line.ends_with("  hipLaunchKernel");
    let launches = said.lines().find(launches);
    let launches = launches.unwrap_or_else(|| panic!("{said}"));
    assert!(launches.contains(" 4 calls "), "{said}");
    assert!(!said.contains("nan_tracer:  "), "{said}");
}

/// Changes arguments, replaces results and leaves out calls.
const MEDDLES: &str = r#"
#include <luthier.h>
MARK_LUTHIER_DEVICE_MODULE
static int begun = 0, ended = 0, left_out = 0;
static struct lasting { ~lasting() { printf("destroyed\n"); } } lasting;
static thread_local struct own { unsigned calls = 0; ~own() { printf("a thread's destroyed\n"); } } own;
void luthier_at_init() {
  luthier_subscribe_hsa(HSA_API_ID_hsa_signal_create);
  luthier_subscribe_hsa(HSA_API_ID_hsa_system_get_info);
  luthier_subscribe_hsa(HSA_API_ID_hsa_amd_profiling_set_profiler_enabled);
}
void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t phase, hsa_api_id_t id) {
  ++own.calls;
  if (id == HSA_API_ID_hsa_signal_create)
    ++(phase == LUTHIER_API_PHASE_ENTER ? begun : ended);
  if (id == HSA_API_ID_hsa_amd_profiling_set_profiler_enabled && phase == LUTHIER_API_PHASE_ENTER) {
    args->skip = true;
    args->hsa_amd_profiling_set_profiler_enabled.returned = HSA_STATUS_SUCCESS;
    ++left_out;
  }
}
void luthier_at_term() { printf("%s %d\n", begun > 0 && begun == ended ? "paired" : "lost", left_out); }
"#;

#[test]
fn events_of_hsa_come_in_pairs_and_calls_can_be_left_out() {
    let Some(scene) = Scene::new() else { return };
    let tool = scene.tool("meddles", MEDDLES);
    let (stdout, stderr) = scene.with(&tool);
    assert!(stdout.contains("paired "), "{stdout}{stderr}");
    // Calls come until the very end, and what they need is there.
    assert!(!stdout.contains("destroyed"), "{stdout}");
}

/// HIP's own calls.
const LISTENS: &str = r#"
#include <luthier.h>
#include <hip/amd_detail/hip_prof_str.h>
MARK_LUTHIER_DEVICE_MODULE
static int launches = 0, ended = 0;
static size_t copied = 0;
void luthier_at_init() {
  if (!luthier_subscribe_hip(HIP_API_ID_hipLaunchKernel) || !luthier_subscribe_hip(HIP_API_ID_hipMemcpy))
    printf("HIP does not say\n");
}
void atHipEvt(void *args, luthier_api_phase_t phase, int id) {
  auto *data = (hip_api_data_t *)args;
  if (id == HIP_API_ID_hipLaunchKernel)
    ++(phase == LUTHIER_API_PHASE_ENTER ? launches : ended);
  else if (phase == LUTHIER_API_PHASE_ENTER)
    copied += data->args.hipMemcpy.sizeBytes;
}
void luthier_at_term() { printf("%d launches, %d ended, %zu bytes copied\n", launches, ended, copied); }
"#;

#[test]
fn events_of_hip_have_its_arguments() {
    let Some(scene) = Scene::new() else { return };
    let tool = scene.tool("listens", LISTENS);
    let (stdout, stderr) = scene.with(&tool);
    let expected = "4 launches, 4 ended, 2048 bytes copied\n";
    assert!(stdout.contains(expected), "{stdout}{stderr}");
}

/// Copies that are asked for by name, before HIP is used and later, and an allocation that is the first call of HIP, except for the
/// start-up code's.
const ASKS: &str = r#"
#include <dlfcn.h>
#include <hip/hip_runtime.h>
#include <cstdio>
typedef hipError_t (*copy)(void *, const void *, size_t, hipMemcpyKind);
__global__ void of_the_application() {}
int main() {
  char host[64] = {1};
  auto before = (copy)dlsym(RTLD_DEFAULT, "hipMemcpy");
  void *device = nullptr;
  if (hipMalloc(&device, 64) != hipSuccess)
    return 1;
  void *library = dlopen("libamdhip64.so", RTLD_LAZY);
  auto of_library = (copy)dlsym(library, "hipMemcpy");
  auto other = (hipError_t (*)(void *))dlsym(RTLD_DEFAULT, "hipFree");
  for (copy each : {before, of_library, &hipMemcpy})
    if (!each || each(device, host, 64, hipMemcpyHostToDevice) != hipSuccess)
      return 2;
  // The function behind the program in the order of search, as if no tool had wrapped anything.
  auto next = (copy)dlsym(RTLD_NEXT, "hipMemcpy");
  if (!next || next(device, host, 64, hipMemcpyHostToDevice) != hipSuccess || dlsym(RTLD_DEFAULT, "no_such_function"))
    return 3;
  return other(device) == hipSuccess ? 0 : 4;
}
"#;

const WRAPS: &str = r#"
#include <luthier.h>
MARK_LUTHIER_DEVICE_MODULE
extern "C" void __hipRegisterFunction(void **, const void *, char *, const char *, unsigned, void *, void *, void *, void *, int *);
static int allocations, copies;
static std::string kernels;
LUTHIER_WRAP_HIP(void, __hipRegisterFunction, void **module, const void *host, char *device, const char *name, unsigned limit,
                 void *thread, void *block, void *block_size, void *grid_size, int *wave) {
  kernels += name;
  original(module, host, device, name, limit, thread, block, block_size, grid_size, wave);
}
LUTHIER_WRAP_HIP(hipError_t, hipMalloc, void **to, size_t size) { ++allocations; return original(to, size); }
LUTHIER_WRAP_HIP(hipError_t, hipMemcpy, void *to, const void *from, size_t size, hipMemcpyKind kind) {
  ++copies;
  return original(to, from, size, kind);
}
void luthier_at_term() { luthier_report("wrapped " + std::to_string(allocations) + " allocations " + std::to_string(copies) + " copies " + kernels); }
"#;

#[test]
fn functions_are_wrapped_from_the_start_and_under_their_names() {
    let Some(scene) = Scene::with_source(ASKS) else {
        return;
    };
    let tool = scene.tool("wraps", WRAPS);
    let (_, said) = scene.with(&tool);
    assert!(
        said.contains("wrapped 1 allocations 3 copies _Z18of_the_applicationv\n"),
        "{said}"
    );
}

/// A tool that wraps a function of HIP, in the standards that compilers of HIP default to.
#[test]
fn headers_cause_no_warnings_whatever_the_standard() {
    let Some(scene) = Scene::new() else { return };
    let source = scene.path("strict.hip");
    std::fs::write(
        &source,
        "#include <luthier.h>\nMARK_LUTHIER_DEVICE_MODULE\n\
         __device__ extern \"C\" void hook() {}\nLUTHIER_EXPORT_FUNC(hook)\n\
         LUTHIER_WRAP_HIP(hipError_t, hipMemcpy, void *to, const void *from, size_t size, hipMemcpyKind kind) {\n\
         return size == 4096 ? hipSuccess : original(to, from, size, kind);\n}\n",
    )
    .unwrap();
    for standard in ["c++14", "c++17", "c++20"] {
        let compiled = Compiler::new("hipcc")
            .args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2"])
            .args(["--offload-arch=gfx90a", "-fPIC", "-shared", "-I"])
            .arg(programs::root().join("include"))
            .arg(format!("-std={standard}"))
            .arg(&source)
            .arg("-o")
            .arg(scene.path("strict.so"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&compiled.stderr);
        assert!(compiled.status.success(), "{standard}: {said}");
    }
}
