//! Waiting for submissions.

use std::ffi::c_int;

use kmt_sys::{
    drm::{Fence, Wait, WaitFences, command},
    libdrm::Submitted,
};

use super::{CONTEXT, numbered, run};
use crate::next;

/// The flag of a wait whose time is one of the monotonic clock.
const ABSOLUTE: u64 = 1;
const FOREVER: u64 = u64::MAX;

/// The time of the monotonic clock that lies so many nanoseconds ahead.
fn deadline(timeout: u64, is_absolute: bool) -> u64 {
    if is_absolute || timeout == FOREVER {
        return timeout;
    }
    guest::clock::monotonic().saturating_add(timeout)
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_cs_query_fence_status(
    fence: *mut Submitted,
    timeout: u64,
    flags: u64,
    expired: *mut u32,
) -> c_int {
    // SAFETY: the caller passes a submission.
    let it = unsafe { fence.read() };
    let Some(context) = numbered(it.context, CONTEXT) else {
        return next!("amdgpu_cs_query_fence_status"(fence => *mut Submitted, timeout => u64, flags => u64, expired => *mut u32) -> c_int, or -libc::ENODEV);
    };
    let mut arguments = Wait {
        number: it.number,
        deadline: deadline(timeout, flags & ABSOLUTE != 0),
        kind: it.kind,
        instance: it.instance,
        ring: it.ring,
        context,
    };
    let answer = run(0, command::WAIT_CS, &mut arguments);
    // SAFETY: the caller passes memory for the answer.
    unsafe { expired.write(u32::from(answer == 0 && arguments.number == 0)) };
    answer
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_cs_wait_fences(
    fences: *mut Submitted,
    count: u32,
    all: bool,
    timeout: u64,
    status: *mut u32,
    first: *mut u32,
) -> c_int {
    // SAFETY: the caller passes as many submissions.
    let found = (0..count as usize).map(|index| unsafe { fences.add(index).read() });
    let found = found.map(|it| {
        Some(Fence {
            context: numbered(it.context, CONTEXT)?,
            kind: it.kind,
            instance: it.instance,
            ring: it.ring,
            number: it.number,
        })
    });
    let Some(found) = found.collect::<Option<Vec<Fence>>>() else {
        return next!("amdgpu_cs_wait_fences"(fences => *mut Submitted, count => u32, all => bool, timeout => u64, status => *mut u32, first => *mut u32) -> c_int, or -libc::ENODEV);
    };
    let mut arguments = WaitFences {
        fences: found.as_ptr() as u64,
        count,
        all: u32::from(all),
        deadline: deadline(timeout, false),
    };
    let answer = run(0, command::WAIT_FENCES, &mut arguments);
    if answer == 0 {
        // SAFETY: the caller passes memory for the answer, and for the first unless it is null.
        unsafe {
            status.write(arguments.fences as u32);
            if !first.is_null() {
                first.write((arguments.fences >> 32) as u32);
            }
        }
    }
    answer
}
