//! Wait counters, and what wait instructions say of them.
//!
//! Field positions are those of the "s_waitcnt" sections of the ISA manuals.

use gfx::Family;

/// Counters of memory operations on their way. Before gfx12, `Load` is vmcnt, `Store` vscnt and `Data` lgkmcnt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Counter {
    /// vmcnt; loadcnt since gfx12.
    Load,
    /// samplecnt, gfx12.
    Sample,
    /// bvhcnt, gfx12.
    Bvh,
    /// vscnt since gfx10; storecnt since gfx12.
    Store,
    /// lgkmcnt; dscnt since gfx12.
    Data,
    /// kmcnt, gfx12.
    Scalar,
    /// expcnt.
    Export,
}

/// All counters, in the order of their numbers.
pub const COUNTERS: [Counter; 7] = [
    Counter::Load,
    Counter::Sample,
    Counter::Bvh,
    Counter::Store,
    Counter::Data,
    Counter::Scalar,
    Counter::Export,
];

impl Counter {
    /// The counters that the family has.
    pub fn of_family(family: Family) -> &'static [Counter] {
        match family {
            Family::Gfx9 => &[Counter::Load, Counter::Data, Counter::Export],
            Family::Gfx10 | Family::Gfx10_3 | Family::Gfx11 => &[
                Counter::Load,
                Counter::Store,
                Counter::Data,
                Counter::Export,
            ],
            Family::Gfx12 | Family::Gfx12_5 => &COUNTERS,
        }
    }

    /// The largest count that the counter holds. The hardware issues nothing that would raise it further.
    pub fn capacity(self, family: Family) -> u32 {
        match self {
            Counter::Load | Counter::Sample | Counter::Store => 63,
            Counter::Data if family == Family::Gfx9 => 15,
            Counter::Data => 63,
            Counter::Scalar => 31,
            Counter::Bvh | Counter::Export => 7,
        }
    }

    /// As the family's assembly calls it.
    pub fn name(self, family: Family) -> &'static str {
        let split = family >= Family::Gfx12;
        match self {
            Counter::Load if split => "loadcnt",
            Counter::Load => "vmcnt",
            Counter::Sample => "samplecnt",
            Counter::Bvh => "bvhcnt",
            Counter::Store if split => "storecnt",
            Counter::Store => "vscnt",
            Counter::Data if split => "dscnt",
            Counter::Data => "lgkmcnt",
            Counter::Scalar => "kmcnt",
            Counter::Export => "expcnt",
        }
    }
}

/// The bits of a wait instruction's immediate that hold the count of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterField {
    /// The counter.
    pub counter: Counter,
    /// Lowest bit and number of bits of its low part.
    low: (u32, u32),
    /// The bits of the upper part, which may be none.
    high: (u32, u32),
}

const fn field(counter: Counter, bit: u32, bits: u32) -> CounterField {
    CounterField {
        counter,
        low: (bit, bits),
        high: (0, 0),
    }
}

impl CounterField {
    const fn and(self, bit: u32, bits: u32) -> CounterField {
        CounterField {
            high: (bit, bits),
            ..self
        }
    }

    /// The count in an immediate.
    pub fn count(self, immediate: u32) -> u32 {
        let part = |(bit, bits): (u32, u32)| immediate >> bit & ((1 << bits) - 1);
        part(self.low) | part(self.high) << self.low.1
    }
}

/// The condition for which an instruction waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// For no counter.
    Nothing,
    /// Until all counters are 0.
    All,
    /// Until counters are at most what an immediate says.
    Until(&'static [CounterField]),
    /// `s_waitcnt`, whose immediate differs between families.
    ByFamily,
}

#[rustfmt::skip]
const GFX9:  &[CounterField] = &[field(Counter::Load, 0, 4).and(14, 2), field(Counter::Export, 4, 3), field(Counter::Data, 8, 4)];
#[rustfmt::skip]
const GFX10: &[CounterField] = &[field(Counter::Load, 0, 4).and(14, 2), field(Counter::Export, 4, 3), field(Counter::Data, 8, 6)];
#[rustfmt::skip]
const GFX11: &[CounterField] = &[field(Counter::Load, 10, 6), field(Counter::Export, 0, 3), field(Counter::Data, 4, 6)];

#[rustfmt::skip]
const ROWS: &[(&str, Waits)] = &[
    ("s_waitcnt",             Waits::ByFamily),
    ("s_wait_idle",           Waits::All),
    ("s_waitcnt_vmcnt",       Waits::Until(&[field(Counter::Load,   0, 6)])),
    ("s_waitcnt_vscnt",       Waits::Until(&[field(Counter::Store,  0, 6)])),
    ("s_waitcnt_expcnt",      Waits::Until(&[field(Counter::Export, 0, 3)])),
    ("s_waitcnt_lgkmcnt",     Waits::Until(&[field(Counter::Data,   0, 6)])),
    ("s_wait_loadcnt",        Waits::Until(&[field(Counter::Load,   0, 6)])),
    ("s_wait_samplecnt",      Waits::Until(&[field(Counter::Sample, 0, 6)])),
    ("s_wait_bvhcnt",         Waits::Until(&[field(Counter::Bvh,    0, 3)])),
    ("s_wait_storecnt",       Waits::Until(&[field(Counter::Store,  0, 6)])),
    ("s_wait_dscnt",          Waits::Until(&[field(Counter::Data,   0, 6)])),
    ("s_wait_kmcnt",          Waits::Until(&[field(Counter::Scalar, 0, 5)])),
    ("s_wait_expcnt",         Waits::Until(&[field(Counter::Export, 0, 3)])),
    ("s_wait_loadcnt_dscnt",  Waits::Until(&[field(Counter::Load,   8, 6), field(Counter::Data, 0, 6)])),
    ("s_wait_storecnt_dscnt", Waits::Until(&[field(Counter::Store,  8, 6), field(Counter::Data, 0, 6)])),
];

impl Waits {
    pub(super) fn of(name: &str) -> Waits {
        let row = ROWS.iter().find(|row| row.0 == name);
        row.map_or(Waits::Nothing, |row| row.1)
    }

    /// The fields of the immediate.
    pub fn fields(self, family: Family) -> &'static [CounterField] {
        match (self, family) {
            (Waits::Nothing | Waits::All, _) => &[],
            (Waits::Until(fields), _) => fields,
            (Waits::ByFamily, Family::Gfx9) => GFX9,
            (Waits::ByFamily, Family::Gfx10 | Family::Gfx10_3) => GFX10,
            (Waits::ByFamily, _) => GFX11,
        }
    }
}
