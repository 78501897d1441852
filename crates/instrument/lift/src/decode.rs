//! Decoding with a memory. Hardly one in twenty of a program's instructions is new, and LLVM's decoder would take most
//! of the time of lifting. A decoder's memory serves the next program for the same target too, so decoders are kept.

use crate::Access;
use crate::InstFlags;
use crate::hash::{WordHash, mix};
use crate::table::{Entry, Number, Table};
use gfx::{Family, Target};
use isa::{DecodeError, Decoded, Decoder, Known};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// Parts of what threads share, each with a lock of its own.
const SHELVES: usize = 64;
/// Words of the longest instruction that is remembered.
const LONGEST: usize = 3;

/// The facts about an instruction that do not depend on its address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CachedInst {
    pub number: Number,
    pub traits: InstFlags,
    /// Bytes.
    pub size: u8,
}

/// The different instructions of a program, shared by all threads that decode it.
pub(crate) struct DecodeCache {
    shelves: Vec<Mutex<Bucket>>,
    table: Mutex<Table>,
    /// One thread decodes, and what it has met it knows itself.
    alone: bool,
    first_lane_exists: bool,
    family: Family,
}

/// The words of an instruction that is remembered; those that it lacks are zero.
type Words = [u32; LONGEST];
/// Instructions by [`key`]. One first word may have thousands of them.
type Bucket = HashMap<u128, CachedInst, WordHash>;

/// The key of an instruction of `count` words: everything that distinguishes it from others.
fn key(words: Words, count: usize, wave_size: u8) -> u128 {
    let known = words.iter().take(count).enumerate();
    let words = known.fold(0, |key, (index, word)| {
        key | u128::from(*word) << (32 * index)
    });
    words | (count as u128) << 96 | u128::from(wave_size) << 104
}

#[derive(Clone, Copy)]
struct CacheEntry {
    words: Words,
    found: CachedInst,
}

impl CacheEntry {
    /// Returns `true` if these are its words, as far as it has any, and it does not end behind `length` bytes.
    #[inline]
    fn is(&self, words: Words, length: usize) -> bool {
        let size = usize::from(self.found.size);
        self.words[0] == words[0]
            && (size <= 4 || self.words[1] == words[1])
            && (size <= 8 || self.words[2] == words[2])
            && size <= length
    }
}

impl DecodeCache {
    /// `first_lane_exists`: see [`crate::Options`]. `bytes`: of all code. `alone`: one thread decodes all.
    pub fn new(family: Family, first_lane_exists: bool, bytes: usize, alone: bool) -> DecodeCache {
        DecodeCache {
            alone,
            shelves: (0..SHELVES).map(|_| Mutex::default()).collect(),
            // Memory that is not touched costs nothing, but moving a table that grows does.
            table: Mutex::new(Table::with_capacity(bytes / 64)),
            first_lane_exists,
            family,
        }
    }

