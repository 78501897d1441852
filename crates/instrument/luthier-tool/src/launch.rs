//! A launch: the kernel's code, its arguments, and what runs.

use crate::{
    Block, Enqueued, Frame, Function, Instruction, Kernel, Operand, Parameter, Plain, Register,
    Result,
    abi::{
        constants,
        structures::{
            DispatchPacket, RawBlock, RawFrame, RawFunction, RawInstruction, RawKernel, RawLaunch,
            RawOperand, RawParameter,
        },
    },
    host::{Error, api, c_string, check, list, text},
};
use std::{
    ffi::{c_char, c_int},
    marker::PhantomData,
};

/// A launch that the tool is told about. Its values hold during the call alone.
pub struct Launch<'a> {
    packet: *mut DispatchPacket,
    kernel: String,
    during: PhantomData<&'a ()>,
}

/// How much is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Work-items.
    pub grid: [u32; 3],
    pub workgroup: [u16; 3],
}

/// Fills a structure of the table's, whose first member is its size.
macro_rules! ask {
    ($type:ty, |$raw:ident| $call:expr) => {{
        // SAFETY: zero is a value of all members.
        let mut $raw: $type = unsafe { std::mem::zeroed() };
        $raw.struct_size = size_of::<$type>();
        // SAFETY: a structure of the size that it says.
        check(unsafe { $call })?;
        $raw
    }};
}

