//! Value profiles: per function and kind, the values seen at each site.
//!
//! Device code never records values; host profiles of `-fprofile-generate` do, and must survive a round trip.

use std::collections::{HashMap, HashSet};

use crate::{Error, Record, bytes};

/// The values one function recorded for one kind of site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueKind {
    /// 0 indirect call target, 1 memory operation size, 2 vtable.
    pub kind: u32,
    /// Per site, pairs of value and count. The format allows 255 per site.
    pub sites: Vec<Vec<(u64, u64)>>,
}

/// Reads the value data of record `index`, which has `expected` sites per kind. Returns it and its size in bytes.
pub(crate) fn read(
    input: &[u8],
    index: usize,
    expected: &[u16],
) -> Result<(Vec<ValueKind>, usize), Error> {
    let bad = |reason| Error::BadValues { index, reason };
    let total = bytes::u32_at(input, 0).ok_or(bad("no header"))? as usize;
    let kinds = bytes::u32_at(input, 4).ok_or(bad("no header"))? as usize;
    let data = input.get(..total).ok_or(bad("ends outside of the file"))?;
    if !total.is_multiple_of(8) || total < 8 {
        return Err(bad("size is not a multiple of eight"));
    }
    if kinds != expected.iter().filter(|&&sites| sites != 0).count() {
        return Err(bad("number of kinds disagrees with the record"));
    }
    let mut at = 8;
    let mut values: Vec<ValueKind> = Vec::new();
    for _ in 0..kinds {
        let kind = bytes::u32_at(data, at).ok_or(bad("kind outside of the data"))?;
        let sites = bytes::u32_at(data, at + 4).ok_or(bad("kind outside of the data"))? as usize;
        if expected
            .get(kind as usize)
            .is_none_or(|&count| usize::from(count) != sites)
        {
            return Err(bad("number of sites disagrees with the record"));
        }
        if values.iter().any(|seen| seen.kind == kind) {
            return Err(bad("kind appears twice"));
        }
        let counts = data
            .get(at + 8..at + 8 + sites)
            .ok_or(bad("site counts outside of the data"))?;
        at += 8 + sites + bytes::padding(sites);
        let mut lists = Vec::with_capacity(sites);
        for &count in counts {
            let mut list = Vec::with_capacity(count.into());
            for _ in 0..count {
                let value = bytes::u64_at(data, at).ok_or(bad("values outside of the data"))?;
                let times = bytes::u64_at(data, at + 8).ok_or(bad("values outside of the data"))?;
                list.push((value, times));
                at += 16;
            }
            lists.push(list);
        }
        values.push(ValueKind { kind, sites: lists });
    }
    if at != total {
        return Err(bad("bytes are left over"));
    }
    Ok((values, total))
}

/// Writes the value data of one record; nothing when it has no sites.
pub(crate) fn write(out: &mut Vec<u8>, values: &[ValueKind]) {
    let present: Vec<_> = values
        .iter()
        .filter(|kind| !kind.sites.is_empty())
        .collect();
    if present.is_empty() {
        return;
    }
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&(present.len() as u32).to_le_bytes());
    for kind in present {
        out.extend_from_slice(&kind.kind.to_le_bytes());
        out.extend_from_slice(&(kind.sites.len() as u32).to_le_bytes());
        out.extend(kind.sites.iter().map(|site| site.len().min(255) as u8));
        out.resize(out.len() + bytes::padding(kind.sites.len()), 0);
        for (value, count) in kind.sites.iter().flat_map(|site| site.iter().take(255)) {
            out.extend_from_slice(&value.to_le_bytes());
            out.extend_from_slice(&count.to_le_bytes());
        }
    }
    let total = (out.len() - start) as u32;
    out[start..start + 4].copy_from_slice(&total.to_le_bytes());
}

/// Kind of sites whose values are addresses of functions.
const INDIRECT_CALL: u32 = 0;
/// Kind of sites whose values are addresses of vtables.
const VTABLE: u32 = 2;

/// How function addresses of one process read in another: programs are loaded at random places.
pub(crate) struct Addresses {
    /// Source address to destination address.
    translation: HashMap<u64, u64>,
    /// Addresses that name a function in the destination.
    known: HashSet<u64>,
}

impl Addresses {
    /// Relates two processes by the names of their functions. Appended functions whose address is taken lose it.
    pub fn between(into: &mut [Record], from: &[Record]) -> Self {
        let mut by_name = HashMap::new();
        let mut known = HashSet::new();
        for record in into
            .iter_mut()
            .filter(|record| record.function_pointer != 0)
        {
            if known.insert(record.function_pointer) {
                by_name
                    .entry(record.name_ref)
                    .or_insert(record.function_pointer);
            } else {
                record.function_pointer = 0;
            }
        }
        let translation = from
            .iter()
            .filter_map(|record| Some((record.function_pointer, *by_name.get(&record.name_ref)?)))
            .collect();
        Addresses { translation, known }
    }

    /// Adds the values of `from` to `into`. Calls to functions without a record become calls to address zero, which is
    /// what LLVM makes of them; vtable addresses have no name to go by and are left out.
    pub fn merge(&self, into: &mut Vec<ValueKind>, from: &[ValueKind]) {
        for source in from {
            let found = into.iter().position(|kind| kind.kind == source.kind);
            let at = found.unwrap_or_else(|| {
                into.push(ValueKind {
                    kind: source.kind,
                    sites: vec![Vec::new(); source.sites.len()],
                });
                into.len() - 1
            });
            let target = &mut into[at];
            if target.sites.len() != source.sites.len() || source.kind == VTABLE {
                continue;
            }
            for (site, extra) in target.sites.iter_mut().zip(&source.sites) {
                let mut sum = Vec::with_capacity(site.len());
                for &(value, count) in site.iter() {
                    let unknown = source.kind == INDIRECT_CALL && !self.known.contains(&value);
                    add(&mut sum, if unknown { 0 } else { value }, count);
                }
                for &(value, count) in extra {
                    let translated = match source.kind {
                        INDIRECT_CALL => self.translation.get(&value).copied().unwrap_or(0),
                        _ => value,
                    };
                    add(&mut sum, translated, count);
                }
                // The format stores the number of values in a byte: keep the frequent ones.
                if sum.len() > 255 {
                    sum.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
                    sum.truncate(255);
                }
                *site = sum;
            }
        }
    }
}

fn add(site: &mut Vec<(u64, u64)>, value: u64, count: u64) {
    match site.iter_mut().find(|(seen, _)| *seen == value) {
        Some((_, total)) => *total = total.saturating_add(count),
        None => site.push((value, count)),
    }
}
