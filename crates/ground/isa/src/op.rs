//! [`Op`]: which instruction it is, and what follows from that on every target.
//!
//! A target's opcode may add to this or take from it: [`crate::Effects`] are of an opcode. The tables are in files by kind of
//! instruction; a row has a mnemonic or a part of one, and all rows that match count. Each mnemonic is looked up in them once in
//! the life of a process.

mod control;
mod data;
mod known;
mod lane_mask;
mod lds;
mod memory;
mod product;
mod result;
mod scalar;
mod traits;
mod vector;
mod waits;

use std::{
    collections::HashMap,
    fmt,
    hash::{Hash, Hasher},
    sync::{OnceLock, PoisonError, RwLock},
};

pub use data::Data;
pub use known::Known;
pub use lane_mask::{LaneMask, Logic};
pub use product::Product;
pub use traits::Traits;
pub use waits::{COUNTERS, Counter, CounterField, Waits};

use crate::{Effects, intern::intern, names::first_name};

/// A mnemonic, or a part of one with a `*` for any beginning or end; what it does on every target; what else holds of it.
type Row = (&'static str, Effects, Traits);

const TABLES: &[&[Row]] = &[
    control::ROWS,
    scalar::ROWS,
    vector::ROWS,
    lds::ROWS,
    memory::ROWS,
];

/// An instruction by its mnemonic. Two are equal if their mnemonics are.
///
/// ```
/// let op = isa::Op::of("ds_load_b32");
/// assert_eq!(op.name(), "ds_load_b32");
/// assert_eq!(op.first_name(), "ds_read_b32");
/// assert_eq!(op.data().bytes, 4);
/// ```
#[derive(Clone, Copy)]
pub struct Op(&'static Facts);

struct Facts {
    name: &'static str,
    first_name: &'static str,
    halves: Option<[Op; 2]>,
    effects: Effects,
    traits: Traits,
    known: Option<Known>,
    data: Data,
    product: Option<Product>,
    lane_mask: Option<LaneMask>,
    waits: Waits,
}

impl Op {
    /// The instruction called `mnemonic`, as [`crate::Decoder`] names it: without suffix of an encoding.
    pub fn of(mnemonic: &str) -> Op {
        static OPS: OnceLock<RwLock<HashMap<&'static str, Op>>> = OnceLock::new();
        let ops = OPS.get_or_init(RwLock::default);
        let known = ops
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(mnemonic)
            .copied();
        known.unwrap_or_else(|| {
            // Outside the lock, as a dual instruction has halves.
            let facts = Facts::of(intern(mnemonic));
            let mut ops = ops.write().unwrap_or_else(PoisonError::into_inner);
            *ops.entry(facts.name)
                .or_insert_with(|| Op(Box::leak(Box::new(facts))))
        })
    }

    /// The instruction in a line of assembly, as [`crate::Decoder`] prints it.
    pub fn of_text(text: &str) -> Op {
        Op::of(&crate::opcode::mnemonic(text))
    }

    /// The mnemonic without suffix of an encoding: `v_add_f32`, never `v_add_f32_e64`.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The name that the instruction had on the first family that has it: see [`crate::first_name`].
    pub fn first_name(self) -> &'static str {
        self.0.first_name
    }

    /// The halves of a dual instruction as the instructions that they are by themselves.
    pub fn halves(self) -> Option<[Op; 2]> {
        self.0.halves
    }

    /// The effects on every target that has the opcode. [`crate::Decoded::effects`] has all effects of an instruction.
    pub fn effects(self) -> Effects {
        self.0.effects
    }

    /// The other properties of the opcode.
    pub fn traits(self) -> Traits {
        self.0.traits
    }

    /// Returns `true` if the opcode has any of these traits.
    #[inline]
    pub fn has(self, traits: Traits) -> bool {
        self.0.traits.intersects(traits)
    }

    /// The opcode's identity under any of its names, if it is one that analyses know.
    pub fn known(self) -> Option<Known> {
        self.0.known
    }

    /// Returns `true` if it is this one.
    pub fn is(self, known: Known) -> bool {
        self.0.known == Some(known)
    }

    /// The data that it moves between registers and memory. It says nothing about instructions that access none.
    pub fn data(self) -> Data {
        self.0.data
    }

    /// The shape of a matrix product.
    pub fn product(self) -> Option<Product> {
        self.0.product
    }

    /// How it makes a mask of lanes, if it is one of the scalar instructions that compilers make them with.
    pub fn lane_mask(self) -> Option<LaneMask> {
        self.0.lane_mask
    }

    /// The condition for which it waits.
    pub fn waits(self) -> Waits {
        self.0.waits
    }
}

impl Facts {
    fn of(name: &'static str) -> Facts {
        let halves = halves(name);
        let first_name = first_name(name);
        let (mut effects, mut traits) = (Effects::empty(), result::traits(name));
        for (pattern, does, has) in TABLES.iter().copied().flatten() {
            if matches(pattern, name) {
                effects |= *does;
                traits |= *has;
            }
        }
        for half in halves.iter().flatten() {
            traits |= half.traits() & Traits::SELECTS;
        }
        Facts {
            name,
            first_name,
            halves,
            effects,
            traits,
            known: Known::of(first_name),
            data: Data::of(first_name),
            product: Product::of(name),
            lane_mask: LaneMask::of(first_name),
            waits: Waits::of(name),
        }
    }
}

/// `v_dual_mov_b32 :: v_dual_add_f32` is `v_mov_b32` and `v_add_f32`.
fn halves(name: &str) -> Option<[Op; 2]> {
    let (x, y) = name.split_once(" :: ")?;
    let alone = |half: &str| Some(Op::of(&format!("v_{}", half.strip_prefix("v_dual_")?)));
    Some([alone(x)?, alone(y)?])
}

/// Returns `true` if `name` is of the pattern.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(rest), Some(_)) => name.contains(rest.trim_end_matches('*')),
        (Some(end), None) => name.ends_with(end),
        (None, Some(start)) => name.starts_with(start),
        (None, None) => name == pattern,
    }
}

