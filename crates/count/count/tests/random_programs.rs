//! Random C programs: however additions are placed and moved, and whether or not checks stand between them, they count the
//! same. The reference pays for every stretch at once and is hardly optimised.
//!
//! Few programs by default; `LUTHIER_TEST_LARGE=1` tries many. A failure names the seed and keeps the source in its message.

use crate::support::{Run, compile, random, run};

fn source(seed: u64) -> String {
    let (functions, calls) = (random::functions(seed), random::calls());
    format!("{functions}int main(void) {{\n{calls}  printf(\"%u\\n\", sum);\n}}\n")
}

/// Options, and the back end's level. The first row is the reference of the others.
type Row = (&'static [&'static str], &'static str);

#[rustfmt::skip]
const AT_START: &[Row] = &[
    (&["--placement", "segment"],     "-O1"),
    (&[],                             "-O2"),
    (&[],                             "-O3"),
    (&["--budget"],                   "-O1"),
    (&["--budget"],                   "-O2"),
    (&["--budget"],                   "-O3"),
    (&["--throw"],                    "-O2"),
    (&["--budget", "--per", "function"], "-O2"),
];

/// Behind the optimiser, the level decides what there is to count.
#[rustfmt::skip]
const AT_END: &[Row] = &[
    (&["--point", "last", "--placement", "segment"],      "-O2"),
    (&["--point", "last"],                                "-O2"),
    (&["--point", "last", "--budget"],                    "-O2"),
    (&["--point", "last", "--per", "function"],           "-O2"),
    (&["--point", "last", "--budget", "--per", "line"],   "-O2"),
];

#[test]
fn random_programs_count_the_same_however_they_are_built() {
    let programs = match std::env::var_os("LUTHIER_TEST_LARGE") {
        Some(_) => 150,
        None => 3,
    };
    for seed in 1..=programs {
        let directory = tempfile::tempdir().unwrap();
        let (path, out) = (
            directory.path().join("random.c"),
            directory.path().join("random"),
        );
        let text = source(seed);
        std::fs::write(&path, &text).unwrap();
        for rows in [AT_START, AT_END] {
            let mut reference: Option<Run> = None;
            for (ours, level) in rows {
                compile(&path, ours, &[level, "-w"], &out);
                let this = run(&[], &[out.as_os_str()]);
                let Some(known) = &reference else {
                    assert!(this.total > 100, "seed {seed} does next to nothing");
                    reference = Some(this);
                    continue;
                };
                assert_eq!(
                    (this.total, &this.stdout, this.status),
                    (known.total, &known.stdout, known.status),
                    "seed {seed}: {ours:?} {level}\n{text}"
                );
                if ours.contains(&"--budget") {
                    let budget = this.total / 2 + seed;
                    let stopped = run(&["--budget", &budget.to_string()], &[out.as_os_str()]);
                    let over = stopped.total.checked_sub(budget);
                    assert!(
                        stopped.status == Some(124) && over.is_some_and(|over| over < 20_000),
                        "seed {seed}: {ours:?} {level}: {over:?} over\n{text}"
                    );
                }
            }
        }
    }
}
