//! The application's instructions by number, and where they are in the code that runs.

use crate::live::Part;
use gfx::Family;
use isa::{Decoder, Effects, Format, Known, Operand, Traits};
use lift::{BlockIndex, FunctionIndex, FunctionKind, InstIndex, Module, registers::Span};
use rewrite::{Address, MemoryAccess};
use std::collections::{HashMap, HashSet};

/// Not an instruction that is looked at.
const NONE: u32 = u32::MAX;
/// Addresses of instructions are multiples of this.
const WORD: u64 = 4;

/// The source or the destination of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    Part(Part),
    /// A vector register, in each active lane.
    Lanes(u16),
}

/// One instruction of the original that is looked at.
#[derive(Debug)]
pub struct Site {
    /// In the original object.
    pub pc: u64,
    pub function: FunctionIndex,
    pub block: BlockIndex,
    pub inst: InstIndex,
    /// Ends a block behind which there is another function, or the caller.
    pub leaves: bool,
    /// The program is over behind it.
    pub ends: bool,
    /// Where from and where to it moves something, if that is all it does.
    pub moves: Option<(Holder, Holder)>,
    /// May go elsewhere than to the next instruction.
    pub branches: bool,
    /// Is executed again and again until others come.
    pub retries: bool,
    /// Reads the device's clock.
    pub reads_clock: bool,
    /// May change memory, or let others go on.
    pub writes: bool,
    /// The address of a read from memory that others may write.
    pub reads: Option<Address>,
}

/// All instructions of the original that are looked at, by number.
pub struct Code {
    pub sites: Vec<Site>,
    pub module: Module,
    pub kernel: FunctionIndex,
}

impl Code {
    /// A kernel, and whatever it may call.
    pub fn new(module: &Module, kernel: FunctionIndex) -> Code {
        let mut code = Code {
            sites: Vec::new(),
            module: module.clone(),
            kernel,
        };
        // Code that several functions have counts as the first one's.
        let mut known = HashSet::new();
        for (index, function) in module.functions.iter().enumerate() {
            if index != kernel && function.kind != FunctionKind::Device {
                continue;
            }
            for (block, range) in function.blocks.iter().enumerate() {
                for inst in range.range() {
                    let is_last = inst + 1 == range.end;
                    let mut site = site(module, index, inst);
                    site.block = block;
                    site.leaves = is_last && (range.call.is_some() || !range.leaves.is_empty());
                    if known.insert(site.pc) {
                        code.sites.push(site);
                    }
                }
            }
        }
        code
    }

    /// The address of an instruction in the original object.
    pub fn pc(&self, site: u32) -> u64 {
        self.sites[site as usize].pc
    }

    /// The original's own places, loaded at `base`.
    pub fn own(&self, base: u64) -> Places {
        self.places(base, base, self.sites.iter().map(|site| (site.pc, site.pc)))
    }

    /// Places of other code at `start`: pairs of an offset from there and the address in the original.
    pub fn places(&self, start: u64, base: u64, pairs: impl Iterator<Item = (u64, u64)>) -> Places {
        let numbers: HashMap<u64, u32> = (0..).zip(&self.sites).map(|(n, s)| (s.pc, n)).collect();
        let mut places = Places {
            start,
            base,
            ..Places::default()
        };
        for (offset, pc) in pairs {
            let slot = (offset / WORD) as usize;
            if places.sites.len() <= slot {
                places.sites.resize(slot + 1, NONE);
            }
            places.sites[slot] = numbers.get(&pc).copied().unwrap_or(NONE);
            places.instructions.insert(offset, pc);
            places.size = places.size.max(offset as u32 + WORD as u32);
        }
        places
    }
}

/// The text of the instruction at an address of the original object.
pub fn instruction(module: &Module, wave_size: u8, pc: u64) -> Option<String> {
    let decoder = Decoder::with_features(module.target, wave_size, "").ok()?;
    let mut functions = module.functions.iter();
    let inst = functions.find_map(|function| Some(function.insts.at(function.inst_at(pc)?)))?;
    Some(decoder.print(&inst))
}

fn site(module: &Module, function: FunctionIndex, index: InstIndex) -> Site {
    let inst = module.functions[function].insts.at(index);
    let writes = Effects::STORE | Effects::ATOMIC;
    let others_write = !matches!(inst.format, Format::Ds | Format::Scratch);
    let reads = inst.effects.contains(Effects::LOAD) && others_write;
    Site {
        pc: inst.pc,
        function,
        block: 0,
        inst: index,
        leaves: false,
        ends: inst.effects.contains(Effects::END),
        moves: moves(&inst),
        branches: inst.effects.contains(Effects::BRANCH),
        reads_clock: inst.op.has(Traits::CLOCK),
        retries: inst.op.has(Traits::WAITS_FOR_DEVICE),
        writes: inst.op.has(Traits::GWS) || inst.effects.intersects(writes),
        reads: match reads {
            true => address(&inst, module.target.family),
            false => None,
        },
    }
}

