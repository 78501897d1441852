//! Decoding with a memory: compilers emit the same words over and over, and LLVM's decoder takes most of the time of lifting.

use gfx::Target;
use isa::{DecodeError, Decoder, Inst};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Instructions that are remembered; then all are forgotten.
const MOST: usize = 1 << 18;

/// A decoder, and what it found before, by the first one or two words. What an instruction means does not depend on where it
/// is: branches have displacements.
pub(crate) struct Remembering {
    decoder: Decoder,
    one: HashMap<u32, Inst, Mix>,
    two: HashMap<u64, Inst, Mix>,
}

impl Remembering {
    pub fn new(target: &'static Target, wave_size: u8) -> Result<Remembering, isa::Error> {
        Ok(Remembering {
            decoder: Decoder::with_features(target, wave_size, "")?,
            one: HashMap::default(),
            two: HashMap::default(),
        })
    }

    /// The instruction at the start of `code`, as [`Decoder::decode`] has it.
    pub fn decode(&mut self, code: &[u8], pc: u64) -> Result<Inst, DecodeError> {
        let Some((&[a, b, c, d, e, f, g, h], _)) = code.split_first_chunk::<8>() else {
            return self.decoder.decode(code, pc);
        };
        let first = u32::from_le_bytes([a, b, c, d]);
        let both = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
        let known = self.one.get(&first).or_else(|| self.two.get(&both));
        if let Some(known) = known {
            return Ok(Inst {
                pc,
                ..known.clone()
            });
        }
        let inst = self.decoder.decode(code, pc)?;
        if self.one.len() + self.two.len() >= MOST {
            self.one.clear();
            self.two.clear();
        }
        match inst.size {
            4 => drop(self.one.insert(first, inst.clone())),
            8 => drop(self.two.insert(both, inst.clone())),
            _ => {}
        }
        Ok(inst)
    }
}

type Mix = BuildHasherDefault<Multiply>;

/// A hash of one number, good enough for words of code, which nobody makes collide on purpose but to be slow.
#[derive(Default)]
struct Multiply(u64);

impl Hasher for Multiply {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }

    fn write_u64(&mut self, words: u64) {
        let mixed = (self.0 ^ words).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words that repeat, in another order and cut short, come out as the plain decoder has them.
    #[test]
    fn what_is_remembered_is_what_is_decoded() {
        for name in ["gfx900", "gfx90a", "gfx1030", "gfx1100", "gfx1200"] {
            let target = Target::find(name).expect("a known target");
            let plain = Decoder::new(target).expect("a decoder");
            let mut remembering = Remembering::new(target, target.wave_size).expect("a decoder");
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
                let found = remembering.decode(&code[at..], at as u64);
                let text = |result: &Result<Inst, DecodeError>| format!("{result:?}");
                assert_eq!(text(&found), text(&expected), "{name} at {at:#x}");
                good += usize::from(found.is_ok());
                at += 4;
            }
            assert!(good > 1000, "{name}: {good}");
        }
    }
}
