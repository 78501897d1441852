//! Loops: routines for runs, scalar instructions between them, branches and calls, joined to one function.
//!
//! The function goes from step to step of a loop. It leaves where a routine is not done with all groups, where a call says so, where a branch
//! leads out, and where the budget of branches back is used up. It counts the branches that it takes, and the lanes that become others.

use std::{ffi::c_void, mem::offset_of};

use iced_x86::{
    BlockEncoder, BlockEncoderOptions, Code, IcedError, Instruction, InstructionBlock,
    MemoryOperand, Register,
};

use crate::{Entry, Routine, Surroundings};

/// Most branches of a loop.
pub const MOST_BRANCHES: usize = 16;
/// Most steps of a loop that may write the lanes that are on.
pub const MOST_CHANGES: usize = 16;

/// The facts that the function of a loop uses and changes.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Journey {
    pub rows: *mut u32,
    pub scalars: *mut u32,
    pub surroundings: *const Surroundings,
    /// The groups of lanes that routines have to do.
    pub groups: usize,
    /// The lanes that are on at first.
    pub lanes: u64,
    /// The groups that a routine has done, if it was left before its end, or the answer of the call that was the last step.
    pub done: usize,
    /// The first argument of calls.
    pub scene: *mut c_void,
    /// The second argument of calls is so many bytes behind this as the call says.
    pub things: *const u8,
    /// Calls find the condition here.
    pub shown: *mut bool,
    /// The condition: 0 or 1.
    pub condition: u32,
    /// Branches back that may be taken, at least one.
    pub budget: u32,
    pub tallies: *mut Tallies,
}

/// The numbers that the function of a loop adds to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Tallies {
    /// How often each branch was taken, by its number, and the sum of the lanes that were on then.
    pub taken: [[u64; 2]; MOST_BRANCHES],
    /// How many more lanes were on behind each step that may write them than in front of it, by the number of the step among these.
    pub changes: [i64; MOST_CHANGES],
}

/// The function of a loop, and the address at which it begins: see [`crate::Executable::address`].
pub type LoopEntry = unsafe extern "C" fn(journey: *mut Journey, at: *const u8) -> Exit;

/// The place at which a loop was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Exit(u64);

/// The routine of the step is not done.
const LEFT: u64 = 1 << 31;
/// The call of the step does not want the next one to be taken.
const STOPPED: u64 = 1 << 30;

impl Exit {
    /// The number of the step that comes next, or of that which is why the loop was left.
    pub fn step(self) -> usize {
        (self.0 & (STOPPED - 1)) as usize
    }

    /// The routine of the step has done [`Journey::done`] groups only.
    pub fn is_left(self) -> bool {
        self.0 & LEFT != 0
    }

    /// The call of the step gave [`Journey::done`], which is not zero.
    pub fn is_stopped(self) -> bool {
        self.0 & STOPPED != 0
    }

    /// The step whose branch has used up the budget.
    pub fn last_branch(self) -> Option<usize> {
        ((self.0 >> 32) as usize).checked_sub(1)
    }
}

/// One step of a loop.
#[derive(Clone, Debug)]
pub enum Step {
    Nothing,
    Scalar(Scalar),
    Branch { when: When, to: usize },
    Routine(Entry),
    Call(Call),
}

/// A call of a function that writes neither the condition nor the lanes that are on. The scalars are as the steps before have left them.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub function: Function,
    /// Bytes from [`Journey::things`] to the second argument.
    pub offset: i32,
}

/// The function of a call. Its result is zero if the next step may be taken.
pub type Function = unsafe extern "C" fn(scene: *mut c_void, thing: *const u8) -> u32;

/// A scalar source, of one or two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    Slot(u16),
    Constant(u64),
}

/// A scalar instruction.
#[derive(Clone, Debug)]
pub struct Scalar {
    pub operation: Operation,
    /// Numbers have two words. (The bits of a shift have one.)
    pub is_long: bool,
    pub sources: [Word; 2],
    /// The first scalar of its result.
    pub target: Option<u16>,
    /// The first scalar that gets the lanes that are on. It gets them before the result is stored.
    pub saves: Option<u16>,
    /// It may write the lanes that are on.
    pub may_write_lanes: bool,
}

