//! Routines that run.

use std::arch::x86_64::*;

use crate::llvm;
use native::{
    Anchor, Assembler, Executable, Load, MOST_ANCHORS, MOST_RESULTS, Nans, Near, Operand, ROW,
    Sign, Source, Stencil, Surroundings,
};

#[allow(improper_ctypes_definitions)] // No other language calls it.
type Function = unsafe extern "C" fn(__m512i, __m512i, __m512i) -> __m512i;
/// Lanes of a row and of a group.
const LANES: usize = ROW / 4;
const GROUP: usize = 16;

#[target_feature(enable = "avx512f")]
#[allow(improper_ctypes_definitions)]
unsafe extern "C" fn sum(a: __m512i, b: __m512i, _: __m512i) -> __m512i {
    _mm512_add_epi32(a, b)
}

#[target_feature(enable = "avx512f")]
#[allow(improper_ctypes_definitions)]
unsafe extern "C" fn same(a: __m512i, _: __m512i, _: __m512i) -> __m512i {
    a
}

#[target_feature(enable = "avx512f")]
#[allow(improper_ctypes_definitions)]
unsafe extern "C" fn multiply_add(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    let [a, b, c] = [a, b, c].map(
        #[inline(always)]
        |bits| _mm512_castsi512_ps(bits),
    );
    _mm512_castps_si512(_mm512_fmadd_ps(a, b, c))
}

#[target_feature(enable = "avx512f")]
#[allow(improper_ctypes_definitions)]
unsafe extern "C" fn minimum(a: __m512i, b: __m512i, _: __m512i) -> __m512i {
    _mm512_castps_si512(_mm512_min_ps(
        _mm512_castsi512_ps(a),
        _mm512_castsi512_ps(b),
    ))
}

/// Ones where the first is less.
#[target_feature(enable = "avx512f,avx512dq")]
#[allow(improper_ctypes_definitions)]
unsafe extern "C" fn less(a: __m512i, b: __m512i, _: __m512i) -> __m512i {
    _mm512_movm_epi32(_mm512_cmplt_epu32_mask(a, b))
}

/// The second where the third is not zero.
#[target_feature(enable = "avx512f")]
#[allow(improper_ctypes_definitions)]
unsafe extern "C" fn choose(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    _mm512_mask_blend_epi32(_mm512_test_epi32_mask(c, c), a, b)
}

/// Adds what a constant of the program says.
#[target_feature(enable = "avx512f")]
#[allow(improper_ctypes_definitions)]
unsafe extern "C" fn plus_constants(a: __m512i, _: __m512i, _: __m512i) -> __m512i {
    _mm512_add_epi32(
        a,
        _mm512_setr_epi32(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 1000),
    )
}

/// The host has AVX-512, and builds without optimisation have no stencils.
fn can_run() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && !cfg!(debug_assertions)
}

fn stencil(function: Function, sources: usize) -> Stencil {
    // SAFETY: a function of this program with vectors as parameters.
    unsafe { Stencil::read(function as *const u8, sources) }.expect("a stencil")
}

/// Rows of lanes.
struct Rows(Vec<[u32; LANES]>);

impl Rows {
    fn new(count: usize) -> Rows {
        Rows(vec![[0xdead_beef; LANES]; count])
    }

    fn set(&mut self, row: usize, lane: impl Fn(usize) -> u32) {
        self.0[row] = std::array::from_fn(lane);
    }

    /// Runs a routine; the result is the number of groups that it did.
    fn run(&mut self, assembler: Assembler, scalars: &mut [u32], groups: usize) -> usize {
        self.run_with(assembler, scalars, &Surroundings::of_groups(groups))
    }

    /// The same with local memory.
    fn run_with(
        &mut self,
        assembler: Assembler,
        scalars: &mut [u32],
        surroundings: &Surroundings,
    ) -> usize {
        let routine = assembler.finish().expect("a routine");
        let code = Executable::new(&[routine]).expect("memory for code");
        // SAFETY: the tests name no other rows and scalars than there are, and `code` lives.
        unsafe {
            code.entry(0)(
                self.0.as_mut_ptr().cast(),
                scalars.as_mut_ptr(),
                surroundings,
            )
        }
    }
}

