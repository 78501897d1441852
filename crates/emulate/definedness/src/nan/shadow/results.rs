//! Results of an instruction. The check looks at them when the wave comes to the next one.
//!
//! Most results are numbers, and a quick look at all lanes says so. Only otherwise are the sources looked at.

use std::sync::Arc;

use compute::Snapshot;
use wave::Wave;

use super::{Context, Format, OfWave, Origin, Row, Taint, Taints, View, each, sources::Sources};
use crate::{
    lanes::{LANES, NONE},
    nan::{
        formats::{Elements, Special},
        meaning::Meaning,
        step::{Step, format_of},
    },
};

/// A register that an instruction writes.
pub(super) struct Written {
    pub to: To,
    /// Lanes that write.
    pub mask: u64,
    pub how: How,
}

#[derive(Clone, Copy)]
pub(super) enum To {
    Row(usize),
    /// The first row and their number.
    Rows(usize, usize),
    Slot(usize),
}

/// The way in which a register gets its taint.
pub(super) enum How {
    Nothing,
    /// The lane's own, if the value is no number.
    Lanes(Box<Row>),
    /// The taint of an equal word, in whatever lane it was.
    Words(Vec<(u32, Taint)>),
    /// By the last instruction, or this half of it, of its sources.
    Computed(usize),
    /// To integers.
    Converted,
    /// By a product of matrices.
    Multiplied,
    /// In a scalar register, by this step.
    Scalar(Origin, u32, Format),
}

/// New taints of lanes of a row.
pub(super) struct New {
    pub row: usize,
    pub mask: u64,
    /// None: they lose theirs.
    pub taints: Option<Box<Row>>,
}

impl OfWave {
    /// Looks at what the last instruction wrote.
    #[inline]
    pub(super) fn look_back(
        &mut self,
        wave: &Wave,
        steps: &Snapshot<Arc<Step>>,
        context: &Context,
    ) {
        if !self.written.is_empty() {
            let wanted = &context.shared.wanted;
            let step = &steps[self.last as usize];
            let looks_at_limits = wanted.saturated || wanted.denormals;
            let is_usual = |one: &Written| self.is_usual(step, wave, one);
            if !looks_at_limits && self.written.iter().all(is_usual) {
                self.written.clear();
                return;
            }
            self.look_at_all(wave, steps, context);
        }
    }

    /// Returns `true` if numbers have become numbers, as most results are.
    #[inline]
    fn is_usual(&self, step: &Step, wave: &Wave, written: &Written) -> bool {
        let (To::Rows(first, words), How::Computed(half)) = (written.to, &written.how) else {
            return false;
        };
        let half = &step.halves[*half];
        let (Some(glance), Some(format)) = (&half.glance, format_of(half.meaning)) else {
            return false;
        };
        let (skipped, by) = match format {
            Format::Double => (1, 2),
            _ => (0, 1),
        };
        first + words <= wave.vector_rows()
            && (first..first + words).all(|row| self.taints.row(row).is_none())
            && !(first + skipped..first + words)
                .step_by(by)
                .any(|row| glance.may_be_special(step.lanes(wave, row)))
    }

    #[inline(never)]
    fn look_at_all(&mut self, wave: &Wave, steps: &Snapshot<Arc<Step>>, context: &Context) {
        let written = std::mem::take(&mut self.written);
        // All sources are looked at before any register gets a new taint.
        let mut new: Vec<New> = Vec::new();
        for one in &written {
            match (one.to, &one.how) {
                (To::Slot(slot), how) => self.taints.set_slot(slot, of_slot(how, wave.sgpr(slot))),
                (To::Rows(row, words), how) => {
                    let of = After {
                        of: self,
                        step: &steps[self.last as usize],
                        wave,
                        mask: one.mask,
                    };
                    match how {
                        How::Computed(half) => of.computed((row, words), *half, &mut new),
                        How::Multiplied => of.multiplied((row, words), &mut new),
                        _ => new.extend((row..row + words).map(|row| New {
                            row,
                            mask: one.mask,
                            taints: None,
                        })),
                    }
                    let wanted = &context.shared.wanted;
                    if wanted.saturated || wanted.denormals {
                        of.limits((row, words), how, steps, context);
                    }
                }
                (To::Row(row), how) => look_at_row(&mut self.taints, wave, row, one.mask, how),
            }
        }
        for one in new {
            match one.taints {
                Some(lanes) => self
                    .taints
                    .set(one.row, one.mask, |lane| Taint(lanes[lane])),
                None => self.taints.clear(one.row, one.mask),
            }
        }
        self.written = written;
        self.written.clear();
    }
}

