//! The functions that the runtime calls, and the hooks in its tables.
//!
//! Hooks call the entries they found, so tools chain; whatever happens in the session, the call is forwarded and its result
//! returned unchanged.

use std::{
    collections::HashMap,
    ffi::{c_char, c_void},
    mem::offset_of,
    sync::{Arc, Mutex},
};

use allocations::modules;
use aql::Queue;
use hsa_sys::{
    Handle, Status,
    constants::status,
    layouts::amd_offset,
    tables::{
        AmdTable, ApiTable, ExecutableDestroy, ExecutableFreeze, Init, LoadAgentCodeObject,
        LoadCodeObject, QueueCreate, QueueDestroy, QueueError, ShutDown,
    },
};
use hsa_tool::Loader;
use session::{AgentId, LoadedObject};

use crate::{
    api::{self, Api},
    copies, lock,
    output::say,
    queue_errors::Errors,
    references::{self, init, shut_down},
    state::{self, State, guarded},
};

/// Later ROCr versions find preloaded tools by this symbol and order them by its value.
#[unsafe(no_mangle)]
pub static HSA_AMD_TOOL_PRIORITY: u32 = 60;

/// Code objects of executables that are not frozen yet, by executable.
#[derive(Default)]
pub struct Pending(Mutex<HashMap<Handle, Vec<PendingObject>>>);

struct PendingObject {
    handle: Handle,
    agent: Handle,
    uri: String,
    bytes: Arc<[u8]>,
}

impl Pending {
    fn add(&self, executable: Handle, object: PendingObject) {
        lock(&self.0).entry(executable).or_default().push(object);
    }

    fn knows(&self, executable: Handle, object: Handle) -> bool {
        lock(&self.0)
            .get(&executable)
            .is_some_and(|objects| objects.iter().any(|known| known.handle == object))
    }

    fn take(&self, executable: Handle) -> Vec<PendingObject> {
        lock(&self.0).remove(&executable).unwrap_or_default()
    }
}

/// Replaces a table entry, unless it is empty.
fn hook<F>(entry: &mut Option<F>, function: Option<F>) {
    if entry.is_some() {
        *entry = function;
    }
}

/// Called by the HSA runtime at the end of `hsa_init`.
///
/// # Safety
/// `table` must be the runtime's API table.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn OnLoad(
    table: *mut ApiTable,
    _runtime_version: u64,
    _failed_count: u64,
    _failed_names: *const *const c_char,
) -> bool {
    guarded(|| {
        // SAFETY: the runtime passes a valid root table, and `save` checks how far the others reach.
        unsafe {
            if table.is_null() || is_hooked(table) {
                return;
            }
            if let Some(other) = copies::other() {
                say(&format!(
                    "{other} already instruments this program; this copy does nothing"
                ));
                return;
            }
            match api::save(table) {
                Ok(api) => {
                    // The application makes no call before this returns. Hooks that tools put into the tables come before this library's,
                    // which forward to the functions that were there before.
                    put(table, None);
                    if state::start(api) {
                        references::first();
                        copies::announce(true);
                        if allocations::facts::are_kept() {
                            allocations::hsa::watch((*table).core, (*table).amd);
                        }
                    } else {
                        put(table, Some(api));
                    }
                }
                Err(missing) => {
                    state::refuse(&format!("this HSA runtime lacks {missing}"));
                }
            }
        }
    });
    // Refusing would make the runtime print an error; a program without tool is better than a confused one.
    true
}

/// Returns `true` if the tool is named twice: the tables must not be saved with our own hooks in them.
///
/// # Safety
/// The caller must keep the rules of [`OnLoad`].
unsafe fn is_hooked(table: *const ApiTable) -> bool {
    // SAFETY: the core table always reaches beyond this entry.
    unsafe {
        !(*table).core.is_null()
            && (*(*table).core)
                .queue_create
                .is_some_and(|entry| std::ptr::fn_addr_eq(entry, queue_create as QueueCreate))
    }
}

