//! The description of a module, and the plan for it.

use crate::exchange::Prices;
use crate::flow::{Arc, CheckSite, Flow, ROOT, Site, entry, exit};
use crate::options::{Granularity, Options, Placement, Point};
use crate::place::{self, Check, Increment, Placed, Unplaceable};
use crate::summary::{self, Summary};

/// Whom a call calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Callee {
    /// The function with this index in [`Module::functions`], and certainly that body.
    Function(usize),
    /// A function of this name that is not defined here.
    Declared(String),
    /// Anything: through a pointer, a replaceable body, inline assembly, a coroutine boundary.
    Unknown,
}

/// A call, invoke or coroutine boundary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Whom it calls.
    pub callee: Callee,
    /// Attributes promise that it comes back (`nounwind willreturn`).
    pub promised: bool,
    /// True if it can be a jump.
    pub tail: Tail,
    /// It can return more than once (`setjmp`, `getcontext`): a jump back to it makes a loop that has no latch.
    pub returns_again: bool,
}

/// Whether a call is the last action of its function. The code from it to the return then counts with it, because nothing can be placed in
/// between.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tail {
    /// Other code follows.
    #[default]
    No,
    /// Only a return follows: the back end makes a jump of it if no addition stands in between.
    May,
    /// A `musttail` call.
    Must,
}

/// One entry of a block, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// Instructions that cost `cost` and belong to the source position numbered `location` (0: none).
    Cost {
        /// Their cost.
        cost: u64,
        /// The source position.
        location: u32,
    },
    /// A call. Its own cost is the [`Item::Cost`] before it: a call is paid for before it is made.
    Call(Call),
}

/// A jump to another block.
#[derive(Debug, Clone, PartialEq)]
pub struct Successor {
    /// Index of the block jumped to.
    pub block: usize,
    /// Estimated executions, in the unit of [`Block::frequency`].
    pub frequency: f64,
    /// Code can be placed on the jump. False into landing pads and out of indirect jumps.
    pub holds_code: bool,
}

/// How a block ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum End {
    /// Jumps to one of the successors.
    #[default]
    Jump,
    /// Its last call is an invoke: successor 0 follows a normal return, successor 1 an exception.
    Invoke,
    /// Returns to the caller.
    Return,
    /// Goes on unwinding.
    Resume,
    /// Never gets there.
    Unreachable,
}

/// A basic block.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Block {
    /// Its costs and calls, terminator included.
    pub items: Vec<Item>,
    /// How it ends.
    pub end: End,
    /// The blocks that it can go to.
    pub successors: Vec<Successor>,
    /// Estimated executions, any unit.
    pub frequency: f64,
    /// Code can be placed in the block.
    pub holds_code: bool,
}

/// A function with a body.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Function {
    /// Its name, as the linker knows it.
    pub name: String,
    /// Its blocks, entry first.
    pub blocks: Vec<Block>,
    /// Every caller is known and instrumented: its cost may be charged by them.
    pub only_called_here: bool,
    /// No other module holds a body that the linker may take instead.
    pub is_local: bool,
    /// Not instrumented; the text says why.
    pub exempt: Option<String>,
    /// Source positions of operations priced at run time (bulk memory by size), in order.
    pub priced_at_run_time: Vec<u32>,
}

/// Everything that is compiled together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Module {
    /// The functions with bodies.
    pub functions: Vec<Function>,
    /// Source positions by number; number 0 is "none".
    pub locations: Vec<Location>,
}

/// A source position.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Location {
    /// Path as the compiler recorded it.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
}

/// The code to insert into one function.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FunctionPlan {
    /// The increments.
    pub increments: Vec<Increment>,
    /// The budget checks; each comes after the increment at the same site and says what is owed there.
    pub checks: Vec<Check>,
    /// Its whole cost is charged by its callers.
    pub charged_by_callers: Option<u64>,
    /// Its callers pay this much before they call it.
    pub prepaid: u64,
    /// And this much when it has returned.
    pub owed: u64,
    /// Slots of [`Function::priced_at_run_time`], when counts are kept per function or line.
    pub priced_slots: Vec<u32>,
}

