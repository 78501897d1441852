//! Programs at the end of what the system gives them.

use std::{
    os::unix::process::{CommandExt, ExitStatusExt},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use crate::common::{code_object, compile, hip, luthier};

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
            // No message may blame another part if tools cannot deliver.
            let blamed = said.contains("does not answer")
                || (output.status.code().is_some() && said.contains("was killed"));
            assert!(!blamed, "{threads} threads: {said}");
            // The runtime may do anything if it gets no threads, even abort.
            let ended = output.status.code().or(output.status.signal());
            assert!(ended.is_some(), "{threads} threads: {said}");
            worked += u32::from(output.status.success());
        }
    }
    assert!(worked >= 2, "with a hundred threads all is well");
}

/// ROCr ends the program with an assertion of its own then.
#[test]
fn a_limit_of_addresses_is_told_of_where_rocr_reserves_more() {
    for (gibibytes, gpus, told) in [(3, "1", 1), (12, "1", 0), (12, "4", 1)] {
        let mut command = luthier(&["run", "--device", "gfx90a", "--gpus", gpus, "--", "true"]);
        let limit = libc::rlimit {
            rlim_cur: gibibytes << 30,
            rlim_max: gibibytes << 30,
        };
        let set = move || {
            // SAFETY: the structure outlives the call, which may be made between fork and exec.
            unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) };
            Ok(())
        };
        // SAFETY: the closure calls only what may be called after fork.
        unsafe { command.pre_exec(set) };
        let output = bounded(command, &format!("{gibibytes} GiB"));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        assert_eq!(said.matches("ulimit -v").count(), told, "{said}");
    }
}

/// The result of a run, which must end soon.
fn bounded(mut command: Command, what: &str) -> std::process::Output {
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

/// The emulated device opens nothing once it runs. Tools do in the end, and the user hears why that killed the program.
#[test]
fn programs_that_forbid_to_open_files_work_without_tools() {
    let run = |tools: &[&str]| {
        let mut command = luthier(&["run", "--device", "gfx90a", "--stats"]);
        command.args(tools).arg("--").arg(hip("sealed.hip"));
        let output = bounded(command, "a sealed program");
        assert_eq!(output.stdout, b"2\n", "{output:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status, said)
    };
    let (status, said) = run(&[]);
    assert_eq!(status.code(), Some(0), "{said}");
    let (status, said) = run(&["-t", "instr-count"]);
    assert_eq!(status.signal(), Some(libc::SIGSYS), "{said}");
    assert!(said.contains("a seccomp filter of its own"), "{said}");
}

/// An executable file with this text. Another process writes it: what is open for writing cannot be executed, and children that other
/// tests are starting have what is open here.
fn script(folder: &Path, text: &str) -> PathBuf {
    let script = folder.join("script");
    let write = "printf %s \"$1\" > \"$0\" && chmod 755 \"$0\"";
    let mut shell = Command::new("sh");
    shell.args(["-c", write]).arg(&script).arg(text);
    assert!(shell.status().unwrap().success());
    script
}

/// Shells and `execvp` do this too.
#[test]
fn scripts_without_a_first_line_run() {
    let folder = tempfile::tempdir().unwrap();
    let script = script(folder.path(), "echo \"$1 and more\"\nexit 6\n");
    for options in [&[][..], &["--stats"]] {
        let mut command = luthier(&["run", "--device", "gfx90a"]);
        command.args(options).arg("--").arg(&script).arg("this");
        let output = bounded(command, "a script");
        assert_eq!(output.status.code(), Some(6), "{output:?}");
        assert_eq!(output.stdout, b"this and more\n");
    }
}

/// The file is there; what is missing is what its first line names.
#[test]
fn scripts_without_their_interpreter_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let script = script(folder.path(), "#! /no/such/shell -e\nexit 6\n");
    is_refused(&script, "/no/such/shell");
}

/// A program that cannot be started is refused with one line, whichever command starts it.
fn is_refused(program: &Path, reason: &str) {
    for options in [&[][..], &["--stats"]] {
        let mut command = luthier(&["run", "--device", "gfx90a"]);
        command.args(options).arg("--").arg(program);
        let output = bounded(command, "a program that cannot be started");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(reason), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

#[test]
fn code_objects_are_no_scripts() {
    let object = code_object("tiny.cl");
    is_refused(&object, "it is an AMD GPU code object");
}

/// Files may not grow: what cannot be written is said, no signal comes of it, and nothing is half there.
#[test]
fn outputs_that_may_not_grow_cost_the_program_nothing() {
    for bytes in ["0", "1000"] {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("out");
        let mut command = luthier(&["run", "--device", "gfx90a", "-t", "mem-trace", "--stats"]);
        command.arg("--output").arg(&output).arg("--");
        command.arg(hip("launch.hip")).arg(bytes);
        let done = bounded(command, "a program whose files may not grow");
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(0), "{bytes}: {said}");
        assert!(said.contains("File too large"), "{bytes}: {said}");
        let names = std::fs::read_dir(&output).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let unfinished: Vec<_> = names
            .filter(|name| name.starts_with('.') || name.contains("unfinished"))
            .collect();
        assert_eq!(unfinished, [""; 0]);
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