/// Puts our functions into the tables (`None`), or what was there before us.
///
/// # Safety
/// The caller must keep the rules of [`OnLoad`], and [`api::save`] has accepted the tables.
unsafe fn put(table: *mut ApiTable, before: Option<&Api>) {
    macro_rules! core {
        ($core:ident: $($entry:ident = $ours:ident as $type:ty,)*) => {
            $(hook(&mut $core.$entry, match before {
                Some(api) => api.core.$entry,
                None => Some($ours as $type),
            });)*
        };
    }
    // SAFETY: `save` has checked that the tables have these entries.
    unsafe {
        let core = &mut *(*table).core;
        core! { core:
            init = init as Init,
            shut_down = shut_down as ShutDown,
            queue_create = queue_create as QueueCreate,
            queue_destroy = queue_destroy as QueueDestroy,
            executable_freeze = executable_freeze as ExecutableFreeze,
            executable_destroy = executable_destroy as ExecutableDestroy,
            executable_load_agent_code_object = load_agent_code_object as LoadAgentCodeObject,
            executable_load_code_object = load_code_object as LoadCodeObject,
        }
        let amd = (*table).amd;
        let create = offset_of!(AmdTable, queue_intercept_create);
        if let Some(create) = amd_offset(&(*amd).version, create) {
            let ours = Some(queue_intercept_create as QueueCreate);
            let function = before.map_or(ours, |api| api.amd.queue_intercept_create);
            hook(&mut *amd.byte_add(create).cast(), function);
        }
    }
}

/// Called by the HSA runtime before it takes its devices down, after [`references::shut_down`].
#[unsafe(no_mangle)]
pub extern "C" fn OnUnload() {
    guarded(|| state::finish(state::END, state::SETTLE));
    copies::announce(false);
}

/// Calls a saved entry, or answers "not initialised" when there is none.
macro_rules! forward {
    ($table:ident.$entry:ident($($argument:expr),*)) => {
        match api::saved().and_then(|api| api.$table.$entry) {
            // SAFETY: forwarding the call as it came.
            Some(original) => unsafe { original($($argument),*) },
            None => status::NOT_INITIALIZED,
        }
    };
}

unsafe extern "C" fn queue_create(
    agent: Handle,
    size: u32,
    kind: u32,
    callback: Option<QueueError>,
    data: *mut c_void,
    private: u32,
    group: u32,
    queue: *mut *mut Queue,
) -> Status {
    let made = state::current().and_then(|state| {
        guarded(|| {
            // SAFETY: the arguments are the caller's.
            unsafe {
                state
                    .queues
                    .create(agent, size, kind, callback, data, private, group, queue)
            }
        })
    });
    made.unwrap_or_else(|| {
        forward!(core.queue_create(agent, size, kind, callback, data, private, group, queue))
    })
}

/// Other tools make their queues this way, whatever order we were loaded in.
unsafe extern "C" fn queue_intercept_create(
    agent: Handle,
    size: u32,
    kind: u32,
    callback: Option<QueueError>,
    data: *mut c_void,
    private: u32,
    group: u32,
    queue: *mut *mut Queue,
) -> Status {
    let Some(state) = state::current() else {
        return forward!(
            amd.queue_intercept_create(agent, size, kind, callback, data, private, group, queue)
        );
    };
    let (errors, callback, data) = Errors::route(callback, data);
    let status = forward!(
        amd.queue_intercept_create(agent, size, kind, callback, data, private, group, queue)
    );
    if status == status::SUCCESS {
        // SAFETY: the runtime has just stored a queue there.
        guarded(|| unsafe { state.queues.adopt(agent, *queue, errors) });
    }
    status
}

unsafe extern "C" fn queue_destroy(queue: *mut Queue) -> Status {
    let state = state::current();
    if state
        .and_then(|state| guarded(|| state.queues.release_shared(queue)))
        .unwrap_or(false)
    {
        return status::SUCCESS;
    }
    let removed = state.and_then(|state| Some((state, guarded(|| state.queues.remove(queue))??)));
    let status = forward!(core.queue_destroy(queue));
    if let Some((state, intercepted)) = removed {
        guarded(|| match status {
            status::SUCCESS => {
                intercepted.harvest();
                intercepted.destroy_signals();
            }
            _ => state.queues.restore(queue, intercepted),
        });
    }
    status
}

