//! MFMA through registers: small integers, for which every model of the sums agrees, laid out by AMD's matrix calculator
//! formulas written out here for one shape of each kind, plus AccVGPR moves and modifiers.

mod harness;

use harness::{AGPR_BASE, Machine};

fn half(value: i32) -> u32 {
    // Small integers are exact in f16: sign, exponent, fraction.
    let bits = (value as f32).to_bits();
    if value == 0 {
        return 0;
    }
    (bits >> 16 & 0x8000) | ((bits >> 23 & 0xff) - 112) << 10 | bits >> 13 & 0x3ff
}

fn bf16(value: i32) -> u32 {
    (value as f32).to_bits() >> 16
}

fn a_value(row: usize, k: usize) -> i32 {
    (row as i32 % 7) - 3 + 2 * k as i32
}

fn b_value(column: usize, k: usize) -> i32 {
    (column as i32 % 5) - k as i32
}

fn dot(row: usize, column: usize, depth: usize) -> i32 {
    (0..depth)
        .map(|k| a_value(row, k) * b_value(column, k))
        .sum()
}

/// Sets the accumulators that the tests use as C.
fn fill(machine: &mut Machine, bits: u32) {
    for register in 0..16 {
        machine.vgpr(AGPR_BASE + register, |_| bits);
    }
}

/// 32x32 results: row = 8 * (register / 4) + 4 * (lane / 32) + register % 4, column = lane % 32.
fn check_32x32(machine: &Machine, first: usize, depth: usize, decode: impl Fn(u32) -> f64, c: f64) {
    for register in 0..16 {
        for lane in 0..64 {
            let row = 8 * (register / 4) + 4 * (lane / 32) + register % 4;
            let value = decode(machine.wave.vgpr(first + register, lane));
            assert_eq!(
                value,
                f64::from(dot(row, lane % 32, depth)) + c,
                "register {register} lane {lane}"
            );
        }
    }
}

fn single(bits: u32) -> f64 {
    f64::from(f32::from_bits(bits))
}

#[test]
fn f32_32x32x2() {
    for target in ["gfx908", "gfx90a"] {
        let mut machine = Machine::new(target, "v_mfma_f32_32x32x2f32 a[0:15], v1, v2, a[0:15]");
        fill(&mut machine, 1.0f32.to_bits());
        machine
            .vgpr(1, |lane| (a_value(lane % 32, lane / 32) as f32).to_bits())
            .vgpr(2, |lane| (b_value(lane % 32, lane / 32) as f32).to_bits())
            .exec(1)
            .run();
        check_32x32(&machine, AGPR_BASE, 2, single, 1.0);
    }
}

#[test]
fn f16_and_bf16_and_i8_32x32() {
    for target in ["gfx908", "gfx90a"] {
        // Four consecutive k per lane, in two registers.
        let mut machine = Machine::new(
            target,
            "v_mfma_f32_32x32x8f16 a[0:15], v[2:3], v[4:5], a[0:15]",
        );
        fill(&mut machine, 0);
        for pair in 0..2 {
            let k = move |lane: usize| 4 * (lane / 32) + 2 * pair;
            machine
                .vgpr(2 + pair, move |lane| {
                    half(a_value(lane % 32, k(lane))) | half(a_value(lane % 32, k(lane) + 1)) << 16
                })
                .vgpr(4 + pair, move |lane| {
                    half(b_value(lane % 32, k(lane))) | half(b_value(lane % 32, k(lane) + 1)) << 16
                });
        }
        machine.run();
        check_32x32(&machine, AGPR_BASE, 8, single, 0.0);

        let mut machine = Machine::new(target, "v_mfma_f32_32x32x4bf16 a[0:15], v2, v4, a[0:15]");
        fill(&mut machine, 0);
        machine
            .vgpr(2, |lane| {
                bf16(a_value(lane % 32, 2 * (lane / 32)))
                    | bf16(a_value(lane % 32, 2 * (lane / 32) + 1)) << 16
            })
            .vgpr(4, |lane| {
                bf16(b_value(lane % 32, 2 * (lane / 32)))
                    | bf16(b_value(lane % 32, 2 * (lane / 32) + 1)) << 16
            })
            .run();
        check_32x32(&machine, AGPR_BASE, 4, single, 0.0);

        let mut machine = Machine::new(target, "v_mfma_i32_32x32x8i8 a[0:15], v2, v4, a[0:15]");
        fill(&mut machine, 5);
        let bytes = |value: fn(usize, usize) -> i32| {
            move |lane: usize| {
                (0..4).fold(0, |word, i| {
                    word | (value(lane % 32, 4 * (lane / 32) + i) as u8 as u32) << (8 * i)
                })
            }
        };
        machine
            .vgpr(2, bytes(a_value))
            .vgpr(4, bytes(b_value))
            .run();
        check_32x32(&machine, AGPR_BASE, 8, |bits| f64::from(bits as i32), 5.0);
    }
    let mut machine = Machine::new(
        "gfx90a",
        "v_mfma_f32_32x32x8bf16_1k v[32:47], v[2:3], v[4:5], 0",
    );
    for pair in 0..2 {
        let k = move |lane: usize| 4 * (lane / 32) + 2 * pair;
        machine
            .vgpr(2 + pair, move |lane| {
                bf16(a_value(lane % 32, k(lane))) | bf16(a_value(lane % 32, k(lane) + 1)) << 16
            })
            .vgpr(4 + pair, move |lane| {
                bf16(b_value(lane % 32, k(lane))) | bf16(b_value(lane % 32, k(lane) + 1)) << 16
            });
    }
    machine.run();
    check_32x32(&machine, 32, 8, single, 0.0);
}

