//! The contents of the host's vector registers while a routine is made.

use iced_x86::Register;

use crate::Source;

/// How many vector registers the host has.
const COUNT: usize = 32;

/// The contents of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Nothing,
    /// A source as it lies in memory.
    Copy(Source),
    /// The row or mask `to`, which memory does not have yet. `unseen`: it may be a NaN that no later result would show.
    Result {
        to: Source,
        unseen: bool,
    },
    /// A value within a stencil.
    Temporary,
}

#[derive(Clone, Debug)]
pub(crate) struct Registers {
    contents: [Content; COUNT],
    /// When each was used last.
    used: [u64; COUNT],
    /// Registers that must keep their contents for now.
    pinned: [bool; COUNT],
    clock: u64,
}

/// The name of register `number` with 512 bits.
pub(crate) fn zmm(number: usize) -> Register {
    Register::ZMM0 + number as u32
}

impl Registers {
    pub fn new() -> Registers {
        Registers {
            contents: [Content::Nothing; COUNT],
            used: [0; COUNT],
            pinned: [false; COUNT],
            clock: 0,
        }
    }

    /// The register that holds `source`.
    pub fn find(&self, source: Source) -> Option<usize> {
        self.contents
            .iter()
            .position(|content| match (*content, source) {
                (Content::Copy(held), _) => held == source,
                (Content::Result { to, .. }, _) => to == source,
                _ => false,
            })
    }

    /// The register to use next: a free one, or the copy or result whose last use is longest ago. `may_go` says of a row whether its
    /// result may.
    pub fn choose(&self, may_go: impl Fn(u16) -> bool) -> Option<usize> {
        let free = |held: &Content| *held == Content::Nothing;
        if let Some(number) = self.contents.iter().position(free) {
            return Some(number);
        }
        let goes = |&number: &usize| match self.contents[number] {
            Content::Copy(_) => true,
            Content::Result {
                to: Source::Row(row),
                ..
            } => may_go(row),
            _ => false,
        };
        let unpinned = (0..COUNT).filter(|&number| !self.pinned[number]);
        unpinned
            .filter(goes)
            .min_by_key(|&number| self.used[number])
    }

    /// Gives register `number` new contents.
    pub fn take(&mut self, number: usize, content: Content) {
        self.contents[number] = content;
        self.touch(number);
    }

    pub fn touch(&mut self, number: usize) {
        self.clock += 1;
        self.used[number] = self.clock;
    }

    pub fn pin(&mut self, number: usize) {
        self.touch(number);
        self.pinned[number] = true;
    }

    pub fn unpin_all(&mut self) {
        self.pinned = [false; COUNT];
    }

    pub fn content(&self, number: usize) -> Content {
        self.contents[number]
    }

    pub fn set(&mut self, number: usize, content: Content) {
        self.contents[number] = content;
    }

    /// The results, by register.
    pub fn results(&self) -> Vec<(usize, Source)> {
        let results = self.contents.iter().enumerate();
        let result = |(number, content): (usize, &Content)| match *content {
            Content::Result { to, .. } => Some((number, to)),
            _ => None,
        };
        results.filter_map(result).collect()
    }

    /// Results that may be NaNs which no later one shows.
    pub fn unseen(&self) -> Vec<usize> {
        let unseen =
            |&number: &usize| matches!(self.contents[number], Content::Result { unseen: true, .. });
        (0..COUNT).filter(unseen).collect()
    }
}
