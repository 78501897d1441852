//! Products in the host's vectors against the same products element by element, and addresses of lanes against a plain comparison.

mod steps;
#[cfg(target_arch = "x86_64")]
mod tile;
