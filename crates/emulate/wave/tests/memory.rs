//! FLAT, GLOBAL, SCRATCH and MUBUF loads and stores. Expected values are computed by the host from the addresses alone.

use crate::harness::{Machine, POISON};
use wave::{FaultKind, Stop};

fn word(index: usize) -> u32 {
    (index as u32).wrapping_mul(0x9e37_79b9) ^ 0x1234_5678
}

fn byte(address: usize) -> u32 {
    word(address / 4) >> (8 * (address % 4)) & 0xff
}

/// Unaligned little-endian dword.
fn dword(address: usize) -> u32 {
    (0..4).map(|i| byte(address + i) << (8 * i)).sum()
}

const MASKS: [u64; 4] = [!0, 0x5555_5555_5555_5555, 0xffff_0000_0180_7ffe, 1 << 63];

/// Consecutive dwords, strided, uniform, unaligned, backwards, consecutive quads, every 16
/// lanes alike.
const OFFSETS: [fn(usize) -> usize; 7] = [
    |lane| 4 * lane,
    |lane| 132 * lane % 4096,
    |_| 64,
    |lane| 7 * lane + 1,
    |lane| 4 * (63 - lane),
    |lane| 16 * lane,
    |lane| 8 * (lane % 16),
];

#[test]
fn loads_of_every_width() {
    for target in ["gfx900", "gfx90a", "gfx1030"] {
        let wave_size = if target == "gfx1030" { 32 } else { 64 };
        for mask in MASKS {
            let mask = if wave_size == 32 {
                mask >> 32 | mask & 0xffff
            } else {
                mask
            };
            for offset in OFFSETS {
                let mut memory: Vec<u32> = (0..2048).map(word).collect();
                let mut m = Machine::with_wave_size(
                    target,
                    wave_size,
                    "global_load_dword v4, v[2:3], off offset:16
                     global_load_dwordx2 v[6:7], v[2:3], off
                     global_load_dwordx3 v[8:10], v1, s[2:3]
                     global_load_dwordx4 v[12:15], v1, s[2:3] offset:20
                     flat_load_dword v16, v[2:3]
                     flat_load_dwordx4 v[20:23], v[2:3] offset:4",
                );
                let base = m.map(&mut memory);
                m.exec(mask).sgpr64(2, base);
                let active = m.wave.exec();
                // Inactive lanes point nowhere.
                m.vgpr(1, |lane| {
                    if active >> lane & 1 != 0 {
                        offset(lane) as u32
                    } else {
                        0xffff_fff0
                    }
                });
                m.vgpr64(2, |lane| {
                    if active >> lane & 1 != 0 {
                        base + offset(lane) as u64
                    } else {
                        3
                    }
                });
                m.run();
                for (first, words, extra) in [
                    (4, 1, 16),
                    (6, 2, 0),
                    (8, 3, 0),
                    (12, 4, 20),
                    (16, 1, 0),
                    (20, 4, 4),
                ] {
                    for i in 0..words {
                        m.check(first + i, |lane| dword(offset(lane) + extra + 4 * i));
                    }
                }
                m.check(5, |_| POISON);
                m.check(11, |_| POISON);
            }
        }
    }
}

#[test]
fn stores_of_every_width() {
    for mask in MASKS {
        for offset in OFFSETS {
            for (words, text) in [
                (1, "global_store_dword v1, v4, s[2:3] offset:8"),
                (2, "global_store_dwordx2 v[2:3], v[4:5], off offset:8"),
                (3, "global_store_dwordx3 v1, v[4:6], s[2:3] offset:8"),
                (4, "global_store_dwordx4 v[2:3], v[4:7], off offset:8"),
                (3, "flat_store_dwordx3 v[2:3], v[4:6] offset:8"),
            ] {
                let mut memory: Vec<u8> = (0..8192).map(|i| byte(i) as u8).collect();
                let mut want = memory.clone();
                let mut m = Machine::new("gfx90a", text);
                let base = m.map(&mut memory);
                m.exec(mask).sgpr64(2, base);
                m.vgpr(1, |lane| offset(lane) as u32);
                m.vgpr64(2, |lane| base + offset(lane) as u64);
                for i in 0..4 {
                    m.vgpr(4 + i, |lane| (1000 * i + lane) as u32);
                }
                m.run();
                for lane in (0..64).filter(|lane| mask >> lane & 1 != 0) {
                    for i in 0..words {
                        let at = offset(lane) + 8 + 4 * i;
                        want[at..at + 4].copy_from_slice(&((1000 * i + lane) as u32).to_le_bytes());
                    }
                }
                assert!(memory == want, "{text} {mask:#x}");
            }
        }
    }
}

