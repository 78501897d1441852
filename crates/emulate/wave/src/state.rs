//! Architectural state of one wavefront.

use std::sync::Arc;

use crate::{Segment, clock::Clock, mode::Mode, row_set::RowSet, spin::Seen};

pub use vectors::LANES;
pub(crate) use vectors::VectorRow;

/// Scalar registers by their operand number: SGPRs, then FLAT_SCRATCH/XNACK_MASK/VCC, trap temporaries, M0, NULL, EXEC.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct ScalarFile(pub [u32; SCALARS]);

impl Default for ScalarFile {
    fn default() -> ScalarFile {
        ScalarFile([0; SCALARS])
    }
}

/// Operand numbers 0 to 127, then a sink for writes to NULL (up to 16 words).
pub(crate) const SCALARS: usize = 144;

/// Operand numbers of the special scalar registers, equal on gfx9 and gfx10.
pub mod sreg {
    pub const VCC: usize = isa::numbers::VCC as usize;
    pub const M0: usize = isa::numbers::M0 as usize;
    pub const NULL: usize = 125;
    pub const EXEC: usize = isa::numbers::EXEC as usize;
    /// The row that takes writes to NULL.
    pub const SINK: usize = 128;
}

/// The state that a wave starts with.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    pub mode: u32,
    pub exec: u64,
    pub scalars: &'a Preset,
    /// Vector registers from the first one on.
    pub vectors: &'a [[u32; LANES]],
}

/// All scalar registers as waves start with them: to copy them takes less time than to clear them and to set some.
#[derive(Clone, Debug)]
pub struct Preset(ScalarFile);

impl Preset {
    /// `first` from the first one on, all others zero.
    pub fn new(first: &[u32]) -> Preset {
        let mut scalars = ScalarFile([0; SCALARS]);
        scalars.0[..first.len()].copy_from_slice(first);
        Preset(scalars)
    }
}

/// Rows behind the kernel's own registers that operand ports use as scratch space; see [`crate::ports`].
pub(crate) const TEMPORARY_ROWS: usize = 16;

/// One wavefront. Everything an instruction can read or write, except memory and LDS.
#[derive(Clone, Debug)]
pub struct Wave {
    /// VGPRs, then AccVGPRs (for a unified file both lie in one run), then [`TEMPORARY_ROWS`].
    pub(crate) rows: Box<[VectorRow]>,
    pub(crate) temporaries: usize,
    /// Rows that may hold something else than zeros.
    dirty: RowSet,
    pub(crate) scalars: ScalarFile,
    pub(crate) scc: bool,
    /// EXEC expanded to one word of zeros or ones per lane; follows EXEC through [`Wave::sync_exec`].
    pub(crate) exec_lanes: VectorRow,
    /// All lanes are active; follows EXEC like `exec_lanes`.
    pub(crate) all_lanes: bool,
    /// Groups of 16 lanes if all lanes are active and the host has what [`vectors::full_wave`] needs, else 0.
    pub(crate) wide: usize,
    /// `wide`, if MODE is the usual one, else 0.
    pub(crate) wide_and_plain: usize,
    /// The host has AVX2.
    pub(crate) avx2: bool,
    /// The host has AVX-512, and hot rows use it.
    pub(crate) avx512: bool,
    /// EXEC that `exec_lanes` stands for.
    expanded: u64,
    /// Lanes that EXEC enables.
    pub(crate) active_lanes: u32,
    /// EXEC to return to after an instruction whose DPP control disables lanes.
    pub(crate) exec_outside: Option<u64>,
    /// Loops that have host code are left to it.
    pub(crate) takes_loops: bool,
    /// Groups of lanes that a body has already done before it left the rest to its general copy.
    pub(crate) groups_done: usize,
    pub(crate) mode: Mode,
    /// 64 or 32.
    pub(crate) wave_size: u32,
    /// EXEC of a wave with all lanes on.
    pub(crate) full: u64,
    /// Host loop count: groups of 16 lanes.
    pub(crate) groups: usize,
    pub(crate) segment: Arc<Segment>,
    /// Next micro-op in `segment`.
    pub(crate) next: usize,
    /// Address to continue at when control leaves `segment`.
    pub(crate) next_pc: u64,
    /// Wave number within its workgroup.
    pub index_in_workgroup: u32,
    /// Unique, stable number shown by HW_ID and used for diagnostics.
    pub slot: u32,
    /// Number of the die it runs on, which XCC_ID shows.
    pub compute_die: u32,
    /// Values of SRC_SHARED_BASE and SRC_PRIVATE_BASE (64-bit apertures).
    pub shared_aperture: u64,
    pub private_aperture: u64,
    /// Host address and size in bytes per lane of this wave's scratch, dwords swizzled by lane.
    pub scratch_base: u64,
    pub scratch_bytes_per_lane: u32,
    /// FLAT_SCR of gfx10, which the wave sets itself.
    pub(crate) flat_scratch: [u32; 2],
    /// Bytes of LDS the workgroup owns.
    pub lds_bytes: u32,
    /// gfx9 VGPR index mode is on (s_set_gpr_idx_*); M0 holds enables and index.
    pub(crate) gpr_index_mode: u8,
    /// How often the wave has passed the workgroup's split barrier.
    pub(crate) barriers_passed: u64,
    /// The wave waits at the workgroup's split barrier.
    pub(crate) at_split_barrier: bool,
    /// Ticket of the device-wide barrier this wave waits at.
    pub(crate) barrier_ticket: Option<u64>,
    /// Behind the instruction that stopped the wave, if another one executed it.
    pub(crate) stopped_inside: Option<usize>,
    /// Taken backward branches that were left of the wave's slice when it stopped.
    pub slice_left: u32,
    /// The call of an allocator's function that it is in.
    pub(crate) allocates: Option<crate::allocator::Call>,
    /// The data that [`crate::Watch`] keeps with it.
    pub(crate) watched: u32,
    /// Its time.
    pub(crate) clock: Clock,
    /// The registers of an earlier look, while it may only wait. The memory stays for the next wave.
    pub(crate) seen: Option<Box<Seen>>,
    /// The reason why the wave stopped, when a handler returned `STOP`.
    pub(crate) stop: Option<crate::engine::Stop>,
}

