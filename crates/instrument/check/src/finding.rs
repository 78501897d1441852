//! What was found.

use serde::Serialize;

/// What kind of bug a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A register is read while a memory operation may still write it.
    ReadEarly,
    /// A register is written while a memory operation may still write it.
    WriteEarly,
    /// A register is written while an operation may still read it.
    SourceOverwritten,
    /// A barrier is reached while a store to LDS may be outstanding.
    LdsBarrier,
    /// A barrier is reached while a load to LDS may be outstanding.
    LdsLoadBarrier,
    /// Two instructions follow each other too closely.
    WaitStates,
    /// A scalar register is read from a cache that holds an old value.
    ScalarReadEarly,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 7] = [
        Kind::ReadEarly,
        Kind::WriteEarly,
        Kind::SourceOverwritten,
        Kind::LdsBarrier,
        Kind::LdsLoadBarrier,
        Kind::WaitStates,
        Kind::ScalarReadEarly,
    ];

    /// As suppressions and JSON name it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::ReadEarly => "read-early",
            Kind::WriteEarly => "write-early",
            Kind::SourceOverwritten => "source-overwritten",
            Kind::LdsBarrier => "lds-barrier",
            Kind::LdsLoadBarrier => "lds-load-barrier",
            Kind::WaitStates => "wait-states",
            Kind::ScalarReadEarly => "scalar-read-early",
        }
    }
}

/// How sure a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// Wherever the instructions are executed at all.
    Certain,
    /// If a path can be taken on which branches might exclude each other.
    Possible,
}

/// One instruction of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// In bytes from the start of the kernel or function.
    pub offset: u64,
    /// Address in the code object.
    pub address: u64,
    /// The instruction.
    pub text: String,
    /// File and line, if the code object tells; where functions were inlined, of the innermost one first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub source: Vec<String>,
}

/// One line of a listing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// In bytes from the start of the kernel or function.
    pub offset: u64,
    /// The basic block.
    pub block: usize,
    /// The instruction.
    pub text: String,
    /// What it has to do with the finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What can be said of a finding at little cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unshown {
    /// The same for the same bug in the same kernel, in every run: 16 hexadecimal digits.
    pub fingerprint: String,
    pub kind: Kind,
    pub grade: Grade,
    /// The kernel or function, as its author wrote it.
    pub function: String,
    /// Processor, without features.
    pub target: String,
    /// Source files and lines of both instructions.
    pub sources: Vec<String>,
    /// Where the code object lies in its file.
    pub object: String,
    /// How often it was found: in a file once, in a program each time that a wave came there.
    pub times: u64,
}

/// One bug.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The same for the same bug in the same kernel, in every run.
    pub fingerprint: String,
    pub kind: Kind,
    pub grade: Grade,
    /// One sentence.
    pub message: String,
    /// How to mend it.
    pub remedy: String,
    /// Where the code object lies in its file.
    pub object: String,
    /// The code object's target with features.
    pub target: String,
    /// The kernel's or function's symbol.
    pub symbol: String,
    /// The same as its author wrote it.
    pub function: String,
    /// What both instructions touch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub register: Option<String>,
    /// The instruction that has not ended.
    pub producer: Place,
    /// The instruction that comes too early.
    pub consumer: Place,
    /// Further instructions that come too early for the same producer.
    pub further: usize,
    /// Basic blocks from the producer to the consumer.
    pub path: Vec<usize>,
    /// The instructions around both.
    pub listing: Vec<Line>,
}

/// Is told of findings.
pub trait Sink {
    /// Counts a finding; whether it is to be shown.
    fn count(&mut self, finding: &Unshown) -> bool;
    /// Takes one that is to be shown.
    fn show(&mut self, finding: Finding);
}