    /// All instructions so far.
    pub fn table(&self) -> MutexGuard<'_, Table> {
        lock(&self.table)
    }

    fn shelf(&self, first: u32) -> MutexGuard<'_, Bucket> {
        lock(&self.shelves[(mix(first.into()) >> 48) as usize % SHELVES])
    }

    fn enter(&self, decoded: Decoded, wave_size: u8) -> CachedInst {
        let mut access = Access::new(&decoded, wave_size, false);
        if self.first_lane_exists && decoded.op.is(Known::VReadfirstlaneB32) {
            access.reads_inactive = false;
        }
        let size = decoded.size;
        let entry = Entry::new(decoded, access, self.family);
        let traits = entry.traits;
        let number = self.table().enter(entry);
        CachedInst {
            number,
            traits,
            size,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A thread's decoder, and what the thread met before.
pub(crate) struct CachingDecoder<'k> {
    known: &'k DecodeCache,
    /// Present until the decoder is dropped.
    own: Option<Own>,
}

/// The part that outlives a program. It says nothing about the program.
struct Own {
    decoder: Decoder,
    met: Vec<RecentInst>,
    /// Positions in `met`, by the words.
    one: HashMap<u32, u32, WordHash>,
    two: HashMap<u64, u32, WordHash>,
    three: HashMap<u128, u32, WordHash>,
    /// Words of the last instruction whose first word started with the same bits.
    likely: Vec<u8>,
    /// Position of the last instruction.
    last: u32,
}

/// The decoders that no thread uses. The one that was used last comes last.
static KEPT: Mutex<Vec<Own>> = Mutex::new(Vec::new());
/// The largest number that are kept: as many as one file may have targets, for two threads or more. Most take a megabyte or two.
const MOST_KEPT: usize = 64;
/// A decoder that remembers more than that starts anew.
const MOST_REMEMBERED: usize = 1 << 14;
/// Room for more instructions than that is given back.
const MOST_MET: usize = 1 << 14;

/// The lock is tried, never waited for: in a child of a fork, the thread that held it is gone.
fn kept() -> Option<MutexGuard<'static, Vec<Own>>> {
    match KEPT.try_lock() {
        Ok(kept) => Some(kept),
        Err(TryLockError::Poisoned(kept)) => Some(kept.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

impl Own {
    fn take(target: &'static Target, wave_size: u8) -> Result<Own, isa::Error> {
        let fits = |own: &Own| {
            std::ptr::eq(own.decoder.target(), target) && own.decoder.wave_size() == wave_size
        };
        let kept = kept().and_then(|mut kept| {
            let found = kept.iter().rposition(fits)?;
            Some(kept.remove(found))
        });
        match kept {
            Some(kept) => Ok(kept),
            None => Ok(Own {
                decoder: Decoder::with_features(target, wave_size, "")?,
                met: Vec::new(),
                one: HashMap::default(),
                two: HashMap::default(),
                three: HashMap::default(),
                likely: vec![1; 1 << (32 - BEHIND_OPCODE)],
                last: 0,
            }),
        }
    }

    fn keep(mut self) {
        if self.decoder.remembered() > MOST_REMEMBERED {
            return;
        }
        let large = self.met.len() > MOST_MET;
        self.met.clear();
        self.one.clear();
        self.two.clear();
        self.three.clear();
        self.last = 0;
        if large {
            self.met.shrink_to(0);
            self.one.shrink_to(0);
            self.two.shrink_to(0);
            self.three.shrink_to(0);
        }
        let Some(mut kept) = kept() else { return };
        kept.push(self);
        let oldest = (kept.len() > MOST_KEPT).then(|| kept.remove(0));
        // Other threads need not wait while this one is dropped.
        drop(kept);
        drop(oldest);
    }
}

impl Drop for CachingDecoder<'_> {
    fn drop(&mut self) {
        // A decoder that a panic has left half done is not kept.
        if let Some(own) = self.own.take().filter(|_| !std::thread::panicking()) {
            own.keep();
        }
    }
}

/// An instruction that a thread has met.
#[derive(Clone, Copy)]
struct RecentInst {
    what: CacheEntry,
    /// Position of what came behind it last. Programs repeat themselves, so that this is mostly what comes next; and those
    /// that came one after the other lie so.
    next: u32,
}

/// Bits at the end of a first word that say little of how many follow.
const BEHIND_OPCODE: u32 = 23;

impl<'k> CachingDecoder<'k> {
    pub fn new(
        known: &'k DecodeCache,
        target: &'static Target,
        wave_size: u8,
    ) -> Result<CachingDecoder<'k>, isa::Error> {
        let own = Some(Own::take(target, wave_size)?);
        Ok(CachingDecoder { known, own })
    }

    /// Decodes the start of `code`, which lies at `pc`, as [`Decoder::decode`] does.
    #[inline]
    pub fn decode(&mut self, code: &[u8], pc: u64) -> Result<CachedInst, DecodeError> {
        match &mut self.own {
            Some(own) => own.decode(self.known, code, pc),
            None => unreachable!("it is taken out in the end"),
        }
    }
}

impl Own {
    #[inline]
    fn decode(
        &mut self,
        known: &DecodeCache,
        code: &[u8],
        pc: u64,
    ) -> Result<CachedInst, DecodeError> {
        let mut words: Words = [0; LONGEST];
        for (word, bytes) in words.iter_mut().zip(code.chunks_exact(4)) {
            *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        if let Some(last) = self.met.get(self.last as usize) {
            let next = last.next;
            let expected = &self.met[next as usize].what;
            if expected.is(words, code.len()) {
                self.last = next;
                return Ok(expected.found);
            }
        }
        self.search(known, code, words, pc)
    }

    fn search(
        &mut self,
        known: &DecodeCache,
        code: &[u8],
        words: Words,
        pc: u64,
    ) -> Result<CachedInst, DecodeError> {
        let (two, three) = keys(words);
        let start = (words[0] >> BEHIND_OPCODE) as usize;
        let position = match self.likely[start] {
            1 => self.one.get(&words[0]),
            2 => self.two.get(&two),
            _ => self.three.get(&three),
        };
        // How long an instruction is follows from its words, so that at most one of these has it.
        let position = position
            .or_else(|| self.one.get(&words[0]))
            .or_else(|| self.two.get(&two))
            .or_else(|| self.three.get(&three));
        let position = match position {
            Some(&met) if self.met[met as usize].what.is(words, code.len()) => met,
            _ => {
                let found = self.look_up(known, code, words, pc)?;
                let position = self.met.len() as u32;
                match found.size / 4 {
                    1 => drop(self.one.insert(words[0], position)),
                    2 => drop(self.two.insert(two, position)),
                    3 => drop(self.three.insert(three, position)),
                    _ => return Ok(found),
                }
                self.met.push(RecentInst {
                    what: CacheEntry { words, found },
                    next: position,
                });
                position
            }
        };
        let found = self.met[position as usize].what.found;
        self.likely[start] = found.size / 4;
        if let Some(last) = self.met.get_mut(self.last as usize) {
            last.next = position;
        }
        self.last = position;
        Ok(found)
    }

    /// The instruction as another thread has decoded it, or else the decoder's answer.
    fn look_up(
        &self,
        known: &DecodeCache,
        code: &[u8],
        words: Words,
        pc: u64,
    ) -> Result<CachedInst, DecodeError> {
        let wave_size = self.decoder.wave_size();
        if known.alone {
            let decoded = self.decoder.decode_alone(code, pc)?;
            return Ok(known.enter(decoded, wave_size));
        }
        let shelf = known.shelf(words[0]);
        // How long it is follows from its words: at most one of these is there.
        let mut counts = 1..=LONGEST.min(code.len() / 4);
        if let Some(met) = counts.find_map(|count| shelf.get(&key(words, count, wave_size))) {
            return Ok(*met);
        }
        // Others need not wait for the decoder.
        drop(shelf);
        let decoded = self.decoder.decode_alone(code, pc)?;
        let found = known.enter(decoded, wave_size);
        let count = usize::from(found.size) / 4;
        if count <= LONGEST {
            let mut shelf = known.shelf(words[0]);
            shelf.insert(key(words, count, wave_size), found);
        }
        Ok(found)
    }
}

/// Two words and three as one number each.
fn keys(words: Words) -> (u64, u128) {
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
            let known = DecodeCache::new(target.family, false, 0, false);
            let remembering = || CachingDecoder::new(&known, target, target.wave_size);
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
                // Now and then the code ends here.
                for end in [code.len(), (at + 4 * (at / 4 % 5)).min(code.len())] {
                    let code = &code[at..end];
                    let expected = plain.decode_alone(code, at as u64);
                    let text = |result: &Result<Decoded, DecodeError>| format!("{result:?}");
                    let wave_size = target.wave_size;
                    for remembering in [&mut first, &mut second] {
                        let found = remembering.decode(code, at as u64);
                        let table = known.table();
                        let found = found.map(|found| {
                            let decoded = table.decoded(found.number).clone();
                            let access = table.access(found.number);
                            let alone = Access::new(&decoded, wave_size, false);
                            assert_eq!(found.traits, InstFlags::new(&decoded, &alone));
                            assert_eq!(found.size, decoded.size);
                            let texts = (format!("{access:?}"), format!("{alone:?}"));
                            assert_eq!(texts.0, texts.1, "{name} at {at:#x}");
                            decoded
                        });
                        assert_eq!(text(&found), text(&expected), "{name} at {at:#x}");
                    }
                    good += usize::from(expected.is_ok());
                }
                at += 4;
            }
            assert!(good > 1000, "{name}: {good}");
            let different = known.table().len();
            assert!(different < good / 2, "{name}: nothing was met again");
        }
    }

    /// A decoder that has seen another program says the same as a new one.
    #[test]
    fn a_decoder_that_was_kept_knows_nothing_of_the_program_before() {
        let target = Target::find("gfx90a").expect("a known target");
        let plain = Decoder::new(target).expect("a decoder");
        // s_mov_b32 s0, N and v_add_f32 vN, v1, v2, with other numbers in each program.
        for round in 0..4u32 {
            let known = DecodeCache::new(target.family, false, 0, false);
            let mut decoder =
                CachingDecoder::new(&known, target, target.wave_size).expect("a decoder");
            for number in 0..40 {
                let number = number + 30 * round;
                for word in [
                    0xbe80_0080 + number % 64,
                    0x0200_0501 + ((number % 256) << 17),
                ] {
                    let code = word.to_le_bytes();
                    let expected = plain.decode_alone(&code, 0).expect("an instruction");
                    let found = decoder.decode(&code, 0).expect("an instruction");
                    let table = known.table();
                    let decoded = table.decoded(found.number);
                    assert_eq!(format!("{decoded:?}"), format!("{expected:?}"), "{round}");
                }
            }
            assert!(known.table().len() <= 80, "each was entered once");
        }
    }
}
