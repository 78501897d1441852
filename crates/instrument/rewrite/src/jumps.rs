//! Jumps through addresses in registers: returns, computed jumps, calls of pointers.
//!
//! Every code address that the application sees is an address of the original code: the result of `s_getpc_b64`, the entries of
//! tables, the return addresses of calls. Registers and memory are therefore the same as without instrumentation, and the
//! application may store, compare and pass on an address, and compute with it. A jump to such an address translates it. A return
//! compares it with its few places directly; every other jump uses one search that the whole kernel shares. If an address is no
//! known place of the kernel's code, the jump sets a word in memory and goes to the original code: such a launch is not
//! instrumented.
//!
//! The search needs SGPRs of its own. A kernel that has none left compares returns with all their places, and every other jump has a search
//! of its own, with SGPRs that it borrows.

use crate::encode::Encodings;
use crate::instruction::{EXEC, Instruction, InstructionSink, Op, SourceOperand, VCC};
use crate::ir::{Code, Item, Label};
use crate::lower::SCC_NUMBER;
use crate::registers::RegisterPool;
use crate::rewriting::Rewriting;
use crate::save::move_mask;
use crate::select::Selection;
use crate::{AddressHalf, Refusal, Symbol};
use isa::{Effects, Operand, Reg, RegKind};
use lift::registers::SGPR_COUNT;
use lift::{
    BlockIndex, COUNTERS, Callee, EdgeKind, Function, FunctionIndex, FunctionKind, InstIndex,
    Leave, Module,
};
use std::collections::{BTreeMap, BTreeSet};
use template::RegisterFile;

/// Places that a return is compared with one by one, where registers are free for a search.
const FEW: usize = 4;

/// SGPRs that every kernel has.
const LEAST_SGPRS: u16 = 16;

/// Lanes of the VGPR that keeps what is borrowed: first the three SGPRs, then EXEC. Lane 0 holds what the wave stores when it leaves.
const BORROWED_LANE: u16 = 1;
const EXEC_LANE: u16 = 4;

/// Comparisons that all jumps with borrowed registers may take together: each jump has a search of its own. A comparison takes about 60 bytes
/// of code with what it leads to, so that this is a megabyte.
const MOST_COMPARISONS: usize = 1 << 14;

/// The reasons why a computed jump is refused.
const NO_REGISTERS: &str =
    "no registers are free in the whole kernel to find out where that is now";
const TOO_LONG: &str = "no registers are free in the whole kernel, and with borrowed ones it would take too much code to find out where that is now";
const OVERWRITTEN: &str =
    "no registers are free in the whole kernel, and the call overwrites those that hold its target";

/// Places of a search from which branches lead on. A branch that is far needs an island in every group of islands on its way, and no
/// branch reaches over more than twice as many.
const NEAR: usize = 4096;

/// Registers for translating.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JumpRegisters {
    /// A pair: how far the address is behind the kernel's lowest, low half and high half.
    distance: u16,
    /// SCC as the application left it.
    scc: u16,
    /// A VGPR keeps the three's values while a jump is translated, if they are the application's. Otherwise nothing else uses the three.
    borrowed: Option<u16>,
}

impl JumpRegisters {
    /// Lanes of the VGPR, and the registers whose values they keep.
    fn in_lanes(self) -> impl Iterator<Item = (u16, u16)> {
        (BORROWED_LANE..).zip([self.distance, self.distance + 1, self.scc])
    }
}

/// A block that ends in a call.
type CallSite = (FunctionIndex, BlockIndex);

/// Call sites that each function returns to; none where they are not all known.
pub(crate) struct ReturnSites(BTreeMap<FunctionIndex, Option<BTreeSet<CallSite>>>);

