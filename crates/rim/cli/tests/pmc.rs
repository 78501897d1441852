//! `luthier run --pmc` and what `--stats` says of exactness, against counts by hand and against what an instrumented kernel counts.

use std::{collections::BTreeMap, fs, process::Output};

use serde_json::Value;

use crate::common::{hip, luthier};

fn run(options: &[&str]) -> Output {
    let mut command = luthier(&["run", "--device", "gfx90a"]);
    command.args(options).arg("--").arg(hip("counters.hip"));
    command.output().unwrap()
}

/// Counters of `counters.hip`, as printed.
fn counters(names: &[&str]) -> BTreeMap<String, u64> {
    let output = run(&["--pmc", &names.join(",")]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("luthier: counters of counted\n"), "{said}");
    let rows = said.lines().filter(|line| line.starts_with("  "));
    let rows = rows.map(|line| {
        let line = line.trim_start();
        let (name, rest) = line.split_once(' ').unwrap();
        let (count, _) = rest.trim_start().split_once("  ").unwrap();
        (name.to_owned(), count.replace(' ', "").parse().unwrap())
    });
    rows.collect()
}

/// Two workgroups of 100 work-items make two waves of 64 and two of 36; each executes what the source says.
#[test]
fn counters_are_those_of_the_source() {
    const WAVES: u64 = 4;
    let expected: BTreeMap<&str, u64> = [
        ("SQ_WAVES", WAVES),
        ("SQ_WAVES_EQ_64", 2),
        ("SQ_WAVES_LT_64", 2),
        ("SQ_WAVES_LT_48", 2),
        ("SQ_WAVES_LT_32", 0),
        ("SQ_ITEMS", 200),
        ("SQ_INSTS_VALU_MUL_F32", 2 * WAVES),
        ("SQ_INSTS_VALU_FMA_F32", 2 * WAVES),
        ("SQ_INSTS_VALU_TRANS_F32", 4 * WAVES),
        ("SQ_INSTS_VALU_CVT", 2 * WAVES),
        ("SQ_INSTS_VALU_ADD_F16", 2 * WAVES),
        ("SQ_INSTS_VALU_MUL_F16", 2 * WAVES),
        ("SQ_INSTS_VALU_FMA_F16", 2 * WAVES),
        ("SQ_INSTS_VALU_TRANS_F16", 2 * WAVES),
        ("SQ_INSTS_VALU_ADD_F64", WAVES),
        ("SQ_INSTS_VALU_MUL_F64", WAVES),
        ("SQ_INSTS_VALU_FMA_F64", WAVES),
        ("SQ_INSTS_VALU_TRANS_F64", WAVES),
        ("SQ_INSTS_MFMA", 0),
        ("TA_FLAT_ATOMIC_WAVEFRONTS", 2 * WAVES),
        ("TA_BUFFER_WAVEFRONTS", 0),
    ]
    .into();
    let names: Vec<&str> = expected.keys().copied().collect();
    let found = counters(&names);
    let found: BTreeMap<&str, u64> = found
        .iter()
        .map(|(name, count)| (&**name, *count))
        .collect();
    assert_eq!(found, expected);
    // Two additions and two subtractions, and five of the loop.
    assert_eq!(
        counters(&["SQ_INSTS_VALU_ADD_F32"])["SQ_INSTS_VALU_ADD_F32"],
        9 * WAVES
    );
}

