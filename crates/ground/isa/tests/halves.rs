//! 16-bit operands are halves of registers wherever the hardware has them: every opcode of the vector formats, on every target,
//! against LLVM's decoder in its other way, which knows whole registers only.

use isa::{Decoder, Effects, Format, Inst, Operand, Reg, RegKind};
use llvm_shim::{DecodedInst, DecodedOperand, Mc, WINDOW};

/// Numbers of the destination and the sources.
const DESTINATION: u32 = 3;
const SOURCES: [u32; 3] = [1, 2, 4];

/// Instructions that LLVM's other way of decoding does not know.
const ONLY_WITH_HALVES: &[&str] = &["v_mov_b16", "v_swap_b16"];

/// Vector registers by whether they are written.
type Registers = Vec<(bool, Reg)>;

fn bytes(words: [u32; 3]) -> [u8; WINDOW] {
    let mut window = [0; WINDOW];
    for (chunk, word) in window.chunks_exact_mut(4).zip(words) {
        chunk.copy_from_slice(&word.to_le_bytes());
    }
    window
}

fn of_inst(inst: &Inst) -> Registers {
    let vector = |operand: &Operand| match *operand {
        Operand::Def(reg) if reg.kind == RegKind::Vgpr => Some((true, reg)),
        Operand::Use(reg) if reg.kind == RegKind::Vgpr => Some((false, reg)),
        _ => None,
    };
    inst.operands.iter().filter_map(vector).collect()
}

/// The answer of LLVM's decoder, which knows whole registers only: number, and true if it is written.
fn of_whole(mc: &Mc, inst: &DecodedInst) -> Vec<(bool, u16)> {
    let definitions = mc.opcode(inst.opcode()).expect("an opcode").definitions;
    let number = |index: usize| match inst.operand(index) {
        DecodedOperand::Register(number) => {
            let reg = mc.register(number)?;
            let name = reg.name.strip_prefix("VGPR")?;
            let digits = name.split('_').next()?.parse().ok()?;
            Some((index < definitions, digits))
        }
        _ => None,
    };
    (0..inst.operand_count()).filter_map(number).collect()
}

/// A word of one of the formats of one dword, and where its register numbers are.
fn short_words() -> Vec<(u32, Vec<u32>)> {
    let mut words = Vec::new();
    let (d, [a, b, _]) = (DESTINATION, SOURCES);
    words.extend((0..256).map(|op| (0x7e00_0000 | d << 17 | op << 9 | 256 | a, vec![0, 17])));
    words.extend((0..256).map(|op| (0x7c00_0000 | op << 17 | b << 9 | 256 | a, vec![0, 9])));
    words.extend((0..62).map(|op| (op << 25 | d << 17 | b << 9 | 256 | a, vec![0, 9, 17])));
    words
}

/// The register that gets another number, half or not, when the field at `low` gets its high bit.
fn field_number(word: u32, low: u32) -> u16 {
    (word >> low & 0x7f) as u16
}

#[test]
fn of_short_encodings() {
    let mut halves = 0;
    for target in gfx::TARGETS {
        let decoder = Decoder::new(target).expect("LLVM knows it");
        let has_halves = target.family >= gfx::Family::Gfx11;
        let features = if has_halves { "-real-true16" } else { "" };
        let mut whole = Mc::new(target.name, features).expect("LLVM knows it");
        let mut by_whole = DecodedInst::new();
        for (word, fields) in short_words() {
            let code = bytes([word, 0x3c00_0000, 0]);
            let Ok(inst) = decoder.decode(&code, 0) else {
                continue;
            };
            let place = format!("{}: {word:#010x} {}", target.name, decoder.print(&inst));
            let registers = of_inst(&inst);
            let numbers: Vec<_> = registers
                .iter()
                .map(|(def, reg)| (*def, reg.index))
                .collect();
            if !whole.decode(&code, 0, &mut by_whole) {
                assert!(ONLY_WITH_HALVES.contains(&inst.mnemonic()), "{place}");
                continue;
            }
            assert_eq!(numbers, of_whole(&whole, &by_whole), "{place}");
            for low in fields {
                let number = field_number(word, low);
                let mut named = registers.iter().filter(|(_, reg)| reg.index == number);
                let Some((_, reg)) = named.next() else {
                    continue;
                };
                let high = decoder.decode(&bytes([word | 128 << low, 0x3c00_0000, 0]), 0);
                if reg.half.is_none() {
                    if let Ok(high) = high {
                        let other = of_inst(&high);
                        let moved = |(_, reg): &(bool, Reg)| reg.index == number + 128;
                        assert!(other.iter().any(moved), "{place}: field {low}");
                    }
                    continue;
                }
                assert!(has_halves, "{place}");
                assert_eq!(reg.half, Some(false), "{place}");
                let high = high.unwrap_or_else(|error| panic!("{place}: field {low}: {error}"));
                let expected: Registers = registers
                    .iter()
                    .map(|&(def, reg)| {
                        let half = if reg.index == number {
                            Some(true)
                        } else {
                            reg.half
                        };
                        (def, Reg { half, ..reg })
                    })
                    .collect();
                assert_eq!(of_inst(&high), expected, "{place}: field {low}");
                let name = format!("v{number}.h");
                assert!(decoder.print(&high).contains(&name), "{place}: field {low}");
                let partial = high.effects.contains(Effects::PARTIAL_WRITE);
                let writes = expected.iter().any(|(def, reg)| *def && reg.half.is_some());
                assert_eq!(partial, writes, "{place}: field {low}");
                halves += 1;
            }
        }
    }
    assert!(halves > 2000, "{halves}");
}

