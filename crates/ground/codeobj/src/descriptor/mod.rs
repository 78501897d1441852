//! The 64-byte kernel descriptor: every field by name, and what follows from them.

mod fields;

pub use fields::{Field, Word};

use crate::{Error, Result};
use gfx::{Family, Target};

/// Unit of the SGPR count; gfx9 allocates two of them at a time.
const SGPR_ENCODING_GRANULE: u32 = 8;

/// A kernel descriptor of a known target. Reserved bits are kept as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelDescriptor {
    bytes: [u8; KernelDescriptor::SIZE],
    target: &'static Target,
}

impl KernelDescriptor {
    /// Bytes of every descriptor.
    pub const SIZE: usize = 64;

    /// A descriptor as it lies in memory, for `target`.
    pub fn from_bytes(
        bytes: [u8; KernelDescriptor::SIZE],
        target: &'static Target,
    ) -> KernelDescriptor {
        KernelDescriptor { bytes, target }
    }

    /// The bytes in memory.
    pub fn bytes(&self) -> &[u8; KernelDescriptor::SIZE] {
        &self.bytes
    }

    /// The target, which decides the layout.
    pub fn target(&self) -> &'static Target {
        self.target
    }

    /// A whole word, zero-extended.
    pub fn word(&self, word: Word) -> u64 {
        let (offset, size) = word.place();
        let mut wide = [0; 8];
        wide[..size].copy_from_slice(&self.bytes[offset..offset + size]);
        u64::from_le_bytes(wide)
    }

    /// Writes a whole word of it.
    pub fn set_word(&mut self, word: Word, value: u64) {
        let (offset, size) = word.place();
        self.bytes[offset..offset + size].copy_from_slice(&value.to_le_bytes()[..size]);
    }

    /// Field `name`; `None` if this target has no such field.
    pub fn get(&self, name: &str) -> Option<u64> {
        Field::find(name, self.target).map(|field| self.read(field))
    }

    /// Sets field `name`; fails if the target lacks it or `value` does not fit.
    pub fn set(&mut self, name: &str, value: u64) -> Result<()> {
        let missing = || Error::NoSuchField {
            field: name.to_owned(),
            target: self.target.name,
        };
        let field = Field::find(name, self.target).ok_or_else(missing)?;
        if value > field.max() {
            return Err(Error::FieldOverflow {
                field: field.name,
                width: field.width,
                value,
            });
        }
        let others = self.word(field.word) & !(field.max() << field.shift);
        self.set_word(field.word, others | value << field.shift);
        Ok(())
    }

    fn read(&self, field: &Field) -> u64 {
        self.word(field.word) >> field.shift & field.max()
    }

    /// Every field of this target with its value.
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        Field::all(self.target).map(|field| (field.name, self.read(field)))
    }

    /// The value of a field that may be missing on this target, in which case it is off.
    fn flag(&self, name: &str) -> bool {
        self.get(name).unwrap_or(0) != 0
    }

    /// LDS bytes known at compile time.
    pub fn group_segment_size(&self) -> u32 {
        self.word(Word::GroupSegment) as u32
    }

    /// Scratch bytes per lane.
    pub fn private_segment_size(&self) -> u32 {
        self.word(Word::PrivateSegment) as u32
    }

    /// Bytes of the kernel's arguments; 0 if it does not say.
    pub fn kernarg_size(&self) -> u32 {
        self.word(Word::Kernarg) as u32
    }

    /// From the descriptor's address to the first instruction.
    pub fn entry_offset(&self) -> i64 {
        self.word(Word::EntryOffset) as i64
    }

    /// Sets where the code begins, in bytes from the descriptor.
    pub fn set_entry_offset(&mut self, offset: i64) {
        self.set_word(Word::EntryOffset, offset as u64);
    }

    /// 32 or 64.
    pub fn wave_size(&self) -> u8 {
        if self.flag("enable_wavefront_size32") || !self.has_wave64() {
            32
        } else {
            64
        }
    }

    fn has_wave64(&self) -> bool {
        self.target.vgpr_granule[0] != 0
    }

    /// Column of the target's per-wave-size register facts.
    pub(crate) fn wave_column(&self) -> usize {
        usize::from(self.wave_size() == 32)
    }

    /// VGPRs (AccVGPRs of a unified file included) the descriptor asks for, rounded up by the encoding.
    pub fn vgpr_count(&self) -> u32 {
        let granule = u32::from(self.target.vgpr_encoding_granule[self.wave_column()]);
        (self.get("granulated_workitem_vgpr_count").unwrap_or(0) as u32 + 1) * granule
    }

    /// The first AccVGPR in a unified register file; `None` for other targets.
    pub fn accum_offset(&self) -> Option<u32> {
        self.get("accum_offset").map(|raw| (raw as u32 + 1) * 4)
    }

    /// SGPRs the descriptor asks for (VCC and other specials included); since gfx10 a fixed number.
    pub fn sgpr_count(&self) -> u32 {
        match self.get("granulated_wavefront_sgpr_count") {
            Some(raw) => (raw as u32 + 1) * SGPR_ENCODING_GRANULE,
            None => 128,
        }
    }

    /// Asks for at least `count` VGPRs in all; never lowers the number.
    pub fn require_vgprs(&mut self, count: u32) -> Result<()> {
        if count > self.vgpr_count() {
            let granule = u32::from(self.target.vgpr_encoding_granule[self.wave_column()]);
            self.set(
                "granulated_workitem_vgpr_count",
                u64::from(count.div_ceil(granule) - 1),
            )?;
        }
        Ok(())
    }

    /// Asks for at least `count` SGPRs, specials included; never lowers the number. Nothing to do since gfx10.
    pub fn require_sgprs(&mut self, count: u32) -> Result<()> {
        if self.target.family == Family::Gfx9 && count > self.sgpr_count() {
            let granules = count.div_ceil(SGPR_ENCODING_GRANULE);
            self.set("granulated_wavefront_sgpr_count", u64::from(granules - 1))?;
        }
        Ok(())
    }

    /// Returns `true` if one workgroup may use both halves of a work-group processor.
    pub fn work_group_processor_mode(&self) -> bool {
        self.flag("wgp_mode")
    }

    /// SGPRs that hold values at kernel entry, in order: name and number of registers. The system SGPRs (workgroup
    /// ids, info, private segment wave offset) follow the user SGPRs.
    pub fn initial_sgprs(&self) -> Vec<(&'static str, u32)> {
        let mut sgprs: Vec<_> = INITIAL_USER_SGPRS
            .iter()
            .filter(|(field, ..)| self.flag(field))
            .map(|(_, name, count)| (*name, *count))
            .collect();
        let preloaded = self.get("kernarg_preload_spec_length").unwrap_or(0) as u32;
        if preloaded != 0 {
            sgprs.push(("kernarg_preload", preloaded));
        }
        // The count may exceed what the properties name; the rest is undefined.
        let named: u32 = sgprs.iter().map(|(_, count)| count).sum();
        let user = self.get("user_sgpr_count").unwrap_or(0) as u32;
        if user > named {
            sgprs.push(("undefined", user - named));
        }
        // From gfx12 on, workgroup ids arrive in trap temporaries instead.
        if self.target.family < Family::Gfx12 {
            sgprs.extend(
                INITIAL_SYSTEM_SGPRS
                    .iter()
                    .filter(|(field, _)| self.flag(field))
                    .map(|(_, name)| (*name, 1)),
            );
        }
        if self.flag("enable_private_segment") && !self.target.architected_flat_scratch {
            sgprs.push(("private_segment_wave_offset", 1));
        }
        sgprs
    }
}

