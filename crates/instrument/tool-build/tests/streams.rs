//! A description says of a stream what hooks append to it.

use std::fs;

/// A tool whose hook appends records of 16 bytes, or of 280 for a wave: the mask of 8 bytes, and 64 values of 4.
fn build(append: &str, stream: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("stream.hip");
    let text = format!(
        "#include <luthier_device.h>\nLUTHIER_GLOBAL luthier::ring trace;\n\
         struct record {{ luthier_u64 a; luthier_u32 b, c; }};\n\
         LUTHIER_HOOK void h() {{ {append}; }}\n\
         LUTHIER_TOOL(R\"(\n[[insert]]\nhook = \"h\"\n[[stream]]\nring = \"trace\"\n{stream}\n)\")\n"
    );
    fs::write(&source, text).unwrap();
    let built = tool_build::build(&source, &["gfx90a"], "clang-22");
    built.map(drop).map_err(|error| error.to_string())
}

#[test]
fn records_have_the_size_that_the_description_says() {
    const LANES: &str = "luthier::emit(&trace, record{1, 2, 3})";
    const WAVE: &str = "luthier::emit_wave(&trace, record{1, 2, 3}, 4u)";
    let fields = |list: &str| format!("file = \"t.jsonl\"\nfields = [{list}]");
    let right = fields("\"a:u64\", \"b:u32\", \"c:f32\"");
    let long = fields("\"a:u64\", \"b:u64\", \"c:u64\"");
    for (append, stream, sizes) in [
        (LANES, &*right, None),
        (LANES, "bytes = 16", None),
        (WAVE, "bytes = 280", None),
        (LANES, &*long, Some((16, 24))),
        (LANES, "bytes = 12", Some((16, 12))),
        (WAVE, &*right, Some((280, 16))),
    ] {
        let built = build(append, stream);
        let Some((appended, described)) = sizes else {
            assert_eq!(built, Ok(()), "{stream}");
            continue;
        };
        let said = built.expect_err(stream);
        let expected = format!(
            "stream.hip: hooks append records of {appended} bytes to trace, and what LUTHIER_TOOL says of that stream makes {described}: "
        );
        assert!(said.contains(&expected), "{said}");
    }
}
