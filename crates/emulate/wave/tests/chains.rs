//! Arithmetic that uses the result before it, which runs as one micro-op, against the same computed one by one.

use crate::harness::{Machine, random::Random};
use numerics::{Denormals, float32, float64};

/// Programs of each kind.
const PROGRAMS: usize = 400;
/// Registers that instructions choose from; for doubles, pairs begin at any of them.
const REGISTERS: u64 = 6;
/// First SGPR of the scalar operand.
const SCALAR: usize = 20;

/// Numbers of one type: what the manual's arithmetic makes of their bits.
struct Numbers {
    suffix: &'static str,
    target: &'static str,
    words: usize,
    fma: fn(u64, u64, u64) -> u64,
    mul: fn(u64, u64) -> u64,
    add: fn(u64, u64) -> u64,
    sub: fn(u64, u64) -> u64,
    /// An ordinary number from random bits.
    ordinary: fn(u64) -> u64,
    special: &'static [u64],
    /// Inline constants and their values.
    constants: &'static [(&'static str, u64)],
    fmac: bool,
}

const SINGLES: Numbers = Numbers {
    suffix: "f32",
    target: "gfx90a",
    words: 1,
    fma: |a, b, c| float32::fma(a as u32, b as u32, c as u32, Denormals::KEEP).into(),
    mul: |a, b| float32::mul(a as u32, b as u32, Denormals::KEEP).into(),
    add: |a, b| float32::add(a as u32, b as u32, Denormals::KEEP).into(),
    sub: |a, b| float32::sub(a as u32, b as u32, Denormals::KEEP).into(),
    ordinary: |bits| bits & 0x80ff_ffff | 0x3f00_0000,
    special: &[
        0,
        0x8000_0000,
        1,
        0x8000_0001,
        0x007f_ffff,
        0x7f80_0000,
        0xff80_0000,
        0x7f80_0001,
        0x7fc1_2345,
        0x7f7f_ffff,
    ],
    constants: &[
        ("1.0", 0x3f80_0000),
        ("-2.0", 0xc000_0000),
        ("0.5", 0x3f00_0000),
        ("0", 0),
    ],
    fmac: true,
};

const DOUBLES: Numbers = Numbers {
    suffix: "f64",
    // Pairs of registers may begin at an odd one there, and so overlap.
    target: "gfx906",
    words: 2,
    fma: |a, b, c| float64::fma(a, b, c, Denormals::KEEP),
    mul: |a, b| float64::mul(a, b, Denormals::KEEP),
    add: |a, b| float64::add(a, b, Denormals::KEEP),
    sub: |_, _| unreachable!("no such instruction"),
    ordinary: |bits| bits & 0x801f_ffff_ffff_ffff | 0x3fe0_0000_0000_0000,
    special: &[
        0,
        1 << 63,
        1,
        0x000f_ffff_ffff_ffff,
        0x7ff0 << 48,
        0xfff0 << 48,
        0x7ff0_0000_0000_0001,
        0x7ff8_0000_0001_2345,
    ],
    constants: &[
        ("1.0", 0x3ff0 << 48),
        ("-2.0", 0xc000 << 48),
        ("0.5", 0x3fe0 << 48),
        ("0", 0),
    ],
    fmac: false,
};

#[derive(Clone, Copy)]
enum Operand {
    Register(usize),
    Scalar,
    Constant(usize),
}

#[derive(Clone, Copy, PartialEq)]
enum Operation {
    Fma,
    Fmac,
    Mul,
    Add,
    Sub,
    Subrev,
}

struct Instruction {
    operation: Operation,
    target: usize,
    sources: [Operand; 3],
    negated: [bool; 3],
}

