//! Scalar registers on gfx12 that are read too early: the vector unit keeps what it has read of SGPRs in a cache.
//!
//! A VALU instruction that reads one register of a pair puts the pair into a cache. A later write of the pair, by the
//! scalar or the vector unit, is not seen before `s_wait_alu`. The wait must have `sa_sdst(0)`, `va_sdst(0)` or, for
//! VCC written by the vector unit, `va_vcc(0)`. No distance replaces the wait; enough `ds_nop` in a row empty the
//! cache. The rules are those by which LLVM's pass inserts these waits.
//!
//! gfx11 has a smaller hazard of the same kind, in waves of 64 lanes. After a VALU instruction has used a register as a
//! mask of lanes, a write of the register is not seen before `s_waitcnt_depctr` with the same fields.
//!
//! The analysis has two passes. The first finds the pairs in the cache, the second the writes to them. The scalar unit
//! waits for the vector unit when it reads a register of a pair in the cache, so a larger set of pairs may mean fewer
//! things to wait for. A single pass would keep what it found while the set was still small.

use crate::Grade;
use gfx::Family;
use isa::{Decoded, Depctr, Effects, Format, Known, Operand, Reg, RegKind, Traits, numbers};
use lift::{BlockIndex, EdgeKind, Function, FunctionKind, InstIndex, Module};
use smallvec::SmallVec;

/// The unit that wrote a register which is read too early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Writer {
    /// The scalar unit: `s_wait_alu depctr_sa_sdst(0)` waits for it.
    Scalar,
    /// The vector unit: `s_wait_alu depctr_va_sdst(0)` waits for it.
    Vector,
    /// The vector unit wrote VCC: `s_wait_alu depctr_va_vcc(0)` waits for it.
    VectorVcc,
}

impl Writer {
    /// The field of `s_wait_alu` that has to be 0.
    pub fn field(self) -> &'static str {
        match self {
            Writer::Scalar => "depctr_sa_sdst(0)",
            Writer::Vector => "depctr_va_sdst(0)",
            Writer::VectorVcc => "depctr_va_vcc(0)",
        }
    }
}

/// A scalar register that is read before what was written to it is seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaleScalar {
    pub writer: Writer,
    pub grade: Grade,
    /// The instruction that wrote the register.
    pub producer: InstIndex,
    /// The instruction that reads it.
    pub consumer: InstIndex,
    /// The register, or VCC.
    pub register: Reg,
    /// Blocks from the producer's to the consumer's.
    pub path: Vec<BlockIndex>,
}

/// Registers beyond are constants, M0 and EXEC, which are not kept.
const LAST: u16 = numbers::M0 - 1;

/// The writes that a reader may have to wait for, or must wait for. The first word of a register tells whether the
/// register is in the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Hazards {
    /// Registers in the cache.
    tracked: u128,
    /// Written by the scalar unit.
    scalar: u128,
    /// Written by the vector unit.
    vector: u128,
    vcc_scalar: bool,
    vcc_vector: bool,
}

impl Hazards {
    fn union(self, other: Hazards) -> Hazards {
        Hazards {
            tracked: self.tracked | other.tracked,
            scalar: self.scalar | other.scalar,
            vector: self.vector | other.vector,
            vcc_scalar: self.vcc_scalar | other.vcc_scalar,
            vcc_vector: self.vcc_vector | other.vcc_vector,
        }
    }

    fn intersection(self, other: Hazards) -> Hazards {
        Hazards {
            tracked: self.tracked & other.tracked,
            scalar: self.scalar & other.scalar,
            vector: self.vector & other.vector,
            vcc_scalar: self.vcc_scalar & other.vcc_scalar,
            vcc_vector: self.vcc_vector & other.vcc_vector,
        }
    }

    fn clear(&mut self, writer: Writer) {
        match writer {
            Writer::Scalar => (self.scalar, self.vcc_scalar) = (0, false),
            Writer::Vector => self.vector = 0,
            Writer::VectorVcc => self.vcc_vector = false,
        }
    }

