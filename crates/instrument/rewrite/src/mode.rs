//! MODE: rounding and denormals of floating-point numbers, for the application and for hooks.
//!
//! Hooks are compiled for rounding to nearest even, denormals kept, IEEE mode on and the clamping of DX10 on. LLVM assumes this
//! MODE in a compute shader, and nearly all kernels run with it. If a kernel's descriptor says otherwise, or its code or a hook
//! writes MODE, then hooks that depend on MODE get theirs, and the application's is restored behind them.

use crate::values::supplied;
use crate::{Action, Plan, Value};
use codeobj::KernelDescriptor;
use lift::{Function, InstFlags};
use tool_abi::HookValue;

/// Fields of the descriptor that become MODE, with the values that hooks are compiled for.
const EXPECTED: &[(&str, u64)] = &[
    ("float_round_mode_32", 0),
    ("float_round_mode_16_64", 0),
    ("float_denorm_mode_32", 3),
    ("float_denorm_mode_16_64", 3),
    ("enable_dx10_clamp", 1),
    ("enable_ieee_mode", 1),
];

/// True if MODE may differ, anywhere in these functions, from the MODE that hooks are compiled for.
pub(crate) fn is_foreign<'f>(
    descriptor: &KernelDescriptor,
    mut functions: impl Iterator<Item = &'f Function>,
    plan: &Plan<'_>,
) -> bool {
    let differs = EXPECTED
        .iter()
        .any(|(field, value)| descriptor.get(field).is_some_and(|found| found != *value));
    differs || functions.any(|function| function.has(InstFlags::WRITES_MODE)) || is_written(plan)
}

/// True if hooks may write MODE.
fn is_written(plan: &Plan<'_>) -> bool {
    let mode = Value::Supplied(HookValue::Mode);
    let templates = plan.hooks.iter().flat_map(|hook| &hook.templates);
    let mut ports = templates.flat_map(|(_, _, template)| &template.ports);
    // A parameter that gets MODE may be a reference.
    let given = plan.insertions.iter().any(|insertion| {
        matches!(&insertion.action, Action::Call { arguments, .. }
            if arguments.iter().any(|(_, value)| *value == mode))
    });
    given || ports.any(|port| port.written && supplied(&port.name) == Some(mode))
}
