//! Every mnemonic that LLVM decodes for a target either has a row or stands in the list of what compute code never holds.
//!
//! The mnemonics come from decoding every opcode number of every encoding format with a few operand patterns.

#[path = "harness/probes.rs"]
mod probes;

use std::collections::BTreeSet;

use gfx::Target;

use probes::is_outside;

/// Memory instructions, which have tests of their own.
fn is_memory(mnemonic: &str) -> bool {
    let prefixes = [
        "buffer_",
        "tbuffer_",
        "ds_",
        "flat_",
        "global_",
        "scratch_",
        "s_atomic",
        "s_buffer_",
        "s_scratch_",
        "s_store",
        "s_load",
    ];
    prefixes.iter().any(|prefix| mnemonic.starts_with(prefix))
}

fn missing(target: &'static Target) -> BTreeSet<&'static str> {
    let decoder = isa::Decoder::new(target).unwrap();
    let rows: BTreeSet<_> = wave::all_rows().iter().map(|row| row.mnemonic).collect();
    let mut missing = BTreeSet::new();
    let mut decoded = BTreeSet::new();
    for words in [probes::alu(target.family), probes::memory(target.family)].concat() {
        let code: Vec<u8> = words
            .iter()
            .chain(&[0, 0])
            .flat_map(|word| word.to_le_bytes())
            .collect();
        let Ok(inst) = decoder.decode(&code, 0) else {
            continue;
        };
        decoded.insert(inst.mnemonic);
        if !rows.contains(inst.mnemonic) && !is_outside(inst.mnemonic) {
            missing.insert(inst.mnemonic);
        }
    }
    println!(
        "{}: {} mnemonics, {} missing",
        target.name,
        decoded.len(),
        missing.len()
    );
    missing
}

#[test]
fn every_mnemonic_has_a_row() {
    for name in ["gfx900", "gfx906", "gfx908", "gfx90a", "gfx1030"] {
        let mut missing = missing(Target::find(name).unwrap());
        missing.retain(|mnemonic| !is_memory(mnemonic));
        assert!(missing.is_empty(), "{name}: {missing:?}");
    }
}