#[test]
fn results_go_from_one_to_the_next() {
    if !can_run() {
        return;
    }
    let (sum, same) = (stencil(sum, 2), stencil(same, 1));
    for groups in [2, 4] {
        let mut rows = Rows::new(4);
        rows.set(0, |lane| lane as u32);
        rows.set(1, |lane| 100 * lane as u32);
        let mut assembler = Assembler::new();
        let [a, b, c] = [Source::Row(0), Source::Row(1), Source::Row(2)];
        assembler.apply(&sum, &[a, b], 2, Nans::None).unwrap();
        // Row 0 moves to row 3 before it changes.
        assembler.apply(&same, &[a], 3, Nans::None).unwrap();
        assembler
            .apply(&sum, &[c, Source::Constant(5)], 0, Nans::None)
            .unwrap();
        assembler
            .apply(&sum, &[a, Source::Scalar(3)], 0, Nans::None)
            .unwrap();
        assert_eq!(rows.run(assembler, &mut [0, 0, 0, 7000], groups), groups);
        for lane in 0..LANES {
            let on = lane < GROUP * groups;
            let (x, y) = (lane as u32, 100 * lane as u32);
            let expected = [
                if on { x + y + 5 + 7000 } else { x },
                y,
                if on { x + y } else { 0xdead_beef },
                if on { x } else { 0xdead_beef },
            ];
            assert_eq!(
                std::array::from_fn(|row| rows.0[row][lane]),
                expected,
                "lane {lane}"
            );
        }
    }
}

#[test]
fn constants_of_the_program_come_along() {
    if !can_run() {
        return;
    }
    let plus = stencil(plus_constants, 1);
    let mut rows = Rows::new(2);
    rows.set(0, |lane| (lane as u32) << 16);
    let mut assembler = Assembler::new();
    assembler
        .apply(&plus, &[Source::Row(0)], 1, Nans::None)
        .unwrap();
    assert_eq!(rows.run(assembler, &mut [], 4), 4);
    for lane in 0..LANES {
        let added = if lane % GROUP == 15 {
            1000
        } else {
            lane as u32 % 16 + 1
        };
        assert_eq!(rows.0[1][lane], (lane as u32) << 16 | added);
    }
}

#[test]
fn more_sources_than_registers_are_loaded_again() {
    if !can_run() {
        return;
    }
    let sum = stencil(sum, 2);
    let count = 60;
    let mut rows = Rows::new(count + MOST_RESULTS);
    for row in 0..count {
        rows.set(row, |lane| (row * 1000 + lane) as u32);
    }
    let mut assembler = Assembler::new();
    for turn in 0..4 {
        for result in 0..MOST_RESULTS {
            let row = (turn * MOST_RESULTS + result * 7) % count;
            let target = (count + result) as u16;
            let before = match turn {
                0 => Source::Constant(0),
                _ => Source::Row(target),
            };
            let sources = [before, Source::Row(row as u16)];
            assembler.apply(&sum, &sources, target, Nans::None).unwrap();
        }
    }
    assert_eq!(rows.run(assembler, &mut [], 4), 4);
    for result in 0..MOST_RESULTS {
        for lane in 0..LANES {
            let row = |turn: usize| (turn * MOST_RESULTS + result * 7) % count;
            let expected: usize = (0..4).map(|turn| row(turn) * 1000 + lane).sum();
            assert_eq!(rows.0[count + result][lane], expected as u32);
        }
    }
}

#[test]
fn a_row_that_is_added_to_is_not_copied() {
    if !can_run() {
        return;
    }
    let fma = stencil(multiply_add, 3);
    let mut rows = Rows::new(4);
    (0..4).for_each(|row| rows.set(row, |lane| ((lane + row) as f32).to_bits()));
    let mut assembler = Assembler::new();
    let [a, b, c] = [Source::Row(0), Source::Row(1), Source::Row(2)];
    for _ in 0..3 {
        assembler
            .apply(&fma, &[a, b, c], 2, Nans::InResult(7))
            .unwrap();
    }
    // A square, the sum of which with itself takes the place of its own addend.
    assembler
        .apply(&fma, &[a, a, Source::Row(3)], 3, Nans::InResult(7))
        .unwrap();
    assembler
        .apply(
            &fma,
            &[Source::Row(3), b, Source::Row(3)],
            3,
            Nans::InResult(7),
        )
        .unwrap();
    let clone = assembler.clone();
    if llvm::is_there() {
        let code = llvm::disassemble(clone.finish().unwrap().code());
        let copies = code.iter().filter(|line| line.contains("vmovdqa64"));
        assert_eq!(copies.count(), 0, "{code:#?}");
    }
    assert_eq!(rows.run(assembler, &mut [], 4), 4);
    for lane in 0..LANES {
        let [x, y, z, w] = [0, 1, 2, 3].map(|row| (lane + row) as f32);
        let square = x * x + w;
        let expected = [x, y, 3.0 * x * y + z, square * y + square];
        let found: [f32; 4] = std::array::from_fn(|row| f32::from_bits(rows.0[row][lane]));
        assert_eq!(found, expected, "lane {lane}");
    }
}

