//! Numbers that are the same in every run.

pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        self.0 ^ self.0 >> 29
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        (self.bits() >> 11) % limit
    }

    /// `usual` with any bits in one of 500 cases.
    pub fn mostly(&mut self, usual: u64) -> u64 {
        if self.bits().is_multiple_of(500) {
            self.bits()
        } else {
            usual
        }
    }
}
