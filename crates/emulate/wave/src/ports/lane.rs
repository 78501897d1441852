//! Lane value types: how 16 lanes of each type lie in register rows.

use std::mem::MaybeUninit;

use crate::state::LANES;

/// The type of a source or result, for modifiers, inline constants and register width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Type {
    /// No operand.
    None,
    /// 32-bit integer or untyped.
    B32,
    F32,
    /// 64-bit integer or untyped.
    B64,
    F64,
    /// 16-bit integer in the low half.
    B16,
    F16,
    /// Two 16-bit integers.
    PackedB16,
    PackedF16,
    /// Two f32 in a register pair.
    PackedF32,
    /// Two 32-bit words in a register pair.
    PackedB32,
    /// 128-bit: quad-register operands of the SAD family.
    B128,
    /// Source of the mixed-precision FMA instructions: f32, or one half of an f16 pair, as op_sel_hi/op_sel say; bodies
    /// always receive f32.
    Mix,
    /// One byte of the register, the others stay: results only, op_sel[3:2] says which.
    B8,
    Bf16,
    PackedBf16,
}

impl Type {
    const ALL: [Type; 16] = [
        Type::None,
        Type::B32,
        Type::F32,
        Type::B64,
        Type::F64,
        Type::B16,
        Type::F16,
        Type::PackedB16,
        Type::PackedF16,
        Type::PackedF32,
        Type::PackedB32,
        Type::B128,
        Type::Mix,
        Type::B8,
        Type::Bf16,
        Type::PackedBf16,
    ];

    /// The type whose number micro-ops carry.
    pub fn from_code(code: u32) -> Type {
        Type::ALL[code as usize]
    }

    /// Registers the value occupies.
    pub const fn words(self) -> usize {
        match self {
            Type::None => 0,
            Type::B64 | Type::F64 | Type::PackedF32 | Type::PackedB32 => 2,
            Type::B128 => 4,
            _ => 1,
        }
    }

    /// How many of them follow each other for certain. The second word of a pair of singles may lie anywhere.
    pub const fn adjacent_words(self) -> usize {
        match self {
            Type::PackedF32 => 1,
            _ => self.words(),
        }
    }
}

/// How 16 lanes of one operand lie in register rows, and the host type bodies see.
///
/// Floats travel as bits: what happens to NaNs and denormals is `numerics`' business, never the host's.
pub(crate) trait Lane {
    const TYPE: Type;
    type Value: Copy;

    /// 16 lanes starting at `word`.
    ///
    /// # Safety
    /// `word` must point to 16 readable words, and for types of several words so must `word + 64` and so on.
    unsafe fn load(word: *const u32) -> [Self::Value; 16];

    /// The numbers in low (`part` 1) or high halves (2) of words.
    ///
    /// # Safety
    /// As [`Lane::load`].
    #[inline(always)]
    unsafe fn load_part(word: *const u32, _part: isize) -> [Self::Value; 16] {
        // SAFETY: forwarded contract.
        unsafe { Self::load(word) }
    }

    /// # Safety
    /// As [`Lane::load`], writable.
    unsafe fn store(word: *mut u32, values: [Self::Value; 16]);

    /// The value of a source that is the same for all lanes.
    fn uniform(value: u64) -> Self::Value;
}

/// The groups of a wave, two or four, one by one. If a loop over the groups reads their masks, the compiler makes host
/// vectors of one lane of each group, with gathers and scatters.
#[inline(always)]
pub(crate) fn each_group(groups: usize, mut act: impl FnMut(usize)) {
    act(0);
    act(1);
    if groups > 2 {
        act(2);
        act(3);
    }
}

/// The values of `lane(0..COUNT)`.
///
/// Bodies use this and plain loops, never `array::from_fn` or `array::map`: those are ordinary functions, and a call the
/// optimiser does not inline leaves the vector features of the shell behind.
#[inline(always)]
pub(crate) fn lanes<T: Copy, const COUNT: usize>(lane: impl Fn(usize) -> T) -> [T; COUNT] {
    let mut values = [const { MaybeUninit::uninit() }; COUNT];
    let mut index = 0;
    while index < COUNT {
        values[index] = MaybeUninit::new(lane(index));
        index += 1;
    }
    // SAFETY: the loop initialised all elements, and MaybeUninit<T> has the layout of T.
    unsafe { std::mem::transmute_copy(&values) }
}

#[inline(always)]
unsafe fn load_words(word: *const u32) -> [u32; 16] {
    // SAFETY: the caller guarantees 16 readable words; [u32; 16] has the alignment of u32.
    unsafe { word.cast::<[u32; 16]>().read() }
}

#[inline(always)]
unsafe fn store_words(word: *mut u32, values: [u32; 16]) {
    // SAFETY: the caller guarantees 16 writable words.
    unsafe { word.cast::<[u32; 16]>().write(values) }
}

