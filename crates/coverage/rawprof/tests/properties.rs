//! Properties of reading and writing: no panic on any bytes, round trips, and no good record lost.

use proptest::{collection::vec, prelude::*};
use rawprof::{
    COUNT_LIMIT, Layout, Profile, Record, Region, Sections, Version, emit, from_sections,
    layout::LAYOUTS, merge, names, parse, subtract, values::ValueKind,
};

fn record(version: Version) -> impl Strategy<Value = Record> {
    let limit = if version.is_byte_coverage() {
        0..=1u64
    } else {
        0..=COUNT_LIMIT
    };
    let device = version.number() == 11;
    (
        any::<[u64; 3]>(),
        vec(limit, 1..9),
        vec(any::<u8>(), 0..9),
        any::<u16>(),
        vec(vec(any::<(u64, u64)>(), 0..4), 0..4),
    )
        .prop_map(move |(ids, counters, bitmap, wave_size, sites)| {
            let counters: Vec<u64> = match version.is_byte_coverage() {
                true => counters.iter().map(|&bit| bit * 0xff).collect(),
                false => counters,
            };
            let values = if sites.is_empty() {
                vec![]
            } else {
                vec![ValueKind { kind: 1, sites }]
            };
            Record {
                name_ref: ids[0],
                function_hash: ids[1],
                function_pointer: ids[2],
                uniform: if device { counters.clone() } else { vec![] },
                counters,
                bitmap,
                values,
                wave_size: if device { wave_size } else { 0 },
            }
        })
}

