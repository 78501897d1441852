//! MIMG: loads, stores, atomics and samples of images.
//!
//! Texels outside of an image load as zero and are not stored.

use super::{Row, Shape as RowShape};
use crate::{
    access::{image::operands::Resolved, modify::*},
    micro_op::{Handler, ImageOperands},
    shell::{handler, scalar_handler},
};
use plain::{Atomic, AtomicDword, Load, Query, Store};
use sample::{Gather, Sample};

mod plain;
mod sample;

/// Appends this file's rows.
#[rustfmt::skip]
pub(super) fn rows(rows: &mut Vec<Row>) {
    let mut push = |mnemonic: &'static str, operands: ImageOperands, words: u8, handler: fn() -> Handler| {
        rows.push(Row { mnemonic, shape: RowShape::Image { operands, words }, handler, changes_exec: false });
    };
    const NONE: ImageOperands = ImageOperands::NONE;
    const LEVEL: ImageOperands = ImageOperands::LEVEL;
    const QUERY: ImageOperands = ImageOperands::QUERY;
    push("image_load",        NONE,        0, handler::<Resolved<Load>>);
    push("image_load_mip",    LEVEL,       0, handler::<Resolved<Load>>);
    push("image_store",       NONE,        0, handler::<Resolved<Store>>);
    push("image_store_mip",   LEVEL,       0, handler::<Resolved<Store>>);
    push("image_get_resinfo", QUERY,       0, scalar_handler::<Resolved<Query>>);
    for name in SAMPLES {
        push(name, operands_of(name), 0, handler::<Resolved<Sample>>);
    }
    for name in GATHERS {
        push(name, operands_of(name), 4, handler::<Resolved<Gather>>);
    }
    push("image_atomic_add_flt",     NONE, 0, scalar_handler::<Resolved<AtomicDword<FloatAddMemory>>>);
    push("image_atomic_min_flt",     NONE, 0, scalar_handler::<Resolved<AtomicDword<NumberMin>>>);
    push("image_atomic_max_flt",     NONE, 0, scalar_handler::<Resolved<AtomicDword<NumberMax>>>);
    push("image_atomic_pk_add_f16",  NONE, 0, scalar_handler::<Resolved<AtomicDword<PackedHalfAdd>>>);
    push("image_atomic_pk_add_bf16", NONE, 0, scalar_handler::<Resolved<AtomicDword<PackedBf16Add>>>);

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

/// All samples: what their names are made of says what they are given.
#[rustfmt::skip]
const SAMPLES: &[&str] = &[
    "image_sample", "image_sample_o", "image_sample_cl", "image_sample_cl_o", "image_sample_d", "image_sample_d_g16",
    "image_sample_d_o", "image_sample_d_o_g16", "image_sample_d_cl", "image_sample_d_cl_g16", "image_sample_d_cl_o",
    "image_sample_d_cl_o_g16", "image_sample_l", "image_sample_l_o", "image_sample_b", "image_sample_b_o",
    "image_sample_b_cl", "image_sample_b_cl_o", "image_sample_lz", "image_sample_lz_o", "image_sample_cd",
    "image_sample_cd_g16", "image_sample_cd_o", "image_sample_cd_o_g16", "image_sample_cd_cl",
    "image_sample_cd_cl_g16", "image_sample_cd_cl_o", "image_sample_cd_cl_o_g16", "image_sample_c",
    "image_sample_c_o", "image_sample_c_cl", "image_sample_c_cl_o", "image_sample_c_d", "image_sample_c_d_g16",
    "image_sample_c_d_o", "image_sample_c_d_o_g16", "image_sample_c_d_cl", "image_sample_c_d_cl_g16",
    "image_sample_c_d_cl_o", "image_sample_c_d_cl_o_g16", "image_sample_c_l", "image_sample_c_l_o",
    "image_sample_c_b", "image_sample_c_b_o", "image_sample_c_b_cl", "image_sample_c_b_cl_o", "image_sample_c_lz",
    "image_sample_c_lz_o", "image_sample_c_cd", "image_sample_c_cd_g16", "image_sample_c_cd_o",
    "image_sample_c_cd_o_g16", "image_sample_c_cd_cl", "image_sample_c_cd_cl_g16", "image_sample_c_cd_cl_o",
    "image_sample_c_cd_cl_o_g16",
];

/// The instructions that gather.
#[rustfmt::skip]
const GATHERS: &[&str] = &[
    "image_gather4", "image_gather4_o", "image_gather4_cl", "image_gather4_cl_o", "image_gather4_l",
    "image_gather4_l_o", "image_gather4_b", "image_gather4_b_o", "image_gather4_b_cl", "image_gather4_b_cl_o",
    "image_gather4_lz", "image_gather4_lz_o", "image_gather4_c", "image_gather4_c_o", "image_gather4_c_cl",
    "image_gather4_c_cl_o", "image_gather4_c_l", "image_gather4_c_l_o", "image_gather4_c_b", "image_gather4_c_b_o",
    "image_gather4_c_b_cl", "image_gather4_c_b_cl_o", "image_gather4_c_lz", "image_gather4_c_lz_o",
];

/// The operands for which the parts of a mnemonic behind `image_sample` or `image_gather4` ask.
fn operands_of(mnemonic: &str) -> ImageOperands {
    let (mut operands, mut says_the_level) = (ImageOperands::NONE, false);
    for part in mnemonic.split('_').skip(2) {
        let (more, level) = match part {
            "c" => (ImageOperands::COMPARE, false),
            "d" | "cd" => (ImageOperands::DERIVATIVES, true),
            "l" => (ImageOperands::LEVEL, true),
            "lz" => (ImageOperands::NONE, true),
            "b" => (ImageOperands::BIAS, false),
            "cl" => (ImageOperands::CLAMP, false),
            "o" => (ImageOperands::OFFSET, false),
            "g16" => (ImageOperands::HALF_DERIVATIVES, false),
            other => unreachable!("{other} is no part of a sample"),
        };
        operands = operands.and(more);
        says_the_level |= level;
    }
    match says_the_level {
        true => operands,
        false => operands.and(ImageOperands::IMPLICIT),
    }
}
