//! Decoded code: instruction bytes to micro-ops, one segment per entry point, decoded when first reached.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
        atomic::{AtomicBool, Ordering},
    },
};

use gfx::{Family, Target};
use isa::{Decoder, Effects, Format, Inst, Known, Op, RegKind, Traits};

use ascending::Ascending;
use segments::Segments;

use crate::{
    Memory, Planner,
    engine::UNROLLED,
    hwreg,
    measured::Measured,
    micro_op::{MicroOp, flow},
    passes::moving::Moving,
    row_set::RowSet,
    rows::{self, Chain, ChainBuilder, Row, Shape, VectorShape, lds_noted::Reads},
    shadow,
    translate::{self, Step, Steps},
};

mod ascending;
mod dual;
mod lowering;
mod matrix;
mod memory;
mod nops;
mod notes;
mod operands;
mod order;
mod polls;
mod segments;
mod surround;
mod vector;
mod wave_matrix;

pub(crate) use lowering::Lowered;

/// The context of decoding besides the bytes: target and register layout of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Config {
    pub target: &'static Target,
    /// 64 or 32.
    pub wave_size: u32,
    /// Row of a0. Equal to the accum offset where the register file is unified.
    pub agpr_base: u32,
    /// VGPR plus AccVGPR rows the wave has.
    pub vector_rows: u32,
    /// An observer looks at waves between instructions: each instruction has micro-ops of its own, and none is joined
    /// with the next.
    pub observed: bool,
    /// Accesses to LDS beyond what the workgroup asked for are faults. Otherwise they read zeros and store nothing, as on hardware.
    pub exact: bool,
    /// Accesses to LDS are noted, to find those that nothing puts in order.
    pub races: bool,
    /// The results of approximate functions, if they were measured; without measurements, such functions round
    /// correctly.
    pub measured: Option<Measured>,
    /// Other host threads use the same memory, so waits for stores order these before later loads.
    pub ordered: bool,
    /// The runs of lane-wise instructions that become host code, where [`crate::host_code_is_possible`]. There are chains of doubles only then.
    pub native: Option<translate::HostCode>,
}

/// One instruction of a segment, for counts, traces and diagnostics.
#[derive(Clone, Debug)]
pub struct DecodedInst {
    pub pc: u64,
    /// Last micro-op of it. Waits and nops share the micro-op of the instruction before or behind, and links of a chain that of the
    /// first one.
    pub op: u32,
    pub size: u8,
    /// The opcode; called `?` if the words are no instruction.
    pub instruction: Op,
    pub effects: Effects,
}

/// Code reachable from one entry point by fall-through and direct branches.
#[derive(Debug)]
pub struct Segment {
    pub(crate) ops: Vec<MicroOp>,
    pub(crate) chains: Vec<Chain>,
    pub(crate) runs: translate::Runs,
    pub(crate) moving: Vec<Moving>,
    /// In address order.
    pub insts: Vec<DecodedInst>,
    /// Address of the instruction at the head of each micro-op.
    pcs: Vec<u64>,
    /// How many instructions have ended before each micro-op, and behind the last one.
    ended: Vec<u32>,
    /// The address and the first micro-op of what control may arrive at, in address order.
    heads: Vec<(u64, u32)>,
    /// Reads from LDS whose notes are one.
    pub(crate) reads: Vec<Reads>,
    /// The messages for instructions that cannot execute.
    pub(crate) messages: Vec<String>,
    /// Rows of the register file that `ops` may name; temporaries follow.
    pub(crate) vector_rows: usize,
    /// The rows that they may write.
    pub(crate) written: RowSet,
}

impl Segment {
    /// Address of micro-op `index`.
    pub fn pc_of(&self, index: usize) -> u64 {
        self.pcs.get(index).copied().unwrap_or(0)
    }

    /// Returns `true` if its code may write this vector register.
    pub fn may_write(&self, row: usize) -> bool {
        self.written.holds(row)
    }

    /// Returns `true` if its runs of instructions have become host code.
    #[doc(hidden)]
    pub fn has_host_code(&self) -> bool {
        self.runs.are_made()
    }

