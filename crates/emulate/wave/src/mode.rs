//! The MODE register: rounding, denormals, clamp and NaN behaviour.

use numerics::{Denormals, Round};

/// MODE bits plus whether they are the ones compilers select, for which bodies have a specialised loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    bits: u32,
    pub(crate) plain: bool,
}

/// Rounding, denormal, clamp and exception fields that HIP kernels start with: nearest even, denormals kept, DX10_CLAMP
/// and IEEE on.
const PLAIN: u32 = 0x3f0;
/// The fields above plus FP16_OVFL.
const FLOAT_FIELDS: u32 = 0x80_03ff;

impl Mode {
    pub fn new(bits: u32) -> Mode {
        Mode {
            bits,
            plain: bits & FLOAT_FIELDS == PLAIN,
        }
    }

    pub fn bits(self) -> u32 {
        self.bits
    }

    pub(crate) fn dx10_clamp(self) -> bool {
        self.bits & 0x100 != 0
    }

    pub(crate) fn ieee(self) -> bool {
        self.bits & 0x200 != 0
    }

    pub(crate) fn flush_outputs32(self) -> bool {
        self.context().denormals32.flush_outputs
    }

    pub(crate) fn flush_outputs64(self) -> bool {
        self.context().denormals64.flush_outputs
    }

    /// The fields in the form `numerics` takes them.
    pub(crate) fn context(self) -> Context {
        Context {
            round32: Round::from_mode(self.bits as u8),
            round64: Round::from_mode((self.bits >> 2) as u8),
            denormals32: Denormals::from_mode((self.bits >> 4) as u8),
            denormals64: Denormals::from_mode((self.bits >> 6) as u8),
            ieee: self.ieee(),
            fp16_overflow_clamps: self.bits & 0x80_0000 != 0,
            clamp: false,
        }
    }
}

/// The state besides its operands on which a floating-point body may depend.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    pub round32: Round,
    /// Rounding of f64 and f16.
    pub round64: Round,
    pub denormals32: Denormals,
    /// Denormals of f64 and f16.
    pub denormals64: Denormals,
    pub ieee: bool,
    /// f16 overflow gives the largest finite value.
    pub fp16_overflow_clamps: bool,
    /// The instruction's clamp bit, for integer rows that saturate.
    pub clamp: bool,
}

impl Context {
    /// The part that half-precision operations depend on.
    #[inline(always)]
    pub fn half(self) -> numerics::float16::Mode {
        numerics::float16::Mode {
            denormals: self.denormals64,
            round: self.round64,
            fp16_ovfl: self.fp16_overflow_clamps,
        }
    }

    /// The context of [`Mode::plain`], a constant so that bodies fold it.
    pub const PLAIN: Context = Context {
        round32: Round::NearestEven,
        round64: Round::NearestEven,
        denormals32: Denormals::KEEP,
        denormals64: Denormals::KEEP,
        ieee: true,
        fp16_overflow_clamps: false,
        clamp: false,
    };
}
