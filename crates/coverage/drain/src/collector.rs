//! The policy: what is live, what has been counted, when and where it is written.
//!
//! Counts are kept by image, not by address: an image loaded twice, on two devices, or unloaded and loaded again is
//! one profile. Nothing latches; each dump writes everything known so far.

mod idle;
mod read;
mod write;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fs::File,
    io::Write as _,
    path::PathBuf,
    sync::Arc,
};

use rawprof::{Note, Profile, Salvage, Version};

use crate::{
    config::{Config, Ledger},
    image::{self, Image, ImageError, ImageId},
    locate::{self, Method, Spans},
    naming::FileName,
    output::ManifestImage,
    runtime::{Agent, LoadedObject, Runtime, RuntimeError},
};
use read::{ReadError, identity, read_profile};

/// The counts and problems of one dump.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DumpReport {
    /// GPUs present.
    pub agents: usize,
    /// Loaded objects seen, one per executable and agent.
    pub pairs: usize,
    /// Code objects with profile sections.
    pub found: usize,
    /// Code objects whose counters were read.
    pub drained: usize,
    /// Calls or copies that failed.
    pub failures: usize,
    /// Files written.
    pub files: Vec<PathBuf>,
}

/// Adds up the profiles of one process.
#[derive(Debug)]
pub struct Collector {
    config: Config,
    agents: HashMap<u64, Agent>,
    live: HashMap<(u64, u64), Live>,
    totals: BTreeMap<Key, Total>,
    /// Images that were registered, as each counts while it is not loaded.
    idle: BTreeMap<Key, Snapshot>,
    /// Numbers of fat binaries that were looked into.
    registered: HashSet<u64>,
    images: HashMap<ImageId, Arc<Image>>,
    saved: HashSet<(PathBuf, ImageId)>,
    /// The files of this process, by target.
    names: HashMap<String, FileName>,
    /// It is in the ledger that this process has counters.
    told: bool,
    /// Hashes of what files hold, so that a dump without news writes nothing.
    written: HashMap<PathBuf, ImageId>,
    /// Counts that were already added to files that are merged into.
    merged: HashMap<(PathBuf, Key), Profile>,
    said: HashSet<String>,
    messages: Vec<String>,
    loads: HashMap<ImageId, u64>,
}

#[derive(Debug)]
struct Live {
    object: LoadedObject,
    state: State,
    /// Counts at the last look, in case the object goes away unseen.
    last: Option<(Key, Snapshot)>,
}

#[derive(Clone, Debug)]
enum State {
    /// No profile sections.
    Plain,
    /// Has, or may have, profile sections; the image when it could be read.
    Instrumented(Option<Arc<Image>>),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Key {
    target: String,
    version: u64,
    image: ImageId,
}

#[derive(Clone, Debug)]
struct Snapshot {
    profile: Profile,
    detail: ManifestImage,
    image: Option<Arc<Image>>,
}

type Total = Snapshot;

impl Collector {
    /// A collector that has seen nothing.
    pub fn new(config: Config) -> Self {
        Collector {
            config,
            agents: HashMap::new(),
            live: HashMap::new(),
            totals: BTreeMap::new(),
            idle: BTreeMap::new(),
            registered: HashSet::new(),
            images: HashMap::new(),
            saved: HashSet::new(),
            names: HashMap::new(),
            told: false,
            written: HashMap::new(),
            merged: HashMap::new(),
            said: HashSet::new(),
            messages: Vec::new(),
            loads: HashMap::new(),
        }
    }

    /// The settings it was made with.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Warnings since the last call, each said once per process.
    pub fn take_messages(&mut self) -> Vec<String> {
        std::mem::take(&mut self.messages)
    }

    /// Code was loaded into an executable: look at it while its image is surely there.
    pub fn loaded(&mut self, runtime: &dyn Runtime, executable: u64) {
        match runtime.objects(executable) {
            Ok(objects) => objects
                .into_iter()
                .for_each(|object| self.register(runtime, object)),
            Err(error) => self.complain(format!(
                "cannot list the code objects of an executable: {error}"
            )),
        }
    }

    /// An executable is about to be destroyed: take its counts while they are there, and forget it.
    pub fn retire(&mut self, runtime: &dyn Runtime, executable: u64) {
        self.loaded(runtime, executable);
        let keys: Vec<_> = self
            .live
            .keys()
            .filter(|(owner, _)| *owner == executable)
            .copied()
            .collect();
        self.retire_keys(runtime, keys);
    }

