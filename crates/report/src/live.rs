//! How many registers hold values that may still be read.

use codeobj::CodeObject;
use isa::RegKind;
use lift::{LiveSet, Module};
use std::collections::HashMap;

/// Kernels of one code object beyond which all of it is analysed once, instead of each kernel alone.
const MANY: usize = 8;

/// VGPRs that an instruction can name.
const ALL: u16 = 256;

/// Analyses of one code object.
pub(crate) struct Registers<'o> {
    object: Option<&'o CodeObject<'o>>,
    whole: Option<Module>,
}

impl<'o> Registers<'o> {
    /// `wanted`: kernels that will be asked for.
    pub fn of(object: Option<&'o CodeObject<'o>>, wanted: usize) -> Registers<'o> {
        let whole = object.filter(|_| wanted > MANY);
        Registers {
            object,
            whole: whole.and_then(|object| Module::lift(object).ok()),
        }
    }

    /// VGPRs, AccVGPRs and SGPRs that are live before the instruction at each address, of a kernel and all it may call; empty if
    /// the kernel cannot be analysed.
    pub fn live(&self, kernel: &str, pcs: &[u64]) -> Vec<Option<[u16; 3]>> {
        let alone;
        let module = match (&self.whole, self.object) {
            (Some(whole), _) => whole,
            (None, Some(object)) => match Module::lift_kernel(object, kernel) {
                Ok(module) => {
                    alone = module;
                    &alone
                }
                Err(_) => return Vec::new(),
            },
            (None, None) => return Vec::new(),
        };
        let wanted: HashMap<u64, usize> =
            pcs.iter().enumerate().map(|(at, pc)| (*pc, at)).collect();
        let mut live = vec![None; pcs.len()];
        for (index, function) in module.functions.iter().enumerate() {
            if !wanted.contains_key(&function.entry) {
                continue;
            }
            let liveness = module.liveness(index);
            for block in 0..function.blocks.len() {
                liveness.walk(function, block, |inst, _, before| {
                    if let Some(at) = wanted.get(&function.insts.pc(inst)) {
                        live[*at] = counted(before);
                    }
                });
            }
        }
        live
    }
}

/// `None`: everything may be read, because nobody knows where control goes.
fn counted(live: &LiveSet) -> Option<[u16; 3]> {
    let mut counts = [0; 3];
    for register in live.registers().iter() {
        match register.kind {
            RegKind::Vgpr => counts[0] += 1,
            RegKind::Agpr => counts[1] += 1,
            RegKind::Sgpr => counts[2] += 1,
            _ => {}
        }
    }
    (counts[0] < ALL).then_some(counts)
}
