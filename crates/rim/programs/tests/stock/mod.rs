//! Tools that HIP compilers made, and programs to run them on.

use compiled::Compiler;
use std::{
    path::{Path, PathBuf},
    process::Output,
};

use programs::{Bounded, Emulator};

pub const DEVICE: &str = "gfx90a";

pub struct Scene {
    pub emulator: Emulator,
    pub application: PathBuf,
    folder: tempfile::TempDir,
}

/// The directory in which the package `rocm-device-libs` of Debian 12 has bitcode.
const DEVICE_LIBRARIES: &str = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode";

/// The arguments of HIP compilers besides the file. The second one is for the device libraries of Debian 12: other releases have newer ones
/// for their own compilers.
pub fn compilers() -> Vec<(&'static str, Compiler)> {
    let mut clang = Compiler::new("clang++-22");
    let is_there = Path::new(DEVICE_LIBRARIES).is_dir();
    clang
        .args(["-x", "hip", "--rocm-path=/usr"])
        .arg(format!("--rocm-device-lib-path={DEVICE_LIBRARIES}"))
        // For HIP 5.2's headers and library.
        .args([
            "-mcode-object-version=5",
            "-D__HIP_PLATFORM_AMD__",
            "-D__AMDGCN_WAVEFRONT_SIZE=64",
        ]);
    let clang = is_there.then_some(("clang", clang));
    let hipcc = ("hipcc", Compiler::new("hipcc"));
    std::iter::once(hipcc).chain(clang).collect()
}

impl Scene {
    pub fn new() -> Option<Scene> {
        Scene::with_program("equal_launches")
    }

    /// With one of the programs.
    pub fn with_program(program: &str) -> Option<Scene> {
        if !programs::can_compile() {
            return None;
        }
        let program = programs::named(program).unwrap();
        let scene = Scene {
            emulator: Emulator::find().expect("the emulator is built"),
            application: programs::compile(&program).unwrap(),
            folder: tempfile::tempdir().unwrap(),
        };
        scene.share_hooks();
        Some(scene)
    }

    /// With a program of the test's own.
    pub fn with_source(text: &str) -> Option<Scene> {
        Scene::compiled(text, &[])
    }

