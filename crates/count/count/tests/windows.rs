//! Programs for Windows, built with Debian's mingw-w64 and run by its wine. They need the packages gcc-mingw-w64-x86-64 and
//! wine64, 700 MB, which `./dev nightly` installs; `drivers.rs` compares objects all the same.

use crate::support;

use crate::support::{Run, compile, program, run};
use std::ffi::OsStr;

const WINE: &str = "/usr/lib/wine/wine64";
const TARGET: &str = "--target=x86_64-w64-windows-gnu";

struct Wine(tempfile::TempDir);

impl Wine {
    fn new() -> Option<Wine> {
        let there = prerequisite::file(WINE, "wine64")
            && prerequisite::program("x86_64-w64-mingw32-ld", "binutils-mingw-w64-x86-64");
        if !there {
            return None;
        }
        Some(Wine(tempfile::tempdir().unwrap()))
    }

    fn count(&self, ours: &[&str], clang: &[&str], how: &[&str]) -> Run {
        let out = self.0.path().join("program.exe");
        compile(
            &program("windows.c"),
            ours,
            &[&[TARGET], clang].concat(),
            &out,
        );
        let prefix = format!("WINEPREFIX={}", self.0.path().join("wine").display());
        let words = [
            OsStr::new("env"),
            OsStr::new(&prefix),
            OsStr::new("WINEDEBUG=-all"),
            OsStr::new(WINE),
            out.as_os_str(),
        ];
        let mut run = run(how, &words);
        run.stdout = run.stdout.replace('\r', "");
        run
    }
}

#[test]
#[ignore = "needs wine, 700 MB; ./dev nightly runs it"]
fn programs_for_windows_count_as_on_linux() {
    let Some(wine) = Wine::new() else { return };
    let ours = ["--preset", "portable-1"];
    let linux = support::count(&program("windows.c"), &ours, &["-O2"]);
    for (more, clang) in [
        (&[][..], &["-O0"][..]),
        (&[], &["-O2"]),
        (&["--per", "function"], &["-O2"]),
        (&["--placement", "segment"], &["-O1"]),
        (&["--budget"], &["-O2"]),
    ] {
        let windows = wine.count(&[&ours[..], more].concat(), clang, &[]);
        assert_eq!(
            (windows.status, &windows.stdout),
            (Some(0), &linux.stdout),
            "{more:?}: {}",
            windows.stderr
        );
        assert_eq!(windows.total, linux.total, "{more:?} {clang:?}");
    }
    // Without a limit, which is all there is on Windows.
    let unlimited = wine.count(&ours, &["-O2"], &["--watchdog", "0"]);
    assert_eq!(unlimited.status, Some(0), "{}", unlimited.stderr);
    let stopped = wine.count(&["--budget"], &["-O2"], &["--budget", "5000"]);
    assert_eq!(stopped.status, Some(124), "{}", stopped.stderr);
    assert!((5000..5060).contains(&stopped.total), "{}", stopped.total);
}
