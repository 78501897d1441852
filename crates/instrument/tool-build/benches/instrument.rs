//! Seconds to instrument every block of whole code objects, with nothing in any cache: of files named on the command line, else
//! of rocRAND, the least of some rounds, on the clock and of processors. The hash of what came out says whether two builds
//! of this project agree. Reading source lines happens beside lifting. `--largest`: of each file only the object with most code.
//! `--whole`: lifting and lines are not measured for themselves, for profiles. `--launches`: each kernel by itself, as the first
//! launches of a running program ask for them.
//!
//! `cargo bench -p tool-build --bench instrument -- [PATH/FILE...] [--largest] [--whole | --launches] [--tool NAME]
//! [--rounds N] [--write FOLDER]`

use codeobj::{CodeObject, LineTables};
use luthier::Engine;
use session::cache::{Cache, Found, Key};
use session::{Agent, AgentId, Instrumenter, Request};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

const LIBRARY: &str = "/usr/lib/x86_64-linux-gnu/librocrand.so.1";

fn main() {
    let (mut files, mut tool, mut rounds) = (Vec::new(), "bb-count".to_owned(), 3);
    let (mut folder, mut only_largest, mut whole, mut launches) = (None, false, false, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--tool" => tool = arguments.next().expect("--tool NAME"),
            "--rounds" => {
                let number = arguments.next().and_then(|number| number.parse().ok());
                rounds = number.expect("--rounds N");
            }
            "--largest" => only_largest = true,
            "--whole" => whole = true,
            "--launches" => launches = true,
            "--write" => folder = Some(PathBuf::from(arguments.next().expect("--write FOLDER"))),
            _ if argument.contains('/') => files.push(argument),
            _ => {}
        }
    }
    if files.is_empty() {
        files.push(LIBRARY.to_owned());
    }
    // Tools are built once for a target.
    let mut engines = BTreeMap::new();
    for file in files {
        let Ok(bytes) = std::fs::read(&file) else {
            eprintln!(
                "{file} cannot be read; install librocrand1, run ./dev setup or name another"
            );
            continue;
        };
        let contents = codeobj::walk(&bytes).unwrap_or_else(|error| panic!("{file}: {error}"));
        let entries: Vec<_> = contents.code_objects().collect();
        let mut objects: Vec<_> = (entries.iter())
            .filter_map(|entry| CodeObject::parse(&entry.bytes).ok())
            .collect();
        if only_largest {
            objects.sort_by_key(|object| std::cmp::Reverse(code(object)));
            objects.truncate(1);
        }
        for object in objects {
            let target = object.target().target.name;
            let engine = engines
                .entry(target)
                .or_insert_with(|| engine(target, &tool));
            if launches {
                measure_launches(&object, engine, rounds);
                continue;
            }
            let instrumented = measure(&object, engine, rounds, whole);
            if let Some(folder) = &folder {
                let name = Path::new(&file).file_name().unwrap_or_default();
                let path = folder.join(format!("{}-{target}-{tool}", name.display()));
                std::fs::write(path, instrumented).expect("a folder to write to");
            }
        }
    }
}

/// Bytes of code.
fn code(object: &CodeObject<'_>) -> usize {
    let sections = object.elf().sections.iter();
    let code = sections.filter(|section| section.is_code());
    code.map(|section| section.data.len()).sum()
}

/// The instrumented object.
fn measure(object: &CodeObject<'_>, engine: &Engine, rounds: usize, whole: bool) -> Vec<u8> {
    let target = object.target().target.name;
    let module = lift::Module::lift(object).expect("lifts");
    let functions = module.functions.iter();
    let (insts, blocks) = functions.fold((0, 0), |(insts, blocks), function| {
        (insts + function.insts.len(), blocks + function.blocks.len())
    });
    drop(module);
    let of_parts = if whole { 0 } else { rounds };
    let lift = least(of_parts, || {
        drop(lift::Module::lift(object).expect("lifts"))
    });
    let lines = least(of_parts, || {
        if let Some(tables) = LineTables::read(object).expect("reads") {
            tables.prepare();
        }
    });
    let (mut kernels, mut instrumented) = (0, Vec::new());
    let all = least(rounds, || {
        let done = engine.instrument_object(object.elf().data, None);
        let done = done.unwrap_or_else(|error| panic!("{error}"));
        kernels = done.kernels.len();
        instrumented = done.object;
    });
    let digest = Sha256::digest(&instrumented);
    let hash: String = digest.iter().map(hexadecimal).collect();
    let megabytes = code(object) as f64 / 1e6;
    let of_20 = |seconds: f64| seconds / megabytes * 20.0;
    println!(
        "{target:8} {megabytes:5.2} MB of code, {insts} instructions, {blocks} blocks, {kernels} kernels: lifting {:.3} s \
         ({:.3} s of processors), lines {:.3} s, all {:.3} s ({:.3} s); of 20 MB {:.2} s ({:.2} s); {}",
        lift.0,
        lift.1,
        lines.1,
        all.0,
        all.1,
        of_20(all.0),
        of_20(all.1),
        &hash[..16]
    );
    instrumented
}

