//! The output of `luthier check`.

use std::fmt::Write as _;

use anyhow::Result;
use check::{
    Checker, Covered, Finding, Grade, Tally,
    nan::{Maker, Makers},
};
use command::grouped;
use serde::Serialize;

use super::{Form, junit::junit, program::outliving::Outliving, sarif::sarif};

/// The parts that were examined.
#[derive(Debug, Default)]
pub struct Report {
    /// Files with code objects.
    pub files: u64,
    pub objects: u64,
    /// Files in directories and archives that hold none.
    pub other_files: u64,
    pub covered: Covered,
    /// Parts of files that are device code in another form than machine code.
    pub uncompiled: u64,
    /// Kernels that were run, if a program was.
    pub run: Option<u64>,
    /// A check that was not made, and why.
    pub left_out: Option<&'static str>,
    /// Processes that went on when the program had ended.
    pub outliving: Vec<Outliving>,
    /// Instructions after which `--init` takes what they wrote as set.
    pub not_followed: Vec<String>,
    /// Instructions whose numbers `--nan` does not look at.
    pub not_looked_at: Vec<String>,
    /// Lines that make NaN or infinity.
    pub makers: Makers,
    /// Instructions whose accesses to global memory `--races` does not judge.
    pub not_ordered: Vec<String>,
    pub problems: Vec<Problem>,
    /// Findings of a program in code that cannot be shown. The problems say why.
    pub without_place: u64,
}

/// A file that could not be read, or not all of it, or a finding of a program in code that could not be read.
#[derive(Debug, Serialize)]
pub struct Problem {
    file: String,
    reason: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.file, self.reason)
    }
}

impl Report {
    pub fn add(&mut self, covered: Covered) {
        self.objects += 1;
        self.covered.add(covered);
    }

    /// Returns `true` if nothing of what was chosen could not be checked.
    pub fn is_complete(&self) -> bool {
        let instructions = [&self.not_followed, &self.not_looked_at, &self.not_ordered];
        self.covered.is_complete()
            && self.uncompiled == 0
            && self.left_out.is_none()
            && self.outliving.is_empty()
            && self.problems.is_empty()
            && instructions.iter().all(|names| names.is_empty())
    }

    pub fn problem(&mut self, file: &str, reason: &str) {
        self.problems.push(Problem {
            file: file.to_owned(),
            reason: reason.to_owned(),
        });
    }
}

/// Gathers findings in the form that was asked for.
pub struct Writer {
    format: Form,
    suppressions: bool,
    checkers: Vec<Checker>,
    text: String,
    found: Vec<Found>,
}

/// A finding in a file.
#[derive(Serialize)]
pub struct Found {
    pub file: String,
    /// How often the same was found.
    pub times: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    suppression: Option<String>,
    #[serde(flatten)]
    pub finding: Finding,
}

#[derive(Serialize)]
struct Whole<'r> {
    checks: Vec<Checker>,
    findings: Vec<Found>,
    summary: Summary<'r>,
}

#[derive(Serialize)]
struct Summary<'r> {
    files: u64,
    other_files: u64,
    code_objects: u64,
    checked: Covered,
    uncompiled: u64,
    certain: Counts,
    possible: Counts,
    suppressed: u64,
    shown: usize,
    kinds: Vec<KindCount>,
    /// Kernels that were run.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<&'r str>,
    #[serde(skip_serializing_if = "<[Outliving]>::is_empty")]
    outliving: &'r [Outliving],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    not_followed: &'r [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    not_looked_at: &'r [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    made: Vec<Lanes<'r>>,
    not_ordered: &'r [String],
    unused_suppressions: Vec<&'r str>,
    problems: &'r [Problem],
}

/// A line that makes NaN or infinity, and in how many lanes.
#[derive(Serialize)]
struct Lanes<'r> {
    #[serde(flatten)]
    maker: &'r Maker,
    lanes: u64,
}

/// Findings of one grade.
#[derive(Serialize)]
struct Counts {
    findings: u64,
    different: u64,
}

#[derive(Serialize)]
struct KindCount {
    kind: check::Kind,
    grade: Grade,
    different: u64,
}

impl Writer {
    pub fn new(format: Form, suppressions: bool, checkers: Vec<Checker>) -> Writer {
        Writer {
            format,
            suppressions,
            checkers,
            text: String::new(),
            found: Vec::new(),
        }
    }

    pub fn finding(&mut self, file: &str, finding: Finding) {
        self.found.push(Found {
            file: file.to_owned(),
            times: 0,
            suppression: self.suppressions.then(|| check::suppression(&finding)),
            finding,
        });
    }

