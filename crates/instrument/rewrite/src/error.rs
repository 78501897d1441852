//! Why a kernel stays as it is.

use template::RegisterFile;

/// A reason to leave a kernel alone. Addresses are those of the original object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("the plan names {what} {index}, which does not exist")]
    BadPlan { what: &'static str, index: usize },
    #[error("the code object cannot be read: {0}")]
    Object(String),
    #[error("the kernel {0} has no descriptor in the code object")]
    NoDescriptor(String),
    #[error("LLVM does not assemble what has to be inserted for {target}: {reason}")]
    Assembler { target: String, reason: String },
    #[error("{what}: {reason}")]
    Registers { what: &'static str, reason: String },
    #[error("{what}: {reason}")]
    Full {
        what: &'static str,
        reason: &'static str,
    },
    #[error("{function}: the code at {pc:#x} is not understood: {reason}")]
    Unresolved {
        function: String,
        pc: u64,
        reason: String,
    },
    #[error("hook {hook} at {pc:#x} needs {width} {file:?} registers in a row and none are free")]
    NoRegisters {
        hook: String,
        pc: u64,
        file: RegisterFile,
        width: u16,
    },
    #[error(
        "hook {hook} at {pc:#x} takes {needed} VGPRs at a time, and a wave has at most {most} where workgroups are as large as the kernel \
         allows: keep fewer values at a time in the hook, or build the kernel with smaller __launch_bounds__"
    )]
    TooLarge {
        hook: String,
        pc: u64,
        needed: u16,
        most: u16,
    },
    #[error("hook {hook} cannot have {port} at {pc:#x}: {reason}")]
    NoValue {
        hook: String,
        port: String,
        pc: u64,
        reason: String,
    },
    #[error("hook {hook} cannot be bound at {pc:#x}: {reason}")]
    Bind {
        hook: String,
        pc: u64,
        reason: String,
    },
    #[error(
        "a workgroup of {work_items} work-items, which the kernel allows, would not fit {target} any more: with what tools add, a wave \
         takes {vgprs} VGPRs and {sgprs} SGPRs, a lane {scratch} bytes of scratch, a workgroup {lds} bytes of LDS"
    )]
    NoRoom {
        work_items: u32,
        target: &'static str,
        vgprs: u32,
        sgprs: u32,
        lds: u32,
        scratch: u32,
    },
    #[error("a tool changes the code at {pc:#x}, which cannot be done: {reason}")]
    Change { pc: u64, reason: String },
    #[error("nothing can be inserted at {pc:#x}: {reason}")]
    Place { pc: u64, reason: &'static str },
    #[error(
        "the kernel has a stack whose size is decided at each launch, which leaves no room behind it for what hooks need; \
         instrument it while it runs (luthier run), where launches are known"
    )]
    DynamicStack,
    #[error("the branch at offset {offset:#x} of the new code does not reach its target")]
    BranchRange { offset: u64 },
}

impl Refusal {
    /// True if room in scratch instead of registers may help.
    pub fn is_for_registers(&self) -> bool {
        matches!(self, Refusal::NoRegisters { .. } | Refusal::Full { .. })
    }

    /// True if a plan that keeps less in registers may succeed where this one fails.
    pub fn lacks_registers(&self) -> bool {
        self.is_for_registers()
            || matches!(
                self,
                Refusal::Registers { .. } | Refusal::NoRoom { .. } | Refusal::DynamicStack
            )
    }

    /// The only place that cannot take what is to be inserted there, if it is that.
    pub fn place(&self) -> Option<u64> {
        match self {
            Refusal::NoRegisters { pc, .. }
            | Refusal::TooLarge { pc, .. }
            | Refusal::NoValue { pc, .. }
            | Refusal::Bind { pc, .. }
            | Refusal::Place { pc, .. } => Some(*pc),
            _ => None,
        }
    }
}
