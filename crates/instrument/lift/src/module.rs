//! A whole code object, lifted.

use crate::addresses::{self, Addresses, Surroundings, Target};
use crate::blocks::{self, BuiltBlocks, Context};
use crate::decode::{CachedInst, CachingDecoder, DecodeCache};
use crate::function::{Block, Callee, Function, FunctionIndex, Leave, Reason, Unresolved};
use crate::graph::{AdjacencyLists, GraphAnalyses, postorder};
use crate::liveness::{self, Liveness, callees};
use crate::modes::{self, Modes};
use crate::parallel::{self, Workers};
use crate::pending::{self, PendingOperations};
use crate::program::{FunctionKind, FunctionSeed, Program};
use crate::registers::RegisterSet;
use crate::table::{Code, InstPositions, LONGEST_FUNCTION, Table};
use crate::{Access, Error, InstFlags, Insts, LiveSet, scc};
use codeobj::{CodeObject, SourceLines};
use gfx::Target as Chip;
use isa::{Decoded, Inst, Operand, RegKind};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// First SGPR of the pair in which LLVM's calling convention has the return address.
const RETURN_ADDRESS: u16 = 30;
/// Rounds of "resolve addresses, split blocks anew": each must find a target that the one before could not.
const MAX_ROUNDS: usize = 16;

/// Bytes of an average instruction, for estimates.
const BYTES: usize = 6;

/// The assumptions beyond the code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Every wave starts with all lanes on: the grid is known to consist of full waves.
    pub full_waves: bool,
    /// `v_readfirstlane_b32` is never reached with EXEC empty, when it would read lane 0, which is off then. LLVM keeps a
    /// branch around it for that reason; hand-written code need not.
    pub first_lane_exists: bool,
}

/// The functions of one code object with everything found out about them.
#[derive(Clone, Debug)]
pub struct Module {
    /// The target of the code.
    pub target: &'static Chip,
    /// By entry address, except for functions found through calls, which come last.
    pub functions: Vec<Function>,
    entries: BTreeMap<u64, FunctionIndex>,
    pub(crate) liveness: liveness::Results,
    pub(crate) scc: scc::Results,
    pending: pending::Results,
    named: Vec<NamedRegisters>,
    named_alone: Vec<RegisterSet>,
}

/// Registers that a function names, with all functions it may call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NamedRegisters {
    /// All that are named.
    pub registers: RegisterSet,
    /// Something it calls or jumps to is unknown; then `registers` holds everything.
    pub calls_unknown: bool,
}

impl NamedRegisters {
    /// Numbers of VGPRs (AccVGPRs with `accumulators`) below `limit` that are never named.
    pub fn unnamed_vectors(
        &self,
        accumulators: bool,
        limit: u16,
    ) -> impl Iterator<Item = u16> + '_ {
        let base = if accumulators {
            crate::registers::AGPR_BASE
        } else {
            0
        };
        (0..limit.min(crate::registers::FILE_SIZE))
            .filter(move |number| !self.registers.vectors.contains(base + number))
    }

    /// Numbers of SGPRs below `limit` that are never named.
    pub fn unnamed_scalars(&self, limit: u16) -> impl Iterator<Item = u16> + '_ {
        (0..limit.min(crate::registers::SGPR_COUNT))
            .filter(move |number| !self.registers.scalars.contains(*number))
    }
}

impl Module {
    /// Lifts all kernels and functions of a linked code object.
    pub fn lift(object: &CodeObject<'_>) -> Result<Module, Error> {
        Module::of_program(&Program::from_object(object)?, Options::default())
    }

    /// Lifts one kernel with the object's functions, or all kernels where [`Module::lift_alone`] cannot.
    pub fn lift_kernel(object: &CodeObject<'_>, kernel: &str) -> Result<Module, Error> {
        match Module::lift_alone(object, kernel)? {
            (module, true) => Ok(module),
            (_, false) => Module::lift_quietly(object),
        }
    }

