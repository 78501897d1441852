//! One run with everything that a page shows.

use crate::{
    advice,
    code::{self, KernelResults},
    error::{Error, Result},
    model::{Code, KernelRow, Overview},
    overview,
    results::Results,
    sources,
    timeline::{self, Timeline},
    trace::{self, Trace},
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fs,
    path::PathBuf,
};

/// See [`Run::read`].
#[derive(Clone, Debug, Default)]
pub struct Run {
    pub overview: Overview,
    /// By position of the kernel.
    pub codes: BTreeMap<usize, Code>,
    /// In the order of [`Overview::sources`].
    pub sources: Vec<String>,
    pub timeline: Option<Timeline>,
    /// Addresses by position of the kernel.
    pub traces: BTreeMap<usize, Trace>,
}

/// The parts of a page besides counts.
#[derive(Clone, Debug)]
pub struct Options {
    /// Heading; the command is beside it.
    pub title: String,
    pub command: String,
    /// Texts of source files.
    pub sources: bool,
    /// The directory of source files that the debug information names without one; `None`: they have no text.
    pub beside: Option<PathBuf>,
}

impl Run {
    /// Gathers what `luthier run --output DIRECTORY` left, once or several times. `step` is called with what is done next, how much of it is done, and
    /// how much there is.
    pub fn read(
        directories: &[PathBuf],
        options: &Options,
        step: &dyn Fn(&str, usize, usize),
    ) -> Result<Run> {
        let results = Results::read(directories)?;
        let rows = code::by_kernel(&results);
        let mut overview = overview::build(&results, options);
        let mut run = Run {
            codes: codes(&results, &rows, &mut overview, step)?,
            timeline: timeline::build(&results.tools),
            ..Run::default()
        };
        step("reading traces", 0, results.traces.len());
        run.traces = trace::collect(&results, &run.codes, &overview)?;
        overview::add_counts(&mut overview, &run.codes, &results);
        for (number, code) in &run.codes {
            let row = &mut overview.kernels[*number];
            row.remarks = advice::of(row, code);
        }
        if options.sources {
            let texts = sources::collect(run.codes.values(), options.beside.as_deref());
            (overview.sources, run.sources) = texts.into_iter().unzip();
        }
        overview.timed = run
            .timeline
            .as_ref()
            .map_or(0, |timeline| timeline.start.len() as u64);
        run.overview = overview;
        Ok(run)
    }
}

/// Codes of all kernels whose code object lies there, by position of their row.
fn codes(
    results: &Results,
    rows: &HashMap<(String, String), KernelResults<'_>>,
    overview: &mut Overview,
    step: &dyn Fn(&str, usize, usize),
) -> Result<BTreeMap<usize, Code>> {
    let mut wanted: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for row in &overview.kernels {
        wanted.entry(&row.object).or_default().insert(&row.symbol);
    }
    let mut found: BTreeMap<(String, String), Code> = BTreeMap::new();
    let mut problems = Vec::new();
    let all = wanted.len();
    for (done, (object, kernels)) in wanted.into_iter().enumerate() {
        step("reading code objects", done, all);
        let Some(path) = results.objects.get(object) else {
            continue;
        };
        let bytes = fs::read(path).map_err(Error::unreadable(path))?;
        let (codes, trouble) = code::of_object(&bytes, object, &kernels, rows);
        problems.extend(trouble);
        let object = object.to_owned();
        found.extend(
            codes
                .into_iter()
                .map(|(kernel, code)| ((object.clone(), kernel), code)),
        );
    }
    let mut codes = BTreeMap::new();
    for (number, row) in overview.kernels.iter_mut().enumerate() {
        let key = (row.object.clone(), row.symbol.clone());
        if let Some(code) = found.remove(&key) {
            describe(row, &code);
            codes.insert(number, code);
        }
    }
    overview.notes.extend(problems);
    Ok(codes)
}

/// Adds the code object's facts about a kernel.
fn describe(row: &mut KernelRow, code: &Code) {
    row.code = true;
    row.instructions = code.pc.len() as u64;
    let facts = &code.facts;
    row.wave_size = facts["wave_size"]
        .as_u64()
        .and_then(|size| u8::try_from(size).ok());
    let limit = facts["occupancy"]["limited_by"].as_str();
    row.limit = limit.map(str::to_owned);
}
