//! Registers for inserted code: those that nothing in the kernel ever names.

use crate::Refusal;
use codeobj::resources::{WorkgroupSizes, resources};
use codeobj::{KernelDescriptor, metadata::KernelEntry};
use gfx::Family;
use lift::{Bits, NamedRegisters, registers::AGPR_BASE};
use template::RegisterFile;

/// VCC, FLAT_SCRATCH and XNACK_MASK, at the end of a wave's SGPRs on gfx9.
const SPECIAL_SGPRS: u32 = 6;

/// A set of registers of one file.
pub(crate) type FileMask = Bits<4>;

/// What is free for the whole kernel, and how far the register files have been used.
#[derive(Clone, Debug)]
pub(crate) struct RegisterPool {
    sgprs: FileMask,
    vgprs: FileMask,
    agprs: FileMask,
    /// One more than the highest number handed out.
    pub sgprs_used: u16,
    pub vgprs_used: u16,
    /// SGPRs and VGPRs that the kernel is given without us.
    pub allocated: (u16, u16),
    /// SGPRs that keep a value for the wave's whole life.
    pub kept_scalars: FileMask,
    pub kept_vectors: FileMask,
}

/// Where 32 bits are for a wave's whole life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    Scalar(u16),
    /// VGPR and lane.
    Lane(u16, u16),
    /// Lane of the VGPR that a frame loads.
    Stored(u16),
}

impl Home {
    /// Where the value's dword `index` is, if this is where its first is.
    pub fn dword(self, index: u16) -> Home {
        match self {
            Home::Scalar(first) => Home::Scalar(first + index),
            Home::Lane(vgpr, first) => Home::Lane(vgpr, first + index),
            Home::Stored(first) => Home::Stored(first + index),
        }
    }
}

/// Registers that are not to be given out again at one place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreeRegisters {
    sgprs: FileMask,
    vgprs: FileMask,
    agprs: FileMask,
}

/// Registers that the descriptor asks for: VGPRs without AccVGPRs of a unified file, and those.
pub(crate) fn vector_registers(descriptor: &KernelDescriptor) -> (u32, u32) {
    let all = descriptor.vgpr_count();
    match descriptor.accum_offset() {
        Some(offset) if offset < all => (offset, all - offset),
        _ => (all, 0),
    }
}

impl RegisterPool {
    pub fn new(
        named: &NamedRegisters,
        descriptor: &KernelDescriptor,
        metadata: Option<KernelEntry<'_>>,
    ) -> RegisterPool {
        let target = descriptor.target();
        let (vgprs, agprs) = vector_registers(descriptor);
        let fitting = most_vgprs(descriptor, metadata);
        let vgpr_limit = fitting.saturating_sub(agprs).min(256) as u16;
        // One remains for what `apply` adds.
        let room = u16::from(spares_last_vgpr(descriptor, vgpr_limit.into()) && vgpr_limit < 256);
        let vgpr_limit = vgpr_limit - room;
        let sgpr_limit = if target.family == Family::Gfx9 {
            u32::from(target.sgpr_addressable)
        } else {
            106
        };
        // Nothing that the kernel may run, by name, by pointer or by index, reaches beyond its allocation.
        let (sgprs, usable_sgprs) = if target.family == Family::Gfx9 {
            let count = descriptor.sgpr_count();
            (count, count.saturating_sub(SPECIAL_SGPRS).min(sgpr_limit))
        } else {
            (106, 106)
        };
        let scalars = &named.registers.scalars;
        let vectors = &named.registers.vectors;
        let free = |number: u16, limit: u32, beyond: u32, is_named: bool| {
            let number = u32::from(number);
            number < limit && (!is_named || number >= beyond)
        };
        RegisterPool {
            sgprs: Bits::from_fn(|n| free(n, sgpr_limit, sgprs, scalars.contains(n))),
            vgprs: Bits::from_fn(|n| free(n, vgpr_limit.into(), vgprs, vectors.contains(n))),
            agprs: Bits::from_fn(|n| free(n, agprs, agprs, vectors.contains(AGPR_BASE + n))),
            sgprs_used: 0,
            vgprs_used: 0,
            allocated: (usable_sgprs as u16, vgprs.min(256) as u16),
            kept_scalars: Bits::EMPTY,
            kept_vectors: Bits::EMPTY,
        }
    }

