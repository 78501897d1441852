//! Launches as tools see and users order them: packets of all kinds, one launch at a time, kernels that do not end.

use std::os::unix::process::ExitStatusExt;

use crate::stock::{DEVICE, Scene, json, run, run_with};
use programs::Bounded;
use serde_json::Value;

/// One stream waits for another, and what kernels wrote is counted.
const WAITS: &str = r#"
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void set(int *values) { values[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
int main() {
  int *values = nullptr;
  hipStream_t first, second;
  hipEvent_t event;
  if (hipHostMalloc((void **)&values, 4096) || hipStreamCreate(&first) || hipStreamCreate(&second) || hipEventCreate(&event))
    return 1;
  for (int index = 0; index < 1024; ++index)
    values[index] = 0;
  set<<<2, 64, 0, first>>>(values);
  if (hipEventRecord(event, first) || hipStreamWaitEvent(second, event, 0))
    return 2;
  set<<<2, 64, 0, second>>>(values + 512);
  if (hipDeviceSynchronize())
    return 3;
  int sum = 0;
  for (int index = 0; index < 1024; ++index)
    sum += values[index];
  printf("%d values set\n", sum);
  return 0;
}
"#;

/// Looks at all packets and takes the second half of a launch away.
const SEES: &str = r#"
#include <luthier.h>
MARK_LUTHIER_DEVICE_MODULE
static int launches, barriers, told;
void luthier_at_packets(luthier_packet *packets, size_t count, luthier_u64 queue, luthier_u32 device) {
  for (size_t index = 0; index < count; ++index) {
    if (packets[index].barrier())
      ++barriers;
    if (auto *dispatch = packets[index].dispatch())
      if (++launches == 1)
        dispatch->grid_size_x = 64;
  }
}
void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t id) {
  // The changed launch is the one that runs.
  if (id == HSA_EVT_ID_KERNEL_LAUNCH)
    told += args->hsa_evt_kernel_launch.dispatch_packet->grid_size_x;
}
void luthier_at_term() {
  luthier_report(std::to_string(launches) + " launches of " + std::to_string(told) + " work-items, " +
                 (barriers ? "barriers" : "no barriers"));
}
"#;

#[test]
fn packets_are_seen_and_changed() {
    let Some(scene) = Scene::with_source(WAITS) else {
        return;
    };
    let plain = run(&scene, &[]).0;
    assert_eq!(plain, "256 values set\n");
    let tool = scene.tool("sees", SEES);
    let (stdout, stderr) = run(&scene, &["-t", tool.to_str().unwrap(), "-k", "set"]);
    assert_eq!(stdout, "192 values set\n", "{stderr}");
    let line = "2 launches of 192 work-items, barriers\n";
    assert!(stderr.contains(line), "{stderr}");
}

/// Two host threads with names, each with a stream and a kernel of its own; says their numbers.
const THREADS: &str = r#"
#include <hip/hip_runtime.h>
#include <cstdio>
#include <thread>
#include <unistd.h>
__global__ void produce(int *values) { values[threadIdx.x] = 1; }
__global__ void consume(int *values) { values[threadIdx.x] = 2; }
static void work(const char *name, void (*kernel)(int *), int *values) {
  hipStream_t stream;
  pthread_setname_np(pthread_self(), name);
  printf("%s %d\n", name, gettid());
  if (hipStreamCreate(&stream))
    exit(2);
  for (int count = 0; count < 3; ++count)
    kernel<<<1, 64, 0, stream>>>(values);
  if (hipStreamSynchronize(stream))
    exit(3);
}
int main() {
  int *values = nullptr;
  if (hipHostMalloc((void **)&values, 4096))
    return 1;
  std::thread producer(work, "producer", produce, values), consumer(work, "consumer", consume, values + 64);
  producer.join();
  consumer.join();
  return 0;
}
"#;

#[test]
fn launches_are_known_by_the_host_thread_that_enqueued_them() {
    let Some(scene) = Scene::with_source(THREADS) else {
        return;
    };
    let output = scene.path("output");
    let page = scene.path("launches.json");
    let options = [
        "-t",
        "launch-log",
        "--output",
        output.to_str().unwrap(),
        "--timeline",
        page.to_str().unwrap(),
    ];
    let (stdout, stderr) = run(&scene, &options);
    let threads: Vec<(&str, u64)> = stdout
        .lines()
        .map(|line| {
            let (name, number) = line.split_once(' ').unwrap();
            (name, number.parse().unwrap())
        })
        .collect();
    assert_eq!(threads.len(), 2, "{stdout}");
    let log = json(&output, "launch-log.", ".json");
    let trace = json(&output, "launch-log.trace.", ".json");
    let page: Vec<Value> = serde_json::from_slice(&std::fs::read(&page).unwrap()).unwrap();
    for (name, number) in &threads {
        let kernel = match *name {
            "producer" => "produce",
            _ => "consume",
        };
        let launches: Vec<_> = log.iter().filter(|row| row["name"] == kernel).collect();
        assert_eq!(launches.len(), 3, "{log:#?}");
        let mut last = 0;
        for launch in launches {
            assert_eq!(launch["thread"], *number, "{launch}");
            assert_eq!(launch["thread_name"], *name, "{launch}");
            // In this order, on one clock.
            let times = ["enqueued", "start", "end"]
                .map(|what| launch[format!("{what}_nanoseconds")].as_u64().unwrap());
            assert!(
                last <= times[0] && times.is_sorted() && times[2] - times[0] < 60_000_000_000,
                "{launch}"
            );
            last = times[0];
            let number = launch["launch"].as_u64().unwrap();
            arrow_leads(
                &trace,
                number,
                &format!("{name} ({})", launch["thread"]),
                launch,
            );
        }
        let row = format!("{name} ({number})");
        let named = |event: &&Value| event["ph"] == "M" && event["args"]["name"] == row.as_str();
        assert_eq!(page.iter().filter(named).count(), 1, "{page:#?}");
        assert!(stderr.contains(&row), "{stderr}");
    }
    let ends = |phase: &str| page.iter().filter(|event| event["ph"] == phase).count();
    assert_eq!((ends("s"), ends("f")), (6, 6), "{page:#?}");
}

/// The arrow with a launch's number leads from the row of this name to the beginning of the launch in its queue.
fn arrow_leads(trace: &[Value], number: u64, from: &str, launch: &Value) {
    let one = |what: &dyn Fn(&&Value) -> bool| {
        let found: Vec<_> = trace.iter().filter(what).collect();
        let [event] = found[..] else {
            panic!("{number}: {found:#?}");
        };
        event
    };
    let row = |event: &Value| (event["pid"].clone(), event["tid"].clone());
    let begin = one(&|event| event["ph"] == "s" && event["id"] == number);
    let end = one(&|event| event["ph"] == "f" && event["id"] == number);
    let named = one(&|event| event["name"] == "thread_name" && row(event) == row(begin));
    assert_eq!(named["args"]["name"], from);
    assert_eq!(
        row(end),
        (launch["device"].clone(), launch["queue"].clone())
    );
    let mark =
        one(&|event| event["ph"] == "X" && row(event) == row(begin) && event["ts"] == begin["ts"]);
    let slice =
        one(&|event| event["ph"] == "X" && row(event) == row(end) && event["ts"] == end["ts"]);
    for event in [mark, slice] {
        assert_eq!(event["args"]["launch"], number, "{event}");
    }
}

/// Without `luthier run`, the user names a directory that does not exist yet.
#[test]
fn an_output_directory_is_made_when_something_is_written() {
    let Some(scene) = Scene::with_source(ONE) else {
        return;
    };
    let output = scene.path("new/and/deep");
    let variables = [("LUTHIER_OUTPUT", output.to_str().unwrap())];
    let (_, stderr) = run_with(&scene, &["-t", "launch-log"], &variables);
    assert_eq!(json(&output, "launch-log.", ".json").len(), 1, "{stderr}");
    let events = json(&output, "launch-log.trace.", ".json");
    assert!(events.iter().any(|event| event["ph"] == "X"), "{stderr}");
}

/// An application that prints what a kernel wrote for it.
const WRITES: &str = r#"
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void write(int *where, int factor, int summand) { *where = factor * 10 + summand; }
int main() {
  int *value = nullptr;
  if (hipHostMalloc((void **)&value, 4096))
    return 1;
  write<<<1, 1>>>(value, 1, 2);
  if (hipDeviceSynchronize())
    return 2;
  printf("%d\n", *value);
  return 0;
}
"#;

const RENAMES: &str = r#"
#include <luthier.h>
MARK_LUTHIER_DEVICE_MODULE
void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t) {
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  luthier_argument<int>(packet, "factor") = 4;
  luthier_argument<int>(packet, "other") = 0;
}
"#;

