//! Vector instructions that move values between lanes or to the scalar registers outside of DPP and LDS.

use super::{Destination, Row, Shape, VectorShape};
use crate::{
    engine::Env,
    micro_op::{MicroOp, flow},
    ports::Type,
    shell::{self, Body},
    state::Wave,
};

struct ReadLane;

impl Body for ReadLane {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let lane = wave.uniform(op, 1) as u32 & (wave.wave_size - 1);
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
        let value = wave.uniform(op, 0) as u32;
        let lane = wave.uniform(op, 1) as u32 & (wave.wave_size - 1);
        wave.row_mut(op.dst as usize).0[lane as usize] = value;
        flow::NEXT
    }
}

/// `v_permlane16` and `v_permlanex16`: within each row of 16 (or from the other row of a pair) lane i reads the lane that
/// nibble i of {S2, S1} names. op_sel[0] fetches inactive lanes, op_sel[1] makes unreadable lanes read zero.
struct PermLane16<const CROSS: bool>;

impl<const CROSS: bool> Body for PermLane16<CROSS> {
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let exec = wave.exec();
        let selectors =
            wave.uniform(op, 1) as u32 as u64 | (wave.uniform(op, 2) as u32 as u64) << 32;
        let fetch_inactive = op.vector().op_sel() & 1 != 0;
        let bound_control = op.vector().op_sel() & 2 != 0;
        let source: [u32; crate::LANES] = std::array::from_fn(|lane| wave.lane_value(op, 0, lane));
        for lane in 0..wave.wave_size as usize {
            if exec >> lane & 1 == 0 {
                continue;
            }
            let row = (lane & !15) ^ if CROSS { 16 } else { 0 };
            let from = row | (selectors >> (4 * (lane & 15)) & 15) as usize;
            if fetch_inactive || exec >> from & 1 != 0 {
                wave.row_mut(op.dst as usize).0[lane] = source[from];
            } else if bound_control {
                wave.row_mut(op.dst as usize).0[lane] = 0;
            }
        }
        flow::NEXT
    }
}

/// `v_permlane16_var` and `v_permlanex16_var` (gfx12): as the others, but every lane names its source itself.
struct PermLane16Each<const CROSS: bool>;

impl<const CROSS: bool> Body for PermLane16Each<CROSS> {
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let exec = wave.exec();
        let fetch_inactive = op.vector().op_sel() & 1 != 0;
        let bound_control = op.vector().op_sel() & 2 != 0;
        let source: [u32; crate::LANES] = std::array::from_fn(|lane| wave.lane_value(op, 0, lane));
        let select: [u32; crate::LANES] = std::array::from_fn(|lane| wave.lane_value(op, 1, lane));
        for lane in (0..wave.wave_size as usize).filter(|lane| exec >> lane & 1 != 0) {
            let row = (lane & !15) ^ if CROSS { 16 } else { 0 };
            let from = row | (select[lane] & 15) as usize;
            if fetch_inactive || exec >> from & 1 != 0 {
                wave.row_mut(op.dst as usize).0[lane] = source[from];
            } else if bound_control {
                wave.row_mut(op.dst as usize).0[lane] = 0;
            }
        }
        flow::NEXT
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
        shell::handler::<PermLane16<false>>,
        [B32, B32, B32],
        B32,
        Destination::Vector,
    );
    push(
        "v_permlanex16_b32",
        shell::handler::<PermLane16<true>>,
        [B32, B32, B32],
        B32,
        Destination::Vector,
    );
    push(
        "v_permlane16_var_b32",
        shell::handler::<PermLane16Each<false>>,
        [B32, B32, None],
        B32,
        Destination::Vector,
    );
    push(
        "v_permlanex16_var_b32",
        shell::handler::<PermLane16Each<true>>,
        [B32, B32, None],
        B32,
        Destination::Vector,
    );
}
