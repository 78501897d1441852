//! Findings as JUnit's XML, for servers of continuous integration: a suite for each check, a test case for each kernel that
//! has a finding, and one for all others.

use std::collections::BTreeMap;

use check::{Checker, Grade};

use super::report::{Found, Report};

/// Certain findings are failures; files that could not be read are errors.
pub fn junit(
    checkers: &[Checker],
    found: &[Found],
    report: &Report,
) -> Result<String, std::fmt::Error> {
    let mut suites = String::new();
    for checker in checkers {
        suites += &suite(*checker, found, report)?;
    }
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";
    Ok(format!(
        "{head}\n<testsuites name=\"luthier check\">\n{suites}</testsuites>\n"
    ))
}

fn suite(checker: Checker, found: &[Found], report: &Report) -> Result<String, std::fmt::Error> {
    let mut kernels: BTreeMap<(&str, String), Vec<&Found>> = BTreeMap::new();
    for one in found {
        let of_checker = one.finding.kind.checker() == checker;
        if of_checker && one.finding.grade == Grade::Certain {
            let name = format!("{} for {}", one.finding.function, one.finding.target);
            kernels.entry((&one.file, name)).or_default().push(one);
        }
    }
    let mut cases = String::new();
    for ((file, name), findings) in &kernels {
        let (file, name) = (escaped(file), escaped(name));
        cases += &format!("    <testcase classname=\"{file}\" name=\"{name}\">\n");
        for one in findings {
            let mut text = String::new();
            check::write_finding(&mut text, &one.file, &one.finding)?;
            cases += &format!(
                "      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                one.finding.kind.name(),
                escaped(&one.finding.message),
                escaped(&text)
            );
        }
        cases += "    </testcase>\n";
    }
    for problem in &report.problems {
        let text = escaped(&problem.to_string());
        cases += &format!(
            "    <testcase classname=\"luthier check\" name=\"{text}\">\n      <error type=\"unreadable\" message=\"{text}\"/>\n    </testcase>\n"
        );
    }
    cases += "    <testcase classname=\"luthier check\" name=\"all other kernels\"/>\n";
    Ok(format!(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n{cases}  </testsuite>\n",
        checker.name(),
        kernels.len() + report.problems.len() + 1,
        kernels.len(),
        report.problems.len(),
    ))
}

/// Without what ends a text or an attribute, and without characters that XML does not have.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\n' => escaped += "&#10;",
            other if other.is_control() || matches!(other, '\u{fffe}' | '\u{ffff}') => {
                escaped += "?"
            }
            other => escaped.push(other),
        }
    }
    escaped
}
