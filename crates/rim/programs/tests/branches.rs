//! `branch-divergence` at every form in which compilers take lanes out of a wave, against counts that follow from the source.

use crate::stock::{Scene, json};

/// `flags` are the same for each 64 lanes, which the compiler cannot know.
const SOURCE: &str = r#"
#include <hip/hip_runtime.h>
#include <cstdlib>
#define OPAQUE asm volatile("" ::: "memory")

__global__ void odd_lanes(int *data) {
  if (threadIdx.x & 1) { OPAQUE; data[threadIdx.x] = 1; }
}
__global__ void whole_waves(int *data, const int *flags) {
  if (flags[threadIdx.x / 64]) { OPAQUE; data[threadIdx.x] = 1; }
}
__global__ void either_way(int *data, const int *flags) {
  if (flags[threadIdx.x / 64]) { OPAQUE; data[threadIdx.x] = 1; OPAQUE; data[0] = 1; }
  else { OPAQUE; data[threadIdx.x] = 2; OPAQUE; data[1] = 2; }
}
// One turn for a quarter of the lanes, two for the next, and so on.
__global__ void turns(int *data) {
  int left = threadIdx.x & 3;
#pragma unroll 1
  do { OPAQUE; data[threadIdx.x] += left; } while (left-- > 0);
}

int main() {
  int *data, *flags, some[4] = {0, 1, 0, 1};
  if (hipMalloc(&data, 4096) || hipMalloc(&flags, 4096) || hipMemcpy(flags, some, sizeof some, hipMemcpyHostToDevice))
    return 2;
  odd_lanes<<<1, 256>>>(data);
  whole_waves<<<1, 256>>>(data, flags);
  either_way<<<1, 256>>>(data, flags);
  turns<<<1, 256>>>(data);
  return hipDeviceSynchronize() != hipSuccess;
}
"#;

#[test]
fn waves_part_as_often_as_the_source_says() {
    for level in ["-O2", "-O0"] {
        let Some(scene) = Scene::compiled(SOURCE, &["--offload-arch=gfx1030", level]) else {
            return;
        };
        for (device, waves) in [("gfx90a", 4), ("gfx1030", 8)] {
            let folder = scene.path(&format!("{device}{level}"));
            let (good, said) = scene.luthier(&[
                "run",
                "--device",
                device,
                "-t",
                "branch-divergence",
                "--output",
                folder.to_str().unwrap(),
                "--",
                scene.path("application").to_str().unwrap(),
            ]);
            assert!(good && !said.contains("left out"), "{said}");
            let rows = json(&folder, "branch-divergence.", ".json");
            let sums = |kernel: &str| {
                let row = rows
                    .iter()
                    .find(|row| row["kernel"].as_str().unwrap().contains(kernel));
                let sites = row.unwrap()["sites"].as_array().unwrap();
                let sum = |key: &str| {
                    sites
                        .iter()
                        .map(|site| site[key].as_u64().unwrap())
                        .sum::<u64>()
                };
                (sum("executions"), sum("splits"))
            };
            // All lanes of the last turn leave together.
            for (kernel, executions, splits) in [
                ("odd_lanes", waves, waves),
                ("whole_waves", waves, 0),
                ("either_way", waves, 0),
                ("turns", 4 * waves, 3 * waves),
            ] {
                let what = format!("{kernel} on {device} with {level}: {rows:?}");
                let (executed, split) = sums(kernel);
                assert_eq!(split, splits, "{what}");
                assert!(executed >= executions, "{what}");
            }
        }
    }
}
