//! Atomics on LDS, device memory, buffers and through FLAT, against the manual's pseudocode written out per lane.

use crate::harness::Machine;

/// New value of a word from its old value, DATA and DATA2 (LDS order).
type Change<W> = fn(W, W, W) -> W;

const MASKS: [u64; 3] = [!0, 0x8000_0001_f0f0_3333, 1 << 17];

fn data32(lane: usize) -> u32 {
    [0, 5, 0x8000_0000, 7, 0xffff_ffff, 1, 0x7fff_ffff][lane % 7].max(lane as u32 & 3)
}

fn data64(lane: usize) -> u64 {
    u64::from(data32(lane)) << 32 | u64::from(data32(lane + 3))
}

#[rustfmt::skip]
const CHANGES32: &[(&str, &str, &str, Change<u32>)] = &[
    // DS suffix, global name, type suffix of DS
    ("add",    "add",     "u32", |old, data, _| old.wrapping_add(data)),
    ("sub",    "sub",     "u32", |old, data, _| old.wrapping_sub(data)),
    ("rsub",   "",        "u32", |old, data, _| data.wrapping_sub(old)),
    ("inc",    "inc",     "u32", |old, data, _| if old >= data { 0 } else { old + 1 }),
    ("dec",    "dec",     "u32", |old, data, _| if old == 0 || old > data { data } else { old - 1 }),
    ("min",    "smin",    "i32", |old, data, _| (old as i32).min(data as i32) as u32),
    ("max",    "smax",    "i32", |old, data, _| (old as i32).max(data as i32) as u32),
    ("min",    "umin",    "u32", |old, data, _| old.min(data)),
    ("max",    "umax",    "u32", |old, data, _| old.max(data)),
    ("and",    "and",     "b32", |old, data, _| old & data),
    ("or",     "or",      "b32", |old, data, _| old | data),
    ("xor",    "xor",     "b32", |old, data, _| old ^ data),
    ("mskor",  "",        "b32", |old, data, second| old & !data | second),
    ("cmpst",  "cmpswap", "b32", |old, data, second| if old == data { second } else { old }),
    ("wrxchg", "swap",    "b32", |_, data, _| data),
    ("wrap",   "",        "b32", |old, data, second| if old >= data { old.wrapping_sub(data) } else { old.wrapping_add(second) }),
];

#[rustfmt::skip]
const CHANGES64: &[(&str, &str, &str, Change<u64>)] = &[
    ("add",    "add",     "u64", |old, data, _| old.wrapping_add(data)),
    ("sub",    "sub",     "u64", |old, data, _| old.wrapping_sub(data)),
    ("rsub",   "",        "u64", |old, data, _| data.wrapping_sub(old)),
    ("inc",    "inc",     "u64", |old, data, _| if old >= data { 0 } else { old + 1 }),
    ("dec",    "dec",     "u64", |old, data, _| if old == 0 || old > data { data } else { old - 1 }),
    ("min",    "smin",    "i64", |old, data, _| (old as i64).min(data as i64) as u64),
    ("max",    "smax",    "i64", |old, data, _| (old as i64).max(data as i64) as u64),
    ("min",    "umin",    "u64", |old, data, _| old.min(data)),
    ("max",    "umax",    "u64", |old, data, _| old.max(data)),
    ("and",    "and",     "b64", |old, data, _| old & data),
    ("or",     "or",      "b64", |old, data, _| old | data),
    ("xor",    "xor",     "b64", |old, data, _| old ^ data),
    ("mskor",  "",        "b64", |old, data, second| old & !data | second),
    ("cmpst",  "cmpswap", "b64", |old, data, second| if old == data { second } else { old }),
    ("wrxchg", "swap",    "b64", |_, data, _| data),
];

/// Word each lane works on: all different, all the same, eight lanes each.
const WORDS: [fn(usize) -> usize; 3] = [|lane| lane, |_| 3, |lane| lane / 8];

