//! The origin of a result that is no number.

use super::{
    formats::{Class, Format},
    taints::Taint,
};

/// The sources of a result that are no numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Origin {
    /// The first that an instruction of the kernel made.
    taint: Taint,
    /// A source is NaN.
    pub tainted_nan: bool,
    /// There are sources from elsewhere.
    nan: bool,
    infinity: bool,
}

impl Origin {
    pub fn add(&mut self, class: Class, taint: Taint) {
        match (class, taint.is_none()) {
            (Class::Number, _) => {}
            (Class::Infinity, true) => self.infinity = true,
            (Class::Nan, true) => self.nan = true,
            (class, false) => {
                self.tainted_nan |= class == Class::Nan;
                if self.taint.is_none() {
                    self.taint = taint;
                }
            }
        }
    }

    pub fn join(self, other: Origin) -> Origin {
        Origin {
            taint: match self.taint.is_none() {
                true => other.taint,
                false => self.taint,
            },
            tainted_nan: self.tainted_nan | other.tainted_nan,
            nan: self.nan | other.nan,
            infinity: self.infinity | other.infinity,
        }
    }

    pub fn taint(self) -> Taint {
        self.taint
    }

    /// The origin of a result of this class, which the instruction `step` makes in this format.
    pub fn of_result(self, class: Class, step: u32, format: Format) -> Taint {
        let comes_from_outside = match class {
            Class::Number => return Taint::NONE,
            Class::Nan => self.nan,
            Class::Infinity => self.nan | self.infinity,
        };
        match self.taint {
            _ if comes_from_outside => Taint::NONE,
            Taint::NONE => Taint::new(step, format),
            known => known.with_format(format),
        }
    }
}