#[rustfmt::skip]
static INITIAL_USER_SGPRS: &[(&str, &str, u32)] = &[
    ("enable_sgpr_private_segment_buffer", "private_segment_buffer", 4),
    ("enable_sgpr_dispatch_ptr",           "dispatch_ptr",           2),
    ("enable_sgpr_queue_ptr",              "queue_ptr",              2),
    ("enable_sgpr_kernarg_segment_ptr",    "kernarg_segment_ptr",    2),
    ("enable_sgpr_dispatch_id",            "dispatch_id",            2),
    ("enable_sgpr_flat_scratch_init",      "flat_scratch_init",      2),
    ("enable_sgpr_private_segment_size",   "private_segment_size",   1),
];

#[rustfmt::skip]
static INITIAL_SYSTEM_SGPRS: &[(&str, &str)] = &[
    ("enable_sgpr_workgroup_id_x", "workgroup_id_x"),
    ("enable_sgpr_workgroup_id_y", "workgroup_id_y"),
    ("enable_sgpr_workgroup_id_z", "workgroup_id_z"),
    ("enable_sgpr_workgroup_info", "workgroup_info"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn descriptor(target: &str) -> KernelDescriptor {
        KernelDescriptor::from_bytes([0; 64], Target::find(target).unwrap())
    }

    #[test]
    fn set_changes_only_its_bits() {
        for target in gfx::TARGETS {
            for field in Field::all(target) {
                let mut descriptor = KernelDescriptor::from_bytes([0xff; 64], target);
                descriptor.set(field.name, 0).unwrap();
                let zeros: u32 = descriptor
                    .bytes()
                    .iter()
                    .map(|byte| byte.count_zeros())
                    .sum();
                assert_eq!(zeros, field.width, "{}", field.name);
                descriptor.set(field.name, field.max()).unwrap();
                assert_eq!(descriptor.bytes(), &[0xff; 64]);
            }
        }
    }

    #[test]
    fn values_that_do_not_fit_or_exist_are_refused() {
        assert!(descriptor("gfx90a").set("user_sgpr_count", 32).is_err());
        assert!(descriptor("gfx90a").set("wgp_mode", 1).is_err());
        assert!(descriptor("gfx1200").set("enable_dx10_clamp", 1).is_err());
    }

    #[test]
    fn register_counts_follow_the_encoding_granules() {
        let mut gfx90a = descriptor("gfx90a");
        gfx90a.require_vgprs(65).unwrap();
        gfx90a.require_sgprs(33).unwrap();
        assert_eq!((gfx90a.vgpr_count(), gfx90a.sgpr_count()), (72, 40));
        assert_eq!(gfx90a.get("granulated_wavefront_sgpr_count"), Some(4));
        assert!(gfx90a.require_vgprs(513).is_err());
    }
}
