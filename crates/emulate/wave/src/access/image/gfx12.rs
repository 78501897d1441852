//! Image and sampler descriptors of gfx12, whose fields have other places and more bits: brought into gfx11's form.
//!
//! The places are those that ROCr's image library writes (`resource_gfx12.h`).

use isa::fields::bits;

/// An image descriptor. The error names what gfx11 has no room for.
pub(crate) fn image([w0, w1, w2, w3, w4, w5, w6, w7]: [u32; 8]) -> Result<[u32; 8], &'static str> {
    let (width_high, height) = (bits(w2, 13, 0), bits(w2, 29, 14));
    if width_high >> 12 != 0 || height >> 14 != 0 {
        return Err("images of more than 16384 texels a side");
    }
    if bits(w4, 15, 14) != 0 || bits(w4, 29, 29) != 0 || bits(w4, 13, 13) != 0 {
        return Err("images with rows or slices beyond those of older targets");
    }
    let (stored, base_level, last_level) = (bits(w1, 16, 12), bits(w1, 29, 25), bits(w3, 19, 15));
    if stored > 15 || base_level > 15 || last_level > 15 {
        return Err("images with more than 16 levels");
    }
    let least_level = u32::from(bits(w5, 31, 26) != 0);
    Ok([
        w0,
        bits(w1, 7, 0) | stored << 16 | bits(w1, 24, 17) << 20 | bits(w1, 31, 30) << 30,
        width_high | height << 14,
        bits(w3, 11, 0)
            | base_level << 12
            | last_level << 16
            | bits(w3, 24, 20) << 20
            | bits(w3, 31, 28) << 28,
        w4,
        least_level << 31,
        // A least level's upper bits and the compression's are where they were.
        w6,
        w7,
    ])
}

/// A sampler descriptor: levels of detail have one more bit.
pub(crate) fn sampler([w0, w1, w2, w3]: [u32; 4]) -> [u32; 4] {
    let level = |level: u32| level.min(0xfff);
    [
        w0,
        level(bits(w1, 12, 0)) | level(bits(w1, 25, 13)) << 12,
        w2,
        w3,
    ]
}
