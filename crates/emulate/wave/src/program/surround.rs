//! Puts passes around a vector ALU instruction's own micro-op.

use gfx::Family;

use super::Config;
use crate::{
    fields::bits,
    micro_op::{Completion, Control, Handler, MicroOp, Pass, Src, SrcKind, Vector, flow, modifier},
    passes,
    ports::{Type, has_form},
    rows::{Destination, VectorShape},
    shell::{self, Handlers},
    state::LANES,
};

/// Appends `op` with the passes that its operands need, and picks its body.
pub(super) fn surround(
    config: &Config,
    shape: &VectorShape,
    handlers: Handlers,
    op: MicroOp,
    ops: &mut Vec<MicroOp>,
) -> Result<(), String> {
    let mut op = op;
    // Integers saturate in the body for any mode.
    let saturates = op.vector().clamp() && !is_float(shape.result);
    op.handler = if saturates {
        handlers.general
    } else {
        handlers.vector
    };
    let mut may_be_uniform = !saturates;
    for index in 0..shape.source_count() {
        let kind = shape.sources[index];
        let row = passes::source_row(config.vector_rows, index);
        let pass = |op: &MicroOp, handler: fn() -> Handler, parameters| {
            let pass = Pass::new(index, kind.words(), parameters);
            let mut before = MicroOp::new(handler()).with(pass.before(op.vector().control_word));
            before.src[index] = op.src[index];
            before.dst = row;
            before
        };
        let mut passed: Vec<passes::PassCall> = Vec::new();
        if index == 0
            && op.src[0].kind == SrcKind::Vector
            && let Some(handler) = shape.moved_source
        {
            passed.push((handler, [0; 3]));
        }
        if op.vector().control == Control::SDWA
            && index < 2
            && let Some(parameters) = passes::sdwa_selection(op.vector().control_word, index)
        {
            passed.push((
                shell::handler::<passes::SdwaSelect> as fn() -> Handler,
                parameters,
            ));
        }
        if op.vector().control == Control::DPP16 && index == 0 {
            let lanes = passes::static_lanes(op.vector().control_word);
            let parameters = [lanes as u32, (lanes >> 32) as u32, 0];
            passed.push((shell::vector_handler::<passes::DppEnter>, parameters));
        }
        if op.vector().control == Control::DPP8 && index == 0 {
            passed.push((shell::handler::<passes::Dpp8Enter>, [0; 3]));
        }
        if let Some(parameters) = passes::widening(&op, index, kind) {
            if passed.is_empty()
                && op.src[index].kind == SrcKind::Vector
                && passes::modification(&op, index, kind).is_none()
            {
                // The body loads halves itself.
                op.src[index] = Src::mixed(op.src[index].index, 1 + parameters[0] / 16);
                continue;
            }
            passed.push((shell::handler::<passes::Widen>, parameters));
        }
        let mut modification = passes::modification(&op, index, kind);
        if kind == Type::PackedF32 {
            op.vector_mut().modifiers |= modifier::PAIR;
            if op.src[index].kind != SrcKind::Vector {
                if may_be_uniform
                    && has_form(op.src[index].kind)
                    && handlers.uniform[index].is_some()
                {
                    modification = None;
                }
            } else if let Some((first, second)) = passes::pair_rows(&op, index) {
                let distance = LANES as i32 * (second - i32::from(first));
                op.src[index] = Src::pair(op.src[index].index + first, distance);
                continue;
            }
        }
        passed.extend(modification);
        if op.src[index].kind != SrcKind::Vector {
            if passed.is_empty()
                && may_be_uniform
                && has_form(op.src[index].kind)
                && let Some(handler) = handlers.uniform[index]
            {
                op.handler = handler;
                may_be_uniform = false;
                continue;
            }
            passed.insert(0, (shell::handler::<passes::Splat>, [0; 3]));
        }
        for (handler, parameters) in passed {
            ops.push(pass(&op, handler, parameters));
            op.src[index] = Src::vector(row);
        }
        // Now the source is a row whose lanes lie as in any other.
        match kind {
            Type::PackedF32 => op.src[index] = Src::pair(op.src[index].index, LANES as i32),
            Type::Mix => op.src[index] = Src::mixed(op.src[index].index, 0),
            _ => {}
        }
    }
    let after = op.after;
    let mut behind = Vec::new();
    if needs_finish(config, shape, op.vector_mut()) {
        if shape.moved_source.is_some() {
            return Err("part of a register that M0 chooses".into());
        }
        let completion = Completion::new(op.vector(), shape.result);
        let mut finish = MicroOp::new(if passes::PlaceHalf::is_all(&completion) {
            shell::wide_handler::<passes::PlaceHalf>()
        } else {
            shell::handler::<passes::Finish>()
        })
        .with(completion);
        finish.dst = op.dst;
        behind.push(finish);
        op.dst = passes::result_row(config.vector_rows);
    }
    // (Comparisons that write EXEC have done so.)
    if op.vector().control == Control::DPP16 && !shape.writes_exec {
        behind.push(MicroOp::new(shell::handler::<passes::DppLeave>()));
    }
    if let Some(last) = behind.last_mut() {
        op.after = flow::NEXT as u8;
        last.after = after;
    }
    ops.push(op);
    ops.extend(behind);
    Ok(())
}

fn is_float(kind: Type) -> bool {
    matches!(
        kind,
        Type::F32 | Type::F64 | Type::F16 | Type::PackedF16 | Type::PackedF32 | Type::Mix
    )
}

/// Whether the result needs work behind the body: clamp, omod, op_sel or SDWA destination, half-register write.
fn needs_finish(config: &Config, shape: &VectorShape, vector: &mut Vector) -> bool {
    let half_result = matches!(shape.result, Type::B16 | Type::F16);
    if half_result && (config.target.family != Family::Gfx9 || shape.keep_high) {
        vector.modifiers |= modifier::PRESERVE_HIGH;
    }
    let output_modifiers = vector.modifiers & modifier::OUTPUT != 0;
    let partial = vector.modifiers & (1 << (modifier::OP_SEL + 3) | modifier::PRESERVE_HIGH) != 0;
    let sdwa_partial = vector.control == Control::SDWA && bits(vector.control_word, 10, 8) != 6;
    let byte = shape.result == Type::B8;
    shape.destination == Destination::Vector
        && (byte
            || is_float(shape.result) && output_modifiers
            || half_result && partial
            || sdwa_partial)
}
