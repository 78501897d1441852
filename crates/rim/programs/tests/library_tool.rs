//! A tool with host code in C++, as `include/luthier.h` has it: the example, and what goes wrong in such tools.

use std::{
    path::{Path, PathBuf},
    process::Output,
    time::Instant,
};

use programs::{Bounded, Emulator};

const DEVICE: &str = "gfx90a";

struct Scene {
    emulator: Emulator,
    application: PathBuf,
    folder: tempfile::TempDir,
}

impl Scene {
    fn new() -> Option<Scene> {
        if !programs::can_compile() {
            return None;
        }
        let program = programs::named("streams").unwrap();
        Some(Scene {
            emulator: Emulator::find().expect("the emulator is built"),
            application: programs::compile(&program).unwrap(),
            folder: tempfile::tempdir().unwrap(),
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The tool in a file, built.
    fn build(&self, source: &Path) -> PathBuf {
        let name = source.file_stem().unwrap().to_string_lossy().into_owned();
        let tool = self.path(&format!("{name}.tool"));
        let built = self
            .emulator
            .command()
            .args(["tool", "build", "--target", DEVICE, "-o"])
            .arg(&tool)
            .arg(source)
            .bounded_output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&built.stderr);
        assert!(built.status.success(), "{stderr}");
        tool
    }

    fn run(&self, options: &[&str], cache: &Path) -> Output {
        self.emulator
            .command()
            .args(["run", "--device", DEVICE])
            // (What selects wants tools.)
            .args(if options.contains(&"-t") {
                &["-k", "^add"][..]
            } else {
                &[]
            })
            .args(options)
            .arg("--")
            .arg(&self.application)
            .env("LUTHIER_CACHE", cache)
            .bounded_output()
            .unwrap()
    }
}

fn stderr(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}");
    text
}

/// The number between two words.
fn between(text: &str, before: &str, after: &str) -> u64 {
    let rest = text
        .split_once(before)
        .unwrap_or_else(|| panic!("no {before}: {text}"))
        .1;
    let end = rest
        .find(after)
        .unwrap_or_else(|| panic!("no {after}: {text}"));
    rest[..end]
        .trim()
        .parse()
        .unwrap_or_else(|_| panic!("no number behind {before}: {text}"))
}

#[test]
fn the_example_counts_what_the_emulated_gpu_counts() {
    let Some(scene) = Scene::new() else { return };
    let output = scene.path("plain");
    stderr(&scene.run(&["--output", output.to_str().unwrap()], Path::new("off")));
    let statistics = std::fs::read(output.join("statistics.json")).unwrap();
    let statistics: serde_json::Value = serde_json::from_slice(&statistics).unwrap();
    let kernels = statistics["kernels"].as_array().unwrap().iter();
    let kernels = kernels.filter(|kernel| kernel["kernel"].as_str().unwrap().contains("add"));
    let (mut lanes, mut launches) = (0, 0);
    for kernel in kernels {
        lanes += kernel["lane_instructions"].as_u64().unwrap();
        launches += kernel["dispatches"].as_u64().unwrap();
    }
    let tool = scene.build(&programs::root().join("examples/instruction_counter.hip"));
    let cache = scene.path("cache");
    // The second time from the cache.
    for cached in [0, 1] {
        let said = stderr(&scene.run(&["-t", tool.to_str().unwrap()], &cache));
        assert_eq!(
            said.matches("Instruction counter tool is launching.")
                .count(),
            1,
            "{said}"
        );
        assert_eq!(
            between(&said, "Lane instructions in", " launches: "),
            launches,
            "{said}"
        );
        assert_eq!(between(&said, " launches: ", "\n"), lanes, "{said}");
        assert_eq!(
            between(&said, "instrumenting, ", " from cache"),
            cached,
            "{said}"
        );
    }
}

#[test]
fn what_goes_wrong_in_a_callback_is_the_reason() {
    let Some(scene) = Scene::new() else { return };
    let example = programs::root().join("examples/instruction_counter.hip");
    let text = std::fs::read_to_string(example).unwrap();
    let rows = [
        (
            "unknown",
            "LUTHIER_GET_HOOK_HANDLE(instrumentation_kernel)",
            "(const void *)&launches",
            "no hook has the handle 0x",
        ),
        (
            "throwing",
            "++launches;",
            "throw 1;",
            "the tool threw an exception",
        ),
        (
            "explaining",
            "++launches;",
            "throw std::runtime_error(\"out of paper\");",
            "the tool threw an exception: out of paper",
        ),
    ];
    for (name, from, to, reason) in rows {
        let source = scene.path(&format!("{name}.hip"));
        let text = format!("#include <stdexcept>\n{}", text.replacen(from, to, 1));
        std::fs::write(&source, text).unwrap();
        let tool = scene.build(&source);
        let said = stderr(&scene.run(&["-t", tool.to_str().unwrap()], Path::new("off")));
        assert!(
            said.contains("0 instrumented, 1 refused") && said.contains(reason),
            "{said}"
        );
    }
    // Where host code cannot run, and where it is lost.
    let tool = scene.build(&programs::root().join("examples/instruction_counter.hip"));
    let out = scene.path("out");
    let out = ["-o", out.to_str().unwrap()];
    for (command, options) in [
        ("instrument", &out[..]),
        ("verify", &["-k", "add", "--target", DEVICE]),
    ] {
        let offline = scene
            .emulator
            .command()
            .arg(command)
            .arg(&scene.application)
            .args(["-t", tool.to_str().unwrap()])
            .args(options)
            .bounded_output()
            .unwrap();
        let said = String::from_utf8_lossy(&offline.stderr);
        assert!(
            offline.status.code() == Some(2) && said.contains("which only `luthier run` can call"),
            "{command}: {said}"
        );
    }
    // The library beside a tool is no tool.
    let library = tool.with_extension("so");
    let refused = scene.run(&["-t", library.to_str().unwrap()], Path::new("off"));
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success(), "{said}");
    let meant = format!("is the tool {} meant?", tool.display());
    assert!(said.contains(&meant), "{said}");
    std::fs::remove_file(library).unwrap();
    let refused = scene.run(&["-t", tool.to_str().unwrap()], Path::new("off"));
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("is not beside it; build it again"), "{said}");
    assert!(refused.stdout.is_empty());
    // Without the command, the library of Luthier says so.
    let mut command = scene.emulator.command();
    command.args(["run", "--device", DEVICE, "-t", "identity", "--", "env"]);
    let output = command
        .arg(format!("LUTHIER_TOOL={}", tool.display()))
        .arg(&scene.application)
        .env("LUTHIER_CACHE", "off")
        .bounded_output()
        .unwrap();
    let said = stderr(&output);
    assert!(
        said.contains("is not beside it") && said.contains("nothing is instrumented"),
        "{said}"
    );
    // The application has used a GPU.
    assert!(!said.contains("no process of the program"), "{said}");
}

