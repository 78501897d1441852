//! Fast paths of float rows for the usual mode: the host's own arithmetic on whole vectors, which is right unless a NaN is
//! involved. A NaN in an active lane sends what is left of the instruction to the row's general copy.

use super::{
    function::Function,
    loops::{GROUP, context, other_modes},
};
use crate::{
    LANES,
    engine::Env,
    micro_op::MicroOp,
    mode::Context,
    ports::{B32, F16, F32, F64, Lane, Mix, Operands, PackedF16, Type, lanes},
    shell::{Form, VectorBody, general},
    state::Wave,
};
#[cfg(target_arch = "x86_64")]
use vectors::functions;
#[cfg(target_arch = "x86_64")]
use vectors::half::Zph;
#[cfg(target_arch = "x86_64")]
use vectors::host::{Host, Ymm, Zmm};

/// Groups of lanes in a wide wave of 64, and of 32.
#[cfg(target_arch = "x86_64")]
const GROUPS: usize = LANES / GROUP;
#[cfg(target_arch = "x86_64")]
const HALF: usize = GROUPS / 2;

/// The kind of numbers with which a row computes, and how they lie in host vectors.
///
/// # Safety
/// All unsafe functions have the safety conditions of [`Host`]. A type of two words has its second words `second` words further.
pub(super) trait Kind {
    /// The type of sources.
    const TYPE: Type;
    /// The type of results.
    const RESULT: Type = Self::TYPE;
    /// True if registers with other things than these numbers in them can be denormals to the host. As singles, no half is.
    const DENORMALS: bool;
    type Bits: Copy + Default;
    /// The same numbers where the host has arithmetic on halves.
    type Native: Kind;

    /// Exact results of a group of lanes, one by one.
    fn exact<F: Form, const SOURCES: usize>(
        operands: &Operands,
        group: usize,
        lane: impl Fn([Self::Bits; SOURCES]) -> Self::Bits,
    );

    /// [`Host::STEP`] lanes.
    #[cfg(target_arch = "x86_64")]
    type Vector<H: Host>: Copy;
    #[cfg(target_arch = "x86_64")]
    unsafe fn load<H: Host>(word: *const u32, second: isize) -> Self::Vector<H>;
    #[cfg(target_arch = "x86_64")]
    unsafe fn uniform<H: Host>(value: u64) -> Self::Vector<H>;
    /// The words of the result, of which there are as many as rows of its type.
    #[cfg(target_arch = "x86_64")]
    unsafe fn words<H: Host>(vector: Self::Vector<H>) -> [H::Single; 2];
    /// The vector with zeros for lanes whose words of `mask` are zeros, not ones.
    #[cfg(target_arch = "x86_64")]
    unsafe fn only<H: Host>(mask: H::Single, vector: Self::Vector<H>) -> Self::Vector<H>;
    /// Lanes in which either has a NaN.
    #[cfg(target_arch = "x86_64")]
    unsafe fn nans<H: Host>(a: Self::Vector<H>, b: Self::Vector<H>) -> H::Lanes;
    /// Host vectors in [`Kind::Vector`].
    #[cfg(target_arch = "x86_64")]
    const PARTS: usize;
    /// The sign, and minus infinity, zero, one and infinity, as [`Kind::uniform`] takes them; of kinds with [`Operation::MODIFIED`] only.
    const SIGN: u64 = 0;
    const BOUNDS: [u64; 4] = [0; 4];
    /// Operation `O` as a function on host vectors, for kinds of which a number is a word.
    fn function<O: Operation<Self, SOURCES>, const SOURCES: usize>() -> Option<Function>
    where
        Self: Sized,
    {
        None
    }
    /// `vector` without the bits of `clear`, and with those of `toggle` changed.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn signed<H: Host>(
        vector: Self::Vector<H>,
        _clear: Self::Vector<H>,
        _toggle: Self::Vector<H>,
    ) -> Self::Vector<H> {
        vector
    }
    /// Numbers cut to those from `least` to `most`; none is a NaN.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn within<H: Host>(
        vector: Self::Vector<H>,
        _least: Self::Vector<H>,
        _most: Self::Vector<H>,
    ) -> Self::Vector<H> {
        vector
    }
}

/// An operation on `SOURCES` vectors of `K`.
pub(super) trait Operation<K: Kind, const SOURCES: usize> {
    /// NaNs are looked for in the sources, not in the result.
    const NANS_OF_SOURCES: bool;
    /// Integers: nothing is a NaN.
    const NO_NANS: bool = false;
    /// Zeros among the sources may make a NaN.
    const NANS_OF_ZEROS: bool = false;
    /// Sources and result are numbers of the kind, which may have modifiers.
    const MODIFIED: bool = false;
    /// # Safety
    /// As of [`Host`].
    #[cfg(target_arch = "x86_64")]
    unsafe fn apply<H: Host>(sources: [K::Vector<H>; SOURCES]) -> K::Vector<H>;
}

/// Element `lane` of every array.
#[inline(always)]
fn column<T: Copy + Default, const SOURCES: usize>(
    sources: &[[T; GROUP]; SOURCES],
    lane: usize,
) -> [T; SOURCES] {
    let mut values = [T::default(); SOURCES];
    let mut index = 0;
    while index < SOURCES {
        values[index] = sources[index][lane];
        index += 1;
    }
    values
}

#[inline(always)]
fn exact_lanes<F: Form, L: Lane, const SOURCES: usize>(
    operands: &Operands,
    group: usize,
    lane: impl Fn([L::Value; SOURCES]) -> L::Value,
) where
    L::Value: Default,
{
    let mut sources = [[L::Value::default(); GROUP]; SOURCES];
    let mut index = 0;
    while index < SOURCES {
        sources[index] = operands.load::<F, L>(index, group);
        index += 1;
    }
    operands.store::<L>(
        group,
        lanes(
            #[inline(always)]
            |i| lane(column(&sources, i)),
        ),
    );
}

