//! The host's vector extensions: which levels there are, and how code is compiled for one.
//!
//! The macro `host_features` lists once what a level takes for granted. The check of the host and the attributes of functions that
//! are compiled for a level both read that list.

use std::sync::{
    OnceLock,
    atomic::{AtomicU8, Ordering},
};

/// Host vector extensions that copies of bodies exist for; each level has those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Every host has it.
    Base,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Rows that programs spend their time in have copies for it; the rest has [`Level::Avx2`].
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// AVX-512 with half-precision arithmetic.
    #[cfg(target_arch = "x86_64")]
    Fp16,
}

/// A [`Level`] at compile time.
pub trait Extensions {
    /// The host has what [`Level::Avx2`] stands for.
    const AVX2: bool;
    /// The host has what [`Level::Avx512`] stands for.
    const AVX512: bool;
    /// The host has what [`Level::Fp16`] stands for.
    const FP16: bool;
    /// The level that outlined parts are compiled for: they gain nothing from wider vectors.
    type Outlined: Extensions;
}

macro_rules! extensions {
    ($($name:ident: $avx2:literal, $avx512:literal, $fp16:literal, $outlined:ident;)*) => {$(
        pub enum $name {}
        impl Extensions for $name {
            const AVX2: bool = $avx2;
            const AVX512: bool = $avx512;
            const FP16: bool = $fp16;
            type Outlined = $outlined;
        }
    )*};
}

extensions! {
    Base: false, false, false, Base;
    Avx2: true, false, false, Avx2;
    Avx512: true, true, false, Avx2;
    Fp16: true, true, true, Avx2;
}

/// Hands the features of a level to macro `$then`, with `$rest` behind them.
#[cfg(target_arch = "x86_64")]
#[doc(hidden)]
#[macro_export]
macro_rules! host_features {
    (@Avx2 [$($more:tt)*] $then:ident $rest:tt) => {
        $crate::$then! {
            ["avx2" "fma" "f16c" "bmi1" "bmi2" "lzcnt" "popcnt" $($more)*] $rest
        }
    };
    (@Avx512 [$($more:tt)*] $then:ident $rest:tt) => {
        $crate::host_features! {
            @Avx2 ["avx512f" "avx512bw" "avx512dq" "avx512vl" $($more)*] $then $rest
        }
    };
    (@Fp16 [] $then:ident $rest:tt) => {
        $crate::host_features! { @Avx512 ["avx512fp16"] $then $rest }
    };
    (Avx2, $then:ident $rest:tt) => { $crate::host_features! { @Avx2 [] $then $rest } };
    (Avx512, $then:ident $rest:tt) => { $crate::host_features! { @Avx512 [] $then $rest } };
    (Fp16, $then:ident $rest:tt) => { $crate::host_features! { @Fp16 [] $then $rest } };
}

#[cfg(target_arch = "x86_64")]
#[doc(hidden)]
#[macro_export]
macro_rules! with_features {
    ([$($feature:tt)+] { $($function:tt)+ }) => {
        $(#[target_feature(enable = $feature)])+
        $($function)+
    };
}

#[cfg(target_arch = "x86_64")]
#[doc(hidden)]
#[macro_export]
macro_rules! all_detected {
    ([$($feature:tt)+] {}) => {
        $(is_x86_feature_detected!($feature))&&+
    };
}

/// Compiles a function for a level: `compiled_for! { Avx2: fn name() {} }`.
#[cfg(target_arch = "x86_64")]
#[macro_export]
macro_rules! compiled_for {
    ($level:ident: $($function:tt)+) => {
        $crate::host_features! { $level, with_features { $($function)+ } }
    };
}

/// Vector extensions that the engine is to leave alone; see [`use_less`].
static LESS: AtomicU8 = AtomicU8::new(0);

/// Keeps the engine from using vector extensions: 1 leaves out half-precision arithmetic, 2 AVX-512 too, 3 all. Tests that compare what
/// the engine does with and without call it before the first program.
#[doc(hidden)]
pub fn use_less(extensions: u8) {
    LESS.store(extensions, Ordering::Relaxed);
}

/// The highest level that the host has and that is not to be left alone.
pub fn level() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(|| {
        #[cfg(target_arch = "x86_64")]
        {
            let less = LESS.load(Ordering::Relaxed);
            if less < 1 && host_features!(Fp16, all_detected {}) {
                return Level::Fp16;
            }
            if less < 2 && host_features!(Avx512, all_detected {}) {
                return Level::Avx512;
            }
            if less < 3 && host_features!(Avx2, all_detected {}) {
                return Level::Avx2;
            }
        }
        Level::Base
    })
}

/// Returns `true` if bodies for [`Level::Avx2`] run on this host.
pub fn has_avx2() -> bool {
    level() > Level::Base
}

/// Returns `true` if bodies for [`Level::Avx512`] run on this host.
pub fn has_avx512() -> bool {
    #[cfg(target_arch = "x86_64")]
    return level() >= Level::Avx512;
    #[cfg(not(target_arch = "x86_64"))]
    false
}
