//! The loops over lanes that vector rows expand to: see [`super::vector_macros`].

use crate::{
    access::lanes::pack,
    engine::Env,
    micro_op::MicroOp,
    mode::Context,
    ports::{B32, Lane, Operands, Type, each_group, lanes, with_zeros},
    shell::{Form, VectorBody},
    state::Wave,
};
#[cfg(target_arch = "x86_64")]
use vectors::compiled_for;

/// Lanes of a group as array indices.
pub(super) const GROUP: usize = 16;

/// Tail of a body whose MODE is not the usual one: the copy of the body for any mode.
macro_rules! other_modes {
    ($wave:ident, $op:ident, $env:ident, $body:ident, $form:ident) => {
        if $form::USUAL && $body::MODE && !$wave.mode.plain {
            return crate::shell::general::<$body, $form>($wave, $op, $env);
        }
    };
}

/// MODE as the body sees it, a constant in the usual case.
#[inline(always)]
pub(super) fn context<F: Form>(wave: &Wave, op: &MicroOp) -> Context {
    if F::USUAL {
        return Context::PLAIN;
    }
    Context {
        clamp: op.vector().clamp(),
        ..wave.mode.context()
    }
}

/// The first group of lanes that a body has to do: a general copy continues what another copy began.
#[inline(always)]
pub(super) fn first_group<F: Form>(wave: &mut Wave) -> usize {
    if F::USUAL {
        0
    } else {
        std::mem::take(&mut wave.groups_done)
    }
}

/// Returns `true` if what is outlined of a body writes the active lanes of its result at once, not through a temporary row.
#[inline(always)]
const fn blends<V: VectorBody, F: Form>() -> bool {
    V::HOT && F::USUAL && F::AVX2
}

/// The groups of a wide wave for which a row is right that looks at MODE or does not; 0: it has to go the long way.
#[inline(always)]
fn wide_groups<V: VectorBody>(wave: &Wave) -> usize {
    if V::MODE {
        wave.wide_and_plain
    } else {
        wave.wide
    }
}

/// `$any` by itself, compiled for a level of the host.
macro_rules! outlined {
    ($name:ident, $level:ident, $any:ident, [$($source:ident),+]) => {
        #[cfg(target_arch = "x86_64")]
        vectors::compiled_for! { $level:
            /// # Safety
            /// The host has these features.
            #[inline(never)]
            unsafe fn $name<V: VectorBody, F: Form, $($source: Lane,)+ R: Lane>(
                wave: &mut Wave,
                op: &MicroOp,
                env: &mut Env<'_>,
                lane: impl Fn(Context, $($source::Value),+) -> R::Value,
            ) -> u32 {
                $any::<V, F, $($source,)+ R>(wave, op, env, lane)
            }
        }
    };
}

