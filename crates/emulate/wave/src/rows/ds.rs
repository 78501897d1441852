//! DS: loads and stores of LDS, and the lane permutations that share its encoding.

use super::{Row, Shape, lds_exact::outside};
use crate::{
    LANES,
    access::{
        lanes::{self, Fill, GROUP},
        lds::{
            addresses, each_group, lane_addresses, limit, read_word, read_words, resolve, spread,
            two_offsets, write_words,
        },
        spread::Offsets,
    },
    engine::Env,
    micro_op::{Data, Generation, Handler, MicroOp, flow},
    shell::{self, Body},
    state::Wave,
};

struct Read<const WORDS: usize>;

impl<const WORDS: usize> Read<WORDS> {
    /// The accesses that `Spread` cannot do.
    #[inline(never)]
    fn by_groups(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        if let Some(stopped) = outside(wave, op, env) {
            return stopped;
        }
        let limit = limit(wave, env);
        each_group(
            wave,
            #[inline(always)]
            |wave, group| {
                let at = addresses(wave, op, group, op.lds().offset);
                read_words::<WORDS>(wave, env, op.dst as usize, group, &at, limit);
            },
        )
    }
}

impl<const WORDS: usize> Body for Read<WORDS> {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        if let Some(spread) = spread(wave, op, env, 4 * WORDS as u32) {
            spread.load_words::<WORDS>(wave, op.dst as usize);
            return flow::NEXT;
        }
        Self::by_groups(wave, op, env)
    }
}

/// Two elements of `WORDS` dwords at offsets in units of `SCALE` elements.
struct Read2<const WORDS: usize, const SCALE: u32>;

impl<const WORDS: usize, const SCALE: u32> Read2<WORDS, SCALE> {
    /// The accesses that `Spread` cannot do.
    #[inline(never)]
    fn by_groups(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        if let Some(stopped) = outside(wave, op, env) {
            return stopped;
        }
        let limit = limit(wave, env);
        let [first, second] = two_offsets::<WORDS, SCALE>(op);
        let dst = op.dst as usize;
        each_group(
            wave,
            #[inline(always)]
            |wave, group| {
                // Both addresses before the first result: the result may lie over the address.
                let at = [first, second].map(
                    #[inline(always)]
                    |offset| addresses(wave, op, group, offset),
                );
                read_words::<WORDS>(wave, env, dst, group, &at[0], limit);
                read_words::<WORDS>(wave, env, dst + WORDS, group, &at[1], limit);
            },
        )
    }
}

impl<const WORDS: usize, const SCALE: u32> Body for Read2<WORDS, SCALE> {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let [first, second] = two_offsets::<WORDS, SCALE>(op);
        let dst = op.dst as usize;
        if let Some(offsets) = Offsets::of_row(wave, op.src[0].index as usize) {
            let bytes = 4 * WORDS as u32;
            if second == first.wrapping_add(bytes)
                && let Some(both) = offsets.in_lds(wave, env, first, 2 * bytes)
            {
                match WORDS {
                    1 => both.load_words::<2>(wave, dst),
                    _ => both.load_words::<4>(wave, dst),
                }
                return flow::NEXT;
            }
            let mut offsets = offsets;
            if offsets.lie_in(dst, 2 * WORDS) {
                offsets = offsets.kept(wave);
            }
            let one = offsets.in_lds(wave, env, first, bytes);
            let two = offsets.in_lds(wave, env, second, bytes);
            if let (Some(one), Some(two)) = (one, two) {
                one.load_words::<WORDS>(wave, dst);
                two.load_words::<WORDS>(wave, dst + WORDS);
                return flow::NEXT;
            }
        }
        Self::by_groups(wave, op, env)
    }
}

struct ReadBytes<const BYTES: usize>;

