//! The result of rewriting.

use codeobj::{
    KernelDescriptor,
    edit::{LineRow, LineUnit},
};
use lift::Module;
use serde::{Deserialize, Serialize};

/// The half of an address that a literal holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AddressHalf {
    /// `R_AMDGPU_ABS32_LO`
    Low,
    /// `R_AMDGPU_ABS32_HI`
    High,
}

/// The object of an address.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Symbol {
    /// An address in the original code object as it was linked.
    Original(u64),
    /// A variable of the tool.
    Tool(String),
    /// An offset in the new text.
    Text(u64),
}

/// A 32-bit literal of the text that becomes half of an address once addresses are known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relocation {
    /// Bytes from the start of the text.
    pub offset: u64,
    pub half: AddressHalf,
    pub symbol: Symbol,
    pub addend: i64,
}

/// A stretch of the new text: where the code at an old address went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PcRun {
    /// Offset in the new text.
    pub new: u64,
    /// Address in the original object.
    pub old: u64,
    /// Bytes of the original from there on whose instructions are here, each as long as it was, with nothing between them. 0: what
    /// one instruction has become, or what was inserted.
    pub length: u64,
    /// The code at `new` was inserted at `old`, it is not the application's.
    pub inserted: bool,
}

/// Where an instruction went, or what was inserted at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PcPair {
    /// Offset in the new text.
    pub new: u64,
    /// Address in the original object.
    pub old: u64,
    /// The code at `new` was inserted at `old`, it is not the application's.
    pub inserted: bool,
}

/// One function of the new text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewFunction {
    pub name: String,
    /// Entry in the original object.
    pub old: u64,
    /// Bytes from the start of the text.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
}

/// The cost of instrumenting one kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Insertions made.
    pub sites: u32,
    /// Instructions of the original kernel with all functions it may call.
    pub instructions_before: u32,
    /// Bytes of code.
    pub text_before: u64,
    pub text_after: u64,
    /// Waits and nops put in front of or behind inserted code.
    pub seam_waits: u32,
    pub seam_nops: u32,
    /// SGPRs of the application that are put aside around inserted code, over all insertions.
    pub saved_scalars: u32,
    /// VGPRs of which lane 0 is put aside, likewise.
    pub saved_lanes: u32,
    /// VGPRs that are put aside in scratch, likewise.
    #[serde(default)]
    pub saved_vectors: u32,
    pub vgprs: (u32, u32),
    pub sgprs: (u32, u32),
    /// Bytes per work-item.
    pub scratch: (u32, u32),
    /// Bytes per workgroup.
    pub lds: (u32, u32),
    /// Waves per SIMD.
    pub occupancy: (u32, u32),
}

/// A rewritten kernel, at no address yet.
#[derive(Clone, Debug)]
pub struct Rewritten {
    pub kernel: String,
    /// The kernel and every function it may call.
    pub text: Vec<u8>,
    /// Offset of the kernel's first instruction in `text`.
    pub entry: u64,
    pub functions: Vec<NewFunction>,
    /// By offset.
    pub relocations: Vec<Relocation>,
    /// Everything but the entry's offset is final.
    pub descriptor: KernelDescriptor,
    /// By new offset, all instructions of the original and one for each insertion.
    pub pcs: Vec<PcRun>,
    /// Source lines of the text, if they were looked for: see [`Rewritten::find_lines`].
    pub lines: Option<Vec<LineRow>>,
    /// The same encoded: see [`Rewritten::encode_lines`].
    pub unit: Option<LineUnit>,
    /// Its scratch has grown, and where the application's ends is known at launches only.
    pub stack_is_unknown: bool,
    pub report: Report,
}

impl Rewritten {
    /// One for each instruction of the original and one for each insertion, by new offset. `module`: what it was made from.
    pub fn pairs<'a>(&'a self, module: &'a Module) -> impl Iterator<Item = PcPair> + 'a {
        self.pcs.iter().flat_map(move |run| {
            let behind = self
                .functions
                .partition_point(|function| function.offset <= run.new);
            let function = behind.checked_sub(1).and_then(|index| {
                let index = module.function_at(self.functions[index].old)?;
                module.functions.get(index)
            });
            let first = function.and_then(|function| function.inst_at(run.old));
            let within = function.into_iter().flat_map(move |function| {
                let count = function.insts.len();
                let insts = first.unwrap_or(count)..count;
                let end = run.old + run.length;
                function.insts.pcs(insts).take_while(move |pc| *pc < end)
            });
            let alone = (run.length == 0).then_some(run.old);
            alone.into_iter().chain(within).map(|old| PcPair {
                new: run.new + (old - run.old),
                old,
                inserted: run.inserted,
            })
        })
    }
}
