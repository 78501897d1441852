//! What is found out of a target once, and of use for all kernels of an object.

use crate::Refusal;
use crate::encode::Encodings;
use crate::roles::Roles;
use gfx::Target;
use std::sync::{Mutex, PoisonError};

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

/// What is in nobody's hands: there come to be as many as threads that rewrite kernels of one object at a time.
#[derive(Default)]
pub(crate) struct TablePool(Mutex<Vec<TargetTables>>);

impl TablePool {
    pub fn take(&self, target: &'static Target, wave_size: u8) -> Result<TargetTables, Refusal> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |known: &TargetTables| {
            std::ptr::eq(known.codes.target, target) && known.codes.wave_size == wave_size
        };
        match all.iter().position(fits) {
            Some(found) => Ok(all.swap_remove(found)),
            None => {
                drop(all);
                TargetTables::new(target, wave_size)
            }
        }
    }

    pub fn give_back(&self, known: TargetTables) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(known);
    }
}

impl std::fmt::Debug for TablePool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pool")
    }
}