    /// Lifts one kernel with the object's functions: what a launch needs, for a fraction of the time. No kernel in the
    /// module if the object has none of that name. The second part is false if this one calls by pointer: another one may
    /// have put the pointer into memory, so that all of them are needed.
    pub fn lift_alone(object: &CodeObject<'_>, kernel: &str) -> Result<(Module, bool), Error> {
        let mut alone = Program::from_object(object)?;
        alone.keep_kernel(kernel);
        let module = Module::by(&alone, Options::default(), Workers::ONE)?;
        let by_pointer = |kernel| module.named(kernel).calls_unknown;
        let enough = !module.function(kernel).is_some_and(by_pointer);
        Ok((module, enough))
    }

    /// Lifts the kernels around these addresses with the object's functions, or everything where one of them is elsewhere. The
    /// instructions of a function are the same, and what is known of its callers is less.
    pub fn lift_around(
        object: &CodeObject<'_>,
        addresses: &BTreeSet<u64>,
    ) -> Result<Module, Error> {
        let mut around = Program::from_object(object)?;
        around.keep_around(addresses);
        let module = Module::of_program(&around, Options::default())?;
        let has = |&address: &u64| {
            let mut functions = module.functions.iter();
            functions.any(|function| function.inst_at(address).is_some())
        };
        match addresses.iter().all(has) {
            true => Ok(module),
            false => Module::lift(object),
        }
    }

    /// [`Module::lift`] on the calling thread alone: an application's other processors stay its own.
    pub fn lift_quietly(object: &CodeObject<'_>) -> Result<Module, Error> {
        let program = Program::from_object(object)?;
        Module::by(&program, Options::default(), Workers::ONE)
    }

    /// Lifts a program, which may also be made by hand.
    pub fn of_program(program: &Program<'_>, options: Options) -> Result<Module, Error> {
        let workers = Workers::for_all(program.bytes() / BYTES);
        Module::by(program, options, workers)
    }

    fn by(program: &Program<'_>, options: Options, workers: Workers) -> Result<Module, Error> {
        let known = DecodeCache::new(
            program.target.family,
            options.first_lane_exists,
            program.bytes(),
            workers.is_one(),
        );
        let functions = Builder::new(program, &known, options, workers).run()?;
        let order = call_order(&functions);
        let entries = entries(&functions);
        let liveness = liveness::solve(&functions, workers);
        let named_alone = liveness::named(&functions, workers);
        let pending = pending::solve(&functions, &order, program.target.family);
        let named = named(&functions, &order, &named_alone);
        Ok(Module {
            target: program.target,
            scc: scc::Results::new(functions.len()),
            functions,
            entries,
            liveness,
            pending,
            named,
            named_alone,
        })
    }

    /// The function called so.
    pub fn function(&self, name: &str) -> Option<FunctionIndex> {
        self.functions
            .iter()
            .position(|function| function.name == name)
    }

    /// The function that starts at an address.
    pub fn function_at(&self, entry: u64) -> Option<FunctionIndex> {
        self.entries.get(&entry).copied()
    }

    /// The registers that may still be read, at each place of the function.
    pub fn liveness(&self, function: FunctionIndex) -> &Liveness {
        self.liveness.function(&self.functions, function)
    }

    /// The liveness of a function while one caller executes it, behind whose call `at_return` is live;
    /// [`Module::liveness`] is the union over all callers.
    pub fn liveness_returning(&self, function: FunctionIndex, at_return: &LiveSet) -> Liveness {
        self.liveness
            .returning(&self.functions, function, at_return)
    }

    /// The live set behind the call that ends a block, or behind the block, where `liveness` is that of
    /// [`Module::liveness_returning`] for `at_return`.
    pub fn live_behind(&self, block: &Block, liveness: &Liveness, at_return: &LiveSet) -> LiveSet {
        self.liveness.behind(block, liveness, at_return)
    }

