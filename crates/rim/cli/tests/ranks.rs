//! Ranks of one job: what they count and trace, together.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    process::{Command, Output, Stdio},
};

use crate::common::{
    compile, hip, luthier,
    schema::{check, schema},
};
use serde_json::Value;

/// Waves and lanes of one run of the program, of the tool `instr-count`.
const COUNTED: [&str; 3] = ["launches", "wave_instructions", "lane_instructions"];

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The only file in a directory that is named so.
fn one(directory: &Path, tool: &str) -> Value {
    let paths = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut found: Vec<_> = paths
        .filter(|path| {
            path.file_name()
                .unwrap()
                .to_string_lossy()
                .starts_with(tool)
        })
        .collect();
    assert_eq!(found.len(), 1, "{found:?}");
    json(&found.remove(0))
}

fn run(output: &Path) -> Command {
    let mut command = luthier(&[
        "run",
        "--device",
        "gfx90a",
        "-t",
        "instr-count,launch-log",
        "--output",
    ]);
    command.arg(output).arg("--").arg(hip("launch.hip"));
    command.env("LUTHIER_OBJECTS", "1");
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if ["OMPI_", "PMI_", "SLURM_"]
            .iter()
            .any(|of| name.starts_with(of))
        {
            command.env_remove(&*name);
        }
    }
    command
}

fn succeeded(output: &Output) {
    assert!(output.status.success(), "{output:?}");
}

/// Merges, and compares with as many runs of one process.
fn adds_up(job: &Path, alone: &Path, ranks: u64) {
    let folder = tempfile::tempdir().unwrap();
    let merged = folder.path().join("merged");
    let merge = || {
        let mut command = luthier(&["merge", "-o"]);
        command.arg(&merged).arg(job).output().unwrap()
    };
    let done = merge();
    succeeded(&done);
    assert!(
        String::from_utf8_lossy(&done.stderr)
            .contains("left out, as they are no counters: launch-log;")
    );
    let (sum, once) = (
        json(&merged.join("instr-count.0.json")),
        one(alone, "instr-count."),
    );
    let (sum, once) = (sum.as_array().unwrap(), once.as_array().unwrap());
    assert_eq!(sum.len(), once.len());
    for (sum, once) in sum.iter().zip(once) {
        assert_eq!(sum["kernel"], once["kernel"]);
        for name in COUNTED {
            assert!(once[name].as_u64().unwrap() > 0);
            assert_eq!(
                sum[name].as_u64(),
                Some(ranks * once[name].as_u64().unwrap()),
                "{name}"
            );
        }
    }
    let (sum, once) = (json(&merged.join("summary.0.json")), one(alone, "summary."));
    assert_eq!(
        sum["launches"].as_u64(),
        Some(ranks * once["launches"].as_u64().unwrap())
    );
    assert_eq!(
        sum["kernels"].as_array().unwrap().len(),
        once["kernels"].as_array().unwrap().len()
    );
    assert_eq!(sum["kernels"][0]["before"], once["kernels"][0]["before"]);
    let (sum, once) = (
        json(&merged.join("statistics.json")),
        json(&alone.join("statistics.json")),
    );
    for name in ["dispatches", "wave_instructions"] {
        assert_eq!(
            sum[name].as_u64(),
            Some(ranks * once[name].as_u64().unwrap()),
            "{name}"
        );
    }
    let objects = |of: &Path| -> BTreeSet<_> {
        let entries = fs::read_dir(of.join("objects")).unwrap();
        entries.map(|entry| entry.unwrap().file_name()).collect()
    };
    assert_eq!(objects(&merged), objects(alone));
    // A page of the sum, and one of all ranks.
    for directory in [&merged, &job.to_owned()] {
        let page = folder.path().join("page.html");
        succeeded(
            &luthier(&["report", "-o"])
                .arg(&page)
                .arg(directory)
                .output()
                .unwrap(),
        );
        let timeline = folder.path().join("timeline.json");
        let mut command = luthier(&["report", "-o"]);
        command
            .arg(&page)
            .arg("--timeline")
            .arg(&timeline)
            .arg(directory);
        let done = command.output().unwrap();
        assert_eq!(done.status.success(), directory == job, "{done:?}");
    }
    let timeline = fs::read_to_string(folder.path().join("timeline.json")).unwrap();
    for rank in 0..ranks {
        assert!(
            timeline.contains(&format!("rank {rank}, process ")),
            "{rank}"
        );
    }
    let again = merge();
    assert_eq!(again.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&again.stderr).contains("is not empty"));
}

