//! `luthier tool info`: what a tool says about itself.

use std::path::Path;

use anyhow::{Result, bail};
use launcher::libraries;
use luthier::{Description, ToolFile};
use serde::Serialize;

use crate::{
    format::{Format, print_json},
    stock,
};

pub fn show(tool: &str, format: Format) -> Result<()> {
    let (prepared, path) = match tools::is_library(tool) {
        false => (None, tool.to_owned()),
        true => match stock::prepare(Path::new(tool))? {
            Some(prepared) => {
                let path = prepared.tool.display().to_string();
                (Some(prepared), path)
            }
            None => bail!(
                "{tool} has host code in Rust, which describes itself only when it runs; its hooks are in the library's crate"
            ),
        },
    };
    let opened = tools::open(&path, &libraries::tools_directory()?)?;
    match format {
        Format::Text => say(opened.info().file),
        Format::Json => print_json(&Told::new(opened.info().file))?,
    }
    drop(prepared);
    Ok(())
}

/// The same as JSON.
#[derive(Serialize)]
struct Told<'a> {
    name: &'a str,
    /// The text of `LUTHIER_TOOL` in the HIP file.
    description: &'a Description,
    hooks: Vec<String>,
    /// Name and bytes.
    variables: Vec<(String, u64)>,
    host_code: bool,
    targets: Vec<String>,
}

impl Told<'_> {
    fn new(file: &ToolFile) -> Told<'_> {
        Told {
            name: file.name(),
            description: file.description(),
            hooks: file.hooks().iter().map(|hook| hook.to_string()).collect(),
            variables: variables(file).collect(),
            host_code: file.has_host_code(),
            targets: file
                .targets()
                .iter()
                .map(|target| target.to_string())
                .collect(),
        }
    }
}

/// Variables of the tool; others are the compiler's own.
fn variables(file: &ToolFile) -> impl Iterator<Item = (String, u64)> + '_ {
    let all = file.variables().filter(|(name, _)| !name.starts_with("__"));
    all.map(|(name, size)| (name.to_owned(), size))
}

fn say(file: &ToolFile) {
    let description = file.description();
    command::out!("{}: {}", file.name(), about(&description.about));
    if description.parameter.is_empty() {
        command::out!("parameters: none");
    } else {
        command::out!("parameters (-t {}:NAME=VALUE,...):", file.name());
    }
    for parameter in &description.parameter {
        command::out!(
            "  {}: {} = {}  {}",
            parameter.name,
            parameter.kind.name(),
            quoted(&parameter.default),
            parameter.help
        );
    }
    for insert in &description.insert {
        let place = match insert.site.as_str() {
            "" => String::new(),
            site => format!(", where {site}"),
        };
        command::out!("inserts {} at {}{place}", insert.hook, insert.at.name());
    }
    for stream in &description.stream {
        command::out!(
            "stream {}: {} ({})",
            stream.ring,
            stream.file,
            stream.fields.join(", ")
        );
    }
    command::out!("hooks: {}", file.hooks().join(", "));
    for (name, size) in variables(file) {
        command::out!("variable {name}: {size} bytes");
    }
    if file.has_host_code() {
        command::out!("host code in C++");
    }
    command::out!("targets: {}", file.targets().join(", "));
}

fn about(text: &str) -> &str {
    match text {
        "" => "it has no description",
        text => text,
    }
}

fn quoted(text: &str) -> String {
    match text.is_empty() || text.contains(' ') {
        true => format!("{text:?}"),
        false => text.to_owned(),
    }
}
