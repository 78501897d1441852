//! Hardware registers that `s_getreg` and `s_setreg` name: which a target has, and what of them is modelled.
//!
//! One row per register and range of targets. A register that is not modelled, in part or as a whole, stops the wave
//! with its name: a value made up here would be believed. Unprivileged writes reach MODE and, where it exists,
//! FLAT_SCR; writes to other registers that exist change nothing, as in hardware. Layouts are those of the ISA manuals
//! and of the kernel driver's trap handlers; numbers, names and targets are LLVM's (a test compares them).
//!
//! Registers that describe a wave's allocation show its sizes where the units are known. They do not show where the
//! allocation begins in a register file or in LDS, for there is no such place here. They do not show the number of
//! SGPRs, for which manuals and driver have different units. Nor do they show sizes where the hardware gives more than
//! the kernel asks for (since gfx10.3 and on gfx950), because it is not published which of both it shows.

use gfx::{Family, Target};

use crate::{Mode, engine::Env, micro_op::HardwareRegister, rows::SKIP_VECTOR, state::Wave};

use Family::{Gfx9, Gfx10, Gfx10_3, Gfx11, Gfx12, Gfx12_5};

/// One register on some targets.
pub(crate) struct Register {
    number: u16,
    name: &'static str,
    exists: fn(&Target) -> bool,
    /// Bits that can be read.
    readable: u32,
    /// The last argument is the time of a look at a clock, in cycles since the dispatch began.
    read: fn(&Wave, &Env<'_>, u64) -> u32,
    write: Write,
    /// It shows time, so who looks at it again and again waits.
    is_clock: bool,
}

enum Write {
    /// An unprivileged wave changes nothing.
    Nothing,
    To(fn(&mut Wave, u32)),
    /// The effect of a write is not modelled.
    Unknown,
}

/// Nothing of it can be read.
const HIDDEN: Register = Register {
    number: 0,
    name: "",
    exists: |_| false,
    readable: 0,
    read: |_, _, _| 0,
    write: Write::Nothing,
    is_clock: false,
};

const fn hidden(number: u16, name: &'static str, exists: fn(&Target) -> bool) -> Register {
    Register {
        number,
        name,
        exists,
        ..HIDDEN
    }
}

fn gfx9(target: &Target) -> bool {
    target.family == Gfx9
}
fn gfx940(target: &Target) -> bool {
    gfx9(target) && target.architected_flat_scratch
}
fn gfx9_two_files(target: &Target) -> bool {
    gfx9(target) && !target.unified_register_file
}
fn gfx9_one_file(target: &Target) -> bool {
    gfx9(target) && target.unified_register_file
}
fn small_lds_granule(target: &Target) -> bool {
    target.family <= Gfx10 && target.lds_bytes <= 64 << 10
}
fn large_lds_granule(target: &Target) -> bool {
    !small_lds_granule(target)
}
fn gfx10(target: &Target) -> bool {
    matches!(target.family, Gfx10 | Gfx10_3)
}
fn gfx10_1(target: &Target) -> bool {
    target.family == Gfx10
}
fn gfx11(target: &Target) -> bool {
    target.family == Gfx11
}
fn to_gfx10(target: &Target) -> bool {
    target.family < Gfx11
}
fn to_gfx11(target: &Target) -> bool {
    target.family < Gfx12
}
fn since_gfx10(target: &Target) -> bool {
    target.family >= Gfx10
}
fn since_gfx10_3(target: &Target) -> bool {
    target.family >= Gfx10_3
}
fn short_clock(target: &Target) -> bool {
    matches!(target.family, Gfx10_3 | Gfx11)
}
fn since_gfx12(target: &Target) -> bool {
    target.family >= Gfx12
}
fn since_gfx12_5(target: &Target) -> bool {
    target.family >= Gfx12_5
}

/// MODE bits that gfx12 does not have. The wave keeps them set, because it behaves as others do that have them set.
const GONE_ON_GFX12: u32 = 3 << 8;
const STATE_SCC: u32 = 1 << 9;
const STATUS_SCC: u32 = 1;
const STATUS_EXECZ: u32 = 1 << 9;
const STATUS_VCCZ: u32 = 1 << 10;

/// Field of GPR_ALLOC.
const VGPR_SIZE: u32 = 0x3f << 8;
/// Bytes of LDS are given out in these, and counted in those.
const LDS_GRANULE: u32 = 512;
const LDS_UNIT: u32 = 256;

fn vgpr_size(_: &Wave, env: &Env<'_>, _: u64) -> u32 {
    last_granule(env.program.config().agpr_base, 4) << 8
}

/// The number of granules less one; there is always at least one.
fn last_granule(count: u32, granule: u32) -> u32 {
    count.div_ceil(granule).saturating_sub(1)
}

fn status(wave: &Wave, _: &Env<'_>, _: u64) -> u32 {
    let bit = |set, bit| if set { bit } else { 0 };
    bit(wave.scc, STATUS_SCC)
        | bit(wave.exec() == 0, STATUS_EXECZ)
        | bit(wave.vcc() == 0, STATUS_VCCZ)
}

fn cycles(env: &Env<'_>, elapsed: u64) -> u64 {
    env.host.core_time(env.program.config().target, elapsed)
}

/// Wave slot, SIMD, compute unit or work-group processor, and shader engine of a wave: distinct for waves that run together.
fn place(wave: &Wave) -> [u32; 4] {
    let slot = wave.slot;
    [slot & 15, slot >> 4 & 3, slot >> 6 & 15, slot >> 10 & 3]
}

#[rustfmt::skip]
static REGISTERS: &[Register] = &[
    Register { number: 1, name: "MODE", exists: to_gfx11, readable: !0, read: |wave, _, _| wave.mode.bits(),
               write: Write::To(|wave, value| wave.set_mode(Mode::new(value))), ..HIDDEN },
    Register { number: 1, name: "MODE", exists: since_gfx12, readable: !0, read: |wave, _, _| wave.mode.bits() & !GONE_ON_GFX12,
               write: Write::To(|wave, value| wave.set_mode(Mode::new(value | GONE_ON_GFX12))), ..HIDDEN },
    Register { number: 2, name: "STATUS", exists: to_gfx11, readable: STATUS_SCC | STATUS_EXECZ | STATUS_VCCZ, read: status, ..HIDDEN },
    // SCC is in STATE_PRIV there.
    Register { number: 2, name: "STATUS", exists: since_gfx12, readable: STATUS_EXECZ | STATUS_VCCZ, read: status, ..HIDDEN },
    // Exceptions are not collected, so nothing can be said of them, nor do they go away.
    Register { write: Write::Unknown, ..hidden(3, "TRAPSTS", to_gfx11) },
    Register { number: 4, name: "HW_ID", exists: gfx9, readable: !0, read: |wave, _, _| {
                   let [wave, simd, unit, engine] = place(wave);
                   wave | simd << 4 | unit << 8 | engine << 13
               }, ..HIDDEN },
    Register { number: 4, name: "STATE_PRIV", exists: since_gfx12, readable: STATE_SCC, read: |wave, _, _| if wave.scc { STATE_SCC } else { 0 }, ..HIDDEN },
    Register { number: 5, name: "GPR_ALLOC", exists: gfx9_two_files, readable: VGPR_SIZE, read: vgpr_size, ..HIDDEN },
    // The size of both files together, and where AccVGPRs begin.
    Register { number: 5, name: "GPR_ALLOC", exists: gfx9_one_file, readable: 0x3f << 6 | 0x3f << 12, read: |_, env, _| {
                   let config = env.program.config();
                   last_granule(config.vector_rows, 8) << 6 | last_granule(config.agpr_base, 4) << 12
               }, ..HIDDEN },
    Register { number: 5, name: "GPR_ALLOC", exists: gfx10_1, readable: VGPR_SIZE, read: vgpr_size, ..HIDDEN },
    hidden(5, "GPR_ALLOC", since_gfx10_3),
    Register { number: 6, name: "LDS_ALLOC", exists: small_lds_granule, readable: 0x1ff << 12,
               read: |wave, _, _| (wave.lds_bytes.next_multiple_of(LDS_GRANULE) / LDS_UNIT) << 12, ..HIDDEN },
    hidden(6, "LDS_ALLOC", large_lds_granule),
    // Counters of instructions that are not finished, and of those that are repeated after a page fault: there are neither.
    Register { number: 7, name: "IB_STS", exists: to_gfx11, readable: !0, ..HIDDEN },
    hidden(7, "IB_STS", since_gfx12),
    hidden(10, "PERF_SNAPSHOT_DATA", since_gfx12),
    hidden(11, "PERF_SNAPSHOT_PC_LO", since_gfx12),
    hidden(12, "PERF_SNAPSHOT_PC_HI", since_gfx12),
    Register { number: 15, name: "SH_MEM_BASES", exists: to_gfx11, readable: !0,
               read: |wave, _, _| ((wave.shared_aperture >> 48) as u32) << 16 | (wave.private_aperture >> 48) as u32, ..HIDDEN },
    hidden(15, "PERF_SNAPSHOT_DATA1", since_gfx12),
    hidden(16, "TBA_LO", to_gfx10),
    hidden(16, "PERF_SNAPSHOT_DATA2", since_gfx12),
    hidden(17, "TBA_HI", to_gfx10),
    hidden(17, "EXCP_FLAG_PRIV", since_gfx12),
    hidden(18, "TMA_LO", to_gfx10),
    hidden(18, "PERF_SNAPSHOT_PC_LO", gfx11),
    Register { write: Write::Unknown, ..hidden(18, "EXCP_FLAG_USER", since_gfx12) },
    hidden(19, "TMA_HI", to_gfx10),
    hidden(19, "PERF_SNAPSHOT_PC_HI", gfx11),
    Register { write: Write::Unknown, ..hidden(19, "TRAP_CTRL", since_gfx12) },
    Register { number: 20, name: "XCC_ID", exists: gfx940, readable: !0, read: |wave, _, _| wave.compute_die, ..HIDDEN },
    Register { number: 20, name: "FLAT_SCR_LO", exists: gfx10, readable: !0, read: |wave, _, _| wave.flat_scratch[0],
               write: Write::To(|wave, value| wave.flat_scratch[0] = value), ..HIDDEN },
    Register { number: 20, name: "FLAT_SCR_LO", exists: gfx11, readable: !0, read: |wave, _, _| wave.scratch_base as u32, ..HIDDEN },
    Register { number: 20, name: "SCRATCH_BASE_LO", exists: since_gfx12, readable: !0, read: |wave, _, _| wave.scratch_base as u32, ..HIDDEN },
    hidden(21, "SQ_PERF_SNAPSHOT_DATA", gfx940),
    Register { number: 21, name: "FLAT_SCR_HI", exists: gfx10, readable: !0, read: |wave, _, _| wave.flat_scratch[1],
               write: Write::To(|wave, value| wave.flat_scratch[1] = value), ..HIDDEN },
    Register { number: 21, name: "FLAT_SCR_HI", exists: gfx11, readable: !0, read: |wave, _, _| (wave.scratch_base >> 32) as u32, ..HIDDEN },
    Register { number: 21, name: "SCRATCH_BASE_HI", exists: since_gfx12, readable: !0, read: |wave, _, _| (wave.scratch_base >> 32) as u32, ..HIDDEN },
    hidden(22, "SQ_PERF_SNAPSHOT_DATA1", gfx940),
    hidden(22, "XNACK_MASK", gfx10_1),
    hidden(23, "SQ_PERF_SNAPSHOT_PC_LO", gfx940),
    Register { number: 23, name: "HW_ID1", exists: since_gfx10, readable: !0, read: |wave, _, _| {
                   let [wave, simd, processor, engine] = place(wave);
                   wave | simd << 8 | processor << 10 | engine << 18
               }, ..HIDDEN },
    hidden(24, "SQ_PERF_SNAPSHOT_PC_HI", gfx940),
    hidden(24, "HW_ID2", since_gfx10),
    hidden(25, "POPS_PACKER", gfx10),
    // How eagerly instructions are issued, which changes no result.
    hidden(26, "SCHED_MODE", since_gfx12),
    hidden(27, "PERF_SNAPSHOT_DATA", gfx11),
    hidden(28, "IB_STS2", since_gfx12_5),
    // It begins with the workgroup, so that intervals in its first million cycles do not run over its end.
    Register { number: 29, name: "SHADER_CYCLES", exists: short_clock, readable: !0, read: |wave, env, elapsed| env.host.since_start(wave.since_workgroup(elapsed)) as u32 & 0xf_ffff, is_clock: true, ..HIDDEN },
    Register { number: 29, name: "SHADER_CYCLES_LO", exists: since_gfx12, readable: !0, read: |_, env, elapsed| cycles(env, elapsed) as u32, is_clock: true, ..HIDDEN },
    Register { number: 30, name: "SHADER_CYCLES_HI", exists: since_gfx12, readable: !0, read: |_, env, elapsed| (cycles(env, elapsed) >> 32) as u32, is_clock: true, ..HIDDEN },
    hidden(31, "DVGPR_ALLOC_LO", since_gfx12),
    hidden(32, "DVGPR_ALLOC_HI", since_gfx12),
    hidden(33, "XNACK_STATE_PRIV", since_gfx12_5),
    hidden(34, "XNACK_MASK", since_gfx12_5),
];

/// The access of `s_getreg` or `s_setreg`, as its immediate describes it.
#[derive(Clone, Copy)]
pub(crate) struct Access {
    register: &'static Register,
    offset: u32,
    mask: u32,
}

impl Access {
    /// The access of an instruction, which was checked by [`check`].
    pub fn of(op: &HardwareRegister) -> Access {
        Access::decode(op.register, op.field)
    }

