//! Chains: sums and products that each use the one before, done as one micro-op.
//!
//! Every link is a fused multiply-add: `a + b` is `a * 1 + b`, and `a * b` is `a * b + -0`, both to the last bit and the sign of
//! zero. Its operands may be negated, and all of them uniform, which takes passes of their own otherwise. [`vectors::chain`]
//! executes the links.

use super::VectorShape;
use crate::{
    micro_op::{ChainNumber, Control, MicroOp, SrcKind, modifier},
    ports::{Type, has_form},
    program::Lowered,
    shell,
};
use vectors::chain::{Doubles, Link, Links, Port, Singles};

mod run;

use run::Chained;

/// Most instructions of one chain.
const LONGEST: usize = 16;

/// How an instruction is a multiply-add.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Formula {
    /// `a * b + c`.
    Fused,
    /// `a * b`.
    Product,
    /// `a + b`.
    Sum,
    /// `a - b`.
    Difference,
    /// `b - a`.
    Reversed,
}

/// Instructions in a row as one micro-op.
#[derive(Debug)]
pub(crate) struct Chain {
    kind: Type,
    links: Links,
    /// The same one by one, for waves and values that are not the usual ones.
    pub ops: Vec<MicroOp>,
}

/// Modifiers that a link can do, or that say nothing about numbers of these types.
const MODIFIERS: u32 =
    modifier::VECTOR_ALU | modifier::VECTOR_RESULT | 7 << modifier::OP_SEL_HI | 7 << modifier::NEG;

/// An instruction that may be part of a chain.
#[derive(Clone, Debug)]
struct Part {
    formula: Formula,
    kind: Type,
    lowered: Lowered,
}

impl Part {
    /// `None`: the instruction, or the form that it has here, is not for chains.
    fn new(shape: &VectorShape, lowered: &Lowered) -> Option<Part> {
        let formula = shape.formula?;
        let op = &lowered.bare;
        let usual = |kind| matches!(kind, SrcKind::None | SrcKind::Vector) || has_form(kind);
        let plain = op.vector().control == Control::NONE
            && op.vector().modifiers & !MODIFIERS == 0
            && op.src.iter().all(|src| usual(src.kind));
        plain.then(|| Part {
            formula,
            kind: shape.result,
            lowered: lowered.clone(),
        })
    }

    fn target(&self) -> u16 {
        self.lowered.bare.dst
    }

    fn port(&self, index: usize) -> Port {
        let op = &self.lowered.bare;
        match op.src[index].kind {
            SrcKind::Vector => Port::Row(op.src[index].index),
            SrcKind::Scalar => Port::Scalar(op.src[index].index),
            _ => Port::Constant(op.src[index].constant_value(self.kind.words())),
        }
    }

    /// The link that this is behind one with result `before`; in front of all others, its first operand takes that place.
    fn link(&self, before: Option<u16>) -> Option<Link> {
        let mut ports = [self.port(0), self.port(1), self.port(2)];
        let mut own = 0;
        if let Some(row) = before {
            own = ports.iter().position(|&port| port == Port::Row(row))?;
            for port in &mut ports {
                if *port == Port::Row(row) {
                    *port = Port::Result;
                }
            }
        }
        let negated = |index: usize| self.lowered.bare.vector().modifier(modifier::NEG, index) != 0;
        let [a, b, c] = ports;
        let other = if own == 0 { b } else { a };
        let product_negated = negated(0) != negated(1);
        let number = |value: f64| {
            Port::Constant(match self.kind {
                Type::F32 => u64::from((value as f32).to_bits()),
                _ => value.to_bits(),
            })
        };
        let store = self.target();
        Some(match self.formula {
            Formula::Fused if own == 2 && negated(2) => return None,
            Formula::Fused if own == 2 => Link::plus(a, b, [product_negated, false], store),
            Formula::Fused => Link::times(other, c, [product_negated, negated(2)], store),
            Formula::Product => Link::times(other, number(-0.0), [product_negated, false], store),
            Formula::Sum | Formula::Difference | Formula::Reversed => {
                let minus = [
                    negated(0) != (self.formula == Formula::Reversed),
                    negated(1) != (self.formula == Formula::Difference),
                ];
                let sign = |index: usize| number(if minus[index] { -1.0 } else { 1.0 });
                if minus[own] {
                    Link::times(sign(own), other, [false, minus[1 - own]], store)
                } else {
                    Link::plus(other, sign(1 - own), [false, false], store)
                }
            }
        })
    }
}

