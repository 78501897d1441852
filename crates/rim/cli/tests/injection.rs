//! `luthier check --inject`: what comes of changed values.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Output, Stdio},
    thread,
    time::Duration,
};

use serde_json::Value;

use crate::common::{
    compile, hip, luthier,
    schema::{self, schema},
};

fn program() -> PathBuf {
    hip("injected.hip")
}

/// A campaign with this kernel of the program.
fn campaign(options: &[&str], arguments: &[&str]) -> Output {
    campaign_on(("gfx90a", &program()), options, arguments)
}

fn campaign_on((device, program): (&str, &Path), options: &[&str], arguments: &[&str]) -> Output {
    let mut command = luthier(&["check", "--device", device]);
    command.args(options).arg("--").arg(program).args(arguments);
    command.output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The results, which are as their schema says.
fn results(options: &[&str], arguments: &[&str]) -> Value {
    results_on(("gfx90a", &program()), options, arguments)
}

fn results_on(on: (&str, &Path), options: &[&str], arguments: &[&str]) -> Value {
    let output = campaign_on(on, &[&["--format", "json"], options].concat(), arguments);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{options:?}: {}",
        said(&output)
    );
    let value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(schema::check(&schema("inject"), &value), Ok(()));
    recount(&value);
    value
}

/// The class of an instruction, by how its mnemonic begins; the first one counts.
const CLASSES: [(&str, &str); 10] = [
    ("s_load", "smem"),
    ("s_buffer_load", "smem"),
    ("s_cbranch", "branch"),
    ("s_branch", "branch"),
    ("s_", "salu"),
    ("v_mfma", "matrix"),
    ("v_", "valu"),
    ("ds_", "lds"),
    ("global_", "vmem"),
    ("buffer_", "vmem"),
];

/// The tables by class and line are those of the runs, whose classes are right.
fn recount(results: &Value) {
    let runs = results["runs"].as_array().unwrap();
    let changed = || runs.iter().filter(|run| !run["change"].is_null());
    for run in changed() {
        let name = run["change"]["instruction"].as_str().unwrap();
        let class = CLASSES.iter().find(|(start, _)| name.starts_with(start));
        let class = class.unwrap_or_else(|| panic!("{name} has no class in this test"));
        assert_eq!(run["change"]["class"], class.1, "{name}");
    }
    for (table, field) in [("classes", "class"), ("lines", "source")] {
        let mut all = 0;
        for part in results[table].as_array().unwrap() {
            let of = || changed().filter(|run| run["change"][field] == part["name"]);
            assert_eq!(part["runs"], of().count(), "{part}");
            all += of().count();
            for share in part["outcomes"].as_array().unwrap() {
                let ended = of().filter(|run| run["outcome"] == share["outcome"]);
                assert_eq!(share["runs"], ended.count(), "{part}");
            }
        }
        assert_eq!(all, changed().count(), "{table}");
    }
}

fn outcomes(results: &Value) -> Vec<(&str, &str)> {
    let runs = results["runs"].as_array().unwrap();
    let ends = runs.iter().map(|run| {
        let why = run["why"].as_str().unwrap_or("-");
        (run["outcome"].as_str().unwrap(), why)
    });
    ends.collect()
}

/// Compares so many runs of each row of the corpus that is for these targets.
fn compare_with_corpus(targets: &str, (device, program): (&str, &Path), runs: usize) {
    let rows = include_str!("programs/injected.tsv").lines();
    for row in rows.filter(|row| !row.starts_with('#')) {
        let [kernel, spec, outcome, why, of] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{row}");
        };
        if ![targets, "all"].contains(&of) {
            continue;
        }
        let count = runs.to_string();
        let options = ["--inject", spec, "--runs", &count];
        let results = results_on((device, program), &options, &[kernel]);
        let ends = outcomes(&results);
        assert_eq!(ends.len(), runs, "{device} {row}");
        for (ended, how) in ends {
            assert_eq!(ended, outcome, "{device} {row}: {results:#}");
            assert!(why == "*" || how == why, "{device} {row}: {results:#}");
        }
    }
}

#[test]
fn outcomes_are_those_that_follow_from_the_code() {
    compare_with_corpus("gfx90a", ("gfx90a", &program()), 4);
}

