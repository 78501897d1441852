//! Code objects that cannot be instrumented.

use crate::common::{object, ready_tool};
use luthier::Engine;

/// A pointer in the middle of the code, which the loader fills in.
const RELOCATED: &str = r#"
__attribute__((device, visibility("default"))) int other;
extern "C" __attribute__((global)) void reads(unsigned long *out) {
  unsigned long value;
  asm volatile("s_getpc_b64 %0\n s_branch 1f\n .quad other\n1:" : "=s"(value));
  *out = value;
}
extern "C" __attribute__((global)) void writes(int *out) { *out = other; }
"#;

#[test]
fn code_that_the_loader_writes_into_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["-Xoffload-linker", "-z", "-Xoffload-linker", "notext"];
    let compile = |text: &str| object(folder.path(), text, "gfx90a", &options);
    let file = ready_tool(folder.path(), "bb-count", &["gfx90a"]);
    let engine = Engine::new(vec![tools::with_host_code(file)], "", None).unwrap();

    let done = engine.instrument_object(&compile(RELOCATED), None).unwrap();
    assert_eq!(done.kernels.len(), 2);
    for kernel in done.kernels {
        let session::Refusal::Object(reason) = kernel.result.unwrap_err() else {
            panic!("of another kind")
        };
        assert!(
            reason.contains("the loader writes an address into its code at 0x"),
            "{reason}"
        );
    }
    // The pointer in data does no harm.
    let moved = RELOCATED.replace(".quad other", ".quad 0");
    let done = engine.instrument_object(&compile(&moved), None).unwrap();
    assert!(done.kernels.iter().all(|kernel| kernel.result.is_ok()));
}

/// `full` follows where `nothing` would be.
const EMPTY: &str = r#"
extern "C" __attribute__((global)) void nothing() { __builtin_unreachable(); }
extern "C" __attribute__((global)) void full(int *out) { *out = 1; }
"#;

#[test]
fn kernels_without_code_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let object = object(folder.path(), EMPTY, "gfx90a", &[]);
    let file = ready_tool(folder.path(), "bb-count", &["gfx90a"]);
    let engine = Engine::new(vec![tools::with_host_code(file)], "", None).unwrap();
    let count = |wanted: Option<&str>| {
        let wanted = wanted.map(|wanted| regex::Regex::new(wanted).unwrap());
        let done = engine.instrument_object(&object, wanted.as_ref()).unwrap();
        (done.kernels.len(), done.without_code)
    };
    assert_eq!(count(None), (1, 1));
    assert_eq!(count(Some("full")), (1, 0));
    assert_eq!(count(Some("nothing")), (0, 1));
}
