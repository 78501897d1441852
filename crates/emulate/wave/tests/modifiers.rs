//! NEG, ABS and the clamp, which bodies of float rows do themselves. The other side is the same instruction without modifiers: the test
//! changes the signs of its sources and clamps its result, as the manual says.

use crate::harness::{MODE, Machine, POISON, random::Random};

/// Floats of one size.
#[derive(Clone, Copy)]
struct Size {
    bits: u32,
    one: u64,
    infinity: u64,
}

const SINGLE: Size = Size {
    bits: 32,
    one: 0x3f80_0000,
    infinity: 0x7f80_0000,
};
const DOUBLE: Size = Size {
    bits: 64,
    one: 0x3ff0 << 48,
    infinity: 0x7ff0 << 48,
};
const HALF: Size = Size {
    bits: 16,
    one: 0x3c00,
    infinity: 0x7c00,
};

impl Size {
    fn sign(self) -> u64 {
        1 << (self.bits - 1)
    }

    fn ones(self) -> u64 {
        !0 >> (64 - self.bits)
    }

    /// The clamp with DX10_CLAMP: NaNs and all that is not above zero become zero. Source: "Output modifiers" of the ISA manuals.
    fn clamped(self, value: u64) -> u64 {
        let negative = value & self.sign() != 0;
        match value & !self.sign() {
            magnitude if magnitude > self.infinity || negative => 0,
            magnitude => magnitude.min(self.one),
        }
    }

    /// Numbers around one and zero, some special ones.
    fn draw(self, random: &mut Random) -> u64 {
        let bits = random.bits();
        let sign = (bits & 1) << (self.bits - 1);
        let near_one = self.one ^ (bits >> 8 & self.ones()) >> 9;
        let number = match bits >> 1 & 15 {
            0 => 0,
            1 => self.infinity,
            _ => near_one,
        };
        random.mostly(sign | number) & self.ones()
    }
}

/// Modifiers of one source.
#[derive(Clone, Copy)]
struct Signs {
    negated: bool,
    absolute: bool,
}

/// Rows: the name, the numbers, and how many sources.
const ROWS: &[(&str, Size, usize)] = &[
    ("v_add_f32", SINGLE, 2),
    ("v_sub_f32", SINGLE, 2),
    ("v_subrev_f32", SINGLE, 2),
    ("v_mul_f32", SINGLE, 2),
    ("v_min_f32", SINGLE, 2),
    ("v_max_f32", SINGLE, 2),
    ("v_fma_f32", SINGLE, 3),
    ("v_min3_f32", SINGLE, 3),
    ("v_med3_f32", SINGLE, 3),
    ("v_ldexp_f32", SINGLE, 1),
    ("v_add_f64", DOUBLE, 2),
    ("v_mul_f64", DOUBLE, 2),
    ("v_max_f64", DOUBLE, 2),
    ("v_fma_f64", DOUBLE, 3),
    ("v_add_f16", HALF, 2),
    ("v_mul_f16", HALF, 2),
    ("v_min_f16", HALF, 2),
    ("v_fma_f16", HALF, 3),
];

/// Where the operands are: vector registers 2, 4 and 6, or scalar ones.
fn operand(size: Size, index: usize, scalar: bool, signs: Signs) -> String {
    let (file, first) = if scalar {
        ("s", 20 + 2 * index)
    } else {
        ("v", 2 + 2 * index)
    };
    let register = match size.bits {
        64 => format!("{file}[{first}:{}]", first + 1),
        _ => format!("{file}{first}"),
    };
    let register = if signs.absolute {
        format!("|{register}|")
    } else {
        register
    };
    if signs.negated {
        format!("-{register}")
    } else {
        register
    }
}

struct Case {
    row: (&'static str, Size, usize),
    signs: [Signs; 3],
    clamp: bool,
    /// A source that is scalar.
    scalar: Option<usize>,
    /// The result lies over the second source.
    overlap: bool,
    mode: u32,
    exec: u64,
}

impl Case {
    fn text(&self, plain: bool) -> String {
        let (name, size, sources) = self.row;
        let none = Signs {
            negated: false,
            absolute: false,
        };
        let mut operands: Vec<String> = (0..sources)
            .map(|index| {
                let signs = if plain { none } else { self.signs[index] };
                operand(size, index, self.scalar == Some(index), signs)
            })
            .collect();
        if name == "v_ldexp_f32" {
            operands.push("v4".to_owned());
        }
        let first = if self.overlap { 4 } else { 0 };
        let result = match size.bits {
            64 => format!("v[{first}:{}]", first + 1),
            _ => format!("v{first}"),
        };
        let clamp = if self.clamp && !plain { " clamp" } else { "" };
        // Others have one encoding only.
        let long = match size.bits != 64 && sources == 2 {
            true => "_e64",
            false => "",
        };
        format!("{name}{long} {result}, {}{clamp}", operands.join(", "))
    }

