//! Operand ports: how a vector instruction's sources reach its body and its result reaches the registers.
//!
//! A body sees 16 lanes of plain values. Each source is a vector row or, in the copies of hot bodies made for that, a value
//! that is the same for all lanes. Everything unusual (modifiers, SDWA, DPP, half registers, other uniform sources) is done
//! by micro-ops of its own before and after the body ([`crate::passes`]), through temporary rows.
//!
//! When lanes are off, a body writes its whole result to temporary rows, and [`Wave::deliver`] copies the active lanes. Hot
//! rows write the active lanes at once.

use crate::{
    micro_op::{MicroOp, SrcKind, modifier},
    shell::{Form, multiversion},
    state::{LANES, VectorRow, Wave, sreg},
};

mod lane;

pub(crate) use lane::*;

/// First temporary row of source `index` (two words each).
pub(crate) const SOURCE_ROWS: usize = 0;
/// Rows for results that a pass completes.
pub(crate) const RESULT_ROWS: usize = 6;
/// Rows for results of which only some lanes count.
const PARTIAL_ROWS: usize = 8;
/// Further rows that memory and cross-lane routines may use.
pub(crate) const SPARE_ROWS: usize = 12;

/// Everything a body needs of an instruction's operands.
#[derive(Clone, Copy)]
pub(crate) struct Operands {
    /// Rows of the sources that are not uniform.
    src: [*const u32; 3],
    /// Words from the first to the second word of a lane. Of mixed sources: which part of a word is the number (0 all, 1 the low half,
    /// 2 the high half).
    second: [isize; 3],
    /// Values of the uniform sources.
    value: [u64; 3],
    dst: *mut u32,
}

impl Operands {
    /// Lanes of `group` of source `index`.
    #[inline(always)]
    pub fn load<F: Form, T: Lane>(&self, index: usize, group: usize) -> [T::Value; 16] {
        if F::UNIFORM >> index & 1 != 0 {
            let value = T::uniform(self.value[index]);
            return lanes(
                #[inline(always)]
                |_| value,
            );
        }
        // SAFETY: `src[index]` points to a row of the wave's register file behind which there are enough rows for the type:
        // `operands` says why. A group's words lie inside a row.
        unsafe {
            let words = self.src[index].add(16 * group);
            if matches!(T::TYPE, Type::Mix) {
                T::load_part(words, self.second[index])
            } else {
                T::load(words)
            }
        }
    }

    /// First word of source `index`, which is not uniform.
    #[inline(always)]
    pub fn row(&self, index: usize) -> *const u32 {
        self.src[index]
    }

    /// Words from the first to the second word of a lane of source `index`.
    #[inline(always)]
    pub fn second(&self, index: usize) -> isize {
        self.second[index]
    }

    /// Where the result goes.
    #[inline(always)]
    pub fn target(&self) -> *mut u32 {
        self.dst
    }

    /// Value of uniform source `index`.
    #[inline(always)]
    pub fn uniform(&self, index: usize) -> u64 {
        self.value[index]
    }

    /// `COUNT` lanes from `first` of 32-bit word `word` of source `index`.
    #[inline(always)]
    pub fn load_words<F: Form, const COUNT: usize>(
        &self,
        index: usize,
        first: usize,
        word: usize,
    ) -> [u32; COUNT] {
        if F::UNIFORM >> index & 1 != 0 {
            let value = (self.value[index] >> (32 * word)) as u32;
            return lanes(
                #[inline(always)]
                |_| value,
            );
        }
        debug_assert!(first + COUNT <= LANES);
        // SAFETY: as in `load`; word 1 lies in the next row, or where the pair's second word does.
        unsafe {
            let second = self.second[index] * word as isize;
            let words = self.src[index].add(first).offset(second);
            words.cast::<[u32; COUNT]>().read()
        }
    }

    /// Writes word `word` of a result from lane `first` on.
    #[inline(always)]
    pub fn store_words<const COUNT: usize>(&self, first: usize, word: usize, values: [u32; COUNT]) {
        debug_assert!(first + COUNT <= LANES);
        // SAFETY: as in `load`.
        unsafe {
            let words = self.dst.add(LANES * word + first);
            words.cast::<[u32; COUNT]>().write(values);
        }
    }

    /// Writes the lanes of `group` for which `mask` has ones, not zeros.
    #[inline(always)]
    pub fn store_active<T: Lane>(&self, group: usize, values: [T::Value; 16], mask: &VectorRow) {
        let mut words = [0; 4 * LANES];
        // SAFETY: there is room for the first group of as many rows as the largest type has, and as in `load`.
        unsafe {
            T::store(words.as_mut_ptr(), values);
            let mut word = 0;
            while word < T::TYPE.words() {
                let mut lane = 0;
                while lane < 16 {
                    let active = mask.0[16 * group + lane];
                    let to = self.dst.add(LANES * word + 16 * group + lane);
                    *to = *to & !active | words[LANES * word + lane] & active;
                    lane += 1;
                }
                word += 1;
            }
        }
    }

