//! The edits that a tool makes to one kernel.

use crate::{
    Error, Instruction, Kernel, Result, SiteFilter, ToolFile,
    executions::Executions,
    guard,
    parameters::{self, LANES},
};
use isa::{AssembleError, Assembler, Effects, Reg};
use lift::{BlockIndex, FunctionIndex, InstIndex, Leave};
use rewrite::{Action, Change, ChangeAt, HookVariants, Insertion, Lanes, Plan, Point, Value};
use serde_json::value::RawValue;
use session::Unmatched;
use std::collections::{BTreeMap, BTreeSet};
use template::Bundle;
use tool_abi::HookValue;

/// A counter of 64 bits that waves add to; they gather in registers what they can and add it up in memory at their end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Counter(usize);

/// Counters of one kernel, zero at first; [`crate::KernelResults::counters`] has them summed over devices.
#[derive(Clone, Copy, Debug)]
pub struct Counters {
    first: usize,
    len: usize,
}

impl Counters {
    /// Panics when there are not so many.
    pub fn at(&self, index: usize) -> Counter {
        assert!(index < self.len, "{index} of {} counters", self.len);
        Counter(self.first + index)
    }
}

/// A value for a parameter of a hook.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A constant, of which the parameter takes as many low bits as it has.
    Constant(u64),
    /// The application's register; for a reference parameter it is also written.
    Register(Reg),
    /// A value that every place has, or has a reason not to have.
    Value(HookValue),
    /// Address of a variable of the tool, plus bytes.
    Variable(String, u32),
    /// Address of a counter.
    Counter(Counter),
}

impl From<HookValue> for Argument {
    fn from(value: HookValue) -> Argument {
        Argument::Value(value)
    }
}

impl From<u32> for Argument {
    fn from(value: u32) -> Argument {
        Argument::Constant(value.into())
    }
}

impl From<u64> for Argument {
    fn from(value: u64) -> Argument {
        Argument::Constant(value)
    }
}

impl From<Reg> for Argument {
    fn from(reg: Reg) -> Argument {
        Argument::Register(reg)
    }
}

impl From<Counter> for Argument {
    fn from(counter: Counter) -> Argument {
        Argument::Counter(counter)
    }
}

/// The end of the program, as the summary has it.
const THE_END: &str = "the end of the program (s_endpgm)";

/// `place.count(counter, amount)`, lowered by the engine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Count {
    pub function: FunctionIndex,
    pub inst: InstIndex,
    pub point: Point,
    pub counter: usize,
    pub amount: u32,
    /// Insertions of the plan in front of this one.
    pub order: usize,
}

/// Collects what one tool wants done to one kernel.
///
/// ```
/// use luthier::{Edit, HookValue, Kernel, Result, isa::Effects};
///
/// /// Hands the addresses and sizes of stores to a hook, and takes `s_nop` out.
/// fn instrument(kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()> {
///     for instruction in kernel.instructions() {
///         if instruction.mnemonic() == "s_nop" {
///             edit.remove(&instruction);
///         } else if instruction.has_address() && instruction.effects().contains(Effects::STORE) {
///             let arguments = [HookValue::EffectiveAddress, HookValue::AccessSize];
///             edit.before(&instruction).call("on_store", arguments)?;
///         }
///     }
///     Ok(())
/// }
/// ```
#[derive(Clone)]
pub struct Edit<'k> {
    kernel: &'k Kernel<'k>,
    file: &'k ToolFile,
    /// Modules that the tool has loaded in addition.
    pub(crate) modules: Vec<&'static ToolFile>,
    filter: &'k SiteFilter,
    /// Variable with this kernel's counters.
    counters_name: String,
    pub(crate) plan: Plan<'k>,
    /// The names by which the plan's hooks were requested.
    hook_names: Vec<String>,
    pub(crate) counts: Vec<Count>,
    pub(crate) counters: usize,
    pub(crate) data: Box<RawValue>,
    pub(crate) notes: Vec<String>,
    /// Hooks that found no place.
    pub(crate) unmatched: Vec<Unmatched>,
    choice: u32,
    object_hash: [u8; 32],
    /// Instructions behind which control goes where nothing can be inserted, by what they do.
    pub(crate) unreached: BTreeMap<&'static str, BTreeSet<(FunctionIndex, InstIndex)>>,
    /// No hook may be left out.
    pub(crate) whole: bool,
}