/// Instructions that move halves of addresses: where from and where to.
fn moves(inst: &isa::Decoded) -> Option<(Holder, Holder)> {
    let (to, from) = match *inst.operands {
        [Operand::Def(to), Operand::Use(from), ..] => (to, from),
        _ => return None,
    };
    let lane = || {
        inst.operands[2..].iter().find_map(|operand| match operand {
            Operand::Imm(lane) => Some(*lane as u8),
            _ => None,
        })
    };
    let in_lane = |reg| match Span::from_register(reg)? {
        Span::Vector(index, _) => Some(Holder::Part(Part::Vector(index, lane()?))),
        Span::Scalar(..) => None,
    };
    let whole = |reg| match Span::from_register(reg)? {
        Span::Vector(index, _) => Some(Holder::Lanes(index)),
        Span::Scalar(index, _) => Some(Holder::Part(Part::Scalar(index))),
    };
    // These moves read other lanes, or parts of a number.
    if inst
        .effects
        .intersects(Effects::DPP16 | Effects::DPP8 | Effects::SDWA)
    {
        return None;
    }
    match inst.op.known()? {
        Known::SMovB32
        | Known::VMovB32
        | Known::VReadfirstlaneB32
        | Known::VAccvgprReadB32
        | Known::VAccvgprWriteB32
        | Known::VAccvgprMovB32 => Some((whole(from)?, whole(to)?)),
        Known::VWritelaneB32 => Some((whole(from)?, in_lane(to)?)),
        Known::VReadlaneB32 => Some((in_lane(from)?, whole(to)?)),
        _ => None,
    }
}

fn address(inst: &isa::Decoded, family: Family) -> Option<Address> {
    MemoryAccess::decode(inst, family)?.address
}

/// Code in memory whose addresses are to be taken for addresses of the original object.
#[derive(Clone, Debug, Default)]
pub struct Places {
    start: u64,
    /// The address of the original object's address 0.
    base: u64,
    /// By offset from `start` in words: numbers of the application's instructions.
    sites: Vec<u32>,
    /// Offsets from `start` of the application's instructions, and where they are in the original object.
    instructions: HashMap<u64, u64>,
    /// Offsets that control may be sent to instead, in front of what was inserted there.
    inserted: HashMap<u64, u64>,
    /// No meant offset is as large.
    size: u32,
}

impl Places {
    pub fn with_inserted(mut self, pairs: impl Iterator<Item = (u64, u64)>) -> Places {
        for (offset, pc) in pairs {
            self.inserted.insert(offset, pc);
            self.size = self.size.max(offset as u32 + WORD as u32);
        }
        self
    }

    /// Number of the application's instruction at `pc`.
    pub fn site(&self, pc: u64) -> Option<u32> {
        let offset = pc.checked_sub(self.start)?;
        let site = *self.sites.get((offset / WORD) as usize)?;
        (site != NONE).then_some(site)
    }

    /// Every address means itself.
    pub fn are_own(&self) -> bool {
        self.start == self.base
    }

    /// Returns `true` if `value` may be half of a code address that differs from the same half of the original address.
    #[inline]
    pub fn may_be_half(&self, value: u32) -> bool {
        let high = (self.start >> 32) as u32;
        let moved = high != (self.base >> 32) as u32;
        value.wrapping_sub(self.start as u32) < self.size || moved & (value == high)
    }

    /// Returns `true` if a word is half of a code address, and another one the same half of what it stands for.
    pub fn halves_agree(&self, value: u32, original: u32) -> bool {
        let offset = u64::from(value.wrapping_sub(self.start as u32));
        let meant = self.meant(self.start + offset);
        let high = |address: u64| (address >> 32) as u32;
        meant.is_some_and(|meant| meant as u32 == original)
            || (value, original) == (high(self.start), high(self.base))
    }

    /// The address in the original, as loaded, that a code address stands for.
    pub fn meant(&self, address: u64) -> Option<u64> {
        let offset = address.checked_sub(self.start)?;
        let inserted = || self.inserted.get(&offset);
        let original = self.instructions.get(&offset).or_else(inserted)?;
        Some(self.base + original)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_agree_where_they_stand_for_the_same_instruction() {
        let places = Places {
            start: 0x7f01_0000_1000,
            base: 0x7f02_0000_8000,
            instructions: HashMap::from([(0, 0x100), (8, 0x104)]),
            inserted: HashMap::from([(4, 0x104)]),
            ..Places::default()
        };
        for (value, original) in [
            (0x1000, 0x8100),
            (0x1008, 0x8104),
            (0x1004, 0x8104),
            (0x7f01, 0x7f02),
        ] {
            assert!(places.halves_agree(value, original), "{value:#x}");
        }
        for (value, original) in [
            (0x1000, 0x8104),
            (0x100c, 0x8104),
            (0x1006, 0x8104),
            (0x7f02, 0x7f01),
            (5, 6),
        ] {
            assert!(!places.halves_agree(value, original), "{value:#x}");
        }
    }
}
