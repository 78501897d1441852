//! The file that the user wants a report in. It is opened before anything runs, so that no hour of work ends in a name that cannot be written.

use std::{
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use outputs::Output;

pub struct Destination {
    path: PathBuf,
    output: Output,
}

impl Destination {
    /// `usual`: the name in a directory.
    pub fn open(path: &Path, usual: &str) -> Result<Destination> {
        let path = outputs::named(path, usual);
        let output = Output::create(&path).map_err(without_path);
        let output = output.with_context(|| unwritable(&path))?;
        Ok(Destination { path, output })
    }

    /// A report that does not get into the file is on standard error.
    pub fn write(self, text: &str) -> Result<()> {
        let Destination { path, mut output } = self;
        let written = output
            .write_all(text.as_bytes())
            .and_then(|()| output.finish());
        if written.is_err() {
            command::print_error(format_args!("{text}"));
        }
        written.with_context(|| unwritable(&path))
    }
}

/// An error about a directory that does not exist names no hidden file in it.
fn without_path(error: io::Error) -> io::Error {
    match error.kind() {
        ErrorKind::NotFound => io::Error::new(ErrorKind::NotFound, "its directory does not exist"),
        _ => error,
    }
}

fn unwritable(path: &Path) -> String {
    format!("cannot write {}", path.display())
}
