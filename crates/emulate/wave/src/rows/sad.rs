//! Byte-wise media operations: sums of absolute differences, averages, byte permutation.

use super::{Row, VectorShape, loops::map3, vector_macros::vector_rows};
use crate::{
    engine::Env,
    micro_op::MicroOp,
    ports::*,
    shell::{Form, VectorBody},
    state::Wave,
};
use numerics::integer;

#[rustfmt::skip]
vector_rows! {
    v_sad_u8:          (B32, B32, B32) -> B32 = |cx, a, b, c| sum(cx.clamp, integer::sad_u8(a, b, c), c);
    v_sad_hi_u8:       (B32, B32, B32) -> B32 = |cx, a, b, c| sum(cx.clamp, integer::sad_hi_u8(a, b, c), c);
    v_sad_u16:         (B32, B32, B32) -> B32 = |cx, a, b, c| sum(cx.clamp, integer::sad_u16(a, b, c), c);
    v_sad_u32:         (B32, B32, B32) -> B32 = |cx, a, b, c| sum(cx.clamp, integer::sad_u32(a, b, c), c);
    v_msad_u8:         (B32, B32, B32) -> B32 = |cx, a, b, c| sum(cx.clamp, integer::msad_u8(a, b, c), c);
    v_qsad_pk_u16_u8:  (B64, B32, B64) -> B64 = |cx, a, b, c| integer::qsad_pk_u16_u8(a, b, c, cx.clamp);
    v_mqsad_pk_u16_u8: (B64, B32, B64) -> B64 = |cx, a, b, c| integer::mqsad_pk_u16_u8(a, b, c, cx.clamp);
    v_mqsad_u32_u8:    (B64, B32, B128) -> B128 = |cx, a, b, c| { let r = integer::mqsad_u32_u8(a, b, c); std::array::from_fn(|i| sum(cx.clamp, r[i], c[i])) };
    v_lerp_u8:         (B32, B32, B32) -> B32 = |_, a, b, c| integer::lerp_u8(a, b, c);
}

/// `v_perm_b32`. Compiled code nearly always has the selectors in a scalar register.
struct Permute;

impl VectorBody for Permute {
    const SOURCES: usize = 3;
    const MODE: bool = false;
    const HOT: bool = true;
    #[inline(always)]
    fn run<F: Form>(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        #[cfg(target_arch = "x86_64")]
        if F::AVX2 && F::UNIFORM == 4 && wave.wide != 0 {
            let groups = wave.wide;
            // SAFETY: what callers of bodies promise; the row has these types.
            let operands = unsafe { wave.wide_operands::<F, 3>(op, [Type::B32; 3], Type::B32) };
            let selectors = operands.uniform(2) as u32;
            if selectors
                .to_le_bytes()
                .iter()
                .all(|&byte| byte < 8 || byte == 12)
            {
                // SAFETY: the wave is wide, and operands are rows.
                unsafe {
                    vectors::full_wave::permute_bytes(
                        groups,
                        operands.row(0),
                        operands.row(1),
                        operands.target(),
                        selectors,
                    );
                }
                return u32::from(op.after);
            }
        }
        map3::<Self, F, B32, B32, B32, B32>(
            wave,
            op,
            env,
            #[inline(always)]
            |_, a, b, c| integer::perm(a, b, c),
        )
    }
}

/// Appends the rows that are more than a function of one lane.
pub(super) fn special_rows(rows: &mut Vec<Row>) {
    rows.push(Row::vector::<Permute>(
        "v_perm_b32",
        VectorShape {
            sources: [Type::B32; 3],
            result: Type::B32,
            ..VectorShape::NONE
        },
    ));
}

/// A wrapped sum that started from `addend`, saturated under CLAMP: what is added is never negative.
#[inline(always)]
fn sum(clamp: bool, wrapped: u32, addend: u32) -> u32 {
    if clamp & (wrapped < addend) {
        !0
    } else {
        wrapped
    }
}