    /// How many of its loops have become host code.
    #[doc(hidden)]
    pub fn host_loops(&self) -> usize {
        self.runs.loops_made()
    }

    /// Micro-op index of the instruction at `pc`, if control may arrive there.
    pub(crate) fn op_at(&self, pc: u64) -> Option<usize> {
        let found = self.heads.binary_search_by_key(&pc, |head| head.0).ok()?;
        Some(self.heads[found].1 as usize)
    }

    /// The addresses of its instructions, in ascending order.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = u64> {
        self.heads.iter().map(|head| head.0)
    }
}

/// A kernel's code under one [`Config`]; shared by all threads that run its waves.
pub struct Program {
    config: Config,
    decoder: SharedDecoder,
    planner: Option<Arc<dyn Planner>>,
    /// Held by who decodes.
    decoding: Mutex<()>,
    /// By the address they were decoded from, which is their first micro-op.
    segments: RwLock<Segments>,
    /// By an address that control came to from elsewhere, which may be in the middle.
    entered: RwLock<HashMap<u64, Arc<Segment>>>,
    /// See [`Program::looks_at_clock`].
    looks_at_clock: AtomicBool,
}

/// See [`Program::sharing`].
pub type SharedDecoder = Arc<Mutex<Decoder>>;

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

impl std::fmt::Debug for Program {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Program")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

/// Longest encoding in bytes.
const LONGEST: usize = 20;
/// A segment is cut off at this many instructions; control beyond starts a new one.
const MOST_INSTRUCTIONS: usize = 1 << 20;

impl Program {
    pub fn new(config: Config, decoder: Decoder) -> Program {
        Program::sharing(config, Arc::new(Mutex::new(decoder)))
    }

    /// With a decoder that others use, too, and that knows what it has seen for them. It is for the target and wave size of `config`.
    pub fn sharing(config: Config, decoder: SharedDecoder) -> Program {
        Program {
            config,
            decoder,
            planner: None,
            decoding: Mutex::default(),
            segments: RwLock::default(),
            entered: RwLock::default(),
            looks_at_clock: AtomicBool::new(false),
        }
    }

    /// The same with a planner, which sees all its instructions.
    pub fn planned_by(mut self, planner: Option<Arc<dyn Planner>>) -> Program {
        self.planner = planner;
        self
    }

    /// Returns `true` if code that was decoded so far looks at the device's clocks.
    pub fn looks_at_clock(&self) -> bool {
        self.looks_at_clock.load(Ordering::Relaxed)
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    fn decoder(&self) -> MutexGuard<'_, Decoder> {
        let decoder = self.decoder.lock();
        decoder.unwrap_or_else(|poison| poison.into_inner())
    }

    /// The segment that starts at `pc`, decoded now if it was not before. `None`: nothing is mapped at `pc`.
    pub fn segment(&self, memory: &mut Memory<'_>, pc: u64) -> Option<Arc<Segment>> {
        if let Some(segment) = self.at(pc) {
            return Some(segment);
        }
        let turn = self.decoding.lock();
        let _turn = turn.unwrap_or_else(|poison| poison.into_inner());
        // Waves of a kernel start at once: a wave that waited finds the segment that the first has decoded.
        if let Some(segment) = self.at(pc) {
            return Some(segment);
        }
        if let Some(allocator) = memory.allocator() {
            allocator.code_appears();
            memory.refresh();
        }
        let is_known = |other: u64| other != pc && self.is_known(other);
        let found = reachable(&self.decoder(), memory, pc, &is_known)?;
        let print = |inst: &Inst| self.decoder().print(inst);
        let looks = found.values().any(|fetched| match fetched {
            Fetched::Inst(inst) => looks_at_clock(&self.config, inst),
            Fetched::Undecodable(_) => false,
        });
        self.looks_at_clock.fetch_or(looks, Ordering::Relaxed);
        let allocator = memory.allocator();
        let is_heard = |from, to| allocator.is_some_and(|one| one.owner(from) != one.owner(to));
        let segment = Arc::new(lower(self, &print, pc, &found, looks, &is_heard));
        Some(write(&self.segments).add(pc, segment))
    }

