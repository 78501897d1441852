//! The schemas of docs/schemas and that of SARIF, by the validator in the folder `schemas`, which is a crate of others.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::OnceLock,
};

use serde_json::Value;

/// A schema that [`check`] compares values with.
pub struct Schema(PathBuf);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// The schema `docs/schemas/NAME.json`.
pub fn schema(name: &str) -> Schema {
    Schema(
        root()
            .join("docs/schemas")
            .join(name)
            .with_extension("json"),
    )
}

/// OASIS's schema of SARIF 2.1.0, which the crate `serde-sarif` has in its sources.
pub fn sarif() -> Schema {
    let described = cargo(&["metadata", "--format-version", "1", "--locked"]);
    let described: Value = serde_json::from_slice(&described.stdout).unwrap();
    let packages = described["packages"].as_array().unwrap();
    let found = packages
        .iter()
        .find(|package| package["name"] == "serde-sarif")
        .unwrap();
    let manifest = Path::new(found["manifest_path"].as_str().unwrap());
    Schema(manifest.with_file_name("src").join("schema.json"))
}

/// Runs cargo in the folder `schemas`.
fn cargo(words: &[&str]) -> Output {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(words).current_dir(root().join("schemas"));
    let output = cargo.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    output
}

impl Schema {
    pub fn read(&self) -> Value {
        let name = self.0.display();
        let text =
            std::fs::read_to_string(&self.0).unwrap_or_else(|error| panic!("{name}: {error}"));
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
    }
}

/// Returns every place where `value` is not as the schema says as an error.
pub fn check(schema: &Schema, value: &Value) -> Result<(), Vec<String>> {
    let mut child = Command::new(validator())
        .arg(&schema.0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    // It reads all, or says why it did not.
    let _ = input.write_all(value.to_string().as_bytes());
    drop(input);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    match output.status.code() {
        Some(0) => Ok(()),
        Some(1) => Err(said.lines().map(str::to_owned).collect()),
        _ => panic!("{}", String::from_utf8_lossy(&output.stderr)),
    }
}

/// The validator, which cargo builds once.
fn validator() -> &'static Path {
    static VALIDATOR: OnceLock<PathBuf> = OnceLock::new();
    VALIDATOR.get_or_init(|| {
        let folder = root().join("target/schemas");
        let validator = folder.join("release/luthier-schemas");
        if std::env::var_os("LUTHIER_TEST_BUILT").is_some() && validator.exists() {
            return validator;
        }
        let folder = folder.to_str().unwrap();
        cargo(&["build", "--release", "--locked", "--target-dir", folder]);
        validator
    })
}