/// A place in the code, for one insertion or several.
///
/// ```
/// use luthier::{Edit, HookValue, Kernel, Result};
///
/// /// Where the kernel begins: a hook for the wave, with the number of the launch, and one more for a counter.
/// fn instrument(kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()> {
///     let waves = edit.counters(1).at(0);
///     if let Some(entry) = kernel.blocks().next() {
///         let point = edit.at_block(&entry).once();
///         point.call("on_wave", [HookValue::DispatchId])?.count(waves, 1)?;
///     }
///     Ok(())
/// }
/// ```
pub struct InsertionPoint<'e, 'k> {
    edit: &'e mut Edit<'k>,
    function: FunctionIndex,
    inst: InstIndex,
    point: Point,
    /// Ways on which it goes as well.
    further: Vec<Point>,
    /// Ways in which control leaves the instruction without passing any of these points.
    unreached: Vec<&'static str>,
    allowed: bool,
    lanes: Lanes,
}

impl<'k> Edit<'k> {
    pub(crate) fn new(
        kernel: &'k Kernel<'k>,
        file: &'k ToolFile,
        filter: &'k SiteFilter,
        counters_name: String,
        choice: u32,
        object_hash: [u8; 32],
    ) -> Edit<'k> {
        Edit {
            counters_name,
            kernel,
            file,
            modules: Vec::new(),
            filter,
            plan: Plan::default(),
            hook_names: Vec::new(),
            counts: Vec::new(),
            counters: 0,
            data: RawValue::NULL.to_owned(),
            notes: Vec::new(),
            unmatched: Vec::new(),
            choice,
            object_hash,
            unreached: BTreeMap::new(),
            whole: false,
        }
    }

    /// The answer of [`crate::Tool::choose`]; 1 for tools that are not asked.
    pub fn choice(&self) -> u32 {
        self.choice
    }

    /// SHA-256 of the kernel's code object.
    pub fn object_hash(&self) -> &[u8; 32] {
        &self.object_hash
    }

    /// Dwords of a hook's parameter, counted from 0; `None` if it has none of that number.
    pub fn parameter_dwords(&mut self, hook: &str, index: usize) -> Result<Option<usize>> {
        let hook = self.hook(hook)?;
        let (_, _, template) = self.plan.hooks[hook].templates[0];
        Ok(parameters::dwords(template, index))
    }

    /// Reserves `len` new counters.
    pub fn counters(&mut self, len: usize) -> Counters {
        let first = self.counters;
        self.counters += len;
        Counters { first, len }
    }

    /// Keeps something about this kernel for [`crate::KernelResults::data`]; it stays with the kernel in the cache.
    pub fn attach(&mut self, data: impl serde::Serialize) -> Result<()> {
        self.data = serde_json::value::to_raw_value(&data)?;
        Ok(())
    }

    /// A remark on this kernel for the user, in the summary.
    pub fn note(&mut self, remark: impl Into<String>) {
        self.notes.push(remark.into());
    }

    /// A hook that found no place in this kernel; the summary speaks of it if it found none in any.
    pub(crate) fn unmatched(&mut self, unmatched: Unmatched) {
        self.unmatched.push(unmatched);
    }

    /// Says that this tool's hooks are useful only if all of them go in. If a place cannot take one of them, the kernel runs without tools,
    /// and the summary says why. Without this call, only such a place is left out.
    pub fn all_or_nothing(&mut self) {
        self.whole = true;
    }

    /// Whenever the instruction is about to run.
    pub fn before(&mut self, instruction: &Instruction<'_>) -> InsertionPoint<'_, 'k> {
        self.place(instruction, Point::Before)
    }

    /// The point where a block begins. The user has chosen it if any of the block's instructions is chosen.
    pub fn at_block(&mut self, block: &crate::Block<'_>) -> InsertionPoint<'_, 'k> {
        let allowed = self.chosen(block) != 0;
        InsertionPoint {
            allowed,
            ..self.before(&block.first())
        }
    }

    /// Whenever the instruction has run, wherever control goes on in its function: to the next instruction in memory, on the way of
    /// a branch that is taken, back from a call. Nothing comes behind the end of the program, a return, and a jump to another
    /// function or to a computed address; the summary says at how many places that left something out.
    pub fn after(&mut self, instruction: &Instruction<'_>) -> InsertionPoint<'_, 'k> {
        let function = &self.kernel.module.functions[instruction.function().index()];
        let number = function.block_of(instruction.index());
        let block = &function.blocks[number];
        let (mut further, mut unreached) = (Vec::new(), Vec::new());
        if instruction.index() + 1 == block.end {
            let calls = block.call.is_some();
            let anywhere = !calls && block.leaves.contains(&Leave::Anywhere);
            let taken = block.successors.iter().filter(|edge| edge.to != number + 1);
            // A jump that may go elsewhere as well is not led through what is inserted on its known ways.
            further.extend(taken.filter(|_| !anywhere).map(|edge| Point::Edge(edge.to)));
            let taken_to_next = instruction.effects().contains(Effects::INDIRECT) && !calls;
            let next = block.successors.iter().any(|edge| edge.to == number + 1);
            if next && taken_to_next && !anywhere {
                further.push(Point::Edge(number + 1));
            }
            unreached.extend(block.leaves.iter().filter_map(|leave| match leave {
                Leave::End => Some(THE_END),
                Leave::Return => Some("returns"),
                Leave::TailCall(_) => Some("jumps to other functions"),
                Leave::Anywhere if calls => None,
                Leave::Anywhere => Some("jumps to computed addresses"),
            }));
        }
        InsertionPoint {
            further,
            unreached,
            ..self.place(instruction, Point::After)
        }
    }

    /// On the way from a block's last instruction to another block.
    pub fn edge(&mut self, from: &crate::Block<'_>, to: BlockIndex) -> InsertionPoint<'_, 'k> {
        self.place(&from.last(), Point::Edge(to))
    }

    /// Returns `true` if the user's `--site` chooses the instruction. Insertions elsewhere are left out unless they are
    /// [`InsertionPoint::for_others`].
    pub fn chooses(&self, instruction: &Instruction<'_>) -> bool {
        self.filter.allows(instruction)
    }

    /// How many instructions of a block the user chose.
    pub fn chosen(&self, block: &crate::Block<'_>) -> u32 {
        if self.filter.is_empty() {
            return block.len();
        }
        let instructions = block.instructions();
        instructions.filter(|at| self.chooses(at)).count() as u32
    }

    /// Takes the instruction out.
    pub fn remove(&mut self, instruction: &Instruction<'_>) {
        self.change(instruction, Change::Remove);
    }

    /// Puts other instructions in its place, in the assembler's language.
    pub fn replace(&mut self, instruction: &Instruction<'_>, text: &str) -> Result<()> {
        let bytes = self.assemble(text)?;
        self.change(instruction, Change::Replace(bytes));
        Ok(())
    }

    fn place(&mut self, instruction: &Instruction<'_>, point: Point) -> InsertionPoint<'_, 'k> {
        InsertionPoint {
            allowed: self.filter.allows(instruction),
            function: instruction.function().index(),
            inst: instruction.index(),
            point,
            further: Vec::new(),
            unreached: Vec::new(),
            lanes: Lanes::Active,
            edit: self,
        }
    }

    fn change(&mut self, instruction: &Instruction<'_>, change: Change) {
        if self.filter.allows(instruction) {
            self.plan.changes.push(ChangeAt {
                function: instruction.function().index(),
                inst: instruction.index(),
                change,
            });
        }
    }

    fn assemble(&self, text: &str) -> Result<Vec<u8>> {
        let failed = |reason: String| Error::Assemble {
            text: text.to_owned(),
            reason,
        };
        let target = self.kernel.module.target;
        let assembler = Assembler::with_features(target, self.kernel.wave_size(), "")
            .map_err(|error| failed(error.to_string()))?;
        assembler.assemble(text).map_err(|error| {
            failed(match error {
                AssembleError::Empty => {
                    format!("{error}; an instruction is taken out with `remove`")
                }
                other => other.to_string(),
            })
        })
    }

    /// The file that has a hook or variable, and what it is called there.
    fn owner<'n>(&self, name: &'n str) -> (&'k ToolFile, &'n str) {
        let module = name.split_once('/').and_then(|(file, name)| {
            let mut files = std::iter::once(self.file).chain(self.modules.iter().copied());
            Some((files.find(|known| known.name() == file)?, name))
        });
        module.unwrap_or((self.file, name))
    }

    fn has_hook(&self, name: &str) -> bool {
        let (file, name) = self.owner(name);
        let entries = &file.bundle().entries;
        entries.iter().any(|entry| entry.hook == name)
    }

    /// The executions of places that the user lets tools see.
    pub(crate) fn executions(&self) -> &'k Executions {
        self.filter.executions()
    }

    /// How many places need counts of their executions.
    pub(crate) fn counted_executions(&self) -> usize {
        match self.executions().are_counted() {
            true => self.plan.insertions.len() + self.counts.len(),
            false => 0,
        }
    }

    /// The hook with this number in the plan, kept to the executions that the user chose: the number of that one.
    pub(crate) fn guarded(&mut self, hook: usize) -> Result<usize> {
        let name = self.hook_names[hook].clone();
        let (file, own_name) = self.owner(&name);
        let variants = self.variants(file.guarded(self.executions()), own_name);
        let variants = variants.ok_or_else(|| guard::missing(file.name(), own_name))?;
        self.plan.hooks.push(variants);
        self.hook_names.push(format!("{name} of some executions"));
        Ok(self.plan.hooks.len() - 1)
    }

    /// A hook's templates for the kernel.
    fn variants(&self, bundle: &'k Bundle, hook: &str) -> Option<HookVariants<'k>> {
        let kernel = self.kernel;
        let most = || rewrite::most_vgprs_of_hooks(kernel.object, kernel.name());
        let made_for =
            |target| HookVariants::find_within(bundle, hook, target, kernel.wave_size(), most);
        let generic = || made_for(kernel.module.target.generic()?.name);
        let mut found = made_for(kernel.target()).or_else(generic)?;
        // The name that its author gave it.
        if let Some(name) = hook.strip_suffix(LANES) {
            found.name = name.to_owned();
        }
        Some(found)
    }

    pub(crate) fn hook(&mut self, name: &str) -> Result<usize> {
        if let Some(index) = self.hook_names.iter().position(|known| known == name) {
            return Ok(index);
        }
        let kernel = self.kernel;
        let (file, own_name) = self.owner(name);
        let variants = self.variants(file.bundle(), own_name);
        let variants = variants.ok_or_else(|| Error::NoHook {
            tool: file.name().to_owned(),
            hook: own_name.to_owned(),
            target: kernel.target().to_owned(),
            wave_size: kernel.wave_size(),
            known: format!(
                "its hooks: {}; built for {}",
                file.hooks().join(", "),
                file.targets().join(", ")
            ),
        })?;
        self.plan.hooks.push(variants);
        self.hook_names.push(name.to_owned());
        Ok(self.plan.hooks.len() - 1)
    }

    pub(crate) fn global(&mut self, name: String) -> usize {
        let known = self.plan.globals.iter().position(|global| *global == name);
        known.unwrap_or_else(|| {
            self.plan.globals.push(name);
            self.plan.globals.len() - 1
        })
    }

    pub(crate) fn value(&mut self, argument: &Argument) -> Result<Value> {
        Ok(match argument {
            Argument::Constant(value) => Value::Constant(*value),
            Argument::Register(reg) => Value::Register(*reg),
            Argument::Value(value) => (*value).into(),
            Argument::Variable(name, addend) => {
                let (file, own_name) = self.owner(name);
                let global = file.global(own_name).ok_or_else(|| Error::NoGlobal {
                    tool: file.name().to_owned(),
                    name: own_name.to_owned(),
                })?;
                let global = global.name.clone();
                Value::ToolAddress {
                    global: self.global(global),
                    addend: *addend,
                }
            }
            Argument::Counter(counter) => self.counter_address(counter.0),
        })
    }

    /// Index of the variable with this kernel's counters.
    pub(crate) fn counters_global(&mut self) -> usize {
        self.global(self.counters_name.clone())
    }

    pub(crate) fn counter_address(&mut self, counter: usize) -> Value {
        Value::ToolAddress {
            global: self.counters_global(),
            addend: counter as u32 * 8,
        }
    }
}

