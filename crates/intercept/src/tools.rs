//! Which instrumenter the settings ask for.

use session::{Config, Identity, Instrumenter};

/// The tool of `LUTHIER_TOOL`, or why there is none.
pub fn instrumenter(config: &Config) -> Result<Box<dyn Instrumenter>, String> {
    match config.tools.as_slice() {
        [tool] if tool == "identity" => Ok(Box::new(Identity)),
        tools => Err(format!("there is no tool {}", tools.join(", "))),
    }
}
