//! The homes of values of the kernel's entry. SGPRs that are free for the whole kernel come first. Then come SGPRs that hold a value
//! at the entry alone, from where it goes to a lane.

use crate::Refusal;
use crate::encode::Encodings;
use crate::entry::{EntryValues, refused};
use crate::frame;
use crate::instruction::{Instruction, InstructionSink, Op};
use crate::lower::fixed;
use crate::registers::{Home, RegisterPool};
use template::RegisterFile;

/// VGPRs that a wave may start with something in.
const WORKITEM_VGPRS: u16 = 3;
/// See the module.
pub(crate) struct EntryHomes<'a> {
    supply: &'a mut RegisterPool,
    /// Registers below this are where values arrive.
    end: u16,
    wave_size: u8,
    vgpr: Option<u16>,
    /// Where VGPRs may be spilled, if they may, and whether values go there.
    scratch: Option<u32>,
    stored: bool,
    /// SGPRs of the entry alone, in the order of their lanes.
    passing: Vec<u16>,
}

impl<'a> EntryHomes<'a> {
    /// None yet. `end`: values arrive below; `scratch`: where VGPRs may be spilled, if they may.
    pub fn new(
        supply: &'a mut RegisterPool,
        end: u16,
        wave_size: u8,
        scratch: Option<u32>,
    ) -> EntryHomes<'a> {
        EntryHomes {
            supply,
            end,
            wave_size,
            vgpr: None,
            scratch,
            stored: false,
            passing: Vec::new(),
        }
    }

    pub fn place(&mut self, width: u16) -> Result<u16, Refusal> {
        if self.vgpr.is_none() && !self.stored {
            // Behind all that arrives, so that nothing is overwritten before it is moved.
            let kept = self.supply.keep(RegisterFile::Sgpr, width, width, self.end);
            if let Some(first) = kept {
                return Ok(first);
            }
            self.vgpr = self.supply.keep(RegisterFile::Vgpr, 1, 1, 0);
            self.stored = self.vgpr.is_none();
            if self.stored && self.scratch.is_none() {
                return Err(Refusal::Full {
                    what: "values of the kernel's entry",
                    reason: "no SGPR is free for the whole kernel, nor a VGPR whose lanes could take them",
                });
            }
        }
        if self.passing.len() + usize::from(width) > usize::from(self.wave_size) {
            return Err(refused("there are more than a VGPR has lanes"));
        }
        let first = self.pass(width)?;
        self.passing.extend(first..first + width);
        Ok(first)
    }

    /// SGPRs of the entry alone. Nothing of the application is alive yet but what arrives.
    fn pass(&mut self, width: u16) -> Result<u16, Refusal> {
        let mut free = self.supply.all_at_end();
        free.withhold(RegisterFile::Sgpr, 0, self.end);
        for &register in &self.passing {
            free.withhold(RegisterFile::Sgpr, register, 1);
        }
        let first = free
            .take(RegisterFile::Sgpr, width, width, 256)
            .ok_or_else(|| refused("no SGPRs are free at the entry"))?;
        self.supply.use_up(RegisterFile::Sgpr, first + width);
        Ok(first)
    }

    /// A VGPR likewise: its lanes are to be left in scratch.
    fn pass_vector(&mut self) -> Result<u16, Refusal> {
        let mut free = self.supply.all_at_end();
        free.withhold(RegisterFile::Vgpr, 0, WORKITEM_VGPRS);
        let first = free.take(RegisterFile::Vgpr, 1, 1, 256);
        let first = first.ok_or_else(|| refused("no VGPR is free at the entry"))?;
        self.supply.use_up(RegisterFile::Vgpr, first + 1);
        Ok(first)
    }

    /// Sends what passes to its lanes.
    pub fn settle(
        mut self,
        codes: &Encodings,
        kept: &mut EntryValues,
        code: &mut Vec<Instruction>,
    ) -> Result<(), Refusal> {
        let vgpr = match self.vgpr {
            Some(vgpr) => vgpr,
            None if self.stored => self.pass_vector()?,
            None => return Ok(()),
        };
        for (lane, &register) in (0..).zip(&self.passing) {
            code.write_lane(vgpr, lane, register);
        }
        fixed(codes, code, Op::LaneGap);
        if let Some(scratch) = self.scratch.filter(|_| self.stored) {
            let address = self.pass(1)?;
            frame::leave(vgpr, address, scratch, codes, code);
            kept.stored = self.passing.len() as u16;
        }
        for home in kept.homes() {
            let Home::Scalar(first) = *home else { continue };
            if let Some(lane) = self.passing.iter().position(|register| *register == first) {
                *home = match self.stored {
                    true => Home::Stored(lane as u16),
                    false => Home::Lane(vgpr, lane as u16),
                };
            }
        }
        Ok(())
    }
}
