//! The cache with a compiler that counts how often it is started.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, SystemTime},
};

use compiled::Compiler;

/// A folder with a compiler in it that counts how often it is started, and a cache.
struct Scene {
    folder: tempfile::TempDir,
}

impl Scene {
    fn new() -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let scene = Scene { folder };
        scene.set_compiler("");
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn set_compiler(&self, comment: &str) {
        let (program, count) = (self.path("clang"), self.path("count"));
        let text = format!(
            "#!/bin/sh\n# {comment}\necho >> {}\nexec clang-22 \"$@\"\n",
            count.display()
        );
        fs::write(&program, text).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// How often the compiler was started since the last question.
    fn started(&self) -> usize {
        let count = fs::read(self.path("count")).unwrap_or_default().len();
        fs::write(self.path("count"), "").unwrap();
        count
    }

    fn compiler(&self, arguments: &[&str]) -> Compiler {
        let mut compiler = Compiler::new(self.path("clang"));
        compiler.cache(&self.path("cache")).args(arguments);
        compiler
    }

    /// Compiles a text as a file of a new temporary folder, runs it, and returns its status.
    fn run(&self, text: &str, arguments: &[&str]) -> i32 {
        let folder = tempfile::tempdir().unwrap();
        let (source, program) = (folder.path().join("a.c"), folder.path().join("a"));
        fs::write(&source, text).unwrap();
        let mut compiler = self.compiler(arguments);
        let output = compiler.arg(&source).arg("-o").arg(&program).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{output:?}");
        let status = Command::new(&program).status().unwrap();
        status.code().unwrap()
    }
}

#[test]
fn the_same_is_compiled_once_from_any_folder() {
    let scene = Scene::new();
    for _ in 0..3 {
        assert_eq!(scene.run("int main() { return 7; }", &["-O1"]), 7);
    }
    assert_eq!(scene.started(), 1);
    assert_eq!(scene.run("int main() { return 8; }", &["-O1"]), 8);
    assert_eq!(scene.started(), 1);
    assert_eq!(scene.run("int main() { return 7; }", &["-O2"]), 7);
    assert_eq!(scene.started(), 1);
}

#[test]
fn a_changed_compiler_compiles_again() {
    let scene = Scene::new();
    let text = "int main() { return 7; }";
    assert_eq!((scene.run(text, &[]), scene.started()), (7, 1));
    scene.set_compiler("another one");
    assert_eq!((scene.run(text, &[]), scene.started()), (7, 1));
    assert_eq!((scene.run(text, &[]), scene.started()), (7, 0));
}

#[test]
fn a_file_that_the_compiler_uses_counts() {
    let scene = Scene::new();
    let (plugin, folder) = (scene.path("plugin.so"), tempfile::tempdir().unwrap());
    let source = folder.path().join("a.c");
    fs::write(&source, "int main() { return 7; }").unwrap();
    let started = || {
        let mut compiler = scene.compiler(&[]);
        compiler.uses(&plugin).arg(&source).arg("-o");
        let output = compiler.arg(folder.path().join("a")).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        scene.started()
    };
    fs::write(&plugin, "one").unwrap();
    assert_eq!((started(), started()), (1, 0));
    fs::write(&plugin, "another").unwrap();
    assert_eq!((started(), started()), (1, 0));
    fs::remove_file(&plugin).unwrap();
    assert_eq!((started(), started()), (1, 0));
}

/// A header that lies where it stays, as those of this repository do.
struct Header(PathBuf);

impl Header {
    fn new(name: &str) -> Header {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled-headers");
        let folder = folder.join(format!("{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Header(folder)
    }

    fn set(&self, number: u32) {
        let text = format!("#define NUMBER {number}\n");
        fs::write(self.0.join("number.h"), text).unwrap();
    }
}

impl Drop for Header {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

#[test]
fn a_changed_header_compiles_again() {
    let (scene, header) = (Scene::new(), Header::new("direct"));
    // One that another one includes.
    fs::write(header.0.join("outer.h"), "#include \"number.h\"\n").unwrap();
    let include = format!("-I{}", header.0.display());
    let text = "#include <outer.h>\nint main() { return NUMBER; }";
    for (number, started) in [(3, 1), (3, 0), (4, 1), (4, 0), (3, 1)] {
        header.set(number);
        assert_eq!(scene.run(text, &[&include]), number as i32);
        assert_eq!(scene.started(), started, "{number}");
    }
    // One that is not there any more.
    fs::remove_file(header.0.join("outer.h")).unwrap();
    let source = scene.path("a.c");
    fs::write(&source, text).unwrap();
    let mut compiler = scene.compiler(&[&include, "-o"]);
    let output = compiler.arg(scene.path("a")).arg(&source).output().unwrap();
    assert!(!output.status.success());
}

#[test]
fn headers_of_every_pass_count() {
    // Code for the device alone is read by another pass than the host's.
    let (scene, header) = (Scene::new(), Header::new("passes"));
    let text = "#ifdef __HIP_DEVICE_COMPILE__\n#include <number.h>\n#else\n#define NUMBER 0\n#endif\n\
                extern \"C\" __attribute__((global)) void kernel(int *p) { *p = NUMBER; }\n";
    let source = scene.path("a.hip");
    fs::write(&source, text).unwrap();
    let mut objects = Vec::new();
    for (number, started) in [(3, 1), (3, 0), (4, 1)] {
        header.set(number);
        let mut compiler = scene.compiler(&[
            "-x",
            "hip",
            "--offload-device-only",
            "--gpu-bundle-output",
            "-nogpulib",
        ]);
        let include = format!("-I{}", header.0.display());
        compiler.args([
            "-nogpuinc",
            "--offload-arch=gfx90a",
            "--offload-arch=gfx1030",
            &include,
        ]);
        let output = scene.path("a.o");
        let printed = compiler.arg(&source).arg("-o").arg(&output).output();
        let printed = printed.unwrap();
        assert!(printed.status.success(), "{printed:?}");
        assert_eq!(scene.started(), started, "{number}");
        objects.push(fs::read(output).unwrap());
    }
    assert!(objects[0] == objects[1] && objects[1] != objects[2]);
}

#[test]
fn a_file_in_an_option_counts() {
    let (scene, header) = (Scene::new(), Header::new("option"));
    let names = header.0.join("names.txt");
    let option = format!("-fsanitize-ignorelist={}", names.display());
    let text = "int main() { return 5; }";
    for (line, started) in [("fun:a\n", 1), ("fun:a\n", 0), ("fun:b\n", 1)] {
        fs::write(&names, line).unwrap();
        assert_eq!(scene.run(text, &[&option]), 5);
        assert_eq!(scene.started(), started, "{line}");
    }
}

#[test]
fn a_failure_names_the_callers_file() {
    let scene = Scene::new();
    let source = scene.path("wrong.c");
    fs::write(&source, "int main( { }").unwrap();
    for _ in 0..2 {
        let mut compiler = scene.compiler(&["-o"]);
        let output = compiler.arg(scene.path("a")).arg(&source).output();
        let output = output.unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success());
        assert!(said.contains(&format!("{}:1:", source.display())), "{said}");
    }
}

#[test]
fn a_source_that_includes_a_file_beside_it_is_compiled_where_it_is() {
    let scene = Scene::new();
    let (source, program) = (scene.path("a.c"), scene.path("a"));
    fs::write(&source, "#include \"b.h\"\nint main() { return B; }").unwrap();
    for number in [1, 2] {
        fs::write(scene.path("b.h"), format!("#define B {number}\n")).unwrap();
        let mut compiler = scene.compiler(&[]);
        let output = compiler.arg(&source).arg("-o").arg(&program).output();
        assert!(output.unwrap().status.success());
        let status = Command::new(&program).status().unwrap();
        assert_eq!(status.code(), Some(number));
    }
}

#[test]
fn warnings_are_said_again() {
    let scene = Scene::new();
    let source = scene.path("a.c");
    fs::write(&source, "#warning look\nint main() { return 0; }").unwrap();
    for started in [1, 0] {
        let mut compiler = scene.compiler(&["-o"]);
        let output = compiler.arg(scene.path("a")).arg(&source).output();
        let said = String::from_utf8_lossy(&output.unwrap().stderr).into_owned();
        assert!(said.contains("warning: look"), "{said}");
        assert_eq!(scene.started(), started);
    }
}

#[test]
fn what_was_cut_off_is_made_again() {
    let scene = Scene::new();
    let text = "int main() { return 7; }";
    assert_eq!((scene.run(text, &[]), scene.started()), (7, 1));
    let entries = fs::read_dir(scene.path("cache")).unwrap();
    let mut folders = entries.map(|entry| entry.unwrap().path());
    let folder = folders.find(|path| path.is_dir()).unwrap();
    fs::remove_file(folder.join("made")).unwrap();
    fs::write(folder.join("output/a"), "half").unwrap();
    assert_eq!((scene.run(text, &[]), scene.started()), (7, 1));
}

impl Scene {
    /// Compiles a program with this status, and says how long ago it was wanted.
    fn wanted(&self, status: i32, age: Duration) {
        let names = || -> BTreeSet<PathBuf> {
            let entries = fs::read_dir(self.path("cache")).into_iter().flatten();
            let paths = entries.map(|entry| entry.unwrap().path());
            paths.filter(|path| path.is_dir()).collect()
        };
        let before = names();
        let text = format!("int main() {{ return {status}; }}");
        assert_eq!(self.run(&text, &[]), status);
        let new = names();
        let folder = new.difference(&before).next().expect("a new result");
        let time = SystemTime::now() - age;
        File::open(folder).unwrap().set_modified(time).unwrap();
    }

    /// Returns `true` if the program with this status is still there.
    fn keeps(&self, status: i32) -> bool {
        self.started();
        let text = format!("int main() {{ return {status}; }}");
        assert_eq!(self.run(&text, &[]), status);
        self.started() == 0
    }

    fn files(&self) -> usize {
        fs::read_dir(self.path("cache")).unwrap().count()
    }
}

const DAY: Duration = Duration::from_secs(24 * 3600);

#[test]
fn what_nobody_wants_any_more_is_forgotten() {
    let scene = Scene::new();
    for (status, days) in [(1, 20), (2, 20), (3, 1)] {
        scene.wanted(status, days * DAY);
    }
    // Wanted again: its time is now.
    assert!(scene.keeps(2));
    let forget = || compiled::forget(&scene.path("cache"), 14 * DAY, u64::MAX).unwrap();
    assert_eq!(forget(), 1);
    // A folder and a lock for each that is left.
    assert_eq!(scene.files(), 4);
    assert!(scene.keeps(3) && scene.keeps(2) && !scene.keeps(1));
    assert_eq!(forget(), 0);
}

#[test]
fn the_oldest_are_forgotten_where_all_need_too_much() {
    let scene = Scene::new();
    for (status, days) in [(1, 3), (2, 4), (3, 1)] {
        scene.wanted(status, days * DAY);
    }
    let forget = |most| compiled::forget(&scene.path("cache"), 14 * DAY, most).unwrap();
    assert_eq!(forget(u64::MAX), 0);
    assert_eq!(forget(0), 3);
    assert_eq!(scene.files(), 0);
    assert!(!scene.keeps(2) && !scene.keeps(1));
    let of_one = {
        let output = scene.path("cache");
        let sizes = fs::read_dir(output).unwrap().filter_map(|entry| {
            let output = entry.unwrap().path().join("output/a");
            output.metadata().ok().map(|data| data.len())
        });
        sizes.max().unwrap()
    };
    // Room for one and a half: the one that was wanted first goes.
    assert_eq!(forget(of_one * 3 / 2), 1);
    assert!(scene.keeps(1) && !scene.keeps(2));
}

#[test]
fn a_result_in_use_is_not_forgotten() {
    let scene = Scene::new();
    scene.wanted(1, 20 * DAY);
    let entries = fs::read_dir(scene.path("cache")).unwrap();
    let mut paths = entries.map(|entry| entry.unwrap().path());
    let lock = paths
        .find(|path| path.extension().is_some_and(|end| end == "lock"))
        .unwrap();
    let forget = || compiled::forget(&scene.path("cache"), 14 * DAY, 0).unwrap();
    let used = File::open(lock).unwrap();
    used.lock().unwrap();
    assert_eq!(forget(), 0);
    drop(used);
    assert_eq!(forget(), 1);
}

#[test]
fn a_cache_that_is_not_there_is_empty() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("nowhere");
    assert_eq!(compiled::forget(&nowhere, DAY, 0).unwrap(), 0);
    assert!(!nowhere.exists());
}

#[test]
fn many_that_want_and_forget_at_once_get_what_they_want() {
    let scene = Scene::new();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for round in 0..6 {
                    let status = 1 + round % 2;
                    let text = format!("int main() {{ return {status}; }}");
                    assert_eq!(scene.run(&text, &[]), status);
                }
            });
        }
        scope.spawn(|| {
            for _ in 0..200 {
                compiled::forget(&scene.path("cache"), Duration::ZERO, 0).unwrap();
            }
        });
    });
}
