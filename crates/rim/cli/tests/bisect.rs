//! Two builds of one kernel, and the store, the line and the pass that tell them apart.

use compiled::Compiler;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::common::luthier;

const CLANG: &str =
    "clang-22 -target amdgcn-amd-amdhsa -mcpu=gfx90a -nogpulib -cl-std=CL2.0 -O2 -g";

struct Place(tempfile::TempDir);

/// Status, standard output, standard error.
type Said = (Option<i32>, String, String);

impl Place {
    fn new() -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        // The fourth number has none that is greater.
        let numbers = [1, 2, 3, i32::MAX, 5, 6, 7, 8];
        let bytes: Vec<u8> = numbers.into_iter().flat_map(i32::to_le_bytes).collect();
        fs::write(place.path("in"), bytes).unwrap();
        fs::write(place.path("before"), [0xff; 64]).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    fn build(&self, name: &str, options: &str) -> String {
        let command = format!(
            "{CLANG} {options} {} -o {}",
            source("bisected.cl"),
            self.text(name)
        );
        let status = Command::new("sh").args(["-c", &command]).status().unwrap();
        assert!(status.success(), "{command}");
        self.text(name)
    }

    fn bisect(&self, arguments: &[&str]) -> Said {
        let [before, input] = ["before", "in"].map(|name| format!("file:{}", self.text(name)));
        let launch = [
            "-k", "grows", "--block", "8", "--arg", &before, "--arg", &input,
        ];
        said(&[&["bisect"], arguments, &launch].concat())
    }

    /// The output of a build as `luthier emulate` has it.
    fn output(&self, object: &str) -> Vec<u8> {
        let (input, dump) = (
            format!("file:{}", self.text("in")),
            format!("0:{}", self.text("out")),
        );
        let launch = [
            "emulate", object, "-k", "grows", "--block", "8", "--arg", "zero:64",
        ];
        let (status, _, stderr) =
            said(&[&launch[..], &["--arg", &input, "--dump", &dump]].concat());
        assert_eq!(status, Some(0), "{stderr}");
        fs::read(self.path("out")).unwrap()
    }
}

