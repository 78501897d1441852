//! A tool of several sources: what its description names may be in another one.

use std::fs;

use compiled::Compiler;

const DESCRIPTION: &str = "#include <luthier_device.h>\nLUTHIER_HOOK void h() {}\nLUTHIER_TOOL(R\"(\n[[insert]]\nhook = \"h\"\n\
                           [[print]]\ntext = \"{waves} waves\"\n[[stream]]\nring = \"trace\"\nbytes = 16\n)\")\n";
const VARIABLES: &str = "#include <luthier_device.h>\nLUTHIER_GLOBAL luthier_u64 waves;\nLUTHIER_GLOBAL luthier::ring trace;\n\
                         struct record { luthier_u64 a; luthier_u32 b, c; };\n\
                         LUTHIER_HOOK void other() { luthier::add(&waves, 1); luthier::emit(&trace, record{1, 2, 3}); }\n";

/// Makes one library of both sources, whose code for the device is two code objects, and compiles what hooks are in it.
fn build(description: &str, variables: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let include = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../include");
    let sources = [("one.hip", description), ("two.hip", variables)].map(|(name, text)| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    });
    let library = folder.path().join("tool.so");
    let compiled = Compiler::new("clang-22")
        .args(["-x", "hip", "--offload-arch=gfx90a", "-O2", "-std=c++17"])
        .args(["-nogpulib", "-nogpuinc", "-fPIC", "-shared"])
        .args([
            "-DLUTHIER_WITHOUT_HIP",
            "-Xclang",
            "-fembed-bitcode=all",
            "-I",
            include,
        ])
        .args(&sources)
        .arg("-o")
        .arg(&library)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{errors}");
    let made = tool_build::module(&library, &fs::read(&library).unwrap());
    made.map(drop).map_err(|error| error.to_string())
}

#[test]
fn descriptions_may_name_variables_of_other_sources() {
    assert_eq!(build(DESCRIPTION, VARIABLES), Ok(()));
}

#[test]
fn the_sources_are_checked_together() {
    let without = VARIABLES.replace("waves", "lanes");
    let shorter = DESCRIPTION.replace("bytes = 16", "bytes = 12");
    for (description, variables, reason) in [
        (
            DESCRIPTION,
            &*without,
            "LUTHIER_TOOL names a variable waves, but there is none",
        ),
        (
            &*shorter,
            VARIABLES,
            "hooks append records of 16 bytes to trace, and what LUTHIER_TOOL says of that stream makes 12",
        ),
    ] {
        let said = build(description, variables).expect_err(reason);
        assert!(said.contains(reason), "{said}");
    }
}