/// Waves have 32 lanes there, and their masks are one register.
#[test]
fn outcomes_are_the_same_on_other_targets() {
    for target in ["gfx1010", "gfx1030"] {
        let offload = format!("--offload-arch={target}");
        let program = compile("hipcc", "injected.hip", &["-O1", "-w", &offload]);
        compare_with_corpus("gfx10", (target, &program), 1);
    }
}

/// The bits that differ, by the name of the model.
#[test]
fn models_change_what_they_say() {
    let changed = |model: &str| -> Vec<(u32, u32)> {
        let spec = format!("{model}:vgpr,op=^v_bfrev");
        let results = results(&["--inject", &spec, "--runs", "6"], &["stored"]);
        let runs = results["runs"].as_array().unwrap().iter();
        runs.map(|run| {
            let word = |name: &str| run["change"][name].as_u64().unwrap() as u32;
            assert_eq!(run["change"]["instruction"], "v_bfrev_b32");
            let lane = run["change"]["lane"].as_u64().unwrap() as u32;
            // The kernel reverses the number of the lane, and 1.
            assert_eq!(word("before"), (lane + 1).reverse_bits());
            (word("before"), word("after"))
        })
        .collect()
    };
    assert!(
        changed("bit")
            .iter()
            .all(|(before, after)| (before ^ after).count_ones() == 1)
    );
    for (before, after) in changed("two-bits") {
        let bits = before ^ after;
        assert_eq!((bits.count_ones(), bits >> bits.trailing_zeros()), (2, 3));
    }
    assert!(changed("zero").iter().all(|(_, after)| *after == 0));
    let random = changed("random");
    assert!(
        random.windows(2).any(|two| two[0].1 != two[1].1),
        "{random:?}"
    );
}

#[test]
fn a_seed_gives_the_same_results_whoever_runs_it() {
    let folder = tempfile::tempdir().unwrap();
    let part = |name: &str, runs: &str, jobs: &str| {
        let file = folder.path().join(name);
        let file = file.to_str().unwrap().to_owned();
        let spec = [
            "--inject", "bit", "--seed", "7", "--runs", runs, "--jobs", jobs,
        ];
        let output = campaign(
            &[&spec[..], &["--format", "json", "-o", &file]].concat(),
            &["stored"],
        );
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        file
    };
    let whole = part("whole.json", "8", "1");
    let (first, second) = (
        part("first.json", "0..5", "3"),
        part("second.json", "5..8", "2"),
    );
    let merged = folder.path().join("merged.json");
    let merged = merged.to_str().unwrap();
    let output = luthier(&["merge", &second, &first, "-o", merged])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("8 of 8 runs"));
    assert_eq!(fs::read(&whole).unwrap(), fs::read(merged).unwrap());
    // A part twice is the same as once.
    let output = luthier(&["merge", &first, &second, &first, "-o", merged])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(fs::read(&whole).unwrap(), fs::read(merged).unwrap());
    // A part that was interrupted, and later made whole.
    let mut some: Value = serde_json::from_slice(&fs::read(&whole).unwrap()).unwrap();
    some["runs"].as_array_mut().unwrap().truncate(3);
    let interrupted = folder.path().join("interrupted.json");
    fs::write(&interrupted, some.to_string()).unwrap();
    let output = luthier(&["merge", interrupted.to_str().unwrap(), &whole, "-o", merged])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(fs::read(&whole).unwrap(), fs::read(merged).unwrap());
    // One run alone.
    let again = part("again.json", "6..7", "1");
    let read = |file: &str| -> Value { serde_json::from_slice(&fs::read(file).unwrap()).unwrap() };
    assert_eq!(read(&again)["runs"][0], read(&whole)["runs"][6]);
    refused(folder.path(), &first, &read(&second));
    overlapping(folder.path(), &first);
}

