//! Registers for a hook, one group after the other: free ones, dead ones, and live ones that are spilled.

use crate::Refusal;
use crate::allocate::Allocation;
use crate::lower::Lowering;
use crate::registers::{FileMask, in_a_row};
use lift::registers::SGPR_COUNT;
use template::RegisterFile;

/// The first `width` registers in a row, all below `limit`, that are not in use.
fn first_run(in_use: &FileMask, width: u16, alignment: u16, limit: u16) -> Option<u16> {
    in_a_row(&FileMask::FULL.without(in_use), width, alignment, 0, limit)
}

impl Lowering<'_, '_> {
    pub fn take(
        &mut self,
        chosen: &mut Allocation<'_>,
        file: RegisterFile,
        width: u16,
        alignment: u16,
        limit: u16,
        all_lanes: bool,
    ) -> Result<u16, Refusal> {
        if !chosen.dead_given {
            if let Some(first) = chosen.free.take(file, width, alignment, limit) {
                self.supply.use_up(file, first + width);
                chosen.use_up(file, first, width);
                return Ok(first);
            }
            chosen.dead_given = true;
            let limits = self.supply.allocated;
            chosen.give_dead(limits);
        }
        // Dead ones are free now, too; where all lanes are written, those that are dead in all lanes.
        let mut free = if all_lanes || chosen.wanted.exec {
            chosen.wholly_free()
        } else {
            chosen.free
        };
        if let Some(first) = free.take(file, width, alignment, limit) {
            chosen.free.withhold(file, first, width);
            chosen.use_up(file, first, width);
            self.supply.use_up(file, first + width);
            return Ok(first);
        }
        if file == RegisterFile::Sgpr
            && let Some(first) = self.save_scalars(chosen, width, alignment, limit)
        {
            return Ok(first);
        }
        if file == RegisterFile::Vgpr && chosen.wanted.exec && !all_lanes {
            let state = chosen.clone();
            match self.save_first_lanes(chosen, width, alignment, limit) {
                Err(_) if self.scratch.is_some() => *chosen = state,
                result => return result,
            }
        }
        if file == RegisterFile::Vgpr
            && !all_lanes
            && let Some(first) = self.save_in_scratch(chosen, width, alignment, limit)
        {
            return Ok(first);
        }
        Err(chosen.none_free(file, width))
    }

    /// Live SGPRs that are spilled in lanes of a VGPR.
    fn save_scalars(
        &mut self,
        chosen: &mut Allocation<'_>,
        width: u16,
        alignment: u16,
        limit: u16,
    ) -> Option<u16> {
        if self.spill.is_none() {
            // Not one that was already chosen for something else at this place.
            let mut free = self.supply.all();
            free.withhold_vectors(&chosen.in_use_vectors);
            self.spill = free
                .take(RegisterFile::Vgpr, 1, 1, 256)
                .and_then(|first| self.supply.keep(RegisterFile::Vgpr, 1, 1, first));
        }
        if chosen.spill.is_none() {
            // One that is dead in all lanes at this place will do as well.
            let dead = || chosen.wholly_free().take(RegisterFile::Vgpr, 1, 1, 256);
            chosen.spill = self.spill.or_else(dead);
        }
        // The application needs all VGPRs: one of them in scratch.
        if chosen.spill.is_none() {
            let frame = match chosen.frame {
                None => self.choose_frame(chosen, false),
                known => known,
            };
            chosen.spill = frame.map(|frame| frame.vgpr);
        }
        let spill = chosen.spill?;
        chosen.free.withhold(RegisterFile::Vgpr, spill, 1);
        chosen.use_up(RegisterFile::Vgpr, spill, 1);
        self.supply.use_up(RegisterFile::Vgpr, spill + 1);
        // A frame has what the entry left in its first lanes.
        let loaded = chosen
            .frame
            .filter(|frame| frame.loads && frame.vgpr == spill);
        let next = chosen.saved.len() as u16 + loaded.map_or(0, |_| self.entry.stored);
        if next + width > u16::from(chosen.place.wave_size) {
            return None;
        }
        let limit = limit.min(self.codes.target.sgpr_addressable);
        let first = first_run(&chosen.in_use, width, alignment, limit)?;
        for offset in 0..width {
            chosen.saved.push((next + offset, first + offset));
        }
        // One of several may be dead, and must not be given out again.
        chosen.free.withhold(RegisterFile::Sgpr, first, width);
        chosen.use_up(RegisterFile::Sgpr, first, width);
        self.report.saved_scalars += u32::from(width);
        Some(first)
    }

    /// Live VGPRs of which a hook in lane 0 uses lane 0 only, which is spilled in SGPRs.
    fn save_first_lanes(
        &mut self,
        chosen: &mut Allocation<'_>,
        width: u16,
        alignment: u16,
        limit: u16,
    ) -> Result<u16, Refusal> {
        let limit = limit.min(self.supply.allocated.1);
        let first = first_run(&chosen.in_use_vectors, width, alignment, limit);
        let first = first.ok_or_else(|| chosen.none_free(RegisterFile::Vgpr, width))?;
        chosen.use_up(RegisterFile::Vgpr, first, width);
        chosen.free.withhold(RegisterFile::Vgpr, first, width);
        for vgpr in first..first + width {
            let scalar = self.take(chosen, RegisterFile::Sgpr, 1, 1, SGPR_COUNT, false)?;
            chosen.saved_lanes.push((vgpr, scalar));
        }
        self.report.saved_lanes += u32::from(width);
        Ok(first)
    }

    /// Live VGPRs that are spilled in scratch, in the lanes that the hook runs in.
    fn save_in_scratch(
        &mut self,
        chosen: &mut Allocation<'_>,
        width: u16,
        alignment: u16,
        limit: u16,
    ) -> Option<u16> {
        self.scratch?;
        if chosen.in_scratch.len() + usize::from(width) > usize::from(self.spill_slots) {
            return None;
        }
        let limit = limit.min(self.supply.allocated.1);
        let first = first_run(&chosen.in_use_vectors, width, alignment, limit)?;
        chosen.use_up(RegisterFile::Vgpr, first, width);
        chosen.free.withhold(RegisterFile::Vgpr, first, width);
        chosen.in_scratch.extend(first..first + width);
        self.report.saved_vectors += u32::from(width);
        Some(first)
    }
}
