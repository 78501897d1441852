//! A tool with host code in Rust, as `luthier tool new --rust --checkout` writes it: built with cargo, run beside another, and what goes
//! wrong in such tools.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
    time::{Duration, Instant},
};

use programs::{Bounded, Emulator};

const DEVICE: &str = "gfx90a";
/// The tool's and the crate's name. Everything that it depends on stays built, so that only the first run takes minutes.
const NAME: &str = "own-counter";

/// Host code that does what `MISCHIEF` says.
const MISCHIEF: &str = r#"
use luthier::{Edit, Kernel, Launch, Result, Results, Tool, ToolFile, ToolInfo};

struct Mischief(ToolFile);

fn act(place: &str) {
    let wanted = std::env::var("MISCHIEF").unwrap_or_default();
    match wanted.strip_suffix(place) {
        Some("crash in ") => panic!("mischief in {place}"),
        Some("hang in ") => loop {
            std::thread::sleep(std::time::Duration::from_secs(1));
        },
        Some("abort in ") => std::process::abort(),
        Some("exit in ") => std::process::exit(3),
        _ => {}
    }
}

impl Tool for Mischief {
    fn info(&self) -> ToolInfo<'_> {
        ToolInfo::new(&self.0)
    }
    fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()> {
        act("instrument");
        for block in kernel.blocks() {
            edit.before(&block.first()).once().call("count", [block.len()])?;
            edit.before(&block.first()).once().call("tell", [block.len()])?;
        }
        Ok(())
    }
    fn launch(&self, _launch: &Launch<'_>) {
        act("launch");
    }
    fn records(&self, _stream: &str, _records: &[u8]) -> bool {
        act("records");
        true
    }
    fn finish(&self, results: &Results<'_>) -> Result<String> {
        act("finish");
        Ok(format!("{} wave instructions\n", results.sum("total")?))
    }
}

fn made(file: ToolFile) -> Mischief {
    act("making");
    Mischief(file)
}

luthier_intercept::tools! { "own-counter" => made }
"#;

