//! Says before a program starts that its device code is for other devices; HIP's own message names none.

mod libraries;

use std::{
    env,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use codeobj::{Setting, TargetId, container::Contents, select::SelectError};
use gfx::{Feature, Target};
use launcher::device;
use outputs::Input;

/// Files larger than this are not searched; the check is a courtesy and must stay quick.
const LARGEST: u64 = 256 << 20;

/// Lines for the user if `program` or libraries that it is linked with hold device code, but none that runs on any of the emulated
/// `devices`. `xnack`: it is asked for.
pub fn complaints(program: &OsStr, devices: &str, xnack: bool) -> Vec<String> {
    let Some(path) = find(program) else {
        return Vec::new();
    };
    let libraries = libraries::with_code(&path).into_iter();
    let libraries = libraries.filter_map(|path| {
        let look = |code: &[u8]| problem(&codeobj::walk(code).ok()?, devices, xnack);
        let problem = libraries::in_first_bundle(&path, look)?;
        let path = path.display();
        Some(format!(
            "{path} {problem}; HIP 7 crashes where one of its kernels is launched"
        ))
    });
    complaint(&path, devices, xnack)
        .into_iter()
        .chain(libraries)
        .collect()
}

fn complaint(path: &Path, devices: &str, xnack: bool) -> Option<String> {
    if fs::metadata(path).ok()?.len() > LARGEST {
        return None;
    }
    let input = Input::open_for_parts(path).ok()?;
    let mut contents = codeobj::walk(input.bytes()).ok()?;
    // GCC's runtime says it itself, and what else has code objects among its data may have them for no launch.
    contents.entries.retain(|entry| !entry.embedded);
    let problem = problem(&contents, devices, xnack)?;
    Some(format!("{} {problem}", path.display()))
}

/// Why none of the code runs on any of the devices, if that is so.
fn problem(contents: &Contents<'_>, devices: &str, xnack: bool) -> Option<SelectError> {
    let mut problem = None;
    let known = |device: &str| gpu::topology::named(device.trim());
    let targets: Option<Vec<&Target>> = devices.split(',').map(known).collect();
    let targets = targets?;
    // One mode for all, or none.
    let retries = xnack && targets.iter().all(|target| target.retries_by_process);
    for target in targets {
        match contents.select(&emulated(target, retries)) {
            Ok(_) | Err(SelectError::Empty { .. }) => return None,
            Err(mut error) => {
                if let SelectError::NoMatch { alternative, .. } = &mut error {
                    // Code for a generic target has devices of other names; a feature may be on that is off in each.
                    alternative.take_if(|name| !runs(contents, name, xnack));
                    if alternative.is_none() {
                        let mut targets = gpu::topology::targets();
                        let found = targets.find(|name| runs(contents, name, xnack));
                        *alternative = found.map(str::to_owned);
                    }
                }
                problem = Some(error);
            }
        }
    }
    problem
}

/// Returns `true` if the emulated device of that name runs some of the code.
fn runs(contents: &Contents<'_>, name: &str, xnack: bool) -> bool {
    let wanted = device::named_xnack(name).unwrap_or(xnack);
    gpu::topology::Config::new(name).is_ok_and(|config| {
        let retries = wanted && config.target.retries_by_process;
        contents.select(&emulated(config.target, retries)).is_ok()
    })
}

/// The ISA that the emulated device reports to ROCr: SRAM ECC on where it exists, XNACK if the process has it.
fn emulated(target: &'static Target, retries: bool) -> TargetId {
    let setting = |feature, value| {
        if feature == Feature::Absent {
            Setting::Unsupported
        } else {
            value
        }
    };
    TargetId {
        xnack: setting(
            target.xnack,
            if retries { Setting::On } else { Setting::Off },
        ),
        sramecc: setting(target.sramecc, Setting::On),
        ..TargetId::any(target)
    }
}

/// The path at which the shell would find `program`.
pub fn find(program: &OsStr) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.components().count() > 1 {
        return Some(path.to_path_buf());
    }
    env::split_paths(&env::var_os("PATH")?)
        .map(|directory| directory.join(path))
        .find(|candidate| candidate.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The warning for a file with code for these targets.
    fn said(targets: &[&str], device: &str) -> Option<String> {
        said_with(targets, device, false)
    }

    fn said_with(targets: &[&str], device: &str, xnack: bool) -> Option<String> {
        let ids: Vec<String> = targets
            .iter()
            .map(|target| format!("hipv4-amdgcn-amd-amdhsa--{target}"))
            .collect();
        // The beginning of a code object: class, byte order, ABI (HSA) and machine (AMD GPU). The bundle says which device an object is
        // for.
        let mut header = [0; 64];
        header[..8].copy_from_slice(b"\x7fELF\x02\x01\x01\x40");
        header[16..20].copy_from_slice(&[3, 0, 0xe0, 0]);
        let mut entries: Vec<(&str, &[u8])> = vec![("host-x86_64-unknown-linux--", b"")];
        entries.extend(ids.iter().map(|id| (id.as_str(), &header[..])));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        fs::write(&path, codeobj::bundle::write(&entries, 4096)).unwrap();
        let said = complaint(&path, device, xnack)?;
        Some(said.replace(&path.display().to_string(), "it"))
    }

    #[test]
    fn what_could_be_emulated_is_a_device() {
        for (targets, alternative) in [
            (&["gfx1100", "gfx90a"][..], " or --device gfx1100"),
            (&["gfx11-generic"], " or --device gfx1100"),
            (&["gfx1250", "gfx906"], " or --device gfx906"),
            (&["gfx90a:xnack+"], " or --device gfx90a:xnack+"),
            (&["gfx908:xnack+"], ""),
        ] {
            let available = targets.join(", ");
            let expected = format!(
                "it has {available}; the device is gfx1030: rebuild with --offload-arch=gfx1030{alternative}"
            );
            assert_eq!(said(targets, "gfx1030"), Some(expected));
        }
        assert_eq!(said(&["gfx10-3-generic"], "gfx1030"), None);
    }

    #[test]
    fn xnack_decides_where_the_device_has_it_on_wish() {
        let retried = "the device is gfx90a:sramecc+:xnack+: rebuild with --offload-arch=gfx90a:sramecc+:xnack+ or --device gfx90a:xnack-";
        let plain = "the device is gfx90a:sramecc+:xnack-: rebuild with --offload-arch=gfx90a:sramecc+:xnack- or --device gfx90a:xnack+";
        for (targets, xnack, expected) in [
            (&["gfx90a"][..], true, None),
            (&["gfx90a"], false, None),
            (&["gfx90a:xnack+"], true, None),
            (&["gfx90a:xnack+"], false, Some(plain)),
            (&["gfx90a:xnack-"], true, Some(retried)),
            (&["gfx90a:xnack-"], false, None),
        ] {
            let said = said_with(targets, "gfx90a", xnack);
            match expected {
                None => assert_eq!(said, None, "{targets:?} {xnack}"),
                Some(end) => assert!(said.clone().unwrap().ends_with(end), "{said:?}"),
            }
        }
        // Asking for it does nothing where the driver refuses, or one of several devices lacks it.
        assert_eq!(said_with(&["gfx908:xnack-"], "gfx908", true), None);
        assert_eq!(said_with(&["gfx90a:xnack-"], "gfx90a,gfx1030", true), None);
    }
}
