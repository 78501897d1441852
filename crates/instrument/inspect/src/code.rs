//! Decoding one function: lines with sources, blocks, opcode histogram.

use crate::Options;
use crate::blocks::{self, Block};
use codeobj::lines::SourceFrame;
use codeobj::{CodeObject, SourceLines};
use isa::{Decoder, Effects, Format, Inst, Op};
use serde::Serialize;
use std::collections::BTreeMap;

/// One instruction, or one undecodable dword.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    pub pc: u64,
    /// The encoding, first dword first.
    pub words: Vec<u32>,
    /// As llvm-objdump prints it, branch targets as label or address.
    pub text: String,
    /// Innermost inlined function first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub source: Vec<SourceFrame>,
    /// The instruction's kind.
    #[serde(skip)]
    pub what: Option<What>,
}

/// The kind of an instruction, for readers that must not look into its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct What {
    pub op: Op,
    pub format: Format,
    pub effects: Effects,
}

/// The code of a kernel or device function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Function {
    pub name: String,
    pub address: u64,
    /// In bytes.
    pub size: u64,
    pub instructions: u64,
    /// Dwords that are no instruction of the target.
    pub undecodable: u64,
    /// Mnemonic and number of occurrences, most frequent first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub histogram: Vec<(String, u64)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Block>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<Line>,
}

/// The state for decoding functions of one code object.
pub(crate) struct Context<'a> {
    pub object: &'a CodeObject<'a>,
    pub decoder: &'a Decoder,
    pub sources: Option<&'a SourceLines>,
    /// Function names by address, for branch and call targets.
    pub names: &'a BTreeMap<u64, String>,
    pub options: &'a Options,
}

/// Decodes `size` bytes at `address`; `size` 0 means up to the next function, or the end of the section.
pub(crate) fn function(
    context: &Context<'_>,
    name: &str,
    address: u64,
    size: u64,
) -> codeobj::Result<Function> {
    let size = match (size, context.names.range(address + 1..).next()) {
        (0, Some((next, _))) => next - address,
        (size, _) => size,
    };
    let code = context.object.code_at(address, size)?;
    let decoded: Vec<_> = context.decoder.decode_all(code, address).collect();
    let instructions: Vec<&Inst> = decoded
        .iter()
        .filter_map(|inst| inst.as_ref().ok())
        .collect();
    let mut function = Function {
        name: name.to_owned(),
        address,
        size: code.len() as u64,
        instructions: instructions.len() as u64,
        undecodable: (decoded.len() - instructions.len()) as u64,
        ..Function::default()
    };
    let blocks = blocks::split(&decoded, address + code.len() as u64);
    if context.options.histogram {
        function.histogram = histogram(&instructions);
    }
    if context.options.disassembly {
        let labels: BTreeMap<u64, usize> = blocks
            .iter()
            .map(|block| (block.start, block.index))
            .collect();
        function.lines = decoded
            .iter()
            .map(|inst| line(context, &labels, code, address, inst))
            .collect();
    }
    if context.options.blocks {
        function.blocks = blocks;
    }
    Ok(function)
}

fn line(
    context: &Context<'_>,
    labels: &BTreeMap<u64, usize>,
    code: &[u8],
    base: u64,
    inst: &Result<Inst, isa::DecodeError>,
) -> Line {
    let (pc, words, text) = match inst {
        Ok(inst) => {
            let label = |target: u64| match (labels.get(&target), context.names.get(&target)) {
                (_, Some(name)) => Some(name.clone()),
                (Some(index), None) => Some(format!("bb{index}")),
                (None, None) => None,
            };
            let words = inst.words[..usize::from(inst.size / 4).min(inst.words.len())].to_vec();
            (
                inst.pc,
                words,
                context.decoder.print_with_target(inst, label),
            )
        }
        Err(error) => {
            let at = (error.pc() - base) as usize;
            let rest = &code[at.min(code.len())..];
            let mut word = [0; 4];
            let length = rest.len().min(4);
            word[..length].copy_from_slice(&rest[..length]);
            let word = u32::from_le_bytes(word);
            (error.pc(), vec![word], format!(".long {word:#010x}"))
        }
    };
    // Damaged line tables cost the source column, not the listing.
    let source = context
        .sources
        .and_then(|sources| sources.frames(pc).ok())
        .unwrap_or_default();
    let source = source
        .into_iter()
        .filter(|frame| frame.line.is_some())
        .collect();
    let what = inst.as_ref().ok().map(|inst| What {
        op: inst.op,
        format: inst.format,
        effects: inst.effects,
    });
    Line {
        pc,
        words,
        text,
        source,
        what,
    }
}

fn histogram(instructions: &[&Inst]) -> Vec<(String, u64)> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for inst in instructions {
        *counts.entry(inst.mnemonic()).or_default() += 1;
    }
    let mut rows: Vec<_> = counts
        .into_iter()
        .map(|(mnemonic, count)| (mnemonic.to_owned(), count))
        .collect();
    rows.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    rows
}
