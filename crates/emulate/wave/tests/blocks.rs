//! Dwords that all lanes of a wave load or store one behind the other, and those that nearly are. A lane is elsewhere or off, an end lies
//! outside of the memory, or words pass 2^32. Expected values follow from the addresses alone, and so does whether the quick way is taken.

use crate::harness::{Machine, random::Random};
use wave::{Fault, FaultKind, Stop};

const ROUNDS: usize = 150;
/// Bytes of the host, and those among them that the device may access.
const HOST: usize = 4096;
const DEVICE: std::ops::Range<usize> = 1024..3072;
const TEXTS: [(&str, bool); 6] = [
    ("global_load_dword v8, v[2:3], off", false),
    // The load overwrites its addresses.
    ("global_load_dword v2, v[2:3], off", false),
    ("global_load_dword v3, v[2:3], off", false),
    ("global_load_dword v8, v1, s[2:3]", false),
    ("global_store_dword v[2:3], v8, off", true),
    ("global_store_dword v1, v8, s[2:3]", true),
];

/// How the addresses differ from those of one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flaw {
    None,
    /// A lane is elsewhere in the memory.
    Low,
    /// A lane has another upper word.
    High,
    Off,
    /// The piece may begin or end outside.
    Edge,
    /// The low words wrap at some lane.
    Wrap,
    ReadOnly,
}

const FLAWS: [Flaw; 7] = [
    Flaw::None,
    Flaw::Low,
    Flaw::High,
    Flaw::Off,
    Flaw::Edge,
    Flaw::Wrap,
    Flaw::ReadOnly,
];

/// Address of each lane, the scalar base, and the lanes that are on.
struct Drawn {
    at: Vec<u64>,
    base: u64,
    mask: u64,
}

/// Returns `true` if dwords that are one piece of memory go a quick way on this host.
fn has_quick_way() -> bool {
    cfg!(wide) && vectors::level::has_avx512()
}

/// A number below `limit`.
fn below(random: &mut Random, limit: usize) -> usize {
    random.below(limit as u64) as usize
}

/// `device` is where the device's memory begins.
fn drawn(flaw: Flaw, device: u64, lanes: usize, scalar: bool, random: &mut Random) -> Drawn {
    let bytes = (DEVICE.end - DEVICE.start) as u64;
    let room = bytes - 4 * lanes as u64;
    let lane = below(random, lanes);
    let first = match flaw {
        Flaw::Edge if below(random, 2) == 0 => device.wrapping_sub(4 * below(random, lanes) as u64),
        Flaw::Edge => device + room + 4 * below(random, lanes) as u64,
        _ => device + below(random, room as usize) as u64,
    };
    let mut at: Vec<u64> = (0..lanes as u64).map(|lane| first + 4 * lane).collect();
    let mut base = device.wrapping_sub(4096 + below(random, 1 << 20) as u64);
    let mut mask = u64::MAX >> (64 - lanes);
    match flaw {
        Flaw::Low => at[lane] = device + below(random, bytes as usize - 4) as u64,
        // A scalar base has no upper words.
        Flaw::High if !scalar => at[lane] ^= 1 << (32 + below(random, 8)),
        Flaw::Off => mask &= !(1 << lane),
        Flaw::Wrap if scalar => {
            base = first.wrapping_sub((1 << 32) - 4 * lane as u64);
            at[lane..].iter_mut().for_each(|at| *at -= 1 << 32);
        }
        _ => {}
    }
    Drawn { at, base, mask }
}

