//! The form of vector rows.

/// Vector rows: `mnemonic: (source types) -> result type [attributes] = |context, a, b, ..| value;`.
///
/// A row whose context is `_` does not depend on MODE. `simd Kind::operation` after the result names a fast path of
/// [`super::simd`] for the usual mode; `fast function` one for ordinary values. Braces hold what else the row is specialized for,
/// by the methods of [`super::specialization::Specialization`].
/// Attributes are methods of [`super::VectorShape`]. With `carry_in` and `carry_out` the body takes the lane's bit of the mask as
/// last argument and returns `(value, carry)`.
macro_rules! vector_rows {
    ($($name:ident: ($($source:ident),+) -> $result:ident $(simd $kind:ident::$operation:ident)? $(fast $fast:ident)?
        $({$($speed:ident $(($formula:ident))?),+})? $([$($attribute:ident $(= $setting:expr)?),*])? = |$context:tt, $($argument:pat_param),*| $body:expr;)*) => {
        $(
            #[allow(non_camel_case_types)]
            struct $name;
            impl $name {
                const SPECIALIZATION: $crate::rows::specialization::Specialization = $crate::rows::specialization::Specialization::NONE
                    $($(.$speed($($crate::rows::chain::Formula::$formula)?))+)?;
                const SHAPE: $crate::rows::VectorShape = $crate::rows::VectorShape {
                    formula: Self::SPECIALIZATION.chain,
                    ..$crate::rows::VectorShape::of(
                        &[$(<$source as $crate::ports::Lane>::TYPE),+],
                        <$result as $crate::ports::Lane>::TYPE,
                    )
                }
                $($(.$attribute($($setting)?))*)?;
            }
            impl $crate::shell::VectorBody for $name {
                const SOURCES: usize = [$(<$source as $crate::ports::Lane>::TYPE),+].len();
                const MODE: bool = $crate::rows::vector_macros::depends_on_mode!($context);
                const HOT: bool = Self::SPECIALIZATION.hot;
                const AVX512_ALONE: bool = Self::SPECIALIZATION.avx512;
                const HALVES: bool = Self::SPECIALIZATION.fp16;
                const MOVES: bool = Self::SPECIALIZATION.hot || Self::SPECIALIZATION.avx512;
                const ZERO_INACTIVE: bool = Self::SPECIALIZATION.zero_inactive;
                $(const MODIFIED: Option<$crate::ports::Type> = $crate::rows::simd::modified::<
                    $crate::rows::simd::$kind,
                    $crate::rows::simd::$operation,
                    { <$name as $crate::shell::VectorBody>::SOURCES },
                >();)?
                #[inline(always)]
                fn run<F: $crate::shell::Form>(
                    wave: &mut $crate::state::Wave,
                    op: &$crate::micro_op::MicroOp,
                    env: &mut $crate::engine::Env<'_>,
                ) -> u32 {
                    $crate::rows::vector_macros::vector_body!(
                        [$name, F] (wave, op, env) ($($source),+) -> $result $(simd $kind::$operation)? $(fast $fast)? [$($($attribute),*)?],
                        $context, ($($argument),*), $body
                    )
                }
                #[inline(always)]
                fn function() -> Option<$crate::rows::function::Function> {
                    $crate::rows::vector_macros::host_function!(
                        $name ($($source),+) -> $result $(simd $kind::$operation)? $(fast $fast)? [$($($attribute),*)?],
                        $context, ($($argument),*), $body
                    )
                }
            }
        )*
        /// Appends this file's rows.
        pub(super) fn rows(rows: &mut Vec<$crate::rows::Row>) {
            $(rows.push($crate::rows::Row::vector::<$name>(stringify!($name), $name::SHAPE));)*
        }
    };
}

macro_rules! depends_on_mode {
    (_) => {
        false
    };
    ($context:ident) => {
        true
    };
}

