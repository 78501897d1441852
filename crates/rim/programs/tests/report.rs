//! Pages of a real run: their contents for a program whose counts can be computed by hand.

use compiled::Compiler;
use programs::{Bounded, Emulator};
use std::{
    path::{Path, PathBuf},
    process::Output,
};

/// `examples/vector_add.hip`: 2^20 sums, one a lane.
const LANES: u64 = 1 << 20;
const WAVES: u64 = LANES / 64;

fn compiled(folder: &Path) -> PathBuf {
    let program = folder.join("vector_add");
    let source = programs::root().join("examples/vector_add.hip");
    let mut compiler = Compiler::new("hipcc");
    compiler.args(["--offload-arch=gfx90a", "-O2", "-g"]);
    let done = compiler.arg(source).arg("-o").arg(&program).status();
    assert!(done.unwrap().success());
    program
}

fn luthier(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Emulator::find().unwrap().command();
    command.current_dir(folder).args(arguments);
    let done = command.bounded_output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{arguments:?}: {said}");
    done
}

#[test]
fn a_page_has_what_the_program_executed() {
    if !programs::can_compile() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = compiled(folder.path());
    let program = program.to_str().unwrap();
    let run = [
        "run",
        "--device",
        "gfx90a",
        "--report",
        "page.html",
        "--timeline",
        "launches.json",
        "--",
        program,
    ];
    luthier(folder.path(), &run);
    let page = report::read_page(&folder.path().join("page.html")).unwrap();
    let [kernel] = page.overview.kernels.as_slice() else {
        panic!("{:?}", page.overview.kernels);
    };
    assert_eq!(
        (kernel.name.as_str(), kernel.launches, kernel.instrumented),
        ("vector_add", 1, 1)
    );
    let code = &page.codes[&0];
    // Every lane has a sum to make, so every instruction runs in all waves with all lanes.
    assert!(
        code.waves.iter().all(|waves| *waves == Some(WAVES)),
        "{:?}",
        code.waves
    );
    assert!(
        code.lanes.iter().all(|lanes| *lanes == Some(LANES)),
        "{:?}",
        code.lanes
    );
    let executed = code.pc.len() as u64 * WAVES;
    assert_eq!(kernel.waves, Some(executed));
    assert_eq!(kernel.lanes, Some(executed * 64));
    // No wave goes around the sum. As many waves come into a block as leave it.
    let ends = |edge: &report::model::Edge| (edge.from, edge.to, edge.waves);
    let edges: Vec<_> = code.edges.iter().map(ends).collect();
    assert_eq!(
        edges,
        [(0, 2, Some(0)), (0, 1, Some(WAVES)), (1, 2, Some(WAVES))]
    );
    let coalescing = code
        .metrics
        .iter()
        .find(|metric| metric.tool == "mem-coalesce")
        .unwrap();
    // Two loads and a store of 64 times 4 bytes: two lines of 128 bytes.
    assert_eq!(coalescing.names, ["accesses", "lanes", "lines"]);
    assert_eq!(coalescing.values, vec![vec![WAVES, LANES, 2 * WAVES]; 3]);
    // The kernel begins with the number of the work-item, and nothing else.
    assert_eq!(code.live[0].unwrap()[0], 1, "{:?}", code.live);
    // The store's address and value, and of the two loads before it nothing any more.
    let store = code
        .text
        .iter()
        .position(|text| text.starts_with("global_store_dword v[0:1], v2"));
    assert_eq!(code.live[store.unwrap()].unwrap()[0], 3, "{:?}", code.text);
    let source = page
        .overview
        .sources
        .iter()
        .any(|file| file.ends_with("examples/vector_add.hip"));
    assert!(source, "{:?}", page.overview.sources);
    let timeline = std::fs::read(folder.path().join("launches.json")).unwrap();
    let timeline: serde_json::Value = serde_json::from_slice(&timeline).unwrap();
    let launches = timeline
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| event["cat"] == "ran" && event["name"] == "vector_add");
    assert_eq!(launches.count(), 1);
    // Nothing else is left.
    let mut left: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(left, ["launches.json", "page.html", "vector_add"]);
}

