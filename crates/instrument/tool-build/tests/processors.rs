//! The result does not depend on how many processors share the work, nor on which of them was quicker, nor on what was
//! instrumented before.

use codeobj::CodeObject;
use luthier::{Engine, ToolFile};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use session::{Agent, AgentId, Instrumenter, Request};
use sha2::{Digest, Sha256};
use std::thread;

const LIBRARY: &str = "/usr/lib/x86_64-linux-gnu/librocrand.so.1";
/// Times that all processors try.
const TIMES: usize = 3;

fn build(target: &str, tool: &str) -> ToolFile {
    let ready = tools::TOOLS.iter().find(|ready| ready.name == tool);
    let ready = ready.expect("a ready tool");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tool.hip");
    std::fs::write(&path, ready.source).expect("a file");
    let bytes = tool_build::build(&path, &[target], "clang-22").expect("builds");
    ToolFile::parse(tool, &bytes).expect("a tool")
}

fn engine(file: ToolFile) -> Engine {
    Engine::new(vec![tools::with_host_code(file)], "", None).expect("an engine")
}

/// Binds the calling thread, and threads that it starts, to one processor.
fn stay_on_one_processor() {
    let all = sched_getaffinity(None).expect("the processors");
    let first = (0..CpuSet::MAX_CPU).find(|cpu| all.is_set(*cpu));
    let mut one = CpuSet::new();
    one.set(first.expect("a processor"));
    sched_setaffinity(None, &one).expect("one of them");
    assert_eq!(
        thread::available_parallelism().map(usize::from).ok(),
        Some(1)
    );
}

#[test]
fn one_processor_and_all_make_the_same() {
    let bytes = std::fs::read(LIBRARY).expect("librocrand1 is installed (./dev setup)");
    let contents = codeobj::walk(&bytes).expect("reads");
    let entries: Vec<_> = contents.code_objects().collect();
    let mut compared = 0;
    for (target, tool) in [
        ("gfx90a", "bb-count"),
        ("gfx90a", "mem-trace"),
        ("gfx1030", "bb-count"),
    ] {
        let engine = engine(build(target, tool));
        for entry in &entries {
            let Ok(object) = CodeObject::parse(&entry.bytes) else {
                continue;
            };
            if object.target().target.name != target {
                continue;
            }
            let instrument = || {
                let done = engine.instrument_object(&entry.bytes, None);
                done.expect("instruments").object
            };
            let alone = thread::scope(|scope| {
                let thread = scope.spawn(|| {
                    stay_on_one_processor();
                    instrument()
                });
                thread.join().expect("does not panic")
            });
            for _ in 0..TIMES {
                assert!(instrument() == alone, "{target} {tool}");
            }
            compared += 1;
        }
    }
    assert!(compared >= 3, "{compared}");
}

/// A running program asks for one kernel after the other, and what was found out for one serves the next.
#[test]
fn a_kernel_is_the_same_behind_others() {
    const TARGET: &str = "gfx90a";
    let bytes = std::fs::read(LIBRARY).expect("librocrand1 is installed (./dev setup)");
    let contents = codeobj::walk(&bytes).expect("reads");
    let objects = contents.code_objects();
    let mut objects =
        objects.filter_map(|entry| Some((CodeObject::parse(&entry.bytes).ok()?, &entry.bytes)));
    let found = objects.find(|(object, _)| object.target().target.name == TARGET);
    let (object, bytes) = found.expect("code for it");
    let object_hash: [u8; 32] = Sha256::digest(bytes).into();
    let agent = Agent {
        id: AgentId(0),
        number: 0,
        target: TARGET.to_owned(),
        product: String::new(),
        compute_units: 0,
    };
    let tool = build(TARGET, "bb-count");
    let many = engine(tool.clone());
    let kernels = object.kernels().expect("kernels");
    for kernel in kernels.iter().take(8) {
        let request = Request {
            object: bytes,
            object_hash: &object_hash,
            uri: "",
            kernel: kernel.name,
            agent: &agent,
            choice: 0,
            stack_size: None,
        };
        let (first, later) = (
            engine(tool.clone()).instrument(&request),
            many.instrument(&request),
        );
        assert!(first.is_ok() && first == later, "{}", kernel.name);
    }
}
