//! Conversions of numbers that are out of range, and results that are too small.

use std::{ops::Range, sync::Arc};

use compute::Snapshot;
use numerics::convert::f32_from_f16_exact;

use super::{
    Context, Format, Found, Use, Value, each,
    results::{After, How},
    sources::{Sources, row_of},
};
use crate::nan::{
    meaning::{Integer, Meaning, Taken},
    step::Step,
};

/// The magnitude of a number; infinity and NaN as they are.
fn magnitude(format: Format, bits: u32, low: u32) -> Option<f64> {
    let of_single = |bits: u32| f64::from(f32::from_bits(bits));
    let value = match format {
        Format::Half => of_single(f32_from_f16_exact(bits as u16)),
        Format::Brain => of_single(bits << 16),
        Format::Single => of_single(bits),
        Format::Double => f64::from_bits(u64::from(bits) << 32 | u64::from(low)),
        _ => return None,
    };
    Some(value.abs())
}

/// The magnitude from which on all numbers are too large for a format.
fn too_large(format: Format) -> Option<f64> {
    Some(match format {
        Format::Half | Format::Bf8 | Format::Bf8Unsigned => 65536.0,
        Format::Single => f64::powi(2.0, 128),
        Format::Fp8 => 480.0,
        Format::Fp8Unsigned => 256.0,
        Format::Brain | Format::Double => return None,
    })
}

/// An integer of a conversion is the limit of its range, and the number is beyond. NaN becomes zero.
fn is_beyond(integer: Integer, result: u32, number: f64) -> bool {
    let Integer { bits, signed } = integer;
    let mask = !0 >> (32 - bits);
    let (result, range) = (result & mask, f64::powi(2.0, bits as i32));
    match signed {
        _ if number.is_nan() => true,
        true if result == mask >> 1 => number >= range / 2.0,
        true => result == mask >> 1 ^ mask && number >= range / 2.0 + 1.0,
        false if result == mask => number >= range,
        false => result == 0 && number >= 1.0,
    }
}

/// A result that is a denormal, or zero.
fn is_small(format: Format, bits: u32, low: u32) -> Option<Value> {
    let shape = format.shape();
    let magnitude = bits & shape.magnitude;
    match () {
        () if format.bits() == 8 || magnitude & shape.first != 0 => None,
        () if magnitude == 0 && (format != Format::Double || low == 0) => Some(Value::Underflow),
        () => Some(Value::Denormal),
    }
}

