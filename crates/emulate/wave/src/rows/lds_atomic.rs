//! DS atomics. One host thread runs all waves of a workgroup, so that plain reads and writes are indivisible here.

use std::marker::PhantomData;

use super::{Row, ds, lds_exact::outside};
use crate::{
    LANES,
    access::{
        lanes::{GROUP, Lanes, operand, write_result},
        lds::{self, two_offsets},
        modify::*,
        spread::Offsets,
    },
    engine::Env,
    micro_op::{Data, MicroOp, flow},
    shell::{self, Body},
    state::Wave,
};

/// All lanes of a value of `W` in rows `row..`.
#[inline(always)]
fn whole<W: Word>(wave: &Wave, row: usize) -> [W; LANES] {
    let mut values = [W::default(); LANES];
    let low = &wave.row(row).0;
    let high = if W::WORDS == 1 {
        low
    } else {
        &wave.row(row + 1).0
    };
    let mut lane = 0;
    while lane < LANES {
        values[lane] = W::join(low[lane], high[lane]);
        lane += 1;
    }
    values
}

/// One copy for all rows.
#[inline(never)]
fn resolve(
    wave: &Wave,
    env: &mut Env<'_>,
    group: usize,
    at: &[u32; GROUP],
    bytes: u32,
    limit: u32,
) -> Lanes {
    lds::resolve(wave, env, group, at, bytes, limit)
}

/// [`Data::Returned`]: the old value is returned.
struct Atomic<W, M>(PhantomData<(W, M)>);

impl<W: Word, M: Modify<W>> Body for Atomic<W, M> {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let limit = lds::limit(wave, env);
        let context = wave.mode.context();
        let returns = op.lds().returns();
        let bytes = 4 * W::WORDS as u32;
        let offsets = Offsets::of_bytes(wave, op.src[0].index as usize, bytes);
        let spread = offsets.and_then(|offsets| offsets.in_lds(wave, env, op.lds().offset, bytes));
        if spread.is_none()
            && let Some(stopped) = outside(wave, op, env)
        {
            return stopped;
        }
        if let (Some(offsets), Some(spread)) = (offsets, spread)
            && !(M::ASSOCIATIVE && !returns && offsets.lowest() == offsets.highest())
        {
            let data = whole::<W>(wave, op.src[1].index as usize);
            let second = match M::TWO {
                true => whole::<W>(wave, op.src[2].index as usize),
                false => [W::default(); LANES],
            };
            let mut before = [W::default(); LANES];
            spread.update(
                wave,
                &mut before,
                #[inline(always)]
                |lane, old| M::apply(context, old, data[lane], second[lane]),
            );
            if returns {
                for group in 0..wave.groups {
                    let part = before[GROUP * group..].first_chunk().expect("a group");
                    write_result(wave, op.dst as usize, group, part);
                }
            }
            return flow::NEXT;
        }
        lds::each_group(
            wave,
            #[inline(always)]
            |wave, group| {
                let at = lds::addresses(wave, op, group, op.lds().offset);
                let lanes = resolve(wave, env, group, &at, 4 * W::WORDS as u32, limit);
                let data = operand::<W>(wave, op.src[1].index as usize, group);
                let second = match M::TWO {
                    true => operand::<W>(wave, op.src[2].index as usize, group),
                    false => [W::default(); GROUP],
                };
                if M::ASSOCIATIVE
                    && !returns
                    && let Some(pointer) = lanes.uniform()
                {
                    let all = combine::<W, M>(context, &data, lanes.valid());
                    if let Some(all) = all {
                        let pointer = pointer.cast::<W>();
                        // SAFETY: resolved for a whole word of this thread's LDS.
                        unsafe {
                            let old = pointer.read_unaligned();
                            pointer.write_unaligned(M::apply(context, old, all, all));
                        }
                    }
                    return;
                }
                let mut before = [W::default(); GROUP];
                lanes.each(
                    #[inline(always)]
                    |i, pointer| {
                        let pointer = pointer.cast::<W>();
                        // SAFETY: resolved for a whole word of this thread's LDS.
                        unsafe {
                            let old = pointer.read_unaligned();
                            pointer.write_unaligned(M::apply(context, old, data[i], second[i]));
                            before[i] = old;
                        }
                    },
                );
                if returns {
                    write_result(wave, op.dst as usize, group, &before);
                }
            },
        )
    }
}

