//! Multiversioning: each row's body compiled for several host vector extensions and operand kinds, chosen once at decode.

mod copies;

use std::marker::PhantomData;

#[cfg(target_arch = "x86_64")]
use vectors::level::Avx2;
#[cfg(all(target_arch = "x86_64", wide))]
use vectors::level::{Avx512, Fp16};
use vectors::level::{Base, Extensions, Level, level};

use crate::{
    engine::Env,
    micro_op::{Handler, MicroOp},
    passes,
    ports::Type,
    rows::Function,
    state::Wave,
};
#[cfg(target_arch = "x86_64")]
use copies::{avx2, avx2_vector};
#[cfg(all(target_arch = "x86_64", wide))]
use copies::{avx512, avx512_vector, fp16_vector, moving};
use copies::{base, base_vector};

/// A row's body, written once and inlined into every shell. It may take for granted what callers of [`call`] promise.
pub(crate) trait Body {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32;
}

/// The assumptions of one compiled copy of a vector ALU body.
pub(crate) trait Form {
    /// Bit i: source i is a scalar register or constant. All other sources are vector rows.
    const UNIFORM: u8;
    /// The op has its modifiers still, which the body does itself, and any source may be uniform.
    const MODIFIED: bool;
    /// MODE is the one that HIP kernels start in, and the clamp bit asks nothing of the body.
    const USUAL: bool;
    /// The host has what [`Level::Avx2`] stands for.
    const AVX2: bool;
    /// The host has what [`Level::Avx512`] stands for.
    const AVX512: bool;
    /// The host has what [`Level::Fp16`] stands for.
    const FP16: bool;
    /// The form that outlined parts are compiled for: they gain nothing from wider vectors.
    type Outlined: Form;
}

/// Among the sources of a [`Variant`]: [`Form::MODIFIED`].
const MODIFIED: u8 = 8;

struct Variant<const UNIFORM: u8, const USUAL: bool, E>(PhantomData<E>);

impl<const UNIFORM: u8, const USUAL: bool, E: Extensions> Form for Variant<UNIFORM, USUAL, E> {
    const UNIFORM: u8 = UNIFORM & 7;
    const MODIFIED: bool = UNIFORM & MODIFIED != 0;
    const USUAL: bool = USUAL;
    const AVX2: bool = E::AVX2;
    const AVX512: bool = E::AVX512;
    const FP16: bool = E::FP16;
    type Outlined = Variant<UNIFORM, USUAL, E::Outlined>;
}

