//! HIP programs on emulated devices, with every kernel that can be running from a second copy of its code.

use crate::common;

use std::path::Path;

use crate::common::{compile, launches, run, tool};

/// Runs a mode to its good end.
fn good(device: &str, mode: &[&str], variables: &[(&str, &str)]) -> common::Outcome {
    let outcome = run(device, launches(), mode, variables);
    assert_eq!(outcome.status, Some(0), "{outcome:#?}");
    assert_eq!(outcome.stdout, "done\n", "{outcome:#?}");
    outcome
}

#[test]
fn streams_priorities_and_dynamic_lds() {
    for device in ["gfx90a", "gfx1030"] {
        let outcome = good(device, &["basic"], &[]);
        // Three launches of the program, and its memset's kernel.
        let expected = "luthier identity: 4 kernels seen, 3 instrumented, 0 refused; 3 of 4 launches ran instrumented";
        assert!(outcome.headline().starts_with(expected), "{outcome:#?}");
    }
}

#[test]
fn more_launches_than_the_queue_holds_stay_in_order() {
    let outcome = good("gfx90a", &["order"], &[]);
    assert!(
        outcome.headline().contains("40001 of 40002 launches"),
        "{outcome:#?}"
    );
}

const CODE_OBJECT: [&str; 6] = [
    "-O2",
    "-w",
    "-c",
    "--no-gpu-bundle-output",
    "--cuda-device-only",
    "--offload-arch=gfx90a",
];

/// With only ROCr 5.2's intercept queues, packets that find the device's ring full are reordered, and the application is not told that it
/// is full.
#[test]
fn a_small_queue_without_hip_stays_in_order() {
    let program = compile("gcc", "small_queue.c", &["-O1", "-w", "-lhsa-runtime64"]);
    let object = compile("hipcc", "ordered.hip", &CODE_OBJECT);
    let outcome = run("gfx90a", &program, &[object.to_str().unwrap()], &[]);
    assert_eq!(outcome.status, Some(0), "{outcome:#?}");
    assert_eq!(
        outcome.stdout, "2000 launches, 0 out of order\n",
        "{outcome:#?}"
    );
    assert!(
        outcome.headline().contains("2000 of 2000 launches"),
        "{outcome:#?}"
    );
}

#[test]
fn modules_come_and_go() {
    let module = compile("hipcc", "bump.hip", &CODE_OBJECT);
    let mode = ["modules", module.to_str().unwrap()];
    let (_, summary) = with_summary("modules", &mode, &[]);
    let kernels = summary["kernels"].as_array().unwrap();
    let bump = kernels.iter().find(|kernel| kernel["name"] == "bump");
    // Six lives of one kernel, and variants go with their modules, the last one perhaps after the end.
    assert_eq!(bump.unwrap()["instrumented_launches"], 18, "{summary}");
    assert_eq!(summary["variants_loaded"], 6, "{summary}");
    assert!(
        summary["variants_unloaded"].as_u64() >= Some(4),
        "{summary}"
    );
}

#[test]
fn threads_and_the_shared_cooperative_queue() {
    assert!(
        good("gfx90a", &["threads"], &[])
            .headline()
            .contains("200 of ")
    );
    let outcome = good("gfx90a", &["cooperative"], &[]);
    assert!(outcome.headline().contains("2 of "), "{outcome:#?}");
    assert!(!outcome.stderr.contains("note: "), "{outcome:#?}");
}

/// With its last user, as without a tool: HIP shuts the runtime down since 7.2, which must not find the queue then.
#[test]
fn the_cooperative_queue_goes_with_its_last_user() {
    let program = compile("gcc", "cooperative_queue.c", &["-lhsa-runtime64"]);
    let outcome = run("gfx90a", &program, &[], &[("LUTHIER_TRACE_CALLS", "1")]);
    assert_eq!(outcome.status, Some(0), "{outcome:#?}");
    let destroyed = |text: &str| text.matches("hsaKmtDestroyQueue: Success").count();
    let mut seen = Vec::new();
    for round in outcome.stderr.split("one destroys it\n").skip(1) {
        let (one, other) = round.split_once("the other destroys it\n").unwrap();
        seen.push((destroyed(one), destroyed(other)));
    }
    assert_eq!(seen, [(0, 1), (0, 1)], "{outcome:#?}");
}