    /// Everything that is free in the whole kernel.
    pub fn all(&self) -> FreeRegisters {
        FreeRegisters {
            sgprs: self.sgprs,
            vgprs: self.vgprs,
            agprs: self.agprs,
        }
    }

    /// SGPRs that are left.
    pub fn free_scalars(&self) -> usize {
        self.sgprs.len()
    }

    /// Everything that is not kept, for where nothing of the application is alive.
    pub fn all_at_end(&self) -> FreeRegisters {
        let mut all = self.all();
        let (scalars, vectors) = self.allocated;
        all.give(
            RegisterFile::Sgpr,
            &Bits::below(scalars).without(&self.kept_scalars),
        );
        all.give(
            RegisterFile::Vgpr,
            &Bits::below(vectors).without(&self.kept_vectors),
        );
        all
    }

    /// Everything that the application never names, what is kept for the wave's whole life included.
    pub fn all_but_application(&self) -> FreeRegisters {
        let mut all = self.all();
        all.give(RegisterFile::Sgpr, &self.kept_scalars);
        all.give(RegisterFile::Vgpr, &self.kept_vectors);
        all
    }

    /// Takes registers from number `from` on out for the wave's whole life.
    pub fn keep(
        &mut self,
        file: RegisterFile,
        width: u16,
        alignment: u16,
        from: u16,
    ) -> Option<u16> {
        let (free, kept) = match file {
            RegisterFile::Sgpr => (&mut self.sgprs, Some(&mut self.kept_scalars)),
            RegisterFile::Vgpr => (&mut self.vgprs, Some(&mut self.kept_vectors)),
            RegisterFile::Agpr => (&mut self.agprs, None),
        };
        let first = in_a_row(free, width, alignment, from, 256)?;
        free.remove_range(first, width);
        if let Some(kept) = kept {
            kept.insert_range(first, width);
        }
        self.use_up(file, first + width);
        Some(first)
    }

    /// Notes that registers below `end` are used.
    pub fn use_up(&mut self, file: RegisterFile, end: u16) {
        match file {
            RegisterFile::Sgpr => self.sgprs_used = self.sgprs_used.max(end),
            RegisterFile::Vgpr => self.vgprs_used = self.vgprs_used.max(end),
            RegisterFile::Agpr => {}
        }
    }

    /// Raises the descriptor's counts to what was handed out.
    pub fn apply(&self, descriptor: &mut KernelDescriptor) -> Result<(), Refusal> {
        let refused = |error: codeobj::Error| Refusal::Registers {
            what: "descriptor",
            reason: error.to_string(),
        };
        if self.sgprs_used > 0 {
            let count = u32::from(self.sgprs_used) + SPECIAL_SGPRS;
            descriptor.require_sgprs(count).map_err(refused)?;
        }
        let (vgprs, agprs) = vector_registers(descriptor);
        let mut wanted = u32::from(self.vgprs_used);
        if spares_last_vgpr(descriptor, wanted) {
            wanted = (wanted + 1).min(256);
        }
        if wanted > vgprs {
            if descriptor.accum_offset().is_some() {
                // AccVGPRs are numbered from their base, wherever that is.
                let offset = wanted.next_multiple_of(4);
                descriptor
                    .set("accum_offset", u64::from(offset / 4 - 1))
                    .map_err(refused)?;
                descriptor.require_vgprs(offset + agprs).map_err(refused)?;
            } else {
                descriptor.require_vgprs(wanted).map_err(refused)?;
            }
        }
        Ok(())
    }
}

/// gfx90a: a 64-bit shift by a VGPR whose number is 7 modulo 8 goes wrong if that is the last of the allocation.
fn spares_last_vgpr(descriptor: &KernelDescriptor, vgprs: u32) -> bool {
    descriptor.target().matrix == gfx::Matrix::Mfma2 && vgprs > 0 && vgprs.is_multiple_of(8)
}

