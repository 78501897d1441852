//! The launches that run instrumented: every form that `luthier run --help` and the documentation name, by its effect.

use programs::{Bounded, Emulator};
use std::path::PathBuf;

/// Runs the program with four launches of one kernel and returns whether it ended well, and standard error.
fn run(application: &PathBuf, options: &[&str], variables: &[(&str, &str)]) -> (bool, String) {
    let options = [&["-t", "instr-count"], options].concat();
    run_alone(application, &options, variables)
}

/// The same without a tool.
fn run_alone(
    application: &PathBuf,
    options: &[&str],
    variables: &[(&str, &str)],
) -> (bool, String) {
    let emulator = Emulator::find().expect("the emulator is built");
    let output = emulator
        .command()
        .args(["run", "--device", "gfx90a"])
        .args(options)
        .arg("--")
        .arg(application)
        .envs(variables.iter().copied())
        .bounded_output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.success(), said)
}

fn application() -> Option<PathBuf> {
    let program = programs::named("equal_launches").unwrap();
    programs::can_compile().then(|| programs::compile(&program).unwrap())
}

#[test]
fn every_form_selects_the_launches_that_it_names() {
    let Some(application) = application() else {
        return;
    };
    // Three launches have 256 work-items and the last one has 512; the runtime's own fill is another kernel.
    for (options, launches) in [
        (&["--launch", "0"][..], 1),
        (&["--launch", "2.."], 2),
        (&["--launch", "1..2"], 1),
        (&["--launch", "1..=2"], 2),
        (&["--launch", "3..5"], 1),
        (&["--launch", "1-2"], 2),
        (&["--launch", "0,2..=3"], 3),
        (&["--launch", "7"], 0),
        (&["--every", "2"], 2),
        (&["--every", "3"], 2),
        (&["--grid", "256"], 3),
        (&["--grid", "256,1"], 3),
        (&["--grid", "256,1,1"], 3),
        (&["--grid", "256x1x1"], 3),
        (&["--grid", ">=512"], 1),
        (&["--grid", "<=256"], 3),
        (&["--launch", "2..", "--grid", "*"], 2),
        (&["--kernel", "^add_one"], 4),
        (&["-k", "nothing"], 0),
    ] {
        let (good, said) = run(&application, options, &[]);
        let expected = format!("; {launches} of ");
        assert!(good && said.contains(&expected), "{options:?}: {said}");
    }
    let (good, said) = run(&application, &[], &[("LUTHIER_LAUNCH", "1..=2")]);
    assert!(good && said.contains("; 2 of "), "{said}");
}

#[test]
fn what_cannot_be_read_is_an_error_before_the_program_starts() {
    let Some(application) = application() else {
        return;
    };
    for (option, value) in [
        ("--launch", "2..1"),
        ("--launch", "first"),
        ("--every", "0"),
        ("--grid", "256,1,1,1"),
        ("--kernel", "("),
    ] {
        let (good, said) = run(&application, &[option, value], &[]);
        let start = format!("{option}={value}: ");
        assert!(!good && said.contains(&start), "{said}");
    }
    // By hand, when the program has begun already: nothing is instrumented rather than everything.
    let (good, said) = run(&application, &[], &[("LUTHIER_LAUNCH", "first")]);
    assert!(
        good && said.contains("LUTHIER_LAUNCH=first: ") && said.contains("nothing is instrumented"),
        "{said}"
    );
}

/// Tools that are in a file already do what they were put there for.
#[test]
fn options_that_choose_nothing_in_files_are_refused() {
    let Some(application) = application() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let counted = folder.path().join("counted");
    let made = Emulator::find()
        .expect("the emulator is built")
        .command()
        .args(["instrument", "-t", "bb-count", "-o"])
        .args([&counted, &application])
        .bounded_output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    let (fine, said) = run_alone(&counted, &[], &[]);
    assert!(fine && said.contains("bb-count (built in)"), "{said}");
    let no_effect = "has no effect on tools that are in files already";
    for (options, reason) in [
        (&["-k", "add_one"][..], no_effect),
        (&["--launch", "1"], no_effect),
        (&["--first", "1"], no_effect),
        (&["-t", "built-in", "--site", "kind=valu"], no_effect),
        (
            &["-t", "built-in,instr-count"],
            "instr-count cannot run beside those",
        ),
    ] {
        let (fine, said) = run_alone(&counted, options, &[]);
        assert!(!fine && said.contains(reason), "{options:?}: {said}");
    }
}

