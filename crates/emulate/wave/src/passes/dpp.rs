//! DPP: lanes of the first source move, and those without a readable source may stay as they are.

use std::sync::OnceLock;

use gfx::{Family, Matrix, Target};

#[cfg(target_arch = "x86_64")]
use super::moved::{self, Sources};
use crate::{
    engine::Env,
    micro_op::{Control, MicroOp, Vector, flow},
    shell::{Body, Form, VectorBody},
    state::{LANES, VectorRow, Wave, expand},
};

/// No source lane.
const NOWHERE: u8 = 0xff;

/// How lanes move under one control.
struct Movement {
    /// Source lane of every lane; [`NOWHERE`] when it lies outside.
    sources: [u8; LANES],
    /// Lanes that have one.
    exists: u64,
    /// All ones for lanes that have one.
    keep: VectorRow,
    /// For each lane, where in a group of 16 the source is.
    within: VectorRow,
    /// For each group of 16 lanes, in which its sources are, if all lie in one.
    groups: Option<[usize; LANES / 16]>,
}

impl Movement {
    fn new(source: impl Fn(i32) -> i32) -> Movement {
        let mut movement = Movement {
            sources: [NOWHERE; LANES],
            exists: 0,
            keep: VectorRow::ZERO,
            within: VectorRow::ZERO,
            groups: None,
        };
        let mut groups = [None; LANES / 16];
        let mut one_each = true;
        for lane in 0..LANES {
            let Ok(from) = u8::try_from(source(lane as i32)) else {
                continue;
            };
            movement.sources[lane] = from;
            movement.exists |= 1 << lane;
            movement.keep.0[lane] = !0;
            movement.within.0[lane] = u32::from(from) & 15;
            let group = usize::from(from) / 16;
            one_each &= *groups[lane / 16].get_or_insert(group) == group;
        }
        // A group without sources may read any.
        movement.groups = one_each.then(|| groups.map(Option::unwrap_or_default));
        movement
    }

    /// `row` with its lanes moved; lanes without a source become zero.
    #[inline(always)]
    fn apply<F: Form>(&self, row: &VectorRow) -> VectorRow {
        let mut moved = VectorRow::ZERO;
        if let Some(groups) = &self.groups {
            #[cfg(target_arch = "x86_64")]
            if F::AVX2 {
                // SAFETY: forms with AVX2 exist only where the host has it.
                unsafe { self.permute(groups, row, &mut moved) };
                return moved;
            }
            for (group, source) in groups.iter().enumerate() {
                let first = 16 * group;
                let words: &[u32; 16] = row.0[16 * source..].first_chunk().expect("a whole group");
                let mut lane = 0;
                while lane < 16 {
                    let from = self.within.0[first + lane] as usize & 15;
                    moved.0[first + lane] = words[from] & self.keep.0[first + lane];
                    lane += 1;
                }
            }
        } else {
            let mut lane = 0;
            while lane < LANES {
                let from = (self.sources[lane] & 63) as usize;
                moved.0[lane] = row.0[from] & self.keep.0[lane];
                lane += 1;
            }
        }
        moved
    }

    /// Moves `words` rows from `source` on to `dst`. Lanes that can be read, those that are off only if `all`, are the
    /// result; the others become zero.
    #[inline(always)]
    fn enter<F: Form>(
        &self,
        wave: &mut Wave,
        all: bool,
        source: usize,
        dst: usize,
        words: usize,
    ) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if F::AVX512
            && let Some(sources) = self.sources_in_groups()
        {
            // SAFETY: forms with AVX-512 exist only where the host has it.
            return unsafe {
                match wave.groups() {
                    4 => enter512::<4>(&sources, wave, all, source, dst, words),
                    _ => enter512::<2>(&sources, wave, all, source, dst, words),
                }
            };
        }
        let readable = if all {
            self.exists & wave.full
        } else {
            let moved = self.apply::<F>(&wave.exec_lanes);
            mask_of(&moved) & wave.full
        };
        for word in 0..words {
            let row = wave.row(source + word);
            let moved = if all {
                self.apply::<F>(row)
            } else {
                let mut active = *row;
                let mut lane = 0;
                while lane < LANES {
                    active.0[lane] &= wave.exec_lanes.0[lane];
                    lane += 1;
                }
                self.apply::<F>(&active)
            };
            *wave.row_mut(dst + word) = moved;
        }
        readable
    }
}

