//! Any bytes are lifted to something, and nothing panics.

use gfx::Target;
use lift::{FunctionKind, FunctionSeed, Module, Options, Program};
use proptest::prelude::*;

fn lift(target: &'static Target, code: &[u8], entries: &[u64], sizes: &[u64]) {
    let functions = entries
        .iter()
        .zip(sizes)
        .enumerate()
        .map(|(index, (entry, size))| FunctionSeed {
            name: format!("f{index}"),
            kind: if index % 2 == 0 {
                FunctionKind::Kernel
            } else {
                FunctionKind::Device
            },
            entry: *entry,
            size: *size,
            wave_size: None,
        });
    let program = Program {
        target,
        code: vec![(0x1000, code)],
        functions: functions.collect(),
        pointers: entries.iter().map(|entry| (entry * 8, *entry)).collect(),
    };
    let module = Module::of_program(&program, Options::default()).unwrap();
    crate::scc::check(&module);
    for (index, function) in module.functions.iter().enumerate() {
        for number in 0..function.blocks.len() {
            module.liveness(index).walk(function, number, |_, _, _| {});
            module.pending(index).walk(function, number, |_, _| {});
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_words(
        words in proptest::collection::vec(prop_oneof![
            any::<u32>(),
            // Branches, calls and the like, so that there is some control flow.
            (0xbf80_0000u32..0xbf8b_0000).prop_map(|word| word & 0xffff_000f),
            0xbe80_0000u32..0xbe80_4000,
            0xb000_0000u32..0xc000_0000,
        ], 1..80),
        tail in 0..4usize,
        entries in proptest::collection::vec(0x0ff0u64..0x1180, 1..5),
        sizes in proptest::collection::vec(prop_oneof![Just(0u64), Just(u64::MAX), 0..600u64], 5),
        target in 0..gfx::TARGETS.len(),
    ) {
        let mut code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        code.truncate(code.len() - tail);
        lift(&gfx::TARGETS[target], &code, &entries, &sizes);
    }
}
