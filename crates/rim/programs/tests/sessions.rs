//! A process that starts HSA several times: what every session collected is kept, and everything that reads it takes all of it.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::stock::{DEVICE, Scene, said};
use parquet::file::reader::{FileReader, SerializedFileReader};
use programs::Bounded;
use serde_json::Value;

/// One lane's load and store in each launch.
const KERNEL: &str = "
kernel void bump(global unsigned *counts) {
  counts[__builtin_amdgcn_workitem_id_x()] += 1;
}
";
/// Launches of the sessions of one process; before the last one the program starts itself anew.
const LAUNCHES: [u64; 3] = [3, 5, 2];

fn compile(compiler: &str, arguments: &[&str], output: &Path) {
    let mut command = Command::new(compiler);
    let compiled = command.args(arguments).arg("-o").arg(output);
    let compiled = compiled.output().unwrap();
    let said = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{said}");
}

/// The program with its kernel, and what is before `--` for it.
fn scene() -> Option<(Scene, Vec<String>)> {
    let mut scene = Scene::new()?;
    let (source, object) = (scene.path("bump.cl"), scene.path("bump.co"));
    fs::write(&source, KERNEL).unwrap();
    let target = format!("-mcpu={DEVICE}");
    let flags = [
        "--target=amdgcn-amd-amdhsa",
        &target,
        "-mcode-object-version=4",
        "-nogpulib",
        "-O1",
    ];
    compile(
        "clang-22",
        &[&flags[..], &[source.to_str().unwrap()]].concat(),
        &object,
    );
    scene.application = scene.path("sessions");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sessions/sessions.c");
    let flags = [source, "-O1", "-w", "-lhsa-runtime64"];
    compile("gcc", &flags, &scene.application);
    let [first, second, last] = LAUNCHES.map(|count| count.to_string());
    let object = object.to_str().unwrap().to_owned();
    Some((scene, vec![object, first, second, "exec".to_owned(), last]))
}

fn run(scene: &Scene, options: &[&str], arguments: &[String]) -> (String, String) {
    let mut command = scene.emulator.command();
    command
        .args(["run", "--device", DEVICE])
        .args(options)
        .arg("--")
        .arg(&scene.application)
        .args(arguments)
        .env("LUTHIER_CACHE", "off");
    let (stdout, stderr) = said(&command.bounded_output().unwrap());
    let expected = LAUNCHES.map(|count| format!("{count} launches, 64 of 64 lanes right\n"));
    assert_eq!(stdout, expected.concat(), "{stderr}");
    (stdout, stderr)
}

/// Files by the number of their session, of one process: `BEGIN` and `END` around that.
fn files(directory: &Path, begin: &str, end: &str) -> Vec<PathBuf> {
    let mut found = BTreeMap::new();
    let mut processes = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let by = name
            .strip_prefix(begin)
            .and_then(|name| name.strip_suffix(end));
        let Some(by) = by else { continue };
        let (process, session) = by.split_once('-').unwrap_or((by, "1"));
        let (Ok(process), Ok(session)) = (process.parse::<u32>(), session.parse::<u32>()) else {
            continue;
        };
        processes.push(process);
        found.insert(session, path);
    }
    processes.dedup();
    assert_eq!(processes.len(), 1, "{found:?}");
    let sessions: Vec<_> = found.keys().copied().collect();
    assert_eq!(sessions, [1, 2, 3], "{begin}PID{end}: {found:?}");
    found.into_values().collect()
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn every_session_of_a_process_leaves_its_results() {
    let Some((scene, arguments)) = scene() else {
        return;
    };
    let (output, page) = (scene.path("output"), scene.path("timeline.json"));
    let tools = ["instr-count", "mem-trace", "launch-log"];
    let mut options: Vec<&str> = tools.iter().flat_map(|tool| ["-t", tool]).collect();
    options.extend(["--output", output.to_str().unwrap()]);
    options.extend(["--timeline", page.to_str().unwrap()]);
    let (_, stderr) = run(&scene, &options, &arguments);
    for (number, path) in files(&output, "summary.", ".json").iter().enumerate() {
        let summary = json(path);
        assert_eq!(summary["session"], number as u64 + 1, "{summary}");
        assert_eq!(summary["launches"], LAUNCHES[number], "{summary}");
        if number > 0 {
            let session = format!("(session {} of process ", number + 1);
            assert!(stderr.contains(&session), "{stderr}");
        }
    }
    for (number, path) in files(&output, "launch-log.", ".json").iter().enumerate() {
        let launches = json(path).as_array().unwrap().len() as u64;
        assert_eq!(launches, LAUNCHES[number], "{}", path.display());
    }
    for (number, path) in files(&output, "launch-log.trace.", ".json")
        .iter()
        .enumerate()
    {
        let events = json(path);
        let ran = events.as_array().unwrap().iter();
        let ran = ran.filter(|event| event["name"] == "bump").count() as u64;
        assert_eq!(ran, LAUNCHES[number], "{events:#}");
    }
    // A load and a store of each of 64 lanes.
    for (number, path) in files(&output, "mem-trace.", ".parquet").iter().enumerate() {
        let reader = SerializedFileReader::new(fs::File::open(path).unwrap()).unwrap();
        let rows = reader.metadata().file_metadata().num_rows() as u64;
        assert_eq!(rows, LAUNCHES[number] * 128, "{}", path.display());
    }
    // The same launch in every session: counts are as launches.
    let counts = files(&output, "instr-count.", ".json");
    let counts: Vec<u64> = counts.iter().map(|path| total(&json(path))).collect();
    let each = counts[0] / LAUNCHES[0];
    assert!(each > 0);
    assert_eq!(counts, LAUNCHES.map(|launches| launches * each));
    // The emulated GPU's own counts are of all.
    let statistics = json(&output.join("statistics.json"));
    let kernels = statistics["kernels"].as_array().unwrap().iter();
    let ours = kernels.filter(|kernel| kernel["kernel"] == "bump");
    let dispatches = ours.map(|kernel| kernel["dispatches"].as_u64().unwrap());
    assert_eq!(dispatches.sum::<u64>(), LAUNCHES.iter().sum::<u64>());
    // (What Perfetto shows is of all sessions, each with rows of its own.)
    let shown = fs::read_to_string(&page).unwrap();
    assert_eq!(shown.matches("\"name\":\"bump\"").count() as u64, 10);
    for session in ["(session 2)", "(session 3)"] {
        assert!(shown.contains(session), "{shown}");
    }
}

