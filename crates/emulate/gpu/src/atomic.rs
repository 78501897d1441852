//! Atomic operations of the memory itself, which commands of queues ask for (`ATOMIC_MEM` of PM4, `ATOMIC` of SDMA). Numbers are those of the
//! texture cache; 32 more stand for 64 bits.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The value to store, from the value in memory, the data and the value to compare with; None: nothing is stored. All values of 32 bits are
/// sign-extended, which keeps their order.
pub type Operation = fn(u64, u64, u64) -> Option<u64>;

const WIDE: u32 = 32;

#[rustfmt::skip]
const OPERATIONS: &[(u32, Operation)] = &[
    (7,  |_, data, _| Some(data)),
    (8,  |now, data, compared| (now == compared).then_some(data)),
    (15, |now, data, _| Some(now.wrapping_add(data))),
    (16, |now, data, _| Some(now.wrapping_sub(data))),
    (17, |now, data, _| Some((now as i64).min(data as i64) as u64)),
    (18, |now, data, _| Some(now.min(data))),
    (19, |now, data, _| Some((now as i64).max(data as i64) as u64)),
    (20, |now, data, _| Some(now.max(data))),
    (21, |now, data, _| Some(now & data)),
    (22, |now, data, _| Some(now | data)),
    (23, |now, data, _| Some(now ^ data)),
    (24, |now, data, _| Some(if now >= data { 0 } else { now.wrapping_add(1) })),
    (25, |now, data, _| Some(if now == 0 || now > data { data } else { now - 1 })),
];

/// The operation on 32 bits of this number.
pub fn narrow(number: u32) -> Option<Operation> {
    let found = OPERATIONS.iter().find(|(known, _)| *known == number);
    found.map(|(_, operation)| *operation)
}

/// The operation on 64 bits of this number.
pub fn wide(number: u32) -> Option<Operation> {
    narrow(number.checked_sub(WIDE)?)
}

/// Does it; false if nothing was stored.
pub fn update32(cell: &AtomicU32, operation: Operation, data: u64, compared: u64) -> bool {
    let extended = |value: u32| i64::from(value as i32) as u64;
    let (data, compared) = (extended(data as u32), extended(compared as u32));
    let update = |now: u32| operation(extended(now), data, compared).map(|value| value as u32);
    let order = Ordering::SeqCst;
    cell.fetch_update(order, order, update).is_ok()
}

/// The same with 64 bits.
pub fn update64(cell: &AtomicU64, operation: Operation, data: u64, compared: u64) -> bool {
    let order = Ordering::SeqCst;
    let update = |now| operation(now, data, compared);
    cell.fetch_update(order, order, update).is_ok()
}
