//! Rows of memory as functions of HIP name them: planes and boxes with padding.

use std::ffi::{c_int, c_uint};

/// `hipPitchedPtr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Pitched {
    pub base: u64,
    pub pitch: usize,
    pub width: usize,
    /// Rows of a plane.
    pub height: usize,
}

/// `hipExtent`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Extent {
    pub width: usize,
    pub height: usize,
    pub depth: usize,
}

/// `hipPos`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Corner {
    pub x: usize,
    pub y: usize,
    pub z: usize,
}

/// `hipMemcpy3DParms`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Copied {
    pub from_array: u64,
    pub from_corner: Corner,
    pub from: Pitched,
    pub to_array: u64,
    pub to_corner: Corner,
    pub to: Pitched,
    pub extent: Extent,
    pub kind: c_int,
}

/// `hipMemsetParams`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Set {
    pub to: u64,
    pub element: c_uint,
    pub height: usize,
    pub pitch: usize,
    pub value: c_uint,
    /// Elements of a row.
    pub width: usize,
}

impl Set {
    pub fn rows(self) -> impl Iterator<Item = (u64, u64)> {
        let plane = Pitched {
            base: self.to,
            pitch: self.pitch,
            width: 0,
            height: self.height,
        };
        let extent = Extent {
            width: self.width.saturating_mul(self.element as usize),
            height: self.height.max(1),
            depth: 1,
        };
        plane.rows(Corner::default(), extent)
    }
}

impl Pitched {
    /// The first byte and the size of each row of a box; rows without padding between them are one.
    pub fn rows(self, corner: Corner, extent: Extent) -> impl Iterator<Item = (u64, u64)> {
        let plane = self.pitch.wrapping_mul(self.height);
        let Extent {
            mut width,
            mut height,
            mut depth,
        } = extent;
        let start = self.base as usize;
        let start = start
            .wrapping_add(corner.x)
            .wrapping_add(corner.y.wrapping_mul(self.pitch))
            .wrapping_add(corner.z.wrapping_mul(plane));
        if width == 0 {
            (height, depth) = (0, 0);
        } else if width == self.pitch || height == 1 {
            (width, height) = (width.saturating_mul(height), height.min(1));
            if width == plane || depth == 1 {
                (width, depth) = (width.saturating_mul(depth), depth.min(1));
            }
        }
        let pitch = self.pitch;
        (0..depth).flat_map(move |z| {
            (0..height).map(move |y| {
                let row = start
                    .wrapping_add(z.wrapping_mul(plane))
                    .wrapping_add(y.wrapping_mul(pitch));
                (row as u64, width as u64)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn extent(width: usize, height: usize, depth: usize) -> Extent {
        Extent {
            width,
            height,
            depth,
        }
    }

    #[test]
    fn rows_of_a_box_are_those_that_a_copy_of_each_byte_touches() {
        let memory = Pitched {
            base: 1000,
            pitch: 16,
            width: 16,
            height: 5,
        };
        let corners = [Corner::default(), Corner { x: 3, y: 1, z: 2 }];
        for corner in corners {
            for extent in [
                extent(7, 3, 2),
                extent(16, 3, 2),
                extent(16, 5, 2),
                extent(7, 1, 3),
                extent(7, 3, 1),
                extent(16, 1, 1),
                extent(0, 3, 2),
                extent(4, 0, 2),
                extent(4, 2, 0),
            ] {
                let mut expected = Vec::new();
                for z in 0..extent.depth {
                    for y in 0..extent.height {
                        for x in 0..extent.width {
                            let row = (z + corner.z) * 5 + y + corner.y;
                            expected.push((1000 + row * 16 + x + corner.x) as u64);
                        }
                    }
                }
                let rows = memory.rows(corner, extent);
                let bytes: Vec<u64> = rows.flat_map(|(start, size)| start..start + size).collect();
                let Extent {
                    width,
                    height,
                    depth,
                } = extent;
                assert_eq!(bytes, expected, "{width} {height} {depth}");
            }
        }
    }
}
