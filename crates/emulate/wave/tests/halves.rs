//! Instructions on halves of registers, gfx11 and later: an upper half as operand gives what the same bits in the lower half
//! give, and a result goes to the half that is named. Operands that are halves, by LLVM's decoder.

use crate::harness::{Machine, random};
use gfx::Target;
use isa::{Decoder, Effects, Inst, Operand, RegKind};
use wave::Stop;

const DESTINATION: u32 = 3;
const SOURCES: [u32; 2] = [1, 2];

/// Words of the formats of one dword with where their register numbers lie.
fn words() -> Vec<(u32, Vec<u32>)> {
    let (d, [a, b]) = (DESTINATION, SOURCES);
    let mut words = Vec::new();
    words.extend((0..256).map(|op| (0x7e00_0000 | d << 17 | op << 9 | 256 | a, vec![0, 17])));
    words.extend((0..256).map(|op| (0x7c00_0000 | op << 17 | b << 9 | 256 | a, vec![0, 9])));
    words.extend((0..62).map(|op| (op << 25 | d << 17 | b << 9 | 256 | a, vec![0, 9, 17])));
    words
}

/// The operand that names vector register `number`, half or not: whether it is written, and its half.
fn operand(inst: &Inst, number: u32) -> Option<(bool, Option<bool>)> {
    let mut found = None;
    for operand in &inst.operands {
        let (Operand::Def(reg) | Operand::Use(reg)) = operand else {
            continue;
        };
        if reg.kind == RegKind::Vgpr && u32::from(reg.index) == number {
            let written = matches!(operand, Operand::Def(_));
            found.get_or_insert((written, reg.half));
        }
    }
    found
}

/// Executes `word` on registers that hold `values`. Returns the destination's lanes and VCC, or why it stops.
fn result(
    target: &'static Target,
    word: u32,
    values: [&dyn Fn(usize) -> u32; 4],
) -> Result<(Vec<u32>, Vec<u32>, u32), Stop> {
    let text = format!(".long {word:#x}, 0x3c00");
    // (What follows is a literal or begins no instruction of note.)
    let decoder = Decoder::new(target).expect("a decoder");
    let code = [word.to_le_bytes(), 0x3c00_u32.to_le_bytes()].concat();
    let size = decoder.decode(&code, 0).map_or(4, |inst| inst.size);
    let text = if size == 4 {
        format!(".long {word:#x}")
    } else {
        text
    };
    let mut machine = Machine::new(target.name, &text);
    for (index, value) in values.into_iter().enumerate() {
        machine.vgpr(index, value);
    }
    machine.wave.set_sgpr(106, 0x5a5a_a5a5);
    match machine.stop() {
        Stop::End => Ok((
            machine.row(DESTINATION as usize),
            machine.row(SOURCES[0] as usize),
            machine.wave.sgpr(106),
        )),
        stop => Err(stop),
    }
}

fn swapped(value: u32) -> u32 {
    value.rotate_left(16)
}

#[test]
fn upper_halves_are_lower_halves_elsewhere() {
    let mut random = random::Random(0x16);
    let numbers: Vec<u32> = (0..256).map(|_| random.bits() as u32).collect();
    let plain = |index: usize| {
        let numbers = numbers.clone();
        move |lane: usize| numbers[64 * index + lane]
    };
    let (zero, one, two, three) = (plain(0), plain(1), plain(2), plain(3));
    let registers: [&dyn Fn(usize) -> u32; 4] = [&zero, &one, &two, &three];
    let mut halves = 0;
    for name in ["gfx1100", "gfx1151"] {
        let target = Target::find(name).expect("a target");
        let decoder = Decoder::new(target).expect("a decoder");
        for (word, fields) in words() {
            let code = [word.to_le_bytes(), 0x3c00_u32.to_le_bytes()].concat();
            let Ok(inst) = decoder.decode(&code, 0) else {
                continue;
            };
            let known = wave::rows_of(inst.op, target).is_some();
            if !known || !inst.effects.contains(Effects::VALU) {
                continue;
            }
            let place = format!("{name}: {word:#010x} {}", decoder.print(&inst));
            let low =
                result(target, word, registers).unwrap_or_else(|stop| panic!("{place}: {stop:?}"));
            for low_bit in fields {
                let number = word >> low_bit & 0x7f;
                let Some((written, half)) = operand(&inst, number) else {
                    continue;
                };
                let other = word | 128 << low_bit;
                let place = format!("{place}: field {low_bit}");
                if half.is_none() {
                    // Another register, which this wave does not have.
                    if decoder
                        .decode(&[other.to_le_bytes(), [0, 0x3c, 0, 0]].concat(), 0)
                        .is_ok()
                    {
                        let stop = result(target, other, registers);
                        assert!(
                            matches!(stop, Err(Stop::Unsupported(_))),
                            "{place}: {stop:?}"
                        );
                    }
                    continue;
                }
                let moved = |lane: usize| swapped(registers[number as usize](lane));
                let mut values = registers;
                values[number as usize] = &moved;
                let high = result(target, other, values)
                    .unwrap_or_else(|stop| panic!("{place}: {stop:?}"));
                if inst.mnemonic() == "v_swap_b16" {
                    // Both are written; the other register gets the same half.
                    let (named, other) = match number == DESTINATION {
                        true => ((&high.0, &low.0), (&high.1, &low.1)),
                        false => ((&high.1, &low.1), (&high.0, &low.0)),
                    };
                    let expected: Vec<u32> = named.1.iter().map(|value| swapped(*value)).collect();
                    assert_eq!(*named.0, expected, "{place}");
                    assert_eq!(other.0, other.1, "{place}");
                } else if written {
                    let expected: Vec<u32> = low.0.iter().map(|value| swapped(*value)).collect();
                    assert_eq!(high.0, expected, "{place}");
                } else {
                    assert_eq!(high.0, low.0, "{place}");
                }
                assert_eq!(high.2, low.2, "{place}");
                halves += 1;
            }
        }
    }
    assert!(halves > 150, "{halves}");
    println!("{halves} halves");
}

