//! Compiles programs with the distribution's hipcc, once per content.

use std::{
    collections::BTreeSet,
    env, fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicU32, Ordering},
};

use anyhow::{Context, Result, bail};

use crate::{Program, root};

/// Flags of every program. Warnings would hide what a failing build says.
const FLAGS: [&str; 2] = ["-O2", "-w"];

/// The executable of `program`, for all its targets; compiled unless the same sources and flags were before. It lies in
/// `target/programs` or in the folder that `LUTHIER_TEST_PROGRAMS` names: a compiler of another release wants its own.
pub fn compile(program: &Program) -> Result<PathBuf> {
    let mut arguments: Vec<String> = FLAGS.map(str::to_owned).to_vec();
    arguments.extend(
        program
            .header
            .devices
            .iter()
            .map(|device| format!("--offload-arch={device}")),
    );
    arguments.extend(program.header.flags.iter().cloned());

    let mut hasher = DefaultHasher::new();
    arguments.hash(&mut hasher);
    hash_sources(&program.source, &mut BTreeSet::new(), &mut hasher)?;
    let cache = env::var_os("LUTHIER_TEST_PROGRAMS")
        .map_or_else(|| root().join("target/programs"), PathBuf::from);
    fs::create_dir_all(&cache).with_context(|| format!("cannot make {}", cache.display()))?;
    let executable = cache.join(format!("{}-{:016x}", program.name, hasher.finish()));
    if executable.exists() {
        return Ok(executable);
    }
    // Another test, here or elsewhere, may compile the same program now; whoever renames last wins.
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let unfinished = cache.join(format!(
        "{}.{}.{}.unfinished",
        program.name,
        std::process::id(),
        NUMBER.fetch_add(1, Ordering::Relaxed)
    ));
    let output = Command::new("hipcc")
        .args(&arguments)
        .arg(&program.source)
        .arg("-o")
        .arg(&unfinished)
        .output()
        .context("cannot run hipcc (Debian package hipcc)")?;
    if !output.status.success() {
        bail!(
            "hipcc {} failed:\n{}",
            arguments.join(" "),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    fs::rename(&unfinished, &executable)
        .with_context(|| format!("cannot make {}", executable.display()))?;
    Ok(executable)
}

/// Hashes a file and, once each, the files it includes with quotes.
fn hash_sources(
    path: &Path,
    seen: &mut BTreeSet<PathBuf>,
    hasher: &mut DefaultHasher,
) -> Result<()> {
    if !seen.insert(path.to_owned()) {
        return Ok(());
    }
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    text.hash(hasher);
    for line in text.lines() {
        let included = line
            .strip_prefix("#include \"")
            .and_then(|rest| rest.strip_suffix('"'));
        if let Some(name) = included {
            hash_sources(&path.with_file_name(name), seen, hasher)?;
        }
    }
    Ok(())
}
