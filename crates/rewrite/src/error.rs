//! Why a kernel stays as it is.

/// A reason to leave a kernel alone. Addresses are those of the original object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("the plan names {what} {index}, which does not exist")]
    BadPlan { what: &'static str, index: usize },
    #[error("the kernel {0} has no descriptor in the code object")]
    NoDescriptor(String),
}
