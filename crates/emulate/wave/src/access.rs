//! Where memory instructions point, and how what lies there moves to and from registers.
//!
//! * `lanes` moves the elements of sixteen lanes, `spread` those of a whole wave at once.
//! * `space` has loads and stores, written once for every space; `buffer`, `flat`, `scratch` and `lds` are the spaces, `private`
//!   what two of them share. `block` is the quick way of the most usual accesses.
//! * `image` and `texel` know descriptors and formats, `components` where the parts of a texel lie in registers.
//! * `modify` is what atomics do to a word.
//!
//! The crate's `rows` decide how instructions use this; this room does not know them.

pub use buffer::scratch_descriptor;

#[cfg(all(target_arch = "x86_64", wide))]
pub(crate) mod block;
pub(crate) mod buffer;
pub(crate) mod components;
pub(crate) mod flat;
pub(crate) mod image;
pub(crate) mod lanes;
pub(crate) mod lds;
pub(crate) mod modify;
pub(crate) mod private;
pub(crate) mod scratch;
pub(crate) mod space;
pub(crate) mod spread;
pub(crate) mod texel;
