//! The memory access of an instruction: its kind, its size, and how its address is made of registers.

use crate::encode::Encodings;
use crate::instruction::{InstructionSink, Op, SourceOperand};
use crate::ir::Code;
use crate::lower::fixed;
use gfx::{Family, Matrix};
use isa::{Decoded, Effects, Format, Operand, Reg, RegKind, Traits};

/// Bits of `luthier::access` in `luthier_device.h`.
const LOAD: u32 = 1;
const STORE: u32 = 2;
const ATOMIC: u32 = 4;
const GLOBAL: u32 = 16;
const FLAT: u32 = 32;
const LDS: u32 = 64;
const SCRATCH: u32 = 128;
const SCALAR: u32 = 256;
const IMAGE: u32 = 512;
/// Through a sampler.
const SAMPLE: u32 = 1024;

/// The sum of these is the address (64 bits) or the offset (32 bits, LDS and scratch).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// First SGPR of a pair (of one register where the address has 32 bits).
    pub scalar: Option<u16>,
    /// An SGPR with 32 bits more.
    pub scalar_offset: Option<u16>,
    /// First VGPR, and whether it is a pair.
    pub vector: Option<(u16, bool)>,
    pub constant: i64,
    /// 64 bits.
    pub wide: bool,
}

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryAccess {
    pub kind: u32,
    /// Bytes per lane; per wave for scalar accesses. 0 for images, whose descriptors say how large a texel is.
    pub size: u32,
    /// `None` if it is made in a way that is not supplied, such as by an index into a structured buffer.
    pub address: Option<Address>,
}

impl MemoryAccess {
    /// `None` if the instruction accesses no memory.
    pub fn decode(inst: &Decoded, family: Family) -> Option<MemoryAccess> {
        let effects = inst.effects;
        if !effects.intersects(Effects::LOAD | Effects::STORE | Effects::ATOMIC) {
            return None;
        }
        let space = match inst.format {
            Format::Smem => SCALAR,
            Format::Ds => LDS,
            Format::Flat => FLAT,
            Format::Global | Format::Mubuf | Format::Mtbuf => GLOBAL,
            Format::Mimg if inst.op.has(Traits::SAMPLER) => IMAGE | SAMPLE,
            Format::Mimg => IMAGE,
            Format::Scratch => SCRATCH,
            _ => return None,
        };
        let mut kind = space;
        if effects.contains(Effects::ATOMIC) {
            kind |= ATOMIC | LOAD | STORE;
        } else {
            if effects.contains(Effects::LOAD) {
                kind |= LOAD;
            }
            if effects.contains(Effects::STORE) {
                kind |= STORE;
            }
        }
        Some(MemoryAccess {
            kind,
            size: match inst.format {
                Format::Mimg => 0,
                _ => inst.op.data().bytes,
            },
            address: address(inst, family),
        })
    }

    /// Registers that hold the address.
    pub fn registers(&self) -> impl Iterator<Item = Reg> {
        let address = self.address.unwrap_or_default();
        let one = |kind, index, width| Reg {
            kind,
            index,
            width,
            half: None,
        };
        let scalar_width = if address.wide { 2 } else { 1 };
        let scalar = address
            .scalar
            .map(|index| one(RegKind::Sgpr, index, scalar_width));
        let offset = address
            .scalar_offset
            .map(|index| one(RegKind::Sgpr, index, 1));
        let vector = address
            .vector
            .map(|(index, pair)| one(RegKind::Vgpr, index, 1 + u8::from(pair)));
        scalar.into_iter().chain(offset).chain(vector)
    }
}

impl Address {
    /// The one VGPR that is the address, or the first of two; `None` if the address is a sum or comes from scalars.
    pub(crate) fn vector_alone(&self) -> Option<u16> {
        let is_alone = self.scalar.is_none() && self.scalar_offset.is_none() && self.constant == 0;
        let (vgpr, pair) = self.vector.filter(|_| is_alone)?;
        (pair == self.wide).then_some(vgpr)
    }

