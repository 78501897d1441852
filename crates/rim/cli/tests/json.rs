//! The JSON output of commands has the form that docs/schemas describes.

use std::{collections::BTreeSet, fs, path::Path};

use crate::common::{
    code_object, compile, hip, luthier,
    schema::{check, schema},
};
use serde_json::{Value, json};

const CLANG: [&str; 4] = ["-target", "amdgcn-amd-amdhsa", "-mcpu=gfx90a", "-nogpulib"];

/// Standard output of a command, whatever its status.
fn printed(arguments: &[&str]) -> Value {
    let output = luthier(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{arguments:?}: {error}: {said}"))
}

fn fits(name: &str, value: &Value) {
    check(&schema(name), value).unwrap_or_else(|places| panic!("{name}: {places:#?}"));
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn listings() {
    fits("doctor", &printed(&["doctor", "--format", "json"]));
    let tools = printed(&["tool", "list", "--format", "json"]);
    fits("tool-list", &tools);
    assert!(tools.as_array().unwrap().len() > 5);
    for tool in tools.as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        let info = printed(&["tool", "info", name, "--format", "json"]);
        fits("tool-info", &info);
        assert_eq!(info["name"], name);
        assert_eq!(info["description"]["about"], tool["about"]);
    }
}

/// Counts of host programs, and contents of a profile.
#[test]
fn counted_programs_and_profiles() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let source = "#include <stdlib.h>\n#include <time.h>\nlong seen(void) { return time(0) + rand(); }\nint main(void) { return seen() == 0; }\n";
    fs::write(at("a.c"), source).unwrap();
    let (source, program) = (at("a.c"), at("a"));
    let (source, program) = (text(&source), text(&program));
    let built = luthier(&["count", "cc", "--per", "line", source, "-o", program]).output();
    let built = built.unwrap();
    assert!(built.status.success(), "{built:?}");
    // Standard output is the program's.
    let report = at("report.json");
    let words = [
        "count",
        "run",
        "--format",
        "json",
        "-o",
        text(&report),
        "--",
        program,
    ];
    let ran = luthier(&words).output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    let counted: Value = serde_json::from_slice(&fs::read(&report).unwrap()).unwrap();
    fits("count-run", &counted);
    assert!(
        !counted["processes"][0]["lines"]
            .as_object()
            .unwrap()
            .is_empty()
    );
    let (turns, budgeted) = (at("turns"), at("budgeted"));
    let words = ["count", "cc", "--budget", source, "-o", text(&budgeted)];
    assert!(luthier(&words).status().unwrap().success());
    let words = ["count", "run", "--budget", "99", "--budget-per", "turn"];
    let words = [&words[..], &["--turns", text(&turns), text(&budgeted)]].concat();
    assert!(luthier(&words).status().unwrap().success());
    for line in fs::read_to_string(&turns).unwrap().lines() {
        fits("count-turns", &serde_json::from_str(line).unwrap());
    }
    let explained = printed(&["count", "explain", "--format", "json", source]);
    fits("count-explain", &explained);
    assert_eq!(explained[0]["name"], "seen");
    let warned = printed(&["count", "lint", "--format", "json", source]);
    fits("count-lint", &warned);
    assert_eq!(warned.as_array().unwrap().len(), 2, "{warned}");
    let folder = at("profiles");
    fs::write(
        at("k.hip"),
        include_str!("../../../../examples/vector_add.hip"),
    )
    .unwrap();
    let words = ["coverage", "build", "--", "hipcc", "--offload-arch=gfx90a"];
    let built =
        luthier(&[&words[..], &[text(&at("k.hip")), "-o", text(&at("k"))]].concat()).output();
    let built = built.unwrap();
    assert!(built.status.success(), "{built:?}");
    let words = [
        "coverage",
        "run",
        "--device",
        "gfx90a",
        "-o",
        text(&folder),
        "--",
    ];
    let ran = luthier(&[&words[..], &[text(&at("k"))]].concat())
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
    let profiles = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut raw =
        profiles.filter(|path| path.extension().is_some_and(|ending| ending == "profraw"));
    let raw = raw.next().unwrap();
    let manifest = fs::read(raw.with_extension("profraw.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    fits("profraw", &manifest);
    assert_eq!(manifest["images"].as_array().unwrap().len(), 1);
    let held = printed(&["coverage", "inspect", "--format", "json", text(&raw)]);
    fits("coverage-inspect", &held);
    assert_eq!(held[0]["functions"][0]["counters"][0], 1_048_576);
}

/// The launch and each instruction.
#[test]
fn traces() {
    let object = compile("clang-22", "traced.cl", &CLANG);
    let folder = tempfile::tempdir().unwrap();
    let out = text(folder.path());
    let words = [
        "trace",
        text(&object),
        "-o",
        out,
        "-k",
        "moves",
        "--block",
        "64",
    ];
    let arguments = [
        "--lds", "256", "--arg", "zero:256", "--arg", "zero:256", "--arg", "u32:0",
    ];
    let traced = luthier(&[&words[..], &arguments].concat())
        .output()
        .unwrap();
    assert!(traced.status.success(), "{traced:?}");
    let mut files = fs::read_dir(folder.path()).unwrap();
    let lines = fs::read_to_string(files.next().unwrap().unwrap().path()).unwrap();
    assert!(lines.lines().count() > 10);
    for line in lines.lines() {
        fits("trace", &serde_json::from_str(line).unwrap());
    }
}

/// They are schemas of the draft that they name, and none allows what it does not name.
#[test]
fn schemas_are_closed() {
    fn open(name: &str, part: &Value, found: &mut Vec<String>) {
        if part["type"] == "object" && part.get("additionalProperties").is_none() {
            found.push(format!("{name}: {part}"));
        }
        let inner = part.as_object().map(|part| part.values());
        let inner = inner.into_iter().flatten();
        inner
            .chain(part.as_array().into_iter().flatten())
            .for_each(|part| open(name, part, found));
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/schemas");
    let page = fs::read_to_string(folder.join("README.md")).unwrap();
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        if path.extension().is_some_and(|ending| ending == "json") {
            let schema = schema(name);
            // It is a schema: else the validator would say so. A value that is no object and no array fits none.
            assert!(check(&schema, &json!(7.5)).is_err(), "{name}");
            open(name, &schema.read(), &mut found);
            assert!(page.contains(&format!("({name}.json)")), "{name}");
        }
    }
    assert_eq!(found, [] as [String; 0]);
}

#[test]
fn reports_of_files() {
    let (program, object) = (hip("launch.hip"), compile("clang-22", "endless.cl", &CLANG));
    let options = ["-d", "--cfg", "--histogram", "--symbols"];
    for file in [&program, &object] {
        let mut words = vec!["inspect", "--format", "json"];
        words.extend(options);
        words.push(text(file));
        let report = printed(&words);
        fits("inspect", &report);
        assert!(!report["objects"][0]["kernels"][0]["code"]["lines"].is_null());
    }
    let both = printed(&["inspect", "--format", "json", text(&program), text(&object)]);
    both.as_array()
        .unwrap()
        .iter()
        .for_each(|one| fits("inspect", one));
}

#[test]
fn kernels() {
    let object = compile("clang-22", "tiny.cl", &CLANG);
    let known = printed(&["inspect", "--format", "json", text(&object)]);
    let kernel = &known["objects"][0]["kernels"][0];
    let mut words = vec!["--format", "json", "-k", kernel["name"].as_str().unwrap()];
    let arguments = kernel["arguments"].as_array().unwrap().iter();
    for argument in arguments.filter(|argument| argument["kind"].is_string()) {
        words.extend(match argument["size"].as_u64().unwrap() {
            8 => ["--arg", "zero:4096"],
            _ => ["--arg", "i32:1"],
        });
    }
    let told = printed(&[&["emulate", text(&object)], &words[..]].concat());
    fits("emulate", &told);
    assert_eq!(told["waves"], 1);
    let words = [
        &["verify", text(&object), "-t", "empty", "--format", "json"],
        &words[2..],
    ]
    .concat();
    fits("verify", &printed(&words));
}

#[test]
fn runs() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = luthier(&["run", "--device", "gfx90a", "--stats", "--output"]);
    let done = command
        .arg(folder.path())
        .arg("--")
        .arg(hip("launch.hip"))
        .output();
    assert!(done.unwrap().status.success());
    let statistics = fs::read(folder.path().join("statistics.json")).unwrap();
    let statistics = serde_json::from_slice(&statistics).unwrap();
    fits("statistics", &statistics);
    assert!(statistics["dispatches"].as_u64() > Some(0));
}

/// The kernel that looks for the host's word must wait: the host takes its time. The other one is not kept.
#[test]
fn kernels_that_waited_are_named_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = luthier(&["run", "--device", "gfx90a", "--stats", "--output"]);
    let done = command.arg(folder.path()).arg("--").arg(hip("waits.hip"));
    let done = done.output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
    let line = said.lines().find(|line| line.starts_with("  waits: "));
    let line = line.unwrap_or_else(|| panic!("nothing is said of waits: {said}"));
    assert!(
        line.contains(": looks(") && !line.contains("works"),
        "{line}"
    );
    let statistics = fs::read(folder.path().join("statistics.json")).unwrap();
    let statistics: serde_json::Value = serde_json::from_slice(&statistics).unwrap();
    fits("statistics", &statistics);
    for (kernel, launches) in [("_Z5looks", 1), ("_Z5works", 0)] {
        let mut kernels = statistics["kernels"].as_array().unwrap().iter();
        let kernel = kernels.find(|one| one["kernel"].as_str().unwrap().starts_with(kernel));
        assert_eq!(kernel.unwrap()["waited"], launches, "{statistics}");
    }
}

