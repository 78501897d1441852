//! The execution of a chain in host registers.

use super::{Form, Link, Links, Port};
use crate::{LANES, host::Host};

/// The numbers that a chain computes with, one for each lane.
///
/// # Safety
/// All functions have the safety conditions of [`Host`]. A number of two words has its second words in the next row.
pub trait Number {
    /// Words of a number.
    const WORDS: usize;
    /// The sign, as [`Number::uniform`] takes it.
    const SIGN: u64;
    /// [`Host::STEP`] numbers.
    type Vector<H: Host>: Copy;
    /// # Safety
    /// As of the trait; there are so many words.
    unsafe fn load<H: Host>(words: *const u32) -> Self::Vector<H>;
    /// # Safety
    /// As of the trait.
    unsafe fn uniform<H: Host>(value: u64) -> Self::Vector<H>;
    /// The words of the numbers, of which there are [`Number::WORDS`].
    ///
    /// # Safety
    /// As of the trait.
    unsafe fn words<H: Host>(vector: Self::Vector<H>) -> [H::Single; 2];
    /// Lanes in which either is a NaN.
    ///
    /// # Safety
    /// As of the trait.
    unsafe fn nans<H: Host>(a: Self::Vector<H>, b: Self::Vector<H>) -> H::Lanes;
    /// # Safety
    /// As of the trait.
    unsafe fn xor<H: Host>(a: Self::Vector<H>, b: Self::Vector<H>) -> Self::Vector<H>;
    /// `a * b + c`, rounded once.
    ///
    /// # Safety
    /// As of the trait.
    unsafe fn fma<H: Host>(
        a: Self::Vector<H>,
        b: Self::Vector<H>,
        c: Self::Vector<H>,
    ) -> Self::Vector<H>;

    /// # Safety
    /// As of the trait.
    #[inline(always)]
    unsafe fn negate<H: Host, const COUNT: usize>(vectors: &mut [Self::Vector<H>; COUNT]) {
        let mut index = 0;
        while index < COUNT {
            // SAFETY: the caller's promise.
            unsafe {
                vectors[index] = Self::xor::<H>(vectors[index], Self::uniform::<H>(Self::SIGN))
            };
            index += 1;
        }
    }
}

