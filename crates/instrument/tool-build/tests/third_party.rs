//! Code objects that others built and published: every kernel with a hook at every instruction, and with every block counted.
//!
//! Each kernel is rewritten or refused with a reason, at most one in a hundred; the new code breaks no hazard rule, and where
//! nothing is inserted nothing changes. A default run takes one library's smaller objects for all targets and its larger
//! ones for two; `LUTHIER_TEST_LARGE=1` takes all of all.

use crate::wheel;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use crate::common::WITHOUT_HOOKS;
use codeobj::{CodeObject, replace};
use lift::Module;
use luthier::Engine;

/// Larger code objects are for these targets only, unless everything is wanted.
const LARGE: usize = 300_000;
const LARGE_TARGETS: [&str; 2] = ["gfx90a", "gfx1030"];
const TOOLS: [&str; 2] = ["empty", "bb-count"];
/// A default run searches one in so many code objects for hazards, because the search takes longer than all the rest.
const SEARCHED: usize = 4;

/// Sums over all code objects.
#[derive(Default)]
struct Sums {
    kernels: usize,
    sites: u64,
    searched: usize,
    refused: BTreeMap<String, usize>,
    /// The first hazard of every object that has any.
    violations: Vec<String>,
}

fn engine(target: &str, tool: &str) -> Engine {
    let source = tools::TOOLS
        .iter()
        .find(|ready| ready.name == tool)
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tool.hip");
    fs::write(&path, source.source).unwrap();
    let bytes = tool_build::build(&path, &[target], "clang-22").unwrap();
    let file = luthier::ToolFile::parse(tool, &bytes).unwrap();
    Engine::new(vec![tools::with_host_code(file)], "", None).unwrap()
}

/// The first hazard in an object's functions.
fn hazard(bytes: &[u8]) -> Option<String> {
    let object = CodeObject::parse(bytes).expect("reads");
    let module = Module::lift(&object).expect("lifts");
    module.functions.iter().find_map(|function| {
        let found = hazard::check(function, module.target);
        let first = found.first()?;
        Some(format!("{}: {first}", function.name))
    })
}

#[test]
fn published_kernels_are_rewritten() {
    let libraries = match wheel::libraries() {
        Ok(libraries) => libraries,
        Err(why) => {
            return prerequisite::skip(&format!(
                "no third-party code objects without the package index: {why}"
            ));
        }
    };
    let everything = std::env::var_os("LUTHIER_TEST_LARGE").is_some();
    let chosen = if everything { libraries.len() } else { 1 };
    let mut objects: Vec<(String, Vec<u8>)> = Vec::new();
    for library in &libraries[..chosen] {
        nothing_inserted_nothing_changed(library);
        let bytes = fs::read(library).expect("a readable library");
        let contents = codeobj::walk(&bytes).expect("bundles");
        for entry in contents.code_objects() {
            let target = entry
                .code_object()
                .expect("a code object")
                .target()
                .target
                .name;
            let small = entry.bytes.len() <= LARGE || LARGE_TARGETS.contains(&target);
            if (small || everything) && target != WITHOUT_HOOKS {
                objects.push((target.to_owned(), entry.bytes.to_vec()));
            }
        }
    }
    let targets: BTreeSet<&str> = objects.iter().map(|(target, _)| target.as_str()).collect();
    let engines: BTreeMap<&str, Vec<Engine>> = targets
        .iter()
        .map(|&target| (target, TOOLS.map(|tool| engine(target, tool)).into()))
        .collect();
    let next = AtomicUsize::new(0);
    let sums = Mutex::new(Sums::default());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some((target, bytes)) = objects.get(index) else {
                        return;
                    };
                    for (engine, tool) in engines[target.as_str()].iter().zip(TOOLS) {
                        let done = engine.instrument_object(bytes, None).unwrap();
                        let search = everything || index.is_multiple_of(SEARCHED);
                        let violation = search.then(|| hazard(&done.object)).flatten();
                        let mut sums = sums.lock().unwrap();
                        let violation =
                            violation.map(|violation| format!("{target} with {tool}: {violation}"));
                        sums.violations.extend(violation);
                        sums.searched += usize::from(search);
                        for kernel in done.kernels {
                            sums.kernels += 1;
                            match kernel.result {
                                Ok(report) => sums.sites += report.sites,
                                Err(reason) => {
                                    let reason = format!("{target} with {tool}: {reason}");
                                    *sums.refused.entry(reason).or_default() += 1;
                                }
                            }
                        }
                    }
                }
            });
        }
    });
    let sums = sums.into_inner().unwrap();
    let refused: usize = sums.refused.values().sum();
    for (reason, kernels) in &sums.refused {
        println!("{kernels} refused: {reason}");
    }
    println!(
        "{} code objects for {} targets, {} kernels, {} places; refused {refused}, {:.2} %; {} searched for hazards",
        objects.len(),
        targets.len(),
        sums.kernels,
        sums.sites,
        refused as f64 * 100.0 / sums.kernels as f64,
        sums.searched
    );
    assert!(sums.violations.is_empty(), "{:#?}", sums.violations);
    assert!(sums.kernels > 1000 && sums.sites > 100_000);
    assert!(refused * 100 <= sums.kernels);
}

fn nothing_inserted_nothing_changed(library: &Path) {
    let engine = Engine::new(Vec::new(), "", None).unwrap();
    let nothing = regex::Regex::new("^no such kernel$").unwrap();
    let bytes = fs::read(library).unwrap();
    let same = replace::code_objects(&bytes, &mut |object| -> Result<Vec<u8>, codeobj::Error> {
        Ok(engine
            .instrument_object(object, Some(&nothing))
            .unwrap()
            .object)
    });
    assert!(same.unwrap() == bytes, "{}", library.display());
}