/// `ds_wrxchg2*`: two exchanges per lane, at offsets in units of `SCALE` words.
struct ExchangeTwo<W, const WORDS: usize, const SCALE: u32>(PhantomData<W>);

impl<W: Word, const WORDS: usize, const SCALE: u32> Body for ExchangeTwo<W, WORDS, SCALE> {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let limit = lds::limit(wave, env);
        let offsets = two_offsets::<WORDS, SCALE>(op);
        lds::each_group(wave, |wave, group| {
            let mut before = [[W::default(); GROUP]; 2];
            let parts = offsets.map(|offset| {
                let at = lds::addresses(wave, op, group, offset);
                resolve(wave, env, group, &at, 4 * WORDS as u32, limit)
            });
            let data = [1, 2].map(|index| operand::<W>(wave, op.src[index].index as usize, group));
            let mut pointers = [[None; GROUP]; 2];
            for (pointers, lanes) in pointers.iter_mut().zip(&parts) {
                lanes.each(|i, pointer| pointers[i] = Some(pointer.cast::<W>()));
            }
            // Lane by lane, and both words read before either is written.
            for i in 0..GROUP {
                for part in 0..2 {
                    if let Some(pointer) = pointers[part][i] {
                        // SAFETY: resolved for a whole word of this thread's LDS.
                        before[part][i] = unsafe { pointer.read_unaligned() };
                    }
                }
                for part in 0..2 {
                    if let Some(pointer) = pointers[part][i] {
                        // SAFETY: resolved for a whole word of this thread's LDS.
                        unsafe { pointer.write_unaligned(data[part][i]) };
                    }
                }
            }
            for (part, before) in before.iter().enumerate() {
                write_result(wave, op.dst as usize + part * WORDS, group, before);
            }
        })
    }
}

/// `ds_condxchg32_rtn_b64`: each dword is replaced by the low 31 bits of its data if bit 31 of the data is set.
struct ConditionalExchange;

impl Body for ConditionalExchange {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let limit = lds::limit(wave, env);
        lds::each_group(wave, |wave, group| {
            let at = lds::addresses(wave, op, group, op.lds().offset).map(|at| at & 0xfff8);
            let data = operand::<u64>(wave, op.src[1].index as usize, group);
            let mut before = [0u64; GROUP];
            for half in 0..2 {
                let at = at.map(|at| at + 4 * half);
                let lanes = resolve(wave, env, group, &at, 4, limit);
                lanes.each(|i, pointer| {
                    let pointer = pointer.cast::<u32>();
                    let data = (data[i] >> (32 * half)) as u32;
                    // SAFETY: resolved for a dword of this thread's LDS.
                    unsafe {
                        before[i] |= u64::from(pointer.read_unaligned()) << (32 * half);
                        if data >> 31 != 0 {
                            pointer.write_unaligned(data & 0x7fff_ffff);
                        }
                    }
                });
            }
            write_result(wave, op.dst as usize, group, &before);
        })
    }
}

/// `ds_*_src2_*` (gfx9 before gfx90a): the word at B changes the word at A. B lies a signed number of dwords from A.
/// The number is in bits 14:0 of the offset or, if offset bit 15 is set, in bits 31:17 of the address, whose bits 16:0
/// then are A.
struct SourceTwo<W, M>(PhantomData<(W, M)>);

impl<W: Word, M: Modify<W>> Body for SourceTwo<W, M> {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let limit = lds::limit(wave, env);
        let context = wave.mode.context();
        let bytes = 4 * W::WORDS as u32;
        lds::each_group(wave, |wave, group| {
            let raw = lds::addresses(wave, op, group, 0);
            let offset = op.lds().offset;
            let in_address = offset >> 15 & 1 != 0;
            let first = raw.map(|raw| if in_address { raw & 0x1_ffff } else { raw });
            let second = std::array::from_fn(|i| {
                let field = if in_address {
                    raw[i] as i32
                } else {
                    (offset << 17) as i32
                };
                first[i].wrapping_add(4 * (field >> 17) as u32)
            });
            let targets = resolve(wave, env, group, &first, bytes, limit);
            let sources = resolve(wave, env, group, &second, bytes, limit);
            let mut pointers = [None; GROUP];
            sources.each(|i, pointer| pointers[i] = Some(pointer.cast::<W>()));
            targets.each(|i, pointer| {
                let pointer = pointer.cast::<W>();
                // SAFETY: both were resolved for a whole word of this thread's LDS.
                unsafe {
                    let data = pointers[i].map_or(W::default(), |source| source.read_unaligned());
                    let old = pointer.read_unaligned();
                    pointer.write_unaligned(M::apply(context, old, data, data));
                }
            });
        })
    }
}

