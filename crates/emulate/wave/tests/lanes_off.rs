//! Memory accesses of waves with lanes off, against bytes moved lane by lane: drawn masks and addresses, some of which lie
//! outside of what the wave may access.

use crate::harness::Machine;
use wave::{Fault, FaultKind, Stop};

/// Rounds of each instruction.
const ROUNDS: usize = 400;
/// Bytes of host memory, and those of them that the device may access.
const HOST: usize = 1 << 14;
const DEVICE: std::ops::Range<usize> = 0x1000..0x2abc;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }

    fn word(&mut self) -> u32 {
        (self.below(1 << 16) << 16 | self.below(1 << 16)) as u32
    }

    /// Lanes that are on: any, few, many, the first, the last, one.
    fn mask(&mut self, wave_size: usize) -> u64 {
        let mut bits = || u64::from(self.word()) << 32 | u64::from(self.word());
        let (a, b, c) = (bits(), bits(), bits());
        let lane = self.below(wave_size);
        let mask = match self.below(7) {
            0 => a,
            1 => a & b & c,
            2 => a | b | c,
            3 => (2u64 << lane).wrapping_sub(1),
            4 => !0 << lane,
            5 => 1 << lane,
            _ => 0x5555_5555_5555_5555,
        };
        let whole = !0 >> (64 - wave_size);
        if mask & whole == 0 {
            whole
        } else {
            mask & whole
        }
    }

    /// Chooses where in host memory each lane's `bytes` bytes lie: mostly inside the part that the device may access.
    fn places(&mut self, bytes: usize, mask: u64) -> Vec<usize> {
        let align = [1, 2, 4, 4, 8, 16][self.below(6)];
        let first = DEVICE.start + self.below(64) * align;
        let apart = self.below(20) * 4;
        let kind = self.below(7);
        let mut places: Vec<usize> = (0..64)
            .map(|lane| match kind {
                0 | 1 => first + bytes * lane,
                2 => first,
                3 => first + apart * lane,
                4 => first + bytes * (lane % 16),
                5 => first + bytes * (63 - lane),
                _ => DEVICE.start + self.below((DEVICE.len() - bytes) / align) * align,
            })
            .collect();
        // Blocks that end with the memory, of which lanes that are off stick out.
        if kind == 1 {
            let last = 63 - mask.leading_zeros() as usize;
            let back = DEVICE.end - bytes - places[last];
            places.iter_mut().for_each(|place| *place += back);
        }
        // One out of line, and one out of range, either of which may be off.
        if self.below(3) == 0 {
            places[self.below(64)] = DEVICE.start + self.below(DEVICE.len() - bytes);
        }
        if self.below(4) == 0 {
            let outside = [DEVICE.end - self.below(bytes), DEVICE.end + 64, 16];
            places[self.below(64)] = outside[self.below(3)];
        }
        places
    }
}

fn load(memory: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(memory[at..at + 4].try_into().expect("four bytes"))
}

/// A machine for `text` with drawn lanes on, its mask, and poison or data in v8 to v11.
fn machine(target: &str, text: &str, random: &mut Random) -> (Machine, u64, [Vec<u32>; 4]) {
    let mut m = Machine::new(target, text);
    let mask = random.mask(m.wave.wave_size() as usize);
    let data = [(); 4].map(|()| (0..64).map(|_| random.word()).collect::<Vec<u32>>());
    if text.contains("store") || text.contains("write") {
        for (word, row) in data.iter().enumerate() {
            m.vgpr(8 + word, |lane| row[lane]);
        }
    }
    m.exec(mask);
    (m, mask, data)
}

