//! One kernel on its way through the passes.

use crate::addresses::KeptAddresses;
use crate::changes::Changes;
use crate::counting::Counting;
use crate::emit::Text;
use crate::encode::Encodings;
use crate::entry::EntryValues;
use crate::instruction::Instruction;
use crate::ir::Code;
use crate::jumps::{JumpRegisters, ReturnSites};
use crate::kernel::{named, prefetch};
use crate::layout::Layout;
use crate::plan_index::PlanIndex;
use crate::registers::{RegisterCounts, RegisterPool};
use crate::roles::Roles;
use crate::target_tables::TargetTables;
use crate::{Kernels, PASSES, Plan, Refusal, Report, Rewritten};
use crate::{absent, dump, mode, preload, room};
use codeobj::resources::{WorkgroupSizes, resources};
use codeobj::{CodeObject, KernelDescriptor, metadata::KernelEntry};
use lift::{Function, FunctionIndex, Module, RegisterSet};
use std::collections::BTreeSet;

/// See the module.
pub(crate) struct Rewriting<'a, 'p> {
    pub module: &'a Module,
    pub kernel: FunctionIndex,
    pub plan: &'p Plan<'p>,
    pub metadata: Option<KernelEntry<'a>>,
    /// As the original has it.
    pub before: &'a KernelDescriptor,
    pub codes: &'a Encodings,
    pub roles: &'a mut Roles,
    pub agenda: PlanIndex,
    /// The kernel and everything it may call.
    pub functions: BTreeSet<FunctionIndex>,
    /// Registers that the application names, or what tools put in its place.
    pub named: RegisterSet,
    pub changes: Changes,
    pub descriptor: KernelDescriptor,
    pub supply: RegisterPool,
    /// True if VGPRs may be spilled to scratch.
    pub spills_vectors: bool,
    /// The place of spilled VGPRs: bytes from the start of a lane's scratch.
    pub scratch: Option<u32>,
    pub spill_slots: u16,
    /// MODE may be another than hooks are compiled for.
    pub foreign_mode: bool,
    pub entry: EntryValues,
    pub counting: Counting,
    pub addresses: KeptAddresses,
    /// For jumps to computed addresses, if there are any and registers are left.
    pub jump_registers: Option<JumpRegisters>,
    pub return_sites: Option<ReturnSites>,
    /// Runs once before the kernel's first instruction.
    pub prologue: Vec<Instruction>,
    pub code: Code<'p>,
    pub layout: Layout,
    pub text: Text,
    pub report: Report,
}

/// Carries `plan` out on a kernel and the functions it may call.
pub fn rewrite(
    object: &CodeObject<'_>,
    module: &Module,
    kernel: FunctionIndex,
    plan: &Plan<'_>,
) -> Result<Rewritten, Refusal> {
    let function = module.functions.get(kernel);
    let name = function.map_or("", |function| &function.name);
    let kernels = Kernels::chosen(object, |known| known == name)?;
    rewrite_of(&kernels, module, kernel, plan)
}

/// The same for many kernels of one object.
pub fn rewrite_of(
    kernels: &Kernels,
    module: &Module,
    kernel: FunctionIndex,
    plan: &Plan<'_>,
) -> Result<Rewritten, Refusal> {
    passes(kernels, module, kernel, plan, None)
}

