//! An instruction whose first source DPP moves, as one micro-op.
//!
//! By passes it is up to three. The first one moves the source to a temporary row and switches lanes off that must not be written. The body
//! computes, and the last one switches the lanes on again. A row that is a function on host vectors ([`crate::rows::Function`]) needs no rows in
//! between. The passes do the rest: waves with another MODE, and results with a NaN.

use super::dpp::Reach;
use crate::{
    micro_op::{MicroOp, MovingNumber, SrcKind, flow},
    ports::Type,
    program::{Config, Lowered},
    rows::{Destination, VectorShape},
    state::{VectorRow, expand},
    translate,
};

#[cfg(all(target_arch = "x86_64", wide))]
mod run;

#[cfg(all(target_arch = "x86_64", wide))]
pub(crate) use run::run;

/// An instruction with DPP: the way that its source moves, and its micro-ops by passes.
#[cfg_attr(not(wide), allow(dead_code, reason = "the choice of copies"))]
#[derive(Debug)]
pub(crate) struct Moving {
    reach: Reach,
    /// Ones for lanes that the row and bank masks enable.
    enabled: VectorRow,
    /// The enabled lanes that a wave with all lanes on writes, and whether they are all.
    written: u64,
    writes_all: bool,
    pub ops: Vec<MicroOp>,
}

impl Moving {
    /// The instruction of a row with shape `shape`, and its micro-op as number `number` of the segment's list. `None`: it has no DPP, or
    /// passes alone do what it has beside that.
    pub fn new(
        config: &Config,
        shape: &VectorShape,
        lowered: &Lowered,
        number: usize,
    ) -> Option<(Moving, MicroOp)> {
        let handler = shape.handlers?().moving[usize::from(config.wave_size == 64)]?;
        let bare = &lowered.bare;
        let reach = Reach::of(bare.vector())?;
        let function = shape.function?()?;
        let plain = translate::is_lane_wise(shape)
            && shape.destination == Destination::Vector
            && shape.mask_result == function.carry.is_some()
            && shape.mask_source == function.takes_mask
            && shape.result != Type::PackedF32
            && bare.vector().modifiers & !translate::MODIFIERS == 0
            && lowered.ops.iter().all(|op| op.after == flow::NEXT as u8);
        let mut sources = bare.src[..shape.source_count()].iter();
        if !plain || sources.any(|source| source.kind != SrcKind::Vector) {
            return None;
        }
        let (mask_src, mask_dst) = (bare.vector().mask_src, bare.vector().mask_dst);
        let mut op = MicroOp::new(handler).with(MovingNumber::new(number, mask_src, mask_dst));
        (op.src, op.dst) = (bare.src, bare.dst);
        let (mut enabled, written) = (VectorRow::ZERO, reach.written());
        expand(reach.enabled, &mut enabled);
        let moving = Moving {
            enabled,
            written,
            writes_all: written == !0,
            reach,
            ops: lowered.ops.clone(),
        };
        Some((moving, op))
    }
}
