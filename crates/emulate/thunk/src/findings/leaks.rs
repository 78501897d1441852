//! Memory that the program has not freed.
//!
//! A process may end without running any code of this library. The file therefore has lines for each place of the program that allocates.
//! Their numbers change with each allocation and each free. When the process has ended, they tell what it has not freed.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, OnceLock},
};

use allocations::{
    Allocation, Callers, Event, Kind, Position, facts, hip,
    lines::{DIGITS, describe},
};
use guest::lock;

use super::Findings;

static LEAKS: OnceLock<Leaks> = OnceLock::new();

/// From now on, the lines follow what the program allocates.
pub fn look_for_leaks(findings: &Arc<Findings>) {
    let leaks = Leaks {
        findings: findings.clone(),
        known: Mutex::default(),
    };
    if LEAKS.set(leaks).is_ok() {
        facts::keep(Some(|event| {
            if let Some(leaks) = LEAKS.get() {
                leaks.hear(event);
            }
        }));
        hip::watch();
    }
}

struct Leaks {
    findings: Arc<Findings>,
    known: Mutex<Known>,
}

/// A place that allocates: kind of memory, function of HIP, and callers.
type Place = (Kind, &'static str, Callers);

#[derive(Default)]
struct Known {
    sites: HashMap<Place, Site>,
    /// Memory that is not freed, by its first byte.
    living: BTreeMap<u64, Living>,
}

/// Memory of one place that is not freed.
#[derive(Clone, Copy, Default)]
struct Site {
    /// Where its line is in the file, once it has one.
    at: Option<u64>,
    allocations: u64,
    bytes: u64,
}

struct Living {
    end: u64,
    place: Place,
}

/// Memory that a program frees by a function of its own. A graph frees that of its nodes, and a module its variables; kernels free what they
/// allocate.
fn is_freed_by_program(one: &Allocation) -> bool {
    let is_variable = one.name.is_some();
    match one.kind {
        _ if is_variable => false,
        Kind::Device
        | Kind::Pinned
        | Kind::Managed
        | Kind::Registered
        | Kind::Stream
        | Kind::Pitched
        | Kind::Array
        | Kind::Mapped
        | Kind::Imported => true,
        Kind::Hsa | Kind::Node | Kind::Variable | Kind::Heap => false,
    }
}

impl Leaks {
    fn hear(&self, event: &Event<'_>) {
        match event {
            Event::Allocated(one) if is_freed_by_program(one) => self.allocated(one),
            Event::Freed(one) => self.gone(&mut lock(&self.known), one.base, one.end()),
            Event::Reset => self.gone(&mut lock(&self.known), 0, u64::MAX),
            _ => {}
        }
    }

    fn allocated(&self, one: &Allocation) {
        let mut known = lock(&self.known);
        // Its pool has gone, and no function has freed what lay there.
        self.gone(&mut known, one.base, one.end());
        let place = (one.kind, one.by, one.allocated.clone());
        let living = Living {
            end: one.end(),
            place: place.clone(),
        };
        known.living.insert(one.base, living);
        let site = known.sites.entry(place).or_default();
        site.allocations += 1;
        site.bytes += one.size;
        match site.at {
            None => site.at = Some(self.begin(*site, one)),
            Some(_) => self.write(*site),
        }
    }

    /// All memory that overlaps these addresses is freed.
    fn gone(&self, known: &mut Known, base: u64, end: u64) {
        let Known { sites, living } = known;
        let before = living.range(..base).next_back();
        let from = match before {
            Some((start, one)) if one.end > base => *start,
            _ => base,
        };
        let gone: Vec<u64> = living
            .range(from..end.max(from + 1))
            .map(|(start, _)| *start)
            .collect();
        for start in gone {
            let Some(one) = living.remove(&start) else {
                continue;
            };
            if let Some(site) = sites.get_mut(&one.place) {
                site.allocations -= 1;
                site.bytes -= one.end - start;
                self.write(*site);
            }
        }
    }

    /// Writes the lines of a place at the end of the file, and returns where they begin.
    fn begin(&self, site: Site, one: &Allocation) -> u64 {
        let mut inner = self.findings.inner();
        let lines = numbers(site) + "\n" + &describe(one, Position::Inside(0), one.base);
        self.findings.append(&mut inner, &lines)
    }

    fn write(&self, site: Site) {
        let mut inner = self.findings.inner();
        if let Some(at) = site.at {
            self.findings.write(&mut inner, at, &numbers(site));
        }
    }
}

/// How many allocations and bytes there are; always as long.
fn numbers(site: Site) -> String {
    let Site {
        allocations, bytes, ..
    } = site;
    format!("{allocations:0DIGITS$}\tleak\t{bytes:0DIGITS$}")
}
