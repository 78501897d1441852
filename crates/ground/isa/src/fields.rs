//! Bit fields of instructions, as the ISA manuals lay them out: those of memory instructions, and those that no operand shows.

use crate::{Decoded, Effects, Format, Known};
use gfx::{Family, Target};

mod memory;
mod policy;

pub use memory::{Buffer, Ds, Flat, Image, MOST_ADDRESSES, Smem};
pub use policy::{cache_policy, has_scope_bits};

/// Bits `high..=low` of `word`.
#[inline]
pub fn bits(word: u32, high: u32, low: u32) -> u32 {
    (word >> low) & (((1u64 << (high - low + 1)) - 1) as u32)
}

/// Sign-extends the low `width` bits.
#[inline]
pub fn signed(value: u32, width: u32) -> i32 {
    ((value << (32 - width)) as i32) >> (32 - width)
}

/// The treatment of the part of the destination that SDWA does not write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SdwaDestination {
    /// The whole register is written.
    pub whole: bool,
    /// The rest stays.
    pub preserves: bool,
}

/// The events inside the processor for which `s_waitcnt_depctr` and `s_wait_alu` wait, by the names of LLVM's
/// assembler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depctr {
    /// Results of the scalar unit in scalar registers.
    SaSdst,
    /// Results of the vector unit in VCC.
    VaVcc,
    /// Reads of vector registers by memory instructions.
    VmVsrc,
    /// Results of the vector unit in scalar registers.
    VaSdst,
    /// Results of the vector unit in vector registers.
    VaVdst,
}

/// Lowest bit and number of bits.
const DEPCTR: &[(Depctr, u32, u32)] = &[
    (Depctr::SaSdst, 0, 1),
    (Depctr::VaVcc, 1, 1),
    (Depctr::VmVsrc, 2, 3),
    (Depctr::VaSdst, 9, 3),
    (Depctr::VaVdst, 12, 4),
];

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

    /// Returns `true` if it is `s_waitcnt_depctr` or `s_wait_alu`, and waits until none of these is outstanding.
    pub fn awaits(&self, depctr: Depctr) -> bool {
        let waits = matches!(
            self.op.known(),
            Some(Known::SWaitcntDepctr | Known::SWaitAlu)
        );
        let row = DEPCTR.iter().find(|row| row.0 == depctr);
        waits && row.is_some_and(|&(_, bit, bits)| self.words[0] >> bit & ((1 << bits) - 1) == 0)
    }

    /// `s_set_gpr_idx_on` and `s_set_gpr_idx_mode`: for which operands it enables the index, one bit each.
    pub fn index_enables(&self) -> Option<u8> {
        // In the place of a second source, or in the immediate.
        let enables = match self.op.known()? {
            Known::SSetGprIdxOn => self.words[0] >> 8,
            Known::SSetGprIdxMode => self.words[0],
            _ => return None,
        };
        Some((enables & 0xf) as u8)
    }

    /// MUBUF and MTBUF: what addresses are made from, and the rest.
    pub fn buffer(&self, family: Family) -> Option<Buffer> {
        match self.format {
            Format::Mubuf => Some(Buffer::decode(self, family, false)),
            Format::Mtbuf => Some(Buffer::decode(self, family, true)),
            _ => None,
        }
    }

    /// VOP3: `op_sel` chooses the upper half of the destination.
    pub fn writes_upper_half(&self) -> bool {
        self.format == Format::Vop3 && self.words[0] >> 14 & 1 == 1
    }

    /// The destination that an SDWA control dword selects. A comparison has none.
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
        self.format == Format::Ds && Ds::decode(self, target.family).gds
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Assembler, Decoder};

    /// LLVM's assembler puts each of them into its field.
    #[test]
    fn llvm_writes_the_same_fields() {
        let names = [
            ("sa_sdst", Depctr::SaSdst),
            ("va_vcc", Depctr::VaVcc),
            ("vm_vsrc", Depctr::VmVsrc),
            ("va_sdst", Depctr::VaSdst),
            ("va_vdst", Depctr::VaVdst),
        ];
        let since_gfx10 = |target: &&Target| target.family >= Family::Gfx10;
        for target in gfx::TARGETS.iter().filter(since_gfx10) {
            let assembler = Assembler::new(target).expect("LLVM knows it");
            let decoder = Decoder::new(target).expect("LLVM knows it");
            let instruction = match target.family >= Family::Gfx12 {
                true => "s_wait_alu",
                false => "s_waitcnt_depctr",
            };
            for (name, expected) in names {
                let code = assembler
                    .assemble(&format!("{instruction} depctr_{name}(0)"))
                    .unwrap_or_else(|error| panic!("{}: {error:?}", target.name));
                let inst = decoder.decode(&code, 0).expect("an instruction");
                let waits = names.map(|row| row.1).map(|row| inst.awaits(row));
                let only = names.map(|row| row.1 == expected);
                assert_eq!(waits, only, "{}: {name}", target.name);
            }
        }
    }
}