#[test]
fn every_end_has_its_summary_and_its_status() {
    for (mode, status, signal) in [
        ("status", Some(7), None),
        ("abort", None, Some(6)),
        ("interrupt", None, Some(2)),
    ] {
        let outcome = run("gfx90a", launches(), &[mode], &[]);
        assert_eq!(
            (outcome.status, outcome.signal),
            (status, signal),
            "{outcome:#?}"
        );
        assert!(
            outcome.headline().contains("3 of 4 launches"),
            "{outcome:#?}"
        );
    }
}

#[test]
fn a_forked_child_is_silent() {
    let outcome = good("gfx90a", &["fork"], &[]);
    assert!(
        outcome.headline().contains("6 of 8 launches"),
        "{outcome:#?}"
    );
}

/// A program that does not wait for its last launches still ends well, with its summary.
#[test]
fn kernels_that_are_still_running_at_the_end() {
    let outcome = run("gfx90a", launches(), &["unfinished"], &[]);
    assert_eq!(outcome.status, Some(0), "{outcome:#?}");
    assert!(outcome.headline().contains("2 of "), "{outcome:#?}");
    // Nor does a kernel that never ends hold it up, but the summary says so.
    let outcome = run("gfx90a", launches(), &["endless"], &[]);
    assert_eq!(outcome.status, Some(0), "{outcome:#?}");
    assert!(outcome.headline().contains("1 of "), "{outcome:#?}");
    assert!(
        outcome.stderr.contains("note: kernels were still running"),
        "{outcome:#?}"
    );
}

#[test]
fn leaving_without_a_word_is_not_held_up() {
    let outcome = run("gfx90a", launches(), &["spinning"], &[]);
    assert_eq!(outcome.status, Some(0), "{outcome:#?}");
}

/// The one summary file of a run into a fresh folder, besides the outcome.
fn with_summary(
    name: &str,
    mode: &[&str],
    variables: &[(&str, &str)],
) -> (common::Outcome, serde_json::Value) {
    let folder = common::folder().join(name);
    let _ = std::fs::remove_dir_all(&folder);
    let output = ("LUTHIER_OUTPUT", folder.to_str().unwrap());
    let outcome = good("gfx90a", mode, &[&[output], variables].concat());
    let files: Vec<_> = std::fs::read_dir(&folder).unwrap().collect();
    assert_eq!(files.len(), 1);
    let text = std::fs::read_to_string(files[0].as_ref().unwrap().path()).unwrap();
    (outcome, serde_json::from_str(&text).unwrap())
}

#[test]
fn selections_and_the_summary_file() {
    let chosen = [("LUTHIER_KERNEL", "^(add|multiply)")];
    let (outcome, summary) = with_summary("selections", &["basic"], &chosen);
    assert!(outcome.stderr.contains("not chosen: "), "{outcome:#?}");
    let status = |name: &str| {
        let kernels = summary["kernels"].as_array().unwrap();
        let kernel = kernels.iter().find(|kernel| kernel["name"] == name);
        kernel.unwrap_or_else(|| panic!("{name}: {summary}"))["status"].clone()
    };
    assert_eq!(status("add(int*, int)"), "instrumented");
    assert_eq!(status("reverse(int*)"), "unselected");
    assert_eq!(summary["agents"][0]["target"], "gfx90a:sramecc+:xnack-");
}

#[test]
fn a_tool_that_does_not_exist_changes_nothing() {
    let outcome = good("gfx90a", &["basic"], &[("LUTHIER_TOOL", "no-such-tool")]);
    let stderr = &outcome.stderr;
    assert!(
        stderr.starts_with("luthier: ") && stderr.contains("no-such-tool"),
        "{stderr}"
    );
    assert!(stderr.ends_with("; nothing is instrumented\n"), "{stderr}");
    assert_eq!(
        good("gfx90a", &["basic"], &[("LUTHIER_TOOL", "")]).stderr,
        ""
    );
}