fn of_slot(how: &How, word: u32) -> Taint {
    match how {
        How::Lanes(lanes) => Taint(lanes[0]).of_word(word),
        How::Words(words) => equal(words, word),
        How::Scalar(origin, step, format) => {
            let class = format.class(word, 0, Elements::LOWEST);
            origin.of_result(class, *step, *format)
        }
        _ => Taint::NONE,
    }
}

fn equal(words: &[(u32, Taint)], word: u32) -> Taint {
    let known = words.iter().find(|(known, _)| *known == word);
    known.map_or(Taint::NONE, |(_, taint)| taint.of_word(word))
}

fn look_at_row(taints: &mut Taints, wave: &Wave, row: usize, mask: u64, how: &How) {
    if row >= wave.vector_rows() {
        return;
    }
    let words = wave.vgpr_row(row);
    match how {
        How::Lanes(lanes) => taints.set(row, mask, |lane| Taint(lanes[lane]).of_word(words[lane])),
        How::Words(known) => taints.set(row, mask, |lane| equal(known, words[lane])),
        _ => taints.clear(row, mask),
    }
}

/// An instruction that was executed.
pub(super) struct After<'a> {
    pub of: &'a OfWave,
    pub step: &'a Step,
    pub wave: &'a Wave,
    /// Lanes that it wrote.
    pub mask: u64,
}

impl<'a> After<'a> {
    pub(super) fn view(&self) -> View<'a> {
        View {
            wave: self.wave,
            taints: &self.of.taints,
            saved: Some((self.step, &self.of.saved[..self.of.saved_count])),
        }
    }

    pub(super) fn sources(&self, half: usize) -> Option<Sources> {
        let Meaning::Computes(numbers) = self.step.halves[half].meaning else {
            return None;
        };
        let vector = self.step.vector(half)?;
        Some(self.view().of_vector(vector, &numbers, self.of.exec))
    }

    /// Lanes of a row of results that are no numbers; a quick look first.
    pub(super) fn special(&self, row: usize, format: Format, elements: Elements) -> Special {
        if row >= self.wave.vector_rows() {
            return Special::default();
        }
        let words = self.wave.vgpr_row(row);
        if !format.may_be_special(self.step.lanes(self.wave, row), elements) {
            return Special::default();
        }
        let low = match format {
            Format::Double => self.wave.vgpr_row(row.saturating_sub(1)),
            _ => &NONE,
        };
        format.special(words, low, elements, self.mask)
    }

    fn computed(&self, (first, words): (usize, usize), half: usize, new: &mut Vec<New>) {
        let numbers = &self.step.halves[half];
        let Some(format) = format_of(numbers.meaning) else {
            return;
        };
        let double = format == Format::Double;
        let mut sources: Option<Sources> = None;
        for row in first..first + words {
            let is_low = double && (row - first).is_multiple_of(2);
            let special = match is_low {
                true => Special::default(),
                false => self.special(row, format, numbers.elements),
            };
            let old = self.of.taints.row(row);
            if special.any() == 0 {
                // A number in one half leaves the other half what it was.
                if old.is_some() && !numbers.partial {
                    new.push(New {
                        row,
                        mask: self.mask,
                        taints: None,
                    });
                }
                continue;
            }
            if sources.is_none() {
                sources = self.sources(half);
            }
            let Some(sources) = &sources else { return };
            let mut lanes = Box::new(NONE);
            for lane in each(special.any()) {
                let (class, origin) = (special.class(lane), sources.origin(lane));
                lanes[lane] = origin.of_result(class, self.of.last, format).0;
            }
            if let (true, Some(old)) = (numbers.partial, old) {
                let words = self.wave.vgpr_row(row);
                for lane in 0..LANES {
                    if lanes[lane] == 0 {
                        lanes[lane] = Taint(old[lane]).of_word(words[lane]).0;
                    }
                }
            }
            new.push(New {
                row,
                mask: self.mask,
                taints: Some(lanes),
            });
        }
    }
}
