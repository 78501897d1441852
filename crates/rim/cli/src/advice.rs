//! The findings of a report's rules, without a page.

use std::fmt::Write;

use serde::Serialize;

/// One remark, as `docs/schemas/report.json` says.
#[derive(Serialize)]
struct Row<'r> {
    kernel: &'r str,
    symbol: &'r str,
    target: &'r str,
    #[serde(flatten)]
    remark: Remark<'r>,
}

#[derive(Serialize)]
struct Remark<'r> {
    rule: &'r str,
    #[serde(skip_serializing_if = "str::is_empty")]
    grade: &'r str,
    title: &'r str,
    evidence: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pc: Option<u64>,
    #[serde(skip_serializing_if = "str::is_empty")]
    instruction: &'r str,
    #[serde(skip_serializing_if = "str::is_empty")]
    source: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    share: Option<f64>,
    more: u64,
}

#[derive(Serialize)]
pub struct Json<'r> {
    format: &'static str,
    version: u32,
    /// Rules that were looked for.
    rules: Vec<&'static str>,
    remarks: Vec<Row<'r>>,
    /// Kernels of which nothing can be said, because the run kept no code of theirs.
    without_code: Vec<&'r str>,
}

pub fn json(run: &report::Run) -> Json<'_> {
    let kernels = run.overview.kernels.iter().enumerate();
    let remarks = kernels.flat_map(|(number, kernel)| {
        let code = run.codes.get(&number);
        kernel.remarks.iter().map(move |remark| Row {
            kernel: &kernel.full,
            symbol: &kernel.symbol,
            target: &kernel.target,
            remark: Remark {
                rule: &remark.rule,
                grade: &remark.grade,
                title: &remark.title,
                evidence: &remark.evidence,
                pc: remark.at.and_then(|at| code?.pc.get(at as usize).copied()),
                instruction: &remark.instruction,
                source: &remark.place,
                share: remark.share,
                more: remark.more,
            },
        })
    });
    Json {
        format: "luthier-report",
        version: 1,
        rules: report::rules().collect(),
        remarks: remarks.collect(),
        without_code: without_code(run).collect(),
    }
}

fn without_code(run: &report::Run) -> impl Iterator<Item = &str> {
    let kernels = run.overview.kernels.iter().filter(|kernel| !kernel.code);
    kernels.map(|kernel| kernel.full.as_str())
}

pub fn text(run: &report::Run) -> String {
    let mut text = String::new();
    let mut kernels: Vec<_> = run.overview.kernels.iter().filter(|row| row.code).collect();
    kernels.sort_by_key(|row| std::cmp::Reverse(row.waves));
    for kernel in kernels {
        let target = gfx::processor(&kernel.target);
        let _ = writeln!(text, "{} ({target})", kernel.name);
        if kernel.remarks.is_empty() {
            text += "  nothing stands out\n";
        }
        for remark in &kernel.remarks {
            let share = remark.share.filter(|share| *share > 0.0);
            let share = share.map_or(String::new(), |share| format!(", {:.1} %", share * 100.0));
            let grade = match remark.grade.as_str() {
                "" => String::new(),
                grade => format!("{grade}, "),
            };
            let _ = writeln!(text, "  {} [{grade}{}{share}]", remark.title, remark.rule);
            let _ = writeln!(text, "    {}", remark.evidence);
            let place = [remark.place.as_str(), remark.instruction.as_str()];
            let place: Vec<_> = place.into_iter().filter(|part| !part.is_empty()).collect();
            if !place.is_empty() {
                let _ = writeln!(text, "    at {}", place.join(": "));
            }
            if remark.more > 0 {
                let more = match remark.grade.as_str() {
                    "" => format!("and at {} more places", remark.more),
                    _ => format!("found {} more times", remark.more),
                };
                let _ = writeln!(text, "    {more}");
            }
        }
    }
    let without: Vec<_> = without_code(run).collect();
    if !without.is_empty() {
        let _ = writeln!(
            text,
            "not looked at, since the run kept no code of these: {} (LUTHIER_OBJECTS=1 keeps it)",
            without.join(", ")
        );
    }
    text
}
