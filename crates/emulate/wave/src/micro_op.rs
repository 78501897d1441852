//! The decoded form that executes: one [`MicroOp`] per instruction, operands resolved to rows, slots and constants.
//!
//! A micro-op is one line of the host's cache. The parts that all instructions have in common (handler, sources,
//! destination) are its fields. The rest of the line is the payload of its shape: a plain structure of numbers,
//! declared in a file of its own below this module. The decoder makes it with the structure's constructor, and handlers
//! read it by the accessor of that name (`op.lds().offset`). No other module sees the words in which a payload lies.
//!
//! An enumeration would make handlers test what the decoder knows, and a union would need `unsafe` at every access.
//! Payloads hold nothing but numbers, so every payload is some value of every other type. `zerocopy` checks at compile
//! time that this holds and that sizes agree, and an accessor is no instruction of the host at all. Builds with debug
//! assertions check that a handler asks for the payload of its own shape.

use crate::{engine::Env, state::Wave};

mod chain;
mod followed;
mod image;
mod matrix;
mod memory;
mod moving;
mod program;
mod run;
mod scalar;
mod vector;

pub(crate) use chain::ChainNumber;
pub(crate) use followed::Followed;
pub(crate) use image::{Image, ImageOperands};
pub(crate) use matrix::{Mfma, Wmma, WmmaFields};
pub(crate) use memory::{
    Data, Generation, Lds, LdsBounds, LdsNote, ReadsNumber, ScalarMemory, Space, VectorMemory,
};
pub(crate) use moving::MovingNumber;
pub(crate) use program::{Leave, Message, Program, Unsupported};
pub(crate) use run::{LoopNumber, RunNumber};
pub(crate) use scalar::{HardwareRegister, Scalar};
pub(crate) use vector::{Completion, Control, Pass, Vector, modifier};

/// Executes one micro-op. Returns one of the constants of [`flow`]. It is unsafe because shells enable host features and because bodies
/// trust the op's registers: [`crate::shell::call`] says what has to hold.
pub(crate) type Handler = unsafe fn(&mut Wave, &MicroOp, &mut Env<'_>) -> u32;

/// The answers of a handler to the engine's loop.
pub(crate) mod flow {
    /// Continue with the next micro-op.
    pub const NEXT: u32 = 0;
    /// EXEC was (or may have been) written; continue with the next micro-op.
    pub const EXEC_CHANGED: u32 = 1;
    /// Continue at `Wave::next`.
    pub const BRANCH: u32 = 2;
    /// Continue at address `Wave::next_pc`.
    pub const JUMP: u32 = 3;
    /// `Wave::stop` says why; `Wave::next` is already past this instruction.
    pub const STOP: u32 = 4;
    /// Nothing was done: the micro-op is the head of a loop that has host code.
    pub const LOOP: u32 = 5;
}

/// The source of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub(crate) enum SrcKind {
    /// The operand does not exist.
    #[default]
    None,
    /// Vector row `index`.
    Vector,
    /// Scalar slot `index` (and the next one for 64-bit operands).
    Scalar,
    /// A constant, high word zero.
    Constant,
    /// A constant, sign-extended to 64 bits.
    ConstantSigned,
    /// A constant that is the high word, low word zero (f64 literals and inline constants).
    ConstantHigh,
    /// 1/(2*pi) as f64, the only inline constant with two significant words.
    InverseTwoPi64,
    /// SCC, VCCZ or EXECZ by index 0, 1, 2.
    Condition,
    /// SRC_SHARED_BASE, SHARED_LIMIT, PRIVATE_BASE, PRIVATE_LIMIT by index 0 to 3.
    Aperture,
}

/// A source operand.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Src {
    pub index: u16,
    pub kind: SrcKind,
    /// The value of a constant; for vector rows, how the lanes lie in them.
    word: u32,
}

impl Src {
    /// No operand.
    pub const NONE: Src = Src::new(SrcKind::None, 0, 0);

    const fn new(kind: SrcKind, index: u16, word: u32) -> Src {
        Src { index, kind, word }
    }

    /// Vector row `row`.
    pub const fn vector(row: u16) -> Src {
        Src::new(SrcKind::Vector, row, 0)
    }

