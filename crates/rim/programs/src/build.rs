//! Compiles programs with the distribution's compilers, once per content.

use std::{
    collections::BTreeSet,
    env, fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

use anyhow::{Context, Result, bail};
use compiled::Compiler;

use crate::{Program, root};

/// The executable of `program`, for all its targets; compiled unless the same sources and flags were before. It lies in
/// `target/programs` or in the folder that `LUTHIER_TEST_PROGRAMS` names: a compiler of another release wants its own.
pub fn compile(program: &Program) -> Result<PathBuf> {
    let language = program.language;
    let devices = program.header.devices.iter().map(String::as_str);
    let mut arguments = arguments(program, devices);

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
    // Another test, here or elsewhere, may compile the same program now. The last to rename its file wins.
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let unfinished = cache.join(format!(
        "{}.{}.{}.unfinished",
        program.name,
        std::process::id(),
        NUMBER.fetch_add(1, Ordering::Relaxed)
    ));
    let run = |arguments: &[String]| {
        // GCC's device code calls libraries, which it wants to be named behind the source.
        let output = Compiler::new(language.compiler)
            .arg(&program.source)
            .args(arguments)
            .arg("-o")
            .arg(&unfinished)
            .output_anew();
        output.with_context(|| {
            let (compiler, packages) = (language.compiler, language.packages);
            format!("cannot run {compiler} (Debian packages {packages})")
        })
    };
    let mut output = run(&arguments)?;
    if !output.status.success()
        && let Some(family) = family(&String::from_utf8_lossy(&output.stderr))
    {
        arguments = self::arguments(program, [family].into_iter());
        output = run(&arguments)?;
    }
    if !output.status.success()
        && let Some(library) = library(&String::from_utf8_lossy(&output.stderr))
    {
        arguments.push(library.to_owned());
        output = run(&arguments)?;
    }
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

/// The compiler's arguments besides the source, to make code for these targets.
fn arguments<'a>(program: &Program, targets: impl Iterator<Item = &'a str>) -> Vec<String> {
    let language = program.language;
    let flags = language.flags.iter().map(|&flag| flag.to_owned());
    let targets = targets.map(|target| format!("{}{target}", language.target));
    let flags = flags.chain(targets);
    flags.chain(program.header.flags.iter().cloned()).collect()
}

/// The generic target that GCC names where it has libraries for the device's family and not for the device.
fn family(printed: &str) -> Option<&str> {
    let (_, rest) = printed.split_once("generic architecture")?;
    let (_, rest) = rest.split_once("-march=")?;
    let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-')?;
    Some(&rest[..end])
}

/// The option for a library that a program lacks. Older releases have its functions in the library that all programs are linked with.
fn library(printed: &str) -> Option<&'static str> {
    // HIP 7 has the compiler at run time in a library of its own.
    let lacks = printed.contains("undefined reference to `hiprtc");
    lacks.then_some("-lhiprtc")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_family_is_the_one_that_gcc_names() {
        let printed = "gcn mkoffload: fatal error: GCC was built without library support for \u{2018}-march=gfx900\u{2019}; consider \
                       compiling for the associated generic architecture \u{2018}-march=gfx9-generic\u{2019} instead\n";
        assert_eq!(family(printed), Some("gfx9-generic"));
        assert_eq!(family("unknown -march=gfx900"), None);
    }

    #[test]
    fn the_compiler_at_run_time_may_be_a_library_of_its_own() {
        let printed = "hiprtc.hip:(.text+0x2d): undefined reference to `hiprtcCreateProgram'\n";
        assert_eq!(library(printed), Some("-lhiprtc"));
        assert_eq!(library("undefined reference to `other'\n"), None);
    }
}
