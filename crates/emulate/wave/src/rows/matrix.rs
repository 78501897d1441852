//! Matrix multiply-add (MFMA) and the moves between VGPRs and AccVGPRs.
//!
//! All 64 lanes of a matrix instruction take part whatever EXEC says, and MODE does not matter. Layouts and sums are
//! `numerics::matrix`'s. Sixteen lanes of a register of D are sixteen columns of one row (for matrices of four columns, four
//! times four), so that sums go over host vectors.

// Functions in place of closures would be called, and leave the host's vectors behind.
#![allow(clippy::redundant_closure)]

use std::mem::MaybeUninit;

use gfx::Matrix;
use numerics::matrix::{self, INSTRUCTIONS, Instruction, Kind, Model, Place, Shape as Matrices};
use numerics::{Denormals, convert::Fp8, float32, float64};

#[cfg(target_arch = "x86_64")]
use vectors::matrix::{self as matrices, Addend, Sources, ordinary::Plan};

use super::{
    Row, Shape, VectorShape, aligned,
    vector_macros::{GROUP, map1},
};
use crate::{
    engine::Env,
    micro_op::{MicroOp, SrcKind, flow},
    ports::*,
    shell::{self, Body, Form, VectorBody},
    state::{LANES, VectorRow, Wave},
};

/// Most values of A or B that any instruction has: 32 rows of 32.
const MOST_INPUTS: usize = 1024;

/// Deepest sums of any instruction.
const MOST_TERMS: usize = 64;

/// The eight-bit formats of A and B, each `bf8` or `fp8`.
pub(super) fn eight_bit_formats(generation: Matrix, are_bf8: [bool; 2]) -> [Fp8; 2] {
    are_bf8.map(|is_bf8| match (generation == Matrix::Mfma3, is_bf8) {
        (true, false) => Fp8::E4m3Fnuz,
        (true, true) => Fp8::E5m2Fnuz,
        (false, false) => Fp8::E4m3,
        (false, true) => Fp8::E5m2,
    })
}

/// A value of C and D.
pub(super) trait Sum: Copy {
    const WORDS: usize;
    fn of(bits: u64) -> Self;
    fn bits(self) -> u64;
}

macro_rules! sums {
    ($($integer:ident: $words:literal),*) => {$(
        impl Sum for $integer {
            const WORDS: usize = $words;
            #[inline(always)]
            fn of(bits: u64) -> $integer {
                bits as $integer
            }
            #[inline(always)]
            fn bits(self) -> u64 {
                self.into()
            }
        }
    )*};
}

sums!(u32: 1, u64: 2);

#[inline(always)]
pub(super) fn load<C: Sum>(rows: &[VectorRow], row: usize, first: usize) -> [C; GROUP] {
    let words = |row: usize| {
        rows[row].0[first..]
            .first_chunk::<GROUP>()
            .expect("a row has whole groups")
    };
    let (low, high) = (words(row), words(row + C::WORDS - 1));
    lanes(
        #[inline(always)]
        |i| C::of(u64::from(low[i]) | u64::from(high[i]) << 32),
    )
}

#[inline(always)]
pub(super) fn store<C: Sum>(rows: &mut [VectorRow], row: usize, first: usize, values: [C; GROUP]) {
    for (word, row) in rows[row..row + C::WORDS].iter_mut().enumerate() {
        let words = row.0[first..]
            .first_chunk_mut()
            .expect("a row has whole groups");
        *words = lanes::<u32, GROUP>(
            #[inline(always)]
            |i| (values[i].bits() >> (32 * word)) as u32,
        );
    }
}

/// Values of A or B, for each `k` those of all rows (or columns) of all blocks.
pub(super) struct Inputs<T> {
    /// As many as the instruction has; the others are never read.
    values: [MaybeUninit<T>; MOST_INPUTS],
    stride: usize,
    count: usize,
}

