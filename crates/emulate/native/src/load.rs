//! Loads of dwords from local memory within a routine.
//!
//! All addresses of a group are checked first; if a lane that is on leaves local memory, so does the routine, before the load. Then one look
//! at how the addresses lie chooses between a load of a whole vector, one word for all lanes, words that are taken out of four vectors,
//! and a gather. A load near an anchor asks it first: see [`crate::anchor`].

use std::mem::offset_of;

use iced_x86::{Code, Instruction, MemoryOperand, Register};

use crate::{
    Assembler, Failure, GROUP, Nans, Near, Source, Surroundings,
    assembler::{BITS, ON, TESTED, surrounding},
    registers::{Content, zmm},
};

/// Lanes of a group.
const LANES: usize = GROUP / 4;
/// Bytes from one lane to the next where a compiler lays out four words for each.
pub(crate) const FOUR_WORDS: u32 = 16;
/// The same in words.
const STEP: u32 = FOUR_WORDS / 4;
/// The predicate of a comparison: greater.
const GREATER: u32 = 6;

/// Loads of a word at each lane's address plus some bytes: the bytes, and the row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    /// The row of addresses.
    pub address: u16,
    pub words: Vec<(u32, u16)>,
}

/// One word of a load: bytes behind the address, and the register of its result.
type Word = (u32, usize);

impl Assembler {
    /// Appends loads from local memory, all of whose addresses are read before the first result is there. `near`: where the addresses
    /// lie, if [`Assembler::look`] has come before. A load that the look does not cover is refused.
    pub fn load(&mut self, load: &Load, near: Option<Near>) -> Result<(), Failure> {
        assert!(self.lanes.is_some(), "a load asks which lanes are on");
        if let Some(near) = near {
            let furthest = load.words.iter().map(|word| word.0).max().unwrap_or(0);
            self.covers(near, furthest)?;
        }
        let address = self.fetch(Source::Row(load.address))?;
        let distance = self.temporary()?;
        let mut words = Vec::new();
        for &(bytes, _) in &load.words {
            words.push((bytes, self.temporary()?));
        }
        let spare = [self.temporary()?, self.temporary()?];
        self.load_words((address, near), distance, &words, spare)?;
        for number in spare.into_iter().chain([distance]) {
            self.registers.set(number, Content::Nothing);
        }
        for (&(_, number), &(_, row)) in words.iter().zip(&load.words) {
            self.assign(number, Source::Row(row), Nans::None)?;
        }
        self.registers.unpin_all();
        Ok(())
    }

    fn load_words(
        &mut self,
        (address, near): (usize, Option<Near>),
        distance: usize,
        words: &[Word],
        spare: [usize; 2],
    ) -> Result<(), Failure> {
        let known = near.map(|near| self.ways(near)).transpose()?;
        let outside = self.check(address, distance, words)?;
        self.distances(address, distance, BITS)?;
        let from = zmm(distance);
        let consecutive = self.if_steps(from, 4)?;
        let uniform = self.if_zeros(from)?;
        let apart = self.if_steps(from, FOUR_WORDS)?;
        let mut ends = vec![self.gather(address, words, None)?];
        self.land(outside);
        ends.push(self.gather_inside(address, words)?);
        self.land(apart);
        known.iter().for_each(|ways| self.land(ways.apart));
        self.pick_all(words, spare)?;
        ends.push(self.branch(Code::Jmp_rel32_64)?);
        self.land(uniform);
        known.iter().for_each(|ways| self.land(ways.uniform));
        for &(bytes, to) in words {
            let load = Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32;
            self.push(Instruction::with2(load, zmm(to), first_lane(bytes)))?;
        }
        ends.push(self.branch(Code::Jmp_rel32_64)?);
        self.land(consecutive);
        known.iter().for_each(|ways| self.land(ways.consecutive));
        for &(bytes, to) in words {
            let load = Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512;
            self.push(Instruction::with2(load, zmm(to), first_lane(bytes)))?;
        }
        ends.into_iter().for_each(|end| self.land(end));
        Ok(())
    }

