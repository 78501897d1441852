//! The files that a run left in its directory.

use crate::{
    error::{Error, Result},
    ranks::{Place, places, rank_directory},
};
use serde::Deserialize;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs,
    path::{Path, PathBuf},
};

/// `summary.PID.json`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Summary {
    pub tool: String,
    /// Rank of the directory that it is in.
    #[serde(skip)]
    pub rank: Option<u32>,
    pub process: u32,
    /// From 1: a process may start HSA again.
    #[serde(default = "first")]
    pub session: u32,
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

impl Summary {
    pub fn by(&self) -> By {
        By {
            rank: self.rank,
            process: self.process,
            session: self.session,
        }
    }
}

fn first() -> u32 {
    1
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

/// A session of a process, from whom a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct By {
    /// Of a job.
    pub rank: Option<u32>,
    /// By the number that it has on its node.
    pub process: u32,
    /// From 1.
    pub session: u32,
}

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(rank) = self.rank {
            write!(f, "rank {rank}, ")?;
        }
        match self.session {
            1 => write!(f, "process {}", self.process),
            later => write!(f, "process {} (session {later})", self.process),
        }
    }
}

/// `NAME.PID.json` of a tool.
#[derive(Clone, Debug)]
pub(crate) struct ToolResult {
    pub tool: String,
    pub by: By,
    pub value: Value,
}

/// The file about the rank in a rank's directory. Nothing of it is in a page.
const RANK: &str = "rank.json";

/// All files of a directory.
#[derive(Debug, Default)]
pub(crate) struct Results {
    pub summaries: Vec<Summary>,
    /// `statistics.json`: what the emulated device counted.
    pub statistics: Vec<counts::Run>,
    pub tools: Vec<ToolResult>,
    /// Code objects by SHA-256 in hexadecimal digits.
    pub objects: BTreeMap<String, PathBuf>,
    /// Records of `mem-trace`: who wrote them, and the file.
    pub traces: Vec<(By, PathBuf)>,
    /// Other files, which the page names.
    pub others: Vec<(String, u64)>,
}

impl Results {
    /// The results in several directories, and of all ranks in them.
    pub fn read(directories: &[PathBuf]) -> Result<Results> {
        let (mut results, mut seen) = (Results::default(), BTreeSet::new());
        for directory in directories {
            let mut known = 0;
            for place in places(directory)? {
                let whole = fs::canonicalize(&place.path);
                if !seen.insert(whole.map_err(Error::unreadable(&place.path))?) {
                    let path = place.path;
                    return Err(Error::Twice { path });
                }
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
        let of_rank = |by| By {
            rank: place.rank,
            ..by
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
                Some(("summary", _)) => results.summaries.push(Summary {
                    rank: place.rank,
                    ..json(&path)?
                }),
                Some((tool, by)) if !tool.ends_with(".trace") => {
                    results.tools.push(ToolResult {
                        tool: tool.to_owned(),
                        by: of_rank(by),
                        value: json(&path)?,
                    });
                }
                _ => {
                    let by = name
                        .strip_prefix("mem-trace.")
                        .and_then(|rest| By::parse(rest.strip_suffix(".parquet")?));
                    if let Some(by) = by {
                        results.traces.push((of_rank(by), path.clone()));
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

impl By {
    /// `PID`, or `PID-2` for the second session of that process.
    fn parse(text: &str) -> Option<By> {
        let (process, session) = text.split_once('-').unwrap_or((text, "1"));
        Some(By {
            rank: None,
            process: process.parse().ok()?,
            session: session.parse().ok()?,
        })
    }
}

/// The name and process of a file `NAME.PID.json`.
fn parts(file: &str) -> Option<(&str, By)> {
    let (name, by) = file.strip_suffix(".json")?.rsplit_once('.')?;
    Some((name, By::parse(by)?))
}

/// In the order of their names, so that a page of the same files is the same.
fn listed(directory: &Path) -> Result<Vec<PathBuf>> {
    let unreadable = Error::unreadable(directory);
    let mut paths = Vec::new();
    for entry in fs::read_dir(directory).map_err(unreadable)? {
        paths.push(entry.map_err(unreadable)?.path());
    }
    paths.sort();
    Ok(paths)
}

/// Reads a file of JSON.
pub(crate) fn json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T> {
    let bytes = fs::read(path).map_err(Error::unreadable(path))?;
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
        let by = |process, session| By {
            rank: None,
            process,
            session,
        };
        assert_eq!(parts("summary.17.json"), Some(("summary", by(17, 1))));
        assert_eq!(parts("my.tool.17-2.json"), Some(("my.tool", by(17, 2))));
        assert_eq!(parts("statistics.json"), None);
        assert_eq!(parts("mem-trace.17.parquet"), None);
    }

    #[test]
    fn processes_say_their_rank_and_session_if_they_have_one() {
        let by = |rank, session| By {
            rank,
            process: 7,
            session,
        };
        assert_eq!(by(None, 1).to_string(), "process 7");
        assert_eq!(by(None, 2).to_string(), "process 7 (session 2)");
        assert_eq!(by(Some(3), 1).to_string(), "rank 3, process 7");
    }
}
