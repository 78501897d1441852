//! How the cache stays small.

use std::{
    fs, io,
    path::Path,
    time::{Duration, SystemTime},
};

use crate::entry::Entry;

/// Removes the results that no test wanted for a time, and then, as long as all together need more than `most` bytes, the one that was
/// wanted longest ago. Results that are being made or copied stay. Returns how many were removed.
pub fn forget(cache: &Path, unused: Duration, most: u64) -> io::Result<usize> {
    let mut results = results(cache)?;
    results.sort();
    let mut bytes: u64 = results.iter().map(|(_, bytes, _)| bytes).sum();
    let now = SystemTime::now();
    let mut removed = 0;
    for (wanted, size, key) in results {
        let is_old = now.duration_since(wanted).is_ok_and(|age| age > unused);
        if !is_old && bytes <= most {
            break;
        }
        if Entry::remove(cache, &key)? {
            bytes -= size;
            removed += 1;
        }
    }
    Ok(removed)
}

/// When each was wanted last, its bytes and its key.
fn results(cache: &Path) -> io::Result<Vec<(SystemTime, u64, String)>> {
    let mut results = Vec::new();
    let folders = match fs::read_dir(cache) {
        Ok(folders) => folders,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(results),
        Err(error) => return Err(error),
    };
    for folder in folders {
        let folder = folder?;
        // (One that was there a moment ago may have been removed by another gate.)
        let Ok(metadata) = folder.metadata() else {
            continue;
        };
        if metadata.is_dir() {
            let name = folder.file_name().to_string_lossy().into_owned();
            results.push((metadata.modified()?, size(&folder.path()), name));
        }
    }
    Ok(results)
}

/// The bytes of all files below a folder. Results that vanish meanwhile count nothing.
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => size(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    });
    sizes.sum()
}
