//! Kernels that stop for reasons of the host's, or never: what is said of them.

use std::{
    io::{BufRead, BufReader, Read},
    os::unix::process::{CommandExt, ExitStatusExt},
    process::Stdio,
};

use crate::common::{compile, hip, luthier};

#[test]
fn memory_that_is_taken_away_stops_the_kernel_and_says_where() {
    for (mode, device) in [("unmap", "gfx90a"), ("protect", "gfx90a")] {
        let mut command = luthier(&["run", "--device", device, "--"]);
        let output = command
            .arg(hip("withdrawn.hip"))
            .arg(mode)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        // The runtime aborts on memory faults; nothing dies of a signal that was not meant for it.
        assert_ne!(output.status.signal(), Some(libc::SIGSEGV), "{said}");
        assert_ne!(output.status.signal(), Some(libc::SIGBUS), "{said}");
        assert!(!output.status.success(), "{said}");
        for part in [
            "walk",
            "unmapped, protected or freed",
            "pc 0x",
            "workgroup (",
            "lane ",
        ] {
            assert!(said.contains(part), "{mode}: {part:?} is missing in {said}");
        }
        let memory = ["global_load", "global_store", "flat_load", "flat_store"];
        assert!(memory.iter().any(|part| said.contains(part)), "{said}");
    }
}

#[test]
fn whoever_interrupts_an_endless_kernel_is_told_where_it_is() {
    interrupted(&[], false);
}

#[test]
fn tools_do_not_keep_that_to_themselves() {
    let said = interrupted(&["-t", "instr-count"], false);
    let note = "instrumented kernels were still running";
    assert_eq!(said.matches(note).count(), 1, "{said}");
}

/// A signal to the group of processes, as `timeout` sends it, reaches the program once more through its launcher.
#[test]
fn groups_are_interrupted_once() {
    let said = interrupted(&["--stats"], true);
    let row = said
        .lines()
        .find(|line| line.ends_with(" _Z7foreverPViS0_"));
    assert!(row.is_some(), "the statistics lack what runs: {said}");
    let said = interrupted(&["--stats", "-t", "bb-count"], true);
    assert!(said.contains("bb-count:"), "no results: {said}");
}

