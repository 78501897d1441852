//! Effects of commands on other people's files, and their behaviour if their own output cannot be written.

use std::{
    fs::{self, File},
    os::unix::fs::{FileTypeExt, PermissionsExt, symlink},
    path::Path,
    process::{Command, Output},
};

use crate::common::{code_object, hip, luthier};

fn full() -> File {
    File::options().write(true).open("/dev/full").unwrap()
}

fn instrument(input: &Path, output: &Path) -> Output {
    let mut command = luthier(&["instrument", "-t", "empty", "-o"]);
    command.arg(output).arg(input).output().unwrap()
}

#[test]
fn instrument_shows_each_pass_to_who_asks() {
    let object = code_object("tiny.cl");
    let folder = tempfile::tempdir().unwrap();
    let said = |dump: &str| {
        let mut command = luthier(&["instrument", "-t", "empty", "-o"]);
        command.arg(folder.path().join("out")).arg(&object);
        let done = command.env("LUTHIER_DUMP", dump).output().unwrap();
        assert!(done.status.success(), "{done:?}");
        String::from_utf8_lossy(&done.stderr).into_owned()
    };
    let shown = said("rewrite");
    for pass in ["select", "hooks", "waits", "hazards", "layout", "emit"] {
        assert!(
            shown.contains(&format!(" after {pass}:\n")),
            "{pass}: {shown}"
        );
    }
    assert!(shown.contains("s_endpgm"), "{shown}");
    assert!(!said("nothing").contains(" after "));
}

#[test]
fn instrument_replaces_nothing_but_regular_files() {
    let object = code_object("tiny.cl");
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let input = path("in");
    fs::copy(object, &input).unwrap();
    fs::set_permissions(&input, fs::Permissions::from_mode(0o751)).unwrap();
    let instrument = |output: &Path| {
        let done = instrument(&input, output);
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success(), "{said}");
        let counted = ": 1 kernel, 1 instrumented at ";
        assert!(said.contains(counted), "{said}");
    };
    let mode = |name: &str| fs::metadata(path(name)).unwrap().permissions().mode() & 0o7777;
    instrument(&path("out"));
    assert_eq!(mode("out"), 0o751);
    // Over a file that has another mode, through a link, and over the input itself.
    fs::set_permissions(path("out"), fs::Permissions::from_mode(0o600)).unwrap();
    symlink("out", path("link")).unwrap();
    instrument(&path("link"));
    assert!(path("link").is_symlink());
    assert_eq!(mode("out"), 0o751);
    let original = fs::read(&input).unwrap();
    instrument(&input);
    assert_eq!(mode("in"), 0o751);
    fs::write(&input, original).unwrap();
    // A node of its own, for a mistake would cost the machine its /dev/null. Only root can make one, and only root could break one.
    let node = path("null");
    let made = Command::new("mknod")
        .arg(&node)
        .args(["c", "1", "3"])
        .output();
    if made.is_ok_and(|made| made.status.success()) {
        if File::options().write(true).open(&node).is_ok() {
            instrument(&node);
        }
        let kind = fs::metadata(&node).unwrap().file_type();
        assert!(kind.is_char_device());
    }
}

/// The findings of a long run are not lost with the name of a file.
#[test]
fn a_report_goes_to_a_file_that_can_be_written_or_to_standard_error() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("missing/report");
    let check = |output: &Path, options: &[&str]| {
        let mut command = luthier(&["check", "--device", "gfx90a", "-o"]);
        command.arg(output).args(options).arg("--");
        command.arg(hip("beyond.hip")).arg("end").output().unwrap()
    };
    for options in [&["--memory"][..], &["--inject", "bit"]] {
        let ended = check(&nowhere, options);
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(2), "{said}");
        let line = format!(
            "luthier: cannot write {}: its directory does not exist\n",
            nowhere.display()
        );
        assert_eq!(said, line, "the program has not run");
    }
    let ended = check(Path::new("/dev/full"), &["--memory"]);
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(2), "{said}");
    for part in [
        "writes right behind an allocation of 1000 bytes",
        "cannot write /dev/full: No space left on device",
    ] {
        assert!(said.contains(part), "no {part:?} in {said}");
    }
}