#[test]
fn sources_have_the_signs_that_are_asked_for() {
    if !can_run() {
        return;
    }
    let fma = stencil(multiply_add, 3);
    let mut rows = Rows::new(4);
    (0..3).for_each(|row| rows.set(row, |lane| (lane as f32 - 30.0 + row as f32).to_bits()));
    let operand = |row, sign| Operand {
        source: Source::Row(row),
        sign,
    };
    let mut assembler = Assembler::new();
    let sources = [
        operand(0, Sign::Changed),
        operand(1, Sign::Cleared),
        operand(2, Sign::Set),
    ];
    assembler
        .apply(&fma, &sources, 3, Nans::InResult(7))
        .unwrap();
    let sources = [
        operand(0, Sign::Kept),
        operand(1, Sign::Changed),
        operand(3, Sign::Changed),
    ];
    assembler
        .apply(&fma, &sources, 0, Nans::InResult(7))
        .unwrap();
    assert_eq!(rows.run(assembler, &mut [], 4), 4);
    for lane in 0..LANES {
        let [x, y, z] = [0, 1, 2].map(|row| lane as f32 - 30.0 + row as f32);
        let first = -x * y.abs() - z.abs();
        let found = [3, 0].map(|row| f32::from_bits(rows.0[row][lane]));
        assert_eq!(found, [first, -x * y - first], "lane {lane}");
    }
}

#[test]
fn both_results_of_a_pair_come_from_what_was_there_before() {
    if !can_run() {
        return;
    }
    let sum = stencil(sum, 2);
    let row = |row| Operand::from(Source::Row(row));
    let mut rows = Rows::new(4);
    (0..4).for_each(|row| rows.set(row, |lane| (1000 * row + lane) as u32));
    let mut assembler = Assembler::new();
    // The second reads the row that the first writes, and the first reads that of the second.
    let sources: [&[Operand]; 2] = [&[row(0), row(1)], &[row(0), row(2)]];
    assembler
        .apply_to_pair(&sum, sources, [0, 1], Nans::None)
        .unwrap();
    assert_eq!(rows.run(assembler, &mut [], 4), 4);
    for lane in 0..LANES {
        let [a, b, c] = [0, 1, 2].map(|row| (1000 * row + lane) as u32);
        assert_eq!(
            [rows.0[0][lane], rows.0[1][lane]],
            [a + b, a + c],
            "lane {lane}"
        );
    }
}

/// Ordinary numbers, but for a NaN in lane 37.
fn numbers(lane: usize) -> u32 {
    if lane == 37 {
        0x7fc0_0001
    } else {
        (lane as f32).to_bits()
    }
}

/// A program with row 0, in which a NaN is that must be found: groups before it are done, nothing of its own is stored.
fn stops_at_the_nan(make: impl Fn(&mut Assembler)) {
    let mut rows = Rows::new(4);
    rows.set(0, numbers);
    rows.set(1, |_| 1.0f32.to_bits());
    rows.set(2, |lane| lane as u32);
    let mut assembler = Assembler::new();
    make(&mut assembler);
    assert_eq!(rows.run(assembler, &mut [], 4), 37 / GROUP);
    for lane in 37 / GROUP * GROUP..LANES {
        assert_eq!(rows.0[3][lane], 0xdead_beef, "lane {lane}");
        assert_eq!(rows.0[2][lane], lane as u32, "lane {lane}");
        assert_eq!(rows.0[0][lane], numbers(lane), "lane {lane}");
    }
}

