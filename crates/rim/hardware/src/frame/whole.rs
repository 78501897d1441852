//! The kernel around a documented case: all that such a case may set, from a record, its code, and all of it to a record.
//!
//! One wave runs it, with a record of its input and one of its output:
//!
//! | bytes | what |
//! |---|---|
//! | 0 to 255 | as in other frames |
//! | 256 to 511 | s0 to s47 |
//! | 512 and up | each of the 96 rows of vector registers, a word for each lane |
//! | behind these | the words of memory, which code accesses in the input's record, then those of LDS |
//!
//! No case names a scalar register from s64 or a vector register from v96 on: the frame keeps its own there.

use documented::{AGPR_BASE, VECTOR_ROWS};

use super::{AHEAD, Frames, NOTHING, SETTLE, arena};
use crate::Result;

/// Scalar registers that are loaded and stored.
pub const SCALARS: usize = 48;
pub const SCALARS_AT: usize = 256;
pub const VECTORS_AT: usize = 512;
/// The bound of offsets that instructions of global memory may have on all targets.
const REACH: usize = 2048;

/// The first of a case's registers that hold the address of its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    None,
    Scalar(usize),
    Vector(usize),
    /// In units of 256 bytes, in the first 40 bits of an image resource.
    Image(usize),
}

/// Where things are in a record, and what else a case needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Whole {
    pub wave_size: u8,
    /// Words that the case has.
    pub memory: usize,
    pub lds: usize,
    pub address: Address,
    /// Bytes of a work-item.
    pub scratch: u32,
    /// `true` if it writes by scalar instructions.
    pub writes_scalars: bool,
}

impl Whole {
    fn row(self) -> usize {
        4 * usize::from(self.wave_size)
    }

    pub fn vector_at(self, row: usize, lane: usize) -> usize {
        VECTORS_AT + row * self.row() + 4 * lane
    }

    pub fn memory_at(self) -> usize {
        self.vector_at(VECTOR_ROWS, 0)
    }

    pub fn lds_at(self) -> usize {
        self.memory_at() + (4 * self.memory).next_multiple_of(self.row())
    }

    /// Bytes of a record.
    pub fn record(self) -> usize {
        self.lds_at() + (4 * self.lds).next_multiple_of(self.row())
    }

    /// For pieces of `words` that one access of the wave has: where they begin, and how many lanes have one.
    fn pieces(self, words: usize) -> impl Iterator<Item = (usize, usize)> {
        let lanes = usize::from(self.wave_size);
        (0..words)
            .step_by(lanes)
            .map(move |from| (4 * from, lanes.min(words - from)))
    }
}

impl Frames {
    /// The code of a kernel around `code`, all of whose ways lead to its end.
    pub fn whole(&mut self, layout: Whole, code: &[u8]) -> Result<Vec<u8>> {
        if !self.wholes.contains_key(&layout) {
            let before = self.assemble(&self.before_whole(layout))?;
            let behind = self.assemble(&self.behind_whole(layout))?;
            self.wholes.insert(layout, (before, behind));
        }
        let (before, behind) = &self.wholes[&layout];
        let mut all = [before, code, behind].concat();
        all.extend([NOTHING; AHEAD].iter().flat_map(|word| word.to_le_bytes()));
        Ok(all)
    }

    /// Returns `true` if rows of vector registers from [`AGPR_BASE`] on are AccVGPRs.
    pub fn has_accvgprs(&self) -> bool {
        self.assembler
            .assemble("v_accvgpr_write_b32 a0, v0")
            .is_ok()
    }

    /// Moves between AccVGPRs and the vector registers that have their places.
    fn accvgprs(&self, write: bool) -> String {
        if !self.has_accvgprs() {
            return String::new();
        }
        let rows = AGPR_BASE..VECTOR_ROWS;
        let moves = rows.map(|row| match (write, row - AGPR_BASE) {
            (true, number) => format!("v_accvgpr_write_b32 a{number}, v{row}\n"),
            (false, number) => format!("v_accvgpr_read_b32 v{row}, a{number}\n"),
        });
        moves.collect::<String>() + "s_nop 7\n"
    }

    /// Turns the first `count` lanes on.
    fn lanes(&self, count: usize) -> String {
        let mask = u64::MAX >> (64 - count);
        let mut text = format!("s_mov_b32 exec_lo, {:#x}\n", mask as u32);
        if self.wave_size == 64 {
            text += &format!("s_mov_b32 exec_hi, {:#x}\n", mask >> 32);
        }
        text
    }

    pub(super) fn all_lanes(&self) -> String {
        self.lanes(usize::from(self.wave_size))
    }

    /// `word` of all rows of vector registers, with the base of the record in a pair from `base` on.
    fn rows(&self, layout: Whole, base: u32, access: impl Fn(usize, &str) -> String) -> String {
        let each = REACH / layout.row();
        let mut text = String::new();
        for row in 0..VECTOR_ROWS {
            if row % each == 0 {
                text += &offset_of(base, layout.vector_at(row, 0));
            }
            let offset = row % each * layout.row();
            text += &access(row, &format!("s[68:69] offset:{offset}"));
        }
        text
    }

