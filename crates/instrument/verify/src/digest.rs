//! The live state of a wave, as one number.
//!
//! This is what lockstep spends its time on, so vector registers go in as whole rows of 64-bit words.

use crate::{
    code::{Holder, Places},
    live::{Live, Part, RegisterRows},
};
use emulate::Wave;
use std::collections::HashMap;

const LANES: usize = 64;
/// Independent sums, so that the multiplications overlap.
const SUMS: usize = 8;
/// Odd, so that no difference in a single word is lost.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Lanes, two to a word: all ones where a lane counts.
type Mask = [u64; LANES / 2];

/// The live registers before one instruction, as rows of the waves of one execution.
#[derive(Debug)]
pub struct LiveRows {
    /// The words of the scalar file that count.
    scalars: Mask,
    /// Scalar registers that are not among the first [`LANES`].
    others: Vec<Part>,
    /// Vector registers with their rows: live in all lanes, in active ones alone, in inactive ones alone.
    both: Vec<(u16, usize)>,
    active: Vec<(u16, usize)>,
    inactive: Vec<(u16, usize)>,
}

impl LiveRows {
    pub fn new(live: &Live, rows: RegisterRows, wave: &Wave) -> LiveRows {
        let is_first = |register: &u16| usize::from(*register) < LANES;
        let mut first = 0_u64;
        for register in live.scalars.iter().filter(|register| is_first(register)) {
            first |= 1 << register;
        }
        let others = live.scalars.iter().filter(|register| !is_first(register));
        let rowed = |list: &[u16], wanted: &dyn Fn(&u16) -> bool| -> Vec<(u16, usize)> {
            let registers = list.iter().copied().filter(|register| wanted(register));
            registers
                .filter_map(|register| Some((register, rows.existing_row(wave, register)?)))
                .collect()
        };
        let is_active = |register: &u16| live.active.binary_search(register).is_ok();
        let is_inactive = |register: &u16| live.inactive.binary_search(register).is_ok();
        LiveRows {
            scalars: expand(first),
            others: others.map(|register| Part::Scalar(*register)).collect(),
            both: rowed(&live.active, &is_inactive),
            active: rowed(&live.active, &|register| !is_inactive(register)),
            inactive: rowed(&live.inactive, &|register| !is_active(register)),
        }
    }
}

/// Makes digests of one wave after the other; keeps the masks of the last EXEC.
#[derive(Debug)]
pub struct Digester {
    /// Lanes that are active, and all.
    lanes: [u64; 2],
    all: Mask,
    active: Mask,
    inactive: Mask,
}

impl Default for Digester {
    fn default() -> Digester {
        Digester {
            lanes: [0; 2],
            all: expand(0),
            active: expand(0),
            inactive: expand(0),
        }
    }
}

#[derive(Clone, Copy)]
struct Sums([u64; SUMS]);

impl Sums {
    fn word(&mut self, value: u32) {
        let sum = (self.0[0] ^ u64::from(value)).wrapping_mul(FACTOR);
        self.0[0] = sum.rotate_left(29);
    }

    #[inline]
    fn row(&mut self, lanes: &[u32; LANES], mask: &Mask) {
        let (pairs, _) = lanes.as_chunks::<2>();
        for (pairs, mask) in pairs.chunks_exact(SUMS).zip(mask.chunks_exact(SUMS)) {
            for ((sum, [low, high]), mask) in self.0.iter_mut().zip(pairs).zip(mask) {
                let word = u64::from(*low) | u64::from(*high) << 32;
                *sum = (*sum ^ (word & mask)).wrapping_mul(FACTOR);
            }
        }
        // A factor only carries upwards.
        for sum in &mut self.0 {
            *sum = sum.rotate_left(29);
        }
    }

    fn total(self) -> u64 {
        self.0.iter().fold(0, |total: u64, sum| {
            (total ^ sum).wrapping_mul(FACTOR).rotate_left(29)
        })
    }
}

impl Digester {
    /// The digest of all live state. A code address of the watched code counts as the original's address that it stands for.
    pub fn of_live(
        &mut self,
        live: &LiveRows,
        rows: RegisterRows,
        wave: &Wave,
        places: &Places,
        halves: &AddressHalves,
    ) -> u64 {
        let exec = wave.exec();
        let all = all_lanes(wave);
        self.set_lanes([exec, all]);
        let mut sums = Sums([0; SUMS]);
        match wave.sgprs().first_chunk() {
            Some(values) if !may_hold_address(values, places) => {
                sums.row(values, &live.scalars);
            }
            _ => {
                let meant = std::array::from_fn(|index| {
                    let value = wave.sgpr(index);
                    meaning(
                        rows,
                        wave,
                        places,
                        halves,
                        Part::Scalar(index as u16),
                        value,
                    )
                });
                sums.row(&meant, &live.scalars);
            }
        }
        for &part in &live.others {
            if let Some(value) = rows.read(wave, part) {
                sums.word(meaning(rows, wave, places, halves, part, value));
            }
        }
        let mut add = |registers: &[(u16, usize)], lanes: u64, mask: &Mask| {
            if lanes == 0 {
                return;
            }
            for &(register, row) in registers {
                let values = wave.vgpr_row(row);
                if may_hold_address(values, places) {
                    let meant = std::array::from_fn(|lane| {
                        let part = Part::Vector(register, lane as u8);
                        meaning(rows, wave, places, halves, part, values[lane])
                    });
                    sums.row(&meant, mask);
                } else {
                    sums.row(values, mask);
                }
            }
        };
        add(&live.both, all, &self.all);
        add(&live.active, exec, &self.active);
        add(&live.inactive, !exec & all, &self.inactive);
        sums.total()
    }

