//! The tool's variables on each agent.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use crate::{
    Agent, AgentId, Content, Device, DeviceError, Finish, Global, MemoryKind, lock,
    records::{Stream, Streams},
};

/// Where each global lies on one agent.
type Addresses = HashMap<String, u64>;

/// Made on an agent when its first variant is loaded; never freed, because kernels may run until the process ends.
#[derive(Debug)]
pub(crate) struct Globals {
    declared: Vec<Global>,
    agents: Mutex<HashMap<AgentId, Addresses>>,
}

impl Globals {
    pub fn new(declared: Vec<Global>) -> Globals {
        Globals {
            declared,
            agents: Mutex::new(HashMap::new()),
        }
    }

    /// Addresses on this agent. Rings that are made now join `streams`.
    pub fn on(
        &self,
        device: &dyn Device,
        agent: &Arc<Agent>,
        streams: &Streams,
    ) -> Result<Addresses, DeviceError> {
        let mut agents = lock(&self.agents);
        if let Some(addresses) = agents.get(&agent.id) {
            return Ok(addresses.clone());
        }
        let mut addresses = Addresses::new();
        for global in &self.declared {
            let address = match &global.content {
                Content::Memory { kind, initial } => {
                    memory(device, agent, global.size, *kind, initial)?
                }
                Content::Ring(spec) => {
                    let stream = Stream::make(device, agent, &global.name, *spec)?;
                    let address = memory(
                        device,
                        agent,
                        global.size,
                        MemoryKind::Device,
                        &stream.control(),
                    )?;
                    streams.add(stream, address);
                    address
                }
            };
            addresses.insert(global.name.clone(), address);
        }
        agents.insert(agent.id, addresses.clone());
        Ok(addresses)
    }
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
        let address = *lock(&self.globals.agents).get(&agent.id)?.get(name)?;
        let declared = &self.globals.declared;
        let global = declared.iter().find(|global| global.name == name)?;
        let mut bytes = vec![0; global.size as usize];
        Some(self.device.read(address, &mut bytes).map(|()| bytes))
    }
}
