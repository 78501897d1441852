//! The check of one target with the emulated device on both sides: what the emulated device does not execute would be noise in
//! reports from hardware. `cargo run --release -p hardware --example emulated -- gfx1100`

use std::process::ExitCode;

use hardware::{About, Emulated, Options, check, page};

fn main() -> ExitCode {
    let Some(target) = std::env::args().nth(1) else {
        eprintln!("usage: emulated TARGET");
        return ExitCode::from(2);
    };
    let about = About {
        isa: format!("amdgcn-amd-amdhsa--{target}"),
        ..Default::default()
    };
    let options = Options {
        sweep: 1 << 12,
        ..Default::default()
    };
    let (mut gpu, mut emulator) = (Emulated::new(), Emulated::new());
    match check(&about, &mut gpu, &mut emulator, &options, &mut |_, _| ()) {
        Ok(report) => {
            print!("{}", page::text(&report));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
