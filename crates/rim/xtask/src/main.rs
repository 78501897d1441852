//! Developer tasks: `cargo xtask WORD`.

mod attack;
mod c;
mod cases;
mod ci;
mod cluster;
mod command;
mod coverage;
mod csmith;
mod fuzz;
mod fuzz_count;
mod fuzz_device;
mod fuzz_rewrite;
mod gate;
mod hsa_events;
mod image;
mod installed;
mod layers;
mod lighthouse;
mod lint;
mod measured;
mod model;
mod nightly;
mod notes;
mod package;
mod python;
mod reference;
mod release;
mod rocm;
mod sanitize;
mod sbom;
mod sizes;
mod stacks;
mod tidy;
mod tool_abi;
mod workers;

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result};

/// A task: its name, what it does, and the function, which gets the remaining arguments and returns complaints.
type Task = (
    &'static str,
    &'static str,
    fn(&[String]) -> Result<Vec<String>>,
);

const TASKS: &[Task] = &[
    (
        "layers",
        "compare crate dependencies with layers.toml",
        |_| layers::check(),
    ),
    (
        "tidy",
        "check that files, names and documents follow the conventions",
        |_| tidy::check(),
    ),
    (
        "c",
        "[--all]: compile our C and C++ with warnings that are errors; all: also what includes LLVM's headers, a minute or two",
        c::run,
    ),
    (
        "gate",
        "[CARGO-TEST-ARGUMENTS] [-- TEST-ARGUMENTS]: every test and check that a change has to pass, or the tests that are chosen",
        gate::run,
    ),
    (
        "cases",
        "[--check]: write the cases of instructions whose values follow from their operands by rules that the host knows",
        |arguments| {
            let check = arguments.iter().any(|argument| argument == "--check");
            cases::run(&root(), check)
        },
    ),
    (
        "hsa-events",
        "[--check | --newer FOLDER]: write include/luthier_hsa_events.h from the headers of HSA that are installed, or the list of what those of another release in FOLDER have besides",
        |arguments| {
            if let [option, folder] = arguments
                && option == "--newer"
            {
                return hsa_events::write_newer(&root(), folder.as_ref()).map(|()| Vec::new());
            }
            let check = arguments.iter().any(|argument| argument == "--check");
            hsa_events::run(&root(), check).map(|()| Vec::new())
        },
    ),
    (
        "tool-abi",
        "[--check]: write what headers and documentation have of the rows in crates/instrument/tool-abi",
        |arguments| {
            let check = arguments.iter().any(|argument| argument == "--check");
            tool_abi::run(&root(), check)
        },
    ),
    (
        "fuzz",
        "[--seconds N] [--first N] [TARGET...]: run the fuzz targets for all parsers, or count: random programs, one total; rewrite: random kernels, instrumented and compared; or device: random programs, on the host and on the emulated GPU; they are others each day, or from number first on",
        fuzz::run,
    ),
    (
        "attack",
        "[--seconds N] [GROUP...]: everything that once harmed a user, again, and a while of chance besides; --help lists the groups",
        attack::run,
    ),
    (
        "model",
        "[MODEL...]: the emulated device's scheduler in every order of its threads' steps, under loom",
        model::run,
    ),
    (
        "nightly",
        "[PART...]: what takes too long for the gate, one part after another; appends a table to docs/measurements/nightly.md",
        nightly::run,
    ),
    (
        "sanitize",
        "[address|thread] [CRATE...]: tests with a sanitizer compiled in; without crates, those of the emulator with unsafe code or threads",
        sanitize::run,
    ),
    (
        "count-reference",
        "[--c++] CLANG-ARGUMENTS... FILE -o PROGRAM: build a program with the counter that judges the product",
        reference::run,
    ),
    (
        "coverage",
        "[--format text|json]: instructions that LLVM decodes, that we execute, that tests exercise",
        coverage::run,
    ),
    (
        "sizes",
        "compare the size of the libraries that other people's programs load with what they may have",
        sizes::run,
    ),
    (
        "package",
        "[--no-wheel] [--twice]: make target/package/luthier-VERSION-x86_64.tar.gz and a .deb of what ./dev build made, and the Python wheel; twice, to compare them",
        package::run,
    ),
    (
        "release",
        "--key KEY | --unsigned [--no-wheel] [--no-image] [--twice]: make everything that a release needs in target/dist, signed with a key that gpg has; twice, to compare it",
        release::run,
    ),
    (
        "ci",
        "[FOLDER]: run what docs/ci.md shows, with the release in the folder or in target/dist, in clean Debians 12, as root; how long a newcomer waits for a report",
        ci::run,
    ),
    (
        "python",
        "[--wheel | --quick] [PYTEST-ARGUMENTS...]: make the Python wheel in target/python/wheels; test it, installed in a fresh environment; or, quickly, the sources with the module that ./dev build made",
        python::run,
    ),
    (
        "cluster",
        "[PYTEST-ARGUMENTS...]: build luthier-cluster, and let an Apache Ballista scheduler with two executors answer what luthier query answers",
        cluster::run,
    ),
    (
        "installed",
        "[NAME...]: install the Debian package in clean releases of Debian and Ubuntu, as root, and use it there as another user",
        installed::run,
    ),
    (
        "lighthouse",
        "let Lighthouse look at each view of a report, and write docs/measurements/lighthouse.md",
        lighthouse::run,
    ),
    (
        "stacks",
        "[NAME...] [--keep] [--seconds N]: run the pages of docs/run in clean releases of Debian and Ubuntu, as root, and note what came of them",
        stacks::run,
    ),
    (
        "rocm",
        "NAME [PROGRAM...] [--suite NAME]: programs and test suites under the ROCm of another Debian or Ubuntu",
        rocm::run,
    ),
];

/// Root of the workspace.
fn root() -> PathBuf {
    let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    manifest
        .ancestors()
        .nth(3)
        .map_or(manifest.clone(), PathBuf::from)
}

/// Files in a folder and below it that end in one of the words, sorted.
fn files_below(folder: &Path, ends: &[&str]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?
    {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files_below(&path, ends)?);
        } else if path
            .extension()
            .is_some_and(|end| ends.iter().any(|one| end == *one))
        {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (word, rest) = match arguments.split_first() {
        Some((word, rest)) => (word.as_str(), rest),
        None => ("", &[][..]),
    };
    let Some((_, _, task)) = TASKS.iter().find(|(name, _, _)| *name == word) else {
        eprintln!("Usage: cargo xtask TASK\n");
        for (name, help, _) in TASKS {
            eprintln!("  {name:<16} {help}");
        }
        return ExitCode::from(2);
    };
    match task(rest) {
        Ok(complaints) if complaints.is_empty() => ExitCode::SUCCESS,
        Ok(complaints) => {
            for complaint in complaints {
                eprintln!("{complaint}");
            }
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("xtask {word}: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn crates_use_only_lower_layers() {
        assert_eq!(super::layers::check().unwrap(), Vec::<String>::new());
    }

    #[test]
    fn files_follow_the_conventions() {
        assert_eq!(super::tidy::check().unwrap(), Vec::<String>::new());
    }
}
