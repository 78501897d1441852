//! Writing raw profiles.

use crate::{
    Error, Profile, bytes,
    layout::{MAGIC, VALUE_KIND_LAST, VALUE_KINDS, VTABLE_RECORD_SIZE, Word},
    profile::COUNT_LIMIT,
    values,
};

/// The file of one profile. Counters are laid out anew, one run per record, and clamped at [`COUNT_LIMIT`].
///
/// Files of several profiles may be concatenated: the result is a valid file whose counts are summed by LLVM's reader.
pub fn emit(profile: &Profile) -> Result<Vec<u8>, Error> {
    let layout = profile.version.layout()?;
    let counter_size = profile.version.counter_size();
    // LLVM rejects a file in which only some records have uniform counters.
    let with_uniform = layout.uniform_pointer.is_some()
        && profile
            .records
            .iter()
            .all(|record| record.uniform.len() == record.counters.len());

    let mut data = Vec::with_capacity(profile.records.len() * layout.record_size);
    let mut counters = Vec::new();
    let mut uniform = Vec::new();
    let mut bitmap = Vec::new();
    let mut value_data = Vec::new();
    for record in &profile.records {
        let mut raw = vec![0; layout.record_size];
        // Deltas are zero, so a pointer is the offset in its section less the record's own offset.
        let own = data.len() as u64;
        put64(&mut raw, layout.name_ref, record.name_ref);
        put64(&mut raw, layout.function_hash, record.function_hash);
        put64(&mut raw, layout.function_pointer, record.function_pointer);
        put64(
            &mut raw,
            layout.counter_pointer,
            (counters.len() as u64).wrapping_sub(own),
        );
        put32(&mut raw, layout.num_counters, record.counters.len() as u32);
        push_counts(&mut counters, &record.counters, counter_size);
        if let (true, Some(at)) = (with_uniform, layout.uniform_pointer) {
            put64(&mut raw, at, (uniform.len() as u64).wrapping_sub(own));
            push_counts(&mut uniform, &record.uniform, counter_size);
        }
        put64(
            &mut raw,
            layout.bitmap_pointer,
            (bitmap.len() as u64).wrapping_sub(own),
        );
        put32(
            &mut raw,
            layout.num_bitmap_bytes,
            record.bitmap.len() as u32,
        );
        bitmap.extend_from_slice(&record.bitmap);
        for kind in record
            .values
            .iter()
            .filter(|kind| (kind.kind as usize) < VALUE_KINDS)
        {
            let at = layout.num_value_sites + 2 * kind.kind as usize;
            raw[at..at + 2].copy_from_slice(&(kind.sites.len() as u16).to_le_bytes());
        }
        if let Some(at) = layout.wave_size {
            raw[at..at + 2].copy_from_slice(&record.wave_size.to_le_bytes());
        }
        data.extend_from_slice(&raw);
        values::write(&mut value_data, &record.values);
    }

    let mut ids = Vec::new();
    for id in &profile.binary_ids {
        ids.extend_from_slice(&(id.len() as u64).to_le_bytes());
        ids.extend_from_slice(id);
        bytes::pad(&mut ids);
    }

    let word = |word| match word {
        Word::Magic => MAGIC,
        Word::Version => profile.version.0,
        Word::BinaryIdsSize => ids.len() as u64,
        Word::NumData => profile.records.len() as u64,
        Word::NumCounters => (counters.len() / counter_size) as u64,
        Word::PaddingAfterCounters => bytes::padding(counters.len()) as u64,
        Word::NumBitmapBytes => bitmap.len() as u64,
        Word::PaddingAfterBitmap => bytes::padding(bitmap.len()) as u64,
        Word::NumUniformCounters => (uniform.len() / counter_size) as u64,
        Word::PaddingAfterUniformCounters => bytes::padding(uniform.len()) as u64,
        Word::NamesSize => profile.names.len() as u64,
        Word::NumVTables => (profile.vtables.len() / VTABLE_RECORD_SIZE) as u64,
        Word::VNamesSize => profile.vtable_names.len() as u64,
        Word::ValueKindLast => VALUE_KIND_LAST,
        Word::PaddingBeforeCounters
        | Word::CountersDelta
        | Word::BitmapDelta
        | Word::UniformCountersDelta
        | Word::NamesDelta => 0,
    };
    let mut out: Vec<u8> = layout
        .header
        .iter()
        .flat_map(|&field| word(field).to_le_bytes())
        .collect();
    for part in [
        &ids,
        &data,
        &counters,
        &bitmap,
        &uniform,
        &profile.names,
        &profile.vtables,
        &profile.vtable_names,
    ] {
        out.extend_from_slice(part);
        bytes::pad(&mut out);
    }
    out.extend_from_slice(&value_data);
    Ok(out)
}

fn push_counts(out: &mut Vec<u8>, counts: &[u64], size: usize) {
    if size == 1 {
        out.extend(counts.iter().map(|&count| count as u8));
    } else {
        out.extend(
            counts
                .iter()
                .flat_map(|&count| count.min(COUNT_LIMIT).to_le_bytes()),
        );
    }
}

fn put64(raw: &mut [u8], at: usize, value: u64) {
    raw[at..at + 8].copy_from_slice(&value.to_le_bytes());
}

fn put32(raw: &mut [u8], at: usize, value: u32) {
    raw[at..at + 4].copy_from_slice(&value.to_le_bytes());
}
