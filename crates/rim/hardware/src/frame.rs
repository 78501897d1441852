//! The kernel around an instruction: all registers from a record, the instruction, all registers to a record.
//!
//! A workgroup is one wave, and has a record of its input and one of its output, of the same layout:
//!
//! | bytes | what |
//! |---|---|
//! | 0 to 255 | MODE (input only), EXEC, VCC, SCC, M0: a word for each of MODE, EXEC low, high, VCC low, high, SCC, M0 |
//! | 256 to 511 | s16 to s47 |
//! | 512 and up | of each lane the four slots of vector registers, v16 and up |
//! | behind these | the arena, for instructions that access memory |

pub mod arena;
pub mod whole;

use std::collections::HashMap;

use gfx::{Family, Target};
use isa::Assembler;

use crate::{Error, Result};
use arena::Arena;

/// Number of the first register that an instruction may have, scalar and vector alike.
pub const FIRST: u16 = 16;
/// Scalar registers of a slot.
pub const SCALAR_SLOT: u16 = 4;
/// Scalar registers that are loaded and stored.
pub const SCALARS: std::ops::Range<u16> = 16..48;
/// Slots of vector registers: three sources and the result.
pub const SLOTS: u16 = 4;
/// Bytes before the vector registers.
pub const HEADER: usize = 512;
/// The place of the scalar registers in a record.
pub const SCALARS_AT: usize = 256;

/// Words at the start of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Word {
    Mode,
    ExecLow,
    ExecHigh,
    VccLow,
    VccHigh,
    Scc,
    M0,
}

/// `s_nop 0`, of which some lie behind a kernel: instructions are fetched ahead.
const NOTHING: u32 = 0xbf80_0000;
const AHEAD: usize = 64;

/// The places in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    pub wave_size: u8,
    /// Vector registers of a slot.
    pub width: u16,
    pub arena: Arena,
    /// A bit for each slot whose registers are AccVGPRs.
    pub accumulating: u8,
}

impl Layout {
    /// Bytes of a record.
    pub fn record(self) -> usize {
        self.arena_at() + self.arena.size(self.wave_size)
    }

    /// Bytes of a lane's vector registers.
    pub fn lane(self) -> usize {
        usize::from(SLOTS * self.width) * 4
    }

    /// Numbers of AccVGPRs that a record has in place of the vector registers.
    fn accvgprs(self) -> impl Iterator<Item = u16> {
        let slots = (0..SLOTS).filter(move |slot| self.accumulating >> slot & 1 != 0);
        slots.flat_map(move |slot| {
            let first = FIRST + slot * self.width;
            first..first + self.width
        })
    }

    /// The place of the arena.
    pub fn arena_at(self) -> usize {
        HEADER + usize::from(self.wave_size) * self.lane()
    }
}

/// Makes frames for one target and wave size.
pub struct Frames {
    target: &'static Target,
    wave_size: u8,
    assembler: Assembler,
    /// The code before and behind the instruction.
    made: HashMap<Layout, (Vec<u8>, Vec<u8>)>,
    wholes: HashMap<whole::Whole, (Vec<u8>, Vec<u8>)>,
}

impl Frames {
    pub fn new(target: &'static Target, wave_size: u8) -> Result<Frames> {
        let assembler = Assembler::with_features(target, wave_size, "")?;
        Ok(Frames {
            target,
            wave_size,
            assembler,
            made: HashMap::new(),
            wholes: HashMap::new(),
        })
    }

    /// The code of a kernel around `words`.
    pub fn kernel(&mut self, layout: Layout, words: &[u32]) -> Result<Vec<u8>> {
        if !self.made.contains_key(&layout) {
            let before = self.assemble(&self.before(layout))?;
            let behind = self.assemble(&self.behind(layout))?;
            self.made.insert(layout, (before, behind));
        }
        let (before, behind) = &self.made[&layout];
        let mut code = before.clone();
        code.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        code.extend(behind);
        code.extend([NOTHING; AHEAD].iter().flat_map(|word| word.to_le_bytes()));
        Ok(code)
    }

    fn assemble(&self, text: &str) -> Result<Vec<u8>> {
        self.assembler
            .assemble(text)
            .map_err(|source| Error::Assemble {
                target: self.target.name,
                source,
            })
    }

