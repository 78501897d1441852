//! `cargo xtask coverage`: per target, the instructions that LLVM decodes, that the wave engine executes, and that the
//! instruction tests exercise with known values. Runs those tests.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    process::Command,
};

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;

use crate::root;

/// Decoded mnemonics of one target.
#[derive(Default)]
struct Target {
    decoded: BTreeSet<String>,
    executed: BTreeSet<String>,
    /// Graphics and other instructions that compute code never holds.
    outside: BTreeSet<String>,
    /// In tests on this target.
    tested: BTreeSet<String>,
}

/// `[--format text|json]`. The text lists instructions that have semantics but no test.
pub fn run(arguments: &[String]) -> Result<Vec<String>> {
    let as_json = match arguments {
        [] => false,
        [option, format] if option == "--format" => match format.as_str() {
            "json" => true,
            "text" => false,
            other => bail!("--format is text or json, not {other}"),
        },
        _ => bail!("the only option is --format text|json"),
    };
    let targets = measure()?;
    // Semantics are shared: a test on one target judges the row for all.
    let anywhere: BTreeSet<&String> = targets.values().flat_map(|target| &target.tested).collect();
    let untested: BTreeSet<&String> = targets
        .values()
        .flat_map(|target| &target.executed)
        .filter(|mnemonic| !anywhere.contains(mnemonic))
        .collect();
    let missing = |target: &Target| -> Vec<String> {
        let known = &target.executed | &target.outside;
        (&target.decoded - &known).into_iter().collect()
    };
    if as_json {
        let rows: BTreeMap<_, _> = targets
            .iter()
            .map(|(name, target)| {
                let row = json!({
                    "decoded": target.decoded.len(),
                    "executed": target.executed.len(),
                    "outside": target.outside.len(),
                    "tested": (&target.tested & &target.executed).len(),
                    "missing": missing(target),
                });
                (name, row)
            })
            .collect();
        let all = json!({ "targets": rows, "untested": untested });
        println!("{}", serde_json::to_string_pretty(&all)?);
        return Ok(Vec::new());
    }
    println!("target     decoded   executed   outside   missing   tested on it   tested anywhere");
    for (name, target) in &targets {
        let somewhere = target
            .executed
            .iter()
            .filter(|name| anywhere.contains(name));
        println!(
            "{name:8} {:9} {:10} {:9} {:9} {:14} {:17}",
            target.decoded.len(),
            target.executed.len(),
            target.outside.len(),
            missing(target).len(),
            (&target.tested & &target.executed).len(),
            somewhere.count(),
        );
        for mnemonic in missing(target) {
            println!("  missing {mnemonic}");
        }
    }
    println!(
        "{} instructions with semantics have no test",
        untested.len()
    );
    for mnemonic in untested {
        println!("  {mnemonic}");
    }
    Ok(Vec::new())
}

/// Runs the tests of the wave engine, which write down what they decode and exercise.
fn measure() -> Result<BTreeMap<String, Target>> {
    let folder = root().join("target/coverage");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let (decoded, tested) = (folder.join("decoded.txt"), folder.join("tested.txt"));
    for file in [&decoded, &tested] {
        fs::write(file, "").with_context(|| format!("cannot write {}", file.display()))?;
    }
    let output = Command::new("cargo")
        .args([
            "test",
            "--quiet",
            "--release",
            "--workspace",
            "--test",
            "wave",
        ])
        .current_dir(root())
        .env("LUTHIER_DECODED", &decoded)
        .env("LUTHIER_TESTED", &tested)
        .output()
        .context("cannot run cargo")?;
    ensure!(
        output.status.success(),
        "the instruction tests fail:\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    let mut targets: BTreeMap<String, Target> = BTreeMap::new();
    for line in fs::read_to_string(&decoded)?.lines() {
        let [name, mnemonic, verdict] = words(line)?;
        let target = targets.entry(name).or_default();
        match verdict.as_str() {
            "executed" => _ = target.executed.insert(mnemonic.clone()),
            "outside" => _ = target.outside.insert(mnemonic.clone()),
            _ => {}
        }
        target.decoded.insert(mnemonic);
    }
    for line in fs::read_to_string(&tested)?.lines() {
        let [name, _, mnemonic] = words(line)?;
        // Cases also run on targets that are no devices.
        if let Some(target) = targets.get_mut(&name) {
            target.tested.insert(mnemonic);
        }
    }
    Ok(targets)
}

fn words(line: &str) -> Result<[String; 3]> {
    let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    words
        .try_into()
        .map_err(|_| anyhow::anyhow!("{line:?} is no line of three words"))
}
