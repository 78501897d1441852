//! Image descriptors of gfx9 and gfx10, and where they say that texels lie.
//!
//! Texels of tiled images lie in rows here, as in linear ones: nothing but image instructions ever looks at them, and rows
//! need no more room than the tiles that the descriptor's maker has allocated.

use super::super::{lanes::GROUP, texel::Format};
use crate::fields::bits;

/// Dimensions of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    D1,
    D2,
    D3,
    D1Array,
    D2Array,
}

impl Shape {
    /// By the descriptor's type. The error names one that is not executed.
    fn of(kind: u32) -> Result<Shape, &'static str> {
        match kind {
            8 => Ok(Shape::D1),
            9 => Ok(Shape::D2),
            10 => Ok(Shape::D3),
            12 => Ok(Shape::D1Array),
            13 => Ok(Shape::D2Array),
            11 => Err("cube maps"),
            14 | 15 => Err("images with several samples"),
            _ => Err("a descriptor that is none of an image"),
        }
    }

    /// Coordinates inside a slice.
    pub fn axes(self) -> usize {
        match self {
            Shape::D1 | Shape::D1Array => 1,
            Shape::D2 | Shape::D2Array => 2,
            Shape::D3 => 3,
        }
    }

    pub fn is_array(self) -> bool {
        matches!(self, Shape::D1Array | Shape::D2Array)
    }

    /// All coordinates, the slice among them.
    pub fn coordinates(self) -> usize {
        self.axes() + usize::from(self.is_array())
    }
}

/// A decoded image descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Image {
    base: u64,
    pub format: Format,
    /// Destination selects.
    pub selects: u32,
    pub shape: Shape,
    /// Texels along x, y and z; slices of arrays along z.
    pub size: [u32; 3],
    /// Texels from a row to the next.
    pitch: u32,
    /// Slice of the allocation that is slice 0.
    first_slice: u32,
    /// There are smaller copies behind the first level.
    pub mipmapped: bool,
}

/// Rows of linear images start at multiples of so many bytes.
const ROW_ALIGNMENT: u32 = 256;

impl Image {
    /// The error says what about the descriptor is not executed.
    pub fn of(words: [u32; 8], since_gfx10: bool) -> Result<Image, &'static str> {
        let [w0, w1, w2, w3, w4, w5, w6, _] = words;
        let shape = Shape::of(bits(w3, 31, 28))?;
        let (format, width, compressed) = if since_gfx10 {
            let width = bits(w1, 31, 30) | bits(w2, 11, 0) << 2;
            (
                Format::of_unified(bits(w1, 28, 20)),
                width,
                bits(w6, 20, 20) != 0,
            )
        } else {
            let format = Format::of_pair(bits(w1, 25, 20), bits(w1, 29, 26));
            (format, bits(w2, 13, 0), bits(w6, 21, 21) != 0)
        };
        if compressed {
            return Err("compressed images");
        }
        let format = format.ok_or("a reserved image format")?;
        let width = width + 1;
        let height = bits(w2, 27, 14) + 1;
        let first_slice = match (shape.is_array(), since_gfx10) {
            (false, _) => 0,
            (true, false) => bits(w5, 12, 0),
            (true, true) => bits(w4, 28, 16),
        };
        // Of an array the last slice is named, as it lies in memory.
        let depth = (bits(w4, 12, 0) + 1).saturating_sub(first_slice).max(1);
        let size = match shape {
            Shape::D1 => [width, 1, 1],
            Shape::D2 => [width, height, 1],
            Shape::D1Array => [width, 1, depth],
            Shape::D2Array | Shape::D3 => [width, height, depth],
        };
        let has_pitch = !since_gfx10 || size[2] == 1 && !shape.is_array() && shape != Shape::D3;
        let pitch = match (has_pitch, since_gfx10) {
            (true, false) => bits(w4, 28, 13) + 1,
            (true, true) => bits(w4, 13, 0) + 1,
            (false, _) => 0,
        };
        // gfx10 before 10.3 has no pitch at all, and later ones none for arrays and volumes: there rows are as far apart as
        // alignment demands.
        let linear = bits(w3, 24, 20) == 0;
        let pitch = match (pitch >= width, linear) {
            (true, _) => pitch,
            (false, true) => width.next_multiple_of((ROW_ALIGNMENT / format.bytes()).max(1)),
            (false, false) => width,
        };
        Ok(Image {
            base: (u64::from(w0) | u64::from(bits(w1, 7, 0)) << 32) << 8,
            format,
            selects: bits(w3, 11, 0),
            shape,
            size,
            pitch,
            first_slice,
            mipmapped: bits(w3, 19, 16) != bits(w3, 15, 12),
        })
    }

    /// Address of a texel of the image.
    #[inline(always)]
    pub fn address(&self, [x, y, z]: [u32; 3]) -> u64 {
        let slice = u64::from(self.first_slice) + u64::from(z);
        let row = slice * u64::from(self.size[1]) + u64::from(y);
        let texel = row * u64::from(self.pitch) + u64::from(x);
        self.base + texel * u64::from(self.format.bytes())
    }

    /// Lanes of a group whose coordinates, as unsigned integers, are those of a texel.
    #[inline(always)]
    pub fn inside(&self, at: &[[u32; GROUP]; 3]) -> u16 {
        let mut inside = 0;
        for lane in 0..GROUP {
            let all = (0..3).all(|axis| at[axis][lane] < self.size[axis]);
            inside |= u16::from(all) << lane;
        }
        inside
    }
}
