//! The formats of memory instructions. Addresses come from registers outside the slots, which the frame sets.

use gfx::{Family, Target};
use isa::{Format, Op};

use super::{Encoding, Field, Holds, Modifiers, RESULT, field, set};
use crate::frame::arena::{ADDRESS, DESCRIPTOR, INPUT_DESCRIPTOR, OFFSET};

use Holds::{Scalar, Vector};

/// A constant offset of an address, in bytes: 16 of 64 that each lane has.
const BYTES: u32 = 16;
/// Zero as a scalar source.
const ZERO: u32 = 128;
/// `BUF_FMT_32_UINT` since gfx10; before, data and number format.
const UINT: u32 = 20;
const OLD_UINT: [u32; 2] = [4, 4];

const FLAT: &[Field] = &[field(1, 8, Vector, 0), field(1, 24, Vector, RESULT)];
const FLAT12: &[Field] = &[field(1, 23, Vector, 0), field(1, 0, Vector, RESULT)];
const DS: &[Field] = &[
    field(1, 8, Vector, 0),
    field(1, 16, Vector, 1),
    field(1, 24, Vector, RESULT),
];
/// The data that is stored or loaded. Atomics return their result to the register of their data.
const BUFFER: &[Field] = &[field(1, 8, Vector, 0)];
const BUFFER12: &[Field] = &[field(1, 0, Vector, 0)];
const SMEM: &[Field] = &[field(0, 6, Scalar, RESULT)];

/// The old value of what an atomic changes is returned.
const fn returning(first: u32, second: u32) -> Modifiers {
    Modifiers {
        returns: true,
        ..set(first, second)
    }
}

/// Another address: which bits of the words it has, and what they are.
const fn address(bits: [u32; 3], value: [u32; 3]) -> Modifiers {
    Modifiers {
        clear: bits,
        set: value,
        returns: false,
    }
}

/// A scalar base and the lane's offset in place of the lane's address.
const SCALAR_BASE: Modifiers = address([0, 0x7f_00ff, 0], [0, DESCRIPTOR << 16 | OFFSET, 0]);
const SCALAR_BASE12: Modifiers = address([0x7f, 0, 0xff], [DESCRIPTOR, 0, OFFSET]);

/// Scratch at a scalar address.
const SCALAR_SCRATCH: &[Modifiers] = &[address([0, 0x7f_00ff, 0], [0, INPUT_DESCRIPTOR << 16, 0])];
const SCALAR_SCRATCH940: &[Modifiers] = &[address(
    [1 << 13, 0x7f_00ff, 0],
    [0, INPUT_DESCRIPTOR << 16, 0],
)];
const SCALAR_SCRATCH11: &[Modifiers] =
    &[address([0, 0xff_00ff, 0], [0, INPUT_DESCRIPTOR << 16, 0])];
const SCALAR_SCRATCH12: &[Modifiers] = &[address([0x7f, 1 << 17, 0xff], [INPUT_DESCRIPTOR, 0, 0])];

/// `glc`, `sc0` or `th:TH_ATOMIC_RETURN`.
const RETURNING: &[Modifiers] = &[returning(1 << 16, 0)];
const RETURNING_OR_BASE: &[Modifiers] = &[returning(1 << 16, 0), SCALAR_BASE];
const BUFFER_RETURNING: &[Modifiers] = &[returning(1 << 14, 0)];
const RETURNING_OR_BASE11: &[Modifiers] = &[returning(1 << 14, 0), SCALAR_BASE];
const RETURNING12: &[Modifiers] = &[returning(0, 1 << 20)];
const RETURNING_OR_BASE12: &[Modifiers] = &[returning(0, 1 << 20), SCALAR_BASE12];

/// The descriptor, the lane's offset and no scalar one.
const RAW: u32 = OFFSET | (DESCRIPTOR / 4) << 16 | ZERO << 24;
const RAW12: u32 = DESCRIPTOR << 9 | 1 << 30;

