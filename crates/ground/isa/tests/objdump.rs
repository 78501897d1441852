//! Decoding and printing agree with llvm-objdump over whole code objects, on every target and wave size.

use crate::common::*;
use isa::{Assembler, Decoder};
use std::fmt::Write;

#[test]
fn compiled_code_of_every_target() {
    let directory = tempfile::tempdir().unwrap();
    for target in gfx::TARGETS {
        for wave_size in wave_sizes(target) {
            let path = compile(target, wave_size, directory.path());
            let decoder = Decoder::with_features(target, wave_size, "").unwrap();
            let (good, _) = agree_with_objdump(&decoder, &path);
            assert!(
                good > 500,
                "{} wave{wave_size}: only {good} instructions",
                target.name
            );
        }
    }
}

/// The distribution's librocrand holds kernels built by clang 15 for five of the targets.
#[test]
fn distribution_libraries() {
    const LIBRARY: &str = "/usr/lib/x86_64-linux-gnu/librocrand.so.1";
    if !prerequisite::file(LIBRARY, "librocrand1") {
        return;
    }
    let host = std::fs::read(LIBRARY).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let mut total = 0;
    for target in gfx::TARGETS {
        for (number, object) in bundled_code_objects(&host, target.name)
            .into_iter()
            .enumerate()
        {
            let path = directory
                .path()
                .join(format!("{}-{number}.co", target.name));
            std::fs::write(&path, object).unwrap();
            let decoder = Decoder::new(target).unwrap();
            let (good, _) = agree_with_objdump(&decoder, &path);
            total += good;
        }
    }
    assert!(total > 100_000, "only {total} instructions");
}

/// Random pairs of dwords, of which about a fifth start no instruction.
#[test]
fn random_words_of_every_target() {
    let directory = tempfile::tempdir().unwrap();
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    for target in gfx::TARGETS {
        for wave_size in wave_sizes(target) {
            let mut text = String::new();
            for _ in 0..4_000 {
                let (first, second) = sound_for_objdump(next() as u32, (next() & next()) as u32);
                writeln!(text, ".long {first:#x}, {second:#x}").unwrap();
            }
            let assembler = Assembler::with_features(target, wave_size, "").unwrap();
            let path = directory
                .path()
                .join(format!("random-{}-{wave_size}.o", target.name));
            std::fs::write(&path, assembler.assemble_object(&text).unwrap()).unwrap();
            let decoder = Decoder::with_features(target, wave_size, "").unwrap();
            let (good, bad) = agree_with_objdump(&decoder, &path);
            assert!(
                good > 1_000 && bad > 100,
                "{} wave{wave_size}: {good} decoded, {bad} not",
                target.name
            );
        }
    }
}

/// Clears what makes llvm-objdump itself crash: reserved SDWA selects, and literals announced where none may be. Our own
/// decoder gets those in `tests/hostile.rs`.
fn sound_for_objdump(first: u32, second: u32) -> (u32, u32) {
    // Neither a vector nor a scalar source field of the second dword can then be 255.
    let mut second = second & 0x7f7f_7f7f;
    let mut first = first;
    if first & 0x1ff == 249 {
        second &= !(1 << 8 | 1 << 12 | 1 << 16 | 1 << 24);
    }
    if first >> 26 == 0b11_0100 && first & 0xff == 0xff {
        first &= !1;
    }
    if first >> 25 == 0x3f && first >> 17 & 0xff == 0xff {
        first &= !(1 << 17);
    }
    (first, second)
}
