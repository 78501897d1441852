//! Stencils joined to a routine.

use std::{collections::HashMap, mem::offset_of};

use iced_x86::{
    BlockEncoder, BlockEncoderOptions, Code, IcedError, Instruction, InstructionBlock,
    MemoryOperand, Register,
};

use crate::{
    GROUP, ROW, Routine, Stencil, Surroundings,
    registers::{Content, Registers, zmm},
    stencil::{Step, Value},
};

/// Most rows that a routine may read before it writes them, and masks that it may write. They stay in registers to its end; the other
/// registers are for sources, temporaries, and results that can be stored at once.
pub const MOST_RESULTS: usize = 20;
/// Most masks among them.
pub const MOST_MASKS: usize = MASKS.len();

/// The place of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Row(u16),
    /// A scalar, which all lanes have.
    Scalar(u16),
    /// A word that all lanes have.
    Constant(u32),
    /// Ones or zeros, by the lane's bit in the scalars from this one on.
    Mask(u16),
}

/// The sign of a source that is a single.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    Kept,
    Changed,
    Cleared,
    Set,
}

/// A source of a stencil.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    pub source: Source,
    pub sign: Sign,
}

impl From<Source> for Operand {
    fn from(source: Source) -> Operand {
        Operand {
            source,
            sign: Sign::Kept,
        }
    }
}

/// How a stencil and NaNs go together. The host's NaNs are not the GPU's: a group with one is not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nans {
    /// It computes with integers.
    None,
    /// It is right unless its result is a NaN. It is if one of these sources is, by the bits of their numbers.
    InResult(u8),
    /// It is right unless one of its sources is a NaN, which may vanish.
    InSources,
}

/// Registers of [`crate::Entry`]'s parameters and result.
const ROWS: Register = Register::RDI;
const SCALARS: Register = Register::RSI;
const SURROUNDINGS: Register = Register::RDX;
const DONE: Register = Register::RAX;
/// The lanes of the group that are on.
pub(crate) const ON: Register = Register::ECX;
/// The masks that are written, with the last group's bits on top.
const MASKS: [Register; 3] = [Register::R8, Register::R9, Register::R10];
/// The bits of a group, or an address.
pub(crate) const BITS: Register = Register::R11;
/// Lanes with a NaN, and those of the last test.
const NANS: Register = Register::K7;
pub(crate) const TESTED: Register = Register::K6;
/// Lanes behind all tests: those that are on, then those that are off.
const LANES: Register = Register::K6;
/// The predicate of a comparison: one of both is a NaN.
const UNORDERED: u32 = 3;

/// The address that the encoder takes for that of the first constant. The code follows behind the last one.
const CONSTANTS: u64 = 1 << 32;

/// The address by which a branch names an instruction.
fn name(index: usize) -> u64 {
    1 + index as u64
}

/// Why stencils make no routine.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Failure {
    #[error("there are more values at once than host registers")]
    NoRegister,
    #[error("an instruction has no encoding: {0}")]
    NoEncoding(#[from] IcedError),
    #[error("no anchor with this number has been looked at for a load that far")]
    NoAnchor,
}

/// Makes one routine: a loop over groups of 16 lanes.
#[derive(Clone, Debug)]
pub struct Assembler {
    /// The scalar that says which lanes are on, one bit each. `None`: all are.
    pub(crate) lanes: Option<u16>,
    /// Most groups of lanes. Two have masks of one scalar, four of two.
    groups: usize,
    pub(crate) body: Vec<Instruction>,
    /// The branches of the body, by the instruction's index.
    pub(crate) branches: Vec<(usize, Goal)>,
    constants: Vec<u8>,
    pub(crate) registers: Registers,
    /// The rows that the routine has used so far: `true` for those that it wrote first. A row that it wrote first may have anything
    /// in it when the routine leaves early.
    used: HashMap<u16, bool>,
    /// A test for NaNs has been made.
    tests: bool,
    /// How many anchors it has.
    pub(crate) anchors: usize,
    /// The reach of each that has been looked at.
    pub(crate) reaches: [Option<u32>; crate::MOST_ANCHORS],
}

