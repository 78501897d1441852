//! One HTML file with everything in it.
//!
//! The scripts under `web` are plain modules, which an editor and any JavaScript engine understand; here they are put behind each
//! other, without their imports, in the order of [`MODULES`]. Data lies in packed chunks (JSON, deflate, base64), which the page unpacks
//! when they are first looked at. A policy in the page's head forbids it to load anything.

use crate::{
    compare::Comparison,
    error::{Error, Result},
    model::{Code, Overview},
    run::Run,
    trace::Trace,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use serde::{Serialize, de::DeserializeOwned};
use std::{
    fs,
    io::{self, Read, Write},
    path::Path,
};

/// A module comes behind those that it imports.
const MODULES: [(&str, &str); 17] = [
    ("data", include_str!("../web/data.js")),
    ("dom", include_str!("../web/dom.js")),
    ("route", include_str!("../web/route.js")),
    ("scroller", include_str!("../web/scroller.js")),
    ("table", include_str!("../web/table.js")),
    ("metrics", include_str!("../web/metrics.js")),
    ("splitter", include_str!("../web/splitter.js")),
    ("layout", include_str!("../web/layout.js")),
    ("graph", include_str!("../web/graph.js")),
    ("addresses", include_str!("../web/addresses.js")),
    ("listing", include_str!("../web/listing.js")),
    ("overview", include_str!("../web/overview.js")),
    ("flame", include_str!("../web/flame.js")),
    ("kernel", include_str!("../web/kernel.js")),
    ("timeline", include_str!("../web/timeline.js")),
    ("comparison", include_str!("../web/comparison.js")),
    ("app", include_str!("../web/app.js")),
];
const STYLE: &str = include_str!("../web/style.css");
/// The mark by which a page of Luthier is known.
const MARK: &str = "<meta name=\"generator\" content=\"luthier report\">";
const OPEN: &str = "<script type=\"application/vnd.luthier\" id=\"data-";
/// Bytes that a chunk may have unpacked: pages come from elsewhere, too.
const LARGEST: u64 = 4 << 30;

/// Writes the page of a run.
pub fn page(run: &Run, out: &mut dyn Write) -> Result<()> {
    let overview = &run.overview;
    let links = [
        ("overview", "Overview"),
        ("kernels", "Kernels"),
        ("timeline", "Timeline"),
    ];
    head(out, &overview.title, &links)?;
    chunk(out, "overview", overview)?;
    for (number, code) in &run.codes {
        chunk(out, &format!("code-{number}"), code)?;
    }
    for (number, text) in run.sources.iter().enumerate() {
        chunk(out, &format!("source-{number}"), text)?;
    }
    for (number, trace) in &run.traces {
        chunk(out, &format!("trace-{number}"), trace)?;
    }
    if let Some(timeline) = &run.timeline {
        chunk(out, "timeline", timeline)?;
    }
    tail(out)
}

/// Writes the page of two compared runs.
pub fn comparison_page(comparison: &Comparison, out: &mut dyn Write) -> Result<()> {
    let title = format!("{} and {}", comparison.titles[0], comparison.titles[1]);
    head(out, &title, &[("overview", "Comparison")])?;
    chunk(out, "comparison", comparison)?;
    for (number, parts) in comparison.parts.iter().enumerate() {
        chunk(out, &format!("compare-{number}"), parts)?;
    }
    tail(out)
}

fn head(out: &mut dyn Write, title: &str, links: &[(&str, &str)]) -> Result<()> {
    let title = outputs::html(title);
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">{MARK}\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>{title} – luthier report</title>\n<style>\n{STYLE}</style></head>\n\
         <body><header><strong>{title}</strong><nav aria-label=\"pages\">"
    )?;
    for (page, name) in links {
        write!(out, "<a href=\"#{page}\">{name}</a>")?;
    }
    writeln!(
        out,
        "</nav><button id=\"colours\" title=\"light or dark\" aria-label=\"light or dark\">◐</button></header>\
         <main><noscript>This page draws itself with JavaScript, all of which is in the file.</noscript></main>"
    )?;
    Ok(())
}

fn tail(out: &mut dyn Write) -> Result<()> {
    writeln!(
        out,
        "<script>\n\"use strict\";\n(() => {{\n{}}})();\n</script>\n</body></html>",
        scripts()
    )?;
    Ok(())
}

/// All modules as one script: what they import stands in front of them.
fn scripts() -> String {
    let mut all = String::new();
    for (name, text) in MODULES {
        all.push_str(&format!("// {name}.js\n"));
        for line in text.lines().filter(|line| !line.starts_with("import ")) {
            all.push_str(line.strip_prefix("export ").unwrap_or(line));
            all.push('\n');
        }
    }
    all
}