impl ReturnSites {
    pub fn new(module: &Module, functions: &BTreeSet<FunctionIndex>) -> ReturnSites {
        let mut sites: BTreeMap<FunctionIndex, Option<BTreeSet<CallSite>>> = functions
            .iter()
            .map(|&index| {
                let function = &module.functions[index];
                let known = function.kind == FunctionKind::Device && function.callers_are_known();
                (index, known.then(BTreeSet::new))
            })
            .collect();
        // Functions that jump to others, which return in their place.
        let mut passes_on = Vec::new();
        for &index in functions {
            for (number, block) in module.functions[index].blocks.iter().enumerate() {
                if let Some(Callee::Known(callee)) = block.call
                    && let Some(Some(known)) = sites.get_mut(&callee)
                {
                    known.insert((index, number));
                }
                for leave in &block.leaves {
                    if let Leave::TailCall(callee) = *leave {
                        passes_on.push((index, callee));
                    }
                }
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &(from, to) in &passes_on {
                let theirs = sites.get(&from).cloned().flatten();
                let Some(mine) = sites.get_mut(&to) else {
                    continue;
                };
                match (mine.as_mut(), theirs) {
                    (Some(known), Some(theirs)) => {
                        let before = known.len();
                        known.extend(theirs);
                        changed |= known.len() != before;
                    }
                    (Some(_), None) => {
                        *mine = None;
                        changed = true;
                    }
                    (None, _) => {}
                }
            }
        }
        ReturnSites(sites)
    }

    fn of(&self, function: FunctionIndex) -> Option<&BTreeSet<CallSite>> {
        self.0.get(&function)?.as_ref()
    }

    /// The places that a return is compared with, if that does: they are all that there are, at most `most`, and SCC may be lost.
    fn few(
        &self,
        module: &Module,
        (function, block): (FunctionIndex, BlockIndex),
        most: usize,
    ) -> Option<&BTreeSet<CallSite>> {
        let sites = self.of(function)?;
        let scc_lives = || {
            let live = module.liveness(function).live_out(block);
            live.scalars.contains(SCC_NUMBER)
        };
        (sites.len() <= most && !scc_lives()).then_some(sites)
    }
}

/// Returns `true` if the kernel has jumps that need registers, where returns are compared with up to `most` places.
fn need_registers(rewriting: &Rewriting<'_, '_>, sites: &ReturnSites, most: usize) -> bool {
    let module = rewriting.module;
    rewriting.functions.iter().any(|&index| {
        let function = &module.functions[index];
        let mut blocks = function.blocks.iter().enumerate();
        blocks.any(|(number, block)| {
            let last = function.insts.at(block.end - 1);
            block.reachable
                && last.effects.contains(Effects::INDIRECT)
                && match (&*block.successors, &*block.leaves) {
                    _ if last.effects.contains(Effects::CALL) => {
                        !matches!(block.call, Some(Callee::Known(_)))
                    }
                    ([edge], []) => edge.kind != EdgeKind::Branch,
                    ([], [Leave::TailCall(_)]) => false,
                    ([], [Leave::Return]) => sites.few(module, (index, number), most).is_none(),
                    _ => true,
                }
        })
    })
}

/// Returns `true` if SGPRs are left for a search, and for the note that a wave leaves the instrumented code.
fn has_room(supply: &RegisterPool, wide: u16, notes: bool) -> bool {
    let mut free = supply.all_but_application();
    let widths = [2, 1, 2, wide, 1];
    let wanted = if notes { &widths[..] } else { &widths[..2] };
    wanted.iter().all(|&width| {
        let first = free.take(RegisterFile::Sgpr, width, width, SGPR_COUNT);
        first.is_some()
    })
}

/// SGPRs that computed jumps read or write.
fn named_by_jumps(rewriting: &Rewriting<'_, '_>) -> BTreeSet<u16> {
    let mut named = BTreeSet::new();
    for &index in &rewriting.functions {
        let function = &rewriting.module.functions[index];
        for block in &function.blocks {
            let last = function.insts.at(block.end - 1);
            if !last.effects.contains(Effects::INDIRECT) {
                continue;
            }
            for operand in &last.operands {
                if let Operand::Use(reg) | Operand::Def(reg) = operand
                    && let Some(first) = scalar_encoding(*reg)
                {
                    named.extend(first..first + 2);
                }
            }
        }
    }
    named
}

/// The lowest SGPRs that no computed jump names, and a VGPR to keep what the application has in them.
fn borrow(rewriting: &mut Rewriting<'_, '_>) -> Option<JumpRegisters> {
    let named = named_by_jumps(rewriting);
    let free = |number: &u16| !named.contains(number);
    let distance = (0..LEAST_SGPRS)
        .step_by(2)
        .find(|first| free(first) && free(&(first + 1)))?;
    let scc = (0..LEAST_SGPRS)
        .find(|number| free(number) && !(distance..distance + 2).contains(number))?;
    let lanes = rewriting.supply.keep(RegisterFile::Vgpr, 1, 1, 0)?;
    Some(JumpRegisters {
        distance,
        scc,
        borrowed: Some(lanes),
    })
}

/// Registers that the kernel never names.
fn own(supply: &mut RegisterPool) -> Option<JumpRegisters> {
    let distance = supply.keep(RegisterFile::Sgpr, 2, 2, 0);
    let scc = supply.keep(RegisterFile::Sgpr, 1, 1, 0);
    Some(JumpRegisters {
        distance: distance?,
        scc: scc?,
        borrowed: None,
    })
}

/// Takes registers for translating, if the kernel has anything to translate. If too few are left, returns do without, and other jumps
/// borrow the application's. A jump that can borrow none is a refusal.
pub(crate) fn reserve(rewriting: &mut Rewriting<'_, '_>) {
    let module = rewriting.module;
    let sites = ReturnSites::new(module, &rewriting.functions);
    let wide = u16::from(module.functions[rewriting.kernel].wave_size / 32);
    let room = has_room(&rewriting.supply, wide, rewriting.plan.left.is_some());
    let most = if room { FEW } else { usize::MAX };
    if need_registers(rewriting, &sites, most) {
        let borrowed = if room { None } else { borrow(rewriting) };
        rewriting.jump_registers = borrowed.or_else(|| own(&mut rewriting.supply));
    }
    rewriting.return_sites = Some(sites);
}

/// The jumps, as the pass of selection knows them.
pub(crate) struct Jumps<'a> {
    registers: Option<JumpRegisters>,
    sites: &'a ReturnSites,
    /// Lowest address of the kernel and what it may call.
    base: u64,
    /// Places that an address may mean.
    places: BTreeMap<u64, Label>,
    /// Behind calls.
    returns: BTreeMap<CallSite, Label>,
    search: Label,
    elsewhere: Label,
    searches: bool,
    leaves: bool,
    /// With borrowed registers: labels for addresses that are no known place, and the pairs with these addresses.
    elsewhere_from: Vec<(Label, u16)>,
    /// With borrowed registers: comparisons of all searches so far.
    comparisons: usize,
}

