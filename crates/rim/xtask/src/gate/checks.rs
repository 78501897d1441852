//! Checks of the gate besides tests. They run one after another while the tests run: many tests wait for a single compiler, and checks use
//! the processors that they leave free.

use std::{
    fs::{self, File},
    path::PathBuf,
    process::{Command, Stdio},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};

use crate::root;

/// Name and command of each check. `xtask` stands for this program. A check that takes longer than its seconds fails.
const CHECKS: &[(&str, &[&str], u64)] = &[
    ("lints", &["./dev", "lint"], 2400),
    ("sizes", &["xtask", "sizes"], 120),
    ("models", &["xtask", "model"], 300),
    ("python", &["xtask", "python", "--quick"], 1200),
    ("c", &["xtask", "c"], 300),
];

/// The result of one check.
#[derive(Debug)]
pub struct Check {
    pub name: &'static str,
    pub passed: bool,
    pub time: Duration,
    /// All that it printed.
    pub printed: PathBuf,
}

/// Starts the checks.
pub fn start(environment: Vec<(&'static str, PathBuf)>) -> JoinHandle<Result<Vec<Check>>> {
    std::thread::spawn(move || {
        let folder = root().join("target/gate");
        let mut checks = Vec::new();
        for (name, words, seconds) in CHECKS {
            let printed = folder.join(format!("{name}.txt"));
            let began = Instant::now();
            let passed = run(words, *seconds, &printed, &environment)
                .with_context(|| format!("cannot run the check `{name}`"))?;
            checks.push(Check {
                name,
                passed,
                time: began.elapsed(),
                printed,
            });
        }
        Ok(checks)
    })
}

fn run(
    words: &[&str],
    seconds: u64,
    printed: &PathBuf,
    environment: &[(&'static str, PathBuf)],
) -> Result<bool> {
    let file = File::create(printed)?;
    let mut command = Command::new("nice");
    command.args(["timeout", "--kill-after=10", &seconds.to_string()]);
    match words[0] {
        "xtask" => command.arg(std::env::current_exe()?),
        program => command.arg(program),
    };
    let status = command
        .args(&words[1..])
        .current_dir(root())
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file)
        .status()?;
    if status.code() == Some(124) {
        let text = fs::read_to_string(printed)?;
        fs::write(printed, format!("{text}stopped after {seconds} s\n"))?;
    }
    Ok(status.success())
}

#[cfg(test)]
mod tests {
    use std::process::Output;

    use super::*;

    /// Starts a compiler as cargo does in CI, in a workspace with one source. The compiler `echo` prints how it is started, and so does the
    /// Clippy beside it.
    fn in_ci(words: [&str; 3], text: &str, manifest: &str, arguments: &[&str]) -> (Output, bool) {
        let [compiler, name, source] = words;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(source);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        fs::create_dir(folder.path().join("out")).unwrap();
        fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
        let mut compile = Command::new(root().join(".ci/rustc"));
        compile.args([compiler, "--crate-name", name, "--edition=2024", source]);
        compile.args(["--emit=dep-info,link", "--out-dir", "out"]);
        compile.env("CARGO_BIN_EXE_of-a-test", "program");
        compile.env("CARGO_MANIFEST_DIR", folder.path());
        if compiler == "echo" {
            let clippy = folder.path().join("clippy-driver");
            std::os::unix::fs::symlink("/bin/echo", clippy).unwrap();
            let path = std::env::var("PATH").unwrap();
            compile.env("PATH", format!("{}:{path}", folder.path().display()));
        }
        let output = compile.args(arguments).current_dir(&folder).output();
        let compiled = folder.path().join(format!("out/lib{name}.rlib")).exists();
        (output.unwrap(), compiled)
    }

    /// The complaints about a crate, if there are any.
    fn complaints(source: &str, text: &str, manifest: &str, kind: &str) -> String {
        let name = ["rustc", "isa_like", source];
        let (output, compiled) = in_ci(name, text, manifest, &[kind]);
        let printed = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.success(), printed.is_empty(), "{printed}");
        assert!(compiled || !printed.is_empty() || source.contains("/benches/"));
        printed
    }

    const LIBRARY: &str = "crates/ground/isa/src/lib.rs";
    const AS_LIBRARY: &str = "--crate-type=lib";
    /// A manifest says this of a library without unit tests.
    const UNTESTED: &str = "[lib]\ntest = false\n";

    #[test]
    fn what_ci_compiles_is_linted() {
        let lint = "pub fn one() -> u8 {\n    return 1;\n}\n";
        // (Shells may lose a variable with such a name.)
        let right =
            "//! A library.\npub const PROGRAM: &str = env!(\"CARGO_BIN_EXE_of-a-test\");\n";
        assert_eq!(complaints(LIBRARY, right, UNTESTED, AS_LIBRARY), "");
        let found = |source: &str, manifest: &str, kind: &str| {
            complaints(source, lint, manifest, kind).contains("needless_return")
        };
        assert!(found(LIBRARY, UNTESTED, AS_LIBRARY));
        assert!(found("crates/ground/isa/build.rs", "", AS_LIBRARY));
        assert!(found("crates/ground/isa/benches/a.rs", "", AS_LIBRARY));
        // Clippy compiles the tests of this one.
        assert!(!found(LIBRARY, "", AS_LIBRARY));
        assert!(found(LIBRARY, "", "--test"));
        let unused = "fn one() {}\n";
        assert!(complaints(LIBRARY, unused, "", AS_LIBRARY).contains("never used"));
        // (Dependencies are others' business.)
        assert_eq!(complaints("src/lib.rs", lint, UNTESTED, AS_LIBRARY), "");
    }

    /// Cargo compiles again what was compiled while such a variable had another value.
    #[test]
    fn cargo_sees_the_variables_that_its_compiler_gets_in_ci() {
        let read = |name: &str| fs::read_to_string(root().join(".ci").join(name)).unwrap();
        let (compiler, run) = (read("rustc"), read("run"));
        let mut variables = compiler
            .lines()
            .filter_map(|line| line.strip_prefix("export "))
            .peekable();
        assert!(variables.peek().is_some());
        for variable in variables {
            let exported = format!("export {variable}");
            assert!(run.lines().any(|line| line == exported), "{variable}");
        }
    }

    #[test]
    fn what_ci_compiles_is_documented() {
        let link = "//! See [`nowhere`].\n";
        let (output, compiled) = in_ci(["rustc", "isa", LIBRARY], link, "", &[AS_LIBRARY]);
        let printed = String::from_utf8(output.stderr).unwrap();
        assert!(compiled && printed.contains("unresolved link"), "{printed}");
        assert!(!output.status.success());
    }

    #[test]
    fn ci_optimises_what_is_no_test() {
        let started = |source: &str, name: &str, kind: &str| {
            let printed = in_ci(["echo", name, source], "", UNTESTED, &[kind])
                .0
                .stdout;
            let printed = String::from_utf8(printed).unwrap();
            printed.lines().next().unwrap().to_owned()
        };
        let ours = |source: &str, name: &str, kind: &str| {
            let started = started(source, name, kind);
            started.split_once(kind).unwrap().1.to_owned()
        };
        const UNOPTIMISED: &str = " -C opt-level=0 -C debug-assertions=off -D warnings";
        const LIBRARY_OF_OURS: &str = " -C lto=off -D warnings";
        let tests = "crates/wave/tests/main.rs";
        for (source, name, kind, added) in [
            (LIBRARY, "lift", AS_LIBRARY, LIBRARY_OF_OURS),
            (LIBRARY, "wave", AS_LIBRARY, ""),
            (LIBRARY, "lift", "--test", UNOPTIMISED),
            (tests, "lift", "--test", UNOPTIMISED),
            (tests, "isa", "--test", " -C lto=off"),
            (tests, "native", "--test", ""),
            (tests, "wave", "--test", " -C lto=off"),
            ("serde/src/lib.rs", "serde", AS_LIBRARY, " -C lto=off"),
        ] {
            assert_eq!(ours(source, name, kind), added, "{name} {source} {kind}");
        }
    }
}
