//! Copies by the runtime as `launch-log` sees them.

use std::process::Command;

use crate::stock::{Scene, json, run};

/// Copies to the device and back by a thread with a name, between events; then one that the program waits for.
const COPIES: &str = r#"
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstring>
#include <thread>
constexpr size_t SIZE = 1 << 20;
static void work() {
  char *there, *back, *device;
  hipStream_t stream;
  hipEvent_t begin, end;
  float milliseconds = -1;
  pthread_setname_np(pthread_self(), "copier");
  if (hipHostMalloc((void **)&there, SIZE) || hipHostMalloc((void **)&back, SIZE) || hipMalloc((void **)&device, SIZE) ||
      hipStreamCreate(&stream) || hipEventCreate(&begin) || hipEventCreate(&end))
    exit(1);
  memset(there, 42, SIZE);
  for (int count = 0; count < 3; ++count) {
    memset(back, 0, SIZE);
    if (hipEventRecord(begin, stream) || hipMemcpyAsync(device, there, SIZE, hipMemcpyHostToDevice, stream) ||
        hipMemcpyAsync(back, device, SIZE / 2, hipMemcpyDeviceToHost, stream) || hipEventRecord(end, stream) ||
        hipStreamSynchronize(stream) || hipEventElapsedTime(&milliseconds, begin, end))
      exit(2);
    printf("%s, %s\n", memcmp(there, back, SIZE / 2) || back[SIZE / 2] ? "wrong" : "right",
           milliseconds > 0 && milliseconds < 60000 ? "timed" : "untimed");
  }
}
int main() {
  std::thread(work).join();
  return 0;
}
"#;

#[test]
fn copies_are_known_by_their_thread_and_time() {
    let Some(scene) = Scene::with_source(COPIES) else {
        return;
    };
    let plain = run(&scene, &[]).0;
    assert_eq!(plain, "right, timed\n".repeat(3));
    let (output, page) = (scene.path("output"), scene.path("page.json"));
    let files = [&output, &page].map(|path| path.to_str().unwrap());
    let options = [
        "-t",
        "launch-log",
        "--output",
        files[0],
        "--timeline",
        files[1],
    ];
    let (stdout, stderr) = run(&scene, &options);
    assert_eq!(stdout, plain, "{stderr}");
    let copies = json(&output, "copies.", ".json");
    let ways: Vec<_> = copies
        .iter()
        .map(|copy| {
            let device = |key: &str| copy[key].as_u64();
            let bytes = copy["bytes"].as_u64().unwrap();
            (device("from_device"), device("to_device"), bytes)
        })
        .collect();
    let round = [(None, Some(0), 1 << 20), (Some(0), None, 1 << 19)];
    assert_eq!(ways, round.repeat(3), "{copies:#?}");
    // One after the other, each after it was enqueued.
    let mut last = 0;
    for copy in &copies {
        let [enqueued, start, end] = ["enqueued", "start", "end"]
            .map(|what| copy[format!("{what}_nanoseconds")].as_u64().unwrap());
        assert!(
            enqueued <= start && last <= start && start < end,
            "{copies:#?}"
        );
        assert_eq!(copy["thread_name"], "copier", "{copy}");
        last = end;
    }
    // A tool in C++ hears the same.
    let sample = scene.sample("who_copies");
    let (_, said) = run(&scene, &["-t", sample.to_str().unwrap()]);
    let line = said.lines().find_map(|line| {
        let (thread, rest) = line.trim().split_once(" (")?;
        Some(rest).filter(|_| thread == "copier")
    });
    let line = line.unwrap_or_else(|| panic!("{said}"));
    let (number, sums) = line.split_once("): 0 launches, 6 copies of ").unwrap();
    assert!(number.parse::<u32>().is_ok(), "{said}");
    let (bytes, time) = sums.split_once(" bytes in ").unwrap();
    assert_eq!(bytes.parse(), Ok(3 * ((1 << 20) + (1 << 19))), "{said}");
    let time: u64 = time.strip_suffix(" ns").unwrap().parse().unwrap();
    assert!(time > 0, "{said}");
    for trace in [
        json(&output, "launch-log.trace.", ".json"),
        serde_json::from_slice(&std::fs::read(&page).unwrap()).unwrap(),
    ] {
        let named = |name: &str| trace.iter().filter(|event| event["name"] == name).count();
        assert_eq!(named("copy host to device 0"), 3, "{trace:#?}");
        assert_eq!(named("enqueue copy device 0 to host"), 3, "{trace:#?}");
        let ends = |phase: &str| trace.iter().filter(|event| event["ph"] == phase).count();
        assert!(ends("s") >= 6 && ends("s") == ends("f"), "{trace:#?}");
    }
}

/// Copies are seen with the times that the application's own signals have, and nothing of these signals is changed.
#[test]
fn copies_are_timed_by_the_signals_of_the_application() {
    let Some(mut scene) = Scene::new() else {
        return;
    };
    scene.application = scene.path("signals");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/copies/signals.c");
    let mut compiler = Command::new("gcc");
    compiler.args([source, "-O1", "-w", "-lhsa-runtime64", "-o"]);
    let compiled = compiler.arg(&scene.application).status().unwrap();
    assert!(compiled.success());
    let output = scene.path("output");
    let (stdout, stderr) = run(
        &scene,
        &["-t", "launch-log", "--output", output.to_str().unwrap()],
    );
    let lines: Vec<Vec<_>> = stdout
        .lines()
        .map(|line| line.split(' ').collect())
        .collect();
    let [first, second] = &lines[..] else {
        panic!("{stdout}{stderr}");
    };
    let expected = [
        (65536, Some(0), true),
        (16384, None, true),
        (8192, None, true),
        // Two by one signal, which does not tell.
        (4096, Some(0), false),
        (4096, Some(0), false),
        (2048, Some(0), true),
    ];
    // HSA is started twice, and each session has files of its own.
    for (round, end) in [(first, ".json"), (second, "-2.json")] {
        assert_eq!(round[..3], ["right", "1", "1"], "{stdout}{stderr}");
        let copies = json(&output, "copies.", end);
        let seen: Vec<_> = copies
            .iter()
            .map(|copy| {
                let end = copy["end_nanoseconds"].is_u64();
                (
                    copy["bytes"].as_u64().unwrap(),
                    copy["to_device"].as_u64(),
                    end,
                )
            })
            .collect();
        assert_eq!(seen, expected, "{stdout}{stderr}");
        let times =
            ["start", "end"].map(|what| copies[1][format!("{what}_nanoseconds")].to_string());
        assert_eq!(times, round[3..], "{stdout}{stderr}");
    }
}
