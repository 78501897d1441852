//! Instructions that access memory: what they move, and where it lies.

use std::ops::Range;

use isa::{
    Effects, Format, Inst, Operand, Traits,
    fields::{Buffer, Ds, Flat, Smem},
    numbers,
};
use wave::{Config, Wave};

use crate::{
    lanes::{self, LANES, Row},
    plan::At,
};

/// How an instruction forms addresses.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Space {
    /// A pair of vector registers, or a scalar pair and a vector register. `flat`: apertures lead to LDS and private memory.
    Address {
        row: usize,
        base: Option<usize>,
        offset: i64,
        flat: bool,
    },
    Private {
        row: Option<usize>,
        base: Option<usize>,
        offset: u32,
    },
    Buffer {
        row: usize,
        indexed: bool,
        offset_in_row: bool,
        descriptor: usize,
        scalar: Option<At>,
        offset: u32,
        since_gfx10: bool,
    },
    Lds {
        row: usize,
        offsets: [u32; 2],
    },
    Scalar {
        base: usize,
        offset_slot: Option<usize>,
        offset: i64,
        buffer: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Load,
    Store,
    Atomic,
}

pub struct Access {
    pub(crate) space: Space,
    pub kind: Kind,
    /// Bytes at each address.
    pub bytes: u32,
    /// First registers of what is stored, for each address.
    pub data: [usize; 2],
    pub addresses: usize,
    /// The first register of what is loaded.
    pub destination: Option<usize>,
    /// The half of the register that takes part.
    pub half: Option<bool>,
    /// The sign fills the rest of the register.
    pub signed: bool,
    /// Registers whose values are the address: rows, and scalar ones.
    pub address_rows: Vec<usize>,
    pub address_slots: Vec<usize>,
}

/// Parts of first names of instructions that move data in other ways.
const UNLIKE: &[&str] = &[
    "_lds_",
    "_tr_",
    "_tr6",
    "_format_",
    "gws",
    "append",
    "consume",
    "addtid",
    "src2",
    "wrap",
    "condxchg",
    "bvh",
    "s_atomic",
    "s_buffer_atomic",
    "s_store",
    "s_buffer_store",
    "s_scratch",
    "prefetch",
    "block",
    "pops",
];

/// None if no rule follows it.
pub fn of(config: &Config, inst: &Inst) -> Option<Access> {
    let name = inst.op.first_name();
    if inst.op.has(Traits::NO_DATA)
        || UNLIKE.iter().any(|part| name.contains(part))
        || name.ends_with("_lds")
    {
        return None;
    }
    let data = inst.op.data();
    let (space, rows, destination) = match inst.format {
        Format::Flat | Format::Global | Format::Scratch => by_address(config, inst),
        Format::Ds => lds(config, inst)?,
        Format::Mubuf => buffer(config, inst)?,
        Format::Smem => scalar(config, inst)?,
        _ => return None,
    };
    let is = |words: [&str; 2]| words.iter().any(|word| name.contains(word));
    let kind = match () {
        () if name.contains("atomic") => Kind::Atomic,
        () if is(["_load", "_read"]) => Kind::Load,
        () if is(["_store", "_write"]) => Kind::Store,
        () => Kind::Atomic,
    };
    let returns = inst
        .operands
        .iter()
        .any(|operand| matches!(operand, Operand::Def(_)));
    let signed = ["sbyte", "sshort", "_i8", "_i16"];
    let addresses = if data.two_addresses { 2 } else { 1 };
    let (address_rows, address_slots) = address_registers(space);
    Some(Access {
        space,
        kind,
        bytes: data.bytes / addresses,
        data: rows,
        addresses: addresses as usize,
        destination: destination.filter(|_| returns && kind != Kind::Store),
        half: data.half,
        signed: signed.iter().any(|part| name.contains(part)),
        address_rows,
        address_slots,
    })
}

