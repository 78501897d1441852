//! Totals that no counter holds are "more than", never a number that has wrapped; those that it holds are exact.

use crate::support::{compile, luthier_count, program, run, text};
use std::{ffi::OsStr, process::Command};

#[test]
fn totals_never_wrap() {
    let directory = tempfile::tempdir().unwrap();
    for (number, (ours, clang)) in [
        (&[][..], &["-O2"][..]),
        (&["--point", "last"], &["-O2"]),
        (&["--per", "function"], &["-O2"]),
        (&[], &["-O3", "-static"]),
    ]
    .iter()
    .enumerate()
    {
        let out = directory.path().join(format!("beyond{number}"));
        compile(&program("beyond.c"), ours, clang, &out);
        let how = format!("{ours:?} {clang:?}");
        let words = |which: &'static str, n: &'static str| {
            [out.as_os_str(), OsStr::new(which), OsStr::new(n)]
        };
        // (The optimiser leaves nothing of the loops that `--point last` could count.)
        let counts = !ours.contains(&"last");
        for (which, n) in [
            ("0", "6694329"),
            ("0", "1200000"),
            ("1", "9223372036854775807"),
            ("2", "2000000000"),
            ("3", "0"),
            ("4", "0"),
            ("5", "0"),
            ("6", "0"),
            ("7", "5"),
            ("7", "1000000000000"),
            ("9", "0"),
            ("10", "0"),
            ("11", "0"),
            ("12", "0"),
            ("15", "4611686018427387904"),
        ] {
            let done = run(&[], &words(which, n));
            assert_eq!(done.status, Some(0), "{how}");
            let more = &done.json["more_than"];
            assert_eq!(
                more.as_bool().unwrap_or(false),
                counts,
                "{how} {which} {n}: {}",
                done.total
            );
            if counts {
                assert_eq!(done.total, 1 << 62, "{how} {which} {n}");
                assert_eq!(done.json["processes"][0]["more_than"], true);
                assert!(done.json["processes"][0]["functions"].is_null(), "{how}");
                assert_eq!(done.json["processes"][0]["threads"][0]["more_than"], true);
            }
        }
        // 2^10 times 2^40 rounds of 12 instructions each (3 of the condition, 5 of the body, 4 of the step), and what the outer ones cost.
        let done = run(&[], &words("8", "0"));
        assert!(done.json["more_than"].is_null(), "{how}");
        let rounds = 12u64 << 50;
        assert_eq!(
            done.total / rounds,
            u64::from(counts),
            "{how}: {}",
            done.total
        );
        assert!(done.total % rounds < 1 << 20, "{how}: {}", done.total);
        // A constant that fits costs as many rounds as the same number that is read; a constant on a way not taken costs nothing.
        let of = |which, n| {
            let done = run(&[], &words(which, n));
            assert!(done.json["more_than"].is_null(), "{how} {which} {n}");
            done.total
        };
        let read = of("15", "1125899906842624");
        assert!(of("13", "0").abs_diff(read) < 1 << 20, "{how}: {read}");
        assert!(read >= u64::from(counts) << 52, "{how}: {read}");
        assert!(of("14", "0") < 1 << 20, "{how}");
        // The cost of a round from small numbers, by which large ones are checked.
        for (which, power, small, large) in [
            ("0", 3, 100u64, 500_000u64),
            ("1", 1, 1000, 300_000_000_000_000_000),
            ("2", 3, 100, 500_000),
        ] {
            let total = |n: u64| {
                let n = n.to_string();
                let words = [out.as_os_str(), OsStr::new(which), OsStr::new(&n)];
                let done = run(&[], &words);
                assert!(done.json["more_than"].is_null(), "{how} {which} {n}");
                u128::from(done.total)
            };
            // A polynomial of this degree is known by as many differences.
            let values: Vec<i128> = (0..=power)
                .map(|i| total(small + i as u64) as i128)
                .collect();
            let expected = extrapolated(&values, i128::from(large - small));
            assert_eq!(total(large) as i128, expected, "{how} {which}");
        }
        let output = Command::new(luthier_count().get_program())
            .args(["run", "--"])
            .args(words("0", "6694329"))
            .output();
        let said = text(&output.unwrap().stderr);
        assert_eq!(
            said.contains("more than 4 611 686 018 427 387 904  total"),
            counts,
            "{how}: {said}"
        );
    }
}

/// The value at `x` of the polynomial that has these values at 0, 1, 2...: Newton's forward differences.
fn extrapolated(values: &[i128], x: i128) -> i128 {
    let mut differences = values.to_vec();
    let (mut sum, mut binomial) = (0, 1i128);
    for k in 0..values.len() {
        sum += binomial * differences[0];
        binomial = binomial * (x - k as i128) / (k as i128 + 1);
        differences = differences
            .windows(2)
            .map(|pair| pair[1] - pair[0])
            .collect();
    }
    sum
}
