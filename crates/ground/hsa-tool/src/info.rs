//! Attributes and lists, which HSA hands out through untyped pointers.

use std::ffi::c_void;

use hsa_sys::{Handle, Status, constants::status, tables::GetInfo};

use crate::{Error, check};

/// An attribute of an object; `value` is what it is before the runtime writes to it.
///
/// # Safety
/// `T` must have the size that the attribute has in the specification.
pub unsafe fn get<T>(
    call: &'static str,
    get: GetInfo,
    of: Handle,
    what: u32,
    mut value: T,
) -> Result<T, Error> {
    // SAFETY: the caller's promise.
    check(call, unsafe {
        get(of, what, (&raw mut value).cast::<c_void>())
    })?;
    Ok(value)
}

/// An attribute that is a text of `length` bytes. The runtime need not terminate it.
///
/// # Safety
/// The attribute must have at most one byte more than that.
pub unsafe fn text(
    call: &'static str,
    get: GetInfo,
    of: Handle,
    what: u32,
    length: u32,
) -> Result<String, Error> {
    let mut bytes = vec![0u8; length as usize + 1];
    // SAFETY: the caller's promise.
    check(call, unsafe { get(of, what, bytes.as_mut_ptr().cast()) })?;
    bytes.truncate(length as usize);
    let end = bytes.iter().position(|&byte| byte == 0);
    bytes.truncate(end.unwrap_or(bytes.len()));
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The handles that an iteration passes to [`each`], whose data is the pointer that `iterate` gets.
pub fn handles(
    call: &'static str,
    iterate: impl FnOnce(*mut c_void) -> Status,
) -> Result<Vec<Handle>, Error> {
    let mut handles: Vec<Handle> = Vec::new();
    check(call, iterate((&raw mut handles).cast()))?;
    Ok(handles)
}

/// For iterations over agents, pools, instruction sets and executables.
///
/// # Safety
/// `list` must be what [`handles`] passed along, as for the next two.
pub unsafe extern "C" fn each(handle: Handle, list: *mut c_void) -> Status {
    // SAFETY: the caller's promise.
    unsafe { (*list.cast::<Vec<Handle>>()).push(handle) };
    status::SUCCESS
}

/// For iterations over what belongs to an executable.
///
/// # Safety
/// The caller must keep the rules of [`each`].
pub unsafe extern "C" fn each_of(_of: Handle, handle: Handle, list: *mut c_void) -> Status {
    // SAFETY: the caller's promise.
    unsafe { each(handle, list) }
}

/// For iterations over what belongs to an executable on an agent.
///
/// # Safety
/// The caller must keep the rules of [`each`].
pub unsafe extern "C" fn each_on(
    _of: Handle,
    _agent: Handle,
    handle: Handle,
    list: *mut c_void,
) -> Status {
    // SAFETY: the caller's promise.
    unsafe { each(handle, list) }
}
