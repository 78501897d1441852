//! Which executor runs the kernels.

use std::sync::Arc;

use compute::Pool;
use gpu::{Events, Executor, Memory};

use crate::record;

/// The executor of this process. The memory and events are those of the machine.
pub fn build(memory: Arc<Memory>, events: Arc<Events>) -> Arc<dyn Executor> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    record::wrap(Pool::new(memory.clone(), events, threads), memory)
}
