//! Lines about wrong accesses, as `luthier check` reads them: fields with tabs between them, of which the first is a number of times.
//!
//! The emulated device writes them, and the tool `mem-check`, which finds accesses by hooks.

use crate::{Allocation, Position, callers, facts::Kind, first_call};

/// Digits of a number of times, so that it can be written over as it grows.
pub const DIGITS: usize = 20;

/// A wrong access.
#[derive(Clone, Debug)]
pub struct Access<'a> {
    /// File of the code object.
    pub object: &'a str,
    pub kind: &'a str,
    /// Address of the instruction in the code object.
    pub pc: u64,
    pub address: u64,
    pub workgroup: [u32; 3],
    pub wave: u32,
    pub lane: Option<u32>,
    /// A sentence, if the address does not say all.
    pub detail: Option<&'a str>,
}

impl Access<'_> {
    /// Its line, but for the number of times.
    pub fn line(&self) -> String {
        let [x, y, z] = self.workgroup;
        let lane = self.lane.map_or("-".to_owned(), |lane| lane.to_string());
        format!(
            "access\t{}\t{}\t{:#x}\t{:#x}\t{x}\t{y}\t{z}\t{}\t{lane}\t{}\n",
            self.object,
            self.kind,
            self.pc,
            self.address,
            self.wave,
            one_line(self.detail.unwrap_or("-")),
        )
    }
}

/// The lines of an allocation: size and position, and who has allocated and freed it.
pub fn describe(near: &Allocation, position: Position, address: u64) -> String {
    let behind_row = near.behind_row(address);
    let (word, bytes) = match position {
        Position::Inside(_) if let Some(bytes) = behind_row => ("behind a row of", bytes),
        Position::Inside(bytes) => ("into", bytes),
        Position::Behind(bytes) => ("behind", bytes),
        Position::Before(bytes) => ("before", bytes),
    };
    let (kind, by) = match near.kind {
        Kind::Hsa => first_call::of(&near.allocated),
        _ => None,
    }
    .unwrap_or((near.kind, near.by));
    let mut text = format!(
        "{:0DIGITS$}\tallocation\t{:#x}\t{}\t{bytes}\t{word}\t{}\t{}\t{}\n",
        1,
        near.base,
        near.size,
        kind.name(),
        by,
        one_line(near.name.as_deref().unwrap_or("-")),
    );
    let freed = near.freed.iter().flatten();
    let callers = near.allocated.iter().map(|caller| ("allocated", caller));
    for (what, caller) in callers.chain(freed.map(|caller| ("freed", caller))) {
        text += &frame(what, *caller);
    }
    text
}

/// The line of a caller; none if its code is in no file.
pub fn frame(what: &str, caller: usize) -> String {
    // The address is where the call returns to.
    let place = callers::module(caller.saturating_sub(1));
    place.map_or_else(String::new, |(module, offset)| {
        let module = one_line(&module);
        format!("{:0DIGITS$}\t{what}\t{module}\t{offset:#x}\n", 1)
    })
}

/// Without what ends a field or a line.
pub fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}