    /// The memory operations that may be on their way, at each place of the function.
    pub fn pending(&self, function: FunctionIndex) -> &PendingOperations {
        self.pending.function(&self.functions, function)
    }

    /// The registers that the function and its callees name; for "never-named" registers.
    pub fn named(&self, function: FunctionIndex) -> &NamedRegisters {
        &self.named[function]
    }

    /// The registers that the function's own instructions name, without its callees.
    pub fn named_alone(&self, function: FunctionIndex) -> &RegisterSet {
        &self.named_alone[function]
    }

    /// Functions that a function calls or jumps to.
    pub fn callees(&self, function: FunctionIndex) -> BTreeSet<FunctionIndex> {
        callees(&self.functions[function]).collect()
    }

    /// Functions that may be called through a pointer.
    pub fn address_taken(&self) -> impl Iterator<Item = FunctionIndex> + '_ {
        (0..self.functions.len()).filter(|&index| self.functions[index].address_taken)
    }

    /// Everything that could not be found out.
    pub fn unresolved(&self) -> impl Iterator<Item = (&Function, Unresolved)> {
        self.functions.iter().flat_map(|function| {
            let places = function.unresolved.iter();
            places.map(move |unresolved| (function, *unresolved))
        })
    }

    /// File and line of an instruction, if the object tells.
    pub fn source_line(&self, lines: &SourceLines, pc: u64) -> Option<(String, u32)> {
        // Damaged line tables cost the position, not the result.
        lines.line(pc).ok().flatten()
    }
}

fn entries(functions: &[Function]) -> BTreeMap<u64, FunctionIndex> {
    let entry = |(index, function): (usize, &Function)| (function.entry, index);
    functions.iter().enumerate().map(entry).collect()
}

/// Callees before callers, as far as recursion allows.
fn call_order(functions: &[Function]) -> Vec<FunctionIndex> {
    let edges = AdjacencyLists::new(functions.iter().map(callees));
    let all: Vec<usize> = (0..functions.len()).collect();
    postorder(functions.len(), &all, &edges)
}

fn named(
    functions: &[Function],
    order: &[FunctionIndex],
    alone: &[RegisterSet],
) -> Vec<NamedRegisters> {
    let mut named: Vec<NamedRegisters> = functions
        .iter()
        .zip(alone)
        .map(|(function, alone)| named_with_unknown(function, alone))
        .collect();
    let mut changed = true;
    while changed {
        changed = false;
        for &index in order {
            for callee in callees(&functions[index]) {
                let theirs = named[callee];
                changed |= named[index].registers.unite(&theirs.registers);
                changed |= theirs.calls_unknown && !named[index].calls_unknown;
                named[index].calls_unknown |= theirs.calls_unknown;
            }
        }
    }
    named
}

fn named_with_unknown(function: &Function, alone: &RegisterSet) -> NamedRegisters {
    let mut named = NamedRegisters {
        registers: *alone,
        calls_unknown: false,
    };
    let unknown = function.goes_anywhere();
    if unknown {
        named.calls_unknown = true;
        named.registers = RegisterSet::EVERYTHING;
    }
    named
}

/// A decoded function, before its blocks are final.
struct DecodedFunction {
    seed: FunctionSeed,
    wave_size: u8,
    places: InstPositions,
    code: Vec<u8>,
    undecodable: Vec<u64>,
    addresses: Addresses,
    /// Jumps through registers may go to any instruction of it.
    entered_anywhere: bool,
}

impl DecodedFunction {
    fn contains(&self, address: u64) -> bool {
        (self.seed.entry..self.seed.entry + self.seed.size).contains(&address)
    }

    fn with<'a>(&'a self, table: &'a Table) -> Code<'a> {
        Code {
            places: &self.places,
            table,
        }
    }

