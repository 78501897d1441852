//! Lanes of a source that DPP moves, and parts of words.

use isa::{Decoded, Effects, Format, fields::bits};
use wave::swizzle_source;

use crate::lanes::{LANES, NONE, Row, each};

/// The part of a word that an instruction reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub shift: u32,
    /// Number of bits.
    pub width: u32,
    /// The sign fills what is above.
    pub signed: bool,
}

impl Part {
    pub const WHOLE: Part = Part::half(32, false);

    /// The low or the high half, or with 32 bits the whole word.
    pub const fn half(width: u32, high: bool) -> Part {
        Part {
            shift: if high { 16 } else { 0 },
            width,
            signed: false,
        }
    }

    /// By the field of SDWA.
    fn sdwa(select: u32, signed: bool) -> Part {
        let (shift, width) = match select {
            0..=3 => (8 * select, 8),
            4 | 5 => (16 * (select - 4), 16),
            _ => (0, 32),
        };
        Part {
            shift,
            width,
            signed,
        }
    }

    pub fn read(self, word: u32) -> u32 {
        let unused = 32 - self.width;
        let up = word >> self.shift << unused;
        match self.signed {
            true => ((up as i32) >> unused) as u32,
            false => up >> unused,
        }
    }

    fn mask(self) -> u32 {
        (!0 >> (32 - self.width)) << self.shift
    }

    /// `old` with this part replaced.
    pub fn write(self, old: u32, part: u32) -> u32 {
        old & !self.mask() | part << self.shift & self.mask()
    }
}

/// The parts of an SDWA instruction.
pub(crate) struct Sdwa {
    pub sources: [Part; 2],
    pub destination: Part,
    /// The rest of the destination stays; else it is zeros or signs.
    pub preserves: bool,
}

impl Sdwa {
    pub fn of(inst: &Decoded) -> Option<Sdwa> {
        if !inst.effects.contains(Effects::SDWA) {
            return None;
        }
        let word = inst.words[1];
        let flag = |at| bits(word, at, at) != 0;
        Some(Sdwa {
            sources: [
                Part::sdwa(bits(word, 18, 16), flag(19)),
                Part::sdwa(bits(word, 26, 24), flag(27)),
            ],
            destination: Part::sdwa(bits(word, 10, 8), false),
            preserves: bits(word, 12, 11) == 2,
        })
    }
}

/// How DPP or `ds_swizzle_b32` moves the lanes of the first source.
#[derive(Clone, Debug)]
pub(crate) struct Dpp {
    /// The lane that each lane reads.
    from: [Option<u8>; LANES],
    /// Lanes that the row and bank masks let write.
    writes: u64,
    /// A lane without a source gets zero; else it keeps what it has.
    zero: bool,
    /// Lanes that are off can be read.
    fetches_inactive: bool,
}

impl Dpp {
    pub fn of(inst: &Decoded) -> Option<Dpp> {
        let word = inst.words[usize::from(inst.size) / 4 - 1];
        if inst.effects.contains(Effects::DPP8) {
            let from = std::array::from_fn(|lane| {
                let select = word >> (8 + 3 * (lane & 7)) & 7;
                Some((lane as u32 & !7 | select) as u8)
            });
            return Some(Dpp {
                from,
                writes: !0,
                zero: true,
                fetches_inactive: false,
            });
        }
        if !inst.effects.contains(Effects::DPP16) {
            return None;
        }
        let (banks, rows) = (bits(word, 27, 24), bits(word, 31, 28));
        let control = bits(word, 16, 8);
        let writes = (0..LANES).fold(0, |writes, lane| {
            let on = rows >> ((lane / 16) & 3) & banks >> ((lane / 4) & 3) & 1;
            writes | u64::from(on) << lane
        });
        Some(Dpp {
            from: std::array::from_fn(|lane| source(control, lane as i32).map(|lane| lane as u8)),
            writes,
            zero: bits(word, 19, 19) != 0,
            fetches_inactive: bits(word, 18, 18) != 0,
        })
    }

    /// The moves of `ds_swizzle_b32` with this offset. Lanes that are off give zero.
    pub fn of_swizzle(offset: u32) -> Dpp {
        Dpp {
            from: std::array::from_fn(|lane| Some(swizzle_source(offset, lane as u32) as u8)),
            writes: !0,
            zero: true,
            fetches_inactive: false,
        }
    }

    /// The moved row, and which lanes of `exec` write.
    pub fn apply(&self, row: &Row, exec: u64) -> (Row, u64) {
        let (mut moved, mut mask) = (NONE, exec & self.writes);
        for lane in each(exec & self.writes) {
            let readable = |from: &u8| self.fetches_inactive || exec >> from & 1 != 0;
            match self.from[lane].filter(readable) {
                Some(from) => moved[lane] = row[usize::from(from)],
                None if self.zero => {}
                None => mask &= !(1 << lane),
            }
        }
        (moved, mask)
    }
}

