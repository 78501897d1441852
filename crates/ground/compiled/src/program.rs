//! Programs that several tests of one process run.

use std::{
    collections::BTreeSet,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use crate::Compiler;

/// Compiles `source` to a program below `folder`, once in the life of this process: another test may run what is there. Other flags make
/// another program.
///
/// # Panics
/// If the compiler is missing or fails; the message says which.
pub fn program(compiler: &str, source: &Path, flags: &[&str], folder: &Path) -> PathBuf {
    static DONE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let mut done = DONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut hasher = DefaultHasher::new();
    (compiler, flags).hash(&mut hasher);
    let folder = folder.join(format!("{:016x}", hasher.finish()));
    std::fs::create_dir_all(&folder).expect("a folder for programs");
    let name = source.file_name().unwrap_or_default().to_string_lossy();
    let out = folder.join(name.replace('.', "-"));
    if done.contains(&out) {
        return out;
    }
    let unfinished = out.with_extension(std::process::id().to_string());
    let output = Compiler::new(compiler)
        .arg(source)
        .args(flags)
        .arg("-o")
        .arg(&unfinished)
        .output()
        .unwrap_or_else(|error| panic!("{compiler}: {error}; `./dev setup` installs it"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{compiler} {name}: {errors}");
    std::fs::rename(unfinished, &out).expect("a program in its place");
    done.insert(out.clone());
    out
}