fn chunk(out: &mut dyn Write, name: &str, value: &impl Serialize) -> Result<()> {
    let mut packer = DeflateEncoder::new(Vec::new(), Compression::new(6));
    serde_json::to_writer(&mut packer, value)?;
    let packed = STANDARD.encode(packer.finish()?);
    writeln!(out, "{OPEN}{name}\">{packed}</script>")?;
    Ok(())
}

/// The run whose page this is. Times of launches and texts of sources are not read again.
pub fn read_page(path: &Path) -> Result<Run> {
    let text = fs::read_to_string(path).map_err(Error::unreadable(path))?;
    let no_page = |reason| Error::NoPage {
        path: path.to_owned(),
        reason,
    };
    if !text.contains(MARK) {
        return Err(no_page("it does not say that luthier made it"));
    }
    let mut run = Run::default();
    let mut found = false;
    for part in text.split(OPEN).skip(1) {
        let (name, rest) = part
            .split_once("\">")
            .ok_or(no_page("a chunk has no end"))?;
        let (packed, _) = rest.split_once('<').ok_or(no_page("a chunk has no end"))?;
        let damaged = |error: Error| Error::Damaged {
            path: path.to_owned(),
            reason: format!("chunk {name}: {error}"),
        };
        if name == "overview" {
            run.overview = unpacked::<Overview>(packed).map_err(damaged)?;
            found = true;
        } else if let Some(number) = name
            .strip_prefix("code-")
            .and_then(|text| text.parse().ok())
        {
            let code = unpacked::<Code>(packed).map_err(damaged)?;
            run.codes.insert(number, code);
        } else if let Some(number) = name
            .strip_prefix("trace-")
            .and_then(|text| text.parse().ok())
        {
            let trace = unpacked::<Trace>(packed).map_err(damaged)?;
            run.traces.insert(number, trace);
        }
    }
    match found {
        true => Ok(run),
        false => Err(no_page("it has no data of one run")),
    }
}

fn unpacked<T: DeserializeOwned>(packed: &str) -> Result<T> {
    let bytes = STANDARD.decode(packed).map_err(io::Error::other)?;
    let reader = DeflateDecoder::new(bytes.as_slice()).take(LARGEST);
    Ok(serde_json::from_reader(io::BufReader::new(reader))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_import_only_what_stands_in_front_of_them() {
        for (index, (name, text)) in MODULES.iter().enumerate() {
            for line in text.lines().filter(|line| line.starts_with("import ")) {
                let from = line
                    .split("\"./")
                    .nth(1)
                    .and_then(|rest| rest.split(".js\"").next());
                let known = MODULES[..index]
                    .iter()
                    .any(|(known, _)| Some(*known) == from);
                assert!(known, "{name}.js: {line}");
            }
        }
    }

    #[test]
    fn modules_share_one_scope_without_clashes() {
        let mut names: Vec<&str> = Vec::new();
        for (_, text) in MODULES {
            for line in text.lines() {
                let line = line.strip_prefix("export ").unwrap_or(line);
                let line = line.strip_prefix("async ").unwrap_or(line);
                let starts = ["function ", "const ", "let ", "class "];
                let rest = starts.iter().find_map(|start| line.strip_prefix(start));
                names.extend(rest.and_then(|rest| {
                    rest.split(|c: char| !c.is_alphanumeric() && c != '_')
                        .next()
                }));
            }
        }
        names.sort_unstable();
        let twice: Vec<_> = names
            .windows(2)
            .filter(|pair| pair[0] == pair[1] && !pair[0].is_empty())
            .collect();
        assert!(twice.is_empty(), "{twice:?}");
    }

    #[test]
    fn pages_are_read_again() {
        let mut run = Run::default();
        run.overview.title = "a <b> & \"c\"".to_owned();
        run.codes.insert(
            3,
            Code {
                pc: vec![1, 2],
                text: vec!["</script>".to_owned(); 2],
                ..Code::default()
            },
        );
        let mut html = Vec::new();
        page(&run, &mut html).unwrap();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("page.html");
        fs::write(&path, &html).unwrap();
        let read = read_page(&path).unwrap();
        assert_eq!(read.overview.title, run.overview.title);
        assert_eq!(read.codes, run.codes);
        fs::write(&path, "<html>").unwrap();
        assert!(matches!(read_page(&path), Err(Error::NoPage { .. })));
    }
}
