//! Runs of instructions as host code, against the same instructions one by one.

use std::process::Command;

use wave::{HostCode, LANES};

use crate::harness::{Machine, NATIVE, forced, random::Random};

/// Says to a child that its process may not execute what it has written.
const REFUSED: &str = "LUTHIER_TEST_NO_HOST_CODE";
/// Says to a child that a stencil is to be wrong.
pub const PLANTED: &str = "LUTHIER_TEST_PLANTED";
/// Random programs of each kind.
const PROGRAMS: u64 = 150;
/// Scalars that instructions read, first one and count.
const SCALARS: (u64, u64) = (40, 4);

/// Instructions with host code, by their sources: `i` is an integer, `f` a float.
#[rustfmt::skip]
const LANE_WISE: &[(&str, &[&str])] = &[
    ("i",   &["v_mov_b32", "v_not_b32", "v_cvt_f32_i32", "v_cvt_f32_u32"]),
    ("ii",  &["v_and_b32", "v_or_b32", "v_xor_b32", "v_lshlrev_b32", "v_lshrrev_b32", "v_ashrrev_i32", "v_add_u32", "v_sub_u32",
              "v_subrev_u32", "v_mul_lo_u32", "v_mul_hi_u32", "v_mul_hi_i32", "v_mul_u32_u24", "v_mul_i32_i24", "v_min_u32",
              "v_max_u32", "v_min_i32", "v_max_i32"]),
    ("iii", &["v_bfe_u32", "v_bfi_b32", "v_and_or_b32", "v_or3_b32", "v_lshl_or_b32", "v_alignbit_b32", "v_add3_u32",
              "v_lshl_add_u32", "v_add_lshl_u32", "v_mad_u32_u24", "v_min3_u32", "v_max3_u32", "v_min3_i32", "v_max3_i32",
              "v_med3_u32", "v_med3_i32", "v_xad_u32"]),
    ("f",   &["v_floor_f32", "v_ceil_f32", "v_trunc_f32", "v_rndne_f32", "v_fract_f32"]),
    ("ff",  &["v_add_f32", "v_sub_f32", "v_subrev_f32", "v_mul_f32", "v_min_f32", "v_max_f32"]),
    ("fi",  &["v_ldexp_f32"]),
    ("fff", &["v_fma_f32", "v_min3_f32", "v_max3_f32", "v_med3_f32"]),
    ("fft", &["v_fmac_f32"]),
];

/// Instructions on pairs of singles, with the number of sources.
const PAIRS: &[(&str, usize)] = &[
    ("v_pk_add_f32", 2),
    ("v_pk_mul_f32", 2),
    ("v_pk_fma_f32", 3),
];

/// Instructions with masks that have host code: `m` is a mask, `t` the result, `u` the mask that is a result.
#[rustfmt::skip]
const WITH_MASKS: &[(&str, &[&str])] = &[
    ("u, i, i", &["v_cmp_lt_u32_e64", "v_cmp_eq_u32_e64", "v_cmp_ne_u32_e64", "v_cmp_gt_i32_e64", "v_cmp_ge_i32_e64", "v_cmp_le_u32_e64"]),
    ("u, f, f", &["v_cmp_lt_f32_e64", "v_cmp_eq_f32_e64", "v_cmp_nge_f32_e64", "v_cmp_lg_f32_e64", "v_cmp_o_f32_e64", "v_cmp_u_f32_e64",
                  "v_cmp_nlt_f32_e64", "v_cmp_neq_f32_e64"]),
    ("t, i, i, m", &["v_cndmask_b32_e64"]),
    ("t, u, i, i", &["v_add_co_u32_e64", "v_sub_co_u32_e64", "v_subrev_co_u32_e64"]),
    ("t, u, i, i, m", &["v_addc_co_u32_e64", "v_subb_co_u32_e64", "v_subbrev_co_u32_e64"]),
];

/// Loads from LDS: how many words they write, and whether they have two offsets.
const LDS_LOADS: &[(&str, u64, bool)] = &[
    ("ds_read_b32", 1, false),
    ("ds_read_b64", 2, false),
    ("ds_read_b96", 3, false),
    ("ds_read_b128", 4, false),
    ("ds_read2_b32", 2, true),
    ("ds_read2_b64", 4, true),
    ("ds_read2st64_b32", 2, true),
    ("ds_read2st64_b64", 4, true),
];

