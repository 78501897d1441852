//! Why kernels run uninstrumented.

use serde::{Deserialize, Serialize};

/// Why a kernel runs uninstrumented. The text is for the user; the kind is for code that decides what to do next. In JSON it is an object
/// of `kind`, such as `resources`, and `reason`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "kind", content = "reason", rename_all = "kebab-case")]
pub enum Refusal {
    /// Its code object cannot be read, or nothing can be put into it, whatever the tool.
    #[error("{0}")]
    Object(String),
    /// The inserted code needs more registers, LDS or scratch than there is. Less code may fit.
    #[error("{0}")]
    Resources(String),
    /// It has a stack without a size of its own, behind which something would have to lie: possible for launches of a known size
    /// only, see [`crate::Request::stack_size`].
    #[error("{0}")]
    StackSize(String),
    /// Its code is not understood, or a place of it cannot take what is to be inserted there.
    #[error("{0}")]
    Code(String),
    /// The tool does not want it, or asks for something that does not exist.
    #[error("{0}")]
    Tool(String),
    /// Code of the tool crashed, did not come back or could not be run: the next process may be luckier.
    #[error("{0}")]
    ToolFailed(String),
    /// The runtime has no memory for it, or does not load it.
    #[error("{0}")]
    Device(String),
    /// The reason was found when tools were put into the file.
    #[error("{0}")]
    BuiltIn(String),
    /// A bug of Luthier.
    #[error("internal error: {0}")]
    Internal(String),
}

impl Refusal {
    /// Returns `true` if the same kernel, tools and settings give the same result in another process.
    pub fn is_lasting(&self) -> bool {
        match self {
            Refusal::Object(_) | Refusal::Resources(_) | Refusal::StackSize(_) => true,
            Refusal::Code(_) | Refusal::Tool(_) => true,
            Refusal::ToolFailed(_) | Refusal::Device(_) => false,
            Refusal::BuiltIn(_) | Refusal::Internal(_) => false,
        }
    }
}
