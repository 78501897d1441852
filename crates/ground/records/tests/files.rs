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

/// A field of each kind.
const KINDS: [&str; 12] = [
    "address:u64",
    "offset:i64",
    "exact:f64",
    "delta:i32",
    "count:u32",
    "value:f32",
    "unused:u32",
    "size:u16",
    "half:i16",
    "lane:u8",
    "small:i8",
    "padding:u16",
];

type Row = ((u64, i64, u64), (i32, u32, u32), (u16, i16, u8, i8));

fn bytes(
    ((address, offset, exact), (delta, count, value), (size, half, lane, small)): &Row,
) -> Vec<u8> {
    let mut bytes = address.to_le_bytes().to_vec();
    bytes.extend(offset.to_le_bytes());
    bytes.extend(exact.to_le_bytes());
    bytes.extend(delta.to_le_bytes());
    bytes.extend(count.to_le_bytes());
    bytes.extend(value.to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(size.to_le_bytes());
    bytes.extend(half.to_le_bytes());
    bytes.extend([*lane, small.cast_unsigned(), 0, 0]);
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn parquet_holds_every_value(rows in prop::collection::vec(any::<Row>(), 0..200)) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("trace.parquet");
        let mut sink = sink(&path, &Layout::parse(KINDS).unwrap()).unwrap();
        for chunk in rows.chunks(7) {
            sink.write(&chunk.iter().flat_map(bytes).collect::<Vec<u8>>()).unwrap();
        }
        prop_assert!(!path.exists(), "not there before it is whole");
        prop_assert_eq!(sink.finish().unwrap(), rows.len() as u64);
        let reader = SerializedFileReader::new(std::fs::File::open(&path).unwrap()).unwrap();
        let mut count = 0;
        for (row, ((address, offset, exact), (delta, number, value), (size, half, lane, small))) in
            reader.get_row_iter(None).unwrap().zip(rows.clone())
        {
            let row = row.unwrap();
            let fields: Vec<Field> = row.get_column_iter().map(|(_, field)| field.clone()).collect();
            let bits = |field: &Field| match field {
                Field::Double(value) => value.to_bits(),
                Field::Float(value) => u64::from(value.to_bits()),
                other => panic!("{other} is no float"),
            };
            prop_assert_eq!(&fields[..2], [Field::ULong(address), Field::Long(offset)]);
            prop_assert_eq!(bits(&fields[2]), exact);
            prop_assert_eq!(&fields[3..5], [Field::Int(delta), Field::UInt(number)]);
            prop_assert_eq!(bits(&fields[5]), u64::from(value));
            prop_assert_eq!(&fields[7..9], [Field::UShort(size), Field::Short(half)]);
            prop_assert_eq!(&fields[9..11], [Field::UByte(lane), Field::Byte(small)]);
            count += 1;
        }
        prop_assert_eq!(count, rows.len());
    }
}

/// Lanes of one instruction access one element after another.
#[test]
fn parquet_keeps_a_trace_of_addresses_in_less_than_a_byte_a_record() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trace.parquet");
    let mut sink = sink(&path, &layout()).unwrap();
    let count = 1 << 16;
    for index in 0..count {
        let lane = (index % 64) as u8;
        sink.write(&record(0x7f00_0000_0000 + 4 * index, 4, 1.0, lane, 17, 0))
            .unwrap();
    }
    assert_eq!(sink.finish().unwrap(), count);
    let size = path.metadata().unwrap().len();
    assert!(size < count, "{size} bytes");
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