/// Executes a row in form `$f`: by its fast path, or else lane by lane.
macro_rules! vector_body {
    ([$v:ident, $f:ident] ($wave:expr, $op:expr, $env:expr) $sources:tt -> $r:ident fast $fast:ident $attributes:tt, $($row:tt)+) => {
        if $f::USUAL {
            $crate::rows::simd::guarded::<$v, $f, $r, { $v::SHAPE.mask_result }>($wave, $op, $env, $fast)
        } else {
            $crate::rows::vector_macros::vector_body!([$v, $f] ($wave, $op, $env) $sources -> $r $attributes, $($row)+)
        }
    };
    ([$v:ident, $f:ident] ($wave:expr, $op:expr, $env:expr) $sources:tt -> $r:ident simd $kind:ident::$operation:ident $attributes:tt, $cx:tt, ($($x:pat_param),*), $body:expr) => {
        $crate::rows::simd::run::<
            $v,
            $f,
            $crate::rows::simd::$kind,
            $crate::rows::simd::$operation,
            { <$v as $crate::shell::VectorBody>::SOURCES },
        >(
            $wave,
            $op,
            $env,
            #[inline(always)]
            |$cx, [$($x),*]| $body,
        )
    };
    ([$v:ident, $f:ident] ($wave:expr, $op:expr, $env:expr) $sources:tt -> $r:ident $attributes:tt, $cx:tt, ($($x:pat_param),*), $body:expr) => {
        $crate::rows::vector_macros::loop_of!($attributes $sources [$v, $f] $r)(
            $wave,
            $op,
            $env,
            #[inline(always)]
            |$cx, $($x),*| $body,
        )
    };
}

/// The loop for a row's attributes and sources.
#[rustfmt::skip]
macro_rules! loop_of {
    ([carry_out]           ($a:ident, $b:ident)           [$v:ident, $f:ident] $r:ident) => { $crate::rows::loops::carry_out2::<$v, $f, $a, $b, $r> };
    ([carry_in, carry_out] ($a:ident, $b:ident)           [$v:ident, $f:ident] $r:ident) => { $crate::rows::loops::carry_in_out2::<$v, $f, $a, $b, $r> };
    ([carry_out]           ($a:ident, $b:ident, $c:ident) [$v:ident, $f:ident] $r:ident) => { $crate::rows::loops::carry_out3::<$v, $f, $a, $b, $c, $r> };
    ([carry_in]            ($a:ident, $b:ident, $c:ident) [$v:ident, $f:ident] $r:ident) => { $crate::rows::loops::carry_in3::<$v, $f, $a, $b, $c, $r> };
    ($others:tt            ($a:ident)                     [$v:ident, $f:ident] $r:ident) => { $crate::rows::loops::map1::<$v, $f, $a, $r> };
    ($others:tt            ($a:ident, $b:ident)           [$v:ident, $f:ident] $r:ident) => { $crate::rows::loops::map2::<$v, $f, $a, $b, $r> };
    ($others:tt            ($a:ident, $b:ident, $c:ident) [$v:ident, $f:ident] $r:ident) => { $crate::rows::loops::map3::<$v, $f, $a, $b, $c, $r> };
}

/// The row as a [`crate::rows::function::Function`], if it is one of single lanes and much used.
macro_rules! host_function {
    ($name:ident $sources:tt -> $result:ident simd $kind:ident::$operation:ident $attributes:tt, $($row:tt)+) => {
        if $name::SPECIALIZATION.hot || $name::SPECIALIZATION.avx512 {
            <$crate::rows::simd::$kind as $crate::rows::simd::Kind>::function::<
                $crate::rows::simd::$operation,
                { <$name as $crate::shell::VectorBody>::SOURCES },
            >()
        } else {
            None
        }
    };
    ($name:ident $sources:tt -> $result:ident fast $fast:ident $attributes:tt, $($row:tt)+) => {
        None
    };
    ($name:ident $sources:tt -> $result:ident $attributes:tt, $($row:tt)+) => {
        $crate::rows::vector_macros::host_function_of!($attributes $sources [$name] $result, $($row)+)
    };
}

