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
        let [architecture, name, wave, matrix, row, column] = words[..] else {
            panic!("{line}");
        };
        let generation = match architecture {
            "rdna3" => Generation::Rdna3,
            _ => Generation::Rdna4,
        };
        let instruction = Instruction::find(name).unwrap_or_else(|| panic!("{name} is missing"));
        let number = |text: &str| -> u32 { text.parse().unwrap() };
        let (row, column, wave64) = (number(row), number(column), wave == "64");
        let (spot, place): (Spot, u32) = match matrix {
            // The calculator names a register and a lane of sparse A, not which half.
            "A" if instruction.sparse => {
                let mut spot = instruction.packed(wave64, column / 4, false);
                if instruction.input.bits() == 16 {
                    spot.bit = 0;
                }
                (spot, row)
            }
            "A" => (instruction.input(generation, wave64, column), row),
            "B" => (instruction.input(generation, wave64, row), column),
            "K" => (instruction.index(wave64, column / 4), row),
            _ => (instruction.output(generation, wave64, row), column),
        };
        let found = [
            u32::from(spot.register),
            u32::from(spot.bit),
            16 * u32::from(spot.group) + place,
        ];
        let expected: Vec<u32> = answer.split(' ').map(number).collect();
        assert_eq!(found[..], expected[..], "{line}");
        checked.insert(name);
    }
    assert_eq!(checked.len(), INSTRUCTIONS.len());
}
