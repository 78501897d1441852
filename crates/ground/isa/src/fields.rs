//! Bit fields of single instructions that no operand shows, as the ISA manuals lay them out.

use crate::{Decoded, Effects, Format};
use gfx::{Family, Target};

/// What SDWA does with the part of the destination that it does not write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SdwaDestination {
    /// The whole register is written.
    pub whole: bool,
    /// The rest stays.
    pub preserves: bool,
}

impl Decoded {
    /// The constant of SOPK and SOPP.
    pub fn constant(&self) -> u32 {
        self.words[0] & 0xffff
    }

    /// The number of the destination of SOP1, SOP2 and SOPK.
    pub fn scalar_destination(&self) -> u16 {
        (self.words[0] >> 16 & 0x7f) as u16
    }

    /// `s_nop`: how many wait states pass.
    pub fn wait_states(&self) -> u32 {
        (self.words[0] & 0xf) + 1
    }

    /// `s_clause`: how many instructions it holds together.
    pub fn clause_length(&self) -> u32 {
        (self.words[0] & 0x3f) + 1
    }

    /// `s_getreg` and `s_setreg`: the number of the hardware register.
    pub fn hardware_register(&self) -> u32 {
        self.words[0] & 0x3f
    }

    /// VINTERP: until so many exports are left it waits.
    pub fn interpolation_wait(&self) -> u32 {
        self.words[0] >> 8 & 7
    }

    /// `s_waitcnt_depctr` and `s_wait_alu`: how many results of the vector unit may be outstanding.
    pub fn vector_results(&self) -> u32 {
        self.words[0] >> 12 & 0xf
    }

    /// VOP3: `op_sel` chooses the upper half of the destination.
    pub fn writes_upper_half(&self) -> bool {
        self.format == Format::Vop3 && self.words[0] >> 14 & 1 == 1
    }

    /// What an SDWA control dword says of the destination. A comparison has none.
    pub fn sdwa_destination(&self) -> Option<SdwaDestination> {
        const DWORD: u32 = 6;
        const PRESERVE: u32 = 2;
        let has = self.effects.contains(Effects::SDWA) && self.format != Format::Vopc;
        has.then(|| SdwaDestination {
            whole: self.words[1] >> 8 & 7 == DWORD,
            preserves: self.words[1] >> 11 & 3 == PRESERVE,
        })
    }

    /// DS: it accesses the global data share.
    pub fn has_gds_bit(&self, target: &Target) -> bool {
        let bit = match target.family {
            Family::Gfx9 => 16,
            Family::Gfx10 | Family::Gfx10_3 | Family::Gfx11 => 17,
            Family::Gfx12 | Family::Gfx12_5 => return false,
        };
        self.format == Format::Ds && self.words[0] >> bit & 1 == 1
    }
}
