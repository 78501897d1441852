//! From a dispatch packet and a kernel descriptor to a checked, self-contained [`Dispatch`].
//!
//! Sources: AMDGPU usage guide, "Kernel Descriptor" and "Initial Kernel Execution State"; facts about error values are
//! ROCr's. Sizes of LDS and scratch come from the packet, never from the descriptor: ROCr's own shaders carry the old
//! `amd_kernel_code_t`, where the descriptor's size fields mean something else.

use aql::KernelDispatchPacket;
use gfx::{Family, Target};

/// Bytes of a kernel descriptor.
pub const DESCRIPTOR_SIZE: u64 = 64;
/// Places for waves of a compute unit, as hardware registers number them.
const WAVES_OF_UNIT: u32 = 64;
/// COMPUTE_PGM_RSRC1: a workgroup may use both compute units of a work-group processor (since gfx10).
const WGP_MODE: u32 = 1 << 29;
/// Most work-items of a workgroup.
const WORKGROUP_LIMIT: u64 = 1024;
/// High halves of the apertures' base addresses, as the kernel driver sets them.
pub const LDS_APERTURE_BASE: u64 = 1 << 48;
pub const SCRATCH_APERTURE_BASE: u64 = 2 << 48;

/// The fields of a kernel descriptor that start a wave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Descriptor {
    /// From the descriptor to the first instruction.
    pub entry_offset: i64,
    pub rsrc1: u32,
    pub rsrc2: u32,
    pub rsrc3: u32,
    /// Kernel code properties.
    pub properties: u16,
    /// Kernel argument preload: bits 0-6 dwords, bits 7-15 offset in dwords.
    pub preload: u16,
}

impl Descriptor {
    /// Reads the fields from the descriptor's bytes.
    pub fn parse(bytes: &[u8; DESCRIPTOR_SIZE as usize]) -> Descriptor {
        let word = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        Descriptor {
            entry_offset: (u64::from(word(16)) | u64::from(word(20)) << 32) as i64,
            rsrc3: word(44),
            rsrc1: word(48),
            rsrc2: word(52),
            properties: word(56) as u16,
            preload: (word(56) >> 16) as u16,
        }
    }
}

/// Why a packet cannot be run; the number is what ROCr expects in the queue's error signal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DispatchError {
    #[error(
        "the grid {grid:?} or workgroup {workgroup:?} has a zero or too large dimension, or dimensions are {dimensions}"
    )]
    BadDimensions {
        dimensions: u16,
        grid: [u32; 3],
        workgroup: [u16; 3],
    },
    #[error("the workgroup needs {needed} bytes of LDS, the device has {available}")]
    TooMuchLds { needed: u32, available: u32 },
    #[error("there is no kernel at {kernel_object:#x}")]
    BadCode { kernel_object: u64 },
    #[error("the workgroup has {work_items} work-items, at most {WORKGROUP_LIMIT} are possible")]
    WorkgroupTooLarge { work_items: u64 },
    #[error(
        "the kernel needs {needed} VGPRs per wave with {waves} waves in a workgroup; the device cannot hold them"
    )]
    TooManyRegisters { needed: u32, waves: u32 },
    #[error("the kernel wants wave size {wave_size}, which {target} lacks")]
    WaveSize {
        wave_size: u32,
        target: &'static str,
    },
    #[error("the emulator does not execute code for {target} yet: it would compute wrong results")]
    NotExecuted { target: &'static str },
    #[error("the packet type {packet_type} is not known")]
    BadPacket { packet_type: u8 },
    #[error("PM4 command {command:#010x}: {what}")]
    BadCommand { what: &'static str, command: u32 },
    #[error("a barrier on a value has the condition {condition}; 0 to 3 are known")]
    BadCondition { condition: u32 },
    #[error("{what} is no signal: {handle:#x}")]
    BadSignal { what: &'static str, handle: u64 },
    #[error("no memory for {bytes} bytes of scratch")]
    NoScratch { bytes: u64 },
}

pub use wave::executes;

impl DispatchError {
    /// The value of the queue's inactive signal that makes ROCr report this error.
    pub fn queue_error(&self) -> i64 {
        match self {
            DispatchError::BadDimensions { .. } => 2,
            DispatchError::TooMuchLds { .. } => 4,
            DispatchError::NoScratch { .. } => 4,
            DispatchError::BadCode { .. } => 8,
            DispatchError::BadPacket { .. }
            | DispatchError::BadCommand { .. }
            | DispatchError::BadCondition { .. } => 32,
            DispatchError::BadSignal { .. } => crate::queue::queue_error::APERTURE_VIOLATION,
            DispatchError::WorkgroupTooLarge { .. } => 64,
            DispatchError::TooManyRegisters { .. }
            | DispatchError::WaveSize { .. }
            | DispatchError::NotExecuted { .. } => 128,
        }
    }
}

/// Private memory of a dispatch: one slot per resident wave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scratch {
    pub base: u64,
    /// Bytes from one wave's slot to the next.
    pub wave_bytes: u32,
    pub slots: u32,
}

/// The node, queue and packet that a dispatch comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    pub node: u32,
    pub queue_id: u64,
    /// Address of the `amd_queue_t`.
    pub queue_address: u64,
    /// Address of the packet in its ring; its slot stays intact until the kernel ends.
    pub packet_address: u64,
    /// Index of the packet in its queue.
    pub dispatch_id: u64,
}

