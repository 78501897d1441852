//! Ways to build: several sources with relocatable device code, and with the profile of a run.

mod common;

use common::{Place, ending, sources, text};

#[test]
fn relocatable_device_code_of_several_sources() {
    let place = Place::new();
    let other = sources().join("rdc_other.hip");
    let flags = [
        "-fgpu-rdc",
        "-x",
        "hip",
        other.to_str().unwrap(),
        "-x",
        "none",
    ];
    let program = place.build("rdc", "rdc_main.hip", &["gfx90a"], &[], &flags);
    let output = place.run("gfx90a", "out", &[], &program, &[]);
    assert_eq!(
        (ending(&output), &output.stdout[..]),
        (0, &b"34\n"[..]),
        "{}",
        text(&output)
    );
    let counts = place.counts("out");
    // 64 lanes come in, 40 of them go on: those with more than 20 afterwards call `own` of the other source.
    let beyond = (0..40)
        .filter(|x| if x & 1 == 1 { x * 3 > 20 } else { *x > 20 })
        .count() as u64;
    assert_eq!(counts["_Z6acrossPii"], [64, 40], "{counts:?}");
    assert_eq!(counts["_Z5otheri"], [40, beyond], "{counts:?}");
    let own: Vec<u64> = counts
        .iter()
        .filter(|(name, _)| name.ends_with("_ZL3owni"))
        .map(|(_, counts)| counts[0])
        .collect();
    assert_eq!(
        (own.len(), own.iter().sum::<u64>()),
        (2, 40 + beyond),
        "{counts:?}"
    );
    let shown = place.report(&["show", "out"]);
    assert!(
        shown.contains("rdc_main.hip") && shown.contains("rdc_other.hip"),
        "{shown}"
    );

    // In two steps, as build systems do it.
    for (source, object) in [("rdc_main.hip", "a.o"), ("rdc_other.hip", "b.o")] {
        let source = sources().join(source);
        let arch = "--offload-arch=gfx90a";
        place.report(&[
            "build",
            "--",
            "clang++-22",
            "-x",
            "hip",
            "-O1",
            arch,
            "-fgpu-rdc",
            "-c",
            source.to_str().unwrap(),
            "-o",
            object,
        ]);
    }
    place.report(&[
        "build",
        "--",
        "clang++-22",
        "--hip-link",
        "--offload-arch=gfx90a",
        "-fgpu-rdc",
        "a.o",
        "b.o",
        "-o",
        "linked",
        "-lamdhip64",
    ]);
    let output = place.run("gfx90a", "again", &[], &place.path("linked"), &[]);
    assert_eq!(ending(&output), 0, "{}", text(&output));
    assert_eq!(place.counts("again"), counts);
}

/// Without any option: what was counted before a deadly signal is kept.
#[test]
fn deadly_signals_cost_no_profile() {
    let place = Place::new();
    let program = place.build(
        "scenes",
        "scenes.hip",
        &["gfx90a"],
        &[],
        &["-lpthread", "-ldl"],
    );
    let output = place.run("gfx90a", "crash", &[], &program, &["segfault"]);
    assert_eq!(ending(&output), -11, "{}", text(&output));
    assert_eq!(place.entries("crash", "_Z4workPii"), 64);
    // Switched off, the message says what happened.
    let output = place.run(
        "gfx90a",
        "none",
        &["--signal", "none"],
        &program,
        &["segfault"],
    );
    assert_eq!(ending(&output), -11, "{}", text(&output));
    assert!(place.profiles("none").is_empty());
    assert!(
        text(&output).contains("ended by signal 11"),
        "{}",
        text(&output)
    );
}
