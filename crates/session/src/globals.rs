//! The tool's variables on each agent.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use crate::{
    Agent, AgentId, Content, Device, DeviceError, Finish, Global, Instrumenter, LoadedObject,
    MemoryKind, lock,
    records::{Stream, Streams},
    summary::KernelLine,
};

/// Where a global lies on one agent.
#[derive(Clone, Copy, Debug)]
struct Allocated {
    address: u64,
    /// Bytes.
    size: u64,
}

/// Made when a variant that uses them is loaded; never freed, because kernels may run until the process ends.
#[derive(Debug)]
pub(crate) struct Globals {
    declared: Vec<Global>,
    agents: Mutex<HashMap<AgentId, HashMap<String, Allocated>>>,
    inside: Mutex<Vec<Inside>>,
}

/// A global in a code object that the application loads.
#[derive(Debug)]
struct Inside {
    agent: AgentId,
    executable: u64,
    name: String,
    place: Allocated,
    /// What it was when the object went.
    last: Option<Result<Vec<u8>, DeviceError>>,
}

impl Globals {
    pub fn new(declared: Vec<Global>) -> Globals {
        Globals {
            declared,
            agents: Mutex::new(HashMap::new()),
            inside: Mutex::default(),
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
                device.write(address, &stream.control())?;
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
    pub fn leave(
        &self,
        device: &dyn Device,
        executable: u64,
        streams: &Streams,
        tool: &dyn Instrumenter,
    ) {
        let mut inside = lock(&self.inside);
        let leaving = inside
            .iter_mut()
            .filter(|global| global.executable == executable && global.last.is_none());
        for global in leaving {
            streams.leave(global.place.address, device, tool);
            global.last = Some(fetch(device, global.place));
        }
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
        let allocated = agents.entry(agent.id).or_default();
        for global in self.declared.iter().chain(further) {
            if !allocated.contains_key(&global.name) {
                let made = allocate(device, agent, global, streams)?;
                allocated.insert(global.name.clone(), made);
            }
        }
        Ok(allocated
            .iter()
            .map(|(name, global)| (name.clone(), global.address))
            .collect())
    }
}

fn allocate(
    device: &dyn Device,
    agent: &Arc<Agent>,
    global: &Global,
    streams: &Streams,
) -> Result<Allocated, DeviceError> {
    let size = global.size;
    let address = match &global.content {
        Content::Memory { kind, initial } => memory(device, agent, size, *kind, initial)?,
        Content::Ring(spec) => {
            let stream = Stream::make(device, agent, &global.name, *spec)?;
            let control = stream.control();
            let address = memory(device, agent, size, MemoryKind::Device, &control)?;
            streams.add(stream, address);
            address
        }
    };
    Ok(Allocated { address, size })
}

fn memory(
    device: &dyn Device,
    agent: &Agent,
    size: u64,
    kind: MemoryKind,
    initial: &[u8],
) -> Result<u64, DeviceError> {
    // A kernel may take the address of an empty variable.
    let size = size.max(initial.len() as u64).max(1);
    let address = device.allocate(agent.id, size as usize, kind)?;
    if !initial.is_empty() {
        device.write(address, initial)?;
    }
    Ok(address)
}

/// What a tool sees at the end.
pub(crate) struct Final<'a> {
    pub globals: &'a Globals,
    pub device: &'a dyn Device,
    pub agents: &'a [Agent],
    pub kernels: &'a [KernelLine],
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
        let own = agents.get(&agent.id).and_then(|globals| globals.get(name));
        let own = own.map(|global| fetch(self.device, *global));
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
