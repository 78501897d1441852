//! Whole code objects, lifted: a kernel that calls by pointer needs every kernel of its object.
//!
//! A lifted object takes about a hundred times the memory of its code, and a library for matrix products has 28 MB of code in one
//! object. An application may start a dozen of its kernels at once, so that one object at a time is lifted, for all of them.

use std::sync::{Arc, Weak};

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
    /// As long as any kernel's builder uses it.
    module: Weak<Module>,
    kept: Option<Arc<Module>>,
}

/// The object's module. Who asks meanwhile waits, for this object and for others.
pub(crate) fn module(
    engine: &Engine,
    object: &CodeObject<'_>,
    (hash, size): (&[u8; 32], usize),
) -> Result<Arc<Module>> {
    let mut last = lock(&engine.whole);
    let known = last.kept.clone().or_else(|| last.module.upgrade());
    if let Some(module) = known.filter(|_| last.hash == *hash) {
        return Ok(module);
    }
    // What is kept of another object goes first.
    *last = Whole::default();
    let module = Arc::new(Module::lift_quietly(object).map_err(Error::Lift)?);
    *last = Whole {
        hash: *hash,
        module: Arc::downgrade(&module),
        kept: (size <= KEPT).then(|| module.clone()),
    };
    Ok(module)
}
