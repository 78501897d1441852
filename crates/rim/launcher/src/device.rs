//! The GPU that a program sees.

use std::{env, ffi::OsString, path::Path, process::Command};

use anyhow::{Result, bail};

use crate::{
    doors::{self, Door},
    hsa_tools, libraries, preload,
};

/// Variable that names the target to emulate, for the emulated thunk and as default of `--device`.
pub const VARIABLE: &str = "LUTHIER_DEVICE";
/// Target emulated when none is named.
pub const DEFAULT_TARGET: &str = "gfx90a";

/// The meaning of a user's `--device` on this machine: the targets to emulate, or none for the GPU of the machine.
///
/// `hardware` needs a GPU, `auto` takes it if there is one; everything else names what to emulate.
pub fn meaning(device: &str) -> Result<Option<&str>> {
    meaning_with(device, Path::new("/dev/kfd").exists())
}

fn meaning_with(device: &str, hardware: bool) -> Result<Option<&str>> {
    match device {
        "hardware" | "auto" if hardware => Ok(None),
        "hardware" => bail!(
            "there is no AMD GPU here (/dev/kfd is missing); emulate one with --device {DEFAULT_TARGET}"
        ),
        "auto" => Ok(Some(DEFAULT_TARGET)),
        named
            if named
                .split(',')
                .any(|one| ["hardware", "auto"].contains(&one.trim())) =>
        {
            bail!(
                "--device {named}: a program sees either the GPUs of this machine, with --device hardware, or emulated ones, never both"
            )
        }
        named => Ok(Some(named)),
    }
}

/// The [`meaning`], and a line for the user where the choice was made for them.
pub fn choose(device: &str) -> Result<Option<&str>> {
    let target = meaning(device)?;
    if let ("auto", Some(target)) = (device, target) {
        command::say!("luthier: no AMD GPU here, emulating {target} (choose with --device)");
    }
    Ok(target)
}

/// Makes ROCr find the emulated device in the program that `command` starts.
///
/// `gpus` repeats the list of targets up to that number. There are two ways to the device, and each ROCr takes the one it knows. A ROCr
/// that loads a thunk library finds Luthier's by `LD_LIBRARY_PATH`. A ROCr with a thunk of its own (6.3 and later), or with a newer thunk
/// library than Luthier's, uses the kernel driver, and the small preloaded library takes the driver's place. Neither does anything in child
/// processes that use no GPU.
pub fn emulate(command: &mut Command, target: &str, gpus: Option<u32>) -> Result<()> {
    let runtime = libraries::system(doors::RUNTIME);
    if runtime.is_some_and(|path| matches!(doors::detect(&path), Ok(Door::NewerThunk))) {
        command.env(VARIABLE, target);
        preload::put_last(command, &libraries::preloadable_driver()?);
        return settings(command, target, gpus);
    }
    let mut path = OsString::from(libraries::emulator_directory()?);
    if let Some(existing) = env::var_os("LD_LIBRARY_PATH").filter(|existing| !existing.is_empty()) {
        path.push(":");
        path.push(existing);
    }
    command.env("LD_LIBRARY_PATH", path).env(VARIABLE, target);
    preload::put_last(command, &libraries::preloadable_driver()?);
    // The thunk is a tool too: it lets threads sleep that wait for the GPU, where HIP would have them spin.
    hsa_tools::put_last(command, libraries::THUNK_SONAME);
    settings(command, target, gpus)
}

fn settings(command: &mut Command, target: &str, gpus: Option<u32>) -> Result<()> {
    if let Some(gpus) = gpus {
        command.env("LUTHIER_GPUS", gpus.to_string());
    }
    if let Some(on) = named_xnack(target) {
        command.env(XNACK_VARIABLE, if on { "1" } else { "0" });
    }
    Ok(())
}

/// Variable by which a user asks ROCr for kernels that wait for pages that are not there.
pub const XNACK_VARIABLE: &str = "HSA_XNACK";

/// The XNACK mode that names of devices ask for: `gfx90a:xnack+`. A process has one mode, so one name that asks for it is enough.
pub fn named_xnack(targets: &str) -> Option<bool> {
    let features = targets.split([',', ':']).map(str::trim);
    let named = |feature| features.clone().any(|one| one == feature);
    let on = named("xnack+");
    (on || named("xnack-")).then_some(on)
}

/// Returns `true` if XNACK is asked for in a program that [`emulate`] prepares for these devices.
pub fn wants_xnack(targets: &str) -> bool {
    named_xnack(targets)
        .unwrap_or_else(|| env::var_os(XNACK_VARIABLE).is_some_and(|value| value == "1"))
}

/// Makes the emulated device of [`emulate`] exact about memory: allocations by the byte, freed memory, LDS by its size.
pub fn be_exact(command: &mut Command) {
    // ROCr would carve small allocations out of large ones, between which nothing is noticed.
    command
        .env("LUTHIER_EXACT", "1")
        .env("HSA_DISABLE_FRAGMENT_ALLOCATOR", "1");
}

/// Has emulated devices fill what no program has written with `pattern`.
pub fn fill(command: &mut Command, pattern: &str) {
    command.env("LUTHIER_FILL", pattern);
}

/// Has emulated devices give what was measured of a GPU in approximate functions, from a file.
pub fn imitate(command: &mut Command, file: &Path) {
    command.env("LUTHIER_NUMERICS", file);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_devices_say_whether_kernels_wait_for_pages() {
        assert_eq!(named_xnack("gfx90a"), None);
        assert_eq!(named_xnack("gfx90a:sramecc+:xnack+"), Some(true));
        assert_eq!(named_xnack("gfx942:xnack-, gfx942:xnack+"), Some(true));
        assert_eq!(named_xnack("gfx942:xnack-,gfx942"), Some(false));
    }

    #[test]
    fn hardware_is_taken_if_there_is_some() {
        assert_eq!(meaning_with("auto", true).unwrap(), None);
        assert_eq!(meaning_with("hardware", true).unwrap(), None);
        assert_eq!(meaning_with("auto", false).unwrap(), Some(DEFAULT_TARGET));
        assert_eq!(meaning_with("gfx1030", true).unwrap(), Some("gfx1030"));
        assert_eq!(
            meaning_with("gfx90a,gfx1030", false).unwrap(),
            Some("gfx90a,gfx1030")
        );
        let refusal = meaning_with("hardware", false).unwrap_err().to_string();
        assert!(refusal.contains("--device gfx90a"), "{refusal}");
        for both in ["hardware,gfx90a", "gfx1100, auto"] {
            let refusal = meaning_with(both, true).unwrap_err().to_string();
            assert!(refusal.contains("never both"), "{refusal}");
        }
    }
}
