//! Strict reading of raw profile files, by the rules of LLVM's reader.

use crate::{
    Error, Layout, Profile, Record, Version, bytes,
    error::RecordFault,
    layout::{MAGIC, MAGIC_32, VALUE_KIND_LAST, VALUE_KINDS, VTABLE_RECORD_SIZE, Word},
    names,
    profile::COUNT_LIMIT,
    values,
};

/// Why such profiles are refused.
pub(crate) const CORRELATED: &str = "profiles without names and records (debug-info correlation)";

/// Reads a whole file: one profile, or several one after the other. Fails on the first fault, as `llvm-profdata` does.
pub fn parse(input: &[u8]) -> Result<Vec<Profile>, Error> {
    if input.is_empty() {
        return Err(Error::Empty);
    }
    let mut profiles = Vec::new();
    let mut at = 0;
    while at < input.len() {
        let (profile, size) = parse_one(input, at)?;
        profiles.push(profile);
        at += size;
        // LLVM's reader skips zeros between profiles.
        at += input[at..].iter().take_while(|&&byte| byte == 0).count();
    }
    Ok(profiles)
}

/// Reads the profile that starts at `offset`; returns it and the bytes it occupies.
pub fn parse_one(input: &[u8], offset: usize) -> Result<(Profile, usize), Error> {
    let mut reader = Reader {
        input,
        at: offset,
        start: offset,
    };
    let (version, layout, header) = reader.header()?;
    if version.is_correlated() {
        return Err(Error::Unsupported { what: CORRELATED });
    }
    let binary_ids = reader.binary_ids(header.bytes(Word::BinaryIdsSize)?)?;
    let data = reader.take(
        "function records",
        header.product(Word::NumData, layout.record_size)?,
    )?;
    reader.take(
        "padding before counters",
        header.bytes(Word::PaddingBeforeCounters)?,
    )?;
    let counter_size = version.counter_size();
    let counters = reader.take("counters", header.product(Word::NumCounters, counter_size)?)?;
    reader.take(
        "padding after counters",
        header.bytes(Word::PaddingAfterCounters)?,
    )?;
    let bitmap = reader.take("bitmap", header.bytes(Word::NumBitmapBytes)?)?;
    reader.take(
        "padding after bitmap",
        header.bytes(Word::PaddingAfterBitmap)?,
    )?;
    let mut uniform: &[u8] = &[];
    if layout.uniform_pointer.is_some() {
        uniform = reader.take(
            "uniform counters",
            header.product(Word::NumUniformCounters, counter_size)?,
        )?;
        reader.take(
            "padding after uniform counters",
            header.bytes(Word::PaddingAfterUniformCounters)?,
        )?;
    }
    let name_bytes = reader.take("names", header.bytes(Word::NamesSize)?)?;
    reader.take("padding after names", bytes::padding(name_bytes.len()))?;
    let vtables = reader.take(
        "vtables",
        header.product(Word::NumVTables, VTABLE_RECORD_SIZE)?,
    )?;
    reader.take("padding after vtables", bytes::padding(vtables.len()))?;
    let vtable_names = reader.take("vtable names", header.bytes(Word::VNamesSize)?)?;
    reader.take(
        "padding after vtable names",
        bytes::padding(vtable_names.len()),
    )?;
    names::decode(name_bytes)?;

    let arena = Arena {
        layout,
        counter_size,
        counters: Relative {
            bytes: counters,
            delta: header.get(Word::CountersDelta),
        },
        bitmap: Relative {
            bytes: bitmap,
            delta: header.get(Word::BitmapDelta),
        },
        uniform: Relative {
            bytes: uniform,
            delta: header.get(Word::UniformCountersDelta),
        },
    };
    let mut records = Vec::with_capacity(data.len() / layout.record_size);
    for (index, raw) in data.chunks_exact(layout.record_size).enumerate() {
        let located = arena.locate(index, raw);
        let fault = |fault| Error::BadRecord {
            index,
            name_ref: located.name_ref,
            fault,
        };
        let mut record = located.read(&arena).map_err(fault)?;
        if let Some((counter, &value)) = record
            .counters
            .iter()
            .enumerate()
            .find(|&(_, &count)| count > COUNT_LIMIT)
        {
            return Err(fault(RecordFault::ExcessiveCount {
                index: counter,
                value,
            }));
        }
        if located.value_sites.iter().any(|&sites| sites != 0) {
            let (found, size) = values::read(&input[reader.at..], index, &located.value_sites)?;
            record.values = found;
            reader.at += size;
        }
        records.push(record);
    }
    let profile = Profile {
        version,
        binary_ids,
        records,
        names: name_bytes.to_vec(),
        vtables: vtables.to_vec(),
        vtable_names: vtable_names.to_vec(),
    };
    Ok((profile, reader.at - offset))
}

