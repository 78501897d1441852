//! One instruction as the rules see it.

use crate::touch::{Halves, Touch, shared};
use gfx::Target;
use isa::{
    Decoded, Depctr, Effects, Format, Inst, Known, Operand, Reg, RegKind, Traits, Waits, numbers,
};
use lift::{Access, Counter, Span, awaited, registers};
use smallvec::SmallVec;

type Spans = SmallVec<[Span; 6]>;

/// SGPRs and VCC have numbers below this one.
const BEHIND_VCC: u16 = numbers::TTMP;
const VCC: Span = Span::Scalar(registers::VCC, 2);
const EXEC: Span = Span::Scalar(registers::EXEC, 2);
const M0: Span = Span::Scalar(registers::M0, 1);

/// An instruction with its registers sorted by what rules ask for.
#[derive(Clone, Debug)]
pub struct Node {
    pub inst: Inst,
    pub target: &'static Target,
    access: Access,
    touch: Touch,
    /// Sources named in the instruction, without implicit ones.
    explicit_reads: Spans,
    /// Wait states that go by: 1, or those of `s_nop`.
    pub states: u32,
}

pub(crate) fn overlap(left: Span, right: Span) -> bool {
    let meet = |a: u16, m: u16, b: u16, n: u16| a < b + n && b < a + m;
    match (left, right) {
        (Span::Scalar(a, m), Span::Scalar(b, n)) | (Span::Vector(a, m), Span::Vector(b, n)) => {
            meet(a, m, b, n)
        }
        _ => false,
    }
}

fn any_overlap(left: &[Span], right: &[Span]) -> bool {
    left.iter()
        .any(|left| right.iter().any(|right| overlap(*left, *right)))
}

impl Node {
    pub fn new(inst: Inst<&Decoded>, target: &'static Target, wave_size: u8) -> Node {
        let uses = inst.operands.iter().filter_map(|operand| match operand {
            Operand::Use(reg) => Span::from_register(*reg),
            _ => None,
        });
        let states = match inst.op.is(Known::SNop) {
            true => inst.wait_states(),
            false => 1,
        };
        let access = Access::new(&inst, wave_size, false);
        Node {
            inst: inst.to_owned(),
            target,
            touch: Touch::new(&inst, &access),
            access,
            explicit_reads: uses.collect(),
            states,
        }
    }

    /// The registers that the instruction reads and writes.
    pub fn access(&self) -> &Access {
        &self.access
    }

    fn has(&self, effects: Effects) -> bool {
        self.inst.effects.contains(effects)
    }

    pub fn is_matrix(&self) -> bool {
        self.has(Effects::MATRIX)
    }

    /// A vector ALU instruction that is no matrix instruction.
    pub fn is_valu(&self) -> bool {
        self.has(Effects::VALU) && !self.is_matrix()
    }

    pub fn is_salu(&self) -> bool {
        self.has(Effects::SALU)
    }

    pub fn is_vmem(&self) -> bool {
        self.has(Effects::VMEM)
    }

    pub fn is_lds(&self) -> bool {
        self.has(Effects::LDS) || self.inst.format == Format::Ds
    }

    pub fn is_smem(&self) -> bool {
        self.inst.format == Format::Smem
    }

    pub fn is_transcendental(&self) -> bool {
        self.has(Effects::TRANSCENDENTAL)
    }

    pub fn is_dpp(&self) -> bool {
        self.has(Effects::DPP16)
    }

    /// Returns `true` if it is this one.
    pub fn is(&self, known: Known) -> bool {
        self.inst.op.is(known)
    }

    /// Returns `true` if the opcode has any of these traits.
    pub fn is_of(&self, traits: Traits) -> bool {
        self.inst.op.has(traits)
    }

    /// A product with a sparse A adds to its destination.
    fn is_sparse(&self) -> bool {
        self.inst.op.product().is_some_and(|product| product.sparse)
    }

    /// Memory, export or VALU instruction that reads or writes vector registers other than as a matrix instruction.
    pub fn uses_vectors(&self) -> bool {
        self.is_valu()
            || self.is_vmem()
            || self.has(Effects::LDS)
            || matches!(self.inst.format, Format::Exp | Format::Ds)
    }

    fn writes(&self, span: Span) -> bool {
        any_overlap(&self.access.writes, &[span])
    }

    fn reads(&self, span: Span) -> bool {
        any_overlap(&self.access.reads, &[span])
    }

    pub fn writes_exec(&self) -> bool {
        self.writes(EXEC)
    }

    pub fn reads_exec(&self) -> bool {
        self.reads(EXEC)
    }

    /// An SGPR or VCC.
    fn is_general_scalar(span: &Span) -> bool {
        matches!(span, Span::Scalar(start, _) if *start < BEHIND_VCC)
    }

    /// Writes an SGPR or VCC.
    pub fn writes_any_scalar(&self) -> bool {
        self.access.writes.iter().any(Self::is_general_scalar)
    }

