//! What of a kernel's entry a plan needs.

use crate::values::supplied;
use crate::{Action, Plan, Value};
use std::collections::BTreeSet;

/// What of it a plan needs.
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
        match value {
            Value::KernargPointer => self.kernarg = true,
            Value::DispatchPointer => self.dispatch = true,
            Value::ImplicitArgumentPointer => self.implicit = true,
            Value::DispatchId => self.dispatch_id = true,
            Value::WorkgroupId(dimension @ 0..3) => self.workgroup[usize::from(dimension)] = true,
            Value::WorkitemId(dimension @ 0..3) => self.workitem[usize::from(dimension)] = true,
            _ => {}
        }
    }
}
