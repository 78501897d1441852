//! Memory accesses of a wave as other threads may see them. Two dwords at a multiple of eight bytes move as one, because
//! programs keep a value there together with the flag that says it is valid.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
};

use crate::harness::Machine;

/// Lanes that are on: all, one, some of every group.
const MASKS: [u64; 3] = [!0, 1 << 5, 0x7fff_0ff0_00ff_0101];
/// Addresses by lane: one, a row, apart.
const OFFSETS: [fn(usize) -> u64; 3] = [|_| 64, |lane| 8 * lane as u64, |lane| 24 * lane as u64];
const TURNS: usize = 300;

/// Returns `true` if both halves of `pair` come from one store.
fn is_whole(pair: u64) -> bool {
    pair as u32 == (pair >> 32) as u32
}

/// Runs `text` again and again while `meanwhile` has its turn at the same memory.
fn race(
    target: &str,
    text: &str,
    mask: u64,
    offset: fn(usize) -> u64,
    meanwhile: impl Fn(&[AtomicU64]) + Sync,
    mut check: impl FnMut(&mut Machine, usize),
) {
    let memory: Vec<AtomicU64> = (0..256).map(|_| AtomicU64::new(0)).collect();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                meanwhile(&memory);
            }
        });
        // However the turns end, the other thread must.
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for turn in 0..TURNS {
                let mut m = Machine::new(target, text);
                let base = m.map_shared(&memory);
                let wave_size = m.wave.wave_size();
                m.exec(if wave_size == 32 {
                    mask >> 32 | mask & 0xffff
                } else {
                    mask
                });
                m.sgpr64(2, base).vgpr(1, |lane| offset(lane) as u32);
                m.vgpr64(2, |lane| base + offset(lane));
                check(&mut m, turn);
            }
        }));
        stop.store(true, Ordering::Relaxed);
        if let Err(panic) = result {
            std::panic::resume_unwind(panic);
        }
    });
}

#[test]
fn loads_are_whole() {
    for target in ["gfx90a", "gfx1030"] {
        for mask in MASKS {
            for offset in OFFSETS {
                let text = "global_load_dwordx2 v[4:5], v1, s[2:3]
                            flat_load_dwordx2 v[6:7], v[2:3]
                            global_load_dwordx4 v[8:11], v[2:3], off";
                let count = std::cell::Cell::new(0u32);
                let next = AtomicU64::new(0);
                let write = |memory: &[AtomicU64]| {
                    let value = next.fetch_add(1, Ordering::Relaxed) & 0xffff_ffff;
                    for pair in memory {
                        pair.store(value | value << 32, Ordering::Relaxed);
                    }
                };
                race(target, text, mask, offset, write, |m, _| {
                    m.run();
                    let exec = m.wave.exec();
                    for lane in (0..m.wave.wave_size() as usize).filter(|l| exec >> l & 1 != 0) {
                        for first in [4, 6, 8, 10] {
                            let (low, high) =
                                (m.wave.vgpr(first, lane), m.wave.vgpr(first + 1, lane));
                            assert_eq!(low, high, "{target} {mask:#x} v{first} lane {lane}");
                            count.set(count.get() + 1);
                        }
                    }
                });
                assert!(count.get() > 0);
            }
        }
    }
}

#[test]
fn stores_are_whole() {
    for target in ["gfx90a", "gfx1030"] {
        for mask in MASKS {
            for offset in OFFSETS {
                let text = "global_store_dwordx2 v1, v[4:5], s[2:3]
                            flat_store_dwordx2 v[2:3], v[6:7]
                            global_store_dwordx2 v[2:3], v[8:9], off";
                let torn = AtomicU64::new(0);
                let read = |memory: &[AtomicU64]| {
                    for pair in memory {
                        let pair = pair.load(Ordering::Relaxed);
                        if !is_whole(pair) {
                            torn.store(pair, Ordering::Relaxed);
                        }
                    }
                };
                race(target, text, mask, offset, read, |m, turn| {
                    for first in [4, 6, 8] {
                        let value = (turn * 16 + first) as u32;
                        m.vgpr(first, |_| value).vgpr(first + 1, |_| value);
                    }
                    m.run();
                });
                assert_eq!(torn.load(Ordering::Relaxed), 0, "{target} {mask:#x}");
            }
        }
    }
}