    /// The runtime is about to go away: take everything.
    pub fn retire_all(&mut self, runtime: &dyn Runtime) {
        let mut report = DumpReport::default();
        self.refresh(runtime, &mut report);
        let keys = self.live.keys().copied().collect();
        self.retire_keys(runtime, keys);
    }

    /// Writes all counts so far. Without a runtime, only what was taken before.
    pub fn dump(&mut self, runtime: Option<&dyn Runtime>) -> DumpReport {
        let mut report = DumpReport::default();
        let mut sum = self.totals.clone();
        if let Some(runtime) = runtime {
            self.refresh(runtime, &mut report);
            sum = self.totals.clone();
            let mut keys: Vec<_> = self.live.keys().copied().collect();
            keys.sort_unstable();
            for key in keys {
                if self.look(runtime, key, &mut report) == Look::Stop {
                    break;
                }
            }
        }
        // Objects that could not be read now count with what they had.
        for live in self.live.values() {
            if let Some((key, snapshot)) = &live.last {
                add(&mut sum, key.clone(), snapshot.clone());
            }
        }
        for (key, idle) in &self.idle {
            sum.entry(key.clone()).or_insert_with(|| idle.clone());
        }
        self.write(sum, &mut report);
        if !report.files.is_empty() {
            self.tell(Ledger::Written);
        }
        if self.config.verbose {
            self.messages.push(format!(
                "agents={} pairs={} found={} drained={} iter-failures={} files={}",
                report.agents,
                report.pairs,
                report.found,
                report.drained,
                report.failures,
                report.files.len()
            ));
        }
        report
    }

    /// Starts counting anew: zeroes counters on the devices and everything taken so far. False when a device copy failed.
    pub fn reset(&mut self, runtime: Option<&dyn Runtime>) -> bool {
        let mut complete = true;
        self.totals.clear();
        self.merged.clear();
        self.loads.clear();
        let Some(runtime) = runtime else {
            return complete;
        };
        self.refresh(runtime, &mut DumpReport::default());
        for live in self.live.values_mut() {
            live.last = None;
            let State::Instrumented(image) = &live.state else {
                continue;
            };
            let located = locate::locate(runtime, &live.object, image.as_deref());
            let Some(spans) = located.ok().and_then(|located| located.spans) else {
                continue;
            };
            let version = Version(image.as_ref().and_then(|image| image.version).unwrap_or(0));
            let idle = if version.is_byte_coverage() { 0xff } else { 0 };
            let notes = read::notes(runtime, &live.object, image.as_deref(), &spans);
            complete &= notes.is_ok();
            let tables = notes.unwrap_or_default().0.into_iter();
            for (span, byte) in [
                (spans.counters, idle),
                (spans.uniform, idle),
                (spans.bitmap, 0),
            ]
            .into_iter()
            .chain(tables.map(|note| (note.table, 0)))
            {
                let blank = vec![byte; usize::try_from(span.size).unwrap_or(0)];
                complete &= blank.is_empty()
                    || runtime
                        .write(live.object.agent, span.address, &blank)
                        .is_ok();
            }
        }
        complete
    }

    /// Returns `true` if any loaded or earlier image had profile sections.
    pub fn has_data(&self) -> bool {
        !self.totals.is_empty()
            || self
                .live
                .values()
                .any(|live| matches!(live.state, State::Instrumented(Some(_))))
    }

    /// Adds a line to the ledger. Where that fails, only an explanation may be missing later.
    fn tell(&self, what: Ledger) {
        let Some(path) = &self.config.ledger else {
            return;
        };
        if let Ok(mut file) = File::options().append(true).open(path) {
            let _ = file.write_all(what.line().as_bytes());
        }
    }

    fn complain(&mut self, message: String) {
        if self.said.insert(message.clone()) {
            self.messages.push(message);
        }
    }

    fn agent(&mut self, runtime: &dyn Runtime, handle: u64) -> Option<Agent> {
        if !self.agents.contains_key(&handle) {
            let agents = runtime.agents().ok()?;
            self.agents = agents
                .into_iter()
                .map(|agent| (agent.handle, agent))
                .collect();
        }
        self.agents.get(&handle).cloned()
    }

    fn register(&mut self, runtime: &dyn Runtime, object: LoadedObject) {
        let key = (object.executable, object.handle);
        if let Some(known) = self.live.get(&key) {
            if known.object == object {
                return;
            }
            // The handle was reused: the old object went away unseen.
            self.forget(key);
        }
        if self.agent(runtime, object.agent).is_none() {
            return;
        }
        let state = match image::is_instrumented(runtime, &object) {
            Some(false) => State::Plain,
            Some(true) => State::Instrumented(self.read_image(runtime, &object)),
            None => State::Instrumented(None),
        };
        if let State::Instrumented(Some(image)) = &state {
            *self.loads.entry(image.id).or_default() += 1;
            if !std::mem::replace(&mut self.told, true) {
                self.tell(Ledger::Found);
            }
        }
        self.live.insert(
            key,
            Live {
                object,
                state,
                last: None,
            },
        );
    }