impl Instruction {
    /// Mostly one that reads `before`.
    fn any(numbers: &Numbers, random: &mut Random, before: usize) -> Instruction {
        use Operation::*;
        let operations: &[Operation] = if numbers.fmac {
            &[Fma, Fma, Fmac, Mul, Add, Sub, Subrev]
        } else {
            &[Fma, Mul, Add]
        };
        let operation = operations[random.below(operations.len() as u64) as usize];
        let mut sources = [(); 3].map(|()| Operand::Register(random.below(REGISTERS) as usize));
        for source in &mut sources {
            if random.below(6) == 0 {
                let constant = random.below(numbers.constants.len() as u64);
                *source = Operand::Constant(constant as usize);
            }
        }
        // The encoding has room for one.
        if random.below(4) == 0 {
            sources[random.below(3) as usize] = Operand::Scalar;
        }
        if random.below(8) != 0 {
            sources[random.below(3) as usize] = Operand::Register(before);
        }
        let mut target = random.below(REGISTERS) as usize;
        if random.below(2) == 0 {
            target = before;
        }
        let mut negated = [(); 3].map(|()| random.below(6) == 0);
        if operation == Fmac {
            (sources[2], negated[2]) = (Operand::Register(target), false);
        }
        for (source, negated) in sources.iter().zip(&mut negated) {
            // The value would be another constant.
            *negated &= !matches!(source, Operand::Constant(_));
        }
        Instruction {
            operation,
            target,
            sources,
            negated,
        }
    }

    fn text(&self, numbers: &Numbers) -> String {
        let (name, count) = match self.operation {
            Operation::Fma => ("fma", 3),
            Operation::Fmac => ("fmac", 2),
            Operation::Mul => ("mul", 2),
            Operation::Add => ("add", 2),
            Operation::Sub => ("sub", 2),
            Operation::Subrev => ("subrev", 2),
        };
        let run = |file: &str, first: usize| match numbers.words {
            1 => format!("{file}{first}"),
            _ => format!("{file}[{first}:{}]", first + 1),
        };
        let sources = self.sources[..count].iter().map(|source| match *source {
            Operand::Register(row) => run("v", row),
            Operand::Scalar => run("s", SCALAR),
            Operand::Constant(index) => numbers.constants[index].0.into(),
        });
        let signs = self.negated.map(|negated| if negated { "-" } else { "" });
        let sources: Vec<String> = signs
            .iter()
            .zip(sources)
            .map(|(sign, source)| format!("{sign}{source}"))
            .collect();
        let form = if count == 2 && numbers.words == 1 {
            "_e64"
        } else {
            ""
        };
        let target = run("v", self.target);
        format!(
            "v_{name}_{}{form} {target}, {}",
            numbers.suffix,
            sources.join(", ")
        )
    }

    fn value(&self, numbers: &Numbers, mut values: [u64; 3]) -> u64 {
        for (value, negated) in values.iter_mut().zip(self.negated) {
            *value ^= u64::from(negated) << (32 * numbers.words - 1);
        }
        let [a, b, c] = values;
        match self.operation {
            Operation::Fma | Operation::Fmac => (numbers.fma)(a, b, c),
            Operation::Mul => (numbers.mul)(a, b),
            Operation::Add => (numbers.add)(a, b),
            Operation::Sub => (numbers.sub)(a, b),
            Operation::Subrev => (numbers.sub)(b, a),
        }
    }
}

