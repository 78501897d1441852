//! Races in global memory between waves of this process's kernels.

use std::sync::Arc;

use allocations::{Position, facts, lines::describe};
use global_races::{Access, Found, Missing, Side, Sink};
use gpu::Dispatch;

use super::{Counted, Findings};
use crate::report::report;

/// Two races are alike if these are equal: grade, what is missing, and both sides without their waves.
pub type Key = (bool, Missing, u64, u64, Access, Access);

fn key(race: &Found) -> Key {
    let (before, after) = (race.before, race.after);
    (
        race.certain,
        race.missing,
        before.pc,
        after.pc,
        before.access,
        after.access,
    )
}

impl Sink for Findings {
    fn raced(&self, _: &Arc<Dispatch>, found: &[Found]) {
        let mut guard = self.inner();
        let inner = &mut *guard;
        for race in found {
            let (key, after) = (key(race), race.after);
            let counted = match inner.global_races.get(&key).copied() {
                Some(known) => self.again(inner, known, race.times),
                None => {
                    let Some((base, object)) = self.object(inner, after.pc) else {
                        let pc = after.pc;
                        report(&format!(
                            "luthier: a race at {pc:#x}, in code of no known code object"
                        ));
                        continue;
                    };
                    let other = race.other.map(|kernel| {
                        let name = inner.kernels.get(&kernel).cloned();
                        (name.unwrap_or_default(), self.object(inner, race.before.pc))
                    });
                    let lines = lines(race, (&object, base), other.as_ref());
                    self.counted(inner, race.times, &lines)
                }
            };
            inner.global_races.insert(key, counted);
        }
    }

    fn took_back(&self, _: &Arc<Dispatch>, race: &Found) {
        let mut guard = self.inner();
        let inner = &mut *guard;
        if let Some(known) = inner.global_races.get(&key(race)).copied() {
            let left = Counted {
                times: known.times.saturating_sub(race.times),
                ..known
            };
            let counted = self.again(inner, left, 0);
            inner.global_races.insert(key(race), counted);
        }
    }

    fn not_judged(&self, name: &'static str) {
        self.counted(&mut self.inner(), 1, &format!("not-ordered\t{name}\n"));
    }
}

/// The name of another launch's kernel, and its code object with where that lies.
type Other = (String, Option<(u64, String)>);

/// The lines of a race, but for its number of times, which begins them.
fn lines(race: &Found, (object, base): (&str, u64), other: Option<&Other>) -> String {
    let grade = if race.certain { "certain" } else { "possible" };
    let missing = match race.missing {
        Missing::Order => "order",
        Missing::Performed => "performed",
        Missing::Fresh => "fresh",
    };
    // An instruction of another object is told of by its kernel alone.
    let is_known = match other {
        Some((_, Some((_, of)))) => of == object,
        Some((_, None)) => false,
        None => true,
    };
    let kernel = match other {
        Some((name, _)) if is_known => format!("kernel\t{name}"),
        Some((name, _)) => format!("elsewhere\t{name}"),
        None => "-\t-".to_owned(),
    };
    let side = |side: Side| {
        let [x, y, z] = side.workgroup;
        let access = match side.access {
            Access::Read => "read",
            Access::Write => "write",
            Access::Atomic => "atomic",
        };
        let pc = side.pc.wrapping_sub(base);
        format!("{pc:#x}\t{access}\t{x}\t{y}\t{z}\t{}", side.wave)
    };
    let mut lines = format!(
        "global-race\t{object}\t{grade}\t{missing}\t{}\t{}\t{}\t{:#x}\t{kernel}\n",
        side(race.before),
        side(race.after),
        race.lane,
        race.address,
    );
    if let Some((near, position @ Position::Inside(_))) = facts::nearest(race.address) {
        lines += &describe(&near, position, race.address);
    }
    lines
}
