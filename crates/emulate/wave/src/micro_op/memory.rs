//! Instructions that access memory other than images.

use gfx::Family;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::access::lanes::Fill;

/// Families as handlers need to tell them apart.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    FromBytes,
    Immutable,
    IntoBytes,
    KnownLayout,
)]
#[repr(transparent)]
pub(crate) struct Generation(u8);

impl Generation {
    pub const GFX9: Generation = Generation(9);
    pub const GFX10: Generation = Generation(10);
    pub const GFX11: Generation = Generation(11);
    pub const GFX12: Generation = Generation(12);

    /// The generation of `family`.
    pub fn new(family: Family) -> Generation {
        match family {
            Family::Gfx9 => Generation::GFX9,
            Family::Gfx10 | Family::Gfx10_3 => Generation::GFX10,
            Family::Gfx11 => Generation::GFX11,
            _ => Generation::GFX12,
        }
    }
}

/// How vector memory instructions form addresses, where one handler does for several ways.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, Immutable, IntoBytes, KnownLayout,
)]
#[repr(transparent)]
pub(crate) struct Space(u8);

impl Space {
    pub const GLOBAL: Space = Space(0);
    pub const FLAT: Space = Space(1);
    pub const BUFFER: Space = Space(2);
}

/// A row's description of the data of its instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Data {
    /// Whole registers, or the low bytes of one that is stored.
    Plain,
    /// Loads of 8 or 16 bits: how they fill the register.
    Fill(Fill),
    /// Stores of 8 or 16 bits from the upper half of a register.
    Upper,
    /// Atomics of LDS that return the old value.
    Returned,
    /// Atomics of all other memory.
    Atomic(Space),
    /// Components that are converted from or to a format.
    Converted {
        components: u8,
        /// The instruction names the format, not the descriptor.
        typed: bool,
        /// Components are halves.
        d16: bool,
        /// The only one is in the upper half of its register.
        upper: bool,
    },
}

impl Data {
    /// The same where SRAM ECC forbids to write half a register.
    pub fn with_ecc(self) -> Data {
        match self {
            Data::Fill(fill) => Data::Fill(fill.with_ecc()),
            other => other,
        }
    }

    fn fill(self) -> u8 {
        match self {
            Data::Fill(fill) => fill as u8,
            _ => Fill::Zero as u8,
        }
    }

    fn is_upper(self) -> bool {
        matches!(self, Data::Upper | Data::Converted { upper: true, .. })
    }
}

/// FLAT, GLOBAL, SCRATCH and buffer instructions.
#[derive(Clone, Copy, Debug, Default, FromBytes, Immutable, IntoBytes, KnownLayout)]
#[repr(C)]
pub(crate) struct VectorMemory {
    /// Bytes; of buffers without a sign.
    pub offset: i32,
    /// The format that a typed buffer instruction names, as encoded.
    pub format: u32,
    pub generation: Generation,
    pub space: Space,
    /// Components that are converted.
    pub components: u8,
    fill: u8,
    upper: u8,
    typed: u8,
    d16: u8,
    glc: u8,
    scalar_base: u8,
    no_vector_address: u8,
    buffer_address: u8,
    _reserved: [u8; 9],
}

/// Bits of [`VectorMemory::buffer_address`].
mod buffer_address {
    pub const OFFEN: u8 = 1;
    pub const IDXEN: u8 = 2;
}

impl VectorMemory {
    /// An instruction with this data.
    pub fn new(generation: Generation, data: Data, glc: bool) -> VectorMemory {
        let mut op = VectorMemory {
            generation,
            fill: data.fill(),
            upper: data.is_upper().into(),
            glc: glc.into(),
            ..VectorMemory::default()
        };
        match data {
            Data::Atomic(space) => op.space = space,
            Data::Converted {
                components,
                typed,
                d16,
                ..
            } => {
                op.components = components;
                op.typed = typed.into();
                op.d16 = d16.into();
            }
            Data::Plain | Data::Fill(_) | Data::Upper | Data::Returned => {}
        }
        op
    }

