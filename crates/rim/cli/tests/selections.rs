//! A selection that fits nothing says so, and what there was; a choice that is asked for can be made; misspelt words are named.

use std::{fs, path::Path, process::Command};

use crate::common::{code_object, hip, luthier};

/// Status, and what was said on both streams.
fn said(command: &mut Command) -> (Option<i32>, String) {
    let output = command.output().unwrap();
    let mut text = String::from_utf8_lossy(&output.stderr).into_owned();
    text += &String::from_utf8_lossy(&output.stdout);
    (output.status.code(), text)
}

fn run(options: &[&str], program: &Path) -> (Option<i32>, String) {
    let mut words = vec!["run", "--device", "gfx90a"];
    words.extend(options);
    said(luthier(&words).arg("--").arg(program))
}

#[test]
fn selections_that_fit_nothing_say_what_there_was() {
    let program = hip("two_steps.hip");
    let tool = |options: &[&str]| {
        let options: Vec<&str> = ["-t", "instr-count"]
            .iter()
            .chain(options)
            .copied()
            .collect();
        let (status, said) = run(&options, &program);
        assert_eq!(status, Some(0), "{options:?}: {said}");
        said
    };
    for (options, expected) in [
        (
            &["-k", "stepp"][..],
            "warning: -k stepp fits no kernel; launched were other(int*), step(int*)",
        ),
        (
            &["-k", "step", "--launch", "3"],
            "warning: --launch 3 fits no launch; launched were step(int*) 3 times (0 to 2), with grids of 128x1x1, 64x1x1 work-items",
        ),
        (
            &["--grid", "65"],
            "warning: --grid 65 fits no launch; launched were other(int*) once (its launch 0), step(int*) 3 times",
        ),
        (
            &["--launch", "0", "--grid", ">=1000"],
            "warning: --launch 0 with --grid >=1000 fits no launch",
        ),
        (
            &["--site", "opcode=v_adf_u32"],
            "warning: opcode=v_adf_u32 holds at no place of other(int*), step(int*)",
        ),
        (
            &["--function", "nowhere"],
            "warning: function=nowhere holds at no place of",
        ),
    ] {
        let said = tool(options);
        assert!(said.contains(expected), "{options:?}: {said}");
        assert_eq!(said.matches("warning: ").count(), 1, "{options:?}: {said}");
    }
    // Names of instructions that are there and nearly the same.
    let said = tool(&["--site", "opcode=global_stroe_dword"]);
    assert!(said.contains("did you mean global_store_dword"), "{said}");
    for options in [
        &[][..],
        &["-k", "step"],
        &["--launch", "0"],
        &["--launch", "2"],
        &["--grid", "128"],
        &["--site", "kind=store"],
        &["--workgroup", "0"],
    ] {
        let said = tool(options);
        assert!(!said.contains("warning: "), "{options:?}: {said}");
    }
    // Recordings.
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().to_str().unwrap();
    let (status, said) = run(&["--record", record, "-k", "stepp"], &program);
    assert_eq!(status, Some(0), "{said}");
    assert!(
        said.contains("warning: nothing is recorded: -k stepp fits no kernel; launched were "),
        "{said}"
    );
    // Files on disk.
    let instrument = |options: &[&str]| {
        let mut command = luthier(&["instrument", "-t", "instr-count"]);
        command
            .args(options)
            .arg(&program)
            .arg("-o")
            .arg(folder.path().join("out"));
        said_of(&mut command)
    };
    assert!(instrument(&["-k", "stepp"]).contains("warning: -k stepp fits no kernel of "));
    assert!(
        instrument(&["--site", "opcode=v_adf_u32"])
            .contains("warning: --site opcode=v_adf_u32 holds at no place")
    );
    let said = instrument(&["--site", "opcode=global_stroe_dword"]);
    assert!(said.contains("did you mean global_store_dword"), "{said}");
    assert!(!instrument(&["-k", "step"]).contains("warning: "));
}

