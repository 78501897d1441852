//! Micro-ops before and after a vector instruction's own: what its operands need beyond being vector rows.
//!
//! Before: uniform sources are copied to rows; SDWA selects parts, DPP moves lanes, modifiers change bits, all in temporary
//! rows, so that the row's body only ever sees plain ones. Behind: output modifiers, and results that fill only part of a
//! register. Lowering ([`crate::program`]) puts them around an instruction; every pass reads its source at the index that
//! it has in the instruction, so that gfx9's index mode moves it too.

use crate::{
    engine::Env,
    micro_op::{Control, Handler, MicroOp, Pass, Src, SrcKind, flow, modifier},
    ports::{RESULT_ROWS, SOURCE_ROWS, SPARE_ROWS, Type, each_group, has_form, lanes},
    shell::{self, Body},
    state::{LANES, VectorRow, Wave},
};

mod dpp;
mod finish;
#[cfg(target_arch = "x86_64")]
pub(crate) mod moved;
pub(crate) mod moving;

pub(crate) use dpp::{
    Copy as DppCopy, Enter as DppEnter, Enter8 as Dpp8Enter, Leave as DppLeave, known_dpp,
    static_lanes, writes_all_lanes,
};
pub(crate) use finish::{Finish, PlaceHalf, clamp};

/// Number of the source a pass works on.
#[inline(always)]
fn index(op: &MicroOp) -> usize {
    op.pass().source()
}

/// Row the pass reads first.
#[inline(always)]
fn source(op: &MicroOp) -> usize {
    op.src[index(op)].index as usize
}

/// Temporary row of source `index`, for waves with `vector_rows` registers.
pub(crate) fn source_row(vector_rows: u32, index: usize) -> u16 {
    (vector_rows as usize + SOURCE_ROWS + 2 * index) as u16
}

/// Temporary row of results that [`Finish`] completes.
pub(crate) fn result_row(vector_rows: u32) -> u16 {
    (vector_rows as usize + RESULT_ROWS) as u16
}

/// Copies a uniform source to rows.
pub(crate) struct Splat;

impl Body for Splat {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let value = wave.uniform(op, index(op));
        let dst = op.dst as usize;
        *wave.row_mut(dst) = VectorRow([value as u32; LANES]);
        if op.pass().words() > 1 {
            *wave.row_mut(dst + 1) = VectorRow([(value >> 32) as u32; LANES]);
        }
        flow::NEXT
    }
}

/// Changes every word of a row, as far as the wave has lanes.
#[inline(always)]
fn map(wave: &mut Wave, source: usize, dst: usize, change: impl Fn(u32) -> u32) {
    each_group(
        wave.groups(),
        #[inline(always)]
        |group| {
            let words = wave.row(source).group(group);
            wave.row_mut(dst).set_group(
                group,
                lanes(
                    #[inline(always)]
                    |lane| change(words[lane]),
                ),
            );
        },
    );
}

/// `(word >> shift & !clear) ^ toggle` on the last of its words, the first is copied: half selection, ABS and NEG.
/// The parameters are shift, clear and toggle.
pub(crate) struct Bits;

impl Body for Bits {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let [shift, clear, toggle] = op.pass().parameters;
        let (source, dst) = (source(op), op.dst as usize);
        let last = op.pass().words() - 1;
        if last > 0 {
            *wave.row_mut(dst) = *wave.row(source);
        }
        let shift = shift & 31;
        map(
            wave,
            source + last,
            dst + last,
            #[inline(always)]
            |word| (word >> shift & !clear) ^ toggle,
        );
        flow::NEXT
    }
}

/// VOP3P: the halves that op_sel and op_sel_hi name, then negated. The parameters are two shifts and a toggle.
pub(crate) struct Halves;

impl Body for Halves {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let [low, high, toggle] = op.pass().parameters;
        let (low, high) = (low & 31, high & 31);
        map(
            wave,
            source(op),
            op.dst as usize,
            #[inline(always)]
            |word| (word >> low & 0xffff | word >> high << 16) ^ toggle,
        );
        flow::NEXT
    }
}

/// The words of a pair that op_sel and op_sel_hi name, then negated. The parameters are the words' numbers; bits 0 and 1 of the
/// third say which are negated.
pub(crate) struct Pair;

