//! Results of a campaign, as files have them.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context, Result, bail, ensure};
use injection::{Model, Spec};
use serde::{Deserialize, Serialize};

/// A file of results, as docs/schemas/inject.json says.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// A mark, so that no other file is taken for one of these.
    pub kind: Kind,
    pub campaign: Campaign,
    /// The runs that were asked for: the first one, and the one behind the last, in order and apart from each other.
    pub asked: Vec<[u64; 2]>,
    /// The number of these runs.
    pub wanted: u64,
    pub outcomes: Vec<Share>,
    /// The same for the runs that changed something at an instruction of one class, and at one source line. The most runs come first.
    pub classes: Vec<Part>,
    pub lines: Vec<Part>,
    /// In the order of their numbers.
    pub runs: Vec<Run>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    #[serde(rename = "luthier-injection")]
    Injection,
}

/// The parts of a campaign that all its machines have to agree on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Campaign {
    pub program: Vec<String>,
    pub device: String,
    pub inject: String,
    pub kernel: Option<String>,
    pub launch: Option<String>,
    pub compare: Option<String>,
    pub seed: u64,
    pub hang_factor: u64,
    /// Counts of the run without a change: places to choose from, launches that have places, and instructions of all kernels.
    pub places: u64,
    pub launches: u64,
    pub instructions: u64,
    /// SHA-256 of what the run without a change wrote to standard output; none if a command compares.
    pub output: Option<String>,
    /// Names of instructions whose places the decoder does not know.
    pub not_looked_at: Vec<String>,
}

/// The end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The program ended as without the change.
    Masked,
    /// It ended as usual, with another output.
    OutputDiffers,
    /// A kernel was stopped, or the program ended with another status.
    Detected,
    Hang,
    /// The wave did not come to the place.
    NotReached,
}

impl Outcome {
    pub const ALL: [Outcome; 5] = [
        Outcome::Masked,
        Outcome::OutputDiffers,
        Outcome::Detected,
        Outcome::Hang,
        Outcome::NotReached,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Outcome::Masked => "masked",
            Outcome::OutputDiffers => "output differs",
            Outcome::Detected => "detected",
            Outcome::Hang => "hang",
            Outcome::NotReached => "not reached",
        }
    }
}

/// The part of the runs with one outcome, and the interval that has the true share with 95 % confidence.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Share {
    pub outcome: Outcome,
    pub runs: u64,
    pub share: f64,
    pub low: f64,
    pub high: f64,
}

/// The outcomes of a part of the runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The class, or file and line. None: nothing says which line it is.
    pub name: Option<String>,
    pub runs: u64,
    pub outcomes: Vec<Share>,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    pub run: u64,
    pub outcome: Outcome,
    /// The reason for a hang or a detection.
    pub why: Option<String>,
    pub kernel: String,
    pub launch: u64,
    pub workgroup: u64,
    pub wave: u32,
    /// Among the places of the wave.
    pub place: u64,
    pub change: Option<Change>,
}

/// The value that was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// From the kernel's first instruction.
    pub offset: i64,
    pub instruction: String,
    /// As SPEC names it.
    pub class: String,
    /// File and line, if the program has debug information.
    pub source: Option<String>,
    pub register: String,
    pub lane: Option<u32>,
    pub before: u32,
    pub after: u32,
}

/// 95 % of a normal distribution lie within so many standard deviations.
const DEVIATIONS: f64 = 1.959_963_984_540_054;

/// The score interval of Wilson (1927) for `found` of `all`.
pub fn interval(found: u64, all: u64) -> (f64, f64) {
    if all == 0 {
        return (0.0, 1.0);
    }
    let (found, all) = (found as f64, all as f64);
    let share = found / all;
    let square = DEVIATIONS * DEVIATIONS;
    let middle = share + square / (2.0 * all);
    let half = DEVIATIONS * (share * (1.0 - share) / all + square / (4.0 * all * all)).sqrt();
    let scale = 1.0 + square / all;
    (
        ((middle - half) / scale).max(0.0),
        ((middle + half) / scale).min(1.0),
    )
}

