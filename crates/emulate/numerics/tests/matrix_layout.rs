//! Operand layouts against what AMD's matrix calculator prints (`data/mfma-layouts.txt`).
//!
//! `NUMERICS_LAYOUTS` may name a file of the same form with every element instead of the committed sample.

use numerics::matrix::{INSTRUCTIONS, Instruction};

#[test]
fn layouts_equal_the_calculators() {
    let all = std::env::var("NUMERICS_LAYOUTS")
        .ok()
        .map(|path| std::fs::read_to_string(path).unwrap());
    let text = all
        .as_deref()
        .unwrap_or(include_str!("data/mfma-layouts.txt"));
    let numbers =
        |text: &str| -> Vec<u32> { text.split(' ').map(|word| word.parse().unwrap()).collect() };
    let mut checked = std::collections::BTreeSet::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some(header) = line.strip_prefix("inst ") {
            let words: Vec<&str> = header.splitn(3, ' ').collect();
            let shape = Instruction::find(words[1])
                .unwrap_or_else(|| panic!("{} is missing", words[1]))
                .shape;
            assert_eq!(
                vec![shape.m, shape.n, shape.k, shape.blocks],
                numbers(words[2]),
                "{line}"
            );
            checked.insert(words[1].to_owned());
            continue;
        }
        let (query, answer) = line.split_once(" = ").unwrap();
        let (element, modifiers) = query.split_once(" : ").unwrap();
        let words: Vec<&str> = element.splitn(4, ' ').collect();
        let instruction = Instruction::find(words[1]).unwrap();
        let (shape, kind) = (instruction.shape, instruction.kind);
        let (at, modifiers) = (numbers(words[3]), numbers(modifiers));
        let (place, width) = match words[2] {
            "A" => (
                shape.a(at[0], at[1], at[2], modifiers[0], modifiers[1]),
                kind.input_bits(),
            ),
            "B" => (
                shape.b(at[1], at[0], at[2], modifiers[2]),
                kind.input_bits(),
            ),
            _ => (shape.d(at[0], at[1], at[2]), kind.output_bits()),
        };
        let bit = place.position * width;
        assert_eq!(
            vec![bit / 32, bit % 32, place.lane],
            numbers(answer),
            "{line}"
        );
    }
    for row in INSTRUCTIONS {
        // The calculator does not know gfx950, whose new shapes alone take 128 bits of a lane.
        if row.shape.inputs_per_lane() * row.kind.input_bits() == 128 {
            continue;
        }
        for name in [row.name, row.name_gfx942] {
            assert!(
                name.is_empty() || checked.contains(name),
                "{name} was not checked"
            );
        }
    }
}

/// gfx950's shapes without scales: four registers of consecutive `k` a lane, rows and columns along the lanes, as AMD's article on
/// programming matrix cores and the compilers that use them have it.
#[test]
fn new_shapes_of_gfx950() {
    let rows = [
        ("v_mfma_f32_16x16x32_f16", 16, 8),
        ("v_mfma_f32_32x32x16_f16", 32, 8),
        ("v_mfma_f32_16x16x32_bf16", 16, 8),
        ("v_mfma_f32_32x32x16_bf16", 32, 8),
        ("v_mfma_i32_16x16x64_i8", 16, 16),
        ("v_mfma_i32_32x32x32_i8", 32, 16),
    ];
    for (name, side, consecutive) in rows {
        let shape = Instruction::find(name).unwrap().shape;
        assert_eq!(
            (shape.m, shape.n, shape.k),
            (side, side, consecutive * 64 / side)
        );
        for k in 0..shape.k {
            let place = shape.a(3, k, 0, 0, 0);
            assert_eq!(place.lane, 3 + side * (k / consecutive), "{name}");
            assert_eq!(place.position, k % consecutive, "{name}");
            assert_eq!(shape.b(3, k, 0, 0), place, "{name}");
        }
    }
}

#[test]
fn every_register_is_used_exactly_once() {
    for row in INSTRUCTIONS {
        let shape = row.shape;
        let mut seen = std::collections::BTreeSet::new();
        for block in 0..shape.blocks {
            for i in 0..shape.m {
                for j in 0..shape.n {
                    let place = shape.d(i, j, block);
                    assert!(place.lane < 64 && place.position < shape.outputs_per_lane());
                    assert!(seen.insert((place.lane, place.position)));
                    assert_eq!(shape.element(place), [i, j, block]);
                }
            }
        }
        assert_eq!(seen.len() as u32, 64 * shape.outputs_per_lane());
    }
    assert!(Instruction::find("").is_none());
}
