//! Hooks that change registers of the kernel through references.

use crate::stock::Scene;

/// One wave. Each kind of register is changed by an instruction that no other code of the kernel looks like.
const CHANGED: &str = r#"
#include <hip/hip_runtime.h>
#include <cstdio>
struct results { unsigned narrow; unsigned scalar; unsigned long wide; double number; };
__global__ void add_one(results *out, unsigned start) {
  unsigned lane = threadIdx.x, narrow = lane * 3, scalar = start;
  unsigned long wide = (unsigned long)lane << 31;
  double number = lane;
  asm volatile("v_add_u32 %0, 5, %0" : "+v"(narrow));
  asm volatile("s_add_u32 %0, %0, 9" : "+s"(scalar) : : "scc");
  asm volatile("v_lshlrev_b64 %0, 1, %0" : "+v"(wide));
  asm volatile("v_add_f64 %0, %0, 1.0" : "+v"(number));
  out[lane] = {narrow, scalar, wide, number};
}
int main() {
  results *out;
  if (hipMallocManaged(&out, 64 * sizeof *out) != hipSuccess) return 1;
  add_one<<<1, 64>>>(out, 100);
  if (hipDeviceSynchronize() != hipSuccess) return 1;
  for (unsigned lane = 0; lane < 64; ++lane)
    printf("%u %u %u %lu %g\n", lane, out[lane].narrow, out[lane].scalar, out[lane].wide, out[lane].number);
}
"#;

/// Hooks get the register that they change as a value, too. They need registers for other things before they read that value.
const CHANGES: &str = r#"
#include <luthier.h>
MARK_LUTHIER_DEVICE_MODULE
__managed__ unsigned hooks;
template <typename T> __device__ void change(T &result, T value) {
  atomicAdd(&hooks, 1u);
  result = value + value + 1;
}
extern "C" __device__ void narrow(unsigned &result, unsigned value) { change(result, value); }
extern "C" __device__ void scalar(unsigned &result, unsigned value) { change(result, value); }
extern "C" __device__ void wide(unsigned long &result, unsigned long value) { change(result, value); }
extern "C" __device__ void number(double &result, double value) { change(result, value); }
LUTHIER_EXPORT_FUNC(narrow)
LUTHIER_EXPORT_FUNC(scalar)
LUTHIER_EXPORT_FUNC(wide)
LUTHIER_EXPORT_FUNC(number)
LUTHIER_TOOL(R"(
hooks = { narrow = ["vector-reference", "vector"], scalar = ["scalar-reference", "scalar"],
          wide = ["vector-reference", "vector"], number = ["vector-reference", "vector"] }
)")
void luthier_at_kernel(luthier_u64 kernel) {
  for (const auto &instruction : luthier_disassemble_kernel_object(kernel)) {
    auto operands = instruction.operands();
    auto insert = [&](const char *mnemonic, const char *word, const void *hook, luthier_arg_kind kind) {
      if (instruction.mnemonic != mnemonic || instruction.text.find(word) == std::string::npos)
        return;
      luthier_arg changed = {(luthier_u32)kind, 0, operands[0].first};
      luthier_insert_call(instruction, hook, LUTHIER_IPOINT_AFTER, {changed, changed});
    };
    insert("v_add_u32", ", 5, ", LUTHIER_GET_HOOK_HANDLE(narrow), LUTHIER_ARG_VGPR);
    insert("s_add_u32", ", 9", LUTHIER_GET_HOOK_HANDLE(scalar), LUTHIER_ARG_SGPR);
    insert("v_lshlrev_b64", ", 1, ", LUTHIER_GET_HOOK_HANDLE(wide), LUTHIER_ARG_VGPR);
    insert("v_add_f64", ", 1.0", LUTHIER_GET_HOOK_HANDLE(number), LUTHIER_ARG_VGPR);
  }
}
"#;

#[test]
fn a_register_is_a_reference_and_a_value_at_once() {
    let Some(scene) = Scene::with_source(CHANGED) else {
        return;
    };
    let tools = [
        ("stock", scene.tool("stock", CHANGES)),
        ("built", scene.built("built", CHANGES)),
    ];
    for (by, tool) in tools {
        let (stdout, stderr) = scene.with(&tool);
        for lane in 0..64_u64 {
            let twice = |value| 2 * value + 1;
            let (narrow, scalar, wide) = (twice(3 * lane + 5), twice(109), twice(lane << 32));
            let expected = format!("{lane} {narrow} {scalar} {wide} {}\n", twice(lane + 1));
            assert!(
                stdout.contains(&expected),
                "{by}: {expected}{stdout}{stderr}"
            );
        }
    }
}
