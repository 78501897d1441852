//! Runs a launch again and again from the same start.

use crate::{
    Buffer, Launch, Subject,
    code::{Code, Places},
    live,
    lockstep::{Difference, Error},
    record::{Observed, Recorder, Watch},
};
use codeobj::{
    CodeObject,
    elf::{Symbol, SymbolKind},
};
use emulate::{Counts, Device, Prepared};
use lift::Module;
use recording::{PAGE, Page, Recording};
use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// A device in the state that it had before the kernel ran.
pub struct Stage<'a> {
    pub device: Device<'a>,
    pub prepared: Prepared,
    recorder: Arc<Recorder>,
    start: InitialMemory<'a>,
}

/// The contents of memory before the launch.
enum InitialMemory<'a> {
    Launch {
        buffers: Vec<Buffer<'a>>,
        /// Name, address, first contents.
        variables: Vec<(String, u64, Vec<u8>)>,
    },
    Recording {
        recording: &'a Recording,
        /// Pages that the last run changed.
        dirty: RefCell<Vec<u64>>,
    },
}

/// The memory that an application sees.
pub enum VisibleMemory {
    Launch {
        buffers: Vec<Vec<u8>>,
        variables: Vec<Vec<u8>>,
    },
    /// Pages that are not what they were.
    Pages(BTreeMap<u64, Box<Page>>),
}

/// The memory that a run left, or why the kernel was stopped.
pub type Outcome = Result<VisibleMemory, emulate::Error>;

impl<'a> Stage<'a> {
    pub fn new(
        object: &CodeObject<'a>,
        module: &Module,
        subject: Subject<'a>,
    ) -> Result<Stage<'a>, Error> {
        let name = subject.kernel();
        let kernel = live::kernel(module, name).ok_or_else(|| Error::NoKernel(name.to_owned()))?;
        let recorder = Recorder::new(Code::new(module, kernel));
        match subject {
            Subject::Launch(launch) => Stage::of_launch(object, recorder, launch),
            Subject::Recording(recording) => {
                let device = Device::recorded(recording, recorder.clone())?;
                let prepared = device.prepare_recorded(recording)?;
                let dirty = RefCell::default();
                Ok(Stage {
                    device,
                    prepared,
                    recorder,
                    start: InitialMemory::Recording { recording, dirty },
                })
            }
        }
    }

    fn of_launch(
        object: &CodeObject<'a>,
        recorder: Arc<Recorder>,
        launch: &'a Launch,
    ) -> Result<Stage<'a>, Error> {
        let device = Device::observed(object.clone(), recorder.clone())?;
        let (buffers, arguments) = launch.place(&device)?;
        let prepared = device.prepare(&launch.kernel, &launch.shape(), &arguments)?;
        let mut variables = Vec::new();
        for symbol in self::variables(object) {
            let address = device.base() + symbol.value;
            let mut contents = vec![0; symbol.size as usize];
            device.read(address, &mut contents)?;
            variables.push((symbol.name.to_owned(), address, contents));
        }
        Ok(Stage {
            device,
            prepared,
            recorder,
            start: InitialMemory::Launch { buffers, variables },
        })
    }

    /// The instructions that are looked at.
    pub fn code(&self) -> &Code {
        &self.recorder.code
    }

    /// Runs from the start; `run` launches. Returns the observations, and the memory that is left or why the kernel was stopped.
    pub fn run(
        &self,
        watch: Watch,
        run: impl Fn(&Self) -> Result<Counts, emulate::Error>,
    ) -> Result<(Observed, Outcome), Error> {
        let limit = watch.limit;
        self.restore()?;
        self.recorder.set(watch);
        let outcome = run(self);
        let seen = self.recorder.take();
        if seen.too_long {
            return Err(Error::TooLong { limit });
        }
        let visible = self.visible()?;
        Ok(match seen.stopped {
            true => (seen, Ok(visible)),
            false => (seen, outcome.map(|_| visible)),
        })
    }

    pub fn original(&self, watch: Watch) -> Result<(Observed, Outcome), Error> {
        self.run(watch, |stage| stage.device.run(&stage.prepared))
    }

    fn restore(&self) -> Result<(), Error> {
        self.device.clear_scratch(&self.prepared)?;
        match &self.start {
            InitialMemory::Launch { buffers, variables } => {
                for buffer in buffers {
                    self.device.write(buffer.address, buffer.contents)?;
                }
                for (_, address, contents) in variables {
                    self.device.write(*address, contents)?;
                }
            }
            InitialMemory::Recording { recording, dirty } => {
                for address in dirty.take() {
                    self.device.write(address, before(recording, address))?;
                }
            }
        }
        Ok(())
    }

    fn visible(&self) -> Result<VisibleMemory, Error> {
        let read = |address: u64, size: usize| {
            let mut bytes = vec![0; size];
            self.device.read(address, &mut bytes).map(|()| bytes)
        };
        Ok(match &self.start {
            InitialMemory::Launch { buffers, variables } => VisibleMemory::Launch {
                buffers: buffers
                    .iter()
                    .map(|buffer| read(buffer.address, buffer.contents.len()))
                    .collect::<Result<_, _>>()?,
                variables: variables
                    .iter()
                    .map(|(_, address, contents)| read(*address, contents.len()))
                    .collect::<Result<_, _>>()?,
            },
            InitialMemory::Recording { recording, dirty } => {
                let mut changed = BTreeMap::new();
                let mut page = Box::new([0; PAGE as usize]);
                for address in pages(recording) {
                    self.device.read(address, &mut page[..])?;
                    if page[..] != before(recording, address)[..] {
                        changed.insert(address, page.clone());
                    }
                }
                dirty.replace(changed.keys().copied().collect());
                VisibleMemory::Pages(changed)
            }
        })
    }

    /// The first place where two runs left different memory behind. Functions may have kept where they return to in memory: code
    /// addresses of the other run are taken for what they stand for at its `places`.
    pub fn compare_memory(
        &self,
        original: &VisibleMemory,
        other: &VisibleMemory,
        places: &Places,
    ) -> Option<Difference> {
        match (&self.start, original, other) {
            (
                InitialMemory::Launch { buffers, variables },
                VisibleMemory::Launch {
                    buffers: a,
                    variables: own,
                },
                VisibleMemory::Launch {
                    buffers: b,
                    variables: others,
                },
            ) => {
                for (buffer, (a, b)) in buffers.iter().zip(a.iter().zip(b)) {
                    if let Some(offset) = first_difference(a, b, places) {
                        return Some(Difference::Memory {
                            buffer: buffer.argument,
                            offset,
                            original: a[offset],
                            instrumented: b[offset],
                        });
                    }
                }
                let mut pairs = own.iter().zip(others).zip(variables);
                let different =
                    pairs.find(|((a, b), _)| first_difference(a, b, places).is_some())?;
                Some(Difference::Variable {
                    name: different.1.0.clone(),
                })
            }
            (
                InitialMemory::Recording { recording, .. },
                VisibleMemory::Pages(a),
                VisibleMemory::Pages(b),
            ) => {
                let addresses: BTreeSet<u64> = a.keys().chain(b.keys()).copied().collect();
                addresses.into_iter().find_map(|address| {
                    let [a, b] = [a, b].map(|pages| match pages.get(&address) {
                        Some(page) => page,
                        None => before(recording, address),
                    });
                    let offset = first_difference(a, b, places)?;
                    Some(Difference::Address {
                        address: address + offset as u64,
                        original: a[offset],
                        instrumented: b[offset],
                    })
                })
            }
            _ => None,
        }
    }
}

