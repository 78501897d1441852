//! The formats' own readers read back the files that were written.

use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::record::Field;
use proptest::prelude::*;
use records::{Error, Event, Layout, Moment, Timeline, sink};

const FIELDS: [&str; 6] = [
    "address:u64",
    "delta:i32",
    "value:f32",
    "lane:u8",
    "kind:u8",
    "half:i16",
];

fn record(address: u64, delta: i32, value: f32, lane: u8, kind: u8, half: i16) -> Vec<u8> {
    let mut bytes = address.to_le_bytes().to_vec();
    bytes.extend(delta.to_le_bytes());
    bytes.extend(value.to_le_bytes());
    bytes.extend([lane, kind]);
    bytes.extend(half.to_le_bytes());
    bytes.extend([0; 4]);
    bytes
}

fn layout() -> Layout {
    Layout::parse(FIELDS.into_iter().chain(["padding:u32"])).unwrap()
}

/// A full disk is a full disk, however often it is written to.
#[test]
fn the_first_reason_is_the_reason() {
    let directory = tempfile::tempdir().unwrap();
    // More than is gathered before it is written.
    let records = record(1, 2, 3.0, 4, 5, 6).repeat(1 << 20);
    for name in ["trace.parquet", "trace.jsonl"] {
        let path = directory.path().join(name);
        std::os::unix::fs::symlink("/dev/full", &path).unwrap();
        let mut sink = sink(&path, &layout()).unwrap();
        let mut said: Vec<String> = (0..2)
            .map(|_| sink.write(&records).unwrap_err().to_string())
            .collect();
        said.push(sink.finish().unwrap_err().to_string());
        for text in said {
            let expected = format!("cannot write {}: No space left on device", path.display());
            assert!(text.starts_with(&expected), "{text}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn parquet_holds_every_value(rows in prop::collection::vec(any::<(u64, i32, f32, u8, u8, i16)>(), 0..200)) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("trace.parquet");
        let mut sink = sink(&path, &layout()).unwrap();
        for chunk in rows.chunks(7) {
            let bytes: Vec<u8> = chunk.iter().flat_map(|r| record(r.0, r.1, r.2, r.3, r.4, r.5)).collect();
            sink.write(&bytes).unwrap();
        }
        prop_assert!(!path.exists(), "not there before it is whole");
        prop_assert_eq!(sink.finish().unwrap(), rows.len() as u64);
        let reader = SerializedFileReader::new(std::fs::File::open(&path).unwrap()).unwrap();
        let mut count = 0;
        for (row, expected) in reader.get_row_iter(None).unwrap().zip(&rows) {
            let row = row.unwrap();
            let fields: Vec<Field> = row.get_column_iter().map(|(_, field)| field.clone()).collect();
            prop_assert_eq!(&fields[0], &Field::ULong(expected.0));
            prop_assert_eq!(&fields[1], &Field::Int(expected.1));
            let Field::Float(value) = fields[2] else { panic!("a float") };
            prop_assert!(value.to_bits() == expected.2.to_bits() || value.is_nan() && expected.2.is_nan());
            prop_assert_eq!(&fields[3], &Field::UByte(expected.3));
            prop_assert_eq!(&fields[4], &Field::UByte(expected.4));
            prop_assert_eq!(&fields[5], &Field::Short(expected.5));
            count += 1;
        }
        prop_assert_eq!(count, rows.len());
    }
}

#[test]
fn json_has_one_object_a_line() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trace.jsonl");
    let mut sink = sink(&path, &layout()).unwrap();
    sink.write(&record(u64::MAX, -1, f32::NAN, 3, 4, -2))
        .unwrap();
    sink.write(&record(1, 2, 0.5, 3, 4, 5)).unwrap();
    assert_eq!(sink.finish().unwrap(), 2);
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["address"].as_u64(), Some(u64::MAX));
    assert!(lines[0]["value"].is_null());
    assert_eq!(lines[1]["value"].as_f64(), Some(0.5));
    assert_eq!(lines[0]["half"].as_i64(), Some(-2));
}

#[test]
fn a_partial_record_and_an_unknown_format_are_errors() {
    let directory = tempfile::tempdir().unwrap();
    let mut file = sink(&directory.path().join("a.jsonl"), &layout()).unwrap();
    assert!(matches!(
        file.write(&[0; 25]),
        Err(Error::Partial {
            bytes: 25,
            size: 24
        })
    ));
    assert!(matches!(
        sink(&directory.path().join("a.csv"), &layout()),
        Err(Error::Format { .. })
    ));
    assert!(matches!(
        sink(&directory.path().join("none/a.jsonl"), &layout()),
        Err(Error::File { .. })
    ));
}

#[test]
fn a_timeline_is_json() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("timeline.json");
    let mut timeline = Timeline::create(&path).unwrap();
    timeline.name_process(1, "device \"1\"").unwrap();
    timeline.name_thread(1, 2, "queue 2").unwrap();
    for index in 0..3 {
        let event = Event {
            name: format!("kernel \"{index}\""),
            process: 1,
            thread: 2,
            start: f64::from(index),
            duration: 0.5,
            arguments: serde_json::json!({ "grid": [1, 2, 3] }),
        };
        timeline.write(&event).unwrap();
    }
    let moment = |time| Moment {
        process: 1,
        thread: 2,
        time,
    };
    timeline.arrow(7, moment(0.0), moment(2.0)).unwrap();
    assert_eq!(timeline.finish().unwrap(), 3);
    let events: Vec<serde_json::Value> =
        serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let phases: Vec<_> = events
        .iter()
        .map(|event| event["ph"].as_str().unwrap())
        .collect();
    assert_eq!(phases, ["M", "M", "X", "X", "X", "s", "f"]);
    assert_eq!(events[0]["args"]["name"], "device \"1\"");
    assert_eq!(events[1]["args"]["name"], "queue 2");
    assert_eq!(events[4]["name"], "kernel \"2\"");
    assert_eq!(events[4]["args"]["grid"][1], 2);
    // The arrow has one number and both its ends.
    assert_eq!((&events[5]["id"], &events[6]["id"]), (&7.into(), &7.into()));
    assert_eq!(
        (&events[5]["ts"], &events[6]["ts"]),
        (&0.0.into(), &2.0.into())
    );
}
