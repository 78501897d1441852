//! Changed code objects, judged by LLVM's tools and by our own reader.

use crate::common;

use crate::common::{Work, compile, run};
use codeobj::edit::{Access, DynamicRelocation, ElfEditor, NewSymbol};
use codeobj::elf::{Binding, SymbolKind, SymbolSection};
use codeobj::{CodeObject, metadata::KernelMetadata};

const TARGETS: [&str; 3] = ["gfx906", "gfx90a", "gfx1200"];

#[test]
fn an_unchanged_object_writes_back_byte_by_byte() {
    for target in TARGETS {
        for flags in [&[][..], &["-g"]] {
            let bytes = compile("kernels.hip", target, flags);
            assert!(
                ElfEditor::new(&bytes).unwrap().finish().unwrap() == bytes,
                "{target}"
            );
            // An editor whose changes change nothing writes the same file too.
            let mut editor = ElfEditor::new(&bytes).unwrap();
            let object = CodeObject::parse(&bytes).unwrap();
            let kernel = object.kernel("plain").unwrap();
            editor.set_descriptor("plain", &kernel.descriptor).unwrap();
            editor
                .move_symbol("plain", kernel.entry, kernel.code_size)
                .unwrap();
            editor
                .set_metadata(&object.metadata().unwrap().unwrap())
                .unwrap();
            assert!(editor.finish().unwrap() == bytes, "{target}");
        }
    }
}

/// All that a rewriter does: new code elsewhere, descriptor, symbols, externals, relocations, metadata.
fn rewritten(bytes: &[u8]) -> Vec<u8> {
    let object = CodeObject::parse(bytes).unwrap();
    let kernel = object.kernel("plain").unwrap();
    let mut code = object.kernel_code(&kernel).unwrap().to_vec();
    code.extend([0u8; 8192]);
    let size = code.len() as u64;
    let mut editor = ElfEditor::new(bytes).unwrap();
    let (section, address) = editor
        .append_section(".text.luthier", Access::Execute, 256, code)
        .unwrap();
    editor
        .write_at(address + size - 4, &[0, 0, 0x81, 0xbf])
        .unwrap();
    let (_, data) = editor
        .append_section(".data.luthier", Access::ReadWrite, 16, vec![7; 24])
        .unwrap();
    editor.move_symbol("plain", address, size).unwrap();
    let mut descriptor = kernel.descriptor.clone();
    descriptor.set_entry_offset(address as i64 - kernel.descriptor_address as i64);
    descriptor.require_vgprs(60).unwrap();
    editor.set_descriptor("plain", &descriptor).unwrap();
    editor
        .add_symbol(&NewSymbol::undefined("tool_counters"))
        .unwrap();
    editor
        .add_symbol(&NewSymbol {
            name: "patched".to_owned(),
            value: address + size - 8,
            size: 4,
            kind: SymbolKind::Function,
            binding: Binding::Global,
            visibility: 3,
            section: SymbolSection::Section(section),
        })
        .unwrap();
    for (offset, kind) in [
        (0, DynamicRelocation::Abs32Lo),
        (4, DynamicRelocation::Abs32Hi),
    ] {
        editor
            .add_relocation(data + offset, kind, Some("tool_counters"), 8)
            .unwrap();
    }
    editor
        .add_relocation(data + 8, DynamicRelocation::Relative64, None, 0x100)
        .unwrap();
    editor
        .add_relocation(data + 16, DynamicRelocation::Abs64, Some("counter"), 4)
        .unwrap();
    let mut metadata = object.metadata().unwrap().unwrap();
    let mut entry = metadata.kernel_mut("plain").unwrap();
    entry.raise(".vgpr_count", 60);
    entry.set(
        ".luthier_tool",
        "a longer text than fits in the padding of the old note",
    );
    editor.set_metadata(&metadata).unwrap();
    editor.finish().unwrap()
}