/// Halves of dual instructions, which may be either of both.
#[rustfmt::skip]
const HALVES: &[&str] = &[
    "v_dual_fmac_f32", "v_dual_mul_f32", "v_dual_add_f32", "v_dual_sub_f32", "v_dual_subrev_f32", "v_dual_max_f32", "v_dual_min_f32",
    "v_dual_cndmask_b32", "v_dual_mov_b32",
];

/// Registers with addresses of LDS, first one and count: each has a pattern of its own.
pub const ADDRESSES: (u64, u64) = (44, 10);
/// Words of LDS.
const LDS_WORDS: u32 = 1500;

/// Scalar instructions that may be between those of a run.
const SCALAR: &[&str] = &[
    "s_add_u32 s40, s41, s42",
    "s_addc_u32 s43, s43, s40",
    "s_mov_b32 s41, s47",
    "s_cmp_lt_u32 s41, s42",
    "s_cselect_b32 s42, s41, s43",
    "s_and_b64 s[44:45], vcc, exec",
    "s_or_b64 vcc, s[44:45], s[36:37]",
    "s_andn2_b64 s[36:37], s[46:47], s[38:39]",
    "s_mov_b32 s38, s36",
];

/// Instructions without.
const OTHERS: &[&str] = &[
    "s_not_b64 s[44:45], vcc",
    "v_mov_b32_e32 v2, vcc_lo",
    "s_nop 1",
    "v_mul_f32_e64 v2, v3, v4 clamp",
    "v_add_f32_e64 v5, -v6, |v1|",
    "v_add_f64 v[6:7], v[2:3], v[4:5]",
    "v_mov_b32_e32 v4, exec_lo",
    "v_mov_b32_dpp v1, v2 row_shr:1 row_mask:0xf bank_mask:0xf",
    "s_mov_b64 exec, s[44:45]",
    "s_mov_b64 exec, s[46:47]",
    "ds_write_b32 v44, v1",
    "ds_read_u8 v3, v45",
];

/// Names of instructions since gfx10.
const LATER_NAMES: &[(&str, &str)] = &[
    ("ds_read_u8 v3, v45", "ds_load_u8 v3, v45"),
    ("ds_write_b32 v44, v1", "ds_store_b32 v44, v1"),
    ("ds_read_b", "ds_load_b"),
    ("ds_read2_b", "ds_load_2addr_b"),
    ("ds_read2st64_b", "ds_load_2addr_stride64_b"),
    ("v_add_u32", "v_add_nc_u32"),
    ("v_sub_u32", "v_sub_nc_u32"),
    ("v_subrev_u32", "v_subrev_nc_u32"),
    ("v_addc_co_u32", "v_add_co_ci_u32"),
    ("v_subb_co_u32", "v_sub_co_ci_u32"),
    ("v_subbrev_co_u32", "v_subrev_co_ci_u32"),
    ("s_not_b64 s[44:45], vcc", "s_not_b32 s44, vcc_lo"),
    ("s_mov_b64 exec, s[44:45]", "s_mov_b32 exec_lo, s44"),
    ("s_mov_b64 exec, s[46:47]", "s_mov_b32 exec_lo, s46"),
];

pub fn pick<'a, T>(random: &mut Random, list: &'a [T]) -> &'a T {
    &list[random.below(list.len() as u64) as usize]
}

/// A random instruction on the first `registers` registers.
pub fn instruction(random: &mut Random, registers: u64) -> String {
    let (sources, names) = *pick(random, LANE_WISE);
    let name = pick(random, names);
    named(random, registers, sources, name)
}

/// The instruction called `name` on random registers.
fn named(random: &mut Random, registers: u64, sources: &str, name: &str) -> String {
    let target = random.below(registers);
    // The encoding has room for one scalar.
    let scalar = random.below(12);
    let mut text = format!("{name}_e64 v{target}");
    for (index, kind) in sources.chars().filter(|&kind| kind != 't').enumerate() {
        let constants: &[&str] = match kind {
            'f' => &["1.0", "-2.0", "0.5", "0"],
            _ => &["1", "-7", "31", "64", "0"],
        };
        text += ", ";
        text += &match random.below(6) {
            _ if scalar == index as u64 => format!("s{}", SCALARS.0 + random.below(SCALARS.1)),
            0 => (*pick(random, constants)).to_owned(),
            _ => {
                let register = random.below(registers);
                let signs: &[&str] = match kind {
                    'f' => &["v#", "v#", "v#", "-v#", "|v#|", "-|v#|"],
                    _ => &["v#"],
                };
                pick(random, signs).replace('#', &register.to_string())
            }
        };
    }
    // Instructions that have one form alone.
    match sources {
        "iii" | "fff" | "fi" => text.replace("_e64", ""),
        _ if name.starts_with("v_mul_lo") || name.starts_with("v_mul_hi") => {
            text.replace("_e64", "")
        }
        _ => text,
    }
}

