//! `luthier._luthier`: what the Python package `luthier` needs of the crates, as functions over bytes, numbers and JSON. Classes and
//! everything that users see are Python, in `python/luthier`.
//!
//! pyo3 is used without its macros: their features of `syn` would have the whole workspace built anew. [`module`] does by hand what
//! they would write.

mod calls;
mod code;
mod device;
mod error;
mod module;
mod reuse;
mod touched;