/// A counter of its own, when counts are kept per function or line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// The function it belongs to.
    pub function: usize,
    /// Cost of one count: 1 for functions, a segment's cost for lines.
    pub unit: u64,
    /// How the unit is spread over source positions (numbers into [`Module::locations`]).
    pub lines: Vec<(u32, u64)>,
}

/// The code to insert into a module.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plan {
    /// In the order of [`Module::functions`].
    pub functions: Vec<FunctionPlan>,
    /// The counters besides the thread's own.
    pub slots: Vec<Slot>,
    summaries: Vec<Summary>,
}

impl Plan {
    /// Returns `true` if a call of the planned module certainly returns, without code reading the counter meanwhile.
    pub fn comes_back(&self, call: &Call) -> bool {
        summary::comes_back(call, &self.summaries)
    }
}

/// No plan: a function has code where none can be placed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot count `{function}`: {reason}")]
pub struct PlanError {
    /// The function.
    pub function: String,
    /// Why it cannot be placed.
    pub reason: Unplaceable,
}

/// Decides what to insert where.
pub fn plan(module: &Module, options: &Options) -> Result<Plan, PlanError> {
    let summaries = summary::summarise(module, options);
    let mut plan = Plan::default();
    for (index, function) in module.functions.iter().enumerate() {
        let function_plan = if function.exempt.is_some() {
            FunctionPlan::default()
        } else if let Some(cost) = summaries[index].constant_cost {
            FunctionPlan {
                charged_by_callers: Some(cost),
                ..FunctionPlan::default()
            }
        } else if options.placement == Placement::Article {
            article(function)
        } else {
            let flow = flow(
                function,
                &summaries,
                Shape {
                    budget: summaries[index].checks_budget,
                    entry: summaries[index].checks_entry,
                    first: options.unwind,
                    latest: function.only_called_here,
                    tied: true,
                    prepaid: summaries[index].prepaid,
                    owed: summaries[index].owed,
                    ahead: options.placement == Placement::Tree
                        && options.granularity != Granularity::Line,
                },
            );
            counted(index, function, &flow, &summaries, options, &mut plan.slots).map_err(
                |reason| PlanError {
                    function: function.name.clone(),
                    reason,
                },
            )?
        };
        plan.functions.push(function_plan);
    }
    plan.summaries = summaries;
    Ok(plan)
}

/// The price of code on a jump between a fork and a join, in additions elsewhere. It needs a jump of its own, and moves other code apart.
/// Additions that all go to one word (a function's slot, or the counter that is checked) wait for each other, so each of them costs more.
/// Before the optimiser, a jump need not remain one. (Measured: docs/measurements/counting.md.)
fn split_price(flow: &Flow, options: &Options) -> f64 {
    let free = options.granularity == Granularity::Thread && !options.budget;
    match options.point {
        _ if !flow.checks.is_empty() => 1.0,
        Point::Last if free => 3.0,
        _ => 1.25,
    }
}

/// Additions that checks look at wait for each other; what is taken back does not (`CheckedLanes` in the pass). (Measured:
/// docs/measurements/counting.md.)
fn prices(flow: &Flow, options: &Options) -> Option<&'static Prices> {
    const PRICES: Prices = Prices {
        add: 1.0,
        take_back: 0.7,
        split: 1.5,
    };
    let one_word = options.granularity == Granularity::Thread && options.point == Point::Last;
    (one_word && !flow.checks.is_empty()).then_some(&PRICES)
}

fn counted(
    index: usize,
    function: &Function,
    flow: &Flow,
    summaries: &[Summary],
    options: &Options,
    slots: &mut Vec<Slot>,
) -> Result<FunctionPlan, Unplaceable> {
    let placed = match (options.granularity, options.placement) {
        (Granularity::Line, _) => {
            let placed = place::on_segments(flow)?;
            return Ok(FunctionPlan {
                increments: per_line(index, function, placed.increments, summaries, slots),
                checks: placed.checks,
                priced_slots: priced_per_line(index, function, slots),
                ..FunctionPlan::default()
            });
        }
        (_, Placement::Segment) => place::on_segments(flow)?,
        (_, Placement::Least) => before_calls(function, flow),
        _ => place::on_tree(flow, split_price(flow, options), prices(flow, options))?,
    };
    let (mut increments, checks) = (placed.increments, placed.checks);
    let mut priced_slots = Vec::new();
    if options.granularity == Granularity::Function {
        priced_slots = vec![slots.len() as u32; function.priced_at_run_time.len()];
        for increment in &mut increments {
            increment.slot = slots.len() as u32;
        }
        slots.push(Slot {
            function: index,
            unit: 1,
            lines: Vec::new(),
        });
    }
    Ok(FunctionPlan {
        increments,
        checks,
        prepaid: summaries[index].prepaid,
        owed: summaries[index].owed,
        priced_slots,
        charged_by_callers: None,
    })
}