impl<T: Copy + Default> Inputs<T> {
    /// Those of a matrix of `side` rows or columns. `values` gives what all lanes hold at a position; blocks take those of
    /// block `source(block)`.
    #[inline(always)]
    pub(super) fn new(
        shape: &Matrices,
        side: u32,
        values: impl Fn(u32) -> [T; LANES],
        source: impl Fn(u32) -> u32,
    ) -> Inputs<T> {
        let (side, stride) = (side as usize, (side * shape.blocks) as usize);
        let per_lane = stride * shape.k as usize / LANES;
        let mut inputs = Inputs {
            values: [MaybeUninit::uninit(); MOST_INPUTS],
            stride,
            count: stride * shape.k as usize,
        };
        for position in 0..per_lane {
            let lanes = values(position as u32);
            for (part, lanes) in lanes.chunks_exact(stride).enumerate() {
                let first = (position + per_lane * part) * stride;
                for block in 0..shape.blocks {
                    let (to, from) = (block as usize * side, source(block) as usize * side);
                    let values = &mut inputs.values[first + to..][..side];
                    for (value, &lane) in values.iter_mut().zip(&lanes[from..][..side]) {
                        *value = MaybeUninit::new(lane);
                    }
                }
            }
        }
        inputs
    }

    /// `COUNT` values from `first` on.
    #[inline(always)]
    fn chunk<const COUNT: usize>(&self, first: usize) -> [T; COUNT] {
        assert!(first + COUNT <= self.count, "inside the matrix");
        // SAFETY: `new` gave a value to each of the first `count` elements: every position of every lane is one of them.
        unsafe { self.values.as_ptr().add(first).cast::<[T; COUNT]>().read() }
    }

    /// The value of `row` for sixteen columns.
    #[inline(always)]
    pub(super) fn row(&self, k: usize, row: usize) -> [T; GROUP] {
        let [value] = self.chunk(k * self.stride + row);
        [value; GROUP]
    }

    /// The values of the same row of four blocks, from that of `row` on, each for four columns.
    #[inline(always)]
    pub(super) fn quads(&self, k: usize, row: usize) -> [T; GROUP] {
        let values: [T; GROUP - 3] = self.chunk(k * self.stride + row);
        lanes(
            #[inline(always)]
            |i| values[i & !3],
        )
    }

    /// Those of sixteen columns.
    #[inline(always)]
    pub(super) fn columns(&self, k: usize, column: usize) -> [T; GROUP] {
        self.chunk(k * self.stride + column)
    }
}

/// What sixteen lanes of D are sums of.
struct Terms<'a, T> {
    a: &'a Inputs<T>,
    b: &'a Inputs<T>,
    /// Where the first lane's values of `k` 0 are.
    first: [usize; 2],
    depth: usize,
    /// Every four lanes are columns of a block of their own, not all sixteen of one row.
    quads: bool,
}

