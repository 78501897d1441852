//! A kernel's code as tools see it: functions, blocks and instructions by number, each with what is asked for about it.

use isa::{Operand, Reg, RegKind};
use luthier::{Kernel, SiteFilter};
use std::{collections::HashMap, ffi::CString};
use tool_abi::{constants, structures::RawOperand};

/// The kernel and everything it may call.
pub struct KernelView {
    pub target: CString,
    pub wave_size: u32,
    /// The kernel first.
    pub functions: Vec<Function>,
    /// The blocks of a function lie together, in the order of their addresses.
    pub blocks: Vec<Block>,
    /// The instructions of a block lie together.
    pub instructions: Vec<Instruction>,
    pub parameters: Vec<Parameter>,
}

pub struct Function {
    pub name: CString,
    pub demangled: CString,
    pub entry: u64,
    pub first_block: usize,
    pub blocks: usize,
    /// The functions that it calls, as far as they are known.
    pub callees: Vec<usize>,
}

pub struct Block {
    pub function: usize,
    pub first: usize,
    pub len: usize,
    /// Instructions that the user chose.
    pub chosen: usize,
    pub successors: Vec<usize>,
}

pub struct Instruction {
    pub pc: u64,
    pub size: u32,
    /// `luthier_class`.
    pub classes: u32,
    pub block: usize,
    pub chosen: bool,
    pub mnemonic: CString,
    pub text: CString,
    /// As the text lists them.
    pub operands: Vec<RawOperand>,
    /// Registers that the text does not name.
    pub implied: Vec<RawOperand>,
    /// The innermost inlined function first.
    pub frames: Vec<Frame>,
}

pub struct Frame {
    pub function: CString,
    pub file: CString,
    pub line: u32,
    pub column: u32,
}

/// A parameter of the kernel, as the application passes it.
pub struct Parameter {
    pub name: CString,
    pub type_name: CString,
    pub offset: u32,
    pub size: u32,
    pub is_pointer: bool,
}

/// `luthier_register_kind`; all others are [`constants::REGISTER_OTHER`].
const REGISTERS: [(u32, RegKind); 8] = [
    (constants::REGISTER_SGPR, RegKind::Sgpr),
    (constants::REGISTER_VGPR, RegKind::Vgpr),
    (constants::REGISTER_AGPR, RegKind::Agpr),
    (constants::REGISTER_VCC, RegKind::Vcc),
    (constants::REGISTER_EXEC, RegKind::Exec),
    (constants::REGISTER_SCC, RegKind::Scc),
    (constants::REGISTER_M0, RegKind::M0),
    (constants::REGISTER_MODE, RegKind::Mode),
];

/// The kind of registers with this number.
pub fn register_kind(number: u32) -> Option<RegKind> {
    let row = REGISTERS.iter().find(|row| row.0 == number)?;
    Some(row.1)
}

fn text(text: impl Into<String>) -> CString {
    CString::new(text.into()).unwrap_or_default()
}

impl KernelView {
    /// `filter`: what the user chose.
    pub fn new(kernel: &Kernel<'_>, filter: &SiteFilter) -> KernelView {
        let mut seen = KernelView {
            target: text(kernel.target()),
            wave_size: kernel.wave_size().into(),
            functions: Vec::new(),
            blocks: Vec::new(),
            instructions: Vec::new(),
            parameters: tools::parameters(kernel)
                .into_iter()
                .map(parameter)
                .collect(),
        };
        let numbers: HashMap<u64, usize> = kernel
            .functions()
            .enumerate()
            .map(|(number, function)| (function.entry(), number))
            .collect();
        for (number, function) in kernel.functions().enumerate() {
            let first_block = seen.blocks.len();
            let blocks: HashMap<usize, usize> = function
                .blocks()
                .enumerate()
                .map(|(number, block)| (block.index(), first_block + number))
                .collect();
            for block in function.blocks() {
                let first = seen.instructions.len();
                let index = seen.blocks.len();
                let instructions = block.instructions().map(|instruction| Instruction {
                    chosen: filter.allows(&instruction),
                    ..seen_instruction(&instruction, index)
                });
                seen.instructions.extend(instructions);
                let block_seen = &seen.instructions[first..];
                let chosen = block_seen.iter().filter(|place| place.chosen).count();
                let successors = block.successors();
                seen.blocks.push(Block {
                    function: number,
                    first,
                    len: seen.instructions.len() - first,
                    chosen,
                    successors: successors
                        .filter_map(|block| blocks.get(&block.index()).copied())
                        .collect(),
                });
            }
            let callees = function.callees();
            seen.functions.push(Function {
                name: text(function.name()),
                demangled: text(function.demangled()),
                entry: function.entry(),
                first_block,
                blocks: seen.blocks.len() - first_block,
                callees: callees
                    .filter_map(|callee| numbers.get(&callee.entry()).copied())
                    .collect(),
            });
        }
        seen
    }
}

fn seen_instruction(instruction: &luthier::Instruction<'_>, block: usize) -> Instruction {
    let frames = instruction.frames().into_iter().map(|frame| Frame {
        function: text(frame.function.unwrap_or_default()),
        file: text(frame.file.unwrap_or_default()),
        line: frame.line.unwrap_or_default(),
        column: frame.column.unwrap_or_default(),
    });
    Instruction {
        pc: instruction.pc(),
        size: instruction.decoded().size.into(),
        classes: instruction.classes().bits(),
        block,
        chosen: true,
        mnemonic: text(instruction.mnemonic()),
        text: text(instruction.text()),
        operands: instruction.operands().iter().map(operand).collect(),
        implied: instruction.implied().iter().map(operand).collect(),
        frames: frames.collect(),
    }
}

/// `luthier_operand_kind`.
fn operand(operand: &Operand) -> RawOperand {
    let register = |kind, reg: &Reg| {
        let file = REGISTERS.iter().find(|row| row.1 == reg.kind);
        RawOperand {
            kind,
            file: file.map_or(constants::REGISTER_OTHER, |row| row.0),
            first: reg.index.into(),
            dwords: reg.width.into(),
            value: 0,
        }
    };
    let number = |kind, value: &i64| RawOperand {
        kind,
        file: 0,
        first: 0,
        dwords: 0,
        value: *value as u64,
    };
    match operand {
        Operand::Def(reg) => register(constants::OPERAND_DEF, reg),
        Operand::Use(reg) => register(constants::OPERAND_USE, reg),
        Operand::Imm(value) => number(constants::OPERAND_NUMBER, value),
        Operand::PcRel(value) => number(constants::OPERAND_DISTANCE, value),
    }
}

fn parameter(parameter: tools::Parameter) -> Parameter {
    Parameter {
        name: text(parameter.name),
        type_name: text(parameter.type_name),
        offset: parameter.offset as u32,
        size: parameter.size as u32,
        is_pointer: parameter.pointer,
    }
}
