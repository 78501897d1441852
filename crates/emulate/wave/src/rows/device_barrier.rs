//! Global wave sync: the device-wide barriers below cooperative launches, and semaphores.
//!
//! A barrier holds how many waves are still to come, less one. The wave that finds zero releases all and sets the count for
//! the next use; the others wait, which here means that they let others run and look again. A semaphore holds how many waves may
//! pass; the others wait in the order in which they came.

use super::{Row, Shape};
use crate::{
    engine::{Env, Stop},
    micro_op::{Data, Handler, MicroOp, flow},
    shell::{self, Body},
    state::Wave,
};

/// M0 bits 21:16 plus the offset.
fn resource(wave: &Wave, op: &MicroOp) -> u32 {
    ((wave.m0() >> 16 & 0x3f) + op.lds().offset) & 0x3f
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

/// Waits with the ticket that `ask` gives until it has `passed`.
fn wait(wave: &mut Wave, ask: impl FnOnce(&Wave) -> u64, passed: impl FnOnce(u64) -> bool) -> u32 {
    let ticket = wave.barrier_ticket.unwrap_or_else(|| ask(wave));
    if passed(ticket) {
        wave.barrier_ticket = None;
        return flow::NEXT;
    }
    wave.barrier_ticket = Some(ticket);
    wave.stop(Stop::Retry)
}

struct Arrive;

impl Body for Arrive {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let (host, resource) = (env.host, resource(wave, op));
        let arrive = |wave: &Wave| host.barrier_arrive(resource, count(wave, op));
        wait(wave, arrive, |ticket| host.barrier_passed(resource, ticket))
    }
}

struct Pass;

impl Body for Pass {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let (host, resource) = (env.host, resource(wave, op));
        let ask = |_: &Wave| host.semaphore_wait(resource);
        wait(wave, ask, |ticket| host.semaphore_passed(resource, ticket))
    }
}

struct ReleaseOne;

impl Body for ReleaseOne {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        env.host.semaphore_release(resource(wave, op), 1);
        flow::NEXT
    }
}

struct ReleaseMany;

impl Body for ReleaseMany {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        env.host
            .semaphore_release(resource(wave, op), count(wave, op));
        flow::NEXT
    }
}

struct ReleaseAll;

impl Body for ReleaseAll {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        env.host.semaphore_release_all(resource(wave, op));
        flow::NEXT
    }
}

/// Appends this file's rows.
#[rustfmt::skip]
pub(super) fn rows(rows: &mut Vec<Row>) {
    let mut push = |mnemonic, handler| rows.push(Row {
        mnemonic, shape: Shape::Lds { data: Data::Plain, gds: true, looks: false }, handler, changes_exec: false,
    });
    push("ds_gws_init",             shell::handler::<Init> as fn() -> Handler);
    push("ds_gws_barrier",          shell::handler::<Arrive>);
    push("ds_gws_sema_v",           shell::handler::<ReleaseOne>);
    push("ds_gws_sema_br",          shell::handler::<ReleaseMany>);
    push("ds_gws_sema_release_all", shell::handler::<ReleaseAll>);
    push("ds_gws_sema_p",           shell::handler::<Pass>);
}