/// The place that a branch of the body leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// To this instruction of the body.
    Body(usize),
    /// Out of the routine. The group is not done.
    Out,
}

impl Default for Assembler {
    fn default() -> Assembler {
        Assembler::new()
    }
}

impl Assembler {
    pub fn new() -> Assembler {
        Assembler {
            lanes: None,
            groups: ROW / GROUP,
            body: Vec::new(),
            branches: Vec::new(),
            constants: Vec::new(),
            registers: Registers::new(),
            used: HashMap::new(),
            tests: false,
            anchors: 0,
            reaches: [None; crate::MOST_ANCHORS],
        }
    }

    /// The same for some lanes: the scalars from `mask` on have a bit for each. The rows of the others stay, and their NaNs are no matter.
    /// There are `groups` groups of lanes, 2 or 4.
    pub fn of_lanes(mask: u16, groups: usize) -> Assembler {
        Assembler {
            lanes: Some(mask),
            groups,
            ..Assembler::new()
        }
    }

    /// Appends `stencil` on `sources`, with its result in row `target`. Not more than [`MOST_RESULTS`] rows and masks may be written in all.
    pub fn apply(
        &mut self,
        stencil: &Stencil,
        sources: &[impl Into<Operand> + Copy],
        target: u16,
        nans: Nans,
    ) -> Result<(), Failure> {
        let target = Source::Row(target);
        let result = self.compute(stencil, sources, Some(target), nans)?;
        self.assign(result, target, nans)
    }

    /// Appends `stencil`, whose result is all ones or zeros, with its result in the mask `target`. Bits of lanes that are off become zero.
    /// Not more than [`MOST_MASKS`] may be written in all. Nothing may read their words as scalars.
    pub fn decide(
        &mut self,
        stencil: &Stencil,
        sources: &[Operand],
        target: u16,
    ) -> Result<(), Failure> {
        let result = self.compute(stencil, sources, None, Nans::None)?;
        self.assign(result, Source::Mask(target), Nans::None)
    }

    /// Appends both stencils on the same sources, with their results in rows as [`Assembler::apply`] has them, or in masks as
    /// [`Assembler::decide`] does.
    pub fn apply_both(
        &mut self,
        stencils: [&Stencil; 2],
        sources: &[Operand],
        targets: [Source; 2],
    ) -> Result<(), Failure> {
        let first = self.compute(stencils[0], sources, None, Nans::None)?;
        let second = self.compute(stencils[1], sources, Some(targets[0]), Nans::None)?;
        self.assign(first, targets[0], Nans::None)?;
        self.assign(second, targets[1], Nans::None)
    }

    /// The same twice, where no result is in its row before both are computed.
    pub fn apply_to_pair(
        &mut self,
        stencil: &Stencil,
        sources: [&[Operand]; 2],
        targets: [u16; 2],
        nans: Nans,
    ) -> Result<(), Failure> {
        let targets = targets.map(Source::Row);
        let is_read = |operand: &Operand| operand.source == targets[0];
        let lost = (!sources[1].iter().any(is_read)).then_some(targets[0]);
        let first = self.compute(stencil, sources[0], lost, nans)?;
        let second = self.compute(stencil, sources[1], Some(targets[1]), nans)?;
        self.assign(first, targets[0], nans)?;
        self.assign(second, targets[1], nans)
    }

