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
