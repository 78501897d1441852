//! The places of elements of wave matrix products (WMMA and SWMMAC) in registers.

use numerics::wmma::{Generation, Instruction, Spot};

use crate::LANES;

/// Rows and columns of D.
pub const SIDE: usize = 16;
/// Most columns of A that any instruction has.
pub const DEEPEST: usize = 64;

/// Layout of one instruction on one target in one wave size.
#[derive(Clone, Debug)]
pub struct Layout {
    /// A (of a sparse one its stored values, two for each four `k`) and B.
    pub inputs: [Vec<Spot>; 2],
    /// For each four `k`.
    pub index: Vec<Spot>,
    /// Unit of OP_SEL in the index register.
    pub index_bits: u32,
    pub output: [Spot; SIDE],
    /// The places of the words of `inputs` and of `output` from the first register on; each word of the inputs once.
    pub input_places: [Vec<usize>; 2],
    pub output_places: [usize; SIDE],
    /// Bit that OP_SEL adds to `output` (gfx11's halves).
    pub output_shift: u32,
}

impl Layout {
    pub fn new(instruction: &Instruction, generation: Generation, wave64: bool) -> Layout {
        let b: Vec<Spot> = (0..instruction.k)
            .map(|k| instruction.input(generation, wave64, k))
            .collect();
        let quads = 0..instruction.k / 4;
        let stored = quads
            .clone()
            .flat_map(|quad| [false, true].map(|second| instruction.packed(wave64, quad, second)));
        let a = match instruction.sparse {
            true => stored.collect(),
            false => b.clone(),
        };
        let place = |spot: &Spot| LANES * spot.register as usize + SIDE * spot.group as usize;
        let per_word = 32 / instruction.input.bits() as usize;
        let places = |spots: &[Spot]| spots.iter().step_by(per_word).map(place).collect();
        let output = std::array::from_fn(|row| instruction.output(generation, wave64, row as u32));
        let in_halves = generation == Generation::Rdna3 && instruction.output.bits() == 16;
        Layout {
            input_places: [places(&a), places(&b)],
            output_places: output.each_ref().map(place),
            inputs: [a, b],
            index: quads.map(|quad| instruction.index(wave64, quad)).collect(),
            index_bits: instruction.index_bits(wave64),
            output,
            output_shift: if in_halves { 16 } else { 0 },
        }
    }
}
