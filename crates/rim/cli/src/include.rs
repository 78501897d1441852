//! `luthier tool include`: where `luthier.h` lies, for compilers and editors.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// The directories of the headers in an installation and a build, from the directory of the executable.
const PLACES: [&str; 2] = ["../include/luthier", "../../include"];
const HEADER: &str = "luthier.h";

/// The directory for a compiler's `-I`.
pub fn directory() -> Result<PathBuf> {
    let executable = std::env::current_exe().context("cannot find the luthier executable")?;
    let home = executable
        .parent()
        .context("the luthier executable has no directory")?;
    beside(home)
}

fn beside(home: &Path) -> Result<PathBuf> {
    let places = PLACES.map(|place| home.join(place));
    let Some(found) = places.iter().find(|place| place.join(HEADER).exists()) else {
        let [installed, built] = places.map(|place| place.display().to_string());
        bail!("{HEADER} is neither in {installed} nor in {built}: install Luthier's package again");
    };
    let found = found.canonicalize();
    found.with_context(|| format!("{HEADER} was there and is gone"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_found_in_installations_and_builds() {
        let root = tempfile::tempdir().unwrap();
        let bin = root.path().join("a/bin");
        std::fs::create_dir_all(&bin).unwrap();
        let error = beside(&bin).unwrap_err().to_string();
        assert!(error.contains("luthier.h is neither in"), "{error}");
        for place in ["include", "a/include/luthier"] {
            let folder = root.path().canonicalize().unwrap().join(place);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join(HEADER), "").unwrap();
            assert_eq!(beside(&bin).unwrap(), folder);
        }
    }
}
