//! The results, as the file that users send.
//!
//! It has no names of hosts, users or files: the device, the instructions with their values, and programs by their own names.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// Version of the schema.
pub const VERSION: u32 = 1;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    pub version: u32,
    /// Version of this program.
    pub made_by: String,
    pub device: Device,
    /// Seed of the random inputs.
    pub seed: u64,
    pub seconds: f64,
    pub instructions: Vec<Instruction>,
    pub approximations: Vec<Approximation>,
    pub not_tried: Vec<NotTried>,
    /// The engine's cases with values from manuals: what was run is among the instructions.
    #[serde(default)]
    pub from_manuals: FromManuals,
    #[serde(default)]
    pub programs: Vec<Program>,
    /// Inputs for which there is no case yet, in words.
    #[serde(default)]
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    pub target: String,
    /// As the runtime spells it.
    pub isa: String,
    pub product: String,
    pub compute_units: u32,
    pub runtime: String,
}

/// How many of the engine's cases whose values come from manuals were run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FromManuals {
    pub run: u32,
    /// Cases that were left out, by reason.
    pub left: BTreeMap<String, u32>,
}

impl FromManuals {
    /// The format of such a case. File and line of the case are in place of the encoding.
    pub const FORMAT: &str = "CASE";

    pub fn all(&self) -> u32 {
        self.run + self.left.values().sum::<u32>()
    }
}

/// An instruction that was run on both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instruction {
    pub mnemonic: String,
    /// With its operands, as an assembler would have it.
    pub text: String,
    pub format: String,
    pub wave_size: u8,
    /// The instruction's words in hexadecimal.
    pub encoding: String,
    pub outcome: Outcome,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Outcome {
    /// All registers of all waves.
    Agrees {
        waves: u32,
    },
    Differs(Differences),
    /// The GPU did not come to the kernel's end.
    GpuFailed {
        reason: String,
    },
    /// The emulated device does not execute it, so it was not tried on the GPU.
    EmulatorFailed {
        reason: String,
    },
}

/// Counts of results that differ.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Differences {
    pub waves: u32,
    /// Waves with a difference.
    pub differing_waves: u32,
    /// Registers, one for each lane.
    pub registers: u64,
    /// Registers among these in which both results are NaNs of different bits.
    pub only_nan_bits: u64,
    /// Registers among these in which one result is a denormal and the other a zero.
    pub only_flushed: u64,
    /// The largest distance of the others in units of the last place, if they are floats.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub worst_ulp: Option<u64>,
    /// Registers that differ though the instruction does not name them as its results.
    pub elsewhere: u64,
    /// The first few.
    pub examples: Vec<Example>,
}

/// One register of one lane.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example {
    pub register: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lane: Option<u32>,
    /// MODE in hexadecimal.
    pub mode: String,
    /// The registers that the instruction reads, with their values before it.
    pub sources: Vec<(String, String)>,
    pub gpu: String,
    pub emulator: String,
}

/// How far an approximate function is from the emulated one, which rounds correctly.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approximation {
    pub mnemonic: String,
    pub wave_size: u8,
    pub inputs: u64,
    /// Distance in units of the last place and number of results; beyond [`Approximation::FAR`] in the last row of each side.
    pub histogram: Vec<(i64, u64)>,
    /// Results of which one is no finite number and the other is, or which are different infinities or zeros.
    pub special: u64,
    /// Results of which one is a denormal and the other a zero.
    pub flushed: u64,
    /// NaNs with different bits.
    pub nan_bits: u64,
    /// Distances of results that fit into a byte, one byte each, and zeros for the others, compressed by zlib, in base64. Their order
    /// is that of the inputs, which go evenly through all bit patterns.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub distances: Option<String>,
    /// Farthest results and the first special ones.
    pub examples: Vec<Example>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failed: Option<String>,
}

impl Approximation {
    /// Distances are counted apart up to here.
    pub const FAR: i64 = 64;

