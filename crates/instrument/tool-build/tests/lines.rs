//! Source lines of code that was instrumented on disk, as LLVM's symbolizer reads them.

use crate::common;

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use crate::common::ready_tool;
use codeobj::CodeObject;
use luthier::Engine;
use session::{Agent, AgentId, Instrumenter, Request};

const KERNEL: &str = r#"
#define INLINE __attribute__((device)) static inline __attribute__((always_inline))
INLINE float inverse(float value) {
  return 1.0f / value;
}
extern "C" __attribute__((global)) void first(float *out, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += inverse(out[i]);
  out[n] = sum;
}
extern "C" __attribute__((global)) void second(float *out) {
  out[0] = out[1] / out[2];
}
"#;

fn run(program: &str, arguments: &[&str], input: &Path) -> String {
    let output = Command::new(program)
        .args(arguments)
        .arg(input)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// Lines and functions inlined there of all instructions of a kernel. Files have their whole paths: how a compiler cuts these into
/// directory and name depends on where it runs.
fn lines(object: &Path, kernel: &str) -> BTreeSet<String> {
    let bytes = fs::read(object).unwrap();
    let parsed = CodeObject::parse(&bytes).unwrap();
    let kernel = parsed.kernel(kernel).unwrap();
    let pcs = (kernel.entry..kernel.entry + kernel.code_size).step_by(4);
    let pcs: Vec<String> = pcs.map(|pc| format!("{pc:#x}")).collect();
    let output = Command::new("llvm-symbolizer-22")
        .args([
            "--output-style=GNU",
            "--no-demangle",
            "--functions=linkage",
            "-p",
        ])
        .arg("--obj")
        .arg(object)
        .args(pcs)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let known = text
        .lines()
        .filter(|line| !line.contains("??") && !line.contains(":?"));
    // Columns and discriminators are not carried over.
    let plain = known.map(|line| line.split(" (disc").next().unwrap().trim().to_owned());
    plain.filter(|line| !line.ends_with(":0")).collect()
}

#[test]
fn new_code_has_the_lines_of_the_old() {
    let folder = tempfile::tempdir().unwrap();
    let original = common::object(folder.path(), KERNEL, "gfx90a", &["-g"]);
    let object = folder.path().join("object");
    let file = ready_tool(folder.path(), "instr-count", &["gfx90a"]);
    let engine = Engine::new(vec![tools::with_host_code(file)], "", None).unwrap();
    let done = engine.instrument_object(&original, None).unwrap();
    assert!(done.kernels.iter().all(|kernel| kernel.result.is_ok()));
    let instrumented = folder.path().join("instrumented");
    fs::write(&instrumented, &done.object).unwrap();
    for (kernel, place) in [("first", "inverse"), ("second", "kernel.hip:13")] {
        let (before, after) = (lines(&object, kernel), lines(&instrumented, kernel));
        assert!(before.iter().any(|line| line.contains(place)), "{before:?}");
        assert_eq!(before, after, "{kernel}");
    }
    // Nothing that reads debug information stumbles over it.
    let verified = run("llvm-dwarfdump-22", &["--verify"], &instrumented);
    assert!(verified.contains("No errors."), "{verified}");
}

/// As a running program has them when they come from the cache.
#[test]
fn variants_that_are_packed_into_one_object_keep_their_lines() {
    let folder = tempfile::tempdir().unwrap();
    let original = common::object(folder.path(), KERNEL, "gfx90a", &["-g"]);
    let object = folder.path().join("object");
    let file = ready_tool(folder.path(), "instr-count", &["gfx90a"]);
    let engine = Engine::new(vec![tools::with_host_code(file)], "", None).unwrap();
    let agent = Agent {
        id: AgentId(0),
        number: 0,
        target: "gfx90a".to_owned(),
        product: String::new(),
        compute_units: 0,
    };
    let variants = ["first", "second"].map(|kernel| {
        let request = Request {
            object: &original,
            object_hash: &[0; 32],
            uri: "",
            kernel,
            agent: &agent,
            choice: 0,
            stack_size: None,
        };
        engine.instrument(&request).unwrap().object
    });
    let parsed = variants
        .iter()
        .map(|variant| CodeObject::parse(variant).unwrap());
    let packed = codeobj::edit::pack(&parsed.collect::<Vec<_>>()).unwrap();
    let together = folder.path().join("together");
    fs::write(&together, packed).unwrap();
    for (kernel, place) in [("first", "inverse"), ("second", "kernel.hip:13")] {
        let (before, after) = (lines(&object, kernel), lines(&together, kernel));
        assert!(before.iter().any(|line| line.contains(place)), "{before:?}");
        assert_eq!(before, after, "{kernel}");
    }
    let verified = run("llvm-dwarfdump-22", &["--verify"], &together);
    assert!(verified.contains("No errors."), "{verified}");
    // Objects without lines are packed as well, and those with lines keep them.
    let plain = common::object(
        folder.path(),
        &KERNEL.replace("first", "third"),
        "gfx90a",
        &[],
    );
    let request = Request {
        object: &plain,
        object_hash: &[1; 32],
        uri: "",
        kernel: "third",
        agent: &agent,
        choice: 0,
        stack_size: None,
    };
    let third = engine.instrument(&request).unwrap().object;
    let objects = [&third, &variants[1]].map(|bytes| CodeObject::parse(bytes).unwrap());
    fs::write(&together, codeobj::edit::pack(&objects).unwrap()).unwrap();
    assert!(lines(&together, "third").is_empty());
    assert!(!lines(&together, "second").is_empty());
}
