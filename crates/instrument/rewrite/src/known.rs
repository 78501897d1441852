//! What is found out of a target once, and of use for all kernels of an object.

use crate::Refusal;
use crate::encode::Codes;
use crate::roles::Roles;
use gfx::Target;
use std::sync::{Mutex, PoisonError};

/// Encodings and roles for one target and wave size.
pub(crate) struct Known {
    pub codes: Codes,
    pub roles: Roles,
}

impl Known {
    pub fn of(target: &'static Target, wave_size: u8) -> Result<Known, Refusal> {
        let codes = Codes::new(target, wave_size)?;
        let roles = Roles::new(&codes)?;
        Ok(Known { codes, roles })
    }
}

/// What is in nobody's hands: there come to be as many as threads that rewrite kernels of one object at a time.
#[derive(Default)]
pub(crate) struct Pool(Mutex<Vec<Known>>);

impl Pool {
    pub fn take(&self, target: &'static Target, wave_size: u8) -> Result<Known, Refusal> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |known: &Known| {
            std::ptr::eq(known.codes.target, target) && known.codes.wave_size == wave_size
        };
        match all.iter().position(fits) {
            Some(found) => Ok(all.swap_remove(found)),
            None => {
                drop(all);
                Known::of(target, wave_size)
            }
        }
    }

    pub fn give_back(&self, known: Known) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(known);
    }
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pool")
    }
}
