//! Results of vector instructions, by their rules.

use super::{At, Rule, Scene, Vector};
use crate::{
    lanes::{self, ALL, LANES, NONE, Row, each},
    packed,
    rules::{Pairs, all_if},
};

/// Values and undefined bits by lane.
type Taken = (Row, Row);

impl Scene<'_> {
    /// The undefined bits of the `word`-th register of a result.
    pub(super) fn result(&self, vector: &Vector, word: usize, mask: &mut u64) -> Row {
        let carry = vector.mask.map(|slot| self.mask(slot));
        let mut bits = NONE;
        match vector.rule {
            Rule::Words(rule) => {
                let taken: [Taken; 3] =
                    std::array::from_fn(|at| self.taken(vector, at, word, mask));
                for lane in each(*mask) {
                    let x = std::array::from_fn(|at| taken[at].0[lane]);
                    bits[lane] = rule(x, std::array::from_fn(|at| taken[at].1[lane]));
                }
            }
            Rule::PackedHalves(halves, rule) => {
                let taken: [Taken; 3] =
                    std::array::from_fn(|at| self.taken(vector, at, word, mask));
                for lane in each(*mask) {
                    let x = std::array::from_fn(|at| taken[at].0[lane]);
                    let v = std::array::from_fn(|at| taken[at].1[lane]);
                    bits[lane] = packed::word(halves, rule, x, v);
                }
            }
            Rule::PackedWords(halves) => {
                let chosen = halves.part(word != 0);
                for at in 0..vector.sources.len() {
                    let taken = self.taken(vector, at, (chosen >> at & 1) as usize, mask).1;
                    add(&mut bits, &taken);
                }
                fill(&mut bits);
            }
            Rule::Pairs(rule) => bits = self.of_pairs(vector, rule, word, mask),
            Rule::Select => return self.selected(vector, carry.unwrap_or((0, 0)), word, mask),
            Rule::Compare(equal) => return self.compared(vector, equal, mask),
            _ => {
                for (at, source) in vector.sources.iter().enumerate() {
                    for word in 0..source.words {
                        add(&mut bits, &self.taken(vector, at, word, mask).1);
                    }
                }
                if matches!(vector.rule, Rule::AllLanes) {
                    let any = lanes::set(&bits) & *mask != 0;
                    bits = if any { ALL } else { NONE };
                }
                fill(&mut bits);
            }
        }
        if let Some((_, unknown)) = carry {
            each(unknown & *mask).for_each(|lane| bits[lane] = !0);
        }
        bits
    }

    /// The `word`-th register of a source, as the instruction takes it.
    fn taken(&self, vector: &Vector, index: usize, word: usize, mask: &mut u64) -> Taken {
        let source = vector.sources.get(index);
        let (mut values, mut bits) = source.map_or((NONE, NONE), |source| self.row(source, word));
        if let (0, Some(dpp)) = (index, &vector.dpp) {
            values = dpp.apply(&values, self.exec).0;
            (bits, *mask) = dpp.apply(&bits, self.exec);
        }
        (values, bits)
    }

    fn of_pairs(
        &self,
        vector: &Vector,
        rule: fn(Pairs, Pairs) -> u64,
        word: usize,
        mask: &mut u64,
    ) -> Row {
        let taken: [[Taken; 2]; 3] = std::array::from_fn(|at| {
            std::array::from_fn(|word| self.taken(vector, at, word, mask))
        });
        let mut bits = NONE;
        for lane in each(*mask) {
            let pair = |at: usize, which: fn(&Taken) -> &Row| {
                let [low, high] =
                    [0, 1].map(|word: usize| u64::from(which(&taken[at][word])[lane]));
                let single = vector.sources.get(at).is_some_and(|source| {
                    source.words == 1 && !matches!(source.at, At::Constant(_))
                });
                low | if single { 0 } else { high << 32 }
            };
            let x = std::array::from_fn(|at| pair(at, |taken| &taken.0));
            let all = rule(x, std::array::from_fn(|at| pair(at, |taken| &taken.1)));
            bits[lane] = (all >> (32 * word.min(1))) as u32;
        }
        bits
    }

    /// One of two sources, by a mask of which some bits are unknown.
    fn selected(
        &self,
        vector: &Vector,
        (select, unknown): (u64, u64),
        word: usize,
        mask: &mut u64,
    ) -> Row {
        let taken: [Taken; 2] = std::array::from_fn(|at| self.taken(vector, at, word, mask));
        let mut bits = NONE;
        for lane in each(*mask) {
            let [(x0, v0), (x1, v1)] =
                [0, 1].map(|at: usize| (taken[at].0[lane], taken[at].1[lane]));
            bits[lane] = match (unknown >> lane & 1, select >> lane & 1) {
                (1, _) => v0 | v1 | (x0 ^ x1),
                (_, 1) => v1,
                _ => v0,
            };
        }
        bits
    }

    /// All ones for lanes whose comparison is undefined.
    fn compared(&self, vector: &Vector, equal: bool, mask: &mut u64) -> Row {
        let (mut bits, mut differs) = (NONE, NONE);
        let words = vector.sources.iter().map(|source| source.words).max();
        for word in 0..words.unwrap_or(1) {
            let [(x0, v0), (x1, v1)] = [0, 1].map(|at| self.taken(vector, at, word, mask));
            for lane in 0..LANES {
                bits[lane] |= v0[lane] | v1[lane];
                differs[lane] |= (x0[lane] ^ x1[lane]) & !(v0[lane] | v1[lane]);
            }
        }
        for lane in 0..LANES {
            let known = equal && differs[lane] != 0;
            bits[lane] = all_if(bits[lane] != 0 && !known);
        }
        bits
    }
}

fn add(bits: &mut Row, more: &Row) {
    for lane in 0..LANES {
        bits[lane] |= more[lane];
    }
}

/// All bits of lanes in which any is undefined.
fn fill(bits: &mut Row) {
    bits.iter_mut().for_each(|bits| *bits = all_if(*bits != 0));
}
