//! Profile sections of a device with anything in them: no panic, a file that reads back, and no good record lost.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rawprof::{Layout, Region, Sections, Version, emit, from_sections, parse};

const DATA: u64 = 0x7f12_0000_4000;
const COUNTERS: u64 = 0x7f12_0000_1000;
/// Counters of one record.
const COUNT: usize = 2;

fuzz_target!(|bytes: &[u8]| {
    let Some((&[version, records, ref sizes @ ..], rest)) = bytes
        .split_at_checked(6)
        .map(|(head, rest)| (<&[u8; 6]>::try_from(head).expect("six bytes"), rest))
    else {
        return;
    };
    let version =
        Version([8, 10, 11, 12][usize::from(version % 4)] | u64::from(version >> 4) << 56);
    noise(version, sizes, rest);
    if let (10 | 11, Ok(layout)) = (version.number(), version.layout()) {
        spoilt(version, layout, usize::from(records % 16) + 1, rest);
    }
});

/// Sections made of noise.
fn noise(version: Version, sizes: &[u8; 4], mut rest: &[u8]) {
    let mut part = |size: u8| {
        let (part, left) = rest.split_at(rest.len().min(usize::from(size) * 4));
        rest = left;
        part
    };
    let [data, counters, uniform, bitmap] = sizes.map(&mut part);
    let region = |address, bytes| Region { address, bytes };
    let salvage = from_sections(&Sections {
        version,
        data: region(DATA, data),
        counters: region(COUNTERS, counters),
        uniform: region(COUNTERS, uniform),
        bitmap: region(COUNTERS, bitmap),
        names: part(255),
    });
    if let Ok(salvage) = salvage {
        let written = emit(&salvage.profile).expect("what was salvaged can be written");
        parse(&written).expect("what was written can be read");
    }
}

/// Good records, some of which are overwritten: the others keep their counts.
fn spoilt(version: Version, layout: &Layout, records: usize, rest: &[u8]) {
    let version = Version(version.number());
    let mut data = vec![0; records * layout.record_size];
    let mut counters = Vec::new();
    for index in 0..records {
        let at = index * layout.record_size;
        let mut put = |offset: usize, value: &[u8]| {
            data[at + offset..at + offset + value.len()].copy_from_slice(value);
        };
        let own = DATA + at as u64;
        let distance = (COUNTERS + counters.len() as u64).wrapping_sub(own);
        put(layout.name_ref, &(index as u64).to_le_bytes());
        put(layout.counter_pointer, &distance.to_le_bytes());
        put(layout.num_counters, &(COUNT as u32).to_le_bytes());
        for counter in 0..COUNT {
            counters.extend((index * COUNT + counter + 1).to_le_bytes());
        }
    }
    // Each three bytes: where, and what.
    let mut touched = vec![false; records];
    for change in rest.chunks_exact(3) {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % data.len();
        data[at] = change[2];
        touched[at / layout.record_size] = true;
    }
    let salvage = from_sections(&Sections {
        version,
        data: Region {
            address: DATA,
            bytes: &data,
        },
        counters: Region {
            address: COUNTERS,
            bytes: &counters,
        },
        uniform: Region::default(),
        bitmap: Region::default(),
        names: &[],
    })
    .expect("the version is known");
    for index in (0..records).filter(|&index| !touched[index]) {
        let expected: Vec<u64> = (0..COUNT)
            .map(|counter| (index * COUNT + counter + 1) as u64)
            .collect();
        let found = salvage
            .profile
            .records
            .iter()
            .any(|record| record.name_ref == index as u64 && record.counters == expected);
        assert!(found, "record {index} is lost");
    }
    parse(&emit(&salvage.profile).expect("written")).expect("read");
}