    /// The result by lanes of the instruction with its modifiers, or of the plain one on sources with other signs.
    fn result(&self, target: &str, values: &[[u64; 3]], plain: bool) -> Vec<u64> {
        let (name, size, sources) = self.row;
        let mode = format!(
            "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 10), {}",
            self.mode
        );
        let mut m = Machine::new(target, &format!("{mode}\n{}", self.text(plain)));
        let signed = |index: usize, value: u64| {
            let Signs { negated, absolute } = self.signs[index];
            let value = if plain && absolute {
                value & !size.sign()
            } else {
                value
            };
            if plain && negated {
                value ^ size.sign()
            } else {
                value
            }
        };
        for index in 0..sources {
            m.sgpr64(20 + 2 * index, signed(index, values[0][index]));
            m.vgpr64(2 + 2 * index, |lane| signed(index, values[lane][index]));
        }
        if name == "v_ldexp_f32" {
            m.vgpr(4, |lane| lane as u32 % 5);
        }
        m.exec(self.exec).run();
        let first = if self.overlap { 4 } else { 0 };
        let row = if size.bits == 64 {
            m.row64(first)
        } else {
            m.row(first).into_iter().map(u64::from).collect()
        };
        row.into_iter()
            .enumerate()
            .map(|(lane, got)| {
                let on = self.exec >> lane & 1 != 0;
                let clamps = plain && self.clamp && on;
                let high = got & !size.ones();
                if clamps {
                    high | size.clamped(got & size.ones())
                } else {
                    got
                }
            })
            .collect()
    }

    fn check(&self, target: &str, random: &mut Random) {
        let size = self.row.1;
        let values: Vec<[u64; 3]> = (0..64)
            .map(|_| [(); 3].map(|()| size.draw(random)))
            .collect();
        let (got, expected) = (
            self.result(target, &values, false),
            self.result(target, &values, true),
        );
        for (lane, (got, expected)) in got.into_iter().zip(expected).enumerate() {
            let is_off = self.exec >> lane & 1 == 0;
            // A source that the result lies over has another sign in the plain instruction's lanes that are off.
            if is_off && self.overlap {
                continue;
            }
            assert_eq!(
                got,
                expected,
                "{target} {} lane {lane} of {:x?}",
                self.text(false),
                values[lane]
            );
            assert!(!is_off || got as u32 == POISON);
        }
    }
}

#[test]
fn bodies_do_modifiers_as_passes_do() {
    let mut random = Random(7);
    for target in ["gfx90a", "gfx1030", "gfx1100"] {
        for &row in ROWS {
            let (name, size, sources) = row;
            // A register's number says which half, there.
            if target == "gfx1100" && size.bits == 16 {
                continue;
            }
            for _ in 0..60 {
                let bits = random.bits();
                let sign = |at: usize| Signs {
                    negated: bits >> at & 1 != 0,
                    absolute: bits >> (at + 1) & 1 != 0,
                };
                let scalar = (bits >> 20 & 3) as usize;
                let exec = [!0, !0, 0x5555_5555_5555_5555, 0x8000_0000_0001_0000]
                    [(bits >> 24 & 3) as usize];
                let case = Case {
                    row,
                    signs: [sign(8), sign(10), sign(12)],
                    clamp: bits >> 16 & 1 != 0,
                    scalar: (scalar < sources).then_some(scalar),
                    overlap: bits >> 17 & 1 != 0 && scalar != 1 && name != "v_ldexp_f32",
                    // Now and then another mode: round towards zero.
                    mode: if bits >> 28 & 7 == 0 {
                        MODE | 0xf
                    } else {
                        MODE
                    },
                    exec: if target == "gfx90a" {
                        exec
                    } else {
                        exec & 0xffff_ffff
                    },
                };
                case.check(target, &mut random);
            }
        }
    }
}

/// Nothing goes around an instruction whose body does the modifiers.
#[test]
fn they_take_one_micro_op() {
    if !std::is_x86_feature_detected!("avx2") {
        return;
    }
    for text in [
        "v_fma_f32 v0, -v2, |v4|, v6 clamp",
        "v_mul_f32_e64 v0, -v2, s20",
        "v_add_f64 v[0:1], -v[2:3], |v[4:5]| clamp",
    ] {
        let mut m = Machine::new("gfx90a", text);
        for register in 0..8 {
            m.vgpr(register, |_| 0x3c00);
        }
        m.sgpr(20, 0);
        assert_eq!(m.micro_ops(), 2, "{text}, and s_endpgm");
    }
}
