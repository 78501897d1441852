//! Findings.

use serde::Serialize;

/// The kind of bug of a finding.
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
    /// Memory is accessed that is no allocation of the program's, or LDS or scratch beyond what there is.
    OutOfBounds,
    /// Memory is accessed that the program or a kernel has freed.
    AfterFree,
    /// An address is not aligned as the instruction demands.
    Misaligned,
    /// A kernel writes what only the host may write.
    ReadOnly,
    /// The program frees an address in the middle of memory.
    WrongFree,
    /// The program frees memory that it has freed before.
    FreedTwice,
    /// Waves of a workgroup wait for each other.
    Deadlock,
    /// Waves of a workgroup are at different barriers.
    DifferentBarriers,
    /// Lanes are off at a barrier.
    MissedByLanes,
    /// Waves have ended before a barrier that others come to.
    MissedByEnded,
    /// A wave arrives at a split barrier twice before it opens.
    ArrivedTwice,
    /// Waves access the same bytes of LDS in no order.
    LdsRace,
    /// Waves or copies access the same bytes of global memory in no order.
    GlobalRace,
    /// The program has ended and not freed memory.
    Leak,
    /// An address comes from what nothing has set.
    UndefinedAddress,
    /// A branch depends on what nothing has set.
    UndefinedCondition,
    /// The program copies what nothing has set to the host.
    UndefinedRead,
    /// NaN that an instruction made of numbers is stored.
    NanStored,
    /// Infinity that an instruction made of numbers is stored.
    InfinityStored,
    /// NaN that an instruction made of numbers is compared.
    NanCompared,
    /// A number out of range is converted to the limit of a format.
    Saturated,
    /// A result is a denormal.
    Denormal,
    /// A result is zero because it is too small.
    Underflow,
}

/// The check that a kind of bug belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Checker {
    /// Missing waits and wait states.
    Waits,
    /// Wrong accesses of memory.
    Memory,
    /// Waves and lanes that do not meet at barriers.
    Barriers,
    /// Accesses in no order.
    Races,
    /// Memory that is not freed.
    Leaks,
    /// Uses of what nothing has set.
    Init,
    /// NaN and infinity that instructions make of numbers.
    Nan,
}

impl Checker {
    pub const ALL: [Checker; 7] = [
        Checker::Waits,
        Checker::Memory,
        Checker::Barriers,
        Checker::Races,
        Checker::Leaks,
        Checker::Init,
        Checker::Nan,
    ];

