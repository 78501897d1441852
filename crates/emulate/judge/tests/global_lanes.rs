//! Lanes whose accesses to global memory are looked at together race as lanes that are looked at one after the other.

use crate::{
    common::{compiled_text, random},
    global_races::{ALL, Told},
};
use codeobj::CodeObject;
use emulate::{Argument, Device, Shape};
use global_races::{Found, GlobalRaces, Rules};
use std::{sync::Arc, time::Duration};

const LIMIT: Duration = Duration::from_secs(60);
const ITEMS: u32 = 256;
/// Bytes of a wave's memory.
const OWN: u64 = 4 * 256;
const STEPS: usize = 40;
const KINDS: u64 = 31;
/// The kinds that access parts of dwords.
const PARTS: [std::ops::Range<u64>; 2] = [10..15, 24..29];

/// Lanes that access parts of one dword are looked at as one, and a finding names the first of them. Launches without such accesses have the same
/// lanes, and all in the same sequence.
#[test]
fn lanes_together_race_as_lanes_one_by_one() {
    let mut next = random();
    for target in ["gfx90a", "gfx1100"] {
        let source = include_str!("global_by_lane.cl");
        let Some(bytes) = compiled_text(target, &["-O2", "-g"], source) else {
            return;
        };
        let (mut all, mut silent) = (0, 0);
        for round in 0..200 {
            // Some launches have many barriers, and few races. Workgroups race with each other whatever they do.
            let (kinds, workgroups) = (KINDS + 1 + 20 * (round % 3), 1 + (round % 4 / 3) as u32);
            let has_parts = round % 2 == 0;
            let mut kind = || loop {
                let kind = next(kinds);
                if has_parts || !PARTS.iter().any(|parts| parts.contains(&kind)) {
                    return [kind as u32, next(1 << 32) as u32];
                }
            };
            let plan: Vec<[u32; 2]> = (0..STEPS).map(|_| kind()).collect();
            let [together, one_by_one] = [true, false].map(|together| {
                // Cells get other numbers again and again.
                let cells = if together { 20 } else { ALL.cells };
                let rules = Rules {
                    together,
                    cells,
                    ..ALL
                };
                let mut found = mixed(&bytes, &plan, workgroups, rules);
                if has_parts {
                    found.iter_mut().for_each(|found| found.lane = None);
                    found.sort_by_cached_key(|found| format!("{found:?}"));
                }
                found
            });
            assert_eq!(together, one_by_one, "{target}: {round}: {plan:?}");
            all += together.len();
            silent += u32::from(together.is_empty());
        }
        assert!(all > 1000 && silent < 100, "{target}: {all}, {silent}");
    }
}

/// The races of workgroups that do what a plan says. Their places count from the start of the object and of the memory.
fn mixed(bytes: &[u8], plan: &[[u32; 2]], workgroups: u32, rules: Rules) -> Vec<Found> {
    let device = Device::new(CodeObject::parse(bytes).unwrap(), 1).unwrap();
    let told = Arc::new(Told::default());
    let races = GlobalRaces::by_rules(device.reader(), Box::new(|_| false), told.clone(), rules);
    device.follow(Arc::new(races));
    let words = plan.as_flattened().iter();
    let words: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
    let from = device.buffer(&words, words.len() as u64).unwrap();
    let items = workgroups * ITEMS;
    let memory = device.buffer(&[], OWN * u64::from(items / 32)).unwrap();
    let out = device.buffer(&[], 4 * u64::from(items)).unwrap();
    let shape = Shape {
        grid: [workgroups, 1, 1],
        block: [ITEMS, 1, 1],
        dynamic_lds: 0,
    };
    let arguments = [
        Argument::pointer(from),
        Argument((plan.len() as u32).to_le_bytes().to_vec()),
        Argument(workgroups.to_le_bytes().to_vec()),
        Argument::pointer(memory),
        Argument::pointer(out),
    ];
    let prepared = device.prepare("mixed", &shape, &arguments).unwrap();
    device.run_within(&prepared, LIMIT).unwrap();
    let told = told.found();
    let placed = told.into_iter().map(|mut found| {
        found.before.pc -= device.base();
        found.after.pc -= device.base();
        found.address -= memory;
        found
    });
    placed.collect()
}
