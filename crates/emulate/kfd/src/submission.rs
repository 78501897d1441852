//! libdrm's functions for submitting commands: contexts, lists of buffer objects, submissions, and waiting for them. They become commands
//! to the render node, as libdrm's own do.
//!
//! Emulated handles are numbers with a mark above, like those of buffer objects; all other handles go to libdrm.

use std::ffi::{c_int, c_uint, c_void};

use kmt_sys::drm::{
    BufferList, Chunk, Commands, Context, Dependency, Fence, ListEntry, Submit, Wait, WaitFences,
    chunk, command, context, list,
};

use crate::{
    drm::{buffer, node},
    emulator, next,
};

const CONTEXT: u64 = 0x4c76 << 48;
const LIST: u64 = 0x4c77 << 48;
const MARK: u64 = 0xffff << 48;

/// The flag of a wait whose time is one of the monotonic clock.
const ABSOLUTE: u64 = 1;
const FOREVER: u64 = u64::MAX;

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

/// `amdgpu_cs_fence`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Submitted {
    context: *mut c_void,
    kind: u32,
    instance: u32,
    ring: u32,
    number: u64,
}

/// `amdgpu_cs_ib_info`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CommandBuffer {
    flags: u64,
    address: u64,
    dwords: u32,
}

/// `amdgpu_cs_request`.
#[repr(C)]
pub struct Request {
    flags: u64,
    kind: c_uint,
    instance: c_uint,
    ring: u32,
    list: *mut c_void,
    dependency_count: u32,
    dependencies: *mut Submitted,
    buffer_count: u32,
    buffers: *mut CommandBuffer,
    number: u64,
    /// A buffer object in which the number is stored, and where there.
    fence: (*mut c_void, u64),
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
    let (object, offset) = request.fence;
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

fn dependency(it: &Submitted) -> Option<Dependency> {
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

/// The time of the monotonic clock that lies so many nanoseconds ahead.
fn deadline(timeout: u64, is_absolute: bool) -> u64 {
    if is_absolute || timeout == FOREVER {
        return timeout;
    }
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the structure is ours.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    let now = now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64;
    now.saturating_add(timeout)
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
