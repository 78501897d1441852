//! The errors of decoding and assembling.

use std::fmt;

/// A decoder or assembler cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The target has no waves of this size.
    #[error("{target} has no wave{wave_size}")]
    WaveSize {
        /// The target's name.
        target: &'static str,
        /// Lanes that were asked for.
        wave_size: u8,
    },
    /// LLVM cannot make an assembler or a decoder for the target.
    #[error("no decoder for {target}: {reason}")]
    Backend {
        /// The target's name.
        target: &'static str,
        /// LLVM's message.
        reason: String,
    },
}

/// The bytes at `pc` are no instruction of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The code ends inside of an instruction.
    #[error("{pc:#x}: the instruction is cut off after {available} bytes")]
    Truncated {
        /// Address of the instruction.
        pc: u64,
        /// Bytes that are left.
        available: usize,
    },
    /// `word` is the first dword.
    #[error("{pc:#x}: {word:#010x} does not start an instruction of {target}")]
    NotAnInstruction {
        /// Address of the word.
        pc: u64,
        /// The first word that is no instruction.
        word: u32,
        /// The target's name.
        target: &'static str,
    },
}

impl DecodeError {
    /// Address of the undecodable bytes.
    pub fn pc(&self) -> u64 {
        match *self {
            DecodeError::Truncated { pc, .. } | DecodeError::NotAnInstruction { pc, .. } => pc,
        }
    }
}

/// One message about assembly text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// From 1; 0 when there is no place to name.
    pub line: u32,
    /// From 1; 0 when there is no place to name.
    pub column: u32,
    /// LLVM's message.
    pub text: String,
}

impl fmt::Display for Message {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            return formatter.write_str(&self.text);
        }
        write!(
            formatter,
            "line {}, column {}: {}",
            self.line, self.column, self.text
        )
    }
}

/// The text does not assemble.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AssembleError {
    /// At least one message, in text order.
    #[error("{}", join(.0))]
    Text(Vec<Message>),
    /// The text uses a label that it does not define.
    #[error("the code refers to {symbol:?}, which the text does not define")]
    UndefinedSymbol {
        /// The label.
        symbol: String,
    },
    /// The text has bytes for sections that are no code.
    #[error(
        "the text puts {bytes} bytes into section {section}, and only .text is code; leave that section out"
    )]
    Elsewhere {
        /// Name of the first such section.
        section: String,
        /// Its size.
        bytes: u64,
    },
    /// Directives, labels and comments alone.
    #[error("there is no instruction in the text")]
    Empty,
    /// LLVM's output is no object that can be read.
    #[error("the assembler's object is unreadable: {0}")]
    Object(#[from] object::Error),
}

fn join(messages: &[Message]) -> String {
    messages
        .iter()
        .map(Message::to_string)
        .collect::<Vec<_>>()
        .join("; ")
}
