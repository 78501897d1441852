//! A plan says how an instruction hands undefined bits on. It is made when the instruction is decoded.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering::Relaxed},
};

use gfx::Family;
use isa::{
    Decoded, Effects, Format, Inst, LaneMask, Op, Operand, Reg, RegKind, Traits, fields::Ds,
    numbers,
};
use wave::Config;

use crate::{
    access::{self, Access},
    lanes::NONE,
    moves::{Dpp, Exchange, Part, Permutation, PermuteBits, Sdwa},
    packed::{self, Halves},
    report::Known,
    rules::{self, Reach, Rule},
    whole::Words,
};

/// The place of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    Row(usize),
    Slot(usize),
    Scc,
    Constant(i64),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    pub at: At,
    /// Registers.
    pub words: usize,
    pub part: Part,
}

/// An instruction of the vector unit, or half a dual one.
pub(crate) struct Vector {
    pub rule: Rule,
    /// In the order of the text, then those that it does not name.
    pub sources: Vec<Source>,
    /// First register and number of registers.
    pub destination: Option<(usize, usize)>,
    pub part: Part,
    /// The bits outside of `part` stay.
    pub preserves: bool,
    /// The first scalar register of a mask that it reads, and of one that it writes.
    pub mask: Option<usize>,
    pub mask_destination: Option<usize>,
    /// It writes EXEC.
    pub to_exec: bool,
    /// A scalar register that gets a value.
    pub scalar_destination: Option<usize>,
    pub dpp: Option<Box<Dpp>>,
    pub ignores_exec: bool,
}

/// An instruction that takes and makes no more than these registers, each lane by itself. Places without one have [`Quick::NONE`].
///
/// Most instructions take defined values and need nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quick {
    pub rows: [u16; Quick::ROWS],
    pub slots: [u16; Quick::SLOTS],
    /// There are no slots, and no rows but the first two.
    pub few: bool,
    /// First register and number of registers: vector ones, and scalar ones of a mask.
    pub destination: (u16, u16),
    pub mask_destination: (u16, u16),
    pub ignores_exec: bool,
    /// If all bits of a lane or none are undefined in each register, so are those of the result: all if they are in any.
    pub joins: bool,
}

impl Quick {
    /// No register has this number.
    pub const NONE: u16 = u16::MAX;
    const ROWS: usize = 4;
    const SLOTS: usize = 2;

    fn of(action: &Action, mask_words: usize) -> Option<Quick> {
        let Action::Vector(vector) = action else {
            return None;
        };
        let sources = &vector.sources;
        let rule = &vector.rule;
        if rule.moves_lanes() || vector.dpp.is_some() || vector.preserves || vector.mask.is_some() {
            return None;
        }
        let (mut rows, mut slots) = (Vec::new(), Vec::new());
        for source in sources {
            match source.at {
                At::Row(row) => rows.extend(row..row + source.words),
                At::Slot(slot) => slots.extend(slot..slot + source.words),
                At::Scc => return None,
                At::Constant(_) => {}
            }
        }
        let is_whole = |source: &Source| source.part == Part::WHOLE && source.words == 1;
        let is_only = vector.mask_destination.is_none() && !vector.to_exec;
        let joins = sources.len() <= rule.joins()
            && sources.iter().all(is_whole)
            && vector.destination.is_some_and(|(_, words)| words == 1)
            && vector.part == Part::WHOLE
            && is_only;
        let destination = vector.destination.unwrap_or_default();
        Some(Quick {
            few: rows.len() <= 2 && slots.is_empty(),
            rows: padded(&rows)?,
            slots: padded(&slots)?,
            destination: (destination.0 as u16, destination.1 as u16),
            mask_destination: match vector.mask_destination {
                Some(slot) => (slot as u16, mask_words as u16),
                None => (0, 0),
            },
            ignores_exec: vector.ignores_exec,
            joins,
        })
    }
}

/// The numbers, and [`Quick::NONE`] behind them. `None` if there are too many.
fn padded<const MOST: usize>(numbers: &[usize]) -> Option<[u16; MOST]> {
    let mut all = [Quick::NONE; MOST];
    let places = all.get_mut(..numbers.len())?;
    for (place, number) in places.iter_mut().zip(numbers) {
        *place = *number as u16;
    }
    Some(all)
}

