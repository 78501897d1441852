//! Decoding, printing and descriptions.

use crate::ffi;
use std::{
    ffi::{c_char, c_int, c_void},
    mem::MaybeUninit,
    ptr::NonNull,
};

/// Bits of [`OpcodeDescription::flags`]; the table in `cxx/mc.h`, which a test compares with this one.
#[rustfmt::skip]
pub mod flags {
    pub const SALU: u64            = 1 << 0;
    pub const VALU: u64            = 1 << 1;
    pub const SOP1: u64            = 1 << 2;
    pub const SOP2: u64            = 1 << 3;
    pub const SOPC: u64            = 1 << 4;
    pub const SOPK: u64            = 1 << 5;
    pub const SOPP: u64            = 1 << 6;
    pub const VOP1: u64            = 1 << 7;
    pub const VOP2: u64            = 1 << 8;
    pub const VOPC: u64            = 1 << 9;
    pub const VOP3: u64            = 1 << 10;
    pub const VOP3P: u64           = 1 << 11;
    pub const SDWA: u64            = 1 << 12;
    pub const DPP: u64             = 1 << 13;
    pub const TRANS: u64           = 1 << 14;
    pub const MUBUF: u64           = 1 << 15;
    pub const MTBUF: u64           = 1 << 16;
    pub const SMRD: u64            = 1 << 17;
    pub const MIMG: u64            = 1 << 18;
    pub const VIMAGE: u64          = 1 << 19;
    pub const VSAMPLE: u64         = 1 << 20;
    pub const EXP: u64             = 1 << 21;
    pub const FLAT: u64            = 1 << 22;
    pub const DS: u64              = 1 << 23;
    pub const COUNTS_VM: u64       = 1 << 24;
    pub const COUNTS_EXP: u64      = 1 << 25;
    pub const COUNTS_LGKM: u64     = 1 << 26;
    pub const FLAT_GLOBAL: u64     = 1 << 27;
    pub const MAI: u64             = 1 << 28;
    pub const DOT: u64             = 1 << 29;
    pub const FLAT_SCRATCH: u64    = 1 << 30;
    pub const ATOMIC_NORET: u64    = 1 << 31;
    pub const ATOMIC_RET: u64      = 1 << 32;
    pub const WMMA: u64            = 1 << 33;
    /// Writes part of its destination without an operand that says so (d16).
    pub const TIED_NOT_READ: u64   = 1 << 34;
    pub const GWS: u64             = 1 << 35;
    pub const MAY_LOAD: u64        = 1 << 40;
    pub const MAY_STORE: u64       = 1 << 41;
    pub const BRANCH: u64          = 1 << 42;
    pub const INDIRECT_BRANCH: u64 = 1 << 43;
    pub const CALL: u64            = 1 << 44;
    pub const RETURN: u64          = 1 << 45;
    pub const BARRIER: u64         = 1 << 46;
    pub const TERMINATOR: u64      = 1 << 47;
    pub const CONVERGENT: u64      = 1 << 48;
}

/// Bytes that decoding wants to see.
pub const WINDOW: usize = 28;

/// The processor is unknown to this LLVM, or this LLVM is not the one the shim was built for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateError(pub String);

impl std::fmt::Display for CreateError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for CreateError {}

/// One operand as LLVM's disassembler lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodedOperand {
    /// LLVM register number; 0 is "no register".
    Register(u32),
    Immediate(i64),
    /// A literal that LLVM wraps in an expression so that it is printed as such.
    Literal(i64),
    Opaque,
}

/// LLVM's description of an opcode.
#[derive(Clone, Debug)]
pub struct OpcodeDescription {
    /// LLVM's name, e.g. `V_ADD_F32_e32_vi`.
    pub name: &'static str,
    pub flags: u64,
    /// The first `definitions` operands are written.
    pub definitions: usize,
    pub operands: usize,
    /// LLVM register numbers.
    pub implicit_definitions: Vec<u32>,
    /// LLVM register numbers.
    pub implicit_uses: Vec<u32>,
}

/// LLVM's description of a register.
#[derive(Clone, Debug)]
pub struct RegisterDescription {
    /// LLVM's name, e.g. `SGPR4_SGPR5`, `M0_gfx11plus`.
    pub name: &'static str,
    /// Operand encoding without register-file bits.
    pub encoding: u32,
    /// Two per 32 bits; 1 for a 16-bit half.
    pub units: u32,
}

/// One decoded instruction; reused between calls to save copying.
pub struct DecodedInst {
    raw: MaybeUninit<ffi::McInst>,
    opcode: u32,
    size: usize,
    count: usize,
}

impl DecodedInst {
    pub fn new() -> DecodedInst {
        DecodedInst {
            raw: MaybeUninit::uninit(),
            opcode: 0,
            size: 0,
            count: 0,
        }
    }