    fn read_image(&mut self, runtime: &dyn Runtime, object: &LoadedObject) -> Option<Arc<Image>> {
        let bytes = image::read_whole(runtime, object)?;
        match self.image(bytes) {
            Ok(image) => Some(image),
            Err(error) => {
                self.complain(format!("{}: {error}", describe(object)));
                None
            }
        }
    }

    /// The image of these bytes, which is kept once.
    fn image(&mut self, bytes: Vec<u8>) -> Result<Arc<Image>, ImageError> {
        let id = ImageId::of(&bytes);
        if let Some(known) = self.images.get(&id) {
            return Ok(known.clone());
        }
        let image = Arc::new(Image::parse(bytes)?);
        self.images.insert(id, image.clone());
        Ok(image)
    }

    /// Brings the set of live objects up to date with the runtime's.
    fn refresh(&mut self, runtime: &dyn Runtime, report: &mut DumpReport) {
        match runtime.agents() {
            Ok(agents) => {
                report.agents = agents.len();
                self.agents = agents
                    .into_iter()
                    .map(|agent| (agent.handle, agent))
                    .collect();
            }
            Err(RuntimeError::NotRunning) => return,
            Err(error) => {
                report.failures += 1;
                self.complain(format!("cannot list the GPUs: {error}"));
                return;
            }
        }
        self.note_registered(runtime);
        let executables = match runtime.executables() {
            Ok(executables) => executables,
            Err(RuntimeError::NotRunning) => return,
            Err(error) => {
                report.failures += 1;
                self.complain(format!("cannot list the executables: {error}"));
                return;
            }
        };
        let mut present = HashSet::new();
        let mut complete = true;
        for executable in executables {
            match runtime.objects(executable) {
                Ok(objects) => {
                    for object in objects {
                        present.insert((object.executable, object.handle));
                        self.register(runtime, object);
                    }
                }
                Err(error) => {
                    complete = false;
                    report.failures += 1;
                    self.complain(format!(
                        "cannot list the code objects of an executable: {error}"
                    ));
                }
            }
        }
        if complete {
            let gone: Vec<_> = self
                .live
                .keys()
                .filter(|key| !present.contains(key))
                .copied()
                .collect();
            gone.into_iter().for_each(|key| self.forget(key));
        }
        report.pairs = self.live.len();
    }

    /// Drops an object that went away unseen; its counts up to the last look are kept.
    fn forget(&mut self, key: (u64, u64)) {
        let Some(live) = self.live.remove(&key) else {
            return;
        };
        if let Some((total, snapshot)) = live.last {
            add(&mut self.totals, total, snapshot);
        }
        if matches!(live.state, State::Instrumented(Some(_))) {
            self.complain(format!(
                "{} was unloaded without notice; counts since the last drain are lost",
                describe(&live.object)
            ));
        }
    }

    fn retire_keys(&mut self, runtime: &dyn Runtime, keys: Vec<(u64, u64)>) {
        let mut report = DumpReport::default();
        for key in keys {
            self.look(runtime, key, &mut report);
            if let Some((total, snapshot)) = self.live.remove(&key).and_then(|live| live.last) {
                add(&mut self.totals, total, snapshot);
            }
        }
    }

    /// Reads the counters of one live object into its `last`.
    fn look(&mut self, runtime: &dyn Runtime, key: (u64, u64), report: &mut DumpReport) -> Look {
        let Some(live) = self.live.get(&key) else {
            return Look::Next;
        };
        let State::Instrumented(image) = live.state.clone() else {
            return Look::Next;
        };
        let object = live.object.clone();
        let Some(agent) = self.agent(runtime, object.agent) else {
            return Look::Next;
        };
        let located = match locate::locate(runtime, &object, image.as_deref()) {
            Ok(located) => located,
            Err(RuntimeError::NotRunning) => return Look::Stop,
            Err(error) => {
                report.failures += 1;
                self.complain(format!(
                    "{}: cannot look for profile sections: {error}",
                    describe(&object)
                ));
                return Look::Next;
            }
        };
        for warning in located.warnings {
            self.complain(format!("{}: {warning}", describe(&object)));
        }
        let Some(spans) = located.spans else {
            return Look::Next;
        };
        report.found += 1;
        match read_profile(runtime, &object, image.as_deref(), &spans) {
            Ok((salvage, problems)) => {
                report.drained += 1;
                for problem in problems {
                    self.complain(format!("{}: {problem}", describe(&object)));
                }
                self.explain(&object, &spans, &salvage);
                let snapshot = self.snapshot(&object, image, &spans, salvage);
                let key_of_total = self.key(&agent, &snapshot);
                if let Some(live) = self.live.get_mut(&key) {
                    live.last = Some((key_of_total, snapshot));
                }
                Look::Next
            }
            Err(ReadError::Runtime(RuntimeError::NotRunning)) => Look::Stop,
            Err(error) => {
                report.failures += 1;
                self.complain(format!(
                    "{}: counters cannot be read: {error}",
                    describe(&object)
                ));
                Look::Next
            }
        }
    }

