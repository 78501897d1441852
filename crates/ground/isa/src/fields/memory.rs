//! Fields of memory instructions, as the ISA manuals lay them out for gfx9, gfx10 and gfx11; those of gfx12 are apart.

use gfx::{Family, Target};

use super::{bits, signed};
use crate::{Decoded, numbers};

mod gfx12;

/// Registers that an image instruction's address takes at most.
pub const MOST_ADDRESSES: usize = 13;

/// The scalar address of FLAT, GLOBAL and SCRATCH that says there is none, before gfx11.
const OFF: u16 = 0x7f;

/// Fields of the flat formats (FLAT, GLOBAL, SCRATCH).
#[derive(Clone, Copy, Debug)]
pub struct Flat {
    /// The offset that is added to the address, in bytes.
    pub offset: i32,
    /// An atomic returns what was there.
    pub glc: bool,
    /// First VGPR of the address.
    pub addr: u16,
    /// First register of what is written.
    pub data: u16,
    /// Scalar base, when there is one.
    pub saddr: Option<u16>,
    /// SCRATCH without a vector address.
    pub no_vector_address: bool,
    /// Data and destination are AccVGPRs.
    pub acc: bool,
    /// First register of what is read.
    pub vdst: u16,
}

impl Flat {
    /// Reads the fields. `segment_relative` is false for FLAT, whose offset is unsigned.
    pub fn decode(inst: &Decoded, target: &Target, segment_relative: bool) -> Flat {
        let family = target.family;
        if family >= Family::Gfx12 {
            return gfx12::flat(inst, segment_relative);
        }
        let [w0, w1, ..] = inst.words;
        let saddr = bits(w1, 22, 16) as u16;
        let has_scalar = |off: bool| (segment_relative && !off).then_some(saddr);
        if family >= Family::Gfx11 {
            let offset = if segment_relative {
                signed(bits(w0, 12, 0), 13)
            } else {
                bits(w0, 11, 0) as i32
            };
            return Flat {
                offset,
                glc: bits(w0, 14, 14) != 0,
                addr: bits(w1, 7, 0) as u16,
                data: bits(w1, 15, 8) as u16,
                saddr: has_scalar(saddr == numbers::NULL),
                no_vector_address: bits(w1, 23, 23) == 0,
                acc: false,
                vdst: bits(w1, 31, 24) as u16,
            };
        }
        let offset = match (family, segment_relative) {
            (Family::Gfx9, true) => signed(bits(w0, 12, 0), 13),
            (Family::Gfx9, false) => bits(w0, 11, 0) as i32,
            (_, true) => signed(bits(w0, 11, 0), 12),
            (_, false) => bits(w0, 10, 0) as i32,
        };
        let off = saddr == OFF || numbers::null(family) == Some(saddr);
        Flat {
            offset,
            glc: bits(w0, 16, 16) != 0,
            addr: bits(w1, 7, 0) as u16,
            data: bits(w1, 15, 8) as u16,
            saddr: has_scalar(off),
            no_vector_address: if target.architected_flat_scratch {
                // gfx94x has a bit for it.
                bits(w0, 13, 13) == 0
            } else {
                // gfx10: OFF says neither vector nor scalar address.
                !off || family != Family::Gfx9 && saddr == OFF
            },
            acc: family == Family::Gfx9 && bits(w1, 23, 23) != 0,
            vdst: bits(w1, 31, 24) as u16,
        }
    }
}

/// Fields of MUBUF and MTBUF.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    /// The offset that is added to the address, in bytes.
    pub offset: u32,
    /// A VGPR has an offset.
    pub offen: bool,
    /// A VGPR has an index.
    pub idxen: bool,
    /// An atomic returns what was there.
    pub glc: bool,
    /// The loaded data goes to LDS.
    pub lds: bool,
    /// First VGPR: of the index, then of the offset.
    pub vaddr: u16,
    /// First register of the data.
    pub vdata: u16,
    /// First SGPR of the resource descriptor.
    pub srsrc: u16,
    /// Data and destination are AccVGPRs.
    pub acc: bool,
    /// Source operand number.
    pub soffset: u16,
    /// MTBUF: data and number format (gfx9) or the unified format (gfx10).
    pub format: u32,
}

