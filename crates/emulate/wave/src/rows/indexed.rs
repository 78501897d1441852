//! Registers chosen at run time by M0: gfx9's VGPR index mode, `v_movrel*` of gfx10 and `s_movrel*`.
//!
//! Micro-ops carry register numbers fixed at decode. `s_set_gpr_idx_on` therefore executes what follows it itself, on
//! patched copies, until `s_set_gpr_idx_off`; compilers keep that stretch a few instructions long. MODE.vskip, which passes
//! over vector instructions, is the same loop.

use gfx::Family;
use isa::Effects;

use super::{Row, ScalarShape, Shape, VectorShape, loops::map1};
use crate::{
    LANES, Segment,
    engine::{Env, Stop},
    micro_op::{MicroOp, Src, SrcKind, flow, modifier},
    ports::*,
    shell::{self, Body, Form, VectorBody},
    state::{Wave, sreg},
};

/// GPR_IDX_EN in MODE.
const INDEX_ENABLE: u32 = 1 << 27;
/// VSKIP in MODE.
pub(crate) const SKIP_VECTOR: u32 = 1 << 28;

/// The instructions that are not issued under VSKIP: those of the vector unit, vector memory, LDS, GDS and exports.
const VECTOR: Effects = Effects::VALU
    .union(Effects::VMEM)
    .union(Effects::LDS)
    .union(Effects::COUNTS_EXP);

/// Returns `true` if micro-op `index` belongs to a vector instruction.
fn is_vector(segment: &Segment, index: usize) -> bool {
    let position = segment
        .insts
        .partition_point(|inst| (inst.op as usize) < index);
    segment.insts.get(position).is_some_and(|inst| {
        // Ops between instructions lead to other segments and belong to none.
        segment.op_at(inst.pc).is_some_and(|first| first <= index)
            && inst.effects.intersects(VECTOR)
    })
}

impl Wave {
    fn set_index_mode(&mut self, on: bool) {
        self.gpr_index_mode = u8::from(on);
        let bits = self.mode.bits() & !INDEX_ENABLE;
        self.set_mode(crate::Mode::new(if on {
            bits | INDEX_ENABLE
        } else {
            bits
        }));
    }

    /// Row `base + offset`, or `None` beyond the wave's registers. Temporary rows do not move.
    fn relative_row(&self, base: u16, offset: u32) -> Option<u16> {
        if base as usize >= self.temporaries {
            return Some(base);
        }
        let row = u32::from(base).checked_add(offset)?;
        (row < self.temporaries as u32).then_some(row as u16)
    }
}

/// `op` with the registers that M0 enables moved up: bits 12 to 14 sources, bit 15 destination, bits 0 to 7 distance.
/// Sources beyond the wave's registers read v0; `None` if the destination is beyond them.
fn displaced(wave: &Wave, op: &MicroOp) -> Option<MicroOp> {
    let (enables, distance) = (wave.m0() >> 12, wave.m0() & 0xff);
    let mut moved = *op;
    for (index, src) in moved.src.iter_mut().enumerate() {
        if src.kind == SrcKind::Vector && enables >> index & 1 != 0 {
            src.index = wave.relative_row(src.index, distance).unwrap_or(0);
            if op.indexable() & modifier::PAIR != 0 && src.pair_distance() < 0 {
                // The second word may have been the row before.
                *src = Src::pair(src.index, LANES as i32);
            }
        }
    }
    if op.indexable() & modifier::VECTOR_RESULT != 0 && enables & 8 != 0 {
        moved.dst = wave.relative_row(moved.dst, distance)?;
    }
    Some(moved)
}

