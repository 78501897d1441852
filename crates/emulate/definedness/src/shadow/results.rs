//! Results of vector instructions, by their rules.

use super::{At, Part, Room, Rule, Scene, Source, Taken, Vector};
use crate::{
    lanes::{self, ALL, LANES, NONE, Row, each},
    packed,
    rules::{Pairs, all_if},
};

impl Scene<'_> {
    /// Lanes of which all bits of the result are undefined, if those of the others are defined. `None` if bits have to be looked at.
    pub(super) fn full_lanes(&self, vector: &Vector, mask: u64) -> Option<u64> {
        let sources = &vector.sources;
        let is_plain = |source: &Source| source.part == Part::WHOLE && source.at != At::Scc;
        if vector.dpp.is_some() || vector.part != Part::WHOLE || !sources.iter().all(is_plain) {
            return None;
        }
        let in_some = |sources: &[Source]| {
            let sources = sources.iter();
            sources.fold(0, |all, source| all | self.undefined_in(source))
        };
        let unknown = vector.mask.map_or(0, |slot| self.mask(slot).1) & mask;
        match vector.rule {
            Rule::Any => Some(in_some(sources) | unknown),
            Rule::AllLanes => {
                let any = in_some(sources) & mask != 0;
                Some(u64::from(any).wrapping_neg() | unknown)
            }
            Rule::Compare(false) => Some(in_some(&sources[..sources.len().min(2)])),
            Rule::Words(rule) if rule.joins > 0 => {
                let joined = &sources[..sources.len().min(rule.joins)];
                let single = vector.destination.is_none_or(|(_, words)| words == 1);
                (single && joined.iter().all(|source| self.is_full(source)))
                    .then(|| in_some(joined) | unknown)
            }
            Rule::Select if unknown == 0 => {
                let [first, second, ..] = sources[..] else {
                    return None;
                };
                let chosen = self.mask(vector.mask?).0;
                let [one, other] = [first, second].map(|source| self.undefined_in(&source));
                (self.is_full(&first) && self.is_full(&second))
                    .then_some(one & !chosen | other & chosen)
            }
            _ => None,
        }
    }

    /// A source of one register, of which all bits or none are undefined in each lane.
    fn is_full(&self, source: &Source) -> bool {
        let is_full = match source.at {
            At::Row(row) => self.known().is_full(row),
            At::Slot(slot) => matches!(self.known().scalar(slot), 0 | u32::MAX),
            At::Scc => false,
            At::Constant(_) => true,
        };
        is_full && source.words == 1
    }

    /// The undefined bits of the `word`-th register of a result; `bits` has none yet.
    pub(super) fn result(&self, vector: &Vector, word: usize, mask: &mut u64, bits: &mut Row) {
        let carry = vector.mask.map(|slot| self.mask(slot));
        let mut rooms: [Room; 3] = Default::default();
        match vector.rule {
            Rule::Words(rule) => {
                let (x, v) = self.three(vector, word, mask, &mut rooms);
                (rule.rows)(x, v, bits);
                if vector.dpp.is_some() {
                    lanes::clear(bits, !*mask);
                }
            }
            Rule::PackedHalves(halves, rule) => {
                let (x, v) = self.three(vector, word, mask, &mut rooms);
                for lane in each(*mask) {
                    let of = |rows: [&Row; 3]| rows.map(|row| row[lane]);
                    bits[lane] = packed::word(halves, rule, of(x), of(v));
                }
            }
            Rule::PackedWords(halves) => {
                let chosen = halves.part(word != 0);
                for at in 0..vector.sources.len() {
                    let word = (chosen >> at & 1) as usize;
                    let mut room = Room::default();
                    add(bits, self.taken(vector, at, word, mask, &mut room).1);
                }
                fill(bits);
            }
            Rule::Pairs(rule) => *bits = self.of_pairs(vector, rule, word, mask),
            Rule::Select => {
                return self.selected(vector, carry.unwrap_or((0, 0)), (word, mask), bits);
            }
            Rule::Compare(equal) => return self.compared(vector, equal, mask, bits),
            _ => {
                for (at, source) in vector.sources.iter().enumerate() {
                    for word in 0..source.words {
                        let mut room = Room::default();
                        add(bits, self.taken(vector, at, word, mask, &mut room).1);
                    }
                }
                if matches!(vector.rule, Rule::AllLanes) {
                    let any = lanes::set(bits) & *mask != 0;
                    *bits = if any { ALL } else { NONE };
                }
                fill(bits);
            }
        }
        if let Some((_, unknown)) = carry {
            each(unknown & *mask).for_each(|lane| bits[lane] = !0);
        }
    }

    /// The values and the undefined bits of three sources.
    fn three<'a>(
        &'a self,
        vector: &Vector,
        word: usize,
        mask: &mut u64,
        rooms: &'a mut [Room; 3],
    ) -> ([&'a Row; 3], [&'a Row; 3]) {
        let (mut x, mut v) = ([&NONE; 3], [&NONE; 3]);
        for (at, room) in rooms.iter_mut().enumerate() {
            (x[at], v[at]) = self.taken(vector, at, word, mask, room);
        }
        (x, v)
    }

    /// The `word`-th register of a source, as the instruction takes it.
    fn taken<'a>(
        &'a self,
        vector: &Vector,
        index: usize,
        word: usize,
        mask: &mut u64,
        room: &'a mut Room,
    ) -> Taken<'a> {
        let Some(source) = vector.sources.get(index) else {
            return (&NONE, &NONE);
        };
        match (index, &vector.dpp) {
            (0, Some(dpp)) => {
                let mut before = Room::default();
                let (values, bits) = self.row(source, word, &mut before);
                let values = dpp.apply(values, self.exec).0;
                let (bits, left) = dpp.apply(bits, self.exec);
                *mask = left;
                (room.values.insert(values), room.bits.insert(bits))
            }
            _ => self.row(source, word, room),
        }
    }

    fn of_pairs(
        &self,
        vector: &Vector,
        rule: fn(Pairs, Pairs) -> u64,
        word: usize,
        mask: &mut u64,
    ) -> Row {
        let mut rooms: [[Room; 3]; 2] = Default::default();
        let [low, high] = &mut rooms;
        let words = [(0, low), (1, high)];
        let [low, high] = words.map(|(word, rooms)| self.three(vector, word, mask, rooms));
        let mut bits = NONE;
        for lane in each(*mask) {
            let pair = |at: usize, words: [&[&Row; 3]; 2]| {
                let [low, high] = words.map(|rows| u64::from(rows[at][lane]));
                let single = vector.sources.get(at).is_some_and(|source| {
                    source.words == 1 && !matches!(source.at, At::Constant(_))
                });
                low | if single { 0 } else { high << 32 }
            };
            let x = std::array::from_fn(|at| pair(at, [&low.0, &high.0]));
            let all = rule(x, std::array::from_fn(|at| pair(at, [&low.1, &high.1])));
            bits[lane] = (all >> (32 * word.min(1))) as u32;
        }
        bits
    }

    /// One of two sources, by a mask of which some bits are unknown.
    fn selected(
        &self,
        vector: &Vector,
        (select, unknown): (u64, u64),
        (word, mask): (usize, &mut u64),
        bits: &mut Row,
    ) {
        let mut rooms: [Room; 3] = Default::default();
        let ([x0, x1, _], [v0, v1, _]) = self.three(vector, word, mask, &mut rooms);
        *bits = *v0;
        lanes::blend(bits, v1, select);
        for lane in each(unknown & *mask) {
            bits[lane] = v0[lane] | v1[lane] | (x0[lane] ^ x1[lane]);
        }
    }

    /// All ones for lanes whose comparison is undefined.
    fn compared(&self, vector: &Vector, equal: bool, mask: &mut u64, bits: &mut Row) {
        let mut differs = NONE;
        let words = vector.sources.iter().map(|source| source.words).max();
        for word in 0..words.unwrap_or(1) {
            let mut rooms: [Room; 3] = Default::default();
            let ([x0, x1, _], [v0, v1, _]) = self.three(vector, word, mask, &mut rooms);
            for lane in 0..LANES {
                bits[lane] |= v0[lane] | v1[lane];
                differs[lane] |= (x0[lane] ^ x1[lane]) & !(v0[lane] | v1[lane]);
            }
        }
        for lane in 0..LANES {
            let known = equal && differs[lane] != 0;
            bits[lane] = all_if(bits[lane] != 0 && !known);
        }
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