/// The kernel counts its own opcodes, and here they are sorted by their names alone.
#[test]
fn counters_are_those_that_an_instrumented_kernel_counts() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(&[
        "-t",
        "opcode-histogram",
        "--output",
        folder.path().to_str().unwrap(),
    ]);
    assert!(output.status.success(), "{output:?}");
    let file = fs::read_dir(folder.path()).unwrap().find_map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_name()?.to_str()?.to_owned();
        name.starts_with("opcode-histogram.").then_some(path)
    });
    let rows: Value = serde_json::from_slice(&fs::read(file.unwrap()).unwrap()).unwrap();
    let row = rows
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["kernel"] == "counted");
    let opcodes = row.unwrap()["opcodes"].as_object().unwrap();
    let sum = |holds: &dyn Fn(&str) -> bool| -> u64 {
        let fitting = opcodes.iter().filter(|(name, _)| holds(name));
        fitting
            .map(|(_, count)| count.as_u64().or(count[0].as_u64()).unwrap())
            .sum()
    };
    let is = |name: &str, begins: &[&str]| begins.iter().any(|begin| name.starts_with(begin));
    const NOT_COMPUTED: [&str; 8] = [
        "s_load",
        "s_branch",
        "s_cbranch",
        "s_waitcnt",
        "s_nop",
        "s_barrier",
        "s_endpgm",
        "s_memtime",
    ];
    let expected = [
        ("SQ_INSTS", sum(&|_| true)),
        ("SQ_INSTS_VALU", sum(&|name| is(name, &["v_"]))),
        (
            "SQ_INSTS_SALU",
            sum(&|name| is(name, &["s_"]) && !is(name, &NOT_COMPUTED)),
        ),
        ("SQ_INSTS_SMEM", sum(&|name| is(name, &["s_load"]))),
        ("SQ_INSTS_LDS", sum(&|name| is(name, &["ds_"]))),
        (
            "SQ_INSTS_BRANCH",
            sum(&|name| is(name, &["s_branch", "s_cbranch"])),
        ),
        ("SQ_INSTS_SENDMSG", sum(&|name| name == "s_endpgm")),
        (
            "SQ_INSTS_VMEM",
            sum(&|name| is(name, &["global_", "flat_", "buffer_"])),
        ),
        (
            "TA_FLAT_READ_WAVEFRONTS",
            sum(&|name| is(name, &["global_load"])),
        ),
        (
            "TA_FLAT_WRITE_WAVEFRONTS",
            sum(&|name| is(name, &["global_store"])),
        ),
    ];
    let names: Vec<&str> = expected.iter().map(|(name, _)| *name).collect();
    let found = counters(&names);
    for (name, count) in expected {
        assert!(count > 0, "{name}: {rows}");
        assert_eq!(found[name], count, "{name}: {rows}");
    }
    let both = counters(&["SQ_INSTS_VMEM_RD", "SQ_INSTS_VMEM_WR"]);
    assert_eq!(both.values().sum::<u64>(), found["SQ_INSTS_VMEM"]);
}

#[test]
fn what_needs_time_is_refused_before_the_program_runs() {
    for (name, part) in [
        ("GRBM_GUI_ACTIVE", "cycles"),
        ("TCC_HIT_sum", "L2 cache"),
        ("SQ_WAVE", "did you mean `SQ_WAVES`?"),
    ] {
        let output = luthier(&["run", "--device", "gfx90a", "--pmc", name, "--", "/no/such"])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success());
        assert!(said.contains(part) && said.lines().count() == 1, "{said}");
    }
}

#[test]
fn inexact_instructions_are_named_with_their_kernel_and_counted() {
    let output = run(&["--stats"]);
    let said = String::from_utf8_lossy(&output.stderr);
    let (_, exactness) = said.split_once("  exactness: ").unwrap();
    // Two each of rcp and exp of f32 and of sqrt of f16, one rcp of f64, by four waves.
    assert!(exactness.starts_with("28 of "), "{said}");
    let row = exactness
        .lines()
        .find(|line| line.starts_with("      counted: "))
        .unwrap();
    for part in ["v_rcp_f32 8", "v_exp_f32 8", "v_sqrt_f16 8", "v_rcp_f64 4"] {
        assert!(row.contains(part), "{said}");
    }
    let exact = luthier(&["run", "--device", "gfx90a", "--stats", "--"])
        .arg(hip("launch.hip"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&exact.stderr);
    assert!(
        said.contains("every executed instruction is one whose result is specified"),
        "{said}"
    );
}