macro_rules! numbers {
    ($(
        $(#[$about:meta])*
        $name:ident: $words:literal, $sign:expr, <$h:ident> $vector:ty;
        load($from:ident) = $load:expr;
        uniform($value:ident) = $uniform:expr;
        words($whole:ident) = $parts:expr;
        nans($a:ident, $b:ident) = $nans:expr;
        xor = $xor:expr;
        fma($c:ident) = $fma:expr;
    )*) => {$(
        $(#[$about])*
        #[derive(Debug)]
        pub enum $name {}

        impl Number for $name {
            const WORDS: usize = $words;
            const SIGN: u64 = $sign;
            type Vector<$h: Host> = $vector;
            #[inline(always)]
            unsafe fn load<$h: Host>($from: *const u32) -> $vector {
                // SAFETY: the caller promises the host's vectors, and the words.
                unsafe { $load }
            }
            #[inline(always)]
            unsafe fn uniform<$h: Host>($value: u64) -> $vector {
                // SAFETY: the caller promises the host's vectors.
                unsafe { $uniform }
            }
            #[inline(always)]
            #[allow(unused_unsafe)] // Singles are their words.
            unsafe fn words<$h: Host>($whole: $vector) -> [$h::Single; 2] {
                // SAFETY: the caller promises the host's vectors.
                unsafe { $parts }
            }
            #[inline(always)]
            unsafe fn nans<$h: Host>($a: $vector, $b: $vector) -> $h::Lanes {
                // SAFETY: the caller promises the host's vectors.
                unsafe { $nans }
            }
            #[inline(always)]
            unsafe fn xor<$h: Host>($a: $vector, $b: $vector) -> $vector {
                // SAFETY: the caller promises the host's vectors.
                unsafe { $xor }
            }
            #[inline(always)]
            unsafe fn fma<$h: Host>($a: $vector, $b: $vector, $c: $vector) -> $vector {
                // SAFETY: the caller promises the host's vectors.
                unsafe { $fma }
            }
        }
    )*};
}

numbers! {
    /// One f32 per lane.
    Singles: 1, 1 << 31, <H> H::Single;
    load(words) = H::load(words);
    uniform(value) = H::splat(value as u32);
    words(vector) = [vector; 2];
    nans(a, b) = H::nans(a, b);
    xor = H::xor(a, b);
    fma(c) = H::fma(a, b, c);

    /// One f64 per lane.
    Doubles: 2, 1 << 63, <H> [H::Double; 2];
    load(words) = H::interleave(H::load(words), H::load(words.add(LANES)));
    uniform(value) = [H::splat64(value); 2];
    words(vector) = H::separate(vector);
    nans(a, b) = H::either(H::nans64(a[0], a[1]), H::nans64(b[0], b[1]));
    xor = [H::xor64(a[0], b[0]), H::xor64(a[1], b[1])];
    fma(c) = [H::fma64(a[0], b[0], c[0]), H::fma64(a[1], b[1], c[1])];
}

/// Does `chain` for `PASSES` times `COUNT` host vectors, which make 64 or 32 lanes. If a NaN is involved, which stays one to the end,
/// the last result is not stored, nothing that the chain read has changed, and the result is false.
///
/// `scalar` gives the numbers of [`Port::Scalar`].
///
/// # Safety
/// The host has the vectors of `H`; behind `rows` lie the rows that the chain names.
#[inline(always)]
pub unsafe fn run<H: Host, N: Number, const COUNT: usize, const PASSES: usize>(
    rows: *mut u32,
    chain: &Links,
    scalar: impl Fn(u16) -> u64,
) -> bool {
    const { assert!(matches!(LANES / (COUNT * PASSES * H::STEP), 1 | 2)) };
    // SAFETY: the caller's promise.
    unsafe {
        let zero = N::uniform::<H>(0);
        let mut results = [[zero; COUNT]; PASSES];
        let mut nans = H::no_lanes();
        let mut pass = 0;
        while pass < PASSES {
            let first = pass * COUNT * H::STEP;
            let mut result =
                fetch::<H, N, COUNT>(rows, &scalar, chain.start, first, &[zero; COUNT]);
            for link in &chain.links {
                follow::<H, N, COUNT>(rows, &scalar, link, first, &mut result);
                if let Some(row) = link.store {
                    store::<H, N, COUNT>(rows, row, first, &result);
                }
            }
            results[pass] = result;
            let mut index = 0;
            while index < COUNT {
                nans = H::either(nans, N::nans::<H>(result[index], result[index + 1]));
                index += 2;
            }
            pass += 1;
        }
        if H::any(nans) {
            return false;
        }
        pass = 0;
        while pass < PASSES {
            let first = pass * COUNT * H::STEP;
            store::<H, N, COUNT>(rows, chain.target, first, &results[pass]);
            pass += 1;
        }
    }
    true
}

/// One link for `COUNT` host vectors from lane `first` on.
///
/// # Safety
/// As [`run`].
#[inline(always)]
unsafe fn follow<H: Host, N: Number, const COUNT: usize>(
    rows: *const u32,
    scalar: &impl Fn(u16) -> u64,
    link: &Link,
    first: usize,
    result: &mut [N::Vector<H>; COUNT],
) {
    // SAFETY: the caller's promises.
    unsafe {
        // Operands of the usual kinds come from memory when they are used: host registers are few.
        let row = |port| row_of(rows, port, first);
        let all = |port| N::uniform::<H>(uniform(scalar, port));
        match link.form {
            Form::Rows => {
                let (factor, addend) = (row(link.factor), row(link.addend));
                add_product::<H, N, COUNT>(
                    link,
                    result,
                    #[inline(always)]
                    |index| vector::<H, N>(factor, index),
                    #[inline(always)]
                    |index| vector::<H, N>(addend, index),
                )
            }
            Form::RowAndUniform => {
                let (factor, addend) = (row(link.factor), all(link.addend));
                add_product::<H, N, COUNT>(
                    link,
                    result,
                    #[inline(always)]
                    |index| vector::<H, N>(factor, index),
                    #[inline(always)]
                    |_| addend,
                )
            }
            Form::UniformAndRow => {
                let (factor, addend) = (all(link.factor), row(link.addend));
                add_product::<H, N, COUNT>(
                    link,
                    result,
                    #[inline(always)]
                    |_| factor,
                    #[inline(always)]
                    |index| vector::<H, N>(addend, index),
                )
            }
            Form::Any => {
                let mut factor = fetch::<H, N, COUNT>(rows, scalar, link.factor, first, result);
                let mut addend = fetch::<H, N, COUNT>(rows, scalar, link.addend, first, result);
                if link.negated[0] {
                    N::negate::<H, COUNT>(&mut factor);
                }
                if link.negated[1] {
                    N::negate::<H, COUNT>(&mut addend);
                }
                add_product::<H, N, COUNT>(
                    link,
                    result,
                    #[inline(always)]
                    |index| factor[index],
                    #[inline(always)]
                    |index| addend[index],
                )
            }
        }
    }
}

/// The multiply-add of `link` on operands that are given by the number of the host vector.
///
/// # Safety
/// As [`run`].
#[inline(always)]
unsafe fn add_product<H: Host, N: Number, const COUNT: usize>(
    link: &Link,
    result: &mut [N::Vector<H>; COUNT],
    factor: impl Fn(usize) -> N::Vector<H>,
    addend: impl Fn(usize) -> N::Vector<H>,
) {
    let mut index = 0;
    // SAFETY: the caller's promises.
    unsafe {
        if link.result_is_factor {
            while index < COUNT {
                result[index] = N::fma::<H>(result[index], factor(index), addend(index));
                index += 1;
            }
        } else {
            while index < COUNT {
                result[index] = N::fma::<H>(factor(index), addend(index), result[index]);
                index += 1;
            }
        }
    }
}

/// The host vectors of an operand from lane `first` on.
///
/// # Safety
/// As [`run`].
#[inline(always)]
unsafe fn fetch<H: Host, N: Number, const COUNT: usize>(
    rows: *const u32,
    scalar: &impl Fn(u16) -> u64,
    port: Port,
    first: usize,
    result: &[N::Vector<H>; COUNT],
) -> [N::Vector<H>; COUNT] {
    // SAFETY: the caller's promises.
    unsafe {
        match port {
            Port::Result => *result,
            Port::Row(_) => {
                let words = row_of(rows, port, first);
                let mut vectors = *result;
                let mut index = 0;
                while index < COUNT {
                    vectors[index] = vector::<H, N>(words, index);
                    index += 1;
                }
                vectors
            }
            Port::Scalar(_) | Port::Constant(_) => [N::uniform::<H>(uniform(scalar, port)); COUNT],
        }
    }
}

/// Value of an operand that is equal for all lanes.
#[inline(always)]
fn uniform(scalar: &impl Fn(u16) -> u64, port: Port) -> u64 {
    match port {
        Port::Scalar(slot) => scalar(slot),
        Port::Constant(value) => value,
        Port::Result | Port::Row(_) => 0,
    }
}

/// The words from lane `first` on of an operand that is a row.
///
/// # Safety
/// As [`run`].
#[inline(always)]
unsafe fn row_of(rows: *const u32, port: Port, first: usize) -> *const u32 {
    let Port::Row(row) = port else {
        return std::ptr::null();
    };
    debug_assert!(first < LANES);
    // SAFETY: the caller's promise.
    unsafe { rows.add(LANES * row as usize + first) }
}

/// Host vector `index` of those at `words`.
///
/// # Safety
/// As [`run`]; there are so many.
#[inline(always)]
unsafe fn vector<H: Host, N: Number>(words: *const u32, index: usize) -> N::Vector<H> {
    // SAFETY: the caller's promises.
    unsafe { N::load::<H>(words.add(H::STEP * index)) }
}

/// Writes host vectors to a row, or two, from lane `first` on.
///
/// # Safety
/// As [`run`].
#[inline(always)]
unsafe fn store<H: Host, N: Number, const COUNT: usize>(
    rows: *mut u32,
    row: u16,
    first: usize,
    result: &[N::Vector<H>; COUNT],
) {
    let mut index = 0;
    while index < COUNT {
        // SAFETY: the caller's promises.
        unsafe {
            let to = rows.add(LANES * row as usize + first + H::STEP * index);
            let words = N::words::<H>(result[index]);
            let mut word = 0;
            while word < N::WORDS {
                H::store(to.add(LANES * word), words[word]);
                word += 1;
            }
        }
        index += 1;
    }
}