/// The result of a scalar instruction. Logic and shifts set the condition to whether it is not zero, sums to their carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Move,
    Not,
    And,
    Or,
    Xor,
    AndNot,
    OrNot,
    Nand,
    Nor,
    Xnor,
    ShiftLeft,
    ShiftRight,
    ShiftSigned,
    Add,
    Subtract,
    AddSigned,
    SubtractSigned,
    AddCarry,
    SubtractBorrow,
    Multiply,
    /// The first source if the condition holds, else the second one.
    Select,
    /// The condition becomes that the first source has this relation to the second one.
    Compare(Relation),
    /// The first source if it has this relation to the second one, else that. The condition says which.
    Choose(Relation),
    /// The condition becomes this value of the bit whose number is the second source.
    Bit(bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    Equal,
    Different,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Below,
    BelowOrEqual,
    Above,
    AboveOrEqual,
}

/// The condition of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    Always,
    Condition(bool),
    /// The mask in the scalars from this one on is zero, or is not.
    Zero(u16, bool),
}

const JOURNEY: Register = Register::RBP;
const SCALARS: Register = Register::RBX;
const LANES: Register = Register::R14;
/// The number of lanes that are on.
const COUNT: Register = Register::R12;
const BUDGET: Register = Register::R15D;
const CONDITION: Register = Register::R13D;
const CONDITION_BYTE: Register = Register::R13L;
/// Registers that callers want back.
const KEPT: [Register; 6] = [
    Register::RBX,
    Register::RBP,
    Register::R12,
    Register::R13,
    Register::R14,
    Register::R15,
];

type Result<T> = std::result::Result<T, IcedError>;

/// Makes the function of `steps` for waves of two or four groups, and the offset of each step in it. Branches lead to steps of any number: those outside
/// are exits. `first` is the number of the first step. The lanes that are on are in the scalars from `lanes` on.
pub fn loop_routine(
    steps: &[Step],
    first: usize,
    groups: usize,
    lanes: u16,
) -> std::result::Result<(Routine, Vec<usize>), IcedError> {
    let mut maker = Maker {
        code: Vec::new(),
        first,
        steps: steps.len(),
        is_long: groups > 2,
        lanes,
        to_steps: Vec::new(),
        exits: Vec::new(),
        branches: 0,
        changes: 0,
        shows_condition: true,
    };
    maker.begin()?;
    let mut starts = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        starts.push(maker.code.len());
        maker.shows_condition = is_condition_needed(&steps[index + 1..]);
        maker.step(first + index, step)?;
    }
    let end = Instruction::with_branch(Code::Jmp_rel32_64, 0)?;
    maker.leave(end, (first + steps.len()) as u64);
    maker.finish(&starts)
}

/// Returns `true` if something may look at the condition with which `steps` begin. The loop may be left at any routine, call or branch.
fn is_condition_needed(steps: &[Step]) -> bool {
    let next = steps.iter().find_map(|step| match step {
        Step::Nothing => None,
        Step::Scalar(scalar) if scalar.operation.reads_condition() => Some(true),
        Step::Scalar(scalar) => scalar.operation.condition().map(|_| false),
        Step::Branch { .. } | Step::Routine(_) | Step::Call(_) => Some(true),
    });
    next.unwrap_or(true)
}

struct Maker {
    code: Vec<Instruction>,
    first: usize,
    steps: usize,
    /// Masks have two words.
    is_long: bool,
    /// The scalars of the lanes that are on. [`LANES`] has them, too: a load would have to wait for the store before it.
    lanes: u16,
    /// Branches to steps.
    to_steps: Vec<(usize, usize)>,
    /// Branches out, with what the function returns there.
    exits: Vec<(usize, u64)>,
    branches: usize,
    changes: usize,
    /// The condition that the step leaves is needed.
    shows_condition: bool,
}

