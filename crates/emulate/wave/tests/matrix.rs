//! MFMA through registers. Operands are small integers, for which every model of the sums agrees. The formulas of AMD's matrix
//! calculator, written out here for one shape of each kind, lay them out. Other tests have AccVGPR moves, modifiers, and every
//! element of every instruction.

use crate::harness::{AGPR_BASE, Machine};
use numerics::{
    convert::Fp8,
    matrix::{
        INSTRUCTIONS, Kind, Model, Place, accumulate_bf16, accumulate_bf16_pairs, accumulate_f16,
        accumulate_f32, accumulate_f64, accumulate_fp8, accumulate_i8, accumulate_xf32,
    },
};

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
    // BLGP 2: all lanes read B of the upper half.
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    /// Mostly such whose sums round, and now and then an infinity, a NaN, a denormal or a zero.
    Any,
    /// No infinities and NaNs, which whole products are done another way for, and more exponents.
    Tame,
    /// Small integers and powers of two, of which sums are exact until they meet a larger or a smaller C.
    Whole,
    /// Small integers, most of which are zeros, with any C: all of its bits come through where nothing is added.
    AnyAddend,
}

/// Bits of every kind; `is_addend` for those of C.
fn any_bits(seed: &mut u64, kind: Kind, numbers: Numbers, is_addend: bool) -> u32 {
    *seed = seed
        .wrapping_mul(6364136223846793005)
        .wrapping_add(1442695040888963407);
    let bits = (*seed >> 32) as u32;
    let special = (*seed >> 20) & 0x1ff;
    let ordinary = match kind {
        Kind::F16 => bits & 0x83ff_83ff | ((0x3000 + (bits >> 3 & 0xc00)) * 0x1_0001),
        Kind::Bf16 | Kind::Bf16Pairs => bits & 0x80ff_80ff | 0x3f00_3f00,
        Kind::F32 | Kind::Xf32 => bits & 0x81ff_ffff | 0x3e00_0000,
        // The low words of doubles are any.
        Kind::F64 | Kind::I8 | Kind::Fp8 { .. } => bits,
    };
    if numbers == Numbers::AnyAddend {
        if is_addend {
            return match special % 16 {
                0 => 0x7fc0_1234,
                1 => 0xff80_0001,
                2 => 0x7f80_0000,
                3 => 0xff80_0000,
                4 => 3,
                5 => 0x8000_0007,
                6 => 0x807f_ffff,
                7 => 0x8000_0000,
                8 => 0,
                9 => 0x0080_0000,
                10 => 0xff7f_ffff,
                _ => bits,
            };
        }
        let few = |at: u32| [0, 0, 0, 0, 0, 1, -2, 3][(bits >> at & 7) as usize];
        return match kind {
            Kind::F16 => half(few(8)) | half(few(20)) << 16,
            Kind::Bf16 | Kind::Bf16Pairs => bf16(few(8)) | bf16(few(20)) << 16,
            Kind::F32 | Kind::Xf32 => (few(8) as f32).to_bits(),
            Kind::Fp8 { .. } => [0, 0, 0, 0x3800_0000, 0xb800, 0xb8][(bits >> 8) as usize % 6],
            Kind::F64 | Kind::I8 => bits,
        };
    }
    if numbers == Numbers::Whole {
        let small = (bits >> 8) as i32 % 11;
        return match kind {
            Kind::F16 => half(small) | half((bits >> 20) as i32 % 7) << 16,
            Kind::Bf16 | Kind::Bf16Pairs => bf16(small) | bf16((bits >> 20) as i32 % 7) << 16,
            Kind::Fp8 { .. } => {
                let powers = [0x38, 0xb8, 0x40, 0xc0, 0x48, 0, 0x38, 0x40];
                (0..4).fold(0, |word, byte| {
                    word << 8 | powers[(bits >> (8 * byte) & 7) as usize]
                })
            }
            Kind::F32 if is_addend => match special {
                0..4 => (bits >> 4) as f32,
                4..8 => small as f32 / 1024.0,
                8..12 => small as f32 * 2f32.powi(20 + (bits & 15) as i32),
                12 => 1e-30,
                13 => f32::from_bits(3),
                14 => -0.0,
                _ => small as f32 * 16.0,
            }
            .to_bits(),
            _ => bits,
        };
    }
    if numbers == Numbers::Tame {
        return match (kind, special) {
            (_, 0) => 0,
            (_, 1) => 0x8000_8000,
            (Kind::F16, _) => bits & 0xbfff_bfff,
            (Kind::Bf16 | Kind::Bf16Pairs, _) => bits & 0x8fff_8fff | 0x3000_3000,
            (Kind::F32, 2) => 1,
            (Kind::F32, _) => bits & 0x8fff_ffff | 0x3000_0000,
            _ => ordinary,
        };
    }
    match special {
        0 => 0x7f80_7c00,
        1 => 0xff80_fc00,
        2 => 0x7fc1_7e01,
        3 => 0x0000_0001,
        4 => 0x8000_8000,
        5 => bits,
        _ => ordinary,
    }
}

