//! Nanoseconds of a call of HSA and of HIP, and what events add to it: `cargo bench -p programs --bench events`. The programs call one
//! function again and again, some hundred times a round, and tell of the quickest round, so that other work on the machine does not
//! matter. Runs without a tool, with one that subscribed to nothing, with one that subscribed to another function, and with one that
//! subscribed to this one take turns, and the quickest of each is told.

use std::{path::Path, process::ExitCode};

use anyhow::{Context, Result, ensure};
use programs::{Bounded, Emulator};

const ROUNDS: usize = 5;

const PROGRAM: &str = r#"
#include <hip/hip_runtime.h>
#include <hsa/hsa.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
int main() {
  void *memory = nullptr;
  if (hipMalloc(&memory, 64) || hsa_init())
    return 1;
  const int rounds = 4000, calls = 500;
  uint64_t sum = 0, stamp = 0;
  int device = 0;
  double least = 1e9;
  for (int round = 0; round < rounds; ++round) {
    auto begin = std::chrono::steady_clock::now();
    for (int call = 0; call < calls; ++call) {
      CALL;
      sum += stamp + device;
    }
    std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    least = std::min(least, time.count() / calls);
  }
  printf("%f\n", least);
  return sum == 1;
}
"#;

/// A function of a library, and another one of the same.
struct Case {
    library: &'static str,
    call: &'static str,
    functions: [&'static str; 2],
    /// SUBSCRIBES to FUNCTION, or not.
    tool: &'static str,
}

const CASES: [Case; 2] = [
    Case {
        library: "HSA",
        call: "hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &stamp)",
        functions: ["hsa_agent_get_info", "hsa_system_get_info"],
        tool: r#"
#include <luthier.h>
MARK_LUTHIER_DEVICE_MODULE
static unsigned long heard = 0;
void luthier_at_init() {
  if (SUBSCRIBES)
    luthier_subscribe_hsa(HSA_API_ID_FUNCTION);
}
void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t) { ++heard; }
"#,
    },
    Case {
        library: "HIP",
        call: "(void)hipGetDevice(&device)",
        functions: ["hipGetDeviceCount", "hipGetDevice"],
        tool: r#"
#include <luthier.h>
#include <hip/amd_detail/hip_prof_str.h>
MARK_LUTHIER_DEVICE_MODULE
static unsigned long heard = 0;
void luthier_at_init() {
  if (SUBSCRIBES && !luthier_subscribe_hip(HIP_API_ID_FUNCTION))
    abort();
}
void atHipEvt(void *args, luthier_api_phase_t, int) { ++heard; }
"#,
    },
];

fn main() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn compile(source: &Path, text: &str, options: &[&str]) -> Result<()> {
    std::fs::write(source, text)?;
    let compiled = std::process::Command::new("hipcc")
        .args(["-w", "-O2", "--offload-arch=gfx90a"])
        .args(options)
        .arg("-I")
        .arg(programs::root().join("include"))
        .arg(source)
        .arg("-o")
        .arg(source.with_extension("out.so"))
        .output()?;
    let said = String::from_utf8_lossy(&compiled.stderr);
    ensure!(compiled.status.success(), "{said}");
    Ok(())
}

fn measure() -> Result<()> {
    CASES.iter().try_for_each(compare)
}

fn compare(case: &Case) -> Result<()> {
    let emulator = Emulator::find()?;
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name);
    let program = PROGRAM.replace("CALL", case.call);
    compile(&path("program.hip"), &program, &["-lhsa-runtime64"])?;
    let library = ["-fPIC", "-shared", "-Xclang", "-fembed-bitcode=all"];
    let mut runs = vec![("without a tool", None, f64::MAX)];
    let [other, this] = case.functions;
    let subscriptions = [
        ("no events", "false", this),
        ("another function's events", "true", other),
        ("its events", "true", this),
    ];
    for (number, (what, subscribes, function)) in subscriptions.into_iter().enumerate() {
        let source = path(&format!("tool{number}.hip"));
        let tool = case.tool.replace("FUNCTION", function);
        let tool = tool.replace("SUBSCRIBES", subscribes);
        compile(&source, &tool, &library)?;
        runs.push((what, Some(source.with_extension("out.so")), f64::MAX));
    }
    for _ in 0..ROUNDS {
        for (what, tool, least) in &mut runs {
            let mut command = emulator.command();
            command.args(["run", "--device", "gfx90a"]);
            if let Some(tool) = tool {
                command.arg("-t").arg(tool);
            }
            let output = command
                .arg("--")
                .arg(path("program.out.so"))
                .bounded_output()?;
            let said = String::from_utf8_lossy(&output.stdout);
            ensure!(output.status.success(), "{what}: {said}");
            let time: f64 = said.trim().parse().with_context(|| said.to_string())?;
            *least = least.min(time);
        }
    }
    for (what, _, least) in &runs {
        println!("{least:>8.1} ns a call of {}, {what}", case.library);
    }
    Ok(())
}
