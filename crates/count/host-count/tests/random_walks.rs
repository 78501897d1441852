//! The law of placement, checked by walking random graphs: at every observation point the increments executed so far add
//! up to the costs executed so far. The interpreter below shares no code with the placement.

use host_count::{
    Block, Call, Callee, End, Function, Granularity, Increment, Item, Module, Options, Placement,
    Plan, Point, Site, Successor, Tail, plan,
};
use proptest::prelude::*;

/// How a call inside a walk ends.
#[derive(Clone, Copy)]
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((self.0 >> 33) % sides.max(1) as u64) as usize
    }
}

/// Walks a module and compares at every observation point.
struct Walker<'a> {
    module: &'a Module,
    plan: &'a Plan,
    dice: Dice,
    cost: i64,
    counted: i64,
    /// The error of the counter at an observation point, if there was one.
    wrong: Option<String>,
    observed: usize,
    steps: usize,
    checks: usize,
}

/// How a function came to its end.
#[derive(PartialEq)]
enum Outcome {
    Returned,
    Threw,
    OutOfSteps,
}

impl Walker<'_> {
    fn observe(&mut self, place: &str) {
        self.observed += 1;
        if self.cost != self.counted && self.wrong.is_none() {
            self.wrong = Some(format!(
                "{place}: executed {}, counted {}",
                self.cost, self.counted
            ));
        }
    }

    /// Adds what stands at a site.
    fn pass(&mut self, function: usize, site: Site) {
        let plan = &self.plan.functions[function];
        for increment in plan
            .increments
            .iter()
            .filter(|increment| increment.site == site)
        {
            let unit = self
                .plan
                .slots
                .get(increment.slot as usize)
                .map_or(1, |slot| slot.unit);
            self.counted += increment.amount * unit as i64;
        }
        if let Some(check) = plan.checks.iter().find(|check| check.site == site) {
            self.checks += 1;
            // The counter need not be exact there, but the check must know what it lacks, and that must not be much: a check
            // compares with 0.
            if check.owed > 0 && self.wrong.is_none() {
                self.wrong = Some(format!("a check that is owed {}", check.owed));
            }
            self.counted += check.owed;
            self.observe("a budget check");
            self.counted -= check.owed;
        }
    }

    fn run(&mut self, function: usize) -> Outcome {
        let body = &self.module.functions[function];
        let checks = !self.plan.functions[function].checks.is_empty();
        let mut since_check = (self.checks, vec![false; body.blocks.len()]);
        let mut at = 0;
        loop {
            if since_check.0 != self.checks {
                since_check = (self.checks, vec![false; body.blocks.len()]);
            }
            if std::mem::replace(&mut since_check.1[at], true) && checks && self.wrong.is_none() {
                self.wrong = Some(format!("block {at} runs again without a check"));
            }
            self.steps += 1;
            if self.steps > 400 {
                return Outcome::OutOfSteps;
            }
            let block = &body.blocks[at];
            self.pass(function, Site::Start { block: at });
            let mut call_number = 0;
            let mut threw = false;
            for (index, item) in block.items.iter().enumerate() {
                match item {
                    Item::Cost { cost, .. } => self.cost += *cost as i64,
                    Item::Call(call) => {
                        let terminator = block.end == End::Invoke && index + 1 == block.items.len();
                        let site = match terminator {
                            true => Site::End { block: at },
                            false => Site::Call {
                                block: at,
                                call: call_number,
                            },
                        };
                        // A call that ends the function counts with what follows.
                        let ends = call.tail != Tail::No && !self.plan.comes_back(call);
                        if ends {
                            self.cost += costs(&block.items[index + 1..]);
                        }
                        self.pass(function, site);
                        call_number += 1;
                        if ends {
                            return self.call(call);
                        }
                        match self.call(call) {
                            Outcome::Returned => {}
                            Outcome::Threw if terminator => threw = true,
                            other => return other,
                        }
                    }
                }
            }
            if block.end != End::Invoke {
                self.pass(function, Site::End { block: at });
            }
            let number = match block.end {
                End::Return => return Outcome::Returned,
                End::Resume => {
                    self.observe("unwinding");
                    return Outcome::Threw;
                }
                End::Unreachable => return Outcome::OutOfSteps,
                End::Invoke => usize::from(threw),
                End::Jump => self.dice.roll(block.successors.len()),
            };
            self.pass(
                function,
                Site::Edge {
                    block: at,
                    successor: number,
                },
            );
            at = block.successors[number].block;
        }
    }

    fn call(&mut self, call: &Call) -> Outcome {
        match &call.callee {
            Callee::Function(index) => {
                let outcome = self.run(*index);
                // Nothing guarantees exactness here unless the callee is observed; its own returns are checked by the caller's
                // next observation point.
                outcome
            }
            Callee::Declared(name) if name == "strlen" => Outcome::Returned,
            _ => {
                self.observe("an unknown call");
                if self.dice.roll(8) == 0 {
                    Outcome::Threw
                } else {
                    Outcome::Returned
                }
            }
        }
    }
}