/// [`Kind::exact`] of one number per lane.
macro_rules! exact_by_lanes {
    ($bits:ty, $lane:ty) => {
        #[inline(always)]
        fn exact<F: Form, const SOURCES: usize>(
            operands: &Operands,
            group: usize,
            lane: impl Fn([$bits; SOURCES]) -> $bits,
        ) {
            exact_lanes::<F, $lane, SOURCES>(operands, group, lane);
        }
    };
}

/// The host side of a [`Kind`].
macro_rules! host_vectors {
    (
        Vector<$host:ident> = $vector:ty, $parts:expr;
        load($load:ident, $second:ident) = $load_value:expr;
        uniform($uniform:ident) = $uniform_value:expr;
        words($whole:ident) = $words_value:expr;
        only($by:ident, $all:ident) = $only_value:expr;
        nans($x:ident, $y:ident) = $nans_value:expr;
    ) => {
        type Vector<$host: Host> = $vector;
        const PARTS: usize = $parts;
        #[inline(always)]
        unsafe fn load<$host: Host>($load: *const u32, $second: isize) -> $vector {
            // SAFETY: the caller's promises, here and below.
            unsafe { $load_value }
        }
        #[inline(always)]
        unsafe fn uniform<$host: Host>($uniform: u64) -> $vector {
            // SAFETY: the caller promises a host with these vectors.
            unsafe { $uniform_value }
        }
        #[inline(always)]
        #[allow(unused_unsafe)] // Some have nothing to do.
        unsafe fn words<$host: Host>($whole: $vector) -> [$host::Single; 2] {
            // SAFETY: the caller promises a host with these vectors.
            unsafe { $words_value }
        }
        #[inline(always)]
        unsafe fn only<$host: Host>($by: $host::Single, $all: $vector) -> $vector {
            // SAFETY: the caller promises a host with these vectors.
            unsafe { $only_value }
        }
        #[inline(always)]
        unsafe fn nans<$host: Host>($x: $vector, $y: $vector) -> $host::Lanes {
            // SAFETY: the caller promises a host with these vectors.
            unsafe { $nans_value }
        }
    };
}

/// Signs and bounds of one number per lane in a host vector of singles.
macro_rules! modified_singles {
    ($sign:literal, $one:literal, $infinity:literal) => {
        const SIGN: u64 = $sign;
        const BOUNDS: [u64; 4] = [$sign | $infinity, 0, $one, $infinity];
        #[cfg(target_arch = "x86_64")]
        #[inline(always)]
        unsafe fn signed<H: Host>(
            vector: H::Single,
            clear: H::Single,
            toggle: H::Single,
        ) -> H::Single {
            // SAFETY: the caller's promise about the host.
            unsafe { H::xor(H::without(clear, vector), toggle) }
        }
        #[cfg(target_arch = "x86_64")]
        #[inline(always)]
        unsafe fn within<H: Host>(
            vector: H::Single,
            least: H::Single,
            most: H::Single,
        ) -> H::Single {
            // SAFETY: the caller's promise about the host. (Of two zeros, the host takes the second.)
            unsafe { H::min(H::max(vector, least), most) }
        }
    };
}

/// The type of an operation's sources and result, if it does modifiers.
pub(super) const fn modified<K: Kind, O: Operation<K, SOURCES>, const SOURCES: usize>()
-> Option<Type> {
    if O::MODIFIED { Some(K::TYPE) } else { None }
}

/// One f32 per lane.
pub(super) enum Singles {}

impl Kind for Singles {
    const TYPE: Type = Type::F32;
    const DENORMALS: bool = true;
    type Bits = u32;
    type Native = Singles;

    exact_by_lanes!(u32, F32);
    modified_singles!(0x8000_0000, 0x3f80_0000, 0x7f80_0000);

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn function<O: Operation<Singles, SOURCES>, const SOURCES: usize>() -> Option<Function> {
        Some(Function::singles::<O, SOURCES>())
    }

    #[cfg(target_arch = "x86_64")]
    host_vectors! {
        Vector<H> = H::Single, 1;
        load(word, _second) = H::load(word);
        uniform(value) = H::splat(value as u32);
        words(vector) = [vector; 2];
        only(mask, all) = H::and(mask, all);
        nans(a, b) = H::nans(a, b);
    }
}

/// One f64 per lane. The two words of a lane come from two rows; lanes 0, 1, 4 and 5 make the first host vector.
pub(super) enum Doubles {}

impl Kind for Doubles {
    const TYPE: Type = Type::F64;
    const DENORMALS: bool = true;
    type Bits = u64;
    type Native = Doubles;

    exact_by_lanes!(u64, F64);

    const SIGN: u64 = 1 << 63;
    const BOUNDS: [u64; 4] = [
        0xfff0_0000_0000_0000,
        0,
        0x3ff0_0000_0000_0000,
        0x7ff0_0000_0000_0000,
    ];
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn signed<H: Host>(
        vector: [H::Double; 2],
        clear: [H::Double; 2],
        toggle: [H::Double; 2],
    ) -> [H::Double; 2] {
        // SAFETY: the caller's promise about the host.
        unsafe {
            // A bit that is to be cleared is set first, and then changed.
            let one = |index: usize| {
                let set = H::or64(vector[index], clear[index]);
                H::xor64(H::xor64(set, clear[index]), toggle[index])
            };
            [one(0), one(1)]
        }
    }
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn within<H: Host>(
        vector: [H::Double; 2],
        least: [H::Double; 2],
        most: [H::Double; 2],
    ) -> [H::Double; 2] {
        // SAFETY: the caller's promise about the host. (Of two zeros, the host takes the second.)
        unsafe {
            [
                H::min64(H::max64(vector[0], least[0]), most[0]),
                H::min64(H::max64(vector[1], least[1]), most[1]),
            ]
        }
    }

