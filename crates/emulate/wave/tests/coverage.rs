//! Every mnemonic that LLVM decodes for a target either has a row or stands in the list of what compute code never holds.
//!
//! `cargo xtask coverage` gets the list of them in the file that `LUTHIER_DECODED` names.
//!
//! The mnemonics come from decoding every opcode number of every encoding format with a few operand patterns.

use crate::harness::probes;

use std::{collections::BTreeSet, fmt::Write};

use gfx::Target;

use crate::harness::probes::is_outside;

/// Mnemonics without a row; adds all of them to `list`, with what becomes of them.
fn missing(target: &'static Target, list: &mut String) -> BTreeSet<&'static str> {
    let decoder = isa::Decoder::new(target).unwrap();
    let executed = |mnemonic: &str| {
        let alone = mnemonic.replace("v_dual_", "v_");
        wave::rows_of(isa::Op::of(&alone), target).is_some()
    };
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
        // Dual instructions by their halves.
        for mnemonic in inst.mnemonic().split(" :: ") {
            decoded.insert(mnemonic);
            if !executed(mnemonic) && !is_outside(mnemonic) {
                missing.insert(mnemonic);
            }
        }
    }
    for mnemonic in &decoded {
        let verdict = match (executed(mnemonic), is_outside(mnemonic)) {
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
    for target in gfx::TARGETS.iter().filter(|target| wave::executes(target)) {
        let missing = missing(target, &mut list);
        all.extend(missing.into_iter().map(|mnemonic| (target.name, mnemonic)));
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
