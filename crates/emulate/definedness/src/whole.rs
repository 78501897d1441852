//! Loads and stores of whole words of LDS, of which all bits are undefined or none.

use crate::{
    access::{Access, Kind, Space},
    lanes::Row,
    lds::{Lds, Seen, are_all},
    plan::Action,
    report::OriginId,
    state::Registers,
};

/// An instruction that loads or stores up to four words, one behind the other, at each lane's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Words {
    /// The register of addresses.
    pub row: u16,
    /// The first register that is loaded or stored.
    pub first: u16,
    pub offset: u32,
    pub count: u8,
    pub stores: bool,
}

impl Words {
    /// None for another instruction.
    pub fn of(action: &Action) -> Option<Words> {
        let Action::Access(access) = action else {
            return None;
        };
        let Space::Lds { row, offsets } = access.space else {
            return None;
        };
        let count = access.bytes / 4;
        if access.bytes % 4 != 0
            || !(1..=4).contains(&count)
            || access.addresses != 1
            || access.half.is_some()
        {
            return None;
        }
        Some(Words {
            row: row as u16,
            first: first(access)? as u16,
            offset: offsets[0],
            count: count as u8,
            stores: access.kind == Kind::Store,
        })
    }

    /// Follows the instruction in the lanes of `exec`, which have these addresses. Returns `false`, and does nothing, if words have parts or lie outside,
    /// if a register has parts, or if an address is undefined. `came` tells the origin of what is undefined at an address.
    #[inline]
    pub fn follow(
        &self,
        registers: &mut Registers,
        lds: &mut Lds,
        (addresses, exec): (&Row, u64),
        came: impl FnOnce(u32) -> OriginId,
    ) -> bool {
        if exec == 0 || !lds.is_whole() || registers.undefined(self.row.into()) & exec != 0 {
            return false;
        }
        let lanes = (addresses, exec);
        match (self.stores, self.count) {
            (true, 1) => self.store::<1>(registers, lds, lanes),
            (true, 2) => self.store::<2>(registers, lds, lanes),
            (true, 3) => self.store::<3>(registers, lds, lanes),
            (true, _) => self.store::<4>(registers, lds, lanes),
            (false, 1) => self.load::<1>(registers, lds, lanes, came),
            (false, 2) => self.load::<2>(registers, lds, lanes, came),
            (false, 3) => self.load::<3>(registers, lds, lanes, came),
            (false, _) => self.load::<4>(registers, lds, lanes, came),
        }
    }

    fn store<const W: usize>(
        &self,
        registers: &Registers,
        lds: &mut Lds,
        (addresses, exec): (&Row, u64),
    ) -> bool {
        let first = usize::from(self.first);
        let (mut lanes, mut any) = ([0; W], 0);
        for (word, own) in lanes.iter_mut().enumerate() {
            *own = registers.undefined(first + word) & exec;
            any |= *own;
        }
        if any == 0 && lds.is_all_defined() {
            return true;
        }
        if any != 0 && !(first..first + W).all(|row| registers.is_full(row)) {
            return false;
        }
        let places = lds.places((addresses, self.offset), exec, 4 * W as u32);
        match any {
            0 => lds.fill::<W>(&places, false),
            _ if are_all(&lanes, exec) => lds.fill::<W>(&places, true),
            _ => lds.put_lanes(&places, lanes),
        }
    }

    fn load<const W: usize>(
        &self,
        registers: &mut Registers,
        lds: &Lds,
        (addresses, exec): (&Row, u64),
        came: impl FnOnce(u32) -> OriginId,
    ) -> bool {
        let first = usize::from(self.first);
        let seen = match lds.is_all_defined() {
            true => Some(Seen::None),
            false => {
                let places = lds.places((addresses, self.offset), exec, 4 * W as u32);
                lds.look::<W>(&places)
            }
        };
        let lanes = match seen {
            None | Some(Seen::Parts) => return false,
            Some(Seen::None) => {
                (first..first + W).for_each(|row| registers.define(row, exec));
                return true;
            }
            Some(Seen::All) => [exec; W],
            Some(Seen::Lanes(lanes)) => lanes,
        };
        registers.load(first, lanes, exec, |word, lane| {
            let address = addresses[lane].wrapping_add(self.offset);
            came(address.wrapping_add(4 * word as u32))
        });
        true
    }
}