    #[cfg(target_arch = "x86_64")]
    host_vectors! {
        Vector<H> = [H::Double; 2], 2;
        load(word, second) = H::interleave(H::load(word), H::load(word.offset(second)));
        uniform(value) = [H::splat64(value); 2];
        words(vector) = H::separate(vector);
        only(mask, all) = {
            let mask = H::interleave(mask, mask);
            [H::and64(mask[0], all[0]), H::and64(mask[1], all[1])]
        };
        nans(a, b) = H::either(H::nans64(a[0], a[1]), H::nans64(b[0], b[1]));
    }
}

/// Two f32 per lane, in two rows.
pub(super) enum Pairs {}

impl Kind for Pairs {
    const TYPE: Type = Type::PackedF32;
    const DENORMALS: bool = true;
    type Bits = u32;
    type Native = Pairs;

    #[inline(always)]
    fn exact<F: Form, const SOURCES: usize>(
        operands: &Operands,
        group: usize,
        lane: impl Fn([u32; SOURCES]) -> u32,
    ) {
        // Both words before the first result: pairs may overlap.
        let mut results = [[0; GROUP]; 2];
        let mut word = 0;
        while word < 2 {
            let mut sources = [[0; GROUP]; SOURCES];
            let mut index = 0;
            while index < SOURCES {
                sources[index] = operands.load_words::<F, GROUP>(index, GROUP * group, word);
                index += 1;
            }
            results[word] = lanes(
                #[inline(always)]
                |i| lane(column(&sources, i)),
            );
            word += 1;
        }
        operands.store_words(GROUP * group, 0, results[0]);
        operands.store_words(GROUP * group, 1, results[1]);
    }

    #[cfg(target_arch = "x86_64")]
    host_vectors! {
        Vector<H> = [H::Single; 2], 2;
        load(word, second) = [H::load(word), H::load(word.offset(second))];
        uniform(value) = [H::splat(value as u32), H::splat((value >> 32) as u32)];
        words(vector) = vector;
        only(mask, all) = [H::and(mask, all[0]), H::and(mask, all[1])];
        nans(a, b) = H::either(H::nans(a[0], a[1]), H::nans(b[0], b[1]));
    }
}

/// One f16 per lane, in host vectors of singles: a single holds every sum and product of two halves well enough that
/// rounding it once more gives the right half.
pub(super) enum Halves {}

impl Kind for Halves {
    const TYPE: Type = Type::F16;
    const DENORMALS: bool = false;
    type Bits = u16;
    type Native = NativeHalves;

    exact_by_lanes!(u16, F16);
    // They are singles in host vectors, but uniform ones are given as halves.
    modified_singles!(0x8000, 0x3c00, 0x7c00);

    #[cfg(target_arch = "x86_64")]
    host_vectors! {
        Vector<H> = H::Single, 1;
        load(word, _second) = H::widen(H::load(word));
        uniform(value) = H::widen(H::splat(value as u32));
        words(vector) = [H::narrow(vector); 2];
        only(mask, all) = H::and(mask, all);
        nans(a, b) = H::nans(a, b);
    }
}

/// The number as it is, where reading or writing it is the conversion.
#[allow(non_camel_case_types)]
pub(super) enum copy {}

macro_rules! copies {
    // `true` where a NaN becomes on hosts what it becomes on devices, or there is none.
    ($($kind:ident $($no_nans:literal)?),*) => {$(
        impl Operation<$kind, 1> for copy {
            const NANS_OF_SOURCES: bool = false;
            $(const NO_NANS: bool = $no_nans;)?
            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            unsafe fn apply<H: Host>(
                [a]: [<$kind as Kind>::Vector<H>; 1],
            ) -> <$kind as Kind>::Vector<H> {
                a
            }
        }
    )*};
}

copies!(
    Narrowed, Widened, SinglesToDoubles, DoublesToSingles, DoublesToSigned, DoublesToUnsigned true,
    SinglesToSigned true, SinglesToUnsigned true, SignedToDoubles true, UnsignedToDoubles true
);

/// Conversions: kinds whose sources are one type and whose results are another.
macro_rules! converted {
    ($($name:ident: $source:ident -> $result:ident, $denormals:literal, $kind:ident, |$vector:ident: $host:ident| $words:expr;)*) => {$(
        pub(super) enum $name {}

        impl Kind for $name {
            const TYPE: Type = Type::$source;
            const RESULT: Type = Type::$result;
            const DENORMALS: bool = $denormals;
            type Bits = u64;
            type Native = $name;

            #[inline(always)]
            fn exact<F: Form, const SOURCES: usize>(
                operands: &Operands,
                group: usize,
                lane: impl Fn([u64; SOURCES]) -> u64,
            ) {
                let values = operands.load::<F, $source>(0, group);
                operands.store::<$result>(
                    group,
                    lanes(
                        #[inline(always)]
                        |i| lane([values[i].into(); SOURCES]) as _,
                    ),
                );
            }

            #[cfg(target_arch = "x86_64")]
            host_vectors! {
                Vector<$host> = <$kind as Kind>::Vector<$host>, <$kind as Kind>::PARTS;
                load(word, second) = $kind::load::<$host>(word, second);
                uniform(value) = $kind::uniform::<$host>(value);
                words($vector) = $words;
                only(mask, all) = $kind::only::<$host>(mask, all);
                nans(a, b) = $kind::nans::<$host>(a, b);
            }
        }
    )*};
}

