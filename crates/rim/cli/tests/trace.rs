//! Traces for simulators: counts against those of a tool that is inserted into the kernel, addresses against the source.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::common::{compile, hip, luthier};

const LAUNCH: [&str; 12] = [
    "-k", "moves", "--block", "64", "--lds", "256", "--arg", "zero:256", "--arg", "zero:256",
    "--arg", "u32:0",
];

fn object(target: &str) -> PathBuf {
    let target = format!("-mcpu={target}");
    compile(
        "clang-22",
        "traced.cl",
        &["-target", "amdgcn-amd-amdhsa", &target, "-nogpulib", "-O2"],
    )
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Status and what was said.
fn said(arguments: &[&str]) -> (Option<i32>, String) {
    let output = luthier(arguments).output().unwrap();
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

fn trace(object: &Path, options: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let words = ["trace", text(object), "-o", text(folder.path())];
    let (status, stderr) = said(&[&words[..], options].concat());
    assert_eq!(status, Some(0), "{stderr}");
    folder
}

/// Instructions that waves execute, as `instr-count` counts them.
fn counted(object: &Path, grid: &str) -> u64 {
    let words = ["emulate", text(object), "-t", "instr-count", "--grid", grid];
    let output = luthier(&[&words[..], &LAUNCH].concat()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let lines = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    let row = lines
        .lines()
        .find(|line| line.ends_with(" moves") && line.starts_with("  "));
    let row = row.unwrap_or_else(|| panic!("{lines}"));
    row.split_whitespace().next().unwrap().parse().unwrap()
}

fn lines(folder: &Path) -> Vec<Value> {
    let name = fs::read_dir(folder)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let lines = fs::read_to_string(name).unwrap();
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn lines_are_what_a_tool_counts_and_addresses_what_the_source_says() {
    for target in ["gfx90a", "gfx1030", "gfx1100", "gfx1201"] {
        let object = object(target);
        let folder = trace(&object, &[&["--grid", "3"], &LAUNCH[..]].concat());
        let lines = lines(folder.path());
        assert_eq!(lines[0]["kernel"], "moves");
        assert_eq!(lines[0]["grid"], serde_json::json!([3, 1, 1]));
        assert_eq!(lines.len() as u64 - 1, counted(&object, "3"), "{target}");
        // The addresses that each lane of the first workgroup loads from and stores to.
        let addresses = |space: &str, what: &str| -> Vec<u64> {
            let of = lines[1..].iter().filter(|line| {
                line["access"]["space"] == space
                    && line["access"][what] == true
                    && line["workgroup"][0] == 0
            });
            let lists = of.map(|line| line["access"]["addresses"].as_array().unwrap());
            // Waves take turns.
            let addresses = lists.flatten().map(|address| address.as_u64().unwrap());
            let mut addresses: Vec<u64> = addresses.collect();
            addresses.sort_unstable();
            addresses
        };
        let from = addresses("global", "load");
        let to = addresses("global", "store");
        assert_eq!((from.len(), to.len()), (64, 48), "{target}");
        assert!(
            from.iter()
                .enumerate()
                .all(|(lane, at)| *at == from[0] + 4 * lane as u64),
            "{target}"
        );
        assert!(
            to.iter()
                .enumerate()
                .all(|(lane, at)| *at == to[0] + 4 * lane as u64),
            "{target}"
        );
        let written: Vec<u64> = (0..64).map(|lane| 4 * lane).collect();
        assert_eq!(addresses("lds", "store"), written, "{target}");
        let read = addresses("lds", "load");
        // The compiler may load in the lanes that store only.
        assert!(read.ends_with(&written[16..]), "{target}: {read:?}");
    }
}

/// The fields of the head of a trace.
type Head = BTreeMap<String, String>;
/// The lines of each warp, by workgroup and number.
type Warps = BTreeMap<(String, u32), Vec<String>>;

/// Reads a kernel's trace as Accel-Sim does: fields of the head, then by workgroup and warp the lines.
fn read(path: &Path) -> (Head, Warps) {
    let text = fs::read_to_string(path).unwrap();
    let (mut head, mut warps) = (BTreeMap::new(), BTreeMap::new());
    let (mut block, mut key, mut left) = (None, None, 0);
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Some(field) = line.strip_prefix('-') {
            let (name, value) = field.split_once(" = ").unwrap();
            head.insert(name.to_owned(), value.to_owned());
        } else if line == "#BEGIN_TB" || line == "#END_TB" {
            assert_eq!(left, 0, "{line}");
        } else if let Some(place) = line.strip_prefix("thread block = ") {
            block = Some(place.to_owned());
        } else if let Some(number) = line.strip_prefix("warp = ") {
            assert_eq!(left, 0);
            key = Some((block.clone().unwrap(), number.parse().unwrap()));
        } else if let Some(count) = line.strip_prefix("insts = ") {
            left = count.parse().unwrap();
            warps.insert(key.clone().unwrap(), Vec::new());
        } else if !line.starts_with('#') {
            left -= 1;
            warps
                .get_mut(key.as_ref().unwrap())
                .unwrap()
                .push(line.to_owned());
        }
    }
    assert_eq!(left, 0);
    (head, warps)
}

/// Name, mask and addresses of a line: `PC mask dest_num [dests] opcode src_num [srcs] width [compression addresses]`.
fn parts(line: &str) -> (String, u32, Vec<u64>) {
    let mut words = line.split(' ');
    let mut next = || words.next().unwrap_or_else(|| panic!("{line}")).to_owned();
    u64::from_str_radix(&next(), 16).unwrap();
    let mask = u32::from_str_radix(&next(), 16).unwrap();
    let registers = |most: usize, next: &mut dyn FnMut() -> String| {
        let count: usize = next().parse().unwrap();
        assert!(count <= most, "{line}");
        for _ in 0..count {
            next().strip_prefix('R').unwrap().parse::<u32>().unwrap();
        }
    };
    registers(1, &mut next);
    let name = next();
    registers(4, &mut next);
    let mut addresses = Vec::new();
    if next() != "0" {
        assert_eq!(next(), "0", "all addresses are listed: {line}");
        for _ in 0..mask.count_ones() {
            addresses.push(u64::from_str_radix(next().strip_prefix("0x").unwrap(), 16).unwrap());
        }
    }
    assert_eq!(words.next(), None, "{line}");
    (name, mask, addresses)
}

#[test]
fn traces_for_accel_sim_have_its_form() {
    for (target, names) in [("gfx90a", 2), ("gfx1100", 2)] {
        let object = object(target);
        let folder = trace(
            &object,
            &[&["--grid", "2", "--as", "accel-sim"], &LAUNCH[..]].concat(),
        );
        let list = fs::read_to_string(folder.path().join("kernelslist.g")).unwrap();
        assert_eq!(list, "kernel-1.traceg\n");
        let (head, warps) = read(&folder.path().join("kernel-1.traceg"));
        assert_eq!(head["kernel name"], "moves");
        assert_eq!(
            (&*head["grid dim"], &*head["block dim"]),
            ("(2,1,1)", "(64,1,1)")
        );
        assert_eq!(head["shmem"], "256");
        // Two warps of 32 lanes for each workgroup, whatever the size of a wave.
        assert_eq!(warps.len(), 2 * names, "{target}");
        for number in 0..2 {
            let lines = &warps[&("0,0,0".to_owned(), number)];
            let lines: Vec<_> = lines.iter().map(|line| parts(line)).collect();
            let of = |name: &str| {
                lines
                    .iter()
                    .filter(|line| line.0.starts_with(name))
                    .collect::<Vec<_>>()
            };
            let stored = of("STS");
            let lanes: Vec<u64> = (0..32)
                .map(|lane| 4 * (lane + 32 * u64::from(number)))
                .collect();
            assert_eq!(stored[0].2, lanes, "{target}");
            let lanes_that_store = if number == 0 { u32::MAX } else { 0xffff };
            assert_eq!(of("STG")[0].1, lanes_that_store, "{target}");
            assert_eq!((of("BAR").len(), of("EXIT").len()), (1, 1), "{target}");
            assert!(!of("FADD").is_empty() || !of("FMUL").is_empty(), "{target}");
        }
    }
}

#[test]
fn what_cannot_be_traced_is_refused() {
    let object = object("gfx90a");
    let folder = tempfile::tempdir().unwrap();
    let out = text(folder.path());
    let cases: &[(&[&str], &str)] = &[
        (&[], "which kernel? name it with -k"),
        (&["-k", "absent"], "absent"),
        (&["--limit", "x"], "--limit"),
        (
            &[text(&object), "-k", "moves"],
            "a code object has to be the only FILE",
        ),
    ];
    for (options, expected) in cases {
        let words = ["trace", text(&object), "-o", out];
        let (status, stderr) = said(&[&words[..], options].concat());
        assert_eq!(status, Some(2), "{options:?}: {stderr}");
        assert!(stderr.contains(expected), "{options:?}: {stderr}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// The lines leave its addresses out.
#[test]
fn an_address_that_a_descriptor_decides_on_is_not_made_up() {
    let options = [
        "-target",
        "amdgcn-amd-amdhsa",
        "-mcpu=gfx90a",
        "-nogpulib",
        "-DSTRUCTURED",
    ];
    let object = compile("clang-22", "traced.cl", &options);
    let launch = ["-k", "structured", "--block", "64", "--arg", "zero:256"];
    let folder = trace(&object, &launch);
    let lines = lines(folder.path());
    let mut loads = lines.iter().filter(|line| {
        let text = line["text"].as_str().unwrap_or_default();
        text.starts_with("buffer_load")
    });
    let load = loads.next().unwrap();
    assert_eq!(load["access"]["space"], "global");
    assert!(load["access"].get("addresses").is_none(), "{load}");
    let out = tempfile::tempdir().unwrap();
    let words = ["trace", text(&object), "--as", "accel-sim", "-o"];
    let (status, stderr) = said(&[&words[..], &[text(out.path())], &launch].concat());
    assert_eq!(status, Some(2), "{stderr}");
    assert!(
        stderr.contains("the address of buffer_load_dword at 0x"),
        "{stderr}"
    );
    assert_eq!(fs::read_dir(out.path()).unwrap().count(), 0);
}

#[test]
fn a_recorded_launch_is_traced() {
    let program = hip("launch.hip");
    let folder = tempfile::tempdir().unwrap();
    let records = folder.path().join("records");
    let words = [
        "run",
        "--device",
        "gfx90a",
        "--record",
        text(&records),
        "--",
        text(&program),
    ];
    let (_, stderr) = said(&words);
    let recorded = fs::read_dir(&records).unwrap_or_else(|error| panic!("{error}: {stderr}"));
    let recorded: Vec<PathBuf> = recorded.map(|entry| entry.unwrap().path()).collect();
    let recorded: Vec<&PathBuf> = recorded
        .iter()
        .filter(|path| path.extension().is_some_and(|end| end == "dispatch"))
        .collect();
    assert!(!recorded.is_empty());
    let out = folder.path().join("traces");
    let mut words = vec!["trace", "--as", "accel-sim", "-o", text(&out)];
    words.extend(recorded.iter().map(|path| text(path)));
    let (status, stderr) = said(&words);
    assert_eq!(status, Some(0), "{stderr}");
    let list = fs::read_to_string(out.join("kernelslist.g")).unwrap();
    assert_eq!(list.lines().count(), recorded.len());
    for (name, record) in list.lines().zip(&recorded) {
        let (head, warps) = read(&out.join(name));
        // One warp of a workgroup of up to 32 work-items has all of its instructions.
        assert!(!warps.is_empty(), "{record:?} {head:?}");
    }
    // It says all of that itself.
    let tracing = ["trace", "-o", text(&out), text(recorded[0])];
    let comparing = ["verify", "-t", "instr-count", text(recorded[0])];
    for (given, named) in [
        (&["-k", "x"][..], "-k"),
        (&["--target", "gfx90a"], "--target"),
        (&["--object", "1"], "--object"),
        (&["--grid", "1"], "--grid"),
        (&["--block", "64", "--lds", "0"], "--block, --lds"),
        (&["--arg", "i32:1"], "--arg"),
    ] {
        for command in [&tracing[..], &comparing] {
            let (status, stderr) = said(&[command, given].concat());
            let expected = format!("leave {named} out");
            assert!(
                status == Some(2) && stderr.contains(&expected),
                "{command:?} {given:?}: {stderr}"
            );
        }
    }
}

/// A launch that a trap stops has no trace, and neither has a damaged recording. The others that are named have theirs.
#[test]
fn a_launch_without_a_trace_leaves_the_others_theirs() {
    let folder = tempfile::tempdir().unwrap();
    let record = |program: &str| {
        let records = folder.path().join(program);
        let program = hip(program);
        let words = ["run", "--device", "gfx90a", "--record", text(&records)];
        said(&[&words[..], &["--", text(&program)]].concat());
        let files = fs::read_dir(&records).unwrap();
        let mut files = files.map(|entry| entry.unwrap().path());
        let is_launch = |path: &PathBuf| path.extension().is_some_and(|end| end == "dispatch");
        files.find(is_launch).unwrap()
    };
    let (stops, launch) = (record("stops.hip"), record("launch.hip"));
    let whole = fs::read(&launch).unwrap();
    let damaged = folder.path().join("damaged.dispatch");
    fs::write(&damaged, &whole[..whole.len() / 2]).unwrap();
    let out = folder.path().join("traces");
    let words = [
        "trace",
        "--as",
        "accel-sim",
        "-o",
        text(&out),
        text(&stops),
        text(&launch),
        text(&damaged),
        text(&launch),
    ];
    let (status, stderr) = said(&words);
    for reason in [
        "stopped: trap 2\n  at pc 0x",
        "damaged.dispatch is damaged: ",
    ] {
        assert!(status == Some(2) && stderr.contains(reason), "{stderr}");
    }
    let list = fs::read_to_string(out.join("kernelslist.g")).unwrap();
    let traces = ["kernel-2.traceg", "kernel-4.traceg"];
    assert_eq!(list.lines().collect::<Vec<_>>(), traces, "{stderr}");
    for trace in traces {
        assert!(!read(&out.join(trace)).1.is_empty());
    }
}

/// Several lines say where a kernel was stopped, whichever command ran it.
#[test]
fn a_stopped_kernels_place_is_told_in_lines() {
    let folder = tempfile::tempdir().unwrap();
    let program = hip("stops.hip");
    let kernel = ["-k", "_Z5stopsv", "--grid", "64", text(&program)];
    let trace = ["trace", "-o", text(folder.path())];
    for command in [&trace[..], &["emulate"], &["emulate", "-t", "instr-count"]] {
        let (status, stderr) = said(&[command, &kernel].concat());
        let lines: Vec<&str> = stderr.lines().collect();
        let first = lines.iter().position(|line| line.contains(" stopped: "));
        let first = first.unwrap_or_else(|| panic!("{command:?}: {stderr}"));
        assert!(
            lines[first].ends_with(" on gfx90a stopped: trap 2"),
            "{stderr}"
        );
        assert!(lines[first + 1].starts_with("  at pc 0x"), "{stderr}");
        assert_eq!(status, Some(2), "{stderr}");
    }
}