impl<'a> Jumps<'a> {
    pub fn new(
        module: &Module,
        functions: &BTreeSet<FunctionIndex>,
        sites: &'a ReturnSites,
        registers: Option<JumpRegisters>,
        code: &mut Code<'_>,
    ) -> Jumps<'a> {
        let (mut places, mut returns) = (BTreeMap::new(), BTreeMap::new());
        for &index in functions {
            let function = &module.functions[index];
            if function.kind == FunctionKind::Device {
                places.insert(function.entry, Label::Block(index, 0));
            }
            let mut place = |number: BlockIndex| {
                let pc = function.insts.pc(function.blocks[number].first);
                places.entry(pc).or_insert(Label::Block(index, number));
            };
            for (number, block) in function.blocks.iter().enumerate() {
                if block.entered {
                    place(number);
                }
                if block.leaves.contains(&Leave::Anywhere) {
                    let tables = block.successors.iter();
                    let tables = tables.filter(|edge| edge.kind == EdgeKind::Table);
                    tables.for_each(|edge| place(edge.to));
                }
                if block.call.is_some() {
                    returns.insert((index, number), code.new_label());
                }
            }
        }
        // A call returns, first of all, to the instruction behind it.
        for (&(index, number), &label) in &returns {
            let function = &module.functions[index];
            places.insert(function.insts.end(function.blocks[number].end - 1), label);
        }
        let entries = functions.iter().map(|&index| module.functions[index].entry);
        let lowest = places.keys().next().copied();
        Jumps {
            registers,
            sites,
            base: entries.chain(lowest).min().unwrap_or(0),
            places,
            returns,
            search: code.new_label(),
            elsewhere: code.new_label(),
            searches: false,
            leaves: false,
            elsewhere_from: Vec::new(),
            comparisons: 0,
        }
    }
}

