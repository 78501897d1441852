//! How programs start, load, fork, end and die; each time, no count may be lost and nothing else may change.

use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
    process::Command,
    sync::OnceLock,
    time::{Duration, Instant},
};

use crate::common::{
    Workspace, add_counts, drain_archive, drain_library, emulator, ending, finish, sources, text,
};

const WORK: &str = "_Z4workPii";
const MODULE: &str = "module_work";
const OTHER: &str = "other_work";
const LIBRARY: &str = "_Z12library_workPii";

struct Programs {
    _workspace: Workspace,
    scenes: PathBuf,
    module: PathBuf,
    other: PathBuf,
    library: PathBuf,
}

fn programs() -> &'static Programs {
    static PROGRAMS: OnceLock<Programs> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        let workspace = Workspace::new();
        Programs {
            scenes: workspace.build(
                "scenes",
                "scenes.hip",
                &["gfx90a", "gfx1030"],
                &[],
                &["-lpthread", "-ldl"],
            ),
            module: workspace.build(
                "module.co",
                "module.hip",
                &["gfx90a"],
                &[],
                &["--offload-device-only", "--no-gpu-bundle-output"],
            ),
            other: workspace.build(
                "other.co",
                "module.hip",
                &["gfx90a"],
                &[],
                &[
                    "-DMODULE_WORK=other_work",
                    "--offload-device-only",
                    "--no-gpu-bundle-output",
                ],
            ),
            library: workspace.build(
                "liblibrary.so",
                "library.hip",
                &["gfx90a"],
                &[],
                &["-shared", "-fPIC"],
            ),
            _workspace: workspace,
        }
    })
}

/// Every way to end: the status is the program's own, and all counts are there.
#[test]
fn ends() {
    let workspace = Workspace::new();
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
        let output = workspace.run("gfx90a", scene, &[], &programs().scenes, &[scene]);
        assert_eq!(ending(&output), *status, "{scene}: {}", text(&output));
        assert_eq!(
            workspace.counts(scene).get(WORK).map(Vec::as_slice),
            Some([64, 10].as_slice()),
            "{scene}"
        );
        assert_eq!(workspace.profiles(scene).len(), 1, "{scene}");
    }
    // A kernel after the drain's own exit handler.
    let output = workspace.run("gfx90a", "late", &[], &programs().scenes, &["late"]);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(workspace.counts("late")[WORK], [128, 30]);
    // After a fault of the device the runtime aborts the program; what was counted until then is kept.
    let output = workspace.run(
        "gfx90a",
        "fault",
        &[],
        &programs().scenes,
        &["device-fault"],
    );
    assert_eq!(ending(&output), -6, "{}", text(&output));
    assert!(workspace.entries("fault", WORK) >= 64, "{}", text(&output));
}

/// The counts of a program that replaces itself (`exec`) are kept beside those of the program that replaces it.
#[test]
fn programs_that_become_others() {
    let workspace = Workspace::new();
    for how in [
        "execv",
        "execve",
        "execvp",
        "execl",
        "execl-long",
        "execlp",
        "execle",
        "fexecve",
    ] {
        let scenes = &programs().scenes;
        let output = workspace.run("gfx90a", how, &[], scenes, &["become", how]);
        assert_eq!(ending(&output), 7, "{how}: {}", text(&output));
        assert_eq!(workspace.counts(how)[WORK], [192, 30], "{how}");
        assert_eq!(workspace.profiles(how).len(), 2, "{how}");
    }
    let output = workspace.run("gfx90a", "spawn", &[], &programs().scenes, &["spawn"]);
    assert_eq!(ending(&output), 7, "{}", text(&output));
    assert_eq!(workspace.counts("spawn")[WORK], [128, 20]);
    // Into one file, too.
    let options = ["--pattern", "%m.profraw"];
    let words = ["become", "execv"];
    let output = workspace.run("gfx90a", "merged", &options, &programs().scenes, &words);
    assert_eq!(ending(&output), 7, "{}", text(&output));
    assert_eq!(workspace.counts("merged")[WORK], [192, 30]);
    assert_eq!(workspace.profiles("merged").len(), 1);
}

