//! Puts the findings of `luthier check` at the instructions of a report.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::{
    error::{Error, Result},
    model::{Code, KernelRow, Remark},
    results,
    run::Run,
};

/// The findings of one file of `luthier check --format json`.
#[derive(Debug)]
pub struct Findings {
    path: PathBuf,
    all: Vec<Finding>,
}

/// See `docs/schemas/check.json`.
#[derive(Debug, Deserialize)]
struct Whole {
    findings: Vec<Finding>,
}

#[derive(Debug, Deserialize)]
struct Finding {
    kind: String,
    grade: String,
    message: String,
    remedy: String,
    times: u64,
    target: String,
    function: String,
    producer: Option<Place>,
    consumer: Place,
}

#[derive(Debug, Deserialize)]
struct Place {
    address: u64,
    text: String,
    #[serde(default)]
    source: Vec<String>,
}

impl Findings {
    pub fn read(path: &Path) -> Result<Findings> {
        let whole: Whole = results::json(path).map_err(|error| match error {
            Error::Damaged { path, reason } => Error::Damaged {
                path,
                reason: format!("this is no report of `luthier check --format json`: {reason}"),
            },
            error => error,
        })?;
        Ok(Findings {
            path: path.to_owned(),
            all: whole.findings,
        })
    }
}

impl Run {
    /// Puts each finding before the remarks of every kernel that has its instruction. Returns a sentence about those that no kernel has.
    pub fn add_findings(&mut self, findings: &Findings) -> Option<String> {
        let mut without = Vec::new();
        // Each goes to the front, so that the first one comes first.
        for finding in findings.all.iter().rev() {
            let mut placed = false;
            for (number, code) in &self.codes {
                let row = &mut self.overview.kernels[*number];
                if let Some(remark) = remark(finding, row, code) {
                    row.remarks.insert(0, remark);
                    placed = true;
                }
            }
            if !placed {
                without.push(format!("{} in {}", finding.kind, finding.function));
            }
        }
        without.sort();
        without.dedup();
        let file = findings.path.display();
        let sentence = (!without.is_empty()).then(|| {
            let list = without.join(", ");
            format!("{file}: no kernel with code in this report has the instruction of: {list}")
        });
        self.overview.notes.extend(sentence.clone());
        sentence
    }
}

/// None if the kernel's code does not have the finding's instruction.
fn remark(finding: &Finding, row: &KernelRow, code: &Code) -> Option<Remark> {
    if gfx::processor(&finding.target) != gfx::processor(&row.target) {
        return None;
    }
    let at = position(code, &finding.consumer)?;
    let other = (finding.producer.as_ref()).and_then(|place| position(code, place));
    let mut evidence = finding.remedy.clone();
    if let Some(producer) = &finding.producer {
        let source = producer.source.first();
        let place = source.map_or_else(String::new, |line| format!(" at {line}"));
        evidence += &format!("; the other side is `{}`{place}", producer.text);
    }
    Some(Remark {
        rule: finding.kind.clone(),
        title: finding.message.clone(),
        evidence,
        at: Some(at),
        other,
        place: (finding.consumer.source.first()).map_or_else(String::new, String::clone),
        instruction: code.text[at as usize].clone(),
        grade: finding.grade.clone(),
        more: finding.times.saturating_sub(1),
        share: None,
    })
}

fn position(code: &Code, place: &Place) -> Option<u32> {
    let at = (code.pc.iter()).position(|address| *address == place.address)?;
    // Another build of the kernel may have another instruction there.
    (code.text[at] == place.text).then_some(at as u32)
}
