//! The tool's variables on each agent.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use crate::{
    Agent, AgentId, Content, Device, DeviceError, Finish, Global, LoadedObject, MemoryKind, lock,
    records::{Stream, Streams},
    summary::KernelLine,
};

/// The place of a global on one agent.
#[derive(Clone, Copy, Debug)]
struct Allocated {
    address: u64,
    /// Bytes.
    size: u64,
}

/// Bytes that are allocated at once for globals on a device. A global larger than a part of this has memory of its own.
const CHUNK: u64 = 1 << 20;
const LARGE: u64 = CHUNK / 8;
/// Counters of different tools and kernels share no cache line.
const ALIGNMENT: u64 = 256;

/// Device memory for many globals: making and reading them one by one would take a copy each, whose latency is what the first
/// launch of a kernel waits for.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    address: u64,
    used: u64,
}

/// The globals and chunks on one agent.
#[derive(Debug, Default)]
struct OnAgent {
    globals: HashMap<String, Allocated>,
    chunks: Vec<Chunk>,
}

impl OnAgent {
    /// Zero-filled memory, which is never freed.
    fn memory(
        &mut self,
        device: &dyn Device,
        agent: &Agent,
        size: u64,
        kind: MemoryKind,
    ) -> Result<u64, DeviceError> {
        if kind != MemoryKind::Device || size > LARGE {
            return device.allocate(agent.id, size as usize, kind);
        }
        let fits = |chunk: &&mut Chunk| chunk.used + size <= CHUNK;
        let chunk = match self.chunks.last_mut().filter(fits) {
            Some(chunk) => chunk,
            None => {
                let address = device.allocate(agent.id, CHUNK as usize, kind)?;
                self.chunks.push(Chunk { address, used: 0 });
                let last = self.chunks.len() - 1;
                &mut self.chunks[last]
            }
        };
        let address = chunk.address + chunk.used;
        chunk.used = (chunk.used + size).next_multiple_of(ALIGNMENT);
        Ok(address)
    }
}

/// Made when a variant that uses them is loaded; never freed, because kernels may run until the process ends.
#[derive(Debug)]
pub(crate) struct Globals {
    declared: Mutex<Vec<Global>>,
    agents: Mutex<HashMap<AgentId, OnAgent>>,
    inside: Mutex<Vec<Inside>>,
}

/// A global in a code object that the application loads.
#[derive(Debug)]
struct Inside {
    agent: AgentId,
    executable: u64,
    name: String,
    place: Allocated,
    /// Its contents when the object was unloaded.
    last: Option<Result<Vec<u8>, DeviceError>>,
}

impl Globals {
    pub fn new(declared: Vec<Global>) -> Globals {
        Globals {
            declared: Mutex::new(declared),
            agents: Mutex::new(HashMap::new()),
            inside: Mutex::default(),
        }
    }

    /// Adds globals that were declared later.
    pub fn declare(&self, globals: Vec<Global>) {
        let mut declared = lock(&self.declared);
        for global in globals {
            if !declared.iter().any(|known| known.name == global.name) {
                declared.push(global);
            }
        }
    }

    /// An object with globals in it was loaded: rings begin to work.
    pub fn enter(
        &self,
        device: &dyn Device,
        agent: &Arc<Agent>,
        object: &LoadedObject,
        globals: &[(Global, u64)],
        streams: &Streams,
    ) -> Result<(), DeviceError> {
        for (global, address) in globals {
            let address = address.wrapping_add(object.delta);
            if let Content::Ring(spec) = &global.content {
                let stream = Stream::make(device, agent, &global.name, *spec)?;
                // An object that was instrumented by an older version has fewer fields.
                let control = stream.control();
                let known = control.len().min(global.size as usize);
                device.write(address, &control[..known])?;
                streams.add(stream, address);
            }
            lock(&self.inside).push(Inside {
                agent: agent.id,
                executable: object.executable,
                name: global.name.clone(),
                place: Allocated {
                    address,
                    size: global.size,
                },
                last: None,
            });
        }
        Ok(())
    }

    /// An executable is about to go: what its objects' globals have come to is kept.
    pub fn leave(&self, device: &dyn Device, executable: u64, streams: &Streams) {
        let mut inside = lock(&self.inside);
        let leaving = inside
            .iter_mut()
            .filter(|global| global.executable == executable && global.last.is_none());
        for global in leaving {
            streams.leave(global.place.address, device);
            global.last = Some(fetch(device, global.place));
        }
    }

