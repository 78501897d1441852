//! `LUTHIER_CHECK_WAITS`: waits that are missing along the paths that waves take, and results that come late.
//!
//! The variable names a directory. Each finding is a line of `found` there, and the code object that it lies in a file beside
//! it; `luthier check` reads both when the program has ended. With `LUTHIER_LATE=1` the results of loads and of LDS come when
//! they are waited for, not before: a missing wait then changes what the program computes.

use std::{
    collections::{HashMap, HashSet, hash_map::Entry},
    env, fs,
    io::Write,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use compute::{Next, Observer};
use gfx::Matrix;
use gpu::{Dispatch, Memory};
use hazard::{Halves, NOTHING, Paths, Unwaited};
use isa::{Decoder, Inst};
use lift::Span;
use wave::Wave;

use crate::{report::report, source};

/// Names the directory for findings.
const DIRECTORY: &str = "LUTHIER_CHECK_WAITS";
/// 1: results come late.
const LATE: &str = "LUTHIER_LATE";
/// Instructions that a wave executes before another one gets its turn.
const TURN: u32 = 50_000;
/// Longest encoding in bytes.
const LONGEST: usize = 20;

/// Looks at the waits of all waves.
pub struct Check {
    memory: Arc<Memory>,
    directory: PathBuf,
    late: bool,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    boards: HashMap<(&'static str, u32), Board>,
    /// The workgroup that has its turn.
    chosen: Option<Chosen>,
    waves: HashMap<(usize, u64), HashMap<u32, WaveState>>,
    /// Kernels that were told of, by descriptor.
    kernels: HashSet<u64>,
    /// Code objects that were written, with where they lie.
    objects: Vec<(u64, Vec<u8>, String)>,
    executed: u32,
    failed: bool,
    gave_up: bool,
}

struct Board {
    paths: Paths,
    decoder: Decoder,
}

#[derive(Clone, Copy)]
struct Chosen {
    key: (usize, u64),
    board: (&'static str, u32),
    accumulators: usize,
}

/// What is known of one wave.
struct WaveState {
    number: u32,
    /// Where the last instruction ends, if control goes on there.
    behind: Option<u64>,
    /// What the instruction is about to overwrite whose results come late.
    saved: Option<Late>,
    /// Results that have not come, oldest first.
    late: Vec<Late>,
}

/// Registers of one operation: before it was executed the old values, then the new ones.
struct Late {
    pc: u64,
    exec: u64,
    registers: Vec<(Halves, Place, Vec<u32>)>,
}

/// Where a register is in the emulated wave.
#[derive(Clone, Copy)]
enum Place {
    Row(usize),
    Scalar(usize),
}

impl Check {
    /// If the user wants it.
    pub fn from_environment(memory: &Arc<Memory>) -> Option<Arc<Check>> {
        let directory = env::var_os(DIRECTORY).filter(|name| !name.is_empty())?;
        Some(Arc::new(Check {
            memory: memory.clone(),
            directory: directory.into(),
            late: env::var_os(LATE).is_some_and(|value| value == "1"),
            inner: Mutex::default(),
        }))
    }

    /// The device was told that code has changed.
    pub fn forget_code(&self) {
        let mut inner = self.inner();
        inner
            .boards
            .values_mut()
            .for_each(|board| board.paths.forget_code());
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, inner: &mut Inner, line: &str) {
        if inner.failed {
            return;
        }
        let path = self.directory.join("found");
        let file = fs::OpenOptions::new().create(true).append(true).open(&path);
        let written = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
        if let Err(error) = written {
            inner.failed = true;
            report(&format!(
                "luthier: findings end here: {}: {error}",
                path.display()
            ));
        }
    }

    /// The file of the code object around an address, and where the object's address 0 lies.
    fn object(&self, inner: &mut Inner, pc: u64) -> Option<(u64, String)> {
        let (base, bytes) = source::object(pc)?;
        let known = inner.objects.iter();
        let mut known = known.filter(|(at, of, _)| *at == base && *of == bytes);
        if let Some((_, _, name)) = known.next() {
            return Some((base, name.clone()));
        }
        let name = format!("{}-{}.co", std::process::id(), inner.objects.len());
        if let Err(error) = fs::write(self.directory.join(&name), &bytes) {
            report(&format!("luthier: {name}: {error}"));
            return None;
        }
        inner.objects.push((base, bytes, name.clone()));
        Some((base, name))
    }

    fn tell(&self, inner: &mut Inner, found: &Unwaited) {
        let Some((base, object)) = self.object(inner, found.consumer) else {
            let Unwaited {
                producer, consumer, ..
            } = found;
            report(&format!(
                "luthier: a wait is missing between {producer:#x} and {consumer:#x}, in code of no known code object"
            ));
            return;
        };
        let register = found.register.map(|register| register.to_string());
        let line = format!(
            "wait\t{object}\t{:?}\t{:?}\t{:#x}\t{:#x}\t{}",
            found.conflict,
            found.counter,
            found.producer.wrapping_sub(base),
            found.consumer.wrapping_sub(base),
            register.as_deref().unwrap_or("-"),
        );
        self.write(inner, &line);
    }
}

impl Observer for Check {
    fn chosen(&self, dispatch: &Arc<Dispatch>, workgroup: u64) {
        let mut inner = self.inner();
        let target = dispatch.target;
        let board = (target.name, dispatch.wave_size);
        if let Entry::Vacant(entry) = inner.boards.entry(board) {
            let wave_size = dispatch.wave_size as u8;
            match Decoder::with_features(target, wave_size, "") {
                Ok(decoder) => {
                    let paths = Paths::new(target, wave_size);
                    entry.insert(Board { paths, decoder });
                }
                Err(error) => report(&format!("luthier: waits are not checked: {error}")),
            }
        }
        if inner.kernels.insert(dispatch.packet.kernel_object) {
            let line = format!("kernel\t{}\t{}", target.name, dispatch.label());
            self.write(&mut inner, &line);
        }
        let accumulators = match target.matrix {
            Matrix::Mfma1 => dispatch.vgprs,
            _ if target.unified_register_file => dispatch.accum_offset,
            _ => dispatch.vgprs,
        };
        inner.chosen = Some(Chosen {
            key: (Arc::as_ptr(dispatch) as usize, workgroup),
            board,
            accumulators: accumulators as usize,
        });
        inner.executed = 0;
    }

    fn ended(&self, dispatch: &Arc<Dispatch>, workgroup: u64) {
        let key = (Arc::as_ptr(dispatch) as usize, workgroup);
        self.inner().waves.remove(&key);
    }

    fn before(&self, _: [u32; 3], wave: &mut Wave, pc: u64) -> Next {
        let mut guard = self.inner();
        let inner = &mut *guard;
        let Some(chosen) = inner.chosen else {
            return Next::GoOn;
        };
        let Some(board) = inner.boards.get_mut(&chosen.board) else {
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
        let decoder = &board.decoder;
        let memory = &self.memory;
        // The engine joins waits with the instruction in front of them, and shows them to nobody.
        let mut at = state.behind.filter(|at| *at < pc).unwrap_or(pc);
        loop {
            let mut decode = || decode(memory, decoder, at);
            state.number = board.paths.step(state.number, at, &mut decode);
            state.behind = board.paths.behind(at);
            match state.behind.filter(|behind| at < pc && *behind <= pc) {
                Some(behind) => at = behind,
                None => break,
            }
        }
        if self.late {
            state.deliver(&board.paths, pc, wave);
            state.saved = Late::save(&board.paths, pc, chosen.accumulators, wave);
        }
        let found = board.paths.take();
        let gave_up = board.paths.gave_up();
        for one in &found {
            self.tell(inner, one);
        }
        if gave_up && !std::mem::replace(&mut inner.gave_up, true) {
            report(
                "luthier: waves are in too many different states; some missing waits may not be found",
            );
        }
        inner.executed += 1;
        match inner.executed.is_multiple_of(TURN) {
            true => Next::Yield,
            false => Next::GoOn,
        }
    }
}

fn decode(memory: &Memory, decoder: &Decoder, pc: u64) -> Option<Inst> {
    // The longest encoding may be longer than what is left of the code.
    (1..=LONGEST / 4).rev().find_map(|words| {
        let mut code = [0; LONGEST];
        let code = &mut code[..4 * words];
        memory.read_bytes(pc, code).ok()?;
        decoder.decode(code, pc).ok()
    })
}

impl WaveState {
    /// Lets those results come that the wave has waited for. `pc` is the instruction that it executes next, which may be
    /// one of those that were issued again.
    fn deliver(&mut self, paths: &Paths, pc: u64, wave: &mut Wave) {
        let mut late = std::mem::take(&mut self.late);
        let mut kept = Vec::new();
        // Youngest first: of one instruction the oldest results come first.
        let mut left: HashMap<u64, usize> = HashMap::new();
        while let Some(one) = late.pop() {
            let number = self.number;
            let left = left.entry(one.pc).or_insert_with(|| {
                let own = usize::from(one.pc == pc);
                paths.outstanding(number, one.pc).saturating_sub(own)
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

impl Late {
    /// Keeps what the instruction at `pc` is about to overwrite, if its results may come late.
    fn save(paths: &Paths, pc: u64, accumulators: usize, wave: &Wave) -> Option<Late> {
        let mut registers = Vec::new();
        for halves in paths.results(pc) {
            for (one, place) in places(halves, accumulators) {
                let value = place.read(wave)?;
                registers.push((one, place, value));
            }
        }
        (!registers.is_empty()).then(|| Late {
            pc,
            exec: wave.exec(),
            registers,
        })
    }

    /// The instruction was executed: takes its results away.
    fn withhold(mut self, wave: &mut Wave) -> Late {
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