impl Maker {
    fn push(&mut self, instruction: Result<Instruction>) -> Result<()> {
        self.code.push(instruction?);
        Ok(())
    }

    /// Appends a branch out of the loop.
    fn leave(&mut self, branch: Instruction, exit: u64) {
        self.exits.push((self.code.len(), exit));
        self.code.push(branch);
    }

    fn begin(&mut self) -> Result<()> {
        for register in KEPT {
            self.push(Instruction::with1(Code::Push_r64, register))?;
        }
        // Calls need a stack that is aligned to 16 bytes.
        self.push(Instruction::with2(Code::Sub_rm64_imm8, Register::RSP, 8))?;
        let load = Code::Mov_r64_rm64;
        self.push(Instruction::with2(load, JOURNEY, Register::RDI))?;
        let scalars = fact(offset_of!(Journey, scalars));
        self.push(Instruction::with2(load, SCALARS, scalars))?;
        let lanes = fact(offset_of!(Journey, lanes));
        self.push(Instruction::with2(load, LANES, lanes))?;
        self.push(Instruction::with2(Code::Popcnt_r64_rm64, COUNT, LANES))?;
        let load = Code::Mov_r32_rm32;
        let condition = fact(offset_of!(Journey, condition));
        self.push(Instruction::with2(load, CONDITION, condition))?;
        let budget = fact(offset_of!(Journey, budget));
        self.push(Instruction::with2(load, BUDGET, budget))?;
        self.push(Instruction::with1(Code::Jmp_rm64, Register::RSI))
    }

    fn step(&mut self, number: usize, step: &Step) -> Result<()> {
        match step {
            Step::Nothing => Ok(()),
            Step::Scalar(scalar) => self.scalar(number, scalar),
            Step::Branch { when, to } => self.branch(number, *when, *to),
            Step::Routine(entry) => self.routine(number, *entry),
            Step::Call(call) => self.call(number, *call),
        }
    }

    fn call(&mut self, number: usize, call: Call) -> Result<()> {
        let load = Code::Mov_r64_rm64;
        let shown = fact(offset_of!(Journey, shown));
        let place = MemoryOperand::with_base(Register::RAX);
        self.push(Instruction::with2(load, Register::RAX, shown))?;
        self.push(Instruction::with2(Code::Mov_rm8_r8, place, CONDITION_BYTE))?;
        let scene = fact(offset_of!(Journey, scene));
        self.push(Instruction::with2(load, Register::RDI, scene))?;
        let things = fact(offset_of!(Journey, things));
        self.push(Instruction::with2(load, Register::RSI, things))?;
        self.push(Instruction::with2(
            Code::Add_rm64_imm32,
            Register::RSI,
            call.offset,
        ))?;
        self.call_function(call.function as usize)?;
        self.push(Instruction::with2(
            Code::Test_rm32_r32,
            Register::EAX,
            Register::EAX,
        ))?;
        let stopped = Instruction::with_branch(Code::Jne_rel32_64, 0)?;
        self.leave(stopped, number as u64 | STOPPED);
        Ok(())
    }

    fn call_function(&mut self, address: usize) -> Result<()> {
        let (load, at) = (Code::Mov_r64_imm64, Register::RAX);
        self.push(Instruction::with2(load, at, address as u64))?;
        self.push(Instruction::with1(Code::Call_rm64, at))
    }

    fn routine(&mut self, number: usize, entry: Entry) -> Result<()> {
        let load = Code::Mov_r64_rm64;
        let rows = fact(offset_of!(Journey, rows));
        self.push(Instruction::with2(load, Register::RDI, rows))?;
        self.push(Instruction::with2(load, Register::RSI, SCALARS))?;
        let surroundings = fact(offset_of!(Journey, surroundings));
        self.push(Instruction::with2(load, Register::RDX, surroundings))?;
        self.call_function(entry as usize)?;
        let groups = fact(offset_of!(Journey, groups));
        self.push(Instruction::with2(
            Code::Cmp_r64_rm64,
            Register::RAX,
            groups,
        ))?;
        let left = Instruction::with_branch(Code::Jne_rel32_64, 0)?;
        self.leave(left, number as u64 | LEFT);
        Ok(())
    }

