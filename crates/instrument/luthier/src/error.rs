/// An error in a tool, or in reading one.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A hook is named that the tool does not have, or not for this target.
    #[error(
        "tool {tool} has no hook {hook} for {target} with wave{wave_size} ({known}); `luthier tool build` builds it for all targets"
    )]
    NoHook {
        /// The tool's name.
        tool: String,
        /// The hook's name.
        hook: String,
        /// Processor of the kernel.
        target: String,
        /// Lanes of the kernel's waves.
        wave_size: u8,
        /// Its hooks and what they are compiled for.
        known: String,
    },
    /// A file is given as a tool and is none: its name, and what is wrong.
    #[error("{0} is no built tool: {1}; `luthier tool build` makes one of a HIP file")]
    NotATool(String, template::BundleError),
    /// The tool's description cannot be used.
    #[error("description of tool {tool}: {reason}")]
    Description {
        /// The tool's name.
        tool: String,
        /// The reason.
        reason: String,
    },
    /// A parameter of a run is unknown, or its value is not what the tool asks for.
    #[error("parameter {name} of tool {tool}: {reason}")]
    Option {
        /// The tool's name.
        tool: String,
        /// The parameter's name.
        name: String,
        /// The reason.
        reason: String,
    },
    /// An argument of a description that says no value.
    #[error("`{text}`: {reason}")]
    Expression {
        /// The argument.
        text: String,
        /// The reason.
        reason: String,
    },
    /// Text that is no site filter.
    #[error(
        "`{0}`{hint} is no condition for places: expected opcode=PATTERN (`*` stands for anything), function=REGEX, source=FILE:FIRST-LAST or kind=CLASS; `|` stands between alternatives of opcodes and classes",
        hint = crate::filter::condition_hint(.0))]
    Filter(String),
    /// A class of `kind=` that does not exist.
    #[error(
        "`{0}` is no class of instructions{hint}; kind= takes {names}, with | between alternatives, & between classes that an instruction has at once, and ! before one that it does not have",
        hint = crate::filter::class_hint(.0), names = crate::filter::class_names())]
    Class(String),
    /// Text that chooses no executions.
    #[error(
        "`{0}` chooses no executions: expected workgroup=X,Y,Z (with * for any), first=N or sample=N, from 1 to 4294967294"
    )]
    Executions(String),
    /// A tool was built before hooks could be kept from running.
    #[error("hook {hook} of tool {tool} cannot be kept to some executions: {reason}")]
    Guard {
        /// The tool's name.
        tool: String,
        /// The hook's name.
        hook: String,
        /// Why.
        reason: String,
    },
    /// A value that a hook's parameter cannot have.
    #[error("parameter {index} of hook {hook}: {reason}")]
    Argument {
        /// The hook's name.
        hook: String,
        /// Counted from 0.
        index: usize,
        /// The reason.
        reason: String,
    },
    /// Text of [`Edit::replace`](crate::Edit::replace) that is no instruction.
    #[error("cannot assemble `{}`: {reason}", text.escape_debug())]
    Assemble {
        /// The text.
        text: String,
        /// The assembler's message.
        reason: String,
    },
    /// A variable is named that the tool does not have.
    #[error("tool {tool} has no variable {name}")]
    NoGlobal {
        /// The tool's name.
        tool: String,
        /// The variable's name.
        name: String,
    },
    /// Records could not be written.
    #[error(transparent)]
    Records(#[from] records::Error),
    /// A tool's data about a kernel could not be written or read.
    #[error(transparent)]
    Data(#[from] serde_json::Error),
    /// A code object is damaged or of a kind that is not supported.
    #[error("cannot read the code object: {0}")]
    Object(#[source] codeobj::Error),
    /// Nothing can be put into a code object, whatever the tool.
    #[error("{0}")]
    Unsuitable(String),
    /// The kernel's code cannot be understood.
    #[error("cannot lift the kernel: {0}")]
    Lift(#[source] lift::Error),
    /// A kernel has a descriptor and no code.
    #[error("the code object has no code for kernel {0}")]
    NoKernel(String),
    /// The edits that tools request for a kernel are not possible.
    #[error(transparent)]
    Rewrite(#[from] rewrite::Refusal),
    /// An object's section about the tools in it cannot be read.
    #[error("section {section} is damaged: {reason}")]
    Section {
        /// The section's name.
        section: &'static str,
        /// The reason.
        reason: String,
    },
    /// A variable of a tool cannot be read back from the devices.
    #[error("{0}")]
    Variable(String),
    /// Host code of a tool crashed, did not come back or could not be run.
    #[error("{0}")]
    ToolFailed(String),
    /// A tool's own: it does not want the kernel, or has no results.
    #[error("{0}")]
    Tool(String),
    /// A bug of Luthier.
    #[error("internal error: {0}")]
    Internal(String),
}

/// The refusal that a session reports for this error.
impl From<Error> for session::Refusal {
    fn from(error: Error) -> session::Refusal {
        use session::Refusal;
        let text = error.to_string();
        match error {
            Error::Object(_)
            | Error::Unsuitable(_)
            | Error::NoKernel(_)
            | Error::Section { .. } => Refusal::Object(text),
            Error::Lift(_) => Refusal::Code(text),
            Error::Rewrite(refusal) => rewriting(&refusal, text),
            Error::NoHook { .. }
            | Error::NotATool(..)
            | Error::Description { .. }
            | Error::Option { .. }
            | Error::Expression { .. }
            | Error::Filter(_)
            | Error::Class(_)
            | Error::Executions(_)
            | Error::Guard { .. }
            | Error::Argument { .. }
            | Error::Assemble { .. }
            | Error::NoGlobal { .. }
            | Error::Data(_)
            | Error::Tool(_) => Refusal::Tool(text),
            Error::ToolFailed(_) | Error::Records(_) => Refusal::ToolFailed(text),
            Error::Variable(_) => Refusal::Device(text),
            Error::Internal(reason) => Refusal::Internal(reason),
        }
    }
}

fn rewriting(refusal: &rewrite::Refusal, text: String) -> session::Refusal {
    use rewrite::Refusal;
    match refusal {
        Refusal::Object(_) | Refusal::NoDescriptor(_) => session::Refusal::Object(text),
        Refusal::DynamicStack => session::Refusal::StackSize(text),
        Refusal::Registers { .. }
        | Refusal::Full { .. }
        | Refusal::NoRegisters { .. }
        | Refusal::TooLarge { .. }
        | Refusal::NoRoom { .. } => session::Refusal::Resources(text),
        Refusal::Change { .. } => session::Refusal::Tool(text),
        Refusal::Unresolved { .. }
        | Refusal::NoValue { .. }
        | Refusal::Bind { .. }
        | Refusal::Place { .. }
        | Refusal::Assembler { .. }
        | Refusal::BranchRange { .. } => session::Refusal::Code(text),
        Refusal::BadPlan { .. } => session::Refusal::Internal(text),
    }
}

/// A result whose error is an [`Error`].
pub type Result<T> = std::result::Result<T, Error>;