/// Applies `change` lane by lane; returns the values before, per lane.
fn reference<W: Copy>(
    words: &mut [W],
    mask: u64,
    word: fn(usize) -> usize,
    change: Change<W>,
    data: impl Fn(usize) -> W,
    second: impl Fn(usize) -> W,
) -> Vec<W> {
    (0..64)
        .map(|lane| {
            let old = words[word(lane)];
            if mask >> lane & 1 != 0 {
                words[word(lane)] = change(old, data(lane), second(lane));
            }
            old
        })
        .collect()
}

/// Second operand: often equal to what memory holds.
fn second32(lane: usize) -> u32 {
    if lane.is_multiple_of(2) {
        5
    } else {
        data32(lane) ^ 1
    }
}

fn second64(lane: usize) -> u64 {
    if lane.is_multiple_of(2) {
        5
    } else {
        data64(lane) ^ 1
    }
}

#[test]
fn lds_dword_atomics() {
    for &(name, _, kind, change) in CHANGES32 {
        let two = matches!(name, "mskor" | "cmpst" | "wrap");
        let operands = if two {
            "v1, v2, v3 offset:4"
        } else {
            "v1, v2 offset:4"
        };
        for returns in [false, true] {
            if !returns && matches!(name, "wrxchg" | "wrap") {
                continue;
            }
            let text = if returns {
                format!("ds_{name}_rtn_{kind} v8, {operands}")
            } else {
                format!("ds_{name}_{kind} {operands}")
            };
            for mask in MASKS {
                for word in WORDS {
                    let mut want: Vec<u32> = (0..65).map(|i| data32(i + 1)).collect();
                    let mut m = Machine::new("gfx90a", &text);
                    m.lds_words(want.iter().copied()).exec(mask);
                    m.vgpr(1, |lane| 4 * word(lane) as u32)
                        .vgpr(2, data32)
                        .vgpr(3, second32)
                        .run();
                    let before = reference(&mut want[1..], mask, word, change, data32, second32);
                    for (index, &value) in want.iter().enumerate() {
                        assert_eq!(m.lds_word(index), value, "{text} word {index} {mask:#x}");
                    }
                    if returns {
                        m.check(8, |lane| before[lane]);
                    }
                }
            }
        }
    }
}

#[test]
fn lds_quadword_atomics() {
    for &(name, _, kind, change) in CHANGES64 {
        let two = matches!(name, "mskor" | "cmpst");
        let operands = if two {
            "v1, v[2:3], v[4:5]"
        } else {
            "v1, v[2:3]"
        };
        let text = format!("ds_{name}_rtn_{kind} v[8:9], {operands}");
        for mask in MASKS {
            for word in WORDS {
                let mut want: Vec<u64> = (0..64).map(|i| data64(i + 1)).collect();
                let mut m = Machine::new("gfx1030", &text);
                m.lds_words(want.iter().flat_map(|&w| [w as u32, (w >> 32) as u32]));
                let mask = mask & 0xffff_ffff;
                m.exec(mask).vgpr(1, |lane| 8 * word(lane) as u32);
                m.vgpr64(2, data64).vgpr64(4, second64).run();
                let before = reference(&mut want, mask, word, change, data64, second64);
                let got: Vec<u64> = m
                    .lds
                    .chunks(8)
                    .map(|c| u64::from_le_bytes(c.try_into().unwrap()))
                    .collect();
                assert_eq!(got, want, "{text} {mask:#x}");
                m.check(8, |lane| before[lane] as u32);
                m.check(9, |lane| (before[lane] >> 32) as u32);
            }
        }
    }
}

/// The three ways to memory: text of the instruction without its name.
const FORMS: [(&str, &str, &str); 3] = [
    ("global", "v[2:3], DATA, off", "offset:8"),
    ("flat", "v[2:3], DATA", "offset:8"),
    ("buffer", "DATA, v1, s[4:7], 0 offen", "offset:8"),
];

fn text(form: (&str, &str, &str), name: &str, data: &str, result: Option<&str>) -> String {
    let (prefix, operands, offset) = form;
    let operands = operands.replace("DATA", data);
    match result {
        Some(result) if prefix != "buffer" => {
            format!("{prefix}_atomic_{name} {result}, {operands} {offset} glc")
        }
        Some(_) => format!("{prefix}_atomic_{name} {operands} {offset} glc"),
        None => format!("{prefix}_atomic_{name} {operands} {offset}"),
    }
}

