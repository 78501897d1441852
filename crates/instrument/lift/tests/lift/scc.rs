//! Liveness of SCC alone says what liveness of everything says of it. Asked for by all tests that have modules.

use lift::{Module, registers::SCC};

pub fn check(module: &Module) {
    for (index, function) in module.functions.iter().enumerate() {
        for (number, block) in function.blocks.iter().enumerate() {
            let mut expected = vec![false; block.len()];
            module
                .liveness(index)
                .walk(function, number, |inst, _, before| {
                    expected[inst - block.first] = before.scalars.contains(SCC);
                });
            for inst in block.range() {
                let (live, end) = module.scc_live_before(index, number, inst);
                assert!(end > inst && end <= block.end);
                let same = &expected[inst - block.first..end - block.first];
                assert!(
                    same.iter().all(|expected| *expected == live),
                    "{}, {:#x}: {live}, but {same:?}",
                    function.name,
                    function.insts.at(inst).pc
                );
            }
        }
    }
}
