//! Programs that load code from memory and give the memory to something else, as those do that compile at run time.

use crate::common::{compile, hip, luthier};

/// Exit status, standard output and standard error. The second module is compiled with another flag, too.
fn run(check: &str, mode: &str, flag: &str) -> (Option<i32>, String, String) {
    let module = |name: &str, flag: &str| {
        let name = format!("-DNAME={name}");
        let flags = ["--genco", "-O1", "-w", &name, "--offload-arch=gfx90a", flag];
        compile("hipcc", "overwritten.hip", &flags)
    };
    let output = luthier(&["check", check, "--device", "gfx90a"])
        .args(["--error-exitcode", "9", "--complete", "--"])
        .arg(hip("overwritten.hip"))
        .args([module("first", "-g"), module("other", flag)])
        .arg(mode)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, errors) = (text(&output.stdout), text(&output.stderr));
    (output.status.code(), out, errors)
}

/// LDS has 128 numbers, and the kernel of the second module is called `other`.
#[test]
fn findings_in_code_whose_image_is_gone_are_reported() {
    for (check, mode, parts) in [
        (
            "--memory",
            "beyond",
            &[
                "error[out-of-bounds]",
                "4 bytes at 0x200 of LDS, of which the workgroup has 512 bytes",
            ][..],
        ),
        ("--races", "raced", &["error[lds-race]", "<-- write"]),
        ("--all", "raced", &["error[lds-race]", "<-- write"]),
    ] {
        let (status, _, said) = run(check, mode, "-g");
        assert_eq!(status, Some(9), "{check} {mode}: {said}");
        for part in [parts, &["other for gfx90a", "overwritten.hip:"]].concat() {
            assert!(said.contains(part), "{check} {mode}: no {part:?} in {said}");
        }
        let (status, out, said) = run(check, "right", "-g");
        assert_eq!((status, &*out), (Some(0), "done\n"), "{check}: {said}");
        assert!(said.contains("certain: 0 findings"), "{check}: {said}");
    }
}

/// Tools keep at most 64 MiB of an image.
#[test]
fn findings_in_images_that_are_too_large_to_keep_are_said_to_have_no_place() {
    let large = "-DPADDING=70000000";
    for (check, mode, expected, what, count) in [
        // ROCr ends the program with a signal.
        (
            "--memory",
            "beyond",
            None,
            "other stopped at 0x",
            "1 finding\n",
        ),
        // The second of two accesses is the store or the load.
        ("--races", "raced", Some(3), "a race at 0x", "2 findings\n"),
    ] {
        let (status, _, said) = run(check, mode, large);
        assert_eq!(status, expected, "{check}: {said}");
        let line = format!("in code that cannot be read: {what}");
        let count = format!("without a place: {count}");
        for part in [&*line, &count, "certain: 0 findings"] {
            assert!(said.contains(part), "{check}: no {part:?} in {said}");
        }
    }
    let (status, _, said) = run("--memory", "right", large);
    assert_eq!(status, Some(0), "{said}");
    assert!(!said.contains("without a place"), "{said}");
}
