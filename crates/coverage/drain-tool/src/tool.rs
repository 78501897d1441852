//! The HSA tool: the runtime calls `OnLoad` at the end of `hsa_init`, and `OnUnload` before it shuts down.
//!
//! Hooks replace entries of the API table in place, so they see all callers, and call the entries they found, so tools
//! chain.

use hsa_sys::{
    Handle, Status,
    constants::status,
    tables::{ApiTable, ExecutableDestroy, ExecutableFreeze, LoadAgentCodeObject, ShutDown},
};
use hsa_tool::{Original, Tables};

use crate::{
    runtime::NEEDED,
    state::{self, say},
};

/// Later ROCr versions find preloaded tools by this symbol and order them by its value.
#[unsafe(no_mangle)]
pub static HSA_AMD_TOOL_PRIORITY: u32 = 50;

static SHUT_DOWN: Original<ShutDown> = Original::new();
static DESTROY: Original<ExecutableDestroy> = Original::new();
static FREEZE: Original<ExecutableFreeze> = Original::new();
static LOAD: Original<LoadAgentCodeObject> = Original::new();

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
/// The caller must keep the rules of [`OnLoad`].
unsafe fn connect(table: *mut ApiTable) {
    // SAFETY: the runtime passes a valid root table; what is accepted reaches beyond these entries.
    unsafe {
        match Tables::of_runtime(table, NEEDED) {
            Ok(tables) => {
                // Everything is loaded before any hook can run.
                state::arm(tables);
                let core = &mut *(*table).core;
                SHUT_DOWN.replace(&mut core.shut_down, on_shut_down);
                DESTROY.replace(&mut core.executable_destroy, on_destroy);
                FREEZE.replace(&mut core.executable_freeze, on_freeze);
                LOAD.replace(&mut core.executable_load_agent_code_object, on_load_object);
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

unsafe extern "C" fn on_shut_down() -> Status {
    state::dump();
    // SAFETY: forwarding the call as it came.
    unsafe { SHUT_DOWN.behind()() }
}

unsafe extern "C" fn on_destroy(executable: Handle) -> Status {
    before_destroy(executable);
    // SAFETY: forwarding the call as it came.
    unsafe { DESTROY.behind()(executable) }
}

unsafe extern "C" fn on_freeze(executable: Handle, options: *const libc::c_char) -> Status {
    // SAFETY: forwarding the call as it came.
    let status = unsafe { FREEZE.behind()(executable, options) };
    if status == status::SUCCESS {
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
    let status = unsafe { LOAD.behind()(executable, agent, reader, options, object) };
    if status == status::SUCCESS {
        // Now, because the reader's memory may be gone after this.
        after_load(executable);
    }
    status
}
