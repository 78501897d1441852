//! Memory that a program did not free.

use std::collections::BTreeMap;

use crate::{Allocation, Finding, Grade, Kind, Leak, Place, Sink, Unshown};
use crate::{fingerprint, memory::HOST};

/// The memory of one place that was not freed when a process ended, as the emulated device tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaked {
    pub leak: Leak,
    /// Allocations that were not freed.
    pub times: u64,
}

impl Leaked {
    /// The fields of a line: how often, then how many bytes. The allocation comes behind it.
    pub fn parse(times: &str, fields: &[&str]) -> Option<Leaked> {
        let [bytes] = fields else { return None };
        Some(Leaked {
            leak: Leak {
                bytes: bytes.parse().ok()?,
                allocation: Allocation::default(),
            },
            times: times.parse().ok()?,
        })
    }
}

/// Tells of memory that was not freed. Places that freed all are in the list, too.
pub fn leaked(mut found: Vec<Leaked>, sink: &mut dyn Sink) {
    found.retain(|one| one.times > 0);
    // Places in one function are told apart by their order in it, which is also the order in its file.
    found.sort_by(|a, b| {
        let place = |one: &Leaked| one.leak.allocation.allocated_by.clone();
        place(a).cmp(&place(b))
    });
    let mut of_function: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for Leaked { leak, times } in found {
        let near = &leak.allocation;
        let mut parts = vec![Kind::Leak.name().to_owned(), near.with.clone()];
        parts.extend(
            near.allocated_by
                .iter()
                .map(|name| fingerprint::without_place(name).to_owned()),
        );
        let number = of_function.entry(parts.clone()).or_default();
        parts.push(number.to_string());
        *number += 1;
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let function = near
            .allocated_by
            .first()
            .map_or("the program", |name| fingerprint::without_place(name));
        let unshown = Unshown {
            fingerprint: fingerprint::of(&parts),
            kind: Kind::Leak,
            grade: Grade::Certain,
            function: function.to_owned(),
            target: HOST.to_owned(),
            sources: Vec::new(),
            object: String::new(),
            times,
        };
        if sink.count(&unshown) {
            sink.show(finding(unshown, leak, times));
        }
    }
}

fn finding(unshown: Unshown, leak: Leak, times: u64) -> Finding {
    let bytes = leak.bytes;
    let message = match (times, bytes) {
        (1, 0) => "the program does not free an allocation".to_owned(),
        (1, _) => format!("the program does not free an allocation of {bytes} bytes"),
        (_, 0) => format!("the program does not free {times} allocations"),
        _ => format!("the program does not free {times} allocations, of {bytes} bytes in all"),
    };
    let with = leak.allocation.with.clone();
    Finding {
        fingerprint: unshown.fingerprint,
        kind: Kind::Leak,
        grade: Grade::Certain,
        message,
        remedy: "free it before the program ends, or suppress the finding".to_owned(),
        object: String::new(),
        target: HOST.to_owned(),
        symbol: with.clone(),
        function: unshown.function,
        register: None,
        producer: None,
        consumer: Place {
            offset: 0,
            address: leak.allocation.address,
            text: with,
            source: Vec::new(),
        },
        access: None,
        meeting: None,
        free: None,
        read: None,
        leak: Some(leak),
        copies: None,
        further: 0,
        path: Vec::new(),
        listing: Vec::new(),
    }
}