#[test]
fn a_nan_stops_its_group() {
    if !can_run() {
        return;
    }
    let fma = stencil(multiply_add, 3);
    let (least, sum) = (stencil(minimum, 2), stencil(sum, 2));
    let [a, one, c] = [Source::Row(0), Source::Row(1), Source::Row(2)];
    let result = Nans::InResult(7);
    // In the last result.
    stops_at_the_nan(|assembler| assembler.apply(&fma, &[a, one, one], 3, result).unwrap());
    // In one that a later one shows.
    stops_at_the_nan(|assembler| {
        assembler.apply(&fma, &[one, a, one], 2, result).unwrap();
        assembler.apply(&fma, &[one, one, c], 3, result).unwrap();
    });
    // In one that an integer overwrites.
    stops_at_the_nan(|assembler| {
        assembler.apply(&fma, &[one, one, a], 3, result).unwrap();
        assembler.apply(&sum, &[one, one], 3, Nans::None).unwrap();
    });
    // In one that integers alone have used.
    stops_at_the_nan(|assembler| {
        assembler.apply(&fma, &[one, one, a], 2, result).unwrap();
        assembler.apply(&sum, &[c, one], 3, Nans::None).unwrap();
    });
    // In one whose minimum with a number is that number.
    stops_at_the_nan(|assembler| {
        assembler.apply(&fma, &[one, one, a], 2, result).unwrap();
        assembler
            .apply(&least, &[c, one], 3, Nans::InSources)
            .unwrap();
    });
    stops_at_the_nan(|assembler| {
        assembler
            .apply(&least, &[a, one], 3, Nans::InSources)
            .unwrap();
    });
    // In one that a formula uses as an integer.
    stops_at_the_nan(|assembler| {
        assembler.apply(&fma, &[one, one, a], 2, result).unwrap();
        assembler
            .apply(&fma, &[one, one, c], 3, Nans::InResult(3))
            .unwrap();
        assembler.apply(&sum, &[one, one], 3, Nans::None).unwrap();
    });
}

/// Masks of lanes: none, all, single ones, whole groups, mixed ones.
const MASKS: &[u64] = &[
    0,
    !0,
    1,
    1 << 63,
    0xffff << 16,
    !(0xffff << 32),
    0x0123_4567_89ab_cdef,
    0xaaaa_0000_5555_ffff,
];

#[test]
fn lanes_that_are_off_keep_their_rows() {
    if !can_run() {
        return;
    }
    let (sum, fma) = (stencil(sum, 2), stencil(multiply_add, 3));
    let [a, one, c] = [Source::Row(0), Source::Row(1), Source::Row(2)];
    for &mask in MASKS {
        let mut rows = Rows::new(4);
        rows.set(0, |lane| (lane as f32).to_bits());
        rows.set(1, |_| 1.0f32.to_bits());
        rows.set(2, |lane| lane as u32);
        let mut assembler = Assembler::of_lanes(3, 4);
        let result = Nans::InResult(7);
        assembler.apply(&fma, &[a, one, one], 3, result).unwrap();
        assembler.apply(&sum, &[c, c], 2, Nans::None).unwrap();
        assembler
            .apply(&sum, &[c, Source::Scalar(1)], 2, Nans::None)
            .unwrap();
        let mut scalars = [0, 7000, 0, mask as u32, (mask >> 32) as u32];
        assert_eq!(rows.run(assembler, &mut scalars, 4), 4, "{mask:#x}");
        for lane in 0..LANES {
            let expected = match mask >> lane & 1 {
                1 => [2 * lane as u32 + 7000, (lane as f32 + 1.0).to_bits()],
                _ => [lane as u32, 0xdead_beef],
            };
            let found = [rows.0[2][lane], rows.0[3][lane]];
            assert_eq!(found, expected, "lane {lane} of {mask:#x}");
        }
    }
}

#[test]
fn a_nan_in_a_lane_that_is_off_is_no_matter() {
    if !can_run() {
        return;
    }
    let fma = stencil(multiply_add, 3);
    let [a, one] = [Source::Row(0), Source::Row(1)];
    for &mask in MASKS {
        let mut rows = Rows::new(3);
        rows.set(0, numbers);
        rows.set(1, |_| 1.0f32.to_bits());
        let mut assembler = Assembler::of_lanes(0, 4);
        assembler
            .apply(&fma, &[a, one, one], 2, Nans::InResult(7))
            .unwrap();
        let done = rows.run(assembler, &mut [mask as u32, (mask >> 32) as u32], 4);
        let expected = if mask >> 37 & 1 == 1 { 37 / GROUP } else { 4 };
        assert_eq!(done, expected, "{mask:#x}");
        for lane in 0..LANES {
            let expected = match mask >> lane & 1 {
                1 if lane < GROUP * done => (lane as f32 + 1.0).to_bits(),
                _ => 0xdead_beef,
            };
            assert_eq!(rows.0[2][lane], expected, "lane {lane} of {mask:#x}");
        }
    }
}

