//! Corrections of what LLVM's instruction descriptions say, one row each.

use crate::{Inst, opcode::OpcodeFacts};
use gfx::Target;
use llvm_shim::OpcodeDescription;

/// Corrections that hold for every instruction of an opcode.
pub(crate) fn apply(_target: &Target, _description: &OpcodeDescription, _facts: &mut OpcodeFacts) {}

/// Corrections that depend on fields of one instruction.
pub(crate) fn apply_to_inst(_target: &Target, _facts: &OpcodeFacts, _inst: &mut Inst) {}
