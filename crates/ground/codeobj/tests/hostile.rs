//! Damaged input: an error or a value, never a panic or a runaway.

use crate::common::{compile, compile_relocatable};
use codeobj::edit::{Access, ElfEditor, NewSymbol};
use codeobj::lines::SourceLines;
use codeobj::resources::{WorkgroupSizes, resources};
use codeobj::{CodeObject, bundle, compressed, walk};
use proptest::prelude::*;
use std::sync::OnceLock;

/// Small real files of every kind.
fn corpus() -> &'static [Vec<u8>] {
    static CORPUS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    CORPUS.get_or_init(|| {
        let object = compile("kernels.hip", "gfx90a", &["-g"]);
        let packed_lines = compile("kernels.hip", "gfx1100", &["-g", "-gz=zlib"]);
        let relocatable = compile_relocatable("kernels.hip", "gfx1030");
        let plain = bundle::write(
            &[
                ("host-x86_64", b""),
                ("hip-amdgcn-amd-amdhsa--gfx90a", &object),
            ],
            4096,
        );
        let zstd = compressed::pack(
            &plain,
            compressed::HeaderVersion::V3,
            compressed::Method::Zstd,
        )
        .unwrap();
        let zlib = compressed::pack(
            &plain,
            compressed::HeaderVersion::V1,
            compressed::Method::Zlib,
        )
        .unwrap();
        vec![object, packed_lines, relocatable, plain, zstd, zlib]
    })
}

fn empty_metadata() -> codeobj::Metadata {
    codeobj::Metadata::parse(&[0x80], 0).unwrap()
}

/// Reads everything there is to read.
fn exercise(bytes: &[u8]) {
    let Ok(contents) = walk(bytes) else { return };
    for entry in contents.code_objects() {
        let Ok(object) = entry.code_object() else {
            continue;
        };
        for kernel in object.kernels().unwrap_or_default() {
            let _ = object.kernel_code(&kernel);
            let _ = resources(&kernel.descriptor, u32::MAX, WorkgroupSizes::default());
            let _ = kernel.descriptor.initial_sgprs();
        }
        for function in object.functions() {
            let _ = object.code_at(function.value, function.size);
        }
        let _ = object
            .metadata()
            .map(|metadata| metadata.map(|metadata| metadata.kernels()));
        let _ = object.build_id();
        let _ = object.dynamic_relocations();
        for symbol in object.all_symbols() {
            let _ = object.symbol_bytes(symbol);
        }
        let image = object.image();
        let mut memory = vec![0; image.size.min(1 << 20) as usize];
        image.copy_to(&mut memory);
        if let Ok(editor) = ElfEditor::new(&entry.bytes) {
            assert!(editor.clone().finish().unwrap() == *entry.bytes);
            let mut editor = editor;
            let _ = editor.append_section(".text.new", Access::Execute, 256, vec![0; 64]);
            let _ = editor.add_symbol(&NewSymbol::undefined("added"));
            let _ = editor.set_metadata(
                &object
                    .metadata()
                    .ok()
                    .flatten()
                    .unwrap_or_else(empty_metadata),
            );
            let _ = editor.finish();
        }
        if let Ok(Some(lines)) = SourceLines::read(&object) {
            for pc in (0x1000..0x3000).step_by(64) {
                let _ = lines.frames(pc);
                let _ = lines.line(pc);
            }
        }
    }
}

#[test]
fn undamaged_files_read_completely() {
    for bytes in corpus() {
        let contents = walk(bytes).unwrap();
        assert!(contents.problems.is_empty());
        let entry = contents.code_objects().next().unwrap();
        assert_eq!(entry.code_object().unwrap().kernels().unwrap().len(), 8);
        exercise(bytes);
    }
}

#[test]
fn every_truncation_of_a_code_object_is_an_error_with_an_offset() {
    let bytes = &corpus()[0];
    for length in (0..bytes.len()).step_by(61) {
        let error = CodeObject::parse(&bytes[..length])
            .expect_err("a truncated file")
            .to_string();
        assert!(
            error.contains("offset 0x") || error.contains("magic"),
            "{length}: {error}"
        );
        exercise(&bytes[..length]);
    }
}

/// Found by fuzzing: a table without rows may claim to lie anywhere.
#[test]
fn an_empty_symbol_table_beyond_the_file_is_left_alone() {
    let mut bytes = corpus()[0].clone();
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    let (headers, count) = (word(40), usize::from(bytes[60]));
    let symbols = (0..count)
        .map(|index| headers + 64 * index)
        .find(|header| bytes[header + 4] == 2)
        .expect("a symbol table");
    bytes[symbols + 24..symbols + 32].copy_from_slice(&(1_u64 << 24).to_le_bytes());
    bytes[symbols + 32..symbols + 40].fill(0);
    if let Ok(editor) = ElfEditor::new(&bytes) {
        assert_eq!(editor.finish().expect("nothing was changed"), bytes);
    }
    exercise(&bytes);
}

/// Found by mutation: with the segment of the code unloadable, the rewritten kernel ran, and the original ran into zeros.
#[test]
fn code_that_is_not_loaded_is_refused() {
    let good = &corpus()[0];
    let word = |at: usize| u64::from_le_bytes(good[at..at + 8].try_into().unwrap()) as usize;
    let (headers, count) = (word(32), usize::from(good[56]));
    let code = (0..count)
        .map(|index| headers + 56 * index)
        .find(|header| good[*header] == 1 && good[header + 4] & 1 == 1)
        .expect("a loaded, executable segment");
    // Its type, its place in the file, its address.
    for (at, change) in [(0, 0x10), (9, 0x01), (17, 0x10)] {
        let mut bytes = good.clone();
        bytes[code + at] ^= change;
        let error = CodeObject::parse(&bytes).expect_err("code that is not loaded");
        assert!(
            error.to_string().contains("code section"),
            "byte {at}: {error}"
        );
        exercise(&bytes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn flipped_bytes_do_not_panic(which in 0usize..6, flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        let mut bytes = corpus()[which].clone();
        for (index, value) in flips {
            let at = index.index(bytes.len());
            bytes[at] = value;
        }
        exercise(&bytes);
    }

    /// Headers decide most: all flips in the first and last 2 KiB, where tables and section headers are.
    #[test]
    fn flipped_header_bytes_do_not_panic(which in 0usize..4, flips in prop::collection::vec((0usize..2048, any::<u8>(), any::<bool>()), 1..6)) {
        let mut bytes = corpus()[which].clone();
        for (offset, value, from_end) in flips {
            let length = bytes.len();
            bytes[if from_end { length - 1 - offset } else { offset }] = value;
        }
        exercise(&bytes);
    }

    #[test]
    fn truncations_do_not_panic(which in 0usize..6, cut in any::<prop::sample::Index>()) {
        let bytes = &corpus()[which];
        exercise(&bytes[..cut.index(bytes.len())]);
    }

    #[test]
    fn arbitrary_metadata_does_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..512)) {
        if let Ok(metadata) = codeobj::Metadata::parse(&bytes, 0) {
            metadata.kernels();
            metadata.printf();
            prop_assert_eq!(codeobj::Metadata::parse(&metadata.encode(), 0).is_ok(), true);
        }
    }
}
