//! Functions of loops: scalar instructions against the host's arithmetic, and every way out.

use std::ffi::c_void;

use native::{
    Call, Executable, Exit, Journey, Operation, Relation, Scalar, Step, Surroundings, Tallies,
    When, Word, loop_routine,
};

/// Number of the first step, which is none of the numbers that the code would have by mistake.
const FIRST: usize = 70;
/// The first scalar of the lanes that are on.
const LANES: u16 = 30;

/// The scalars and the journey behind one stay.
struct Stay {
    exit: Exit,
    scalars: [u32; 40],
    condition: bool,
    budget: u32,
    done: usize,
    /// How often each branch was taken.
    taken: Vec<u64>,
    /// The sums of the lanes that were on then.
    lanes: Vec<u64>,
    /// How many more lanes are on behind each step that writes them than in front of it.
    changes: Vec<i64>,
    /// The calls.
    calls: Calls,
}

/// The first argument of calls: what they found, and what they leave.
struct Calls {
    /// The condition at each call, and how many bytes behind the things' start its second argument was.
    found: Vec<(bool, usize)>,
    things: usize,
    condition: *const bool,
    /// The answer of each call.
    answers: Vec<u32>,
}

/// A function that notes its call.
unsafe extern "C" fn noted(calls: *mut c_void, thing: *const u8) -> u32 {
    // SAFETY: callers pass a reference, with the place of a condition.
    let (calls, condition) = unsafe {
        let calls = &mut *calls.cast::<Calls>();
        let condition = *calls.condition;
        (calls, condition)
    };
    calls.found.push((condition, thing.addr() - calls.things));
    calls.answers[calls.found.len() - 1]
}

/// Executes `steps` from the one with number `at` on, in waves with two or four `groups`.
fn stay(
    steps: &[Step],
    groups: usize,
    at: usize,
    budget: u32,
    first: &[u32],
    condition: bool,
) -> Stay {
    stay_with_calls(steps, groups, at, budget, first, condition, &[])
}

/// The same. Calls give `answers`.
fn stay_with_calls(
    steps: &[Step],
    groups: usize,
    at: usize,
    budget: u32,
    first: &[u32],
    condition: bool,
    answers: &[u32],
) -> Stay {
    let (routine, starts) = loop_routine(steps, FIRST, groups, LANES).expect("encodings");
    let memory = Executable::new(&[routine]).expect("memory");
    let mut scalars = [0; 40];
    scalars[..first.len()].copy_from_slice(first);
    [scalars[30], scalars[31]] = [0xffff_ffff, 0xff];
    let mut rows = vec![0u32; 64];
    let surroundings = Surroundings::of_groups(groups);
    let things = [0u8; 8];
    let (mut shown, mut tallies) = (false, Tallies::default());
    let mut calls = Calls {
        things: things.as_ptr().addr(),
        condition: &raw mut shown,
        answers: answers.to_vec(),
        found: Vec::new(),
    };
    let mut journey = Journey {
        rows: rows.as_mut_ptr(),
        scalars: scalars.as_mut_ptr(),
        surroundings: &raw const surroundings,
        groups,
        lanes: if groups == 2 {
            0xffff_ffff
        } else {
            0xff_ffff_ffff
        },
        done: 0,
        scene: (&raw mut calls).cast(),
        things: things.as_ptr(),
        shown: &raw mut shown,
        condition: condition.into(),
        budget,
        tallies: &raw mut tallies,
    };
    let start = memory.address(0, starts[at - FIRST]);
    // SAFETY: the scalars that the steps of these tests use are there, and routines touch nothing. Calls get what they ask for.
    let exit = unsafe { memory.loop_entry(0)(&raw mut journey, start) };
    Stay {
        exit,
        scalars,
        condition: journey.condition == 1,
        budget: journey.budget,
        done: journey.done,
        taken: tallies.taken.iter().map(|taken| taken[0]).collect(),
        lanes: tallies.taken.iter().map(|taken| taken[1]).collect(),
        changes: tallies.changes.to_vec(),
        calls,
    }
}

fn of_slots(operation: Operation, is_long: bool) -> Scalar {
    Scalar {
        operation,
        is_long,
        sources: [Word::Slot(0), Word::Slot(2)],
        target: Some(4),
        saves: None,
        may_write_lanes: false,
    }
}