/// A checked program: a word that fits nothing would hide all findings.
#[test]
fn a_check_of_no_kernel_is_told() {
    let program = hip("raced.hip");
    let check = |options: &[&str]| {
        let words = [&["check", "--device", "gfx90a"], options, &["--"]].concat();
        said(luthier(&words).arg(&program).arg("missing"))
    };
    for how in [&["--races"][..], &["--memory", "--hooks"]] {
        let (status, text) = check(&[how, &["-k", "mising"]].concat());
        let expected = "warning: nothing is checked: -k mising fits no kernel; launched were ";
        assert_eq!(status, Some(0), "{text}");
        assert_eq!(text.matches(expected).count(), 1, "{how:?}: {text}");
        assert!(text.contains("checked: 0 kernels"), "{how:?}: {text}");
        let (status, text) = check(&[how, &["-k", "mising", "--complete"]].concat());
        assert_eq!(status, Some(3), "{how:?}: {text}");
        let expected = "not checked: kernels, because none that ran was chosen";
        assert!(text.contains(expected), "{how:?}: {text}");
        // By the name in the source.
        let (_, text) = check(&[how, &["-k", r"^missing\(int"]].concat());
        assert!(!text.contains("warning: "), "{how:?}: {text}");
        assert!(text.contains("checked: 1 kernel "), "{how:?}: {text}");
    }
    for (how, complete) in [("--races", false), ("--all", false), ("--leaks", true)] {
        let words = [
            "check",
            "--device",
            "gfx90a",
            how,
            "--complete",
            "--",
            "true",
        ];
        let (status, text) = said(&mut luthier(&words));
        assert_eq!(status, Some(if complete { 0 } else { 3 }), "{how}: {text}");
        let told = text.contains("not checked: kernels, because none ran");
        assert_eq!(told, !complete, "{how}: {text}");
    }
    let (_, text) = check(&["--races", "-k", r"^missing\(int"]);
    assert!(text.contains("1 lds-race"), "{text}");
    // Options that a program has nothing for.
    for (options, expected) in [
        (
            &["--races", "--target", "gfx90a"][..],
            "cannot be used with",
        ),
        (&["--races", "--late"], "add --waits"),
    ] {
        let (status, text) = check(options);
        assert_eq!(status, Some(2), "{options:?}: {text}");
        assert!(text.contains(expected), "{options:?}: {text}");
        assert!(!text.contains("done"), "{options:?}: {text}");
    }
}

fn said_of(command: &mut Command) -> String {
    said(command).1
}

/// Two objects of one target, each with a static kernel of one name, as every header with kernels makes them.
#[test]
fn one_of_several_kernels_of_one_name_can_be_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let unit = |name: &str, add: u32, rest: &str| {
        let text = format!(
            "#include <hip/hip_runtime.h>\nstatic __global__ void step(unsigned *p) {{ p[threadIdx.x] += {add}; }}\n\
             void launch_{name}(unsigned *p) {{ step<<<1, 64>>>(p); }}\n{rest}"
        );
        let source = at(&format!("{name}.hip"));
        fs::write(&source, text).unwrap();
        source
    };
    let one = unit("one", 1, "int main() {}\n");
    let two = unit("two", 258, "");
    let mut compiler = Command::new("hipcc");
    compiler
        .args(["--offload-arch=gfx90a", "-O2", "-w"])
        .arg(&one)
        .arg(&two);
    let (status, text) = said(compiler.arg("-o").arg(at("both")));
    assert_eq!(status, Some(0), "{text}");
    let emulate = |more: &[&str]| {
        let dump = format!("0:{}", at("dump").display());
        let words = [
            "emulate", "-k", "step", "--arg", "zero:256", "--dump", &dump,
        ];
        let (status, text) = said(luthier(&words).args(more).arg(at("both")));
        let dumped = fs::read(at("dump")).unwrap_or_default();
        (status, text, dumped.get(..2).map(<[u8]>::to_vec))
    };
    let (status, text, _) = emulate(&[]);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("choose with --object N from"), "{text}");
    assert!(
        text.contains("\n  1: ") && text.contains("\n  2: ") && !text.contains("\n  3: "),
        "{text}"
    );
    // The objects lie in the order of the files.
    for (object, expected) in [("1", vec![1, 0]), ("2", vec![2, 1])] {
        let (status, text, dumped) = emulate(&["--object", object]);
        assert_eq!((status, dumped), (Some(0), Some(expected)), "{text}");
        let words = [
            "verify",
            "-t",
            "instr-count",
            "-k",
            "step",
            "--arg",
            "zero:256",
            "--object",
            object,
        ];
        let (status, text) = said(luthier(&words).arg(at("both")));
        assert_eq!(status, Some(0), "{text}");
    }
    let (status, text, _) = emulate(&["--object", "3"]);
    assert_eq!(status, Some(2), "{text}");
    assert!(
        text.contains("there is no --object 3: code objects with a kernel step are"),
        "{text}"
    );
}

