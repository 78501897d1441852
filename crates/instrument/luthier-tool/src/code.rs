//! A kernel's code: functions, blocks and instructions by numbers that hold for the kernel.

use crate::abi::constants;

/// A kernel and everything that it may call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// As LLVM names it: `gfx90a`.
    pub target: String,
    /// Lanes of a wave.
    pub wave_size: u32,
    pub functions: usize,
    pub blocks: usize,
    pub instructions: usize,
    pub parameters: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    pub demangled: String,
    /// In the code object.
    pub entry: u64,
    pub first_block: usize,
    pub blocks: usize,
    /// Functions, by number.
    pub callees: Vec<usize>,
}

/// Instructions that run one after another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub index: usize,
    pub function: usize,
    /// Its first instruction, and how many there are.
    pub first: usize,
    pub len: usize,
    /// Blocks, by number.
    pub successors: Vec<usize>,
    /// Instructions that the user's `--site` chooses: what a tool that counts adds for the block.
    pub chosen: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    pub index: usize,
    /// In the code object.
    pub pc: u64,
    /// Bytes.
    pub size: u32,
    /// Without encoding suffix.
    pub mnemonic: String,
    /// As an assembler reads it.
    pub text: String,
    /// Bits of `luthier_class`.
    pub classes: u32,
    /// Empty without debug information.
    pub file: String,
    pub line: u32,
    pub block: usize,
    /// By the user's `--site`. Hooks at others are left out.
    pub chosen: bool,
}

/// `luthier_register_kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Register {
    Sgpr = constants::REGISTER_SGPR,
    Vgpr = constants::REGISTER_VGPR,
    Agpr = constants::REGISTER_AGPR,
    Vcc = constants::REGISTER_VCC,
    Exec = constants::REGISTER_EXEC,
    Scc = constants::REGISTER_SCC,
    M0 = constants::REGISTER_M0,
    Mode = constants::REGISTER_MODE,
    Other = constants::REGISTER_OTHER,
}

impl Register {
    const ALL: [Register; 9] = [
        Register::Sgpr,
        Register::Vgpr,
        Register::Agpr,
        Register::Vcc,
        Register::Exec,
        Register::Scc,
        Register::M0,
        Register::Mode,
        Register::Other,
    ];

    pub(crate) fn numbered(number: u32) -> Register {
        let known = Register::ALL.iter().find(|known| **known as u32 == number);
        known.copied().unwrap_or(Register::Other)
    }
}

/// The kind of an operand: `luthier_operand_kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// Registers that are written.
    Definition {
        kind: Register,
        first: u32,
        dwords: u32,
    },
    /// Registers that are read.
    Use {
        kind: Register,
        first: u32,
        dwords: u32,
    },
    Number(u64),
    /// The distance of a branch, in bytes from the branch's end.
    Distance(i64),
}

/// A line of the source; of inlined functions the innermost one comes first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    pub function: String,
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its number where the compiler left no name.
    pub name: String,
    /// Empty where nothing says it.
    pub type_name: String,
    /// Bytes, from where the arguments begin.
    pub offset: u32,
    pub size: u32,
    pub is_pointer: bool,
}
