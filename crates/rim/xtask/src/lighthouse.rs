//! `cargo xtask lighthouse`: how accessible Lighthouse finds the views of a report, in a table in `docs/measurements/lighthouse.md`.
//!
//! Lighthouse comes from npm and drives Debian's chromium.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::{
    command::{done, said},
    root,
};

const PACKAGES: [&str; 2] = ["lighthouse@13", "puppeteer-core@24"];
const SCRIPT: &str = include_str!("lighthouse.mjs");
/// The score that each view reaches at least.
const LEAST: f64 = 0.95;
/// Every view of a report and of a comparison. Kernel 0 is the one that executed most.
const VIEWS: [&str; 12] = [
    "page.html",
    "page.html#kernels",
    "page.html#timeline",
    "page.html#kernel/0?view=code",
    "page.html#kernel/0?view=remarks",
    "page.html#kernel/0?view=flame",
    "page.html#kernel/0?view=graph",
    "page.html#kernel/0?view=mix",
    "page.html#kernel/0?view=memory",
    "page.html#kernel/0?view=resources",
    "difference.html",
    "difference.html#compare/0",
];

/// A view as Lighthouse saw it.
struct Seen {
    view: String,
    score: Option<f64>,
    failed: Vec<String>,
    version: String,
    error: String,
}

impl Seen {
    /// A line of the script.
    fn read(line: &str) -> Result<Seen> {
        let line: Value = serde_json::from_str(line).with_context(|| line.to_owned())?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let failed = line["failed"].as_array().into_iter().flatten();
        Ok(Seen {
            view: text(&line["view"]),
            score: line["score"].as_f64(),
            failed: failed.map(text).collect(),
            version: text(&line["version"]),
            error: text(&line["error"]),
        })
    }
}

pub fn run(arguments: &[String]) -> Result<Vec<String>> {
    ensure!(arguments.is_empty(), "there are no arguments");
    let folder = root().join("target/lighthouse");
    fs::create_dir_all(&folder)?;
    done(
        Command::new("npm")
            .args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"])
            .arg(&folder)
            .args(PACKAGES),
    )
    .context("lighthouse and puppeteer-core come from npm")?;
    pages(&folder)?;
    let script = folder.join("lighthouse.mjs");
    fs::write(&script, SCRIPT)?;
    let printed = said(Command::new("node").arg(script).arg(&folder).args(VIEWS))?;
    let seen = printed
        .lines()
        .map(Seen::read)
        .collect::<Result<Vec<_>>>()?;
    ensure!(seen.len() == VIEWS.len(), "a view is missing: {printed}");
    let date = said(Command::new("date").args(["-u", "+%Y-%m-%d"]))?;
    let path = root().join("docs/measurements/lighthouse.md");
    fs::write(&path, table(&seen, &date)).with_context(|| path.display().to_string())?;
    Ok(complaints(&seen))
}

/// Makes a page of a run with all that a report shows, and the comparison of two builds.
fn pages(folder: &Path) -> Result<()> {
    let luthier = root().join("target/release/luthier");
    let source = root().join("crates/rim/cli/tests/programs/stands_out.hip");
    let make = |level: &str, page: &str| -> Result<()> {
        let program = folder.join(page).with_extension("program");
        let mut compiler = Command::new("hipcc");
        compiler.args(["-g", "-w", "--offload-arch=gfx90a", level]);
        done(compiler.arg(&source).arg("-o").arg(&program))?;
        let mut run = Command::new(&luthier);
        // (The trace is left beside the page.)
        run.current_dir(folder);
        run.args(["run", "--device", "gfx90a", "--exactness", "-t"])
            .args(["mem-trace,mem-coalesce,lds-conflicts,branch-divergence,launch-log"])
            .arg("--report")
            .arg(folder.join(page))
            .arg("--")
            .arg(program);
        done(&mut run)
    };
    make("-O1", "page.html")?;
    make("-O2", "other.html")?;
    let mut report = Command::new(luthier);
    report.args(["report", "--diff"]);
    report.args(["page.html", "other.html"].map(|page| folder.join(page)));
    done(report.arg("-o").arg(folder.join("difference.html")))
}

fn complaints(seen: &[Seen]) -> Vec<String> {
    let fails = |one: &&Seen| one.score.is_none_or(|score| score < LEAST);
    let said = |one: &Seen| {
        let reasons = one.failed.join(", ");
        format!("{}: {:?} {reasons}{}", one.view, one.score, one.error)
    };
    seen.iter().filter(fails).map(said).collect()
}

fn table(seen: &[Seen], date: &str) -> String {
    let version = seen.first().map_or("", |one| &one.version);
    let row = |one: &Seen| {
        let score = one.score.unwrap_or_default() * 100.0;
        format!(
            "| `{}` | {score:.0} | {} |\n",
            one.view,
            one.failed.join(", ")
        )
    };
    let rows: String = seen.iter().map(row).collect();
    format!(
        "# Accessibility of reports\n\n`cargo xtask lighthouse` writes this table, and `./dev nightly` runs it. It opens each view of a report, and of a comparison of two\n\
         builds, in chromium, and fails if a score is below {:.0}. Lighthouse {version}, {date}.\n\n\
         | view | score | what is missing |\n|---|---|---|\n{rows}",
        LEAST * 100.0
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_scores_and_failures_are_complaints() {
        let read = |text: &str| Seen::read(text).unwrap();
        let seen = [
            read(r#"{"view":"a","score":0.95,"failed":["skip-link"],"version":"13"}"#),
            read(r#"{"view":"b","score":0.94,"failed":["label"],"version":"13"}"#),
            read(r#"{"view":"c","score":null,"failed":[],"version":"13","error":"no page"}"#),
        ];
        assert_eq!(
            complaints(&seen),
            ["b: Some(0.94) label", "c: None no page"]
        );
        let text = table(&seen, "2026-11-27");
        assert!(text.contains("| `a` | 95 | skip-link |\n| `b` | 94 | label |"));
    }
}
