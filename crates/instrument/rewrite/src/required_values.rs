//! The values of a kernel's entry that a plan needs.

use crate::values::supplied;
use crate::{Action, Plan, Value};
use std::collections::BTreeSet;
use tool_abi::HookValue;

/// The values of the entry that a plan needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RequiredValues {
    pub kernarg: bool,
    pub dispatch: bool,
    pub implicit: bool,
    pub dispatch_id: bool,
    pub workgroup: [bool; 3],
    pub workitem: [bool; 3],
}

impl RequiredValues {
    pub fn new(plan: &Plan<'_>) -> RequiredValues {
        let mut needs = RequiredValues::default();
        let mut seen = BTreeSet::new();
        for insertion in &plan.insertions {
            let Action::Call {
                hook, arguments, ..
            } = &insertion.action
            else {
                continue;
            };
            arguments.iter().for_each(|(_, value)| needs.add(*value));
            if let Some(variants) = plan.hooks.get(*hook).filter(|_| seen.insert(*hook)) {
                needs.add_ports(variants, arguments);
            }
        }
        for accumulator in &plan.accumulators {
            if let Some(variants) = plan.hooks.get(accumulator.flush) {
                needs.add_ports(variants, &[]);
            }
        }
        needs
    }

    fn add_ports(&mut self, variants: &crate::HookVariants<'_>, given: &[(String, Value)]) {
        for (_, _, template) in &variants.templates {
            for port in &template.ports {
                let is_given = given.iter().any(|(name, _)| *name == port.name);
                // Ports that the code does not touch need no value.
                let touched = port.dwords.iter().any(Option::is_some);
                if let Some(value) = supplied(&port.name).filter(|_| !is_given && touched) {
                    self.add(value);
                }
            }
        }
    }

    fn add(&mut self, value: Value) {
        let Value::Supplied(value) = value else {
            return;
        };
        match value {
            HookValue::KernargPointer => self.kernarg = true,
            HookValue::DispatchPointer => self.dispatch = true,
            HookValue::ImplicitArgumentPointer => self.implicit = true,
            HookValue::DispatchId => self.dispatch_id = true,
            HookValue::WorkgroupId(dimension) => {
                if let Some(needed) = self.workgroup.get_mut(usize::from(dimension)) {
                    *needed = true;
                }
            }
            HookValue::WorkitemId(dimension) => {
                if let Some(needed) = self.workitem.get_mut(usize::from(dimension)) {
                    *needed = true;
                }
            }
            // Every place has these without the entry's help; the stack is kept for hooks with variables in memory.
            HookValue::Site
            | HookValue::Pc
            | HookValue::Exec
            | HookValue::Scc
            | HookValue::Vcc
            | HookValue::M0
            | HookValue::Mode
            | HookValue::EffectiveAddress
            | HookValue::AccessSize
            | HookValue::AccessKind
            | HookValue::Stack => {}
        }
    }
}