impl Wave {
    /// A wave at micro-op 0 of `segment` with all registers zero and EXEC full.
    ///
    /// `vector_rows` counts VGPRs plus AccVGPRs.
    ///
    /// # Panics
    /// If `segment` was decoded for another number of rows.
    pub fn new(segment: Arc<Segment>, vector_rows: usize, wave_size: u32, mode: u32) -> Wave {
        assert_eq!(segment.vector_rows, vector_rows, "code for other registers");
        let full = if wave_size == 64 { !0 } else { 0xffff_ffff };
        let mut wave = Wave {
            rows: vec![VectorRow::ZERO; vector_rows + TEMPORARY_ROWS].into_boxed_slice(),
            temporaries: vector_rows,
            dirty: segment.written,
            scalars: ScalarFile([0; SCALARS]),
            scc: false,
            exec_lanes: VectorRow::ZERO,
            all_lanes: false,
            wide: 0,
            wide_and_plain: 0,
            avx2: vectors::level::has_avx2(),
            avx512: vectors::level::has_avx512(),
            expanded: 0,
            active_lanes: 0,
            exec_outside: None,
            takes_loops: false,
            groups_done: 0,
            mode: Mode::new(mode),
            wave_size,
            full,
            groups: wave_size as usize / 16,
            segment,
            next: 0,
            next_pc: 0,
            index_in_workgroup: 0,
            slot: 0,
            compute_die: 0,
            shared_aperture: 0,
            private_aperture: 0,
            scratch_base: 0,
            scratch_bytes_per_lane: 0,
            flat_scratch: [0; 2],
            lds_bytes: 0,
            gpr_index_mode: 0,
            barriers_passed: 0,
            at_split_barrier: false,
            barrier_ticket: None,
            stopped_inside: None,
            slice_left: 0,
            allocates: None,
            watched: 0,
            clock: Clock::default(),
            seen: None,
            stop: None,
        };
        wave.set_exec(full);
        wave
    }

    /// Brings a used wave back to the state of [`Wave::new`] without allocating, but with `first` in its first vector registers. Rows
    /// that nothing can have written hold zeros still.
    pub fn restart(&mut self, segment: &Arc<Segment>, mode: u32, first: &[[u32; LANES]]) {
        const NO_SGPRS: &Preset = &Preset(ScalarFile([0; SCALARS]));
        let start = Start {
            mode,
            exec: self.full,
            scalars: NO_SGPRS,
            vectors: first,
        };
        self.begin(segment, &start);
    }