fn check(machine: (&str, u32), instruction: &str, is_store: bool, flaw: Flaw, random: &mut Random) {
    let (target, wave_size) = machine;
    let (scalar, lanes) = (instruction.contains("s["), wave_size as usize);
    let offset = [0, 4, -8, 100][below(random, 4)];
    // The quick way is for memory that was accessed before.
    let text = format!("global_load_dword v11, v[4:5], off\n{instruction} offset:{offset}");
    let mut m = Machine::with_wave_size(target, wave_size, &text);
    let mut memory: Vec<u8> = (0..HOST).map(|_| below(random, 256) as u8).collect();
    let read_only = flaw == Flaw::ReadOnly;
    let device = match read_only {
        true => m.map_read_only(&mut memory[DEVICE]),
        false => m.map(&mut memory[DEVICE]),
    };
    let Drawn { at, base, mask } = drawn(flaw, device, lanes, scalar, random);
    let without = |lane: usize| at[lane % lanes].wrapping_sub(offset as i64 as u64);
    let base = base.wrapping_sub(offset as i64 as u64);
    let data: Vec<u32> = (0..64).map(|_| random.bits() as u32).collect();
    m.exec(mask).sgpr64(2, base).vgpr(8, |lane| data[lane]);
    m.vgpr64(4, |_| device);
    match scalar {
        true => m.vgpr(1, |lane| without(lane).wrapping_sub(base) as u32),
        false => m.vgpr64(2, without),
    };
    let name = format!("{target} {wave_size} {text} {flaw:?}");
    let mut expected = memory.clone();
    let end = device + (DEVICE.end - DEVICE.start) as u64;
    let mut on = (0..lanes).filter(|lane| mask >> lane & 1 != 0);
    let refused = |lane: &usize| at[*lane] < device || at[*lane] + 4 > end || is_store && read_only;
    let fault = on.clone().find(refused).map(|lane| Fault {
        kind: match (device..end).contains(&at[lane]) && is_store && read_only {
            true => FaultKind::ReadOnly,
            false => FaultKind::NotMapped,
        },
        address: at[lane],
        bytes: 4,
        lane: lane as u32,
    });
    let before = memory.clone();
    let row_of = |row: usize| std::array::from_fn(|lane| m.wave.vgpr(row, lane));
    let old: [[u32; 64]; 10] = std::array::from_fn(row_of);
    let stop = m.stop();
    // The low word of the first lane's address, without the scalar base. Where it is near its end, the usual way is taken.
    let low = without(0).wrapping_sub(if scalar { base } else { 0 }) as u32;
    let follow_each_other = at.iter().zip((at[0]..).step_by(4)).all(|(a, b)| *a == b);
    let is_piece = fault.is_none()
        && mask.count_ones() == wave_size
        && follow_each_other
        && low <= u32::MAX - 256;
    if has_quick_way() {
        // The first load is of one dword for all lanes.
        let usual = 1 + u64::from(!is_piece);
        assert_eq!(m.usual_accesses, usual, "{name}: {at:x?}");
    }
    if let Some(fault) = fault {
        assert_eq!(stop, Stop::Fault(fault), "{name}");
        return;
    }
    assert_eq!(stop, Stop::End, "{name}");
    let place = |lane: usize| (at[lane] - device) as usize + DEVICE.start;
    if is_store {
        on.by_ref().for_each(|lane| {
            expected[place(lane)..place(lane) + 4].copy_from_slice(&data[lane].to_le_bytes());
        });
    } else {
        let row: usize = instruction["global_load_dword v".len()..][..1]
            .parse()
            .unwrap();
        let loaded = |lane: usize| before[place(lane)..place(lane) + 4].try_into().unwrap();
        for (lane, &old) in old[row].iter().enumerate() {
            let expected = match lane < lanes && mask >> lane & 1 != 0 {
                true => u32::from_le_bytes(loaded(lane)),
                false => old,
            };
            assert_eq!(m.wave.vgpr(row, lane), expected, "{name}: lane {lane}");
        }
        for lane in 0..64 {
            assert_eq!(m.wave.vgpr(row + 1, lane), old[row + 1][lane], "{name}");
        }
    }
    assert!(memory == expected, "{name}: other bytes");
}

#[test]
fn pieces_of_memory_and_what_is_nearly_one() {
    let mut random = Random(55);
    for machine in [("gfx90a", 64), ("gfx1030", 64), ("gfx1030", 32)] {
        for (text, is_store) in TEXTS {
            for _ in 0..ROUNDS {
                let flaw = FLAWS[below(&mut random, FLAWS.len())];
                check(machine, text, is_store, flaw, &mut random);
            }
        }
    }
}