    /// All that is to be printed.
    pub fn finish(mut self, report: &Report, tally: &Tally) -> Result<String> {
        for found in &mut self.found {
            found.times = tally.times(&found.finding.fingerprint);
        }
        let unused = tally.suppressions.uses();
        let unused = unused.filter(|(_, uses)| *uses == 0).map(|(name, _)| name);
        let unused: Vec<&str> = unused.collect();
        match self.format {
            Form::Text => self.text(report, tally, &unused),
            Form::Sarif => {
                let whole = sarif(&self.checkers, &self.found, report);
                Ok(serde_json::to_string_pretty(&whole)? + "\n")
            }
            Form::Junit => junit(&self.checkers, &self.found, report),
            Form::Json => {
                let counts = |grade| Counts {
                    findings: tally.all(grade),
                    different: tally.different(grade),
                };
                let kinds = tally.by_kind().map(|(grade, kind, different)| KindCount {
                    kind,
                    grade,
                    different,
                });
                let lanes = report.makers.iter();
                let lanes = lanes.map(|(maker, lanes)| Lanes {
                    maker,
                    lanes: *lanes,
                });
                let whole = Whole {
                    checks: self.checkers,
                    findings: self.found,
                    summary: Summary {
                        files: report.files,
                        other_files: report.other_files,
                        code_objects: report.objects,
                        checked: report.covered,
                        uncompiled: report.uncompiled,
                        certain: counts(Grade::Certain),
                        possible: counts(Grade::Possible),
                        suppressed: tally.suppressed,
                        shown: tally.shown,
                        kinds: kinds.collect(),
                        run: report.run,
                        left_out: report.left_out,
                        outliving: &report.outliving,
                        not_followed: &report.not_followed,
                        not_looked_at: &report.not_looked_at,
                        made: lanes.collect(),
                        not_ordered: &report.not_ordered,
                        unused_suppressions: unused,
                        problems: &report.problems,
                    },
                };
                Ok(serde_json::to_string_pretty(&whole)? + "\n")
            }
        }
    }

    fn text(mut self, report: &Report, tally: &Tally, unused: &[&str]) -> Result<String> {
        let out = &mut self.text;
        for found in &self.found {
            check::write_finding(out, &found.file, &found.finding)?;
            if found.times > 1 {
                writeln!(out, "  found {} times", grouped(found.times))?;
            }
            if let Some(suppression) = &found.suppression {
                write!(out, "{suppression}")?;
            }
            writeln!(out)?;
        }
        summary(out, report, tally, &self.checkers)?;
        for name in unused {
            writeln!(out, "unused suppression: {name}")?;
        }
        Ok(self.text)
    }
}

fn plural(count: u64, one: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {one}{ending}", grouped(count))
}

fn kernels_and_functions(count: u64) -> String {
    match count {
        1 => "1 kernel or function".to_owned(),
        many => format!("{} kernels and functions", grouped(many)),
    }
}

fn write_problems(out: &mut String, report: &Report) -> std::fmt::Result {
    let files = report.problems.len() as u64;
    match (files, report.without_place) {
        (0, _) => Ok(()),
        (_, 0) => writeln!(
            out,
            "not read: {}, or a part of each",
            plural(files, "file")
        ),
        (_, count) => writeln!(out, "without a place: {}", plural(count, "finding")),
    }
}