/// A random instruction with masks.
pub fn with_masks(random: &mut Random, registers: u64, later: bool) -> String {
    let (operands, names) = *pick(random, WITH_MASKS);
    let name = pick(random, names);
    mask_named(random, registers, operands, name, later)
}

/// The instruction called `name` on random registers and masks.
fn mask_named(
    random: &mut Random,
    registers: u64,
    operands: &str,
    name: &str,
    later: bool,
) -> String {
    let masks: &[&str] = match later {
        true => &["vcc_lo", "s36", "s37"],
        false => &["vcc", "s[36:37]", "s[38:39]"],
    };
    let operand = |kind: &str| match kind {
        "u" if later && operands.starts_with('t') && random.below(3) == 0 => "null".to_owned(),
        "m" | "u" => (*pick(random, masks)).to_owned(),
        "f" if random.below(4) == 0 => format!("-|v{}|", random.below(registers)),
        _ => format!("v{}", random.below(registers)),
    };
    let operands: Vec<String> = operands.split(", ").map(operand).collect();
    format!("{name} {}", operands.join(", "))
}

/// A random shift of a pair.
fn long_shift(random: &mut Random, registers: u64) -> String {
    let pair = |random: &mut Random| 2 * random.below(registers / 2);
    let (target, first) = (pair(random), pair(random));
    let source = match random.below(8) {
        0 => format!("s[{0}:{1}]", SCALARS.0, SCALARS.0 + 1),
        1 => "-7".to_owned(),
        _ => format!("v[{first}:{}]", first + 1),
    };
    let bits = match random.below(3) {
        0 => format!("v{}", random.below(registers)),
        _ => (*pick(random, &["2", "0", "32", "-1", "33"])).to_owned(),
    };
    format!("v_lshlrev_b64 v[{target}:{}], {bits}, {source}", target + 1)
}

/// A random dual instruction. The sources of its halves must come from different banks of registers, and the results, too.
fn dual(random: &mut Random, registers: u64) -> String {
    let mut half = |bank: u64| {
        let name = pick(random, HALVES);
        let mut register = |bank: u64, of: u64| bank + of * random.below(registers / of);
        let (target, first, second) = (register(bank, 2), register(bank, 4), register(2 + bank, 4));
        match *name {
            "v_dual_mov_b32" => format!("{name} v{target}, v{first}"),
            _ => format!("{name} v{target}, v{first}, v{second}"),
        }
    };
    let (first, second) = (half(0), half(1));
    format!("{first} :: {second}")
}

/// A random load from LDS, whose address is one of the patterns or was made by an instruction in front of it.
pub fn lds_load(random: &mut Random, registers: u64) -> String {
    let (name, words, pair) = *pick(random, LDS_LOADS);
    // Registers that are loaded together begin at an even one.
    let target = 2 * random.below(registers / 2 - 1);
    let target = match words {
        1 => format!("v{}", random.below(registers)),
        _ => format!("v[{target}:{}]", target + words - 1),
    };
    let offsets = match pair {
        true => format!("offset0:{} offset1:{}", random.below(4), random.below(16)),
        false => format!("offset:{}", *pick(random, &[0, 4, 16, 7, 2048, 60000])),
    };
    if random.below(4) == 0 {
        let made = random.below(registers);
        let from = random.below(registers);
        return format!(
            "v_and_b32_e32 v{made}, 0x3fc, v{from}\n{name} {target}, v{made} {offsets}"
        );
    }
    let address = ADDRESSES.0 + random.below(ADDRESSES.1);
    let load = format!("{name} {target}, v{address} {offsets}");
    if random.below(4) > 0 {
        return load;
    }
    // Another one whose address is this one's and a constant.
    let (from, made) = match random.below(4) {
        0 => (address, address),
        _ => (address, random.below(registers)),
    };
    let add = *pick(random, &["v_add_u32_e32", "v_add_u32_e32", "v_or_b32_e32"]);
    let bytes = *pick(random, &["4", "8", "0x80", "0x1000", "-4"]);
    let again = format!("{add} v{made}, {bytes}, v{from}\n{name} {target}, v{made} {offsets}");
    match random.below(2) {
        0 => format!("{load}\n{again}"),
        _ => format!("{again}\n{load}"),
    }
}

