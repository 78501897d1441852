//! The run without a change, which others are compared with.

use std::{collections::BTreeSet, fs, path::PathBuf, time::Duration};

use anyhow::{Context, Result, bail, ensure};
use injection::{Launch, Line, Spec};
use session::Selection;

use super::{
    child::End,
    run::{Ended, Order, Program},
};

/// Most bytes that the run without a change may write.
const ROOM: u64 = 1 << 30;

/// A launch with its number among those of its kernel. The launches of each queue follow those of the queue before, so that the numbers do
/// not depend on which queue the device looks at first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbered {
    pub number: u64,
    pub launch: Launch,
}

pub struct Golden {
    /// The directory with its output.
    pub directory: PathBuf,
    pub took: Duration,
    /// The bytes that it wrote.
    pub written: u64,
    /// The launches of each process.
    processes: Vec<Vec<Numbered>>,
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
            room: Some(ROOM),
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
            .map(|one| one.launch.executed)
            .sum()
    }

    /// The launches whose values may be changed.
    pub fn selected(&self, selection: &Selection, spec: &Spec) -> Result<Vec<&Numbered>> {
        let chosen = |one: &&Numbered| {
            let kernel = &one.launch.kernel;
            selection.kernel(kernel, &demangle::readable(kernel))
                && selection.launch(one.number, one.launch.grid)
        };
        let all = self.processes.iter();
        let all: Vec<Vec<&Numbered>> = all.map(|one| one.iter().filter(chosen).collect()).collect();
        let launched = all.iter().map(Vec::len).sum::<usize>();
        let has_places = |of: &&Vec<&Numbered>| of.iter().any(|one| one.launch.total() > 0);
        let mut with_places: Vec<Vec<&Numbered>> = all.iter().filter(has_places).cloned().collect();
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
        let names = all.map(|one| (&*one.launch.kernel, demangle::readable(&one.launch.kernel)));
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
fn of_processes(ended: &Ended) -> Vec<Vec<Numbered>> {
    let mut all: Vec<Vec<Numbered>> = Vec::new();
    for told in &ended.told {
        let launches = told.iter().filter_map(|line| match line {
            Line::Launch(launch) => Some(launch.clone()),
            _ => None,
        });
        let launches = numbered(launches.collect());
        if !launches.is_empty() {
            all.push(launches);
        }
    }
    all.sort_by_cached_key(|launches| {
        let keys = launches
            .iter()
            .map(|one| (one.launch.kernel.clone(), one.number, one.launch.executed));
        keys.collect::<Vec<_>>()
    });
    all
}

/// The launches of a process by kernel, queue and turn.
fn numbered(mut launches: Vec<Launch>) -> Vec<Numbered> {
    launches.sort_by(|one, other| (&one.kernel, one.turn).cmp(&(&other.kernel, other.turn)));
    let of_kernels = launches.chunk_by(|one, next| one.kernel == next.kernel);
    let numbered = of_kernels.flat_map(|of_kernel| {
        let launches = of_kernel.iter().cloned().zip(0..);
        launches.map(|(launch, number)| Numbered { number, launch })
    });
    numbered.collect()
}

fn ends_well(golden: &Ended) -> Result<()> {
    let status = match golden.end {
        End::Status(status) => status,
        End::Late => bail!("the program does not end without a change"),
        End::Full => bail!(
            "the program writes more than {} GiB without a change, which is the most that a campaign compares",
            ROOM >> 30
        ),
    };
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
    bail!(command::Said {
        line: format!("the program fails without a change: {how}"),
        others: last,
    })
}

#[cfg(test)]
mod tests {
    use injection::Turn;

    use super::*;

    #[test]
    fn launches_have_the_same_numbers_however_queues_take_turns() {
        let launch = |kernel: &str, queue, number, executed| Launch {
            kernel: kernel.to_owned(),
            turn: Turn {
                node: 1,
                queue,
                number,
            },
            executed,
            ..Launch::default()
        };
        let one = launch("add", 1, 0, 10);
        let two = launch("add", 1, 1, 20);
        let three = launch("add", 2, 0, 30);
        let other = launch("sub", 1, 0, 40);
        let expected = [
            ("add", 0, 10),
            ("add", 1, 20),
            ("add", 2, 30),
            ("sub", 0, 40),
        ];
        for order in [
            [&one, &two, &three, &other],
            [&three, &one, &other, &two],
            [&one, &three, &two, &other],
        ] {
            let all = numbered(order.into_iter().cloned().collect());
            let found: Vec<_> = all
                .iter()
                .map(|one| (&*one.launch.kernel, one.number, one.launch.executed))
                .collect();
            assert_eq!(found, expected);
        }
    }
}