    /// As suppressions name it.
    pub fn name(self) -> &'static str {
        match self {
            Checker::Waits => "waits",
            Checker::Memory => "memory",
            Checker::Barriers => "barriers",
            Checker::Races => "races",
            Checker::Leaks => "leaks",
            Checker::Init => "init",
            Checker::Nan => "nan",
        }
    }
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 30] = [
        Kind::ReadEarly,
        Kind::WriteEarly,
        Kind::SourceOverwritten,
        Kind::LdsBarrier,
        Kind::LdsLoadBarrier,
        Kind::WaitStates,
        Kind::ScalarReadEarly,
        Kind::OutOfBounds,
        Kind::AfterFree,
        Kind::Misaligned,
        Kind::ReadOnly,
        Kind::WrongFree,
        Kind::FreedTwice,
        Kind::Deadlock,
        Kind::DifferentBarriers,
        Kind::MissedByLanes,
        Kind::MissedByEnded,
        Kind::ArrivedTwice,
        Kind::LdsRace,
        Kind::GlobalRace,
        Kind::Leak,
        Kind::UndefinedAddress,
        Kind::UndefinedCondition,
        Kind::UndefinedRead,
        Kind::NanStored,
        Kind::InfinityStored,
        Kind::NanCompared,
        Kind::Saturated,
        Kind::Denormal,
        Kind::Underflow,
    ];

    /// Name, check, and the bug in a few words.
    fn row(self) -> (&'static str, Checker, &'static str) {
        use Checker::Waits;
        match self {
            Kind::ReadEarly => (
                "read-early",
                Waits,
                "a register is read before the operation that writes it is waited for",
            ),
            Kind::WriteEarly => (
                "write-early",
                Waits,
                "a register is written while an operation that also writes it is outstanding",
            ),
            Kind::SourceOverwritten => (
                "source-overwritten",
                Waits,
                "a register is overwritten while an operation that reads it is outstanding",
            ),
            Kind::LdsBarrier => (
                "lds-barrier",
                Waits,
                "a store to LDS is outstanding at a barrier",
            ),
            Kind::LdsLoadBarrier => (
                "lds-load-barrier",
                Waits,
                "a load from memory to LDS is outstanding at a barrier",
            ),
            Kind::WaitStates => (
                "wait-states",
                Waits,
                "two instructions follow each other too closely",
            ),
            Kind::ScalarReadEarly => (
                "scalar-read-early",
                Waits,
                "a scalar register is read before what was written to it is seen",
            ),
            Kind::OutOfBounds
            | Kind::AfterFree
            | Kind::Misaligned
            | Kind::ReadOnly
            | Kind::WrongFree
            | Kind::FreedTwice => self.of_memory(),
            Kind::LdsRace => (
                "lds-race",
                Checker::Races,
                "waves of a workgroup access the same bytes of LDS in no order, and at least one writes",
            ),
            Kind::GlobalRace => (
                "global-race",
                Checker::Races,
                "waves or copies access the same bytes of global memory in no order, and at least one writes",
            ),
            Kind::Leak => (
                "leak",
                Checker::Leaks,
                "the program has ended and not freed memory that it allocated",
            ),
            Kind::UndefinedAddress | Kind::UndefinedCondition | Kind::UndefinedRead => {
                self.of_init()
            }
            Kind::NanStored
            | Kind::InfinityStored
            | Kind::NanCompared
            | Kind::Saturated
            | Kind::Denormal
            | Kind::Underflow => self.of_nan(),
            _ => self.of_barriers(),
        }
    }

    fn of_memory(self) -> (&'static str, Checker, &'static str) {
        use Checker::Memory;
        match self {
            Kind::OutOfBounds => (
                "out-of-bounds",
                Memory,
                "a kernel accesses memory that is in no allocation, or LDS or scratch that it does not have",
            ),
            Kind::AfterFree => (
                "after-free",
                Memory,
                "a kernel accesses memory that the program or a kernel has freed",
            ),
            Kind::Misaligned => (
                "misaligned",
                Memory,
                "an address is not aligned as the instruction demands",
            ),
            Kind::ReadOnly => (
                "read-only",
                Memory,
                "a kernel writes a constant of a module",
            ),
            Kind::WrongFree => (
                "wrong-free",
                Memory,
                "the program frees what this function does not free: an address inside an allocation, or memory of another kind",
            ),
            _ => (
                "freed-twice",
                Memory,
                "the program frees memory that it has freed before",
            ),
        }
    }

    fn of_init(self) -> (&'static str, Checker, &'static str) {
        match self {
            Kind::UndefinedAddress => (
                "undefined-address",
                Checker::Init,
                "an address comes from memory, LDS or a variable that nothing has set",
            ),
            Kind::UndefinedRead => (
                "undefined-read",
                Checker::Init,
                "the program copies memory to the host that nothing has written",
            ),
            _ => (
                "undefined-condition",
                Checker::Init,
                "a branch depends on memory, LDS or a variable that nothing has set",
            ),
        }
    }

    fn of_nan(self) -> (&'static str, Checker, &'static str) {
        match self {
            Kind::NanStored => (
                "nan-stored",
                Checker::Nan,
                "a kernel stores NaN that an instruction made of numbers",
            ),
            Kind::InfinityStored => (
                "infinity-stored",
                Checker::Nan,
                "a kernel stores infinity that an instruction made of numbers",
            ),
            Kind::Saturated => (
                "saturated",
                Checker::Nan,
                "a number that is out of range is converted to the limit of a format",
            ),
            Kind::Denormal => (
                "denormal",
                Checker::Nan,
                "a result is so small that it has less precision",
            ),
            Kind::Underflow => (
                "underflow",
                Checker::Nan,
                "a result is zero because it is too small",
            ),
            _ => (
                "nan-compared",
                Checker::Nan,
                "NaN that an instruction made of numbers is compared",
            ),
        }
    }

    fn of_barriers(self) -> (&'static str, Checker, &'static str) {
        use Checker::Barriers;
        match self {
            Kind::Deadlock => (
                "deadlock",
                Barriers,
                "waves of a workgroup wait for each other, and nothing will let them go on",
            ),
            Kind::DifferentBarriers => (
                "different-barriers",
                Barriers,
                "waves of a workgroup meet at different barriers",
            ),
            Kind::MissedByLanes => (
                "missed-by-lanes",
                Barriers,
                "lanes of a wave are off when it comes to a barrier",
            ),
            Kind::MissedByEnded => (
                "missed-by-ended",
                Barriers,
                "waves of a workgroup have ended before a barrier that others come to",
            ),
            _ => (
                "arrived-twice",
                Barriers,
                "a wave arrives at a split barrier twice before it opens",
            ),
        }
    }

    /// As suppressions and JSON name it.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// The check that finds it.
    pub fn checker(self) -> Checker {
        self.row().1
    }

    /// Returns `true` if what is wrong is the way from one instruction to the other.
    pub fn has_path(self) -> bool {
        !matches!(
            self,
            Kind::LdsRace
                | Kind::GlobalRace
                | Kind::UndefinedAddress
                | Kind::UndefinedCondition
                | Kind::NanStored
                | Kind::InfinityStored
                | Kind::NanCompared
                | Kind::Saturated
                | Kind::Denormal
                | Kind::Underflow
        )
    }

    /// The bug in a few words.
    pub fn about(self) -> &'static str {
        self.row().2
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
    /// Its part in the finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The part of a finding that costs little.
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
    /// The position of the code object in its file.
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
    /// The position of the code object in its file.
    pub object: String,
    /// The code object's target with features.
    pub target: String,
    /// The kernel's or function's symbol.
    pub symbol: String,
    /// The same as its author wrote it.
    pub function: String,
    /// The registers or the memory that both instructions touch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub register: Option<String>,
    /// The instruction that has not ended, of a missing wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub producer: Option<Place>,
    /// The instruction that comes too early, or that accesses memory.
    pub consumer: Place,
    /// The access, and the lane that it was for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<Access>,
    /// The waves that met at a barrier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meeting: Option<Meeting>,
    /// The memory that the program frees, if the finding is in the program itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub free: Option<Free>,
    /// The memory that the program copies to the host, if the finding is in the program itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<Read>,
    /// The memory that the program has not freed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leak: Option<Leak>,
    /// The copies that race with each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copies: Option<Copies>,
    /// Further instructions that come too early for the same producer.
    pub further: usize,
    /// Basic blocks from the producer to the consumer.
    pub path: Vec<usize>,
    /// The instructions around both.
    pub listing: Vec<Line>,
}

