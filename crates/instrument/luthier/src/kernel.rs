//! Views of a lifted kernel: what a tool reads.

use crate::private_buffer;
use codeobj::{CodeObject, KernelDescriptor, SourceFrame, SourceLines};
use isa::{Decoded, Decoder, Effects, Format, Inst, Operand};
use lift::{BlockIndex, FunctionIndex, InstIndex, Liveness, Module};
use rewrite::MemoryAccess;
use std::{
    cell::{OnceCell, RefCell},
    collections::{HashMap, HashSet},
};

/// One kernel with every function it may call.
///
/// ```
/// use luthier::Kernel;
///
/// /// Instructions of the kernel that access memory, with their source lines.
/// fn accesses(kernel: &Kernel<'_>) -> Vec<String> {
///     let instructions = kernel.functions().flat_map(|function| function.blocks());
///     let instructions = instructions.flat_map(|block| block.instructions());
///     let accesses = instructions.filter(|instruction| instruction.is_memory());
///     accesses
///         .map(|instruction| match instruction.source() {
///             Some((file, line)) => format!("{file}:{line}: {}", instruction.text()),
///             None => format!("{:#x}: {}", instruction.pc(), instruction.text()),
///         })
///         .collect()
/// }
/// ```
pub struct Kernel<'a> {
    pub(crate) object: &'a CodeObject<'a>,
    pub(crate) module: &'a Module,
    pub(crate) lines: Option<&'a SourceLines>,
    /// Made when text is first wanted, which most tools never do.
    decoder: OnceCell<Option<Decoder>>,
    /// Buffer accesses to scratch, of functions that were looked at.
    private_buffers: RefCell<HashMap<FunctionIndex, HashSet<InstIndex>>>,
    pub(crate) index: FunctionIndex,
    reachable: Vec<FunctionIndex>,
}

/// The kernel itself or a device function.
#[derive(Clone, Copy)]
pub struct Function<'a> {
    kernel: &'a Kernel<'a>,
    index: FunctionIndex,
}

/// Instructions entered only at the first and left only behind the last.
#[derive(Clone, Copy)]
pub struct Block<'a> {
    function: Function<'a>,
    index: BlockIndex,
}

/// An instruction of a function. Cheap to copy.
#[derive(Clone, Copy)]
pub struct Instruction<'a> {
    function: Function<'a>,
    index: InstIndex,
}

impl<'a> Kernel<'a> {
    pub(crate) fn new(
        object: &'a CodeObject<'a>,
        module: &'a Module,
        lines: Option<&'a SourceLines>,
        index: FunctionIndex,
    ) -> Kernel<'a> {
        Kernel {
            object,
            module,
            lines,
            decoder: OnceCell::new(),
            private_buffers: RefCell::default(),
            index,
            reachable: module.closure(index),
        }
    }

    /// Its name in the symbol table.
    pub fn name(&self) -> &'a str {
        &self.module.functions[self.index].name
    }

    /// Its name in the source, with parameters.
    pub fn demangled(&self) -> String {
        demangle::readable(self.name())
    }

    /// Processor, e.g. `gfx90a`.
    pub fn target(&self) -> &'static str {
        self.module.target.name
    }

    /// 32 or 64.
    pub fn wave_size(&self) -> u8 {
        self.module.functions[self.index].wave_size
    }

    /// Settings for the hardware at the start of the kernel.
    pub fn descriptor(&self) -> Option<KernelDescriptor> {
        Some(self.object.kernel(self.name()).ok()?.descriptor)
    }

    /// Arguments, sizes and whatever else the compiler noted.
    pub fn metadata(&self) -> Option<codeobj::metadata::KernelMetadata> {
        self.object.metadata().ok()??.kernel(self.name())
    }

    /// Its parameters as in the source, in order, if debug information (`-g`) has them.
    pub fn source_parameters(&self) -> Option<&[codeobj::SourceParameter]> {
        let entry = self.module.functions[self.index].entry;
        self.lines?.parameters(entry)
    }

    /// The kernel first, then everything it may call.
    pub fn functions(&'a self) -> impl Iterator<Item = Function<'a>> {
        self.reachable.iter().map(|&index| Function {
            kernel: self,
            index,
        })
    }

    /// Blocks of all functions that control can reach.
    pub fn blocks(&'a self) -> impl Iterator<Item = Block<'a>> {
        self.functions().flat_map(|function| function.blocks())
    }

    /// Instructions of all blocks.
    pub fn instructions(&'a self) -> impl Iterator<Item = Instruction<'a>> {
        self.blocks().flat_map(|block| block.instructions())
    }
}

impl<'a> Function<'a> {
    fn lifted(&self) -> &'a lift::Function {
        &self.kernel.module.functions[self.index]
    }

    pub(crate) fn index(&self) -> FunctionIndex {
        self.index
    }

    /// Its name in the symbol table.
    pub fn name(&self) -> &'a str {
        &self.lifted().name
    }

    /// Its name in the source, with parameters.
    pub fn demangled(&self) -> String {
        demangle::readable(self.name())
    }

    /// 32 or 64.
    pub(crate) fn wave_size(&self) -> u8 {
        self.lifted().wave_size
    }

    /// Returns `true` if launches start here.
    pub fn is_kernel(&self) -> bool {
        self.index == self.kernel.index
    }

    /// Address in the code object.
    pub fn entry(&self) -> u64 {
        self.lifted().entry
    }

    /// In address order; only those that can be reached.
    pub fn blocks(self) -> impl Iterator<Item = Block<'a>> {
        let blocks = self.lifted().blocks.iter().enumerate();
        blocks
            .filter(|(_, block)| block.reachable && !block.is_empty())
            .map(move |(index, _)| Block {
                function: self,
                index,
            })
    }

    /// Functions it calls, as far as they are known.
    pub fn callees(self) -> impl Iterator<Item = Function<'a>> {
        let callees = self.kernel.module.callees(self.index);
        callees.into_iter().map(move |index| Function {
            kernel: self.kernel,
            index,
        })
    }

    /// Loops and their blocks, outer ones first.
    pub fn loops(&self) -> &'a [lift::Loop] {
        self.lifted().loops()
    }

    /// The registers that may still be read, at each place.
    pub fn liveness(&self) -> &'a Liveness {
        self.kernel.module.liveness(self.index)
    }

    /// Parts of its control flow that are unknown.
    pub fn unresolved(&self) -> &'a [lift::Unresolved] {
        &self.lifted().unresolved
    }
}