    /// The largest distance with a result.
    pub fn worst(&self) -> u64 {
        let distances = self.histogram.iter().map(|(distance, _)| distance);
        distances
            .map(|distance| distance.unsigned_abs())
            .max()
            .unwrap_or(0)
    }

    /// Results that are the same, of all that are finite on both.
    pub fn same(&self) -> f64 {
        let all: u64 = self.histogram.iter().map(|(_, count)| count).sum();
        let same = self.histogram.iter().find(|(distance, _)| *distance == 0);
        same.map_or(0, |(_, count)| *count) as f64 / all.max(1) as f64
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotTried {
    pub mnemonic: String,
    pub reason: String,
}

/// A program that checks itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Program {
    pub name: String,
    pub runs: Vec<Run>,
}

/// One way of running a program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Empty for the program alone.
    pub tool: String,
    pub passed: bool,
    /// Why the program did not pass, in words, if it did not.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ended: Option<String>,
    /// The fastest of its runs, in seconds.
    pub seconds: f64,
}

impl Report {
    /// Reads a file that [`Report::write`] made.
    pub fn read(text: &str) -> Result<Report> {
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let Version { version } = serde_json::from_str(text)?;
        if version > VERSION {
            return Err(Error::Version {
                found: version,
                known: VERSION,
            });
        }
        Ok(serde_json::from_str(text)?)
    }

    pub fn write(&self) -> String {
        let mut text = serde_json::to_string(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Returns `true` if the GPU and the emulated device did the same wherever there is something to compare: approximate results within one
    /// unit of the last place.
    pub fn agrees(&self) -> bool {
        let same =
            |instruction: &Instruction| matches!(instruction.outcome, Outcome::Agrees { .. });
        let near = |function: &Approximation| {
            function.failed.is_none() && function.special == 0 && function.worst() <= 1
        };
        self.instructions.iter().all(same)
            && self.approximations.iter().all(near)
            && self
                .programs
                .iter()
                .all(|program| program.runs.iter().all(|run| run.passed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page;

    fn report() -> Report {
        let example = Example {
            register: "v19".to_owned(),
            lane: Some(3),
            mode: "0xf0".to_owned(),
            sources: vec![("v16".to_owned(), "0x00000001".to_owned())],
            gpu: "0x00000000".to_owned(),
            emulator: "0x00000001".to_owned(),
        };
        let instruction = |text: &str, outcome| Instruction {
            text: text.to_owned(),
            mnemonic: "v_add_f32".to_owned(),
            format: "VOP2".to_owned(),
            wave_size: 64,
            encoding: "00000000".to_owned(),
            outcome,
        };
        Report {
            version: VERSION,
            instructions: vec![
                instruction("one", Outcome::Agrees { waves: 6 }),
                instruction(
                    "two <b>",
                    Outcome::Differs(Differences {
                        waves: 21,
                        differing_waves: 2,
                        registers: 5,
                        only_flushed: 4,
                        worst_ulp: Some(7),
                        examples: vec![example],
                        ..Default::default()
                    }),
                ),
            ],
            ..Default::default()
        }
    }

    #[test]
    fn files_are_read_back() {
        let report = report();
        assert_eq!(Report::read(&report.write()).unwrap(), report);
        let newer = report.write().replace("\"version\":1", "\"version\":2");
        let error = Report::read(&newer).unwrap_err().to_string();
        assert!(
            error.contains("version 2") && error.contains("up to 1"),
            "{error}"
        );
    }

    #[test]
    fn differences_are_told_with_an_example() {
        let report = report();
        assert!(!report.agrees());
        let text = page::text(&report);
        for part in [
            "two <b> (wave64): 5 registers in 2 of 21 waves",
            "4 by a flushed denormal, up to 7 units of the last place",
            "v19 lane 3 from v16=0x00000001 with MODE 0xf0: GPU 0x00000000, emulated 0x00000001",
        ] {
            assert!(text.contains(part), "{text}");
        }
        let page = page::html(&[report]);
        assert!(page.contains("two &lt;b&gt;") && !page.contains("two <b>"));
    }
}