impl InsertionPoint<'_, '_> {
    /// Hooks from here on run in lane 0 alone, whatever EXEC is: for what happens once a wave.
    pub fn once(mut self) -> Self {
        self.lanes = Lanes::First;
        self
    }

    /// Hooks that are inserted here from now on serve chosen instructions elsewhere. They are inserted even if the user has not chosen this
    /// instruction.
    pub fn for_others(mut self) -> Self {
        self.allowed = true;
        self
    }

    /// Inserts a hook.
    pub fn call(
        mut self,
        hook: &str,
        arguments: impl IntoIterator<Item = impl Into<Argument>>,
    ) -> Result<Self> {
        if !self.allowed {
            return Ok(self);
        }
        let arguments: Vec<Argument> = arguments.into_iter().map(Into::into).collect();
        // A hook whose parameters may lie anywhere has a variant for values of lanes.
        let lanes = format!("{hook}{LANES}");
        let hook = match arguments.iter().any(parameters::is_per_lane) {
            true if self.edit.has_hook(&lanes) => self.edit.hook(&lanes)?,
            _ => self.edit.hook(hook)?,
        };
        let (name, template) = {
            let variants = &self.edit.plan.hooks[hook];
            (variants.name.clone(), variants.templates[0].2)
        };
        let wanted = parameters::count(template);
        if wanted > arguments.len() {
            return Err(Error::Argument {
                hook: name,
                index: arguments.len(),
                reason: format!("no argument is given for it; the hook has {wanted} parameters"),
            });
        }
        let mut values = Vec::new();
        for (index, argument) in arguments.into_iter().enumerate() {
            parameters::fits(&name, template, index, &argument)?;
            let value = self.edit.value(&argument)?;
            values.push((template::parameter(index), value));
        }
        for point in self.points() {
            self.edit.plan.insertions.push(Insertion {
                function: self.function,
                inst: self.inst,
                point,
                action: Action::Call {
                    hook,
                    arguments: values.clone(),
                    lanes: self.lanes,
                },
            });
        }
        self.note_unreached();
        Ok(self)
    }

