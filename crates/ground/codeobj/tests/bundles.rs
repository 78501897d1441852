//! Offload bundles as clang and its tools write them.

use crate::common::{Work, compile, run};
use codeobj::compressed::{Header, HeaderVersion, Method};
use codeobj::container::{EntryKind, fat_binary_wrappers};
use codeobj::elf::Elf;
use codeobj::{CodeObject, bundle, compressed, walk};

const TARGETS: [&str; 2] = ["gfx90a", "gfx1030"];

/// The two code objects and a bundle of them by clang-offload-bundler, with further options.
fn bundled(options: &[&str], version: &str) -> ([Vec<u8>; 2], Vec<u8>) {
    let work = Work::new();
    let objects = TARGETS.map(|target| compile("kernels.hip", target, &[]));
    let inputs = [
        work.write("0.co", &objects[0]),
        work.write("1.co", &objects[1]),
    ];
    let out = work.path("out.fb");
    let mut arguments = vec![
        "-type=o".to_owned(),
        "-bundle-align=4096".to_owned(),
        "-targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx90a,hipv4-amdgcn-amd-amdhsa--gfx1030".to_owned(),
        "-input=/dev/null".to_owned(),
        format!("-input={}", inputs[0].display()),
        format!("-input={}", inputs[1].display()),
        format!("-output={}", out.display()),
    ];
    arguments.extend(options.iter().map(|option| (*option).to_owned()));
    let status = std::process::Command::new("clang-offload-bundler-22")
        .args(&arguments)
        .env("COMPRESSED_BUNDLE_FORMAT_VERSION", version)
        .status()
        .expect("clang-offload-bundler-22 (package clang-tools-22)");
    assert!(status.success());
    (objects, std::fs::read(out).unwrap())
}

fn code_objects<'a>(contents: &'a codeobj::container::Contents<'_>) -> Vec<(&'a str, &'a [u8])> {
    contents
        .code_objects()
        .map(|entry| (entry.id.as_str(), &*entry.bytes))
        .collect()
}

#[test]
fn plain_bundle_yields_its_entries_at_their_offsets() {
    let (objects, bytes) = bundled(&[], "3");
    let contents = walk(&bytes).unwrap();
    assert_eq!(contents.entries.len(), 3);
    assert_eq!(contents.entries[0].kind, EntryKind::Other);
    for (entry, (object, target)) in contents.code_objects().zip(objects.iter().zip(TARGETS)) {
        let at = entry.file_offset.unwrap() as usize;
        assert_eq!(&bytes[at..at + object.len()], object);
        assert_eq!(entry.target().unwrap().to_string(), target);
        assert_eq!(entry.id, format!("hipv4-amdgcn-amd-amdhsa--{target}"));
    }
}

#[test]
fn what_we_write_is_what_clang_writes() {
    let (_, bytes) = bundled(&[], "3");
    let parsed = bundle::Bundle::parse(&bytes).unwrap();
    let entries: Vec<_> = parsed
        .entries
        .iter()
        .map(|entry| (entry.id, entry.bytes))
        .collect();
    assert!(bundle::write(&entries, 4096) == bytes);
}

#[test]
fn one_entry_is_replaced_and_clang_sees_it() {
    let (objects, bytes) = bundled(&[], "3");
    let longer = [&objects[1][..], &[0; 5000]].concat();
    let id = "hipv4-amdgcn-amd-amdhsa--gfx90a";
    let replaced = bundle::replace_entry(&bytes, id, &longer, 4096).unwrap();
    let work = Work::new();
    let input = work.write("in.fb", &replaced);
    for (target, expected) in [("gfx90a", &longer), ("gfx1030", &objects[1])] {
        let out = work.path("out.co");
        let arguments = [
            "-type=o".to_owned(),
            "-unbundle".to_owned(),
            format!("-targets=hipv4-amdgcn-amd-amdhsa--{target}"),
            format!("-input={}", input.display()),
            format!("-output={}", out.display()),
        ];
        run(
            "clang-offload-bundler-22",
            &arguments.each_ref().map(String::as_str),
        );
        assert!(std::fs::read(&out).unwrap() == *expected, "{target}");
    }
    let error = bundle::replace_entry(&bytes, "gfx906", &longer, 4096).unwrap_err();
    assert!(error.to_string().contains("gfx1030"), "{error}");
}

#[test]
fn compressed_bundles_of_all_versions_unpack() {
    let (objects, plain) = bundled(&[], "3");
    // Clang 22 no longer writes version 1; the test below has it read a bundle of this crate.
    for (number, version) in [("2", HeaderVersion::V2), ("3", HeaderVersion::V3)] {
        let (_, bytes) = bundled(&["-compress"], number);
        let header = Header::parse(&bytes).unwrap();
        assert_eq!((header.version, header.method), (version, Method::Zstd));
        let (unpacked, consumed) = compressed::unpack(&bytes).unwrap();
        assert!(unpacked == plain);
        assert_eq!(consumed, bytes.len() as u64);
        let contents = walk(&bytes).unwrap();
        assert_eq!(contents.code_objects().count(), 2);
        assert!(
            contents
                .code_objects()
                .zip(&objects)
                .all(|(entry, object)| *entry.bytes == *object)
        );
        // Our own packing has the same header but for the packed size.
        let ours = compressed::pack(&plain, version, Method::Zstd).unwrap();
        assert_eq!(Header::parse(&ours).unwrap().hash, header.hash);
    }
}

