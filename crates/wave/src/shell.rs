//! Multiversioning: each row's body compiled for several host vector extensions, chosen once at decode.

use std::sync::OnceLock;

use crate::{
    engine::Env,
    micro_op::{Handler, MicroOp},
    state::Wave,
};

/// A row's body, written once and inlined into every shell.
pub(crate) trait Body {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32;
}

/// Host vector extensions that shells exist for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Base,
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

fn level() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(|| {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
        {
            return Level::Avx2;
        }
        Level::Base
    })
}

/// Whether the host has what [`Level::Avx2`] stands for.
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_avx2() -> bool {
    level() == Level::Avx2
}

/// The handler of body `B` for this host.
pub(crate) fn handler<B: Body>() -> Handler {
    match level() {
        Level::Base => base::<B>,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => avx2::<B>,
    }
}

/// The handler of a body that gains nothing from vector extensions; half the code.
pub(crate) fn scalar_handler<B: Body>() -> Handler {
    base::<B>
}

fn base<B: Body>(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
    B::run(wave, op, env)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
fn avx2<B: Body>(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
    B::run(wave, op, env)
}

/// Calls a handler.
#[inline(always)]
pub(crate) fn call(handler: Handler, wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
    // SAFETY: every handler comes from `handler`, which picks a shell only if the host has the features it enables; the
    // bodies themselves are safe functions.
    unsafe { handler(wave, op, env) }
}
