//! Races in this process's kernels.

use std::sync::Arc;

use compute::{Access, Order, Race};
use gpu::Dispatch;

use super::Findings;

/// Whether it is certain, both instructions and both accesses.
pub type Key = (bool, u64, u64, Access, Access);

impl Order for Findings {
    fn raced(&self, _: &Arc<Dispatch>, workgroup: [u32; 3], races: &[Race]) {
        let mut guard = self.inner();
        let inner = &mut *guard;
        for race in races {
            let before = race.pc_before();
            let key = (
                race.certain,
                before,
                race.pc,
                race.before.access,
                race.after.access,
            );
            let counted = match inner.races.get(&key).copied() {
                Some(known) => self.again(inner, known, race.times),
                None => {
                    let told = || format!("a race at {:#x}", race.pc);
                    let Some((base, object)) = self.object(inner, race.pc, told) else {
                        continue;
                    };
                    self.counted(inner, race.times, &line(race, workgroup, (&object, base)))
                }
            };
            inner.races.insert(key, counted);
        }
    }
}

/// The line of a race, but for its number of times, which begins it.
fn line(race: &Race, [x, y, z]: [u32; 3], (object, base): (&str, u64)) -> String {
    let grade = if race.certain { "certain" } else { "possible" };
    let word = |access| match access {
        Access::Read => "read",
        Access::Write => "write",
        Access::Atomic => "atomic",
    };
    format!(
        "race\t{object}\t{grade}\t{:#x}\t{:#x}\t{}\t{}\t{x}\t{y}\t{z}\t{}\t{}\t{}\t{:#x}\n",
        race.pc_before().wrapping_sub(base),
        race.pc.wrapping_sub(base),
        word(race.before.access),
        word(race.after.access),
        race.before.wave,
        race.after.wave,
        race.lane,
        race.address,
    )
}
