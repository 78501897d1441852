//! Decoding with a memory: of the instructions of a program, hardly one in twenty is new, and LLVM's decoder would take most
//! of the time of lifting.
//!
//! What an instruction means does not depend on where it is, so that one decoding and one [`Access`] serve all its copies.

use crate::Access;
use crate::Traits;
use crate::hash::{WordHash, mix};
use gfx::Target;
use isa::{DecodeError, Decoder, Inst};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Parts of what threads share, each with a lock of its own.
const SHELVES: usize = 64;
/// Words of the longest instruction that is remembered.
const LONGEST: usize = 3;

/// Position of an [`Access`] in the table of the module.
pub(crate) type AccessNumber = u32;

/// What is known of an instruction wherever it lies.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub inst: Inst,
    pub access: AccessNumber,
    pub traits: Traits,
}

impl Found {
    fn at(&self, pc: u64) -> Found {
        Found {
            inst: self.inst.at(pc),
            ..*self
        }
    }

    /// For another thread.
    fn unshared(&self) -> Found {
        Found {
            inst: self.inst.unshared(),
            ..*self
        }
    }
}

/// The different instructions of a program, shared by all threads that decode it.
pub(crate) struct Known {
    shelves: Vec<Mutex<Shelf>>,
    accesses: Mutex<Vec<Access>>,
    first_lane_exists: bool,
}

/// Wave size, words, and how many of them count.
type Key = (u8, [u32; LONGEST], usize);
type Shelf = HashMap<Key, Found, WordHash>;

impl Known {
    /// `first_lane_exists`: see [`crate::Options`].
    pub fn new(first_lane_exists: bool) -> Known {
        Known {
            shelves: (0..SHELVES).map(|_| Mutex::default()).collect(),
            accesses: Mutex::default(),
            first_lane_exists,
        }
    }