/// The same. After each pass, `dump` gets the pass's name and the kernel's text.
pub fn rewrite_with_dumps(
    kernels: &Kernels,
    module: &Module,
    kernel: FunctionIndex,
    plan: &Plan<'_>,
    dump: &mut dyn FnMut(&'static str, &str),
) -> Result<Rewritten, Refusal> {
    passes(kernels, module, kernel, plan, Some(dump))
}

/// Gets a pass's name and what a kernel looks like after it.
type Dump<'d> = &'d mut dyn FnMut(&'static str, &str);

fn passes(
    kernels: &Kernels,
    module: &Module,
    kernel: FunctionIndex,
    plan: &Plan<'_>,
    mut dump: Option<Dump<'_>>,
) -> Result<Rewritten, Refusal> {
    let function = module.functions.get(kernel).ok_or(Refusal::BadPlan {
        what: "kernel",
        index: kernel,
    })?;
    let mut known = TargetTables::take(module.target, function.wave_size)?;
    let mut attempt = |spills_vectors| {
        let mut rewriting =
            Rewriting::new(kernels, module, kernel, plan, &mut known, spills_vectors)?;
        for (name, pass) in PASSES {
            pass(&mut rewriting)?;
            if let Some(dump) = &mut dump {
                dump(name, &dump::text(&rewriting)?);
            }
        }
        rewriting.finish()
    };
    let outcome = match attempt(false) {
        // Room in scratch costs every wave something, so it is made only where registers do not suffice.
        Err(refusal) if refusal.is_for_registers() => attempt(true),
        outcome => outcome,
    };
    known.give_back();
    outcome
}

impl<'a, 'p> Rewriting<'a, 'p> {
    fn new(
        kernels: &'a Kernels,
        module: &'a Module,
        kernel: FunctionIndex,
        plan: &'p Plan<'p>,
        known: &'a mut TargetTables,
        spills_vectors: bool,
    ) -> Result<Rewriting<'a, 'p>, Refusal> {
        let function = &module.functions[kernel];
        let (before, entry) = (kernels.each)
            .get(&function.name)
            .ok_or_else(|| Refusal::NoDescriptor(function.name.clone()))?;
        let metadata = kernels.metadata.as_ref().zip(*entry);
        let metadata = metadata.and_then(|(metadata, entry)| metadata.kernel_at(entry));
        let agenda = PlanIndex::new(plan);
        let functions: BTreeSet<_> = module.closure(kernel).into_iter().collect();
        for (index, inst) in agenda.places() {
            let known = functions.contains(&index) && inst < module.functions[index].insts.len();
            if !known {
                return Err(Refusal::BadPlan {
                    what: "an instruction that the kernel does not have, number",
                    index: inst,
                });
            }
        }
        let mut descriptor = before.clone();
        preload::give_up(function, &mut descriptor)?;
        let mut named = named(module, &functions);
        let changes = Changes::new(plan, &agenda.changes, module, known.roles.decoder())?;
        let counts = RegisterCounts::new(before, &named, &changes);
        if let Some((_, refusal)) = absent::find(module, plan, &counts).next() {
            return Err(refusal);
        }
        let supply = RegisterPool::new(&named, &changes, &descriptor, metadata);
        let supply = supply.map_err(|reason| Refusal::Registers {
            what: "code that a tool puts in",
            reason,
        })?;
        named.registers.unite(&changes.named);
        let foreign_mode = mode::is_foreign(
            before,
            functions.iter().map(|index| &module.functions[*index]),
            plan,
        );
        Ok(Rewriting {
            module,
            kernel,
            plan,
            metadata,
            before,
            codes: &known.codes,
            roles: &mut known.roles,
            agenda,
            functions,
            named: named.registers,
            changes,
            descriptor,
            supply,
            spills_vectors,
            scratch: None,
            spill_slots: 0,
            foreign_mode,
            entry: EntryValues::default(),
            counting: Counting::default(),
            addresses: KeptAddresses::default(),
            jump_registers: None,
            return_sites: None,
            prologue: Vec::new(),
            code: Code::default(),
            layout: Layout::default(),
            text: Text::default(),
            report: Report::default(),
        })
    }

    pub fn function(&self) -> &'a Function {
        &self.module.functions[self.kernel]
    }

    /// True if no launch needs more stack than the original descriptor says.
    pub fn stack_is_fixed(&self) -> bool {
        // GCC's kernels have no fixed size at all: what they need is said at the launch.
        let known =
            || self.before.private_segment_size() > 0 && self.module.stack_is_fixed(self.kernel);
        self.before.get("uses_dynamic_stack") != Some(1) || known()
    }

    /// Bytes of scratch that the application has for each lane; `None` if each launch decides.
    pub fn scratch_size(&self) -> Option<u32> {
        let fixed = self.before.private_segment_size();
        match self.stack_is_fixed() {
            true => Some(fixed),
            false => self.plan.stack_size.map(|size| size.max(fixed)),
        }
    }

    fn finish(mut self) -> Result<Rewritten, Refusal> {
        self.supply.apply(&mut self.descriptor)?;
        room::check(self.before, &self.descriptor, self.metadata)?;
        prefetch(&mut self.descriptor, self.text.bytes.len());
        let (before, descriptor) = (self.before, &self.descriptor);
        let grows = before.private_segment_size() < descriptor.private_segment_size();
        let stack_is_unknown = grows && !self.stack_is_fixed();
        let mut report = self.report;
        for &index in &self.functions {
            let function = &self.module.functions[index];
            report.instructions_before += function.insts.len() as u32;
            report.text_before += function.size;
        }
        report.sites = self.plan.insertions.len() as u32;
        report.text_after = self.text.end as u64;
        report.vgprs = (before.vgpr_count(), descriptor.vgpr_count());
        report.sgprs = (before.sgpr_count(), descriptor.sgpr_count());
        report.scratch = (
            before.private_segment_size(),
            descriptor.private_segment_size(),
        );
        report.lds = (before.group_segment_size(), descriptor.group_segment_size());
        let waves = |descriptor| {
            let resources = resources(descriptor, 0, WorkgroupSizes::default());
            resources.occupancy.waves_per_simd
        };
        report.occupancy = (waves(before), waves(descriptor));
        let functions = self.layout.functions;
        Ok(Rewritten {
            kernel: self.module.functions[self.kernel].name.clone(),
            text: self.text.bytes,
            entry: functions.first().map_or(0, |function| function.offset),
            functions,
            relocations: self.text.relocations,
            descriptor: self.descriptor,
            pcs: self.layout.pcs,
            lines: None,
            unit: None,
            stack_is_unknown,
            report,
        })
    }
}
