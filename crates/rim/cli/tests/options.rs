//! Options that are wrong, or without effect, are errors before the program starts.

use crate::common;

use crate::common::{code_object, hip, luthier};

#[test]
fn what_cannot_act_stops_before_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("started");
    let with_tool = ["-t", "instr-count"];
    for (tools, option, value) in [
        (&with_tool[..], "-k", "("),
        (&with_tool, "--every", "0"),
        (&with_tool, "--every", "often"),
        (&with_tool, "--launch", "5..3"),
        (&with_tool, "--launch", ""),
        (&with_tool, "--grid", "big"),
        (&with_tool, "--grid", "0"),
        (&[], "-t", ""),
        (&[], "-t", ","),
        (&with_tool, "--site", "kind=nothing"),
        (&with_tool, "--function", "("),
        (&with_tool, "--workgroup", "1,2,3,4"),
        (&with_tool, "--first", "0"),
        (&with_tool, "--sample", "often"),
        // Without a tool, a selection is an error.
        (&[], "-k", "add"),
        (&[], "--every", "2"),
        (&[], "--launch", "1"),
        (&[], "--grid", "64"),
        (&[], "--site", "kind=load"),
        (&[], "--function", "add"),
        (&[], "--source", "a.hip:1-2"),
        (&[], "--workgroup", "0"),
        (&[], "--first", "1"),
        (&[], "--sample", "2"),
    ] {
        let mut command = luthier(&["run", "--device", "gfx90a"]);
        command.args(tools).args([option, value, "--", "touch"]);
        let output = command.arg(&trace).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{option} {value}: {said}");
        assert!(!trace.exists(), "{option} {value} started the program");
        assert!(!said.is_empty());
    }
    // Recordings are selected by kernels, too.
    let mut command = luthier(&["run", "--device", "gfx90a", "-k", "add", "--record"]);
    let status = command
        .arg(folder.path().join("records"))
        .args(["--", "true"])
        .status();
    assert!(status.unwrap().success());
}

