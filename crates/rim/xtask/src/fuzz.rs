//! `cargo xtask fuzz`: builds the fuzz targets with the stable compiler and runs each for a while on seeds made here.
//!
//! libFuzzer comes with the `libfuzzer-sys` crate; the instrumentation it needs is LLVM's own and reached by compiler flags,
//! so neither cargo-fuzz nor a nightly compiler is needed. There is no address sanitizer: what is fuzzed is safe Rust, but
//! for LLVM's decoder, whose crashes show without one.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::SystemTime,
};

use anyhow::{Context, Result, bail, ensure};

use crate::{fuzz_count, fuzz_device, fuzz_rewrite, root};

const TARGETS: [&str; 9] = [
    "bundle",
    "elf",
    "metadata",
    "decode",
    "replace",
    "template",
    "recording",
    "rawprof",
    "sections",
];
/// Runs for so many seconds from a program of that number on, and returns what is wrong.
type Run = fn(u32, u64) -> Result<Vec<String>>;
/// Not libFuzzer's: random programs and kernels.
const GENERATORS: [(&str, Run); 3] = [
    ("count", fuzz_count::run),
    ("rewrite", fuzz_rewrite::run),
    ("device", fuzz_device::run),
];
const SECONDS: u32 = 120;
/// The flags of cargo-fuzz, less the sanitizer.
const INSTRUMENTATION: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing";
/// Given, so that build scripts stay uninstrumented.
const HOST: &str = "x86_64-unknown-linux-gnu";

/// The number of the first program on a day, so that each day tries programs of its own.
fn first_of(time: SystemTime) -> u64 {
    /// More than a day's.
    const PROGRAMS: u64 = 100_000;
    let since = time.duration_since(SystemTime::UNIX_EPOCH);
    since.unwrap_or_default().as_secs() / (24 * 60 * 60) * PROGRAMS
}

/// `[--seconds N] [--first N] [TARGET…]`.
pub fn run(arguments: &[String]) -> Result<Vec<String>> {
    let (mut seconds, mut first, mut names) = (SECONDS, first_of(SystemTime::now()), Vec::new());
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--seconds" => {
                let value = rest.next().context("--seconds needs a number")?;
                seconds = value.parse().context("--seconds needs a number")?;
            }
            "--first" => {
                let value = rest.next().context("--first needs a number")?;
                first = value.parse().context("--first needs a number")?;
            }
            name if TARGETS.contains(&name) || generator(name).is_some() => names.push(name),
            other => bail!(
                "no fuzz target {other}; there are {}, {}",
                TARGETS.join(", "),
                GENERATORS.map(|(name, _)| name).join(", ")
            ),
        }
    }
    if names.is_empty() {
        names = TARGETS.to_vec();
    }
    if names.iter().any(|name| TARGETS.contains(name)) {
        build()?;
    }
    let mut complaints = Vec::new();
    let (targets, generators): (Vec<&str>, Vec<&str>) =
        names.into_iter().partition(|name| TARGETS.contains(name));
    for (_, run) in GENERATORS
        .iter()
        .filter(|(name, _)| generators.contains(name))
    {
        complaints.extend(run(seconds, first)?);
    }
    for name in &targets {
        seed(name)?;
    }
    complaints.extend(fuzz_all(&targets, seconds)?);
    Ok(complaints)
}

/// Runs targets, as many at a time as there are processors: each has one thread.
fn fuzz_all(targets: &[&str], seconds: u32) -> Result<Vec<String>> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<Vec<String>> {
        let mut complaints = Vec::new();
        while let Some(name) = targets.get(next.fetch_add(1, Ordering::Relaxed)) {
            println!("{name}: {seconds} s");
            complaints.extend(fuzz(name, seconds)?);
        }
        Ok(complaints)
    };
    thread::scope(|scope| {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..processors).map(|_| scope.spawn(work)).collect();
        let ended = threads
            .into_iter()
            .map(|one| one.join().expect("it panics nowhere"));
        let complaints: Vec<Vec<String>> = ended.collect::<Result<_>>()?;
        Ok(complaints.concat())
    })
}

fn generator(name: &str) -> Option<Run> {
    let found = GENERATORS.iter().find(|(known, _)| *known == name);
    found.map(|(_, run)| *run)
}

fn folder() -> PathBuf {
    root().join("fuzz")
}

fn build() -> Result<()> {
    let status = Command::new("cargo")
        .args(["build", "--release", "--locked", "--target", HOST])
        .current_dir(folder())
        .env("RUSTFLAGS", INSTRUMENTATION)
        .env("CARGO_TARGET_DIR", folder().join("target"))
        .status()
        .context("cannot run cargo")?;
    ensure!(
        status.success(),
        "the fuzz targets do not build; libFuzzer needs a C++ compiler (Debian package build-essential). If fuzz/Cargo.lock is older than \
         a manifest, write it anew with `cargo metadata --manifest-path fuzz/Cargo.toml`"
    );
    Ok(())
}