    /// For everything that was loaded.
    fn wait(&self) -> &'static str {
        match self.target.family >= Family::Gfx12 {
            true => "s_wait_loadcnt 0x0\ns_wait_dscnt 0x0\ns_wait_kmcnt 0x0\n",
            false => "s_waitcnt vmcnt(0) lgkmcnt(0)\n",
        }
    }

    /// For everything that was stored.
    fn wait_for_stores(&self) -> &'static str {
        match self.target.family {
            Family::Gfx9 => self.wait(),
            Family::Gfx12 | Family::Gfx12_5 => "s_wait_storecnt 0x0\ns_wait_dscnt 0x0\n",
            _ => "s_waitcnt lgkmcnt(0)\ns_waitcnt_vscnt null, 0x0\n",
        }
    }

    /// The wave's number among all.
    fn workgroup(&self) -> &'static str {
        match self.target.family >= Family::Gfx12 {
            true => "ttmp9",
            false => "s2",
        }
    }

    /// The kernel's arguments are the addresses of the records, in s[0:1]. It keeps the output's in s[6:7], the lane's part of
    /// a record in v1 and its word in v2.
    fn before(&self, layout: Layout) -> String {
        let (record, lane) = (layout.record(), layout.lane());
        let (wait, workgroup) = (self.wait(), self.workgroup());
        let scratch = match layout.arena {
            Arena::Scratch => arena::find_scratch(self.target),
            Arena::None | Arena::Global | Arena::Lds => "",
        };
        let mut text = format!(
            "{scratch}s_load_dwordx4 s[4:7], s[0:1], 0x0
             v_and_b32 v0, 0x3ff, v0
             {wait}
             s_mul_i32 s3, {workgroup}, {record}
             s_add_u32 s4, s4, s3
             s_addc_u32 s5, s5, 0
             s_add_u32 s6, s6, s3
             s_addc_u32 s7, s7, 0
             s_load_dwordx8 s[64:71], s[4:5], 0x0
             s_load_dwordx16 s[16:31], s[4:5], {SCALARS_AT}
             s_load_dwordx16 s[32:47], s[4:5], {}
             v_mul_u32_u24 v1, {lane}, v0
             v_lshlrev_b32 v2, 2, v0\n",
            SCALARS_AT + 64
        );
        for (first, offset) in vectors(layout.width) {
            let last = first + 3;
            text += &format!("global_load_dwordx4 v[{first}:{last}], v1, s[4:5] offset:{offset}\n");
        }
        text += wait;
        if layout.arena != Arena::None {
            text += &arena::before(layout, self.target, wait);
            text += self.wait_for_stores();
        }
        for register in layout.accvgprs() {
            text += &format!("v_accvgpr_write_b32 a{register}, v{register}\n");
        }
        text + &self.set_state(64)
    }

    /// MODE, EXEC, VCC, SCC and M0 from seven scalar registers, in the order of a record; last before the case.
    fn set_state(&self, first: u32) -> String {
        let [mode, exec_lo, exec_hi, vcc_lo, vcc_hi, scc, m0] = state_in(first);
        let mut text = format!(
            "s_mov_b32 m0, s{m0}
             s_mov_b32 vcc_lo, s{vcc_lo}
             s_mov_b32 vcc_hi, s{vcc_hi}
             s_setreg_b32 hwreg(HW_REG_MODE, 0, 8), s{mode}
             s_cmp_lg_u32 s{scc}, 0
             s_mov_b32 exec_lo, s{exec_lo}\n"
        );
        if self.wave_size == 64 {
            text += &format!("s_mov_b32 exec_hi, s{exec_hi}\n");
        }
        text + SETTLE
    }

    /// The same back, with zero for MODE; SCC first, before anything changes it. All lanes are on behind it.
    fn take_state(&self, first: u32) -> String {
        let [mode, exec_lo, exec_hi, vcc_lo, vcc_hi, scc, m0] = state_in(first);
        let mut text = String::new();
        if self.target.family >= Family::Gfx12 {
            text += "s_wait_alu depctr_va_sdst(0) depctr_va_vcc(0) depctr_va_vdst(0)\n";
        }
        text += &format!(
            "s_cselect_b32 s{scc}, 1, 0
             s_mov_b32 s{mode}, 0
             s_mov_b32 s{exec_lo}, exec_lo
             s_mov_b32 s{exec_hi}, 0
             s_mov_b32 s{vcc_lo}, vcc_lo
             s_mov_b32 s{vcc_hi}, vcc_hi
             s_mov_b32 s{m0}, m0\n"
        );
        if self.wave_size == 64 {
            text += &format!("s_mov_b32 s{exec_hi}, exec_hi\n");
        }
        text + &self.all_lanes()
    }

    fn behind(&self, layout: Layout) -> String {
        let mut text = SETTLE.to_owned();
        if layout.arena != Arena::None {
            text += self.wait();
            text += self.wait_for_stores();
        }
        text += &self.take_state(64);
        text += "s_nop 7
                 v_mov_b32 v3, 0
                 v_mov_b32 v4, 0\n";
        // One store for all scalars: each goes to a lane of its own.
        for lane in 0..7 {
            text += &format!("v_writelane_b32 v3, s{}, {lane}\n", 64 + lane);
        }
        for (lane, scalar) in SCALARS.enumerate() {
            text += &format!("v_writelane_b32 v4, s{scalar}, {lane}\n");
        }
        text += &format!(
            "global_store_dword v2, v3, s[6:7]
             global_store_dword v2, v4, s[6:7] offset:{SCALARS_AT}\n"
        );
        for register in layout.accvgprs() {
            text += &format!("v_accvgpr_read_b32 v{register}, a{register}\n");
        }
        text += "s_nop 7\n";
        for (first, offset) in vectors(layout.width) {
            let last = first + 3;
            text +=
                &format!("global_store_dwordx4 v1, v[{first}:{last}], s[6:7] offset:{offset}\n");
        }
        text += &arena::behind(layout, self.wait());
        text + "s_endpgm\n"
    }
}

/// Scalar registers of a wave's state from `first` on, in the order of a record.
fn state_in(first: u32) -> [u32; 7] {
    std::array::from_fn(|index| first + index as u32)
}

/// Longer than any instruction's result takes to be seen by the next one, for which compilers insert waits.
const SETTLE: &str = "s_nop 7\ns_nop 7\ns_nop 7\ns_nop 7\n";

/// Fours of vector registers: the first, and where they are in a record.
fn vectors(width: u16) -> impl Iterator<Item = (u16, usize)> {
    (0..width).map(|four| (FIRST + 4 * four, HEADER + 16 * usize::from(four)))
}
