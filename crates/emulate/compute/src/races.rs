//! A checker of races is told of accesses to LDS that nothing puts in order.

use std::sync::Arc;

use gpu::Dispatch;
use wave::races::{Race, Rules};

/// Is told of accesses to LDS in no order, by any thread.
pub trait Order: Send + Sync {
    fn raced(&self, dispatch: &Arc<Dispatch>, workgroup: [u32; 3], races: &[Race]);

    /// The rules that count.
    fn rules(&self) -> Rules {
        Rules::ALL
    }
}
