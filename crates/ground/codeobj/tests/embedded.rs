//! Code objects in the data of host programs, as GCC's offload compilers leave them.

use crate::common::{Work, compile, run};
use codeobj::container::EntryKind;
use codeobj::replace;
use codeobj::{Error, walk};
use std::time::{Duration, Instant};

/// A library of the host with `.rodata` and `.data` that begin with a byte and go on with these.
fn library(constant: &[u8], variable: &[u8]) -> Vec<u8> {
    let work = Work::new();
    work.write("constant", constant);
    work.write("variable", variable);
    let source = work.write(
        "a.s",
        b".section .rodata\n.byte 1\n.incbin \"constant\"\n.data\n.byte 1\n.incbin \"variable\"\n",
    );
    let (object, out) = (work.path("a.o"), work.path("a.so"));
    let include = format!("-I{}", work.path("").display());
    let (source, object) = (source.to_str().unwrap(), object.to_str().unwrap());
    let host = "--target=x86_64-unknown-linux-gnu";
    run("clang-22", &[host, "-c", &include, source, "-o", object]);
    run(
        "ld.lld-22",
        &["-shared", object, "-o", out.to_str().unwrap()],
    );
    std::fs::read(out).unwrap()
}

/// Without section headers.
fn stripped(library: &[u8]) -> Vec<u8> {
    let mut bytes = library.to_vec();
    bytes[40..48].fill(0);
    bytes[60..64].fill(0);
    bytes
}

#[test]
fn they_are_found_where_they_lie() {
    let objects =
        ["gfx90a", "gfx1030", "gfx1100"].map(|target| compile("kernels.hip", target, &[]));
    let two = [&objects[1][..], &[0; 13], &objects[2]].concat();
    let library = library(&objects[0], &two);
    for (bytes, constant, variable) in [
        (library.clone(), ".rodata", ".data"),
        (stripped(&library), "segment", "segment"),
    ] {
        let contents = walk(&bytes).unwrap();
        assert!(contents.problems.is_empty(), "{:?}", contents.problems);
        let found: Vec<_> = contents.code_objects().collect();
        assert_eq!(found.len(), objects.len());
        for (entry, object) in found.iter().zip(&objects) {
            assert!(entry.embedded && *entry.bytes == object[..]);
            let at = entry.file_offset.unwrap() as usize;
            assert!(bytes[at..at + object.len()] == object[..]);
        }
        let places = [
            (constant, "code object 0 at 0x1".to_owned()),
            (variable, "code object 0 at 0x1".to_owned()),
            (
                variable,
                format!("code object 1 at {:#x}", 1 + objects[1].len() + 13),
            ),
        ];
        for (entry, (part, place)) in found.iter().zip(places) {
            let [outer, inner] = &entry.path[..] else {
                panic!("{:?}", entry.path);
            };
            assert!(outer.starts_with(part), "{outer} {part}");
            // Without section headers, both lie somewhere in a segment.
            assert!(part == "segment" || *inner == place, "{inner} {place}");
        }
        assert_eq!(found[2].target().unwrap().to_string(), "gfx1100");
    }
}

#[test]
fn what_only_looks_like_one_is_none() {
    let object = compile("kernels.hip", "gfx90a", &[]);
    let with = |offset: usize, bytes: &[u8]| {
        let mut changed = object.clone();
        changed[offset..offset + bytes.len()].copy_from_slice(bytes);
        changed
    };
    let sections = u64::from_le_bytes(object[40..48].try_into().unwrap()) as usize;
    let false_ones = [
        ("the magic number alone", b"\x7fELF".to_vec()),
        ("a header alone", object[..64].to_vec()),
        ("a header without tables", {
            let mut header = object[..64].to_vec();
            header[32..48].fill(0);
            header[56..62].fill(0);
            header
        }),
        ("cut off", object[..object.len() - 1].to_vec()),
        ("32 bits", with(4, &[1])),
        ("big-endian", with(5, &[2])),
        ("another version", with(6, &[2])),
        ("another machine", with(18, &62u16.to_le_bytes())),
        ("a core file", with(16, &4u16.to_le_bytes())),
        ("a header of another size", with(52, &52u16.to_le_bytes())),
        ("rows of another size", with(54, &32u16.to_le_bytes())),
        (
            "a table that wraps around",
            with(40, &u64::MAX.to_le_bytes()),
        ),
        (
            "a section that is outside",
            with(sections + 64 + 24, &(1u64 << 40).to_le_bytes()),
        ),
        (
            "a section that wraps around",
            with(sections + 64 + 32, &u64::MAX.to_le_bytes()),
        ),
    ];
    for (what, bytes) in false_ones {
        for bytes in [library(&bytes, b""), library(b"", &bytes)] {
            let error = walk(&bytes).expect_err(what);
            assert!(
                matches!(error, Error::NotCodeObject { .. }),
                "{what}: {error}"
            );
        }
        // And a real one behind it is found.
        let both = library(&[&bytes[..], &object].concat(), b"");
        let contents = walk(&both).unwrap();
        let found: Vec<_> = contents.code_objects().collect();
        let whole = found.iter().any(|entry| *entry.bytes == object[..]);
        // (A file that is cut off continues in the bytes behind it, and its section headers may then be anywhere.)
        assert!(whole || what == "cut off", "{what}");
    }
}

