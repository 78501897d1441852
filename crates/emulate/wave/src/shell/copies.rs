//! The shells that bodies are inlined into: a function for each level, of which there is a copy for each body.
//!
//! Each is in a module of its own. rustc makes one unit of all copies of a module's functions, and compiles a unit on one thread. In one
//! module, all copies were more than half of this crate. They kept one processor busy while the others waited.

pub(super) use base::base;
pub(super) use base_vector::base_vector;
#[cfg(target_arch = "x86_64")]
pub(super) use {avx2::avx2, avx2_vector::avx2_vector};
#[cfg(all(target_arch = "x86_64", wide))]
pub(super) use {
    avx512::avx512, avx512_vector::avx512_vector, fp16_vector::fp16_vector, moving::moving,
};

mod base {
    use crate::{engine::Env, micro_op::MicroOp, shell::Body, state::Wave};

    pub(in crate::shell) fn base<B: Body>(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        B::run(wave, op, env)
    }
}

mod base_vector {
    use crate::{
        engine::Env,
        micro_op::MicroOp,
        shell::{Form, VectorBody},
        state::Wave,
    };

    pub(in crate::shell) fn base_vector<B: VectorBody, F: Form>(
        wave: &mut Wave,
        op: &MicroOp,
        env: &mut Env<'_>,
    ) -> u32 {
        B::run::<F>(wave, op, env)
    }
}

/// `copy! { Avx2: avx2 }` is for bodies, `copy! { Avx2: avx2_vector, Form }` for those of the vector ALU.
#[cfg(target_arch = "x86_64")]
macro_rules! copy {
    ($level:ident: $name:ident) => {
        mod $name {
            use crate::{engine::Env, micro_op::MicroOp, shell::Body, state::Wave};

            vectors::compiled_for! { $level:
            pub(in crate::shell) fn $name<B: Body>(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
                B::run(wave, op, env)
            }
            }
        }
    };
    ($level:ident: $name:ident, Form) => {
        mod $name {
            use crate::{
                engine::Env,
                micro_op::MicroOp,
                shell::{Form, VectorBody},
                state::Wave,
            };

            vectors::compiled_for! { $level:
            pub(in crate::shell) fn $name<B: VectorBody, F: Form>(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
                B::run::<F>(wave, op, env)
            }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
copy! { Avx2: avx2 }
#[cfg(all(target_arch = "x86_64", wide))]
copy! { Avx512: avx512 }
#[cfg(target_arch = "x86_64")]
copy! { Avx2: avx2_vector, Form }
#[cfg(all(target_arch = "x86_64", wide))]
copy! { Avx512: avx512_vector, Form }
#[cfg(all(target_arch = "x86_64", wide))]
copy! { Fp16: fp16_vector, Form }

#[cfg(all(target_arch = "x86_64", wide))]
mod moving {
    use crate::{engine::Env, micro_op::MicroOp, passes, shell::VectorBody, state::Wave};

    vectors::compiled_for! { Avx512:
    pub(in crate::shell) unsafe fn moving<B: VectorBody, const COUNT: usize>(
        wave: &mut Wave,
        op: &MicroOp,
        env: &mut Env<'_>,
    ) -> u32 {
        // SAFETY: what callers of handlers promise. The function is compiled for AVX-512, and put into ops that decoding makes for waves of
        // `COUNT` groups.
        unsafe { passes::moving::run::<B, COUNT>(wave, op, env) }
    }
    }
}