    fn at(&self, pc: u64) -> Option<Arc<Segment>> {
        read(&self.segments).at(pc).cloned()
    }

    /// A segment with an instruction at `pc` that control may reach. A call through a register may come back into code
    /// that was decoded from elsewhere. Without this look, each place behind a call would be decoded again with all
    /// that the program can reach from there.
    pub(crate) fn around(&self, memory: &mut Memory<'_>, pc: u64) -> Option<Arc<Segment>> {
        let entered = read(&self.entered).get(&pc).cloned();
        if entered.is_some() {
            return entered;
        }
        let known = read(&self.segments).around(pc).cloned();
        let segment = match known {
            Some(segment) => segment,
            None => self.segment(memory, pc)?,
        };
        let mut entered = write(&self.entered);
        Some(entered.entry(pc).or_insert(segment).clone())
    }

    /// Returns `true` if other segments end at this address, because the code there is known: never, until there is so much code that
    /// one segment does not hold it. Each place beyond one would else be decoded with all that the program can reach from there.
    fn is_known(&self, pc: u64) -> bool {
        let segments = read(&self.segments);
        segments.instructions() >= MOST_INSTRUCTIONS && segments.around(pc).is_some()
    }

    /// How many segments were decoded, and the instructions of all.
    pub fn decoded(&self) -> (usize, usize) {
        let segments = read(&self.segments);
        (segments.len(), segments.instructions())
    }

    /// Text of the instruction at `pc`, for diagnostics.
    pub fn disassemble(&self, memory: &mut Memory<'_>, pc: u64) -> Option<String> {
        let code = memory.read_code(pc, LONGEST);
        let decoder = self.decoder();
        let inst = decoder.decode(&code, pc).ok()?;
        Some(decoder.print(&inst))
    }