#[test]
fn f64_16x16x4() {
    // Row = 4 * register + lane / 16, column = lane % 16, k = lane / 16.
    for (modifier, sign) in [("", 1.0), (" blgp:1", -1.0)] {
        let text = format!("v_mfma_f64_16x16x4f64 a[0:7], v[2:3], v[4:5], a[0:7]{modifier}");
        let mut machine = Machine::new("gfx90a", &text);
        machine
            .vgpr64(2, |lane| f64::from(a_value(lane % 16, lane / 16)).to_bits())
            .vgpr64(4, |lane| f64::from(b_value(lane % 16, lane / 16)).to_bits());
        for register in 0..4 {
            machine.vgpr64(AGPR_BASE + 2 * register, |_| 0.5f64.to_bits());
        }
        machine.run();
        for register in 0..4 {
            for (lane, bits) in machine
                .row64(AGPR_BASE + 2 * register)
                .into_iter()
                .enumerate()
            {
                let expected = sign * f64::from(dot(4 * register + lane / 16, lane % 16, 4)) + 0.5;
                assert_eq!(
                    f64::from_bits(bits),
                    expected,
                    "register {register} lane {lane}"
                );
            }
        }
    }
}

#[test]
fn inline_constant_addend() {
    let mut machine = Machine::new("gfx90a", "v_mfma_f32_32x32x2f32 a[0:15], v1, v2, 1.0");
    machine
        .vgpr(1, |_| 2f32.to_bits())
        .vgpr(2, |_| 3f32.to_bits())
        .run();
    machine.check(AGPR_BASE + 7, |_| 13f32.to_bits());
}

#[test]
fn blocks_and_broadcast_controls() {
    // 16 blocks of 4x4x1: lane = 4 * block + row; D row = register, column = lane % 4.
    let run = |modifier: &str| {
        let mut machine = Machine::new(
            "gfx908",
            &format!("v_mfma_f32_4x4x1f32 a[0:3], v1, v2, a[0:3]{modifier}"),
        );
        fill(&mut machine, 0);
        machine
            .vgpr(1, |lane| (lane as f32).to_bits())
            .vgpr(2, |lane| (100.0 + lane as f32).to_bits())
            .run();
        machine
    };
    let element = |machine: &Machine, row: usize, lane: usize| {
        single(machine.wave.vgpr(AGPR_BASE + row, lane))
    };
    let machine = run("");
    for lane in 0..64 {
        for row in 0..4 {
            let a = (lane & !3) + row;
            assert_eq!(element(&machine, row, lane), (a * (100 + lane)) as f64);
        }
    }
    // CBSZ 2, ABID 1: groups of four blocks all read A of their second block.
    let machine = run(" cbsz:2 abid:1");
    for lane in 0..64 {
        let a = (lane & !15) + 4 + 2;
        assert_eq!(element(&machine, 2, lane), (a * (100 + lane)) as f64);
    }
    // BLGP 2: everybody reads B of the upper half.
    let machine = run(" blgp:2");
    for lane in 0..64 {
        let a = (lane & !3) + 1;
        assert_eq!(element(&machine, 1, lane), (a * (132 + lane % 32)) as f64);
    }
}

#[test]
fn accumulator_moves_honour_exec() {
    for target in ["gfx908", "gfx90a"] {
        let mut machine = Machine::new(
            target,
            "v_accvgpr_write_b32 a3, v1\nv_accvgpr_write_b32 a4, 7\nv_accvgpr_read_b32 v0, a3",
        );
        machine.vgpr(1, |lane| lane as u32).exec(0xf0f0).run();
        machine.check(AGPR_BASE + 3, |lane| lane as u32);
        machine.check(AGPR_BASE + 4, |_| 7);
        machine.check(0, |lane| lane as u32);
    }
    let mut machine = Machine::new("gfx90a", "v_accvgpr_mov_b32 a5, a3");
    machine
        .vgpr(AGPR_BASE + 3, |lane| 3 * lane as u32)
        .exec(0xff)
        .run();
    machine.check(AGPR_BASE + 5, |lane| 3 * lane as u32);
}