    /// Appends the instructions of `stencil`. The result is the register of its result. `lost`: a row that
    /// nothing reads any more, because the result will overwrite it.
    fn compute(
        &mut self,
        stencil: &Stencil,
        sources: &[impl Into<Operand> + Copy],
        lost: Option<Source>,
        nans: Nans,
    ) -> Result<usize, Failure> {
        assert_eq!(sources.len(), stencil.sources, "sources of the stencil");
        let operands: Vec<Operand> = sources.iter().map(|source| (*source).into()).collect();
        let held = operands.iter().map(|operand| self.fetch(operand.source));
        let held = held.collect::<Result<Vec<usize>, _>>()?;
        match nans {
            Nans::None => {}
            Nans::InResult(shown) => {
                let shown = held
                    .iter()
                    .enumerate()
                    .filter(|(index, _)| shown >> index & 1 != 0);
                shown.for_each(|(_, &number)| self.seen(number));
            }
            Nans::InSources => self.test_sources(&held, &operands)?,
        }
        let mut places = vec![None; stencil.values];
        for ((place, number), operand) in places.iter_mut().zip(&held).zip(&operands) {
            *place = Some(self.signed(*number, operand.sign)?);
        }
        let mut values = Values {
            places,
            last: last_uses(stencil),
            result: stencil.result,
            lost: lost.and_then(|target| self.lost(target)),
        };
        for (index, step) in stencil.steps.iter().enumerate() {
            self.step(step, index, &mut values)?;
            for value in stencil.sources..stencil.values {
                if values.is_last(value, index) {
                    self.release(&mut values, value);
                }
            }
        }
        let result = self.own(stencil, &values)?;
        for value in 0..stencil.sources {
            if values.places[value] != Some(result) {
                self.release(&mut values, value);
            }
        }
        self.registers.unpin_all();
        Ok(result)
    }

    /// Makes register `number` that of `target`.
    pub(crate) fn assign(
        &mut self,
        number: usize,
        target: Source,
        nans: Nans,
    ) -> Result<(), Failure> {
        if let Source::Row(row) = target {
            self.used.entry(row).or_insert(true);
        }
        if let Some(former) = self.registers.find(target) {
            self.test_before_loss(former)?;
            self.registers.set(former, Content::Nothing);
        }
        let unseen = matches!(nans, Nans::InResult(_));
        let content = Content::Result { to: target, unseen };
        self.registers.set(number, content);
        Ok(())
    }

    /// A register with the single of register `number` with another sign.
    fn signed(&mut self, number: usize, sign: Sign) -> Result<usize, Failure> {
        let code = match sign {
            Sign::Kept => return Ok(number),
            Sign::Changed => Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
            Sign::Cleared => Code::EVEX_Vpandnd_zmm_k1z_zmm_zmmm512b32,
            Sign::Set => Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32,
        };
        let bit = self.fetch(Source::Constant(1 << 31))?;
        let result = self.temporary()?;
        let [to, bit, from] = [result, bit, number].map(zmm);
        self.body.push(Instruction::with3(code, to, bit, from)?);
        Ok(result)
    }

    /// The register of a row that is overwritten, if no test has to see it before.
    fn lost(&self, target: Source) -> Option<usize> {
        let number = self.registers.find(target)?;
        let unseen = matches!(
            self.registers.content(number),
            Content::Result { unseen: true, .. }
        );
        (!unseen).then_some(number)
    }

    /// Gives up the register of a temporary.
    fn release(&mut self, values: &mut Values, value: Value) {
        if let Some(number) = values.places[value].take()
            && self.registers.content(number) == Content::Temporary
        {
            self.registers.set(number, Content::Nothing);
        }
    }

    /// Instruction `index` of a stencil, with the registers of its values.
    fn step(&mut self, step: &Step, index: usize, values: &mut Values) -> Result<(), Failure> {
        let mut instruction = step.instruction;
        let mut reads = step.reads;
        if let [Some(first), _, Some(last), ..] = reads
            && !self.may_change(first, index, values)
            && self.may_change(last, index, values)
            && exchange(&mut instruction)
        {
            reads.swap(0, 2);
        }
        for (operand, value) in reads.iter().enumerate() {
            if let Some(number) = value.and_then(|value| values.places[value]) {
                rename(&mut instruction, operand, number);
            }
        }
        if let Some(constant) = &step.constant {
            let address = self.constant(constant);
            instruction.set_memory_base(Register::RIP);
            instruction.set_memory_displacement64(address);
        }
        if let Some(value) = step.writes {
            let number = match reads[0] {
                // An operand that is source and result at once.
                Some(changed) => self.changeable(changed, index, values)?,
                None => self.temporary()?,
            };
            values.places[value] = Some(number);
            rename(&mut instruction, 0, number);
        }
        self.body.push(instruction);
        Ok(())
    }