impl<'a> Block<'a> {
    fn lifted(&self) -> &'a lift::Block {
        &self.function.lifted().blocks[self.index]
    }

    /// The function that it is part of.
    pub fn function(&self) -> Function<'a> {
        self.function
    }

    /// Number in its function.
    pub fn index(&self) -> BlockIndex {
        self.index
    }

    /// Instructions.
    pub fn len(&self) -> u32 {
        self.lifted().len() as u32
    }

    /// Never, in a function that was decoded.
    pub fn is_empty(&self) -> bool {
        self.lifted().is_empty()
    }

    /// The instruction at which it is entered.
    pub fn first(&self) -> Instruction<'a> {
        self.instruction(self.lifted().first)
    }

    /// The instruction behind which it is left.
    pub fn last(&self) -> Instruction<'a> {
        self.instruction(self.lifted().end - 1)
    }

    /// In address order.
    pub fn instructions(self) -> impl Iterator<Item = Instruction<'a>> {
        self.lifted()
            .range()
            .map(move |index| self.instruction(index))
    }

    /// Blocks of the function that control may go to from here.
    pub fn successors(self) -> impl Iterator<Item = Block<'a>> {
        let edges = self.lifted().successors.iter();
        edges.map(move |edge| Block {
            function: self.function,
            index: edge.to,
        })
    }

    fn instruction(&self, index: InstIndex) -> Instruction<'a> {
        Instruction {
            function: self.function,
            index,
        }
    }
}

