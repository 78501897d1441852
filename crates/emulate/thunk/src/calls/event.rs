//! Events: objects that we allocate and ROCr reads directly.

use std::{
    collections::BTreeSet,
    sync::{
        Mutex,
        atomic::{Ordering, fence},
    },
    time::Duration,
};

use gpu::events::{EventError, EventKind, MemoryFault};
use guest::lock;
use kmt_sys::thunk::{Event, EventDescriptor, Status, event_type};

use crate::{
    ffi::{In, Out, Result},
    instance::instance,
};

/// Addresses of the events for memory faults that exist.
static FAULT_EVENTS: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());

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
    let address = Box::into_raw(event) as u64;
    if kind == EventKind::MemoryFault {
        lock(&FAULT_EVENTS).insert(address);
    }
    created.put(address)
}

/// Writes a fault into the objects of all events for faults, as a wait for these events does. ROCr's thread for events reads the objects
/// while it polls, and it polls for as long as another thread waits for one of its signals. The kernel that has faulted never ends
/// that wait, so a thread that polls would never ask.
pub fn tell(fault: &MemoryFault) {
    for &address in lock(&FAULT_EVENTS).iter() {
        // SAFETY: `create` made the object there, and `destroy` takes it out of the set, which is locked, before it frees it.
        unsafe { record(address as *mut Event, fault) };
    }
}

/// # Safety
/// `event` is an object that `create` made.
unsafe fn record(event: *mut Event, fault: &MemoryFault) {
    // SAFETY: the object lives, as the caller promises. ROCr only reads these fields, and none before the flags are set.
    unsafe {
        (&raw mut (*event).fault_node_id).write_unaligned(fault.node);
        (&raw mut (*event).fault_virtual_address).write_unaligned(fault.address & !0xfff);
        (&raw mut (*event).fault_failure).write_unaligned(if fault.read_only { 2 } else { 1 });
        fence(Ordering::Release);
        (&raw mut (*event).fault_flags).write_volatile(1);
    }
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
    lock(&FAULT_EVENTS).remove(&event.address());
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
        let value = event.get()?;
        if value.event_type == event_type::MEMORY
            && let Some(fault) = machine.events().fault(value.event_id)
        {
            // SAFETY: the event exists, so the caller passes the object that `create` made.
            unsafe { record(event.address() as *mut Event, &fault) };
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_polls_sees_the_fault() {
        let mut event = Event {
            event_id: 7,
            event_type: event_type::MEMORY,
            fault_node_id: 0,
            fault_virtual_address: 0,
            fault_failure: 0,
            fault_flags: 0,
            hw_data1: 7,
            hw_data2: 0,
            hw_data3: 7,
        };
        let address = &raw mut event as u64;
        lock(&FAULT_EVENTS).insert(address);
        tell(&MemoryFault {
            node: 2,
            address: 0x1_2345,
            read_only: true,
        });
        lock(&FAULT_EVENTS).remove(&address);
        let (node, page) = (event.fault_node_id, event.fault_virtual_address);
        let (failure, flags) = (event.fault_failure, event.fault_flags);
        assert_eq!((node, page, failure, flags), (2, 0x1_2000, 2, 1));
    }
}