    /// Writes code that leaves the address of each active lane in two VGPRs. `constant` is an SGPR and `carry` an SGPR
    /// (pair) to work with. SCC and VCC stay.
    pub(crate) fn compute(
        &self,
        codes: &Encodings,
        sum: [u16; 2],
        constant: u16,
        carry: u16,
        code: &mut Code<'_>,
    ) {
        if self.wide {
            self.compute_wide(codes, sum, constant, carry, code);
        } else {
            self.compute_narrow(sum[0], code);
        }
    }

    /// The upper half is 0, and no port asks for it.
    fn compute_narrow(&self, low: u16, code: &mut Code<'_>) {
        let constant = Some(SourceOperand::Constant(self.constant as u32));
        let scalars = [
            self.scalar.map(SourceOperand::Scalar),
            constant.filter(|_| self.constant != 0),
        ];
        let mut scalars = scalars.into_iter().flatten();
        let mut so_far = match self.vector {
            Some((vgpr, _)) => vgpr,
            None => {
                code.move_vector(low, scalars.next().unwrap_or(SourceOperand::Constant(0)));
                low
            }
        };
        for scalar in scalars {
            code.add_vector(low, scalar, so_far);
            so_far = low;
        }
        if so_far != low {
            code.move_vector(low, SourceOperand::Vector(so_far));
        }
    }

    /// The pair first, then what has 32 bits or fewer.
    fn compute_wide(
        &self,
        codes: &Encodings,
        [low, high]: [u16; 2],
        constant: u16,
        carry: u16,
        code: &mut Code<'_>,
    ) {
        let zero = SourceOperand::Constant(0);
        let mut so_far = [low, high];
        let mut offsets = [None, None, None];
        match (self.scalar, self.vector) {
            (Some(scalar), Some((vgpr, _))) => {
                // An instruction may not read two scalars on every target, and the upper addition reads the carry.
                code.move_vector(high, SourceOperand::Scalar(scalar + 1));
                so_far = [vgpr, high];
                offsets[0] = Some((SourceOperand::Scalar(scalar), zero));
            }
            (Some(scalar), None) => {
                code.move_vector(low, SourceOperand::Scalar(scalar));
                code.move_vector(high, SourceOperand::Scalar(scalar + 1));
            }
            (None, Some((vgpr, _))) => so_far = [vgpr, vgpr + 1],
            (None, None) => {}
        }
        let scalar = self.scalar_offset.map(SourceOperand::Scalar);
        offsets[1] = scalar.map(|scalar| (scalar, zero));
        if self.constant != 0 {
            let upper = SourceOperand::Constant(if self.constant < 0 { u32::MAX } else { 0 });
            code.move_scalar(constant, SourceOperand::Constant(self.constant as u32));
            offsets[2] = Some((SourceOperand::Scalar(constant), upper));
        }
        for (left, upper) in offsets.into_iter().flatten() {
            let [lower_right, upper_right] = so_far.map(SourceOperand::Vector);
            code.add_carry_out(low, carry, left, lower_right);
            between(codes, code);
            code.add_carry_in(high, carry, upper, upper_right);
            between(codes, code);
            so_far = [low, high];
        }
        for (to, from) in [low, high].into_iter().zip(so_far) {
            if to != from {
                code.move_vector(to, SourceOperand::Vector(from));
            }
        }
    }
}

/// Emits the wait states between the write of a carry and its use.
fn between(codes: &Encodings, code: &mut Code<'_>) {
    match codes.target.matrix {
        Matrix::Mfma3 | Matrix::Mfma4 => code.scalar1(Op::SNop, 0, SourceOperand::Constant(1)),
        _ => fixed(codes, code, Op::WaitAlu),
    }
}

