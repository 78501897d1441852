//! Buffer accesses to scratch: on processors without scratch instructions of their own, private memory is a buffer. Its
//! descriptor arrives in the kernel's first four SGPRs, and functions have it in s[0:3].

use codeobj::KernelDescriptor;
use gfx::Target;
use isa::{Decoded, Effects, Format, Known, Operand, Reg, RegKind};
use lift::{Function, InstIndex};
use std::collections::HashSet;

/// SGPRs that may hold words of the descriptor.
const SGPRS: usize = 128;

/// Words of a descriptor.
const WORDS: u16 = 4;

/// By SGPR, the word of the descriptor that it holds on every path.
type Held = [Option<u8>; SGPRS];

const NOTHING: Held = [None; SGPRS];

/// Instructions of the function that access a buffer by the descriptor of private memory. `kernel`: of a kernel, its descriptor.
pub(crate) fn accesses(
    target: &Target,
    function: &Function,
    kernel: Option<KernelDescriptor>,
) -> HashSet<InstIndex> {
    let given = match kernel {
        Some(descriptor) => descriptor.get("enable_sgpr_private_segment_buffer") == Some(1),
        None => true,
    };
    let mut found = HashSet::new();
    if target.architected_flat_scratch || !given || function.blocks.is_empty() {
        return found;
    }
    let mut entry = NOTHING;
    for word in 0..WORDS {
        entry[usize::from(word)] = Some(word as u8);
    }
    let mut starts: Vec<Option<Held>> = vec![None; function.blocks.len()];
    starts[0] = Some(entry);
    let mut todo = vec![0];
    while let Some(index) = todo.pop() {
        let Some(mut held) = starts[index] else {
            continue;
        };
        let block = &function.blocks[index];
        for inst in block.range() {
            step(function.insts.at(inst).decoded(), &mut held);
        }
        for edge in &block.successors {
            let met = match starts[edge.to] {
                Some(before) => meet(&before, &held),
                None => held,
            };
            if starts[edge.to] != Some(met) {
                starts[edge.to] = Some(met);
                todo.push(edge.to);
            }
        }
    }
    for (block, start) in function.blocks.iter().zip(starts) {
        let Some(mut held) = start else { continue };
        for index in block.range() {
            let at = function.insts.at(index);
            let inst = at.decoded();
            if matches!(inst.format, Format::Mubuf | Format::Mtbuf) && uses_descriptor(inst, &held)
            {
                found.insert(index);
            }
            step(inst, &mut held);
        }
    }
    found
}

fn meet(one: &Held, other: &Held) -> Held {
    std::array::from_fn(|register| one[register].filter(|_| one[register] == other[register]))
}

fn scalar(operand: Option<&Operand>) -> Option<Reg> {
    match operand {
        Some(Operand::Def(reg) | Operand::Use(reg)) if reg.kind == RegKind::Sgpr => Some(*reg),
        _ => None,
    }
}

fn uses_descriptor(inst: &Decoded, held: &Held) -> bool {
    inst.operands.iter().any(|operand| {
        let quad = matches!(operand, Operand::Use(_));
        scalar(Some(operand)).is_some_and(|reg| {
            let word = |word: u16| held.get(usize::from(reg.index + word)).copied().flatten();
            quad && u16::from(reg.width) == WORDS
                && (0..WORDS).all(|number| word(number) == Some(number as u8))
        })
    })
}

/// Updates the contents of registers for the place after the instruction.
fn step(inst: &Decoded, held: &mut Held) {
    let before = *held;
    if inst.effects.contains(Effects::CALL) {
        // A function keeps the descriptor where it gets it.
        *held = NOTHING;
        let kept = usize::from(WORDS);
        held[..kept].copy_from_slice(&before[..kept]);
        return;
    }
    for operand in &inst.operands {
        if let Operand::Def(reg) = operand
            && reg.kind == RegKind::Sgpr
        {
            let first = usize::from(reg.index).min(SGPRS);
            let end = (first + usize::from(reg.width)).min(SGPRS);
            held[first..end].fill(None);
        }
    }
    let (to, from) = (scalar(inst.operands.first()), scalar(inst.operands.get(1)));
    let (Some(to), Some(from)) = (to, from) else {
        return;
    };
    // The wave's offset is added to the address, which is in the first two words.
    let keeps = |word: u8| match inst.op.known() {
        Some(Known::SMovB32 | Known::SMovB64) => true,
        Some(Known::SAddU32) => word == 0,
        Some(Known::SAddcU32) => word == 1,
        _ => false,
    };
    for number in 0..u16::from(to.width) {
        let source = before
            .get(usize::from(from.index + number))
            .copied()
            .flatten();
        if let Some(place) = held.get_mut(usize::from(to.index + number)) {
            *place = source.filter(|word| keeps(*word));
        }
    }
}
