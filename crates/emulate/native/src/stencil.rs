//! Functions of the program as building blocks.

use iced_x86::{
    Decoder, DecoderError, DecoderOptions, EncodingKind, Instruction, InstructionInfoFactory,
    Mnemonic, OpAccess, OpKind, Register,
};

use crate::allowed;

/// A value of a stencil: its sources come first, then what its instructions compute.
pub(crate) type Value = usize;

/// Most instructions of a stencil.
const LONGEST: usize = 48;
/// Most sources.
pub(crate) const MOST_SOURCES: usize = 3;
/// The first mask register that stencils leave alone.
const FREE_MASKS: usize = 6;
const PAGE: usize = 4096;
/// Longest instruction of the host in bytes.
const LONGEST_ENCODING: usize = 15;

/// Why a function is no stencil.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("the bytes are no instruction")]
    NoInstruction,
    #[error("the function has more than {LONGEST} instructions")]
    TooLong,
    #[error("the table of allowed instructions has no {0}")]
    NotAllowed(String),
    #[error("{0} reads a register that nothing has set")]
    Unset(String),
    #[error("{0} uses memory that is no constant")]
    Memory(String),
    #[error("{0} uses another register than those of vectors and masks")]
    Register(String),
}

/// An instruction whose vector registers are values.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub instruction: Instruction,
    /// The values that it reads, by operand.
    pub reads: [Option<Value>; 5],
    /// The value that it computes, in its first operand. `None`: it writes a mask.
    pub writes: Option<Value>,
    /// The constant that it reads from memory.
    pub constant: Option<Vec<u8>>,
}

/// A function on vectors, from host registers to a host register.
#[derive(Clone, Debug)]
pub struct Stencil {
    pub(crate) sources: usize,
    pub(crate) values: usize,
    pub(crate) steps: Vec<Step>,
    pub(crate) result: Value,
}

impl Stencil {
    /// Reads a function that takes `sources` vectors of 512 bits in the first host registers and returns one in the first.
    ///
    /// # Safety
    /// `code` is the first byte of such a function of this program, and its code may be read. Constants that it loads do not change.
    pub unsafe fn read(code: *const u8, sources: usize) -> Result<Stencil, Refusal> {
        assert!(sources <= MOST_SOURCES, "too many sources");
        let mut reader = Reader::new(sources);
        let mut at = code;
        for _ in 0..LONGEST {
            // SAFETY: the function has not ended, because all instructions so far lead to the next one.
            let instruction = unsafe { decode(at) }?;
            at = at.wrapping_add(instruction.len());
            if instruction.mnemonic() == Mnemonic::Ret && instruction.op_count() == 0 {
                return reader.finish();
            }
            // SAFETY: the caller's promise about constants; the function would load what this reads.
            unsafe { reader.add(instruction) }?;
        }
        Err(Refusal::TooLong)
    }

    /// How many instructions of the host it has.
    pub fn instructions(&self) -> usize {
        self.steps.len()
    }
}

/// Decodes one instruction. The bytes behind it are not read if they lie in another page.
///
/// # Safety
/// An instruction of the program starts at `at`.
unsafe fn decode(at: *const u8) -> Result<Instruction, Refusal> {
    let in_page = PAGE - at as usize % PAGE;
    for length in [LONGEST_ENCODING.min(in_page), LONGEST_ENCODING] {
        // SAFETY: the bytes are of the page that the instruction starts in, or it goes on in the next one.
        let bytes = unsafe { std::slice::from_raw_parts(at, length) };
        let mut decoder = Decoder::with_ip(64, bytes, at as u64, DecoderOptions::NONE);
        let instruction = decoder.decode();
        match decoder.last_error() {
            DecoderError::None => return Ok(instruction),
            DecoderError::NoMoreBytes if length < LONGEST_ENCODING => {}
            _ => return Err(Refusal::NoInstruction),
        }
    }
    Err(Refusal::NoInstruction)
}

/// The state of registers while a function is read.
struct Reader {
    information: InstructionInfoFactory,
    stencil: Stencil,
    /// The value in each vector register.
    vectors: [Option<Value>; 32],
    /// True for mask registers that an instruction has written.
    masks: [bool; 8],
}

impl Reader {
    fn new(sources: usize) -> Reader {
        let mut vectors = [None; 32];
        for (source, vector) in vectors.iter_mut().enumerate().take(sources) {
            *vector = Some(source);
        }
        Reader {
            information: InstructionInfoFactory::new(),
            stencil: Stencil {
                sources,
                values: sources,
                steps: Vec::new(),
                result: 0,
            },
            vectors,
            masks: [false; 8],
        }
    }