/// Runs one target; the complaint says how to repeat what it found.
fn fuzz(name: &str, seconds: u32) -> Result<Option<String>> {
    let (corpus, artifacts) = (
        folder().join("corpus").join(name),
        folder().join("artifacts").join(name),
    );
    fs::create_dir_all(&artifacts)
        .with_context(|| format!("cannot make {}", artifacts.display()))?;
    let program = folder()
        .join("target")
        .join(HOST)
        .join("release")
        .join(name);
    let output = Command::new(&program)
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .args([
            "-timeout=20",
            "-rss_limit_mb=4096",
            "-max_len=65536",
            "-print_final_stats=1",
        ])
        .arg("-verbosity=0")
        .arg(&corpus)
        .output()
        .with_context(|| format!("cannot start {}", program.display()))?;
    println!(
        "{name}:\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    let status = output.status;
    if status.success() {
        return Ok(None);
    }
    Ok(Some(format!(
        "{name} failed ({status}); the input is the newest file in {}, repeat with {} FILE",
        artifacts.display(),
        program.display()
    )))
}

/// Gives a target's corpus its first inputs, made with LLVM's tools from one small kernel.
fn seed(name: &str) -> Result<()> {
    let corpus = folder().join("corpus").join(name);
    fs::create_dir_all(&corpus).with_context(|| format!("cannot make {}", corpus.display()))?;
    if fs::read_dir(&corpus).is_ok_and(|mut entries| entries.next().is_some()) {
        return Ok(());
    }
    match name {
        // Nothing but noise reaches these well enough: their formats are short.
        "rawprof" | "sections" | "recording" => return Ok(()),
        "template" => return ready_tools(&corpus),
        _ => {}
    }
    let made = folder().join("target/seeds");
    fs::create_dir_all(&made).with_context(|| format!("cannot make {}", made.display()))?;
    let source = made.join("kernel.cl");
    fs::write(&source, KERNEL).with_context(|| format!("cannot write {}", source.display()))?;
    for target in ["gfx90a", "gfx1030", "gfx1201"] {
        let object = made.join(format!("{target}.co"));
        let part = |suffix: &str| made.join(format!("{target}.{suffix}"));
        tool(
            "clang-22",
            &[
                "-x",
                "cl",
                "-target",
                "amdgcn-amd-amdhsa",
                "-nogpulib",
                "-O1",
                "-g",
                "-gz",
            ],
            &[&format!("-mcpu={target}")],
            &[&source, Path::new("-o"), &object],
        )?;
        let copy = |section: &str, to: &Path| {
            let dump = format!("--dump-section={section}={}", to.display());
            tool(
                "llvm-objcopy-22",
                &[],
                &[&dump],
                &[&object, Path::new("/dev/null")],
            )
        };
        match name {
            "elf" => place(&object, &corpus, target, &[])?,
            "metadata" => {
                copy(".note", &part("note"))?;
                // The descriptor follows a header of three words and the name `AMDGPU`, padded.
                let note = fs::read(part("note")).context("cannot read the note")?;
                let map = note.get(20..).unwrap_or_default();
                fs::write(corpus.join(target), map).context("cannot write a seed")?;
            }
            "decode" => {
                copy(".text", &part("text"))?;
                place(&part("text"), &corpus, target, &[[3, 0], [7, 1], [11, 1]])?;
            }
            _ => {
                for (suffix, flag) in [("bundle", None), ("ccob", Some("-compress"))] {
                    let targets =
                        format!("-targets=host-{HOST}-,hipv4-amdgcn-amd-amdhsa--{target}");
                    let input = format!("-input={}", object.display());
                    let output = format!("-output={}", part(suffix).display());
                    let mut flags = vec!["-type=o", "-input=/dev/null"];
                    flags.extend(flag);
                    tool(
                        "clang-offload-bundler-22",
                        &flags,
                        &[&targets, &input, &output],
                        &[],
                    )?;
                    place(&part(suffix), &corpus, &format!("{target}.{suffix}"), &[])?;
                }
            }
        }
    }
    Ok(())
}

/// Tools that are built, as far as they are short enough to be changed often.
fn ready_tools(corpus: &Path) -> Result<()> {
    let built = root().join("target/release/luthier-tools");
    for entry in fs::read_dir(&built).with_context(|| built.display().to_string())? {
        let path = entry?.path();
        let is_short =
            fs::metadata(&path).is_ok_and(|about| about.is_file() && about.len() < 1 << 16);
        if let (Some(name), true) = (path.file_name(), is_short) {
            place(&path, corpus, &name.to_string_lossy(), &[])?;
        }
    }
    Ok(())
}

/// Copies a seed, once per prefix if there are any.
fn place(from: &Path, corpus: &Path, name: &str, prefixes: &[[u8; 2]]) -> Result<()> {
    let bytes = fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
    let write = |name: String, bytes: Vec<u8>| {
        let path = corpus.join(name);
        fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))
    };
    if prefixes.is_empty() {
        return write(name.to_owned(), bytes);
    }
    for (index, prefix) in prefixes.iter().enumerate() {
        write(format!("{name}.{index}"), [&prefix[..], &bytes].concat())?;
    }
    Ok(())
}

fn tool(program: &str, flags: &[&str], more: &[&str], paths: &[&Path]) -> Result<()> {
    let output = Command::new(program)
        .args(flags)
        .args(more)
        .args(paths)
        .output()
        .with_context(|| format!("cannot run {program}; ./dev setup installs it"))?;
    ensure!(
        output.status.success(),
        "{program}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}

/// Branches, a call, LDS and a barrier.
const KERNEL: &str = "
__attribute__((noinline)) int twice(int x) { return x * 2 + 1; }
kernel void work(global int *out, global const float *in, int n, local int *room) {
    int i = __builtin_amdgcn_workitem_id_x();
    room[i] = twice(i);
    __builtin_amdgcn_s_barrier();
    for (int k = 0; k < n; k++)
        if (in[k] > (float)room[k ^ 1])
            out[i] += room[k];
}
";

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn each_day_has_programs_of_its_own() {
        let hours = |hours: u64| {
            let since = Duration::from_secs(hours * 60 * 60);
            first_of(SystemTime::UNIX_EPOCH + since)
        };
        assert_eq!((hours(0), hours(23)), (0, 0));
        assert_eq!((hours(24), hours(49)), (100_000, 200_000));
    }
}
