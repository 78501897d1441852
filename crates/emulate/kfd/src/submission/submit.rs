//! Submissions.

use std::ffi::{c_int, c_void};

use kmt_sys::{
    drm::{Chunk, Commands, Dependency, Submit, chunk, command},
    libdrm::{CommandBuffer, FencePlace, Request, Submitted},
};

use super::{CONTEXT, LIST, numbered, run};
use crate::{drm::buffer, next};

/// Submits chunks; the submission's number.
fn submit_chunks(number: u32, list: u32, chunks: &[Chunk]) -> Result<u64, c_int> {
    let addresses: Vec<u64> = chunks.iter().map(|it| &raw const *it as u64).collect();
    let mut arguments = Submit {
        context: number,
        list,
        chunk_count: chunks.len() as u32,
        flags: 0,
        chunks: addresses.as_ptr() as u64,
    };
    match run(0, command::CS, &mut arguments) {
        0 => Ok(u64::from(arguments.list) << 32 | u64::from(arguments.context)),
        error => Err(error),
    }
}

/// A chunk of records.
fn chunk_of<T>(kind: u32, records: &[T]) -> Chunk {
    Chunk {
        kind,
        dwords: (size_of_val(records) / 4) as u32,
        data: records.as_ptr() as u64,
    }
}

fn submit_one(number: u32, request: &mut Request) -> c_int {
    // SAFETY: libdrm's function takes as many of both as the request says.
    let (buffers, dependencies): (Vec<CommandBuffer>, Vec<Submitted>) = unsafe {
        let all = 0..request.buffer_count as usize;
        let earlier = 0..request.dependency_count as usize;
        (
            all.map(|index| request.buffers.add(index).read()).collect(),
            earlier
                .map(|index| request.dependencies.add(index).read())
                .collect(),
        )
    };
    let commands: Vec<[Commands; 1]> = (buffers.iter())
        .map(|buffer| {
            [Commands {
                pad: 0,
                flags: buffer.flags as u32,
                address: buffer.address,
                bytes: buffer.dwords.saturating_mul(4),
                kind: request.kind,
                instance: request.instance,
                ring: request.ring,
            }]
        })
        .collect();
    let dependencies: Option<Vec<Dependency>> = dependencies.iter().map(dependency).collect();
    let Some(dependencies) = dependencies else {
        return -libc::EINVAL;
    };
    let mut chunks: Vec<Chunk> = commands.iter().map(|it| chunk_of(chunk::IB, it)).collect();
    if !dependencies.is_empty() {
        chunks.push(chunk_of(chunk::DEPENDENCIES, &dependencies));
    }
    let FencePlace { object, offset } = request.fence;
    let place = [buffer(object).unwrap_or(0), offset as u32 * 8];
    if !object.is_null() {
        chunks.push(chunk_of(chunk::FENCE, &place));
    }
    let list = numbered(request.list, LIST).unwrap_or(0);
    match submit_chunks(number, list, &chunks) {
        Ok(submission) => {
            request.number = submission;
            0
        }
        Err(error) => error,
    }
}

pub(super) fn dependency(it: &Submitted) -> Option<Dependency> {
    Some(Dependency {
        kind: it.kind,
        instance: it.instance,
        ring: it.ring,
        context: numbered(it.context, CONTEXT)?,
        number: it.number,
    })
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_cs_submit(
    it: *mut c_void,
    flags: u64,
    requests: *mut Request,
    count: u32,
) -> c_int {
    let Some(number) = numbered(it, CONTEXT) else {
        return next!("amdgpu_cs_submit"(it => *mut c_void, flags => u64, requests => *mut Request, count => u32) -> c_int, or -libc::ENODEV);
    };
    for index in 0..count as usize {
        // SAFETY: libdrm's function takes as many requests, and stores their numbers.
        let request = unsafe { &mut *requests.add(index) };
        match submit_one(number, request) {
            0 => {}
            error => return error,
        }
    }
    0
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_cs_submit_raw(
    device: *mut c_void,
    it: *mut c_void,
    list: *mut c_void,
    count: c_int,
    chunks: *mut Chunk,
    result: *mut u64,
) -> c_int {
    let Some(context) = numbered(it, CONTEXT) else {
        return next!("amdgpu_cs_submit_raw"(device => *mut c_void, it => *mut c_void, list => *mut c_void, count => c_int, chunks => *mut Chunk, result => *mut u64) -> c_int, or -libc::ENODEV);
    };
    // SAFETY: this function takes the same.
    unsafe {
        submit_raw(
            context,
            numbered(list, LIST).unwrap_or(0),
            count,
            chunks,
            result,
        )
    }
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_cs_submit_raw2(
    device: *mut c_void,
    it: *mut c_void,
    list: u32,
    count: c_int,
    chunks: *mut Chunk,
    result: *mut u64,
) -> c_int {
    let Some(context) = numbered(it, CONTEXT) else {
        return next!("amdgpu_cs_submit_raw2"(device => *mut c_void, it => *mut c_void, list => u32, count => c_int, chunks => *mut Chunk, result => *mut u64) -> c_int, or -libc::ENODEV);
    };
    // SAFETY: this function takes the same.
    unsafe { submit_raw(context, list, count, chunks, result) }
}

/// # Safety
/// There must be `count` chunks, and memory for the result unless that is null.
unsafe fn submit_raw(
    context: u32,
    list: u32,
    count: c_int,
    chunks: *mut Chunk,
    result: *mut u64,
) -> c_int {
    // SAFETY: the caller says that there are so many.
    let chunks: Vec<Chunk> = (0..count.max(0) as usize)
        .map(|index| unsafe { chunks.add(index).read() })
        .collect();
    match submit_chunks(context, list, &chunks) {
        Ok(_) if result.is_null() => 0,
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
pub unsafe extern "C" fn amdgpu_cs_chunk_fence_to_dep(
    fence: *mut Submitted,
    result: *mut Dependency,
) {
    // SAFETY: the caller passes a submission.
    let it = unsafe { fence.read() };
    match dependency(&it) {
        // SAFETY: the caller passes memory for the chunk's data.
        Some(it) => unsafe { result.write(it) },
        None => {
            next!("amdgpu_cs_chunk_fence_to_dep"(fence => *mut Submitted, result => *mut Dependency) -> (), or ())
        }
    }
}
