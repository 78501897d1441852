//! Microseconds of launches and of waiting for them: `cargo bench -p programs --bench launching`, on a machine with a core to spare.

use std::process::ExitCode;

use anyhow::{Result, ensure};
use programs::Emulator;

const DEVICE: &str = "gfx90a";

fn main() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Result<()> {
    let emulator = Emulator::find()?;
    let executable = programs::compile(&programs::named("launch_times")?)?;
    let status = emulator
        .command()
        .args(["run", "--device", DEVICE, "--"])
        .arg(executable)
        .status()?;
    ensure!(status.success(), "the program failed: {status}");
    Ok(())
}