/// Files that have the same runs. The values of a run are no part of how it ended.
fn overlapping(folder: &Path, first: &str) {
    let whole: Value = serde_json::from_slice(&fs::read(first).unwrap()).unwrap();
    let runs = whole["runs"].as_array().unwrap();
    let of_lane = |run: &Value| !run["change"]["lane"].is_null();
    let at = runs.iter().position(of_lane).expect("a vector register");
    let other = folder.join("alike.json");
    let merged = folder.join("overlapping.json");
    let merge = |change: &dyn Fn(&mut Value)| {
        let mut value = whole.clone();
        change(&mut value["runs"][at]);
        fs::write(&other, value.to_string()).unwrap();
        let paths = [other.to_str().unwrap(), merged.to_str().unwrap()];
        luthier(&["merge", first, paths[0], "-o", paths[1]])
            .output()
            .unwrap()
    };
    let pointer = |run: &mut Value| {
        for name in ["before", "after"] {
            let word = run["change"][name].as_u64().unwrap();
            run["change"][name] = (word ^ 0x7f00).into();
        }
        run["why"] = "another reason".into();
    };
    let output = merge(&pointer);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(fs::read(first).unwrap(), fs::read(&merged).unwrap());
    let number = &whole["runs"][at]["run"];
    let set = |path: &[&str], to: Value| {
        let output = merge(&|run: &mut Value| {
            let place = path.iter().fold(run, |value, name| &mut value[*name]);
            *place = to.clone();
        });
        let text = said(&output);
        assert_eq!(output.status.code(), Some(2), "{path:?}: {text}");
        text
    };
    for (path, to, differs) in [
        (&["launch"][..], 7.into(), "launch 7 instead of 0"),
        (&["wave"], 9.into(), "wave 9 instead of 0"),
        (&["outcome"], "hang".into(), "outcome hang instead of"),
        (&["change", "lane"], 99.into(), "lane 99 instead of"),
        (&["change", "register"], "v77".into(), "register v77"),
        (&["change", "offset"], 5.into(), "offset 5 instead of"),
        (&["change", "after"], 0x333.into(), "changed bits 0x"),
        (&["change"], Value::Null, "offset none instead of"),
    ] {
        let text = set(path, to);
        let begins = format!("alike.json: run {number} differs from that of {first}: {differs}");
        assert!(text.contains(&begins), "no {begins:?} in {text}");
    }
}

/// Files that do not belong together.
fn refused(folder: &Path, first: &str, second: &Value) {
    let other = folder.join("other.json");
    let merge = |value: &[u8]| {
        fs::write(&other, value).unwrap();
        let output = folder.join("none.json");
        let paths = [other.to_str().unwrap(), output.to_str().unwrap()];
        let ended = luthier(&["merge", first, paths[0], "-o", paths[1]])
            .output()
            .unwrap();
        assert_eq!(ended.status.code(), Some(2));
        assert!(!output.exists());
        said(&ended)
    };
    let mut changed = second.clone();
    changed["campaign"]["seed"] = 8.into();
    let text = merge(changed.to_string().as_bytes());
    assert!(
        text.contains("other.json is of another campaign") && text.contains("seed 8 instead of 7"),
        "{text}"
    );
    let mut changed = second.clone();
    changed["runs"][0]["run"] = 1.into();
    let text = merge(changed.to_string().as_bytes());
    assert!(
        text.contains(&format!("run 1 differs from that of {first}: ")),
        "{text}"
    );
    let text = merge(&second.to_string().as_bytes()[..200]);
    assert!(text.contains("a damaged file"), "{text}");
    let text = merge(b"{}");
    assert!(
        text.contains("no results of luthier check --inject"),
        "{text}"
    );
    let ended = luthier(&["merge", first, folder.to_str().unwrap(), "-o", "x"])
        .output()
        .unwrap();
    assert!(
        said(&ended).contains("is no file: merge either"),
        "{}",
        said(&ended)
    );
}

/// The first comparison is that of the runs without a change. The third one cannot judge; runs that end badly need none.
#[test]
fn runs_that_are_done_outlive_one_that_cannot_be_judged() {
    let folder = tempfile::tempdir().unwrap();
    let (count, file) = (folder.path().join("count"), folder.path().join("file.json"));
    let count = count.display();
    let compare = format!(
        "n=$(cat {count} 2>/dev/null || echo 0); echo $((n + 1)) > {count}; test $n -lt 2 || exit 2; true"
    );
    let words = [
        "--inject", "bit", "--runs", "6", "--jobs", "1", "--format", "json",
    ];
    let more = ["--compare", &*compare, "-o", file.to_str().unwrap()];
    let output = campaign(&[&words[..], &more].concat(), &["dead"]);
    let text = said(&output);
    assert!(
        text.contains("it has to end with 0 if the runs are alike"),
        "{text}"
    );
    assert_eq!(output.status.code(), Some(2), "{text}");
    let value: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(schema::check(&schema("inject"), &value), Ok(()));
    let runs = value["runs"].as_array().unwrap().len();
    assert!((1..6).contains(&runs), "{runs}");
    assert_eq!(value["asked"], serde_json::json!([[0, 6]]));
}

