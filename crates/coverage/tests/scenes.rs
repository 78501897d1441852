//! How programs start, load, fork, end and die; each time, no count may be lost and nothing else may change.

mod common;

use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
    process::Command,
    sync::OnceLock,
    time::{Duration, Instant},
};

use common::{
    Place, add_counts, drain_archive, drain_library, emulator, ending, finish, sources, text,
};

const WORK: &str = "_Z4workPii";
const MODULE: &str = "module_work";
const LIBRARY: &str = "_Z12library_workPii";

struct Programs {
    _place: Place,
    scenes: PathBuf,
    module: PathBuf,
    library: PathBuf,
}

fn programs() -> &'static Programs {
    static PROGRAMS: OnceLock<Programs> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        let place = Place::new();
        Programs {
            scenes: place.build(
                "scenes",
                "scenes.hip",
                &["gfx90a", "gfx1030"],
                &[],
                &["-lpthread", "-ldl"],
            ),
            module: place.build(
                "module.co",
                "module.hip",
                &["gfx90a"],
                &[],
                &["--offload-device-only", "--no-gpu-bundle-output"],
            ),
            library: place.build(
                "liblibrary.so",
                "library.hip",
                &["gfx90a"],
                &[],
                &["-shared", "-fPIC"],
            ),
            _place: place,
        }
    })
}

/// Every way to end: the status is the program's own, and all counts are there.
#[test]
fn ends() {
    let place = Place::new();
    #[rustfmt::skip]
    let table: &[(&str, i32)] = &[
        ("once",           0),
        ("status",         7),
        ("exit-in-thread", 3),
        ("quick-exit",     4),
        ("immediate-exit", 5),
        ("abort",          -6),
        ("uncaught",       -6),
    ];
    for (scene, status) in table {
        let output = place.run("gfx90a", scene, &[], &programs().scenes, &[scene]);
        assert_eq!(ending(&output), *status, "{scene}: {}", text(&output));
        assert_eq!(
            place.counts(scene).get(WORK).map(Vec::as_slice),
            Some([64, 10].as_slice()),
            "{scene}"
        );
        assert_eq!(place.profiles(scene).len(), 1, "{scene}");
    }
    // After a fault of the device the runtime aborts the program; what was counted until then is kept.
    let output = place.run(
        "gfx90a",
        "fault",
        &[],
        &programs().scenes,
        &["device-fault"],
    );
    assert_eq!(ending(&output), -6, "{}", text(&output));
    assert!(place.entries("fault", WORK) >= 64, "{}", text(&output));
}

#[test]
fn snapshots_survive_what_nothing_else_survives() {
    let place = Place::new();
    // A crash, caught by a handler that lets another thread read the counters.
    let output = place.run(
        "gfx90a",
        "crash",
        &["--signal", "SEGV"],
        &programs().scenes,
        &["segfault"],
    );
    assert_eq!(ending(&output), -11, "{}", text(&output));
    assert_eq!(place.entries("crash", WORK), 64);

    // SIGKILL leaves no moment: only the periodic snapshot is there.
    let mut child = place.start(
        "gfx90a",
        "killed",
        &["--interval", "0.1"],
        &programs().scenes,
        &["wait"],
    );
    let mut ready = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut ready)
        .unwrap();
    assert_eq!(ready, "ready\n");
    wait_until(|| place.entries("killed", WORK) == 64);
    kill_children_of(child.id());
    assert_eq!(ending(&finish(child)), -9);
    assert_eq!(place.entries("killed", WORK), 64);

    // A signal asks for a snapshot, and another one ends the program as it always did.
    let mut child = place.start(
        "gfx90a",
        "asked",
        &["--signal", "USR1,TERM"],
        &programs().scenes,
        &["wait"],
    );
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut ready)
        .unwrap();
    assert!(place.profiles("asked").is_empty());
    signal(child.id(), "USR1");
    wait_until(|| place.entries("asked", WORK) == 64);
    signal(child.id(), "TERM");
    assert_eq!(ending(&finish(child)), -15);
    assert_eq!(place.entries("asked", WORK), 64);
}