/// The mask of lanes for which `bit` is true.
fn mask_of(bit: impl Fn(usize) -> bool) -> u64 {
    (0..LANES).fold(0, |mask, lane| mask | u64::from(bit(lane)) << lane)
}

fn words(mask: u64) -> [u32; 2] {
    [mask as u32, (mask >> 32) as u32]
}

#[test]
fn masks_are_read_and_written() {
    if !can_run() {
        return;
    }
    let (less, choose) = (stencil(less, 2), stencil(choose, 3));
    let (before, old) = (0x0f0f_1234_5678_aaaa, 0xffff_ffff_ffff_ffff);
    let row = |row| Operand::from(Source::Row(row));
    for (&on, groups) in MASKS.iter().flat_map(|on| [(on, 2), (on, 4)]) {
        let full = if groups == 4 { !0 } else { 0xffff_ffff };
        let mut rows = Rows::new(4);
        rows.set(0, |lane| lane as u32 % 7);
        rows.set(1, |lane| lane as u32 % 5);
        let mut assembler = Assembler::of_lanes(0, groups);
        // The earlier mask comes to row 2, the result of the comparison to row 3.
        let sources = [row(0), row(1), Source::Mask(2).into()];
        assembler.apply(&choose, &sources, 2, Nans::None).unwrap();
        assembler.decide(&less, &[row(0), row(1)], 2).unwrap();
        assembler.apply(&choose, &sources, 3, Nans::None).unwrap();
        assembler.decide(&less, &[row(1), row(0)], 4).unwrap();
        let mut scalars = [words(on), words(before), words(old)].concat();
        assert_eq!(rows.run(assembler, &mut scalars, groups), groups);
        let is_less = mask_of(|lane| lane % 7 < lane % 5);
        let is_more = mask_of(|lane| lane % 7 > lane % 5);
        let kept = |mask: u64, before: u64| mask & on & full | before & !full;
        let expected = [on, kept(is_less, before), kept(is_more, old)].map(words);
        assert_eq!(scalars, expected.concat(), "{on:#x}, {groups} groups");
        for lane in 0..LANES {
            let of = |mask: u64| match (on & full) >> lane & 1 {
                1 => [lane % 7, lane % 5][(mask >> lane & 1) as usize] as u32,
                _ => 0xdead_beef,
            };
            let found = [rows.0[2][lane], rows.0[3][lane]];
            assert_eq!(found, [of(before), of(is_less)], "lane {lane} of {on:#x}");
        }
    }
}

#[test]
fn a_result_and_its_mask_come_from_what_was_there_before() {
    if !can_run() {
        return;
    }
    let (sum, less) = (stencil(sum, 2), stencil(less, 2));
    let row = |row| Operand::from(Source::Row(row));
    let mut rows = Rows::new(2);
    rows.set(0, |lane| lane as u32 % 7);
    rows.set(1, |lane| lane as u32 % 5);
    let mut assembler = Assembler::of_lanes(0, 4);
    assembler
        .apply_both(
            [&sum, &less],
            &[row(0), row(1)],
            [Source::Row(0), Source::Mask(2)],
        )
        .unwrap();
    let mut scalars = [!0, !0, 0, 0];
    assert_eq!(rows.run(assembler, &mut scalars, 4), 4);
    let expected = words(mask_of(|lane| lane % 7 < lane % 5));
    assert_eq!(scalars[2..], expected);
    for lane in 0..LANES {
        assert_eq!(rows.0[0][lane], (lane % 7 + lane % 5) as u32);
    }
}

#[test]
fn masks_of_groups_behind_a_nan_stay() {
    if !can_run() {
        return;
    }
    let (fma, less) = (stencil(multiply_add, 3), stencil(less, 2));
    let row = |row| Operand::from(Source::Row(row));
    let before = 0x0123_4567_89ab_cdef;
    for (nan, groups) in [(5, 4), (20, 4), (37, 4), (63, 4), (5, 2), (20, 2)] {
        let mut rows = Rows::new(3);
        rows.set(0, |lane| {
            if lane == nan {
                0x7fc0_0001
            } else {
                lane as u32
            }
        });
        rows.set(1, |lane| lane as u32 % 16 * 4);
        let mut assembler = Assembler::of_lanes(0, groups);
        let result = Nans::InResult(7);
        let sources = [row(0), row(0), row(0)];
        assembler.apply(&fma, &sources, 2, result).unwrap();
        assembler.decide(&less, &[row(1), row(0)], 2).unwrap();
        let mut scalars = [words(!0), words(before)].concat();
        let done = rows.run(assembler, &mut scalars, groups);
        assert_eq!(done, nan / GROUP);
        let is_done = |lane: usize| lane < GROUP * done;
        let expected = mask_of(|lane| match is_done(lane) {
            true => lane % 16 * 4 < lane,
            false => before >> lane & 1 == 1,
        });
        assert_eq!(scalars[2..], words(expected), "{nan}, {groups} groups");
    }
}