    /// [`Wave::restart`] with all that a wave starts with.
    pub fn begin(&mut self, segment: &Arc<Segment>, start: &Start<'_>) {
        self.renew_registers(start);
        if let Some(seen) = &mut self.seen {
            seen.begin();
        }
        // Not the union of both in place: the host would have to wait for words that it has just written one by one.
        self.dirty = segment.written;
        self.dirty.add_first(start.vectors.len());
        self.scc = false;
        if self.mode.bits() != start.mode {
            self.set_mode(Mode::new(start.mode));
        }
        // Not cloned without need: all threads would write its count.
        if !Arc::ptr_eq(&self.segment, segment) {
            self.enter(segment.clone());
        }
        self.next = 0;
        self.exec_outside = None;
        self.flat_scratch = [0; 2];
        self.gpr_index_mode = 0;
        self.barriers_passed = 0;
        self.at_split_barrier = false;
        self.barrier_ticket = None;
        self.stopped_inside = None;
        self.allocates = None;
        self.watched = 0;
        self.takes_loops = false;
        self.clock = Clock::default();
        self.stop = None;
        self.set_exec(start.exec);
    }

    /// Gives all registers their first values.
    #[inline(always)]
    fn renew_registers(&mut self, start: &Start<'_>) {
        let first = start.vectors;
        #[cfg(target_arch = "x86_64")]
        if self.avx512 && self.temporaries <= 64 && first.len() < 64 {
            assert!(first.len() <= self.rows.len() && self.temporaries < self.rows.len());
            const { assert!(SCALARS.is_multiple_of(16)) };
            let below = |count: usize| u64::MAX >> (64 - count.max(1));
            let others = !0 << first.len();
            let clear = self.dirty.first_word() & others & below(self.temporaries);
            let scalars = (start.scalars.0.0.as_ptr(), self.scalars.0.as_mut_ptr());
            let (groups, rows) = (self.groups(), self.rows.as_mut_ptr());
            // SAFETY: the host has AVX-512. Both scalar files have `SCALARS` words, and the rows of `clear` and `first` are there.
            unsafe {
                vectors::block::start::<{ SCALARS / 16 }>(groups, scalars, rows, clear, first);
            }
            return;
        }
        self.dirty.remove_first(first.len());
        self.clear_dirty();
        for (index, lanes) in first.iter().enumerate() {
            self.set_first_row(index, lanes);
        }
        self.preset(start.scalars);
    }

    /// Gives all scalar registers their first values.
    #[inline(always)]
    fn preset(&mut self, preset: &Preset) {
        let from = &preset.0;
        #[cfg(target_arch = "x86_64")]
        if self.avx2 {
            const { assert!(SCALARS.is_multiple_of(16)) };
            let (from, to) = (from.0.as_ptr(), self.scalars.0.as_mut_ptr());
            // SAFETY: the host has AVX2, and AVX-512 if it says so; both have as many words.
            unsafe { vectors::full_wave::copy_lines(self.avx512, SCALARS / 16, from, to) };
            return;
        }
        self.scalars = from.clone();
    }

    /// Sets the lanes of row `index` that the wave has.
    #[inline(always)]
    fn set_first_row(&mut self, index: usize, lanes: &[u32; LANES]) {
        let row = &mut self.rows[index];
        #[cfg(target_arch = "x86_64")]
        if self.avx2 {
            let groups = self.groups.min(LANES / 16);
            // SAFETY: the host has AVX2, and AVX-512 if it says so; both have as many words.
            unsafe {
                vectors::full_wave::copy(self.avx512, groups, lanes.as_ptr(), row.0.as_mut_ptr());
            }
            return;
        }
        row.0 = *lanes;
    }

    /// Makes the dirty rows zeros, as far as the wave has lanes.
    fn clear_dirty(&mut self) {
        let rows = &mut self.rows[..];
        #[cfg(target_arch = "x86_64")]
        if self.avx2 {
            let groups = self.groups.min(LANES / 16);
            self.dirty.for_each_word(self.temporaries, |first, set| {
                let rows = &mut rows[first..];
                debug_assert!(
                    set.checked_ilog2()
                        .is_none_or(|last| (last as usize) < rows.len())
                );
                // SAFETY: the host has AVX2, and AVX-512 if it says so. Each bit stands for one of the rows.
                unsafe {
                    vectors::full_wave::clear(self.avx512, groups, rows.as_mut_ptr(), set);
                }
            });
            return;
        }
        self.dirty
            .for_each(self.temporaries, |row| rows[row] = VectorRow::ZERO);
    }

