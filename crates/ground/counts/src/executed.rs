//! The counts themselves.

use std::{borrow::Cow, collections::BTreeMap};

use serde::{Deserialize, Serialize};

/// A name that the program has, or that was read.
pub type Name = Cow<'static, str>;

/// Wave instructions, and lane instructions: each wave instruction once for every lane that was on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Class(pub u64, pub u64);

/// The instructions that were executed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Executed {
    pub waves: u64,
    pub wave_instructions: u64,
    pub lane_instructions: u64,
    /// By class of instructions.
    pub classes: BTreeMap<Name, Class>,
}

impl Executed {
    pub fn add(&mut self, more: &Executed) {
        self.waves += more.waves;
        self.wave_instructions += more.wave_instructions;
        self.lane_instructions += more.lane_instructions;
        for (name, Class(waves, lanes)) in &more.classes {
            let total = self.classes.entry(name.clone()).or_default();
            total.0 += waves;
            total.1 += lanes;
        }
    }
}

/// A result that a GPU may compute otherwise was used, or another one that was computed from it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Reached {
    /// `address`, `branch` (which way a wave goes, or which lanes go on) or `output` (memory that is there when the kernel has ended).
    pub what: Name,
    /// Mnemonic and place of the instruction that uses it.
    pub by: Name,
    /// Mnemonic and place of the instruction that made it, or that loaded it.
    pub from: Name,
    /// Wave instructions.
    pub times: u64,
}

/// Executions of one mnemonic whose results no public source fixes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Inexact {
    pub reason: Name,
    pub op: Name,
    /// Wave instructions.
    pub waves: u64,
    /// Lane instructions.
    pub lanes: u64,
}
