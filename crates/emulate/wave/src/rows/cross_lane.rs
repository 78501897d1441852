//! Vector instructions that move values between lanes or to the scalar registers outside of DPP and LDS.

use super::{Destination, Row, Shape, VectorShape};
use crate::{
    engine::Env,
    micro_op::{MicroOp, flow},
    ports::{Type, lanes},
    shell::{self, Body},
    state::{VectorRow, Wave},
};
#[cfg(target_arch = "x86_64")]
use crate::{
    micro_op::SrcKind,
    passes::moved::{self, Sources},
};

struct ReadLane;

impl Body for ReadLane {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let lane = wave.uniform32(op, 1) & (wave.wave_size - 1);
        wave.scalars.0[op.dst as usize] = wave.lane_value(op, 0, lane as usize);
        u32::from(op.after)
    }
}

/// With EXEC zero lane 0 is read.
struct ReadFirstLane;

impl Body for ReadFirstLane {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let exec = wave.exec();
        let lane = if exec == 0 { 0 } else { exec.trailing_zeros() };
        wave.scalars.0[op.dst as usize] = wave.lane_value(op, 0, lane as usize);
        u32::from(op.after)
    }
}

struct WriteLane;

impl Body for WriteLane {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let value = wave.uniform32(op, 0);
        let lane = wave.uniform32(op, 1) & (wave.wave_size - 1);
        wave.row_mut(op.dst as usize).0[lane as usize] = value;
        flow::NEXT
    }
}

/// `v_permlane16` and `v_permlanex16`: within each row of 16 (or from the other row of a pair) lane i reads the lane that
/// nibble i of {S2, S1} names. op_sel[0] fetches inactive lanes, op_sel[1] makes unreadable lanes read zero.
struct PermLane16<const CROSS: bool>;

impl<const CROSS: bool> Body for PermLane16<CROSS> {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let selectors = wave.uniform32(op, 1) as u64 | (wave.uniform32(op, 2) as u64) << 32;
        let within = lanes(
            #[inline(always)]
            |lane| (selectors >> (4 * (lane & 15))) as u32 & 15,
        );
        permute::<CROSS>(wave, op, &VectorRow(within));
        flow::NEXT
    }
}

/// `v_permlane16_var` and `v_permlanex16_var` (gfx12): as the others, but every lane names its source itself.
struct PermLane16Each<const CROSS: bool>;

impl<const CROSS: bool> Body for PermLane16Each<CROSS> {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let within = lanes(
            #[inline(always)]
            |lane| wave.lane_value(op, 1, lane) & 15,
        );
        permute::<CROSS>(wave, op, &VectorRow(within));
        flow::NEXT
    }
}

/// Writes active lanes from those of the same row of 16, or of the other one of a pair, that `within` names.
#[inline(always)]
fn permute<const CROSS: bool>(wave: &mut Wave, op: &MicroOp, within: &VectorRow) {
    let fetch_inactive = op.vector().op_sel() & 1 != 0;
    let bound_control = op.vector().op_sel() & 2 != 0;
    let (all, exec) = (fetch_inactive || wave.all_lanes, wave.exec());
    #[cfg(target_arch = "x86_64")]
    if wave.avx512 && op.src[0].kind == SrcKind::Vector {
        let sources = Sources {
            within,
            groups: if CROSS { [1, 0, 3, 2] } else { [0, 1, 2, 3] },
            exists: !0,
        };
        // SAFETY: the host has AVX-512.
        unsafe {
            match wave.groups() {
                4 => permute512::<4>(&sources, wave, op, (all, bound_control)),
                _ => permute512::<2>(&sources, wave, op, (all, bound_control)),
            }
        }
        return;
    }
    let source: [u32; crate::LANES] = lanes(
        #[inline(always)]
        |lane| wave.lane_value(op, 0, lane),
    );
    for lane in (0..wave.wave_size as usize).filter(|lane| exec >> lane & 1 != 0) {
        let row = (lane & !15) ^ if CROSS { 16 } else { 0 };
        let from = row | within.0[lane] as usize;
        if all || exec >> from & 1 != 0 {
            wave.row_mut(op.dst as usize).0[lane] = source[from];
        } else if bound_control {
            wave.row_mut(op.dst as usize).0[lane] = 0;
        }
    }
}

/// [`permute`] of `COUNT` groups: lanes that are off can be read if `all`, and those that cannot read get zeros if `bound`.
///
/// # Safety
/// The host has AVX-512 F, and source 0 is a vector row.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn permute512<const COUNT: usize>(
    sources: &Sources<'_>,
    wave: &mut Wave,
    op: &MicroOp,
    (all, bound): (bool, bool),
) {
    // SAFETY: the caller's promise about the host.
    unsafe {
        let readable = sources.readable::<COUNT>((!all).then_some(&wave.exec_lanes));
        let moved = sources.words::<COUNT>(readable, wave.row(op.src[0].index as usize));
        let written = wave.exec() & if bound { !0 } else { readable };
        moved::store(moved, written, wave.row_mut(op.dst as usize));
    }
}

/// Appends this file's rows.
pub(super) fn rows(rows: &mut Vec<Row>) {
    let mut push = |mnemonic, handler, sources, result, destination| {
        let shape = Shape::Vector(VectorShape {
            sources,
            result,
            destination,
            ..VectorShape::NONE
        });
        rows.push(Row {
            mnemonic,
            shape,
            handler,
            changes_exec: false,
        });
    };
    use Type::{B32, None};
    push(
        "v_readlane_b32",
        shell::handler::<ReadLane>,
        [B32, B32, None],
        None,
        Destination::Scalar,
    );
    push(
        "v_readfirstlane_b32",
        shell::handler::<ReadFirstLane>,
        [B32, None, None],
        None,
        Destination::Scalar,
    );
    push(
        "v_writelane_b32",
        shell::handler::<WriteLane>,
        [B32, B32, None],
        B32,
        Destination::Vector,
    );
    push(
        "v_permlane16_b32",
        shell::wide_handler::<PermLane16<false>>,
        [B32, B32, B32],
        B32,
        Destination::Vector,
    );
    push(
        "v_permlanex16_b32",
        shell::wide_handler::<PermLane16<true>>,
        [B32, B32, B32],
        B32,
        Destination::Vector,
    );
    push(
        "v_permlane16_var_b32",
        shell::wide_handler::<PermLane16Each<false>>,
        [B32, B32, None],
        B32,
        Destination::Vector,
    );
    push(
        "v_permlanex16_var_b32",
        shell::wide_handler::<PermLane16Each<true>>,
        [B32, B32, None],
        B32,
        Destination::Vector,
    );
}
