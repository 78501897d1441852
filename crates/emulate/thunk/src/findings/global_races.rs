//! Races in global memory between waves of this process's kernels.

use allocations::{Position, facts, lines::describe};
use global_races::{Access, Copied, Copy, Found, Missing, Other, Side, Sink};

use super::{Counted, Findings, Inner};

/// Two races are alike if these are equal: grade, what is missing, and both sides without their waves.
pub type Key = (bool, Missing, u64, u64, Access, Access);

/// Two races of copies are alike if these are equal: grade, both accesses, and where the allocation begins.
pub type CopiesKey = (bool, Access, Access, u64);

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
    fn raced(&self, found: &[Found]) {
        let mut guard = self.inner();
        let inner = &mut *guard;
        for race in found {
            let (key, after) = (key(race), race.after);
            let counted = match inner.global_races.get(&key).copied() {
                Some(known) => self.again(inner, known, race.times),
                None => {
                    let told = || format!("a race at {:#x}", after.pc);
                    let Some((base, object)) = self.object(inner, after.pc, told) else {
                        continue;
                    };
                    let other = self.other(inner, race, &object);
                    let lines = lines(race, (&object, base), &other);
                    self.counted(inner, race.times, &lines)
                }
            };
            inner.global_races.insert(key, counted);
        }
    }

    fn took_back(&self, race: &Found) {
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

    fn copied(&self, race: &Copied) {
        let mut guard = self.inner();
        let inner = &mut *guard;
        let nearest = facts::nearest(race.address)
            .filter(|(_, position)| matches!(position, Position::Inside(_)));
        let base = nearest.as_ref().map_or(race.address, |(near, _)| near.base);
        let (before, after) = (race.before, race.after);
        let key = (race.certain, before.1, after.1, base);
        let counted = match inner.copies.get(&key).copied() {
            Some(known) => self.again(inner, known, 1),
            None => {
                let grade = grade(race.certain);
                let side = |(copy, access)| format!("{}\t{}", word(access), words(copy));
                let (before, after) = (side(before), side(after));
                let address = race.address;
                let mut lines = format!("copy-race\t{grade}\t{before}\t{after}\t{address:#x}\n");
                if let Some((near, position)) = nearest {
                    lines += &describe(&near, position, address);
                }
                self.counted(inner, 1, &lines)
            }
        };
        inner.copies.insert(key, counted);
    }

    fn not_judged(&self, name: &'static str) {
        self.counted(&mut self.inner(), 1, &format!("not-ordered\t{name}\n"));
    }
}

impl Findings {
    /// The fields that tell of the other launch: its kind, and its kernel's name or what it copies.
    fn other(&self, inner: &mut Inner, race: &Found, object: &str) -> String {
        match race.other {
            None => "-\t-".to_owned(),
            Some(Other::Copy { copy, is_later }) => {
                let kind = if is_later { "copy-later" } else { "copy" };
                format!("{kind}\t{}", words(copy))
            }
            Some(Other::Kernel(kernel)) => {
                let name = inner.kernels.get(&kernel).cloned().unwrap_or_default();
                // An instruction of another object is told of by its kernel alone.
                let is_known = (self.file_of_object(inner, race.before.pc))
                    .is_some_and(|(_, of)| of == object);
                let kind = if is_known { "kernel" } else { "elsewhere" };
                format!("{kind}\t{name}")
            }
        }
    }
}

fn grade(certain: bool) -> &'static str {
    if certain { "certain" } else { "possible" }
}

fn word(access: Access) -> &'static str {
    match access {
        Access::Read => "read",
        Access::Write => "write",
        Access::Atomic => "atomic",
    }
}

/// Names the bytes that a copy moves.
fn words(copy: Copy) -> String {
    let Copy { from, to, bytes } = copy;
    match from {
        Some(from) => format!("copy of {bytes} bytes from {from:#x} to {to:#x}"),
        None => format!("fill of {bytes} bytes at {to:#x}"),
    }
}

/// The lines of a race, but for its number of times, which begins them.
fn lines(race: &Found, (object, base): (&str, u64), other: &str) -> String {
    let grade = grade(race.certain);
    let missing = match race.missing {
        Missing::Order => "order",
        Missing::Performed => "performed",
        Missing::Fresh => "fresh",
    };
    let side = |side: Side| {
        let [x, y, z] = side.workgroup;
        let access = word(side.access);
        let pc = side.pc.wrapping_sub(base);
        format!("{pc:#x}\t{access}\t{x}\t{y}\t{z}\t{}", side.wave)
    };
    let mut lines = format!(
        "global-race\t{object}\t{grade}\t{missing}\t{}\t{}\t{}\t{:#x}\t{other}\n",
        side(race.before),
        side(race.after),
        (race.lane).map_or("-".to_owned(), |lane| lane.to_string()),
        race.address,
    );
    if let Some((near, position @ Position::Inside(_))) = facts::nearest(race.address) {
        lines += &describe(&near, position, race.address);
    }
    lines
}
