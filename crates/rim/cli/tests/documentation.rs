//! Runs the commands of the documentation, and compares their output with the pages (crate `pages` has the rules).
//!
//! Each page has a directory of its own, with `luthier` in the PATH. `$SAMPLES` has `examples/` and `vector_add`, compiled for gfx90a and
//! gfx1030. Pages that need another release of Debian or Ubuntu are read here, and run by `cargo xtask stacks`.

use pages::{Step, matches, notes, steps};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

macro_rules! pages {
    ($($name:ident $path:literal)*) => {
        const PAGES: &[&str] = &[$($path),*];
        $(#[test]
        fn $name() {
            run($path);
        })*
    };
}

pages! {
    home "docs/README.md"
    start "docs/start.md"
    counting_instructions "docs/tutorials/count-instructions.md"
    tracing_memory "docs/tutorials/trace-memory.md"
    writing_a_tool "docs/tutorials/write-a-tool.md"
    verifying_a_tool "docs/tutorials/verify-a-tool.md"
    covering_kernels "docs/tutorials/cover-kernels.md"
    bounding_a_program "docs/tutorials/bound-a-program.md"
    concepts "docs/concepts.md"
    questions "docs/questions.md"
    running "docs/running.md"
    python "docs/python.md"
    exit_status "docs/exit-status.md"
    json "docs/schemas/README.md"
    reference "docs/reference.md"
    install "docs/install.md"
    ci "docs/ci.md"
    hardware "docs/hardware/README.md"
    emulator "docs/emulator/README.md"
    programs "docs/emulator/programs.md"
    what_people_run "docs/run/README.md"
    run_opencl "docs/run/opencl.md"
    run_hashcat "docs/run/hashcat.md"
    counters "docs/emulator/counters.md"
    run_tinygrad "docs/run/tinygrad.md"
    run_rccl "docs/run/rccl.md"
    run_openmp "docs/run/openmp.md"
    run_cupy "docs/run/cupy.md"
    run_llama "docs/run/llama.md"
    run_jax "docs/run/jax.md"
    run_onnx "docs/run/onnx.md"
    run_others "docs/run/others.md"
    speed "docs/emulator/speed.md"
    refused "docs/emulator/refused.md"
    found "docs/found.md"
    compare "docs/compare.md"
    measurements "docs/measurements/README.md"
    measured_programs "docs/measurements/programs.md"
    measured_amd_tests "docs/measurements/amd-tests.md"
    measured_suites "docs/measurements/suites.md"
    measured_stacks "docs/measurements/stacks.md"
    measured_nightly "docs/measurements/nightly.md"
    measured_instrumenting "docs/measurements/instrumenting.md"
    measured_counting "docs/measurements/counting.md"
    tools "docs/tools/README.md"
    tools_running "docs/tools/running.md"
    tools_ready "docs/tools/ready.md"
    tools_guide "docs/tools/guide.md"
    tools_reference "docs/tools/reference.md"
    tools_recipes "docs/tools/recipes.md"
    performance "docs/tools/performance.md"
    report "docs/report/README.md"
    report_rules "docs/report/rules/README.md"
    bisect "docs/bisect.md"
    trace "docs/trace.md"
    query "docs/query.md"
    ranks "docs/ranks.md"
    check "docs/check/README.md"
    check_waits "docs/check/waits.md"
    check_memory "docs/check/memory.md"
    check_barriers "docs/check/barriers.md"
    check_leaks "docs/check/leaks.md"
    check_races "docs/check/races.md"
    check_init "docs/check/init.md"
    check_nan "docs/check/nan.md"
    check_inject "docs/check/inject.md"
    check_found "docs/check/found.md"
    check_suites "docs/check/suites.md"
    check_measurements "docs/measurements/check-waits.md"
    check_cost "docs/measurements/check-cost.md"
    measured_engine "docs/measurements/engine.md"
    measured_coverage "docs/measurements/coverage.md"
    measured_installing "docs/measurements/installing.md"
    measured_attacks "docs/measurements/attack.md"
    measured_accessibility "docs/measurements/lighthouse.md"
    ten_minute_test "docs/measurements/ten-minute-test.md"
    coverage "docs/coverage/README.md"
    count "docs/count/README.md"
    count_building "docs/count/building.md"
    count_judges "docs/count/judges.md"
    count_contract "docs/count/contract.md"
    count_overhead "docs/count/overhead.md"
    count_report "docs/count/report-format.md"
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.."))
}

fn products() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_luthier")).parent().unwrap()
}

/// `examples/`, and `vector_add` in it, compiled.
fn samples() -> &'static Path {
    static SAMPLES: OnceLock<PathBuf> = OnceLock::new();
    SAMPLES.get_or_init(|| {
        let samples = Path::new(env!("CARGO_TARGET_TMPDIR")).join("documentation");
        let script = "rm -rf \"$0\" && cp -r \"$1/examples\" \"$0\" && cd \"$0\" && \
            hipcc -g -O2 --offload-arch=gfx90a --offload-arch=gfx1030 vector_add.hip -o vector_add";
        let status = Command::new("bash")
            .args(["-c", script])
            .arg(&samples)
            .arg(root())
            .status();
        assert!(
            status.unwrap().success(),
            "examples/vector_add.hip compiles"
        );
        samples
    })
}

