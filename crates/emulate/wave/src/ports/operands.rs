//! Sources and destination of a vector ALU instruction, as its body finds them.

use std::marker::PhantomData;

use super::{Lane, PARTIAL_ROWS, Type, lanes, selected};
use crate::{
    micro_op::{MicroOp, SrcKind, modifier},
    shell::Form,
    state::{LANES, VectorRow, Wave},
};

/// Everything a body needs of an instruction's operands.
///
/// The pointers lead into the register file of the wave that is borrowed for `'wave`. While this is in use, no other
/// code reads or writes its rows, and it can neither move nor shrink. Sources and destination may be the same rows, so
/// they are pointers and not slices. Each has as many rows behind it as its type takes; the maker of this value has
/// vouched for them.
///
/// Reading and writing compare what is asked for with these types. Both are known when a body is compiled, as groups of lanes are, so
/// that nothing is left of the comparisons.
pub(crate) struct Operands<'wave> {
    /// Types of the sources and of the result.
    types: [Type; 3],
    result: Type,
    /// Rows of the sources that are not uniform.
    src: [*const u32; 3],
    /// How the lanes of a source lie, as [`crate::micro_op::Src`] says: the distance of pairs, the part of mixed ones.
    second: [isize; 3],
    /// Values of the uniform sources.
    value: [u64; 3],
    /// [`crate::micro_op::modifier`] bits, for bodies that do modifiers themselves.
    modifiers: u32,
    dst: *mut u32,
    /// Ones for lanes that are on.
    active: &'wave VectorRow,
    rows: PhantomData<&'wave mut [VectorRow]>,
}

impl Operands<'_> {
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
        assert!(T::TYPE.words() <= self.types[index].adjacent_words() && group < LANES / 16);
        // SAFETY: `src[index]` points to a row of the borrowed register file, behind which there are as many as its type takes. A
        // group's words lie inside a row.
        unsafe {
            let words = self.src[index].add(16 * group);
            if matches!(T::TYPE, Type::Mix) {
                T::load_part(words, self.second[index])
            } else {
                T::load(words)
            }
        }
    }

    /// First word of source `index`, which is not uniform. As many rows as the source's type takes may be read from it on.
    #[inline(always)]
    pub fn row(&self, index: usize) -> *const u32 {
        self.src[index]
    }

    /// Words from the first to the second word of a lane of source `index`.
    #[inline(always)]
    pub fn second(&self, index: usize) -> isize {
        self.second[index]
    }

    /// The destination: as many rows as its type takes.
    #[inline(always)]
    pub fn target(&self) -> *mut u32 {
        self.dst
    }

    /// Ones for lanes that are on.
    #[inline(always)]
    pub fn active(&self) -> &VectorRow {
        self.active
    }

    /// Returns `true` if source `index` is uniform.
    #[inline(always)]
    pub fn is_uniform<F: Form>(&self, index: usize) -> bool {
        F::UNIFORM >> index & 1 != 0 || F::MODIFIED && self.src[index].is_null()
    }

    /// Whether source `index` is to be negated, after its sign was taken away; and whether that is.
    #[inline(always)]
    pub fn signs(&self, index: usize) -> [bool; 2] {
        [modifier::NEG, modifier::ABS].map(
            #[inline(always)]
            |base| self.modifiers >> (base as usize + index) & 1 != 0,
        )
    }

    #[inline(always)]
    pub fn clamps(&self) -> bool {
        self.modifiers & modifier::CLAMP != 0
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
        assert!(word < self.types[index].words() && first + COUNT <= LANES);
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
        assert!(word < self.result.words() && first + COUNT <= LANES);
        // SAFETY: as in `load`.
        unsafe {
            let words = self.dst.add(LANES * word + first);
            words.cast::<[u32; COUNT]>().write(values);
        }
    }

    /// Writes the lanes of `group` that are on.
    #[inline(always)]
    pub fn store_active<T: Lane>(&self, group: usize, values: [T::Value; 16]) {
        self.store_where::<T>(group, values, self.active);
    }

    /// Writes the lanes of `group` for which `mask` has ones, not zeros. The mask is an argument because the compiler knows of these
    /// that no store changes them: it would not make host vectors of the loop otherwise.
    #[inline(always)]
    fn store_where<T: Lane>(&self, group: usize, values: [T::Value; 16], mask: &VectorRow) {
        assert!(T::TYPE.words() <= self.result.words() && group < LANES / 16);
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
        assert!(T::TYPE.words() <= self.result.words() && group < LANES / 16);
        // SAFETY: as in `load`.
        unsafe { T::store(self.dst.add(16 * group), values) }
    }
}

