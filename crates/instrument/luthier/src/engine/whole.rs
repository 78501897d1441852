//! Whole code objects, lifted: a kernel that calls by pointer needs every kernel of its object.
//!
//! A lifted object takes about a hundred times the memory of its code, and libraries for matrix products have objects with 30 MB. An
//! application may start a dozen of their kernels at once. So one object at a time is lifted, for all kernels that wait for it, and what it
//! took is given back when the last of them is built.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
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
    module: Option<Arc<Module>>,
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
        None => Arc::new(Module::lift_quietly(object).map_err(Error::Lift)?),
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
