//! Registers whose values are no numbers, and the instructions that made them so.

use super::formats::{Class, Elements, Format};
use crate::lanes::{LANES, Row, each};

/// Operand numbers of scalar registers.
const SLOTS: usize = 128;

/// The instruction that made a value, and the value's format. Zero: a number, or a value that nothing is known of.
///
/// It counts only as long as the word beside it is no number in this format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Taint(pub u32);

/// Bits of a taint that say which of [`Format::ALL`] the value has.
const FORMAT_BITS: u32 = 3;

impl Taint {
    pub const NONE: Taint = Taint(0);

    pub fn new(step: u32, format: Format) -> Taint {
        let format = Format::ALL.iter().position(|one| *one == format);
        Taint((step + 1) << FORMAT_BITS | format.unwrap_or(0) as u32)
    }

    pub fn is_none(self) -> bool {
        self == Taint::NONE
    }

    /// The number of the step that made the value.
    pub fn step(self) -> usize {
        (self.0 >> FORMAT_BITS) as usize - 1
    }

    pub fn format(self) -> Format {
        Format::ALL[(self.0 & ((1 << FORMAT_BITS) - 1)) as usize]
    }

    pub fn with_format(self, format: Format) -> Taint {
        match self.is_none() {
            true => self,
            false => Taint::new(self.step() as u32, format),
        }
    }

    /// The taint of a word that was made of bits of a tainted one: none if the word is a number. The upper half of a single is a `bf16`.
    pub fn of_word(self, word: u32) -> Taint {
        if self.is_none() {
            return self;
        }
        let is = |format: Format| format.class(word, 0, Elements::ALL) != Class::Number;
        match self.format() {
            own if is(own) => self,
            Format::Single if is(Format::Brain) => self.with_format(Format::Brain),
            _ => Taint::NONE,
        }
    }

    /// The class of a word, or of its lowest `bytes`, if it is no number.
    pub fn class(self, word: u32, low: u32, bytes: u32) -> Class {
        if self.is_none() {
            return Class::Number;
        }
        let format = match (bytes, self.format()) {
            (2, Format::Single) => Format::Brain,
            (_, format) => format,
        };
        match 8 * bytes >= format.bits() {
            true => format.class(word, low, Elements::in_bits(format, 0, 8 * bytes)),
            false => Class::Number,
        }
    }
}

/// The taints of a wave's registers.
pub(super) struct Taints {
    rows: Vec<Option<Box<Row>>>,
    slots: [Taint; SLOTS],
    /// Rows and slots that have one.
    count: usize,
}

impl Taints {
    pub fn new(rows: usize) -> Taints {
        Taints {
            rows: (0..rows).map(|_| None).collect(),
            slots: [Taint::NONE; SLOTS],
            count: 0,
        }
    }

    /// Returns `true` if a register has one.
    pub fn any(&self) -> bool {
        self.count > 0
    }

    /// None if no lane has one.
    pub fn row(&self, row: usize) -> Option<&Row> {
        self.rows.get(row)?.as_deref()
    }

    pub fn slot(&self, slot: usize) -> Taint {
        self.slots.get(slot).copied().unwrap_or_default()
    }

    pub fn set_slot(&mut self, slot: usize, taint: Taint) {
        if let Some(own) = self.slots.get_mut(slot) {
            self.count += usize::from(!taint.is_none());
            self.count -= usize::from(!own.is_none());
            *own = taint;
        }
    }

    /// The lanes of `mask` get these taints.
    pub fn set(&mut self, row: usize, mask: u64, taint: impl Fn(usize) -> Taint) {
        let Some(own) = self.rows.get_mut(row) else {
            return;
        };
        for lane in each(mask) {
            let Taint(new) = taint(lane);
            match own {
                Some(own) => own[lane] = new,
                None if new == 0 => {}
                None => {
                    own.insert(Box::new([0; LANES]))[lane] = new;
                    self.count += 1;
                }
            }
        }
        if own
            .as_ref()
            .is_some_and(|own| own.iter().all(|one| *one == 0))
        {
            *own = None;
            self.count -= 1;
        }
    }

    pub fn clear(&mut self, row: usize, mask: u64) {
        if self.row(row).is_some() {
            self.set(row, mask, |_| Taint::NONE);
        }
    }

    pub fn clear_all(&mut self) {
        self.rows.fill(None);
        self.slots.fill(Taint::NONE);
        self.count = 0;
    }
}
