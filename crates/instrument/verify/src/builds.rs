//! Two builds of one kernel on the same launch, and the first store that makes a difference.
//!
//! Registers of two builds cannot be compared: each compiler has its own. Memory can. If the two leave different memory behind, both run
//! again, and a watcher looks at the words that differ after each store. The word that the good build finishes first is reported with
//! the instruction that finishes it in either build.

use crate::{
    Error, Subject,
    code::{Code, instruction},
    live,
    stage::{before, pages, variables},
};
use codeobj::{CodeObject, SourceLines};
use emulate::{Argument, Device, MemoryReader, Next, Observer, Prepared, Wave};
use lift::Module;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::{Duration, Instant},
};

/// Words that are watched at most: the first ones that differ, by address.
const MOST_WATCHED: usize = 1024;
const WORD: u64 = 4;
/// After so many instructions another wave gets its turn, and the time is looked at.
const TURN: u64 = 1 << 16;

/// The result of comparing two builds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Both leave the same memory behind.
    Same,
    Different(Box<Difference>),
    /// The bad one is stopped: by a fault, or because it takes too long.
    Stopped(String),
}

/// Different memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Words of 32 bits that differ.
    pub words: u64,
    /// The word that the good build finishes first.
    pub place: MemoryPlace,
    pub good: Written,
    pub bad: Written,
}

/// A word of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryPlace {
    /// Number of the argument, and bytes from the start of its buffer.
    Argument(usize, u64),
    /// A variable of the code object, and bytes from its start.
    Variable(String, u64),
    Address(u64),
}

/// The value that a build leaves in the word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    pub value: u32,
    /// The store that wrote it last; `None`: the word is as it was.
    pub by: Option<Store>,
}

/// A store of one wave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    /// Address in the build's code object.
    pub pc: u64,
    pub instruction: String,
    /// File, line and function, if the code object tells.
    pub source: Option<String>,
    pub workgroup: [u32; 3],
    pub wave: u32,
}

/// Memory that both builds are given with the same contents.
struct Region {
    place: MemoryPlace,
    /// The address at which each build finds it.
    address: [u64; 2],
    contents: Vec<u8>,
}

/// A word that differs.
struct Word {
    region: usize,
    offset: u64,
    values: [u32; 2],
}

/// Runs both builds. Neither may take longer than `limit`.
pub fn compare(
    good: &CodeObject<'_>,
    bad: &CodeObject<'_>,
    subject: Subject<'_>,
    limit: Duration,
) -> Result<Comparison, Error> {
    let watcher = Arc::new(Watcher::default());
    let device = match subject {
        Subject::Launch(_) => Device::observed(good.clone(), watcher.clone())?,
        Subject::Recording(recording) => Device::recorded(recording, watcher.clone())?,
    };
    // Buffers have the sizes that the caller has named. Memory behind them would not be compared.
    if matches!(subject, Subject::Launch(_)) {
        device.be_exact();
    }
    // Set once, before anything runs.
    let _ = watcher.read.set(device.reader());
    let bases = [device.base(), device.add(bad)?];
    let table = Table::new(device, subject, [good, bad], bases)?;
    let mut memory = Vec::new();
    let mut stopped = [None, None];
    for build in 0..2 {
        watcher.begin(limit, Vec::new(), HashMap::new());
        stopped[build] = table.run(build, bad, &watcher)?;
        memory.push(table.memory(build)?);
    }
    match stopped {
        // Nothing says what is right.
        [Some(why), _] => return Err(Error::GoodStopped(why)),
        [None, Some(why)] => return Ok(Comparison::Stopped(why)),
        [None, None] => {}
    }
    let (words, count) = table.differing(&memory[0], &memory[1]);
    if count == 0 {
        return Ok(Comparison::Same);
    }
    let modules = [Module::lift(good)?, Module::lift(bad)?];
    let mut last = Vec::new();
    for (build, module) in modules.iter().enumerate() {
        let code = table.code(build, module)?;
        watcher.begin(limit, table.addresses(build, &words), code);
        table.run(build, bad, &watcher)?;
        last.push(watcher.end());
    }
    // A word that the good build leaves alone is finished at once.
    let first =
        (0..words.len()).min_by_key(|&word| last[0][word].as_ref().map_or(0, |last| last.order));
    let Some(first) = first else {
        return Ok(Comparison::Same);
    };
    let word = &words[first];
    let written = |build: usize, object: &CodeObject<'_>| {
        let by = last[build][first].as_ref();
        Ok::<_, Error>(Written {
            value: word.values[build],
            by: by
                .map(|last| {
                    store(
                        object,
                        &modules[build],
                        subject.kernel(),
                        bases[build],
                        last,
                    )
                })
                .transpose()?,
        })
    };
    Ok(Comparison::Different(Box::new(Difference {
        words: count,
        place: table.place(word),
        good: written(0, good)?,
        bad: written(1, bad)?,
    })))
}

