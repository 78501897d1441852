//! Several reports in one table.

use std::fmt::Write;

use crate::{
    page::distance,
    report::{Approximation, Report},
};

/// Approximate functions of several reports side by side: a row per function, a column per report.
pub fn table(reports: &[Report]) -> String {
    let mut functions: Vec<&str> = reports
        .iter()
        .flat_map(|report| &report.approximations)
        .map(|found| found.mnemonic.as_str())
        .collect();
    functions.sort_unstable();
    functions.dedup();
    let mut text = format!("{:<18}", "function");
    for report in reports {
        let _ = write!(text, " {:>26}", report.device.target);
    }
    text.push('\n');
    for function in functions {
        let _ = write!(text, "{function:<18}");
        for report in reports {
            // All encodings and wave sizes together.
            let all: Vec<&Approximation> = report
                .approximations
                .iter()
                .filter(|found| found.mnemonic == function && found.failed.is_none())
                .collect();
            let cell = match all.iter().map(|found| found.worst()).max() {
                None => "-".to_owned(),
                Some(worst) => {
                    let same: f64 = all.iter().map(|found| found.same()).sum();
                    let same = 100.0 * same / all.len() as f64;
                    format!("{same:.3} % same, {} ulp", distance(worst))
                }
            };
            let _ = write!(text, " {cell:>26}");
        }
        text.push('\n');
    }
    text
}