/// The callback that `THROWS` names throws whenever it is called, and says in the end how often that was.
const THROWING: &str = r#"
#include <luthier.h>
#include <stdexcept>
#include <stdlib.h>
#include <string.h>

MARK_LUTHIER_DEVICE_MODULE
LUTHIER_GLOBAL luthier::ring trace;
LUTHIER_TOOL(R"([[stream]]
ring = "trace"
bytes = 4
)")
__device__ __noinline__ extern "C" void hook() { luthier::emit(&trace, luthier::lane()); }
LUTHIER_EXPORT_FUNC(hook)

#ifndef __HIP_DEVICE_COMPILE__
static int calls = 0;
static void act(const char *callback) {
  const char *throws = getenv("THROWS");
  if (!throws || strcmp(throws, callback) != 0)
    return;
  __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
  throw std::runtime_error("a\x1b[31mred\nword");
}
void luthier_at_init() { luthier_subscribe_hsa(HSA_API_ID_hsa_signal_create); }
void luthier_at_kernel(luthier_u64 kernel) {
  act("luthier_at_kernel");
  luthier_insert_call(luthier_disassemble_kernel_object(kernel)[0], LUTHIER_GET_HOOK_HANDLE(hook), LUTHIER_IPOINT_BEFORE);
}
void luthier_at_hsa_event(hsa_api_args_t *, luthier_api_phase_t, hsa_api_id_t id) {
  if (id == HSA_API_ID_hsa_signal_create)
    act("luthier_at_hsa_event");
}
void luthier_at_packets(luthier_packet *, size_t, luthier_u64, luthier_u32) { act("luthier_at_packets"); }
void luthier_at_launch_end(luthier_u64, luthier_u64, luthier_u64) { act("luthier_at_launch_end"); }
void luthier_at_copy(const luthier_raw_copy &) { act("luthier_at_copy"); }
void luthier_at_memory(const luthier_allocation &) { act("luthier_at_memory"); }
bool luthier_at_records(const char *, const void *, size_t) {
  act("luthier_at_records");
  return true;
}
void luthier_at_term() {
  luthier_report("calls: " + std::to_string(calls));
  act("luthier_at_term");
}
#endif
"#;