    fn defined_scalars(&self) -> Spans {
        let defined = self
            .inst
            .operands
            .iter()
            .filter_map(|operand| match operand {
                Operand::Def(reg) => Span::from_register(*reg),
                _ => None,
            });
        defined
            .filter(|span| matches!(span, Span::Scalar(..)))
            .collect()
    }

    /// Names a scalar register as destination.
    pub fn defines_any_scalar(&self) -> bool {
        !self.defined_scalars().is_empty()
    }

    /// Names a scalar register, perhaps EXEC, as destination that `producer` reads.
    pub fn redefines_scalar_source_of(&self, producer: &Node) -> bool {
        let defined = self.defined_scalars();
        let by_exec = producer.is_vmem() || producer.is_lds();
        any_overlap(&defined, &producer.access.reads) || by_exec && any_overlap(&defined, &[EXEC])
    }

    /// Overwrites an SGPR or VCC that `producer` reads.
    pub fn overwrites_scalar_source_of(&self, producer: &Node) -> bool {
        let reads = producer.access.reads.iter().copied();
        let scalars: Spans = reads.filter(Self::is_general_scalar).collect();
        any_overlap(&self.access.writes, &scalars)
    }

    pub fn writes_vcc(&self) -> bool {
        self.writes(VCC)
    }

    pub fn reads_vcc(&self) -> bool {
        self.reads(VCC)
    }

    pub fn writes_m0(&self) -> bool {
        self.writes(M0)
    }

    fn named_scalars(&self) -> Spans {
        let scalars = self.explicit_reads.iter().copied();
        scalars.filter(Self::is_general_scalar).collect()
    }

    fn writes_vectors(&self) -> bool {
        let mut spans = self.access.writes.iter();
        spans.any(|span| matches!(span, Span::Vector(..)))
    }

    /// Returns `true` if any half of a vector register is on both sides.
    fn meet_in_vectors(left: &[Halves], right: &[Halves]) -> bool {
        let is_vector = |halves: &Halves| halves.is_vector();
        let mut vectors = left.iter().copied().filter(is_vector);
        vectors.any(|halves| shared(&[halves], right).is_some())
    }

    /// Names an SGPR (or VCC) as source that `producer` writes.
    pub fn names_scalar_of(&self, producer: &Node) -> bool {
        any_overlap(&self.named_scalars(), &producer.access.writes)
    }

    /// Reads a vector register that `producer` writes.
    pub fn reads_vector_of(&self, producer: &Node) -> bool {
        Self::meet_in_vectors(&self.touch.reads, &producer.touch.writes)
    }

    /// Reads a VGPR, not an AccVGPR, that `producer` writes.
    pub fn reads_vgpr_of(&self, producer: &Node) -> bool {
        let vgprs = self
            .inst
            .operands
            .iter()
            .filter_map(|operand| match operand {
                Operand::Use(reg) if reg.kind == RegKind::Vgpr => Span::from_register(*reg),
                _ => None,
            });
        vgprs.into_iter().any(|span| producer.writes(span))
    }

    /// Sources of a matrix instruction, each with whether it is C, to which the product is added.
    fn matrix_sources(&self) -> impl Iterator<Item = (bool, Span)> {
        const C: usize = 2;
        let sparse = self.is_sparse();
        let sources = self.inst.operands.iter();
        let sources = sources.filter_map(|operand| match operand {
            Operand::Use(reg) => Some(*reg),
            _ => None,
        });
        sources.enumerate().filter_map(move |(index, reg)| {
            let span = Span::from_register(reg)?;
            let is_c = match sparse {
                true => self.access.writes.contains(&span),
                false => index == C,
            };
            Some((is_c, span))
        })
    }

    /// The registers of the value to which a matrix instruction adds.
    fn summand(&self) -> Option<Span> {
        match self.is_sparse() {
            true => self.access.writes.first().copied(),
            false => self
                .matrix_sources()
                .find(|(is_c, _)| *is_c)
                .map(|(_, span)| span),
        }
    }

    /// Matrix instruction of which A, B or the index of a sparse A is what `producer` writes. As C it is forwarded.
    pub fn multiplies_result_of(&self, producer: &Node) -> bool {
        self.matrix_sources()
            .any(|(is_c, span)| !is_c && producer.writes(span))
    }

    /// Matrix instruction that adds to what `producer` writes.
    pub fn adds_result_of(&self, producer: &Node) -> bool {
        self.summand().is_some_and(|span| producer.writes(span))
    }

    /// Matrix instruction that adds to some, but not to just the registers that `producer` writes, which are forwarded.
    pub fn adds_part_of_result_of(&self, producer: &Node) -> bool {
        self.summand()
            .is_some_and(|span| producer.writes(span) && !producer.access.writes.contains(&span))
    }

