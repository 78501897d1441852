//! Files that stay open inside somebody else's process.

use crate::{Error, Sink};
use files::{Keeper, Kept};
use std::{
    io,
    path::{Path, PathBuf},
};

/// Its descriptors are in no table of the application's.
static KEEPER: Keeper = Keeper::new("luthier-files");

/// Makes something with an open file where the application cannot reach it.
pub(crate) fn keep<T: Send + 'static>(
    path: &Path,
    make: impl FnOnce(&Path) -> Result<T, Error> + Send + 'static,
) -> Result<Kept<T>, Error> {
    let theirs = path.to_path_buf();
    Kept::make(&KEEPER, move || make(&theirs)).map_err(|source| failed(path, source))?
}

pub(crate) fn failed(path: &Path, source: io::Error) -> Error {
    Error::File {
        path: path.to_path_buf(),
        source,
    }
}

/// A sink on the thread that keeps files.
pub(crate) struct KeptSink {
    path: PathBuf,
    sink: Kept<Box<dyn Sink>>,
}

impl KeptSink {
    pub fn make(
        path: &Path,
        make: impl FnOnce(&Path) -> Result<Box<dyn Sink>, Error> + Send + 'static,
    ) -> Result<KeptSink, Error> {
        Ok(KeptSink {
            path: path.to_path_buf(),
            sink: keep(path, make)?,
        })
    }
}

impl Sink for KeptSink {
    fn write(&mut self, records: &[u8]) -> Result<(), Error> {
        let records = records.to_vec();
        let written = self.sink.with(move |sink| sink.write(&records));
        written.map_err(|source| failed(&self.path, source))?
    }

    fn finish(self: Box<Self>) -> Result<u64, Error> {
        let KeptSink { path, sink } = *self;
        sink.take(|sink| sink.finish())
            .map_err(|source| failed(&path, source))?
    }
}