/// The result and the condition of an instruction on short numbers. `None`: what it was.
fn short(operation: Operation, a: u32, b: u32, c: bool) -> (Option<u32>, Option<bool>) {
    use Operation as Op;
    let logic = |value: u32| (Some(value), Some(value != 0));
    let signed = |(value, over): (i32, bool)| (Some(value as u32), Some(over));
    match operation {
        Op::Move => (Some(a), None),
        Op::Not => logic(!a),
        Op::And => logic(a & b),
        Op::Or => logic(a | b),
        Op::Xor => logic(a ^ b),
        Op::AndNot => logic(a & !b),
        Op::OrNot => logic(a | !b),
        Op::Nand => logic(!(a & b)),
        Op::Nor => logic(!(a | b)),
        Op::Xnor => logic(!(a ^ b)),
        Op::ShiftLeft => logic(a << (b % 32)),
        Op::ShiftRight => logic(a >> (b % 32)),
        Op::ShiftSigned => logic(((a as i32) >> (b % 32)) as u32),
        Op::Add => {
            let sum = u64::from(a) + u64::from(b);
            (Some(sum as u32), Some(sum > u64::from(u32::MAX)))
        }
        Op::Subtract => (Some(a.wrapping_sub(b)), Some(b > a)),
        Op::AddSigned => signed((a as i32).overflowing_add(b as i32)),
        Op::SubtractSigned => signed((a as i32).overflowing_sub(b as i32)),
        Op::AddCarry => {
            let sum = u64::from(a) + u64::from(b) + u64::from(c);
            (Some(sum as u32), Some(sum > u64::from(u32::MAX)))
        }
        Op::SubtractBorrow => {
            let taken = u64::from(b) + u64::from(c);
            let rest = u64::from(a).wrapping_sub(taken);
            (Some(rest as u32), Some(taken > u64::from(a)))
        }
        Op::Multiply => (Some(a.wrapping_mul(b)), None),
        Op::Select => (Some(if c { a } else { b }), None),
        Op::Compare(relation) => (None, Some(holds(relation, a, b))),
        Op::Choose(relation) => {
            let holds = holds(relation, a, b);
            (Some(if holds { a } else { b }), Some(holds))
        }
        Op::Bit(value) => (None, Some((a >> (b % 32) & 1 == 1) == value)),
    }
}

fn holds(relation: Relation, a: u32, b: u32) -> bool {
    let (signed_a, signed_b) = (a as i32, b as i32);
    match relation {
        Relation::Equal => a == b,
        Relation::Different => a != b,
        Relation::Less => signed_a < signed_b,
        Relation::LessOrEqual => signed_a <= signed_b,
        Relation::Greater => signed_a > signed_b,
        Relation::GreaterOrEqual => signed_a >= signed_b,
        Relation::Below => a < b,
        Relation::BelowOrEqual => a <= b,
        Relation::Above => a > b,
        Relation::AboveOrEqual => a >= b,
    }
}

const RELATIONS: [Relation; 10] = [
    Relation::Equal,
    Relation::Different,
    Relation::Less,
    Relation::LessOrEqual,
    Relation::Greater,
    Relation::GreaterOrEqual,
    Relation::Below,
    Relation::BelowOrEqual,
    Relation::Above,
    Relation::AboveOrEqual,
];

/// All operations.
fn operations() -> Vec<Operation> {
    use Operation as Op;
    let mut all = vec![
        Op::Move,
        Op::Not,
        Op::And,
        Op::Or,
        Op::Xor,
        Op::AndNot,
        Op::OrNot,
        Op::Nand,
        Op::Nor,
        Op::Xnor,
        Op::ShiftLeft,
        Op::ShiftRight,
        Op::ShiftSigned,
        Op::Add,
        Op::Subtract,
        Op::AddSigned,
        Op::SubtractSigned,
        Op::AddCarry,
        Op::SubtractBorrow,
        Op::Multiply,
        Op::Select,
        Op::Bit(false),
        Op::Bit(true),
    ];
    all.extend(RELATIONS.map(Op::Compare));
    all.extend(RELATIONS.map(Op::Choose));
    all
}