    fn key(&self, agent: &Agent, snapshot: &Snapshot) -> Key {
        let image = match &snapshot.image {
            Some(image) => image.id,
            None => identity(&snapshot.profile),
        };
        let name = if agent.name.is_empty() {
            "amdgpu"
        } else {
            &agent.name
        };
        let target = if self.config.per_device {
            format!("{name}.{}", agent.label)
        } else {
            name.to_owned()
        };
        Key {
            target,
            version: snapshot.profile.version.number(),
            image,
        }
    }

    fn snapshot(
        &self,
        object: &LoadedObject,
        image: Option<Arc<Image>>,
        spans: &Spans,
        salvage: Salvage,
    ) -> Snapshot {
        let mut profile = salvage.profile;
        // Addresses on the device differ from load to load and mean nothing afterwards.
        profile
            .records
            .iter_mut()
            .for_each(|record| record.function_pointer = 0);
        profile.binary_ids = image.iter().map(|image| image.id.0.to_vec()).collect();
        let detail = ManifestImage {
            sha1: image.as_ref().map(|image| image.id.to_string()),
            uri: object.uri.clone(),
            records: profile.records.len(),
            dropped: salvage.dropped.len(),
            method: spans.method.to_string(),
            loads: 1,
            has_mapping: image.as_ref().is_some_and(|image| image.has_mapping),
        };
        Snapshot {
            profile,
            detail,
            image,
        }
    }

    fn explain(&mut self, object: &LoadedObject, spans: &Spans, salvage: &Salvage) {
        let place = describe(object);
        for dropped in salvage.dropped.iter().take(8) {
            self.complain(format!(
                "{place}: dropped record {} ({:#x}): {}",
                dropped.index, dropped.name_ref, dropped.fault
            ));
        }
        if salvage.dropped.len() > 8 {
            self.complain(format!(
                "{place}: dropped {} records in all",
                salvage.dropped.len()
            ));
        }
        let count =
            |wanted: fn(&Note) -> bool| salvage.notes.iter().filter(|note| wanted(note)).count();
        #[rustfmt::skip]
        let notes = [
            (count(|note| matches!(note, Note::BitmapLost { .. })),    "records without their MC/DC bitmap"),
            (count(|note| matches!(note, Note::UniformLost { .. })),   "records without uniform counters, all uniform counters were left out"),
            (count(|note| matches!(note, Note::Clamped { .. })),       "records with counts beyond 2^56, clamped"),
            (count(|note| matches!(note, Note::NamesLost)),            "names section unreadable, functions are nameless"),
            (count(|note| matches!(note, Note::PartialRecord { .. })), "incomplete record at the end of the table"),
        ];
        for (count, what) in notes.into_iter().filter(|(count, _)| *count != 0) {
            let hint = match spans.method {
                Method::Sections => "",
                _ => " (the image could not be read, which would have helped)",
            };
            self.complain(format!("{place}: {count} {what}{hint}"));
        }
    }
}

#[derive(PartialEq)]
enum Look {
    Next,
    Stop,
}

fn describe(object: &LoadedObject) -> String {
    let uri = if object.uri.is_empty() {
        "code object"
    } else {
        &object.uri
    };
    // Addresses and process ids in a URI would make each message look new.
    uri.split('#').next().unwrap_or(uri).to_owned()
}

fn add(totals: &mut BTreeMap<Key, Total>, key: Key, snapshot: Snapshot) {
    match totals.get_mut(&key) {
        Some(total) => {
            // Equal keys mean equal images and versions, so the only refusal is of temporal profiles, which do not add.
            let _ = rawprof::merge(&mut total.profile, &snapshot.profile);
            total.detail.dropped = total.detail.dropped.max(snapshot.detail.dropped);
            total.detail.records = total.profile.records.len();
        }
        None => {
            totals.insert(key, snapshot);
        }
    }
}
