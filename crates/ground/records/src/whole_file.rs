//! A file that is there whole or not at all.

use crate::Error;
use outputs::Output;
use std::{
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

pub(crate) struct WholeFile {
    path: PathBuf,
    file: BufWriter<Output>,
}

impl WholeFile {
    pub fn create(path: &Path) -> Result<WholeFile, Error> {
        let file = Output::create(path).map_err(|source| Error::File {
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
        let finished = match file.into_inner() {
            Ok(output) => output.finish(),
            Err(error) => Err(error.into_error()),
        };
        finished.map_err(|source| Error::File { path, source })
    }
}

/// Writes a file whole or not at all; what is no regular file is written through, and links are followed ([`outputs::Output`]).
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    outputs::write_whole(path, bytes).map_err(|source| Error::File {
        path: path.to_path_buf(),
        source,
    })
}
