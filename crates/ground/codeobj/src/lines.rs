//! Program counters to source lines, through DWARF.

use crate::compressed::read_up_to;
use crate::edit::{InlinedCall, LineRow};
use crate::elf::Section;
use crate::line_map::LineMap;
use crate::parameters::{self, Parameters, SourceParameter};
use crate::{CodeObject, Error, Result};
use gimli::{EndianArcSlice, LittleEndian, SectionId};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

type Reader = EndianArcSlice<LittleEndian>;

/// Debug sections may unpack to at most this much.
const MAX_SECTION: u64 = 1 << 30;

/// One frame of a source location: the innermost inlined function first.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct SourceFrame {
    /// Linkage name where there is one.
    pub function: Option<String>,
    /// Path, if it is known.
    pub file: Option<String>,
    /// From 1, if it is known.
    pub line: Option<u32>,
    /// From 1, if it is known.
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

/// A frame whose texts are shared by all frames that have them.
struct SharedFrame {
    function: Option<Arc<str>>,
    file: Option<Arc<str>>,
    line: Option<u32>,
    column: Option<u32>,
}

impl SharedFrame {
    /// Returns `true` if both certainly have the same line. Texts are compared by their addresses.
    fn is_like(&self, other: &SharedFrame) -> bool {
        let same = |mine: &Option<Arc<str>>, theirs: &Option<Arc<str>>| match (mine, theirs) {
            (Some(mine), Some(theirs)) => Arc::ptr_eq(mine, theirs),
            (mine, theirs) => mine.is_none() && theirs.is_none(),
        };
        self.line == other.line
            && same(&self.file, &other.file)
            && same(&self.function, &other.function)
    }
}

/// The debug information of one code object, for any number of threads; independent of the bytes it was read from.
pub struct LineTables {
    sections: gimli::DwarfSections<Reader>,
    /// From the first code to the last.
    code: Range<u64>,
    /// None if the debug information is unusual or damaged.
    map: OnceLock<Option<LineMap>>,
    /// Read when first asked for; empty if the debug information is damaged.
    parameters: OnceLock<Parameters>,
}

impl LineTables {
    /// Reads the debug sections; `None` if there are none, or if the object is relocatable, whose lines a linker must
    /// place first.
    pub fn read(object: &CodeObject<'_>) -> Result<Option<LineTables>> {
        if !object.is_linked() || object.elf().section(".debug_line").is_none() {
            return Ok(None);
        }
        // The locations of variables are not needed, and are larger than all other sections together.
        let unused = |id: SectionId| matches!(id, SectionId::DebugLoc | SectionId::DebugLocLists);
        let load = |id: SectionId| -> Result<Reader> {
            let section = object.elf().section(id.name());
            let bytes = match section.filter(|_| !unused(id)) {
                Some(section) => contents(section)?,
                None => Arc::default(),
            };
            Ok(Reader::new(bytes, LittleEndian))
        };
        let sections = object.elf().sections.iter();
        let code = sections.filter(|section| section.is_code());
        let ends = code.map(|section| {
            let end = section.address.saturating_add(section.size);
            (section.address, end)
        });
        let (start, end) = ends.fold((u64::MAX, 0), |all, (start, end)| {
            (all.0.min(start), all.1.max(end))
        });
        Ok(Some(LineTables {
            sections: gimli::DwarfSections::load(load)?,
            code: start..end,
            map: OnceLock::new(),
            parameters: OnceLock::new(),
        }))
    }

    /// Finds out all at once, for who is going to ask for most of the code. Says whether that was possible; if not, each
    /// address is looked up when it is asked for.
    pub fn prepare(&self) -> bool {
        self.map().is_some()
    }

    fn parameters(&self) -> &Parameters {
        self.parameters.get_or_init(|| {
            let slice = |section| gimli::EndianSlice::new(Reader::bytes(section), LittleEndian);
            parameters::read(&self.sections.borrow(slice)).unwrap_or_default()
        })
    }

    fn context(&self) -> gimli::Result<addr2line::Context<Reader>> {
        let dwarf = self.sections.borrow(Reader::clone);
        addr2line::Context::from_dwarf(dwarf)
    }

    fn map(&self) -> Option<&LineMap> {
        let map = || {
            let slice = |section| gimli::EndianSlice::new(Reader::bytes(section), LittleEndian);
            let dwarf = self.sections.borrow(slice);
            LineMap::read(&dwarf, self.code.clone())
        };
        self.map.get_or_init(map).as_ref()
    }
}