/// The JSON that ready tools leave, each in a file of its own.
#[test]
fn results_of_tools() {
    const TOOLS: [&str; 8] = [
        "instr-count",
        "bb-count",
        "opcode-histogram",
        "hotspots",
        "launch-log",
        "mem-coalesce",
        "lds-conflicts",
        "branch-divergence",
    ];
    let folder = tempfile::tempdir().unwrap();
    let mut command = luthier(&["run", "--device", "gfx90a", "--output"]);
    command.arg(folder.path());
    for tool in TOOLS {
        command.args(["-t", tool]);
    }
    let done = command.arg("--").arg(hip("launch.hip")).output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        // NAME.PID.json; a timeline is in the format of the programs that show it.
        let parts: Vec<&str> = name.split('.').collect();
        let [tool, _, "json"] = parts[..] else {
            continue;
        };
        let result: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        fits(tool, &result);
        if tool != "summary" {
            assert!(!result.as_array().unwrap().is_empty(), "{name}");
        }
        found.insert(tool.to_owned());
    }
    let missing: Vec<_> = TOOLS
        .iter()
        .filter(|tool| !found.contains(**tool))
        .collect();
    assert_eq!(missing, [&""; 0], "{said}");
}

/// The file is what a tool's run leaves beside its results.
#[test]
fn summaries_of_tools() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = luthier(&["run", "--device", "gfx90a", "-t", "mem-trace", "--output"]);
    let done = command
        .arg(folder.path())
        .arg("--")
        .arg(hip("launch.hip"))
        .output();
    let done = done.unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
    let files = fs::read_dir(folder.path()).unwrap();
    let names = files.map(|file| file.unwrap().path());
    let is_summary = |path: &std::path::PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.starts_with("summary.") && name.ends_with(".json")
    };
    let [path] = &names.filter(is_summary).collect::<Vec<_>>()[..] else {
        panic!("not one summary: {said}");
    };
    let summary: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    fits("summary", &summary);
    assert_eq!(summary["session"], 1);
    let kernels = summary["kernels"].as_array().unwrap();
    assert!(
        kernels
            .iter()
            .any(|kernel| kernel["status"] == "instrumented")
    );
    assert!(summary["records"].as_array().unwrap().len() == 1);
}