/// A section and the header word that places it relative to the records.
#[derive(Clone, Copy)]
pub(crate) struct Relative<'a> {
    pub bytes: &'a [u8],
    /// Address of the section minus address of the first record.
    pub delta: u64,
}

/// The sections that records point into.
pub(crate) struct Arena<'a> {
    pub layout: &'static Layout,
    pub counter_size: usize,
    pub counters: Relative<'a>,
    pub bitmap: Relative<'a>,
    pub uniform: Relative<'a>,
}

/// The fields of one record, before its pointers are followed.
pub(crate) struct Located {
    pub name_ref: u64,
    pub function_hash: u64,
    pub function_pointer: u64,
    pub num_counters: u32,
    pub num_bitmap_bytes: u32,
    pub counter_offset: i64,
    pub uniform_offset: i64,
    pub bitmap_offset: i64,
    pub value_sites: [u16; VALUE_KINDS],
    pub wave_size: u16,
}

impl Arena<'_> {
    /// Decodes record `index`; `raw` has exactly the record size of the layout.
    pub fn locate(&self, index: usize, raw: &[u8]) -> Located {
        let layout = self.layout;
        let word = |at| bytes::u64_at(raw, at).unwrap_or(0);
        let half = |at| bytes::u32_at(raw, at).unwrap_or(0);
        let short = |at| bytes::u16_at(raw, at).unwrap_or(0);
        // Pointers are relative to the record that holds them, the deltas to the first record.
        let moved = (index as u64).wrapping_mul(layout.record_size as u64);
        let offset = |at, section: Relative<'_>| {
            word(at).wrapping_sub(section.delta.wrapping_sub(moved)) as i64
        };
        Located {
            name_ref: word(layout.name_ref),
            function_hash: word(layout.function_hash),
            function_pointer: word(layout.function_pointer),
            num_counters: half(layout.num_counters),
            num_bitmap_bytes: half(layout.num_bitmap_bytes),
            counter_offset: offset(layout.counter_pointer, self.counters),
            uniform_offset: layout
                .uniform_pointer
                .map_or(0, |at| offset(at, self.uniform)),
            bitmap_offset: offset(layout.bitmap_pointer, self.bitmap),
            value_sites: std::array::from_fn(|kind| short(layout.num_value_sites + 2 * kind)),
            wave_size: layout.wave_size.map_or(0, short),
        }
    }
}

impl Located {
    /// Follows all pointers.
    pub fn read(&self, arena: &Arena<'_>) -> Result<Record, RecordFault> {
        let mut record = self.read_counters(arena)?;
        record.uniform = self.read_uniform(arena)?;
        record.bitmap = self.read_bitmap(arena)?;
        Ok(record)
    }

    /// The record with its counters only.
    pub fn read_counters(&self, arena: &Arena<'_>) -> Result<Record, RecordFault> {
        if self.num_counters == 0 {
            return Err(RecordFault::NoCounters);
        }
        let counters = slice(
            "counters",
            arena.counters.bytes,
            self.counter_offset,
            self.num_counters,
            arena.counter_size,
        )?;
        Ok(Record {
            name_ref: self.name_ref,
            function_hash: self.function_hash,
            function_pointer: self.function_pointer,
            counters: words(counters, arena.counter_size),
            wave_size: self.wave_size,
            ..Record::default()
        })
    }

    /// Uniform counters; none when the profile has no such section.
    pub fn read_uniform(&self, arena: &Arena<'_>) -> Result<Vec<u64>, RecordFault> {
        if arena.uniform.bytes.is_empty() {
            return Ok(Vec::new());
        }
        let found = slice(
            "uniform counters",
            arena.uniform.bytes,
            self.uniform_offset,
            self.num_counters,
            arena.counter_size,
        )?;
        Ok(words(found, arena.counter_size))
    }

    /// MC/DC bitmap; none when the function has no decisions.
    pub fn read_bitmap(&self, arena: &Arena<'_>) -> Result<Vec<u8>, RecordFault> {
        if self.num_bitmap_bytes == 0 {
            return Ok(Vec::new());
        }
        slice(
            "bitmap bytes",
            arena.bitmap.bytes,
            self.bitmap_offset,
            self.num_bitmap_bytes,
            1,
        )
        .map(<[u8]>::to_vec)
    }
}

fn slice<'a>(
    what: &'static str,
    section: &'a [u8],
    offset: i64,
    count: u32,
    unit: usize,
) -> Result<&'a [u8], RecordFault> {
    let size = section.len();
    let start = usize::try_from(offset).ok().filter(|&start| start < size);
    let start = start.ok_or(RecordFault::OutOfRange { what, offset, size })?;
    let end = (count as usize)
        .checked_mul(unit)
        .and_then(|length| start.checked_add(length));
    end.and_then(|end| section.get(start..end))
        .ok_or(RecordFault::Overrun {
            what,
            count,
            offset,
            size,
        })
}

