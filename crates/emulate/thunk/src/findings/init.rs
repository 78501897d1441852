//! Uses of undefined values in this process's kernels.

use std::sync::{Arc, OnceLock};

use allocations::{
    Callers, Event, Kind, Position, facts,
    lines::{describe, frame},
};
use definedness::{Definedness, Found, Origin, Sink, Use};
use gpu::{Dispatch, memory::Copies};

use super::Findings;

/// The instruction that uses a value, and the one that brought it.
pub type Key = (Use, u64, Option<u64>);

impl Sink for Findings {
    fn used(&self, _: &Arc<Dispatch>, found: &Found, _: u64) {
        let key = (found.used, found.pc, found.origin.pc());
        let mut guard = self.inner();
        let inner = &mut *guard;
        let counted = match inner.undefined.get(&key).copied() {
            Some(known) => self.again(inner, known, 1),
            None => {
                let told = || format!("an undefined value is used at {:#x}", found.pc);
                let Some((base, object)) = self.object(inner, found.pc, told) else {
                    return;
                };
                self.counted(inner, 1, &lines(found, (&object, base)))
            }
        };
        inner.undefined.insert(key, counted);
    }

    fn not_followed(&self, name: &'static str) {
        self.counted(&mut self.inner(), 1, &format!("not-followed\t{name}\n"));
    }
}

/// The lines of a use, but for its number of times, which begins them.
fn lines(found: &Found, (object, base): (&str, u64)) -> String {
    let used = match found.used {
        Use::Address => "address",
        Use::Condition => "condition",
        Use::Output => "output",
    };
    let (from, address) = match found.origin {
        Origin::Memory { address, .. } => ("memory", address),
        Origin::Lds { address, .. } => ("lds", address),
        Origin::Private { offset, .. } => ("private", offset),
        Origin::Instruction { pc, .. } => ("instruction", pc),
        Origin::Vector(number) => ("vector", number.into()),
        Origin::Scalar(number) => ("scalar", number.into()),
    };
    let brought = found.origin.pc();
    let brought = brought.map_or("-".to_owned(), |pc| format!("{:#x}", pc.wrapping_sub(base)));
    let [x, y, z] = found.workgroup;
    let mut lines = format!(
        "undefined\t{object}\t{used}\t{:#x}\t{from}\t{address:#x}\t{brought}\t{x}\t{y}\t{z}\t{}\t{}\n",
        found.pc.wrapping_sub(base),
        found.wave,
        found.lane,
    );
    if let Origin::Memory { address, .. } = found.origin
        && let Some((near, position @ Position::Inside(_))) = facts::nearest(address)
    {
        lines += &describe(&near, position, address);
    }
    lines
}

impl Findings {
    /// The host has read rows of memory, by a function of HIP.
    fn host_has_read(
        &self,
        followed: &Definedness,
        rows: &[(u64, u64)],
        (by, callers): (&str, &Callers),
    ) {
        let undefined = rows.iter();
        let undefined = undefined.filter_map(|(start, size)| followed.undefined_in(*start, *size));
        let undefined: Vec<(u64, u64)> = undefined.collect();
        let Some((first, _)) = undefined.first().copied() else {
            return;
        };
        let mut guard = self.inner();
        let inner = &mut *guard;
        let counted = match inner.reads.get(callers).copied() {
            Some(known) => self.again(inner, known, 1),
            None => {
                let count: u64 = undefined.iter().map(|(_, count)| count).sum();
                let bytes: u64 = rows.iter().map(|(_, size)| size).sum();
                let mut lines = format!("read\t{by}\t{first:#x}\t{count}\t{bytes}\n");
                for caller in callers {
                    lines += &frame("by", *caller);
                }
                if let Some((near, position)) = facts::nearest(first) {
                    lines += &describe(&near, position, first);
                }
                self.counted(inner, 1, &lines)
            }
        };
        inner.reads.insert(callers.clone(), counted);
    }
}

/// The device's undefined memory and the file for findings, for who is told of allocations.
static FOLLOWED: OnceLock<(Arc<Definedness>, Arc<Findings>)> = OnceLock::new();

struct Engines(Arc<Definedness>);

impl Copies for Engines {
    fn copied(&self, to: u64, from: u64, bytes: u64) {
        self.0.copy(to, from, bytes);
    }

    fn written(&self, address: u64, bytes: u64) {
        self.0.define(address, bytes);
    }
}

/// Follows what is undefined in memory that the program asks for from now on.
pub fn follow(findings: Arc<Findings>, memory: &gpu::Memory) -> Arc<Definedness> {
    let (followed, _) = FOLLOWED.get_or_init(|| {
        let followed = Arc::new(Definedness::new(findings.clone()));
        (followed, findings)
    });
    memory.tell_copies(Arc::new(Engines(followed.clone())));
    facts::keep(Some(listen));
    followed.clone()
}

/// Only memory that the host does not write by itself can be undefined.
fn listen(event: &Event<'_>) {
    let Some((followed, findings)) = FOLLOWED.get() else {
        return;
    };
    match event {
        Event::Allocated(one)
            if matches!(
                one.kind,
                Kind::Device | Kind::Pitched | Kind::Stream | Kind::Heap
            ) =>
        {
            followed.undefine(one.base, one.size);
        }
        Event::Allocated(one) => followed.define(one.base, one.size),
        Event::Freed(one) => followed.define(one.base, one.size),
        Event::Written { base, size } => followed.define(*base, *size),
        Event::WrittenAnywhere => followed.give_up(),
        Event::Read { rows, by, callers } => {
            findings.host_has_read(followed, rows, (by, callers));
        }
        Event::WrongFree { .. } | Event::Reset => {}
    }
}
