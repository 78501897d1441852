//! Functions that a tool may call at any time: variables, options, reports, modules.

use crate::abi::{Api, OWN_MODULE, constants, structures::RawCounted};
use std::{
    ffi::{CStr, CString, c_char, c_int, c_void},
    fmt,
    mem::MaybeUninit,
    sync::OnceLock,
};

/// Why Luthier does not do something, in its words; they stand in the summary if a tool hands them on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(String);

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub fn new(reason: impl Into<String>) -> Error {
        Error(reason.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// The table, as long as this crate knows it.
#[derive(Clone, Copy)]
struct Table(Api);

// SAFETY: what the pointers in it name may be used from any thread, as the header says.
unsafe impl Send for Table {}
// SAFETY: any thread may use what the pointers in it name, as the header says.
unsafe impl Sync for Table {}

static TABLE: OnceLock<Table> = OnceLock::new();

/// # Safety
/// Luthier's table.
pub unsafe fn connect(api: *const Api) -> Result<()> {
    // SAFETY: the caller's promise; the size comes first in all versions.
    let api = unsafe {
        let size = api.cast::<usize>().read();
        if size < size_of::<Api>() {
            return Err(Error::new("the tool was built for a newer Luthier"));
        }
        api.read()
    };
    TABLE.get_or_init(|| Table(api));
    Ok(())
}

pub fn api() -> Result<&'static Api> {
    let table = TABLE.get();
    table
        .map(|table| &table.0)
        .ok_or_else(|| Error::new("the tool has not begun"))
}

/// Turns the status of a function of the table into a result.
pub fn check(status: c_int) -> Result<()> {
    if status == 0 {
        return Ok(());
    }
    // SAFETY: no arguments; a string that is valid until the next call on this thread.
    Err(Error(unsafe { text((api()?.last_error)()) }))
}

/// # Safety
/// Null or a string.
pub unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}

pub fn c_string(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error(format!("{text:?} has a zero in it")))
}

/// Types that any bytes are a value of, so that device memory may be read as them.
///
/// # Safety
/// That is so for the type, and it has no padding.
pub unsafe trait Plain: Copy {}

macro_rules! plain {
    ($($type:ty),*) => {
        $(
            // SAFETY: a number.
            unsafe impl Plain for $type {}
        )*
    };
}
plain!(u8, i8, u16, i16, u32, i32, u64, i64, usize, isize, f32, f64);
// SAFETY: elements follow each other without gaps.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// Handle of a hook or variable, by module, kind and name, and the variable's size.
pub(crate) fn symbol(module: u64, kind: u32, name: &str) -> Result<(*const c_void, usize)> {
    let (api, name) = (api()?, c_string(name)?);
    let (mut handle, mut size) = (std::ptr::null(), 0);
    // SAFETY: a string, and places for the results.
    check(unsafe {
        (api.module_symbol)(
            api.tool,
            module,
            kind,
            name.as_ptr(),
            &raw mut handle,
            &raw mut size,
        )
    })?;
    Ok((handle, size))
}

/// The same of a variable of this type.
fn sized<T>(module: u64, kind: u32, name: &str) -> Result<*const c_void> {
    let (handle, size) = symbol(module, kind, name)?;
    match size == size_of::<T>() {
        true => Ok(handle),
        false => Err(Error(format!(
            "the variable {name} has {size} bytes, not {}",
            size_of::<T>()
        ))),
    }
}

/// Hooks and variables in a file that the tool has loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Module(pub(crate) u64);

/// The tool's own file.
const OWN: Module = Module(OWN_MODULE);

impl Module {
    /// A `__device__` variable of the first device.
    pub fn variable<T: Plain>(self, name: &str) -> Result<T> {
        let (api, handle) = (
            api()?,
            sized::<T>(self.0, constants::REGISTERED_VARIABLE, name)?,
        );
        let mut value = MaybeUninit::<T>::uninit();
        // SAFETY: as many bytes as the value has, which are written if that succeeds; any are a value.
        unsafe {
            let into = value.as_mut_ptr().cast();
            check((api.copy_from_variable)(
                api.tool,
                into,
                handle,
                size_of::<T>(),
                0,
            ))?;
            Ok(value.assume_init())
        }
    }