#[test]
fn a_program_that_does_not_end_is_no_campaign() {
    let mut command = luthier(&["check", "--device", "gfx90a", "--inject", "bit"]);
    let output = command.args(["--timeout", "1", "--", "sh", "-c", "sleep 1000"]);
    let text = said(&output.output().unwrap());
    assert!(
        text.contains("the program does not end without a change"),
        "{text}"
    );
}

/// Files without bytes of their own are compared by what they are.
#[test]
fn pipes_and_links_in_the_directory_are_compared() {
    let mut command = luthier(&[
        "check", "--device", "gfx90a", "--inject", "bit", "--runs", "1",
    ]);
    let program = program();
    let script = format!(
        "mkfifo $0/pipe; ln -s nowhere $0/link; {} dead",
        program.display()
    );
    let output = command
        .args(["--", "sh", "-c", &script, "{}"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("masked"), "{text}");
}

#[test]
fn what_cannot_be_a_campaign_is_refused() {
    for (options, arguments, part) in [
        (
            &["--inject", "bit", "-k", "none"][..],
            &["stored"][..],
            "no launch is selected; the program launches stored(unsigned int*, unsigned int)",
        ),
        (
            &["--inject", "bit", "--launch", "1"],
            &["stored"],
            "no launch is selected",
        ),
        (
            &["--inject", "bit,op=^v_mfma"],
            &["stored"],
            "--inject bit:result,op=^v_mfma fits no instruction",
        ),
        // The kernel has no LDS.
        (
            &["--inject", "bit:lds"],
            &["stored"],
            "--inject bit:lds fits no instruction",
        ),
        (
            &["--inject", "bit"],
            &["nothing"],
            "the program launches no kernel of its own",
        ),
        (
            &["--inject", "bit"],
            &["fails"],
            "the program fails without a change: it ends with exit status: 4:\none\ntwo\n",
        ),
        (
            &["--inject", "bit"],
            &["changes"],
            "two runs of the program without a change differ in their output",
        ),
        (
            &["--inject", "bit", "--format", "sarif"],
            &["stored"],
            "have the formats text and json",
        ),
        (
            &["--inject", "flip"],
            &["stored"],
            "there is no model \"flip\"; there are bit, two-bits, random, zero",
        ),
        (
            &["--inject", "bit", "--runs", "5..5"],
            &["stored"],
            "5..5 has no runs",
        ),
        (
            &["--inject", "bit", "--runs", "2", "--compare", "exit 7;"],
            &["stored"],
            "--compare exit 7;",
        ),
        (
            &[
                "--inject",
                "bit",
                "--runs",
                "2",
                "--compare",
                "printf 'a\\nb\\n' >&2; exit 7;",
            ],
            &["stored"],
            " and with 1 if they differ:\na\nb\n",
        ),
    ] {
        let output = campaign(options, arguments);
        let text = said(&output);
        assert_eq!(output.status.code(), Some(2), "{options:?}: {text}");
        assert!(text.contains(part), "{options:?}: no {part:?} in {text}");
    }
}

/// The user does not wait for two runs of the program to hear of a mistake in an option.
#[test]
fn a_bad_selection_is_refused_before_the_program_runs() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("ran");
    let script = format!("touch {}; {} dead", mark.display(), program().display());
    for (launches, part) in [("x", "x is no launch number"), ("3..1", "3..1 is empty")] {
        let options = ["check", "--device", "gfx90a", "--inject", "bit"];
        let mut command = luthier(&options);
        command.args(["--launch", launches, "--", "sh", "-c", &script]);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains(part), "{}", said(&output));
        assert!(!mark.exists(), "{launches}");
    }
}

