//! Tools that are wrong, and places that cannot be written: one clear message, and the application ends with its own result.

use compiled::Compiler;
use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
    time::{Duration, Instant},
};

use programs::{Bounded, Emulator};

const DEVICE: &str = "gfx90a";
/// A process that is left after this time waits for ever.
const ENOUGH: Duration = Duration::from_secs(150);
/// The application's output.
const RESULT: &str = "hello from 64 work-items\n";

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
        let program = programs::named("hello").unwrap();
        Some(Scene {
            emulator: Emulator::find().expect("the emulator is built"),
            application: programs::compile(&program).unwrap(),
            folder: tempfile::tempdir().unwrap(),
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `luthier tool build` of a file with this hook and description.
    fn build(&self, name: &str, target: &str, hook: &str, description: &str) -> (PathBuf, Output) {
        let source = self.path(&format!("{name}.hip"));
        let text = format!(
            "#include <luthier_device.h>\nLUTHIER_GLOBAL luthier_u64 total;\n{hook}\nLUTHIER_TOOL(R\"(\n{description}\n)\")\n"
        );
        std::fs::write(&source, text).unwrap();
        let output = self
            .emulator
            .command()
            .args(["tool", "build", "--target", target])
            .arg(&source)
            .bounded_output()
            .unwrap();
        (source.with_extension("tool"), output)
    }

    fn run(&self, tool: &Path, variables: &[(&str, &Path)], options: &[&str]) -> Output {
        self.emulator
            .command()
            .args(["run", "--device", DEVICE, "-k", "greet", "-t"])
            .arg(tool)
            .args(options)
            .arg("--")
            .arg(&self.application)
            .env("LUTHIER_CACHE", "off")
            .envs(variables.iter().copied())
            .bounded_output()
            .unwrap()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The application's own result, and these words from Luthier.
fn unharmed(output: &Output, words: &[&str]) {
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(stdout, RESULT, "{stderr}");
    assert!(output.status.success(), "{stderr}");
    for word in words {
        assert_eq!(stderr.matches(word).count(), 1, "{word}: {stderr}");
    }
}

const COUNT: &str = "LUTHIER_HOOK void count(luthier_u32 n) { luthier::add(&total, n); }";
const COUNTING: &str = "about = \"counts\"\ninsert = [{ hook = \"count\", at = \"block\", once = true, arguments = [\"block.length\"] }]\nprint = [{ text = \"{total} counted\" }]";

#[test]
fn tools_that_cannot_be_built_say_where() {
    let Some(scene) = Scene::new() else { return };
    let rows = [
        (
            "no-such-hook",
            COUNT,
            "insert = [{ hook = \"nope\", at = \"block\" }]",
            "no hook named nope",
        ),
        (
            "no-such-variable",
            COUNT,
            "print = [{ text = \"{totl} counted\" }]",
            "names a variable totl",
        ),
        (
            "not-a-number",
            "LUTHIER_GLOBAL luthier_u64 all[4];\nLUTHIER_HOOK void count(luthier_u32 n) { luthier::add(&all[1], n); }",
            "insert = [{ hook = \"count\", at = \"block\", arguments = [1] }]\nprint = [{ text = \"{all} counted\" }]",
            "prints the variable all, which is no number of 4 or 8 bytes",
        ),
        (
            "barrier",
            "LUTHIER_HOOK void count(luthier_u32 n) { __builtin_amdgcn_s_barrier(); }",
            COUNTING,
            "barrier.hip:3",
        ),
        (
            "no-such-argument",
            COUNT,
            "insert = [{ hook = \"count\", arguments = [\"block.colour\"] }]",
            "block.colour",
        ),
        (
            "too-many",
            COUNT,
            "insert = [{ hook = \"count\", arguments = [\"1\", \"2\"] }]",
            "number of arguments is 2",
        ),
        (
            "syntax",
            "LUTHIER_HOOK void count(",
            COUNTING,
            "syntax.hip does not compile",
        ),
    ];
    for (name, hook, description, word) in rows {
        let (tool, output) = scene.build(name, DEVICE, hook, description);
        let stderr = text(&output.stderr);
        assert!(!output.status.success(), "{name}");
        assert_eq!(stderr.matches(word).count(), 1, "{name}: {stderr}");
        assert!(!stderr.contains("panicked"), "{name}: {stderr}");
        assert!(!tool.exists(), "{name}");
    }
}

#[test]
fn tools_that_are_none_stop_before_the_application_starts() {
    let Some(scene) = Scene::new() else { return };
    let text_file = scene.path("text.tool");
    std::fs::write(&text_file, "hello").unwrap();
    let (good, _) = scene.build("good", DEVICE, COUNT, COUNTING);
    let bytes = std::fs::read(&good).unwrap();
    let half = scene.path("half.tool");
    std::fs::write(&half, &bytes[..bytes.len() / 2]).unwrap();
    // The runtime would take it for two tools.
    let colon = scene.path("a:b.tool");
    std::fs::copy(&good, &colon).unwrap();
    let folder = scene.path("a,b");
    std::fs::create_dir(&folder).unwrap();
    std::fs::copy(&good, folder.join("x.tool")).unwrap();
    let inside = (scene.emulator.command())
        .current_dir(&folder)
        .args(["run", "--device", DEVICE, "-t", "./x.tool", "--", "true"])
        .bounded_output()
        .unwrap();
    let said = text(&inside.stderr);
    assert!(
        inside.status.code() == Some(2) && said.contains("no path of a tool may have one"),
        "{said}"
    );
    for (tool, word) in [
        (colon.as_path(), "no path of a tool may have one"),
        (Path::new("no-such-tool"), "no tool no-such-tool"),
        (&scene.path("missing.tool"), "cannot read"),
        (&text_file, "is no built tool"),
        (&half, "is no built tool"),
    ] {
        let output = scene.run(tool, &[], &[]);
        let stderr = text(&output.stderr);
        assert!(
            !output.status.success() && output.stdout.is_empty(),
            "{stderr}"
        );
        assert_eq!(stderr.matches(word).count(), 1, "{stderr}");
    }
    // The user's environment may name them too.
    let output = scene
        .emulator
        .command()
        .args(["run", "--device", DEVICE, "-t", "identity", "--", "env"])
        .arg(format!("LUTHIER_TOOL={}", half.display()))
        .arg(&scene.application)
        .bounded_output()
        .unwrap();
    unharmed(&output, &["is no built tool", "nothing is instrumented"]);
}

#[test]
fn kernels_that_cannot_be_instrumented_run_as_they_are() {
    let Some(scene) = Scene::new() else { return };
    let (other, built) = scene.build("other", "gfx1030", COUNT, COUNTING);
    assert!(built.status.success(), "{}", text(&built.stderr));
    let output = scene.run(&other, &[], &[]);
    let word =
        "tool other has no hook count for gfx90a with wave64 (its hooks: count; built for gfx1030)";
    unharmed(&output, &["1 refused", word]);
    let hook = "LUTHIER_HOOK void count(luthier_u64 n) { luthier::add(&total, n); }";
    let at_the_end = |argument: &str| {
        format!(
            "insert = [{{ hook = \"count\", at = \"kernel-exit\", once = true, arguments = [\"{argument}\"] }}]"
        )
    };
    // An argument that the instruction does not have: that place is left out, or all of the kernel.
    let (tool, built) = scene.build("address", DEVICE, hook, &at_the_end("address"));
    assert!(built.status.success(), "{}", text(&built.stderr));
    for (options, words) in [
        (
            &[][..],
            [
                "0 refused",
                "hook count cannot have a value for parameter 0 at 0x",
            ],
        ),
        (
            &["--strict"],
            [
                "1 refused",
                "hook count cannot have a value for parameter 0 at 0x",
            ],
        ),
    ] {
        unharmed(&scene.run(&tool, &[], options), &words);
    }
    // One that is too narrow is known before there is a kernel.
    let (_, built) = scene.build("narrow", DEVICE, hook, &at_the_end("s0"));
    let said = text(&built.stderr);
    assert!(!built.status.success(), "{said}");
    assert!(
        said.contains("it has 64 bits, and the value given for it has 32"),
        "{said}"
    );
}

#[test]
fn places_that_cannot_be_written_cost_files_only() {
    let Some(scene) = Scene::new() else { return };
    let (tool, _) = scene.build("good", DEVICE, COUNT, COUNTING);
    // A cache that is damaged, and one that is no directory.
    let cache = scene.path("cache");
    let variables = [("LUTHIER_CACHE", cache.as_path())];
    unharmed(
        &scene.run(&tool, &variables, &[]),
        &["1 instrumented", "0 from cache", " counted"],
    );
    type Damage = fn(&mut Vec<u8>);
    let damages: [Damage; 4] = [
        |bytes| *bytes = b"rubbish".to_vec(),
        |bytes| bytes.clear(),
        |bytes| bytes.truncate(bytes.len() / 2),
        |bytes| {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
        },
    ];
    for damage in damages {
        for entry in std::fs::read_dir(&cache).unwrap() {
            let path = entry.unwrap().path();
            let mut bytes = std::fs::read(&path).unwrap();
            damage(&mut bytes);
            std::fs::write(path, bytes).unwrap();
        }
        let output = scene.run(&tool, &variables, &[]);
        unharmed(
            &output,
            &[
                "1 instrumented",
                "0 from cache",
                "cache entry ignored: ",
                " counted",
            ],
        );
    }
    unharmed(
        &scene.run(&tool, &variables, &[]),
        &["1 instrumented", "1 from cache", " counted"],
    );
    let file = scene.path("file");
    std::fs::write(&file, "").unwrap();
    let inside = file.join("cache");
    let output = scene.run(&tool, &[("LUTHIER_CACHE", &inside)], &[]);
    unharmed(
        &output,
        &["1 instrumented", "cache not written: ", " counted"],
    );
    // An output directory that cannot be made stops at once where it is asked for, and costs the files where the
    // environment names it.
    let output = scene.run(&tool, &[], &["--output", inside.to_str().unwrap()]);
    let stderr = text(&output.stderr);
    assert!(
        !output.status.success() && output.stdout.is_empty(),
        "{stderr}"
    );
    assert!(
        stderr.contains("cannot make the output directory"),
        "{stderr}"
    );
    let output = scene.run(
        Path::new("mem-trace,bb-count"),
        &[("LUTHIER_OUTPUT", &inside)],
        &[],
    );
    unharmed(&output, &[]);
    let stderr = text(&output.stderr);
    for file in ["mem-trace.", "bb-count.", "summary."] {
        let named = |line: &&str| line.contains(file) && line.contains("cannot");
        assert!(stderr.lines().any(|line| named(&line)), "{file}: {stderr}");
    }
}

/// A file system with 4 KiB, of this test alone: cache and output find it full.
#[test]
fn a_full_disk_costs_files_only() {
    if !prerequisite::mounts() {
        return;
    }
    let Some(scene) = Scene::new() else { return };
    const MOUNT: &str = "mount -t tmpfs -o size=4k none \"$1\" && shift && exec \"$@\"";
    let small = scene.path("small");
    std::fs::create_dir(&small).unwrap();
    let mounted = |arguments: &[&std::ffi::OsStr]| {
        let mut command = std::process::Command::new("unshare");
        command.args(["-rm", "sh", "-c", MOUNT, "sh"]).arg(&small);
        command.args(arguments);
        command
    };
    let luthier = scene.emulator.command();
    let run = [
        "run",
        "--device",
        DEVICE,
        "-k",
        "greet",
        "-t",
        "mem-trace,bb-count",
    ];
    let run = |variable: &str| {
        let mut command = mounted(&[luthier.get_program()]);
        command.args(run).arg("--").arg(&scene.application);
        command.env("LUTHIER_CACHE", "off").env(variable, &small);
        // Without a directory for records, they go to the current directory.
        command.current_dir(scene.folder.path());
        command.bounded_output().unwrap()
    };
    unharmed(
        &run("LUTHIER_CACHE"),
        &["1 instrumented", "cache not written: "],
    );
    let output = run("LUTHIER_OUTPUT");
    unharmed(&output, &[]);
    let said = text(&output.stderr);
    assert!(said.contains("No space left on device"), "{said}");
}

/// Results cannot be delivered then, and a message says so. The status stays the program's own.
#[test]
fn a_program_that_leaves_in_a_hurry_is_told_about() {
    let Some(scene) = Scene::new() else { return };
    let source = scene.path("hurry.hip");
    std::fs::write(
        &source,
        "#include <hip/hip_runtime.h>\n#include <csignal>\n#include <string>\n#include <thread>\n#include <unistd.h>\n\
         __global__ void greet() {}\n\
         volatile int depth;\n\
         int deeper(int n) { volatile char room[4096]; room[n % 4096] = n; depth = n; return deeper(n + 1) + room[0]; }\n\
         int main(int argc, char **argv) {\n\
         greet<<<1, 64>>>();\n\
         if (hipDeviceSynchronize() != hipSuccess) return 1;\n\
         std::string way = argc > 1 ? argv[1] : \"\";\n\
         if (way == \"kill\") kill(getpid(), SIGKILL);\n\
         if (way == \"overflow\") deeper(0);\n\
         if (way == \"overflow in a thread\") std::thread(deeper, 0).join();\n\
         _exit(7);\n}\n",
    )
    .unwrap();
    let hurry = scene.path("hurry");
    let compiled = Compiler::new("hipcc")
        .args(["--offload-arch=gfx90a", "-O1", "-w"])
        .arg(&source)
        .arg("-o")
        .arg(&hurry)
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", text(&compiled.stderr));
    const LOST: &str = "was killed, left by _exit or exec, or had a stack overflow in a thread that is not the first; what tools collected in it is lost";
    let run = |tools: &[&str], argument: Option<&str>| {
        let mut command = scene.emulator.command();
        command.args(["run", "--device", DEVICE]).args(tools);
        command.arg("--").arg(&hurry).args(argument);
        let output = command
            .env("LUTHIER_CACHE", "off")
            .bounded_output()
            .unwrap();
        let said = text(&output.stderr);
        let told = said.matches(LOST);
        (output.status, told.count(), said)
    };
    let (status, told, said) = run(&["-t", "bb-count"], None);
    assert_eq!((status.code(), told), (Some(7), 1), "{said}");
    // A handler has a stack of its own in the first thread alone.
    for (way, signal, lost) in [
        ("kill", 9, 1),
        ("overflow", 11, 0),
        ("overflow in a thread", 11, 1),
    ] {
        let (status, told, said) = run(&["-t", "bb-count"], Some(way));
        let ended = std::os::unix::process::ExitStatusExt::signal(&status);
        assert_eq!((ended, told), (Some(signal), lost), "{way}: {said}");
    }
    assert_eq!(run(&[], None).1, 0);
    let orderly = scene.run(Path::new("bb-count"), &[], &[]);
    unharmed(&orderly, &["1 instrumented"]);
    assert!(!text(&orderly.stderr).contains(LOST));
}

#[test]
fn files_that_cannot_be_instrumented_say_why() {
    let Some(scene) = Scene::new() else { return };
    let (tool, _) = scene.build("good", DEVICE, COUNT, COUNTING);
    let file = scene.path("file");
    std::fs::write(&file, "no program").unwrap();
    let nowhere = file.join("out");
    let out = scene.path("out");
    let twice = scene.path("twice");
    let once = scene
        .emulator
        .command()
        .arg("instrument")
        .arg(&scene.application)
        .arg("-t")
        .arg(&tool)
        .arg("-o")
        .arg(&twice)
        .bounded_output()
        .unwrap();
    assert!(once.status.success(), "{}", text(&once.stderr));
    for (input, output, word) in [
        (&file, &out, "it is no ELF file or offload bundle"),
        (&scene.path("missing"), &out, "cannot read"),
        (
            &std::env::current_exe().unwrap(),
            &out,
            "without device code",
        ),
        (&scene.application, &nowhere, "out"),
        (&twice, &out, "it has tools in it already (good)"),
    ] {
        let done = scene
            .emulator
            .command()
            .arg("instrument")
            .arg(input)
            .arg("-t")
            .arg(&tool)
            .arg("-o")
            .arg(output)
            .bounded_output()
            .unwrap();
        let stderr = text(&done.stderr);
        assert!(!done.status.success() && stderr.contains(word), "{stderr}");
        assert!(!output.exists(), "{stderr}");
    }
}

/// A program of two processes ends as a whole where there is no device.
#[test]
fn nobody_is_left_waiting_without_a_device() {
    if !programs::can_compile() {
        return;
    }
    let program = programs::named("between_processes").unwrap();
    let mut command = Command::new(programs::compile(&program).unwrap());
    // Neither an emulated one nor one that may be here.
    command.env("HIP_VISIBLE_DEVICES", "-1");
    let began = Instant::now();
    // This call waits for a resource that the other process holds.
    let output = command.output_within(ENOUGH).unwrap();
    assert!(!output.status.success(), "{output:?}");
    assert!(began.elapsed() < ENOUGH, "a process is left");
}
