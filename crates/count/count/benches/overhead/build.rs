//! Every variant of every program, and of a program that does nothing.

use crate::support::{luthier_count, must, sources::Real};
use crate::variants::{NOTHING, VARIANTS, Way, chosen, path, twin};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The sanitizer's counters need a function that registers them.
const COVERAGE_STUB: &str =
    "void __sanitizer_cov_8bit_counters_init(char *a, char *b) { (void)a; (void)b; }\n";

pub fn all(programs: &[&Real], directory: &Path, only: Option<&str>) {
    fs::create_dir_all(directory).unwrap();
    // (An object: C++ programs are compiled with flags that C does not take.)
    let stub = directory.join("stub.o");
    let source = directory.join("stub.c");
    fs::write(&source, COVERAGE_STUB).unwrap();
    must(
        Command::new("clang-22")
            .args(["-O2", "-c"])
            .arg(&source)
            .arg("-o")
            .arg(&stub),
    );
    let nothing = directory.join("nothing.c");
    fs::write(&nothing, "int main(void) { return 0; }\n").unwrap();
    let jobs = VARIANTS
        .iter()
        .enumerate()
        .filter(|(index, _)| chosen(*index, only) && twin(*index, only).is_none())
        .flat_map(|(index, (_, way, _))| {
            let one = move |real| (index, way, real);
            [None].into_iter().chain(programs.iter().map(Some)).map(one)
        });
    let jobs: Vec<_> = jobs.collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((index, way, real)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (mut command, name) = match real {
                Some(real) => {
                    let mut command = compiler(way, real.clang(), real.driver(), &stub);
                    command.args(real.arguments());
                    (command, real.name)
                }
                None => {
                    let mut command = compiler(way, "clang-22", "cc", &stub);
                    command.arg(&nothing);
                    (command, NOTHING)
                }
            };
            must(command.arg("-o").arg(path(directory, name, *index)));
        }
    };
    thread::scope(|scope| {
        let workers = thread::available_parallelism().map_or(1, usize::from);
        (0..workers).for_each(|_| drop(scope.spawn(work)));
    });
    let names = [NOTHING]
        .into_iter()
        .chain(programs.iter().map(|real| real.name));
    for name in names {
        for index in (0..VARIANTS.len()).filter(|index| chosen(*index, only)) {
            if let Some(other) = twin(index, only) {
                fs::copy(path(directory, name, other), path(directory, name, index)).unwrap();
            }
        }
    }
}

fn compiler(way: &Way, clang: &str, driver: &str, stub: &Path) -> Command {
    let mut command = match way {
        Way::Plain(flags) => {
            let mut command = Command::new(clang);
            command.args(*flags).arg(stub);
            command
        }
        Way::Counted(flags) | Way::Limited(flags) => {
            let mut command = luthier_count();
            command.arg(driver).args(*flags);
            command
        }
    };
    command.args(["-O2", "-ffp-contract=off", "-no-pie", "-fno-pie"]);
    command
}
