//! Scalar ALU instructions.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// SOP1, SOP2, SOPC, SOPK.
#[derive(Clone, Copy, Debug, Default, FromBytes, Immutable, IntoBytes, KnownLayout)]
#[repr(C)]
pub(crate) struct Scalar {
    /// simm16, sign-extended.
    pub immediate: i32,
    /// Where `s_call_b64` goes, as micro-op index.
    pub branch_target: u32,
    /// Low and high word of the address behind the instruction.
    return_address: [u32; 2],
    /// Registers of the result.
    pub words: u8,
    _reserved: [u8; 11],
}

impl Scalar {
    /// An instruction that ends at address `end` and has a result of `words` registers.
    pub fn new(immediate: i32, end: u64, words: usize) -> Scalar {
        Scalar {
            immediate,
            return_address: [end as u32, (end >> 32) as u32],
            words: words as u8,
            ..Scalar::default()
        }
    }

    /// Address behind the instruction.
    #[inline(always)]
    pub fn return_address(&self) -> u64 {
        let [low, high] = self.return_address;
        u64::from(low) | u64::from(high) << 32
    }
}

/// An access to a hardware register.
#[derive(Clone, Copy, Debug, Default, FromBytes, Immutable, IntoBytes, KnownLayout)]
#[repr(C)]
pub(crate) struct HardwareRegister {
    /// The register, as [`crate::hwreg::check`] numbers them.
    pub register: u32,
    /// Value to write, of the form that has one.
    pub literal: u32,
    /// The bits of the register, as encoded.
    pub field: u16,
    _reserved: [u8; 18],
}

impl HardwareRegister {
    /// An access with immediate `field` to register `register`.
    pub fn new(register: u32, field: u16, literal: u32) -> HardwareRegister {
        HardwareRegister {
            register,
            literal,
            field,
            ..HardwareRegister::default()
        }
    }
}