#[test]
fn a_rewritten_object_is_what_was_asked_for() {
    for target in TARGETS {
        let bytes = compile("kernels.hip", target, &["-g"]);
        let before = CodeObject::parse(&bytes).unwrap();
        let out = rewritten(&bytes);
        let after = CodeObject::parse(&out).unwrap();
        assert_eq!(
            after.kernels().unwrap().len(),
            before.kernels().unwrap().len()
        );
        let (old, new) = (
            before.kernel("plain").unwrap(),
            after.kernel("plain").unwrap(),
        );
        let text = after.elf().section(".text.luthier").unwrap();
        assert_eq!((new.entry, new.code_size), (text.address, text.size));
        let code = after.kernel_code(&new).unwrap();
        assert!(code.starts_with(before.kernel_code(&old).unwrap()));
        assert!(code.ends_with(&[0, 0, 0x81, 0xbf]));
        assert!(new.descriptor.vgpr_count() >= 60);
        let metadata = |object: &CodeObject<'_>| -> KernelMetadata {
            object.metadata().unwrap().unwrap().kernel("plain").unwrap()
        };
        assert_eq!(
            metadata(&after),
            KernelMetadata {
                vgpr_count: 60,
                ..metadata(&before)
            }
        );
        // Everything that was loaded still is, where it was.
        let (image, old_image) = (after.image(), before.image());
        let mut memory = vec![0; image.size as usize];
        image.copy_to(&mut memory);
        let mut old_memory = vec![0; old_image.size as usize];
        old_image.copy_to(&mut old_memory);
        let rodata = before.elf().section(".text").unwrap();
        let range = rodata.address as usize..(rodata.address + rodata.size) as usize;
        assert!(memory[range.clone()] == old_memory[range]);
        assert_eq!(
            after.symbol("counter").unwrap().value,
            before.symbol("counter").unwrap().value
        );
        // Loaded segments are in order and apart.
        for pair in image.segments.windows(2) {
            assert!(pair[0].address + pair[0].memory_size <= pair[1].address);
        }
    }
}

#[test]
fn llvm_agrees_with_the_rewritten_object() {
    let work = Work::new();
    for target in TARGETS {
        let bytes = compile("kernels.hip", target, &["-g"]);
        let out = rewritten(&bytes);
        let path = work.write("out.co", &out);
        let path = path.to_str().unwrap();
        let listing = run("llvm-readelf-22", &["-W", "-a", path]);
        for text in [
            ".text.luthier",
            "R_AMDGPU_ABS32_LO",
            "R_AMDGPU_RELATIVE64",
            "a longer text",
        ] {
            assert!(listing.contains(text), "{target}: {text}\n{listing}");
        }
        let relocations: Vec<_> = listing
            .lines()
            .filter(|line| line.contains("R_AMDGPU_"))
            .collect();
        assert_eq!(relocations.len(), 4);
        assert!(relocations[0].contains("RELATIVE64"));
        assert_eq!(
            relocations
                .iter()
                .filter(|line| line.contains("tool_counters + 8"))
                .count(),
            2
        );
        assert_eq!(
            relocations
                .iter()
                .filter(|line| line.contains("counter + 4"))
                .count(),
            1
        );
        let externals = listing
            .lines()
            .filter(|line| line.contains("UND tool_counters"));
        assert!(
            externals
                .clone()
                .all(|line| line.contains("NOTYPE") && line.contains("GLOBAL"))
        );
        assert_eq!(externals.count(), 2);
        // Every symbol is found through the dynamic section, by either hash table.
        let hashes = run("llvm-readelf-22", &["--hash-symbols", path]);
        for (name, times) in [("patched", 2), ("plain.kd", 2), ("tool_counters", 1)] {
            let rows = hashes
                .lines()
                .filter(|line| line.split_whitespace().last() == Some(name));
            assert_eq!(rows.count(), times, "{name}\n{hashes}");
        }
        let code = run(
            "llvm-objdump-22",
            &["-d", "--disassemble-symbols=plain", path],
        );
        let original = work.write("in.co", &bytes);
        let before = run(
            "llvm-objdump-22",
            &[
                "-d",
                "--disassemble-symbols=plain",
                original.to_str().unwrap(),
            ],
        );
        let instructions = |listing: &str| -> Vec<String> {
            let lines = listing.lines().filter(|line| line.contains("//"));
            lines
                .map(|line| line.split("//").next().unwrap().trim().to_owned())
                .collect()
        };
        let (code, before) = (instructions(&code), instructions(&before));
        assert!(code.len() >= before.len());
        for (ours, theirs) in code.iter().zip(&before[..before.len() - 1]) {
            assert_eq!(ours, theirs, "{target}");
        }
        // No complaint from a strict reader, and lines still resolve at the old place.
        let errors = std::process::Command::new("llvm-readelf-22")
            .args(["-a", path])
            .output()
            .unwrap()
            .stderr;
        assert!(errors.is_empty(), "{}", String::from_utf8_lossy(&errors));
    }
}