fn shares<'r>(runs: impl Iterator<Item = &'r Run> + Clone) -> Vec<Share> {
    let all = runs.clone().count() as u64;
    let share = |outcome| {
        let of = runs.clone().filter(|run| run.outcome == outcome);
        let runs = of.count() as u64;
        let (low, high) = interval(runs, all);
        Share {
            outcome,
            runs,
            share: runs as f64 / all.max(1) as f64,
            low,
            high,
        }
    };
    Outcome::ALL.map(share).into()
}

/// The runs that have changed something, by a name.
fn parts(runs: &[Run], name: impl Fn(&Change) -> Option<String>) -> Vec<Part> {
    let mut by_name: BTreeMap<Option<String>, Vec<&Run>> = BTreeMap::new();
    for run in runs {
        if let Some(change) = &run.change {
            by_name.entry(name(change)).or_default().push(run);
        }
    }
    let part = |(name, runs): (Option<String>, Vec<&Run>)| Part {
        name,
        runs: runs.len() as u64,
        outcomes: shares(runs.into_iter()),
    };
    let mut parts: Vec<Part> = by_name.into_iter().map(part).collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.runs));
    parts
}

impl File {
    /// `runs` are in the order of their numbers.
    pub fn new(campaign: Campaign, asked: Vec<[u64; 2]>, runs: Vec<Run>) -> File {
        let asked = joined(asked);
        let mut file = File {
            kind: Kind::Injection,
            campaign,
            wanted: asked.iter().map(|[first, end]| end - first).sum(),
            asked,
            outcomes: Vec::new(),
            classes: Vec::new(),
            lines: Vec::new(),
            runs,
        };
        file.count();
        file
    }

    /// Sums the runs up.
    fn count(&mut self) {
        self.outcomes = shares(self.runs.iter());
        self.classes = parts(&self.runs, |change| Some(change.class.clone()));
        self.lines = parts(&self.runs, |change| change.source.clone());
    }

    /// Returns `true` if every run that was asked for has changed something.
    pub fn is_whole(&self) -> bool {
        let reached = self
            .runs
            .iter()
            .all(|run| run.outcome != Outcome::NotReached);
        reached && self.runs.len() as u64 == self.wanted
    }

    pub fn read(path: &Path) -> Result<File> {
        let name = path.display();
        let bytes = fs::read(path).with_context(|| name.to_string())?;
        let read = serde_json::from_slice(&bytes);
        let file: File = read.with_context(|| {
            format!("{name}: no results of luthier check --inject --format json, or a damaged file")
        })?;
        let outside = |run: &&Run| run.place >= file.campaign.places;
        ensure!(
            !file.runs.iter().any(|run| outside(&run)),
            "{name}: a run is outside of its campaign"
        );
        ensure!(
            file.asked.iter().all(|[first, end]| first < end),
            "{name}: a range of runs is empty"
        );
        ensure!(
            file.runs.is_sorted_by(|one, next| one.run < next.run),
            "{name}: its runs are not in the order of their numbers"
        );
        Ok(file)
    }
}

/// The same runs as ranges in order that do not touch each other.
fn joined(mut ranges: Vec<[u64; 2]>) -> Vec<[u64; 2]> {
    ranges.sort_unstable();
    let mut joined: Vec<[u64; 2]> = Vec::new();
    for [first, end] in ranges {
        match joined.last_mut() {
            Some([_, last]) if first <= *last => *last = end.max(*last),
            _ => joined.push([first, end]),
        }
    }
    joined
}

impl Run {
    /// The part that differs from the same run in another file, in words. Values may differ: programs compute with addresses, which are others
    /// each time. `flips`: the change is the bits that differ between the values.
    fn differs(&self, other: &Run, flips: bool) -> Option<String> {
        let parts = [self, other].map(|run| run.parts(flips));
        let [ours, theirs] = parts;
        let mut pairs = ours.into_iter().zip(theirs);
        let ((name, ours), (_, theirs)) = pairs.find(|(ours, theirs)| ours != theirs)?;
        Some(format!("{name} {theirs} instead of {ours}"))
    }

