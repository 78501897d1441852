//! The HSA tool: the runtime calls `OnLoad` at the end of `hsa_init`, and `OnUnload` before it shuts down.
//!
//! Hooks replace entries of the API table in place, so they see all callers, and call the entries they found, so tools
//! chain.

use std::{
    ffi::c_void,
    mem::offset_of,
    sync::atomic::{AtomicPtr, Ordering},
};

use crate::{
    hsa::*,
    runtime::Api,
    state::{self, say},
};

/// Later ROCr versions find preloaded tools by this symbol and order them by its value.
#[unsafe(no_mangle)]
pub static HSA_AMD_TOOL_PRIORITY: u32 = 50;

/// An entry of the API table as it was before.
struct Saved(AtomicPtr<c_void>);

impl Saved {
    const fn new() -> Self {
        Saved(AtomicPtr::new(std::ptr::null_mut()))
    }
}

static SHUT_DOWN: Saved = Saved::new();
static DESTROY: Saved = Saved::new();
static FREEZE: Saved = Saved::new();
static LOAD: Saved = Saved::new();

/// Replaces a table entry, unless it is empty or ours already (the table survives a restart of the runtime).
fn hook<F: Copy + PartialEq>(entry: &mut Option<F>, ours: F, saved: &Saved) {
    const { assert!(size_of::<Option<F>>() == size_of::<*mut c_void>()) };
    if let Some(original) = *entry
        && original != ours
    {
        // SAFETY: `F` is a function pointer, as the callers below show, and has the size checked above.
        let address: *mut c_void = unsafe { std::mem::transmute_copy(&original) };
        saved.0.store(address, Ordering::Release);
        *entry = Some(ours);
    }
}

/// Called by the HSA runtime.
///
/// # Safety
/// `table` must be the runtime's API table.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn OnLoad(
    table: *mut ApiTable,
    _runtime_version: u64,
    _failed_count: u64,
    _failed_names: *const *const libc::c_char,
) -> bool {
    // SAFETY: the caller's.
    state::contained(|| unsafe { connect(table) });
    // Refusing would make the runtime print an error; a program without profile is better than a confused one.
    true
}

/// # Safety
/// As of [`OnLoad`].
unsafe fn connect(table: *mut ApiTable) {
    if table.is_null() {
        return;
    }
    // SAFETY: the runtime passes a valid root table, and `from_tables` checks how far the others reach.
    unsafe {
        let (core, amd) = ((*table).core, (*table).amd);
        if core.is_null() || amd.is_null() {
            return;
        }
        match Api::from_tables(core, amd) {
            Ok(api) => {
                // Everything is loaded before any hook can run.
                state::arm(api);
                debug_assert!(
                    offset_of!(CoreTable, load_agent_code_object) < (*core).version.minor as usize
                );
                hook(&mut (*core).shut_down, on_shut_down as ShutDown, &SHUT_DOWN);
                hook(
                    &mut (*core).executable_destroy,
                    on_destroy as ExecutableDestroy,
                    &DESTROY,
                );
                hook(
                    &mut (*core).executable_freeze,
                    on_freeze as ExecutableFreeze,
                    &FREEZE,
                );
                hook(
                    &mut (*core).load_agent_code_object,
                    on_load_object as LoadAgentCodeObject,
                    &LOAD,
                );
            }
            Err(missing) => say(&format!(
                "this HSA runtime lacks {missing}; no device profile is written"
            )),
        }
    }
}

/// Called by the HSA runtime before it takes its devices down.
#[unsafe(no_mangle)]
pub extern "C" fn OnUnload() {
    finish();
}

/// The last chance to reach the devices.
pub fn finish() {
    state::with(|collector, runtime| {
        if let Some(runtime) = runtime {
            collector.retire_all(runtime);
        }
        collector.dump(None)
    });
    state::disarm();
}

/// Takes the counts of an executable that is about to go.
pub fn before_destroy(executable: Handle) {
    state::with(|collector, runtime| {
        if let Some(runtime) = runtime {
            collector.retire(runtime, executable);
        }
    });
}

/// Looks at an executable whose code was just loaded.
pub fn after_load(executable: Handle) {
    state::with(|collector, runtime| {
        if let Some(runtime) = runtime {
            collector.loaded(runtime, executable);
        }
    });
}

fn original<F: Copy>(saved: &Saved) -> F {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    let address = saved.0.load(Ordering::Acquire);
    // SAFETY: `hook` stored a function of this type before the hook that asks for it became reachable.
    unsafe { std::mem::transmute_copy(&address) }
}

unsafe extern "C" fn on_shut_down() -> Status {
    state::dump();
    // SAFETY: forwarding the call as it came.
    unsafe { original::<ShutDown>(&SHUT_DOWN)() }
}

unsafe extern "C" fn on_destroy(executable: Handle) -> Status {
    before_destroy(executable);
    // SAFETY: forwarding the call as it came.
    unsafe { original::<ExecutableDestroy>(&DESTROY)(executable) }
}

unsafe extern "C" fn on_freeze(executable: Handle, options: *const libc::c_char) -> Status {
    // SAFETY: forwarding the call as it came.
    let status = unsafe { original::<ExecutableFreeze>(&FREEZE)(executable, options) };
    if status == SUCCESS {
        after_load(executable);
    }
    status
}

unsafe extern "C" fn on_load_object(
    executable: Handle,
    agent: Handle,
    reader: Handle,
    options: *const libc::c_char,
    object: *mut Handle,
) -> Status {
    // SAFETY: forwarding the call as it came.
    let status = unsafe {
        original::<LoadAgentCodeObject>(&LOAD)(executable, agent, reader, options, object)
    };
    if status == SUCCESS {
        // Now, because the reader's memory may be gone after this.
        after_load(executable);
    }
    status
}
