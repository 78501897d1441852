//! The contents of a page. The scripts under `web` read these names.

use crate::results::Usage;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Kernel, use, the place that uses the result, the place that made it, and how often.
pub type Reached = (String, String, String, String, u64);

/// The data that is there when a page opens.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Overview {
    /// Version of this format.
    pub version: u32,
    pub title: String,
    /// As it was started, if that is known.
    pub command: String,
    pub tools: Vec<String>,
    pub devices: Vec<String>,
    /// By their numbers, with the rank where there are such: processes of several nodes may have one number.
    pub processes: Vec<String>,
    /// Sessions that a process began again, in words.
    #[serde(default)]
    pub sessions: Vec<String>,
    /// Wall time, of the program or of the longest session.
    pub seconds: Option<f64>,
    pub launches: u64,
    pub unknown_launches: u64,
    pub kernels: Vec<KernelRow>,
    /// Executed wave and lane instructions by kind, most first.
    pub mix: Vec<(String, u64, u64)>,
    pub records: Vec<(String, u64, u64)>,
    pub notes: Vec<String>,
    /// Files that lie beside: name and bytes.
    pub files: Vec<(String, u64)>,
    /// Source files with text in the page; a chunk `source-N` each.
    pub sources: Vec<String>,
    /// Launches and copies with times; the chunk `timeline` has them.
    pub timed: u64,
    /// Instructions whose results a GPU may compute otherwise, those of tools included: reason, kernel, mnemonic, wave instructions. None
    /// if no tool counted.
    #[serde(default)]
    pub inexact: Option<Vec<(String, String, String, u64)>>,
    /// Uses of such results: kernel, what it is, instruction, origin, times. None if they were not followed.
    #[serde(default)]
    pub reached: Option<Vec<Reached>>,
    /// The meaning of these reasons.
    #[serde(default)]
    pub reasons: BTreeMap<String, String>,
}

/// One kernel of one code object.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct KernelRow {
    /// The name in the source, without parameters.
    pub name: String,
    /// The name in the source.
    pub full: String,
    pub symbol: String,
    pub target: String,
    /// SHA-256 of the code object; empty if unknown.
    pub object: String,
    pub launches: u64,
    pub instrumented: u64,
    pub status: String,
    pub reason: Option<String>,
    pub notes: Vec<String>,
    /// Places where something was inserted.
    pub sites: u64,
    pub before: Option<Box<[u32; 5]>>,
    pub after: Option<Box<[u32; 5]>>,
    /// The resource that limits the number of waves; none at the maximum.
    pub limit: Option<String>,
    pub waves: Option<u64>,
    pub lanes: Option<u64>,
    pub wave_size: Option<u8>,
    pub nanoseconds: Option<u64>,
    /// `true` if there is a chunk `code-N` of this row's number.
    pub code: bool,
    /// Static instructions.
    pub instructions: u64,
    /// The findings, the most important first.
    #[serde(default)]
    pub remarks: Vec<Remark>,
}

/// A finding about one place of a kernel, or about the whole kernel: a rule's, or one of `luthier check`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Remark {
    /// Name of the rule, or the kind of what the checker found.
    pub rule: String,
    /// `certain` or `possible` for what the checker found; empty for rules.
    #[serde(default)]
    pub grade: String,
    pub title: String,
    pub evidence: String,
    /// Position of the instruction in [`Code`].
    pub at: Option<u32>,
    /// Position of the other instruction, if the finding is about two.
    #[serde(default)]
    pub other: Option<u32>,
    /// The instruction, and its source line as `FILE:LINE`; empty if it is about the whole kernel, or the line is not known.
    pub instruction: String,
    pub place: String,
    /// Executed wave instructions at this place, as a part of all of the kernel's; none if no tool counted.
    pub share: Option<f64>,
    /// Further places of this rule in this kernel, or further times that the checker found the same.
    pub more: u64,
}

/// VGPRs, SGPRs, LDS, scratch, waves per SIMD.
pub(crate) fn usage(usage: Usage) -> Box<[u32; 5]> {
    let Usage {
        vgprs,
        sgprs,
        lds,
        scratch,
        waves_per_simd,
    } = usage;
    Box::new([vgprs, sgprs, lds, scratch, waves_per_simd])
}

/// The code of a kernel and of all it may call, in columns with one entry for each instruction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Code {
    pub functions: Vec<Function>,
    pub pc: Vec<u64>,
    pub text: Vec<String>,
    /// The kinds of the instructions. Pages do not have it.
    #[serde(skip)]
    pub what: Vec<Option<inspect::What>>,
    /// Kind of the instruction, see `kinds`.
    pub kind: Vec<u8>,
    pub kinds: Vec<String>,
    /// Position in `places`.
    pub place: Vec<u32>,
    /// Each a list of frames, the innermost inlined function first; the first place is empty.
    pub places: Vec<Vec<Frame>>,
    /// Waves that executed it, and lanes; none if no tool counted them.
    pub waves: Vec<Option<u64>>,
    pub lanes: Vec<Option<u64>>,
    /// Registers of a wave whose values may still be read before the instruction: VGPRs, AccVGPRs, SGPRs. Empty if that is not known.
    #[serde(default)]
    pub live: Vec<Option<[u16; 3]>>,
    pub blocks: Vec<Block>,
    pub edges: Vec<Edge>,
    pub metrics: Vec<Metric>,
    /// Everything else that `luthier inspect` says of the kernel.
    pub facts: Value,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Function {
    pub name: String,
    /// Its instructions: first, and behind the last.
    pub first: u32,
    pub end: u32,
}

/// File (position in [`Overview::sources`], or its name), line, column, function.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Frame {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub function: String,
}

/// Instructions from one to before another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Block {
    pub first: u32,
    pub end: u32,
    pub exit: String,
}

/// A way from block to block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    pub from: u32,
    pub to: u32,
    pub waves: Option<u64>,
}

/// The counts of one tool at single instructions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Metric {
    pub tool: String,
    /// Names of its counters.
    pub names: Vec<String>,
    /// Positions of instructions, ascending.
    pub at: Vec<u32>,
    /// For each of them its counters.
    pub values: Vec<Vec<u64>>,
}
