//! Functions of the table for the tool's variables and for memory.

use crate::{
    table::{CallResult, NULL, with_variables},
    variables::Variables,
};
use std::ffi::{c_int, c_void};
use tool_abi::Tool;

/// # Safety
/// Null, or so many bytes that may be read.
unsafe fn bytes<'a>(from: *const c_void, size: usize) -> Result<&'a [u8], String> {
    if from.is_null() {
        return Err(NULL.to_owned());
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(from.cast(), size) })
}

/// Entry of the table, see `include/luthier.h`.
pub unsafe extern "C" fn copy_to_variable(
    tool: Tool,
    variable: *const c_void,
    from: *const c_void,
    size: usize,
    offset: usize,
) -> c_int {
    let act = |variables: &Variables| {
        // SAFETY: the caller's bytes.
        let from = unsafe { bytes(from, size)? };
        for place in variables.part(variable as usize, size, offset)? {
            let written = variables.live().write(place, from);
            written.map_err(|error| error.to_string())?;
        }
        Ok(())
    };
    // SAFETY: the table's.
    unsafe { with_variables(tool, act) }
}

/// Entry of the table, see `include/luthier.h`.
pub unsafe extern "C" fn copy_from_variable(
    tool: Tool,
    into: *mut c_void,
    variable: *const c_void,
    size: usize,
    offset: usize,
) -> c_int {
    let act = |variables: &Variables| {
        let places = variables.part(variable as usize, size, offset)?;
        let place = *places.first().ok_or("there is no device")?;
        copied(variables, into, place, size)
    };
    // SAFETY: the table's.
    unsafe { with_variables(tool, act) }
}

/// Copies from an address of a device or the host.
fn copied(variables: &Variables, into: *mut c_void, from: u64, size: usize) -> CallResult {
    if into.is_null() || from == 0 {
        return Err(NULL.to_owned());
    }
    let mut copy = vec![0; size];
    let live = variables.live();
    live.read(from, &mut copy)
        .and_then(|()| live.write(into as u64, &copy))
        .map_err(|error| error.to_string())
}

/// Entry of the table, see `include/luthier.h`.
pub unsafe extern "C" fn variable(
    tool: Tool,
    variable: *const c_void,
    address: *mut *mut c_void,
    size: *mut usize,
) -> c_int {
    let act = |variables: &Variables| {
        let (places, bytes) = variables.find(variable as usize)?;
        // SAFETY: null, or the caller's.
        let (address, size) = unsafe { (address.as_mut(), size.as_mut()) };
        let (address, size) = address.zip(size).ok_or(NULL)?;
        *address = places.first().copied().unwrap_or_default() as *mut c_void;
        *size = bytes as usize;
        Ok(())
    };
    // SAFETY: the table's.
    unsafe { with_variables(tool, act) }
}

/// Entry of the table, see `include/luthier.h`.
pub unsafe extern "C" fn allocate(
    tool: Tool,
    address: *mut *mut c_void,
    size: usize,
    shared: c_int,
) -> c_int {
    let act = |variables: &Variables| {
        // SAFETY: null, or the caller's.
        let address = unsafe { address.as_mut() }.ok_or(NULL)?;
        let live = variables.live();
        let made = match shared {
            0 => live.allocate(size.max(1)),
            _ => live.shared(size.max(1)),
        };
        *address = made.map_err(|error| error.to_string())? as *mut c_void;
        Ok(())
    };
    // SAFETY: the table's.
    unsafe { with_variables(tool, act) }
}

/// Entry of the table, see `include/luthier.h`.
pub unsafe extern "C" fn release(tool: Tool, address: *mut c_void) -> c_int {
    let act = |variables: &Variables| {
        variables.live().free(address as u64);
        Ok(())
    };
    // SAFETY: the table's.
    unsafe { with_variables(tool, act) }
}

/// Entry of the table, see `include/luthier.h`.
pub unsafe extern "C" fn copy(
    tool: Tool,
    to: *mut c_void,
    from: *const c_void,
    size: usize,
) -> c_int {
    let act = |variables: &Variables| match size {
        0 => Ok(()),
        _ => copied(variables, to, from as u64, size),
    };
    // SAFETY: the table's.
    unsafe { with_variables(tool, act) }
}

/// Entry of the table, see `include/luthier.h`.
pub unsafe extern "C" fn device_count(
    tool: Tool,
    variable: *const c_void,
    count: *mut usize,
) -> c_int {
    let act = |variables: &Variables| {
        // SAFETY: null, or the caller's.
        let count = unsafe { count.as_mut() }.ok_or(NULL)?;
        *count = variables.find(variable as usize)?.0.len();
        Ok(())
    };
    // SAFETY: the table's.
    unsafe { with_variables(tool, act) }
}

/// Entry of the table, see `include/luthier.h`.
pub unsafe extern "C" fn copy_from_device(
    tool: Tool,
    device: usize,
    into: *mut c_void,
    variable: *const c_void,
    size: usize,
    offset: usize,
) -> c_int {
    let act = |variables: &Variables| {
        let places = variables.part(variable as usize, size, offset)?;
        let missing = || format!("there is no device {device}: there are {}", places.len());
        let place = *places.get(device).ok_or_else(missing)?;
        copied(variables, into, place, size)
    };
    // SAFETY: the table's.
    unsafe { with_variables(tool, act) }
}
