//! (runtime; Rust interface follows)