converted! {
    // As singles, no half is a denormal.
    Narrowed:          F32 -> F16, true,  Singles, |x: H| [H::narrow(x); 2];
    WidenedHalves:     F16 -> F16, false, Halves,  |x: H| [H::narrow(x); 2];
    Widened:           F16 -> F32, false, Halves,  |x: H| [x; 2];
    SinglesToDoubles:  F32 -> F64, true,  Singles, |x: H| H::doubled(x);
    SinglesToSigned:   F32 -> B32, true,  Singles, |x: H| [H::whole(x); 2];
    SinglesToUnsigned: F32 -> B32, true,  Singles, |x: H| [H::whole_unsigned(x); 2];
    SignedToDoubles:   B32 -> F64, false, Singles, |x: H| H::doubled_signed(x);
    UnsignedToDoubles: B32 -> F64, false, Singles, |x: H| H::doubled_unsigned(x);
    DoublesToSingles:  F64 -> F32, true,  Doubles, |x: H| [H::singled(x); 2];
    DoublesToSigned:   F64 -> B32, true,  Doubles, |x: H| [H::truncated(x); 2];
    DoublesToUnsigned: F64 -> B32, true,  Doubles, |x: H| [H::truncated_unsigned(x); 2];
}

/// Functions of halves that may be rounded to singles first. Quotients and roots may be, because a single has more than twice the digits
/// of a half; a test has tried all halves.
macro_rules! half_functions {
    ($($name:ident, <$host:ident>[$a:ident]: $value:expr;)*) => {$(
        #[allow(non_camel_case_types)]
        pub(super) enum $name {}
        impl Operation<WidenedHalves, 1> for $name {
            const NANS_OF_SOURCES: bool = false;
            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            unsafe fn apply<$host: Host>([$a]: [$host::Single; 1]) -> $host::Single {
                // SAFETY: the caller's promise about the host.
                unsafe { $value }
            }
        }
    )*};
}

half_functions! {
    rcp,  <H>[a]: H::div(H::splat(1.0_f32.to_bits()), a);
    sqrt, <H>[a]: H::sqrt(a);
    rsq,  <H>[a]: H::div(H::splat(1.0_f32.to_bits()), H::sqrt(a));
}

/// Functions of one number. Logarithms and roots make NaNs of all but positive normal numbers, which sends these to the row's general copy.
macro_rules! functions {
    ($($name:ident: $function:ident of $($kind:ident)+, $nans_of_sources:literal, $nans_of_zeros:literal;)*) => {$(
        #[allow(non_camel_case_types)]
        pub(super) enum $name {}
        $(impl Operation<$kind, 1> for $name {
            const NANS_OF_SOURCES: bool = $nans_of_sources;
            const NANS_OF_ZEROS: bool = $nans_of_zeros;
            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            unsafe fn apply<H: Host>([a]: [H::Single; 1]) -> H::Single {
                // SAFETY: the caller's promise about the host.
                unsafe { functions::$function::<H>(a) }
            }
        })+
    )*};
}

functions! {
    exp2: exp2 of Singles, true, false;
    exp2_half: exp2_of_halves of WidenedHalves, true, false;
    log2: log2 of Singles WidenedHalves, false, true;
    reciprocal_root: reciprocal_root of Singles, false, true;
}

/// Products with powers of two, which are integers.
#[allow(non_camel_case_types)]
pub(super) enum scale {}

impl Operation<Singles, 2> for scale {
    const NANS_OF_SOURCES: bool = false;
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn apply<H: Host>([a, powers]: [H::Single; 2]) -> H::Single {
        // SAFETY: the caller's promise about the host.
        unsafe { H::scale(a, powers) }
    }
}

impl Operation<Doubles, 2> for scale {
    const NANS_OF_SOURCES: bool = false;
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn apply<H: Host>([a, powers]: [[H::Double; 2]; 2]) -> [H::Double; 2] {
        // SAFETY: the caller's promise about the host.
        unsafe { [H::scale64(a[0], powers[0]), H::scale64(a[1], powers[1])] }
    }
}

/// Dot products of whole numbers into a word.
macro_rules! dots {
    ($($name:ident, <$host:ident>[$a:ident, $b:ident, $c:ident]: $value:expr;)*) => {$(
        #[allow(non_camel_case_types)]
        pub(super) enum $name {}
        impl Operation<Singles, 3> for $name {
            const NANS_OF_SOURCES: bool = false;
            const NO_NANS: bool = true;
            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            unsafe fn apply<$host: Host>([$a, $b, $c]: [$host::Single; 3]) -> $host::Single {
                // SAFETY: the caller's promise about the host.
                unsafe { $value }
            }
        }
    )*};
}

#[rustfmt::skip]
dots! {
    dot2_signed,   <H>[a, b, c]: H::dot2(a, b, c);
    dot4_signed,   <H>[a, b, c]: H::dot4::<true>(a, b, c);
    dot4_unsigned, <H>[a, b, c]: H::dot4::<false>(a, b, c);
}

/// One f32 per lane, and the same words as two f16 each ([`Host::widen_pairs`]). The parts of a source that an
/// operation does not use are never made.
pub(super) enum SinglesAndPairs {}

impl Kind for SinglesAndPairs {
    const TYPE: Type = Type::F32;
    const DENORMALS: bool = true;
    type Bits = u32;
    type Native = SinglesAndPairs;

    exact_by_lanes!(u32, F32);

    #[cfg(target_arch = "x86_64")]
    host_vectors! {
        Vector<H> = (H::Single, [H::Single; 2]), 1;
        load(word, _second) = (H::load(word), H::load_widened_pairs(word));
        uniform(value) = {
            let words = H::splat(value as u32);
            (words, H::widen_pairs(words))
        };
        words(vector) = [vector.0; 2];
        only(mask, all) = {
            let pairs = H::mask_pairs(mask);
            (H::and(mask, all.0), [H::and(pairs[0], all.1[0]), H::and(pairs[1], all.1[1])])
        };
        nans(a, b) = H::nans(a.0, b.0);
    }
}

/// Two products of halves and a single. The products are multiples of 2^-48, so that no sum is a denormal but one with a denormal C.
#[allow(non_camel_case_types)]
pub(super) enum dot2_halves {}