/// An addition before each call that is observed.
fn before_calls(function: &Function, flow: &Flow) -> Placed {
    let stands_before_call = |site: &Site| match *site {
        Site::Call { .. } => true,
        Site::End { block } => function.blocks[block].end == End::Invoke,
        _ => false,
    };
    let observed = flow.arcs.iter().filter(|arc| arc.to == ROOT);
    Placed {
        increments: observed
            .filter_map(|arc| arc.site)
            .filter(stands_before_call)
            .map(|site| Increment {
                site,
                amount: 1,
                slot: 0,
            })
            .collect(),
        checks: Vec::new(),
    }
}

/// The article's scheme: everything in the block, at its end.
fn article(function: &Function) -> FunctionPlan {
    let mut increments = Vec::new();
    for (index, block) in function.blocks.iter().enumerate() {
        let cost: u64 = block
            .items
            .iter()
            .map(|item| {
                if let Item::Cost { cost, .. } = item {
                    *cost
                } else {
                    0
                }
            })
            .sum();
        // A musttail call and its return cannot be parted.
        let call = block
            .items
            .iter()
            .filter_map(as_call)
            .position(|call| call.tail == Tail::Must);
        let site = match call {
            Some(call) => Site::Call { block: index, call },
            None => Site::End { block: index },
        };
        if cost > 0 && block.holds_code {
            increments.push(Increment {
                site,
                amount: cost as i64,
                slot: 0,
            });
        }
    }
    FunctionPlan {
        increments,
        ..FunctionPlan::default()
    }
}

fn as_call(item: &Item) -> Option<&Call> {
    match item {
        Item::Call(call) => Some(call),
        Item::Cost { .. } => None,
    }
}

/// One counter per stretch between observation points.
fn per_line(
    index: usize,
    function: &Function,
    mut increments: Vec<Increment>,
    summaries: &[Summary],
    slots: &mut Vec<Slot>,
) -> Vec<Increment> {
    let segments: Vec<Segment> = function
        .blocks
        .iter()
        .enumerate()
        .flat_map(|(at, block)| segments(at, block, summaries))
        .collect();
    for increment in &mut increments {
        let mut lines: Vec<(u32, u64)> = Vec::new();
        for &(location, cost) in segments
            .iter()
            .filter(|s| s.site == increment.site)
            .flat_map(|s| &s.lines)
        {
            match lines.iter_mut().find(|(known, _)| *known == location) {
                Some((_, sum)) => *sum += cost,
                None => lines.push((location, cost)),
            }
        }
        let unit = increment.amount as u64;
        increment.amount = 1;
        increment.slot = slots.len() as u32;
        slots.push(Slot {
            function: index,
            unit,
            lines,
        });
    }
    increments
}

/// One counter per operation whose price is known at run time only; it counts units.
fn priced_per_line(index: usize, function: &Function, slots: &mut Vec<Slot>) -> Vec<u32> {
    let numbers = (slots.len() as u32)..;
    slots.extend(function.priced_at_run_time.iter().map(|&location| Slot {
        function: index,
        unit: 1,
        lines: vec![(location, 1)],
    }));
    numbers.take(function.priced_at_run_time.len()).collect()
}

/// A piece of a block up to an observation point or its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    /// Its cost, including what its calls charge to their callers.
    pub cost: u64,
    /// The place of its increment.
    pub site: Site,
    /// `true` if an observation point ends it.
    pub observed: bool,
    /// The part of the cost that is paid for a callee that begins behind it.
    pub ahead: u64,
    /// It begins behind a call that can return more than once.
    pub begins_again: bool,
    /// Cost per source position.
    pub lines: Vec<(u32, u64)>,
}

