//! The terms of a product, sixteen lanes of D at a time: sixteen columns of one row, or of matrices of four columns four times four.

// Functions in place of closures would be called, and leave the host's vectors behind.
#![allow(clippy::redundant_closure)]

use std::mem::MaybeUninit;

use numerics::matrix::{self, Place, Shape as Matrices};

use crate::{
    micro_op::{MicroOp, SrcKind},
    ports::lanes,
    rows::loops::GROUP,
    state::{LANES, VectorRow, Wave},
};

/// Most values of A or B that any instruction has: 32 rows of 32.
const MOST_INPUTS: usize = 1024;

/// Deepest sums of any instruction.
const MOST_TERMS: usize = 64;

/// A value of C and D.
pub(in crate::rows) trait Sum: Copy {
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
pub(in crate::rows) fn load<C: Sum>(rows: &[VectorRow], row: usize, first: usize) -> [C; GROUP] {
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
pub(in crate::rows) fn store<C: Sum>(
    rows: &mut [VectorRow],
    row: usize,
    first: usize,
    values: [C; GROUP],
) {
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
pub(in crate::rows) struct Inputs<T> {
    /// As many as the instruction has; the others are never read.
    values: [MaybeUninit<T>; MOST_INPUTS],
    stride: usize,
    count: usize,
}

impl<T: Copy + Default> Inputs<T> {
    /// The terms of a matrix of `side` rows or columns. `values` gives the values of all lanes at a position; blocks
    /// take those of block `source(block)`.
    #[inline(always)]
    pub(in crate::rows) fn new(
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
    pub(in crate::rows) fn row(&self, k: usize, row: usize) -> [T; GROUP] {
        let [value] = self.chunk(k * self.stride + row);
        [value; GROUP]
    }

    /// The values of the same row of four blocks, from that of `row` on, each for four columns.
    #[inline(always)]
    pub(in crate::rows) fn quads(&self, k: usize, row: usize) -> [T; GROUP] {
        let values: [T; GROUP - 3] = self.chunk(k * self.stride + row);
        lanes(
            #[inline(always)]
            |i| values[i & !3],
        )
    }

    /// The terms of sixteen columns.
    #[inline(always)]
    pub(in crate::rows) fn columns(&self, k: usize, column: usize) -> [T; GROUP] {
        self.chunk(k * self.stride + column)
    }
}

/// The terms whose sums sixteen lanes of D hold.
pub(super) struct Terms<'a, T> {
    a: &'a Inputs<T>,
    b: &'a Inputs<T>,
    /// The places of the first lane's values of `k` 0.
    first: [usize; 2],
    depth: usize,
    /// Every four lanes are columns of a block of their own, not all sixteen of one row.
    quads: bool,
}

impl<T: Copy + Default> Terms<'_, T> {
    /// A if all lanes are of one row.
    #[inline(always)]
    pub(super) fn row(&self, k: usize) -> [T; GROUP] {
        self.a.row(k, self.first[0])
    }

    /// A if they are of four blocks.
    #[inline(always)]
    pub(super) fn quads(&self, k: usize) -> [T; GROUP] {
        self.a.quads(k, self.first[0])
    }

    #[inline(always)]
    pub(super) fn b(&self, k: usize) -> [T; GROUP] {
        self.b.columns(k, self.first[1])
    }

    /// `STEP` terms of every lane after another: `next(sum, a, b)`.
    #[inline(always)]
    pub(super) fn fold<C: Copy, const STEP: usize>(
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
    pub(super) fn each<C: Copy>(
        &self,
        c: [C; GROUP],
        sum: impl Fn(C, &[T], &[T]) -> C,
    ) -> [C; GROUP] {
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
pub(super) fn product<T: Copy + Default, C: Sum>(
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
    // D may overlap A and B, which are copied by now, and small products may overlap a part of C. Every place of C is
    // read before D is written there, so the higher one goes first.
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
pub(super) fn parts<T: Copy>(
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
