//! `s_getreg_b32`, `s_setreg_b32` and `s_setreg_imm32_b32`. The registers are in [`crate::hwreg`].

use super::{Row, ScalarShape, Shape, indexed};
use crate::{
    engine::{Env, Stop},
    hwreg::Access,
    micro_op::{Handler, MicroOp},
    ports::Type,
    shell::{self, Body},
    state::Wave,
};

/// `s_getreg_b32`. Decode has checked that the register can be read.
struct GetRegister;

impl Body for GetRegister {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let access = Access::of(op.hardware_register());
        let (elapsed, waits) = match access.is_clock() {
            true => wave.look_at_clock(op, env),
            false => (0, false),
        };
        let value = access.read(wave, env, elapsed);
        wave.scalars.0[op.dst as usize] = value;
        after_look(wave, op, waits)
    }
}

/// How a wave goes on that has looked at a clock.
pub(super) fn after_look(wave: &mut Wave, op: &MicroOp, waits: bool) -> u32 {
    if waits {
        // EXEC as a destination is brought up to date before the wave goes on.
        wave.sync_exec();
        return wave.stop(Stop::Sleep);
    }
    u32::from(op.after)
}

/// `s_setreg_b32`, and `s_setreg_imm32_b32`, whose value is its literal.
struct SetRegister<const IMMEDIATE: bool>;

impl<const IMMEDIATE: bool> Body for SetRegister<IMMEDIATE> {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let value = if IMMEDIATE {
            op.hardware_register().literal
        } else {
            wave.uniform32(op, 0)
        };
        let before = wave.mode.bits();
        Access::of(op.hardware_register()).write(wave, env, value);
        indexed::follow_mode(wave, op, env, before)
    }
}

/// Appends this file's rows.
pub(super) fn rows(rows: &mut Vec<Row>) {
    use Type::{B32, None};
    let mut push = |mnemonic, handler, source, result| {
        rows.push(Row {
            mnemonic,
            shape: Shape::Scalar(ScalarShape {
                sources: [source, None, None],
                result,
                pure: false,
            }),
            handler,
            changes_exec: false,
        });
    };
    let get = shell::scalar_handler::<GetRegister> as fn() -> Handler;
    push("s_getreg_b32", get, None, B32);
    push(
        "s_setreg_b32",
        shell::handler::<SetRegister<false>>,
        B32,
        None,
    );
    push(
        "s_setreg_imm32_b32",
        shell::handler::<SetRegister<true>>,
        None,
        None,
    );
}
