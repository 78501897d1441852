//! A follower gives each workgroup a shadow, which is shown every instruction that it planned for.

use std::sync::Arc;

use gpu::Dispatch;
use wave::{Planner, Shadow, Wave};

/// A workgroup that begins.
#[derive(Debug)]
pub struct Beginning<'a> {
    pub dispatch: &'a Arc<Dispatch>,
    pub workgroup: [u32; 3],
    /// In their order, before their first instruction.
    pub waves: Vec<&'a Wave>,
    /// The first vector and scalar registers that waves start with have so many; all others hold nothing that programs may count on.
    pub vector_registers: usize,
    pub scalar_registers: usize,
    pub lds_bytes: usize,
}

/// Makes shadows, by any thread.
pub trait Follower: Send + Sync {
    /// The shadow of a workgroup that begins.
    fn begin(&self, beginning: &Beginning<'_>) -> Box<dyn Shadow>;
    /// The planner of its shadows.
    fn planner(&self) -> Arc<dyn Planner>;
}
