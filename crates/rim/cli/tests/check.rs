//! `luthier check`: files of all kinds, statuses, suppressions. The crate `check` tests the findings themselves.

use compiled::Compiler;
use std::{fs, path::Path, process::Command};

use crate::common::{
    luthier,
    schema::{check, sarif, schema},
};
use serde_json::Value;

/// The kernel with the bug, for two targets, and a folder for it.
fn compiled() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/barrier.cl");
    for target in ["gfx90a", "gfx1200"] {
        let output = Compiler::new("clang-22")
            .args(["-x", "cl", "-cl-std=CL2.0", "-O2", "-g", "-nogpulib"])
            .args(["-target", "amdgcn-amd-amdhsa"])
            .arg(format!("-mcpu={target}"))
            .arg(source)
            .arg("-o")
            .arg(folder.path().join(format!("{target}.co")))
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    folder
}

/// Status, standard output, standard error.
fn run(arguments: &[&str], folder: &Path) -> (i32, String, String) {
    let arguments = [&["check", "--waits"], arguments].concat();
    let output = luthier(&arguments).current_dir(folder).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code().unwrap(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

fn json(arguments: &[&str], folder: &Path) -> Value {
    let (_, out, errors) = run(&[arguments, &["--format", "json"]].concat(), folder);
    let value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {errors}"));
    check(&schema("check"), &value).unwrap();
    value
}

#[test]
fn a_bug_is_reported_with_its_place() {
    let folder = compiled();
    let (status, text, _) = run(&["-k", "stale", "gfx90a.co"], folder.path());
    assert_eq!(status, 1, "{text}");
    for part in [
        "error[lds-barrier]",
        "gfx90a.co",
        "barrier.cl:",
        "s_barrier",
        "<-- LDS is not waited for",
        "path: bb",
        "lgkmcnt",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let found = json(&["-k", "stale", "gfx90a.co"], folder.path());
    let first = &found["findings"][0];
    assert_eq!(first["kind"], "lds-barrier");
    assert_eq!(first["grade"], "certain");
    assert!(
        first["producer"]["text"]
            .as_str()
            .unwrap()
            .starts_with("ds_write")
    );
    assert_eq!(found["summary"]["checked"]["with_unknown_jumps"], 0);
    let (status, text, _) = run(&["-k", "right", "gfx90a.co"], folder.path());
    assert_eq!(status, 0, "{text}");
}

#[test]
fn statuses_are_as_documented() {
    let folder = compiled();
    let status = |arguments: &[&str]| run(arguments, folder.path()).0;
    assert_eq!(status(&["--error-exitcode", "7", "gfx1200.co"]), 7);
    assert_eq!(status(&["--error-exitcode", "0", "gfx1200.co"]), 0);
    assert_eq!(status(&["missing"]), 2);
    assert_eq!(status(&["-k", "nothing", "gfx90a.co"]), 2);
    assert_eq!(status(&["--target", "gfx942", "gfx90a.co"]), 2);
    assert_eq!(status(&["-k", "right", "--complete", "gfx90a.co"]), 0);
    let none = luthier(&["check", "gfx90a.co"]).output().unwrap();
    assert_eq!(none.status.code(), Some(2));
}

#[test]
fn directories_and_wheels_are_searched() {
    let folder = compiled();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("tree/inner")).unwrap();
    fs::rename(at("gfx90a.co"), at("tree/inner/gfx90a.co")).unwrap();
    fs::write(at("tree/readme.txt"), "no code").unwrap();
    // A host program without device code, and one of another machine, which is all that its header says.
    fs::copy(env!("CARGO_BIN_EXE_luthier"), at("tree/host")).unwrap();
    fs::write(
        at("tree/small.o"),
        [&b"\x7fELF\x01\x01\x01"[..], &[0; 57]].concat(),
    )
    .unwrap();
    let script = "import zipfile; z = zipfile.ZipFile('tree/a.whl', 'w', zipfile.ZIP_DEFLATED); \
        z.write('gfx1200.co', 'p/k.co'); z.writestr('p/x.py', 'pass'); z.close()";
    let made = Command::new("python3")
        .args(["-c", script])
        .current_dir(folder.path())
        .status();
    assert!(made.unwrap().success());
    let found = json(&["-k", "stale", "tree"], folder.path());
    let summary = &found["summary"];
    assert_eq!(summary["files"], 2, "{summary}");
    assert_eq!(summary["other_files"], 4, "{summary}");
    assert_eq!(summary["problems"], Value::Array(Vec::new()));
    let files: Vec<&str> = (found["findings"].as_array().unwrap().iter())
        .map(|one| one["file"].as_str().unwrap())
        .collect();
    assert!(files.contains(&"tree/a.whl/p/k.co"), "{files:?}");
    assert!(files.contains(&"tree/inner/gfx90a.co"), "{files:?}");
}

#[test]
fn damaged_files_do_not_stop_the_others() {
    let folder = compiled();
    let at = |name: &str| folder.path().join(name);
    let whole = fs::read(at("gfx90a.co")).unwrap();
    fs::write(at("cut.co"), &whole[..whole.len() / 3]).unwrap();
    fs::write(at("cut.whl"), b"PK\x03\x04 and nothing else").unwrap();
    let files = ["cut.co", "cut.whl", "gfx90a.co"];
    let (status, text, errors) = run(&[&["-k", "right"][..], &files].concat(), folder.path());
    assert_eq!(status, 2, "{errors}");
    assert!(text.contains("1 code object"), "{text}");
    let lines: Vec<&str> = errors.lines().collect();
    assert_eq!(lines.len(), 2, "{errors}");
    assert!(
        lines[0].starts_with("luthier: cut.co: ") && lines[1].starts_with("luthier: cut.whl: ")
    );
}

/// Objects whose device code is compiled when they are linked.
#[test]
fn objects_with_bitcode_say_what_to_check_instead() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("part.hip"),
        "typedef struct Stream *hipStream_t;\nstruct dim3 { unsigned x, y, z; };\n\
         extern \"C\" int hipLaunchKernel(const void *, dim3, dim3, void **, unsigned long, hipStream_t);\n\
         __attribute__((global)) void kernel() {}\n",
    )
    .unwrap();
    let options = [
        "-nogpuinc",
        "-nogpulib",
        "--offload-arch=gfx90a",
        "-fgpu-rdc",
        "-c",
    ];
    let output = Compiler::new("clang++-22")
        .args(["-x", "hip"])
        .args(options)
        .arg(folder.path().join("part.hip"))
        .arg("-o")
        .arg(folder.path().join("part.o"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let mut ar = Command::new("ar");
    let ar = ar.args(["rc", "libpart.a", "part.o"]);
    assert!(ar.current_dir(folder.path()).status().unwrap().success());
    for name in ["part.o", "libpart.a"] {
        let (status, text, errors) = run(&[name], folder.path());
        assert_eq!(status, 2, "{name}: {text}");
        let reason = format!("luthier: {name}: its device code is LLVM bitcode");
        assert!(errors.contains(&reason), "{errors}");
    }
    // Bitcode beside machine code is named, and counts for --complete.
    let target = compiled();
    fs::copy(
        target.path().join("gfx90a.co"),
        folder.path().join("whole.co"),
    )
    .unwrap();
    let mut ar = Command::new("ar");
    let ar = ar.args(["rc", "libboth.a", "part.o", "whole.co"]);
    assert!(ar.current_dir(folder.path()).status().unwrap().success());
    let both = ["-k", "right", "libboth.a"];
    let (status, text, errors) = run(&both, folder.path());
    assert_eq!(status, 0, "{errors}");
    assert!(
        text.contains("not checked: 1 part of LLVM bitcode"),
        "{text}"
    );
    assert_eq!(json(&both, folder.path())["summary"]["uncompiled"], 1);
    let complete = [&both[..], &["--complete"]].concat();
    assert_eq!(run(&complete, folder.path()).0, 3);
}

/// A bundle with one entry.
fn bundle(id: &str, bytes: &[u8]) -> Vec<u8> {
    let header = 24 + 8 + 24 + id.len();
    let mut bundle = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    for number in [1, header, bytes.len(), id.len()] {
        bundle.extend((number as u64).to_le_bytes());
    }
    [&bundle, id.as_bytes(), bytes].concat()
}

/// Bitcode that no bundle describes: its triple says whether it is the device's.
#[test]
fn bitcode_by_itself_counts_if_it_is_for_a_gpu() {
    let folder = compiled();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("tree")).unwrap();
    fs::write(at("one.c"), "int one(int x) { return x + 1; }\n").unwrap();
    for (target, name) in [
        ("amdgcn-amd-amdhsa", "device.bc"),
        ("x86_64-linux-gnu", "host.bc"),
    ] {
        let output = Compiler::new("clang++-22")
            .args([
                "-x",
                "c",
                "-nogpulib",
                "-emit-llvm",
                "-c",
                "-target",
                target,
            ])
            .arg(at("one.c"))
            .arg("-o")
            .arg(at("tree").join(name))
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let mut wrapped = [0x0b17_c0de_u32, 0, 20, 0, 0]
        .map(u32::to_le_bytes)
        .concat();
    wrapped.extend(fs::read(at("tree/device.bc")).unwrap());
    fs::write(at("tree/wrapped.bc"), wrapped).unwrap();
    let summary = &json(&["tree"], folder.path())["summary"];
    assert_eq!(summary["uncompiled"], 2, "{summary}");
    assert_eq!(summary["other_files"], 1, "{summary}");
    assert_eq!(run(&["tree"], folder.path()).0, 0);
    assert_eq!(run(&["--complete", "tree"], folder.path()).0, 3);
    // As a member of an archive, beside a code object.
    let mut ar = Command::new("ar");
    let ar = ar.args([
        "rcS",
        "lib.a",
        "tree/device.bc",
        "tree/host.bc",
        "gfx90a.co",
    ]);
    assert!(ar.current_dir(folder.path()).status().unwrap().success());
    let summary = &json(&["-k", "right", "lib.a"], folder.path())["summary"];
    assert_eq!(summary["uncompiled"], 1, "{summary}");
}

/// Only host files are without GPU code. The name of a device in front of something else is a problem.
#[test]
fn damaged_device_code_is_a_problem_everywhere() {
    let folder = compiled();
    let at = |name: &str| folder.path().join(name);
    let id = "hipv4-amdgcn-amd-amdhsa--gfx90a";
    let elf = [&b"\x7fELF\x01\x01\x01"[..], &[0; 57]].concat();
    let neither = "it is neither machine code, LLVM bitcode nor SPIR-V";
    let place = "bundle 0 at 0x0";
    for (bytes, reason) in [
        (&elf[..], format!("{place}: not an AMD GPU code object")),
        (b"no code", format!("{place} / {id}: {neither}")),
    ] {
        let good = bundle(id, &fs::read(at("gfx90a.co")).unwrap());
        let _ = fs::remove_dir_all(at("tree"));
        fs::create_dir(at("tree")).unwrap();
        fs::write(at("tree/bad.hipfb"), bundle(id, bytes)).unwrap();
        fs::write(at("tree/good.hipfb"), good).unwrap();
        let mut ar = Command::new("ar");
        let ar = ar.args(["rcS", "lib.a", "tree/good.hipfb", "tree/bad.hipfb"]);
        assert!(ar.current_dir(folder.path()).status().unwrap().success());
        for (name, says) in [
            ("tree/bad.hipfb", format!("tree/bad.hipfb: {reason}")),
            ("tree", format!("tree/bad.hipfb: {reason}")),
            ("lib.a", format!("lib.a: bad.hipfb / {reason}")),
        ] {
            let (status, text, errors) = run(&["-k", "right", name], folder.path());
            assert_eq!(status, 2, "{name}: {text}");
            assert!(errors.contains(&says), "{says}: {errors}");
        }
    }
    // SPIR-V is for each target; bitcode of another target is named.
    let spirv = bundle(
        "hip-spirv64-amd-amdhsa--amdgcnspirv",
        b"\x03\x02\x23\x07code",
    );
    fs::write(at("spirv"), spirv).unwrap();
    fs::write(at("bitcode"), bundle(id, b"BC\xc0\xde")).unwrap();
    for (name, says) in [
        (
            "spirv",
            "its device code for gfx942 is LLVM bitcode or SPIR-V",
        ),
        (
            "bitcode",
            "it has no code object for gfx942; it has gfx90a (LLVM bitcode)",
        ),
    ] {
        let (status, _, errors) = run(&["--target", "gfx942", name], folder.path());
        assert_eq!(status, 2, "{errors}");
        assert!(errors.contains(says), "{errors}");
    }
    // A part that is not compiled counts beside a problem too.
    let both = [bundle(id, b"BC\xc0\xde"), bundle(id, b"no code")];
    fs::write(at("both"), both.map(|one| padded(&one)).concat()).unwrap();
    let summary = &json(&["both"], folder.path())["summary"];
    assert_eq!(summary["uncompiled"], 1, "{summary}");
    assert_eq!(summary["problems"].as_array().unwrap().len(), 1);
}

/// Linkers align bundles.
fn padded(bundle: &[u8]) -> Vec<u8> {
    let mut padded = bundle.to_vec();
    padded.resize(bundle.len().next_multiple_of(8), 0);
    padded
}

#[test]
fn suppressions_take_what_they_name() {
    let folder = compiled();
    let found = json(&["--gen-suppressions", "gfx90a.co"], folder.path());
    let all = found["summary"]["certain"]["findings"].as_u64().unwrap();
    let made: String = (found["findings"].as_array().unwrap().iter())
        .map(|one| one["suppression"].as_str().unwrap())
        .collect();
    let unused = "{\n never\n waits:read-early\n}\n";
    fs::write(folder.path().join("known"), made + unused).unwrap();
    let (status, text, _) = run(&["--suppressions", "known", "gfx90a.co"], folder.path());
    assert_eq!(status, 0, "{text}");
    assert!(
        text.contains(&format!("suppressed: {all} finding")),
        "{text}"
    );
    assert!(text.contains("unused suppression: never"), "{text}");
    fs::write(folder.path().join("bad"), "{\nname\nwaits:no-such\n}\n").unwrap();
    let (status, _, errors) = run(&["--suppressions", "bad", "gfx90a.co"], folder.path());
    assert_eq!(status, 2);
    assert!(errors.contains("bad: line 3: no kind"), "{errors}");
}

#[test]
fn all_are_counted_where_few_are_shown() {
    let folder = compiled();
    // The same file twice: each bug is shown once.
    let found = json(
        &["--print-limit", "1", "gfx90a.co", "gfx90a.co"],
        folder.path(),
    );
    let certain = &found["summary"]["certain"];
    assert_eq!(found["findings"].as_array().unwrap().len(), 1);
    assert_eq!(found["findings"][0]["times"], 2);
    assert_eq!(
        certain["findings"].as_u64().unwrap(),
        2 * certain["different"].as_u64().unwrap()
    );
}

/// The requirements of section 3 of SARIF 2.1.0 (OASIS) and of code hosts: a rule for each result, a physical location,
/// a fingerprint.
#[test]
fn sarif_has_a_result_for_each_bug() {
    let folder = compiled();
    let (status, out, errors) = run(&["--format", "sarif", "gfx90a.co"], folder.path());
    assert_eq!(status, 1, "{errors}");
    let value: Value = serde_json::from_str(&out).unwrap();
    check(&sarif(), &value).unwrap();
    assert_eq!(value["version"], "2.1.0");
    assert_eq!(value["runs"].as_array().unwrap().len(), 1);
    let run = &value["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "luthier check --waits");
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let json = json(&["gfx90a.co"], folder.path());
    let (found, results) = (&json["findings"], run["results"].as_array().unwrap());
    assert_eq!(found.as_array().unwrap().len(), results.len());
    for (finding, result) in found.as_array().unwrap().iter().zip(results) {
        assert_eq!(result["ruleId"], finding["kind"]);
        assert!(rules.iter().any(|rule| rule["id"] == finding["kind"]));
        assert_eq!(result["level"], "error");
        assert!(result["message"]["text"].is_string());
        assert_eq!(
            result["partialFingerprints"]["luthier/v1"],
            finding["fingerprint"]
        );
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        let line = &place["region"]["startLine"];
        let source = finding["consumer"]["source"][0].as_str().unwrap();
        assert_eq!(
            format!("{}:{line}", uri.trim_start_matches("file://")),
            source
        );
        let flow = &result["codeFlows"][0]["threadFlows"][0]["locations"];
        assert_eq!(flow.as_array().unwrap().len(), 2);
    }
}

/// Else every report would seem to be SARIF.
#[test]
fn what_is_no_sarif_is_found() {
    let report = |result: Value| {
        let driver = serde_json::json!({ "name": "luthier" });
        serde_json::json!({
            "version": "2.1.0",
            "runs": [{ "tool": { "driver": driver }, "results": [result] }],
        })
    };
    let text = serde_json::json!({ "text": "found" });
    for (result, fault) in [
        (serde_json::json!({ "message": text }), None),
        (
            serde_json::json!({ "level": "error" }),
            Some("missing properties 'message'"),
        ),
        (
            serde_json::json!({ "message": text, "level": "bad" }),
            Some("$/runs/0/results/0/level"),
        ),
        (
            serde_json::json!({ "message": text, "levels": "error" }),
            Some("additionalProperties 'levels'"),
        ),
    ] {
        let places = check(&sarif(), &report(result)).err().unwrap_or_default();
        match fault {
            Some(fault) => assert!(places[0].contains(fault), "{places:?}"),
            None => assert_eq!(places, [] as [String; 0]),
        }
    }
}

#[test]
fn a_file_that_cannot_be_read_is_said_in_every_form() {
    let folder = compiled();
    fs::write(folder.path().join("a & b"), "nothing").unwrap();
    let text = run(&["--format", "sarif", "a & b"], folder.path()).1;
    let value: Value = serde_json::from_str(&text).unwrap();
    check(&sarif(), &value).unwrap();
    let invocation = &value["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let said = &invocation["toolExecutionNotifications"][0]["message"]["text"];
    assert!(said.as_str().unwrap().starts_with("a & b: "), "{said}");
    let junit = run(&["--format", "junit", "a & b"], folder.path()).1;
    assert!(junit.contains("errors=\"1\""), "{junit}");
    assert!(junit.contains("a &amp; b: "), "{junit}");
}

/// Python's parser reads it, and counts what the attributes say.
const COUNTS: &str = "import sys, xml.etree.ElementTree as tree
for suite in tree.parse(sys.argv[1]).getroot():
    print(suite.get('name'), suite.get('tests'), len(suite.findall('testcase')),
          suite.get('failures'), len(suite.findall('testcase[failure]')))
    for failure in suite.iter('failure'):
        print(failure.get('type'), 's_barrier' in failure.text)
";

#[test]
fn junit_has_a_case_for_each_kernel_with_a_bug() {
    let folder = compiled();
    let arguments = ["--format", "junit", "-o", "./", "gfx90a.co"];
    assert_eq!(run(&arguments, folder.path()).0, 1);
    let output = Command::new("python3")
        .args(["-c", COUNTS, "check.xml"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    // Each in a kernel of its own.
    let found = json(&["gfx90a.co"], folder.path());
    let bugs = found["findings"].as_array().unwrap().len();
    let cases = bugs + 1;
    let failures = "lds-barrier True\n".repeat(bugs);
    assert_eq!(
        said,
        format!("waits {cases} {cases} {bugs} {bugs}\n{failures}")
    );
}