impl Buffer {
    /// Reads the fields; `typed`: of MTBUF.
    pub fn decode(inst: &Decoded, family: Family, typed: bool) -> Buffer {
        if family >= Family::Gfx12 {
            return gfx12::buffer(inst);
        }
        let [w0, w1, ..] = inst.words;
        if family >= Family::Gfx11 {
            return Buffer {
                offset: bits(w0, 11, 0),
                offen: bits(w1, 22, 22) != 0,
                idxen: bits(w1, 23, 23) != 0,
                glc: bits(w0, 14, 14) != 0,
                lds: false,
                vaddr: bits(w1, 7, 0) as u16,
                vdata: bits(w1, 15, 8) as u16,
                srsrc: bits(w1, 20, 16) as u16 * 4,
                acc: false,
                soffset: bits(w1, 31, 24) as u16,
                format: bits(w0, 25, 19),
            };
        }
        Buffer {
            offset: bits(w0, 11, 0),
            offen: bits(w0, 12, 12) != 0,
            idxen: bits(w0, 13, 13) != 0,
            glc: bits(w0, 14, 14) != 0,
            lds: !typed && bits(w0, 16, 16) != 0,
            vaddr: bits(w1, 7, 0) as u16,
            vdata: bits(w1, 15, 8) as u16,
            srsrc: bits(w1, 20, 16) as u16 * 4,
            acc: family == Family::Gfx9 && bits(w1, 23, 23) != 0,
            soffset: bits(w1, 31, 24) as u16,
            format: bits(w0, 25, 19),
        }
    }
}

/// Fields of MIMG.
#[derive(Clone, Copy, Debug)]
pub struct Image {
    /// Components, one bit each.
    pub dmask: u32,
    /// Coordinates count texels.
    pub unorm: bool,
    /// gfx9: the image may be an array.
    pub array: bool,
    /// gfx10: dimensions of the image.
    pub dim: u32,
    /// An atomic returns what was there.
    pub glc: bool,
    /// Coordinates have 16 bits.
    pub a16: bool,
    /// Components have 16 bits.
    pub d16: bool,
    /// Half a descriptor.
    pub r128: bool,
    /// A dword about residency follows the data.
    pub status: bool,
    /// Data and destination are AccVGPRs.
    pub acc: bool,
    /// First register of the data.
    pub vdata: u16,
    /// First SGPR of the image descriptor.
    pub srsrc: u16,
    /// First SGPR of the sampler descriptor.
    pub ssamp: u16,
    /// Address registers; where the instruction does not list them, they follow the first.
    pub addresses: [u8; MOST_ADDRESSES],
}

impl Image {
    /// Reads the fields.
    pub fn decode(inst: &Decoded, target: &Target) -> Image {
        if target.family >= Family::Gfx12 {
            return gfx12::image(inst);
        }
        let [w0, w1, ..] = inst.words;
        let gfx9 = target.family == Family::Gfx9;
        let unified = target.unified_register_file;
        let first = bits(w1, 7, 0) as u8;
        let mut addresses = std::array::from_fn(|index| first.wrapping_add(index as u8));
        if target.family >= Family::Gfx11 {
            if bits(w0, 0, 0) != 0 {
                let bytes = inst.words[2].to_le_bytes();
                // A field that does not fit follows the last one.
                for (index, address) in addresses[1..].iter_mut().enumerate() {
                    let beyond = index.saturating_sub(3) as u8;
                    *address = bytes[index.min(3)].wrapping_add(beyond);
                }
            }
            return Image {
                dmask: bits(w0, 11, 8),
                unorm: bits(w0, 7, 7) != 0,
                array: false,
                dim: bits(w0, 4, 2),
                glc: bits(w0, 14, 14) != 0,
                a16: bits(w0, 16, 16) != 0,
                d16: bits(w0, 17, 17) != 0,
                r128: bits(w0, 15, 15) != 0,
                status: bits(w1, 22, 21) != 0,
                acc: false,
                vdata: bits(w1, 15, 8) as u16,
                srsrc: bits(w1, 20, 16) as u16 * 4,
                ssamp: bits(w1, 30, 26) as u16 * 4,
                addresses,
            };
        }
        let words = if gfx9 { 0 } else { bits(w0, 2, 1) as usize };
        for index in 0..4 * words {
            addresses[1 + index] = (inst.words[2 + index / 4] >> (8 * (index % 4))) as u8;
        }
        Image {
            dmask: bits(w0, 11, 8),
            unorm: bits(w0, 12, 12) != 0,
            array: gfx9 && bits(w0, 14, 14) != 0,
            dim: if gfx9 { 0 } else { bits(w0, 5, 3) },
            glc: bits(w0, 13, 13) != 0,
            a16: if gfx9 {
                bits(w0, 15, 15)
            } else {
                bits(w1, 30, 30)
            } != 0,
            d16: bits(w1, 31, 31) != 0,
            r128: !gfx9 && bits(w0, 15, 15) != 0,
            status: !unified && bits(w0, 16, 16) != 0 || bits(w0, 17, 17) != 0,
            acc: unified && bits(w0, 16, 16) != 0,
            vdata: bits(w1, 15, 8) as u16,
            srsrc: bits(w1, 20, 16) as u16 * 4,
            ssamp: bits(w1, 25, 21) as u16 * 4,
            addresses,
        }
    }
}