    /// Appends the look whether all lanes are inside. The result is the branch that is taken if one is not.
    fn check(&mut self, address: usize, bound: usize, words: &[Word]) -> Result<usize, Failure> {
        let highest = words.iter().map(|word| word.0).max().unwrap_or(0);
        let size = surrounding(offset_of!(Surroundings, local_bytes));
        self.push(Instruction::with2(Code::Mov_r32_rm32, word(BITS), size))?;
        let bytes = highest as i32 + 4;
        self.push(Instruction::with2(Code::Sub_rm32_imm32, word(BITS), bytes))?;
        self.branch(Code::Jb_rel32_64)?;
        self.if_beyond(address, bound)
    }

    /// Appends a branch that is taken if a lane's address is beyond [`BITS`]. Register `bound` is lost.
    pub(crate) fn if_beyond(&mut self, address: usize, bound: usize) -> Result<usize, Failure> {
        let all = Code::EVEX_Vpbroadcastd_zmm_k1z_r32;
        self.push(Instruction::with2(all, zmm(bound), word(BITS)))?;
        let compare = Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8;
        self.push(Instruction::with4(
            compare,
            TESTED,
            zmm(address),
            zmm(bound),
            GREATER,
        ))?;
        self.push(Instruction::with2(Code::VEX_Kortestw_kr_kr, TESTED, TESTED))?;
        self.branch(Code::Jne_rel32_64)
    }

    /// Appends a branch that is taken if each lane's address lies `step` bytes behind that of the one before.
    pub(crate) fn if_steps(&mut self, distance: Register, step: u32) -> Result<usize, Failure> {
        let steps = self.vector(|lane| step * lane as u32);
        let compare = Code::EVEX_Vpcmpeqd_kr_k1_zmm_zmmm512b32;
        self.push(Instruction::with3(compare, TESTED, distance, steps))?;
        self.push(Instruction::with2(Code::VEX_Kortestw_kr_kr, TESTED, TESTED))?;
        self.branch(Code::Jb_rel32_64)
    }

    /// Appends a branch that is taken if each lane's address is the first one's.
    pub(crate) fn if_zeros(&mut self, distance: Register) -> Result<usize, Failure> {
        let test = Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32;
        self.push(Instruction::with3(test, TESTED, distance, distance))?;
        self.push(Instruction::with2(Code::VEX_Kortestw_kr_kr, TESTED, TESTED))?;
        self.branch(Code::Je_rel32_64)
    }

    /// Appends the load of each lane by itself: of all, or of those that are `on`. The result is the branch behind it.
    fn gather(
        &mut self,
        address: usize,
        words: &[Word],
        on: Option<Register>,
    ) -> Result<usize, Failure> {
        let base = surrounding(offset_of!(Surroundings, local));
        self.push(Instruction::with2(Code::Mov_r64_rm64, BITS, base))?;
        for &(bytes, to) in words {
            self.push(match on {
                Some(on) => Instruction::with2(Code::VEX_Kmovw_kr_r32, TESTED, on),
                None => Instruction::with3(Code::VEX_Kxnorw_kr_kr_kr, TESTED, TESTED, TESTED),
            })?;
            let (scale, displacement, has_one, none) = (1, i64::from(bytes), 1, Register::None);
            let index = zmm(address);
            let lanes = MemoryOperand::new(BITS, index, scale, displacement, has_one, false, none);
            let gather = Code::EVEX_Vpgatherdd_zmm_k1_vm32z;
            let mut gather = Instruction::with2(gather, zmm(to), lanes)?;
            gather.set_op_mask(TESTED);
            self.body.push(gather);
        }
        self.branch(Code::Jmp_rel32_64)
    }

    /// The same where lanes are outside. If one of them is on, the routine ends.
    fn gather_inside(&mut self, address: usize, words: &[Word]) -> Result<usize, Failure> {
        let bits = word(BITS);
        self.push(Instruction::with2(Code::VEX_Kmovw_r32_kr, bits, TESTED))?;
        self.push(Instruction::with2(Code::Test_rm32_r32, bits, ON))?;
        self.branch(Code::Jne_rel32_64)?;
        self.gather(address, words, Some(ON))
    }