#[test]
fn sub_dword_accesses() {
    for mask in MASKS {
        for stride in [1, 2, 5] {
            let mut memory: Vec<u8> = (0..1024).map(|i| byte(i) as u8).collect();
            let mut stored = vec![0u8; 4096];
            // gfx900 keeps the other half at d16 loads; SRAM ECC of later ones would not.
            let mut m = Machine::new(
                "gfx900",
                "global_load_ubyte v4, v1, s[2:3]
                 global_load_sbyte v5, v1, s[2:3]
                 global_load_ushort v6, v1, s[2:3]
                 global_load_sshort v7, v1, s[2:3]
                 global_load_ubyte_d16_hi v8, v1, s[2:3]
                 global_load_sbyte_d16 v9, v1, s[2:3]
                 global_load_short_d16 v10, v1, s[2:3]
                 flat_load_short_d16_hi v11, v[2:3]
                 global_store_byte v1, v12, s[4:5]
                 global_store_short v1, v12, s[4:5] offset:1024
                 global_store_byte_d16_hi v1, v12, s[4:5] offset:2048
                 global_store_short_d16_hi v1, v12, s[4:5] offset:3072",
            );
            let (base, output) = (m.map(&mut memory), m.map(&mut stored));
            m.exec(mask).sgpr64(2, base).sgpr64(4, output);
            m.vgpr(1, |lane| (stride * lane) as u32);
            m.vgpr64(2, |lane| base + (stride * lane) as u64);
            m.vgpr(12, |lane| word(lane + 5)).run();
            let half = |lane: usize| byte(stride * lane) | byte(stride * lane + 1) << 8;
            let sign8 = |lane: usize| byte(stride * lane) as u8 as i8 as i32 as u32;
            m.check(4, |lane| byte(stride * lane));
            m.check(5, sign8);
            m.check(6, half);
            m.check(7, |lane| half(lane) as u16 as i16 as i32 as u32);
            m.check(8, |lane| 0x0bad | byte(stride * lane) << 16);
            m.check(9, |lane| 0xdead_0000 | sign8(lane) & 0xffff);
            m.check(10, |lane| 0xdead_0000 | half(lane));
            m.check(11, |lane| 0x0bad | half(lane) << 16);
            let mut want = vec![0u8; 4096];
            for (area, bytes, shift) in [(0, 1, 0), (1024, 2, 0), (2048, 1, 16), (3072, 2, 16)] {
                for lane in (0..64).filter(|lane| mask >> lane & 1 != 0) {
                    let at = area + stride * lane;
                    want[at..at + bytes]
                        .copy_from_slice(&(word(lane + 5) >> shift).to_le_bytes()[..bytes]);
                }
            }
            assert!(stored == want, "stride {stride} {mask:#x}");
        }
    }
}

#[test]
fn faults_name_the_first_lane() {
    let mut memory = vec![0u32; 64];
    let mut m = Machine::new("gfx90a", "global_load_dwordx2 v[4:5], v1, s[2:3]");
    let base = m.map(&mut memory);
    m.sgpr64(2, base).vgpr(1, |lane| 4 * lane as u32);
    let Stop::Fault(fault) = m.stop() else {
        panic!()
    };
    assert_eq!(
        (fault.kind, fault.lane, fault.bytes),
        (FaultKind::NotMapped, 63, 8)
    );
    assert_eq!(fault.address, base + 252);
    // The same with the offending lane off.
    m = Machine::new("gfx90a", "global_load_dwordx2 v[4:5], v1, s[2:3]");
    let base = m.map(&mut memory);
    m.sgpr64(2, base)
        .exec(!0 >> 1)
        .vgpr(1, |lane| 4 * lane as u32)
        .run();

    let mut m = Machine::new("gfx90a", "global_store_dword v1, v4, s[2:3]");
    let base = m.map_read_only(&mut memory);
    m.sgpr64(2, base)
        .exec(0xff00)
        .vgpr(1, |lane| 4 * lane as u32);
    let Stop::Fault(fault) = m.stop() else {
        panic!()
    };
    assert_eq!((fault.kind, fault.lane), (FaultKind::ReadOnly, 8));

    let mut m = Machine::new("gfx90a", "global_atomic_add v1, v4, s[2:3]");
    let base = m.map(&mut memory);
    m.sgpr64(2, base)
        .vgpr(1, |lane| if lane >= 20 { 2 } else { 4 });
    let Stop::Fault(fault) = m.stop() else {
        panic!()
    };
    assert_eq!((fault.kind, fault.lane), (FaultKind::Unaligned, 20));
}

