//! Typed buffer accesses. Expected values follow from the definitions of the number formats (n bits: unorm is v / (2^n - 1),
//! snorm is v / (2^(n-1) - 1) and at least -1) and of small floats.

use crate::harness::{Machine, POISON};

/// Descriptor word 3 that selects R, G, B, A, before the format.
const IDENTITY: u32 = 4 | 5 << 3 | 6 << 6 | 7 << 9;

fn f(value: f32) -> u32 {
    value.to_bits()
}

/// `count` dwords that a typed load of `format` leaves, from 16 bytes of memory.
fn load(target: &str, format: &str, bytes: [u8; 16]) -> Vec<u32> {
    let mut memory = bytes;
    let mut m = Machine::new(
        target,
        &format!("tbuffer_load_format_xyzw v[4:7], off, s[4:7], 0 format:{format}"),
    );
    let base = m.map(&mut memory);
    m.sgpr64(4, base).sgpr(6, 16).exec(2);
    m.sgpr(7, IDENTITY | if target == "gfx1030" { 3 << 28 } else { 0 });
    m.run();
    (4..8).map(|index| m.wave.vgpr(index, 1)).collect()
}

#[test]
fn typed_loads() {
    let words = |words: [u32; 4]| {
        let mut bytes = [0; 16];
        for (index, word) in words.into_iter().enumerate() {
            bytes[4 * index..4 * index + 4].copy_from_slice(&word.to_le_bytes());
        }
        bytes
    };
    #[rustfmt::skip]
    let cases: &[(&str, &str, [u32; 4], [u32; 4])] = &[
        // data format, number format, memory, result
        ("8",           "UNORM",   [0x33, 0, 0, 0],                  [f(51.0 / 255.0), 0, 0, f(1.0)]),
        ("8",           "SNORM",   [0x80, 0, 0, 0],                  [f(-1.0), 0, 0, f(1.0)]),
        ("8",           "SINT",    [0xfe, 0, 0, 0],                  [-2i32 as u32, 0, 0, 1]),
        ("16",          "FLOAT",   [0x3e00, 0, 0, 0],                [f(1.5), 0, 0, f(1.0)]),
        ("16_16",       "USCALED", [0xffff_0003, 0, 0, 0],           [f(3.0), f(65535.0), 0, f(1.0)]),
        ("8_8_8_8",     "UINT",    [0x0403_0201, 0, 0, 0],           [1, 2, 3, 4]),
        ("8_8_8_8",     "SSCALED", [0xff03_02fe, 0, 0, 0],           [f(-2.0), f(2.0), f(3.0), f(-1.0)]),
        ("32",          "FLOAT",   [f(0.1), 0, 0, 0],                [f(0.1), 0, 0, f(1.0)]),
        ("32_32",       "UINT",    [5, 6, 7, 8],                     [5, 6, 0, 1]),
        ("32_32_32",    "SINT",    [5, 6, 7, 8],                     [5, 6, 7, 1]),
        ("32_32_32_32", "FLOAT",   [f(1.0), f(2.0), f(3.0), f(4.0)], [f(1.0), f(2.0), f(3.0), f(4.0)]),
        ("16_16_16_16", "SNORM",   [0x8001_7fff, 0x0000_8000, 0, 0], [f(1.0), f(-1.0), f(-1.0), 0]),
        ("2_10_10_10",  "UINT",    [1 | 2 << 10 | 3 << 20 | 3 << 30, 0, 0, 0], [1, 2, 3, 3]),
        // 1.0 is exponent 15: 0x3c0 with six mantissa bits, 0x1e0 with five.
        ("10_11_11",    "FLOAT",   [0x3c0 | 0x400 << 11 | 0x1e0 << 22, 0, 0, 0], [f(1.0), f(2.0), f(1.0), f(1.0)]),
    ];
    for &(data, number, memory, want) in cases {
        let gfx9 = format!("[BUF_DATA_FORMAT_{data},BUF_NUM_FORMAT_{number}]");
        assert_eq!(load("gfx90a", &gfx9, words(memory)), want, "gfx90a {gfx9}");
        let gfx10 = format!("[BUF_FMT_{data}_{number}]");
        assert_eq!(
            load("gfx1030", &gfx10, words(memory)),
            want,
            "gfx1030 {gfx10}"
        );
    }
}

#[test]
fn untyped_loads_take_the_format_from_the_descriptor() {
    let mut memory = [0x4030_2010u32; 4];
    let mut m = Machine::new(
        "gfx900",
        "buffer_load_format_xy v[4:5], off, s[4:7], 0
         buffer_load_format_d16_xyz v[8:9], off, s[4:7], 0
         buffer_load_format_d16_hi_x v12, off, s[4:7], 0",
    );
    let base = m.map(&mut memory);
    // 8_8_8_8 (10) UINT (4); X selects blue, Y selects the constant 1.
    m.sgpr64(4, base)
        .sgpr(6, 16)
        .sgpr(7, 6 | 1 << 3 | 4 << 6 | 4 << 12 | 10 << 15)
        .run();
    m.check(4, |_| 0x30);
    m.check(5, |_| 1);
    m.check(8, |_| 0x0001_0030);
    m.check(9, |_| 0xdead_0010);
    m.check(12, |_| 0x0030_0bad);
}

#[test]
fn typed_stores() {
    let mut memory = [POISON; 4];
    let mut m = Machine::new(
        "gfx90a",
        "tbuffer_store_format_xyzw v[4:7], off, s[4:7], 0 format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_UNORM]
         tbuffer_store_format_xy v[4:5], off, s[4:7], 0 format:[BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_FLOAT] offset:4
         tbuffer_store_format_x v6, off, s[4:7], 0 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] offset:8
         tbuffer_store_format_x v5, off, s[4:7], 0 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] offset:16",
    );
    let base = m.map(&mut memory);
    m.sgpr64(4, base).sgpr(6, 16).sgpr(7, IDENTITY).exec(1);
    m.vgpr(4, |_| f(0.2))
        .vgpr(5, |_| f(2.0))
        .vgpr(6, |_| f(-1.0))
        .vgpr(7, |_| f(0.6))
        .run();
    // 0.2 * 255 = 51; 0.6 * 255 = 153; clamped at both ends. f16: 0.2 is 0x3266, 2.0 is 0x4000. The last store is out of range.
    assert_eq!(memory, [0x9900_ff33, 0x4000_3266, f(-1.0), POISON]);
}
