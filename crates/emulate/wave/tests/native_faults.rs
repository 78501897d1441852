//! Stops of waves whose runs of instructions are host code: they have the same cause, place and registers as in the interpreter.

use wave::{HostCode, Stop};

use crate::{
    harness::{Machine, random::Random},
    native::{ADDRESSES, Result, difference, pick, program, set_up},
};

/// Random programs of each kind.
const PROGRAMS: u64 = 60;
/// Registers with an address in global memory: all lanes in the buffer, and some not.
const INSIDE: usize = 60;
const OUTSIDE: usize = 62;
/// Words of the buffer.
const WORDS: usize = 256;

/// Instructions that may stop a wave, on gfx9 and since gfx11.
const ACCESSES: &[[&str; 2]] = &[
    ["ds_write_b32 v44, v1", "ds_store_b32 v44, v1"],
    ["ds_write_b128 v46, v[2:5]", "ds_store_b128 v46, v[2:5]"],
    [
        "ds_write2_b32 v45, v1, v2 offset1:9",
        "ds_store_2addr_b32 v45, v1, v2 offset1:9",
    ],
    ["ds_read_u8 v3, v52", "ds_load_u8 v3, v52"],
    ["ds_add_u32 v51, v2", "ds_add_u32 v51, v2"],
    ["ds_read_b32 v2, v52", "ds_load_b32 v2, v52"],
    [
        "ds_read2_b64 v[2:5], v53 offset1:3",
        "ds_load_2addr_b64 v[2:5], v53 offset1:3",
    ],
    [
        "global_load_dword v2, v[60:61], off",
        "global_load_b32 v2, v[60:61], off",
    ],
    [
        "global_load_dwordx2 v[2:3], v[62:63], off",
        "global_load_b64 v[2:3], v[62:63], off",
    ],
    [
        "global_store_dword v[60:61], v2, off",
        "global_store_b32 v[60:61], v2, off",
    ],
    [
        "global_store_dword v[62:63], v2, off",
        "global_store_b32 v[62:63], v2, off",
    ],
    [
        "global_atomic_add v[62:63], v2, off",
        "global_atomic_add_u32 v[62:63], v2, off",
    ],
    ["flat_load_dword v2, v[62:63]", "flat_load_b32 v2, v[62:63]"],
    [
        "s_load_dword s40, s[46:47], 0x0",
        "s_load_b32 s40, s[46:47], 0x0",
    ],
    ["s_trap 3", "s_trap 3"],
];

/// A random program with loops, in which later turns access other addresses.
fn looping(random: &mut Random, length: u64, later: bool) -> String {
    let mut lines: Vec<String> = program(random, 8, length, later)
        .lines()
        .map(str::to_owned)
        .collect();
    for _ in 0..1 + random.below(3) {
        let at = random.below(lines.len() as u64) as usize;
        lines.insert(at, pick(random, ACCESSES)[usize::from(later)].to_owned());
    }
    let add = match later {
        true => "v_add_nc_u32_e32",
        false => "v_add_u32_e32",
    };
    let moved = ADDRESSES.0 + random.below(ADDRESSES.1);
    format!(
        "s_mov_b32 s50, 6\nagain:\n{}\n{add} v{moved}, 0x380, v{moved}\ns_sub_u32 s50, s50, 1\ns_cmp_lg_u32 s50, 0\n\
         s_cbranch_scc1 again",
        lines.join("\n")
    )
}

/// The stop, the place of the instruction that has caused it, that of the next one, and everything else.
type End = (Stop, [u64; 2], Result);

/// The way in which a wave comes to its end.
#[derive(Clone, Copy, Debug)]
struct Way {
    native: Option<HostCode>,
    slice: u32,
}

fn end(target: &str, wave_size: u32, text: &str, seed: u64, way: Way) -> End {
    let mut machine = Machine::strict(target, wave_size, text, way.native);
    let mut buffer = vec![7u32; WORDS];
    let address = machine.map(&mut buffer);
    set_up(&mut machine, seed);
    let lane_outside = Random(seed).below(u64::from(wave_size)) as usize;
    machine.vgpr64(INSIDE, |lane| address + 4 * lane as u64);
    machine.vgpr64(OUTSIDE, |lane| match lane {
        lane if lane >= lane_outside => 0x1000 + 4 * lane as u64,
        lane => address + 4 * lane as u64,
    });
    let stop = machine.stop_in_slices(way.slice);
    let start = machine.start();
    let stop = match stop {
        // Buffers lie elsewhere in each machine.
        Stop::Fault(mut fault)
            if (address..address + 4 * WORDS as u64).contains(&fault.address) =>
        {
            fault.address -= address;
            Stop::Fault(fault)
        }
        stop => stop,
    };
    let wave = &machine.wave;
    let places = [wave.stopped_at() - start, wave.next_address() - start];
    // The registers with addresses of the buffer are the same but for that.
    machine.vgpr64(INSIDE, |_| 0).vgpr64(OUTSIDE, |_| 0);
    (stop, places, Result::of(&machine))
}

/// Compares stops of random programs. The result is at how many places of their programs waves have faulted.
fn compare(target: &str, wave_size: u32, length: u64) -> usize {
    let mut random = Random(u64::from(wave_size) + length);
    let mut places = std::collections::HashSet::new();
    let interpreted = Way {
        native: None,
        slice: 1_000_000,
    };
    let soon = HostCode {
        after: 2,
        ..HostCode::OFTEN
    };
    let ways = [
        (Some(HostCode::at_once(1)), 1_000_000),
        (Some(HostCode::at_once(1)), 1),
        (Some(HostCode::at_once(3)), 2),
        (Some(soon), 1_000_000),
        (None, 1),
    ];
    for number in 0..PROGRAMS {
        let text = looping(&mut random, length, target != "gfx90a");
        let seed = random.bits();
        let expected = end(target, wave_size, &text, seed, interpreted);
        if matches!(expected.0, Stop::Fault(_)) {
            places.insert(expected.1[0]);
        }
        for (native, slice) in ways {
            let way = Way { native, slice };
            let found = end(target, wave_size, &text, seed, way);
            assert!(
                found == expected,
                "{target} program {number}, {way:?}: {:?} at {:x?}, not {:?} at {:x?}; {}\n{text}",
                found.0,
                found.1,
                expected.0,
                expected.1,
                difference(&found.2, &expected.2)
            );
        }
    }
    places.len()
}

#[test]
fn waves_stop_at_the_same_place_with_host_code() {
    for (target, wave_size) in [("gfx90a", 64), ("gfx1100", 32)] {
        for length in [6, 20, 1000] {
            let places = compare(target, wave_size, length);
            assert!(places > 20, "{target}, {length}: {places} places");
        }
    }
}
