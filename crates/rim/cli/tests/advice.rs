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
    for option in [
        &["--timeline", "t.json"][..],
        &["--title", "a"],
        &["--no-sources"],
    ] {
        let words = [&["report", "--format", "json", &page], option].concat();
        let wrong = luthier(&words).output().unwrap();
        assert!(!wrong.status.success());
        let said = String::from_utf8_lossy(&wrong.stderr);
        let expected = format!("{} is for a page: leave --format out", option[0]);
        assert!(said.contains(&expected), "{wrong:?}");
    }
}

/// The second one would overwrite the first.
#[test]
fn a_page_and_a_timeline_are_two_files() {
    let folder = tempfile::tempdir().unwrap();
    let (file, same) = (folder.path().join("a"), folder.path().join("./a"));
    for [before, behind] in [
        [&["report", "nowhere", "-o"][..], &[]],
        [&["run", "--report"], &["--", "true"]],
    ] {
        let mut asked = luthier(before);
        asked.arg(&file).arg("--timeline").arg(&same).args(behind);
        let wrong = asked.output().unwrap();
        assert_eq!(wrong.status.code(), Some(2), "{wrong:?}");
        let said = String::from_utf8_lossy(&wrong.stderr);
        let expected = "would be the page and the timeline: name two files";
        assert!(said.contains(expected), "{said}");
    }
}

/// The addresses and lines are those of the checker's own report, which other tests compare with the source.
#[test]
fn findings_stand_at_their_instructions() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (races, page) = (file("races.json"), file("page.html"));
    let program = hip("raced.hip");
    let words = ["check", "--races", "--device", "gfx90a", "--format", "json"];
    let mut checked = luthier(&[&words[..], &["-o", &races, "--"]].concat());
    checked.arg(&program).arg("missing").output().unwrap();
    let mut run = luthier(&["run", "--device", "gfx90a", "--report", &page, "--"]);
    let run = run.arg(&program).arg("missing").output().unwrap();
    assert!(run.status.success(), "{run:?}");
    let found: Value = serde_json::from_str(&fs::read_to_string(&races).unwrap()).unwrap();
    let finding = &found["findings"][0];
    assert_eq!(finding["kind"], "lds-race");

    let said = report(&["--format", "json", &page, "--findings", &races]);
    let said: Value = serde_json::from_str(&said).unwrap();
    check(&schema("report"), &said).unwrap();
    let remark = &said["remarks"][0];
    assert_eq!(
        (&remark["rule"], &remark["grade"], &remark["title"]),
        (&finding["kind"], &finding["grade"], &finding["message"])
    );
    let place = &finding["consumer"];
    assert_eq!(
        (&remark["pc"], &remark["instruction"], &remark["source"]),
        (&place["address"], &place["text"], &place["source"][0])
    );
    let other = finding["producer"]["text"].as_str().unwrap();
    assert!(remark["evidence"].as_str().unwrap().contains(other));
    let text = report(&["--format", "text", &page, "--findings", &races]);
    assert!(text.contains("[certain, lds-race]"), "{text}");

    // The kernel of another program is not in the report; a finding of another instruction has no place in it.
    let mut other = found.clone();
    other["findings"][0]["consumer"]["text"] = "s_nop 7".into();
    let moved = file("moved.json");
    fs::write(&moved, other.to_string()).unwrap();
    let mut output = luthier(&["report", "--format", "json", &page, "--findings", &moved]);
    let output = output.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(
        errors.contains("moved.json: no kernel with code"),
        "{errors}"
    );
    assert!(errors.contains("lds-race in missing("), "{errors}");
    assert!(!String::from_utf8_lossy(&output.stdout).contains("lds-race"));

    // A file that is no report of the checker, and two runs.
    for (arguments, fault) in [
        (
            vec!["report", "--format", "json", &page, "--findings", &page],
            "page.html: this is no report of `luthier check --format json`",
        ),
        (
            vec!["report", "--diff", &page, &page, "--findings", &races],
            "cannot be used with",
        ),
    ] {
        let output = luthier(&arguments).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{errors}");
        assert!(errors.contains(fault), "{errors}");
    }
}
