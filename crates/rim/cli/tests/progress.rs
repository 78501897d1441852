//! Who waits at a terminal sees how far a command is; who reads in a file what it says does not.

mod common;

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
};

use codeobj::bundle;
use common::{code_object, luthier};

/// A shell's line with `luthier` in it, on a terminal that `script` makes; what that shows, and the status.
fn on_a_terminal(directory: &Path, line: &str) -> (String, Option<i32>) {
    let output = Command::new("script")
        .args(["-qec", &in_full(line), "/dev/null"])
        .current_dir(directory)
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .output()
        .expect("script of Debian's bsdutils");
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    (shown, output.status.code())
}

fn piped(directory: &Path, line: &str) -> Output {
    let mut shell = Command::new("sh");
    shell.args(["-c", &in_full(line)]).current_dir(directory);
    shell.stdin(Stdio::null()).output().unwrap()
}

fn in_full(line: &str) -> String {
    let program = luthier(&[]).get_program().to_string_lossy().into_owned();
    line.replace("luthier", &program)
}

#[test]
fn long_commands_say_how_far_they_are() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let object = fs::read(code_object("tiny.cl")).unwrap();
    // More than anybody waits for without a word.
    let entries: Vec<(String, Vec<u8>)> = vec![
        (
            "host-x86_64-unknown-linux-gnu-".to_owned(),
            vec![0; 24 << 20],
        ),
        ("hipv4-amdgcn-amd-amdhsa--gfx90a".to_owned(), object),
    ];
    let entries: Vec<(&str, &[u8])> = entries
        .iter()
        .map(|(id, bytes)| (id.as_str(), &bytes[..]))
        .collect();
    fs::write(at("large.hipfb"), bundle::write(&entries, 4096)).unwrap();
    fs::copy(code_object("endless.cl"), at("endless.co")).unwrap();
    for (line, shown, status) in [
        (
            "luthier instrument -t instr-count large.hipfb -o counted",
            " left",
            0,
        ),
        (
            "luthier emulate -k endless endless.co --arg zero:256 --limit 2",
            "running endless",
            3,
        ),
    ] {
        let (said, ended) = on_a_terminal(directory.path(), line);
        assert_eq!(ended, Some(status), "{line}: {said}");
        assert!(said.contains(shown), "{line}: {said:?}");
        let output = piped(directory.path(), line);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(status), "{line}: {said}");
        assert!(
            !said.contains(shown) && !said.contains(['\r', '\x1b']),
            "{line}: {said:?}"
        );
    }
}