/// A kernel launch, checked and ready to run.
#[derive(Clone, Debug)]
pub struct Dispatch {
    pub target: &'static Target,
    pub origin: Origin,
    pub packet: KernelDispatchPacket,
    pub descriptor: Descriptor,
    /// The kernel's symbol, where the code object could be found in memory.
    pub name: Option<String>,
    /// Address of the first instruction.
    pub entry: u64,
    /// 32 or 64.
    pub wave_size: u32,
    /// VGPRs of a wave, AccVGPRs of a unified file included.
    pub vgprs: u32,
    /// First AccVGPR in a unified register file; equal to `vgprs` if there are none. Zero on targets with no such file.
    pub accum_offset: u32,
    /// Workgroups per dimension.
    pub workgroups: [u32; 3],
    pub scratch: Scratch,
    /// The compute units that may run it, as [`Dispatch::place`] numbers them; None: all.
    pub units: Option<std::sync::Arc<[u32]>>,
    /// A workgroup has just the LDS that it asks for, and an access beyond is a fault.
    pub exact: bool,
    /// The executor should fill [`Counts::instructions`](crate::Counts::instructions).
    pub counted: bool,
    /// Its place among the launches of its queues, if the executor [follows them](crate::Executor::follows_order).
    pub order: Option<std::sync::Arc<crate::order::Order>>,
}

impl Dispatch {
    /// Checks a packet against its kernel descriptor and the target. Scratch and name are left empty. Every launch of the
    /// emulator passes here.
    pub fn prepare(
        target: &'static Target,
        origin: Origin,
        packet: KernelDispatchPacket,
        descriptor: Descriptor,
    ) -> Result<Dispatch, DispatchError> {
        if !executes(target) {
            return Err(DispatchError::NotExecuted {
                target: target.name,
            });
        }
        let (grid, workgroup) = (packet.grid_size, packet.workgroup_size);
        let work_items = work_items(target, &packet)?;
        let bad_code = DispatchError::BadCode {
            kernel_object: packet.kernel_object,
        };
        let entry = packet
            .kernel_object
            .wrapping_add_signed(descriptor.entry_offset);
        if descriptor.entry_offset == 0 || !entry.is_multiple_of(4) {
            return Err(bad_code);
        }
        let wave_size = wave_size(target, &descriptor);
        if target.vgpr_addressable[usize::from(wave_size == 32)] == 0 {
            return Err(DispatchError::WaveSize {
                wave_size,
                target: target.name,
            });
        }
        let vgprs = vgpr_count(target, &descriptor, wave_size);
        let waves = (work_items as u32).div_ceil(wave_size);
        let column = usize::from(wave_size == 32);
        // A workgroup must fit one compute unit's SIMDs, or those of a work-group processor where the kernel asks for that.
        let both = target.has_work_group_processors() && descriptor.rsrc1 & WGP_MODE != 0;
        let simds = u32::from(target.simds_per_cu) * if both { 2 } else { 1 };
        let allocated = vgprs.next_multiple_of(u32::from(target.vgpr_granule[column]).max(1));
        let fits = allocated * waves.div_ceil(simds) <= u32::from(target.vgpr_total[column]);
        if vgprs > u32::from(target.vgpr_addressable[column]) || !fits {
            return Err(DispatchError::TooManyRegisters {
                needed: vgprs,
                waves,
            });
        }
        let accum_offset = if target.unified_register_file {
            ((descriptor.rsrc3 & 0x3f) + 1) * 4
        } else {
            0
        };
        Ok(Dispatch {
            target,
            origin,
            packet,
            descriptor,
            name: None,
            entry,
            wave_size,
            vgprs,
            accum_offset: accum_offset.min(vgprs),
            workgroups: std::array::from_fn(|i| grid[i].div_ceil(u32::from(workgroup[i]))),
            scratch: Scratch {
                wave_bytes: scratch_wave_bytes(target, packet.private_segment_size, wave_size),
                ..Scratch::default()
            },
            units: None,
            exact: false,
            counted: false,
            order: None,
        })
    }