/// The file has no bytes on disk: it only says that it is so long.
#[test]
fn the_run_without_a_change_may_not_write_without_end() {
    let mut command = luthier(&["check", "--device", "gfx90a", "--inject", "bit"]);
    let script = "truncate -s 2G \"$0/file\"; exit 4";
    let output = command.args(["--", "sh", "-c", script, "{}"]).output();
    let output = output.unwrap();
    let text = said(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(
        text.contains("the program writes more than 1 GiB without a change"),
        "{text}"
    );
}

/// The kernel tells how it has laid out each run's program, on a system that lets the command ask for it.
#[test]
fn programs_start_at_the_same_addresses_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("personalities");
    let script = format!(
        "cat /proc/$$/personality >> {}; {} dead",
        log.display(),
        program().display()
    );
    let mut command = luthier(&["check", "--device", "gfx90a", "--inject", "bit"]);
    let output = command
        .args(["--runs", "3", "--", "sh", "-c", &script])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let allowed = std::process::Command::new("setarch")
        .args(["-R", "true"])
        .status();
    let allowed = allowed.unwrap().success();
    let text = fs::read_to_string(&log).unwrap();
    let flags = text
        .lines()
        .map(|line| u32::from_str_radix(line, 16).unwrap());
    // ADDR_NO_RANDOMIZE, for two runs without a change and three with one.
    let fixed: Vec<bool> = flags.map(|flags| flags & 0x4_0000 != 0).collect();
    assert_eq!(fixed, [allowed; 5]);
    let warned = said(&output).matches("start with other addresses").count();
    assert_eq!(warned, usize::from(!allowed), "{}", said(&output));
}

/// The launches of a kernel execute different numbers of instructions, and each stream gets its own. Streams take turns as it comes.
#[test]
fn launches_of_several_streams_have_places_of_their_own() {
    let streams = hip("injected_streams.hip");
    let run = || {
        let options = ["--inject", "bit:vgpr,op=^v_bfrev", "--runs", "8"];
        let results = results_on(("gfx90a", &streams), &options, &[]);
        let runs = results["runs"].as_array().unwrap().iter();
        let places = runs.map(|run| {
            let before = run["change"]["before"].as_u64().unwrap() as u32;
            // The kernel reverses its number.
            let number = before.reverse_bits();
            (
                run["launch"].as_u64().unwrap(),
                run["place"].clone(),
                number,
            )
        });
        places.collect::<Vec<_>>()
    };
    let first = run();
    for (launch, place, number) in &first {
        // Two launches of each of four streams, one after the other.
        assert_eq!(number % 4, (*launch / 2) as u32 % 4, "{launch} {place}");
    }
    for _ in 0..3 {
        assert_eq!(run(), first);
    }
}

#[test]
fn users_say_what_is_compared() {
    let spec = ["--inject", "bit:vgpr,op=^v_bfrev", "--runs", "2"];
    // Standard output is empty; the file differs.
    let in_file = results(&spec, &["stored", "{}/out"]);
    assert_eq!(outcomes(&in_file), [("output-differs", "-"); 2]);
    // The command looks at the first line only, which is that of lane 0.
    let command = "f() { cmp -s \"$1/stdout\" \"$1/stdout\" && test -d \"$2/files\"; }; f";
    let compared = results(&[&spec[..], &["--compare", command]].concat(), &["stored"]);
    assert_eq!(outcomes(&compared), [("masked", "-"); 2]);
}

#[test]
fn the_table_has_all_runs_and_intervals() {
    let output = campaign(
        &[
            "--inject",
            "bit:vgpr,op=^v_bfrev",
            "--runs",
            "4",
            "--seed",
            "3",
        ],
        &["stored"],
    );
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.starts_with(
            "bit:vgpr,op=^v_bfrev on gfx90a, seed 3: 4 of 4 runs, 64 places in 1 launch\n"
        ),
        "{text}"
    );
    // Wilson's interval for 4 of 4 begins at 1 / (1 + 1.96 * 1.96 / 4).
    assert!(
        text.contains("output differs         4  100.0 %   51.0 % to 100.0 %\n"),
        "{text}"
    );
    assert!(
        text.contains("masked                 0    0.0 %   0.0 % to 49.0 %\n"),
        "{text}"
    );
    let row = "       4      0.0 %    100.0 %      0.0 %      0.0 %   ";
    assert!(text.contains(&format!("   class\n{row}valu\n")), "{text}");
    assert!(!text.contains("source line"), "{text}");
}

