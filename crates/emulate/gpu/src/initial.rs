//! The state a wave starts in, as plain data.
//!
//! Source: AMDGPU usage guide, "Initial Kernel Execution State", and the MODE register of the ISA manuals.

use gfx::Family;

use crate::dispatch::Dispatch;

/// Most SGPRs the hardware presets.
const SGPR_LIMIT: usize = 40;

/// Kernel code properties, in the order in which their user SGPRs lie.
#[rustfmt::skip]
mod property {
    pub const PRIVATE_SEGMENT_BUFFER: u16 = 1 << 0;
    pub const DISPATCH_PTR:           u16 = 1 << 1;
    pub const QUEUE_PTR:              u16 = 1 << 2;
    pub const KERNARG_SEGMENT_PTR:    u16 = 1 << 3;
    pub const DISPATCH_ID:            u16 = 1 << 4;
    pub const FLAT_SCRATCH_INIT:      u16 = 1 << 5;
    pub const PRIVATE_SEGMENT_SIZE:   u16 = 1 << 6;
}

/// One wave's registers at its first instruction. Registers that have no field here are undefined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InitialState {
    pub pc: u64,
    pub exec: u64,
    /// MODE: rounding, denormals, DX10 clamp, IEEE, exception enables, FP16 overflow.
    pub mode: u32,
    /// s0 and up.
    pub sgprs: Vec<u32>,
    /// v0 and up, a value per lane; lanes outside EXEC hold 0.
    pub vgprs: Vec<[u32; 64]>,
    /// Address of the wave's private memory: FLAT_SCRATCH on targets where hardware presets it.
    pub scratch_address: u64,
    /// Trap temporaries that carry workgroup ids since gfx12: TTMP7 and TTMP9. TTMP8 has the number of the wave in bits 29:25.
    pub ttmp7: u32,
    pub ttmp8: u32,
    pub ttmp9: u32,
    /// Shape of the workgroup and number of the wave in it, on which `exec` and `vgprs` depend.
    place: Option<([u32; 3], u32)>,
    /// A register's place among `sgprs`, and its index in `changed`; the first `asked` count.
    changing: [(usize, usize); 4],
    asked: usize,
    /// The workgroup's ids and the scratch offset.
    changed: [u32; 4],
}

impl InitialState {
    /// Tells `set` the SGPRs that differ from workgroup to workgroup.
    #[inline(always)]
    pub fn each_changing_sgpr(&self, mut set: impl FnMut(usize, u32)) {
        for &(register, which) in self.changing.iter().take(self.asked) {
            set(register, self.changed[which & 3]);
        }
    }
}

impl Dispatch {
    /// State of wave `wave` of `workgroup`, given its scratch slot (`slot < self.scratch.slots`, ignored without scratch)
    /// and `kernarg`: the first dwords of the kernel arguments, needed for [`Dispatch::preloaded_dwords`] only.
    pub fn initial_state(
        &self,
        workgroup: [u32; 3],
        wave: u32,
        slot: u32,
        kernarg: &[u32],
    ) -> InitialState {
        let mut state = InitialState::default();
        let place = (workgroup, self.workgroup_shape(workgroup));
        self.renew_initial_state(&mut state, place, wave, slot, kernarg);
        state
    }

    /// [`Dispatch::initial_state`] in the buffers of an earlier state of this dispatch, for a workgroup of this shape. The ids of work-items
    /// and the SGPRs of the launch are the same in nearly all workgroups and then stay. Returns `false` if only
    /// [`InitialState::each_changing_sgpr`] and the target's trap temporaries are new: `sgprs` are those of an earlier workgroup then.
    #[inline]
    pub fn renew_initial_state(
        &self,
        state: &mut InitialState,
        (workgroup, shape): ([u32; 3], [u32; 3]),
        wave: u32,
        slot: u32,
        kernarg: &[u32],
    ) -> bool {
        let place = (shape, wave);
        let is_new = state.place != Some(place);
        if is_new {
            state.place = Some(place);
            self.renew_all(state, workgroup, wave, slot, kernarg);
        }
        self.move_initial_state(state, workgroup, wave, slot);
        is_new
    }

    /// [`Dispatch::renew_initial_state`] for a state that is known to be one of such a workgroup.
    #[inline(always)]
    pub fn move_initial_state(
        &self,
        state: &mut InitialState,
        [x, y, z]: [u32; 3],
        wave: u32,
        slot: u32,
    ) {
        state.changed = [x, y, z, self.scratch_offset(slot)];
        state.scratch_address =
            self.scratch.base + u64::from(slot) * u64::from(self.scratch.wave_bytes);
        if self.has_ids_in_ttmps() {
            state.ttmp7 = y | z << 16;
            state.ttmp8 = (wave & 31) << 25;
            state.ttmp9 = x;
        }
    }