#[test]
fn instrumented_files() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let words = ["instrument", "-t", "bb-count", "--format", "json", "-o"];
    let program = hip("launch.hip");
    let told = printed(&[&words[..], &[text(&out), text(&program)]].concat());
    fits("instrument", &told);
    assert!(
        told["instrumented"].as_u64() > Some(0) && told["refused"] == 0,
        "{told}"
    );
    assert!(out.exists());
    // With a reason, and the kernels that it is about.
    let told = printed(
        &[
            &words[..],
            &[text(&out), "--site", "opcode=v_nothing", text(&program)],
        ]
        .concat(),
    );
    fits("instrument", &told);
    assert_eq!(told["without_site"], told["kernels"], "{told}");
    // All that `inspect` counts.
    let object = code_object("nothing.cl");
    let told = printed(&[&words[..], &[text(&out), text(&object)]].concat());
    fits("instrument", &told);
    let counts = ["kernels", "instrumented", "without_code"].map(|name| told[name].as_u64());
    assert_eq!(counts, [Some(2), Some(1), Some(1)], "{told}");
}

#[test]
fn hardware_checks_on_the_stand_in() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("check.json");
    let output = luthier(&["run", "--device", "gfx90a", "--"])
        .arg(env!("CARGO_BIN_EXE_luthier"))
        .args(["hardware-check", "--format", "json", "--inputs", "64"])
        .args(["--only", "v_rcp_f16", "-o"])
        .arg(&file)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{said}"));
    fits("hardware-check", &report);
    assert_eq!(
        report,
        serde_json::from_slice::<Value>(&fs::read(&file).unwrap()).unwrap()
    );
    let shown = printed(&[
        "hardware-check",
        "--format",
        "json",
        "--import",
        text(&file),
    ]);
    assert_eq!(shown, json!([report]));
}

#[test]
fn what_no_schema_says_is_found() {
    let emulate = schema("emulate");
    let right = json!({"kernel": "k", "waves": 1, "wave_instructions": 2, "lane_instructions": 3, "classes": {"branch": [1, 64]}});
    check(&emulate, &right).unwrap();
    for (change, error) in [
        (json!({"waves": -1}), "$/waves: "),
        (json!({"kernel": 7}), "$/kernel: "),
        (json!({"other": 7}), "$: "),
        (json!({"classes": {"a": [1]}}), "$/classes/a: "),
        (json!({"classes": {"a": [1, 2, 3]}}), "$/classes/a"),
        (json!({"classes": {"a": [1, "b"]}}), "$/classes/a/1: "),
    ] {
        let mut wrong = right.as_object().unwrap().clone();
        wrong.extend(change.as_object().unwrap().clone());
        let found = check(&emulate, &Value::Object(wrong)).unwrap_err();
        assert!(
            found.iter().any(|place| place.starts_with(error)),
            "{found:?}"
        );
    }
    let missing = check(&emulate, &json!({})).unwrap_err();
    let required = emulate.read()["required"].clone();
    for name in required.as_array().unwrap() {
        let name = name.as_str().unwrap();
        assert!(missing[0].contains(&format!("'{name}'")), "{missing:?}");
    }
}