/// The line is that of the inlined function with the instruction.
#[test]
fn runs_are_counted_by_source_line() {
    let flags = ["-O1", "-w", "-g", "--offload-arch=gfx90a"];
    let program = compile("hipcc", "injected.hip", &flags);
    let options = ["--inject", "bit:vgpr,op=^v_bfrev", "--runs", "3"];
    let results = results_on(("gfx90a", &program), &options, &["stored"]);
    let [line] = results["lines"].as_array().unwrap().as_slice() else {
        panic!("one line: {results}");
    };
    let name = line["name"].as_str().unwrap();
    let (file, number) = name.rsplit_once(':').unwrap();
    assert!(file.ends_with("injected.hip"), "{name}");
    let source = fs::read_to_string(file).unwrap();
    let text = source.lines().nth(number.parse::<usize>().unwrap() - 1);
    assert!(text.unwrap().contains("v_bfrev_b32"), "{name}: {text:?}");

    let output = campaign_on(("gfx90a", &program), &options, &["stored"]);
    let text = String::from_utf8_lossy(&output.stdout);
    let row = "       3      0.0 %    100.0 %      0.0 %      0.0 %   ";
    assert!(
        text.contains(&format!("   source line\n{row}{name}\n")),
        "{text}"
    );
}

/// The directories of campaigns in this folder for temporary files.
fn left_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    let paths = entries.map(|entry| entry.path());
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with(".tmp")
    };
    paths.filter(is_ours).collect()
}

#[test]
fn nothing_is_left_when_the_reader_of_the_results_has_gone() {
    let folder = tempfile::tempdir().unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = luthier(&["check", "--device", "gfx90a", "--inject", "bit"]);
    command.env("TMPDIR", folder.path()).stdout(writer);
    command.args(["--runs", "1", "--"]).arg(program());
    let output = command.arg("dead").output().unwrap();
    assert_eq!(output.status.code(), Some(128 + libc::SIGPIPE));
    assert_eq!(left_in(folder.path()), Vec::<PathBuf>::new());
}

#[test]
fn an_interrupted_campaign_keeps_what_it_has() {
    for signal in [libc::SIGINT, libc::SIGQUIT] {
        interrupted_by(signal);
    }
}

/// The command that compares says how far the campaign is.
fn interrupted_by(signal: libc::c_int) {
    let folder = tempfile::tempdir().unwrap();
    let (log, file) = (folder.path().join("log"), folder.path().join("part.json"));
    let compare = format!("echo >> {}; true", log.display());
    let temporary = folder.path().join("temporary");
    fs::create_dir(&temporary).unwrap();
    let mut command = luthier(&[
        "check", "--device", "gfx90a", "--inject", "bit", "--runs", "100000",
    ]);
    command.args([
        "--jobs",
        "1",
        "--compare",
        &compare,
        "--format",
        "json",
        "-o",
    ]);
    command
        .arg(&file)
        .arg("--")
        .arg(program())
        .arg("dead")
        .env("TMPDIR", &temporary)
        .stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    // One line for the two runs without a change, and two for others.
    while fs::read(&log).map_or(0, |bytes| bytes.len()) < 3 {
        assert!(child.try_wait().unwrap().is_none(), "it ended");
        thread::sleep(Duration::from_millis(5));
    }
    // SAFETY: the child was not waited for, so the number is its own.
    unsafe { libc::kill(child.id() as libc::pid_t, signal) };
    assert_eq!(child.wait().unwrap().code(), Some(3));
    let value: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(schema::check(&schema("inject"), &value), Ok(()));
    let runs = value["runs"].as_array().unwrap().len();
    assert!((1..100_000).contains(&runs), "{runs}");
    assert_eq!(value["wanted"], 100_000);
    assert_eq!(left_in(&temporary), Vec::<PathBuf>::new());
}

#[test]
fn the_kernels_of_one_process_are_changed() {
    let run = |kernel: &str| {
        let program = program();
        let both = format!("{0} stored && {0} dead", program.display());
        let mut command = luthier(&[
            "check", "--device", "gfx90a", "--inject", "bit", "--runs", "2",
        ]);
        command.args(["-k", kernel, "--", "sh", "-c", &both]);
        command.output().unwrap()
    };
    let one = run("stored");
    assert_eq!(one.status.code(), Some(0), "{}", said(&one));
    let both = run("stored|dead");
    assert_eq!(both.status.code(), Some(2));
    assert!(
        said(&both).contains("2 processes execute the selected kernels"),
        "{}",
        said(&both)
    );
}

