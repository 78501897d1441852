//! `explain`: what every block costs, beside its source.

use crate::driver::{compiler_arguments, for_host};
use crate::error::{Error, at};
use crate::report::demangle;
use crate::response;
use crate::toolchain::{self, Language};
use crate::{ExplainArguments, Format};
use serde::Serialize;
use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, ExitCode};

/// A function as the plugin describes it.
#[derive(Debug, Default, Serialize)]
struct Function {
    name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    note: String,
    blocks: Vec<Block>,
}

#[derive(Debug, Default, Serialize)]
struct Block {
    cost: u64,
    calls: Vec<String>,
    lines: Vec<LineCost>,
}

#[derive(Debug, Serialize)]
struct LineCost {
    file: String,
    line: u32,
    cost: u64,
}

/// Something the plugin saw that can make a count differ from run to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// `call` or the name of a pattern.
    pub kind: String,
    /// The function that contains it.
    pub function: String,
    /// The function that is called.
    pub what: String,
    pub file: String,
    pub line: u32,
}

/// Prints the blocks of a source file.
pub fn explain(arguments: &ExplainArguments) -> Result<ExitCode, Error> {
    let description = describe(arguments, &[])?;
    let functions = functions(&description.text);
    match arguments.format {
        Format::Json => command::out!(
            "{}",
            serde_json::to_string_pretty(&functions).expect("plain data")
        ),
        Format::Text => command::print_output(format_args!("{}", text(&functions))),
    }
    Ok(ExitCode::SUCCESS)
}

/// The plugin's description, and clang's warnings.
pub struct Description {
    pub text: String,
    pub warnings: String,
}

/// Compiles a file for nothing but the plugin's description of it.
pub fn describe(arguments: &ExplainArguments, more: &[&str]) -> Result<Description, Error> {
    let line = arguments.count.option_line()?;
    let options = host_count::Options::parse(&line)?;
    let directory = tempfile::tempdir().map_err(at(std::env::temp_dir()))?;
    let path = directory.path().join("blocks");
    let mut command = Command::new(Language::from_path(&arguments.file).driver());
    command.env("LUTHIER_COUNT_EXPLAIN", &path);
    // As `cc` would compile it, so that what is explained is what is counted.
    let given = response::expanded(&arguments.arguments);
    let after = compiler_arguments(&mut command, &line, &options, &given)?;
    command.args(["-gline-tables-only"]).args(more);
    command
        .args(&arguments.arguments)
        .args(for_host(after))
        .args(["-c", "-o", "/dev/null"])
        .arg(&arguments.file);
    let output = toolchain::output(&mut command)?;
    let bytes = match std::fs::read(&path) {
        // Clang takes what it does not know for something to link, and does nothing with it.
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let path = arguments.file.clone();
            return Err(Error::NoSource { path });
        }
        read => read.map_err(at(&path))?,
    };
    Ok(Description {
        text: String::from_utf8_lossy(&bytes).into_owned(),
        warnings: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

fn functions(text: &str) -> Vec<Function> {
    let mut functions: Vec<Function> = Vec::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let last = functions.last_mut();
        match (fields.as_slice(), last) {
            (["function", name, note], _) => {
                functions.push(Function {
                    name: demangle(name),
                    note: (*note).to_owned(),
                    blocks: Vec::new(),
                });
            }
            (["block", _, cost, calls], Some(function)) => function.blocks.push(Block {
                cost: cost.parse().unwrap_or(0),
                calls: calls.split_whitespace().map(demangle).collect(),
                lines: Vec::new(),
            }),
            (["line", cost, line, file], Some(function)) => {
                if let Some(block) = function.blocks.last_mut() {
                    let (cost, line) = (cost.parse().unwrap_or(0), line.parse().unwrap_or(0));
                    block.lines.push(LineCost {
                        file: (*file).to_owned(),
                        line,
                        cost,
                    });
                }
            }
            _ => {}
        }
    }
    functions
}

/// Facts that the plugin noted besides costs.
pub fn facts(text: &str) -> Vec<Fact> {
    let fields = text
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>());
    fields
        .filter_map(|fields| match fields.as_slice() {
            ["fact", kind, function, what, line, file] => Some(Fact {
                kind: (*kind).to_owned(),
                function: demangle(function),
                what: demangle(what),
                file: (*file).to_owned(),
                line: line.parse().unwrap_or(0),
            }),
            _ => None,
        })
        .collect()
}

fn text(functions: &[Function]) -> String {
    use std::fmt::Write;
    let mut out = String::new();
    let mut sources = Sources::default();
    for function in functions {
        let _ = writeln!(out, "{}", function.name);
        if !function.note.is_empty() {
            let _ = writeln!(out, "  ({})", function.note);
        }
        for (index, block) in function.blocks.iter().enumerate() {
            let calls = match block.calls.is_empty() {
                true => String::new(),
                false => format!("  calls {}", block.calls.join(", ")),
            };
            let _ = writeln!(out, "  block {index}: {}{calls}", block.cost);
            for line in &block.lines {
                let source = sources.line(&line.file, line.line);
                let _ = match line.line {
                    0 => writeln!(out, "{:>8}        | (no source position)", line.cost),
                    number => writeln!(out, "{:>8} {number:>6} | {source}", line.cost),
                };
            }
        }
    }
    out
}

#[derive(Default)]
struct Sources {
    files: HashMap<String, Vec<String>>,
}

impl Sources {
    fn line(&mut self, file: &str, line: u32) -> &str {
        let lines = self.files.entry(file.to_owned()).or_insert_with(|| {
            let bytes = std::fs::read(Path::new(file)).unwrap_or_default();
            String::from_utf8_lossy(&bytes)
                .lines()
                .map(str::to_owned)
                .collect()
        });
        let index = (line as usize).checked_sub(1);
        index
            .and_then(|index| lines.get(index))
            .map_or("", String::as_str)
    }
}