impl Body for Pair {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let [first, second, negated] = op.pass().parameters;
        let (source, dst) = (source(op), op.dst as usize);
        let row = |pick: u32| source + (pick & 1) as usize;
        let toggle = |word: u32| (negated >> word & 1) << 31;
        if source == dst && second == 0 {
            // In place: the first word must not be overwritten before the second is made of it.
            let low = *wave.row(source);
            map(wave, row(first), dst, |value| value ^ toggle(0));
            *wave.row_mut(dst + 1) = low;
            map(wave, dst + 1, dst + 1, |value| value ^ toggle(1));
        } else {
            map(wave, row(first), dst, |value| value ^ toggle(0));
            map(wave, row(second), dst + 1, |value| value ^ toggle(1));
        }
        flow::NEXT
    }
}

/// Mixed precision: the f16 in the half that starts at bit the first parameter, as f32.
pub(crate) struct Widen;

impl Body for Widen {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let shift = op.pass().parameters[0] & 31;
        map(
            wave,
            source(op),
            op.dst as usize,
            #[inline(always)]
            |word| numerics::convert::f32_from_f16_exact((word >> shift) as u16),
        );
        flow::NEXT
    }
}

/// Input half of SDWA: a byte or half, moved up by the first parameter bits and down again by the second, with the sign if
/// the third.
pub(crate) struct SdwaSelect;

impl Body for SdwaSelect {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let [up, down, signed] = op.pass().parameters;
        let (up, down) = (up & 31, down & 31);
        let (source, dst) = (source(op), op.dst as usize);
        if signed != 0 {
            map(
                wave,
                source,
                dst,
                #[inline(always)]
                |word| ((word << up) as i32 >> down) as u32,
            );
        } else {
            map(
                wave,
                source,
                dst,
                #[inline(always)]
                |word| word << up >> down,
            );
        }
        flow::NEXT
    }
}

/// Parameters of [`SdwaSelect`] for source `index` (bits 16-21 of the control for source 0, 24-29 for source 1), `None` if
/// the whole register is selected.
pub(crate) fn sdwa_selection(control: u32, index: usize) -> Option<[u32; 3]> {
    let field = control >> (16 + 8 * index);
    let signed = field >> 3 & 1;
    let (shift, bits) = match field & 7 {
        select @ 0..=3 => (select * 8, 8),
        select @ 4..=5 => ((select - 4) * 16, 16),
        _ => return None,
    };
    Some([32 - bits - shift, 32 - bits, signed])
}

/// The function that makes a pass's handler, and the pass's parameters.
pub(crate) type PassCall = (fn() -> Handler, [u32; 3]);

/// The pass that op_sel, ABS and NEG of source `index` ask for, and its parameters.
pub(crate) fn modification(op: &MicroOp, index: usize, kind: Type) -> Option<PassCall> {
    let bit = |base: u32| op.vector().modifier(base, index);
    let (neg, abs) = (bit(modifier::NEG), bit(modifier::ABS));
    let (op_sel, op_sel_hi) = (bit(modifier::OP_SEL), bit(modifier::OP_SEL_HI));
    let bits: fn() -> Handler = shell::wide_handler::<Bits>;
    match kind {
        Type::B16 | Type::F16 | Type::Bf16 => {
            let float = u32::from(kind != Type::B16);
            let parameters = [16 * op_sel, (float * abs) << 15, (float * neg) << 15];
            (parameters != [0; 3]).then_some((bits, parameters))
        }
        // Integer rows never see modifier bits; v_cndmask_b32 and v_mov_b32 treat them as on f32.
        Type::F32 | Type::B32 | Type::F64 | Type::B64 => {
            (neg | abs != 0).then_some((bits, [0, abs << 31, neg << 31]))
        }
        Type::PackedF16 | Type::PackedBf16
            if op.vector().modifiers & modifier::BOTH_HALVES != 0 =>
        {
            const SIGNS: u32 = 0x8000_8000;
            (neg | abs != 0).then_some((bits, [0, abs * SIGNS, neg * SIGNS]))
        }
        Type::PackedB16 | Type::PackedF16 | Type::PackedBf16 => {
            // VOP3P: the ABS bits are neg_hi.
            let float = u32::from(kind != Type::PackedB16);
            let toggle = float * (neg << 15 | abs << 31);
            let plain = op_sel == 0 && op_sel_hi == 1 && toggle == 0;
            let parameters = [16 * op_sel, 16 * op_sel_hi, toggle];
            (!plain).then_some((shell::wide_handler::<Halves>, parameters))
        }
        Type::PackedF32 | Type::PackedB32 => {
            let negated = u32::from(kind == Type::PackedF32) * (neg | abs << 1);
            let plain = op_sel == 0 && op_sel_hi == 1 && negated == 0;
            (!plain).then_some((shell::wide_handler::<Pair>, [op_sel, op_sel_hi, negated]))
        }
        Type::Mix => (neg | abs != 0).then_some((bits, [0, abs << 31, neg << 31])),
        Type::None | Type::B128 | Type::B8 => None,
    }
}