fn costs(items: &[Item]) -> i64 {
    let cost = |item: &Item| match item {
        Item::Cost { cost, .. } => *cost as i64,
        Item::Call(_) => 0,
    };
    items.iter().map(cost).sum()
}

fn check(module: &Module, options: Options, seed: u64) -> Result<usize, String> {
    let plan = plan(module, &options).map_err(|error| error.to_string())?;
    let mut observed = 0;
    for start in 0..module.functions.len() {
        // Entered from outside, which only sees functions that keep their own count.
        if plan.functions[start].charged_by_callers.is_some() {
            continue;
        }
        for turn in 0..6 {
            let dice = Dice(seed ^ (turn << 40) ^ start as u64);
            let mut walker = Walker {
                module,
                plan: &plan,
                dice,
                cost: 0,
                counted: plan.functions[start].prepaid as i64,
                wrong: None,
                observed: 0,
                steps: 0,
                checks: 0,
            };
            let outcome = walker.run(start);
            if outcome == Outcome::Returned {
                walker.counted += plan.functions[start].owed as i64;
            }
            if outcome != Outcome::OutOfSteps {
                walker.observe("the end");
            }
            if let Some(wrong) = walker.wrong {
                return Err(format!("from {start}, turn {turn}: {wrong}"));
            }
            observed += walker.observed;
        }
    }
    Ok(observed)
}

const FUNCTIONS: usize = 4;

fn call(tail: impl Strategy<Value = Tail>) -> impl Strategy<Value = Item> {
    let callee = prop_oneof![
        3 => (0..FUNCTIONS).prop_map(Callee::Function),
        2 => Just(Callee::Declared("strlen".into())),
        2 => Just(Callee::Declared("exit".into())),
        1 => Just(Callee::Unknown),
    ];
    let again = proptest::bool::weighted(0.2);
    (callee, tail, again).prop_map(|(callee, tail, returns_again)| {
        Item::Call(Call {
            callee,
            promised: false,
            tail,
            returns_again,
        })
    })
}

fn block(blocks: usize) -> impl Strategy<Value = Block> {
    let cost = (0u64..7, 0u32..3).prop_map(|(cost, location)| Item::Cost { cost, location });
    let items = proptest::collection::vec(prop_oneof![3 => cost, 1 => call(Just(Tail::No))], 0..5);
    let tail = prop_oneof![3 => Just(Tail::No), 2 => Just(Tail::May), 1 => Just(Tail::Must)];
    let last = proptest::option::weighted(0.4, call(tail));
    let successor = (0..blocks, 1u32..1000, proptest::bool::weighted(0.85)).prop_map(
        |(block, frequency, holds_code)| Successor {
            block,
            frequency: f64::from(frequency),
            holds_code,
        },
    );
    let successors = proptest::collection::vec(successor, 1..4);
    let end = prop_oneof![6 => Just(End::Jump), 2 => Just(End::Return), 1 => Just(End::Resume), 2 => Just(End::Invoke)];
    let computed = proptest::bool::weighted(0.3);
    (items, end, successors, 1u32..1000, computed, last).prop_map(
        |(mut items, end, mut successors, frequency, computed, last)| {
            match end {
                // No jump of a computed one holds code.
                End::Jump if computed => successors
                    .iter_mut()
                    .for_each(|successor| successor.holds_code = false),
                End::Return => {
                    successors.clear();
                    items.extend(last);
                    items.push(Item::Cost {
                        cost: 1,
                        location: 0,
                    });
                }
                End::Resume => successors.clear(),
                End::Invoke => {
                    let first = successors[0].clone();
                    successors.resize(2, first);
                    successors[1].holds_code = false;
                    items.push(Item::Cost {
                        cost: 1,
                        location: 0,
                    });
                    items.push(Item::Call(Call {
                        callee: Callee::Unknown,
                        promised: false,
                        tail: Tail::No,
                        returns_again: frequency % 2 == 0,
                    }));
                }
                _ => {}
            }
            Block {
                items,
                end,
                successors,
                frequency: f64::from(frequency),
                holds_code: true,
            }
        },
    )
}