impl<const BYTES: usize> ReadBytes<BYTES> {
    /// The accesses that `Spread` cannot do.
    #[inline(never)]
    fn by_groups(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        if let Some(stopped) = outside(wave, op, env) {
            return stopped;
        }
        let limit = limit(wave, env);
        let fill = op.lds().fill();
        each_group(
            wave,
            #[inline(always)]
            |wave, group| {
                let at = addresses(wave, op, group, op.lds().offset);
                let lanes = resolve(wave, env, group, &at, BYTES as u32, limit);
                lanes::load_bytes::<BYTES>(wave, op.dst as usize, group, &lanes, fill);
            },
        )
    }
}

impl<const BYTES: usize> Body for ReadBytes<BYTES> {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let fill = op.lds().fill();
        if let Some(spread) = spread(wave, op, env, BYTES as u32) {
            spread.load_bytes::<BYTES>(wave, op.dst as usize, fill);
            return flow::NEXT;
        }
        Self::by_groups(wave, op, env)
    }
}

struct Write<const WORDS: usize>;

impl<const WORDS: usize> Write<WORDS> {
    /// The accesses that `Spread` cannot do.
    #[inline(never)]
    fn by_groups(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        if let Some(stopped) = outside(wave, op, env) {
            return stopped;
        }
        let limit = limit(wave, env);
        each_group(
            wave,
            #[inline(always)]
            |wave, group| {
                let at = addresses(wave, op, group, op.lds().offset);
                write_words::<WORDS>(wave, env, op.src[1].index as usize, group, &at, limit);
            },
        )
    }
}

impl<const WORDS: usize> Body for Write<WORDS> {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        if let Some(spread) = spread(wave, op, env, 4 * WORDS as u32) {
            spread.store_words::<WORDS>(wave, op.src[1].index as usize);
            return flow::NEXT;
        }
        Self::by_groups(wave, op, env)
    }
}

struct Write2<const WORDS: usize, const SCALE: u32>;

impl<const WORDS: usize, const SCALE: u32> Write2<WORDS, SCALE> {
    /// The accesses that `Spread` cannot do.
    #[inline(never)]
    fn by_groups(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        if let Some(stopped) = outside(wave, op, env) {
            return stopped;
        }
        let limit = limit(wave, env);
        let offsets = two_offsets::<WORDS, SCALE>(op);
        // All lanes write their first element, then all their second.
        for (index, offset) in offsets.into_iter().enumerate() {
            each_group(
                wave,
                #[inline(always)]
                |wave, group| {
                    let at = addresses(wave, op, group, offset);
                    let data = op.src[1 + index].index as usize;
                    write_words::<WORDS>(wave, env, data, group, &at, limit);
                },
            );
        }
        flow::NEXT
    }
}

impl<const WORDS: usize, const SCALE: u32> Body for Write2<WORDS, SCALE> {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let offsets = two_offsets::<WORDS, SCALE>(op);
        if let Some(lanes) = Offsets::of_row(wave, op.src[0].index as usize) {
            let bytes = 4 * WORDS as u32;
            let one = lanes.in_lds(wave, env, offsets[0], bytes);
            let two = lanes.in_lds(wave, env, offsets[1], bytes);
            if let (Some(one), Some(two)) = (one, two) {
                one.store_words::<WORDS>(wave, op.src[1].index as usize);
                two.store_words::<WORDS>(wave, op.src[2].index as usize);
                return flow::NEXT;
            }
        }
        Self::by_groups(wave, op, env)
    }
}

/// Stores the low 1 or 2 bytes of the low or of the high half.
struct WriteBytes<const BYTES: usize>;

impl<const BYTES: usize> WriteBytes<BYTES> {
    /// The accesses that `Spread` cannot do.
    #[inline(never)]
    fn by_groups(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        if let Some(stopped) = outside(wave, op, env) {
            return stopped;
        }
        let limit = limit(wave, env);
        let shift = op.lds().store_shift();
        each_group(
            wave,
            #[inline(always)]
            |wave, group| {
                let at = addresses(wave, op, group, op.lds().offset);
                let lanes = resolve(wave, env, group, &at, BYTES as u32, limit);
                lanes::store_bytes::<BYTES>(wave, op.src[1].index as usize, group, &lanes, shift);
            },
        )
    }
}