    fn before_whole(&self, layout: Whole) -> String {
        let wait = self.wait();
        let scratch = match layout.scratch {
            0 => "",
            _ => arena::find_scratch(self.target),
        };
        let mut text = format!(
            "{scratch}s_load_dwordx4 s[64:67], s[0:1], 0x0
             v_and_b32 v0, 0x3ff, v0
             v_lshlrev_b32 v96, 2, v0
             v_mov_b32 v97, 0
             {wait}s_load_dwordx8 s[72:79], s[64:65], 0x0\n"
        );
        for offset in (0..layout.scratch).step_by(4) {
            text += &format!("v_mov_b32 v98, {offset}\nscratch_store_dword v98, v97, off\n");
        }
        for (from, lanes) in layout.pieces(layout.lds) {
            text += &self.lanes(lanes);
            text += &offset_of(64, layout.lds_at() + from);
            text += &format!(
                "global_load_dword v98, v96, s[68:69]
                 s_mov_b32 s70, {from}
                 v_lshl_add_u32 v99, v0, 2, s70
                 {wait}ds_write_b32 v99, v98\n"
            );
        }
        text += &self.all_lanes();
        text += wait;
        text += self.wait_for_stores();
        for scalars in (0..SCALARS).step_by(16) {
            let at = SCALARS_AT + 4 * scalars;
            text += &format!(
                "s_load_dwordx16 s[{scalars}:{}], s[64:65], {at}\n",
                scalars + 15
            );
        }
        text += &self.rows(layout, 64, |row, place| {
            format!("global_load_dword v{row}, v96, {place}\n")
        });
        text += wait;
        text += &self.accvgprs(true);
        text += &offset_of(64, layout.memory_at());
        text += &match layout.address {
            Address::None => String::new(),
            Address::Scalar(first) => format!(
                "s_add_u32 s{first}, s{first}, s68\ns_addc_u32 s{0}, s{0}, s69\n",
                first + 1
            ),
            // Records and memory in them begin at a multiple of it.
            Address::Image(first) => format!(
                "s_lshr_b64 s[68:69], s[68:69], 8
                 s_mov_b32 s{first}, s68
                 s_or_b32 s{0}, s{0}, s69\n",
                first + 1
            ),
            Address::Vector(first) => {
                let (vcc, add_carry) = arena::carry(layout.wave_size, self.target.family);
                format!(
                    "v_mov_b32 v98, s69
                     v_add_co_u32 v{first}, {vcc}, s68, v{first}
                     {add_carry} v{0}, {vcc}, v98, v{0}, {vcc}\n",
                    first + 1
                )
            }
        };
        text + &self.set_state(72)
    }

    fn behind_whole(&self, layout: Whole) -> String {
        let wait = self.wait();
        let mut text = SETTLE.to_owned() + wait + self.wait_for_stores();
        text += &self.take_state(72);
        if layout.writes_scalars {
            text += "s_dcache_wb\ns_waitcnt lgkmcnt(0)\n";
        }
        text += "s_nop 7\nv_mov_b32 v97, 0\nv_mov_b32 v98, 0\n";
        for lane in 0..7 {
            text += &format!("v_writelane_b32 v97, s{}, {lane}\n", 72 + lane);
        }
        text += "global_store_dword v96, v97, s[66:67]\n";
        let lanes = usize::from(self.wave_size);
        for from in (0..SCALARS).step_by(lanes) {
            for scalar in from..SCALARS.min(from + lanes) {
                text += &format!("v_writelane_b32 v98, s{scalar}, {}\n", scalar - from);
            }
            let at = SCALARS_AT + 4 * from;
            text += &format!("global_store_dword v96, v98, s[66:67] offset:{at}\n{wait}");
            text += self.wait_for_stores();
        }
        text += "s_nop 7\n";
        text += &self.accvgprs_behind(layout);
        for (from, lanes) in layout.pieces(layout.memory) {
            let at = layout.memory_at() + from;
            text += &self.lanes(lanes);
            text += &offset_of(64, at);
            text += &format!("global_load_dword v98, v96, s[68:69]\n{wait}");
            text += &offset_of(66, at);
            text += "global_store_dword v96, v98, s[68:69]\n";
        }
        for (from, lanes) in layout.pieces(layout.lds) {
            text += &self.lanes(lanes);
            text += &format!(
                "v_lshrrev_b32 v0, 2, v96
                 s_mov_b32 s70, {from}
                 v_lshl_add_u32 v99, v0, 2, s70
                 ds_read_b32 v98, v99\n{wait}"
            );
            text += &offset_of(66, layout.lds_at() + from);
            text += "global_store_dword v96, v98, s[68:69]\n";
        }
        text + "s_endpgm\n"
    }

    /// All rows to the output: VGPRs, then AccVGPRs where they were.
    fn accvgprs_behind(&self, layout: Whole) -> String {
        let moved = self.accvgprs(false);
        moved
            + &self.rows(layout, 66, |row, place| {
                format!("global_store_dword v96, v{row}, {place}\n")
            })
    }
}

/// Puts the address in two scalar registers plus `bytes` into s[68:69].
fn offset_of(base: u32, bytes: usize) -> String {
    format!(
        "s_add_u32 s68, s{base}, {bytes}\ns_addc_u32 s69, s{}, 0\n",
        base + 1
    )
}
