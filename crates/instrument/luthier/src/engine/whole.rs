//! Whole code objects, lifted: a kernel that calls by pointer needs every kernel of its object.
//!
//! A lifted object takes about a hundred times the memory of its code, and libraries for matrix products have objects with 30 MB. An
//! application may start a dozen of their kernels at once. The engine therefore lifts one object at a time, for all kernels that wait for
//! it, and frees it when the last of them is built.

use std::{
    ops::Deref,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use codeobj::CodeObject;
use lift::Module;

use super::lock;
use crate::{Engine, Error, Result};

/// Bytes of an object up to which its module is kept for kernels that come later.
const KEPT: usize = 1 << 20;

/// The object that was lifted last.
#[derive(Default)]
pub(crate) struct Whole {
    /// SHA-256 of the object.
    hash: [u8; 32],
    module: Option<Arc<Lifted>>,
}

/// How often an engine has lifted whole objects, and how many of them were in memory at a time.
#[derive(Debug, Default)]
pub struct WholeObjects {
    lifted: AtomicUsize,
    kept: AtomicUsize,
    most: AtomicUsize,
}

impl WholeObjects {
    /// How often one was lifted.
    pub fn lifted(&self) -> usize {
        self.lifted.load(Ordering::Relaxed)
    }

    /// The most that were in memory at a time.
    pub fn most(&self) -> usize {
        self.most.load(Ordering::Relaxed)
    }
}

/// A module that is counted while it exists.
struct Lifted {
    module: Module,
    among: Arc<WholeObjects>,
}

impl Lifted {
    fn of(object: &CodeObject<'_>, among: &Arc<WholeObjects>) -> Result<Lifted> {
        among.lifted.fetch_add(1, Ordering::Relaxed);
        let kept = among.kept.fetch_add(1, Ordering::Relaxed) + 1;
        among.most.fetch_max(kept, Ordering::Relaxed);
        let module = Module::lift_quietly(object).inspect_err(|_| {
            among.kept.fetch_sub(1, Ordering::Relaxed);
        });
        Ok(Lifted {
            module: module.map_err(Error::Lift)?,
            among: Arc::clone(among),
        })
    }
}

impl Drop for Lifted {
    fn drop(&mut self) {
        self.among.kept.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Deref for Lifted {
    type Target = Module;

    fn deref(&self) -> &Module {
        &self.module
    }
}

/// Builders that want the module of a whole object, and have none.
pub(crate) type Waiting = AtomicUsize;

/// Runs `act` with the object's module. Another caller waits meanwhile, for this object as for others.
pub(crate) fn with<T>(
    engine: &Engine,
    object: &CodeObject<'_>,
    (hash, size): (&[u8; 32], usize),
    act: impl FnOnce(&Module) -> Result<T>,
) -> Result<T> {
    engine.waiting.fetch_add(1, Ordering::Relaxed);
    let mut last = lock(&engine.whole);
    engine.waiting.fetch_sub(1, Ordering::Relaxed);
    let known = last.module.take().filter(|_| last.hash == *hash);
    let module = match known {
        Some(module) => module,
        None => Arc::new(Lifted::of(object, &engine.whole_objects)?),
    };
    if size <= KEPT {
        (last.hash, last.module) = (*hash, Some(module.clone()));
        drop(last);
        return act(&module);
    }
    let result = act(&module);
    if engine.waiting.load(Ordering::Relaxed) > 0 {
        (last.hash, last.module) = (*hash, Some(module));
    } else {
        drop(module);
        guest::memory::give_back();
    }
    result
}