    /// The same with options for the compiler.
    pub fn compiled(text: &str, options: &[&str]) -> Option<Scene> {
        let mut scene = Scene::new()?;
        let (source, application) = (scene.path("application.hip"), scene.path("application"));
        std::fs::write(&source, text).unwrap();
        let compiled = Compiler::new("hipcc")
            .args(["-w", "-O2", "--offload-arch=gfx90a"])
            .args(options)
            .arg(&source)
            .arg("-o")
            .arg(&application)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&compiled.stderr);
        assert!(compiled.status.success(), "{said}");
        scene.application = application;
        Some(scene)
    }

    /// Lets all scenes share the hooks of tools that `luthier` compiles, by content, while each has its own instrumented kernels.
    fn share_hooks(&self) {
        let hooks = programs::root().join("target/compiled/hooks");
        std::fs::create_dir_all(&hooks).unwrap();
        std::fs::create_dir(self.path("cache")).unwrap();
        std::os::unix::fs::symlink(hooks, self.path("cache/tools")).unwrap();
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The library that a compiler makes of a tool's source.
    pub fn compile(&self, mut compiler: Compiler, source: &Path, name: &str) -> PathBuf {
        let library = self.path(&format!("{name}.so"));
        let compiled = compiler
            .args(["-w", "-O2", "--offload-arch=gfx90a", "-fPIC", "-shared"])
            .args(["-Xclang", "-fembed-bitcode=all", "-I"])
            .arg(programs::root().join("include"))
            .arg(source)
            .arg("-o")
            .arg(&library)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&compiled.stderr);
        assert!(compiled.status.success(), "{said}");
        library
    }

    /// The same with hipcc, from text.
    pub fn tool(&self, name: &str, text: &str) -> PathBuf {
        let source = self.path(&format!("{name}.hip"));
        std::fs::write(&source, text).unwrap();
        self.compile(Compiler::new("hipcc"), &source, name)
    }

    /// The same with `luthier tool build`, which needs no HIP.
    pub fn built(&self, name: &str, text: &str) -> PathBuf {
        let (source, tool) = (
            self.path(&format!("{name}.hip")),
            self.path(&format!("{name}.tool")),
        );
        std::fs::write(&source, text).unwrap();
        let arguments = ["tool", "build", "--target", DEVICE, "-o"];
        let arguments: Vec<_> = arguments
            .into_iter()
            .chain([tool.to_str().unwrap(), source.to_str().unwrap()])
            .collect();
        let (built, said) = self.luthier(&arguments);
        assert!(built, "{said}");
        tool
    }

    pub fn run(&self, options: &[&str], variables: &[(&str, &str)]) -> (String, String) {
        let output = self
            .emulator
            .command()
            .args(["run", "--device", DEVICE])
            // (What selects wants tools.)
            .args(if options.contains(&"-t") {
                &["-k", "^add_one"][..]
            } else {
                &[]
            })
            .args(options)
            .arg("--")
            .arg(&self.application)
            // Streams without --output are written where the program runs.
            .current_dir(self.folder.path())
            .env("LUTHIER_CACHE", self.path("cache"))
            .envs(variables.iter().copied())
            .bounded_output()
            .unwrap();
        said(&output)
    }

    /// The output of `luthier` with these arguments, and whether it succeeds.
    pub fn luthier(&self, arguments: &[&str]) -> (bool, String) {
        let output = self
            .emulator
            .command()
            .args(arguments)
            .env("LUTHIER_CACHE", self.path("cache"))
            .bounded_output()
            .unwrap();
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        (output.status.success(), text)
    }

    /// A sample as its first lines say.
    pub fn sample(&self, name: &str) -> PathBuf {
        let source = programs::root().join(format!("examples/tools/{name}.hip"));
        self.compile(Compiler::new("hipcc"), &source, name)
    }

    pub fn with(&self, tool: &Path) -> (String, String) {
        self.run(&["-t", tool.to_str().unwrap()], &[])
    }

    /// Lane instructions of the chosen kernel, as the emulated GPU counts them.
    pub fn lane_instructions(&self) -> u64 {
        let output = self.path("plain");
        self.run(&["--output", output.to_str().unwrap()], &[]);
        let statistics = std::fs::read(output.join("statistics.json")).unwrap();
        let statistics: serde_json::Value = serde_json::from_slice(&statistics).unwrap();
        let kernels = statistics["kernels"].as_array().unwrap().iter();
        let kernels =
            kernels.filter(|kernel| kernel["kernel"].as_str().unwrap().contains("add_one"));
        kernels
            .map(|kernel| kernel["lane_instructions"].as_u64().unwrap())
            .sum()
    }
}

pub fn said(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{stdout}{stderr}");
    (stdout, stderr)
}

/// Standard output and error of the scene's program.
pub fn run(scene: &Scene, options: &[&str]) -> (String, String) {
    run_with(scene, options, &[])
}

/// The same in an environment.
pub fn run_with(scene: &Scene, options: &[&str], variables: &[(&str, &str)]) -> (String, String) {
    let mut command = scene.emulator.command();
    command
        .args(["run", "--device", DEVICE])
        .args(options)
        .arg("--")
        .arg(&scene.application)
        .current_dir(scene.folder.path())
        .env("LUTHIER_CACHE", "off")
        .envs(variables.iter().copied());
    said(&command.bounded_output().unwrap())
}

/// The one file in a directory whose name begins and ends so.
pub fn json(directory: &Path, begin: &str, end: &str) -> Vec<serde_json::Value> {
    let names = std::fs::read_dir(directory).unwrap();
    let paths = names.map(|entry| entry.unwrap().path());
    let fits = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        let number = name
            .strip_prefix(begin)
            .and_then(|name| name.strip_suffix(end));
        number.is_some_and(|number| number.bytes().all(|digit| digit.is_ascii_digit()))
    };
    let [path] = &paths.filter(fits).collect::<Vec<_>>()[..] else {
        panic!("not one {begin}PID{end} in {}", directory.display());
    };
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}
