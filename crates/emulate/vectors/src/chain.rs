//! Chains of fused multiply-adds that each use the result before.
//!
//! Registers of a wave lie in the host's memory, and a row that was just written comes back no sooner than the host's stores
//! allow. A chain keeps it in host registers, and need not write what a later link overwrites.

#[cfg(target_arch = "x86_64")]
mod run;

#[cfg(not(target_arch = "x86_64"))]
pub use elsewhere::{Doubles, Number, Singles};
#[cfg(target_arch = "x86_64")]
pub use run::{Doubles, Number, Singles, run};

/// The names of numbers, for hosts whose vectors this crate does not know.
#[cfg(not(target_arch = "x86_64"))]
mod elsewhere {
    pub trait Number {}
    #[derive(Debug)]
    pub enum Singles {}
    #[derive(Debug)]
    pub enum Doubles {}
    impl Number for Singles {}
    impl Number for Doubles {}
}

/// The place where a link finds an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Port {
    /// The result of the link before.
    Result,
    Row(u16),
    /// A number that is equal for all lanes; the caller looks it up.
    Scalar(u16),
    Constant(u64),
}

/// The kinds of a link's operands together, for one jump instead of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Factor and addend are rows.
    Rows,
    /// The addend is a scalar or a constant.
    RowAndUniform,
    /// The factor is.
    UniformAndRow,
    Any,
}

impl Form {
    fn select(factor: Port, addend: Port, negated: [bool; 2]) -> Form {
        let uniform = |port| matches!(port, Port::Scalar(_) | Port::Constant(_));
        match (factor, addend) {
            _ if negated != [false; 2] => Form::Any,
            (Port::Row(_), Port::Row(_)) => Form::Rows,
            (Port::Row(_), addend) if uniform(addend) => Form::RowAndUniform,
            (factor, Port::Row(_)) if uniform(factor) => Form::UniformAndRow,
            _ => Form::Any,
        }
    }
}

/// One multiply-add with the result before.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    form: Form,
    /// `result * factor + addend`, or `factor * addend + result`.
    result_is_factor: bool,
    factor: Port,
    addend: Port,
    /// True if factor and addend are to be negated.
    negated: [bool; 2],
    /// The row for the result, unless this is the last link or a later one overwrites it first.
    pub store: Option<u16>,
}

impl Link {
    /// `result * factor + addend`.
    pub fn times(factor: Port, addend: Port, negated: [bool; 2], store: u16) -> Link {
        Link {
            form: Form::select(factor, addend, negated),
            result_is_factor: true,
            factor,
            addend,
            negated,
            store: Some(store),
        }
    }

    /// `factor * addend + result`.
    pub fn plus(factor: Port, addend: Port, negated: [bool; 2], store: u16) -> Link {
        Link {
            result_is_factor: false,
            ..Link::times(factor, addend, negated, store)
        }
    }

    /// Its operands besides the result before.
    pub fn operands(&self) -> [Port; 2] {
        [self.factor, self.addend]
    }
}

/// A chain.
#[derive(Debug)]
pub struct Links {
    /// The "result before" of the first link.
    pub start: Port,
    pub links: Vec<Link>,
    /// The row of the last result.
    pub target: u16,
}