    /// Scalar slot `slot`.
    pub const fn scalar(slot: u16) -> Src {
        Src::new(SrcKind::Scalar, slot, 0)
    }

    /// A constant of one of the three kinds of these.
    pub const fn constant(kind: SrcKind, value: u32) -> Src {
        Src::new(kind, 0, value)
    }

    /// A value that the wave knows: a condition, an aperture, 1/(2*pi).
    pub const fn special(kind: SrcKind, index: u16) -> Src {
        Src::new(kind, index, 0)
    }

    /// A pair of singles whose first words are in row `row` and whose second ones are `distance` words behind them.
    pub fn pair(row: u16, distance: i32) -> Src {
        Src::new(SrcKind::Vector, row, distance as u32)
    }

    /// Numbers of mixed precision in `row`: all of its words, or their low (`part` 1) or high halves (2).
    pub fn mixed(row: u16, part: u32) -> Src {
        Src::new(SrcKind::Vector, row, part)
    }

    /// The word of a constant.
    #[inline(always)]
    pub fn constant_word(&self) -> u32 {
        debug_assert!(self.kind != SrcKind::Vector);
        self.word
    }

    /// Words from the first to the second word of a lane, of a source that is a pair of singles.
    #[inline(always)]
    pub fn pair_distance(&self) -> isize {
        debug_assert!(self.kind == SrcKind::Vector);
        self.word as i32 as isize
    }

    /// The part of a word that is the number, for a source of mixed precision; see [`Src::mixed`].
    #[inline(always)]
    pub fn mixed_part(&self) -> isize {
        debug_assert!(self.kind == SrcKind::Vector);
        self.word as isize
    }
}

/// 32-bit words of a payload.
const PAYLOAD: usize = 7;

/// One executable operation.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct MicroOp {
    pub handler: Handler,
    pub src: [Src; 3],
    /// Vector row or scalar slot, by what the row's signature says.
    pub dst: u16,
    /// `flow::NEXT` or `flow::EXEC_CHANGED`, decided at decode.
    pub after: u8,
    kind: Kind,
    payload: [u32; PAYLOAD],
}

const _: () = assert!(size_of::<MicroOp>() == 64);

/// The data that a shape keeps in the micro-op.
pub(crate) trait Payload {
    const KIND: Kind;
    fn into_words(self) -> [u32; PAYLOAD];
}

