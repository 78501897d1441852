//! The functions that a tool may call, as `luthier_api` in `include/luthier.h` has them.

use crate::{
    constants,
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
    structures::{
        RawArgument, RawBlock, RawChange, RawCount, RawCounted, RawFrame, RawFunction,
        RawInsertion, RawInstruction, RawKernel, RawLaunch, RawOperand, RawParameter, sized,
    },
    variables::Variables,
    visit::{LaunchChoice, Point, Visit, VisitAction},
};
use std::{
    cell::RefCell,
    ffi::{CStr, CString, c_char, c_int, c_void},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

/// The table, from one list of its entries: the structure, what fills it, and the names for a test that reads the header.
macro_rules! table {
    ($($name:ident: $type:ty,)*) => {
        /// `luthier_api`, one for each tool.
        #[repr(C)]
        pub struct Api {
            struct_size: usize,
            tool: *const Variables,
            $($name: $type,)*
        }

        /// Names of the entries, and where they lie.
        pub const ENTRIES: &[(&str, usize)] = &[
            $((stringify!($name), std::mem::offset_of!(Api, $name))),*
        ];

        impl Api {
            /// Lives for ever, as do the variables: the tool may call from any thread until the process ends.
            pub fn for_tool(variables: &Arc<Variables>) -> &'static Api {
                Box::leak(Box::new(Api {
                    struct_size: size_of::<Api>(),
                    tool: Arc::into_raw(Arc::clone(variables)),
                    $($name,)*
                }))
            }
        }
    };
}

type InstructionIndex = usize;
type Object = u64;
type Text = *const c_char;
type Memory = *mut c_void;
type Shadow = *const c_void;

table! {
    count_instructions: unsafe extern "C" fn(Object, *mut usize) -> c_int,
    get_instruction: unsafe extern "C" fn(Object, InstructionIndex, *mut RawInstruction) -> c_int,
    insert_call: unsafe extern "C" fn(Object, InstructionIndex, Shadow, c_int, *const RawArgument, usize) -> c_int,
    is_instrumented: unsafe extern "C" fn(Object, Text, *mut c_int) -> c_int,
    override_with_instrumented: unsafe extern "C" fn(Object, Text) -> c_int,
    override_with_original: extern "C" fn(Object) -> c_int,
    last_error: extern "C" fn() -> Text,
    copy_to_variable: unsafe extern "C" fn(Tool, Shadow, Shadow, usize, usize) -> c_int,
    copy_from_variable: unsafe extern "C" fn(Tool, Memory, Shadow, usize, usize) -> c_int,
    variable: unsafe extern "C" fn(Tool, Shadow, *mut Memory, *mut usize) -> c_int,
    allocate: unsafe extern "C" fn(Tool, *mut Memory, usize, c_int) -> c_int,
    release: unsafe extern "C" fn(Tool, Memory) -> c_int,
    copy: unsafe extern "C" fn(Tool, Memory, Shadow, usize) -> c_int,
    hsa_entry: unsafe extern "C" fn(Tool, Text, *mut *mut Memory) -> c_int,
    get_kernel: unsafe extern "C" fn(Object, *mut RawKernel) -> c_int,
    get_function: unsafe extern "C" fn(Object, usize, *mut RawFunction) -> c_int,
    get_block: unsafe extern "C" fn(Object, usize, *mut RawBlock) -> c_int,
    get_operand: unsafe extern "C" fn(Object, InstructionIndex, usize, *mut RawOperand) -> c_int,
    get_frame: unsafe extern "C" fn(Object, InstructionIndex, usize, *mut RawFrame) -> c_int,
    get_parameter: unsafe extern "C" fn(Object, usize, *mut RawParameter) -> c_int,
    is_live: unsafe extern "C" fn(Object, InstructionIndex, u32, u32, *mut c_int) -> c_int,
    insert: unsafe extern "C" fn(Object, *const RawInsertion) -> c_int,
    change: unsafe extern "C" fn(Object, *const RawChange) -> c_int,
    report: unsafe extern "C" fn(Tool, Text) -> c_int,
    option: unsafe extern "C" fn(Tool, Text, *mut Text) -> c_int,
    device_count: unsafe extern "C" fn(Tool, Shadow, *mut usize) -> c_int,
    copy_from_device: unsafe extern "C" fn(Tool, usize, Memory, Shadow, usize, usize) -> c_int,
    get_launch: unsafe extern "C" fn(Object, *mut RawLaunch) -> c_int,
    count: unsafe extern "C" fn(Object, *const RawCount) -> c_int,
    count_kernels: unsafe extern "C" fn(*mut usize) -> c_int,
    get_counted: unsafe extern "C" fn(usize, *mut RawCounted) -> c_int,
    all_or_nothing: extern "C" fn(Object) -> c_int,
    report_json: unsafe extern "C" fn(Tool, Text) -> c_int,
    load_module: unsafe extern "C" fn(Tool, Text, *mut u64) -> c_int,
    module_symbol: unsafe extern "C" fn(Tool, u64, u32, Text, *mut Shadow, *mut usize) -> c_int,
}

/// The tool that calls: from [`Api::for_tool`], or null.
pub type Tool = *const Variables;

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
            None => Err("this may be called for a launch only, in luthier_at_hsa_event".to_owned()),
        })
    })
}

/// Runs `act` on the variables of a tool.
///
/// # Safety
/// Null, or what [`Api::for_tool`] put into the table.
pub unsafe fn with_variables(tool: Tool, act: impl FnOnce(&Variables) -> CallResult) -> c_int {
    // SAFETY: the caller's promise; they live for ever.
    let variables = unsafe { tool.as_ref() };
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
