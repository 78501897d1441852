//! Puts passes around a vector ALU instruction's own micro-op.

use gfx::Family;

use super::Config;
use crate::{
    micro_op::{Completion, Control, MicroOp, Pass, Src, SrcKind, Vector, flow, modifier},
    passes,
    ports::{Type, has_form},
    rows::{Destination, VectorShape},
    shell::{self, Handlers},
    state::LANES,
};
use isa::fields::bits;

/// Appends `op` with the passes that its operands need, and picks its body.
pub(super) fn surround(
    config: &Config,
    shape: &VectorShape,
    handlers: Handlers,
    mut op: MicroOp,
    ops: &mut Vec<MicroOp>,
) -> Result<(), String> {
    // Integers saturate in the body for any mode.
    let saturates = op.vector().clamp() && !is_float(shape.result);
    op.handler = if saturates {
        handlers.general
    } else {
        handlers.vector
    };
    let mut inner = Inner {
        config,
        shape,
        handlers,
        uniform: 0,
        op,
    };
    if !saturates && inner.does_modifiers() {
        ops.push(inner.op);
        return Ok(());
    }
    if !saturates {
        inner.choose_uniform();
    }
    if let Some(copy) = inner.moved_copy() {
        ops.push(copy);
        return Ok(());
    }
    for index in 0..shape.source_count() {
        inner.source(index, ops);
    }
    inner.result(ops)
}

/// The instruction's own micro-op, while passes are put around it.
struct Inner<'a> {
    config: &'a Config,
    shape: &'a VectorShape,
    handlers: Handlers,
    /// Sources, one bit each, that the body reads as scalars or constants.
    uniform: usize,
    op: MicroOp,
}

