//! LDS loads, stores and permutations. Expected values are computed by the host from the manual's pseudocode.

use crate::harness::{Machine, POISON};
use wave::{FaultKind, Stop};

/// Test pattern of LDS: word i.
fn word(index: u32) -> u32 {
    index.wrapping_mul(0x9e37_79b9) ^ 0x1234_5678
}

fn byte(address: u32) -> u32 {
    word(address / 4) >> (8 * (address % 4)) & 0xff
}

/// Unaligned little-endian dword.
fn dword(address: u32) -> u32 {
    (0..4).map(|i| byte(address + i) << (8 * i)).sum()
}

/// A value per lane.
type Lanewise = fn(usize) -> u32;
/// A stored element: its offset and its words.
type Element<'a> = (u32, &'a [Lanewise]);

const MASKS: [u64; 4] = [!0, 0x5555_5555_5555_5555, 0xffff_0000_0180_7ffe, 1 << 63];

/// Byte addresses whose patterns have their own paths: consecutive, uniform, stride 33 dwords, uniform per 16, unaligned,
/// every 16 lanes alike.
const ADDRESSES: [Lanewise; 6] = [
    |lane| 4 * lane as u32,
    |_| 64,
    |lane| 4 * (lane as u32 * 33 % 256),
    |lane| 16 * (lane as u32 / 16),
    |lane| 7 * lane as u32 + 1,
    |lane| 16 * (lane as u32 % 16),
];

fn machine(target: &str, text: &str) -> Machine {
    let mut machine = Machine::new(target, text);
    machine.lds_words((0..1024).map(word));
    machine
}

#[test]
fn reads_of_every_width() {
    for target in ["gfx900", "gfx90a", "gfx1030"] {
        for mask in MASKS {
            for address in ADDRESSES {
                let mut m = machine(
                    target,
                    "ds_read_b32 v2, v1 offset:8
                     ds_read_b64 v[4:5], v1 offset:260
                     ds_read_b96 v[8:10], v1
                     ds_read_b128 v[12:15], v1 offset:16
                     ds_read2_b32 v[16:17], v1 offset0:3 offset1:1
                     ds_read2_b64 v[20:23], v1 offset0:1 offset1:4
                     ds_read2st64_b32 v[24:25], v1 offset0:1 offset1:2
                     ds_read2st64_b64 v[28:31], v1 offset0:0 offset1:3
                     ds_read2_b32 v[6:7], v1 offset0:4 offset1:5
                     ds_read2_b64 v[32:35], v1 offset0:2 offset1:3",
                );
                m.exec(mask).vgpr(1, address).run();
                let at = |offset: u32| move |lane| dword(address(lane) + offset);
                m.check(2, at(8));
                for (first, offsets) in [
                    (4, &[260, 264][..]),
                    (8, &[0, 4, 8]),
                    (12, &[16, 20, 24, 28]),
                    (16, &[12, 4]),
                    (20, &[8, 12, 32, 36]),
                    (24, &[256, 512]),
                    (28, &[0, 4, 1536, 1540]),
                    (6, &[16, 20]),
                    (32, &[16, 20, 24, 28]),
                ] {
                    for (index, &offset) in offsets.iter().enumerate() {
                        m.check(first + index, at(offset));
                    }
                }
                m.check(3, |_| POISON);
            }
        }
    }
}