#[test]
fn memory_of_code_cannot_be_written() {
    if !can_run() {
        return;
    }
    let mut assembler = Assembler::new();
    let same = stencil(same, 1);
    assembler
        .apply(&same, &[Source::Row(0)], 1, Nans::None)
        .unwrap();
    let code = Executable::new(&[assembler.finish().unwrap()]).unwrap();
    let address = code.entry(0) as usize;
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let rights = maps.lines().find_map(|line| {
        let (range, rest) = line.split_once(' ')?;
        let (start, end) = range.split_once('-')?;
        let number = |text: &str| usize::from_str_radix(text, 16).unwrap();
        (number(start)..number(end))
            .contains(&address)
            .then(|| rest[..4].to_owned())
    });
    assert_eq!(rights.as_deref(), Some("r-xp"));
}

/// Words of local memory in the tests of loads.
const LOCAL: usize = 512;

/// Runs a load of some words behind the addresses of row 0 with the lanes in `on`, from local memory in which word i is i. The result is the
/// number of groups done, and the rows of the words.
fn loaded(addresses: impl Fn(usize) -> u32, words: &[u32], on: u64) -> (usize, Vec<[u32; LANES]>) {
    let mut rows = Rows::new(1 + words.len());
    rows.set(0, addresses);
    let mut assembler = Assembler::of_lanes(2, 4);
    let targets = words.iter().copied().zip(1..).collect();
    let load = Load {
        address: 0,
        words: targets,
    };
    assembler.load(&load, None).unwrap();
    let done = with_local_memory(&mut rows, assembler, on);
    (done, rows.0.split_off(1))
}

/// Runs a routine with local memory in which word i is i.
fn with_local_memory(rows: &mut Rows, assembler: Assembler, on: u64) -> usize {
    let local: Vec<u32> = (0..LOCAL as u32).collect();
    let surroundings = Surroundings {
        groups: 4,
        local: local.as_ptr().cast(),
        local_bytes: 4 * LOCAL as u32,
    };
    let mut scalars = [0, 0, on as u32, (on >> 32) as u32];
    rows.run_with(assembler, &mut scalars, &surroundings)
}

/// Lanes that are on get the word at `address`, and others keep their own.
fn expected(on: u64, address: impl Fn(usize) -> u32) -> [u32; LANES] {
    std::array::from_fn(|lane| match on >> lane & 1 {
        1 => address(lane) / 4,
        _ => 0xdead_beef,
    })
}

/// Ways in which addresses lie.
const PATTERNS: [fn(usize) -> u32; 8] = [
    |lane| 4 * lane as u32,
    |lane| 16 * lane as u32,
    |_| 200,
    |lane| 16 * (lane % 16) as u32 + 4,
    |lane| 8 * lane as u32,
    |lane| 4 * (63 - lane as u32),
    |lane| 4 * (lane as u32 * 37 % 128),
    // The last word that there is, for the last lane of a group.
    |lane| 4 * LOCAL as u32 - 16 - 16 * (15 - lane as u32 % 16),
];

#[test]
fn loads_find_each_lane_s_word() {
    if !can_run() {
        return;
    }
    for address in PATTERNS {
        for words in [&[0][..], &[0, 4], &[12, 0], &[0, 4, 8, 12], &[4, 256]] {
            let highest = (0..LANES).map(address).max().unwrap() + words.iter().max().unwrap();
            if highest > 4 * LOCAL as u32 - 4 {
                continue;
            }
            for on in [u64::MAX, 0x8001_ffff_0000_0ff0, 1 << 63] {
                let (done, rows) = loaded(address, words, on);
                assert_eq!(done, 4);
                for (row, bytes) in rows.iter().zip(words) {
                    let expected = expected(on, |lane| address(lane) + bytes);
                    assert_eq!(*row, expected, "{words:?}, lanes {on:#x}");
                }
            }
        }
    }
}

