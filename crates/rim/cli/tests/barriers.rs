//! `luthier check --barriers -- PROGRAM`: waves and lanes that do not meet at barriers.

use crate::common::{
    compile, hip, luthier,
    schema::{self, check, schema},
};

/// Exit status, standard output and standard error.
fn run(options: &[&str], mode: &str) -> (Option<i32>, String, String) {
    let mut command = luthier(&["check", "--barriers", "--device", "gfx90a"]);
    let command = command.args(options).arg("--");
    let output = command.arg(hip("barred.hip")).arg(mode).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, errors) = (text(&output.stdout), text(&output.stderr));
    (output.status.code(), out, errors)
}

#[test]
fn each_wave_is_named_and_right_kernels_are_silent() {
    for (mode, parts) in [
        (
            "branches",
            &[
                "error[different-barriers]",
                "branches(int*, bool) for gfx90a",
                "wave 0: at the barrier, s_barrier at +0x",
                "wave 1: at the barrier, s_barrier at +0x",
                "certain: 2 findings, 1 different: 1 different-barriers",
            ][..],
        ),
        (
            "lanes",
            &[
                "error[missed-by-lanes]",
                "miss this barrier and take part in the next one",
                "with 32 lanes that missed the one before",
                "certain: 2 findings, 1 different: 1 missed-by-lanes",
            ],
        ),
        (
            "returned",
            &[
                "certain: 0 findings",
                "possible: 2 findings, 1 different: 1 missed-by-lanes",
            ],
        ),
    ] {
        let (status, _, said) = run(&["--error-exitcode", "9"], mode);
        for part in parts {
            assert!(said.contains(part), "{mode}: no {part:?} in {said}");
        }
        if mode != "returned" {
            assert_eq!(status, Some(9), "{mode}: {said}");
        }
        let (status, out, said) = run(&["--error-exitcode", "9"], &format!("{mode}-ok"));
        assert_eq!((status, &*out), (Some(0), "done\n"), "{mode}: {said}");
        for part in ["certain: 0 findings", "possible: 0 findings"] {
            assert!(said.contains(part), "{mode}: {said}");
        }
    }
}

/// Lines alone would make them one. One barrier of which the compiler makes two instructions stays one.
#[test]
fn two_barriers_of_one_line_are_two() {
    let flags = ["-O1", "-w", "-g", "--offload-arch=gfx90a"];
    let program = compile("hipcc", "barred.hip", &flags);
    for (mode, expected) in [
        (
            "one-line",
            "certain: 2 findings, 1 different: 1 different-barriers",
        ),
        ("one-line-ok", "certain: 0 findings"),
    ] {
        let mut command = luthier(&["check", "--barriers", "--device", "gfx90a", "--"]);
        let output = command.arg(&program).arg(mode).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(expected), "{mode}: {said}");
    }
}

#[test]
fn findings_have_the_forms_of_all_checks() {
    let folder = tempfile::tempdir().unwrap();
    let read = |form: &str| {
        let file = folder.path().join(form);
        let options = ["--possible", "--format", form, "-o", file.to_str().unwrap()];
        run(&options, "lanes");
        std::fs::read_to_string(&file).unwrap()
    };
    let value: serde_json::Value = serde_json::from_str(&read("json")).unwrap();
    check(&schema("check"), &value).unwrap();
    let findings = value["findings"].as_array().unwrap();
    let mut certain = findings.iter().filter(|one| one["grade"] == "certain");
    let certain = certain.next().unwrap();
    let waves = certain["meeting"]["waves"].as_array().unwrap();
    assert_eq!(waves.len(), 2, "{value}");
    let sarif: serde_json::Value = serde_json::from_str(&read("sarif")).unwrap();
    check(&schema::sarif(), &sarif).unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 2);
    assert!(read("junit").contains("<testsuite name=\"barriers\""));
    // The printed suppressions suppress the findings that they were printed for.
    let (_, _, said) = run(&["--gen-suppressions"], "lanes");
    let start = said.find("\n{\n").unwrap() + 1;
    let end = start + said[start..].find("\n}\n").unwrap() + 3;
    let known = folder.path().join("known");
    let unused = "{\nof nothing\nbarriers:deadlock\nkernel:nobody\n}\n";
    std::fs::write(&known, said[start..end].to_owned() + unused).unwrap();
    let (_, _, said) = run(&["--suppressions", known.to_str().unwrap()], "lanes");
    assert!(said.contains("certain: 0 findings"), "{said}");
    assert!(said.contains("of nothing"), "{said}");
    let (_, _, said) = run(&["--print-limit", "0"], "lanes");
    assert!(!said.contains("error["), "{said}");
    assert!(said.contains("certain: 2 findings"), "{said}");
}