/// The function for a row's attributes and sources.
#[rustfmt::skip]
macro_rules! host_function_of {
    ([carry_out]           ($a:ident, $b:ident)           [$v:ident] $r:ident, $cx:tt, ($x:pat_param, $y:pat_param), $body:expr) => {
        $crate::rows::vector_macros::host_carry!($v, map2::<$a, $b>, $r, |$cx, $x, $y| $body)
    };
    ([carry_in, carry_out] ($a:ident, $b:ident)           [$v:ident] $r:ident, $cx:tt, ($x:pat_param, $y:pat_param, $c:pat_param), $body:expr) => {
        $crate::rows::vector_macros::host_carry!($v, map3::<$a, $b, $crate::ports::B32>, $r, |$cx, $x, $y, word| { let $c = word != 0; $body })
    };
    ([carry_out]           $sources:tt                    [$v:ident] $r:ident, $($row:tt)+) => { None };
    ([carry_in]            $sources:tt                    [$v:ident] $r:ident, $($row:tt)+) => { None };
    ($others:tt            ($a:ident)                     [$v:ident] $r:ident, $($row:tt)+) => { $crate::rows::vector_macros::host_lanes!($v, map1::<$a, $r>, $($row)+) };
    ($others:tt            ($a:ident, $b:ident)           [$v:ident] $r:ident, $($row:tt)+) => { $crate::rows::vector_macros::host_lanes!($v, map2::<$a, $b, $r>, $($row)+) };
    ($others:tt            ($a:ident, $b:ident, $c:ident) [$v:ident] $r:ident, $($row:tt)+) => { $crate::rows::vector_macros::host_lanes!($v, map3::<$a, $b, $c, $r>, $($row)+) };
}

/// Two functions of a row whose body returns a value and a carry: one for each.
macro_rules! host_carry {
    ($v:ident, $map:ident::<$($t:ty),+>, $r:ident, |$cx:tt, $($x:pat_param),*| $body:expr) => {{
        #[cfg(target_arch = "x86_64")]
        {
            use $crate::rows::{function::{Function, mask_word}, vector_macros::host_code};
            // The types of rows with carries have one word.
            host_code!(value = $map::<$($t,)+ $r>, |$cx, $($x),*| ($body).0);
            host_code!(carry = $map::<$($t,)+ $crate::ports::B32>, |$cx, $($x),*| mask_word(($body).1));
            return Some(Function {
                takes_mask: $v::SHAPE.mask_source,
                carry: Some(carry),
                ..Function::exact(value)
            });
        }
        #[cfg(not(target_arch = "x86_64"))]
        None
    }};
}

/// The function of a row of single lanes, if its types have one word.
macro_rules! host_lanes {
    ($v:ident, $map:ident::<$($t:ident),+>, $cx:tt, ($($x:pat_param),*), $body:expr) => {{
        #[cfg(target_arch = "x86_64")]
        {
            $crate::rows::vector_macros::host_code!(code = $map::<$($t),+>, |$cx, $($x),*| $body);
            const ONE_WORD: bool = $(<$t as $crate::ports::Lane>::TYPE.words() == 1)&&+;
            if ONE_WORD && ($v::SPECIALIZATION.hot || $v::SPECIALIZATION.avx512) {
                return Some($crate::rows::function::Function::exact(code));
            }
        }
        None
    }};
}

/// A [`crate::rows::function::Code`] whose types have one word.
macro_rules! host_code {
    ($name:ident = $map:ident::<$($t:ty),+>, |$cx:tt, $($x:pat_param),*| $body:expr) => {
        vectors::compiled_for! { Avx512:
            // The host's ABI for vectors is what is asked for, and no other language calls it.
            #[allow(improper_ctypes_definitions)]
            #[inline]
            unsafe extern "C" fn $name(
                a: std::arch::x86_64::__m512i,
                b: std::arch::x86_64::__m512i,
                c: std::arch::x86_64::__m512i,
            ) -> std::arch::x86_64::__m512i {
                // SAFETY: only rows whose types have one word have this function.
                unsafe {
                    $crate::rows::function::$map::<$($t),+>(
                        [a, b, c],
                        #[inline(always)]
                        |$cx, $($x),*| $body,
                    )
                }
            }
        }
    };
}

pub(super) use {
    depends_on_mode, host_carry, host_code, host_function, host_function_of, host_lanes, loop_of,
    vector_body, vector_rows,
};