/// D where A lies, too: elements of a C that is summed in another way still read A as it was.
#[test]
fn results_may_lie_over_inputs() {
    let run = |d: &str| {
        let text = format!("v_mfma_f32_16x16x16_f16 {d}, v[0:1], v[4:5], v[8:11]");
        let mut machine = Machine::new("gfx942", &text);
        for register in 0..6 {
            machine.vgpr(register, move |lane| {
                let value = |at: usize| half(((7 * lane + 5 * register + at) % 13) as i32 - 6);
                value(0) | value(3) << 16
            });
        }
        for register in 8..12 {
            machine.vgpr(register, move |lane| match (lane + register) % 5 {
                0 => 0x7f80_0000,
                1 => 3,
                _ => (lane as f32 / 3.0).to_bits(),
            });
        }
        machine.run();
        machine
    };
    let (apart, over) = (run("v[16:19]"), run("v[0:3]"));
    for register in 0..4 {
        over.check(register, |lane| apart.wave.vgpr(16 + register, lane));
    }
}

/// Every element of every instruction, one by one, by its place and the sum of its kind.
#[test]
fn elements_are_the_sums_of_theirs() {
    let mut seed = 7;
    let models = [
        ("gfx908", Model::Mfma1),
        ("gfx90a", Model::Mfma2),
        ("gfx942", Model::Mfma3),
        ("gfx950", Model::Mfma3),
    ];
    for (target, model) in models {
        for instruction in INSTRUCTIONS {
            let (shape, kind) = (instruction.shape, instruction.kind);
            let wide = shape.inputs_per_lane() * kind.input_bits() == 128;
            if target == "gfx942" && wide || target == "gfx950" && kind == Kind::Xf32 {
                continue;
            }
            let name = if target == "gfx942" || target == "gfx950" {
                instruction.name_gfx942
            } else {
                instruction.name
            };
            let late = name.ends_with("1k") || name.contains("f64");
            if name.is_empty() || target == "gfx908" && late {
                continue;
            }
            let inputs = (shape.inputs_per_lane() * kind.input_bits() / 32) as usize;
            let outputs = (shape.outputs_per_lane() * kind.output_bits() / 32) as usize;
            let registers = |first: usize, count: usize| match count {
                1 => format!("v{first}"),
                _ => format!("v[{first}:{}]", first + count - 1),
            };
            let modifiers: &[(&str, [u32; 3])] = match kind {
                Kind::F64 if target == "gfx90a" => &[("", [0; 3]), (" blgp:5", [0, 0, 5])],
                Kind::F32 | Kind::F16 | Kind::Bf16Pairs if target == "gfx908" => &[
                    ("", [0; 3]),
                    (" cbsz:1 abid:1 blgp:3", [1, 1, 3]),
                    (" blgp:6", [0, 0, 6]),
                ],
                _ => &[("", [0; 3])],
            };
            let each = [
                Numbers::Any,
                Numbers::Tame,
                Numbers::Whole,
                Numbers::AnyAddend,
            ];
            let runs = modifiers
                .iter()
                .flat_map(|run| each.map(|numbers| (run, numbers)));
            for (&(text, [cbsz, abid, blgp]), numbers) in runs {
                let text = format!(
                    "{name} {c}, {a}, {b}, {c}{text}",
                    a = registers(0, inputs),
                    b = registers(8, inputs),
                    c = format_args!("a[0:{}]", outputs - 1)
                );
                let mut machine = Machine::new(target, &text);
                for register in (0..16).chain(AGPR_BASE..AGPR_BASE + outputs) {
                    let row: Vec<u32> = (0..64)
                        .map(|_| {
                            let kind = if register < 16 { kind } else { Kind::F32 };
                            any_bits(&mut seed, kind, numbers, register >= 16)
                        })
                        .collect();
                    machine.vgpr(register, |lane| row[lane]);
                }
                let before: Vec<Vec<u32>> = (0..AGPR_BASE + outputs)
                    .map(|register| {
                        (0..64)
                            .map(|lane| machine.wave.vgpr(register, lane))
                            .collect()
                    })
                    .collect();
                machine.run();
                let at = |first: usize, place: Place, bits: u32| {
                    let bit = place.position * bits;
                    let word = first + (bit / 32) as usize;
                    let low = u64::from(before[word][place.lane as usize]);
                    match bits {
                        64 => low | u64::from(before[word + 1][place.lane as usize]) << 32,
                        _ => low >> (bit % 32) & ((1 << bits) - 1),
                    }
                };
                let pattern = if kind == Kind::F64 { 0 } else { blgp };
                let sign = |operand: u32| {
                    if kind == Kind::F64 {
                        u64::from(blgp >> operand & 1) << 63
                    } else {
                        0
                    }
                };
                for block in 0..shape.blocks {
                    for row in 0..shape.m {
                        for column in 0..shape.n {
                            let a: Vec<u64> = (0..shape.k)
                                .map(|k| {
                                    at(0, shape.a(row, k, block, cbsz, abid), kind.input_bits())
                                        ^ sign(0)
                                })
                                .collect();
                            let b: Vec<u64> = (0..shape.k)
                                .map(|k| {
                                    at(8, shape.b(column, k, block, pattern), kind.input_bits())
                                        ^ sign(1)
                                })
                                .collect();
                            let place = shape.d(row, column, block);
                            let c = at(AGPR_BASE, place, kind.output_bits()) ^ sign(2);
                            let word =
                                AGPR_BASE + (place.position * kind.output_bits() / 32) as usize;
                            let mut got = u64::from(machine.wave.vgpr(word, place.lane as usize));
                            if kind == Kind::F64 {
                                got |= u64::from(machine.wave.vgpr(word + 1, place.lane as usize))
                                    << 32;
                            }
                            let want = sum(kind, model, c, &a, &b, target == "gfx950");
                            assert_eq!(
                                got, want,
                                "{target} {text}: {row}, {column} of {block}: {c:x} {a:x?} {b:x?}"
                            );
                        }
                    }
                }
            }
        }
    }
}

