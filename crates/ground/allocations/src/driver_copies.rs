//! Copies as the functions of HIP's driver interface describe them: each side says which of three addresses is meant.
//!
//! HIP 6 has changed the numbers of the kinds of memory, and the sizes of the members of `HIP_MEMCPY3D`.

use std::ffi::c_int;

use crate::boxes::{Copied, Corner, Extent, Pitched};

/// `hipMemcpyDefault`: HIP finds out what the addresses are.
const FOUND_OUT: c_int = 4;

/// One side of `HIP_MEMCPY3D`, whose numbers are of type `N`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Side3<N> {
    x: N,
    y: N,
    z: N,
    level: N,
    memory: c_int,
    host: u64,
    device: u64,
    array: u64,
    pitch: N,
    height: N,
}

/// `HIP_MEMCPY3D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Copied3<N> {
    from: Side3<N>,
    to: Side3<N>,
    width: N,
    height: N,
    depth: N,
}

/// One side of `hip_Memcpy2D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Side2 {
    x: usize,
    y: usize,
    memory: c_int,
    host: u64,
    device: u64,
    array: u64,
    pitch: usize,
}

/// `hip_Memcpy2D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Copied2 {
    from: Side2,
    to: Side2,
    width: usize,
    height: usize,
}

/// The address that a side means.
enum Meant {
    Host,
    Device,
    Array,
}

/// The meaning of a number of `hipMemoryType` in HIP's header of a version.
fn meant(memory: c_int, version: Version) -> Option<Meant> {
    Some(match (version, memory) {
        (Version::Five, 0) | (Version::Six, 1) => Meant::Host,
        // Unified and managed memory have an address that devices and host share.
        (Version::Five, 1 | 3) | (Version::Six, 2 | 3 | 11) => Meant::Device,
        (Version::Five, 2) | (Version::Six, 10) => Meant::Array,
        _ => return None,
    })
}

/// The layout that HIP reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    Five,
    /// And later.
    Six,
}

/// A side in common terms: an array or nothing, corner, and memory.
fn side(side: &Side3<usize>, extent: Extent, version: Version) -> Option<(u64, Corner, Pitched)> {
    let (array, base) = match meant(side.memory, version)? {
        Meant::Host => (0, side.host),
        Meant::Device => (0, side.device),
        Meant::Array => (side.array, 0),
    };
    let of_box = |given: usize, own: usize| if given == 0 { own } else { given };
    let memory = Pitched {
        base,
        pitch: of_box(side.pitch, extent.width),
        width: extent.width,
        height: of_box(side.height, extent.height),
    };
    let corner = Corner {
        x: side.x,
        y: side.y,
        z: side.z,
    };
    Some((array, corner, memory))
}

impl Copied3<usize> {
    /// In common terms, with a width in bytes also for arrays. `None`: a kind of memory is not known.
    pub fn copied(&self, version: Version) -> Option<Copied> {
        let extent = Extent {
            width: self.width,
            height: self.height,
            depth: self.depth,
        };
        let (from_array, from_corner, from) = side(&self.from, extent, version)?;
        let (to_array, to_corner, to) = side(&self.to, extent, version)?;
        Some(Copied {
            from_array,
            from_corner,
            from,
            to_array,
            to_corner,
            to,
            extent,
            kind: FOUND_OUT,
        })
    }
}

impl From<Copied3<u32>> for Copied3<usize> {
    fn from(copied: Copied3<u32>) -> Copied3<usize> {
        let side = |side: Side3<u32>| Side3 {
            x: side.x as usize,
            y: side.y as usize,
            z: side.z as usize,
            level: side.level as usize,
            memory: side.memory,
            host: side.host,
            device: side.device,
            array: side.array,
            pitch: side.pitch as usize,
            height: side.height as usize,
        };
        Copied3 {
            from: side(copied.from),
            to: side(copied.to),
            width: copied.width as usize,
            height: copied.height as usize,
            depth: copied.depth as usize,
        }
    }
}