#[test]
fn sub_dword_reads() {
    for target in ["gfx906", "gfx90a", "gfx1030"] {
        for mask in MASKS {
            for address in [
                |lane| lane as u32,
                |lane: usize| 2 * lane as u32,
                |lane| 5 * lane as u32,
            ] {
                let mut m = machine(
                    target,
                    "ds_read_u8 v2, v1
                     ds_read_i8 v3, v1 offset:3
                     ds_read_u16 v4, v1
                     ds_read_i16 v5, v1 offset:2
                     ds_read_u8_d16 v6, v1
                     ds_read_u8_d16_hi v7, v1
                     ds_read_i8_d16 v8, v1
                     ds_read_i8_d16_hi v9, v1
                     ds_read_u16_d16 v10, v1
                     ds_read_u16_d16_hi v11, v1",
                );
                m.exec(mask).vgpr(1, address).run();
                let half = |a: u32| byte(a) | byte(a + 1) << 8;
                let sign8 = |a: u32| byte(a) as u8 as i8 as i32 as u32;
                m.check(2, |lane| byte(address(lane)));
                m.check(3, |lane| sign8(address(lane) + 3));
                m.check(4, |lane| half(address(lane)));
                m.check(5, |lane| {
                    half(address(lane) + 2) as u16 as i16 as i32 as u32
                });
                // SRAM ECC, which these have, clears the other half.
                let (low, high) = if ["gfx906", "gfx90a"].contains(&target) {
                    (0, 0)
                } else {
                    (0xdead_0000, 0x0bad)
                };
                m.check(6, |lane| low | byte(address(lane)));
                m.check(7, |lane| high | byte(address(lane)) << 16);
                m.check(8, |lane| low | sign8(address(lane)) & 0xffff);
                m.check(9, |lane| high | sign8(address(lane)) << 16);
                m.check(10, |lane| low | half(address(lane)));
                m.check(11, |lane| high | half(address(lane)) << 16);
            }
        }
    }
}

/// Stores `widths` dwords at `offsets` for every active lane in lane order.
fn stored(mask: u64, address: Lanewise, elements: &[Element]) -> Vec<u8> {
    let mut lds: Vec<u8> = (0..1024).flat_map(|i| word(i).to_le_bytes()).collect();
    for (offset, words) in elements {
        for lane in (0..64).filter(|lane| mask >> lane & 1 != 0) {
            for (index, value) in words.iter().enumerate() {
                let at = (address(lane) + offset) as usize + 4 * index;
                lds[at..at + 4].copy_from_slice(&value(lane).to_le_bytes());
            }
        }
    }
    lds
}

#[test]
fn writes_of_every_width() {
    let a: Lanewise = |lane| lane as u32 * 0x0101_0101;
    let b: Lanewise = |lane| !(lane as u32);
    let c: Lanewise = |lane| lane as u32 ^ 0xa5a5_0000;
    let d: Lanewise = |lane| lane as u32 + 0x7000_0000;
    #[rustfmt::skip]
    let cases: &[(&str, &[Element])] = &[
        ("ds_write_b32 v1, v2 offset:12",                               &[(12, &[a])]),
        ("ds_write_b64 v1, v[2:3] offset:8",                            &[(8, &[a, b])]),
        ("ds_write_b96 v1, v[2:4]",                                     &[(0, &[a, b, c])]),
        ("ds_write_b128 v1, v[2:5]",                                    &[(0, &[a, b, c, d])]),
        ("ds_write2_b32 v1, v2, v4 offset0:2 offset1:5",                &[(8, &[a]), (20, &[c])]),
        ("ds_write2_b64 v1, v[2:3], v[4:5] offset0:1 offset1:3",        &[(8, &[a, b]), (24, &[c, d])]),
        ("ds_write2st64_b32 v1, v2, v4 offset0:1 offset1:2",            &[(256, &[a]), (512, &[c])]),
        ("ds_write2st64_b64 v1, v[2:3], v[4:5] offset0:0 offset1:1",    &[(0, &[a, b]), (512, &[c, d])]),
    ];
    for (text, elements) in cases {
        for mask in MASKS {
            for address in ADDRESSES {
                let mut m = machine("gfx90a", text);
                m.exec(mask).vgpr(1, address);
                m.vgpr(2, a).vgpr(3, b).vgpr(4, c).vgpr(5, d).run();
                assert_eq!(m.lds, stored(mask, address, elements), "{text} {mask:#x}");
            }
        }
    }
}

