//! Tables of a target that are computed once and serve all kernels of all objects.

use crate::Refusal;
use crate::encode::Encodings;
use crate::roles::Roles;
use gfx::Target;
use std::sync::{Mutex, MutexGuard, TryLockError};

/// Encodings and roles for one target and wave size.
pub(crate) struct TargetTables {
    pub codes: Encodings,
    pub roles: Roles,
}

impl TargetTables {
    pub fn new(target: &'static Target, wave_size: u8) -> Result<TargetTables, Refusal> {
        let codes = Encodings::new(target, wave_size)?;
        let roles = Roles::new(&codes)?;
        Ok(TargetTables { codes, roles })
    }
}

/// Tables that no thread uses at the moment. For one target there are at most as many as threads that rewrite kernels for it at a time.
static KEPT: Mutex<Vec<TargetTables>> = Mutex::new(Vec::new());
/// The largest number of tables that are kept: as many as one file may have targets.
const MOST_KEPT: usize = 64;
/// Instructions that all of those remember, at 64 bytes each.
const MOST_REMEMBERED: usize = 1 << 19;

/// The lock is tried, never waited for: in a child of a fork, the thread that held it is gone.
fn kept() -> Option<MutexGuard<'static, Vec<TargetTables>>> {
    match KEPT.try_lock() {
        Ok(kept) => Some(kept),
        Err(TryLockError::Poisoned(kept)) => Some(kept.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

impl TargetTables {
    pub fn take(target: &'static Target, wave_size: u8) -> Result<TargetTables, Refusal> {
        let fits = |known: &TargetTables| {
            std::ptr::eq(known.codes.target, target) && known.codes.wave_size == wave_size
        };
        let found = kept().and_then(|mut kept| {
            let found = kept.iter().rposition(fits)?;
            Some(kept.remove(found))
        });
        match found {
            Some(found) => Ok(found),
            None => TargetTables::new(target, wave_size),
        }
    }

    pub fn give_back(self) {
        let Some(mut kept) = kept() else { return };
        kept.push(self);
        let remembered = |kept: &[TargetTables]| -> usize {
            kept.iter().map(|known| known.roles.remembered()).sum()
        };
        while kept.len() > MOST_KEPT || (kept.len() > 1 && remembered(&kept) > MOST_REMEMBERED) {
            kept.remove(0);
        }
    }
}