#[test]
fn memory_dword_atomics() {
    for &(_, name, _, change) in CHANGES32.iter().filter(|row| !row.1.is_empty()) {
        let data = if name == "cmpswap" { "v[8:9]" } else { "v8" };
        for form in FORMS {
            for returns in [false, true] {
                let text = text(form, name, data, returns.then_some("v12"));
                for mask in MASKS {
                    for word in WORDS {
                        let mut memory: Vec<u32> = (0..66).map(|i| data32(i + 1)).collect();
                        let mut want = memory.clone();
                        let mut m = Machine::new("gfx906", &text);
                        let base = m.map(&mut memory);
                        m.exec(mask).sgpr64(4, base).sgpr(6, 66 * 4).sgpr(7, 0);
                        m.vgpr64(2, |lane| base + 4 * word(lane) as u64)
                            .vgpr(1, |lane| 4 * word(lane) as u32);
                        // Memory's order for cmpswap: new value, then comparison.
                        if name == "cmpswap" {
                            m.vgpr(8, second32).vgpr(9, data32);
                        } else {
                            m.vgpr(8, data32);
                        }
                        m.run();
                        let before =
                            reference(&mut want[2..], mask, word, change, data32, second32);
                        assert_eq!(memory, want, "{text} {mask:#x}");
                        let result = if form.0 == "buffer" { 8 } else { 12 };
                        if returns {
                            let exec = m.wave.exec();
                            for lane in (0..64).filter(|lane| exec >> lane & 1 != 0) {
                                assert_eq!(m.row(result)[lane], before[lane], "{text} lane {lane}");
                            }
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn memory_quadword_atomics() {
    for &(_, name, _, change) in CHANGES64.iter().filter(|row| !row.1.is_empty()) {
        let data = if name == "cmpswap" {
            "v[8:11]"
        } else {
            "v[8:9]"
        };
        for form in FORMS {
            let text = text(form, &format!("{name}_x2"), data, Some("v[12:13]"));
            for mask in MASKS {
                for word in WORDS {
                    let mut memory: Vec<u64> = (0..66).map(|i| data64(i + 1)).collect();
                    let mut want = memory.clone();
                    let mut m = Machine::new("gfx90a", &text);
                    let base = m.map(&mut memory);
                    m.exec(mask).sgpr64(4, base).sgpr(6, 66 * 8).sgpr(7, 0);
                    m.vgpr64(2, |lane| base + 8 * word(lane) as u64)
                        .vgpr(1, |lane| 8 * word(lane) as u32);
                    if name == "cmpswap" {
                        m.vgpr64(8, second64).vgpr64(10, data64);
                    } else {
                        m.vgpr64(8, data64);
                    }
                    m.run();
                    let before = reference(&mut want[1..], mask, word, change, data64, second64);
                    assert_eq!(memory, want, "{text} {mask:#x}");
                    let result = m.row64(if form.0 == "buffer" { 8 } else { 12 });
                    for lane in (0..64).filter(|lane| mask >> lane & 1 != 0) {
                        assert_eq!(result[lane], before[lane], "{text} lane {lane}");
                    }
                }
            }
        }
    }
}

#[test]
fn float_atomics() {
    let f = f32::to_bits;
    let d = f64::to_bits;
    let denormal = 0x0000_0001;
    #[rustfmt::skip]
    let singles: &[(&str, &str, u32, u32, u32)] = &[
        // target, name, old, data, new
        ("gfx90a",  "add_f32",    f(1.5),      f(2.25),      f(3.75)),
        // f32 denormals flush in device memory.
        ("gfx90a",  "add_f32",    denormal,    f(0.0),       0),
        ("gfx908",  "pk_add_f16", 0x3c00_4000, 0x4200_3800,  0x4400_4100),
        ("gfx1030", "fmin",       f(1.0),      f(-2.0),      f(-2.0)),
        ("gfx1030", "fmin",       f(1.0),      f(f32::NAN),  f(1.0)),
        ("gfx1030", "fmax",       f(1.0),      f(-2.0),      f(1.0)),
        ("gfx1030", "csub",       10,          3,            7),
        ("gfx1030", "csub",       3,           10,           0),
    ];
    for &(target, name, old, data, new) in singles {
        let glc = if name == "csub" { "v5, " } else { "" };
        let flag = if name == "csub" { " glc" } else { "" };
        let mut memory = [old];
        let mut m = Machine::new(
            target,
            &format!("global_atomic_{name} {glc}v1, v4, s[2:3]{flag}"),
        );
        let base = m.map(&mut memory);
        m.sgpr64(2, base)
            .exec(4)
            .vgpr(1, |_| 0)
            .vgpr(4, |_| data)
            .run();
        assert_eq!(memory, [new], "{name} {old:#x} {data:#x}");
    }
    #[rustfmt::skip]
    let doubles: &[(&str, &str, u64, u64, u64)] = &[
        ("gfx90a",  "add_f64", d(1.5), d(2.25), d(3.75)),
        ("gfx90a",  "add_f64", 1,      1,       2),
        ("gfx90a",  "min_f64", d(1.5), d(2.25), d(1.5)),
        ("gfx90a",  "max_f64", d(1.5), d(2.25), d(2.25)),
        ("gfx1030", "fmin_x2", d(1.5), d(-0.5), d(-0.5)),
        ("gfx1030", "fmax_x2", d(1.5), d(-0.5), d(1.5)),
    ];
    for &(target, name, old, data, new) in doubles {
        let mut memory = [old];
        let mut m = Machine::new(target, &format!("flat_atomic_{name} v[2:3], v[4:5]"));
        let base = m.map(&mut memory);
        m.exec(4).vgpr64(2, |_| base).vgpr64(4, |_| data).run();
        assert_eq!(memory, [new], "{name} {old:#x} {data:#x}");
    }
    // gfx10: compare as floats, so that -0 equals 0. Data: new value, then comparison.
    let mut memory = [f(-0.0), f(2.0)];
    let mut m = Machine::new("gfx1030", "global_atomic_fcmpswap v1, v[4:5], s[2:3]");
    let base = m.map(&mut memory);
    m.sgpr64(2, base)
        .exec(3)
        .vgpr(1, |lane| 4 * lane as u32)
        .vgpr(4, |_| 77)
        .vgpr(5, |_| f(0.0))
        .run();
    assert_eq!(memory, [77, f(2.0)]);
}

#[test]
fn lds_float_atomics() {
    let f = f32::to_bits;
    let mut m = Machine::new(
        "gfx90a",
        "ds_add_f32 v1, v2
         ds_add_rtn_f32 v8, v1, v2 offset:4
         ds_min_f32 v1, v2 offset:8
         ds_max_rtn_f32 v9, v1, v2 offset:12
         ds_cmpst_f32 v1, v3, v2 offset:16
         ds_add_f64 v1, v[4:5] offset:24
         ds_add_f32 v1, v6 offset:32",
    );
    m.lds_words([f(1.0), f(2.0), f(1.0), f(1.0), f(-0.0), 0, 0, 0, 1])
        .exec(0b110);
    m.vgpr(1, |_| 0)
        .vgpr(2, |_| f(1.5))
        .vgpr(3, |_| f(0.0))
        .vgpr64(4, |_| 2.5f64.to_bits())
        .vgpr(6, |_| 1)
        .run();
    assert_eq!(m.lds_word(0), f(4.0));
    assert_eq!(m.lds_word(1), f(5.0));
    m.check(8, |lane| if lane == 1 { f(2.0) } else { f(3.5) });
    assert_eq!(m.lds_word(2), f(1.0));
    assert_eq!(m.lds_word(3), f(1.5));
    m.check(9, |lane| if lane == 1 { f(1.0) } else { f(1.5) });
    assert_eq!(m.lds_word(4), f(1.5));
    assert_eq!(
        (m.lds_word(6), m.lds_word(7)),
        (0, (5.0f64.to_bits() >> 32) as u32)
    );
    // MODE keeps denormals: 1 + 1 + 1 in units of the smallest.
    assert_eq!(m.lds_word(8), 3);
}

#[test]
fn lds_exchanges() {
    let mut m = Machine::new(
        "gfx90a",
        "ds_wrxchg2_rtn_b32 v[8:9], v1, v2, v3 offset0:0 offset1:1
         ds_wrxchg2st64_rtn_b64 v[12:15], v4, v[2:3], v[6:7] offset0:0 offset1:1
         ds_condxchg32_rtn_b64 v[16:17], v5, v[6:7]",
    );
    m.lds_words(0..512).exec(1);
    m.vgpr(1, |_| 40)
        .vgpr(2, |_| 1000)
        .vgpr(3, |_| 1001)
        .vgpr(4, |_| 80);
    m.vgpr(5, |_| 123)
        .vgpr(6, |_| 0x8000_0005)
        .vgpr(7, |_| 6)
        .run();
    m.check(8, |_| 10);
    m.check(9, |_| 11);
    assert_eq!((m.lds_word(10), m.lds_word(11)), (1000, 1001));
    for (index, want) in [20, 21, 148, 149].into_iter().enumerate() {
        m.check(12 + index, |_| want);
    }
    assert_eq!(
        [20, 21, 148, 149].map(|index| m.lds_word(index)),
        [1000, 1001, 0x8000_0005, 6]
    );
    // Address 123 rounds down to 120.
    m.check(16, |_| 30);
    m.check(17, |_| 31);
    assert_eq!((m.lds_word(30), m.lds_word(31)), (5, 31));
}

#[test]
fn atomics_outside_lds_do_nothing_and_return_zero() {
    let mut m = Machine::new("gfx90a", "ds_add_rtn_u32 v8, v1, v2\nds_add_u32 v1, v2");
    m.lds_words([1, 2])
        .vgpr(1, |lane| 4 * lane as u32)
        .vgpr(2, |_| 5)
        .run();
    m.check(8, |lane| [1, 2].get(lane).copied().unwrap_or(0));
    assert_eq!((m.lds_word(0), m.lds_word(1)), (11, 12));
}

/// Every lane adds to the same word: the sums, and what returns, are those of one lane after the other.
#[test]
fn floats_add_to_one_word_in_lane_order() {
    let data = |lane: usize| [1.0e8f32, 1.0, -1.0e8, 0.5][lane % 4] * (lane + 1) as f32;
    for mask in MASKS {
        let mut memory = [3.0f32.to_bits()];
        let mut m = Machine::new("gfx90a", "global_atomic_add_f32 v8, v1, v4, s[2:3] glc");
        let base = m.map(&mut memory);
        m.sgpr64(2, base).exec(mask);
        m.vgpr(1, |_| 0).vgpr(4, |lane| data(lane).to_bits()).run();
        let mut sum = 3.0f32;
        for lane in (0..64).filter(|lane| mask >> lane & 1 != 0) {
            assert_eq!(m.row(8)[lane], sum.to_bits(), "lane {lane} of {mask:#x}");
            sum += data(lane);
        }
        assert_eq!(memory, [sum.to_bits()], "{mask:#x}");
    }
}

#[test]
fn flat_floats_add_in_lds() {
    const SHARED: u64 = 0x0001_0000_0000_0000;
    for word in WORDS {
        let mut m = Machine::new("gfx90a", "flat_atomic_add_f64 v[2:3], v[4:5]");
        m.wave.shared_aperture = SHARED;
        m.lds_words(vec![0; 128]);
        m.vgpr64(2, |lane| SHARED + 8 * word(lane) as u64)
            .vgpr64(4, |lane| (lane as f64).to_bits())
            .run();
        let mut want = [0.0f64; 64];
        (0..64).for_each(|lane| want[word(lane)] += lane as f64);
        for (index, want) in want.into_iter().enumerate() {
            let got = u64::from(m.lds_word(2 * index)) | u64::from(m.lds_word(2 * index + 1)) << 32;
            assert_eq!(f64::from_bits(got), want, "word {index}");
        }
    }
}