/// The first byte that differs, but for code addresses.
fn first_difference(original: &[u8], other: &[u8], places: &Places) -> Option<usize> {
    if original == other {
        return None;
    }
    const WORD: usize = size_of::<u32>();
    let mut words = original.chunks(WORD).zip(other.chunks(WORD)).enumerate();
    words.find_map(|(number, (a, b))| {
        let different = a.iter().zip(b).position(|(a, b)| a != b)?;
        let word = |bytes: &[u8]| bytes.try_into().ok().map(u32::from_le_bytes);
        let agree = word(a).zip(word(b));
        let agree = agree.is_some_and(|(a, b)| places.halves_agree(b, a));
        (!agree).then_some(WORD * number + different)
    })
}

/// The variables of a code object.
pub(crate) fn variables<'o, 'a>(
    object: &'o CodeObject<'a>,
) -> impl Iterator<Item = &'o Symbol<'a>> {
    object.dynamic_symbols().iter().filter(|symbol| {
        let object = symbol.kind == SymbolKind::Object && !symbol.name.ends_with(".kd");
        object && symbol.is_defined() && symbol.size != 0
    })
}

/// A page as it was recorded.
pub(crate) fn before(recording: &Recording, address: u64) -> &Page {
    const ZERO: &Page = &[0; PAGE as usize];
    recording.pages.get(&address).map_or(ZERO, |page| page)
}

/// Addresses of all pages that can hold anything but zero, each once.
pub(crate) fn pages(recording: &Recording) -> Vec<u64> {
    let mut spans: Vec<(u64, u64)> = recording
        .header
        .ranges
        .iter()
        .map(|range| {
            let end = range.start.saturating_add(range.size);
            (range.start & !(PAGE - 1), end.next_multiple_of(PAGE))
        })
        .collect();
    spans.sort_unstable();
    let mut done = 0;
    let mut pages = Vec::new();
    for (start, end) in spans {
        let start = start.max(done);
        done = done.max(end);
        let all = || (start..end).step_by(PAGE as usize).collect();
        pages.extend(recording::touched(start, end.max(start)).unwrap_or_else(|_| all()));
    }
    pages
}
