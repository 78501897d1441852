//! `luthier check --nan -- PROGRAM`: NaN and infinity made of numbers.

use std::{collections::BTreeSet, fs};

use serde_json::Value;

use crate::common::{
    compile, luthier,
    schema::{self, check, schema},
};

/// Exit status, standard output and standard error.
fn run(target: &str, level: &str, options: &[&str], mode: &str) -> (Option<i32>, String, String) {
    let offload = format!("--offload-arch={target}");
    let flags = [level, "-w", "-g", &offload];
    let program = compile("hipcc", "numbers.hip", &flags);
    let mut command = luthier(&["check", "--device", target, "--error-exitcode", "9"]);
    let command = command.args(options).arg("--");
    let output = command.arg(program).arg(mode).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, errors) = (text(&output.stdout), text(&output.stderr));
    (output.status.code(), out, errors)
}

#[test]
fn makers_and_uses_are_named_and_right_twins_are_silent() {
    for (mode, status, parts) in [
        (
            "divided",
            9,
            &[
                "error[nan-stored]: the kernel stores NaN that an instruction made of numbers",
                "error[infinity-stored]: the kernel stores infinity that an instruction made of numbers",
                "normalise(float const*, float*, float) for gfx90a",
                "made at +0x",
                "numbers.hip:10",
                "stored at +0x",
                "numbers.hip:11",
                "wave 0, lane 0\n",
                "wave 0, lane 1\n",
                "<-- NaN or infinity",
                "<-- stored",
                "found 63 times",
                "nan-stored: 1 lane, made at ",
                "infinity-stored: 63 lanes, made at ",
            ][..],
        ),
        // 33 and all above are too large for a half.
        (
            "half",
            9,
            &[
                "error[infinity-stored]",
                "numbers.hip:16",
                "lane 33",
                "found 31 times",
            ],
        ),
        // In a function of the compiler's header, which is inlined twice.
        (
            "entropy",
            9,
            &[
                "error[nan-stored]",
                "v_log_f32",
                "<-- NaN or infinity",
                "        inlined at ",
                "numbers.hip:58, inlined at ",
                "numbers.hip:62\n",
            ],
        ),
        (
            "compared",
            0,
            &[
                "possible[nan-compared]: NaN that an instruction made of numbers is compared, first in workgroup (0, 0, 0), wave 0, lane 0",
                "numbers.hip:22",
                "certain: 0 findings",
                "possible: 1 finding: 1 nan-compared",
            ],
        ),
    ] {
        let options = ["--nan", "--possible"];
        for level in ["-O1", "-O0"] {
            let (ended, out, said) = run("gfx90a", level, &options, mode);
            if level == "-O1" {
                for part in parts {
                    assert!(said.contains(part), "{mode}: no {part:?} in {said}");
                }
            }
            assert_eq!(
                (ended, &*out),
                (Some(status), "done\n"),
                "{mode} {level}: {said}"
            );
            let right = format!("{mode}-ok");
            let (ended, out, said) = run("gfx90a", level, &options, &right);
            assert_eq!(
                (ended, &*out),
                (Some(0), "done\n"),
                "{right} {level}: {said}"
            );
            let silent = said.contains("certain: 0 findings\npossible: 0 findings");
            assert!(silent, "{right} {level}: {said}");
        }
    }
}

/// The library's functions make values that are no numbers on the way, and numbers in the end.
#[test]
fn functions_of_numbers_are_silent() {
    for target in ["gfx90a", "gfx1030"] {
        for mode in ["library", "doubles"] {
            let (ended, out, said) = run(target, "-O1", &["--nan"], mode);
            assert_eq!(
                (ended, &*out),
                (Some(0), "done\n"),
                "{target} {mode}: {said}"
            );
            assert!(
                said.contains("certain: 0 findings"),
                "{target} {mode}: {said}"
            );
            assert!(!said.contains("not looked at"), "{target} {mode}: {said}");
        }
    }
}