/// The lane that `lane` reads under a control of DPP.
fn source(control: u32, lane: i32) -> Option<i32> {
    let by = (control & 15) as i32;
    let (row, within) = (lane & !15, lane & 15);
    let in_row = |at: i32| (0..16).contains(&at).then_some(row + at);
    let in_wave = |at: i32| (0..LANES as i32).contains(&at).then_some(at);
    match control {
        0..=0xff => Some(lane & !3 | (control >> (2 * (lane & 3)) & 3) as i32),
        0x101..=0x10f => in_row(within + by),
        0x111..=0x11f => in_row(within - by),
        0x121..=0x12f => Some(row + ((within - by) & 15)),
        0x130 => in_wave(lane + 1),
        0x134 => Some((lane + 1) & 63),
        0x138 => in_wave(lane - 1),
        0x13c => Some((lane - 1) & 63),
        0x140 => Some(row + 15 - within),
        0x141 => Some(lane & !7 | (7 - (lane & 7))),
        0x142 => in_wave(row - 1),
        0x143 => (lane >= 32).then_some(31),
        0x150..=0x15f => Some(row + by),
        0x160..=0x16f => Some(row + (within ^ by)),
        _ => None,
    }
}

/// How `v_permlane` instructions choose the lane that each lane reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permutation {
    /// Within a row of 16, or with `true` from the other row of its pair: 16 numbers of four bits, in two scalars.
    Scalars(bool),
    /// The same, and each lane has its own number.
    Each(bool),
    /// The other half of the wave.
    OtherHalf,
}

impl Permutation {
    pub fn of(first_name: &str) -> Option<Permutation> {
        Some(match first_name {
            "v_permlane16_b32" => Permutation::Scalars(false),
            "v_permlanex16_b32" => Permutation::Scalars(true),
            "v_permlane16_var_b32" => Permutation::Each(false),
            "v_permlanex16_var_b32" => Permutation::Each(true),
            "v_permlane64_b32" => Permutation::OtherHalf,
            _ => return None,
        })
    }

    /// The number of sources that choose lanes, behind the one that is moved.
    pub fn selectors(self) -> usize {
        match self {
            Permutation::Scalars(_) => 2,
            Permutation::Each(_) => 1,
            Permutation::OtherHalf => 0,
        }
    }

    /// The moves with these values of the sources that choose, in a wave of so many lanes.
    pub fn moves(self, selectors: [&Row; 2], inst: PermuteBits, wave_size: u32) -> Dpp {
        let both = u64::from(selectors[0][0]) | u64::from(selectors[1][0]) << 32;
        let from = |lane: usize| {
            let row = lane & !15;
            match self {
                Permutation::Scalars(other) => {
                    (row ^ (usize::from(other) * 16)) | (both >> (4 * (lane & 15)) & 15) as usize
                }
                Permutation::Each(other) => {
                    (row ^ (usize::from(other) * 16)) | (selectors[0][lane] & 15) as usize
                }
                Permutation::OtherHalf => lane ^ 32,
            }
        };
        Dpp {
            from: std::array::from_fn(|lane| Some(from(lane) as u8)),
            // A wave of 32 lanes has no other half, and writes nothing.
            writes: match self {
                Permutation::OtherHalf if wave_size == 32 => 0,
                _ => !0,
            },
            zero: inst.zero,
            // `v_permlane64_b32` reads lanes that are off.
            fetches_inactive: inst.fetches_inactive || self == Permutation::OtherHalf,
        }
    }
}

/// The lanes that change places in two registers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Exchange {
    Whole,
    /// In every pair of runs of so many lanes, the second of the destination and the first of the source.
    Runs(usize, PermuteBits),
}

impl Exchange {
    pub fn of(inst: &Decoded) -> Option<Exchange> {
        let run = match inst.op.first_name() {
            "v_permlane16_swap_b32" => 16,
            "v_permlane32_swap_b32" => 32,
            _ => return None,
        };
        Some(Exchange::Runs(run, PermuteBits::of(inst)))
    }

    /// The rows that destination and source take. Lanes that are off keep what they have, and count as what they hold.
    pub fn apply(self, a: &Row, b: &Row, exec: u64) -> (Row, Row) {
        let Exchange::Runs(run, inst) = self else {
            return (*b, *a);
        };
        let (mut to_a, mut to_b) = (*a, *b);
        let set = |row: &mut Row, to: usize, from: usize, bits: u32| {
            let readable = inst.fetches_inactive || exec >> from & 1 != 0;
            if readable || inst.zero {
                row[to] = if readable { bits } else { 0 };
            }
        };
        for first in (0..LANES).filter(|lane| (lane / run).is_multiple_of(2)) {
            let second = first + run;
            set(&mut to_b, first, second, a[second]);
            set(&mut to_a, second, first, b[first]);
        }
        (to_a, to_b)
    }
}