/// Executes from behind `op` to where neither index mode nor VSKIP is on.
fn run_indexed(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
    let segment = wave.segment.clone();
    let Some(own) = segment.ops.iter().position(|other| std::ptr::eq(other, op)) else {
        return wave.stop(Stop::Unsupported("nested VGPR index mode".into()));
    };
    let mut index = own + 1;
    let mut start = index;
    let mut lanes = wave.exec().count_ones();
    while wave.gpr_index_mode != 0 || wave.mode.bits() & SKIP_VECTOR != 0 {
        if wave.mode.bits() & SKIP_VECTOR != 0 && is_vector(&segment, index) {
            if start != index {
                env.counts.retire(start, index, lanes);
            }
            index += 1;
            start = index;
            continue;
        }
        let op = &segment.ops[index];
        index += 1;
        let mut code = flow::NEXT;
        for op in segment.one_by_one(op) {
            let moved;
            let op = if op.indexable() & modifier::VECTOR_ALU != 0 {
                let Some(displaced) = displaced(wave, op) else {
                    code = flow::NEXT;
                    continue;
                };
                moved = displaced;
                &moved
            } else {
                op
            };
            // SAFETY: of the wave's own segment; `displaced` moves first registers to others of the kernel's, and the words behind
            // them to temporary rows at most.
            code = unsafe { shell::call(op, wave, env) };
        }
        if code == flow::NEXT {
            continue;
        }
        env.counts.retire(start, index, lanes);
        match code {
            flow::EXEC_CHANGED => wave.sync_exec(),
            flow::BRANCH => index = wave.next,
            // A wave that comes back would come back to plain execution.
            flow::STOP if wave.stop.as_ref().is_some_and(Stop::is_pause) => {
                return wave.stop(Stop::Unsupported(
                    "VGPR index mode or VSKIP across a barrier or sleep".into(),
                ));
            }
            flow::STOP => {
                wave.stopped_inside = Some(index);
                return code;
            }
            _ => {
                return wave.stop(Stop::Unsupported(
                    "VGPR index mode or VSKIP across a call or return".into(),
                ));
            }
        }
        start = index;
        lanes = wave.exec().count_ones();
    }
    if start != index {
        env.counts.retire(start, index, lanes);
    }
    wave.next = index;
    flow::BRANCH
}

/// Goes on behind `op`, an instruction that wrote MODE, whose bits were `before`.
pub(super) fn follow_mode(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>, before: u32) -> u32 {
    if env.program.config().target.family != Family::Gfx9 {
        return flow::NEXT;
    }
    let bits = wave.mode.bits();
    wave.gpr_index_mode = u8::from(bits & INDEX_ENABLE != 0);
    let special = INDEX_ENABLE | SKIP_VECTOR;
    if bits & special != 0 && before & special == 0 {
        return run_indexed(wave, op, env);
    }
    flow::NEXT
}

struct IndexOn;

impl Body for IndexOn {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let distance = wave.uniform32(op, 0) & 0xff;
        // The second source field holds the enables themselves.
        let enables = u32::from(op.src[1].index) & 15;
        wave.scalars.0[sreg::M0] = wave.m0() & !0xf0ff | distance | enables << 12;
        wave.set_index_mode(true);
        run_indexed(wave, op, env)
    }
}

struct IndexOff;

impl Body for IndexOff {
    fn run(wave: &mut Wave, _: &MicroOp, _: &mut Env<'_>) -> u32 {
        wave.set_index_mode(false);
        flow::NEXT
    }
}

struct IndexValue;

impl Body for IndexValue {
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        wave.scalars.0[sreg::M0] = wave.m0() & !0xff | wave.uniform32(op, 0) & 0xff;
        flow::NEXT
    }
}

struct IndexEnables;

impl Body for IndexEnables {
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        wave.scalars.0[sreg::M0] = wave.m0() & !0xf000 | (op.program().immediate as u32 & 15) << 12;
        flow::NEXT
    }
}

/// How far M0 moves a register number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Distance {
    Zero,
    /// All of M0.
    Whole,
    /// Bits 9:0 for sources, 25:16 for destinations.
    Field,
}

impl Distance {
    const fn from_code(code: u8) -> Distance {
        match code {
            0 => Distance::Zero,
            1 => Distance::Whole,
            _ => Distance::Field,
        }
    }

    fn of_source(self, m0: u32) -> u32 {
        match self {
            Distance::Zero => 0,
            Distance::Whole => m0,
            Distance::Field => m0 & 0x3ff,
        }
    }

    fn of_destination(self, m0: u32) -> u32 {
        match self {
            Distance::Zero => 0,
            Distance::Whole => m0,
            Distance::Field => m0 >> 16 & 0x3ff,
        }
    }
}

/// Before `v_movrels` and its kind: copies source 0, moved up by a distance, to its temporary row.
struct MoveSource<const SOURCE: u8>;

impl<const SOURCE: u8> Body for MoveSource<SOURCE> {
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let distance = Distance::from_code(SOURCE).of_source(wave.m0());
        let row = wave.relative_row(op.src[0].index, distance).unwrap_or(0);
        *wave.row_mut(op.dst as usize) = *wave.row(row as usize);
        flow::NEXT
    }
}

/// `v_movreld`, `v_movrels`, `v_movrelsd`, `v_movrelsd_2`: [`MoveSource`] has found the source; the parameter is the
/// destination's [`Distance`] code.
struct MoveVector<const DESTINATION: u8>;

impl<const DESTINATION: u8> VectorBody for MoveVector<DESTINATION> {
    const SOURCES: usize = 1;
    const MODE: bool = false;
    const HOT: bool = false;
    #[inline(always)]
    fn run<F: Form>(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let distance = Distance::from_code(DESTINATION).of_destination(wave.m0());
        let Some(dst) = wave.relative_row(op.dst, distance) else {
            return u32::from(op.after);
        };
        let mut moved = *op;
        moved.dst = dst;
        map1::<Self, F, B32, B32>(
            wave,
            &moved,
            env,
            #[inline(always)]
            |_, a| a,
        )
    }
}