    /// Returns `true` if instruction `index` may overwrite the register of `value`: nothing needs it any more.
    fn may_change(&self, value: Value, index: usize, values: &Values) -> bool {
        let Some(number) = values.places[value] else {
            return false;
        };
        let is_ours = self.registers.content(number) == Content::Temporary;
        (is_ours || values.lost == Some(number)) && values.are_over(number, index)
    }

    /// The register in which an instruction may overwrite the value `changed`: its own, or that of a copy.
    fn changeable(
        &mut self,
        changed: Value,
        index: usize,
        values: &mut Values,
    ) -> Result<usize, Failure> {
        let from = values.places[changed].ok_or(Failure::NoRegister)?;
        if self.may_change(changed, index, values) {
            values.places[changed] = None;
            self.registers.set(from, Content::Temporary);
            return Ok(from);
        }
        let number = self.temporary()?;
        self.copy(number, from)?;
        Ok(number)
    }

    /// The register of the result, which belongs to no source.
    fn own(&mut self, stencil: &Stencil, values: &Values) -> Result<usize, Failure> {
        let place = values.places[stencil.result].ok_or(Failure::NoRegister)?;
        if self.registers.content(place) == Content::Temporary {
            return Ok(place);
        }
        let number = self.temporary()?;
        self.copy(number, place)?;
        Ok(number)
    }

    pub(crate) fn temporary(&mut self) -> Result<usize, Failure> {
        self.allocate(Content::Temporary)
    }

    /// A register for `content`. Without a free one, that of a copy is taken, or of a result that can be stored now.
    fn allocate(&mut self, content: Content) -> Result<usize, Failure> {
        let used = &self.used;
        let wrote_first = |row: u16| used.get(&row) == Some(&true);
        let chosen = self.registers.choose(wrote_first);
        let number = chosen.ok_or(Failure::NoRegister)?;
        if let Content::Result {
            to: Source::Row(row),
            ..
        } = self.registers.content(number)
        {
            self.test_before_loss(number)?;
            self.store_now(number, row)?;
        }
        self.registers.take(number, content);
        Ok(number)
    }

    /// Appends the store of a row before the group is done.
    fn store_now(&mut self, number: usize, row: u16) -> Result<(), Failure> {
        let result = zmm(number);
        if self.lanes.is_some() {
            let all_on = Instruction::with2(Code::Cmp_rm32_imm32, ON, 0xffff)?;
            self.body.push(all_on);
            let past = self.branch(Code::Je_rel32_64)?;
            self.body
                .push(Instruction::with2(Code::VEX_Kmovw_kr_r32, TESTED, ON)?);
            self.body
                .push(Instruction::with2(Code::VEX_Knotw_kr_kr, TESTED, TESTED)?);
            self.body.push(keep_other_lanes(result, row)?);
            self.land(past);
        }
        let store = Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm;
        self.body
            .push(Instruction::with2(store, in_memory(row), result)?);
        Ok(())
    }

    /// Appends a branch in the body, which [`Assembler::land`] completes.
    pub(crate) fn branch(&mut self, condition: Code) -> Result<usize, Failure> {
        let at = branch(&mut self.body, condition)?;
        self.branches.push((at, Goal::Out));
        Ok(self.branches.len() - 1)
    }

    /// Makes branch `number` lead to what the body gets next.
    pub(crate) fn land(&mut self, number: usize) {
        self.branches[number].1 = Goal::Body(self.body.len());
    }

    fn copy(&mut self, to: usize, from: usize) -> Result<(), Failure> {
        let code = Code::EVEX_Vmovdqa64_zmm_k1z_zmmm512;
        self.body
            .push(Instruction::with2(code, zmm(to), zmm(from))?);
        Ok(())
    }