    /// The digest of all state of a wave, without memory.
    pub fn of_all(&self, rows: RegisterRows, wave: &Wave) -> u64 {
        let mut sums = Sums([0; SUMS]);
        Part::scalars()
            .filter_map(|part| rows.read(wave, part))
            .for_each(|value| sums.word(value));
        for row in 0..wave.vector_rows() {
            sums.row(wave.vgpr_row(row), &[u64::MAX; LANES / 2]);
        }
        sums.total()
    }

    fn set_lanes(&mut self, lanes: [u64; 2]) {
        if self.lanes != lanes {
            let [exec, all] = lanes;
            self.lanes = lanes;
            self.all = expand(all);
            self.active = expand(exec);
            self.inactive = expand(!exec & all);
        }
    }
}

fn expand(lanes: u64) -> Mask {
    let lane = |lane: usize| match lanes >> lane & 1 {
        1 => u64::from(u32::MAX),
        _ => 0,
    };
    std::array::from_fn(|index| lane(2 * index) | lane(2 * index + 1) << 32)
}

fn all_lanes(wave: &Wave) -> u64 {
    u64::MAX >> (u64::BITS - wave.wave_size())
}

fn may_hold_address(values: &[u32; LANES], places: &Places) -> bool {
    if places.are_own() {
        return false;
    }
    let found = |any: u32, value: &u32| any | u32::from(places.may_be_half(*value));
    values.iter().fold(0, found) != 0
}

/// Halves of code addresses that were moved alone in one wave. For example, a return address goes to lanes one half after the other, or a
/// vector register that kept one is copied in some of its lanes. For each, the map has its place, its value, and its meaning. A half stays
/// known after something else was put there, because functions keep inactive lanes in memory and bring them back.
#[derive(Clone, Debug, Default)]
pub struct AddressHalves(HashMap<(Part, u32), u32>);

impl AddressHalves {
    /// An instruction is about to move `from` to `to`.
    pub fn moved(
        &mut self,
        rows: RegisterRows,
        wave: &Wave,
        places: &Places,
        (from, to): (Holder, Holder),
    ) {
        if places.are_own() {
            return;
        }
        let mut one = |from, to| self.one_moved(rows, wave, places, from, to);
        let active = wave.exec();
        let lanes = (0..LANES as u8).filter(|lane| active >> lane & 1 == 1);
        match (from, to) {
            (Holder::Part(from), Holder::Part(to)) => one(from, to),
            (Holder::Part(from), Holder::Lanes(to)) => {
                lanes.for_each(|lane| one(from, Part::Vector(to, lane)));
            }
            (Holder::Lanes(from), Holder::Lanes(to)) => {
                let row = rows.existing_row(wave, from);
                if row.is_some_and(|row| may_hold_address(wave.vgpr_row(row), places)) {
                    lanes.for_each(|lane| one(Part::Vector(from, lane), Part::Vector(to, lane)));
                }
            }
            // Where none is active, it is the first of all.
            (Holder::Lanes(from), Holder::Part(to)) => {
                one(Part::Vector(from, active.trailing_zeros() as u8 & 63), to);
            }
        }
    }

    fn one_moved(
        &mut self,
        rows: RegisterRows,
        wave: &Wave,
        places: &Places,
        from: Part,
        to: Part,
    ) {
        if let Some(value) = rows.read(wave, from)
            && places.may_be_half(value)
        {
            let meant = meaning(rows, wave, places, self, from, value);
            if meant != value {
                self.0.insert((to, value), meant);
            }
        }
    }

    /// Its meaning, if it is a half of an address.
    fn meant(&self, part: Part, value: u32) -> Option<u32> {
        self.0.get(&(part, value)).copied()
    }
}

/// The meaning of `value` in `part`. Both halves of an address must be there, because any number might be half of one. They are in
/// scalar or vector registers side by side, or in lanes side by side, where return addresses are kept. A value that is known to be a half
/// needs no other.
pub fn meaning(
    rows: RegisterRows,
    wave: &Wave,
    places: &Places,
    halves: &AddressHalves,
    part: Part,
    value: u32,
) -> u32 {
    if places.are_own() || !places.may_be_half(value) {
        return value;
    }
    if let Some(meant) = halves.meant(part, value) {
        return meant;
    }
    let meant = |low: u32, high: u32| places.meant(u64::from(high) << 32 | u64::from(low));
    let as_high = || {
        let lows = below(part).into_iter().flatten();
        let mut lows = lows.filter_map(|part| rows.read(wave, part));
        lows.find_map(|low| Some((meant(low, value)? >> 32) as u32))
    };
    let as_low = || {
        let highs = above(part).map(|part| rows.read(wave, part));
        let mut highs = highs.into_iter().flatten();
        highs.find_map(|high| Some(meant(value, high)? as u32))
    };
    let high_first = matches!(part, Part::Scalar(index) if index & 1 == 1);
    let found = match high_first {
        true => as_high().or_else(as_low),
        false => as_low().or_else(as_high),
    };
    found.unwrap_or(value)
}

/// The places of the high half of an address whose low half is in `part`.
fn above(part: Part) -> [Part; 2] {
    match part {
        Part::Scalar(index) => [Part::Scalar(index + 1); 2],
        Part::Vector(register, lane) => [
            Part::Vector(register, lane + 1),
            Part::Vector(register + 1, lane),
        ],
    }
}

/// The places of the low half of an address whose high half is in `part`.
fn below(part: Part) -> [Option<Part>; 2] {
    match part {
        Part::Scalar(index) => [index.checked_sub(1).map(Part::Scalar), None],
        Part::Vector(register, lane) => [
            lane.checked_sub(1).map(|lane| Part::Vector(register, lane)),
            register
                .checked_sub(1)
                .map(|register| Part::Vector(register, lane)),
        ],
    }
}