#[test]
fn clang_unpacks_what_we_pack() {
    let (objects, plain) = bundled(&[], "3");
    let work = Work::new();
    for method in [Method::Zlib, Method::Zstd] {
        for version in [HeaderVersion::V1, HeaderVersion::V2, HeaderVersion::V3] {
            let input = work.write("in.fb", &compressed::pack(&plain, version, method).unwrap());
            let out = work.path("out.co");
            let arguments = [
                "-type=o".to_owned(),
                "-unbundle".to_owned(),
                "-targets=hipv4-amdgcn-amd-amdhsa--gfx1030".to_owned(),
                format!("-input={}", input.display()),
                format!("-output={}", out.display()),
            ];
            run(
                "clang-offload-bundler-22",
                &arguments.each_ref().map(String::as_str),
            );
            assert!(
                std::fs::read(&out).unwrap() == objects[1],
                "{version:?} {method:?}"
            );
        }
    }
}

#[test]
fn bundles_in_a_row_nested_and_in_archives_are_found() {
    let (objects, plain) = bundled(&[], "3");
    let packed = [HeaderVersion::V1, HeaderVersion::V2, HeaderVersion::V3]
        .map(|version| compressed::pack(&plain, version, Method::Zlib).unwrap());
    // Linkers leave them like this: each at the next page.
    let mut row = Vec::new();
    for part in [&plain, &packed[0], &packed[1], &plain, &packed[2]] {
        row.resize(row.len().next_multiple_of(4096), 0);
        row.extend(part);
    }
    let contents = walk(&row).unwrap();
    assert!(contents.problems.is_empty(), "{:?}", contents.problems);
    assert_eq!(contents.code_objects().count(), 10);

    let nested = bundle::write(
        &[
            ("host-x86_64", b""),
            ("hip-amdgcn-amd-amdhsa--gfx90a", &packed[1]),
        ],
        8,
    );
    let contents = walk(&nested).unwrap();
    assert_eq!(contents.code_objects().count(), 2);

    let work = Work::new();
    let member = work.write("m.fb", &plain);
    let object = work.write("n.co", &objects[0]);
    let archive = work.path("a.a");
    run(
        "llvm-ar-22",
        &[
            "rc",
            archive.to_str().unwrap(),
            member.to_str().unwrap(),
            object.to_str().unwrap(),
        ],
    );
    let bytes = std::fs::read(archive).unwrap();
    let contents = walk(&bytes).unwrap();
    assert_eq!(contents.code_objects().count(), 3);
    for entry in contents.code_objects() {
        let at = entry.file_offset.unwrap() as usize;
        assert!(
            *entry.bytes == bytes[at..at + entry.bytes.len()],
            "{:?}",
            entry.path
        );
    }
}

#[test]
fn one_damaged_bundle_does_not_hide_the_others() {
    let (_, plain) = bundled(&[], "3");
    let mut bytes = compressed::pack(&plain, HeaderVersion::V3, Method::Zstd).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 40].fill(0x55);
    bytes.resize(bytes.len().next_multiple_of(4096), 0);
    bytes.extend(&plain);
    let contents = walk(&bytes).unwrap();
    assert_eq!(
        (contents.code_objects().count(), contents.problems.len()),
        (2, 1)
    );
}

/// The bundle of two small entries, the second under a GPU's id.
fn small(device: &[u8]) -> Vec<u8> {
    let ids = [
        "host-x86_64-unknown-linux-gnu-",
        "hipv4-amdgcn-amd-amdhsa--gfx90a",
    ];
    bundle::write(&[(ids[0], b"".as_slice()), (ids[1], device)], 4096)
}

#[test]
fn a_file_for_another_machine_under_a_gpus_id_is_a_problem() {
    let mut foreign = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    foreign.truncate(4096);
    // AArch64
    foreign[18..20].copy_from_slice(&183u16.to_le_bytes());
    let bytes = small(&foreign);
    let contents = walk(&bytes).unwrap();
    assert_eq!(contents.problems.len(), 1, "{:?}", contents.problems);
    let said = format!("{:?}", contents.problems);
    assert!(said.contains("an ELF file for another machine"), "{said}");
}

#[test]
fn offsets_in_errors_of_bundles_are_those_of_the_file() {
    let first = small(b"no code");
    let start = first.len().next_multiple_of(4096);
    let mut plain = small(b"no code");
    plain[24..32].fill(0xff);
    let mut packed = compressed::pack(&first, HeaderVersion::V3, Method::Zstd).unwrap();
    packed[6..8].fill(0xff);
    for (damaged, inside) in [(plain, 24), (packed, 6)] {
        let mut bytes = first.clone();
        bytes.resize(start, 0);
        bytes.extend(damaged);
        let contents = walk(&bytes).unwrap();
        assert_eq!(contents.problems.len(), 1, "{:?}", contents.problems);
        let error = format!("{:?}", contents.problems);
        let offset = format!("offset: {}", start + inside);
        assert!(error.contains(&offset), "{offset}: {error}");
    }
}