    /// Writes the lanes of `group`.
    #[inline(always)]
    pub fn store<T: Lane>(&self, group: usize, values: [T::Value; 16]) {
        // SAFETY: as in `load`.
        unsafe { T::store(self.dst.add(16 * group), values) }
    }
}

multiversion! {
    /// Copies the active lanes of `words` result rows to their place.
    #[cold]
    fn copy_active = copy_active_body(wave: &mut Wave, dst: usize, words: usize);
}

#[inline(always)]
fn copy_active_body(wave: &mut Wave, dst: usize, words: usize) {
    for word in 0..words {
        let values = *wave.temporary(PARTIAL_ROWS + word);
        let target = &mut wave.rows[dst + word].0;
        for lane in 0..LANES {
            let mask = wave.exec_lanes.0[lane];
            target[lane] = target[lane] & !mask | values.0[lane] & mask;
        }
    }
}

multiversion! {
    /// `op` with vector sources that are zero in lanes that are off.
    pub(crate) fn with_zeros = with_zeros_body(wave: &mut Wave, op: &MicroOp, types: [Type; 3]) -> MicroOp;
}

#[inline(always)]
fn with_zeros_body(wave: &mut Wave, op: &MicroOp, types: [Type; 3]) -> MicroOp {
    let mut zeroed = *op;
    for (index, kind) in types.into_iter().enumerate() {
        if op.src[index].kind != SrcKind::Vector {
            continue;
        }
        debug_assert!(!matches!(kind, Type::PackedF32), "its words lie elsewhere");
        for word in 0..kind.words() {
            let mut row = *wave.row(op.src[index].index as usize + word);
            for lane in 0..LANES {
                row.0[lane] &= wave.exec_lanes.0[lane];
            }
            *wave.temporary(SOURCE_ROWS + 2 * index + word) = row;
        }
        zeroed.src[index].index = (wave.temporaries + SOURCE_ROWS + 2 * index) as u16;
    }
    zeroed
}

/// Whether bodies for uniform sources know this kind; all others are copied to rows first.
pub(crate) fn has_form(kind: SrcKind) -> bool {
    matches!(
        kind,
        SrcKind::Scalar | SrcKind::Constant | SrcKind::ConstantSigned | SrcKind::ConstantHigh
    )
}

/// The words of a uniform pair of singles that op_sel and op_sel_hi of source `index` name, negated as neg_lo and neg_hi say.
#[inline(always)]
fn selected(op: &MicroOp, index: usize, value: u64) -> u64 {
    let bit = |base: u32| op.modifiers >> (base + index as u32) & 1;
    let word = |select: u32, negate: u32| (value >> (32 * select)) as u32 ^ negate << 31;
    let low = word(bit(modifier::OP_SEL), bit(modifier::NEG));
    // VOP3P: the ABS bits are neg_hi.
    let high = word(bit(modifier::OP_SEL_HI), bit(modifier::ABS));
    u64::from(low) | u64::from(high) << 32
}

impl MicroOp {
    /// Value of constant source `index` of `words` words, of a kind that [`has_form`] names.
    #[inline(always)]
    pub(crate) fn constant_source(&self, index: usize, words: usize) -> u64 {
        match self.src[index].kind {
            SrcKind::ConstantSigned if words == 2 => self.constant[index] as i32 as i64 as u64,
            SrcKind::ConstantHigh => u64::from(self.constant[index]) << 32,
            _ => u64::from(self.constant[index]),
        }
    }
}

impl Wave {
    #[inline(always)]
    pub(crate) fn row(&self, index: usize) -> &VectorRow {
        &self.rows[index]
    }

    #[inline(always)]
    pub(crate) fn row_mut(&mut self, index: usize) -> &mut VectorRow {
        &mut self.rows[index]
    }

    /// Temporary row `index`.
    #[inline(always)]
    pub(crate) fn temporary(&mut self, index: usize) -> &mut VectorRow {
        let row = self.temporaries + index;
        &mut self.rows[row]
    }

    /// The 64-bit value of a uniform source; 32-bit sources use its low word.
    #[inline(always)]
    pub(crate) fn uniform(&self, op: &MicroOp, index: usize) -> u64 {
        let src = op.src[index];
        match src.kind {
            SrcKind::Scalar => self.scalar64(src.index as usize),
            SrcKind::Constant => u64::from(op.constant[index]),
            SrcKind::ConstantSigned => op.constant[index] as i32 as i64 as u64,
            SrcKind::ConstantHigh => u64::from(op.constant[index]) << 32,
            SrcKind::InverseTwoPi64 => 0x3fc4_5f30_6dc9_c882,
            SrcKind::Condition => u64::from(match src.index {
                0 => self.scc,
                1 => self.vcc() == 0,
                _ => self.exec() == 0,
            }),
            SrcKind::Aperture => match src.index {
                0 => self.shared_aperture,
                1 => self.shared_aperture | 0xffff_ffff,
                2 => self.private_aperture,
                _ => self.private_aperture | 0xffff_ffff,
            },
            SrcKind::None | SrcKind::Vector => 0,
        }
    }

