//! Registers of one wave.

use std::collections::BTreeMap;

/// The value of registers that no case has set, so that writes to inactive lanes or to the wrong register show.
pub const POISON: u32 = 0xdead_0bad;
/// Row of a0.
pub const AGPR_BASE: usize = 64;
/// Rows of vector registers: 96 VGPRs, or 64 and 32 AccVGPRs.
pub const VECTOR_ROWS: usize = 96;
/// Scalar registers.
pub const SCALARS: usize = 102;

/// All that a case may set or change of a wave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers {
    /// Lanes of each row.
    pub vectors: Vec<Vec<u32>>,
    pub scalars: Vec<u32>,
    pub vcc: u64,
    pub exec: u64,
    pub scc: bool,
    pub m0: u32,
}

impl Registers {
    /// Registers of a wave whose lanes are all on.
    pub fn poisoned(wave_size: usize) -> Registers {
        Registers {
            vectors: vec![vec![POISON; wave_size]; VECTOR_ROWS],
            scalars: vec![POISON; SCALARS],
            vcc: POISON.into(),
            exec: u64::MAX >> (64 - wave_size),
            scc: false,
            m0: POISON,
        }
    }

    pub fn wave_size(&self) -> usize {
        self.vectors[0].len()
    }

    pub fn vgpr(&self, row: usize, lane: usize) -> u32 {
        self.vectors[row][lane]
    }

    pub fn set_vgpr(&mut self, row: usize, lane: usize, value: u32) {
        self.vectors[row][lane] = value;
    }

    /// All lanes of a row.
    pub fn fill(&mut self, row: usize, value: impl Fn(usize) -> u32) {
        for (lane, place) in self.vectors[row].iter_mut().enumerate() {
            *place = value(lane);
        }
    }

    /// By name, vector registers as one value per lane.
    pub fn by_name(&self) -> BTreeMap<String, Vec<u64>> {
        let rows = self.vectors.iter().enumerate();
        let rows = rows.map(|(row, lanes)| {
            let lanes = lanes.iter().map(|&lane| u64::from(lane));
            (vector_name(row), lanes.collect())
        });
        let scalars = self.scalars.iter().enumerate();
        let scalars = scalars.map(|(index, &value)| (format!("s{index}"), vec![u64::from(value)]));
        let others = [
            ("vcc", self.vcc),
            ("exec", self.exec),
            ("scc", self.scc.into()),
            ("m0", self.m0.into()),
        ];
        let others = others.map(|(name, value)| (name.to_owned(), vec![value]));
        rows.chain(scalars).chain(others).collect()
    }
}

/// `v3`, or `a3` behind the VGPRs.
pub(crate) fn vector_name(row: usize) -> String {
    match row.checked_sub(AGPR_BASE) {
        Some(number) => format!("a{number}"),
        None => format!("v{row}"),
    }
}
