//! Events: objects that we allocate and ROCr reads directly.

use std::time::Duration;

use gpu::events::{EventError, EventKind};
use kmt_sys::thunk::{Event, EventDescriptor, Status, event_type};

use crate::{
    ffi::{In, Out, Result},
    instance::instance,
};

/// Timeouts from here on mean for ever.
pub const FOREVER: u32 = 0xffff_fffe;

fn status(error: EventError) -> Status {
    match error {
        EventError::TooMany => Status::OutOfResources,
        EventError::Unknown => Status::InvalidHandle,
        EventError::Timeout => Status::WaitTimeout,
        // The driver's error, as the thunk passes it on.
        EventError::Destroyed => Status::Error,
    }
}

pub fn create(
    descriptor: In<EventDescriptor>,
    manual_reset: bool,
    set: bool,
    created: Out<u64>,
) -> Result {
    let instance = instance()?;
    let descriptor = descriptor.get()?;
    let kind = match descriptor.event_type {
        event_type::SIGNAL => EventKind::Signal,
        event_type::MEMORY => EventKind::MemoryFault,
        _ => EventKind::Passive,
    };
    let id = instance
        .machine
        .events()
        .create(kind, descriptor.node_id, manual_reset, set)
        .map_err(status)?;
    let event = Box::new(Event {
        event_id: id,
        event_type: descriptor.event_type,
        fault_node_id: 0,
        fault_virtual_address: 0,
        fault_failure: 0,
        fault_flags: 0,
        hw_data1: u64::from(id),
        hw_data2: if kind == EventKind::Signal {
            instance.mailboxes + u64::from(id) * 8
        } else {
            0
        },
        hw_data3: id,
    });
    created.put(Box::into_raw(event) as u64)
}

pub fn destroy(event: Out<Event>) -> Result {
    if event.is_null() {
        return Err(Status::InvalidHandle);
    }
    instance()?
        .machine
        .events()
        .destroy(event.get()?.event_id)
        .map_err(status)?;
    // SAFETY: the id was live, so this is the object `create` made for it, and it is freed once.
    drop(unsafe { Box::from_raw(event.address() as *mut Event) });
    Ok(())
}

pub fn set(event: Out<Event>) -> Result {
    let machine = &instance()?.machine;
    machine
        .events()
        .set(event.get()?.event_id)
        .map_err(status)?;
    // The host has just written a signal; a barrier packet may be waiting for it.
    machine.kick();
    Ok(())
}

pub fn reset(event: Out<Event>) -> Result {
    instance()?
        .machine
        .events()
        .reset(event.get()?.event_id)
        .map_err(status)
}

pub fn wait_one(event: Out<Event>, milliseconds: u32) -> Result {
    wait_list(&[event], false, milliseconds)
}

pub fn wait(list: In<Out<Event>>, count: u32, all: bool, milliseconds: u32) -> Result {
    wait_list(&list.list(count as usize)?, all, milliseconds)
}

fn wait_list(events: &[Out<Event>], all: bool, milliseconds: u32) -> Result {
    let machine = &instance()?.machine;
    let mut ids = Vec::with_capacity(events.len());
    for event in events {
        ids.push(event.get()?.event_id);
    }
    // The host goes to sleep, probably on something it has just submitted.
    machine.kick();
    let timeout = (milliseconds < FOREVER).then(|| Duration::from_millis(u64::from(milliseconds)));
    machine.events().wait(&ids, all, timeout).map_err(status)?;
    for event in events {
        let mut value = event.get()?;
        if value.event_type == event_type::MEMORY
            && let Some(fault) = machine.events().fault(value.event_id)
        {
            value.fault_node_id = fault.node;
            value.fault_virtual_address = fault.address & !0xfff;
            value.fault_failure = if fault.read_only { 2 } else { 1 };
            value.fault_flags = 1;
            event.put(value)?;
        }
    }
    Ok(())
}
