//! `luthier check --memory --hooks`: what hooks find is what the emulated GPU finds.

use crate::common::{compile, luthier};
use serde_json::Value;
use std::path::PathBuf;

const TARGETS: [&str; 2] = ["gfx90a", "gfx1030"];

fn hip_for(target: &str, name: &str) -> PathBuf {
    let offload = format!("--offload-arch={target}");
    compile("hipcc", name, &["-O1", "-w", "-g", &offload])
}

/// True if the program passed, the findings, and the other messages.
fn run(target: &str, options: &[&str], name: &str, mode: &str) -> (bool, Vec<Value>, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("found.json");
    let mut command = luthier(&[
        "check", "--memory", "--device", target, "--format", "json", "-o",
    ]);
    let command = command.arg(&file).args(options).arg("--");
    let output = command
        .arg(hip_for(target, name))
        .arg(mode)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{error}: {said}"));
    let value: Value = serde_json::from_str(&text).unwrap();
    let findings = value["findings"].as_array().unwrap().clone();
    (output.status.success(), findings, said)
}

/// The facts that both ways have to agree about. Addresses are others in each run.
fn essence(finding: &Value) -> Vec<Value> {
    let access = &finding["access"];
    let allocation = &access["allocation"];
    let mut all: Vec<Value> = [
        "kind",
        "message",
        "function",
        "target",
        "fingerprint",
        "listing",
    ]
    .iter()
    .map(|key| finding[key].clone())
    .collect();
    all.extend(["offset", "text", "source"].map(|key| finding["consumer"][key].clone()));
    all.extend(["write", "workgroup", "wave", "lane"].map(|key| access[key].clone()));
    all.extend(
        [
            "size",
            "kind",
            "with",
            "position",
            "allocated_by",
            "freed_by",
        ]
        .map(|key| allocation[key].clone()),
    );
    all
}

fn agree(target: &str, name: &str, modes: &[&str]) {
    for mode in modes {
        let (_, by_device, said) = run(target, &[], name, mode);
        assert_eq!(by_device.len(), 1, "{target} {mode}: {said}");
        let (_, by_hooks, said) = run(target, &["--hooks"], name, mode);
        let [by_device, by_hooks] =
            [&by_device, &by_hooks].map(|found| found.iter().map(essence).collect::<Vec<_>>());
        assert_eq!(by_hooks, by_device, "{target} {mode}: {said}");
        let right = format!("{mode}-ok");
        let (passed, found, said) = run(target, &["--hooks"], name, &right);
        assert!(passed && found.is_empty(), "{target} {right}: {said}");
    }
}

#[test]
fn hooks_find_what_the_emulated_device_finds() {
    for target in TARGETS {
        agree(target, "beyond.hip", &["end", "before", "freed", "lds"]);
    }
    agree(
        "gfx90a",
        "divided.hip",
        &["stream-freed", "stream-end", "row", "managed"],
    );
}

#[test]
fn hooks_are_silent_where_nothing_is_wrong() {
    let (passed, found, said) = run("gfx90a", &["--hooks"], "divided.hip", "legal");
    assert!(passed && found.is_empty(), "{said}");
}

#[test]
fn hooks_look_for_wrong_accesses_alone() {
    for options in [&["--hooks"][..], &["--memory", "--waits", "--hooks"]] {
        let output = luthier(&["check"])
            .args(options)
            .args(["--", "true"])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{options:?}");
    }
}
