//! `luthier run -t coverage` on a program that was compiled with debug information only, against the compiled-in counters of the
//! same source.

use crate::common::{Workspace, sources, text};
use std::{collections::BTreeMap, env, fs, path::Path, process::Command};

/// The `luthier` program and its tools, which the whole build makes.
fn luthier() -> std::path::PathBuf {
    let here = env::current_exe().unwrap();
    let program = here.parent().unwrap().join("../luthier");
    let tool = here
        .parent()
        .unwrap()
        .join("../luthier-tools/coverage.tool");
    assert!(
        program.exists() && tool.exists(),
        "{} or its tool `coverage` is missing: run ./dev build",
        program.display()
    );
    program
}

/// Lanes by line of one file, and the two ways of each branch.
fn lcov(path: &Path, source: &str) -> (BTreeMap<u32, u64>, Vec<(u32, u64)>) {
    let text = fs::read_to_string(path).unwrap();
    let record = text
        .split("end_of_record")
        .find(|record| record.contains(source));
    let record = record.unwrap_or_else(|| panic!("{source}: {text}"));
    let numbers = |rest: &str| -> Vec<u64> {
        rest.split(',')
            .map(|word| word.parse().unwrap_or(0))
            .collect()
    };
    let rows = |start: &'static str| {
        record
            .lines()
            .filter_map(move |line| line.strip_prefix(start))
            .map(numbers)
    };
    let lines = rows("DA:").map(|row| (row[0] as u32, row[1])).collect();
    (
        lines,
        rows("BRDA:").map(|row| (row[0] as u32, row[3])).collect(),
    )
}

