//! Files that are larger than memory is to be, and code for devices that there are no tools for.

use std::{
    fs,
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{Command, ExitStatus},
};

use crate::common::{code_object, compile, luthier};
use codeobj::{
    bundle,
    compressed::{self, HeaderVersion, Method},
};

fn object(target: &str) -> Vec<u8> {
    let target = format!("-mcpu={target}");
    let flags = ["--target=amdgcn-amd-amdhsa", &target, "-nogpulib", "-O1"];
    fs::read(compile("clang-22", "alike.cl", &flags)).unwrap()
}

fn bundled(objects: &[(&str, &[u8])]) -> Vec<u8> {
    let ids = objects.iter();
    let ids: Vec<String> = ids
        .map(|(target, _)| format!("hipv4-amdgcn-amd-amdhsa--{target}"))
        .collect();
    let entries = ids.iter().zip(objects);
    let entries: Vec<(&str, &[u8])> = entries
        .map(|(id, (_, bytes))| (id.as_str(), *bytes))
        .collect();
    bundle::write(&entries, 4096)
}

/// Runs `command`: its status, what it said, and its peak of memory in bytes.
fn measured(mut command: Command, folder: &Path) -> (ExitStatus, String, u64) {
    let path = folder.join("said");
    let said = fs::File::create(&path).unwrap();
    command.stdout(said.try_clone().unwrap()).stderr(said);
    let mut child = command.spawn().unwrap();
    let id = child.id() as i32;
    let mut status = 0;
    // SAFETY: the structure is plain data that the call fills in, about a child of this test that it has not waited for.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        assert_eq!(libc::wait4(id, &raw mut status, 0, &raw mut usage), id);
        usage
    };
    // There is nothing to wait for any more.
    let _ = child.wait();
    let said = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
    (
        ExitStatus::from_raw(status),
        said,
        usage.ru_maxrss as u64 * 1024,
    )
}

/// Compressed bundles that unpack to 512 MiB, and as much again when they have been instrumented.
#[test]
fn memory_does_not_grow_with_the_file() {
    const BUNDLES: usize = 32;
    const UNPACKED: usize = 16 << 20;
    const MOST: u64 = 256 << 20;
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in"), folder.path().join("out"));
    let mut object = object("gfx90a");
    object.resize(UNPACKED, 0);
    let plain = bundled(&[("gfx90a", &object)]);
    let packed = compressed::pack(&plain, HeaderVersion::V2, Method::Zstd).unwrap();
    let mut row = Vec::new();
    for _ in 0..BUNDLES {
        row.resize(row.len().next_multiple_of(4096), 0);
        row.extend(&packed);
    }
    fs::write(&input, &row).unwrap();
    for options in [&[][..], &["--format", "json"]] {
        let mut command = luthier(&["inspect"]);
        command.args(options).arg(&input);
        let (status, said, peak) = measured(command, folder.path());
        assert!(status.success(), "{said}");
        assert_eq!(said.matches("compressed bundle ").count(), BUNDLES);
        assert!(peak < MOST, "{options:?}: {peak} bytes");
    }
    let mut command = luthier(&["instrument", "-t", "bb-count", "-o"]);
    command.arg(&output).arg(&input);
    let (status, said, peak) = measured(command, folder.path());
    assert!(status.success(), "{said}");
    let summary = format!("{BUNDLES} kernels, {BUNDLES} instrumented");
    assert!(said.contains(&summary), "{said}");
    assert!(peak < MOST, "instrument: {peak} bytes");
    // A compressed input gives a compressed output.
    let size = fs::metadata(&output).unwrap().len();
    assert!(size < 4 << 20, "{size} bytes");
    let contents = fs::read(&output).unwrap();
    let mut found = 0;
    codeobj::each(&contents, &mut |part| {
        if let codeobj::Found::Entry(entry) = part {
            found += 1;
            assert_eq!(entry.file_offset, None);
            assert_ne!(*entry.bytes, object);
        }
    });
    assert_eq!(found, BUNDLES);
}

