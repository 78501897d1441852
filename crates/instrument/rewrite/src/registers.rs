//! Registers for inserted code: those that nothing in the kernel ever names.

use crate::Refusal;
use crate::changes::Changes;
use crate::room::most_vgprs;
use codeobj::{KernelDescriptor, metadata::KernelEntry};
use gfx::{Family, Matrix, Target};
use isa::{Reg, RegKind};
use lift::registers::{AGPR_BASE, SGPR_COUNT};
use lift::{Bits, NamedRegisters};
use template::RegisterFile;

/// VCC, FLAT_SCRATCH and XNACK_MASK, at the end of a wave's SGPRs on gfx9.
const SPECIAL_SGPRS: u16 = 6;

/// A set of registers of one file.
pub(crate) type FileMask = Bits<4>;

/// The registers that are free for the whole kernel, and how far the register files have been used.
#[derive(Clone, Debug)]
pub(crate) struct RegisterPool {
    sgprs: FileMask,
    vgprs: FileMask,
    agprs: FileMask,
    /// One more than the highest number handed out.
    pub sgprs_used: u16,
    pub vgprs_used: u16,
    /// AccVGPRs of a unified file that the kernel has, and VGPRs that it can have beside them.
    unified: u16,
    most: u16,
    /// SGPRs and VGPRs that the kernel is given without us and hooks may use where they are dead.
    pub allocated: (u16, u16),
    /// SGPRs that keep a value for the wave's whole life.
    pub kept_scalars: FileMask,
    pub kept_vectors: FileMask,
}

/// The home of 32 bits for a wave's whole life.
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

/// Registers of each file that a kernel has, without those that hooks add: it was given them, or code that a tool put in names them.
#[derive(Clone, Debug)]
pub(crate) struct RegisterCounts {
    sgprs: u16,
    vgprs: u16,
    agprs: u16,
    /// SGPRs that the application names.
    named: FileMask,
}

/// SGPRs that code of the target can name.
fn nameable_sgprs(target: &Target) -> u16 {
    match target.family {
        Family::Gfx9 => target.sgpr_addressable,
        _ => SGPR_COUNT,
    }
}

/// SGPRs that the kernel was given, without those that have names of their own.
fn given_sgprs(descriptor: &KernelDescriptor) -> u16 {
    let nameable = nameable_sgprs(descriptor.target());
    match descriptor.target().family {
        Family::Gfx9 => {
            nameable.min((descriptor.sgpr_count() as u16).saturating_sub(SPECIAL_SGPRS))
        }
        _ => nameable,
    }
}

impl RegisterCounts {
    pub fn new(
        descriptor: &KernelDescriptor,
        named: &NamedRegisters,
        changes: &Changes,
    ) -> RegisterCounts {
        let target = descriptor.target();
        let (vgprs, agprs) = vector_registers(descriptor);
        // gfx908 has as many of each.
        let agprs = if target.matrix == Matrix::Mfma1 {
            vgprs
        } else {
            agprs
        };
        let (sgprs_end, vgprs_end, agprs_end) = changes.ends();
        let names = |number| !named.calls_unknown && named.registers.scalars.contains(number);
        RegisterCounts {
            sgprs: given_sgprs(descriptor).max(sgprs_end),
            vgprs: (vgprs.min(256) as u16).max(vgprs_end),
            agprs: (agprs.min(256) as u16).max(agprs_end),
            named: Bits::from_fn(|number| number < nameable_sgprs(target) && names(number)),
        }
    }

    /// Why the kernel does not have a register, or not all of it.
    pub fn lacks(&self, reg: Reg) -> Option<String> {
        let (letter, file, count) = match reg.kind {
            RegKind::Sgpr => ('s', "SGPRs", self.sgprs),
            RegKind::Vgpr => ('v', "VGPRs", self.vgprs),
            RegKind::Agpr => ('a', "AccVGPRs", self.agprs),
            _ => return None,
        };
        let is_there = |number: &u16| {
            let named = reg.kind == RegKind::Sgpr && *number < 256 && self.named.contains(*number);
            *number < count || named
        };
        let width = u16::from(reg.width.max(1));
        let mut numbers = (0..width).map(|offset| reg.index.saturating_add(offset));
        let missing = numbers.find(|number| !is_there(number))?;
        Some(match count.checked_sub(1) {
            Some(last) => format!(
                "the kernel has no {letter}{missing}; its {file} are {letter}0 to {letter}{last}"
            ),
            None => format!("the kernel has no {letter}{missing}; it has no {file}"),
        })
    }
}