impl Inner<'_> {
    /// Returns `true` if the body can do all modifiers; it is then the one that does.
    fn does_modifiers(&mut self) -> bool {
        let (Some(handler), shape) = (self.handlers.modified, self.shape) else {
            return false;
        };
        let mut unclamped = *self.op.vector();
        unclamped.modifiers &= !modifier::CLAMP;
        let does = shape.moved_source.is_none()
            && passes::is_modified(&self.op, shape.source_count(), shape.sources[0])
            && !needs_finish(self.config, shape, &mut unclamped);
        if does {
            self.op.handler = handler;
        }
        does
    }

    /// The one micro-op of an instruction that does nothing but move lanes.
    fn moved_copy(&self) -> Option<MicroOp> {
        let (op, shape) = (&self.op, self.shape);
        let vector = op.vector();
        let is_all = shape.copies
            && shape.moved_source.is_none()
            && vector.control == Control::DPP16
            && passes::modification(op, 0, shape.sources[0]).is_none()
            && !needs_finish(self.config, shape, &mut vector.clone());
        is_all.then(|| {
            let mut pass =
                Pass::new(0, 1, enabled_lanes(vector.control_word)).before(vector.control_word);
            pass.modifiers |= modifier::VECTOR_RESULT;
            let handler = shell::vector_handler::<passes::DppCopy>();
            let mut copy = MicroOp::new(handler).with(pass);
            (copy.src[0], copy.dst, copy.after) = (op.src[0], op.dst, op.after);
            copy
        })
    }

    /// Appends the passes that source `index` needs, and lets the body read what they make.
    fn source(&mut self, index: usize, ops: &mut Vec<MicroOp>) {
        let kind = self.shape.sources[index];
        let is_vector = self.op.src[index].kind == SrcKind::Vector;
        let mut passed = self.lanes_and_bytes(index);
        let mut modification = passes::modification(&self.op, index, kind);
        if let Some(parameters) = passes::widening(&self.op, index, kind) {
            if passed.is_empty() && is_vector && modification.is_none() {
                // The body loads halves itself.
                self.op.src[index] = Src::mixed(self.op.src[index].index, 1 + parameters[0] / 16);
                return;
            }
            passed.push((shell::wide_handler::<passes::Widen>, parameters));
        }
        if kind == Type::PackedF32 {
            self.op.vector_mut().modifiers |= modifier::PAIR;
            if !is_vector {
                if self.uniform >> index & 1 != 0 {
                    modification = None;
                }
            } else if let Some((first, second)) = passes::pair_rows(&self.op, index) {
                let distance = LANES as i32 * (second - i32::from(first));
                self.op.src[index] = Src::pair(self.op.src[index].index + first, distance);
                return;
            }
        }
        passed.extend(modification);
        if !is_vector {
            if self.uniform >> index & 1 != 0 {
                return;
            }
            passed.insert(0, (shell::wide_handler::<passes::Splat>, [0; 3]));
        }
        let row = passes::source_row(self.config.vector_rows, index);
        for (handler, parameters) in passed {
            let pass = Pass::new(index, kind.words(), parameters);
            let pass = pass.before(self.op.vector().control_word);
            let mut before = MicroOp::new(handler()).with(pass);
            before.src[index] = self.op.src[index];
            before.dst = row;
            ops.push(before);
            self.op.src[index] = Src::vector(row);
        }
        // Now the source is a row whose lanes lie as in any other.
        let index_of_row = self.op.src[index].index;
        match kind {
            Type::PackedF32 => self.op.src[index] = Src::pair(index_of_row, LANES as i32),
            Type::Mix => self.op.src[index] = Src::mixed(index_of_row, 0),
            _ => {}
        }
    }

    /// Takes the copy of the body that reads most sources as scalars or constants: all that can be, or else the first one.
    fn choose_uniform(&mut self) {
        let count = self.shape.source_count();
        let all = (0..count)
            .filter(|&index| self.may_be_uniform(index))
            .fold(0, |sources, index| sources | 1 << index);
        let choices = [all, all & 1, all & 2, all & 4];
        let has_copy = |&sources: &usize| self.handlers.uniform[sources].is_some();
        if let Some(sources) = choices.into_iter().find(has_copy)
            && let Some(handler) = self.handlers.uniform[sources]
        {
            self.op.handler = handler;
            self.uniform = sources;
        }
    }

    /// Returns `true` if a body can read source `index` as a scalar or constant. (Those for pairs of singles know modifiers.)
    fn may_be_uniform(&self, index: usize) -> bool {
        let kind = self.shape.sources[index];
        has_form(self.op.src[index].kind)
            && self.lanes_and_bytes(index).is_empty()
            && passes::widening(&self.op, index, kind).is_none()
            && (kind == Type::PackedF32 || passes::modification(&self.op, index, kind).is_none())
    }

    /// Passes that find the register at run time, take bytes of it (SDWA) or move its lanes (DPP).
    fn lanes_and_bytes(&self, index: usize) -> Vec<passes::PassCall> {
        let mut passed: Vec<passes::PassCall> = Vec::new();
        let (control, word) = (self.op.vector().control, self.op.vector().control_word);
        if index == 0
            && self.op.src[0].kind == SrcKind::Vector
            && let Some(handler) = self.shape.moved_source
        {
            passed.push((handler, [0; 3]));
        }
        if control == Control::SDWA
            && index < 2
            && let Some(parameters) = passes::sdwa_selection(word, index)
        {
            passed.push((shell::wide_handler::<passes::SdwaSelect>, parameters));
        }
        if control == Control::DPP16 && index == 0 {
            passed.push((
                shell::vector_handler::<passes::DppEnter>,
                enabled_lanes(word),
            ));
        }
        if control == Control::DPP8 && index == 0 {
            passed.push((shell::vector_handler::<passes::Dpp8Enter>, [0; 3]));
        }
        passed
    }

    /// Appends the op, and behind it the passes that its result needs.
    fn result(mut self, ops: &mut Vec<MicroOp>) -> Result<(), String> {
        let after = self.op.after;
        let mut behind = Vec::new();
        if needs_finish(self.config, self.shape, self.op.vector_mut()) {
            if self.shape.moved_source.is_some() {
                return Err("part of a register that M0 chooses".into());
            }
            let completion = Completion::new(self.op.vector(), self.shape.result);
            let mut finish = MicroOp::new(if passes::PlaceHalf::is_all(&completion) {
                shell::wide_handler::<passes::PlaceHalf>()
            } else {
                shell::wide_handler::<passes::Finish>()
            })
            .with(completion);
            finish.dst = self.op.dst;
            behind.push(finish);
            self.op.dst = passes::result_row(self.config.vector_rows);
        }
        // (Comparisons that write EXEC have done so.)
        let (control, word) = (self.op.vector().control, self.op.vector().control_word);
        if control == Control::DPP16 && !self.shape.writes_exec && !passes::writes_all_lanes(word) {
            behind.push(MicroOp::new(shell::handler::<passes::DppLeave>()));
        }
        if let Some(last) = behind.last_mut() {
            self.op.after = flow::NEXT as u8;
            last.after = after;
        }
        ops.push(self.op);
        ops.extend(behind);
        Ok(())
    }
}

/// The parameters of passes for DPP16.
fn enabled_lanes(control_word: u32) -> [u32; 3] {
    let lanes = passes::static_lanes(control_word);
    [lanes as u32, (lanes >> 32) as u32, 0]
}

fn is_float(kind: Type) -> bool {
    matches!(
        kind,
        Type::F32 | Type::F64 | Type::F16 | Type::PackedF16 | Type::PackedF32 | Type::Mix
    )
}

/// Returns `true` if the result needs work behind the body: clamp, omod, op_sel or SDWA destination, half-register write.
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
