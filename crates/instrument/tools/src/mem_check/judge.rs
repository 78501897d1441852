//! Whether an access that hooks have not found in their list is wrong.

use allocations::{
    Allocation, Kind, Position, facts,
    modules::{self, Place},
};
use std::{fs, ops::Range};

/// Bytes of a record.
pub const BYTES: usize = 56;
/// Runtimes give out device memory by pages of this size, so nothing else lies behind an allocation in its last page.
const PAGE: u64 = 4096;
/// Systems map nothing below this address: what is accessed there was meant to be no memory, or lies at an offset from that.
const NULL: u64 = 1 << 16;
/// Bits of an access's kind: LDS, scratch, and an address that is no multiple of the size.
const LDS: u32 = 64;
const SCRATCH: u32 = 128;
const MISALIGNED: u32 = 1 << 31;
/// Bits of an access's kind: stores and atomics.
const WRITES: u32 = 2 | 4;

/// An access of a lane that is not in the list of the hooks.
#[derive(Clone, Copy, Debug)]
pub struct Missed {
    pub address: u64,
    pub pc: u64,
    pub launch: u64,
    pub workgroup: [u32; 3],
    pub wave: u32,
    pub lane: u32,
    size: u32,
    kind: u32,
    /// Bytes of LDS or scratch.
    room: u32,
}

impl Missed {
    /// From a record of the hooks.
    pub fn read(record: &[u8]) -> Option<Missed> {
        let wide = |at: usize| Some(u64::from_le_bytes(record.get(at..at + 8)?.try_into().ok()?));
        let word = |at: usize| Some(u32::from_le_bytes(record.get(at..at + 4)?.try_into().ok()?));
        Some(Missed {
            address: wide(0)?,
            pc: wide(8)?,
            launch: wide(16)?,
            workgroup: [word(24)?, word(28)?, word(32)?],
            wave: word(36)?,
            lane: word(40)?,
            size: word(44)?,
            kind: word(48)?,
            room: word(52)?,
        })
    }

    /// Kind and detail of an access that is wrong whatever the program has allocated.
    fn by_itself(&self) -> Option<(&'static str, String)> {
        let Missed {
            address,
            size,
            kind,
            room,
            ..
        } = *self;
        let within = address as u32;
        if kind & MISALIGNED != 0 {
            let detail = format!("{size} bytes at {address:#x}, which is no multiple of {size}");
            return Some(("misaligned", detail));
        }
        let detail = if kind & LDS != 0 {
            format!("{size} bytes at {within:#x} of LDS, of which the workgroup has {room} bytes")
        } else if kind & SCRATCH != 0 {
            format!("{size} bytes at {within:#x} of scratch, of which a work-item has {room} bytes")
        } else {
            return None;
        };
        Some(("out-of-bounds", detail))
    }
}

pub enum Judgement {
    Right,
    /// It lies in memory of whose allocation no call has told.
    Untold {
        first: u64,
        end: u64,
    },
    /// The owner of the memory is not known.
    Unknown,
    Wrong {
        kind: &'static str,
        nearest: Option<(Allocation, Position)>,
        detail: Option<String>,
    },
}

/// Facts about the process, which hold for a while.
#[derive(Default)]
pub struct Judge {
    /// Addresses that the process has mapped, ascending.
    mapped: Option<Vec<Range<u64>>>,
}

impl Judge {
    /// `freed_before`: whether the allocation of this number was freed before the access's launch began.
    pub fn judge(&mut self, missed: &Missed, freed_before: impl Fn(u64) -> bool) -> Judgement {
        if let Some((kind, detail)) = missed.by_itself() {
            return Judgement::Wrong {
                kind,
                nearest: None,
                detail: Some(detail),
            };
        }
        let last = missed.address.saturating_add(u64::from(missed.size.max(1))) - 1;
        let nearest = facts::nearest(missed.address);
        // An allocation that the launch had ends at the same place when it is freed later.
        let near = nearest.as_ref().map(|(near, _)| near);
        let was_gone = near.is_some_and(|near| near.freed.is_some() && freed_before(near.id));
        let wrong = |kind, mut nearest: Option<(Allocation, Position)>| {
            if let Some((near, _)) = nearest.as_mut().filter(|_| !was_gone) {
                near.freed = None;
            }
            Judgement::Wrong {
                kind,
                nearest,
                detail: None,
            }
        };
        match modules::place(missed.address) {
            Some(Place::Beside) => return wrong("out-of-bounds", nearest),
            Some(Place::Fixed(range)) if missed.kind & WRITES == 0 => {
                return Judgement::Untold {
                    first: range.start,
                    end: range.end,
                };
            }
            _ => {}
        }
        match &nearest {
            // All of the host's memory may be in reach.
            Some((near, position))
                if near.kind == Kind::Registered
                    && (near.freed.is_some() || !matches!(position, Position::Inside(_))) =>
            {
                Judgement::Unknown
            }
            Some((_, Position::Inside(_))) if was_gone => wrong("after-free", nearest),
            Some((near, Position::Inside(_))) if last >= near.end() => {
                wrong("out-of-bounds", nearest)
            }
            Some((near, Position::Inside(_)))
                if missed.kind & WRITES != 0 && near.behind_row(last).is_some() =>
            {
                wrong("out-of-bounds", nearest)
            }
            // It was freed while the kernel ran, or is freed in the order of a stream.
            Some((near, Position::Inside(_))) if near.freed.is_some() => Judgement::Unknown,
            // Wide loads read the padding between rows.
            Some((near, Position::Inside(_))) if near.rows.is_some() => Judgement::Right,
            Some((near, Position::Inside(_))) => Judgement::Untold {
                first: near.base,
                end: near.end(),
            },
            Some((near, Position::Behind(_)))
                if !was_gone
                    && near.kind != Kind::Variable
                    && missed.address / PAGE == (near.end() - 1) / PAGE =>
            {
                wrong("out-of-bounds", nearest)
            }
            _ if (nearest.is_some() || missed.address < NULL)
                && !self.is_mapped(missed.address) =>
            {
                wrong("out-of-bounds", nearest)
            }
            _ => Judgement::Unknown,
        }
    }

    fn is_mapped(&mut self, address: u64) -> bool {
        let mapped = self.mapped.get_or_insert_with(mapped);
        mapped.iter().any(|range| range.contains(&address))
    }
}

fn mapped() -> Vec<Range<u64>> {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let ranges = maps.lines().filter_map(|line| {
        let (first, end) = line.split_whitespace().next()?.split_once('-')?;
        let number = |text| u64::from_str_radix(text, 16).ok();
        Some(number(first)?..number(end)?)
    });
    ranges.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(address: u64) -> Missed {
        Missed {
            address,
            pc: 0,
            launch: 0,
            workgroup: [0; 3],
            wave: 0,
            lane: 0,
            size: 4,
            kind: WRITES,
            room: 0,
        }
    }

    #[test]
    fn accesses_near_address_zero_are_wrong_where_nothing_is_mapped() {
        let is_wrong = |address, (start, end)| {
            let mut judge = Judge {
                mapped: Some(vec![Range { start, end }]),
            };
            let judgement = judge.judge(&at(address), |_| false);
            matches!(
                judgement,
                Judgement::Wrong {
                    kind: "out-of-bounds",
                    nearest: None,
                    detail: None,
                }
            )
        };
        assert!(is_wrong(8, (NULL, 2 * NULL)));
        assert!(is_wrong(NULL - 4, (NULL, 2 * NULL)));
        assert!(!is_wrong(8, (0, 4096)));
        assert!(!is_wrong(NULL, (0, 4096)));
    }
}