#[test]
fn lanes_may_lie_in_different_allocations() {
    let (mut a, mut b) = (vec![7u32; 16], vec![9u32; 16]);
    let mut m = Machine::new("gfx90a", "global_load_dword v4, v[2:3], off");
    let (a, b) = (m.map(&mut a), m.map(&mut b));
    m.vgpr64(
        2,
        |lane| if lane % 2 == 0 { a } else { b } + (lane / 2 % 16 * 4) as u64,
    )
    .run();
    m.check(4, |lane| if lane % 2 == 0 { 7 } else { 9 });
}

const SHARED: u64 = 0x0001_0000_0000_0000;
const PRIVATE: u64 = 0x0002_0000_0000_0000;

/// Gives the wave `bytes` bytes of scratch per lane.
fn with_scratch(m: &mut Machine, scratch: &mut [u32], bytes: u32) {
    m.wave.scratch_base = m.map(scratch);
    m.wave.scratch_bytes_per_lane = bytes;
    m.wave.private_aperture = PRIVATE;
    m.wave.shared_aperture = SHARED;
}

#[test]
fn flat_reaches_lds_scratch_and_memory_at_once() {
    let mut memory: Vec<u32> = (0..64).map(word).collect();
    let mut scratch: Vec<u32> = (0..64 * 8).map(|i| 5000 + i).collect();
    let mut m = Machine::new(
        "gfx90a",
        "flat_load_dwordx2 v[4:5], v[2:3]
         flat_store_dword v[2:3], v1
         flat_atomic_add v6, v[2:3], v1 glc",
    );
    let base = m.map(&mut memory);
    with_scratch(&mut m, &mut scratch, 32);
    m.lds_words((0..64).map(|i| 9000 + i));
    let address = |lane: usize| match lane % 3 {
        0 => base + 4 * (lane as u64 / 3),
        1 => SHARED + 4 * (lane as u64),
        _ => PRIVATE + 4 * (lane as u64 % 7),
    };
    // Lane 63 is off: its address would be out of range.
    m.exec(!0 >> 1)
        .vgpr64(2, address)
        .vgpr(1, |lane| lane as u32 + 100);
    // Stores hit neighbours' second dwords only after all loads.
    m.run();
    let load = |lane: usize, extra: usize| match lane % 3 {
        0 => word(lane / 3 + extra),
        1 => 9000 + (lane + extra) as u32,
        _ => 5000 + (64 * (lane % 7 + extra) + lane) as u32,
    };
    m.check(4, |lane| load(lane, 0));
    m.check(5, |lane| load(lane, 1));
    m.check(6, |lane| lane as u32 + 100);
    assert_eq!(memory[20], 2 * 160);
    assert_eq!(m.lds_word(61), 2 * 161);
    assert_eq!(scratch[64 * (62 % 7) + 62], 2 * 162);

    for (address, kind) in [
        (SHARED + 252, FaultKind::LdsOutOfRange),
        (PRIVATE + 28, FaultKind::ScratchOutOfRange),
    ] {
        let mut m = Machine::new("gfx90a", "flat_load_dwordx2 v[4:5], v[2:3]");
        with_scratch(&mut m, &mut scratch, 32);
        m.lds_words([0; 64]).vgpr64(2, |_| address);
        let Stop::Fault(fault) = m.stop() else {
            panic!()
        };
        assert_eq!(fault.kind, kind);
    }
}

