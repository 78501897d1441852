//! `luthier run --exactness`: uses of results that a GPU may compute otherwise.

use std::fs;

use serde_json::Value;

use crate::common::{
    compile, luthier,
    schema::{check, schema},
};

const FLAGS: [&str; 4] = ["-O1", "-w", "-g", "--offload-arch=gfx90a"];

/// The name of the source and the line with a mark.
fn marked(mark: &str) -> String {
    let text = include_str!("programs/inexact.hip");
    let at = text
        .lines()
        .position(|line| line.ends_with(&format!("// @{mark}")));
    format!("inexact.hip:{}", at.unwrap() + 1)
}

/// The command's lines about uses, and all else that it says.
fn reached(options: &[&str], arguments: &[&str]) -> (Option<String>, String) {
    let mut command = luthier(&["run", "--device", "gfx90a"]);
    command.args(options).arg("--");
    command.arg(compile("hipcc", "inexact.hip", &FLAGS));
    let output = command.args(arguments).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    let uses = said.split_once("  reached: ").map(|(_, uses)| {
        let lines = uses.lines().enumerate();
        let own = lines.take_while(|(number, line)| *number == 0 || line.starts_with("    "));
        own.map(|(_, line)| format!("{line}\n")).collect()
    });
    (uses, said)
}

const NOTHING: &str = "no address, no branch and no output depends on such results\n";

#[test]
fn each_use_is_named_with_its_origin_and_exact_twins_have_none() {
    const STORED: (&str, &str, &str) = ("output: global_store_dword ", "output", "v_exp_f32 @exp");
    for (mode, uses) in [
        (
            "address",
            &[("address: global_store_dword ", "address", "v_exp_f32 @exp")][..],
        ),
        ("branch", &[("branch: ", "branch", "v_exp_f32 @exp")]),
        ("output", &[STORED]),
        ("dropped", &[]),
        (
            "later",
            &[STORED, ("branch: ", "later", "memory, loaded @later")],
        ),
        ("overwritten", &[STORED]),
    ] {
        let (found, said) = reached(&["--exactness"], &[mode]);
        assert!(said.contains("v_exp_f32 1"), "{mode}: {said}");
        let found = found.unwrap_or_else(|| panic!("{mode}: {said}"));
        let rows: Vec<&str> = found
            .lines()
            .filter(|row| row.starts_with("      "))
            .collect();
        assert_eq!(rows.len(), uses.len(), "{mode}: {found}");
        for (start, at, from) in uses {
            let (kind, origin) = from.split_once('@').unwrap();
            let (at, origin) = (marked(at), marked(origin));
            let is_it = |row: &&&str| {
                row.trim_start().starts_with(start)
                    && row.contains(&format!("{at}, from {kind}"))
                    && row.ends_with(&format!("{origin}, once"))
            };
            assert_eq!(rows.iter().filter(is_it).count(), 1, "{start}: {found}");
        }
        if uses.is_empty() {
            assert_eq!(found, NOTHING, "{mode}");
        }
        let (found, said) = reached(&["--exactness"], &[mode, "exact"]);
        assert_eq!(found.as_deref(), Some(NOTHING), "{mode}, exact: {said}");
    }
}

#[test]
fn results_are_followed_only_where_that_was_asked_for() {
    let (found, said) = reached(&["--stats"], &["output"]);
    assert_eq!(found, None, "{said}");
    assert!(said.contains("  exactness: 1 of "), "{said}");
}

#[test]
fn files_and_reports_have_the_uses() {
    let folder = tempfile::tempdir().unwrap();
    let (output, page) = (folder.path().join("out"), folder.path().join("page.html"));
    let options = [
        "--exactness",
        "--output",
        output.to_str().unwrap(),
        "--report",
        page.to_str().unwrap(),
    ];
    reached(&options, &["branch"]);
    let text = fs::read_to_string(output.join("statistics.json")).unwrap();
    let statistics: Value = serde_json::from_str(&text).unwrap();
    check(&schema("statistics"), &statistics).unwrap();
    let kernels = statistics["kernels"].as_array().unwrap();
    let uses: Vec<&Value> = kernels
        .iter()
        .flat_map(|kernel| kernel["reached"].as_array().unwrap())
        .collect();
    assert_eq!(uses.len(), 1, "{text}");
    assert_eq!(uses[0]["what"], "branch");
    assert_eq!(uses[0]["times"], 1);
    let run = report::read_page(&page).unwrap();
    let told = run.overview.reached.unwrap();
    assert_eq!(told.len(), 1, "{told:?}");
    let (kernel, what, by, from, times) = &told[0];
    assert!(kernel.starts_with("branch"), "{told:?}");
    assert!(by.ends_with(&marked("branch")), "{told:?}");
    assert!(from.starts_with("v_exp_f32 ") && from.ends_with(&marked("exp")));
    assert_eq!((&**what, *times), ("branch", 1));
}