impl Chain {
    /// `None`: these cannot be one chain.
    fn new(parts: &[Part]) -> Option<Chain> {
        let kind = parts[0].kind;
        if parts.len() > LONGEST || parts.iter().any(|part| part.kind != kind) {
            return None;
        }
        let start = parts[0].port(0);
        let mut links = Vec::new();
        let mut before = None;
        for part in parts {
            links.push(part.link(before)?);
            before = Some(part.target());
        }
        let words = kind.words() as u16;
        let overlap = |a: u16, b: u16| a < b + words && b < a + words;
        let reads = |link: &Link, row: u16| {
            link.operands()
                .iter()
                .any(|port| matches!(*port, Port::Row(read) if overlap(read, row)))
        };
        let last = links.len() - 1;
        let target = links[last].store.take()?;
        for index in 0..last {
            let row = parts[index].target();
            let overwritten = (index + 1..=last).find(|&later| parts[later].target() == row);
            if overwritten
                .is_some_and(|at| !links[index + 1..=at].iter().any(|link| reads(link, row)))
            {
                links[index].store = None;
                continue;
            }
            // A NaN at the end starts everything anew, which must find what it found the first time.
            if matches!(start, Port::Row(read) if overlap(read, row))
                || links[..=index].iter().any(|link| reads(link, row))
            {
                return None;
            }
        }
        Some(Chain {
            kind,
            links: Links {
                start,
                links,
                target,
            },
            ops: parts
                .iter()
                .flat_map(|part| part.lowered.ops.clone())
                .collect(),
        })
    }
}

/// Builds chains while instructions are lowered one after the other.
#[derive(Default)]
pub(crate) struct Builder {
    /// Singles are left to others.
    doubles_only: bool,
    /// The parts of the last micro-op, if it may have a next link.
    parts: Vec<Part>,
}

impl Builder {
    pub fn new(doubles_only: bool) -> Builder {
        Builder {
            doubles_only,
            parts: Vec::new(),
        }
    }

    /// Looks at the next instruction. The result is a chain that it makes with the last micro-op. `follows`: control comes
    /// from the instruction before only. `shape`: of the instruction's row, if it is a vector ALU instruction that can execute.
    pub fn add(
        &mut self,
        follows: bool,
        shape: Option<&VectorShape>,
        lowered: &Lowered,
    ) -> Option<Chain> {
        let shape = shape.filter(|shape| !self.doubles_only || shape.result == Type::F64);
        let Some(part) = shape.and_then(|shape| Part::new(shape, lowered)) else {
            self.parts.clear();
            return None;
        };
        self.parts.push(part);
        if follows
            && self.parts.len() > 1
            && let Some(chain) = Chain::new(&self.parts)
        {
            return Some(chain);
        }
        // An instruction with passes around it begins no chain: alone it would gain nothing.
        let begins = usize::from(lowered.ops.len() == 1);
        self.parts.drain(..self.parts.len() - begins);
        None
    }
}

impl Chain {
    /// The micro-op of chain `number` of its segment.
    pub fn micro_op(&self, number: usize) -> MicroOp {
        let handler = match self.kind {
            Type::F32 => shell::vector_handler::<Chained<Singles>>(),
            _ => shell::vector_handler::<Chained<Doubles>>(),
        };
        MicroOp::new(handler).with(ChainNumber::new(number))
    }
}

/// Returns `true` if chains are quicker than their instructions on this host.
pub(crate) fn pay() -> bool {
    vectors::level::has_avx2()
}