/// The first register that is loaded or stored.
fn first(access: &Access) -> Option<usize> {
    match access.kind {
        Kind::Load => access.destination,
        Kind::Store => Some(access.data[0]),
        Kind::Atomic => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        lanes::{LANES, NONE, each},
        random::steps,
    };

    const WORDS: u32 = 200;
    const ROWS: usize = 8;

    /// The undefined bits of LDS and of registers, by word and by lane.
    struct Plain {
        lds: Vec<u32>,
        rows: [Row; ROWS],
    }

    impl Plain {
        fn follow(&mut self, words: &Words, addresses: &Row, exec: u64) {
            for lane in each(exec) {
                let at = addresses[lane].wrapping_add(words.offset) as usize / 4;
                for word in 0..usize::from(words.count) {
                    let own = &mut self.rows[usize::from(words.first) + word][lane];
                    match words.stores {
                        true => self.lds[at + word] = *own,
                        false => *own = self.lds[at + word],
                    }
                }
            }
        }
    }

    impl Plain {
        fn loads_nothing(&mut self, words: &Words, exec: u64) {
            for word in 0..usize::from(words.count) {
                let row = &mut self.rows[usize::from(words.first) + word];
                each(exec).for_each(|lane| row[lane] = 0);
            }
        }
    }

    /// The last register has the addresses.
    const ADDRESSES: u16 = ROWS as u16 - 1;

    fn words(random: &mut impl FnMut() -> u32) -> Words {
        Words {
            row: ADDRESSES,
            first: (random() % 4) as u16,
            offset: [0, 16][(random() % 2) as usize],
            count: 1 + (random() % 4) as u8,
            stores: random().is_multiple_of(2),
        }
    }

    /// Addresses of lanes: in a row, in blocks, or anywhere, and sometimes of no word or outside.
    fn addresses(random: &mut impl FnMut() -> u32, step: u32) -> Row {
        let (wild, start) = (random() % 20, random() % 32 * 4);
        let block: [u32; 4] = std::array::from_fn(|_| random() % 9 * step);
        std::array::from_fn(|lane| match wild {
            0 => random() % (4 * WORDS + 40),
            1..5 => random() % 40 * step,
            5..12 => block[lane / 16] + lane as u32 % 16 * step,
            _ => start + lane as u32 % 32 * step,
        })
    }

    fn is_followed(plain: &Plain, words: &Words, addresses: &Row, exec: u64) -> bool {
        let bytes = 4 * u32::from(words.count);
        each(exec).all(|lane| {
            let at = addresses[lane].wrapping_add(words.offset);
            at.is_multiple_of(4) && at + bytes <= 4 * plain.lds.len() as u32
        })
    }

    #[test]
    fn whole_words_are_those_of_each_lane() {
        let mut steps = steps(9);
        let mut random = || (steps() >> 33) as u32;
        let (mut lds, mut registers) = (Lds::default(), Registers::of_rows(ROWS));
        let mut plain = Plain {
            lds: Vec::new(),
            rows: [NONE; ROWS],
        };
        let (mut followed, mut origins) = (0, 0);
        for round in 0..6000 {
            if round % 50 == 0 {
                let is_undefined = round % 400 != 0;
                lds.begin(4 * WORDS as usize);
                if !is_undefined {
                    lds.define_all();
                }
                plain.lds = vec![if is_undefined { !0 } else { 0 }; WORDS as usize];
            }
            let exec = match random() % 3 {
                0 => !0,
                1 => 0xffff_ffff,
                _ => u64::from(random()) << 32 | u64::from(random()),
            };
            let row = random() as usize % (ROWS - 1);
            let lanes = [0, exec, u64::from(random()) << 16][random() as usize % 3];
            registers.set_full(row, lanes, !0, Some(OriginId(7)));
            plain.rows[row] = crate::lanes::of_mask(lanes);
            let words = words(&mut random);
            let addresses = addresses(&mut random, 4 * u32::from(words.count));
            let mut asked = None;
            let done = words.follow(&mut registers, &mut lds, (&addresses, exec), |address| {
                asked = Some(address);
                OriginId(round + 8)
            });
            let inside = is_followed(&plain, &words, &addresses, exec);
            let nothing = plain.lds.iter().all(|bits| *bits == 0);
            assert!(!done || inside || nothing, "{round}: {words:?}");
            if !done {
                continue;
            }
            followed += 1;
            match inside {
                true => plain.follow(&words, &addresses, exec),
                // All outside is defined.
                false => plain.loads_nothing(&words, exec),
            }
            for (row, bits) in plain.rows.iter().enumerate() {
                assert_eq!(
                    registers.row(row, &mut None),
                    bits,
                    "{round}: {row} {words:?}"
                );
            }
            for (at, bits) in plain.lds.iter().enumerate() {
                assert_eq!(lds.load(4 * at as u32, 4), *bits, "{round}: {at} {words:?}");
            }
            if let Some(address) = asked {
                let first = usize::from(words.first);
                let word = (first..first + usize::from(words.count))
                    .find(|row| registers.undefined(*row) & exec != 0);
                let row = word.expect("a word that is undefined");
                let lane = (registers.undefined(row) & exec).trailing_zeros() as usize;
                let own = addresses[lane].wrapping_add(words.offset);
                assert_eq!(address, own + 4 * (row - first) as u32, "{round}");
                assert_eq!(registers.origin(row), OriginId(round + 8), "{round}");
                origins += 1;
            }
        }
        assert!(followed > 3000 && origins > 500, "{followed}, {origins}");
    }

    #[test]
    fn other_accesses_have_no_short_plan() {
        let load = || Access {
            space: Space::Lds {
                row: 3,
                offsets: [16, 0],
            },
            kind: Kind::Load,
            bytes: 12,
            data: [5, 0],
            addresses: 1,
            destination: Some(8),
            half: None,
            signed: false,
            address_rows: vec![3],
            address_slots: vec![],
        };
        let short = |access: Access| Words::of(&Action::Access(access));
        let words = Words {
            row: 3,
            first: 8,
            offset: 16,
            count: 3,
            stores: false,
        };
        assert_eq!(short(load()), Some(words));
        let store = Access {
            kind: Kind::Store,
            destination: None,
            ..load()
        };
        let stores = Words {
            first: 5,
            stores: true,
            ..words
        };
        assert_eq!(short(store), Some(stores));
        let mut others = Vec::from([1, 2, 6, 20].map(|bytes| Access { bytes, ..load() }));
        others.push(Access {
            kind: Kind::Atomic,
            ..load()
        });
        others.push(Access {
            half: Some(true),
            ..load()
        });
        others.push(Access {
            addresses: 2,
            ..load()
        });
        others.push(Access {
            space: Space::Scalar {
                base: 0,
                offset_slot: None,
                offset: 0,
                buffer: false,
            },
            ..load()
        });
        for (number, access) in others.into_iter().enumerate() {
            assert_eq!(short(access), None, "{number}");
        }
    }

    /// These are for the plan itself.
    #[test]
    fn parts_and_undefined_addresses_are_not_followed() {
        let (mut lds, mut registers) = (Lds::default(), Registers::of_rows(ROWS));
        lds.begin(4 * WORDS as usize);
        let mut words = Words {
            row: ADDRESSES,
            first: 1,
            offset: 0,
            count: 1,
            stores: true,
        };
        let addresses: Row = std::array::from_fn(|lane| 4 * lane as u32);
        let follow = |words: &Words, registers: &mut Registers, lds: &mut Lds, exec| {
            words.follow(registers, lds, (&addresses, exec), |_| OriginId(1))
        };
        assert!(!follow(&words, &mut registers, &mut lds, 0));
        assert!(follow(&words, &mut registers, &mut lds, !0));
        registers.set(1, &[1; LANES], !0, None);
        assert!(!follow(&words, &mut registers, &mut lds, !0));
        words.first = 2;
        registers.set_full(ADDRESSES.into(), 2, !0, None);
        assert!(!follow(&words, &mut registers, &mut lds, !0));
        assert!(follow(&words, &mut registers, &mut lds, 1));
        lds.store(8, 4, 1);
        assert!(!follow(&words, &mut registers, &mut lds, 1));
    }
}