/// A plan, as the shadows of workgroups find it by its number. Kernels have many: what most instructions need lies together, in few lines of
/// the host's caches.
#[derive(Clone)]
pub(crate) struct Listed {
    pub short: Short,
    pub plan: Arc<Plan>,
}

/// All that most instructions need.
#[derive(Clone, Copy)]
pub(crate) enum Short {
    Vector(Quick),
    Words(Words),
    /// The plan itself has to be looked at, as for a result that is undefined whatever the sources are.
    None,
}

impl Listed {
    pub fn new(plan: Arc<Plan>) -> Listed {
        let short = match (plan.quick, Words::of(&plan.action)) {
            _ if plan.starts() => Short::None,
            (Some(quick), _) => Short::Vector(quick),
            (None, Some(words)) => Short::Words(words),
            (None, None) => Short::None,
        };
        Listed { short, plan }
    }
}

impl Vector {
    /// The lanes of `exec` that write.
    pub fn writing(&self, exec: u64) -> u64 {
        let dpp = self.dpp.as_ref();
        dpp.map_or(exec, |dpp| dpp.apply(&NONE, exec).1)
    }
}

pub(crate) struct Scalar {
    pub rule: Rule,
    pub sources: Vec<Source>,
    pub destination: Option<(usize, usize)>,
    pub reads_scc: bool,
    pub writes_scc: bool,
    /// EXEC is a source, and what else it makes of EXEC.
    pub mask: Option<LaneMask>,
    pub to_exec: bool,
}

/// The condition of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    Scc,
    Vcc,
    /// A register with the address to go to.
    Target(usize),
}

pub(crate) enum Action {
    Vector(Vector),
    Dual([Vector; 2]),
    Scalar(Scalar),
    Access(Access),
    /// A branch or call, and the scalar registers that get the address to come back to.
    Branch(Option<Condition>, Vec<usize>),
    /// No rule follows it.
    Unfollowed(Unfollowed),
}

/// The registers that become defined, for want of a rule.
#[derive(Default)]
pub(crate) struct Unfollowed {
    pub rows: Vec<usize>,
    pub slots: Vec<usize>,
    /// It writes registers that nothing is known of.
    pub all_registers: bool,
    /// It writes memory or LDS.
    pub memory: bool,
    /// Its results are always defined, such as a clock.
    pub is_exact: bool,
}

pub(crate) struct Plan {
    quick: Option<Quick>,
    /// Its result is undefined whatever its sources are.
    pub starts: AtomicBool,
    pub pc: u64,
    pub op: Op,
    /// Scalar registers of a mask.
    pub mask_words: usize,
    pub action: Action,
    /// The origins that it brings.
    pub origins: Known,
}

impl Plan {
    /// None for what neither reads nor writes registers.
    pub fn of(config: &Config, inst: &Inst) -> Option<Plan> {
        let mask_words = config.wave_size as usize / 32;
        let action = action(config, inst)?;
        Some(Plan {
            quick: Quick::of(&action, mask_words),
            pc: inst.pc,
            op: inst.op,
            mask_words,
            action,
            starts: false.into(),
            origins: Known::default(),
        })
    }

    /// The first source of a vector instruction does not matter.
    pub fn without_first_source(&mut self) {
        if let Action::Vector(vector) = &mut self.action {
            vector.sources.remove(0);
        }
        self.quick = Quick::of(&self.action, self.mask_words);
    }

    pub fn starts(&self) -> bool {
        self.starts.load(Relaxed)
    }

    /// Later instructions make an exact result of what it makes.
    pub fn is_corrected(&self) {
        self.starts.store(false, Relaxed);
    }
}