impl RegisterPool {
    /// The kernel gets the registers that `changes` name; why not, if it cannot.
    pub fn new(
        named: &NamedRegisters,
        changes: &Changes,
        descriptor: &KernelDescriptor,
        metadata: Option<KernelEntry<'_>>,
    ) -> Result<RegisterPool, String> {
        let target = descriptor.target();
        let (vgprs, agprs_given) = vector_registers(descriptor);
        let (sgprs_end, vgprs_end, agprs_end) = changes.ends();
        let (vgprs_end, agprs_end) = match target.matrix {
            // gfx908 has as many of each.
            Matrix::Mfma1 => (vgprs_end.max(agprs_end), 0),
            _ => (vgprs_end, agprs_end),
        };
        let sgpr_limit = u32::from(nameable_sgprs(target));
        if u32::from(sgprs_end) > sgpr_limit {
            return Err(format!("{} has no s{}", target.name, sgprs_end - 1));
        }
        let agprs = agprs_given.max(agprs_end.into());
        let fitting = most_vgprs(descriptor, metadata);
        let least = match vgprs.max(vgprs_end.into()) {
            least if agprs > 0 => least.next_multiple_of(4) + agprs,
            least => least,
        };
        if least > fitting.max(descriptor.vgpr_count()) {
            return Err(format!(
                "with its registers a wave takes {least} VGPRs, and with workgroups as large as the kernel allows it has at most {fitting}"
            ));
        }
        let most = fitting.saturating_sub(agprs).min(256) as u16;
        // One remains for what `apply` adds.
        let room = u16::from(spares_last_vgpr(descriptor, most.into()));
        let vgpr_limit = u32::from(most - room);
        // Where one more would not fit, the last one of the kernel is not for hooks even if it is dead.
        let at_limit = spares_last_vgpr(descriptor, vgprs) && vgprs >= most.into();
        // Nothing that the kernel may run, by name, by pointer or by index, reaches beyond its allocation.
        let sgprs = match target.family {
            Family::Gfx9 => descriptor.sgpr_count(),
            _ => sgpr_limit,
        };
        let scalars = &named.registers.scalars;
        let vectors = &named.registers.vectors;
        let free = |number: u16, limit: u32, beyond: u32, is_named: bool| {
            let number = u32::from(number);
            number < limit && (!is_named || number >= beyond)
        };
        let (new_scalars, new_vectors) = (&changes.named.scalars, &changes.named.vectors);
        let mut pool = RegisterPool {
            sgprs: Bits::from_fn(|n| {
                !new_scalars.contains(n) && free(n, sgpr_limit, sgprs, scalars.contains(n))
            }),
            vgprs: Bits::from_fn(|n| {
                !new_vectors.contains(n) && free(n, vgpr_limit, vgprs, vectors.contains(n))
            }),
            agprs: Bits::from_fn(|n| {
                let number = AGPR_BASE + n;
                !new_vectors.contains(number)
                    && free(n, agprs_given, agprs_given, vectors.contains(number))
            }),
            sgprs_used: 0,
            vgprs_used: 0,
            unified: agprs as u16,
            most,
            allocated: (
                given_sgprs(descriptor),
                vgprs.min(256) as u16 - u16::from(at_limit),
            ),
            kept_scalars: Bits::EMPTY,
            kept_vectors: Bits::EMPTY,
        };
        if sgprs_end > given_sgprs(descriptor) {
            pool.use_up(RegisterFile::Sgpr, sgprs_end);
        }
        if u32::from(vgprs_end) > vgprs {
            pool.use_up(RegisterFile::Vgpr, vgprs_end);
        }
        Ok(pool)
    }

    /// Everything that is free in the whole kernel.
    pub fn all(&self) -> FreeRegisters {
        FreeRegisters {
            sgprs: self.sgprs,
            vgprs: self.vgprs,
            agprs: self.agprs,
        }
    }

    /// VGPRs that a wave can have.
    pub fn most_vectors(&self) -> u16 {
        self.most
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
            let count = u32::from(self.sgprs_used + SPECIAL_SGPRS);
            descriptor.require_sgprs(count).map_err(refused)?;
        }
        let (vgprs, agprs) = vector_registers(descriptor);
        let mut wanted = u32::from(self.vgprs_used);
        if spares_last_vgpr(descriptor, wanted) && wanted < self.most.into() {
            wanted += 1;
        }
        let unified = u32::from(self.unified);
        if wanted <= vgprs && unified <= agprs {
            return Ok(());
        }
        let wanted = wanted.max(vgprs);
        if descriptor.accum_offset().is_some() {
            // AccVGPRs are numbered from their base, wherever that is.
            let offset = wanted.next_multiple_of(4);
            descriptor
                .set("accum_offset", u64::from(offset / 4 - 1))
                .map_err(refused)?;
            descriptor
                .require_vgprs(offset + unified)
                .map_err(refused)?;
        } else {
            descriptor.require_vgprs(wanted).map_err(refused)?;
        }
        Ok(())
    }
}

/// gfx90a: a 64-bit shift by a VGPR whose number is 7 modulo 8 goes wrong if that is the last of the allocation.
fn spares_last_vgpr(descriptor: &KernelDescriptor, vgprs: u32) -> bool {
    let concerned = descriptor.target().matrix == Matrix::Mfma2;
    concerned && (1..256).contains(&vgprs) && vgprs.is_multiple_of(8)
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
            let (named, changes) = (NamedRegisters::default(), Changes::default());
            let mut pool = RegisterPool::new(&named, &changes, &descriptor, None).unwrap();
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
