//! How many registers hold values that may still be read.

use codeobj::CodeObject;
use isa::RegKind;
use lift::{Bits, BlockIndex, Function, InstIndex, LiveSet, Module, Span};
use std::collections::HashMap;

/// Kernels of one code object beyond which all of it is analysed once, instead of each kernel alone.
const MANY: usize = 8;

/// VGPRs that an instruction can name.
const ALL: u16 = 256;

/// VGPRs that hold numbers of work-items when a kernel begins, at most.
const INITIAL: u16 = 3;

/// Analyses of one code object.
pub(crate) struct Registers<'o> {
    object: Option<&'o CodeObject<'o>>,
    whole: Option<Module>,
}

impl<'o> Registers<'o> {
    /// `wanted`: kernels that will be asked for.
    pub fn new(object: Option<&'o CodeObject<'o>>, wanted: usize) -> Registers<'o> {
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
            let held = match function.name == kernel {
                true => WrittenVectors::solve(function),
                false => WrittenVectors::unknown(function),
            };
            for block in 0..function.blocks.len() {
                let mut written = held.before_each(function, block);
                liveness.walk(function, block, |inst, _, before| {
                    // From the last instruction to the first.
                    let written = written.pop().unwrap_or(Bits::FULL);
                    if let Some(at) = wanted.get(&function.insts.pc(inst)) {
                        live[*at] = counted(before, &written);
                    }
                });
            }
        }
        live
    }
}

/// Vector registers, VGPRs from 0 and AccVGPRs from 256 on.
type Vectors = Bits<8>;

/// Vector registers that may have been written since the kernel began. The analysis of live registers does not know that two masks of lanes
/// together are all lanes. A register that both paths of a branch write therefore seems to be live before it. A register that was never
/// written holds nothing.
struct WrittenVectors {
    at_entry: Vec<Vectors>,
}

impl WrittenVectors {
    fn unknown(function: &Function) -> WrittenVectors {
        WrittenVectors {
            at_entry: vec![Bits::FULL; function.blocks.len()],
        }
    }

    fn solve(function: &Function) -> WrittenVectors {
        let mut at_entry = vec![Vectors::default(); function.blocks.len()];
        let entry = (0..function.blocks.len())
            .find(|block| function.insts.pc(function.blocks[*block].first) == function.entry);
        let Some(entry) = entry else {
            return WrittenVectors::unknown(function);
        };
        at_entry[entry].insert_range(0, INITIAL);
        let mut held = WrittenVectors { at_entry };
        let mut waiting: Vec<BlockIndex> = (0..function.blocks.len()).collect();
        while let Some(block) = waiting.pop() {
            let mut behind = held.at_entry[block];
            for inst in function.blocks[block].range() {
                write(function, inst, &mut behind);
            }
            if function.blocks[block].call.is_some() {
                behind = Bits::FULL;
            }
            for edge in &function.blocks[block].successors {
                if held.at_entry[edge.to].unite(&behind) {
                    waiting.push(edge.to);
                }
            }
        }
        held
    }

    /// The registers that hold something before each instruction of a block, in order.
    fn before_each(&self, function: &Function, block: BlockIndex) -> Vec<Vectors> {
        let mut held = self.at_entry[block];
        let step = |inst| {
            let before = held;
            write(function, inst, &mut held);
            before
        };
        function.blocks[block].range().map(step).collect()
    }
}

fn write(function: &Function, inst: InstIndex, held: &mut Vectors) {
    let access = function.access(inst);
    if access.indexed.vectors {
        *held = Bits::FULL;
    }
    for span in &access.writes {
        if let Span::Vector(start, count) = span {
            held.insert_range(*start, *count);
        }
    }
}

/// `None`: everything may be read, because it is not known where control goes.
fn counted(live: &LiveSet, held: &Vectors) -> Option<[u16; 3]> {
    let mut counts = [0; 3];
    let mut registers = live.registers();
    registers.vectors = registers.vectors.intersection(held);
    for register in registers.iter() {
        match register.kind {
            RegKind::Vgpr => counts[0] += 1,
            RegKind::Agpr => counts[1] += 1,
            RegKind::Sgpr => counts[2] += 1,
            _ => {}
        }
    }
    (counts[0] < ALL).then_some(counts)
}
