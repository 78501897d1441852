//! Watched execution at full speed, a stretch of code at a time.

use std::sync::Arc;

use gpu::Dispatch;
use wave::Watch;

/// Makes a watcher for each host thread.
pub trait Watchers: Send + Sync {
    fn watcher(&self) -> Box<dyn Watcher>;
}

/// Watches the waves that one host thread runs. A wave takes its number along to other threads.
pub trait Watcher: Watch + Send {
    /// The thread begins to work on a dispatch.
    fn begin(&mut self, dispatch: &Arc<Dispatch>);
    /// The thread leaves the dispatch, whose end has not been announced yet.
    fn leave(&mut self);
}
