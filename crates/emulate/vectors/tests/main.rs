//! Products in the host's vectors against the same products element by element.

#[cfg(target_arch = "x86_64")]
mod tile;