    fn calls<'a>(&'a self, table: &'a Table) -> impl Iterator<Item = (usize, Inst<&'a Decoded>)> {
        let traits = self.places.traits.iter().enumerate();
        let calls = traits.filter(|(_, traits)| traits.any(InstFlags::CALL));
        calls.map(move |(number, _)| (number, self.with(table).at(number)))
    }

    /// Returns `true` if following addresses through registers could find anything.
    fn has_addresses(&self) -> bool {
        let mut traits = self.places.traits.iter();
        traits.any(|traits| traits.any(InstFlags::ADDRESS))
    }
}

/// By wave size.
type Decoders<'k> = BTreeMap<u8, CachingDecoder<'k>>;

fn own_writes(draft: &DecodedFunction, table: &Table) -> RegisterSet {
    let mut own = RegisterSet::default();
    for &number in &draft.places.numbers {
        let access = table.access(number);
        let indexed = access.indexed.spans();
        let written = access.writes.iter().copied().chain(indexed);
        written.for_each(|span| own.insert(span));
    }
    own
}

struct Builder<'a, 'p> {
    program: &'a Program<'p>,
    known: &'a DecodeCache,
    options: Options,
    workers: Workers,
    wave_size: u8,
    drafts: Vec<DecodedFunction>,
    entries: BTreeMap<u64, FunctionIndex>,
    return_registers: BTreeSet<u16>,
    /// Addresses within functions that something takes.
    labels: BTreeSet<u64>,
}

impl<'a, 'p> Builder<'a, 'p> {
    fn new(
        program: &'a Program<'p>,
        known: &'a DecodeCache,
        options: Options,
        workers: Workers,
    ) -> Builder<'a, 'p> {
        // Functions are as wide as the kernels that call them; objects that mix both are rare and decode as wave64 then,
        // which only makes VCC and EXEC look wider.
        let sizes: BTreeSet<u8> = program
            .functions
            .iter()
            .filter_map(|seed| seed.wave_size)
            .collect();
        let wave_size = sizes.last().copied().unwrap_or(program.target.wave_size);
        Builder {
            program,
            known,
            options,
            workers,
            wave_size,
            drafts: Vec::new(),
            entries: BTreeMap::new(),
            return_registers: BTreeSet::from([RETURN_ADDRESS]),
            labels: BTreeSet::new(),
        }
    }

    fn run(mut self) -> Result<Vec<Function>, Error> {
        let mut seeds = self.program.functions.clone();
        seeds.sort_by_key(|seed| seed.entry);
        seeds.dedup_by_key(|seed| seed.entry);
        let limits = seeds.iter().skip(1).map(|next| Some(next.entry));
        let bounded: Vec<(FunctionSeed, Option<u64>)> =
            (seeds.iter().cloned()).zip(limits.chain([None])).collect();
        let drafts = parallel::map_with(
            &bounded,
            self.workers,
            Decoders::default,
            |decoders, (seed, limit)| self.decode(decoders, seed.clone(), *limit),
        );
        for draft in drafts {
            self.enter(draft?);
        }
        let mut decoders = Decoders::default();
        let own = self.own_writes();
        // The registers that a callee leaves alone are known only when its own calls are.
        for _ in 0..MAX_ROUNDS {
            let mut changed = self.take_labels();
            let written = self.written(&own);
            let mut index = 0;
            while index < self.drafts.len() {
                changed |= self.resolve(index, &written, &mut decoders)?;
                index += 1;
            }
            if !changed {
                break;
            }
        }
        let taken: BTreeSet<u64> = self.taken().collect();
        let table = Arc::new(std::mem::take(&mut *self.known.table()));
        let shape = |draft| self.shape(draft, &table);
        let shapes = parallel::map(&self.drafts, self.workers, shape);
        let jumped_to = self.jumped_to(&shapes);
        let drafts = std::mem::take(&mut self.drafts).into_iter().zip(shapes);
        let finish = |(number, (draft, shape))| {
            let mut function = self.finish(draft, shape, &taken, &table);
            function.entered_by_jump = jumped_to.contains(&number);
            function
        };
        Ok(drafts.enumerate().map(finish).collect())
    }