fn summary(
    out: &mut String,
    report: &Report,
    tally: &Tally,
    checkers: &[Checker],
) -> std::fmt::Result {
    let covered = report.covered;
    writeln!(out, "checked: {}", checked(report, checkers))?;
    if report.other_files > 0 {
        writeln!(
            out,
            "without GPU code: {}",
            plural(report.other_files, "other file")
        )?;
    }
    for line in unchecked(&covered) {
        writeln!(out, "not checked: {line}")?;
    }
    if report.uncompiled > 0 {
        writeln!(
            out,
            "not checked: {} of LLVM bitcode or SPIR-V, which the linker or the runtime compiles",
            plural(report.uncompiled, "part")
        )?;
    }
    if let Some(left_out) = report.left_out {
        writeln!(out, "not checked: {left_out}")?;
    }
    for process in &report.outliving {
        writeln!(
            out,
            "not checked: what {process} does after this report, and its leaks"
        )?;
    }
    if !report.not_followed.is_empty() {
        writeln!(
            out,
            "not followed: undefined values through {}",
            report.not_followed.join(", ")
        )?;
    }
    if !report.not_looked_at.is_empty() {
        writeln!(
            out,
            "not looked at: NaN and infinity of {}",
            report.not_looked_at.join(", ")
        )?;
    }
    if !report.not_ordered.is_empty() {
        writeln!(
            out,
            "not judged: races in global memory of {}",
            report.not_ordered.join(", ")
        )?;
    }
    write_problems(out, report)?;
    writeln!(out, "certain: {}", found(tally, Grade::Certain))?;
    writeln!(out, "possible: {}", found(tally, Grade::Possible))?;
    for (maker, lanes) in &report.makers {
        let (lanes, kind) = (plural(*lanes, "lane"), maker.kind.name());
        writeln!(out, "{kind}: {lanes}, made at {}", maker.place)?;
    }
    if tally.suppressed > 0 {
        writeln!(out, "suppressed: {}", plural(tally.suppressed, "finding"))?;
    }
    let different = tally.different(Grade::Certain) + tally.different(Grade::Possible);
    if (tally.shown as u64) < different {
        let hint = match tally.different(Grade::Possible) {
            0 => "--print-limit N shows more",
            _ => "--print-limit N shows more, --possible shows possible ones",
        };
        writeln!(
            out,
            "shown: {} of {} ({hint})",
            tally.shown,
            grouped(different)
        )?;
    }
    Ok(())
}

/// The files and kernels that were checked.
fn checked(report: &Report, checkers: &[Checker]) -> String {
    let covered = report.covered;
    let Some(kernels) = report.run else {
        return format!(
            "{} in {} and {}, in {} in {}",
            plural(covered.instructions, "instruction"),
            plural(covered.kernels, "kernel"),
            plural(covered.functions, "device function"),
            plural(report.objects, "code object"),
            plural(report.files, "file"),
        );
    };
    let memory = match checkers.contains(&Checker::Leaks) {
        true => "memory that the program asked HIP for",
        false => "",
    };
    if checkers == [Checker::Leaks] {
        return memory.to_owned();
    }
    let of_files = match checkers.contains(&Checker::Waits) {
        true => "; wait states and gfx12's scalar registers only in files",
        false => "",
    };
    let kernels = plural(kernels, "kernel");
    let and = if memory.is_empty() { "" } else { "; " };
    format!("{kernels} along the paths that waves took{of_files}{and}{memory}")
}

/// How many findings of one grade there are, and of which kinds.
fn found(tally: &Tally, grade: Grade) -> String {
    let (all, different) = (tally.all(grade), tally.different(grade));
    let mut kinds: Vec<String> = Vec::new();
    for (of, kind, count) in tally.by_kind() {
        if of == grade {
            kinds.push(format!("{} {}", grouped(count), kind.name()));
        }
    }
    let kinds = match &kinds[..] {
        [] => String::new(),
        kinds => format!(": {}", kinds.join(", ")),
    };
    let same = match different {
        _ if all == different => String::new(),
        0 => ", all of bugs that are certain elsewhere".to_owned(),
        _ => format!(", {} different", grouped(different)),
    };
    format!("{}{same}{kinds}", plural(all, "finding"))
}

/// The parts that were not examined, and why.
fn unchecked(covered: &Covered) -> Vec<String> {
    let mut lines = Vec::new();
    let share = |part: u64| 100.0 * part as f64 / covered.instructions.max(1) as f64;
    if covered.with_unknown_jumps > 0 {
        lines.push(format!(
            "ways through jumps to unknown places, in {} of {} kernels and functions ({:.1} % of all instructions)",
            grouped(covered.with_unknown_jumps),
            grouped(covered.kernels + covered.functions),
            share(covered.instructions_with_unknown_jumps),
        ));
    }
    if covered.run_off > 0 {
        lines.push(format!(
            "what lies behind the end of {}, over which control runs; compilers leave such code where they take it to be unreachable",
            kernels_and_functions(covered.run_off),
        ));
    }
    if covered.with_unknown_calls > 0 {
        lines.push(format!(
            "what is called by address, in {}; calls are taken to wait for everything",
            kernels_and_functions(covered.with_unknown_calls),
        ));
    }
    if covered.indexed_instructions > 0 {
        lines.push(format!(
            "vector registers of {} that reach them by an index",
            plural(covered.indexed_instructions, "instruction"),
        ));
    }
    if covered.undecodable > 0 {
        lines.push(format!(
            "{} that are no instructions",
            plural(covered.undecodable, "dword")
        ));
    }
    lines
}
