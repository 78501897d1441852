//! The functions that a tool may call while it is told about a launch, as `luthier_api` in `include/luthier.h` has them.

use crate::tool::Visit;
use std::{
    cell::RefCell,
    ffi::{CStr, CString, c_char, c_int},
    panic::catch_unwind,
};

/// `luthier_raw_instr`.
#[repr(C)]
pub struct RawInstruction {
    struct_size: usize,
    pc: u64,
    size: u32,
    index: u32,
    mnemonic: *const c_char,
    text: *const c_char,
}
const _: () = assert!(size_of::<RawInstruction>() == 40);

/// `luthier_arg`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RawArgument {
    pub kind: u32,
    pub reserved: u32,
    pub value: u64,
}
const _: () = assert!(size_of::<RawArgument>() == 16);

/// `luthier_api`.
#[repr(C)]
pub struct Api {
    struct_size: usize,
    count_instructions: extern "C" fn(u64) -> usize,
    get_instruction: unsafe extern "C" fn(u64, usize, *mut RawInstruction) -> c_int,
    insert_call:
        unsafe extern "C" fn(u64, usize, *const c_char, c_int, *const RawArgument, usize) -> c_int,
    is_instrumented: extern "C" fn(u64) -> c_int,
    override_with_instrumented: extern "C" fn(u64) -> c_int,
    last_error: extern "C" fn() -> *const c_char,
}
const _: () = assert!(size_of::<Api>() == 56);

pub static API: Api = Api {
    struct_size: size_of::<Api>(),
    count_instructions,
    get_instruction,
    insert_call,
    is_instrumented,
    override_with_instrumented,
    last_error,
};

thread_local! {
    /// The launch that the tool is being told about on this thread.
    pub static CURRENT: RefCell<Option<Visit>> = const { RefCell::new(None) };
    static REASON: RefCell<CString> = RefCell::default();
}

/// Runs `act` on the launch of this kernel; 1 and a reason if that is not possible.
fn visit(kernel_object: u64, act: impl FnOnce(&mut Visit) -> Result<(), String>) -> c_int {
    let acted = catch_unwind(std::panic::AssertUnwindSafe(|| {
        CURRENT.with_borrow_mut(|current| match current {
            Some(visit) if visit.kernel_object == kernel_object => act(visit),
            Some(_) => Err("that kernel object is not the one of this launch".to_owned()),
            None => Err("this may be called for a launch only, in luthier_at_hsa_event".to_owned()),
        })
    }));
    let result = acted.unwrap_or_else(|_| Err("internal error".to_owned()));
    match result {
        Ok(()) => 0,
        Err(reason) => {
            REASON.with_borrow_mut(|kept| *kept = CString::new(reason).unwrap_or_default());
            1
        }
    }
}

extern "C" fn count_instructions(kernel_object: u64) -> usize {
    let mut count = 0;
    visit(kernel_object, |visit| {
        count = visit.instructions.len();
        Ok(())
    });
    count
}

unsafe extern "C" fn get_instruction(
    kernel_object: u64,
    index: usize,
    into: *mut RawInstruction,
) -> c_int {
    visit(kernel_object, |visit| {
        let instruction = visit
            .instructions
            .get(index)
            .ok_or("there is no such instruction")?;
        // SAFETY: null, or the caller's structure.
        let into = unsafe { into.as_mut() }.ok_or("there is nowhere to write it to")?;
        if into.struct_size < size_of::<RawInstruction>() {
            return Err("the structure is too small".to_owned());
        }
        into.pc = instruction.pc;
        into.size = instruction.size;
        into.index = index as u32;
        // Valid as long as the callback runs.
        into.mnemonic = instruction.mnemonic.as_ptr();
        into.text = instruction.text.as_ptr();
        Ok(())
    })
}

unsafe extern "C" fn insert_call(
    kernel_object: u64,
    index: usize,
    hook: *const c_char,
    point: c_int,
    arguments: *const RawArgument,
    count: usize,
) -> c_int {
    visit(kernel_object, |visit| {
        if hook.is_null() || (arguments.is_null() && count != 0) {
            return Err("a pointer is null".to_owned());
        }
        // SAFETY: a string, and as many arguments as the caller says.
        let (hook, arguments) = unsafe {
            let hook = CStr::from_ptr(hook).to_string_lossy().into_owned();
            let arguments = match count {
                0 => Vec::new(),
                _ => std::slice::from_raw_parts(arguments, count).to_vec(),
            };
            (hook, arguments)
        };
        visit.insert(index, hook, point, &arguments)
    })
}

extern "C" fn is_instrumented(kernel_object: u64) -> c_int {
    let mut instrumented = false;
    visit(kernel_object, |visit| {
        instrumented = visit.instrumented;
        Ok(())
    });
    instrumented.into()
}

extern "C" fn override_with_instrumented(kernel_object: u64) -> c_int {
    visit(kernel_object, |visit| {
        visit.overridden = true;
        Ok(())
    })
}

extern "C" fn last_error() -> *const c_char {
    REASON.with_borrow(|reason| reason.as_ptr())
}