impl Operation<SinglesAndPairs, 3> for dot2_halves {
    const NANS_OF_SOURCES: bool = false;
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn apply<H: Host>(
        [(_, a), (_, b), (c, _)]: [(H::Single, [H::Single; 2]); 3],
    ) -> (H::Single, [H::Single; 2]) {
        // SAFETY: the caller's promise about the host.
        unsafe {
            // Exact, so that adding one rounds as a fused multiply-add does.
            let [low, high] = H::apart([H::mul(a[0], b[0]), H::mul(a[1], b[1])]);
            let sum = H::add(high, H::add(low, H::flushed(c)));
            (sum, [sum; 2])
        }
    }
}

/// Two f16 per lane.
pub(super) enum HalfPairs {}

impl Kind for HalfPairs {
    const TYPE: Type = Type::PackedF16;
    const DENORMALS: bool = false;
    type Bits = u32;
    type Native = Singles;

    exact_by_lanes!(u32, PackedF16);

    #[cfg(target_arch = "x86_64")]
    host_vectors! {
        Vector<H> = [H::Single; 2], 2;
        load(word, _second) = H::load_widened_pairs(word);
        uniform(value) = H::widen_pairs(H::splat(value as u32));
        words(vector) = [H::narrow_pairs(vector); 2];
        only(mask, all) = {
            let mask = H::mask_pairs(mask);
            [H::and(mask[0], all[0]), H::and(mask[1], all[1])]
        };
        nans(a, b) = H::either(H::nans(a[0], a[1]), H::nans(b[0], b[1]));
    }
}

/// One f16 per lane in words whose high halves are zeros, for hosts with arithmetic on halves.
pub(super) enum NativeHalves {}

impl Kind for NativeHalves {
    const TYPE: Type = Type::F16;
    const DENORMALS: bool = true;
    type Bits = u16;
    type Native = NativeHalves;

    exact_by_lanes!(u16, F16);
    // They are singles in host vectors, but uniform ones are given as halves.
    modified_singles!(0x8000, 0x3c00, 0x7c00);

    #[cfg(target_arch = "x86_64")]
    host_vectors! {
        Vector<H> = H::Single, 1;
        load(word, _second) = H::and(H::load(word), H::splat(0xffff));
        uniform(value) = H::splat(value as u32 & 0xffff);
        words(vector) = [vector; 2];
        only(mask, all) = H::and(mask, all);
        nans(a, b) = H::nans(a, b);
    }
}

/// Mixed precision: singles, and halves that become singles when they are loaded. [`Operands::second`] says which a source is.
pub(super) enum Mixed {}

/// The same with halves for results.
pub(super) enum MixedNarrowed {}

/// The part of a mixed source that is the number: all of its words, their low halves or their high ones.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn load_mixed<H: Host>(word: *const u32, part: isize) -> H::Single {
    // SAFETY: the callers' promises.
    unsafe {
        let words = H::load(word);
        match part {
            0 => words,
            1 => H::widen(words),
            _ => H::widen(H::high_halves(words)),
        }
    }
}

macro_rules! mixed_kinds {
    ($($name:ident, $word:ident($x:ident) = $words:expr;)*) => {$(
        impl Kind for $name {
            const TYPE: Type = Type::Mix;
            const DENORMALS: bool = true;
            type Bits = u32;
            type Native = $name;

            exact_by_lanes!(u32, Mix);

            #[cfg(target_arch = "x86_64")]
            host_vectors! {
                Vector<$word> = $word::Single, 1;
                load(word, part) = load_mixed::<$word>(word, part);
                uniform(value) = $word::splat(value as u32);
                words($x) = [$words; 2];
                only(mask, all) = $word::and(mask, all);
                nans(a, b) = $word::nans(a, b);
            }
        }

        impl Operation<$name, 3> for fma {
            const NANS_OF_SOURCES: bool = false;
            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            unsafe fn apply<H: Host>([a, b, c]: [H::Single; 3]) -> H::Single {
                // SAFETY: the caller's promise about the host.
                unsafe { H::fma(a, b, c) }
            }
        }
    )*};
}

mixed_kinds! {
    Mixed, H(vector) = vector;
    MixedNarrowed, H(vector) = H::narrow(vector);
}

/// Two singles cut to halves, in one word.
#[allow(non_camel_case_types)]
pub(super) enum pack_toward_zero {}

impl Operation<Singles, 2> for pack_toward_zero {
    const NANS_OF_SOURCES: bool = true;
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn apply<H: Host>([a, b]: [H::Single; 2]) -> H::Single {
        // SAFETY: the caller's promise about the host.
        unsafe {
            let high = H::to_high_halves(H::narrow_toward_zero(b));
            H::or(H::narrow_toward_zero(a), high)
        }
    }
}

/// `a * b + c` of widened halves as a single that gives the right half when it is rounded once more. To nearest does unless it
/// may lie between two halves, which no single does that has another bit among its last twelve; nor do most of the others, which are
/// halves.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn half_fma<H: Host>(a: H::Single, b: H::Single, c: H::Single) -> H::Single {
    // SAFETY: the callers' promise about the host.
    unsafe {
        if !H::DIRECTED {
            let sum = H::fma(a, b, c);
            if !H::any(H::rounded(sum)) || !H::any(H::between(sum)) {
                return sum;
            }
        }
        H::fma_to_odd(a, b, c)
    }
}

/// `value` of the first vectors of `x` and so on, and of the second ones.
#[cfg(target_arch = "x86_64")]
macro_rules! of_both {
    ([$($x:ident),+] $value:expr) => {
        [
            {
                let ($($x,)+) = ($($x[0],)+);
                $value
            },
            {
                let ($($x,)+) = ($($x[1],)+);
                $value
            },
        ]
    };
}