/// The address of `lane` in pattern `number` of [`ADDRESSES`].
fn lds_address(random: &mut Random, number: u64, lane: usize) -> u32 {
    let lane = lane as u32;
    match number {
        0 => 4 * lane,
        1 => 8 * lane + 4,
        2 => 16 * lane,
        3 => 512,
        4 => 16 * (lane % 16) + 64 * (lane / 16),
        5 => 64 * (lane / 16),
        // Two groups in reverse, others in order.
        6 => 4 * (lane ^ if lane & 16 == 0 { 15 } else { 0 }),
        7 => random.below(4 * u64::from(LDS_WORDS) - 80) as u32,
        // Some lanes outside, the last ones partly.
        8 => 4 * LDS_WORDS - 260 + 4 * lane + 2 * (lane & 1),
        _ if random.below(16) == 0 => random.bits() as u32,
        _ => 4 * random.below(200) as u32,
    }
}

/// A random instruction on pairs.
fn pair(random: &mut Random, registers: u64) -> String {
    let (name, count) = *pick(random, PAIRS);
    // Pairs begin at an even register there.
    let run = |file: &str, first: u64| format!("{file}[{first}:{}]", first + 1);
    let target = run("v", 2 * random.below(registers / 2));
    let source = |_| run("v", 2 * random.below(registers / 2));
    let mut sources: Vec<String> = (0..count).map(source).collect();
    if random.below(4) == 0 {
        let first = SCALARS.0 + 2 * random.below(SCALARS.1 / 2);
        sources[random.below(count as u64) as usize] = run("s", first);
    }
    let mut bits = |usual: u64| {
        let bit = |_| {
            if random.below(3) == 0 {
                1 - usual
            } else {
                usual
            }
            .to_string()
        };
        (0..count).map(bit).collect::<Vec<_>>().join(",")
    };
    let (low, high) = (bits(0), bits(1));
    format!(
        "{name} {target}, {} op_sel:[{low}] op_sel_hi:[{high}]",
        sources.join(", ")
    )
}

/// A random program, whose runs have `length` instructions about.
pub fn program(random: &mut Random, registers: u64, length: u64, later: bool) -> String {
    let line = |random: &mut Random| match random.below(length) {
        0 => (*pick(random, OTHERS)).to_owned(),
        at if at % 8 == 1 && !later => pair(random, registers),
        at if at % 4 == 2 => with_masks(random, registers, later),
        at if at % 8 == 5 && later => dual(random, registers),
        at if at % 8 == 3 => lds_load(random, registers),
        at if at % 16 == 7 => (*pick(random, SCALAR)).to_owned(),
        at if at % 16 == 15 => long_shift(random, registers),
        _ => instruction(random, registers),
    };
    let mut text: Vec<String> = (0..80).map(|_| line(random)).collect();
    if later {
        text.iter_mut().for_each(rename);
    }
    text.join("\n")
}

/// Gives instructions the names that they have since gfx10.
pub fn rename(line: &mut String) {
    for (old, new) in LATER_NAMES {
        *line = line.replace(&format!("{old}_e"), &format!("{new}_e"));
        if !old.starts_with("v_") {
            *line = line.replace(old, new);
        }
    }
}

/// A word for registers: an ordinary number, which is seldom something else.
fn word(random: &mut Random, kind: u64) -> u32 {
    let special = [
        0,
        0x8000_0000,
        1,
        0x8000_0001,
        0x007f_ffff,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0001,
        0x7fa0_0000,
        0x7f7f_ffff,
    ];
    let bits = (random.bits() >> 9) as u32;
    match kind {
        0 => bits,
        1 if random.below(400) == 0 => *pick(random, &special),
        2 if random.below(20) == 0 => *pick(random, &special),
        _ => bits & 0x80ff_ffff | 0x3f00_0000,
    }
}