fn address_registers(space: Space) -> (Vec<usize>, Vec<usize>) {
    match space {
        Space::Address {
            row,
            base: Some(base),
            ..
        } => (vec![row], vec![base, base + 1]),
        Space::Address { row, .. } => (vec![row, row + 1], Vec::new()),
        Space::Private { row, base, .. } => (Vec::from_iter(row), Vec::from_iter(base)),
        Space::Buffer {
            row,
            indexed,
            offset_in_row,
            descriptor,
            scalar,
            ..
        } => {
            let rows = usize::from(indexed) + usize::from(offset_in_row);
            let mut slots: Vec<usize> = (descriptor..descriptor + 4).collect();
            if let Some(At::Slot(slot)) = scalar {
                slots.push(slot);
            }
            ((row..row + rows).collect(), slots)
        }
        Space::Lds { row, .. } => (vec![row], Vec::new()),
        Space::Scalar {
            base,
            offset_slot,
            buffer,
            ..
        } => {
            let words = if buffer { 4 } else { 2 };
            let mut slots: Vec<usize> = (base..base + words).collect();
            slots.extend(offset_slot);
            (Vec::new(), slots)
        }
    }
}

type Parts = (Space, [usize; 2], Option<usize>);

fn data_row(config: &Config, acc: bool, index: u16) -> usize {
    let base = if acc { config.agpr_base as usize } else { 0 };
    base + usize::from(index)
}

fn slot(config: &Config, code: u16) -> usize {
    match code == numbers::m0(config.target.family) {
        true => usize::from(numbers::M0),
        false => usize::from(code),
    }
}

fn by_address(config: &Config, inst: &Inst) -> Parts {
    let flat = inst.format == Format::Flat;
    let fields = Flat::decode(inst, config.target, !flat);
    let base = fields.saddr.map(|saddr| slot(config, saddr));
    let row = usize::from(fields.addr);
    let space = match inst.format {
        Format::Scratch => Space::Private {
            row: (!fields.no_vector_address).then_some(row),
            base,
            offset: fields.offset as u32,
        },
        _ => Space::Address {
            row,
            base,
            offset: fields.offset.into(),
            flat,
        },
    };
    let data = data_row(config, fields.acc, fields.data);
    (
        space,
        [data; 2],
        Some(data_row(config, fields.acc, fields.vdst)),
    )
}

fn lds(config: &Config, inst: &Inst) -> Option<Parts> {
    let fields = Ds::decode(inst, config.target.family);
    if fields.gds {
        return None;
    }
    let data = inst.op.data();
    let offsets = match data.two_addresses {
        true => [fields.offset0, fields.offset1]
            .map(|offset| u32::from(offset) * data.stride * data.bytes / 2),
        false => [u32::from(fields.offset()); 2],
    };
    let space = Space::Lds {
        row: usize::from(fields.addr),
        offsets,
    };
    let rows = [fields.data0, fields.data1].map(|index| data_row(config, fields.acc, index));
    Some((space, rows, Some(data_row(config, fields.acc, fields.vdst))))
}

fn buffer(config: &Config, inst: &Inst) -> Option<Parts> {
    let fields = Buffer::decode(inst, config.target.family, false);
    if fields.lds {
        return None;
    }
    let scalar = match fields.soffset {
        code if Some(code) == numbers::null(config.target.family) => None,
        code if code < 128 => Some(At::Slot(slot(config, code))),
        code @ 128..=192 => Some(At::Constant(i64::from(code) - 128)),
        _ => return None,
    };
    let space = Space::Buffer {
        row: usize::from(fields.vaddr),
        indexed: fields.idxen,
        offset_in_row: fields.offen,
        descriptor: usize::from(fields.srsrc),
        scalar,
        offset: fields.offset,
        since_gfx10: config.target.family > gfx::Family::Gfx9,
    };
    let data = data_row(config, fields.acc, fields.vdata);
    Some((space, [data; 2], Some(data)))
}

fn scalar(config: &Config, inst: &Inst) -> Option<Parts> {
    if !inst.effects.contains(Effects::LOAD) {
        return None;
    }
    let fields = Smem::decode(inst, config.target.family);
    let offset_slot = match fields.soffset {
        Some(code) if code < 128 => Some(slot(config, code)),
        None => None,
        Some(_) => return None,
    };
    let space = Space::Scalar {
        base: usize::from(fields.sbase),
        offset_slot,
        offset: fields.offset.into(),
        buffer: inst.op.first_name().contains("buffer"),
    };
    Some((space, [0; 2], Some(slot(config, fields.sdata))))
}

