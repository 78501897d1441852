//! Images: their descriptors, samplers and coordinates.
//!
//! Texels outside of an image load as zero and are not stored.

pub(crate) mod cube;
pub(crate) mod descriptor;
pub(crate) mod gfx12;
pub(crate) mod operands;
pub(crate) mod sampler;
