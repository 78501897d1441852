//! Says before a program starts that its device code is for other devices; HIP's own message names none.

use std::{
    env,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use codeobj::{Setting, TargetId, select::SelectError};
use gfx::{Feature, Target};

/// Files larger than this are not searched; the check is a courtesy and must stay quick.
const LARGEST: u64 = 256 << 20;

/// A line for the user if `program` holds device code, but none that runs on any of the emulated `devices`.
pub fn complaint(program: &OsStr, devices: &str) -> Option<String> {
    let path = find(program)?;
    if fs::metadata(&path).ok()?.len() > LARGEST {
        return None;
    }
    let bytes = fs::read(&path).ok()?;
    let contents = codeobj::walk(&bytes).ok()?;
    let mut complaint = None;
    for device in devices.split(',') {
        let device = device.trim();
        let processor = gfx::target_of_product(device).unwrap_or(device);
        match contents.select(&emulated(Target::find(processor)?)) {
            Ok(_) | Err(SelectError::Empty { .. }) => return None,
            Err(mut error) => {
                if let SelectError::NoMatch { alternative, .. } = &mut error {
                    alternative.take_if(|name| gpu::topology::Config::new(name).is_err());
                }
                complaint = Some(format!("{} {error}", path.display()));
            }
        }
    }
    complaint
}

/// The ISA that the emulated device reports to ROCr: SRAM ECC on where it exists, XNACK off.
fn emulated(target: &'static Target) -> TargetId {
    let setting = |feature, value| {
        if feature == Feature::Absent {
            Setting::Unsupported
        } else {
            value
        }
    };
    TargetId {
        xnack: setting(target.xnack, Setting::Off),
        sramecc: setting(target.sramecc, Setting::On),
        ..TargetId::any(target)
    }
}

/// Where the shell would find `program`.
pub fn find(program: &OsStr) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.components().count() > 1 {
        return Some(path.to_path_buf());
    }
    env::split_paths(&env::var_os("PATH")?)
        .map(|directory| directory.join(path))
        .find(|candidate| candidate.is_file())
}