struct SwapVector;

impl Body for SwapVector {
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let m0 = wave.m0();
        let source = wave.relative_row(op.src[0].index, Distance::Field.of_source(m0));
        let target = wave.relative_row(op.dst, Distance::Field.of_destination(m0));
        let (Some(source), Some(target)) = (source, target) else {
            return flow::NEXT;
        };
        let exec = wave.exec();
        for lane in (0..LANES).filter(|lane| exec >> lane & 1 != 0) {
            let kept = wave.row(target as usize).0[lane];
            wave.row_mut(target as usize).0[lane] = wave.row(source as usize).0[lane];
            wave.row_mut(source as usize).0[lane] = kept;
        }
        flow::NEXT
    }
}

/// `s_movrels`, `s_movreld`, `s_movrelsd_2`. Sources beyond the SGPRs read s0, destinations beyond them are not written.
struct MoveScalar<const SOURCE: u8, const DESTINATION: u8, const WORDS: usize>;

fn relative_slot(base: u16, distance: u32, words: usize) -> Option<usize> {
    let slot = u32::from(base).checked_add(distance)? as usize;
    (slot + words <= sreg::VCC + 2).then_some(slot)
}

impl<const SOURCE: u8, const DESTINATION: u8, const WORDS: usize> Body
    for MoveScalar<SOURCE, DESTINATION, WORDS>
{
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let m0 = wave.m0();
        let source = Distance::from_code(SOURCE);
        let value = if source == Distance::Zero {
            wave.uniform(op, 0)
        } else {
            let slot = relative_slot(op.src[0].index, source.of_source(m0), WORDS);
            wave.scalar64(slot.unwrap_or(0))
        };
        let distance = Distance::from_code(DESTINATION).of_destination(m0);
        let slot = if distance == 0 {
            Some(op.dst as usize)
        } else {
            relative_slot(op.dst, distance, WORDS)
        };
        if let Some(slot) = slot {
            wave.scalars.0[slot] = value as u32;
            if WORDS == 2 {
                wave.scalars.0[slot + 1] = (value >> 32) as u32;
            }
        }
        u32::from(op.after)
    }
}

/// Appends this file's rows.
#[rustfmt::skip]
pub(super) fn rows(rows: &mut Vec<Row>) {
    use Type::{B32, B64, None};
    let mut push = |mnemonic, handler, shape| rows.push(Row {
        mnemonic, shape, handler, changes_exec: false,
    });
    let vector = VectorShape { sources: [B32, None, None], result: B32, ..VectorShape::NONE };
    let from = |source| VectorShape { moved_source: Some(source), ..vector };
    let scalar = |source, result| Shape::Scalar(ScalarShape { sources: [source, None, None], result, pure: false });
    push("s_set_gpr_idx_on",      shell::handler::<IndexOn>, Shape::Scalar(ScalarShape { sources: [B32, B32, None], result: None, pure: false }));
    push("s_set_gpr_idx_off",     shell::handler::<IndexOff>, Shape::Program);
    push("s_set_gpr_idx_mode",    shell::handler::<IndexEnables>, Shape::Program);
    push("s_set_gpr_idx_idx",     shell::handler::<IndexValue>, scalar(B32, None));
    push("v_swaprel_b32",         shell::handler::<SwapVector>, Shape::Vector(vector));
    push("s_movrels_b32",         shell::handler::<MoveScalar<1, 0, 1>>, scalar(B32, B32));
    push("s_movrels_b64",         shell::handler::<MoveScalar<1, 0, 2>>, scalar(B64, B64));
    push("s_movreld_b32",         shell::handler::<MoveScalar<0, 1, 1>>, scalar(B32, B32));
    push("s_movreld_b64",         shell::handler::<MoveScalar<0, 1, 2>>, scalar(B64, B64));
    push("s_movrelsd_2_b32",      shell::handler::<MoveScalar<2, 2, 1>>, scalar(B32, B32));
    rows.push(Row::vector::<MoveVector<1>>("v_movreld_b32",    from(shell::handler::<MoveSource<0>>)));
    rows.push(Row::vector::<MoveVector<0>>("v_movrels_b32",    from(shell::handler::<MoveSource<1>>)));
    rows.push(Row::vector::<MoveVector<1>>("v_movrelsd_b32",   from(shell::handler::<MoveSource<1>>)));
    rows.push(Row::vector::<MoveVector<2>>("v_movrelsd_2_b32", from(shell::handler::<MoveSource<2>>)));
}