    /// Returns `true` if the first byte of a global on an agent, or of any of that name inside a code object, is other than 0.
    pub fn is_set(&self, device: &dyn Device, agent: AgentId, name: &str) -> bool {
        let set = |bytes: &Result<Vec<u8>, DeviceError>| matches!(bytes, Ok(bytes) if bytes.first().is_some_and(|byte| *byte != 0));
        let own = lock(&self.agents)
            .get(&agent)
            .and_then(|here| here.globals.get(name).copied());
        let mut inside = Vec::new();
        for global in lock(&self.inside).iter() {
            if global.agent == agent && global.name == name {
                inside.push((global.place, global.last.clone()));
            }
        }
        own.is_some_and(|global| set(&fetch(device, global)))
            || inside.iter().any(|(place, last)| match last {
                Some(last) => set(last),
                None => set(&fetch(device, *place)),
            })
    }

    /// Addresses on this agent of the tool's globals and of `further` ones. Rings that are made now join `streams`.
    pub fn on(
        &self,
        device: &dyn Device,
        agent: &Arc<Agent>,
        further: &[Global],
        streams: &Streams,
    ) -> Result<HashMap<String, u64>, DeviceError> {
        let mut agents = lock(&self.agents);
        let here = agents.entry(agent.id).or_default();
        for global in lock(&self.declared).iter().chain(further) {
            if !here.globals.contains_key(&global.name) {
                let made = allocate(device, agent, here, global, streams)?;
                here.globals.insert(global.name.clone(), made);
            }
        }
        Ok(here
            .globals
            .iter()
            .map(|(name, global)| (name.clone(), global.address))
            .collect())
    }
}

fn allocate(
    device: &dyn Device,
    agent: &Arc<Agent>,
    here: &mut OnAgent,
    global: &Global,
    streams: &Streams,
) -> Result<Allocated, DeviceError> {
    let size = global.size;
    let address = match &global.content {
        Content::Memory { kind, initial } => memory(device, agent, here, size, *kind, initial)?,
        Content::Ring(spec) => {
            let stream = Stream::make(device, agent, &global.name, *spec)?;
            let control = stream.control();
            let address = memory(device, agent, here, size, MemoryKind::Device, &control)?;
            streams.add(stream, address);
            address
        }
    };
    Ok(Allocated { address, size })
}

fn memory(
    device: &dyn Device,
    agent: &Agent,
    here: &mut OnAgent,
    size: u64,
    kind: MemoryKind,
    initial: &[u8],
) -> Result<u64, DeviceError> {
    // A kernel may take the address of an empty variable.
    let size = size.max(initial.len() as u64).max(1);
    let address = here.memory(device, agent, size, kind)?;
    if !initial.is_empty() {
        device.write(address, initial)?;
    }
    Ok(address)
}

/// The globals as a tool sees them at the end.
pub(crate) struct Final<'a> {
    pub globals: &'a Globals,
    pub device: &'a dyn Device,
    pub agents: &'a [Agent],
    pub kernels: &'a [KernelLine],
    pub seen: Seen,
}

/// Chunks as they were when they were first asked for at the end, by address.
pub(crate) type Seen = Mutex<HashMap<u64, Result<Vec<u8>, DeviceError>>>;

impl Final<'_> {
    /// The bytes of a global, out of its chunk if it lies in one.
    fn fetch(&self, here: &OnAgent, global: Allocated) -> Result<Vec<u8>, DeviceError> {
        let inside = |chunk: &&Chunk| global.address.wrapping_sub(chunk.address) < chunk.used;
        let Some(chunk) = here.chunks.iter().find(inside) else {
            return fetch(self.device, global);
        };
        let (address, size) = (chunk.address, chunk.used);
        let mut seen = lock(&self.seen);
        let bytes = seen
            .entry(address)
            .or_insert_with(|| fetch(self.device, Allocated { address, size }));
        let bytes = bytes.as_ref().map_err(Clone::clone)?;
        let start = (global.address - address) as usize;
        let part = bytes.get(start..start + global.size as usize);
        Ok(part.unwrap_or_default().to_vec())
    }
}

impl Finish for Final<'_> {
    fn kernels(&self) -> &[KernelLine] {
        self.kernels
    }

    fn agents(&self) -> &[Agent] {
        self.agents
    }

    fn global(&self, agent: &Agent, name: &str) -> Vec<Result<Vec<u8>, DeviceError>> {
        let agents = lock(&self.globals.agents);
        let here = agents.get(&agent.id);
        let own = here.and_then(|here| Some((here, here.globals.get(name)?)));
        let own = own.map(|(here, global)| self.fetch(here, *global));
        let inside = lock(&self.globals.inside);
        let inside = inside
            .iter()
            .filter(|global| global.agent == agent.id && global.name == name)
            .map(|global| match &global.last {
                Some(last) => last.clone(),
                None => fetch(self.device, global.place),
            });
        own.into_iter().chain(inside).collect()
    }
}

fn fetch(device: &dyn Device, global: Allocated) -> Result<Vec<u8>, DeviceError> {
    let mut bytes = vec![0; global.size as usize];
    device.read(global.address, &mut bytes).map(|()| bytes)
}
