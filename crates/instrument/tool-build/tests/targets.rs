//! Tools as they are built for users, on a kernel of every chip: whichever it is, there are templates for it, and the new code
//! breaks no hazard rule of that chip.

use std::collections::BTreeSet;

use crate::common::{WITHOUT_HOOKS, object, ready_tool};
use codeobj::CodeObject;
use lift::Module;
use luthier::Engine;

/// One that looks at addresses and writes records, and one that counts in registers.
const TOOLS: [&str; 3] = ["mem-trace", "instr-count", "bb-count"];

/// Loops, divergent branches, memory of all kinds.
const KERNEL: &str = r#"
#define DEVICE __attribute__((device))
extern "C" __attribute__((global)) void work(float *out, const float *in, int n) {
  __attribute__((shared)) static float row[64];
  int lane = __builtin_amdgcn_workitem_id_x();
  float sum = 0;
  for (int i = lane; i < n; i += 64)
    sum += in[i] > 0 ? in[i] * in[n - 1 - i] : in[i] / 3.0f;
  row[lane] = sum;
  __builtin_amdgcn_s_barrier();
  if (lane < 32)
    out[lane] = row[lane] + row[lane + 32];
  if (sum > 100.0f)
    __atomic_fetch_add((int *)out + 64, 1, __ATOMIC_RELAXED);
}
"#;

#[test]
fn every_chip_has_templates() {
    let folder = tempfile::tempdir().unwrap();
    let files = TOOLS.map(|name| ready_tool(folder.path(), name, &tool_build::TARGETS));
    let generic = gfx::GENERIC_TARGETS.iter().map(|generic| &generic.target);
    let mut seen = BTreeSet::new();
    for target in gfx::TARGETS.iter().chain(generic) {
        let name = target.name;
        if name == WITHOUT_HOOKS {
            // Said of the object, once, whatever hooks a tool has.
            for file in &files {
                let tool = vec![tools::with_host_code(file.clone())];
                let engine = Engine::new(tool, "", None).unwrap();
                let reason = engine.lacks_hooks(target).unwrap_or_default();
                let says = reason.contains("has no hooks for it");
                assert!(says, "{name}, {}: {reason}", file.name());
            }
            continue;
        }
        let original = object(folder.path(), KERNEL, name, &["-g"]);
        for file in &files {
            let tool = vec![tools::with_host_code(file.clone())];
            let engine = Engine::new(tool, "", None).unwrap();
            let done = engine.instrument_object(&original, None).unwrap();
            let [kernel] = &done.kernels[..] else {
                panic!("{name}: {} kernels", done.kernels.len());
            };
            let report = kernel.result.as_ref();
            let report =
                report.unwrap_or_else(|reason| panic!("{name}, {}: {reason}", file.name()));
            assert!(report.added_bytes > 0, "{name}, {}", file.name());
            let object = CodeObject::parse(&done.object).unwrap();
            assert_eq!(object.target().target.name, name);
            let module = Module::lift(&object).unwrap();
            for function in &module.functions {
                let hazards = hazard::check(function, module.target);
                assert!(
                    hazards.is_empty(),
                    "{name}, {}: {}",
                    file.name(),
                    hazards[0]
                );
            }
        }
        seen.insert(name);
    }
    for chip in [
        "gfx902", "gfx90c", "gfx1012", "gfx1036", "gfx1102", "gfx1152", "gfx1201",
    ] {
        assert!(seen.contains(chip), "{chip}");
    }
}