/// Fields of DS.
#[derive(Clone, Copy, Debug)]
pub struct Ds {
    /// First offset.
    pub offset0: u8,
    /// Second offset.
    pub offset1: u8,
    /// It accesses the global data share.
    pub gds: bool,
    /// Data and destination are AccVGPRs.
    pub acc: bool,
    /// First VGPR of the address.
    pub addr: u16,
    /// First register of what is written.
    pub data0: u16,
    /// First register of the second part.
    pub data1: u16,
    /// First register of what is read.
    pub vdst: u16,
}

impl Ds {
    /// Reads the fields.
    pub fn decode(inst: &Decoded, family: Family) -> Ds {
        let [w0, w1, ..] = inst.words;
        Ds {
            offset0: bits(w0, 7, 0) as u8,
            offset1: bits(w0, 15, 8) as u8,
            gds: match family {
                Family::Gfx9 => bits(w0, 16, 16),
                Family::Gfx10 | Family::Gfx10_3 | Family::Gfx11 => bits(w0, 17, 17),
                Family::Gfx12 | Family::Gfx12_5 => 0,
            } != 0,
            acc: family == Family::Gfx9 && bits(w0, 25, 25) != 0,
            addr: bits(w1, 7, 0) as u16,
            data0: bits(w1, 15, 8) as u16,
            data1: bits(w1, 23, 16) as u16,
            vdst: bits(w1, 31, 24) as u16,
        }
    }

    /// The single 16-bit offset of instructions that have one address.
    pub fn offset(&self) -> u16 {
        u16::from(self.offset0) | u16::from(self.offset1) << 8
    }
}

/// Fields of SMEM.
#[derive(Clone, Copy, Debug)]
pub struct Smem {
    /// First SGPR of the base address or resource descriptor.
    pub sbase: u16,
    /// First SGPR of the data.
    pub sdata: u16,
    /// An atomic returns what was there.
    pub glc: bool,
    /// The offset that is added to the address, in bytes.
    pub offset: i32,
    /// Scalar offset register, when there is one.
    pub soffset: Option<u16>,
}

impl Smem {
    /// Reads the fields.
    pub fn decode(inst: &Decoded, family: Family) -> Smem {
        if family >= Family::Gfx12 {
            return gfx12::scalar(inst);
        }
        let [w0, w1, ..] = inst.words;
        let sbase = bits(w0, 5, 0) as u16 * 2;
        let sdata = bits(w0, 12, 6) as u16;
        let glc = if family >= Family::Gfx11 {
            bits(w0, 14, 14)
        } else {
            bits(w0, 16, 16)
        } != 0;
        if family == Family::Gfx9 {
            let (soffset_enabled, immediate) = (bits(w0, 14, 14) != 0, bits(w0, 17, 17) != 0);
            // imm=0 and soffset_en=0: the offset field itself names an SGPR.
            let soffset = match (soffset_enabled, immediate) {
                (true, _) => Some(bits(w1, 31, 25) as u16),
                (false, false) => Some(bits(w1, 6, 0) as u16),
                (false, true) => None,
            };
            let offset = if immediate {
                signed(bits(w1, 20, 0), 21)
            } else {
                0
            };
            return Smem {
                sbase,
                sdata,
                glc,
                offset,
                soffset,
            };
        }
        let soffset = bits(w1, 31, 25) as u16;
        Smem {
            sbase,
            sdata,
            glc,
            offset: signed(bits(w1, 20, 0), 21),
            soffset: (numbers::null(family) != Some(soffset)).then_some(soffset),
        }
    }
}
