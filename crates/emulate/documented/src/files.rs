//! The files of `wave/tests/exec`, by name.

macro_rules! text {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("../../wave/tests/exec/", $name, ".s")),
        )
    };
}

/// Name and text of each.
pub const FILES: &[(&str, &str)] = &[
    text!("approximations_and_division"),
    text!("atomics"),
    text!("bits_and_shifts"),
    text!("cdna3"),
    text!("cdna4"),
    text!("compare"),
    text!("compare_and_mask"),
    text!("compare_gfx12"),
    text!("control"),
    text!("conversions"),
    text!("dot_products"),
    text!("double_precision"),
    text!("edges_of_conversions"),
    text!("edges_of_floats"),
    text!("edges_of_integers"),
    text!("edges_of_selections"),
    text!("edges_of_shifts"),
    text!("either_wave_size"),
    text!("gfx1010"),
    text!("gfx11"),
    text!("gfx12"),
    text!("half_precision"),
    text!("images"),
    text!("integer_arithmetic"),
    text!("lanes_and_masks"),
    text!("local_data_share"),
    text!("local_data_share_pairs"),
    text!("matrix_products"),
    text!("matrix_products_cdna3_4"),
    text!("media"),
    text!("mixed_precision"),
    text!("packed_16_bit"),
    text!("packed_32_bit"),
    text!("scalar_arithmetic_and_carries"),
    text!("scalar_atomics"),
    text!("scalar_bits"),
    text!("scalar_comparisons"),
    text!("scalar_floats"),
    text!("scalar_leftovers"),
    text!("scalar_memory"),
    text!("scaled_conversions"),
    text!("single_precision"),
    text!("sparse_products"),
    text!("typed_buffers"),
    text!("vector_leftovers"),
    text!("vector_memory"),
    text!("wave_matrix_products"),
];
