//! NaN and infinity that this process's kernels made of numbers.

use std::sync::Arc;

use allocations::{Position, facts, lines::describe};
use definedness::nan::{Found, Sink, Use, Value};
use gpu::Dispatch;

use super::Findings;

/// The use, the value, the instruction that made it, and the one that uses it.
pub type Key = (Use, Value, u64, u64);

impl Sink for Findings {
    fn met(&self, _: &Arc<Dispatch>, found: &Found) {
        let key = (found.used, found.value, found.made, found.pc);
        let lanes = u64::from(found.lanes);
        let mut guard = self.inner();
        let inner = &mut *guard;
        let counted = match inner.nans.get(&key).copied() {
            Some(known) => self.again(inner, known, lanes),
            None => {
                let told = || format!("a value that is no number is used at {:#x}", found.pc);
                let Some((base, object)) = self.object(inner, found.pc, told) else {
                    return;
                };
                self.counted(inner, lanes, &lines(found, (&object, base)))
            }
        };
        inner.nans.insert(key, counted);
    }

    fn not_looked_at(&self, name: &'static str) {
        self.counted(&mut self.inner(), 1, &format!("not-looked-at\t{name}\n"));
    }
}

/// The lines of a value, but for its number of times, which begins them.
fn lines(found: &Found, (object, base): (&str, u64)) -> String {
    let used = match found.used {
        Use::Stored => "stored",
        Use::Compared => "compared",
        Use::Made => "made",
    };
    let value = match found.value {
        Value::Nan => "nan",
        Value::Infinity => "infinity",
        Value::Saturated => "saturated",
        Value::Denormal => "denormal",
        Value::Underflow => "underflow",
    };
    let place = |pc: u64| format!("{:#x}", pc.wrapping_sub(base));
    let address = found.address.map(|address| format!("{address:#x}"));
    let [x, y, z] = found.workgroup;
    let mut lines = format!(
        "nan\t{object}\t{used}\t{value}\t{}\t{}\t{}\t{x}\t{y}\t{z}\t{}\t{}\n",
        place(found.made),
        place(found.pc),
        address.as_deref().unwrap_or("-"),
        found.wave,
        found.lane,
    );
    if let Some(address) = found.address
        && let Some((near, position @ Position::Inside(_))) = facts::nearest(address)
    {
        lines += &describe(&near, position, address);
    }
    lines
}
