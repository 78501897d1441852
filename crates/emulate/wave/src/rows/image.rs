//! MIMG: loads, stores, atomics and samples of images.
//!
//! Texels outside of an image load as zero and are not stored.

use super::{Row, Shape as RowShape, modify::*};
use crate::{
    micro_op::{Handler, ImageOperands},
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

/// Appends this file's rows.
#[rustfmt::skip]
pub(super) fn rows(rows: &mut Vec<Row>) {
    let mut push = |mnemonic: &'static str, operands: ImageOperands, words: u8, handler: fn() -> Handler| {
        rows.push(Row { mnemonic, shape: RowShape::Image { operands, words }, handler, changes_exec: false });
    };
    const NONE: ImageOperands = ImageOperands::NONE;
    const LEVEL: ImageOperands = ImageOperands::LEVEL;
    const DERIVATIVES: ImageOperands = ImageOperands::DERIVATIVES;
    const IMPLICIT: ImageOperands = ImageOperands::IMPLICIT;
    const QUERY: ImageOperands = ImageOperands::QUERY;
    push("image_load",        NONE,        0, handler::<Resolved<Load>>);
    push("image_load_mip",    LEVEL,       0, handler::<Resolved<Load>>);
    push("image_store",       NONE,        0, handler::<Resolved<Store>>);
    push("image_store_mip",   LEVEL,       0, handler::<Resolved<Store>>);
    push("image_get_resinfo", QUERY,       0, scalar_handler::<Resolved<Query>>);
    push("image_sample",      IMPLICIT,    0, handler::<Resolved<Sample>>);
    push("image_sample_lz",   NONE,        0, handler::<Resolved<Sample>>);
    push("image_sample_l",    LEVEL,       0, handler::<Resolved<Sample>>);
    push("image_sample_d",    DERIVATIVES, 0, handler::<Resolved<Sample>>);
    push("image_gather4",     IMPLICIT,    4, handler::<Resolved<Gather>>);
    push("image_gather4_lz",  NONE,        4, handler::<Resolved<Gather>>);

    macro_rules! atomics {
        ($($modify:ident: $name:literal;)*) => {$(
            push(concat!("image_atomic_", $name), NONE, 0, scalar_handler::<Resolved<Atomic<$modify, $modify>>>);
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