#[test]
fn arguments_have_the_names_of_the_source() {
    for (options, factor, other) in [(&["-g"][..], 4, "other"), (&[], 1, "factor")] {
        let Some(scene) = Scene::compiled(WRITES, options) else {
            return;
        };
        let tool = scene.tool("renames", RENAMES);
        let (stdout, stderr) = run(&scene, &["-t", tool.to_str().unwrap()]);
        assert_eq!(stdout, format!("{}\n", factor * 10 + 2), "{stderr}");
        let said = format!("the kernel has no parameter {other} (");
        assert!(stderr.contains(&said), "{stderr}");
    }
}

/// A kernel that looks for what another one, in another stream, writes: for a while, but no longer.
const LOOKS: &str = r#"
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void look(volatile int *flag, int *seen) {
  for (int count = 0; count < 2000000 && !*seen; ++count)
    *seen = *flag;
}
__global__ void raise(volatile int *flag) { *flag = 1; }
int main() {
  int *memory = nullptr;
  hipStream_t first, second;
  if (hipHostMalloc((void **)&memory, 4096) || hipStreamCreate(&first) || hipStreamCreate(&second))
    return 1;
  memory[0] = memory[1] = 0;
  look<<<1, 1, 0, first>>>(memory, memory + 1);
  raise<<<1, 1, 0, second>>>(memory);
  if (hipDeviceSynchronize())
    return 2;
  printf("seen %d, raised %d\n", memory[1], memory[0]);
  return 0;
}
"#;