/// Loads from row 1, behind a look at row 0, whose addresses lie `bytes` in front: each load of `loads` has some words.
fn near(
    number: usize,
    addresses: impl Fn(usize) -> u32,
    bytes: u32,
    loads: &[&[u32]],
    on: u64,
) -> (usize, Vec<[u32; LANES]>) {
    let mut rows = Rows::new(2 + loads.concat().len());
    rows.set(0, &addresses);
    rows.set(1, |lane| addresses(lane).wrapping_add(bytes));
    let mut assembler = Assembler::of_lanes(2, 4);
    let anchor = Anchor {
        row: 0,
        reach: bytes + loads.concat().iter().max().unwrap() + 4,
        zeros: 0,
    };
    assembler.look(number, &anchor).unwrap();
    let mut targets = 2..;
    for words in loads {
        let load = Load {
            address: 1,
            words: words.iter().copied().zip(&mut targets).collect(),
        };
        let near = Near {
            anchor: number,
            bytes,
        };
        assembler.load(&load, Some(near)).unwrap();
    }
    let done = with_local_memory(&mut rows, assembler, on);
    (done, rows.0.split_off(2))
}

#[test]
fn loads_near_an_anchor_find_each_lane_s_word() {
    if !can_run() {
        return;
    }
    let loads: [&[u32]; 4] = [&[0], &[4, 8, 12], &[12, 0], &[256, 260]];
    for (number, address) in PATTERNS.into_iter().enumerate() {
        for bytes in [0, 4, 64] {
            let highest = (0..LANES).map(address).max().unwrap() + bytes + 260;
            if highest > 4 * LOCAL as u32 - 4 {
                continue;
            }
            for on in [u64::MAX, 0x8001_ffff_0000_0ff0] {
                let (done, rows) = near(number % MOST_ANCHORS, address, bytes, &loads, on);
                assert_eq!(done, 4);
                for (row, word) in rows.iter().zip(loads.concat()) {
                    let expected = expected(on, |lane| address(lane) + bytes + word);
                    assert_eq!(*row, expected, "pattern {number}, {bytes} and {word}");
                }
            }
        }
    }
    // The last words that there are.
    let address = PATTERNS[7];
    let (done, rows) = near(0, address, 0, &[&[8, 12], &[12]], u64::MAX);
    assert_eq!(done, 4);
    assert_eq!(rows[1], expected(u64::MAX, |lane| address(lane) + 12));
    assert_eq!(rows[1], rows[2]);
}

/// A load near an anchor ends the routine at a lane outside, too, even if the sum of both wraps around.
#[test]
fn loads_near_an_anchor_stay_inside() {
    if !can_run() {
        return;
    }
    let size = 4 * LOCAL as u32;
    for outside in [size - 67, size - 64, size, u32::MAX, u32::MAX - 70, 1 << 31] {
        let address = |lane: usize| match lane {
            37 => outside,
            _ => 4 * lane as u32,
        };
        let loads: [&[u32]; 2] = [&[0], &[4]];
        let (done, rows) = near(1, address, 64, &loads, u64::MAX);
        // An address that wraps around is inside again.
        let wraps = outside > u32::MAX - 64;
        assert_eq!(done, if wraps { 4 } else { 2 }, "{outside:#x}");
        let lanes = if wraps { 37 } else { 32 };
        assert!((0..lanes).all(|lane| rows[1][lane] == lane as u32 + 17));
        let (done, rows) = near(1, address, 64, &loads, !(1 << 37));
        assert_eq!(done, 4, "{outside:#x}");
        assert_eq!(
            (rows[0][36], rows[0][37], rows[0][38]),
            (52, 0xdead_beef, 54)
        );
    }
}

/// Where an instruction sets bits that an address has already, it adds nothing, and the anchor must not say how the load's addresses lie.
#[test]
fn bits_that_are_set_need_zeros() {
    if !can_run() {
        return;
    }
    for (first, done_near) in [(0, true), (64, false)] {
        let mut rows = Rows::new(3);
        rows.set(0, |lane| first + 4 * (lane % 16) as u32);
        // The row of the load is another one, so that the result tells which was taken.
        rows.set(1, |_| 0);
        let mut assembler = Assembler::of_lanes(2, 4);
        let anchor = Anchor {
            row: 0,
            reach: 68,
            zeros: 64,
        };
        assembler.look(2, &anchor).unwrap();
        let load = Load {
            address: 1,
            words: vec![(0, 2)],
        };
        let near = Near {
            anchor: 2,
            bytes: 64,
        };
        assembler.load(&load, Some(near)).unwrap();
        assert_eq!(with_local_memory(&mut rows, assembler, u64::MAX), 4);
        let expected = |lane: usize| if done_near { 16 + lane as u32 % 16 } else { 0 };
        assert_eq!(rows.0[2], std::array::from_fn(expected));
    }
}