    /// What all instructions so far access, by number.
    pub fn accesses(&self) -> MutexGuard<'_, Vec<Access>> {
        lock(&self.accesses)
    }

    fn shelf(&self, key: &Key) -> MutexGuard<'_, Shelf> {
        let [first, second, third] = key.1.map(u64::from);
        let mixed = mix(first << 32 ^ second ^ third << 16);
        lock(&self.shelves[(mixed >> 48) as usize % SHELVES])
    }

    fn enter(&self, inst: Inst, wave_size: u8) -> Found {
        let mut access = Access::of(&inst, wave_size, false);
        if self.first_lane_exists && inst.mnemonic == "v_readfirstlane_b32" {
            access.reads_inactive = false;
        }
        let traits = Traits::of(&inst, &access);
        let mut accesses = self.accesses();
        accesses.push(access);
        Found {
            inst,
            access: (accesses.len() - 1) as AccessNumber,
            traits,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A thread's decoder, and what the thread met before, by the first words.
pub(crate) struct Remembering<'k> {
    known: &'k Known,
    decoder: Decoder,
    one: HashMap<u32, Found, WordHash>,
    two: HashMap<u64, Found, WordHash>,
    three: HashMap<u128, Found, WordHash>,
    /// Words of the last instruction whose first word started with the same bits.
    likely: Vec<u8>,
}

/// Bits at the end of a first word that say little of how many follow.
const BEHIND_OPCODE: u32 = 23;

impl<'k> Remembering<'k> {
    pub fn new(
        known: &'k Known,
        target: &'static Target,
        wave_size: u8,
    ) -> Result<Remembering<'k>, isa::Error> {
        Ok(Remembering {
            known,
            decoder: Decoder::with_features(target, wave_size, "")?,
            one: HashMap::default(),
            two: HashMap::default(),
            three: HashMap::default(),
            likely: vec![1; 1 << (32 - BEHIND_OPCODE)],
        })
    }

    /// The instruction at the start of `code`, as [`Decoder::decode`] has it, and what it accesses.
    pub fn decode(&mut self, code: &[u8], pc: u64) -> Result<Found, DecodeError> {
        let mut words = [0u32; LONGEST];
        for (word, bytes) in words.iter_mut().zip(code.chunks_exact(4)) {
            *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        let whole = code.len() / 4;
        if whole < LONGEST {
            let inst = self.decoder.decode(code, pc)?;
            return Ok(self.known.enter(inst, self.decoder.wave_size()));
        }
        let (two, three) = keys(words);
        let likely = &mut self.likely[(words[0] >> BEHIND_OPCODE) as usize];
        let known = match likely {
            1 => self.one.get(&words[0]),
            2 => self.two.get(&two),
            _ => self.three.get(&three),
        };
        if let Some(known) = known {
            return Ok(known.at(pc));
        }
        // How long an instruction is follows from its words, so that at most one of these has it.
        let known = (self.one.get(&words[0]))
            .or_else(|| self.two.get(&two))
            .or_else(|| self.three.get(&three));
        if let Some(known) = known {
            *likely = known.inst.size / 4;
            return Ok(known.at(pc));
        }
        let found = self.look_up(code, words, pc)?;
        let entry = found.clone();
        match found.inst.size / 4 {
            1 => drop(self.one.insert(words[0], entry)),
            2 => drop(self.two.insert(two, entry)),
            3 => drop(self.three.insert(three, entry)),
            _ => {}
        }
        Ok(found)
    }

    /// What another thread has decoded, or else the decoder's answer.
    fn look_up(&self, code: &[u8], words: [u32; LONGEST], pc: u64) -> Result<Found, DecodeError> {
        let wave_size = self.decoder.wave_size();
        let key = |length: usize| {
            let mut words = words;
            words[length.min(LONGEST)..].fill(0);
            (wave_size, words, length)
        };
        for length in 1..=LONGEST {
            let key = key(length);
            if let Some(known) = self.known.shelf(&key).get(&key) {
                let mut found = known.unshared();
                found.inst.pc = pc;
                return Ok(found);
            }
        }
        let inst = self.decoder.decode(code, pc)?;
        let length = usize::from(inst.size) / 4;
        let found = self.known.enter(inst, wave_size);
        if length <= LONGEST {
            let key = key(length);
            let mut shelf = self.known.shelf(&key);
            shelf.insert(key, found.unshared());
        }
        Ok(found)
    }
}

/// Two words and three as one number each.
fn keys(words: [u32; LONGEST]) -> (u64, u128) {
    let two = u64::from(words[0]) | u64::from(words[1]) << 32;
    (two, u128::from(two) | u128::from(words[2]) << 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words that repeat, in another order and cut short, come out as the plain decoder has them; so they do for a second
    /// thread, which gets them from the first.
    #[test]
    fn what_is_remembered_is_what_is_decoded() {
        for name in ["gfx900", "gfx90a", "gfx1030", "gfx1100", "gfx1200"] {
            let target = Target::find(name).expect("a known target");
            let plain = Decoder::new(target).expect("a decoder");
            let known = Known::new(false);
            let remembering = || Remembering::new(&known, target, target.wave_size);
            let mut first = remembering().expect("a decoder");
            let mut second = remembering().expect("a decoder");
            let mut state = 0x1234_5678_9abc_def0u64;
            let mut words = Vec::new();
            for _ in 0..20_000 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                // Few different words in every place, so that they meet again with other neighbours.
                let pick = (state >> 20) as u32 % 97;
                words.push(pick.wrapping_mul(0x9e37_79b1) ^ (pick % 5) << 29);
            }
            let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let (mut good, mut at) = (0, 0);
            while at < code.len() {
                let expected = plain.decode(&code[at..], at as u64);
                let text = |result: &Result<Inst, DecodeError>| format!("{result:?}");
                let wave_size = target.wave_size;
                for remembering in [&mut first, &mut second] {
                    let found = remembering.decode(&code[at..], at as u64);
                    if let Ok(found) = &found {
                        let access = &known.accesses()[found.access as usize];
                        let alone = Access::of(&found.inst, wave_size, false);
                        assert_eq!(found.traits, Traits::of(&found.inst, &alone));
                        assert_eq!(
                            format!("{access:?}"),
                            format!("{alone:?}"),
                            "{name} at {at:#x}"
                        );
                    }
                    let found = found.map(|found| found.inst);
                    assert_eq!(text(&found), text(&expected), "{name} at {at:#x}");
                }
                good += usize::from(expected.is_ok());
                at += 4;
            }
            assert!(good > 1000, "{name}: {good}");
            assert!(
                known.accesses().len() < good / 2,
                "{name}: nothing was met again"
            );
        }
    }
}