/// Random programs, with all lanes on and some off, of ordinary numbers and of others.
fn check(numbers: &Numbers) {
    let mut random = Random(1);
    for program in 0..PROGRAMS {
        let length = 2 + random.below(20) as usize;
        let mut instructions: Vec<Instruction> = Vec::new();
        for _ in 0..length {
            let before = instructions.last().map_or(0, |last| last.target);
            instructions.push(Instruction::any(numbers, &mut random, before));
        }
        let text: Vec<String> = instructions.iter().map(|one| one.text(numbers)).collect();
        let mut machine = Machine::new(numbers.target, &text.join("\n"));
        let rows = REGISTERS as usize + 1;
        let oddities = [0, 300, 20][program % 3];
        let mut draw = || match oddities {
            0 => (numbers.ordinary)(random.bits()),
            _ if random.below(oddities) != 0 => (numbers.ordinary)(random.bits()),
            _ => numbers.special[random.below(numbers.special.len() as u64) as usize],
        };
        let scalar = draw();
        let mut state: Vec<Vec<u32>> = vec![vec![0; 64]; rows + 1];
        for row in (0..rows).step_by(numbers.words) {
            for lane in 0..64 {
                let value = draw();
                state[row][lane] = value as u32;
                state[row + 1][lane] = (value >> 32) as u32;
            }
        }
        for row in 0..rows {
            machine.vgpr(row, |lane| state[row][lane]);
        }
        let mask = if program % 4 == 3 {
            0x0fff_ffff_5555_aaaa
        } else {
            !0
        };
        machine.sgpr64(SCALAR, scalar).exec(mask).run();
        for lane in (0..64).filter(|lane| mask >> lane & 1 != 0) {
            for one in &instructions {
                let values = one.sources.map(|source| match source {
                    Operand::Register(row) if numbers.words == 1 => state[row][lane].into(),
                    Operand::Register(row) => {
                        u64::from(state[row][lane]) | u64::from(state[row + 1][lane]) << 32
                    }
                    Operand::Scalar => scalar,
                    Operand::Constant(index) => numbers.constants[index].1,
                });
                let value = one.value(numbers, values);
                state[one.target][lane] = value as u32;
                if numbers.words == 2 {
                    state[one.target + 1][lane] = (value >> 32) as u32;
                }
            }
        }
        for row in 0..rows {
            assert_eq!(
                machine.row(row),
                state[row],
                "v{row} of program {program}:\n{}",
                text.join("\n")
            );
        }
    }
}

#[test]
fn single_precision() {
    check(&SINGLES);
}

#[test]
fn double_precision() {
    check(&DOUBLES);
}

/// Control may arrive at a later link through a register, and every instruction is counted as often as it ran.
#[test]
fn control_arrives_within() {
    let text = "s_mov_b32 s4, 0
        v_mov_b32_e32 v0, 1.0
    begin:
        v_add_f32_e32 v0, 1.0, v0
        v_mul_f32_e32 v0, 2.0, v0
    within:
        v_add_f32_e32 v0, 1.0, v0
        s_add_u32 s4, s4, 1
        s_cmp_lg_u32 s4, 3
        s_cbranch_scc0 done
        s_getpc_b64 s[0:1]
    here:
        s_sub_u32 s0, s0, here-within
        s_subb_u32 s1, s1, 0
        s_setpc_b64 s[0:1]
    done:";
    let mut machine = Machine::new("gfx90a", text);
    machine.run();
    // (1 + 1) * 2, and then one more three times.
    machine.check(0, |_| 7f32.to_bits());
    let mut counts: Vec<_> = machine.counts.by_pc().into_iter().collect();
    counts.sort_unstable_by_key(|&(pc, _)| pc);
    let waves: Vec<u64> = counts.iter().map(|(_, count)| count.waves).collect();
    assert_eq!(waves, [1, 1, 1, 1, 3, 3, 3, 3, 2, 2, 2, 2, 1]);
}

/// In gfx9's index mode each link's registers move.
#[test]
fn index_mode() {
    let text = "s_mov_b32 s4, 2
        v_mov_b32_e32 v2, 4.0
        v_mov_b32_e32 v3, 2.0
        s_set_gpr_idx_on s4, gpr_idx(SRC0)
        v_add_f32_e32 v1, v0, v0
        v_mul_f32_e32 v1, v1, v1
        s_set_gpr_idx_off";
    let mut machine = Machine::new("gfx90a", text);
    machine.vgpr(0, |_| 1f32.to_bits()).run();
    // v2 + v0, then v3 * v1.
    machine.check(1, |_| 10f32.to_bits());
}

/// An instruction that cannot execute is no link of a chain, however it and its neighbours look.
#[test]
fn what_cannot_execute_stops_in_front_of_others_too() {
    // The wave has no v200.
    for first in ["v_add_f32 v0, v200, v1", "v_mul_f32 v0, v1, v200"] {
        let text = format!("{first}\nv_add_f32 v2, v0, v1\ns_endpgm");
        let stop = Machine::new("gfx90a", &text).stop();
        assert!(
            matches!(&stop, wave::Stop::Unsupported(why) if why.contains("v200")),
            "{first}: {stop:?}"
        );
    }
}