#[rustfmt::skip]
pub fn encodings(target: &Target) -> Vec<Encoding> {
    let new = |format, base, (opcode_bit, opcodes), fields, extras, variants| Encoding { format, base, opcode_bit, opcodes, fields, extras, variants };
    // Since gfx940 and gfx11 a bit says that there is a vector register with an address.
    let (scratch9, scratch_variants) = match target.architected_flat_scratch {
        true => (0xdc00_6000, SCALAR_SCRATCH940),
        false => (0xdc00_4000, SCALAR_SCRATCH),
    };
    match target.family {
        Family::Gfx9 => vec![
            new(Format::Flat,   0xdc00_0000, (18, 128), FLAT,   &[[0, ADDRESS, 0]], RETURNING),
            new(Format::Global, 0xdc00_8000, (18, 128), FLAT,   &[[BYTES, ADDRESS | 0x7f << 16, 0]], RETURNING_OR_BASE),
            new(Format::Scratch, scratch9,   (18, 128), FLAT,   &[[BYTES, OFFSET | 0x7f << 16, 0]], scratch_variants),
            new(Format::Ds,     0xd800_0000, (17, 256), DS,     &[[0, OFFSET, 0]], &[]),
            new(Format::Mubuf,  0xe000_0000, (18, 128), BUFFER, &[[BYTES | 1 << 12, RAW, 0]], BUFFER_RETURNING),
            new(Format::Mtbuf,  0xe800_0000, (15, 16),  BUFFER, &[[BYTES | 1 << 12 | OLD_UINT[0] << 19 | OLD_UINT[1] << 23, RAW, 0]], &[]),
            new(Format::Smem,   0xc002_0000, (18, 256), SMEM,   &[[INPUT_DESCRIPTOR / 2, BYTES, 0]], &[]),
        ],
        Family::Gfx10 | Family::Gfx10_3 => vec![
            new(Format::Flat,   0xdc00_0000, (18, 128), FLAT,   &[[0, ADDRESS | 0x7d << 16, 0]], RETURNING),
            new(Format::Global, 0xdc00_8000, (18, 128), FLAT,   &[[BYTES, ADDRESS | 0x7d << 16, 0]], RETURNING_OR_BASE),
            new(Format::Scratch, 0xdc00_4000, (18, 128), FLAT,  &[[BYTES, OFFSET | 0x7d << 16, 0]], SCALAR_SCRATCH),
            new(Format::Ds,     0xd800_0000, (18, 256), DS,     &[[0, OFFSET, 0]], &[]),
            new(Format::Mubuf,  0xe000_0000, (18, 256), BUFFER, &[[BYTES | 1 << 12, RAW, 0]], BUFFER_RETURNING),
            new(Format::Mtbuf,  0xe800_0000, (16, 8),   BUFFER, &[[BYTES | 1 << 12 | UINT << 19, RAW, 0]], &[]),
            new(Format::Mtbuf,  0xe800_0000, (16, 8),   BUFFER, &[[BYTES | 1 << 12 | UINT << 19, RAW | 1 << 21, 0]], &[]),
            new(Format::Smem,   0xf400_0000, (18, 256), SMEM,   &[[INPUT_DESCRIPTOR / 2, BYTES | 0x7d << 25, 0]], &[]),
        ],
        Family::Gfx11 => vec![
            new(Format::Flat,   0xdc00_0000, (18, 128), FLAT,   &[[0, ADDRESS | 0x7c << 16, 0]], BUFFER_RETURNING),
            new(Format::Global, 0xdc02_0000, (18, 128), FLAT,   &[[BYTES, ADDRESS | 0x7c << 16, 0]], RETURNING_OR_BASE11),
            new(Format::Scratch, 0xdc01_0000, (18, 128), FLAT,  &[[BYTES, OFFSET | 0xfc << 16, 0]], SCALAR_SCRATCH11),
            new(Format::Ds,     0xd800_0000, (18, 256), DS,     &[[0, OFFSET, 0]], &[]),
            new(Format::Mubuf,  0xe000_0000, (18, 256), BUFFER, &[[BYTES, RAW | 1 << 22, 0]], BUFFER_RETURNING),
            new(Format::Mtbuf,  0xe800_0000, (15, 16),  BUFFER, &[[BYTES | UINT << 19, RAW | 1 << 22, 0]], &[]),
            new(Format::Smem,   0xf400_0000, (18, 256), SMEM,   &[[INPUT_DESCRIPTOR / 2, BYTES | 0x7c << 25, 0]], &[]),
        ],
        _ => vec![
            new(Format::Flat,   0xec00_0000, (14, 256), FLAT12,   &[[0x7c, 0, ADDRESS]], RETURNING12),
            new(Format::Global, 0xee00_0000, (14, 256), FLAT12,   &[[0x7c, 0, ADDRESS | BYTES << 8]], RETURNING_OR_BASE12),
            new(Format::Scratch, 0xed00_0000, (14, 256), FLAT12,  &[[0x7c, 1 << 17, OFFSET | BYTES << 8]], SCALAR_SCRATCH12),
            new(Format::Ds,     0xd800_0000, (18, 256), DS,       &[[0, OFFSET, 0]], &[]),
            new(Format::Mubuf,  0xc400_0000, (14, 256), BUFFER12, &[[0x7c, RAW12 | 1 << 23, OFFSET | BYTES << 8]], RETURNING12),
            new(Format::Mtbuf,  0xc400_0000, (14, 256), BUFFER12, &[[0x7c, RAW12 | UINT << 23, OFFSET | BYTES << 8]], &[]),
            new(Format::Smem,   0xf400_0000, (13, 64),  SMEM,     &[[INPUT_DESCRIPTOR / 2, BYTES | 0x7c << 25, 0]], &[]),
        ],
    }
}

/// Offsets of LDS instructions that have two, in units of their elements: the first field, then the second. Accesses with strides of 64
/// elements reach the other half of the arena, of which each has `half` bytes.
pub fn two_offsets(op: Op, half: u32) -> Option<u32> {
    let data = op.data();
    data.two_addresses.then(|| match data.stride {
        1 => 1 | 3 << 8,
        stride => (half / (stride * data.bytes / 2)) << 8,
    })
}