macro_rules! payloads {
    ($($(#[$doc:meta])* $payload:ident, $get:ident, $change:ident;)*) => {
        /// The shape whose payload a micro-op holds.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum Kind {
            None,
            $($payload),*
        }

        $(
            impl Payload for $payload {
                const KIND: Kind = Kind::$payload;
                fn into_words(self) -> [u32; PAYLOAD] {
                    zerocopy::transmute!(self)
                }
            }
        )*

        impl MicroOp {
            $(
                $(#[$doc])*
                #[inline(always)]
                pub fn $get(&self) -> &$payload {
                    debug_assert_eq!(self.kind, Kind::$payload);
                    zerocopy::transmute_ref!(&self.payload)
                }

                /// The same to be changed.
                #[allow(dead_code)]
                pub fn $change(&mut self) -> &mut $payload {
                    debug_assert_eq!(self.kind, Kind::$payload);
                    zerocopy::transmute_mut!(&mut self.payload)
                }
            )*
        }
    };
}

payloads! {
    /// Vector ALU, each half of a dual instruction too.
    Vector, vector, vector_mut;
    /// Passes before a vector ALU instruction.
    Pass, pass, pass_mut;
    /// The pass behind a vector ALU instruction.
    Completion, completion, completion_mut;
    /// Several vector ALU instructions at once.
    ChainNumber, chain, chain_mut;
    /// A run of vector ALU instructions as host code.
    RunNumber, run, run_mut;
    /// The head of a loop as host code.
    LoopNumber, loop_head, loop_head_mut;
    /// A vector ALU instruction with DPP at once.
    MovingNumber, moving, moving_mut;
    /// Products of matrices in CDNA.
    Mfma, mfma, mfma_mut;
    /// Products of matrices in RDNA.
    Wmma, wmma, wmma_mut;
    /// Scalar ALU.
    Scalar, scalar, scalar_mut;
    /// `s_getreg` and `s_setreg`.
    HardwareRegister, hardware_register, hardware_register_mut;
    /// Branches, messages, waits.
    Program, program, program_mut;
    /// Messages with an answer.
    Message, message, message_mut;
    /// The end of a segment.
    Leave, leave, leave_mut;
    /// Instructions that cannot execute.
    Unsupported, unsupported, unsupported_mut;
    /// SMEM.
    ScalarMemory, scalar_memory, scalar_memory_mut;
    /// FLAT, GLOBAL, SCRATCH and buffers.
    VectorMemory, vector_memory, vector_memory_mut;
    /// DS.
    Lds, lds, lds_mut;
    /// A note of a DS instruction's access.
    LdsNote, lds_note, lds_note_mut;
    /// A note of several reads from LDS.
    ReadsNumber, reads, reads_mut;
    /// An instruction that a shadow is shown.
    Followed, followed, followed_mut;
    /// MIMG.
    Image, image, image_mut;
}

impl MicroOp {
    /// An op with no operands and no payload.
    pub fn new(handler: Handler) -> MicroOp {
        MicroOp {
            handler,
            src: [Src::NONE; 3],
            dst: 0,
            after: flow::NEXT as u8,
            kind: Kind::None,
            payload: [0; PAYLOAD],
        }
    }

    /// The same with a payload.
    pub fn with<P: Payload>(mut self, payload: P) -> MicroOp {
        self.set(payload);
        self
    }

    /// Gives the op its payload.
    pub fn set<P: Payload>(&mut self, payload: P) {
        self.kind = P::KIND;
        self.payload = payload.into_words();
    }

    /// The payload of an instruction that may be none of FLAT, GLOBAL, SCRATCH and buffers, or one that does not execute.
    pub fn any_vector_memory(&self) -> Option<&VectorMemory> {
        (self.kind == Kind::VectorMemory).then(|| self.vector_memory())
    }

    /// Number of the chain that this op is, if it is one.
    pub fn chain_number(&self) -> Option<usize> {
        (self.kind == Kind::ChainNumber).then(|| self.chain().number as usize)
    }

    /// The access of a note that reads together with its like can share.
    pub fn plain_read(&self) -> Option<&LdsNote> {
        let is_note = self.kind == Kind::LdsNote;
        is_note
            .then(|| self.lds_note())
            .filter(|note| note.has(LdsNote::PLAIN))
    }

    /// Number of the reads that this op notes, if it is such a note.
    pub fn reads_number(&self) -> Option<usize> {
        (self.kind == Kind::ReadsNumber).then(|| self.reads().number as usize)
    }

    /// Number of the run that this op is, if it is one.
    pub fn run_number(&self) -> Option<usize> {
        (self.kind == Kind::RunNumber).then(|| self.run().number as usize)
    }

    /// Number of the loop's head that this op is, if it is one.
    pub fn loop_number(&self) -> Option<usize> {
        (self.kind == Kind::LoopNumber).then(|| self.loop_head().number as usize)
    }

    /// Number of the instruction with DPP that this op is, if it is one at once.
    pub fn moving_number(&self) -> Option<usize> {
        (self.kind == Kind::MovingNumber).then(|| self.moving().number as usize)
    }

    /// [`modifier`] bits, of ops whose registers gfx9's index mode moves; none of others.
    pub fn indexable(&self) -> u32 {
        match self.kind {
            Kind::Vector => self.vector().modifiers,
            Kind::Pass => self.pass().modifiers,
            Kind::Completion => self.completion().modifiers,
            _ => 0,
        }
    }

    /// The micro-op that it may branch to, if that is in it.
    pub fn branch_target(&self) -> Option<u32> {
        match self.kind {
            Kind::Program => Some(self.program().branch_target),
            Kind::Scalar => Some(self.scalar().branch_target),
            _ => None,
        }
    }

    /// Sets where a branch goes. An instruction that does not execute goes nowhere.
    pub fn set_branch_target(&mut self, op: u32) {
        match self.kind {
            Kind::Program => self.program_mut().branch_target = op,
            Kind::Scalar => self.scalar_mut().branch_target = op,
            _ => {}
        }
    }
}
