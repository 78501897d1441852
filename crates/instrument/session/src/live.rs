//! The tool's globals while the program runs.

use std::{collections::HashMap, sync::Arc};

use crate::{
    Agent, Device, DeviceError, Global, Live, MemoryKind, globals::Globals, records::Streams,
};

/// The access to the running session that [`crate::Instrumenter::connect`] gets.
pub(crate) struct Access {
    pub device: Arc<dyn Device>,
    pub globals: Arc<Globals>,
    pub agents: Vec<Arc<Agent>>,
    pub streams: Arc<Streams>,
}

impl Access {
    fn first(&self) -> Result<&Agent, DeviceError> {
        self.agents
            .first()
            .map(|agent| &**agent)
            .ok_or(DeviceError::Gone)
    }
}

impl Live for Access {
    fn shared(&self, size: usize) -> Result<u64, DeviceError> {
        let first = self.first()?;
        self.device.allocate(first.id, size, MemoryKind::Shared)
    }

    fn allocate(&self, size: usize) -> Result<u64, DeviceError> {
        let first = self.first()?;
        self.device.allocate(first.id, size, MemoryKind::Device)
    }

    fn free(&self, address: u64) {
        self.device.free(address);
    }

    fn read(&self, address: u64, into: &mut [u8]) -> Result<(), DeviceError> {
        self.device.read(address, into)
    }

    fn write(&self, address: u64, from: &[u8]) -> Result<(), DeviceError> {
        self.device.write(address, from)
    }

    fn entry(&self, function: &str) -> Option<u64> {
        self.device.entry(function)
    }

    fn addresses(&self, global: &str) -> Result<Vec<u64>, DeviceError> {
        let on = |agent: &Arc<Agent>| {
            let placed: HashMap<String, u64> =
                self.globals.on(&*self.device, agent, &[], &self.streams)?;
            Ok(placed.get(global).copied())
        };
        let placed: Result<Vec<Option<u64>>, DeviceError> = self.agents.iter().map(on).collect();
        Ok(placed?.into_iter().flatten().collect())
    }

    fn declare(&self, globals: Vec<Global>) {
        self.globals.declare(globals);
    }
}
