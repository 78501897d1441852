//! Nanoseconds of a call of HSA, and what events add to it: `cargo bench -p programs --bench events`, on a machine with a core to
//! spare. The program calls one function again and again; runs without a tool, with one that subscribed to another function, and
//! with one that subscribed to this one take turns, and the quickest of each is told.

use std::{path::Path, process::ExitCode};

use anyhow::{Context, Result, ensure};
use programs::{Bounded, Emulator};

const ROUNDS: usize = 5;

const PROGRAM: &str = r#"
#include <hip/hip_runtime.h>
#include <hsa/hsa.h>
#include <chrono>
#include <cstdio>
int main() {
  void *memory = nullptr;
  if (hipMalloc(&memory, 64) || hsa_init())
    return 1;
  const int calls = 1000000;
  uint64_t sum = 0, stamp = 0;
  auto begin = std::chrono::steady_clock::now();
  for (int call = 0; call < calls; ++call) {
    hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &stamp);
    sum += stamp;
  }
  std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
  printf("%f\n", time.count() / calls);
  return sum == 0;
}
"#;

/// Subscribes to one function; WHICH is its name.
const TOOL: &str = r#"
#include <luthier.h>
MARK_LUTHIER_DEVICE_MODULE
static unsigned long heard = 0;
void luthier_at_init() { luthier_subscribe_hsa(HSA_API_ID_WHICH); }
void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t) { ++heard; }
"#;

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
    let emulator = Emulator::find()?;
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name);
    compile(&path("program.hip"), PROGRAM, &["-lhsa-runtime64"])?;
    let library = ["-fPIC", "-shared", "-Xclang", "-fembed-bitcode=all"];
    let mut runs = vec![("without a tool", None, f64::MAX)];
    for (what, function) in [
        ("another function's events", "hsa_agent_get_info"),
        ("its events", "hsa_system_get_info"),
    ] {
        let source = path(&format!("{function}.hip"));
        compile(&source, &TOOL.replace("WHICH", function), &library)?;
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
        println!("{least:>8.1} ns a call, {what}");
    }
    Ok(())
}