fn sum(kind: Kind, model: Model, c: u64, a: &[u64], b: &[u64], ocp: bool) -> u64 {
    let words = |x: &[u64]| x.iter().map(|&x| x as u32).collect::<Vec<_>>();
    let halves = |x: &[u64]| x.iter().map(|&x| x as u16).collect::<Vec<_>>();
    let bytes = |x: &[u64]| x.iter().map(|&x| x as u8).collect::<Vec<_>>();
    let format = |is_bf8| match (ocp, is_bf8) {
        (false, false) => Fp8::E4m3Fnuz,
        (false, true) => Fp8::E5m2Fnuz,
        (true, false) => Fp8::E4m3,
        (true, true) => Fp8::E5m2,
    };
    let single = c as u32;
    u64::from(match kind {
        Kind::F32 => accumulate_f32(single, &words(a), &words(b)),
        Kind::Xf32 => accumulate_xf32(single, &words(a), &words(b)),
        Kind::F16 => accumulate_f16(model, single, &halves(a), &halves(b)),
        Kind::Bf16 => accumulate_bf16(model, single, &halves(a), &halves(b)),
        Kind::Bf16Pairs => accumulate_bf16_pairs(model, single, &halves(a), &halves(b)),
        Kind::I8 => accumulate_i8(single, &bytes(a), &bytes(b)),
        Kind::Fp8 { a_is_bf8, b_is_bf8 } => accumulate_fp8(
            single,
            &bytes(a),
            format(a_is_bf8),
            &bytes(b),
            format(b_is_bf8),
        ),
        Kind::F64 => return accumulate_f64(c, a, b),
    })
}
