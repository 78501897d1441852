//! `luthier check --memory -- PROGRAM`: accesses beyond allocations and to freed memory, and who allocated and freed it.

use crate::common::{
    compile, hip, luthier,
    schema::{check, schema},
};

/// True if the program passed, standard output and standard error.
fn run(options: &[&str], mode: &str) -> (bool, String, String) {
    let mut command = luthier(&["check", "--memory", "--device", "gfx90a"]);
    let command = command.args(options).arg("--");
    let output = command.arg(hip("beyond.hip")).arg(mode).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.success(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn a_wrong_access_is_named_with_the_allocation_and_who_made_it() {
    // 1000 bytes at the start of a page: 250 integers, and 4 bytes before the first one.
    for (mode, parts) in [
        (
            "end",
            &[
                "error[out-of-bounds]",
                "put(int*, long) for gfx90a",
                "writes right behind an allocation of 1000 bytes",
                "wave 0, lane 5",
                "<-- the access",
                "allocated with hipMalloc by make_numbers",
                "called by main",
            ][..],
        ),
        (
            "before",
            &[
                "error[out-of-bounds]",
                "writes at an address 4 bytes before an allocation of 1000 bytes",
                "allocated with hipMalloc by make_numbers",
            ],
        ),
        (
            "freed",
            &[
                "error[after-free]",
                "writes at an address 8 bytes into 1000 bytes that the program has freed",
                "allocated with hipMalloc by make_numbers",
                "freed by drop_numbers",
            ],
        ),
        (
            "lds",
            &[
                "error[out-of-bounds]",
                "shared(int*, int) for gfx90a",
                "4 bytes at 0x40 of LDS, of which the workgroup has 64 bytes",
            ],
        ),
    ] {
        let (_, _, said) = run(&[], mode);
        for part in parts {
            assert!(said.contains(part), "{mode}: no {part:?} in {said}");
        }
        assert!(said.contains("certain: 1 finding: 1 "), "{mode}: {said}");
        let (passed, out, said) = run(&["--error-exitcode", "9"], &format!("{mode}-ok"));
        assert!(passed && out == "done\n", "{mode}: {out} {said}");
        assert!(said.contains("certain: 0 findings"), "{mode}: {said}");
    }
}

#[test]
fn a_finding_has_the_form_of_the_schema_and_can_be_suppressed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("found.json");
    let options = ["--format", "json", "-o", file.to_str().unwrap()];
    run(&options, "end");
    let value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    check(&schema("check"), &value).unwrap();
    let finding = &value["findings"][0];
    assert_eq!(finding["access"]["allocation"]["size"], 1000, "{value}");
    assert_eq!(finding["access"]["lane"], 5, "{value}");
    let known = folder.path().join("known");
    let fingerprint = finding["fingerprint"].as_str().unwrap();
    let text = format!("{{\nknown\nmemory:out-of-bounds\nfingerprint:{fingerprint}\n}}\n");
    std::fs::write(&known, text).unwrap();
    let (_, _, said) = run(&["--suppressions", known.to_str().unwrap()], "end");
    assert!(said.contains("suppressed: 1 finding"), "{said}");
    assert!(said.contains("certain: 0 findings"), "{said}");
}

#[test]
fn waits_and_memory_are_checked_together() {
    let (_, _, said) = run(&["--waits"], "end");
    assert!(said.contains("error[out-of-bounds]"), "{said}");
    assert!(
        said.contains("certain: 1 finding: 1 out-of-bounds"),
        "{said}"
    );
    let output = luthier(&["check", "--memory", "file.co"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

/// True if the program passed, its output, and the report.
fn run_mode(program: &str, mode: &str) -> (bool, String, String) {
    let mut command = luthier(&["check", "--memory", "--error-exitcode", "9"]);
    let command = command.args(["--device", "gfx90a", "--"]);
    let output = command.arg(hip(program)).arg(mode).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.success(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

/// In this mode the program has one finding, whose report has these parts. Its right twin passes without any.
fn is_found(program: &str, mode: &str, parts: &[&str]) {
    let (passed, _, said) = run_mode(program, mode);
    for part in parts {
        assert!(said.contains(part), "{mode}: no {part:?} in {said}");
    }
    assert!(!passed, "{mode}: {said}");
    assert!(said.contains("certain: 1 finding: 1 "), "{mode}: {said}");
    passes(program, &format!("{mode}-ok"));
}

/// In this mode the program passes without a finding.
fn passes(program: &str, mode: &str) {
    let (passed, out, said) = run_mode(program, mode);
    assert!(passed && out == "done\n", "{mode}: {out} {said}");
    assert!(said.contains("certain: 0 findings"), "{mode}: {said}");
}

/// Offsets, sizes and names are those of the program's source.
#[test]
fn memory_that_hip_divides_has_bounds_and_frees_are_looked_at() {
    for (mode, parts) in [
        (
            "stream-freed",
            &[
                "error[after-free]",
                "writes at an address 8 bytes into 1000 bytes that the program has freed",
                "allocated with hipMallocAsync by main",
                "freed by main",
            ][..],
        ),
        (
            "stream-end",
            &[
                "error[out-of-bounds]",
                "writes right behind an allocation of 4600 bytes",
            ],
        ),
        (
            "row",
            &[
                "error[out-of-bounds]",
                "writes at an address 3 bytes behind a row of an allocation of 768 bytes",
                "allocated with hipMallocPitch by main",
            ],
        ),
        (
            "padding",
            &["writes right behind a row of an allocation of 768 bytes"],
        ),
        (
            "managed",
            &["writes right behind an allocation of 100 bytes"],
        ),
        (
            "registered",
            &[
                "writes right behind an allocation of 100 bytes",
                "allocated with hipHostRegister by main",
            ],
        ),
        (
            "variable",
            &["writes right behind the variable table of 10 bytes"],
        ),
        (
            "common",
            &[
                "error[out-of-bounds]",
                "writes right behind the variable common of 70 bytes",
            ],
        ),
        (
            "module",
            &["writes at an address 32 bytes before the variable table of 10 bytes"],
        ),
        (
            "nowhere",
            &["writes memory that is no allocation of the program's"],
        ),
        (
            "constant",
            &[
                "error[read-only]",
                "writes the variable fixed of 16 bytes, which is constant",
                "constant(int) for gfx90a",
            ],
        ),
        (
            "wide-end",
            &[
                "error[out-of-bounds]",
                "writes across the end of an allocation of 1000 bytes",
                "996 bytes into an allocation of 1000 bytes",
            ],
        ),
        (
            "wide-row",
            &[
                "error[out-of-bounds]",
                "writes across the end of a row of an allocation of 768 bytes",
            ],
        ),
        (
            "wide-constant",
            &[
                "error[out-of-bounds]",
                "reads across the end of the variable odd of 20 bytes",
            ],
        ),
        (
            "inside",
            &[
                "error[wrong-free]",
                "frees an address 16 bytes into an allocation of 1000 bytes",
                "by drop",
                "allocated with hipMalloc by make",
            ],
        ),
        (
            "twice",
            &[
                "error[freed-twice]",
                "frees 1000 bytes that it has freed before",
                "freed by drop",
            ],
        ),
    ] {
        is_found("divided.hip", mode, parts);
    }
    passes("divided.hip", "legal");
}

#[test]
fn a_wrong_free_has_the_form_of_the_schema() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("found.json");
    let mut command = luthier(&[
        "check", "--memory", "--device", "gfx90a", "--format", "json",
    ]);
    let command = command.arg("-o").arg(&file).arg("--");
    command
        .arg(hip("divided.hip"))
        .arg("inside")
        .output()
        .unwrap();
    let value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    check(&schema("check"), &value).unwrap();
    let finding = &value["findings"][0];
    assert_eq!(finding["kind"], "wrong-free", "{value}");
    assert_eq!(finding["free"]["with"], "hipFree", "{value}");
    assert_eq!(finding["free"]["allocation"]["kind"], "device", "{value}");
}

/// Sizes and lanes are those of the program's source.
#[test]
fn wrong_frees_in_kernels_are_findings() {
    for (mode, parts) in [
        (
            "twice",
            &[
                "error[freed-twice]: the kernel frees 24 bytes that a kernel has freed before",
                "twice(unsigned long, bool) for gfx90a",
                "<-- the free",
                "wave 0, lane 0",
            ][..],
        ),
        (
            "twice-large",
            &["error[freed-twice]: the kernel frees 100000 bytes"],
        ),
        (
            "later",
            &["error[freed-twice]", "drop(char**)", "wave 0, lane 1"],
        ),
        ("lanes", &["error[freed-twice]", "wave 0, lane 9"]),
        (
            "deleted",
            &["error[freed-twice]: the kernel frees 20 bytes"],
        ),
        (
            "inside",
            &[
                "error[wrong-free]: the kernel frees an address 16 bytes into an allocation of 48 bytes",
            ],
        ),
        (
            "foreign",
            &[
                "error[wrong-free]: the kernel frees an allocation of 1024 bytes, made with hipMalloc",
                "allocated with hipMalloc by main",
            ],
        ),
        (
            "local",
            &[
                "error[wrong-free]: the kernel frees an address that no `malloc` in a kernel has returned",
            ],
        ),
    ] {
        is_found("heap.hip", mode, parts);
    }
    passes("heap.hip", "nothing");
}

/// A code object that does not name its functions may have some that allocate, of which the checker does not hear.
#[test]
fn frees_are_not_judged_beside_an_object_without_names() {
    let offload = "--offload-arch=gfx90a";
    let discard = ["-Xoffload-linker", "--discard-all"];
    for discard in [&[][..], &discard] {
        let makes = [&["-c", "-DMAKES", "-O1", "-w", offload][..], discard].concat();
        let makes = compile("hipcc", "heap_of_two.hip", &makes);
        let linked = format!("-Wl,{}", makes.display());
        let flags = ["-O1", "-w", offload, &linked];
        let program = compile("hipcc", "heap_of_two.hip", &flags);
        let mut command = luthier(&["check", "--memory", "--error-exitcode", "9"]);
        let command = command.args(["--device", "gfx90a", "--"]).arg(&program);
        let output = command.output().unwrap();
        assert_eq!(output.stdout, b"done\n", "{discard:?}: {output:?}");
        assert!(output.status.success(), "{discard:?}: {output:?}");
    }
}

/// Sizes are those of the program's source. The state of HIP 5's heap lies behind the variables of the module.
#[test]
fn memory_that_kernels_allocate_has_bounds() {
    for (mode, parts) in [
        (
            "end",
            &[
                "error[out-of-bounds]",
                "writes right behind an allocation of 19 bytes",
                "allocated with malloc in a kernel",
                "wave 0, lane 3",
            ][..],
        ),
        (
            "freed",
            &[
                "error[after-free]",
                "writes at an address 8 bytes into 24 bytes that a kernel has freed",
            ],
        ),
        ("made", &["writes right behind an allocation of 20 bytes"]),
        (
            "large",
            &[
                "error[after-free]",
                "writes at an address 8 bytes into 100000 bytes that a kernel has freed",
            ],
        ),
        ("far", &["error[out-of-bounds]"]),
    ] {
        is_found("heap.hip", mode, parts);
    }
    passes("heap.hip", "legal");
}

/// HIP keeps the memory of a texture for as long as the texture lives, but the program has given it up.
#[test]
fn memory_that_hip_keeps_for_a_texture_is_freed() {
    let program = compile(
        "hipcc",
        "kept.hip",
        &["-O1", "-w", "--offload-arch=gfx1030"],
    );
    let run = |mode: &str| {
        let mut command = luthier(&["check", "--memory", "--error-exitcode", "9"]);
        let command = command.args(["--device", "gfx1030", "--"]);
        let output = command.arg(&program).arg(mode).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), said)
    };
    for mode in ["memory", "array"] {
        let (status, said) = run(mode);
        assert_ne!(status, Some(0), "{mode}: {said}");
        assert!(said.contains("error[after-free]"), "{mode}: {said}");
        assert!(said.contains("freed by main"), "{mode}: {said}");
        let (status, said) = run(&format!("{mode}-ok"));
        assert_eq!(status, Some(0), "{mode}: {said}");
        assert!(said.contains("certain: 0 findings"), "{mode}: {said}");
    }
}

/// HIP 5.2 and older have no nodes that allocate, so that only the end of what a recorded stream allocates is looked at there. The right twin
/// runs its graph twice: the second launch gets the memory again.
#[test]
fn memory_of_a_graph_has_bounds_and_an_end() {
    for (mode, parts) in [
        (
            "end",
            &[
                "error[out-of-bounds]",
                "writes right behind an allocation of 1000 bytes",
                "allocated with hipGraphAddMemAllocNode by added",
            ][..],
        ),
        (
            "freed",
            &[
                "error[after-free]",
                "writes at an address 8 bytes into 1000 bytes that its graph has freed, or has not allocated yet",
            ],
        ),
        (
            "recorded-end",
            &[
                "error[out-of-bounds]",
                "writes right behind an allocation of 1000 bytes",
                "allocated with hipMallocAsync by recorded",
            ],
        ),
    ] {
        let (passed, out, said) = run_mode("graph_memory.hip", mode);
        if out == "no such nodes\n" {
            continue;
        }
        assert!(!passed, "{mode}: {said}");
        for part in parts {
            assert!(said.contains(part), "{mode}: no {part:?} in {said}");
        }
        passes("graph_memory.hip", &format!("{mode}-ok"));
    }
}

/// AMD's manuals: an image instruction whose coordinates are beyond the image reads zero and writes nothing, and a sampler that clamps
/// takes the texel at the edge.
#[test]
fn coordinates_beyond_an_image_are_no_wrong_accesses() {
    for target in ["gfx90a", "gfx1030"] {
        let offload = format!("--offload-arch={target}");
        let program = compile("hipcc", "texels.hip", &["-O1", "-w", &offload]);
        let run = |mode: &str| {
            let mut command = luthier(&["check", "--memory", "--error-exitcode", "9"]);
            let command = command.args(["--device", target, "--"]);
            let output = command.arg(&program).arg(mode).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            (output.status.code(), output.stdout, said)
        };
        let (status, out, said) = run("outside");
        assert_eq!((status, &*out), (Some(0), &b"done\n"[..]), "{said}");
        assert!(said.contains("certain: 0 findings"), "{said}");
        // No image at all: the device says so, and stops the kernel.
        let (status, _, said) = run("damaged");
        assert_ne!(status, Some(0), "{said}");
        for part in [
            "a descriptor that is none of an image",
            "image_load",
            "certain: 0 findings",
        ] {
            assert!(said.contains(part), "{target}: no {part:?} in {said}");
        }
    }
}
