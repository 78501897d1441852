//! The instructions that each wave of a launch executes, one by one, with the address of each access in each lane.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use codeobj::CodeObject;
use emulate::{Counts, Device, Dispatch, Next, Observer, Wave};
use gfx::Family;
use isa::{Decoded, Effects, Inst};
use lift::{FunctionIndex, InstIndex, Module};
use rewrite::{Address, MemoryAccess};

use crate::{Error, Subject};

/// After so many instructions another wave gets its turn, and the time is looked at.
const TURN: u64 = 1 << 16;

/// An instruction that a wave is about to execute.
pub struct Executed<'a> {
    /// Index of the workgroup, and of the wave in it.
    pub workgroup: [u32; 3],
    pub wave: u32,
    /// Its place in the code object, and the instruction.
    pub inst: Inst<&'a Decoded>,
    /// The lanes that are on.
    pub exec: u64,
    pub access: Option<Access<'a>>,
}

/// An access of memory.
pub struct Access<'a> {
    /// Bytes of each lane, or of the wave for scalar memory.
    pub size: u32,
    address: Option<Address>,
    wave: &'a Wave,
}

impl Access<'_> {
    /// The address in a lane, or the offset in LDS or scratch; `None` if it is not made of registers alone, as an image's is not.
    pub fn address(&self, lane: u32) -> Option<u64> {
        Some(in_lane(&self.address?, self.wave, lane as usize))
    }
}

/// Takes what is executed. An error ends the launch.
pub trait Sink: Send {
    fn executed(&mut self, executed: &Executed<'_>) -> Result<(), String>;
    /// A workgroup has ended; nothing more comes from it.
    fn ended(&mut self, workgroup: [u32; 3]) -> Result<(), String>;
}

/// Why a launch has no trace.
#[derive(Debug, thiserror::Error)]
pub enum Untraced {
    #[error("{0}")]
    Launch(Error),
    /// As the sink said.
    #[error("{0}")]
    Sink(String),
    #[error("the kernel does not end in {0:?}")]
    TooLong(Duration),
    #[error("at {0:#x} a wave executes what is no instruction of the code object's functions")]
    NoCode(u64),
}

impl<E: Into<Error>> From<E> for Untraced {
    fn from(error: E) -> Untraced {
        Untraced::Launch(error.into())
    }
}

/// Runs a launch, at most for `limit`, and gives all that its waves execute to `sink`, which is returned.
///
/// One wave runs at a time. Waves take turns as on every observed device, so that the order of what different waves do is
/// one of many.
pub fn executed<S: Sink + 'static>(
    object: &CodeObject<'_>,
    subject: Subject<'_>,
    limit: Option<Duration>,
    sink: S,
) -> Result<(S, Counts), Untraced> {
    let watcher = Arc::new(Watcher::new(Module::lift(object)?, limit, sink));
    let device = match subject {
        Subject::Launch(_) => Device::observed(object.clone(), watcher.clone()),
        Subject::Recording(recording) => Device::recorded(recording, watcher.clone()),
    };
    let device = device?;
    // Set once, before anything runs.
    let _ = watcher.base.set(device.base());
    let prepared = match subject {
        Subject::Launch(launch) => {
            let (_, arguments) = launch.place(&device)?;
            device.prepare(&launch.kernel, &launch.shape(), &arguments)
        }
        Subject::Recording(recording) => device.prepare_recorded(recording),
    };
    let outcome = device.run(&prepared?);
    let (sink, stopped) = watcher.take();
    match (stopped, sink) {
        (Some(why), _) => Err(why),
        (None, Some(sink)) => Ok((sink, outcome?)),
        (None, None) => Err(Untraced::Sink("the trace was taken twice".to_owned())),
    }
}

/// Looks at each instruction before it is executed.
struct Watcher<S> {
    module: Module,
    /// By address in the code object.
    places: HashMap<u64, (FunctionIndex, InstIndex)>,
    family: Family,
    base: OnceLock<u64>,
    limit: Option<(Duration, Instant)>,
    state: Mutex<State<S>>,
}

struct State<S> {
    sink: Option<S>,
    instructions: u64,
    stopped: Option<Untraced>,
    /// By wave: where its last instruction ends, if control goes on there.
    ends: HashMap<([u32; 3], u32), u64>,
}