#[test]
fn misspelt_words_are_named() {
    for (words, expected) in [
        (
            &["run", "--devise", "gfx90a", "--", "true"][..],
            "unknown option `--devise`, did you mean `--device`?",
        ),
        (
            &[
                "run",
                "--device",
                "gfx90a",
                "-t",
                "instr-cuont",
                "--",
                "true",
            ],
            "no tool instr-cuont (did you mean instr-count?)",
        ),
        (
            &["run", "--device", "gfx90a", "-t", "mem-check:stop", "true"],
            "mem-check:stop gives the parameter no value: write mem-check:stop=VALUE",
        ),
        (
            &["coverage", "run", "--devise", "gfx90a", "true"],
            "unknown option `--devise`, did you mean `--device`?",
        ),
        (
            &["run", "-t", "instr-count", "--site", "kind=stroe", "true"],
            "`stroe` is no class of instructions (did you mean store?)",
        ),
        (
            &["run", "-t", "instr-count", "--site", "kin=store", "true"],
            "`kin=store` (did you mean kind?) is no condition for places",
        ),
        (
            &["run", "--device", "gfx90a", "--kernel-limit", "5", "true"],
            "--kernel-limit is for tools, and there are none: add -t TOOL",
        ),
        (&["inspekt", "a"], "'inspect'"),
        (&["inspect", "--formt", "json", "a"], "'--format'"),
    ] {
        let (status, text) = said(&mut luthier(words));
        assert_eq!(status, Some(2), "{words:?}: {text}");
        assert!(text.contains(expected), "{words:?}: {text}");
    }
}

#[test]
fn a_workgroup_that_an_emulated_launch_does_not_have_is_told() {
    let object = code_object("tiny.cl");
    let emulate = |site: &str| {
        let words = [
            "emulate",
            "-k",
            "tiny",
            "-t",
            "instr-count",
            "--grid",
            "2",
            "--block",
            "64",
            "--arg",
            "zero:512",
            "--site",
            site,
        ];
        let (status, text) = said(luthier(&words).arg(&object));
        assert_eq!(status, Some(0), "{site}: {text}");
        text
    };
    for site in ["workgroup=9", "kind=store;workgroup=9"] {
        let text = emulate(site);
        let expected = "warning: workgroup=9,0,0 is in no launch: their grids have 2x1x1 workgroups, counted from 0";
        assert_eq!(text.matches(expected).count(), 1, "{site}: {text}");
        assert_eq!(text.matches("warning: ").count(), 1, "{site}: {text}");
    }
    for site in ["workgroup=1", "kind=store;workgroup=*", "kind=store"] {
        let text = emulate(site);
        assert!(!text.contains("warning: "), "{site}: {text}");
    }
}