/// Bits of the signed offset field: format, first family, bits. The last row that matches counts; others are unsigned.
#[rustfmt::skip]
const OFFSETS: &[(Format, Family, u32)] = &[
    (Format::Global,  Family::Gfx9,  13),
    (Format::Global,  Family::Gfx10, 12),
    (Format::Global,  Family::Gfx11, 13),
    (Format::Global,  Family::Gfx12, 24),
    (Format::Scratch, Family::Gfx9,  13),
    (Format::Scratch, Family::Gfx10, 12),
    (Format::Scratch, Family::Gfx11, 13),
    (Format::Scratch, Family::Gfx12, 24),
    (Format::Flat,    Family::Gfx12, 24),
    (Format::Smem,    Family::Gfx9,  21),
    (Format::Smem,    Family::Gfx12, 24),
];

fn signed(field: i64, format: Format, family: Family) -> i64 {
    let mut rows = OFFSETS.iter().rev();
    match rows.find(|row| row.0 == format && row.1 <= family) {
        Some((_, _, bits)) => field << (64 - bits) >> (64 - bits),
        None => field,
    }
}

fn address(inst: &Decoded, family: Family) -> Option<Address> {
    let uses = |kind: RegKind| {
        inst.operands
            .iter()
            .filter_map(move |operand| match operand {
                Operand::Use(reg) if reg.kind == kind => Some(*reg),
                _ => None,
            })
    };
    let immediate = inst.operands.iter().find_map(|operand| match operand {
        Operand::Imm(value) => Some(*value),
        _ => None,
    });
    let mut address = Address {
        constant: signed(immediate.unwrap_or(0), inst.format, family),
        wide: true,
        ..Address::default()
    };
    let vector = uses(RegKind::Vgpr).next();
    match inst.format {
        Format::Global | Format::Flat => {
            // The address is the first vector operand of loads, stores and atomics alike.
            let vector = vector?;
            address.scalar = uses(RegKind::Sgpr).next().map(|reg| reg.index);
            address.vector = Some((vector.index, vector.width == 2));
            (address.scalar.is_some() != (vector.width == 2)).then_some(address)
        }
        Format::Scratch => {
            address.wide = false;
            address.scalar = uses(RegKind::Sgpr).next().map(|reg| reg.index);
            // A store's data comes first, and may be all there is.
            let vectors = uses(RegKind::Vgpr).count();
            if vectors > usize::from(inst.effects.contains(Effects::STORE)) {
                address.vector = uses(RegKind::Vgpr)
                    .next_back()
                    .map(|reg| (reg.index, false));
            }
            Some(address)
        }
        Format::Ds => {
            address.wide = false;
            let vector = vector?;
            let data = inst.op.data();
            if data.two_addresses {
                // Offsets count elements; the first access is reported.
                address.constant *= i64::from(data.bytes / 2 * data.stride);
            }
            address.vector = Some((vector.index, false));
            (!data.by_lane).then_some(address)
        }
        Format::Smem => {
            let mut scalars = uses(RegKind::Sgpr);
            // A buffer resource, of four registers, is no address.
            let base = scalars.find(|reg| reg.width == 2)?;
            address.scalar = Some(base.index);
            address.scalar_offset = uses(RegKind::Sgpr)
                .find(|reg| reg.width == 1)
                .map(|reg| reg.index);
            inst.effects.contains(Effects::LOAD).then_some(address)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gfx::Target;
    use isa::{Assembler, Decoder};

    fn access(target: &str, text: &str) -> MemoryAccess {
        let target = Target::find(target).expect("a known target");
        let assembler = Assembler::new(target).expect("an assembler");
        let code = assembler.assemble(text).expect("assembles");
        let decoder = Decoder::new(target).expect("a decoder");
        let inst = decoder
            .decode_all(&code, 0)
            .next()
            .expect("one")
            .expect("decodes");
        MemoryAccess::decode(&inst, target.family).expect("accesses memory")
    }

    #[test]
    fn kinds_sizes_and_addresses() {
        type Row = (
            &'static str,
            &'static str,
            u32,
            u32,
            Option<u16>,
            Option<(u16, bool)>,
            i64,
        );
        #[rustfmt::skip]
        let rows: &[Row] = &[
            ("gfx90a",  "global_load_dwordx2 v[4:5], v[6:7], off offset:-16",        LOAD | GLOBAL,                  8,  None,    Some((6, true)),   -16),
            ("gfx90a",  "global_store_dwordx4 v3, v[8:11], s[4:5] offset:64",        STORE | GLOBAL,                 16, Some(4), Some((3, false)),  64),
            ("gfx90a",  "global_atomic_add_x2 v[2:3], v[8:9], off",                  LOAD | STORE | ATOMIC | GLOBAL, 8,  None,    Some((2, true)),   0),
            ("gfx90a",  "global_load_ubyte_d16_hi v1, v2, s[8:9]",                   LOAD | GLOBAL,                  1,  Some(8), Some((2, false)),  0),
            ("gfx90a",  "flat_load_dword v1, v[2:3]",                                LOAD | FLAT,                    4,  None,    Some((2, true)),   0),
            ("gfx90a",  "ds_read_b64 v[2:3], v7 offset:24",                          LOAD | LDS,                     8,  None,    Some((7, false)),  24),
            ("gfx90a",  "ds_read2_b32 v[2:3], v7 offset0:3 offset1:4",               LOAD | LDS,                     8,  None,    Some((7, false)),  12),
            ("gfx90a",  "ds_write_b8 v1, v2 offset:5",                               STORE | LDS,                    1,  None,    Some((1, false)),  5),
            ("gfx90a",  "s_load_dwordx4 s[4:7], s[2:3], 0x10",                       LOAD | SCALAR,                  16, Some(2), None,              16),
            ("gfx90a",  "scratch_load_dword v1, off, s33 offset:8",                  LOAD | SCRATCH,                 4,  Some(33), None,             8),
            ("gfx90a",  "scratch_store_dword v4, v1, off offset:8",                  STORE | SCRATCH,                4,  None,    Some((4, false)),  8),
            ("gfx1100", "global_load_b32 v1, v2, s[2:3] offset:-4",                  LOAD | GLOBAL,                  4,  Some(2), Some((2, false)),  -4),
            ("gfx1200", "global_load_b128 v[4:7], v[2:3], off offset:100000",        LOAD | GLOBAL,                  16, None,    Some((2, true)),   100_000),
            ("gfx1200", "global_atomic_add_u32 v2, v4, s[2:3]",                      LOAD | STORE | ATOMIC | GLOBAL, 4,  Some(2), Some((2, false)),  0),
        ];
        for (target, text, kind, size, scalar, vector, constant) in rows {
            let found = access(target, text);
            let address = found
                .address
                .unwrap_or_else(|| panic!("{text} has an address"));
            assert_eq!((found.kind, found.size), (*kind, *size), "{text}");
            assert_eq!(address.scalar, *scalar, "{text}");
            assert_eq!(address.vector, *vector, "{text}");
            assert_eq!(address.constant, *constant, "{text}");
        }
    }

    #[test]
    fn images() {
        #[rustfmt::skip]
        let rows: &[(&str, &str, u32)] = &[
            ("gfx906",  "image_load v1, v[2:3], s[8:15] dmask:0x1 unorm",                             LOAD | IMAGE),
            ("gfx90a",  "image_store v1, v[2:3], s[8:15] dmask:0x1 unorm",                            STORE | IMAGE),
            ("gfx1030", "image_atomic_add v1, v[2:3], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D",          LOAD | STORE | ATOMIC | IMAGE),
            ("gfx1030", "image_sample_lz v1, v[2:3], s[8:15], s[4:7] dmask:0x1 dim:SQ_RSRC_IMG_2D",   LOAD | IMAGE | SAMPLE),
            ("gfx1200", "image_gather4_lz v[4:7], [v2, v3], s[8:15], s[4:7] dmask:0x1 dim:SQ_RSRC_IMG_2D", LOAD | IMAGE | SAMPLE),
        ];
        for (target, text, kind) in rows {
            let found = access(target, text);
            assert_eq!(
                (found.kind, found.size, found.address),
                (*kind, 0, None),
                "{text}"
            );
        }
    }
}