    /// Returns `true` if trap temporaries carry the ids of workgroups; elsewhere they are zeros.
    #[inline]
    pub fn has_ids_in_ttmps(&self) -> bool {
        self.target.family >= Family::Gfx12
    }

    /// Makes the part that is the same for all workgroups of one shape.
    #[cold]
    fn renew_all(
        &self,
        state: &mut InitialState,
        workgroup: [u32; 3],
        wave: u32,
        slot: u32,
        kernarg: &[u32],
    ) {
        state.exec = self.exec(workgroup, wave);
        state.vgprs = self.vgprs(workgroup, wave);
        state.pc = self.entry;
        state.mode = self.mode();
        state.sgprs.clear();
        self.user_sgprs(&mut state.sgprs, kernarg);
        let system = self.system_sgprs(workgroup, wave, slot);
        // The fourth is the same in all workgroups.
        let changing = [0, 1, 2, 4];
        state.asked = 0;
        for (which, index) in changing.into_iter().enumerate() {
            if system[index].is_some() {
                let before = system[..index].iter().flatten().count();
                state.changing[state.asked] = (state.sgprs.len() + before, which);
                state.asked += 1;
            }
        }
        state.sgprs.extend(system.iter().flatten());
    }

    /// Offset and number of the kernel argument dwords that arrive in SGPRs.
    pub fn preloaded_dwords(&self) -> (u32, u32) {
        (
            u32::from(self.descriptor.preload >> 7),
            u32::from(self.descriptor.preload & 0x7f),
        )
    }

    /// Active lanes of a wave: the last wave of a workgroup may be partial.
    pub fn exec(&self, workgroup: [u32; 3], wave: u32) -> u64 {
        let work_items: u32 = self.workgroup_shape(workgroup).iter().product();
        let active = work_items
            .saturating_sub(wave * self.wave_size)
            .min(self.wave_size);
        if active == 0 {
            0
        } else {
            u64::MAX >> (64 - active)
        }
    }

    /// The MODE register. Since gfx12 the DX10 clamp and IEEE bits of the descriptor mean something else; waves behave as if both
    /// were on, so that they are on here, though code cannot see them.
    pub fn mode(&self) -> u32 {
        let (rsrc1, rsrc2) = (self.descriptor.rsrc1, self.descriptor.rsrc2);
        let mut mode = rsrc1 >> 12 & 0xff;
        mode |= if self.target.family < Family::Gfx12 {
            (rsrc1 >> 21 & 1) << 8 | (rsrc1 >> 23 & 1) << 9
        } else {
            3 << 8
        };
        mode | (rsrc2 >> 24 & 0x7f) << 12 | (rsrc1 >> 26 & 1) << 23
    }

    /// The SGPRs that all waves of the launch start with.
    fn user_sgprs(&self, sgprs: &mut Vec<u32>, kernarg: &[u32]) {
        sgprs.reserve(SGPR_LIMIT);
        let enabled = |bit: u16| self.descriptor.properties & bit != 0;
        let architected = self.target.architected_flat_scratch;
        if enabled(property::PRIVATE_SEGMENT_BUFFER) && !architected {
            sgprs.extend(self.scratch_descriptor());
        }
        #[rustfmt::skip]
        let pairs = [
            (property::DISPATCH_PTR,        self.origin.packet_address),
            (property::QUEUE_PTR,           self.origin.queue_address),
            (property::KERNARG_SEGMENT_PTR, self.packet.kernarg_address),
            (property::DISPATCH_ID,         self.origin.dispatch_id),
            (property::FLAT_SCRATCH_INIT,   self.scratch.base),
        ];
        for (bit, value) in pairs {
            if enabled(bit) && !(bit == property::FLAT_SCRATCH_INIT && architected) {
                sgprs.extend([value as u32, (value >> 32) as u32]);
            }
        }
        if enabled(property::PRIVATE_SEGMENT_SIZE) {
            sgprs.push(self.packet.private_segment_size);
        }
        let (_, preloaded) = self.preloaded_dwords();
        sgprs.extend(kernarg.iter().take(preloaded as usize));
        sgprs.resize(self.user_sgpr_count(), 0);
    }

    /// System SGPRs begin where the descriptor says that user SGPRs end.
    fn user_sgpr_count(&self) -> usize {
        (self.descriptor.rsrc2 >> 1 & 0x1f) as usize
    }

    /// The SGPRs behind them, which say where a wave is. None: it does not ask for this one.
    fn system_sgprs(&self, workgroup: [u32; 3], wave: u32, slot: u32) -> [Option<u32>; 5] {
        let asks = |bit: u16| self.descriptor.rsrc2 >> bit & 1 != 0;
        let ids = self.target.family < Family::Gfx12;
        let scratch = !self.target.architected_flat_scratch;
        let [x, y, z] = workgroup;
        [
            (ids && asks(7)).then_some(x),
            (ids && asks(8)).then_some(y),
            (ids && asks(9)).then_some(z),
            asks(10).then(|| self.waves(workgroup) | u32::from(wave == 0) << 31),
            (scratch && asks(0)).then(|| self.scratch_offset(slot)),
        ]
    }

