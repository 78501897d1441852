//! MUBUF: addresses through a buffer descriptor, with range checks and swizzling.
//!
//! Lanes out of the descriptor's range load zero and store nothing; lanes in range must still be in mapped memory.

use super::{
    lanes::{self, GROUP, Lanes},
    private,
    space::{Access, Checked, Space, resolve_checked},
    spread::{Column, Offsets, Spread},
};
use crate::{
    engine::Env,
    micro_op::{Generation, MicroOp},
    state::Wave,
};

/// Bytes of an element that swizzling keeps together; fixed since gfx9.
const ELEMENT: u32 = 4;

/// A decoded buffer descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Descriptor {
    /// The descriptor's base and the instruction's scalar offset.
    base: u64,
    /// Bytes per record.
    stride: u32,
    swizzled: bool,
    /// Bytes or records, by `check`.
    records: u64,
    /// Log2 of the records that swizzling interleaves.
    index_shift: u32,
    /// The lane number is added to the index.
    add_tid: bool,
    check: Check,
}

/// The value that a range check compares with the number of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Check {
    Bytes,
    Index,
    /// Index, and the offset against the stride.
    IndexAndOffset,
    /// Only an empty buffer refuses.
    NotEmpty,
}

impl Descriptor {
    #[inline(always)]
    fn read(wave: &Wave, op: &MicroOp) -> Descriptor {
        let first = op.src[1].index as usize;
        let [w0, w1, w2, w3] = std::array::from_fn(|word| wave.sgpr(first + word));
        let since_gfx10 = op.vector_memory().generation >= Generation::GFX10;
        // gfx11 has two bits: elements of four bytes, or of sixteen.
        let swizzled = if op.vector_memory().generation >= Generation::GFX11 {
            w1 >> 30 != 0
        } else {
            w1 >> 31 != 0
        };
        let add_tid = w3 >> 23 & 1 != 0;
        let mut stride = w1 >> 16 & 0x3fff;
        if add_tid && !since_gfx10 {
            // The data format bits extend the stride.
            stride |= (w3 >> 15 & 15) << 14;
        }
        let check = if since_gfx10 {
            match w3 >> 28 & 3 {
                0 => Check::IndexAndOffset,
                1 => Check::Index,
                2 => Check::NotEmpty,
                _ => Check::Bytes,
            }
        } else if stride == 0 || !op.vector_memory().idxen() && !swizzled {
            Check::Bytes
        } else {
            Check::Index
        };
        let scalar = wave.uniform32(op, 2);
        // The size of a raw buffer of gfx9 is less by the scalar offset (Vega and CDNA manuals, range checking of buffers): libraries
        // have that clip what a tile reads too much.
        let less = if check == Check::Bytes && !since_gfx10 && !swizzled {
            scalar
        } else {
            0
        };
        let base = u64::from(w0) | u64::from(w1 & 0xffff) << 32;
        Descriptor {
            base: base.wrapping_add(u64::from(scalar)),
            stride,
            swizzled,
            records: u64::from(w2.saturating_sub(less)),
            index_shift: 3 + (w3 >> 21 & 3),
            add_tid,
            check,
        }
    }

    /// Returns `true` if every lane has a record of its own, all of them interleaved.
    #[inline(always)]
    fn is_private(&self, wave: &Wave, op: &MicroOp) -> bool {
        self.swizzled
            && self.add_tid
            && 1 << self.index_shift == wave.wave_size
            && !op.vector_memory().idxen()
    }

    /// Returns `true` if the range check of private memory lets all lanes pass that stay below offset `end`.
    #[inline(always)]
    fn has_all_lanes(&self, wave: &Wave, end: u64) -> bool {
        match self.check {
            Check::Bytes => end <= self.records,
            Check::Index => u64::from(wave.wave_size) <= self.records,
            Check::IndexAndOffset => false,
            Check::NotEmpty => self.records != 0,
        }
    }

    /// The sum of register and constant as the range check and the address see it. Compilers address scratch with negative
    /// registers and positive constants, whose sum has 32 bits; whether it wraps in other buffers, no manual says.
    #[inline(always)]
    fn offset(&self, sum: u64) -> u64 {
        if self.swizzled {
            u64::from(sum as u32)
        } else {
            sum
        }
    }
}

