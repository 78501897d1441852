//! The pass that lowers hooks, one after the other in the order of the code.

use crate::addresses::KeptAddresses;
use crate::block_facts::BlockFacts;
use crate::changes::Changes;
use crate::ir::{Code, Item, SplicePoint};
use crate::lower::{Call, HookSite, Lowering};
use crate::memory::MemoryAccess;
use crate::rewriting::Rewriting;
use crate::{Accumulator, Action, HookVariants, Lanes, Plan, Point, Refusal, Value};
use isa::{Reg, RegKind};
use lift::{Function, FunctionIndex, InstIndex, Module};
use template::parameter;

/// Items that a hook becomes, in most cases no more.
const ITEMS: usize = 8;

pub(crate) fn run(rewriting: &mut Rewriting<'_, '_>) -> Result<(), Refusal> {
    let mut code = std::mem::take(&mut rewriting.code);
    let is_hook = |item: &&Item<'_>| matches!(item, Item::Hook(..) | Item::Flush(_));
    let hooks = code.items.iter().filter(is_hook).count();
    if hooks > 0 {
        let room = Vec::with_capacity(code.items.len() + ITEMS * hooks);
        let items = std::mem::replace(&mut code.items, room);
        let (module, plan) = (rewriting.module, rewriting.plan);
        let mut hooks = Hooks {
            module,
            plan,
            counting: &rewriting.counting,
            addresses: &rewriting.addresses,
            changes: &rewriting.changes,
            facts: BlockFacts::new(module, rewriting.kernel, 0),
            lowering: Lowering {
                codes: rewriting.codes,
                supply: &mut rewriting.supply,
                entry: &rewriting.entry,
                globals: &plan.globals,
                report: &mut rewriting.report,
                spill: None,
                scratch: rewriting.scratch,
                spill_slots: rewriting.spill_slots,
                foreign_mode: rewriting.foreign_mode,
            },
        };
        let mut function = rewriting.kernel;
        for item in items {
            match item {
                Item::Hook(number, spot) => {
                    let spot = code.spots[spot as usize];
                    hooks.call(function, number, spot, &mut code)?;
                }
                Item::Flush(spot) => {
                    let spot = code.spots[spot as usize];
                    hooks.flush(function, spot, &mut code)?;
                }
                item => {
                    if let Item::Function(index) = item {
                        function = index;
                    }
                    code.push(item);
                }
            }
        }
    }
    rewriting.code = code;
    Ok(())
}

struct Hooks<'a, 'p> {
    module: &'a Module,
    plan: &'p Plan<'p>,
    counting: &'a crate::counting::Counting,
    addresses: &'a KeptAddresses,
    changes: &'a Changes,
    /// Facts about the block that was last asked for.
    facts: BlockFacts<'a>,
    lowering: Lowering<'a, 'p>,
}

impl<'p> Hooks<'_, 'p> {
    fn hook(&self, number: usize) -> Result<&'p HookVariants<'p>, Refusal> {
        self.plan.hooks.get(number).ok_or(Refusal::BadPlan {
            what: "hook",
            index: number,
        })
    }

    /// The facts about a place, without the instruction's memory access.
    fn place(
        &mut self,
        index: FunctionIndex,
        spot: SplicePoint,
    ) -> Result<HookSite<'static>, Refusal> {
        if (self.facts.index, self.facts.block) != (index, spot.block) {
            self.facts = BlockFacts::new(self.module, index, spot.block);
        }
        let function = &self.module.functions[index];
        let mut live = self.facts.live(spot.position);
        live.unite(&self.changes.live);
        Ok(HookSite {
            function: index,
            spot,
            pc: function.insts.pc(spot.inst),
            site: 0,
            wave_size: function.wave_size,
            live,
            indexing: index_mode(function, spot.next)?,
            memory: &|| None,
        })
    }

    fn call(
        &mut self,
        index: FunctionIndex,
        number: u32,
        spot: SplicePoint,
        code: &mut Code<'p>,
    ) -> Result<(), Refusal> {
        let plan = self.plan;
        let insertion = &plan.insertions[number as usize];
        let Action::Call {
            hook,
            arguments,
            lanes,
        } = &insertion.action
        else {
            return Ok(());
        };
        let call = Call {
            number: *hook,
            hook: self.hook(*hook)?,
            arguments,
            lanes: *lanes,
        };
        let (function, family) = (&self.module.functions[index], self.module.target.family);
        let kept = self.addresses;
        let memory = || match insertion.point {
            Point::Before => MemoryAccess::decode(&function.insts.at(spot.inst), family),
            Point::After | Point::Edge(_) => kept.behind((index, function), spot.inst, family),
        };
        let place = HookSite {
            site: number as usize,
            memory: &memory,
            ..self.place(index, spot)?
        };
        self.lowering.call(call, &place, code)
    }

    /// Everything that is kept in registers to memory, before the end of the program.
    fn flush(
        &mut self,
        index: FunctionIndex,
        spot: SplicePoint,
        code: &mut Code<'p>,
    ) -> Result<(), Refusal> {
        let place = self.place(index, spot)?;
        let (plan, counting) = (self.plan, self.counting);
        for (accumulator, first) in plan.accumulators.iter().zip(&counting.accumulators) {
            let arguments = flush_arguments(accumulator, *first);
            let call = Call {
                number: accumulator.flush,
                hook: self.hook(accumulator.flush)?,
                arguments: &arguments,
                lanes: Lanes::First,
            };
            self.lowering.call(call, &place, code)?;
        }
        counting.flush(&mut self.lowering, &place, code)
    }
}

/// The counter's halves, from the pair that starts with `first`, and what the plan gives.
fn flush_arguments(accumulator: &Accumulator, first: u16) -> Vec<(String, Value)> {
    let half = |index: u16| {
        Value::Register(Reg {
            kind: RegKind::Sgpr,
            index,
            width: 1,
            half: None,
        })
    };
    let mut arguments = vec![(parameter(0), half(first)), (parameter(1), half(first + 1))];
    arguments.extend(accumulator.arguments.iter().cloned());
    arguments
}

/// The enables of index mode if it is on before the instruction.
fn index_mode(function: &Function, next: InstIndex) -> Result<Option<u8>, Refusal> {
    if !function.indexing_before(next) {
        return Ok(None);
    }
    let first = function.blocks[function.block_of(next)].first;
    let set = (first..next)
        .rev()
        .find_map(|inst| function.insts.at(inst).index_enables());
    match set {
        Some(enables) => Ok(Some(enables)),
        None => Err(Refusal::Place {
            pc: function.insts.pc(next),
            reason: "index mode is on, and was set in another block",
        }),
    }
}
