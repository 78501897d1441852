//! Which instrumenter the settings ask for.

use std::sync::Arc;

use session::{Config, Identity, Instrumenter};

/// The tool of `LUTHIER_TOOL`, or why there is none.
pub fn instrumenter(config: &Config) -> Result<Arc<dyn Instrumenter>, String> {
    match config.tools.as_slice() {
        [tool] if tool == "identity" => Ok(Arc::new(Identity)),
        tools => Err(format!("there is no tool {}", tools.join(", "))),
    }
}