    /// Writes a `__device__` variable, on all devices.
    pub fn set_variable<T: Plain>(self, name: &str, value: T) -> Result<()> {
        let (api, handle) = (
            api()?,
            sized::<T>(self.0, constants::REGISTERED_VARIABLE, name)?,
        );
        let from = (&raw const value).cast();
        // SAFETY: as many bytes as the value has.
        check(unsafe { (api.copy_to_variable)(api.tool, handle, from, size_of::<T>(), 0) })
    }

    /// A `__managed__` variable, which hooks change while the host reads it: go through the pointer with volatile or atomic
    /// accesses. It is valid until the process ends.
    pub fn managed<T: Plain>(self, name: &str) -> Result<*mut T> {
        let handle = sized::<T>(self.0, constants::REGISTERED_MANAGED, name)?;
        Ok(handle.cast_mut().cast())
    }
}

/// See [`Module::variable`]; of the tool's own.
pub fn variable<T: Plain>(name: &str) -> Result<T> {
    OWN.variable(name)
}

/// See [`Module::set_variable`]; of the tool's own.
pub fn set_variable<T: Plain>(name: &str, value: T) -> Result<()> {
    OWN.set_variable(name, value)
}

/// See [`Module::managed`]; of the tool's own.
pub fn managed<T: Plain>(name: &str) -> Result<*mut T> {
    OWN.managed(name)
}

/// Loads hooks and variables from a file, as `luthier_load_module` in `include/luthier.h` does.
pub fn load_module(path: &str) -> Result<Module> {
    let (api, path) = (api()?, c_string(path)?);
    let mut number = 0;
    // SAFETY: a string, and a place for the result.
    check(unsafe { (api.load_module)(api.tool, path.as_ptr(), &raw mut number) })?;
    Ok(Module(number))
}

/// The value that the user gave with `-t TOOL:NAME=VALUE`, or the parameter's default, which `LUTHIER_TOOL` declares.
pub fn option(name: &str) -> Result<String> {
    let (api, name) = (api()?, c_string(name)?);
    let mut value = std::ptr::null();
    // SAFETY: a string, and a place for the result, which is a string that lives for ever.
    unsafe {
        check((api.option)(api.tool, name.as_ptr(), &raw mut value))?;
        Ok(text(value))
    }
}

/// Lines for the tool's part of the summary.
pub fn report(lines: &str) -> Result<()> {
    let (api, lines) = (api()?, c_string(lines)?);
    // SAFETY: a string.
    check(unsafe { (api.report)(api.tool, lines.as_ptr()) })
}

/// The results as JSON, which `--output` keeps in `NAME.PID.json`. The last call counts.
pub fn report_json(json: &str) -> Result<()> {
    let (api, json) = (api()?, c_string(json)?);
    // SAFETY: a string.
    check(unsafe { (api.report_json)(api.tool, json.as_ptr()) })
}

/// The counts of one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    pub kernel: String,
    pub demangled: String,
    /// Instrumented ones.
    pub launches: u64,
    pub counters: Vec<u64>,
}

/// The counts of all kernels; for [`crate::Tool::end`].
pub fn counted() -> Result<Vec<Counted>> {
    let api = api()?;
    let mut count = 0;
    // SAFETY: a place for the result.
    check(unsafe { (api.count_kernels)(&raw mut count) })?;
    (0..count)
        .map(|index| {
            // SAFETY: zero is a value of all members.
            let mut raw: RawCounted = unsafe { std::mem::zeroed() };
            raw.struct_size = size_of::<RawCounted>();
            // SAFETY: a structure of the size that it says; what it points to is valid until the tool's end returns.
            unsafe {
                check((api.get_counted)(index, &raw mut raw))?;
                Ok(Counted {
                    kernel: text(raw.kernel),
                    demangled: text(raw.demangled),
                    launches: raw.launches,
                    counters: list(raw.counters, raw.count),
                })
            }
        })
        .collect()
}

/// # Safety
/// Null, or so many elements.
pub unsafe fn list<T: Copy>(first: *const T, count: usize) -> Vec<T> {
    match first.is_null() || count == 0 {
        true => Vec::new(),
        // SAFETY: the caller's promise.
        false => unsafe { std::slice::from_raw_parts(first, count) }.to_vec(),
    }
}
