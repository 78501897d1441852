//! The functions that a tool may call, as `luthier_api` in `include/luthier.h` has them.

use crate::{
    variables::Variables,
    visit::{Visit, Wanted},
};
use std::{
    cell::RefCell,
    ffi::{CStr, CString, c_char, c_int, c_void},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
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
    count_instructions: unsafe extern "C" fn(u64, *mut usize) -> c_int,
    get_instruction: unsafe extern "C" fn(u64, usize, *mut RawInstruction) -> c_int,
    insert_call:
        unsafe extern "C" fn(u64, usize, *const c_void, c_int, *const RawArgument, usize) -> c_int,
    is_instrumented: unsafe extern "C" fn(u64, *const c_char, *mut c_int) -> c_int,
    override_with_instrumented: unsafe extern "C" fn(u64, *const c_char) -> c_int,
    override_with_original: extern "C" fn(u64) -> c_int,
    last_error: extern "C" fn() -> *const c_char,
    copy_to_variable: unsafe extern "C" fn(*const c_void, *const c_void, usize, usize) -> c_int,
    copy_from_variable: unsafe extern "C" fn(*mut c_void, *const c_void, usize, usize) -> c_int,
    variable: unsafe extern "C" fn(*const c_void, *mut *mut c_void, *mut usize) -> c_int,
    allocate: unsafe extern "C" fn(*mut *mut c_void, usize, c_int) -> c_int,
    release: extern "C" fn(*mut c_void) -> c_int,
    copy: unsafe extern "C" fn(*mut c_void, *const c_void, usize) -> c_int,
}
const _: () = assert!(size_of::<Api>() == 112);

pub static API: Api = Api {
    struct_size: size_of::<Api>(),
    count_instructions,
    get_instruction,
    insert_call,
    is_instrumented,
    override_with_instrumented,
    override_with_original,
    last_error,
    copy_to_variable,
    copy_from_variable,
    variable,
    allocate,
    release,
    copy,
};

thread_local! {
    /// The launch that the tool is being told about on this thread.
    pub static CURRENT: RefCell<Option<Visit>> = const { RefCell::new(None) };
    /// The tool that runs on this thread.
    pub static RUNNING: RefCell<Option<Arc<Variables>>> = const { RefCell::new(None) };
    static REASON: RefCell<CString> = RefCell::default();
}

type Done = Result<(), String>;

/// 0, or 1 with the reason kept.
fn status(act: impl FnOnce() -> Done) -> c_int {
    let acted = catch_unwind(AssertUnwindSafe(act));
    let result = acted.unwrap_or_else(|_| Err("internal error".to_owned()));
    match result {
        Ok(()) => 0,
        Err(reason) => {
            REASON.with_borrow_mut(|kept| *kept = CString::new(reason).unwrap_or_default());
            1
        }
    }
}

/// Runs `act` on the launch of this kernel.
fn visit(kernel_object: u64, act: impl FnOnce(&mut Visit) -> Done) -> c_int {
    status(|| {
        CURRENT.with_borrow_mut(|current| match current {
            Some(visit) if visit.kernel_object == kernel_object => act(visit),
            Some(_) => Err("that kernel object is not the one of this launch".to_owned()),
            None => Err("this may be called for a launch only, in luthier_at_hsa_event".to_owned()),
        })
    })
}

/// Runs `act` on the variables of the tool that runs on this thread.
fn with_variables(act: impl FnOnce(&Variables) -> Done) -> c_int {
    status(|| {
        let running = RUNNING.with_borrow(Clone::clone);
        let missing = "this may be called on the thread of a callback only, after constructors";
        act(&*running.ok_or(missing)?)
    })
}

const NULL: &str = "a pointer is null";

unsafe extern "C" fn count_instructions(kernel_object: u64, count: *mut usize) -> c_int {
    visit(kernel_object, |visit| {
        // SAFETY: null, or the caller's.
        let count = unsafe { count.as_mut() }.ok_or(NULL)?;
        *count = visit.instructions()?.len();
        Ok(())
    })
}