#[test]
fn directories_are_reported_and_compared_and_bad_ones_refused() {
    if !programs::can_compile() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = compiled(folder.path());
    let program = program.to_str().unwrap();
    let run = [
        "run",
        "--device",
        "gfx90a",
        "-t",
        "instr-count",
        "--output",
        "out",
        "--",
        program,
    ];
    luthier(folder.path(), &run);
    luthier(folder.path(), &["report", "out", "-o", "page.html"]);
    let page = report::read_page(&folder.path().join("page.html")).unwrap();
    assert_eq!(page.overview.kernels[0].lanes.unwrap() % LANES, 0);
    assert!(page.codes.is_empty(), "the run kept no code objects");
    luthier(
        folder.path(),
        &["report", "--diff", "out", "page.html", "-o", "change.html"],
    );
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    for (arguments, reason) in [
        (&["report", "empty"][..], "there is nothing to report"),
        (&["report", "nowhere"], "cannot read nowhere"),
        (
            &["report", "--diff", "out"],
            "--diff compares two runs: the command names 1",
        ),
        (
            &["report", "--diff", "out", "change.html"],
            "it has no data of one run",
        ),
        (
            &[
                "run",
                "--device",
                "gfx90a",
                "--report",
                "nowhere/page.html",
                "--",
                program,
            ],
            "is no directory; make it first",
        ),
    ] {
        let mut command = Emulator::find().unwrap().command();
        let done = command
            .current_dir(folder.path())
            .args(arguments)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{said}");
        assert!(said.contains(reason), "{said}");
    }
}

#[test]
fn traces_have_the_accesses_that_were_counted() {
    if !programs::can_compile() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = compiled(folder.path());
    let program = program.to_str().unwrap();
    let run = [
        "run",
        "--device",
        "gfx90a",
        "-t",
        "mem-trace",
        "--site",
        "kind=store",
        "--report",
        "page.html",
        "--output",
        "out",
        "--",
        program,
    ];
    luthier(folder.path(), &run);
    let page = report::read_page(&folder.path().join("page.html")).unwrap();
    // One store a lane, 4 bytes apart; a million is looked at.
    let trace = &page.traces[&0];
    assert_eq!(
        (trace.accesses, trace.left_out, trace.unread),
        (1_000_000, LANES - 1_000_000, 0)
    );
    let [(Some(4), count)] = trace.strides[..] else {
        panic!("{:?}", trace.strides);
    };
    assert_eq!(count, 1_000_000 * 63 / 64);
    // Waves run side by side, so what the first million touched may have gaps.
    let sum = |of: fn(&(u64, u64, u64)) -> u64| trace.regions.iter().map(of).sum::<u64>();
    assert_eq!(sum(|region| region.2), 1_000_000);
    assert!((4_000_000..=4 * LANES).contains(&sum(|region| region.1)));
}

/// The report's own directory is gone with the run, and with it whatever a tool would have left there.
#[test]
fn no_file_is_named_that_is_not_there() {
    if !programs::can_compile() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = compiled(folder.path());
    let program = program.to_str().unwrap();
    let run = |more: &[&str]| {
        let mut run = vec!["run", "--device", "gfx90a", "-t", "launch-log,coverage"];
        run.extend(more);
        run.extend(["--report", "page.html", "--", program]);
        let done = luthier(folder.path(), &run);
        String::from_utf8_lossy(&done.stderr).into_owned()
    };
    let named = |said: &str| {
        let words = said
            .split_whitespace()
            .map(|word| word.trim_end_matches(':'));
        let paths = words.filter(|word| word.ends_with(".json") || word.ends_with(".lcov"));
        paths.map(PathBuf::from).collect::<Vec<_>>()
    };
    let said = run(&[]);
    assert!(named(&said).is_empty(), "{said}");
    let page = report::read_page(&folder.path().join("page.html")).unwrap();
    // One launch and three copies: what the page itself needs was there.
    assert_eq!(page.overview.timed, 4);
    let said = run(&["--output", "out"]);
    let files = named(&said);
    assert!(
        files.len() >= 2 && files.iter().all(|path| path.is_file()),
        "{said}"
    );
    // The same with the tool in the program already.
    let make = ["instrument", "-t", "coverage", program, "-o", "inside"];
    luthier(folder.path(), &make);
    for (output, files) in [(&[][..], 0), (&["--output", "of_inside"], 1)] {
        let mut run = vec!["run", "--device", "gfx90a"];
        run.extend(output);
        run.extend(["--report", "page.html", "--", "./inside"]);
        let done = luthier(folder.path(), &run);
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(said.contains("coverage:"), "{said}");
        let named = named(&said);
        assert!(
            named.len() >= files && named.iter().all(|path| path.is_file()),
            "{said}"
        );
        assert_eq!(named.is_empty(), files == 0, "{said}");
    }
}