impl<T: Copy + Default> Terms<'_, T> {
    /// A if all lanes are of one row.
    #[inline(always)]
    fn row(&self, k: usize) -> [T; GROUP] {
        self.a.row(k, self.first[0])
    }

    /// A if they are of four blocks.
    #[inline(always)]
    fn quads(&self, k: usize) -> [T; GROUP] {
        self.a.quads(k, self.first[0])
    }

    #[inline(always)]
    fn b(&self, k: usize) -> [T; GROUP] {
        self.b.columns(k, self.first[1])
    }

    /// `STEP` terms of every lane after another: `next(sum, a, b)`.
    #[inline(always)]
    fn fold<C: Copy, const STEP: usize>(
        &self,
        c: [C; GROUP],
        next: impl Fn(C, [T; STEP], [T; STEP]) -> C,
    ) -> [C; GROUP] {
        if self.quads {
            self.fold_with(
                c,
                #[inline(always)]
                |k| self.quads(k),
                next,
            )
        } else {
            self.fold_with(
                c,
                #[inline(always)]
                |k| self.row(k),
                next,
            )
        }
    }

    #[inline(always)]
    fn fold_with<C: Copy, const STEP: usize>(
        &self,
        c: [C; GROUP],
        a: impl Fn(usize) -> [T; GROUP],
        next: impl Fn(C, [T; STEP], [T; STEP]) -> C,
    ) -> [C; GROUP] {
        let mut sums = c;
        let mut k = 0;
        while k < self.depth {
            let a: [[T; GROUP]; STEP] = lanes(
                #[inline(always)]
                |step| a(k + step),
            );
            let b: [[T; GROUP]; STEP] = lanes(
                #[inline(always)]
                |step| self.b(k + step),
            );
            sums = lanes(
                #[inline(always)]
                |i| {
                    let a = lanes(
                        #[inline(always)]
                        |step| a[step][i],
                    );
                    let b = lanes(
                        #[inline(always)]
                        |step| b[step][i],
                    );
                    next(sums[i], a, b)
                },
            );
            k += STEP;
        }
        sums
    }

    /// All terms of one lane after another: `sum(c, a, b)`.
    #[inline(always)]
    fn each<C: Copy>(&self, c: [C; GROUP], sum: impl Fn(C, &[T], &[T]) -> C) -> [C; GROUP] {
        let mut terms = [[[T::default(); MOST_TERMS]; GROUP]; 2];
        for k in 0..self.depth {
            let a = if self.quads {
                self.quads(k)
            } else {
                self.row(k)
            };
            let b = self.b(k);
            for lane in 0..GROUP {
                terms[0][lane][k] = a[lane];
                terms[1][lane][k] = b[lane];
            }
        }
        let [a, b] = &terms;
        std::array::from_fn(|lane| sum(c[lane], &a[lane][..self.depth], &b[lane][..self.depth]))
    }
}