    /// A register that holds `source`, loaded if none did. It stays until the stencil ends.
    pub(crate) fn fetch(&mut self, source: Source) -> Result<usize, Failure> {
        if let Source::Row(row) = source {
            self.used.entry(row).or_insert(false);
        }
        if let Some(number) = self.registers.find(source) {
            self.registers.pin(number);
            return Ok(number);
        }
        let number = self.allocate(Content::Copy(source))?;
        self.registers.pin(number);
        let (code, memory) = match source {
            Source::Row(row) => (Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512, in_memory(row)),
            Source::Scalar(slot) => (Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32, scalar(slot)),
            Source::Mask(slot) => {
                let load = Code::VEX_Kmovw_kr_km16;
                self.body
                    .push(Instruction::with2(load, TESTED, group_of_mask(slot))?);
                let spread = Code::EVEX_Vpmovm2d_zmm_kr;
                self.body
                    .push(Instruction::with2(spread, zmm(number), TESTED)?);
                return Ok(number);
            }
            Source::Constant(word) => {
                let address = self.constant(&word.to_le_bytes());
                (
                    Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32,
                    MemoryOperand::with_base_displ(Register::RIP, address as i64),
                )
            }
        };
        self.body
            .push(Instruction::with2(code, zmm(number), memory)?);
        Ok(number)
    }

    /// The address of a constant, in front of the code.
    pub(crate) fn constant(&mut self, bytes: &[u8]) -> u64 {
        let mut known = self.constants.chunks_exact(GROUP);
        let known = known.position(|chunk| chunk.starts_with(bytes));
        let index = known.unwrap_or_else(|| {
            self.constants.extend_from_slice(bytes);
            self.constants
                .resize(self.constants.len().next_multiple_of(GROUP), 0);
            self.constants.len() / GROUP - 1
        });
        CONSTANTS + (index * GROUP) as u64
    }
}

/// NaNs.
impl Assembler {
    /// Notes that a later result shows whether register `number` holds a NaN.
    fn seen(&mut self, number: usize) {
        if let Content::Result { to, unseen: true } = self.registers.content(number) {
            self.registers
                .set(number, Content::Result { to, unseen: false });
        }
    }

    /// Looks for NaNs in two registers.
    fn test(&mut self, a: usize, b: usize) -> Result<(), Failure> {
        let to = if self.tests { TESTED } else { NANS };
        let code = Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
        self.body
            .push(Instruction::with4(code, to, zmm(a), zmm(b), UNORDERED)?);
        if self.tests {
            let code = Code::VEX_Korw_kr_kr_kr;
            self.body
                .push(Instruction::with3(code, NANS, NANS, TESTED)?);
        }
        self.tests = true;
        Ok(())
    }

    fn test_sources(&mut self, held: &[usize], operands: &[Operand]) -> Result<(), Failure> {
        let is_number = |operand: &Operand| matches!(operand.source, Source::Constant(word) if !f32::from_bits(word).is_nan());
        let operands = held.iter().zip(operands);
        let unknown = operands.filter(|(_, operand)| !is_number(operand));
        let unknown: Vec<usize> = unknown.map(|(number, _)| *number).collect();
        for pair in unknown.chunks(2) {
            self.test(pair[0], *pair.last().unwrap_or(&pair[0]))?;
            pair.iter().for_each(|&number| self.seen(number));
        }
        Ok(())
    }

    /// Looks for NaNs in a result that is overwritten before anything has shown them.
    pub(crate) fn test_before_loss(&mut self, number: usize) -> Result<(), Failure> {
        match self.registers.content(number) {
            Content::Result { unseen: true, .. } => self.test(number, number),
            _ => Ok(()),
        }
    }

    fn test_all(&mut self) -> Result<(), Failure> {
        let unseen = self.registers.unseen();
        for pair in unseen.chunks(2) {
            self.test(pair[0], *pair.last().unwrap_or(&pair[0]))?;
        }
        Ok(())
    }
}

