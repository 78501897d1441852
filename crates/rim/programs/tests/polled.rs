//! Workgroups that wait for each other while tools, or they themselves, write to memory at each look, so that the engine cannot see that
//! they wait. The tests measure their cost in instructions, on one thread of the host.

use crate::stock::{Scene, run_with};

/// Workgroups pass a number on: upwards, downwards, or in an order of steps.
const SOURCE: &str = r#"
#include <cstdio>
#include <cstdlib>
#include <hip/hip_runtime.h>
#include <sched.h>
__global__ void pass_on(unsigned *turn, int order) {
  unsigned count = gridDim.x, mine = order == 0 ? blockIdx.x : order == 1 ? count - 1 - blockIdx.x : blockIdx.x * 37 % count;
  while (__hip_atomic_load(turn, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) != mine)
    atomicAdd(turn + 1, 1u);
  __syncthreads();
  if (threadIdx.x == 0) __hip_atomic_store(turn, mine + 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}
int main() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  if (sched_setaffinity(0, sizeof one, &one)) return 1;
  unsigned *turn, end;
  if (hipMalloc(&turn, 8) != hipSuccess) return 2;
  (void)hipMemset(turn, 0, 8);
  pass_on<<<100, 64>>>(turn, atoi(getenv("ORDER")));
  if (hipMemcpy(&end, turn, 4, hipMemcpyDeviceToHost) != hipSuccess) return 3;
  printf("turn %u\n", end);
}
"#;

#[test]
fn those_that_wait_unseen_hold_up_nobody() {
    let Some(scene) = Scene::with_source(SOURCE) else {
        return;
    };
    // Twice as many instructions as were needed when this was written; with turns of one length it was fifty times as many.
    for (order, most) in [("0", 40_000_000), ("1", 40_000_000), ("2", 200_000_000)] {
        let output = scene.path(&format!("output{order}"));
        let options = ["-t", "instr-count", "--stats", "--output"];
        let options = [&options[..], &[output.to_str().unwrap()]].concat();
        let (said, _) = run_with(&scene, &options, &[("ORDER", order)]);
        assert_eq!(said, "turn 100\n");
        let statistics = std::fs::read(output.join("statistics.json")).unwrap();
        let statistics: serde_json::Value = serde_json::from_slice(&statistics).unwrap();
        let kernels = statistics["kernels"].as_array().unwrap().iter();
        let polled = kernels
            .filter(|kernel| kernel["kernel"].as_str().unwrap().contains("pass_on"))
            .map(|kernel| kernel["wave_instructions"].as_u64().unwrap());
        let polled: u64 = polled.sum();
        assert!((1..most).contains(&polled), "order {order}: {polled}");
    }
}