/// The base alone decides where a FLAT access goes: an offset leads neither into an aperture nor out of it.
#[test]
fn flat_offsets_stay_in_the_memory_of_their_base() {
    const OFFSET: u64 = 16;
    // (Negative offsets of FLAT exist since gfx12.)
    let targets = [
        "gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201",
    ];
    let accesses = |target: &str| match target {
        "gfx1100" | "gfx1201" => [
            "flat_load_b32 v4, v[2:3]",
            "flat_load_b64 v[4:5], v[2:3]",
            "flat_load_u8 v4, v[2:3]",
            "flat_store_b32 v[2:3], v1",
            "flat_store_b8 v[2:3], v1",
            "flat_atomic_add_u32 v[2:3], v1",
        ],
        _ => [
            "flat_load_dword v4, v[2:3]",
            "flat_load_dwordx2 v[4:5], v[2:3]",
            "flat_load_ubyte v4, v[2:3]",
            "flat_store_dword v[2:3], v1",
            "flat_store_byte v[2:3], v1",
            "flat_atomic_add v[2:3], v1",
        ],
    };
    for target in targets {
        for access in accesses(target) {
            let fault = |text: &str, address: &dyn Fn(usize) -> u64| {
                let mut scratch: Vec<u32> = vec![5; 64 * 8];
                let mut m = Machine::new(target, text);
                with_scratch(&mut m, &mut scratch, 32);
                m.lds_words([7; 64]).vgpr64(2, address);
                match m.stop() {
                    Stop::End => None,
                    Stop::Fault(fault) => Some(fault.kind),
                    other => panic!("{target} {text}: {other:?}"),
                }
            };
            let text = &format!("{access} offset:{OFFSET}");
            let what = |case: &str| format!("{target} {text}: {case}");
            for aperture in [SHARED, PRIVATE] {
                let below = |lane: usize| aperture - OFFSET + 4 * (lane as u64 % 2);
                assert_eq!(
                    fault(text, &below),
                    Some(FaultKind::NotMapped),
                    "{}",
                    what("below")
                );
                // One lane alone, among others that are right.
                let one = |lane: usize| aperture + 4 * (lane as u64 % 2);
                assert_eq!(fault(text, &one), None, "{}", what("inside"));
                let last = |lane: usize| {
                    if lane == 5 {
                        aperture - OFFSET
                    } else {
                        aperture
                    }
                };
                assert_eq!(
                    fault(text, &last),
                    Some(FaultKind::NotMapped),
                    "{}",
                    what("one lane below")
                );
            }
            // From its last bytes an offset leads out of range, not behind the aperture.
            for (aperture, kind) in [
                (SHARED, FaultKind::LdsOutOfRange),
                (PRIVATE, FaultKind::ScratchOutOfRange),
            ] {
                assert_eq!(
                    fault(text, &|_| aperture + 0xffff_fff8),
                    Some(kind),
                    "{}",
                    what("the end")
                );
                if target == "gfx1201" {
                    let back = &format!("{access} offset:-8");
                    assert_eq!(fault(back, &|_| aperture), Some(kind), "{back}");
                    assert_eq!(fault(back, &|_| aperture + 8), None, "{back}");
                    let above = aperture + (1 << 32);
                    assert_eq!(
                        fault(back, &|_| above),
                        Some(FaultKind::NotMapped),
                        "{back}"
                    );
                }
            }
        }
    }
}

