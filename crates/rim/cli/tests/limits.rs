//! Programs at the end of what the system gives them.

mod common;

use std::{
    os::unix::process::ExitStatusExt,
    process::Stdio,
    time::{Duration, Instant},
};

use common::{compile, hip, luthier};

/// However few threads there are, the program works or gets an error, soon.
#[test]
fn without_threads_there_are_errors_and_no_hang() {
    let few = compile("gcc", "no_threads.c", &["-shared", "-fPIC", "-ldl"]);
    let program = hip("launch.hip");
    let mut worked = 0;
    for tools in [&[][..], &["-t", "instr-count", "--stats"]] {
        for threads in [0, 1, 2, 3, 4, 5, 6, 8, 12, 100] {
            let mut command = luthier(&["run", "--device", "gfx90a"]);
            command
                .args(tools)
                .args(["--", "env"])
                .arg(format!("LD_PRELOAD={}", few.display()))
                .arg(format!("THREADS={threads}"))
                .arg(&program);
            let output = bounded(command, &format!("{tools:?} with {threads} threads"));
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!said.contains("panicked"), "{threads} threads: {said}");
            // What the runtime does when it gets no threads is its own affair; it may abort.
            let ended = output.status.code().or(output.status.signal());
            assert!(ended.is_some(), "{threads} threads: {said}");
            worked += u32::from(output.status.success());
        }
    }
    assert!(worked >= 2, "with a hundred threads all is well");
}

/// What a run came to, which must end soon.
fn bounded(mut command: std::process::Command, what: &str) -> std::process::Output {
    let began = Instant::now();
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("{what} hangs");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.wait_with_output().unwrap()
}

#[test]
fn forked_children_get_an_error_and_parents_go_on() {
    for (mode, child) in [
        ("exit", "child: status 0"),
        ("use", "child: status -1 signal 6"),
    ] {
        let mut command = luthier(&["run", "--device", "gfx90a", "--"]);
        command.arg(hip("forks.hip")).arg(mode);
        let output = bounded(command, mode);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(0), "{text}{said}");
        assert!(
            text.contains(child) && text.contains("parent: 5"),
            "{mode}: {text}{said}"
        );
        let lines = said.lines().filter(|line| line.contains("forked")).count();
        assert_eq!(lines, usize::from(mode == "use"), "{said}");
    }
}

/// As shells and `execvp` do it.
#[test]
fn scripts_without_a_first_line_run() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script");
    std::fs::write(&script, "echo \"$1 and more\"\nexit 6\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&script, mode).unwrap();
    for options in [&[][..], &["--stats"]] {
        let mut command = luthier(&["run", "--device", "gfx90a"]);
        command.args(options).arg("--").arg(&script).arg("this");
        let output = bounded(command, "a script");
        assert_eq!(output.status.code(), Some(6), "{output:?}");
        assert_eq!(output.stdout, b"this and more\n");
    }
}

/// Killed as hard as can be, `luthier run` takes the program with it and leaves no files.
#[test]
fn nothing_is_left_of_a_killed_run() {
    let folder = tempfile::tempdir().unwrap();
    let (temporary, output) = (folder.path().join("tmp"), folder.path().join("out"));
    std::fs::create_dir(&temporary).unwrap();
    let mut command = luthier(&["run", "--device", "gfx90a", "-t", "mem-trace", "--stats"]);
    command
        .arg("--output")
        .arg(&output)
        .args([
            "--",
            "sh",
            "-c",
            "\"$0\" plain /tmp >/dev/null; echo $$; exec sleep 1000",
        ])
        .arg(hip("descriptors.hip"))
        .env("TMPDIR", &temporary)
        .stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    let stdout = child.stdout.take().unwrap();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(stdout), &mut line).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    child.kill().unwrap();
    child.wait().unwrap();
    let program = format!("/proc/{}/cmdline", line.trim());
    let began = Instant::now();
    while std::fs::read(&program).is_ok_and(|line| !line.is_empty()) {
        assert!(
            began.elapsed() < Duration::from_secs(20),
            "the program goes on"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
    let unfinished = std::fs::read_dir(&output)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with('.') || name.contains("unfinished"));
    assert_eq!(unfinished.collect::<Vec<_>>(), [""; 0]);
}
