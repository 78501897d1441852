//! Devices newer than a release's HIP.
//!
//! HIP 6.4 has a table of the targets it accepts, without gfx950, which ROCr and the compiler of the same release know. So that
//! programs can be run on it all the same, they get a copy of HIP in which a target of the same family that was never sold has
//! the newer one's name. HIP takes nothing else from that row than sizes that both have.

use std::{fs, path::Path};

use anyhow::{Context, Result, ensure};

/// A device that HIP does not know, and the row that it gets.
const RENAMED: &[(&str, &str)] = &[("gfx950", "gfx940")];

const LIBRARY: &str = "libamdhip64.so.6";
const FOLDER: &str = "/usr/lib/x86_64-linux-gnu";

/// The folder, as seen from inside of `root`, with a HIP that knows all of the devices; None if the release's own does.
pub fn folder(root: &Path, devices: &[String]) -> Result<Option<String>> {
    let path = root.join(FOLDER.trim_start_matches('/')).join(LIBRARY);
    if !path.exists() {
        return Ok(None);
    }
    let wanted = |device: &&(&str, &str)| devices.iter().any(|name| name == device.0);
    let mut bytes = Vec::new();
    for (device, row) in RENAMED.iter().filter(wanted) {
        if bytes.is_empty() {
            bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        }
        if count(&bytes, device) == 0 {
            let renamed = rename(&mut bytes, row, device);
            ensure!(renamed > 0, "{}: it has no row {row}", path.display());
            eprintln!("HIP does not know {device}: it gets the row of {row}");
        }
    }
    if bytes.is_empty() {
        return Ok(None);
    }
    let folder = "/opt/luthier-hip";
    let inside = root.join(folder.trim_start_matches('/'));
    fs::create_dir_all(&inside)?;
    fs::write(inside.join(LIBRARY), bytes)?;
    Ok(Some(folder.to_owned()))
}

/// Where the table's strings that begin with `target` begin: the name alone, or with features behind it.
fn places<'a>(bytes: &'a [u8], target: &'a str) -> impl Iterator<Item = usize> + 'a {
    let name = target.as_bytes();
    let ends = |byte: Option<&u8>| matches!(byte, Some(0 | b':'));
    let inner = bytes.windows(name.len() + 1).enumerate();
    inner.filter_map(move |(at, window)| {
        let is_name = window[0] == 0 && &window[1..] == name;
        (is_name && ends(bytes.get(at + 1 + name.len()))).then_some(at + 1)
    })
}

fn count(bytes: &[u8], target: &str) -> usize {
    places(bytes, target).count()
}

/// Gives the strings of one target the other's name, which is as long; says how many there were.
fn rename(bytes: &mut [u8], from: &str, to: &str) -> usize {
    assert_eq!(from.len(), to.len());
    let places: Vec<usize> = places(bytes, from).collect();
    for &at in &places {
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
    }
    places.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_not_text_are_renamed() {
        let mut bytes = b"\0gfx940\0gfx940:xnack-\0__gfx940__\0gfx9401\0".to_vec();
        assert_eq!(rename(&mut bytes, "gfx940", "gfx950"), 2);
        assert_eq!(bytes, b"\0gfx950\0gfx950:xnack-\0__gfx940__\0gfx9401\0");
        assert_eq!(count(&bytes, "gfx950"), 2);
    }
}