    /// Forgets all code, because the device was told that it changed.
    pub fn invalidate(&self) {
        write(&self.segments).clear();
        write(&self.entered).clear();
    }
}

/// An instruction, or the words that are none.
enum Fetched {
    Inst(Box<Inst>),
    Undecodable(u32),
}

/// Decodes everything reachable from `entry` without leaving through a register or coming to code that is known.
fn reachable(
    decoder: &Decoder,
    memory: &mut Memory<'_>,
    entry: u64,
    is_known: &dyn Fn(u64) -> bool,
) -> Option<BTreeMap<u64, Fetched>> {
    let mut found = BTreeMap::new();
    let mut work = vec![entry];
    while let Some(mut pc) = work.pop() {
        let mut window: Vec<u8> = Vec::new();
        let mut window_start = pc;
        while !found.contains_key(&pc) && found.len() < MOST_INSTRUCTIONS && !is_known(pc) {
            if (pc - window_start) as usize + LONGEST > window.len() {
                window = memory.read_code(pc, 4096);
                window_start = pc;
            }
            let code = &window[(pc - window_start) as usize..];
            let inst = match decoder.decode(code, pc) {
                Ok(inst) => inst,
                Err(_) => {
                    let Some(word) = code.first_chunk::<4>() else {
                        break;
                    };
                    found.insert(pc, Fetched::Undecodable(u32::from_le_bytes(*word)));
                    break;
                }
            };
            let (next, effects) = (inst.end(), inst.effects);
            work.extend(inst.target());
            found.insert(pc, Fetched::Inst(Box::new(inst)));
            let leaves = effects.contains(Effects::BRANCH)
                && !effects.contains(Effects::CONDITIONAL)
                || effects.intersects(Effects::END | Effects::RETURN);
            if leaves && !effects.contains(Effects::CALL) {
                break;
            }
            pc = next;
        }
    }
    (!found.is_empty()).then_some(found)
}

fn lower(
    program: &Program,
    print: &dyn Fn(&Inst) -> String,
    entry: u64,
    found: &BTreeMap<u64, Fetched>,
    looks_at_clock: bool,
    is_heard: &dyn Fn(u64, u64) -> bool,
) -> Segment {
    let (config, planner) = (&program.config, program.planner.as_deref());
    let (mut targets, mut rows) = (branch_targets(entry, found), RowsOf::new(config));
    let (mut segment, mut branches) = (Segment::new(config), Vec::new());
    let mut waits = Ascending::new(order::pending_waits(config, found));
    let polls = polls::polling(config, found);
    let skips = skips_vectors(config, found);
    // Observers and shadows look at each instruction by itself, and so does a wave that passes over some of them.
    let apart = config.observed || planner.is_some() || skips;
    let mut runs = translate::Builder::new(config.native.filter(|_| !apart), config.wave_size);
    let joins = !apart && rows::chains_pay();
    // Runs have no doubles, and take singles from chains.
    let mut chains = ChainBuilder::new(runs.looks());
    let mut nops = nops::Waiting::new(config, looks_at_clock);
    let mut notes = notes::Sharing::new(config, skips);
    // Address behind the previous instruction if another one may join its micro-op.
    let (mut joinable, mut previous_end) = (None, None);
    for (&pc, fetched) in found {
        if previous_end.is_some_and(|end| end != pc) {
            nops.flush(&mut segment);
            segment.push_leave(previous_end.unwrap_or(pc));
            joinable = None;
        }
        let inst = match fetched {
            Fetched::Inst(inst) => inst,
            Fetched::Undecodable(word) => {
                nops.flush(&mut segment);
                segment.undecodable(pc, *word);
                previous_end = None;
                continue;
            }
        };
        previous_end = Some(inst.end());
        segment.written.add_writes(config, inst);
        let row = rows.find(inst.op);
        let orders = waits.has(pc);
        let follows_others = looks_at_clock && inst.op.has(Traits::INVALIDATES);
        let plan = planner.and_then(|planner| planner.plan(config, inst));
        let is_nop = !skips && !orders && !follows_others && plan.is_none() && does_nothing(row);
        let is_target = targets.has(pc);
        let follows = joinable == Some(pc) && !is_target;
        if is_nop && !follows && nops.take(&mut segment, inst, is_target) {
            joinable = None;
            continue;
        }
        if is_nop && follows && !config.observed {
            joinable = Some(inst.end());
        } else {
            let lowered = lower_one(config, inst, row, &polls);
            let head = nops.join(&mut segment, inst, row, (lowered.is_ok(), is_target));
            let (mut lowered, row) = segment.or_stop(inst, print, (lowered, row));
            lowered.do_instead(orders, follows_others);
            segment.follow(plan, head);
            if let Some(target) = inst.target() {
                branches.push((segment.ops.len(), target));
            }
            joinable = is_straight(inst, &lowered).then_some(inst.end());
            let is_noted = notes.share(&mut segment, (follows, plan), &mut lowered);
            runs.add(segment.ops.len(), follows, &lowered, row);
            let shape = row.and_then(|row| row.vector_shape());
            let chain = joins.then(|| chains.add(follows, shape, &lowered));
            let pair = (chain.flatten(), shape);
            segment.append(config, (head, apart, is_noted), pair, lowered);
            runs.end(segment.ops.len());
        }
        nops.list(&mut segment);
        segment.list(pc, inst.size, inst.op, inst.effects);
    }
    nops.flush(&mut segment);
    segment.fold(runs, &mut branches);
    segment.finish(previous_end.unwrap_or(entry), branches, is_heard);
    segment
}

fn does_nothing(row: Option<&Row>) -> bool {
    row.is_some_and(|row| matches!(row.shape, Shape::Nop))
}

/// Addresses that a branch leads to, and that of the entry.
fn branch_targets(entry: u64, found: &BTreeMap<u64, Fetched>) -> Ascending {
    let targets = found.values().filter_map(|fetched| match fetched {
        Fetched::Inst(inst) => inst.target(),
        Fetched::Undecodable(_) => None,
    });
    Ascending::new(targets.chain([entry]).collect())
}

/// The rows of opcodes that were met.
struct RowsOf<'a> {
    config: &'a Config,
    met: HashMap<Op, Option<&'static Row>>,
}