    fn points(&self) -> Vec<Point> {
        let further = self.further.iter().copied();
        std::iter::once(self.point).chain(further).collect()
    }

    /// Something is inserted that does not run on all ways behind the instruction.
    fn note_unreached(&mut self) {
        let place = (self.function, self.inst);
        for what in &self.unreached {
            self.edit.unreached.entry(what).or_default().insert(place);
        }
    }

    /// Adds to a counter once for the wave, also when no lane is active.
    pub fn count(mut self, counter: Counter, amount: u32) -> Result<Self> {
        if self.allowed {
            for point in self.points() {
                self.edit.counts.push(Count {
                    function: self.function,
                    inst: self.inst,
                    point,
                    counter: counter.0,
                    amount,
                    order: self.edit.plan.insertions.len(),
                });
            }
            self.note_unreached();
        }
        Ok(self)
    }

    /// Adds instructions in the assembler's language. Nothing is saved around them. They do not run if the instruction is a branch that is
    /// taken.
    pub fn assembly(mut self, text: &str) -> Result<Self> {
        if self.allowed {
            if !self.further.is_empty() {
                self.unreached.push("branches that are taken");
            }
            self.note_unreached();
            let bytes = self.edit.assemble(text)?;
            self.edit.plan.changes.push(ChangeAt {
                function: self.function,
                inst: self.inst,
                change: Change::Add {
                    point: self.point,
                    bytes,
                },
            });
        }
        Ok(self)
    }
}
