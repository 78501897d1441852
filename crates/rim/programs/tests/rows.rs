//! Ready tools print as much as one reads, and say where the rest is.

use crate::stock::{Scene, json};

const PROGRAM: &str = r#"
#include <hip/hip_runtime.h>
template <int number> __global__ void add_one(int *data) {
  // Places of their own, which are as many rows.
  _Pragma("unroll") for (int i = 0; i < 24; i++)
    ((volatile int *)data)[(i * 512 + threadIdx.x * (number + 1)) & 65535] = number;
}
int main() {
  int *data = nullptr;
  if (hipMalloc(&data, 65536 * 4) != hipSuccess) return 1;
  add_one<0><<<1, 64>>>(data);
  add_one<9><<<1, 64>>>(data);
  return hipDeviceSynchronize() != hipSuccess;
}
"#;

#[test]
fn the_twenty_most_important_rows_are_printed() {
    let Some(scene) = Scene::with_source(PROGRAM) else {
        return;
    };
    let options = ["--tool", "mem-coalesce", "-k", "add_one"];
    let (_, said) = scene.run(&options, &[]);
    let (_, report) = said.split_once("mem-coalesce:\n").unwrap();
    let rows = report
        .lines()
        .filter(|line| line.contains(" lines of 128 bytes"));
    let rows: Vec<&str> = rows.collect();
    assert_eq!(rows.len(), 20, "{said}");
    // Lanes that are ten words apart touch 20 lines of memory, neighbours two: those of the other kernel come first.
    assert!(rows.iter().all(|row| row.contains("20.00 lines")), "{said}");
    assert!(
        report.contains("add_one<9>") && !report.contains("add_one<0>"),
        "{said}"
    );
    assert!(
        report.contains("... and 28 more rows: --output DIR writes all of them to DIR"),
        "{said}"
    );
    let folder = scene.path("out");
    let output = ["--output", folder.to_str().unwrap()];
    let (_, said) = scene.run(&[&options[..], &output].concat(), &[]);
    assert!(
        said.contains("... and 28 more rows: ") && said.contains(" has all of them"),
        "{said}"
    );
    let kernels = json(&folder, "mem-coalesce.", ".json");
    let sites = kernels
        .iter()
        .map(|kernel| kernel["sites"].as_array().unwrap().len());
    assert_eq!(sites.sum::<usize>(), 48);
}
