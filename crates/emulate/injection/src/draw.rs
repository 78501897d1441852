//! Numbers that look random and are the same everywhere.

/// The numbers of one place in a campaign.
#[derive(Clone, Debug)]
pub struct Draws(u64);

/// The step of the sequence, and the factors that mix it: SplitMix64, as Steele, Lea and Flood published it.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
const FIRST: u64 = 0xbf58_476d_1ce4_e5b9;
const SECOND: u64 = 0x94d0_49bb_1331_11eb;

impl Draws {
    pub fn new(seed: u64) -> Draws {
        Draws(seed)
    }

    /// The numbers of run `index` of the campaign with this seed.
    pub fn of_run(seed: u64, index: u64) -> Draws {
        let mut campaign = Draws(seed);
        let mixed = campaign.draw();
        Draws(mixed ^ index.wrapping_mul(STEP).rotate_left(17))
    }

    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(FIRST);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(SECOND);
        mixed ^ mixed >> 31
    }

    /// A number below `end`, which is not 0. All are equally likely, but for `end` parts in 2 to the power of 64.
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.draw()) * u128::from(end)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        // The first numbers of seed 1234567, as the authors of other implementations list them.
        let mut draws = Draws::new(1_234_567);
        let all: Vec<u64> = (0..5).map(|_| draws.draw()).collect();
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(all, published);
    }

    #[test]
    fn every_number_below_the_end_comes() {
        let mut draws = Draws::of_run(7, 3);
        let mut seen = [0; 10];
        (0..10_000).for_each(|_| seen[draws.below(10) as usize] += 1);
        assert!(
            seen.iter().all(|times| (800..1200).contains(times)),
            "{seen:?}"
        );
    }
}
