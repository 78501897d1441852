//! Bit fields of the encodings, as the ISA manuals lay them out for gfx9 and gfx10.

use gfx::Family;
use isa::Inst;

/// Bits `high..=low` of `word`.
#[inline]
pub(crate) fn bits(word: u32, high: u32, low: u32) -> u32 {
    (word >> low) & (((1u64 << (high - low + 1)) - 1) as u32)
}

/// Sign-extends the low `width` bits.
pub(crate) fn signed(value: u32, width: u32) -> i32 {
    ((value << (32 - width)) as i32) >> (32 - width)
}

/// Fields of the flat formats (FLAT, GLOBAL, SCRATCH).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flat {
    pub offset: i32,
    pub lds: bool,
    pub glc: bool,
    pub addr: u16,
    pub data: u16,
    /// Scalar base, when there is one.
    pub saddr: Option<u16>,
    /// Neither vector nor scalar address (SCRATCH of gfx10.3, `off, off`).
    pub no_address: bool,
    /// SCRATCH of gfx94x: there is a vector address, beside a scalar one or not.
    pub vector_address: bool,
    /// Data and destination are AccVGPRs.
    pub acc: bool,
    pub vdst: u16,
}

impl Flat {
    /// `segment_relative` is false for FLAT, whose offset is unsigned.
    pub fn of(inst: &Inst, family: Family, segment_relative: bool) -> Flat {
        let [w0, w1, ..] = inst.words;
        let offset = match (family, segment_relative) {
            (Family::Gfx9, true) => signed(bits(w0, 12, 0), 13),
            (Family::Gfx9, false) => bits(w0, 11, 0) as i32,
            (_, true) => signed(bits(w0, 11, 0), 12),
            (_, false) => bits(w0, 10, 0) as i32,
        };
        let saddr = bits(w1, 22, 16) as u16;
        let off = saddr == 0x7f || (family != Family::Gfx9 && saddr == 0x7d);
        Flat {
            offset,
            lds: bits(w0, 13, 13) != 0,
            glc: bits(w0, 16, 16) != 0,
            addr: bits(w1, 7, 0) as u16,
            data: bits(w1, 15, 8) as u16,
            saddr: (segment_relative && !off).then_some(saddr),
            vector_address: bits(w0, 13, 13) != 0,
            no_address: family != Family::Gfx9 && saddr == 0x7f,
            acc: family == Family::Gfx9 && bits(w1, 23, 23) != 0,
            vdst: bits(w1, 31, 24) as u16,
        }
    }
}

/// Fields of MUBUF and MTBUF.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffer {
    pub offset: u32,
    pub offen: bool,
    pub idxen: bool,
    pub glc: bool,
    pub lds: bool,
    pub vaddr: u16,
    pub vdata: u16,
    /// First SGPR of the resource descriptor.
    pub srsrc: u16,
    pub acc: bool,
    /// Source operand number.
    pub soffset: u16,
    /// MTBUF: data and number format (gfx9) or the unified format (gfx10).
    pub format: u32,
}

impl Buffer {
    pub fn of(inst: &Inst, family: Family, typed: bool) -> Buffer {
        let [w0, w1, ..] = inst.words;
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
pub(crate) struct Image {
    pub dmask: u32,
    pub unorm: bool,
    /// gfx9: the image may be an array.
    pub array: bool,
    /// gfx10: dimensions of the image.
    pub dim: u32,
    /// An atomic returns what was there.
    pub glc: bool,
    pub a16: bool,
    pub d16: bool,
    /// Half a descriptor.
    pub r128: bool,
    /// A dword about residency follows the data.
    pub status: bool,
    pub acc: bool,
    pub vdata: u16,
    /// First SGPR of the image descriptor.
    pub srsrc: u16,
    /// First SGPR of the sampler descriptor.
    pub ssamp: u16,
    /// Address registers; where the instruction does not list them, they follow the first.
    pub addresses: [u8; crate::rows::MOST_ADDRESSES],
}

impl Image {
    pub fn of(inst: &Inst, config: &crate::program::Config) -> Image {
        let [w0, w1, ..] = inst.words;
        let gfx9 = config.target.family == Family::Gfx9;
        let unified = config.target.unified_register_file;
        let first = bits(w1, 7, 0) as u8;
        let mut addresses = std::array::from_fn(|index| first.wrapping_add(index as u8));
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
pub(crate) struct Ds {
    pub offset0: u8,
    pub offset1: u8,
    pub gds: bool,
    pub acc: bool,
    pub addr: u16,
    pub data0: u16,
    pub data1: u16,
    pub vdst: u16,
}

impl Ds {
    pub fn of(inst: &Inst, family: Family) -> Ds {
        let [w0, w1, ..] = inst.words;
        Ds {
            offset0: bits(w0, 7, 0) as u8,
            offset1: bits(w0, 15, 8) as u8,
            gds: if family == Family::Gfx9 {
                bits(w0, 16, 16)
            } else {
                bits(w0, 17, 17)
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
pub(crate) struct Smem {
    /// First SGPR of the base address or resource descriptor.
    pub sbase: u16,
    pub sdata: u16,
    pub glc: bool,
    pub offset: i32,
    /// Scalar offset register, when there is one.
    pub soffset: Option<u16>,
}

impl Smem {
    pub fn of(inst: &Inst, family: Family) -> Smem {
        let [w0, w1, ..] = inst.words;
        let sbase = bits(w0, 5, 0) as u16 * 2;
        let sdata = bits(w0, 12, 6) as u16;
        let glc = bits(w0, 16, 16) != 0;
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
            soffset: (soffset != 0x7d).then_some(soffset),
        }
    }
}
