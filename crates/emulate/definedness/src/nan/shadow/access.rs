//! Stores, loads and atomics.

use super::{Class, How, LANES, Row, Scene, Taint, To, Use, each};
use crate::{
    access::{Access, Kind, Place, Space},
    lanes::NONE,
};

/// A part of an access that each lane makes in one word.
#[derive(Clone, Copy)]
struct Word {
    row: usize,
    /// How the lane's address on.
    at: u32,
    bytes: u32,
}

impl Scene<'_> {
    pub(super) fn access(&mut self, access: &Access) {
        let words = access.bytes.div_ceil(4) as usize;
        if matches!(access.space, Space::Scalar { .. }) {
            let slots = access
                .destination
                .map_or(0..0, |first| first..first + words);
            return self.clear_slots(&slots.collect::<Vec<_>>());
        }
        for which in 0..access.addresses {
            let all = (0..words).map(|word| {
                let at = 4 * word as u32;
                (word, at, (access.bytes - at).min(4))
            });
            let mut places: Option<[Place; LANES]> = None;
            for (word, at, bytes) in all {
                if access.kind != Kind::Load {
                    let row = access.data[which] + word;
                    self.store(access, which, &mut places, Word { row, at, bytes });
                }
                if let Some(first) = access.destination {
                    let row = first + which * words + word;
                    self.load(access, which, &mut places, Word { row, at, bytes });
                }
            }
        }
    }

    fn places<'p>(
        &self,
        access: &Access,
        which: usize,
        places: &'p mut Option<[Place; LANES]>,
    ) -> &'p [Place; LANES] {
        places.get_or_insert_with(|| {
            let mut places = [Place::Nowhere; LANES];
            access.places(self.wave, self.exec, which, &mut places);
            places
        })
    }

    fn store(
        &mut self,
        access: &Access,
        which: usize,
        places: &mut Option<[Place; LANES]>,
        Word { row, at, bytes }: Word,
    ) {
        let kept = !self.of.lds.is_empty() || !self.of.private.is_empty();
        let taints = self.taints().row(row).copied();
        if taints.is_none() && !kept || row >= self.wave.vector_rows() {
            return;
        }
        let places = *self.places(access, which, places);
        let (words, before) = (
            *self.wave.vgpr_row(row),
            *self.wave.vgpr_row(row.saturating_sub(1)),
        );
        let high = access.half == Some(true);
        let taints = taints.unwrap_or(NONE);
        self.tell(Use::Stored, self.exec, |lane| {
            let taint = Taint(taints[lane]);
            let address = match places[lane] {
                Place::Memory(address) => Some(address + u64::from(at)),
                Place::Unknown => None,
                _ => return (Taint::NONE, Class::Number, None),
            };
            let is_upper = !taint.is_none() && taint.format() == super::Format::Single;
            let class = match bytes {
                2 if high => taint.class(words[lane] >> 16, 0, 2),
                // The lower half of a single says nothing.
                2 if is_upper => Class::Number,
                _ => taint.class(words[lane], before[lane], bytes),
            };
            (taint, class, address)
        });
        for lane in each(self.exec) {
            let new = Taint(taints[lane]);
            match places[lane] {
                Place::Lds(address) => keep(&mut self.of.lds, (address + at) / 4, new, bytes),
                Place::Private(offset) => {
                    let key = self.private_key(lane, offset.wrapping_add(at));
                    keep(&mut self.of.private, key, new, bytes);
                }
                _ => {}
            }
        }
    }

    fn load(
        &mut self,
        access: &Access,
        which: usize,
        places: &mut Option<[Place; LANES]>,
        Word { row, at, .. }: Word,
    ) {
        let mut from = How::Nothing;
        if !self.of.lds.is_empty() || !self.of.private.is_empty() {
            let places = self.places(access, which, places);
            let mut lanes: Box<Row> = Box::new(NONE);
            for lane in each(self.exec) {
                let taint = match places[lane] {
                    Place::Lds(address) => self.of.lds.get(&((address + at) / 4)),
                    Place::Private(offset) => {
                        let key = self.private_key(lane, offset.wrapping_add(at));
                        self.of.private.get(&key)
                    }
                    _ => None,
                };
                lanes[lane] = taint.map_or(0, |taint| taint.0);
            }
            if lanes.iter().any(|one| *one != 0) {
                from = How::Lanes(lanes);
            }
        }
        let exec = self.exec;
        let from = self.beside(row, access.half, from);
        self.writes(To::Row(row), exec, from);
    }

    fn private_key(&self, lane: usize, offset: u32) -> (u32, u32, u32) {
        (self.wave.index_in_workgroup, lane as u32, offset / 4)
    }
}

/// The taint of a dword from now on. Less than a dword may leave the rest what it was.
fn keep<K: std::hash::Hash + Eq>(
    all: &mut std::collections::HashMap<K, Taint>,
    key: K,
    new: Taint,
    bytes: u32,
) {
    match (new.is_none(), bytes) {
        (false, _) => drop(all.insert(key, new)),
        (true, 4) => drop(all.remove(&key)),
        _ => {}
    }
}