/// The end.
impl Assembler {
    /// Completes the routine.
    pub fn finish(mut self) -> Result<Routine, Failure> {
        self.test_all()?;
        let masks = self.masks();
        let mut code = Vec::new();
        self.keep_caller_s(&mut code)?;
        code.push(clear(Register::EAX)?);
        for (sum, ..) in &masks {
            code.push(clear(sum.full_register32())?);
        }
        let first = code.len();
        let skips = self.look_at_lanes(&mut code)?;
        let mut leaves = self.append_body(&mut code);
        leaves.extend(self.leave_at_nans(&mut code)?);
        self.keep_other_lanes(&mut code)?;
        for (number, row) in self.rows() {
            let store = Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm;
            code.push(Instruction::with2(store, in_memory(row), zmm(number))?);
        }
        self.add_bits(&masks, &mut code)?;
        if let Some(skips) = skips {
            land(&mut code, skips);
        }
        for &(sum, ..) in &masks {
            let turn = self.wide(Code::Ror_rm64_imm8, Code::Ror_rm32_imm8);
            code.push(Instruction::with2(turn, self.sized(sum), GROUP as i32 / 4)?);
        }
        code.push(Instruction::with2(Code::Add_rm64_imm8, ROWS, GROUP as i32)?);
        code.push(Instruction::with1(Code::Inc_rm64, DONE)?);
        let groups = surrounding(offset_of!(Surroundings, groups));
        code.push(Instruction::with2(Code::Cmp_r64_rm64, DONE, groups)?);
        code.push(Instruction::with_branch(Code::Jb_rel32_64, name(first))?);
        self.end(&masks, &mut code)?;
        if !leaves.is_empty() {
            for from in leaves {
                land(&mut code, from);
            }
            self.keep_bits_to_come(&masks, &mut code)?;
            self.end(&masks, &mut code)?;
        }
        for (index, instruction) in code.iter_mut().enumerate() {
            instruction.set_ip(name(index));
        }
        let start = self.constants.len();
        let block = InstructionBlock::new(&code, CONSTANTS + start as u64);
        let encoded = BlockEncoder::encode(64, block, BlockEncoderOptions::NONE)?;
        let mut bytes = self.constants;
        bytes.extend_from_slice(&encoded.code_buffer);
        Ok(Routine { bytes, start })
    }

    /// Appends the body. The result is its branches out of the routine.
    fn append_body(&mut self, code: &mut Vec<Instruction>) -> Vec<usize> {
        let first = code.len();
        code.append(&mut self.body);
        let mut out = Vec::new();
        for &(from, goal) in &self.branches {
            match goal {
                Goal::Body(to) => code[first + from].set_near_branch64(name(first + to)),
                Goal::Out => out.push(first + from),
            }
        }
        out
    }

    /// The rows that are written, with their registers.
    fn rows(&self) -> Vec<(usize, u16)> {
        let results = self.registers.results().into_iter();
        let row = |(number, to)| match to {
            Source::Row(row) => Some((number, row)),
            _ => None,
        };
        results.filter_map(row).collect()
    }

    /// The masks that are written: where they are collected, the register of the group's, and the first scalar.
    fn masks(&self) -> Vec<(Register, usize, u16)> {
        let results = self.registers.results().into_iter();
        let mask = |(number, to)| match to {
            Source::Mask(slot) => Some((number, slot)),
            _ => None,
        };
        let masks = results.filter_map(mask).zip(MASKS);
        masks
            .map(|((number, slot), sum)| (sum, number, slot))
            .collect()
    }

    /// One of two, by whether masks have two words or one.
    fn wide<T>(&self, two: T, one: T) -> T {
        match self.groups {
            2 => one,
            _ => two,
        }
    }

    /// The register with the size of masks.
    fn sized(&self, register: Register) -> Register {
        self.wide(register, register.full_register32())
    }

    /// Appends the bits of the group's lanes to the masks.
    fn add_bits(
        &self,
        masks: &[(Register, usize, u16)],
        code: &mut Vec<Instruction>,
    ) -> Result<(), Failure> {
        let bits = BITS.full_register32();
        for &(sum, number, _) in masks {
            let to_mask = Code::EVEX_Vpmovd2m_kr_zmm;
            code.push(Instruction::with2(to_mask, LANES, zmm(number))?);
            code.push(Instruction::with2(Code::VEX_Kmovw_r32_kr, bits, LANES)?);
            if self.lanes.is_some() {
                code.push(Instruction::with2(Code::And_r32_rm32, bits, ON)?);
            }
            code.push(Instruction::with2(Code::Or_r64_rm64, sum, BITS)?);
        }
        Ok(())
    }