unsafe extern "C" fn get_instruction(
    kernel_object: u64,
    index: usize,
    into: *mut RawInstruction,
) -> c_int {
    visit(kernel_object, |visit| {
        let instructions = visit.instructions()?;
        let instruction = instructions
            .get(index)
            .ok_or("there is no such instruction")?;
        // SAFETY: null, or the caller's structure.
        let into = unsafe { into.as_mut() }.ok_or(NULL)?;
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
    hook: *const c_void,
    point: c_int,
    arguments: *const RawArgument,
    count: usize,
) -> c_int {
    visit(kernel_object, |visit| {
        if arguments.is_null() && count != 0 {
            return Err(NULL.to_owned());
        }
        let arguments = match count {
            0 => &[],
            // SAFETY: as many arguments as the caller says.
            _ => unsafe { std::slice::from_raw_parts(arguments, count) },
        };
        visit.insert(index, hook as usize, point, arguments)
    })
}

/// # Safety
/// Null or a string.
unsafe fn name(text: *const c_char) -> Result<String, String> {
    if text.is_null() {
        return Err(NULL.to_owned());
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned())
}

unsafe extern "C" fn is_instrumented(
    kernel_object: u64,
    variant: *const c_char,
    answer: *mut c_int,
) -> c_int {
    visit(kernel_object, |visit| {
        // SAFETY: null, or the caller's string and number.
        let (variant, answer) = unsafe { (name(variant)?, answer.as_mut().ok_or(NULL)?) };
        *answer = visit.variants.contains(&variant).into();
        Ok(())
    })
}

unsafe extern "C" fn override_with_instrumented(
    kernel_object: u64,
    variant: *const c_char,
) -> c_int {
    visit(kernel_object, |visit| {
        // SAFETY: null, or the caller's string.
        visit.want(unsafe { name(variant)? })
    })
}

extern "C" fn override_with_original(kernel_object: u64) -> c_int {
    visit(kernel_object, |visit| {
        visit.wanted = Wanted::Original;
        Ok(())
    })
}

extern "C" fn last_error() -> *const c_char {
    REASON.with_borrow(|reason| reason.as_ptr())
}

/// # Safety
/// Null, or so many bytes that may be read.
unsafe fn bytes<'a>(from: *const c_void, size: usize) -> Result<&'a [u8], String> {
    if from.is_null() {
        return Err(NULL.to_owned());
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(from.cast(), size) })
}

unsafe extern "C" fn copy_to_variable(
    variable: *const c_void,
    from: *const c_void,
    size: usize,
    offset: usize,
) -> c_int {
    with_variables(|variables| {
        // SAFETY: the caller's bytes.
        let from = unsafe { bytes(from, size)? };
        for place in variables.part(variable as usize, size, offset)? {
            let written = variables.live().write(place, from);
            written.map_err(|error| error.to_string())?;
        }
        Ok(())
    })
}

unsafe extern "C" fn copy_from_variable(
    into: *mut c_void,
    variable: *const c_void,
    size: usize,
    offset: usize,
) -> c_int {
    with_variables(|variables| {
        let places = variables.part(variable as usize, size, offset)?;
        let place = *places.first().ok_or("there is no device")?;
        copied(variables, into, place, size)
    })
}

/// Copies from an address of a device or the host.
fn copied(variables: &Variables, into: *mut c_void, from: u64, size: usize) -> Done {
    if into.is_null() || from == 0 {
        return Err(NULL.to_owned());
    }
    let mut copy = vec![0; size];
    let live = variables.live();
    live.read(from, &mut copy)
        .and_then(|()| live.write(into as u64, &copy))
        .map_err(|error| error.to_string())
}

unsafe extern "C" fn variable(
    variable: *const c_void,
    address: *mut *mut c_void,
    size: *mut usize,
) -> c_int {
    with_variables(|variables| {
        let (places, bytes) = variables.find(variable as usize)?;
        // SAFETY: null, or the caller's.
        let (address, size) = unsafe { (address.as_mut(), size.as_mut()) };
        let (address, size) = address.zip(size).ok_or(NULL)?;
        *address = places.first().copied().unwrap_or_default() as *mut c_void;
        *size = bytes as usize;
        Ok(())
    })
}

unsafe extern "C" fn allocate(address: *mut *mut c_void, size: usize, shared: c_int) -> c_int {
    with_variables(|variables| {
        // SAFETY: null, or the caller's.
        let address = unsafe { address.as_mut() }.ok_or(NULL)?;
        let live = variables.live();
        let made = match shared {
            0 => live.allocate(size.max(1)),
            _ => live.shared(size.max(1)),
        };
        *address = made.map_err(|error| error.to_string())? as *mut c_void;
        Ok(())
    })
}

extern "C" fn release(address: *mut c_void) -> c_int {
    with_variables(|variables| {
        variables.live().free(address as u64);
        Ok(())
    })
}

unsafe extern "C" fn copy(to: *mut c_void, from: *const c_void, size: usize) -> c_int {
    with_variables(|variables| match size {
        0 => Ok(()),
        _ => copied(variables, to, from as u64, size),
    })
}