#[test]
fn lines_and_branches_agree_with_compiled_in_counters() {
    let workspace = Workspace::new();
    let source = sources().join("plain.hip");
    let text_of_source = fs::read_to_string(&source).unwrap();
    let line_of = |part: &str| {
        text_of_source
            .lines()
            .position(|line| line.contains(part))
            .unwrap() as u32
            + 1
    };

    let counted = workspace.build("counted", "plain.hip", &["gfx90a"], &[], &[]);
    assert!(
        workspace
            .run("gfx90a", "out", &[], &counted, &[])
            .status
            .success()
    );
    workspace.report(&["lcov", "out", "-o", "counted.lcov"]);
    let (expected, expected_branches) = lcov(&workspace.path("counted.lcov"), "plain.hip");

    // The same compiler and level, debug information and nothing else.
    let header = sources().join("../../../../../runtime/device-profile/luthier_profile.h");
    let libraries = "--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode";
    let plain = Command::new("clang++-22")
        .args([
            "-x",
            "hip",
            "-O1",
            "-gline-tables-only",
            "--offload-arch=gfx90a",
            "--rocm-path=/usr",
            libraries,
        ])
        .args([
            "-mcode-object-version=4",
            "-DLUTHIER_PROFILE_USE",
            "-include",
        ])
        .arg(header)
        .arg(&source)
        .args(["-x", "none", "-lamdhip64", "-o", "plain"])
        .current_dir(workspace.directory.path())
        .output()
        .unwrap();
    assert!(plain.status.success(), "{}", text(&plain));
    let run = Command::new(luthier())
        .args([
            "run", "--device", "gfx90a", "-t", "coverage", "--output", "files", "--", "./plain",
        ])
        .env("LUTHIER_CACHE", "off")
        .current_dir(workspace.directory.path())
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", text(&run));
    let file = |ending: &str| {
        let entries = fs::read_dir(workspace.path("files")).unwrap();
        let mut paths = entries.map(|entry| entry.unwrap().path());
        let is_ours = |path: &std::path::PathBuf| {
            let name = path.file_name().unwrap().to_string_lossy();
            name.starts_with("coverage.") && name.ends_with(&format!(".{ending}"))
        };
        let found = paths.find(is_ours);
        found.unwrap_or_else(|| panic!("no .{ending}: {}", text(&run)))
    };
    let (found, branches) = lcov(&file("lcov"), "plain.hip");

    // By hand: 128 lanes, of which 100 go on; 25 of them call.
    for (part, lanes) in [
        ("if (i >= n)", 128),
        ("out[i + k * n]", 500),
        ("if (i % 4 == 1)", 100),
        ("// a fourth", 25),
        ("result = x * 3", 25),
        ("out[i] = -7", 0),
    ] {
        let line = line_of(part);
        assert_eq!(found.get(&line), Some(&lanes), "{part}: {found:?}");
    }
    // Lines that both know are executed in both or in neither.
    let both: Vec<_> = found
        .iter()
        .filter_map(|(line, lanes)| Some((line, *lanes, *expected.get(line)?)))
        .collect();
    assert!(both.len() >= 8, "{found:?} {expected:?}");
    for (line, ours, theirs) in &both {
        assert_eq!(
            *ours != 0,
            *theirs != 0,
            "line {line}: {found:?} {expected:?}"
        );
    }
    let equal = both
        .iter()
        .filter(|(_, ours, theirs)| ours == theirs)
        .count();
    assert!(equal * 4 >= both.len() * 3, "{both:?}");
    // The ways of a branch add up to the lanes that came.
    let ways: Vec<u64> = branches
        .iter()
        .filter(|(line, _)| *line == line_of("if (i >= n)"))
        .map(|(_, lanes)| *lanes)
        .collect();
    assert_eq!(
        (ways.len(), ways.iter().sum::<u64>()),
        (2, 128),
        "{branches:?}"
    );

    // Where both know one branch of a line, its two ways were gone by as many lanes. (Which of them comes first is the compiler's.)
    let single = |branches: &[(u32, u64)]| -> BTreeMap<u32, Vec<u64>> {
        let mut ways: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
        for (line, lanes) in branches {
            ways.entry(*line).or_default().push(*lanes);
        }
        ways.retain(|_, lanes| lanes.len() == 2);
        ways.values_mut().for_each(|lanes| lanes.sort_unstable());
        ways
    };
    let (ours, theirs) = (single(&branches), single(&expected_branches));
    let compared: Vec<_> = ours
        .iter()
        .filter_map(|(line, ways)| Some((line, ways, theirs.get(line)?)))
        .collect();
    assert!(compared.len() >= 2, "{ours:?} {theirs:?}");
    for (line, ours, theirs) in compared {
        assert_eq!(
            ours, theirs,
            "line {line}: {branches:?} {expected_branches:?}"
        );
    }

    // The other forms say the same as lcov's, line by line.
    let json: serde_json::Value = serde_json::from_slice(&fs::read(file("json")).unwrap()).unwrap();
    assert_eq!(json["type"], "llvm.coverage.json.export");
    let of_json = json["data"][0]["files"].as_array().unwrap();
    let of_json = of_json
        .iter()
        .find(|file| file["filename"].as_str().unwrap().ends_with("plain.hip"))
        .unwrap();
    let segments = of_json["segments"].as_array().unwrap().iter();
    let counted = segments.filter(|segment| segment[3] == true);
    let lines: BTreeMap<u32, u64> = counted
        .map(|segment| {
            (
                segment[0].as_u64().unwrap() as u32,
                segment[2].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(lines, found);
    let ways: u64 = of_json["branches"].as_array().unwrap().len() as u64 * 2;
    assert_eq!(ways, branches.len() as u64);

    let xml = fs::read_to_string(file("xml")).unwrap();
    let class = xml
        .split("<class ")
        .find(|class| class.contains("plain.hip\""));
    let class = class.unwrap_or_else(|| panic!("{xml}"));
    let attribute = |line: &str, name: &str| -> u64 {
        let start = line.find(&format!("{name}=\"")).unwrap() + name.len() + 2;
        line[start..].split('"').next().unwrap().parse().unwrap()
    };
    let of_class = &class[class.rfind("<lines>").unwrap()..];
    let of_xml: BTreeMap<u32, u64> = of_class
        .split("<line ")
        .skip(1)
        .map(|line| (attribute(line, "number") as u32, attribute(line, "hits")))
        .collect();
    assert_eq!(of_xml, found, "{xml}");

    let html = fs::read_to_string(file("html")).unwrap();
    assert!(html.contains("// a fourth"), "{html}");
    let row = html.lines().find(|line| line.contains("out[i + k * n]"));
    assert!(row.is_some_and(|row| row.contains("500")), "{row:?}");
}