/// A process that had no chance to write is named, and the message does not claim that it had no counters.
#[test]
fn lost_counts_are_named() {
    let workspace = Workspace::new();
    let output = workspace.run("gfx90a", "killed", &[], &programs().scenes, &["killed"]);
    assert_eq!(ending(&output), 0, "{}", text(&output));
    assert_eq!(workspace.counts("killed")[WORK], [64, 10]);
    let said = text(&output);
    let lost = "had counters on its device and ended without a chance to write them";
    assert_eq!(said.matches(lost).count(), 1, "{said}");
    let output = workspace.run("gfx90a", "kill", &[], &programs().scenes, &["kill"]);
    let said = text(&output);
    assert_eq!(ending(&output), -9, "{said}");
    assert!(
        said.contains(lost) && !said.contains("loaded no device code"),
        "{said}"
    );
}

#[test]
fn snapshots_survive_what_nothing_else_survives() {
    let workspace = Workspace::new();
    // A crash, caught by a handler that lets another thread read the counters.
    let output = workspace.run(
        "gfx90a",
        "crash",
        &["--signal", "SEGV"],
        &programs().scenes,
        &["segfault"],
    );
    assert_eq!(ending(&output), -11, "{}", text(&output));
    assert_eq!(workspace.entries("crash", WORK), 64);

    // SIGKILL leaves no moment: only the periodic snapshot is there.
    let mut child = workspace.start(
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
    wait_until(|| workspace.entries("killed", WORK) == 64);
    kill_children_of(child.id());
    assert_eq!(ending(&finish(child)), -9);
    assert_eq!(workspace.entries("killed", WORK), 64);

    // A signal asks for a snapshot, and another one ends the program as it always did.
    let mut child = workspace.start(
        "gfx90a",
        "asked",
        &["--signal", "USR1,TERM"],
        &programs().scenes,
        &["wait"],
    );
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut ready)
        .unwrap();
    assert!(workspace.profiles("asked").is_empty());
    signal(child.id(), "USR1");
    wait_until(|| workspace.entries("asked", WORK) == 64);
    signal(child.id(), "TERM");
    assert_eq!(ending(&finish(child)), -15);
    assert_eq!(workspace.entries("asked", WORK), 64);
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
    let workspace = Workspace::new();
    let module = programs().module.to_str().unwrap();
    let output = workspace.run(
        "gfx90a",
        "module",
        &[],
        &programs().scenes,
        &["module", module],
    );
    assert!(output.status.success(), "{}", text(&output));
    // Loaded and unloaded three times, with 1, 2 and 3 launches of 64 lanes, 10 of them inside.
    assert_eq!(workspace.counts("module")[MODULE], [6 * 64, 6 * 10]);

    let library = programs().library.to_str().unwrap();
    for (out, more) in [("local", None), ("closed", Some("close"))] {
        let arguments: Vec<_> = ["library", library].into_iter().chain(more).collect();
        let output = workspace.run("gfx90a", out, &[], &programs().scenes, &arguments);
        assert!(output.status.success(), "{}", text(&output));
        assert_eq!(workspace.counts(out)[LIBRARY], [64, 10], "{out}");
    }
}

/// HIP loads an image when one of its kernels is launched. The report has the images that HIP never loads, too.
#[test]
fn kernels_that_nobody_launches_are_uncovered() {
    let workspace = Workspace::new();
    let output = workspace.run("gfx90a", "idle", &[], &programs().scenes, &["idle"]);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(workspace.counts("idle")[WORK], [0, 0]);
    let report = workspace.tool().args(["report", "idle"]).output().unwrap();
    let report = text(&report);
    assert!(report.contains("scenes.hip"), "{report}");
    assert!(!report.contains("other code"), "{report}");
    let manifest = drain::output::manifest_path(&workspace.profiles("idle")[0]);
    let manifest = std::fs::read_to_string(manifest).unwrap();
    let place = format!("file://{}#offset=", programs().scenes.display());
    assert!(manifest.contains(&place), "{manifest}");
}