fn action(config: &Config, inst: &Inst) -> Option<Action> {
    let effects = inst.effects;
    let indexed = Traits::INDEXES_VECTORS | Traits::INDEXES_SCALARS | Traits::INDEX_MODE;
    if inst.op.has(indexed) {
        return Some(Action::Unfollowed(Unfollowed {
            all_registers: true,
            ..Unfollowed::default()
        }));
    }
    if effects.intersects(Effects::BRANCH | Effects::CALL) {
        let condition = branch(config, inst);
        let slots = written(inst).flat_map(|reg| match at(config, reg) {
            Some(At::Slot(slot)) => slot..slot + usize::from(reg.width.max(1)),
            _ => 0..0,
        });
        let slots: Vec<usize> = slots.collect();
        let matters = condition.is_some() || !slots.is_empty();
        return matters.then_some(Action::Branch(condition, slots));
    }
    let moves_lanes = ["ds_bpermute_b32", "ds_permute_b32", "ds_swizzle_b32"];
    if moves_lanes.contains(&inst.op.first_name()) {
        return Some(Action::Vector(vector(config, inst)));
    }
    if effects
        .intersects(Effects::LOAD | Effects::STORE | Effects::ATOMIC | Effects::VMEM | Effects::LDS)
    {
        return Some(match access::of(config, inst) {
            Some(access) => Action::Access(access),
            None => unfollowed(config, inst)?,
        });
    }
    if inst.format == Format::Vopd {
        return match dual(config, inst) {
            Some(both) => Some(Action::Dual(both)),
            None => unfollowed(config, inst),
        };
    }
    if effects.contains(Effects::VALU) {
        return Some(Action::Vector(vector(config, inst)));
    }
    if inst.format == Format::Smem || inst.op.has(Traits::READS_HARDWARE | Traits::READS_PC) {
        return unfollowed(config, inst);
    }
    let scalar = [Format::Sop1, Format::Sop2, Format::Sopc, Format::Sopk];
    if scalar.contains(&inst.format) {
        return Some(Action::Scalar(scalar_plan(config, inst)));
    }
    unfollowed(config, inst)
}

/// The registers that an instruction writes become defined.
fn unfollowed(config: &Config, inst: &Inst) -> Option<Action> {
    let (mut rows, mut slots) = (Vec::new(), Vec::new());
    for reg in written(inst) {
        let words = usize::from(reg.width.max(1));
        match at(config, reg) {
            Some(At::Row(row)) => rows.extend(row..row + words),
            Some(At::Slot(slot)) => slots.extend(slot..slot + words),
            _ => {}
        }
    }
    let writes = Effects::STORE | Effects::ATOMIC;
    let accesses = inst
        .effects
        .intersects(Effects::VMEM | Effects::LDS | Effects::SMEM);
    let exact = Traits::READS_HARDWARE | Traits::READS_PC | Traits::CLOCK | Traits::ANSWERED;
    let unfollowed = Unfollowed {
        memory: !inst.op.has(Traits::NO_DATA)
            && (inst.effects.intersects(writes) || accesses && rows.is_empty() && slots.is_empty()),
        is_exact: inst.op.has(exact),
        all_registers: false,
        rows,
        slots,
    };
    let any = !unfollowed.rows.is_empty() || !unfollowed.slots.is_empty() || unfollowed.memory;
    any.then_some(Action::Unfollowed(unfollowed))
}

fn branch(config: &Config, inst: &Inst) -> Option<Condition> {
    if inst.effects.contains(Effects::CONDITIONAL) {
        let reads = |kind| inst.implicit_uses.iter().any(|reg| reg.kind == kind);
        let name = inst.op.name();
        return match () {
            () if name.contains("vcc") || reads(RegKind::Vcc) => Some(Condition::Vcc),
            () if name.contains("scc") || reads(RegKind::Scc) => Some(Condition::Scc),
            () => None,
        };
    }
    inst.operands.iter().find_map(|operand| match operand {
        Operand::Use(reg) => match at(config, *reg)? {
            At::Slot(slot) => Some(Condition::Target(slot)),
            _ => None,
        },
        _ => None,
    })
}

fn written(inst: &Decoded) -> impl Iterator<Item = Reg> + '_ {
    let named = inst.operands.iter().filter_map(|operand| match operand {
        Operand::Def(reg) => Some(*reg),
        _ => None,
    });
    named.chain(inst.implicit_defs.iter().copied())
}

/// The place of a register; none if it is never undefined.
pub(crate) fn at(config: &Config, reg: Reg) -> Option<At> {
    let index = usize::from(reg.index);
    Some(match reg.kind {
        RegKind::Vgpr => At::Row(index),
        RegKind::Agpr => At::Row(config.agpr_base as usize + index),
        RegKind::Sgpr => At::Slot(index),
        RegKind::Vcc => At::Slot(usize::from(numbers::VCC) + index),
        RegKind::M0 => At::Slot(usize::from(numbers::M0)),
        RegKind::Exec => At::Slot(usize::from(numbers::EXEC) + index),
        RegKind::Scc => At::Scc,
        _ => return None,
    })
}

/// The bits of LLVM's modifiers of a source that say which half it is.
const HIGH_HALF: i64 = 4;

