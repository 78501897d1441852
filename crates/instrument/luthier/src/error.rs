/// What goes wrong in a tool or in reading one.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(
        "tool {tool} has no hook {hook} for {target} with wave{wave_size} ({known}); `luthier tool build` builds it for all targets"
    )]
    NoHook {
        tool: String,
        hook: String,
        target: String,
        wave_size: u8,
        /// Its hooks and what they are compiled for.
        known: String,
    },
    #[error("{0} is no built tool: {1}; `luthier tool build` makes one of a HIP file")]
    NotATool(String, template::BundleError),
    #[error("description of tool {tool}: {reason}")]
    Description { tool: String, reason: String },
    #[error("parameter {name} of tool {tool}: {reason}")]
    Option {
        tool: String,
        name: String,
        reason: String,
    },
    #[error("`{text}`: {reason}")]
    Expression { text: String, reason: String },
    #[error(
        "`{0}` is no site filter: expected opcode=PATTERN, function=REGEX, source=FILE:FIRST-LAST or kind=CLASS, with | between alternatives, & between what has to hold together and ! for what must not (classes: {names})", names = crate::filter::class_names())]
    Filter(String),
    #[error("parameter {index} of hook {hook}: {reason}")]
    Argument {
        hook: String,
        /// Counted from 0.
        index: usize,
        reason: String,
    },
    #[error("cannot assemble `{text}`: {reason}")]
    Assemble { text: String, reason: String },
    #[error("tool {tool} has no variable {name}")]
    NoGlobal { tool: String, name: String },
    #[error(transparent)]
    Records(#[from] records::Error),
    #[error(transparent)]
    Data(#[from] serde_json::Error),
    /// A tool's own.
    #[error("{0}")]
    Tool(String),
}

pub type Result<T> = std::result::Result<T, Error>;