/// Cuts a block at its observation points. There is always at least one segment.
pub fn segments(index: usize, block: &Block, summaries: &[Summary]) -> Vec<Segment> {
    let mut segments = Vec::new();
    let fresh = || Segment {
        cost: 0,
        site: Site::End { block: index },
        observed: false,
        ahead: 0,
        begins_again: false,
        lines: Vec::new(),
    };
    let mut current = fresh();
    let mut calls = 0;
    for (position, item) in block.items.iter().enumerate() {
        match item {
            Item::Cost { cost, location } => {
                current.cost += cost;
                current.lines.push((*location, *cost));
            }
            Item::Call(call) => {
                let charged = summary::charged(call, summaries);
                current.cost += charged;
                let last = position + 1 == block.items.len();
                if summary::ends_function(call, summaries) {
                    for item in &block.items[position + 1..] {
                        if let Item::Cost { cost, location } = item {
                            current.cost += cost;
                            current.lines.push((*location, *cost));
                        }
                    }
                    current.site = Site::Call {
                        block: index,
                        call: calls,
                    };
                    current.observed = true;
                    current.ahead = charged;
                    segments.push(current);
                    return segments;
                }
                let owed = summary::owed(call, summaries);
                if !summary::comes_back(call, summaries) {
                    // An invoke is the block's terminator.
                    let is_end = last && block.end == End::Invoke;
                    current.site = if is_end {
                        Site::End { block: index }
                    } else {
                        Site::Call {
                            block: index,
                            call: calls,
                        }
                    };
                    current.observed = true;
                    current.ahead = charged;
                    segments.push(std::mem::replace(&mut current, fresh()));
                    if is_end {
                        return segments;
                    }
                    current.begins_again = call.returns_again;
                }
                current.cost += owed;
                calls += 1;
            }
        }
    }
    current.observed = matches!(block.end, End::Return | End::Resume);
    segments.push(current);
    segments
}

/// The kind of graph to build.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// With budget checks.
    pub budget: bool,
    /// One of them at the entry.
    pub entry: bool,
    /// The check at entry comes before anything else: a limit may throw, and nothing has been constructed there yet.
    pub first: bool,
    /// The check at entry may stand behind short ways that only return. Code that is not seen could take such a way for ever: this
    /// is for functions whose callers are all seen.
    pub latest: bool,
    /// Entry and returns are tied to the root; without, the graph serves to see whether all ways cost the same.
    pub tied: bool,
    /// The amount that callers pay before the call.
    pub prepaid: u64,
    /// The amount that callers pay after it returned.
    pub owed: u64,
    /// A check at a block's start may pay for what follows it there.
    pub ahead: bool,
}

impl Shape {
    /// To see what ways there are.
    pub const LOOSE: Shape = Shape {
        budget: false,
        entry: false,
        first: false,
        latest: false,
        tied: false,
        prepaid: 0,
        owed: 0,
        ahead: false,
    };
}

/// The graph of one function.
pub fn flow(function: &Function, summaries: &[Summary], shape: Shape) -> Flow {
    let back = match shape.budget {
        true => retreating_edges(function),
        false => Vec::new(),
    };
    let mut predecessors = vec![0u32; function.blocks.len()];
    for successor in function.blocks.iter().flat_map(|block| &block.successors) {
        predecessors[successor.block] += 1;
    }
    let prices_are_known = function.priced_at_run_time.is_empty();
    let checked_block = match shape.entry && shape.latest && !shape.first && prices_are_known {
        true => latest_entry(function, summaries),
        false => 0,
    };
    let mut graph = Graph {
        function,
        shape,
        starts: checked_starts(function, &back),
        back,
        predecessors,
        checked_block,
        flow: Flow {
            vertices: 1 + 2 * function.blocks.len(),
            ..Flow::default()
        },
    };
    if shape.tied {
        graph.flow.arcs.push(Arc {
            cost: -(shape.prepaid as i64),
            ..arc(ROOT, entry(0))
        });
    }
    for (index, block) in function.blocks.iter().enumerate() {
        let pieces = segments(index, block, summaries);
        let end = graph.add_pieces(index, block, &pieces);
        let may_unwind = pieces.last().is_some_and(|piece| piece.observed);
        graph.add_successors(index, block, end, may_unwind);
    }
    graph.flow
}