impl After<'_> {
    /// Tells of results at the limits of their formats.
    pub(super) fn limits(
        &self,
        (first, words): (usize, usize),
        how: &How,
        steps: &Snapshot<Arc<Step>>,
        context: &Context,
    ) {
        let half = match how {
            How::Computed(half) => *half,
            How::Converted => 0,
            _ => return,
        };
        let (saturated, small) = match self.step.halves[half].meaning {
            Meaning::ToIntegers(..) => (self.saturated_integers(first), [0; 2]),
            Meaning::Computes(_) => self.of_numbers((first, words), half, context),
            _ => return,
        };
        let values = [Value::Saturated, Value::Denormal, Value::Underflow];
        for (value, lanes) in values.into_iter().zip([saturated, small[0], small[1]]) {
            let lanes = lanes & self.mask;
            if lanes == 0 {
                continue;
            }
            let pc = steps[self.of.last as usize].plan.pc;
            let found = Found {
                used: Use::Made,
                value,
                made: pc,
                pc,
                workgroup: context.workgroup,
                wave: self.wave.index_in_workgroup,
                lane: lanes.trailing_zeros(),
                lanes: lanes.count_ones(),
                address: None,
            };
            context.shared.sink.met(&context.dispatch, &found);
        }
    }

    fn saturated_integers(&self, row: usize) -> u64 {
        let (Meaning::ToIntegers(taken, integer, packed), Some(vector)) =
            (self.step.halves[0].meaning, self.step.vector(0))
        else {
            return 0;
        };
        let view = self.view();
        let (dpp, taken) = (vector.dpp.as_deref(), Taken::One(taken));
        let sources = view.sources(&vector.sources, dpp, (taken, 2), self.of.exec);
        let results = row_of(self.wave, row);
        let mut lanes = 0;
        for lane in each(self.mask) {
            for index in 0..1 + usize::from(packed) {
                let result = results[lane] >> (vector.part.shift + 16 * index as u32);
                let mut numbers = sources.numbers(index, lane);
                if let Some((bits, low, format)) = numbers.next()
                    && magnitude(format, bits, low)
                        .is_some_and(|number| is_beyond(integer, result, number))
                {
                    lanes |= 1 << lane;
                }
            }
        }
        lanes
    }

    /// Lanes with a saturated number, and those with denormals and with zeros for what is too small.
    fn of_numbers(
        &self,
        (first, words): (usize, usize),
        half: usize,
        context: &Context,
    ) -> (u64, [u64; 2]) {
        let nothing = (0, [0; 2]);
        let of = &self.step.halves[half];
        let Meaning::Computes(numbers) = of.meaning else {
            return nothing;
        };
        let (Some(format), Some(vector)) = (numbers.result, self.step.vector(half)) else {
            return nothing;
        };
        let wanted = &context.shared.wanted;
        let converts = self.step.plan.op.first_name().contains("_cvt_");
        let limit = too_large(format).filter(|_| wanted.saturated && converts);
        if limit.is_none() && !wanted.denormals {
            return nothing;
        }
        let sources = self.sources(half);
        let Some(sources) = &sources else {
            return nothing;
        };
        let count = vector.sources.len().min(numbers.count);
        let (mut saturated, mut small) = (0, [0; 2]);
        for lane in each(self.mask) {
            let bit = 1 << lane;
            for word in 0..words {
                let row = first + word;
                if format == Format::Double && word.is_multiple_of(2) {
                    continue;
                }
                let [low, value] =
                    [row.saturating_sub(1), row].map(|row| row_of(self.wave, row)[lane]);
                for (at, bits) in format.each(value, of.elements).enumerate() {
                    if let Some(from) = limit {
                        let source = if numbers.packed && count > 1 { at } else { 0 };
                        let mut given = sources.numbers(source, lane);
                        let beyond = given.next().is_some_and(|(bits, low, format)| {
                            magnitude(format, bits, low).is_some_and(|number| number >= from)
                        });
                        let mask = (1 << (format.bits() - 1)) - 1;
                        if beyond && bits & mask == format.shape().first - 1 {
                            saturated |= bit;
                        }
                    }
                    if !wanted.denormals {
                        continue;
                    }
                    // A conversion of several sources takes one for each number.
                    let taken = match converts && numbers.packed && count > 1 {
                        true => at..at + 1,
                        false => 0..count,
                    };
                    let place = match format {
                        Format::Double => word / 2,
                        Format::Single => word,
                        _ => at,
                    };
                    match is_small(format, bits, low) {
                        Some(Value::Denormal) if !any_small(sources, taken.clone(), lane) => {
                            small[0] |= bit;
                        }
                        Some(Value::Underflow)
                            if numbers.scales && all_large(sources, taken, place, lane) =>
                        {
                            small[1] |= bit;
                        }
                        _ => {}
                    }
                }
            }
        }
        (saturated, small)
    }
}

/// A source is a denormal itself.
fn any_small(sources: &Sources, taken: Range<usize>, lane: usize) -> bool {
    sources
        .in_registers(taken, lane)
        .any(|(bits, low, format)| is_small(format, bits, low) == Some(Value::Denormal))
}

/// No source is zero, a denormal, infinity or NaN. If sources have several numbers, only the one beside the result counts.
fn all_large(sources: &Sources, mut taken: Range<usize>, place: usize, lane: usize) -> bool {
    taken.all(|index| {
        let mut all = sources.numbers(index, lane);
        let number = match sources.numbers(index, lane).count() {
            0 => return true,
            1 => all.next(),
            _ => all.nth(place),
        };
        number.is_some_and(|(bits, low, format)| {
            is_small(format, bits, low).is_none()
                && magnitude(format, bits, low).is_some_and(f64::is_finite)
        })
    })
}
