//! The run without a change, which others are compared with.

use std::{collections::BTreeSet, fs, path::PathBuf, time::Duration};

use anyhow::{Context, Result, bail, ensure};
use injection::{Launch, Line, Spec};
use regex::Regex;
use session::Selection;

use super::run::{Ended, Order, Program};

pub struct Golden {
    /// The directory with its output.
    pub directory: PathBuf,
    pub took: Duration,
    /// The bytes that it wrote.
    pub written: u64,
    /// The launches of each process.
    processes: Vec<Vec<Launch>>,
    /// Instructions whose places the decoder does not know.
    pub missed: BTreeSet<String>,
}

impl Golden {
    /// Runs the program twice. If these runs differ, a difference does not show that a change caused it.
    pub fn take(program: &Program) -> Result<Golden> {
        let order = Order {
            target: None,
            budget: None,
            limit: program.timeout(),
            room: None,
        };
        let run = |name: &str| -> Result<Ended> {
            let ended = program.run(name, &order)?;
            ended.context("interrupted before the first change")
        };
        let first = run("golden")?;
        ends_well(&first)?;
        let second = run("again")?;
        ends_well(&second)?;
        let limit = Some(program.limit(first.took));
        let alike = program.alike(&first.directory, &second.directory, limit)?;
        ensure!(
            alike.context("interrupted before the first change")?,
            "two runs of the program without a change differ in their output: say with --compare COMMAND what is to be compared"
        );
        let launches = of_processes(&first);
        ensure!(
            launches == of_processes(&second),
            "two runs of the program without a change execute different instructions: a change would come to another place in each run"
        );
        let missed = first.lines().filter_map(|line| match line {
            Line::Missed(name) => Some(name.clone()),
            _ => None,
        });
        second.remove()?;
        Ok(Golden {
            missed: missed.collect(),
            processes: launches,
            took: first.took,
            written: first.written(),
            directory: first.directory,
        })
    }

    /// Instructions of all kernels of all processes.
    pub fn executed(&self) -> u64 {
        self.processes
            .iter()
            .flatten()
            .map(|launch| launch.executed)
            .sum()
    }

    /// The launches whose values may be changed.
    pub fn selected(
        &self,
        kernel: Option<&Regex>,
        launch: Option<&str>,
        spec: &Spec,
    ) -> Result<Vec<&Launch>> {
        let kernel = kernel.map(|kernel| ("--kernel", kernel.as_str()));
        let options = kernel
            .into_iter()
            .chain(launch.map(|launch| ("--launch", launch)));
        let selection = Selection::of_options(options)?;
        let chosen = |launch: &&Launch| {
            selection.kernel(&launch.kernel, &demangle::readable(&launch.kernel))
                && selection.launch(launch.number, launch.grid)
        };
        let all = self.processes.iter();
        let all: Vec<Vec<&Launch>> = all.map(|one| one.iter().filter(chosen).collect()).collect();
        let launched = all.iter().map(Vec::len).sum::<usize>();
        let has_places = |one: &&Vec<&Launch>| one.iter().any(|launch| launch.total() > 0);
        let mut with_places: Vec<Vec<&Launch>> = all.iter().filter(has_places).cloned().collect();
        match (with_places.len(), launched) {
            (1, _) => Ok(with_places.remove(0)),
            (0, 0) => match &*self.kernels() {
                "" => bail!("the program launches no kernel of its own on the emulated GPU"),
                kernels => bail!("no launch is selected; the program launches {kernels}"),
            },
            (0, _) => {
                bail!("--inject {spec} fits no instruction that the selected kernels execute")
            }
            (several, _) => bail!(
                "{several} processes execute the selected kernels, and nothing tells one from another in the next run; select a kernel that only one process executes"
            ),
        }
    }

    /// The names of the kernels that were launched, without those of the runtime.
    fn kernels(&self) -> String {
        let all = self.processes.iter().flatten();
        let names = all.map(|launch| (&*launch.kernel, demangle::readable(&launch.kernel)));
        let usual = Selection::default();
        let names = names.filter(|(name, readable)| usual.kernel(name, readable));
        let names: BTreeSet<_> = names.map(|(_, readable)| readable).collect();
        let mut text = names
            .iter()
            .take(8)
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(", ");
        if names.len() > 8 {
            text += &format!(" and {} more", names.len() - 8);
        }
        text
    }
}

/// The launches of each process that has launched any, in an order that does not depend on when they did.
fn of_processes(ended: &Ended) -> Vec<Vec<Launch>> {
    let mut all: Vec<Vec<Launch>> = Vec::new();
    for told in &ended.told {
        let launches = told.iter().filter_map(|line| match line {
            Line::Launch(launch) => Some(launch.clone()),
            _ => None,
        });
        let mut launches: Vec<Launch> = launches.collect();
        launches
            .sort_by(|one, other| (&one.kernel, one.number).cmp(&(&other.kernel, other.number)));
        if !launches.is_empty() {
            all.push(launches);
        }
    }
    all.sort_by_cached_key(|launches| {
        let keys = launches
            .iter()
            .map(|launch| (launch.kernel.clone(), launch.number, launch.executed));
        keys.collect::<Vec<_>>()
    });
    all
}

fn ends_well(golden: &Ended) -> Result<()> {
    let status = golden
        .status()
        .context("the program does not end without a change")?;
    let faults: Vec<_> = golden
        .lines()
        .filter(|line| matches!(line, Line::Fault(_) | Line::Stuck))
        .collect();
    if status.success() && faults.is_empty() {
        return Ok(());
    }
    let said = fs::read(golden.beside.join("stderr")).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    let lines: Vec<&str> = said.lines().collect();
    let last = lines[lines.len().saturating_sub(10)..].join("\n");
    let how = match status.success() {
        true => "a kernel fails".to_owned(),
        false => format!("it ends with {status}"),
    };
    bail!("the program fails without a change: {how}\n{last}")
}
