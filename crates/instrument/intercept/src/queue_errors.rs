//! Knowing when a queue has died.

use std::{
    ffi::c_void,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use aql::Queue;
use hsa_sys::{Status, tables::QueueError};

use crate::state;

/// Stands between a queue and the application's error callback, to know when a queue has died.
#[derive(Default)]
pub struct Errors {
    callback: Option<QueueError>,
    data: usize,
    failed: AtomicBool,
}

/// Some of what a wave counts lies in registers until it ends.
const STOPPED: &str = "the device stopped a queue with an error; what waves that it stopped had counted and not yet written is missing";

impl Errors {
    /// The values to give to the runtime instead of `callback` and `data`. Without a callback the runtime ends the program.
    pub fn route(
        callback: Option<QueueError>,
        data: *mut c_void,
    ) -> (Arc<Errors>, Option<QueueError>, *mut c_void) {
        let errors = Arc::new(Errors {
            callback,
            data: data as usize,
            failed: AtomicBool::new(false),
        });
        if callback.is_none() {
            return (errors, None, data);
        }
        // It is kept for ever, because it is not known when the runtime has called back for the last time.
        let route = Arc::into_raw(Arc::clone(&errors)).cast_mut().cast();
        (errors, Some(on_error as QueueError), route)
    }

    /// Returns `true` if the device has given up on the queue.
    pub fn failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }
}

unsafe extern "C" fn on_error(status: Status, queue: *mut Queue, route: *mut c_void) {
    // SAFETY: `route` is what `Errors::route` made, which is never freed.
    let errors = unsafe { &*route.cast::<Errors>() };
    errors.failed.store(true, Ordering::Release);
    state::guarded(|| state::note(STOPPED.into()));
    if let Some(callback) = errors.callback {
        // SAFETY: forwarding the call as it came, with the application's own data.
        unsafe { callback(status, queue, errors.data as *mut c_void) };
    }
}
