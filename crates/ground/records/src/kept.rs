//! Files that stay open inside an application's process.

use crate::{Error, Sink};
use guest::{Keeper, Kept};
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

/// A sink on the thread that keeps files. The first write that fails gives the file up, and its reason is that of all that follow: what
/// libraries say of a file that is half there would hide it.
pub(crate) struct KeptSink {
    path: PathBuf,
    sink: Result<Kept<Box<dyn Sink>>, String>,
}

impl KeptSink {
    pub fn make(
        path: &Path,
        make: impl FnOnce(&Path) -> Result<Box<dyn Sink>, Error> + Send + 'static,
    ) -> Result<KeptSink, Error> {
        Ok(KeptSink {
            path: path.to_path_buf(),
            sink: Ok(keep(path, make)?),
        })
    }
}

impl Sink for KeptSink {
    fn write(&mut self, records: &[u8]) -> Result<(), Error> {
        let sink = match &mut self.sink {
            Ok(sink) => sink,
            Err(reason) => {
                return Err(Error::GivenUp {
                    path: self.path.clone(),
                    reason: reason.clone(),
                });
            }
        };
        let records = records.to_vec();
        let error = match sink.with(move |sink| sink.write(&records)) {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => error,
            Err(source) => failed(&self.path, source),
        };
        let reason = match &error {
            Error::File { source, .. } => source.to_string(),
            Error::Parquet { source, .. } => source.to_string(),
            // Records that are none leave the file as it was.
            _ => return Err(error),
        };
        self.sink = Err(reason);
        Err(error)
    }

    fn finish(self: Box<Self>) -> Result<u64, Error> {
        match self.sink {
            Ok(sink) => sink
                .take(|sink| sink.finish())
                .map_err(|source| failed(&self.path, source))?,
            Err(reason) => Err(Error::GivenUp {
                path: self.path,
                reason,
            }),
        }
    }
}