    /// Appends the loads of words at every fourth. Two that follow each other come out of the same vectors.
    fn pick_all(&mut self, words: &[Word], spare: [usize; 2]) -> Result<(), Failure> {
        let mut rest = words;
        loop {
            rest = match *rest {
                [(bytes, low), (next, high), ref others @ ..] if next == bytes + 4 => {
                    self.pick_pair(bytes, [low, high], spare)?;
                    others
                }
                [(bytes, to), ref others @ ..] => {
                    self.pick(bytes, to, spare)?;
                    others
                }
                [] => return Ok(()),
            }
        }
    }

    /// Appends the load of a word at every fourth: out of two vectors for the first eight lanes, and of two for the others.
    fn pick(&mut self, bytes: u32, to: usize, spare: [usize; 2]) -> Result<(), Failure> {
        let [high, first] = spare;
        self.pick_halves(bytes, 1, [to, high], first)?;
        let join = Code::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8;
        let (to, high) = (zmm(to), Register::YMM0 + high as u32);
        self.push(Instruction::with4(join, to, to, high, 1))
    }

    /// The same of two words that follow each other.
    fn pick_pair(&mut self, bytes: u32, to: [usize; 2], spare: [usize; 2]) -> Result<(), Failure> {
        /// The halves of the result: the first halves of both sources, or the last ones.
        const FIRST: u32 = 0x44;
        const LAST: u32 = 0xee;
        let [upper, first] = spare;
        self.pick_halves(bytes, 2, [to[0], upper], first)?;
        let join = Code::EVEX_Vshufi64x2_zmm_k1z_zmm_zmmm512b64_imm8;
        let [low, high, upper] = [to[0], to[1], upper].map(zmm);
        self.push(Instruction::with4(join, high, low, upper, LAST))?;
        self.push(Instruction::with4(join, low, low, upper, FIRST))
    }

    /// Appends loads of `count` words at every fourth, those of the first eight lanes to one register and those of the others to the next:
    /// the first word of each lane, then the second. Nothing is read beyond the last lane's words.
    fn pick_halves(
        &mut self,
        bytes: u32,
        count: u32,
        to: [usize; 2],
        first: usize,
    ) -> Result<(), Failure> {
        let lanes = LANES as u32 / 2;
        // The vectors of the last lanes end with their words.
        let skipped = STEP - count;
        let starts = [
            (0, bytes),
            (skipped, bytes + lanes * FOUR_WORDS - 4 * skipped),
        ];
        for (to, (skipped, start)) in to.into_iter().zip(starts) {
            let load = Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512;
            let places = self.vector(|at| {
                let at = at as u32;
                skipped + STEP * (at % lanes) + at / lanes % count
            });
            self.push(Instruction::with2(load, zmm(to), places))?;
            self.push(Instruction::with2(load, zmm(first), first_lane(start)))?;
            let take = Code::EVEX_Vpermi2d_zmm_k1z_zmm_zmmm512b32;
            let second = first_lane(start + GROUP as u32);
            self.push(Instruction::with3(take, zmm(to), zmm(first), second))?;
        }
        Ok(())
    }

    /// A constant with a word for each lane.
    pub(crate) fn vector(&mut self, lane: impl Fn(usize) -> u32) -> MemoryOperand {
        let bytes: Vec<u8> = (0..LANES).flat_map(|at| lane(at).to_le_bytes()).collect();
        let address = self.constant(&bytes);
        MemoryOperand::with_base_displ(Register::RIP, address as i64)
    }

    pub(crate) fn push(
        &mut self,
        instruction: Result<Instruction, iced_x86::IcedError>,
    ) -> Result<(), Failure> {
        self.body.push(instruction?);
        Ok(())
    }
}

/// The low half of a general register.
pub(crate) fn word(register: Register) -> Register {
    register.full_register32()
}

pub(crate) fn xmm(number: usize) -> Register {
    Register::XMM0 + number as u32
}

/// The memory `bytes` behind the first lane's address.
fn first_lane(bytes: u32) -> MemoryOperand {
    MemoryOperand::with_base_displ(BITS, i64::from(bytes))
}