/// MUBUF through the scratch descriptor, SCRATCH instructions and FLAT through the private aperture see the same bytes.
#[test]
fn all_ways_to_scratch_agree() {
    for (target, wave_size) in [
        ("gfx900", 64),
        ("gfx90a", 64),
        ("gfx1030", 32),
        ("gfx1030", 64),
    ] {
        let lanes = wave_size as usize;
        let mut scratch: Vec<u32> = vec![0; lanes * 16];
        let mut m = Machine::with_wave_size(
            target,
            wave_size,
            "buffer_store_dwordx4 v[4:7], v1, s[0:3], s8 offen offset:4
             flat_load_dword v10, v[2:3]
             scratch_load_dwordx2 v[12:13], v1, off offset:8
             scratch_load_dword v14, off, s9 offset:4
             scratch_load_ubyte v15, v1, off offset:9
             buffer_load_dword v16, off, s[0:3], s10 offset:12
             scratch_store_short v1, v4, off offset:46
             buffer_load_ushort v17, v1, s[0:3], 0 offen offset:46
             scratch_load_dword v18, v1, off offset:6
             buffer_load_dword v19, v1, s[0:3], 0 offen offset:6
             buffer_load_dword v20, v21, s[0:3], 0 offen offset:136
             buffer_load_dword v22, v23, s[0:3], 0 offen offset:136",
        );
        with_scratch(&mut m, &mut scratch, 64);
        let descriptor =
            wave::scratch_descriptor(m.wave.scratch_base, wave_size, 64, target == "gfx1030");
        for (index, value) in descriptor.into_iter().enumerate() {
            m.sgpr(index, value);
        }
        // soffset is a wave-level byte offset: 0 here, one dword of all lanes in s10.
        m.sgpr(8, 0).sgpr(9, 8).sgpr(10, 4 * wave_size);
        // Every lane has its own private address: 0, 4 or 8.
        let address = |lane: usize| 4 * (lane as u32 % 3);
        m.vgpr(1, address)
            .vgpr64(2, |lane| PRIVATE + u64::from(address(lane)) + 8);
        // Compilers let negative registers and positive constants meet.
        m.vgpr(21, |lane| address(lane).wrapping_sub(128))
            .vgpr(23, |_| (16u32).wrapping_sub(136));
        for i in 0..4 {
            m.vgpr(4 + i, |lane| word(100 * i + lane));
        }
        m.run();
        let expected = |lane: usize, private: usize| {
            // Dwords of the store lie at address + 4 ..
            let first = address(lane) as usize + 4;
            if (first..first + 16).contains(&private) {
                word(100 * ((private - first) / 4) + lane)
            } else {
                0
            }
        };
        m.check(10, |lane| word(100 + lane));
        m.check(12, |lane| word(100 + lane));
        m.check(13, |lane| word(200 + lane));
        m.check(14, |lane| expected(lane, 12));
        m.check(15, |lane| word(100 + lane) >> 8 & 0xff);
        m.check(16, |lane| expected(lane, 16));
        m.check(17, |lane| word(lane) & 0xffff);
        let torn = |lane: usize| word(lane) >> 16 | word(100 + lane) << 16;
        m.check(18, torn);
        m.check(19, torn);
        m.check(20, |lane| word(100 + lane));
        m.check(22, |lane| expected(lane, 16));
        // The hardware keeps dword d of lane l at d * lanes + l.
        assert_eq!(scratch[lanes * 2 + 1], word(1));
        assert_eq!(scratch[lanes * 3 + 5], expected(5, 12));
    }
}

#[test]
fn raw_buffers_check_bytes() {
    let mut memory: Vec<u32> = (0..256).map(word).collect();
    let mut m = Machine::new(
        "gfx90a",
        "buffer_load_dwordx2 v[4:5], v1, s[4:7], s8 offen offset:4
         buffer_store_dword v1, v1, s[4:7], 0 offen offset:512
         buffer_load_ubyte v6, v1, s[4:7], 64 offen",
    );
    let base = m.map(&mut memory);
    m.sgpr64(4, base)
        .sgpr(6, 256)
        .sgpr(7, 0x0002_4000)
        .sgpr(8, 12);
    m.vgpr(1, |lane| {
        if lane == 9 {
            0x7fff_ffff
        } else {
            8 * lane as u32
        }
    })
    .run();
    // The scalar offset is taken from the size (Vega manual, range checking of raw buffers).
    let in_range = |lane: usize, at: usize| match lane != 9 && at + 4 <= 256 {
        true => word(at / 4),
        false => 0,
    };
    m.check(4, |lane| in_range(lane, 8 * lane + 16));
    m.check(5, |lane| in_range(lane, 8 * lane + 20));
    m.check(6, |lane| {
        if lane == 9 || 8 * lane + 64 >= 256 {
            0
        } else {
            byte(8 * lane + 64)
        }
    });
    assert_eq!(memory[128], word(128));
}