/// Sources in order, with the modifiers in front of them.
fn sources(config: &Config, inst: &Decoded, op: Op) -> Vec<Source> {
    let sixteen = reads_halves(op);
    let (mut named, mut unnamed) = (Vec::new(), Vec::new());
    let mut modifiers = 0;
    for (index, operand) in inst.operands.iter().enumerate() {
        let is_printed = inst.unprinted >> index & 1 == 0;
        let (place, reg) = match operand {
            Operand::Imm(value) if !is_printed => {
                modifiers = *value;
                continue;
            }
            Operand::Imm(value) => (At::Constant(*value), None),
            Operand::Use(reg) => (at(config, *reg).unwrap_or(At::Constant(0)), Some(*reg)),
            _ => continue,
        };
        let part = match reg.and_then(|reg| reg.half) {
            Some(high) => Part::half(16, high),
            None if sixteen => Part::half(16, modifiers & HIGH_HALF != 0),
            None => Part::WHOLE,
        };
        let source = Source {
            at: place,
            words: reg.map_or(1, |reg| usize::from(reg.width.max(1))),
            part,
        };
        match is_printed {
            true => named.push(source),
            false => unnamed.push(source),
        }
        modifiers = 0;
    }
    // The old destination is no source where lanes move or parts are written; only sums and swaps take it in.
    let sums = [
        "v_mac",
        "v_fmac",
        "v_dot",
        "v_pk_fmac",
        "v_mfma",
        "v_smfmac",
        "v_wmma",
        "v_swmmac",
    ];
    let swaps = op.name().contains("swap_b");
    if swaps || sums.iter().any(|start| op.name().starts_with(start)) {
        named.extend(unnamed);
    }
    if op.name().starts_with("v_pk_fmac") && named.len() < 3 {
        let old = inst.implicit_uses.iter();
        named.extend(old.filter_map(|reg| match at(config, *reg)? {
            row @ At::Row(_) => Some(Source {
                at: row,
                words: 1,
                part: Part::WHOLE,
            }),
            _ => None,
        }));
    }
    named
}

/// Returns `true` if sources are the low or high half of a register.
fn reads_halves(op: Op) -> bool {
    let name = op.name();
    let packed = [
        "v_pk_",
        "v_dot",
        "v_mad_mix",
        "v_fma_mix",
        "v_mfma",
        "v_wmma",
        "v_perm",
        "v_cvt_pk",
        "v_cvt_f16_f32",
        "v_sad",
        "v_sat_pk",
    ];
    let ends = [
        "_f16",
        "_u16",
        "_i16",
        "_b16",
        "_bf16",
        "_f32_f16",
        "_pack_b32_f16",
    ];
    let one_half = ["v_cvt_f16_", "v_interp"];
    // Each source gives a half of the result.
    if op.first_name().starts_with("v_cvt_pknorm_") {
        return op.first_name().ends_with("_f16");
    }
    !packed.iter().any(|start| name.starts_with(start))
        && (ends.iter().any(|end| name.ends_with(end)) && name.starts_with("v_"))
        && (!one_half.iter().any(|start| name.starts_with(start))
            || name.ends_with("16") && !name.ends_with("_f32"))
}

/// The lanes that `ds_bpermute_b32` and `ds_permute_b32` reach.
fn reach(config: &Config, inst: &Decoded) -> Reach {
    let family = config.target.family;
    Reach {
        offset: Ds::decode(inst, family).offset().into(),
        lanes: match family {
            Family::Gfx9 => 64,
            Family::Gfx10 | Family::Gfx10_3 | Family::Gfx11 => 32,
            _ => config.wave_size,
        },
    }
}

fn rule(config: &Config, inst: &Decoded, words: usize) -> Rule {
    let name = inst.op.first_name();
    match name {
        "ds_bpermute_b32" => return Rule::Fetch(reach(config, inst)),
        "ds_permute_b32" => return Rule::Send(reach(config, inst)),
        // The bits are copied, as those of a move with DPP.
        "ds_swizzle_b32" => return rules::of("v_mov_b32"),
        _ => {}
    }
    if name == "v_pk_mov_b32" {
        return rules::pair_of_halves(isa::fields::bits(inst.words[0], 12, 11));
    }
    if let Some(exchange) = Exchange::of(inst) {
        return Rule::Swap(exchange);
    }
    if let Some(permutation) = Permutation::of(name) {
        return Rule::Permute(permutation, PermuteBits::of(inst));
    }
    match name.strip_prefix("v_pk_") {
        Some(stem) => packed::rule(stem, inst, words, saturates(inst)),
        None if chooses_byte(inst) || saturates(inst) => Rule::Any,
        None => rules::of(name),
    }
}

