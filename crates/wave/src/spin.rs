//! Loops that wait for somebody else.
//!
//! A wave that comes back to the same place with the same registers changes nothing until memory or the clock does. It gives
//! its turn away: thousands of waves that wait for one would otherwise use up a whole time slice each before that one
//! goes on. If it was memory alone that changed (nothing but a counter there, say), the wave goes on later; nothing is
//! lost but time.

use crate::Wave;

/// Taken backward branches before the first look: loops that end sooner cost nothing.
const FIRST_LOOK: u32 = 32;
/// Micro-ops from the target of the branch to the branch. Who waits does little else.
const LONGEST: usize = 32;

/// What three looks in a row at a wave have shown.
pub(crate) struct Watch {
    /// The next look takes place when so many branches of the slice are left.
    at: u32,
    seen: Seen,
}

enum Seen {
    Nothing,
    Scalars(Place),
    All(Place, u64),
}

/// Where the branch goes, and a digest of the scalar registers.
type Place = (usize, u64);

impl Watch {
    pub fn new(slice: u32) -> Watch {
        Watch {
            at: slice.saturating_sub(FIRST_LOOK),
            seen: Seen::Nothing,
        }
    }

    /// Whether the wave, which has just taken a branch from before `from` back to its next micro-op, only waits. `left` is what is left of
    /// the slice.
    #[inline(always)]
    pub fn waits(&mut self, wave: &Wave, from: usize, left: u32) -> bool {
        left == self.at && self.look(wave, from)
    }

    #[cold]
    fn look(&mut self, wave: &Wave, from: usize) -> bool {
        let place = (wave.next, wave.digest_scalars());
        self.at -= 1;
        self.seen = match std::mem::replace(&mut self.seen, Seen::Nothing) {
            Seen::Nothing if from - wave.next <= LONGEST => Seen::Scalars(place),
            Seen::Scalars(known) if known == place => Seen::All(place, wave.digest_vectors()),
            Seen::All(known, vectors) if known == place => return vectors == wave.digest_vectors(),
            _ => {
                // It works. The slice is long enough to look once only.
                self.at = 0;
                Seen::Nothing
            }
        };
        false
    }
}

const FACTOR: u32 = 0x9e37_79b1;

impl Wave {
    fn digest_scalars(&self) -> u64 {
        let scalars = self
            .scalars
            .0
            .iter()
            .fold(u64::from(self.scc), |digest, &word| {
                digest
                    .wrapping_mul(u64::from(FACTOR))
                    .wrapping_add(u64::from(word))
            });
        scalars.rotate_left(7) ^ self.exec()
    }

    fn digest_vectors(&self) -> u64 {
        // Lane by lane, so that the host's vectors do it.
        let mut lanes = [0; 64];
        for row in &self.rows[..self.temporaries] {
            for (digest, &word) in lanes.iter_mut().zip(&row.0) {
                *digest = u32::wrapping_mul(*digest, FACTOR).wrapping_add(word);
            }
        }
        lanes.iter().fold(0, |digest, &lane| {
            u64::wrapping_mul(digest, u64::from(FACTOR)).wrapping_add(u64::from(lane))
        })
    }
}
