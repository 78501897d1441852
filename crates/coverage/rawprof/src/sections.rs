//! From the profile sections of a loaded code object to a profile, losing nothing that is good.

use crate::{
    Error, Profile, Version, earlier,
    error::RecordFault,
    names,
    parse::{Arena, CORRELATED, Relative},
    profile::COUNT_LIMIT,
};

/// A section's bytes and the address they were loaded at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Region<'a> {
    /// Address on the device.
    pub address: u64,
    /// Contents.
    pub bytes: &'a [u8],
}

/// The profile sections of one loaded code object.
#[derive(Clone, Copy, Debug)]
pub struct Sections<'a> {
    /// The version word the code was compiled for.
    pub version: Version,
    /// `__llvm_prf_data`.
    pub data: Region<'a>,
    /// `__llvm_prf_cnts`.
    pub counters: Region<'a>,
    /// `__llvm_prf_ucnts`, empty when absent.
    pub uniform: Region<'a>,
    /// `__llvm_prf_bits`, empty when absent or not found.
    pub bitmap: Region<'a>,
    /// `__llvm_prf_names`.
    pub names: &'a [u8],
}

/// A record that could not be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// Position in the record table.
    pub index: usize,
    /// Reference of the function's name.
    pub name_ref: u64,
    /// Why.
    pub fault: RecordFault,
}

/// Something lost or changed that did not cost a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// The MC/DC bitmap of this record is out of reach; its counters were kept.
    BitmapLost {
        /// Position in the record table.
        index: usize,
        /// Why.
        fault: RecordFault,
    },
    /// A record's uniform counters are out of reach, so the profile carries none.
    UniformLost {
        /// Position in the record table.
        index: usize,
        /// Why.
        fault: RecordFault,
    },
    /// Value sites were dropped: device code cannot record values.
    ValueSites {
        /// Position in the record table.
        index: usize,
    },
    /// A counter above [`COUNT_LIMIT`] was clamped.
    Clamped {
        /// Position in the record table.
        index: usize,
    },
    /// The names cannot be decoded; functions will be nameless.
    NamesLost,
    /// The record table's size is not a multiple of the record size; the rest was ignored.
    PartialRecord {
        /// Bytes ignored.
        bytes: usize,
    },
}

/// A profile and what did not make it.
#[derive(Clone, Debug)]
pub struct Salvage {
    /// The good records.
    pub profile: Profile,
    /// The bad ones.
    pub dropped: Vec<Dropped>,
    /// Lesser losses.
    pub notes: Vec<Note>,
}

/// Reads profile sections. The only errors are a version without layout, and one whose names lie elsewhere.
///
/// Pointers in records are relative and need no relocation: `counters.address - data.address` is the delta that a
/// file's header would carry.
pub fn from_sections(sections: &Sections<'_>) -> Result<Salvage, Error> {
    let upgraded = earlier::upgrade(sections);
    let mut sections = *sections;
    if let Some((version, table)) = &upgraded {
        sections.version = *version;
        sections.data.bytes = table;
    }
    if sections.version.is_correlated() {
        return Err(Error::Unsupported { what: CORRELATED });
    }
    let layout = sections.version.layout()?;
    let relative = |region: Region<'_>| region.address.wrapping_sub(sections.data.address);
    let mut arena = Arena {
        layout,
        counter_size: sections.version.counter_size(),
        counters: Relative {
            bytes: sections.counters.bytes,
            delta: relative(sections.counters),
        },
        bitmap: Relative {
            bytes: sections.bitmap.bytes,
            delta: relative(sections.bitmap),
        },
        uniform: Relative {
            bytes: sections.uniform.bytes,
            delta: relative(sections.uniform),
        },
    };
    if layout.uniform_pointer.is_none() {
        arena.uniform.bytes = &[];
    }
    let mut profile = Profile::new(sections.version);
    let mut dropped = Vec::new();
    let mut notes = Vec::new();
    let chunks = sections.data.bytes.chunks_exact(layout.record_size);
    if !chunks.remainder().is_empty() {
        notes.push(Note::PartialRecord {
            bytes: chunks.remainder().len(),
        });
    }
    let mut uniform_lost = false;
    for (index, raw) in chunks.enumerate() {
        let located = arena.locate(index, raw);
        let mut record = match located.read_counters(&arena) {
            Ok(record) => record,
            Err(fault) => {
                dropped.push(Dropped {
                    index,
                    name_ref: located.name_ref,
                    fault,
                });
                continue;
            }
        };
        if record.counters.iter().any(|&count| count > COUNT_LIMIT) {
            record
                .counters
                .iter_mut()
                .for_each(|count| *count = (*count).min(COUNT_LIMIT));
            notes.push(Note::Clamped { index });
        }
        match located.read_uniform(&arena) {
            Ok(mut uniform) => {
                uniform
                    .iter_mut()
                    .for_each(|count| *count = (*count).min(COUNT_LIMIT));
                record.uniform = uniform;
            }
            Err(fault) => {
                uniform_lost = true;
                notes.push(Note::UniformLost { index, fault });
            }
        }
        match located.read_bitmap(&arena) {
            Ok(bitmap) => record.bitmap = bitmap,
            Err(fault) => notes.push(Note::BitmapLost { index, fault }),
        }
        if located.value_sites.iter().any(|&sites| sites != 0) {
            notes.push(Note::ValueSites { index });
        }
        profile.records.push(record);
    }
    if uniform_lost {
        profile
            .records
            .iter_mut()
            .for_each(|record| record.uniform.clear());
    }
    // Names are only looked up by reference, so losing them costs readability and no counts.
    match names::decode(sections.names) {
        Ok(_) => profile.names = sections.names.to_vec(),
        Err(_) => notes.push(Note::NamesLost),
    }
    Ok(Salvage {
        profile,
        dropped,
        notes,
    })
}
