//! Registers that hooks ask for and the kernel does not have: what was read there would be another register or nothing at all.

use crate::changes::Changes;
use crate::kernel::named;
use crate::plan_index::PlanIndex;
use crate::registers::RegisterCounts;
use crate::target_tables::TargetTables;
use crate::values::supplied;
use crate::{Action, HookVariants, Kernels, Plan, Refusal, Value};
use isa::{Reg, RegKind};
use lift::{FunctionIndex, Module};
use std::rc::Rc;
use template::Port;

/// A register that an insertion asks for.
struct Asked<'p> {
    insertion: usize,
    hook: &'p str,
    port: String,
    reg: Reg,
}

/// Insertions of a plan that ask for a register which the kernel does not have, by their numbers in the plan, with a refusal of
/// each.
pub fn absent_registers(
    kernels: &Kernels,
    module: &Module,
    kernel: FunctionIndex,
    plan: &Plan<'_>,
) -> Result<Vec<(usize, Refusal)>, Refusal> {
    let function = module.functions.get(kernel);
    let known = function.and_then(|function| kernels.each.get(&function.name));
    let (Some(function), Some((descriptor, _))) = (function, known) else {
        return Ok(Vec::new());
    };
    if asked(plan).next().is_none() {
        return Ok(Vec::new());
    }
    let tables = TargetTables::take(module.target, function.wave_size)?;
    let changes = Changes::new(
        plan,
        &PlanIndex::new(plan).changes,
        module,
        tables.roles.decoder(),
    );
    tables.give_back();
    let functions = module.closure(kernel).into_iter().collect();
    let counts = RegisterCounts::new(descriptor, &named(module, &functions), &changes?);
    // One reason each.
    let mut found: Vec<_> = find(module, plan, &counts).collect();
    found.dedup_by_key(|(insertion, _)| *insertion);
    Ok(found)
}

/// See [`absent_registers`].
pub(crate) fn find<'p>(
    module: &'p Module,
    plan: &'p Plan<'_>,
    counts: &'p RegisterCounts,
) -> impl Iterator<Item = (usize, Refusal)> + 'p {
    asked(plan).filter_map(|asked| {
        let insertion = &plan.insertions[asked.insertion];
        let reason = counts.lacks(asked.reg)?;
        let refusal = Refusal::NoValue {
            hook: asked.hook.to_owned(),
            port: asked.port,
            pc: module.functions[insertion.function]
                .insts
                .pc(insertion.inst),
            reason,
        };
        Some((asked.insertion, refusal))
    })
}

/// The ports of all templates of a hook: any of the templates may be taken.
struct HookPorts<'p> {
    name: &'p str,
    ports: Vec<&'p Port>,
    /// Some of them are registers of the application unless the insertion says otherwise.
    supplied: bool,
}

impl<'p> HookPorts<'p> {
    fn new(hook: &'p HookVariants<'_>) -> HookPorts<'p> {
        let templates = hook.templates.iter();
        let mut ports: Vec<&Port> = templates
            .flat_map(|(.., template)| &template.ports)
            // Ports that the code does not touch need no value.
            .filter(|port| port.dwords.iter().any(Option::is_some))
            .collect();
        ports.sort_by_key(|port| &port.name);
        ports.dedup_by_key(|port| &port.name);
        let is_register = |port: &&Port| matches!(supplied(&port.name), Some(Value::Register(_)));
        HookPorts {
            name: &hook.name,
            supplied: ports.iter().any(is_register),
            ports,
        }
    }
}

/// The registers that hooks ask for, each as wide as what takes it.
fn asked<'p>(plan: &'p Plan<'_>) -> impl Iterator<Item = Asked<'p>> {
    let hooks: Vec<Rc<HookPorts<'p>>> = plan
        .hooks
        .iter()
        .map(|hook| Rc::new(HookPorts::new(hook)))
        .collect();
    let insertions = plan.insertions.iter().enumerate();
    let calls = insertions.filter_map(move |(insertion, what)| {
        let Action::Call {
            hook, arguments, ..
        } = &what.action
        else {
            return None;
        };
        let hook = hooks.get(*hook)?;
        let registers = |(_, value): &(String, Value)| matches!(value, Value::Register(_));
        let any = hook.supplied || arguments.iter().any(registers);
        any.then(|| (insertion, Rc::clone(hook), arguments))
    });
    calls.flat_map(|(insertion, hook, arguments)| {
        let count = hook.ports.len();
        (0..count).filter_map(move |number| {
            let port = hook.ports[number];
            let given = arguments.iter().find(|(name, _)| *name == port.name);
            let value = given.map_or_else(|| supplied(&port.name), |(_, value)| Some(*value));
            let Some(Value::Register(reg)) = value else {
                return None;
            };
            let is_general = matches!(reg.kind, RegKind::Sgpr | RegKind::Vgpr | RegKind::Agpr);
            is_general.then(|| Asked {
                insertion,
                hook: hook.name,
                port: port.described(),
                reg: Reg {
                    width: reg.width.max(port.dwords.len() as u8),
                    ..reg
                },
            })
        })
    })
}
