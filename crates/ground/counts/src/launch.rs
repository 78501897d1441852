//! One launch.

use serde::Serialize;

use crate::Executed;

/// The instructions that one launch of a kernel executed.
#[derive(Clone, Debug, Serialize)]
pub struct Launch<'a> {
    pub kernel: &'a str,
    #[serde(flatten)]
    pub executed: Executed,
    /// Address in the code object, wave and lane instructions of each instruction, where they were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<Vec<(u64, u64, u64)>>,
}
