//! Kernels that call by pointer need every kernel of their object. However many are instrumented at once, one object is in memory.

use std::sync::Barrier;

use crate::common::{object, ready_tool};
use luthier::Engine;
use session::{Agent, AgentId, Instrumenter, Request};
use sha2::{Digest, Sha256};

const KERNELS: usize = 12;

/// Kernels that call what the host chose, and so many bytes beside them.
fn source(beside: usize) -> String {
    let mut text = format!(
        "extern \"C\" __attribute__((device, used)) const char beside[{beside}] = {{1}};\n"
    );
    for number in 0..KERNELS {
        text += &format!(
            "extern \"C\" __attribute__((global)) void calls_{number}(int (*chosen)(int), int *out) {{ *out = chosen({number}); }}\n"
        );
    }
    text
}

fn instrument(engine: &Engine, object: &[u8], number: usize) {
    let hash: [u8; 32] = Sha256::digest(object).into();
    let agent = Agent {
        id: AgentId(0),
        number: 0,
        target: "gfx90a".to_owned(),
        product: String::new(),
        compute_units: 0,
    };
    let request = Request {
        object,
        object_hash: &hash,
        uri: "",
        kernel: &format!("calls_{number}"),
        agent: &agent,
        choice: 0,
        stack_size: None,
    };
    engine.instrument(&request).unwrap();
}

#[test]
fn an_object_is_lifted_once_for_kernels_that_come_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let object = object(folder.path(), &source(1), "gfx90a", &[]);
    let file = ready_tool(folder.path(), "bb-count", &["gfx90a"]);
    let engine = Engine::new(vec![tools::with_host_code(file)], "", None).unwrap();
    for number in 0..KERNELS {
        instrument(&engine, &object, number);
    }
    let whole = engine.whole_objects();
    assert_eq!((whole.lifted(), whole.most()), (1, 1));
}

#[test]
fn one_large_object_is_in_memory_at_a_time_for_kernels_that_come_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let object = object(folder.path(), &source(2 << 20), "gfx90a", &[]);
    let file = ready_tool(folder.path(), "bb-count", &["gfx90a"]);
    let engine = Engine::new(vec![tools::with_host_code(file)], "", None).unwrap();
    let begin = Barrier::new(KERNELS);
    std::thread::scope(|scope| {
        for number in 0..KERNELS {
            let (engine, object, begin) = (&engine, &object, &begin);
            scope.spawn(move || {
                begin.wait();
                instrument(engine, object, number);
            });
        }
    });
    let whole = engine.whole_objects();
    assert!((1..=KERNELS).contains(&whole.lifted()));
    assert_eq!(whole.most(), 1);
}
