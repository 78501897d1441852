//! Bitcode of a compiler that is newer than the LLVM here.

use compiled::Compiler;
use hook::{Module, build_modules};

fn bitcode() -> Vec<u8> {
    let directory = tempfile::tempdir().expect("a directory");
    let (source, output) = (
        directory.path().join("hook.hip"),
        directory.path().join("hook.bc"),
    );
    let text = "extern \"C\" __attribute__((device)) void hook() {}\n";
    std::fs::write(&source, text).expect("writes");
    let status = Compiler::new("clang-22")
        .args(["-x", "hip", "--cuda-device-only", "-nogpulib", "-nogpuinc"])
        .args(["--offload-arch=gfx90a", "-emit-llvm", "-c"])
        .arg(&source)
        .arg("-o")
        .arg(&output)
        .status()
        .expect("clang-22 runs");
    assert!(status.success());
    std::fs::read(output).expect("reads")
}

/// The same with another epoch: what LLVM counts up when older readers cannot read its bitcode any more. The file begins with a
/// magic number and a block (number 13) that says who wrote it, with its length in words; the block's last record is the epoch.
fn of_a_later_epoch(mut bitcode: Vec<u8>) -> Vec<u8> {
    assert_eq!(bitcode[..6], [b'B', b'C', 0xc0, 0xde, 0x35, 0x14]);
    let words = u32::from_le_bytes(bitcode[8..12].try_into().unwrap()) as usize;
    let (start, bits) = (12, words * 32);
    let is_set = |bit: &usize| bitcode[start + bit / 8] >> (bit % 8) & 1 == 1;
    let last = (0..bits).rev().find(is_set).expect("a record");
    // The record's abbreviation is 5 in five bits, of which this is the third. Six bits with the epoch follow, all zero, and then
    // the end of the block, which is zero, too.
    let epoch = last + 3;
    bitcode[start + epoch / 8] |= 1 << (epoch % 8);
    bitcode
}

#[test]
fn bitcode_of_a_newer_compiler_is_refused_with_the_remedy() {
    let build = |bitcode| {
        let target = "gfx90a".to_owned();
        let hooks = |_: &hook::Unit<'_>| Ok(vec![("hook".to_owned(), Vec::new())]);
        build_modules("tool.so", &[Module { target, bitcode }], &hooks)
    };
    let bitcode = bitcode();
    build(bitcode.clone()).expect("our own is read");
    let refused = build(of_a_later_epoch(bitcode)).expect_err("a later epoch");
    let said = refused.to_string();
    for part in [
        "the bitcode of tool.so for gfx90a: ",
        "epoch",
        "compile a tool of a newer one with clang 22",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}
