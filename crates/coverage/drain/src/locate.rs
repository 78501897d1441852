//! Finds the profile sections of a loaded object, in three ways that check each other.
//!
//! * **C**: section headers of the image, moved by the load delta. Needs nothing from the code, and is the only way to
//!   the MC/DC bitmap.
//! * **A**: the bounds table `__llvm_profile_sections` in device memory.
//! * **B**: lowest and highest address of the `__profc_*`, `__profd_*` and `__llvm_prf_nm` variables.

use std::fmt;

use crate::{
    image::{BOUNDS_TABLE, Image, NOTES_TABLE, Part, RECORD_PREFIX},
    runtime::{LoadedObject, Runtime, RuntimeError, Symbol},
};

/// Sections larger than this are taken for the result of a corrupt table.
pub const SECTION_LIMIT: u64 = 256 << 20;

/// An address range of the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub address: u64,
    /// Length in bytes; 0 when there is no such section.
    pub size: u64,
}

impl Span {
    fn between(start: u64, end: u64) -> Option<Span> {
        let size = end.checked_sub(start)?;
        (size <= SECTION_LIMIT && (start != 0) == (end != 0)).then_some(Span {
            address: start,
            size,
        })
    }

    fn holds(self, other: Span) -> bool {
        other.size == 0
            || (other.address >= self.address
                && other.address.saturating_add(other.size)
                    <= self.address.saturating_add(self.size))
    }
}

/// The method that found the sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Way A.
    Table,
    /// Way B.
    Symbols,
    /// Way C.
    Sections,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Method::Table => "table",
            Method::Symbols => "symbols",
            Method::Sections => "sections",
        })
    }
}

/// The sections of one loaded object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Spans {
    pub method: Method,
    pub data: Span,
    pub counters: Span,
    pub uniform: Span,
    pub bitmap: Span,
    pub names: Span,
    pub notes: Span,
    /// Address of the version word, when the bounds table gives one.
    pub version: Option<u64>,
}

impl Spans {
    fn empty(method: Method) -> Self {
        let none = Span::default();
        Spans {
            method,
            data: none,
            counters: none,
            uniform: none,
            bitmap: none,
            names: none,
            notes: none,
            version: None,
        }
    }

    /// Returns `true` if anything was instrumented.
    pub fn has_records(&self) -> bool {
        self.data.size != 0 && self.counters.size != 0
    }
}

/// The result of looking.
#[derive(Clone, Debug, Default)]
pub struct Located {
    /// The sections, unless there are none.
    pub spans: Option<Spans>,
    /// Disagreements and unusable tables, one sentence each.
    pub warnings: Vec<String>,
}

/// Looks for the sections of one loaded object. Without an image, the runtime's list of variables has to do.
pub fn locate(
    runtime: &dyn Runtime,
    object: &LoadedObject,
    image: Option<&Image>,
) -> Result<Located, RuntimeError> {
    let symbols: Vec<Symbol> = match image {
        Some(image) => image
            .variables
            .iter()
            .map(|variable| Symbol {
                name: variable.name.clone(),
                address: variable.address.wrapping_add(object.load_delta),
                size: variable.size,
            })
            .collect(),
        None => runtime.symbols(object.executable, object.agent)?,
    };
    let mut warnings = Vec::new();
    let by_sections = image.and_then(|image| from_image(image, object.load_delta, &mut warnings));
    let by_table = from_tables(runtime, object.agent, &symbols, &mut warnings)?;
    let by_symbols = from_symbols(&symbols);
    if let (Some(sections), Some(table)) = (&by_sections, &by_table) {
        let pairs = [
            ("records", sections.data, table.data),
            ("counters", sections.counters, table.counters),
            ("names", sections.names, table.names),
        ];
        for (what, section, listed) in pairs
            .iter()
            .filter(|(_, section, listed)| section != listed)
        {
            warnings.push(format!(
                "the bounds table puts {what} at {:#x}+{:#x}, the section headers at {:#x}+{:#x}; using the latter",
                listed.address, listed.size, section.address, section.size
            ));
        }
    }
    if let (Some(sections), Some(named)) = (&by_sections, &by_symbols)
        && !(sections.data.holds(named.data) && sections.counters.holds(named.counters))
    {
        warnings.push(
            "profile variables lie outside of the profile sections; using the section headers"
                .into(),
        );
    }
    let mut spans = by_sections
        .or(by_table)
        .or(by_symbols)
        .filter(Spans::has_records);
    if let Some(spans) = &mut spans
        && spans.method != Method::Sections
    {
        spans.notes = notes_of(runtime, object.agent, &symbols, &mut warnings)?;
    }
    Ok(Located { spans, warnings })
}