/// An arc that costs nothing.
fn arc(from: usize, to: usize) -> Arc {
    Arc {
        from,
        to,
        cost: 0,
        site: None,
        frequency: 0.0,
        checked: false,
        needs_split: false,
    }
}

/// A graph in the making.
struct Graph<'a> {
    function: &'a Function,
    shape: Shape,
    /// Edges that close loops: a block, and the number of its successor.
    back: Vec<(usize, usize)>,
    /// Blocks at whose start there is a check.
    starts: Vec<bool>,
    /// How many edges lead to each block.
    predecessors: Vec<u32>,
    /// The block with the check of the entry.
    checked_block: usize,
    flow: Flow,
}

impl Graph<'_> {
    /// The stretches of a block, one behind the other. Returns the vertex where the last one ends.
    fn add_pieces(&mut self, index: usize, block: &Block, pieces: &[Segment]) -> usize {
        let shape = self.shape;
        let mut from = entry(index);
        for (number, piece) in pieces.iter().enumerate() {
            let returns = piece.site == Site::End { block: index }
                && matches!(block.end, End::Return | End::Resume);
            let to = match piece.observed && (shape.tied || !returns) {
                true => ROOT,
                false => exit(index),
            };
            let (site, checked) = self.check_piece((index, number), block, piece, to);
            let owed = match block.end {
                End::Return if shape.tied && returns => shape.owed as i64,
                _ => 0,
            };
            self.flow.arcs.push(Arc {
                cost: piece.cost as i64 - owed,
                site: block.holds_code.then_some(site),
                frequency: block.frequency,
                checked,
                ..arc(from, to)
            });
            from = to;
        }
        from
    }

    /// Adds the check that a stretch has, if it has one. Returns where the stretch is counted, and whether it is checked there.
    fn check_piece(
        &mut self,
        (index, number): (usize, usize),
        block: &Block,
        piece: &Segment,
        to: usize,
    ) -> (Site, bool) {
        let shape = self.shape;
        // The entry is checked where a first stretch is paid, so that one instruction does both.
        let is_entry = shape.entry && (index, number) == (self.checked_block, 0);
        let at_start_too = number == 0 && self.starts[index];
        let pays = shape.ahead && at_start_too && block.holds_code;
        // A place that can be returned to again and again is passed by a loop that has no latch.
        let is_again = shape.budget && piece.begins_again && block.holds_code;
        let checked =
            pays || is_again || is_entry && !shape.first && block.holds_code && !at_start_too;
        let site = match pays {
            true => Site::Start { block: index },
            false => piece.site,
        };
        if checked {
            self.flow.checks.push(CheckSite {
                site,
                vertex: to,
                ahead: if pays { piece.cost } else { piece.ahead },
            });
        } else if is_entry || at_start_too {
            self.flow.checks.push(CheckSite {
                site: Site::Start { block: index },
                vertex: entry(index),
                ahead: 0,
            });
        }
        (site, checked)
    }

    /// The edges that leave a block, from the vertex where its last stretch ends.
    fn add_successors(&mut self, index: usize, block: &Block, from: usize, may_unwind: bool) {
        let never_unwinds = block.end == End::Invoke && !may_unwind;
        for (number, successor) in block.successors.iter().enumerate() {
            if never_unwinds && number == 1 {
                continue;
            }
            let to = entry(successor.block);
            let site = Site::Edge {
                block: index,
                successor: number,
            };
            let latch = self.back.contains(&(index, number));
            let again =
                self.shape.budget && number == 0 && block.end == End::Invoke && ends_again(block);
            let checked = (latch || again)
                && successor.holds_code
                && !is_dispatch(&self.function.blocks[successor.block]);
            self.flow.arcs.push(Arc {
                site: successor.holds_code.then_some(site),
                frequency: successor.frequency,
                needs_split: block.successors.len() > 1 && self.predecessors[successor.block] > 1,
                checked,
                ..arc(from, to)
            });
            if checked {
                self.flow.checks.push(CheckSite {
                    site,
                    vertex: to,
                    ahead: 0,
                });
            }
        }
    }
}