    /// Overwrites what the matrix instruction `producer` adds to.
    pub fn overwrites_summand_of(&self, producer: &Node) -> bool {
        producer.summand().is_some_and(|span| self.writes(span))
    }

    /// Writes a vector register that `producer` writes too.
    pub fn overwrites_vector_of(&self, producer: &Node) -> bool {
        Self::meet_in_vectors(&self.touch.writes, &producer.touch.writes)
    }

    /// Lane number of a lane access comes from an SGPR that `producer` writes.
    pub fn selects_lane_by(&self, producer: &Node) -> bool {
        match self.inst.operands.get(2) {
            Some(Operand::Use(reg)) => {
                Span::from_register(*reg).is_some_and(|span| producer.writes(span))
            }
            _ => false,
        }
    }

    /// Vector source of a lane read.
    pub fn reads_lanes_of(&self, producer: &Node) -> bool {
        match self.inst.operands.get(1) {
            Some(Operand::Use(reg)) => {
                Span::from_register(*reg).is_some_and(|span| producer.writes(span))
            }
            _ => false,
        }
    }

    /// Data of a store of more than 64 bits that the memory unit fetches late; buffer stores with an SGPR offset fetch in
    /// time.
    fn late_store_data(&self) -> Option<Span> {
        let stores = self.is_vmem() && self.has(Effects::STORE) && !self.has(Effects::ATOMIC);
        let buffer = matches!(self.inst.format, Format::Mubuf | Format::Mtbuf);
        let flat = matches!(
            self.inst.format,
            Format::Flat | Format::Global | Format::Scratch
        );
        if !stores || !buffer && !flat {
            return None;
        }
        let is_offset = |operand: &Operand| {
            matches!(
                operand,
                Operand::Use(Reg {
                    kind: RegKind::Sgpr | RegKind::M0,
                    width: 1,
                    ..
                })
            )
        };
        if buffer && self.inst.operands.iter().any(is_offset) {
            return None;
        }
        self.explicit_reads
            .iter()
            .copied()
            .find(|span| matches!(span, Span::Vector(_, width) if *width > 2))
    }

    pub fn is_wide_store(&self) -> bool {
        self.late_store_data().is_some()
    }

    /// Overwrites what the wide store `producer` may not have fetched yet.
    pub fn overwrites_store_data_of(&self, producer: &Node) -> bool {
        producer
            .late_store_data()
            .is_some_and(|data| any_overlap(&self.access.writes, &[data]))
    }

    /// The hardware register of `s_getreg_b32` and `s_setreg*`.
    pub fn hardware_register(&self) -> u32 {
        self.inst.hardware_register()
    }

    /// SDWA that writes less than the whole register.
    pub fn writes_part_by_sdwa(&self) -> bool {
        self.inst
            .sdwa_destination()
            .is_some_and(|destination| !destination.whole)
    }

    /// Global data share, by an LDS instruction's GDS bit.
    pub fn is_gds(&self) -> bool {
        self.inst.format == Format::Ds && !self.has(Effects::LDS) && self.has(Effects::COUNTS_EXP)
    }

    /// A buffer or global load whose result goes to LDS.
    pub fn loads_to_lds(&self) -> bool {
        self.is_vmem()
            && self.has(Effects::LOAD)
            && self.access.reads.contains(&M0)
            && !self.writes_vectors()
    }

    /// Is only issued when no vector result is outstanding: memory, LDS, exports.
    pub fn leaves_with_vector_results(&self) -> bool {
        self.is_vmem() || self.inst.format == Format::Ds || self.has(Effects::COUNTS_EXP)
    }

    /// An instruction that waits for counters of memory operations.
    pub fn waits(&self) -> bool {
        self.has(Effects::WAIT) && !self.is(Known::SWaitcntDepctr)
    }

    fn awaits_all(&self, counter: Counter) -> bool {
        let waits = awaited(&self.inst, self.target.family);
        waits.contains(&(counter, 0))
    }

    /// `s_waitcnt 0`.
    pub fn waits_for_everything(&self) -> bool {
        self.inst.op.waits() == Waits::ByFamily && self.inst.constant() == 0
    }

    /// Waits until all loads through the scalar cache are done.
    pub fn waits_for_scalar_loads(&self) -> bool {
        self.awaits_all(Counter::Data)
    }

    /// Waits until all stores are done.
    pub fn waits_for_all_stores(&self) -> bool {
        self.awaits_all(Counter::Store)
    }

    /// Waits until memory instructions have read their vector registers.
    pub fn waits_for_vector_sources(&self) -> bool {
        self.inst.awaits(Depctr::VmVsrc)
    }

    /// Waits for what scalar instructions write.
    pub fn waits_for_scalar_results(&self) -> bool {
        self.inst.awaits(Depctr::SaSdst)
    }

    /// Waits until no vector result is outstanding.
    pub fn waits_for_vector_results(&self) -> bool {
        self.inst.awaits(Depctr::VaVdst)
    }
}
