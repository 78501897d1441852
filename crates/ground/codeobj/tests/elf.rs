//! Real code objects, read by us and by llvm-readelf.

use crate::common::{Work, compile, run};
use codeobj::elf::{SymbolKind, SymbolSection, Version};
use codeobj::{CodeObject, Setting};

const TARGETS: &[&str] = &[
    "gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1200",
];

#[test]
fn sections_and_symbols_agree_with_readelf() {
    let work = Work::new();
    for target in ["gfx90a", "gfx1200"] {
        let bytes = compile("kernels.hip", target, &["-g"]);
        let path = work.write("a.co", &bytes);
        let object = CodeObject::parse(&bytes).unwrap();
        assert_eq!(object.target().to_string(), target);

        let listing = run("llvm-readelf-22", &["-S", "-W", path.to_str().unwrap()]);
        for section in object.elf().sections.iter().skip(1) {
            let row = listing
                .lines()
                .find(|line| line.contains(&format!("[{:2}]", section.index)))
                .unwrap();
            let columns: Vec<_> = row.split(']').nth(1).unwrap().split_whitespace().collect();
            assert_eq!(columns[0], section.name);
            let numbers: Vec<_> = columns[2..5]
                .iter()
                .map(|hex| u64::from_str_radix(hex, 16).unwrap())
                .collect();
            assert_eq!(
                numbers,
                [section.address, section.file_offset, section.size],
                "{}",
                section.name
            );
        }

        let listing = run(
            "llvm-readelf-22",
            &["--symbols", "-W", path.to_str().unwrap()],
        );
        let (_, listing) = listing.split_once("Symbol table '.symtab'").unwrap();
        let rows = listing
            .lines()
            .filter(|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit()));
        assert_eq!(rows.count(), object.symbols().len());
        for symbol in object.symbols() {
            let row = listing
                .lines()
                .find(|line| line.trim_start().starts_with(&format!("{}:", symbol.index)))
                .unwrap();
            let columns: Vec<_> = row.split_whitespace().collect();
            assert_eq!(u64::from_str_radix(columns[1], 16).unwrap(), symbol.value);
            assert_eq!(columns.get(7).copied().unwrap_or_default(), symbol.name);
            let kind = match symbol.kind {
                SymbolKind::NoType => "NOTYPE",
                SymbolKind::Object => "OBJECT",
                SymbolKind::Function => "FUNC",
                _ => continue,
            };
            assert_eq!(columns[3], kind);
            let section = match symbol.section {
                SymbolSection::Undefined => "UND".to_owned(),
                SymbolSection::Absolute => "ABS".to_owned(),
                SymbolSection::Common => "COM".to_owned(),
                SymbolSection::Section(index) => index.to_string(),
            };
            assert_eq!(columns[6], section);
        }
    }
}

#[test]
fn kernels_of_all_targets_are_found_with_their_code() {
    for target in TARGETS {
        let bytes = compile("kernels.hip", target, &[]);
        let object = CodeObject::parse(&bytes).unwrap();
        let kernels = object.kernels().unwrap();
        let metadata = object.metadata().unwrap().unwrap();
        assert_eq!(kernels.len(), 8, "{target}");
        assert_eq!(metadata.kernels().len(), 8);
        for kernel in &kernels {
            let described = metadata.kernel(kernel.name).unwrap();
            assert_eq!(
                object.kernel_code(kernel).unwrap().len() as u64,
                kernel.code_size
            );
            assert!(object.symbol(kernel.name).unwrap().value == kernel.entry);
            let descriptor = &kernel.descriptor;
            assert_eq!(
                u64::from(descriptor.group_segment_size()),
                described.group_segment_fixed_size
            );
            assert_eq!(
                u64::from(descriptor.private_segment_size()),
                described.private_segment_fixed_size
            );
            assert_eq!(
                u64::from(descriptor.kernarg_size()),
                described.kernarg_segment_size
            );
            assert_eq!(u64::from(descriptor.wave_size()), described.wavefront_size);
        }
        assert!(
            object
                .kernel("nonesuch")
                .unwrap_err()
                .to_string()
                .contains("plain")
        );
        let helper = object
            .functions()
            .iter()
            .any(|function| function.name.contains("helper"));
        assert!(helper, "{target}");
    }
}

#[test]
fn features_and_versions_are_read_from_the_header() {
    let cases = [
        (
            "gfx90a:xnack+:sramecc-",
            "4",
            Version::V4,
            Setting::On,
            Setting::Off,
        ),
        ("gfx90a", "5", Version::V5, Setting::Any, Setting::Any),
        (
            "gfx906:xnack-",
            "6",
            Version::V6,
            Setting::Off,
            Setting::Any,
        ),
        (
            "gfx1030",
            "4",
            Version::V4,
            Setting::Unsupported,
            Setting::Unsupported,
        ),
        (
            "gfx10-3-generic",
            "6",
            Version::V6,
            Setting::Unsupported,
            Setting::Unsupported,
        ),
    ];
    for (target, number, version, xnack, sramecc) in cases {
        let flag = format!("-mcode-object-version={number}");
        let bytes = compile("kernels.hip", target, &[&flag]);
        let object = CodeObject::parse(&bytes).unwrap();
        assert_eq!(
            (
                object.version(),
                object.target().xnack,
                object.target().sramecc
            ),
            (version, xnack, sramecc)
        );
        assert_eq!(object.version().number().to_string(), number);
        let described = object.metadata().unwrap().unwrap();
        let described = described
            .target()
            .unwrap()
            .strip_prefix("amdgcn-amd-amdhsa--")
            .unwrap()
            .to_owned();
        assert_eq!(described, object.target().to_string());
    }
}

#[test]
fn code_object_v2_is_refused_with_the_way_out() {
    let mut bytes = compile("kernels.hip", "gfx900", &[]);
    bytes[8] = 0;
    let error = CodeObject::parse(&bytes).unwrap_err().to_string();
    assert!(
        error.contains("v2") && error.contains("-mcode-object-version"),
        "{error}"
    );
}

#[test]
fn metadata_survives_decoding_and_encoding_unchanged() {
    for target in ["gfx906", "gfx1100"] {
        let bytes = compile("kernels.hip", target, &[]);
        let object = CodeObject::parse(&bytes).unwrap();
        let notes = object.elf().notes().unwrap();
        let note = notes.iter().find(|note| note.owner == b"AMDGPU").unwrap();
        let metadata = object.metadata().unwrap().unwrap();
        assert!(metadata.encode() == note.description, "{target}");
    }
}

#[test]
fn image_puts_segments_at_their_addresses() {
    let bytes = compile("kernels.hip", "gfx90a", &[]);
    let object = CodeObject::parse(&bytes).unwrap();
    let image = object.image();
    let mut memory = vec![0; image.size as usize];
    image.copy_to(&mut memory);
    for kernel in object.kernels().unwrap() {
        let at = kernel.descriptor_address as usize;
        assert_eq!(&memory[at..at + 64], kernel.descriptor.bytes());
        let code = object.kernel_code(&kernel).unwrap();
        assert_eq!(&memory[kernel.entry as usize..][..code.len()], code);
    }
    let table = object.symbol("table").unwrap();
    assert_eq!(
        &memory[table.value as usize..][..8],
        &[0, 0, 0x80, 0x3f, 0, 0, 0, 0x40]
    );
}
