//! Instructions whose results a GPU may compute otherwise, and those that make an exact result of such a result.
//!
//! Compilers divide and take roots by an approximation whose last bits further instructions correct. These approximations start nothing.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use compute::fidelity;
use isa::{Decoded, Inst, Operand, Reg};
use wave::Config;

use crate::{lock, plan::Plan};

/// A correction begins at most so many bytes behind the approximation.
const NEAR: u64 = 512;
/// Approximations that may still be corrected.
const RECENT: usize = 16;

/// An approximation, and the instruction that begins its correction: one that has such a name, reads the approximation and this constant.
/// LLVM writes them so; a correction whose constants are in registers is not known again.
const CORRECTIONS: &[(&str, &str, i64)] = &[
    // The roots below and above are tried, too.
    ("v_sqrt_f32", "v_add_", -1),
    // Goldschmidt's iterations go on with half of it.
    ("v_rsq_f64", "v_mul_f64", HALF),
    // A division of 64-bit integers; its quotient is compared with the dividend at its end.
    ("v_rcp_f32", "v_mul_f32", 0x5f7f_fffc),
];

/// One half as LLVM's inline constant of a double.
const HALF: i64 = 0x3fe0_0000_0000_0000;

/// LLVM uses it for nothing but divisions of integers, whose quotients are corrected.
const OF_INTEGERS: &str = "v_rcp_iflag_f32";

/// Their result is the correctly rounded quotient of the second and the third source; the first is an estimate.
const DIVISIONS: [&str; 2] = ["v_div_fixup_f32", "v_div_fixup_f64"];

/// Decides which instructions start to be followed.
#[derive(Default)]
pub(crate) struct Inexact {
    recent: Mutex<VecDeque<(Reg, Arc<Plan>)>>,
}

impl Inexact {
    /// The plan of an instruction, in the order of decoding.
    pub fn plan(&self, config: &Config, inst: &Inst) -> Option<Arc<Plan>> {
        self.correct(inst);
        let mut plan = Plan::of(config, inst)?;
        if DIVISIONS.contains(&inst.op.first_name()) {
            plan.without_first_source();
        }
        let starts = fidelity::reason(config.target, inst.op, inst.effects).is_some();
        plan.starts = (starts && inst.op.first_name() != OF_INTEGERS).into();
        let plan = Arc::new(plan);
        let corrected = CORRECTIONS.iter().any(|row| inst.op.name() == row.0);
        if let (true, Some(reg)) = (corrected, written(inst)) {
            let mut recent = lock(&self.recent);
            recent.truncate(RECENT - 1);
            recent.push_front((reg, plan.clone()));
        }
        Some(plan)
    }

    /// The instruction may begin the correction of an approximation before it.
    fn correct(&self, inst: &Inst) {
        let halves = inst.op.halves().unwrap_or([inst.op; 2]);
        for (approximation, name, constant) in CORRECTIONS {
            let is_it = halves.iter().any(|op| op.name().starts_with(name));
            if !is_it || !inst.operands.contains(&Operand::Imm(*constant)) {
                continue;
            }
            let mut recent = lock(&self.recent);
            let found = recent.iter().position(|(reg, plan)| {
                plan.op.name() == *approximation
                    && (plan.pc..plan.pc + NEAR).contains(&inst.pc)
                    && inst.operands.contains(&Operand::Use(*reg))
            });
            if let Some((_, plan)) = found.and_then(|at| recent.remove(at)) {
                plan.is_corrected();
            }
        }
    }
}

fn written(inst: &Decoded) -> Option<Reg> {
    inst.operands.iter().find_map(|operand| match operand {
        Operand::Def(reg) => Some(*reg),
        _ => None,
    })
}