impl<const BYTES: usize> Body for WriteBytes<BYTES> {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let shift = op.lds().store_shift();
        if let Some(spread) = spread(wave, op, env, BYTES as u32) {
            spread.store_bytes::<BYTES>(wave, op.src[1].index as usize, shift);
            return flow::NEXT;
        }
        Self::by_groups(wave, op, env)
    }
}

struct ReadAddTid;

impl Body for ReadAddTid {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let limit = limit(wave, env);
        each_group(wave, |wave, group| {
            let at = lane_addresses(wave, op, group);
            read_words::<1>(wave, env, op.dst as usize, group, &at, limit);
        })
    }
}

struct WriteAddTid;

impl Body for WriteAddTid {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let limit = limit(wave, env);
        each_group(wave, |wave, group| {
            let at = lane_addresses(wave, op, group);
            write_words::<1>(wave, env, op.src[1].index as usize, group, &at, limit);
        })
    }
}

/// Writes `values` to the active lanes of the destination.
#[inline(always)]
fn write_row(wave: &mut Wave, op: &MicroOp, values: &[u32; LANES]) -> u32 {
    for group in 0..wave.groups {
        let part: [u32; GROUP] = std::array::from_fn(
            #[inline(always)]
            |i| values[GROUP * group + i],
        );
        lanes::write_active(wave, op.dst as usize, group, part);
    }
    flow::NEXT
}

/// A source row with inactive lanes zeroed, as permutations see it.
#[inline(always)]
fn active_source(wave: &Wave, row: usize) -> [u32; LANES] {
    std::array::from_fn(
        #[inline(always)]
        |lane| wave.row(row).0[lane] & wave.exec_lanes.0[lane],
    )
}

/// Lanes that permute among each other: all 64 on gfx9, 32 on gfx10 and gfx11, all of the wave since gfx12.
#[inline(always)]
fn permute_lanes(wave: &Wave, op: &MicroOp) -> usize {
    if op.lds().generation >= Generation::GFX12 {
        wave.wave_size as usize
    } else if op.lds().generation >= Generation::GFX10 {
        32
    } else {
        64
    }
}

/// Pull: lane i gets the value of lane (address / 4), zero if that lane is inactive.
struct BackwardPermute<const INACTIVE: bool>;

impl<const INACTIVE: bool> Body for BackwardPermute<INACTIVE> {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let row = op.src[1].index as usize;
        let source = match INACTIVE {
            true => wave.row(row).0,
            false => active_source(wave, row),
        };
        let lanes = permute_lanes(wave, op);
        let address = &wave.row(op.src[0].index as usize).0;
        let offset = op.lds().offset;
        #[cfg(target_arch = "x86_64")]
        if wave.avx512 {
            // SAFETY: the host has AVX-512.
            let values = unsafe {
                vectors::full_wave::pulled512(
                    lanes == LANES,
                    &source,
                    wave.row(op.src[0].index as usize),
                    offset,
                )
            };
            return write_row(wave, op, &values);
        }
        let values: [u32; LANES] = std::array::from_fn(
            #[inline(always)]
            |lane| {
                let from = (address[lane].wrapping_add(offset) >> 2) as usize & (lanes - 1);
                source[(lane & !(lanes - 1) | from) & (LANES - 1)]
            },
        );
        write_row(wave, op, &values)
    }
}

/// Push: lane i sends its value to lane (address / 4); the highest sender wins, and lanes without a sender get zero.
struct Permute;

impl Body for Permute {
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let exec = wave.exec();
        let lanes = permute_lanes(wave, op);
        let mut values = [0; LANES];
        for lane in (0..wave.wave_size as usize).filter(|lane| exec >> lane & 1 != 0) {
            let address = wave.row(op.src[0].index as usize).0[lane].wrapping_add(op.lds().offset);
            let to = (address >> 2) as usize & (lanes - 1);
            values[lane & !(lanes - 1) | to] = wave.row(op.src[1].index as usize).0[lane];
        }
        write_row(wave, op, &values)
    }
}

