//! The tools that come with Luthier, each a short sample of the API.
//!
//! Entry types: [`TOOLS`] (what there is) and [`open`] (a tool by name or path). A built tool is a file `NAME.tool`; the ones
//! here lie in `luthier-tools/` beside the program, and their host code is compiled in. Any other is declarative.
#![forbid(unsafe_code)]

mod arguments;
mod branch_divergence;
mod by_line;
mod coverage;
mod coverage_report;
mod flow;
mod hotspots;
mod instruction_count;
mod launch_log;
mod mem_check;
mod memory;
mod open;
mod per_block;

pub use arguments::{Parameter, parameters};
pub use open::{
    BUILT_IN, Given, LIBRARIES, OPTIONS, OpenError, SUFFIX, ToolSet, check_filter, chosen_of,
    distinct, given, is_library, is_stock, name_of, named_as, nearest, open, open_all, open_as,
    options_of, read_library, ready_path, stray_callbacks, with_host_code, wraps,
};

use luthier::{Tool, ToolFile};

/// A tool that comes with Luthier.
pub struct ReadyTool {
    pub name: &'static str,
    /// Its HIP file.
    pub source: &'static str,
    pub make: fn(ToolFile) -> Box<dyn Tool>,
}

macro_rules! tools {
    ($($name:literal => $make:expr,)*) => {
        /// All of them.
        pub const TOOLS: &[ReadyTool] = &[$(ReadyTool {
            name: $name,
            source: include_str!(concat!("../hooks/", $name, ".hip")),
            make: |file| Box::new($make(file)),
        }),*];
    };
}

tools! {
    "instr-count" => instruction_count::InstructionCount,
    "bb-count" => per_block::BlockCount,
    "opcode-histogram" => per_block::OpcodeHistogram,
    "mem-trace" => memory::Trace,
    "mem-coalesce" => memory::Coalescing,
    "mem-check" => mem_check::MemCheck::new,
    "lds-conflicts" => memory::BankConflicts,
    "branch-divergence" => branch_divergence::BranchDivergence,
    "coverage" => coverage::Coverage,
    "hotspots" => hotspots::Hotspots,
    "launch-log" => launch_log::LaunchLog::new,
    "empty" => luthier::Declarative,
}
