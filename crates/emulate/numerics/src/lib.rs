//! The exact meaning of AMD GPU arithmetic, as pure functions on bit patterns.
//!
//! The wave engine decides *which* lanes and operands take part; this crate says *what the result is*. No function here
//! panics, allocates, calls into an operating system or reads global state. Floating-point values travel as raw bits
//! (`u16`, `u32`, `u64`) because NaN payloads, signed zeros and denormals are observable on the GPU and because the
//! host's own NaN choices must never leak into results.
//!
//! | module | what it answers |
//! |---|---|
//! | [`float32`], [`float64`], [`float16`] | add, mul, fma, mad, min/max families, med3, rounding to integer, ldexp, frexp, class, clamp, omod, comparisons |
//! | [`convert`] | every conversion: half, bf16, fp8, fp6, fp4 and their scales, integers, packed normalised, bytes |
//! | [`approx`] | rcp, rsq, sqrt, exp2, log2, sin, cos: the hardware's approximate functions |
//! | [`division`] | `v_div_scale`, `v_div_fmas`, `v_div_fixup` |
//! | [`trig_preop`] | `v_trig_preop_f64` |
//! | [`integer`] | bit fields, sums of absolute differences, 24-bit and wide products, permutes, scans, saturation |
//! | [`packed`] | two 16-bit lanes in one register, and dot products |
//! | [`cube`] | cube-map face selection |
//! | [`matrix`] | MFMA: arithmetic of one accumulation and the lane/register layout of every shape |
//! | [`wmma`] | WMMA and SWMMAC: the lane/register layout of every instruction |
//! | [`soft`] | exact arithmetic with one rounding in any direction: the reference behind the other modules |
//!
//! Conventions that hold everywhere:
//!
//! - **NaN.** A result that is NaN because an operand was is the first NaN operand in operand order, made quiet, sign
//!   and payload kept. A NaN the operation generates is the positive quiet NaN without payload. Instructions whose
//!   documented choice differs (`v_div_fixup`) say so.
//! - **Denormals.** [`Denormals`] is the two-bit MODE field. Flushing keeps the sign. A result is judged denormal after
//!   rounding.
//! - **Rounding.** Plain names (`add`) round to nearest even and use the host's hardware; names ending in `_round` take a
//!   [`Round`] and fall back to [`soft`] for the other directions.
//! - **Speed.** Functions for instructions are `#[inline(always)]`, because a call would lose the caller's vector features. Common
//!   operations are selects without branches or calls, so that a 16-lane loop around them becomes vector code when the caller enables
//!   `avx2,fma` or wider. Fused operations and `floor`-like ones need those features at the call site; without them they are correct but
//!   call the C library.
//!
//! IEEE operations, conversions, integers and bits are exact. Approximate functions are correctly rounded or nearly so (bounds in
//! [`approx`]), and may differ from silicon by one unit in the last place. [`matrix`] describes the models of matrix instructions.
#![forbid(unsafe_code)]

pub mod approx;
mod bits;
pub mod convert;
pub mod cube;
pub mod division;
pub mod float16;
pub mod float32;
pub mod float64;
pub mod integer;
pub mod matrix;
mod native;
pub mod packed;
pub mod soft;
pub mod trig_preop;
pub mod wmma;

/// Rounding direction, numbered as in the `FP_ROUND` fields of MODE.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Round {
    /// To nearest, ties to even.
    #[default]
    NearestEven = 0,
    /// Toward positive infinity.
    Up = 1,
    /// Toward negative infinity.
    Down = 2,
    /// Toward zero.
    Zero = 3,
}

impl Round {
    /// The direction encoded in the low two bits of `field`.
    #[inline]
    pub const fn from_mode(field: u8) -> Round {
        match field & 3 {
            0 => Round::NearestEven,
            1 => Round::Up,
            2 => Round::Down,
            _ => Round::Zero,
        }
    }

    /// Returns `true` if rounding increases a magnitude whose discarded part is not zero. The arguments are the sign of the
    /// value, the parity of the kept part and how the discarded part compares with one half.
    #[inline]
    pub(crate) const fn increments(
        self,
        negative: bool,
        odd: bool,
        discarded: core::cmp::Ordering,
    ) -> bool {
        match self {
            Round::NearestEven => match discarded {
                core::cmp::Ordering::Greater => true,
                core::cmp::Ordering::Equal => odd,
                core::cmp::Ordering::Less => false,
            },
            Round::Up => !negative,
            Round::Down => negative,
            Round::Zero => false,
        }
    }
}

/// The treatment of denormal operands and results: an `FP_DENORM` field of MODE.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Denormals {
    /// Denormal operands are read as zero of the same sign.
    pub flush_inputs: bool,
    /// Denormal results are replaced by zero of the same sign.
    pub flush_outputs: bool,
}

impl Denormals {
    /// Denormals behave as IEEE 754 says; what compilers select for HIP and OpenCL.
    pub const KEEP: Denormals = Denormals {
        flush_inputs: false,
        flush_outputs: false,
    };
    /// Both directions flush.
    pub const FLUSH: Denormals = Denormals {
        flush_inputs: true,
        flush_outputs: true,
    };

    /// Decodes the low two bits of `field`: bit 0 allows denormal inputs, bit 1 allows denormal outputs.
    #[inline]
    pub const fn from_mode(field: u8) -> Denormals {
        Denormals {
            flush_inputs: field & 1 == 0,
            flush_outputs: field & 2 == 0,
        }
    }
}

/// A VOPC floating-point condition. The low four bits of the opcode are a set: bit 0 "less", bit 1 "equal", bit 2 "greater", bit 3
/// "unordered". The comparison is true if the relation of the operands is in the set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Condition(pub u8);

#[rustfmt::skip]
impl Condition {
    pub const F:   Condition = Condition(0);
    pub const LT:  Condition = Condition(1);
    pub const EQ:  Condition = Condition(2);
    pub const LE:  Condition = Condition(3);
    pub const GT:  Condition = Condition(4);
    pub const LG:  Condition = Condition(5);
    pub const GE:  Condition = Condition(6);
    pub const O:   Condition = Condition(7);
    pub const U:   Condition = Condition(8);
    pub const NGE: Condition = Condition(9);
    pub const NLG: Condition = Condition(10);
    pub const NGT: Condition = Condition(11);
    pub const NLE: Condition = Condition(12);
    pub const NEQ: Condition = Condition(13);
    pub const NLT: Condition = Condition(14);
    pub const TRU: Condition = Condition(15);
    /// Integer spelling of "not equal" (LG for values that are always ordered).
    pub const NE:  Condition = Condition(5);
    /// Integer spelling of "always".
    pub const T:   Condition = Condition(7);
}

impl Condition {
    /// Returns `true` if the relation described by the four flags is in the set.
    #[inline(always)]
    pub const fn holds(self, less: bool, equal: bool, greater: bool, unordered: bool) -> bool {
        (self.0 & 1 != 0 && less)
            | (self.0 & 2 != 0 && equal)
            | (self.0 & 4 != 0 && greater)
            | (self.0 & 8 != 0 && unordered)
    }

    /// The condition on totally ordered values (all integer widths, signed or not).
    #[inline(always)]
    pub fn of_integers<T: Ord>(self, a: T, b: T) -> bool {
        self.holds(a < b, a == b, a > b, false)
    }
}