#[test]
fn structured_buffers_check_the_index() {
    for target in ["gfx900", "gfx1030"] {
        let mut memory: Vec<u32> = (0..1024).map(word).collect();
        let mut m = Machine::new(
            target,
            "buffer_load_dword v4, v1, s[4:7], 0 idxen offset:8
             buffer_load_dword v5, v[2:3], s[4:7], 0 idxen offen",
        );
        let base = m.map(&mut memory);
        // Stride 20, 40 records; gfx10: OOB_SELECT 1, index only.
        m.sgpr64(4, base | 20 << 48).sgpr(6, 20).sgpr(7, 1 << 28);
        m.vgpr(1, |lane| lane as u32);
        m.vgpr(2, |lane| 31 - lane.min(31) as u32)
            .vgpr(3, |lane| 4 * (lane as u32 % 5))
            .run();
        m.check(4, |lane| if lane < 20 { word(5 * lane + 2) } else { 0 });
        m.check(5, |lane| {
            let index = 31 - lane.min(31);
            if index < 20 {
                word(5 * index + lane % 5)
            } else {
                0
            }
        });
    }
}

/// Swizzled, index stride 8, record of 16 bytes: element e of record r is at ((r / 8 * 4 + e) * 8 + r % 8) dwords.
#[test]
fn swizzled_buffers_interleave_records() {
    let mut memory: Vec<u32> = (0..1024).map(word).collect();
    let mut m = Machine::new(
        "gfx90a",
        "buffer_load_dwordx3 v[4:6], v1, s[4:7], 0 idxen offset:4\nbuffer_load_dword v7, off, s[4:7], 0 offset:8",
    );
    let base = m.map(&mut memory);
    m.sgpr64(4, base | 16 << 48 | 1 << 63)
        .sgpr(6, 1000)
        .sgpr(7, 0);
    m.vgpr(1, |lane| (3 * lane) as u32).run();
    for i in 0..3 {
        m.check(4 + i, |lane| {
            let record = 3 * lane;
            word((record / 8 * 4 + i + 1) * 8 + record % 8)
        });
    }
    m.check(7, |_| word(16));
}

#[test]
fn buffer_loads_to_lds() {
    let mut memory: Vec<u32> = (0..256).map(word).collect();
    let mut m = Machine::new(
        "gfx90a",
        "buffer_load_dword v1, s[4:7], 0 offen offset:4 lds\nbuffer_load_ubyte off, s[4:7], 0 offset:512 lds",
    );
    let base = m.map(&mut memory);
    m.lds_words([POISON; 256])
        .sgpr(124, 16)
        .sgpr64(4, base)
        .sgpr(6, 1024)
        .sgpr(7, 0);
    m.exec(!2).vgpr(1, |lane| 8 * lane as u32).run();
    for lane in 0..64 {
        let want = |value| if lane == 1 { POISON } else { value };
        assert_eq!(m.lds_word((16 + 4) / 4 + lane), want(word(2 * lane + 1)));
        assert_eq!(m.lds_word((16 + 512) / 4 + lane), want(byte(512)));
    }
}

#[test]
fn lane_indexed_global_accesses() {
    let mut memory: Vec<u32> = (0..256).map(word).collect();
    let mut m = Machine::new(
        "gfx1030",
        "global_load_dword_addtid v4, s[2:3] offset:8\nglobal_store_dword_addtid v4, s[2:3] offset:512",
    );
    let base = m.map(&mut memory);
    m.sgpr64(2, base).exec(0xffff_fffe).run();
    m.check(4, |lane| word(lane + 2));
    assert_eq!(memory[128], word(128));
    assert_eq!(memory[129], word(3));
}

