//! Dispatches recorded from an application, run again.

use std::{collections::BTreeMap, sync::Arc};

use aql::KernelDispatchPacket;
use codeobj::CodeObject;
use gpu::{
    Dispatch, Events, Memory, dispatch,
    memory::{Extent, ExtentOrigin, MemoryError},
};
use recording::{Kind, Recording};

use crate::{Device, Error, NODE, Observer, Prepared, Result};

impl<'a> Device<'a> {
    /// A device with the memory of a recorded dispatch at its old addresses, with one thread and an observer.
    pub fn recorded(recording: &'a Recording, observer: Arc<dyn Observer>) -> Result<Device<'a>> {
        let object = CodeObject::parse(&recording.object)?;
        let memory = Arc::new(Memory::new(BTreeMap::new()));
        let ranges = recording.header.ranges.iter();
        let extents: Vec<Extent> = ranges
            .map(|range| Extent {
                start: range.start,
                end: range.start.saturating_add(range.size),
                origin: match range.kind {
                    Kind::Allocated => ExtentOrigin::Allocated,
                    Kind::Registered => ExtentOrigin::Registered,
                    Kind::Shared => ExtentOrigin::Shared,
                },
                // The kernel did not write to memory that it may only read, and the contents must be put there.
                writable: true,
            })
            .collect();
        memory.adopt(&extents).map_err(|error| match error {
            MemoryError::Occupied { .. } => Error::AddressInUse(error),
            _ => Error::Memory {
                size: recording.header.ranges.iter().map(|range| range.size).sum(),
                reason: error.to_string(),
            },
        })?;
        let pool = compute::Pool::observed(memory.clone(), Arc::new(Events::default()), observer);
        let device = Device {
            object,
            memory,
            pool,
            base: recording.header.base,
        };
        for (address, page) in &recording.pages {
            device.write(*address, &page[..])?;
        }
        Ok(device)
    }

    /// The launch that was recorded.
    pub fn prepare_recorded(&self, recording: &Recording) -> Result<Prepared> {
        let header = &recording.header;
        let found = self.object.kernel(&header.kernel)?;
        let mut prepared = Prepared {
            kernel: header.kernel.clone(),
            packet: recorded_packet(recording)?,
            origin: dispatch::Origin {
                node: NODE,
                queue_id: 0,
                queue_address: header.queue_address,
                packet_address: header.packet_address,
                dispatch_id: header.dispatch_id,
            },
            scratch: None,
            barriers: header.barriers.clone(),
            counted: false,
        };
        let dispatch: Dispatch =
            self.dispatch(&prepared, prepared.packet, found.descriptor.bytes())?;
        prepared.scratch = self.scratch(&dispatch)?;
        Ok(prepared)
    }
}

/// The packet of a recorded launch.
pub fn recorded_packet(recording: &Recording) -> Result<KernelDispatchPacket> {
    let packet = &recording.header.packet;
    let bytes = packet.first_chunk().ok_or(Error::Memory {
        size: packet.len() as u64,
        reason: "the recorded packet is shorter than 64 bytes".to_owned(),
    })?;
    Ok(KernelDispatchPacket::from_bytes(bytes))
}
