//! Lists of buffer objects.

use std::ffi::{c_int, c_void};

use kmt_sys::drm::{BufferList, ListEntry, command, list};

use super::{LIST, handle, numbered, run};
use crate::{
    drm::{buffer, node},
    next,
};

/// Makes a list, or changes it; its number.
fn fill_list(operation: u32, number: u32, entries: &[ListEntry]) -> Result<u32, c_int> {
    let mut arguments = BufferList {
        operation,
        list: number,
        count: entries.len() as u32,
        entry_size: size_of::<ListEntry>() as u32,
        entries: entries.as_ptr() as u64,
    };
    match run(0, command::BO_LIST, &mut arguments) {
        0 => Ok(arguments.operation),
        error => Err(error),
    }
}

/// The entries of a list of handles.
///
/// # Safety
/// There must be `count` handles, and priorities unless that is null.
unsafe fn entries(
    count: u32,
    objects: *const *mut c_void,
    priorities: *const u8,
) -> Option<Vec<ListEntry>> {
    (0..count as usize)
        .map(|index| {
            // SAFETY: the caller of this function says that there are so many.
            let object = unsafe { objects.add(index).read() };
            let priority = match priorities.is_null() {
                true => 0,
                // SAFETY: there is one priority for each handle.
                false => u32::from(unsafe { priorities.add(index).read() }),
            };
            let buffer = buffer(object)?;
            Some(ListEntry { buffer, priority })
        })
        .collect()
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_bo_list_create(
    device: *mut c_void,
    count: u32,
    objects: *mut *mut c_void,
    priorities: *mut u8,
    result: *mut *mut c_void,
) -> c_int {
    if node(device).is_none() {
        return next!("amdgpu_bo_list_create"(device => *mut c_void, count => u32, objects => *mut *mut c_void, priorities => *mut u8, result => *mut *mut c_void) -> c_int, or -libc::ENODEV);
    }
    // SAFETY: libdrm's function takes as many handles and priorities.
    let Some(entries) = (unsafe { entries(count, objects, priorities) }) else {
        return -libc::EINVAL;
    };
    if entries.is_empty() {
        return -libc::EINVAL;
    }
    match fill_list(list::CREATE, 0, &entries) {
        Ok(number) => {
            // SAFETY: the caller passes memory for the handle.
            unsafe { result.write(handle(LIST, number)) };
            0
        }
        Err(error) => error,
    }
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_bo_list_update(
    it: *mut c_void,
    count: u32,
    objects: *mut *mut c_void,
    priorities: *mut u8,
) -> c_int {
    let Some(number) = numbered(it, LIST) else {
        return next!("amdgpu_bo_list_update"(it => *mut c_void, count => u32, objects => *mut *mut c_void, priorities => *mut u8) -> c_int, or -libc::ENODEV);
    };
    // SAFETY: libdrm's function takes as many handles and priorities.
    match unsafe { entries(count, objects, priorities) } {
        Some(entries) if !entries.is_empty() => match fill_list(list::UPDATE, number, &entries) {
            Ok(_) => 0,
            Err(error) => error,
        },
        _ => -libc::EINVAL,
    }
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_bo_list_destroy(it: *mut c_void) -> c_int {
    match numbered(it, LIST) {
        Some(number) => fill_list(list::DESTROY, number, &[]).err().unwrap_or(0),
        None => next!("amdgpu_bo_list_destroy"(it => *mut c_void) -> c_int, or -libc::ENODEV),
    }
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_bo_list_create_raw(
    device: *mut c_void,
    count: u32,
    entries: *mut ListEntry,
    result: *mut u32,
) -> c_int {
    if node(device).is_none() {
        return next!("amdgpu_bo_list_create_raw"(device => *mut c_void, count => u32, entries => *mut ListEntry, result => *mut u32) -> c_int, or -libc::ENODEV);
    }
    // SAFETY: libdrm's function takes as many entries.
    let entries: Vec<ListEntry> = (0..count as usize)
        .map(|index| unsafe { entries.add(index).read() })
        .collect();
    match fill_list(list::CREATE, 0, &entries) {
        Ok(number) => {
            // SAFETY: the caller passes memory for the number.
            unsafe { result.write(number) };
            0
        }
        Err(error) => error,
    }
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_bo_list_destroy_raw(device: *mut c_void, number: u32) -> c_int {
    match node(device) {
        Some(_) => fill_list(list::DESTROY, number, &[]).err().unwrap_or(0),
        None => {
            next!("amdgpu_bo_list_destroy_raw"(device => *mut c_void, number => u32) -> c_int, or -libc::ENODEV)
        }
    }
}
