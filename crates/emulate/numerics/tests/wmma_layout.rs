//! Layouts of WMMA and SWMMAC against what AMD's matrix calculator prints (`data/wmma-layouts.txt`).

use numerics::wmma::{Generation, INSTRUCTIONS, Instruction, Spot};

#[test]
fn layouts_equal_the_calculators() {
    let mut checked = std::collections::BTreeSet::new();
    for line in include_str!("data/wmma-layouts.txt").lines() {
        if line.starts_with('#') {
            continue;
        }
        let (query, answer) = line.split_once(" = ").unwrap();
        let words: Vec<&str> = query.split(' ').collect();
        let [architecture, name, wave, matrix] = words[..] else {
            panic!("{line}");
        };
        let generation = match architecture {
            "rdna3" => Generation::Rdna3,
            _ => Generation::Rdna4,
        };
        let instruction = Instruction::find(name).unwrap_or_else(|| panic!("{name} is missing"));
        let wave64 = wave == "64";
        let place = |at: u32| -> Spot {
            match matrix {
                "A" if instruction.sparse => {
                    let mut spot = instruction.packed(wave64, at / 4, false);
                    // The calculator names whole registers of halves.
                    if instruction.input.bits() == 16 {
                        spot.bit = 0;
                    }
                    spot
                }
                "A" | "B" => instruction.input(generation, wave64, at),
                "K" => instruction.index(wave64, at / 4),
                _ => instruction.output(generation, wave64, at),
            }
        };
        for (at, expected) in answer.split(' ').enumerate() {
            let spot = place(at as u32);
            let found = format!("{}.{}.{}", spot.register, spot.bit, spot.group);
            assert_eq!(found, expected, "{query} at {at}");
        }
        checked.insert(name);
    }
    assert_eq!(checked.len(), INSTRUCTIONS.len());
}
