//! Addresses in local memory that several loads of a routine share, but for constants.
//!
//! One look at these addresses, in front of the first load, serves all of them. It leaves two facts in general registers: how the lanes'
//! addresses lie, and where the first lane's word is.

use std::mem::offset_of;

use iced_x86::{Code, Instruction, MemoryOperand, Register};

use crate::{
    Assembler, Failure, Source, Surroundings,
    assembler::{BITS, TESTED, surrounding},
    load::{FOUR_WORDS, word, xmm},
    registers::{Content, zmm},
};

/// Most anchors of a routine.
pub const MOST_ANCHORS: usize = REGISTERS.len();

/// The registers of each: how addresses lie, and where the first lane's word is. The caller's values are in them before and behind.
const REGISTERS: [[Register; 2]; 3] = [
    [Register::RBX, Register::R12],
    [Register::RBP, Register::R13],
    [Register::R14, Register::R15],
];

/// How the addresses of a group lie: one after the other, all the same, or as where a compiler lays out four words for each lane.
/// The answer is zero if they lie otherwise, or if some loads may be outside of local memory.
const CONSECUTIVE: i32 = 1;
const UNIFORM: i32 = 2;
const APART: i32 = 3;

/// Bytes of a word.
const WORD: u32 = 4;

/// Addresses that several loads share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// The row that has them.
    pub row: u16,
    /// The end of the furthest word that is loaded, in bytes behind an address.
    pub reach: u32,
    /// Bits that must be zero in all addresses, because instructions set them where they would add them.
    pub zeros: u32,
}

/// The address of a load as one of an anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Near {
    /// The number of the anchor.
    pub anchor: usize,
    /// Bytes from the anchor's address to the load's.
    pub bytes: u32,
}

/// The branches of a load to what an anchor says, which are not complete.
pub(crate) struct Ways {
    pub consecutive: usize,
    pub uniform: usize,
    pub apart: usize,
}

impl Assembler {
    /// Appends the look at the addresses of anchor `number`, which is less than [`MOST_ANCHORS`].
    pub fn look(&mut self, number: usize, anchor: &Anchor) -> Result<(), Failure> {
        let reach = self.reaches.get_mut(number).ok_or(Failure::NoAnchor)?;
        *reach = Some(anchor.reach);
        let address = self.fetch(Source::Row(anchor.row))?;
        let distance = self.temporary()?;
        self.anchors = self.anchors.max(number + 1);
        let [how, first] = REGISTERS[number];
        self.push(Instruction::with2(Code::Xor_r32_rm32, word(how), word(how)))?;
        let mut ends = self.beyond(address, distance, anchor.reach)?;
        if anchor.zeros != 0 {
            let zeros = self.vector(|_| anchor.zeros);
            let test = Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32;
            self.push(Instruction::with3(test, TESTED, zmm(address), zeros))?;
            self.push(Instruction::with2(Code::VEX_Kortestw_kr_kr, TESTED, TESTED))?;
            ends.push(self.branch(Code::Jne_rel32_64)?);
        }
        self.distances(address, distance, first)?;
        let from = zmm(distance);
        let consecutive = self.if_steps(from, 4)?;
        let uniform = self.if_zeros(from)?;
        let apart = self.if_steps(from, FOUR_WORDS)?;
        ends.push(self.branch(Code::Jmp_rel32_64)?);
        for (way, name) in [(consecutive, CONSECUTIVE), (uniform, UNIFORM)] {
            self.land(way);
            self.push(Instruction::with2(Code::Mov_r32_imm32, word(how), name))?;
            ends.push(self.branch(Code::Jmp_rel32_64)?);
        }
        self.land(apart);
        self.push(Instruction::with2(Code::Mov_r32_imm32, word(how), APART))?;
        ends.into_iter().for_each(|end| self.land(end));
        self.registers.set(distance, Content::Nothing);
        self.registers.unpin_all();
        Ok(())
    }

    /// Appends branches that are taken if a lane's load may be outside.
    fn beyond(&mut self, address: usize, bound: usize, reach: u32) -> Result<Vec<usize>, Failure> {
        let size = surrounding(offset_of!(Surroundings, local_bytes));
        self.push(Instruction::with2(Code::Mov_r32_rm32, word(BITS), size))?;
        self.push(Instruction::with2(
            Code::Sub_rm32_imm32,
            word(BITS),
            reach as i32,
        ))?;
        let small = self.branch(Code::Jb_rel32_64)?;
        Ok(vec![small, self.if_beyond(address, bound)?])
    }

    /// Fails unless the anchor of a load has been looked at, and its look covers all words, of which `furthest` is the last.
    pub(crate) fn covers(&self, near: Near, furthest: u32) -> Result<(), Failure> {
        let reach = self.reaches.get(near.anchor).copied().flatten();
        let end = near.bytes.checked_add(furthest);
        let end = end.and_then(|end| end.checked_add(WORD));
        let is_covered = reach.zip(end).is_some_and(|(reach, end)| end <= reach);
        is_covered.then_some(()).ok_or(Failure::NoAnchor)
    }

    /// Appends branches by what the anchor of a load says, and leaves the place of the load's first word in [`BITS`]. Without an answer
    /// control comes to what the body gets next.
    pub(crate) fn ways(&mut self, near: Near) -> Result<Ways, Failure> {
        let [how, first] = REGISTERS[near.anchor];
        let place = MemoryOperand::with_base_displ(first, i64::from(near.bytes));
        self.push(Instruction::with2(Code::Lea_r64_m, BITS, place))?;
        self.push(Instruction::with2(Code::Cmp_rm32_imm8, word(how), UNIFORM))?;
        let uniform = self.branch(Code::Je_rel32_64)?;
        let apart = self.branch(Code::Ja_rel32_64)?;
        self.push(Instruction::with2(
            Code::Test_rm32_r32,
            word(how),
            word(how),
        ))?;
        let consecutive = self.branch(Code::Jne_rel32_64)?;
        Ok(Ways {
            consecutive,
            uniform,
            apart,
        })
    }

    /// Appends what keeps the caller's registers, in front of everything else.
    pub(crate) fn keep_caller_s(&self, code: &mut Vec<Instruction>) -> Result<(), Failure> {
        for register in REGISTERS[..self.anchors].iter().flatten() {
            code.push(Instruction::with1(Code::Push_r64, *register)?);
        }
        Ok(())
    }

    /// Appends what gives them back.
    pub(crate) fn give_caller_s(&self, code: &mut Vec<Instruction>) -> Result<(), Failure> {
        for register in REGISTERS[..self.anchors].iter().flatten().rev() {
            code.push(Instruction::with1(Code::Pop_r64, *register)?);
        }
        Ok(())
    }

    /// Appends how far lanes are from the first one's address, in `distance`, and the place of its word in memory, in `first`.
    pub(crate) fn distances(
        &mut self,
        address: usize,
        distance: usize,
        first: Register,
    ) -> Result<(), Failure> {
        let [at, from, low] = [zmm(address), zmm(distance), xmm(address)];
        let move_word = Code::EVEX_Vmovd_rm32_xmm;
        self.push(Instruction::with2(move_word, word(first), low))?;
        let base = surrounding(offset_of!(Surroundings, local));
        self.push(Instruction::with2(Code::Add_r64_rm64, first, base))?;
        let spread = Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32;
        self.push(Instruction::with2(spread, from, low))?;
        let subtract = Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
        self.push(Instruction::with3(subtract, from, at, from))
    }
}
