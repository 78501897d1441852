//! Entries of the table through which tools look at a kernel's code.

use crate::{
    sized,
    table::{NULL, visit},
};
use std::ffi::c_int;
use tool_abi::structures::{
    RawBlock, RawFrame, RawFunction, RawInstruction, RawKernel, RawLaunch, RawOperand, RawParameter,
};

pub unsafe extern "C" fn count_instructions(kernel_object: u64, count: *mut usize) -> c_int {
    visit(kernel_object, |visit| {
        // SAFETY: null, or the caller's.
        let count = unsafe { count.as_mut() }.ok_or(NULL)?;
        *count = visit.seen()?.instructions.len();
        Ok(())
    })
}

pub unsafe extern "C" fn get_instruction(
    kernel_object: u64,
    index: usize,
    into: *mut RawInstruction,
) -> c_int {
    visit(kernel_object, |visit| {
        let seen = visit.seen()?;
        let instruction = seen.instructions.get(index);
        let instruction = instruction.ok_or("there is no such instruction")?;
        let frame = instruction.frames.first();
        let raw = RawInstruction {
            struct_size: size_of::<RawInstruction>(),
            pc: instruction.pc,
            size: instruction.size,
            index: index as u32,
            // Valid as long as the callback runs.
            mnemonic: instruction.mnemonic.as_ptr(),
            text: instruction.text.as_ptr(),
            classes: instruction.classes,
            line: frame.map_or(0, |frame| frame.line),
            file: frame.map_or(c"".as_ptr(), |frame| frame.file.as_ptr()),
            block: instruction.block,
            operands: instruction.operands.len(),
            frames: instruction.frames.len(),
            chosen: instruction.chosen.into(),
            implied: instruction.implied.len(),
        };
        // SAFETY: null, or the caller's structure of the size that it says.
        unsafe { sized::fill(into, &raw) }
    })
}

pub unsafe extern "C" fn get_kernel(kernel_object: u64, into: *mut RawKernel) -> c_int {
    visit(kernel_object, |visit| {
        let seen = visit.seen()?;
        let raw = RawKernel {
            struct_size: size_of::<RawKernel>(),
            target: seen.target.as_ptr(),
            wave_size: seen.wave_size,
            reserved: 0,
            functions: seen.functions.len(),
            blocks: seen.blocks.len(),
            instructions: seen.instructions.len(),
            parameters: seen.parameters.len(),
        };
        // SAFETY: null, or the caller's structure of the size that it says.
        unsafe { sized::fill(into, &raw) }
    })
}

pub unsafe extern "C" fn get_function(
    kernel_object: u64,
    index: usize,
    into: *mut RawFunction,
) -> c_int {
    visit(kernel_object, |visit| {
        let seen = visit.seen()?;
        let function = seen.functions.get(index);
        let function = function.ok_or("there is no such function")?;
        let raw = RawFunction {
            struct_size: size_of::<RawFunction>(),
            name: function.name.as_ptr(),
            demangled: function.demangled.as_ptr(),
            entry: function.entry,
            first_block: function.first_block,
            blocks: function.blocks,
            callees: function.callees.as_ptr(),
            callee_count: function.callees.len(),
        };
        // SAFETY: null, or the caller's structure of the size that it says.
        unsafe { sized::fill(into, &raw) }
    })
}

pub unsafe extern "C" fn get_block(kernel_object: u64, index: usize, into: *mut RawBlock) -> c_int {
    visit(kernel_object, |visit| {
        let seen = visit.seen()?;
        let block = seen.blocks.get(index).ok_or("there is no such block")?;
        let raw = RawBlock {
            struct_size: size_of::<RawBlock>(),
            function: block.function,
            first: block.first,
            instructions: block.len,
            successors: block.successors.as_ptr(),
            successor_count: block.successors.len(),
            chosen: block.chosen,
        };
        // SAFETY: null, or the caller's structure of the size that it says.
        unsafe { sized::fill(into, &raw) }
    })
}

pub unsafe extern "C" fn get_operand(
    kernel_object: u64,
    index: usize,
    number: usize,
    into: *mut RawOperand,
) -> c_int {
    visit(kernel_object, |visit| {
        let seen = visit.seen()?;
        let instruction = seen.instructions.get(index);
        // Implied operands have the numbers behind the others.
        let operand = instruction.and_then(|instruction| {
            let mut all = instruction.operands.iter().chain(&instruction.implied);
            all.nth(number)
        });
        // SAFETY: null, or the caller's.
        let into = unsafe { into.as_mut() }.ok_or(NULL)?;
        *into = *operand.ok_or("there is no such operand")?;
        Ok(())
    })
}

pub unsafe extern "C" fn get_frame(
    kernel_object: u64,
    index: usize,
    number: usize,
    into: *mut RawFrame,
) -> c_int {
    visit(kernel_object, |visit| {
        let seen = visit.seen()?;
        let instruction = seen.instructions.get(index);
        let frame = instruction.and_then(|instruction| instruction.frames.get(number));
        let frame = frame.ok_or("there is no such frame")?;
        let raw = RawFrame {
            struct_size: size_of::<RawFrame>(),
            function: frame.function.as_ptr(),
            file: frame.file.as_ptr(),
            line: frame.line,
            column: frame.column,
        };
        // SAFETY: null, or the caller's structure of the size that it says.
        unsafe { sized::fill(into, &raw) }
    })
}

pub unsafe extern "C" fn get_parameter(
    kernel_object: u64,
    index: usize,
    into: *mut RawParameter,
) -> c_int {
    visit(kernel_object, |visit| {
        let seen = visit.seen()?;
        let parameter = seen.parameters.get(index);
        let parameter = parameter.ok_or("the kernel has no such parameter")?;
        let raw = RawParameter {
            struct_size: size_of::<RawParameter>(),
            name: parameter.name.as_ptr(),
            type_name: parameter.type_name.as_ptr(),
            offset: parameter.offset,
            size: parameter.size,
            is_pointer: parameter.is_pointer.into(),
            reserved: 0,
        };
        // SAFETY: null, or the caller's structure of the size that it says.
        unsafe { sized::fill(into, &raw) }
    })
}

pub unsafe extern "C" fn is_live(
    kernel_object: u64,
    index: usize,
    file: u32,
    number: u32,
    answer: *mut c_int,
) -> c_int {
    visit(kernel_object, |visit| {
        // SAFETY: null, or the caller's.
        let answer = unsafe { answer.as_mut() }.ok_or(NULL)?;
        *answer = visit.is_live(index, file, number)?.into();
        Ok(())
    })
}

pub unsafe extern "C" fn get_launch(kernel_object: u64, into: *mut RawLaunch) -> c_int {
    visit(kernel_object, |visit| {
        let by = visit.enqueued.as_ref();
        let raw = RawLaunch {
            struct_size: size_of::<RawLaunch>(),
            number: visit.number,
            queue: visit.queue,
            device: visit.device,
            reserved: 0,
            enqueued: by.map_or(0, |(by, _)| by.nanoseconds),
            thread: by.map_or(0, |(by, _)| by.thread),
            reserved2: 0,
            thread_name: by.map_or(std::ptr::null(), |(_, name)| name.as_ptr()),
        };
        // SAFETY: null, or the caller's structure of the size that it says.
        unsafe { sized::fill(into, &raw) }
    })
}