/// An operation on numbers that may have modifiers, or, behind `unmodified`, may not.
macro_rules! operation {
    ($name:ident of $kind:ident unmodified, $($rest:tt)+) => {
        operation!(@ $name, $kind, false, $($rest)+);
    };
    ($name:ident of $kind:ident, $($rest:tt)+) => {
        operation!(@ $name, $kind, true, $($rest)+);
    };
    (@ $name:ident, $kind:ident, $modified:literal, $count:literal, $nans_of_sources:literal, <$host:ident>[$($x:ident),+]: $value:expr) => {
        impl Operation<$kind, $count> for $name {
            const NANS_OF_SOURCES: bool = $nans_of_sources;
            const MODIFIED: bool = $modified;
            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            unsafe fn apply<$host: Host>(
                [$($x),+]: [<$kind as Kind>::Vector<$host>; $count],
            ) -> <$kind as Kind>::Vector<$host> {
                // SAFETY: the caller's promise about the host.
                unsafe { $value }
            }
        }
    };
}

/// Operations on every kind of floats: by their formulas for singles, doubles, and halves that were widened to singles.
macro_rules! operations {
    ($($name:ident, $count:literal, $nans:literal, <$host:ident>[$($x:ident),+]: $single:expr, $double:expr, $half:expr;)*) => {$(
        #[allow(non_camel_case_types)]
        pub(super) enum $name {}
        operation!($name of Singles, $count, $nans, <$host>[$($x),+]: $single);
        operation!($name of Pairs unmodified, $count, $nans, <$host>[$($x),+]: of_both!([$($x),+] $single));
        operation!($name of Halves, $count, $nans, <$host>[$($x),+]: $half);
        operation!($name of NativeHalves, $count, $nans, <$host>[$($x),+]: $single);
        operation!($name of HalfPairs unmodified, $count, $nans, <$host>[$($x),+]: of_both!([$($x),+] $half));
        operation!($name of Doubles, $count, $nans, <$host>[$($x),+]: of_both!([$($x),+] $double));
    )*};
}

/// Minimum and maximum. Two equal numbers differ only if they are zeros; the minimum is then the one with the sign, and
/// the maximum the one without.
macro_rules! extremes {
    ($($name:ident, $vector:ident: $join:ident($extreme:ident);)*) => {$(
        #[cfg(target_arch = "x86_64")]
        #[inline(always)]
        unsafe fn $name<H: Host>(a: H::$vector, b: H::$vector) -> H::$vector {
            // SAFETY: the callers' promise about the host.
            unsafe { H::$join(H::$extreme(a, b), H::$extreme(b, a)) }
        }
    )*};
}

extremes! {
    least, Single: or(min);
    most, Single: and(max);
    least64, Double: or64(min64);
    most64, Double: and64(max64);
}

#[rustfmt::skip]
operations! {
    add,    2, false, <H>[a, b]:    H::add(a, b),      H::add64(a, b), H::add(a, b);
    sub,    2, false, <H>[a, b]:    H::sub(a, b),      H::sub64(a, b), H::sub(a, b);
    subrev, 2, false, <H>[a, b]:    H::sub(b, a),      H::sub64(b, a), H::sub(b, a);
    mul,    2, false, <H>[a, b]:    H::mul(a, b),      H::mul64(a, b), H::mul(a, b);
    fma,    3, false, <H>[a, b, c]: H::fma(a, b, c), H::fma64(a, b, c), half_fma::<H>(a, b, c);
    min,    2, true,  <H>[a, b]:    least::<H>(a, b), least64::<H>(a, b), least::<H>(a, b);
    max,    2, true,  <H>[a, b]:    most::<H>(a, b), most64::<H>(a, b), most::<H>(a, b);
    min3,   3, true,  <H>[a, b, c]: least::<H>(least::<H>(a, b), c), least64::<H>(least64::<H>(a, b), c), least::<H>(least::<H>(a, b), c);
    max3,   3, true,  <H>[a, b, c]: most::<H>(most::<H>(a, b), c), most64::<H>(most64::<H>(a, b), c), most::<H>(most::<H>(a, b), c);
    med3,   3, true,  <H>[a, b, c]: most::<H>(least::<H>(a, b), least::<H>(most::<H>(a, b), c)), most64::<H>(least64::<H>(a, b), least64::<H>(most64::<H>(a, b), c)), most::<H>(least::<H>(a, b), least::<H>(most::<H>(a, b), c));
}

/// A float row: `O` where it is right, else `lane`.
#[inline(always)]
pub(super) fn run<V, F, K, O, const SOURCES: usize>(
    wave: &mut Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
    lane: impl Fn(Context, [K::Bits; SOURCES]) -> K::Bits,
) -> u32
where
    V: VectorBody,
    F: Form,
    K: Kind,
    O: Operation<K, SOURCES> + Operation<K::Native, SOURCES>,
{
    #[cfg(target_arch = "x86_64")]
    if F::USUAL && F::AVX2 {
        let total = wave.wide_and_plain;
        if total == 0 {
            // SAFETY: forms with AVX2, AVX-512 or arithmetic on halves exist only where the host has it.
            return unsafe {
                if F::FP16 {
                    not_wide_fp16::<V, F::Outlined, K::Native, O, SOURCES>(wave, op, env)
                } else if F::AVX512 {
                    not_wide512::<V, F::Outlined, K, O, SOURCES>(wave, op, env)
                } else {
                    not_wide::<V, F::Outlined, K, O, SOURCES>(wave, op, env)
                }
            };
        }
        // This is what most instructions of most programs do: nothing but this is in line, so that no register of the
        // host has to be saved.
        // SAFETY: what callers of bodies promise; the row has these types.
        let operands = unsafe { wave.wide_operands::<F, SOURCES>(op, [K::TYPE; 3], K::RESULT) };
        let (target, mask) = (operands.target(), std::ptr::null());
        // SAFETY: forms with AVX2 or AVX-512 exist only where the host has them; `operands` are rows.
        let done = unsafe {
            if total == GROUPS {
                match (F::AVX512, K::PARTS) {
                    (true, _) if F::FP16 => groups::<Zph, F, K::Native, O, SOURCES, false, 4>(
                        &operands, target, mask, GROUPS,
                    ),
                    (true, _) => {
                        groups::<Zmm, F, K, O, SOURCES, false, 4>(&operands, target, mask, GROUPS)
                    }
                    (false, 1) => {
                        groups::<Ymm, F, K, O, SOURCES, false, 8>(&operands, target, mask, GROUPS)
                    }
                    (false, _) => {
                        groups::<Ymm, F, K, O, SOURCES, false, 4>(&operands, target, mask, GROUPS)
                    }
                }
            } else if F::FP16 {
                groups::<Zph, F, K::Native, O, SOURCES, false, 2>(&operands, target, mask, HALF)
            } else if F::AVX512 {
                groups::<Zmm, F, K, O, SOURCES, false, 2>(&operands, target, mask, HALF)
            } else {
                groups::<Ymm, F, K, O, SOURCES, false, 4>(&operands, target, mask, HALF)
            }
        };
        if done != total {
            return go_on::<V, F>(wave, op, env, K::RESULT.words(), done);
        }
        return u32::from(op.after);
    }
    other_modes!(wave, op, env, V, F);
    let context = context::<F>(wave, op);
    let groups = std::mem::take(&mut wave.groups_done)..wave.groups();
    // SAFETY: what callers of bodies promise; the row has these types.
    let operands = unsafe { wave.operands::<F, SOURCES>(op, [K::TYPE; 3], K::RESULT) };
    for group in groups {
        K::exact::<F, SOURCES>(
            &operands,
            group,
            #[inline(always)]
            |sources| lane(context, sources),
        );
    }
    wave.deliver::<F>(op, K::RESULT.words())
}

