//! Products with a sparse A (SMFMAC): of every four `k` two are held, and bits of a third register say which. D is also C.

use gfx::Matrix;
use numerics::matrix::{self, Kind, Model, Place, SPARSE, Sparse};

use super::eight_bit_formats;
use crate::{
    engine::Env,
    micro_op::{MicroOp, flow},
    ports::Type,
    rows::{MatrixForm, Row, Shape, VectorShape},
    shell::{self, Body},
    state::Wave,
};

/// Most values of A in a row.
const MOST_TERMS: usize = 64;
/// Most values of B that a lane holds.
const MOST_PER_LANE: usize = 32;

/// The pairs of values that element `[row, column]` is the sum of, as bits.
struct Terms {
    a: [u32; MOST_TERMS],
    b: [u32; MOST_TERMS],
    count: usize,
}

/// Value `position` of `bits` bits that a lane holds from `row` on.
fn value(wave: &Wave, row: usize, lane: usize, position: usize, bits: usize) -> u32 {
    let at = position * bits;
    wave.row(row + at / 32).0[lane] >> (at % 32) & (!0 >> (32 - bits))
}

impl Terms {
    fn new(instruction: &Sparse, held: &Held, row: usize, column: usize) -> Terms {
        let side = instruction.shape.m as usize;
        let per_lane = instruction.a_per_lane() as usize;
        let mut terms = Terms {
            a: [0; MOST_TERMS],
            b: [0; MOST_TERMS],
            count: 0,
        };
        for group in 0..crate::LANES / side {
            let (from_a, from_b) = (row + side * group, column + side * group);
            for position in 0..per_lane {
                let partner = instruction.partner(position as u32, held.indices[from_a]);
                terms.a[terms.count] = held.a[from_a][position];
                terms.b[terms.count] = held.b[from_b][partner as usize];
                terms.count += 1;
            }
        }
        terms
    }

    fn narrow<T: Copy + Default>(&self, part: impl Fn(u32) -> T) -> [[T; MOST_TERMS]; 2] {
        [&self.a, &self.b].map(|values| std::array::from_fn(|index| part(values[index])))
    }
}

/// The values that all lanes hold.
struct Held {
    a: Vec<[u32; MOST_PER_LANE]>,
    b: Vec<[u32; MOST_PER_LANE]>,
    indices: [u32; crate::LANES],
}

impl Held {
    fn new(wave: &Wave, op: &MicroOp, instruction: &Sparse) -> Held {
        let bits = instruction.kind.input_bits() as usize;
        let per_lane = instruction.shape.inputs_per_lane() as usize;
        let lanes = |index: usize, count: usize| {
            let first = op.src[index].index as usize;
            let of_lane = |lane: usize| {
                let mut values = [0; MOST_PER_LANE];
                for (position, slot) in values[..count].iter_mut().enumerate() {
                    *slot = value(wave, first, lane, position, bits);
                }
                values
            };
            (0..crate::LANES).map(of_lane).collect()
        };
        let start = instruction.index_start(op.mfma().cbsz(), op.mfma().abid());
        Held {
            a: lanes(0, per_lane / 2),
            b: lanes(1, per_lane),
            indices: std::array::from_fn(|lane| {
                wave.row(op.src[2].index as usize).0[lane] >> start
            }),
        }
    }
}

struct Product;

impl Body for Product {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let instruction = &SPARSE[op.mfma().instruction as usize];
        let generation = env.program.config().target.matrix;
        let shape = &instruction.shape;
        let held = Held::new(wave, op, instruction);
        for position in 0..shape.outputs_per_lane() {
            for lane in 0..crate::LANES {
                let place = Place {
                    lane: lane as u32,
                    position,
                };
                let [row, column, _] = shape.element(place).map(|index| index as usize);
                let terms = Terms::new(instruction, &held, row, column);
                let target = &mut wave.row_mut(op.dst as usize + position as usize).0[lane];
                *target = sum(instruction.kind, generation, *target, &terms);
            }
        }
        flow::NEXT
    }
}

fn sum(kind: Kind, generation: Matrix, c: u32, terms: &Terms) -> u32 {
    let count = terms.count;
    macro_rules! with {
        ($type:ty, |$a:ident, $b:ident| $sum:expr) => {{
            let [a, b] = terms.narrow(|x| x as $type);
            let ($a, $b) = (&a[..count], &b[..count]);
            $sum
        }};
    }
    match kind {
        Kind::F16 => with!(u16, |a, b| matrix::accumulate_f16(Model::Mfma3, c, a, b)),
        Kind::Bf16 | Kind::Bf16Pairs => {
            with!(u16, |a, b| matrix::accumulate_bf16(Model::Mfma3, c, a, b))
        }
        Kind::I8 => with!(u8, |a, b| matrix::accumulate_i8(c, a, b)),
        Kind::Fp8 { a_is_bf8, b_is_bf8 } => {
            let [p, q] = eight_bit_formats(generation, [a_is_bf8, b_is_bf8]);
            with!(u8, |a, b| matrix::accumulate_fp8(c, a, p, b, q))
        }
        Kind::F32 | Kind::Xf32 | Kind::F64 => {
            unreachable!("no sparse instruction has these inputs")
        }
    }
}

/// Appends this file's rows.
pub(super) fn rows(rows: &mut Vec<Row>) {
    for (index, instruction) in SPARSE.iter().enumerate() {
        let shape = instruction.shape;
        let words = shape.inputs_per_lane() * instruction.kind.input_bits() / 32;
        rows.push(Row {
            mnemonic: instruction.name,
            shape: Shape::Vector(VectorShape {
                sources: [Type::B32; 3],
                result: Type::B32,
                matrix_words: [words as u16, shape.outputs_per_lane() as u16],
                matrix_form: MatrixForm::Sparse,
                instruction: index as u16,
                ..VectorShape::NONE
            }),
            handler: shell::wide_handler::<Product>,
            changes_exec: false,
        });
    }
}