/// The files that `luthier run` with these tools leaves in a folder, by tool.
fn counted(
    application: &PathBuf,
    tools: &str,
    site: &[&str],
) -> impl Fn(&str) -> serde_json::Value + use<> {
    let folder = tempfile::tempdir().unwrap();
    let emulator = Emulator::find().expect("the emulator is built");
    let output = emulator
        .command()
        .args(["run", "--device", "gfx90a", "-t", tools])
        .args(["--output", folder.path().to_str().unwrap()])
        .args(site)
        .arg("--")
        .arg(application)
        .bounded_output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    move |tool| {
        let mut files = std::fs::read_dir(folder.path()).unwrap();
        let file = files.find_map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name()?.to_str()?.to_owned();
            name.starts_with(&format!("{tool}.")).then_some(path)
        });
        serde_json::from_slice(&std::fs::read(file.unwrap()).unwrap()).unwrap()
    }
}

fn sum(rows: &serde_json::Value, of: impl Fn(&serde_json::Value) -> u64) -> u64 {
    rows.as_array().unwrap().iter().map(of).sum()
}

#[test]
fn counting_tools_count_what_the_site_chooses() {
    if !programs::can_compile() {
        return;
    }
    const TOOLS: &str = "instr-count,bb-count,opcode-histogram,hotspots,branch-divergence";
    // The last one has lanes that part, loops and votes.
    for (program, site, chosen) in [
        (
            "equal_launches",
            "opcode=v_*",
            &(|name: &str| name.starts_with("v_")) as &dyn Fn(&str) -> bool,
        ),
        ("equal_launches", "opcode=s_endpgm", &|name| {
            name == "s_endpgm"
        }),
        ("equal_launches", "kind=smem", &|name| {
            name.starts_with("s_load")
        }),
        // No block begins with one, and no place is chosen.
        ("equal_launches", "opcode=v_sin_f32", &|_| false),
        ("divergence", "opcode=v_*", &|name| name.starts_with("v_")),
    ] {
        let program = programs::named(program).unwrap();
        let application = programs::compile(&program).unwrap();
        let all = counted(&application, TOOLS, &[]);
        let expected = sum(&all("opcode-histogram"), |row| {
            let opcodes = row["opcodes"].as_object().unwrap().iter();
            let chosen = opcodes.filter(|(name, _)| chosen(name));
            chosen.map(|(_, count)| count.as_u64().unwrap()).sum()
        });
        let some = counted(&application, TOOLS, &["--site", site]);
        // A pattern that matches nothing looks like a count of zero.
        let said = some("summary").to_string().contains("holds at no place of");
        assert_eq!(said, expected == 0, "{site}");
        let instructions = sum(&some("instr-count"), |row| {
            row["wave_instructions"].as_u64().unwrap()
        });
        assert_eq!(instructions, expected, "{site}");
        let blocks = sum(&some("bb-count"), |row| {
            sum(&row["blocks"], |block| {
                block["waves"].as_u64().unwrap() * block["instructions"].as_u64().unwrap()
            })
        });
        assert_eq!(blocks, expected, "{site}");
        let histogram = some("opcode-histogram");
        let names = sum(&histogram, |row| {
            let opcodes = row["opcodes"].as_object().unwrap();
            assert!(
                opcodes.keys().all(|name| chosen(name)),
                "{site}: {opcodes:?}"
            );
            opcodes.values().map(|count| count.as_u64().unwrap()).sum()
        });
        assert_eq!(names, expected, "{site}");
        let (hot, lanes) = (some("hotspots"), some("instr-count"));
        let of = |key: &'static str| {
            sum(&hot, |row| {
                sum(&row["stretches"], |stretch| {
                    stretch[key].as_u64().unwrap() * stretch["instructions"].as_u64().unwrap()
                })
            })
        };
        assert_eq!(of("waves"), expected, "{site}");
        let expected = sum(&lanes, |row| row["lane_instructions"].as_u64().unwrap());
        assert_eq!(of("lanes"), expected, "{site}");
        let rows = some("branch-divergence");
        let sites = sum(&rows, |row| row["sites"].as_array().unwrap().len() as u64);
        assert_eq!(sites, 0, "{site}");
    }
}

/// Waves by block of the kernels, as bb-count has them: names and addresses, and how many.
fn blocks(counted: &impl Fn(&str) -> serde_json::Value) -> Vec<(String, u64, u64)> {
    let rows = counted("bb-count");
    let blocks = rows.as_array().unwrap().iter().flat_map(|row| {
        let kernel = row["kernel"].as_str().unwrap();
        let blocks = row["blocks"].as_array().unwrap().iter();
        blocks.map(move |block| {
            let number = |key: &str| block[key].as_u64().unwrap();
            (
                format!("{kernel} {}", block["pc"]),
                number("waves"),
                number("instructions"),
            )
        })
    });
    let mut blocks: Vec<_> = blocks.collect();
    blocks.sort();
    blocks
}

