//! gfx12's barrier instructions. RDNA 4 has the workgroup's barrier, number -1; -2 is the trap handler's and does nothing
//! elsewhere, 0 is none, and positive numbers (named barriers) are reserved.

use super::{Row, ScalarShape, Shape};
use crate::{
    barrier::Arrival,
    engine::{Env, Stop},
    micro_op::{MicroOp, SrcKind, flow},
    ports::Type,
    shell::{self, Body},
    state::Wave,
};

const WORKGROUP: i32 = -1;
const TRAP: i32 = -2;

/// The barrier that the source names. M0 cannot name negative ones.
fn number(wave: &Wave, op: &MicroOp) -> i32 {
    match op.src[0].kind {
        SrcKind::Scalar => (wave.uniform(op, 0) & 31) as i32,
        _ => wave.uniform32(op, 0) as i32,
    }
}

fn reserved(wave: &mut Wave, what: &str, number: i32) -> u32 {
    let what = format!("{what} of barrier {number}: RDNA 4 has no named barriers");
    wave.stop(Stop::Unsupported(what))
}

/// `s_barrier_signal`, and `_isfirst`, which says so in SCC.
struct Signal<const IS_FIRST: bool>;

impl<const IS_FIRST: bool> Body for Signal<IS_FIRST> {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let first = match number(wave, op) {
            WORKGROUP => {
                if let Some(races) = &mut env.races {
                    races.arrives(wave.index_in_workgroup);
                }
                env.barrier.signal(wave.elapsed(), || Arrival {
                    wave: wave.index_in_workgroup,
                    pc: wave.pc_of(op),
                    exec: wave.exec(),
                })
            }
            TRAP | 0 => false,
            other => return reserved(wave, "s_barrier_signal", other),
        };
        if IS_FIRST {
            wave.scc = first;
        }
        flow::NEXT
    }
}

struct Wait;

impl Body for Wait {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        if op.program().immediate != WORKGROUP {
            return reserved(wave, "s_barrier_wait", op.program().immediate);
        }
        if env.barrier.pass(&mut wave.barriers_passed) {
            wave.clock.catch_up(env.barrier.latest());
            if let Some(races) = &mut env.races {
                races.passes(wave.index_in_workgroup);
            }
            return flow::NEXT;
        }
        wave.at_split_barrier = true;
        wave.stop(Stop::Barrier)
    }
}

struct GetState;

impl Body for GetState {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let state = match number(wave, op) {
            WORKGROUP => env.barrier.bits(),
            other => return reserved(wave, "s_get_barrier_state", other),
        };
        wave.scalars.0[op.dst as usize] = state;
        u32::from(op.after)
    }
}

/// `s_sleep_var`.
struct Sleep;

impl Body for Sleep {
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let units = wave.uniform32(op, 0) & 0x7f;
        wave.clock.sleep(units);
        wave.stop(Stop::Sleep)
    }
}

/// Appends this file's rows.
pub(super) fn rows(rows: &mut Vec<Row>) {
    fn push<B: Body>(rows: &mut Vec<Row>, mnemonic: &'static str, shape: Shape) {
        rows.push(Row {
            mnemonic,
            shape,
            handler: shell::scalar_handler::<B>,
            changes_exec: false,
        });
    }
    let scalar = |result| {
        Shape::Scalar(ScalarShape {
            sources: [Type::B32, Type::None, Type::None],
            result,
            pure: false,
        })
    };
    push::<Signal<false>>(rows, "s_barrier_signal", scalar(Type::None));
    push::<Signal<true>>(rows, "s_barrier_signal_isfirst", scalar(Type::None));
    push::<Wait>(rows, "s_barrier_wait", Shape::Program);
    push::<GetState>(rows, "s_get_barrier_state", scalar(Type::B32));
    push::<Sleep>(rows, "s_sleep_var", scalar(Type::None));
}
