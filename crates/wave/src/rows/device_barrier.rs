//! Global wave sync: the device-wide barriers below cooperative launches.
//!
//! A resource holds how many waves are still to come, less one. The wave that finds zero releases all and sets the count for
//! the next use; the others wait, which here means that they let others run and look again.

use super::{Row, ds};
use crate::{
    engine::{Env, Stop},
    micro_op::{MicroOp, flow},
    shell::{self, Body},
    state::Wave,
};

/// Attribute of these rows: they may have the GDS bit set, though there is no GDS memory.
pub(crate) const DEVICE_BARRIER: u16 = 1 << 15;

/// M0 bits 21:16 plus the offset.
fn resource(wave: &Wave, op: &MicroOp) -> u32 {
    ((wave.m0() >> 16 & 0x3f) + op.offset as u32) & 0x3f
}

/// The operand in the first active lane.
fn count(wave: &Wave, op: &MicroOp) -> u32 {
    let lane = wave.exec().trailing_zeros() as usize & 63;
    wave.vgpr(op.src[0].index as usize, lane)
}

struct Init;

impl Body for Init {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        env.host.barrier_init(resource(wave, op), count(wave, op));
        flow::NEXT
    }
}

struct Arrive;

impl Body for Arrive {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let resource = resource(wave, op);
        let ticket = match wave.barrier_ticket {
            Some(ticket) => ticket,
            None => env.host.barrier_arrive(resource, count(wave, op)),
        };
        if env.host.barrier_passed(resource, ticket) {
            wave.barrier_ticket = None;
            return flow::NEXT;
        }
        wave.barrier_ticket = Some(ticket);
        wave.stop(Stop::Retry)
    }
}

/// Appends this file's rows.
pub(super) fn rows(rows: &mut Vec<Row>) {
    ds::push(rows, "ds_gws_init", DEVICE_BARRIER, shell::handler::<Init>);
    ds::push(
        rows,
        "ds_gws_barrier",
        DEVICE_BARRIER,
        shell::handler::<Arrive>,
    );
}
