//! The tool's variables on each agent.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use crate::{
    Agent, AgentId, Content, Device, DeviceError, Finish, Global, MemoryKind, lock,
    records::{Stream, Streams},
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
}

impl Globals {
    pub fn new(declared: Vec<Global>) -> Globals {
        Globals {
            declared,
            agents: Mutex::new(HashMap::new()),
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
}

impl Finish for Final<'_> {
    fn agents(&self) -> &[Agent] {
        self.agents
    }

    fn global(&self, agent: &Agent, name: &str) -> Option<Result<Vec<u8>, DeviceError>> {
        let global = *lock(&self.globals.agents).get(&agent.id)?.get(name)?;
        let mut bytes = vec![0; global.size as usize];
        Some(self.device.read(global.address, &mut bytes).map(|()| bytes))
    }
}