    fn is_tracked(&self, register: Scalars) -> bool {
        self.tracked >> register.first & 1 == 1
    }

    /// The writes that a read of these registers would have to wait for.
    fn awaited(&self, register: Scalars, by_vector: bool) -> Needed {
        let mut needed = Needed::new();
        let mask = register.mask();
        if self.scalar & mask != 0 || register.is_vcc && self.vcc_scalar {
            needed.push(Writer::Scalar);
        }
        if by_vector && self.vector & mask != 0 {
            needed.push(Writer::Vector);
        }
        if register.is_vcc && self.vcc_vector {
            needed.push(Writer::VectorVcc);
        }
        needed
    }
}

type Needed = SmallVec<[Writer; 3]>;

/// Scalar registers in a row, by operand number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Scalars {
    first: u16,
    count: u16,
    is_vcc: bool,
    reg: Reg,
}

impl Scalars {
    fn new(reg: Reg) -> Option<Scalars> {
        let (first, is_vcc) = match reg.kind {
            RegKind::Sgpr => (reg.index, false),
            RegKind::Vcc => (numbers::VCC + reg.index, true),
            RegKind::Ttmp => (108 + reg.index, false),
            _ => return None,
        };
        (first <= LAST).then_some(Scalars {
            first,
            count: u16::from(reg.width).max(1),
            is_vcc,
            reg,
        })
    }

    fn mask(self) -> u128 {
        match self.is_vcc {
            true => 0,
            false => self.words(),
        }
    }

    /// The bits of all of them, VCC included.
    fn words(self) -> u128 {
        ((1u128 << self.count.min(64)) - 1) << self.first
    }

    /// The bits of its first register's pair.
    fn pair(self) -> u128 {
        3 << (self.first & !1)
    }

    fn meets(self, other: Scalars) -> bool {
        self.first < other.first + other.count && other.first < self.first + self.count
    }
}

/// The kind of reads that bring registers into the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cache {
    /// gfx12: all reads by VALU instructions.
    Reads,
    /// gfx11 with 64 lanes: masks of lanes.
    Masks,
}

impl Cache {
    /// The contents of the cache when control comes from other functions. It is unknown what those have read; LLVM
    /// looks for masks in one function only.
    fn unknown(self) -> u128 {
        match self {
            Cache::Reads => u128::MAX,
            Cache::Masks => 0,
        }
    }

    fn of(module: &Module, function: &Function) -> Option<Cache> {
        match module.target.family {
            Family::Gfx12 => Some(Cache::Reads),
            Family::Gfx11 if function.wave_size == 64 => Some(Cache::Masks),
            _ => None,
        }
    }
}

/// The properties of one instruction that the analysis needs.
#[derive(Clone, Debug)]
enum Role {
    Nothing,
    /// Everything is seen behind it.
    Memory,
    /// The cache is empty behind it.
    Empties,
    /// Waits for some writers.
    Waits(Needed),
    /// A call, a return or a jump to an address in a register, and what is in the cache behind it.
    Leaves(u128),
    Computes {
        vector: bool,
        reads: SmallVec<[Scalars; 4]>,
        writes: SmallVec<[Scalars; 2]>,
        /// The registers that a VALU instruction brings into the cache.
        keeps: u128,
        /// The written registers leave the cache.
        drops: bool,
    },
}

/// The mask by which a VALU instruction selects lanes: VCC, or the third source.
fn mask_of(inst: &Decoded) -> Option<Scalars> {
    if !inst.op.has(Traits::READS_MASK) {
        return None;
    }
    let vcc = |reg: &&Reg| reg.kind == RegKind::Vcc;
    if let Some(vcc) = inst.implicit_uses.iter().find(vcc) {
        return Scalars::new(*vcc);
    }
    let named = inst
        .operands
        .iter()
        .rev()
        .find_map(|operand| match operand {
            Operand::Use(reg) => Some(*reg),
            _ => None,
        });
    named.and_then(Scalars::new)
}