impl Wave {
    /// [`Wave::operands`] if all lanes are active, or the result is stored with [`Operands::store_active`].
    ///
    /// # Safety
    /// As of [`Wave::operands`].
    #[inline(always)]
    pub(crate) unsafe fn wide_operands<F: Form, const N: usize>(
        &mut self,
        op: &MicroOp,
        types: [Type; 3],
        result: Type,
    ) -> Operands<'_> {
        // SAFETY: the caller's promise.
        unsafe { self.resolve::<F, N>(op, types, result, op.dst as usize) }
    }

    /// Sources and destination of a vector instruction with `N` sources of types `types` and a result of type `result`.
    ///
    /// # Safety
    /// `op` belongs to the code that the wave executes, and to a row of these types. Decoding has checked that all words of
    /// such operands are rows of the register file or temporary ones, and [`Wave::enter`] that the wave has as many rows as the
    /// code was decoded for.
    #[inline(always)]
    pub(crate) unsafe fn operands<F: Form, const N: usize>(
        &mut self,
        op: &MicroOp,
        types: [Type; 3],
        result: Type,
    ) -> Operands<'_> {
        let dst = if self.all_lanes {
            op.dst as usize
        } else {
            self.temporaries + PARTIAL_ROWS
        };
        // SAFETY: the caller's promise; there is room for the largest result behind the first row for partial ones.
        unsafe { self.resolve::<F, N>(op, types, result, dst) }
    }

    /// # Safety
    /// As of [`Wave::operands`], and there are as many rows from `dst` on as `result` takes.
    #[inline(always)]
    unsafe fn resolve<F: Form, const N: usize>(
        &mut self,
        op: &MicroOp,
        types: [Type; 3],
        result: Type,
        dst: usize,
    ) -> Operands<'_> {
        let mut value = [0; 3];
        let mut index = 0;
        while index < N {
            let uniform = F::UNIFORM >> index & 1 != 0;
            if uniform || F::MODIFIED && op.src[index].kind != SrcKind::Vector {
                value[index] = self.uniform_source(op, index, types[index].words());
                if matches!(types[index], Type::PackedF32) {
                    value[index] = selected(op, index, value[index]);
                }
            }
            index += 1;
        }
        debug_assert!(dst + result.words() <= self.rows.len());
        let base = self.rows.as_mut_ptr();
        let mut src = [std::ptr::null(); 3];
        let mut second = [LANES as isize; 3];
        let mut index = 0;
        while index < N {
            let uniform = F::UNIFORM >> index & 1 != 0;
            if !uniform && (!F::MODIFIED || op.src[index].kind == SrcKind::Vector) {
                debug_assert!(
                    op.src[index].kind == SrcKind::Vector
                        && op.src[index].index as usize + types[index].words() <= self.rows.len()
                );
                // SAFETY: a row of the register file, as the caller promises.
                src[index] = unsafe { base.add(op.src[index].index as usize) }.cast();
                match types[index] {
                    Type::PackedF32 => second[index] = op.src[index].pair_distance(),
                    Type::Mix => second[index] = op.src[index].mixed_part(),
                    _ => {}
                }
            }
            index += 1;
        }
        Operands {
            types,
            result,
            src,
            second,
            value,
            modifiers: if F::MODIFIED {
                op.vector().modifiers
            } else {
                0
            },
            // SAFETY: a row of the register file, as the caller promises; for an instruction without a vector result it is any row, and nothing is stored.
            dst: unsafe { base.add(dst) }.cast(),
            active: &self.exec_lanes,
            rows: PhantomData,
        }
    }
}
