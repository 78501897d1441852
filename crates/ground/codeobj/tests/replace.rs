//! Other code objects in whole files. Programs and libraries look at what is in them themselves, through the records that
//! the HIP runtime would read.

use crate::common;

use crate::common::{Work, compile, run};
use codeobj::bundle::{self, Bundle};
use codeobj::compressed::{self, Header, HeaderVersion, Method};
use codeobj::replace::{Done, Replacing};
use codeobj::{CodeObject, Error, replace, walk};

const PROGRAM: &str = "program";
const LIBRARY: &str = "library";

/// A bundle with a host entry and two code objects.
fn plain() -> Vec<u8> {
    let objects = ["gfx90a", "gfx1030"].map(|target| compile("kernels.hip", target, &[]));
    let entries = [
        ("host-x86_64-unknown-linux--", &b""[..]),
        ("hipv4-amdgcn-amd-amdhsa--gfx90a", &objects[0]),
        ("hipv4-amdgcn-amd-amdhsa--gfx1030", &objects[1]),
    ];
    bundle::write(&entries, 4096)
}

fn grown(object: &[u8]) -> Vec<u8> {
    let mut bytes = object.to_vec();
    bytes.extend((0..70_001u32).map(|number| number as u8));
    bytes
}

fn with(data: &[u8], change: fn(&[u8]) -> Vec<u8>) -> Result<Vec<u8>, Error> {
    replace::code_objects(data, &mut |object| Ok::<_, Error>(change(object)))
}

/// The output that the program of `host.c` prints for entries with these bytes.
fn expected(entries: &[Vec<u8>]) -> String {
    let lines = entries.iter().map(|bytes| {
        let sum = bytes.iter().fold(0u64, |sum, &byte| {
            sum.wrapping_mul(31).wrapping_add(byte.into())
        });
        format!("{} {sum}\n", bytes.len())
    });
    lines.collect()
}

#[test]
fn programs_and_libraries_find_what_was_put_into_them() {
    let work = Work::new();
    let plain = plain();
    let first = work.write("first.fb", &plain);
    let second = work.write("second.fb", &plain);
    let objects: Vec<Vec<u8>> = Bundle::parse(&plain).unwrap().entries[1..]
        .iter()
        .map(|entry| entry.bytes.to_vec())
        .collect();
    let names = [&first, &second].map(|path| path.display().to_string());
    let linkers = ["-fuse-ld=bfd", "-fuse-ld=/usr/bin/ld.lld-22"];
    let kinds: &[(&str, &[&str])] = &[
        (PROGRAM, &["-no-pie", "-DPROGRAM"]),
        (PROGRAM, &["-pie", "-fPIE", "-DPROGRAM"]),
        (
            PROGRAM,
            &["-pie", "-fPIE", "-DPROGRAM", "-Wl,-z,pack-relative-relocs"],
        ),
        (PROGRAM, &["-static", "-DPROGRAM"]),
        (LIBRARY, &["-shared", "-fPIC"]),
        // Older compilers write it like this: the runtime linker looks for a symbol.
        (
            LIBRARY,
            &["-shared", "-fPIC", "-DVISIBLE=\".globl fat1, fat2\\n\""],
        ),
    ];
    // A library's program.
    let loader = work.write(
        "loader.c",
        b"#include <dlfcn.h>\nint main(int c, char **v) { void *l = dlopen(v[1], RTLD_NOW); \
          return l ? ((int (*)(void))dlsym(l, \"show\"))() : 3; }\n",
    );
    let loading = work.path("loader");
    run(
        "clang-22",
        &[loader.to_str().unwrap(), "-o", loading.to_str().unwrap()],
    );
    for linker in linkers {
        for (kind, flags) in kinds {
            let out = work.path("host");
            let mut arguments = vec!["-O1", linker];
            arguments.extend(*flags);
            if !flags.iter().any(|flag| flag.contains("VISIBLE")) {
                arguments.push("-DVISIBLE=\"\"");
            }
            let paths = [
                format!("-DFIRST=\"{}\"", names[0]),
                format!("-DSECOND=\"{}\"", names[1]),
            ];
            arguments.extend(paths.iter().map(String::as_str));
            let source = common::source("host.c");
            arguments.extend([source.to_str().unwrap(), "-o", out.to_str().unwrap()]);
            run("clang-22", &arguments);
            let original = std::fs::read(&out).unwrap();
            assert!(
                with(&original, <[u8]>::to_vec).unwrap() == original,
                "{flags:?}"
            );

            let show = || match *kind {
                PROGRAM => run(out.to_str().unwrap(), &[]),
                _ => run(loading.to_str().unwrap(), &[out.to_str().unwrap()]),
            };
            // First larger, which needs a segment, then as before, which fits in its place.
            for (change, round) in [(grown as fn(&[u8]) -> Vec<u8>, 0), (cut, 1), (grown, 2)] {
                let bytes = std::fs::read(&out).unwrap();
                let changed = with(&bytes, change).unwrap();
                assert_eq!(
                    changed.len() == bytes.len(),
                    round == 1,
                    "{flags:?} {round}"
                );
                if round == 0 {
                    // By what is new, and less than a page for each object, the program headers, the end of the old place and
                    // the start of the new one.
                    let most = bytes.len() + 4 * 70_001 + 8 * 4096;
                    assert!(changed.len() < most, "{linker} {flags:?} {}", changed.len());
                }
                std::fs::write(&out, &changed).unwrap();
                let now: Vec<Vec<u8>> = match round {
                    1 => objects.clone(),
                    _ => objects.iter().map(|object| grown(object)).collect(),
                };
                let entries = [vec![Vec::new()], now.clone()].concat();
                let twice = [entries.clone(), entries].concat();
                assert_eq!(show(), expected(&twice), "{linker} {flags:?} {round}");
                // Section headers lead there too, and LLVM's reader has nothing to complain about.
                let contents = walk(&changed).unwrap();
                let found: Vec<_> = contents
                    .code_objects()
                    .map(|entry| entry.bytes.to_vec())
                    .collect();
                assert!(found == [now.clone(), now].concat(), "{flags:?}");
                run(
                    "llvm-readelf-22",
                    &["--all", "--wide", out.to_str().unwrap()],
                );
            }
        }
    }
}