/// The short cut for waves with lanes off, for one width of the host's vectors.
#[cfg(target_arch = "x86_64")]
macro_rules! not_wide {
    ($name:ident, $level:ident, $host:ident, $count:literal) => {
        vectors::compiled_for! { $level:
            /// # Safety
            /// The host has these features.
            #[inline(never)]
            unsafe fn $name<V, F, K, O, const SOURCES: usize>(
                wave: &mut Wave,
                op: &MicroOp,
                env: &mut Env<'_>,
            ) -> u32
            where
                V: VectorBody,
                F: Form,
                K: Kind,
                O: Operation<K, SOURCES>,
            {
                other_modes!(wave, op, env, V, F);
                let (all_lanes, total) = (wave.all_lanes, wave.groups());
                // SAFETY: what callers of bodies promise; the row has these types.
                let operands = unsafe { wave.wide_operands::<F, SOURCES>(op, [K::TYPE; 3], K::RESULT) };
                let (target, mask) = (operands.target(), operands.active().0.as_ptr());
                // SAFETY: the caller's promise; `operands` are rows.
                let done = unsafe {
                    if all_lanes {
                        groups::<$host, F, K, O, SOURCES, false, $count>(&operands, target, mask, total)
                    } else {
                        groups::<$host, F, K, O, SOURCES, true, $count>(&operands, target, mask, total)
                    }
                };
                if done != total {
                    return go_on::<V, F>(wave, op, env, K::RESULT.words(), done);
                }
                u32::from(op.after)
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
not_wide!(not_wide, Avx2, Ymm, 4);
#[cfg(target_arch = "x86_64")]
not_wide!(not_wide512, Avx512, Zmm, 2);

#[cfg(target_arch = "x86_64")]
not_wide!(not_wide_fp16, Fp16, Zph, 2);

/// Leaves all groups of lanes but the first `done`, whose results are in place, to the general copy.
#[cfg(target_arch = "x86_64")]
#[cold]
#[inline(never)]
fn go_on<V: VectorBody, F: Form>(
    wave: &mut Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
    words: usize,
    done: usize,
) -> u32 {
    if !wave.all_lanes {
        // The general copy delivers staged results of all groups.
        for word in 0..words {
            let (staged, dst) = (wave.partial_row() + word, op.dst as usize + word);
            *wave.row_mut(staged) = *wave.row(dst);
        }
    }
    wave.groups_done = done;
    general::<V, F>(wave, op, env)
}

/// The short cut, `COUNT` host vectors at a time; returns the groups of lanes that are done. Results must fit into the
/// host's registers: a NaN among them keeps all of them from being stored.
///
/// # Safety
/// The host has the vectors of `H`; `operands` and `target` are rows of a wave with `total` groups of lanes, and if `MASKED`
/// so is `mask`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn groups<H, F, K, O, const SOURCES: usize, const MASKED: bool, const COUNT: usize>(
    operands: &Operands,
    target: *mut u32,
    mask: *const u32,
    total: usize,
) -> usize
where
    H: Host,
    F: Form,
    K: Kind,
    O: Operation<K, SOURCES>,
{
    let mut first = 0;
    while first < total {
        let at = first * GROUP;
        // SAFETY: the caller's promises; vectors lie inside of rows.
        if !unsafe { part::<H, F, K, O, SOURCES, MASKED, COUNT>(operands, target, mask, at) } {
            break;
        }
        first += COUNT * H::STEP / GROUP;
    }
    first
}

/// `COUNT` host vectors from lane `first` on: stores nothing and returns false if a NaN is involved.
///
/// # Safety
/// As [`groups`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn part<H, F, K, O, const SOURCES: usize, const MASKED: bool, const COUNT: usize>(
    operands: &Operands,
    target: *mut u32,
    mask: *const u32,
    first: usize,
) -> bool
where
    H: Host,
    F: Form,
    K: Kind,
    O: Operation<K, SOURCES>,
{
    // SAFETY: the caller's promises.
    unsafe {
        let zero = K::uniform::<H>(0);
        let mut results = [zero; COUNT];
        let mut nans = H::no_lanes();
        let mut previous = zero;
        let mut index = 0;
        while index < COUNT {
            let at = first + H::STEP * index;
            let active = |vector: K::Vector<H>| {
                if MASKED {
                    K::only::<H>(H::load(mask.add(at)), vector)
                } else {
                    vector
                }
            };
            // Lanes that are off compute with zeros: compilers leave integers there, and as floats these are denormals, at
            // which many hosts stop for a hundred cycles and more.
            let mut sources = [zero; SOURCES];
            let mut source = 0;
            while source < SOURCES {
                sources[source] = if operands.is_uniform::<F>(source) {
                    K::uniform::<H>(operands.uniform(source))
                } else {
                    let row = operands.row(source).add(at);
                    let value = K::load::<H>(row, operands.second(source));
                    if K::DENORMALS { active(value) } else { value }
                };
                if F::MODIFIED {
                    sources[source] = signed::<H, K>(operands, source, sources[source]);
                }
                source += 1;
            }
            results[index] = O::apply::<H>(sources);
            // Zeros make no NaN among themselves, but with an infinity that all lanes have.
            let relevant = |vector| {
                if K::DENORMALS && F::UNIFORM == 0 && !F::MODIFIED && !O::NANS_OF_ZEROS {
                    vector
                } else {
                    active(vector)
                }
            };
            if O::NO_NANS {
                // All results are right.
            } else if O::NANS_OF_SOURCES {
                let second = sources[if SOURCES > 1 { 1 } else { 0 }];
                let pair = K::nans::<H>(relevant(sources[0]), relevant(second));
                nans = H::either(nans, pair);
                if SOURCES == 3 {
                    let last = relevant(sources[SOURCES - 1]);
                    nans = H::either(nans, K::nans::<H>(last, last));
                }
            } else if index % 2 == 0 {
                previous = relevant(results[index]);
            } else {
                nans = H::either(nans, K::nans::<H>(previous, relevant(results[index])));
            }
            index += 1;
        }
        if H::any(nans) {
            return false;
        }
        let mut index = 0;
        while index < COUNT {
            let mut result = results[index];
            if F::MODIFIED {
                result = bounded::<H, K>(operands, result);
            }
            let at = first + H::STEP * index;
            store::<H, K, MASKED>(target.add(at), mask.wrapping_add(at), result);
            index += 1;
        }
    }
    true
}

/// Writes a result to the rows from `to` on, of lanes alone for which `mask` has ones if `MASKED`.
///
/// # Safety
/// As [`groups`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn store<H: Host, K: Kind, const MASKED: bool>(
    to: *mut u32,
    mask: *const u32,
    result: K::Vector<H>,
) {
    // SAFETY: the caller's promises.
    unsafe {
        let words = K::words::<H>(result);
        let mut word = 0;
        while word < K::RESULT.words() {
            let to = to.add(LANES * word);
            let mut result = words[word];
            if MASKED {
                let mask = H::load(mask);
                result = H::or(H::and(mask, result), H::without(mask, H::load(to)));
            }
            H::store(to, result);
            word += 1;
        }
    }
}

/// Source `index` with the signs that its modifiers ask for.
///
/// # Safety
/// As of [`Host`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn signed<H: Host, K: Kind>(
    operands: &Operands,
    index: usize,
    vector: K::Vector<H>,
) -> K::Vector<H> {
    let [negated, absolute] = operands.signs(index);
    let sign = |is_on: bool| if is_on { K::SIGN } else { 0 };
    // SAFETY: the caller's promise.
    unsafe {
        let (clear, toggle) = (
            K::uniform::<H>(sign(absolute)),
            K::uniform::<H>(sign(negated)),
        );
        K::signed::<H>(vector, clear, toggle)
    }
}

