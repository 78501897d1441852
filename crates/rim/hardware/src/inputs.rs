//! The inputs of cases: edges and random values of the types in the mnemonic, the same for the same seed.

use gfx::Target;

use crate::{
    case::{Case, Kind},
    frame::{HEADER, SCALARS, SCALARS_AT, SLOTS, Word, arena::Arena},
};

/// MODE of HIP kernels: nearest even, denormals kept.
const USUAL: u32 = 0xf0;
/// MODE for floats: the four roundings, and denormals of one size or of both flushed.
const MODES: &[u32] = &[USUAL, 0xf5, 0xfa, 0xff, 0xc0, 0x30, 0x00];
/// Waves per MODE, and for an instruction without vector registers.
const WAVES: usize = 3;
const SCALAR_WAVES: usize = 48;
/// Inputs of an approximate function that takes one per wave.
const SCALAR_SWEEP: usize = 4096;

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
pub struct Random(u64);

impl Random {
    /// A stream of its own for each name.
    pub fn new(seed: u64, name: &str) -> Random {
        let mix = |state: u64, byte: u8| (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Random(name.bytes().fold(seed ^ 0xcbf2_9ce4_8422_2325, mix))
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ value >> 31
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// Signed zeros, least and greatest denormals and normals, ones and their neighbours, infinities, quiet and signalling NaNs.
#[rustfmt::skip]
const EDGES16: &[u16] = &[0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x8400, 0x3bff, 0x3c00, 0xbc00, 0x3c01, 0x3800, 0x4000, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7d01, 0xfe05];
#[rustfmt::skip]
const EDGES32: &[u32] = &[
    0, 0x8000_0000, 1, 0x8000_0001, 0x7f_ffff, 0x80_0000, 0x8080_0000, 0x3f7f_ffff, 0x3f80_0000, 0xbf80_0000, 0x3f80_0001, 0x3f00_0000,
    0x4000_0000, 0x7f7f_ffff, 0xff7f_ffff, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0x7f80_0001, 0xffc0_0005, 0x4f00_0000, 0xcf00_0000, 0x4f80_0000,
];
#[rustfmt::skip]
const EDGES64: &[u64] = &[
    0, 1 << 63, 1, 1 << 63 | 1, 0xf_ffff_ffff_ffff, 0x10_0000_0000_0000, 0x8010_0000_0000_0000, 0x3fef_ffff_ffff_ffff, 0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000, 0x3ff0_0000_0000_0001, 0x3fe0_0000_0000_0000, 0x4000_0000_0000_0000, 0x7fef_ffff_ffff_ffff, 0xffef_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000, 0xfff0_0000_0000_0000, 0x7ff8_0000_0000_0000, 0x7ff0_0000_0000_0001, 0x41e0_0000_0000_0000, 0xc1e0_0000_0000_0000,
];
#[rustfmt::skip]
const INTEGERS: &[u32] = &[0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff];

/// The values for a register, or a pair.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Half,
    Single,
    Double,
    Integer,
    /// 0 or 1.
    Bit,
}

/// The records of a launch.
pub struct Input {
    pub groups: u32,
    pub bytes: Vec<u8>,
}

/// Records for a case: `sweep` inputs if it is approximate.
pub fn records(
    case: &Case,
    target: &'static Target,
    wave_size: u8,
    seed: u64,
    sweep: usize,
) -> Input {
    let mut random = Random::new(seed, case.mnemonic);
    let types = types(case);
    let layout = case.layout(wave_size);
    let size = layout.record();
    let modes = if case.is_float() && case.kind == Kind::Exact {
        MODES
    } else {
        &MODES[..1]
    };
    let waves = match (case.kind, case.width) {
        (Kind::Exact, 0) => SCALAR_WAVES,
        (Kind::Exact, _) => WAVES * modes.len().max(2),
        (Kind::Approximate, 0) => SCALAR_SWEEP,
        (Kind::Approximate, _) => inputs_of(&types, sweep).div_ceil(usize::from(wave_size)),
    };
    let mut bytes = vec![0; size * waves];
    for (wave, record) in bytes.chunks_exact_mut(size).enumerate() {
        let all_lanes = case.kind == Kind::Approximate
            || case.needs_all_lanes(target.family)
            || !wave.is_multiple_of(3);
        let exec = if all_lanes {
            u64::MAX
        } else {
            random.next() | 1
        };
        let (exec, vcc) = (exec, random.next());
        let words = [
            (Word::Mode, modes[wave % modes.len()]),
            (Word::ExecLow, exec as u32),
            (Word::ExecHigh, (exec >> 32) as u32),
            (Word::VccLow, vcc as u32),
            (Word::VccHigh, (vcc >> 32) as u32),
            (Word::Scc, random.next() as u32 & 1),
            (Word::M0, random.next() as u32 & 0xffff),
        ];
        for (word, value) in words {
            put(record, 4 * word as usize, value);
        }
        fill(
            &mut record[SCALARS_AT..],
            SCALARS.len(),
            &types,
            &mut random,
        );
        let (registers, arena) = record[HEADER..].split_at_mut(layout.arena_at() - HEADER);
        fill(arena, arena.len() / 4, &types, &mut random);
        let lanes = registers.chunks_exact_mut(layout.lane().max(1));
        for (lane, values) in lanes.enumerate() {
            fill(values, usize::from(SLOTS * case.width), &types, &mut random);
            if case.kind == Kind::Approximate {
                let index = wave * usize::from(wave_size) + lane;
                let value = swept(&types, index, waves * usize::from(wave_size), &mut random);
                put(values, 0, value as u32);
                if case.width > 1 {
                    put(values, 4, (value >> 32) as u32);
                }
            }
        }
        if case.kind == Kind::Approximate && case.width == 0 {
            let value = swept(&types, wave, waves, &mut random);
            put(&mut record[SCALARS_AT..], 0, value as u32);
        }
    }
    Input {
        groups: waves as u32,
        bytes,
    }
}

fn put(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

/// Types of the operands, by the mnemonic's parts.
fn types(case: &Case) -> Vec<Type> {
    let of = |part: &str| match part {
        "f16" | "bf16" => Some(Type::Half),
        "f32" | "legacy" | "dx9" => Some(Type::Single),
        "f64" => Some(Type::Double),
        part if part.starts_with(['i', 'u', 'b'])
            && part[1..].chars().all(|c| c.is_ascii_digit()) =>
        {
            Some(Type::Integer)
        }
        _ => None,
    };
    // Compared values must sometimes be equal.
    if case.arena != Arena::None && case.mnemonic.contains("cmp") {
        return vec![Type::Bit];
    }
    let mut types: Vec<Type> = case.types().filter_map(of).collect();
    if types.is_empty() {
        types.push(Type::Integer);
    }
    types
}

/// Fills so many registers.
fn fill(bytes: &mut [u8], registers: usize, types: &[Type], random: &mut Random) {
    for pair in 0..registers.div_ceil(2) {
        let mut value = match random.one_of(types) {
            Type::Double => double(random),
            kind => u64::from(word(kind, random)) | u64::from(word(kind, random)) << 32,
        };
        // A little of everything: instructions also read what is no value of their types.
        if random.below(16) == 0 {
            value = random.next();
        }
        put(bytes, 8 * pair, value as u32);
        if 2 * pair + 1 < registers {
            put(bytes, 8 * pair + 4, (value >> 32) as u32);
        }
    }
}

/// An edge, a value near one, or any.
fn word(kind: Type, random: &mut Random) -> u32 {
    match (kind, random.below(3)) {
        (Type::Half, 0) => {
            u32::from(random.one_of(EDGES16)) | u32::from(random.one_of(EDGES16)) << 16
        }
        // Exponents from 2^-7 to 2^8.
        (Type::Half, 1) => random.next() as u32 & 0xbfff_bfff | 0x2000_2000,
        (Type::Single, 0) => random.one_of(EDGES32),
        // Exponents from 2^-15 to 2^16.
        (Type::Single, 1) => {
            let value = random.next();
            value as u32 & 0x807f_ffff | (112 + (value >> 32) as u32 % 32) << 23
        }
        (Type::Bit, _) => random.next() as u32 & 1,
        (Type::Integer, 0) => random.one_of(INTEGERS),
        (Type::Integer, 1) => random.next() as u32 >> random.below(32),
        _ => random.next() as u32,
    }
}

fn double(random: &mut Random) -> u64 {
    match random.below(3) {
        0 => random.one_of(EDGES64),
        1 => {
            let exponent = 1000 + random.next() % 48;
            random.next() & 0x800f_ffff_ffff_ffff | exponent << 52
        }
        _ => random.next(),
    }
}

/// How many inputs an approximate function gets: all there are, if they are few.
fn inputs_of(types: &[Type], sweep: usize) -> usize {
    match types[0] {
        Type::Half => 1 << 16,
        _ => sweep,
    }
}

/// Input number `index` of `count`: evenly over all bit patterns, at random between two steps.
fn swept(types: &[Type], index: usize, count: usize, random: &mut Random) -> u64 {
    let index = index as u64;
    match types[0] {
        Type::Half => index & 0xffff,
        Type::Double => {
            let step = u64::MAX / count as u64;
            index * step + random.next() % step.max(1)
        }
        _ => {
            let step = (1_u64 << 32) / count as u64;
            (index * step + random.next() % step.max(1)) & 0xffff_ffff
        }
    }
}