#[test]
fn executables_and_libraries_are_searched() {
    let work = Work::new();
    let (objects, plain) = bundled(&[], "3");
    work.write("d.fb", &plain);
    // The same assembly as clang emits for the host side of two translation units.
    let assembly = format!(
        ".section .hip_fatbin,\"a\",@progbits\n.p2align 12\nfat1: .incbin \"{0}\"\n.p2align 12\nfat2: .incbin \"{0}\"\n\
         .section .hipFatBinSegment,\"aw\",@progbits\n.long 0x48495046, 1\n.quad fat1, 0\n.long 0x48495046, 1\n.quad fat2, 0\n\
         .text\n.globl _start\n_start: ret\n.section .note.GNU-stack,\"\",@progbits\n",
        work.path("d.fb").display()
    );
    let input = work.write("h.s", assembly.as_bytes());
    for flags in [&["-no-pie"][..], &["-pie"], &["-shared"]] {
        let out = work.path("host");
        let mut arguments = vec![
            "-nostdlib",
            "-fuse-ld=/usr/bin/ld.lld-22",
            input.to_str().unwrap(),
        ];
        arguments.extend(flags);
        arguments.extend(["-o", out.to_str().unwrap()]);
        run("clang-22", &arguments);
        let mut bytes = std::fs::read(&out).unwrap();
        let contents = walk(&bytes).unwrap();
        let found = code_objects(&contents);
        assert_eq!(found.len(), 4, "{flags:?}");
        assert!(found[3].1 == objects[1] && contents.entries[5].path[0] == ".hip_fatbin");
        let wrappers = fat_binary_wrappers(&Elf::parse(&bytes).unwrap()).unwrap();
        assert_eq!(wrappers.len(), 2);
        for wrapper in wrappers {
            let at = wrapper.file_offset.unwrap() as usize;
            assert!(bytes[at..].starts_with(bundle::MAGIC), "{flags:?}");
        }
        // Section headers gone: e_shoff, e_shnum, e_shstrndx.
        bytes[40..48].fill(0);
        bytes[60..64].fill(0);
        assert_eq!(walk(&bytes).unwrap().code_objects().count(), 4);
    }
}

#[test]
fn offload_binaries_of_the_new_driver_are_read() {
    let work = Work::new();
    let objects = TARGETS.map(|target| compile("kernels.hip", target, &[]));
    let images: Vec<_> = objects
        .iter()
        .zip(TARGETS)
        .map(|(object, target)| {
            let path = work.write(&format!("{target}.co"), object);
            format!(
                "--image=file={},triple=amdgcn-amd-amdhsa,arch={target},kind=hip",
                path.display()
            )
        })
        .collect();
    let out = work.path("out.bin");
    run(
        "llvm-offload-binary-22",
        &[&images[0], &images[1], "-o", out.to_str().unwrap()],
    );
    let bytes = std::fs::read(out).unwrap();
    let contents = walk(&bytes).unwrap();
    let found = code_objects(&contents);
    assert_eq!(found.len(), 2);
    for ((id, bytes), (object, target)) in found.iter().zip(objects.iter().zip(TARGETS)) {
        assert_eq!(*id, format!("amdgcn-amd-amdhsa--{target}"));
        assert!(bytes == object);
    }
}

#[test]
fn a_device_gets_its_code_or_a_refusal_that_helps() {
    let (objects, plain) = bundled(&[], "3");
    let contents = walk(&plain).unwrap();
    let device = |text| codeobj::TargetId::parse(text).unwrap();
    let chosen = contents.select(&device("gfx90a:sramecc+:xnack-")).unwrap();
    assert!(*chosen.bytes == objects[0]);
    let error = contents.select(&device("gfx906")).unwrap_err().to_string();
    assert!(
        error.starts_with("has gfx90a, gfx1030; the device is gfx906: rebuild"),
        "{error}"
    );
}

#[test]
fn embedded_bitcode_is_accessible() {
    let bytes = compile("kernels.hip", "gfx90a", &["-Xclang", "-fembed-bitcode=all"]);
    let object = CodeObject::parse(&bytes).unwrap();
    assert!(
        object
            .embedded_bitcode()
            .unwrap()
            .starts_with(b"BC\xc0\xde")
    );
    assert!(!object.embedded_command_line().unwrap().is_empty());
}

#[test]
fn files_without_device_code_say_so() {
    let error = walk(b"#!/bin/sh\n").unwrap_err().to_string();
    assert!(error.contains("no ELF file"), "{error}");
    let host = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    let error = walk(&host).unwrap_err().to_string();
    assert!(error.contains(".hip_fatbin"), "{error}");
}
