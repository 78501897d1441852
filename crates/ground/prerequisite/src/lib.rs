//! Programs, files and rights of the machine that tests need besides this repository.
//!
//! A test that lacks something calls [`skip`], or one of the functions that do, and returns. On a developer's machine the test is
//! then counted as skipped: `./dev test` lists skipped tests at its end. Where the environment variable `CI` is set, the test fails:
//! a machine that lacks something must not say that all is well. `./dev test` installs the Debian packages that tests need.
#![forbid(unsafe_code)]

use std::{
    env,
    fs::OpenOptions,
    io::{self, Write},
    panic::Location,
    path::Path,
    process::{Command, Stdio},
};

/// Names the file that gets one line for each skipped test; without it the lines go to standard error.
pub const LIST: &str = "LUTHIER_TEST_SKIPPED";

/// Is set where everything that tests start is built already, so that no test has to ask cargo for it.
pub const BUILT: &str = "LUTHIER_TEST_BUILT";

/// Returns `true` if missing prerequisites are failures: `CI` is set to something other than nothing and `false`.
pub fn required() -> bool {
    env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false")
}

/// Says that the calling test is skipped, and why. The test returns then.
///
/// # Panics
///
/// Panics if `CI` is set.
#[track_caller]
pub fn skip(reason: &str) {
    assert!(
        !required(),
        "{reason} (`CI` is set, so that this is a failure; without it the test is skipped)"
    );
    let place = Location::caller();
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    let line = format!(
        "skipped: {test} ({}:{}): {reason}\n",
        place.file(),
        place.line()
    );
    let written = match env::var_os(LIST) {
        Some(list) => OpenOptions::new()
            .create(true)
            .append(true)
            .open(list)
            .and_then(|mut list| list.write_all(line.as_bytes())),
        // The harness shows what tests print only if they fail; it does not see this.
        None => io::stderr().write_all(line.as_bytes()),
    };
    written.expect("the list of skipped tests can be written");
}

/// Returns `true` if a file is there that a Debian package has; if not, the calling test is skipped.
#[track_caller]
pub fn file(path: impl AsRef<Path>, package: &str) -> bool {
    let path = path.as_ref();
    let found = path.exists();
    if !found {
        skip(&format!(
            "{} is missing (Debian package {package})",
            path.display()
        ));
    }
    found
}

/// Returns `true` if a program is in the PATH that a Debian package has; if not, the calling test is skipped.
#[track_caller]
pub fn program(name: &str, package: &str) -> bool {
    let paths = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&paths).any(|folder| folder.join(name).is_file());
    if !found {
        skip(&format!("{name} is missing (Debian package {package})"));
    }
    found
}

/// Returns `true` if this process may mount a file system of its own (`unshare -rm`); if not, the calling test is skipped.
#[track_caller]
pub fn mounts() -> bool {
    let mut unshare = Command::new("unshare");
    unshare.args(["-rm", "true"]).stdin(Stdio::null());
    let may = unshare.output().is_ok_and(|ended| ended.status.success());
    if !may {
        skip("no file system can be mounted here: `unshare -rm true` fails");
    }
    may
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Set for a test that another one starts.
    const STARTED: &str = "PREREQUISITE_STARTED";

    /// Runs one test of this program in a process of its own.
    fn run(ci: Option<&str>, list: &Path) -> std::process::Output {
        let mut child = Command::new(env::current_exe().unwrap());
        child
            .args(["--exact", "tests::lacks_something"])
            .env(LIST, list)
            .env(STARTED, "1")
            .env_remove("CI");
        if let Some(ci) = ci {
            child.env("CI", ci);
        }
        child.output().unwrap()
    }

    /// For the other test, which starts it: it fails where CI is set. (`--ignored` would start an ignored test, too.)
    #[test]
    fn lacks_something() {
        if env::var_os(STARTED).is_none() {
            return;
        }
        assert!(!file("/nonexistent/header.h", "libnothing-dev"));
        assert!(!program("no-such-program", "nothing"));
        assert!(program("sh", "dash") && file("/", "base-files"));
    }

    #[test]
    fn what_is_missing_is_listed_at_a_desk_and_a_failure_in_ci() {
        let list = env::temp_dir().join(format!("prerequisite.{}", std::process::id()));
        for ci in [None, Some(""), Some("false")] {
            let output = run(ci, &list);
            assert!(output.status.success(), "{output:?}");
            let said = std::fs::read_to_string(&list).unwrap();
            std::fs::remove_file(&list).unwrap();
            let lines: Vec<&str> = said.lines().collect();
            assert_eq!(lines.len(), 2, "{said}");
            assert!(
                lines[0]
                    .contains("/nonexistent/header.h is missing (Debian package libnothing-dev)"),
                "{said}"
            );
            assert!(lines[1].contains("no-such-program is missing"), "{said}");
            assert!(
                lines.iter().all(|line| line.contains("src/lib.rs:")),
                "{said}"
            );
        }
        let output = run(Some("true"), &list);
        assert!(!output.status.success() && !list.exists());
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.contains("header.h is missing"), "{said}");
    }
}