/// Everything that a program leaves behind.
#[derive(Debug, PartialEq)]
pub struct Result {
    vectors: Vec<[u32; LANES]>,
    lds: Vec<u8>,
    scalars: Vec<u32>,
    scc: bool,
    counts: Vec<(u64, u64, u64)>,
}

/// Runs `text` with runs of at least `native` instructions as host code, from registers that `seed` makes.
fn result(target: &str, wave_size: u32, text: &str, seed: u64, native: Option<usize>) -> Result {
    let mut machine = Machine::native(target, wave_size, text, native);
    #[cfg(target_arch = "x86_64")]
    if native.is_some()
        && let Ok(test) = std::env::var(PLANTED)
        && test.contains("load")
    {
        // The code is made when a run is executed first.
        machine.run();
        match test.contains("anchor") {
            true => plant_in_anchors(),
            false => plant_in_loads(),
        }
        machine.restart();
    }
    set_up(&mut machine, seed);
    machine.run();
    Result::of(&machine)
}

/// Gives registers and LDS the contents that `seed` makes.
pub fn set_up(machine: &mut Machine, seed: u64) {
    let wave_size = machine.wave.wave_size();
    let mut random = Random(seed);
    let kind = random.below(4);
    for row in 0..40 {
        let words: Vec<u32> = (0..wave_size).map(|_| word(&mut random, kind)).collect();
        machine.vgpr(row, |lane| words[lane]);
    }
    for number in 0..ADDRESSES.1 {
        let lanes = 0..wave_size as usize;
        let words: Vec<u32> = lanes
            .map(|lane| lds_address(&mut random, number, lane))
            .collect();
        machine.vgpr((ADDRESSES.0 + number) as usize, |lane| words[lane]);
    }
    let words: Vec<u32> = (0..LDS_WORDS).map(|_| word(&mut random, kind)).collect();
    machine.lds_words(words);
    for scalar in 40..48 {
        machine.sgpr(scalar, word(&mut random, kind));
    }
    // Half of them begin with all lanes, and one of the masks has them. Some have groups without lanes.
    let kind_of_mask = random.below(4);
    if kind_of_mask < 2 {
        let groups_off = kind_of_mask * random.below(4);
        machine.exec(random.bits() << (16 * groups_off));
    }
    machine.sgpr64(46, u64::MAX);
    for mask in [36, 38, 106] {
        machine.sgpr64(mask, random.bits());
    }
}

impl Result {
    pub fn of(machine: &Machine) -> Result {
        let start = machine.start();
        let mut counts: Vec<_> = machine
            .counts
            .by_pc()
            .into_iter()
            .map(|(pc, count)| (pc - start, count.waves, count.lanes))
            .collect();
        counts.sort_unstable();
        let wave = &machine.wave;
        Result {
            vectors: (0..wave.vector_rows())
                .map(|row| *wave.vgpr_row(row))
                .collect(),
            lds: machine.lds.clone(),
            // Words from there on take what is written to NULL, and nothing reads them.
            scalars: wave.sgprs()[..128].to_vec(),
            scc: wave.scc(),
            counts,
        }
    }
}

/// Compares random programs.
fn compare(target: &str, wave_size: u32, registers: u64, length: u64) {
    let mut random = Random(u64::from(wave_size) * registers + length);
    for number in 0..PROGRAMS {
        let text = program(&mut random, registers, length, target != "gfx90a");
        let seed = random.bits();
        let expected = result(target, wave_size, &text, seed, None);
        for least in [1, 4] {
            let found = result(target, wave_size, &text, seed, Some(least));
            assert!(
                found == expected,
                "{target} program {number}, runs of {least}: {}\n{text}",
                difference(&found, &expected)
            );
        }
    }
}

/// The first thing that is not equal.
pub fn difference(found: &Result, expected: &Result) -> String {
    for (row, (found, expected)) in found.vectors.iter().zip(&expected.vectors).enumerate() {
        for lane in 0..LANES {
            let (found, expected) = (found[lane], expected[lane]);
            if found != expected {
                return format!("v{row} lane {lane} is {found:#x}, not {expected:#x}");
            }
        }
    }
    format!(
        "{:?}\n{:?}",
        (&found.scalars, &found.counts),
        (&expected.scalars, &expected.counts)
    )
}