/// The time that the first launches of all kernels wait, one after the other; and the first of all, if the cache has every kernel.
fn measure_launches(object: &CodeObject<'_>, engine: &Engine, rounds: usize) {
    let bytes = object.elf().data;
    let object_hash: [u8; 32] = Sha256::digest(bytes).into();
    let target = object.target().target.name;
    let agent = Agent {
        id: AgentId(0),
        number: 0,
        target: target.to_owned(),
        product: String::new(),
        compute_units: 0,
    };
    let kernels = object.kernels().expect("kernels");
    let mut least = vec![f64::INFINITY; kernels.len()];
    let (mut refused, mut digest) = (0, Sha256::new());
    let folder = tempfile::tempdir().expect("a folder");
    let cache = Cache::new(folder.path().to_owned(), u64::MAX);
    let key = |kernel: &str| Key::new(&object_hash, kernel, target, &[]);
    let mut kept = Vec::new();
    let before = processor_seconds();
    for round in 0..rounds {
        for (kernel, least) in kernels.iter().zip(&mut least) {
            let start = Instant::now();
            let variant = engine.instrument(&Request {
                object: bytes,
                object_hash: &object_hash,
                uri: "",
                kernel: kernel.name,
                agent: &agent,
                choice: 0,
                stack_size: None,
            });
            *least = least.min(start.elapsed().as_secs_f64() * 1e3);
            match variant {
                Ok(variant) if round == 0 => {
                    digest.update(&variant.object);
                    kept.push((key(kernel.name), variant));
                }
                Ok(_) => {}
                Err(_) => refused += usize::from(round == 0),
            }
        }
    }
    let busy = (processor_seconds() - before) / rounds as f64;
    let hash: String = digest.finalize().iter().map(hexadecimal).collect();
    for (key, variant) in &kept {
        cache.put(key, Ok(variant)).expect("a folder to write to");
    }
    let mut packed = 0;
    let cached = self::least(rounds, || {
        let read = |key: &Key| match cache.get(key) {
            Found::Variant(variant) => variant.object,
            other => panic!("{other:?}"),
        };
        let objects: Vec<_> = kept.iter().map(|(key, _)| read(key)).collect();
        let parsed = objects
            .iter()
            .map(|object| CodeObject::parse(object).expect("reads"));
        let parsed: Vec<_> = parsed.collect();
        packed = codeobj::edit::pack(&parsed).expect("packs").len();
    });
    least.sort_by(f64::total_cmp);
    let (count, all) = (least.len(), least.iter().sum::<f64>());
    println!(
        "{target:8} {count} kernels, one by one, {refused} refused: {:.2} ms in the middle, {:.2} at most, all {:.2} s ({busy:.2} s of \
         processors); from the cache, {:.1} MB as one: {:.1} ms; {}",
        least[count / 2],
        least[count - 1],
        all / 1e3,
        packed as f64 / 1e6,
        cached.0 * 1e3,
        &hash[..16]
    );
}

fn hexadecimal(byte: &u8) -> String {
    format!("{byte:02x}")
}

fn engine(target: &str, tool: &str) -> Engine {
    let ready = tools::TOOLS.iter().find(|ready| ready.name == tool);
    let ready = ready.unwrap_or_else(|| panic!("no ready tool {tool}"));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tool.hip");
    std::fs::write(&path, ready.source).expect("a file");
    let bytes = tool_build::build(&path, &[target], "clang-22").expect("builds");
    let file = luthier::ToolFile::parse(tool, &bytes).expect("a tool");
    Engine::new(vec![tools::with_host_code(file)], "", None).expect("an engine")
}

/// The least of some rounds: seconds on the clock and of processors.
fn least(rounds: usize, mut work: impl FnMut()) -> (f64, f64) {
    let mut best = (f64::INFINITY, f64::INFINITY);
    for _ in 0..rounds {
        let (start, before) = (Instant::now(), processor_seconds());
        work();
        best.0 = best.0.min(start.elapsed().as_secs_f64());
        best.1 = best.1.min(processor_seconds() - before);
    }
    best
}

/// User and system time of all threads of the process so far, in steps of 10 ms.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let behind_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = behind_name.split_whitespace().skip(11).take(2);
    ticks
        .filter_map(|ticks| ticks.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}