/// Runs with `instr-count` and a tool before it, which refuses to copy; what `instr-count` counted, and standard error.
fn refused(scene: &mut Scene, arguments: &[String], setting: &str) -> (Vec<u64>, String) {
    let refusing = scene.path("refusing.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sessions/refusing.cpp");
    // (The runtime unloads tools while `hsa_shut_down` has not returned.)
    let flags = [source, "-O1", "-shared", "-fPIC", "-Wl,-z,nodelete"];
    compile("g++", &flags, &refusing);
    let ours = scene.emulator.library("libluthier_intercept.so");
    let program = std::mem::replace(&mut scene.application, "/usr/bin/env".into());
    let output = scene.path("output");
    let mut words = vec![
        format!("HSA_TOOLS_LIB={} {}", refusing.display(), ours.display()),
        setting.to_owned(),
        program.display().to_string(),
    ];
    words.extend_from_slice(arguments);
    let options = ["-t", "instr-count", "--output", output.to_str().unwrap()];
    let (_, stderr) = run(scene, &options, &words);
    let counts = files(&output, "instr-count.", ".json");
    (
        counts.iter().map(|path| total(&json(path))).collect(),
        stderr,
    )
}

/// From 7.2 on ROCr copies nothing any more when it tells tools that it ends.
#[test]
fn what_was_counted_is_read_before_hsa_refuses_to_copy() {
    let Some((mut scene, arguments)) = scene() else {
        return;
    };
    let (counts, stderr) = refused(&mut scene, &arguments, "REFUSE=at-the-end");
    let each = counts[0] / LAUNCHES[0];
    assert!(each > 0, "{stderr}");
    assert_eq!(counts, LAUNCHES.map(|launches| launches * each));
    assert!(!stderr.contains("missing"), "{stderr}");
}

/// Counts that cannot be read are no zeros.
#[test]
fn counts_that_cannot_be_read_are_said_to_be_missing() {
    let Some((mut scene, arguments)) = scene() else {
        return;
    };
    let (_, stderr) = refused(&mut scene, &arguments, "REFUSE_READS=1");
    let missing = "what was counted in bump is missing: the runtime has been shut down\n";
    assert_eq!(stderr.matches(missing).count(), LAUNCHES.len(), "{stderr}");
    let row = stderr
        .lines()
        .find(|line| line.trim_end().ends_with("  bump"));
    assert_eq!(row, None, "{stderr}");
}

/// Wave instructions of all kernels.
fn total(value: &Value) -> u64 {
    match value {
        Value::Array(values) => values.iter().map(total).sum(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| match value.as_u64() {
                Some(number) if name == "wave_instructions" => number,
                _ => total(value),
            })
            .sum(),
        _ => 0,
    }
}

/// A program in the place of another one has recordings of its own, too; each records the first launch of a kernel.
#[test]
fn every_program_of_a_process_is_recorded() {
    let Some((scene, arguments)) = scene() else {
        return;
    };
    let recorded = scene.path("recorded");
    let directory = recorded.to_str().unwrap();
    run(&scene, &["--record", directory], &arguments);
    assert_eq!(fs::read_dir(&recorded).unwrap().count(), 2);
}
