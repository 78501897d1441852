//! Tools print as much as one reads, and say where the rest is.

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

/// Numbers of places, by a tool of the user's.
const STORES: &str = r##"
#include <luthier_device.h>
LUTHIER_HOOK void count(luthier_u64 *lanes, luthier_u64 *weight, luthier_u32 site) {
  luthier::count_lanes(lanes, 1);
  luthier::count_wave(weight, site + 1);
}
LUTHIER_TOOL(R"(
insert = [{ hook = "count", where = "kind=store", arguments = ["&site.lanes", "&site.weight", "site"] }]
print = [{ each = "site", text = "{site.weight} of {site.lanes} {site.kernel}" }]
)")
"##;

#[test]
fn tools_of_users_print_their_twenty_most_important_places() {
    let Some(scene) = Scene::with_source(PROGRAM) else {
        return;
    };
    let tool = scene.built("stores", STORES);
    let options = ["--tool", tool.to_str().unwrap(), "-k", "add_one"];
    let (_, said) = scene.run(&options, &[]);
    let (_, report) = said.split_once("stores:\n").unwrap();
    let rows = report.lines().filter(|line| line.contains(" of 64 "));
    let rows: Vec<&str> = rows.collect();
    assert_eq!(rows.len(), 20, "{said}");
    // The two kernels' places 24 to 15.
    for (row, weight) in rows.iter().zip((15..=24).rev().flat_map(|w| [w, w])) {
        assert!(row.trim().starts_with(&format!("{weight} of 64")), "{said}");
    }
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
    let mut weights = Vec::new();
    for kernel in json(&folder, "stores.", ".json") {
        for site in kernel["sites"].as_array().unwrap() {
            assert_eq!(site["lanes"], 64);
            weights.push(site["weight"].as_u64().unwrap());
        }
    }
    weights.sort_unstable();
    let expected: Vec<u64> = (1..=24).flat_map(|weight| [weight, weight]).collect();
    assert_eq!(weights, expected);
}

/// Two sources, each with a kernel of the same name, which stores once or twice.
#[test]
fn kernels_of_one_name_in_two_objects_have_lines_of_their_own() {
    let Some(scene) = Scene::new() else { return };
    let part = |name: &str, stores: &str| {
        let text = format!(
            "#include <hip/hip_runtime.h>\nstatic __global__ void add_one(int *data) {{ data[threadIdx.x] += 1; {stores} }}\n\
             void {name}(int *data) {{ add_one<<<1, 64>>>(data); }}\n"
        );
        let path = scene.path(&format!("{name}.hip"));
        std::fs::write(&path, text).unwrap();
        path
    };
    let parts = [
        part("first", ""),
        part("second", "((volatile int *)data)[threadIdx.x + 64] = 7;"),
    ];
    let main = scene.path("main.hip");
    let text = "#include <hip/hip_runtime.h>\nvoid first(int *); void second(int *);\nint main() { int *data; \
         if (hipMalloc(&data, 1024) != hipSuccess) return 1; first(data); second(data); second(data); \
         return hipDeviceSynchronize() != hipSuccess; }\n";
    std::fs::write(&main, text).unwrap();
    let application = scene.path("two");
    let compiled = std::process::Command::new("hipcc")
        .args(["-w", "-O2", "--offload-arch=gfx90a"])
        .args(&parts)
        .arg(&main)
        .arg("-o")
        .arg(&application)
        .output()
        .unwrap();
    assert!(compiled.status.success());
    let run = |tool: &str, more: &[&str]| {
        let options = [
            &["run", "--device", "gfx90a", "-k", "add_one", "-t", tool],
            more,
        ];
        let application = ["--", application.to_str().unwrap()];
        let (good, said) = scene.luthier(&[&options.concat()[..], &application].concat());
        assert!(good, "{said}");
        said
    };
    let named = |said: &str| -> Vec<String> {
        let lines = said.lines().filter(|line| line.contains("add_one(int*)"));
        lines.map(str::to_owned).collect()
    };
    let said = run("identity", &[]);
    let lines = named(&said);
    assert_eq!(lines.len(), 2, "{said}");
    for (line, launches) in lines.iter().zip(["2/2", "1/1"]) {
        assert!(
            line.contains("(object ") && line.contains(launches),
            "{said}"
        );
    }
    assert!(
        said.contains("2 instrumented, 0 refused; 3 of 3 launches"),
        "{said}"
    );
    // Results of tools, too, are those of each kernel.
    let folder = scene.path("results");
    let said = run("instr-count", &["--output", folder.to_str().unwrap()]);
    let (_, results) = said.split_once("instr-count:\n").unwrap();
    let lines = named(results);
    assert_eq!(lines.len(), 2, "{said}");
    assert!(lines.iter().all(|line| line.contains("object ")), "{said}");
    let mut launches: Vec<_> = json(&folder, "instr-count.", ".json")
        .iter()
        .map(|kernel| kernel["launches"].as_u64().unwrap())
        .collect();
    launches.sort_unstable();
    assert_eq!(launches, [1, 2], "{said}");
}