    fn finish(mut self) -> Result<Stencil, Refusal> {
        self.stencil.result = self.vectors[0].ok_or(Refusal::Unset("ret".into()))?;
        Ok(self.stencil)
    }

    /// # Safety
    /// A constant that the instruction loads may be read.
    unsafe fn add(&mut self, instruction: Instruction) -> Result<(), Refusal> {
        let instruction = allowed::normal(instruction);
        let name = || format!("{:?}", instruction.mnemonic()).to_lowercase();
        if !allowed::is_allowed(&instruction) {
            return Err(Refusal::NotAllowed(format!("{:?}", instruction.code())));
        }
        let mut step = Step {
            instruction,
            reads: [None; 5],
            writes: None,
            constant: None,
        };
        if instruction.has_op_mask() {
            self.mask(instruction.op_mask(), true)
                .ok_or_else(|| Refusal::Unset(name()))?;
        }
        let information = self.information.info(&instruction);
        let accesses: Vec<OpAccess> = (0..instruction.op_count())
            .map(|operand| information.op_access(operand))
            .collect();
        // Reads come before the write: a register may be both.
        for (operand, access) in accesses.iter().enumerate() {
            let kind = instruction.op_kind(operand as u32);
            match kind {
                OpKind::Register => {
                    let register = instruction.op_register(operand as u32);
                    if !reads(*access) || ignores_operands(&instruction) {
                        continue;
                    }
                    if register.is_k() {
                        self.mask(register, true)
                            .ok_or_else(|| Refusal::Unset(name()))?;
                    } else if register.is_vector_register() {
                        let value = self.vectors[register.number()];
                        step.reads[operand] = Some(value.ok_or_else(|| Refusal::Unset(name()))?);
                    } else {
                        return Err(Refusal::Register(name()));
                    }
                }
                OpKind::Memory => {
                    // SAFETY: the caller's promise.
                    let constant = unsafe { constant(&instruction) };
                    step.constant = Some(constant.ok_or_else(|| Refusal::Memory(name()))?);
                }
                OpKind::Immediate8 => {}
                _ => return Err(Refusal::Register(name())),
            }
        }
        if accesses.first().is_none_or(|access| !writes(*access))
            || accesses[1..].iter().any(|access| writes(*access))
        {
            return Err(Refusal::NotAllowed(name()));
        }
        let register = instruction.op0_register();
        if register.is_k() {
            self.mask(register, false)
                .ok_or_else(|| Refusal::Register(name()))?;
        } else if register.is_vector_register() {
            let value = self.stencil.values;
            self.stencil.values += 1;
            self.vectors[register.number()] = Some(value);
            step.writes = Some(value);
        } else {
            return Err(Refusal::Register(name()));
        }
        self.stencil.steps.push(step);
        Ok(())
    }

    /// Notes the use of a mask register. `None`: it may not be used, or nothing has set what is read.
    fn mask(&mut self, register: Register, reads: bool) -> Option<()> {
        let number = register.number();
        let known = number < FREE_MASKS && (!reads || self.masks[number]);
        if known {
            self.masks[number] = true;
        }
        known.then_some(())
    }
}

fn reads(access: OpAccess) -> bool {
    !matches!(access, OpAccess::None | OpAccess::Write)
}

fn writes(access: OpAccess) -> bool {
    !matches!(
        access,
        OpAccess::None | OpAccess::Read | OpAccess::CondRead | OpAccess::NoMemAccess
    )
}

/// Returns `true` if the result is all ones, from whatever the registers hold.
fn ignores_operands(instruction: &Instruction) -> bool {
    matches!(
        instruction.mnemonic(),
        Mnemonic::Vpternlogd | Mnemonic::Vpternlogq
    ) && !instruction.has_op_mask()
        && matches!(instruction.immediate8(), 0 | 0xff)
}

/// The bytes that `instruction` loads, if they are a constant of the program.
///
/// # Safety
/// They may be read.
unsafe fn constant(instruction: &Instruction) -> Option<Vec<u8>> {
    let of_program = instruction.is_ip_rel_memory_operand()
        && instruction.encoding() == EncodingKind::EVEX
        && instruction.segment_prefix() == Register::None;
    let size = instruction.memory_size().size();
    if !of_program || !matches!(size, 4 | 8 | 16 | 32 | 64) {
        return None;
    }
    let at = instruction.ip_rel_memory_address() as *const u8;
    // SAFETY: the caller's promise.
    Some(unsafe { std::slice::from_raw_parts(at, size) }.to_vec())
}