/// Removes the bytes that [`grown`] added.
fn cut(object: &[u8]) -> Vec<u8> {
    object[..object.len() - 70_001].to_vec()
}

/// A caller that works on several objects at once must get several at once.
#[test]
fn bundles_that_are_not_compressed_are_handed_over_together() {
    struct Told(Vec<usize>);
    impl Replacing<Error> for Told {
        fn each(&mut self, objects: &[&[u8]], done: Done<'_, Error>) -> Result<(), Error> {
            self.0.push(objects.len());
            objects.iter().try_for_each(|object| done(&grown(object)))
        }
    }
    let plain = plain();
    let packed = compressed::pack(&plain, HeaderVersion::V2, Method::Zstd).unwrap();
    let mut row = Vec::new();
    for bundle in [&plain, &plain, &plain, &packed, &plain] {
        row.resize(usize::next_multiple_of(row.len(), 4096), 0);
        row.extend(bundle);
    }
    let (mut told, mut out) = (Told(Vec::new()), Vec::new());
    replace::stream(&row, &mut out, &mut told).unwrap();
    assert_eq!(told.0, [6, 2, 2]);
    assert!(out == with(&row, grown).unwrap());
    let found = walk(&out).unwrap();
    let expected = walk(&row).unwrap();
    let expected: Vec<_> = expected
        .code_objects()
        .map(|entry| grown(&entry.bytes))
        .collect();
    let found: Vec<_> = found
        .code_objects()
        .map(|entry| entry.bytes.to_vec())
        .collect();
    assert!(found == expected);
}

#[test]
fn compressed_bundles_stay_compressed() {
    let plain = plain();
    let mut row = Vec::new();
    for method in [Method::Zlib, Method::Zstd] {
        for version in [HeaderVersion::V1, HeaderVersion::V2, HeaderVersion::V3] {
            let packed = compressed::pack(&plain, version, method).unwrap();
            assert!(with(&packed, <[u8]>::to_vec).unwrap() == packed);
            let changed = with(&packed, grown).unwrap();
            let header = Header::parse(&changed).unwrap();
            assert_eq!((header.version, header.method), (version, method));
            let (unpacked, _) = compressed::unpack(&changed).unwrap();
            assert!(unpacked == with(&plain, grown).unwrap());
            row.resize(usize::next_multiple_of(row.len(), 4096), 0);
            row.extend(packed);
        }
    }
    // Several in a row, only the second kind of object changed.
    let only_second = |object: &[u8]| match CodeObject::parse(object).unwrap().target().to_string()
    {
        target if target == "gfx1030" => grown(object),
        _ => object.to_vec(),
    };
    let changed = with(&row, only_second).unwrap();
    let contents = walk(&changed).unwrap();
    let sizes: Vec<_> = contents
        .code_objects()
        .map(|entry| entry.bytes.len())
        .collect();
    let before = walk(&plain).unwrap();
    let before: Vec<_> = before
        .code_objects()
        .map(|entry| entry.bytes.len())
        .collect();
    assert_eq!(sizes, [before[0], before[1] + 70_001].repeat(6));
}

#[test]
fn what_cannot_be_rewritten_says_why() {
    let work = Work::new();
    let archive = work.path("a.a");
    let member = work.write("m.o", b"no code");
    run(
        "llvm-ar-22",
        &["rc", archive.to_str().unwrap(), member.to_str().unwrap()],
    );
    let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    let mut stripped = program.clone();
    stripped[40..48].fill(0);
    stripped[60..64].fill(0);
    let relocatable = {
        let mut bytes = program.clone();
        bytes[16..18].copy_from_slice(&1u16.to_le_bytes());
        bytes
    };
    for (bytes, reason) in [
        (
            std::fs::read(archive).unwrap(),
            "it is an archive; link it first",
        ),
        (b"!<thin>\n".to_vec(), "it is an archive; link it first"),
        (b"BC\xc0\xde".to_vec(), "it is LLVM bitcode; link it first"),
        (b"text".to_vec(), "it is no ELF file or offload bundle"),
        (program, "no .hip_fatbin section"),
        (stripped, "section headers are stripped"),
        (relocatable, "it is relocatable; link it first"),
    ] {
        let error = with(&bytes, grown).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    let error = replace::code_objects(&plain(), &mut |_| {
        Err::<Vec<u8>, _>(Error::NotCodeObject { reason: "mine" })
    });
    assert_eq!(error.unwrap_err(), Error::NotCodeObject { reason: "mine" });
}
