//! Random programs on a concrete machine of two lanes: whatever is read later there must be live.
//!
//! The reference enumerates every state (program counter, EXEC, saved masks, condition) and follows one lane of one register
//! through all of them. It shares nothing with the analysis but the assembler.

use gfx::Target;
use isa::{Assembler, Reg, RegKind};
use lift::{FunctionKind, FunctionSeed, Module, Options, Program};
use proptest::prelude::*;

/// Mask registers: s[10:11], s[12:13], and VCC.
const MASKS: [&str; 3] = ["s[10:11]", "s[12:13]", "vcc"];
const VECTORS: usize = 3;

#[derive(Clone, Copy, Debug)]
enum Op {
    Move(usize, usize),
    Constant(usize),
    Add(usize, usize, usize),
    Compare(usize),
    Save(usize),
    Restore(usize),
    And(usize),
    Or(usize),
    AndNot(usize),
    Not,
    All,
    AndSave(usize, usize),
    OthersSave(usize, usize),
    OrSaveAll(usize),
    ReadLane(usize, usize),
    WriteLane(usize, usize),
    SccBranch(usize),
    ExeczBranch(usize),
    Jump(usize),
    End,
}

impl Op {
    fn text(self) -> String {
        let mask = |index: usize| MASKS[index];
        match self {
            Op::Move(to, from) => format!("v_mov_b32_e32 v{to}, v{from}"),
            Op::Constant(to) => format!("v_mov_b32_e32 v{to}, 1"),
            Op::Add(to, a, b) => format!("v_add_u32_e32 v{to}, v{a}, v{b}"),
            Op::Compare(from) => format!("v_cmp_eq_u32_e32 vcc, 1, v{from}"),
            Op::Save(to) => format!("s_mov_b64 {}, exec", mask(to)),
            Op::Restore(from) => format!("s_mov_b64 exec, {}", mask(from)),
            Op::And(from) => format!("s_and_b64 exec, exec, {}", mask(from)),
            Op::Or(from) => format!("s_or_b64 exec, {}, exec", mask(from)),
            Op::AndNot(from) => format!("s_andn2_b64 exec, exec, {}", mask(from)),
            Op::Not => "s_not_b64 exec, exec".to_owned(),
            Op::All => "s_mov_b64 exec, -1".to_owned(),
            Op::AndSave(to, from) => format!("s_and_saveexec_b64 {}, {}", mask(to), mask(from)),
            Op::OthersSave(to, from) => {
                format!("s_andn2_saveexec_b64 {}, {}", mask(to), mask(from))
            }
            Op::OrSaveAll(to) => format!("s_or_saveexec_b64 {}, -1", mask(to)),
            Op::ReadLane(from, lane) => format!("v_readlane_b32 s20, v{from}, {lane}"),
            Op::WriteLane(to, lane) => format!("v_writelane_b32 v{to}, s21, {lane}"),
            Op::SccBranch(to) => format!("s_cbranch_scc1 L{to}"),
            Op::ExeczBranch(to) => format!("s_cbranch_execz L{to}"),
            Op::Jump(to) => format!("s_branch L{to}"),
            Op::End => "s_endpgm".to_owned(),
        }
    }