/// LLVM's entry blocks have no predecessors: jumps to block 0 are bent to block 1.
fn function() -> impl Strategy<Value = Function> {
    (2usize..8).prop_flat_map(|count| {
        (
            proptest::collection::vec(block(count), count),
            any::<bool>(),
        )
            .prop_map(|(mut blocks, only_called_here)| {
                for successor in blocks.iter_mut().flat_map(|block| &mut block.successors) {
                    successor.block = successor.block.max(1);
                }
                Function {
                    blocks,
                    only_called_here,
                    is_local: only_called_here,
                    ..Function::default()
                }
            })
    })
}

fn module() -> impl Strategy<Value = Module> {
    proptest::collection::vec(function(), FUNCTIONS).prop_map(|mut functions| {
        for (index, function) in functions.iter_mut().enumerate() {
            function.name = format!("f{index}");
        }
        Module {
            functions,
            locations: vec![Default::default(); 3],
        }
    })
}

fn all_options() -> Vec<Options> {
    let mut all = Vec::new();
    for placement in [Placement::Segment, Placement::Tree] {
        for granularity in [
            Granularity::Thread,
            Granularity::Function,
            Granularity::Line,
        ] {
            for (budget, point) in [
                (false, Point::Start),
                (true, Point::Start),
                (true, Point::Last),
            ] {
                all.push(Options {
                    placement,
                    granularity,
                    budget,
                    point,
                    ..Options::default()
                });
            }
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn increments_equal_costs_at_every_observation_point(module in module(), seed in any::<u64>()) {
        for options in all_options() {
            let result = check(&module, options, seed);
            prop_assert!(result.is_ok(), "{options}: {}", result.unwrap_err());
        }
    }
}

fn straight(items: Vec<Item>) -> Function {
    let block = Block {
        items,
        end: End::Return,
        frequency: 1.0,
        holds_code: true,
        ..Block::default()
    };
    Function {
        blocks: vec![block],
        ..Function::default()
    }
}

/// A block that leads to blocks, so often each.
fn leading(
    items: Vec<Item>,
    end: End,
    frequency: f64,
    to: impl IntoIterator<Item = (usize, f64)>,
) -> Block {
    let successors = to.into_iter().map(|(block, frequency)| Successor {
        block,
        frequency,
        holds_code: true,
    });
    Block {
        items,
        end,
        successors: successors.collect(),
        frequency,
        holds_code: true,
    }
}

fn cost(cost: u64) -> Item {
    Item::Cost { cost, location: 0 }
}

fn calls(callee: Callee) -> Item {
    Item::Call(Call {
        callee,
        promised: false,
        tail: Tail::No,
        returns_again: false,
    })
}

/// The interpreter itself must be able to convict: a plan with one increment changed is caught.
#[test]
fn a_wrong_increment_is_noticed() {
    let module = Module {
        functions: vec![straight(vec![cost(3), calls(Callee::Unknown), cost(4)])],
        ..Module::default()
    };
    let mut plan = plan(&module, &Options::default()).unwrap();
    plan.functions[0].increments[0].amount += 1;
    let mut walker = Walker {
        module: &module,
        plan: &plan,
        dice: Dice(1),
        cost: 0,
        counted: 0,
        wrong: None,
        observed: 0,
        steps: 0,
        checks: 0,
    };
    walker.run(0);
    assert_eq!(
        walker.wrong.as_deref(),
        Some("an unknown call: executed 3, counted 4")
    );
}

#[test]
fn a_leaf_of_constant_cost_is_charged_by_its_callers() {
    let mut leaf = straight(vec![cost(5)]);
    leaf.only_called_here = true;
    let caller = straight(vec![
        cost(2),
        calls(Callee::Function(0)),
        cost(1),
        calls(Callee::Unknown),
        cost(1),
    ]);
    let module = Module {
        functions: vec![leaf, caller],
        ..Module::default()
    };
    let plan = plan(&module, &Options::default()).unwrap();
    assert_eq!(plan.functions[0].charged_by_callers, Some(5));
    assert!(plan.functions[0].increments.is_empty());
    let amounts: Vec<i64> = plan.functions[1]
        .increments
        .iter()
        .map(|increment| increment.amount)
        .collect();
    assert_eq!(amounts, [8, 1]);
}

/// `if (x) 3 else 3` between two straight pieces: whichever way is taken passes one addition, where counting blocks takes four.
#[test]
fn every_way_through_a_fork_passes_one_addition() {
    let block = |items, end, to: &[usize]| leading(items, end, 1.0, to.iter().map(|&to| (to, 0.5)));
    let function = Function {
        blocks: vec![
            block(vec![cost(2)], End::Jump, &[1, 2]),
            Block {
                frequency: 0.5,
                ..block(vec![cost(3)], End::Jump, &[3])
            },
            Block {
                frequency: 0.5,
                ..block(vec![cost(3)], End::Jump, &[3])
            },
            block(vec![cost(1)], End::Return, &[]),
        ],
        ..Function::default()
    };
    let module = Module {
        functions: vec![function],
        ..Module::default()
    };
    let plan = plan(&module, &Options::default()).unwrap();
    // Before or after the fork: every execution passes. On one path of it: half of them do.
    let passed: f64 = plan.functions[0]
        .increments
        .iter()
        .map(|increment| match increment.site {
            Site::End { block: 0 | 3 } => 1.0,
            _ => 0.5,
        })
        .sum();
    assert_eq!(passed, 1.0, "{:?}", plan.functions[0].increments);
}

/// With budgets, additions that checks look at wait for each other, what is taken back does not: it may run more often.
#[test]
fn behind_checks_the_dear_way_is_paid_ahead() {
    let block = |items, end, to: &[(usize, f64)]| leading(items, end, 1.0, to.iter().copied());
    let part = |frequency, items, to: &[(usize, f64)]| Block {
        frequency,
        ..block(items, End::Jump, to)
    };
    let function = Function {
        blocks: vec![
            block(vec![cost(2000)], End::Jump, &[(1, 0.45), (2, 0.55)]),
            part(0.45, vec![cost(5)], &[(3, 0.45)]),
            part(0.55, vec![cost(1)], &[(3, 0.55)]),
            block(vec![cost(1)], End::Return, &[]),
        ],
        ..Function::default()
    };
    let module = Module {
        functions: vec![function],
        ..Module::default()
    };
    for (point, branch, amount) in [(Point::Start, 1, 4), (Point::Last, 2, -4)] {
        let options = Options {
            budget: true,
            point,
            ..Options::default()
        };
        let plan = plan(&module, &options).unwrap();
        let on_branches: Vec<_> = (plan.functions[0].increments.iter())
            .filter_map(|increment| match increment.site {
                Site::Edge {
                    block: 0,
                    successor,
                } => Some((successor + 1, increment.amount)),
                Site::End { block } | Site::Edge { block, .. } if block == 1 || block == 2 => {
                    Some((block, increment.amount))
                }
                _ => None,
            })
            .collect();
        assert_eq!(on_branches, [(branch, amount)], "{plan:?}");
    }
}

/// A loop with a budget is checked at its latch; the addition there and the check share a place. Functions that cost much, or that
/// uncounted code may call, check at their entry.
#[test]
fn budgets_are_checked_at_latches_and_entries() {
    let jump = |block| Successor {
        block,
        frequency: 10.0,
        holds_code: true,
    };
    let blocks = |before| {
        vec![
            Block {
                items: vec![cost(before)],
                successors: vec![jump(1)],
                frequency: 1.0,
                holds_code: true,
                ..Block::default()
            },
            Block {
                items: vec![cost(4)],
                successors: vec![jump(1), jump(2)],
                frequency: 10.0,
                holds_code: true,
                ..Block::default()
            },
            Block {
                items: vec![cost(1)],
                end: End::Return,
                frequency: 1.0,
                holds_code: true,
                ..Block::default()
            },
        ]
    };
    let latch = Site::Edge {
        block: 1,
        successor: 0,
    };
    let both = &[Site::End { block: 0 }, latch][..];
    for (before, only_called_here, expected) in [
        (1, true, &[latch][..]),
        (2000, true, both),
        (1, false, both),
    ] {
        let module = Module {
            functions: vec![Function {
                blocks: blocks(before),
                only_called_here,
                ..Function::default()
            }],
            ..Module::default()
        };
        let options = Options {
            budget: true,
            ..Options::default()
        };
        let plan = plan(&module, &options).unwrap();
        let checks = plan.functions[0].checks.iter();
        assert_eq!(checks.map(|check| check.site).collect::<Vec<_>>(), expected);
    }
}

/// `for (;;) goto *next` with two operations and an end: each operation pays and checks where it begins, and nothing stands
/// between the operations and the jump.
#[test]
fn operations_of_an_interpreter_check_where_they_begin() {
    let mut dispatch = leading(
        vec![cost(2)],
        End::Jump,
        90.0,
        [(2, 40.0), (3, 40.0), (4, 10.0)],
    );
    for successor in &mut dispatch.successors {
        successor.holds_code = false;
    }
    let function = Function {
        blocks: vec![
            leading(vec![cost(1)], End::Jump, 1.0, [(1, 1.0)]),
            dispatch,
            leading(vec![cost(5)], End::Jump, 40.0, [(1, 40.0)]),
            leading(vec![cost(7)], End::Jump, 40.0, [(1, 40.0)]),
            leading(vec![cost(1)], End::Return, 10.0, []),
        ],
        ..Function::default()
    };
    let module = Module {
        functions: vec![function],
        ..Module::default()
    };
    let options = Options {
        budget: true,
        ..Options::default()
    };
    let plan = plan(&module, &options).unwrap();
    for (block, cost) in [(2, 5 + 2), (3, 7 + 2)] {
        let here = |site: Site| match site {
            Site::Call { block: at, .. } | Site::End { block: at } | Site::Start { block: at } => {
                at == block
            }
            Site::Edge { block: at, .. } => at == block,
        };
        let own: Vec<_> = (plan.functions[0].increments.iter())
            .filter(|increment| here(increment.site))
            .map(|increment| (increment.site, increment.amount))
            .collect();
        assert_eq!(own, [(Site::Start { block }, cost)]);
        let checks = plan.functions[0].checks.iter();
        assert!(
            checks
                .filter(|check| here(check.site))
                .all(|check| check.site == Site::Start { block })
        );
    }
    check(&module, options, 1).unwrap();
}

/// `f(n) = n ? 3 + f(..) + 2 : 4`: calls that end at once find everything paid.
#[test]
fn the_cheapest_way_is_paid_before_the_call() {
    let recursive = Function {
        blocks: vec![
            leading(vec![cost(3)], End::Jump, 1.0, [(1, 0.4), (2, 0.6)]),
            leading(vec![cost(1)], End::Return, 0.4, []),
            leading(
                vec![calls(Callee::Function(0)), cost(2)],
                End::Return,
                0.6,
                [],
            ),
        ],
        only_called_here: true,
        is_local: true,
        ..Function::default()
    };
    let caller = straight(vec![cost(1), calls(Callee::Function(0)), cost(1)]);
    let module = Module {
        functions: vec![recursive, caller],
        ..Module::default()
    };
    for budget in [false, true] {
        let options = Options {
            budget,
            ..Options::default()
        };
        let plan = plan(&module, &options).unwrap();
        // If the inner call is observed, the caller pays the rest behind it. That is also true for the short path.
        let (prepaid, owed) = if budget { (2, 2) } else { (4, 0) };
        assert_eq!(
            (plan.functions[0].prepaid, plan.functions[0].owed),
            (prepaid, owed)
        );
        let short_way = |increment: &&Increment| {
            matches!(
                increment.site,
                Site::End { block: 0 | 1 }
                    | Site::Edge {
                        block: 0,
                        successor: 0
                    }
            )
        };
        assert_eq!(
            plan.functions[0].increments.iter().find(short_way),
            None,
            "{options}"
        );
        check(&module, options, 1).unwrap();
    }
}