/// Descriptor of a wave's scratch backing at `base`, under which private address X of a lane is what FLAT instructions
/// reach through the private aperture. `bytes` is the size per lane.
pub fn scratch_descriptor(base: u64, wave_size: u32, bytes: u32, since_gfx10: bool) -> [u32; 4] {
    const SWIZZLE: u32 = 1 << 31;
    const ADD_TID: u32 = 1 << 23;
    /// gfx10: the only check is that the buffer is not empty.
    const OOB_NOT_EMPTY: u32 = 2 << 28;
    const RESOURCE_LEVEL: u32 = 1 << 24;
    let index_stride = (wave_size.trailing_zeros() - 3) << 21;
    let family = if since_gfx10 {
        OOB_NOT_EMPTY | RESOURCE_LEVEL
    } else {
        0
    };
    [
        base as u32,
        (base >> 32) as u32 & 0xffff | SWIZZLE,
        bytes,
        index_stride | ADD_TID | family,
    ]
}

pub(crate) struct Buffer;

/// Offsets inside a record (or the whole buffer), and record numbers.
#[inline(always)]
fn offsets_and_indices(
    wave: &Wave,
    op: &MicroOp,
    descriptor: &Descriptor,
    access: &Access,
) -> ([u64; GROUP], [u64; GROUP]) {
    let mut row = op.src[0].index as usize;
    let mut indices = [0; GROUP];
    if op.vector_memory().idxen() {
        indices = lanes::words(wave, row, access.group).map(u64::from);
        row += 1;
    }
    if descriptor.add_tid {
        for (i, index) in indices.iter_mut().enumerate() {
            *index += (GROUP * access.group + i) as u64;
        }
    }
    let fixed = u64::from(op.vector_memory().offset as u32) + u64::from(access.extra);
    let offsets = if op.vector_memory().offen() {
        lanes::words(wave, row, access.group).map(
            #[inline(always)]
            |offset| descriptor.offset(u64::from(offset) + fixed),
        )
    } else {
        [fixed; GROUP]
    };
    (offsets, indices)
}

/// Lanes (active or not) that the range check lets pass.
#[inline(always)]
fn in_range(
    descriptor: &Descriptor,
    offsets: &[u64; GROUP],
    indices: &[u64; GROUP],
    bytes: u32,
) -> u16 {
    let mask = |pass: [bool; GROUP]| lanes::pack(pass);
    let bytes = u64::from(bytes);
    match descriptor.check {
        Check::Bytes => {
            let Some(last) = descriptor.records.checked_sub(bytes) else {
                return 0;
            };
            mask(offsets.map(
                #[inline(always)]
                |offset| offset <= last,
            ))
        }
        Check::Index => mask(indices.map(
            #[inline(always)]
            |index| index < descriptor.records,
        )),
        Check::IndexAndOffset => mask(std::array::from_fn(
            #[inline(always)]
            |i| {
                indices[i] < descriptor.records
                    && offsets[i] + bytes <= u64::from(descriptor.stride)
            },
        )),
        Check::NotEmpty => {
            if descriptor.records != 0 {
                !0
            } else {
                0
            }
        }
    }
}

/// Private memory, each lane at an offset of its own.
#[inline(never)]
fn private_elements(
    wave: &mut Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
    bytes: u32,
    write: bool,
) -> Option<Spread> {
    let descriptor = Descriptor::read(wave, op);
    if !descriptor.is_private(wave, op) || !op.vector_memory().offen() {
        return None;
    }
    let (row, shift) = (op.src[0].index as usize, descriptor.index_shift);
    let private = private::elements(wave, row, op.vector_memory().offset as u32, shift, bytes)?;
    if !descriptor.has_all_lanes(wave, private.end) {
        return None;
    }
    private
        .offsets
        .in_memory(env, descriptor.base, bytes, write)
}