    fn branch(&mut self, number: usize, when: When, to: usize) -> Result<()> {
        let past = match when {
            When::Always => None,
            When::Condition(value) => {
                self.push(Instruction::with2(
                    Code::Test_rm32_r32,
                    CONDITION,
                    CONDITION,
                ))?;
                Some(if value {
                    Code::Je_rel32_64
                } else {
                    Code::Jne_rel32_64
                })
            }
            When::Zero(slot, zero) => {
                let compare = self.sized(Code::Cmp_rm64_imm8, Code::Cmp_rm32_imm8);
                self.push(match slot == self.lanes {
                    true => Instruction::with2(Code::Test_rm64_r64, LANES, LANES),
                    false => Instruction::with2(compare, scalar(slot), 0),
                })?;
                Some(if zero {
                    Code::Jne_rel32_64
                } else {
                    Code::Je_rel32_64
                })
            }
        };
        if let Some(past) = past {
            self.to_steps.push((self.code.len(), number + 1));
            self.push(Instruction::with_branch(past, 0))?;
        }
        let taken = offset_of!(Tallies, taken) + 16 * self.branches;
        self.branches += 1;
        let tallies = self.tallies()?;
        self.push(Instruction::with1(Code::Inc_rm64, tallies(taken)))?;
        let lanes = tallies(taken + 8);
        self.push(Instruction::with2(Code::Add_rm64_r64, lanes, COUNT))?;
        if to <= number {
            self.push(Instruction::with1(Code::Dec_rm32, BUDGET))?;
            let used_up = Instruction::with_branch(Code::Je_rel32_64, 0)?;
            self.leave(used_up, to as u64 | (number as u64 + 1) << 32);
        }
        self.to_steps.push((self.code.len(), to));
        self.push(Instruction::with_branch(Code::Jmp_rel32_64, 0))
    }

    /// Loads the address of the tallies. The result makes operands of offsets in them.
    fn tallies(&mut self) -> Result<impl Fn(usize) -> MemoryOperand + use<>> {
        let (place, at) = (fact(offset_of!(Journey, tallies)), Register::RDX);
        self.push(Instruction::with2(Code::Mov_r64_rm64, at, place))?;
        Ok(move |offset| MemoryOperand::with_base_displ(at, offset as i64))
    }

    fn sized(&self, long: Code, short: Code) -> Code {
        if self.is_long { long } else { short }
    }

    fn finish(mut self, starts: &[usize]) -> Result<(Routine, Vec<usize>)> {
        for (at, to) in std::mem::take(&mut self.to_steps) {
            match to.checked_sub(self.first).filter(|step| *step < self.steps) {
                Some(step) => self.code[at].set_near_branch64(name(starts[step])),
                None => self.exits.push((at, to as u64)),
            }
        }
        let mut to_end = Vec::new();
        for (at, exit) in std::mem::take(&mut self.exits) {
            let here = name(self.code.len());
            self.code[at].set_near_branch64(here);
            if exit & (LEFT | STOPPED) != 0 {
                let done = fact(offset_of!(Journey, done));
                self.push(Instruction::with2(Code::Mov_rm64_r64, done, Register::RAX))?;
            }
            self.push(Instruction::with2(Code::Mov_r64_imm64, Register::RAX, exit))?;
            to_end.push(self.code.len());
            self.push(Instruction::with_branch(Code::Jmp_rel32_64, 0))?;
        }
        let end = name(self.code.len());
        for at in to_end {
            self.code[at].set_near_branch64(end);
        }
        let condition = fact(offset_of!(Journey, condition));
        self.push(Instruction::with2(Code::Mov_rm32_r32, condition, CONDITION))?;
        let budget = fact(offset_of!(Journey, budget));
        self.push(Instruction::with2(Code::Mov_rm32_r32, budget, BUDGET))?;
        self.push(Instruction::with2(Code::Add_rm64_imm8, Register::RSP, 8))?;
        for register in KEPT.into_iter().rev() {
            self.push(Instruction::with1(Code::Pop_r64, register))?;
        }
        self.push(Ok(Instruction::with(Code::Retnq)))?;
        for (index, instruction) in self.code.iter_mut().enumerate() {
            instruction.set_ip(name(index));
        }
        let block = InstructionBlock::new(&self.code, 0);
        let options = BlockEncoderOptions::RETURN_NEW_INSTRUCTION_OFFSETS;
        let encoded = BlockEncoder::encode(64, block, options)?;
        let offset = |start: &usize| encoded.new_instruction_offsets[*start] as usize;
        let labels = starts.iter().map(offset).collect();
        let routine = Routine {
            bytes: encoded.code_buffer,
            start: 0,
        };
        Ok((routine, labels))
    }
}