#[test]
fn sub_dword_writes() {
    for mask in MASKS {
        for (text, bytes, shift) in [
            ("ds_write_b8 v1, v2 offset:3", 1, 0),
            ("ds_write_b16 v1, v2 offset:3", 2, 0),
            ("ds_write_b8_d16_hi v1, v2 offset:3", 1, 16),
            ("ds_write_b16_d16_hi v1, v2 offset:3", 2, 16),
        ] {
            for stride in [1, 2, 9] {
                let mut m = machine("gfx900", text);
                let mut want = m.lds.clone();
                m.exec(mask);
                m.vgpr(1, |lane| stride * lane as u32);
                m.vgpr(2, |lane| word(lane as u32 + 7)).run();
                for lane in (0..64).filter(|lane| mask >> lane & 1 != 0) {
                    let value = (word(lane + 7) >> shift).to_le_bytes();
                    let at = (stride * lane + 3) as usize;
                    want[at..at + bytes].copy_from_slice(&value[..bytes]);
                }
                assert_eq!(m.lds, want, "{text} stride {stride} {mask:#x}");
            }
        }
    }
}

#[test]
fn bytes_outside_the_allocation_read_zero_and_swallow_stores() {
    let mut m = Machine::new(
        "gfx90a",
        "ds_read_b64 v[2:3], v1
         ds_read2_b32 v[4:5], v1 offset0:0 offset1:200
         ds_read_u16 v6, v1 offset:3
         ds_write_b64 v7, v[8:9]",
    );
    m.lds_words((0..64).map(word));
    m.vgpr(1, |lane| 4 * lane as u32)
        .vgpr(7, |lane| 236 + 8 * lane as u32);
    m.vgpr(8, |_| 1).vgpr(9, |lane| lane as u32).run();
    let in_range = |index: u32| if index < 64 { word(index) } else { 0 };
    m.check(2, |lane| in_range(lane as u32));
    m.check(3, |lane| in_range(lane as u32 + 1));
    m.check(5, |_| 0);
    m.check(6, |lane| {
        if lane == 63 {
            0
        } else {
            dword(4 * lane as u32 + 3) & 0xffff
        }
    });
    // Lanes 0 and 1 lie inside, lane 2 with its low word only.
    assert_eq!(
        [58, 59, 60, 61, 62, 63].map(|index| m.lds_word(index)),
        [word(58), 1, 0, 1, 1, 1]
    );
    let mut m = Machine::new("gfx90a", "ds_read_b32 v2, v1\nds_write_b32 v1, v1");
    m.vgpr(1, |lane| 0x8000_0000 + lane as u32).run();
    m.check(2, |_| 0);
}

#[test]
fn lane_indexed_reads_and_writes() {
    let mut m = machine(
        "gfx90a",
        "ds_read_addtid_b32 v2 offset:20\nds_write_addtid_b32 v1 offset:1024",
    );
    m.sgpr(124, 0xffff_0010)
        .exec(0xffff_0000_ffff_fff0)
        .vgpr(1, |lane| lane as u32)
        .run();
    m.check(2, |lane| word(9 + lane as u32));
    for lane in 0..64usize {
        let want = if m.wave.exec() >> lane & 1 != 0 {
            lane as u32
        } else {
            word(260 + lane as u32)
        };
        assert_eq!(m.lds_word(260 + lane), want);
    }
}

#[test]
fn permutes() {
    for (target, wave_size, group) in [("gfx90a", 64, 64), ("gfx1030", 32, 32), ("gfx1030", 64, 32)]
    {
        let mut m = Machine::with_wave_size(
            target,
            wave_size,
            "ds_bpermute_b32 v2, v1, v0 offset:4\nds_permute_b32 v3, v1, v0 offset:4",
        );
        let exec = 0xf0ff_ffff_0fff_fff7 & if wave_size == 64 { !0 } else { 0xffff_ffff };
        m.exec(exec);
        let address = |lane: usize| (lane as u32 * 20).wrapping_sub(3);
        m.vgpr(0, |lane| 1000 + lane as u32).vgpr(1, address).run();
        let other = |lane: usize| {
            lane / group * group + (address(lane).wrapping_add(4) / 4) as usize % group
        };
        m.check(2, |lane| {
            let from = other(lane);
            if exec >> from & 1 != 0 {
                1000 + from as u32
            } else {
                0
            }
        });
        m.check(3, |lane| {
            (0..wave_size as usize)
                .filter(|&from| exec >> from & 1 != 0 && other(from) == lane)
                .max()
                .map_or(0, |from| 1000 + from as u32)
        });
    }
}

