//! Undefined bytes that a program copies to the host.

use crate::{Finding, Grade, Kind, Place, Read, Sink, Unshown};
use crate::{
    fingerprint,
    memory::{HOST, hexadecimal},
};

/// A copy, as the emulated device tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostRead {
    pub read: Read,
    pub times: u64,
}

impl HostRead {
    /// The fields of a line: how often, then function of HIP, first undefined byte, how many there are, and bytes. Callers and the
    /// allocation come behind it.
    pub fn parse(times: &str, fields: &[&str]) -> Option<HostRead> {
        let [with, address, undefined, bytes] = fields else {
            return None;
        };
        Some(HostRead {
            times: times.parse().ok()?,
            read: Read {
                address: hexadecimal(address)?,
                with: (*with).to_owned(),
                bytes: bytes.parse().ok()?,
                undefined: undefined.parse().ok()?,
                called_by: Vec::new(),
                allocation: None,
            },
        })
    }
}

/// Tells of copies. The host may leave alone what it got, so that they are possible findings.
pub fn read(found: Vec<HostRead>, sink: &mut dyn Sink) {
    for HostRead { read, times } in found {
        let kind = Kind::UndefinedRead;
        let caller = read.called_by.first();
        let function = caller.map_or("the program", |name| fingerprint::without_place(name));
        let unshown = Unshown {
            fingerprint: fingerprint::of(&[
                kind.checker().name(),
                kind.name(),
                &read.with,
                function,
            ]),
            kind,
            grade: Grade::Possible,
            function: function.to_owned(),
            target: HOST.to_owned(),
            sources: Vec::new(),
            object: String::new(),
            times,
        };
        if sink.count(&unshown) {
            sink.show(finding(unshown, read));
        }
    }
}

fn finding(unshown: Unshown, read: Read) -> Finding {
    let (undefined, bytes) = (read.undefined, read.bytes);
    let word = if undefined == 1 { "byte" } else { "bytes" };
    Finding {
        fingerprint: unshown.fingerprint,
        kind: unshown.kind,
        grade: unshown.grade,
        message: format!("the host reads {undefined} {word} that nothing has written, of {bytes}"),
        remedy: "write them before, or copy less".to_owned(),
        object: String::new(),
        target: HOST.to_owned(),
        symbol: read.with.clone(),
        function: unshown.function,
        register: None,
        producer: None,
        consumer: Place {
            offset: 0,
            address: read.address,
            text: read.with.clone(),
            source: Vec::new(),
        },
        access: None,
        meeting: None,
        free: None,
        read: Some(read),
        leak: None,
        copies: None,
        further: 0,
        path: Vec::new(),
        listing: Vec::new(),
    }
}
