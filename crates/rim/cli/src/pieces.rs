//! An output of any size, written piece by piece.

use std::{
    fs::File,
    io::{self, Seek, SeekFrom, Write as _},
    os::unix::fs::FileExt,
};

use anyhow::Result;
use codeobj::replace::Sink;
use outputs::{Behind, Input, Output};

use crate::progress::Progress;

/// The output of `luthier instrument`. An output that is no regular file gets everything at the end, from a temporary file.
pub struct Pieces<'a> {
    output: Output,
    /// In place of an output that has no order of its own.
    aside: Option<File>,
    /// Releases the memory of an output that is a regular file.
    behind: Option<Behind>,
    /// Bytes so far.
    length: u64,
    input: &'a Input,
    /// The part of the input whose memory was released.
    let_go: u64,
    progress: Progress,
}

/// The input is let go of in steps of so many bytes.
const STEP: u64 = 16 << 20;

impl<'a> Pieces<'a> {
    /// `input` is let go of as it is worked off.
    pub fn new(output: Output, input: &'a Input) -> io::Result<Pieces<'a>> {
        let aside = match output.regular() {
            Some(_) => None,
            None => Some(tempfile::tempfile()?),
        };
        let behind = output.regular().map(Behind::new).transpose()?;
        Ok(Pieces {
            output,
            aside,
            behind,
            length: 0,
            input,
            let_go: 0,
            progress: Progress::new(input.bytes().len() as u64),
        })
    }

    fn file(&self) -> io::Result<&File> {
        let file = self.aside.as_ref().or_else(|| self.output.regular());
        file.ok_or_else(|| io::ErrorKind::Unsupported.into())
    }

    /// Adds `bytes` at the end.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.file()?;
        file.seek(SeekFrom::End(0))?;
        file.write_all(bytes)
    }

    /// Bytes from the start of what has been written.
    pub fn start(&self, most: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; most];
        let count = self.file()?.read_at(&mut bytes, 0)?;
        bytes.truncate(count);
        Ok(bytes)
    }

    /// Completes the output.
    pub fn finish(mut self) -> io::Result<()> {
        self.progress.end();
        if let Some(mut aside) = self.aside {
            aside.rewind()?;
            io::copy(&mut aside, &mut self.output)?;
        }
        self.output.finish()
    }
}

impl Sink<anyhow::Error> for Pieces<'_> {
    fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<()> {
        // Large parts of originals are copied by the page.
        const CHUNK: usize = 4 << 20;
        for (index, chunk) in bytes.chunks(CHUNK).enumerate() {
            let at = offset + (index * CHUNK) as u64;
            self.file()?.write_all_at(chunk, at)?;
        }
        self.length = self.length.max(offset + bytes.len() as u64);
        Ok(())
    }

    fn read(&mut self, offset: u64, bytes: &mut [u8]) -> Result<()> {
        Ok(self.file()?.read_exact_at(bytes, offset)?)
    }

    fn set_len(&mut self, length: u64) -> Result<()> {
        self.file()?.set_len(length)?;
        self.length = length;
        Ok(())
    }

    fn progress(&mut self, done: u64) -> Result<()> {
        if done >= self.let_go + STEP {
            self.let_go = done;
            self.input.let_go(done);
        }
        if let Some(behind) = &mut self.behind {
            behind.reached(self.length);
        }
        self.progress.reached(done);
        Ok(())
    }
}