fn store(
    object: &CodeObject<'_>,
    module: &Module,
    kernel: &str,
    base: u64,
    last: &Last,
) -> Result<Store, Error> {
    let pc = last.pc - base;
    let wave_size = object.kernel(kernel)?.descriptor.wave_size();
    let text = instruction(module, wave_size, pc);
    let lines = SourceLines::read(object).ok().flatten();
    Ok(Store {
        pc,
        instruction: text.unwrap_or_default().trim().to_owned(),
        source: lines.and_then(|lines| lines.describe(pc)),
        workgroup: last.workgroup,
        wave: last.wave,
    })
}

/// Both builds on one device.
struct Table<'a> {
    device: Device<'a>,
    prepared: Prepared,
    regions: Vec<Region>,
    bases: [u64; 2],
    kernel: String,
}

impl<'a> Table<'a> {
    fn new(
        device: Device<'a>,
        subject: Subject<'_>,
        objects: [&CodeObject<'_>; 2],
        bases: [u64; 2],
    ) -> Result<Table<'a>, Error> {
        let mut regions = Vec::new();
        let prepared = match subject {
            Subject::Launch(launch) => {
                let (buffers, arguments): (_, Vec<Argument>) = launch.place(&device)?;
                regions.extend(buffers.into_iter().map(|buffer| Region {
                    place: MemoryPlace::Argument(buffer.argument, 0),
                    address: [buffer.address; 2],
                    contents: buffer.contents.to_vec(),
                }));
                device.prepare(&launch.kernel, &launch.shape(), &arguments)?
            }
            Subject::Recording(recording) => {
                // The good build's own image is no memory of the program but for its variables.
                let size = objects[0].image().size;
                let image = bases[0]..bases[0] + size;
                let pages = pages(recording)
                    .into_iter()
                    .filter(|page| !image.contains(page));
                regions.extend(pages.map(|page| Region {
                    place: MemoryPlace::Address(page),
                    address: [page; 2],
                    contents: before(recording, page).to_vec(),
                }));
                device.prepare_recorded(recording)?
            }
        };
        for symbol in variables(objects[0]) {
            let other = objects[1].symbol(symbol.name);
            if let Some(other) = other.filter(|other| other.size == symbol.size) {
                let mut contents = vec![0; symbol.size as usize];
                device.read(bases[0] + symbol.value, &mut contents)?;
                regions.push(Region {
                    place: MemoryPlace::Variable(symbol.name.to_owned(), 0),
                    address: [bases[0] + symbol.value, bases[1] + other.value],
                    contents,
                });
            }
        }
        Ok(Table {
            device,
            prepared,
            regions,
            bases,
            kernel: subject.kernel().to_owned(),
        })
    }

    /// Runs a build from the start. Says why it was stopped, if it was.
    fn run(
        &self,
        build: usize,
        bad: &CodeObject<'_>,
        watcher: &Watcher,
    ) -> Result<Option<String>, Error> {
        self.device.clear_scratch(&self.prepared)?;
        for region in &self.regions {
            for address in region.address {
                self.device.write(address, &region.contents)?;
            }
        }
        let outcome = match build {
            0 => self.device.run(&self.prepared),
            _ => self.device.run_other(&self.prepared, bad, self.bases[1]),
        };
        match outcome {
            _ if watcher.has_enough() => Ok(Some("the kernel does not end in time".to_owned())),
            Ok(_) => Ok(None),
            Err(error @ emulate::Error::Fault { .. }) => Ok(Some(error.to_string())),
            Err(error) => Err(error.into()),
        }
    }

    fn memory(&self, build: usize) -> Result<Vec<Vec<u8>>, Error> {
        let read = self.regions.iter().map(|region| {
            let mut bytes = vec![0; region.contents.len()];
            self.device.read(region.address[build], &mut bytes)?;
            Ok(bytes)
        });
        read.collect()
    }

