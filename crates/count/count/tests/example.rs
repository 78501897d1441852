//! The bot match of `examples/`: two bots, one over budget, the same result on every run.

use crate::support::{must, text, tools};
use std::path::Path;
use std::process::Command;

#[test]
fn the_bot_match_ends_the_same_every_time() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/bot-match/run.sh");
    let output = text(&must(Command::new(script).arg(tools().join("luthier-count"))).stdout);
    let rows: Vec<Vec<&str>> = output
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows.len(), 2, "{output}");
    let late = |row: &[&str]| row[3].parse::<u32>().unwrap();
    assert_eq!(
        (rows[0][0], late(&rows[0])),
        ("nearest_coin", 0),
        "{output}"
    );
    assert!(
        rows[1][0] == "deep_thinker" && late(&rows[1]) > 40,
        "{output}"
    );
    // 60 turns of 100 000 units, of which the last of each thought may be cut short, and each may be overrun a little.
    let units: u64 = rows[1][7].parse().unwrap();
    assert!((5_000_000..6_010_000).contains(&units), "{output}");
}
