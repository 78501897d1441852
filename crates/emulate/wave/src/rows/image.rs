//! MIMG: loads, stores, atomics and samples of images.
//!
//! Texels outside of an image load as zero and are not stored.

use super::{Row, Shape as RowShape, modify::*};
use crate::{
    micro_op::Handler,
    shell::{handler, scalar_handler},
};
use operands::Resolved;
use plain::{Atomic, Load, Query, Store};
use sample::{Gather, Sample};

mod cube;
mod descriptor;
mod gfx12;
mod operands;
mod plain;
mod sample;
mod sampler;

/// Bits of `MicroOp::extra` of image rows. The low four are the data mask.
pub(crate) mod field {
    /// Coordinates are in texels.
    pub const UNNORMALIZED: u32 = 1 << 4;
    /// Data are packed halves.
    pub const D16: u32 = 1 << 5;
    /// Addresses are packed halves.
    pub const A16: u32 = 1 << 6;
    /// gfx9: the image may be an array.
    pub const ARRAY: u32 = 1 << 7;
    /// gfx10: the instruction's dimensions, three bits from here.
    pub const DIMENSIONS: u32 = 8;
    /// An atomic returns what was there.
    pub const RETURNS: u32 = 1 << 11;
}

/// Address registers at most: the first in `src[0]`, the others a byte each in `constant`.
pub(crate) const MOST_ADDRESSES: usize = 13;

/// What stands in front of and behind an instruction's coordinates, in a row's attribute.
mod attribute {
    /// A level of detail behind the coordinates.
    pub const LEVEL: u16 = 1;
    /// Derivatives in front of them: two per axis.
    pub const DERIVATIVES: u16 = 2;
    /// The coordinates of neighbouring lanes say the level of detail.
    pub const IMPLICIT: u16 = 4;
    /// A level instead of coordinates.
    pub const QUERY: u16 = 8;
}

/// Appends this file's rows.
#[rustfmt::skip]
pub(super) fn rows(rows: &mut Vec<Row>) {
    let mut push = |mnemonic: &'static str, attribute: u16, width: u8, handler: fn() -> Handler| {
        rows.push(Row { mnemonic, shape: RowShape::Image, handler, width, attribute, changes_exec: false });
    };
    use attribute::{DERIVATIVES, IMPLICIT, LEVEL, QUERY};
    push("image_load",        0,           0, handler::<Resolved<Load>>);
    push("image_load_mip",    LEVEL,       0, handler::<Resolved<Load>>);
    push("image_store",       0,           0, handler::<Resolved<Store>>);
    push("image_store_mip",   LEVEL,       0, handler::<Resolved<Store>>);
    push("image_get_resinfo", QUERY,       0, scalar_handler::<Resolved<Query>>);
    push("image_sample",      IMPLICIT,    0, handler::<Resolved<Sample>>);
    push("image_sample_lz",   0,           0, handler::<Resolved<Sample>>);
    push("image_sample_l",    LEVEL,       0, handler::<Resolved<Sample>>);
    push("image_sample_d",    DERIVATIVES, 0, handler::<Resolved<Sample>>);
    push("image_gather4",     IMPLICIT,    4, handler::<Resolved<Gather>>);
    push("image_gather4_lz",  0,           4, handler::<Resolved<Gather>>);

    macro_rules! atomics {
        ($($modify:ident: $name:literal;)*) => {$(
            push(concat!("image_atomic_", $name), 0, 0, scalar_handler::<Resolved<Atomic<$modify, $modify>>>);
        )*};
    }
    atomics! {
        Swap:             "swap";
        CompareSwap:      "cmpswap";
        Add:              "add";
        Subtract:         "sub";
        SignedMin:        "smin";
        UnsignedMin:      "umin";
        SignedMax:        "smax";
        UnsignedMax:      "umax";
        And:              "and";
        Or:               "or";
        Xor:              "xor";
        Increment:        "inc";
        Decrement:        "dec";
        FloatCompareSwap: "fcmpswap";
        FloatMin:         "fmin";
        FloatMax:         "fmax";
    }
}