impl RowsOf<'_> {
    fn new(config: &Config) -> RowsOf<'_> {
        let met = HashMap::new();
        RowsOf { config, met }
    }

    /// The row of `op`, with which another one may be meant where functions were measured.
    fn find(&mut self, op: Op) -> Option<&'static Row> {
        let (measured, target) = (self.config.measured, self.config.target);
        let find = || rows::measured::find(measured, op, target).or_else(|| rows::find(op, target));
        *self.met.entry(op).or_insert_with(find)
    }
}

/// Lowers one instruction; an error says why it cannot be executed, as far as there is more to say than that no row is for it.
fn lower_one(
    config: &Config,
    inst: &Inst,
    row: Option<&Row>,
    polls: &HashSet<u64>,
) -> Result<Lowered, String> {
    match row {
        Some(row) => {
            let mut lowered = lowering::lower(config, inst, row)?;
            if config.exact {
                lowered = rows::lds_exact::checked(row, lowered)?;
            }
            match config.races {
                true => rows::lds_noted::noted(config, (row, inst), polls, lowered),
                false => Ok(lowered),
            }
        }
        None if inst.format == Format::Vopd => dual::lower(config, inst),
        None => Err(String::new()),
    }
}

/// Returns `true` if what follows `inst` is executed next, with the same EXEC.
fn is_straight(inst: &Inst, lowered: &Lowered) -> bool {
    let leaves = Effects::BRANCH | Effects::CALL | Effects::END;
    lowered.ops.iter().all(|op| op.after == flow::NEXT as u8)
        // (Some say so only when they have run.)
        && inst.implicit_defs.iter().all(|reg| reg.kind != RegKind::Exec)
        && !inst.effects.intersects(leaves)
}

/// Returns `true` if one of the instructions may set gfx9's VSKIP, with which waves pass over vector instructions.
fn skips_vectors(config: &Config, found: &BTreeMap<u64, Fetched>) -> bool {
    const WRITES: [Known; 2] = [Known::SSetregB32, Known::SSetregImm32B32];
    let may_set = |inst: &Inst| {
        inst.op.is(Known::SSetvskip)
            || WRITES.iter().any(|write| inst.op.is(*write))
                && hwreg::writes_skip(inst.constant() as u16)
    };
    config.target.family == Family::Gfx9
        && found
            .values()
            .any(|fetched| matches!(fetched, Fetched::Inst(inst) if may_set(inst)))
}

/// Returns `true` if `inst` looks at one of the device's clocks.
fn looks_at_clock(config: &Config, inst: &Inst) -> bool {
    let reads =
        inst.op.is(Known::SGetregB32) && hwreg::is_clock(config.target, inst.constant() as u16);
    reads || inst.op.has(Traits::CLOCK | Traits::ANSWERED)
}

impl Segment {
    fn new(config: &Config) -> Segment {
        Segment {
            ops: Vec::new(),
            chains: Vec::new(),
            runs: translate::Runs::default(),
            moving: Vec::new(),
            reads: Vec::new(),
            insts: Vec::new(),
            pcs: Vec::new(),
            ended: Vec::new(),
            heads: Vec::new(),
            messages: Vec::new(),
            vector_rows: config.vector_rows as usize,
            written: RowSet::default(),
        }
    }

    /// Appends the stop of a wave at a word that is no instruction.
    fn undecodable(&mut self, pc: u64, word: u32) {
        let op = self.unsupported(format!("undecodable word {word:#010x}"));
        self.push(pc, op);
        self.list(pc, 4, Op::of("?"), Effects::empty());
    }

