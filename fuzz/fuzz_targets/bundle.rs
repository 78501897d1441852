//! Containers: bundles of every kind, archives, host files.
#![no_main]

use codeobj::bundle::{self, Bundle};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    // Compressed bundles that claim to be huge cost memory, not correctness.
    let claims_much = codeobj::compressed::Header::parse(data).is_ok_and(|header| header.unpacked_size > 1 << 24);
    if claims_much {
        return;
    }
    if let Ok(contents) = codeobj::walk(data) {
        for entry in &contents.entries {
            let _ = entry.target();
            if let Some(offset) = entry.file_offset
                && !entry.bytes.is_empty()
            {
                let start = offset as usize;
                assert_eq!(&data[start..start + entry.bytes.len()], &*entry.bytes);
            }
        }
    }
    if let Ok(read) = Bundle::parse(data) {
        let entries: Vec<_> = read.entries.iter().map(|entry| (entry.id, entry.bytes)).collect();
        let written = bundle::write(&entries, 16);
        let again = Bundle::parse(&written).expect("what we write can be read");
        assert!(again.entries.iter().map(|entry| (entry.id, entry.bytes)).eq(entries));
    }
});