unsafe extern "C" fn load_agent_code_object(
    executable: Handle,
    agent: Handle,
    reader: Handle,
    options: *const c_char,
    object: *mut Handle,
) -> Status {
    let mut own = 0;
    let into = if object.is_null() {
        &raw mut own
    } else {
        object
    };
    let status =
        forward!(core.executable_load_agent_code_object(executable, agent, reader, options, into));
    if status == status::SUCCESS
        && let Some(state) = state::current()
    {
        // SAFETY: the runtime has just stored the handle there.
        let handle = unsafe { *into };
        // Now, because the reader's memory may be gone after this.
        guarded(|| read_object(state, executable, agent, handle));
    }
    status
}

/// The way of HSA 1.0, which GCC's plug-in for OpenMP and OpenACC takes.
unsafe extern "C" fn load_code_object(
    executable: Handle,
    agent: Handle,
    code_object: Handle,
    options: *const c_char,
) -> Status {
    let status =
        forward!(core.executable_load_code_object(executable, agent, code_object, options));
    if status == status::SUCCESS
        && let Some(state) = state::current()
    {
        guarded(|| read_unnamed_objects(state, executable, agent));
    }
    status
}

/// Finds the objects that were loaded by a call that does not return them.
fn read_unnamed_objects(state: &State, executable: Handle, agent: Handle) {
    match Loader::new(state.api).and_then(|loader| loader.objects(executable)) {
        Ok(objects) => {
            for object in objects {
                if !state.pending.knows(executable, object) {
                    read_object(state, executable, agent, object);
                }
            }
        }
        Err(error) => state
            .session
            .note(format!("a code object cannot be found: {error}")),
    }
}

fn read_object(state: &State, executable: Handle, agent: Handle, handle: Handle) {
    let read = || {
        let loader = Loader::new(state.api).map_err(|error| error.to_string())?;
        let image = loader.image(handle).map_err(|error| error.to_string())?;
        let image = image.ok_or("the runtime does not say where it is")?;
        let bytes = image.bytes().ok_or("its file or memory is gone")?;
        Ok::<_, String>(PendingObject {
            handle,
            agent,
            uri: loader.uri(handle),
            bytes: bytes.into(),
        })
    };
    match read() {
        Ok(object) => state.pending.add(executable, object),
        Err(error) => state
            .session
            .note(format!("a code object cannot be read: {error}")),
    }
}

unsafe extern "C" fn executable_freeze(executable: Handle, options: *const c_char) -> Status {
    let status = forward!(core.executable_freeze(executable, options));
    if status == status::SUCCESS
        && let Some(state) = state::current()
    {
        guarded(|| register_objects(state, executable));
    }
    status
}

fn register_objects(state: &State, executable: Handle) {
    let objects = state.pending.take(executable);
    if objects.is_empty() {
        return;
    }
    let Ok(loader) = Loader::new(state.api) else {
        return;
    };
    for object in objects {
        match loader.placement(object.handle) {
            Ok((base, size, delta)) => {
                modules::loaded(executable, delta, &object.bytes);
                state.session.loaded(LoadedObject {
                    executable,
                    agent: AgentId(object.agent),
                    base,
                    size,
                    delta,
                    uri: object.uri,
                    bytes: object.bytes,
                });
            }
            Err(error) => state
                .session
                .note(format!("a code object cannot be located: {error}")),
        }
    }
}

unsafe extern "C" fn executable_destroy(executable: Handle) -> Status {
    if let Some(state) = state::current() {
        // Before, because the addresses may be used again after this.
        guarded(|| {
            state.pending.take(executable);
            modules::unloaded(executable);
            state.session.unloaded(executable);
        });
    }
    forward!(core.executable_destroy(executable))
}
