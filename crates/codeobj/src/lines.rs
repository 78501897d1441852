//! Program counters to source lines, through DWARF.

use crate::elf::Section;
use crate::{CodeObject, Error, Result};
use gimli::{EndianArcSlice, LittleEndian, SectionId};
use std::io::Read;
use std::sync::Arc;

type Reader = EndianArcSlice<LittleEndian>;

/// Debug sections may unpack to at most this much.
const MAX_SECTION: u64 = 1 << 30;

/// One frame of a source location: the innermost inlined function first.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct SourceFrame {
    /// Linkage name where there is one.
    pub function: Option<String>,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub column: Option<u32>,
}

impl SourceFrame {
    fn describe(&self) -> Option<String> {
        let mut text = self.file.clone()?;
        if let Some(line) = self.line {
            text += &format!(":{line}");
        }
        if let Some(function) = &self.function {
            text += &format!(" in {function}");
        }
        Some(text)
    }
}

/// Line tables of one code object; independent of the bytes it was read from.
pub struct SourceLines {
    context: addr2line::Context<Reader>,
}

impl SourceLines {
    /// Reads the debug sections; `None` if there are none, or if the object is relocatable, whose lines a linker must
    /// place first.
    pub fn of(object: &CodeObject<'_>) -> Result<Option<SourceLines>> {
        if !object.is_linked() || object.elf().section(".debug_line").is_none() {
            return Ok(None);
        }
        let load = |id: SectionId| -> Result<Reader> {
            let bytes = match object.elf().section(id.name()) {
                Some(section) => contents(section)?,
                None => Arc::default(),
            };
            Ok(Reader::new(bytes, LittleEndian))
        };
        let dwarf = gimli::Dwarf::load(load)?;
        let context = addr2line::Context::from_dwarf(dwarf).map_err(bad)?;
        Ok(Some(SourceLines { context }))
    }

    /// The source location of the instruction at `pc`, innermost inlined function first; empty if unknown.
    pub fn frames(&self, pc: u64) -> Result<Vec<SourceFrame>> {
        let mut frames = Vec::new();
        let mut iterator = self.context.find_frames(pc).skip_all_loads().map_err(bad)?;
        while let Some(frame) = iterator.next().map_err(bad)? {
            let function = frame
                .function
                .as_ref()
                .and_then(|name| name.raw_name().ok());
            let location = frame.location.as_ref();
            // Line 0 marks code the compiler made up.
            frames.push(SourceFrame {
                function: function.map(|name| name.into_owned()),
                file: location
                    .and_then(|location| location.file)
                    .map(str::to_owned),
                line: location
                    .and_then(|location| location.line)
                    .filter(|line| *line != 0),
                column: location
                    .and_then(|location| location.column)
                    .filter(|column| *column != 0),
            });
        }
        Ok(frames)
    }

    /// The source location of the instruction at `pc` as one line for people: `file:line in function`, then where it was
    /// inlined.
    pub fn describe(&self, pc: u64) -> Option<String> {
        let frames = self.frames(pc).ok()?;
        let texts: Vec<_> = frames.iter().filter_map(SourceFrame::describe).collect();
        (!texts.is_empty()).then(|| texts.join(", inlined at "))
    }

    /// File and line of the innermost frame.
    pub fn line(&self, pc: u64) -> Result<Option<(String, u32)>> {
        let location = self.context.find_location(pc).map_err(bad)?;
        let found = location.and_then(|location| Some((location.file?.to_owned(), location.line?)));
        Ok(found.filter(|(_, line)| *line != 0))
    }
}

fn bad(error: gimli::Error) -> Error {
    Error::BadDwarf {
        reason: error.to_string(),
    }
}

/// A debug section's bytes, unpacked if it is compressed (`-gz`).
fn contents(section: &Section<'_>) -> Result<Arc<[u8]>> {
    let what = "compressed debug section";
    let (kind, size) = {
        if section.flags & object::elf::SHF_COMPRESSED.0 == 0 {
            return Ok(Arc::from(section.data));
        }
        (
            crate::bytes::u32_at(section.data, 0, what)?,
            crate::bytes::u64_at(section.data, 8, what)?,
        )
    };
    let packed = crate::bytes::slice(
        section.data,
        24,
        (section.data.len() as u64).saturating_sub(24),
        what,
    )?;
    let damaged = |reason: String| Error::BadDwarf {
        reason: format!("{}: {reason}", section.name),
    };
    if size > MAX_SECTION {
        return Err(damaged(format!(
            "it claims to hold {size} bytes; the limit is {MAX_SECTION}"
        )));
    }
    let mut unpacked = Vec::new();
    let read = match kind {
        1 => flate2::bufread::ZlibDecoder::new(packed)
            .take(size)
            .read_to_end(&mut unpacked),
        2 => zstd::stream::read::Decoder::with_buffer(packed)
            .and_then(|decoder| decoder.take(size).read_to_end(&mut unpacked)),
        _ => {
            return Err(damaged(format!(
                "compression type {kind} is unknown (known: 1 zlib, 2 zstd)"
            )));
        }
    };
    read.map_err(|error| damaged(error.to_string()))?;
    if unpacked.len() as u64 != size {
        return Err(damaged(format!(
            "it does not unpack to the {size} bytes its header promises"
        )));
    }
    Ok(Arc::from(unpacked))
}