/// Executes two words on registers that hold `values`. Returns the destination's lanes, and the scalars that comparisons
/// write.
fn result_of_two(
    target: &'static Target,
    words: [u32; 2],
    values: [&dyn Fn(usize) -> u32; 4],
) -> Result<(Vec<u32>, [u32; 3]), Stop> {
    let mut machine = Machine::new(
        target.name,
        &format!(".long {:#x}, {:#x}", words[0], words[1]),
    );
    for (index, value) in values.into_iter().enumerate() {
        machine.vgpr(index, value);
    }
    for (scalar, value) in [(3, 0), (4, 0), (106, 0x5a5a_a5a5)] {
        machine.wave.set_sgpr(scalar, value);
    }
    match machine.stop() {
        Stop::End => {
            let scalars = [3, 4, 106].map(|scalar| machine.wave.sgpr(scalar));
            Ok((machine.row(DESTINATION as usize), scalars))
        }
        stop => Err(stop),
    }
}

/// The same in VOP3, where bits of the instruction choose halves: of the sources from bit 11, of the destination bit 14.
#[test]
fn bits_choose_halves_in_vop3() {
    const DESTINATION_BIT: u32 = 14;
    let mut random = random::Random(0x316);
    let numbers: Vec<u32> = (0..256).map(|_| random.bits() as u32).collect();
    let plain = |index: usize| {
        let numbers = numbers.clone();
        move |lane: usize| numbers[64 * index + lane]
    };
    let (zero, one, two, three) = (plain(0), plain(1), plain(2), plain(3));
    let registers: [&dyn Fn(usize) -> u32; 4] = [&zero, &one, &two, &three];
    // The third operand: a vector register, VCC, nothing.
    let thirds = [256, 106, 0];
    let (mut halves, mut wrong) = (0, Vec::new());
    for name in ["gfx1100", "gfx1151", "gfx1201"] {
        let target = Target::find(name).expect("a target");
        let decoder = Decoder::new(target).expect("a decoder");
        let all = (0..0x400).flat_map(|op| thirds.map(|third| (op, third)));
        for (op, third) in all {
            let words = [
                0xd400_0000 | op << 16 | DESTINATION,
                (256 | SOURCES[0]) | (256 | SOURCES[1]) << 9 | third << 18,
            ];
            let code = words.map(u32::to_le_bytes).concat();
            let Ok(inst) = decoder.decode(&code, 0) else {
                continue;
            };
            if wave::rows_of(inst.op, target).is_none() {
                continue;
            }
            let registers_of_bits = [
                (11, SOURCES[0]),
                (12, SOURCES[1]),
                (13, 0),
                (DESTINATION_BIT, DESTINATION),
            ];
            let chosen: Vec<(u32, u32, bool)> = registers_of_bits
                .into_iter()
                .filter_map(|(bit, number)| {
                    let (written, half) = operand(&inst, number)?;
                    let bit_is_written = bit == DESTINATION_BIT;
                    (half.is_some() && written == bit_is_written).then_some((bit, number, written))
                })
                .collect();
            if chosen.is_empty() {
                continue;
            }
            let place = format!("{name}: {:#010x} {}", words[0], decoder.print(&inst));
            let low = result_of_two(target, words, registers)
                .unwrap_or_else(|stop| panic!("{place}: {stop:?}"));
            for choice in 1..1u32 << chosen.len() {
                let (mut other, mut values) = (words, registers);
                let [moved_0, moved_1, moved_2, moved_3] =
                    registers.map(|register| move |lane: usize| swapped(register(lane)));
                let moved: [&dyn Fn(usize) -> u32; 4] = [&moved_0, &moved_1, &moved_2, &moved_3];
                let mut written_half = false;
                for (index, &(bit, number, written)) in chosen.iter().enumerate() {
                    if choice >> index & 1 != 0 {
                        other[0] |= 1 << bit;
                        values[number as usize] = moved[number as usize];
                        written_half |= written;
                    }
                }
                let high = result_of_two(target, other, values)
                    .unwrap_or_else(|stop| panic!("{place}: {stop:?}"));
                let expected: Vec<u32> = match written_half {
                    true => low.0.iter().map(|value| swapped(*value)).collect(),
                    false => low.0.clone(),
                };
                let place = format!("{place}: with {:#010x}", other[0]);
                if high.0 != expected || high.1 != low.1 {
                    wrong.push(place);
                }
                halves += 1;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(halves > 500, "{halves}");
    println!("{halves} halves");
}
