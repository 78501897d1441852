//! Compiles programs with the distribution's compilers, once per content.

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

/// The executable of `program`, for all its targets; compiled unless the same sources and flags were before. It lies in
/// `target/programs` or in the folder that `LUTHIER_TEST_PROGRAMS` names: a compiler of another release wants its own.
pub fn compile(program: &Program) -> Result<PathBuf> {
    let language = program.language;
    let mut arguments: Vec<String> = Vec::new();
    arguments.extend(language.flags.iter().map(|&flag| flag.to_owned()));
    arguments.extend(
        program
            .header
            .devices
            .iter()
            .map(|device| format!("{}{device}", language.target)),
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
    // GCC's device code calls libraries, which it wants to be named behind the source.
    let output = Command::new(language.compiler)
        .arg(&program.source)
        .args(&arguments)
        .arg("-o")
        .arg(&unfinished)
        .output()
        .with_context(|| {
            let (compiler, packages) = (language.compiler, language.packages);
            format!("cannot run {compiler} (Debian packages {packages})")
        })?;
    if !output.status.success() {
        bail!(
            "{} {} failed:\n{}",
            language.compiler,
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
