//! `luthier tool info`: what a tool says about itself.

use std::path::Path;

use anyhow::{Result, bail};
use launcher::libraries;
use luthier::ToolFile;

use crate::stock;

pub fn show(tool: &str) -> Result<()> {
    let (prepared, path) = match tools::is_library(tool) {
        false => (None, tool.to_owned()),
        true => match stock::prepare(Path::new(tool))? {
            Some(prepared) => {
                let path = prepared.tool.display().to_string();
                (Some(prepared), path)
            }
            None => bail!(
                "{tool} has host code in Rust, which says what it is only when it runs; its hooks are in the library's crate"
            ),
        },
    };
    let opened = tools::open(&path, &libraries::tools_directory()?)?;
    say(opened.file());
    drop(prepared);
    Ok(())
}

fn say(file: &ToolFile) {
    let description = file.description();
    files::out!("{}: {}", file.name(), about(&description.about));
    if description.parameter.is_empty() {
        files::out!("parameters: none");
    } else {
        files::out!("parameters (-t {}:NAME=VALUE,...):", file.name());
    }
    for parameter in &description.parameter {
        files::out!(
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
        files::out!("inserts {} at {:?}{place}", insert.hook, insert.at);
    }
    for stream in &description.stream {
        files::out!(
            "stream {}: {} ({})",
            stream.ring,
            stream.file,
            stream.fields.join(", ")
        );
    }
    files::out!("hooks: {}", file.hooks().join(", "));
    // (Others are compilers' own.)
    let variables = file.variables().filter(|(name, _)| !name.starts_with("__"));
    for (name, size) in variables {
        files::out!("variable {name}: {size} bytes");
    }
    if file.has_host_code() {
        files::out!("host code in C++");
    }
    files::out!("targets: {}", file.targets().join(", "));
}

fn about(text: &str) -> &str {
    match text {
        "" => "it says nothing about itself",
        text => text,
    }
}

fn quoted(text: &str) -> String {
    match text.is_empty() || text.contains(' ') {
        true => format!("{text:?}"),
        false => text.to_owned(),
    }
}
