//! The parts of a template.

use serde::{Deserialize, Serialize};

/// Register files whose registers a template may be bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum RegisterFile {
    Sgpr,
    Vgpr,
    Agpr,
}

bitflags::bitflags! {
    /// State other than general registers that differs behind a template.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub struct Clobbers: u8 {
        const SCC = 1 << 0;
        const VCC = 1 << 1;
        const M0 = 1 << 2;
    }
}

impl Serialize for Clobbers {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.bits())
    }
}

impl<'de> Deserialize<'de> for Clobbers {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Clobbers, D::Error> {
        let bits = u8::deserialize(deserializer)?;
        Clobbers::from_bits(bits).ok_or_else(|| serde::de::Error::custom("unknown clobber"))
    }
}

/// A value that crosses the border between application and hook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Port {
    /// `parameter:0`, `vgpr:5`, `exec`, `effective_address`, `workgroup_id_x`, `result`, ...
    pub name: String,
    pub file: RegisterFile,
    /// The hook wants the application's value.
    pub read: bool,
    /// The hook leaves a new value.
    pub written: bool,
    /// For each dword the group that holds it and the offset there; `None` when the code does not touch it.
    pub dwords: Vec<Option<(u16, u16)>>,
}

/// In front of the number of a hook's parameter.
const PARAMETER: &str = "parameter:";

/// The name of the port that is a hook's parameter with this number, counted from 0.
pub fn parameter(index: usize) -> String {
    format!("{PARAMETER}{index}")
}

impl Port {
    /// The number of the hook's parameter; `None` if the port is something else.
    pub fn parameter(&self) -> Option<usize> {
        self.name.strip_prefix(PARAMETER)?.parse().ok()
    }

    /// A description for messages.
    pub fn described(&self) -> String {
        match self.parameter() {
            Some(number) => format!("a value for parameter {number}"),
            None => self.name.clone(),
        }
    }
}

/// Registers that move together because some instruction names them as one tuple.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    pub file: RegisterFile,
    /// Its first register in the compiled template.
    pub first: u16,
    /// Dwords.
    pub width: u16,
    /// The first register's index is a multiple of this.
    pub alignment: u16,
    /// The last register's index is below this.
    pub limit: u16,
    /// The code writes it.
    pub written: bool,
    /// Holds an input that must be intact behind the template.
    pub preserved: bool,
    /// Written in lanes that EXEC excludes: needs a register dead in all lanes.
    pub all_lanes: bool,
}

/// One run of bits of one register operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patch {
    /// Bit offset in the code; the run does not leave its dword.
    pub bit: u32,
    pub group: u16,
    /// Register index relative to the group's first.
    pub offset: u16,
    /// The run holds these bits of the register's index: `length` bits from `shift`.
    pub shift: u8,
    pub length: u8,
}

/// Begins the symbols that stand for values with the same number in all executions of a place, such as `access_size`.
const VALUE: &str = "__luthier_literal_";

/// A 32-bit literal that holds half an address of a tool variable, or half of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relocation {
    /// Bytes from the start of the template.
    pub offset: u32,
    /// ELF type: `R_AMDGPU_ABS32_LO` (1) or `R_AMDGPU_ABS32_HI` (2).
    pub kind: u32,
    pub symbol: String,
    pub addend: i64,
}

impl Relocation {
    /// The value that the literal holds; `None` if it is a variable's address.
    pub fn value(&self) -> Option<&str> {
        // Where several tools meet, the tool's name is in front of all symbols.
        let (_, symbol) = self.symbol.rsplit_once('/').unwrap_or(("", &self.symbol));
        symbol.strip_prefix(VALUE)
    }

    /// The lowest bit that the literal has of the address or value.
    pub fn shift(&self) -> u32 {
        if self.kind == 1 { 0 } else { 32 }
    }
}

/// An LDS variable of a hook; the port `lds:NAME` takes its address. All hooks of a tool that name it share it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedVariable {
    pub name: String,
    /// Bytes.
    pub size: u32,
    /// Bytes; a power of two up to 16.
    pub alignment: u32,
}

/// Straight machine code that falls off its end, with all it needs derived from the code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template {
    /// Processor, e.g. `gfx90a`.
    pub target: String,
    pub wave_size: u8,
    pub code: Vec<u8>,
    /// Bytes of waits at the end that only guard memory writes and may be left out.
    pub droppable_tail: u32,
    pub ports: Vec<Port>,
    pub groups: Vec<Group>,
    pub clobbers: Clobbers,
    pub patches: Vec<Patch>,
    pub relocations: Vec<Relocation>,
    /// Instructions, branches not followed.
    pub instructions: u32,
    /// Bytes per lane of variables in memory, a multiple of 16: lane after lane from the address in port `stack`, which need
    /// not outlive the template.
    pub stack: u32,
    pub shared: Vec<SharedVariable>,
    /// It computes with floating-point numbers: rounding and denormals have to be as it was compiled for.
    pub reads_mode: bool,
    /// It is to add once for each wave, and adds nothing where EXEC is 0 (`count_wave`).
    pub counts_waves: bool,
    /// Constant tables that relocations name; who puts templates into a bundle puts them among its variables.
    #[serde(skip)]
    pub constants: Vec<crate::Global>,
}

impl Template {
    /// VGPRs that the code has at a time.
    pub fn vector_registers(&self) -> u16 {
        let groups = self.groups.iter();
        let vectors = groups.filter(|group| group.file == RegisterFile::Vgpr);
        vectors.map(|group| group.width).sum()
    }

    /// The port of that name.
    pub fn port(&self, name: &str) -> Option<&Port> {
        self.ports.iter().find(|port| port.name == name)
    }
}
