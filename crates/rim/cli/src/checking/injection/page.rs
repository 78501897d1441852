//! Results for people and for programs.

use anyhow::Result;

use super::{
    super::{Form, destination::Destination},
    results::{File, Outcome, Part},
};
use crate::summary::counted;

/// The name of the results in a directory.
pub fn usual(form: Form) -> &'static str {
    match form {
        Form::Json => "inject.json",
        _ => "inject.txt",
    }
}

/// Prints the results, or writes them to a file.
pub fn write(file: &File, form: Form, destination: Option<Destination>) -> Result<()> {
    let text = match form {
        Form::Json => serde_json::to_string_pretty(file)? + "\n",
        _ => text(file),
    };
    match destination {
        None => command::print_output(format_args!("{text}")),
        Some(destination) => destination.write(&text)?,
    }
    Ok(())
}

/// Rows that people read; the file has all.
const ROWS: usize = 20;

/// The shares of the outcomes by class or line.
fn table(heading: &str, parts: &[Part]) -> String {
    const SHOWN: [(Outcome, &str); 4] = [
        (Outcome::Masked, "masked"),
        (Outcome::OutputDiffers, "differs"),
        (Outcome::Detected, "detected"),
        (Outcome::Hang, "hang"),
    ];
    if parts.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{:>8}", "runs");
    for (_, name) in SHOWN {
        text += &format!("{name:>11}");
    }
    text += &format!("   {heading}\n");
    for part in &parts[..parts.len().min(ROWS)] {
        text += &format!("{:>8}", part.runs);
        for (outcome, _) in SHOWN {
            let of = part.outcomes.iter().find(|share| share.outcome == outcome);
            let share = of.map_or(0.0, |share| share.share);
            text += &format!("{:>9.1} %", 100.0 * share);
        }
        let name = part.name.as_deref().unwrap_or("(no line is known)");
        text += &format!("   {name}\n");
    }
    if let Some(more @ 1..) = parts.len().checked_sub(ROWS) {
        text += &format!("{:>8} more: --format json has all\n", more);
    }
    text
}

pub fn text(file: &File) -> String {
    let campaign = &file.campaign;
    let mut text = format!(
        "{} on {}, seed {}: {} of {} runs, {} in {}\n",
        campaign.inject,
        campaign.device,
        campaign.seed,
        file.runs.len(),
        file.wanted,
        counted(campaign.places, "place"),
        counted(campaign.launches, "launch")
    );
    text += &format!(
        "{:<16}{:>8}{:>9}   95 % interval\n",
        "outcome", "runs", "share"
    );
    for one in &file.outcomes {
        if one.outcome == Outcome::NotReached && one.runs == 0 {
            continue;
        }
        text += &format!(
            "{:<16}{:>8}{:>7.1} %   {:.1} % to {:.1} %\n",
            one.outcome.name(),
            one.runs,
            100.0 * one.share,
            100.0 * one.low,
            100.0 * one.high
        );
    }
    text += &table("class", &file.classes);
    if file.lines.iter().any(|line| line.name.is_some()) {
        text += &table("source line", &file.lines);
    }
    if !campaign.not_looked_at.is_empty() {
        text += &format!("not looked at: {}\n", campaign.not_looked_at.join(", "));
    }
    let missing = file.wanted.saturating_sub(file.runs.len() as u64);
    if missing > 0 {
        text += &format!("not run: {missing}\n");
    }
    text
}
