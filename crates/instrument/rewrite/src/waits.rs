//! The pass of waits: for what is on its way to registers that inserted code reads or overwrites, or from those it overwrites.

use crate::Refusal;
use crate::block_facts::BlockFacts;
use crate::rewriting::Rewriting;
use lift::{COUNTERS, Counter, RegisterSet};

pub(crate) fn run(rewriting: &mut Rewriting<'_, '_>) -> Result<(), Refusal> {
    let module = rewriting.module;
    let mut facts = BlockFacts::new(module, rewriting.kernel, 0);
    for seam in &mut rewriting.code.seams {
        // Nothing is on its way to registers that the application does not know.
        if !meet(&seam.registers, &rewriting.named) {
            continue;
        }
        if (facts.index, facts.block) != (seam.function, seam.spot.block) {
            facts = BlockFacts::new(module, seam.function, seam.spot.block);
        }
        let pending = facts.pending(seam.spot.position);
        for counter in COUNTERS {
            let reads = counter == Counter::Export && meet(&pending.read(), &seam.registers);
            if reads || meet(&pending.written_by(counter), &seam.registers) {
                seam.waits.extend(rewriting.codes.wait(counter));
                rewriting.report.seam_waits += 1;
            }
        }
    }
    Ok(())
}

fn meet(left: &RegisterSet, right: &RegisterSet) -> bool {
    !left.scalars.intersection(&right.scalars).is_empty()
        || !left.vectors.intersection(&right.vectors).is_empty()
}
