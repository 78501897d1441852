//! The schemas of docs/schemas and that of SARIF, by the validator in the folder `schemas`, which is a crate of others.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Output, Stdio},
    sync::{Mutex, OnceLock, PoisonError},
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

/// A validator that was started for a schema. It reads the schema once, which takes longer than a value.
struct Validator {
    child: Child,
    answers: BufReader<ChildStdout>,
}

impl Validator {
    fn start(schema: &Path) -> Validator {
        let mut child = Command::new(validator())
            .arg(schema)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        Validator { child, answers }
    }

    /// The places of the answer. An error is what a validator said that has ended.
    fn places(&mut self, value: &Value) -> Result<Vec<String>, String> {
        let input = self.child.stdin.as_mut().unwrap();
        let _ = input.write_all(format!("{value}\n").as_bytes());
        let mut places = Vec::new();
        for line in self.answers.by_ref().lines() {
            match line.unwrap() {
                end if end.is_empty() => return Ok(places),
                place => places.push(place),
            }
        }
        let mut said = String::new();
        let stderr = self.child.stderr.as_mut().unwrap();
        stderr.read_to_string(&mut said).unwrap();
        Err(said)
    }
}

/// Returns every place where `value` is not as the schema says as an error.
pub fn check(schema: &Schema, value: &Value) -> Result<(), Vec<String>> {
    static STARTED: Mutex<BTreeMap<PathBuf, Validator>> = Mutex::new(BTreeMap::new());
    let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    let entry = started.entry(schema.0.clone());
    let validator = entry.or_insert_with(|| Validator::start(&schema.0));
    match validator.places(value) {
        Ok(places) if places.is_empty() => Ok(()),
        Ok(places) => Err(places),
        Err(said) => {
            started.remove(&schema.0);
            panic!("{said}");
        }
    }
}

/// The validator, which cargo builds once.
fn validator() -> &'static Path {
    static VALIDATOR: OnceLock<PathBuf> = OnceLock::new();
    VALIDATOR.get_or_init(|| {
        let folder = root().join("target/schemas");
        let validator = folder.join("release/luthier-schemas");
        let made = |path: &Path| {
            std::fs::metadata(path)
                .and_then(|file| file.modified())
                .ok()
        };
        let sources = ["src/main.rs", "Cargo.toml", "Cargo.lock"];
        let sources = sources.map(|name| made(&root().join("schemas").join(name)));
        let is_current = sources.iter().all(|source| made(&validator) > *source);
        // Under another ROCm there is no cargo: `xtask rocm` has built it.
        if std::env::var_os("LUTHIER_TEST_BUILT").is_some() && is_current {
            return validator;
        }
        let folder = folder.to_str().unwrap();
        cargo(&["build", "--release", "--locked", "--target-dir", folder]);
        validator
    })
}