    /// Addresses that are in data, or that code uses other than by jumping there.
    fn taken(&self) -> impl Iterator<Item = u64> + '_ {
        let escaped = self
            .drafts
            .iter()
            .flat_map(|draft| &draft.addresses.escaped);
        (self.program.pointers.values()).chain(escaped).copied()
    }

    /// Finds the addresses within functions that something takes, and functions that jumps may enter at any instruction. Says
    /// whether there are more than before.
    fn take_labels(&mut self) -> bool {
        let mut changed = false;
        let from_outside = self.drafts.iter().flat_map(|draft| {
            let targets = draft.addresses.targets.values();
            let addresses = targets.flat_map(|target| target.addresses());
            addresses.filter(|target| !draft.contains(**target))
        });
        let taken: Vec<u64> = self.taken().chain(from_outside.copied()).collect();
        for address in taken {
            let before = self.entries.range(..=address).next_back();
            let within = before.filter(|(entry, number)| {
                **entry != address && self.drafts[**number].contains(address)
            });
            if within.is_some() {
                changed |= self.labels.insert(address);
            }
        }
        let table = self.known.table();
        let mut near = BTreeSet::new();
        for draft in &self.drafts {
            let jumped_to = draft
                .addresses
                .targets
                .values()
                .flat_map(|target| match target {
                    Target::Near(bases) => &bases[..],
                    _ => &[],
                });
            let is_table = |base: &u64| {
                let within = self.drafts.iter().find(|draft| draft.contains(*base));
                within.is_some_and(|around| {
                    let own = std::ptr::eq(around, draft);
                    own && blocks::branch_table(around.with(&table), *base).is_some()
                })
            };
            let tables: BTreeSet<u64> = jumped_to.copied().filter(is_table).collect();
            near.extend(
                draft
                    .addresses
                    .near
                    .iter()
                    .filter(|base| !tables.contains(base)),
            );
        }
        drop(table);
        for base in near {
            let around = self.drafts.iter_mut().filter(|draft| draft.contains(base));
            for draft in around {
                changed |= !std::mem::replace(&mut draft.entered_anywhere, true);
            }
        }
        changed
    }

    /// Functions that jumps enter which do not pass on the return address of their own function.
    fn jumped_to(&self, shapes: &[(BuiltBlocks, Modes)]) -> BTreeSet<FunctionIndex> {
        let mut found = BTreeSet::new();
        for (draft, (built, _)) in self.drafts.iter().zip(shapes) {
            for block in &built.blocks {
                let passed = draft.seed.kind == FunctionKind::Device
                    && (draft.addresses.passes_return_on).contains(&(block.end - 1));
                for leave in block.leaves.iter().filter(|_| !passed) {
                    if let Leave::TailCall(function) = *leave {
                        found.insert(function);
                    }
                }
            }
        }
        found
    }

    /// Decodes a function, whose code ends before `limit` if it does not say itself.
    fn decode(
        &self,
        decoders: &mut Decoders<'a>,
        mut seed: FunctionSeed,
        limit: Option<u64>,
    ) -> Result<DecodedFunction, Error> {
        let code = self.program.code_at(seed.entry).unwrap_or_default();
        let available = code.len() as u64;
        let wanted = match (seed.size, limit) {
            (0, Some(limit)) => limit - seed.entry,
            (0, None) => available,
            (size, _) => size,
        };
        seed.size = wanted.min(available).min(LONGEST_FUNCTION);
        let code = &code[..seed.size as usize];
        let wave_size = seed.wave_size.unwrap_or(self.wave_size);
        let entry = seed.entry;
        let room = code.len() / 5;
        let mut places = InstPositions {
            entry,
            offsets: Vec::with_capacity(room),
            numbers: Vec::with_capacity(room),
            traits: Vec::with_capacity(room),
            gaps: false,
        };
        let mut undecodable: Vec<u64> = Vec::new();
        let mut broken_until = None;
        let decoder = match decoders.entry(wave_size) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(CachingDecoder::new(
                self.known,
                self.program.target,
                wave_size,
            )?),
        };
        let mut at = 0;
        while at < code.len() {
            match decoder.decode(&code[at..], entry + at as u64) {
                Ok(CachedInst {
                    number,
                    traits,
                    size,
                }) => {
                    places.offsets.push(at as u32);
                    places.numbers.push(number);
                    places.traits.push(traits);
                    at += usize::from(size);
                }
                Err(error) => {
                    at += 4;
                    if broken_until != Some(error.pc()) {
                        undecodable.push(error.pc());
                    }
                    broken_until = Some(error.pc() + 4);
                }
            }
        }
        places.gaps = !undecodable.is_empty();
        Ok(DecodedFunction {
            seed,
            wave_size,
            places,
            code: code.to_vec(),
            undecodable,
            addresses: Addresses::default(),
            entered_anywhere: false,
        })
    }

    /// Takes a function in.
    fn enter(&mut self, draft: DecodedFunction) {
        let table = self.known.table();
        let returns = draft
            .calls(&table)
            .filter_map(|(_, inst)| match inst.operands.first() {
                Some(Operand::Def(reg)) if reg.kind == RegKind::Sgpr => Some(reg.index),
                _ => None,
            });
        self.return_registers.extend(returns);
        drop(table);
        self.entries.insert(draft.seed.entry, self.drafts.len());
        self.drafts.push(draft);
    }

    fn context<'c>(&'c self, draft: &'c DecodedFunction) -> Context<'c> {
        Context {
            kind: draft.seed.kind,
            entries: &self.entries,
            pointers: &self.program.pointers,
            targets: &draft.addresses.targets,
            return_registers: &self.return_registers,
            labels: &self.labels,
            entered_anywhere: draft.entered_anywhere,
        }
    }

    /// Finds the targets of indirect branches and calls, and functions that are only known through calls.
    /// Says whether anything came out differently than before.
    fn resolve(
        &mut self,
        index: usize,
        written: &[RegisterSet],
        decoders: &mut Decoders<'a>,
    ) -> Result<bool, Error> {
        let before = self.drafts[index].addresses.targets.clone();
        if self.drafts[index].has_addresses() {
            let table = self.known.table();
            for _ in 0..MAX_ROUNDS {
                let draft = &self.drafts[index];
                let code = draft.with(&table);
                let built = blocks::build(code, &self.context(draft));
                let around = Surroundings {
                    pointers: &self.program.pointers,
                    written,
                    entries: &self.entries,
                    return_registers: &self.return_registers,
                };
                let found = addresses::follow(code, &built.blocks, &around);
                let settled = found.targets == draft.addresses.targets;
                self.drafts[index].addresses = found;
                if settled {
                    break;
                }
            }
        }
        let draft = &self.drafts[index];
        let mut called: BTreeSet<u64> = BTreeSet::new();
        for (number, inst) in draft.calls(&self.known.table()) {
            called.extend(inst.target());
            let known = draft.addresses.targets.get(&number);
            called.extend(known.iter().flat_map(|target| target.addresses()));
        }
        let wave_size = draft.wave_size;
        for target in called {
            if self.entries.contains_key(&target) || self.program.code_at(target).is_none() {
                continue;
            }
            let around = self.drafts.iter().find(|draft| {
                (draft.seed.entry..draft.seed.entry + draft.seed.size).contains(&target)
            });
            let end = around.map(|draft| draft.seed.entry + draft.seed.size);
            let next = self
                .entries
                .range(target + 1..)
                .next()
                .map(|(entry, _)| *entry);
            let limit = match (end, next) {
                (Some(end), Some(next)) => Some(end.min(next)),
                (end, next) => end.or(next),
            };
            let seed = FunctionSeed {
                name: format!("function_{target:x}"),
                kind: FunctionKind::Device,
                entry: target,
                size: 0,
                wave_size: Some(wave_size),
            };
            let draft = self.decode(decoders, seed, limit)?;
            self.enter(draft);
        }
        Ok(before != self.drafts[index].addresses.targets)
    }

    /// The registers that each function's own instructions write; empty if no analysis needs them.
    fn own_writes(&self) -> Vec<RegisterSet> {
        let mut drafts = self.drafts.iter();
        if !drafts.any(|draft| draft.has_addresses()) {
            return Vec::new();
        }
        let table = &*self.known.table();
        parallel::map(&self.drafts, self.workers, |draft| own_writes(draft, table))
    }

    /// The registers that each function writes, with its callees; all registers if a callee is unknown.
    fn written(&self, own: &[RegisterSet]) -> Vec<RegisterSet> {
        if own.is_empty() {
            return vec![RegisterSet::EVERYTHING; self.drafts.len()];
        }
        let table = &*self.known.table();
        let mut callees: Vec<Vec<FunctionIndex>> = Vec::new();
        let mut written: Vec<RegisterSet> = Vec::new();
        for (index, draft) in self.drafts.iter().enumerate() {
            let built = blocks::build(draft.with(table), &self.context(draft));
            // Functions that were found on the way are not among the known.
            let known = own.get(index).copied();
            let mut own = known.unwrap_or_else(|| own_writes(draft, table));
            let mut called = Vec::new();
            for block in built.blocks.iter().filter(|block| block.reachable) {
                match block.call {
                    Some(Callee::Known(callee)) => called.push(callee),
                    Some(Callee::Unknown) => own = RegisterSet::EVERYTHING,
                    None => {}
                }
                for leave in &block.leaves {
                    match *leave {
                        Leave::TailCall(callee) => called.push(callee),
                        Leave::Anywhere => own = RegisterSet::EVERYTHING,
                        Leave::End | Leave::Return => {}
                    }
                }
            }
            callees.push(called);
            written.push(own);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (index, called) in callees.iter().enumerate() {
                for &callee in called {
                    let theirs = written[callee];
                    changed |= written[index].unite(&theirs);
                }
            }
        }
        written
    }

    /// Blocks, and what holds in them.
    fn shape(&self, draft: &DecodedFunction, table: &Table) -> (BuiltBlocks, Modes) {
        let code = draft.with(table);
        let mut built = blocks::build(code, &self.context(draft));
        let full = self.options.full_waves && draft.seed.kind == FunctionKind::Kernel;
        let exec = |index: usize| table.access(draft.places.numbers[index]).exec;
        let modes = modes::find(code, &mut built.blocks, exec, full);
        (built, modes)
    }

    fn finish(
        &self,
        draft: DecodedFunction,
        (mut built, modes): (BuiltBlocks, Modes),
        taken: &BTreeSet<u64>,
        table: &Arc<Table>,
    ) -> Function {
        // A function without a single instruction.
        if draft.places.numbers.is_empty() {
            built.unresolved.push(Unresolved {
                pc: draft.seed.entry,
                reason: Reason::Undecodable,
            });
        }
        let insts = Insts::new(draft.places, table.clone());
        let on = (0..modes.indexing.len()).filter(|&index| modes.indexing[index]);
        let indexed = on.map(|index| {
            let mut access = Access::new(&insts.at(index), draft.wave_size, true);
            access.reads_inactive = insts.access(index).reads_inactive;
            (index, access)
        });
        let indexed = indexed.collect();
        Function {
            address_taken: taken.contains(&draft.seed.entry),
            entered_by_jump: false,
            name: draft.seed.name,
            kind: draft.seed.kind,
            entry: draft.seed.entry,
            size: draft.seed.size,
            wave_size: draft.wave_size,
            insts,
            blocks: built.blocks,
            shape: GraphAnalyses::default(),
            unresolved: built.unresolved,
            indexed,
            code: draft.code,
            exec_full: modes.exec_full,
            indexing: modes.indexing,
            undecodable: draft.undecodable,
        }
    }
}
