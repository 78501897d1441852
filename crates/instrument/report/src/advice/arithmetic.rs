//! Precision that the source did not ask for.

use super::{Found, counted, view::View};

/// The share of double precision among the kernel's vector instructions.
const LEAST_SHARE: f64 = 0.02;

/// Arithmetic in double precision in a block that makes its operands from single precision and goes back to it.
pub(super) fn promoted(view: &View<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for block in view.blocks() {
        let (mut widened, mut narrowed, mut arithmetic) = (0, 0, Vec::new());
        for at in block {
            let mnemonic = view.mnemonic(at);
            if mnemonic.starts_with("v_cvt_f64_f32") {
                widened += 1;
            } else if mnemonic.starts_with("v_cvt_f32_f64") {
                narrowed += 1;
            } else if mnemonic.starts_with("v_") && mnemonic.contains("_f64") {
                arithmetic.push(at);
            }
        }
        let Some(&first) = arithmetic.first().filter(|_| widened > 0 && narrowed > 0) else {
            continue;
        };
        let executed: u64 = arithmetic.iter().map(|at| view.executed(*at)).sum();
        if view.is_counted() && (executed as f64) < LEAST_SHARE * view.total as f64 {
            continue;
        }
        found.push(Found {
            at: Some(first),
            evidence: format!(
                "{} in double precision, between {} from single precision and {narrowed} back: look for a constant \
                 without `f` or a function of doubles",
                counted(arithmetic.len(), "instruction"),
                counted(widened, "conversion")
            ),
            weight: executed,
            executed,
        });
    }
    found
}
