//! Adding and subtracting profiles.

use std::collections::HashMap;

use crate::{Error, Profile, Record, profile::COUNT_LIMIT, values};

/// The events of a merge besides additions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergeReport {
    /// Records that only the source had; they were appended.
    pub added: usize,
    /// Records of the same function with a different number of counters; the destination's was kept.
    pub conflicts: Vec<u64>,
    /// Counters that reached [`COUNT_LIMIT`] and were clamped there.
    pub clamped: usize,
}

/// Adds `from` to `into`: counts saturate, bitmaps are united, functions only `from` knows are appended.
pub fn merge(into: &mut Profile, from: &Profile) -> Result<MergeReport, Error> {
    if into.version != from.version {
        return Err(Error::VersionMismatch {
            left: into.version,
            right: from.version,
        });
    }
    if into.version.is_temporal() {
        return Err(Error::Unsupported {
            what: "merging temporal profiles (their first counter is a time stamp)",
        });
    }
    let byte_coverage = into.version.is_byte_coverage();
    let mut report = MergeReport::default();
    let mut by_key: Option<HashMap<(u64, u64), usize>> = None;
    let mut with_values = Vec::new();
    for (index, source) in from.records.iter().enumerate() {
        // Profiles of one image have equal order; the index is built only when that fails.
        let aligned = into
            .records
            .get(index)
            .is_some_and(|record| record.key() == source.key());
        let position = if aligned {
            Some(index)
        } else {
            let records = &into.records;
            let map = by_key.get_or_insert_with(|| {
                records
                    .iter()
                    .enumerate()
                    .rev()
                    .map(|(at, r)| (r.key(), at))
                    .collect()
            });
            map.get(&source.key()).copied()
        };
        let position = match position {
            Some(at) if into.records[at].counters.len() == source.counters.len() => {
                add(&mut into.records[at], source, byte_coverage, &mut report);
                at
            }
            Some(at) => {
                report.conflicts.push(into.records[at].name_ref);
                continue;
            }
            None => {
                if let Some(map) = &mut by_key {
                    map.insert(source.key(), into.records.len());
                }
                into.records.push(Record {
                    values: Vec::new(),
                    ..source.clone()
                });
                report.added += 1;
                into.records.len() - 1
            }
        };
        if !source.values.is_empty() {
            with_values.push((position, source));
        }
    }
    if !with_values.is_empty() {
        let addresses = values::Addresses::between(&mut into.records, &from.records);
        for (position, source) in with_values {
            addresses.merge(&mut into.records[position].values, &source.values);
        }
    }
    for id in &from.binary_ids {
        if !into.binary_ids.contains(id) {
            into.binary_ids.push(id.clone());
        }
    }
    append_unless_contained(&mut into.names, &from.names);
    append_unless_contained(&mut into.vtables, &from.vtables);
    append_unless_contained(&mut into.vtable_names, &from.vtable_names);
    Ok(report)
}

/// The difference of two snapshots of the same image: `later - earlier`, never below zero.
///
/// Records that `earlier` lacks are taken whole. Bitmaps only grow, so the later ones are kept.
pub fn subtract(later: &Profile, earlier: &Profile) -> Profile {
    let mut difference = later.clone();
    if later.version.is_byte_coverage() || later.version.is_temporal() {
        return difference;
    }
    let index: HashMap<_, _> = earlier
        .records
        .iter()
        .map(|record| (record.key(), record))
        .collect();
    for record in &mut difference.records {
        let Some(before) = index.get(&record.key()) else {
            continue;
        };
        let pairs = record.counters.iter_mut().zip(&before.counters);
        for (count, old) in pairs.chain(record.uniform.iter_mut().zip(&before.uniform)) {
            *count = count.saturating_sub(*old);
        }
    }
    difference
}

fn add(target: &mut Record, source: &Record, byte_coverage: bool, report: &mut MergeReport) {
    for (count, extra) in target.counters.iter_mut().zip(&source.counters) {
        if byte_coverage {
            *count &= extra;
            continue;
        }
        let sum = count.saturating_add(*extra);
        report.clamped += usize::from(sum > COUNT_LIMIT);
        *count = sum.min(COUNT_LIMIT);
    }
    if target.uniform.len() == source.uniform.len() {
        for (count, extra) in target.uniform.iter_mut().zip(&source.uniform) {
            *count = count.saturating_add(*extra).min(COUNT_LIMIT);
        }
    } else {
        target.uniform.clear();
    }
    if target.bitmap.len() < source.bitmap.len() {
        target.bitmap.resize(source.bitmap.len(), 0);
    }
    for (bits, extra) in target.bitmap.iter_mut().zip(&source.bitmap) {
        *bits |= extra;
    }
}

fn append_unless_contained(into: &mut Vec<u8>, from: &[u8]) {
    let contained = from.is_empty() || into.windows(from.len()).any(|window| window == from);
    if !contained {
        into.extend_from_slice(from);
    }
}