/// `op` without the modifiers of its first `count` sources, which are of type `kind`, and without the clamp: temporary rows hold the
/// sources as their modifiers make them.
pub(crate) fn modified(wave: &mut Wave, op: &MicroOp, count: usize, kind: Type) -> MicroOp {
    let mut plain = *op;
    for index in 0..count {
        let source = op.src[index];
        let value = wave.uniform(op, index);
        let on = |base: u32| op.vector().modifier(base, index);
        let sign = if kind == Type::F16 { 15 } else { 31 };
        let (clear, toggle) = (on(modifier::ABS) << sign, on(modifier::NEG) << sign);
        for word in 0..kind.words() {
            let words = match source.kind {
                SrcKind::Vector => *wave.row(source.index as usize + word),
                _ => VectorRow([(value >> (32 * word)) as u32; LANES]),
            };
            let is_last = word + 1 == kind.words();
            *wave.temporary(SOURCE_ROWS + 2 * index + word) = match is_last {
                true => VectorRow(words.0.map(|word| (word & !clear) ^ toggle)),
                false => words,
            };
        }
        plain.src[index] = Src::vector((wave.temporaries + SOURCE_ROWS + 2 * index) as u16);
    }
    plain.vector_mut().modifiers &= !(7 << modifier::NEG | 7 << modifier::ABS | modifier::CLAMP);
    plain
}

/// Returns `true` if a body that does modifiers itself can do those that `op`, of a row with sources of `count` times `kind`, has; and whether it
/// has any. All other forms take passes.
pub(crate) fn is_modified(op: &MicroOp, count: usize, kind: Type) -> bool {
    let vector = op.vector();
    let (mut all, mut any) = (vector.modifiers >> modifier::OMOD & 3 == 0, vector.clamp());
    for index in 0..count {
        let is = |base: u32| vector.modifier(base, index) != 0;
        any |= is(modifier::NEG) || is(modifier::ABS);
        let known = op.src[index].kind == SrcKind::Vector || has_form(op.src[index].kind);
        all &= known && (kind != Type::F16 || !is(modifier::OP_SEL));
    }
    all && any && vector.control == Control::NONE
}

/// The rows that op_sel and op_sel_hi name for a source that is a pair of singles, from its first one on; `None` if it takes
/// more than reading these.
pub(crate) fn pair_rows(op: &MicroOp, index: usize) -> Option<(u16, i32)> {
    let bit = |base: u32| op.vector().modifier(base, index);
    let plain = bit(modifier::NEG) | bit(modifier::ABS) == 0;
    plain.then(|| {
        (
            bit(modifier::OP_SEL) as u16,
            bit(modifier::OP_SEL_HI) as i32,
        )
    })
}

/// VOP3P mixed precision: op_sel_hi says "f16", op_sel which half; neg_lo is NEG and neg_hi is ABS.
pub(crate) fn widening(op: &MicroOp, index: usize, kind: Type) -> Option<[u32; 3]> {
    let bit = |base: u32| op.vector().modifier(base, index);
    let half = kind == Type::Mix && bit(modifier::OP_SEL_HI) != 0;
    half.then_some([16 * bit(modifier::OP_SEL), 0, 0])
}

/// Temporary row that no pass uses.
pub(crate) fn spare_row(vector_rows: u32) -> u16 {
    (vector_rows as usize + SPARE_ROWS) as u16
}

/// A micro-op that copies row `from` to row `to`.
pub(crate) fn copy(from: u16, to: u16) -> MicroOp {
    let mut op = MicroOp::new(shell::wide_handler::<Bits>()).with(Pass::new(0, 1, [0; 3]));
    (op.src[0], op.dst) = (Src::vector(from), to);
    op
}
