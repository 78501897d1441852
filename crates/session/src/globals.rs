//! The tool's variables on each agent.

use std::{collections::HashMap, sync::Mutex};

use crate::{Agent, AgentId, Device, DeviceError, Finish, Global, lock};

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

    /// Addresses on this agent of the tool's globals and of `further` ones.
    pub fn on(
        &self,
        device: &dyn Device,
        agent: AgentId,
        further: &[Global],
    ) -> Result<HashMap<String, u64>, DeviceError> {
        let mut agents = lock(&self.agents);
        let allocated = agents.entry(agent).or_default();
        for global in self.declared.iter().chain(further) {
            if !allocated.contains_key(&global.name) {
                allocated.insert(global.name.clone(), allocate(device, agent, global)?);
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
    agent: AgentId,
    global: &Global,
) -> Result<Allocated, DeviceError> {
    // A kernel may take the address of an empty variable.
    let size = global.size.max(global.initial.len() as u64).max(1);
    let address = device.allocate(agent, size as usize, global.kind)?;
    if !global.initial.is_empty() {
        device.write(address, &global.initial)?;
    }
    Ok(Allocated {
        address,
        size: global.size,
    })
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
        Some(
            self.device
                .read(global.address, &mut bytes)
                .map(|()| bytes),
        )
    }
}