    /// Appends what gives masks the bits that they have already, of groups that are not done, and turns those of others to their places.
    fn keep_bits_to_come(
        &self,
        masks: &[(Register, usize, u16)],
        code: &mut Vec<Instruction>,
    ) -> Result<(), Failure> {
        if masks.is_empty() {
            return Ok(());
        }
        // Sixteen lanes for each group that is done.
        code.push(Instruction::with2(Code::Mov_r32_rm32, ON, Register::EAX)?);
        code.push(Instruction::with2(Code::Shl_rm32_imm8, ON, 4)?);
        let bits = self.sized(BITS);
        for &(sum, _, slot) in masks {
            let sum = self.sized(sum);
            let turn = self.wide(Code::Rol_rm64_CL, Code::Rol_rm32_CL);
            code.push(Instruction::with2(turn, sum, Register::CL)?);
            code.push(Instruction::with2(Code::Mov_rm64_imm32, BITS, -1)?);
            let shift = self.wide(Code::Shl_rm64_CL, Code::Shl_rm32_CL);
            code.push(Instruction::with2(shift, bits, Register::CL)?);
            let and = self.wide(Code::And_r64_rm64, Code::And_r32_rm32);
            code.push(Instruction::with2(and, bits, scalar(slot))?);
            let or = self.wide(Code::Or_r64_rm64, Code::Or_r32_rm32);
            code.push(Instruction::with2(or, sum, bits)?);
        }
        Ok(())
    }

    /// Appends the stores of masks and the return.
    fn end(
        &self,
        masks: &[(Register, usize, u16)],
        code: &mut Vec<Instruction>,
    ) -> Result<(), Failure> {
        for &(sum, _, slot) in masks {
            let store = self.wide(Code::Mov_rm64_r64, Code::Mov_rm32_r32);
            code.push(Instruction::with2(store, scalar(slot), self.sized(sum))?);
        }
        self.give_caller_s(code)?;
        code.push(Instruction::with(Code::VEX_Vzeroupper));
        code.push(Instruction::with(Code::Retnq));
        Ok(())
    }

    /// Appends the look at the group's lanes. The result is the branch past a group of which all are off.
    fn look_at_lanes(&self, code: &mut Vec<Instruction>) -> Result<Option<usize>, Failure> {
        let Some(mask) = self.lanes else {
            return Ok(None);
        };
        code.push(Instruction::with2(
            Code::Movzx_r32_rm16,
            ON,
            group_of_mask(mask),
        )?);
        code.push(Instruction::with2(Code::Test_rm32_r32, ON, ON)?);
        Ok(Some(branch(code, Code::Je_rel32_64)?))
    }

    /// Appends the branch at a group with a NaN in a lane that is on.
    fn leave_at_nans(&self, code: &mut Vec<Instruction>) -> Result<Option<usize>, Failure> {
        if !self.tests {
            return Ok(None);
        }
        let found = match self.lanes {
            Some(_) => {
                code.push(Instruction::with2(Code::VEX_Kmovw_kr_r32, LANES, ON)?);
                Instruction::with2(Code::VEX_Ktestw_kr_kr, NANS, LANES)?
            }
            None => Instruction::with2(Code::VEX_Kortestw_kr_kr, NANS, NANS)?,
        };
        code.push(found);
        Ok(Some(branch(code, Code::Jne_rel32_64)?))
    }

    /// Appends the choice of what the rows hold already, for lanes that are off. (Results that are stored under a mask cannot be loaded
    /// before the store has come to the host's cache.)
    fn keep_other_lanes(&self, code: &mut Vec<Instruction>) -> Result<(), Failure> {
        if self.lanes.is_none() {
            return Ok(());
        }
        code.push(Instruction::with2(Code::Cmp_rm32_imm32, ON, 0xffff)?);
        let all_on = branch(code, Code::Je_rel32_64)?;
        code.push(Instruction::with2(Code::VEX_Kmovw_kr_r32, LANES, ON)?);
        code.push(Instruction::with2(Code::VEX_Knotw_kr_kr, LANES, LANES)?);
        for (number, row) in self.rows() {
            code.push(keep_other_lanes(zmm(number), row)?);
        }
        land(code, all_on);
        Ok(())
    }
}