impl From<Copied2> for Copied3<usize> {
    fn from(copied: Copied2) -> Copied3<usize> {
        let side = |side: Side2| Side3 {
            x: side.x,
            y: side.y,
            z: 0,
            level: 0,
            memory: side.memory,
            host: side.host,
            device: side.device,
            array: side.array,
            pitch: side.pitch,
            height: 0,
        };
        Copied3 {
            from: side(copied.from),
            to: side(copied.to),
            width: copied.width,
            height: copied.height,
            depth: 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two planes of three rows of 40 bytes, from the host's 0x1000 to the device's 0x2000, at a corner of the latter.
    const WIDTH: u64 = 40;
    const EXPECTED: [u64; 6] = [0x21a8, 0x21e8, 0x2228, 0x22e8, 0x2328, 0x2368];

    fn rows(copied: &Copied) -> Vec<u64> {
        let rows = copied.to.rows(copied.to_corner, copied.extent);
        rows.map(|(start, size)| {
            assert_eq!(size, WIDTH);
            start
        })
        .collect()
    }

    /// Numbers of 32 bits, as HIP 5's header has them: kinds of memory are 0 for the host and 1 for devices.
    #[test]
    fn hip_5_has_small_numbers() {
        let mut words = [0u32; 32];
        // Source: host, pitch, height.
        (words[4], words[6], words[12], words[13]) = (0, 0x1000, 48, 3);
        // Destination: x, y, z, device, address, pitch, height.
        (words[14], words[15], words[16], words[18]) = (40, 1, 1, 1);
        (words[22], words[26], words[27]) = (0x2000, 64, 5);
        (words[28], words[29], words[30]) = (40, 3, 2);
        // SAFETY: the structure consists of numbers, and is as long as the words.
        let raw: Copied3<u32> = unsafe { std::mem::transmute(words) };
        let copied = Copied3::<usize>::from(raw).copied(Version::Five).unwrap();
        assert_eq!(copied.from.base, 0x1000);
        assert_eq!((copied.from.pitch, copied.from.height), (48, 3));
        assert_eq!(rows(&copied), EXPECTED);
    }

    /// Numbers of 64 bits, as HIP 6's header has them: kinds of memory are 1 for the host and 2 for devices.
    #[test]
    fn hip_6_has_large_numbers() {
        let mut words = [0u64; 23];
        (words[4], words[5], words[8], words[9]) = (1, 0x1000, 48, 3);
        (words[10], words[11], words[12], words[14]) = (40, 1, 1, 2);
        (words[16], words[18], words[19]) = (0x2000, 64, 5);
        (words[20], words[21], words[22]) = (40, 3, 2);
        // SAFETY: the structure consists of numbers, and is as long as the words.
        let raw: Copied3<usize> = unsafe { std::mem::transmute(words) };
        let copied = raw.copied(Version::Six).unwrap();
        assert_eq!(copied.from.base, 0x1000);
        assert_eq!(rows(&copied), EXPECTED);
        assert!(
            raw.copied(Version::Five)
                .is_some_and(|other| other.from.base == 0)
        );
    }

    #[test]
    fn a_plane_without_a_pitch_has_nothing_between_its_rows() {
        let mut words = [0u64; 16];
        // Destination: device, address.
        (words[2], words[3], words[9], words[11]) = (1, 0x1000, 2, 0x2000);
        (words[14], words[15]) = (40, 3);
        // SAFETY: the structure consists of numbers, and is as long as the words.
        let raw: Copied2 = unsafe { std::mem::transmute(words) };
        let copied = Copied3::<usize>::from(raw).copied(Version::Six).unwrap();
        let all: Vec<_> = copied.to.rows(copied.to_corner, copied.extent).collect();
        assert_eq!(all, [(0x2000, 120)]);
    }
}
