//! A tool with host code in C++, as `include/luthier.h` has it: the example, and what goes wrong in such tools.

use std::{
    path::{Path, PathBuf},
    process::Output,
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
            .args(["run", "--device", DEVICE, "-k", "^add"])
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
            "\"nothing\"",
            "there is no hook nothing",
        ),
        (
            "throwing",
            "++launches;",
            "throw 1;",
            "the tool threw an exception",
        ),
    ];
    for (name, from, to, reason) in rows {
        let source = scene.path(&format!("{name}.hip"));
        std::fs::write(&source, text.replacen(from, to, 1)).unwrap();
        let tool = scene.build(&source);
        let said = stderr(&scene.run(&["-t", tool.to_str().unwrap()], Path::new("off")));
        assert!(
            said.contains("0 instrumented, 1 refused") && said.contains(reason),
            "{said}"
        );
    }
    // Where host code cannot run, and where it is lost.
    let tool = scene.build(&programs::root().join("examples/instruction_counter.hip"));
    let offline = scene
        .emulator
        .command()
        .arg("instrument")
        .arg(&scene.application)
        .args(["-t", tool.to_str().unwrap(), "-o"])
        .arg(scene.path("out"))
        .bounded_output()
        .unwrap();
    let said = String::from_utf8_lossy(&offline.stderr);
    assert!(
        !offline.status.success() && said.contains("which only `luthier run` can call"),
        "{said}"
    );
    std::fs::remove_file(tool.with_extension("so")).unwrap();
    let said = stderr(&scene.run(&["-t", tool.to_str().unwrap()], Path::new("off")));
    assert!(
        said.contains("is not beside it") && said.contains("nothing is instrumented"),
        "{said}"
    );
}
