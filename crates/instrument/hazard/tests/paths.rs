//! Waits along single paths. Findings follow from the counters' definitions in the ISA manuals.

use gfx::Target;
use hazard::{Conflict, NOTHING, Paths};
use isa::{Assembler, Decoder};

/// Instructions in the order in which a wave executes them, as conflict and their numbers. No lane is on from `alone` on.
fn found_without_lanes(target: &str, path: &[&str], alone: usize) -> Vec<(Conflict, u64, u64)> {
    let target = Target::find(target).unwrap();
    let wave_size = target.wave_size;
    let decoder = Decoder::with_features(target, wave_size, "").unwrap();
    let assembler = Assembler::new(target).unwrap();
    let mut paths = Paths::new(target, wave_size);
    let mut number = NOTHING;
    // Far apart, each line at its own address; the same line is the same instruction.
    let address = |line: &str| 0x100 * path.iter().position(|other| *other == line).unwrap() as u64;
    for (index, line) in path.iter().enumerate() {
        let pc = address(line);
        let code = assembler.assemble(line).unwrap();
        let site = paths.site(pc, decoder.decode(&code, pc).ok().as_ref());
        number = paths.step(number, site, index < alone).next;
    }
    assert!(!paths.gave_up());
    let found = paths.found().iter();
    found
        .map(|one| (one.conflict, one.producer / 0x100, one.consumer / 0x100))
        .collect()
}

fn found(target: &str, path: &[&str]) -> Vec<(Conflict, u64, u64)> {
    found_without_lanes(target, path, usize::MAX)
}

/// Target, load, scalar load, read of LDS, store to LDS, barrier, and waits for vector memory, for scalars and for LDS.
#[rustfmt::skip]
const TARGETS: &[(&str, [&str; 5], [&str; 4])] = &[
    ("gfx90a",
        ["global_load_dword v1, v0, s[2:3]", "s_load_dword s4, s[2:3], 0x0", "ds_read_b32 v2, v0", "ds_write_b32 v0, v5", "s_barrier"],
        ["s_waitcnt vmcnt(0)", "s_waitcnt vmcnt(1)", "s_waitcnt lgkmcnt(0)", "s_waitcnt lgkmcnt(0)"]),
    ("gfx1100",
        ["global_load_b32 v1, v0, s[2:3]", "s_load_b32 s4, s[2:3], 0x0", "ds_load_b32 v2, v0", "ds_store_b32 v0, v5", "s_barrier"],
        ["s_waitcnt vmcnt(0)", "s_waitcnt vmcnt(1)", "s_waitcnt lgkmcnt(0)", "s_waitcnt lgkmcnt(0)"]),
    ("gfx1201",
        ["global_load_b32 v1, v0, s[2:3]", "s_load_b32 s4, s[2:3], 0x0", "ds_load_b32 v2, v0", "ds_store_b32 v0, v5", "s_barrier_signal -1"],
        ["s_wait_loadcnt 0x0", "s_wait_loadcnt 0x1", "s_wait_kmcnt 0x0", "s_wait_dscnt 0x0"]),
];

#[test]
fn each_missing_wait_is_found_once_and_none_else() {
    for &(target, [load, scalar, read, store, barrier], [all, one, scalars, lds]) in TARGETS {
        let use_vector = "v_mov_b32_e32 v3, v1";
        let use_scalar = "s_mov_b32 s6, s4";
        let use_lds = "v_mov_b32_e32 v3, v2";
        let read_early = |producer, consumer| vec![(Conflict::Read, producer, consumer)];
        for (path, expected) in [
            (&[load, use_vector][..], read_early(0, 1)),
            (&[load, use_vector, use_vector], read_early(0, 1)),
            (&[load, all, use_vector], vec![]),
            // One younger load on the counter: a wait for 1 is enough, without it not.
            (&[load, &load.replace("v1", "v7"), one, use_vector], vec![]),
            (&[load, one, use_vector], read_early(0, 2)),
            (&[scalar, use_scalar], read_early(0, 1)),
            (&[scalar, scalars, use_scalar], vec![]),
            (&[read, use_lds], read_early(0, 1)),
            (&[read, lds, use_lds], vec![]),
            (&[read, all, use_lds], read_early(0, 2)),
            // A store that may be on its way at a barrier behind which LDS is read.
            (&[store, barrier, read], vec![(Conflict::Barrier, 0, 1)]),
            (&[store, lds, barrier, read], vec![]),
            (&[store, barrier, use_vector], vec![]),
        ] {
            assert_eq!(found(target, path), expected, "{target}: {path:?}");
        }
    }
}

#[test]
fn what_comes_in_order_may_be_overwritten() {
    let load = "global_load_dword v1, v0, s[2:3]";
    assert_eq!(found("gfx90a", &[load, load]), []);
    let load = "global_load_b32 v1, v0, s[2:3]";
    let second = "global_load_b32 v1, v0, s[2:3] offset:4";
    assert_eq!(
        found("gfx1201", &[load, second]),
        [(Conflict::Overwrite, 0, 1)]
    );
}

#[test]
fn a_loop_ends_in_few_states() {
    // 10,000 rounds, each of which leaves one more load outstanding, as long as the counter has room.
    let path = vec!["global_load_dword v1, v0, s[2:3]"; 10_000];
    assert_eq!(found("gfx90a", &path), []);
}

#[test]
fn without_lanes_vectors_neither_come_nor_are_read() {
    let load = "global_load_dword v1, v0, s[2:3]";
    let scalar = "s_load_dword s4, s[2:3], 0x0";
    let read = "v_mov_b32_e32 v3, v1";
    let one_lane = "v_readlane_b32 s7, v1, 3";
    let read_scalar = "s_mov_b32 s6, s4";
    for (path, alone, expected) in [
        (&[load, read][..], 2, vec![(Conflict::Read, 0, 1)]),
        (&[load, read], 1, vec![]),
        (&[load, read], 0, vec![]),
        (&[load, one_lane], 1, vec![(Conflict::Read, 0, 1)]),
        (&[load, one_lane], 0, vec![]),
        (&[scalar, read_scalar], 0, vec![(Conflict::Read, 0, 1)]),
    ] {
        assert_eq!(
            found_without_lanes("gfx90a", path, alone),
            expected,
            "{path:?}, {alone}"
        );
    }
}

/// One operation has two first conflicts on two paths: two places.
#[test]
fn what_follows_a_conflict_on_its_path_is_not_told_again() {
    let load = "global_load_dword v1, v0, s[2:3]";
    let (first, second) = ("v_mov_b32_e32 v3, v1", "v_mov_b32_e32 v4, v1");
    let path = [load, first, second, "s_waitcnt vmcnt(0)", load, second];
    assert_eq!(
        found("gfx90a", &path),
        [(Conflict::Read, 0, 1), (Conflict::Read, 0, 2)]
    );
}
