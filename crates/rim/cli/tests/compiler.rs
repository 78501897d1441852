//! `LUTHIER_COMPILER_CACHE`: what the compiler inside HIP has made is kept.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    process::Output,
};

use crate::common::{compile, luthier};

/// The steps of HIP's build of its own kernels that take long.
const STEPS: usize = 3;

fn run(cache: &Path, device: &str, variables: &[(&str, &str)]) -> Output {
    let flags = [
        "-O2",
        "-w",
        "--offload-arch=gfx90a",
        "--offload-arch=gfx1030",
    ];
    let program = compile("hipcc", "host_code.hip", &flags);
    let mut command = luthier(&["run", "--device", device, "--"]);
    command.arg(program).env("LUTHIER_COMPILER_CACHE", cache);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("AMD_COMGR_") {
            command.env_remove(name);
        }
    }
    command.envs(variables.iter().copied()).output().unwrap()
}

/// The program's output, without a number that is not the same in each run.
fn printed(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert_eq!(said, "");
    let printed = String::from_utf8_lossy(&output.stdout);
    printed.split_once("\nexecutable ").unwrap().0.to_owned()
}

/// Contents and times of the files.
fn files(cache: &Path) -> BTreeMap<PathBuf, (Vec<u8>, i64)> {
    let Ok(entries) = fs::read_dir(cache) else {
        return BTreeMap::new();
    };
    let of = |path: PathBuf| {
        let changed = fs::metadata(&path).unwrap();
        let time = changed.mtime() * 1_000_000_000 + changed.mtime_nsec();
        (path.clone(), (fs::read(path).unwrap(), time))
    };
    entries.map(|entry| of(entry.unwrap().path())).collect()
}

#[test]
fn a_second_run_compiles_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("new/cache");
    let expected = printed(&run(&cache, "gfx90a", &[]));
    let made = files(&cache);
    assert_eq!(made.len(), STEPS);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&cache), 0o700);
    assert!(made.keys().all(|path| mode(path) == 0o600));

    assert_eq!(printed(&run(&cache, "gfx90a", &[])), expected);
    assert!(files(&cache) == made, "nothing is written again");

    // Every target has its own. Linked bitcode may be the same.
    assert_eq!(printed(&run(&cache, "gfx1030", &[])), expected);
    let both = files(&cache);
    assert_eq!(both.len(), 2 * STEPS);
    assert!(made.iter().all(|file| both.get(file.0) == Some(file.1)));
}

/// The last step's object for another target lies in the place of this target's: only a program that uses it can fail.
#[test]
fn results_come_from_files_that_nobody_else_can_have_written() {
    let folder = tempfile::tempdir().unwrap();
    let (cache, other) = (&folder.path().join("cache"), &folder.path().join("other"));
    let expected = printed(&run(cache, "gfx90a", &[]));
    assert_eq!(printed(&run(other, "gfx1030", &[])), expected);
    let made = files(cache);
    let object = |made: &BTreeMap<PathBuf, (Vec<u8>, i64)>| {
        let is_object = |bytes: &[u8]| bytes.windows(4).any(|part| part == b"\x7fELF");
        let mut all = made.iter().filter(|(_, (bytes, _))| is_object(bytes));
        let (path, (bytes, _)) = all.next().unwrap();
        assert!(all.next().is_none());
        (path.clone(), bytes.clone())
    };
    let exchange = |mode| {
        let (path, (_, wrong)) = (object(&made).0, object(&files(other)));
        fs::write(&path, wrong).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    exchange(0o600);
    assert!(!run(cache, "gfx90a", &[]).status.success());
    exchange(0o666);
    assert_eq!(printed(&run(cache, "gfx90a", &[])), expected);
    // It was made anew.
    assert!(object(&files(cache)) == object(&made));

    for damage in [&b""[..], b"LUTHIERC", &[7; 30_000]] {
        let damaged = files(cache);
        damaged
            .keys()
            .for_each(|path| fs::write(path, damage).unwrap());
        assert_eq!(printed(&run(cache, "gfx90a", &[])), expected);
        // comgr's bitcode has a name of its own in each run, so that a later step may have another request.
        let mended = files(cache);
        assert_eq!(printed(&run(cache, "gfx90a", &[])), expected);
        assert!(files(cache) == mended, "the second run finds all");
    }
}

#[test]
fn nothing_is_kept_where_the_user_or_the_request_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let off = |name: &str| folder.path().join(name);
    let home = folder.path().to_str().unwrap();
    let nowhere = [
        ("XDG_CACHE_HOME", home),
        ("HOME", home),
        ("LUTHIER_COMPILER_CACHE", "off"),
    ];
    let expected = printed(&run(Path::new("off"), "gfx90a", &nowhere));
    assert!(!off("luthier/compiler").exists());
    assert!(!off(".cache/luthier/compiler").exists());

    // comgr does something besides.
    let cache = off("verbose");
    assert_eq!(
        printed(&run(&cache, "gfx90a", &[("AMD_COMGR_SAVE_TEMPS", "0")])),
        expected
    );
    assert!(!cache.exists());

    // Without the variable there is a usual place.
    let usual = [("LUTHIER_COMPILER_CACHE", ""), ("XDG_CACHE_HOME", home)];
    assert_eq!(printed(&run(Path::new(""), "gfx90a", &usual)), expected);
    assert_eq!(files(&off("luthier/compiler")).len(), STEPS);

    // A place that cannot be is no error of the program's.
    fs::write(off("file"), "").unwrap();
    assert_eq!(printed(&run(&off("file/cache"), "gfx90a", &[])), expected);
}