/// The loops of `map1`, `map2` and `map3`. Hot rows have the case of a wide wave in the usual mode in line. No code
/// around it needs saved host registers; the rest of these rows is outlined.
macro_rules! map_functions {
    ($($map:ident, $any:ident, $outlined:ident, $outlined512:ident, $count:literal, [$($source:ident, $x:ident, $index:literal);+], [$($none:expr),*];)*) => {$(
        #[inline(always)]
        pub(super) fn $map<V: VectorBody, F: Form, $($source: Lane,)+ R: Lane>(
            wave: &mut Wave,
            op: &MicroOp,
            env: &mut Env<'_>,
            lane: impl Fn(Context, $($source::Value),+) -> R::Value,
        ) -> u32 {
            #[cfg(target_arch = "x86_64")]
            if V::HOT && F::USUAL && F::AVX2 {
                let groups = wide_groups::<V>(wave);
                if groups == 0 {
                    // SAFETY: forms with AVX2 or AVX-512 exist only where the host has it.
                    return unsafe {
                        if F::AVX512 {
                            $outlined512::<V, F::Outlined, $($source,)+ R>(wave, op, env, lane)
                        } else {
                            $outlined::<V, F::Outlined, $($source,)+ R>(wave, op, env, lane)
                        }
                    };
                }
                let types = [$($source::TYPE,)+ $($none),*];
                // SAFETY: what callers of bodies promise; the row has these types.
                let operands = unsafe { wave.wide_operands::<F, $count>(op, types, R::TYPE) };
                each_group(
                    groups,
                    #[inline(always)]
                    |group| {
                        $(let $x = operands.load::<F, $source>($index, group);)+
                        operands.store::<R>(group, lanes(
                            #[inline(always)]
                            |i| lane(Context::PLAIN, $($x[i]),+),
                        ));
                    },
                );
                return u32::from(op.after);
            }
            $any::<V, F, $($source,)+ R>(wave, op, env, lane)
        }

        #[inline(always)]
        fn $any<V: VectorBody, F: Form, $($source: Lane,)+ R: Lane>(
            wave: &mut Wave,
            op: &MicroOp,
            env: &mut Env<'_>,
            lane: impl Fn(Context, $($source::Value),+) -> R::Value,
        ) -> u32 {
            other_modes!(wave, op, env, V, F);
            let context = context::<F>(wave, op);
            let types = [$($source::TYPE,)+ $($none),*];
            let zeroed;
            let op = if V::ZERO_INACTIVE && !wave.all_lanes {
                zeroed = with_zeros::<F>(wave, op, types);
                &zeroed
            } else {
                op
            };
            if blends::<V, F>() {
                let groups = wave.groups();
                // SAFETY: what callers of bodies promise; the row has these types.
                let operands = unsafe { wave.wide_operands::<F, $count>(op, types, R::TYPE) };
                each_group(
                    groups,
                    #[inline(always)]
                    |group| {
                        $(let $x = operands.load::<F, $source>($index, group);)+
                        operands.store_active::<R>(group, lanes(
                            #[inline(always)]
                            |i| lane(context, $($x[i]),+),
                        ));
                    },
                );
                return u32::from(op.after);
            }
            let groups = first_group::<F>(wave)..wave.groups();
            // SAFETY: what callers of bodies promise; the row has these types.
            let operands = unsafe { wave.operands::<F, $count>(op, types, R::TYPE) };
            for group in groups {
                $(let $x = operands.load::<F, $source>($index, group);)+
                operands.store::<R>(group, lanes(
                    #[inline(always)]
                    |i| lane(context, $($x[i]),+),
                ));
            }
            wave.deliver::<F>(op, R::TYPE.words())
        }

        outlined!($outlined, Avx2, $any, [$($source),+]);
        outlined!($outlined512, Avx512, $any, [$($source),+]);
    )*};
}

map_functions! {
    map1, map1_any, map1_outlined, map1_outlined512, 1, [A, a, 0], [Type::None, Type::None];
    map2, map2_any, map2_outlined, map2_outlined512, 2, [A, a, 0; B, b, 1], [Type::None];
    map3, map3_any, map3_outlined, map3_outlined512, 3, [A, a, 0; B, b, 1; C, c, 2], [];
}