#[test]
fn the_status_is_the_programs_whatever_becomes_of_our_output() {
    let run = |options: &[&str], program: &str| {
        let mut command = luthier(&["run", "--device", "gfx90a"]);
        command.args(options).args(["--", "sh", "-c", program]);
        command
    };
    // Standard error is full, then closed.
    for status in [0, 7] {
        let program = format!("exit {status}");
        let ended = run(&["--stats"], &program).stderr(full()).status().unwrap();
        assert_eq!(ended.code(), Some(status));
        let mut closed = Command::new("sh");
        closed
            .args([
                "-c",
                &format!("exec \"$0\" run --device gfx90a --stats -- sh -c '{program}' 2>&-"),
            ])
            .arg(env!("CARGO_BIN_EXE_luthier"));
        assert_eq!(closed.status().unwrap().code(), Some(status));
    }
    // The output directory is gone when the program has ended.
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("output");
    let output = output.to_str().unwrap();
    let gone = format!("rm -r {output}; exit 5");
    let ended = run(&["--output", output], &gone).output().unwrap();
    assert_eq!(ended.status.code(), Some(5), "{ended:?}");
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(said.contains("statistics.json"), "{said}");
}

#[test]
fn listings_end_quietly_when_nobody_reads_and_with_a_line_when_nothing_can_be_written() {
    let program = hip("launch.hip");
    for arguments in [
        &["tool", "list"][..],
        &["doctor"],
        &["manual", "--markdown"],
        &["inspect", program.to_str().unwrap()],
        &["completions", "bash"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ended = luthier(arguments).stdout(writer).output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(!said.contains("panicked"), "{arguments:?}: {said}");
        let ended = luthier(arguments).stdout(full()).output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(!said.contains("panicked"), "{arguments:?}: {said}");
        assert_eq!(ended.status.code(), Some(2), "{arguments:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{arguments:?}: {said}");
        assert!(said.contains("cannot write"), "{arguments:?}: {said}");
    }
}

/// Neither waits for a writer, nor reads without end.
#[test]
fn devices_and_fifos_are_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (fifo, library, sparse) = (path("a.tool"), path("a.so"), path("b.tool"));
    for name in [&fifo, &library] {
        assert!(Command::new("mkfifo").arg(name).status().unwrap().success());
    }
    File::create(&sparse).unwrap().set_len(1 << 40).unwrap();
    let zeros = "/dev/zero";
    for (arguments, reason) in [
        (&["tool", "info", &fifo][..], "no regular file"),
        (&["tool", "info", &library], "no regular file"),
        (&["tool", "info", &sparse], "1099511627776 bytes"),
        (&["tool", "info", zeros], "no regular file"),
        (&["run", "-t", &fifo, "--", "true"], "no regular file"),
        (&["run", "-t", &library, "--", "true"], "no regular file"),
        (&["inspect", zeros], "it is a device"),
        (
            &["instrument", "-t", "empty", "-o", &path("o"), zeros],
            "it is a device",
        ),
        (&["verify", "-t", "empty", zeros], "it is a device"),
        (&["emulate", "-k", "any", zeros], "it is a device"),
    ] {
        let ended = luthier(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(reason), "{arguments:?}: {said}");
    }
}

/// One option takes a file or a directory for it, wherever it is.
#[test]
fn outputs_may_be_directories() {
    let object = code_object("tiny.cl");
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    fs::write(at("a.hip"), include_str!("../src/new_tool.hip")).unwrap();
    let file = object.to_str().unwrap().to_owned();
    let name = object.file_name().unwrap().to_str().unwrap().to_owned();
    for (words, expected) in [
        (vec!["instrument", "-t", "empty", &file], name.as_str()),
        (vec!["check", "--waits", &file], "check.txt"),
        (
            vec!["check", "--waits", "--format", "json", &file],
            "check.json",
        ),
        (
            vec!["tool", "build", "--target", "gfx90a", &at("a.hip")],
            "a.tool",
        ),
    ] {
        let out = tempfile::tempdir().unwrap();
        let mut command = luthier(&words);
        let ended = command.arg("-o").arg(out.path()).output().unwrap();
        assert!(ended.status.success(), "{words:?}: {ended:?}");
        assert!(out.path().join(expected).is_file(), "{words:?}");
    }
    let run = tempfile::tempdir().unwrap();
    let mut command = luthier(&["count", "run", "--format", "json", "-o"]);
    command
        .arg(run.path())
        .args(["--", "true"])
        .output()
        .unwrap();
    let left: Vec<_> = fs::read_dir(run.path()).unwrap().flatten().collect();
    assert!(
        left.iter().all(|entry| entry.file_name() == "count.json"),
        "{left:?}"
    );
    // The input would be replaced without having been named.
    let input = folder.path().join("tiny.co");
    fs::copy(&object, &input).unwrap();
    let ended = instrument(&input, folder.path());
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(2), "{said}");
    assert!(said.contains("would be replaced"), "{said}");
}