/// VGPRs, AccVGPRs included, with which the largest workgroup that the kernel allows still fits a compute unit.
fn most_vgprs(descriptor: &KernelDescriptor, metadata: Option<KernelEntry<'_>>) -> u32 {
    let target = descriptor.target();
    let column = usize::from(descriptor.wave_size() == 32);
    let occupancy = resources(descriptor, 0, WorkgroupSizes::default()).occupancy;
    let largest = metadata
        .map(KernelEntry::max_flat_workgroup_size)
        .filter(|size| *size != 0)
        .unwrap_or(1024) as u32;
    let waves = largest.div_ceil(u32::from(descriptor.wave_size()));
    let waves_per_simd = waves.div_ceil(occupancy.simds.max(1)).max(1);
    let granule = u32::from(target.vgpr_granule[column]).max(1);
    let fitting = u32::from(target.vgpr_total[column]) / waves_per_simd / granule * granule;
    fitting.min(u32::from(target.vgpr_addressable[column]))
}

/// The first of `width` free registers in a row from `from` on, a multiple of `alignment`, all below `limit`.
pub(crate) fn in_a_row(
    free: &FileMask,
    width: u16,
    alignment: u16,
    from: u16,
    limit: u16,
) -> Option<u16> {
    let end = (limit.min(256) + 1).saturating_sub(width);
    let starts = free.runs(width);
    let fits = |start: &u16| *start >= from && start.is_multiple_of(alignment.max(1));
    starts.iter().find(fits).filter(|start| *start < end)
}

impl FreeRegisters {
    fn file(&mut self, file: RegisterFile) -> &mut FileMask {
        match file {
            RegisterFile::Sgpr => &mut self.sgprs,
            RegisterFile::Vgpr => &mut self.vgprs,
            RegisterFile::Agpr => &mut self.agprs,
        }
    }

    /// `width` free registers in a row, the first a multiple of `alignment`, all below `limit`.
    pub fn take(
        &mut self,
        file: RegisterFile,
        width: u16,
        alignment: u16,
        limit: u16,
    ) -> Option<u16> {
        let free = self.file(file);
        let first = in_a_row(free, width, alignment, 0, limit)?;
        free.remove_range(first, width);
        Some(first)
    }

    /// Makes registers available.
    pub fn give(&mut self, file: RegisterFile, numbers: &FileMask) {
        self.file(file).unite(numbers);
    }

    /// Makes registers in a row unavailable.
    pub fn withhold(&mut self, file: RegisterFile, first: u16, width: u16) {
        self.file(file).remove_range(first, width);
    }

    /// Makes VGPRs unavailable.
    pub fn withhold_vectors(&mut self, numbers: &FileMask) {
        self.vgprs = self.vgprs.without(numbers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A workgroup of 1,024 work-items has 16 waves of 64, four on each SIMD, whose 512 registers they share.
    #[test]
    fn the_largest_workgroup_fits_whatever_is_used_up() {
        for target in [
            "gfx900",
            "gfx90a",
            "gfx942",
            "gfx9-4-generic",
            "gfx9-generic",
        ] {
            let target = gfx::Target::find(target).unwrap();
            let most = u32::from(target.vgpr_total[0]) / 4;
            let bytes = [0; KernelDescriptor::SIZE];
            let mut descriptor = KernelDescriptor::from_bytes(bytes, target);
            // (Nothing says how large a workgroup may be.)
            let mut pool = RegisterPool::new(&NamedRegisters::default(), &descriptor, None);
            let free = pool.all().vgprs;
            let last = (0..256).rev().find(|number| free.contains(*number));
            pool.use_up(RegisterFile::Vgpr, last.unwrap() + 1);
            pool.apply(&mut descriptor).unwrap();
            let count = descriptor.vgpr_count();
            assert!(
                count <= most && count + 16 > most,
                "{}: {count} of {most}",
                target.name
            );
        }
    }
}