/// Line tables of one code object, for one thread.
pub struct SourceLines {
    tables: Arc<LineTables>,
    /// Made when first needed; none if the debug information is damaged.
    context: OnceCell<Option<addr2line::Context<Reader>>>,
    texts: RefCell<Texts>,
    /// Addresses that [`SourceLines::moved`] was asked for.
    asked: Cell<usize>,
    /// The position in the map that answered the last question.
    near: Cell<usize>,
}

/// Code that was moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// In the new code.
    pub offset: u64,
    /// Its address in the original code.
    pub pc: u64,
    /// Bytes; 0: what is at `offset` is not what was at `pc`, but belongs there.
    pub length: u64,
}

impl Moved {
    /// Offset and address of each place where another instruction may start.
    fn words(self) -> impl Iterator<Item = (u64, u64)> {
        let places = (0..self.length.max(1)).step_by(WORD);
        places.map(move |at| (self.offset + at, self.pc + at))
    }
}

/// Bytes of which instructions are multiples.
const WORD: usize = 4;

/// Questions that are worth reading all debug information for, so as to ask fewer of them.
const MANY: usize = 30_000;

/// One copy of each text, by where `context` has its bytes, which stay there.
type Texts = HashMap<usize, Arc<str>, ByAddress>;

/// A hash of addresses and other numbers.
pub(crate) type ByAddress = BuildHasherDefault<Address>;

#[derive(Default)]
pub(crate) struct Address(u64);