    #[inline]
    fn scratch_offset(&self, slot: u32) -> u32 {
        slot.wrapping_mul(self.scratch.wave_bytes)
    }

    /// The buffer descriptor of the scratch arena: swizzled, 4-byte elements, one lane per index.
    fn scratch_descriptor(&self) -> [u32; 4] {
        let base = self.scratch.base;
        let size = u64::from(self.scratch.slots) * u64::from(self.scratch.wave_bytes);
        const SWIZZLE: u32 = 1 << 31;
        /// Identity destination selects x, y, z, w.
        const SELECT_XYZW: u32 = 0xfac;
        const ADD_THREAD_ID: u32 = 1 << 23;
        let index_stride = if self.wave_size == 64 { 3 } else { 2 } << 21;
        let word3 = if self.target.family == Family::Gfx9 {
            // Number format uint, data format 32, element size 4 bytes: with index stride 64 this is 0x00ea4fac.
            SELECT_XYZW | 4 << 12 | 4 << 15 | 1 << 19 | index_stride | ADD_THREAD_ID
        } else {
            // Format 32_UINT, resource level 1, out-of-bounds check by offset.
            SELECT_XYZW | 0x14 << 12 | index_stride | ADD_THREAD_ID | 1 << 24 | 2 << 28
        };
        [
            base as u32,
            (base >> 32) as u32 & 0xffff | SWIZZLE,
            size.min(u64::from(u32::MAX)) as u32,
            word3,
        ]
    }

    /// Work-item ids: packed 10:10:10 into v0, or x, y, z in v0 to v2 as far as the descriptor asks.
    fn vgprs(&self, workgroup: [u32; 3], wave: u32) -> Vec<[u32; 64]> {
        let [size_x, size_y, size_z] = self.workgroup_shape(workgroup);
        let work_items = size_x * size_y * size_z;
        let first = wave * self.wave_size;
        let packed = self.target.packed_work_item_ids;
        let registers = if packed {
            1
        } else {
            (self.descriptor.rsrc2 >> 11 & 3).min(2) as usize + 1
        };
        let mut vgprs = vec![[0; 64]; registers];
        let (mut x, mut y, mut z) = (
            first % size_x,
            first / size_x % size_y,
            first / (size_x * size_y),
        );
        for lane in 0..self.wave_size.min(work_items.saturating_sub(first)) as usize {
            if packed {
                vgprs[0][lane] = x | y << 10 | z << 20;
            } else {
                for (register, id) in vgprs.iter_mut().zip([x, y, z]) {
                    register[lane] = id;
                }
            }
            x += 1;
            if x == size_x {
                (x, y) = (0, y + 1);
            }
            if y == size_y {
                (y, z) = (0, z + 1);
            }
        }
        vgprs
    }
}

#[cfg(test)]
mod tests {
    use aql::KernelDispatchPacket;
    use gfx::Target;

    use super::*;
    use crate::dispatch::{Descriptor, Origin, Scratch};

    fn dispatch(
        target: &str,
        workgroup: [u16; 3],
        grid: [u32; 3],
        rsrc1: u32,
        rsrc2: u32,
        properties: u16,
    ) -> Dispatch {
        let packet = KernelDispatchPacket {
            setup: 3,
            workgroup_size: workgroup,
            grid_size: grid,
            kernel_object: 0x1000,
            kernarg_address: 0x7fff_0000_1000,
            private_segment_size: 1216,
            ..Default::default()
        };
        let origin = Origin {
            packet_address: 0x1_0000_0040,
            queue_address: 0x2_0000_0080,
            dispatch_id: 5,
            ..Default::default()
        };
        let descriptor = Descriptor {
            entry_offset: 256,
            rsrc1,
            rsrc2,
            properties,
            ..Default::default()
        };
        let mut dispatch =
            Dispatch::prepare(Target::find(target).unwrap(), origin, packet, descriptor).unwrap();
        dispatch.scratch = Scratch {
            base: 0x7abc_1234_5000,
            slots: 8,
            ..dispatch.scratch
        };
        dispatch
    }