fn profile() -> impl Strategy<Value = Profile> {
    let version = prop_oneof![
        Just(10u64),
        Just(11),
        Just(10 | 1 << 56),
        Just(10 | 1 << 60)
    ]
    .prop_map(Version);
    version.prop_flat_map(|version| {
        (
            vec(record(version), 0..8),
            vec("[a-z_:]{1,12}", 0..5),
            vec(vec(any::<u8>(), 1..24), 0..3),
        )
            .prop_map(move |(records, words, binary_ids)| Profile {
                binary_ids,
                records,
                names: names::encode(words.iter().map(|word| word.as_bytes())),
                ..Profile::new(version)
            })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_we_write_we_read(profile in profile()) {
        let bytes = emit(&profile).unwrap();
        prop_assert_eq!(parse(&bytes).unwrap(), vec![profile]);
    }

    #[test]
    fn files_concatenate(left in profile(), right in profile()) {
        let both = [emit(&left).unwrap(), emit(&right).unwrap()].concat();
        prop_assert_eq!(parse(&both).unwrap(), vec![left, right]);
    }

    #[test]
    fn damaged_files_never_panic(profile in profile(), damage in vec((any::<prop::sample::Index>(), any::<u8>()), 1..6), cut in any::<prop::sample::Index>()) {
        let mut bytes = emit(&profile).unwrap();
        for (at, value) in damage {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        let _ = parse(&bytes);
        bytes.truncate(cut.index(bytes.len()));
        let _ = parse(&bytes);
    }

    #[test]
    fn noise_never_panics(noise in vec(any::<u8>(), 0..400), version in 9u64..13) {
        let mut bytes = rawprof::layout::MAGIC.to_le_bytes().to_vec();
        bytes.extend(version.to_le_bytes());
        bytes.extend(&noise);
        let _ = parse(&bytes);
        let _ = names::decode(&noise);
    }

    #[test]
    fn merging_adds_and_subtracting_undoes_it(profile in profile(), other in vec(0..COUNT_LIMIT / 4, 8 * 8)) {
        prop_assume!(!profile.version.is_byte_coverage());
        let mut first = profile;
        // Equal keys within one image would make the pairing ambiguous.
        for (index, record) in first.records.iter_mut().enumerate() {
            record.name_ref = index as u64;
            record.counters.iter_mut().for_each(|count| *count /= 4);
            record.values.clear();
        }
        let mut second = first.clone();
        second.records.reverse();
        for (record, extra) in second.records.iter_mut().zip(other.chunks(8)) {
            record.counters.iter_mut().zip(extra).for_each(|(count, extra)| *count = *extra);
        }
        let mut sum = first.clone();
        let report = merge(&mut sum, &second).unwrap();
        prop_assert_eq!(report.added, 0);
        prop_assert!(report.conflicts.is_empty());
        for (index, total) in sum.records.iter().enumerate() {
            let left = &first.records[index];
            let right = second.records.iter().find(|record| record.name_ref == left.name_ref).unwrap();
            for (at, count) in total.counters.iter().enumerate() {
                prop_assert_eq!(*count, left.counters[at] + right.counters[at]);
            }
        }
        let back = subtract(&sum, &second);
        for (restored, original) in back.records.iter().zip(&first.records) {
            prop_assert_eq!(&restored.counters, &original.counters);
        }
    }

    /// Sections as a device would hold them, with some records spoiled: exactly the others survive, and the file is valid.
    #[test]
    fn good_records_survive_bad_neighbours(image in image()) {
        let sections = image.sections();
        let salvage = from_sections(&sections).unwrap();
        let kept: Vec<u64> = salvage.profile.records.iter().map(|record| record.name_ref).collect();
        let good: Vec<u64> = (0..image.spoilt.len() as u64).filter(|&at| image.spoilt[at as usize] == Fault::None).collect();
        prop_assert_eq!(&kept, &good);
        prop_assert_eq!(salvage.dropped.len(), image.spoilt.len() - good.len());
        for record in &salvage.profile.records {
            let expected: Vec<u64> = (0..3).map(|at| record.name_ref * 100 + at).collect();
            prop_assert_eq!(&record.counters, &expected);
            prop_assert_eq!(&record.bitmap, &vec![record.name_ref as u8; 2]);
        }
        let written = emit(&salvage.profile).unwrap();
        prop_assert_eq!(parse(&written).unwrap(), vec![salvage.profile]);
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    NullCounters,
    CountersBefore,
    CountersPast,
    TooManyCounters,
    NoCounters,
}

#[derive(Debug)]
struct Image {
    version: Version,
    spoilt: Vec<Fault>,
    data: Vec<u8>,
    counters: Vec<u8>,
    bitmap: Vec<u8>,
}

const DATA_ADDRESS: u64 = 0x7f12_0000_4000;
const COUNTERS_ADDRESS: u64 = 0x7f12_0000_1000;
const BITMAP_ADDRESS: u64 = 0x7f12_0000_8000;

impl Image {
    fn sections(&self) -> Sections<'_> {
        Sections {
            version: self.version,
            data: Region {
                address: DATA_ADDRESS,
                bytes: &self.data,
            },
            counters: Region {
                address: COUNTERS_ADDRESS,
                bytes: &self.counters,
            },
            uniform: Region {
                address: COUNTERS_ADDRESS,
                bytes: &self.counters,
            },
            bitmap: Region {
                address: BITMAP_ADDRESS,
                bytes: &self.bitmap,
            },
            names: &[],
        }
    }
}

fn image() -> impl Strategy<Value = Image> {
    let fault = prop_oneof![
        4 => Just(Fault::None),
        1 => Just(Fault::NullCounters),
        1 => Just(Fault::CountersBefore),
        1 => Just(Fault::CountersPast),
        1 => Just(Fault::TooManyCounters),
        1 => Just(Fault::NoCounters),
    ];
    (prop::sample::select(vec![10u64, 11]), vec(fault, 1..24))
        .prop_map(|(version, spoilt)| build(Version(version), spoilt))
}

fn build(version: Version, spoilt: Vec<Fault>) -> Image {
    let layout: &Layout = version.layout().unwrap();
    let mut data = Vec::new();
    let mut counters = Vec::new();
    let mut bitmap = Vec::new();
    for (index, fault) in spoilt.iter().enumerate() {
        let own = DATA_ADDRESS + data.len() as u64;
        let counter_address = match fault {
            Fault::NullCounters => own,
            Fault::CountersBefore => COUNTERS_ADDRESS - 8,
            Fault::CountersPast => COUNTERS_ADDRESS + 24 * spoilt.len() as u64,
            _ => COUNTERS_ADDRESS + counters.len() as u64,
        };
        let count = match fault {
            Fault::TooManyCounters => u32::MAX,
            Fault::NoCounters => 0,
            _ => 3u32,
        };
        let mut raw = vec![0xee; layout.record_size];
        let mut put = |at: usize, bytes: &[u8]| raw[at..at + bytes.len()].copy_from_slice(bytes);
        put(layout.name_ref, &(index as u64).to_le_bytes());
        put(
            layout.counter_pointer,
            &counter_address.wrapping_sub(own).to_le_bytes(),
        );
        if let Some(at) = layout.uniform_pointer {
            put(
                at,
                &(COUNTERS_ADDRESS + counters.len() as u64)
                    .wrapping_sub(own)
                    .to_le_bytes(),
            );
        }
        put(
            layout.bitmap_pointer,
            &(BITMAP_ADDRESS + bitmap.len() as u64)
                .wrapping_sub(own)
                .to_le_bytes(),
        );
        put(layout.num_counters, &count.to_le_bytes());
        put(layout.num_value_sites, &[0; 6]);
        put(layout.num_bitmap_bytes, &2u32.to_le_bytes());
        data.extend(raw);
        counters.extend((0..3u64).flat_map(|at| (index as u64 * 100 + at).to_le_bytes()));
        bitmap.extend([index as u8; 2]);
    }
    Image {
        version,
        spoilt,
        data,
        counters,
        bitmap,
    }
}

/// The layout rows agree with the sizes the published definitions give.
#[test]
fn layouts_are_consistent() {
    for layout in LAYOUTS {
        let last = layout.num_bitmap_bytes + 4;
        assert_eq!(last, layout.record_size, "version {}", layout.version);
        let pointers = [
            layout.name_ref,
            layout.function_hash,
            layout.counter_pointer,
            layout.bitmap_pointer,
        ];
        assert!(pointers.iter().all(|at| at % 8 == 0));
    }
    assert_eq!(LAYOUTS[0].header_size(), 16 * 8);
    assert_eq!(LAYOUTS[1].header_size(), 19 * 8);
}

/// Records of LLVM 15, whose counter pointers are distances in the format and addresses in AMD images.
#[test]
fn records_of_version_8_become_version_10() {
    let counters: Vec<u8> = (1..=5u64).flat_map(u64::to_le_bytes).collect();
    let record = |name: u64, pointer: u64, count: u32| {
        let mut raw = Vec::new();
        for word in [name, 24, pointer, 0, 0] {
            raw.extend(word.to_le_bytes());
        }
        raw.extend(count.to_le_bytes());
        raw.extend([0; 4]);
        raw
    };
    let data = [
        record(1, COUNTERS_ADDRESS + 16, 2),
        record(
            2,
            (COUNTERS_ADDRESS + 16).wrapping_sub(DATA_ADDRESS + 48),
            3,
        ),
        record(3, 0, 1),
    ]
    .concat();
    let sections = |version, data| Sections {
        version: Version(version),
        data: Region {
            address: DATA_ADDRESS,
            bytes: data,
        },
        counters: Region {
            address: COUNTERS_ADDRESS,
            bytes: &counters,
        },
        uniform: Region::default(),
        bitmap: Region::default(),
        names: &[],
    };
    let salvage = from_sections(&sections(8, &data)).unwrap();
    assert_eq!(salvage.profile.version, Version(10));
    let counts: Vec<_> = salvage
        .profile
        .records
        .iter()
        .map(|record| (record.name_ref, record.counters.clone()))
        .collect();
    assert_eq!(counts, [(1, vec![1, 2]), (2, vec![3, 4, 5])]);
    assert_eq!((salvage.dropped.len(), salvage.dropped[0].name_ref), (1, 3));
    assert_eq!(
        parse(&emit(&salvage.profile).unwrap()).unwrap(),
        vec![salvage.profile]
    );
    // Neither a cut table nor other versions are taken for something they are not.
    let cut = from_sections(&sections(8, &data[..100])).unwrap();
    assert_eq!(cut.profile.records.len(), 2);
    assert_eq!(cut.notes, [rawprof::Note::PartialRecord { bytes: 4 }]);
    assert!(from_sections(&sections(9, &data)).is_err());
}

#[test]
fn unknown_versions_are_refused_by_name() {
    for version in [0u64, 8, 9, 12, 1 << 31] {
        let error = Version(version).layout().unwrap_err();
        assert!(error.to_string().contains(&version.to_string()), "{error}");
    }
}

/// Found by fuzzing: what could be salvaged of such sections could not be read again.
#[test]
fn names_in_debug_information_are_refused() {
    let image = build(Version(10 | 1 << 59), vec![Fault::None]);
    let error = from_sections(&image.sections()).unwrap_err();
    assert!(error.to_string().contains("debug-info"), "{error}");
}

#[test]
fn lost_bitmap_keeps_the_record() {
    let image = build(Version(10), vec![Fault::None; 3]);
    let mut sections = image.sections();
    sections.bitmap = Region::default();
    let salvage = from_sections(&sections).unwrap();
    assert_eq!(salvage.profile.records.len(), 3);
    assert_eq!(salvage.notes.len(), 3);
    assert!(parse(&emit(&salvage.profile).unwrap()).is_ok());
}
