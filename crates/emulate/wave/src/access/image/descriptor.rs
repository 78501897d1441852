//! Image descriptors of gfx9 to gfx11, and where they say that texels lie.
//!
//! Texels of tiled images lie in rows here, as in linear ones: only image instructions look at them, and rows need no
//! more room than the tiles that the descriptor's maker has allocated.

use super::super::texel::Format;
use isa::fields::bits;

/// Dimensions of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    D1,
    D2,
    D3,
    Cube,
    D1Array,
    D2Array,
}

impl Shape {
    /// By the descriptor's type. The error names one that is not executed.
    fn decode(kind: u32) -> Result<Shape, &'static str> {
        match kind {
            8 => Ok(Shape::D1),
            9 => Ok(Shape::D2),
            10 => Ok(Shape::D3),
            11 => Ok(Shape::Cube),
            12 => Ok(Shape::D1Array),
            13 => Ok(Shape::D2Array),
            14 | 15 => Err("images with several samples"),
            _ => Err("a descriptor that is none of an image"),
        }
    }

    /// Coordinates inside a slice.
    pub fn axes(self) -> usize {
        match self {
            Shape::D1 | Shape::D1Array => 1,
            Shape::D2 | Shape::D2Array | Shape::Cube => 2,
            Shape::D3 => 3,
        }
    }

    /// A coordinate chooses a slice. Slices of cube maps are faces, six to a cube.
    pub fn has_slices(self) -> bool {
        matches!(self, Shape::D1Array | Shape::D2Array | Shape::Cube)
    }

    /// All coordinates, the slice among them.
    pub fn coordinates(self) -> usize {
        self.axes() + usize::from(self.has_slices())
    }
}

/// A decoded image descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Image {
    base: u64,
    pub format: Format,
    /// Destination selects.
    pub selects: u32,
    pub shape: Shape,
    /// Texels of the allocation's largest level along x, y and z; slices of arrays along z.
    size: [u32; 3],
    /// Slice of the allocation that is slice 0.
    first_slice: u32,
    /// Level of the allocation that is level 0.
    base_level: u32,
    /// Levels from there on that instructions may reach.
    pub levels: u32,
    layout: Layout,
}

/// How levels lie in a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// There is one, with so many texels from a row to the next.
    One { pitch: u32 },
    /// gfx9: one below the other, all with the pitch of the largest; so many rows in all.
    Below { pitch: u32, rows: u32 },
    /// gfx10: the smallest first, each with rows at multiples of so many texels; so many levels.
    SmallestFirst { alignment: u32, stored: u32 },
}

/// One level of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Level {
    /// Address of the first texel of slice 0.
    base: u64,
    pub size: [u32; 3],
    /// Bytes of a texel, from a row to the next and from a slice to the next.
    strides: [u64; 3],
}

impl Level {
    #[inline(always)]
    pub fn address(&self, at: [u32; 3]) -> u64 {
        let offset = |axis: usize| u64::from(at[axis]) * self.strides[axis];
        self.base + offset(0) + offset(1) + offset(2)
    }

    /// Returns `true` if coordinates are those of a texel.
    #[inline(always)]
    pub fn holds(&self, at: [u32; 3]) -> bool {
        (0..3).all(|axis| at[axis] < self.size[axis])
    }
}

/// Rows of linear images start at multiples of so many bytes.
const ROW_ALIGNMENT: u32 = 256;

