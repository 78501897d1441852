//! Code that tools put in the place of the application's or beside it. It is decoded and checked as the application's is: where it
//! jumps, whether the kernel still ends, which registers there have to be.

use crate::block_facts::falls_to;
use crate::plan_index::BySite;
use crate::{Change, ChangeAt, Plan, Point, Refusal};
use isa::{Decoder, Effects};
use lift::registers::{AGPR_BASE, SGPR_COUNT, Span};
use lift::{Access, Function, LiveSet, Module, RegisterSet};

/// Instructions that leave a block at its end.
const FLOW: Effects = Effects::BRANCH
    .union(Effects::END)
    .union(Effects::CALL)
    .union(Effects::RETURN);

/// Jumps whose target only the running kernel knows.
const COMPUTED: Effects = Effects::INDIRECT
    .union(Effects::CALL)
    .union(Effects::RETURN);

/// All changes of a plan.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// Registers that the new code names: the kernel has to have them.
    pub named: RegisterSet,
    /// Registers that may be read later, wherever control is: those of the new code, and of the code that is gone.
    pub live: LiveSet,
    /// By number of the change: bytes of it in front of the first instruction that ends the program.
    ends: Vec<Option<usize>>,
}

/// The effects of a change's new code.
#[derive(Debug, Default)]
struct NewCode {
    /// See [`Changes::ends`].
    end: Option<usize>,
    /// Control does not come out behind it.
    ends: bool,
    /// Branches within itself.
    branches: bool,
}

impl Changes {
    /// Decodes and checks what the plan changes. `places`: its changes by place.
    pub fn new(
        plan: &Plan<'_>,
        places: &BySite,
        module: &Module,
        decoder: &Decoder,
    ) -> Result<Changes, Refusal> {
        let mut changes = Changes::default();
        let counts = !plan.accumulators.is_empty() || !plan.counters.is_empty();
        for at in &plan.changes {
            let function = &module.functions[at.function];
            let refused = |reason: String| Refusal::Change {
                pc: function.insts.pc(at.inst),
                reason,
            };
            if let Change::Add { point, .. } = at.change
                && matches!(point, Point::Edge(_))
            {
                return Err(refused(
                    "machine code goes before an instruction or behind it, not on the way to a block".to_owned(),
                ));
            }
            let here = places.at(at.function, at.inst).iter();
            let mut here = here.map(|(_, number)| &plan.changes[*number].change);
            let differs =
                |other: &Change| takes_the_place(other) && bytes(other) != bytes(&at.change);
            if takes_the_place(&at.change) && here.any(differs) {
                return Err(refused(
                    "two changes take its place, with different code".to_owned(),
                ));
            }
            let bytes = bytes(&at.change);
            let code = changes.decode(bytes, decoder).map_err(refused)?;
            if counts && code.branches && code.end.is_some() {
                return Err(refused(
                    "its text has branches and an end of the program, before which counters are to be added to memory".to_owned(),
                ));
            }
            if takes_the_place(&at.change) {
                changes.without(function, at);
                if !goes_on_as_before(function, at) && !code.ends {
                    return Err(refused(
                        "control would run on into other code; what takes the place of this instruction has to end with s_endpgm"
                            .to_owned(),
                    ));
                }
            }
            changes.ends.push(code.end);
        }
        Ok(changes)
    }

    /// Bytes of a change in front of its first instruction that ends the program, if it has one.
    pub fn end_of(&self, change: usize) -> Option<usize> {
        self.ends.get(change).copied().flatten()
    }

    fn decode(&mut self, bytes: &[u8], decoder: &Decoder) -> Result<NewCode, String> {
        let mut code = NewCode::default();
        let (mut starts, mut targets) = (vec![bytes.len() as u64], Vec::new());
        let mut at = 0;
        while at < bytes.len() {
            let inst = decoder.decode(&bytes[at..], at as u64);
            let inst = inst
                .map_err(|error| format!("its text is no code of the kernel's target: {error}"))?;
            let effects = inst.effects;
            if effects.intersects(COMPUTED) {
                return Err(format!(
                    "where {} jumps to is not known before the kernel runs",
                    inst.mnemonic()
                ));
            }
            if effects.contains(Effects::BRANCH) {
                let target = inst.target();
                targets.push((inst.mnemonic(), target));
                code.branches = true;
            }
            // Without branches, control comes to the first end that there is.
            code.ends = effects.contains(Effects::END) || (code.ends && !code.branches);
            if effects.contains(Effects::END) {
                code.end.get_or_insert(at);
            }
            let access = Access::new(&inst, decoder.wave_size(), false);
            self.keep(&access, true);
            starts.push(at as u64);
            at += usize::from(inst.size);
        }
        match targets
            .iter()
            .find(|(_, target)| target.is_none_or(|target| !starts.contains(&target)))
        {
            Some((mnemonic, _)) => Err(format!(
                "{mnemonic} leaves the text that it is in; a branch can only go to a label of the same text"
            )),
            None => Ok(code),
        }
    }

    /// Notes that an instruction is gone: what it overwrote may be read now.
    fn without(&mut self, function: &Function, at: &ChangeAt) {
        let inst = function.insts.at(at.inst);
        if inst.effects.contains(Effects::CALL) {
            self.live = LiveSet::EVERYTHING;
        }
        self.keep(function.access(at.inst), false);
    }

    /// `new`: the registers have to be there.
    fn keep(&mut self, access: &Access, new: bool) {
        // The original's liveness does not hold here: other lanes are on.
        if access.exec.is_some() || access.indexed != lift::Indexed::default() {
            self.live = LiveSet::EVERYTHING;
        }
        for span in access.reads.iter().chain(&access.writes) {
            if new {
                self.named.insert(*span);
            }
            match *span {
                Span::Scalar(first, count) => self.live.scalars.insert_range(first, count),
                Span::Vector(first, count) => {
                    self.live.active.insert_range(first, count);
                    self.live.inactive.insert_range(first, count);
                }
            }
        }
    }

    /// One more than the highest number of the SGPRs, VGPRs and AccVGPRs that the new code names.
    pub fn ends(&self) -> (u16, u16, u16) {
        let end = |numbers: &mut dyn Iterator<Item = u16>| numbers.max().map_or(0, |last| last + 1);
        let vectors = || self.named.vectors.iter();
        let sgprs = self.named.scalars.iter();
        (
            end(&mut sgprs.filter(|number| *number < SGPR_COUNT)),
            end(&mut vectors().filter(|number| *number < AGPR_BASE)),
            end(&mut vectors().filter_map(|number| number.checked_sub(AGPR_BASE))),
        )
    }
}

/// Returns `true` if the instruction itself is gone.
fn takes_the_place(change: &Change) -> bool {
    match change {
        Change::Remove | Change::Replace(_) => true,
        Change::Add { .. } => false,
    }
}

fn bytes(change: &Change) -> &[u8] {
    match change {
        Change::Remove => &[],
        Change::Replace(bytes) | Change::Add { bytes, .. } => bytes,
    }
}

/// True if control reaches the same code behind the instruction as it did before the change.
fn goes_on_as_before(function: &Function, at: &ChangeAt) -> bool {
    let block = function.block_of(at.inst);
    let is_last = at.inst + 1 == function.blocks[block].end;
    let flows = function.insts.at(at.inst).effects.intersects(FLOW);
    !(is_last && flows) || falls_to(function, block).is_some()
}
