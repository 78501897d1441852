//! Addresses that are asked for one after the other.

/// Some addresses. Questions about them come in rising order, so that each is answered by a step.
pub(super) struct Ascending {
    all: Vec<u64>,
    /// The first that no question has passed.
    next: usize,
}

impl Ascending {
    pub fn new(mut all: Vec<u64>) -> Ascending {
        all.sort_unstable();
        Ascending { all, next: 0 }
    }

    /// Returns `true` if this address is one of them. It is not below that of the last question.
    pub fn has(&mut self, address: u64) -> bool {
        while self.all.get(self.next).is_some_and(|one| *one < address) {
            self.next += 1;
        }
        self.all.get(self.next) == Some(&address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_in_rising_order() {
        let mut some = Ascending::new(vec![12, 4, 4, 20]);
        let found = [0, 4, 4, 8, 12, 16, 20, 24].map(|address| some.has(address));
        assert_eq!(found, [false, true, true, false, true, false, true, false]);
        assert!(!Ascending::new(Vec::new()).has(0));
    }
}
