//! Which instrumenter the settings ask for.

use std::{env, path::Path, sync::Arc};

use session::{Config, Identity, Instrumenter};

/// The tools of `LUTHIER_TOOL`, or why there are none. `directory` has those that come with Luthier.
pub fn instrumenter(config: &Config, directory: &Path) -> Result<Arc<dyn Instrumenter>, String> {
    if let [tool] = config.tools.as_slice()
        && tool == "identity"
    {
        return Ok(Arc::new(Identity));
    }
    if let [tool] = config.tools.as_slice()
        && tool == tools::BUILT_IN
    {
        let output = config.output.clone();
        return Ok(Arc::new(luthier::BuiltInTools::new(
            tools::with_host_code,
            output,
        )));
    }
    let opened = config
        .tools
        .iter()
        .map(|tool| tool_capi::open(tool, directory));
    let opened = opened
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| error.to_string())?;
    let filter = env::var("LUTHIER_SITE").unwrap_or_default();
    let engine = luthier::Engine::new(opened, &filter, config.output.clone())
        .map_err(|error| error.to_string())?;
    Ok(Arc::new(engine))
}
