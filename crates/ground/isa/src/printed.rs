//! Operands as the text of an instruction lists them, and the registers that its text does not name.
//!
//! Some encodings imply VCC, and assembly names it nevertheless: `v_cmp_lt_f32_e32 vcc, v1, v2`. LLVM's machine instruction has
//! no operand for it.

use crate::{Decoded, Effects, Format, Operand, Reg, RegKind, Traits};
use smallvec::SmallVec;

/// Sources of a VOP2 before VCC, which assembly names last.
const VOP2_SOURCES: usize = 2;

impl Decoded {
    /// Operands in the order of the instruction's text, definitions first. A dual-issue instruction has the definitions of both
    /// halves first. Trailing numbers are fields that the text may leave out: offsets, cache policies, lane controls.
    pub fn printed(&self) -> SmallVec<[Operand; 8]> {
        let listed = self.operands.iter().enumerate();
        let mut printed: SmallVec<[Operand; 8]> = listed
            .filter(|(index, _)| !self.is_unprinted(*index))
            .map(|(_, operand)| *operand)
            .collect();
        let mut insert = |at: usize, operand| printed.insert(at.min(printed.len()), operand);
        match self.format {
            Format::Vopc => {
                if let Some(mask) = find_vcc(&self.implicit_defs) {
                    insert(0, Operand::Def(mask));
                }
            }
            Format::Vop2 => {
                let mut sources = 1;
                if let Some(carry) = find_vcc(&self.implicit_defs) {
                    insert(sources, Operand::Def(carry));
                    sources += 1;
                }
                if let Some(mask) = find_vcc(&self.implicit_uses) {
                    insert(sources + VOP2_SOURCES, Operand::Use(mask));
                }
            }
            Format::Global | Format::Scratch | Format::Flat => self.order_addresses(&mut printed),
            _ => {}
        }
        printed
    }

    /// Text has the scalar address behind the vector registers, and the address of a store before its data. LLVM lists some the
    /// other way round.
    fn order_addresses(&self, printed: &mut [Operand]) {
        let first = printed
            .iter()
            .position(|operand| matches!(operand, Operand::Use(_)));
        let sources = &mut printed[first.unwrap_or(0)..];
        let is = |operand: Option<&Operand>, kind: RegKind| match operand {
            Some(Operand::Use(reg)) => reg.kind == kind,
            _ => false,
        };
        let vectors = |sources: &[Operand]| {
            let vectors = sources.iter();
            vectors
                .take_while(|source| is(Some(source), RegKind::Vgpr))
                .count()
        };
        if let Some(scalar) = sources
            .iter()
            .position(|source| is(Some(source), RegKind::Sgpr))
        {
            let behind = vectors(&sources[scalar + 1..]);
            sources[scalar..=scalar + behind].rotate_left(1);
        }
        let by_both = vectors(sources) == 2 && is(sources.get(2), RegKind::Sgpr);
        if by_both && self.format == Format::Scratch && self.effects.contains(Effects::STORE) {
            sources.swap(0, 1);
        }
    }

    /// Registers that the instruction writes or reads without naming them in its text, definitions first: SCC, EXEC, M0, MODE,
    /// and a destination that is also a source.
    pub fn implied(&self) -> SmallVec<[Operand; 4]> {
        let printed = self.printed();
        let defs = self.implicit_defs.iter().map(|reg| Operand::Def(*reg));
        let uses = self.implicit_uses.iter().map(|reg| Operand::Use(*reg));
        let listed = self.operands.iter().enumerate();
        let tied = listed.filter_map(|(index, operand)| {
            let register = matches!(operand, Operand::Use(_));
            (register && self.is_unprinted(index)).then_some(*operand)
        });
        // A conditional move leaves its destination as it is if the condition does not hold.
        let moves = self.op.has(Traits::KEEPS) && self.op.has(Traits::SELECTS);
        let kept = self.operands.iter().find_map(|operand| match operand {
            Operand::Def(register) if moves => Some(Operand::Use(*register)),
            _ => None,
        });
        let mut implied = SmallVec::new();
        for operand in defs.chain(uses).chain(tied).chain(kept) {
            if !printed.contains(&operand) && !implied.contains(&operand) {
                implied.push(operand);
            }
        }
        implied
    }

    fn is_unprinted(&self, index: usize) -> bool {
        self.unprinted.checked_shr(index as u32).unwrap_or(0) & 1 != 0
    }
}

fn find_vcc(list: &[Reg]) -> Option<Reg> {
    list.iter().find(|reg| reg.kind == RegKind::Vcc).copied()
}
