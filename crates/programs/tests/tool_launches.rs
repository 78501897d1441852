//! Launches as tools see and users order them: packets of all kinds, one launch at a time, kernels that do not end.

mod stock;

use std::os::unix::process::ExitStatusExt;

use programs::Bounded;
use stock::{DEVICE, Scene};

/// A scene with a program of the test's own.
fn scene(text: &str) -> Option<Scene> {
    let mut scene = Scene::new()?;
    let (source, application) = (scene.path("application.hip"), scene.path("application"));
    std::fs::write(&source, text).unwrap();
    let [(_, mut hipcc), _] = stock::compilers();
    let compiled = hipcc
        .args(["-w", "-O2", "--offload-arch=gfx90a"])
        .arg(&source)
        .arg("-o")
        .arg(&application)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{said}");
    scene.application = application;
    Some(scene)
}

/// Standard output and error of the scene's program.
fn run(scene: &Scene, options: &[&str]) -> (String, String) {
    let mut command = scene.emulator.command();
    command
        .args(["run", "--device", DEVICE])
        .args(options)
        .arg("--")
        .arg(&scene.application)
        .env("LUTHIER_CACHE", "off");
    stock::said(&command.bounded_output().unwrap())
}

/// One stream waits for another, and what kernels wrote is counted.
const WAITS: &str = r#"
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void set(int *values) { values[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
int main() {
  int *values = nullptr;
  hipStream_t first, second;
  hipEvent_t event;
  if (hipHostMalloc((void **)&values, 4096) || hipStreamCreate(&first) || hipStreamCreate(&second) || hipEventCreate(&event))
    return 1;
  for (int index = 0; index < 1024; ++index)
    values[index] = 0;
  set<<<2, 64, 0, first>>>(values);
  if (hipEventRecord(event, first) || hipStreamWaitEvent(second, event, 0))
    return 2;
  set<<<2, 64, 0, second>>>(values + 512);
  if (hipDeviceSynchronize())
    return 3;
  int sum = 0;
  for (int index = 0; index < 1024; ++index)
    sum += values[index];
  printf("%d values set\n", sum);
  return 0;
}
"#;

/// Looks at all packets and takes the second half of a launch away.
const SEES: &str = r#"
#include <luthier.h>
MARK_LUTHIER_DEVICE_MODULE
static int launches, barriers, told;
void luthier_at_packets(luthier_packet *packets, size_t count, luthier_u64 queue, luthier_u32 device) {
  for (size_t index = 0; index < count; ++index) {
    if (packets[index].barrier())
      ++barriers;
    if (auto *dispatch = packets[index].dispatch())
      if (++launches == 1)
        dispatch->grid_size_x = 64;
  }
}
void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t id) {
  // What was changed is what is launched.
  if (id == HSA_EVT_ID_KERNEL_LAUNCH)
    told += args->hsa_evt_kernel_launch.dispatch_packet->grid_size_x;
}
void luthier_at_term() {
  luthier_report(std::to_string(launches) + " launches of " + std::to_string(told) + " work-items, " +
                 (barriers ? "barriers" : "no barriers"));
}
"#;

#[test]
fn packets_are_seen_and_changed() {
    let Some(scene) = scene(WAITS) else { return };
    let plain = run(&scene, &[]).0;
    assert_eq!(plain, "256 values set\n");
    let tool = scene.tool("sees", SEES);
    let (stdout, stderr) = run(&scene, &["-t", tool.to_str().unwrap(), "-k", "set"]);
    assert_eq!(stdout, "192 values set\n", "{stderr}");
    let line = "2 launches of 192 work-items, barriers\n";
    assert!(stderr.contains(line), "{stderr}");
}

/// A kernel that looks for what another one, in another stream, writes: for a while, but no longer.
const LOOKS: &str = r#"
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void look(volatile int *flag, int *seen) {
  for (int count = 0; count < 2000000 && !*seen; ++count)
    *seen = *flag;
}
__global__ void raise(volatile int *flag) { *flag = 1; }
int main() {
  int *memory = nullptr;
  hipStream_t first, second;
  if (hipHostMalloc((void **)&memory, 4096) || hipStreamCreate(&first) || hipStreamCreate(&second))
    return 1;
  memory[0] = memory[1] = 0;
  look<<<1, 1, 0, first>>>(memory, memory + 1);
  raise<<<1, 1, 0, second>>>(memory);
  if (hipDeviceSynchronize())
    return 2;
  printf("seen %d, raised %d\n", memory[1], memory[0]);
  return 0;
}
"#;

#[test]
fn serialized_launches_do_not_meet() {
    let Some(scene) = scene(LOOKS) else { return };
    let options = ["-t", "instr-count", "-k", "look|raise", "--serialize"];
    let (stdout, stderr) = run(&scene, &options);
    assert_eq!(stdout, "seen 0, raised 1\n", "{stderr}");
    assert!(
        stderr.contains("2 launches") || stderr.contains("; 2 of "),
        "{stderr}"
    );
}

const ONE: &str = r#"
#include <hip/hip_runtime.h>
__global__ void store(int *values) { values[threadIdx.x] = 1; }
int main() {
  int *values = nullptr;
  if (hipHostMalloc((void **)&values, 4096))
    return 1;
  store<<<1, 64>>>(values);
  return hipDeviceSynchronize();
}
"#;

/// Waits for what never comes.
const HANGS: &str = r#"
#include <luthier.h>
MARK_LUTHIER_DEVICE_MODULE
__managed__ unsigned never = 0;
extern "C" __device__ void spin() {
  while (*(volatile unsigned *)&never == 0) {
  }
}
LUTHIER_EXPORT_FUNC(spin)
void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t id) {
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  if (id != HSA_EVT_ID_KERNEL_LAUNCH || luthier_is_instrumented(packet->kernel_object))
    return;
  for (const auto &instruction : luthier_disassemble_kernel_object(packet->kernel_object))
    if (instruction.mnemonic == "global_store_dword")
      luthier_insert_call(instruction, LUTHIER_GET_HOOK_HANDLE(spin), LUTHIER_IPOINT_BEFORE);
  luthier_override_with_instrumented(packet);
}
"#;

#[test]
fn a_hook_that_does_not_end_is_named_with_its_place() {
    let Some(scene) = scene(ONE) else { return };
    let tool = scene.tool("hangs", HANGS);
    let output = scene
        .emulator
        .command()
        .args(["run", "--device", DEVICE, "-t", tool.to_str().unwrap()])
        .args(["--kernel-limit", "1", "--"])
        .arg(&scene.application)
        .env("LUTHIER_CACHE", "off")
        .bounded_output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    for part in [
        "store(int*) (runs instrumented) has not ended within 1 s; the program is ended (--kernel-limit)\n",
        " % of the waves of store(int*) are in hook spin of tool hangs, inserted at global_store_dword at 0x",
        // The summary is delivered.
        "1 instrumented, 0 refused",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let sigterm = 15;
    assert!(
        output.status.signal() == Some(sigterm),
        "{:?}",
        output.status
    );
}
