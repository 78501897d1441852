//! `readlink` and `realpath` for the driver's paths.

use std::ffi::{c_char, c_int};

use crate::{
    next,
    next::{answer, fail},
    open::look_up,
    path::link_target,
};

/// The target of a link, cut off at the end of the buffer; or a negative error code.
///
/// # Safety
/// `path` is null or a string that ends with a zero, `buffer` memory of that size.
unsafe fn link(
    directory: c_int,
    path: *const c_char,
    buffer: *mut c_char,
    size: usize,
) -> Option<c_int> {
    // SAFETY: the caller's word.
    unsafe {
        Some(match look_up(directory, path)? {
            Ok((_, path)) => match link_target(path.bytes()) {
                Some(target) => {
                    let length = size.min(target.len());
                    std::ptr::copy_nonoverlapping(target.as_ptr(), buffer.cast(), length);
                    length as c_int
                }
                None => -libc::EINVAL,
            },
            Err(code) => -code,
        })
    }
}

/// # Safety
/// The caller must keep the rules of the C library's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn readlink(path: *const c_char, buffer: *mut c_char, size: usize) -> isize {
    // SAFETY: the caller's string and memory.
    match unsafe { link(libc::AT_FDCWD, path, buffer, size) } {
        Some(length) => answer(length) as isize,
        None => {
            next!("readlink"(path => *const c_char, buffer => *mut c_char, size => usize) -> isize, or -1)
        }
    }
}

/// # Safety
/// The caller must keep the rules of the C library's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn readlinkat(
    directory: c_int,
    path: *const c_char,
    buffer: *mut c_char,
    size: usize,
) -> isize {
    // SAFETY: the caller's string and memory.
    match unsafe { link(directory, path, buffer, size) } {
        Some(length) => answer(length) as isize,
        None => {
            next!("readlinkat"(directory => c_int, path => *const c_char, buffer => *mut c_char, size => usize) -> isize, or -1)
        }
    }
}

/// # Safety
/// The caller must keep the rules of the C library's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn realpath(path: *const c_char, resolved: *mut c_char) -> *mut c_char {
    // SAFETY: the caller's string.
    let path = match unsafe { look_up(libc::AT_FDCWD, path) } {
        // SAFETY: the caller's string and memory go on unchanged.
        None => return unsafe { real_path(path, resolved) },
        Some(Err(code)) => {
            fail(code);
            return std::ptr::null_mut();
        }
        Some(Ok((_, path))) => path.canonical(),
    };
    // SAFETY: a string with its zero; the caller's memory has room for any path.
    unsafe {
        match resolved.is_null() {
            true => libc::strdup(path.as_ptr()),
            false => libc::strcpy(resolved, path.as_ptr()),
        }
    }
}

/// The C library's function. Before version 2.36 it gives its oldest version, which makes no memory, to libraries like this one.
///
/// # Safety
/// The caller must keep the rules of that function.
unsafe fn real_path(path: *const c_char, resolved: *mut c_char) -> *mut c_char {
    let given = !resolved.is_null();
    let room = match given {
        true => resolved,
        // SAFETY: the caller frees what it gets.
        false => unsafe { libc::malloc(libc::PATH_MAX as usize) }.cast(),
    };
    if room.is_null() {
        return room;
    }
    let result = next!("realpath"(path => *const c_char, room => *mut c_char) -> *mut c_char, or std::ptr::null_mut());
    if result.is_null() && !given {
        // SAFETY: the pointer was made above, and no other code has it. Older versions of `free` change the thread's error number.
        unsafe {
            let code = *libc::__errno_location();
            libc::free(room.cast());
            fail(code);
        }
    }
    result
}

/// With the room that the compiler knows of.
///
/// # Safety
/// The caller must keep the rules of the C library's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __readlink_chk(
    path: *const c_char,
    buffer: *mut c_char,
    size: usize,
    room: usize,
) -> isize {
    if size <= room {
        // SAFETY: the caller's string and memory.
        return unsafe { readlink(path, buffer, size) };
    }
    // The C library's function ends the program.
    next!("__readlink_chk"(path => *const c_char, buffer => *mut c_char, size => usize, room => usize) -> isize, or -1)
}

/// With the room that the compiler knows of.
///
/// # Safety
/// The caller must keep the rules of the C library's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __realpath_chk(
    path: *const c_char,
    resolved: *mut c_char,
    room: usize,
) -> *mut c_char {
    if room >= libc::PATH_MAX as usize {
        // SAFETY: the caller's string and memory.
        return unsafe { realpath(path, resolved) };
    }
    // The C library's function ends the program.
    next!("__realpath_chk"(path => *const c_char, resolved => *mut c_char, room => usize) -> *mut c_char, or std::ptr::null_mut())
}