/// The bits of a `v_permlane` instruction that say what lanes which are off give.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PermuteBits {
    fetches_inactive: bool,
    zero: bool,
}

impl PermuteBits {
    pub fn of(inst: &Decoded) -> PermuteBits {
        let is_vop3 = inst.format == Format::Vop3;
        PermuteBits {
            fetches_inactive: is_vop3 && bits(inst.words[0], 11, 11) != 0,
            zero: is_vop3 && bits(inst.words[0], 12, 12) != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples are those of the manuals: rows of 16 lanes, whole waves of 64.
    #[test]
    fn lanes_move_as_the_manuals_say() {
        for (control, lane, from) in [
            (0b00_01_10_11, 4, Some(7)),
            (0x101, 3, Some(4)),
            (0x101, 15, None),
            (0x111, 16, None),
            (0x121, 16, Some(31)),
            (0x140, 17, Some(30)),
            (0x141, 9, Some(14)),
            (0x142, 17, Some(15)),
            (0x142, 3, None),
            (0x143, 40, Some(31)),
            (0x153, 40, Some(35)),
            (0x161, 40, Some(41)),
        ] {
            assert_eq!(source(control, lane), from, "{control:#x} {lane}");
        }
    }

    /// The examples are those of the manuals.
    #[test]
    fn swizzles_move_lanes_as_the_manuals_say() {
        for (offset, first) in [
            (0xe000, [0x00, 0x10, 0x08, 0x18, 0x04, 0x14]),
            (0xe010, [0x0, 0x8, 0x4, 0xc, 0x2, 0xa]),
            (0xe01f, [0, 1, 2, 3, 4, 5]),
            (0x049b, [5, 4, 7, 6, 5, 4]),
            // Four lanes in the order 3, 1, 0, 2.
            (0x8087, [3, 1, 0, 2, 7, 5]),
            // The lane 3 of each 8, and the last of 32.
            (0x0078, [3, 3, 3, 3, 3, 3]),
            (0x01e0, [15, 15, 15, 15, 15, 15]),
            (0xc020, [1, 2, 3, 4, 5, 6]),
            (0xc440, [30, 31, 0, 1, 2, 3]),
            (0xc038, [1, 2, 3, 4, 5, 6]),
        ] {
            for (lane, from) in (0..).zip(first) {
                assert_eq!(swizzle_source(offset, lane), from, "{offset:#x} {lane}");
                assert_eq!(swizzle_source(offset, lane + 32), from + 32, "{offset:#x}");
            }
        }
        assert_eq!(swizzle_source(0xc038, 7), 0);
        let row = [0xffff_0000; LANES];
        // Lane 15 is off, and gives zero.
        let (moved, mask) = Dpp::of_swizzle(0x01e0).apply(&row, !(1 << 15));
        assert_eq!((moved[0], moved[32], mask), (0, row[0], !(1 << 15)));
    }

    #[test]
    fn permutations_choose_lanes() {
        let row: Row = std::array::from_fn(|lane| lane as u32);
        // Lane i of a row takes lane 15 - i.
        let backwards = [[0x89ab_cdef; LANES], [0x0123_4567; LANES]];
        let inst = PermuteBits {
            fetches_inactive: false,
            zero: false,
        };
        let moved = |permutation: Permutation, exec: u64| {
            let selectors = [&backwards[0], &backwards[1]];
            permutation.moves(selectors, inst, 64).apply(&row, exec)
        };
        let (rows, mask) = moved(Permutation::Scalars(false), !0);
        assert_eq!((rows[0], rows[3], rows[20], mask), (15, 12, 27, !0));
        let (rows, mask) = moved(Permutation::Scalars(true), !0);
        assert_eq!((rows[0], rows[20], mask), (31, 11, !0));
        // Lane 15 is off, so lane 0 keeps what it has.
        let (_, mask) = moved(Permutation::Scalars(false), !(1 << 15));
        assert_eq!(mask, !(1 << 15 | 1));
        let (rows, mask) = moved(Permutation::OtherHalf, 0xffff_ffff);
        assert_eq!((rows[3], mask), (35, 0xffff_ffff));
    }

    #[test]
    fn parts_are_cut_out_and_put_in() {
        let byte = Part::sdwa(2, true);
        assert_eq!(byte.read(0x00f0_0000), 0xffff_fff0);
        assert_eq!(Part::half(16, true).write(0x1111_2222, 0x3333), 0x3333_2222);
        assert_eq!(Part::WHOLE.write(1, 2), 2);
    }
}
