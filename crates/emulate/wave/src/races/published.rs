//! Words that waves poll tell them of other waves' accesses.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use super::MOST_WAVES;

/// For each wave, how many of its steps are in order before the next access.
pub(super) type Trust = [u8; MOST_WAVES as usize];

/// The steps that are in order behind the word's value: for certain, and perhaps.
#[derive(Debug)]
struct Told {
    stamp: u32,
    trusts: [Trust; 2],
}

/// By the number of the dword in LDS.
#[derive(Debug, Default)]
pub(super) struct Published {
    told: HashMap<u32, Told>,
    polled: HashSet<u32>,
}

impl Published {
    pub fn is_polled(&mut self, dword: u32) {
        self.polled.insert(dword);
    }

    pub fn polls(&self, dword: u32) -> bool {
        self.polled.contains(&dword)
    }

    pub fn polls_any(&self, dwords: Range<usize>) -> bool {
        let mut polled = self.polled.iter();
        polled.any(|dword| dwords.contains(&(*dword as usize)))
    }

    /// A wave writes the word at a stamp, and tells that much. `joins`: what the word told before stays true.
    pub fn tells(&mut self, dword: u32, stamp: u32, trusts: [Trust; 2], joins: bool) {
        let new = Told { stamp, trusts };
        let told = self.told.entry(dword).or_insert(Told { stamp: 0, ..new });
        if joins && told.stamp >= stamp {
            for (told, new) in told.trusts.iter_mut().zip(&new.trusts) {
                join(told, new);
            }
        } else {
            *told = new;
        }
    }

    /// The word tells this to a wave that has passed so many barriers.
    pub fn told(&self, dword: u32, floor: u32) -> Option<&[Trust; 2]> {
        let told = self.told.get(&dword)?;
        (told.stamp >= floor).then_some(&told.trusts)
    }
}

/// Adds what one wave knows to what another one knows.
pub(super) fn join(mine: &mut Trust, others: &Trust) {
    for (mine, others) in mine.iter_mut().zip(others) {
        *mine = (*mine).max(*others);
    }
}
