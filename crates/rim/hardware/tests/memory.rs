//! Cases of memory do what the manuals say of their addresses, and faults planted there are found.

use crate::common::{checked, differing, faulty};
use hardware::{
    Job,
    frame::{HEADER, Layout, SCALARS_AT, Word, arena::Arena},
};

const FLAT_OFFSET: usize = 16;

/// One wave's record before and after.
struct Wave<'a> {
    layout: Layout,
    before: &'a [u8],
    after: &'a [u8],
}

impl Wave<'_> {
    /// A register of a slot.
    fn register(&self, of: &[u8], lane: usize, slot: u16, register: usize) -> u32 {
        let at = HEADER + lane * self.layout.lane() + 4 * usize::from(slot * self.layout.width);
        word(of, at + 4 * register)
    }

    fn memory(&self, of: &[u8], at: usize) -> u32 {
        word(of, self.layout.arena_at() + at)
    }

    fn is_on(&self, lane: usize) -> bool {
        let exec = [Word::ExecLow, Word::ExecHigh].map(|half| word(self.before, 4 * half as usize));
        exec[lane / 32] >> (lane % 32) & 1 != 0
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// Shows each lane that is on of each wave of the plain case of `mnemonic` to `judge`.
fn each_lane(
    target: &str,
    mnemonic: &str,
    wave_size: u8,
    width: u16,
    arena: Arena,
    judge: impl Fn(&Wave<'_>, usize),
) {
    let layout = Layout {
        wave_size,
        width,
        arena,
        accumulating: 0,
    };
    let mut lanes = 0;
    let mut seen = faulty(
        |_| (),
        |job: &Job, number, output| {
            if number > 0 || job.launches[0].block != u32::from(wave_size) {
                return;
            }
            let input = &job.launches[0].input;
            assert_eq!(input.len(), output.len());
            let records = input.chunks_exact(layout.record());
            for (before, after) in records.zip(output.chunks_exact(layout.record())) {
                let wave = Wave {
                    layout,
                    before,
                    after,
                };
                for lane in (0..usize::from(wave_size)).filter(|&lane| wave.is_on(lane)) {
                    judge(&wave, lane);
                    lanes += 1;
                }
            }
        },
    );
    let report = checked(target, mnemonic, &mut seen);
    assert!(report.agrees(), "{target} {mnemonic}");
    drop(seen);
    assert!(lanes > 100, "{target} {mnemonic}: {lanes} lanes");
}

#[test]
fn lanes_load_and_store_their_own_global_memory() {
    for (target, wave_size, load, store) in [
        ("gfx900", 64, "global_load_dwordx3", "global_store_dwordx2"),
        ("gfx1030", 32, "global_load_dwordx3", "global_store_dwordx2"),
        ("gfx1100", 32, "buffer_load_b96", "buffer_store_b64"),
        ("gfx1200", 32, "global_load_b96", "flat_store_b64"),
    ] {
        let slot = if load.starts_with("buffer") { 0 } else { 3 };
        each_lane(target, load, wave_size, 4, Arena::Global, |wave, lane| {
            for register in 0..3 {
                let loaded = wave.register(wave.after, lane, slot, register);
                let memory = wave.memory(wave.before, 64 * lane + FLAT_OFFSET + 4 * register);
                assert_eq!(loaded, memory, "{target} lane {lane}");
            }
        });
        let offset = if store.starts_with("flat") {
            0
        } else {
            FLAT_OFFSET
        };
        each_lane(target, store, wave_size, 2, Arena::Global, |wave, lane| {
            for register in 0..2 {
                let stored = wave.register(wave.before, lane, 0, register);
                let memory = wave.memory(wave.after, 64 * lane + offset + 4 * register);
                assert_eq!(stored, memory, "{target} lane {lane}");
            }
        });
    }
}

#[test]
fn lanes_have_two_places_of_their_own_in_lds() {
    for (target, wave_size, read, write) in [
        ("gfx90a", 64, "ds_read2_b32", "ds_write2st64_b64"),
        (
            "gfx1201",
            32,
            "ds_load_2addr_b32",
            "ds_store_2addr_stride64_b64",
        ),
    ] {
        each_lane(target, read, wave_size, 2, Arena::Lds, |wave, lane| {
            for (register, at) in [4, 12].into_iter().enumerate() {
                let loaded = wave.register(wave.after, lane, 3, register);
                assert_eq!(
                    loaded,
                    wave.memory(wave.before, 64 * lane + at),
                    "{target} lane {lane}"
                );
            }
        });
        let half = 64 * usize::from(wave_size);
        each_lane(target, write, wave_size, 2, Arena::Lds, |wave, lane| {
            for (slot, at) in [(0, 0), (1, half)] {
                for register in 0..2 {
                    let stored = wave.register(wave.before, lane, slot, register);
                    let memory = wave.memory(wave.after, at + 64 * lane + 4 * register);
                    assert_eq!(stored, memory, "{target} lane {lane}");
                }
            }
        });
    }
}

#[test]
fn atomics_change_memory_and_scalars_are_loaded() {
    each_lane(
        "gfx942",
        "buffer_atomic_sub",
        64,
        1,
        Arena::Global,
        |wave, lane| {
            let at = 64 * lane + FLAT_OFFSET;
            let difference =
                wave.memory(wave.before, at)
                    .wrapping_sub(wave.register(wave.before, lane, 0, 0));
            assert_eq!(wave.memory(wave.after, at), difference);
        },
    );
    each_lane(
        "gfx1030",
        "s_buffer_load_dwordx4",
        32,
        0,
        Arena::Global,
        |wave, lane| {
            // (The same for every lane.)
            let scalar = |number: usize| word(wave.after, SCALARS_AT + 4 * (number - 16));
            let loaded = scalar(28 + lane % 4);
            assert_eq!(
                loaded,
                wave.memory(wave.before, FLAT_OFFSET + 4 * (lane % 4))
            );
        },
    );
}

/// The even lanes' addresses are 0 and the odd ones' 16; to that comes the offset of the instruction.
#[test]
fn lanes_load_and_store_their_own_scratch() {
    for (target, wave_size, load, store) in [
        (
            "gfx900",
            64,
            "scratch_load_dwordx3",
            "scratch_store_dwordx2",
        ),
        (
            "gfx90a",
            64,
            "scratch_load_dwordx3",
            "scratch_store_dwordx2",
        ),
        (
            "gfx942",
            64,
            "scratch_load_dwordx3",
            "scratch_store_dwordx2",
        ),
        (
            "gfx1030",
            32,
            "scratch_load_dwordx3",
            "scratch_store_dwordx2",
        ),
        ("gfx1100", 32, "scratch_load_b96", "scratch_store_b64"),
        ("gfx1200", 32, "scratch_load_b96", "scratch_store_b64"),
    ] {
        let place = |lane: usize| 64 * lane + 16 * (lane % 2) + FLAT_OFFSET;
        each_lane(target, load, wave_size, 4, Arena::Scratch, |wave, lane| {
            for register in 0..3 {
                let loaded = wave.register(wave.after, lane, 3, register);
                let memory = wave.memory(wave.before, place(lane) + 4 * register);
                assert_eq!(loaded, memory, "{target} lane {lane}");
            }
        });
        each_lane(target, store, wave_size, 2, Arena::Scratch, |wave, lane| {
            for register in 0..2 {
                let stored = wave.register(wave.before, lane, 0, register);
                let memory = wave.memory(wave.after, place(lane) + 4 * register);
                assert_eq!(stored, memory, "{target} lane {lane}");
            }
            // The memory beside it does not change.
            let beside = place(lane) + 8;
            assert_eq!(
                wave.memory(wave.after, beside),
                wave.memory(wave.before, beside)
            );
        });
    }
}

#[test]
fn a_store_to_scratch_that_goes_elsewhere_is_found() {
    let layout = Layout {
        wave_size: 64,
        width: 1,
        arena: Arena::Scratch,
        accumulating: 0,
    };
    // The value that lane 1 has stored is a dword further on.
    let mut gpu = faulty(
        |_| (),
        |_, _, output| {
            for record in output.chunks_exact_mut(layout.record()) {
                let at = layout.arena_at() + 64 + 32;
                record.copy_within(at..at + 4, at + 4);
            }
        },
    );
    let report = checked("gfx90a", "scratch_store_dword", &mut gpu);
    assert!(differing(&report).contains(&"scratch_store_dword"));
    let text = hardware::page::text(&report);
    assert!(text.contains("memory+0x64"), "{text}");
}

/// Compare-and-swap finds what it compares with, sometimes.
#[test]
fn some_comparisons_hold() {
    let swapped = std::cell::Cell::new([0; 2]);
    each_lane("gfx90a", "ds_cmpst_b32", 64, 1, Arena::Lds, |wave, lane| {
        let changed = wave.memory(wave.before, 64 * lane) == wave.register(wave.before, lane, 0, 0);
        let mut counts = swapped.get();
        counts[usize::from(changed)] += 1;
        swapped.set(counts);
        if changed {
            let new = wave.register(wave.before, lane, 1, 0);
            assert_eq!(wave.memory(wave.after, 64 * lane), new);
        }
    });
    assert!(swapped.get().iter().all(|&count| count > 20), "{swapped:?}");
}

/// Kernels of the same name in several objects have LDS or none.
#[test]
fn lds_is_there_beside_kernels_without() {
    let layout = Layout {
        wave_size: 64,
        width: 1,
        arena: Arena::Lds,
        accumulating: 0,
    };
    let mut found = 0;
    let mut seen = faulty(
        |_| (),
        |job: &Job, number, output| {
            let launch = &job.launches[number];
            if launch.lds > 0 && launch.output == (layout.record() * launch.groups as usize) as u64
            {
                // Nothing accesses the end of what the last lane has.
                let at = layout.arena_at() + 63 * 64 + 60;
                let [before, after] = [&launch.input, &*output].map(|all| word(all, at));
                assert_eq!(before, after);
                found += 1;
            }
        },
    );
    for only in ["global_store_dwordx4", "ds_or_b32"] {
        assert!(checked("gfx90a", only, &mut seen).agrees());
    }
    drop(seen);
    assert_eq!(found, 1);
}

#[test]
fn a_lost_store_is_found() {
    let layout = Layout {
        wave_size: 64,
        width: 1,
        arena: Arena::Lds,
        accumulating: 0,
    };
    let mut gpu = faulty(
        |_| (),
        |job: &Job, number, output| {
            let before = job.launches[number].input.chunks_exact(layout.record());
            for (after, before) in output.chunks_exact_mut(layout.record()).zip(before) {
                let at = layout.arena_at() + 64;
                after[at..at + 4].copy_from_slice(&before[at..at + 4]);
            }
        },
    );
    let report = checked("gfx90a", "ds_write_b32", &mut gpu);
    assert_eq!(differing(&report), ["ds_write_b32"]);
    let text = hardware::page::text(&report);
    assert!(text.contains("memory+0x40"), "{text}");
}

#[test]
fn both_halves_of_two_instructions_in_one_are_compared() {
    // The second result is in the fourth register.
    let layout = Layout {
        wave_size: 32,
        width: 1,
        arena: Arena::None,
        accumulating: 0,
    };
    let mut gpu = faulty(
        |_| (),
        |_, _, output| output[HEADER + layout.lane() - 4] ^= 1,
    );
    let report = checked("gfx1100", "v_dual_add_f32 :: v_dual_mul_f32", &mut gpu);
    assert_eq!(differing(&report), ["v_dual_add_f32 :: v_dual_mul_f32"]);
}