impl Role {
    fn new(inst: &Decoded, cache: Cache) -> Role {
        let effects = inst.effects;
        let memory = matches!(
            inst.format,
            Format::Smem | Format::Mubuf | Format::Mtbuf | Format::Mimg
        );
        if memory && cache == Cache::Reads {
            return Role::Memory;
        }
        if matches!(
            inst.op.known(),
            Some(Known::SWaitAlu | Known::SWaitcntDepctr)
        ) {
            let rows = [
                (Writer::Scalar, Depctr::SaSdst),
                (Writer::Vector, Depctr::VaSdst),
                (Writer::VectorVcc, Depctr::VaVcc),
            ];
            let waits = rows.iter().filter(|(_, depctr)| inst.awaits(*depctr));
            return Role::Waits(waits.map(|(writer, _)| *writer).collect());
        }
        let leaves = Effects::CALL | Effects::RETURN | Effects::INDIRECT;
        if effects.intersects(leaves) {
            return Role::Leaves(cache.unknown());
        }
        let vector = effects.contains(Effects::VALU);
        if !vector && !effects.contains(Effects::SALU) {
            return Role::Nothing;
        }
        let (mut reads, mut writes) = (SmallVec::new(), SmallVec::new());
        for operand in &inst.operands {
            match *operand {
                Operand::Use(reg) => reads.extend(Scalars::new(reg)),
                Operand::Def(reg) => writes.extend(Scalars::new(reg)),
                _ => {}
            }
        }
        let vcc = |regs: &[Reg]| -> SmallVec<[Scalars; 2]> {
            let vcc = regs.iter().filter(|reg| reg.kind == RegKind::Vcc);
            vcc.filter_map(|reg| Scalars::new(*reg)).collect()
        };
        reads.extend(vcc(&inst.implicit_uses));
        writes.extend(vcc(&inst.implicit_defs));
        let keeps = match cache {
            Cache::Reads if vector => reads.iter().fold(0, |all, one: &Scalars| all | one.pair()),
            Cache::Masks if vector => mask_of(inst).map_or(0, Scalars::words),
            _ => 0,
        };
        Role::Computes {
            vector,
            reads,
            writes,
            keeps,
            drops: cache == Cache::Masks,
        }
    }

    /// `kept`: registers that may be in the cache, on any path.
    fn step(&self, state: &mut Hazards, kept: u128) {
        match self {
            Role::Nothing => {}
            Role::Empties => *state = Hazards::default(),
            Role::Leaves(unknown) => {
                *state = Hazards {
                    tracked: *unknown,
                    ..Hazards::default()
                };
            }
            Role::Memory => {
                let tracked = state.tracked;
                *state = Hazards {
                    tracked,
                    ..Hazards::default()
                };
            }
            Role::Waits(writers) => writers.iter().for_each(|writer| state.clear(*writer)),
            Role::Computes {
                vector,
                reads,
                writes,
                keeps,
                drops,
            } => {
                for register in reads {
                    step_read(state, *register, *vector, kept);
                }
                state.tracked |= keeps;
                for register in writes {
                    step_write(state, *register, *vector);
                    if *drops {
                        state.tracked &= !register.words();
                    }
                }
            }
        }
    }
}

/// Runs of `ds_nop` that are long enough empty the cache.
fn empty_by_nops(function: &Function, roles: &mut [Role]) {
    let needed = if function.wave_size == 64 { 8 } else { 4 };
    for block in &function.blocks {
        let mut run = 0;
        for inst in block.range() {
            run = match function.insts.at(inst).op.is(Known::DsNop) {
                true => run + 1,
                false => 0,
            };
            if run >= needed {
                roles[inst] = Role::Empties;
            }
        }
    }
}

fn step_read(state: &mut Hazards, register: Scalars, vector: bool, kept: u128) {
    // The scalar unit waits for the vector unit by itself. LLVM's pass takes a read of a trap register, such as a workgroup's
    // number in ttmp9, for one of s0; whether the hardware waits there, no manual says.
    let trap = register.reg.kind == RegKind::Ttmp;
    if !vector && (trap || kept >> register.first & 1 == 1) {
        match register.is_vcc {
            true if state.vcc_vector => (state.vcc_scalar, state.vcc_vector) = (false, false),
            true => {}
            false => state.vector = 0,
        }
    }
    for writer in state.awaited(register, vector) {
        state.clear(writer);
    }
}

