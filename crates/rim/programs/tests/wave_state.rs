//! State that a wave keeps from hook to hook.

use crate::stock::Scene;

/// Three workgroups of four waves; each work-item loads one integer and stores one.
const PROGRAM: &str = r#"
#include <hip/hip_runtime.h>
__global__ void add_one(int *data) { data[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
int main() {
  int *data = nullptr;
  if (hipMalloc(&data, 768 * 4) != hipSuccess || hipMemset(data, 0, 768 * 4) != hipSuccess)
    return 1;
  add_one<<<3, 256>>>(data);
  int host[768];
  if (hipMemcpy(host, data, sizeof host, hipMemcpyDeviceToHost) != hipSuccess)
    return 2;
  for (int value : host)
    if (value != 1)
      return 3;
  return 0;
}
"#;

/// A wave begins with a hundred times its number and adds one at each access of memory.
const TOOL: &str = r#"
#include <luthier.h>
MARK_LUTHIER_DEVICE_MODULE
__shared__ luthier::per_wave<luthier_u32> kept;
LUTHIER_GLOBAL luthier_u64 total, waves;
extern "C" __device__ void begin() { kept.own() = 100 * luthier::wave_in_workgroup(); }
extern "C" __device__ void at_access() {
  luthier_u32 value = kept.own();
  kept.own() = value + 1;
}
extern "C" __device__ void end() {
  luthier::count_wave(&total, kept.own());
  luthier::count_wave(&waves, 1);
}
LUTHIER_EXPORT_FUNC(begin)
LUTHIER_EXPORT_FUNC(at_access)
LUTHIER_EXPORT_FUNC(end)
void luthier_at_kernel(luthier_u64 kernel_object) {
  auto code = luthier_disassemble_kernel_object(kernel_object);
  luthier_insert_call(code[0], LUTHIER_GET_HOOK_HANDLE(begin), LUTHIER_IPOINT_BEFORE);
  for (const auto &instruction : code) {
    if (instruction.reads_or_writes_memory() && !instruction.is(LUTHIER_CLASS_SMEM))
      luthier_insert_call(instruction, LUTHIER_GET_HOOK_HANDLE(at_access), LUTHIER_IPOINT_BEFORE);
    if (instruction.is(LUTHIER_CLASS_END))
      luthier_insert_call(instruction, LUTHIER_GET_HOOK_HANDLE(end), LUTHIER_IPOINT_BEFORE);
  }
}
void luthier_at_term() {
  printf("%lu in %lu waves\n", (unsigned long)luthier_copy_from_variable(total), (unsigned long)luthier_copy_from_variable(waves));
}
"#;

#[test]
fn every_wave_has_its_own() {
    let Some(scene) = Scene::with_source(PROGRAM) else {
        return;
    };
    let tool = scene.tool("state", TOOL);
    let (stdout, stderr) = scene.with(&tool);
    let expected = format!("{} in 12 waves\n", 3 * (600 + 4 * 2));
    assert!(stdout.contains(&expected), "{stdout}{stderr}");
}
