//! Registers that a load may still write, touched before the wait for it.

use gfx::Target;
use lift::registers::RegisterSet;
use lift::{COUNTERS, Counter, Function, FunctionIndex, Module, Span, raised};

/// An instruction that does not wait for what it touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingWait {
    pub pc: u64,
    pub mnemonic: &'static str,
    /// On which one would have to wait.
    pub counter: Counter,
    /// A register that it touches.
    pub register: Span,
}

impl std::fmt::Display for MissingWait {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let MissingWait {
            pc,
            mnemonic,
            counter,
            register,
        } = self;
        write!(
            f,
            "{mnemonic} at {pc:#x} touches {register:?}, for which it would have to wait on {counter:?}"
        )
    }
}

/// All instructions of a function that touch the target of a memory operation which may still be on its way, or overwrite
/// what one may still read. Where nothing is known of what is on its way (behind calls of unknown code) nothing is said.
pub fn check_waits(module: &Module, index: FunctionIndex) -> Vec<MissingWait> {
    let function = &module.functions[index];
    let mut found = Vec::new();
    let blocks = 0..function.blocks.len();
    for block in blocks.filter(|block| function.blocks[*block].reachable) {
        module.pending(index).walk(function, block, |inst, before| {
            if before.is_empty() {
                return;
            }
            for counter in COUNTERS {
                let mut sets = vec![(before.written_by(counter), true)];
                if counter == Counter::Export {
                    sets.push((before.read(), false));
                }
                for (set, written) in sets {
                    if set != RegisterSet::EVERYTHING {
                        let target = module.target;
                        found.extend(meets(function, inst, counter, &set, written, target));
                    }
                }
            }
        });
    }
    found
}

/// `written`: an operation writes the registers of `set`; otherwise one reads them.
fn meets(
    function: &Function,
    inst: usize,
    counter: Counter,
    set: &RegisterSet,
    written: bool,
    target: &'static Target,
) -> Option<MissingWait> {
    let access = function.access(inst);
    let decoded = function.insts.at(inst);
    // Results on one counter arrive in order, as far as the compiler relies on it.
    let in_order = raised(&decoded, target.family)
        .iter()
        .any(|(own, _)| *own == counter);
    let reads = access.reads.iter().filter(|_| written);
    let writes = access.writes.iter().filter(|_| !in_order);
    let register = reads.chain(writes).find(|span| touches(set, span))?;
    Some(MissingWait {
        pc: decoded.pc,
        mnemonic: decoded.mnemonic,
        counter,
        register: *register,
    })
}

fn touches(set: &RegisterSet, span: &Span) -> bool {
    match *span {
        Span::Scalar(start, count) => set.scalars.intersects_range(start, count),
        Span::Vector(start, count) => set.vectors.intersects_range(start, count),
    }
}
