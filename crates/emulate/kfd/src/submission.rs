//! libdrm's functions for submitting commands: contexts, lists of buffer objects, submissions, and waiting for them. They become commands
//! to the render node, as libdrm's own do.
//!
//! Emulated handles are numbers with a mark above, like those of buffer objects; all other handles go to libdrm.

mod lists;
mod submit;
mod waits;

use std::ffi::{c_int, c_void};

use kmt_sys::drm::{Context, command, context};

use crate::{drm::node, emulator, next};

const CONTEXT: u64 = 0x4c76 << 48;
const LIST: u64 = 0x4c77 << 48;
const MARK: u64 = 0xffff << 48;

fn numbered(handle: *mut c_void, mark: u64) -> Option<u32> {
    (handle as u64 & MARK == mark).then_some(handle as u32)
}

fn handle(mark: u64, number: u32) -> *mut c_void {
    (mark | u64::from(number)) as *mut c_void
}

/// Runs a command of the node's; the answer is in `arguments`.
fn run<T>(node: u32, number: u32, arguments: &mut T) -> c_int {
    let Some(core) = emulator::loaded() else {
        return -libc::ENODEV;
    };
    let data = (&raw mut *arguments).cast();
    // SAFETY: the arguments of the command, which are integers, and their size.
    unsafe { (core.render_command)(node, number, data, size_of::<T>()) }
}

fn create_context(node: u32, priority: i32, result: *mut *mut c_void) -> c_int {
    let mut arguments = Context {
        operation: context::ALLOCATE,
        priority,
        ..Context::default()
    };
    let answer = run(node, command::CTX, &mut arguments);
    if answer == 0 {
        // SAFETY: the caller passes memory for the handle.
        unsafe { result.write(handle(CONTEXT, arguments.operation)) };
    }
    answer
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_cs_ctx_create(
    device: *mut c_void,
    result: *mut *mut c_void,
) -> c_int {
    match node(device) {
        Some(node) => create_context(node, 0, result),
        None => {
            next!("amdgpu_cs_ctx_create"(device => *mut c_void, result => *mut *mut c_void) -> c_int, or -libc::ENODEV)
        }
    }
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_cs_ctx_create2(
    device: *mut c_void,
    priority: u32,
    result: *mut *mut c_void,
) -> c_int {
    match node(device) {
        Some(node) => create_context(node, priority as i32, result),
        None => {
            next!("amdgpu_cs_ctx_create2"(device => *mut c_void, priority => u32, result => *mut *mut c_void) -> c_int, or -libc::ENODEV)
        }
    }
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_cs_ctx_free(it: *mut c_void) -> c_int {
    let Some(number) = numbered(it, CONTEXT) else {
        return next!("amdgpu_cs_ctx_free"(it => *mut c_void) -> c_int, or -libc::ENODEV);
    };
    let mut arguments = Context {
        operation: context::FREE,
        context: number,
        ..Context::default()
    };
    run(0, command::CTX, &mut arguments)
}

/// Asks for a context's state: 16 bytes.
fn state(number: u32, operation: u32, arguments: &mut Context) -> c_int {
    *arguments = Context {
        operation,
        context: number,
        ..Context::default()
    };
    run(0, command::CTX, arguments)
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_cs_query_reset_state(
    it: *mut c_void,
    status: *mut u32,
    hangs: *mut u32,
) -> c_int {
    let Some(number) = numbered(it, CONTEXT) else {
        return next!("amdgpu_cs_query_reset_state"(it => *mut c_void, status => *mut u32, hangs => *mut u32) -> c_int, or -libc::ENODEV);
    };
    let mut arguments = Context::default();
    let answer = state(number, context::STATE, &mut arguments);
    if answer == 0 {
        // SAFETY: the caller passes memory for both.
        unsafe {
            status.write(arguments.priority as u32);
            hangs.write(arguments.context);
        }
    }
    answer
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_cs_query_reset_state2(it: *mut c_void, flags: *mut u64) -> c_int {
    let Some(number) = numbered(it, CONTEXT) else {
        return next!("amdgpu_cs_query_reset_state2"(it => *mut c_void, flags => *mut u64) -> c_int, or -libc::ENODEV);
    };
    let mut arguments = Context::default();
    let answer = state(number, context::STATE2, &mut arguments);
    if answer == 0 {
        // SAFETY: the caller passes memory for the flags.
        unsafe { flags.write(u64::from(arguments.operation)) };
    }
    answer
}
