//! Hooks of the runtime's copy functions. They are installed only if a tool or setting asks for copies.

use std::{ffi::c_void, ptr::null_mut};

use hsa_sys::{
    Handle, Status,
    constants::status,
    tables::{
        AsyncCopy, AsyncCopyOnEngine, AsyncCopyRect, CopyProfiling, MemoryCopy, PointerInfo,
        SignalDestroy,
    },
};
use hsa_tool::Original;

use crate::{
    api::{self, Api},
    state::{self, guarded},
    transfers::Transfer,
};

static COPY: Original<AsyncCopy> = Original::new();
static COPY_ON_ENGINE: Original<AsyncCopyOnEngine> = Original::new();
static COPY_RECT: Original<AsyncCopyRect> = Original::new();
static MEMORY_COPY: Original<MemoryCopy> = Original::new();
static SIGNAL_DESTROY: Original<SignalDestroy> = Original::new();
static PROFILING: Original<CopyProfiling> = Original::new();

/// Puts our functions into the tables, unless these have no such entries.
pub fn install(api: &Api) {
    fn put<F: Copy + Send + Sync + 'static>(
        api: &Api,
        name: &str,
        original: &Original<F>,
        ours: F,
    ) {
        if let Some(entry) = api.entry(name) {
            // SAFETY: the runtime's entry of this name, which holds a function of this type or null.
            original.replace(unsafe { &mut *entry.cast::<Option<F>>() }, ours);
        }
    }
    put(
        api,
        "hsa_signal_destroy",
        &SIGNAL_DESTROY,
        signal_destroy as SignalDestroy,
    );
    put(
        api,
        "hsa_amd_profiling_async_copy_enable",
        &PROFILING,
        profiling as CopyProfiling,
    );
    put(api, "hsa_amd_memory_async_copy", &COPY, copy as AsyncCopy);
    put(
        api,
        "hsa_amd_memory_async_copy_on_engine",
        &COPY_ON_ENGINE,
        copy_on_engine as AsyncCopyOnEngine,
    );
    put(
        api,
        "hsa_amd_memory_async_copy_rect",
        &COPY_RECT,
        copy_rect as AsyncCopyRect,
    );
    put(
        api,
        "hsa_memory_copy",
        &MEMORY_COPY,
        memory_copy as MemoryCopy,
    );
}

/// Asks for a copy and remembers it.
fn remembered(transfer: Transfer, signal: Handle, ask: impl FnOnce() -> Status) -> Status {
    let state = state::current();
    let begun = state.and_then(|state| {
        guarded(|| state.transfers.begin(&state.session, &transfer, signal)).flatten()
    });
    let asked = ask();
    if let (Some(state), Some(begun)) = (state, begun) {
        guarded(|| state.transfers.done(begun, asked != status::SUCCESS));
    }
    asked
}

unsafe extern "C" fn copy(
    to: *mut c_void,
    to_agent: Handle,
    from: *const c_void,
    from_agent: Handle,
    bytes: usize,
    count: u32,
    before: *const Handle,
    signal: Handle,
) -> Status {
    let transfer = Transfer {
        from: from_agent,
        to: to_agent,
        bytes: bytes as u64,
    };
    let copy = COPY.behind();
    // SAFETY: forwarding the call as it came.
    let ask = || unsafe { copy(to, to_agent, from, from_agent, bytes, count, before, signal) };
    remembered(transfer, signal, ask)
}

unsafe extern "C" fn copy_on_engine(
    to: *mut c_void,
    to_agent: Handle,
    from: *const c_void,
    from_agent: Handle,
    bytes: usize,
    count: u32,
    before: *const Handle,
    signal: Handle,
    engine: u32,
    force: bool,
) -> Status {
    let transfer = Transfer {
        from: from_agent,
        to: to_agent,
        bytes: bytes as u64,
    };
    let copy = COPY_ON_ENGINE.behind();
    // SAFETY: forwarding the call as it came.
    let ask = || unsafe {
        copy(
            to, to_agent, from, from_agent, bytes, count, before, signal, engine, force,
        )
    };
    remembered(transfer, signal, ask)
}

unsafe extern "C" fn copy_rect(
    to: *const c_void,
    to_offset: *const [u32; 3],
    from: *const c_void,
    from_offset: *const [u32; 3],
    range: *const [u32; 3],
    agent: Handle,
    direction: u32,
    count: u32,
    before: *const Handle,
    signal: Handle,
) -> Status {
    // `hsa_amd_copy_direction_t`: its bits say which side is a device, as far as there is one.
    let side = |bit: u32| match direction & bit {
        0 => 0,
        _ => agent,
    };
    // SAFETY: null, or what the runtime reads too.
    let range_of = unsafe { range.as_ref() };
    let transfer = Transfer {
        from: side(2),
        to: side(1),
        bytes: range_of.map_or(0, |range| {
            range.iter().map(|size| u64::from(*size)).product()
        }),
    };
    let copy = COPY_RECT.behind();
    // SAFETY: forwarding the call as it came.
    let ask = || unsafe {
        copy(
            to,
            to_offset,
            from,
            from_offset,
            range,
            agent,
            direction,
            count,
            before,
            signal,
        )
    };
    remembered(transfer, signal, ask)
}

unsafe extern "C" fn memory_copy(to: *mut c_void, from: *const c_void, bytes: usize) -> Status {
    let state = state::current();
    let begun = state.and_then(|state| {
        guarded(|| {
            let transfer = Transfer {
                from: owner(from),
                to: owner(to),
                bytes: bytes as u64,
            };
            state.transfers.copied(&state.session, &transfer)
        })
        .flatten()
    });
    // SAFETY: forwarding the call as it came.
    let copied = unsafe { MEMORY_COPY.behind()(to, from, bytes) };
    if let (Some(state), Some(begun), status::SUCCESS) = (state, begun, copied) {
        guarded(|| state.transfers.waited_for(begun));
    }
    copied
}

/// The agent whose memory this is; 0 where the runtime does not know.
fn owner(address: *const c_void) -> Handle {
    let query = api::saved().and_then(|api| api.amd.pointer_info);
    let mut info = PointerInfo {
        size: size_of::<PointerInfo>() as u32,
        ..PointerInfo::default()
    };
    let (allocator, count, list) = (null_mut(), null_mut(), null_mut());
    // SAFETY: any address may be asked about, and no list is wanted.
    let known = query.map(|query| unsafe { query(address, &raw mut info, allocator, count, list) });
    match known {
        Some(status::SUCCESS) => info.owner,
        _ => 0,
    }
}

unsafe extern "C" fn signal_destroy(signal: Handle) -> Status {
    if let Some(state) = state::current() {
        guarded(|| state.transfers.destroyed(signal));
    }
    // SAFETY: forwarding the call as it came.
    unsafe { SIGNAL_DESTROY.behind()(signal) }
}

/// The application may turn times on; when it turns them off, they stay if we need them, which it does not notice.
unsafe extern "C" fn profiling(on: bool) -> Status {
    let needed = state::current()
        .and_then(|state| guarded(|| state.transfers.is_timing()))
        .unwrap_or(false);
    // SAFETY: forwarding the call.
    unsafe { PROFILING.behind()(on || needed) }
}
