//! What a wave looked like before each instruction.

use crate::live::{Live, Part, Rows};
use emulate::{Observer, Wave};
use std::{
    collections::{BTreeMap, HashMap},
    hash::{DefaultHasher, Hasher},
    sync::{Arc, Mutex, PoisonError},
};

/// A wave of a launch.
pub type WaveId = ([u32; 3], u32);

/// One look at a wave: the instruction's address in the original object, and a digest of what is live.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    pub pc: u64,
    pub digest: u64,
    /// Number among the looks at its wave.
    pub index: u32,
}

impl PartialEq for Look {
    fn eq(&self, other: &Look) -> bool {
        (self.pc, self.digest) == (other.pc, other.digest)
    }
}

/// Every live part at one look.
pub type Snapshot = Vec<(Part, u32)>;

/// Code in memory whose addresses are to be taken for addresses of the original object.
#[derive(Clone, Debug, Default)]
pub struct Places {
    pub start: u64,
    /// Where the original object's address 0 is.
    pub base: u64,
    /// Offsets from `start` of the application's instructions, and where they are in the original object.
    pub instructions: HashMap<u64, u64>,
    /// Offsets that control may be sent to instead, in front of what was inserted there.
    pub inserted: HashMap<u64, u64>,
}

impl Places {
    /// The address in the original object of an instruction.
    pub fn instruction(&self, pc: u64) -> Option<u64> {
        self.instructions.get(&pc.checked_sub(self.start)?).copied()
    }

    /// The address in the original, as loaded, that a code address stands for.
    pub fn meant(&self, address: u64) -> Option<u64> {
        let offset = address.checked_sub(self.start)?;
        let inserted = || self.inserted.get(&offset);
        let original = self.instructions.get(&offset).or_else(inserted)?;
        Some(self.base + original)
    }
}

/// What is to be done while one execution of a kernel is watched.
#[derive(Default)]
pub struct Watch {
    pub rows: Option<Rows>,
    /// The code being executed.
    pub places: Places,
    pub looks: BTreeMap<WaveId, Vec<Look>>,
    /// Keep a snapshot of this look.
    pub wanted: Option<(WaveId, usize)>,
    pub snapshot: Option<Snapshot>,
    /// Overwrite what is dead, with values from this seed.
    pub poison: Option<u32>,
    /// Looks beyond this many are not taken.
    pub limit: usize,
    pub taken: usize,
}

impl Watch {
    /// Whether what is left of the launch is of no interest.
    pub fn has_enough(&self) -> bool {
        self.rows.is_some() && self.taken >= self.limit
    }
}

/// The observer of a device; what it does can be changed between launches.
pub struct Recorder {
    live: HashMap<u64, Live>,
    /// Where the original object's address 0 is, once it is loaded.
    watch: Mutex<Watch>,
}

impl Recorder {
    pub fn new(live: HashMap<u64, Live>) -> Arc<Recorder> {
        Arc::new(Recorder {
            live,
            watch: Mutex::default(),
        })
    }

    pub fn set(&self, watch: Watch) {
        *self.watch.lock().unwrap_or_else(PoisonError::into_inner) = watch;
    }

    pub fn take(&self) -> Watch {
        std::mem::take(&mut *self.watch.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Observer for Recorder {
    fn before(&self, workgroup: [u32; 3], wave: &mut Wave, pc: u64) {
        let mut watch = self.watch.lock().unwrap_or_else(PoisonError::into_inner);
        let watch = &mut *watch;
        let (Some(rows), Some(original)) = (watch.rows, watch.places.instruction(pc)) else {
            return;
        };
        let Some(live) = self.live.get(&original) else {
            return;
        };
        if let Some(seed) = watch.poison
            && live.in_kernel
        {
            overwrite_dead(live, rows, wave, seed ^ original as u32);
        }
        if watch.has_enough() {
            return;
        }
        watch.taken += 1;
        let id = (workgroup, wave.index_in_workgroup);
        let looks = watch.looks.entry(id).or_default();
        let wanted = watch.wanted == Some((id, looks.len()));
        let mut digest = DefaultHasher::new();
        let mut snapshot = Snapshot::new();
        for (part, value) in parts(live, rows, wave, &watch.places) {
            digest.write_u32(value);
            if wanted {
                snapshot.push((part, value));
            }
        }
        looks.push(Look {
            pc: original,
            digest: digest.finish(),
            index: looks.len() as u32,
        });
        if wanted {
            watch.snapshot = Some(snapshot);
        }
    }

    fn has_enough(&self) -> bool {
        let watch = self.watch.lock().unwrap_or_else(PoisonError::into_inner);
        watch.has_enough()
    }
}

/// Live parts with their values. A code address of the watched code counts as the one in the original that it stands for.
/// Both halves must be there, or any number might be taken for one: in scalar registers or vector registers side by side, or
/// in lanes side by side, where return addresses are kept.
fn parts<'a>(
    live: &'a Live,
    rows: Rows,
    wave: &'a Wave,
    places: &'a Places,
) -> impl Iterator<Item = (Part, u32)> + 'a {
    let high_half = (places.start >> 32) as u32;
    let in_this_half = move |part| rows.read(wave, part) == Some(high_half);
    live.parts(wave.exec(), wave.wave_size())
        .filter_map(move |part| {
            let value = rows.read(wave, part)?;
            let low_half = || {
                let meant = places.meant(u64::from(high_half) << 32 | u64::from(value))?;
                beside(part).into_iter().any(in_this_half).then_some(meant)
            };
            let meant = match part {
                Part::Scalar(index) if index & 1 == 1 => {
                    let low = rows.read(wave, Part::Scalar(index - 1)).unwrap_or(0);
                    places
                        .meant(u64::from(value) << 32 | u64::from(low))
                        .map(|address| (address >> 32) as u32)
                        .or_else(|| low_half().map(|address| address as u32))
                }
                _ => low_half().map(|address| address as u32),
            };
            Some((part, meant.unwrap_or(value)))
        })
}

/// Where the high half may be of an address whose low half is in `part`.
fn beside(part: Part) -> [Part; 2] {
    match part {
        Part::Scalar(index) => [Part::Scalar(index + 1); 2],
        Part::Vector(register, lane) => [
            Part::Vector(register, lane + 1),
            Part::Vector(register + 1, lane),
        ],
    }
}

/// Puts rubbish where nothing is live.
fn overwrite_dead(live: &Live, rows: Rows, wave: &mut Wave, seed: u32) {
    let exec = wave.exec();
    let mut value = seed | 1;
    let mut next = || {
        value ^= value << 13;
        value ^= value >> 17;
        value ^= value << 5;
        value
    };
    // VCC and what lies behind it has other uses; SGPRs that the program does not name may hold the trap handler's state.
    for index in 0..lift::registers::SGPR_COUNT {
        if live.scalars.binary_search(&index).is_err() {
            rows.write(wave, Part::Scalar(index), next());
        }
    }
    for register in 0..2 * lift::registers::FILE_SIZE {
        let active = live.active.binary_search(&register).is_ok();
        let inactive = live.inactive.binary_search(&register).is_ok();
        for lane in 0..wave.wave_size() as u8 {
            let is_live = if exec >> lane & 1 == 1 {
                active
            } else {
                inactive
            };
            if !is_live {
                rows.write(wave, Part::Vector(register, lane), next());
            }
        }
    }
}
