//! Tools that stock HIP compilers made. Their hooks are compiled here, in a process of their own, once for each content.

use std::{
    fs,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// A tool in the form that `luthier tool build` makes.
pub struct Prepared {
    /// `NAME.tool`, with `NAME.so` beside it.
    pub tool: PathBuf,
    /// The directory for it if there is no cache.
    folder: Option<tempfile::TempDir>,
}

impl Prepared {
    /// The new path of the tool.
    pub fn into_path(self) -> PathBuf {
        if let Some(folder) = self.folder {
            let _ = folder.keep();
        }
        self.tool
    }
}

/// The tool in a library; `None` if that is none from a HIP compiler.
pub fn prepare(library: &Path) -> Result<Option<Prepared>> {
    let bytes = tools::read_library(library)
        .with_context(|| format!("cannot read {}", library.display()))?;
    if !tools::is_stock(&bytes) {
        return Ok(None);
    }
    let (tool, folder) = place(library, &bytes, "tool")?;
    let host = tool_capi::library_of(&tool);
    if !tool.exists() || !host.exists() {
        let stock = tool_build::from_library(library, &bytes);
        let whole = library.with_extension(tools::SUFFIX);
        let stock = match whole.is_file() {
            true => stock.with_context(|| format!("is the tool {} meant?", whole.display()))?,
            false => stock?,
        };
        // The tool last: where it is, the library is, too.
        records::write_whole(&host, &stock.library)?;
        records::write_whole(&tool, &stock.tool)?;
    }
    Ok(Some(Prepared { tool, folder }))
}

/// The module in a library whose host code is not called.
pub fn prepare_module(library: &Path) -> Result<Prepared> {
    let bytes = tools::read_library(library)
        .with_context(|| format!("cannot read {}", library.display()))?;
    let (tool, folder) = place(library, &bytes, "module")?;
    if !tool.exists() {
        records::write_whole(&tool, &tool_build::module(library, &bytes)?)?;
    }
    Ok(Prepared { tool, folder })
}

/// Where what is made of a library belongs, with the folder if nothing is cached. `what` is made tells it from others.
fn place(library: &Path, bytes: &[u8], what: &str) -> Result<(PathBuf, Option<tempfile::TempDir>)> {
    let (config, _) = luthier::Config::read(|name| std::env::var(name).ok());
    let kept = config
        .cache
        .map(|cache| cache.join("tools").join(key(bytes, what)));
    let (folder, temporary) = match kept {
        Some(folder) if make(&folder).is_ok() => (folder, None),
        _ => {
            let temporary = tempfile::Builder::new().prefix("luthier-tool-").tempdir()?;
            (temporary.path().to_owned(), Some(temporary))
        }
    };
    let name = tools::name_of(&library.to_string_lossy());
    let tool = folder.join(format!("{name}.{}", tools::SUFFIX));
    Ok((tool, temporary))
}

/// Only this user may write into it.
fn make(folder: &Path) -> std::io::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
}

/// The key of the result: the library and this build of Luthier.
fn key(library: &[u8], what: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(env!("CARGO_PKG_VERSION"));
    hash.update(what);
    let own = std::env::current_exe().and_then(fs::metadata);
    if let Ok(own) = own {
        hash.update(format!("{} {:?}", own.len(), own.modified().ok()));
    }
    hash.update(library);
    let digest = hash.finalize();
    digest[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
