//! Counts of a run on the emulated device.

use std::{collections::BTreeMap, time::Duration};

use anyhow::{Context, Result};
use compute::fidelity::REASONS;
use files::grouped;
use serde::{Deserialize, Serialize};

/// Totals of one kernel, as the emulated device records them (one JSON line each).
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Kernel {
    pub kernel: String,
    pub device: String,
    pub node: u32,
    pub pid: u32,
    pub dispatches: u64,
    pub faults: u64,
    pub workgroups: u64,
    pub work_items: u64,
    /// Time from start to end of its dispatches.
    pub nanoseconds: u64,
    pub waves: u64,
    pub wave_instructions: u64,
    pub lane_instructions: u64,
    /// Wave and lane instructions per class.
    pub classes: BTreeMap<String, (u64, u64)>,
    /// By AMD's names of counters, but for those that are 0.
    #[serde(default)]
    pub counters: BTreeMap<String, u64>,
    /// Instructions whose results a GPU may compute otherwise.
    #[serde(default)]
    pub inexact: Vec<Inexact>,
    /// Launches whose waves did nothing for a while but look whether memory has changed.
    #[serde(default)]
    pub waited: u64,
}

/// Executions of one mnemonic whose results no public source fixes.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Inexact {
    pub reason: String,
    pub op: String,
    pub waves: u64,
    pub lanes: u64,
}

/// `1 kernel`, `2 launches`.
pub fn counted(count: u64, noun: &str) -> String {
    let ending = match (count, noun.ends_with("ch")) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{} {noun}{ending}", grouped(count))
}

/// A whole run.
#[derive(Debug, Serialize)]
pub struct Summary {
    pub seconds: f64,
    pub dispatches: u64,
    pub wave_instructions: u64,
    pub lane_instructions: u64,
    pub kernels: Vec<Kernel>,
    /// What the reasons mean that kernels name for results that are not exact.
    pub reasons: BTreeMap<&'static str, &'static str>,
}

impl Summary {
    /// `text` is what the emulated devices wrote, one line for each kernel.
    pub fn read(text: &str, wall: Duration) -> Result<Summary> {
        let mut kernels: Vec<Kernel> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| serde_json::from_str(line.trim()).context("a statistics line is damaged"))
            .collect::<Result<_>>()?;
        kernels.sort_by_key(|kernel| std::cmp::Reverse(kernel.wave_instructions));
        let sum = |of: fn(&Kernel) -> u64| kernels.iter().map(of).sum();
        let named = |reason: &str| {
            let mut inexact = kernels.iter().flat_map(|kernel| &kernel.inexact);
            inexact.any(|one| one.reason == reason)
        };
        let reasons = REASONS.iter().filter(|reason| named(reason.name));
        let reasons = reasons
            .map(|reason| (reason.name, reason.meaning))
            .collect();
        Ok(Summary {
            seconds: wall.as_secs_f64(),
            dispatches: sum(|kernel| kernel.dispatches),
            wave_instructions: sum(|kernel| kernel.wave_instructions),
            lane_instructions: sum(|kernel| kernel.lane_instructions),
            kernels,
            reasons,
        })
    }

    /// The message if no kernel has this name, with the names that there are.
    pub fn without(&self, pattern: &str) -> Result<Option<String>> {
        let wanted = regex::Regex::new(pattern).context("-k")?;
        let mut names: Vec<&str> = self.kernels.iter().map(|one| &*one.kernel).collect();
        names.sort_unstable();
        names.dedup();
        let fits = |name: &&str| wanted.is_match(name);
        if names.is_empty() || names.iter().any(fits) {
            return Ok(None);
        }
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        Ok(Some(format!(
            "{pattern} fits no kernel; launched were {}",
            crate::chosen::list(&names)
        )))
    }

    /// A table for people.
    pub fn text(&self, colour: bool) -> String {
        let (bold, plain) = if colour {
            ("\x1b[1m", "\x1b[0m")
        } else {
            ("", "")
        };
        let mut text = format!(
            "\n{bold}luthier: {}, {}, {}, {}, {:.2} s{plain}\n",
            counted(self.kernels.len() as u64, "kernel"),
            counted(self.dispatches, "dispatch"),
            counted(self.wave_instructions, "wave instruction"),
            counted(self.lane_instructions, "lane instruction"),
            self.seconds,
        );
        if self.kernels.is_empty() {
            text += "  the program dispatched no kernel\n";
            return text;
        }
        text += &format!(
            "  {:>10} {:>12} {:>16} {:>18} {:>10}  kernel\n",
            "dispatches", "waves", "wave instr.", "lane instr.", "ms"
        );
        for kernel in &self.kernels {
            text += &format!(
                "  {:>10} {:>12} {:>16} {:>18} {:>10.2}  {}{}\n",
                grouped(kernel.dispatches),
                grouped(kernel.waves),
                grouped(kernel.wave_instructions),
                grouped(kernel.lane_instructions),
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
        for kernel in &self.kernels {
            for (class, (waves, lanes)) in &kernel.classes {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_add_up_over_kernels_and_processes() {
        let line = |kernel: &str, pid: u32, instructions: u64| {
            format!(
                "{{\"kernel\":\"{kernel}\",\"device\":\"gfx90a\",\"node\":1,\"pid\":{pid},\"kernel_object\":1,\
                 \"dispatches\":2,\"faults\":0,\"workgroups\":1,\"work_items\":64,\"nanoseconds\":5,\"waves\":1,\
                 \"wave_instructions\":{instructions},\"lane_instructions\":7,\"classes\":{{\"branch\":[1,2]}}}}   \n"
            )
        };
        let text = line("a", 1, 10) + &line("b", 2, 30);
        let summary = Summary::read(&text, Duration::from_secs(1)).unwrap();
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
            summary
                .text(false)
                .contains("branch                            2                  4")
        );
    }
}
