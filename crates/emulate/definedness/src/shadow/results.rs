//! Results of vector instructions, by their rules.

use super::{At, Room, Rule, Scene, Taken, Vector};
use crate::{
    lanes::{self, ALL, LANES, NONE, Row, each},
    packed,
    rules::{Pairs, all_if},
};

impl Scene<'_> {
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