#[cfg(target_arch = "x86_64")]
impl Movement {
    /// The same for the host's widest vectors.
    #[inline(always)]
    fn sources_in_groups(&self) -> Option<Sources<'_>> {
        let groups = self.groups?;
        Some(Sources {
            within: &self.within,
            groups,
            exists: self.exists,
        })
    }

    /// [`Movement::apply`] if the sources of each group of 16 lanes are in one.
    ///
    /// # Safety
    /// The host has AVX2.
    #[inline(always)]
    unsafe fn permute(&self, groups: &[usize; LANES / 16], row: &VectorRow, moved: &mut VectorRow) {
        use std::arch::x86_64::*;
        let mut half = 0;
        while half < LANES / 8 {
            let (first, group) = (8 * half, 16 * groups[half / 2]);
            // SAFETY: rows are aligned and have eight words from each of these on.
            unsafe {
                let low = _mm256_load_si256(row.0.as_ptr().add(group).cast());
                let high = _mm256_load_si256(row.0.as_ptr().add(group + 8).cast());
                let from = _mm256_load_si256(self.within.0.as_ptr().add(first).cast());
                let keep = _mm256_load_si256(self.keep.0.as_ptr().add(first).cast());
                // The permutations look at bits 0 to 2 of an index; bit 3 chooses between them.
                let low = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(low, from));
                let high = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(high, from));
                let upper = _mm256_castsi256_ps(_mm256_slli_epi32::<28>(from));
                let chosen = _mm256_castps_si256(_mm256_blendv_ps(low, high, upper));
                let target = moved.0.as_mut_ptr().add(first).cast();
                _mm256_store_si256(target, _mm256_and_si256(chosen, keep));
            }
            half += 1;
        }
    }
}

/// [`Movement::enter`] of `COUNT` groups.
///
/// # Safety
/// The host has AVX-512 F.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn enter512<const COUNT: usize>(
    sources: &Sources<'_>,
    wave: &mut Wave,
    all: bool,
    source: usize,
    dst: usize,
    words: usize,
) -> u64 {
    // SAFETY: the caller's promise about the host.
    unsafe {
        let readable = sources.readable::<COUNT>((!all).then_some(&wave.exec_lanes));
        for word in 0..words {
            let moved = sources.words::<COUNT>(readable, wave.row(source + word));
            moved::store(moved, !0, wave.row_mut(dst + word));
        }
        readable & wave.full
    }
}

/// Values of the field that is the control.
const CONTROLS: usize = 512;

/// The movement of every DPP16 control. Controls that leave rows of 16 exist in wave64 only, all others are the same in
/// wave32.
fn movements() -> &'static [Movement; CONTROLS] {
    static TABLE: OnceLock<Box<[Movement; CONTROLS]>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let all: Box<[Movement]> = (0..CONTROLS)
            .map(|control| Movement::new(|lane| dpp_source(control as u32, lane)))
            .collect();
        all.try_into().ok().expect("one movement for each control")
    })
}

/// Returns an error if the control of a DPP16 dword is reserved on `target`, because the tables in the manuals leave
/// it out.
pub(crate) fn known_dpp(target: &Target, dword: u32) -> Result<(), String> {
    let control = dword >> 8 & 0x1ff;
    let gfx9 = target.family == Family::Gfx9;
    let known = match control {
        0x000..=0x0ff | 0x101..=0x10f | 0x111..=0x11f | 0x121..=0x12f | 0x140 | 0x141 => true,
        // Whole-wave shifts and rotates, and broadcasts from the row before.
        0x130 | 0x134 | 0x138 | 0x13c | 0x142 | 0x143 => gfx9,
        // A lane of each row for all of it: `row_newbcast` since gfx90a, `row_share` since gfx10.
        0x150..=0x15f => !gfx9 || !matches!(target.matrix, Matrix::None | Matrix::Mfma1),
        0x160..=0x16f => !gfx9,
        _ => false,
    };
    match known {
        true => Ok(()),
        false => Err(format!(
            "DPP control {control:#05x} is reserved on {}",
            target.name
        )),
    }
}

/// Source lane for one lane, negative if none; of reserved controls (see [`known_dpp`]) nothing is asked.
fn dpp_source(control: u32, lane: i32) -> i32 {
    let lanes = LANES as i32;
    let (row, in_row) = (lane & !15, lane & 15);
    match control {
        0x000..=0x0ff => lane & !3 | (control >> (2 * (lane & 3)) & 3) as i32,
        0x101..=0x10f => within_row(row, in_row + (control & 15) as i32),
        0x111..=0x11f => within_row(row, in_row - (control & 15) as i32),
        0x121..=0x12f => row | (in_row - (control & 15) as i32) & 15,
        // Whole-wave shifts and rotates by one: gfx8 and gfx9.
        0x130 => within_wave(lane + 1, lanes),
        0x134 => (lane + 1) % lanes,
        0x138 => within_wave(lane - 1, lanes),
        0x13c => (lane + lanes - 1) % lanes,
        0x140 => row | (15 - in_row),
        0x141 => lane & !7 | (7 - (lane & 7)),
        0x142 => within_wave(row - 1, lanes),
        0x143 if lane >= 32 => 31,
        0x150..=0x15f => row | (control & 15) as i32,
        0x160..=0x16f => row | in_row ^ (control & 15) as i32,
        _ => -1,
    }
}