/// A private array: every lane at an index of its own, some lanes off, their registers pointing anywhere.
#[test]
fn lanes_index_private_arrays_by_themselves() {
    const BYTES: u32 = 64;
    let forms = [
        ("gfx90a", 64, "buffer_OP DATA, v1, s[0:3], 0 offen offset:2"),
        (
            "gfx1030",
            32,
            "buffer_OP DATA, v1, s[0:3], 0 offen offset:2",
        ),
        ("gfx90a", 64, "flat_OP ADDRESS v[2:3]DATA offset:2"),
        ("gfx1030", 32, "scratch_OP ADDRESS v1, DATA off offset:2"),
    ];
    let operations: [(&str, u32, u32); 6] = [
        ("load_dword", 4, !0),
        ("load_ubyte", 1, 0xff),
        ("load_ushort", 2, 0xffff),
        ("store_dword", 4, !0),
        ("store_byte", 1, 0xff),
        ("store_short", 2, 0xffff),
    ];
    for (target, wave_size, form) in forms {
        let lanes = wave_size as usize;
        for (operation, bytes, mask) in operations {
            let store = operation.starts_with("store");
            let text = match form.split('_').next() {
                Some("buffer") => form.replace("DATA", "v4"),
                Some("flat") if store => form.replace("ADDRESS ", "").replace("DATA", ", v4"),
                Some("flat") => form.replace("ADDRESS", "v4,").replace("DATA", ""),
                _ if store => form.replace("ADDRESS ", "").replace("DATA off", "v4, off"),
                _ => form.replace("ADDRESS", "v4,").replace("DATA ", ""),
            }
            .replace("OP", operation);
            for exec in [!0, 0x8000_0001_f0f0_3333, 1 << 17] {
                let exec: u64 = if lanes == 32 {
                    exec & 0xffff_ffff
                } else {
                    exec
                };
                // Elements that lie in one dword; dwords and shorts also where they do not; all at the one place.
                for (first, step) in [(2, 4), (2, 1), (0, 0), (1, 0), (2, 0)] {
                    let index = |lane: usize| (first + step * (lane as u32 * 7 % 13)) % (BYTES - 6);
                    let mut scratch: Vec<u32> = (0..lanes * BYTES as usize / 4).map(word).collect();
                    let mut want: Vec<u8> = scratch.iter().flat_map(|w| w.to_le_bytes()).collect();
                    let mut m = Machine::with_wave_size(target, wave_size, &text);
                    with_scratch(&mut m, &mut scratch, BYTES);
                    let descriptor = wave::scratch_descriptor(
                        m.wave.scratch_base,
                        wave_size,
                        BYTES,
                        target == "gfx1030",
                    );
                    for (register, value) in descriptor.into_iter().enumerate() {
                        m.sgpr(register, value);
                    }
                    let on = |lane: usize| exec >> lane & 1 != 0;
                    let address = |lane: usize| {
                        if on(lane) { index(lane) } else { 0xffff_fff0 }
                    };
                    m.exec(exec)
                        .vgpr(1, address)
                        .vgpr64(2, |lane| PRIVATE + u64::from(address(lane)))
                        .vgpr(4, |lane| 0x0101_0101 * lane as u32 + 0x1020_3040);
                    m.run();
                    for lane in (0..lanes).filter(|&lane| on(lane)) {
                        let mut loaded = 0;
                        for byte in 0..bytes {
                            let at = (index(lane) + 2 + byte) as usize;
                            let place = 4 * (at / 4 * lanes + lane) + at % 4;
                            let data = (0x0101_0101 * lane as u32 + 0x1020_3040) >> (8 * byte);
                            if store {
                                want[place] = data as u8;
                            }
                            loaded |= u32::from(want[place]) << (8 * byte);
                        }
                        if !store {
                            let got = m.row(4)[lane];
                            assert_eq!(got, loaded & mask, "{text}, lane {lane} of {exec:#x}");
                        }
                    }
                    drop(m);
                    let got: Vec<u8> = scratch.iter().flat_map(|w| w.to_le_bytes()).collect();
                    assert!(got == want, "{text}, {exec:#x}, {first} step {step}");
                }
            }
        }
    }
}

/// One lane beyond the end of its private memory: the others get theirs.
#[test]
fn private_indices_out_of_range_load_zero_from_buffers() {
    let mut scratch: Vec<u32> = (0..64 * 4).collect();
    let mut m = Machine::new("gfx90a", "buffer_load_dword v4, v1, s[0:3], 0 offen");
    with_scratch(&mut m, &mut scratch, 16);
    let descriptor = wave::scratch_descriptor(m.wave.scratch_base, 64, 16, false);
    for (register, value) in descriptor.into_iter().enumerate() {
        m.sgpr(register, value);
    }
    m.vgpr(1, |lane| 4 * (lane as u32 % 5)).run();
    m.check(4, |lane| match lane % 5 {
        4 => 0,
        dword => (64 * dword + lane) as u32,
    });
}