#[test]
fn an_exception_names_its_callback_which_is_not_called_again() {
    let Some(scene) = Scene::new() else { return };
    let source = scene.path("throws.hip");
    std::fs::write(&source, THROWING).unwrap();
    let tool = scene.build(&source);
    let run = |callback: &str| {
        let output = scene
            .emulator
            .command()
            .args(["run", "--device", DEVICE, "-k", "^add", "-t"])
            .arg(&tool)
            .arg("--")
            .arg(&scene.application)
            .env("LUTHIER_CACHE", "off")
            .env("THROWS", callback)
            // Records that the callback does not take are written there.
            .current_dir(scene.folder.path())
            .bounded_output()
            .unwrap();
        stderr(&output)
    };
    assert!(run("").contains("calls: 0\n"));
    for (callback, again) in [
        ("luthier_at_kernel", true),
        ("luthier_at_hsa_event", false),
        ("luthier_at_packets", false),
        ("luthier_at_launch_end", false),
        ("luthier_at_copy", false),
        ("luthier_at_memory", false),
        ("luthier_at_records", false),
        ("luthier_at_term", true),
    ] {
        let said = run(callback);
        let reason = format!("{callback}: the tool threw an exception: a\\u{{1b}}[31mred\\nword");
        let line = said.lines().find(|line| line.contains(&reason));
        let line = line.unwrap_or_else(|| panic!("{callback}: {said}"));
        assert_eq!(line.ends_with("; it is not called again"), !again, "{line}");
        assert!(
            again || said.matches(&reason).count() == 1,
            "{callback}: {said}"
        );
        // Several threads call HSA, and may be in the callback when it fails.
        let alone = !again && callback != "luthier_at_hsa_event";
        assert!(!alone || said.contains("calls: 1\n"), "{callback}: {said}");
        let refused = said.contains("0 instrumented, 1 refused");
        assert_eq!(refused, callback == "luthier_at_kernel", "{said}");
        // The summary's header names the tool.
        assert!(said.contains("throws"), "{said}");
    }
}

/// Host code that does what `MISCHIEF` says, where it says.
const MISCHIEF: &str = r#"
#include <luthier.h>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

MARK_LUTHIER_DEVICE_MODULE

__managed__ unsigned long counter = 0;
__device__ __noinline__ extern "C" void hook() { atomicAdd(&counter, 1ul); }
LUTHIER_EXPORT_FUNC(hook)

