//! The order of a suite's programs and tests: with another seed, other ones are left when time is over.

use anyhow::{Result, ensure};

use super::suites::{Kind, Suite};

/// Seeds that GoogleTest takes.
const SEEDS: std::ops::RangeInclusive<u32> = 1..=99_999;

/// The value of `--seed`.
pub fn seed(text: &str) -> Result<u32> {
    let seed = text.parse().unwrap_or(0);
    let (first, last) = (SEEDS.start(), SEEDS.end());
    ensure!(
        SEEDS.contains(&seed),
        "--seed {text}: a number from {first} to {last}"
    );
    Ok(seed)
}

/// Complains of a seed for what has no other order.
pub fn fits(seed: Option<u32>, suites: &[&Suite]) -> Result<()> {
    if seed.is_none() {
        return Ok(());
    }
    ensure!(!suites.is_empty(), "--seed goes with --suite");
    for suite in suites {
        let has = match suite.kind {
            Kind::GoogleTest { .. } | Kind::Compiled(_) => true,
            Kind::Built(_) | Kind::UnitTests { .. } => true,
            Kind::Operators | Kind::Completion | Kind::Onnx | Kind::Python(_) => false,
        };
        ensure!(has, "--seed: {} runs in one order only", suite.name);
    }
    Ok(())
}

/// Puts files into the order of that seed, if there is one.
pub fn arrange(files: &mut [String], seed: Option<u32>) {
    if let Some(seed) = seed {
        files.sort_by_cached_key(|file| place(file, seed));
    }
}

/// A number that stands for the name of a file and the seed, the same everywhere: FNV-1a, and the last steps of MurmurHash3, which
/// spread each bit of the seed.
fn place(file: &str, seed: u32) -> u64 {
    let name = file.rsplit('/').next().unwrap_or(file);
    let bytes = name.bytes().chain(seed.to_le_bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

/// The options of GoogleTest for the order of that seed.
pub fn of_tests(seed: Option<u32>) -> Vec<String> {
    let options = |seed| {
        vec![
            "--gtest_shuffle".to_owned(),
            format!("--gtest_random_seed={seed}"),
        ]
    };
    seed.map_or_else(Vec::new, options)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Programs, of which a time limit lets the first three run.
    fn programs() -> Vec<String> {
        (0..40).map(|k| format!("/usr/test_{k:02}")).collect()
    }

    fn first_three(seed: u32) -> Vec<String> {
        let mut files = programs();
        arrange(&mut files, Some(seed));
        files.truncate(3);
        files
    }

    #[test]
    fn without_a_seed_the_order_stays() {
        let mut files = programs();
        arrange(&mut files, None);
        assert_eq!(files, programs());
        assert!(of_tests(None).is_empty());
    }

    #[test]
    fn a_seed_has_one_order_of_all() {
        let mut files = programs();
        arrange(&mut files, Some(7));
        assert_ne!(files, programs());
        assert_eq!(files[..3], first_three(7));
        files.sort();
        assert_eq!(files, programs());
    }

    #[test]
    fn seeds_leave_no_program_out_for_ever() {
        let mut seen = BTreeSet::new();
        for seed in 1..=100 {
            seen.extend(first_three(seed));
        }
        assert_eq!(seen.len(), programs().len());
    }
}