fn run(page: &str) {
    let text = std::fs::read_to_string(root().join(page)).unwrap();
    let steps = steps(&text).unwrap_or_else(|error| panic!("{page}:{error}"));
    if steps.is_empty() || notes(&text, "release").next().is_some() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    for step in &steps {
        if let Err(error) = take(step, directory.path()) {
            panic!("{page}:{}: {error}", step.line());
        }
    }
}

/// One step of a page, in its directory.
fn take(step: &Step, directory: &Path) -> Result<(), String> {
    let (script, expected) = match step {
        Step::File { name, text, .. } => {
            return std::fs::write(directory.join(name), text).map_err(|error| error.to_string());
        }
        Step::Run { script, output, .. } => (script, output),
    };
    let path = std::env::join_paths(
        std::iter::once(products().to_owned())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let output = Command::new("bash")
        .args(["-e", "-o", "pipefail", "-c"])
        .arg(format!("exec 2>&1\n{script}"))
        .current_dir(directory)
        .env("PATH", path.unwrap())
        .env("SAMPLES", samples())
        .env("XDG_CACHE_HOME", directory.join(".cache"))
        .env("LC_ALL", "C.UTF-8")
        .output()
        .map_err(|error| error.to_string())?;
    let printed = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        return Err(format!(
            "{script}\nended with {}:\n{printed}",
            output.status
        ));
    }
    // A selection that fits nothing succeeds, and says so.
    if expected.is_none() && printed.contains("warning: -") {
        return Err(format!("{script}\nwarned:\n{printed}"));
    }
    match expected {
        Some(expected) if !matches(expected, &printed) => Err(format!(
            "{script}\nprinted:\n{printed}\nand the page says:\n{expected}"
        )),
        _ => Ok(()),
    }
}

#[test]
fn every_page_is_run_and_listed() {
    let mut found = Vec::new();
    let summary = std::fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path
                .strip_prefix(root())
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(".md") && name != "docs/SUMMARY.md" {
                let listed = format!("({})", name.strip_prefix("docs/").unwrap());
                assert!(summary.contains(&listed), "docs/SUMMARY.md has no {name}");
                // Decisions and rules have no commands; other pages link to them.
                let without = ["docs/decisions/", "docs/report/rules/"];
                let has_none = without.iter().any(|start| name.starts_with(start))
                    && name != "docs/report/rules/README.md";
                found.extend((!has_none).then_some(name));
            }
        }
    }
    let mut pages: Vec<_> = PAGES.iter().map(|&page| page.to_owned()).collect();
    found.sort();
    pages.sort();
    assert_eq!(pages, found);
}

/// README.md shows an output of the tutorial, which runs, from the second line on: the first one has times in it.
#[test]
fn readme_shows_what_the_tutorial_shows() {
    let read = |page: &str| std::fs::read_to_string(root().join(page)).unwrap();
    let readme = read("README.md");
    let shown = readme.split("$ luthier run --device gfx90a -t instr-count -- ./vector_add\n");
    let block = shown.last().unwrap().split("```").next().unwrap();
    let (_, table) = block.split_once('\n').unwrap();
    assert!(table.contains("instr-count:"), "README.md shows {block}");
    let tutorial = "docs/tutorials/count-instructions.md";
    assert!(
        read(tutorial).contains(table),
        "README.md shows another output than {tutorial}:\n{table}"
    );
}

#[test]
fn links_between_pages_lead_somewhere() {
    for page in PAGES.iter().chain(&["README.md", "docs/SUMMARY.md"]) {
        let path = root().join(page);
        let text = std::fs::read_to_string(&path).unwrap();
        for link in text.split("](").skip(1) {
            let target = link.split([')', '#', ' ']).next().unwrap();
            if !target.is_empty() && !target.contains("://") {
                let there = path.parent().unwrap().join(target);
                assert!(there.exists(), "{page}: there is no {target}");
            }
        }
    }
}

#[test]
fn what_hooks_may_call_is_in_the_table() {
    let header = std::fs::read_to_string(root().join("include/luthier_device.h")).unwrap();
    let page = std::fs::read_to_string(root().join("docs/tools/reference.md")).unwrap();
    let table = page.split("## Functions for hooks").nth(1).unwrap();
    let table = table.split("## Keys").next().unwrap();
    let declarations = header.split("LUTHIER_INLINE ").skip(2);
    let mut functions = declarations.map(|declaration| {
        let before = declaration.split('(').next().unwrap();
        before.rsplit([' ', '*']).next().unwrap()
    });
    assert_eq!(functions.clone().next(), Some("site"));
    let missing: Vec<_> = functions
        .by_ref()
        .filter(|name| {
            let forms = ["(", "<T>(", "`"].map(|behind| format!("`{name}{behind}"));
            !forms.iter().any(|form| table.contains(form))
        })
        .collect();
    assert_eq!(
        missing, [""; 0],
        "not in the table of docs/tools/reference.md"
    );
}