#ifndef __HIP_DEVICE_COMPILE__
static int deeper(volatile int *depth) {
  volatile int here[1000] = {*depth + 1};
  return deeper(here) + here[1];
}
static void act(const char *place) {
  const char *wanted = getenv("MISCHIEF"), *space = wanted ? strchr(wanted, ' ') : nullptr;
  if (!space || strcmp(space + 1, place))
    return;
  int zero = 0;
  if (!strncmp(wanted, "hang", 4))
    for (;;)
      sleep(1);
  else if (!strncmp(wanted, "abort", 5))
    abort();
  else if (!strncmp(wanted, "overflow", 8))
    exit(deeper(&zero));
  else if (!strncmp(wanted, "crash", 5))
    *(volatile int *)nullptr = 1;
}
static struct Whole {
  Whole() { act("constructor"); }
  ~Whole() { act("destructor"); }
} whole;

static unsigned launches = 0;
void luthier_at_init() { act("init"); }
void luthier_at_term() { act("term"); fprintf(stderr, "%s\n", counter != 0 ? "counted" : "idle"); }
void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t) {
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  if (luthier_is_instrumented(packet->kernel_object)) {
    act("launch");
    return;
  }
  act("instrument");
  luthier_insert_call(luthier_disassemble_kernel_object(packet->kernel_object)[0], LUTHIER_GET_HOOK_HANDLE(hook), LUTHIER_IPOINT_BEFORE);
  luthier_override_with_instrumented(packet);
}
#endif
"#;

/// Host code of a tool may fail in any way and in any callback. The program's output and status stay its own, it ends soon, and a line says
/// what happened.
#[test]
fn a_tool_that_dies_or_hangs_harms_itself_alone() {
    let Some(scene) = Scene::new() else { return };
    let source = scene.path("mischief.hip");
    std::fs::write(&source, MISCHIEF).unwrap();
    let tool = scene.build(&source);
    let run = |mischief: &str| {
        let began = Instant::now();
        let output = scene
            .emulator
            .command()
            .args(["run", "--device", DEVICE, "-k", "^add", "-t"])
            .arg(&tool)
            .args(["-t", "launch-log", "--"])
            .arg(&scene.application)
            .env("MISCHIEF", mischief)
            .env("LUTHIER_CACHE", "off")
            .env("LUTHIER_TOOL_LIMIT", "1")
            .env("LUTHIER_BUILD_LIMIT", "1")
            .bounded_output()
            .unwrap();
        let said = stderr(&output);
        assert!(began.elapsed().as_secs() < 30, "{mischief}: {said}");
        (output.stdout, said)
    };
    let (plain, said) = run("");
    assert!(
        said.contains("counted\n") && said.contains("1 instrumented, 0 refused"),
        "{said}"
    );
    const PLACES: [(&str, &str); 5] = [
        ("constructor", "its constructors"),
        ("init", "luthier_at_init"),
        ("instrument", "luthier_at_kernel or luthier_at_hsa_event"),
        ("launch", "luthier_at_kernel or luthier_at_hsa_event"),
        ("term", "luthier_at_term"),
    ];
    for (place, call) in PLACES {
        for (deed, word) in [
            ("hang", "did not come back from "),
            ("abort", "died of signal 6 (Aborted) in "),
            ("crash", "died of signal 11 (Segmentation fault) in "),
            ("overflow", "died of signal 11 (Segmentation fault) in "),
        ] {
            let mischief = format!("{deed} {place}");
            let (printed, said) = run(&mischief);
            assert_eq!(printed, plain, "{mischief}: {said}");
            let note = format!("  note: the host code of tool mischief {word}{call}");
            assert_eq!(said.matches(&note).count(), 1, "{mischief}: {said}");
            assert!(!said.contains("counted\n"), "{mischief}: {said}");
            let refused = place != "launch" && place != "term";
            let kernels = match refused {
                false => "1 instrumented, 0 refused",
                true => "0 instrumented, 1 refused",
            };
            assert!(said.contains(kernels), "{mischief}: {said}");
            // The other tool has its say.
            assert!(said.contains("launch-log:"), "{mischief}: {said}");
        }
    }
    // Code that would run at the end of the program does not run.
    let (printed, said) = run("hang destructor");
    assert!(printed == plain && said.contains("counted\n"), "{said}");
}
