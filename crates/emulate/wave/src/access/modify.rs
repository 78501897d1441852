//! Changes that atomic instructions make to a word in memory. They are the same for LDS and for device memory.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use numerics::{Denormals, float16, float32, float64, packed};

use crate::mode::Context;

/// A word that atomics work on.
pub(crate) trait Word:
    Copy
    + Default
    + Ord
    + std::ops::BitAnd<Output = Self>
    + std::ops::BitOr<Output = Self>
    + std::ops::BitXor<Output = Self>
    + std::ops::Not<Output = Self>
{
    /// Registers it occupies.
    const WORDS: usize;
    const ONE: Self;
    fn join(low: u32, high: u32) -> Self;
    fn low(self) -> u32;
    fn high(self) -> u32;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn signed_less(self, other: Self) -> bool;

    /// Replaces the word at `at` by `change` of it, as one indivisible step seen from all threads. Returns the old value.
    ///
    /// # Safety
    /// `at` must be an accessible, aligned word.
    unsafe fn exchange(at: *mut u8, change: impl FnMut(Self) -> Self) -> Self;
}

macro_rules! word {
    ($word:ident, $signed:ident, $atomic:ident, $words:literal, |$low:ident, $high:ident| $join:expr, |$value:ident| $upper:expr) => {
        impl Word for $word {
            const WORDS: usize = $words;
            const ONE: $word = 1;
            #[inline(always)]
            fn join($low: u32, $high: u32) -> $word {
                $join
            }
            #[inline(always)]
            fn low(self) -> u32 {
                self as u32
            }
            #[inline(always)]
            fn high(self) -> u32 {
                let $value = self;
                $upper
            }
            #[inline(always)]
            fn plus(self, other: $word) -> $word {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minus(self, other: $word) -> $word {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn signed_less(self, other: $word) -> bool {
                (self as $signed) < other as $signed
            }
            #[inline(always)]
            unsafe fn exchange(at: *mut u8, mut change: impl FnMut($word) -> $word) -> $word {
                // SAFETY: the caller's promise; host and device both use atomics on such words.
                let word = unsafe { $atomic::from_ptr(at.cast()) };
                let mut old = word.load(Ordering::Relaxed);
                loop {
                    match word.compare_exchange_weak(
                        old,
                        change(old),
                        Ordering::SeqCst,
                        Ordering::Relaxed,
                    ) {
                        Ok(_) => return old,
                        Err(now) => old = now,
                    }
                }
            }
        }
    };
}

word!(u32, i32, AtomicU32, 1, |low, _high| low, |_value| 0);
word!(
    u64,
    i64,
    AtomicU64,
    2,
    |low, high| u64::from(low) | u64::from(high) << 32,
    |value| (value >> 32) as u32
);

/// One atomic operation: the new value of the word.
pub(crate) trait Modify<W: Word> {
    /// Applying it with x and then y equals applying it once with `apply(x, y)`.
    const ASSOCIATIVE: bool = false;
    /// Needs the second data operand.
    const TWO: bool = false;
    /// Works on floating-point numbers.
    const FLOAT: bool = false;
    fn apply(context: Context, old: W, data: W, second: W) -> W;
}

macro_rules! integer {
    ($($name:ident: $associative:literal, $two:literal = |$old:ident, $data:ident, $second:pat_param| $new:expr;)*) => {$(
        pub(crate) struct $name;
        impl<W: Word> Modify<W> for $name {
            const ASSOCIATIVE: bool = $associative;
            const TWO: bool = $two;
            #[inline(always)]
            fn apply(_: Context, $old: W, $data: W, $second: W) -> W {
                $new
            }
        }
    )*};
}

// Columns: associative, uses the second operand.
#[rustfmt::skip]
integer! {
    Swap:             false, false = |_old, data, _| data;
    Add:              true,  false = |old, data, _| old.plus(data);
    Subtract:         false, false = |old, data, _| old.minus(data);
    ReverseSubtract:  false, false = |old, data, _| data.minus(old);
    SubtractClamped:  false, false = |old, data, _| if old < data { W::default() } else { old.minus(data) };
    SignedMin:        true,  false = |old, data, _| if data.signed_less(old) { data } else { old };
    SignedMax:        true,  false = |old, data, _| if old.signed_less(data) { data } else { old };
    UnsignedMin:      true,  false = |old, data, _| old.min(data);
    UnsignedMax:      true,  false = |old, data, _| old.max(data);
    And:              true,  false = |old, data, _| old & data;
    Or:               true,  false = |old, data, _| old | data;
    Xor:              true,  false = |old, data, _| old ^ data;
    Increment:        false, false = |old, data, _| if old >= data { W::default() } else { old.plus(W::ONE) };
    Decrement:        false, false = |old, data, _| if old == W::default() || old > data { data } else { old.minus(W::ONE) };
    // gfx12: nothing happens where there is too little.
    SubtractIfEnough: false, false = |old, data, _| if old < data { old } else { old.minus(data) };
    MaskedOr:         false, true  = |old, data, second| old & !data | second;
    Wrap:             false, true  = |old, data, second| if old >= data { old.minus(data) } else { old.plus(second) };
    // LDS: the comparison comes first.
    CompareStore:     false, true  = |old, data, second| if old == data { second } else { old };
    // Device memory: the new value comes first.
    CompareSwap:      false, true  = |old, data, second| if old == second { data } else { old };
}

macro_rules! float {
    ($($name:ident<$word:ident>: $two:literal = |$context:pat_param, $old:ident, $data:ident, $second:pat_param| $new:expr;)*) => {$(
        impl Modify<$word> for $name {
            const TWO: bool = $two;
            const FLOAT: bool = true;
            #[inline(always)]
            fn apply($context: Context, $old: $word, $data: $word, $second: $word) -> $word {
                $new
            }
        }
    )*};
}

/// Obeys MODE's denormal field.
pub(crate) struct FloatAdd;
/// Device memory: what becomes of f32 denormals is the target's choice whatever MODE says (its rows see to that), f64
/// denormals stay.
pub(crate) struct FloatAddMemory;
pub(crate) struct FloatMin;
pub(crate) struct FloatMax;
/// gfx12: a number wins over a NaN, -0 is below +0, denormals stay.
pub(crate) struct NumberMin;
pub(crate) struct NumberMax;
pub(crate) struct FloatCompareStore;
pub(crate) struct FloatCompareSwap;
/// Two f16 at once; device memory keeps denormals.
pub(crate) struct PackedHalfAdd;
/// Two bfloat16 at once.
pub(crate) struct PackedBf16Add;

fn single(bits: u32) -> f32 {
    f32::from_bits(bits)
}

fn double(bits: u64) -> f64 {
    f64::from_bits(bits)
}

// Column: uses the second operand.
#[rustfmt::skip]
float! {
    FloatAdd<u32>:          false = |context, old, data, _| float32::add(old, data, context.denormals32);
    FloatAdd<u64>:          false = |context, old, data, _| float64::add(old, data, context.denormals64);
    FloatAddMemory<u32>:    false = |context, old, data, _| float32::add(old, data, context.denormals32);
    FloatAddMemory<u64>:    false = |_, old, data, _| float64::add(old, data, Denormals::KEEP);
    FloatMin<u32>:          false = |_, old, data, _| if single(data) < single(old) { data } else { old };
    FloatMin<u64>:          false = |_, old, data, _| if double(data) < double(old) { data } else { old };
    FloatMax<u32>:          false = |_, old, data, _| if single(data) > single(old) { data } else { old };
    FloatMax<u64>:          false = |_, old, data, _| if double(data) > double(old) { data } else { old };
    NumberMin<u32>:         false = |_, old, data, _| float32::min_num(data, old, Denormals::KEEP);
    NumberMin<u64>:         false = |_, old, data, _| float64::min_num(data, old, Denormals::KEEP);
    NumberMax<u32>:         false = |_, old, data, _| float32::max_num(data, old, Denormals::KEEP);
    NumberMax<u64>:         false = |_, old, data, _| float64::max_num(data, old, Denormals::KEEP);
    FloatCompareStore<u32>: true  = |_, old, data, second| if single(old) == single(data) { second } else { old };
    FloatCompareStore<u64>: true  = |_, old, data, second| if double(old) == double(data) { second } else { old };
    FloatCompareSwap<u32>:  true  = |_, old, data, second| if single(old) == single(second) { data } else { old };
    FloatCompareSwap<u64>:  true  = |_, old, data, second| if double(old) == double(second) { data } else { old };
    PackedBf16Add<u32>:     false = |_, old, data, _| packed::add_bf16(old, data);
    PackedHalfAdd<u32>:     false = |_, old, data, _| {
        let low = float16::add(old as u16, data as u16, float16::Mode::DEFAULT);
        let high = float16::add((old >> 16) as u16, (data >> 16) as u16, float16::Mode::DEFAULT);
        u32::from(low) | u32::from(high) << 16
    };
}

/// The result of applying `M` to each of the `valid` lanes' data in turn, if `M` is associative.
#[inline(always)]
pub(crate) fn combine<W: Word, M: Modify<W>>(
    context: Context,
    data: &[W; 16],
    valid: u16,
) -> Option<W> {
    let mut all = *data.get(valid.trailing_zeros() as usize)?;
    let others = valid & (valid - 1);
    for (lane, &data) in data.iter().enumerate() {
        if others >> lane & 1 != 0 {
            all = M::apply(context, all, data, data);
        }
    }
    Some(all)
}
