//! Tests that failed are run once more, each alone. A test that passes then depends on chance or on load. It fails the gate too, unless
//! `.ci/flaky.toml` lists the test with an issue and a date.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context, Result, ensure};

use super::programs::Program;

/// With more failures than this the change is wrong, and repeating its tests tells nothing.
const MOST: usize = 10;

/// One test that failed, and what came of it alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// `wave --test wave atomics::adds`
    pub name: String,
    pub passed: bool,
    /// Its entry in `.ci/flaky.toml`.
    pub known: Option<String>,
}

impl Repeated {
    /// Returns `true` if the gate fails because of it.
    pub fn fails(&self) -> bool {
        !self.passed || self.known.is_none()
    }

    pub fn line(&self) -> String {
        let Repeated {
            name,
            passed,
            known,
        } = self;
        match (passed, known) {
            (false, _) => format!("{name}: failed, and again alone"),
            (true, Some(known)) => format!("{name}: failed, and passed alone; known: {known}"),
            (true, None) => format!(
                "{name}: failed, and passed alone: find out why (or list it in .ci/flaky.toml with an issue)"
            ),
        }
    }
}

/// Runs each of the tests alone.
pub fn all(
    failed: &[(Program, String)],
    known: &BTreeMap<String, String>,
) -> Result<Vec<Repeated>> {
    let mut repeated = Vec::new();
    for (program, test) in failed {
        let name = format!("{} {test}", program.name());
        let passed = failed.len() <= MOST && {
            println!("\nOnce more, alone: {name}");
            // (The gate may have been asked for tests that are usually left out.)
            let arguments = [test.as_str(), "--exact", "--include-ignored"].map(str::to_owned);
            let outcome = program.run(&arguments, |line| {
                print!("{}", String::from_utf8_lossy(line))
            })?;
            outcome.said.as_ref().is_some_and(|said| said.passed == 1) && !outcome.crashed()
        };
        let known = known.get(&name).cloned();
        repeated.push(Repeated {
            name,
            passed,
            known,
        });
    }
    Ok(repeated)
}

/// Test by name, and what is known of it: the issue and since when it is listed.
pub fn known(root: &Path) -> Result<BTreeMap<String, String>> {
    let path = root.join(".ci/flaky.toml");
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    read(&text).context(".ci/flaky.toml")
}

fn read(text: &str) -> Result<BTreeMap<String, String>> {
    let table: toml::Table = text.parse()?;
    let mut known = BTreeMap::new();
    for (key, list) in &table {
        ensure!(key == "test", "{key}: a [[test]] was expected");
        for entry in list.as_array().context("a [[test]] was expected")? {
            let name = entry.get("name").and_then(toml::Value::as_str);
            let name = name.context("a test has a name: `CRATE --test TARGET FILE::NAME`")?;
            let issue = entry.get("issue").and_then(toml::Value::as_integer);
            let issue = issue.with_context(|| format!("{name}: which issue?"))?;
            let since = entry.get("since").and_then(toml::Value::as_datetime);
            let since = since.with_context(|| format!("{name}: since = YYYY-MM-DD is missing"))?;
            known.insert(name.to_owned(), format!("issue {issue}, since {since}"));
        }
    }
    Ok(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_passes_alone_fails_the_gate_unless_it_is_listed() {
        let repeated = |passed, known: Option<&str>| Repeated {
            name: "wave --test wave levels::child".to_owned(),
            passed,
            known: known.map(str::to_owned),
        };
        assert!(repeated(true, None).fails());
        assert!(!repeated(true, Some("issue 33, since 2026-11-26")).fails());
        assert!(repeated(false, None).fails());
        assert!(repeated(false, Some("issue 33, since 2026-11-26")).fails());
        assert!(repeated(true, None).line().contains("find out why"));
    }

    #[test]
    fn a_listed_test_has_an_issue_and_a_date() {
        let listed = "[[test]]\nname = \"wave --lib a::b\"\nissue = 33\nsince = 2026-11-26\n";
        let known = read(listed).unwrap();
        assert_eq!(known["wave --lib a::b"], "issue 33, since 2026-11-26");
        for without in ["name", "issue", "since"] {
            let lines = listed.lines().filter(|line| !line.starts_with(without));
            let text = lines.collect::<Vec<_>>().join("\n");
            assert!(read(&text).is_err(), "{text}");
        }
        assert!(read("").unwrap().is_empty());
        assert!(read("[[tests]]\nname = \"a\"\n").is_err());
    }

    #[test]
    fn the_list_can_be_read() {
        known(&crate::root()).unwrap();
    }
}