/// Appends this file's rows.
#[rustfmt::skip]
pub(super) fn rows(rows: &mut Vec<Row>) {
    macro_rules! atomics {
        ($($modify:ident<$word:ident>: $plain:literal, $returning:literal;)*) => {$(
            if !$plain.is_empty() {
                ds::push_looking(rows, $plain, Data::Plain, shell::scalar_handler::<Atomic<$word, $modify>>);
            }
            ds::push_looking(rows, $returning, Data::Returned, shell::scalar_handler::<Atomic<$word, $modify>>);
        )*};
    }
    atomics! {
        Add<u32>:               "ds_add_u32",   "ds_add_rtn_u32";
        Subtract<u32>:          "ds_sub_u32",   "ds_sub_rtn_u32";
        ReverseSubtract<u32>:   "ds_rsub_u32",  "ds_rsub_rtn_u32";
        Increment<u32>:         "ds_inc_u32",   "ds_inc_rtn_u32";
        Decrement<u32>:         "ds_dec_u32",   "ds_dec_rtn_u32";
        SignedMin<u32>:         "ds_min_i32",   "ds_min_rtn_i32";
        SignedMax<u32>:         "ds_max_i32",   "ds_max_rtn_i32";
        UnsignedMin<u32>:       "ds_min_u32",   "ds_min_rtn_u32";
        UnsignedMax<u32>:       "ds_max_u32",   "ds_max_rtn_u32";
        And<u32>:               "ds_and_b32",   "ds_and_rtn_b32";
        Or<u32>:                "ds_or_b32",    "ds_or_rtn_b32";
        Xor<u32>:               "ds_xor_b32",   "ds_xor_rtn_b32";
        MaskedOr<u32>:          "ds_mskor_b32", "ds_mskor_rtn_b32";
        CompareStore<u32>:      "ds_cmpst_b32", "ds_cmpst_rtn_b32";
        Swap<u32>:              "",             "ds_wrxchg_rtn_b32";
        Wrap<u32>:              "",             "ds_wrap_rtn_b32";
        FloatAdd<u32>:          "ds_add_f32",   "ds_add_rtn_f32";
        FloatMin<u32>:          "ds_min_f32",   "ds_min_rtn_f32";
        FloatMax<u32>:          "ds_max_f32",   "ds_max_rtn_f32";
        FloatCompareStore<u32>: "ds_cmpst_f32", "ds_cmpst_rtn_f32";
        PackedHalfAdd<u32>:     "ds_pk_add_f16",  "ds_pk_add_rtn_f16";
        PackedBf16Add<u32>:     "ds_pk_add_bf16", "ds_pk_add_rtn_bf16";
        Add<u64>:               "ds_add_u64",   "ds_add_rtn_u64";
        Subtract<u64>:          "ds_sub_u64",   "ds_sub_rtn_u64";
        ReverseSubtract<u64>:   "ds_rsub_u64",  "ds_rsub_rtn_u64";
        Increment<u64>:         "ds_inc_u64",   "ds_inc_rtn_u64";
        Decrement<u64>:         "ds_dec_u64",   "ds_dec_rtn_u64";
        SignedMin<u64>:         "ds_min_i64",   "ds_min_rtn_i64";
        SignedMax<u64>:         "ds_max_i64",   "ds_max_rtn_i64";
        UnsignedMin<u64>:       "ds_min_u64",   "ds_min_rtn_u64";
        UnsignedMax<u64>:       "ds_max_u64",   "ds_max_rtn_u64";
        And<u64>:               "ds_and_b64",   "ds_and_rtn_b64";
        Or<u64>:                "ds_or_b64",    "ds_or_rtn_b64";
        Xor<u64>:               "ds_xor_b64",   "ds_xor_rtn_b64";
        MaskedOr<u64>:          "ds_mskor_b64", "ds_mskor_rtn_b64";
        CompareStore<u64>:      "ds_cmpst_b64", "ds_cmpst_rtn_b64";
        Swap<u64>:              "",             "ds_wrxchg_rtn_b64";
        FloatAdd<u64>:          "ds_add_f64",   "ds_add_rtn_f64";
        FloatMin<u64>:          "ds_min_f64",   "ds_min_rtn_f64";
        FloatMax<u64>:          "ds_max_f64",   "ds_max_rtn_f64";
        FloatCompareStore<u64>: "ds_cmpst_f64", "ds_cmpst_rtn_f64";
        // Since gfx12.
        SubtractIfEnough<u32>:  "ds_cond_sub_u32", "ds_cond_sub_rtn_u32";
        SubtractClamped<u32>:   "ds_sub_clamp_u32", "ds_sub_clamp_rtn_u32";
        NumberMin<u32>:         "ds_min_num_f32", "ds_min_num_rtn_f32";
        NumberMax<u32>:         "ds_max_num_f32", "ds_max_num_rtn_f32";
        NumberMin<u64>:         "ds_min_num_f64", "ds_min_num_rtn_f64";
        NumberMax<u64>:         "ds_max_num_f64", "ds_max_num_rtn_f64";
        // Since gfx11 the new value comes first.
        CompareSwap<u32>:       "ds_cmpstore_b32", "ds_cmpstore_rtn_b32";
        CompareSwap<u64>:       "ds_cmpstore_b64", "ds_cmpstore_rtn_b64";
        FloatCompareSwap<u32>:  "ds_cmpstore_f32", "ds_cmpstore_rtn_f32";
        FloatCompareSwap<u64>:  "ds_cmpstore_f64", "ds_cmpstore_rtn_f64";
    }
    macro_rules! from_lds {
        ($($modify:ident<$word:ident>: $name:literal;)*) => {$(
            ds::push(rows, concat!("ds_", $name), Data::Plain, shell::handler::<SourceTwo<$word, $modify>>);
        )*};
    }
    from_lds! {
        Add<u32>:             "add_src2_u32";
        Subtract<u32>:        "sub_src2_u32";
        ReverseSubtract<u32>: "rsub_src2_u32";
        Increment<u32>:       "inc_src2_u32";
        Decrement<u32>:       "dec_src2_u32";
        SignedMin<u32>:       "min_src2_i32";
        SignedMax<u32>:       "max_src2_i32";
        UnsignedMin<u32>:     "min_src2_u32";
        UnsignedMax<u32>:     "max_src2_u32";
        And<u32>:             "and_src2_b32";
        Or<u32>:              "or_src2_b32";
        Xor<u32>:             "xor_src2_b32";
        Swap<u32>:            "write_src2_b32";
        FloatMin<u32>:        "min_src2_f32";
        FloatMax<u32>:        "max_src2_f32";
        FloatAdd<u32>:        "add_src2_f32";
        Add<u64>:             "add_src2_u64";
        Subtract<u64>:        "sub_src2_u64";
        ReverseSubtract<u64>: "rsub_src2_u64";
        Increment<u64>:       "inc_src2_u64";
        Decrement<u64>:       "dec_src2_u64";
        SignedMin<u64>:       "min_src2_i64";
        SignedMax<u64>:       "max_src2_i64";
        UnsignedMin<u64>:     "min_src2_u64";
        UnsignedMax<u64>:     "max_src2_u64";
        And<u64>:             "and_src2_b64";
        Or<u64>:              "or_src2_b64";
        Xor<u64>:             "xor_src2_b64";
        Swap<u64>:            "write_src2_b64";
        FloatMin<u64>:        "min_src2_f64";
        FloatMax<u64>:        "max_src2_f64";
    }
    ds::push(rows, "ds_wrxchg2_rtn_b32",     Data::Returned, shell::scalar_handler::<ExchangeTwo<u32, 1, 1>>);
    ds::push(rows, "ds_wrxchg2_rtn_b64",     Data::Returned, shell::scalar_handler::<ExchangeTwo<u64, 2, 1>>);
    ds::push(rows, "ds_wrxchg2st64_rtn_b32", Data::Returned, shell::scalar_handler::<ExchangeTwo<u32, 1, 64>>);
    ds::push(rows, "ds_wrxchg2st64_rtn_b64", Data::Returned, shell::scalar_handler::<ExchangeTwo<u64, 2, 64>>);
    ds::push(rows, "ds_condxchg32_rtn_b64",  Data::Returned, shell::scalar_handler::<ConditionalExchange>);
}
