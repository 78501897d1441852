//! What a run left in its directory, as it lies there.

use crate::{
    error::{Error, Result},
    ranks::{Place, Process, places, rank_directory},
};
use serde::Deserialize;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// `summary.PID.json`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Summary {
    pub tool: String,
    pub process: u32,
    #[serde(default)]
    pub agents: Vec<Agent>,
    pub launches: u64,
    pub unknown_launches: u64,
    pub seconds: f64,
    pub kernels: Vec<SummaryKernel>,
    #[serde(default)]
    pub records: Vec<Records>,
    #[serde(default)]
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Agent {
    pub number: u32,
    pub target: String,
    pub product: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Records {
    pub name: String,
    pub written: u64,
    pub dropped: u64,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct SummaryKernel {
    pub name: String,
    pub symbol: String,
    pub object: Option<String>,
    pub target: String,
    pub launches: u64,
    pub instrumented_launches: u64,
    pub status: String,
    pub reason: Option<String>,
    #[serde(default)]
    pub sites: u64,
    pub before: Option<Usage>,
    pub after: Option<Usage>,
    #[serde(default)]
    pub notes: Vec<String>,
}

#[derive(Clone, Copy, Debug, Deserialize, serde::Serialize)]
pub struct Usage {
    pub vgprs: u32,
    pub sgprs: u32,
    pub lds: u32,
    pub scratch: u32,
    pub waves_per_simd: u32,
}

/// `statistics.json`: what the emulated device counted.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Statistics {
    pub seconds: f64,
    pub kernels: Vec<DeviceKernel>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct DeviceKernel {
    pub kernel: String,
    pub device: String,
    pub dispatches: u64,
    pub faults: u64,
    pub nanoseconds: u64,
    pub wave_instructions: u64,
    pub lane_instructions: u64,
}

/// `NAME.PID.json` of a tool.
#[derive(Clone, Debug)]
pub(crate) struct ToolResult {
    pub tool: String,
    pub process: Process,
    pub value: Value,
}

/// What a rank's directory says of the rank; nothing of it is in a page.
const RANK: &str = "rank.json";

/// All files of a directory.
#[derive(Debug, Default)]
pub(crate) struct Results {
    pub summaries: Vec<Summary>,
    pub statistics: Vec<Statistics>,
    pub tools: Vec<ToolResult>,
    /// Code objects by SHA-256 in hexadecimal digits.
    pub objects: BTreeMap<String, PathBuf>,
    /// Records of `mem-trace`: the process that wrote them, and the file.
    pub traces: Vec<(Process, PathBuf)>,
    /// Other files, which the page names.
    pub others: Vec<(String, u64)>,
}

impl Results {
    /// Of several directories, and of all ranks in them.
    pub fn read(directories: &[PathBuf]) -> Result<Results> {
        let mut results = Results::default();
        for directory in directories {
            let mut known = 0;
            for place in places(directory)? {
                known += results.add(&place)?;
            }
            if known == 0 {
                let path = directory.to_owned();
                return Err(Error::Nothing { path });
            }
        }
        Ok(results)
    }

    /// Says how many files there were.
    fn add(&mut self, place: &Place) -> Result<usize> {
        let results = self;
        let mut known = 0;
        let of = |number| Process {
            rank: place.rank,
            number,
        };
        for path in listed(&place.path)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_dir() {
                continue;
            }
            if name == RANK {
                continue;
            }
            known += usize::from(name == "statistics.json" || parts(&name).is_some());
            match parts(&name) {
                _ if name == "statistics.json" => results.statistics.push(json(&path)?),
                Some(("summary", _)) => results.summaries.push(json(&path)?),
                Some((tool, process)) if !tool.ends_with(".trace") => {
                    results.tools.push(ToolResult {
                        tool: tool.to_owned(),
                        process: of(process),
                        value: json(&path)?,
                    });
                }
                _ => {
                    let process = name
                        .strip_prefix("mem-trace.")
                        .and_then(|rest| rest.strip_suffix(".parquet")?.parse().ok());
                    if let Some(process) = process {
                        results.traces.push((of(process), path.clone()));
                    }
                    let size = path.metadata().map_or(0, |file| file.len());
                    let within = place.rank.map(|rank| rank_directory(rank) + "/");
                    results
                        .others
                        .push((within.unwrap_or_default() + &name, size));
                }
            }
        }
        let objects = place.path.join("objects");
        if objects.is_dir() {
            for path in listed(&objects)? {
                if path.extension().is_some_and(|ending| ending == "co")
                    && let Some(hash) = path.file_stem()
                {
                    let hash = hash.to_string_lossy().into_owned();
                    results.objects.insert(hash, path);
                }
            }
        }
        Ok(known)
    }
}

/// Name and process of `NAME.PID.json`; `NAME.PID-2.json` is a second session of that process.
fn parts(file: &str) -> Option<(&str, u32)> {
    let (name, process) = file.strip_suffix(".json")?.rsplit_once('.')?;
    let number = process.split('-').next()?;
    Some((name, number.parse().ok()?))
}

/// In the order of their names, so that a page of the same files is the same.
fn listed(directory: &Path) -> Result<Vec<PathBuf>> {
    let unreadable = |source| Error::Unreadable {
        path: directory.to_owned(),
        source,
    };
    let mut paths = Vec::new();
    for entry in fs::read_dir(directory).map_err(unreadable)? {
        paths.push(entry.map_err(unreadable)?.path());
    }
    paths.sort();
    Ok(paths)
}

fn json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T> {
    let bytes = fs::read(path).map_err(|source| Error::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    serde_json::from_slice(&bytes).map_err(|error| Error::Damaged {
        path: path.to_owned(),
        reason: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_say_tool_and_process() {
        assert_eq!(parts("summary.17.json"), Some(("summary", 17)));
        assert_eq!(parts("my.tool.17-2.json"), Some(("my.tool", 17)));
        assert_eq!(parts("statistics.json"), None);
        assert_eq!(parts("mem-trace.17.parquet"), None);
    }
}
