//! Hardware registers: `s_getreg_b32`, `s_setreg_b32` and `s_setreg_imm32_b32`.

use gfx::Family;

use super::{Row, ScalarShape, Shape, indexed};
use crate::{
    engine::{Env, Stop},
    micro_op::{Handler, MicroOp},
    mode::Mode,
    ports::Type,
    shell::{self, Body},
    state::{Wave, sreg},
};

/// MODE bits that gfx12 does not have. The wave keeps them set, because it behaves as others do that have them set.
const GONE_ON_GFX12: u32 = 3 << 8;

/// Takes a hwreg immediate apart: register, offset and mask of the field.
fn hardware_field(immediate: u16) -> (u16, u32, u32) {
    let size = u32::from(immediate >> 11) + 1;
    let offset = u32::from(immediate >> 6 & 31);
    (immediate & 63, offset, ((1u64 << size) - 1) as u32)
}

/// HW_ID (gfx9) and HW_ID1: wave slot and compute unit, stable and distinct.
fn hardware_id(wave: &Wave) -> u32 {
    wave.slot & 15 | (wave.slot >> 4 & 3) << 4 | (wave.slot >> 6 & 15) << 8
}

fn read(wave: &Wave, register: u16) -> u32 {
    match register {
        1 => wave.mode.bits(),
        2 => {
            u32::from(wave.scc)
                | u32::from(wave.exec() == 0) << 9
                | u32::from(wave.vcc() == 0) << 10
        }
        4 | 23 => hardware_id(wave),
        // XCC_ID of gfx94x.
        20 => wave.compute_die,
        15 => ((wave.shared_aperture >> 48) as u32) << 16 | (wave.private_aperture >> 48) as u32,
        _ => 0,
    }
}

/// gfx12's registers; what is not here has no meaning on the emulated device.
fn read_gfx12(wave: &Wave, env: &Env<'_>, register: u16) -> Option<u32> {
    let cycles = || env.host.core_time(env.program.config().target);
    Some(match register {
        1 => wave.mode.bits() & !GONE_ON_GFX12,
        2 => u32::from(wave.exec() == 0) << 9 | u32::from(wave.vcc() == 0) << 10,
        4 => u32::from(wave.scc) << 9,
        20 => wave.scratch_base as u32,
        21 => (wave.scratch_base >> 32) as u32,
        23 => hardware_id(wave),
        29 => cycles() as u32,
        30 => (cycles() >> 32) as u32,
        _ => return None,
    })
}

struct GetRegister;

impl Body for GetRegister {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let (register, offset, mask) = hardware_field(op.offset as u16);
        let family = env.program.config().target.family;
        let value = if family < Family::Gfx12 {
            Some(read(wave, register))
        } else {
            read_gfx12(wave, env, register)
        };
        let Some(value) = value else {
            let what = format!("s_getreg_b32 of hardware register {register}");
            return wave.stop(Stop::Unsupported(what));
        };
        wave.scalars.0[op.dst as usize] = value >> offset & mask;
        if family >= Family::Gfx12 && matches!(register, 29 | 30) {
            wave.clock_reads_left -= 1;
            if wave.clock_reads_left == 0 {
                // EXEC as a destination is brought up to date before the wave goes on.
                wave.sync_exec();
                return wave.stop(Stop::Sleep);
            }
        }
        u32::from(op.after)
    }
}

fn write(wave: &mut Wave, family: Family, immediate: u16, value: u32) {
    let (register, offset, mask) = hardware_field(immediate);
    let replaced = |old: u32| old & !(mask << offset) | (value & mask) << offset;
    match register {
        1 => {
            let kept = if family < Family::Gfx12 {
                0
            } else {
                GONE_ON_GFX12
            };
            wave.set_mode(Mode::new(replaced(wave.mode.bits()) | kept));
        }
        // FLAT_SCR_LO and FLAT_SCR_HI of gfx10.
        20 | 21 if family < Family::Gfx11 => {
            let slot = sreg::SINK + (register - 20) as usize;
            wave.scalars.0[slot] = replaced(wave.scalars.0[slot]);
        }
        // Other registers are privileged: writes have no effect.
        _ => {}
    }
}

/// `s_setreg_b32`, and `s_setreg_imm32_b32`, whose value is its literal.
struct SetRegister<const IMMEDIATE: bool>;

impl<const IMMEDIATE: bool> Body for SetRegister<IMMEDIATE> {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let value = if IMMEDIATE {
            op.constant[2]
        } else {
            wave.uniform(op, 0) as u32
        };
        let before = wave.mode.bits();
        write(
            wave,
            env.program.config().target.family,
            op.offset as u16,
            value,
        );
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
            }),
            handler,
            width: 0,
            attribute: 0,
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