fn source(name: &str) -> String {
    format!("{}/tests/programs/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn said(arguments: &[&str]) -> Said {
    let output = luthier(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn the_first_store_that_differs_is_shown_in_both_builds() {
    let place = Place::new();
    let good = place.build("good", "-fwrapv");
    let same = place.build("same", "-fwrapv -O1");
    let (status, stdout, stderr) = place.bisect(&[&good, &same]);
    assert_eq!(status, Some(0), "{stdout}{stderr}");
    assert_eq!(stdout, "grows: both builds leave the same memory behind\n");

    // Without -fwrapv a sum with 1 is greater, whatever it is.
    let bad = place.build("bad", "");
    let (status, stdout, stderr) = place.bisect(&[&good, &bad]);
    assert_eq!(status, Some(1), "{stdout}{stderr}");
    let lines: Vec<&str> = stdout.lines().collect();
    assert_eq!(
        lines[0],
        "grows: 1 word differs; the first, argument 0 + 0x1c:"
    );
    for (line, start) in [(1, "  good  0x00000000 by"), (3, "  bad   0x00000001 by")] {
        assert!(lines[line].starts_with(start), "{stdout}");
        assert!(
            lines[line].contains("workgroup 0,0,0 wave 0 at 0x"),
            "{stdout}"
        );
        assert!(lines[line].contains("global_store_dword"), "{stdout}");
        assert!(lines[line + 1].contains("bisected.cl:5 in "), "{stdout}");
    }
}

/// Memory behind a buffer is not compared. An error names the file that it is about, and no other.
#[test]
fn a_buffer_ends_with_its_last_byte() {
    let place = Place::new();
    let good = place.build("good", "-fwrapv");
    let launch = ["-k", "grows", "--block", "8", "--arg", "zero:32"];
    let input = format!("file:{}", place.text("in"));
    let words = [&["bisect", &good, &good][..], &launch, &["--arg", &input]].concat();
    let (status, stdout, stderr) = said(&words);
    assert_eq!((status, &*stdout), (Some(2), ""), "{stderr}");
    let expected = format!("luthier: {good}: the good build is stopped, so that it says nothing");
    assert!(stderr.starts_with(&expected), "{stderr}");
    assert!(
        stderr.contains("0 bytes past the end of 32 bytes"),
        "{stderr}"
    );

    let (status, _, stderr) = place.bisect(&[&good, "no-such-build"]);
    assert_eq!(status, Some(2));
    assert!(
        stderr.starts_with("luthier: cannot read no-such-build"),
        "{stderr}"
    );
}

#[test]
fn a_build_that_faults_or_does_not_end_differs() {
    let place = Place::new();
    let good = place.build("good", "-fwrapv");
    let faults = place.build("faults", "-fwrapv -DFAULTS");
    let (status, stdout, _) = place.bisect(&[&good, &faults]);
    assert_eq!(status, Some(1), "{stdout}");
    assert!(
        stdout.contains("the bad build is stopped\n  good: ends\n"),
        "{stdout}"
    );
    assert!(stdout.contains("0x10"), "{stdout}");
    let endless = place.build("endless", "-fwrapv -DENDLESS");
    let (status, stdout, _) = place.bisect(&[&good, &endless, "--limit", "2"]);
    assert_eq!(status, Some(1), "{stdout}");
    assert!(
        stdout.contains("bad:  the kernel does not end in time"),
        "{stdout}"
    );
}

/// The pass that is named is the one with which the output changes, as the compiler and `luthier emulate` say.
#[test]
fn the_pass_that_makes_the_difference_is_named() {
    let place = Place::new();
    let good = place.build("good", "-fwrapv");
    let command = format!(
        "{CLANG} -mllvm -opt-bisect-limit={{limit}} {} -o {{out}}",
        source("bisected.cl")
    );
    let (status, stdout, stderr) = place.bisect(&[&good, "--build", &command]);
    assert_eq!(status, Some(1), "{stdout}{stderr}");
    let (_, named) = stdout
        .split_once("the first pass that makes a difference, of ")
        .unwrap();
    let (_, named) = named.split_once(": (").unwrap();
    let (number, name) = named.split_once(") ").unwrap();
    let number: u32 = number.parse().unwrap();
    assert!(name.contains(" on "), "{stdout}");
    let right = place.output(&good);
    let at = |limit: u32| {
        let object = place.build(
            "limited",
            &format!("-mllvm -opt-bisect-limit={limit} 2>/dev/null"),
        );
        place.output(&object)
    };
    assert_eq!(at(number - 1), right, "{stdout}");
    assert_ne!(at(number), right, "{stdout}");

    // A command that makes the same build all the time has no such pass.
    let command = command.replace(" -mllvm -opt-bisect-limit={limit}", " ") + "; : {limit}";
    let (status, _, stderr) = place.bisect(&[&good, "--build", &command]);
    assert_eq!(status, Some(2));
    assert!(stderr.contains("names no passes"), "{stderr}");
    let (status, _, stderr) = place.bisect(&[&good, "--build", "false {limit} {out}"]);
    assert!(
        status == Some(2) && stderr.contains("ended with exit status: 1: false -1 "),
        "{stderr}"
    );
    let says = "printf 'a\\nb\\n' >&2; false {limit} {out}";
    let (_, _, stderr) = place.bisect(&[&good, "--build", says]);
    assert!(stderr.ends_with("/build:\na\nb\n"), "{stderr}");
    let (status, _, stderr) = place.bisect(&[&good, "--build", "true {out}"]);
    assert!(
        status == Some(2) && stderr.contains("has no {limit}"),
        "{stderr}"
    );
}

#[test]
fn a_recorded_launch_judges_too() {
    let place = Place::new();
    let build = |name: &str, option: &str| {
        let mut hipcc = Compiler::new("hipcc");
        hipcc.args([
            "-g",
            "--offload-arch=gfx90a",
            option,
            &source("bisected.hip"),
            "-o",
        ]);
        assert!(hipcc.arg(place.path(name)).status().unwrap().success());
        place.text(name)
    };
    let (right, wrong) = (build("right", "-O2"), build("wrong", "-DWRONG"));
    let record = place.text("record");
    let (status, stdout, stderr) = said(&[
        "run", "--device", "gfx90a", "--record", &record, "--", &right,
    ]);
    assert_eq!((status, stdout.as_str()), (Some(0), "11\n"), "{stderr}");
    let mut recorded = fs::read_dir(&record)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let recorded = recorded.find(|path| path.extension().is_some_and(|end| end == "dispatch"));
    let launch = recorded.unwrap();
    let bisect = |bad: &str| said(&["bisect", &right, bad, "--launch", text(&launch)]);
    let (status, stdout, stderr) = bisect(&right);
    assert_eq!(status, Some(0), "{stdout}{stderr}");
    let (status, stdout, stderr) = bisect(&wrong);
    assert_eq!(status, Some(1), "{stdout}{stderr}");
    assert!(
        stdout.contains("twice(int*): 1 word differs; the first, 0x"),
        "{stdout}"
    );
    assert!(
        stdout.contains("  good  0x00000013 by workgroup 0,0,0 wave 0 at 0x"),
        "{stdout}"
    );
    assert!(stdout.contains("bisected.hip:12 in "), "{stdout}");
    assert!(
        stdout.contains("  bad   0x00000007, as it was before the launch"),
        "{stdout}"
    );
    let (status, _, stderr) = said(&["bisect", &wrong, &right, "--launch", text(&launch)]);
    assert!(
        status == Some(2) && stderr.contains("the recorded one must be GOOD"),
        "{stderr}"
    );
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