fn within_row(row: i32, in_row: i32) -> i32 {
    if (0..16).contains(&in_row) {
        row | in_row
    } else {
        -1
    }
}

fn within_wave(lane: i32, lanes: i32) -> i32 {
    if (0..lanes).contains(&lane) { lane } else { -1 }
}

/// Lanes that the row and bank masks of `control` enable.
pub(crate) fn static_lanes(control: u32) -> u64 {
    (0..16)
        .filter(|quad| control >> (24 + quad % 4) & control >> (28 + quad / 4) & 1 != 0)
        .fold(0, |enabled, quad| enabled | 15 << (4 * quad))
}

/// The meaning of the DPP16 dword of a pass.
struct Meaning {
    movement: &'static Movement,
    /// Lanes that are off can be read, or there are none.
    all: bool,
    /// Lanes that cannot read get zeros; otherwise they stay as they are.
    bound: bool,
    /// Lanes that the row and bank masks enable.
    enabled: u64,
}

impl Meaning {
    #[inline(always)]
    fn of(wave: &Wave, op: &MicroOp) -> Meaning {
        let word = op.pass().control_word;
        let [low, high, _] = op.pass().parameters;
        Meaning {
            movement: movement(word),
            all: fetches_inactive(Control::DPP16, word) || wave.all_lanes,
            bound: is_bound(word),
            enabled: u64::from(low) | u64::from(high) << 32,
        }
    }

    /// Lanes that may be written if those of `readable` can read.
    #[inline(always)]
    fn writable(&self, readable: u64) -> u64 {
        self.enabled & if self.bound { !0 } else { readable }
    }
}

/// The lanes that an instruction with DPP reads and writes, where the sources of each group of 16 lanes are in one.
#[cfg_attr(not(wide), allow(dead_code, reason = "the choice of copies"))]
#[derive(Debug)]
pub(super) struct Reach {
    /// The places of [`Movement`]; bit 4 says that there is a source.
    pub places: VectorRow,
    pub groups: [usize; LANES / 16],
    exists: u64,
    /// The same as in [`Meaning`].
    pub all: bool,
    pub bound: bool,
    pub enabled: u64,
}

impl Reach {
    /// `None`: it has no DPP, or sources elsewhere.
    pub fn of(vector: &Vector) -> Option<Reach> {
        let word = vector.control_word;
        let reach = |movement: &Movement, bound, enabled| {
            let mut places = movement.within;
            for (place, keep) in places.0.iter_mut().zip(&movement.keep.0) {
                *place |= keep & 16;
            }
            Some(Reach {
                places,
                groups: movement.groups?,
                exists: movement.exists,
                all: fetches_inactive(vector.control, word),
                bound,
                enabled,
            })
        };
        match vector.control {
            Control::DPP16 => reach(movement(word), is_bound(word), static_lanes(word)),
            Control::DPP8 => reach(&Movement::new(|lane| dpp8_source(word, lane)), true, !0),
            _ => None,
        }
    }

    /// The lanes that a wave with all lanes on writes.
    pub fn written(&self) -> u64 {
        self.enabled & if self.bound { !0 } else { self.exists }
    }
}

/// Returns `true` if lanes that are off can be read.
#[inline(always)]
fn fetches_inactive(control: Control, word: u32) -> bool {
    match control {
        // The form is told apart by the source field's marker, which decode moved to bit 0.
        Control::DPP8 => word & 1 != 0,
        _ => word >> 18 & 1 != 0,
    }
}

/// Returns `true` if lanes that cannot read get zeros; otherwise they stay as they are.
#[inline(always)]
fn is_bound(word: u32) -> bool {
    word >> 19 & 1 != 0
}

/// The movement of a DPP16 dword.
#[inline(always)]
fn movement(word: u32) -> &'static Movement {
    &movements()[word as usize >> 8 & (CONTROLS - 1)]
}

/// Source lane for one lane by a DPP8 dword.
fn dpp8_source(word: u32, lane: i32) -> i32 {
    lane & !7 | (word >> (8 + 3 * (lane & 7)) & 7) as i32
}

/// Returns `true` if an instruction with this DPP16 dword writes all active lanes, whichever these are.
pub(crate) fn writes_all_lanes(word: u32) -> bool {
    is_bound(word) && static_lanes(word) == !0
}

/// Moves the lanes of rows by the DPP16 control, reading from active lanes only unless it says
/// otherwise, and switches off the lanes that must not be written. The parameters hold the lanes that the masks enable.
pub(crate) struct Enter;

