//! Every mnemonic that LLVM decodes for a target either has a row or stands in the list of what compute code never holds.
//!
//! `cargo xtask coverage` gets the list of them in the file that `LUTHIER_DECODED` names.
//!
//! The mnemonics come from decoding every opcode number of every encoding format with a few operand patterns.

#[path = "harness/probes.rs"]
mod probes;

use std::{collections::BTreeSet, fmt::Write};

use gfx::Target;

use probes::is_outside;

/// Mnemonics without a row; adds all of them to `list`, with what becomes of them.
fn missing(target: &'static Target, list: &mut String) -> BTreeSet<&'static str> {
    let decoder = isa::Decoder::new(target).unwrap();
    let rows: BTreeSet<_> = wave::all_rows().iter().map(|row| row.mnemonic).collect();
    let mut missing = BTreeSet::new();
    let mut decoded = BTreeSet::new();
    let plain = [probes::alu(target.family), probes::memory(target.family)].concat();
    let plain = plain.into_iter().map(|[a, b, c]| [a, b, c, 0]);
    for words in plain.chain(probes::scaled_products()) {
        let code: Vec<u8> = words
            .iter()
            .chain(&[0])
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
    for mnemonic in &decoded {
        let verdict = match (rows.contains(mnemonic), is_outside(mnemonic)) {
            (true, _) => "executed",
            (false, true) => "outside",
            (false, false) => "missing",
        };
        writeln!(list, "{} {mnemonic} {verdict}", target.name).unwrap();
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
    let (mut list, mut all) = (String::new(), Vec::new());
    for name in [
        "gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1030",
    ] {
        let missing = missing(Target::find(name).unwrap(), &mut list);
        all.extend(missing.iter().map(|mnemonic| (name, *mnemonic)));
    }
    if let Some(path) = std::env::var_os("LUTHIER_DECODED") {
        std::fs::write(path, list).expect("LUTHIER_DECODED names a file that can be written");
    }
    assert!(all.is_empty(), "{all:?}");
}

#[test]
fn mnemonics_are_unique() {
    let mut seen = BTreeSet::new();
    for row in wave::all_rows() {
        assert!(seen.insert(row.mnemonic), "{} has two rows", row.mnemonic);
    }
}