/// Two modules in turn, each unloaded before the other comes: they meet at the same addresses and are told apart.
#[test]
fn modules_reloaded_at_the_same_address() {
    let workspace = Workspace::new();
    let modules = [&programs().module, &programs().other].map(|path| path.to_str().unwrap());
    let arguments: Vec<_> = ["reload"].into_iter().chain(modules).collect();
    let output = workspace.run("gfx90a", "out", &[], &programs().scenes, &arguments);
    assert!(output.status.success(), "{}", text(&output));
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let places = |kernel| -> Vec<&str> {
        printed
            .lines()
            .filter_map(|line| line.strip_prefix(kernel)?.strip_prefix(' '))
            .collect()
    };
    let (module, other) = (places(MODULE), places(OTHER));
    assert_eq!((module.len(), other.len()), (4, 4), "{printed}");
    // Kernels' places in their images differ, the images' pages are the same.
    let page = |at: &&str| u64::from_str_radix(at.trim_start_matches("0x"), 16).unwrap() >> 12;
    let pages: Vec<u64> = other.iter().map(page).collect();
    assert!(
        module.iter().any(|at| pages.contains(&page(at))),
        "{printed}"
    );
    assert!(module[1..].contains(&module[0]), "{printed}");
    let counts = workspace.counts("out");
    assert_eq!(counts[MODULE], [4 * 64, 4 * 10]);
    assert_eq!(counts[OTHER], [8 * 64, 8 * 10]);
}

/// A program without HIP, which opens libraries.
fn host(workspace: &Workspace) -> PathBuf {
    compile_c(workspace, "host.c", &["-ldl"])
}

fn compile_c(workspace: &Workspace, source: &str, flags: &[&str]) -> PathBuf {
    let output = workspace.path(source).with_extension("out");
    let build = Command::new("cc")
        .arg(sources().join(source))
        .args(flags)
        .arg("-o")
        .arg(&output)
        .output()
        .unwrap();
    assert!(build.status.success(), "{}", text(&build));
    output
}

/// Only the library of kernels sees HIP, as in frameworks with extension modules.
#[test]
fn hidden_runtimes() {
    let workspace = Workspace::new();
    let host = host(&workspace);
    // HIP 5.2 crashes on kernels of clang 22 without optimisation, so `build` adds some.
    let plain = workspace.build(
        "libplain.so",
        "library.hip",
        &["gfx90a"],
        &[],
        &["-O0", "-shared", "-fPIC"],
    );
    for (out, library) in [("optimised", &programs().library), ("plain", &plain)] {
        let library = library.to_str().unwrap();
        let output = workspace.run("gfx90a", out, &[], &host, &[library]);
        assert!(output.status.success(), "{}", text(&output));
        assert_eq!(workspace.counts(out)[LIBRARY], [64, 10], "{out}");
    }
}

/// A library finds the HIP that is linked into it, although the drain's functions come first.
#[test]
fn runtimes_inside_of_libraries() {
    let workspace = Workspace::new();
    let plugin = compile_c(&workspace, "plugin.c", &["-shared", "-fPIC", "-ldl"]);
    let output = Command::new(host(&workspace))
        .arg(plugin)
        .env("LD_PRELOAD", drain_library())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
}