/// The waves of a workgroup, when a barrier opened or nothing went on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Meeting {
    pub workgroup: [u32; 3],
    pub waves: Vec<WaveThere>,
}

/// One wave of a meeting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WaveThere {
    /// In the workgroup.
    pub wave: u32,
    /// The operation, such as `at the barrier` or `has ended`.
    pub state: String,
    /// The instruction that it is at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Lanes that are on, a bit for each.
    pub exec: u64,
    /// Lanes that it began with and that are off.
    pub absent: u64,
}

/// Two copies by engines of the device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Copies {
    /// The earlier copy: what it moves, and what it does with the memory.
    pub first: String,
    pub then: String,
    pub address: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocation: Option<Allocation>,
}

/// A wrong access of memory by one wave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Access {
    pub write: bool,
    /// None: the value has never been in memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<u64>,
    pub workgroup: [u32; 3],
    /// In the workgroup.
    pub wave: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lane: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocation: Option<Allocation>,
}

/// The allocation that an address lies in, or the one that is nearest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Allocation {
    pub address: u64,
    pub size: u64,
    /// The kind of memory, such as `device`, `stream-ordered` or `variable`.
    pub kind: String,
    /// The function of HIP or HSA that has allocated it, or `module`.
    pub with: String,
    /// A variable's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Position of the accessed address: `4 bytes before`, `8 bytes behind`, `0 bytes into`.
    pub position: String,
    /// Functions of the program that have allocated it, innermost first.
    pub allocated_by: Vec<String>,
    /// Functions of the program that have freed it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub freed_by: Vec<String>,
}

/// A call of the program that frees what it may not free.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Free {
    pub address: u64,
    /// The function of HIP.
    pub with: String,
    /// Functions of the program, innermost first.
    pub called_by: Vec<String>,
    pub allocation: Allocation,
}

/// A call of the program that copies undefined bytes to the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Read {
    /// The first undefined byte.
    pub address: u64,
    /// The function of HIP.
    pub with: String,
    /// Bytes that are copied, and how many of them are undefined.
    pub bytes: u64,
    pub undefined: u64,
    /// Functions of the program, innermost first.
    pub called_by: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocation: Option<Allocation>,
}

/// Memory of one place that the program has not freed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Leak {
    /// The bytes of all these allocations together.
    pub bytes: u64,
    /// The first allocation of this place.
    pub allocation: Allocation,
}

/// Is told of findings.
pub trait Sink {
    /// Counts a finding; whether it is to be shown.
    fn count(&mut self, finding: &Unshown) -> bool;
    /// Takes one that is to be shown.
    fn show(&mut self, finding: Finding);
}