    /// The number in hardware registers that tells where wave `index` of a workgroup runs; the workgroup's waves have the slots from `slot`
    /// on. Bits 0 to 5 are wave and SIMD, bits 6 to 9 the compute unit, and the higher bits the shader engine.
    #[inline]
    pub fn place(&self, slot: u32, index: u32) -> u32 {
        let Some(units @ [_, ..]) = self.units.as_deref() else {
            return slot + index;
        };
        let (waves, count) = (self.waves([0; 3]).max(1), units.len() as u32);
        let (column, row) = (slot / waves % count, slot / waves / count);
        units[column as usize] * WAVES_OF_UNIT + (row * waves + index) % WAVES_OF_UNIT
    }

    /// Most waves that its compute units hold.
    pub fn resident_waves(&self, most: u32) -> u32 {
        match self.units.as_deref() {
            None | Some([]) => most,
            Some(units) => most.min(units.len() as u32 * WAVES_OF_UNIT),
        }
    }

    /// The die that runs workgroup `index`: one after the other.
    #[inline]
    pub fn compute_die(&self, index: u64) -> u32 {
        match self.target.compute_dies {
            1 => 0,
            dies => (index % u64::from(dies)) as u32,
        }
    }

    /// Bytes of LDS that a workgroup gets: what it asks for, in whole granules unless the device is exact.
    #[inline]
    pub fn lds_bytes(&self) -> u32 {
        if self.exact {
            return self.packet.group_segment_size;
        }
        // LDS between a kernel's last variable and the next granule can be read and written.
        let granule = self.target.lds_granule;
        self.packet.group_segment_size.next_multiple_of(granule)
    }

    /// Bytes of private memory per work-item.
    pub fn private_bytes(&self) -> u32 {
        self.packet.private_segment_size
    }

    pub fn workgroup_count(&self) -> u64 {
        self.workgroups
            .iter()
            .map(|count| u64::from(*count))
            .product()
    }

    /// Coordinates of the workgroup with this linear index, x fastest.
    #[inline]
    pub fn workgroup(&self, index: u64) -> [u32; 3] {
        let [x, y, _] = self.workgroups.map(u64::from);
        // Most grids have one dimension, and divisions take their time.
        if index < x {
            return [index as u32, 0, 0];
        }
        [index % x, index / x % y, index / x / y].map(|coordinate| coordinate as u32)
    }

    /// Work-items per dimension of a workgroup: less than the packet's at the upper edges of the grid.
    #[inline]
    pub fn workgroup_shape(&self, workgroup: [u32; 3]) -> [u32; 3] {
        std::array::from_fn(|i| {
            let size = u32::from(self.packet.workgroup_size[i]);
            size.min(self.packet.grid_size[i] - workgroup[i] * size)
        })
    }

    /// Waves of a workgroup.
    #[inline]
    pub fn waves(&self, workgroup: [u32; 3]) -> u32 {
        let work_items: u32 = self.workgroup_shape(workgroup).iter().product();
        // Divided by 32 or 64, in the time of a shift.
        (work_items + self.wave_size - 1) >> self.wave_size.trailing_zeros()
    }

    /// Bytes of scratch memory that a lane has.
    #[inline]
    pub fn scratch_bytes_per_lane(&self) -> u32 {
        self.scratch.wave_bytes >> self.wave_size.trailing_zeros()
    }

    /// Returns `true` if it is a kernel of HIP or of ROCr, which copy and fill memory, and none of the program's. ROCr's have no names.
    pub fn is_of_runtime(&self) -> bool {
        let name = self.name.as_deref();
        name.is_none_or(|name| name.starts_with("__amd_rocclr_"))
    }

    /// The kernel's name, or its address.
    pub fn label(&self) -> String {
        self.name
            .clone()
            .unwrap_or_else(|| format!("kernel at {:#x}", self.packet.kernel_object))
    }
}