/// Results, none of which is a NaN, with the clamp that the instruction may ask for.
///
/// # Safety
/// As of [`Host`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn bounded<H: Host, K: Kind>(operands: &Operands, vector: K::Vector<H>) -> K::Vector<H> {
    let [least, zero, one, most] = K::BOUNDS;
    let (least, most) = if operands.clamps() {
        (zero, one)
    } else {
        (least, most)
    };
    // SAFETY: the caller's promise.
    unsafe { K::within::<H>(vector, K::uniform::<H>(least), K::uniform::<H>(most)) }
}

/// A row whose result is simple for ordinary values: `simple` gives it for one lane, and whether it is right. One active lane
/// for which it is not sends what is left of the instruction to the row's general copy. With `MASK` the row's mask result is
/// zero in the simple case.
#[inline(always)]
pub(super) fn guarded<V, F, L, const MASK: bool>(
    wave: &mut Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
    simple: impl Fn(L::Value, L::Value, L::Value) -> (L::Value, bool),
) -> u32
where
    V: VectorBody,
    F: Form,
    L: Lane,
{
    other_modes!(wave, op, env, V, F);
    let groups = wave.groups();
    // SAFETY: what callers of bodies promise; the row has these types.
    let operands = unsafe { wave.operands::<F, 3>(op, [L::TYPE; 3], L::TYPE) };
    for group in 0..groups {
        let a = operands.load::<F, L>(0, group);
        let b = operands.load::<F, L>(1, group);
        let c = operands.load::<F, L>(2, group);
        // Asked for twice, once for each result: arrays of pairs would not become host vectors.
        let right: [bool; GROUP] = lanes(
            #[inline(always)]
            |i| simple(a[i], b[i], c[i]).1,
        );
        let mut wrong = 0;
        let mut lane = 0;
        while lane < GROUP {
            let active = operands.active().0[GROUP * group + lane];
            wrong |= u32::from(!right[lane]) & active;
            lane += 1;
        }
        if wrong != 0 {
            wave.groups_done = group;
            return general::<V, F>(wave, op, env);
        }
        operands.store::<L>(
            group,
            lanes(
                #[inline(always)]
                |i| simple(a[i], b[i], c[i]).0,
            ),
        );
    }
    let after = wave.deliver::<F>(op, L::TYPE.words());
    if MASK {
        wave.set_mask(op.vector().mask_dst as usize, 0);
    }
    after
}
