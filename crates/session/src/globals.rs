//! The tool's variables on each agent.

use std::{collections::HashMap, sync::Mutex};

use crate::{Agent, AgentId, Device, DeviceError, Finish, Global, lock};

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

    /// Addresses on this agent.
    pub fn on(&self, device: &dyn Device, agent: AgentId) -> Result<Addresses, DeviceError> {
        let mut agents = lock(&self.agents);
        if let Some(addresses) = agents.get(&agent) {
            return Ok(addresses.clone());
        }
        let mut addresses = Addresses::new();
        for global in &self.declared {
            // A kernel may take the address of an empty variable.
            let size = global.size.max(global.initial.len() as u64).max(1) as usize;
            let address = device.allocate(agent, size, global.kind)?;
            if !global.initial.is_empty() {
                device.write(address, &global.initial)?;
            }
            addresses.insert(global.name.clone(), address);
        }
        agents.insert(agent, addresses.clone());
        Ok(addresses)
    }
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
