//! Dual-issue instructions name the register that a half adds to, with destinations of either parity.

use gfx::Family;
use isa::{Decoder, Format, Operand, RegKind};

/// Halves that read their destination, by the manuals' pseudocode (`D0` on the right of an assignment).
const READS_DESTINATION: &[&str] = &[
    "v_dual_fmac_f32",
    "v_dual_dot2acc_f32_f16",
    "v_dual_dot2acc_f32_bf16",
];

/// Sources, none of them a destination. Sources of the two halves lie in different banks.
const SOURCES: [u32; 4] = [100, 101, 103, 106];

fn encode(opcodes: [u32; 2], destination: u32, other: u32) -> Vec<u8> {
    let [a, b, c, d] = SOURCES;
    let words = [
        0xc800_0000 | opcodes[0] << 22 | opcodes[1] << 17 | b << 9 | (256 + a),
        destination << 24 | other << 17 | d << 9 | (256 + c),
        // A literal, for those that have one.
        0x1234_5678,
    ];
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

#[test]
fn accumulators_are_the_destinations() {
    let mut accumulators = 0;
    for target in gfx::TARGETS {
        if target.family < Family::Gfx11 {
            continue;
        }
        let decoder = Decoder::with_features(target, 32, "").expect("LLVM knows it");
        for (opcodes, destination) in
            (0..16 * 32).flat_map(|both| [8, 9].map(|first| ([both / 32, both % 32], first)))
        {
            const OTHER: u32 = 16;
            let code = encode(opcodes, destination, OTHER);
            let Ok(inst) = decoder.decode(&code, 0) else {
                continue;
            };
            if inst.format != Format::Vopd {
                continue;
            }
            let place = format!("{}: {}", target.name, decoder.print(&inst));
            let vectors = |written: bool| -> Vec<u32> {
                let number = |operand: &Operand| match *operand {
                    Operand::Def(reg) if written && reg.kind == RegKind::Vgpr => Some(reg.index),
                    Operand::Use(reg) if !written && reg.kind == RegKind::Vgpr => Some(reg.index),
                    _ => None,
                };
                let numbers = inst.operands.iter().filter_map(number);
                numbers.map(u32::from).collect()
            };
            // One of the two results lies in an even register, the other one in an odd one.
            let second = OTHER << 1 | (!destination & 1);
            assert_eq!(vectors(true), [destination, second], "{place}");
            let mut read = vectors(false);
            read.retain(|number| !SOURCES.contains(number));
            let expected: Vec<u32> = inst
                .mnemonic()
                .split(" :: ")
                .zip([destination, second])
                .filter(|(half, _)| READS_DESTINATION.contains(half))
                .map(|(_, register)| register)
                .collect();
            assert_eq!(read, expected, "{place}");
            accumulators += expected.len();
        }
    }
    assert!(accumulators > 500, "{accumulators}");
}
