//! gfx950's transposing loads from LDS (`ds_read_*_tr_*`): sixteen lanes load a matrix of sixteen columns, and each gets one of
//! them.
//!
//! Every lane reads its own 64 (or 96) bits. The values of sixteen lanes, one after the other, are rows of sixteen, and lane `i`
//! receives the `i`th of every row. The published tables say nothing of these instructions; this is how AMD's compilers and
//! libraries use them.

use super::{Row, ds::push};
use crate::{
    access::{
        lanes::{self, GROUP},
        lds,
    },
    engine::Env,
    micro_op::{Data, MicroOp},
    shell::{self, Body},
    state::Wave,
};

/// Values of `BITS` bits in `WORDS` dwords per lane.
struct Transpose<const WORDS: usize, const BITS: usize>;

impl<const WORDS: usize, const BITS: usize> Body for Transpose<WORDS, BITS> {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let limit = lds::limit(wave, env);
        lds::each_group(wave, |wave, group| {
            let at = lds::addresses(wave, op, group, op.lds().offset);
            let read: [[u32; WORDS]; GROUP] = std::array::from_fn(|lane| {
                std::array::from_fn(|word| {
                    // Lanes that are off bring nothing along.
                    if lds::active(wave, group) >> lane & 1 == 0 {
                        return 0;
                    }
                    lds::read_word(env, at[lane].wrapping_add(4 * word as u32), limit)
                })
            });
            let per_lane = 32 * WORDS / BITS;
            let mut columns = [[0u32; WORDS]; GROUP];
            for (lane, column) in columns.iter_mut().enumerate() {
                for row in 0..per_lane {
                    let index = GROUP * row + lane;
                    let value = part::<WORDS, BITS>(&read[index / per_lane], index % per_lane);
                    place::<WORDS, BITS>(column, row, value);
                }
            }
            for word in 0..WORDS {
                let values = columns.map(|column| column[word]);
                lanes::write_active(wave, op.dst as usize + word, group, values);
            }
        })
    }
}

fn part<const WORDS: usize, const BITS: usize>(words: &[u32; WORDS], index: usize) -> u32 {
    let at = index * BITS;
    let low = u64::from(words[at / 32]);
    let high = u64::from(*words.get(at / 32 + 1).unwrap_or(&0));
    ((low | high << 32) >> (at % 32)) as u32 & ((1 << BITS) - 1)
}

fn place<const WORDS: usize, const BITS: usize>(
    words: &mut [u32; WORDS],
    index: usize,
    value: u32,
) {
    let at = index * BITS;
    let bits = u64::from(value) << (at % 32);
    words[at / 32] |= bits as u32;
    if bits >> 32 != 0 {
        words[at / 32 + 1] |= (bits >> 32) as u32;
    }
}

/// Appends this file's rows.
#[rustfmt::skip]
pub(super) fn rows(rows: &mut Vec<Row>) {
    push(rows, "ds_read_b64_tr_b16", Data::Plain, shell::handler::<Transpose<2, 16>>);
    push(rows, "ds_read_b64_tr_b8",  Data::Plain, shell::handler::<Transpose<2, 8>>);
    push(rows, "ds_read_b64_tr_b4",  Data::Plain, shell::handler::<Transpose<2, 4>>);
    push(rows, "ds_read_b96_tr_b6",  Data::Plain, shell::handler::<Transpose<3, 6>>);
}
