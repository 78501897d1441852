//! Events. The thunk inside ROCr keeps the page with their mailboxes itself.

use std::time::Duration;

use gpu::events::{EVENT_LIMIT, EventError, EventKind, Watch};
use kmt_sys::{
    kfd::{self, wait_result},
    thunk::event_type,
};

use super::{
    Errno, Result,
    arguments::{Arguments, List},
    gpu_id, refuse,
};
use crate::{calls::event::FOREVER, instance::Instance};

impl From<EventError> for Errno {
    fn from(error: EventError) -> Errno {
        Errno(match error {
            EventError::TooMany => libc::ENOSPC,
            EventError::Unknown => libc::EINVAL,
            EventError::Timeout => libc::ETIME,
            EventError::Destroyed => libc::EIO,
        })
    }
}

pub fn create(instance: &Instance, arguments: Arguments) -> Result {
    let mut value: kfd::CreateEvent = arguments.get()?;
    let kind = match value.event_type {
        event_type::SIGNAL => EventKind::Signal,
        event_type::MEMORY => EventKind::MemoryFault,
        _ => EventKind::Passive,
    };
    let manual_reset = value.auto_reset == 0;
    let id = instance
        .machine
        .events()
        .create(kind, value.node_id, manual_reset, false)?;
    value.event_id = id;
    // The page's slots are as many as there can be events.
    debug_assert!(id < EVENT_LIMIT);
    (value.slot_index, value.trigger_data) = (id, id);
    if kind == EventKind::Signal {
        // Without a page the thunk gives the event no mailbox, and never asks for an interrupt.
        value.page_offset = kfd::MMAP_EVENTS;
    }
    arguments.put(value)
}

fn number(arguments: Arguments) -> Result<u32> {
    arguments.get().map(|value: kfd::Number| value.number)
}

pub fn destroy(instance: &Instance, arguments: Arguments) -> Result {
    Ok(instance.machine.events().destroy(number(arguments)?)?)
}

/// The number of an event that the host may set. Events of other kinds are the driver's alone.
fn signal(instance: &Instance, arguments: Arguments) -> Result<u32> {
    let id = number(arguments)?;
    if !instance.machine.events().is_signal(id) {
        return refuse(libc::EINVAL);
    }
    Ok(id)
}

pub fn set(instance: &Instance, arguments: Arguments) -> Result {
    let id = signal(instance, arguments)?;
    instance.machine.events().set(id)?;
    // The host has just written a signal; a barrier packet may be waiting for it.
    instance.machine.kick();
    Ok(())
}

pub fn reset(instance: &Instance, arguments: Arguments) -> Result {
    let id = signal(instance, arguments)?;
    Ok(instance.machine.events().reset(id)?)
}

pub fn wait(instance: &Instance, arguments: Arguments) -> Result {
    let mut value: kfd::WaitEvents = arguments.get()?;
    let list = List::<kfd::EventData>::new(value.events, value.count as usize)?;
    let mut rows = list.get();
    let events = instance.machine.events();
    let watch = |row: &kfd::EventData| Watch {
        id: row.event_id,
        // Only signals have an age; of others these bytes are room for an answer.
        age: if events.is_signal(row.event_id) {
            row.age()
        } else {
            0
        },
    };
    let mut watches: Vec<Watch> = rows.iter().map(watch).collect();
    // The host goes to sleep, probably on something it has just submitted.
    instance.machine.kick();
    let milliseconds = value.timeout;
    let timeout = (milliseconds < FOREVER).then(|| Duration::from_millis(u64::from(milliseconds)));
    // All of none have happened, which the driver takes any of none for, too.
    let all = value.all != 0 || watches.is_empty();
    value.wait_result = match events.watch(&mut watches, all, timeout) {
        Ok(()) => wait_result::COMPLETE,
        Err(EventError::Timeout) => wait_result::TIMEOUT,
        Err(error) => {
            // The driver answers, too, where it returns an error.
            value.wait_result = wait_result::FAIL;
            arguments.put(value)?;
            return Err(error.into());
        }
    };
    if value.wait_result == wait_result::COMPLETE {
        for (row, watch) in rows.iter_mut().zip(&watches) {
            if watch.age != 0 {
                row.set_age(watch.age);
            }
            if let Some(fault) = events.fault(watch.id) {
                row.address = fault.address & !0xfff;
                row.gpu_id = gpu_id(fault.node);
                (row.not_present, row.read_only) = match fault.read_only {
                    true => (0, 1),
                    false => (1, 0),
                };
            }
        }
        list.put(&rows);
    }
    arguments.put(value)
}