    /// The first words that differ, and how many there are.
    fn differing(&self, good: &[Vec<u8>], bad: &[Vec<u8>]) -> (Vec<Word>, u64) {
        let (mut words, mut count) = (Vec::new(), 0);
        for (region, (good, bad)) in good.iter().zip(bad).enumerate() {
            if good == bad {
                continue;
            }
            let both = good.chunks(WORD as usize).zip(bad.chunks(WORD as usize));
            for (number, (good, bad)) in both.enumerate().filter(|(_, (good, bad))| good != bad) {
                count += 1;
                if words.len() < MOST_WATCHED {
                    words.push(Word {
                        region,
                        offset: number as u64 * WORD,
                        values: [word(good), word(bad)],
                    });
                }
            }
        }
        (words, count)
    }

    fn addresses(&self, build: usize, words: &[Word]) -> Vec<u64> {
        let address = |word: &Word| self.regions[word.region].address[build] + word.offset;
        words.iter().map(address).collect()
    }

    fn place(&self, word: &Word) -> MemoryPlace {
        match &self.regions[word.region].place {
            MemoryPlace::Argument(number, _) => MemoryPlace::Argument(*number, word.offset),
            MemoryPlace::Variable(name, _) => MemoryPlace::Variable(name.clone(), word.offset),
            MemoryPlace::Address(start) => MemoryPlace::Address(start + word.offset),
        }
    }

    /// The instructions of a build: true for those that may write memory.
    fn code(&self, build: usize, module: &Module) -> Result<HashMap<u64, bool>, Error> {
        let kernel = live::kernel(module, &self.kernel);
        let kernel = kernel.ok_or_else(|| Error::NoKernel(self.kernel.clone()))?;
        let code = Code::new(module, kernel);
        let sites = code.sites.iter();
        let base = self.bases[build];
        Ok(sites.map(|site| (base + site.pc, site.writes)).collect())
    }
}

/// Up to four bytes as a number.
fn word(bytes: &[u8]) -> u32 {
    let mut word = [0; WORD as usize];
    word[..bytes.len()].copy_from_slice(bytes);
    u32::from_le_bytes(word)
}

/// The last change of a word.
#[derive(Clone, Copy, Debug)]
struct Last {
    /// Stores that were executed before.
    order: u64,
    pc: u64,
    workgroup: [u32; 3],
    wave: u32,
}

/// Looks at words after each store.
#[derive(Default)]
struct Watcher {
    read: OnceLock<MemoryReader>,
    watched: Mutex<Watched>,
}

#[derive(Default)]
struct Watched {
    addresses: Vec<u64>,
    values: Vec<u32>,
    last: Vec<Option<Last>>,
    /// By address: true for instructions that may write memory.
    code: HashMap<u64, bool>,
    /// The store that was executed last.
    store: Option<Last>,
    stores: u64,
    instructions: u64,
    end: Option<Instant>,
}

impl Watcher {
    fn watched(&self) -> std::sync::MutexGuard<'_, Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, limit: Duration, addresses: Vec<u64>, code: HashMap<u64, bool>) {
        *self.watched() = Watched {
            last: vec![None; addresses.len()],
            // Looked at before the first instruction.
            values: Vec::new(),
            addresses,
            code,
            end: Some(Instant::now() + limit),
            ..Watched::default()
        };
    }

    /// The last change of each word.
    fn end(&self) -> Vec<Option<Last>> {
        let mut watched = self.watched();
        self.look(&mut watched);
        std::mem::take(&mut watched.last)
    }

    fn look(&self, watched: &mut Watched) {
        let Some(read) = self.read.get() else { return };
        let store = watched.store.take();
        for (index, address) in watched.addresses.iter().enumerate() {
            let mut bytes = [0; WORD as usize];
            if !read(*address, &mut bytes) {
                continue;
            }
            let value = u32::from_le_bytes(bytes);
            match watched.values.get_mut(index) {
                None => watched.values.push(value),
                Some(old) if *old != value => {
                    *old = value;
                    watched.last[index] = store;
                }
                Some(_) => {}
            }
        }
    }
}

impl Observer for Watcher {
    fn before(&self, workgroup: [u32; 3], wave: &mut Wave, pc: u64) -> Next {
        let mut watched = self.watched();
        watched.instructions += 1;
        let next = match watched.instructions % TURN {
            0 => Next::Yield,
            _ => Next::GoOn,
        };
        if watched.addresses.is_empty() {
            return next;
        }
        if watched.store.is_some() || watched.values.is_empty() {
            self.look(&mut watched);
        }
        if watched.code.get(&pc).is_none_or(|writes| *writes) {
            watched.stores += 1;
            watched.store = Some(Last {
                order: watched.stores,
                pc,
                workgroup,
                wave: wave.index_in_workgroup,
            });
        }
        next
    }

    fn has_enough(&self) -> bool {
        self.watched().end.is_some_and(|end| Instant::now() > end)
    }
}