fn words(section: &[u8], unit: usize) -> Vec<u64> {
    if unit == 1 {
        return section.iter().map(|&byte| byte.into()).collect();
    }
    section
        .chunks_exact(8)
        .map(|chunk| bytes::u64_at(chunk, 0).unwrap_or(0))
        .collect()
}

struct Reader<'a> {
    input: &'a [u8],
    at: usize,
    start: usize,
}

struct Header<'a> {
    layout: &'static Layout,
    words: &'a [u8],
    start: usize,
}

impl Header<'_> {
    fn get(&self, word: Word) -> u64 {
        let position = self
            .layout
            .header
            .iter()
            .position(|&candidate| candidate == word);
        position
            .and_then(|position| bytes::u64_at(self.words, position * 8))
            .unwrap_or(0)
    }

    fn bytes(&self, word: Word) -> Result<usize, Error> {
        self.product(word, 1)
    }

    fn product(&self, word: Word, unit: usize) -> Result<usize, Error> {
        let value = self.get(word);
        let size = usize::try_from(value)
            .ok()
            .and_then(|count| count.checked_mul(unit));
        size.ok_or(Error::BadHeader {
            offset: self.start,
            what: name_of(word),
            value,
        })
    }
}

fn name_of(word: Word) -> &'static str {
    #[rustfmt::skip]
    const NAMES: &[(Word, &str)] = &[
        (Word::BinaryIdsSize,  "size of binary ids"),
        (Word::NumData,        "number of records"),
        (Word::NumCounters,    "number of counters"),
        (Word::NumBitmapBytes, "bitmap size"),
        (Word::NamesSize,      "names size"),
        (Word::NumVTables,     "number of vtables"),
        (Word::VNamesSize,     "vtable names size"),
        (Word::ValueKindLast,  "last value kind"),
    ];
    NAMES
        .iter()
        .find(|(candidate, _)| *candidate == word)
        .map_or("padding", |(_, name)| name)
}

impl<'a> Reader<'a> {
    fn take(&mut self, what: &'static str, size: usize) -> Result<&'a [u8], Error> {
        let end = self.at.checked_add(size);
        let part = end
            .and_then(|end| self.input.get(self.at..end))
            .ok_or(Error::Truncated {
                offset: self.at,
                what,
                needed: size as u64,
                available: (self.input.len() - self.at) as u64,
            })?;
        self.at += size;
        Ok(part)
    }

    fn header(&mut self) -> Result<(Version, &'static Layout, Header<'a>), Error> {
        let offset = self.start;
        let prologue = self.take("header", 16)?;
        let magic = bytes::u64_at(prologue, 0).unwrap_or(0);
        match magic {
            MAGIC => {}
            MAGIC_32 => {
                return Err(Error::ForeignMagic {
                    offset,
                    what: "32-bit",
                });
            }
            found if found.swap_bytes() == MAGIC || found.swap_bytes() == MAGIC_32 => {
                return Err(Error::ForeignMagic {
                    offset,
                    what: "big-endian",
                });
            }
            found => return Err(Error::BadMagic { offset, found }),
        }
        let version = Version(bytes::u64_at(prologue, 8).unwrap_or(0));
        let layout = version.layout()?;
        self.at = offset;
        let words = self.take("header", layout.header_size())?;
        let header = Header {
            layout,
            words,
            start: offset,
        };
        // Both versions know the same value kinds; the reader uses the word only to find the end of the header.
        let kinds = header.get(Word::ValueKindLast);
        if kinds > VALUE_KIND_LAST {
            return Err(Error::BadHeader {
                offset,
                what: name_of(Word::ValueKindLast),
                value: kinds,
            });
        }
        Ok((version, layout, header))
    }

    fn binary_ids(&mut self, size: usize) -> Result<Vec<Vec<u8>>, Error> {
        let start = self.at;
        let section = self.take("binary ids", size)?;
        if !size.is_multiple_of(8) {
            return Err(Error::BadHeader {
                offset: self.start,
                what: name_of(Word::BinaryIdsSize),
                value: size as u64,
            });
        }
        let mut ids = Vec::new();
        let mut at = 0;
        while at < section.len() {
            let bad = Error::BadBinaryId { offset: start + at };
            let length = bytes::u64_at(section, at).and_then(|length| usize::try_from(length).ok());
            let length = length.filter(|&length| length != 0).ok_or(bad.clone())?;
            at += 8;
            let end = at.checked_add(length).ok_or(bad.clone())?;
            ids.push(section.get(at..end).ok_or(bad)?.to_vec());
            at = end + bytes::padding(length);
        }
        Ok(ids)
    }
}