    #[test]
    fn vadd_on_gfx90a() {
        // rsrc1 00af0040, rsrc2 90, properties 0b: buffer, dispatch pointer, kernarg pointer, workgroup id x.
        let state = dispatch("gfx90a", [128, 1, 1], [1000, 1, 1], 0x00af_0040, 0x90, 0x0b)
            .initial_state([7, 0, 0], 1, 0, &[]);
        assert_eq!(state.sgprs.len(), 9);
        assert_eq!(state.sgprs[4..6], [0x40, 1]);
        assert_eq!(state.sgprs[6..8], [0x1000, 0x7fff]);
        assert_eq!(state.sgprs[8], 7);
        assert_eq!(state.exec, (1 << 40) - 1, "1000 - 7 * 128 - 64 work-items");
        assert_eq!(state.mode, 0x3f0, "all denormals, DX10 clamp, IEEE");
        assert_eq!(
            (
                state.vgprs.len(),
                state.vgprs[0][0],
                state.vgprs[0][39],
                state.vgprs[0][40]
            ),
            (1, 64, 103, 0)
        );
    }

    #[test]
    fn scratch_on_gfx9() {
        // rsrc2 91, properties 29: buffer, kernarg, flat scratch init; workgroup id x, wave offset.
        let state = dispatch("gfx906", [64, 1, 1], [64, 1, 1], 0x00af_0040, 0x91, 0x29)
            .initial_state([0; 3], 0, 2, &[]);
        assert_eq!(
            state.sgprs[..4],
            [0x1234_5000, 0x8000_7abc, 8 * 76 * 1024, 0x00ea_4fac]
        );
        assert_eq!(state.sgprs[6..8], [0x1234_5000, 0x7abc]);
        assert_eq!(state.sgprs[8..], [0, 2 * 76 * 1024]);
    }

    #[test]
    fn all_user_and_system_registers_in_order() {
        // 16 user SGPRs, one of them unnamed padding; ids x, y, z, info, wave offset.
        let rsrc2 = 1 | 16 << 1 | 0xf << 7;
        let state = dispatch("gfx908", [64, 2, 1], [64, 4, 3], 0, rsrc2, 0x7f).initial_state(
            [0, 1, 2],
            0,
            1,
            &[],
        );
        assert_eq!(
            state.sgprs[4..14],
            [0x40, 1, 0x80, 2, 0x1000, 0x7fff, 5, 0, 0x1234_5000, 0x7abc]
        );
        assert_eq!(
            state.sgprs[14..],
            [1216, 0, 0, 1, 2, 0x8000_0002, 76 * 1024]
        );
    }

    #[test]
    fn work_item_ids_packed_and_apart() {
        let packed = dispatch("gfx90a", [8, 4, 4], [8, 4, 4], 0, 2 << 11, 0);
        assert_eq!(
            packed.initial_state([0; 3], 1, 0, &[]).vgprs[0][13],
            5 | 1 << 10 | 2 << 20
        );
        let apart = dispatch("gfx1030", [8, 4, 4], [8, 4, 4], 0, 1 << 11, 1 << 10);
        let state = apart.initial_state([0; 3], 3, 0, &[]);
        assert_eq!(
            (state.vgprs.len(), state.vgprs[0][13], state.vgprs[1][13]),
            (2, 5, 1)
        );
        assert_eq!(state.exec, 0xffff_ffff);
    }

    #[test]
    fn architected_scratch_needs_no_registers() {
        let rsrc2 = 1 | 2 << 1 | 1 << 7;
        let state = dispatch("gfx942", [64, 1, 1], [256, 1, 1], 0, rsrc2, 0x8).initial_state(
            [3, 0, 0],
            0,
            3,
            &[],
        );
        assert_eq!(state.sgprs, [0x1000, 0x7fff, 3]);
        assert_eq!(state.scratch_address, 0x7abc_1234_5000 + 3 * 76 * 1024);
    }

    #[test]
    fn workgroup_ids_in_trap_temporaries_on_gfx12() {
        // rsrc2: two user SGPRs, ids x, y, z asked for.
        let dispatch = dispatch(
            "gfx1201",
            [64, 1, 1],
            [640, 5, 4],
            0xf << 16,
            2 << 1 | 7 << 7,
            0x8 | 1 << 10,
        );
        let state = dispatch.initial_state([9, 4, 3], 1, 0, &[]);
        assert_eq!(state.sgprs, [0x1000, 0x7fff], "ids are no SGPRs");
        assert_eq!((state.ttmp9, state.ttmp7), (9, 4 | 3 << 16));
        assert_eq!(state.ttmp8, 1 << 25);
        assert_eq!(state.mode, 0x3f0);
        assert_eq!(state.vgprs[0][5], 37, "the second wave32");
    }

    #[test]
    fn exceptions_and_overflow_reach_mode() {
        let mode = dispatch(
            "gfx90a",
            [64, 1, 1],
            [64, 1, 1],
            1 << 26 | 0x5 << 12,
            0x41 << 24,
            0,
        )
        .mode();
        assert_eq!(mode, 1 << 23 | 0x41 << 12 | 0x5);
    }
}