#[test]
fn ranks_of_one_job_write_one_dataset() {
    let folder = tempfile::tempdir().unwrap();
    let [alone, job] = ["alone", "job"].map(|name| folder.path().join(name));
    succeeded(&run(&alone).output().unwrap());
    // `srun -n 2` starts it like this.
    for rank in ["0", "1"] {
        let mut command = run(&job);
        command
            .env("SLURM_PROCID", rank)
            .env("SLURM_STEP_NUM_TASKS", "2");
        succeeded(&command.output().unwrap());
        let said = json(&job.join(format!("rank={rank}/rank.json")));
        check(&schema("rank"), &said).unwrap();
        assert_eq!(
            (said["rank"].to_string(), said["ranks"].as_u64()),
            (rank.to_owned(), Some(2))
        );
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
        assert_eq!(said["host"].as_str(), Some(host.trim()));
    }
    let names: BTreeSet<_> = fs::read_dir(&job)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["rank=0", "rank=1"].map(Into::into).into());
    adds_up(&job, &alone, 2);
    // With a real `mpirun`, where there is one.
    if Command::new("mpirun").arg("--version").output().is_ok() {
        let job = folder.path().join("mpi");
        let command = run(&job);
        let mut mpirun = Command::new("mpirun");
        mpirun.args(["-n", "4", "--allow-run-as-root", "--oversubscribe"]);
        mpirun.arg(command.get_program()).args(command.get_args());
        mpirun.env("LUTHIER_OBJECTS", "1");
        succeeded(&mpirun.output().unwrap());
        adds_up(&job, &alone, 4);
    }
}

#[test]
fn pages_of_ranks_have_names_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = luthier(&["run", "--device", "gfx90a", "--report"]);
    command
        .arg(folder.path().join("page.html"))
        .arg("--")
        .arg(hip("launch.hip"));
    command.env("PMI_RANK", "1").env("PMI_SIZE", "3");
    succeeded(&command.output().unwrap());
    let names: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["page.1.html"]);
}

/// Debug information adds files and lines to what ready tools write.
#[test]
fn what_ready_tools_write_of_lines_is_added_up() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let program = compile(
        "hipcc",
        "launch.hip",
        &["-O1", "-g", "-w", "--offload-arch=gfx90a"],
    );
    let tools = "instr-count,bb-count,opcode-histogram,hotspots,mem-coalesce,lds-conflicts,branch-divergence";
    for job in ["one", "two"] {
        let mut command = luthier(&["run", "--device", "gfx90a", "-t", tools, "--output"]);
        command.arg(at(job)).arg("--").arg(&program);
        succeeded(&command.output().unwrap());
    }
    let mut merge = luthier(&["merge", "-o"]);
    merge.args([at("both"), at("one"), at("two")]);
    succeeded(&merge.output().unwrap());
    let sites = |name: &str| -> Vec<Value> {
        let rows = one(&at(name), "mem-coalesce.");
        let rows = rows.as_array().unwrap().iter();
        rows.flat_map(|row| row["sites"].as_array().unwrap().clone())
            .collect()
    };
    let (single, both) = (sites("one"), sites("both"));
    assert_eq!(single.len(), both.len());
    assert!(single.iter().all(|site| site["source"].is_array()));
    for (single, both) in single.iter().zip(&both) {
        assert_eq!(both["source"], single["source"]);
        let lanes = |site: &Value| site["lanes"].as_u64().unwrap();
        assert_eq!(lanes(both), 2 * lanes(single));
    }
}

#[test]
fn what_cannot_be_added_up_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("merged");
    let merge = |input: &Path| {
        let mut command = luthier(&["merge", "-o"]);
        let done = command.arg(&output).arg(input).output().unwrap();
        assert_eq!(done.status.code(), Some(2));
        String::from_utf8(done.stderr).unwrap()
    };
    assert!(merge(folder.path()).contains("has no counts of tools: luthier run -t TOOL --output"));
    assert!(merge(&folder.path().join("none")).contains("none"));
    fs::write(
        folder.path().join("mine.7.json"),
        r#"[{"kernel": "k", "share": 0.5}]"#,
    )
    .unwrap();
    let said = merge(folder.path());
    assert!(
        said.contains("mine.7.json") && said.contains("share is 0.5, which is no count"),
        "{said}"
    );
    // The same counts twice, by another name of the directory and from within another one.
    fs::write(
        folder.path().join("mine.7.json"),
        r#"[{"kernel": "k", "waves": 5}]"#,
    )
    .unwrap();
    fs::create_dir(folder.path().join("rank=0")).unwrap();
    let rank = folder.path().join("rank=0");
    fs::rename(folder.path().join("mine.7.json"), rank.join("mine.7.json")).unwrap();
    for again in [folder.path().join("rank=0/.."), rank] {
        for action in ["merge", "report"] {
            let mut command = luthier(&[action, "-o"]);
            command.arg(&output).arg(folder.path()).arg(&again);
            let done = command.output().unwrap();
            let said = String::from_utf8(done.stderr).unwrap();
            assert_eq!(done.status.code(), Some(2), "{said}");
            assert!(said.contains("would be counted twice"), "{said}");
        }
    }
    assert!(!output.exists());
    // If several commands write to one output at once, one of them gets it, and nothing of the others is left.
    let start = || {
        let mut command = luthier(&["merge", "-o"]);
        command.arg(&output).arg(folder.path());
        command.stderr(Stdio::null()).spawn().unwrap()
    };
    let started = [start(), start(), start()];
    let done = started.map(|mut child| child.wait().unwrap());
    assert_eq!(done.iter().filter(|status| status.success()).count(), 1);
    let files = fs::read_dir(folder.path()).unwrap();
    assert_eq!(files.count(), 2, "the rank and the merged directory");
}