    fn writes_exec(self) -> bool {
        let text = self.text();
        text.contains("b64 exec") || text.contains("saveexec")
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct State {
    pc: usize,
    exec: u8,
    masks: [u8; 3],
}

impl State {
    fn number(self) -> usize {
        let [a, b, c] = self.masks.map(usize::from);
        (((self.pc * 4 + usize::from(self.exec)) * 4 + a) * 4 + b) * 4 + c
    }

    fn successors(self, op: Op) -> Vec<State> {
        let mut next = State {
            pc: self.pc + 1,
            ..self
        };
        let to = |target| State { pc: target, ..self };
        let (exec, masks) = (self.exec, self.masks);
        match op {
            Op::Compare(_) => {
                // Any outcome in active lanes, 0 in others.
                return (0..4)
                    .filter(|outcome| outcome & !exec == 0)
                    .map(|outcome| State {
                        masks: [masks[0], masks[1], outcome],
                        ..next
                    })
                    .collect();
            }
            Op::Save(to) => next.masks[to] = exec,
            Op::Restore(from) => next.exec = masks[from],
            Op::And(from) => next.exec = exec & masks[from],
            Op::Or(from) => next.exec = exec | masks[from],
            Op::AndNot(from) => next.exec = exec & !masks[from] & 3,
            Op::Not => next.exec = !exec & 3,
            Op::All => next.exec = 3,
            Op::AndSave(to, from) => {
                next.exec = exec & masks[from];
                next.masks[to] = exec;
            }
            Op::OthersSave(to, from) => {
                next.exec = masks[from] & !exec & 3;
                next.masks[to] = exec;
            }
            Op::OrSaveAll(to) => {
                next.exec = 3;
                next.masks[to] = exec;
            }
            Op::SccBranch(target) => return vec![next, to(target)],
            Op::ExeczBranch(target) => return vec![if exec == 0 { to(target) } else { next }],
            Op::Jump(target) => return vec![to(target)],
            Op::End => return vec![],
            Op::Move(..) | Op::Constant(_) | Op::Add(..) | Op::ReadLane(..) | Op::WriteLane(..) => {
            }
        }
        vec![next]
    }
}

/// Returns two answers: the op reads the lane of a vector register, and it overwrites it.
fn touches(op: Op, register: usize, lane: usize, exec: u8) -> (bool, bool) {
    let active = exec >> lane & 1 == 1;
    let (reads, writes) = match op {
        Op::Move(to, from) => (from == register, to == register),
        Op::Constant(to) => (false, to == register),
        Op::Add(to, a, b) => (a == register || b == register, to == register),
        Op::Compare(from) => (from == register, false),
        Op::ReadLane(from, which) => return (from == register && which == lane, false),
        Op::WriteLane(to, which) => return (false, to == register && which == lane),
        _ => (false, false),
    };
    (reads && active, writes && active)
}

/// For each state: whether the lane's value is read later.
fn reference(program: &[Op], register: usize, lane: usize) -> Vec<bool> {
    let count = program.len() * 256;
    let mut live = vec![false; count];
    let mut changed = true;
    while changed {
        changed = false;
        for pc in (0..program.len()).rev() {
            for bits in 0..256u32 {
                let field = |shift: u32| (bits >> shift & 3) as u8;
                let state = State {
                    pc,
                    exec: field(6),
                    masks: [field(4), field(2), field(0)],
                };
                let (reads, overwrites) = touches(program[pc], register, lane, state.exec);
                let later = || {
                    state
                        .successors(program[pc])
                        .iter()
                        .any(|next| live[next.number()])
                };
                let now = reads || !overwrites && later();
                changed |= now != live[state.number()];
                live[state.number()] = now;
            }
        }
    }
    live
}

fn ops(length: usize) -> impl Strategy<Value = Vec<Op>> {
    let vector = 0..VECTORS;
    let op = (
        0..26usize,
        vector.clone(),
        vector.clone(),
        vector,
        0..length,
        0..2usize,
    )
        .prop_map(|(kind, a, b, c, target, lane)| match kind {
            0..=2 => Op::Move(a, b),
            3..=5 => Op::Constant(a),
            6 => Op::Add(a, b, c),
            7 => Op::Compare(a),
            8 => Op::Save(a % 2),
            9 => Op::Restore(a),
            10 => Op::And(a),
            11 | 12 => Op::Or(a),
            13 => Op::AndNot(a),
            14 => Op::Not,
            15 => Op::All,
            16..=18 => Op::AndSave(a % 2, b),
            19 => Op::OthersSave(a % 2, b),
            20 => Op::OrSaveAll(a % 2),
            21 => Op::ReadLane(a, lane),
            22 => Op::WriteLane(a, lane),
            23 => Op::SccBranch(target),
            24 => Op::ExeczBranch(target),
            _ => Op::Jump(target),
        });
    proptest::collection::vec(op, length - 1).prop_map(|mut ops| {
        ops.push(Op::End);
        ops
    })
}

fn check(program: &[Op]) -> Result<(), TestCaseError> {
    let target = Target::find("gfx90a").unwrap();
    let mut text = String::new();
    for (index, op) in program.iter().enumerate() {
        text += &format!("L{index}:\n{}\n", op.text());
    }
    let code = Assembler::new(target).unwrap().assemble(&text).unwrap();
    let lifted = Program {
        target,
        code: vec![(0, &code)],
        functions: vec![FunctionSeed {
            name: "main".to_owned(),
            kind: FunctionKind::Kernel,
            entry: 0,
            size: 0,
            wave_size: None,
        }],
        pointers: Default::default(),
    };
    let module = Module::of_program(&lifted, Options::default()).unwrap();
    let function = &module.functions[0];
    prop_assert_eq!(function.insts.len(), program.len());
    prop_assert!(function.unresolved.is_empty());
    let exact = !program.iter().any(|op| op.writes_exec());
    for register in 0..VECTORS {
        let reg = Reg {
            kind: RegKind::Vgpr,
            index: register as u16,
            width: 1,
            half: None,
        };
        let lanes = [
            reference(program, register, 0),
            reference(program, register, 1),
        ];
        for pc in 0..program.len() {
            let live = module.liveness(0).live_before(function, pc);
            let (active, any) = (!live.dead_in_active_lanes(reg), live.is_live(reg));
            let inactive = any && live.inactive.contains(reg.index);
            let mut ever_active = false;
            for bits in 0..256usize {
                let exec = bits >> 6;
                // Where all lanes are known to be on, other states do not happen.
                if function.exec_is_full_before(pc) && exec != 3 {
                    continue;
                }
                for (lane, states) in lanes.iter().enumerate() {
                    if !states[pc * 256 + bits] {
                        continue;
                    }
                    if exec >> lane & 1 == 1 {
                        ever_active = true;
                        prop_assert!(
                            active,
                            "v{} lane {} before {}:\n{}",
                            register,
                            lane,
                            pc,
                            text
                        );
                    } else {
                        prop_assert!(
                            inactive,
                            "v{} off lane {} before {}:\n{}",
                            register,
                            lane,
                            pc,
                            text
                        );
                    }
                }
            }
            // Without changes of EXEC there is nothing to be careful about.
            let cross_lane = program
                .iter()
                .any(|op| matches!(op, Op::ReadLane(..) | Op::WriteLane(..)));
            if exact && !cross_lane {
                prop_assert_eq!(
                    active,
                    ever_active,
                    "v{} before {}:\n{}",
                    register,
                    pc,
                    text
                );
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_a_lane_reads_later_is_live(program in ops(12)) {
        check(&program)?;
    }

    #[test]
    fn without_masks_liveness_is_exact(program in ops(12)) {
        let plain: Vec<Op> = program
            .into_iter()
            .map(|op| match op {
                op if op.writes_exec() => Op::SccBranch(5),
                Op::ReadLane(from, _) | Op::WriteLane(from, _) => Op::Compare(from),
                Op::ExeczBranch(to) => Op::SccBranch(to),
                op => op,
            })
            .collect();
        check(&plain)?;
    }
}
