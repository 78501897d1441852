//! `LUTHIER_NATIVE`: host code for runs of instructions.

use crate::common::{code_object, compile, luthier};

/// The program's output, and the messages.
fn run(value: &str, device: &str) -> (String, i32, String) {
    let architectures = ["gfx90a", "gfx1030"].map(|target| format!("--offload-arch={target}"));
    let [first, second] = &architectures;
    let program = compile("hipcc", "host_code.hip", &["-O2", "-w", first, second]);
    let mut command = luthier(&["run", "--device", device, "--"]);
    let output = command
        .arg(program)
        .env("LUTHIER_NATIVE", value)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    let printed = String::from_utf8(output.stdout).unwrap();
    let (sum, executable) = printed.split_once("\nexecutable ").unwrap();
    (sum.to_owned(), executable.trim().parse().unwrap(), said)
}

#[test]
fn a_program_s_runs_become_host_code_and_compute_the_same() {
    for device in ["gfx90a", "gfx1030"] {
        let (expected, usual, said) = run("0", device);
        assert!(!said.contains("LUTHIER_NATIVE"), "{device}: {said}");
        for least in ["1", "4"] {
            let (sum, executable, said) = run(least, device);
            assert_eq!(sum, expected, "{device}, {least}");
            // Without AVX-512 in the host, the user is told once.
            let told = said.matches("LUTHIER_NATIVE is not used: ").count();
            match told {
                0 => assert!(
                    executable > usual,
                    "{device}, {least}: {executable}, {usual}"
                ),
                _ => assert_eq!((told, executable), (1, usual), "{device}, {least}: {said}"),
            }
        }
        // No run is as long as that.
        let (sum, executable, _) = run("1000000", device);
        assert_eq!((sum, executable), (expected.clone(), usual), "{device}");
    }
}

/// A kernel that executes its runs some hundred times gets host code then, also without the variable.
#[test]
fn runs_that_are_executed_often_become_host_code() {
    for device in ["gfx90a", "gfx1030"] {
        let (expected, without, _) = run("0", device);
        for value in ["", "often"] {
            let (sum, executable, said) = run(value, device);
            assert_eq!(sum, expected, "{device}");
            if std::is_x86_feature_detected!("avx512bw") {
                assert_eq!(said, "", "{device}");
                assert!(executable > without, "{device}: {executable}, {without}");
            }
        }
    }
}

/// A load beyond LDS stops a kernel of an exact device at its place, long after the kernel's runs have become host code. Without exactness it
/// loads zeros.
#[test]
fn a_load_beyond_lds_is_told_of_at_its_place() {
    let architectures = ["gfx90a", "gfx1030"].map(|target| format!("--offload-arch={target}"));
    let [first, second] = &architectures;
    let program = compile("hipcc", "late_lds.hip", &["-O2", "-w", first, second]);
    for device in ["gfx90a", "gfx1030"] {
        let run = |value: &str, options: &[&str]| {
            let mut command = luthier(&["run", "--device", device]);
            let command = command.args(options).arg("--").arg(&program).arg("beyond");
            let output = command.env("LUTHIER_NATIVE", value).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            (String::from_utf8(output.stdout).unwrap(), said)
        };
        // The code lies elsewhere in each process.
        let place = |said: &str| {
            let at = said
                .split_once("at pc 0x")
                .and_then(|at| at.1.split_once(' '));
            let lines = at.map_or("", |at| at.1).lines().take(3);
            lines.collect::<Vec<_>>().join("\n")
        };
        let (_, said) = run("0", &["--strict"]);
        let (sum, _) = run("0", &[]);
        let expected = place(&said);
        for part in [
            ": ds_read",
            "in workgroup (0, 0, 0)",
            "4 bytes at 0x804 of LDS, of which the workgroup has 2048 bytes",
        ] {
            assert!(expected.contains(part), "{device}: no {part}: {said}");
        }
        for value in ["", "often", "1"] {
            let (_, said) = run(value, &["--strict"]);
            assert_eq!(place(&said), expected, "{device}, {value:?}: {said}");
            assert_eq!(run(value, &[]).0, sum, "{device}, {value:?}");
        }
    }
}

#[test]
fn a_wrong_number_is_said_and_changes_nothing() {
    let (expected, usual, _) = run("0", "gfx90a");
    let (sum, executable, said) = run("four", "gfx90a");
    assert_eq!((sum, executable), (expected, usual));
    assert!(
        said.contains(
            "luthier: LUTHIER_NATIVE is not used: four is neither a number nor `often`\n"
        ),
        "{said}"
    );
}

/// `luthier emulate` looks at the variable, too.
#[test]
fn launched_kernels_have_host_code() {
    let object = code_object("bisected.cl");
    let results = ["0", "1", "often", "four"].map(|value| {
        let folder = tempfile::tempdir().unwrap();
        let mut command = luthier(&["emulate", "-k", "grows", "--block", "64"]);
        command.args(["--arg", "zero:512", "--arg", "zero:256", "--dump", "0:out"]);
        let command = command.arg(&object).current_dir(folder.path());
        let output = command.env("LUTHIER_NATIVE", value).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{said}");
        (std::fs::read(folder.path().join("out")).unwrap(), said)
    });
    for (bytes, _) in &results {
        assert!(*bytes == results[0].0);
    }
    assert!(!results[0].1.contains("LUTHIER_NATIVE"), "{}", results[0].1);
    let told = "luthier: LUTHIER_NATIVE is not used: four is neither a number nor `often`\n";
    assert!(results[3].1.contains(told), "{}", results[3].1);
}