    pub fn opcode(&self) -> u32 {
        self.opcode
    }

    /// Bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    pub fn operand_count(&self) -> usize {
        self.count
    }

    /// # Panics
    /// When `index` is not below [`DecodedInst::operand_count`].
    pub fn operand(&self, index: usize) -> DecodedOperand {
        assert!(index < self.count);
        // SAFETY: luthier_mc_decode initialised the first `count` operands, and `count` is only set after it did.
        let operand = unsafe { (*self.raw.as_ptr()).operands[index] };
        match operand.kind {
            ffi::OPERAND_REGISTER => DecodedOperand::Register(operand.value as u32),
            ffi::OPERAND_IMMEDIATE => DecodedOperand::Immediate(operand.value),
            ffi::OPERAND_LITERAL => DecodedOperand::Literal(operand.value),
            _ => DecodedOperand::Opaque,
        }
    }
}

impl Default for DecodedInst {
    fn default() -> Self {
        DecodedInst::new()
    }
}

/// How often this process has made LLVM's objects for a processor. The shim keeps up to four of a kind when their owners are
/// dropped.
pub fn made() -> u64 {
    // SAFETY: reads a number.
    unsafe { ffi::luthier_mc_made() }
}

/// LLVM's machine-code objects for one processor and feature string.
pub struct Mc {
    handle: NonNull<ffi::Mc>,
}

// SAFETY: a handle owns all LLVM objects behind it (context included) and shares nothing mutable with other handles. Some were another
// handle's before, on another thread perhaps: they pass through a mutex and have one owner at a time. LLVM's MC objects have no thread
// affinity. It is not `Sync`: decoding mutates the context.
unsafe impl Send for Mc {}

impl Drop for Mc {
    fn drop(&mut self) {
        // SAFETY: the handle came from luthier_mc_create and is dropped once.
        unsafe { ffi::luthier_mc_destroy(self.handle.as_ptr()) }
    }
}

impl Mc {
    /// `cpu` as LLVM spells it (`gfx90a`), `features` as in `-mattr` (`+wavefrontsize64,-xnack`).
    pub fn new(cpu: &str, features: &str) -> Result<Mc, CreateError> {
        let mut message = Vec::new();
        // SAFETY: pointers and lengths describe live strings; `append` matches the sink's contract for a Vec<u8>.
        let handle = unsafe {
            ffi::luthier_mc_create(
                cpu.as_ptr().cast(),
                cpu.len(),
                features.as_ptr().cast(),
                features.len(),
                append,
                (&raw mut message).cast(),
            )
        };
        let handle = NonNull::new(handle).ok_or_else(|| CreateError(into_text(message)))?;
        Ok(Mc { handle })
    }

    pub fn opcode_count(&self) -> u32 {
        // SAFETY: the handle is live.
        unsafe { ffi::luthier_mc_opcode_count(self.handle.as_ptr()) }
    }

    pub fn register_count(&self) -> u32 {
        // SAFETY: the handle is live.
        unsafe { ffi::luthier_mc_register_count(self.handle.as_ptr()) }
    }

    /// `None` when there is no such opcode.
    pub fn opcode(&self, opcode: u32) -> Option<OpcodeDescription> {
        let mut info = MaybeUninit::<ffi::OpcodeInfo>::uninit();
        // SAFETY: the handle is live and `info` is writable.
        if unsafe { ffi::luthier_mc_opcode(self.handle.as_ptr(), opcode, info.as_mut_ptr()) } == 0 {
            return None;
        }
        // SAFETY: the call succeeded, so it filled `info`.
        let info = unsafe { info.assume_init() };
        let implicit = |definitions: bool, count: u32| {
            (0..count)
                // SAFETY: the handle is live; bad indices give 0.
                .map(|index| unsafe {
                    ffi::luthier_mc_implicit(
                        self.handle.as_ptr(),
                        opcode,
                        c_int::from(definitions),
                        index,
                    )
                })
                .collect()
        };
        Some(OpcodeDescription {
            // SAFETY: the shim names it by a string literal of LLVM's.
            name: unsafe { static_text(info.name, info.name_length) },
            flags: info.flags,
            definitions: info.definitions as usize,
            operands: info.operands as usize,
            implicit_definitions: implicit(true, info.implicit_definitions),
            implicit_uses: implicit(false, info.implicit_uses),
        })
    }

    /// `None` for 0 ("no register") and numbers out of range.
    pub fn register(&self, register: u32) -> Option<RegisterDescription> {
        let mut info = MaybeUninit::<ffi::RegisterInfo>::uninit();
        // SAFETY: the handle is live and `info` is writable.
        if unsafe { ffi::luthier_mc_register(self.handle.as_ptr(), register, info.as_mut_ptr()) }
            == 0
        {
            return None;
        }
        // SAFETY: the call succeeded, so it filled `info`.
        let info = unsafe { info.assume_init() };
        Some(RegisterDescription {
            // SAFETY: the shim names it by a string literal of LLVM's.
            name: unsafe { static_text(info.name, info.name_length) },
            encoding: info.encoding,
            units: info.units,
        })
    }