/// Lane that `lane` reads under an offset of `ds_swizzle_b32`: each half of the wave by itself.
pub fn swizzle_source(offset: u32, lane: u32) -> u32 {
    let (half, lane) = (lane & 0x20, lane & 0x1f);
    let from = if offset >= 0xe000 {
        // FFT: bits reversed, with the bits under the mask kept.
        let mask = offset & 0x1f;
        (lane.reverse_bits() >> 27) >> mask.count_ones() | lane & mask
    } else if offset >= 0xc000 {
        let (mask, count) = (offset & 0x1f, offset >> 5 & 0x1f);
        let moved = if offset >> 10 & 1 != 0 {
            lane.wrapping_sub(count)
        } else {
            lane + count
        };
        lane & mask | moved & !mask & 0x1f
    } else if offset & 0x8000 != 0 {
        lane & !3 | offset >> (2 * (lane & 3)) & 3
    } else {
        (lane & offset & 0x1f | offset >> 5 & 0x1f) ^ (offset >> 10 & 0x1f)
    };
    half | from
}

struct Swizzle;

impl Body for Swizzle {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let source = active_source(wave, op.src[0].index as usize);
        let offset = op.lds().offset;
        let values: [u32; LANES] = std::array::from_fn(
            #[inline(always)]
            |lane| source[swizzle_source(offset, lane as u32) as usize & (LANES - 1)],
        );
        write_row(wave, op, &values)
    }
}

/// `ds_append` and `ds_consume`: the counter at M0 + offset moves by the number of active lanes, which all get its value
/// before.
struct Count<const CONSUME: bool>;

impl<const CONSUME: bool> Body for Count<CONSUME> {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let lanes = wave.exec().count_ones();
        if lanes == 0 {
            return flow::NEXT;
        }
        let limit = limit(wave, env);
        let address = (wave.m0() & 0xffff).wrapping_add(op.lds().offset);
        let before = read_word(env, address, limit);
        let after = if CONSUME {
            before.wrapping_sub(lanes)
        } else {
            before.wrapping_add(lanes)
        };
        if limit >= 4 && address <= limit - 4 {
            env.lds[address as usize..address as usize + 4].copy_from_slice(&after.to_le_bytes());
        }
        write_row(wave, op, &[before; LANES])
    }
}

struct Nop;

impl Body for Nop {
    fn run(_: &mut Wave, _: &MicroOp, _: &mut Env<'_>) -> u32 {
        flow::NEXT
    }
}

pub(super) fn push(
    rows: &mut Vec<Row>,
    mnemonic: &'static str,
    data: Data,
    handler: fn() -> Handler,
) {
    push_shape(rows, mnemonic, data, false, handler);
}

/// A row whose handler asks [`outside`] where it does not know that all lanes are inside.
pub(super) fn push_looking(
    rows: &mut Vec<Row>,
    mnemonic: &'static str,
    data: Data,
    handler: fn() -> Handler,
) {
    push_shape(rows, mnemonic, data, true, handler);
}

fn push_shape(
    rows: &mut Vec<Row>,
    mnemonic: &'static str,
    data: Data,
    looks: bool,
    handler: fn() -> Handler,
) {
    rows.push(Row {
        mnemonic,
        shape: Shape::Lds {
            data,
            gds: false,
            looks,
        },
        handler,
        changes_exec: false,
    });
}