fn step_write(state: &mut Hazards, register: Scalars, vector: bool) {
    if !state.is_tracked(register) {
        return;
    }
    match (register.is_vcc, vector) {
        (true, _) => (state.vcc_scalar, state.vcc_vector) = (!vector, vector),
        (false, true) => state.vector |= register.mask(),
        (false, false) => state.scalar |= register.mask(),
    }
}

/// The facts that hold on some path, on all paths, and on a path that no branch contradicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    some: Hazards,
    all: Hazards,
    sure: Hazards,
}

impl State {
    fn same(hazards: Hazards) -> State {
        State {
            some: hazards,
            all: hazards,
            sure: hazards,
        }
    }

    fn step(&mut self, role: &Role) {
        let kept = self.some.tracked;
        role.step(&mut self.some, kept);
        role.step(&mut self.all, kept);
        role.step(&mut self.sure, kept);
    }

    fn unite(&mut self, other: State) -> bool {
        let before = *self;
        self.some = self.some.union(other.some);
        self.all = self.all.intersection(other.all);
        self.sure = self.sure.union(other.sure);
        *self != before
    }

    /// Takes the pairs in the cache from another state.
    fn cache_of(&mut self, other: Option<State>) {
        if let Some(other) = other {
            self.some.tracked = other.some.tracked;
            self.all.tracked = other.all.tracked;
            self.sure.tracked = other.sure.tracked;
        }
    }

    /// Nothing but the pairs in the cache.
    fn cache_only(self) -> State {
        let only = |hazards: Hazards| Hazards {
            tracked: hazards.tracked,
            ..Hazards::default()
        };
        State {
            some: only(self.some),
            all: only(self.all),
            sure: only(self.sure),
        }
    }
}

/// All scalar registers that a function reads too early: on gfx12, and on gfx11 with 64 lanes.
pub fn check_scalars(module: &Module, function: &Function) -> Vec<StaleScalar> {
    let Some(cache) = Cache::of(module, function) else {
        return Vec::new();
    };
    let mut roles: Vec<Role> = (function.insts.iter())
        .map(|inst| Role::new(&inst, cache))
        .collect();
    empty_by_nops(function, &mut roles);
    let cached = solve(function, &roles, cache, None);
    let starts = solve(function, &roles, cache, Some(&cached));
    let mut found = Vec::new();
    for (index, block) in function.blocks.iter().enumerate() {
        let Some(mut state) = starts[index] else {
            continue;
        };
        for inst in block.range() {
            if let Role::Computes { vector, reads, .. } = &roles[inst] {
                let stale = reads.iter().find_map(|register| {
                    let mut before = state.some;
                    // Operands are read one after the other; the scalar unit waits by itself.
                    if !*vector && before.vcc_vector {
                        (before.vcc_scalar, before.vcc_vector) = (false, false);
                    }
                    let writer = *before.awaited(*register, *vector).first()?;
                    let sure = state.all.union(state.sure);
                    let certain = sure.awaited(*register, *vector).contains(&writer);
                    Some((*register, writer, certain))
                });
                if let Some((register, writer, certain)) = stale {
                    let search = Search {
                        function,
                        roles: &roles,
                        writer,
                        register,
                    };
                    if let Some((producer, path)) = search.back(index, inst) {
                        found.push(StaleScalar {
                            writer,
                            grade: match certain {
                                true => Grade::Certain,
                                false => Grade::Possible,
                            },
                            producer,
                            consumer: inst,
                            register: register.reg,
                            path,
                        });
                    }
                }
            }
            state.step(&roles[inst]);
        }
    }
    found
}