fn wait_until(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "this did not happen in 30 s"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn signal(process: u32, name: &str) {
    assert!(
        Command::new("kill")
            .args([format!("-{name}"), process.to_string()])
            .status()
            .unwrap()
            .success()
    );
}

fn kill_children_of(process: u32) {
    let list = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap();
    for child in list.split_whitespace() {
        signal(child.parse().unwrap(), "KILL");
    }
}

#[test]
fn modules_and_libraries() {
    let place = Place::new();
    let module = programs().module.to_str().unwrap();
    let output = place.run(
        "gfx90a",
        "module",
        &[],
        &programs().scenes,
        &["module", module],
    );
    assert!(output.status.success(), "{}", text(&output));
    // Loaded and unloaded three times, with 1, 2 and 3 launches of 64 lanes, 10 of them inside.
    assert_eq!(place.counts("module")[MODULE], [6 * 64, 6 * 10]);

    let library = programs().library.to_str().unwrap();
    for (out, more) in [("local", None), ("closed", Some("close"))] {
        let arguments: Vec<_> = ["library", library].into_iter().chain(more).collect();
        let output = place.run("gfx90a", out, &[], &programs().scenes, &arguments);
        assert!(output.status.success(), "{}", text(&output));
        assert_eq!(place.counts(out)[LIBRARY], [64, 10], "{out}");
    }
}

#[test]
fn several_devices() {
    let place = Place::new();
    let output = place.run(
        "gfx90a,gfx90a,gfx1030",
        "sum",
        &[],
        &programs().scenes,
        &["devices"],
    );
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(place.profiles("sum").len(), 2, "one file per architecture");
    assert_eq!(place.counts("sum")[WORK], [3 * 64, 10 + 20 + 30]);
    let output = place.run(
        "gfx90a,gfx90a,gfx1030",
        "apart",
        &["--per-device"],
        &programs().scenes,
        &["devices"],
    );
    assert!(output.status.success(), "{}", text(&output));
    let mut inside: Vec<u64> = Vec::new();
    for file in place.profiles("apart") {
        let mut counts = Default::default();
        add_counts(&file, &mut counts);
        inside.push(counts[WORK][1]);
    }
    inside.sort_unstable();
    assert_eq!(inside, [10, 20, 30]);
}

#[test]
fn forks_and_threads() {
    let place = Place::new();
    let output = place.run(
        "gfx90a",
        "before",
        &[],
        &programs().scenes,
        &["fork-before"],
    );
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(
        place.profiles("before").len(),
        2,
        "parent and child each have a GPU of their own"
    );
    assert_eq!(place.counts("before")[WORK], [128, 30]);

    let output = place.run("gfx90a", "after", &[], &programs().scenes, &["fork-after"]);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(
        place.profiles("after").len(),
        1,
        "the child never touches the parent's GPU"
    );
    assert_eq!(place.counts("after")[WORK], [128, 20]);

    let output = place.run("gfx90a", "threads", &[], &programs().scenes, &["threads"]);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(place.counts("threads")[WORK], [20 * 64, 20 * 10]);
}

#[test]
fn programs_may_dump_and_reset() {
    let place = Place::new();
    let output = place.run(
        "gfx90a",
        "interface",
        &[],
        &programs().scenes,
        &["interface"],
    );
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(
        place.counts("interface")[WORK],
        [128, 14],
        "counted since the reset, dumped more than once"
    );
    // Without the drain the calls do nothing.
    let mut command = Command::new(&programs().scenes);
    command
        .arg("interface")
        .env("LD_PRELOAD", emulator())
        .env("LUTHIER_DEVICE", "gfx90a");
    let output = command
        .current_dir(place.directory.path())
        .output()
        .unwrap();
    assert_eq!(
        (output.status.code(), text(&output)),
        (Some(0), String::new())
    );
    assert!(place.profiles("").is_empty());
}

#[test]
fn concurrent_ranks_share_a_file() {
    let place = Place::new();
    let ranks: Vec<_> = (0..3)
        .map(|_| {
            place.start(
                "gfx90a",
                "ranks",
                &["--pattern", "all-%m.profraw"],
                &programs().scenes,
                &["threads"],
            )
        })
        .collect();
    for rank in ranks {
        let output = finish(rank);
        assert!(output.status.success(), "{}", text(&output));
    }
    assert_eq!(place.profiles("ranks").len(), 1);
    assert_eq!(place.counts("ranks")[WORK], [3 * 20 * 64, 3 * 20 * 10]);
}

/// Without the tools interface, as with runtimes that gave it to another tool.
#[test]
fn preload_alone_is_enough() {
    let place = Place::new();
    let module = programs().module.to_str().unwrap();
    for (out, arguments, function, expected) in [
        ("once", vec!["once"], WORK, 64),
        ("module", vec!["module", module], MODULE, 6 * 64),
        ("fork", vec!["fork-after"], WORK, 128),
    ] {
        let mut command = place.tool();
        let preload = format!("{}:{}", drain_library().display(), emulator().display());
        command.args(["run", "-o", "unused", "--", "env", "-u", "HSA_TOOLS_LIB"]);
        command
            .arg(format!("LD_PRELOAD={preload}"))
            .arg("LUTHIER_DEVICE=gfx90a");
        command.arg(format!(
            "LUTHIER_PROFILE_FILE={}",
            place.path(out).join("%p.profraw").display()
        ));
        command.arg(&programs().scenes).args(arguments);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{out}: {}", text(&output));
        assert_eq!(place.entries(out, function), expected, "{out}");
    }
}

/// The drain linked into the program: no launcher, no preload, and the usual naming of profiles.
#[test]
fn linked_in() {
    let place = Place::new();
    let archive = drain_archive();
    let flags = [
        "-Wl,-u,__llvm_profile_hip_collect_device_data",
        archive.to_str().unwrap(),
        "-lhsa-runtime64",
        "-lpthread",
        "-ldl",
        "-lm",
    ];
    let program = place.build("linked", "scenes.hip", &["gfx90a"], &[], &flags);
    for (scene, status) in [("once", 0), ("abort", -6), ("immediate-exit", 5)] {
        let mut command = Command::new(&program);
        command
            .arg(scene)
            .env("LD_PRELOAD", emulator())
            .env("LUTHIER_DEVICE", "gfx90a");
        command.env(
            "LLVM_PROFILE_FILE",
            place.path(scene).join("sub/x-%p.profraw"),
        );
        let output = command.output().unwrap();
        assert_eq!(ending(&output), status, "{scene}: {}", text(&output));
        assert_eq!(place.entries(&format!("{scene}/sub"), WORK), 64, "{scene}");
    }
}

/// A host with counters of its own: both profiles are whole, and one report shows both sides.
#[test]
fn host_profiles_are_left_alone_and_can_be_merged() {
    let place = Place::new();
    let program = place.build(
        "both",
        "scenes.hip",
        &["gfx90a"],
        &["--host"],
        &["-lpthread", "-ldl"],
    );
    let mut command = place.tool();
    command
        .args(["run", "--device", "gfx90a", "-o", "out", "--"])
        .arg(&program)
        .arg("status");
    let output = command
        .env("LLVM_PROFILE_FILE", place.path("host/host.profraw"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(7), "{}", text(&output));
    assert_eq!(place.profiles("out").len(), 1);
    assert_eq!(place.entries("out", WORK), 64);
    assert_eq!(place.entries("host", "main"), 1);
    let report = place.report(&[
        "lcov",
        "out",
        "host",
        "--object",
        program.to_str().unwrap(),
        "-o",
        "-",
    ]);
    let count = |function: &str| {
        let found = report.lines().find_map(|line| {
            line.strip_prefix("FNDA:")?
                .strip_suffix(&format!(",{function}"))
        });
        found.and_then(|count| count.parse::<u64>().ok())
    };
    assert_eq!(
        (count("main"), count(WORK)),
        (Some(1), Some(64)),
        "{report}"
    );
}

/// Counts of a run decide how the compiler lays out the next build.
#[test]
fn profiles_guide_optimisation() {
    let place = Place::new();
    let program = place.build(
        "pgo",
        "scenes.hip",
        &["gfx90a"],
        &["--pgo"],
        &["-lpthread", "-ldl"],
    );
    let output = place.run("gfx90a", "out", &[], &program, &["once"]);
    assert!(output.status.success(), "{}", text(&output));
    place.report(&["verify", "out"]);
    place.report(&["merge", "out", "-o", "device.profdata"]);
    let compile = Command::new("clang++-22")
        .args([
            "-x",
            "hip",
            "-O1",
            "--offload-arch=gfx90a",
            "--offload-device-only",
            "-S",
            "-emit-llvm",
            "--rocm-path=/usr",
        ])
        .args([
            "--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode",
            "-mcode-object-version=4",
        ])
        .args([
            "-D__AMDGCN_WAVEFRONT_SIZE=64",
            "-fprofile-use=device.profdata",
            "-o",
            "-",
        ])
        .arg(format!(
            "-I{}",
            sources()
                .join("../../../../runtime/device-profile")
                .display()
        ))
        .arg(sources().join("scenes.hip"))
        .current_dir(place.directory.path())
        .output()
        .unwrap();
    let ir = String::from_utf8_lossy(&compile.stdout);
    assert!(compile.status.success(), "{}", text(&compile));
    assert!(
        ir.contains("!\"function_entry_count\", i64 64}"),
        "{}",
        String::from_utf8_lossy(&compile.stderr)
    );
}

/// Nowhere left to write: the program goes on, its status is its own, and there is one explanation.
#[test]
fn full_disks_cost_the_profile_and_nothing_else() {
    let place = Place::new();
    let out = place.path("full");
    std::fs::create_dir(&out).unwrap();
    let script = format!(
        "mount -t tmpfs -o size=8k none {0} && \"$@\" && ls -A {0} >&2",
        out.display()
    );
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", &script, "sh", "env"]);
    command.arg(format!(
        "LD_PRELOAD={}:{}",
        drain_library().display(),
        emulator().display()
    ));
    command.arg(format!(
        "LUTHIER_PROFILE_FILE={}",
        out.join("x.profraw").display()
    ));
    command
        .arg("LUTHIER_DEVICE=gfx90a")
        .arg(&programs().scenes)
        .arg("once");
    let output = command.output().unwrap();
    let printed = text(&output);
    if printed.contains("unshare failed") || printed.contains("permission denied") {
        eprintln!("skipped: this machine does not let us mount a small file system");
        return;
    }
    assert!(output.status.success(), "{printed}");
    assert!(
        printed.contains("No space left on device") && printed.contains("LUTHIER_PROFILE_FILE"),
        "{printed}"
    );
    assert!(
        !printed.contains(".debug"),
        "nothing half-written: {printed}"
    );
}
