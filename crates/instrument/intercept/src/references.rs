//! How often the program has started HSA and not shut it down: with the last `hsa_shut_down` the session ends.
//!
//! From 7.2 on ROCr refuses every call when it tells tools of that end in `OnUnload`. A copy from the device would fail there.

use std::sync::atomic::{AtomicU32, Ordering};

use hsa_sys::{Status, constants::status};

use crate::{
    api,
    state::{self, guarded},
};

/// 0 while HSA is not running, or was started before this library came.
static HELD: AtomicU32 = AtomicU32::new(0);

/// The runtime is about to answer the first `hsa_init`.
pub fn first() {
    HELD.store(1, Ordering::Release);
}

pub unsafe extern "C" fn init() -> Status {
    let is_held = HELD.load(Ordering::Acquire) != 0;
    let Some(original) = api::saved().and_then(|api| api.core.init) else {
        return status::NOT_INITIALIZED;
    };
    // SAFETY: forwarding the call as it came.
    let status = unsafe { original() };
    // `OnLoad` has counted a first one.
    if status == status::SUCCESS && is_held {
        HELD.fetch_add(1, Ordering::AcqRel);
    }
    status
}

pub unsafe extern "C" fn shut_down() -> Status {
    let before = HELD.fetch_update(Ordering::AcqRel, Ordering::Acquire, |held| {
        held.checked_sub(1)
    });
    if before == Ok(1) {
        guarded(|| state::finish(state::END, state::SETTLE));
    }
    match api::saved().and_then(|api| api.core.shut_down) {
        // SAFETY: forwarding the call as it came.
        Some(original) => unsafe { original() },
        None => status::NOT_INITIALIZED,
    }
}