#[test]
fn sections_grow_in_a_new_place() {
    let bytes = compile("kernels.hip", "gfx90a", &["-g"]);
    let mut editor = ElfEditor::new(&bytes).unwrap();
    let line_table = vec![0x5a; 5000];
    assert_eq!(
        editor
            .replace_section(".debug_line", line_table.clone())
            .unwrap(),
        0
    );
    let address = editor.replace_section(".rodata", vec![1; 10000]).unwrap();
    let out = editor.finish().unwrap();
    let object = CodeObject::parse(&out).unwrap();
    assert!(object.elf().section(".debug_line").unwrap().data == line_table);
    assert_eq!(object.elf().section(".rodata").unwrap().address, address);
    assert_eq!(object.elf().bytes_at(address + 9999, 1), Some(&[1][..]));
}

/// Bytes of a file that belong to no header, section or segment.
fn unclaimed(bytes: &[u8]) -> usize {
    let object = CodeObject::parse(bytes).unwrap();
    let elf = object.elf();
    let number = |at: usize, size: usize| {
        let mut number = [0; 8];
        number[..size].copy_from_slice(&bytes[at..at + size]);
        u64::from_le_bytes(number) as usize
    };
    let mut claimed = vec![false; bytes.len()];
    let mut claim = |start: usize, size: usize| claimed[start..start + size].fill(true);
    claim(0, 64);
    claim(number(32, 8), number(56, 2) * 56);
    claim(number(40, 8), number(60, 2) * 64);
    for section in &elf.sections {
        claim(
            section.file_offset as usize * usize::from(!section.data.is_empty()),
            section.data.len(),
        );
    }
    for segment in &elf.segments {
        claim(segment.file_offset as usize, segment.data.len());
    }
    claimed.iter().filter(|claimed| !**claimed).count()
}

#[test]
fn what_was_replaced_and_is_not_loaded_leaves_no_hole() {
    let bytes = compile("kernels.hip", "gfx90a", &["-g"]);
    // First larger, then smaller; both are in the middle of the file.
    let (mut out, mut before) = (bytes.clone(), unclaimed(&bytes));
    for size in [100_000, 3] {
        let (info, names) = (vec![0x5a; size], vec![0xa5; size]);
        let mut editor = ElfEditor::new(&out).unwrap();
        editor.replace_section(".debug_info", info.clone()).unwrap();
        editor.replace_section(".debug_str", names.clone()).unwrap();
        out = editor.finish().unwrap();
        // Padding of the new segment, which begins at a page.
        let unclaimed = unclaimed(&out);
        assert!(unclaimed < before + 2 * 4096, "{unclaimed} bytes");
        before = unclaimed;
        let (old, new) = (
            CodeObject::parse(&bytes).unwrap(),
            CodeObject::parse(&out).unwrap(),
        );
        for section in &old.elf().sections {
            let now = new.elf().section(section.name).unwrap();
            let expected = match section.name {
                ".debug_info" => &info[..],
                ".debug_str" => &names[..],
                // Names of sections and what the loader reads are written anew.
                ".shstrtab" | ".dynamic" => continue,
                _ => section.data,
            };
            assert!(now.data == expected, "{}", section.name);
            let aligned = now.file_offset.is_multiple_of(section.align.max(1));
            assert!(aligned || now.data.is_empty(), "{}", section.name);
        }
    }
}

#[test]
fn impossible_edits_are_refused() {
    let bytes = compile("kernels.hip", "gfx90a", &[]);
    let mut editor = ElfEditor::new(&bytes).unwrap();
    assert!(editor.replace_section(".nonesuch", vec![]).is_err());
    assert!(editor.move_symbol("nonesuch", 0, 0).is_err());
    let descriptor = CodeObject::parse(&bytes)
        .unwrap()
        .kernel("plain")
        .unwrap()
        .descriptor;
    let error = editor
        .set_descriptor("nonesuch", &descriptor)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("big_lds, calls, one_wave_lds, plain"),
        "{error}"
    );
    assert!(editor.add_symbol(&NewSymbol::undefined("plain")).is_err());
    assert!(editor.write_at(u64::MAX - 2, &[0; 4]).is_err());
    assert!(
        editor
            .add_relocation(0, DynamicRelocation::Abs64, Some("nonesuch"), 0)
            .is_err()
    );
    assert!(editor.append_section("x", Access::Read, 3, vec![]).is_err());
    let relocatable = common::compile_relocatable("kernels.hip", "gfx90a");
    assert!(
        ElfEditor::new(&relocatable)
            .unwrap_err()
            .to_string()
            .contains("link it first")
    );
}
