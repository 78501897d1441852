//! The GPUs that are imitated in approximate functions: set once for the process.

use std::sync::OnceLock;

use gfx::Target;
use wave::Measured;

static IMITATED: OnceLock<(&'static Target, Measured)> = OnceLock::new();

/// From now on devices of the file's target give what was measured of one (`luthier hardware-check --import` writes such files). Returns that
/// target. It is an error if the file is none, or if there was another one before.
pub fn imitate(file: &[u8]) -> Result<&'static Target, String> {
    let (name, measured) = Measured::read(file)?;
    let target = Target::find(&name)
        .ok_or_else(|| format!("it is of target {name:?}, which Luthier does not know"))?;
    match IMITATED.set((target, measured)) {
        Ok(()) => Ok(target),
        Err(_) => Err("approximate functions are of another file already".to_owned()),
    }
}

pub(crate) fn of(target: &Target) -> Option<Measured> {
    let (imitated, measured) = IMITATED.get()?;
    (imitated.name == target.name).then_some(*measured)
}
