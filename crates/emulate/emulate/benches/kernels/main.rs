//! Whole programs on emulated GPUs of several targets, against the same programs on one CPU thread.
//!
//! * `cargo bench -p emulate` compiles the programs with clang (`CLANG`, else `clang-22`) and prints processor times side by side.
//! * `cargo bench -p emulate -- --page docs/emulator/speed.md` writes them to that page, with the machine, the date and the commit, and
//!   the shapes that AMD publishes.
//! * `cargo bench -p emulate -- --threads 1,2,4` prints how each program scales over host threads.
//!
//! `--native 4` has runs of at least 4 lane-wise instructions as host code, `--native often` those that gain, `--native 0` none. Without
//! it, devices are as users have them.
//!
//! `--targets gfx90a,gfx1100` takes others than all four, a last word only programs with it in their names. For a machine without
//! compilers: `kernels --build DIR` here, then `kernels --run DIR ...` there, with the same DIR.

mod compile;
mod machine;
mod page;
mod programs;
mod published;
mod rounds;
mod threads;
mod time;

use std::{
    error::Error,
    path::{Path, PathBuf},
};

use emulate::HostCode;

pub type Outcome<T> = Result<T, Box<dyn Error>>;

/// Two wave sizes of each kind of GPU: CDNA and RDNA.
const TARGETS: &str = "gfx90a,gfx942,gfx1100,gfx1201";
/// Options with a value.
const OPTIONS: [&str; 6] = [
    "--build",
    "--run",
    "--targets",
    "--threads",
    "--page",
    "--native",
];

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).cloned()
    };
    let targets = value("--targets").unwrap_or_else(|| TARGETS.to_owned());
    let targets: Vec<&str> = targets.split(',').collect();
    if let Some(wanted) = value("--native") {
        machine::translate(match wanted.as_str() {
            "0" => None,
            "often" => Some(HostCode::OFTEN),
            least => Some(HostCode::at_once(least.parse()?)),
        });
    }
    if let Some(directory) = value("--build") {
        return compile::all(Path::new(&directory), &targets);
    }
    let directory = match value("--run") {
        Some(directory) => PathBuf::from(directory),
        None => {
            let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernels");
            compile::all(&directory, &targets)?;
            directory
        }
    };
    let is_word = |at: &usize| {
        !arguments[*at].starts_with('-')
            && (*at == 0 || !OPTIONS.contains(&arguments[at - 1].as_str()))
    };
    let word = (0..arguments.len()).find(is_word);
    let part = word.map_or("", |at| &arguments[at]);
    if let Some(list) = value("--threads") {
        let counts = list
            .split(',')
            .map(str::parse)
            .collect::<Result<Vec<_>, _>>()?;
        return threads::scale(&directory, targets[0], &counts, part);
    }
    let rows = rounds::all(&directory, &targets, part)?;
    println!("{}", page::times(&targets, &rows));
    if let Some(page) = value("--page") {
        let published = rounds::published(&directory)?;
        // Cargo starts benchmarks in the folder of their crate, and the caller names files from the workspace's.
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../..")
            .join(page);
        std::fs::write(&path, page::whole(&targets, &rows, &published))
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    Ok(())
}