const MISCHIEF_HOOKS: &str = r#"
#include <luthier_device.h>
LUTHIER_GLOBAL luthier_u64 total;
LUTHIER_GLOBAL luthier::ring told;
struct telling { luthier_u32 instructions; };
LUTHIER_HOOK void count(luthier_u32 instructions) { luthier::add(&total, instructions); }
LUTHIER_HOOK void tell(luthier_u32 instructions) { luthier::emit(&told, telling{instructions}); }
LUTHIER_TOOL(R"(
about = "counts, and worse"
[hooks]
count = ["scalar"]
tell = ["scalar"]
[[stream]]
ring = "told"
file = "told.jsonl"
fields = ["instructions:u32"]
)")
"#;

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
        let scene = Scene {
            emulator: Emulator::find().expect("the emulator is built"),
            application: programs::compile(&program).unwrap(),
            folder: tempfile::tempdir().unwrap(),
        };
        let made = scene
            .emulator
            .command()
            .args(["tool", "new", NAME, "--rust", "--checkout"])
            .arg(programs::root())
            .current_dir(scene.folder.path())
            .bounded_output()
            .unwrap();
        assert!(made.status.success(), "{}", text(&made.stderr));
        Some(scene)
    }

    /// The library that cargo makes of the crate, in a folder of its own: cargo takes paths of sources relative to the workspace,
    /// so what is built here already cannot be used.
    fn build(&self) -> PathBuf {
        let target = programs::root().join("target/rust-tool");
        let built = Command::new(env!("CARGO"))
            .arg("build")
            .current_dir(self.folder.path().join(NAME))
            .env("CARGO_TARGET_DIR", &target)
            // Not for speed, which takes three times as long.
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CARGO_INCREMENTAL", "0")
            .env("LUTHIER_TARGETS", DEVICE)
            .output()
            .unwrap();
        assert!(built.status.success(), "{}", text(&built.stderr));
        target.join("debug/libown_counter.so")
    }

    fn run(&self, options: &[&str], variables: &[(&str, &str)]) -> Output {
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
            .env("LUTHIER_CACHE", "off")
            .envs(variables.iter().copied())
            // Records that a tool does not take are written there.
            .current_dir(self.folder.path())
            .bounded_output()
            .unwrap()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn good(output: &Output) -> String {
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    said
}

/// Wave instructions of kernels called `add`, as the emulated GPU counts them.
fn retired(scene: &Scene) -> u64 {
    let output = scene.folder.path().join("plain");
    good(&scene.run(&["--output", output.to_str().unwrap()], &[]));
    let statistics = std::fs::read(output.join("statistics.json")).unwrap();
    let statistics: serde_json::Value = serde_json::from_slice(&statistics).unwrap();
    let kernels = statistics["kernels"].as_array().unwrap().iter();
    let kernels = kernels.filter(|kernel| kernel["kernel"].as_str().unwrap().contains("add"));
    kernels
        .map(|kernel| kernel["wave_instructions"].as_u64().unwrap())
        .sum()
}

#[test]
#[ignore = "builds the whole engine again; ./dev nightly runs it"]
fn a_new_tool_counts_and_a_bad_one_harms_nobody() {
    let Some(scene) = Scene::new() else { return };
    let expected = format!("{} wave instructions\n", retired(&scene));
    let library = scene.build();
    let library = library.to_str().unwrap();

    let said = good(&scene.run(&["-t", library], &[]));
    assert!(said.contains(&expected), "{said}");
    assert!(
        said.contains("luthier own-counter: 2 kernels seen, 1 instrumented"),
        "{said}"
    );
    assert!(said.contains(" launches of add("), "{said}");
    // Together with a ready tool, whose path the library does not know.
    let said = good(&scene.run(&["-t", library, "-t", "instr-count"], &[]));
    assert!(
        said.contains("luthier own-counter, instr-count: 2 kernels seen, 1 instrumented"),
        "{said}"
    );
    assert_eq!(said.matches(expected.trim_end()).count(), 1, "{said}");

    // By its name in the library, where there are others or not.
    let said = good(&scene.run(&["-t", &format!("{library}:{NAME}")], &[]));
    assert!(said.contains(&expected), "{said}");
    let output = scene.run(&["-t", &format!("{library}:other")], &[]);
    let said = text(&output.stderr);
    let reason = "has no tool other, but own-counter";
    assert!(said.contains(reason) && !said.contains(&expected), "{said}");

    // Before anything starts.
    let copy = scene.folder.path().join("libcopy.so");
    std::fs::copy(library, &copy).unwrap();
    let copy = copy.to_str().unwrap();
    let other = scene.folder.path().join("libother.so");
    std::fs::copy("/lib/x86_64-linux-gnu/libm.so.6", &other).unwrap();
    let no_library = scene.folder.path().join("text.so");
    std::fs::write(&no_library, "text").unwrap();
    for (options, word) in [
        (vec!["-t", library, "-t", copy], "cannot run together"),
        (vec!["-t", other.to_str().unwrap()], "is no tool"),
        (vec!["-t", no_library.to_str().unwrap()], "is no library"),
        (vec!["-t", "/no/such/lib.so"], "cannot read"),
    ] {
        let output = scene.run(&options, &[]);
        let said = text(&output.stderr);
        assert!(!output.status.success() && said.contains(word), "{said}");
    }

    let source = scene.folder.path().join(NAME).join("src/lib.rs");
    std::fs::write(source, MISCHIEF).unwrap();
    let hooks = format!("{NAME}/hooks/{NAME}.hip");
    std::fs::write(scene.folder.path().join(hooks), MISCHIEF_HOOKS).unwrap();
    assert_eq!(scene.build(), Path::new(library));
    let said = good(&scene.run(&["-t", library], &[]));
    assert!(said.contains(&expected), "{said}");
    for (mischief, words) in [
        (
            "crash in making",
            &[
                "1 refused",
                "note: the host code of tool own-counter crashed in its constructor: mischief in making",
            ][..],
        ),
        (
            "hang in making",
            &[
                "1 refused",
                "note: the host code of tool own-counter did not come back from its constructor for 1 s",
            ][..],
        ),
        (
            "abort in making",
            &[
                "1 refused",
                "note: the host code of tool own-counter died of signal 6 (Aborted) in its constructor",
            ][..],
        ),
        (
            "crash in instrument",
            &[
                "1 refused",
                "tool own-counter crashed: mischief in instrument",
            ][..],
        ),
        (
            "hang in instrument",
            &[
                "instrumenting took longer",
                "note: the host code of tool own-counter did not come back from instrument (add(",
            ][..],
        ),
        (
            "abort in instrument",
            &[
                "1 refused",
                "note: the host code of tool own-counter died of signal 6 (Aborted) in instrument",
            ][..],
        ),
        (
            "crash in launch",
            &[
                "1 instrumented",
                "note: the host code of tool own-counter crashed in launch: mischief in launch",
            ][..],
        ),
        (
            "hang in launch",
            &[
                "1 instrumented",
                "note: the host code of tool own-counter did not come back from launch for 1 s",
            ][..],
        ),
        (
            "abort in launch",
            &[
                "1 instrumented",
                "note: the host code of tool own-counter died of signal 6 (Aborted) in launch",
            ][..],
        ),
        (
            "crash in records",
            &[
                "1 instrumented",
                "note: the host code of tool own-counter crashed in records: mischief in records",
            ][..],
        ),
        (
            "hang in records",
            &[
                "1 instrumented",
                "note: the host code of tool own-counter did not come back from records for 1 s",
            ][..],
        ),
        (
            "abort in records",
            &[
                "1 instrumented",
                "note: the host code of tool own-counter died of signal 6 (Aborted) in records",
            ][..],
        ),
        (
            "crash in finish",
            &[
                "1 instrumented",
                "note: the host code of tool own-counter crashed in finish: mischief in finish",
            ][..],
        ),
        (
            "hang in finish",
            &[
                "1 instrumented",
                "note: the host code of tool own-counter did not come back from finish for 1 s",
            ][..],
        ),
        (
            "abort in finish",
            &[
                "1 instrumented",
                "note: the host code of tool own-counter died of signal 6 (Aborted) in finish",
            ][..],
        ),
    ] {
        let began = Instant::now();
        let variables = [
            ("MISCHIEF", mischief),
            ("LUTHIER_TOOL_LIMIT", "1"),
            ("LUTHIER_BUILD_LIMIT", "1"),
        ];
        let said = good(&scene.run(&["-t", library, "-t", "launch-log"], &variables));
        for word in words {
            assert!(said.contains(word), "{mischief}: no {word}: {said}");
        }
        assert!(
            began.elapsed() < Duration::from_secs(20),
            "{mischief}: {said}"
        );
    }
    const MAY_END_FIRST: [&str; 3] = ["instrument", "launch", "records"];
    for (place, status) in [
        ("making", 3),
        ("instrument", 3),
        ("launch", 3),
        ("records", 3),
        // The application has ended already, with a status of its own.
        ("finish", 0),
    ] {
        let mischief = format!("exit in {place}");
        let output = scene.run(&["-t", library], &[("MISCHIEF", &mischief)]);
        let said = text(&output.stderr);
        let told = match place {
            "making" => "the host code of a tool called exit before the application launched",
            "finish" => "note: the host code of tool own-counter called exit in finish",
            _ => "note: the host code of tool own-counter called exit in ",
        };
        assert!(said.contains(told), "{mischief}: {said}");
        assert!(!said.contains("did not come back"), "{mischief}: {said}");
        assert!(!said.contains("_exit"), "{mischief}: {said}");
        // (The application goes on while the tool's handlers of the end run, and may end first.)
        let ended = output.status.code();
        assert!(
            ended == Some(status) || (MAY_END_FIRST.contains(&place) && ended == Some(0)),
            "{mischief}: {ended:?} {said}"
        );
    }
}