fn interrupted(options: &[&str], group: bool) -> String {
    let mut command = luthier(&["run", "--device", "gfx90a"]);
    command
        .args(options)
        .arg("--")
        .arg(hip("endless.hip"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    let stdout = child.stdout.take().unwrap();
    BufReader::new(stdout).read_line(&mut line).unwrap();
    assert_eq!(line, "begins\n", "{options:?}");
    let child_id = child.id() as i32;
    let whom = if group { -child_id } else { child_id };
    // SAFETY: sends a signal to a child that was not waited for.
    unsafe { libc::kill(whom, libc::SIGINT) };
    let status = child.wait().unwrap();
    let mut said = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    assert_eq!(status.signal(), Some(libc::SIGINT), "{said}");
    for part in [
        "forever",
        "was still running (2 workgroups, ",
        " wave instructions so far)",
        "of its waves seen at pc 0x",
    ] {
        assert!(said.contains(part), "{part:?} is missing in {said}");
    }
    said
}

/// Statistics count the waves that began, and the instructions until a wave stops the kernel. Tools say that they may lack some of these.
#[test]
fn kernels_that_stop_keep_their_counts() {
    let run = |options: &[&str], workgroups: &str| {
        let mut command = luthier(&["run", "--device", "gfx90a"]);
        let command = command.args(options).arg("--").arg(hip("stops.hip"));
        let output = command.arg(workgroups).output().unwrap();
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    // Dispatches, waves, wave instructions and lane instructions.
    let counts = |workgroups: &str| {
        let said = run(&["--stats"], workgroups);
        let row = said
            .lines()
            .find(|line| line.contains("_Z5stopsv (1 faulted)"));
        let row = row.unwrap_or_else(|| panic!("{said}"));
        let counts = row.split("  ").filter(|field| !field.trim().is_empty());
        let counts = counts.filter_map(|field| field.replace(' ', "").parse().ok());
        counts.take(4).collect::<Vec<u64>>()
    };
    // Seven and the trap, by 64 lanes.
    assert_eq!(counts("1"), [1, 1, 8, 512]);
    // Each workgroup is one wave, and each that begins comes to its trap.
    let many = counts("1000000");
    let waves = many[1];
    assert!((1..1_000_000).contains(&waves), "{many:?}");
    assert_eq!(many, [1, waves, 8 * waves, 512 * waves]);
    let said = run(&["-t", "instr-count"], "1");
    let note = "the device stopped a queue with an error";
    assert_eq!(said.matches(note).count(), 1, "{said}");
}

/// The report says what a program has executed so far, and where it is, whatever its kernels do.
#[test]
fn counts_and_places_of_what_runs_are_told() {
    for (mode, signal) in [
        ("barriers", libc::SIGTERM),
        ("many", libc::SIGINT),
        ("waits", libc::SIGTERM),
    ] {
        let said = busy(&[mode], signal);
        let told = said.split("was still running (").nth(1);
        let told = told.unwrap_or_else(|| panic!("{mode}: {said}"));
        let instructions = told.split(' ').nth(2).unwrap();
        let instructions: u64 = instructions.parse().unwrap();
        assert!(instructions > 1000, "{mode}: {said}");
        assert!(
            said.contains("of its waves seen at pc 0x"),
            "{mode}: {said}"
        );
        counted(mode, &said);
    }
}

/// The statistics contain running kernels even if no handler of Luthier's sees the end: test frameworks handle signals, and raise them
/// again.
#[test]
fn a_signal_that_the_program_raises_again_leaves_the_statistics_whole() {
    for mode in ["waits", "barriers"] {
        counted(mode, &busy(&[mode, "handler"], libc::SIGTERM));
    }
}

/// The statistics contain a kernel from its beginning, however soon and however the program ends.
#[test]
fn statistics_contain_a_kernel_that_has_just_begun() {
    for end in ["handler", "kill", "leaves"] {
        for kind in ["one", "barriers", "many"] {
            let mut command = luthier(&["run", "--device", "gfx90a", "--stats", "--"]);
            let command = command.arg(hip("begun.hip")).args([end, kind]);
            let said = String::from_utf8(command.output().unwrap().stderr).unwrap();
            let row = said
                .lines()
                .find(|line| line.ends_with(" _Z5begunPVji"))
                .unwrap_or_else(|| panic!("{end} {kind}: {said}"));
            assert_eq!(row.split_whitespace().next(), Some("1"), "{end}: {said}");
        }
    }
}

/// A program that exits while its kernel runs has what the kernel has executed up to there.
#[test]
fn statistics_contain_what_a_kernel_has_executed_when_the_program_exits() {
    for end in ["exits", "exits-quickly"] {
        for kind in ["one", "barriers"] {
            let mut command = luthier(&["run", "--device", "gfx90a", "--stats", "--"]);
            let command = command.arg(hip("begun.hip")).args([end, kind]);
            let output = command.output().unwrap();
            assert_eq!(output.status.code(), Some(7), "{end} {kind}: {output:?}");
            counted("begun", &String::from_utf8(output.stderr).unwrap());
        }
    }
}

/// The statistics have a row of the kernel, which has executed something.
fn counted(kernel: &str, said: &str) {
    let row = said.lines().find(|line| {
        let name = line.split_whitespace().last().unwrap_or_default();
        name.starts_with("_Z") && name.contains(kernel)
    });
    let row = row.unwrap_or_else(|| panic!("{kernel} is missing: {said}"));
    let numbers = row
        .split_whitespace()
        .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    assert!(!numbers.clone().any(|word| word == "0"), "{kernel}: {said}");
    assert!(numbers.count() >= 3, "{kernel}: {said}");
}

/// The report about a program that is ended by a signal while its kernel runs.
fn busy(arguments: &[&str], signal: i32) -> String {
    let mut command = luthier(&["run", "--device", "gfx90a", "--stats", "--"]);
    command
        .arg(hip("busy.hip"))
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    let stdout = child.stdout.take().unwrap();
    BufReader::new(stdout).read_line(&mut line).unwrap();
    assert_eq!(line, "begins\n");
    std::thread::sleep(std::time::Duration::from_secs(2));
    // SAFETY: sends a signal to a child that was not waited for.
    unsafe { libc::kill(child.id() as i32, signal) };
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(
        output.status.signal(),
        Some(signal),
        "{arguments:?}: {said}"
    );
    said
}

const CL: [&str; 4] = [
    "--target=amdgcn-amd-amdhsa",
    "-mcpu=gfx90a",
    "-nogpulib",
    "-O1",
];

#[test]
fn an_endless_kernel_is_stopped_at_its_limit() {
    let object = compile("clang-22", "endless.cl", &CL);
    let mut command = luthier(&["emulate"]);
    command
        .arg(object)
        .args(["--kernel", "endless", "--arg", "zero:256", "--limit", "0.5"]);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("endless did not end within 0.5 s"), "{said}");
    assert!(said.contains("of its waves seen at 0x"), "{said}");
}

/// A descriptor may ask for any number of bytes of scratch per lane: launches have as many waves at a time as fit, or are refused.
#[test]
fn scratch_is_bounded() {
    let object = compile("clang-22", "tiny.cl", &CL);
    let good = std::fs::read(object).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep.co");
    let run = |bytes: u32| {
        let code = codeobj::CodeObject::parse(&good).unwrap();
        let at = code.kernel("tiny").unwrap().descriptor_address as usize;
        let mut deep = good.clone();
        // Read-only data lies in the file where it lies in memory; the second word is the private segment's size.
        deep[at + 4..at + 8].copy_from_slice(&bytes.to_le_bytes());
        std::fs::write(&path, &deep).unwrap();
        let mut command = luthier(&["emulate", "--kernel", "tiny", "--grid", "64"]);
        let output = command
            .args(["--arg", "zero:256"])
            .arg(&path)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), said)
    };
    let (status, said) = run(11 << 20);
    assert_eq!(status, Some(0), "{said}");
    let (status, said) = run(100 << 20);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("scratch"), "{said}");
}

/// `-k` takes the name in the object and the one in the source; what is meant by neither is said, with what there is.
#[test]
fn kernels_by_their_names_in_the_source() {
    let object = compile("clang++-22", "named.cpp", &CL);
    for command in ["emulate", "verify"] {
        let run = |kernel: &str| {
            let output = luthier(&[command, "-k", kernel, "--arg", "zero:256"])
                .arg(&object)
                .output()
                .unwrap();
            let said = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
            (output.status.code(), said.concat())
        };
        for name in ["again", "again(int AS1*)", "_Z5againPU3AS1i"] {
            let (status, said) = run(name);
            assert_eq!(status, Some(0), "{command} {name}: {said}");
            assert!(said.contains("_Z5againPU3AS1i"), "{said}");
        }
        for (name, words) in [
            ("doubled", "several kernels fit doubled"),
            ("halved", "no code object with a kernel halved"),
        ] {
            let (status, said) = run(name);
            assert_eq!(status, Some(2), "{command} {name}: {said}");
            assert!(said.contains(words), "{said}");
            assert!(said.contains("_Z7doubledPU3AS1f"), "{said}");
        }
    }
}