    /// [`Wave::operands`] if all lanes are active, or the result is stored with [`Operands::store_active`].
    #[inline(always)]
    pub(crate) fn wide_operands<F: Form, const N: usize>(
        &mut self,
        op: &MicroOp,
        types: [Type; 3],
    ) -> Operands {
        self.resolve::<F, N>(op, types, op.dst as usize)
    }

    /// Resolves sources and destination of a vector instruction with `N` sources of types `types` and result `result`.
    #[inline(always)]
    pub(crate) fn operands<F: Form, const N: usize>(
        &mut self,
        op: &MicroOp,
        types: [Type; 3],
    ) -> Operands {
        let dst = if self.all_lanes {
            op.dst as usize
        } else {
            self.temporaries + PARTIAL_ROWS
        };
        self.resolve::<F, N>(op, types, dst)
    }

    #[inline(always)]
    fn resolve<F: Form, const N: usize>(
        &mut self,
        op: &MicroOp,
        types: [Type; 3],
        dst: usize,
    ) -> Operands {
        let mut value = [0; 3];
        let mut index = 0;
        while index < N {
            if F::UNIFORM >> index & 1 != 0 {
                value[index] = self.uniform_source(op, index, types[index].words());
                if matches!(types[index], Type::PackedF32) {
                    value[index] = selected(op, index, value[index]);
                }
            }
            index += 1;
        }
        // Offsets in bytes from the first row; decoding checked that all words of each operand are rows of the register
        // file or temporaries, and `Wave::enter` that the wave has as many rows as the code was decoded for.
        let base = self.rows.as_mut_ptr();
        let mut src = [std::ptr::null(); 3];
        let mut second = [LANES as isize; 3];
        let mut index = 0;
        while index < N {
            if F::UNIFORM >> index & 1 == 0 {
                debug_assert!(
                    op.src[index].kind == SrcKind::Vector
                        && op.src[index].index as usize + types[index].words() <= self.rows.len()
                );
                // SAFETY: inside the register file, as said above.
                src[index] = unsafe { base.add(op.src[index].index as usize) }.cast();
                if matches!(types[index], Type::PackedF32 | Type::Mix) {
                    second[index] = op.constant[index] as i32 as isize;
                }
            }
            index += 1;
        }
        debug_assert!(dst < self.rows.len());
        Operands {
            src,
            second,
            value,
            // SAFETY: as above; instructions without a vector result do not store.
            dst: unsafe { base.add(dst) }.cast(),
        }
    }

    /// Completes an instruction whose body has written `words` rows of results.
    #[inline(always)]
    pub(crate) fn deliver<F: Form>(&mut self, op: &MicroOp, words: usize) -> u32 {
        if !self.all_lanes {
            copy_active::<F>(self, op.dst as usize, words);
        }
        u32::from(op.after)
    }

    /// First of the rows for results of which only some lanes count.
    #[inline(always)]
    pub(crate) fn partial_row(&self) -> usize {
        self.temporaries + PARTIAL_ROWS
    }

    /// Value of uniform source `index` of `words` words, of a kind that [`has_form`] names. No call in it: bodies would have
    /// to save host registers for that.
    #[inline(always)]
    fn uniform_source(&self, op: &MicroOp, index: usize, words: usize) -> u64 {
        let src = op.src[index];
        match src.kind {
            SrcKind::Scalar => self.scalar_source(src.index, words),
            _ => op.constant_source(index, words),
        }
    }

    /// Value of `words` scalar registers from `slot` on.
    #[inline(always)]
    pub(crate) fn scalar_source(&self, slot: u16, words: usize) -> u64 {
        match words {
            1 => u64::from(self.scalars.0[slot as usize]),
            _ => self.scalar64(slot as usize),
        }
    }

    /// `op` with every uniform source copied to a temporary row.
    pub(crate) fn with_rows_for_uniforms(&mut self, op: &MicroOp) -> MicroOp {
        let mut moved = *op;
        for index in 0..3 {
            if matches!(op.src[index].kind, SrcKind::None | SrcKind::Vector) {
                continue;
            }
            let mut value = self.uniform(op, index);
            if op.modifiers & modifier::PAIR != 0 {
                value = selected(op, index, value);
                moved.constant[index] = LANES as u32;
            }
            let row = SOURCE_ROWS + 2 * index;
            *self.temporary(row) = VectorRow([value as u32; LANES]);
            *self.temporary(row + 1) = VectorRow([(value >> 32) as u32; LANES]);
            moved.src[index].kind = SrcKind::Vector;
            moved.src[index].index = (self.temporaries + row) as u16;
        }
        moved
    }

    /// Value of one lane of a source in the plain (unmodified) form; for memory and cross-lane routines.
    #[inline(always)]
    pub(crate) fn lane_value(&self, op: &MicroOp, index: usize, lane: usize) -> u32 {
        let src = op.src[index];
        if src.kind == SrcKind::Vector {
            self.rows[src.index as usize].0[lane]
        } else {
            self.uniform(op, index) as u32
        }
    }

    /// M0.
    #[inline(always)]
    pub(crate) fn m0(&self) -> u32 {
        self.scalars.0[sreg::M0]
    }
}
