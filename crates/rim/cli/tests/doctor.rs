//! `luthier doctor` names each part of an installation that is missing, and what brings it back.

use std::{collections::BTreeMap, fs, os::unix::fs::symlink, path::Path, process::Command};

use crate::common::luthier;
use serde_json::Value;

/// The output of `doctor` about an installation: the things that it found, by name, and the commands that would install what is missing.
fn said(program: &Path) -> (Option<i32>, BTreeMap<String, (Value, String)>) {
    let output = Command::new(program)
        .args(["doctor", "--format", "json"])
        .output()
        .unwrap();
    let findings: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let named = findings.into_iter().map(|finding| {
        let text = |name: &str| finding[name].as_str().unwrap().to_owned();
        (text("what"), (finding["found"].clone(), text("mend")))
    });
    (output.status.code(), named.collect())
}

#[test]
fn a_part_that_is_missing_is_named_and_comes_with_the_package() {
    let built = Path::new(luthier(&[]).get_program()).to_owned();
    let built = built.parent().unwrap();
    let root = tempfile::tempdir_in(built).unwrap();
    let at = |name: &str| root.path().join(name);
    for folder in ["bin", "lib/luthier/luthier-emulator", "include/luthier"] {
        fs::create_dir_all(at(folder)).unwrap();
    }
    let program = at("bin/luthier");
    fs::hard_link(built.join("luthier"), &program).unwrap();
    let parts = [
        (
            "emulated GPU",
            "lib/luthier/luthier-emulator/libhsakmt.so.1",
        ),
        ("emulated GPU", "lib/luthier/libluthier_kfd.so"),
        ("tools", "lib/luthier/libluthier_intercept.so"),
        ("tools", "lib/luthier/luthier-tools"),
        ("coverage", "lib/luthier/libluthier_drain.so"),
        ("coverage", "lib/luthier/libluthier_coverage_pass.so"),
        ("counting", "lib/luthier/libluthier_count.so"),
        ("counting", "lib/luthier/luthier-count-rewrite"),
        ("counting", "bin/luthier-cc"),
        ("headers of tools", "include/luthier/luthier.h"),
    ];
    for (_, part) in parts {
        fs::write(at(part), "").unwrap();
    }
    let (status, whole) = said(&program);
    for (what, _) in parts {
        assert!(whole[what].0.is_string(), "{what}: {whole:?}");
    }
    for (what, part) in parts {
        fs::remove_file(at(part)).unwrap();
        let (status, found) = said(&program);
        assert_eq!(status, Some(1), "{part}");
        assert!(found[what].0.is_null(), "{part}: {found:?}");
        assert!(found[what].1.contains("package"), "{part}: {found:?}");
        let others = found.iter().filter(|(name, _)| *name != what);
        for (name, finding) in others {
            assert_eq!(finding, &whole[name], "{part}");
        }
        symlink("/dev/null", at(part)).unwrap();
    }
    assert_eq!(said(&program), (status, whole));
}