/// `COUNT` sources of types A, B and C, the lane's bit of a mask, a vector result and a mask of bits.
///
/// One loop for carries, borrows, scaled division and selections; parts that a row does not have cost nothing. The
/// usual case of hot rows is in line and the rest of them is not, as in [`map_functions`].
#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn with_masks<V, F, A, B, C, R, const COUNT: usize, const IN: bool, const OUT: bool>(
    wave: &mut Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
    lane: impl Fn(Context, A::Value, B::Value, C::Value, bool) -> (R::Value, bool),
) -> u32
where
    V: VectorBody,
    F: Form,
    A: Lane,
    B: Lane,
    C: Lane,
    R: Lane,
{
    #[cfg(target_arch = "x86_64")]
    if V::HOT && F::USUAL && F::AVX2 {
        let groups = wide_groups::<V>(wave);
        if groups == 0 {
            // SAFETY: forms with AVX2 exist only where the host has it.
            return unsafe {
                with_masks_outlined::<V, F::Outlined, A, B, C, R, COUNT, IN, OUT>(
                    wave, op, env, lane,
                )
            };
        }
        let bits = if IN {
            wave.mask(op.vector().mask_src as usize)
        } else {
            0
        };
        let types = [A::TYPE, B::TYPE, C::TYPE];
        // SAFETY: what callers of bodies promise; the row has these types.
        let operands = unsafe { wave.wide_operands::<F, COUNT>(op, types, R::TYPE) };
        let mut mask = 0;
        each_group(
            groups,
            #[inline(always)]
            |group| {
                mask |= masked_group::<F, A, B, C, R, COUNT, IN, OUT>(
                    &operands,
                    Context::PLAIN,
                    group,
                    bits,
                    false,
                    &lane,
                );
            },
        );
        if OUT {
            wave.set_mask(op.vector().mask_dst as usize, mask);
        }
        return u32::from(op.after);
    }
    with_masks_any::<V, F, A, B, C, R, COUNT, IN, OUT>(wave, op, env, lane)
}

/// Lanes of `group`: stores the vector result, of active lanes only if `blends`, and returns the bits of the
/// mask, in place.
#[inline(always)]
fn masked_group<F, A, B, C, R, const COUNT: usize, const IN: bool, const OUT: bool>(
    operands: &Operands,
    context: Context,
    group: usize,
    bits: u64,
    blends: bool,
    lane: &impl Fn(Context, A::Value, B::Value, C::Value, bool) -> (R::Value, bool),
) -> u64
where
    F: Form,
    A: Lane,
    B: Lane,
    C: Lane,
    R: Lane,
{
    let a = operands.load::<F, A>(0, group);
    let b = operands.load::<F, B>(1, group);
    let c = if COUNT > 2 {
        operands.load::<F, C>(2, group)
    } else {
        [C::uniform(0); GROUP]
    };
    let bits = mask_lanes::<F>((bits >> (GROUP * group)) as u16);
    let (values, out);
    if F::AVX512 {
        // Asked for twice, once for each result: then both become host vectors.
        values = lanes(
            #[inline(always)]
            |i| lane(context, a[i], b[i], c[i], bits[i] != 0).0,
        );
        out = lanes(
            #[inline(always)]
            |i| lane(context, a[i], b[i], c[i], bits[i] != 0).1,
        );
    } else {
        let pairs: [(R::Value, bool); GROUP] = lanes(
            #[inline(always)]
            |i| lane(context, a[i], b[i], c[i], bits[i] != 0),
        );
        values = lanes(
            #[inline(always)]
            |i| pairs[i].0,
        );
        out = lanes(
            #[inline(always)]
            |i| pairs[i].1,
        );
    }
    if blends {
        operands.store_active::<R>(group, values);
    } else {
        operands.store::<R>(group, values);
    }
    if !OUT {
        return 0;
    }
    u64::from(lanes_mask::<F>(out)) << (GROUP * group)
}

