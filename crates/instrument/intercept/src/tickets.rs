//! Learning that nothing before a point in a queue is running any more.

use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use aql::{Packet, Queue};
use hsa_sys::{Handle, constants};

use crate::{
    intercepted::{Intercepted, barrier},
    lock,
    queues::Queues,
};

/// How often the end looks whether queues have finished.
const POLL: Duration = Duration::from_millis(1);

pub struct Ticket {
    number: u64,
    /// 0 until its packet is written; becomes 0 in value when that has completed.
    pub signal: Handle,
}

impl Queues {
    /// See [`session::Device::ticket`].
    pub fn ticket(&self, id: u64) -> Option<u64> {
        self.issue(id).map(|(number, _)| number)
    }

    /// A ticket, and whether its packet is in the queue already.
    fn issue(&self, id: u64) -> Option<(u64, bool)> {
        let known = lock(&self.known);
        let (address, queue) = known.iter().find(|(_, queue)| queue.id == id)?;
        let number = self.next_ticket.fetch_add(1, Ordering::Relaxed);
        // Our own packet, or one behind the application's next.
        let signal = (!queue.waiting.load(Ordering::Relaxed) && !queue.errors.failed())
            .then(|| self.write_barrier(*address as *mut Queue, queue))
            .flatten()
            .unwrap_or(0);
        lock(&queue.tickets).push(Ticket { number, signal });
        if signal == 0 {
            queue.wanted.store(true, Ordering::Release);
        }
        Some((number, signal != 0))
    }

    /// Writes a barrier packet as the application would; its signal, if there is room and several threads may write.
    fn write_barrier(&self, address: *mut Queue, queue: &Intercepted) -> Option<Handle> {
        let core = &self.api.core;
        let (read, add, ring) = (
            core.queue_load_read_index_scacquire?,
            core.queue_add_write_index_screlease?,
            core.signal_store_screlease?,
        );
        // SAFETY: the queue lives, because it is removed from `known`, which is locked, before it is destroyed. The slot belongs to this
        // call from the addition to the doorbell, and its first half-word is written last.
        unsafe {
            let described = *address;
            if described.queue_type == constants::QUEUE_TYPE_SINGLE {
                return None;
            }
            let signal = queue.signal(1)?;
            let index = add(address, 1);
            while index - read(address) >= u64::from(described.size) {
                // Others have written a ring full: they are on their way to the doorbell.
                std::thread::yield_now();
            }
            let slot = described.base_address as *mut Packet;
            let slot = slot.add((index % u64::from(described.size)) as usize);
            let packet = barrier(signal);
            (&raw mut (*slot).rest).write(packet.rest);
            std::sync::atomic::AtomicU16::from_ptr(&raw mut (*slot).header)
                .store(packet.header, Ordering::Release);
            ring(described.doorbell_signal, index as i64);
            Some(signal)
        }
    }

    /// See [`session::Device::drained`].
    pub fn drained(&self, id: u64, number: u64) -> bool {
        let Some(queue) = self.find(id) else {
            return true;
        };
        let (Some(load), Some(destroy)) = (
            self.api.core.signal_load_scacquire,
            self.api.core.signal_destroy,
        ) else {
            return false;
        };
        let mut tickets = lock(&queue.tickets);
        let Some(index) = tickets.iter().position(|ticket| ticket.number == number) else {
            return true;
        };
        let signal = tickets[index].signal;
        // SAFETY: the ticket owns the signal. Once it is at 0, the device does not write to it any more.
        unsafe {
            if signal == 0 || load(signal) > 0 {
                return false;
            }
            destroy(signal);
        }
        tickets.swap_remove(index);
        true
    }

    /// Waits until launches of variants have ended, but not longer than `limit`; false if some have not. Queues that only
    /// the application may write to are taken for finished.
    pub fn settle(&self, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        let ids: Vec<u64> = lock(&self.known)
            .values()
            .filter(|queue| queue.substituted.load(Ordering::Relaxed))
            .map(|queue| queue.id)
            .collect();
        let mut open: Vec<(u64, u64)> = ids
            .into_iter()
            .filter_map(|id| Some((id, self.issue(id)?)))
            .filter(|(_, (_, written))| *written)
            .map(|(id, (number, _))| (id, number))
            .collect();
        loop {
            open.retain(|&(id, ticket)| !self.drained(id, ticket));
            if open.is_empty() || Instant::now() > deadline {
                return open.is_empty();
            }
            std::thread::sleep(POLL);
        }
    }
}