impl Image {
    /// The error says what about the descriptor is not executed.
    pub fn decode(
        words: [u32; 8],
        since_gfx10: bool,
        since_gfx11: bool,
    ) -> Result<Image, &'static str> {
        let [w0, w1, w2, w3, w4, w5, w6, _] = words;
        let shape = Shape::decode(bits(w3, 31, 28))?;
        let (format, width, compressed) = if since_gfx10 {
            let width = bits(w1, 31, 30) | bits(w2, 11, 0) << 2;
            let (number, compressed) = if since_gfx11 {
                (bits(w1, 27, 20), bits(w6, 21, 20))
            } else {
                (bits(w1, 28, 20), bits(w6, 20, 20))
            };
            let format = Format::of_unified(number, since_gfx11);
            (format, width, compressed != 0)
        } else {
            let format = Format::of_pair(bits(w1, 25, 20), bits(w1, 29, 26));
            (format, bits(w2, 13, 0), bits(w6, 21, 21) != 0)
        };
        if compressed {
            return Err("compressed images");
        }
        let least_level = if since_gfx11 {
            bits(w5, 31, 27) | bits(w6, 6, 0)
        } else {
            bits(w1, 19, 8)
        };
        if least_level != 0 {
            return Err("images with a least level of detail");
        }
        let format = format.ok_or("a reserved image format")?;
        let first_slice = match (shape.has_slices(), since_gfx10) {
            (false, _) => 0,
            (true, false) => bits(w5, 12, 0),
            (true, true) => bits(w4, 28, 16),
        };
        let width = width + 1;
        let height = bits(w2, 27, 14) + 1;
        // The last slice of an array is counted from the allocation's start.
        let depth = bits(w4, 12, 0) + 1;
        let slices = depth.saturating_sub(first_slice).max(1);
        let size = match shape {
            Shape::D1 => [width, 1, 1],
            Shape::D2 => [width, height, 1],
            Shape::D3 => [width, height, depth],
            Shape::D1Array => [width, 1, slices],
            Shape::D2Array | Shape::Cube => [width, height, slices],
        };
        let (base_level, last_level) = (bits(w3, 15, 12), bits(w3, 19, 16));
        let stored = 1 + if since_gfx11 {
            bits(w1, 19, 16)
        } else if since_gfx10 {
            bits(w5, 7, 4)
        } else {
            bits(w5, 31, 28)
        };
        if base_level > last_level || last_level >= stored {
            return Err("an image whose levels are not there");
        }
        let linear = bits(w3, 24, 20) == 0;
        let alignment = (ROW_ALIGNMENT / format.bytes()).max(1);
        let layout = if stored == 1 {
            let flat = !shape.has_slices() && shape != Shape::D3;
            let pitch = match (since_gfx10, flat) {
                (false, _) => bits(w4, 28, 13) + 1,
                (true, true) => bits(w4, 13, 0) + 1,
                (true, false) => 0,
            };
            // gfx10 before 10.3 has no pitch at all, and later ones none for arrays and volumes: there rows are as far
            // apart as alignment demands.
            let pitch = match (pitch >= width, linear) {
                (true, _) => pitch,
                (false, true) => width.next_multiple_of(alignment),
                (false, false) => width,
            };
            Layout::One { pitch }
        } else if !linear {
            if shape == Shape::D3 {
                return Err("tiled volumes with several levels");
            }
            Layout::SmallestFirst {
                alignment: 1,
                stored,
            }
        } else if since_gfx10 {
            Layout::SmallestFirst { alignment, stored }
        } else {
            // Where there are levels, the field of the pitch has the height of all.
            let rows = bits(w4, 28, 13) + 1;
            let pitch = width.next_multiple_of(alignment);
            Layout::Below { pitch, rows }
        };
        Ok(Image {
            base: (u64::from(w0) | u64::from(bits(w1, 7, 0)) << 32) << 8,
            format,
            selects: bits(w3, 11, 0),
            shape,
            size,
            first_slice,
            base_level,
            levels: last_level - base_level + 1,
            layout,
        })
    }

    /// Level `number`, which must be less than `levels`.
    pub fn level(&self, number: u32) -> Level {
        let number = self.base_level + number;
        let [width, height, _] = self.size;
        // Room for a level is rounded up, its size is rounded down.
        let room = |texels: u32, number: u32| texels.div_ceil(1 << number);
        let (before, pitch, slice) = match self.layout {
            Layout::One { pitch } => (0, pitch, u64::from(pitch) * u64::from(height)),
            Layout::Below { pitch, rows } => {
                let above: u32 = (0..number).map(|number| room(height, number)).sum();
                let texels = |rows: u32| u64::from(pitch) * u64::from(rows);
                (texels(above), pitch, texels(rows))
            }
            Layout::SmallestFirst { alignment, stored } => {
                let pitch = |number| room(width, number).next_multiple_of(alignment);
                let texels = |number| u64::from(pitch(number)) * u64::from(room(height, number));
                let before = (number + 1..stored).map(texels).sum();
                let all = (0..stored).map(texels).sum();
                (before, pitch(number), all)
            }
        };
        let mut size = self.size;
        let shrinking = if self.shape == Shape::D3 { 3 } else { 2 };
        for texels in &mut size[..shrinking] {
            *texels = (*texels >> number).max(1);
        }
        let bytes = u64::from(self.format.bytes());
        let slice = slice * bytes;
        Level {
            base: self.base + before * bytes + u64::from(self.first_slice) * slice,
            size,
            strides: [bytes, u64::from(pitch) * bytes, slice],
        }
    }
}
