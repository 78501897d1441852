//! Records of compilers before LLVM 20, as hipRTC of older ROCm releases has them, rewritten as today's.
//!
//! Version 8 (LLVM 14 to 17) has no MC/DC bitmap and one value kind less; everything else means the same, so its
//! counts can be written as version 10, which today's tools read. Files of version 8 are not read: only sections are.

use crate::{
    Region, Sections, Version, bytes,
    layout::{LAYOUTS, Layout},
};

/// The version that is rewritten.
const VERSION: u64 = 8;
const RECORD_SIZE: usize = 48;
const NAME_REF: usize = 0;
const FUNCTION_HASH: usize = 8;
const COUNTER_POINTER: usize = 16;
const NUM_COUNTERS: usize = 40;

/// A record table of version 10 for sections of version 8; nothing for sections of any other version.
///
/// The table has the same address. An incomplete record at the end stays incomplete.
pub(crate) fn upgrade(sections: &Sections<'_>) -> Option<(Version, Vec<u8>)> {
    if sections.version.number() != VERSION {
        return None;
    }
    let layout: &Layout = LAYOUTS.first()?;
    let base = sections.data.address;
    let mut table = Vec::new();
    let records = sections.data.bytes.chunks_exact(RECORD_SIZE);
    let rest = records.remainder();
    for (index, old) in records.enumerate() {
        let word = |at| bytes::u64_at(old, at).unwrap_or(0);
        let was_at = base.wrapping_add((index * RECORD_SIZE) as u64);
        let is_at = base.wrapping_add(table.len() as u64);
        let counters = counters_at(word(COUNTER_POINTER), was_at, sections.counters);
        let mut new = vec![0; layout.record_size];
        let mut put = |at: usize, value: &[u8]| new[at..at + value.len()].copy_from_slice(value);
        put(layout.name_ref, &word(NAME_REF).to_le_bytes());
        put(layout.function_hash, &word(FUNCTION_HASH).to_le_bytes());
        put(
            layout.counter_pointer,
            &counters.wrapping_sub(is_at).to_le_bytes(),
        );
        put(
            layout.num_counters,
            &bytes::u32_at(old, NUM_COUNTERS).unwrap_or(0).to_le_bytes(),
        );
        table.extend(new);
    }
    table.extend(&rest[..rest.len().min(layout.record_size - 1)]);
    let variants = sections.version.0 & !0xffff_ffff;
    Some((Version(variants | layout.version), table))
}

/// The address of a record's counters.
///
/// The format wants the distance from the record. LLVM 15 has no 64-bit relocation for that on AMDGPU: it relocates the
/// field to the address itself, plus the field's own offset, which belonged to the distance.
fn counters_at(field: u64, record: u64, counters: Region<'_>) -> u64 {
    let absolute = field.wrapping_sub(COUNTER_POINTER as u64);
    if absolute.wrapping_sub(counters.address) < counters.bytes.len() as u64 {
        absolute
    } else {
        record.wrapping_add(field)
    }
}
