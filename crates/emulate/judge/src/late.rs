//! Results that come late.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use compute::{Next, Observer};
use gfx::Matrix;
use gpu::{Dispatch, Memory};
use hazard::{Halves, NOTHING, Paths, Site};
use lift::Span;
use wave::Wave;

use crate::rules::{BoardNumber, Rules, Sink};

/// Instructions that a wave executes before another one gets its turn.
const TURN: u32 = 50_000;

/// Lets the results of loads, atomics and reads of LDS come when the wave has waited for them, and judges the waits. Waves
/// run one after the other, and each instruction is looked at.
pub struct Late {
    rules: Rules,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// The workgroup that has its turn.
    chosen: Option<Chosen>,
    waves: HashMap<(usize, u64), HashMap<u32, WaveState>>,
    executed: u32,
}

#[derive(Clone, Copy)]
struct Chosen {
    key: (usize, u64),
    board: Option<BoardNumber>,
    accumulators: usize,
}

/// The state of one wave.
struct WaveState {
    number: u32,
    /// Where the last instruction ends, if control goes on there.
    behind: Option<u64>,
    /// The registers that an instruction with late results is about to overwrite.
    saved: Option<Pending>,
    /// Results that have not come, oldest first.
    late: Vec<Pending>,
}

/// Registers of one operation: before it was executed the old values, then the new ones.
struct Pending {
    site: Site,
    exec: u64,
    registers: Vec<(Halves, Place, Vec<u32>)>,
}

/// The place of a register in the emulated wave.
#[derive(Clone, Copy)]
enum Place {
    Row(usize),
    Scalar(usize),
}

impl Late {
    pub fn new(memory: Arc<Memory>, sink: Arc<dyn Sink>) -> Late {
        Late {
            rules: Rules::new(memory, sink),
            inner: Mutex::default(),
        }
    }

    /// Code has changed, and is decoded anew before it is executed.
    pub fn forget_code(&self) {
        self.rules.forget_code();
    }
}

impl Observer for Late {
    fn chosen(&self, dispatch: &Arc<Dispatch>, workgroup: u64) {
        let target = dispatch.target;
        let accumulators = match target.matrix {
            Matrix::Mfma1 => dispatch.vgprs,
            _ if target.unified_register_file => dispatch.accum_offset,
            _ => dispatch.vgprs,
        };
        let board = self.rules.begin(dispatch);
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.chosen = Some(Chosen {
            key: (Arc::as_ptr(dispatch) as usize, workgroup),
            board,
            accumulators: accumulators as usize,
        });
        inner.executed = 0;
    }

    fn ended(&self, dispatch: &Arc<Dispatch>, workgroup: u64) {
        let key = (Arc::as_ptr(dispatch) as usize, workgroup);
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.waves.remove(&key);
    }

    fn before(&self, _: [u32; 3], wave: &mut Wave, pc: u64) -> Next {
        let mut guard = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let inner = &mut *guard;
        let Some((chosen, board)) = inner
            .chosen
            .and_then(|chosen| Some((chosen, chosen.board?)))
        else {
            return Next::GoOn;
        };
        let waves = inner.waves.entry(chosen.key).or_default();
        let state = waves.entry(wave.index_in_workgroup).or_insert(WaveState {
            number: NOTHING,
            behind: None,
            saved: None,
            late: Vec::new(),
        });
        if let Some(saved) = state.saved.take() {
            state.late.push(saved.withhold(wave));
        }
        let mut rules = self.rules.inner();
        let judged = rules.board(board);
        let mut found = Vec::new();
        let lanes = wave.exec() != 0;
        // On gfx9, the engine does not show observers the code in index mode. It executes that with the instruction that begins the mode.
        let mut at = state.behind.filter(|at| *at < pc).unwrap_or(pc);
        let site = loop {
            let site = judged.site(&self.rules.memory, at);
            let step = judged.paths.step(state.number, site, lanes);
            state.number = step.next;
            found.extend_from_slice(&step.found);
            state.behind = judged.paths.behind(site);
            match state.behind.filter(|behind| at < pc && *behind <= pc) {
                Some(behind) => at = behind,
                None => break site,
            }
        };
        state.deliver(&judged.paths, site, wave);
        state.saved = Pending::save(&judged.paths, site, chosen.accumulators, wave);
        if !found.is_empty() {
            let places = rules.places(board, &found);
            drop(rules);
            self.rules
                .tell(board, places.into_iter().map(|place| (place, 1)));
        }
        inner.executed += 1;
        match inner.executed.is_multiple_of(TURN) {
            true => Next::Yield,
            false => Next::GoOn,
        }
    }
}