/// Returns `true` for a sum or product that is limited: its highest bits decide on all others.
fn saturates(inst: &Decoded) -> bool {
    let bit = |word: usize, at| isa::fields::bits(inst.words[word], at, at) != 0;
    let is_limited = match inst.format {
        Format::Vop3 | Format::Vop3p => bit(0, 15),
        _ => inst.effects.contains(Effects::SDWA) && bit(1, 13),
    };
    let name = inst.op.first_name();
    let name = name.trim_start_matches("v_").trim_start_matches("pk_");
    let sums = ["add", "sub", "mad", "mul"];
    is_limited && sums.iter().any(|start| name.starts_with(start))
}

/// Returns `true` for a conversion of 8 bits that `op_sel` chooses.
fn chooses_byte(inst: &Decoded) -> bool {
    let name = inst.op.first_name();
    let converts = name.ends_with("_fp8") || name.ends_with("_bf8");
    converts && inst.format == Format::Vop3 && isa::fields::bits(inst.words[0], 14, 11) != 0
}

/// Sources of which the instruction reads a half, or all where others are halves.
fn take_parts(inst: &Decoded, sources: &mut [Source]) {
    let name = inst.op.first_name();
    if ["v_fma_mix", "v_mad_mix"]
        .iter()
        .any(|start| name.starts_with(start))
    {
        // `op_sel_hi` says that a source is a half, and `op_sel` which one.
        let halves = Halves::of(inst);
        for (at, source) in sources.iter_mut().enumerate() {
            if halves.high >> at & 1 != 0 {
                source.part = Part::half(16, halves.low >> at & 1 != 0);
            }
        }
    }
    if let ("v_mad_u32_u16" | "v_mad_i32_i16", [_, _, third, ..]) = (name, &mut *sources) {
        third.part = Part::WHOLE;
    } else if let ("v_dot2_f16_f16" | "v_dot2_bf16_bf16", [_, _, third, ..]) = (name, sources)
        && third.part == Part::WHOLE
    {
        third.part = Part::half(16, isa::fields::bits(inst.words[0], 13, 13) != 0);
    }
}

/// The moves of lanes that the instruction itself names.
fn moves(config: &Config, inst: &Decoded) -> Option<Dpp> {
    match inst.op.first_name() {
        "ds_swizzle_b32" => {
            let fields = Ds::decode(inst, config.target.family);
            Some(Dpp::of_swizzle(fields.offset().into()))
        }
        _ => Dpp::of(inst),
    }
}

fn vector(config: &Config, inst: &Inst) -> Vector {
    let op = inst.op;
    let (destination, scalar) = destinations(config, inst);
    let mut rule = rule(config, inst, destination.map_or(1, |(_, words)| words));
    let mut all = sources(config, inst, op);
    take_parts(inst, &mut all);
    let sdwa = Sdwa::of(inst);
    if let Some(sdwa) = &sdwa {
        for (source, part) in all.iter_mut().zip(sdwa.sources) {
            source.part = part;
        }
    }
    if matches!(rule, Rule::Any)
        && (inst.effects.contains(Effects::MATRIX) || op.has(Traits::PERMUTES | Traits::CROSS_LANE))
    {
        rule = Rule::AllLanes;
    }
    let reads = |kind| inst.implicit_uses.iter().any(|reg| reg.kind == kind);
    let vcc = usize::from(numbers::VCC);
    let mut mask = None;
    if op.has(Traits::READS_MASK | Traits::DIVIDES_BY_VCC) || reads(RegKind::Vcc) {
        mask = match reads(RegKind::Vcc) {
            true => Some(vcc),
            false => match all.pop().map(|source| source.at) {
                Some(At::Slot(slot)) => Some(slot),
                _ => None,
            },
        };
        all.retain(|source| {
            !(reads(RegKind::Vcc) && source.at == At::Slot(vcc) && source.words > 1)
        });
    }
    let takes_value = matches!(rule, Rule::FirstLane | Rule::ReadLane);
    let half = inst.operands.iter().find_map(|operand| match operand {
        Operand::Def(reg) => reg.half,
        _ => None,
    });
    let (part, preserves) = match (&sdwa, half) {
        (Some(sdwa), _) if destination.is_some() => (sdwa.destination, sdwa.preserves),
        (_, Some(high)) => (Part::half(16, high), true),
        (None, None)
            if op.has(Traits::RESULT_16) && inst.effects.contains(Effects::PARTIAL_WRITE) =>
        {
            let high = inst.writes_upper_half() || op.name().contains("mixhi");
            (Part::half(16, high), true)
        }
        _ => (Part::WHOLE, false),
    };
    Vector {
        rule,
        sources: all,
        destination,
        part,
        preserves,
        mask,
        mask_destination: scalar.filter(|_| !takes_value),
        to_exec: written(inst).any(|reg| reg.kind == RegKind::Exec),
        scalar_destination: scalar.filter(|_| takes_value),
        dpp: moves(config, inst).map(Box::new),
        ignores_exec: inst.effects.contains(Effects::IGNORES_EXEC),
    }
}

