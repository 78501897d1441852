//! Facts about AMD GPU targets, as rows of a table.
//!
//! Entry types: [`Target`] (one row), [`Family`] and [`TARGETS`]. Everything that differs between chips and is not an
//! instruction's meaning is a column here; no other crate may match on a target name.
#![forbid(unsafe_code)]

mod generic;
mod others;
mod products;
mod targets;

pub use generic::{GENERIC_TARGETS, GenericTarget};
pub use others::name_of_other;
pub use products::{PRODUCTS, Product, target_of_product};
pub use targets::TARGETS;

/// Encoding and programming-model families, in order of appearance, so that `<`/`>=` read as "before"/"since".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Vega and CDNA: gfx9xx.
    Gfx9,
    /// RDNA 1: gfx101x.
    Gfx10,
    /// RDNA 2: gfx103x.
    Gfx10_3,
    /// RDNA 3 and 3.5: gfx11xx.
    Gfx11,
    /// RDNA 4: gfx120x.
    Gfx12,
    /// gfx1250.
    Gfx12_5,
}

/// Matrix-core generation, which selects the arithmetic model of MFMA instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Matrix {
    None,
    /// gfx908: separate AccVGPR file.
    Mfma1,
    /// gfx90a: unified register file.
    Mfma2,
    /// gfx940 to gfx942.
    Mfma3,
    /// gfx950.
    Mfma4,
    /// gfx11 and later.
    Wmma,
}

/// How the hardware reports a feature that a code object may be built for: not at all, or selectable (`:xnack+`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Feature {
    Absent,
    Selectable,
}

/// One AMD GPU target.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// Processor name as LLVM spells it, e.g. `gfx90a`.
    pub name: &'static str,
    /// `EF_AMDGPU_MACH` value in `e_flags & 0xff`.
    pub mach: u8,
    pub family: Family,
    /// Major, minor, stepping as in the ISA name: gfx90a is (9, 0, 10).
    pub version: (u8, u8, u8),
    /// Default wave size of compute kernels: 64 on gfx9, 32 since gfx10 (where 64 is selectable per kernel).
    pub wave_size: u8,
    /// VGPR allocation granule in registers, per wave64 and wave32 (0: wave size not supported).
    pub vgpr_granule: [u16; 2],
    /// Unit of the kernel descriptor's VGPR count, per wave64 and wave32 (0: wave size not supported).
    pub vgpr_encoding_granule: [u16; 2],
    /// Total VGPRs of one SIMD lane column, per wave64 and wave32.
    pub vgpr_total: [u16; 2],
    /// VGPRs one wave can address (AccVGPRs of a unified file included), per wave64 and wave32.
    pub vgpr_addressable: [u16; 2],
    /// The SGPRs a kernel may name besides VCC.
    pub sgpr_addressable: u16,
    /// SGPR allocation granule in registers; since gfx10 every wave gets the same fixed number (0).
    pub sgpr_granule: u16,
    /// SGPRs of one SIMD that are shared out to waves; 0 where SGPRs never limit occupancy.
    pub sgpr_total: u16,
    /// Most waves resident per SIMD (execution unit).
    pub max_waves_per_simd: u8,
    /// SIMDs per compute unit (per work-group processor half since gfx10).
    pub simds_per_cu: u8,
    /// Bytes of LDS one workgroup may use; a compute unit (half a work-group processor since gfx10) has as much.
    pub lds_bytes: u32,
    /// LDS is given out in multiples of so many bytes (AMDGPU usage guide, GRANULATED_LDS_SIZE).
    pub lds_granule: u32,
    /// Bytes of scratch that one wave can have: what COMPUTE_TMPRING_SIZE.WAVESIZE can say.
    pub scratch_wave_bytes: u32,
    /// Workgroups of more than one wave that a compute unit can hold, for want of barriers.
    pub barriers_per_cu: u8,
    pub matrix: Matrix,
    pub xnack: Feature,
    /// Each process chooses whether accesses to pages that are not there wait for them (XNACK, `HSA_XNACK=1`). Elsewhere the driver
    /// fixes that when it is loaded, by default to no (gfx900, gfx906, gfx908), or the hardware cannot (gfx10 and later).
    pub retries_by_process: bool,
    pub sramecc: Feature,
    /// Work-item ids arrive packed 10:10:10 in v0 instead of v0, v1, v2.
    pub packed_work_item_ids: bool,
    /// Floating-point atomics reach the host's fine-grained memory. Elsewhere they change nothing there and return 0, as AMD's
    /// memory model tests (hip-tests) expect of gfx90a and its documentation says ("AMD GPU atomics operation support").
    pub remote_float_atomics: bool,
    /// VGPRs and AccVGPRs share one file, split by the descriptor's accum offset (gfx90a and gfx94x/95x).
    pub unified_register_file: bool,
    /// Scratch base is preset by hardware; no SGPRs carry it (gfx94x/95x and gfx11+).
    pub architected_flat_scratch: bool,
    /// Dies with compute units that one device has; workgroups go to one after the other (8 in MI300X and MI350X).
    pub compute_dies: u8,
}

/// The processor that a target's name begins with: `gfx90a` for `gfx90a:sramecc+:xnack-`.
pub fn processor(target: &str) -> &str {
    target.split(':').next().unwrap_or(target)
}

