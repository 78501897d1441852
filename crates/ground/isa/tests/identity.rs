//! Decoding and encoding again gives the same bytes over compiled code, but for the forms listed here.

use crate::common::*;
use isa::{Decoder, Inst};
use std::collections::BTreeMap;

/// Why LLVM's encoding may differ from what the compiler emitted.
type Exception = (&'static str, fn(&Inst, &[u8], &[u8]) -> bool);

const EXCEPTIONS: &[Exception] = &[(
    "v_cmpx in VOP3 form on gfx10 has no destination; clang 15 leaves the field 0, LLVM 22 puts EXEC there",
    |inst, bytes, encoded| {
        inst.mnemonic().starts_with("v_cmpx_")
            && bytes[0] == 0
            && encoded[0] == 126
            && bytes[1..] == encoded[1..]
    },
)];

#[test]
fn compiled_code_encodes_to_itself() {
    let directory = tempfile::tempdir().unwrap();
    let host = std::fs::read("/usr/lib/x86_64-linux-gnu/librocrand.so.1").unwrap_or_default();
    let (mut total, mut excepted) = (0, 0);
    let mut different = BTreeMap::new();
    for target in gfx::TARGETS {
        for wave_size in wave_sizes(target) {
            let decoder = Decoder::with_features(target, wave_size, "").unwrap();
            let mut objects =
                vec![std::fs::read(compile(target, wave_size, directory.path())).unwrap()];
            if wave_size == target.wave_size && !host.is_empty() {
                objects.extend(bundled_code_objects(&host, target.name));
            }
            for (address, code) in objects.iter().flat_map(|object| code_sections(object)) {
                for inst in decoder.decode_all(&code, address).flatten() {
                    total += 1;
                    let start = (inst.pc - address) as usize;
                    let bytes = &code[start..start + usize::from(inst.size)];
                    let encoded = decoder.encode(&inst).unwrap();
                    if encoded == bytes {
                        continue;
                    }
                    if EXCEPTIONS
                        .iter()
                        .any(|(_, applies)| applies(&inst, bytes, &encoded))
                    {
                        excepted += 1;
                        continue;
                    }
                    different
                        .entry((target.name, inst.mnemonic()))
                        .or_insert_with(|| {
                            format!("{}: {bytes:02x?} -> {encoded:02x?}", decoder.print(&inst))
                        });
                }
            }
        }
    }
    println!("{total} instructions, {excepted} excepted");
    assert!(different.is_empty(), "{different:#?}");
    assert!(total > 100_000 || host.is_empty() && total > 20_000);
    assert!(excepted * 1000 < total, "{excepted} of {total}");
}