const WORDS: [u32; 8] = [
    0,
    1,
    31,
    32,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fff9,
    u32::MAX,
];

#[test]
fn short_numbers() {
    for operation in operations() {
        let steps = [Step::Scalar(of_slots(operation, false))];
        for (a, b) in WORDS.iter().flat_map(|a| WORDS.map(|b| (*a, b))) {
            for c in [false, true] {
                // The words behind are no part of the numbers.
                let first = [a, 5, b, 6, 77, 88];
                let found = stay(&steps, 4, FIRST, 1, &first, c);
                let (result, condition) = short(operation, a, b, c);
                let expected = [result.unwrap_or(77), 88];
                // A comparison's target is there only for this test.
                if !matches!(operation, Operation::Compare(_) | Operation::Bit(_)) {
                    assert_eq!(
                        found.scalars[4..6],
                        expected,
                        "{operation:?} {a:#x} {b:#x} {c}"
                    );
                }
                assert_eq!(
                    found.condition,
                    condition.unwrap_or(c),
                    "{operation:?} {a:#x} {b:#x} {c}"
                );
                assert_eq!(found.exit.step(), FIRST + 1);
            }
        }
    }
}

#[test]
fn long_numbers() {
    use Operation as Op;
    type Of = fn(u64, u64) -> u64;
    let cases: [(Operation, Of); 12] = [
        (Op::Move, |a, _| a),
        (Op::Not, |a, _| !a),
        (Op::And, |a, b| a & b),
        (Op::Or, |a, b| a | b),
        (Op::Xor, |a, b| a ^ b),
        (Op::AndNot, |a, b| a & !b),
        (Op::OrNot, |a, b| a | !b),
        (Op::Nor, |a, b| !(a | b)),
        (Op::Xnor, |a, b| !(a ^ b)),
        (Op::ShiftLeft, |a, b| a << (b % 64)),
        (Op::ShiftRight, |a, b| a >> (b % 64)),
        (Op::ShiftSigned, |a, b| ((a as i64) >> (b % 64)) as u64),
    ];
    let numbers = [
        0,
        1,
        63,
        64,
        1 << 40,
        1 << 63,
        !0,
        0xffff_fff0_0000_000f_u64,
    ];
    for (operation, of) in cases {
        let steps = [Step::Scalar(of_slots(operation, true))];
        for (a, b) in numbers.iter().flat_map(|a| numbers.map(|b| (*a, b))) {
            let first = [a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32];
            let found = stay(&steps, 2, FIRST, 1, &first, false);
            let result = of(a, b);
            let expected = [result as u32, (result >> 32) as u32];
            assert_eq!(found.scalars[4..6], expected, "{operation:?} {a:#x} {b:#x}");
            assert_eq!(found.condition, operation != Op::Move && result != 0);
        }
    }
}

/// A branch back to the first step if the condition is set.
const BACK: Step = Step::Branch {
    when: When::Condition(true),
    to: FIRST,
};

#[test]
fn a_budget_ends_a_loop_at_its_branch() {
    // s0 counts to 5: an addition, a comparison, a branch back.
    let add = Scalar {
        sources: [Word::Slot(0), Word::Constant(1)],
        target: Some(0),
        ..of_slots(Operation::Add, false)
    };
    let compare = Scalar {
        sources: [Word::Slot(0), Word::Constant(5)],
        target: None,
        ..of_slots(Operation::Compare(Relation::Below), false)
    };
    let steps = [
        Step::Scalar(add),
        Step::Scalar(compare),
        Step::Nothing,
        BACK,
    ];
    let end = stay(&steps, 4, FIRST, 100, &[0], false);
    assert_eq!((end.exit.step(), end.exit.last_branch()), (FIRST + 4, None));
    assert_eq!((end.scalars[0], end.budget, end.taken[0]), (5, 96, 4));
    let cut = stay(&steps, 4, FIRST, 3, &[0], false);
    assert_eq!(
        (cut.exit.step(), cut.exit.last_branch()),
        (FIRST, Some(FIRST + 3))
    );
    assert_eq!((cut.scalars[0], cut.budget, cut.taken[0]), (3, 0, 3));
    // From the comparison on.
    let late = stay(&steps, 4, FIRST + 1, 100, &[4], false);
    assert_eq!((late.scalars[0], late.taken[0]), (5, 1));
}

