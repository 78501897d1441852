//! Memory for one instruction: filled from the input's record before, stored to the output's after.
//!
//! Each lane has 64 bytes, and as many in the second half of an arena in global memory or LDS: no lane accesses what another one does.
//! Addresses lie in registers that are not compared, as devices have different ones.

use gfx::{Family, Target};
use isa::Format;

use super::Layout;

/// Vector registers: a lane's address (a pair, which begins with an even one), and its offset in the arena.
pub const ADDRESS: u32 = 12;
pub const OFFSET: u32 = 7;
/// Scalar registers: a descriptor of the arena, which begins with its address, and one of the arena in the input's record.
pub const DESCRIPTOR: u32 = 12;
pub const INPUT_DESCRIPTOR: u32 = 52;

/// Bytes of a lane in each half.
const LANE: usize = 64;
/// Copied at once by each lane.
const PIECE: usize = 16;

/// The place of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arena {
    /// The instruction accesses none.
    None,
    /// In the record of the output.
    Global,
    /// In LDS, from its first byte.
    Lds,
    /// In each lane's own scratch, from its first byte.
    Scratch,
}

impl Arena {
    /// The memory that instructions of a format access.
    pub fn of_format(format: Format) -> Arena {
        match format {
            Format::Ds => Arena::Lds,
            Format::Flat | Format::Global | Format::Mubuf | Format::Mtbuf | Format::Smem => {
                Arena::Global
            }
            Format::Scratch => Arena::Scratch,
            _ => Arena::None,
        }
    }

    /// Bytes of a wave.
    pub fn size(self, wave_size: u8) -> usize {
        match self {
            Arena::None => 0,
            Arena::Global | Arena::Lds => 2 * usize::from(wave_size) * LANE,
            Arena::Scratch => usize::from(wave_size) * LANE,
        }
    }

    /// Bytes of scratch that a lane needs.
    pub fn scratch(self) -> u32 {
        match self {
            Arena::Scratch => LANE as u32,
            Arena::None | Arena::Global | Arena::Lds => 0,
        }
    }

    /// Bytes of LDS that a wave needs.
    pub fn lds(self, wave_size: u8) -> u32 {
        match self {
            Arena::Lds => self.size(wave_size) as u32,
            Arena::None | Arena::Global | Arena::Scratch => 0,
        }
    }
}

/// The last word of a descriptor: a raw buffer of dwords, which are unsigned integers where a format counts.
fn last_word(family: Family) -> u32 {
    const SELECTS: u32 = 4 | 5 << 3 | 6 << 6 | 7 << 9;
    match family {
        Family::Gfx9 => SELECTS | 4 << 12 | 4 << 15,
        Family::Gfx10 | Family::Gfx10_3 => SELECTS | 20 << 12 | 1 << 24 | 3 << 28,
        _ => SELECTS | 20 << 12 | 3 << 28,
    }
}

