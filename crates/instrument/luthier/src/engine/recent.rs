//! Code objects that kernels were instrumented of lately. Programs launch one kernel of an object after the other, and what is
//! the same for all of them is found out once.

use crate::{
    Engine, Result,
    engine::{build, lock},
};
use codeobj::{CodeObject, LineTables, SourceLines};
use rewrite::Kernels;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Objects that are kept: each takes some times the memory of its debug information.
const MOST: usize = 4;

/// Facts about an object that do not depend on the kernel.
pub(crate) struct ObjectFacts {
    /// SHA-256 of the object.
    hash: [u8; 32],
    pub kernels: Kernels,
    /// See [`build::relocated`].
    pub refused: Option<String>,
    lines: Option<Arc<LineTables>>,
    /// A kernel of it was instrumented before.
    again: AtomicBool,
}

impl ObjectFacts {
    /// Found out now or before.
    pub fn get_or_find(
        engine: &Engine,
        object: &CodeObject<'_>,
        hash: &[u8; 32],
    ) -> Result<Arc<ObjectFacts>> {
        if let Some(known) = find(engine, hash) {
            return Ok(known);
        }
        // Others go on meanwhile; two that find out the same agree.
        let found = Arc::new(ObjectFacts {
            hash: *hash,
            kernels: build::kernels(object)?,
            refused: build::relocated(object),
            // Damaged line tables must not keep a kernel from running instrumented.
            lines: LineTables::read(object).ok().flatten().map(Arc::new),
            again: AtomicBool::new(false),
        });
        if let Some(known) = find(engine, hash) {
            return Ok(known);
        }
        let mut recent = lock(&engine.recent);
        recent.insert(0, found.clone());
        recent.truncate(MOST);
        Ok(found)
    }

    /// Its line tables, for one thread. For one kernel it is quicker to look up what is asked for, for several to read all.
    pub fn lines(&self) -> Option<SourceLines> {
        let tables = self.lines.as_ref()?;
        if self.again.swap(true, Ordering::Relaxed) {
            tables.prepare();
        }
        Some(SourceLines::sharing(tables))
    }
}

fn find(engine: &Engine, hash: &[u8; 32]) -> Option<Arc<ObjectFacts>> {
    let mut recent = lock(&engine.recent);
    let at = recent.iter().position(|known| known.hash == *hash)?;
    let known = recent.remove(at);
    recent.insert(0, known.clone());
    Some(known)
}
