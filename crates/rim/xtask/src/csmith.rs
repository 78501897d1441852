//! Csmith, which writes random C programs: that of the machine, or the one of Debian's packages, unpacked in `target/csmith`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};

use crate::{command::done, root};

/// Debian's packages with the program and the header that its programs need.
const PACKAGES: [&str; 2] = ["csmith", "libcsmith-dev"];

/// The program, and the compilers' flag for its header.
pub struct Csmith {
    program: PathBuf,
    pub include: String,
}

impl Csmith {
    /// Looks on the machine, then in `target/csmith`, and then downloads the packages with `apt-get`, without installing them.
    pub fn find() -> Result<Csmith> {
        let unpacked = root().join("target/csmith");
        if let Some(found) =
            Csmith::in_folder(Path::new("/")).or_else(|| Csmith::in_folder(&unpacked))
        {
            return Ok(found);
        }
        unpack(&unpacked).context(
            "random C programs need Csmith (Debian packages csmith and libcsmith-dev), which is not installed and cannot be fetched",
        )?;
        Csmith::in_folder(&unpacked)
            .context("the packages of Csmith have no usr/bin/csmith or no csmith.h")
    }

    fn in_folder(folder: &Path) -> Option<Csmith> {
        let program = folder.join("usr/bin/csmith");
        let headers = folder.join("usr/include/csmith");
        let is_whole = program.exists() && headers.join("csmith.h").exists();
        is_whole.then(|| Csmith {
            program,
            include: format!("-I{}", headers.display()),
        })
    }

    /// A run of the program in `folder`, where it leaves `platform.info`.
    pub fn command(&self, folder: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(folder);
        command
    }
}

fn unpack(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let mut download = Command::new("apt-get");
    done(download.current_dir(folder).arg("download").args(PACKAGES))?;
    let mut unpacked = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "deb") {
            done(Command::new("dpkg").arg("-x").args([&path, folder]))?;
            unpacked += 1;
        }
    }
    ensure!(unpacked >= PACKAGES.len(), "{unpacked} packages came");
    Ok(())
}
