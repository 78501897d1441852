//! Findings as JUnit's XML, for servers of continuous integration: a suite for each check, a test case for each kernel that
//! has a finding, and one for all others.

use std::collections::BTreeMap;

use anyhow::Result;
use check::{Checker, Grade};
use quick_junit::{NonSuccessKind, Report as Whole, TestCase, TestCaseStatus, TestSuite};

use super::report::{Found, Report};

/// The class of test cases that stand for no kernel.
const CLASS: &str = "luthier check";

/// Certain findings are failures; files that could not be read are errors.
pub fn junit(checkers: &[Checker], found: &[Found], report: &Report) -> Result<String> {
    let mut whole = Whole::new(CLASS);
    for checker in checkers {
        whole.add_test_suite(suite(*checker, found, report)?);
    }
    Ok(whole.to_string()?)
}

fn suite(checker: Checker, found: &[Found], report: &Report) -> Result<TestSuite> {
    let mut kernels: BTreeMap<(&str, String), Vec<&Found>> = BTreeMap::new();
    for one in found {
        let of_checker = one.finding.kind.checker() == checker;
        if of_checker && one.finding.grade == Grade::Certain {
            let name = format!("{} for {}", one.finding.function, one.finding.target);
            kernels.entry((&one.file, name)).or_default().push(one);
        }
    }
    let mut suite = TestSuite::new(checker.name());
    for ((file, name), findings) in kernels {
        suite.add_test_case(case(file, name, failure(&findings)?));
    }
    for problem in &report.problems {
        let text = problem.to_string();
        let mut error = TestCaseStatus::non_success(NonSuccessKind::Error);
        error.set_type("unreadable").set_message(&*text);
        suite.add_test_case(case(CLASS, text, error));
    }
    let others = case(CLASS, "all other kernels".into(), TestCaseStatus::success());
    suite.add_test_case(others);
    Ok(suite)
}

fn case(class: &str, name: String, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(name, status);
    case.set_classname(class);
    case
}

/// A test case has one failure at most: its type and message are those of the kernel's first finding, its text has all.
fn failure(findings: &[&Found]) -> Result<TestCaseStatus> {
    let mut text = String::new();
    for one in findings {
        check::write_finding(&mut text, &one.file, &one.finding)?;
    }
    let first = &findings[0].finding;
    let message = match findings.len() {
        1 => first.message.clone(),
        count => format!("{}, and {} more", first.message, count - 1),
    };
    let mut failure = TestCaseStatus::non_success(NonSuccessKind::Failure);
    (failure.set_type(first.kind.name()).set_message(message)).set_description(text);
    Ok(failure)
}