/// Thousands of headers that share a table as large as can be: looking at each of them in full would take hours.
#[test]
fn headers_without_end_take_no_time() {
    const ROWS: u64 = 65_535;
    let headers = 1u64 << 16;
    let mut bytes = Vec::new();
    for index in 0..headers {
        let mut header = vec![0u8; 64];
        header[..8].copy_from_slice(b"\x7fELF\x02\x01\x01\x40");
        for (offset, value) in [(16, 3u16), (18, 224), (20, 1), (52, 64), (58, 64)] {
            header[offset..offset + 2].copy_from_slice(&value.to_le_bytes());
        }
        header[60..62].copy_from_slice(&(ROWS as u16).to_le_bytes());
        header[40..48].copy_from_slice(&((headers - index) * 64).to_le_bytes());
        bytes.extend(header);
    }
    // Rows without contents, and one at the end that lies outside.
    let mut rows = vec![0u8; ROWS as usize * 64];
    let last = rows.len() - 64;
    rows[last + 4] = 1;
    rows[last + 32..last + 40].fill(0xff);
    bytes.extend(rows);
    let library = library(&bytes, b"");
    let start = Instant::now();
    let error = walk(&library).unwrap_err().to_string();
    assert!(error.contains("looks like one but is none"), "{error}");
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn new_code_for_them_is_refused() {
    let object = compile("kernels.hip", "gfx90a", &[]);
    let mut same = |object: &[u8]| Ok::<_, Error>(object.to_vec());
    let error = replace::code_objects(&library(b"", &object), &mut same).unwrap_err();
    let error = error.to_string();
    assert!(
        error.contains("'s .data: ") && error.contains("luthier run -t"),
        "{error}"
    );
    let error = replace::code_objects(&library(b"", b"1"), &mut same).unwrap_err();
    assert!(matches!(error, Error::NotCodeObject { .. }), "{error}");
}

#[test]
fn what_gcc_compiled_is_found() {
    let asked = "-print-prog-name=accel/amdgcn-amdhsa/mkoffload";
    // A program that GCC does not find is printed as it was asked for.
    if !run("gcc", &[asked]).starts_with('/') {
        return prerequisite::skip("gcc does not offload (Debian package gcc-offload-amdgcn)");
    }
    let work = Work::new();
    let source = work.write(
        "a.c",
        b"int main(void) {\n    int n = 0;\n#pragma omp target map(tofrom: n)\n    n = 5;\n    return n;\n}\n",
    );
    let out = work.path("a");
    run(
        "gcc",
        &[
            "-O2",
            "-w",
            "-fopenmp",
            "-foffload=amdgcn-amdhsa",
            "-foffload-options=amdgcn-amdhsa=-march=gfx906",
            source.to_str().unwrap(),
            "-o",
            out.to_str().unwrap(),
        ],
    );
    let bytes = std::fs::read(&out).unwrap();
    let contents = walk(&bytes).unwrap();
    let found: Vec<_> = contents.code_objects().collect();
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].kind, found[0].embedded),
        (EntryKind::CodeObject, true)
    );
    let target = found[0].target().unwrap();
    assert_eq!(target.target.name, "gfx906");
    // It is as long as the array that GCC made, but for what the array was rounded up by.
    let symbols = run("llvm-readelf-22", &["-sW", out.to_str().unwrap()]);
    let row = symbols.lines().find(|line| line.ends_with(" gcn_code"));
    let size = row.unwrap().split_whitespace().nth(2).unwrap();
    let size: u64 = size.parse().unwrap();
    assert!(size - (found[0].bytes.len() as u64) < 8, "{size}");
    // Its kernels are those that LLVM's tools see in it.
    let object = work.write("a.co", &found[0].bytes);
    let symbols = run("llvm-readelf-22", &["-sW", object.to_str().unwrap()]);
    let names = symbols
        .lines()
        .filter_map(|line| line.split_whitespace().last());
    let mut expected: Vec<&str> = names.filter_map(|name| name.strip_suffix(".kd")).collect();
    let object = found[0].code_object().unwrap();
    let mut kernels: Vec<_> = object.kernels().unwrap().iter().map(|it| it.name).collect();
    expected.sort_unstable();
    expected.dedup();
    kernels.sort_unstable();
    assert!(kernels.iter().any(|name| name.starts_with("main._omp_fn")));
    assert_eq!(kernels, expected);
}