/// The functions whose NaN docs/check/nan.md says is found, and not found.
#[test]
fn some_functions_make_nan_by_an_instruction_and_others_take_a_constant() {
    let folder = tempfile::tempdir().unwrap();
    for target in ["gfx90a", "gfx1030"] {
        let offload = format!("--offload-arch={target}");
        let program = compile("hipcc", "outside.hip", &["-O1", "-w", &offload]);
        let report = folder.path().join(format!("{target}.json"));
        let mut command = luthier(&["check", "--nan", "--device", target, "--format", "json"]);
        command.arg("-o").arg(&report).arg("--").arg(program);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{target}: {output:?}");
        let said = String::from_utf8(output.stdout).unwrap();
        let left: Vec<_> = said.lines().map(|line| line.split_once(' ')).collect();
        assert_eq!(left.len(), 26, "{target}: {said}");
        let not = left.iter().find(|line| line.unwrap().1 != "nan");
        assert_eq!(not, None, "{target}: a function leaves no NaN");
        let report: Value = serde_json::from_slice(&fs::read(report).unwrap()).unwrap();
        let findings = report["findings"].as_array().unwrap().iter();
        let found: BTreeSet<_> = findings
            .map(|one| one["symbol"].as_str().unwrap())
            .collect();
        let expected = [
            "acos_double",
            "acos_float",
            "asin_double",
            "asin_float",
            "log10_float",
            "log2_float",
            "log_float",
            "sqrt_double",
            "sqrt_float",
        ];
        assert_eq!(found, BTreeSet::from(expected), "{target}");
    }
}

/// Each option adds findings of its own, and `--nan` alone has none of them.
#[test]
fn limits_of_formats_are_told_of_if_they_are_wanted() {
    let saturated = [
        "error[saturated]: an instruction converts a number that is out of range to the limit of a format, first in workgroup (0, 0, 0), wave 0, lane 22",
        "at +0x",
        "numbers.hip:29",
        "<-- the limit of a format",
        "saturated: 42 lanes, made at ",
    ];
    let small = [
        "error[denormal]: an instruction makes a denormal of numbers that are none, first in workgroup (0, 0, 0), wave 0, lane 1",
        "error[underflow]: an instruction makes zero of numbers whose result is too small, first in workgroup (0, 0, 0), wave 0, lane 1",
        "numbers.hip:35",
        "numbers.hip:36",
    ];
    for (mode, option, parts) in [
        ("integers", "--saturated", &saturated[..]),
        ("small", "--denormals", &small),
    ] {
        let (ended, out, said) = run("gfx90a", "-O1", &["--nan", option], mode);
        assert_eq!((ended, &*out), (Some(9), "done\n"), "{mode}: {said}");
        for part in parts {
            assert!(said.contains(part), "{mode}: no {part:?} in {said}");
        }
        let other = if option == "--saturated" {
            "--denormals"
        } else {
            "--saturated"
        };
        for options in [&["--nan"][..], &["--nan", other]] {
            let (ended, _, said) = run("gfx90a", "-O1", options, mode);
            assert_eq!(ended, Some(0), "{mode} {options:?}: {said}");
        }
        let (ended, _, said) = run("gfx90a", "-O1", &["--nan", option], &format!("{mode}-ok"));
        assert_eq!(ended, Some(0), "{mode}-ok: {said}");
        let (ended, _, said) = run("gfx90a", "-O1", &["--memory", option], mode);
        assert_eq!(ended, Some(2), "{said}");
        assert!(said.contains("add --nan"), "{said}");
    }
}

#[test]
fn values_are_followed_beside_undefined_ones() {
    let (ended, out, said) = run("gfx90a", "-O1", &["--nan", "--init"], "divided");
    assert_eq!((ended, &*out), (Some(9), "done\n"), "{said}");
    let found = "certain: 64 findings, 2 different: 1 nan-stored, 1 infinity-stored";
    assert!(said.contains(found), "{said}");
}

#[test]
fn values_have_the_forms_of_all_findings() {
    let folder = tempfile::tempdir().unwrap();
    let read = |form: &str| {
        let file = folder.path().join(form);
        let options = ["--nan", "--format", form, "-o", file.to_str().unwrap()];
        run("gfx90a", "-O1", &options, "divided");
        std::fs::read_to_string(&file).unwrap()
    };
    let value: serde_json::Value = serde_json::from_str(&read("json")).unwrap();
    check(&schema("check"), &value).unwrap();
    assert_eq!(value["checks"][0], "nan");
    assert_eq!(value["findings"][0]["kind"], "nan-stored");
    assert_eq!(value["findings"][0]["access"]["write"], true);
    let made = &value["summary"]["made"];
    assert_eq!(
        (&made[1]["kind"], &made[1]["lanes"]),
        (&"infinity-stored".into(), &63.into())
    );
    let sarif: serde_json::Value = serde_json::from_str(&read("sarif")).unwrap();
    check(&schema::sarif(), &sarif).unwrap();
    assert!(read("junit").contains("<testsuite name=\"nan\""));
}
