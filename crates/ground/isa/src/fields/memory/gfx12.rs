//! Memory encodings of gfx12, whose fields moved: three dwords for vector memory, 24-bit offsets, and a scope and a temporal hint
//! in place of single cache bits.

use super::{Buffer, Flat, Image, MOST_ADDRESSES, Smem};
use crate::{
    Decoded,
    fields::{bits, signed},
    numbers::NULL,
};

/// Bit 0 of the temporal hint: an atomic returns what was there.
fn returns(w1: u32) -> bool {
    bits(w1, 20, 20) != 0
}

/// VFLAT, VGLOBAL and VSCRATCH.
pub(super) fn flat(inst: &Decoded, segment_relative: bool) -> Flat {
    let [w0, w1, w2, ..] = inst.words;
    let saddr = bits(w0, 6, 0) as u16;
    Flat {
        offset: signed(bits(w2, 31, 8), 24),
        glc: returns(w1),
        addr: bits(w2, 7, 0) as u16,
        data: bits(w1, 30, 23) as u16,
        saddr: (segment_relative && saddr != NULL).then_some(saddr),
        no_vector_address: bits(w1, 17, 17) == 0,
        acc: false,
        vdst: bits(w1, 7, 0) as u16,
    }
}

/// VBUFFER.
pub(super) fn buffer(inst: &Decoded) -> Buffer {
    let [w0, w1, w2, ..] = inst.words;
    Buffer {
        offset: bits(w2, 31, 8),
        offen: bits(w1, 30, 30) != 0,
        idxen: bits(w1, 31, 31) != 0,
        glc: returns(w1),
        lds: false,
        vaddr: bits(w2, 7, 0) as u16,
        vdata: bits(w1, 7, 0) as u16,
        srsrc: bits(w1, 17, 9) as u16,
        acc: false,
        soffset: bits(w0, 6, 0) as u16,
        format: bits(w1, 29, 23),
    }
}

/// VIMAGE, or VSAMPLE if `samples`.
pub(super) fn image(inst: &Decoded) -> Image {
    let [w0, w1, w2, ..] = inst.words;
    let samples = bits(w0, 31, 26) == 0x39;
    let [a, b, c, d] = w2.to_le_bytes();
    // Up to five registers of its own; what does not fit into VSAMPLE's follows the last one.
    let fifth = if samples {
        d.wrapping_add(1)
    } else {
        bits(w1, 31, 24) as u8
    };
    let mut addresses = [0; MOST_ADDRESSES];
    for (index, address) in addresses.iter_mut().enumerate() {
        *address = match index {
            0..4 => [a, b, c, d][index],
            _ => fifth.wrapping_add(index as u8 - 4),
        };
    }
    Image {
        dmask: bits(w0, 25, 22),
        unorm: samples && bits(w0, 13, 13) != 0,
        array: false,
        dim: bits(w0, 2, 0),
        glc: returns(w1),
        a16: bits(w0, 6, 6) != 0,
        d16: bits(w0, 5, 5) != 0,
        r128: bits(w0, 4, 4) != 0,
        status: if samples {
            bits(w0, 3, 3)
        } else {
            bits(w1, 23, 23)
        } != 0,
        acc: false,
        vdata: bits(w1, 7, 0) as u16,
        srsrc: bits(w1, 17, 9) as u16,
        ssamp: if samples { bits(w1, 31, 23) as u16 } else { 0 },
        addresses,
    }
}

/// SMEM. Atomics and cache bits are gone.
pub(super) fn scalar(inst: &Decoded) -> Smem {
    let [w0, w1, ..] = inst.words;
    let soffset = bits(w1, 31, 25) as u16;
    Smem {
        sbase: bits(w0, 5, 0) as u16 * 2,
        sdata: bits(w0, 12, 6) as u16,
        glc: false,
        offset: signed(bits(w1, 23, 0), 24),
        soffset: (soffset != NULL).then_some(soffset),
    }
}