#[test]
fn serialized_launches_do_not_meet() {
    let Some(scene) = Scene::with_source(LOOKS) else {
        return;
    };
    let options = ["-t", "instr-count", "-k", "look|raise", "--serialize"];
    let (stdout, stderr) = run(&scene, &options);
    assert_eq!(stdout, "seen 0, raised 1\n", "{stderr}");
    assert!(
        stderr.contains("2 launches") || stderr.contains("; 2 of "),
        "{stderr}"
    );
}

/// Says what it has heard of when it is asked about a launch.
const HEARS: &str = r#"
#include <luthier.h>
#include <string>
MARK_LUTHIER_DEVICE_MODULE
static unsigned begun, ended;
static std::string heard;
void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t id) {
  if (id != HSA_EVT_ID_KERNEL_LAUNCH)
    return;
  heard += " " + std::to_string(ended) + " of " + std::to_string(begun++);
}
void luthier_at_launch_end(luthier_u64, luthier_u64 start, luthier_u64 end) { ended += start <= end; }
void luthier_at_term() { luthier_report("heard" + heard); }
"#;

const FOUR: &str = r#"
#include <hip/hip_runtime.h>
__global__ void spend(volatile int *value) {
  for (int count = 0; count < 20000; ++count)
    *value = count;
}
int main() {
  int *value = nullptr;
  if (hipHostMalloc((void **)&value, 4096))
    return 1;
  for (int launch = 0; launch < 4; ++launch)
    spend<<<1, 1>>>(value);
  return hipDeviceSynchronize();
}
"#;

#[test]
fn the_end_of_a_serialized_launch_is_heard_before_the_next_begins() {
    let Some(scene) = Scene::with_source(FOUR) else {
        return;
    };
    let tool = scene.tool("hears", HEARS);
    let (_, stderr) = run(&scene, &["-t", tool.to_str().unwrap(), "--serialize"]);
    let line = "heard 0 of 0 1 of 1 2 of 2 3 of 3";
    assert!(stderr.contains(line), "{stderr}");
}

const ONE: &str = r#"
#include <hip/hip_runtime.h>
__global__ void store(int *values) { values[threadIdx.x] = 1; }
int main() {
  int *values = nullptr;
  if (hipHostMalloc((void **)&values, 4096))
    return 1;
  store<<<1, 64>>>(values);
  return hipDeviceSynchronize();
}
"#;