impl Selection<'_, '_> {
    /// Where a call of the block returns to, behind the call itself.
    pub fn comes_back(&mut self, index: FunctionIndex, block: BlockIndex) {
        if let Some(&label) = self.jumps.returns.get(&(index, block)) {
            self.code.push(Item::Label(label));
        }
    }

    /// The return address of a call, as the original has it.
    pub fn link(&mut self, pair: u16, address: u64) {
        for (half, register) in [(AddressHalf::Low, pair), (AddressHalf::High, pair + 1)] {
            let literal = self.code.address(half, Symbol::Original(address), 0);
            self.code
                .move_scalar(register, SourceOperand::Address(literal));
        }
    }

    /// Back to the caller.
    pub fn give_back(
        &mut self,
        index: FunctionIndex,
        number: BlockIndex,
        inst: InstIndex,
    ) -> Result<(), Refusal> {
        let module = self.module;
        // Comparing needs no register, so that without one of its own it has to do for any number of places.
        let own = self.jumps.registers.filter(|with| with.borrowed.is_none());
        let most = own.map_or(usize::MAX, |_| FEW);
        let site = (index, number);
        let Some(sites) = self.jumps.sites.few(module, site, most) else {
            return self.go(index, inst, None, None);
        };
        let function = &module.functions[index];
        let source = self.source(function, inst)?;
        for &site in sites {
            let caller = &module.functions[site.0];
            let behind = caller.insts.end(caller.blocks[site.1].end - 1);
            let literal = (self.code).address(AddressHalf::Low, Symbol::Original(behind), 0);
            let (low, literal) = (
                SourceOperand::Scalar(source),
                SourceOperand::Address(literal),
            );
            if sites.len() > FEW {
                self.code.push(Item::Gap);
            }
            self.code.compare(Op::SCmpEqU32, low, literal);
            let to = self.jumps.returns[&site];
            self.code.branch(Op::SCbranchScc1, to);
        }
        // No code leads here, unless what keeps the return address was overwritten by mistake.
        match own {
            Some(_) => self.go(index, inst, None, None),
            None => {
                self.code.push(Item::Copy(inst));
                Ok(())
            }
        }
    }

    /// Goes where the address in an instruction's register means, and leaves a return address in the pair `link`. `among`: the
    /// places that it may mean, if they are not all that are known.
    pub fn go(
        &mut self,
        index: FunctionIndex,
        inst: InstIndex,
        link: Option<u16>,
        among: Option<&BTreeMap<u64, Label>>,
    ) -> Result<(), Refusal> {
        let function = &self.module.functions[index];
        let source = self.source(function, inst)?;
        let places = among.map_or(self.jumps.places.len(), BTreeMap::len);
        let with = self.usable(places, source, link);
        let with = with.map_err(|reason| Refusal::Unresolved {
            function: function.name.clone(),
            pc: function.insts.pc(inst),
            reason: format!("its target is computed: {reason}"),
        })?;
        if let Some(lanes) = with.borrowed {
            // Loads may be on their way to these registers.
            self.wait_for(&COUNTERS);
            gap(self.codes, self.code);
            for (lane, from) in with.in_lanes() {
                self.code.write_lane(lanes, lane, from);
            }
        }
        let (one, zero) = (SourceOperand::Constant(1), SourceOperand::Constant(0));
        self.code.scalar2(Op::SCselectB32, with.scc, one, zero);
        self.move_base(Op::SSubU32, Op::SSubbU32, with.distance, source);
        if with.borrowed.is_some() {
            gap(self.codes, self.code);
        }
        if let Some(pair) = link {
            self.link(pair, function.insts.end(inst));
        }
        if with.borrowed.is_none() && among.is_none() {
            self.jumps.searches = true;
            self.code.branch(Op::SBranch, self.jumps.search);
            return Ok(());
        }
        let elsewhere = match with.borrowed {
            Some(_) => {
                let label = self.code.new_label();
                self.jumps.elsewhere_from.push((label, source));
                label
            }
            None => {
                self.jumps.leaves = true;
                self.jumps.elsewhere
            }
        };
        let high = SourceOperand::Scalar(with.distance + 1);
        self.code.compare(Op::SCmpLgU32, high, zero);
        self.code.branch(Op::SCbranchScc1, elsewhere);
        let places = among.unwrap_or(&self.jumps.places);
        let places: Vec<_> = places.iter().map(|(at, label)| (*at, *label)).collect();
        self.search(&places, with, elsewhere);
        Ok(())
    }

