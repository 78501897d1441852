//! Counts of a run on the emulated device.

use std::{collections::BTreeMap, time::Duration};

use anyhow::{Context, Result, anyhow};
use command::grouped;
use compute::fidelity::REASONS;
use counts::{Class, Run};

/// `1 kernel`, `2 launches`.
pub fn counted(count: u64, noun: &str) -> String {
    let ending = match (count, noun.ends_with("ch")) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{} {noun}{ending}", grouped(count))
}

/// The lines that the emulated devices wrote, one for each kernel.
pub fn read(text: &str, wall: Duration) -> Result<Run> {
    let kernels = counts::lines(text).context("a statistics line is damaged")?;
    let meanings = REASONS.iter().map(|reason| (reason.name, reason.meaning));
    Ok(Run::new(wall.as_secs_f64(), kernels, meanings))
}

/// The message if no kernel has this name, with the names that there are.
pub fn without(run: &Run, pattern: &str) -> Result<Option<String>> {
    let wanted = regex::Regex::new(pattern);
    let wanted =
        wanted.map_err(|error| anyhow!("-k {pattern}: {}", command::regex_problem(&error)))?;
    let mut names: Vec<&str> = run.kernels.iter().map(|one| &*one.kernel).collect();
    names.sort_unstable();
    names.dedup();
    let fits = |name: &&str| wanted.is_match(name);
    if names.is_empty() || names.iter().any(fits) {
        return Ok(None);
    }
    Ok(Some(crate::chosen::fits_none(pattern, &names)))
}

/// A table for people.
pub fn text(run: &Run, colour: bool) -> String {
    let (bold, plain) = if colour {
        ("\x1b[1m", "\x1b[0m")
    } else {
        ("", "")
    };
    let mut text = format!(
        "\n{bold}luthier: {}, {}, {}, {}, {:.2} s{plain}\n",
        counted(run.kernels.len() as u64, "kernel"),
        counted(run.dispatches, "dispatch"),
        counted(run.wave_instructions, "wave instruction"),
        counted(run.lane_instructions, "lane instruction"),
        run.seconds,
    );
    if run.kernels.is_empty() {
        text += "  the program dispatched no kernel\n";
        return text;
    }
    text += &format!(
        "  {:>10} {:>12} {:>16} {:>18} {:>10}  kernel\n",
        "dispatches", "waves", "wave instr.", "lane instr.", "ms"
    );
    for kernel in &run.kernels {
        text += &format!(
            "  {:>10} {:>12} {:>16} {:>18} {:>10.2}  {}{}\n",
            grouped(kernel.dispatches),
            grouped(kernel.executed.waves),
            grouped(kernel.executed.wave_instructions),
            grouped(kernel.executed.lane_instructions),
            kernel.nanoseconds as f64 / 1e6,
            kernel.kernel,
            if kernel.faults > 0 {
                format!(" ({} faulted)", kernel.faults)
            } else {
                String::new()
            },
        );
    }
    let mut classes: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for kernel in &run.kernels {
        for (class, Class(waves, lanes)) in &kernel.executed.classes {
            let total = classes.entry(class).or_default();
            total.0 += waves;
            total.1 += lanes;
        }
    }
    let mut classes: Vec<_> = classes.into_iter().collect();
    classes.sort_by_key(|(_, (waves, _))| std::cmp::Reverse(*waves));
    text += &format!(
        "  {:<18} {:>16} {:>18}\n",
        "class", "wave instr.", "lane instr."
    );
    for (class, (waves, lanes)) in classes {
        text += &format!(
            "  {class:<18} {:>16} {:>18}\n",
            grouped(waves),
            grouped(lanes)
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use counts::{Executed, Kernel};

    #[test]
    fn totals_add_up_over_kernels_and_processes() {
        let line = |kernel: &str, pid: u32, instructions: u64| {
            let kernel = Kernel {
                kernel: kernel.to_owned(),
                device: "gfx90a".into(),
                node: 1,
                pid: Some(pid),
                dispatches: 2,
                executed: Executed {
                    waves: 1,
                    wave_instructions: instructions,
                    lane_instructions: 7,
                    classes: [("branch".into(), Class(1, 2))].into(),
                },
                ..Kernel::default()
            };
            String::from_utf8(counts::line(&kernel, 1000)).expect("a text")
        };
        let text = line("a", 1, 10) + &line("b", 2, 30);
        let summary = read(&text, Duration::from_secs(1)).unwrap();
        assert_eq!(
            (
                summary.dispatches,
                summary.wave_instructions,
                summary.lane_instructions
            ),
            (4, 40, 14)
        );
        assert_eq!(summary.kernels[0].kernel, "b", "most instructions first");
        assert!(
            super::text(&summary, false)
                .contains("branch                            2                  4")
        );
    }
}