/// The body of a vector ALU row. It may take for granted what callers of [`call`] promise, and that the op is one of its row.
#[cfg_attr(not(wide), allow(dead_code, reason = "the choice of copies"))]
pub(crate) trait VectorBody {
    const SOURCES: usize;
    /// Whether the result depends on MODE or on the clamp bit.
    const MODE: bool;
    /// True if sources that are not vector rows have bodies of their own; else they are first copied to a row.
    const HOT: bool;
    /// Compiled code often has it choose between two uniform sources.
    const CHOOSES: bool = false;
    /// No copies for [`Level::Avx512`].
    const NO_AVX512: bool = false;
    /// A copy for [`Level::Avx512`] although not hot.
    const AVX512_ALONE: bool = false;
    /// Copies for hosts with half-precision arithmetic.
    const HALVES: bool = false;
    /// Lanes that are off get zeros for sources.
    const ZERO_INACTIVE: bool = false;
    /// A copy that does DPP at once: see [`passes::moving`]. The body is a function on host vectors.
    const MOVES: bool = false;
    /// The type of all sources and of the result, if there are copies that do NEG, ABS and the clamp themselves.
    const MODIFIED: Option<Type> = None;
    /// The body as a function on host vectors, if it is one.
    fn function() -> Option<Function> {
        None
    }
    fn run<F: Form>(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32;
}

/// One for each value of [`Form::UNIFORM`] that there is a copy for.
pub(crate) type UniformHandlers = [Option<Handler>; 8];

/// For waves of 32 lanes and of 64.
pub(crate) type MovingHandlers = [Option<Handler>; 2];

/// The compiled copies of a vector ALU body.
#[derive(Clone, Copy)]
pub(crate) struct Handlers {
    /// All sources are vector rows; the usual mode is tested for.
    pub vector: Handler,
    /// The same, any mode.
    pub general: Handler,
    /// Some sources are uniform: by [`Form::UNIFORM`].
    pub uniform: UniformHandlers,
    /// The body does modifiers itself: see [`Form::MODIFIED`].
    pub modified: Option<Handler>,
    /// The body does DPP, too: see [`passes::moving`].
    pub moving: MovingHandlers,
}

/// The handler of body `B` for this host.
pub(crate) fn handler<B: Body>() -> Handler {
    match level() {
        Level::Base => base::<B>,
        #[cfg(target_arch = "x86_64")]
        _ => avx2::<B>,
    }
}

/// The handler of a body that does enough for a copy of its own for the widest vectors.
pub(crate) fn wide_handler<B: Body>() -> Handler {
    match level() {
        #[cfg(all(target_arch = "x86_64", wide))]
        Level::Avx512 | Level::Fp16 => avx512::<B>,
        _ => handler::<B>(),
    }
}

/// The handler of body `W` on hosts with AVX-512, of body `B` on others.
#[cfg(all(target_arch = "x86_64", wide))]
pub(crate) fn wide_or<W: Body, B: Body>() -> Handler {
    match level() {
        Level::Avx512 | Level::Fp16 => avx512::<W>,
        _ => handler::<B>(),
    }
}

/// Runs body `B` for a handler of AVX-512 that does not do this access. It is never inlined: its caller needs few registers.
///
/// # Safety
/// The host has AVX2.
#[cfg(all(target_arch = "x86_64", wide))]
#[inline(never)]
pub(crate) unsafe fn usual<B: Body>(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
    env.memory.goes_usual_way();
    // SAFETY: the caller's promise.
    unsafe { avx2::<B>(wave, op, env) }
}

/// The handler of vector ALU body `B` for this host if all sources are vector rows.
pub(crate) fn vector_handler<B: VectorBody>() -> Handler {
    vector_handlers::<B>().vector
}

/// The handlers of a row with copies for uniform sources. It uses `if`, because code that is not reached is not
/// compiled.
#[cfg(all(target_arch = "x86_64", wide))]
macro_rules! hot_handlers {
    ($body:ident, $shell:ident, $extensions:ident) => {{
        let mut uniform: UniformHandlers = [None; 8];
        uniform[1] = Some($shell::<$body, Variant<1, true, $extensions>>);
        if $body::SOURCES > 1 {
            uniform[2] = Some($shell::<$body, Variant<2, true, $extensions>>);
        }
        if $body::SOURCES > 2 || $body::CHOOSES {
            uniform[3] = Some($shell::<$body, Variant<3, true, $extensions>>);
        }
        if $body::SOURCES > 2 {
            uniform[4] = Some($shell::<$body, Variant<4, true, $extensions>>);
            uniform[5] = Some($shell::<$body, Variant<5, true, $extensions>>);
            uniform[6] = Some($shell::<$body, Variant<6, true, $extensions>>);
        }
        Handlers {
            vector: $shell::<$body, Variant<0, true, $extensions>>,
            general: any_mode::<$body>(),
            uniform,
            modified: if $body::MODIFIED.is_some() {
                Some($shell::<$body, Variant<MODIFIED, true, $extensions>>)
            } else {
                None
            },
            moving: if <$extensions as Extensions>::AVX512 {
                moving_handlers::<$body>()
            } else {
                [None; 2]
            },
        }
    }};
}

#[cfg(all(target_arch = "x86_64", wide))]
fn moving_handlers<B: VectorBody>() -> MovingHandlers {
    if B::MOVES {
        [Some(moving::<B, 2>), Some(moving::<B, 4>)]
    } else {
        [None; 2]
    }
}

/// The handlers of vector ALU body `B` for this host.
pub(crate) fn vector_handlers<B: VectorBody>() -> Handlers {
    match level() {
        // Hosts without vector extensions get one copy only: they are rare, and copies cost time to compile.
        Level::Base => Handlers {
            vector: base_vector::<B, Variant<0, false, Base>>,
            general: base_vector::<B, Variant<0, false, Base>>,
            uniform: [None; 8],
            modified: None,
            moving: [None; 2],
        },
        #[cfg(all(target_arch = "x86_64", wide))]
        Level::Fp16 if B::HALVES => hot_handlers!(B, fp16_vector, Fp16),
        #[cfg(all(target_arch = "x86_64", wide))]
        Level::Avx512 | Level::Fp16 if B::HOT && !B::NO_AVX512 => {
            hot_handlers!(B, avx512_vector, Avx512)
        }
        #[cfg(all(target_arch = "x86_64", wide))]
        Level::Avx512 | Level::Fp16 if B::AVX512_ALONE => {
            let vector: Handler = avx512_vector::<B, Variant<0, true, Avx512>>;
            Handlers {
                vector,
                general: if B::MODE { any_mode::<B>() } else { vector },
                uniform: [None; 8],
                modified: None,
                moving: moving_handlers::<B>(),
            }
        }
        #[cfg(all(target_arch = "x86_64", wide))]
        _ if B::HOT => hot_handlers!(B, avx2_vector, Avx2),
        #[cfg(target_arch = "x86_64")]
        _ => Handlers {
            vector: avx2_vector::<B, Variant<0, true, Avx2>>,
            general: any_mode::<B>(),
            uniform: [None; 8],
            modified: None,
            moving: [None; 2],
        },
    }
}

#[cfg(target_arch = "x86_64")]
fn any_mode<B: VectorBody>() -> Handler {
    if B::MODE {
        avx2_vector::<B, Variant<0, false, Avx2>>
    } else {
        avx2_vector::<B, Variant<0, true, Avx2>>
    }
}

/// Runs `B` for any mode on behalf of one of its other copies.
#[cold]
#[inline(never)]
pub(crate) fn general<B: VectorBody, F: Form>(
    wave: &mut Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
) -> u32 {
    let all_vector;
    let op = if F::MODIFIED {
        return without_modifiers::<B>(wave, op, env);
    } else if F::UNIFORM == 0 {
        op
    } else {
        all_vector = wave.with_rows_for_uniforms(op);
        &all_vector
    };
    #[cfg(target_arch = "x86_64")]
    if F::AVX2 {
        // SAFETY: forms with AVX2 exist only below shells that were chosen because the host has it.
        return unsafe { avx2_vector::<B, Variant<0, false, Avx2>>(wave, op, env) };
    }
    base_vector::<B, Variant<0, false, Base>>(wave, op, env)
}

/// [`general`] for an op with modifiers: with sources that have theirs already, and the clamp behind it.
fn without_modifiers<B: VectorBody>(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
    let kind = B::MODIFIED.unwrap_or(Type::None);
    let plain = passes::modified(wave, op, B::SOURCES, kind);
    let vector = op.vector();
    #[cfg(target_arch = "x86_64")]
    // SAFETY: copies that do modifiers exist only below shells that were chosen because the host has AVX2.
    let after = unsafe { avx2_vector::<B, Variant<0, false, Avx2>>(wave, &plain, env) };
    #[cfg(not(target_arch = "x86_64"))]
    let after = base_vector::<B, Variant<0, false, Base>>(wave, &plain, env);
    if vector.clamp() {
        passes::clamp(wave, op.dst as usize, kind);
    }
    after
}

/// The handler of a body that gains nothing from vector extensions; half the code.
pub(crate) fn scalar_handler<B: Body>() -> Handler {
    base::<B>
}

/// Executes a micro-op.
///
/// # Safety
/// `op` belongs to the segment that `wave` executes, or is a copy that other registers of the wave were put into. Bodies rely on it:
/// decoding has checked the registers of all ops, and [`Wave::enter`] that the wave has them.
#[inline(always)]
pub(crate) unsafe fn call(op: &MicroOp, wave: &mut Wave, env: &mut Env<'_>) -> u32 {
    // SAFETY: the caller's promise. Every handler comes from `handler`, `wide_handler`, `wide_or` or `vector_handlers`, which pick a shell only if
    // the host has the features it enables.
    unsafe { (op.handler)(wave, op, env) }
}

/// Defines `name` as `body` compiled for the host's vector extensions as well: for passes that rows share.
macro_rules! multiversion {
    ($(#[$attribute:meta])* $visibility:vis fn $name:ident = $body:ident ($($argument:ident: $type:ty),*) $(-> $result:ty)?;) => {
        $(#[$attribute])*
        #[inline(never)]
        $visibility fn $name<F: crate::shell::Form>($($argument: $type),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            {
                vectors::compiled_for! { Avx2:
                fn with_avx2($($argument: $type),*) $(-> $result)? {
                    $body($($argument),*)
                }
                }
                if F::AVX2 {
                    // SAFETY: forms with AVX2 exist only below shells that were chosen because the host has it.
                    return unsafe { with_avx2($($argument),*) };
                }
            }
            $body($($argument),*)
        }
    };
}
pub(crate) use multiversion;