#[test]
fn device_memory() {
    let mut random = Random(1);
    let (mut faults, mut passes) = (0, 0);
    for target in ["gfx90a", "gfx1030"] {
        for (suffix, words) in [("dword", 1), ("dwordx2", 2), ("dwordx3", 3), ("dwordx4", 4)] {
            let data = format!("v[8:{}]", 7 + words);
            for (text, is_store) in [
                (format!("global_load_{suffix} {data}, v1, s[2:3]"), false),
                (format!("global_load_{suffix} {data}, v[2:3], off"), false),
                (format!("flat_load_{suffix} {data}, v[2:3]"), false),
                (format!("global_store_{suffix} v1, {data}, s[2:3]"), true),
                (format!("flat_store_{suffix} v[2:3], {data}"), true),
            ] {
                for round in 0..ROUNDS {
                    let name = format!("{target}: {text}, round {round}");
                    let (mut m, mask, data) = machine(target, &text, &mut random);
                    let mut memory: Vec<u8> = (0..HOST).map(|_| random.below(256) as u8).collect();
                    let start = m.map(&mut memory[DEVICE]);
                    let base = start - DEVICE.start as u64;
                    let places = random.places(4 * words, mask);
                    m.sgpr64(2, base).vgpr(1, |lane| places[lane] as u32);
                    // Lanes that are off point nowhere now and then.
                    let nowhere = random.below(2) == 0;
                    m.vgpr64(2, |lane| {
                        let off = mask >> lane & 1 == 0;
                        if off && nowhere {
                            3
                        } else {
                            base + places[lane] as u64
                        }
                    });
                    let mut expected = memory.clone();
                    let lanes = || (0..64).filter(|lane| mask >> lane & 1 != 0);
                    let outside = |lane: &usize| {
                        let at = places[*lane];
                        at < DEVICE.start || at + 4 * words > DEVICE.end
                    };
                    let stop = m.stop();
                    if let Some(lane) = lanes().find(outside) {
                        faults += 1;
                        let fault = Fault {
                            kind: FaultKind::NotMapped,
                            address: base + places[lane] as u64,
                            bytes: 4 * words as u32,
                            lane: lane as u32,
                        };
                        assert_eq!(stop, Stop::Fault(fault), "{name}");
                        // Groups before the faulting lane's may have moved.
                        assert_eq!(memory[..DEVICE.start], expected[..DEVICE.start], "{name}");
                        assert_eq!(memory[DEVICE.end..], expected[DEVICE.end..], "{name}");
                        continue;
                    }
                    passes += 1;
                    assert_eq!(stop, Stop::End, "{name}");
                    if is_store {
                        for lane in lanes() {
                            for (word, row) in data.iter().enumerate().take(words) {
                                let at = places[lane] + 4 * word;
                                expected[at..at + 4].copy_from_slice(&row[lane].to_le_bytes());
                            }
                        }
                    } else {
                        for word in 0..words {
                            m.check(8 + word, |lane| load(&memory, places[lane] + 4 * word));
                        }
                    }
                    assert!(memory == expected, "{name}: other bytes");
                }
            }
        }
    }
    assert!(faults > ROUNDS && passes > ROUNDS, "{faults} {passes}");
}

#[test]
fn local_memory() {
    let mut random = Random(2);
    for target in ["gfx90a", "gfx1030"] {
        for (suffix, words) in [("b32", 1), ("b64", 2), ("b96", 3), ("b128", 4)] {
            let data = format!("v[8:{}]", 7 + words);
            for (text, is_store) in [
                (format!("ds_read_{suffix} {data}, v1"), false),
                (format!("ds_write_{suffix} v1, {data}"), true),
            ] {
                for round in 0..ROUNDS {
                    let name = format!("{target}: {text}, round {round}");
                    let (mut m, mask, data) = machine(target, &text, &mut random);
                    // A multiple of four.
                    let end = DEVICE.end;
                    m.lds_words((0..end / 4).map(|_| random.word()));
                    let places = random.places(4 * words, mask);
                    m.vgpr(1, |lane| places[lane] as u32);
                    let before = m.lds.clone();
                    let mut expected = before.clone();
                    m.run();
                    if is_store {
                        for group in 0..4 {
                            let on = |lane: &usize| mask >> *lane & 1 != 0;
                            let lanes = || (16 * group..16 * (group + 1)).filter(on);
                            let mut moves: Vec<(usize, usize)> = lanes()
                                .flat_map(|lane| (0..words).map(move |word| (lane, word)))
                                .collect();
                            // Where one sticks out, sixteen lanes move word by word. Seen only in elements that overlap.
                            if lanes().any(|lane| places[lane] + 4 * words > end) {
                                moves.sort_by_key(|&(_, word)| word);
                            }
                            for (lane, word) in moves {
                                let at = places[lane] + 4 * word;
                                if at + 4 <= end {
                                    expected[at..at + 4]
                                        .copy_from_slice(&data[word][lane].to_le_bytes());
                                }
                            }
                        }
                    } else {
                        for word in 0..words {
                            m.check(8 + word, |lane| {
                                let at = places[lane] + 4 * word;
                                if at + 4 <= end { load(&before, at) } else { 0 }
                            });
                        }
                    }
                    assert!(m.lds == expected, "{name}");
                }
            }
        }
    }
}

#[test]
fn offsets_do_not_wrap() {
    // Lane 0's place would lie below offset 0, or the last lane's above 2^32.
    let text = "global_load_dword v8, v1, s[2:3]";
    let mut memory: Vec<u32> = (0..64).collect();
    let mut m = Machine::new("gfx90a", text);
    let base = m.map(&mut memory);
    m.exec(!0 << 20).sgpr64(2, base);
    m.vgpr(1, |lane| 4 * (lane as u32).wrapping_sub(20)).run();
    m.check(8, |lane| lane as u32 - 20);

    let mut m = Machine::new("gfx90a", text);
    let base = m.map(&mut memory);
    m.exec(0x5555_5555_5555_5555).sgpr64(2, base);
    m.vgpr(1, |lane| 4 * (lane as u32).wrapping_sub(20));
    let Stop::Fault(fault) = m.stop() else {
        panic!("no fault");
    };
    assert_eq!((fault.lane, fault.address), (0, base + (1 << 32) - 80));
}