#[test]
fn branches_lead_out_and_over() {
    let far = Step::Branch {
        when: When::Zero(6, true),
        to: 9,
    };
    let over = Step::Branch {
        when: When::Zero(6, false),
        to: FIRST + 3,
    };
    let one = Scalar {
        sources: [Word::Constant(1), Word::Constant(0)],
        target: Some(1),
        ..of_slots(Operation::Move, false)
    };
    let steps = [far, over, Step::Scalar(one), Step::Nothing];
    let first = |low, high| [0, 0, 0, 0, 0, 0, low, high];
    let zero = stay(&steps, 4, FIRST, 9, &first(0, 0), false);
    assert_eq!((zero.exit.step(), zero.taken[0], zero.taken[1]), (9, 1, 0));
    let high = stay(&steps, 4, FIRST, 9, &first(0, 8), false);
    assert_eq!(
        (high.exit.step(), high.taken[0], high.taken[1]),
        (FIRST + 4, 0, 1)
    );
    // The mask of a wave of 32 lanes has one word.
    let short = stay(&steps, 2, FIRST, 9, &first(0, 8), false);
    assert_eq!(short.exit.step(), 9);
}

/// EXEC becomes the part of it that is in s0 and s1.
fn save() -> Scalar {
    Scalar {
        sources: [Word::Slot(0), Word::Slot(LANES)],
        target: Some(LANES),
        saves: Some(8),
        may_write_lanes: true,
        ..of_slots(Operation::And, true)
    }
}

/// EXEC becomes what `save` has saved.
fn more() -> Scalar {
    Scalar {
        sources: [Word::Slot(8), Word::Constant(0)],
        target: Some(LANES),
        may_write_lanes: true,
        ..of_slots(Operation::Move, true)
    }
}

#[test]
fn other_lanes_are_counted() {
    let steps = [Step::Scalar(save()), Step::Nothing, Step::Nothing];
    // A second step that writes them has a number of its own.
    let twice = [Step::Scalar(save()), Step::Scalar(more())];
    let twice = stay(&twice, 4, FIRST, 9, &[!0, 0x0f], false);
    assert_eq!(twice.changes[..3], [-4, 4, 0]);
    let same = stay(&steps, 4, FIRST, 9, &[!0, !0], false);
    assert_eq!(same.exit.step(), FIRST + 3);
    assert_eq!(same.scalars[8..10], [!0, 0xff]);
    assert_eq!(same.changes[..2], [0; 2]);
    let fewer = stay(&steps, 4, FIRST, 9, &[!0, 0x0f], false);
    assert_eq!(fewer.exit.step(), FIRST + 3);
    assert_eq!(fewer.scalars[8..10], [!0, 0xff]);
    assert_eq!(fewer.scalars[30..32], [!0, 0x0f]);
    assert_eq!(fewer.changes[..2], [-4, 0]);
    assert!(fewer.condition);
    // A wave of 32 lanes has none in the second word.
    let short = stay(&steps, 2, FIRST, 9, &[0xff, 0xff], false);
    assert_eq!(short.changes[..2], [-24, 0]);
}

/// The lanes that are on may be read, and written in halves, by instructions on numbers of either size.
#[test]
fn lanes_have_two_words() {
    let to = |source: u16, target: u16, is_long: bool| Scalar {
        sources: [Word::Slot(source), Word::Constant(0)],
        target: Some(target),
        may_write_lanes: (LANES - 1..LANES + 2).contains(&target),
        ..of_slots(Operation::Move, is_long)
    };
    let first = [0xf0, 0x0f, 3, 7];
    for groups in [2, 4] {
        // (The second word is no lanes of a wave of two groups, but a number still.)
        let long = groups == 4;
        let steps = [
            to(LANES, 4, false),
            to(LANES + 1, 5, false),
            to(LANES, 6, true),
            to(0, LANES + 1, false),
            to(LANES, 8, true),
            to(1, LANES, false),
            to(LANES, 10, true),
            to(LANES, 12, false),
            to(2, LANES, true),
            to(LANES, 14, true),
        ]
        .map(Step::Scalar);
        let found = stay(&steps, groups, FIRST, 9, &first, false);
        let high = 0xff;
        assert_eq!(found.scalars[4..8], [!0, high, !0, high]);
        assert_eq!(found.scalars[8..10], [!0, 0xf0]);
        assert_eq!(found.scalars[10..13], [0x0f, 0xf0, 0x0f]);
        assert_eq!(found.scalars[14..16], [3, 7]);
        let expected = if long { [-4, -28, -3] } else { [0, -28, -2] };
        assert_eq!(found.changes[..3], expected);
        // A mask that is zero in the words that are lanes.
        let none = [
            Step::Scalar(to(20, LANES, false)),
            Step::Branch {
                when: When::Zero(LANES, true),
                to: 9,
            },
        ];
        let found = stay(&none, groups, FIRST, 9, &first, false);
        assert_eq!(found.exit.step(), if long { FIRST + 2 } else { 9 });
    }
}

