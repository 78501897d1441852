//! Symbol, hash, relocation and note tables as rows, and back to bytes.

use super::NewSymbol;
use crate::elf::{Elf, Note};
use crate::{Error, Result};
use object::LittleEndian as LE;
use object::elf as format;
use object::pod::bytes_of;
use std::collections::HashMap;

/// One symbol with everything its table entry says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SymbolRow {
    pub name: String,
    pub name_offset: u32,
    pub info: u8,
    pub other: u8,
    pub section: u16,
    pub value: u64,
    pub size: u64,
}

/// A symbol table and its strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SymbolTable {
    /// Section index; `None` if the object has no such table.
    pub section: Option<usize>,
    pub strings_section: usize,
    pub rows: Vec<SymbolRow>,
    pub strings: Vec<u8>,
    /// Rows at the end that were added.
    pub added: usize,
    /// First row of each name.
    by_name: HashMap<String, usize>,
}

impl SymbolTable {
    pub(super) fn read(elf: &Elf<'_>, kind: u32) -> Result<SymbolTable> {
        let Some(section) = elf.sections.iter().find(|section| section.kind == kind) else {
            return Ok(SymbolTable {
                section: None,
                strings_section: 0,
                rows: vec![],
                strings: vec![],
                added: 0,
                by_name: HashMap::new(),
            });
        };
        let names = elf.symbols(kind)?;
        let count = names.len() as u64;
        let raw: &[format::Sym64<LE>] = crate::bytes::pods(section.data, 0, count, "symbol table")?;
        let row = |(raw, symbol): (&format::Sym64<LE>, &crate::elf::Symbol<'_>)| SymbolRow {
            name: symbol.name.to_owned(),
            name_offset: raw.st_name.get(LE),
            info: raw.st_info.0,
            other: raw.st_other.0,
            section: raw.st_shndx.get(LE).0,
            value: raw.st_value.get(LE),
            size: raw.st_size.get(LE),
        };
        // `Elf::symbols` has checked that the string table exists.
        let strings = elf.sections[section.link as usize].data.to_vec();
        let mut by_name = HashMap::with_capacity(names.len());
        for (index, symbol) in names.iter().enumerate() {
            by_name.entry(symbol.name.to_owned()).or_insert(index);
        }
        Ok(SymbolTable {
            by_name,
            section: Some(section.index),
            strings_section: section.link as usize,
            rows: raw.iter().zip(&names).map(row).collect(),
            strings,
            added: 0,
        })
    }

    pub(super) fn exists(&self) -> bool {
        self.section.is_some()
    }

    pub(super) fn find(&self, name: &str) -> Option<&SymbolRow> {
        self.position(name).map(|index| &self.rows[index])
    }

    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    pub(super) fn find_mut(&mut self, name: &str) -> Option<&mut SymbolRow> {
        self.by_name.get(name).map(|index| &mut self.rows[*index])
    }

    pub(super) fn add(&mut self, symbol: &NewSymbol) {
        let name_offset = self.strings.len() as u32;
        self.strings.extend(symbol.name.as_bytes());
        self.strings.push(0);
        self.by_name
            .entry(symbol.name.clone())
            .or_insert(self.rows.len());
        self.rows.push(SymbolRow::of_new(symbol, name_offset));
        self.added += 1;
    }

    /// Puts undefined symbols before defined ones, as the GNU hash table wants it; local symbols stay first. Returns the
    /// new index of every old one.
    pub(super) fn sort_for_hash(&mut self) -> Vec<u32> {
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by_key(|index| {
            let row = &self.rows[*index];
            (row.info >> 4 != 0, row.section != 0)
        });
        let mut moved_to = vec![0; order.len()];
        for (new, old) in order.iter().enumerate() {
            moved_to[*old] = new as u32;
        }
        self.by_name
            .values_mut()
            .for_each(|index| *index = moved_to[*index] as usize);
        let mut rows: Vec<_> = std::mem::take(&mut self.rows)
            .into_iter()
            .map(Some)
            .collect();
        // Each comes once.
        self.rows = order.iter().filter_map(|old| rows[*old].take()).collect();
        moved_to
    }

    /// Index of the first symbol that is not local.
    pub(super) fn first_global(&self) -> u32 {
        let first = self.rows.iter().position(|row| row.info >> 4 != 0);
        first.unwrap_or(self.rows.len()) as u32
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(24 * self.rows.len());
        for row in &self.rows {
            bytes.extend(row.name_offset.to_le_bytes());
            bytes.extend([row.info, row.other]);
            bytes.extend(row.section.to_le_bytes());
            bytes.extend(row.value.to_le_bytes());
            bytes.extend(row.size.to_le_bytes());
        }
        bytes
    }

    /// `.hash`: every symbol by its System V hash.
    pub(super) fn system_v_hash(&self) -> Vec<u8> {
        let count = self.rows.len();
        let mut buckets = vec![0u32; count.max(1)];
        let mut chains = vec![0u32; count];
        for (index, row) in self.rows.iter().enumerate().skip(1) {
            let bucket = object::elf::hash(row.name.as_bytes()) as usize % buckets.len();
            chains[index] = std::mem::replace(&mut buckets[bucket], index as u32);
        }
        let head = [buckets.len() as u32, count as u32];
        let words = head.iter().chain(&buckets).chain(&chains);
        words.flat_map(|word| word.to_le_bytes()).collect()
    }