    /// The registers for a jump to one of so many places. Borrowed ones are given back before the jump, so that branches must reach its
    /// places, and the address must stay in its pair.
    fn usable(
        &mut self,
        places: usize,
        source: u16,
        link: Option<u16>,
    ) -> Result<JumpRegisters, &'static str> {
        let with = self.jumps.registers.ok_or(NO_REGISTERS)?;
        if with.borrowed.is_none() {
            return Ok(with);
        }
        if link.is_some_and(|pair| pair.abs_diff(source) <= 1) {
            return Err(OVERWRITTEN);
        }
        let jumps = self.jumps.elsewhere_from.len() + 1;
        self.jumps.comparisons += places;
        let fits = jumps + places <= NEAR && self.jumps.comparisons <= MOST_COMPARISONS;
        if fits { Ok(with) } else { Err(TOO_LONG) }
    }

    /// A pair with the lowest address added or subtracted.
    fn move_base(&mut self, low: Op, high: Op, to: u16, from: u16) {
        let base = self.jumps.base;
        for (op, half, number) in [(low, AddressHalf::Low, 0), (high, AddressHalf::High, 1)] {
            let literal = self.code.address(half, Symbol::Original(base), 0);
            let literal = SourceOperand::Address(literal);
            let from = SourceOperand::Scalar(from + number);
            self.code.scalar2(op, to + number, from, literal);
        }
    }

    /// The first register of the pair with the target.
    fn source(&self, function: &Function, inst: InstIndex) -> Result<u16, Refusal> {
        let decoded = function.insts.at(inst);
        let source = decoded.operands.iter().find_map(|operand| match operand {
            Operand::Use(reg) => scalar_encoding(*reg),
            _ => None,
        });
        source.ok_or_else(|| Refusal::Unresolved {
            function: function.name.clone(),
            pc: decoded.pc,
            reason: "the target is in no SGPR".to_owned(),
        })
    }

    /// Goes to one of the places, which are in ascending order, or elsewhere.
    fn search(&mut self, places: &[(u64, Label)], with: JumpRegisters, elsewhere: Label) {
        let distance = SourceOperand::Scalar(with.distance);
        let key = |address: u64| SourceOperand::Constant((address - self.jumps.base) as u32);
        match *places {
            [] => self.code.branch(Op::SBranch, elsewhere),
            [(address, label)] => {
                self.code.push(Item::Gap);
                self.code.compare(Op::SCmpEqU32, distance, key(address));
                self.code.branch(Op::SCbranchScc0, elsewhere);
                self.arrive(label, with);
            }
            _ => {
                let (lower, upper) = places.split_at(places.len() / 2);
                let below = self.code.new_label();
                self.code.compare(Op::SCmpLtU32, distance, key(upper[0].0));
                self.code.branch(Op::SCbranchScc1, below);
                self.search(upper, with, elsewhere);
                self.code.push(Item::Label(below));
                self.search(lower, with, elsewhere);
            }
        }
    }

    /// Goes to the place that an address meant.
    fn arrive(&mut self, label: Label, with: JumpRegisters) {
        if with.borrowed.is_some() || self.jumps.places.len() <= NEAR {
            self.put_back(with);
            self.code.branch(Op::SBranch, label);
            return;
        }
        for (half, register) in [
            (AddressHalf::Low, with.distance),
            (AddressHalf::High, with.distance + 1),
        ] {
            let literal = self.code.label_address(half, label);
            self.code
                .move_scalar(register, SourceOperand::Address(literal));
        }
        self.put_back(with);
        let target = SourceOperand::Scalar(with.distance);
        self.code.scalar1(Op::SSetpcB64, 0, target);
    }

    /// SCC as it was, and what was borrowed.
    fn put_back(&mut self, with: JumpRegisters) {
        let (scc, zero) = (SourceOperand::Scalar(with.scc), SourceOperand::Constant(0));
        self.code.compare(Op::SCmpLgU32, scc, zero);
        if let Some(lanes) = with.borrowed {
            for (lane, to) in with.in_lanes() {
                self.code.read_lane(to, lanes, lane);
            }
            gap(self.codes, self.code);
        }
    }

    /// Emits the code that the whole kernel shares, behind the last of its functions.
    pub fn shared(&mut self, supply: &mut RegisterPool) -> Result<(), Refusal> {
        let Some(with) = self.jumps.registers else {
            return Ok(());
        };
        for (label, source) in std::mem::take(&mut self.jumps.elsewhere_from) {
            self.code.push(Item::Inserted(self.jumps.base));
            self.code.push(Item::Label(label));
            if let Some(name) = &self.plan.left {
                self.note_leaving(name, supply)?;
            }
            self.put_back(with);
            let target = SourceOperand::Scalar(source);
            self.code.scalar1(Op::SSetpcB64, 0, target);
        }
        if !self.jumps.searches && !self.jumps.leaves {
            return Ok(());
        }
        self.code.push(Item::Inserted(self.jumps.base));
        if self.jumps.searches {
            self.code.push(Item::Label(self.jumps.search));
            let high = SourceOperand::Scalar(with.distance + 1);
            self.code
                .compare(Op::SCmpLgU32, high, SourceOperand::Constant(0));
            self.code.branch(Op::SCbranchScc1, self.jumps.elsewhere);
            let places = self.jumps.places.iter();
            let places: Vec<_> = places.map(|(at, label)| (*at, *label)).collect();
            self.search(&places, with, self.jumps.elsewhere);
        }
        self.code.push(Item::Label(self.jumps.elsewhere));
        if let Some(name) = &self.plan.left {
            self.note_leaving(name, supply)?;
        }
        self.move_base(Op::SAddU32, Op::SAddcU32, with.distance, with.distance);
        self.put_back(with);
        let target = SourceOperand::Scalar(with.distance);
        self.code.scalar1(Op::SSetpcB64, 0, target);
        Ok(())
    }

    /// Sets the word in memory. A wave that goes on in the original never comes back, so that what is kept for its whole life is
    /// free; everything of the application is alive.
    fn note_leaving(&mut self, name: &str, supply: &mut RegisterPool) -> Result<(), Refusal> {
        let wide = u16::from(self.codes.wave_size / 32);
        let mut free = supply.all_but_application();
        let refused = || Refusal::Registers {
            what: "computed jumps",
            reason: "no SGPRs are free to note that a wave leaves the instrumented code".to_owned(),
        };
        let with = self.jumps.registers.ok_or_else(refused)?;
        if let Some(lanes) = with.borrowed {
            self.note_with_borrowed(name, (with.distance, wide), lanes);
            return Ok(());
        }
        free.withhold(RegisterFile::Sgpr, with.distance, 2);
        free.withhold(RegisterFile::Sgpr, with.scc, 1);
        let mut scalars = |width: u16| {
            let first = free.take(RegisterFile::Sgpr, width, width, SGPR_COUNT);
            supply.use_up(RegisterFile::Sgpr, first.map_or(0, |first| first + width));
            first.ok_or_else(refused)
        };
        let (address, exec, lane) = (scalars(2)?, scalars(wide)?, scalars(1)?);
        let own = free.take(RegisterFile::Vgpr, 1, 1, 256);
        supply.use_up(RegisterFile::Vgpr, own.map_or(0, |vgpr| vgpr + 1));
        let vgpr = own.unwrap_or(0);
        self.wait_for(&COUNTERS);
        let op = move_mask(wide);
        self.code.scalar1(op, exec, SourceOperand::Scalar(EXEC));
        self.code.scalar1(op, EXEC, SourceOperand::Constant(1));
        if own.is_none() {
            self.code.read_lane(lane, vgpr, 0);
        }
        self.move_mark_address(name, address);
        self.store_mark(address, vgpr);
        if own.is_none() {
            self.code.write_lane(vgpr, 0, lane);
        }
        self.code.scalar1(op, EXEC, SourceOperand::Scalar(exec));
        gap(self.codes, self.code);
        Ok(())
    }

    /// Notes that a wave leaves, with a borrowed pair for the address. The VGPR `lanes` keeps EXEC, which has `wide` dwords.
    fn note_with_borrowed(&mut self, name: &str, (pair, wide): (u16, u16), lanes: u16) {
        let op = move_mask(wide);
        self.wait_for(&COUNTERS);
        for half in 0..wide {
            self.code.write_lane(lanes, EXEC_LANE + half, EXEC + half);
        }
        self.code.scalar1(op, EXEC, SourceOperand::Constant(1));
        self.move_mark_address(name, pair);
        gap(self.codes, self.code);
        self.store_mark(pair, lanes);
        for half in 0..wide {
            self.code.read_lane(pair + half, lanes, EXEC_LANE + half);
        }
        gap(self.codes, self.code);
        self.code.scalar1(op, EXEC, SourceOperand::Scalar(pair));
        gap(self.codes, self.code);
    }

    fn move_mark_address(&mut self, name: &str, pair: u16) {
        for (half, register) in [(AddressHalf::Low, pair), (AddressHalf::High, pair + 1)] {
            let symbol = Symbol::Tool(name.to_owned());
            let literal = self.code.address(half, symbol, -i64::from(MARK));
            self.code
                .move_scalar(register, SourceOperand::Address(literal));
        }
    }

    /// Stores the mark by the wave's lane 0, the only one that is on, and waits until it is stored.
    fn store_mark(&mut self, address: u16, vgpr: u16) {
        // One register is both what is stored and how far behind the base.
        self.code.move_vector(vgpr, SourceOperand::Constant(MARK));
        let (value, base) = (SourceOperand::Vector(vgpr), SourceOperand::Scalar(address));
        self.code.put(Instruction::new(
            Op::GlobalStoreDword,
            0,
            &[value, base, value],
        ));
        self.wait_for(&[lift::Counter::Store, lift::Counter::Load]);
    }

    fn wait_for(&mut self, counters: &[lift::Counter]) {
        for counter in counters {
            if let Some(wait) = self.codes.wait(*counter) {
                self.code.fixed(wait);
            }
        }
    }
}

/// The value of the word once a wave has left the instrumented code.
const MARK: u32 = 4;

/// The application may use at once what was changed: nothing of the hardware's rules is left to come.
fn gap(codes: &Encodings, code: &mut Code<'_>) {
    for op in [Op::ScalarGap, Op::WaitAlu, Op::WaitVector, Op::MemoryGap] {
        if codes.has(op) {
            code.fixed(op);
        }
    }
}

/// An SGPR's operand encoding.
pub(crate) fn scalar_encoding(reg: Reg) -> Option<u16> {
    match reg.kind {
        RegKind::Sgpr => Some(reg.index),
        RegKind::Vcc => Some(VCC + reg.index),
        _ => None,
    }
}