impl VectorBody for Enter {
    const SOURCES: usize = 1;
    const MODE: bool = false;
    const HOT: bool = false;
    const AVX512_ALONE: bool = true;
    #[inline(always)]
    fn run<F: Form>(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let control = Meaning::of(wave, op);
        let (source, dst, words) = (super::source(op), op.dst as usize, op.pass().words());
        let movement = control.movement;
        let readable = movement.enter::<F>(wave, control.all, source, dst, words);
        let writable = control.writable(readable);
        let exec = wave.exec();
        wave.exec_outside = None;
        if exec & !writable != 0 {
            wave.exec_outside = Some(exec);
            wave.set_exec(exec & writable);
        }
        flow::NEXT
    }
}

/// All of an instruction whose result is the source that DPP16 moves.
pub(crate) struct Copy;

impl VectorBody for Copy {
    const SOURCES: usize = 1;
    const MODE: bool = false;
    const HOT: bool = false;
    const AVX512_ALONE: bool = true;
    #[inline(always)]
    fn run<F: Form>(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let control = Meaning::of(wave, op);
        let (source, dst) = (super::source(op), op.dst as usize);
        #[cfg(target_arch = "x86_64")]
        if F::AVX512
            && let Some(sources) = control.movement.sources_in_groups()
        {
            // SAFETY: forms with AVX-512 exist only where the host has it.
            unsafe {
                match wave.groups() {
                    4 => copy512::<4>(&control, &sources, wave, source, dst),
                    _ => copy512::<2>(&control, &sources, wave, source, dst),
                }
            }
            return u32::from(op.after);
        }
        let temporary = wave.temporaries + crate::ports::SOURCE_ROWS;
        let readable = control
            .movement
            .enter::<F>(wave, control.all, source, temporary, 1);
        let written = wave.exec() & control.writable(readable);
        for lane in (0..LANES).filter(|lane| written >> lane & 1 != 0) {
            wave.row_mut(dst).0[lane] = wave.row(temporary).0[lane];
        }
        u32::from(op.after)
    }
}

/// [`Copy`] of `COUNT` groups.
///
/// # Safety
/// The host has AVX-512 F.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn copy512<const COUNT: usize>(
    control: &Meaning,
    sources: &Sources<'_>,
    wave: &mut Wave,
    source: usize,
    dst: usize,
) {
    // SAFETY: the caller's promise about the host.
    unsafe {
        let readable = sources.readable::<COUNT>((!control.all).then_some(&wave.exec_lanes));
        let moved = sources.words::<COUNT>(readable, wave.row(source));
        let written = wave.exec() & control.writable(readable);
        moved::store(moved, written, wave.row_mut(dst));
    }
}

/// The lanes whose word is not zero.
#[inline(always)]
fn mask_of(row: &VectorRow) -> u64 {
    let mut mask = 0;
    let mut lane = 0;
    while lane < LANES {
        mask |= u64::from(row.0[lane] != 0) << lane;
        lane += 1;
    }
    mask
}

/// Switches the lanes on again that [`Enter`] switched off.
pub(crate) struct Leave;

impl Body for Leave {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        if let Some(exec) = wave.exec_outside.take() {
            wave.set_exec(exec);
        }
        u32::from(op.after)
    }
}

/// DPP8: a permutation within groups of eight; without fetch-inactive an inactive source reads zero.
pub(crate) struct Enter8;

impl VectorBody for Enter8 {
    const SOURCES: usize = 1;
    const MODE: bool = false;
    const HOT: bool = false;
    const AVX512_ALONE: bool = true;
    #[inline(always)]
    fn run<F: Form>(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let control = op.pass().control_word;
        let all = fetches_inactive(Control::DPP8, control) || wave.all_lanes;
        let (source, dst, words) = (super::source(op), op.dst as usize, op.pass().words());
        let mut from = VectorRow::ZERO;
        for (lane, from) in from.0.iter_mut().enumerate() {
            *from = dpp8_source(control, lane as i32 & 15) as u32;
        }
        #[cfg(target_arch = "x86_64")]
        if F::AVX512 {
            let sources = Sources {
                within: &from,
                groups: [0, 1, 2, 3],
                exists: !0,
            };
            // SAFETY: forms with AVX-512 exist only where the host has it.
            unsafe {
                match wave.groups() {
                    4 => enter512::<4>(&sources, wave, all, source, dst, words),
                    _ => enter512::<2>(&sources, wave, all, source, dst, words),
                };
            }
            return flow::NEXT;
        }
        let mut mask = wave.exec_lanes;
        if all {
            expand(wave.full, &mut mask);
        }
        for word in 0..words {
            let row = *wave.row(source + word);
            let target = &mut wave.row_mut(dst + word).0;
            let mut lane = 0;
            while lane < LANES {
                let at = lane & !15 | from.0[lane] as usize & 15;
                target[lane] = row.0[at] & mask.0[at];
                lane += 1;
            }
        }
        flow::NEXT
    }
}
