//! The API tables as they were before us: what our hooks forward to and what we call ourselves.

use std::sync::atomic::{AtomicPtr, Ordering};

use hsa_sys::tables::ApiTable;
pub use hsa_tool::Tables as Api;

/// Without these nothing can be instrumented.
const NEEDED: &[&str] = &[
    "hsa_queue_create",
    "hsa_queue_destroy",
    "hsa_executable_freeze",
    "hsa_executable_destroy",
    "hsa_executable_load_agent_code_object",
    "hsa_system_get_major_extension_table",
    "hsa_amd_queue_intercept_create",
    "hsa_amd_queue_intercept_register",
];

/// Never freed: a hook may be running on any thread.
static SAVED: AtomicPtr<Api> = AtomicPtr::new(std::ptr::null_mut());

/// Copies the tables, and keeps the copy for [`saved`]. The error says what an older or different runtime lacks.
///
/// # Safety
/// `table` must be the root table that the runtime passes to tools.
pub unsafe fn save(table: *const ApiTable) -> Result<&'static Api, String> {
    // SAFETY: the caller's promise.
    let api: &'static Api = Box::leak(Box::new(unsafe { Api::of_runtime(table, NEEDED) }?));
    SAVED.store(std::ptr::from_ref(api).cast_mut(), Ordering::Release);
    Ok(api)
}

/// The tables that were saved last. They exist whenever one of this library's hooks can be called.
pub fn saved() -> Option<&'static Api> {
    // SAFETY: null, or a leaked box.
    unsafe { SAVED.load(Ordering::Acquire).as_ref() }
}

/// Returns `true` if queues are made by the runtime itself, as opposed to another tool that came before us.
pub fn owns_queue_create(api: &Api) -> bool {
    let create = api.core.queue_create;
    let library = create.and_then(|create| guest::library::path_of(create as *const _));
    library.is_some_and(|path| path.to_string_lossy().contains("libhsa-runtime64"))
}
