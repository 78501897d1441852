//! Kernels whose first arguments firmware loads into SGPRs before they start.
//!
//! Firmware that knows how enters such a kernel 256 bytes behind its start; for other firmware its start loads the arguments
//! and branches there. Code that is laid out anew keeps one entry, the first: the descriptor no longer asks for preloading,
//! and the kernel does what it would do on older firmware. User SGPRs stay as many, so all else arrives where it did.

use crate::Refusal;
use codeobj::KernelDescriptor;
use lift::Function;

/// Bytes from the start to where firmware that preloads enters (LLVM, "AMDGPU backend", kernarg preload).
const BEHIND: u64 = 256;

/// True if the kernel can be started at one entry, whatever the firmware does, as far as its own code shows without its callees.
pub fn starts(function: &Function, descriptor: &KernelDescriptor) -> Result<(), Refusal> {
    give_up(function, &mut descriptor.clone())
}

/// Makes the kernel load its arguments itself, if it can.
pub(crate) fn give_up(
    function: &Function,
    descriptor: &mut KernelDescriptor,
) -> Result<(), Refusal> {
    if descriptor.get("kernarg_preload_spec_length").unwrap_or(0) == 0 {
        return Ok(());
    }
    let refused = |reason: &str| Refusal::Registers {
        what: "arguments that are preloaded into SGPRs",
        reason: reason.to_owned(),
    };
    let start = function.entry + BEHIND;
    // The way on from the first entry: straight to a branch to the second.
    let last = function
        .insts
        .iter()
        .take_while(|inst| inst.pc < start)
        .find(|inst| inst.effects.contains(isa::Effects::BRANCH));
    if last.and_then(|last| last.target()) != Some(start) {
        return Err(refused(
            "the kernel's start does not load them for firmware that does not preload",
        ));
    }
    for field in ["kernarg_preload_spec_length", "kernarg_preload_spec_offset"] {
        descriptor
            .set(field, 0)
            .map_err(|error| refused(&error.to_string()))?;
    }
    Ok(())
}
