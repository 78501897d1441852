//! Programs that are compiled with precompiled headers of HIP.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

use compiled::Compiler;

const PROGRAM: &str = "#include <cstdio>\n#include <hip/hip_runtime.h>\n\
    __global__ void twice(float *x) { x[threadIdx.x] = sinf(x[threadIdx.x]) * 2; }\n\
    int main() { twice<<<1, 64>>>(nullptr); printf(\"%d\\n\", LEVEL); return hipDeviceSynchronize(); }\n";

/// A folder with a `hipcc` in it that writes down with which arguments it was started, and a cache.
struct Scene(tempfile::TempDir);

impl Scene {
    fn new() -> Option<Scene> {
        let is_here = prerequisite::program("hipcc", "hipcc");
        is_here.then(|| Scene::with("exec hipcc \"$@\""))
    }

    /// For tests of the arguments alone: what this `hipcc` makes is empty.
    fn of_arguments() -> Scene {
        Scene::with("while [ \"$1\" != -o ]; do shift; done\n: > \"$2\"")
    }

    fn with(command: &str) -> Scene {
        let scene = Scene(tempfile::tempdir().unwrap());
        let (program, log) = (scene.path("hipcc"), scene.path("log"));
        let text = format!("#!/bin/sh\necho \"$*\" >> {}\n{command}\n", log.display());
        fs::write(&program, text).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The arguments of each start since the last question.
    fn started(&self) -> Vec<String> {
        let log = fs::read_to_string(self.path("log")).unwrap_or_default();
        fs::write(self.path("log"), "").unwrap();
        log.lines().map(str::to_owned).collect()
    }

    /// Compiles a text with the cache, and returns what the compiler made.
    fn compile(&self, text: &str, options: &[&str]) -> Vec<u8> {
        let (source, output) = (self.path("a.hip"), self.path("a"));
        fs::write(&source, text.replace("LEVEL", "3")).unwrap();
        let mut compiler = Compiler::new(self.path("hipcc"));
        compiler.cache(&self.path("cache")).args(options);
        let printed = compiler.arg(&source).arg("-o").arg(&output).output();
        let printed = printed.unwrap();
        assert!(printed.status.success(), "{printed:?}");
        fs::read(&output).unwrap()
    }

    /// The folders of the cache with an output of this name.
    fn entries(&self, output: &str) -> Vec<PathBuf> {
        let folders = fs::read_dir(self.path("cache")).unwrap();
        let folders = folders.map(|folder| folder.unwrap().path());
        let has = |folder: &PathBuf| folder.join("output").join(output).exists();
        folders.filter(has).collect()
    }

    /// The headers on which the only program in the cache depends, without the one that is precompiled.
    fn headers(&self) -> BTreeSet<PathBuf> {
        let entries = self.entries("a");
        assert_eq!(entries.len(), 1);
        let made = fs::read_to_string(entries[0].join("made")).unwrap();
        let paths = made.lines().map(|line| line.split_once(' ').unwrap().1);
        let paths = paths.map(|path| Path::new(path).canonicalize().unwrap());
        paths.filter(|path| !path.ends_with("hip.h")).collect()
    }
}

/// Returns `true` if this start was told to use precompiled headers.
fn uses(arguments: &str, target: &str) -> bool {
    arguments.contains("-Xarch_host -include")
        && arguments.contains(&format!("-Xarch_{target} -include"))
}

#[test]
fn headers_are_read_once_for_each_target_and_options() {
    let scene = Scene::of_arguments();
    let first = ["-O1", "--offload-arch=gfx90a"];
    scene.compile(PROGRAM, &first);
    // For the host, for the target, and the program.
    let started = scene.started();
    assert_eq!(started.len(), 3, "{started:?}");
    assert!(uses(&started[2], "gfx90a"), "{started:?}");
    // Other text, and options on which declarations do not depend.
    scene.compile(
        &format!("{PROGRAM}// other\n"),
        &["-O2", "-w", "--offload-arch=gfx90a"],
    );
    let started = scene.started();
    assert_eq!(started.len(), 1, "{started:?}");
    assert!(uses(&started[0], "gfx90a"), "{started:?}");
    // Another target.
    scene.compile(
        PROGRAM,
        &["-O1", "--offload-arch=gfx90a", "--offload-arch=gfx1030"],
    );
    assert_eq!(scene.started().len(), 2);
}

#[test]
fn headers_that_begin_with_hips_header_count_as_it() {
    let scene = Scene::of_arguments();
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../include");
    let include = include.canonicalize().unwrap();
    let own = "#pragma once\n#include <hip/hip_runtime.h>\n#define OWN 1\n";
    fs::write(scene.path("own.h"), own).unwrap();
    for first in ["#include \"own.h\"", "#include <luthier.h>"] {
        let text = format!("{first}\n{PROGRAM}");
        let options = ["-I", include.to_str().unwrap(), "--offload-arch=gfx90a"];
        scene.compile(&text, &options);
        let started = scene.started();
        assert!(uses(started.last().unwrap(), "gfx90a"), "{started:?}");
    }
}

#[test]
fn the_code_is_the_same() {
    let Some(scene) = Scene::new() else { return };
    for options in [
        &["-O3", "--offload-arch=gfx90a", "--offload-arch=gfx1030"][..],
        &["--offload-arch=gfx906"],
        &["-O2", "-c", "--offload-arch=gfx1030"],
        &[
            "-O1",
            "-fPIC",
            "-shared",
            "-std=c++17",
            "--offload-arch=gfx90a",
        ],
    ] {
        let made = scene.compile(PROGRAM, options);
        let started = scene.started();
        let last = started.last().unwrap();
        assert!(last.contains("-Xarch_host -include"), "{started:?}");
        // The cache compiles a copy of the source. The path is in what the host's compiler makes.
        let source = last
            .split(' ')
            .find(|word| word.ends_with("/a.hip"))
            .unwrap();
        let output = scene.path("plain");
        let status = Command::new("hipcc")
            .args(options)
            .arg(source)
            .arg("-o")
            .arg(&output)
            .current_dir(std::env::current_dir().unwrap())
            .status();
        assert!(status.unwrap().success());
        let plain = fs::read(&output).unwrap();
        assert!(
            made == plain,
            "{options:?}: {} and {} bytes",
            made.len(),
            plain.len()
        );
    }
}

/// A tool's code, whose functions may come in any order.
struct Tool {
    /// The host's code.
    text: Vec<u8>,
    /// The file with the bitcode of the hooks.
    hooks: PathBuf,
}

fn run(command: &mut Command) {
    assert!(command.status().unwrap().success(), "{command:?}");
}

/// Copies a section of a file into `folder`.
fn section(file: &Path, name: &str, folder: &Path) -> PathBuf {
    let output = folder.join(&name[1..]);
    let dump = format!("{name}={}", output.display());
    let mut objcopy = Command::new("llvm-objcopy-22");
    run(objcopy
        .arg("--dump-section")
        .arg(dump)
        .arg(file)
        .arg("/dev/null"));
    output
}

/// Takes the device's code for gfx90a out of a compiled file into the new folder `folder`.
fn device(compiled: &Path, folder: &Path) -> PathBuf {
    fs::create_dir(folder).unwrap();
    let bundle = section(compiled, ".hip_fatbin", folder);
    let object = folder.join("device.o");
    run(Command::new("clang-offload-bundler-22")
        .args([
            "--unbundle",
            "--type=o",
            "--targets=hipv4-amdgcn-amd-amdhsa--gfx90a",
        ])
        .args([
            format!("--input={}", bundle.display()),
            format!("--output={}", object.display()),
        ]));
    object
}

/// Takes a compiled tool apart in `folder`.
fn tool(compiled: &Path, folder: &Path) -> Tool {
    let object = device(compiled, folder);
    Tool {
        text: fs::read(section(compiled, ".text", folder)).unwrap(),
        hooks: section(&object, ".llvmbc", folder),
    }
}

/// Clang leaves out what a program names of headers' declarations without using it, as `using std::sin` does.
#[test]
fn instructions_have_the_same_lines() {
    let Some(scene) = Scene::new() else { return };
    let options = ["-O1", "-g", "--offload-arch=gfx90a"];
    scene.compile(PROGRAM, &options);
    let started = scene.started();
    let last = started.last().unwrap();
    assert!(uses(last, "gfx90a"), "{started:?}");
    let mut words = last.split(' ');
    let source = words.find(|word| word.ends_with("/a.hip")).unwrap();
    let plain = scene.path("plain");
    run(Command::new("hipcc")
        .args(options)
        .arg(source)
        .arg("-o")
        .arg(&plain));
    let lines = |compiled: &Path, name: &str| {
        let object = device(compiled, &scene.path(name));
        let mut objdump = Command::new("llvm-objdump-22");
        let printed = objdump.args(["-d", "-l"]).arg(object).output().unwrap();
        assert!(printed.status.success(), "{printed:?}");
        let printed = String::from_utf8(printed.stdout).unwrap();
        // The first lines name the file.
        printed.split_once(".text:").unwrap().1.to_owned()
    };
    let (with, without) = (lines(&scene.path("a"), "with"), lines(&plain, "without"));
    assert!(with.contains("/a.hip:3\n"), "{with}");
    assert!(with.contains("/__clang_hip_math.h:"), "{with}");
    assert_eq!(with, without);
}

#[test]
fn tools_have_the_same_functions() {
    let Some(scene) = Scene::new() else { return };
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../include");
    let options = [
        "-O2",
        "--offload-arch=gfx90a",
        "-fPIC",
        "-shared",
        "-Xclang",
        "-fembed-bitcode=all",
        "-I",
        include.to_str().unwrap(),
    ];
    let source = |step: u32| {
        format!(
            "#include <luthier.h>\n#include <map>\n__managed__ unsigned long seen[64];\n\
            extern \"C\" __device__ void looks(unsigned long at) {{ luthier::add((luthier_u64 *)&seen[at % 64], {step}); }}\n\
            LUTHIER_EXPORT_FUNC(looks)\n\
            std::map<int, int> all;\nint count(int number) {{ return all[number]++; }}\n"
        )
    };
    let with = |step: u32, folder: &str| {
        scene.compile(&source(step), &options);
        tool(&scene.path("a"), &scene.path(folder))
    };
    let (with, other) = (with(1, "with"), with(2, "other"));
    let started = scene.started();
    assert!(uses(started.last().unwrap(), "gfx90a"), "{started:?}");
    fs::write(scene.path("a.hip"), source(1)).unwrap();
    let mut plain = Command::new("hipcc");
    plain
        .args(options)
        .arg("-o")
        .arg(scene.path("plain"))
        .arg(scene.path("a.hip"));
    assert!(plain.status().unwrap().success());
    let plain = tool(&scene.path("plain"), &scene.path("taken-apart"));
    assert!(with.text == plain.text);
    let same = |one: &Tool, two: &Tool| {
        let mut diff = Command::new("llvm-diff-22");
        diff.args([&one.hooks, &two.hooks])
            .output()
            .unwrap()
            .status
            .success()
    };
    assert!(same(&with, &plain));
    assert!(!same(&with, &other));
}

#[test]
fn sources_and_options_that_may_change_headers_read_them() {
    let scene = Scene::of_arguments();
    let target = "--offload-arch=gfx90a";
    let defines = format!("#define __HIP_ENABLE_DEVICE_MALLOC__ 1\n{PROGRAM}");
    for (text, options) in [
        (defines.as_str(), &[target][..]),
        (PROGRAM, &[target, "-O0"]),
        (PROGRAM, &[target, "-DNDEBUG"]),
        (PROGRAM, &["--offload-arch=gfx90a:xnack+"]),
        (PROGRAM, &[target, "-fgpu-rdc"]),
        (PROGRAM, &[target, "-Xclang", "-fno-autolink"]),
        (PROGRAM, &[target, "-include", "cstdlib"]),
    ] {
        scene.compile(text, options);
        let started = scene.started();
        assert_eq!(started.len(), 1, "{options:?}");
        assert!(!started[0].contains("-Xarch"), "{started:?}");
    }
}

#[test]
fn a_program_depends_on_the_headers_that_are_precompiled() {
    let (Some(with), Some(without)) = (Scene::new(), Scene::new()) else {
        return;
    };
    with.compile(PROGRAM, &["--offload-arch=gfx90a"]);
    without.compile(PROGRAM, &["--offload-arch=gfx90a", "-DNDEBUG"]);
    let (with, without) = (with.headers(), without.headers());
    assert!(with.iter().any(|path| path.ends_with("hip/hip_runtime.h")));
    assert!(without.is_subset(&with), "{:?}", without.difference(&with));
}

#[test]
fn damaged_headers_are_read_again() {
    let Some(scene) = Scene::new() else { return };
    let options = ["-O1", "--offload-arch=gfx90a"];
    let first = scene.compile(PROGRAM, &options);
    for entry in scene.entries("hip.h.pch") {
        fs::write(entry.join("output/hip.h.pch"), "half").unwrap();
    }
    scene.started();
    fs::remove_dir_all(&scene.entries("a")[0]).unwrap();
    let second = scene.compile(PROGRAM, &options);
    let started = scene.started();
    assert!(
        uses(&started[0], "gfx90a") && !started[1].contains("-Xarch"),
        "{started:?}"
    );
    assert_eq!(started.len(), 2);
    assert!(first == second);
}
