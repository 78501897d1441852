//! A quick hash of numbers.

use std::hash::{BuildHasherDefault, Hasher};

/// Good enough for words of code: code that makes them collide on purpose only makes lifting slow.
pub type WordHash = BuildHasherDefault<MultiplyHasher>;

/// The state of a [`WordHash`].
#[derive(Clone, Debug, Default)]
pub struct MultiplyHasher(u64);

pub(crate) fn mix(number: u64) -> u64 {
    let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 32
}

impl Hasher for MultiplyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut number = [0; 8];
            number[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(number));
        }
    }

    fn write_u8(&mut self, byte: u8) {
        self.write_u64(byte.into());
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }

    fn write_u64(&mut self, words: u64) {
        self.0 = mix(self.0 ^ words);
    }

    fn write_u128(&mut self, words: u128) {
        self.write_u64(words as u64);
        self.write_u64((words >> 64) as u64);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
}
