//! Instructions of the scalar unit.

use isa::Logic;

use super::{At, Rule, Scalar, Scene, Source, Use};

impl Scene<'_> {
    fn pair(&self, source: &Source) -> (u64, u64) {
        let known = self.known();
        let both = |word: &dyn Fn(usize) -> u32, slot: usize| match source.words {
            1 => u64::from(word(slot)),
            _ => u64::from(word(slot)) | u64::from(word(slot + 1)) << 32,
        };
        match source.at {
            At::Slot(slot) => (
                both(&|slot| self.wave.sgpr(slot), slot),
                both(&|slot| known.scalar(slot), slot),
            ),
            At::Constant(value) => (value as u64, 0),
            _ => (0, 0),
        }
    }

    pub(super) fn scalar(&mut self, scalar: &Scalar) {
        if let Some(mask) = scalar.mask {
            return self.exec_mask(scalar, mask.logic, mask.writes_exec);
        }
        let scc = scalar.reads_scc && self.known().scc().0;
        let undefined = scalar
            .sources
            .iter()
            .find(|source| !self.is_defined(source));
        let origin = match undefined {
            Some(source) => Some(self.origin(source)),
            None => scc.then(|| self.known().scc().1),
        };
        let bits = match origin {
            None => 0,
            Some(_) => self.scalar_bits(scalar, scc),
        };
        let origin = origin.filter(|_| bits != 0);
        if scalar.to_exec {
            let lanes = match self.plan.mask_words {
                2 => bits,
                _ => bits & 0xffff_ffff,
            };
            if let Some(origin) = origin.filter(|_| lanes != 0) {
                self.tell(Use::Condition, origin, lanes.trailing_zeros() as usize);
            }
        }
        let registers = self.registers();
        if let Some((slot, words)) = scalar.destination {
            for word in 0..words {
                let word_bits = if word < 2 {
                    (bits >> (32 * word)) as u32
                } else {
                    bits as u32
                };
                registers.set_scalar(slot + word, word_bits, origin);
            }
        }
        if scalar.writes_scc {
            registers.set_scc(bits != 0, origin);
        }
    }

    fn scalar_bits(&self, scalar: &Scalar, scc: bool) -> u64 {
        let pairs: [(u64, u64); 3] = std::array::from_fn(|at| {
            let source = scalar.sources.get(at);
            source.map_or((0, 0), |source| self.pair(source))
        });
        let (x, v) = (pairs.map(|pair| pair.0), pairs.map(|pair| pair.1));
        match scalar.rule {
            Rule::Words(rule) => match scc {
                true => !0,
                false => (rule.word)(x.map(|word| word as u32), v.map(|word| word as u32)).into(),
            },
            Rule::Pairs(rule) => rule(x, v),
            Rule::Select => match (scc, self.wave.scc()) {
                (true, _) => v[0] | v[1] | (x[0] ^ x[1]),
                (_, true) => v[0],
                _ => v[1],
            },
            Rule::Compare(true) => {
                let known = !(v[0] | v[1]);
                match (x[0] ^ x[1]) & known {
                    0 => v[0] | v[1],
                    _ => 0,
                }
            }
            _ => u64::from(scc || v.iter().any(|bits| *bits != 0)).wrapping_neg(),
        }
    }

    /// An instruction that makes EXEC of EXEC and a source.
    fn exec_mask(&mut self, scalar: &Scalar, logic: Logic, writes: bool) {
        let Some(source) = scalar.sources.first() else {
            return;
        };
        let origin = self.origin(source);
        let (_, bits) = self.pair(source);
        // Where EXEC decides alone, the source's bits do not matter.
        let matter = match logic {
            Logic::And | Logic::Nand | Logic::AndNotA => self.exec,
            Logic::Or | Logic::Nor | Logic::OrNotA => !self.exec,
            Logic::AndNotB => !self.exec,
            Logic::OrNotB => self.exec,
            _ => !0,
        };
        let lanes = match self.plan.mask_words {
            2 => bits & matter,
            _ => bits & matter & 0xffff_ffff,
        };
        if lanes != 0 {
            self.tell(Use::Condition, origin, lanes.trailing_zeros() as usize);
        }
        let registers = self.registers();
        if let Some((slot, words)) = scalar.destination {
            for word in 0..words {
                let left = if writes {
                    (lanes >> (32 * word)) as u32
                } else {
                    0
                };
                registers.set_scalar(slot + word, left, Some(origin));
            }
        }
        registers.set_scc(false, None);
    }
}
