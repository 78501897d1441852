//! Copies of a program that ran, which access the same bytes in no order.

use crate::{Copies, Finding, Grade, Kind, Place, Sink, Unshown};
use crate::{
    fingerprint,
    global_races::PUT_COPIES_IN_ORDER,
    memory::{HOST, hexadecimal},
    races::{self, verb},
};

/// Two copies, as the emulated device tells of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopiesRace {
    pub grade: Grade,
    pub copies: Copies,
    /// How often copies met so.
    pub times: u64,
}

impl CopiesRace {
    /// The fields of a line: how often, then grade, for the earlier and the later copy its access and what it copies, and the address. The
    /// allocation comes behind it.
    pub fn parse(times: &str, fields: &[&str]) -> Option<CopiesRace> {
        let [grade, was, first, is, then, address] = fields else {
            return None;
        };
        Some(CopiesRace {
            grade: races::grade(grade)?,
            copies: Copies {
                first: format!("a {first} {}", verb(was)),
                then: format!("a {then} {}", verb(is)),
                address: hexadecimal(address)?,
                allocation: None,
            },
            times: times.parse().ok()?,
        })
    }

    /// The parts of the fingerprint: what does not change from run to run.
    fn identity(&self) -> [String; 2] {
        let allocation = self.copies.allocation.as_ref();
        let caller = allocation.and_then(|near| near.allocated_by.first());
        let last = |text: &str| text.rsplit(' ').next().unwrap_or_default().to_owned();
        let caller = caller.map_or("the program", |name| fingerprint::without_place(name));
        let both = format!("{} {}", last(&self.copies.first), last(&self.copies.then));
        [caller.to_owned(), both]
    }
}

/// Tells of copies.
pub fn raced(found: Vec<CopiesRace>, sink: &mut dyn Sink) {
    let kind = Kind::GlobalRace;
    for one in found {
        let [function, both] = one.identity();
        let unshown = Unshown {
            fingerprint: fingerprint::of(&[kind.checker().name(), kind.name(), &function, &both]),
            kind,
            grade: one.grade,
            function,
            target: HOST.to_owned(),
            sources: Vec::new(),
            object: String::new(),
            times: one.times,
        };
        if sink.count(&unshown) {
            sink.show(finding(unshown, one.copies));
        }
    }
}

fn finding(unshown: Unshown, copies: Copies) -> Finding {
    let Copies { first, then, .. } = &copies;
    Finding {
        fingerprint: unshown.fingerprint,
        kind: unshown.kind,
        grade: unshown.grade,
        message: format!("nothing puts two copies in order: {first} what {then}"),
        remedy: PUT_COPIES_IN_ORDER.to_owned(),
        object: String::new(),
        target: HOST.to_owned(),
        symbol: unshown.function.clone(),
        function: unshown.function,
        register: None,
        producer: None,
        consumer: Place {
            offset: 0,
            address: copies.address,
            text: then.clone(),
            source: Vec::new(),
        },
        access: None,
        meeting: None,
        free: None,
        read: None,
        leak: None,
        copies: Some(copies),
        further: 0,
        path: Vec::new(),
        listing: Vec::new(),
    }
}