impl Launch<'_> {
    /// # Safety
    /// Luthier's packet and string, which outlive the result.
    pub(crate) unsafe fn new(packet: *mut DispatchPacket, kernel: *const c_char) -> Self {
        Launch {
            packet,
            // SAFETY: the caller's promise.
            kernel: unsafe { text(kernel) },
            during: PhantomData,
        }
    }

    fn packet(&self) -> &DispatchPacket {
        // SAFETY: it lives as long as this.
        unsafe { &*self.packet }
    }

    pub(crate) fn object(&self) -> u64 {
        self.packet().kernel_object
    }

    /// The kernel's name in the code object.
    pub fn kernel_name(&self) -> &str {
        &self.kernel
    }

    pub fn grid(&self) -> Grid {
        let packet = self.packet();
        Grid {
            grid: packet.grid_size,
            workgroup: packet.workgroup_size,
        }
    }

    /// Its number from 0 over all kernels and devices, its queue and its device.
    pub fn number(&self) -> Result<(u64, u64, u32)> {
        let api = api()?;
        let raw = ask!(RawLaunch, |raw| (api.get_launch)(
            self.object(),
            &raw mut raw
        ));
        Ok((raw.number, raw.queue, raw.device))
    }

    /// The thread that enqueued the launch, and when. `None` if the tool hears neither of ends nor of copies: only such tools are told.
    pub fn enqueued(&self) -> Result<Option<Enqueued>> {
        let api = api()?;
        let raw = ask!(RawLaunch, |raw| (api.get_launch)(
            self.object(),
            &raw mut raw
        ));
        // SAFETY: null or a string.
        Ok(unsafe { Enqueued::new(raw.thread, raw.thread_name, raw.enqueued) })
    }

    pub fn kernel(&self) -> Result<Kernel> {
        let api = api()?;
        let raw = ask!(RawKernel, |raw| (api.get_kernel)(
            self.object(),
            &raw mut raw
        ));
        Ok(Kernel {
            // SAFETY: a string.
            target: unsafe { text(raw.target) },
            wave_size: raw.wave_size,
            functions: raw.functions,
            blocks: raw.blocks,
            instructions: raw.instructions,
            parameters: raw.parameters,
        })
    }

    /// The kernel first, then everything that it may call.
    pub fn functions(&self) -> Result<Vec<Function>> {
        let api = api()?;
        let all = 0..self.kernel()?.functions;
        all.map(|index| {
            let raw = ask!(RawFunction, |raw| (api.get_function)(
                self.object(),
                index,
                &raw mut raw
            ));
            // SAFETY: strings, and as many numbers as it says.
            let (name, demangled, callees) = unsafe {
                (
                    text(raw.name),
                    text(raw.demangled),
                    list(raw.callees, raw.callee_count),
                )
            };
            Ok(Function {
                name,
                demangled,
                entry: raw.entry,
                first_block: raw.first_block,
                blocks: raw.blocks,
                callees,
            })
        })
        .collect()
    }

    pub fn blocks(&self) -> Result<Vec<Block>> {
        let api = api()?;
        let all = 0..self.kernel()?.blocks;
        all.map(|index| {
            let raw = ask!(RawBlock, |raw| (api.get_block)(
                self.object(),
                index,
                &raw mut raw
            ));
            Ok(Block {
                index,
                function: raw.function,
                first: raw.first,
                len: raw.instructions,
                // SAFETY: as many numbers as it says.
                successors: unsafe { list(raw.successors, raw.successor_count) },
                chosen: raw.chosen as u32,
            })
        })
        .collect()
    }

    fn raw_instruction(&self, index: usize) -> Result<RawInstruction> {
        let api = api()?;
        Ok(ask!(RawInstruction, |raw| (api.get_instruction)(
            self.object(),
            index,
            &raw mut raw
        )))
    }

    /// The instructions of the kernel and of every function that it may call.
    pub fn instructions(&self) -> Result<Vec<Instruction>> {
        let all = 0..self.kernel()?.instructions;
        all.map(|index| {
            let raw = self.raw_instruction(index)?;
            // SAFETY: strings.
            let (mnemonic, code, file) =
                unsafe { (text(raw.mnemonic), text(raw.text), text(raw.file)) };
            Ok(Instruction {
                index,
                pc: raw.pc,
                size: raw.size,
                mnemonic,
                text: code,
                classes: raw.classes,
                file,
                line: raw.line,
                block: raw.block,
                chosen: raw.chosen != 0,
            })
        })
        .collect()
    }

    /// In the order of the text, definitions first: `v_cmp_lt_f32_e32 vcc, v1, v2` has VCC, v1, v2. Numbers behind the registers
    /// are fields that the text may leave out (offsets, cache policies).
    pub fn operands(&self, instruction: &Instruction) -> Result<Vec<Operand>> {
        let count = self.raw_instruction(instruction.index)?.operands;
        self.numbered_operands(instruction, 0..count)
    }

    /// Registers that the instruction writes or reads without naming them in its text, definitions first: SCC, EXEC, M0, MODE,
    /// and a destination that is also a source (`v_fmac_f32`).
    pub fn implied(&self, instruction: &Instruction) -> Result<Vec<Operand>> {
        let raw = self.raw_instruction(instruction.index)?;
        self.numbered_operands(instruction, raw.operands..raw.operands + raw.implied)
    }

    fn numbered_operands(
        &self,
        instruction: &Instruction,
        numbers: std::ops::Range<usize>,
    ) -> Result<Vec<Operand>> {
        let api = api()?;
        let operand = |number| {
            let mut raw = RawOperand {
                kind: 0,
                file: 0,
                first: 0,
                dwords: 0,
                value: 0,
            };
            let index = instruction.index;
            // SAFETY: a place for the result.
            check(unsafe { (api.get_operand)(self.object(), index, number, &raw mut raw) })?;
            let (kind, first, dwords) = (Register::numbered(raw.file), raw.first, raw.dwords);
            Ok(match raw.kind {
                constants::OPERAND_DEF => Operand::Definition {
                    kind,
                    first,
                    dwords,
                },
                constants::OPERAND_USE => Operand::Use {
                    kind,
                    first,
                    dwords,
                },
                constants::OPERAND_NUMBER => Operand::Number(raw.value),
                constants::OPERAND_DISTANCE => Operand::Distance(raw.value as i64),
                other => return Err(Error::new(format!("there are no operands of kind {other}"))),
            })
        };
        numbers.map(operand).collect()
    }

    pub fn frames(&self, instruction: &Instruction) -> Result<Vec<Frame>> {
        let (api, count) = (api()?, self.raw_instruction(instruction.index)?.frames);
        (0..count)
            .map(|number| {
                let raw = ask!(RawFrame, |raw| (api.get_frame)(
                    self.object(),
                    instruction.index,
                    number,
                    &raw mut raw
                ));
                // SAFETY: strings.
                let (function, file) = unsafe { (text(raw.function), text(raw.file)) };
                Ok(Frame {
                    function,
                    file,
                    line: raw.line,
                    column: raw.column,
                })
            })
            .collect()
    }

    /// True if a register may be read when the instruction runs or later.
    pub fn is_live(&self, instruction: &Instruction, kind: Register, number: u32) -> Result<bool> {
        let (api, mut answer) = (api()?, 0);
        let (object, index) = (self.object(), instruction.index);
        // SAFETY: a place for the result.
        check(unsafe { (api.is_live)(object, index, kind as u32, number, &raw mut answer) })?;
        Ok(answer != 0)
    }

    pub fn parameters(&self) -> Result<Vec<Parameter>> {
        let api = api()?;
        let all = 0..self.kernel()?.parameters;
        all.map(|index| {
            let raw = ask!(RawParameter, |raw| (api.get_parameter)(
                self.object(),
                index,
                &raw mut raw
            ));
            // SAFETY: strings.
            let (name, type_name) = unsafe { (text(raw.name), text(raw.type_name)) };
            Ok(Parameter {
                name,
                type_name,
                offset: raw.offset,
                size: raw.size,
                is_pointer: raw.is_pointer != 0,
            })
        })
        .collect()
    }

    /// An argument of the launch.
    pub fn argument<T: Plain>(&self, parameter: &Parameter) -> Result<T> {
        // SAFETY: the place of an argument, which the application has written.
        Ok(unsafe { self.argument_at::<T>(parameter)?.read_unaligned() })
    }

    /// Changes an argument of the launch, before the kernel reads it.
    pub fn set_argument<T: Plain>(&self, parameter: &Parameter, value: T) -> Result<()> {
        // SAFETY: the place of an argument, which is not read before the launch.
        unsafe { self.argument_at::<T>(parameter)?.write_unaligned(value) };
        Ok(())
    }

    fn argument_at<T>(&self, parameter: &Parameter) -> Result<*mut T> {
        match parameter.size as usize == size_of::<T>() {
            true => {
                let start = self.packet().kernarg_address;
                Ok((start + u64::from(parameter.offset)) as *mut T)
            }
            false => Err(Error::new(format!(
                "the parameter {} has {} bytes, not {}",
                parameter.name,
                parameter.size,
                size_of::<T>()
            ))),
        }
    }

    /// Whether there is a variant of this name.
    pub fn is_instrumented(&self, variant: &str) -> Result<bool> {
        let (api, variant) = (api()?, c_string(variant)?);
        let mut answer: c_int = 0;
        // SAFETY: a string, and a place for the result.
        check(unsafe { (api.is_instrumented)(self.object(), variant.as_ptr(), &raw mut answer) })?;
        Ok(answer != 0)
    }

    /// This launch and later ones run this variant. If there is no such variant yet, the insertions of this call make it.
    pub fn run_instrumented(&self, variant: &str) -> Result<()> {
        let (api, variant) = (api()?, c_string(variant)?);
        // SAFETY: a string.
        check(unsafe { (api.override_with_instrumented)(self.object(), variant.as_ptr()) })
    }

    /// This launch and later ones run the application's own code.
    pub fn run_original(&self) -> Result<()> {
        // SAFETY: a number.
        check(unsafe { (api()?.override_with_original)(self.object()) })
    }

    /// Takes the insertions of this call all together or not at all: if one place cannot take its hook, none is inserted.
    pub fn all_or_nothing(&self) -> Result<()> {
        // SAFETY: a number.
        check(unsafe { (api()?.all_or_nothing)(self.object()) })
    }
}