impl Target {
    /// The row named `name` (`gfx90a`, also in the form `gfx90a:sramecc+:xnack-`).
    pub fn find(name: &str) -> Option<&'static Target> {
        let processor = processor(name);
        every_target().find(|target| target.name == processor)
    }

    /// The row whose `EF_AMDGPU_MACH` is `mach`.
    pub fn from_mach(mach: u8) -> Option<&'static Target> {
        every_target().find(|target| target.mach == mach)
    }

    /// Returns `true` if one code object for this target runs on `device`: the same processor, or a generic target that covers it.
    pub fn covers(&self, device: &Target) -> bool {
        self.name == device.name
            || GENERIC_TARGETS.iter().any(|generic| {
                generic.target.name == self.name && generic.covers.contains(&device.name)
            })
    }

    /// The generic target whose code runs on this one, if there is one.
    pub fn generic(&self) -> Option<&'static Target> {
        let covers = |generic: &&GenericTarget| generic.covers.contains(&self.name);
        let generic = GENERIC_TARGETS.iter().find(covers)?;
        Some(&generic.target)
    }

    /// Returns `true` if VOP3P packed FP32, DPP on 64-bit operands and the other gfx90a additions exist.
    pub fn is_gfx90a_or_later_cdna(&self) -> bool {
        self.unified_register_file
    }

    /// Returns `true` if its eight-bit floats are the FNUZ ones; gfx950 and gfx12 have OCP's.
    pub fn has_fnuz_fp8(&self) -> bool {
        self.matrix == Matrix::Mfma3
    }

    /// Returns `true` if `global_atomic_add_f32` and its like keep denormals; before gfx94x and gfx11 they become zeros.
    pub fn keeps_denormals_in_atomics(&self) -> bool {
        self.architected_flat_scratch
    }

    pub fn supports_wave32(&self) -> bool {
        self.vgpr_granule[1] != 0
    }

    /// Returns `true` if SRAM ECC is on unless something else is said: in the server parts of gfx9.
    pub fn has_sramecc_by_default(&self) -> bool {
        self.sramecc == Feature::Selectable && self.family == Family::Gfx9
    }

    /// The VGPRs that a wave has at least, wherever its kernel runs: in workgroups of 1,024 work-items on one compute unit.
    pub fn least_vgprs(&self, wave_size: u8) -> u16 {
        let column = usize::from(wave_size == 32);
        let waves = 1024 / u16::from(wave_size.max(1));
        let of_a_simd = waves.div_ceil(u16::from(self.simds_per_cu).max(1)).max(1);
        let granule = self.vgpr_granule[column].max(1);
        let fitting = self.vgpr_total[column] / of_a_simd / granule * granule;
        fitting.min(self.vgpr_addressable[column])
    }

    /// Bytes of scratch that each lane of a wave can have, whole dwords.
    pub fn scratch_lane_bytes(&self, wave_size: u32) -> u32 {
        (self.scratch_wave_bytes / wave_size.max(1)) & !3
    }

    /// Returns `true` if a pair of compute units (a work-group processor) can run one workgroup, with both units' LDS.
    pub fn has_work_group_processors(&self) -> bool {
        (Family::Gfx10..Family::Gfx12_5).contains(&self.family)
    }
}

/// Chips first, then the generic targets.
fn every_target() -> impl Iterator<Item = &'static Target> {
    TARGETS
        .iter()
        .chain(GENERIC_TARGETS.iter().map(|generic| &generic.target))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_machs_are_unique_and_found() {
        for target in TARGETS {
            assert_eq!(Target::find(target.name).unwrap().name, target.name);
            assert_eq!(Target::from_mach(target.mach).unwrap().name, target.name);
        }
        assert_eq!(Target::find("gfx90a:sramecc+:xnack-").unwrap().mach, 0x3f);
        assert!(Target::find("gfx123").is_none());
    }

    #[test]
    fn generic_targets_cover_chips_of_the_table() {
        for generic in GENERIC_TARGETS {
            assert_eq!(
                Target::from_mach(generic.target.mach).unwrap().name,
                generic.target.name
            );
            for chip in generic.covers {
                assert!(generic.target.covers(Target::find(chip).unwrap()), "{chip}");
            }
        }
        // (Rules of hazards go by these.)
        for generic in GENERIC_TARGETS {
            let chips = generic
                .covers
                .iter()
                .map(|chip| Target::find(chip).unwrap());
            let (row, mut chips) = (&generic.target, chips);
            let first = chips.next().unwrap();
            assert_eq!(row.matrix, first.matrix, "{}", row.name);
            for chip in chips.chain([first]) {
                let facts = |target: &Target| {
                    (
                        target.family,
                        target.wave_size,
                        target.unified_register_file,
                        target.architected_flat_scratch,
                        target.remote_float_atomics,
                    )
                };
                assert_eq!(facts(row), facts(chip), "{} and {}", row.name, chip.name);
            }
        }
        let generic = Target::find("gfx10-3-generic").unwrap();
        assert!(!generic.covers(Target::find("gfx1010").unwrap()));
    }

    /// The most scratch of a lane that LLVM's backend accepts.
    #[test]
    fn lanes_have_as_much_scratch_as_compilers_use() {
        for (target, wave_size, most) in [
            ("gfx900", 64, 131_056),
            ("gfx1030", 32, 262_112),
            ("gfx1100", 64, 131_068),
            ("gfx1201", 64, 1_048_572),
        ] {
            let target = Target::find(target).unwrap();
            assert_eq!(
                target.scratch_lane_bytes(wave_size),
                most,
                "{}",
                target.name
            );
        }
    }

    #[test]
    fn version_spells_the_name() {
        for target in TARGETS {
            let (major, minor, stepping) = target.version;
            assert_eq!(target.name, format!("gfx{major}{minor}{stepping:x}"));
        }
    }
}
