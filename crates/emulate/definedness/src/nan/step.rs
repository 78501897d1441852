//! An instruction as its registers and its numbers.

use gfx::Family;
use isa::{Effects, Format as Encoding, Inst, fields::bits};
use wave::{Config, Wave};

use super::{
    formats::{Elements, Format, Glance},
    meaning::{Meaning, meaning},
    product::Product,
};
use crate::{
    lanes::LANES,
    moves::Part,
    plan::{Action, At, Plan, Vector},
};

/// The numbers of an instruction, or of half a dual one.
#[derive(Clone, Copy)]
pub(super) struct OfHalf {
    pub meaning: Meaning,
    /// The numbers in a register that are results.
    pub elements: Elements,
    /// The other bits of the register stay.
    pub partial: bool,
    /// Says of the registers of a result whether they may be no numbers. The high words alone count in pairs.
    pub glance: Option<Glance>,
}

pub(super) struct Step {
    pub plan: Plan,
    /// The value for both halves of a dual instruction. Other instructions have the first alone.
    pub halves: [OfHalf; 2],
    /// Registers that it both takes and writes, so that what it took is lost afterwards.
    pub overwritten: Vec<usize>,
    pub product: Option<Product>,
    /// It may make a value that is no number of numbers, or has to be named. All others hand on or compare what there is.
    pub matters: bool,
}

impl Step {
    /// None for what neither reads nor writes registers.
    pub fn of(config: &Config, inst: &Inst) -> Option<Step> {
        let mut plan = Plan::of(config, inst)?;
        let unsigned_zero = config.target.has_fnuz_fp8();
        let name = inst.op.first_name();
        let mut meanings = match (&plan.action, inst.op.halves()) {
            (Action::Dual(_), Some(halves)) => {
                halves.map(|half| meaning(half.first_name(), unsigned_zero))
            }
            _ => [meaning(name, unsigned_zero); 2],
        };
        let mut product = None;
        if let (Meaning::Multiplies, Action::Vector(vector)) = (meanings[0], &plan.action) {
            (meanings[0], product) = match Product::of(config, inst, vector) {
                Ok(Some(product)) => (Meaning::Multiplies, Some(product)),
                Ok(None) => (Meaning::Integers, None),
                Err(_) => (Meaning::NotLookedAt, None),
            };
        }
        if let Action::Vector(vector) = &mut plan.action {
            take_bytes(config, inst, vector);
        }
        let halves = match &plan.action {
            Action::Vector(vector) => [OfHalf::new(inst, vector, meanings[0]); 2],
            Action::Dual(both) => [0, 1].map(|half| OfHalf::new(inst, &both[half], meanings[half])),
            _ => meanings.map(|meaning| OfHalf {
                meaning,
                elements: match meaning {
                    Meaning::Computes(numbers) if numbers.packed => Elements::ALL,
                    _ => Elements::LOWEST,
                },
                partial: false,
                glance: None,
            }),
        };
        let matters = halves.iter().any(|half| match half.meaning {
            Meaning::Computes(numbers) => numbers.result.is_some(),
            Meaning::ToIntegers(..) | Meaning::Multiplies | Meaning::NotLookedAt => true,
            Meaning::Bits | Meaning::Integers => false,
        });
        Some(Step {
            matters,
            overwritten: overwritten(&plan.action, product.as_ref()),
            plan,
            halves,
            product,
        })
    }

    /// Returns `true` if it computes with numbers that are not looked at.
    pub fn is_left_out(&self) -> bool {
        let [first, second] = self.halves.map(|half| half.meaning);
        let is_dual = matches!(self.plan.action, Action::Dual(_));
        first == Meaning::NotLookedAt || is_dual && second == Meaning::NotLookedAt
    }

    /// The words of a register in the lanes that there are.
    pub fn lanes<'w>(&self, wave: &'w Wave, row: usize) -> &'w [u32] {
        let words = wave.vgpr_row(row);
        match self.plan.mask_words {
            1 => &words[..LANES / 2],
            _ => words,
        }
    }

    /// The half `half`, or all.
    pub fn vector(&self, half: usize) -> Option<&Vector> {
        match &self.plan.action {
            Action::Vector(vector) => Some(vector),
            Action::Dual(both) => both.get(half),
            _ => None,
        }
    }
}

impl OfHalf {
    fn new(inst: &Inst, vector: &Vector, meaning: Meaning) -> OfHalf {
        let (format, packed) = match meaning {
            Meaning::Computes(numbers) => (numbers.result, numbers.packed),
            _ => (None, false),
        };
        let Part { shift, width, .. } = vector.part;
        let (elements, partial) = match format {
            Some(format) if format.bits() == 8 => {
                let word = inst.words[0];
                let (shift, width) = match packed {
                    true => (16 * bits(word, 14, 14), 16),
                    false => (8 * bits(word, 14, 13), 8),
                };
                (Elements::in_bits(format, shift, width), true)
            }
            Some(format) if width < 32 => (Elements::in_bits(format, shift, width), true),
            Some(_) if packed => (Elements::ALL, false),
            _ => (Elements::LOWEST, false),
        };
        OfHalf {
            meaning,
            elements,
            partial,
            glance: format.map(|format| Glance::new(format, elements)),
        }
    }
}

/// The bytes that a conversion from numbers of 8 bits takes.
fn take_bytes(config: &Config, inst: &Inst, vector: &mut Vector) {
    let name = inst.op.first_name();
    let converts = name.starts_with("v_cvt") && (name.ends_with("_fp8") || name.ends_with("_bf8"));
    let Some(source) = vector.sources.first_mut() else {
        return;
    };
    if !converts || inst.effects.contains(Effects::SDWA) {
        return;
    }
    // The two bits that choose a byte are the other way round.
    let chooses = inst.format == Encoding::Vop3 && config.target.family == Family::Gfx12;
    let select = if chooses {
        bits(inst.words[0], 12, 11)
    } else {
        0
    };
    let (shift, width) = match name.contains("_pk_") {
        true => (16 * (select & 1), 16),
        false => (16 * (select & 1) + 8 * (select >> 1), 8),
    };
    source.part = Part {
        shift,
        width,
        signed: false,
    };
}

/// The vector registers among sources that are destinations, too.
fn overwritten(action: &Action, product: Option<&Product>) -> Vec<usize> {
    let halves: &[Vector] = match action {
        Action::Vector(vector) => std::slice::from_ref(vector),
        Action::Dual(both) => both,
        _ => return Vec::new(),
    };
    let writes = |row: usize| {
        halves.iter().any(|half| {
            let destination = half.destination;
            destination.is_some_and(|(first, words)| (first..first + words).contains(&row))
        })
    };
    let mut rows: Vec<usize> = Vec::new();
    if let Some(product) = product {
        rows.extend(product.rows());
    } else {
        for source in halves.iter().flat_map(|half| &half.sources) {
            if let At::Row(row) = source.at {
                rows.extend(row..row + source.words);
            }
        }
    }
    rows.retain(|row| writes(*row));
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// The format that all numbers of a result have.
pub(super) fn format_of(meaning: Meaning) -> Option<Format> {
    match meaning {
        Meaning::Computes(numbers) => numbers.result,
        _ => None,
    }
}