/// Gives lanes of `result` that are off what `row` holds.
fn keep_other_lanes(result: Register, row: u16) -> Result<Instruction, IcedError> {
    let choice = Code::EVEX_Vpblendmd_zmm_k1z_zmm_zmmm512b32;
    let mut choice = Instruction::with3(choice, result, result, in_memory(row))?;
    choice.set_op_mask(LANES);
    Ok(choice)
}

/// A field of [`Surroundings`].
pub(crate) fn surrounding(offset: usize) -> MemoryOperand {
    MemoryOperand::with_base_displ(SURROUNDINGS, offset as i64)
}

/// The group's lanes of a row.
fn in_memory(row: u16) -> MemoryOperand {
    MemoryOperand::with_base_displ(ROWS, i64::from(row) * ROW as i64)
}

/// The scalars from `slot` on.
fn scalar(slot: u16) -> MemoryOperand {
    MemoryOperand::with_base_displ(SCALARS, i64::from(slot) * 4)
}

/// The group's bits of the mask in the scalars from `slot` on: two bytes for each group.
fn group_of_mask(slot: u16) -> MemoryOperand {
    let (scale, displacement, bytes) = (2, i64::from(slot) * 4, 1);
    let none = Register::None;
    MemoryOperand::new(SCALARS, DONE, scale, displacement, bytes, false, none)
}

fn clear(register: Register) -> Result<Instruction, IcedError> {
    Instruction::with2(Code::Xor_r32_rm32, register, register)
}

/// Appends a branch, which [`land`] completes.
fn branch(code: &mut Vec<Instruction>, condition: Code) -> Result<usize, Failure> {
    code.push(Instruction::with_branch(condition, 0)?);
    Ok(code.len() - 1)
}

/// Makes the branch at `from` lead to what is appended next.
fn land(code: &mut [Instruction], from: usize) {
    let to = name(code.len());
    code[from].set_near_branch64(to);
}

/// The values of a stencil while it is applied.
struct Values {
    /// The register of each.
    places: Vec<Option<usize>>,
    /// The last instruction that uses each.
    last: Vec<Option<usize>>,
    result: Value,
    /// The register of the row that the result overwrites.
    lost: Option<usize>,
}

impl Values {
    /// Returns `true` if nothing needs `value` behind instruction `index`, which uses it.
    fn is_last(&self, value: Value, index: usize) -> bool {
        self.last[value] == Some(index) && value != self.result
    }

    /// Returns `true` if nothing needs what is in register `number` behind instruction `index`.
    fn are_over(&self, number: usize, index: usize) -> bool {
        let held = self.places.iter().enumerate();
        let mut held = held.filter(|(_, place)| **place == Some(number));
        held.all(|(value, _)| {
            value != self.result && self.last[value].is_none_or(|last| last <= index)
        })
    }
}

/// Makes the last operand of a multiply-add the one that is overwritten, in the place of the first.
fn exchange(instruction: &mut Instruction) -> bool {
    let fused = instruction.code() == Code::EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er
        && !instruction.has_op_mask();
    if fused {
        instruction.set_code(Code::EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er);
    }
    fused
}

/// Gives register operand `operand` the host register `number`, with the width that it had.
fn rename(instruction: &mut Instruction, operand: usize, number: usize) {
    let register = instruction.op_register(operand as u32);
    let first = if register.is_zmm() {
        Register::ZMM0
    } else if register.is_ymm() {
        Register::YMM0
    } else {
        Register::XMM0
    };
    instruction.set_op_register(operand as u32, first + number as u32);
}

/// The last instruction that reads each value.
fn last_uses(stencil: &Stencil) -> Vec<Option<usize>> {
    let mut last = vec![None; stencil.values];
    for (index, step) in stencil.steps.iter().enumerate() {
        for value in step.reads.iter().flatten().chain(&step.writes) {
            last[*value] = Some(index);
        }
    }
    last
}
