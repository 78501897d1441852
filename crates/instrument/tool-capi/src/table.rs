//! The functions that a tool may call, as `luthier_api` in `include/luthier.h` has them.

use crate::{
    allocations::find_allocation,
    counted::{count, count_kernels, get_counted},
    inspecting::{
        count_instructions, get_block, get_frame, get_function, get_instruction, get_kernel,
        get_launch, get_operand, get_parameter, is_live,
    },
    memory::{
        allocate, copy, copy_from_device, copy_from_variable, copy_to_variable, device_count,
        release, variable,
    },
    modules::{load_module, module_symbol},
    sized,
    variables::Variables,
    visit::{LaunchChoice, Point, Visit, VisitAction},
};
use std::{
    cell::RefCell,
    ffi::{CStr, CString, c_char, c_int, c_void},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};
use tool_abi::{
    Api, Tool, constants,
    structures::{RawArgument, RawChange, RawInsertion},
};

/// The table for one tool. It lives for ever, as do the variables: the tool may call from any thread until the process ends.
pub fn for_tool(variables: &Arc<Variables>) -> &'static Api {
    Box::leak(Box::new(Api {
        struct_size: size_of::<Api>(),
        tool: Arc::into_raw(Arc::clone(variables)).cast_mut().cast(),
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
        hsa_entry,
        get_kernel,
        get_function,
        get_block,
        get_operand,
        get_frame,
        get_parameter,
        is_live,
        insert,
        change,
        report,
        option,
        device_count,
        copy_from_device,
        get_launch,
        count,
        count_kernels,
        get_counted,
        all_or_nothing,
        report_json,
        load_module,
        module_symbol,
        find_allocation,
    }))
}

thread_local! {
    /// The launch that the tool is being told about on this thread.
    pub static CURRENT: RefCell<Option<Visit>> = const { RefCell::new(None) };
    static REASON: RefCell<CString> = RefCell::default();
}

pub type CallResult = Result<(), String>;

/// 0, or 1 with the reason kept.
pub fn status(act: impl FnOnce() -> CallResult) -> c_int {
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
pub fn visit(kernel_object: u64, act: impl FnOnce(&mut Visit) -> CallResult) -> c_int {
    status(|| {
        CURRENT.with_borrow_mut(|current| match current {
            Some(visit) if visit.kernel_object == kernel_object => act(visit),
            Some(_) => Err("that kernel object is not the one of this launch".to_owned()),
            None => Err(
                "call this in luthier_at_kernel, or in luthier_at_hsa_event for a launch"
                    .to_owned(),
            ),
        })
    })
}

/// Runs `act` on the variables of a tool.
///
/// # Safety
/// Null, or what [`for_tool`] put into the table.
pub unsafe fn with_variables(tool: Tool, act: impl FnOnce(&Variables) -> CallResult) -> c_int {
    // SAFETY: the caller's promise; they live for ever.
    let variables = unsafe { tool.cast::<Variables>().as_ref() };
    status(|| act(variables.ok_or(NULL)?))
}

pub const NULL: &str = "a pointer is null";

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
        let point = u32::try_from(point).unwrap_or(u32::MAX);
        let (index, point) = visit.point(point, index, 0)?;
        visit.insert(index, point, hook as usize, false, arguments)
    })
}

/// # Safety
/// Null or a string.
pub unsafe fn name(text: *const c_char) -> Result<String, String> {
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
        visit.wanted = LaunchChoice::Original;
        Ok(())
    })
}

extern "C" fn last_error() -> *const c_char {
    REASON.with_borrow(|reason| reason.as_ptr())
}

unsafe extern "C" fn hsa_entry(
    tool: Tool,
    function: *const c_char,
    entry: *mut *mut *mut c_void,
) -> c_int {
    let act = |variables: &Variables| {
        // SAFETY: null, or the caller's string and pointer.
        let (name, entry) = unsafe { (name(function)?, entry.as_mut().ok_or(NULL)?) };
        let found = variables.live().entry(&name);
        let missing = || format!("this HSA runtime has no {name} in its tables");
        *entry = found.ok_or_else(missing)? as *mut *mut c_void;
        Ok(())
    };
    // SAFETY: the table's.
    unsafe { with_variables(tool, act) }
}

unsafe extern "C" fn insert(kernel_object: u64, insertion: *const RawInsertion) -> c_int {
    visit(kernel_object, |visit| {
        // SAFETY: null, or the caller's structure of the size that it says.
        let wanted = unsafe { sized::read(insertion)? };
        if wanted.arguments.is_null() && wanted.count != 0 {
            return Err(NULL.to_owned());
        }
        let arguments = match wanted.count {
            0 => &[],
            // SAFETY: as many arguments as the caller says.
            count => unsafe { std::slice::from_raw_parts(wanted.arguments, count) },
        };
        let (index, point) = visit.point(wanted.point, wanted.place, wanted.to)?;
        visit.insert(
            index,
            point,
            wanted.hook as usize,
            wanted.once != 0,
            arguments,
        )
    })
}

extern "C" fn all_or_nothing(kernel_object: u64) -> c_int {
    visit(kernel_object, |visit| {
        visit.change(0, Point::Before, VisitAction::AllOrNothing)
    })
}

unsafe extern "C" fn report_json(tool: Tool, text: *const c_char) -> c_int {
    let act = |variables: &Variables| {
        // SAFETY: null, or the caller's string.
        let text = unsafe { name(text)? };
        let value = luthier::serde_json::from_str(&text);
        variables.set_json(value.map_err(|error| format!("that is no JSON: {error}"))?);
        Ok(())
    };
    // SAFETY: the table's.
    unsafe { with_variables(tool, act) }
}

unsafe extern "C" fn change(kernel_object: u64, change: *const RawChange) -> c_int {
    visit(kernel_object, |visit| {
        // SAFETY: null, or the caller's structure of the size that it says.
        let wanted = unsafe { sized::read(change)? };
        let text = || {
            // SAFETY: null or the caller's string.
            unsafe { name(wanted.text) }
        };
        let (point, deed) = match wanted.kind {
            constants::CHANGE_REMOVE => (Point::Before, VisitAction::Remove),
            constants::CHANGE_REPLACE => (Point::Before, VisitAction::Replace(text()?)),
            constants::CHANGE_ADD_BEFORE => (Point::Before, VisitAction::Assembly(text()?)),
            constants::CHANGE_ADD_AFTER => (Point::After, VisitAction::Assembly(text()?)),
            kind => return Err(format!("there is no change {kind}")),
        };
        visit.change(wanted.place, point, deed)
    })
}

unsafe extern "C" fn report(tool: Tool, text: *const c_char) -> c_int {
    let act = |variables: &Variables| {
        // SAFETY: null or the caller's string.
        variables.report(unsafe { name(text)? });
        Ok(())
    };
    // SAFETY: the table's.
    unsafe { with_variables(tool, act) }
}

unsafe extern "C" fn option(tool: Tool, key: *const c_char, value: *mut *const c_char) -> c_int {
    let act = |variables: &Variables| {
        // SAFETY: null, or the caller's string and pointer.
        let (key, value) = unsafe { (name(key)?, value.as_mut().ok_or(NULL)?) };
        let known = variables.option(&key);
        let missing = || format!("the tool declares no parameter {key} in LUTHIER_TOOL");
        *value = known.ok_or_else(missing)?.as_ptr();
        Ok(())
    };
    // SAFETY: the table's.
    unsafe { with_variables(tool, act) }
}
