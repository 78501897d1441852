//! The undefined bits of a workgroup's LDS.

/// A bit beside each bit, in dwords. All outside is defined.
#[derive(Default)]
pub(crate) struct Lds {
    words: Vec<u32>,
    /// Words with an undefined bit.
    undefined: usize,
}

impl Lds {
    /// All of so many bytes become undefined.
    pub fn begin(&mut self, bytes: usize) {
        let words = bytes.div_ceil(4);
        self.words.clear();
        self.words.resize(words, !0);
        self.undefined = words;
    }

    pub fn define_all(&mut self) {
        self.words.fill(0);
        self.undefined = 0;
    }

    /// Nothing in it is undefined.
    #[inline]
    pub fn is_all_defined(&self) -> bool {
        self.undefined == 0
    }

    pub fn is_defined(&self, start: u64, end: u64) -> bool {
        let end = (end.div_ceil(4) as usize).min(self.words.len());
        let words = self.words.get((start / 4) as usize..end);
        words.is_none_or(|words| words.iter().fold(0, |all, bits| all | bits) == 0)
    }

    fn set(&mut self, word: usize, bits: u32) {
        if let Some(own) = self.words.get_mut(word) {
            self.undefined += usize::from(bits != 0);
            self.undefined -= usize::from(*own != 0);
            *own = bits;
        }
    }

    /// The bytes from `start` to before `end` become defined.
    pub fn define(&mut self, start: u64, end: u64) {
        let (mut at, end) = (start, end.min(4 * self.words.len() as u64));
        while at < end {
            let next = (at / 4 * 4 + 4).min(end);
            self.store(at as u32, (next - at) as u32, 0);
            at = next;
        }
    }

    /// The undefined bits of `bytes` (at most 4) bytes.
    #[inline]
    pub fn load(&self, at: u32, bytes: u32) -> u32 {
        let word = |index: usize| u64::from(self.words.get(index).copied().unwrap_or(0));
        let index = (at / 4) as usize;
        if at.is_multiple_of(4) && bytes == 4 {
            return word(index) as u32;
        }
        let both = word(index) | word(index + 1) << 32;
        (both >> (8 * (at % 4)) & ((1 << (8 * bytes)) - 1)) as u32
    }

    /// Sets the undefined bits of `bytes` (at most 4) bytes.
    #[inline]
    pub fn store(&mut self, at: u32, bytes: u32, bits: u32) {
        let index = (at / 4) as usize;
        if at.is_multiple_of(4) && bytes == 4 {
            return self.set(index, bits);
        }
        let shift = 8 * (at % 4);
        let mask = ((1u64 << (8 * bytes)) - 1) << shift;
        let new = u64::from(bits) << shift & mask;
        for (index, shift) in [(index, 0), (index + 1, 32)] {
            let (mask, new) = ((mask >> shift) as u32, (new >> shift) as u32);
            if let (Some(old), true) = (self.words.get(index).copied(), mask != 0) {
                self.set(index, old & !mask | new);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_kept_as_in_a_row_of_bytes() {
        const BYTES: usize = 40;
        let mut lds = Lds::default();
        lds.begin(BYTES);
        let mut bytes = [0xffu8; BYTES + 8];
        bytes[BYTES..].fill(0);
        let mut state = 12345u32;
        for _ in 0..4000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (at, count) = (state >> 8 & 63, 1 + (state >> 16) % 4);
            let bits = if state >> 30 != 0 { 0 } else { state };
            if at as usize >= BYTES {
                lds.store(at, count, bits);
                continue;
            }
            for byte in 0..count as usize {
                if at as usize + byte < BYTES {
                    bytes[at as usize + byte] = (bits >> (8 * byte)) as u8;
                }
            }
            lds.store(at, count, bits);
            for at in 0..BYTES {
                let own = bytes[at..at + 4].iter().rev();
                let expected = own.fold(0, |all, byte| all << 8 | u32::from(*byte));
                assert_eq!(lds.load(at as u32, 4), expected);
            }
            let any = bytes.iter().any(|byte| *byte != 0);
            assert_eq!(lds.is_all_defined(), !any);
        }
        lds.begin(BYTES);
        lds.define(3, 38);
        assert_eq!(lds.load(0, 4), 0xff_ffff);
        assert_eq!(lds.load(36, 4), 0xffff_0000);
        assert!(lds.is_defined(4, 36) && !lds.is_defined(4, 37));
    }
}