/// Offsets and what the first lanes read, from the manual's examples of each mode.
#[test]
fn swizzles() {
    #[rustfmt::skip]
    let cases: &[(&str, &[u32])] = &[
        // FFT, mask 0: the manual's table (there counted from 1).
        ("0xe000", &[0x00, 0x10, 0x08, 0x18, 0x04, 0x14, 0x0c, 0x1c, 0x02, 0x12, 0x0a, 0x1a, 0x06, 0x16, 0x0e, 0x1e, 0x01, 0x11, 0x09, 0x19]),
        ("0xe010", &[0x0, 0x8, 0x4, 0xc, 0x2, 0xa, 0x6, 0xe, 0x1, 0x9, 0x5, 0xd, 0x3, 0xb, 0x7, 0xf, 0x10, 0x18, 0x14, 0x1c, 0x12]),
        ("0xe01f", &[0, 1, 2, 3, 4, 5, 6, 7, 8]),
        // and 0x1b, or 0x04, xor 0x01.
        ("0x049b", &[5, 4, 7, 6, 5, 4, 7, 6, 13, 12, 15, 14]),
        ("swizzle(QUAD_PERM, 3, 1, 0, 2)", &[3, 1, 0, 2, 7, 5, 4, 6, 11, 9, 8, 10]),
        ("swizzle(BROADCAST, 8, 3)", &[3, 3, 3, 3, 3, 3, 3, 3, 11, 11, 11, 11]),
        ("swizzle(SWAP, 4)", &[4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15]),
        ("swizzle(REVERSE, 8)", &[7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13]),
        // Rotate left by 1 within 32: lane i reads lane i + 1.
        ("0xc020", &[1, 2, 3, 4, 5, 6]),
        // Rotate right by 2: lane i reads lane i - 2.
        ("0xc440", &[30, 31, 0, 1, 2, 3]),
        // Rotate by 1 with the upper bits (mask 0x18) kept: within groups of 8.
        ("0xc038", &[1, 2, 3, 4, 5, 6, 7, 0, 9, 10, 11, 12, 13, 14, 15, 8]),
    ];
    for (offset, first) in cases {
        let mut m = Machine::new("gfx90a", &format!("ds_swizzle_b32 v2, v1 offset:{offset}"));
        m.exec(!(1 << 34)).vgpr(1, |lane| 100 + lane as u32).run();
        let row = m.row(2);
        for (lane, &from) in first.iter().enumerate() {
            assert_eq!(row[lane], 100 + from, "{offset} lane {lane}");
            if lane != 2 {
                let want = if from == 2 { 0 } else { 132 + from };
                assert_eq!(row[32 + lane], want, "{offset} lane {}", 32 + lane);
            }
        }
    }
}

#[test]
fn append_and_consume_count_active_lanes_once() {
    let mut m = Machine::new(
        "gfx90a",
        "ds_append v1 offset:8\nds_consume v2 offset:8\nds_consume v3 offset:8",
    );
    m.lds_words([0, 0, 0, 100]).sgpr(124, 4).exec(0xff0f).run();
    m.check(1, |_| 100);
    m.check(2, |_| 112);
    m.check(3, |_| 100);
    assert_eq!(m.lds_word(3), 88);
}

#[test]
fn result_may_overlap_the_address() {
    let mut m = machine(
        "gfx90a",
        "ds_read2_b32 v[0:1], v1 offset1:1\nds_read_b128 v[4:7], v4",
    );
    m.vgpr(1, |lane| 8 * lane as u32)
        .vgpr(4, |lane| 16 * lane as u32)
        .run();
    m.check(0, |lane| word(2 * lane as u32));
    m.check(1, |lane| word(2 * lane as u32 + 1));
    for i in 0..4 {
        m.check(4 + i, |lane| word(4 * lane as u32 + i as u32));
    }
}