/// The name of an instruction in branches.
fn name(index: usize) -> u64 {
    1 + index as u64
}

/// A field of the journey.
fn fact(offset: usize) -> MemoryOperand {
    MemoryOperand::with_base_displ(JOURNEY, offset as i64)
}

fn scalar(slot: u16) -> MemoryOperand {
    MemoryOperand::with_base_displ(SCALARS, i64::from(slot) * 4)
}

/// Scalar instructions. The first source and the result are in RAX, the second source is in RCX.
impl Maker {
    fn scalar(&mut self, number: usize, one: &Scalar) -> Result<()> {
        let (a, b) = (Register::RAX, Register::RCX);
        self.fetch(a, one.sources[0], one.is_long)?;
        self.fetch(b, one.sources[1], one.is_long && !one.operation.shifts())?;
        if one.saves.is_some() {
            self.fetch(Register::RDX, Word::Slot(self.lanes), one.is_long)?;
        }
        self.compute(one.operation, one.is_long)?;
        if let Some(slot) = one.saves {
            self.store(slot, Register::RDX, one.is_long)?;
        }
        if let Some(slot) = one.target {
            self.store(slot, a, one.is_long)?;
        }
        if !one.may_write_lanes {
            return Ok(());
        }
        if one.target != Some(self.lanes) || one.is_long != self.is_long {
            // It has written a half of them, or more.
            self.load(a, self.lanes, self.is_long)?;
        }
        self.count_lanes(number)
    }

    /// The lanes that are on now are in RAX. If they are others than before, the difference is counted.
    fn count_lanes(&mut self, number: usize) -> Result<()> {
        let (lanes, more) = (Register::RAX, Register::RCX);
        self.push(Instruction::with2(Code::Cmp_r64_rm64, lanes, LANES))?;
        self.to_steps.push((self.code.len(), number + 1));
        self.push(Instruction::with_branch(Code::Je_rel32_64, 0))?;
        self.push(Instruction::with2(Code::Mov_r64_rm64, LANES, lanes))?;
        self.push(Instruction::with2(Code::Popcnt_r64_rm64, lanes, lanes))?;
        self.push(Instruction::with2(Code::Mov_r64_rm64, more, lanes))?;
        self.push(Instruction::with2(Code::Sub_r64_rm64, more, COUNT))?;
        self.push(Instruction::with2(Code::Mov_r64_rm64, COUNT, lanes))?;
        let change = offset_of!(Tallies, changes) + 8 * self.changes;
        self.changes += 1;
        let tallies = self.tallies()?;
        self.push(Instruction::with2(
            Code::Add_rm64_r64,
            tallies(change),
            more,
        ))
    }

    fn load(&mut self, to: Register, slot: u16, is_long: bool) -> Result<()> {
        let short = to.full_register32();
        self.push(match is_long {
            true => Instruction::with2(Code::Mov_r64_rm64, to, scalar(slot)),
            false => Instruction::with2(Code::Mov_r32_rm32, short, scalar(slot)),
        })
    }

