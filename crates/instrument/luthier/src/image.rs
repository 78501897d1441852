//! Accesses to images: what a hook needs to work out their addresses.
//!
//! Size, format and layout are in a descriptor and coordinates in registers. `luthier::image_address` of `luthier_device.h` does
//! what the hardware does for loads and stores of linear images, given the registers, and else says where the image begins.

use crate::{Argument, Instruction, buffer::register};
use gfx::Family;
use isa::{Format, Operand, Reg, RegKind};

/// Flags of `luthier::image_address`.
const TEXELS: u64 = 1;
const SINCE_GFX10: u64 = 2;
const ARRAY: u64 = 4;
const HALVES: u64 = 8;
const LEVEL: u64 = 16;
/// Shift of the type that the instruction takes the image for.
const TYPE: u64 = 8;

/// Parameters of `luthier::image_address` behind the first two.
pub const IMAGE_ARGUMENTS: usize = 12;

/// Words of a descriptor that say where texels are; a descriptor has eight, or four for some purposes.
const WORDS: u16 = 7;
const WHOLE_DESCRIPTOR: u8 = 8;

/// Address registers with coordinates and a level.
const COORDINATES: usize = 4;

/// Instructions that name a texel by integers, and whether a level follows them.
const BY_TEXEL: &[(&str, bool)] = &[
    ("image_load", false),
    ("image_load_mip", true),
    ("image_store", false),
    ("image_store_mip", true),
];

/// gfx10's dimensions of an instruction, as types of descriptors.
const DIMENSIONS: [u64; 8] = [8, 9, 10, 11, 12, 13, 14, 15];

impl Instruction<'_> {
    /// Arguments for `luthier::image_address`: the descriptor's first seven words, four address registers, flags. `None` if
    /// the instruction does not access an image.
    pub fn image_arguments(&self) -> Option<[Argument; IMAGE_ARGUMENTS]> {
        let inst = self.decoded();
        if inst.format != Format::Mimg || !self.is_memory() {
            return None;
        }
        // A sampler's descriptor, of four words, comes behind the image's.
        let descriptor = inst.operands.iter().find_map(|operand| match operand {
            Operand::Use(reg) if reg.kind == RegKind::Sgpr => Some(*reg),
            _ => None,
        })?;
        let texels = self.texels(descriptor);
        let words = if texels.is_some() { WORDS } else { 2 };
        let mut arguments = [const { Argument::Constant(0) }; IMAGE_ARGUMENTS];
        for word in 0..words {
            let index = descriptor.index + word;
            arguments[usize::from(word)] = Argument::Register(register(RegKind::Sgpr, index));
        }
        if let Some((flags, coordinates)) = texels {
            let first = usize::from(WORDS);
            for (argument, index) in arguments[first..].iter_mut().zip(coordinates) {
                *argument = Argument::Register(register(RegKind::Vgpr, index));
            }
            arguments[first + COORDINATES] = Argument::Constant(flags);
        }
        Some(arguments)
    }

    /// Flags and address registers, if the address of a texel can be worked out from them.
    fn texels(&self, descriptor: Reg) -> Option<(u64, [u16; COORDINATES])> {
        let inst = self.decoded();
        let family = self.family();
        if descriptor.width != WHOLE_DESCRIPTOR || family >= Family::Gfx11 {
            return None;
        }
        let (_, level) = BY_TEXEL.iter().find(|row| row.0 == inst.mnemonic())?;
        let [low, high, listed, ..] = inst.words;
        let first = (high & 0xff) as u16;
        let flag = |set: bool, flag: u64| if set { flag } else { 0 };
        let mut flags = TEXELS | flag(*level, LEVEL);
        let mut coordinates = std::array::from_fn(|index| first + index as u16);
        if family == Family::Gfx9 {
            flags |= flag(low >> 14 & 1 != 0, ARRAY) | flag(low >> 15 & 1 != 0, HALVES);
        } else {
            let dimensions = DIMENSIONS[(low >> 3 & 7) as usize];
            flags |= SINCE_GFX10 | dimensions << TYPE | flag(high >> 30 & 1 != 0, HALVES);
            // Registers that do not follow each other are listed behind the first.
            if low >> 1 & 3 != 0 {
                for (index, coordinate) in coordinates[1..].iter_mut().enumerate() {
                    *coordinate = (listed >> (8 * index) & 0xff) as u16;
                }
            }
        }
        // How many of them are used only the descriptor tells on gfx9. The others are any that the wave has.
        let last = self.vgprs()?.saturating_sub(1).min(255) as u16;
        Some((flags, coordinates.map(|index| index.min(last))))
    }
}

/// Returns `true` if single texels may be told by these [`Instruction::image_arguments`].
pub fn names_texels(arguments: &[Argument; IMAGE_ARGUMENTS]) -> bool {
    arguments[IMAGE_ARGUMENTS - 1] != Argument::Constant(0)
}