/// Waits for what never comes.
const HANGS: &str = r#"
#include <luthier.h>
MARK_LUTHIER_DEVICE_MODULE
__managed__ unsigned never = 0;
extern "C" __device__ void spin() {
  while (*(volatile unsigned *)&never == 0) {
  }
}
LUTHIER_EXPORT_FUNC(spin)
void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t id) {
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  if (id != HSA_EVT_ID_KERNEL_LAUNCH || luthier_is_instrumented(packet->kernel_object))
    return;
  for (const auto &instruction : luthier_disassemble_kernel_object(packet->kernel_object))
    if (instruction.mnemonic == "global_store_dword")
      luthier_insert_call(instruction, LUTHIER_GET_HOOK_HANDLE(spin), LUTHIER_IPOINT_BEFORE);
  luthier_override_with_instrumented(packet);
}
"#;

#[test]
fn a_hook_that_does_not_end_is_named_with_its_place() {
    let Some(scene) = Scene::with_source(ONE) else {
        return;
    };
    let tool = scene.tool("hangs", HANGS);
    let output = scene
        .emulator
        .command()
        .args(["run", "--device", DEVICE, "-t", tool.to_str().unwrap()])
        .args(["--kernel-limit", "1", "--"])
        .arg(&scene.application)
        .env("LUTHIER_CACHE", "off")
        .bounded_output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    for part in [
        "store(int*) (runs instrumented) has not ended within 1 s; the program is ended (--kernel-limit)\n",
        " % of the waves of store(int*) are in hook spin of tool hangs, inserted at global_store_dword at 0x",
        // The summary is delivered.
        "1 instrumented, 0 refused",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let sigterm = 15;
    assert!(
        output.status.signal() == Some(sigterm),
        "{:?}",
        output.status
    );
}

/// Takes numbers through an accumulation register.
const ACCUMULATES: &str = r#"
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void pass(int *values) {
  int value = threadIdx.x;
  asm volatile("v_accvgpr_write_b32 a0, %0\n\ts_nop 7\n\tv_accvgpr_read_b32 %0, a0\n\ts_nop 7" : "+v"(value) : : "a0");
  values[threadIdx.x] = value;
}
int main() {
  int *values = nullptr;
  if (hipHostMalloc((void **)&values, 4096))
    return 1;
  pass<<<1, 64>>>(values);
  if (hipDeviceSynchronize())
    return 2;
  int sum = 0;
  for (int index = 0; index < 64; ++index)
    sum += values[index];
  printf("%d %d %d\n", values[0], values[63], sum);
  return 0;
}
"#;

/// Doubles it and adds one: by the register's number, and through a parameter.
const CHANGES: &str = r#"
#include <luthier.h>
MARK_LUTHIER_DEVICE_MODULE
LUTHIER_TOOL(R"(
about = "changes an accumulation register"
hooks = { add = ["vector-reference", "scalar"] }
)")
extern "C" __device__ void twice() { luthier::write_agpr(0, luthier::agpr(0) * 2); }
LUTHIER_EXPORT_FUNC(twice)
extern "C" __device__ void add(unsigned &value, unsigned more) { value += more; }
LUTHIER_EXPORT_FUNC(add)
void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t id) {
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  if (id != HSA_EVT_ID_KERNEL_LAUNCH || luthier_is_instrumented(packet->kernel_object))
    return;
  for (const auto &instruction : luthier_disassemble_kernel_object(packet->kernel_object))
    if (instruction.mnemonic == "v_accvgpr_read_b32") {
      luthier_insert_call(instruction, LUTHIER_GET_HOOK_HANDLE(twice), LUTHIER_IPOINT_BEFORE);
      luthier_insert_call(instruction, LUTHIER_GET_HOOK_HANDLE(add), LUTHIER_IPOINT_BEFORE,
                          {{LUTHIER_ARG_AGPR, 0, 0}, {LUTHIER_ARG_CONSTANT, 0, 1}});
    }
  luthier_override_with_instrumented(packet);
}
"#;

#[test]
fn accumulation_registers_are_read_and_written() {
    let Some(scene) = Scene::with_source(ACCUMULATES) else {
        return;
    };
    assert_eq!(run(&scene, &[]).0, format!("0 63 {}\n", 63 * 32));
    let tool = scene.tool("changes", CHANGES);
    let (stdout, stderr) = run(&scene, &["-t", tool.to_str().unwrap()]);
    assert_eq!(stdout, format!("1 127 {}\n", 2 * 63 * 32 + 64), "{stderr}");
}
