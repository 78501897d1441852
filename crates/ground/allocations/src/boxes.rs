//! Rows of memory as functions of HIP name them: planes and boxes with padding.

use std::ffi::{c_int, c_uint, c_void};

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

/// `HIP_MEMSET_NODE_PARAMS` of HIP 6's driver interface. HIP 7's documentation gives `hipMemsetParams` the same order.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Set {
    pub to: u64,
    pub pitch: usize,
    pub value: c_uint,
    pub element: c_uint,
    /// Elements of a row.
    pub width: usize,
    pub height: usize,
}

/// `hipMemsetParams` up to HIP 6, and in the headers of HIP 7.2.
#[repr(C)]
#[derive(Clone, Copy)]
struct OldSet {
    to: u64,
    element: c_uint,
    height: usize,
    pitch: usize,
    value: c_uint,
    width: usize,
}

impl From<OldSet> for Set {
    fn from(old: OldSet) -> Set {
        Set {
            to: old.to,
            pitch: old.pitch,
            value: old.value,
            element: old.element,
            width: old.width,
            height: old.height,
        }
    }
}

impl Set {
    /// # Safety
    /// One of the two structures is there, as HIP takes it.
    pub unsafe fn read(what: *const c_void) -> Set {
        // SAFETY: the shorter one has these bytes, and the longer one, too.
        let set = unsafe { what.cast::<Set>().read() };
        match set.element {
            // An element has bytes. The upper half of the number of rows has this place in the longer one. SAFETY: so it is that one.
            0 => unsafe { what.cast::<OldSet>().read() }.into(),
            _ => set,
        }
    }

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

    /// Three rows of ten elements of four bytes, in the order of HIP 6's `hipMemsetParams`, and of its `HIP_MEMSET_NODE_PARAMS`.
    #[test]
    fn settings_have_two_orders() {
        let (to, pitch, value, element, width, height) = (0x1000, 64, 7, 4, 10, 3);
        let old: [u64; 6] = [to, element, height, pitch, value, width];
        let new: [u64; 5] = [to, pitch, value | element << 32, width, height];
        let expected = [(0x1000, 40), (0x1040, 40), (0x1080, 40)];
        for words in [&old[..], &new] {
            // SAFETY: the words are those of one of the two structures.
            let set = unsafe { Set::read(words.as_ptr().cast()) };
            assert_eq!(set.rows().collect::<Vec<_>>(), expected);
        }
    }
}