impl Hasher for Address {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_usize(usize::from(*byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.write_usize(number as usize);
    }

    fn write_usize(&mut self, address: usize) {
        let mixed = (self.0 ^ address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }
}

impl SourceLines {
    /// As [`LineTables::read`].
    pub fn read(object: &CodeObject<'_>) -> Result<Option<SourceLines>> {
        let Some(tables) = LineTables::read(object)? else {
            return Ok(None);
        };
        let context = tables.context().map_err(bad)?;
        let lines = SourceLines::sharing(&Arc::new(tables));
        lines.context.get_or_init(|| Some(context));
        Ok(Some(lines))
    }

    /// For one of several threads.
    pub fn sharing(tables: &Arc<LineTables>) -> SourceLines {
        SourceLines {
            tables: tables.clone(),
            context: OnceCell::new(),
            texts: RefCell::default(),
            asked: Cell::new(0),
            near: Cell::new(0),
        }
    }

    fn context(&self) -> Result<&addr2line::Context<Reader>> {
        let make = || self.tables.context().ok();
        let context = self.context.get_or_init(make).as_ref();
        context.ok_or_else(|| Error::BadDwarf {
            reason: "its units cannot be read".to_owned(),
        })
    }

    /// The source location of the instruction at `pc`, innermost inlined function first; empty if unknown.
    pub fn frames(&self, pc: u64) -> Result<Vec<SourceFrame>> {
        let owned = |text: Option<Arc<str>>| text.as_deref().map(str::to_owned);
        let mut frames = Vec::new();
        self.shared_frames(pc, &mut frames)?;
        let frames = frames.into_iter().map(|frame| SourceFrame {
            function: owned(frame.function),
            file: owned(frame.file),
            line: frame.line,
            column: frame.column,
        });
        Ok(frames.collect())
    }

    /// The lines of code that was moved, by its offsets, ascending. Code of which nothing is known has the line of that in
    /// front of it.
    pub fn moved(&self, places: impl Iterator<Item = Moved>) -> Vec<LineRow> {
        let mut rows: Vec<LineRow> = Vec::new();
        let (mut before, mut frames) = (Vec::new(), Vec::new());
        if let Some(map) = self.map() {
            return moved(map, places);
        }
        for (offset, pc) in places.flat_map(Moved::words) {
            self.asked.set(self.asked.get() + 1);
            if self.shared_frames(pc, &mut frames).is_err() {
                frames.clear();
            }
            let alike = before.len() == frames.len();
            if alike
                && before
                    .iter()
                    .zip(&frames)
                    .all(|(a, b)| SharedFrame::is_like(a, b))
            {
                continue;
            }
            if let Some(row) = row(offset, &frames) {
                let same = rows.last().is_some_and(|last| {
                    last.line == row.line && last.file == row.file && last.calls == row.calls
                });
                if !same {
                    rows.push(row);
                }
            }
            std::mem::swap(&mut before, &mut frames);
        }
        rows
    }

    /// If there is one already, or is worth making.
    fn map(&self) -> Option<&LineMap> {
        match self.asked.get() < MANY {
            true => self.tables.map.get()?.as_ref(),
            false => self.tables.map(),
        }
    }

    /// Puts into `frames` what [`SourceLines::frames`] gives.
    fn shared_frames(&self, pc: u64, frames: &mut Vec<SharedFrame>) -> Result<()> {
        frames.clear();
        let mut texts = self.texts.borrow_mut();
        let mut iterator = self
            .context()?
            .find_frames(pc)
            .skip_all_loads()
            .map_err(bad)?;
        while let Some(frame) = iterator.next().map_err(bad)? {
            let function = frame.function.as_ref().map(|function| {
                let bytes = function.name.bytes();
                let text = || String::from_utf8_lossy(bytes).into();
                shared(&mut texts, bytes, text)
            });
            let location = frame.location.as_ref();
            let file = location.and_then(|location| location.file);
            // Line 0 marks code the compiler made up.
            frames.push(SharedFrame {
                function,
                file: file.map(|file| shared(&mut texts, file.as_bytes(), || file.into())),
                line: location
                    .and_then(|location| location.line)
                    .filter(|line| *line != 0),
                column: location
                    .and_then(|location| location.column)
                    .filter(|column| *column != 0),
            });
        }
        Ok(())
    }

    /// The source location of the instruction at `pc` as one line for people: `file:line in function`, then where it was
    /// inlined.
    pub fn describe(&self, pc: u64) -> Option<String> {
        let frames = self.frames(pc).ok()?;
        let texts: Vec<_> = frames.iter().filter_map(SourceFrame::describe).collect();
        (!texts.is_empty()).then(|| texts.join(", inlined at "))
    }

    /// The parameters of the function that begins at `pc`, in order. `None` if nothing is known of the function, or if it has no
    /// parameters.
    pub fn parameters(&self, pc: u64) -> Option<&[SourceParameter]> {
        self.tables.parameters().get(&pc).map(Vec::as_slice)
    }

    /// File and line of the innermost frame.
    pub fn line(&self, pc: u64) -> Result<Option<(String, u32)>> {
        if let Some(map) = self.map() {
            let mut near = self.near.get();
            let (place, _) = map.at(pc, &mut near);
            self.near.set(near);
            return Ok((place.is_known()).then(|| (map.file(place).to_string(), place.line)));
        }
        let location = self.context()?.find_location(pc).map_err(bad)?;
        let found = location.and_then(|location| Some((location.file?.to_owned(), location.line?)));
        Ok(found.filter(|(_, line)| *line != 0))
    }
}

/// [`SourceLines::moved`] by a map.
fn moved(map: &LineMap, places: impl Iterator<Item = Moved>) -> Vec<LineRow> {
    let mut rows: Vec<LineRow> = Vec::new();
    let (mut near, mut last, mut like_last) = (0, None, 0..0);
    for Moved {
        mut offset,
        mut pc,
        length,
    } in places
    {
        let end = pc.saturating_add(length.max(1));
        while pc < end {
            if !like_last.contains(&pc) {
                let (place, around) = map.at(pc, &mut near);
                like_last = around;
                if place.is_known() && last != Some(place) {
                    last = Some(place);
                    rows.push(LineRow {
                        offset,
                        file: map.file(place).clone(),
                        line: place.line,
                        calls: map.calls(place).clone(),
                    });
                }
            }
            offset += like_last.end - pc;
            pc = like_last.end;
        }
    }
    rows
}

/// File, line and inlined calls. Frames are innermost first: each but the outermost was inlined where the next one is.
fn row(offset: u64, frames: &[SharedFrame]) -> Option<LineRow> {
    let innermost = frames.first()?;
    let mut calls: Vec<InlinedCall> = frames
        .windows(2)
        .map_while(|pair| {
            Some(InlinedCall {
                function: pair[0].function.clone()?,
                file: pair[1].file.clone()?,
                line: pair[1].line?,
            })
        })
        .collect();
    calls.reverse();
    Some(LineRow {
        offset,
        file: innermost.file.clone()?,
        line: innermost.line?,
        calls: calls.into(),
    })
}

fn shared(texts: &mut Texts, bytes: &[u8], text: impl FnOnce() -> Arc<str>) -> Arc<str> {
    if bytes.is_empty() {
        // Nothing has no place of its own.
        return text();
    }
    texts
        .entry(bytes.as_ptr() as usize)
        .or_insert_with(text)
        .clone()
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
    let unpacked = match kind {
        1 => read_up_to(flate2::bufread::ZlibDecoder::new(packed), size),
        2 => zstd::stream::read::Decoder::with_buffer(packed)
            .and_then(|decoder| read_up_to(decoder, size)),
        _ => {
            return Err(damaged(format!(
                "compression type {kind} is unknown (known: 1 zlib, 2 zstd)"
            )));
        }
    };
    let unpacked = unpacked.map_err(|error| damaged(error.to_string()))?;
    if unpacked.len() as u64 != size {
        return Err(damaged(format!(
            "it does not unpack to the {size} bytes its header promises"
        )));
    }
    Ok(Arc::from(unpacked))
}