/// A check that nothing makes is no clean bill.
#[test]
fn checks_of_programs_are_refused_for_files_and_those_of_campaigns_without_one() {
    let program = hip("beyond.hip");
    let program = program.to_str().unwrap();
    let of_programs = [
        "--memory",
        "--barriers",
        "--races",
        "--leaks",
        "--init",
        "--nan",
        "--late",
        "--device=gfx90a",
        "--timeout=9",
        "--inject=bit",
    ];
    let of_campaigns = [
        "--runs=3",
        "--seed=1",
        "--jobs=2",
        "--launch=0",
        "--compare=true",
        "--hang-factor=3",
    ];
    let files = of_programs.map(|option| vec!["--waits", option, program]);
    let campaigns = of_campaigns.map(|option| vec!["--leaks", option, "--", program]);
    for arguments in files.iter().chain(&campaigns) {
        let output = luthier(&["check"]).args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(output.stdout.is_empty(), "{arguments:?}: {output:?}");
        let name = arguments[1].split('=').next().unwrap();
        assert!(said.contains(name), "{arguments:?}: {said}");
    }
    // Without anything to look at, the answer names what this check needs, and nothing else.
    let output = luthier(&["check", "--memory"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("<PROGRAM>") && !said.contains("<FILE>"),
        "{said}"
    );
}

/// Clap does not ask for an option that another one excludes.
#[test]
fn options_that_would_be_without_effect_are_refused() {
    for (words, option) in [
        ("run --record records --no-sources -- true", "--no-sources"),
        ("hardware-check --import a.json --tool mem-trace", "--tool"),
        (
            "hardware-check --import a.json --program-limit 5",
            "--program-limit",
        ),
        ("hardware-check --program-limit 5", "--program"),
        ("hardware-check --import a.json -o b.json", "--output"),
        ("hardware-check --only v_rcp --numerics a", "--numerics"),
        ("hardware-check --program a --numerics b", "--numerics"),
        ("hardware-check --numerics a --tool mem-trace", "--numerics"),
        (
            "hardware-check --numerics a --program-limit 5",
            "--numerics",
        ),
        ("check --hooks a.co", "--hooks"),
        ("check --runs 3 a.co", "--runs"),
        ("tool build --ready a.hip", "--ready"),
        ("tool build --ready --module", "--module"),
        ("tool build --if-older a.hip", "--if-older"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut command = luthier(&words.split(' ').collect::<Vec<_>>());
        let output = command.current_dir(folder.path()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words}: {said}");
        let is_of_options = said.contains("cannot be used with") || said.contains("required");
        assert!(is_of_options && said.contains(option), "{words}: {said}");
        assert_eq!(folder.path().read_dir().unwrap().count(), 0, "{words}");
    }
}

#[test]
fn output_directories_need_not_be_text() {
    use std::os::unix::ffi::OsStringExt;
    let folder = tempfile::tempdir().unwrap();
    let odd = std::ffi::OsString::from_vec(b"out-\xff".to_vec());
    let output = folder.path().join(odd);
    let mut command = luthier(&["run", "--device", "gfx90a", "-t", "instr-count", "--output"]);
    let done = command
        .arg(&output)
        .arg("--")
        .arg(common::hip("launch.hip"))
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    let names = std::fs::read_dir(&output).unwrap();
    let names: Vec<_> = names
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    for part in ["summary", "statistics", "instr-count"] {
        assert!(
            names.iter().any(|name| name.contains(part)),
            "{part}: {names:?}"
        );
    }
}

/// Said to programs that load the runtime, when they open the device, and to no others.
#[test]
fn a_rocm_that_is_older_than_the_device_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let compile = |source: &str, code: &str, options: &[&str]| {
        std::fs::write(path(source), code).unwrap();
        let mut command = std::process::Command::new("gcc");
        command.current_dir(folder.path()).arg(source);
        assert!(command.args(options).status().unwrap().success());
    };
    let table = "const char targets[] = \"\\0gfx900\\0gfx1030\\0gfx90a:xnack-\";\n";
    let runtime = "libhsa-runtime64.so.1";
    compile("runtime.c", table, &["-shared", "-o", runtime]);
    let program = "#include <dlfcn.h>\n#include <fcntl.h>\nint main(int n, char **a) {\n\
        if (n > 1 && !dlopen(\"libhsa-runtime64.so.1\", RTLD_NOW)) return 2;\n\
        return open(\"/dev/kfd\", O_RDWR) < 0 || open(\"/dev/kfd\", O_RDWR) < 0;\n}\n";
    compile("program.c", program, &["-o", "program", "-ldl"]);
    let program = path("program");
    let program = program.to_str().unwrap();
    let run = |device: &str, command: &[&str]| {
        let mut run = luthier(&[&["run", "--device", device, "--"], command].concat());
        let output = run.env("LD_LIBRARY_PATH", folder.path()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let expected = format!(
        "luthier: {} does not know gfx1201, so programs that use it see no such GPU: choose another --device (gfx1030, gfx900, \
         gfx90a) or a newer ROCm\n",
        path(runtime).display()
    );
    assert_eq!(run("rx9070xt", &[program, "with"]), expected);
    assert_eq!(run("rx9070xt", &[program]), "");
    assert_eq!(run("rx9070xt", &["true"]), "");
    assert_eq!(run("gfx900", &[program, "with"]), "");
}

#[test]
fn a_library_without_code_for_the_device_is_named() {
    let flags = ["-shared", "-fPIC", "-w", "--offload-arch=gfx1030"];
    let library = common::compile("hipcc", "half.hip", &flags);
    let path = library.to_str().unwrap();
    // By its own path: compilers see copies of the files that they are given.
    let (folder, name) = (library.parent().unwrap(), library.file_name().unwrap());
    let folder = folder.to_str().unwrap();
    let options = [
        format!("-L{folder}"),
        format!("-Wl,-rpath,{folder}"),
        format!("-l:{}", name.to_str().unwrap()),
    ];
    let program = common::compile(
        "gcc",
        "uses_half.c",
        &options.each_ref().map(String::as_str),
    );
    let said = |device: &str| {
        let mut command = luthier(&["run", "--device", device, "--"]);
        let output = command.arg(&program).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let expected = format!(
        "luthier: {path} has gfx1030; the device is gfx90a: rebuild with --offload-arch=gfx90a or --device gfx1030; HIP 7 crashes \
         where one of its kernels is launched\n"
    );
    assert_eq!(said("gfx90a"), expected);
    assert_eq!(said("gfx1030"), "");
}

#[test]
fn a_device_that_is_not_known_is_told_which_it_may_be() {
    for (device, expected) in [
        (
            "mi30x",
            "no target is called \"mi30x\" (did you mean mi300x or mi350x?); known are gfx900,",
        ),
        ("gfx90a,gfx9o6", "\"gfx9o6\" (did you mean gfx906?)"),
        ("RX 6800 XT", "(did you mean rx6800xt?)"),
        (
            "gfx90a,",
            "--device gfx90a,: a name is empty: a device is a target, such as gfx90a, or a product",
        ),
        ("", "a name is empty"),
        (
            "mi210:sramecc-",
            "gfx90a has no feature \"sramecc-\"; the features of its emulated device are xnack+, xnack-, sramecc+",
        ),
        ("gfx90a:xnack", "gfx90a has no feature \"xnack\""),
    ] {
        let mut command = luthier(&["run", "--device", device, "--", "true"]);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(expected), "{device}: {said}");
    }
}

/// A script that sets the library path takes Luthier's thunk away, and the one of Debian 12 cannot register memory then.
#[test]
fn a_library_path_that_lost_luthiers_is_named() {
    let mut command = luthier(&["run", "--device", "gfx90a", "--", "env"]);
    let command = command.arg("LD_LIBRARY_PATH=/nowhere");
    let output = command.arg(hip("launch.hip")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let advice = "keep what it has (LD_LIBRARY_PATH=NEW:$LD_LIBRARY_PATH)\n";
    assert_eq!(said.matches(advice).count(), 1, "{said}");
    assert!(!said.contains("HSA_USE_SVM"), "{said}");
}

/// A report's own tools are added to those that the user named, in whatever list.
#[test]
fn a_report_adds_no_tool_twice() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let words = ["run", "--device", "gfx90a", "-t", "instr-count,hotspots"];
    let output = luthier(&words)
        .arg("--report")
        .arg(&page)
        .arg("--")
        .arg(hip("lengthy.hip"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && page.exists(), "{said}");
    assert!(said.contains("instr-count, hotspots:"), "{said}");
    assert!(!said.contains("named twice"), "{said}");
}

#[test]
fn help_on_queries_needs_no_engine() {
    let mut command = luthier(&["query", "--help"]);
    let output = command.env("PATH", "/nowhere").output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert!(
        told.contains("luthier-query") && told.contains("working-set"),
        "{told}"
    );
}

#[test]
fn lists_without_a_tool_and_buffers_without_room_are_refused() {
    let object = code_object("tiny.cl");
    let object = object.to_str().unwrap();
    let launch = ["-k", "tiny", "--arg", "zero:256", object];
    let large = ["-k", "tiny", "--arg", "zero:999999999999999", object];
    for (words, rest, reason) in [
        (&["verify", "-t", ""][..], &launch[..], "names no tool"),
        (&["emulate", "-t", ","], &launch, "names no tool"),
        (
            &["instrument", "-t", "", "-o", "/dev/null"],
            &[object],
            "names no tool",
        ),
        (
            &["verify"],
            &large,
            "zero:999999999999999: this machine does not give",
        ),
        (
            &["bisect", object],
            &large,
            "zero:999999999999999: this machine does not give",
        ),
        (
            &["emulate"],
            &large,
            "cannot allocate 999999999999999 bytes",
        ),
    ] {
        let output = luthier(words).args(rest).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
        assert!(said.contains(reason), "{words:?}: {said}");
    }
}

/// Names of files, expressions and descriptions may have several lines; errors about them have one.
#[test]
fn errors_are_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (odd, text, empty) = (
        write("a:\nb\u{1b}[31m.hip", "x"),
        write("text", "x"),
        write("empty", ""),
    );
    let broken = write(
        "broken.hip",
        "#include <luthier_device.h>\nLUTHIER_TOOL(R\"(\nabout = \"\"\ninsert = [{ hook = \"h\", at =\n)\")\n",
    );
    let missing = folder.path().join("not\nthere");
    let missing = missing.to_str().unwrap();
    let place = folder.path().to_str().unwrap();
    for (arguments, reason) in [
        (
            &["inspect", &odd][..],
            "a:\\nb\\u{1b}[31m.hip: not an AMD GPU code object",
        ),
        (&["inspect", missing], "not\\nthere: No such file"),
        (&["verify", &text], "not an AMD GPU code object"),
        (&["verify", &empty], "not an AMD GPU code object"),
        (&["verify", place], "Is a directory"),
        (
            &["run", "--device", "gfx90a", "--", missing],
            "cannot start ",
        ),
        (
            &["run", "-k", "(", "-t", "instr-count", "--", "true"],
            "--kernel=(: unclosed group; expected",
        ),
        (
            &["run", "-k", "(", "--record", place, "--", "true"],
            "unclosed group",
        ),
        (
            &["coverage", "report", "--ignore", "(", place],
            "unclosed group",
        ),
        (
            &["tool", "build", &broken],
            "in LUTHIER_TOOL: line 3, column ",
        ),
    ] {
        let output = luthier(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{arguments:?}: {said}");
        assert!(said.contains(reason), "{arguments:?}: {said}");
        let plain = said.trim_end_matches('\n');
        assert!(!plain.contains(char::is_control), "{arguments:?}: {said:?}");
    }
}

/// The name of the file is escaped, and the compiler's lines stay lines.
#[test]
fn compilers_keep_their_lines_behind_odd_names() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("a:\nb.hip");
    std::fs::write(&source, "int x = y;\n").unwrap();
    let source = source.to_str().unwrap();
    let output = luthier(&["tool", "build", source, "--target", "gfx90a"]).output();
    let output = output.unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{said}");
    assert!(
        said.contains("a:\\nb.hip does not compile for gfx90a:\n"),
        "{said}"
    );
    assert!(
        said.contains("\nint x = y;\n") || said.contains(" int x = y;\n"),
        "{said}"
    );
}