impl<'a> Instruction<'a> {
    /// The decoded instruction.
    pub fn decoded(&self) -> Inst<&'a Decoded> {
        self.function.lifted().insts.at(self.index)
    }

    pub(crate) fn index(&self) -> InstIndex {
        self.index
    }

    /// The function that it is part of.
    pub fn function(&self) -> Function<'a> {
        self.function
    }

    /// The block that it is part of.
    pub fn block(&self) -> Block<'a> {
        Block {
            function: self.function,
            index: self.function.lifted().block_of(self.index),
        }
    }

    /// Address in the code object.
    pub fn pc(&self) -> u64 {
        self.function.lifted().insts.pc(self.index)
    }

    /// Without encoding suffix: `v_add_f32`, never `v_add_f32_e64`.
    pub fn mnemonic(&self) -> &'static str {
        self.decoded().mnemonic()
    }

    /// The text that an assembler would read.
    pub fn text(&self) -> String {
        let kernel = self.function.kernel;
        let decoder = kernel.decoder.get_or_init(|| {
            // The module could not have been lifted without one.
            Decoder::with_features(kernel.module.target, kernel.wave_size(), "").ok()
        });
        let text = decoder
            .as_ref()
            .map(|decoder| decoder.print(&self.decoded()));
        text.unwrap_or_else(|| self.mnemonic().to_owned())
    }

    /// Operands in the order of [`Instruction::text`], definitions first, with VCC where the text names it:
    /// `v_cmp_lt_f32_e32 vcc, v1, v2`. Trailing numbers are fields that the text may leave out.
    pub fn operands(&self) -> Vec<Operand> {
        self.decoded().printed().into_vec()
    }

    /// Registers that it writes or reads without naming them in its text, definitions first: SCC, EXEC, M0, MODE, and a
    /// destination that is also a source.
    pub fn implied(&self) -> Vec<Operand> {
        self.decoded().implied().into_vec()
    }

    /// Its effects besides writing its operands, by its encoding.
    pub fn effects(&self) -> Effects {
        self.decoded().effects
    }

    /// Its classes at this place: [`Instruction::effects`], and effects that follow only from the code around it. A jump to the address
    /// that the caller left is a return. A buffer access whose descriptor is that of the wave's private memory accesses scratch.
    pub fn classes(&self) -> Effects {
        let mut classes = self.effects();
        let function = self.function.lifted();
        if classes.contains(Effects::BRANCH | Effects::INDIRECT) {
            let block = &function.blocks[function.block_of(self.index)];
            let last = block.end - 1 == self.index;
            if last && block.leaves.contains(&lift::Leave::Return) {
                classes |= Effects::RETURN;
            }
        }
        let buffer = matches!(self.decoded().format, Format::Mubuf | Format::Mtbuf);
        if buffer && self.is_memory() && self.is_private_buffer() {
            classes |= Effects::SCRATCH;
        }
        classes
    }

    fn is_private_buffer(&self) -> bool {
        let kernel = self.function.kernel;
        let mut known = kernel.private_buffers.borrow_mut();
        let places = known.entry(self.function.index).or_insert_with(|| {
            let given = self.function.is_kernel().then(|| kernel.descriptor());
            private_buffer::accesses(
                kernel.module.target,
                self.function.lifted(),
                given.flatten(),
            )
        });
        places.contains(&self.index)
    }

    /// Reads or writes memory, LDS included.
    pub fn is_memory(&self) -> bool {
        self.effects()
            .intersects(Effects::LOAD | Effects::STORE | Effects::ATOMIC)
    }

    /// Memory access of each lane on its own: not scalar loads.
    pub fn is_vector_memory(&self) -> bool {
        self.is_memory() && !self.effects().contains(Effects::SMEM)
    }

    /// Returns `true` if hooks can have the address that each lane accesses: not where a descriptor decides, for which there are
    /// [`Instruction::buffer_arguments`] and [`Instruction::image_arguments`], nor where M0 or the lane's number does.
    pub fn has_address(&self) -> bool {
        self.is_vector_memory() && self.access().is_some_and(|access| access.address.is_some())
    }

    /// Bytes that each lane accesses, as hooks have them (`luthier::access_size`); `None` if the instruction accesses no memory.
    pub fn access_size(&self) -> Option<u32> {
        self.access().map(|access| access.size)
    }

    /// Returns `true` for scalar loads of which hooks can have the address: not through a buffer's descriptor.
    pub fn has_scalar_address(&self) -> bool {
        self.effects().contains(Effects::SMEM)
            && self.access().is_some_and(|access| access.address.is_some())
    }

    fn access(&self) -> Option<MemoryAccess> {
        MemoryAccess::decode(self.decoded().decoded(), self.family())
    }

    /// VGPRs that a wave has, AccVGPRs not among them.
    pub(crate) fn vgprs(&self) -> Option<u32> {
        let descriptor = self.function.kernel.descriptor()?;
        let all = descriptor.vgpr_count();
        Some(descriptor.accum_offset().map_or(all, |end| end.min(all)))
    }

    pub(crate) fn family(&self) -> gfx::Family {
        self.function.kernel.module.target.family
    }

    /// Goes to one of two places.
    pub fn is_conditional_branch(&self) -> bool {
        self.effects()
            .contains(Effects::BRANCH | Effects::CONDITIONAL)
    }

    /// Returns `true` if EXEC may be different behind it.
    pub fn writes_exec(&self) -> bool {
        let writes = |reg: &isa::Reg| reg.kind == isa::RegKind::Exec;
        let decoded = self.decoded();
        let explicit = decoded.operands.iter().any(|operand| match operand {
            Operand::Def(reg) => writes(reg),
            _ => false,
        });
        explicit || decoded.implicit_defs.iter().any(writes)
    }

    /// File and line, where the object has debug information.
    pub fn source(&self) -> Option<(String, u32)> {
        self.function.kernel.lines?.line(self.pc()).ok()?
    }

    /// Its source, the innermost inlined function first; nothing without debug information.
    pub fn frames(&self) -> Vec<SourceFrame> {
        let lines = self.function.kernel.lines;
        let frames = lines.and_then(|lines| lines.frames(self.pc()).ok());
        frames.unwrap_or_default()
    }

    /// Returns `true` if any dword of a register may be read later, in any lane, when control stands in front of the instruction.
    pub fn is_live_before(&self, reg: isa::Reg) -> bool {
        let function = self.function.lifted();
        let live = self.function.liveness().live_before(function, self.index);
        live.is_live(reg)
    }
}