/// A lane outside ends the routine in its group, unless the lane is off.
#[test]
fn loads_stay_inside() {
    if !can_run() {
        return;
    }
    let size = 4 * LOCAL as u32;
    for outside in [
        size - 3,
        size - 4 + 1,
        size,
        size - 8 + 5,
        u32::MAX,
        u32::MAX - 7,
        1 << 31,
    ] {
        let address = |lane: usize| match lane {
            37 => outside,
            _ => 4 * lane as u32,
        };
        let (done, rows) = loaded(address, &[0, 4], u64::MAX);
        assert_eq!(done, 2, "{outside:#x}");
        let expected = |lane: usize| if lane < 32 { lane as u32 } else { 0xdead_beef };
        assert_eq!(rows[0], std::array::from_fn(expected), "{outside:#x}");
        let (done, rows) = loaded(address, &[0, 4], !(1 << 37));
        assert_eq!(done, 4, "{outside:#x}");
        assert_eq!(
            (rows[1][36], rows[1][37], rows[1][38]),
            (37, 0xdead_beef, 39)
        );
    }
    // No local memory at all.
    let mut rows = Rows::new(2);
    let mut assembler = Assembler::of_lanes(2, 4);
    let load = Load {
        address: 0,
        words: vec![(0, 1)],
    };
    assembler.load(&load, None).unwrap();
    assert_eq!(rows.run(assembler, &mut [0, 0, !0, !0], 4), 0);
}

/// Rows that are written first need no register to the end: there may be more of them than the host has.
#[test]
fn many_rows_are_written() {
    if !can_run() {
        return;
    }
    const COUNT: u16 = 60;
    let (sum, choose) = (stencil(sum, 2), stencil(choose, 3));
    for on in [u64::MAX, 0x0f0f_1234_ffff_0000] {
        let mut rows = Rows::new(2 + COUNT as usize);
        rows.set(0, |lane| lane as u32);
        rows.set(1, |lane| 7 * lane as u32);
        let mut assembler = Assembler::of_lanes(2, 4);
        for row in 0..COUNT {
            let sources = [Source::Row(0), Source::Constant(u32::from(row))];
            assembler
                .apply(&sum, &sources, 2 + row, Nans::None)
                .unwrap();
        }
        // They are all read again, and row 1 changes in the end.
        for row in 0..COUNT {
            let sources = [Source::Row(1), Source::Row(2 + row)];
            assembler.apply(&sum, &sources, 1, Nans::None).unwrap();
        }
        let sources = [Source::Row(2), Source::Row(1), Source::Row(1)];
        assembler.apply(&choose, &sources, 2, Nans::None).unwrap();
        let mut scalars = [0, 0, on as u32, (on >> 32) as u32];
        assert_eq!(rows.run(assembler, &mut scalars, 4), 4);
        for lane in 0..LANES {
            let is_on = on >> lane & 1 != 0;
            let (own, count) = (lane as u32, u32::from(COUNT));
            let total = 7 * own + count * own + (0..count).sum::<u32>();
            for row in 0..count {
                let expected = match (is_on, row) {
                    (false, _) => 0xdead_beef,
                    (true, 0) => total,
                    (true, _) => own + row,
                };
                assert_eq!(
                    rows.0[2 + row as usize][lane],
                    expected,
                    "row {row}, lane {lane}"
                );
            }
            let expected = if is_on { total } else { 7 * own };
            assert_eq!(rows.0[1][lane], expected, "lane {lane}");
        }
    }
}

#[test]
fn loads_that_no_look_covers_are_refused() {
    let load = Load {
        address: 1,
        words: vec![(4, 2)],
    };
    let near = |anchor, bytes| Some(Near { anchor, bytes });
    let anchor = Anchor {
        row: 0,
        reach: 72,
        zeros: 0,
    };
    let mut assembler = Assembler::of_lanes(2, 4);
    assert!(assembler.look(MOST_ANCHORS, &anchor).is_err());
    assert!(assembler.load(&load, near(0, 0)).is_err());
    assembler.look(0, &anchor).unwrap();
    for (number, bytes) in [(0, 65), (0, u32::MAX), (1, 0), (MOST_ANCHORS, 0)] {
        assert!(assembler.load(&load, near(number, bytes)).is_err());
    }
    assembler.load(&load, near(0, 64)).unwrap();
}