    /// Returns `true` if operand `index` is a displacement in dwords from the end of the instruction.
    pub fn operand_is_pc_relative(&self, opcode: u32, index: usize) -> bool {
        // SAFETY: the handle is live; bad indices give 0.
        unsafe {
            ffi::luthier_mc_operand_is_pc_relative(self.handle.as_ptr(), opcode, index as u32) != 0
        }
    }

    /// Returns `true` if operand `index` holds the modifiers (negation, absolute value, ...) of the source that follows it.
    pub fn operand_is_modifier(&self, opcode: u32, index: usize) -> bool {
        // SAFETY: the handle is live; bad indices give 0.
        unsafe {
            ffi::luthier_mc_operand_is_modifier(self.handle.as_ptr(), opcode, index as u32) != 0
        }
    }

    /// The operand that operand `index` must be the same register as.
    pub fn operand_tied_to(&self, opcode: u32, index: usize) -> Option<usize> {
        // SAFETY: the handle is live; bad indices give -1.
        let tied =
            unsafe { ffi::luthier_mc_operand_tied_to(self.handle.as_ptr(), opcode, index as u32) };
        usize::try_from(tied).ok()
    }

    /// Decodes one instruction at the start of `code` into `out`; false when there is none.
    ///
    /// `code` has [`WINDOW`] bytes, or is known to hold a whole instruction without a literal: LLVM 22 crashes on a
    /// literal that is announced and cut off.
    pub fn decode(&mut self, code: &[u8], pc: u64, out: &mut DecodedInst) -> bool {
        out.count = 0;
        // SAFETY: the handle is live, `code` is readable for its length, `out.raw` is writable.
        let decoded = unsafe {
            ffi::luthier_mc_decode(
                self.handle.as_ptr(),
                code.as_ptr(),
                code.len(),
                pc,
                out.raw.as_mut_ptr(),
            )
        };
        if decoded == 0 {
            return false;
        }
        // SAFETY: a successful call wrote the header fields and `operand_count` operands. References to the whole
        // struct are avoided because the remaining operands are still uninitialised.
        unsafe {
            let raw = out.raw.as_ptr();
            out.opcode = (*raw).opcode;
            out.size = (*raw).size as usize;
            out.count = (*raw).operand_count as usize;
        }
        true
    }

    /// The assembly text of the instruction at the start of `code`, as LLVM's printer writes it (leading tab included).
    pub fn print(&mut self, code: &[u8], pc: u64) -> Option<String> {
        let mut text = Vec::new();
        // SAFETY: the handle is live, `code` is readable, `append` matches the sink's contract for a Vec<u8>.
        let printed = unsafe {
            ffi::luthier_mc_print(
                self.handle.as_ptr(),
                code.as_ptr(),
                code.len(),
                pc,
                append,
                (&raw mut text).cast(),
            )
        };
        (printed != 0).then(|| into_text(text))
    }

    /// Decodes and encodes again; only for measuring how far LLVM's encoder and decoder agree. Some decodable forms
    /// crash LLVM's encoder, which is why `isa` keeps a list of those it never passes on.
    pub fn reencode(&mut self, code: &[u8], pc: u64) -> Option<Vec<u8>> {
        let mut encoding = Vec::new();
        // SAFETY: the handle is live, `code` is readable for its length, and `append` gets the vector that it expects.
        let encoded = unsafe {
            ffi::luthier_mc_reencode(
                self.handle.as_ptr(),
                code.as_ptr(),
                code.len(),
                pc,
                append,
                (&raw mut encoding).cast(),
            )
        };
        (encoded != 0).then_some(encoding)
    }
}

/// A sink whose user pointer is a `Vec<u8>`.
///
/// # Safety
/// `user` points to a live `Vec<u8>` that nothing else borrows; `bytes` is readable for `length`.
pub(crate) unsafe extern "C" fn append(user: *mut c_void, bytes: *const c_char, length: usize) {
    if length == 0 {
        return;
    }
    // SAFETY: the caller's contract.
    let (vector, bytes) = unsafe {
        (
            &mut *user.cast::<Vec<u8>>(),
            std::slice::from_raw_parts(bytes.cast::<u8>(), length),
        )
    };
    vector.extend_from_slice(bytes);
}

pub(crate) fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// The name of an opcode or register.
///
/// # Safety
/// `start` leads to `length` bytes that stay as they are until the process ends, as LLVM's tables in this very binary do.
unsafe fn static_text(start: *const c_char, length: usize) -> &'static str {
    // SAFETY: the caller's promise.
    let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), length) };
    std::str::from_utf8(bytes).unwrap_or("?")
}
