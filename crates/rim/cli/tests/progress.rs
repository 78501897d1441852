//! A user at a terminal sees how far a command is; a file with its messages does not contain that.

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
};

use crate::common::{code_object, hip, luthier};
use codeobj::bundle;
use serde_json::json;

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
    // Work that takes longer than a user waits without a message.
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
    fs::copy(code_object("long.cl"), at("long.co")).unwrap();
    check(
        directory.path(),
        &[
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
            (
                "luthier verify -t instr-count -k counts long.co --arg zero:256 --limit 0.2",
                "comparing counts at every instruction",
                3,
            ),
        ],
    );
}

/// The program's output is on the terminal as it would be alone, incomplete lines too. The status line is in the terminal's last row.
#[test]
fn a_live_line_stands_under_what_the_program_writes_and_only_on_a_terminal() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(
        directory.path().join("app.sh"),
        "printf 'begun '\n$1\nprintf 'half a line'\n",
    )
    .unwrap();
    let line = format!(
        "luthier run --live --device gfx90a -t mem-trace -- sh ./app.sh '{} 26'",
        hip("lengthy.hip").display()
    );
    let sized = format!("stty rows 24 cols 80; {line}");
    let (said, ended) = on_a_terminal(directory.path(), &sized);
    assert_eq!(ended, Some(0), "{said}");
    let mut terminal = vt100::Parser::new(24, 80, 0);
    let mut seen = Vec::new();
    for part in said.split_inclusive("\x1b8") {
        terminal.process(part.as_bytes());
        let last = terminal.screen().rows(0, 80).last().unwrap();
        seen.extend((!last.is_empty()).then_some(last));
    }
    let shown = terminal.screen().contents();
    assert!(shown.starts_with("begun "), "{shown}");
    assert!(shown.contains("half a line"), "{shown}");
    let told = |what: &str| seen.iter().any(|line| line.contains(what));
    assert!(told(" launches, ") && told(" instr./s, "), "{seen:?}");
    assert!(told(" records, ") && told(" % in "), "{seen:?}");
    assert!(!shown.contains(" instr./s"), "{shown}");
    let output = piped(directory.path(), &line);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(!said.contains(" instr./s"), "{said}");
}

/// A recorded launch, which `luthier verify` replays.
#[test]
fn replays_say_that_they_go_on() {
    let directory = tempfile::tempdir().unwrap();
    let mut run = luthier(&["run", "--device", "gfx90a", "--record", "records", "--"]);
    let output = run
        .arg(hip("lengthy.hip"))
        .current_dir(directory.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    check(
        directory.path(),
        &[(
            "luthier verify -t instr-count --limit 0.2 records/*lengthy*.dispatch",
            "at every instruction",
            3,
        )],
    );
}

/// The results of many processes in one directory, as of a program that starts others.
#[test]
fn merging_says_how_far_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let run = directory.path().join("run");
    fs::create_dir(&run).unwrap();
    let rows: Vec<_> = (0..20_000)
        .map(|kernel| {
            let name = format!("kernel_{kernel}");
            json!({"kernel": name, "launches": 1, "wave_instructions": kernel})
        })
        .collect();
    fs::write(run.join("instr-count.1.json"), json!(rows).to_string()).unwrap();
    for process in 2..=20 {
        let more = run.join(format!("instr-count.{process}.json"));
        fs::hard_link(run.join("instr-count.1.json"), more).unwrap();
    }
    let line = "rm -rf merged; luthier merge run -o merged";
    check(directory.path(), &[(line, "adding up", 0)]);
    let merged = fs::read_to_string(directory.path().join("merged/instr-count.0.json")).unwrap();
    let merged: serde_json::Value = serde_json::from_str(&merged).unwrap();
    assert_eq!(merged.as_array().unwrap().len(), rows.len());
    assert_eq!(merged[7]["launches"], 20);
}

/// Lines of a shell with `luthier` in them, what a terminal shows of each while it runs and others do not, and the status.
fn check(directory: &Path, lines: &[(&str, &str, i32)]) {
    for &(line, shown, status) in lines {
        let (said, ended) = on_a_terminal(directory, line);
        assert_eq!(ended, Some(status), "{line}: {said}");
        assert!(said.contains(shown), "{line}: {said:?}");
        // A line that goes away is taken back.
        assert!(said.contains('\r'), "{line}: {said:?}");
        let output = piped(directory, line);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(status), "{line}: {said}");
        assert!(
            !said.contains(shown) && !said.contains(['\r', '\x1b']),
            "{line}: {said:?}"
        );
    }
}
