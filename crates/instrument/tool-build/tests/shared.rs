//! LDS variables of one name in two tools are two variables.

use crate::common;

use std::fs;

use luthier::{Engine, ToolFile};

const KERNEL: &str = r#"
extern "C" __attribute__((global)) void work(int *out) { out[__builtin_amdgcn_workitem_id_x()] = 1; }
"#;
/// Bytes of the variable.
const SIZE: u32 = 256;
const TOOL: &str = r##"
#include <luthier_device.h>
__attribute__((shared)) luthier_u32 row[64];
LUTHIER_HOOK void mark(luthier_u32 value) { row[luthier::lane()] = value; }
LUTHIER_TOOL(R"(
insert = [{ hook = "mark", at = "kernel-entry", arguments = ["7"] }]
)")
"##;

#[test]
fn tools_do_not_share_lds() {
    let folder = tempfile::tempdir().unwrap();
    let object = common::object(folder.path(), KERNEL, "gfx90a", &[]);
    let source = folder.path().join("tool.hip");
    fs::write(&source, TOOL).unwrap();
    let tool = tool_build::build(&source, &["gfx90a"], "clang-22").unwrap();
    let lds = |names: &[&str]| {
        let tools = names.iter().map(|name| {
            let file = ToolFile::parse(name, &tool).unwrap();
            tools::with_host_code(file)
        });
        let engine = Engine::new(tools.collect(), "", None).unwrap();
        let done = engine.instrument_object(&object, None).unwrap();
        let report = done.kernels[0].result.clone().unwrap();
        assert_eq!(report.before.lds, 0);
        report.after.lds
    };
    let (one, two) = (lds(&["one"]), lds(&["one", "two"]));
    assert!((SIZE..2 * SIZE).contains(&one), "{one}");
    assert!((2 * SIZE..3 * SIZE).contains(&two), "{two}");
}