/// The manuals say of size and offsets how far the last byte of an access lies behind the address in v1.
#[test]
fn exact_devices_stop_behind_the_last_byte() {
    const ROOM: u32 = 2048;
    let accesses = [
        ("gfx90a", "ds_read_b32 v2, v1", 4),
        ("gfx90a", "ds_read_b128 v[4:7], v1 offset:16", 32),
        ("gfx90a", "ds_read_u16_d16_hi v2, v1", 2),
        ("gfx90a", "ds_write_b8 v1, v2", 1),
        ("gfx90a", "ds_write_b96 v1, v[4:6]", 12),
        ("gfx90a", "ds_read2st64_b32 v[4:5], v1 offset1:1", 260),
        ("gfx90a", "ds_write2_b64 v1, v[4:5], v[6:7] offset1:3", 32),
        ("gfx90a", "ds_add_rtn_u64 v[4:5], v1, v[6:7]", 8),
        ("gfx90a", "ds_cmpst_b32 v1, v2, v3", 4),
        ("gfx942", "ds_pk_add_f16 v1, v2", 4),
        ("gfx950", "ds_read_b64_tr_b16 v[4:5], v1", 8),
        ("gfx90a", "ds_add_u32 v1, v2", 4),
        (
            "gfx90a",
            "ds_wrxchg2_rtn_b32 v[4:5], v1, v2, v3 offset1:1",
            8,
        ),
        ("gfx1030", "ds_add_f32 v1, v2", 4),
        ("gfx1100", "ds_load_b96 v[4:6], v1", 12),
        ("gfx1201", "ds_store_2addr_b32 v1, v2, v3 offset1:1", 8),
    ];
    for (target, text, bytes) in accesses {
        let stop = |exec: u64, lane_5: u32, others: u32| {
            let mut machine = Machine::exact(target, text);
            machine.lds = vec![0; ROOM as usize];
            machine.exec(exec).vgpr(1, |lane| match lane {
                5 => lane_5,
                _ => others,
            });
            machine.stop()
        };
        let all = match target.starts_with("gfx9") {
            true => !0,
            false => 0xffff_ffff,
        };
        let last = ROOM - bytes;
        for (exec, lane_5, others) in [
            (all, last, 0),
            (all, last, last),
            (1 << 5, last, last),
            // Lanes that are off access nothing.
            (all & !(1 << 5), last + 1, 0),
            (1 << 5, last, last + 1),
            (0, last + 1, last + 1),
        ] {
            assert_eq!(
                stop(exec, lane_5, others),
                Stop::End,
                "{target}: {text}: {exec:#x}"
            );
        }
        for (exec, lane_5, others, lane) in [
            (all, last + 1, 0, 5),
            (all, last + 1, last + 1, 0),
            (all, 1 << 31, 0, 5),
            (1 << 5, last + 1, 0, 5),
            (1 << 5 | 1 << 31, 0, last + 1, 31),
        ] {
            match stop(exec, lane_5, others) {
                Stop::Fault(fault) => {
                    assert_eq!(fault.kind, FaultKind::LdsOutOfRange, "{target}: {text}");
                    assert_eq!(fault.lane, lane, "{target}: {text}: {exec:#x}");
                }
                other => panic!("{target}: {text}: {exec:#x}: {other:?}"),
            }
        }
        // As hardware does.
        let mut lenient = Machine::new(target, text);
        lenient.lds = vec![0; ROOM as usize];
        lenient.vgpr(1, |_| ROOM).run();
    }
}

/// The instructions of device-wide barriers have the encoding of LDS instructions, and access none.
#[test]
fn exact_devices_know_device_wide_barriers() {
    let mut machine = Machine::exact("gfx90a", "ds_gws_init v2 gds");
    machine.vgpr(2, |_| 0);
    assert_eq!(machine.stop(), Stop::End);
}