/// The place of a lane's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Memory(u64),
    Lds(u32),
    /// Private memory, by the lane's own offset; each dword lies elsewhere.
    Private(u32),
    /// Loads zero and stores nothing.
    Nowhere,
    /// Not known.
    Unknown,
}

/// The buffer that four scalar registers describe.
struct Descriptor {
    base: u64,
    stride: u64,
    records: u64,
    /// Every lane's own memory, interleaved.
    private: bool,
    /// Swizzled in another way.
    unknown: bool,
    in_records: bool,
}

impl Descriptor {
    fn read(wave: &Wave, first: usize, since_gfx10: bool, indexed: bool) -> Descriptor {
        let [w0, w1, w2, w3] = std::array::from_fn(|word| wave.sgpr(first + word));
        let swizzled = w1 >> 30 & 3 != 0;
        let add_lane = w3 >> 23 & 1 != 0;
        let interleaved = 8u32 << (w3 >> 21 & 3);
        let private = swizzled && add_lane && interleaved == wave.wave_size() && !indexed;
        let stride = u64::from(w1 >> 16 & 0x3fff);
        let in_records = match since_gfx10 {
            true => w3 >> 28 & 3 != 3,
            false => stride != 0 && indexed,
        };
        Descriptor {
            base: u64::from(w0) | u64::from(w1 & 0xffff) << 32,
            stride,
            records: u64::from(w2),
            private,
            unknown: (swizzled || add_lane) && !private,
            in_records,
        }
    }
}

/// Lanes that access memory at equal distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// The address of the first lane.
    pub address: u64,
    /// The distance from each lane's address to the next lane's; 0 if all lanes have one address.
    pub step: u64,
    pub first: usize,
    pub count: u64,
}

impl Access {
    /// The place of each lane of `exec`, for the `which`-th address.
    pub fn places(&self, wave: &Wave, exec: u64, which: usize, to: &mut [Place; LANES]) {
        let mut each = |place: &mut dyn FnMut(usize) -> Place| {
            for lane in lanes::each(exec) {
                to[lane] = place(lane);
            }
        };
        match self.space {
            Space::Address {
                row,
                base,
                offset,
                flat,
            } => {
                let start = starts(wave, row, base);
                // (Not by `each`, which would call a function for each lane.)
                for lane in lanes::each(exec) {
                    to[lane] = place(wave, start(lane), offset, flat);
                }
            }
            Space::Private { row, base, offset } => {
                let base = base.map_or(0, |base| wave.sgpr(base)).wrapping_add(offset);
                each(&mut |lane| {
                    Place::Private(row.map_or(0, |row| wave.vgpr(row, lane)).wrapping_add(base))
                });
            }
            Space::Lds { row, offsets } => {
                each(&mut |lane| Place::Lds(wave.vgpr(row, lane).wrapping_add(offsets[which])))
            }
            Space::Buffer { .. } => {
                let descriptor = self.descriptor(wave);
                each(&mut |lane| self.in_buffer(wave, &descriptor, lane));
            }
            Space::Scalar { .. } => {}
        }
    }

    /// The lanes of `exec`, if they lie beside each other and the address of each is as far behind that of the lane before. None if it may be
    /// otherwise.
    pub fn steps(&self, wave: &Wave, exec: u64) -> Option<Steps> {
        let Space::Address {
            row,
            base,
            offset,
            flat,
        } = self.space
        else {
            return None;
        };
        let Range { start: first, end } = lanes::stretch(exec)?;
        let count = end - first;
        let low = wave.vgpr_row(row);
        // The first lane begins anew, and no other one.
        let is_row = |row: &Row, step: u32| lanes::breaks(row, exec, step).is_power_of_two();
        if base.is_none() && !is_row(wave.vgpr_row(row + 1), 0) {
            return None;
        }
        let step = match count {
            1 => self.bytes,
            _ => low[first + 1].wrapping_sub(low[first]),
        };
        let all = step
            .checked_mul(count as u32 - 1)?
            .checked_add(self.bytes)?;
        low[first].checked_add(all)?;
        let Place::Memory(address) = place(wave, starts(wave, row, base)(first), offset, flat)
        else {
            return None;
        };
        is_row(low, step).then_some(Steps {
            address,
            step: step.into(),
            first,
            count: count as u64,
        })
    }

