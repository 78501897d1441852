//! The rules of a report: each one finds the kernel that breaks it, and says nothing of its twin.

use crate::common::{
    hip, luthier,
    schema::{check, schema},
};
use serde_json::Value;
use std::{collections::BTreeSet, fs, path::Path};

/// The page of one run of `stands_out.hip`.
fn page(folder: &Path) -> String {
    let program = hip("stands_out.hip");
    let page = folder.join("page.html").to_str().unwrap().to_owned();
    let words = ["run", "--device", "gfx90a", "--report", &page, "--"];
    let mut run = luthier(&words);
    let run = run.arg(program).output().unwrap();
    assert!(run.status.success(), "{run:?}");
    page
}

fn report(arguments: &[&str]) -> String {
    let output = luthier(&[&["report"], arguments].concat())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn rules_find_what_they_are_for_and_spare_the_twins() {
    let folder = tempfile::tempdir().unwrap();
    let page = page(folder.path());
    let said: Value = serde_json::from_str(&report(&["--format", "json", &page])).unwrap();
    check(&schema("report"), &said).unwrap();
    let rules: Vec<&str> = said["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| rule.as_str().unwrap())
        .collect();
    let found: BTreeSet<(&str, &str)> = said["remarks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|remark| {
            (
                remark["kernel"].as_str().unwrap(),
                remark["rule"].as_str().unwrap(),
            )
        })
        .collect();
    let of = |kernel: &str, rule: &str| {
        found
            .iter()
            .any(|(name, known)| name.starts_with(&format!("{kernel}(")) && *known == rule)
    };
    assert!(rules.len() >= 10, "{rules:?}");
    for rule in rules {
        let kernel = rule.replace('-', "_");
        assert!(
            of(&format!("{kernel}_found"), rule),
            "{rule} is not found: {said:#}"
        );
        assert!(
            !of(&format!("{kernel}_twin"), rule),
            "{rule} is found in its twin: {said:#}"
        );
    }
    assert!(
        !of("chased", "wait-behind-load"),
        "each load needs the one before: {said:#}"
    );

    // The text says the same.
    let text = report(&["--format", "text", &page]);
    let kernel = text.split("uncoalesced_access_found").nth(1).unwrap();
    let kernel = kernel
        .split("\n")
        .skip(1)
        .take(3)
        .collect::<Vec<_>>()
        .join("\n");
    assert!(kernel.contains("[uncoalesced-access, "), "{text}");
    assert!(
        kernel.contains("64.0 cache lines of 128 bytes; 2 would hold"),
        "{text}"
    );
    assert!(kernel.contains("global_store_dword"), "{text}");

    // A file instead, and what goes with a page alone.
    let file = folder.path().join("said.txt");
    report(&["--format", "text", &page, "-o", file.to_str().unwrap()]);
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    let wrong = luthier(&["report", "--format", "json", "--timeline", "t.json", &page])
        .output()
        .unwrap();
    assert!(!wrong.status.success());
    assert!(
        String::from_utf8_lossy(&wrong.stderr).contains("leave --format out"),
        "{wrong:?}"
    );
}