/// Computes all of D: `sum` adds to sixteen lanes of C. `values` gives what all lanes hold of A (side 0) or B at a position.
#[inline(always)]
fn product<T: Copy + Default, C: Sum>(
    wave: &mut Wave,
    op: &MicroOp,
    shape: &Matrices,
    blgp: u32,
    values: impl Fn(&[VectorRow], usize, u32) -> [T; LANES],
    sum: impl Fn([C; GROUP], &Terms<'_, T>) -> [C; GROUP],
) {
    let controls = op.mfma();
    let rows = |side: usize| &wave.rows[op.src[side].index as usize..];
    let a = Inputs::new(
        shape,
        shape.m,
        #[inline(always)]
        |position| values(rows(0), 0, position),
        #[inline(always)]
        |block| shape.source_block(block, controls.cbsz(), controls.abid()),
    );
    let b = Inputs::new(
        shape,
        shape.n,
        #[inline(always)]
        |position| {
            let held = values(rows(1), 1, position);
            if blgp == 0 {
                return held;
            }
            std::array::from_fn(|lane| held[matrix::source_lane(lane as u32, blgp) as usize])
        },
        #[inline(always)]
        |block| block,
    );
    // D may overlap A and B, which are copied by now, and small products C too, by a part: every place of C is read before D
    // is written there, so whoever lies higher goes first.
    let positions = shape.outputs_per_lane();
    let downwards = op.src[2].kind == SrcKind::Vector && op.dst > op.src[2].index;
    for step in 0..positions {
        let position = if downwards {
            positions - 1 - step
        } else {
            step
        };
        let word = position as usize * C::WORDS;
        for first in (0..LANES).step_by(GROUP) {
            let lane = first as u32;
            let [row, column, block] = shape.element(Place { lane, position });
            let terms = Terms {
                a: &a,
                b: &b,
                first: [block * shape.m + row, block * shape.n + column].map(|at| at as usize),
                depth: shape.k as usize,
                quads: shape.n == 4,
            };
            let c = if op.src[2].kind == SrcKind::Vector {
                load(&wave.rows, op.src[2].index as usize + word, first)
            } else {
                [C::of(wave.uniform(op, 2)); GROUP]
            };
            store(
                &mut wave.rows,
                op.dst as usize + word,
                first,
                sum(c, &terms),
            );
        }
    }
}

/// `convert` of the values of `bits` bits that all lanes hold at `position`.
#[inline(always)]
fn parts<T: Copy>(
    rows: &[VectorRow],
    position: u32,
    bits: u32,
    convert: impl Fn(u32) -> T,
) -> [T; LANES] {
    let words = &rows[(position * bits / 32) as usize].0;
    let shift = position * bits % 32;
    lanes(
        #[inline(always)]
        |lane| convert(words[lane] >> shift),
    )
}

/// `fast` unless one of its results is a NaN, whose bits it does not know: then `exact`.
#[inline(always)]
fn unless_nan(fast: [u32; GROUP], exact: impl Fn() -> [u32; GROUP]) -> [u32; GROUP] {
    let mut nan = false;
    let mut lane = 0;
    while lane < GROUP {
        nan |= float32::is_nan(fast[lane]);
        lane += 1;
    }
    if nan { exact() } else { fast }
}

/// The sums of gfx90a, `STEP` terms at a time.
#[inline(always)]
fn rounded<const STEP: usize>(c: [u32; GROUP], terms: &Terms<'_, u32>) -> [u32; GROUP] {
    let fast = terms.fold::<_, STEP>(
        c,
        #[inline(always)]
        |c, a, b| matrix::quick_rounded_step(c, a, b),
    );
    unless_nan(
        fast,
        #[inline(always)]
        || {
            terms.fold::<_, STEP>(
                c,
                #[inline(always)]
                |c, a, b| matrix::rounded_step(c, a, b),
            )
        },
    )
}

/// [`rounded`] for halves. All their products are multiples of 2^-48, and so are the sums, which are therefore never denormal but
/// for C itself: nothing has to be flushed.
#[inline(always)]
fn rounded_halves(c: [u32; GROUP], terms: &Terms<'_, u32>) -> [u32; GROUP] {
    let start = lanes(
        #[inline(always)]
        |i| {
            if c[i] & float32::INFINITY == 0 {
                0
            } else {
                c[i]
            }
        },
    );
    let fast = terms.fold::<_, 4>(
        start,
        #[inline(always)]
        |c, a, b| {
            let product = |k: usize| float32::value(a[k]) * float32::value(b[k]);
            let sum = (product(0) + product(1)) + (product(2) + product(3));
            (float32::value(c) + sum).to_bits()
        },
    );
    unless_nan(
        fast,
        #[inline(always)]
        || {
            terms.fold::<_, 4>(
                c,
                #[inline(always)]
                |c, a, b| matrix::rounded_step(c, a, b),
            )
        },
    )
}

/// The product in vectors of 512 bits, if the operands allow it.
///
/// # Safety
/// The host has the vectors.
#[cfg(target_arch = "x86_64")]
unsafe fn in_vectors(wave: &mut Wave, op: &MicroOp, shape: &Matrices, plan: Plan) -> bool {
    // No place of C may be written before it is read.
    let words = shape.outputs_per_lane() as u16;
    let (c, d) = (op.src[2].index, op.dst);
    let is_vector = op.src[2].kind == SrcKind::Vector;
    if is_vector && c != d && c < d + words && d < c + words {
        return false;
    }
    let rows = |index: u16| wave.rows[index as usize..].as_ptr().cast::<u32>();
    let operands = matrices::Operands {
        inputs: [rows(op.src[0].index), rows(op.src[1].index)],
        addend: if is_vector {
            Addend::Rows(rows(c))
        } else {
            Addend::Constant(wave.uniform(op, 2) as u32)
        },
        target: wave.rows[d as usize..].as_mut_ptr().cast(),
    };
    let sources = Sources {
        cbsz: op.mfma().cbsz(),
        abid: op.mfma().abid(),
    };
    // SAFETY: the caller's promise; decoding checked that all registers of the operands exist, and C and D are the same or apart.
    unsafe { plan.product(operands, shape, sources) }
}

struct Product;

impl Body for Product {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let model = match env.program.config().target.matrix {
            Matrix::Mfma1 => Model::Mfma1,
            Matrix::Mfma2 => Model::Mfma2,
            _ => Model::Mfma3,
        };
        let Instruction { shape, kind, .. } = &INSTRUCTIONS[op.mfma().instruction as usize];
        let blgp = op.mfma().blgp();
        #[cfg(target_arch = "x86_64")]
        if blgp == 0 && wave.avx512 {
            let eight = match *kind {
                Kind::Fp8 { a_is_bf8, b_is_bf8 } => {
                    eight_bit_formats(env.program.config().target.matrix, [a_is_bf8, b_is_bf8])
                }
                _ => [Fp8::E4m3; 2],
            };
            if let Some(plan) = Plan::new(*kind, model, eight)
                // SAFETY: the host has the vectors.
                && unsafe { in_vectors(wave, op, shape, plan) }
            {
                return flow::NEXT;
            }
        }
        // gfx90a reads halves as singles, in which it computes.
        macro_rules! singles {
            ($flushed:ident, $step:literal) => {
                product(
                    wave,
                    op,
                    shape,
                    blgp,
                    #[inline(always)]
                    |rows, _, position| {
                        parts(
                            rows,
                            position,
                            16,
                            #[inline(always)]
                            |x| matrix::$flushed(x as u16),
                        )
                    },
                    #[inline(always)]
                    |c, terms| rounded::<$step>(c, terms),
                )
            };
        }
        macro_rules! one_by_one {
            ($bits:literal as $input:ty, $sum:expr) => {
                product(
                    wave,
                    op,
                    shape,
                    blgp,
                    #[inline(always)]
                    |rows, _, position| {
                        parts(
                            rows,
                            position,
                            $bits,
                            #[inline(always)]
                            |x| x as $input,
                        )
                    },
                    #[inline(always)]
                    |c, terms| terms.each(c, $sum),
                )
            };
        }
        match (*kind, model) {
            (Kind::F32, _) => product(
                wave,
                op,
                shape,
                blgp,
                #[inline(always)]
                |rows, _, position| rows[position as usize].0,
                #[inline(always)]
                |c, terms| {
                    let fast = terms.fold(
                        c,
                        #[inline(always)]
                        |c, [a], [b]| {
                            let [a, b, c] =
                                [float32::value(a), float32::value(b), float32::value(c)];
                            a.mul_add(b, c).to_bits()
                        },
                    );
                    unless_nan(
                        fast,
                        #[inline(always)]
                        || terms.each(c, matrix::accumulate_f32),
                    )
                },
            ),
            (Kind::Xf32, _) => one_by_one!(32 as u32, matrix::accumulate_xf32),
            (Kind::F16 | Kind::Bf16, Model::Mfma3)
                if blgp == 0
                    && aligned::product(
                        wave,
                        op,
                        shape,
                        matches!(kind, Kind::Bf16),
                        #[inline(always)]
                        |block| {
                            let controls = op.mfma();
                            shape.source_block(block, controls.cbsz(), controls.abid())
                        },
                    ) => {}
            (Kind::F16, Model::Mfma2) => product(
                wave,
                op,
                shape,
                blgp,
                #[inline(always)]
                |rows, _, position| {
                    parts(
                        rows,
                        position,
                        16,
                        #[inline(always)]
                        |x| matrix::flushed_f16(x as u16),
                    )
                },
                #[inline(always)]
                |c, terms| rounded_halves(c, terms),
            ),
            (Kind::Bf16, Model::Mfma2) => singles!(flushed_bf16, 4),
            (Kind::Bf16Pairs, Model::Mfma2) => singles!(flushed_bf16, 2),
            (Kind::F16, _) => {
                one_by_one!(16 as u16, |c, a, b| matrix::accumulate_f16(model, c, a, b))
            }
            (Kind::Bf16, _) => {
                one_by_one!(16 as u16, |c, a, b| matrix::accumulate_bf16(model, c, a, b))
            }
            (Kind::Bf16Pairs, _) => {
                one_by_one!(16 as u16, |c, a, b| matrix::accumulate_bf16_pairs(
                    model, c, a, b
                ))
            }
            (Kind::I8, _) => product(
                wave,
                op,
                shape,
                blgp,
                #[inline(always)]
                |rows, _, position| {
                    parts(
                        rows,
                        position,
                        8,
                        #[inline(always)]
                        |x| x as i8 as i32,
                    )
                },
                #[inline(always)]
                |c: [u32; GROUP], terms| {
                    terms.fold(
                        c,
                        #[inline(always)]
                        |c, [a], [b]| c.wrapping_add((a * b) as u32),
                    )
                },
            ),
            (Kind::Fp8 { a_is_bf8, b_is_bf8 }, _) => {
                let [p, q] =
                    eight_bit_formats(env.program.config().target.matrix, [a_is_bf8, b_is_bf8]);
                one_by_one!(8 as u8, |c, a, b| matrix::accumulate_fp8(c, a, p, b, q));
            }
            (Kind::F64, _) => {
                // The BLGP bits negate A, B and C.
                let sign = |operand: usize| u64::from(blgp >> operand & 1) << 63;
                product(
                    wave,
                    op,
                    shape,
                    0,
                    #[inline(always)]
                    |rows, side, position| {
                        let [low, high] = [0, 1].map(|word| &rows[2 * position as usize + word].0);
                        lanes(
                            #[inline(always)]
                            |i| (u64::from(low[i]) | u64::from(high[i]) << 32) ^ sign(side),
                        )
                    },
                    #[inline(always)]
                    |c: [u64; GROUP], terms| {
                        let c = lanes(
                            #[inline(always)]
                            |i| c[i] ^ sign(2),
                        );
                        terms.fold(
                            c,
                            #[inline(always)]
                            |c, a: [u64; 1], b: [u64; 1]| {
                                float64::fma(a[0], b[0], c, Denormals::KEEP)
                            },
                        )
                    },
                );
            }
        }
        flow::NEXT
    }
}

