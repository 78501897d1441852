//! Programs with a budget stop at the first check at which it is used up, to the unit. The programs are random, are built in every way in
//! which checks can be placed, and contain everything that may happen between two checks.

use crate::support::{compile, must, program, random, text};
use std::process::Command;

/// Code behind the random functions: a jump or a throw across frames, a library that calls back.
const LEAVES: &str = r#"
#include <setjmp.h>
#include <stdlib.h>
#ifdef __cplusplus
#define AWAY throw depth
#define WHERE_TO(CALL) try { CALL; } catch (unsigned caught) { data[7] += caught; }
#define SHARED extern "C"
#else
static _Thread_local jmp_buf away;
#define AWAY longjmp(away, 1)
#define WHERE_TO(CALL) if (setjmp(away) == 0) CALL
#define SHARED
#endif
__attribute__((noinline)) static void leave(unsigned depth, unsigned a) {
  data[depth & 63] += a;
  if (depth == 0)
    AWAY;
  for (unsigned i = 0; i < (a & 3); i++)
    data[i] ^= f1(a, i);
  leave(depth - 1, a >> 1);
  data[0]++;
}
static int order(const void *first, const void *second) {
  unsigned a = *(const unsigned *)first & 255, b = *(const unsigned *)second & 255;
  if (a % 3 == 0)
    data[a & 63] ^= f3(a, b);
  return (a > b) - (a < b);
}
SHARED void reset(void) {
  memset(data, 0, sizeof data);
  fuel = 0;
}
SHARED unsigned work(void) {
"#;

const BEHIND: &str = r#"
  unsigned values[16];
  for (unsigned i = 0; i < 16; i++)
    values[i] = sum >> i;
  qsort(values, 16, sizeof *values, order);
  fuel = 20;
  for (unsigned i = 0; i < 3; i++) {
    WHERE_TO(leave(sum % 9 + i, values[i]));
  }
  return sum ^ data[5];
}
"#;

/// Options, the back end's arguments.
#[rustfmt::skip]
const ROWS: &[(&[&str], &[&str])] = &[
    (&["--budget"],                                        &["-O2"]),
    (&["--budget"],                                        &["-O1"]),
    (&["--budget"],                                        &["-O0"]),
    (&["--budget"],                                        &["-O2", "-fPIC"]),
    (&["--budget", "--placement", "segment"],              &["-O2"]),
    (&["--throw"],                                         &["-O2"]),
    (&["--budget", "--per", "function"],                   &["-O2"]),
    (&["--budget", "--point", "last"],                     &["-O2"]),
    (&["--budget", "--point", "last"],                     &["-O3", "-fPIC"]),
];

#[test]
fn every_budget_ends_at_the_first_check_behind_it() {
    let programs = match std::env::var_os("LUTHIER_TEST_LARGE") {
        Some(_) => 40,
        None => 2,
    };
    let directory = tempfile::tempdir().unwrap();
    let harness = directory.path().join("stops.o");
    must(
        Command::new("clang-22")
            .args(["-O1", "-c"])
            .arg(program("stops.c"))
            .arg(concat!(
                "-I",
                env!("CARGO_MANIFEST_DIR"),
                "/../host-count-rt/include"
            ))
            .arg("-o")
            .arg(&harness),
    );
    for seed in 1..=programs {
        for language in ["c", "cpp"] {
            let source = directory.path().join(format!("work.{language}"));
            let functions = random::functions(seed).replace(
                "static unsigned fuel, data[64];",
                "static _Thread_local unsigned fuel, data[64];",
            );
            let whole = functions + LEAVES + &random::calls() + BEHIND;
            std::fs::write(&source, &whole).unwrap();
            for (ours, clang) in ROWS {
                let out = directory.path().join("stops");
                let mut clang = clang.to_vec();
                clang.extend(["-w", "-D_Thread_local=__thread", harness.to_str().unwrap()]);
                compile(&source, ours, &clang, &out);
                let output = Command::new(&out).output().unwrap();
                let how = format!("seed {seed}, {language}, {ours:?} {clang:?}");
                let printed = text(&output.stdout);
                let numbers: Vec<u64> = printed
                    .split_whitespace()
                    .filter_map(|n| n.parse().ok())
                    .collect();
                let &[total, checks, runs, _, wrong] = &numbers[..] else {
                    panic!("{how}: {printed}{}", text(&output.stderr));
                };
                assert!(
                    total > 1000 && checks > 50 && runs >= 60,
                    "{how}: {printed}"
                );
                assert_eq!(
                    wrong,
                    0,
                    "{how}: {printed}{}\n{whole}",
                    text(&output.stderr)
                );
            }
        }
    }
}
