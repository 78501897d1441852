//! Findings as SARIF 2.1.0, for code hosts and editors: a run for each check.

use check::{Checker, Finding, Grade, Kind, Place};
use serde::Serialize;

use super::report::{Found, Report};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

#[derive(Serialize)]
pub struct Sarif<'f> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: Vec<Run<'f>>,
}

#[derive(Serialize)]
struct Run<'f> {
    tool: Tool,
    invocations: [Invocation; 1],
    results: Vec<Outcome<'f>>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: String,
    version: &'static str,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: &'static str,
    short_description: Text,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_execution_notifications: Vec<Notification>,
}

/// A file that could not be read.
#[derive(Serialize)]
struct Notification {
    level: &'static str,
    message: Text,
}

#[derive(Serialize)]
struct Text {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome<'f> {
    rule_id: &'static str,
    level: &'static str,
    message: Text,
    locations: [Location<'f>; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location<'f>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    code_flows: Vec<CodeFlow<'f>>,
    partial_fingerprints: Fingerprints<'f>,
    occurrence_count: u64,
}

#[derive(Serialize)]
struct Fingerprints<'f> {
    #[serde(rename = "luthier/v1")]
    own: &'f str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CodeFlow<'f> {
    thread_flows: [ThreadFlow<'f>; 1],
}

#[derive(Serialize)]
struct ThreadFlow<'f> {
    locations: Vec<FlowLocation<'f>>,
}

#[derive(Serialize)]
struct FlowLocation<'f> {
    location: Location<'f>,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct Location<'f> {
    physical_location: PhysicalLocation,
    logical_locations: [LogicalLocation<'f>; 1],
    message: Said,
}

#[derive(Clone, Serialize)]
struct Said {
    text: String,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: Artifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<Address>,
}

#[derive(Clone, Serialize)]
struct Artifact {
    uri: String,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u64,
}

/// A place without a source line.
#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct Address {
    absolute_address: u64,
    offset_from_parent: u64,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation<'f> {
    name: &'f str,
    fully_qualified_name: &'f str,
    kind: &'static str,
}

/// All findings of the checks that the user chose.
pub fn sarif<'f>(checkers: &[Checker], found: &'f [Found], report: &Report) -> Sarif<'f> {
    let runs = checkers.iter().map(|checker| {
        let kinds = Kind::ALL.into_iter();
        let rules = kinds.filter(|kind| kind.checker() == *checker);
        let own = found
            .iter()
            .filter(|one| one.finding.kind.checker() == *checker);
        let problems = report.problems.iter().map(|problem| Notification {
            level: "error",
            message: Text {
                text: problem.to_string(),
            },
        });
        Run {
            tool: Tool {
                driver: Driver {
                    name: format!("luthier check --{}", checker.name()),
                    version: env!("CARGO_PKG_VERSION"),
                    rules: rules
                        .map(|kind| Rule {
                            id: kind.name(),
                            short_description: Text {
                                text: kind.about().to_owned(),
                            },
                        })
                        .collect(),
                },
            },
            invocations: [Invocation {
                execution_successful: report.problems.is_empty(),
                tool_execution_notifications: problems.collect(),
            }],
            results: own.map(outcome).collect(),
        }
    });
    Sarif {
        schema: SCHEMA,
        version: "2.1.0",
        runs: runs.collect(),
    }
}

fn outcome(found: &Found) -> Outcome<'_> {
    let Found {
        file,
        times,
        finding,
        ..
    } = found;
    let early = location(file, finding, &finding.consumer);
    let issued = finding.producer.as_ref();
    let issued = issued.map(|producer| location(file, finding, producer));
    let flow = issued.iter().chain([&early]).cloned();
    let flow = ThreadFlow {
        locations: flow.map(|location| FlowLocation { location }).collect(),
    };
    Outcome {
        rule_id: finding.kind.name(),
        level: match finding.grade {
            Grade::Certain => "error",
            Grade::Possible => "note",
        },
        message: Text {
            text: format!("{}: {}", finding.function, finding.message),
        },
        code_flows: match issued {
            Some(_) => vec![CodeFlow {
                thread_flows: [flow],
            }],
            None => Vec::new(),
        },
        related_locations: issued.into_iter().collect(),
        locations: [early],
        partial_fingerprints: Fingerprints {
            own: &finding.fingerprint,
        },
        occurrence_count: *times,
    }
}

/// The source line of a place, or else its address in the file of the code.
fn location<'f>(file: &str, finding: &'f Finding, place: &Place) -> Location<'f> {
    let line = place.source.first().and_then(|source| {
        let (file, line) = source.rsplit_once(':')?;
        Some((file, line.parse().ok().filter(|line| *line > 0)?))
    });
    let physical_location = match line {
        Some((source, start_line)) => PhysicalLocation {
            artifact_location: Artifact { uri: uri(source) },
            region: Some(Region { start_line }),
            address: None,
        },
        None => PhysicalLocation {
            artifact_location: Artifact { uri: uri(file) },
            region: None,
            address: Some(Address {
                absolute_address: place.address,
                offset_from_parent: place.offset,
            }),
        },
    };
    Location {
        physical_location,
        logical_locations: [LogicalLocation {
            name: &finding.function,
            fully_qualified_name: &finding.symbol,
            kind: "function",
        }],
        message: Said {
            text: format!("{} for {}", place.text, finding.target),
        },
    }
}

/// A path as a URI.
fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let bytes = path.bytes().map(|byte| match plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    let path: String = bytes.collect();
    match path.starts_with('/') {
        true => format!("file://{path}"),
        false => path,
    }
}