/// Code that fills the arena and sets the registers of addresses. The lane is in v0, the records' addresses are in s[4:5] (input) and
/// s[6:7] (output), in both of which the arena has the same place. `wait` is the code that waits for loads.
pub fn before(layout: Layout, target: &Target, wait: &str) -> String {
    let Layout {
        wave_size, arena, ..
    } = layout;
    let (at, size) = (layout.arena_at(), arena.size(wave_size));
    let word = last_word(target.family);
    let (vcc, add_carry) = carry(wave_size, target.family);
    let mut text = String::new();
    for (descriptor, record) in [(DESCRIPTOR, 6), (INPUT_DESCRIPTOR, 4)] {
        text += &format!(
            "s_add_u32 s{descriptor}, s{record}, {at}
             s_addc_u32 s{}, s{}, 0
             s_mov_b32 s{}, {size}
             s_mov_b32 s{}, {word:#x}\n",
            descriptor + 1,
            record + 1,
            descriptor + 2,
            descriptor + 3,
        );
    }
    text += &format!(
        "v_lshlrev_b32 v{OFFSET}, 6, v0
         v_mov_b32 v{}, s{}
         v_add_co_u32 v{ADDRESS}, {vcc}, s{DESCRIPTOR}, v{OFFSET}
         {add_carry} v{}, {vcc}, 0, v{}, {vcc}\n",
        ADDRESS + 1,
        DESCRIPTOR + 1,
        ADDRESS + 1,
        ADDRESS + 1,
    );
    if arena == Arena::Scratch {
        return text + &fill_scratch(wait);
    }
    for piece in pieces(wave_size, size) {
        text += &piece;
        text += &format!(
            "global_load_dwordx4 v[8:11], v3, s[{INPUT_DESCRIPTOR}:{}]\n{wait}",
            INPUT_DESCRIPTOR + 1
        );
        text += &match arena {
            Arena::Lds => "ds_write_b128 v3, v[8:11]\n".to_owned(),
            _ => format!(
                "global_store_dwordx4 v3, v[8:11], s[{DESCRIPTOR}:{}]\n",
                DESCRIPTOR + 1
            ),
        };
    }
    text
}

/// The register of carries, and what adds with them.
pub fn carry(wave_size: u8, family: Family) -> (&'static str, &'static str) {
    match (wave_size, family) {
        (32, _) => ("vcc_lo", "v_add_co_ci_u32"),
        (_, Family::Gfx9) => ("vcc", "v_addc_co_u32"),
        _ => ("vcc", "v_add_co_ci_u32"),
    }
}

/// Code that finds scratch, where waves have to: its base and where in it the wave's part is are in registers. The rest of the frame takes
/// the wave's number from s2.
pub fn find_scratch(target: &Target) -> &'static str {
    if target.architected_flat_scratch {
        return "";
    }
    match target.family {
        Family::Gfx9 => {
            "s_add_u32 flat_scratch_lo, s2, s5
             s_addc_u32 flat_scratch_hi, s3, 0
             s_mov_b32 s2, s4\n"
        }
        _ => {
            "s_add_u32 s2, s2, s5
             s_addc_u32 s3, s3, 0
             s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s2
             s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s3
             s_mov_b32 s2, s4\n"
        }
    }
}

/// Each lane's part of the record to its scratch. Then every second lane has its address 16 bytes on, and the scalar one is as much.
fn fill_scratch(wait: &str) -> String {
    let mut text = String::new();
    for piece in (0..LANE).step_by(PIECE) {
        text += &format!(
            "global_load_dwordx4 v[8:11], v{OFFSET}, s[{INPUT_DESCRIPTOR}:{}] offset:{piece}
             v_mov_b32 v3, {piece}
             {wait}scratch_store_dwordx4 v3, v[8:11], off\n",
            INPUT_DESCRIPTOR + 1
        );
    }
    text + &format!(
        "v_and_b32 v{OFFSET}, 1, v0
         v_lshlrev_b32 v{OFFSET}, 4, v{OFFSET}
         s_mov_b32 s{INPUT_DESCRIPTOR}, 16\n"
    )
}

/// Code that stores LDS or scratch to the output's record. All lanes are on.
pub fn behind(layout: Layout, wait: &str) -> String {
    let Layout {
        wave_size, arena, ..
    } = layout;
    let mut text = String::new();
    if arena == Arena::Scratch {
        text += "v_lshlrev_b32 v5, 6, v0\n";
        for piece in (0..LANE).step_by(PIECE) {
            text += &format!(
                "v_mov_b32 v3, {piece}
                 scratch_load_dwordx4 v[8:11], v3, off
                 {wait}global_store_dwordx4 v5, v[8:11], s[{DESCRIPTOR}:{}] offset:{piece}\n",
                DESCRIPTOR + 1
            );
        }
    }
    if arena == Arena::Lds {
        for piece in pieces(wave_size, arena.size(wave_size)) {
            text += &piece;
            text += &format!(
                "ds_read_b128 v[8:11], v3
                 {wait}global_store_dwordx4 v3, v[8:11], s[{DESCRIPTOR}:{}]\n",
                DESCRIPTOR + 1
            );
        }
    }
    text
}

/// For each round of copying, code that has the lane's place in v3.
fn pieces(wave_size: u8, size: usize) -> impl Iterator<Item = String> {
    let round = usize::from(wave_size) * PIECE;
    (0..size)
        .step_by(round)
        .map(|from| format!("s_mov_b32 s56, {from}\nv_lshl_add_u32 v3, v0, 4, s56\n"))
}