/// The facts that hold at the start of each block. `cached` gives the pairs in the cache there; without it, this
/// function finds them.
fn solve(
    function: &Function,
    roles: &[Role],
    cache: Cache,
    cached: Option<&[Option<State>]>,
) -> Vec<Option<State>> {
    let blocks = &function.blocks;
    let anywhere = function.jumps_to_unknown_places();
    let at_entry = State::same(Hazards {
        tracked: match function.kind {
            FunctionKind::Kernel => 0,
            FunctionKind::Device => cache.unknown(),
        },
        ..Hazards::default()
    });
    let mut starts: Vec<Option<State>> = (blocks.iter().enumerate())
        .map(|(index, block)| {
            (index == 0 || block.predecessors.is_empty() || block.entered).then_some(at_entry)
        })
        .collect();
    if let Some(cached) = cached {
        for (start, cached) in starts.iter_mut().zip(cached) {
            *start = start.and(cached.map(State::cache_only));
        }
    }
    let mut stale: Vec<bool> = starts.iter().map(Option::is_some).collect();
    let mut next = 0;
    while next < blocks.len() {
        let index = next;
        next += 1;
        if !std::mem::replace(&mut stale[index], false) {
            continue;
        }
        let Some(mut state) = starts[index] else {
            continue;
        };
        let block = &blocks[index];
        block.range().for_each(|inst| state.step(&roles[inst]));
        let branches = block.successors.len() + block.leaves.len() > 1;
        for edge in &block.successors {
            let mut arrives = state;
            arrives.sure = match branches {
                true => state.all,
                false => state.sure.union(state.all),
            };
            // The next block may be entered from elsewhere.
            if anywhere {
                arrives.all = Hazards::default();
            }
            if edge.kind == EdgeKind::CallReturn {
                arrives = State::same(Hazards {
                    tracked: cache.unknown(),
                    ..Hazards::default()
                });
            }
            match cached {
                None => arrives = arrives.cache_only(),
                Some(cached) => arrives.cache_of(cached[edge.to]),
            }
            let changed = match &mut starts[edge.to] {
                Some(to) => to.unite(arrives),
                none => {
                    *none = Some(arrives);
                    true
                }
            };
            if changed {
                stale[edge.to] = true;
                next = next.min(edge.to);
            }
        }
    }
    starts
}

/// Looks back for the instruction that wrote a register.
struct Search<'a> {
    function: &'a Function,
    roles: &'a [Role],
    writer: Writer,
    register: Scalars,
}

impl Search<'_> {
    fn writes(&self, inst: InstIndex) -> bool {
        match &self.roles[inst] {
            Role::Computes { vector, writes, .. } => {
                *vector == (self.writer != Writer::Scalar)
                    && writes.iter().any(|register| register.meets(self.register))
            }
            _ => false,
        }
    }

    fn ends(&self, inst: InstIndex) -> bool {
        match &self.roles[inst] {
            Role::Memory | Role::Leaves(_) | Role::Empties => true,
            Role::Waits(writers) => writers.contains(&self.writer),
            _ => false,
        }
    }

    fn back(&self, block: BlockIndex, consumer: InstIndex) -> Option<(InstIndex, Vec<BlockIndex>)> {
        let blocks = &self.function.blocks;
        let mut seen = vec![false; blocks.len()];
        let mut stretches: Vec<(BlockIndex, Option<usize>)> = vec![(block, None)];
        let mut todo = std::collections::VecDeque::from([(0, consumer)]);
        while let Some((stretch, end)) = todo.pop_front() {
            let block = stretches[stretch].0;
            let mut over = false;
            for inst in (blocks[block].first..end).rev() {
                if self.writes(inst) {
                    let next = |at: &usize| stretches[*at].1;
                    let path = std::iter::successors(Some(stretch), next);
                    return Some((inst, path.map(|at| stretches[at].0).collect()));
                }
                if self.ends(inst) {
                    over = true;
                    break;
                }
            }
            if over {
                continue;
            }
            for &before in &blocks[block].predecessors {
                if !std::mem::replace(&mut seen[before], true) {
                    stretches.push((before, Some(stretch)));
                    todo.push_back((stretches.len() - 1, blocks[before].end));
                }
            }
        }
        None
    }
}