/// VOP3 names all 256 registers and says by op_sel which half is meant.
#[test]
fn of_long_encodings() {
    let mut halves = 0;
    for target in gfx::TARGETS {
        if target.family < gfx::Family::Gfx11 {
            continue;
        }
        let decoder = Decoder::new(target).expect("LLVM knows it");
        let mut whole = Mc::new(target.name, "-real-true16").expect("LLVM knows it");
        let mut by_whole = DecodedInst::new();
        let [a, b, c] = SOURCES.map(|number| 256 + 128 + number);
        let second = a | b << 9 | c << 18;
        for opcode in 0..1024 {
            let first = 0xd400_0000 | opcode << 16 | (128 + DESTINATION);
            for second in [second, a | b << 9, a, a | b << 9 | 4 << 18] {
                let code = bytes([first, second, 0]);
                let Ok(inst) = decoder.decode(&code, 0) else {
                    continue;
                };
                if inst.format != Format::Vop3 {
                    continue;
                }
                let place = format!("{}: {first:08x} {}", target.name, decoder.print(&inst));
                let registers = of_inst(&inst);
                let numbers: Vec<_> = registers
                    .iter()
                    .map(|(def, reg)| (*def, reg.index))
                    .collect();
                if !whole.decode(&code, 0, &mut by_whole) {
                    assert!(ONLY_WITH_HALVES.contains(&inst.mnemonic()), "{place}");
                    continue;
                }
                assert_eq!(numbers, of_whole(&whole, &by_whole), "{place}");
                let operands = [
                    128 + SOURCES[0],
                    128 + SOURCES[1],
                    128 + SOURCES[2],
                    128 + DESTINATION,
                ];
                for (bit, number) in operands.into_iter().enumerate() {
                    let is_half = |(_, reg): &&(bool, Reg)| {
                        u32::from(reg.index) == number && reg.half == Some(false)
                    };
                    if registers.iter().find(is_half).is_none() {
                        continue;
                    }
                    let code = bytes([first | 1 << (11 + bit), second, 0]);
                    let high = decoder
                        .decode(&code, 0)
                        .unwrap_or_else(|error| panic!("{place}: op_sel {bit}: {error}"));
                    let found = of_inst(&high);
                    let is_high = |(_, reg): &(bool, Reg)| {
                        u32::from(reg.index) == number && reg.half == Some(true)
                    };
                    assert!(
                        found.iter().any(is_high),
                        "{place}: op_sel {bit}: {found:?}"
                    );
                    let shapes = decoder.decode_alone(&code, 0).expect("as before");
                    assert_eq!(shapes.operands, high.operands, "{place}");
                    halves += 1;
                }
            }
        }
    }
    assert!(halves > 1000, "{halves}");
}

/// An encoding whose register LLVM's printer calls invalid is no instruction.
#[test]
fn operands_that_no_assembler_takes_are_refused() {
    let refused: [(&str, [u32; 3], &str); 4] = [
        (
            "gfx1100",
            [0xd65b_0000, 0x0412_0501, 0],
            "v_permlane16_b32 with lanes chosen by a vector register",
        ),
        (
            "gfx1200",
            [0xd65b_0000, 0x0412_0501, 0],
            "v_permlane16_b32 with lanes chosen by a vector register",
        ),
        (
            "gfx1030",
            [0xd777_0000, 0x0412_0501, 0],
            "v_permlane16_b32 with lanes chosen by a vector register",
        ),
        (
            "gfx1250",
            [
                0xd400_0000 | 0x21 << 16,
                0x0002_0000 | (256 + 87) | (256 + 2) << 9,
                0,
            ],
            "v_cmp_lt_f64 of an odd pair",
        ),
    ];
    for (name, words, what) in refused {
        let target = gfx::Target::find(name).expect("a target");
        let decoder = Decoder::new(target).expect("LLVM knows it");
        let decoded = decoder.decode(&bytes(words), 0);
        let text = decoded.as_ref().map(|inst| decoder.print(inst));
        assert!(decoded.is_err(), "{name}: {what}: {text:?}");
    }
}