    /// `inst` as it was lowered by a row, or the stop of a wave at it if it cannot be executed.
    fn or_stop(
        &mut self,
        inst: &Inst,
        print: &dyn Fn(&Inst) -> String,
        (lowered, row): (Result<Lowered, String>, Option<&'static Row>),
    ) -> (Lowered, Option<&'static Row>) {
        match lowered {
            Ok(lowered) => (lowered, row),
            Err(why) => (self.stops_at(inst, print, &why), None),
        }
    }

    /// The stop of a wave at `inst`, which cannot be executed.
    fn stops_at(&mut self, inst: &Inst, print: &dyn Fn(&Inst) -> String, why: &str) -> Lowered {
        let why = match why {
            "" => String::new(),
            why => format!(" ({why})"),
        };
        let words: Vec<_> = inst.words[..inst.size as usize / 4]
            .iter()
            .map(|word| format!("{word:08x}"))
            .collect();
        let op = self.unsupported(format!("{} [{}]{why}", print(inst), words.join(" ")));
        Lowered {
            ops: vec![op],
            bare: op,
            halves: None,
        }
    }

    /// Puts the runs that were found in the place of their instructions.
    fn fold(&mut self, runs: translate::Builder, branches: &mut [(usize, u64)]) {
        let (runs, folds, known) = runs.finish(&self.ops, &mut self.chains);
        self.runs = runs;
        if folds.is_empty() {
            self.runs.steps = known;
            return;
        }
        // The steps that they are in loops.
        let mut steps = Steps::default();
        // The place of each micro-op when all folds are done.
        let mut places = Vec::with_capacity(self.ops.len());
        let (mut ops, mut pcs) = (Vec::new(), Vec::new());
        let mut folds = folds.into_iter().peekable();
        for (index, (op, pc)) in self.ops.iter().zip(&self.pcs).enumerate() {
            folds.next_if(|fold| fold.end <= index);
            match folds.peek() {
                Some(fold) if fold.first < index => places.push(places[fold.first]),
                Some(fold) if fold.first == index => {
                    places.push(ops.len() as u32);
                    steps.set(ops.len(), Step::of_run(&fold.op));
                    ops.push(fold.op);
                    pcs.push(*pc);
                    let riders = fold.riders.iter().enumerate();
                    let behind = ops.len();
                    riders
                        .for_each(|(at, rider)| steps.set(behind + at, known.get(*rider).cloned()));
                    ops.extend(fold.riders.iter().map(|&rider| self.ops[rider]));
                    pcs.extend(fold.riders.iter().map(|&rider| self.pcs[rider]));
                }
                _ => {
                    places.push(ops.len() as u32);
                    steps.set(ops.len(), known.get(index).cloned());
                    ops.push(*op);
                    pcs.push(*pc);
                }
            }
        }
        self.runs.steps = steps;
        let is_inside = |op: u32| op > 0 && places[op as usize] == places[op as usize - 1];
        self.heads.retain(|head| !is_inside(head.1));
        let heads = self.heads.iter_mut().map(|head| &mut head.1);
        let insts = self.insts.iter_mut().map(|inst| &mut inst.op);
        heads.chain(insts).for_each(|op| *op = places[*op as usize]);
        for (op, _) in branches {
            *op = places[*op] as usize;
        }
        (self.ops, self.pcs) = (ops, pcs);
    }

    /// Completes code that ends before `end`.
    fn finish(
        &mut self,
        end: u64,
        branches: Vec<(usize, u64)>,
        is_heard: &dyn Fn(u64, u64) -> bool,
    ) {
        self.push_leave(end);
        self.resolve(branches, is_heard);
        self.runs.find_loops(&mut self.ops, &mut self.pcs);
        for _ in 1..UNROLLED {
            self.push_leave(end);
        }
        self.number();
    }

    /// Gives branches their micro-ops: those at the addresses they lead to, or new ones that leave the segment. A branch that the
    /// allocator is to hear of leaves it, too: code with hooks calls and returns by plain branches.
    fn resolve(&mut self, branches: Vec<(usize, u64)>, is_heard: &dyn Fn(u64, u64) -> bool) {
        for (index, target) in branches {
            let from = self.pc_of(index);
            match self.op_at(target).filter(|_| !is_heard(from, target)) {
                Some(op) => self.ops[index].set_branch_target(op as u32),
                None => {
                    let leaves = self.ops.len() as u32;
                    self.ops[index].set_branch_target(leaves);
                    self.push_leave(target);
                }
            }
        }
    }

    /// Instructions that micro-ops `start..end` are.
    #[inline(always)]
    pub(crate) fn instructions(&self, start: usize, end: usize) -> u64 {
        u64::from(self.ended[end].wrapping_sub(self.ended[start]))
    }

    fn number(&mut self) {
        self.ended = vec![0; self.ops.len() + 1];
        for inst in &self.insts {
            self.ended[inst.op as usize + 1] += 1;
        }
        for op in 1..self.ended.len() {
            self.ended[op] += self.ended[op - 1];
        }
    }

    /// Appends the micro-ops of an instruction of a row with shape `shape`, or makes the last one the chain that it is with it. Unless it is to
    /// be `apart`, it may be one micro-op where passes move its source. `is_noted`: the note of an earlier instruction is of it, too.
    fn append(
        &mut self,
        config: &Config,
        (head, apart, is_noted): (u64, bool, bool),
        (chain, shape): (Option<Chain>, Option<&VectorShape>),
        lowered: Lowered,
    ) {
        if is_noted {
            return self.push_behind(head, lowered.ops);
        }
        if let Some(chain) = chain {
            return self.chain(chain);
        }
        let number = self.moving.len();
        let shape = shape.filter(|_| !apart);
        match shape.and_then(|shape| Moving::new(config, shape, &lowered, number)) {
            Some((moving, op)) => {
                self.moving.push(moving);
                self.push(head, op);
            }
            None => self.push_all(head, lowered.ops),
        }
    }

    fn push(&mut self, pc: u64, op: MicroOp) {
        if self.heads.last().is_none_or(|last| last.0 != pc) {
            self.heads.push((pc, self.ops.len() as u32));
        }
        self.ops.push(op);
        self.pcs.push(pc);
    }

    fn push_all(&mut self, pc: u64, ops: Vec<MicroOp>) {
        ops.into_iter().for_each(|op| self.push(pc, op));
    }

    /// Appends the micro-ops of an instruction whose access one before it has noted: control cannot be sent to it.
    fn push_behind(&mut self, pc: u64, ops: Vec<MicroOp>) {
        self.pcs.extend(ops.iter().map(|_| pc));
        self.ops.extend(ops);
    }

    /// Appends the op that shows an instruction to a shadow, if its planner wants to see it. `head` is where control comes from.
    fn follow(&mut self, plan: Option<u32>, head: u64) {
        if let Some(plan) = plan {
            self.push(head, shadow::follow(plan));
        }
    }

    /// Makes the last op `chain`, whose beginning it is.
    fn chain(&mut self, chain: Chain) {
        if let Some(last) = self.ops.last_mut() {
            if last.chain_number().is_some() {
                self.chains.pop();
            }
            *last = chain.micro_op(self.chains.len());
        }
        self.chains.push(chain);
    }

    /// The micro-ops that `op` stands for: itself, the links of a chain, the instructions of a run, or the passes of one with DPP. The head of
    /// a loop stands for the micro-op whose place it has.
    pub(crate) fn one_by_one<'a>(&'a self, op: &'a MicroOp) -> &'a [MicroOp] {
        let op = op
            .loop_number()
            .map_or(op, |number| &self.ops[self.runs.first(number)]);
        if let Some(number) = op.chain_number() {
            &self.chains[number].ops
        } else if let Some(number) = op.run_number() {
            self.runs.ops(number)
        } else if let Some(number) = op.moving_number() {
            &self.moving[number].ops
        } else {
            std::slice::from_ref(op)
        }
    }

    /// An op that continues at `pc` in another segment. It stands for no instruction, so control cannot be sent to it.
    fn push_leave(&mut self, pc: u64) {
        self.ops.push(rows::leave(pc));
        self.pcs.push(pc);
    }

    fn unsupported(&mut self, message: String) -> MicroOp {
        self.messages.push(message);
        rows::unsupported(self.messages.len() as u32 - 1)
    }

    fn list(&mut self, pc: u64, size: u8, instruction: Op, effects: Effects) {
        let op = self.ops.len() as u32 - 1;
        self.insts.push(DecodedInst {
            pc,
            op,
            size,
            instruction,
            effects,
        });
    }
}