    /// FLAT, GLOBAL and SCRATCH: whether there is a scalar base, and whether there is a vector address.
    pub fn flat(self, offset: i32, scalar_base: bool, vector_address: bool) -> VectorMemory {
        VectorMemory {
            offset,
            scalar_base: scalar_base.into(),
            no_vector_address: (!vector_address).into(),
            ..self
        }
    }

    /// Buffers: whether the address registers hold an offset, and whether they hold an index.
    pub fn buffer(self, offset: u32, offen: bool, idxen: bool, format: u32) -> VectorMemory {
        VectorMemory {
            offset: offset as i32,
            format,
            buffer_address: (u8::from(offen) * buffer_address::OFFEN)
                | (u8::from(idxen) * buffer_address::IDXEN),
            ..self
        }
    }

    /// How a load of 8 or 16 bits fills the register.
    #[inline(always)]
    pub fn fill(&self) -> Fill {
        Fill::from_code(self.fill)
    }

    /// First bit of a register from which 8 or 16 bits are stored.
    #[inline(always)]
    pub fn store_shift(&self) -> u32 {
        16 * u32::from(self.upper)
    }

    /// The component is in the upper half of its register.
    pub fn is_upper(&self) -> bool {
        self.upper != 0
    }

    /// The instruction names the format, not the descriptor.
    pub fn is_typed(&self) -> bool {
        self.typed != 0
    }

    /// Components are halves.
    pub fn d16(&self) -> bool {
        self.d16 != 0
    }

    /// The atomic returns the old value. For atomics, GLC is no hint for caches.
    #[inline(always)]
    pub fn returns(&self) -> bool {
        self.glc != 0
    }

    /// FLAT, GLOBAL and SCRATCH: addresses are a scalar base (source 2) plus 32-bit offsets.
    #[inline(always)]
    pub fn has_scalar_base(&self) -> bool {
        self.scalar_base != 0
    }

    /// SCRATCH: there is a vector address. gfx10 has `off, off`.
    #[inline(always)]
    pub fn has_vector_address(&self) -> bool {
        self.no_vector_address == 0
    }

    /// Buffers: an address register holds an offset.
    #[inline(always)]
    pub fn offen(&self) -> bool {
        self.buffer_address & buffer_address::OFFEN != 0
    }

    /// Buffers: the first address register holds an index.
    #[inline(always)]
    pub fn idxen(&self) -> bool {
        self.buffer_address & buffer_address::IDXEN != 0
    }

    /// Buffers: the address register holds an offset alone.
    #[inline(always)]
    pub fn is_offset_alone(&self) -> bool {
        self.buffer_address == buffer_address::OFFEN
    }
}

/// DS instructions.
#[derive(Clone, Copy, Debug, Default, FromBytes, Immutable, IntoBytes, KnownLayout)]
#[repr(C)]
pub(crate) struct Lds {
    /// Bytes, or two numbers of elements in bits 7:0 and 15:8.
    pub offset: u32,
    pub generation: Generation,
    fill: u8,
    upper: u8,
    returns: u8,
    bounds: [u32; 2],
    /// 0: the addresses are not looked at.
    bounds_bytes: u32,
    _reserved: [u32; 2],
}

/// The places in LDS that a DS instruction is going to access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LdsBounds {
    /// Bytes from each address; both the same if there is one access.
    pub offsets: [u32; 2],
    /// Bytes of each access.
    pub bytes: u32,
}

impl Lds {
    /// An instruction with this offset field and data.
    pub fn new(generation: Generation, data: Data, offset: u16) -> Lds {
        Lds {
            offset: offset.into(),
            generation,
            fill: data.fill(),
            upper: data.is_upper().into(),
            returns: (data == Data::Returned).into(),
            ..Lds::default()
        }
    }

    /// The two numbers of elements.
    #[inline(always)]
    pub fn offsets(&self) -> [u32; 2] {
        [self.offset & 0xff, self.offset >> 8 & 0xff]
    }

    /// How a load of 8 or 16 bits fills the register.
    #[inline(always)]
    pub fn fill(&self) -> Fill {
        Fill::from_code(self.fill)
    }

    /// First bit of a register from which 8 or 16 bits are stored.
    #[inline(always)]
    pub fn store_shift(&self) -> u32 {
        16 * u32::from(self.upper)
    }