#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn with_masks_any<V, F, A, B, C, R, const COUNT: usize, const IN: bool, const OUT: bool>(
    wave: &mut Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
    lane: impl Fn(Context, A::Value, B::Value, C::Value, bool) -> (R::Value, bool),
) -> u32
where
    V: VectorBody,
    F: Form,
    A: Lane,
    B: Lane,
    C: Lane,
    R: Lane,
{
    other_modes!(wave, op, env, V, F);
    let context = context::<F>(wave, op);
    let types = [A::TYPE, B::TYPE, C::TYPE];
    let bits = if IN {
        wave.mask(op.vector().mask_src as usize)
    } else {
        0
    };
    let groups = first_group::<F>(wave)..wave.groups();
    let blends = blends::<V, F>();
    // SAFETY: what callers of bodies promise; the row has these types.
    let operands = unsafe {
        if blends {
            wave.wide_operands::<F, COUNT>(op, types, R::TYPE)
        } else {
            wave.operands::<F, COUNT>(op, types, R::TYPE)
        }
    };
    let mut mask = 0;
    let after = if blends {
        each_group(
            groups.end,
            #[inline(always)]
            |group| {
                mask |= masked_group::<F, A, B, C, R, COUNT, IN, OUT>(
                    &operands, context, group, bits, true, &lane,
                );
            },
        );
        u32::from(op.after)
    } else {
        for group in groups {
            mask |= masked_group::<F, A, B, C, R, COUNT, IN, OUT>(
                &operands, context, group, bits, false, &lane,
            );
        }
        wave.deliver::<F>(op, R::TYPE.words())
    };
    if OUT {
        let mask = mask & wave.exec();
        wave.set_mask(op.vector().mask_dst as usize, mask);
    }
    after
}

#[cfg(target_arch = "x86_64")]
compiled_for! { Avx2:
    /// # Safety
    /// The host has what forms with AVX2 stand for.
    #[inline(never)]
    #[allow(clippy::too_many_arguments)]
    unsafe fn with_masks_outlined<
        V,
        F,
        A,
        B,
        C,
        R,
        const COUNT: usize,
        const IN: bool,
        const OUT: bool,
    >(
        wave: &mut Wave,
        op: &MicroOp,
        env: &mut Env<'_>,
        lane: impl Fn(Context, A::Value, B::Value, C::Value, bool) -> (R::Value, bool),
    ) -> u32
    where
        V: VectorBody,
        F: Form,
        A: Lane,
        B: Lane,
        C: Lane,
        R: Lane,
    {
        with_masks_any::<V, F, A, B, C, R, COUNT, IN, OUT>(wave, op, env, lane)
    }
}

/// Two sources, a vector result and a carry.
#[inline(always)]
pub(super) fn carry_out2<V: VectorBody, F: Form, A: Lane, B: Lane, R: Lane>(
    wave: &mut Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
    lane: impl Fn(Context, A::Value, B::Value) -> (R::Value, bool),
) -> u32 {
    with_masks::<V, F, A, B, B32, R, 2, false, true>(
        wave,
        op,
        env,
        #[inline(always)]
        |context, a, b, _, _| lane(context, a, b),
    )
}

/// Two sources and a carry, a vector result and a carry.
#[inline(always)]
pub(super) fn carry_in_out2<V: VectorBody, F: Form, A: Lane, B: Lane, R: Lane>(
    wave: &mut Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
    lane: impl Fn(Context, A::Value, B::Value, bool) -> (R::Value, bool),
) -> u32 {
    with_masks::<V, F, A, B, B32, R, 2, true, true>(
        wave,
        op,
        env,
        #[inline(always)]
        |context, a, b, _, carry| lane(context, a, b, carry),
    )
}

/// Three sources, a vector result and a mask.
#[inline(always)]
pub(super) fn carry_out3<V: VectorBody, F: Form, A: Lane, B: Lane, C: Lane, R: Lane>(
    wave: &mut Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
    lane: impl Fn(Context, A::Value, B::Value, C::Value) -> (R::Value, bool),
) -> u32 {
    with_masks::<V, F, A, B, C, R, 3, false, true>(
        wave,
        op,
        env,
        #[inline(always)]
        |context, a, b, c, _| lane(context, a, b, c),
    )
}

/// Three sources and VCC, a vector result.
#[inline(always)]
pub(super) fn carry_in3<V: VectorBody, F: Form, A: Lane, B: Lane, C: Lane, R: Lane>(
    wave: &mut Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
    lane: impl Fn(Context, A::Value, B::Value, C::Value, bool) -> R::Value,
) -> u32 {
    with_masks::<V, F, A, B, C, R, 3, true, false>(
        wave,
        op,
        env,
        #[inline(always)]
        |context, a, b, c, bit| (lane(context, a, b, c, bit), false),
    )
}

