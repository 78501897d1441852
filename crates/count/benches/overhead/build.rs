//! Every variant of every program, and of a program that does nothing.

use crate::support::{luthier_count, must, sources::Real};
use crate::variants::{NOTHING, VARIANTS, Way, path};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The sanitizer counters want somebody who takes them.
const COVERAGE_STUB: &str =
    "void __sanitizer_cov_8bit_counters_init(char *a, char *b) { (void)a; (void)b; }\n";

pub fn all(programs: &[&Real], directory: &Path) {
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
    for (index, (_, way, _)) in VARIANTS.iter().enumerate() {
        let mut empty = compiler(way, "clang-22", "cc", &stub);
        must(
            empty
                .arg(&nothing)
                .arg("-o")
                .arg(path(directory, NOTHING, index)),
        );
        for real in programs {
            let mut command = compiler(way, real.clang(), real.driver(), &stub);
            must(
                command
                    .args(real.arguments())
                    .arg("-o")
                    .arg(path(directory, real.name, index)),
            );
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
        Way::Counted(flags) => {
            let mut command = luthier_count();
            command.arg(driver).args(*flags);
            command
        }
    };
    command.args(["-O2", "-ffp-contract=off", "-no-pie", "-fno-pie"]);
    command
}