#[test]
fn tools_see_the_executions_that_are_chosen() {
    if !programs::can_compile() {
        return;
    }
    const TOOLS: &str = "instr-count,bb-count,opcode-histogram";
    // Lanes that part, loops and votes.
    let program = programs::named("divergence").unwrap();
    let application = programs::compile(&program).unwrap();
    let all = blocks(&counted(&application, TOOLS, &[]));
    assert!(all.iter().any(|(_, waves, _)| *waves > 7), "{all:?}");
    type Seen = fn(u64) -> u64;
    for (options, seen) in [
        (&["--first", "3"][..], (|waves| waves.min(3)) as Seen),
        (&["--sample", "4"], |waves| waves.div_ceil(4)),
        (&["--sample", "2", "--first", "2"], |waves| {
            waves.div_ceil(2).min(2)
        }),
        // Any workgroup.
        (&["--site", "workgroup=*,*,*"], |waves| waves),
        (&["--workgroup", "*,*,*", "--first", "2"], |waves| {
            waves.min(2)
        }),
        // There is none of this number.
        (&["--workgroup", "0,0,1"], |_| 0),
    ] {
        let some = counted(&application, TOOLS, options);
        let expected: Vec<_> = all
            .iter()
            .map(|(block, waves, instructions)| (block.clone(), seen(*waves), *instructions))
            .collect();
        let found = blocks(&some);
        // Blocks that were never run may be left out.
        for (block, waves, _) in &expected {
            let known = found.iter().find(|(known, ..)| known == block);
            let counted = known.map_or(0, |(_, waves, _)| *waves);
            assert_eq!(counted, *waves, "{options:?}: {block}");
        }
        let instructions: u64 = expected.iter().map(|(_, waves, len)| waves * len).sum();
        let of_waves = sum(&some("instr-count"), |row| {
            row["wave_instructions"].as_u64().unwrap()
        });
        assert_eq!(of_waves, instructions, "{options:?}");
        let of_opcodes = sum(&some("opcode-histogram"), |row| {
            let opcodes = row["opcodes"].as_object().unwrap().values();
            opcodes.map(|count| count.as_u64().unwrap()).sum()
        });
        assert_eq!(of_opcodes, instructions, "{options:?}");
    }
}

#[test]
fn a_workgroup_is_one_of_those_of_each_launch() {
    let Some(application) = application() else {
        return;
    };
    // Four launches with workgroups of one wave: 4, 4, 4 and 8, which all do the same.
    let instructions = |options: &[&str]| {
        let options = [&["-k", "^add_one"], options].concat();
        sum(
            &counted(&application, "instr-count", &options)("instr-count"),
            |row| row["wave_instructions"].as_u64().unwrap(),
        )
    };
    let of_wave = instructions(&[]) / 20;
    assert_eq!(instructions(&["--workgroup", "2"]), 4 * of_wave);
    assert_eq!(instructions(&["--workgroup", "7,*"]), of_wave);
    assert_eq!(instructions(&["--workgroup", "2,1"]), 0);
    // The first two of the four launches.
    let first = instructions(&["--workgroup", "2", "--first", "2"]);
    assert_eq!(first, 2 * of_wave);

    // Tools that write records: a load and a store of 64 lanes.
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().to_str().unwrap();
    let options = [
        "-t",
        "mem-trace",
        "-k",
        "^add_one",
        "--first",
        "3",
        "--output",
        output,
    ];
    let (good, said) = run(&application, &options, &[]);
    assert!(good && said.contains(" 384 records written"), "{said}");
    let (good, said) = run(&application, &["--first", "some"], &[]);
    assert!(!good && said.contains("`first=some`"), "{said}");
}

#[test]
fn a_workgroup_that_no_launch_has_is_told_and_so_are_places_once() {
    let Some(application) = application() else {
        return;
    };
    // Launches of 4 and 8 workgroups.
    for (options, told) in [
        (&["--workgroup", "8"][..], true),
        (&["--workgroup", "2,1"], true),
        (&["--site", "workgroup=3,0,4"], true),
        (&["--workgroup", "7"], false),
        (&["--workgroup", "*,0"], false),
    ] {
        let (good, said) = run(&application, options, &[]);
        let warned = said.contains("is in no launch: their grids have 4x1x1, 8x1x1 workgroups");
        assert!(good && warned == told, "{options:?}: {said}");
    }
    for (condition, hint) in [("opcode=v_nope", true), ("kind=matrix", false)] {
        let (good, said) = run(&application, &["--site", condition], &[]);
        assert!(good && said.contains("holds at no place of"), "{said}");
        assert!(!said.contains("no instruction matches --site"), "{said}");
        assert_eq!(said.contains("not regular expressions"), hint, "{said}");
    }
}
