//! Wrong frees, with `run --strict` and with `check --memory`. HIP's documentation says which call frees which memory.

use crate::common::{hip, luthier};

struct Wrong {
    mode: &'static str,
    /// The function that is called once too often, or for what it does not free; and the one that allocated.
    calls: (&'static str, &'static str),
    /// The function that has freed before: then the free is one of freed memory.
    twice: bool,
}

const fn twice(mode: &'static str, by: &'static str, with: &'static str) -> Wrong {
    let calls = (by, with);
    Wrong {
        mode,
        calls,
        twice: true,
    }
}

const fn wrong(mode: &'static str, by: &'static str, with: &'static str) -> Wrong {
    let calls = (by, with);
    Wrong {
        mode,
        calls,
        twice: false,
    }
}

const WRONG: &[Wrong] = &[
    twice("twice", "hipFree", "hipMalloc"),
    twice("async-twice", "hipFreeAsync", "hipMallocAsync"),
    twice("async-then-free", "hipFree", "hipMallocAsync"),
    twice("free-then-async", "hipFreeAsync", "hipMallocAsync"),
    twice("array-twice", "hipFreeArray", "hipMallocArray"),
    twice("array-3d-twice", "hipFreeArray", "hipMalloc3DArray"),
    twice("array-destroyed-twice", "hipArrayDestroy", "hipArrayCreate"),
    twice(
        "levels-twice",
        "hipFreeMipmappedArray",
        "hipMallocMipmappedArray",
    ),
    twice("pinned-twice", "hipHostFree", "hipHostMalloc"),
    twice("managed-twice", "hipFree", "hipMallocManaged"),
    twice("pitched-twice", "hipFree", "hipMallocPitch"),
    twice("unregistered-twice", "hipHostUnregister", "hipHostRegister"),
    wrong("inside", "hipFree", "hipMalloc"),
    wrong("async-inside", "hipFreeAsync", "hipMallocAsync"),
    wrong("host-free-of-device", "hipHostFree", "hipMalloc"),
    wrong("free-of-pinned", "hipFree", "hipHostMalloc"),
    wrong("free-of-registered", "hipFree", "hipHostRegister"),
];

/// Status, what was printed, and what was said.
fn run(before: &[&str], mode: &str) -> (Option<i32>, String, String) {
    let output = luthier(before)
        .args(["--device", "gfx1030", "--"])
        .arg(hip("frees.hip"))
        .arg(mode)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn a_strict_device_refuses_wrong_frees_and_says_so_once() {
    for Wrong { mode, calls, twice } in WRONG {
        let (status, printed, said) = run(&["run", "--strict"], mode);
        if printed == "not supported\n" {
            continue;
        }
        assert_eq!(status, Some(0), "{mode}: {printed} {said}");
        assert_eq!(printed, "refused 1, last error 1\ndone\n", "{mode}: {said}");
        let (by, with) = calls;
        let parts = [
            format!("--strict: the program calls {by} at frees-hip+0x"),
            format!("allocated them with {with} at frees-hip+0x"),
        ];
        let words = "that it has freed before at frees-hip+0x";
        for part in &parts {
            assert!(said.contains(part), "{mode}: no {part:?} in {said}");
        }
        assert_eq!(said.contains(words), *twice, "{mode}: {said}");
        assert_eq!(said.matches("--strict").count(), 1, "{mode}: {said}");
    }
}

#[test]
fn wrong_frees_are_findings() {
    for Wrong { mode, calls, twice } in WRONG {
        let check = ["check", "--memory", "--error-exitcode", "9"];
        let (status, printed, said) = run(&check, mode);
        if printed == "not supported\n" {
            continue;
        }
        assert_eq!(status, Some(9), "{mode}: {printed} {said}");
        assert_eq!(printed, "refused 1, last error 1\ndone\n", "{mode}: {said}");
        let (by, with) = calls;
        let kind = match twice {
            true => "error[freed-twice]",
            false => "error[wrong-free]",
        };
        let (with, one) = (
            format!("allocated with {with} by "),
            "certain: 1 finding: 1 ",
        );
        for part in [kind, by, &with, one] {
            assert!(said.contains(part), "{mode}: no {part:?} in {said}");
        }
        assert!(!said.contains("--strict"), "{mode}: {said}");
    }
}

#[test]
fn what_a_program_may_free_is_freed() {
    let modes = WRONG.iter().map(|wrong| format!("{}-ok", wrong.mode));
    for mode in modes.chain(["legal".to_owned()]) {
        let (status, printed, said) = run(&["run", "--strict"], &mode);
        assert_eq!(status, Some(0), "{mode}: {printed} {said}");
        assert!(!said.contains("--strict"), "{mode}: {said}");
    }
    let check = ["check", "--memory", "--error-exitcode", "9"];
    let (status, printed, said) = run(&check, "legal");
    assert_eq!(status, Some(0), "{printed} {said}");
    assert!(said.contains("certain: 0 findings"), "{said}");
}
