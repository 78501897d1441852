//! Instructions with an encoding of their own since gfx11: messages with an answer, and one LDS value for all lanes.

use super::{Row, Shape, hardware};
use crate::{
    access::lds,
    engine::{Env, Stop},
    micro_op::{MicroOp, flow},
    shell::{self, Body},
    state::{LANES, VectorRow, Wave},
};

/// `MSG_RTN_GET_REALTIME`.
const GET_REALTIME: u32 = 0x83;

/// `s_sendmsg_rtn_b32`, `s_sendmsg_rtn_b64`: the answer to a message. All others ask for what only trap handlers need.
struct Message;

impl Body for Message {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        if op.message().message != GET_REALTIME {
            let what = format!("s_sendmsg_rtn with message {:#x}", op.message().message);
            return wave.stop(Stop::Unsupported(what));
        }
        let (elapsed, waits) = wave.look_at_clock(op, env);
        let now = env.host.real_time(env.program.config().target, elapsed);
        if op.message().words == 1 {
            wave.scalars.0[op.dst as usize] = now as u32;
        } else {
            wave.set_scalar64(op.dst as usize, now);
        }
        hardware::after_look(wave, op, waits)
    }
}

/// `lds_direct_load`: M0 holds a byte address in bits 15:0 and a data type in bits 18:16.
struct DirectLoad;

impl Body for DirectLoad {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let m0 = wave.m0();
        let address = (m0 & 0xffff) as usize;
        let limit = lds::limit(wave, env) as usize;
        let byte = |index: usize| {
            let at = address + index;
            if at < limit { env.lds[at] } else { 0 }
        };
        let [a, b, c, d] = std::array::from_fn(byte);
        let value = match m0 >> 16 & 7 {
            0 => u32::from(a),
            1 => u32::from(u16::from_le_bytes([a, b])),
            2 => u32::from_le_bytes([a, b, c, d]),
            4 => a as i8 as i32 as u32,
            5 => i16::from_le_bytes([a, b]) as i32 as u32,
            kind => {
                let what = format!("lds_direct_load of data type {kind}");
                return wave.stop(Stop::Unsupported(what));
            }
        };
        let mask = wave.exec_lanes;
        let target: &mut VectorRow = wave.row_mut(op.dst as usize);
        for lane in 0..LANES {
            target.0[lane] = target.0[lane] & !mask.0[lane] | value & mask.0[lane];
        }
        flow::NEXT
    }
}

/// Appends this file's rows.
pub(super) fn rows(rows: &mut Vec<Row>) {
    let mut push = |mnemonic, shape, handler| {
        rows.push(Row {
            mnemonic,
            shape,
            handler,
            changes_exec: false,
        });
    };
    let message = shell::handler::<Message>;
    push(
        "s_sendmsg_rtn_b32",
        Shape::Message { words: 1 },
        message as fn() -> _,
    );
    push(
        "s_sendmsg_rtn_b64",
        Shape::Message { words: 2 },
        message as fn() -> _,
    );
    let load = shell::handler::<DirectLoad> as fn() -> _;
    push("lds_direct_load", Shape::LdsDirect, load);
}
