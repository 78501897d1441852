//! Plans: the insertions and changes that a tool asks for.

use lift::{BlockIndex, FunctionIndex, InstIndex};
use std::collections::BTreeMap;
use template::{Bundle, Template};
use tool_abi::HookValue;

/// The point at an instruction where code is inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Point {
    /// Runs whenever the instruction is about to run, also when it is reached by a branch.
    Before,
    /// Runs on the way to the next instruction in memory, behind a call when it has come back; not behind branches that are taken.
    After,
    /// Runs on the way from the block that the instruction ends to this one.
    Edge(BlockIndex),
}

/// A value for a port of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    Constant(u64),
    /// A register of the application at that place: read, and written where the port is written.
    Register(isa::Reg),
    /// A value that every place has, or has a reason not to have.
    Supplied(HookValue),
    /// Address of a variable of a tool plus so many bytes: an index in [`Plan::globals`]. A literal with a relocation.
    ToolAddress {
        global: usize,
        addend: u32,
    },
}

/// Lanes that a hook runs in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Lanes {
    /// As EXEC says at the place; none, if it is zero.
    #[default]
    Active,
    /// Lane 0 alone, whatever EXEC is; EXEC is as before behind the hook. A hook that counts waves must not depend on EXEC.
    First,
}

/// The code that is inserted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Index in [`Plan::hooks`]; arguments by port name, see [`template::parameter`]. Ports without one are supplied from the place.
    Call {
        hook: usize,
        arguments: Vec<(String, Value)>,
        lanes: Lanes,
    },
    /// Adds to a counter that the wave keeps in scalar registers, whatever EXEC is. `slot` is an index in
    /// [`Plan::accumulators`]. Runs once for each time that control passes the place, somewhere in its block.
    Accumulate { slot: usize, amount: u32 },
    /// Adds to element `index` of [`Plan::counters`]`[array]`, likewise. Exact; one that is added 1 at a single place is so up to
    /// 2^32 - 1 in a wave.
    Count {
        array: usize,
        index: usize,
        amount: u32,
    },
}

/// An array of 64-bit counters in memory, which every wave adds to once, at its end. For many counters, such as one per
/// block: they live in lanes of VGPRs and in SGPRs meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterArray {
    /// Index in [`Plan::globals`].
    pub global: usize,
    /// Counters, 8 bytes each.
    pub length: usize,
}

/// One insertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Insertion {
    pub function: FunctionIndex,
    pub inst: InstIndex,
    pub point: Point,
    pub action: Action,
}

/// A change of the application's own code at an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Remove,
    /// Machine code instead of the instruction.
    Replace(Vec<u8>),
    /// Machine code beside the instruction.
    Add {
        point: Point,
        bytes: Vec<u8>,
    },
}

/// A change at an instruction of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeAt {
    pub function: FunctionIndex,
    pub inst: InstIndex,
    pub change: Change,
}

/// One hook in all variants that were built for the kernel's target.
#[derive(Clone, Debug)]
pub struct HookVariants<'t> {
    pub name: String,
    /// By what survives: SCC, VCC.
    pub templates: Vec<(bool, bool, &'t Template)>,
}

impl<'t> HookVariants<'t> {
    /// `None` if the bundle has the hook in no variant for the target.
    pub fn find(bundle: &'t Bundle, hook: &str, target: &str, wave_size: u8) -> Option<Self> {
        HookVariants::find_within(bundle, hook, target, wave_size, || u16::MAX)
    }

    /// For a kernel whose waves have no more VGPRs than `most` says, which is asked only where it matters: where a hook has two
    /// templates for one need, the first that fits, or the first if none does.
    pub fn find_within(
        bundle: &'t Bundle,
        hook: &str,
        target: &str,
        wave_size: u8,
        most: impl FnOnce() -> u16,
    ) -> Option<Self> {
        let entries = bundle.entries.iter().filter(|entry| {
            entry.hook == hook
                && entry.template.target == target
                && entry.template.wave_size == wave_size
        });
        let mut each: BTreeMap<(bool, bool), Vec<&'t Template>> = BTreeMap::new();
        for entry in entries {
            let key = (entry.preserve_scc, entry.preserve_vcc);
            each.entry(key).or_default().push(&entry.template);
        }
        let several = each.values().any(|templates| templates.len() > 1);
        let most = if several { most() } else { u16::MAX };
        let chosen = each.into_iter().map(|((scc, vcc), templates)| {
            let mut fitting = templates.iter().copied();
            let fitting = fitting.find(|template| template.vector_registers() <= most);
            (scc, vcc, fitting.unwrap_or(templates[0]))
        });
        let templates: Vec<_> = chosen.collect();
        (!templates.is_empty()).then(|| HookVariants {
            name: hook.to_owned(),
            templates,
        })
    }

    /// The variant that keeps what must survive and as little else as possible.
    pub fn pick(&self, keep_scc: bool, keep_vcc: bool) -> Option<&'t Template> {
        self.templates
            .iter()
            .filter(|(scc, vcc, _)| (*scc || !keep_scc) && (*vcc || !keep_vcc))
            .min_by_key(|(scc, vcc, _)| u8::from(*scc) + u8::from(*vcc))
            .map(|(_, _, template)| *template)
    }
}

/// A counter of the wave. At every end of the program the hook `flush` runs in lane 0 ([`Lanes::First`]) with the low half in
/// parameter 0, the high half in parameter 1 and the further arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accumulator {
    /// Index in [`Plan::hooks`].
    pub flush: usize,
    /// E.g. for parameter 2, the address of the counter in memory.
    pub arguments: Vec<(String, Value)>,
}

/// Everything that is done to one kernel and the functions it may call.
#[derive(Clone, Debug, Default)]
pub struct Plan<'t> {
    pub hooks: Vec<HookVariants<'t>>,
    /// Several at one point are spliced in this order.
    pub insertions: Vec<Insertion>,
    pub changes: Vec<ChangeAt>,
    pub accumulators: Vec<Accumulator>,
    pub counters: Vec<CounterArray>,
    /// Tool variables whose addresses are arguments; they are [`crate::Symbol::Tool`] in relocations.
    pub globals: Vec<String>,
    /// Bytes of scratch that the launches which it is for give each lane, a multiple of 4, where that is known. Only kernels whose
    /// stack has no size of its own ([`Refusal::DynamicStack`](crate::Refusal::DynamicStack)) depend on it.
    pub stack_size: Option<u32>,
    /// A tool variable of four bytes that becomes other than 0 when a wave goes where no instrumented code is: to an address that
    /// is none of the kernel's code object.
    pub left: Option<String>,
}