    /// `.gnu.hash` with one bucket, which needs no order beyond that of [`SymbolTable::sort_for_hash`].
    pub(super) fn gnu_hash(&self) -> Vec<u8> {
        let defined = |row: &SymbolRow| row.info >> 4 != 0 && row.section != 0;
        let first = self
            .rows
            .iter()
            .position(defined)
            .unwrap_or(self.rows.len());
        let hashes: Vec<u32> = self.rows[first..]
            .iter()
            .map(|row| object::elf::gnu_hash(row.name.as_bytes()))
            .collect();
        const SHIFT: u32 = 26;
        let mut bloom = 0u64;
        for hash in &hashes {
            bloom |= 1 << (hash % 64) | 1 << ((hash >> SHIFT) % 64);
        }
        let bucket = if hashes.is_empty() { 0 } else { first as u32 };
        let mut bytes: Vec<u8> = [1, first as u32, 1, SHIFT]
            .iter()
            .flat_map(|word: &u32| word.to_le_bytes())
            .collect();
        bytes.extend(bloom.to_le_bytes());
        bytes.extend(bucket.to_le_bytes());
        for (index, hash) in hashes.iter().enumerate() {
            // The low bit ends a chain.
            let last = u32::from(index + 1 == hashes.len());
            bytes.extend((hash & !1 | last).to_le_bytes());
        }
        bytes
    }
}

/// One dynamic relocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RelaRow {
    pub offset: u64,
    pub kind: u32,
    /// Index in the dynamic symbol table, before that is sorted.
    pub symbol: u32,
    pub addend: i64,
}

/// The loaded relocation section.
pub(super) fn relocations(elf: &Elf<'_>) -> Result<Vec<RelaRow>> {
    let Some(section) = elf
        .sections
        .iter()
        .find(|section| section.kind == format::SHT_RELA.0 && section.is_allocated())
    else {
        return Ok(Vec::new());
    };
    let row = |relocation: crate::elf::Relocation| RelaRow {
        offset: relocation.offset,
        kind: relocation.kind,
        symbol: relocation.symbol,
        addend: relocation.addend.unwrap_or(0),
    };
    Ok(elf.relocations(section)?.into_iter().map(row).collect())
}

/// Bytes of the relocations, relative ones first, and how many those are.
pub(super) fn encode_relocations(rows: &[RelaRow], moved_to: &[u32]) -> Result<(Vec<u8>, u64)> {
    const RELATIVE: u32 = 13;
    let mut sorted: Vec<&RelaRow> = rows.iter().collect();
    sorted.sort_by_key(|row| row.kind != RELATIVE);
    let mut bytes = Vec::with_capacity(24 * rows.len());
    for row in &sorted {
        let lost = || Error::BadEdit {
            what: format!("relocation at {:#x}", row.offset),
            reason: "its symbol does not exist",
        };
        let symbol = match row.symbol {
            0 => 0,
            _ => *moved_to.get(row.symbol as usize).ok_or_else(lost)?,
        };
        bytes.extend(row.offset.to_le_bytes());
        bytes.extend((u64::from(symbol) << 32 | u64::from(row.kind)).to_le_bytes());
        bytes.extend(row.addend.to_le_bytes());
    }
    let relative = sorted.iter().filter(|row| row.kind == RELATIVE).count() as u64;
    Ok((bytes, relative))
}

/// The note section's bytes with the metadata note's description replaced.
pub(super) fn notes_with(elf: &Elf<'_>, description: Vec<u8>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut replaced = false;
    let section = elf
        .sections
        .iter()
        .find(|section| section.kind == format::SHT_NOTE.0);
    let range = section.map_or(0..0, |section| {
        section.file_offset..section.file_offset + section.size
    });
    for note in elf
        .notes()?
        .iter()
        .filter(|note| range.contains(&note.file_offset))
    {
        if note.owner == b"AMDGPU" && note.kind == crate::elf::NT_AMDGPU_METADATA {
            push_note(
                &mut bytes,
                &Note {
                    description: &description,
                    ..*note
                },
            );
            replaced = true;
        } else {
            push_note(&mut bytes, note);
        }
    }
    if !replaced {
        let note = Note {
            owner: b"AMDGPU",
            kind: 32,
            description: &description,
            file_offset: 0,
        };
        push_note(&mut bytes, &note);
    }
    Ok(bytes)
}

fn push_note(bytes: &mut Vec<u8>, note: &Note<'_>) {
    let header: format::NoteHeader64<LE> = format::NoteHeader64 {
        n_namesz: object::U32::new(LE, note.owner.len() as u32 + 1),
        n_descsz: object::U32::new(LE, note.description.len() as u32),
        n_type: object::U32::new(LE, format::NoteType(note.kind)),
    };
    bytes.extend(bytes_of(&header));
    bytes.extend(note.owner);
    bytes.push(0);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes.extend(note.description);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
}