fn from_image(image: &Image, delta: u64, warnings: &mut Vec<String>) -> Option<Spans> {
    let mut spans = Spans::empty(Method::Sections);
    for section in &image.sections {
        if section.size > SECTION_LIMIT {
            warnings.push(format!(
                "{:?} section of {:#x} bytes is over the limit; ignored",
                section.part, section.size
            ));
            continue;
        }
        let span = Span {
            address: section.address.wrapping_add(delta),
            size: section.size,
        };
        match section.part {
            Part::Data => spans.data = span,
            Part::Counters => spans.counters = span,
            Part::Uniform => spans.uniform = span,
            Part::Bitmap => spans.bitmap = span,
            Part::Names => spans.names = span,
            Part::Notes => spans.notes = span,
        }
    }
    spans.has_records().then_some(spans)
}

/// The place of the notes, found without section headers.
fn notes_of(
    runtime: &dyn Runtime,
    agent: u64,
    symbols: &[Symbol],
    warnings: &mut Vec<String>,
) -> Result<Span, RuntimeError> {
    let Some(table) = symbols
        .iter()
        .find(|symbol| symbol.name == NOTES_TABLE && symbol.size == 16)
    else {
        return Ok(Span::default());
    };
    let mut raw = [[0; 8]; 2];
    match runtime.read(agent, table.address, raw.as_flattened_mut()) {
        Ok(()) => {}
        Err(RuntimeError::NotRunning) => return Err(RuntimeError::NotRunning),
        Err(error) => {
            warnings.push(format!("{NOTES_TABLE} cannot be read: {error}"));
            return Ok(Span::default());
        }
    }
    let [start, end] = raw.map(u64::from_le_bytes);
    Ok(Span::between(start, end).unwrap_or_else(|| {
        warnings.push(format!("{NOTES_TABLE} holds impossible bounds; ignored"));
        Span::default()
    }))
}

/// Reads all bounds tables; the canonical name first. Tables of zeros belong to images without instrumented code.
fn from_tables(
    runtime: &dyn Runtime,
    agent: u64,
    symbols: &[Symbol],
    warnings: &mut Vec<String>,
) -> Result<Option<Spans>, RuntimeError> {
    let mut tables: Vec<&Symbol> = symbols
        .iter()
        .filter(|symbol| symbol.name.starts_with(BOUNDS_TABLE))
        .collect();
    tables.sort_by_key(|symbol| symbol.name != BOUNDS_TABLE);
    for table in tables {
        let words = match table.size {
            56 => 7,
            72 => 9,
            size => {
                warnings.push(format!(
                    "{} has {size} bytes, not 56 or 72; ignored",
                    table.name
                ));
                continue;
            }
        };
        let mut raw = vec![0; words * 8];
        match runtime.read(agent, table.address, &mut raw) {
            Ok(()) => {}
            Err(RuntimeError::NotRunning) => return Err(RuntimeError::NotRunning),
            Err(error) => {
                warnings.push(format!("{} cannot be read: {error}", table.name));
                continue;
            }
        }
        let word = |at: usize| {
            raw[at * 8..at * 8 + 8]
                .iter()
                .rev()
                .fold(0u64, |word, &byte| word << 8 | u64::from(byte))
        };
        let pair = |at| Span::between(word(at), word(at + 1));
        let uniform = if words == 9 {
            pair(6)
        } else {
            Some(Span::default())
        };
        let (Some(names), Some(counters), Some(data), Some(uniform)) =
            (pair(0), pair(2), pair(4), uniform)
        else {
            warnings.push(format!("{} holds impossible bounds; ignored", table.name));
            continue;
        };
        let version = Some(word(words - 1)).filter(|&address| address != 0);
        let spans = Spans {
            data,
            counters,
            names,
            uniform,
            version,
            ..Spans::empty(Method::Table)
        };
        if spans.has_records() {
            return Ok(Some(spans));
        }
    }
    Ok(None)
}

fn from_symbols(symbols: &[Symbol]) -> Option<Spans> {
    let around = |prefix: &str| {
        let matching = symbols
            .iter()
            .filter(|symbol| symbol.name.starts_with(prefix));
        let (start, end) = matching.fold((u64::MAX, 0u64), |(start, end), symbol| {
            (
                start.min(symbol.address),
                end.max(symbol.address.saturating_add(symbol.size)),
            )
        });
        if start == u64::MAX {
            Some(Span::default())
        } else {
            Span::between(start, end)
        }
    };
    let (data, counters, names) = (
        around(RECORD_PREFIX)?,
        around("__profc_")?,
        around("__llvm_prf_nm")?,
    );
    let spans = Spans {
        data,
        counters,
        names,
        ..Spans::empty(Method::Symbols)
    };
    spans.has_records().then_some(spans)
}