#[test]
fn what_there_are_no_tools_for_is_named_once_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in"), folder.path().join("out"));
    let objects = ["gfx90a", "gfx803", "gfx1250"].map(|target| (target, object(target)));
    // LLVM has no gfx940 any more: the number in the header of gfx90a, which is in the lowest byte of e_flags, made gfx940's.
    let mut gfx940 = objects[0].1.clone();
    gfx940[48] = 0x40;
    let mut entries: Vec<(&str, &[u8])> = objects
        .iter()
        .map(|(target, bytes)| (*target, &bytes[..]))
        .collect();
    entries.push(("gfx940", &gfx940));
    let one = bundled(&entries);
    let mut two = one.clone();
    two.resize(two.len().next_multiple_of(4096), 0);
    two.extend(&one);
    fs::write(&input, &two).unwrap();
    let mut command = luthier(&["instrument", "-t", "instr-count", "-o"]);
    let told = command.arg(&output).arg(&input).output().unwrap();
    let said = String::from_utf8_lossy(&told.stderr);
    assert!(told.status.success(), "{said}");
    assert!(said.contains("2 kernels, 2 instrumented"), "{said}");
    for target in ["gfx803", "gfx940", "gfx1250"] {
        let line = format!("2 code objects stay as they are: code for {target}: ");
        assert_eq!(said.matches(&line).count(), 1, "{said}");
    }
    let contents = fs::read(&output).unwrap();
    for entry in codeobj::walk(&contents).unwrap().entries {
        let target = entry.id.rsplit("--").next().unwrap();
        let before = entries.iter().find(|(known, _)| *known == target).unwrap();
        assert_eq!(*entry.bytes == *before.1, target != "gfx90a", "{target}");
    }
    // Nothing else in the file is an error that names it.
    fs::write(&input, &gfx940).unwrap();
    for arguments in [
        &["instrument", "-t", "instr-count", "-o", "/dev/null"][..],
        &["inspect"],
        &["emulate", "-k", "tiny"],
        &["verify", "-k", "tiny", "-t", "bb-count"],
    ] {
        let told = luthier(arguments).arg(&input).output().unwrap();
        let said = String::from_utf8_lossy(&told.stderr);
        assert_eq!(told.status.code(), Some(2), "{arguments:?}: {said}");
        let name = input.display().to_string();
        assert_eq!(said.matches(&name).count(), 1, "{arguments:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{arguments:?}: {said}");
    }
}

#[test]
fn where_no_place_is_selected_nothing_changes() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in"), folder.path().join("out"));
    fs::write(&input, object("gfx90a")).unwrap();
    let mut command = luthier(&[
        "instrument",
        "--site",
        "opcode=v_sin_f32",
        "-t",
        "instr-count,mem-trace",
        "-o",
    ]);
    let told = command.arg(&output).arg(&input).output().unwrap();
    let said = String::from_utf8_lossy(&told.stderr);
    assert!(told.status.success(), "{said}");
    assert!(said.contains("0 instrumented at 0 places"), "{said}");
    assert!(said.contains("nothing is instrumented"), "{said}");
    assert_eq!(fs::read(input).unwrap(), fs::read(output).unwrap());
}

#[test]
fn pipes_get_what_files_get() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in");
    fs::write(&input, object("gfx90a")).unwrap();
    let run = |output: &str| {
        let mut command = luthier(&["instrument", "-t", "bb-count", "-o", output]);
        command.arg(&input).output().unwrap()
    };
    let path = folder.path().join("out");
    assert!(run(path.to_str().unwrap()).status.success());
    let piped = run("/dev/stdout");
    assert!(piped.status.success());
    assert_eq!(piped.stdout, fs::read(path).unwrap());
}

/// A kernel that counts to the end of time is compared as far as there is time.
#[test]
fn verdicts_have_a_limit_in_time() {
    let object = code_object("long.cl");
    let mut command = luthier(&[
        "verify", "-k", "counts", "--arg", "zero:256", "-t", "bb-count",
    ]);
    let told = command
        .args(["--limit", "0.2", "--json"])
        .arg(object)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&told.stdout);
    assert_eq!(told.status.code(), Some(3), "{said}");
    for part in [
        "\"same\"",
        "\"long\"",
        "\"pc\"",
        "longer than is compared, ",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}
