//! ONNX's models by ONNX Runtime. Its ROCm provider comes as a wheel for one version of Python; MIOpen is in no release but unstable.

use std::{fs, os::unix::fs::symlink};

use anyhow::{Context, Result, ensure};

use super::{
    google_test::{self, Shard},
    limited::Setting,
    python,
    tally::Tally,
};

/// Debian packages.
pub const PACKAGES: &str = "python3.13 gcc libc6-dev clang-21 libonnx-testdata libhipblas2 \
                            libmiopen1/unstable libhipfft0/unstable";

/// The version of Python that the wheel is for.
const VERSION: &str = "3.13";
const WHEELS: &[&str] = &[
    "onnxruntime-rocm==1.22.2.post1",
    "onnx==1.23.2",
    "numpy==2.4.6",
    "protobuf==7.36.2",
    "flatbuffers==25.12.19",
    "packaging==26.3",
    "coloredlogs==15.0.1",
    "humanfriendly==10.0",
    "ml_dtypes==0.6.0",
    "typing_extensions==4.16.0",
];

/// The script, which speaks as programs of GoogleTest do.
const SCRIPT: &str = include_str!("onnx.py");

/// Libraries that the provider is linked with and that Debian has under other names or not at all, and what it calls in them: how much memory
/// there is.
const STUBS: &[(&str, &str)] = &[
    ("libroctracer64.so.4", ""),
    (
        "librocm_smi64.so.7",
        "int rsmi_init(unsigned long flags) { return 0; }\n\
         int rsmi_shut_down(void) { return 0; }\n\
         int rsmi_dev_memory_total_get(unsigned device, int type, unsigned long *bytes) { *bytes = 16ul << 30; return 0; }\n\
         int rsmi_dev_memory_usage_get(unsigned device, int type, unsigned long *bytes) { *bytes = 0; return 0; }\n",
    ),
];

/// The path at which Debian's MIOpen expects clang: in the folder that it was built in.
const CLANG: &str = "build/reproducible-path/miopen-6.4.3+dfsg/build/clang-21";

/// Runs a shard of the models.
pub fn run(setting: &Setting<'_>, filter: &str, shard: Shard, seconds: u64) -> Result<Tally> {
    prepare(setting)?;
    let script = crate::root().join("target/rocm-onnx.py");
    fs::write(&script, SCRIPT)?;
    let script = script
        .to_str()
        .context("the repository's path is no text")?;
    let python = format!("/usr/bin/python{VERSION}");
    let program = google_test::Program {
        file: &python,
        arguments: &[script],
        ..google_test::Program::default()
    };
    google_test::run(setting, &program, filter, shard, seconds)
}

fn prepare(setting: &Setting<'_>) -> Result<()> {
    let root = setting.environment.root();
    let folder = python::pip(setting.environment, "onnxruntime", VERSION, WHEELS)?;
    let stubs = root.join(&folder).join("stubs");
    fs::create_dir_all(&stubs)?;
    for (name, source) in STUBS {
        if stubs.join(name).exists() {
            continue;
        }
        fs::write(stubs.join("stub.c"), source)?;
        let status = setting
            .environment
            .command("gcc")
            .args(["-shared", "-fPIC", "-o"])
            .arg(format!("/{folder}/stubs/{name}"))
            .arg(format!("-Wl,-soname,{name}"))
            .arg(format!("/{folder}/stubs/stub.c"))
            .status()?;
        ensure!(status.success(), "gcc makes no {name}: {status}");
    }
    let clang = root.join(CLANG);
    if fs::symlink_metadata(&clang).is_err() {
        fs::create_dir_all(clang.parent().context("a file has a folder")?)?;
        symlink("/usr/bin/clang-21", &clang)?;
    }
    Ok(())
}