impl<S: Sink> Watcher<S> {
    fn new(module: Module, limit: Option<Duration>, sink: S) -> Watcher<S> {
        let functions = module.functions.iter().enumerate();
        let places = functions.flat_map(|(function, lifted)| {
            (0..lifted.insts.len()).map(move |inst| (lifted.insts.pc(inst), (function, inst)))
        });
        Watcher {
            places: places.collect(),
            family: module.target.family,
            module,
            base: OnceLock::new(),
            limit: limit.map(|limit| (limit, Instant::now() + limit)),
            state: Mutex::new(State {
                sink: Some(sink),
                instructions: 0,
                stopped: None,
                ends: HashMap::new(),
            }),
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State<S>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> (Option<S>, Option<Untraced>) {
        let mut state = self.state();
        (state.sink.take(), state.stopped.take())
    }

    fn look(
        &self,
        state: &mut State<S>,
        workgroup: [u32; 3],
        wave: &Wave,
        pc: u64,
    ) -> Result<Next, Untraced> {
        state.instructions += 1;
        let mut next = Next::GoOn;
        if state.instructions.is_multiple_of(TURN) {
            next = Next::Yield;
            if let Some((limit, _)) = self.limit.filter(|(_, end)| Instant::now() > *end) {
                return Err(Untraced::TooLong(limit));
            }
        }
        let pc = pc.wrapping_sub(self.base.get().copied().unwrap_or(0));
        let State { sink, ends, .. } = state;
        let Some(sink) = sink else { return Ok(next) };
        let mut tell = |inst: Inst<&Decoded>, access| {
            let executed = Executed {
                workgroup,
                wave: wave.index_in_workgroup,
                inst,
                exec: wave.exec(),
                access,
            };
            sink.executed(&executed).map_err(Untraced::Sink)
        };
        // On gfx9, the code in index mode goes with the instruction that begins the mode, and the observer is not asked before it is executed.
        let id = (workgroup, wave.index_in_workgroup);
        let mut at = ends.remove(&id).unwrap_or(pc);
        while at < pc {
            let inst = self.at(at)?;
            tell(inst, None)?;
            at = inst.end();
        }
        let inst = self.at(pc)?;
        if !inst.effects.intersects(Effects::BRANCH | Effects::END) {
            ends.insert(id, inst.end());
        }
        let access = MemoryAccess::decode(&inst, self.family);
        let access = access.map(|memory| Access {
            size: memory.size,
            address: memory.address,
            wave,
        });
        tell(inst, access)?;
        Ok(next)
    }

    /// The instruction at an address in the code object.
    fn at(&self, pc: u64) -> Result<Inst<&Decoded>, Untraced> {
        let (function, inst) = *self.places.get(&pc).ok_or(Untraced::NoCode(pc))?;
        Ok(self.module.functions[function].insts.at(inst))
    }
}

impl<S: Sink> Observer for Watcher<S> {
    fn before(&self, workgroup: [u32; 3], wave: &mut Wave, pc: u64) -> Next {
        let mut state = self.state();
        if state.stopped.is_some() {
            return Next::Stop;
        }
        self.look(&mut state, workgroup, wave, pc)
            .unwrap_or_else(|why| {
                state.stopped = Some(why);
                Next::Stop
            })
    }

    fn ended(&self, dispatch: &Arc<Dispatch>, workgroup: u64) {
        let [x, y, _] = dispatch.workgroups.map(u64::from);
        let place = [workgroup % x, workgroup / x % y, workgroup / x / y];
        let mut state = self.state();
        if state.stopped.is_none()
            && let Some(sink) = &mut state.sink
            && let Err(why) = sink.ended(place.map(|index| index as u32))
        {
            state.stopped = Some(Untraced::Sink(why));
        }
    }

    fn has_enough(&self) -> bool {
        self.state().stopped.is_some()
    }
}

/// An address in one lane of a wave.
pub(crate) fn in_lane(address: &Address, wave: &Wave, lane: usize) -> u64 {
    let scalar = |index: u16| u64::from(wave.sgpr(index.into()));
    let vector = |index: u16| {
        let row = usize::from(index);
        match row < wave.vector_rows() {
            true => u64::from(wave.vgpr(row, lane)),
            false => 0,
        }
    };
    let base = address.scalar.map_or(0, |index| match address.wide {
        true => scalar(index) | scalar(index + 1) << 32,
        false => scalar(index),
    });
    let offset = address.scalar_offset.map_or(0, scalar);
    let indexed = address.vector.map_or(0, |(index, pair)| match pair {
        true => vector(index) | vector(index + 1) << 32,
        false => vector(index),
    });
    let sum = base.wrapping_add(offset).wrapping_add(indexed);
    let sum = sum.wrapping_add_signed(address.constant);
    match address.wide {
        true => sum,
        false => sum & u64::from(u32::MAX),
    }
}