    fn fetch(&mut self, to: Register, from: Word, is_long: bool) -> Result<()> {
        let (short, lanes) = (to.full_register32(), LANES.full_register32());
        self.push(match (from, is_long) {
            (Word::Slot(slot), true) if slot == self.lanes && self.is_long => {
                Instruction::with2(Code::Mov_r64_rm64, to, LANES)
            }
            (Word::Slot(slot), false) if slot == self.lanes => {
                Instruction::with2(Code::Mov_r32_rm32, short, lanes)
            }
            (Word::Slot(slot), _) => return self.load(to, slot, is_long),
            (Word::Constant(value), true) => Instruction::with2(Code::Mov_r64_imm64, to, value),
            (Word::Constant(value), false) => {
                Instruction::with2(Code::Mov_r32_imm32, short, value as u32)
            }
        })
    }

    fn store(&mut self, slot: u16, from: Register, is_long: bool) -> Result<()> {
        self.push(match is_long {
            true => Instruction::with2(Code::Mov_rm64_r64, scalar(slot), from),
            false => Instruction::with2(Code::Mov_rm32_r32, scalar(slot), from.full_register32()),
        })
    }

    fn compute(&mut self, operation: Operation, is_long: bool) -> Result<()> {
        let two = |long: Code, short: Code, a: Register, b: Register| match is_long {
            true => Instruction::with2(long, a, b),
            false => Instruction::with2(short, a.full_register32(), b.full_register32()),
        };
        let one = |long: Code, short: Code, a: Register| match is_long {
            true => Instruction::with1(long, a),
            false => Instruction::with1(short, a.full_register32()),
        };
        let shift = |long: Code, short: Code| match is_long {
            true => Instruction::with2(long, Register::RAX, Register::CL),
            false => Instruction::with2(short, Register::EAX, Register::CL),
        };
        let (a, b) = (Register::RAX, Register::RCX);
        let not = |register| one(Code::Not_rm64, Code::Not_rm32, register);
        let and = || two(Code::And_r64_rm64, Code::And_r32_rm32, a, b);
        let or = || two(Code::Or_r64_rm64, Code::Or_r32_rm32, a, b);
        let xor = || two(Code::Xor_r64_rm64, Code::Xor_r32_rm32, a, b);
        let compare = || two(Code::Cmp_r64_rm64, Code::Cmp_r32_rm32, a, b);
        let carry = || Instruction::with2(Code::Bt_rm32_imm8, CONDITION, 0);
        use Operation as Op;
        let code = match operation {
            Op::Move => vec![],
            Op::Not => vec![not(a)],
            Op::And => vec![and()],
            Op::Or => vec![or()],
            Op::Xor => vec![xor()],
            Op::AndNot => vec![not(b), and()],
            Op::OrNot => vec![not(b), or()],
            Op::Nand => vec![and(), not(a)],
            Op::Nor => vec![or(), not(a)],
            Op::Xnor => vec![xor(), not(a)],
            Op::ShiftLeft => vec![shift(Code::Shl_rm64_CL, Code::Shl_rm32_CL)],
            Op::ShiftRight => vec![shift(Code::Shr_rm64_CL, Code::Shr_rm32_CL)],
            Op::ShiftSigned => vec![shift(Code::Sar_rm64_CL, Code::Sar_rm32_CL)],
            Op::Add | Op::AddSigned => vec![two(Code::Add_r64_rm64, Code::Add_r32_rm32, a, b)],
            Op::Subtract | Op::SubtractSigned => {
                vec![two(Code::Sub_r64_rm64, Code::Sub_r32_rm32, a, b)]
            }
            Op::AddCarry => vec![carry(), two(Code::Adc_r64_rm64, Code::Adc_r32_rm32, a, b)],
            Op::SubtractBorrow => {
                vec![carry(), two(Code::Sbb_r64_rm64, Code::Sbb_r32_rm32, a, b)]
            }
            Op::Multiply => vec![two(Code::Imul_r64_rm64, Code::Imul_r32_rm32, a, b)],
            Op::Select => vec![
                Instruction::with2(Code::Test_rm32_r32, CONDITION, CONDITION),
                two(Code::Cmove_r64_rm64, Code::Cmove_r32_rm32, a, b),
            ],
            Op::Compare(_) => vec![compare()],
            Op::Choose(relation) => {
                let (long, short) = relation.other_moves();
                vec![
                    compare(),
                    Instruction::with1(relation.set(), CONDITION_BYTE),
                    two(long, short, a, b),
                ]
            }
            Op::Bit(_) => vec![two(Code::Bt_rm64_r64, Code::Bt_rm32_r32, a, b)],
        };
        for instruction in code {
            self.push(instruction)?;
        }
        if !self.shows_condition {
            return Ok(());
        }
        if operation.tests() {
            self.push(two(Code::Test_rm64_r64, Code::Test_rm32_r32, a, a))?;
        }
        if let Some(set) = operation.condition() {
            self.push(Instruction::with1(set, CONDITION_BYTE))?;
        }
        Ok(())
    }
}