    fn decode(row: u32, immediate: u16) -> Access {
        let size = u32::from(immediate >> 11) + 1;
        Access {
            register: &REGISTERS[row as usize],
            offset: u32::from(immediate >> 6 & 31),
            mask: ((1u64 << size) - 1) as u32,
        }
    }

    /// Bits of the register that are read or written.
    fn bits(&self) -> u32 {
        self.mask << self.offset
    }

    pub fn is_clock(&self) -> bool {
        self.register.is_clock
    }

    /// The value that is read; `elapsed` is the time if it is a clock.
    pub fn read(&self, wave: &Wave, env: &Env<'_>, elapsed: u64) -> u32 {
        (self.register.read)(wave, env, elapsed) >> self.offset & self.mask
    }

    pub fn write(&self, wave: &mut Wave, env: &Env<'_>, value: u32) {
        if let Write::To(write) = self.register.write {
            let old = (self.register.read)(wave, env, 0);
            let bits = self.bits();
            write(wave, old & !bits | value << self.offset & bits);
        }
    }
}

/// Returns `true` if `s_setreg` with this immediate writes gfx9's VSKIP, a bit of MODE.
pub(crate) fn writes_skip(immediate: u16) -> bool {
    const MODE: u16 = 1;
    immediate & 63 == MODE && Access::decode(0, immediate).bits() & SKIP_VECTOR != 0
}

/// Returns `true` if an access with this immediate looks at a clock.
pub(crate) fn is_clock(target: &Target, immediate: u16) -> bool {
    let number = immediate & 63;
    let mut rows = REGISTERS.iter();
    rows.any(|row| row.number == number && (row.exists)(target) && row.is_clock)
}

/// Names of the rows of a register on a target.
pub fn registers(target: &Target, number: u16) -> Vec<&'static str> {
    let rows = REGISTERS
        .iter()
        .filter(|row| row.number == number && (row.exists)(target));
    rows.map(|row| row.name).collect()
}

/// Index of the register's row, or why it cannot be read or written so.
pub(crate) fn check(target: &Target, reads: bool, immediate: u16) -> Result<u32, String> {
    let number = immediate & 63;
    let row = (REGISTERS.iter())
        .position(|row| row.number == number && (row.exists)(target))
        .ok_or_else(|| format!("{} has no hardware register {number}", target.name))?;
    let access = Access::decode(row as u32, immediate);
    let register = access.register;
    let known = match reads {
        true => access.bits() & !register.readable == 0,
        false => !matches!(register.write, Write::Unknown),
    };
    if !known {
        let (first, last) = (access.offset, 31 - access.bits().leading_zeros());
        return Err(format!(
            "the emulated device does not model bits {first} to {last} of the hardware register {}",
            register.name
        ));
    }
    Ok(row as u32)
}