#[test]
fn random_programs_do_the_same() {
    compare("gfx90a", 64, 8, 1000);
    compare("gfx90a", 64, 8, 10);
    compare("gfx90a", 64, 16, 4);
    // More registers than the host has.
    compare("gfx90a", 64, 40, 100);
}

#[test]
fn random_programs_do_the_same_with_32_lanes() {
    compare("gfx1100", 32, 8, 1000);
    compare("gfx1100", 32, 40, 12);
}

#[test]
fn a_run_is_one_micro_operation() {
    if wave::host_code_is_possible().is_err() || cfg!(debug_assertions) {
        return;
    }
    let text = "v_add_u32_e32 v1, v2, v3\nv_mul_f32_e32 v2, v1, v3\ns_nop 0\nv_xor_b32_e32 v3, v3, v1\nv_not_b32_e32 v4, v2";
    let count = |least| Machine::native("gfx90a", 64, text, least).micro_ops();
    assert_eq!(count(Some(4)), 2);
    assert_eq!(count(Some(5)), 5);
    // A scalar instruction may be between them, and is done behind the run. One is needed within it.
    let between = |scalar: &str| text.replace("s_nop 0", scalar);
    for (scalar, expected) in [("s_add_u32 s0, s0, s1", 2), ("s_add_u32 s2, s0, s1", 5)] {
        let text = between(scalar).replace("v_xor_b32_e32 v3, v3,", "v_xor_b32_e32 v3, s2,");
        let mut machine = Machine::native("gfx90a", 64, &text, Some(4));
        assert_eq!(machine.micro_ops(), expected + 1, "{scalar}");
    }
    // A carry that goes nowhere.
    let sum = "v_add_co_u32 v1, vcc_lo, v2, v3\nv_add_co_ci_u32_e64 v4, null, v5, v6, vcc_lo";
    assert_eq!(Machine::native("gfx1100", 32, sum, Some(2)).micro_ops(), 2);
    // A branch may come to the third one.
    let text = format!(
        "s_cbranch_scc1 target\n{}",
        text.replace("v_xor", "target:\nv_xor")
    );
    let mut machine = Machine::native("gfx90a", 64, &text, Some(2));
    assert_eq!(machine.micro_ops(), 4);
}

#[test]
fn runs_become_host_code_after_some_executions() {
    if wave::host_code_is_possible().is_err() || cfg!(debug_assertions) {
        return;
    }
    // Two runs in each turn. The instruction between them is no step of a loop.
    let text = "s_mov_b32 s0, TURNS\nagain:\nv_add_u32_e32 v1, v1, v3\nv_xor_b32_e32 v4, v4, v1\nv_cmpx_eq_u32_e32 vcc, v1, v1\n\
        v_add_u32_e32 v2, v2, v1\nv_not_b32_e32 v5, v2\ns_sub_u32 s0, s0, 1\ns_cmp_lg_u32 s0, 0\ns_cbranch_scc1 again";
    let after = HostCode {
        least: 2,
        after: 10,
        gaining: false,
    };
    for (turns, expected) in [(5, false), (6, true)] {
        let text = text.replace("TURNS", &turns.to_string());
        let run = |wanted| {
            let mut machine = Machine::translated("gfx90a", 64, &text, wanted);
            for row in 1..6 {
                machine.vgpr(row, |lane| (row * 1000 + lane) as u32);
            }
            machine.run();
            let rows: Vec<_> = (0..6).map(|row| *machine.wave.vgpr_row(row)).collect();
            (rows, machine.has_host_code())
        };
        let (rows, made) = run(Some(after));
        assert_eq!(made, expected, "{turns} turns");
        assert!(rows == run(None).0, "{turns} turns");
    }
}

/// An instruction of the lists that random programs have.
fn each_instruction(later: bool) -> Vec<String> {
    let mut random = Random(1);
    let mut all = Vec::new();
    for (sources, names) in LANE_WISE {
        all.extend(
            names
                .iter()
                .map(|name| named(&mut random, 8, sources, name)),
        );
    }
    for (operands, names) in WITH_MASKS {
        all.extend(
            names
                .iter()
                .map(|name| mask_named(&mut random, 8, operands, name, later)),
        );
    }
    all.push("v_lshlrev_b64 v[2:3], v4, v[6:7]".to_owned());
    all.extend(LDS_LOADS.iter().map(|&(name, words, _)| match words {
        1 => format!("{name} v1, v2"),
        _ => format!("{name} v[2:{}], v1", 1 + words),
    }));
    all
}

