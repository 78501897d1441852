//! The rules of all targets, and what was found by them; shared by all threads.

use std::{
    collections::{HashMap, HashSet, hash_map::Entry},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use gpu::{Dispatch, Memory};
use hazard::{Paths, Site, Unwaited};
use isa::{Decoder, Inst};

/// Longest encoding in bytes.
const LONGEST: usize = 20;

/// Is told of missing waits.
pub trait Sink: Send + Sync {
    /// A kernel that was not launched before.
    fn kernel(&self, dispatch: &Dispatch);
    /// A wait is missing at a place. `place` is the place's number, and `times` how many more times waves came there.
    fn found(&self, place: usize, found: &Unwaited, times: u64);
    /// Something that the user has to know.
    fn say(&self, message: &str);
}

/// The number of a target and wave size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BoardNumber(usize);

/// The paths of one target and wave size.
pub struct Board {
    pub paths: Paths,
    decoder: Decoder,
    /// By address, of the code that is there now.
    sites: HashMap<u64, Site>,
    /// The number among all places, of each that was found.
    places: Vec<usize>,
}

impl Board {
    /// The instruction at an address.
    pub fn site(&mut self, memory: &Memory, pc: u64) -> Site {
        let (paths, decoder) = (&mut self.paths, &self.decoder);
        *self
            .sites
            .entry(pc)
            .or_insert_with(|| paths.site(pc, decode(memory, decoder, pc).as_ref()))
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

/// The state that the threads share.
#[derive(Default)]
pub struct Inner {
    numbers: HashMap<(&'static str, u32), Option<BoardNumber>>,
    boards: Vec<Board>,
    /// Kernels that were told of, by descriptor.
    kernels: HashSet<u64>,
    places: usize,
    gave_up: bool,
}

impl Inner {
    pub fn board(&mut self, number: BoardNumber) -> &mut Board {
        &mut self.boards[number.0]
    }

    /// The numbers among all places of what was found by a step.
    pub fn places(&mut self, board: BoardNumber, found: &[u32]) -> Vec<usize> {
        let board = &mut self.boards[board.0];
        while board.places.len() < board.paths.found().len() {
            board.places.push(self.places);
            self.places += 1;
        }
        let places = found.iter().map(|one| board.places[*one as usize]);
        places.collect()
    }
}

/// Rules, memory and sink.
pub struct Rules {
    pub memory: Arc<Memory>,
    sink: Arc<dyn Sink>,
    inner: Mutex<Inner>,
}

impl Rules {
    pub fn new(memory: Arc<Memory>, sink: Arc<dyn Sink>) -> Rules {
        Rules {
            memory,
            sink,
            inner: Mutex::default(),
        }
    }

    pub fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Code has changed. The outstanding operations of waves stay.
    pub fn forget_code(&self) {
        let mut inner = self.inner();
        inner
            .boards
            .iter_mut()
            .for_each(|board| board.sites.clear());
    }

    /// A dispatch begins. None if its target has no decoder, which the user was told.
    pub fn begin(&self, dispatch: &Dispatch) -> Option<BoardNumber> {
        let mut inner = self.inner();
        if inner.kernels.insert(dispatch.packet.kernel_object) {
            self.sink.kernel(dispatch);
        }
        let inner = &mut *inner;
        let (target, wave_size) = (dispatch.target, dispatch.wave_size);
        match inner.numbers.entry((target.name, wave_size)) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(entry) => {
                let decoder = Decoder::with_features(target, wave_size as u8, "");
                let number = match decoder {
                    Ok(decoder) => {
                        inner.boards.push(Board {
                            paths: Paths::new(target, wave_size as u8),
                            decoder,
                            sites: HashMap::new(),
                            places: Vec::new(),
                        });
                        Some(BoardNumber(inner.boards.len() - 1))
                    }
                    Err(error) => {
                        self.sink.say(&format!("waits are not checked: {error}"));
                        None
                    }
                };
                *entry.insert(number)
            }
        }
    }

    /// Tells of places that waves came to.
    pub fn tell(&self, board: BoardNumber, times: impl IntoIterator<Item = (usize, u64)>) {
        let mut inner = self.inner();
        let inner = &mut *inner;
        let board = &inner.boards[board.0];
        for (place, times) in times {
            let own = board.places.binary_search(&place);
            if let Some(found) = own.ok().and_then(|own| board.paths.found().get(own)) {
                self.sink.found(place, found, times);
            }
        }
        if board.paths.gave_up() && !std::mem::replace(&mut inner.gave_up, true) {
            self.sink
                .say("waves are in too many different states; some missing waits may not be found");
        }
    }
}
