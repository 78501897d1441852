//! Records of fixed layout, as a device writes them, into files that other programs read.
//!
//! Entry types: [`Layout`] (names and kinds of a record's fields), [`Sink`] with [`sink`] (Parquet or JSON lines by the
//! file's name) and [`Timeline`] (events for Chrome's and Perfetto's viewers). A file appears under its name when it is
//! finished, whole; until then it has none. Its descriptor is in a table of its own, which the rest of the process does not share.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod error;
mod json;
mod kept;
mod layout;
mod parquet;
mod timeline;
mod whole_file;

pub use error::Error;
pub use layout::{Field, Kind, Layout, Value};
pub use timeline::{Event, Moment, Timeline};
pub use whole_file::write_whole;

use std::path::Path;

/// A destination of records.
pub trait Sink: Send {
    /// Appends whole records, one after another without gaps. A file that cannot be written is given up: this and all later calls fail
    /// for that reason.
    fn write(&mut self, records: &[u8]) -> Result<(), Error>;
    /// Completes the file; says how many records are in it.
    fn finish(self: Box<Self>) -> Result<u64, Error>;
}

/// Makes a sink where it is called.
type Create = fn(&Path, &Layout) -> Result<Box<dyn Sink>, Error>;

/// Refuses a path to which no sink writes.
pub fn check_name(path: &Path) -> Result<(), Error> {
    creates(path).map(|_| ())
}

fn creates(path: &Path) -> Result<Create, Error> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("parquet") => {
            Ok(|path, layout| Ok(Box::new(parquet::ParquetSink::create(path, layout)?)))
        }
        Some("jsonl") => Ok(|path, layout| Ok(Box::new(json::JsonSink::create(path, layout)?))),
        _ => Err(Error::Format {
            path: path.to_path_buf(),
        }),
    }
}

/// A sink for `path`: `.parquet`, or `.jsonl` for one JSON object a line.
pub fn sink(path: &Path, layout: &Layout) -> Result<Box<dyn Sink>, Error> {
    let create = creates(path)?;
    let layout = layout.clone();
    let sink = kept::KeptSink::make(path, move |path| create(path, &layout))?;
    Ok(Box::new(sink))
}