/// `v_accvgpr_read_b32`, `_write_b32`, `_mov_b32`: decode chose the files.
struct MoveAccumulator;

impl VectorBody for MoveAccumulator {
    const SOURCES: usize = 1;
    const MODE: bool = false;
    const HOT: bool = true;
    #[inline(always)]
    fn run<F: Form>(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        map1::<Self, F, B32, B32>(
            wave,
            op,
            env,
            #[inline(always)]
            |_, a| a,
        )
    }
}

/// Appends this file's rows.
pub(super) fn rows(rows: &mut Vec<Row>) {
    for (index, instruction) in INSTRUCTIONS.iter().enumerate() {
        let (shape, kind) = (instruction.shape, instruction.kind);
        let addend = match kind {
            Kind::F64 => Type::F64,
            Kind::I8 => Type::B32,
            _ => Type::F32,
        };
        let inputs = shape.inputs_per_lane() * kind.input_bits() / 32;
        let outputs = shape.outputs_per_lane() * kind.output_bits() / 32;
        for mnemonic in [instruction.name, instruction.name_gfx942] {
            if mnemonic.is_empty() {
                continue;
            }
            rows.push(Row {
                mnemonic,
                shape: Shape::Vector(VectorShape {
                    sources: [Type::B32, Type::B32, addend],
                    result: addend,
                    matrix_words: [inputs as u16, outputs as u16],
                    instruction: index as u16,
                    ..VectorShape::NONE
                }),
                handler: shell::wide_handler::<Product>,
                changes_exec: false,
            });
        }
    }
    let moves = [
        ("v_accvgpr_read_b32", [true, false]),
        ("v_accvgpr_write_b32", [false, true]),
        ("v_accvgpr_mov_b32", [true, true]),
    ];
    for (mnemonic, accumulators) in moves {
        rows.push(Row::vector::<MoveAccumulator>(
            mnemonic,
            VectorShape {
                sources: [Type::B32, Type::None, Type::None],
                result: Type::B32,
                accumulators: Some(accumulators),
                ..VectorShape::NONE
            },
        ));
    }
}