/// Profilers make intercept queues of their own. Both tools must see every launch, whichever was loaded first.
#[test]
fn another_tool_before_and_behind() {
    let counter = compile("gcc", "counter.c", &["-shared", "-fPIC", "-O1", "-w"]);
    let (ours, counter) = (tool(), counter);
    let line = |first: &Path, second: &Path| format!("{} {}", first.display(), second.display());
    for tools in [
        line(&ours, &counter),
        line(&counter, &ours),
        line(&ours, &ours),
    ] {
        let outcome = good("gfx90a", &["basic"], &[("HSA_TOOLS_LIB", &tools)]);
        assert!(
            outcome.headline().contains("3 of 4 launches"),
            "{tools}: {outcome:#?}"
        );
        let counted = outcome.stderr.contains("counter: 4 dispatches");
        assert_eq!(counted, tools.contains("counter"), "{tools}: {outcome:#?}");
    }
}

/// Say, of another version, named by the user's environment.
#[test]
fn a_second_copy_stands_aside() {
    let copy = common::folder().join("libluthier_copy.so");
    std::fs::copy(tool(), &copy).unwrap();
    let (ours, copy) = (tool().display().to_string(), copy.display().to_string());
    for (first, second) in [(&ours, &copy), (&copy, &ours)] {
        let tools = format!("{first} {second}");
        let outcome = good("gfx90a", &["basic"], &[("HSA_TOOLS_LIB", &tools)]);
        assert!(
            outcome.headline().contains("3 of 4 launches"),
            "{tools}: {outcome:#?}"
        );
        let aside = format!("luthier: {first} already instruments this program");
        assert_eq!(outcome.stderr.matches(&aside).count(), 1, "{outcome:#?}");
    }
}

#[test]
fn hsa_may_be_shut_down_and_started_again() {
    let program = compile("gcc", "restart.c", &["-lhsa-runtime64"]);
    let outcome = run("gfx90a", &program, &[], &[]);
    assert_eq!(outcome.status, Some(0), "{outcome:#?}");
    assert_eq!(outcome.stdout, "round 0\nround 1\n");
    // From the second session on, the lines name the session.
    let summaries = outcome.stderr.matches(": 0 kernels seen").count();
    assert_eq!(summaries, 2, "{outcome:#?}");
    let first = outcome.stderr.matches("luthier identity: ").count();
    let second = outcome.stderr.matches("(session 2 of process ").count();
    assert_eq!((first, second), (1, 1), "{outcome:#?}");
}

/// The device's side of records, in a kernel of its own.
#[test]
fn records_arrive_whole_and_once() {
    let include = format!("-I{}/../../../include", env!("CARGO_MANIFEST_DIR"));
    let program = compile("hipcc", "ring.hip", &["-O2", "-w", "--offload-arch=gfx90a"]);
    for device in ["gfx90a", "gfx1030"] {
        let target = format!("--offload-arch={device}");
        let flags = [
            "-xhip",
            "-O2",
            &target,
            &include,
            "--offload-device-only",
            "--no-gpu-bundle-output",
            "-nogpuinc",
            "-nogpulib",
            "-mcode-object-version=4",
        ];
        let object = compile("clang-22", "produce.hip", &flags);
        let object = object.to_str().unwrap();
        // 58,880 records fit, or 64 at a time; waves wait, but not for a host that stands still.
        let cases: [(&[&str], &str); 3] = [
            (&["65536"], "none dropped, \n"),
            (&["64"], "none dropped, more than a ring full\n"),
            (&["64", "still"], "some dropped, "),
        ];
        for (how, expected) in cases {
            let arguments = [&[object], how].concat();
            let outcome = run(device, &program, &arguments, &[("LUTHIER_TOOL", "")]);
            assert_eq!(outcome.status, Some(0), "{outcome:#?}");
            assert!(outcome.stdout.starts_with(expected), "{outcome:#?}");
        }
        std::fs::remove_file(object).unwrap();
    }
}