/// A campaign of the program that loses one of the variables by which its emulated GPU knows what to do.
fn without(variable: &str, options: &[&str], kernel: &str) -> Output {
    let mut command = luthier(&[
        "check", "--device", "gfx90a", "--format", "json", "--runs", "1",
    ]);
    command.args(options).args(["--", "env", "-u", variable]);
    command.arg(program()).arg(kernel).output().unwrap()
}

/// If nothing is changed, no run counts as masked.
#[test]
fn a_run_without_its_change_has_an_outcome_of_its_own() {
    let output = without("LUTHIER_INJECT_AT", &["--inject", "bit"], "dead");
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(schema::check(&schema("inject"), &value), Ok(()));
    assert_eq!(outcomes(&value), [("not-reached", "-")]);
}

/// On a busy machine a limit may end the program before its kernel has begun; a longer one does not.
#[test]
fn time_ends_what_instructions_do_not() {
    for seconds in ["10", "60", "300"] {
        let options = ["--inject", "bit:sgpr,op=^s_brev", "--timeout", seconds];
        let output = without("LUTHIER_INJECT_BUDGET", &options, "loop");
        let Ok(value) = serde_json::from_slice::<Value>(&output.stdout) else {
            continue;
        };
        let ends = outcomes(&value);
        if ends != [("not-reached", "time")] {
            assert_eq!(ends, [("hang", "time")], "{}", said(&output));
            return;
        }
    }
    panic!("the kernel does not begin within five minutes");
}

/// The kernel executes six times its instructions if the value is zero.
#[test]
fn so_many_times_the_instructions_are_a_hang() {
    for (factor, end) in [
        (&[][..], ("masked", "-")),
        (&["--hang-factor", "7"], ("masked", "-")),
        (&["--hang-factor", "2"], ("hang", "instructions")),
    ] {
        let options = ["--inject", "zero:sgpr,op=^s_brev", "--runs", "1"];
        let results = results(&[&options[..], factor].concat(), &["longer"]);
        assert_eq!(outcomes(&results), [end], "{factor:?}");
    }
}

#[test]
fn a_run_that_writes_without_end_is_ended() {
    for arguments in [&["prints"][..], &["prints", "{}/out"]] {
        let options = ["--inject", "bit:vgpr,op=^v_bfrev", "--runs", "2"];
        let results = results(&options, arguments);
        assert_eq!(outcomes(&results), [("hang", "output"); 2], "{arguments:?}");
    }
}

/// Processes whose environment has this entry.
fn with_mark(mark: &str) -> Vec<PathBuf> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let paths = processes.map(|process| process.path());
    let is_marked = |path: &PathBuf| {
        let environment = fs::read(path.join("environ")).unwrap_or_default();
        let mut entries = environment.split(|byte| *byte == 0);
        entries.any(|entry| entry == mark.as_bytes())
    };
    paths.filter(is_marked).collect()
}

/// One process stays in the group of the program, one leaves it. Both outlive the program.
#[test]
fn nothing_of_a_run_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().to_str().unwrap();
    let script = format!(
        "sleep 1000 & setsid sleep 1000 & {} dead",
        program().display()
    );
    let mut command = luthier(&[
        "check", "--device", "gfx90a", "--inject", "bit", "--runs", "2",
    ]);
    let output = command
        .env("LEFT_BEHIND", mark)
        .args(["--", "sh", "-c", &script])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let left = with_mark(&format!("LEFT_BEHIND={mark}"));
    assert!(left.is_empty(), "{left:?}");
}

/// The command waits for a writer of a pipe that does not come.
#[test]
fn a_comparison_that_does_not_end_ends_the_campaign() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let compare = format!("cat {}; true", pipe.display());
    let options = [
        "--inject",
        "bit",
        "--runs",
        "2",
        "--timeout",
        "15",
        "--compare",
        &compare,
    ];
    let output = campaign(&options, &["dead"]);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("not ended after 15 s"), "{text}");
}