impl Space for Buffer {
    #[inline(always)]
    fn spread(
        wave: &mut Wave,
        op: &MicroOp,
        env: &mut Env<'_>,
        bytes: u32,
        write: bool,
    ) -> Option<Spread> {
        let descriptor = Descriptor::read(wave, op);
        let simple = !descriptor.swizzled
            && !descriptor.add_tid
            && op.vector_memory().is_offset_alone()
            && descriptor.check == Check::Bytes;
        if !simple {
            return private_elements(wave, op, env, bytes, write);
        }
        let offsets = Offsets::of_bytes(wave, op.src[0].index as usize, bytes)?;
        let end = u64::from(offsets.highest())
            + u64::from(op.vector_memory().offset as u32)
            + u64::from(bytes);
        if end > descriptor.records {
            return None;
        }
        let base = descriptor
            .base
            .wrapping_add(u64::from(op.vector_memory().offset as u32));
        offsets.in_memory(env, base, bytes, write)
    }

    /// Spilled registers: swizzled by lane number, one offset for all lanes.
    #[inline(always)]
    fn column(
        wave: &mut Wave,
        op: &MicroOp,
        env: &mut Env<'_>,
        bytes: u32,
        write: bool,
    ) -> Option<Column> {
        let descriptor = Descriptor::read(wave, op);
        if !descriptor.is_private(wave, op) || wave.exec() == 0 {
            return None;
        }
        let mut offset = u64::from(op.vector_memory().offset as u32);
        if op.vector_memory().offen() {
            offset += u64::from(Offsets::common_in_place(wave, op.src[0].index as usize)?);
            offset = descriptor.offset(offset);
        }
        let end = offset + u64::from(bytes);
        if !descriptor.has_all_lanes(wave, end) || !Column::holds(offset as u32, bytes) {
            return None;
        }
        let first = descriptor
            .base
            .wrapping_add((offset & !3) << descriptor.index_shift);
        let step = ELEMENT << descriptor.index_shift;
        Column::new(wave, env, first, step, (offset as u32, bytes), write)
    }

    #[inline(always)]
    fn contiguous(wave: &Wave, op: &MicroOp, _: &Env<'_>, access: &Access) -> bool {
        let descriptor = Descriptor::read(wave, op);
        if descriptor.swizzled {
            return false;
        }
        if access.bytes <= 4 {
            return true;
        }
        let (offsets, indices) = offsets_and_indices(wave, op, &descriptor, access);
        let passing = in_range(&descriptor, &offsets, &indices, access.bytes);
        access.active & !passing == 0
    }

    fn torn(wave: &Wave, op: &MicroOp, access: &Access) -> bool {
        let descriptor = Descriptor::read(wave, op);
        let mask = u64::from(access.bytes.min(ELEMENT)) - 1;
        let (offsets, _) = offsets_and_indices(wave, op, &descriptor, access);
        descriptor.swizzled
            && (0..GROUP).any(|i| access.active >> i & 1 != 0 && offsets[i] & mask != 0)
    }

    #[inline(always)]
    fn resolve(
        wave: &Wave,
        op: &MicroOp,
        env: &mut Env<'_>,
        access: &Access,
        lanes: &mut Lanes,
    ) -> Checked {
        let descriptor = Descriptor::read(wave, op);
        let (offsets, indices) = offsets_and_indices(wave, op, &descriptor, access);
        let valid = access.active & in_range(&descriptor, &offsets, &indices, access.bytes);
        let stride = u64::from(descriptor.stride);
        let mut at = [descriptor.base; GROUP];
        if descriptor.swizzled {
            let shift = descriptor.index_shift;
            let element = u64::from(ELEMENT);
            for i in 0..GROUP {
                let (offset, index) = (offsets[i], indices[i]);
                let within = (offset / element * element) << shift;
                let interleaved = (index & ((1 << shift) - 1)) * element + offset % element;
                at[i] = at[i].wrapping_add(within + interleaved);
            }
            if stride != 0 {
                for i in 0..GROUP {
                    at[i] = at[i].wrapping_add((indices[i] >> shift).wrapping_mul(stride) << shift);
                }
            }
        } else {
            for i in 0..GROUP {
                at[i] = at[i].wrapping_add(offsets[i]);
            }
            if stride != 0 {
                for i in 0..GROUP {
                    at[i] = at[i].wrapping_add(indices[i].wrapping_mul(stride));
                }
            }
        }
        resolve_checked(env, wave, at, valid, access, lanes)
    }

    #[inline(always)]
    fn data_row(op: &MicroOp) -> usize {
        op.dst as usize
    }
}