/// Every command refuses code that the emulator does not execute.
#[test]
fn targets_that_are_not_executed_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("k.cl"), "__kernel void k(__global int *p) { *p = 1; }\n").unwrap();
    let mut compiler = Command::new("clang-22");
    compiler.args([
        "-x",
        "cl",
        "-cl-std=CL2.0",
        "-target",
        "amdgcn-amd-amdhsa",
        "-mcpu=gfx1250",
        "-nogpulib",
        "-O2",
    ]);
    let (status, text) = said(compiler.arg(at("k.cl")).arg("-o").arg(at("k.co")));
    assert_eq!(status, Some(0), "{text}");
    let same = at("k.co").to_str().unwrap().to_owned();
    for words in [
        &["emulate", "-k", "k", "--arg", "zero:256"][..],
        &[
            "verify",
            "-t",
            "instr-count",
            "-k",
            "k",
            "--arg",
            "zero:256",
        ],
        &["verify", "--poison", "-k", "k", "--arg", "zero:256"],
        &["bisect", "-k", "k", "--arg", "zero:256", &same],
    ] {
        let (status, text) = said(luthier(words).arg(at("k.co")));
        assert_eq!(status, Some(2), "{words:?}: {text}");
        assert!(
            text.contains("the emulator does not execute code for gfx1250"),
            "{words:?}: {text}"
        );
    }
    let (status, text) = said(&mut luthier(&["run", "--device", "gfx1250", "--", "true"]));
    assert_eq!(status, Some(2), "{text}");
}

/// A kernel into which nothing is inserted is the original.
#[test]
fn a_comparison_with_itself_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let text = "kernel void stores(global int *p) { *p = 1; }\nkernel void nothing(void) {}\n";
    fs::write(at("k.cl"), text).unwrap();
    let mut compiler = Command::new("clang-22");
    compiler.args([
        "-x",
        "cl",
        "-cl-std=CL2.0",
        "-mcpu=gfx90a",
        "-nogpulib",
        "-O2",
    ]);
    compiler.args(["-target", "amdgcn-amd-amdhsa"]);
    let (status, text) = said(compiler.arg(at("k.cl")).arg("-o").arg(at("k.co")));
    assert_eq!(status, Some(0), "{text}");
    let verify = |words: &[&str]| {
        let (status, text) = said(luthier(&["verify"]).arg(at("k.co")).args(words));
        assert_eq!(status, Some(0), "{text}");
        text
    };
    let stores = ["-k", "stores", "--arg", "zero:256"];
    for (words, why) in [
        (
            &["-k", "nothing", "-t", "mem-trace"][..],
            "the tools insert nothing into nothing",
        ),
        (&stores, "no tool is named"),
        (
            &[&stores[..], &["-t", "mem-trace", "--site", "function=x"]].concat(),
            "--site function=x holds at no place of stores",
        ),
    ] {
        let told = verify(words);
        let expected = format!("luthier: warning: {why}: it is compared with itself");
        assert!(told.contains(&expected), "{words:?}: {told}");
    }
    let told = verify(&[&stores[..], &["-t", "mem-trace"]].concat());
    assert!(!told.contains("warning"), "{told}");
    // The analysis of registers is checked without tools.
    let words = [&["verify", "--poison"][..], &stores, &["-t", "mem-trace"]].concat();
    let (status, text) = said(luthier(&words).arg(at("k.co")));
    assert!(status == Some(2) && text.contains("--poison"), "{text}");
}

/// Tools are loaded where a program starts the runtime; one that does not is told from a count of nothing.
#[test]
fn programs_without_a_gpu_are_told() {
    let told = |words: &[&str]| {
        let (_, text) = said(&mut luthier(words));
        text.contains("no process of the program has used a GPU: tools saw nothing")
    };
    assert!(told(&[
        "run",
        "--device",
        "gfx90a",
        "-t",
        "instr-count",
        "--",
        "true"
    ]));
    assert!(!told(&[
        "run",
        "--device",
        "gfx90a",
        "-t",
        "instr-count",
        "--",
        "false"
    ]));
    assert!(!told(&["run", "--device", "gfx90a", "--", "true"]));
}