#[test]
fn branches_count_the_lanes_of_each_turn() {
    // Each turn takes five lanes away, until five are left.
    let copy = Scalar {
        sources: [Word::Slot(LANES), Word::Constant(0)],
        target: Some(0),
        ..of_slots(Operation::Move, true)
    };
    let shift = Scalar {
        sources: [Word::Slot(0), Word::Constant(5)],
        target: Some(0),
        ..of_slots(Operation::ShiftRight, true)
    };
    let fewer = Scalar {
        sources: [Word::Slot(0), Word::Constant(0x1f)],
        target: None,
        ..of_slots(Operation::Compare(Relation::Different), true)
    };
    let steps = [copy, shift, save(), fewer].map(Step::Scalar);
    let steps = [&steps[..], &[BACK]].concat();
    let found = stay(&steps, 4, FIRST, 100, &[0, 0], false);
    // 35, 30 and so on: the branch is taken with all but the last of these.
    assert_eq!(found.taken[0], 6);
    assert_eq!(found.lanes[0], 35 + 30 + 25 + 20 + 15 + 10);
    assert_eq!(found.changes[..2], [-35, 0]);
}

/// A routine that does one group.
unsafe extern "C" fn one_group(_: *mut u32, _: *mut u32, _: *const Surroundings) -> usize {
    1
}

/// One that does all.
unsafe extern "C" fn all_groups(_: *mut u32, _: *mut u32, all: *const Surroundings) -> usize {
    // SAFETY: callers pass a reference.
    unsafe { (*all).groups }
}

#[test]
fn a_routine_that_is_not_done_ends_a_stay() {
    let steps = [
        Step::Routine(all_groups),
        Step::Routine(one_group),
        Step::Nothing,
    ];
    let found = stay(&steps, 4, FIRST, 9, &[], true);
    assert!(found.exit.is_left() && found.condition);
    assert_eq!((found.exit.step(), found.done), (FIRST + 1, 1));
}

/// A call whose second argument is `offset` bytes behind the things.
fn call(offset: i32) -> Step {
    Step::Call(Call {
        function: noted,
        offset,
    })
}

#[test]
fn calls_see_the_condition() {
    let clear = Scalar {
        sources: [Word::Constant(1), Word::Constant(2)],
        target: None,
        ..of_slots(Operation::Compare(Relation::Equal), false)
    };
    let set = Scalar {
        operation: Operation::Compare(Relation::Different),
        ..clear.clone()
    };
    let steps = [
        call(3),
        Step::Scalar(set),
        call(5),
        Step::Scalar(clear),
        call(7),
    ];
    let found = stay_with_calls(&steps, 4, FIRST, 9, &[], false, &[0, 0, 0]);
    assert_eq!(found.exit.step(), FIRST + 5);
    assert!(!found.exit.is_stopped() && !found.exit.is_left());
    assert_eq!(found.calls.found, [(false, 3), (true, 5), (false, 7)]);
    assert!(!found.condition);
}

#[test]
fn a_call_that_stops_ends_a_stay() {
    let steps = [call(0), call(1), call(2)];
    let found = stay_with_calls(&steps, 4, FIRST, 9, &[], true, &[0, 4]);
    assert_eq!((found.exit.step(), found.done), (FIRST + 1, 4));
    assert!(found.exit.is_stopped() && !found.exit.is_left() && found.condition);
    assert_eq!(found.calls.found.len(), 2);
}