/// Returns `true` if a block's last call can return more than once.
fn ends_again(block: &Block) -> bool {
    (block.items.last().and_then(as_call)).is_some_and(|call| call.returns_again)
}

/// A block that ends in a computed jump: of an interpreter, say. The back end copies it to where it is jumped to from, which
/// a check in front of it would prevent.
fn is_dispatch(block: &Block) -> bool {
    block.successors.len() > 2 && block.successors.iter().all(|to| !to.holds_code)
}

/// Blocks that check as the first thing they do, because the jumps `back` to them hold no code, or because the jumps lead
/// to a dispatch that they come from.
pub(crate) fn checked_starts(function: &Function, back: &[(usize, usize)]) -> Vec<bool> {
    let mut starts = vec![false; function.blocks.len()];
    for &(from, number) in back {
        let jump = &function.blocks[from].successors[number];
        let to = &function.blocks[jump.block];
        if !jump.holds_code {
            starts[jump.block] = true;
        } else if is_dispatch(to) {
            for jump in &to.successors {
                starts[jump.block] = true;
            }
        }
    }
    starts
}

/// The block that shall check for the entry: on all ways that avoid it a function only does little and returns. Ways like
/// that (nothing to do, already done) are short and frequent, and a call of the limit makes them save registers.
fn latest_entry(function: &Function, summaries: &[Summary]) -> usize {
    let count = function.blocks.len();
    let mut predecessors = vec![Vec::new(); count];
    for (index, block) in function.blocks.iter().enumerate() {
        for successor in &block.successors {
            predecessors[successor.block].push(index);
        }
    }
    // Blocks from which a long way leads on: a loop, or a call that may be long.
    let mut long = vec![false; count];
    let latches = retreating_edges(function);
    let loops = latches
        .iter()
        .map(|&(block, number)| function.blocks[block].successors[number].block);
    let calls = (0..count)
        .filter(|&index| summary::short_way(&function.blocks[index], summaries).is_none());
    let own: Vec<usize> = loops.chain(calls).collect();
    let mut pending = own.clone();
    while let Some(block) = pending.pop() {
        if !std::mem::replace(&mut long[block], true) {
            pending.extend(&predecessors[block]);
        }
    }
    let mut at = 0;
    let mut cost = 0;
    while !own.contains(&at) {
        cost += summary::short_way(&function.blocks[at], summaries).unwrap_or(0);
        let successors = &function.blocks[at].successors;
        let mut on = successors.iter().filter(|successor| long[successor.block]);
        let (Some(next), None) = (on.next(), on.next()) else {
            break;
        };
        let others: u64 = (0..count)
            .filter(|&index| !long[index])
            .filter_map(|index| summary::short_way(&function.blocks[index], summaries))
            .sum();
        let alone = predecessors[next.block].len() == 1 && function.blocks[next.block].holds_code;
        if !alone || cost + others > summary::MOST_WITHOUT_CHECK {
            break;
        }
        at = next.block;
    }
    at
}

/// Jumps back to a block that is being visited: every cycle has one. As (block, number of the successor).
pub fn retreating_edges(function: &Function) -> Vec<(usize, usize)> {
    retreating(function.blocks.len(), |block, number| {
        let successor = function.blocks[block].successors.get(number);
        successor.map(|successor| successor.block)
    })
}

/// The same in any graph of so many vertices; `successor` says where a vertex's arcs of each number lead.
pub(crate) fn retreating(
    count: usize,
    successor: impl Fn(usize, usize) -> Option<usize>,
) -> Vec<(usize, usize)> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut state = vec![State::New; count];
    let mut retreating = Vec::new();
    let mut stack = Vec::new();
    // Blocks that cannot be reached from the entry are walked too: placement must stay consistent there.
    for start in 0..count {
        if state[start] != State::New {
            continue;
        }
        state[start] = State::Open;
        stack.push((start, 0));
        while let Some((block, number)) = stack.pop() {
            let Some(to) = successor(block, number) else {
                state[block] = State::Done;
                continue;
            };
            stack.push((block, number + 1));
            match state[to] {
                State::New => {
                    state[to] = State::Open;
                    stack.push((to, 0));
                }
                State::Open => retreating.push((block, number)),
                State::Done => {}
            }
        }
    }
    retreating
}