    /// The end and the place, in words.
    fn parts(&self, flips: bool) -> Vec<(&'static str, String)> {
        let change = self.change.as_ref();
        let of_change = |part: fn(&Change) -> String| change.map_or("none".to_owned(), part);
        let bits = |change: &Change| format!("{:#x}", change.before ^ change.after);
        let lane = |change: &Change| {
            change
                .lane
                .map_or("all".to_owned(), |lane| lane.to_string())
        };
        let mut parts = vec![
            ("outcome", self.outcome.name().to_owned()),
            ("kernel", self.kernel.clone()),
            ("launch", self.launch.to_string()),
            ("workgroup", self.workgroup.to_string()),
            ("wave", self.wave.to_string()),
            ("place", self.place.to_string()),
            ("offset", of_change(|change| change.offset.to_string())),
            (
                "instruction",
                of_change(|change| change.instruction.clone()),
            ),
            ("register", of_change(|change| change.register.clone())),
            ("lane", of_change(lane)),
        ];
        if flips {
            parts.push(("changed bits", of_change(bits)));
        }
        parts
    }
}

/// The parts of one campaign as one.
pub fn merge(paths: &[impl AsRef<Path>]) -> Result<File> {
    let mut campaign: Option<Campaign> = None;
    // Each run with the file that it comes from.
    let mut runs: BTreeMap<u64, (&Path, Run)> = BTreeMap::new();
    let mut asked = Vec::new();
    for path in paths {
        let path = path.as_ref();
        let file = File::read(path)?;
        let name = path.display();
        if let Some(ours) = &campaign
            && let Some(what) = ours.differs(&file.campaign)
        {
            bail!(
                "{name} is of another campaign than {}: {what}",
                paths[0].as_ref().display()
            );
        }
        asked.extend(file.asked);
        let flips = file.campaign.flips_bits();
        for run in file.runs {
            let Some((first, known)) = runs.get(&run.run) else {
                runs.insert(run.run, (path, run));
                continue;
            };
            if let Some(what) = known.differs(&run, flips) {
                bail!(
                    "{name}: run {} differs from that of {}: {what}",
                    run.run,
                    first.display()
                );
            }
        }
        campaign.get_or_insert(file.campaign);
    }
    let campaign = campaign.context("nothing to merge")?;
    let runs = runs.into_values().map(|(_, run)| run);
    Ok(File::new(campaign, asked, runs.collect()))
}

impl Campaign {
    /// The model changes the same bits of whatever value is there.
    fn flips_bits(&self) -> bool {
        let spec = self.inject.parse::<Spec>();
        spec.is_ok_and(|spec| matches!(spec.model, Model::Bit | Model::TwoBits))
    }

    /// The fields that differ, in words.
    fn differs(&self, other: &Campaign) -> Option<String> {
        if self == other {
            return None;
        }
        let (ours, theirs) = (
            serde_json::to_value(self).ok()?,
            serde_json::to_value(other).ok()?,
        );
        let fields = ours.as_object()?.iter();
        let differing = fields.filter(|(name, value)| theirs.get(name.as_str()) != Some(value));
        let words: Vec<String> = differing
            .map(|(name, value)| format!("{name} {} instead of {value}", theirs[name.as_str()]))
            .collect();
        Some(words.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_several_machines_are_joined() {
        assert_eq!(joined(vec![[5, 10], [0, 5]]), [[0, 10]]);
        assert_eq!(joined(vec![[0, 10], [0, 10], [2, 4]]), [[0, 10]]);
        assert_eq!(
            joined(vec![[20, 30], [0, 10], [9, 12]]),
            [[0, 12], [20, 30]]
        );
    }

    /// The intervals of published tables of Wilson's score (Newcombe 1998, table I, method 3).
    #[test]
    fn intervals_are_those_of_published_tables() {
        for (found, all, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let (from, to) = interval(found, all);
            assert!(
                (from - low).abs() < 0.00005 && (to - high).abs() < 0.00005,
                "{found}/{all}: {from} {to}"
            );
        }
    }
}