impl Operation {
    fn shifts(self) -> bool {
        use Operation::{Bit, ShiftLeft, ShiftRight, ShiftSigned};
        matches!(self, ShiftLeft | ShiftRight | ShiftSigned | Bit(_))
    }

    fn reads_condition(self) -> bool {
        use Operation::{AddCarry, Select, SubtractBorrow};
        matches!(self, AddCarry | Select | SubtractBorrow)
    }

    /// The condition is whether the result is zero.
    fn tests(self) -> bool {
        use Operation::{And, AndNot, Nand, Nor, Not, Or, OrNot, Xnor, Xor};
        self.shifts() && !matches!(self, Operation::Bit(_))
            || matches!(
                self,
                Not | And | Or | Xor | AndNot | OrNot | Nand | Nor | Xnor
            )
    }

    /// The instruction that makes the condition of the host's flags.
    fn condition(self) -> Option<Code> {
        use Operation as Op;
        match self {
            Op::Add | Op::Subtract | Op::AddCarry | Op::SubtractBorrow => Some(Code::Setb_rm8),
            Op::AddSigned | Op::SubtractSigned => Some(Code::Seto_rm8),
            Op::Compare(relation) => Some(relation.set()),
            Op::Bit(true) => Some(Code::Setb_rm8),
            Op::Bit(false) => Some(Code::Setae_rm8),
            _ if self.tests() => Some(Code::Setne_rm8),
            _ => None,
        }
    }
}

impl Relation {
    fn set(self) -> Code {
        match self {
            Relation::Equal => Code::Sete_rm8,
            Relation::Different => Code::Setne_rm8,
            Relation::Less => Code::Setl_rm8,
            Relation::LessOrEqual => Code::Setle_rm8,
            Relation::Greater => Code::Setg_rm8,
            Relation::GreaterOrEqual => Code::Setge_rm8,
            Relation::Below => Code::Setb_rm8,
            Relation::BelowOrEqual => Code::Setbe_rm8,
            Relation::Above => Code::Seta_rm8,
            Relation::AboveOrEqual => Code::Setae_rm8,
        }
    }

    /// Moves the second source where the relation does not hold.
    fn other_moves(self) -> (Code, Code) {
        match self {
            Relation::Equal => (Code::Cmovne_r64_rm64, Code::Cmovne_r32_rm32),
            Relation::Different => (Code::Cmove_r64_rm64, Code::Cmove_r32_rm32),
            Relation::Less => (Code::Cmovge_r64_rm64, Code::Cmovge_r32_rm32),
            Relation::LessOrEqual => (Code::Cmovg_r64_rm64, Code::Cmovg_r32_rm32),
            Relation::Greater => (Code::Cmovle_r64_rm64, Code::Cmovle_r32_rm32),
            Relation::GreaterOrEqual => (Code::Cmovl_r64_rm64, Code::Cmovl_r32_rm32),
            Relation::Below => (Code::Cmovae_r64_rm64, Code::Cmovae_r32_rm32),
            Relation::BelowOrEqual => (Code::Cmova_r64_rm64, Code::Cmova_r32_rm32),
            Relation::Above => (Code::Cmovbe_r64_rm64, Code::Cmovbe_r32_rm32),
            Relation::AboveOrEqual => (Code::Cmovb_r64_rm64, Code::Cmovb_r32_rm32),
        }
    }
}