impl WaveState {
    /// Lets those results come that the wave has waited for. `site` is the instruction that it executes next, which may be
    /// one of those that were issued again.
    fn deliver(&mut self, paths: &Paths, site: Site, wave: &mut Wave) {
        let issues = paths.issues(site, wave.exec() != 0);
        let mut late = std::mem::take(&mut self.late);
        let mut kept = Vec::new();
        // Youngest first: of one instruction the oldest results come first.
        let mut left: HashMap<Site, usize> = HashMap::new();
        while let Some(one) = late.pop() {
            let number = self.number;
            let left = left.entry(one.site).or_insert_with(|| {
                let own = usize::from(one.site == site && issues);
                paths.outstanding(number, one.site).saturating_sub(own)
            });
            let comes = *left == 0;
            *left = left.saturating_sub(1);
            kept.push((one, comes));
        }
        for (one, comes) in kept.into_iter().rev() {
            match comes {
                true => one.come(wave),
                false => self.late.push(one),
            }
        }
    }
}

impl Pending {
    /// Keeps what an instruction is about to overwrite, if its results may come late.
    fn save(paths: &Paths, site: Site, accumulators: usize, wave: &Wave) -> Option<Pending> {
        let mut registers = Vec::new();
        for halves in paths.results(site) {
            for (one, place) in places(halves, accumulators) {
                let value = place.read(wave)?;
                registers.push((one, place, value));
            }
        }
        (!registers.is_empty()).then(|| Pending {
            site,
            exec: wave.exec(),
            registers,
        })
    }

    /// The instruction was executed: takes its results away.
    fn withhold(mut self, wave: &mut Wave) -> Pending {
        for (_, place, value) in &mut self.registers {
            if let Some(new) = place.read(wave) {
                place.write(wave, value, u64::MAX, u32::MAX);
                *value = new;
            }
        }
        self
    }

    fn come(self, wave: &mut Wave) {
        for (halves, place, value) in &self.registers {
            let mask = match (halves.count, halves.start % 2) {
                (1, 0) => 0xffff,
                (1, _) => 0xffff_0000,
                _ => u32::MAX,
            };
            place.write(wave, value, self.exec, mask);
        }
    }
}

/// The registers that some halves are in, one by one.
fn places(halves: Halves, accumulators: usize) -> Vec<(Halves, Place)> {
    const LAST_SCALAR: u16 = 107;
    const ACCUMULATORS: u16 = 256;
    let piece = |place, whole: u16| {
        let start = halves.start.max(whole);
        let end = (halves.start + halves.count).min(whole + 2);
        let count = end - start;
        (Halves { start, count }, place)
    };
    let first = Halves {
        start: halves.start & !1,
        count: 2,
    };
    let whole = |index: u16| first.start + 2 * index;
    match halves.span() {
        Span::Vector(start, count) => (0..count)
            .map(|index| {
                let register = start + index;
                let row = match register.checked_sub(ACCUMULATORS) {
                    Some(accumulator) => accumulators + usize::from(accumulator),
                    None => usize::from(register),
                };
                piece(Place::Row(row), whole(index))
            })
            .collect(),
        Span::Scalar(start, count) => (0..count)
            .filter(|index| start + index <= LAST_SCALAR)
            .map(|index| piece(Place::Scalar(usize::from(start + index)), whole(index)))
            .collect(),
    }
}

impl Place {
    fn read(self, wave: &Wave) -> Option<Vec<u32>> {
        match self {
            Place::Row(row) if row < wave.vector_rows() => Some(wave.vgpr_row(row).to_vec()),
            Place::Row(_) => None,
            Place::Scalar(index) => Some(vec![wave.sgpr(index)]),
        }
    }

    /// Writes the bits of `mask` in the lanes of `exec`.
    fn write(self, wave: &mut Wave, value: &[u32], exec: u64, mask: u32) {
        match self {
            Place::Row(row) => {
                let mut lanes = *wave.vgpr_row(row);
                for (lane, (to, from)) in lanes.iter_mut().zip(value).enumerate() {
                    if exec >> lane & 1 == 1 {
                        *to = *to & !mask | from & mask;
                    }
                }
                wave.set_vgpr_row(row, &lanes);
            }
            Place::Scalar(index) => {
                if let [value] = value {
                    wave.set_sgpr(index, *value);
                }
            }
        }
    }
}