#[test]
fn each_instruction_of_the_lists_becomes_host_code() {
    if wave::host_code_is_possible().is_err() || cfg!(debug_assertions) {
        return;
    }
    for text in each_instruction(false) {
        let mut machine = Machine::native("gfx90a", 64, &text, Some(1));
        machine.run();
        assert!(machine.has_host_code(), "{text}");
    }
}

/// Rows that are host code where the host has AVX-512. Some more may be, by what the compiler makes of them.
const WITH_HOST_CODE: usize = 90;

#[test]
fn rows_have_host_code() {
    if wave::host_code_is_possible().is_err() || cfg!(debug_assertions) {
        return;
    }
    let rows = wave::host_code_of_rows();
    let known = LANE_WISE.iter().chain(WITH_MASKS);
    for name in known.flat_map(|(_, names)| *names) {
        let name = &name.replace("_e64", "");
        let row = rows.iter().find(|row| row.0 == name);
        assert!(row.is_some_and(|row| row.1.is_ok()), "{name}: {row:?}");
    }
    let accepted = rows.iter().filter(|row| row.1.is_ok()).count();
    assert!(accepted >= WITH_HOST_CODE, "{accepted} rows: {rows:#?}");
}

/// Runs a test of this program, or all of a file, in a process of its own with `variable`.
fn child(filter: &[&str], variable: (&str, &str)) {
    let output = Command::new(std::env::current_exe().expect("this test"))
        .args(filter)
        .env(variable.0, variable.1)
        .output()
        .expect("the test program starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(!text.contains("running 0 tests"), "{text}");
}

/// Runs the tests of some files with every lane-wise instruction as host code.
fn files_pass_with_host_code(files: &[&str]) {
    if forced().is_none() {
        child(files, (NATIVE, "1"));
    }
}

#[test]
fn tests_of_rows_pass_with_host_code() {
    files_pass_with_host_code(&[
        "vector32::",
        "uniform_sources::",
        "chains::",
        "modifiers::",
        "lanes_off::",
        "every_encoding::",
    ]);
}

#[test]
#[ignore = "takes a minute"]
fn documented_cases_pass_with_host_code() {
    files_pass_with_host_code(&["exec::", "vector_math::", "short_cuts::", "nops::"]);
}

/// Makes the stencil of `v_add_u32` one that subtracts. Its handlers have other code.
#[cfg(target_arch = "x86_64")]
fn plant() {
    /// The last byte of what EVEX writes for an addition and for a subtraction of words.
    const ADD: u8 = 0xfe;
    const SUBTRACT: u8 = 0xfa;
    const EVEX: u8 = 0x62;
    const PAGE: usize = 4096;
    let code = wave::host_code_of_row("v_add_u32").expect("a function");
    let page = code as usize & !(PAGE - 1);
    let rights = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
    // SAFETY: the pages are of this program's code, which stays executable. No other thread is in the function, whose first instruction
    // has six bytes.
    unsafe {
        assert_eq!(libc::mprotect(page as *mut _, 2 * PAGE, rights), 0);
        assert_eq!((*code, *code.add(4)), (EVEX, ADD));
        code.cast_mut().add(4).write(SUBTRACT);
    }
}

/// Makes loads in the host code that there is forget the address of the first lane.
#[cfg(target_arch = "x86_64")]
fn plant_in_loads() {
    /// `add r11, [rdx + 8]`, and the opcode that makes it a move.
    const ADD_BASE: [u8; 4] = [0x4c, 0x03, 0x5a, 0x08];
    const MOVE: u8 = 0x8b;
    plant_in_host_code(&ADD_BASE, 1, MOVE);
}

/// Makes loads near an anchor take addresses that lie apart for such that follow each other.
#[cfg(target_arch = "x86_64")]
fn plant_in_anchors() {
    /// `mov ebx, 3`
    const APART: [u8; 5] = [0xbb, 3, 0, 0, 0];
    const CONSECUTIVE: u8 = 1;
    plant_in_host_code(&APART, 1, CONSECUTIVE);
}

/// Changes byte `byte` of each place with the bytes `found` in the host code that there is.
#[cfg(target_arch = "x86_64")]
pub fn plant_in_host_code(found: &[u8], byte: usize, planted: u8) {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("the process's memory");
    // Memory without a file that can be executed.
    let code = maps
        .lines()
        .filter(|line| line.contains(" r-xp 00000000 00:00 0") && !line.contains('['));
    let place = |line: &str| {
        let (start, end) = line.split(' ').next()?.split_once('-')?;
        let number = |text| usize::from_str_radix(text, 16).ok();
        Some((number(start)?, number(end)?))
    };
    for (start, end) in code.filter_map(place) {
        let rights = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
        // SAFETY: the pages are host code of this process, which no thread executes now.
        let bytes = unsafe {
            assert_eq!(libc::mprotect(start as *mut _, end - start, rights), 0);
            std::slice::from_raw_parts_mut(start as *mut u8, end - start)
        };
        for at in 0..bytes.len() - found.len() {
            if bytes[at..].starts_with(found) {
                bytes[at + byte] = planted;
            }
        }
    }
}

/// Plants an error in a child, which compares random programs then, and returns what it said when they were not the same.
#[cfg(target_arch = "x86_64")]
pub fn found_in_child(file: &str, test: &str) -> Option<String> {
    if wave::host_code_is_possible().is_err() || cfg!(debug_assertions) {
        return None;
    }
    let output = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", &format!("{file}::{test}")])
        .env(PLANTED, test)
        .output()
        .expect("the test program starts");
    let text = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    let text = text.concat();
    assert!(!output.status.success(), "{text}");
    assert!(text.contains("runs of 1: "), "{text}");
    Some(text)
}

/// A stencil with a wrong instruction is found by the comparison of random programs.
#[test]
#[cfg(target_arch = "x86_64")]
fn a_planted_error_is_found() {
    if std::env::var_os(PLANTED).is_some() {
        plant();
        // Short runs: in long ones most groups come to a NaN, and the code stores nothing.
        compare("gfx90a", 64, 8, 10);
        return;
    }
    if let Some(text) = found_in_child("native", "a_planted_error_is_found") {
        // The instruction with a carry has the same function.
        let has = |name| text.contains(name);
        assert!(has("v_add_u32") || has("v_add_co_u32"), "{text}");
    }
}

/// The same of a load. `test`: the one that calls this, whose name chooses the error.
#[cfg(target_arch = "x86_64")]
fn an_error_is_found_in_loads(test: &str) {
    if std::env::var_os(PLANTED).is_some() {
        compare("gfx90a", 64, 8, 10);
        return;
    }
    if let Some(text) = found_in_child("native", test) {
        assert!(text.contains("ds_read"), "{text}");
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn a_planted_error_in_a_load_is_found() {
    an_error_is_found_in_loads("a_planted_error_in_a_load_is_found");
}

#[test]
#[cfg(target_arch = "x86_64")]
fn a_planted_error_in_a_load_near_an_anchor_is_found() {
    an_error_is_found_in_loads("a_planted_error_in_a_load_near_an_anchor_is_found");
}

/// Memory that may not become executable leaves everything to the interpreter.
#[test]
fn a_host_may_refuse() {
    if std::env::var_os(REFUSED).is_none() {
        child(&["--exact", "native::a_host_may_refuse"], (REFUSED, "1"));
        return;
    }
    const PR_SET_MDWE: i32 = 65;
    const REFUSE_EXEC_GAIN: usize = 1;
    // SAFETY: the call takes numbers alone.
    let refuses =
        unsafe { libc::prctl(PR_SET_MDWE, REFUSE_EXEC_GAIN, 0usize, 0usize, 0usize) } == 0;
    if !refuses || !std::is_x86_feature_detected!("avx512f") {
        return;
    }
    let why = wave::host_code_is_possible().expect_err("the kernel refuses");
    assert!(matches!(why, wave::NoHostCode::Refused(_)), "{why}");
    let mut machine = Machine::native("gfx90a", 64, "v_add_u32_e32 v1, v2, v3", Some(1));
    machine.vgpr(2, |lane| lane as u32).vgpr(3, |_| 5).run();
    machine.check(1, |lane| lane as u32 + 5);
}