/// The work-items of a workgroup, of a packet whose shape the target can execute.
fn work_items(target: &Target, packet: &KernelDispatchPacket) -> Result<u64, DispatchError> {
    let dimensions = packet.setup & 3;
    let (grid, workgroup) = (packet.grid_size, packet.workgroup_size);
    if dimensions == 0 || grid.contains(&0) || workgroup.contains(&0) {
        return Err(DispatchError::BadDimensions {
            dimensions,
            grid,
            workgroup,
        });
    }
    let work_items: u64 = workgroup.iter().map(|size| u64::from(*size)).product();
    if work_items > WORKGROUP_LIMIT {
        return Err(DispatchError::WorkgroupTooLarge { work_items });
    }
    if packet.group_segment_size > target.lds_bytes {
        let (needed, available) = (packet.group_segment_size, target.lds_bytes);
        return Err(DispatchError::TooMuchLds { needed, available });
    }
    Ok(work_items)
}

/// Wave size a descriptor asks for. The property bit is absent on gfx9 and selects wave32 since gfx10.
fn wave_size(target: &Target, descriptor: &Descriptor) -> u32 {
    const WAVE32: u16 = 1 << 10;
    if target.supports_wave32() && descriptor.properties & WAVE32 != 0 {
        32
    } else {
        64
    }
}

/// VGPRs per wave. The field's unit is not the allocation granule of later chips.
fn vgpr_count(target: &Target, descriptor: &Descriptor, wave_size: u32) -> u32 {
    let unit = match (target.family, wave_size) {
        (Family::Gfx9, _) if target.unified_register_file => 8,
        (Family::Gfx12_5, _) => 16,
        (Family::Gfx9, _) | (_, 64) => 4,
        _ => 8,
    };
    ((descriptor.rsrc1 & 0x3f) + 1) * unit
}

