//! Program control: branches, barriers, messages, waits and hints (SOPP), and hints in other encodings.

use super::{Row, Shape};
use crate::{
    engine::{Env, Stop},
    micro_op::{Handler, MicroOp, flow},
    mode::Mode,
    shell::{self, Body},
    state::Wave,
};

/// Instructions without effect in an in-order model with coherent memory.
#[rustfmt::skip]
const NOPS: &[&str] = &[
    "s_nop", "s_waitcnt", "s_waitcnt_vscnt", "s_waitcnt_vmcnt", "s_waitcnt_expcnt", "s_waitcnt_lgkmcnt", "s_waitcnt_depctr",
    "s_setprio", "s_clause", "s_inst_prefetch", "s_icache_inv", "s_ttracedata", "s_ttracedata_imm",
    "s_incperflevel", "s_decperflevel", "s_setkill", "s_wakeup", "s_code_end", "s_version", "s_wait_idle", "v_clrexcp", "v_nop",
    "s_dcache_wb", "s_dcache_inv", "s_dcache_wb_vol", "s_dcache_inv_vol", "s_gl1_inv", "s_atc_probe", "s_atc_probe_buffer",
    "s_dcache_discard", "s_dcache_discard_x2",
    "buffer_wbinvl1", "buffer_wbinvl1_vol", "buffer_wbl2", "buffer_invl2", "buffer_gl0_inv", "buffer_gl1_inv", "buffer_inv", "v_pipeflush",
    // Split counters and prefetches of gfx12.
    "s_wait_loadcnt", "s_wait_storecnt", "s_wait_samplecnt", "s_wait_bvhcnt", "s_wait_expcnt", "s_wait_dscnt", "s_wait_kmcnt",
    "s_wait_loadcnt_dscnt", "s_wait_storecnt_dscnt", "s_wait_alu",
    "s_prefetch_inst", "s_prefetch_inst_pc_rel", "s_prefetch_data", "s_prefetch_data_pc_rel", "s_buffer_prefetch_data",
    "global_inv", "global_wb", "global_wbinv",
    "s_delay_alu", "s_wait_event",
    "s_cbranch_cdbgsys", "s_cbranch_cdbguser", "s_cbranch_cdbgsys_or_user", "s_cbranch_cdbgsys_and_user",
];

fn branch_if(wave: &mut Wave, op: &MicroOp, taken: bool) -> u32 {
    if taken {
        wave.next = op.program().branch_target as usize;
        flow::BRANCH
    } else {
        flow::NEXT
    }
}

macro_rules! control_rows {
    ($($name:ident = |$wave:ident, $op:ident, $env:pat_param| $body:expr;)*) => {$(
        #[allow(non_camel_case_types)]
        struct $name;
        impl Body for $name {
            #[inline(always)]
            fn run($wave: &mut Wave, $op: &MicroOp, $env: &mut Env<'_>) -> u32 {
                $body
            }
        }
    )*
    fn table_rows(rows: &mut Vec<Row>) {
        $(rows.push(row::<$name>(stringify!($name), Shape::Program));)*
    }};
}

#[rustfmt::skip]
control_rows! {
    s_branch         = |wave, op, _| branch_if(wave, op, true);
    s_cbranch_scc0   = |wave, op, _| branch_if(wave, op, !wave.scc);
    s_cbranch_scc1   = |wave, op, _| branch_if(wave, op, wave.scc);
    s_cbranch_vccz   = |wave, op, _| branch_if(wave, op, wave.vcc() == 0);
    s_cbranch_vccnz  = |wave, op, _| branch_if(wave, op, wave.vcc() != 0);
    s_cbranch_execz  = |wave, op, _| branch_if(wave, op, wave.exec() == 0);
    s_cbranch_execnz = |wave, op, _| branch_if(wave, op, wave.exec() != 0);
    // No stop of its own is an end: each wave comes here.
    s_endpgm         = |_wave, _op, _| flow::STOP;
    s_endpgm_saved   = |_wave, _op, _| flow::STOP;
    s_barrier        = |wave, _op, _| wave.stop(Stop::Barrier);
    s_sleep          = |wave, op, _| { wave.clock.sleep(op.program().immediate as u32 & 0x7f); wave.stop(Stop::Sleep) };
    s_trap           = |wave, op, _| wave.stop(Stop::Trap(op.program().immediate as u8));
    s_sendmsg        = |wave, op, env| { env.host.send_message(op.program().immediate as u32 & 0xffff, wave.m0()); flow::NEXT };
    s_sendmsghalt    = |wave, op, env| { env.host.send_message(op.program().immediate as u32 & 0xffff, wave.m0()); wave.stop(Stop::End) };
    s_sethalt        = |wave, op, _| if op.program().immediate & 1 != 0 { wave.stop(Stop::Trap(2)) } else { flow::NEXT };
    s_round_mode     = |wave, op, _| { wave.set_mode(Mode::new(wave.mode.bits() & !0xf | op.program().immediate as u32 & 0xf)); flow::NEXT };
    s_denorm_mode    = |wave, op, _| { wave.set_mode(Mode::new(wave.mode.bits() & !0xf0 | (op.program().immediate as u32 & 0xf) << 4)); flow::NEXT };
}

fn row<B: Body>(mnemonic: &'static str, shape: Shape) -> Row {
    Row {
        mnemonic,
        shape,
        handler: shell::handler::<B>,
        changes_exec: false,
    }
}

struct Nop;

impl Body for Nop {
    fn run(_: &mut Wave, _: &MicroOp, _: &mut Env<'_>) -> u32 {
        flow::NEXT
    }
}

/// The handler of an instruction without effect. Not in line: all callers get the address of the same copy.
#[inline(never)]
pub(crate) fn nop() -> Handler {
    shell::handler::<Nop>()
}

/// A wait of which [`crate::order`] is to know.
struct OrderStores;

impl Body for OrderStores {
    #[inline(always)]
    fn run(_: &mut Wave, _: &MicroOp, env: &mut Env<'_>) -> u32 {
        env.memory.settle_stores();
        flow::NEXT
    }
}

/// An invalidation of caches, behind which a wave reads what another one has written, where it may look at the clock then.
struct FollowOthers;

impl Body for FollowOthers {
    fn run(wave: &mut Wave, _: &MicroOp, env: &mut Env<'_>) -> u32 {
        wave.follow_others(env);
        flow::NEXT
    }
}

/// The handler of an instruction with [`isa::Traits::INVALIDATES`] in code that reads the clock.
pub(crate) fn follow_others() -> Handler {
    shell::scalar_handler::<FollowOthers>()
}

/// The handler of a wait where stores may be pending and other host threads read them.
pub(crate) fn order_stores() -> Handler {
    shell::scalar_handler::<OrderStores>()
}

/// Appends this file's rows.
pub(super) fn rows(rows: &mut Vec<Row>) {
    table_rows(rows);
    rows.extend(NOPS.iter().map(|mnemonic| row::<Nop>(mnemonic, Shape::Nop)));
}
