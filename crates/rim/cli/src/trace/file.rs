//! The file of one launch. It is made when there is something to write: a launch that cannot run leaves none.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use outputs::Output;

pub struct File {
    path: PathBuf,
    pub name: String,
    head: String,
    output: Option<Output>,
}

impl File {
    /// A file that begins with `head`.
    pub fn new(directory: &Path, name: String, head: String) -> File {
        File {
            path: directory.join(&name),
            name,
            head,
            output: None,
        }
    }

    pub fn write(&mut self, text: &str) -> Result<(), String> {
        let written = self.append(text);
        written.map_err(|error| format!("cannot write {}: {error}", self.path.display()))
    }

    fn append(&mut self, text: &str) -> io::Result<()> {
        let output = match &mut self.output {
            Some(output) => output,
            none => {
                let mut output = Output::create(&self.path)?;
                output.write_all(self.head.as_bytes())?;
                none.insert(output)
            }
        };
        output.write_all(text.as_bytes())
    }

    /// Puts the whole file in its place.
    pub fn finish(&mut self) -> Result<()> {
        let Some(output) = self.output.take() else {
            return Ok(());
        };
        let finished = output.finish();
        finished.with_context(|| format!("cannot write {}", self.path.display()))
    }
}