/// Appends this file's rows.
#[rustfmt::skip]
pub(super) fn rows(rows: &mut Vec<Row>) {
    fn row<B: Body>(rows: &mut Vec<Row>, mnemonic: &'static str, data: Data) {
        push(rows, mnemonic, data, shell::handler::<B>);
    }
    fn looking<B: Body>(rows: &mut Vec<Row>, mnemonic: &'static str, data: Data) {
        push_looking(rows, mnemonic, data, shell::handler::<B>);
    }
    looking::<Read<1>>(rows, "ds_read_b32",  Data::Plain);
    looking::<Read<2>>(rows, "ds_read_b64",  Data::Plain);
    looking::<Read<3>>(rows, "ds_read_b96",  Data::Plain);
    looking::<Read<4>>(rows, "ds_read_b128", Data::Plain);
    looking::<Read2<1, 1>>(rows,  "ds_read2_b32",     Data::Plain);
    looking::<Read2<2, 1>>(rows,  "ds_read2_b64",     Data::Plain);
    looking::<Read2<1, 64>>(rows, "ds_read2st64_b32", Data::Plain);
    looking::<Read2<2, 64>>(rows, "ds_read2st64_b64", Data::Plain);
    looking::<ReadBytes<1>>(rows, "ds_read_u8",         Data::Fill(Fill::Zero));
    looking::<ReadBytes<1>>(rows, "ds_read_i8",         Data::Fill(Fill::Sign8));
    looking::<ReadBytes<2>>(rows, "ds_read_u16",        Data::Fill(Fill::Zero));
    looking::<ReadBytes<2>>(rows, "ds_read_i16",        Data::Fill(Fill::Sign16));
    looking::<ReadBytes<1>>(rows, "ds_read_u8_d16",     Data::Fill(Fill::Low));
    looking::<ReadBytes<1>>(rows, "ds_read_u8_d16_hi",  Data::Fill(Fill::High));
    looking::<ReadBytes<1>>(rows, "ds_read_i8_d16",     Data::Fill(Fill::LowSign8));
    looking::<ReadBytes<1>>(rows, "ds_read_i8_d16_hi",  Data::Fill(Fill::HighSign8));
    looking::<ReadBytes<2>>(rows, "ds_read_u16_d16",    Data::Fill(Fill::Low));
    looking::<ReadBytes<2>>(rows, "ds_read_u16_d16_hi", Data::Fill(Fill::High));
    looking::<Write<1>>(rows, "ds_write_b32",  Data::Plain);
    looking::<Write<2>>(rows, "ds_write_b64",  Data::Plain);
    looking::<Write<3>>(rows, "ds_write_b96",  Data::Plain);
    looking::<Write<4>>(rows, "ds_write_b128", Data::Plain);
    looking::<Write2<1, 1>>(rows,  "ds_write2_b32",     Data::Plain);
    looking::<Write2<2, 1>>(rows,  "ds_write2_b64",     Data::Plain);
    looking::<Write2<1, 64>>(rows, "ds_write2st64_b32", Data::Plain);
    looking::<Write2<2, 64>>(rows, "ds_write2st64_b64", Data::Plain);
    looking::<WriteBytes<1>>(rows, "ds_write_b8",         Data::Plain);
    looking::<WriteBytes<2>>(rows, "ds_write_b16",        Data::Plain);
    looking::<WriteBytes<1>>(rows, "ds_write_b8_d16_hi",  Data::Upper);
    looking::<WriteBytes<2>>(rows, "ds_write_b16_d16_hi", Data::Upper);
    row::<ReadAddTid>(rows,  "ds_read_addtid_b32",  Data::Plain);
    row::<WriteAddTid>(rows, "ds_write_addtid_b32", Data::Plain);
    row::<BackwardPermute<false>>(rows, "ds_bpermute_b32", Data::Plain);
    row::<BackwardPermute<true>>(rows, "ds_bpermute_fi_b32", Data::Plain);
    row::<Permute>(rows,         "ds_permute_b32",  Data::Plain);
    row::<Swizzle>(rows,         "ds_swizzle_b32",  Data::Plain);
    row::<Count<false>>(rows, "ds_append",  Data::Plain);
    row::<Count<true>>(rows,  "ds_consume", Data::Plain);
    row::<Nop>(rows, "ds_nop", Data::Plain);
}