    /// Gives all registers that a wave does not start with values of their own. EXEC keeps its.
    pub fn fill(&mut self, mut word: impl FnMut() -> u32) {
        for (number, row) in self.rows[..self.temporaries].iter_mut().enumerate() {
            self.dirty.add(number);
            row.0.iter_mut().for_each(|register| *register = word());
        }
        let scalars = self.scalars.0[..sreg::NULL].iter_mut();
        scalars.for_each(|register| *register = word());
        self.flat_scratch = [word(), word()];
    }

    /// Makes `segment` the code that executes.
    pub(crate) fn enter(&mut self, segment: Arc<Segment>) {
        // Bodies rely on this: see `Wave::operands`.
        assert_eq!(
            segment.vector_rows, self.temporaries,
            "code for other registers"
        );
        self.dirty.unite(&segment.written);
        self.segment = segment;
    }

    /// Groups of 16 lanes, with a bound that the compiler knows.
    #[inline(always)]
    pub(crate) fn groups(&self) -> usize {
        self.groups.min(LANES / 16)
    }

    pub fn wave_size(&self) -> u32 {
        self.wave_size
    }

    pub fn sgpr(&self, index: usize) -> u32 {
        self.scalars.0[index]
    }

    /// Scalar registers by their operand number.
    pub fn sgprs(&self) -> &[u32] {
        &self.scalars.0
    }

    #[inline]
    pub fn set_sgpr(&mut self, index: usize, value: u32) {
        self.scalars.0[index] = value;
    }

    /// Sets the first scalar registers.
    pub fn set_first_sgprs(&mut self, values: &[u32]) {
        self.scalars.0[..values.len()].copy_from_slice(values);
    }

    pub fn vgpr(&self, index: usize, lane: usize) -> u32 {
        self.rows[index].0[lane]
    }

    /// All lanes of a register.
    pub fn vgpr_row(&self, index: usize) -> &[u32; LANES] {
        &self.rows[index].0
    }

    pub fn set_vgpr(&mut self, index: usize, lane: usize, value: u32) {
        self.dirty.add(index);
        self.rows[index].0[lane] = value;
    }

    /// Sets all lanes of a register.
    pub fn set_vgpr_row(&mut self, index: usize, lanes: &[u32; LANES]) {
        self.dirty.add(index);
        self.rows[index].0 = *lanes;
    }

    /// Number of VGPR plus AccVGPR rows.
    pub fn vector_rows(&self) -> usize {
        self.temporaries
    }

    pub fn scc(&self) -> bool {
        self.scc
    }

    pub fn set_scc(&mut self, value: bool) {
        self.scc = value;
    }

    pub fn mode(&self) -> u32 {
        self.mode.bits()
    }

    pub(crate) fn set_mode(&mut self, mode: Mode) {
        self.mode = mode;
        self.wide_and_plain = if mode.plain { self.wide } else { 0 };
    }

    #[inline(always)]
    pub fn exec(&self) -> u64 {
        self.mask(sreg::EXEC) & self.full
    }

    pub fn set_exec(&mut self, value: u64) {
        self.set_scalar64(sreg::EXEC, value & self.full);
        self.sync_exec();
    }

    #[inline(always)]
    pub fn vcc(&self) -> u64 {
        self.mask(sreg::VCC) & self.full
    }

    /// Returns `true` if the wave stopped at a barrier that opens by itself, not when all waves have stopped at it.
    pub fn is_at_split_barrier(&self) -> bool {
        self.at_split_barrier
    }

    /// Returns `true` if the wave waits at a barrier or a semaphore of the whole device.
    pub fn is_at_device_barrier(&self) -> bool {
        self.barrier_ticket.is_some()
    }

    /// Returns `true` if a wave that waits at `barrier` may go on, which it then has to do.
    pub fn may_pass(&mut self, barrier: &crate::SplitBarrier) -> bool {
        let open = barrier.pass(&mut self.barriers_passed);
        self.at_split_barrier &= !open;
        open
    }