/// The vector registers that an instruction writes, and the first scalar one.
fn destinations(config: &Config, inst: &Decoded) -> (Option<(usize, usize)>, Option<usize>) {
    let (mut rows, mut slot) = (None, None);
    for reg in written(inst) {
        match at(config, reg) {
            Some(At::Row(row)) if rows.is_none() => {
                rows = Some((row, usize::from(reg.width.max(1))));
            }
            Some(At::Slot(first)) if slot.is_none() && reg.kind != RegKind::Exec => {
                slot = Some(first);
            }
            _ => {}
        }
    }
    (rows, slot)
}

/// Both halves of a dual instruction, whose operands follow each other: two destinations, then sources.
fn dual(config: &Config, inst: &Inst) -> Option<[Vector; 2]> {
    let halves = inst.op.halves()?;
    let mut defs = written(inst);
    let mut rest = sources(config, inst, Op::of("v_mov_b32")).into_iter();
    let mut one = |op: Op| -> Option<Vector> {
        let name = op.name();
        let count = match name {
            "v_mov_b32" => 1,
            _ if name.contains("fmaak") || name.contains("fmamk") => 3,
            _ => 2,
        };
        let At::Row(row) = at(config, defs.next()?)? else {
            return None;
        };
        let mut sources: Vec<Source> = rest.by_ref().take(count).collect();
        if ["v_fmac", "v_dot2"]
            .iter()
            .any(|start| name.starts_with(start))
        {
            sources.push(Source {
                at: At::Row(row),
                words: 1,
                part: Part::WHOLE,
            });
        }
        let rule = rules::of(op.first_name());
        Some(Vector {
            mask: matches!(rule, Rule::Select).then_some(usize::from(numbers::VCC)),
            rule,
            sources,
            destination: Some((row, 1)),
            part: Part::WHOLE,
            preserves: false,
            mask_destination: None,
            to_exec: false,
            scalar_destination: None,
            dpp: None,
            ignores_exec: false,
        })
    };
    Some([one(halves[0])?, one(halves[1])?])
}

fn scalar_plan(config: &Config, inst: &Inst) -> Scalar {
    let reads = |kind| inst.implicit_uses.iter().any(|reg| reg.kind == kind);
    let writes = |kind| written(inst).any(|reg| reg.kind == kind);
    let mask = inst.op.lane_mask();
    let special = mask.filter(|mask| mask.saves_exec || mask.writes_exec);
    let destination = written(inst).find_map(|reg| match at(config, reg) {
        Some(At::Slot(slot)) if reg.kind != RegKind::Exec => {
            Some((slot, usize::from(reg.width.max(1))))
        }
        _ => None,
    });
    let mut sources = sources(config, inst, inst.op);
    // These read what they also write, and do not say so where sources are printed.
    let name = inst.op.name();
    let keeps = inst.op.has(Traits::KEEPS)
        || ["s_bitset", "s_fmac"]
            .iter()
            .any(|start| name.starts_with(start));
    if keeps || inst.format == Format::Sopk && name != "s_movk_i32" {
        sources.extend(destination.map(|(slot, words)| Source {
            at: At::Slot(slot),
            words,
            part: Part::WHOLE,
        }));
    }
    Scalar {
        rule: rules::of(inst.op.first_name()),
        sources,
        destination,
        reads_scc: reads(RegKind::Scc),
        writes_scc: writes(RegKind::Scc),
        mask: special,
        to_exec: writes(RegKind::Exec),
    }
}