/// Scratch of one wave, in whole units of the hardware's wave size field.
fn scratch_wave_bytes(target: &Target, private_bytes: u32, wave_size: u32) -> u32 {
    let unit = if target.family >= Family::Gfx11 {
        256
    } else {
        1024
    };
    private_bytes
        .saturating_mul(wave_size)
        .checked_next_multiple_of(unit)
        .unwrap_or(!1023)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(grid: [u32; 3], workgroup: [u16; 3]) -> KernelDispatchPacket {
        KernelDispatchPacket {
            setup: 3,
            grid_size: grid,
            workgroup_size: workgroup,
            kernel_object: 0x10_0000,
            ..Default::default()
        }
    }

    fn prepare(
        target: &str,
        packet: KernelDispatchPacket,
        descriptor: Descriptor,
    ) -> Result<Dispatch, DispatchError> {
        Dispatch::prepare(
            Target::find(target).unwrap(),
            Origin::default(),
            packet,
            descriptor,
        )
    }

    /// The `vadd` kernel of the facts file: rsrc1 00af0040, rsrc2 90, properties 0b, entry +4224.
    const VADD: Descriptor = Descriptor {
        entry_offset: 4224,
        rsrc1: 0x00af_0040,
        rsrc2: 0x90,
        rsrc3: 0,
        properties: 0x0b,
        preload: 0,
    };

    #[test]
    fn descriptor_fields_are_at_their_offsets() {
        let mut bytes = [0; 64];
        bytes[16..24].copy_from_slice(&(-4096_i64).to_le_bytes());
        bytes[44..48].copy_from_slice(&3_u32.to_le_bytes());
        bytes[48..52].copy_from_slice(&0x11_u32.to_le_bytes());
        bytes[52..56].copy_from_slice(&0x22_u32.to_le_bytes());
        bytes[56..60].copy_from_slice(&0x0005_040b_u32.to_le_bytes());
        let expected = Descriptor {
            entry_offset: -4096,
            rsrc1: 0x11,
            rsrc2: 0x22,
            rsrc3: 3,
            properties: 0x40b,
            preload: 5,
        };
        assert_eq!(Descriptor::parse(&bytes), expected);
    }

    #[test]
    fn a_grid_tail_is_a_smaller_workgroup() {
        let dispatch = prepare("gfx90a", packet([1000, 3, 1], [128, 2, 1]), VADD).unwrap();
        assert_eq!(
            (dispatch.workgroups, dispatch.workgroup_count()),
            ([8, 2, 1], 16)
        );
        assert_eq!(dispatch.workgroup(15), [7, 1, 0]);
        assert_eq!(dispatch.workgroup_shape([7, 1, 0]), [104, 1, 1]);
        assert_eq!(
            (dispatch.waves([0, 0, 0]), dispatch.waves([7, 1, 0])),
            (4, 2)
        );
        assert_eq!(
            (dispatch.wave_size, dispatch.vgprs, dispatch.entry),
            (64, 8, 0x10_1080)
        );
    }

    #[rustfmt::skip]
    #[test]
    fn register_fields_follow_the_target() {
        let ten = Descriptor { rsrc1: 9, ..VADD };
        let wave32 = Descriptor { properties: 1 << 10, ..ten };
        for (target, descriptor, wave_size, vgprs) in [
            ("gfx906",  ten,    64, 40),
            ("gfx90a",  ten,    64, 80),
            ("gfx906",  wave32, 64, 40),
            ("gfx1030", ten,    64, 40),
            ("gfx1030", wave32, 32, 80),
        ] {
            let dispatch = prepare(target, packet([64, 1, 1], [64, 1, 1]), descriptor).unwrap();
            assert_eq!((dispatch.wave_size, dispatch.vgprs), (wave_size, vgprs), "{target}");
        }
    }

    #[test]
    fn workgroups_go_to_dies_in_turn() {
        let die = |target, index| {
            let dispatch = prepare(target, packet([1000, 1, 1], [64, 1, 1]), VADD).unwrap();
            dispatch.compute_die(index)
        };
        assert_eq!(
            [0, 1, 7, 8, 13].map(|index| die("gfx942", index)),
            [0, 1, 7, 0, 5]
        );
        assert_eq!(die("gfx90a", 13), 0);
    }

    #[test]
    fn a_workgroup_of_gfx950_has_all_of_its_lds() {
        let mut packet = packet([64, 1, 1], [64, 1, 1]);
        packet.group_segment_size = 160 << 10;
        assert_eq!(
            prepare("gfx950", packet, VADD).unwrap().lds_bytes(),
            163_840
        );
        assert!(prepare("gfx942", packet, VADD).is_err());
        packet.group_segment_size = 1300;
        assert_eq!(prepare("gfx950", packet, VADD).unwrap().lds_bytes(), 2560);
    }

    #[test]
    fn lds_is_given_out_in_granules() {
        for (asked, given) in [(0, 0), (4, 512), (512, 512), (513, 1024), (65536, 65536)] {
            let packet = KernelDispatchPacket {
                group_segment_size: asked,
                ..packet([64, 1, 1], [64, 1, 1])
            };
            let dispatch = prepare("gfx90a", packet, VADD).unwrap();
            assert_eq!(dispatch.lds_bytes(), given, "{asked}");
        }
    }

    #[test]
    fn errors_carry_the_values_rocr_knows() {
        let error = |packet, descriptor| {
            prepare("gfx90a", packet, descriptor)
                .unwrap_err()
                .queue_error()
        };
        let good = packet([64, 1, 1], [64, 1, 1]);
        assert_eq!(error(packet([0, 1, 1], [64, 1, 1]), VADD), 2);
        assert_eq!(error(packet([64, 1, 1], [64, 0, 1]), VADD), 2);
        assert_eq!(error(KernelDispatchPacket { setup: 0, ..good }, VADD), 2);
        assert_eq!(
            error(
                KernelDispatchPacket {
                    group_segment_size: 65537,
                    ..good
                },
                VADD
            ),
            4
        );
        assert_eq!(
            error(
                good,
                Descriptor {
                    entry_offset: 0,
                    ..VADD
                }
            ),
            8
        );
        assert_eq!(error(packet([64, 64, 1], [64, 17, 1]), VADD), 64);
        // 512 VGPRs allow one wave per SIMD, so at most four waves in a workgroup.
        let many = Descriptor {
            rsrc1: 0x3f,
            ..VADD
        };
        assert!(prepare("gfx90a", packet([256, 1, 1], [256, 1, 1]), many).is_ok());
        assert_eq!(error(packet([512, 1, 1], [512, 1, 1]), many), 128);
    }

    #[test]
    fn scratch_is_counted_in_whole_units() {
        let private = |bytes| KernelDispatchPacket {
            private_segment_size: bytes,
            ..packet([64, 1, 1], [64, 1, 1])
        };
        // The facts file: 1216 bytes per lane gave a wave size field of 76 KiB.
        assert_eq!(
            prepare("gfx90a", private(1216), VADD)
                .unwrap()
                .scratch
                .wave_bytes,
            76 * 1024
        );
        assert_eq!(
            prepare("gfx90a", private(0), VADD)
                .unwrap()
                .scratch
                .wave_bytes,
            0
        );
        assert_eq!(
            prepare("gfx90a", private(4), VADD)
                .unwrap()
                .scratch
                .wave_bytes,
            1024
        );
    }
}