/// Two sources selected by a lane mask.
#[inline(always)]
pub(super) fn select<V: VectorBody, F: Form, A: Lane>(
    wave: &mut Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
) -> u32 {
    with_masks::<V, F, A, A, B32, A, 2, true, false>(
        wave,
        op,
        env,
        #[inline(always)]
        |_, a, b, _, bit| (if bit { b } else { a }, false),
    )
}

/// A comparison: mask of active lanes for which `lane` holds.
#[inline(always)]
pub(super) fn compare<V: VectorBody, F: Form, A: Lane, B: Lane>(
    wave: &mut Wave,
    op: &MicroOp,
    lane: impl Fn(Context, A::Value, B::Value) -> bool,
) -> u64 {
    let context = context::<F>(wave, op);
    let (wide, groups) = (wave.wide != 0, wave.groups());
    let types = [A::TYPE, B::TYPE, Type::None];
    // SAFETY: what callers of bodies promise; the row has these types.
    let operands = unsafe { wave.operands::<F, 2>(op, types, Type::None) };
    if V::HOT && F::USUAL && F::AVX2 && wide {
        let mut mask = 0;
        each_group(
            groups,
            #[inline(always)]
            |group| mask |= compared_group::<F, A, B>(&operands, context, group, &lane),
        );
        return mask;
    }
    let mut mask = 0u64;
    for group in 0..groups {
        mask |= compared_group::<F, A, B>(&operands, context, group, &lane);
    }
    mask & wave.exec()
}

/// Lanes of `group` for which `lane` holds, as bits in place.
#[inline(always)]
fn compared_group<F: Form, A: Lane, B: Lane>(
    operands: &Operands,
    context: Context,
    group: usize,
    lane: &impl Fn(Context, A::Value, B::Value) -> bool,
) -> u64 {
    let a = operands.load::<F, A>(0, group);
    let b = operands.load::<F, B>(1, group);
    let holds: [bool; GROUP] = lanes(
        #[inline(always)]
        |i| lane(context, a[i], b[i]),
    );
    u64::from(lanes_mask::<F>(holds)) << (GROUP * group)
}

/// [`pack`], to a mask register where the host has them.
#[inline(always)]
fn lanes_mask<F: Form>(holds: [bool; GROUP]) -> u16 {
    #[cfg(target_arch = "x86_64")]
    if F::AVX512 {
        use std::arch::x86_64::{__m512i, _mm512_movepi32_mask};
        let words: [u32; GROUP] = lanes(
            #[inline(always)]
            |i| if holds[i] { !0 } else { 0 },
        );
        // SAFETY: forms with AVX-512 exist only where the host has it; the types have equal size.
        return unsafe {
            _mm512_movepi32_mask(std::mem::transmute::<[u32; GROUP], __m512i>(words))
        };
    }
    pack(holds)
}

/// [`unpack`], from a mask register where the host has them.
#[inline(always)]
fn mask_lanes<F: Form>(mask: u16) -> [u32; GROUP] {
    #[cfg(target_arch = "x86_64")]
    if F::AVX512 {
        use std::arch::x86_64::{__m512i, _mm512_movm_epi32};
        // SAFETY: forms with AVX-512 exist only where the host has it; the types have equal size.
        return unsafe { std::mem::transmute::<__m512i, [u32; GROUP]>(_mm512_movm_epi32(mask)) };
    }
    unpack(mask)
}

/// One word of zero or non-zero per lane.
#[inline(always)]
pub(super) fn unpack(mask: u16) -> [u32; GROUP] {
    let mask = u32::from(mask);
    lanes(
        #[inline(always)]
        |lane| mask & (1 << lane),
    )
}

pub(super) use other_modes;