    fn descriptor(&self, wave: &Wave) -> Descriptor {
        match self.space {
            Space::Buffer {
                descriptor,
                since_gfx10,
                indexed,
                ..
            } => Descriptor::read(wave, descriptor, since_gfx10, indexed),
            Space::Scalar { base, .. } => Descriptor::read(wave, base, true, true),
            _ => Descriptor::read(wave, 0, true, true),
        }
    }

    fn in_buffer(&self, wave: &Wave, descriptor: &Descriptor, lane: usize) -> Place {
        let Space::Buffer {
            row,
            indexed,
            offset_in_row,
            scalar,
            offset,
            ..
        } = self.space
        else {
            return Place::Unknown;
        };
        if descriptor.unknown {
            return Place::Unknown;
        }
        let index = if indexed { wave.vgpr(row, lane) } else { 0 };
        let in_row = match offset_in_row {
            true => wave.vgpr(row + usize::from(indexed), lane),
            false => 0,
        };
        let scalar = match scalar {
            Some(At::Slot(slot)) => wave.sgpr(slot),
            Some(At::Constant(value)) => value as u32,
            _ => 0,
        };
        let (at, index) = (u64::from(in_row) + u64::from(offset), u64::from(index));
        if descriptor.private {
            // The scalar offset is of the interleaved memory.
            let start = descriptor.base.wrapping_add(u64::from(scalar));
            let own = start.wrapping_sub(wave.scratch_base);
            let lanes = u64::from(wave.wave_size());
            return match own.is_multiple_of(4 * lanes) {
                true => Place::Private((at as u32).wrapping_add((own / lanes) as u32)),
                false => Place::Unknown,
            };
        }
        let inside = match descriptor.in_records {
            true => index < descriptor.records,
            false => index * descriptor.stride + at + u64::from(self.bytes) <= descriptor.records,
        };
        match inside {
            true => Place::Memory(
                (descriptor.base + u64::from(scalar)).wrapping_add(index * descriptor.stride + at),
            ),
            false => Place::Nowhere,
        }
    }

    /// The address of a scalar load, and how many bytes from there on exist.
    pub fn scalar_address(&self, wave: &Wave) -> (u64, u64) {
        let Space::Scalar {
            base,
            offset_slot,
            offset,
            buffer,
        } = self.space
        else {
            return (0, 0);
        };
        let offset = offset_slot
            .map_or(0, |slot| u64::from(wave.sgpr(slot)))
            .wrapping_add(offset as u64);
        let aligned = if self.bytes >= 4 { !3 } else { !0 };
        if buffer {
            let descriptor = self.descriptor(wave);
            let size = descriptor.records * descriptor.stride.max(1);
            let offset = offset & aligned;
            return (
                descriptor.base.wrapping_add(offset),
                size.saturating_sub(offset),
            );
        }
        (pair(wave, base).wrapping_add(offset) & aligned, u64::MAX)
    }
}

/// The 64 bits in two scalar registers.
pub(crate) fn pair(wave: &Wave, low: usize) -> u64 {
    u64::from(wave.sgpr(low)) | u64::from(wave.sgpr(low + 1)) << 32
}

/// Tells each lane's address without the instruction's offset.
fn starts(wave: &Wave, row: usize, base: Option<usize>) -> impl Fn(usize) -> u64 {
    let low = wave.vgpr_row(row);
    let high = base.is_none().then(|| wave.vgpr_row(row + 1));
    let base = base.map_or(0, |base| pair(wave, base));
    move |lane| match high {
        Some(high) => u64::from(low[lane]) | u64::from(high[lane]) << 32,
        None => base.wrapping_add(low[lane].into()),
    }
}

#[inline]
fn place(wave: &Wave, start: u64, offset: i64, flat: bool) -> Place {
    let at = start.wrapping_add(offset as u64);
    if flat {
        let aperture = start & !0xffff_ffff;
        if aperture == wave.shared_aperture && aperture != 0 {
            return Place::Lds(at as u32);
        }
        if aperture == wave.private_aperture && aperture != 0 {
            return Place::Private(at as u32);
        }
    }
    Place::Memory(wave::host_address(at))
}