impl PartialEq for Op {
    fn eq(&self, other: &Op) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Op {}

impl Hash for Op {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::hash(self.0, state);
    }
}

impl fmt::Debug for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_are_one_instruction() {
        assert_eq!(Op::of("v_add_f32"), Op::of(&String::from("v_add_f32")));
        assert_ne!(Op::of("v_add_f32"), Op::of("v_add_f16"));
        assert_eq!(format!("{:10}|", Op::of("s_nop")), "s_nop     |");
    }

    #[test]
    fn halves_are_instructions() {
        let both = Op::of("v_dual_mov_b32 :: v_dual_add_f32").halves();
        assert_eq!(both, Some([Op::of("v_mov_b32"), Op::of("v_add_f32")]));
        assert_eq!(Op::of("v_add_f32").halves(), None);
    }

    /// A row that another one makes superfluous, or that is written twice, is a mistake.
    #[test]
    fn every_row_adds_something() {
        let rows: Vec<&Row> = TABLES.iter().copied().flatten().collect();
        for (index, (pattern, effects, traits)) in rows.iter().enumerate() {
            let bare = pattern.trim_matches('*');
            // All names of the pattern are of the other one, too.
            let is_within = |other: &str| {
                matches(other, bare) && (other.contains('*') || !pattern.contains('*'))
            };
            let (mut does, mut has) = (Effects::empty(), Traits::empty());
            for (other, row) in rows.iter().enumerate() {
                if other != index && is_within(row.0) {
                    does |= row.1;
                    has |= row.2;
                }
            }
            let adds = !does.contains(*effects) || !has.contains(*traits);
            assert!(adds, "{pattern} adds nothing");
        }
    }
}