    /// Returns `true` if [`Wave::may_pass`] would.
    pub fn would_pass(&self, barrier: &crate::SplitBarrier) -> bool {
        let mut passed = self.barriers_passed;
        barrier.pass(&mut passed)
    }

    /// Address of the next instruction, for diagnostics and single-stepping.
    pub fn pc(&self) -> u64 {
        self.segment.pc_of(self.next)
    }

    /// Two scalar registers. Each is loaded by itself: a load of both stalls where instructions have just written them one by one, or
    /// one of them alone.
    #[inline(always)]
    pub(crate) fn scalar64(&self, index: usize) -> u64 {
        let pair: &[u32; 2] = self.scalars.0[index..].first_chunk().expect("a pair");
        // SAFETY: a reference to an initialised word. (Of two usual loads the compiler makes one.)
        let [low, high] = pair
            .each_ref()
            .map(|word| unsafe { std::ptr::read_volatile(word) });
        u64::from(low) | u64::from(high) << 32
    }

    /// Both words at once.
    #[inline(always)]
    pub(crate) fn set_scalar64(&mut self, index: usize, value: u64) {
        let pair = self.scalars.0[index..].first_chunk_mut().expect("a pair");
        *pair = [value as u32, (value >> 32) as u32];
    }

    /// Writes a lane mask (VCC, a carry or a compare result): 64 bits in wave64, one SGPR in wave32.
    #[inline(always)]
    pub(crate) fn set_mask(&mut self, index: usize, value: u64) {
        if self.wave_size == 64 {
            self.set_scalar64(index, value);
        } else {
            self.scalars.0[index] = value as u32;
        }
    }

    /// Reads a lane mask. The word that a wave32 has not written with it stays out of it, as in [`Wave::uniform32`].
    #[inline(always)]
    pub(crate) fn mask(&self, index: usize) -> u64 {
        if self.wave_size == 64 {
            // Instructions that write masks write both words at once.
            let [low, high] = *self.scalars.0[index..].first_chunk().expect("a pair");
            u64::from(low) | u64::from(high) << 32
        } else {
            // The compiler makes one load of both words of two usual loads, and it stalls where an instruction has just written this one.
            // SAFETY: a reference to an initialised word.
            u64::from(unsafe { std::ptr::read_volatile(&raw const self.scalars.0[index]) })
        }
    }

    /// Returns `true` if EXEC has other lanes than what was made of it.
    #[inline(always)]
    pub(crate) fn has_other_lanes(&self) -> bool {
        self.exec() != self.expanded
    }

    /// Recomputes the lane expansion after EXEC was written.
    #[inline(always)]
    pub(crate) fn sync_exec(&mut self) {
        if self.has_other_lanes() {
            self.expand_exec();
        }
    }

    fn expand_exec(&mut self) {
        let exec = self.exec();
        self.expanded = exec;
        self.active_lanes = exec.count_ones();
        self.all_lanes = exec == self.full;
        self.wide = if self.all_lanes && self.avx2 {
            self.groups
        } else {
            0
        };
        self.wide_and_plain = if self.mode.plain { self.wide } else { 0 };
        #[cfg(target_arch = "x86_64")]
        if self.avx2 {
            // SAFETY: the host has AVX2, and AVX-512 if it says so.
            unsafe {
                match self.avx512 {
                    true => {
                        vectors::full_wave::expand512(self.groups, exec, &mut self.exec_lanes);
                    }
                    false => vectors::full_wave::expand(exec, &mut self.exec_lanes),
                }
            }
            return;
        }
        expand(exec, &mut self.exec_lanes);
    }
}

/// One word of ones per set bit.
#[inline(always)]
pub(crate) fn expand(mask: u64, row: &mut VectorRow) {
    for quad in 0..LANES / 4 {
        let words: &mut [u32; 4] = row.0[4 * quad..].first_chunk_mut().expect("a quad");
        *words = QUADS[(mask >> (4 * quad)) as usize & 15];
    }
}

/// The expansion of every four bits: a look-up is quicker than arithmetic without wide vectors.
const QUADS: [[u32; 4]; 16] = {
    let mut quads = [[0; 4]; 16];
    let mut bits = 0;
    while bits < 64 {
        if (bits / 4) >> (bits % 4) & 1 != 0 {
            quads[bits / 4][bits % 4] = !0;
        }
        bits += 1;
    }
    quads
};