macro_rules! one_word {
    ($($(#[$doc:meta])* $name:ident: $type:ident, $value:ty, $from:expr, $to:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) enum $name {}
        impl Lane for $name {
            const TYPE: Type = Type::$type;
            type Value = $value;
            #[inline(always)]
            unsafe fn load(word: *const u32) -> [$value; 16] {
                // SAFETY: forwarded contract.
                let words = unsafe { load_words(word) };
                lanes(#[inline(always)] |lane| $from(words[lane]))
            }
            #[inline(always)]
            unsafe fn store(word: *mut u32, values: [$value; 16]) {
                // SAFETY: forwarded contract.
                unsafe { store_words(word, lanes(#[inline(always)] |lane| $to(values[lane]))) }
            }
            #[inline(always)]
            fn uniform(value: u64) -> $value {
                $from(value as u32)
            }
        }
    )*};
}

one_word! {
    B32: B32, u32, |bits| bits, |value| value;
    I32: B32, i32, |bits| bits as i32, |value: i32| value as u32;
    F32: F32, u32, |bits| bits, |value| value;
    B16: B16, u16, |bits| bits as u16, u32::from;
    I16: B16, i16, |bits| bits as i16, |value: i16| u32::from(value as u16);
    F16: F16, u16, |bits| bits as u16, u32::from;
    B8: B8, u32, |bits| bits & 0xff, |value| value;
    Bf16: Bf16, u16, |bits| bits as u16, u32::from;
    /// Two bfloat16.
    PackedBf16: PackedBf16, u32, |bits| bits, |value| value;
    /// Two f16.
    PackedF16: PackedF16, u32, |bits| bits, |value| value;
    /// Two 16-bit integers.
    PackedB16: PackedB16, u32, |bits| bits, |value| value;
}

/// f32, or an f16 in half of a register that is widened.
pub(crate) enum Mix {}

impl Lane for Mix {
    const TYPE: Type = Type::Mix;
    type Value = u32;

    #[inline(always)]
    unsafe fn load(word: *const u32) -> [u32; 16] {
        // SAFETY: forwarded contract.
        unsafe { load_words(word) }
    }

    #[inline(always)]
    unsafe fn load_part(word: *const u32, part: isize) -> [u32; 16] {
        // SAFETY: forwarded contract.
        let words = unsafe { load_words(word) };
        if part == 0 {
            return words;
        }
        let shift = (16 * (part as u32 - 1)) & 31;
        lanes(
            #[inline(always)]
            |lane| numerics::convert::f32_from_f16_exact((words[lane] >> shift) as u16),
        )
    }

    #[inline(always)]
    unsafe fn store(word: *mut u32, values: [u32; 16]) {
        // SAFETY: forwarded contract.
        unsafe { store_words(word, values) }
    }

    #[inline(always)]
    fn uniform(value: u64) -> u32 {
        value as u32
    }
}

macro_rules! two_words {
    ($($(#[$doc:meta])* $name:ident: $type:ident, $value:ty, $join:expr, $split:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) enum $name {}
        impl Lane for $name {
            const TYPE: Type = Type::$type;
            type Value = $value;
            #[inline(always)]
            unsafe fn load(word: *const u32) -> [$value; 16] {
                // SAFETY: forwarded contract; the second word lies one row further.
                let (low, high) = unsafe { (load_words(word), load_words(word.add(LANES))) };
                lanes(#[inline(always)] |lane| $join(low[lane], high[lane]))
            }
            #[inline(always)]
            unsafe fn store(word: *mut u32, values: [$value; 16]) {
                // SAFETY: forwarded contract.
                unsafe {
                    store_words(word, lanes(#[inline(always)] |lane| $split(values[lane]).0));
                    store_words(word.add(LANES), lanes(#[inline(always)] |lane| $split(values[lane]).1));
                }
            }
            #[inline(always)]
            fn uniform(value: u64) -> $value {
                $join(value as u32, (value >> 32) as u32)
            }
        }
    )*};
}

#[inline(always)]
fn join(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

#[inline(always)]
fn split(value: u64) -> (u32, u32) {
    (value as u32, (value >> 32) as u32)
}

two_words! {
    B64: B64, u64, join, split;
    I64: B64, i64, |low, high| join(low, high) as i64, |value: i64| split(value as u64);
    F64: F64, u64, join, split;
    /// Two 32-bit words.
    PackedB32: PackedB32, [u32; 2], |low, high| [low, high], |value: [u32; 2]| (value[0], value[1]);
}

/// Four words.
pub(crate) enum B128 {}

impl Lane for B128 {
    const TYPE: Type = Type::B128;
    type Value = [u32; 4];

    #[inline(always)]
    unsafe fn load(word: *const u32) -> [[u32; 4]; 16] {
        let mut rows = [[0; 16]; 4];
        let mut index = 0;
        while index < 4 {
            // SAFETY: the caller guarantees this for four consecutive rows.
            rows[index] = unsafe { load_words(word.add(LANES * index)) };
            index += 1;
        }
        lanes(
            #[inline(always)]
            |lane| [rows[0][lane], rows[1][lane], rows[2][lane], rows[3][lane]],
        )
    }

    #[inline(always)]
    unsafe fn store(word: *mut u32, values: [[u32; 4]; 16]) {
        let mut index = 0;
        while index < 4 {
            let part = lanes(
                #[inline(always)]
                |lane| values[lane][index],
            );
            // SAFETY: as in `load`.
            unsafe { store_words(word.add(LANES * index), part) };
            index += 1;
        }
    }

    #[inline(always)]
    fn uniform(value: u64) -> [u32; 4] {
        [value as u32, (value >> 32) as u32, 0, 0]
    }
}