    /// The atomic returns the old value.
    #[inline(always)]
    pub fn returns(&self) -> bool {
        self.returns != 0
    }

    /// The bytes that the instruction accesses, on a device where they have to lie in the workgroup's LDS.
    #[inline(always)]
    pub fn bounds(&self) -> Option<LdsBounds> {
        (self.bounds_bytes != 0).then_some(LdsBounds {
            offsets: self.bounds,
            bytes: self.bounds_bytes,
        })
    }

    /// From now on the instruction has to stay in the workgroup's LDS.
    pub fn bind(&mut self, bounds: LdsBounds) {
        self.bounds = bounds.offsets;
        self.bounds_bytes = bounds.bytes;
    }
}

/// The access that a DS instruction is going to make.
#[derive(Clone, Copy, Debug, Default, FromBytes, Immutable, IntoBytes, KnownLayout)]
#[repr(C)]
pub(crate) struct LdsNote {
    /// Bytes from each address; both the same if there is one access.
    pub offsets: [u32; 2],
    /// Bytes of each access.
    pub bytes: u32,
    /// First bit of the register from which a part is stored.
    pub shift: u32,
    /// A read, a write, or an atomic: 0, 1, 2.
    pub access: u8,
    flags: u8,
    /// The place of the values of an atomic that can take a lock.
    pub swap: u8,
    _reserved: u8,
    /// The address of the instruction, in two words.
    pc: [u32; 2],
}

impl LdsNote {
    /// A loop does nothing but this until the word changes.
    pub const POLLS: u8 = 1;
    /// The instruction writes a register.
    pub const RETURNS: u8 = 2;
    /// The kernel polls words of LDS, so that this may be what a wave waits for.
    pub const PUBLISHES: u8 = 4;
    /// The stored bytes come from memory.
    pub const LOADS: u8 = 8;
    /// A read of whole dwords at the addresses in a register, in a kernel that polls no word of LDS.
    pub const PLAIN: u8 = 16;

    /// The bytes at both offsets, what is stored, and the access of the instruction at `pc` with its flags.
    pub fn new(
        pc: u64,
        bounds: LdsBounds,
        shift: u32,
        (access, flags, swap): (u8, u8, u8),
    ) -> LdsNote {
        LdsNote {
            pc: [pc as u32, (pc >> 32) as u32],
            offsets: bounds.offsets,
            bytes: bounds.bytes,
            shift,
            access,
            flags,
            swap,
            ..LdsNote::default()
        }
    }

    #[inline(always)]
    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// The address of the instruction.
    #[inline(always)]
    pub fn pc(&self) -> u64 {
        u64::from(self.pc[1]) << 32 | u64::from(self.pc[0])
    }
}

/// The reads of its segment that one note is of.
#[derive(Clone, Copy, Debug, Default, FromBytes, Immutable, IntoBytes, KnownLayout)]
#[repr(C)]
pub(crate) struct ReadsNumber {
    /// Which ones.
    pub number: u32,
    _reserved: [u32; 6],
}

impl ReadsNumber {
    /// Number `number` of the segment's list of them.
    pub fn new(number: usize) -> ReadsNumber {
        ReadsNumber {
            number: number as u32,
            ..ReadsNumber::default()
        }
    }
}

/// SMEM instructions.
#[derive(Clone, Copy, Debug, Default, FromBytes, Immutable, IntoBytes, KnownLayout)]
#[repr(C)]
pub(crate) struct ScalarMemory {
    /// Bytes.
    pub offset: i32,
    glc: u8,
    buffer: u8,
    _reserved: [u8; 22],
}

impl ScalarMemory {
    /// An access at this offset from an address, or in a buffer.
    pub fn new(offset: i32, buffer: bool, glc: bool) -> ScalarMemory {
        ScalarMemory {
            offset,
            glc: glc.into(),
            buffer: buffer.into(),
            ..ScalarMemory::default()
        }
    }

    /// The base is a buffer resource.
    pub fn in_buffer(&self) -> bool {
        self.buffer != 0
    }

    /// The atomic returns the old value. For atomics, GLC is no hint for caches.
    pub fn returns(&self) -> bool {
        self.glc != 0
    }
}
