//! A file that is there whole or not at all.

use crate::Error;
use std::{
    fs::Permissions,
    io::{self, BufWriter, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};
use tempfile::NamedTempFile;

pub(crate) struct WholeFile {
    path: PathBuf,
    file: BufWriter<NamedTempFile>,
}

/// A temporary file that others may read as any file of the user's, once it has its name.
pub(crate) fn temporary(directory: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new()
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(directory)
}

impl WholeFile {
    pub fn create(path: &Path) -> Result<WholeFile, Error> {
        let directory = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let file = temporary(directory).map_err(|source| Error::File {
            path: path.to_path_buf(),
            source,
        })?;
        Ok(WholeFile {
            path: path.to_path_buf(),
            file: BufWriter::new(file),
        })
    }

    pub fn error(&self, source: io::Error) -> Error {
        Error::File {
            path: self.path.clone(),
            source,
        }
    }

    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.file
            .write_all(bytes)
            .map_err(|source| self.error(source))
    }

    pub fn finish(self) -> Result<(), Error> {
        let WholeFile { path, file } = self;
        let failed = |source| Error::File {
            path: path.clone(),
            source,
        };
        let file = file
            .into_inner()
            .map_err(|error| failed(error.into_error()))?;
        file.persist(&path).map_err(|error| failed(error.error))?;
        Ok(())
    }
}

/// Writes a file whole or not at all.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let mut file = WholeFile::create(path)?;
    file.write(bytes)?;
    file.finish()
}