/// HIP and HSA under names of their own, as in Python's wheels, where only the library of kernels sees them.
#[test]
fn renamed_runtimes() {
    let workspace = Workspace::new();
    let host = host(&workspace);
    let names = [
        ("libamdhip64.so.5", "libamdhip64-a.so"),
        ("libhsa-runtime64.so.1", "libhsa-runtime64-a.so"),
    ];
    let installed = names.map(|(name, _)| {
        let found = Command::new("cc")
            .arg(format!("-print-file-name={name}"))
            .output();
        PathBuf::from(text(&found.unwrap()).trim())
    });
    let all = [
        installed[0].clone(),
        installed[1].clone(),
        programs().library.clone(),
    ];
    for path in &all {
        let mut bytes = std::fs::read(path).unwrap();
        let mut name = path.file_name().unwrap().to_str().unwrap();
        for (old, new) in names {
            assert_eq!(old.len(), new.len());
            let places: Vec<_> = bytes
                .windows(old.len())
                .enumerate()
                .filter(|(_, window)| *window == old.as_bytes())
                .map(|(at, _)| at)
                .collect();
            places
                .into_iter()
                .for_each(|at| bytes[at..at + old.len()].copy_from_slice(new.as_bytes()));
            name = if name == old { new } else { name };
        }
        std::fs::write(workspace.path(name), bytes).unwrap();
    }
    let output = workspace
        .tool()
        .env("LD_LIBRARY_PATH", workspace.directory.path())
        .args(["run", "--device", "gfx90a", "-o", "out", "--"])
        .arg(&host)
        .arg(workspace.path("liblibrary.so"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(
        workspace.counts("out")[LIBRARY],
        [64, 10],
        "{}",
        text(&output)
    );
}

/// Ten thousand kernels that clang compiled, loaded by the real runtime.
#[test]
fn ten_thousand_kernels_in_one_image() {
    const COUNT: usize = 10_000;
    let workspace = Workspace::new();
    let name = |at: usize| format!("k{at}");
    let ran = [0, 4321, COUNT - 1];
    // Optimising what is never run would only take time; what is run must be, for HIP 5.2 to take kernels of clang 22.
    let plain = |at| {
        if ran.contains(&at) {
            ""
        } else {
            ", optnone, noinline"
        }
    };
    let source: String = (0..COUNT)
        .map(|at| {
            format!(
                "extern \"C\" __attribute__((global{})) void {}() {{}}\n",
                plain(at),
                name(at)
            )
        })
        .collect();
    std::fs::write(workspace.path("many.hip"), source).unwrap();
    let mut build = workspace.tool();
    build.args([
        "build",
        "--",
        "clang++-22",
        "-x",
        "hip",
        "-O1",
        "-nogpuinc",
        "-nogpulib",
    ]);
    build.args([
        "--offload-arch=gfx90a",
        "--offload-device-only",
        "--no-gpu-bundle-output",
    ]);
    build.args(["-mcode-object-version=4", "many.hip", "-o", "many.co"]);
    let build = build.output().unwrap();
    assert!(build.status.success(), "{}", text(&build));
    let [first, middle, last] = ran.map(name);
    let arguments = ["pick", "many.co", &first, &middle, &last];
    let output = workspace.run("gfx90a", "out", &[], &programs().scenes, &arguments);
    assert!(output.status.success(), "{}", text(&output));
    let counts = workspace.counts("out");
    assert_eq!(
        counts.keys().filter(|name| name.starts_with('k')).count(),
        COUNT
    );
    let ran: Vec<_> = counts
        .iter()
        .filter(|(name, counts)| name.starts_with('k') && counts[0] != 0)
        .collect();
    let expected = [(&first, vec![64]), (&middle, vec![128]), (&last, vec![192])];
    assert_eq!(ran.len(), expected.len());
    for (name, expected) in expected {
        assert_eq!(counts[name], expected, "{name}");
    }
    workspace.report(&["verify", "out"]);
    let lines = workspace.report(&["lcov", "out", "-o", "-"]);
    let hit = lines
        .lines()
        .filter(|line| line.starts_with("DA:") && !line.ends_with(",0"));
    assert_eq!(
        hit.collect::<Vec<_>>(),
        ["DA:1,64", "DA:4322,128", "DA:10000,192"]
    );
}

/// Programs that compile their kernels while they run, with the LLVM 15 of Debian's comgr, and know nothing of this.
#[test]
fn kernels_compiled_at_run_time() {
    let workspace = Workspace::new();
    let output = workspace.run("gfx90a", "out", &["--hiprtc"], &programs().scenes, &["rtc"]);
    assert_eq!(ending(&output), 0, "{}", text(&output));
    assert!(
        text(&output).contains("unknown type name 'no'"),
        "{}",
        text(&output)
    );
    let counts = workspace.counts("out");
    // Entered, stored, and the two sides of `&&`.
    assert_eq!(counts["rtc_work"], [64, 10, 64, 10]);
    let generic: Vec<_> = counts
        .iter()
        .filter(|(name, _)| name.contains("generic"))
        .collect();
    // In 64 lanes, lanes 0 to 9 make 3, 3, 2, 2, 2, 2, 1, 1, 1, 1 iterations.
    assert_eq!(generic.len(), 1);
    assert_eq!(generic[0].1, &[64, 18]);
    workspace.report(&["verify", "out"]);
    // The sources were kept, so lines can be shown although there is no file of them.
    let shown = workspace.report(&["show", "out"]);
    let shown: Vec<_> = shown.lines().map(str::trim_start).collect();
    assert!(
        shown.contains(&"5|     10|        out[i] = i;"),
        "{shown:#?}"
    );
    assert!(
        shown.contains(&"3|     18|        out[i] = i;"),
        "{shown:#?}"
    );
    // Without being asked for it, nothing changes.
    let output = workspace.run("gfx90a", "plain", &[], &programs().scenes, &["rtc"]);
    assert_eq!(ending(&output), 0, "{}", text(&output));
    let counts = workspace.counts("plain");
    assert!(
        counts.values().flatten().all(|count| *count == 0),
        "{counts:?}"
    );
}

/// The compiler's ABI of LLVM 23, by hand: uniform counters, wave sizes and calls of the device runtime.
#[test]
fn code_of_the_next_release() {
    let workspace = Workspace::new();
    for (target, wave) in [("gfx90a", "64"), ("gfx1030", "32")] {
        let program = workspace.path(&format!("later-{target}"));
        let flags = workspace.report(&["flags"]);
        let kept = flags
            .split_whitespace()
            .skip_while(|flag| *flag != "-include");
        let reference = rawprof::names::name_ref(b"later_work");
        let build = Command::new("clang++-22")
            .args([
                "-x",
                "hip",
                "-O1",
                "-DLUTHIER_PROFILE_ABI=23",
                "--start-no-unused-arguments",
            ])
            .arg(format!("--offload-arch={target}"))
            .args([
                format!("-DWAVE={wave}"),
                format!("-DNAME_REF={reference:#x}"),
            ])
            .args(kept)
            .arg(sources().join("later.hip"))
            .args(["-lamdhip64", "-o"])
            .arg(&program)
            .output()
            .unwrap();
        assert!(build.status.success(), "{}", text(&build));
        let output = workspace.run(target, target, &[], &program, &[]);
        assert!(output.status.success(), "{}", text(&output));
        assert!(!text(&output).contains("bounds table"), "{}", text(&output));
        let files = workspace.profiles(target);
        let profiles = rawprof::parse(&std::fs::read(&files[0]).unwrap()).unwrap();
        let profile = &profiles[0];
        assert_eq!((profile.version.number(), profile.records.len()), (11, 1));
        let record = &profile.records[0];
        // Three workgroups, the later ones of which LLVM's own sampling would leave out; the last wave that goes on is
        // not full.
        assert_eq!(record.counters, [192, 74], "{target}");
        assert_eq!(record.uniform, [192, 64], "{target}");
        assert_eq!(record.wave_size.to_string(), wave);
    }
}

/// The steps of a new user with the distribution's compiler driver: compile, link, run, report.
#[test]
fn builds_in_two_steps_with_hipcc_and_reports() {
    let workspace = Workspace::new();
    let header = format!(
        "-I{}",
        sources()
            .join("../../../../../runtime/device-profile")
            .display()
    );
    let step = |arguments: &[&str]| {
        let mut command = workspace.tool();
        command
            .args(["build", "--", "hipcc", "--offload-arch=gfx90a", "-O1"])
            .args(arguments);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
    };
    let source = sources().join("scenes.hip");
    step(&[&header, "-c", source.to_str().unwrap(), "-o", "scenes.o"]);
    step(&["scenes.o", "-ldl", "-lpthread", "-o", "scenes"]);
    let output = workspace.run("gfx90a", "out", &[], &workspace.path("scenes"), &["once"]);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(workspace.counts("out")[WORK], [64, 10]);

    let report = workspace.report(&["report", "out"]);
    let line = report
        .lines()
        .find(|line| line.contains("scenes.hip"))
        .unwrap();
    assert!(line.contains("100.00%"), "{report}");
    let functions = workspace.report(&["report", "--functions", "out"]);
    assert!(functions.contains(WORK), "{functions}");
    let json: serde_json::Value =
        serde_json::from_str(&workspace.report(&["report", "--format", "json", "out"])).unwrap();
    assert_eq!(json["data"][0]["totals"]["functions"]["covered"], 1);
    let shown = workspace.report(&["show", "--branches", "out"]);
    assert!(shown.contains("|     10|        out[i] = i;"), "{shown}");
    assert!(shown.contains("True: 10, False: 54"), "{shown}");
    let index = workspace.path("pages/index.html");
    workspace.report(&["html", "out", "-o", "pages"]);
    assert!(
        std::fs::read_to_string(index)
            .unwrap()
            .contains("scenes.hip")
    );
    workspace.report(&["lcov", "out", "-o", "x.lcov"]);
    let lcov = std::fs::read_to_string(workspace.path("x.lcov")).unwrap();
    assert!(lcov.contains(&format!("FNDA:64,{WORK}")), "{lcov}");
    workspace.report(&["merge", "out", "-o", "x.profdata"]);
    assert_eq!(
        workspace
            .report(&["inspect", "x.profdata"])
            .matches(WORK)
            .count(),
        1
    );
    // Reports of a merged profile find the images beside it no longer, unless the directory is named too.
    assert!(
        workspace
            .report(&["report", "x.profdata", "out"])
            .contains("scenes.hip")
    );
}

#[test]
fn several_devices() {
    let workspace = Workspace::new();
    let output = workspace.run(
        "gfx90a,gfx90a,gfx1030",
        "sum",
        &[],
        &programs().scenes,
        &["devices"],
    );
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(
        workspace.profiles("sum").len(),
        2,
        "one file per architecture"
    );
    assert_eq!(workspace.counts("sum")[WORK], [3 * 64, 10 + 20 + 30]);
    let output = workspace.run(
        "gfx90a,gfx90a,gfx1030",
        "apart",
        &["--per-device"],
        &programs().scenes,
        &["devices"],
    );
    assert!(output.status.success(), "{}", text(&output));
    let mut inside: Vec<u64> = Vec::new();
    for file in workspace.profiles("apart") {
        let mut counts = Default::default();
        add_counts(&file, &mut counts);
        inside.push(counts[WORK][1]);
    }
    inside.sort_unstable();
    assert_eq!(inside, [10, 20, 30]);
}

#[test]
fn forks_and_threads() {
    let workspace = Workspace::new();
    let output = workspace.run(
        "gfx90a",
        "before",
        &[],
        &programs().scenes,
        &["fork-before"],
    );
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(
        workspace.profiles("before").len(),
        2,
        "parent and child each have a GPU of their own"
    );
    assert_eq!(workspace.counts("before")[WORK], [128, 30]);

    let output = workspace.run("gfx90a", "after", &[], &programs().scenes, &["fork-after"]);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(
        workspace.profiles("after").len(),
        1,
        "the child never touches the parent's GPU"
    );
    assert_eq!(workspace.counts("after")[WORK], [128, 20]);

    let output = workspace.run("gfx90a", "threads", &[], &programs().scenes, &["threads"]);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(workspace.counts("threads")[WORK], [20 * 64, 20 * 10]);
}

#[test]
fn programs_may_dump_and_reset() {
    let workspace = Workspace::new();
    let output = workspace.run(
        "gfx90a",
        "interface",
        &[],
        &programs().scenes,
        &["interface"],
    );
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(
        workspace.counts("interface")[WORK],
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
        .current_dir(workspace.directory.path())
        .output()
        .unwrap();
    assert_eq!(
        (output.status.code(), text(&output)),
        (Some(0), String::new())
    );
    assert!(workspace.profiles("").is_empty());
}

#[test]
fn concurrent_ranks_share_a_file() {
    let workspace = Workspace::new();
    let ranks: Vec<_> = (0..3)
        .map(|_| {
            workspace.start(
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
    assert_eq!(workspace.profiles("ranks").len(), 1);
    assert_eq!(workspace.counts("ranks")[WORK], [3 * 20 * 64, 3 * 20 * 10]);
}

/// Without the tools interface, as with runtimes that gave it to another tool.
#[test]
fn preload_alone_is_enough() {
    let workspace = Workspace::new();
    let module = programs().module.to_str().unwrap();
    for (out, arguments, function, expected) in [
        ("once", vec!["once"], WORK, 64),
        ("module", vec!["module", module], MODULE, 6 * 64),
        ("fork", vec!["fork-after"], WORK, 128),
    ] {
        let mut command = workspace.tool();
        let preload = format!("{}:{}", drain_library().display(), emulator().display());
        command.args(["run", "-o", "unused", "--", "env", "-u", "HSA_TOOLS_LIB"]);
        command
            .arg(format!("LD_PRELOAD={preload}"))
            .arg("LUTHIER_DEVICE=gfx90a");
        command.arg(format!(
            "LUTHIER_PROFILE_FILE={}",
            workspace.path(out).join("%p.profraw").display()
        ));
        command.arg(&programs().scenes).args(arguments);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{out}: {}", text(&output));
        assert_eq!(workspace.entries(out, function), expected, "{out}");
    }
}

/// The drain linked into the program: no launcher, no preload, and the usual naming of profiles.
#[test]
fn linked_in() {
    let workspace = Workspace::new();
    let archive = drain_archive();
    let flags = [
        "-Wl,-u,__llvm_profile_hip_collect_device_data",
        archive.to_str().unwrap(),
        "-lhsa-runtime64",
        "-lpthread",
        "-ldl",
        "-lm",
    ];
    let program = workspace.build("linked", "scenes.hip", &["gfx90a"], &[], &flags);
    // `legacy` calls what earlier runtimes had: the last of these calls collects, then the program is killed.
    for (scene, status) in [
        ("once", 0),
        ("abort", -6),
        ("immediate-exit", 5),
        ("legacy", -9),
    ] {
        let mut command = Command::new(&program);
        command
            .arg(scene)
            .env("LD_PRELOAD", emulator())
            .env("LUTHIER_DEVICE", "gfx90a");
        command.env(
            "LLVM_PROFILE_FILE",
            workspace.path(scene).join("sub/x-%p.profraw"),
        );
        let output = command.output().unwrap();
        assert_eq!(ending(&output), status, "{scene}: {}", text(&output));
        assert_eq!(
            workspace.entries(&format!("{scene}/sub"), WORK),
            64,
            "{scene}"
        );
    }
}

/// A host with counters of its own: both profiles are whole, and one report shows both sides.
#[test]
fn host_profiles_are_left_alone_and_can_be_merged() {
    let workspace = Workspace::new();
    let program = workspace.build(
        "both",
        "scenes.hip",
        &["gfx90a"],
        &["--host"],
        &["-lpthread", "-ldl"],
    );
    let mut command = workspace.tool();
    command
        .args(["run", "--device", "gfx90a", "-o", "out", "--"])
        .arg(&program)
        .arg("status");
    let output = command
        .env("LLVM_PROFILE_FILE", workspace.path("host/host.profraw"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(7), "{}", text(&output));
    assert_eq!(workspace.profiles("out").len(), 1);
    assert_eq!(workspace.entries("out", WORK), 64);
    assert_eq!(workspace.entries("host", "main"), 1);
    let report = workspace.report(&[
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
    let workspace = Workspace::new();
    let program = workspace.build(
        "pgo",
        "scenes.hip",
        &["gfx90a"],
        &["--pgo"],
        &["-lpthread", "-ldl"],
    );
    let output = workspace.run("gfx90a", "out", &[], &program, &["once"]);
    assert!(output.status.success(), "{}", text(&output));
    workspace.report(&["verify", "out"]);
    workspace.report(&["merge", "out", "-o", "device.profdata"]);
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
                .join("../../../../../runtime/device-profile")
                .display()
        ))
        .arg(sources().join("scenes.hip"))
        .current_dir(workspace.directory.path())
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
    if !prerequisite::mounts() {
        return;
    }
    let workspace = Workspace::new();
    let out = workspace.path("full");
    std::fs::create_dir(&out).unwrap();
    let script = format!(
        "mount -t tmpfs -o size=8k none {0} && \"$@\" && echo left: >&2 && find {0} -type f >&2",
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
    assert!(output.status.success(), "{printed}");
    assert!(
        printed.contains("No space left on device") && printed.contains("LUTHIER_PROFILE_FILE"),
        "{printed}"
    );
    // Files that are left have their final names, which only complete files get.
    let left = printed.split("left:\n").nth(1).unwrap_or_default();
    let whole = |name: &str| {
        [".profraw", ".profraw.json", ".debug"]
            .iter()
            .any(|end| name.ends_with(end))
    };
    assert!(left.lines().all(whole), "{printed}");
}
